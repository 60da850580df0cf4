//! What Codex 0.169.0 loads beside its memory: `AGENTS.md` files from the project's root down to the session's folder.

use std::path::Path;

use super::chain::{down, git_root};
use super::reading::Read;
use super::{AlwaysKind, Content, Reader, SessionLoad, entry, limited};
use crate::agent::{Cap, Limit, Unit};
use crate::agents::{codex_root, codex_source};
use crate::home::Home;

/// Bytes of all files of a project.
const PROJECT_BYTES: u64 = 32_768;

const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

pub(super) fn load(home: &Home, cwd: Option<&Path>) -> SessionLoad {
    let root = codex_root(home);
    let reader = Reader::new(home, cwd, std::slice::from_ref(&root));
    let cap = Cap::whole(codex_source());
    let mut load = SessionLoad::default();
    let Some(cwd) = cwd else {
        first(
            &reader,
            &root,
            None,
            &mut |text| limited(text, &cap, None),
            &mut load,
        );
        return load;
    };
    let from = git_root(cwd).unwrap_or(cwd);
    let mut left = PROJECT_BYTES;
    for folder in down(from, cwd) {
        let mut measured = |text: String| {
            let most = left;
            left = left.saturating_sub(text.len() as u64);
            limited(text, &cap, Some(Limit::of(Unit::Bytes, most)))
        };
        first(&reader, &folder, Some(cwd), &mut measured, &mut load);
    }
    load
}

/// The first of the names that a folder holds; a blank one is passed over.
fn first(
    reader: &Reader,
    folder: &Path,
    project: Option<&Path>,
    measured: &mut dyn FnMut(String) -> Content,
    load: &mut SessionLoad,
) {
    for name in NAMES {
        let path = folder.join(name);
        let content = match reader.read(&path) {
            Read::Missing => continue,
            Read::Text(text) if text.trim().is_empty() => continue,
            Read::Text(text) => measured(text),
            Read::Refused(why) => Content::NotRead(why),
        };
        load.files
            .push(entry(path, AlwaysKind::Instructions, project, content));
        return;
    }
}
