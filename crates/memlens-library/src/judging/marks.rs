//! What does not decay: files that agents keep for good, and what the user marks.
//!
//! Properties checked: the latest mark on a path or a parent decides, then the file name; removing a mark restores what
//! applied before; a mark that changes nothing is not stored.

use std::collections::BTreeMap;

use memlens_store::{FolderId, Snapshot, Store};
use memlens_wire::Evergreen;
use serde::{Deserialize, Serialize};

use crate::EngineError;

/// Files that do not decay wherever they are: what agents keep for good.
const BY_NAME: [&str; 2] = ["MEMORY.md", "USER.md"];
/// The setting that holds the marks.
const KEY: &str = "evergreen";

/// The user's marks, by absolute path of the watched folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Marks {
    of_folder: BTreeMap<String, FolderMarks>,
}

/// The marks in one watched folder, the oldest first; no two are of one path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
struct FolderMarks(Vec<Mark>);

/// The user's mark on a note or a folder with its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    /// Path relative to the watched folder; empty for the folder itself.
    path: String,
    is_evergreen: bool,
}

/// Stored forms of the marks.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    InOrder(Vec<Mark>),
    /// Written before the order was stored: the nearest mark decided.
    ByPath(BTreeMap<String, bool>),
}

impl From<Stored> for FolderMarks {
    fn from(stored: Stored) -> FolderMarks {
        FolderMarks(match stored {
            Stored::InOrder(marks) => marks,
            // A folder comes before its contents.
            Stored::ByPath(marks) => marks
                .into_iter()
                .map(|(path, is_evergreen)| Mark { path, is_evergreen })
                .collect(),
        })
    }
}

/// Why marks cannot be read: a newer Memlens, or another program, wrote them.
#[derive(Debug)]
pub struct Unreadable(serde_json::Error);

impl Unreadable {
    /// Error for an action that needs the marks, which stay unchanged.
    fn refuse(self, path: &str) -> EngineError {
        EngineError::Evergreen {
            path: path.to_owned(),
            why: format!(
                "the library's evergreen marks cannot be read ({}) and are left unchanged; the version of Memlens that wrote them may be able to read them",
                self.0
            ),
        }
    }

    /// Notice for a user who searches.
    pub fn notice(&self) -> String {
        format!(
            "Your evergreen marks cannot be read ({}), so only MEMORY.md and USER.md are kept from decay. The marks are left unchanged.",
            self.0
        )
    }
}

impl Marks {
    /// Reads the marks of a library; the second error is for marks in an unknown form.
    pub fn of(store: &Store) -> Result<Result<Marks, Unreadable>, EngineError> {
        let text = store.setting(KEY)?;
        Ok(match text {
            None => Ok(Marks::default()),
            Some(text) => serde_json::from_str(&text).map_err(Unreadable),
        })
    }

    /// Whether a note or folder does not decay: by the latest mark on it or a parent folder, otherwise by its name.
    pub fn hold(&self, folder: &str, path: &str) -> bool {
        match self.of_folder.get(folder) {
            Some(marks) => marks.hold(path),
            None => is_by_name(path),
        }
    }

    /// Marks a path, with everything in it, as evergreen or as decaying. If that removes a mark, earlier marks inside the path
    /// count again.
    fn put(&mut self, folder: &str, path: &str, is_evergreen: bool) {
        let marks = self.of_folder.entry(folder.to_owned()).or_default();
        marks.put(path, is_evergreen);
        if marks.0.is_empty() {
            self.of_folder.remove(folder);
        }
    }

    fn put_into(&self, store: &mut Store) -> Result<(), EngineError> {
        let text = (!self.of_folder.is_empty()).then(|| {
            serde_json::to_string(self).expect("plain data can always be written as JSON")
        });
        Ok(store.put_setting(KEY, text.as_deref())?)
    }

