//! The stages of OpenClaw, each a pure function of the facts.

use memlens_rank::{CandidateSet, Context, List, ListId, ListState, Outcome, Row};

use super::facts::{Facts, Named, RowFact};
use super::params::{CANDIDATES_MAX, Feb2026, Jul2026, Since2026Aug, TEXT, VECTOR, n_candidates};
use super::reasons::{
    Counted, Cut, Factor, First, Listed, PathMatch, Placed, Sum, Text, Verdict, Weighed, Why,
};
use super::word_sets::WordSets;
use crate::staging::each;

/// The values that are fixed since 2026.8.
const VECTOR_WEIGHT: f64 = 0.7;
const TEXT_WEIGHT: f64 = 0.3;
const HALF_LIFE_DAYS: f64 = 30.0;
const LAMBDA: f64 = 0.7;

fn list(set: &CandidateSet, id: ListId) -> Option<&List> {
    set.list(id).filter(|list| list.state == ListState::Ready)
}

fn fact<'a>(set: &'a CandidateSet, row: &Row) -> Option<&'a RowFact> {
    Facts::of(set)?.rows.get(row.slot as usize)
}

fn listed<P: Weighted>(
    context: &Context<'_, P>,
    rows: &[Row],
    id: ListId,
    what: &'static str,
) -> Outcome {
    let depth = context.params.depth();
    match context.set.list(id) {
        Some(List {
            state: ListState::Missing(why),
            ..
        }) => Outcome::skipped(why.clone()),
        None => Outcome::skipped("there is no such list"),
        Some(list) => Outcome {
            counts: Some((context.set.n_chunks, list.n_hits.min(depth))),
            ..each(context, rows, |row| Listed {
                value: list.value(row.slot),
                depth,
                what,
            })
        },
    }
}

const VECTOR_LIST: ListId = ListId(VECTOR.0);
const TEXT_LIST: ListId = ListId(TEXT.0);

/// Returns the raw score in a list if the row is among the list's candidates.
fn score_in(set: &CandidateSet, id: ListId, depth: u32, row: &Row) -> Option<f64> {
    let value = list(set, id)?.value(row.slot);
    value
        .score
        .filter(|_| value.rank.is_some_and(|rank| rank <= depth))
}

/// Parameters that all editions have, set or fixed.
pub trait Weighted {
    /// Returns `vectorWeight` and `textWeight`, divided by their sum.
    fn weights(&self) -> (f64, f64);
    /// Returns the number of candidates of each list.
    fn depth(&self) -> u32;
    /// Returns the value of `maxResults`.
    fn max_results(&self) -> u32;
}

/// Divides two weights by their sum.
fn shares(vector: f64, text: f64) -> (f64, f64) {
    let sum = vector + text;
    (vector / sum, text / sum)
}

impl Weighted for Feb2026 {
    fn weights(&self) -> (f64, f64) {
        shares(self.vector_weight, self.text_weight)
    }
    fn depth(&self) -> u32 {
        n_candidates(self.max_results, self.candidate_multiplier)
    }
    fn max_results(&self) -> u32 {
        self.max_results
    }
}

impl Weighted for Jul2026 {
    fn weights(&self) -> (f64, f64) {
        shares(self.vector_weight, self.text_weight)
    }
    fn depth(&self) -> u32 {
        n_candidates(self.max_results, self.candidate_multiplier)
    }
    fn max_results(&self) -> u32 {
        self.max_results
    }
}

impl Weighted for Since2026Aug {
    fn weights(&self) -> (f64, f64) {
        (VECTOR_WEIGHT, TEXT_WEIGHT)
    }
    fn depth(&self) -> u32 {
        CANDIDATES_MAX
    }
    fn max_results(&self) -> u32 {
        self.max_results
    }
}

pub fn vector<P: Weighted>(context: &Context<'_, P>, rows: &[Row]) -> Outcome {
    listed(context, rows, VECTOR_LIST, "cosine")
}

