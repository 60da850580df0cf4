//! The operating systems whose rules for names and paths differ. The system is a value, so that each rule is tested on
//! every system.
//!
//! Properties checked: all spellings of a path of Windows have one form; on Linux a path never changes.

use std::borrow::Cow;

use crate::paths::{VERBATIM, VERBATIM_SHARE};
use crate::spelling::{composed, without_case};

/// A system by its rules for names and paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux, and every system without rules of its own here: each byte of a name counts.
    Linux,
    /// macOS, whose disks usually ignore case and composition.
    MacOs,
    /// Windows, whose disks usually ignore case.
    Windows,
}

/// Where shells that run on Windows mount its drives: Git Bash, WSL, Cygwin.
const DRIVE_MOUNTS: [&str; 3] = ["/", "/mnt/", "/cygdrive/"];

impl System {
    /// The system that this program was compiled for.
    pub const CURRENT: System = if cfg!(windows) {
        System::Windows
    } else if cfg!(target_vendor = "apple") {
        System::MacOs
    } else {
        System::Linux
    };

    /// Name of the environment variable of the home folder.
    pub fn home_variable(self) -> &'static str {
        match self {
            System::Windows => "USERPROFILE",
            System::Linux | System::MacOs => "HOME",
        }
    }

    /// Returns a form that is the same for two names which a usual disk of this system takes for one. Some disks
    /// distinguish more; where that matters, ask the disk with [`spelled`](crate::spelled).
    pub fn name_key(self, name: &str) -> Cow<'_, str> {
        match self {
            System::Linux => Cow::Borrowed(name),
            System::MacOs => Cow::Owned(without_case(&composed(name))),
            System::Windows => Cow::Owned(without_case(name)),
        }
    }

    /// Returns whether a usual disk of this system takes two names for one.
    pub fn is_same_name(self, one: &str, other: &str) -> bool {
        one == other || self.name_key(one) == self.name_key(other)
    }

    /// Returns whether a usual disk of this system takes two absolute paths for one, as another program may have written them.
    pub fn is_same_path(self, one: &str, other: &str) -> bool {
        let key = |path: &str| {
            let plain = self.plain_path(path);
            let plain = match self {
                System::Windows => Cow::Owned(plain.replace('/', r"\")),
                System::Linux | System::MacOs => plain,
            };
            self.name_key(&plain).into_owned()
        };
        one == other || key(one) == key(other)
    }

    /// Returns a path that another program wrote, in the form that this system opens. On Windows, shells name the folder
    /// `C:\notes` also `c:\notes`, `\\?\C:\notes`, `/c/notes` (Git Bash) and `/mnt/c/notes` (WSL); separators stay as
    /// they are. Elsewhere a path is returned unchanged.
    pub fn plain_path(self, path: &str) -> Cow<'_, str> {
        if self != System::Windows {
            return Cow::Borrowed(path);
        }
        if let Some(share) = path.strip_prefix(VERBATIM_SHARE) {
            return Cow::Owned(format!(r"\\{share}"));
        }
        let path = path.strip_prefix(VERBATIM).unwrap_or(path);
        if let Some((letter, rest)) = drive(path) {
            return match letter.is_ascii_uppercase() {
                true => Cow::Borrowed(path),
                false => Cow::Owned(format!("{}:{rest}", letter.to_ascii_uppercase())),
            };
        }
        let mounted = DRIVE_MOUNTS.iter().find_map(|mount| {
            let inner = path.strip_prefix(mount)?;
            let letter = inner.chars().next().filter(char::is_ascii_alphabetic)?;
            let rest = &inner[1..];
            (rest.is_empty() || rest.starts_with('/')).then_some((letter, rest))
        });
        match mounted {
            Some((letter, "")) => Cow::Owned(format!("{}:/", letter.to_ascii_uppercase())),
            Some((letter, rest)) => Cow::Owned(format!("{}:{rest}", letter.to_ascii_uppercase())),
            None => Cow::Borrowed(path),
        }
    }
}

