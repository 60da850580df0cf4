//! What changes of a note the library saw: the texts of its changed chunks before and after, compressed.
//!
//! A change is saved when other bytes of a note are indexed. It goes when the note's file is deleted, when its folder is no
//! longer watched, when [`Store::keep_note_changes`] is set to `false`, or when a bound is passed: [`CHANGES_OF_NOTE`] of one
//! note and [`BYTES_MOST`] of all, of which the newest stay. A change of more than [`TEXT_BYTES`] is saved without its texts.
//!
//! Properties checked: chunks that both versions have are in neither list; the sum of the sizes in `meta` is that of the rows;
//! a row that is not as it was saved is reported without texts.

use std::collections::HashMap;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::damage::is_as_saved;
use crate::error::Attempt;
use crate::rest::now_ms;
use crate::{FolderId, NewDocument, Store, StoreError};

/// Changes of one note that are saved at most.
pub const CHANGES_OF_NOTE: i64 = 100;
/// Bytes of all saved changes together, compressed.
pub const BYTES_MOST: i64 = 64 << 20;
/// Bytes of the texts of one change, before and after together, beyond which they are not saved.
pub const TEXT_BYTES: usize = 256 << 10;
/// Rows that are deleted in one step while [`BYTES_MOST`] is passed.
const ROWS_AT_ONCE: i64 = 32;

/// The setting that says that changes are not saved.
const SETTING: &str = "note_changes";
const OFF: &str = "off";
/// Sum of the sizes of all saved changes; triggers keep it.
const N_BYTES: &str = "note_changes_bytes";

/// A chunk that only one of two versions of a note has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// First line in its version, 1-based.
    pub start_line: u32,
    /// Last line in its version, 1-based.
    pub end_line: u32,
    /// Its text.
    pub text: String,
}

/// What a change did to the chunks of a note.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passages {
    /// Chunks that only the former version has, by line.
    pub before: Vec<Passage>,
    /// Chunks that only the later version has, by line.
    pub after: Vec<Passage>,
}

impl Passages {
    fn n_bytes(&self) -> usize {
        let all = self.before.iter().chain(&self.after);
        all.map(|passage| passage.text.len()).sum()
    }

    fn pack(&self) -> Vec<u8> {
        let plain = postcard::to_stdvec(self).expect("texts can always be written");
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
        let written = packed.write_all(&plain).and_then(|()| packed.finish());
        written.expect("memory can always be written")
    }

    /// `None` for bytes that [`Passages::pack`] did not write.
    fn unpack(packed: &[u8]) -> Option<Passages> {
        let mut plain = Vec::new();
        // Line numbers and lengths take less than the texts do, but for many empty ones.
        let most = 4 * TEXT_BYTES as u64;
        let read = DeflateDecoder::new(packed)
            .take(most)
            .read_to_end(&mut plain);
        read.ok()?;
        postcard::from_bytes(&plain).ok()
    }
}

/// The texts of a saved change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedTexts {
    /// They are saved.
    Saved(Passages),
    /// They were longer than [`TEXT_BYTES`] together.
    TooLong,
    /// They are not what was saved: the disk or the file is damaged.
    Damaged,
}

/// A change of a note that the library saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteChange {
    /// When the later version was read, milliseconds since 1970.
    pub at_ms: i64,
    /// What changed.
    pub texts: ChangedTexts,
}

impl Store {
    /// The saved changes of a note, the newest first.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn note_changes(
        &self,
        folder: FolderId,
        path: &str,
    ) -> Result<Vec<NoteChange>, StoreError> {
        self.connection
            .prepare_cached(&format!(
                "SELECT n.at_ms, n.content, n.checksum = {OF_CHANGE} FROM note_changes n
                 WHERE n.folder = ?1 AND n.path = ?2 ORDER BY n.id DESC"
            ))
            .and_then(|mut statement| {
                statement
                    .query_map(params![folder.0, path], |row| {
                        let is_sound: bool = row.get(2)?;
                        let packed = row.get_ref(1)?.as_blob_or_null();
                        let texts = match packed.ok().filter(|_| is_sound) {
                            None => ChangedTexts::Damaged,
                            Some(None) => ChangedTexts::TooLong,
                            Some(Some(packed)) => Passages::unpack(packed)
                                .map_or(ChangedTexts::Damaged, ChangedTexts::Saved),
                        };
                        Ok(NoteChange {
                            at_ms: row.get(0)?,
                            texts,
                        })
                    })?
                    .collect()
            })
            .attempt("read the changes of a note")
    }

    /// Size of all saved changes in bytes, compressed.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn note_changes_bytes(&self) -> Result<u64, StoreError> {
        let n_bytes = sum(&self.connection).attempt("read the size of the changes of notes")?;
        Ok(n_bytes.max(0) as u64)
    }

    /// Whether changes of notes are saved.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn keeps_note_changes(&self) -> Result<bool, StoreError> {
        Ok(self.setting(SETTING)?.as_deref() != Some(OFF))
    }

    /// Sets whether changes of notes are saved. `false` also forgets those that are saved.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn keep_note_changes(&mut self, keeps: bool) -> Result<(), StoreError> {
        self.lastingly(|connection| {
            let attempt = "save whether changes of notes are kept";
            let transaction = connection.transaction().attempt(attempt)?;
            let done = if keeps {
                transaction.execute("DELETE FROM settings WHERE key = ?1", [SETTING])
            } else {
                transaction
                    .execute(
                        "INSERT INTO settings VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
                        [SETTING, OFF],
                    )
                    .and_then(|_| transaction.execute("DELETE FROM note_changes", []))
                    .and_then(|_| {
                        transaction.execute(
                            "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'forgotten'",
                            [],
                        )
                    })
            };
            done.and_then(|_| transaction.commit()).attempt(attempt)
        })
    }
}

