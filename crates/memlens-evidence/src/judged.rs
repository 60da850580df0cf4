//! Matches judged paths to the notes of the library: the only place that turns a path of a query set into a note.
//!
//! Every metric compares the notes that were found with the notes that were judged. Both are named by [`note_path`], so
//! that `./a.md`, an absolute path and a link to the same note are the same note. So is another spelling of its name, where
//! the file system ignores the difference, or where nothing has the judged name and one note has it composed differently.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use memlens_eval::Query;
use memlens_files::{Disk as _, SystemDisk, canonical, composed, name_in, spelled};
use memlens_library::notes::place::note_path;
use memlens_library::{EngineError, Library};
use memlens_store::{FolderId, Snapshot};

use crate::query_file::QueryFile;

/// Maximum number of paths that a message gives as examples.
const EXAMPLES: usize = 3;

/// Maximum number of notes that a message lists if a document id fits several.
const NOTES_LISTED: usize = 20;

/// Note that a judged path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// This note, by its [`note_path`].
    Note(PathBuf),
    /// No note of the library; the path where it would be.
    Missing(PathBuf),
    /// Several notes, whose paths all end with this document id.
    Several(Vec<PathBuf>),
}

impl Found {
    /// The path of the note, or where it would be.
    pub fn path(&self) -> &Path {
        match self {
            Found::Note(path) | Found::Missing(path) => path,
            // Several notes match, so none counts; `check` reports that first.
            Found::Several(_) => Path::new(""),
        }
    }
}

/// Finds the notes that the paths of one query set name.
pub(crate) struct NoteFinder<'a> {
    snapshot: &'a Snapshot,
    /// The folder that relative paths start from.
    base: PathBuf,
    /// Where the paths are document ids: every note by its file name.
    by_name: Option<HashMap<String, Vec<PathBuf>>>,
    known: HashMap<String, Found>,
    /// Notes by the composed form of their path, without paths in ASCII; `None` if several have it.
    composed: OnceCell<HashMap<String, Option<PathBuf>>>,
}

impl<'a> NoteFinder<'a> {
    /// For paths that are relative to `base`, or document ids.
    pub fn new(snapshot: &'a Snapshot, base: &Path, has_document_ids: bool) -> NoteFinder<'a> {
        NoteFinder {
            snapshot,
            base: base.to_owned(),
            by_name: has_document_ids.then(|| by_name(snapshot)),
            known: HashMap::new(),
            composed: OnceCell::new(),
        }
    }

    /// What a path of the set names.
    pub fn find(&mut self, judged: &str) -> Found {
        if let Some(known) = self.known.get(judged) {
            return known.clone();
        }
        let found = self.look_up(judged);
        self.known.insert(judged.to_owned(), found.clone());
        found
    }

    /// Whether the notes that are judged are in the library: a notice if some are missing.
    ///
    /// # Errors
    /// [`EngineError::NoneJudgedHere`] if none of them is: every figure would be 0 and mean nothing.
    /// [`EngineError::ManyNotes`] if a document id fits several notes.
    pub fn check<'p>(
        &mut self,
        set: &str,
        judged: impl IntoIterator<Item = &'p str>,
    ) -> Result<Option<String>, EngineError> {
        let paths: BTreeSet<&str> = judged.into_iter().collect();
        let mut missing: Vec<&str> = Vec::new();
        for path in &paths {
            match self.find(path) {
                Found::Note(_) => {}
                Found::Missing(_) => missing.push(path),
                Found::Several(notes) => {
                    let listed: Vec<String> =
                        notes.iter().map(|it| it.display().to_string()).collect();
                    let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
                    return Err(EngineError::ManyNotes {
                        set: memlens_params::brief(set).into_owned(),
                        id: memlens_params::brief(path).into_owned(),
                        n: notes.len(),
                        examples: some_of(&listed, NOTES_LISTED),
                    });
                }
            }
        }
        let (n, n_missing) = (paths.len(), missing.len());
        if n_missing == 0 {
            return Ok(None);
        }
        if n_missing == n {
            return Err(EngineError::NoneJudgedHere {
                set: memlens_params::brief(set).into_owned(),
                n,
                examples: some_of(&missing, EXAMPLES),
                base: self.by_name.is_none().then(|| self.base.clone()),
            });
        }
        let are = if n_missing == 1 { "is" } else { "are" };
        let count = if n_missing == 1 { "counts" } else { "count" };
        Ok(Some(format!(
            "{n_missing} of the {n} judged notes {are} not in this library and {count} as not found: {}",
            some_of(&missing, EXAMPLES)
        )))
    }

