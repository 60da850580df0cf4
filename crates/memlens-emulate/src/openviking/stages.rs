//! The stages of OpenViking, each a pure function of the facts.

use std::collections::HashSet;

use memlens_rank::{Context, ListState, Outcome, Row};

use super::facts::{Facts, Given, RowFact};
use super::params::OpenViking;
use super::reasons::{Addressed, Cut, Faded, Listed, Replaced, Scored};
use crate::filling::Filled;
use crate::staging::{counted, each};

const SECONDS_A_DAY: f64 = 24.0 * 60.0 * 60.0;
const HOURS_A_DAY: f64 = 24.0;

fn no_facts() -> Outcome {
    Outcome::skipped("these notes were not searched as OpenViking does")
}

fn fact<'a>(facts: &'a Facts, row: &Row) -> Option<&'a RowFact> {
    facts.rows.get(row.slot as usize)
}

pub fn vector(context: &Context<'_, OpenViking>, rows: &[Row]) -> Outcome {
    let Some(facts) = Facts::of(context.set) else {
        return no_facts();
    };
    if let ListState::Missing(why) = &facts.vector {
        return Outcome::skipped(why.clone());
    }
    let missing = "files alone: the abstracts and overviews of folders, which OpenViking's model writes, are missing";
    Outcome {
        counts: Some((facts.n_records, rows.len() as u32)),
        note: (!facts.has_folders).then(|| missing.to_owned()),
        ..each(context, rows, |row| {
            let fact = fact(facts, row);
            Listed {
                inner: fact.and_then(|it| it.inner),
                rank: fact.and_then(|it| it.rank),
            }
        })
    }
}

pub fn score(context: &Context<'_, OpenViking>, rows: &[Row]) -> Outcome {
    let Some(facts) = Facts::of(context.set) else {
        return no_facts();
    };
    each(context, rows, |row| Scored {
        inner: fact(facts, row).and_then(|it| it.inner),
    })
}

pub fn decay(context: &Context<'_, OpenViking>, rows: &[Row]) -> Outcome {
    let params = context.params;
    if !params.event_decay {
        return Outcome::skipped("off");
    }
    let facts = Facts::of(context.set);
    let age = |row: &Row| fact(facts?, row)?.event_age_s;
    if !rows.iter().any(|row| age(row).is_some()) {
        return Outcome::skipped("no record is marked as an event");
    }
    each(context, rows, |row| Faded {
        base: row.score.unwrap_or(0.0),
        days: age(row).map(|it| it / SECONDS_A_DAY),
        protected: params.event_protection_h / HOURS_A_DAY,
    })
}

pub fn candidates(context: &Context<'_, OpenViking>, rows: &[Row]) -> Outcome {
    counted(
        context,
        rows,
        context.params.depth(),
        "records that OpenViking looks at",
    )
}

pub fn address(context: &Context<'_, OpenViking>, rows: &[Row]) -> Outcome {
    let Some(facts) = Facts::of(context.set) else {
        return no_facts();
    };
    let mut seen = HashSet::new();
    each(context, rows, |row| Addressed {
        is_first: fact(facts, row).is_none_or(|it| seen.insert(it.uri)),
    })
}

pub fn rerank(context: &Context<'_, OpenViking>, rows: &[Row]) -> Outcome {
    if !context.params.is_reranked() {
        return Outcome::skipped(if context.params.rerank {
            "find never reranks"
        } else {
            "off"
        });
    }
    let Some(facts) = Facts::of(context.set) else {
        return no_facts();
    };
    match &facts.rerank {
        None => match Filled::by(context.set, context.params.rerank_by) {
            None => Outcome::skipped(
                "OpenViking asks its reranker here about summaries that its model wrote; Memlens has neither, so this is the order before",
            ),
            Some(filled) => filled_in(context, rows, filled),
        },
        Some(Err(why)) => Outcome::fallback(format!("{why}, so every vector score is kept")),
        Some(Ok(given)) => each(context, rows, |row| {
            let given = given.get(row.slot as usize);
            Replaced {
                given: given.copied().unwrap_or(Given::NotRead),
                base: row.score.unwrap_or(0.0),
            }
        }),
    }
}

/// Applies the scores of the replacement, which reads the beginning of each note because the summaries of OpenViking's
/// model are missing.
fn filled_in(context: &Context<'_, OpenViking>, rows: &[Row], filled: Filled<'_>) -> Outcome {
    let share = |row: &Row| filled.share(context.set.candidates[row.slot as usize].chunk);
    let n_given = rows.iter().filter_map(share).count();
    if filled.has_failed() {
        // Some earlier scores may be known, but they are not comparable with vector scores.
        return Outcome::skipped(filled.sentence("OpenViking", n_given, rows.len()));
    }
    Outcome {
        note: Some(filled.sentence("OpenViking", n_given, rows.len())),
        ..each(context, rows, |row| Replaced {
            given: share(row).map_or(Given::NotRead, Given::Score),
            base: row.score.unwrap_or(0.0),
        })
    }
}

pub fn threshold(context: &Context<'_, OpenViking>, rows: &[Row]) -> Outcome {
    each(context, rows, |row| Cut {
        score: row.score.unwrap_or(0.0),
        threshold: context.params.threshold(),
        or_equal: context.params.score_gte,
    })
}

pub fn limit(context: &Context<'_, OpenViking>, rows: &[Row]) -> Outcome {
    counted(
        context,
        rows,
        context.params.limit,
        "records that are returned",
    )
}
