//! Hindsight 1.1: only the fusion of its arms' lists and the scoring after it.
//!
//! Written from a description of the package 1.1.0. The results of its own functions are in `tests/golden/hindsight`,
//! and `tests/golden/hindsight.rs` compares this code with them. Its arms over PostgreSQL are not emulated: in a
//! library, Memlens's own two lists replace two of its four arms.

mod facts;
mod params;
mod pipeline;
mod reasons;
mod stages;

pub use facts::{Arm, ArmKind, Dated, Facts, RowFact};
pub use params::{Boost, Hindsight};
pub use pipeline::FUSION_1_1;
