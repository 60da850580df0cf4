//! What OpenClaw indexes: one workspace per agent, and the folders that its config adds.
//!
//! Source: runs of the published packages 2026.7.35 and 2026.9.6, and the code of 2026.2.12. MEMORY.md, since 2026.8 USER.md,
//! before 2026.3 memory.md, every `.md` file below `memory/` and below each of `extraPaths`: whatever ignore files say, hidden ones
//! too, no links.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::pattern::Pattern;
use super::{Index, Root, RootKind, Searched, Skips};
use crate::agents::{self, openclaw_config, openclaw_state};
use crate::config;
use crate::home::Home;
use crate::openclaw_search::{
    AgentEntry, ExtraPath, MemorySearch, Schema, agent_entries, extra_paths_key, is_since,
    memory_search_of,
};

/// The id of the only agent of a config that names none.
const MAIN: &str = "main";

/// The name of the root's own file, and what is never read at the top.
const NEVER: &str = "memory.md";

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub id: String,
    /// Whether questions of no known agent are its.
    pub is_default: bool,
    /// Its workspace, whether or not it is there.
    pub workspace: PathBuf,
    /// What its search reads beside the workspace.
    pub extra: Vec<ExtraPlace>,
    /// The key that switches its memory search off, with its value.
    pub switched_off: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExtraPlace {
    /// Absolute, without `.` and `..`.
    pub path: PathBuf,
    pub pattern: Option<String>,
    /// The config's key that names it: `memory.search.extraPaths`.
    pub key: String,
}

/// What a version indexes at the top of a workspace, what it never reads there, and which folders it passes over; without a
/// version the newest.
fn rules(version: Option<&str>) -> (Vec<&'static str>, Vec<&'static str>, Skips) {
    if is_since(version, (2026, 8)) {
        (vec!["MEMORY.md", "USER.md"], vec![NEVER], Skips::Repair)
    } else if is_since(version, (2026, 3)) {
        (vec!["MEMORY.md"], vec![NEVER], Skips::Repair)
    } else {
        (vec!["MEMORY.md", NEVER], Vec::new(), Skips::Nothing)
    }
}

/// Has a root follow the rules of another version.
pub(super) fn as_of(kind: &mut RootKind, version: &str) {
    let (top, not_at_top, passed_over) = rules(Some(version));
    match kind {
        RootKind::Workspace {
            files,
            never,
            skips,
        } => (*files, *never, *skips) = (top, not_at_top, passed_over),
        RootKind::Folder { skips, .. } if *skips != Skips::Qmd => *skips = passed_over,
        RootKind::Folder { .. } | RootKind::File { .. } => {}
    }
}

pub(super) fn searched(home: &Home) -> Option<Searched> {
    let state = openclaw_state(home);
    let path = openclaw_config(home);
    // What is wrong with the config is reported where the agent is found.
    let config = config::read_as_far_as_possible(&path, home.folder())
        .ok()
        .flatten()
        .map_or(Value::Null, |(config, _)| config);
    if config.is_null() && !state.is_dir() {
        return None;
    }
    let version = config["meta"]["lastTouchedVersion"].as_str();
    let key = extra_paths_key(&config, Schema::of(&config));
    let extra_key = format!("{key} in {}", home.shown(&path));
    let members = members(home, &config);
    let config = home.shown(&path);
    let index = |member: Member| index(member, version, &extra_key, &config);
    Some(Searched {
        agent: agents::openclaw_agent(),
        indexes: members.into_iter().map(index).collect(),
    })
}

fn index(member: Member, version: Option<&str>, extra_key: &str, config: &str) -> Index {
    let (files, never, skips) = rules(version);
    let workspace = resolved(&member.workspace);
    let mut roots = vec![Root {
        folder: workspace.clone(),
        kind: RootKind::Workspace {
            files,
            never,
            skips,
        },
    }];
    for extra in member.extra {
        let Ok(found) = extra.path.symlink_metadata() else {
            continue;
        };
        let pattern = extra.pattern.as_deref().map(Pattern::new);
        if found.is_dir() {
            let folder = resolved(&extra.path);
            let below = relative(&workspace, &folder);
            roots.push(Root {
                kind: RootKind::Folder {
                    prefix: if below.is_empty() { below } else { below + "/" },
                    pattern,
                    skips,
                },
                folder,
            });
        } else if let (true, Some(around), Some(name)) = (
            found.is_file(),
            extra.path.parent(),
            extra.path.file_name().and_then(|it| it.to_str()),
        ) && name.ends_with(".md")
        {
            let folder = resolved(around);
            let below = relative(&workspace, &folder);
            roots.push(Root {
                kind: RootKind::File {
                    name: name.to_owned(),
                    prefix: if below.is_empty() { below } else { below + "/" },
                },
                folder,
            });
        }
    }
    Index {
        program: agents::openclaw_agent().name,
        member: member.id,
        is_default: member.is_default,
        switched_off: member.switched_off,
        config: config.to_owned(),
        extra_key: Some(extra_key.to_owned()),
        roots,
    }
}

