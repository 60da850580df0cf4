//! Versions of a note that the library saw, with times, so that the time at which a line was written can be bounded.
//!
//! No text of a former version is stored here: only a set of hashes of its words, which proves that a word was missing, and
//! hashes of its lines, which show that a line was present. A folder is confirmed by a walk that finds every note
//! unchanged; until then each version is known only for the moment at which it was read.
//!
//! Properties checked: a word that is in a set is never missing; a version is known from its first sight to the last
//! confirmation, also in a library that is migrated, where nothing is known of earlier notes.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::error::Attempt;
use crate::rest::now_ms;
use crate::{DocumentId, FolderId, Store, StoreError, note_changes, sightings};

/// Maximum number of former versions, the newest of which are retained.
const VERSIONS_KEPT: i64 = 10_000;
/// A former version with more lines is kept without them.
const LINES_MAX: usize = 4_096;
/// Since when no former version is missing, milliseconds since 1970.
const SINCE: &str = "versions_since";
/// Bytes of a set that holds one bit for each hash.
const BITS: usize = 1 << 13;

/// The words of a text, by hashes of 16 bits: a word that is not in it is not in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordSet {
    /// The hashes in ascending order, 2 bytes each; or a bit for each hash, in [`BITS`] bytes, if that is shorter.
    bytes: Vec<u8>,
}

impl WordSet {
    /// The set of these words.
    pub fn of<'a>(words: impl IntoIterator<Item = &'a str>) -> WordSet {
        let hashes: BTreeSet<u16> = words.into_iter().map(hash_of_word).collect();
        let bytes = if hashes.len() * 2 < BITS {
            hashes.into_iter().flat_map(u16::to_be_bytes).collect()
        } else {
            let mut bits = vec![0; BITS];
            for hash in hashes {
                bits[usize::from(hash >> 3)] |= 1 << (hash & 7);
            }
            bits
        };
        WordSet { bytes }
    }

    /// Whether a word is certainly not in the text.
    pub fn lacks(&self, word: &str) -> bool {
        let hash = hash_of_word(word);
        if self.bytes.len() == BITS {
            return self.bytes[usize::from(hash >> 3)] & (1 << (hash & 7)) == 0;
        }
        let (hashes, _) = self.bytes.as_chunks::<2>();
        hashes.binary_search(&hash.to_be_bytes()).is_err()
    }
}

fn hash_of_word(word: &str) -> u16 {
    let [first, second, ..] = *blake3::hash(word.as_bytes()).as_bytes();
    u16::from_be_bytes([first, second])
}

/// The hash of a line without its indentation and with one blank between its words; `None` for a blank one.
fn hash_of_line(line: &str) -> Option<[u8; 8]> {
    let mut hasher = blake3::Hasher::new();
    let mut words = line.split_whitespace();
    hasher.update(words.next()?.as_bytes());
    for word in words {
        hasher.update(b" ");
        hasher.update(word.as_bytes());
    }
    let mut hash = [0; 8];
    hasher.finalize_xof().fill(&mut hash);
    Some(hash)
}

/// Time and words of a document when it is first read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstSight {
    /// When its bytes were read, milliseconds since 1970.
    pub at_ms: i64,
    /// Its words; `None` if they are not known.
    pub words: Option<WordSet>,
}

/// A version of a note that the library saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// When it was read first, milliseconds since 1970.
    pub first_ms: i64,
    /// When it was confirmed last, milliseconds since 1970: the note was this one from `first_ms` to then.
    pub last_ms: i64,
    words: Option<WordSet>,
    /// Sorted hashes of its lines; `None` of the version that the library holds now.
    lines: Option<Vec<u8>>,
}

impl Version {
    /// Whether it certainly does not hold a word.
    pub fn lacks(&self, word: &str) -> bool {
        self.words.as_ref().is_some_and(|words| words.lacks(word))
    }

    /// Whether it is a former version that holds a line.
    pub fn holds_line(&self, line: &str) -> bool {
        let (lines, _) = self.lines.as_deref().unwrap_or_default().as_chunks::<8>();
        hash_of_line(line).is_some_and(|hash| lines.binary_search(&hash).is_ok())
    }
}