pub fn text<P: Weighted>(context: &Context<'_, P>, rows: &[Row]) -> Outcome {
    listed(context, rows, TEXT_LIST, "score")
}

pub fn paths(context: &Context<'_, Since2026Aug>, rows: &[Row]) -> Outcome {
    let n_hits = rows
        .iter()
        .filter(|row| fact(context.set, row).is_some_and(|it| it.path.is_some()))
        .count();
    if n_hits == 0 {
        return Outcome::skipped("no path holds a word of the question");
    }
    Outcome {
        note: Some(format!("{n_hits} notes by their path")),
        ..each(context, rows, |row| {
            let fact = fact(context.set, row);
            PathMatch {
                score: fact.and_then(|it| it.path),
                named: fact.map_or(Named::No, |it| it.named),
            }
        })
    }
}

/// 2026.2: sums both raw scores.
pub fn sum_2026_2(context: &Context<'_, Feb2026>, rows: &[Row]) -> Outcome {
    sum(context, rows, |_, raw| raw.map_or(Text::None, Text::Raw))
}

/// 2026.3 to 2026.7: sums both raw scores; without a vector list, uses only the raised keyword score.
pub fn sum_2026_7(context: &Context<'_, Jul2026>, rows: &[Row]) -> Outcome {
    let has_vectors = list(context.set, VECTOR_LIST).is_some();
    sum(context, rows, |fact, raw| {
        match (raw, fact.and_then(|it| it.raised)) {
            (Some(_), Some(raised)) if !has_vectors => Text::Raised(raised),
            (Some(raw), _) => Text::Raw(raw),
            (None, _) => Text::None,
        }
    })
}

/// Since 2026.8: raises the keyword score by the content of the chunk. Uses the score of the note's path if its text
/// was not hit.
pub fn sum_2026_8(context: &Context<'_, Since2026Aug>, rows: &[Row]) -> Outcome {
    sum(context, rows, |fact, raw| {
        match (raw, fact.and_then(|it| it.raised)) {
            (Some(_), Some(raised)) => Text::Raised(raised),
            _ => fact.and_then(|it| it.path).map_or(Text::None, Text::Path),
        }
    })
}

fn sum<P: Weighted>(
    context: &Context<'_, P>,
    rows: &[Row],
    text: impl Fn(Option<&RowFact>, Option<f64>) -> Text,
) -> Outcome {
    let depth = context.params.depth();
    let (vector_weight, text_weight) = match list(context.set, VECTOR_LIST) {
        Some(_) => context.params.weights(),
        None => (0.0, 1.0),
    };
    each(context, rows, |row| {
        let fact = fact(context.set, row);
        let vector = score_in(context.set, VECTOR_LIST, depth, row);
        let text = text(fact, score_in(context.set, TEXT_LIST, depth, row));
        Sum {
            vector,
            text,
            vector_weight,
            text_weight,
            named: fact.map_or(Named::No, |it| it.named),
            is_listed: vector.is_some() || text != Text::None,
        }
    })
}

pub fn decay_2026_7(context: &Context<'_, Jul2026>, rows: &[Row]) -> Outcome {
    if context.params.decay_on {
        decay(context, rows, context.params.half_life_days)
    } else {
        Outcome::skipped("off")
    }
}

pub fn decay_2026_8(context: &Context<'_, Since2026Aug>, rows: &[Row]) -> Outcome {
    decay(context, rows, HALF_LIFE_DAYS)
}

fn decay<P>(context: &Context<'_, P>, rows: &[Row], half_life: f64) -> Outcome {
    each(context, rows, |row| {
        match fact(context.set, row).and_then(|it| it.age_days) {
            Some(days) => Weighed::By(Factor {
                base: row.score.unwrap_or(0.0),
                factor: (-std::f64::consts::LN_2 / half_life * days).exp(),
                why: Why::Age { days, half_life },
            }),
            None => Weighed::Untouched("it never decays"),
        }
    })
}

