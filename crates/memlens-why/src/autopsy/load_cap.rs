//! Does the agent load that line when a session begins, or can it only search for it?

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use memlens_agents::{
    AlwaysKind, AlwaysLoaded, Content, Extent, FileLoad, Home, LineLoads, LoadedIn, Lost,
    SessionPlace, in_folders,
};
use memlens_handover::agents::{loaded, switched_off};
use memlens_handover::always::{always_loaded, loaded_in_folder};
use memlens_handover::load_said::{removed_said, tightest};
use memlens_library::notes::note_names::agent_name;
use memlens_past::Places;
use memlens_wire::{AutopsyStep, LoadedFile, StepOutcome, StepProof};

use super::fact::{Fact, Found};
use super::line_load::{LineLoad, line_load, wanted};
use super::written::saved_ms;
use super::{Case, step as proof};
use crate::cause::Cause;

/// The step, and what follows from it.
pub(super) struct Loading {
    pub step: StepProof,
    /// Whether the agent loads this line at the start of every session.
    pub is_loaded: bool,
    /// Whether the agent may have loaded it: it loads the line in some sessions, and nothing says whether in this one.
    pub may_be_loaded: bool,
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
            may_be_loaded: false,
            cause: None,
        }
    }

    /// The step at the moment in question: in a note that was saved since, the line may have been before the cut then.
    pub fn at_the_time(self, case: &Case<'_>, found: &Found, places: &Places) -> Loading {
        let is_by_place = matches!(
            self.cause,
            Some(Cause::PastCap { .. } | Cause::Removed { .. } | Cause::Blocked { .. })
        );
        let Some(at_ms) = case.at_ms.filter(|_| is_by_place) else {
            return self;
        };
        let saved_ms = saved_ms(case, found, places);
        if saved_ms.is_some_and(|saved_ms| saved_ms <= at_ms) {
            return self;
        }
        let now = self.step.proof;
        let mut step = proof(
            AutopsyStep::LoadCap,
            StepOutcome::Unknown,
            now + " The note was saved after the moment in question, so whether this line was loaded then is not known.",
        );
        step.questions = self.step.questions;
        Loading {
            step,
            may_be_loaded: true,
            is_loaded: false,
            cause: None,
        }
    }

    /// Some sessions load it, and nothing says whether the one in question does.
    fn in_some(said: String) -> Loading {
        Loading {
            may_be_loaded: true,
            ..Loading::new(StepOutcome::Unknown, said)
        }
    }
}

/// The step about whether the line is loaded, beyond a limit, or in a note that is not loaded. `indexed` is whether a search of the
/// agent can find it.
pub(super) fn step(case: &Case<'_>, fact: &Fact, found: &Found, indexed: StepOutcome) -> Loading {
    let who = case.who();
    let Some(home) = case.library.home() else {
        return Loading::new(
            StepOutcome::Unknown,
            "What is loaded at the start of a session is not known: the system names no home folder."
                .to_owned(),
        );
    };
    let lists = case.library.lists();
    let view = loaded(home, &lists.snapshot.folders);
    let of_note: Vec<&LoadedFile> = view
        .files
        .iter()
        .filter(|file| is_note(case, found, file))
        .collect();
    if of_note.is_empty() {
        return not_loaded(case, fact, home, found, indexed);
    }
    if found.is_gone {
        return Loading::in_some(format!(
            "{who} loads this note at the start of a session, but the file no longer holds this line."
        ));
    }
    let scope = of_note
        .first()
        .map(|file| scope(case, home, &file.agent, Path::new(&file.path)));
    let row = tightest(of_note.iter().copied()).or(of_note.first().copied());
    let of_line = row.and_then(|row| {
        let load = text_of(home, row)?;
        let find = |line: &str| fact.ranges_in(line);
        let rows = of_note.iter().filter(|it| it.agent == row.agent);
        let rows: Vec<&LoadedFile> = rows.copied().collect();
        Some(line_load(&rows, &load, found.line, find))
    });
    let extent = of_line.unwrap_or(LineLoad::Loaded);
    match scope {
        None | Some(LoadedIn::This) => of_extent(extent, who),
        Some(LoadedIn::Others(whose)) => Loading::passed(only_in(&program(case), &whose)),
        Some(LoadedIn::Unknown(whose)) => {
            let perhaps = perhaps_in(&program(case), &whose);
            match extent {
                LineLoad::Loaded | LineLoad::InPart(_) => Loading::in_some(perhaps),
                // No session loads it, and whether this one loads the rest of the note does not matter.
                LineLoad::Cut(cut) | LineLoad::Blocked(cut) | LineLoad::Removed(cut) => {
                    Loading::new(StepOutcome::Unknown, format!("{cut} {perhaps}"))
                }
            }
        }
    }
}

