//! Cache of model results: scores and token vectors in a file of their own, which may be deleted at any time.
//!
//! No question or text can be recovered from it: everything is stored under hashes. Any number of processes read and
//! write it at once, beside the library's one writer. The least recently used entries are removed first.
//!
//! Properties checked: a stored value is returned bit for bit; no limit is ever exceeded; the latest used entries stay;
//! the file contains no question and no text; a damaged file is replaced, a newer one left unchanged; many processes
//! may write.

use std::fs::File;
use std::path::{Path, PathBuf};

use std::time::{Duration, Instant};

use memlens_faults::Place;
use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::StoreError;
use crate::store::{inject_as_sqlite, is_odd, open_database};

mod calls;
mod scores;
mod vectors;

pub use calls::RerankCall;
pub use scores::CachedScore;

/// The file's name in the library's folder.
const FILE: &str = "rerank.sqlite";
/// The form of the file that this program writes. One of an older form is replaced: it is only a cache.
const VERSION: u32 = 1;
/// How long one process waits for another's short transactions.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// How long between two attempts where SQLite does not wait itself.
const BUSY_PAUSE: Duration = Duration::from_millis(5);

const SCHEMA: &str = "
-- A clock that counts uses, so that no other clock is needed.
CREATE TABLE IF NOT EXISTS clock (uses INTEGER NOT NULL);
INSERT INTO clock SELECT 0 WHERE NOT EXISTS (SELECT * FROM clock);

CREATE TABLE IF NOT EXISTS scores (
    key BLOB PRIMARY KEY,
    bits INTEGER NOT NULL,
    scale TEXT NOT NULL,
    used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS scores_by_use ON scores (used);

-- When they were used stands apart, so that a use does not rewrite them.
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS vector_uses (
    key BLOB PRIMARY KEY,
    n_bytes INTEGER NOT NULL,
    used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS vectors_by_use ON vector_uses (used, n_bytes);

CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    n_docs INTEGER NOT NULL,
    max_chars INTEGER NOT NULL,
    n_chars INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    n_tokens INTEGER,
    is_ok INTEGER NOT NULL
);
";

/// What a file of this form can answer; one that cannot is damaged.
const PROBES: [&str; 4] = [
    "SELECT uses FROM clock",
    "SELECT key, bits, scale, used FROM scores LIMIT 1",
    "SELECT v.key, u.n_bytes, u.used FROM vectors v JOIN vector_uses u ON u.key = v.key LIMIT 1",
    "SELECT id, at_ms, provider, model, n_docs, max_chars, n_chars, micros, n_tokens, is_ok FROM calls LIMIT 1",
];

/// Size limits of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheLimits {
    /// Scores: each takes some 100 bytes.
    pub n_scores_max: u32,
    /// Total bytes of token vectors.
    pub vector_bytes_max: u64,
    /// Number of remembered reranker calls.
    pub n_calls_max: u32,
}

impl Default for CacheLimits {
    fn default() -> CacheLimits {
        CacheLimits {
            n_scores_max: 200_000,
            vector_bytes_max: 256 * 1024 * 1024,
            n_calls_max: 1000,
        }
    }
}

/// Keeps what models said of questions and texts.
#[derive(Debug)]
pub struct ScoreCache {
    opened: Mutex<Opened>,
    path: PathBuf,
    limits: CacheLimits,
}

/// The cache file, or an in-memory database instead.
#[derive(Debug)]
struct Opened {
    connection: Connection,
    is_in_memory: bool,
}

impl ScoreCache {
    /// Opens the cache of the library in `dir`, and creates it if it does not exist.
    ///
    /// A damaged file is replaced. A file of a newer Memlens, or one that cannot be written, is left unchanged, and
    /// values are cached in memory only.
    ///
    /// # Errors
    /// [`StoreError::Sql`] if that fails too.
    pub fn open(dir: &Path) -> Result<ScoreCache, StoreError> {
        ScoreCache::open_within(dir, CacheLimits::default())
    }

    /// Does the same within other limits.
    ///
    /// # Errors
    /// As [`ScoreCache::open`].
    pub fn open_within(dir: &Path, limits: CacheLimits) -> Result<ScoreCache, StoreError> {
        let path = dir.join(FILE);
        let opened = open(&path).map_err(|source| sql_error("open the score cache", source))?;
        Ok(ScoreCache {
            opened: Mutex::new(opened),
            path,
            limits,
        })
    }

