//! What OpenViking asks its reranker, for whoever stands in.
//!
//! It reads a summary of each record that its model wrote, of 60 to 180 words. Memlens has none: whoever stands in reads the beginning of
//! the record's own text, as much as a long summary.

use memlens_params::{TypedSet, Values};

use super::params::{ADDRESS, OpenViking};
use crate::filling::Filler;

/// How many characters are read in the place of a summary: some 180 words.
const SUMMARY_CHARS: usize = 1200;

/// OpenViking's reranker reads what is left of the candidates.
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
