//! OpenClaw: a workspace per agent, named in its config or taken by rule.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agent::{Agent, Cap, Keeps, Limit, Source, Unit};
use crate::home::Home;
use crate::looking::Look;
use crate::searched::members;

pub(super) static AGENT: Agent = Agent {
    id: "openclaw",
    name: "OpenClaw",
    source: SOURCE,
    recall: "searches by words and meaning",
    loads: "up to 20,000 characters of a file and 60,000 in all; the middle of a longer file is cut",
    look,
};

const SOURCE: Source = Source {
    version: "2026.9.6",
    from: "its published package and documentation",
    is_reported: false,
};

static FILE: Cap = cap(&[characters(20_000)]);
static USER: Cap = cap(&[characters(4_000)]);

const fn cap(limits: &'static [Limit]) -> Cap {
    Cap {
        limits,
        keeps: Keeps::Ends,
        entries_split_by: None,
        source: SOURCE,
    }
}

const fn characters(most: u64) -> Limit {
    Limit {
        unit: Unit::Utf16,
        most,
    }
}

/// What it loads, its memory first.
static LOADS: [(&str, &Cap); 8] = [
    ("MEMORY.md", &FILE),
    ("USER.md", &USER),
    ("AGENTS.md", &FILE),
    ("SOUL.md", &FILE),
    ("TOOLS.md", &FILE),
    ("IDENTITY.md", &FILE),
    ("HEARTBEAT.md", &FILE),
    ("BOOTSTRAP.md", &FILE),
];

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

/// Where its config is, whether or not it is there.
pub(crate) fn config(home: &Home) -> PathBuf {
    named_config(home).unwrap_or_else(|| state(home).join("openclaw.json"))
}

fn look(look: &mut Look<'_>) {
    let home = look.home();
    let state = state(home);
    let is_there = look.own(&state);
    if !is_there && named_config(home).is_none() {
        return;
    }
    let config = look.config_with_includes(&config(home));
    // The version that wrote the config last.
    let version = look.text(
        &config["meta"]["lastTouchedVersion"],
        "meta.lastTouchedVersion",
    );
    look.version(version);

    let shared = look.text(
        &config["agents"]["defaults"]["workspace"],
        "agents.defaults.workspace",
    );
    let agents = configured(look, &config);
    let default = match (home.variable("OPENCLAW_WORKSPACE_DIR"), shared) {
        (Some(named), _) => look.named_folder(&named.to_string_lossy(), "OPENCLAW_WORKSPACE_DIR"),
        (None, Some(named)) => look.named_folder(named, "agents.defaults.workspace"),
        (None, None) => {
            let usual = state.join("workspace");
            look.folder(&usual).then_some(usual)
        }
    };
    let mut workspaces: Vec<PathBuf> = default.into_iter().collect();
    let is_roster = agents.len() > 1;
    for (id, named) in agents {
        let workspace = match (named, shared) {
            (Some(named), _) => look.named_folder(named, &format!("agent {id}")),
            // The only one has the default; of several, each that names none has a folder of its own.
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
        workspaces.extend(workspace);
    }
    let mut extra: Vec<(PathBuf, &str)> = members(home, &config)
        .into_iter()
        .flat_map(|member| member.extra)
        .map(|extra| (extra.path, extra.key))
        // A single file cannot be watched by itself, and nobody means the whole home folder.
        .filter(|(path, _)| !path.is_file() && !home.folder().starts_with(path))
        .collect();
    extra.sort();
    extra.dedup_by(|a, b| a.0 == b.0);
    for (path, key) in extra {
        look.named_place(&path, &format!("{key}.extraPaths"));
    }
    workspaces.sort();
    workspaces.dedup();
    for workspace in workspaces {
        look.loads(&workspace, &LOADS, Some(characters(60_000)));
    }
}

/// The agents that the config names, each with its workspace: by id since 2026.8, before as a list.
fn configured<'v>(look: &mut Look<'_>, config: &'v Value) -> Vec<(&'v str, Option<&'v str>)> {
    let agents = &config["agents"];
    let by_id = look
        .entries(&agents["entries"], "agents.entries")
        .into_iter()
        .map(|(id, agent)| (id.as_str(), agent));
    let listed = agents["list"].as_array().into_iter().flatten();
    let listed = listed.filter_map(|agent| Some((agent["id"].as_str()?, agent)));
    by_id
        .chain(listed)
        .map(|(id, agent)| {
            let name = format!("the workspace of agent {id}");
            (id, look.text(&agent["workspace"], &name))
        })
        .collect()
}
