//! Claude Code: a memory folder for each project.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agent::{Agent, Cap, Keeps, Limit, Removed, Source, Unit};
use crate::config::Format;
use crate::home::Home;
use crate::looking::{IfMissing, LoadFile, Look};

pub(super) static AGENT: Agent = Agent {
    id: "claude-code",
    name: "Claude Code",
    source: SOURCE,
    recall: "opens files with its tools",
    loads: "the beginning of each project's MEMORY.md; other notes only when it opens them itself",
    instructions: &[
        "~/.claude/CLAUDE.md",
        "~/.claude/rules/**/*.md",
        "CLAUDE.md, .claude/CLAUDE.md, .claude/rules/**/*.md and CLAUDE.local.md of the folders that its sessions worked in, and of those above",
        "what these import with @path, below the home folder or the project",
    ],
    look,
    own_places,
};

const SOURCE: Source = Source {
    version: "2.1.332",
    from: "seen in the published program",
};

/// `MEMORY.md` of a project.
fn memory() -> LoadFile {
    LoadFile {
        name: "MEMORY.md",
        cap: Cap {
            removed: &[
                Removed::FrontMatter,
                Removed::BlockComments,
                Removed::BlankEnd,
                Removed::BlankStart,
            ],
            limits: vec![Limit::of(Unit::Lines, 200), Limit::of(Unit::Utf16, 25_000)],
            keeps: Keeps::Beginning,
            entries_split_by: None,
            source: SOURCE,
        },
        if_missing: IfMissing::Nothing,
    }
}

/// The folder of its settings, memory and sessions.
pub(crate) fn root(home: &Home) -> PathBuf {
    home.folder_of("CLAUDE_CONFIG_DIR", ".claude")
}

/// The setting that keeps `MEMORY.md` from being loaded, in words; `None` if none does. `settings` is the content of the file that
/// `shown` names.
fn memory_off(home: &Home, settings: &Value, shown: &str) -> Option<String> {
    if settings["autoMemoryEnabled"] == Value::Bool(false) {
        return Some(format!("autoMemoryEnabled is false in {shown}"));
    }
    [
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
    ]
    .into_iter()
    .find_map(|name| variable_on(home, settings, shown, name))
}

/// What its rules were checked with.
pub(crate) fn source() -> Source {
    SOURCE
}

/// Whether a variable is on, in the environment or in `env` of the settings; in words.
pub(crate) fn variable_on(
    home: &Home,
    settings: &Value,
    shown: &str,
    name: &str,
) -> Option<String> {
    let is_on = |value: &str| {
        matches!(
            &*value.trim().to_ascii_lowercase(),
            "1" | "true" | "yes" | "on"
        )
    };
    if home
        .variable(name)
        .is_some_and(|value| is_on(&value.to_string_lossy()))
    {
        return Some(format!("{name} is set"));
    }
    let named = settings["env"][name].as_str().is_some_and(is_on);
    named.then(|| format!("{name} is set in {shown}"))
}
fn own_places(home: &Home) -> Vec<PathBuf> {
    // `CLAUDE_CONFIG_DIR` moves both.
    vec![
        root(home),
        home.join(".claude.json"),
        root(home).join(".claude.json"),
    ]
}

fn look(look: &mut Look<'_>) {
    let root = root(look.home());
    if !look.own(&root) {
        return;
    }
    let path = root.join("settings.json");
    let settings = look.config(&path, Format::Json);
    let shown = look.home().shown(&path);
    let named = look
        .text(&settings["autoMemoryDirectory"], "autoMemoryDirectory")
        .and_then(|named| look.named_folder(named, "autoMemoryDirectory"));
    let projects = look.children(&root.join("projects"));
    let usual = projects.into_iter().map(|project| project.join("memory"));
    let usual: Vec<PathBuf> = usual.filter(|memory| look.folder(memory)).collect();
    if let Some(why) = memory_off(look.home(), &settings, &shown) {
        let said = format!("{why}, so Claude Code loads no MEMORY.md");
        look.switch_off(usual.iter().chain(&named), &[memory()], said);
        return;
    }
    let load = |look: &mut Look<'_>, folder: &Path| look.loads(folder, vec![memory()], None);
    match named {
        // Instead of the usual ones.
        Some(named) => {
            if !usual.is_empty() {
                let said = format!(
                    "autoMemoryDirectory in {shown} names another folder, so Claude Code loads no MEMORY.md of the usual ones"
                );
                look.switch_off(&usual, &[memory()], said);
            }
            load(look, &named);
        }
        None => usual.iter().for_each(|memory| load(look, memory)),
    }
}