    /// Forgets everything, and gives its room back.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn clear(&self) -> Result<(), StoreError> {
        self.act("clear the score cache", |connection| {
            connection.execute_batch(
                "BEGIN IMMEDIATE; DELETE FROM scores; DELETE FROM vectors; DELETE FROM vector_uses; DELETE FROM calls; COMMIT;
                 VACUUM;",
            )?;
            // A process that is reading delays the checkpoint; that is no error.
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })
    }

    /// Closes the file for good: from now on values are cached in memory only, so that an erased file is not created
    /// again.
    pub fn close(&self) {
        let mut opened = self.opened();
        match in_memory() {
            Ok(in_memory) => *opened = in_memory,
            // There is no memory left for anything then.
            Err(error) => tracing::warn!(%error, "the score cache stays open"),
        }
    }

    /// Removes the cache of the library in `dir`, whatever its owner or state.
    ///
    /// # Errors
    /// [`StoreError::Folder`] if a file of it cannot be removed.
    pub fn erase(dir: &Path) -> Result<(), StoreError> {
        let path = dir.join(FILE);
        // Another process may have it open: it is emptied first.
        if path.exists()
            && let Ok(cache) = ScoreCache::open(dir)
            && let Err(error) = cache.clear()
        {
            tracing::warn!(%error, "the score cache is removed as it is");
        }
        remove(&path).map_err(|source| StoreError::Folder { path, source })
    }

    /// Runs an action on the current file, which is created again if missing and replaced if damaged.
    fn act<T>(
        &self,
        attempt: &'static str,
        act: impl Fn(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let dir = self.path.parent().unwrap_or(&self.path);
        inject_as_sqlite(Place::Scores, dir, attempt)
            .map_err(|source| sql_error(attempt, source))?;
        let mut opened = self.opened();
        if !opened.is_in_memory && !self.path.exists() {
            *opened = open(&self.path).map_err(|source| sql_error(attempt, source))?;
        }
        let mut done = act(&mut opened.connection);
        if let Err(error) = &done
            && is_damage(error)
            && !opened.is_in_memory
        {
            // Closed first, since a file that is open cannot be removed everywhere.
            *opened = in_memory().map_err(|source| sql_error(attempt, source))?;
            *opened = replace(&self.path, error)
                .and_then(|()| open(&self.path))
                .map_err(|source| sql_error(attempt, source))?;
            done = act(&mut opened.connection);
        }
        done.map_err(|source| sql_error(attempt, source))
    }

    /// Does something that writes, in one transaction.
    fn write<T>(
        &self,
        attempt: &'static str,
        write: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.act(attempt, |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let written = write(&transaction)?;
            transaction.commit()?;
            Ok(written)
        })
    }

    fn opened(&self) -> MutexGuard<'_, Opened> {
        self.opened.lock()
    }
}

/// The key of these parts; no two lists of parts share one.
fn key_of(parts: &[&str]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher
            .update(&(part.len() as u64).to_le_bytes())
            .update(part.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// The number of this use, above that of every use before.
fn next_use(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("UPDATE clock SET uses = uses + 1 RETURNING uses")?
        .query_row([], |row| row.get(0))
}

/// Opens the file, or an in-memory database if the file must be left unchanged.
fn open(path: &Path) -> rusqlite::Result<Opened> {
    let mut is_replaced = false;
    let started = Instant::now();
    let opened = loop {
        match open_file(path) {
            Err(Refusal::Damaged(error)) if !is_replaced => {
                is_replaced = true;
                if let Err(error) = replace(path, &error) {
                    break Err(Refusal::Sql(error));
                }
            }
            // SQLite itself does not wait while another process makes the file.
            Err(Refusal::Sql(error)) if is_busy(&error) && started.elapsed() < BUSY_TIMEOUT => {
                std::thread::sleep(BUSY_PAUSE);
            }
            opened => break opened,
        }
    };
    match opened {
        Ok(connection) => Ok(Opened {
            connection,
            is_in_memory: false,
        }),
        Err(refusal) => {
            let why = match refusal {
                Refusal::Newer => "a newer version of Memlens made it".to_owned(),
                Refusal::Damaged(error) | Refusal::Sql(error) => error.to_string(),
            };
            tracing::warn!(path = %path.display(), why, "the score cache is not used; scores are kept in memory");
            in_memory()
        }
    }
}

fn in_memory() -> rusqlite::Result<Opened> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(SCHEMA)?;
    Ok(Opened {
        connection,
        is_in_memory: true,
    })
}

/// Says why a file cannot be used as it is.
enum Refusal {
    Newer,
    Damaged(rusqlite::Error),
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Refusal {
        if is_damage(&error) {
            Refusal::Damaged(error)
        } else {
            Refusal::Sql(error)
        }
    }
}

fn open_file(path: &Path) -> Result<Connection, Refusal> {
    if files_of(path).iter().any(|path| is_odd(path)) || path.is_symlink() {
        // Opening a pipe may block forever, and the target of a link is not ours.
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB);
        return Err(Refusal::Damaged(rusqlite::Error::SqliteFailure(code, None)));
    }
    // SQLite would make one that other users may read. Where none can be made, it says so itself.
    let _ = memlens_files::open_own(path, File::options().write(true).create_new(true));
    for file in files_of(path) {
        // One of another user's stays as it is.
        let _ = memlens_files::keep_private(&file);
    }
    let mut connection = open_database(path, OpenFlags::default())?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version > VERSION {
        return Err(Refusal::Newer);
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(SCHEMA).map_err(other_form)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    for probe in PROBES {
        match connection.query_row(probe, [], |_| Ok(())) {
            Ok(()) | Err(rusqlite::Error::QueryReturnedNoRows) => {}
            Err(error) => return Err(other_form(error)),
        }
    }
    Ok(connection)
}

/// Takes a file whose tables are others for a damaged one.
fn other_form(error: rusqlite::Error) -> Refusal {
    if matches!(error, rusqlite::Error::SqlInputError { .. }) {
        Refusal::Damaged(error)
    } else {
        error.into()
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

/// Creates an empty file and removes a damaged one.
fn replace(path: &Path, error: &rusqlite::Error) -> rusqlite::Result<()> {
    tracing::warn!(path = %path.display(), %error, "the score cache is damaged and is recreated");
    remove(path).map_err(|_| rusqlite::Error::InvalidPath(path.to_owned()))
}

/// The cache of the library in `dir` and the files that SQLite keeps beside it, there or not.
pub(crate) fn files(dir: &Path) -> [PathBuf; 3] {
    files_of(&dir.join(FILE))
}

fn files_of(path: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    })
}

/// Removes the file and those that SQLite keeps beside it, there or not.
fn remove(path: &Path) -> std::io::Result<()> {
    for file in files_of(path) {
        match std::fs::remove_file(file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// A failing cache does not damage the library, so a failure is only logged.
fn sql_error(attempt: &'static str, source: rusqlite::Error) -> StoreError {
    StoreError::Sql { attempt, source }
}