pub fn importance(context: &Context<'_, Since2026Aug>, rows: &[Row]) -> Outcome {
    let stated = |row: &Row| fact(context.set, row).and_then(|it| it.importance);
    if !rows.iter().any(|row| stated(row).is_some()) {
        return Outcome::skipped("no entry states its importance");
    }
    each(context, rows, |row| match stated(row) {
        Some(importance) => Weighed::By(Factor {
            base: row.score.unwrap_or(0.0),
            factor: 0.75 + 0.05 * f64::from(importance),
            why: Why::Importance(importance),
        }),
        None => Weighed::Untouched("states no importance"),
    })
}

pub fn mmr_2026_7(context: &Context<'_, Jul2026>, rows: &[Row]) -> Outcome {
    if context.params.mmr_on {
        mmr(context, rows, context.params.mmr_lambda, |_, _| true)
    } else {
        Outcome::skipped("off")
    }
}

pub fn mmr_2026_8(context: &Context<'_, Since2026Aug>, rows: &[Row]) -> Outcome {
    let text = |row: &Row| fact(context.set, row).map(|it| it.wordless.clone());
    mmr(context, rows, LAMBDA, |a, b| text(a) == text(b))
}

/// Maximal marginal relevance: the next row is the one with the greatest `lambda * relevance - (1 - lambda) *
/// similarity`, ties by score. OpenClaw does not apply it without a vector list. `are_alike`: whether two rows
/// without words are equal.
fn mmr<P>(
    context: &Context<'_, P>,
    rows: &[Row],
    lambda: f64,
    are_alike: impl Fn(&Row, &Row) -> bool,
) -> Outcome {
    let set = context.set;
    if list(set, VECTOR_LIST).is_none() {
        return Outcome::skipped("keywords alone are searched");
    }
    let words = WordSets::of(
        rows.iter()
            .map(|row| fact(set, row).map_or(&[][..], |it| &*it.beginning)),
    );
    let score = |at: usize| rows[at].score.unwrap_or(0.0);
    let scores = (0..rows.len()).map(score);
    let (least, most) = scores.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), it| {
        (least.min(it), most.max(it))
    });
    let relevance = |at: usize| {
        if most > least {
            (score(at) - least) / (most - least)
        } else {
            1.0
        }
    };
    let mut similarity = vec![0.0f64; rows.len()];
    let mut left: Vec<usize> = (0..rows.len()).collect();
    let mut placed: Vec<Option<Placed>> = rows.iter().map(|_| None).collect();
    for place in 0..rows.len() as u32 {
        let value = |at: usize| lambda * relevance(at) - (1.0 - lambda) * similarity[at];
        let mut best = 0;
        for candidate in 1..left.len() {
            let (a, b) = (left[candidate], left[best]);
            if value(a) > value(b) || (value(a) == value(b) && score(a) > score(b)) {
                best = candidate;
            }
        }
        let taken = left.remove(best);
        placed[taken] = Some(Placed {
            place,
            relevance: relevance(taken),
            similarity: similarity[taken],
            lambda,
        });
        for at in &left {
            let shared = words
                .jaccard(*at, taken)
                .unwrap_or_else(|| f64::from(u8::from(are_alike(&rows[*at], &rows[taken]))));
            similarity[*at] = similarity[*at].max(shared);
        }
    }
    Outcome::applied(context.decided(placed.into_iter().flatten()))
}

/// Moves notes that the question names to the top, the most exactly named first.
pub fn named(context: &Context<'_, Since2026Aug>, rows: &[Row]) -> Outcome {
    let named = |row: &Row| fact(context.set, row).map_or(Named::No, |it| it.named);
    if rows.iter().all(|row| named(row) == Named::No) {
        return Outcome::skipped("the question names no note");
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(named(&rows[*at])));
    let mut place_of = vec![0; rows.len()];
    for (place, at) in (0..).zip(order) {
        place_of[at] = place;
    }
    let reasons = rows.iter().zip(place_of).map(|(row, place)| First {
        place,
        base: row.score.unwrap_or(0.0),
        named: named(row),
    });
    Outcome::applied(context.decided(reasons))
}

