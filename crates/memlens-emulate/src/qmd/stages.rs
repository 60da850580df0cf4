//! The stages of qmd, each a pure function of the facts.

use memlens_rank::{Context, ListState, ListValue, Outcome, Row};

use super::facts::{Facts, Role, SearchList};
use super::params::{Command, QUERY_DEPTH, Qmd};
use super::question::Kind;
use super::reasons::{Alone, Blended, Cut, Fused, Held, Listed, Printed, Ranked, position_weight};
use crate::filling::Filled;
use crate::staging::{Place, counted, each, in_order};

/// Minimum score of the best match by words, and its minimum lead, for which its model is not called.
const STRONG: f64 = 0.85;
const STRONG_LEAD: f64 = 0.15;
/// Weight of the question's own two lists in the fusion, or of the first typed one; any other has weight 1.
const OWN_WEIGHT: f64 = 2.0;

fn no_facts() -> Outcome {
    Outcome::skipped("these notes were not searched as qmd does")
}

/// Returns the list of the question itself, by words or by meaning.
fn of_question(facts: &Facts, is_words: bool) -> Option<&SearchList> {
    facts
        .lists
        .iter()
        .find(|it| it.role == Role::Question && (it.kind == Kind::Lex) == is_words)
}

/// Returns the two best scores by words if the first is so strong that its model is not called.
fn strong(facts: &Facts, params: &Qmd) -> Option<(f64, f64)> {
    if params.command != Command::Query || facts.is_typed || facts.has_intent {
        return None;
    }
    let mut scores = of_question(facts, true)?
        .first(QUERY_DEPTH)
        .map(|it| it.score);
    let top = scores.next()?;
    let second = scores.next().unwrap_or(0.0);
    (top >= STRONG && top - second >= STRONG_LEAD).then_some((top, second))
}

/// Returns the lists that are fused, in order, without empty ones.
fn in_play<'a>(facts: &'a Facts, params: &Qmd) -> Vec<&'a SearchList> {
    let is_strong = strong(facts, params).is_some();
    let is_asked = |list: &&SearchList| {
        let is_words = list.kind == Kind::Lex;
        match (params.command, list.role) {
            (Command::Search, role) => role == Role::Question && is_words,
            (Command::Vsearch, role) => role != Role::Typed && !is_words,
            (Command::Query, Role::Question) => !facts.is_typed,
            (Command::Query, Role::Added) => !facts.is_typed && !is_strong,
            (Command::Query, Role::Typed) => true,
        }
    };
    let depth = params.depth();
    facts
        .lists
        .iter()
        .filter(is_asked)
        .filter(|list| list.first(depth).next().is_some())
        .collect()
}

/// Returns the weight of a list in the fusion.
fn weight(list: &SearchList, is_first: bool) -> f64 {
    match list.role {
        Role::Question => OWN_WEIGHT,
        Role::Typed if is_first => OWN_WEIGHT,
        Role::Added | Role::Typed => 1.0,
    }
}

pub fn text(context: &Context<'_, Qmd>, rows: &[Row]) -> Outcome {
    match context.params.command {
        Command::Vsearch => Outcome::skipped("vsearch does not look for words"),
        Command::Search | Command::Query => listed(context, rows, true),
    }
}

pub fn vector(context: &Context<'_, Qmd>, rows: &[Row]) -> Outcome {
    match context.params.command {
        Command::Search => Outcome::skipped("search looks for words alone"),
        Command::Vsearch | Command::Query => listed(context, rows, false),
    }
}

