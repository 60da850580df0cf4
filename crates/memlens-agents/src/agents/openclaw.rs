//! OpenClaw: a workspace per agent, named in its config or taken by rule.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agent::{Agent, Cap, Keeps, Limit, Removed, Source, Unit};
use crate::home::Home;
use crate::looking::{IfMissing, LoadFile, Look, look_for};
use crate::searched::members;
use crate::settings::read_config_and_files;

pub(super) static AGENT: Agent = Agent {
    id: "openclaw",
    name: "OpenClaw",
    source: SOURCE,
    recall: "searches by words and meaning",
    loads: "up to 20,000 characters of each of six workspace files and 60,000 in all; the middle of a longer file is cut",
    instructions: &["AGENTS.md, SOUL.md, IDENTITY.md and BOOTSTRAP.md of each workspace"],
    look,
    own_places,
};

const SOURCE: Source = Source {
    version: "2026.9.6",
    from: "its published package",
};

/// The folder in a workspace in which its events are logged.
pub(crate) const LOGS_IN_WORKSPACE: &str = "memory/.dreams";

/// Limits that its config sets for one agent.
#[derive(Debug, Clone, Copy)]
struct Limits {
    file: u64,
    total: u64,
}

/// Limit of `USER.md`, whatever the config says.
const USER_MAX: u64 = 4_000;

const MISSING: IfMissing = IfMissing::Finding {
    so: "so OpenClaw loads only a line that says so",
    costs: true,
};

/// Files of a workspace, in the order in which they are loaded and count toward the total.
fn files(limits: Limits, is_bootstrap_skipped: bool) -> Vec<LoadFile> {
    let file = |name, if_missing| LoadFile {
        name,
        cap: Cap {
            removed: &[Removed::BlankEnd],
            limits: vec![Limit::of(
                Unit::Utf16,
                if name == "USER.md" {
                    limits.file.min(USER_MAX)
                } else {
                    limits.file
                },
            )],
            keeps: Keeps::OpenClaw,
            entries_split_by: None,
            source: SOURCE,
        },
        if_missing,
    };
    vec![
        file("AGENTS.md", MISSING),
        file("SOUL.md", MISSING),
        file("IDENTITY.md", MISSING),
        file("USER.md", IfMissing::Nothing),
        // Deleted once the workspace is set up, which `skipBootstrap` prevents.
        file(
            "BOOTSTRAP.md",
            if is_bootstrap_skipped {
                IfMissing::Cost
            } else {
                IfMissing::Nothing
            },
        ),
        file("MEMORY.md", IfMissing::Nothing),
    ]
}

/// The limits of one agent: its own, else the defaults of the config, else those of the program.
fn limits(config: &Value, own: &Value) -> Limits {
    let limit = |key: &str, usual| {
        let set = [&own[key], &config["agents"]["defaults"][key]];
        let set = set.into_iter().find(|value| !value.is_null());
        set.and_then(Value::as_f64)
            .filter(|set| *set > 0.0)
            .map_or(usual, |set| set as u64)
    };
    let file = limit("bootstrapMaxChars", 20_000);
    Limits {
        file,
        total: limit("bootstrapTotalMaxChars", 60_000).max(1),
    }
}

/// The folder of its config, state and databases.
pub(crate) fn state(home: &Home) -> PathBuf {
    let profile = home
        .variable("OPENCLAW_PROFILE")
        .map(|profile| profile.to_string_lossy())
        .filter(|profile| profile != "default");
    let usual = profile.map_or_else(
        || ".openclaw".to_owned(),
        |profile| format!(".openclaw-{profile}"),
    );
    home.folder_of("OPENCLAW_STATE_DIR", &usual)
}

/// The databases of its agents, each with the index of one workspace, sorted; since 2026.8.
pub fn openclaw_databases(home: &Home) -> Vec<PathBuf> {
    let agents = fs::read_dir(state(home).join("agents"));
    let mut databases: Vec<PathBuf> = agents
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|agent| agent.path().join("agent/openclaw-agent.sqlite"))
        .filter(|database| database.symlink_metadata().is_ok())
        .collect();
    databases.sort();
    databases
}

/// The agent of OpenClaw whose file in its state folder this is: `agents/ID/…`.
pub fn openclaw_member(path: &Path) -> Option<String> {
    let names: Vec<&str> = path.iter().filter_map(|name| name.to_str()).collect();
    let at = names
        .windows(3)
        .rposition(|three| three[0] == "agents" && matches!(three[2], "agent" | "sessions"))?;
    Some(names[at + 1].to_lowercase())
}

fn named_config(home: &Home) -> Option<PathBuf> {
    home.variable("OPENCLAW_CONFIG_PATH")
        .and_then(|path| home.expanded(&path.to_string_lossy()))
}

/// Path of the config, whether or not it exists.
pub(crate) fn config(home: &Home) -> PathBuf {
    named_config(home).unwrap_or_else(|| state(home).join("openclaw.json"))
}

fn own_places(home: &Home) -> Vec<PathBuf> {
    let config = config(home);
    let mut places = vec![state(home)];
    // Profiles, and the folder names used before 2026.2.
    let folders = fs::read_dir(home.folder()).into_iter().flatten().flatten();
    places.extend(folders.map(|folder| folder.path()).filter(|path| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| {
                name.starts_with(".openclaw") || matches!(name, ".clawdbot" | ".moltbot")
            })
    }));
    // Also what the config includes. One that cannot be read includes nothing.
    let mut files = vec![config.clone()];
    let _ = read_config_and_files(&config, &mut |file| files.push(file.to_owned()));
    places.extend(files);
    let workspaces = look_for(home, &AGENT).folders.into_iter();
    places.extend(workspaces.map(|workspace| workspace.join(LOGS_IN_WORKSPACE)));
    places
}