fn resolved(path: &Path) -> PathBuf {
    memlens_files::canonical(path).unwrap_or_else(|_| path.to_owned())
}

/// A path as seen from a folder, separated by `/`: `../../vault`.
fn relative(from: &Path, to: &Path) -> String {
    let shared = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to
        .components()
        .skip(shared)
        .map(|it| it.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// A path without `.` and `..`, by its text alone.
fn settled(path: &Path) -> PathBuf {
    let mut settled = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                settled.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => settled.push(part),
        }
    }
    settled
}

/// The agents that a config names, by id since 2026.8, before as a list; at least one.
pub(crate) fn members(home: &Home, config: &Value) -> Vec<Member> {
    let version = config["meta"]["lastTouchedVersion"].as_str();
    let state = openclaw_state(home);
    let expanded = |value: &Value| {
        let named = value.as_str().map(str::trim).filter(|it| !it.is_empty())?;
        home.expanded(named)
    };
    let shared = expanded(&config["agents"]["defaults"]["workspace"]);
    let variable = home
        .variable("OPENCLAW_WORKSPACE_DIR")
        .and_then(|named| home.expanded(&named.to_string_lossy()));
    let usual = variable
        .or_else(|| shared.clone())
        .unwrap_or_else(|| state.join("workspace"));
    let roster = roster(config);
    let default = default_of(&roster, version);
    let is_roster = roster.len() > 1;
    // Of 2026.9.6: then no agent of several keeps the one workspace of before.
    let is_explicit = config["agents"]["ownership"] == "explicit";
    let member = |id: &str, is_default, workspace: PathBuf, entry: Option<&AgentEntry<'_>>| {
        let search = memory_search_of(config, entry);
        Member {
            id: id.to_owned(),
            is_default,
            extra: extra(&search, home, &workspace),
            switched_off: search.switched_off.map(|off| off.to_string()),
            workspace,
        }
    };
    let mut members = Vec::new();
    for (id, entry) in &roster {
        let is_default = Some(id.as_str()) == default.as_deref();
        let own = match &shared {
            Some(shared) => shared.join(id),
            None => state.join(format!("workspace-{id}")),
        };
        let workspace = expanded(&entry.value["workspace"]).unwrap_or_else(|| {
            // Before agents were named there was one workspace, which its agent keeps.
            let is_first = is_default || (id == MAIN && !own.is_dir());
            let keeps_usual = !is_roster || (!is_explicit && is_first);
            if keeps_usual { usual.clone() } else { own }
        });
        members.push(member(id, is_default, workspace, Some(entry)));
    }
    if members.is_empty() {
        members.push(member(MAIN, true, usual, None));
    }
    members
}

/// The agents of a config by their ids in lower case, each once.
fn roster(config: &Value) -> Vec<(String, AgentEntry<'_>)> {
    let mut roster: Vec<(String, AgentEntry<'_>)> = Vec::new();
    for entry in agent_entries(config) {
        let id = entry.id.trim().to_lowercase();
        if roster.iter().all(|(known, _)| *known != id) {
            roster.push((id, entry));
        }
    }
    roster
}

/// The agent that questions of no known agent are taken for: the one that is marked, else `main`, else the first.
fn default_of(roster: &[(String, AgentEntry<'_>)], version: Option<&str>) -> Option<String> {
    let marked = roster
        .iter()
        .find(|(_, entry)| entry.value["default"] == true);
    let main = roster
        .iter()
        .find(|(id, _)| id == MAIN && is_since(version, (2026, 8)));
    let (id, _) = marked.or(main).or(roster.first())?;
    Some(id.clone())
}

/// What `extraPaths` adds, each place once.
fn extra(search: &MemorySearch, home: &Home, workspace: &Path) -> Vec<ExtraPlace> {
    let mut places: Vec<ExtraPlace> = Vec::new();
    for ExtraPath { path, pattern, key } in &search.extra_paths {
        let path = home.expanded(path).unwrap_or_else(|| workspace.join(path));
        let path = settled(&path);
        let is_known = |it: &ExtraPlace| it.path == path && it.pattern == *pattern;
        if !places.iter().any(is_known) {
            places.push(ExtraPlace {
                path,
                pattern: pattern.clone(),
                key: key.clone(),
            });
        }
    }
    places
}
