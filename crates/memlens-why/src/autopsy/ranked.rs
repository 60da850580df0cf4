//! Did the fact get through the ranking: each question asked again, with the agent's own pipeline as far as it is
//! known.

use std::cmp::Reverse;
use std::sync::Arc;

use memlens_library::notes::place::Place;
use memlens_library::search::Search;
use memlens_library::{EngineError, Ranking};
use memlens_params::{ParameterSet, StageId, Values};
use memlens_past::Past;
use memlens_rank::number;
use memlens_wire::{
    AskedThen, AutopsyStep, ChunkWhy, Fix, Journey, StepOutcome, StepProof, WhyNot,
};

use super::about::About;
use super::asked::closest_first;
use super::fact::{Found, is_changed};
use super::given::Given;
use super::grepped::{Grepped, Reach};
use super::words::moment;
use super::{Case, asked_then, step as proof};
use crate::why;

/// Number of questions that are asked again, those closest to the fact first.
const QUESTIONS_ASKED: usize = 40;
/// Maximum number of questions listed.
const N_QUESTIONS_SHOWN: usize = 20;

/// Results of the questions of a case now.
pub(super) struct Ranked {
    /// Questions that were tried, nearest first.
    tried: Vec<Tried>,
    /// Why the nearest question did not find it, with the smallest change; `None` if none was asked.
    pub best: Option<Best>,
}

/// One question, asked again for the fact.
struct Tried {
    /// Index of the question in the case.
    at: usize,
    /// Whether it shares a word with the fact.
    is_in_its_words: bool,
    /// How far a file searcher gets with it; `None` if the question asks a ranking.
    reach: Option<Reach>,
    /// The fact's row and its fate; `None` if the lists do not contain it.
    fate: Option<Fate>,
}

/// Result of the fact's row for one question.
struct Fate {
    rank: Option<u32>,
    score: Option<f64>,
    /// Number of stages that the row passed.
    n_stages: usize,
    /// Whether the vector list contains the row.
    is_near: bool,
}

/// The question that came closest.
pub(super) struct Best {
    /// Index of the question in the case.
    pub at: usize,
    pub ranking: Ranking,
    pub search: Arc<Search>,
    pub why: ChunkWhy,
    /// Smallest change that brings it back, and its rank with that change.
    pub fix: Option<(Fix, Option<u32>)>,
}

impl Best {
    /// Why the emulation's answer may differ from the agent's, in a clause; `None` if it searches the agent's own index.
    pub fn inexact(&self) -> Option<&str> {
        self.search.emulated.as_ref()?.why_inexact.as_deref()
    }
}

impl Ranked {
    /// Asks each question about the fact again, and tries each pattern on the note. `None` if the lists do not contain the line and no
    /// pattern was looked for.
    ///
    /// # Errors
    /// As [`Library::search_as`](memlens_library::Library::search_as).
    pub fn of(
        case: &Case<'_>,
        about: &[About],
        found: &Found,
        is_searched: bool,
    ) -> Result<Option<Ranked>, EngineError> {
        let questions = &case.asked.questions;
        let mut order = closest_first(about);
        order
            .retain(|at| about[*at].is_about() && !questions[*at].asked.question.trim().is_empty());
        let (mut patterns, mut order): (Vec<usize>, Vec<usize>) = order
            .into_iter()
            .partition(|at| questions[*at].asked.is_pattern);
        if !is_searched {
            if patterns.is_empty() {
                return Ok(None);
            }
            order.clear();
        }
        patterns.truncate(QUESTIONS_ASKED);
        order.truncate(QUESTIONS_ASKED);
        let mut tried = Vec::with_capacity(patterns.len() + order.len());
        let in_turn = case.library.in_turn(&order, |at| {
            case.pipelines.of_library(&questions[*at].asked)
        });
        for &at in in_turn {
            let asked = &questions[at].asked;
            let ranking = case.pipelines.ranking(asked);
            let search = case.search(&asked.question, &ranking)?;
            let journey = row(&search, &ranking.values, found)?;
            tried.push(Tried {
                at,
                is_in_its_words: !about[at].shared.is_empty(),
                reach: None,
                fate: journey.map(|journey| Fate {
                    // An agent with an unknown search is not assumed to search by meaning.
                    is_near: case.is_emulated() && is_near(&search, &journey),
                    ..Fate::of(&journey)
                }),
            });
        }
        tried.sort_by(|a, b| nearer(b, a).then(a.at.cmp(&b.at)));
        let best = match tried.first() {
            Some(nearest) => best(case, found, nearest.at)?,
            None => None,
        };
        if !patterns.is_empty() {
            let grepped = Grepped::of(case, found);
            tried.extend(patterns.into_iter().map(|at| Tried {
                at,
                is_in_its_words: !about[at].shared.is_empty(),
                reach: Some(grepped.reach(&questions[at].asked.question)),
                fate: None,
            }));
        }
        Ok(Some(Ranked { tried, best }))
    }

