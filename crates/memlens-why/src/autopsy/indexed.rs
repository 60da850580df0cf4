//! Does the index contain the line as the note does: Memlens's own index, and the agent's own if it has one?

use memlens_emulate::Program;
use memlens_emulate::openclaw::{OwnChunk, OwnIndex};
use memlens_ingest::Reason;
use memlens_library::EngineError;
use memlens_library::emulation::own_index::date;
use memlens_library::notes::note_names::agent_name;
use memlens_store::NoText;
use memlens_wire::{AutopsyStep, StepOutcome, StepProof};

use super::fact::{Found, is_changed};
use super::{Case, owner, step as proof};
use crate::cause::Cause;
use crate::why::{not_indexed, problem};

/// What an agent's own index says about a line.
enum Own {
    /// It has none that can be read.
    None,
    /// It cannot be read: why.
    Unreadable(String),
    /// It holds the line, written then.
    Holds(Option<i64>),
    /// It holds the note as it was then, without the line.
    Older(Option<i64>),
    /// It does not hold the note.
    Lacks,
}

/// The step, and the cause if the line is not in the index.
pub(super) struct Indexed {
    pub step: StepProof,
    pub cause: Option<Cause>,
    /// Whether Memlens's own index holds the line, so that questions can be asked again.
    pub is_in_library: bool,
}

/// The step about whether the index contains the line.
///
/// # Errors
/// [`EngineError::Store`].
pub(super) fn step(case: &Case<'_>, found: &Found) -> Result<Indexed, EngineError> {
    let who = case.who();
    let lost = in_library(case, found)?;
    let is_in_library = lost.is_none();
    let other = owner::agent(case.library, found)
        .filter(|other| case.searches_files() && case.agent_id() != Some(other.as_str()))
        .map(|other| agent_name(&other).name);
    let (outcome, cause, said) = match (own(case, found), lost) {
        (Own::None, _) if other.is_some() => {
            let other = other.unwrap_or_default();
            let said = format!(
                "This note is in the memory of {other}. {who} has no index: it searches the folders that each call names, so whether it would search this one is not known."
            );
            (StepOutcome::Unknown, None, said)
        }
        // What Memlens lacks does not matter if the agent has it.
        (Own::Holds(written), lost) => {
            let but = lost.map_or_else(String::new, |cause| {
                format!(" {}", not_in_own(&cause, found))
            });
            let said = format!("It is in {who}'s own index{}.{but}", since(written));
            (StepOutcome::Passed, None, said)
        }
        (_, Some(cause)) if !found.is_watched() => (
            StepOutcome::Unknown,
            None,
            format!(
                "Memlens does not watch this file, so whether a search of {who} finds it is not known. {}",
                cause.advice()
            ),
        ),
        (Own::None | Own::Unreadable(_), Some(cause @ Cause::LeftOut { .. }))
            if case.agent_id().is_some_and(|agent| {
                let place = &found.place;
                case.library
                    .indexes(agent, case.member.as_deref(), place.folder, &place.path)
            }) =>
        {
            let emulation = match case.is_emulated() {
                true => format!(" The emulation of {who} reads it."),
                false => String::new(),
            };
            let said = format!(
                "{who} indexes it by its own rules.{emulation} {}",
                not_in_own(&cause, found)
            );
            (StepOutcome::Passed, None, said)
        }
        (_, Some(cause)) if case.searches_files() && !found.is_gone => {
            let (outcome, said) = of_searched_files(who, &cause, found);
            (outcome, None, said)
        }
        (_, Some(cause)) => {
            let said = if matches!(&cause, Cause::Waiting { is_paused: false }) {
                "It waits to be indexed: Memlens has not read it yet.".to_owned()
            } else {
                cause.sentence(&found.place)
            };
            (StepOutcome::Failed, Some(cause), said)
        }
        (own, None) => match not_searched(case, found)? {
            Some((cause, said)) => (StepOutcome::Failed, Some(cause), said),
            None if found.is_gone && matches!(own, Own::None) => {
                let (outcome, said) = of_gone(who, case.searches_files());
                (outcome, None, said)
            }
            None => of_own(who, case.searches_files(), own),
        },
    };
    Ok(Indexed {
        step: proof(AutopsyStep::Indexed, outcome, said),
        cause,
        is_in_library,
    })
}

