//! The path that a note or folder has in the library where a path spells it in another way.

use std::path::Path;

use memlens_files::{Disk, SystemDisk, only_composed, spelled};
use memlens_store::{Folder, Snapshot};

/// Path in a watched folder as the disk or the library spells it, for a path that names no note exactly. `None` if it has no
/// other spelling, or several.
///
/// Where the file system ignores case or composition, the folders' listings decide. A path that the disk does not have is
/// compared with the library by composition (`ü` as one character or two), and never by case.
pub fn respelled(snapshot: &Snapshot, folder: &Folder, path: &str) -> Option<String> {
    respelled_on(&SystemDisk, snapshot, folder, path)
}

fn respelled_on(
    disk: &dyn Disk,
    snapshot: &Snapshot,
    folder: &Folder,
    path: &str,
) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    if let Some(name) = spelled(disk, Path::new(&folder.path), path) {
        return (name != path).then_some(name);
    }
    let n_names = path.split('/').count();
    let documents = &snapshot.documents;
    let names = snapshot
        .documents_of(folder.id)
        .filter_map(|at| first_names(&documents[at].path, n_names));
    only_composed(names, path).map(str::to_owned)
}

/// The first names of a path: a note, or a folder around it.
fn first_names(path: &str, n_names: usize) -> Option<&str> {
    let mut ends = path.match_indices('/').map(|(at, _)| at);
    let end = ends.nth(n_names.checked_sub(1)?);
    match end {
        Some(end) => Some(&path[..end]),
        None => (path.split('/').count() == n_names).then_some(path),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;

    use memlens_store::{DocumentId, DocumentRow, FolderId};

    use super::*;

    /// A disk without case, with these files in the watched folder.
    struct WithoutCase(&'static [&'static str]);

    impl WithoutCase {
        fn names(&self) -> impl Iterator<Item = PathBuf> {
            let paths = self.0.iter().flat_map(|file| Path::new(file).ancestors());
            paths.map(|path| Path::new("/notes").join(path))
        }
    }

    impl Disk for WithoutCase {
        fn is_there(&self, path: &Path) -> bool {
            let path = path.display().to_string().to_lowercase();
            let mut names = self.names();
            names.any(|name| name.display().to_string().to_lowercase() == path)
        }

        fn names_in(&self, folder: &Path) -> Vec<String> {
            let names = self.names().filter(|name| name.parent() == Some(folder));
            names
                .filter_map(|name| Some(name.file_name()?.to_str()?.to_owned()))
                .collect()
        }
    }

    const DECOMPOSED: &str = "U\u{308}ben/Plan.md";

    fn check(disk: &WithoutCase, notes: &[&str], typed: &str, expected: Option<&str>) {
        let folder = Folder {
            id: FolderId(1),
            path: "/notes".to_owned(),
            name: "notes".to_owned(),
            is_paused: false,
            mount: None,
            agent: None,
        };
        let note = |path: &&str| Arc::new(DocumentRow::new(DocumentId(0), FolderId(1), path));
        let snapshot = Snapshot::new(vec![folder.clone()], notes.iter().map(note).collect());
        let found = respelled_on(disk, &snapshot, &folder, typed);
        assert_eq!(found.as_deref(), expected, "{typed}");
    }

    #[test]
    fn a_note_is_found_by_the_case_that_the_disk_ignores() {
        let disk = WithoutCase(&["Protocols/Ladder.md", "ignored.md"]);
        let notes = ["Protocols/Ladder.md"];
        check(&disk, &notes, "protocols/ladder.MD", Some(notes[0]));
        check(&disk, &notes, "PROTOCOLS", Some("Protocols"));
        check(&disk, &notes, notes[0], None);
        // A file that is left out is found under its own name too.
        check(&disk, &notes, "Ignored.md", Some("ignored.md"));
        check(&disk, &notes, "protocols/rung.md", None);
        check(&disk, &notes, "", None);
    }

    #[test]
    fn a_note_that_the_disk_does_not_have_is_compared_by_composition_only() {
        let disk = WithoutCase(&[]);
        let notes = [DECOMPOSED, "a.md"];
        check(&disk, &notes, "\u{dc}ben/Plan.md", Some(DECOMPOSED));
        check(&disk, &notes, "\u{dc}ben", Some("U\u{308}ben"));
        check(&disk, &notes, "\u{fc}ben/plan.md", None);
        check(&disk, &notes, "A.md", None);
        check(&disk, &notes, "\u{dc}ben/Plan.md/x", None);
        // Two notes differ by composition only, and the typed form is a third one.
        let two = ["e\u{301}\u{323}.md", "\u{1eb9}\u{301}.md"];
        check(&disk, &two, "\u{e9}\u{323}.md", None);
    }
}
