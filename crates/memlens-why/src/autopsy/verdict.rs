//! One verdict of all steps, in words, with what to do.

use memlens_rank::number;

use memlens_document::{Text, quoted_note};
use memlens_wire::{Autopsy, AutopsyStep, Fix, StepOutcome, StepProof, Verdict, WorkingQuestion};

use super::disk::gaps_said;
use super::fact::Fact;
use super::given::Given;
use super::ranked::{Best, lost};
use super::words::{content_words, times};
use super::{Case, Findings, to_fact_place};
use crate::cause::Cause;

/// The complete result of the autopsy.
pub(super) fn autopsy(
    case: &Case<'_>,
    fact: &Fact,
    steps: Vec<StepProof>,
    findings: Findings<'_>,
) -> Autopsy {
    let Findings {
        cause,
        ranked,
        works,
        given,
        n_about,
        may_be_loaded,
    } = findings;
    let given = given.filter(|given| given.is_given());
    let verdict = verdict(fact, &steps, n_about, may_be_loaded, given);
    let cause = cause.filter(|_| matches!(verdict, Verdict::PastLoadCap | Verdict::NotIndexed));
    let best = ranked.and_then(|it| it.best.as_ref());
    let ranking = best.map_or_else(|| case.ranking(), |best| best.ranking.clone());
    // A change of its ranking helps if its ranking lost it, and has values to change if that ranking is known.
    let is_to_be_set = verdict == Verdict::RankedOut && case.is_ranking_known();
    let fix = best
        .and_then(|best| best.fix.clone())
        .filter(|_| is_to_be_set);
    let is_to_be_asked = matches!(
        verdict,
        Verdict::NeverAsked | Verdict::AskedBadly | Verdict::RankedOut
    );
    let works = works.filter(|_| is_to_be_asked);
    Autopsy {
        fact: fact.typed.clone(),
        agent: case.agent_id().map(str::to_owned),
        label: case
            .pipelines
            .label(case.agent_id().unwrap_or_default(), &ranking),
        headline: headline(case, fact, verdict, given, cause.as_ref(), best),
        summary: summary(case, fact, &steps, verdict, best, n_about, given),
        place: fact.found.as_ref().map(to_fact_place),
        advice: advice(
            case,
            fact,
            verdict,
            given,
            cause.as_ref(),
            best.filter(|_| is_to_be_set),
            works.as_ref(),
        ),
        fix_rank: fix.as_ref().and_then(|(_, rank)| *rank),
        fix: fix.map(|(fix, _)| fix),
        works,
        search: best.map(|best| best.search.id),
        closest: best.map(|best| case.asked.questions[best.at].asked.question.clone()),
        ranking: ranking.to_view(),
        verdict,
        steps,
    }
}

/// The first step that lost it. A line that may have been loaded need not have been searched for.
fn verdict(
    fact: &Fact,
    steps: &[StepProof],
    n_about: usize,
    may_be_loaded: bool,
    given: Option<&Given<'_>>,
) -> Verdict {
    let Some(lost) = steps.iter().find(|it| it.outcome == StepOutcome::Failed) else {
        // No log shows that a line was not used, so no step after it was given is known to have lost it.
        return match given {
            Some(_) => Verdict::Given,
            None => Verdict::Unknown,
        };
    };
    match lost.step {
        AutopsyStep::Written if fact.found.is_none() => Verdict::NeverWritten,
        AutopsyStep::Written => Verdict::WrittenLater,
        AutopsyStep::LoadCap => Verdict::PastLoadCap,
        AutopsyStep::Indexed | AutopsyStep::Asked | AutopsyStep::Ranked if may_be_loaded => {
            Verdict::Unknown
        }
        AutopsyStep::Indexed => Verdict::NotIndexed,
        AutopsyStep::Asked if n_about == 0 => Verdict::NeverAsked,
        AutopsyStep::Asked => Verdict::AskedBadly,
        AutopsyStep::Ranked => Verdict::RankedOut,
        AutopsyStep::Given | AutopsyStep::Used => Verdict::Unknown,
    }
}

