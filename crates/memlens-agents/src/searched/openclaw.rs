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
use crate::config::{self, Format};
use crate::home::Home;

/// The id of the only agent of a config that names none.
const MAIN: &str = "main";

/// The name of the root's own file, and what is never read at the top.
const NEVER: &str = "memory.md";

/// Where the settings of the memory search are since 2026.8, at the top and in each agent's entry.
const SINCE_2026_8: &str = "memory.search";

/// One agent of OpenClaw.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    /// Its id.
    pub id: String,
    /// Whether questions of no known agent are its.
    pub is_default: bool,
    /// Its workspace, whether or not it is there.
    pub workspace: PathBuf,
    /// What its search reads beside the workspace.
    pub extra: Vec<ExtraPath>,
    /// The key that switches its memory search off, with its value.
    pub switched_off: Option<String>,
}

/// An entry of `extraPaths`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExtraPath {
    /// Absolute, without `.` and `..`.
    pub path: PathBuf,
    pub pattern: Option<String>,
    /// The config's key that names it.
    pub key: &'static str,
}

/// A version by year and month.
fn month(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.trim_start_matches('v').split('.');
    let year = numbers.next()?.parse().ok()?;
    Some((year, numbers.next()?.parse().ok()?))
}

fn since(version: Option<&str>, first: (u32, u32)) -> bool {
    version.and_then(month).is_none_or(|it| it >= first)
}

/// What a version indexes at the top of a workspace, what it never reads there, and which folders it passes over; without a
/// version the newest.
fn rules(version: Option<&str>) -> (Vec<&'static str>, Vec<&'static str>, Skips) {
    if since(version, (2026, 8)) {
        (vec!["MEMORY.md", "USER.md"], vec![NEVER], Skips::Repair)
    } else if since(version, (2026, 3)) {
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
    let config = config::read(&path, Format::Json, home.folder())
        .ok()
        .flatten()
        .unwrap_or(Value::Null);
    if config.is_null() && !state.is_dir() {
        return None;
    }
    let version = config["meta"]["lastTouchedVersion"].as_str();
    let key = if since(version, (2026, 8)) {
        "memory.search.extraPaths"
    } else if since(version, (2026, 2)) {
        "agents.defaults.memorySearch.extraPaths"
    } else {
        "memorySearch.extraPaths"
    };
    let extra_key = format!("{key} in {}", home.shown(&path));
    let members = members(home, &config);
    let index = |member: Member| index(member, version, &extra_key);
    Some(Searched {
        agent: agents::openclaw_agent(),
        indexes: members.into_iter().map(index).collect(),
    })
}

fn index(member: Member, version: Option<&str>, extra_key: &str) -> Index {
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
        extra_key: Some(extra_key.to_owned()),
        roots,
    }
}

fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
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
    let mut members = Vec::new();
    for (id, entry) in &roster {
        let is_default = Some(id.as_str()) == default.as_deref();
        let own = match &shared {
            Some(shared) => shared.join(id),
            None => state.join(format!("workspace-{id}")),
        };
        let workspace = expanded(&entry["workspace"]).unwrap_or_else(|| {
            // Before agents were named there was one workspace, which its agent keeps.
            let keeps_usual = !is_roster || is_default || (id == MAIN && !own.is_dir());
            if keeps_usual { usual.clone() } else { own }
        });
        let search = Search::of(config, entry, version);
        members.push(Member {
            id: id.clone(),
            is_default,
            extra: search.extra(home, &workspace),
            switched_off: search.switched_off(),
            workspace,
        });
    }
    if members.is_empty() {
        let search = Search::of(config, &Value::Null, version);
        members.push(Member {
            id: MAIN.to_owned(),
            is_default: true,
            extra: search.extra(home, &usual),
            switched_off: search.switched_off(),
            workspace: usual,
        });
    }
    members
}

