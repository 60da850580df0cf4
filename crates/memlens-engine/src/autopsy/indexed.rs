//! Is the line in the index as it stands in the note: in Memlens's, and in the agent's own where it has one?

use memlens_emulate::Program;
use memlens_emulate::openclaw::{OwnChunk, OwnIndex};
use memlens_store::NoText;

use super::fact::Found;
use super::{Case, step as proof, written};
use crate::own_index::date;
use crate::view::{AutopsyStep, StepOutcome, StepProof, WhyNot};
use crate::{EngineError, why};

/// What an agent's own index says of a line.
enum Own {
    /// It has none that can be looked into.
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

/// Says whether the line is in the index.
///
/// # Errors
/// [`EngineError::Store`].
pub(super) fn step(case: &Case<'_>, found: &Found) -> Result<StepProof, EngineError> {
    let say = |outcome, said: String| Ok(proof(AutopsyStep::Indexed, outcome, said));
    let failed = |said: String| say(StepOutcome::Failed, said);
    let lists = case.library.lists();
    let place = &found.place;
    let Some(at) = lists.snapshot.find(place.folder, &place.path) else {
        let why = case.library.not_indexed(place)?;
        let reason = if why == (WhyNot::Pending { is_paused: false }) {
            "It waits to be indexed: Memlens has not read it yet.".to_owned()
        } else {
            why::sentence(&why, place)
        };
        return failed(reason);
    };
    let document = &lists.snapshot.documents[at];
    let chunks = document
        .chunks
        .iter()
        .filter(|chunk| !found.text.is_empty() && chunk.start_line <= chunk.end_line);
    let texts = case.library.store().chunk_texts(chunks.map(|it| it.id))?;
    let is_held =
        |text: &Result<String, NoText>| text.as_ref().is_ok_and(|text| holds(text, &found.text));
    if !texts.iter().any(is_held) {
        if texts.contains(&Err(NoText::Altered)) {
            return failed(
                "Its copy in the library is damaged; it is indexed again at the next start."
                    .to_owned(),
            );
        }
        return failed(format!(
            "The index is older than the note: it holds it as of {}, without this line.",
            super::words::moment(document.modified_ms)
        ));
    }
    let who = case.who();
    if is_passed_over(case, found)? {
        return failed(format!("{who} does not index this note."));
    }
    match own(case, found) {
        Own::None => say(
            StepOutcome::Passed,
            "It is in Memlens's index as it stands in the note.".to_owned(),
        ),
        Own::Unreadable(why) => say(
            StepOutcome::Unknown,
            format!("It is in Memlens's index. {who}'s own index cannot be looked into: {why}."),
        ),
        Own::Holds(written) => say(
            StepOutcome::Passed,
            format!("It is in {who}'s own index{}.", since(written)),
        ),
        Own::Older(written) => failed(format!(
            "{who}'s own index is older than the note: it holds it{}, without this line.",
            since(written)
        )),
        Own::Lacks => failed(format!("{who}'s own index does not hold this note.")),
    }
}

fn since(written_ms: Option<i64>) -> String {
    written_ms.map_or_else(String::new, |ms| format!(" as of {}", date(ms)))
}

/// Whether a text holds a line, whatever blanks stand between its words.
fn holds(text: &str, line: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    plain(text).contains(&plain(line))
}

/// Whether the agent's program passes over a note that the library holds.
fn is_passed_over(case: &Case<'_>, found: &Found) -> Result<bool, EngineError> {
    let ranking = case.ranking();
    // A note that changed since it was indexed is left out of every emulated memory, whoever would index it.
    if Program::ranked_by(ranking.pipeline).is_none() || written::is_changed(case, found) {
        return Ok(false);
    }
    let search = case.library.search_as(&found.text, &ranking, case.part())?;
    let chunks = search
        .retriever
        .chunks_of(found.place.folder, &found.place.path);
    Ok(chunks.is_none_or(|chunks| chunks.is_empty()))
}

/// What the agent's own index says of the line; the one of several that holds the note.
fn own(case: &Case<'_>, found: &Found) -> Own {
    let Some(program) = Program::ranked_by(case.ranking().pipeline) else {
        return Own::None;
    };
    let lists = case.library.lists();
    let files = case.library.own_files(program, &lists.snapshot.folders);
    let mut own = Own::None;
    for (path, stamp) in &files {
        match case.library.read_own(path, stamp) {
            Err(why) => own = Own::Unreadable(why),
            Ok(index) => match of_note(&index, &found.place.path) {
                None if index.chunks.is_empty() => {}
                None => own = Own::Lacks,
                Some(chunks) => {
                    let written = chunks.iter().filter_map(|it| it.written_ms).max();
                    let is_held = chunks.iter().any(|it| holds(&it.text, &found.text));
                    return if is_held {
                        Own::Holds(written)
                    } else {
                        Own::Older(written)
                    };
                }
            },
        }
    }
    own
}

/// The chunks of a note, by its path in the workspace, which the watched folder may be or lie in.
fn of_note<'a>(index: &'a OwnIndex, path: &str) -> Option<&'a Vec<OwnChunk>> {
    let ending = format!("/{path}");
    let mut notes = index.chunks.iter();
    index
        .chunks
        .get(path)
        .or_else(|| notes.find_map(|(own, chunks)| own.ends_with(&ending).then_some(chunks)))
}
