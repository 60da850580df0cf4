//! Lists what is not read: in one folder, and what is hidden below one.

use std::fs;
use std::path::Path;

use super::judging::{Verdict, judge};
use super::paths::{check_root, child, join};
use super::reason::Reason;
use super::weighing::{Weighed, weigh};
use crate::document::Kind;
use crate::error::IngestError;
use crate::rules::Rules;

/// Hidden folders that no user takes for notes.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Maximum number of entries of a hidden folder that are checked for a note.
const PEEKED_MAX: usize = 1000;

/// An entry of a folder that is not read, or not for certain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Path relative to the watched folder.
    pub path: String,
    /// File name of the entry.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Why it is left out; `None` for a folder that is listed, and for a file whose content decides ([`Kind::Json`]).
    pub reason: Option<Reason>,
}

/// Returns the entries directly in a folder of `root` that are left out, its subfolders and its JSON files; folders
/// first, then by name. Of hidden entries only notes are listed, and folders with a note directly in them. `relative` is
/// separated by `/`; empty means `root` itself. Empty if the folder is missing or left out.
///
/// # Errors
/// If `root` is missing or not a folder.
pub fn left_out_in(root: &Path, relative: &str) -> Result<Vec<LeftOut>, IngestError> {
    check_root(root)?;
    if !relative.is_empty() && judge(root, relative)? != Verdict::Folder {
        return Ok(Vec::new());
    }
    let mut rules = Rules::default().inside(root).0;
    let mut folder = String::new();
    for name in relative.split('/').filter(|name| !name.is_empty()) {
        folder = child(&folder, name);
        rules = rules.inside(&join(root, &folder)).0;
    }
    let Ok(entries) = fs::read_dir(join(root, &folder)) else {
        return Ok(Vec::new());
    };
    let mut left_out = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = child(&folder, &name);
        let file_type = entry.file_type();
        let is_folder = file_type.as_ref().is_ok_and(fs::FileType::is_dir);
        let weighed = file_type.map_or_else(Weighed::of_error, |file_type| {
            weigh(root, &path, &entry.path(), &rules, file_type, || {
                entry.metadata()
            })
        });
        let reason = match weighed {
            Weighed::Read(file) if file.kind != Kind::Json => continue,
            Weighed::Reported(Reason::Hidden { .. })
            | Weighed::Unreported(Reason::Hidden { .. })
                if !is_expected(&entry.path(), is_folder) =>
            {
                continue;
            }
            Weighed::Gone => continue,
            Weighed::Read(_) | Weighed::Folder => None,
            Weighed::Reported(reason) | Weighed::Unreported(reason) => Some(reason),
            Weighed::Unseen(why) => Some(Reason::Unseen(why)),
        };
        left_out.push(LeftOut {
            path,
            name,
            is_folder,
            reason,
        });
    }
    left_out.sort_unstable_by(|a, b| (!a.is_folder, &a.name).cmp(&(!b.is_folder, &b.name)));
    Ok(left_out)
}

/// Returns the hidden files and folders at any depth below `root` that the user may expect to be read: notes, and folders
/// with a note directly in them. By path. A folder that cannot be listed has none.
///
/// # Errors
/// If `root` is missing or not a folder.
pub fn hidden_below(root: &Path) -> Result<Vec<LeftOut>, IngestError> {
    check_root(root)?;
    let mut hidden = Vec::new();
    let mut folders = vec![(String::new(), Rules::default())];
    while let Some((folder, outer)) = folders.pop() {
        let absolute = join(root, &folder);
        let rules = outer.inside(&absolute).0;
        for entry in fs::read_dir(&absolute).into_iter().flatten().flatten() {
            let Ok(file_type) = entry.file_type() else {
                continue;
            };
            let is_folder = file_type.is_dir();
            let name = entry.file_name().to_string_lossy().into_owned();
            if !is_folder && !name.starts_with('.') {
                continue;
            }
            let path = child(&folder, &name);
            match weigh(root, &path, &entry.path(), &rules, file_type, || {
                entry.metadata()
            }) {
                Weighed::Folder => folders.push((path, rules.clone())),
                Weighed::Unreported(reason @ Reason::Hidden { .. })
                    if is_expected(&entry.path(), is_folder) =>
                {
                    hidden.push(LeftOut {
                        path,
                        name,
                        is_folder,
                        reason: Some(reason),
                    });
                }
                Weighed::Read(_)
                | Weighed::Reported(_)
                | Weighed::Unreported(_)
                | Weighed::Unseen(_)
                | Weighed::Gone => {}
            }
        }
    }
    hidden.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(hidden)
}

