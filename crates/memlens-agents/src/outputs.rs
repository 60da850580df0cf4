//! Whether a file that Memlens should write is an agent's: its config, its state, its log, or a file of instructions.
//!
//! Properties checked, for every agent: such a file is found under every name (`..`, another case, symbolic and hard links, also
//! links in the agent's own folder); a file beside it is not.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_files::{is_linked_into, is_within, place_to_be};

use crate::agent::Agent;
use crate::agents::{self, AGENTS};
use crate::home::Home;

/// A file or folder that belongs to an agent.
#[derive(Debug)]
pub struct AgentFile {
    /// Agent that owns the file or folder.
    pub agent: &'static Agent,
    /// The file, or the folder in which everything is the agent's.
    pub file: PathBuf,
}

/// Folders in which an agent keeps settings of a project, wherever the project is.
const PROJECT_FOLDERS: [(&str, &str); 7] = [
    (".claude", "claude-code"),
    (".codex", "codex"),
    (".gemini", "gemini-cli"),
    (".letta", "letta-code"),
    (".memsearch", "memsearch"),
    (".obsidian", "obsidian"),
    (".openclaw", "openclaw"),
];

/// Files that an agent always loads, wherever they are.
const INSTRUCTIONS: [(&str, &str); 5] = [
    ("agents.md", "codex"),
    ("agents.override.md", "codex"),
    ("claude.local.md", "claude-code"),
    ("claude.md", "claude-code"),
    ("gemini.md", "gemini-cli"),
];

/// The agent's file or folder that contains a place; `None` if the place belongs to no agent. The place is resolved
/// ([`memlens_files::place_of`]), whether or not there is a file.
pub fn agent_file(home: &Home, place: &Path) -> Option<AgentFile> {
    AGENTS
        .into_iter()
        .find_map(|agent| own_file(agent, home, place).map(|file| AgentFile { agent, file }))
        .or_else(|| project_file(place))
}

fn own_file(agent: &Agent, home: &Home, place: &Path) -> Option<PathBuf> {
    let mut known = (agent.own_places)(home);
    known.sort();
    known.dedup();
    // A config may be a link to a folder with all of the user's configs.
    let linked: Vec<PathBuf> = known.iter().flat_map(|place| links_in(place)).collect();
    known.into_iter().chain(linked).find(|known| {
        let real = place_to_be(known);
        is_within(place, &real)
            || lies_in(place, &real)
            || lies_in(place, known)
            || is_linked_into(place, &real)
    })
}

/// The links that are directly in a folder.
fn links_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|found| found.is_symlink()))
        .map(|entry| entry.path())
        .collect()
}

/// Whether a path is another one or below it, ignoring case: some file systems do not distinguish it.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let mut parts = path.components();
    folder.components().all(|part| {
        parts.next().is_some_and(|own| {
            own.as_os_str().to_string_lossy().to_lowercase()
                == part.as_os_str().to_string_lossy().to_lowercase()
        })
    })
}

