//! qmd 2.8: its `query`, `search` and `vsearch`, which rank like its published package.
//!
//! Results are whole notes; chunks are only used for the vectors, the reranker and the printed lines. Source: the
//! package 2.8.3 (MIT), run with given vectors. Its results are in `tests/golden/qmd`, and `tests/golden/qmd.rs`
//! compares this code with them.

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
pub use memory::{AskOptions, Memory};
pub use params::Qmd;
pub use pipeline::V2_8;
pub use question::{Kind, Line, expansion};
