//! OpenViking 0.5: `find` and `search` over its local store, which rank like its published package.
//!
//! Written from a description and from results of the package 0.5.2 (AGPL-3.0) with given vectors, without reading its
//! code. The results are in `tests/golden/openviking`, and `tests/golden/openviking.rs` compares this code with them.
//! Its unit is the record: a file, or the abstract or overview of a folder. Its own model writes those of folders, and
//! the summaries that its reranker reads; of a library's notes only the files are records.

mod facts;
mod filling;
mod memory;
mod params;
mod pipeline;
mod reasons;
mod records;
mod rerank;
mod stages;
mod tokens;

pub use facts::{Facts, Given};
pub(crate) use filling::FILLER;
pub use memory::{AskOptions, Memory, reranked};
pub use params::OpenViking;
pub use pipeline::V0_5;
pub use records::{Kind, Level, Record};
pub use rerank::{Provider, answered};