fn look(look: &mut Look<'_>) {
    let home = look.home();
    let state = state(home);
    let is_there = look.own(&state);
    if !is_there && named_config(home).is_none() {
        return;
    }
    let path = config(home);
    let config = look.config_with_includes(&path);
    // The version that wrote the config last.
    let version = look.text(
        &config["meta"]["lastTouchedVersion"],
        "meta.lastTouchedVersion",
    );
    look.version(version);

    let workspaces = workspaces(look, &state, &config);
    look_at_extra_paths(look, &config);
    for (workspace, settings) in workspaces {
        look_at_loaded(look, &workspace, settings, &config, &path);
    }
}

/// The workspaces of all agents of the config, each once by path, with the settings of its agent.
fn workspaces<'v>(
    look: &mut Look<'_>,
    state: &Path,
    config: &'v Value,
) -> Vec<(PathBuf, &'v Value)> {
    let home = look.home();
    let shared = look.text(
        &config["agents"]["defaults"]["workspace"],
        "agents.defaults.workspace",
    );
    let agents = configured(look, config);
    let default = match (home.variable("OPENCLAW_WORKSPACE_DIR"), shared) {
        (Some(named), _) => look.named_folder(&named.to_string_lossy(), "OPENCLAW_WORKSPACE_DIR"),
        (None, Some(named)) => look.named_folder(named, "agents.defaults.workspace"),
        (None, None) => {
            let usual = state.join("workspace");
            look.folder(&usual).then_some(usual)
        }
    };
    // The agent that has the default workspace.
    let main = agents.iter().find(|agent| agent.id == "main");
    let only = main
        .or(agents.first())
        .map_or(&Value::Null, |agent| agent.settings);
    let mut workspaces: Vec<(PathBuf, &Value)> =
        default.into_iter().map(|default| (default, only)).collect();
    let is_roster = agents.len() > 1;
    for Configured {
        id,
        workspace: named,
        settings,
    } in agents
    {
        let workspace = match (named, shared) {
            (Some(named), _) => look.named_folder(named, &format!("agent {id}")),
            // A single agent has the default workspace; of several, each without a workspace of its own has its own
            // folder.
            (None, Some(shared)) if is_roster => home.expanded(shared).and_then(|shared| {
                let own = shared.join(id);
                look.folder(&own).then_some(own)
            }),
            (None, None) if is_roster => {
                let own = state.join(format!("workspace-{id}"));
                look.folder(&own).then_some(own)
            }
            (None, _) => None,
        };
        workspaces.extend(workspace.map(|workspace| (workspace, settings)));
    }
    workspaces.sort_by(|one, other| one.0.cmp(&other.0));
    workspaces.dedup_by(|one, other| one.0 == other.0);
    workspaces
}

/// Records the folders that the config names besides the workspaces.
fn look_at_extra_paths(look: &mut Look<'_>, config: &Value) {
    let home = look.home();
    let mut extra: Vec<(PathBuf, String)> = members(home, config)
        .into_iter()
        .flat_map(|member| member.extra)
        .map(|extra| (extra.path, extra.key))
        // A single file cannot be watched, and nobody wants to watch the whole home folder.
        .filter(|(path, _)| !path.is_file() && !home.folder().starts_with(path))
        .collect();
    extra.sort();
    extra.dedup_by(|a, b| a.0 == b.0);
    for (path, key) in extra {
        look.named_place(&path, &key);
    }
}

/// Records what is loaded of a workspace, or the setting that switches its files off. `path` is that of the config.
fn look_at_loaded(
    look: &mut Look<'_>,
    workspace: &Path,
    settings: &Value,
    config: &Value,
    path: &Path,
) {
    let home = look.home();
    let limits = limits(config, settings);
    let mode = [
        &settings["contextInjection"],
        &config["agents"]["defaults"]["contextInjection"],
    ];
    if mode.into_iter().find(|mode| mode.is_string()) == Some(&Value::from("never")) {
        let shown = home.shown(workspace);
        let named = home.shown(path);
        let said =
            format!("contextInjection is never in {named}, so OpenClaw loads no file of {shown}");
        look.switch_off([workspace], &files(limits, false), said);
        return;
    }
    let total = Limit::of(Unit::Utf16, limits.total);
    let is_skipped = config["agents"]["defaults"]["skipBootstrap"] == Value::Bool(true);
    look.loads(workspace, files(limits, is_skipped), Some(total));
}

/// An agent that the config names.
struct Configured<'v> {
    id: &'v str,
    workspace: Option<&'v str>,
    settings: &'v Value,
}

/// The agents that the config names: by id since 2026.8, before as a list.
fn configured<'v>(look: &mut Look<'_>, config: &'v Value) -> Vec<Configured<'v>> {
    let agents = &config["agents"];
    let by_id = look
        .entries(&agents["entries"], "agents.entries")
        .into_iter()
        .map(|(id, agent)| (id.as_str(), agent));
    let listed = agents["list"].as_array().into_iter().flatten();
    let listed = listed.filter_map(|agent| Some((agent["id"].as_str()?, agent)));
    by_id
        .chain(listed)
        .map(|(id, settings)| {
            let name = format!("the workspace of agent {id}");
            Configured {
                id,
                workspace: look.text(&settings["workspace"], &name),
                settings,
            }
        })
        .collect()
}
