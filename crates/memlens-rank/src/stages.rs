//! The stages, one per file: each with its reason, and all that is shown of it.

pub mod budget;
pub mod corroboration;
pub mod decay;
pub mod diversity;
pub mod feedback;
pub mod fusion;
pub mod hook;
pub mod limit;
pub mod lists;
pub mod repeats;
pub mod rerank;
pub mod threshold;
mod weights;

/// Why a stage that the user switched off does nothing.
pub const SWITCHED_OFF: &str = "switched off";