/// Returns the letter of the drive that a path begins with, and what follows its colon.
fn drive(path: &str) -> Option<(char, &str)> {
    let letter = path.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = path[1..].strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with(['/', '\\'])).then_some((letter, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_of_windows_has_one_form() {
        for (written, plain) in [
            (r"c:\Users\iris", r"C:\Users\iris"),
            (r"C:\Users\iris", r"C:\Users\iris"),
            ("c:/Users/iris", "C:/Users/iris"),
            (r"\\?\c:\Users", r"C:\Users"),
            (r"\\?\UNC\server\share\a.md", r"\\server\share\a.md"),
            ("/c/Users/iris", "C:/Users/iris"),
            ("/C/Users/iris", "C:/Users/iris"),
            ("/mnt/d/notes", "D:/notes"),
            ("/cygdrive/c/notes", "C:/notes"),
            ("/c", "C:/"),
            ("/mnt/wsl/notes", "/mnt/wsl/notes"),
            ("/code/notes", "/code/notes"),
            ("/mnt/c:/notes", "/mnt/c:/notes"),
            (r"\\server\share", r"\\server\share"),
            ("notes/a.md", "notes/a.md"),
            ("cc:/x", "cc:/x"),
            ("c:x", "c:x"),
            ("", ""),
        ] {
            assert_eq!(System::Windows.plain_path(written), plain, "{written}");
            assert_eq!(System::Linux.plain_path(written), written);
            assert_eq!(System::MacOs.plain_path(written), written);
        }
    }

    #[test]
    fn the_variable_of_the_home_folder_is_that_of_the_system() {
        for (system, variable) in [
            (System::Linux, "HOME"),
            (System::MacOs, "HOME"),
            (System::Windows, "USERPROFILE"),
        ] {
            assert_eq!(system.home_variable(), variable);
        }
    }

    #[test]
    fn names_are_compared_as_the_system_does() {
        let (upper, composed, decomposed) = ("Otter.md", "\u{e9}.md", "e\u{301}.md");
        for (system, ignores_case, ignores_form) in [
            (System::Linux, false, false),
            (System::Windows, true, false),
            (System::MacOs, true, true),
        ] {
            assert!(system.is_same_name(upper, upper));
            assert_eq!(system.is_same_name(upper, "oTTER.MD"), ignores_case);
            assert_eq!(system.is_same_name(composed, "\u{c9}.md"), ignores_case);
            assert_eq!(system.is_same_name(composed, decomposed), ignores_form);
            assert!(!system.is_same_name(upper, "heron.md"));
        }
    }

    #[test]
    fn paths_are_compared_as_the_system_does() {
        let windows = r"C:\Users\Iris\CLAUDE.md";
        for (one, other, system) in [
            (windows, "/c/users/iris/claude.md", System::Windows),
            (windows, r"\\?\c:\Users\Iris\CLAUDE.md", System::Windows),
            ("/Users/e\u{301}/a.md", "/users/\u{e9}/A.md", System::MacOs),
        ] {
            assert!(system.is_same_path(one, other), "{one} {other}");
            assert!(system.is_same_path(other, one), "{one} {other}");
            assert!(system.is_same_path(one, one));
            assert!(!System::Linux.is_same_path(one, other), "{one} {other}");
        }
        assert!(!System::Windows.is_same_path(windows, r"D:\Users\Iris\CLAUDE.md"));
    }

    proptest! {
        #[test]
        fn every_spelling_of_a_drive_leads_to_the_same_path(
            letter in "[a-zA-Z]",
            inner in "(/[a-zA-Z ü.]{1,4}){1,3}",
        ) {
            let upper = letter.to_uppercase();
            let expected = format!("{upper}:{inner}");
            for prefix in [
                format!("{letter}:"),
                format!(r"\\?\{letter}:"),
                format!("/{letter}"),
                format!("/mnt/{letter}"),
                format!("/cygdrive/{letter}"),
            ] {
                let written = format!("{prefix}{inner}");
                let plain = System::Windows.plain_path(&written);
                prop_assert_eq!(&plain, &expected);
                prop_assert_eq!(System::Windows.plain_path(&plain), plain.clone());
            }
        }
    }
}
