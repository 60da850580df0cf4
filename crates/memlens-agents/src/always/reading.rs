//! Which files may be read, and their text.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::home::Home;
use crate::loaded::read;

/// Instruction files are written by hand; larger ones are not read.
const BYTES_MAX: u64 = 4 << 20;

/// Reads files below some folders.
pub(super) struct Reader {
    /// The folders with their links resolved.
    roots: Vec<PathBuf>,
    /// Hidden folders in which files may be read: those of the agent.
    own: Vec<PathBuf>,
}

/// Result of reading a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    Text(String),
    Missing,
    /// The file was refused; the reason, for the user.
    Refused(String),
}

impl Reader {
    /// Reads below the home folder and the session's folder; in hidden folders only where these are the agent's own.
    pub fn new(home: &Home, cwd: Option<&Path>, own: &[PathBuf]) -> Reader {
        let real = |path: &Path| memlens_files::canonical(path).ok();
        let roots = [Some(home.folder()), cwd];
        Reader {
            roots: roots.into_iter().flatten().filter_map(real).collect(),
            own: own.iter().filter_map(|path| real(path)).collect(),
        }
    }

    /// The text of a file.
    pub fn read(&self, path: &Path) -> Read {
        match path.symlink_metadata() {
            Err(_) => return Read::Missing,
            Ok(found) if found.is_symlink() => {
                return Read::Refused("it is a link, and links are not followed".to_owned());
            }
            Ok(found) if !found.is_file() => {
                return Read::Refused("it is not a regular file".to_owned());
            }
            Ok(found) if found.len() > BYTES_MAX => {
                return Read::Refused(format!("it is larger than {} MiB", BYTES_MAX >> 20));
            }
            Ok(_) => {}
        }
        // Folders on the way may be links.
        let Ok(real) = memlens_files::canonical(path) else {
            return Read::Missing;
        };
        if let Some(why) = self.refused(&real) {
            return Read::Refused(why.to_owned());
        }
        match read(&real) {
            Ok(Some(text)) if text.contains('\0') => {
                Read::Refused("it is not a text file".to_owned())
            }
            Ok(Some(text)) => Read::Text(text),
            Ok(None) => Read::Missing,
            Err(why) => Read::Refused(why),
        }
    }

    fn refused(&self, real: &Path) -> Option<&'static str> {
        if self.own.iter().any(|own| real.starts_with(own)) {
            return None;
        }
        // A session's folder may itself be in a hidden one.
        let inner = self
            .roots
            .iter()
            .filter_map(|root| real.strip_prefix(root).ok());
        let Some(inner) = inner.min_by_key(|inner| inner.components().count()) else {
            return Some("it is outside the home folder and the project");
        };
        let is_hidden = |part: Component<'_>| {
            part.as_os_str().to_string_lossy().starts_with('.') && part.as_os_str() != ".claude"
        };
        inner
            .components()
            .any(is_hidden)
            .then_some("it is hidden, or in a hidden folder that is not the agent's")
    }
}

/// The Markdown files below a folder, sorted; links are left out.
pub(super) fn markdown_below(folder: &Path, depth: u32) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = Vec::new();
    let is_link = folder
        .symlink_metadata()
        .is_ok_and(|found| found.is_symlink());
    if is_link {
        return found;
    }
    for entry in fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(2_000)
    {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let path = entry.path();
        if kind.is_dir() && depth > 0 {
            folders.push(path);
        } else if kind.is_file() && path.extension().is_some_and(|it| it == "md") {
            found.push(path);
        }
    }
    for folder in folders {
        found.extend(markdown_below(&folder, depth - 1));
    }
    found.sort();
    found
}
