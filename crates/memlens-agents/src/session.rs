//! Which sessions of an agent load a file: Claude Code, Codex and Gemini CLI load by the folder of the session, OpenClaw by its agent.

use std::fs;
use std::path::{Path, PathBuf};

use crate::agents::{claude_code_root, gemini_cli_root, openclaw_member};
use crate::always::{cwd_of_log, projects};
use crate::codex_settings::CodexSettings;
use crate::home::Home;
use crate::looking::Found;
use crate::searched::Searched;

/// Where a session took place, as far as its log says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionPlace {
    /// The log, absolute.
    pub log: PathBuf,
    /// The folder that the session began in, if it still exists.
    pub cwd: Option<PathBuf>,
    /// The agent of OpenClaw that held it.
    pub member: Option<String>,
}

impl SessionPlace {
    /// The place of a session of an agent. Reads the beginning of the log, so it must only be called for a log that was read before.
    pub fn of(home: &Home, agent: &str, log: &Path, session: &str) -> SessionPlace {
        let cwd = match agent {
            "claude-code" | "codex" => cwd_of_log(log, session),
            "gemini-cli" => gemini_project(home, log).and_then(|it| gemini_root(&it)),
            _ => None,
        };
        SessionPlace {
            log: log.to_owned(),
            cwd: cwd.filter(|cwd| cwd.is_dir()),
            member: (agent == "openclaw")
                .then(|| openclaw_member(log))
                .flatten(),
        }
    }
}

/// Whether a session loads what its agent loads of a memory folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadedIn {
    /// It does.
    This,
    /// Only other sessions do. Which, for the user: `in ~/garden`, `of its agent work`.
    Others(String),
    /// Not known. Which sessions do, for the user.
    Unknown(String),
}

/// Whether a session loads the memory files in `folder`, which some session of the agent loads; `None` is a session of which nothing
/// is known. Reads the settings of projects, so it must only be called for an agent that the user watches.
pub fn loaded_in(
    home: &Home,
    found: &Found,
    folder: &Path,
    session: Option<&SessionPlace>,
) -> LoadedIn {
    match found.agent.id {
        "claude-code" => in_claude_code(home, found, folder, session),
        "codex" => in_codex(home, session),
        "gemini-cli" => in_gemini_cli(home, folder, session),
        "openclaw" => in_openclaw(home, folder, session),
        _ => LoadedIn::This,
    }
}

fn in_claude_code(
    home: &Home,
    found: &Found,
    folder: &Path,
    session: Option<&SessionPlace>,
) -> LoadedIn {
    let loads = |cwd: &Path| {
        let mut found = found.clone();
        found.follow_session(home, cwd);
        found.loads.iter().any(|loads| loads.folder == folder)
    };
    let root = claude_code_root(home).join("projects");
    let all = projects(home, "claude-code");
    let (these, others): (Vec<PathBuf>, Vec<PathBuf>) =
        all.into_iter().partition(|project| loads(project));
    let whose = if these.is_empty() {
        of_memory(home, folder)
    } else {
        in_folders(home, &these)
    };
    if let Some(session) = session {
        if let Some(cwd) = &session.cwd {
            return if loads(cwd) {
                LoadedIn::This
            } else {
                LoadedIn::Others(whose)
            };
        }
        // The folder of another log may be that of a sub-folder or a worktree of the same repository.
        let own = first_below(&session.log, &root).map(|own| own.join("memory"));
        if own.as_deref() == Some(folder) {
            return LoadedIn::This;
        }
    }
    let n_projects = folders(&root).len();
    let is_only = if folder.starts_with(&root) {
        n_projects <= 1 || these.len() >= n_projects
    } else {
        // A folder that the settings name.
        others.is_empty()
    };
    if is_only && others.is_empty() {
        LoadedIn::This
    } else {
        LoadedIn::Unknown(whose)
    }
}