/// A file of a project's settings or instructions.
fn project_file(place: &Path) -> Option<AgentFile> {
    let names: Vec<String> = place
        .iter()
        .map(|name| name.to_string_lossy().to_lowercase())
        .collect();
    let known = |table: &[(&str, &'static str)], name: &str| {
        let id = table.iter().find(|(known, _)| *known == name)?.1;
        agents::agent(id)
    };
    let found = |agent, n_names: usize| AgentFile {
        agent,
        file: place.iter().take(n_names).collect(),
    };
    for (at, name) in names.iter().enumerate() {
        // Claude Code checks out branches there.
        let is_checkout =
            name == ".claude" && names.get(at + 1).is_some_and(|it| it == "worktrees");
        if !is_checkout && let Some(agent) = known(&PROJECT_FOLDERS, name) {
            return Some(found(agent, at + 1));
        }
    }
    let agent = known(&INSTRUCTIONS, names.last()?)?;
    Some(found(agent, names.len()))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use memlens_files::place_of;

    use super::*;

    /// A home with some file of every agent.
    fn home() -> (tempfile::TempDir, Home) {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let root = dir.path().canonicalize().expect("it is there");
        for file in FILES {
            let path = root.join("home").join(file.0);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
            fs::write(&path, "{}").expect("it can be written");
        }
        fs::create_dir_all(root.join("beside")).expect("it can be made");
        let home = Home::new(&root.join("home"));
        (dir, home)
    }

    const FILES: [(&str, &str); 17] = [
        (".openclaw/openclaw.json", "openclaw"),
        (".openclaw/agents/main/sessions/a.jsonl", "openclaw"),
        (".openclaw-work/openclaw.json", "openclaw"),
        (".claude/settings.json", "claude-code"),
        (".claude/projects/-home-iris/a.jsonl", "claude-code"),
        (".claude.json", "claude-code"),
        (".codex/config.toml", "codex"),
        (".codex/sessions/2026/11/26/rollout-a.jsonl", "codex"),
        (".gemini/settings.json", "gemini-cli"),
        (".hermes/config.yaml", "hermes"),
        (".hermes/state.db", "hermes"),
        (".letta/settings.json", "letta-code"),
        (".memsearch/config.toml", "memsearch"),
        (".basic-memory/config.json", "basic-memory"),
        (".config/qmd/index.yml", "qmd"),
        (".openviking/ov.conf", "openviking"),
        (".config/obsidian/obsidian.json", "obsidian"),
    ];

    fn agent_at(home: &Home, path: &Path) -> Option<&'static str> {
        let place = place_of(path).expect("its folder is there");
        Some(agent_file(home, &place)?.agent.id)
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_of_every_agent_is_found_by_every_name() {
        let (_dir, home) = home();
        let beside = home.folder().join("../beside");
        let mut seen: Vec<&str> = Vec::new();
        for (n, (file, id)) in FILES.into_iter().enumerate() {
            let path = home.folder().join(file);
            let folder = path.parent().expect("it is in a folder");
            let name = path.file_name().expect("it has a name");
            symlink(&path, beside.join(format!("soft{n}"))).expect("links can be made");
            fs::hard_link(&path, beside.join(format!("hard{n}"))).expect("links can be made");
            symlink(folder, beside.join(format!("folder{n}"))).expect("links can be made");
            let mut names = vec![
                path.clone(),
                folder.join(".").join(name),
                beside.join("../home").join(file),
                beside.join(format!("soft{n}")),
                beside.join(format!("hard{n}")),
                beside.join(format!("folder{n}")).join(name),
                folder.join(name.to_string_lossy().to_uppercase()),
            ];
            if folder != home.folder() {
                names.push(folder.join("new.json"));
            }
            for name in names {
                assert_eq!(agent_at(&home, &name), Some(id), "{}", name.display());
            }
            seen.push(id);
        }
        for agent in AGENTS {
            assert!(seen.contains(&agent.id), "{} has no file here", agent.id);
        }
        for free in [
            "memlens.json",
            "notes/a.md",
            ".config/other.json",
            "openclaw.json",
        ] {
            let path = home.folder().join(free);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
            assert_eq!(agent_at(&home, &path), None, "{free}");
        }
    }

    #[test]
    fn links_in_the_agents_folder_lead_to_its_files() {
        let (dir, home) = home();
        let dotfiles = dir.path().join("dotfiles");
        fs::create_dir_all(dotfiles.join("projects")).expect("it can be made");
        fs::write(dotfiles.join("claude.json"), "{}").expect("it can be written");
        let at = |name: &str| home.folder().join(name);
        fs::remove_file(at(".claude/settings.json")).expect("it is ours");
        symlink(dotfiles.join("claude.json"), at(".claude/settings.json")).expect("it can be made");
        symlink(dotfiles.join("projects"), at(".claude/linked")).expect("it can be made");
        for name in ["claude.json", "projects/new.jsonl"] {
            assert_eq!(
                agent_at(&home, &dotfiles.join(name)),
                Some("claude-code"),
                "{name}"
            );
        }
        assert_eq!(agent_at(&home, &dotfiles.join("other.json")), None);
        // The whole home of an agent may be elsewhere.
        fs::rename(at(".codex"), dotfiles.join("codex")).expect("it can be moved");
        symlink(dotfiles.join("codex"), at(".codex")).expect("it can be made");
        assert_eq!(
            agent_at(&home, &dotfiles.join("codex/config.toml")),
            Some("codex")
        );
    }

    #[test]
    fn places_that_variables_and_configs_name_are_found() {
        let (dir, home) = home();
        let at = |name: &str| dir.path().join(name);
        let set = |home: &Home, name: &str, place: &str| {
            fs::create_dir_all(at(place)).expect("it can be made");
            home.clone().with(name, at(place))
        };
        for (variable, place, file, id) in [
            ("CODEX_HOME", "cx", "cx/config.toml", "codex"),
            ("CLAUDE_CONFIG_DIR", "cc", "cc/.claude.json", "claude-code"),
            ("HERMES_HOME", "hm", "hm/state.db", "hermes"),
            ("QMD_CONFIG_DIR", "qm", "qm/index.yml", "qmd"),
            ("OPENCLAW_STATE_DIR", "oc", "oc/openclaw.json", "openclaw"),
            (
                "BASIC_MEMORY_CONFIG_DIR",
                "bm",
                "bm/config.json",
                "basic-memory",
            ),
        ] {
            let home = set(&home, variable, place);
            assert_eq!(agent_at(&home, &at(file)), Some(id), "{file}");
        }
        // A config elsewhere, a file that it includes, and the log in a workspace that it names.
        let workspace = at("work");
        fs::create_dir_all(workspace.join("memory/.dreams")).expect("it can be made");
        let config = format!(
            "{{$include: 'part.json', agents: {{defaults: {{workspace: {workspace:?}}}}}}}"
        );
        fs::write(at("mine.json"), config).expect("it can be written");
        fs::write(at("part.json"), "{}").expect("it can be written");
        let home = home.with("OPENCLAW_CONFIG_PATH", at("mine.json"));
        for file in ["mine.json", "part.json", "work/memory/.dreams/events.jsonl"] {
            assert_eq!(agent_at(&home, &at(file)), Some("openclaw"), "{file}");
        }
        assert_eq!(agent_at(&home, &at("other.json")), None);
    }

    #[test]
    fn settings_and_instructions_of_a_project_are_found() {
        let (dir, home) = home();
        for (file, id) in [
            ("code/.claude/settings.local.json", Some("claude-code")),
            ("code/.claude/worktrees/fix/run.json", None),
            ("code/.gemini/settings.json", Some("gemini-cli")),
            ("vault/.obsidian/app.json", Some("obsidian")),
            ("code/CLAUDE.md", Some("claude-code")),
            ("code/agents.md", Some("codex")),
            ("code/deep/GEMINI.md", Some("gemini-cli")),
            ("code/claude.json", None),
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
            assert_eq!(agent_at(&home, &path), id, "{file}");
        }
    }
}