fn listed(context: &Context<'_, Qmd>, rows: &[Row], is_words: bool) -> Outcome {
    let Some(facts) = Facts::of(context.set) else {
        return no_facts();
    };
    if facts.is_typed && context.params.command == Command::Query {
        return Outcome::skipped("the question's typed lines are searched instead");
    }
    let Some(list) = of_question(facts, is_words) else {
        return no_facts();
    };
    if let ListState::Missing(why) = &list.state {
        return Outcome::skipped(why.clone());
    }
    let depth = context.params.depth();
    let n_slots = context.set.candidates.len();
    let within = list.values(depth, n_slots);
    let mut hits = vec![None; n_slots];
    for hit in &list.hits {
        hits[hit.slot as usize] = Some(*hit);
    }
    let n_given = list.first(depth).count() as u32;
    Outcome {
        counts: Some((context.set.n_chunks, n_given)),
        ..each(context, rows, |row| {
            let slot = row.slot as usize;
            Listed {
                hit: hits[slot],
                rank: within[slot].rank,
                is_reached: hits[slot].is_some_and(|hit| list.reaches(&hit, depth)),
                depth,
                reach: depth.saturating_mul(list.reach_each),
                is_words,
            }
        })
    }
}

pub fn lines(context: &Context<'_, Qmd>, rows: &[Row]) -> Outcome {
    let Some(facts) = Facts::of(context.set) else {
        return no_facts();
    };
    let params = context.params;
    if params.command == Command::Search {
        return Outcome::skipped("search asks no model");
    }
    if let Some((top, second)) = strong(facts, params) {
        return Outcome::skipped(format!(
            "the best match by words is strong ({top:.2}, {:.2} more than the next), so qmd asks no model",
            top - second
        ));
    }
    let is_typed = facts.is_typed && params.command == Command::Query;
    if !is_typed && !facts.is_expanded {
        return Outcome::skipped(
            "qmd asks its model here for more searches; without its answer the question counts alone",
        );
    }
    let more: Vec<(&SearchList, Vec<ListValue>)> = in_play(facts, params)
        .into_iter()
        .filter(|list| list.role != Role::Question)
        .map(|list| {
            (
                list,
                list.values(params.depth(), context.set.candidates.len()),
            )
        })
        .collect();
    if more.is_empty() {
        return Outcome::skipped("no further search found anything");
    }
    Outcome {
        note: Some(format!("{} lists", more.len())),
        ..each(context, rows, |row| {
            let places = more.iter().filter_map(|(list, values)| {
                let value = values[row.slot as usize];
                Some((list.name.clone(), value.rank?, value.score?))
            });
            Held {
                places: places.collect(),
            }
        })
    }
}

/// Orders the notes of all lists: `query` by their ranks, the other commands by the best score.
pub fn fusion(context: &Context<'_, Qmd>, rows: &[Row]) -> Outcome {
    let Some(facts) = Facts::of(context.set) else {
        return no_facts();
    };
    let lists = in_play(facts, context.params);
    let depth = context.params.depth();
    let n_slots = context.set.candidates.len();
    let values: Vec<Vec<ListValue>> = lists.iter().map(|it| it.values(depth, n_slots)).collect();
    // Equal scores keep the order in which the notes first occur.
    let mut first_seen = vec![usize::MAX; n_slots];
    for (at, hit) in lists.iter().flat_map(|it| it.first(depth)).enumerate() {
        let seen = &mut first_seen[hit.slot as usize];
        *seen = at.min(*seen);
    }
    let ranked = |slot: usize| -> Vec<Ranked> {
        (0..lists.len())
            .filter_map(|at| {
                let value = values[at][slot];
                Some(Ranked {
                    list: at as u32,
                    name: lists[at].name.clone(),
                    is_added: lists[at].role != Role::Question,
                    is_words: lists[at].kind == Kind::Lex,
                    weight: weight(lists[at], at == 0),
                    rank: value.rank?,
                    score: value.score?,
                })
            })
            .collect()
    };
    let of_each: Vec<Vec<Ranked>> = rows.iter().map(|row| ranked(row.slot as usize)).collect();
    let is_fused = context.params.command == Command::Query;
    let score = |places: &[Ranked]| {
        if is_fused {
            Fused::score_of(places)
        } else {
            places.iter().map(|it| it.score).fold(0.0, f64::max)
        }
    };
    let scores: Vec<f64> = of_each.iter().map(|it| score(it)).collect();
    let places = in_order(
        rows,
        |at| !of_each[at].is_empty(),
        |a, b| {
            let seen = |at: usize| first_seen[rows[at].slot as usize];
            scores[b]
                .total_cmp(&scores[a])
                .then_with(|| seen(a).cmp(&seen(b)))
        },
    );
    let placed = of_each.into_iter().zip(places);
    Outcome::applied(if is_fused {
        context.decided(placed.map(|(ranked, place)| Fused { ranked, place }))
    } else {
        context.decided(placed.map(|(ranked, place)| Alone { ranked, place }))
    })
}

