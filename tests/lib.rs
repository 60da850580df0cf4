//! What the tests across crates share: scratch notes, embedders that tell what they were asked, libraries to compare.
//!
//! Nothing here sleeps or reads the clock; notes get their times from a count.

mod embedders;
mod libraries;
mod notes;

pub use embedders::{Asked, Recording, failing, hashing, recording};
pub use libraries::{Content, answers, content, fresh, index, index_with, open};
pub use notes::{Image, Notes, image};
