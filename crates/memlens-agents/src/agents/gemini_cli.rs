//! Gemini CLI: a memory folder for each project. Its global `GEMINI.md` is in the folder of its logs, so that folder is
//! not offered.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::agent::{Agent, Cap, Source};
use crate::config::{self, Format};
use crate::home::Home;
use crate::looking::{IfMissing, LoadFile, Look};

pub(super) static AGENT: Agent = Agent {
    id: "gemini-cli",
    name: "Gemini CLI",
    source: SOURCE,
    recall: "opens files with its tools",
    loads: "MEMORY.md of the project and its GEMINI.md files, whole; other notes only when it opens them itself",
    instructions: &[
        "~/.gemini/GEMINI.md",
        "GEMINI.md of the folders that its sessions worked in, and of those above up to the project's root",
        "in the same folders the files that context.fileName of its settings names",
        "what these import with @path, below the project",
    ],
    look,
    own_places,
};

const SOURCE: Source = Source {
    version: "0.61.0",
    from: "seen in the published program",
};

/// Version and source that its rules were checked with.
pub(crate) fn source() -> Source {
    SOURCE
}
/// The folder of its settings, memory and sessions.
pub(crate) fn root(home: &Home) -> PathBuf {
    home.join(".gemini")
}

fn own_places(home: &Home) -> Vec<PathBuf> {
    vec![root(home)]
}

/// Names of its instruction files for sessions in a folder, and problems of the settings that name them.
///
/// Seen in the published program: `context.fileName` of the session's own folder goes before that of the user, and names files that are
/// loaded besides `GEMINI.md`. With a value of the wrong kind the program does not start.
pub(crate) fn context_names(home: &Home, cwd: Option<&Path>) -> (Vec<String>, Vec<String>) {
    let user = home.join(".gemini/settings.json");
    let own = cwd.map(|cwd| cwd.join(".gemini/settings.json"));
    let own = own.filter(|own| *own != user);
    let mut names = None;
    let mut findings = Vec::new();
    for path in own.into_iter().chain([user]) {
        let shown = home.shown(&path);
        match config::read(&path, Format::Json, home.folder()) {
            Ok(None) => {}
            Ok(Some(settings)) => {
                let Some(value) = settings["context"].get("fileName") else {
                    continue;
                };
                match named(value) {
                    Some(found) => names = names.or(Some(found)),
                    None => findings.push(format!(
                        "{shown}: context.fileName has to be a text in quotes or a list of such texts, so Gemini CLI does not start"
                    )),
                }
            }
            Err(why) => findings.push(format!("cannot read {shown}: {why}")),
        }
    }
    let mut names = names.unwrap_or_default();
    names.push(GEMINI.to_owned());
    let mut seen = BTreeSet::new();
    names.retain(|name| !name.is_empty() && seen.insert(name.clone()));
    (names, findings)
}

const GEMINI: &str = "GEMINI.md";

/// The names in a value; `None` if it is of the wrong kind.
fn named(value: &Value) -> Option<Vec<String>> {
    // Names are joined to a folder, whatever they begin with.
    let name = |text: &str| text.trim().trim_start_matches(['/', '\\']).to_owned();
    match value {
        // It removes the names in the user's settings.
        Value::Null => Some(Vec::new()),
        Value::String(text) => Some(vec![name(text)]),
        Value::Array(texts) => texts.iter().map(|it| it.as_str().map(name)).collect(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Whether the memory in a folder below `~/.gemini/tmp` is that of sessions in a folder.
pub(crate) fn is_memory_of(memory: &Path, cwd: &Path) -> bool {
    let Some(project) = memory.parent() else {
        return false;
    };
    match std::fs::read_to_string(project.join(".project_root")) {
        Ok(root) => Path::new(root.trim()) == cwd,
        Err(_) => project.file_name() == cwd.file_name(),
    }
}

fn look(look: &mut Look<'_>) {
    let home = look.home();
    let root = root(home);
    if !look.own(&root) {
        return;
    }
    look.place(&root.join("settings.json"));
    let (_, findings) = context_names(home, None);
    for finding in findings {
        look.problem(finding);
    }
    for project in look.children(&root.join("tmp")) {
        let memory = project.join("memory");
        if look.folder(&memory) {
            let file = LoadFile {
                name: "MEMORY.md",
                cap: Cap::whole(SOURCE),
                if_missing: IfMissing::Nothing,
            };
            look.loads(&memory, vec![file], None);
        }
    }
}