fn roster(config: &Value) -> Vec<(String, &Value)> {
    let agents = &config["agents"];
    if let Some(entries) = agents["entries"].as_object() {
        let entries = entries.iter();
        return entries
            .map(|(id, entry)| (id.to_lowercase(), entry))
            .collect();
    }
    let listed = agents["list"].as_array().into_iter().flatten();
    listed
        .filter_map(|entry| Some((entry["id"].as_str()?.trim().to_lowercase(), entry)))
        .collect()
}

/// The agent that questions of no known agent are taken for: the one that is marked, else `main`, else the first.
fn default_of(roster: &[(String, &Value)], version: Option<&str>) -> Option<String> {
    let marked = roster.iter().find(|(_, entry)| entry["default"] == true);
    let main = roster
        .iter()
        .find(|(id, _)| id == MAIN && since(version, (2026, 8)));
    let (id, _) = marked.or(main).or(roster.first())?;
    Some(id.clone())
}

/// The settings of one agent's memory search: those of all agents, then its own.
struct Search<'v> {
    /// Each with its key.
    settings: Vec<(&'static str, &'v Value)>,
}

impl<'v> Search<'v> {
    fn of(config: &'v Value, entry: &'v Value, version: Option<&str>) -> Search<'v> {
        let settings = if since(version, (2026, 8)) {
            vec![
                (SINCE_2026_8, &config["memory"]["search"]),
                (SINCE_2026_8, &entry["memory"]["search"]),
            ]
        } else if since(version, (2026, 2)) {
            vec![
                (
                    "agents.defaults.memorySearch",
                    &config["agents"]["defaults"]["memorySearch"],
                ),
                ("memorySearch", &entry["memorySearch"]),
            ]
        } else {
            vec![
                ("memorySearch", &config["memorySearch"]),
                (
                    "agents.defaults.memorySearch",
                    &config["agents"]["defaults"]["memorySearch"],
                ),
                ("memorySearch", &entry["memorySearch"]),
            ]
        };
        Search { settings }
    }

    /// What `extraPaths` adds: the paths of all agents and those of this one together.
    fn extra(&self, home: &Home, workspace: &Path) -> Vec<ExtraPath> {
        let mut extra: Vec<ExtraPath> = Vec::new();
        for (key, settings) in &self.settings {
            for entry in settings["extraPaths"].as_array().into_iter().flatten() {
                let named = entry.as_str().or_else(|| entry["path"].as_str());
                let Some(named) = named.map(str::trim).filter(|it| !it.is_empty()) else {
                    continue;
                };
                let pattern = entry["pattern"].as_str().map(str::trim);
                let path = home
                    .expanded(named)
                    .unwrap_or_else(|| workspace.join(named));
                let one = ExtraPath {
                    path: settled(&path),
                    pattern: pattern
                        .filter(|it| !it.is_empty())
                        .map(|it| it.replace('\\', "/")),
                    key,
                };
                if !extra
                    .iter()
                    .any(|it| (&it.path, &it.pattern) == (&one.path, &one.pattern))
                {
                    extra.push(one);
                }
            }
        }
        extra
    }

    /// The setting by which no note is searched.
    fn switched_off(&self) -> Option<String> {
        let last = |name: &str| {
            let mut settings = self.settings.iter().rev();
            settings.find_map(|(key, it)| Some((*key, &it[name])).filter(|(_, it)| !it.is_null()))
        };
        if let Some((key, Value::Bool(false))) = last("enabled") {
            return Some(format!("{key}.enabled is false"));
        }
        let (key, sources) = last("sources")?;
        let names = |name: &str| {
            let mut sources = sources.as_array().into_iter().flatten();
            sources.any(|it| it == name)
        };
        let remembers = match last("rememberAcrossConversations") {
            Some((_, value)) => value != false,
            // Before 2026.8 sessions had to be switched on.
            None => key == SINCE_2026_8,
        };
        let reads_sessions =
            remembers || last("experimental").is_some_and(|(_, it)| it["sessionMemory"] == true);
        (names("sessions") && !names("memory") && reads_sessions)
            .then(|| format!("{key}.sources names sessions alone"))
    }
}
