//! What Claude Code 2.1.332 loads beside its memory: `CLAUDE.md` files with their imports, and rules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex::Regex;

use super::chain::{down, normal};
use super::reading::{Read, markdown_below};
use super::{AlwaysKind, AlwaysLoaded, Content, Reader, SessionLoad, entry, imports, whole};
use crate::agent::{Cap, Keeps, Removed, Source};
use crate::agents::{claude_code_root, claude_code_source};
use crate::claude_settings::ClaudeSettings;
use crate::home::Home;

/// Maximum depth of nested imports.
const DEPTH_MAX: u32 = 4;

struct Loader<'a> {
    home: &'a Home,
    cwd: Option<&'a Path>,
    reader: Reader,
    cap: Cap,
    excludes: Vec<(Regex, String)>,
    /// The variable that keeps every file from being loaded, in words.
    off: Option<String>,
    seen: BTreeSet<PathBuf>,
    load: SessionLoad,
}

pub(super) fn load(home: &Home, cwd: Option<&Path>) -> SessionLoad {
    let root = claude_code_root(home);
    let source: Source = claude_code_source();
    let mut loader = Loader {
        home,
        cwd,
        reader: Reader::new(home, cwd, std::slice::from_ref(&root)),
        cap: Cap {
            removed: &[Removed::FrontMatter, Removed::BlockComments],
            limits: Vec::new(),
            keeps: Keeps::Beginning,
            entries_split_by: None,
            source,
        },
        excludes: Vec::new(),
        off: None,
        seen: BTreeSet::new(),
        load: SessionLoad::default(),
    };
    let settings = ClaudeSettings::read(home, cwd);
    if let Some(why) = settings.no_instructions() {
        // Files are listed all the same, as not loaded.
        loader.load.switches.push(format!(
            "{why}, so Claude Code loads neither CLAUDE.md files nor MEMORY.md"
        ));
        loader.off = Some(why);
    }
    for (pattern, shown) in settings.excludes() {
        if let Some(regex) = glob(pattern) {
            loader
                .excludes
                .push((regex, format!("claudeMdExcludes in {shown} names it")));
        }
    }
    match cwd {
        None => {
            loader.file(&root.join("CLAUDE.md"), AlwaysKind::Instructions, None);
            loader.rules(&root.join("rules"), None);
        }
        Some(cwd) => {
            for folder in down(Path::new("/"), cwd) {
                let project = Some(cwd);
                // The user's own files are not those of a project, though they are in a folder above it.
                if folder.join(".claude") != root {
                    loader.file(&folder.join("CLAUDE.md"), AlwaysKind::Instructions, project);
                    loader.file(
                        &folder.join(".claude/CLAUDE.md"),
                        AlwaysKind::Instructions,
                        project,
                    );
                    loader.rules(&folder.join(".claude/rules"), project);
                } else {
                    loader.file(&folder.join("CLAUDE.md"), AlwaysKind::Instructions, project);
                }
                loader.file(
                    &folder.join("CLAUDE.local.md"),
                    AlwaysKind::Instructions,
                    project,
                );
            }
        }
    }
    loader.load
}

impl Loader<'_> {
    fn rules(&mut self, folder: &Path, project: Option<&Path>) {
        for path in markdown_below(folder, 8) {
            self.file(&path, AlwaysKind::Rule, project);
        }
    }

    fn file(&mut self, path: &Path, kind: AlwaysKind, project: Option<&Path>) {
        self.file_at(path, kind, project, None, 0);
    }

    fn file_at(
        &mut self,
        path: &Path,
        kind: AlwaysKind,
        project: Option<&Path>,
        by: Option<&Path>,
        depth: u32,
    ) {
        if !self.seen.insert(path.to_owned()) {
            return;
        }
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
        let shown = path.to_string_lossy();
        let mut excludes = self.excludes.iter();
        let excluded = excludes.find(|(regex, _)| regex.is_match(&shown));
        if let Some(why) = excluded.map(|(_, why)| why).or(self.off.as_ref()) {
            let content = Content::NotLoaded(why.clone());
            self.load.files.push(one(content));
            return;
        }
        if kind == AlwaysKind::Rule && has_paths(&text) {
            let why = "its front matter has paths, so it is loaded only with such files";
            self.load
                .files
                .push(one(Content::NotLoaded(why.to_owned())));
            return;
        }
        let names = imports::claude(&text);
        self.load.files.push(one(whole(text, &self.cap)));
        for name in names {
            self.import(&name, path, project, depth);
        }
    }

    /// Loads what a file imports by a name; `depth` is that of the file.
    fn import(&mut self, name: &str, by: &Path, project: Option<&Path>, depth: u32) {
        let Some(folder) = by.parent() else { return };
        let import = self
            .home
            .expanded(name)
            .unwrap_or_else(|| folder.join(name));
        let import = normal(&import);
        // Words such as @someone are no imports.
        if self.seen.contains(&import) || !is_file(&import) && import.extension().is_none() {
            return;
        }
        let is_outside = self
            .cwd
            .is_some_and(|cwd| project.is_some() && !import.starts_with(cwd));
        let mut push = |content| {
            self.load.files.push(AlwaysLoaded {
                by: Some(by.to_owned()),
                ..entry(import.clone(), AlwaysKind::Import, project, content)
            });
        };
        if depth == DEPTH_MAX {
            if is_file(&import) {
                let why = format!("it is imported more than {DEPTH_MAX} deep");
                push(Content::NotLoaded(why));
            }
        } else if is_outside {
            let why =
                "it is outside the project, so Claude Code loads it only after you agreed there";
            push(Content::NotRead(why.to_owned()));
            self.seen.insert(import);
        } else {
            self.file_at(&import, AlwaysKind::Import, project, Some(by), depth + 1);
        }
    }
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| !found.is_dir())
}

/// Whether the front matter of a rule names the paths that it is for.
fn has_paths(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("---") else {
        return false;
    };
    let Some(end) = rest.find("\n---") else {
        return false;
    };
    rest[..end].lines().any(|line| line.starts_with("paths:"))
}

/// A pattern over whole paths: `*` and `?` within a name, `**` over folders, `{a,b}`.
fn glob(pattern: &str) -> Option<Regex> {
    let mut regex = String::from("^");
    let mut rest = pattern.chars().peekable();
    let mut n_open = 0_u32;
    while let Some(next) = rest.next() {
        match next {
            '*' if rest.peek() == Some(&'*') => {
                rest.next();
                if rest.peek() == Some(&'/') {
                    rest.next();
                    regex.push_str("(?:.*/)?");
                } else {
                    regex.push_str(".*");
                }
            }
            '*' => regex.push_str("[^/]*"),
            '?' => regex.push_str("[^/]"),
            '{' => {
                n_open += 1;
                regex.push_str("(?:");
            }
            '}' if n_open > 0 => {
                n_open -= 1;
                regex.push(')');
            }
            ',' if n_open > 0 => regex.push('|'),
            next => regex.push_str(&regex::escape(&next.to_string())),
        }
    }
    regex.push('$');
    Regex::new(&regex).ok()
}
