//! OpenViking 0.5: `find` and `search` over its local store, as its published package ranks.
//!
//! Written from a description and from what the package 0.5.2 (AGPL-3.0) returned on given vectors, without a look at its code. What
//! it returned is in `tests/golden/openviking`, and `tests/golden/openviking.rs` here holds this to it. Its unit is the record: a
//! file, or the abstract or overview of a folder. Those of folders, and the summaries that its reranker reads, are written by a model
//! of its own: of a library's notes only the files are records.

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
pub use memory::{Memory, Told, reranked};
pub use params::OpenViking;
pub use pipeline::V0_5;
pub use records::{Kind, Level, Record};
pub use rerank::{Provider, answered};