/// Whether a loaded file is the note, and its agent the one in question.
fn is_note(case: &Case<'_>, found: &Found, file: &LoadedFile) -> bool {
    let is_note = match &file.folder {
        Some(folder) => {
            *folder == found.place.folder.0.to_string()
                && file.note.as_deref() == Some(&found.place.path)
        }
        None => found
            .file
            .as_ref()
            .is_some_and(|path| path.display().to_string() == file.path),
    };
    is_note && case.agent_id().is_none_or(|id| id == file.agent)
}

/// The step for a note that is not among the memory files that are loaded.
fn not_loaded(
    case: &Case<'_>,
    fact: &Fact,
    home: &Home,
    found: &Found,
    indexed: StepOutcome,
) -> Loading {
    let who = case.who();
    if let Some(loading) = instructions(case, fact, home, found) {
        return loading;
    }
    let file = found.file.as_deref();
    if let Some(said) = file.and_then(|file| switched_off(home, case.agent_id(), file)) {
        return switched_off_by(said, who);
    }
    let without = file.and_then(|file| missing(home, case.agent_id(), file));
    let without = without.map_or_else(String::new, |missing| {
        format!(" It loads nothing of its memory, as {missing} is missing.")
    });
    let Some(agent) = case.agent_id() else {
        return Loading::passed(
            "Nothing was cut by the rules that Memlens knows: no agent found on this machine loads this note at the start of a \
             session."
                .to_owned(),
        );
    };
    if is_unchecked(home, agent) {
        return Loading::new(
            StepOutcome::Unknown,
            format!(
                "What {who} loads at the start of a session was not checked, so whether it loads this note is not known."
            ),
        );
    }
    let by = match indexed {
        StepOutcome::Passed => "by search or by opening it",
        StepOutcome::Failed | StepOutcome::Unknown => "by opening it",
    };
    Loading::passed(format!(
        "Nothing was cut: {who} does not load this note at the start of a session, and reaches it {by}.{without}"
    ))
}

/// Whether an agent that is on this machine loads notes by rules that Memlens does not know.
fn is_unchecked(home: &Home, agent: &str) -> bool {
    let all = memlens_agents::look(home);
    let found = all.iter().find(|found| found.agent.id == agent);
    found.is_some_and(|found| found.loads.is_empty() && !found.agent.loads.starts_with("nothing"))
}

/// The step for a note that every session loads, by what is loaded of the line.
fn of_extent(extent: LineLoad, who: &str) -> Loading {
    match extent {
        LineLoad::Loaded => Loading {
            is_loaded: true,
            ..Loading::passed(format!("{who} loads this line at the start of a session."))
        },
        LineLoad::InPart(said) => Loading::in_some(said),
        LineLoad::Cut(cut) => Loading {
            cause: Some(Cause::PastCap { cut: cut.clone() }),
            ..Loading::new(StepOutcome::Failed, cut)
        },
        LineLoad::Blocked(said) => Loading {
            cause: Some(Cause::Blocked {
                said: said.clone(),
                name: who.to_owned(),
            }),
            ..Loading::new(StepOutcome::Failed, said)
        },
        LineLoad::Removed(said) => removed(said, who),
    }
}

/// The text of a file that an agent loads, with what is loaded of it.
fn text_of(home: &Home, row: &LoadedFile) -> Option<FileLoad> {
    let mut found = memlens_agents::look(home)
        .into_iter()
        .find(|found| found.agent.id == row.agent)?;
    if row.folder.is_some() {
        found.follow_projects(home);
    }
    let mut files = memlens_agents::loaded(&found).files.into_iter();
    files.find(|file| file.path == Path::new(&row.path))
}

fn removed(said: String, who: &str) -> Loading {
    Loading {
        cause: Some(Cause::Removed {
            said: said.clone(),
            name: who.to_owned(),
        }),
        ..Loading::new(StepOutcome::Failed, said)
    }
}

/// The name of the program, of which an agent may be one of several.
fn program(case: &Case<'_>) -> String {
    case.agent_id()
        .map_or_else(|| case.who().to_owned(), |id| agent_name(id).name)
}

fn only_in(who: &str, whose: &str) -> String {
    format!(
        "Nothing was cut: {who} loads this note only in sessions {whose}, and this session is not one of them."
    )
}

fn perhaps_in(who: &str, whose: &str) -> String {
    format!(
        "{who} loads this note at the start of sessions {whose}; whether the session in question is one of them is not known."
    )
}

/// Whether the session in question loads a memory file of an agent.
fn scope(case: &Case<'_>, home: &Home, agent: &str, path: &Path) -> LoadedIn {
    let found = memlens_agents::look(home);
    let found = found.iter().find(|found| found.agent.id == agent);
    let (Some(found), Some(folder)) = (found, path.parent()) else {
        return LoadedIn::This;
    };
    let loaded_in =
        |session: Option<&SessionPlace>| memlens_agents::loaded_in(home, found, folder, session);
    let mut all = case
        .sessions(home)
        .into_iter()
        .map(|session| loaded_in(Some(&session)));
    let Some(first) = all.next() else {
        return loaded_in(None);
    };
    match (first, all.collect::<Vec<_>>()) {
        (first, others) if others.iter().all(|other| *other == first) => first,
        // Logs of the same session that name several places.
        (LoadedIn::Others(whose) | LoadedIn::Unknown(whose), _) => LoadedIn::Unknown(whose),
        (LoadedIn::This, _) => loaded_in(None),
    }
}

