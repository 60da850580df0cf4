//! Does the agent load that line when a session begins, or can it only search for it?

use super::fact::Found;
use super::{Case, step as proof};
use crate::agents::{past_cap, tightest};
use crate::view::{AutopsyStep, LoadCut, LoadedFile, StepOutcome, StepProof};

/// Says whether the line is past a cap.
pub(super) fn step(case: &Case<'_>, found: &Found) -> StepProof {
    let who = case.who();
    let say = |outcome, said: String| proof(AutopsyStep::LoadCap, outcome, said);
    let Some(home) = &case.library.home else {
        let said = "What is loaded when a session begins cannot be known: the system names no home folder.";
        return say(StepOutcome::Unknown, said.to_owned());
    };
    let (files, _) = case.library.loaded(home);
    let folder = found.place.folder.0.to_string();
    let is_it = |file: &&LoadedFile| {
        file.folder.as_deref() == Some(&folder)
            && file.note.as_deref() == Some(&found.place.path)
            && case.agent_id().is_none_or(|id| id == file.agent)
    };
    let of_note: Vec<&LoadedFile> = files.iter().filter(is_it).collect();
    if of_note.is_empty() {
        return say(
            StepOutcome::Passed,
            format!(
                "Nothing was cut: {who} does not load this note when a session begins, and reaches it by search or by opening it."
            ),
        );
    }
    let cut = tightest(of_note.iter().copied());
    match cut.and_then(|file| Some((file, past_cap(file, Some(found.line))?))) {
        None => say(
            StepOutcome::Passed,
            format!("Nothing was cut: {who} loads this line when a session begins."),
        ),
        Some((file, said)) if file.cut == LoadCut::End => say(StepOutcome::Failed, said),
        Some((_, said)) => say(StepOutcome::Unknown, said),
    }
}
