//! What the user made, in a file of its own beside the database, from which a database that is damaged, empty or gone is
//! filled: watched folders, settings, presets, thumbs, query sets and runs.
//!
//! The file is written when the library comes to rest, by the writer of the database, and only if something changed. It is
//! UTF-8 text, and can be read without a program:
//!
//! ```text
//! CRC-32 of the JSON, 8 hexadecimal digits, a space, the JSON:
//!     {"memlens_made":1,"at":12,"database":"...","n_lines":2}
//!     {"preset":{"name":"...","params":"..."}}
//!     {"thumb":{...}}
//! ```
//!
//! Properties checked: whatever one bit of the database or of the file is flipped, nothing that the user made is lost without
//! being named.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use memlens_files::open_own;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::error::Attempt;

const NAME: &str = "made.jsonl";
/// The version of its form.
const VERSION: u32 = 1;
const CRC_DIGITS: usize = 8;
const ATTEMPT: &str = "read what you made";

/// What a trigger raises with every change of what the user made.
pub(crate) const COUNTER: &str = "made";

/// Something that the user made, with all that its row holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Made {
    Folder {
        id: i64,
        path: String,
        name: String,
        is_paused: bool,
        agent: Option<String>,
    },
    Setting {
        key: String,
        value: String,
    },
    Preset {
        name: String,
        params: String,
    },
    Thumb {
        id: i64,
        question: String,
        hash: String,
        text: String,
        path: String,
        thumb: i64,
        at_ms: i64,
    },
    QuerySet {
        id: i64,
        name: String,
        hash: String,
        changed_ms: i64,
        summary: String,
        content: String,
    },
    Run {
        id: i64,
        name: String,
        at_ms: i64,
        content: String,
    },
}

/// Kinds of entries, with their names for messages.
const KINDS: [(&str, &str); 6] = [
    ("watched folder", "watched folders"),
    ("setting", "settings"),
    ("preset", "presets"),
    ("thumb", "thumbs"),
    ("query set", "query sets"),
    ("run", "runs"),
];

impl Made {
    /// Its kind, as a place in [`KINDS`].
    fn kind(&self) -> usize {
        match self {
            Made::Folder { .. } => 0,
            Made::Setting { .. } => 1,
            Made::Preset { .. } => 2,
            Made::Thumb { .. } => 3,
            Made::QuerySet { .. } => 4,
            Made::Run { .. } => 5,
        }
    }

    /// What names it among its kind.
    fn key(&self) -> (usize, String) {
        let key = match self {
            Made::Folder { path, .. } => path.clone(),
            Made::Setting { key, .. } => key.clone(),
            Made::Preset { name, .. } | Made::QuerySet { name, .. } => name.clone(),
            Made::Thumb { question, hash, .. } => format!("{hash} {question}"),
            Made::Run { id, .. } => id.to_string(),
        };
        (self.kind(), key)
    }
}

/// How many of each kind, for messages: `2 thumbs, 1 run`.
pub(crate) fn counted<'a>(all: impl IntoIterator<Item = &'a Made>) -> String {
    let mut counts = [0_usize; KINDS.len()];
    for made in all {
        counts[made.kind()] += 1;
    }
    let named = counts.iter().zip(KINDS).filter(|(n, _)| **n > 0);
    let named = named.map(|(n, (one, many))| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    });
    named.collect::<Vec<_>>().join(", ")
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    memlens_made: u32,
    /// The counter when it was written.
    at: i64,
    /// The database that it was written from.
    database: String,
    n_lines: usize,
}

/// What was read of the file.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    head: Option<Head>,
    /// The lines that are as they were written, in their order.
    pub lines: Vec<Made>,
    /// The numbers of the lines that are not, 1-based.
    pub damaged: Vec<usize>,
}

impl Kept {
    /// Whether all that was written is there.
    pub fn is_whole(&self) -> bool {
        let is_all = |head: &Head| head.n_lines == self.lines.len();
        self.damaged.is_empty() && self.head.as_ref().is_some_and(is_all)
    }

