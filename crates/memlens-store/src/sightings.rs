//! When the library first saw each note, and when it last saw the note change.
//!
//! A note is known by its folder and path. Its sighting stays while its document is removed to be cut or embedded again, or
//! cannot be read, and goes when its file is deleted.
//!
//! Properties checked: bytes that are read again without a change are no change; a note that is deleted and comes back is new;
//! of notes that a former version of the program indexed, nothing is known until they change.

use std::collections::HashMap;

use rusqlite::{Transaction, params};

use crate::error::Attempt;
use crate::rest::now_ms;
use crate::{FolderId, Store, StoreError};

/// When a note was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sighting {
    /// When it was indexed first, milliseconds since 1970; `None` if that was before sightings were kept.
    pub first_ms: Option<i64>,
    /// When other bytes were last read, milliseconds since 1970; `None` if its bytes did not change.
    pub changed_ms: Option<i64>,
}

impl Store {
    /// The sightings of all documents, by folder and path.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn sightings(&self) -> Result<HashMap<(FolderId, String), Sighting>, StoreError> {
        let attempt = "read when notes were seen";
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT s.folder, s.path, s.first_ms, s.changed_ms
                 FROM sightings s JOIN documents d ON d.folder = s.folder AND d.path = s.path",
            )
            .attempt(attempt)?;
        statement
            .query_map([], |row| {
                let sighting = Sighting {
                    first_ms: row.get(2)?,
                    changed_ms: row.get(3)?,
                };
                Ok(((FolderId(row.get(0)?), row.get(1)?), sighting))
            })
            .and_then(Iterator::collect)
            .attempt(attempt)
    }
}

/// Saves that a note was read with a hash.
pub(crate) fn see(
    transaction: &Transaction<'_>,
    folder: FolderId,
    path: &str,
    hash: &[u8; 32],
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO sightings (folder, path, hash, first_ms) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (folder, path) DO UPDATE SET hash = excluded.hash, changed_ms = excluded.first_ms
             WHERE hash <> excluded.hash",
        )?
        .execute(params![folder.0, path, hash, now_ms()])
        .map(drop)
}

/// Forgets when a deleted note was seen.
pub(crate) fn forget(
    transaction: &Transaction<'_>,
    folder: FolderId,
    path: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM sightings WHERE folder = ?1 AND path = ?2")?
        .execute(params![folder.0, path])
        .map(drop)
}

/// Forgets when notes of a folder were seen that were deleted while they had no document.
pub(crate) fn forget_deleted(
    connection: &rusqlite::Connection,
    folder: FolderId,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM sightings WHERE folder = ?1
             AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.folder = ?1 AND d.path = sightings.path)
             AND NOT EXISTS (SELECT 1 FROM problems p WHERE p.folder = ?1 AND p.path = sightings.path)",
        )?
        .execute([folder.0])
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, NewDocument, Severity, StoredProblem};

    fn watched() -> (tempfile::TempDir, Store, FolderId) {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut store = Store::open(dir.path()).expect("it can be opened");
        let folder = store
            .add_folder("/notes", "notes")
            .expect("it can be added")
            .id;
        (dir, store, folder)
    }

    fn put(store: &mut Store, folder: FolderId, path: &str, hash: u8) {
        let document = NewDocument {
            folder,
            path: path.to_owned(),
            hash: [hash; 32],
            size: 1,
            modified_ms: 1,
            changed_ns: 1,
            kind: "markdown".to_owned(),
            encoding: "UTF-8".to_owned(),
            agent: None,
            date: None,
            tags: Vec::new(),
            weight: None,
            chunks: Vec::new(),
            observations: Vec::new(),
            problems: Vec::new(),
            first_sight: None,
        };
        store
            .apply(&[Change::Put(Box::new(document))])
            .expect("it can be saved");
    }

    fn sighting(store: &Store, folder: FolderId, path: &str) -> Option<Sighting> {
        let sightings = store.sightings().expect("they can be read");
        sightings.get(&(folder, path.to_owned())).copied()
    }

    fn later() {
        let now = now_ms();
        while now_ms() <= now {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_note_is_seen_first_once_and_seen_to_change_when_its_bytes_do() {
        let (_dir, mut store, folder) = watched();
        put(&mut store, folder, "a.md", 1);
        let first = sighting(&store, folder, "a.md").expect("it was seen");
        assert!(first.first_ms.is_some() && first.changed_ms.is_none());
        later();
        // The same bytes, cut again.
        put(&mut store, folder, "a.md", 1);
        assert_eq!(sighting(&store, folder, "a.md"), Some(first));
        store.forget_documents().expect("they can be removed");
        assert_eq!(sighting(&store, folder, "a.md"), None);
        put(&mut store, folder, "a.md", 1);
        assert_eq!(sighting(&store, folder, "a.md"), Some(first));
        put(&mut store, folder, "a.md", 2);
        let changed = sighting(&store, folder, "a.md").expect("it was seen");
        assert_eq!(changed.first_ms, first.first_ms);
        assert!(changed.changed_ms > first.first_ms);
    }

    #[test]
    fn a_note_that_cannot_be_read_keeps_its_sighting_and_a_deleted_one_does_not() {
        let (_dir, mut store, folder) = watched();
        put(&mut store, folder, "a.md", 1);
        let first = sighting(&store, folder, "a.md");
        let problem = StoredProblem {
            folder,
            path: "a.md".to_owned(),
            line: None,
            message: "permission denied".to_owned(),
            severity: Severity::Error,
        };
        store
            .apply(&[Change::Fail(problem)])
            .expect("it can be saved");
        store
            .confirm_folder(folder, now_ms())
            .expect("it can be saved");
        later();
        put(&mut store, folder, "a.md", 1);
        assert_eq!(sighting(&store, folder, "a.md"), first);
        let removed = Change::Remove {
            folder,
            path: "a.md".to_owned(),
        };
        store.apply(&[removed]).expect("it can be removed");
        later();
        put(&mut store, folder, "a.md", 1);
        assert_ne!(sighting(&store, folder, "a.md"), first, "it is new");
    }

    #[test]
    fn a_note_that_was_deleted_while_it_had_no_document_leaves_nothing() {
        let (_dir, mut store, folder) = watched();
        put(&mut store, folder, "a.md", 1);
        put(&mut store, folder, "b.md", 1);
        store.forget_documents().expect("they can be removed");
        put(&mut store, folder, "a.md", 1);
        store
            .confirm_folder(folder, now_ms())
            .expect("it can be saved");
        let n: i64 = store
            .connection
            .query_row("SELECT count(*) FROM sightings", [], |row| row.get(0))
            .expect("they can be counted");
        assert_eq!(n, 1);
    }
}