fn not_in_own(cause: &Cause, found: &Found) -> String {
    let why = cause.sentence(&found.place);
    format!("Memlens's own index does not hold it. {why}")
}

/// Result for a line that Memlens's index contains and the file no longer holds.
fn of_gone(who: &str, is_without_index: bool) -> (StepOutcome, String) {
    let held = "Memlens's index still holds it as of the last indexing; the file no longer does.";
    if is_without_index {
        let said = format!("{who} has no index: it searches the files themselves. {held}");
        (StepOutcome::Unknown, said)
    } else {
        (StepOutcome::Passed, held.to_owned())
    }
}

/// Result for an agent that searches the files themselves, for a line that Memlens's index does not contain.
fn of_searched_files(who: &str, cause: &Cause, found: &Found) -> (StepOutcome, String) {
    let is_passed_over = matches!(
        cause,
        Cause::LeftOut {
            reason: Reason::Ignored { .. } | Reason::Hidden { .. },
            ..
        }
    );
    let (outcome, finds) = if is_passed_over {
        let finds = "searchers such as rg pass over ignored and hidden files";
        (StepOutcome::Unknown, finds)
    } else {
        (StepOutcome::Passed, "it searches the files themselves")
    };
    let said = format!("{who} has no index: {finds}. {}", not_in_own(cause, found));
    (outcome, said)
}

/// The cause and the sentence if the agent does not index the note by its own rules.
///
/// # Errors
/// [`EngineError::Store`].
fn not_searched(case: &Case<'_>, found: &Found) -> Result<Option<(Cause, String)>, EngineError> {
    let place = &found.place;
    let unsearched = case.agent_id().and_then(|agent| {
        case.library
            .not_searched(agent, case.member.as_deref(), place.folder, &place.path)
    });
    if unsearched.is_none() && !is_passed_over(case, found)? {
        return Ok(None);
    }
    let who = case.who();
    let why = unsearched.as_ref().map(|it| format!(" {}", it.reason));
    let said = format!("{who} does not index this note.{}", why.unwrap_or_default());
    let cause = Cause::NotSearched {
        agent: case.agent_id().map(str::to_owned),
        name: who.to_owned(),
        unsearched,
    };
    Ok(Some((cause, said)))
}

/// Result of the agent's own index for a line that Memlens's index contains.
fn of_own(who: &str, is_without_index: bool, own: Own) -> (StepOutcome, Option<Cause>, String) {
    let failed = |holds: String| {
        let cause = Cause::OwnIndex {
            name: who.to_owned(),
            holds: holds.clone(),
        };
        (StepOutcome::Failed, Some(cause), holds)
    };
    match own {
        Own::None if is_without_index => (
            StepOutcome::Passed,
            None,
            format!("{who} has no index: it searches the files themselves."),
        ),
        Own::None => (
            StepOutcome::Passed,
            None,
            "It is in Memlens's index as the note has it.".to_owned(),
        ),
        Own::Unreadable(why) => (
            StepOutcome::Unknown,
            None,
            format!("It is in Memlens's index. {who}'s own index cannot be read: {why}."),
        ),
        Own::Holds(written) => (
            StepOutcome::Passed,
            None,
            format!("It is in {who}'s own index{}.", since(written)),
        ),
        Own::Older(written) => failed(format!(
            "{who}'s own index is older than the note: it holds it{}, without this line.",
            since(written)
        )),
        Own::Lacks => failed(format!("{who}'s own index does not hold this note.")),
    }
}

/// Why Memlens's index does not contain the line; `None` if it does.
fn in_library(case: &Case<'_>, found: &Found) -> Result<Option<Cause>, EngineError> {
    let lists = case.library.lists();
    let place = &found.place;
    let Some(at) = lists.snapshot.find(place.folder, &place.path) else {
        return Ok(Some(not_indexed(case.library, place)?));
    };
    let document = &lists.snapshot.documents[at];
    let is_changed = is_changed(case.library, place);
    let chunks: Vec<_> = document
        .chunks
        .iter()
        .filter(|chunk| chunk.start_line <= chunk.end_line)
        .collect();
    let texts = case
        .library
        .store()
        .chunk_texts(chunks.iter().map(|it| it.id))?;
    let is_held = chunks.iter().zip(&texts).any(|(chunk, text)| {
        let is_there = (chunk.start_line..=chunk.end_line).contains(&found.line);
        // Lines of a changed note may have moved.
        text.as_ref().is_ok_and(|text| {
            (!is_changed && is_there) || (!found.text.is_empty() && holds(text, &found.text))
        })
    });
    if is_held {
        return Ok(None);
    }
    if texts.contains(&Err(NoText::Altered)) {
        return Ok(Some(Cause::Damaged));
    }
    if is_changed {
        return Ok(Some(Cause::Older {
            as_of: super::words::moment(document.modified_ms),
        }));
    }
    // The note is unchanged since it was indexed, so this line was skipped.
    let problem = problem(
        case.library,
        &memlens_library::Place {
            line: Some(found.line),
            ..place.clone()
        },
    )?;
    let reason = problem.unwrap_or_else(|| {
        format!(
            "line {} belongs to no chunk, as front matter does",
            found.line
        )
    });
    Ok(Some(Cause::Unreadable { reason }))
}