    fn look_up(&self, judged: &str) -> Found {
        if let Some(by_name) = &self.by_name {
            return of_document_id(by_name, judged);
        }
        let path = without_dots(&self.base.join(judged));
        let note_at = |path: &Path| {
            let (folder, inner) = note_at(self.snapshot, path)?;
            Some(note_path(&self.snapshot.folder(folder)?.path, &inner))
        };
        // A link, or a folder that is watched under another name.
        let linked = || note_at(&canonical(&path).ok()?);
        let found = note_at(&path)
            .or_else(linked)
            .or_else(|| self.spelled_otherwise(&path))
            // A bench of qmd names absolute paths without their first `/`.
            .or_else(|| note_at(&without_dots(&Path::new("/").join(judged))));
        found.map_or(Found::Missing(path), Found::Note)
    }

    /// The note that a path names by another spelling; `None` if there is none, or more than one.
    fn spelled_otherwise(&self, path: &Path) -> Option<PathBuf> {
        if SystemDisk.is_there(path) {
            return self.snapshot.folders.iter().find_map(|folder| {
                let root = Path::new(&folder.path);
                let name = spelled(&SystemDisk, root, &name_in(root, path)?)?;
                self.snapshot.find(folder.id, &name)?;
                Some(note_path(&folder.path, &name))
            });
        }
        let path = path.to_str().filter(|path| !path.is_ascii())?;
        let notes = self.composed.get_or_init(|| by_composed(self.snapshot));
        notes.get(composed(path).as_ref())?.clone()
    }
}

fn by_composed(snapshot: &Snapshot) -> HashMap<String, Option<PathBuf>> {
    let mut notes: HashMap<String, Option<PathBuf>> = HashMap::new();
    for document in snapshot.documents.iter() {
        let Some(folder) = snapshot.folder(document.folder) else {
            continue;
        };
        let note = note_path(&folder.path, &document.path);
        let Some(path) = note.to_str().filter(|path| !path.is_ascii()) else {
            continue;
        };
        let same = notes
            .entry(composed(path).into_owned())
            .or_insert_with(|| Some(note.clone()));
        // A folder may be watched within another one.
        if same.as_ref().is_some_and(|other| *other != note) {
            *same = None;
        }
    }
    notes
}

/// The note whose path ends with a document id.
fn of_document_id(by_name: &HashMap<String, Vec<PathBuf>>, id: &str) -> Found {
    // Memlens itself shows notes with `/`, whatever the system's sign is; a URI's scheme is no part of the path.
    let id = id.split_once("://").map_or(id, |(_, path)| path);
    let id = Path::new(id.trim_start_matches("./"));
    let name = id.file_name().unwrap_or_default().to_string_lossy();
    let named = by_name.get(name.as_ref()).into_iter().flatten();
    let mut found: Vec<PathBuf> = named.filter(|note| note.ends_with(id)).cloned().collect();
    match found.len() {
        0 => Found::Missing(id.to_owned()),
        1 => Found::Note(found.remove(0)),
        _ => {
            found.sort();
            Found::Several(found)
        }
    }
}