fn headline(
    case: &Case<'_>,
    fact: &Fact,
    verdict: Verdict,
    given: Option<&Given<'_>>,
    cause: Option<&Cause>,
    best: Option<&Best>,
) -> String {
    let who = match case.who() {
        "the agent" => "The agent",
        who => who,
    };
    match verdict {
        Verdict::NeverWritten => "It is not written in any note.".to_owned(),
        Verdict::WrittenLater => "It was written after it was needed.".to_owned(),
        Verdict::PastLoadCap => match cause {
            Some(Cause::Blocked { .. }) => format!("{who} blocks it when it loads the note."),
            Some(Cause::Removed { .. }) => {
                format!("{who} removes it when it loads the note.")
            }
            Some(Cause::SwitchedOff { .. }) => {
                format!("{who} does not load it because of a setting.")
            }
            _ => format!("It is past what {who} loads."),
        },
        Verdict::NotIndexed => match cause {
            Some(Cause::NotSearched { .. }) => {
                format!("It is written where {who} does not search.")
            }
            _ => "It is written, but not in the index.".to_owned(),
        },
        Verdict::NeverAsked if case.session.is_none() => {
            format!(
                "No log that was read shows that {} asked about it.",
                case.who()
            )
        }
        Verdict::NeverAsked if case.asked.questions.is_empty() => {
            format!("{who} never asked in this session.")
        }
        Verdict::NeverAsked => format!("{who} never asked about it in this session."),
        Verdict::AskedBadly => format!("{who} asked, but in words that cannot find it."),
        // What searches another index or with another model does not show what lost it.
        Verdict::RankedOut if best.is_some_and(|it| it.why.kept && it.inexact().is_some()) => {
            format!("{who} asked, and the note was not in the answer.")
        }
        Verdict::RankedOut => format!("{who} asked, but the note was ranked out."),
        Verdict::Given => match given.and_then(Given::used_how) {
            Some(how) => format!("{who} was given it, and {how} its note."),
            None if given.is_some_and(Given::is_logged) => {
                format!("{who} was given it; whether it used it is not known.")
            }
            None => {
                format!("{who} loads it when a session begins; whether it used it is not known.")
            }
        },
        Verdict::Unknown if fact.found.is_none() => {
            match (fact.near_miss(), gaps_said(case.library, &fact.gaps)) {
                (Some(near), None) => {
                    format!("Not found in these words; {} comes nearest.", near.at())
                }
                (_, gaps) => {
                    let gaps = gaps.unwrap_or_default();
                    format!("It was not found, but not everything was read: {gaps}.")
                }
            }
        }
        Verdict::Unknown => "Where it was lost is not known.".to_owned(),
    }
}

fn summary(
    case: &Case<'_>,
    fact: &Fact,
    steps: &[StepProof],
    verdict: Verdict,
    best: Option<&Best>,
    n_about: usize,
    given: Option<&Given<'_>>,
) -> Text {
    let who = case.who();
    let proof_of = |step: AutopsyStep| {
        let found = steps.iter().find(|it| it.step == step);
        found.map_or_else(Text::default, |it| it.proof.clone())
    };
    match verdict {
        Verdict::NeverWritten | Verdict::Unknown if fact.found.is_none() => match &fact.near {
            Some(near) => {
                Text::from(format!("{} comes nearest, without ", near.at()))
                    + quoted_note(near.missing.iter().map(String::as_str))
                    + "."
            }
            None => "No line holds any of its words.".into(),
        },
        Verdict::NeverWritten | Verdict::WrittenLater => proof_of(AutopsyStep::Written),
        Verdict::PastLoadCap => proof_of(AutopsyStep::LoadCap),
        Verdict::NotIndexed => proof_of(AutopsyStep::Indexed),
        Verdict::NeverAsked | Verdict::AskedBadly => proof_of(AutopsyStep::Asked),
        Verdict::RankedOut => {
            let n_times = times(n_about);
            // Another model or index gives other scores.
            let whose = match best.and_then(Best::inexact) {
                Some(_) => " in the emulation",
                None => "",
            };
            let short = best.and_then(|best| {
                let short = best.why.journey.short_by?;
                Some(format!(
                    "The best try missed the least score by {}{whose}.",
                    number(short, 3)
                ))
            });
            let lost = best
                .filter(|best| !best.why.kept)
                .map(|best| format!("{}{whose}.", lost(&best.why)));
            let end = short
                .or(lost)
                .map_or_else(|| proof_of(AutopsyStep::Ranked), Text::from);
            Text::from(format!(
                "It is in the notes, and {who} asked about it {n_times}. "
            )) + end
        }
        Verdict::Given if given.is_some_and(Given::is_logged) => {
            proof_of(AutopsyStep::Given) + " " + proof_of(AutopsyStep::Used)
        }
        Verdict::Given => proof_of(AutopsyStep::Used),
        Verdict::Unknown => {
            let unknown = steps.iter().find(|it| it.outcome == StepOutcome::Unknown);
            unknown.map_or_else(|| proof_of(AutopsyStep::Given), |it| it.proof.clone())
        }
    }
}