fn since(written_ms: Option<i64>) -> String {
    written_ms.map_or_else(String::new, |ms| format!(" as of {}", date(ms)))
}

/// Whether a text holds a line, whatever blanks are between its words.
fn holds(text: &str, line: &str) -> bool {
    use super::words::plain;
    plain(text).contains(&plain(line))
}

/// Whether the agent's program skips a note that the library contains.
fn is_passed_over(case: &Case<'_>, found: &Found) -> Result<bool, EngineError> {
    let ranking = case.ranking();
    // A note that changed since it was indexed is left out of every emulated memory, whatever program would index it.
    if Program::ranked_by(ranking.pipeline).is_none() || is_changed(case.library, &found.place) {
        return Ok(false);
    }
    let search = case.search(&found.text, &ranking)?;
    let chunks = search
        .retriever
        .chunks_of(found.place.folder, &found.place.path);
    Ok(chunks.is_none_or(|chunks| chunks.is_empty()))
}

/// What the agent's own index says of the line; of several the one of the agent that asked.
fn own(case: &Case<'_>, found: &Found) -> Own {
    let Some(program) = Program::ranked_by(case.ranking().pipeline) else {
        return Own::None;
    };
    let lists = case.library.lists();
    let files = case.library.own_files(program, &lists.snapshot.folders);
    let unread = case.library.why_unread(program, &lists.snapshot.folders);
    let none = || unread.clone().map_or(Own::None, Own::Unreadable);
    let mut members: Vec<Option<String>> = Vec::new();
    let mut answers = Vec::new();
    for (path, stamp) in &files {
        let member = memlens_agents::openclaw_member(path);
        if case.member.is_some() && member.is_some() && member != case.member {
            continue;
        }
        let at = match members.iter().position(|it| *it == member) {
            Some(at) => at,
            None => {
                members.push(member);
                answers.push(none());
                answers.len() - 1
            }
        };
        // The first database that holds the note.
        if matches!(answers[at], Own::Holds(_) | Own::Older(_)) {
            continue;
        }
        match case.library.read_own(path, stamp) {
            Err(why) => answers[at] = Own::Unreadable(why),
            Ok(index) => match of_note(&index, &found.place.path) {
                None if index.chunks.is_empty() => {}
                None => answers[at] = Own::Lacks,
                Some(chunks) => {
                    let written = chunks.iter().filter_map(|it| it.written_ms).max();
                    let is_held = !found.text.is_empty()
                        && chunks.iter().any(|it| holds(&it.text, &found.text));
                    answers[at] = if is_held {
                        Own::Holds(written)
                    } else {
                        Own::Older(written)
                    };
                }
            },
        }
    }
    let mut answers = answers.into_iter();
    let Some(first) = answers.next() else {
        return none();
    };
    let is_same = |it: Own| std::mem::discriminant(&it) == std::mem::discriminant(&first);
    if answers.all(is_same) {
        first
    } else {
        let why = "several of its agents have one, and which of them asked is not known";
        Own::Unreadable(why.to_owned())
    }
}

/// The chunks of a note, by its path in the workspace, which the watched folder may be or be in.
fn of_note<'a>(index: &'a OwnIndex, path: &str) -> Option<&'a Vec<OwnChunk>> {
    let ending = format!("/{path}");
    let mut notes = index.chunks.iter();
    index
        .chunks
        .get(path)
        .or_else(|| notes.find_map(|(own, chunks)| own.ends_with(&ending).then_some(chunks)))
}
