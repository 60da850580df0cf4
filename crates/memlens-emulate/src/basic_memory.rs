//! basic-memory 0.24: its full-text, vector and hybrid search over SQLite, which rank like its published package.
//!
//! Written from a description and from results of the package 0.24.1 (AGPL-3.0) with given vectors, without reading its
//! code. The results are in `tests/golden/basic-memory`, and `tests/golden/basic_memory.rs` compares this code with
//! them. Front matter, observations and relations are not read: a note's title is its file name without extension.

mod cut;
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
pub use memory::{Memory, RERANKED_CHARS, reranked};
pub use params::BasicMemory;
pub use pipeline::V0_24;