    /// Whether a database can be filled with it.
    pub fn is_usable(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Whether it shows a database as it is at a state of its counter.
    pub fn is_of(&self, database: &str, at: i64) -> bool {
        let is_same = |head: &Head| head.database == database && head.at == at;
        self.head.as_ref().is_some_and(is_same)
    }

    /// The state of the counter that it shows of a database; `None` if it is of another one, or not whole.
    pub fn at(&self, database: &str) -> Option<i64> {
        let head = self.head.as_ref().filter(|_| self.is_whole())?;
        (head.database == database).then_some(head.at)
    }

    /// What is lost with the damaged lines, for messages; `None` if nothing is.
    pub fn losses(&self) -> Option<String> {
        let n_missing = self.head.as_ref().map_or(0, |head| {
            let n_seen = self.lines.len() + self.damaged.len();
            head.n_lines.saturating_sub(n_seen)
        });
        if self.damaged.is_empty() && n_missing == 0 {
            return None;
        }
        let mut losses: Vec<String> = self.damaged.iter().map(|at| format!("line {at}")).collect();
        if n_missing > 0 {
            losses.push(format!("{n_missing} lines at its end"));
        }
        Some(losses.join(", "))
    }
}

/// The file of the library in `dir`, and the one that takes its place once it is whole; there or not.
pub(crate) fn files(dir: &Path) -> [PathBuf; 2] {
    [dir.join(NAME), dir.join(format!("{NAME}.new"))]
}

/// Returns a setting from the file of what the user made, for a library whose database cannot be read; `None` if absent.
pub fn kept_setting(dir: &Path, key: &str) -> Option<String> {
    read(dir).lines.into_iter().find_map(|made| match made {
        Made::Setting { key: found, value } => (found == key).then_some(value),
        Made::Folder { .. }
        | Made::Preset { .. }
        | Made::Thumb { .. }
        | Made::QuerySet { .. }
        | Made::Run { .. } => None,
    })
}

/// Reads the file; an empty value if there is none. An unreadable file counts as one damaged line.
pub(crate) fn read(dir: &Path) -> Kept {
    let [path, _] = files(dir);
    let mut kept = Kept::default();
    let read = open_own(&path, File::options().read(true)).and_then(|mut file| {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut file, &mut bytes)?;
        Ok(bytes)
    });
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return kept,
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "cannot read what you made");
            kept.damaged.push(1);
            return kept;
        }
    };
    let lines = bytes.split(|byte| *byte == b'\n');
    for (number, line) in (1..).zip(lines).filter(|(_, line)| !line.is_empty()) {
        let Some(json) = unsealed(line) else {
            kept.damaged.push(number);
            continue;
        };
        if number == 1 {
            kept.head = serde_json::from_slice(json).ok();
            if kept
                .head
                .as_ref()
                .is_none_or(|head| head.memlens_made != VERSION)
            {
                kept.damaged.push(number);
            }
            continue;
        }
        match serde_json::from_slice(json) {
            Ok(made) => kept.lines.push(made),
            Err(_) => kept.damaged.push(number),
        }
    }
    kept
}

/// The JSON of a line that is as it was written.
fn unsealed(line: &[u8]) -> Option<&[u8]> {
    let (crc32, json) = line.split_at_checked(CRC_DIGITS)?;
    let crc32 = u32::from_str_radix(str::from_utf8(crc32).ok()?, 16).ok()?;
    let json = json.strip_prefix(b" ")?;
    (crc32fast::hash(json) == crc32).then_some(json)
}

fn seal(into: &mut Vec<u8>, line: &impl Serialize) {
    let json = serde_json::to_vec(line).expect("plain data can always be written as JSON");
    into.extend(format!("{:08x} ", crc32fast::hash(&json)).bytes());
    into.extend(json);
    into.push(b'\n');
}

/// The state of a database's counter, and the id of the database.
pub(crate) fn state(connection: &Connection) -> Result<(i64, String), StoreError> {
    let state = || {
        let meta = |key: &str| {
            connection
                .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
                .query_map([key], |row| row.get::<_, String>(0))?
                .next()
                .transpose()
        };
        let at = meta(COUNTER)?.and_then(|text| text.parse().ok());
        Ok((at.unwrap_or(-1), meta("database")?.unwrap_or_default()))
    };
    state().attempt(ATTEMPT)
}

/// What the database holds of what the user made, in the order of the file.
pub(crate) fn rows(connection: &Connection) -> Result<Vec<Made>, StoreError> {
    let mut all = Vec::new();
    for kind in 0..KINDS.len() {
        all.extend(rows_of(connection, kind).attempt(ATTEMPT)?);
    }
    Ok(all)
}