/// Every note of the library by its file name.
fn by_name(snapshot: &Snapshot) -> HashMap<String, Vec<PathBuf>> {
    let mut by_name: HashMap<String, Vec<PathBuf>> = HashMap::new();
    for document in snapshot.documents.iter() {
        let Some(folder) = snapshot.folder(document.folder) else {
            continue;
        };
        let path = note_path(&folder.path, &document.path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let notes = by_name.entry(name.into_owned()).or_default();
        // A folder may be watched within another one.
        if !notes.contains(&path) {
            notes.push(path);
        }
    }
    by_name
}

/// The note at an absolute path, by its folder and its path there; `None` if there is no such note.
pub(crate) fn note_at(snapshot: &Snapshot, path: &Path) -> Option<(FolderId, String)> {
    snapshot.folders.iter().find_map(|folder| {
        let inner = name_in(Path::new(&folder.path), path)?;
        snapshot.find(folder.id, &inner)?;
        Some((folder.id, inner))
    })
}

/// A path without `.` and `..`.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        let has_parent = plain.file_name().is_some_and(|it| it != OsStr::new(".."));
        if part == Component::ParentDir && has_parent {
            plain.pop();
        } else if part != Component::CurDir {
            plain.push(part);
        }
    }
    plain
}

/// The first of some paths, and how many more there are.
fn some_of(paths: &[&str], most: usize) -> String {
    let shown = paths.iter().take(most);
    let shown: Vec<String> = shown
        .map(|path| memlens_params::brief(path).into_owned())
        .collect();
    match paths.len() - shown.len() {
        0 => shown.join(", "),
        n_more => format!("{}, and {n_more} more", shown.join(", ")),
    }
}

/// A query file whose judged paths were matched to the notes of a library: the input of every metric over a file.
pub struct JudgedFile<'f> {
    /// The query file as it was read.
    pub file: &'f QueryFile,
    /// Its judged queries; each relevant path is that of its note, as [`crate::Run::places`] has them.
    pub queries: Vec<Query>,
    /// Notices to show to the user: that some notes are not in this library.
    pub notices: Vec<String>,
}

impl JudgedFile<'_> {
    /// The queries that have an answer: all but nonsense.
    pub fn answered(&self) -> Vec<&Query> {
        let all = self.queries.iter();
        all.filter(|query| query.gold().is_some()).collect()
    }
}

/// Matches the judged paths of a file to the notes of this library.
///
/// # Errors
/// [`EngineError::NoneJudgedHere`] if none of the judged notes is in the library; [`EngineError::ManyNotes`] if a
/// document id fits several of its notes.
pub fn judged<'f>(library: &Library, file: &'f QueryFile) -> Result<JudgedFile<'f>, EngineError> {
    let lists = library.lists();
    let mut finder = NoteFinder::new(&lists.snapshot, &file.base, file.has_document_ids);
    let relevant = file.queries.iter().filter_map(Query::gold).flatten();
    let paths = relevant.map(|place| place.path.as_str());
    let notice = finder.check(&file.path.display().to_string(), paths)?;
    let mut queries = file.queries.clone();
    let relevant = queries.iter_mut().filter_map(|it| it.relevant.as_mut());
    for place in relevant.flatten() {
        place.path = finder.find(&place.path).path().display().to_string();
    }
    Ok(JudgedFile {
        file,
        queries,
        notices: notice.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::{some_of, without_dots};
    use std::path::Path;

    #[test]
    fn dots_are_taken_out_of_a_path() {
        for (path, plain) in [
            ("/a/./b.md", "/a/b.md"),
            ("/a/c/../b.md", "/a/b.md"),
            ("/a//b.md", "/a/b.md"),
            ("../b.md", "../b.md"),
        ] {
            assert_eq!(without_dots(Path::new(path)), Path::new(plain), "{path}");
        }
    }

    #[test]
    fn three_examples_are_enough() {
        assert_eq!(some_of(&["a", "b", "c"], 3), "a, b, c");
        assert_eq!(
            some_of(&["a", "b", "c", "d", "e"], 3),
            "a, b, c, and 2 more"
        );
    }
}
