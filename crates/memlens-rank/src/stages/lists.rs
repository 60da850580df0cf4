//! Stages 1 and 2: where each row stands in the vector list and in the BM25 list.

use crate::detail::{Detail, List};
use crate::pipeline::{Context, Outcome, Row};
use crate::{ListState, stages::SWITCHED_OFF};

/// Names each row's rank and value in the vector list.
pub fn vector(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let set = context.set;
    let length = set.n_chunks.min(context.params.vector_depth);
    list(
        context.params.vector_on,
        &set.vector,
        (set.n_chunks, length),
        || {
            rows.iter()
                .map(|row| {
                    let value = set.candidates[row.slot as usize].vector;
                    Detail::Listed {
                        list: List::Vector,
                        rank: value.rank,
                        score: value.score,
                        depth: context.params.vector_depth,
                        window: value.window,
                        whole: value.whole,
                        window_lines: value.window_lines,
                        n_matched: 0,
                        n_words: 0,
                    }
                })
                .collect()
        },
    )
}

/// Names each row's rank and score in the BM25 list.
pub fn bm25(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let set = context.set;
    let length = set.n_text_hits.min(context.params.bm25_depth);
    list(
        context.params.bm25_on,
        &set.text,
        (set.n_chunks, length),
        || {
            rows.iter()
                .map(|row| {
                    let value = set.candidates[row.slot as usize].text;
                    Detail::Listed {
                        list: List::Bm25,
                        rank: value.rank,
                        score: value.score,
                        depth: context.params.bm25_depth,
                        window: None,
                        whole: None,
                        window_lines: None,
                        n_matched: value.n_matched,
                        n_words: set.n_words,
                    }
                })
                .collect()
        },
    )
}

fn list(
    is_on: bool,
    state: &ListState,
    counts: (u32, u32),
    details: impl FnOnce() -> Vec<Detail>,
) -> Outcome {
    match state {
        ListState::Missing(why) => Outcome::skipped(why.clone()),
        ListState::Ready if !is_on => Outcome::skipped(SWITCHED_OFF),
        ListState::Ready => Outcome {
            counts: Some(counts),
            ..Outcome::applied(details())
        },
    }
}
