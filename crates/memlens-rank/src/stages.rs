//! The stages, one concept per file.

pub mod corroboration;
pub mod cuts;
pub mod diversity;
pub mod fusion;
pub mod hook;
pub mod lists;
pub mod repeats;
pub mod rerank;
pub mod weights;

/// Why a stage that the user switched off does nothing.
pub const SWITCHED_OFF: &str = "switched off";