/// What the checksum of a change `n` covers.
const OF_CHANGE: &str = "crc32(n.folder, n.path, n.at_ms, n.content)";

fn sum(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row(
        "SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = ?1",
        [N_BYTES],
        |row| row.get(0),
    )
}

/// Saves what a document changes of the one at its path, before that is replaced.
pub(crate) fn record(transaction: &Transaction<'_>, next: &NewDocument) -> rusqlite::Result<()> {
    let found: Option<(i64, Vec<u8>)> = transaction
        .prepare_cached("SELECT id, hash FROM documents WHERE folder = ?1 AND path = ?2")?
        .query_row(params![next.folder.0, next.path], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((document, _)) = found.filter(|(_, hash)| hash[..] != next.hash[..]) else {
        return Ok(());
    };
    let is_off: bool = transaction
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM settings WHERE key = ?1 AND value = ?2)")?
        .query_row([SETTING, OFF], |row| row.get(0))?;
    if is_off {
        return Ok(());
    }
    let passages = passages(former(transaction, document)?, next);
    if passages == Passages::default() {
        // Only what no chunk holds is different, such as blank lines.
        return Ok(());
    }
    let packed = (passages.n_bytes() <= TEXT_BYTES).then(|| passages.pack());
    let at_ms = next
        .first_sight
        .as_ref()
        .map_or_else(now_ms, |sight| sight.at_ms);
    transaction
        .prepare_cached(
            "INSERT INTO note_changes (folder, path, at_ms, content, checksum) VALUES (?1, ?2, ?3, ?4, crc32(?1, ?2, ?3, ?4))",
        )?
        .execute(params![next.folder.0, next.path, at_ms, packed])?;
    transaction
        .prepare_cached(
            "DELETE FROM note_changes WHERE folder = ?1 AND path = ?2 AND id <= (
                 SELECT id FROM note_changes WHERE folder = ?1 AND path = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)",
        )?
        .execute(params![next.folder.0, next.path, CHANGES_OF_NOTE])
        .map(drop)
}

/// The chunks of a document that are as they were saved, by line.
fn former(transaction: &Transaction<'_>, document: i64) -> rusqlite::Result<Vec<Passage>> {
    let mut statement = transaction.prepare_cached(
        "SELECT text, hash, start_line, end_line FROM chunks WHERE document = ?1 ORDER BY start_byte",
    )?;
    let mut rows = statement.query([document])?;
    let mut former = Vec::new();
    while let Some(row) = rows.next()? {
        if is_as_saved(row)? {
            former.push(Passage {
                text: row.get(0)?,
                start_line: row.get(2)?,
                end_line: row.get(3)?,
            });
        }
    }
    Ok(former)
}

/// What only one of two versions has; a text that both have equally often is in neither list, wherever it stands.
fn passages(former: Vec<Passage>, next: &NewDocument) -> Passages {
    let mut n_left: HashMap<&str, usize> = HashMap::new();
    for chunk in &next.chunks {
        *n_left.entry(&chunk.text).or_default() += 1;
    }
    let mut before = Vec::new();
    for passage in former {
        match n_left.get_mut(passage.text.as_str()).filter(|n| **n > 0) {
            Some(n) => *n -= 1,
            None => before.push(passage),
        }
    }
    // The last ones of equal texts are those that are more.
    let mut after: Vec<Passage> = Vec::new();
    for chunk in next.chunks.iter().rev() {
        if let Some(n) = n_left.get_mut(chunk.text.as_str()).filter(|n| **n > 0) {
            *n -= 1;
            after.push(Passage {
                start_line: chunk.start_line,
                end_line: chunk.end_line,
                text: chunk.text.clone(),
            });
        }
    }
    after.reverse();
    Passages { before, after }
}

/// Forgets the oldest changes while all together are larger than `most` bytes.
pub(crate) fn trim(transaction: &Transaction<'_>, most: i64) -> rusqlite::Result<()> {
    while sum(transaction)? > most {
        let n = transaction.execute(
            "DELETE FROM note_changes WHERE id IN (SELECT id FROM note_changes ORDER BY id LIMIT ?1)",
            [ROWS_AT_ONCE],
        )?;
        if n == 0 {
            break;
        }
    }
    Ok(())
}

/// Forgets the changes of a deleted note.
pub(crate) fn forget(
    transaction: &Transaction<'_>,
    folder: FolderId,
    path: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM note_changes WHERE folder = ?1 AND path = ?2")?
        .execute(params![folder.0, path])
        .map(drop)
}

/// Forgets the changes of notes of a folder that were deleted while they had no document.
pub(crate) fn forget_deleted(connection: &Connection, folder: FolderId) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM note_changes WHERE folder = ?1
             AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.folder = ?1 AND d.path = note_changes.path)
             AND NOT EXISTS (SELECT 1 FROM problems p WHERE p.folder = ?1 AND p.path = note_changes.path)",
        )?
        .execute([folder.0])
        .map(drop)
}

#[cfg(test)]
mod tests;
