//! qmd 2.8: its `query`, `search` and `vsearch`, as its published package ranks.
//!
//! Its unit is the note: chunks only feed the vectors, the reranker and the lines that it prints. Source: the package 2.8.3 (MIT),
//! asked on given vectors; what it returned is in `tests/golden/qmd`, and `tests/golden/qmd.rs` here holds this to it.

mod cut;
mod document;
mod facts;
mod filling;
#[cfg(test)]
mod golden;
mod memory;
mod params;
mod pipeline;
mod question;
mod reasons;
mod stages;

pub use facts::Facts;
pub(crate) use filling::FILLER;
pub use memory::{Memory, Told};
pub use params::Qmd;
pub use pipeline::V2_8;
pub use question::{Kind, Line, expansion};
