//! The stages of basic-memory, each a pure function of the facts.

use memlens_rank::{Context, ListState, Outcome, Row};

use super::facts::{Facts, Match, Near, RowFact};
use super::params::{BasicMemory, Search};
use super::reasons::{Alone, By, Fused, Matched, Neared, Paged, Reranked};
use crate::filling::Filled;
use crate::staging::{Place, each, in_order};

fn no_facts() -> Outcome {
    Outcome::skipped("these notes were not searched as basic-memory does")
}

/// The lists under some parameters.
struct View<'a> {
    facts: &'a Facts,
    params: &'a BasicMemory,
    is_relaxed: bool,
}

impl<'a> View<'a> {
    fn of(context: &Context<'a, BasicMemory>) -> Option<View<'a>> {
        let facts = Facts::of(context.set)?;
        Some(View {
            facts,
            params: context.params,
            is_relaxed: facts.is_relaxed(context.params.may_relax()),
        })
    }

    fn row(&self, row: &Row) -> Option<&'a RowFact> {
        self.facts.rows.get(row.slot as usize)
    }

    /// Returns the match of a note at any depth.
    fn found(&self, row: &Row) -> Option<Match> {
        self.row(row)?.matched(self.is_relaxed)
    }

    /// Returns the match if it counts.
    fn matched(&self, row: &Row) -> Option<Match> {
        let is_searched = self.params.takes_words();
        let found = self.found(row).filter(|_| is_searched)?;
        (found.rank <= self.params.depth()).then_some(found)
    }

    /// Returns the best chunk if it counts.
    fn near(&self, row: &Row) -> Option<Near> {
        let near = self
            .row(row)?
            .near
            .filter(|_| self.params.takes_vectors())?;
        let counts = near.similarity >= self.params.semantic_min_similarity;
        (counts && near.position <= self.params.depth()).then_some(near)
    }

    /// Returns the 0-based position that counts for a note that the reranker does not read.
    fn position(&self, row: &Row) -> u32 {
        let words = self.matched(row).map(|it| it.rank);
        let near = self.near(row).map(|it| it.position);
        let first = words.into_iter().chain(near).min();
        first.map_or(u32::MAX, |it| it - 1)
    }
}

pub fn text(context: &Context<'_, BasicMemory>, rows: &[Row]) -> Outcome {
    let Some(view) = View::of(context) else {
        return no_facts();
    };
    if !context.params.takes_words() {
        return Outcome::skipped("a search by vectors alone does not look for words");
    }
    if let ListState::Missing(why) = &view.facts.strict {
        return Outcome::skipped(why.clone());
    }
    let depth = context.params.depth();
    let n_hits = match view.is_relaxed {
        true => view.facts.n_relaxed.unwrap_or(0),
        false => view.facts.n_strict,
    };
    let note = "no note holds every word, so any word that is no stop word is enough";
    Outcome {
        counts: Some((context.set.n_chunks, n_hits.min(depth))),
        note: view.is_relaxed.then(|| note.to_owned()),
        ..each(context, rows, |row| Matched {
            found: view.found(row),
            depth,
            is_relaxed: view.is_relaxed,
        })
    }
}

pub fn vector(context: &Context<'_, BasicMemory>, rows: &[Row]) -> Outcome {
    let Some(view) = View::of(context) else {
        return no_facts();
    };
    if !context.params.takes_vectors() {
        return Outcome::skipped("a search by words alone compares no vectors");
    }
    if let ListState::Missing(why) = &view.facts.vector {
        return Outcome::skipped(why.clone());
    }
    let ranks = in_order(
        rows,
        |at| view.near(&rows[at]).is_some(),
        |a, b| {
            let similarity = |at: usize| view.near(&rows[at]).map_or(0.0, |it| it.similarity);
            similarity(b)
                .total_cmp(&similarity(a))
                .then_with(|| rows[a].order.cmp(&rows[b].order))
        },
    );
    let n_near = ranks.iter().flatten().count() as u32;
    let reasons = rows.iter().zip(ranks).map(|(row, place)| Neared {
        near: view.row(row).and_then(|it| it.near),
        rank: place.map(|it| it + 1),
        depth: context.params.depth(),
        least: context.params.semantic_min_similarity,
    });
    Outcome {
        counts: Some((context.set.n_chunks, n_near)),
        ..Outcome::applied(context.decided(reasons))
    }
}

