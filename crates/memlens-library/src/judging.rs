//! What the user says about notes: thumbs, marks against decay, and questions to keep.

pub mod evergreen;
pub mod feedback;
pub mod following;
pub mod marks;
pub mod saved_questions;
pub mod thumbs;