impl Store {
    /// The versions of a note that were seen, the oldest first; the last one is that of now if its first sight is known.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn versions(&self, folder: FolderId, path: &str) -> Result<Vec<Version>, StoreError> {
        let read = |sql: &str| -> rusqlite::Result<Vec<Version>> {
            self.connection
                .prepare_cached(sql)?
                .query_map(params![folder.0, path], |row| {
                    Ok(Version {
                        first_ms: row.get(0)?,
                        last_ms: row.get(1)?,
                        words: row
                            .get::<_, Option<Vec<u8>>>(2)?
                            .map(|bytes| WordSet { bytes }),
                        lines: row.get(3)?,
                    })
                })?
                .collect()
        };
        let former = "SELECT first_ms, last_ms, words, lines FROM former_versions WHERE folder = ?1 AND path = ?2 ORDER BY id";
        let present =
            "SELECT v.first_ms, max(v.first_ms, coalesce(f.confirmed_ms, 0)), v.words, NULL
             FROM documents d JOIN versions v ON v.document = d.id JOIN folders f ON f.id = d.folder
             WHERE d.folder = ?1 AND d.path = ?2";
        read(former)
            .and_then(|mut versions| {
                versions.extend(read(present)?);
                Ok(versions)
            })
            .attempt("read the versions of a note")
    }

    /// Whether another note may have held all of some words at a moment and no longer does, or is not known then.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn may_have_held<'a>(
        &self,
        at_ms: i64,
        words: impl Iterator<Item = &'a str> + Clone,
        but: (FolderId, &str),
    ) -> Result<bool, StoreError> {
        let attempt = "read the versions of notes";
        if since(&self.connection).attempt(attempt)? > at_ms {
            return Ok(true);
        }
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT words FROM former_versions WHERE replaced_ms > ?1 AND NOT (folder = ?2 AND path = ?3)",
            )
            .attempt(attempt)?;
        let mut rows = statement
            .query(params![at_ms, but.0.0, but.1])
            .attempt(attempt)?;
        while let Some(row) = rows.next().attempt(attempt)? {
            let held: Option<Vec<u8>> = row.get(0).attempt(attempt)?;
            let held = held.map(|bytes| WordSet { bytes });
            if held.is_none_or(|held| !words.clone().any(|word| held.lacks(word))) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Notes that every document of a folder was found as the library holds it, by a walk that began at a moment.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn confirm_folder(&mut self, folder: FolderId, at_ms: i64) -> Result<(), StoreError> {
        self.connection
            .execute(
                "UPDATE folders SET confirmed_ms = ?2 WHERE id = ?1",
                params![folder.0, at_ms],
            )
            .and_then(|_| sightings::forget_deleted(&self.connection, folder))
            .and_then(|()| note_changes::forget_deleted(&self.connection, folder))
            .attempt("confirm a folder")
    }
}

/// Since when no former version is missing, milliseconds since 1970.
fn since(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row(
        "SELECT coalesce(max(CAST(value AS INTEGER)), ?2) FROM meta WHERE key = ?1",
        params![SINCE, i64::MAX],
        |row| row.get(0),
    )
}

/// Saves when a document was first seen.
pub(crate) fn see(
    transaction: &Transaction<'_>,
    document: i64,
    sight: &FirstSight,
) -> rusqlite::Result<()> {
    let words = sight.words.as_ref().map(|words| words.bytes.as_slice());
    transaction
        .prepare_cached("INSERT INTO versions (document, first_ms, words) VALUES (?1, ?2, ?3)")?
        .execute(params![document, sight.at_ms, words])
        .map(drop)
}

/// Records that a document was touched: its content may have been different for a while.
pub(crate) fn touch(transaction: &Transaction<'_>, document: DocumentId) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE versions SET first_ms = ?2 WHERE document = ?1")?
        .execute(params![document.0, now_ms()])
        .map(drop)
}

