//! The requests of OpenViking's reranker, for the reranker that replaces it.
//!
//! OpenViking's reranker reads a summary of each record, of 60 to 180 words, which its model wrote. Memlens has none,
//! so the replacement reads the beginning of the record's own text, as long as a long summary.

use memlens_params::{TypedSet, Values};

use super::params::{ADDRESS, OpenViking};
use crate::filling::Filler;

/// Number of characters that are read in place of a summary: about 180 words.
const SUMMARY_CHARS: usize = 1200;

/// OpenViking's reranker reads all remaining candidates.
pub static FILLER: Filler = Filler {
    by: |values: &Values| {
        let params = OpenViking::of(values);
        params
            .is_reranked()
            .then_some((params.rerank_by, usize::MAX))
    },
    before: ADDRESS,
    asked: str::to_owned,
    read: |_, _, text| {
        let beginning: String = text.chars().take(SUMMARY_CHARS).collect();
        (!beginning.trim().is_empty()).then_some(beginning)
    },
};
