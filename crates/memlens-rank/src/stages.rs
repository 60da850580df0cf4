//! The stages, one concept a file.

pub mod corroboration;
pub mod cuts;
pub mod diversity;
pub mod fusion;
pub mod hook;
pub mod lists;
pub mod repeats;
pub mod rerank;
pub mod weights;

/// Why a stage does nothing that a person switched off.
pub const SWITCHED_OFF: &str = "switched off";
