//! The stages, one concept a file.

pub mod corroboration;
pub mod cuts;
pub mod diversity;
pub mod fusion;
pub mod lists;
pub mod repeats;
pub mod weights;

use crate::pipeline::{Context, Outcome, Row};

/// Holds the place of a stage that this version does not have.
pub fn not_built(_: &Context<'_>, _: &[Row]) -> Outcome {
    Outcome::skipped("not built yet in this version")
}

/// Why a stage does nothing that a person switched off.
pub const SWITCHED_OFF: &str = "switched off";