    /// Whether any question could find it, by a word or by meaning.
    pub fn is_reached(&self) -> bool {
        self.tried.iter().any(Tried::is_reached)
    }

    /// The places of the questions that could find it.
    pub fn reached(&self) -> impl Iterator<Item = usize> {
        let reached = self.tried.iter().filter(|it| it.is_reached());
        reached.map(|it| it.at)
    }

    /// Whether any question was tried.
    pub fn is_tried(&self) -> bool {
        !self.tried.is_empty()
    }

    /// The places of the patterns.
    pub fn patterns(&self) -> impl Iterator<Item = usize> {
        let patterns = self.tried.iter().filter(|it| it.reach.is_some());
        patterns.map(|it| it.at)
    }

    /// The pattern that gets farthest.
    fn farthest(&self) -> Option<(usize, Reach)> {
        let reaches = self.tried.iter().filter_map(|it| Some((it.at, it.reach?)));
        reaches.max_by_key(|(_, reach)| *reach)
    }

    /// The questions with how near each came, those closest to the fact first.
    pub fn to_view(&self, case: &Case<'_>, about: &[About]) -> Vec<AskedThen> {
        let mut closest_first: Vec<(usize, &Tried)> = self.tried.iter().enumerate().collect();
        closest_first.sort_by(|(_, a), (_, b)| {
            let (a, b) = (about[a.at].closeness(), about[b.at].closeness());
            b.0.total_cmp(&a.0).then(b.1.cmp(&a.1))
        });
        let is_inexact = |at: usize| case.gap_for(&case.asked.questions[at].asked).is_some();
        let listed = closest_first.into_iter().map(|(place, tried)| {
            let came = match tried.fate.as_ref().map(|fate| (fate.rank, fate.score)) {
                Some((Some(rank), _)) if is_inexact(tried.at) => {
                    format!("the emulation finds it at rank {rank}")
                }
                Some((Some(rank), _)) => format!("finds it now at rank {rank}"),
                Some((None, Some(score))) if place == 0 => {
                    format!("came closest, {}", number(score, 3))
                }
                Some((None, Some(score))) => number(score, 3),
                Some((None, None)) | None => match tried.reach {
                    Some(Reach::Line) => "this line holds it".to_owned(),
                    Some(Reach::Note) => "other lines of the note hold it".to_owned(),
                    Some(Reach::Nothing) => "no line of the note holds it".to_owned(),
                    None => "does not reach it".to_owned(),
                },
            };
            asked_then(
                &case.asked.questions[tried.at],
                came,
                about[tried.at].cosine,
            )
        });
        listed.take(N_QUESTIONS_SHOWN).collect()
    }
}

impl Tried {
    /// Whether it could find the line, by a word or by meaning, or the note by a pattern.
    fn is_reached(&self) -> bool {
        match self.reach {
            Some(reach) => reach != Reach::Nothing,
            None => self.is_in_its_words || self.fate.as_ref().is_some_and(|fate| fate.is_near),
        }
    }
}

impl Fate {
    fn of(journey: &Journey) -> Fate {
        Fate {
            rank: journey.rank,
            score: journey.score,
            n_stages: journey.steps.iter().filter(|it| !it.dropped).count(),
            is_near: false,
        }
    }
}

/// Whether the vector list contains a row for its meaning: a row that points away from the question is in it only
/// because of the list's length.
fn is_near(search: &Search, journey: &Journey) -> bool {
    // Pipelines use this name for the list, each with its own prefix.
    let lists = search.set().lists.iter();
    let mut by_meaning = lists.filter(|list| list.id.0.ends_with("vector"));
    let is_beyond_lists = journey.dropped_by == Some(StageId::FUSION);
    !is_beyond_lists
        && by_meaning.any(|list| {
            let value = list.value(journey.slot);
            value.rank.is_some() && value.score.is_some_and(|score| score > 0.0)
        })
}

/// Order by closeness: returned rows by rank, others by the stage they reached and by their score.
fn nearer(a: &Tried, b: &Tried) -> std::cmp::Ordering {
    let worth = |tried: &Tried| {
        tried.fate.as_ref().map(|fate| {
            let rank = fate.rank.map(Reverse);
            (rank.is_some(), rank, fate.n_stages)
        })
    };
    let score = |tried: &Tried| {
        let score = tried.fate.as_ref().and_then(|fate| fate.score);
        score.unwrap_or(f64::NEG_INFINITY)
    };
    worth(a).cmp(&worth(b)).then(score(a).total_cmp(&score(b)))
}