/// Past the tables' indexes, which may be damaged while the rows are not.
fn rows_of(connection: &Connection, kind: usize) -> rusqlite::Result<Vec<Made>> {
    type Read = fn(&rusqlite::Row<'_>) -> rusqlite::Result<Made>;
    let (sql, read): (&str, Read) = match kind {
        0 => (
            "SELECT id, path, name, is_paused, agent FROM folders NOT INDEXED ORDER BY id",
            |row| {
                Ok(Made::Folder {
                    id: row.get(0)?,
                    path: row.get(1)?,
                    name: row.get(2)?,
                    is_paused: row.get(3)?,
                    agent: row.get(4)?,
                })
            },
        ),
        1 => ("SELECT key, value FROM settings ORDER BY key", |row| {
            Ok(Made::Setting {
                key: row.get(0)?,
                value: row.get(1)?,
            })
        }),
        2 => ("SELECT name, params FROM presets ORDER BY name", |row| {
            Ok(Made::Preset {
                name: row.get(0)?,
                params: row.get(1)?,
            })
        }),
        3 => (
            // A thumb whose origin is damaged is of no origin that is known.
            "SELECT id, question, hash, text, path, thumb, at_ms FROM judgments NOT INDEXED WHERE origin = 'given' ORDER BY id",
            |row| {
                Ok(Made::Thumb {
                    id: row.get(0)?,
                    question: row.get(1)?,
                    hash: hex(&row.get::<_, Vec<u8>>(2)?),
                    text: row.get(3)?,
                    path: row.get(4)?,
                    thumb: row.get(5)?,
                    at_ms: row.get(6)?,
                })
            },
        ),
        4 => (
            "SELECT id, name, hash, changed_ms, summary, content FROM query_sets NOT INDEXED ORDER BY id",
            |row| {
                Ok(Made::QuerySet {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    hash: row.get(2)?,
                    changed_ms: row.get(3)?,
                    summary: row.get(4)?,
                    content: row.get(5)?,
                })
            },
        ),
        _ => (
            "SELECT id, name, at_ms, content FROM runs NOT INDEXED ORDER BY id",
            |row| {
                Ok(Made::Run {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    at_ms: row.get(2)?,
                    content: row.get(3)?,
                })
            },
        ),
    };
    connection
        .prepare_cached(sql)?
        .query_map([], read)?
        .collect()
}

/// What can still be read of a damaged database: of each kind all rows, or `None` if some of them cannot be read.
pub(crate) fn salvage(connection: &Connection) -> [Option<Vec<Made>>; KINDS.len()] {
    std::array::from_fn(|kind| rows_of(connection, kind).ok())
}

/// What to fill a new database with: what the file holds, and what is newer in the damaged database, if the file is older. Of a
/// kind that can be read there to its end, that is all.
pub(crate) fn merged(kept: &Kept, salvaged: [Option<Vec<Made>>; KINDS.len()]) -> Vec<Made> {
    let mut all = Vec::new();
    for (kind, salvaged) in salvaged.into_iter().enumerate() {
        match salvaged {
            Some(rows) => all.extend(rows),
            None => all.extend(kept.lines.iter().filter(|it| it.kind() == kind).cloned()),
        }
    }
    all
}

/// The text of the file, with the state that it shows.
fn text(connection: &Connection) -> Result<(Vec<u8>, usize, i64), StoreError> {
    let transaction =
        Transaction::new_unchecked(connection, TransactionBehavior::Deferred).attempt(ATTEMPT)?;
    let (at, database) = state(&transaction)?;
    let lines = rows(&transaction)?;
    transaction.finish().attempt(ATTEMPT)?;
    let head = Head {
        memlens_made: VERSION,
        at,
        database,
        n_lines: lines.len(),
    };
    let mut bytes = Vec::new();
    seal(&mut bytes, &head);
    for line in &lines {
        seal(&mut bytes, line);
    }
    Ok((bytes, lines.len(), at))
}

/// What the user made, as the file holds it.
pub(crate) fn exported(connection: &Connection) -> Result<Vec<u8>, StoreError> {
    Ok(text(connection)?.0)
}

/// Rewrites the file, in one step that outlasts a power failure; removes it if the user made nothing. Returns the state of
/// the counter that it shows.
pub(crate) fn write(connection: &Connection, dir: &Path) -> Result<i64, StoreError> {
    let (bytes, n_lines, at) = text(connection)?;
    let [path, unfinished] = files(dir);
    let replace = || -> io::Result<()> {
        for old in [(n_lines == 0).then_some(&path), Some(&unfinished)] {
            match old.map_or(Ok(()), fs::remove_file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        if n_lines == 0 {
            return Ok(());
        }
        let mut file = open_own(&unfinished, File::options().write(true).create_new(true))?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        drop(file);
        memlens_files::rename(&unfinished, &path)?;
        // The new name is on the disk once the folder is; if a folder cannot be synced the old file comes back at worst.
        #[cfg(unix)]
        File::open(dir)?.sync_all()?;
        Ok(())
    };
    replace().map_err(|source| StoreError::Made { path, source })?;
    Ok(at)
}

/// Removes the file: all is erased.
pub(crate) fn remove(dir: &Path) -> Result<(), StoreError> {
    for path in files(dir) {
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::Folder { path, source });
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Replaces everything that the user made in the database by these entries. Rows are deleted without relying on
/// indexes, and the indexes are rebuilt.
pub(crate) fn put_back(transaction: &Transaction<'_>, all: &[Made]) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "DELETE FROM settings; DELETE FROM presets; DELETE FROM query_sets; DELETE FROM runs;
         DELETE FROM judgments WHERE origin IS NOT 'observed';",
    )?;
    let mut folders = String::from("-1");
    for made in all {
        if let Made::Folder { id, .. } = made {
            folders.push_str(&format!(", {id}"));
        }
    }
    // Documents go by their folder's id, and stay.
    transaction.execute(
        &format!("DELETE FROM folders WHERE id NOT IN ({folders})"),
        [],
    )?;
    transaction.execute_batch(
        "REINDEX folders; REINDEX query_sets; REINDEX judgments; REINDEX settings; REINDEX presets;",
    )?;
    for made in all {
        match made {
            Made::Folder {
                id,
                path,
                name,
                is_paused,
                agent,
            } => transaction.execute(
                "INSERT INTO folders (id, path, name, is_paused, agent) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (id) DO UPDATE SET path = ?2, name = ?3, is_paused = ?4, agent = ?5",
                params![id, path, name, is_paused, agent],
            )?,
            Made::Setting { key, value } => {
                transaction.execute("INSERT INTO settings VALUES (?1, ?2)", [key, value])?
            }
            Made::Preset { name, params } => {
                transaction.execute("INSERT INTO presets VALUES (?1, ?2)", [name, params])?
            }
            Made::Thumb {
                id,
                question,
                hash,
                text,
                path,
                thumb,
                at_ms,
            } => transaction.execute(
                "INSERT INTO judgments (id, origin, question, hash, text, path, thumb, at_ms)
                 VALUES ((SELECT iif(EXISTS (SELECT 1 FROM judgments WHERE id = ?1), NULL, ?1)), 'given', ?2, ?3, ?4, ?5, ?6, ?7)",
                params![id, question, unhex(hash), text, path, thumb, at_ms],
            )?,
            Made::QuerySet {
                id,
                name,
                hash,
                changed_ms,
                summary,
                content,
            } => transaction.execute(
                "INSERT INTO query_sets (id, name, hash, changed_ms, summary, content) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![id, name, hash, changed_ms, summary, content],
            )?,
            Made::Run {
                id,
                name,
                at_ms,
                content,
            } => transaction.execute(
                "INSERT INTO runs (id, name, at_ms, content) VALUES (?1, ?2, ?3, ?4)",
                params![id, name, at_ms, content],
            )?,
        };
    }
    Ok(())
}

/// What of `were` is not among `are`, each by its kind and name, with the same content.
pub(crate) fn differing<'a>(were: &'a [Made], are: &[Made]) -> Vec<&'a Made> {
    let are: std::collections::HashMap<_, _> = are.iter().map(|it| (it.key(), it)).collect();
    let differs = |made: &&Made| are.get(&made.key()) != Some(made);
    were.iter().filter(differs).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What [`hex`] made of bytes; empty if it did not.
fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2);
    let bytes = pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
    bytes.collect::<Option<Vec<u8>>>().unwrap_or_default()
}