pub fn candidates(context: &Context<'_, Qmd>, rows: &[Row]) -> Outcome {
    if context.params.command != Command::Query {
        return Outcome::skipped("only query reads and reranks notes");
    }
    counted(
        context,
        rows,
        context.params.candidate_limit,
        "candidates are read",
    )
}

/// Computes 1 / rank, blended with the reranker's score if there is one.
pub fn rerank(context: &Context<'_, Qmd>, rows: &[Row]) -> Outcome {
    if context.params.command != Command::Query {
        return Outcome::skipped("only query reranks");
    }
    let facts = Facts::of(context.set);
    let recorded = facts.and_then(|it| it.rerank.as_ref());
    let recorded = recorded.filter(|_| context.params.rerank);
    let filled = Filled::by(context.set, context.params.rerank_by);
    let filled = filled.filter(|_| context.params.rerank);
    let given = |at: usize| {
        let slot = rows[at].slot as usize;
        let own = recorded.and_then(|it| it.get(slot)).copied();
        own.or_else(|| filled?.share(context.set.candidates[slot].chunk))
    };
    let blend = |at: usize, place: Place| Blended {
        rank: at as u32 + 1,
        weight: given(at).map(|_| position_weight(at as u32 + 1)),
        rerank: given(at),
        chunk: facts.and_then(|it| Some(it.rows.get(rows[at].slot as usize)?.chunk)),
        place,
    };
    let scores: Vec<f64> = (0..rows.len()).map(|at| blend(at, None).score()).collect();
    // Ties of the blended score are ordered by the reranker's score, because qmd sorts by that first.
    let places = in_order(
        rows,
        |_| true,
        |a, b| {
            let by_rerank = || given(b).unwrap_or(0.0).total_cmp(&given(a).unwrap_or(0.0));
            scores[b].total_cmp(&scores[a]).then_with(by_rerank)
        },
    );
    let places = places.into_iter().enumerate();
    let outcome = Outcome::applied(context.decided(places.map(|(at, place)| blend(at, place))));
    let n_given = (0..rows.len()).filter(|at| given(*at).is_some()).count();
    let note = match filled {
        _ if !context.params.rerank || recorded.is_some() => None,
        None => Some(
            "qmd asks its model here how well each note answers; without its scores this is the order before".to_owned(),
        ),
        Some(filled) => Some(filled.sentence("qmd", n_given, rows.len())),
    };
    Outcome { note, ..outcome }
}

pub fn threshold(context: &Context<'_, Qmd>, rows: &[Row]) -> Outcome {
    let min_score = context.params.least();
    each(context, rows, |row| Cut {
        score: row.score.unwrap_or(0.0),
        min_score,
    })
}

pub fn limit(context: &Context<'_, Qmd>, rows: &[Row]) -> Outcome {
    counted(context, rows, context.params.limit, "notes are returned")
}

pub fn snippet(context: &Context<'_, Qmd>, rows: &[Row]) -> Outcome {
    let Some(facts) = Facts::of(context.set) else {
        return no_facts();
    };
    let is_query = context.params.command == Command::Query;
    each(context, rows, |row| {
        let fact = facts.rows.get(row.slot as usize);
        Printed {
            shown: fact.map(|it| if is_query { it.in_chunk } else { it.in_note }),
        }
    })
}
