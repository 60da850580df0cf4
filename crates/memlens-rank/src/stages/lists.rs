//! Stages 1 and 2: each row's rank in the vector list and in the BM25 list.

use crate::detail::Detail;
use crate::pipeline::{Context, Outcome, Row};
use crate::stages::SWITCHED_OFF;
use crate::{Cosines, ListId, ListState, ListValue};

/// Records each row's rank and cosine in the vector list.
pub fn vector(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let params = context.params;
    list(
        context,
        ListId::VECTOR,
        params.vector_on,
        params.vector_depth,
        rows,
    )
}

/// Records each row's rank and score in the BM25 list.
pub fn bm25(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let params = context.params;
    list(
        context,
        ListId::BM25,
        params.bm25_on,
        params.bm25_depth,
        rows,
    )
}

fn list(context: &Context<'_>, id: ListId, is_on: bool, depth: u32, rows: &[Row]) -> Outcome {
    let set = context.set;
    let Some(list) = set.list(id) else {
        return Outcome::skipped("the retriever has no such list");
    };
    match &list.state {
        ListState::Missing(why) => return Outcome::skipped(why.clone()),
        ListState::Ready if !is_on => return Outcome::skipped(SWITCHED_OFF),
        ListState::Ready => {}
    }
    // A list stage keeps every row and only records their ranks, so there is nothing to do without a record.
    if !context.is_recorded {
        return Outcome::applied(Vec::new());
    }
    let is_vector = id == ListId::VECTOR;
    let details = rows.iter().map(|row| {
        let candidate = &set.candidates[row.slot as usize];
        let ListValue { rank, score } = list.value(row.slot);
        let cosines = if is_vector {
            candidate.cosines
        } else {
            Cosines::default()
        };
        Detail::Listed {
            list: id,
            rank,
            score,
            depth,
            window: cosines.window,
            whole: cosines.whole,
            window_lines: cosines.window_lines,
            n_matched: if is_vector { 0 } else { candidate.n_matched },
            n_words: if is_vector { 0 } else { set.n_words },
        }
    });
    Outcome {
        counts: Some((set.n_chunks, list.n_hits.min(depth))),
        ..Outcome::applied(details.collect())
    }
}
