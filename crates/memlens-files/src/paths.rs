//! The one form in which a path is stored, shown and compared: without the verbatim prefix of Windows (`\\?\`), and with
//! `/` in the name of a note.
//!
//! Properties checked: a name is the same on every system; a verbatim path is made plain only if the plain one names the
//! same file.

use std::io;
use std::path::{Component, Path, PathBuf};

/// Returns the absolute path of something that exists, with links resolved and without a verbatim prefix. No other code
/// resolves paths (`cargo xtask tidy` checks it), because a path with that prefix equals none without it.
///
/// # Errors
/// Like [`Path::canonicalize`].
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let resolved = path.canonicalize()?;
    let plain = resolved
        .to_str()
        .filter(|_| cfg!(windows))
        .and_then(without_verbatim_prefix);
    Ok(plain.map_or(resolved, PathBuf::from))
}

/// Returns the name of a note: the names of a relative path, separated by `/` on every system. `None` if it leaves its
/// folder or is not UTF-8.
pub fn with_slashes(path: &Path) -> Option<String> {
    joined(path.components())
}

/// Returns the name of a note by its absolute path and its folder's; `None` if it is not in the folder or not UTF-8.
pub fn name_in(folder: &Path, path: &Path) -> Option<String> {
    with_slashes(path.strip_prefix(folder).ok()?)
}

/// Returns a path as a file in `base` names it: relative with `/` if it is inside `base`, otherwise unchanged.
pub fn name_from(base: &Path, path: &Path) -> String {
    name_in(base, path).unwrap_or_else(|| path.display().to_string())
}

/// Returns the absolute path of a note, with the system's separator.
pub fn path_in(folder: &Path, name: &str) -> PathBuf {
    let mut path = folder.to_owned();
    path.extend(Path::new(name).components());
    path
}

fn joined<'a>(components: impl IntoIterator<Item = Component<'a>>) -> Option<String> {
    let mut names = Vec::new();
    for component in components {
        match component {
            Component::Normal(name) => names.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(names.join("/"))
}

pub(crate) const VERBATIM: &str = r"\\?\";
pub(crate) const VERBATIM_SHARE: &str = r"\\?\UNC\";

/// Names that Windows gives to devices, whatever their extension is.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// Names of devices that a digit follows.
const NUMBERED_DEVICES: [&str; 2] = ["COM", "LPT"];

/// Returns the plain form of a verbatim path of Windows: `C:\notes` of `\\?\C:\notes`, `\\server\share` of
/// `\\?\UNC\server\share`. `None` if it has no such prefix, or if Windows would read the plain form as another path.
fn without_verbatim_prefix(path: &str) -> Option<String> {
    let (root, inner) = match path.strip_prefix(VERBATIM_SHARE) {
        Some(share) => (r"\\", share),
        None => {
            let inner = path.strip_prefix(VERBATIM)?;
            let [letter, b':', b'\\', ..] = inner.as_bytes() else {
                return None;
            };
            letter.is_ascii_alphabetic().then_some(("", inner))?
        }
    };
    let is_plain = inner.split('\\').all(is_plain_name);
    is_plain.then(|| format!("{root}{inner}"))
}

/// Whether Windows reads a name in a plain path as it is: it drops dots and spaces at the end, and opens devices.
fn is_plain_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let is = |device: &str| stem.eq_ignore_ascii_case(device);
    let is_device = DEVICES.into_iter().any(is)
        || NUMBERED_DEVICES
            .into_iter()
            .any(|device| (0..=9).any(|number| is(&format!("{device}{number}"))));
    !is_device && !name.ends_with(['.', ' ']) && !name.contains('/')
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_verbatim_path_becomes_plain_if_it_names_the_same_file() {
        for (verbatim, plain) in [
            (r"\\?\C:\notes\a.md", Some(r"C:\notes\a.md")),
            (r"\\?\c:\", Some(r"c:\")),
            (r"\\?\UNC\server\share\a.md", Some(r"\\server\share\a.md")),
            (
                r"\\?\C:\console\nullable.md",
                Some(r"C:\console\nullable.md"),
            ),
            (r"C:\notes", None),
            (r"\\server\share", None),
            ("/notes", None),
            (r"\\?\C:", None),
            (r"\\?\Volume{1}\notes", None),
            (r"\\.\pipe\a", None),
            (r"\\?\C:\notes\a.", None),
            (r"\\?\C:\notes \a.md", None),
            (r"\\?\C:\notes\nul.md", None),
            (r"\\?\C:\notes\Com1\a.md", None),
            (r"\\?\C:\notes\a/b.md", None),
        ] {
            let found = without_verbatim_prefix(verbatim);
            assert_eq!(found.as_deref(), plain, "{verbatim}");
        }
    }

    #[test]
    fn a_name_stays_in_its_folder() {
        let folder = Path::new("/notes");
        for (path, name) in [
            ("/notes/a/b.md", Some("a/b.md")),
            ("/notes/./a.md", Some("a.md")),
            ("/notes", Some("")),
            ("/notes2/a.md", None),
            ("/notes/../a.md", None),
            ("a.md", None),
        ] {
            assert_eq!(name_in(folder, Path::new(path)).as_deref(), name, "{path}");
        }
        assert_eq!(name_from(folder, Path::new("/notes/a/b.md")), "a/b.md");
        assert_eq!(name_from(folder, Path::new("/other/b.md")), "/other/b.md");
        assert_eq!(name_from(Path::new(""), Path::new("/b.md")), "/b.md");
    }

    proptest! {
        /// The components are those that Windows finds in `a\b.md`, and Linux in `a/b.md`.
        #[test]
        fn a_name_depends_on_components_only(names in prop::collection::vec("[a-cü ]{1,3}", 1..5)) {
            let components = names.iter().map(|name| Component::Normal(OsStr::new(name)));
            let name = names.join("/");
            prop_assert_eq!(joined(components.clone()), Some(name.clone()));
            let with_dots = components.flat_map(|one| [Component::CurDir, one]);
            prop_assert_eq!(joined(with_dots), Some(name.clone()));
            let outside = [Component::Normal(OsStr::new("a")), Component::ParentDir];
            prop_assert_eq!(joined(outside), None);
            let folder = Path::new("/notes");
            prop_assert_eq!(name_in(folder, &path_in(folder, &name)), Some(name));
        }
    }
}