/// Stores what is known about a document that is about to be removed or replaced.
pub(crate) fn keep_former(
    transaction: &Transaction<'_>,
    folder: FolderId,
    path: &str,
) -> rusqlite::Result<()> {
    let found: Option<(i64, Option<i64>)> = transaction
        .prepare_cached(
            "SELECT d.id, max(v.first_ms, coalesce(f.confirmed_ms, 0))
             FROM documents d LEFT JOIN versions v ON v.document = d.id JOIN folders f ON f.id = d.folder
             WHERE d.folder = ?1 AND d.path = ?2",
        )?
        .query_row(params![folder.0, path], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((document, last_ms)) = found else {
        return Ok(());
    };
    let Some(last_ms) = last_ms else {
        // It was indexed before versions were kept. Its words may have been in it at any moment until now.
        return missing_until(transaction, now_ms());
    };
    let mut lines = BTreeSet::new();
    let mut statement =
        transaction.prepare_cached("SELECT text FROM chunks WHERE document = ?1")?;
    let mut rows = statement.query([document])?;
    while let Some(row) = rows.next()? {
        // A damaged text may be invalid UTF-8 or another text; then no line is shown.
        let text = row.get_ref(0)?.as_str().unwrap_or_default();
        lines.extend(text.lines().filter_map(hash_of_line));
    }
    if lines.len() > LINES_MAX {
        lines.clear();
    }
    let lines: Vec<u8> = lines.into_iter().flatten().collect();
    transaction
        .prepare_cached(
            "INSERT INTO former_versions (folder, path, first_ms, last_ms, replaced_ms, words, lines)
             SELECT ?2, ?3, first_ms, ?4, ?5, words, ?6 FROM versions WHERE document = ?1",
        )?
        .execute(params![document, folder.0, path, last_ms, now_ms(), lines])?;
    Ok(())
}

/// Forgets the oldest former versions if there are too many.
pub(crate) fn trim(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(
        "DELETE FROM former_versions WHERE id <= (SELECT max(id) FROM former_versions) - ?1 RETURNING replaced_ms",
    )?;
    let removed = statement.query_map([VERSIONS_KEPT], |row| row.get::<_, i64>(0))?;
    let mut last = None;
    for at_ms in removed {
        last = last.max(Some(at_ms?));
    }
    match last {
        Some(last) => missing_until(transaction, last),
        None => Ok(()),
    }
}

/// Forgets every former version, since documents are removed without one.
pub(crate) fn forget(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM former_versions", [])?;
    missing_until(transaction, now_ms())
}

fn missing_until(transaction: &Transaction<'_>, at_ms: i64) -> rusqlite::Result<()> {
    transaction
        .execute(
            "INSERT INTO meta (key, value) VALUES (?1, ?2)
             ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), ?2)",
            params![SINCE, at_ms],
        )
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_set_is_never_missing() {
        for n in [0, 1, 300, 4_000, 20_000] {
            let words: Vec<String> = (0..n).map(|word| format!("word{word}")).collect();
            let set = WordSet::of(words.iter().map(String::as_str));
            assert!(set.bytes.len() <= BITS);
            assert!(!words.iter().any(|word| set.lacks(word)), "{n}");
            let n_lacking = (0..1000)
                .filter(|word| set.lacks(&format!("other{word}")))
                .count();
            assert!(n_lacking >= 650, "{n}: {n_lacking}");
        }
    }

    #[test]
    fn a_line_is_known_whatever_its_indentation() {
        assert_eq!(
            hash_of_line("- the  pond\tpump\r"),
            hash_of_line("  - the pond pump")
        );
        assert_ne!(hash_of_line("the pondpump"), hash_of_line("the pond pump"));
        assert_eq!(hash_of_line(" \t"), None);
    }

    #[test]
    fn a_migrated_library_keeps_everything_and_knows_no_version() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut store = Store::open(dir.path()).expect("it can be opened");
        let folder = store
            .add_folder("/notes", "notes")
            .expect("it can be added");
        store
            .put_setting("marks", Some("[]"))
            .expect("it can be saved");
        store
            .connection
            .execute_batch(
                "INSERT INTO documents (folder, path, hash, size, modified_ms, kind, encoding, tags)
                     VALUES (1, 'a.md', x'00', 1, 1, 'markdown', 'UTF-8', '[]');
                 DROP TRIGGER embeddings_deleted; DROP TABLE token_counts;
                 DROP TABLE note_changes; DELETE FROM meta WHERE key = 'note_changes_bytes';
                 DROP TABLE sightings; DROP TABLE versions; DROP TABLE former_versions; ALTER TABLE folders DROP COLUMN confirmed_ms;
                 ALTER TABLE past_questions DROP COLUMN served;
                 DELETE FROM meta WHERE key = 'versions_since'; PRAGMA user_version = 15;",
            )
            .expect("it can be made as it was");
        drop(store);
        let mut store = Store::open(dir.path()).expect("it is migrated");
        assert_eq!(
            store.folders().expect("they can be read"),
            std::slice::from_ref(&folder)
        );
        assert_eq!(
            store.setting("marks").expect("it can be read").as_deref(),
            Some("[]")
        );
        store
            .confirm_folder(folder.id, now_ms())
            .expect("it can be saved");
        assert_eq!(
            store.versions(folder.id, "a.md").expect("they can be read"),
            []
        );
        let held = |store: &Store, at_ms| {
            let words = ["pond"].into_iter();
            let held = store.may_have_held(at_ms, words, (folder.id, "b.md"));
            held.expect("it can be read")
        };
        let asked_ms = now_ms();
        assert!(held(&store, 0), "not known before it was migrated");
        assert!(!held(&store, asked_ms));
        while now_ms() <= asked_ms {
            std::thread::yield_now();
        }
        // What replaces it is known from now on, and what it was is not.
        let removed = [crate::Change::Remove {
            folder: folder.id,
            path: "a.md".to_owned(),
        }];
        store.apply(&removed).expect("it can be removed");
        assert_eq!(
            store.versions(folder.id, "a.md").expect("they can be read"),
            []
        );
        assert!(
            held(&store, asked_ms),
            "the removed document may have held it"
        );
        assert!(!held(&store, now_ms()));
    }
}
