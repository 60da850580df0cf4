//! The requests of qmd's reranker, for the reranker that replaces it.

use memlens_params::{TypedSet, Values};
use memlens_rank::CandidateSet;

use super::facts::Facts;
use super::params::{CANDIDATES, Qmd};
use super::question::{Typed, primary};
use crate::filling::Filler;

/// qmd's reranker reads the best chunk of every candidate.
pub static FILLER: Filler = Filler {
    by: |values: &Values| {
        let params = Qmd::of(values);
        params.rerank.then_some((params.rerank_by, usize::MAX))
    },
    before: CANDIDATES,
    asked,
    read: chunk_read,
};

/// Returns the question as qmd sends it to its reranker.
fn asked(question: &str) -> String {
    let Some(typed) = Typed::of(question) else {
        return question.to_owned();
    };
    let sought = primary(&typed.lines);
    match &typed.intent {
        Some(intent) => format!("{intent}\n\n{sought}"),
        None => sought.to_owned(),
    }
}

/// Returns the chunk of a note that qmd's reranker reads, from the text of the note.
fn chunk_read(set: &CandidateSet, slot: u32, note: &str) -> Option<String> {
    let chunk = Facts::of(set)?.rows.get(slot as usize)?.chunk;
    let units = note.encode_utf16().skip(chunk.start as usize);
    let units: Vec<u16> = units.take(chunk.units as usize).collect();
    Some(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::asked;

    #[test]
    fn typed_lines_are_put_as_qmd_puts_them() {
        for (question, expected) in [
            ("red relay", "red relay"),
            ("vec: where is it\nlex: relay", "relay"),
            ("intent: repairs\nlex: relay", "repairs\n\nrelay"),
        ] {
            assert_eq!(asked(question), expected);
        }
    }
}
