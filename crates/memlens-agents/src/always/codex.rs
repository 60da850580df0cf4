//! What Codex 0.169.0 loads beside its memory: `AGENTS.md` files from the project's root down to the session's folder.

use std::path::{Path, PathBuf};

use super::chain::down;
use super::reading::Read;
use super::{AlwaysKind, Content, Reader, SessionLoad, entry, limited};
use crate::agent::{Cap, Limit, Unit};
use crate::agents::{codex_root, codex_source};
use crate::codex_settings::CodexSettings;
use crate::home::Home;

const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

pub(super) fn load(home: &Home, cwd: Option<&Path>) -> SessionLoad {
    let root = codex_root(home);
    let reader = Reader::new(home, cwd, std::slice::from_ref(&root));
    let cap = Cap::whole(codex_source());
    let mut load = SessionLoad::default();
    let Some(cwd) = cwd else {
        for name in NAMES {
            let found = reader.read(&root.join(name));
            let is_blank = matches!(&found, Read::Text(text) if text.trim().is_empty());
            // Here, unlike in a project, a blank file is skipped.
            if !is_blank && found != Read::Missing {
                let mut measured = |text| limited(text, &cap, None);
                add(found, root.join(name), None, &mut measured, &mut load);
                break;
            }
        }
        return load;
    };
    let settings = CodexSettings::read(home, Some(cwd));
    let mut names: Vec<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
    names.extend(settings.fallback_names());
    let mut left = settings.project_bytes();
    // What is wrong with the user's config is reported where the agent is found.
    let known = CodexSettings::read(home, None).findings;
    let findings = settings.findings.iter();
    load.switches
        .extend(findings.filter(|it| !known.contains(it)).cloned());
    let nothing = if settings.distrusts(cwd) {
        Some("the project is untrusted")
    } else {
        (left == 0).then_some("project_doc_max_bytes is 0")
    };
    if let Some(why) = nothing {
        load.switches.push(format!(
            "{why} in Codex's config for {}, so Codex loads no AGENTS.md of the project there",
            home.shown(cwd)
        ));
        return load;
    }
    for folder in down(&settings.project_root(cwd), cwd) {
        let mut measured = |text: String| {
            let most = left;
            left = left.saturating_sub(text.len() as u64);
            limited(text, &cap, Some(Limit::of(Unit::Bytes, most)))
        };
        // The first that exists is the folder's, even if it is blank.
        for name in &names {
            let path = folder.join(name);
            let found = if path.is_dir() {
                Read::Missing
            } else {
                reader.read(&path)
            };
            if found != Read::Missing {
                add(found, path, Some(cwd), &mut measured, &mut load);
                break;
            }
        }
    }
    load
}

fn add(
    found: Read,
    path: PathBuf,
    project: Option<&Path>,
    measured: &mut dyn FnMut(String) -> Content,
    load: &mut SessionLoad,
) {
    let content = match found {
        Read::Missing => return,
        Read::Text(text) if text.trim().is_empty() => return,
        Read::Text(text) => measured(text),
        Read::Refused(why) => Content::NotRead(why),
    };
    load.files
        .push(entry(path, AlwaysKind::Instructions, project, content));
}