fn advice(
    case: &Case<'_>,
    fact: &Fact,
    verdict: Verdict,
    given: Option<&Given<'_>>,
    cause: Option<&Cause>,
    best: Option<&Best>,
    works: Option<&WorkingQuestion>,
) -> Vec<Text> {
    let who = case.who();
    let mut advice: Vec<Text> = cause.map(|it| it.advice().into()).into_iter().collect();
    match verdict {
        Verdict::NeverWritten => advice.push(
            "Write it down, in the words that you would ask for it. If a line says it otherwise, ask about that line, as in notes.md:12."
                .into(),
        ),
        Verdict::WrittenLater => advice.push(
            format!("Nothing was lost: {who} could not know it then. Ask again about now.").into(),
        ),
        Verdict::NeverAsked => {
            advice.push(format!("Have {who} search its memory before it answers.").into());
        }
        Verdict::AskedBadly => advice
            .push("Write the words into the note that are asked for, or ask in its words.".into()),
        Verdict::Given if case.asked.is_logged && given.and_then(Given::used_how).is_none() => advice.push(
            format!("Look at what {who} answered. If it did not use this, look at what it was instructed to do with what it finds.")
                .into(),
        ),
        Verdict::Unknown if fact.found.is_none() => {
            if !fact.gaps.is_empty() {
                let readable = "Make these places readable, or search again without cancelling.";
                advice.push(readable.into());
            }
            if let Some(near) = fact.near_miss() {
                advice.push(
                    format!(
                        "If that line says it, ask about the line: {}. If not, write it down, in the words that you would ask for it.",
                        near.at()
                    )
                    .into(),
                );
            }
        }
        Verdict::Given | Verdict::Unknown if !case.asked.is_logged => advice.push(
            "Read the agent's logs: the view Past questions, or `memlens recall import`.".into(),
        ),
        Verdict::PastLoadCap
        | Verdict::NotIndexed
        | Verdict::RankedOut
        | Verdict::Given
        | Verdict::Unknown => {}
    }
    if let Some(best) = best {
        let set = |fix: &Fix| format!("{} from {} to {}", fix.label, fix.from, fix.to);
        match (&best.fix, &best.why.pair) {
            (Some((fix, rank)), _) => {
                let comes = rank.map_or_else(String::new, |rank| match best.inexact() {
                    Some(_) => format!(": it comes in at rank {rank} in the emulation"),
                    None => format!(": it comes in at rank {rank}"),
                });
                advice.push(format!("Set {}{comes}.", set(fix)).into());
            }
            (None, Some((first, second))) => {
                let together = format!("{} and {}", set(first), set(second));
                advice.push(format!("Set {together}; neither does it alone.").into());
            }
            (None, None) => {}
        }
    }
    let is_to_be_asked = matches!(verdict, Verdict::NeverAsked | Verdict::AskedBadly);
    if let Some(word) = longest_word(fact).filter(|_| is_to_be_asked && case.searches_files()) {
        let end = format!(" finds it: {who} searches its files for exact text.");
        advice.push(Text::from("A search for ") + quoted_note([&*word]) + end);
    }
    if let Some(works) = works {
        let at = format!(": it finds it at rank {}.", works.rank);
        advice.push(Text::from("Ask ") + quoted_note([&*works.question]) + at);
    }
    advice
}

/// The longest distinctive word of the fact's line that is not a number.
fn longest_word(fact: &Fact) -> Option<String> {
    let line = content_words(&fact.found.as_ref()?.text).into_iter();
    let words = line.map(|(_, typed)| typed);
    let words = words.filter(|word| !word.chars().all(|sign| sign.is_ascii_digit()));
    words.reduce(|longest, word| {
        let is_longer = word.chars().count() > longest.chars().count();
        if is_longer { word } else { longest }
    })
}