/// Orders the notes by both scores, or by that of the only list that is searched.
pub fn fusion(context: &Context<'_, BasicMemory>, rows: &[Row]) -> Outcome {
    let Some(view) = View::of(context) else {
        return no_facts();
    };
    let search = context.params.search;
    let bm25 = |row: &Row| view.matched(row).map(|it| it.bm25);
    let best = rows
        .iter()
        .filter_map(bm25)
        .fold(0.0, |best: f64, it| best.max(it.abs()));
    let share = |row: &Row| {
        let bm25 = bm25(row)?;
        Some(if best > 0.0 { bm25.abs() / best } else { 0.0 })
    };
    let similarity = |row: &Row| view.near(row).map(|it| it.similarity);
    let fused = |row: &Row, place: Place| Fused {
        near: similarity(row),
        words: share(row),
        place,
    };
    let alone = |row: &Row| match search {
        Search::Text => bm25(row),
        Search::Vector | Search::Hybrid => similarity(row),
    };
    // Higher is better; for bm25, lower is better.
    let worth: Vec<Option<f64>> = rows
        .iter()
        .map(|row| match search {
            Search::Hybrid => {
                let fused = fused(row, None);
                (fused.near.is_some() || fused.words.is_some()).then(|| fused.score())
            }
            Search::Text => alone(row).map(|it| -it),
            Search::Vector => alone(row),
        })
        .collect();
    let places = in_order(
        rows,
        |at| worth[at].is_some(),
        |a, b| {
            let worth = |at: usize| worth[at].unwrap_or(0.0);
            worth(b)
                .total_cmp(&worth(a))
                .then_with(|| rows[a].order.cmp(&rows[b].order))
        },
    );
    let placed = rows.iter().zip(places);
    Outcome::applied(match search {
        Search::Hybrid => context.decided(placed.map(|(row, place)| fused(row, place))),
        Search::Text | Search::Vector => context.decided(placed.map(|(row, place)| Alone {
            is_words: search == Search::Text,
            score: alone(row),
            place,
        })),
    })
}

/// Orders the notes by the reranker's scores, if there are any.
pub fn rerank(context: &Context<'_, BasicMemory>, rows: &[Row]) -> Outcome {
    let Some(view) = View::of(context) else {
        return no_facts();
    };
    let params = context.params;
    if !params.reranker {
        return Outcome::skipped("off");
    }
    if params.search == Search::Text {
        return Outcome::skipped("a search by words alone is not reranked");
    }
    let n_read = rows.len().min(params.reranker_candidates as usize);
    let recorded = view.facts.rerank.as_ref();
    let filled = Filled::by(context.set, params.reranker_by).filter(|_| recorded.is_none());
    let given: Vec<f64> = match (recorded, filled) {
        (Some(scores), _) => {
            let score = |row: &Row| scores.get(row.slot as usize).copied();
            let read = rows[..n_read].iter();
            read.map(|row| score(row).unwrap_or(0.0)).collect()
        }
        (None, Some(filled)) => {
            let chunk = |row: &Row| context.set.candidates[row.slot as usize].chunk;
            let read = rows[..n_read].iter();
            read.map_while(|row| filled.share(chunk(row))).collect()
        }
        (None, None) => Vec::new(),
    };
    let note = filled.map(|it| it.sentence("basic-memory", given.len(), n_read));
    if given.len() < n_read {
        let why =
            "basic-memory asks its reranker here; without its scores this is the order before";
        return Outcome::skipped(note.unwrap_or_else(|| why.to_owned()));
    }
    if given.iter().any(|score| !(0.0..=1.0).contains(score)) {
        return Outcome::fallback(
            "its reranker gave a score outside 0 to 1, at which basic-memory's search fails",
        );
    }
    let floor = given.iter().copied().fold(1.0, f64::min);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order[..n_read].sort_by(|a, b| given[*b].total_cmp(&given[*a]));
    order[n_read..].sort_by_key(|at| (view.position(&rows[*at]), rows[*at].order));
    let mut place_of = vec![0; rows.len()];
    for (place, at) in (0..).zip(order) {
        place_of[at] = place;
    }
    let reasons = place_of
        .into_iter()
        .enumerate()
        .map(|(at, place)| Reranked {
            by: match given.get(at) {
                Some(score) => By::Read { score: *score },
                None => By::Behind {
                    floor,
                    at: place - n_read as u32,
                },
            },
            rank: at as u32 + 1,
            place,
        });
    Outcome {
        note,
        ..Outcome::applied(context.decided(reasons))
    }
}

pub fn page(context: &Context<'_, BasicMemory>, rows: &[Row]) -> Outcome {
    let params = context.params;
    let reasons = (1..=rows.len() as u32).map(|rank| Paged {
        rank,
        offset: params.offset,
        limit: params.limit,
    });
    Outcome::applied(context.decided(reasons))
}