    /// All marks, and the notes that do not decay because of their name, by folder and path. Marks without effect, because a
    /// later one is on a parent, are left out.
    pub fn list(&self, snapshot: &Snapshot) -> Vec<Evergreen> {
        let mut found: BTreeMap<(&str, &str), Evergreen> = BTreeMap::new();
        for (folder, marks) in &self.of_folder {
            for (at, Mark { path, is_evergreen }) in marks.0.iter().enumerate() {
                if marks.deciding(path) != Some(at) {
                    continue;
                }
                let one = Evergreen {
                    folder: folder.clone(),
                    path: path.clone(),
                    is_evergreen: *is_evergreen,
                    is_marked: true,
                    n_files: 0,
                };
                found.insert((folder, path), one);
            }
        }
        for (document, folder) in snapshot.documents.iter().filter_map(|document| {
            let folder = snapshot
                .folders
                .iter()
                .find(|it| it.id == document.folder)?;
            Some((document, folder))
        }) {
            let marks = self.of_folder.get(&folder.path);
            let deciding = marks.and_then(|marks| Some(&marks.0[marks.deciding(&document.path)?]));
            match deciding {
                Some(mark) => {
                    if let Some(one) = found.get_mut(&(&folder.path[..], &mark.path[..])) {
                        one.n_files += 1;
                    }
                }
                None if is_by_name(&document.path) => {
                    let one = Evergreen {
                        folder: folder.path.clone(),
                        path: document.path.clone(),
                        is_evergreen: true,
                        is_marked: false,
                        n_files: 1,
                    };
                    found.insert((&folder.path, &document.path), one);
                }
                None => {}
            }
        }
        found.into_values().collect()
    }
}

impl FolderMarks {
    fn hold(&self, path: &str) -> bool {
        self.deciding(path)
            .map_or_else(|| is_by_name(path), |at| self.0[at].is_evergreen)
    }

    /// Index of the mark that decides on a path: the latest on it or a parent.
    fn deciding(&self, path: &str) -> Option<usize> {
        self.0
            .iter()
            .rposition(|mark| is_at_or_in(path, &mark.path))
    }

    fn put(&mut self, path: &str, is_evergreen: bool) {
        let own = self.0.iter().position(|mark| mark.path == path);
        let own = own.map(|at| self.0.remove(at));
        let is_taken_back = own.is_some_and(|own| own.is_evergreen != is_evergreen);
        let mark = Mark {
            path: path.to_owned(),
            is_evergreen,
        };
        let is_said = self.holds_anyway(self.0.len(), &mark)
            || (is_taken_back && self.hold(path) == is_evergreen);
        if !is_said {
            self.0.push(mark);
        }
        // Marks that were needed beside the removed one may not be needed any more.
        for at in (0..self.0.len()).rev() {
            let mark = self.0.remove(at);
            if !self.holds_anyway(at, &mark) {
                self.0.insert(at, mark);
            }
        }
    }

    /// Whether a mark at this position changes nothing, because the other marks already give the path and its contents
    /// that value; false if a later mark hides it, which may be removed.
    fn holds_anyway(&self, at: usize, mark: &Mark) -> bool {
        let deciding = self.deciding(&mark.path);
        let opposes = |before: &Mark| {
            is_at_or_in(&before.path, &mark.path) && before.is_evergreen != mark.is_evergreen
        };
        deciding.is_none_or(|deciding| deciding < at)
            && self.hold(&mark.path) == mark.is_evergreen
            && !self.0[..at].iter().any(opposes)
    }
}

/// Whether a file does not decay because of its name.
fn is_by_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    BY_NAME.contains(&name)
}

/// Stores whether a path of a watched folder decays.
pub(crate) fn mark(
    store: &mut Store,
    folder: FolderId,
    path: &str,
    is_evergreen: bool,
) -> Result<(), EngineError> {
    let folders = store.folders()?;
    let watched = folders.iter().find(|it| it.id == folder);
    let watched = watched.ok_or_else(|| EngineError::NotWatched {
        path: path.to_owned(),
    })?;
    let mut marks = Marks::of(store)?.map_err(|why| why.refuse(path))?;
    marks.put(&watched.path, path, is_evergreen);
    marks.put_into(store)
}

/// Moves the marks of a folder to its new path. Marks in an unknown form stay unchanged.
pub fn follow(store: &mut Store, from: &str, to: &str) -> Result<(), EngineError> {
    let Ok(mut marks) = Marks::of(store)? else {
        return Ok(());
    };
    if let Some(of_folder) = marks.of_folder.remove(from) {
        marks.of_folder.insert(to.to_owned(), of_folder);
        marks.put_into(store)?;
    }
    Ok(())
}

