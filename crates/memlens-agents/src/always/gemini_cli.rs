//! What Gemini CLI 0.61.0 loads beside its memory: `GEMINI.md` files, and those that its settings name, with their imports, whole.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::chain::{down, git_root, normal};
use super::reading::Read;
use super::{AlwaysKind, AlwaysLoaded, Content, Reader, SessionLoad, entry, imports, whole};
use crate::agent::Cap;
use crate::agents::{gemini_cli_names, gemini_cli_source};
use crate::home::Home;

/// Maximum depth of nested imports.
const DEPTH_MAX: u32 = 5;

struct Loader<'a> {
    reader: Reader,
    cap: Cap,
    project: Option<&'a Path>,
    seen: BTreeSet<PathBuf>,
    load: SessionLoad,
}

pub(super) fn load(home: &Home, cwd: Option<&Path>) -> SessionLoad {
    let own = home.join(".gemini");
    let mut loader = Loader {
        reader: Reader::new(home, cwd, std::slice::from_ref(&own)),
        cap: Cap::whole(gemini_cli_source()),
        project: cwd,
        seen: BTreeSet::new(),
        load: SessionLoad::default(),
    };
    let (names, findings) = gemini_cli_names(home, cwd);
    let Some(cwd) = cwd else {
        // What is wrong with the user's settings is reported where the agent is found.
        for name in &names {
            loader.file(&normal(&own.join(name)), &own, None, 0);
        }
        return loader.load;
    };
    let (of_user, known) = gemini_cli_names(home, None);
    let is_new = |finding: &String| !known.contains(finding);
    loader.load.switches = findings.into_iter().filter(is_new).collect();
    // The settings of a project rename the user's own files too.
    if names != of_user {
        for name in &names {
            loader.file(&normal(&own.join(name)), &own, None, 0);
        }
    }
    for folder in down(git_root(cwd).unwrap_or(cwd), cwd) {
        let root = git_root(&folder).unwrap_or(&folder);
        for name in &names {
            loader.file(&normal(&folder.join(name)), root, None, 0);
        }
    }
    loader.load
}

impl Loader<'_> {
    /// `root` is the folder that imports have to be below.
    fn file(&mut self, path: &Path, root: &Path, by: Option<&Path>, depth: u32) {
        if !self.seen.insert(path.to_owned()) {
            return;
        }
        let kind = match by {
            None => AlwaysKind::Instructions,
            Some(_) => AlwaysKind::Import,
        };
        let project = self.project;
        let one = |content| AlwaysLoaded {
            by: by.map(Path::to_owned),
            ..entry(path.to_owned(), kind, project, content)
        };
        let text = match self.reader.read(path) {
            Read::Text(text) => text,
            Read::Refused(why) => {
                self.load.files.push(one(Content::NotRead(why)));
                return;
            }
            Read::Missing => {
                if kind == AlwaysKind::Import {
                    let so = "so nothing is imported".to_owned();
                    self.load.files.push(one(Content::Missing(so)));
                }
                return;
            }
        };
        let names = if depth < DEPTH_MAX {
            imports::gemini(&text)
        } else {
            Vec::new()
        };
        self.load.files.push(one(whole(text, &self.cap)));
        let Some(folder) = path.parent() else { return };
        for name in names {
            let import = normal(&folder.join(&name));
            // Words such as @someone are no imports.
            if import.extension().is_none() && import.symlink_metadata().is_err() {
                continue;
            }
            if import.starts_with(root) {
                self.file(&import, root, Some(path), depth + 1);
            } else {
                let why = "it is outside the folder that imports may come from, so Gemini CLI does not load it".to_owned();
                let mut file = entry(import, AlwaysKind::Import, project, Content::NotLoaded(why));
                file.by = Some(path.to_owned());
                self.load.files.push(file);
            }
        }
    }
}
