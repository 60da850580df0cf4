//! Does the agent load that line when a session begins, or can it only search for it?

use memlens_agents::{AlwaysKind, Content, Home};
use memlens_handover::agents::{loaded, past_cap, switched_off, tightest};
use memlens_handover::always::always_loaded;
use memlens_wire::{AutopsyStep, LoadedFile, StepOutcome, StepProof};

use super::fact::Found;
use super::{Case, step as proof};
use crate::cause::Cause;

/// The step, and what follows from it.
pub(super) struct Loading {
    pub step: StepProof,
    /// Whether the agent loads this line at the start of every session.
    pub is_loaded: bool,
    pub cause: Option<Cause>,
}

impl Loading {
    fn passed(said: String) -> Loading {
        Loading::new(StepOutcome::Passed, said)
    }

    fn new(outcome: StepOutcome, said: String) -> Loading {
        Loading {
            step: proof(AutopsyStep::LoadCap, outcome, said),
            is_loaded: false,
            cause: None,
        }
    }
}

/// The step about whether the line is loaded, beyond a limit, or in a note that is not loaded.
pub(super) fn step(case: &Case<'_>, found: &Found) -> Loading {
    let who = case.who();
    let Some(home) = case.library.home() else {
        return Loading::new(
            StepOutcome::Unknown,
            "What is loaded at the start of a session is not known: the system names no home folder."
                .to_owned(),
        );
    };
    let lists = case.library.lists();
    let files = loaded(home, &lists.snapshot.folders).files;
    let is_it = |file: &&LoadedFile| {
        let is_note = match &file.folder {
            Some(folder) => {
                *folder == found.place.folder.0.to_string()
                    && file.note.as_deref() == Some(&found.place.path)
            }
            None => found
                .file
                .as_ref()
                .is_some_and(|it| it.display().to_string() == file.path),
        };
        is_note && case.agent_id().is_none_or(|id| id == file.agent)
    };
    let of_note: Vec<&LoadedFile> = files.iter().filter(is_it).collect();
    if of_note.is_empty() {
        if let Some(loading) = instructions(case, home, found) {
            return loading;
        }
        let file = found.file.as_deref();
        if let Some(said) = file.and_then(|file| switched_off(home, case.agent_id(), file)) {
            return switched_off_by(said, who);
        }
        if let Some(missing) = missing(home, case.agent_id()) {
            let said = format!(
                "{missing} is missing, so {who} loads nothing of its memory at the start of a session."
            );
            return Loading {
                cause: Some(Cause::NothingLoaded {
                    missing: said.clone(),
                    name: who.to_owned(),
                }),
                ..Loading::new(StepOutcome::Failed, said)
            };
        }
        return Loading::passed(format!(
            "Nothing was cut: {who} does not load this note at the start of a session, and reaches it by search or by opening it."
        ));
    }
    let cut = tightest(of_note.iter().copied());
    match cut.and_then(|file| past_cap(file, Some(found.line))) {
        None => Loading {
            is_loaded: true,
            ..Loading::passed(format!("{who} loads this line at the start of a session."))
        },
        Some(cut) => Loading {
            cause: Some(Cause::PastCap { cut: cut.clone() }),
            ..Loading::new(StepOutcome::Failed, cut)
        },
    }
}

/// The step for a line of an instruction file; `None` if the agent does not always load the file.
fn instructions(case: &Case<'_>, home: &Home, found: &Found) -> Option<Loading> {
    let path = found.file.as_ref()?;
    let who = case.who();
    let lists = case.library.lists();
    let load = always_loaded(home, &lists.snapshot.folders, case.agent_id()?);
    let file = load.files.iter().find(|file| file.path == *path)?;
    if let Content::NotLoaded(why) = &file.content {
        let name = home.shown(path);
        return Some(match file.kind {
            AlwaysKind::Rule => Loading::new(
                StepOutcome::Unknown,
                format!("Whether {who} loaded {name} then is not known: {why}."),
            ),
            AlwaysKind::Memory | AlwaysKind::Instructions | AlwaysKind::Import => {
                switched_off_by(format!("{who} does not load {name}: {why}."), who)
            }
        });
    }
    let text = file.text()?;
    let (at, line) = text
        .split_inclusive('\n')
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        })
        .nth((found.line as usize).checked_sub(1)?)?;
    let name = home.shown(path);
    let is_loaded = (at..at + line.trim_end().len()).any(|at| file.is_loaded(at));
    Some(if is_loaded {
        Loading {
            is_loaded: true,
            ..Loading::passed(format!(
                "{who} loads this line of {name} at the start of a session."
            ))
        }
    } else {
        let cut = format!("{who} loads {name} at the start of a session, but not this line.");
        Loading {
            cause: Some(Cause::PastCap { cut: cut.clone() }),
            ..Loading::new(StepOutcome::Failed, cut)
        }
    })
}

fn switched_off_by(said: String, who: &str) -> Loading {
    Loading {
        cause: Some(Cause::SwitchedOff {
            said: said.clone(),
            name: who.to_owned(),
        }),
        ..Loading::new(StepOutcome::Failed, said)
    }
}

/// The file without which an agent loads nothing of its memory, if it is missing.
fn missing(home: &Home, agent: Option<&str>) -> Option<String> {
    // Codex 0.169.0 loads its memory into a session only through this summary.
    let summary = match agent? {
        "codex" => "memory_summary.md",
        _ => return None,
    };
    let found = memlens_agents::look(home);
    let found = found.iter().find(|it| Some(it.agent.id) == agent)?;
    let mut loads = found.loads.iter();
    let folder = &loads
        .find(|it| it.files.iter().any(|file| file.name == summary))?
        .folder;
    let path = folder.join(summary);
    path.symlink_metadata().is_err().then(|| home.shown(&path))
}