/// Whether a path is a folder or is in it; the empty path contains everything.
pub(crate) fn is_at_or_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: &str = "/notes";

    fn marks(put: &[(&str, bool)]) -> Marks {
        let mut marks = Marks::default();
        for (path, is_evergreen) in put {
            marks.put(FOLDER, path, *is_evergreen);
        }
        marks
    }

    #[test]
    fn the_latest_mark_around_decides_and_then_the_name() {
        let check = |put: &[(&str, bool)], path: &str, expected: bool| {
            assert_eq!(marks(put).hold(FOLDER, path), expected, "{put:?} {path}");
        };
        check(&[], "MEMORY.md", true);
        check(&[], "a/b/USER.md", true);
        check(&[], "memory.md", false);
        check(&[], "MEMORY.md/a.md", false);
        check(&[("MEMORY.md", false)], "MEMORY.md", false);
        check(&[("MEMORY.md", false)], "a/MEMORY.md", true);
        check(&[("people", true)], "people/ana.md", true);
        check(&[("people", true)], "people", true);
        check(&[("people", true)], "people2/ana.md", false);
        check(
            &[("people", true), ("people/old", false)],
            "people/old/x.md",
            false,
        );
        check(
            &[("people", true), ("people/old", false)],
            "people/new/x.md",
            true,
        );
        check(&[("a", true), ("a/MEMORY.md", false)], "a/MEMORY.md", false);
        check(&[("", true)], "any/thing.md", true);
        assert!(!marks(&[("", true)]).hold("/other", "any/thing.md"));
    }

    #[test]
    fn a_mark_that_is_taken_back_leaves_what_was_said_before() {
        let check = |put: &[(&str, bool)], path: &str, expected: bool| {
            assert_eq!(marks(put).hold(FOLDER, path), expected, "{put:?} {path}");
        };
        let note = "a/b.md";
        check(&[(note, true), ("a", true), ("a", false)], note, true);
        check(&[(note, true), ("a", true), ("a", false)], "a/c.md", false);
        let exception = ("a/MEMORY.md", false);
        check(&[exception, ("a", true)], "a/MEMORY.md", true);
        let taken_back = [exception, ("a", true), ("a", false)];
        check(&taken_back, "a/MEMORY.md", false);
        check(
            &[(note, true), ("", true), ("a", false), ("", false)],
            note,
            false,
        );
        check(
            &[
                (note, true),
                ("", true),
                ("a", false),
                ("a", true),
                ("", false),
            ],
            note,
            true,
        );
        // Marking a folder that decays anyway is stored, because it applies to everything in it.
        check(&[(note, true), ("a", false)], note, false);
        // A mark set while the folder was marked has no other effect now.
        check(&[("a", true), (note, false), ("a", false)], note, false);
        check(
            &[("a", true), (note, false), ("a", false), ("a", true)],
            note,
            true,
        );
    }

    #[test]
    fn marks_are_read_as_they_were_kept_before() {
        let text = r#"{"/notes":{"a":true,"a/old":false,"a/old/b.md":true}}"#;
        let read: Marks = serde_json::from_str(text).unwrap();
        let holds = |path| read.hold(FOLDER, path);
        assert_eq!(
            ["a/x.md", "a/old/x.md", "a/old/b.md", "x.md"].map(holds),
            [true, false, true, false]
        );
        let text = serde_json::to_string(&read).unwrap();
        assert_eq!(serde_json::from_str::<Marks>(&text).unwrap(), read);
    }

    #[test]
    fn what_holds_anyway_is_not_kept() {
        let check = |put: &[(&str, bool)], expected: &[(&str, bool)]| {
            let marks = marks(put);
            let kept = marks.of_folder.get(FOLDER).into_iter();
            let kept: Vec<(&str, bool)> = kept
                .flat_map(|marks| &marks.0)
                .map(|mark| (mark.path.as_str(), mark.is_evergreen))
                .collect();
            assert_eq!(kept, expected, "{put:?}");
        };
        check(&[("a.md", false)], &[]);
        check(&[("MEMORY.md", true)], &[]);
        check(&[("a.md", true), ("a.md", false)], &[]);
        check(&[("MEMORY.md", false), ("MEMORY.md", true)], &[]);
        check(&[("a", true), ("a/b.md", true)], &[("a", true)]);
        check(
            &[("a", true), ("a/b.md", false)],
            &[("a", true), ("a/b.md", false)],
        );
        check(
            &[
                ("a/b.md", true),
                ("a", true),
                ("a", false),
                ("a/b.md", false),
            ],
            &[],
        );
        check(&[("a/b.md", true), ("a", false), ("a/b.md", false)], &[]);
        check(&[("a", true), ("a/b.md", false), ("a", false)], &[]);
    }
}
