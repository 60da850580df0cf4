//! What changes of a note the library saw: its changed lines with a few around them, compressed.
//!
//! A change is saved when other bytes of a note are indexed. It goes when the note's file is deleted, when its folder is no
//! longer watched, when [`Store::keep_note_changes`] is set to `false`, or when a bound is passed: [`CHANGES_OF_NOTE`] of one
//! note and [`BYTES_MOST`] of all, of which the newest stay. A change that is too long is saved without its lines.
//!
//! Properties checked: lines that both versions have are in no change, however the note is cut into chunks; the sum of the sizes in `meta` is that of the rows;
//! a row that is not as it was saved is reported without texts.

use std::io::{Read, Write};
use std::ops::Range;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::damage::is_as_saved;
use crate::error::Attempt;
use crate::line_diff::{LineDiff, Piece, line_diff, lines_of};
use crate::rest::now_ms;
use crate::{FolderId, NewChunk, NewDocument, Store, StoreError};

/// Changes of one note that are saved at most.
pub const CHANGES_OF_NOTE: i64 = 100;
/// Bytes of all saved changes together, compressed.
pub const BYTES_MOST: i64 = 64 << 20;
/// Bytes of both versions together, beyond which they are not compared.
const COMPARED_BYTES: usize = 2 << 20;
/// Bytes of the lines of one change, beyond which they are not saved.
const SAVED_BYTES: usize = 256 << 10;
/// What is saved in place of a change whose former version was damaged in the library: no diff has these bytes.
const DAMAGED: &[u8] = &[0];
/// Rows that are deleted in one step while [`BYTES_MOST`] is passed.
const ROWS_AT_ONCE: i64 = 32;

/// The setting that says that changes are not saved.
const SETTING: &str = "note_changes";
const OFF: &str = "off";
/// Sum of the sizes of all saved changes; triggers keep it.
const N_BYTES: &str = "note_changes_bytes";

fn pack(diff: &LineDiff) -> Vec<u8> {
    let plain = postcard::to_stdvec(diff).expect("texts can always be written");
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
    let written = packed.write_all(&plain).and_then(|()| packed.finish());
    written.expect("memory can always be written")
}

/// `None` for bytes that [`pack`] did not write.
fn unpack(packed: &[u8]) -> Option<LineDiff> {
    let mut plain = Vec::new();
    // Kinds and lengths of lines take less than this beside their texts.
    let most = 2 * SAVED_BYTES as u64;
    let read = DeflateDecoder::new(packed)
        .take(most)
        .read_to_end(&mut plain);
    read.ok()?;
    postcard::from_bytes(&plain).ok()
}

/// The texts of a saved change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedTexts {
    /// They are saved.
    Saved(LineDiff),
    /// A version was too long to be compared, or the changed lines were too long to be saved.
    TooLong,
    /// The note could not be read then, so what changed until it was read again is not known.
    Unread,
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
                            Some(Some([])) => ChangedTexts::Unread,
                            Some(Some(packed)) => {
                                unpack(packed).map_or(ChangedTexts::Damaged, ChangedTexts::Saved)
                            }
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
    if is_off(transaction)? {
        return Ok(());
    }
    let content = match former(transaction, document)? {
        None => Some(DAMAGED.to_vec()),
        Some(former) => {
            let pieces: Vec<Piece<'_>> = former.iter().map(FormerChunk::piece).collect();
            let later: Vec<Piece<'_>> = next.chunks.iter().map(piece).collect();
            match compared(&pieces, &later) {
                // Only what no chunk holds is different, such as front matter.
                Some(diff) if diff.is_empty() => return Ok(()),
                Some(diff) if diff.n_bytes() <= SAVED_BYTES => Some(pack(&diff)),
                Some(_) | None => None,
            }
        }
    };
    let at_ms = next
        .first_sight
        .as_ref()
        .map_or_else(now_ms, |sight| sight.at_ms);
    insert(transaction, next.folder, &next.path, at_ms, content)
}

/// The difference of two versions; `None` if they are too long.
fn compared(former: &[Piece<'_>], later: &[Piece<'_>]) -> Option<LineDiff> {
    let n_bytes: usize = former.iter().chain(later).map(|it| it.text.len()).sum();
    if n_bytes > COMPARED_BYTES {
        return None;
    }
    let ((before, is_cut), (after, is_cut_now)) = (lines_of(former), lines_of(later));
    let mut diff = line_diff(&before, &after);
    diff.is_by_chunk = is_cut || is_cut_now;
    Some(diff)
}

/// Saves that a note that the library holds cannot be read now.
pub(crate) fn record_unread(
    transaction: &Transaction<'_>,
    folder: FolderId,
    path: &str,
) -> rusqlite::Result<()> {
    let is_known: bool = transaction
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM documents WHERE folder = ?1 AND path = ?2)")?
        .query_row(params![folder.0, path], |row| row.get(0))?;
    if !is_known || is_off(transaction)? {
        return Ok(());
    }
    insert(transaction, folder, path, now_ms(), Some(Vec::new()))
}

fn is_off(transaction: &Transaction<'_>) -> rusqlite::Result<bool> {
    transaction
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM settings WHERE key = ?1 AND value = ?2)")?
        .query_row([SETTING, OFF], |row| row.get(0))
}

/// Saves a change, and forgets the oldest ones of its note beyond [`CHANGES_OF_NOTE`].
fn insert(
    transaction: &Transaction<'_>,
    folder: FolderId,
    path: &str,
    at_ms: i64,
    content: Option<Vec<u8>>,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO note_changes (folder, path, at_ms, content, checksum) VALUES (?1, ?2, ?3, ?4, crc32(?1, ?2, ?3, ?4))",
        )?
        .execute(params![folder.0, path, at_ms, content])?;
    transaction
        .prepare_cached(
            "DELETE FROM note_changes WHERE folder = ?1 AND path = ?2 AND id <= (
                 SELECT id FROM note_changes WHERE folder = ?1 AND path = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3)",
        )?
        .execute(params![folder.0, path, CHANGES_OF_NOTE])
        .map(drop)
}

/// A chunk of the version that is replaced.
struct FormerChunk {
    start_line: u32,
    bytes: Range<u32>,
    text: String,
}

impl FormerChunk {
    fn piece(&self) -> Piece<'_> {
        Piece {
            start_line: self.start_line,
            bytes: self.bytes.clone(),
            text: &self.text,
        }
    }
}

fn piece(chunk: &NewChunk) -> Piece<'_> {
    Piece {
        start_line: chunk.start_line,
        bytes: chunk.bytes.clone(),
        text: &chunk.text,
    }
}

/// The chunks of a document by their first byte; `None` if one is not as it was saved.
fn former(
    transaction: &Transaction<'_>,
    document: i64,
) -> rusqlite::Result<Option<Vec<FormerChunk>>> {
    let mut statement = transaction.prepare_cached(
        "SELECT text, hash, start_line, start_byte, end_byte FROM chunks WHERE document = ?1 ORDER BY start_byte",
    )?;
    let mut rows = statement.query([document])?;
    let mut former = Vec::new();
    while let Some(row) = rows.next()? {
        if !is_as_saved(row)? {
            return Ok(None);
        }
        former.push(FormerChunk {
            text: row.get(0)?,
            start_line: row.get(2)?,
            bytes: row.get(3)?..row.get(4)?,
        });
    }
    Ok(Some(former))
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