/// Whether the user may expect something hidden to be read: a note, or a folder with a note directly in it.
fn is_expected(path: &Path, is_folder: bool) -> bool {
    // Most JSON is a setting, and no note.
    let is_note = |path: &Path| Kind::of(path).is_some_and(|kind| kind != Kind::Json);
    if !is_folder {
        return is_note(path);
    }
    if path
        .file_name()
        .is_some_and(|name| VERSION_CONTROL.iter().any(|it| name == *it))
    {
        return false;
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .take(PEEKED_MAX)
        .any(|entry| is_note(&entry.path()) && entry.file_type().is_ok_and(|found| found.is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_is_listed_with_its_reason() {
        let dir = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        write(".ignore", "drafts/\nb.md\n");
        for path in [
            "a.md",
            "b.md",
            "c.pdf",
            "d.json",
            ".hidden.md",
            ".env",
            ".settings.json",
            ".git/description.md",
            ".notes/n.md",
            ".cache/deep/n.md",
            ".cache/c.json",
            "drafts/x.md",
            "sub/y.md",
            "sub/z.png",
        ] {
            write(path, "");
        }
        let listed = |folder: &str| -> Vec<String> {
            let of = |it: LeftOut| {
                let reason = it
                    .reason
                    .map_or(String::new(), |reason| format!(": {reason}"));
                format!("{}{}{reason}", it.path, if it.is_folder { "/" } else { "" })
            };
            let left_out = left_out_in(dir.path(), folder).expect("it is there");
            left_out.into_iter().map(of).collect()
        };
        assert_eq!(
            listed(""),
            [
                ".notes/: hidden; the line !.notes in a file named .ignore beside it includes it",
                "drafts/: ignored by drafts/ in .ignore",
                "sub/",
                ".hidden.md: hidden; the line !.hidden.md in a file named .ignore beside it includes it",
                "b.md: ignored by b.md in .ignore",
                "c.pdf: not a kind of file that is read",
                "d.json",
            ]
        );
        assert_eq!(
            listed("sub"),
            ["sub/z.png: not a kind of file that is read"]
        );
        for folder in ["drafts", ".notes", "missing", "..", "a.md", "sub/../drafts"] {
            assert_eq!(listed(folder), [""; 0], "{folder}");
        }
        assert!(left_out_in(&dir.path().join("missing"), "").is_err());
    }

    #[test]
    fn what_is_hidden_is_found_at_any_depth() {
        let dir = tempfile::tempdir().expect("a folder");
        for (path, text) in [
            (".ignore", "!.kept\n/drafts/\n"),
            ("a.md", ""),
            (".notes/n.md", ""),
            (".notes/.old/n.md", ""),
            (".settings/s.json", ""),
            (".git/description.md", ""),
            (".kept/.trash/n.md", ""),
            ("sub/deep/.draft.md", ""),
            ("sub/deep/.env", ""),
            ("drafts/.trash/n.md", ""),
        ] {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let found = hidden_below(dir.path()).expect("it is there");
        let found: Vec<(&str, bool)> = found
            .iter()
            .map(|it| (it.path.as_str(), it.is_folder))
            .collect();
        assert_eq!(
            found,
            [
                (".kept/.trash", true),
                (".notes", true),
                ("sub/deep/.draft.md", false)
            ]
        );
        assert!(hidden_below(&dir.path().join("missing")).is_err());
    }
}