/// The folder that the session in question began in; `None` if that is not known.
fn folder_of_session(sessions: Vec<SessionPlace>) -> Option<PathBuf> {
    let folders: BTreeSet<Option<PathBuf>> = sessions.into_iter().map(|it| it.cwd).collect();
    if folders.len() > 1 {
        return None;
    }
    folders.into_iter().next().flatten()
}

/// What is loaded of an instruction file in the session in question; an error is the step if that is not known, or nothing is.
fn instruction_file(
    case: &Case<'_>,
    home: &Home,
    agent: &str,
    path: &Path,
) -> Option<Result<AlwaysLoaded, Loading>> {
    let lists = case.library.lists();
    let watched = &lists.snapshot.folders;
    let cwd = folder_of_session(case.sessions(home));
    if let Some(cwd) = &cwd {
        let of_session = loaded_in_folder(home, watched, agent, cwd);
        let mut files = of_session.files.into_iter();
        if let Some(file) = files.find(|file| file.path == path) {
            return Some(Ok(file));
        }
    }
    let load = always_loaded(home, watched, agent);
    let mut of_file: Vec<AlwaysLoaded> = load
        .files
        .into_iter()
        .filter(|file| file.path == path)
        .collect();
    let is_loaded = |file: &&AlwaysLoaded| matches!(file.content, Content::Loaded { .. });
    let whose: BTreeSet<PathBuf> = of_file
        .iter()
        .filter(is_loaded)
        .filter_map(|file| file.project.clone())
        .collect();
    let is_everywhere = of_file.iter().any(|file| file.project.is_none());
    if of_file.is_empty() {
        return None;
    }
    let named = in_folders(home, &Vec::from_iter(whose.iter().cloned()));
    if cwd.is_some() && !is_everywhere && !whose.is_empty() {
        return Some(Err(Loading::passed(only_in(&program(case), &named))));
    }
    let in_all = || {
        let all = memlens_agents::projects(home, agent);
        all.iter().all(|project| whose.contains(project))
    };
    if !is_everywhere && !whose.is_empty() && !in_all() {
        return Some(Err(Loading::in_some(perhaps_in(&program(case), &named))));
    }
    let at = of_file.iter().position(|file| is_loaded(&file));
    Some(Ok(of_file.swap_remove(at.unwrap_or_default())))
}

/// The step for a line of an instruction file; `None` if the agent does not always load the file.
fn instructions(case: &Case<'_>, fact: &Fact, home: &Home, found: &Found) -> Option<Loading> {
    let path = found.file.as_ref()?;
    let who = case.who();
    let file = match instruction_file(case, home, case.agent_id()?, path)? {
        Ok(file) => file,
        Err(loading) => return Some(loading),
    };
    if let Content::NotLoaded(why) = &file.content {
        let name = home.shown(path);
        return Some(match file.kind {
            AlwaysKind::Rule => Loading::in_some(format!(
                "Whether {who} loaded {name} then is not known: {why}."
            )),
            AlwaysKind::Memory | AlwaysKind::Instructions | AlwaysKind::Import => {
                switched_off_by(format!("{who} does not load {name}: {why}."), who)
            }
        });
    }
    let Content::Loaded {
        text,
        measured,
        source,
    } = &file.content
    else {
        return None;
    };
    let loads = LineLoads::new(measured, text);
    let line = loads.line(u64::from(found.line))?;
    let extent = wanted(&line, |line| fact.ranges_in(line));
    let name = home.shown(path);
    Some(match extent {
        Extent::Whole => Loading {
            is_loaded: true,
            ..Loading::passed(format!(
                "{who} loads this line of {name} at the start of a session."
            ))
        },
        Extent::Part(_) => Loading::in_some(format!(
            "{who} loads only a part of this line of {name} at the start of a session."
        )),
        Extent::Nothing(Lost::Removed) => {
            removed(removed_said(who, &name, source.version, true), who)
        }
        Extent::Nothing(Lost::Cut | Lost::Blocked) => {
            let cut = format!("{who} loads {name} at the start of a session, but not this line.");
            Loading {
                cause: Some(Cause::PastCap { cut: cut.clone() }),
                ..Loading::new(StepOutcome::Failed, cut)
            }
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

/// The file without which an agent loads nothing of the memory that a note is in, if it is missing.
fn missing(home: &Home, agent: Option<&str>, note: &Path) -> Option<String> {
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
    let is_in_it = note.starts_with(folder)
        || memlens_files::canonical(folder).is_ok_and(|folder| note.starts_with(folder));
    (is_in_it && path.symlink_metadata().is_err()).then(|| home.shown(&path))
}
