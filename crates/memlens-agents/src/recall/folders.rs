//! The places where an agent keeps notes that its tools for files may read.
//!
//! Properties checked: a path is judged by its parts, relative ones from the folder that the session works in; on each
//! system names are compared as its disks do.

use std::path::Path;

use memlens_files::System;

use crate::home::Home;

/// A set of places, each split into its parts; a part that ends in `*` matches by prefix.
#[derive(Debug)]
pub(super) struct Folders {
    places: Vec<Vec<String>>,
    /// Places within the folder that a session works in.
    within: Vec<Vec<String>>,
    home: String,
    /// Variables that commands may name, with their values.
    variables: Vec<(&'static str, String)>,
    system: System,
}

impl Folders {
    pub fn new(home: &Home) -> Folders {
        let folder = home.folder().to_string_lossy().into_owned();
        let of_windows =
            (home.system() == System::Windows).then(|| ("USERPROFILE", folder.clone()));
        Folders {
            places: Vec::new(),
            within: Vec::new(),
            variables: [("HOME", folder.clone())]
                .into_iter()
                .chain(of_windows)
                .collect(),
            home: folder,
            system: home.system(),
        }
    }

    /// With a place below a folder.
    pub fn with(mut self, folder: &Path, place: &str) -> Folders {
        let whole = format!("{}/{place}", folder.to_string_lossy());
        self.places.push(parts(self.system, &whole));
        self
    }

    /// With a place within the folder that a session works in.
    pub fn with_in_session(mut self, place: &str) -> Folders {
        self.within.push(parts(self.system, place));
        self
    }

    /// With a variable that commands may name.
    pub fn with_variable(mut self, name: &'static str, folder: &Path) -> Folders {
        let said = folder.to_string_lossy().into_owned();
        self.variables.push((name, said));
        self
    }

    /// System on which the commands ran.
    pub fn system(&self) -> System {
        self.system
    }

    /// Whether one of the places is the path or a parent of it, by names as the system compares them.
    pub fn hold(&self, path: &str, session_folder: Option<&str>) -> bool {
        let path = parts(self.system, &self.whole(path, session_folder));
        let is_in = |place: &[String]| {
            place.len() <= path.len()
                && place
                    .iter()
                    .zip(&path)
                    .all(|(place, part)| self.is_part(place, part))
        };
        let session = session_folder.map(|folder| parts(self.system, folder));
        let session = session.unwrap_or_default();
        self.places.iter().any(|place| is_in(place))
            || (!session.is_empty()
                && self
                    .within
                    .iter()
                    .any(|place| is_in(&[&session[..], place].concat())))
    }

    fn is_part(&self, place: &str, part: &str) -> bool {
        match place.strip_suffix('*') {
            None => self.system.is_same_name(place, part),
            Some(beginning) => {
                let key = self.system.name_key(part);
                key.starts_with(&*self.system.name_key(beginning))
            }
        }
    }

    /// The same as [`Folders::whole`], without `.` and `..`.
    pub fn settled(&self, path: &str, from: Option<&str>) -> String {
        let whole = self.whole(path, from);
        let root = if self.system == System::Windows && whole.starts_with(r"\\") {
            "//"
        } else if whole.starts_with(['/', '\\']) {
            "/"
        } else {
            ""
        };
        format!("{root}{}", parts(self.system, &whole).join("/"))
    }

    /// An absolute path for one that may begin with `~` or a variable, or be relative to a folder.
    pub fn whole(&self, path: &str, from: Option<&str>) -> String {
        if let Some(inner) = path.strip_prefix('~') {
            return format!("{}{inner}", self.home);
        }
        if let Some((value, inner)) = self.variable_before(path) {
            return format!("{value}{inner}");
        }
        let path = self.system.plain_path(path);
        match from {
            Some(from) if !is_absolute(&path) => format!("{from}/{path}"),
            _ => path.into_owned(),
        }
    }