/// The best row of the fact's line; `None` if the lists do not contain it.
pub(super) fn row(
    search: &Search,
    values: &Values,
    found: &Found,
) -> Result<Option<Journey>, EngineError> {
    let mut best: Option<Journey> = None;
    for slot in 0..search.set().candidates.len() as u32 {
        let facts = search.row_facts(slot)?;
        let is_it = facts.note.folder == found.place.folder
            && facts.note.path == found.place.path
            && (facts.start_line..=facts.end_line).contains(&found.line);
        if !is_it {
            continue;
        }
        let journey = search.journey(values, slot)?;
        let worth = |it: &Journey| (it.rank.map(Reverse), it.score.unwrap_or(f64::NEG_INFINITY));
        let is_better = best.as_ref().is_none_or(|best| {
            let (a, b) = (worth(&journey), worth(best));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).is_gt()
        });
        if is_better {
            best = Some(journey);
        }
    }
    Ok(best)
}

/// Asks "why not?" of the question that came closest.
fn best(case: &Case<'_>, found: &Found, at: usize) -> Result<Option<Best>, EngineError> {
    let asked = &case.asked.questions[at].asked;
    let ranking = case.pipelines.ranking(asked);
    let search = case.search(&asked.question, &ranking)?;
    let place = Place {
        line: Some(found.line),
        ..found.place.clone()
    };
    let answer = why(case.library, &search, &ranking.values, &place, None)?;
    let WhyNot::Searched { mut chunks, .. } = answer.why else {
        return Ok(None);
    };
    if chunks.is_empty() {
        return Ok(None);
    }
    let why = chunks.swap_remove(0);
    let first = why.fixes.as_ref().and_then(|fixes| fixes.first());
    let fix = match first.filter(|_| !why.kept) {
        None => None,
        Some(fix) => Some((fix.clone(), rank_with(case, found, &search, &ranking, fix)?)),
    };
    Ok(Some(Best {
        at,
        ranking,
        search,
        why,
        fix,
    }))
}

/// Rank of the fact with a change.
fn rank_with(
    case: &Case<'_>,
    found: &Found,
    search: &Search,
    ranking: &Ranking,
    fix: &Fix,
) -> Result<Option<u32>, EngineError> {
    let values = ranking
        .values
        .clone()
        .with([(fix.parameter.as_str(), fix.to.clone())])?;
    let journey = if fix.queries_again {
        let changed = Ranking {
            values: values.clone(),
            ..ranking.clone()
        };
        let again = case.search(&search.query, &changed)?;
        row(&again, &values, found)?
    } else {
        row(search, &values, found)?
    };
    Ok(journey.and_then(|journey| journey.rank))
}

/// The step about where the fact was lost, and by how much. `is_left_out` is whether no search of the agent can find the line.
pub(super) fn step(
    case: &Case<'_>,
    found: &Found,
    ranked: Option<&Ranked>,
    given: &Given<'_>,
    is_left_out: bool,
) -> StepProof {
    let say = |outcome, said: String| proof(AutopsyStep::Ranked, outcome, said);
    if let Some((outcome, said)) = of_answers(given) {
        return say(outcome, said);
    }
    let Some(ranked) = ranked else {
        let said = if given.is_loaded() {
            "It is loaded when a session begins, so no search has to find it."
        } else if is_left_out {
            "What is not in the index is not ranked."
        } else {
            "Not known: Memlens's own index does not hold it, so no question was asked again."
        };
        return say(StepOutcome::Unknown, said.to_owned());
    };
    let is_ranked = ranked.best.is_some();
    if is_ranked && is_changed(case.library, &found.place) {
        return say(
            StepOutcome::Unknown,
            "The note changed since it was indexed, so its ranking is not known; index it again."
                .to_owned(),
        );
    }
    let Some(best) = ranked.best.as_ref().filter(|_| ranked.is_reached()) else {
        if let Some((at, reach)) = ranked.farthest() {
            return say(StepOutcome::Unknown, of_pattern(case, at, reach));
        }
        return say(
            StepOutcome::Unknown,
            "No question is known that could find it, so no ranking is known to have lost it."
                .to_owned(),
        );
    };
    let past = &case.asked.questions[best.at];
    if let Some(said) = of_other_ranking(case, past, best) {
        return say(StepOutcome::Unknown, said);
    }
    let (outcome, said) = by_ranking(past, best, &by_whom(case, best));
    say(outcome, said)
}

/// What the answers of then decide; `None` if the note was in none.
fn of_answers(given: &Given<'_>) -> Option<(StepOutcome, String)> {
    if let Some((past, rank)) = given.best() {
        let question = &past.asked.question;
        let said = format!("It came through: rank {rank} of the answer to “{question}”.");
        return Some((StepOutcome::Passed, said));
    }
    let (past, rank) = given.in_doubt()?;
    let question = &past.asked.question;
    let said = format!(
        "The note came through, at rank {rank} of the answer to “{question}”; whether this line did is not known."
    );
    Some((StepOutcome::Unknown, said))
}

