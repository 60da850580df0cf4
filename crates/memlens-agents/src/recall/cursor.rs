//! Position at which reading a log of lines continues, with a fingerprint of the log.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use serde::{Deserialize, Serialize};

use super::LOG_READER_VERSION;
use super::sessions::Pending;

/// A cursor as the keeper stores it: with the version of the reader.
pub(super) fn versioned(cursor: &str) -> String {
    format!("{LOG_READER_VERSION} {cursor}")
}

/// The cursor in what the keeper stored; `None` if another version of the reader wrote it.
pub(super) fn of_this_version(stored: &str) -> Option<&str> {
    let (version, cursor) = stored.split_once(' ')?;
    (version.parse() == Ok(LOG_READER_VERSION)).then_some(cursor)
}

/// Number of bytes at a log's beginning, and before the cursor, that identify it.
const KNOWN_BY: u64 = 1024;

/// Position to continue from in a log of lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Cursor {
    /// The byte after the last line that was read.
    pub at: u64,
    /// Hash of the beginning and of the bytes before `at`.
    marks: String,
    /// Context that earlier lines set for later ones.
    pub context: Context,
    /// Calls that were not answered yet.
    pub pending: Vec<Pending>,
}

/// Context that lines of a log set for later ones.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Context {
    pub session: String,
    /// The folder in which it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

impl Cursor {
    /// A cursor at `at` of a log.
    pub fn of(
        file: &mut File,
        at: u64,
        context: Context,
        pending: Vec<Pending>,
    ) -> io::Result<Cursor> {
        Ok(Cursor {
            at,
            marks: marks(file, at)?,
            context,
            pending,
        })
    }

    /// Parses a text as a cursor; `None` if it is not a cursor of this very log.
    pub fn taken_up(text: &str, file: &mut File, bytes: u64) -> io::Result<Option<Cursor>> {
        let Ok(cursor) = serde_json::from_str::<Cursor>(text) else {
            return Ok(None);
        };
        if cursor.at > bytes {
            return Ok(None);
        }
        Ok((marks(file, cursor.at)? == cursor.marks).then_some(cursor))
    }

    /// The cursor as a text.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("names are texts and numbers finite")
    }
}

/// Hash of a log's beginning and of the bytes before `at`; the file position is restored.
fn marks(file: &mut File, at: u64) -> io::Result<String> {
    let stood = file.stream_position()?;
    let mut hasher = blake3::Hasher::new();
    for start in [0, at.saturating_sub(KNOWN_BY)] {
        let mut part = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        (&mut *file).take(KNOWN_BY.min(at)).read_to_end(&mut part)?;
        hasher.update(&part);
    }
    file.seek(SeekFrom::Start(stood))?;
    Ok(hasher.finalize().to_hex()[..16].to_owned())
}
