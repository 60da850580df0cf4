//! The places where an agent keeps notes that its tools for files may read.
//!
//! Properties checked: a path is judged by its parts, relative ones from the folder that the session works in.

use std::path::Path;

use crate::home::Home;

/// A set of places, each split into its parts; a part that ends in `*` matches by prefix.
#[derive(Debug, Default)]
pub(super) struct Folders {
    places: Vec<Vec<String>>,
    /// Places within the folder that a session works in.
    within: Vec<Vec<String>>,
    home: String,
    /// Variables that commands may name, with their values.
    variables: Vec<(&'static str, String)>,
}

impl Folders {
    pub fn new(home: &Home) -> Folders {
        Folders {
            home: home.folder().to_string_lossy().into_owned(),
            ..Folders::default()
        }
    }

    /// With a place below a folder.
    pub fn with(mut self, folder: &Path, place: &str) -> Folders {
        let whole = format!("{}/{place}", folder.to_string_lossy());
        self.places.push(parts(&whole));
        self
    }

    /// With a place within the folder that a session works in.
    pub fn with_in_session(mut self, place: &str) -> Folders {
        self.within.push(parts(place));
        self
    }

    /// With a variable that commands may name.
    pub fn with_variable(mut self, name: &'static str, folder: &Path) -> Folders {
        let said = folder.to_string_lossy().into_owned();
        self.variables.push((name, said));
        self
    }

    /// Whether one of the places is the path or a parent of it.
    pub fn hold(&self, path: &str, session_folder: Option<&str>) -> bool {
        let path = parts(&self.whole(path, session_folder));
        let is_in = |place: &[String]| {
            place.len() <= path.len()
                && place.iter().zip(&path).all(|(place, part)| {
                    let beginning = place.strip_suffix('*');
                    beginning.map_or(place == part, |beginning| part.starts_with(beginning))
                })
        };
        let session = session_folder.map(parts).unwrap_or_default();
        self.places.iter().any(|place| is_in(place))
            || (!session.is_empty()
                && self
                    .within
                    .iter()
                    .any(|place| is_in(&[&session[..], place].concat())))
    }

    /// The same as [`Folders::whole`], without `.` and `..`.
    pub fn settled(&self, path: &str, from: Option<&str>) -> String {
        let whole = self.whole(path, from);
        let root = if whole.starts_with(['/', '\\']) {
            "/"
        } else {
            ""
        };
        format!("{root}{}", parts(&whole).join("/"))
    }

    /// An absolute path for one that may begin with `~` or a variable, or be relative to a folder.
    pub fn whole(&self, path: &str, from: Option<&str>) -> String {
        if let Some(inner) = path.strip_prefix('~') {
            return format!("{}{inner}", self.home);
        }
        let variables = self
            .variables
            .iter()
            .map(|(name, said)| (*name, said.as_str()));
        for (name, said) in variables.chain([("HOME", self.home.as_str())]) {
            for named in [format!("${name}"), format!("${{{name}}}")] {
                if let Some(inner) = path.strip_prefix(&named)
                    && (inner.is_empty() || inner.starts_with('/'))
                {
                    return format!("{said}{inner}");
                }
            }
        }
        let is_absolute = path.starts_with(['/', '\\']) || path.get(1..3) == Some(":\\");
        match from {
            Some(from) if !is_absolute => format!("{from}/{path}"),
            _ => path.to_owned(),
        }
    }
}

/// Parts of a path; `..` removes the part before it.
fn parts(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part.to_owned()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_judged_by_its_parts() {
        let home = Home::new(Path::new("/home/iris"));
        let folders = Folders::new(&home)
            .with(Path::new("/home/iris/.claude"), "projects/*/memory")
            .with(Path::new("/home/iris/.openclaw"), "workspace*/MEMORY.md")
            .with_in_session("memory")
            .with_variable("CLAUDE_CONFIG_DIR", Path::new("/home/iris/.claude"));
        let work = Some("/home/iris/notes");
        for inside in [
            "/home/iris/.claude/projects/-home-iris-garden/memory/pond.md",
            "~/.claude/projects/x/memory",
            "$HOME/.claude/projects/x/y/../memory/a/b.md",
            "${CLAUDE_CONFIG_DIR}/projects/x/memory/",
            "/home/iris/.openclaw/workspace-ada/MEMORY.md",
            "memory/2026-04-11.md",
            "./memory",
            "/home/iris/notes/memory/a.md",
        ] {
            assert!(folders.hold(inside, work), "{inside}");
        }
        for outside in [
            "/home/iris/.claude/projects/memory",
            "/home/iris/.claude/projects/x/memory-old/a.md",
            "/home/iris/.claude/projects/x/memory/../../secret",
            "src/memory/mod.rs",
            "$HOMESTEAD/.claude/projects/x/memory",
            "",
        ] {
            assert!(!folders.hold(outside, work), "{outside}");
        }
        assert!(!folders.hold("memory/a.md", None));
    }
}
