//! The stages of Hindsight's fusion, each a pure function of the facts.

use std::borrow::Cow;

use memlens_rank::{Context, ListId, ListState, ListValue, Outcome, Row};

use super::facts::{Arm, ArmKind, Facts};
use super::params::{Boost, Hindsight, Reranking};
use super::reasons::{By, Cut, Fused, Listed, Ranked, Reranked, Scored, Trimmed};
use crate::staging::{counted, each, in_order};

/// The arms under some parameters.
struct Arms<'a> {
    facts: Cow<'a, Facts>,
    /// For each arm its boost, and the rank of each slot.
    ranks: Vec<(ArmKind, Boost, Vec<Option<u32>>)>,
}

impl<'a> Arms<'a> {
    fn of(context: &Context<'a, Hindsight>) -> Arms<'a> {
        let facts = Facts::of(context.set);
        let params = context.params;
        let cap = match params.max_candidates_per_source {
            0 => usize::MAX,
            cap => cap as usize,
        };
        let ranks = facts.arms.iter().map(|arm| {
            let mut ranks = vec![None; context.set.candidates.len()];
            for (rank, slot) in (1..).zip(arm.slots.iter().take(cap)) {
                ranks[*slot as usize] = Some(rank);
            }
            (arm.kind, boost(arm, params), ranks)
        });
        Arms {
            ranks: ranks.collect(),
            facts,
        }
    }

    /// Returns a memory's place in every arm that holds it.
    fn ranked(&self, row: &Row) -> Vec<Ranked> {
        let ranked = |(arm, boost, ranks): &(ArmKind, Boost, Vec<Option<u32>>)| {
            Some(Ranked {
                arm: *arm,
                boost: *boost,
                rank: ranks.get(row.slot as usize).copied().flatten()?,
            })
        };
        self.ranks.iter().filter_map(ranked).collect()
    }

    /// Returns the key that orders memories if the arms take turns, and below the order in which they first occur arm
    /// by arm.
    fn turn(&self, row: &Row) -> (u32, usize) {
        let arms = self.ranks.iter().enumerate();
        let turns = arms.filter_map(|(at, (_, _, ranks))| Some((ranks[row.slot as usize]?, at)));
        turns.min().unwrap_or((u32::MAX, 0))
    }
    fn seen(&self, row: &Row) -> (usize, u32) {
        let arms = self.ranks.iter().enumerate();
        let mut seen = arms.filter_map(|(at, (_, _, ranks))| Some((at, ranks[row.slot as usize]?)));
        seen.next().unwrap_or((usize::MAX, 0))
    }
}

/// Returns the boost of an arm: that of the parameter, or the requested one.
fn boost(arm: &Arm, params: &Hindsight) -> Boost {
    let configured = match arm.kind {
        ArmKind::Semantic => params.boost_semantic,
        ArmKind::Bm25 => params.boost_bm25,
        ArmKind::Graph | ArmKind::Temporal => Boost::None,
    };
    if configured == Boost::None {
        arm.boost.unwrap_or(Boost::None)
    } else {
        configured
    }
}

pub fn semantic(context: &Context<'_, Hindsight>, rows: &[Row]) -> Outcome {
    listed(context, rows, ArmKind::Semantic, ListId::VECTOR)
}

pub fn bm25(context: &Context<'_, Hindsight>, rows: &[Row]) -> Outcome {
    listed(context, rows, ArmKind::Bm25, ListId::BM25)
}

fn listed(context: &Context<'_, Hindsight>, rows: &[Row], arm: ArmKind, id: ListId) -> Outcome {
    let list = context.set.list(id);
    if let Some(ListState::Missing(why)) = list.map(|it| &it.state) {
        return Outcome::skipped(why.clone());
    }
    let arms = Arms::of(context);
    let Some((_, _, ranks)) = arms.ranks.iter().find(|(kind, _, _)| *kind == arm) else {
        return Outcome::skipped("this arm found nothing");
    };
    let n_hits = ranks.iter().flatten().count() as u32;
    Outcome {
        counts: Some((context.set.n_chunks, n_hits)),
        ..each(context, rows, |row| {
            let rank = ranks[row.slot as usize];
            let score = list.and_then(|it| it.value(row.slot).score);
            Listed {
                value: ListValue {
                    rank,
                    score: score.filter(|_| rank.is_some()),
                },
            }
        })
    }
}

pub fn fusion(context: &Context<'_, Hindsight>, rows: &[Row]) -> Outcome {
    let arms = Arms::of(context);
    let ranked: Vec<Vec<Ranked>> = rows.iter().map(|row| arms.ranked(row)).collect();
    let takes_turns = context.params.reranking == Reranking::Interleave;
    let places = in_order(
        rows,
        |at| !ranked[at].is_empty(),
        |a, b| {
            let (one, other) = (&rows[a], &rows[b]);
            if takes_turns {
                arms.turn(one).cmp(&arms.turn(other))
            } else {
                Fused::score_of(&ranked[b])
                    .total_cmp(&Fused::score_of(&ranked[a]))
                    .then_with(|| arms.seen(one).cmp(&arms.seen(other)))
            }
        },
    );
    let n = places.iter().flatten().count() as u32;
    let reasons = ranked.into_iter().zip(places).map(|(ranked, place)| Fused {
        ranked,
        turns: place.filter(|_| takes_turns).map(|place| n - place),
        place,
    });
    let note = "over Memlens's own two lists; the arms along links and near a time are missing";
    Outcome {
        note: arms.facts.is_of_memlens.then(|| note.to_owned()),
        ..Outcome::applied(context.decided(reasons))
    }
}

pub fn candidates(context: &Context<'_, Hindsight>, rows: &[Row]) -> Outcome {
    let limit = context.params.reranker_max_candidates;
    let arms = Arms::of(context);
    let is_boosted = arms.ranks.iter().any(|(_, boost, _)| *boost != Boost::None);
    if !is_boosted || context.params.reranking == Reranking::Interleave {
        return counted(context, rows, limit, "memories are reranked");
    }
    let worth: Vec<f64> = rows
        .iter()
        .map(|row| Trimmed::worth(&arms.ranked(row)))
        .collect();
    let places = in_order(rows, |_| true, |a, b| worth[b].total_cmp(&worth[a]));
    let reasons = places.into_iter().flatten().map(|place| Trimmed {
        rank: place + 1,
        limit,
    });
    Outcome::applied(context.decided(reasons))
}

/// Uses the scores of the cross-encoder if it is called and has any, otherwise those of the place.
pub fn rerank(context: &Context<'_, Hindsight>, rows: &[Row]) -> Outcome {
    let reranking = context.params.reranking;
    if reranking == Reranking::Interleave {
        return Outcome::skipped("where arms take turns, their order stays");
    }
    let facts = Facts::of(context.set);
    let is_asked = reranking == Reranking::CrossEncoder;
    let by: Vec<By> = match facts.scores.as_ref().filter(|_| is_asked) {
        Some(scores) => {
            let raw = |row: &Row| scores.get(row.slot as usize).copied().flatten();
            let is_within = |score: f64| (0.0..=1.0).contains(&score);
            let are_within = rows.iter().filter_map(raw).all(is_within);
            let by = |row: &Row| match raw(row) {
                None => By::NotScored,
                Some(score) if !score.is_finite() => By::NoNumber,
                Some(score) if are_within => By::Score(score),
                Some(score) => By::Squeezed(score),
            };
            rows.iter().map(by).collect()
        }
        None => {
            let n = rows.len() as u32;
            (0..n).map(|at| By::Place(at, n)).collect()
        }
    };
    // What was not scored goes after all others, even after those with the same score.
    let standing = |at: usize| match by[at] {
        By::NotScored => (2, 0.0),
        By::NoNumber => (1, 0.0),
        scored @ (By::Score(_) | By::Squeezed(_) | By::Place(..)) => (0, scored.score()),
    };
    let places = in_order(
        rows,
        |_| true,
        |a, b| {
            let (a, b) = (standing(a), standing(b));
            a.0.cmp(&b.0).then_with(|| b.1.total_cmp(&a.1))
        },
    );
    let reasons = by.iter().zip(places).map(|(by, place)| Reranked {
        by: *by,
        place: place.unwrap_or_default(),
    });
    let note = "Hindsight asks its cross-encoder here; without its scores the place counts, as where it has none";
    let is_unanswered = is_asked && facts.scores.is_none();
    Outcome {
        note: is_unanswered.then(|| note.to_owned()),
        ..Outcome::applied(context.decided(reasons))
    }
}

pub fn min_reranker(context: &Context<'_, Hindsight>, rows: &[Row]) -> Outcome {
    cut(context, rows, context.params.min_reranker, false)
}

pub fn min_final(context: &Context<'_, Hindsight>, rows: &[Row]) -> Outcome {
    cut(context, rows, context.params.min_final, true)
}

fn cut(
    context: &Context<'_, Hindsight>,
    rows: &[Row],
    least: Option<f64>,
    is_final: bool,
) -> Outcome {
    let Some(least) = least else {
        return Outcome::skipped("off");
    };
    if context.params.reranking == Reranking::Interleave {
        return Outcome::skipped("where arms take turns, no score is compared");
    }
    each(context, rows, |row| Cut {
        score: row.score.unwrap_or(0.0),
        least,
        is_final,
    })
}

pub fn score(context: &Context<'_, Hindsight>, rows: &[Row]) -> Outcome {
    let params = context.params;
    if params.reranking == Reranking::Interleave {
        return Outcome::skipped("where arms take turns, their order stays");
    }
    let arms = Arms::of(context);
    // Arms only raise what was reranked.
    let is_raised = params.reranking == Reranking::CrossEncoder;
    each(context, rows, |row| {
        let fact = arms.facts.rows.get(row.slot as usize);
        let fact = fact.copied().unwrap_or_default();
        let ranked = arms.ranked(row);
        // If another arm also found it, that arm's record is used, which has no such time.
        let is_temporal = ranked.iter().all(|it| it.arm == ArmKind::Temporal);
        Scored {
            base: row.score.unwrap_or(0.0),
            recency: Scored::recency(fact.dated, params.recency_decay_function),
            temporal: Scored::temporal(fact.proximity.filter(|_| is_temporal)),
            proof: Scored::proof(fact.n_proofs),
            ranked: if is_raised { ranked } else { Vec::new() },
        }
    })
}

pub fn limit(context: &Context<'_, Hindsight>, rows: &[Row]) -> Outcome {
    counted(context, rows, context.params.limit, "memories are shown")
}
