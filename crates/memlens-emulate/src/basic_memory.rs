//! basic-memory 0.24: its full-text, vector and hybrid search over SQLite, as its published package ranks.
//!
//! Written from a description and from what the package 0.24.1 (AGPL-3.0) returned on given vectors, without a look at its code. What
//! it returned is in `tests/golden/basic-memory`, and `tests/golden/basic_memory.rs` here holds this to it. Front matter,
//! observations and relations are not read: a note's title is its file's stem.

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