    /// The value of the variable that a path begins with, and the rest of the path.
    fn variable_before<'p>(&self, path: &'p str) -> Option<(&str, &'p str)> {
        if !path.starts_with(['$', '%']) {
            return None;
        }
        self.variables.iter().find_map(|(name, value)| {
            let shells = [
                format!("${name}"),
                format!("${{{name}}}"),
                format!("$env:{name}"),
                format!("${{env:{name}}}"),
                format!("%{name}%"),
            ];
            // Only cmd.exe knows the last one.
            let is_windows = self.system == System::Windows;
            let n_known = shells.len() - usize::from(!is_windows);
            let inner = shells[..n_known].iter().find_map(|named| {
                let (beginning, inner) = path.split_at_checked(named.len())?;
                // Only Windows ignores the case of variables.
                let is_it =
                    beginning == named || (is_windows && beginning.eq_ignore_ascii_case(named));
                is_it.then_some(inner)
            })?;
            (inner.is_empty() || inner.starts_with(['/', '\\'])).then_some((value.as_str(), inner))
        })
    }
}

/// Whether a path depends on no folder, on the system that it is of.
pub(super) fn is_absolute(path: &str) -> bool {
    let has_drive =
        matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    has_drive || path.starts_with(['/', '\\'])
}

/// Parts of a path, in the form of the system; `..` removes the part before it.
pub(super) fn parts(system: System, path: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in system.plain_path(path).split(['/', '\\']) {
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
            "%HOME%/.claude/projects/x/memory",
            "",
        ] {
            assert!(!folders.hold(outside, work), "{outside}");
        }
        assert!(!folders.hold("memory/a.md", None));
    }

    #[test]
    fn paths_of_windows_are_known_in_every_spelling() {
        let home = Home::new(Path::new(r"C:\Users\Iris")).on(System::Windows);
        let folders = Folders::new(&home)
            .with(Path::new(r"C:\Users\Iris\.claude"), "projects/*/memory")
            .with(Path::new(r"C:\Users\Iris\.codex"), "memories")
            .with_in_session("memory")
            .with_variable("CODEX_HOME", Path::new(r"C:\Users\Iris\.codex"));
        let work = Some(r"c:\Users\iris\garden");
        for inside in [
            r"C:\Users\Iris\.claude\projects\x\memory\pond.md",
            r"c:\users\iris\.CLAUDE\projects\x\Memory\pond.md",
            r"\\?\C:\Users\Iris\.codex\memories\a.md",
            "/c/Users/Iris/.codex/memories/a.md",
            "/mnt/c/Users/Iris/.codex/memories/a.md",
            r"$env:USERPROFILE\.codex\memories\a.md",
            r"${env:userprofile}\.codex\memories",
            r"$HOME\.codex\memories",
            r"%USERPROFILE%\.codex\memories\a.md",
            r"$env:CODEX_HOME\memories\a.md",
            r"~\.codex\memories\a.md",
            r"memory\a.md",
            r"C:\Users\Iris\garden\memory\a.md",
            "/c/Users/Iris/garden/memory/a.md",
        ] {
            assert!(folders.hold(inside, work), "{inside}");
        }
        for outside in [
            r"D:\Users\Iris\.codex\memories\a.md",
            "/d/Users/Iris/.codex/memories/a.md",
            r"C:\Users\Iris\.codex\memories-old\a.md",
            r"C:\Users\Iris\.codex\memories\..\auth.json",
            r"%USERPROFILES%\.codex\memories\a.md",
            "Users/Iris/.codex/memories",
        ] {
            assert!(!folders.hold(outside, work), "{outside}");
        }
        for (path, settled) in [
            ("/c/notes/./a.md", "C:/notes/a.md"),
            (r"\\server\share\x\..\a.md", "//server/share/a.md"),
            (r"memory\a.md", "C:/Users/iris/garden/memory/a.md"),
        ] {
            assert_eq!(folders.settled(path, work), settled, "{path}");
        }
    }

    #[test]
    fn case_counts_where_the_system_says_so() {
        let place = Path::new("/home/iris/.codex");
        for (system, other_case, other_form) in [
            (System::Linux, false, false),
            (System::MacOs, true, true),
            (System::Windows, true, false),
        ] {
            let home = Home::new(Path::new("/home/iris")).on(system);
            let folders = Folders::new(&home).with(place, "m\u{e9}moires*");
            let holds = |path: &str| folders.hold(path, None);
            assert!(holds("/home/iris/.codex/m\u{e9}moires-2/a.md"));
            assert_eq!(holds("/home/Iris/.Codex/M\u{c9}MOIRES/a.md"), other_case);
            assert_eq!(holds("/home/iris/.codex/me\u{301}moires/a.md"), other_form);
        }
    }
}