fn in_codex(home: &Home, session: Option<&SessionPlace>) -> LoadedIn {
    let cwd = session.and_then(|session| session.cwd.as_deref());
    let settings = CodexSettings::read(home, cwd);
    if let Some(why) = settings.no_memories() {
        return LoadedIn::Others(format!("with other settings ({why})"));
    }
    if settings.has_memories() {
        return LoadedIn::This;
    }
    let shown = home.shown(&CodexSettings::file(home));
    LoadedIn::Unknown(format!(
        "that switch its memories on, as features.memories is not true in {shown}"
    ))
}

fn in_gemini_cli(home: &Home, folder: &Path, session: Option<&SessionPlace>) -> LoadedIn {
    let tmp = gemini_cli_root(home).join("tmp");
    let Some(project) = folder.parent() else {
        return LoadedIn::This;
    };
    let root = gemini_root(project);
    let whose = match &root {
        Some(root) => in_folders(home, std::slice::from_ref(root)),
        None => of_memory(home, folder),
    };
    let Some(own) = session.and_then(|it| gemini_project(home, &it.log)) else {
        let is_project = |path: &PathBuf| {
            ["memory", "chats", ".project_root"]
                .iter()
                .any(|name| path.join(name).exists())
        };
        let n_projects = folders(&tmp).iter().filter(|path| is_project(path)).count();
        return if n_projects <= 1 {
            LoadedIn::This
        } else {
            LoadedIn::Unknown(whose)
        };
    };
    if own == project {
        return LoadedIn::This;
    }
    match (gemini_root(&own), root) {
        (Some(own), Some(root)) if own == root => LoadedIn::This,
        (Some(_), Some(_)) => LoadedIn::Others(whose),
        // Folders of older versions are named by a hash.
        (None, _) | (_, None) => LoadedIn::Unknown(whose),
    }
}

fn in_openclaw(home: &Home, folder: &Path, session: Option<&SessionPlace>) -> LoadedIn {
    let Some(searched) = Searched::of(home, "openclaw") else {
        return LoadedIn::This;
    };
    let resolved = memlens_files::canonical(folder);
    let folder = resolved.as_deref().unwrap_or(folder);
    let has = |index: &crate::searched::Index| index.own_folders().any(|own| own == folder);
    let members = searched.indexes.iter().filter(|index| has(index));
    let members: Vec<&str> = members.map(|index| index.member.as_str()).collect();
    let whose = match members.as_slice() {
        [] => format!("in the workspace {}", home.shown(folder)),
        [one] => format!("of its agent {one}"),
        several => format!("of its agents {}", several.join(", ")),
    };
    if !members.is_empty() && members.len() == searched.indexes.len() {
        return LoadedIn::This;
    }
    match session.and_then(|session| session.member.as_deref()) {
        Some(member) if members.contains(&member) => LoadedIn::This,
        Some(member) if searched.indexes.iter().any(|it| it.member == member) => {
            LoadedIn::Others(whose)
        }
        Some(_) | None => LoadedIn::Unknown(whose),
    }
}

/// The folder of a project's logs and memory below `~/.gemini/tmp`.
fn gemini_project(home: &Home, log: &Path) -> Option<PathBuf> {
    first_below(log, &gemini_cli_root(home).join("tmp"))
}

/// The folder that the sessions of such a project begin in.
fn gemini_root(project: &Path) -> Option<PathBuf> {
    let root = fs::read_to_string(project.join(".project_root")).ok()?;
    Some(PathBuf::from(root.trim()))
}

/// The folder directly below `around` in which a path is.
fn first_below(path: &Path, around: &Path) -> Option<PathBuf> {
    let first = path.strip_prefix(around).ok()?.components().next()?;
    Some(around.join(first))
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

fn of_memory(home: &Home, folder: &Path) -> String {
    format!("of the project whose memory is {}", home.shown(folder))
}

/// `in ~/garden`, `in ~/garden and ~/pond`, `in ~/garden and 3 other folders`.
pub fn in_folders(home: &Home, folders: &[PathBuf]) -> String {
    match folders {
        [] => "in other folders".to_owned(),
        [one] => format!("in {}", home.shown(one)),
        [one, two] => format!("in {} and {}", home.shown(one), home.shown(two)),
        [one, others @ ..] => format!("in {} and {} other folders", home.shown(one), others.len()),
    }
}
