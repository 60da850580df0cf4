//! The requests of basic-memory's reranker, for the reranker that replaces it.

use memlens_params::{TypedSet, Values};

use super::memory::document_read;
use super::params::{BasicMemory, FUSION};
use crate::filling::Filler;

/// basic-memory's reranker reads the first notes with their titles; of long notes, the best chunks.
pub static FILLER: Filler = Filler {
    by: |values: &Values| {
        let params = BasicMemory::of(values);
        let n_read = params.reranker_candidates as usize;
        params.is_reranked().then_some((params.reranker_by, n_read))
    },
    before: FUSION,
    asked: str::to_owned,
    read: document_read,
};