/// 2026.2: dropped rows do not come back.
pub fn threshold_2026_2(context: &Context<'_, Feb2026>, rows: &[Row]) -> Outcome {
    let min_score = context.params.min_score;
    cut(context, rows, min_score, |_| None)
}

/// 2026.3 to 2026.7: if no row is left, all keyword hits come back.
pub fn threshold_2026_7(context: &Context<'_, Jul2026>, rows: &[Row]) -> Outcome {
    let min_score = context.params.min_score;
    let is_any = rows.iter().any(|row| row.score.unwrap_or(0.0) >= min_score);
    cut(context, rows, min_score, |row| {
        (!is_any && is_hit(context, row)).then_some(Verdict::BroughtBack(0))
    })
}

/// Since 2026.8: as before, and if fewer than `maxResults` rows are left, hits that only keywords found fill up.
pub fn threshold_2026_8(context: &Context<'_, Since2026Aug>, rows: &[Row]) -> Outcome {
    let params = context.params;
    let n_kept = rows
        .iter()
        .filter(|row| row.score.unwrap_or(0.0) >= params.min_score)
        .count();
    let is_by_words_alone =
        |row: &Row| score_in(context.set, VECTOR_LIST, CANDIDATES_MAX, row).is_none();
    let has_vectors = list(context.set, VECTOR_LIST).is_some();
    cut(context, rows, params.min_score, |row| {
        if !is_hit(context, row) {
            None
        } else if n_kept == 0 {
            Some(Verdict::BroughtBack(0))
        } else {
            let fills =
                has_vectors && n_kept < params.max_results as usize && is_by_words_alone(row);
            fills.then_some(Verdict::FilledIn(0))
        }
    })
}

/// Returns whether words hit the row, in its text or its path.
fn is_hit<P: Weighted>(context: &Context<'_, P>, row: &Row) -> bool {
    score_in(context.set, TEXT_LIST, context.params.depth(), row).is_some()
        || fact(context.set, row).is_some_and(|it| it.path.is_some())
}

/// Keeps the rows that reach `min_score`, then those that `back` returns, each in the order before the stage. Rows
/// below 0 never come back.
fn cut<P>(
    context: &Context<'_, P>,
    rows: &[Row],
    min_score: f64,
    back: impl Fn(&Row) -> Option<Verdict>,
) -> Outcome {
    let score = |row: &Row| row.score.unwrap_or(0.0);
    let n_kept = rows.iter().filter(|row| score(row) >= min_score).count() as u32;
    let (mut kept, mut next) = (0..n_kept, n_kept..);
    let reasons = rows.iter().map(|row| {
        let verdict = if score(row) >= min_score {
            kept.next().map(Verdict::Kept)
        } else if score(row) >= 0.0 {
            back(row).and_then(|verdict| {
                let place = next.next()?;
                Some(match verdict {
                    Verdict::FilledIn(_) => Verdict::FilledIn(place),
                    Verdict::Kept(_) | Verdict::BroughtBack(_) | Verdict::Dropped => {
                        Verdict::BroughtBack(place)
                    }
                })
            })
        } else {
            None
        };
        Cut {
            score: score(row),
            min_score,
            verdict: verdict.unwrap_or(Verdict::Dropped),
        }
    });
    Outcome::applied(context.decided(reasons))
}

pub fn limit<P: Weighted>(context: &Context<'_, P>, rows: &[Row]) -> Outcome {
    let max_results = context.params.max_results();
    let reasons = (1..=rows.len() as u32).map(|rank| Counted { rank, max_results });
    Outcome::applied(context.decided(reasons))
}