/// Why nothing is known of the agent's ranking, if the question was asked again by a ranking that is not the agent's, or
/// differs from it; `None` if it is the agent's.
fn of_other_ranking(case: &Case<'_>, past: &Past, best: &Best) -> Option<String> {
    let gap = case.gap_for(&past.asked);
    if gap.is_none() && case.is_emulated() {
        return None;
    }
    let question = &past.asked.question;
    let fares = match best.why.journey.rank.filter(|_| best.why.kept) {
        Some(rank) => format!("finds it at rank {rank}"),
        None => "does not find it".to_owned(),
    };
    Some(match gap {
        Some(gap) => format!(
            "Whether its ranking lost it is not known: {gap}. “{question}” {fares} without that difference{}.",
            by_whom(case, best)
        ),
        None => format!(
            "Whether its ranking lost it is not known, since the ranking of {} is not. “{question}” {fares} by Memlens's own.",
            case.who()
        ),
    })
}

/// What the agent's ranking decides about a question; `by` says by which ranking it was asked again.
fn by_ranking(past: &Past, best: &Best, by: &str) -> (StepOutcome, String) {
    let question = &past.asked.question;
    let inexact = best
        .inexact()
        .map_or_else(String::new, |why| format!(", but {why}"));
    if best.why.kept {
        let rank = best.why.journey.rank.unwrap_or_default();
        let now = format!("“{question}” finds it now at rank {rank}{by}{inexact}");
        return match &past.asked.returned {
            Some(returned) => {
                let cause = if best.inexact().is_some() {
                    "That, or notes and settings that changed since, is the difference"
                } else {
                    "Notes, settings or vectors changed since"
                };
                let said = format!(
                    "It was not among the {}{}; {now}. {cause}.",
                    results(returned.len()),
                    when(past)
                );
                (StepOutcome::Failed, said)
            }
            None if past.asked.has_failed => (
                StepOutcome::Unknown,
                format!("{now}; the search of then failed."),
            ),
            None => (
                StepOutcome::Unknown,
                format!("{now}; what was returned then is not logged."),
            ),
        };
    }
    if let (Some(why), None) = (best.inexact(), &past.asked.returned) {
        let then = if past.asked.has_failed {
            "the search failed"
        } else {
            "what was returned is not logged"
        };
        let said = format!(
            "Whether its ranking lost it is not known: {then}{}, and {why}. The emulation does not find it{by}: “{question}”.",
            when(past)
        );
        return (StepOutcome::Unknown, said);
    }
    (
        StepOutcome::Failed,
        format!("{}{by}: “{question}”.", lost(&best.why)),
    )
}

fn results(n: usize) -> String {
    match n {
        0 => "results, as there were none".to_owned(),
        1 => "1 result".to_owned(),
        n => format!("{n} results"),
    }
}

/// What a search for a pattern shows of the note.
fn of_pattern(case: &Case<'_>, at: usize, reach: Reach) -> String {
    let asked = &case.asked.questions[at].asked;
    let question = &asked.question;
    let finds = match reach {
        Reach::Nothing => {
            return "No ranking lost it: this was a search through files, which ranks nothing."
                .to_owned();
        }
        Reach::Note => {
            format!("A search for “{question}” shows other lines of this note, and not this one")
        }
        Reach::Line => format!("A search for “{question}” finds this line"),
    };
    let why = match (&asked.returned, asked.has_failed) {
        (_, true) => "the search failed",
        (None, false) => "what it showed is not logged",
        (Some(_), false) => {
            "the answer lacks it, as if it searched another folder, or the note was another then"
        }
    };
    format!("{finds}; {why}. No ranking lost it: a search through files ranks nothing.")
}

fn when(past: &Past) -> String {
    let at = past.asked.at_ms;
    at.map_or_else(String::new, |at| format!(" on {}", moment(at)))
}

/// Stage and number that lost it, with the missing amount if a minimum score applied.
pub(super) fn lost(why: &ChunkWhy) -> String {
    let mut said = why.sentence.clone();
    if let Some(first) = said.get(..1) {
        let first = first.to_uppercase();
        said.replace_range(..1, &first);
    }
    match why.journey.short_by {
        Some(short) => format!("{said}, short by {}", number(short, 3)),
        None => said,
    }
}

/// Whose ranking it is, if that is not the agent's very own.
fn by_whom(case: &Case<'_>, best: &Best) -> String {
    let agent = case.agent_id().unwrap_or_default();
    let label = case.pipelines.label(agent, &best.ranking);
    match &best.search.emulated {
        Some(emulated) => format!(", by {label} ({})", emulated.label),
        None => String::new(),
    }
}
