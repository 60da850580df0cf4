//! Judgments of the user about notes: thumbs, marks against decay, and saved questions.

pub mod evergreen;
pub mod feedback;
pub mod following;
pub mod marks;
pub mod saved_questions;
pub mod thumbs;
