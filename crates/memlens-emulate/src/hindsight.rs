//! Hindsight 1.1: how it fuses the lists of its arms and scores what it fused, and no more.
//!
//! Written from a description of the package 1.1.0; what its own functions returned is in `tests/golden/hindsight`, and
//! `tests/golden/hindsight.rs` here holds this to it. Its arms over PostgreSQL are not emulated: in a library, Memlens's own two lists
//! stand for two of its four arms.

mod facts;
mod params;
mod pipeline;
mod reasons;
mod stages;

pub use facts::{Arm, ArmKind, Dated, Facts, RowFact};
pub use params::{Boost, Hindsight};
pub use pipeline::FUSION_1_1;
