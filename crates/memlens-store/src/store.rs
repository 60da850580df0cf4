//! Opening the library, and the generation that every change of its documents raises.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction};
use rusqlite_migration::SchemaVersion;

use crate::StoreError;
use crate::error::{Attempt, DATABASE};
use crate::lock::WriteLock;
use crate::migrations::{LATEST, MIGRATIONS};

/// Names a document; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub i64);

/// How long a reader waits for a writer's short exclusive moments.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Is the library's database.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    dir: PathBuf,
    lock: Option<WriteLock>,
    /// Where the database lies in a place that this process cannot write: the file as it was when it was opened. SQLite
    /// then takes it for one that never changes.
    frozen: Option<FileState>,
}

/// Is what tells that a file was written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileState {
    n_bytes: u64,
    modified: Option<SystemTime>,
}

impl FileState {
    /// Returns the state of a file; that of an empty one where it cannot be looked at.
    fn of(path: &Path) -> FileState {
        let metadata = path.metadata();
        FileState {
            n_bytes: metadata.as_ref().map_or(0, |metadata| metadata.len()),
            modified: metadata.and_then(|metadata| metadata.modified()).ok(),
        }
    }
}

impl Store {
    /// Opens the library in `dir` to write, and makes it where there is none.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process writes, [`StoreError::Newer`] for a library of
    /// a newer version (left untouched), [`StoreError::Damaged`] for a file that is no sound database
    /// (likewise), [`StoreError::Folder`] where the folder cannot be used or written.
    pub fn open(dir: &Path) -> Result<Store, StoreError> {
        std::fs::create_dir_all(dir).map_err(|source| StoreError::Folder {
            path: dir.to_owned(),
            source,
        })?;
        let dir = &resolve(dir)?;
        let path = Store::path(dir);
        // Looked at without writing first, so that a newer library is left untouched.
        if path.exists() {
            refuse_newer_head(dir)?;
        }
        let lock = WriteLock::take(dir)?;
        if path.exists() {
            let reader = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            refuse_newer(&reader, dir)?;
            // One that is damaged too, as far as that shows: SQLite would tidy up around it.
            reader
                .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
                .map(|_: i64| ())
                .map_err(|source| StoreError::of_sql("open the library", &path, source))?;
        }
        let mut connection = connect(
            &path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )?;
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .and_then(|()| connection.pragma_update(None, "synchronous", "NORMAL"))
            .map_err(|source| StoreError::of_sql("prepare the library", &path, source))?;
        MIGRATIONS
            .to_latest(&mut connection)
            .map_err(|source| migration_error(dir, source))?;
        Ok(Store {
            connection,
            dir: dir.to_owned(),
            lock: Some(lock),
            frozen: None,
        })
    }

    /// Opens the library in `dir` to read, also while another process writes, and also where this
    /// process may not write: another user's library, or one on a disk that is mounted to read.
    ///
    /// One of an older version is brought up to date first.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is none; [`StoreError::Newer`] and [`StoreError::Damaged`]
    /// as in [`Store::open`], and its errors where it must be brought up to date.
    pub fn open_read_only(dir: &Path) -> Result<Store, StoreError> {
        let path = Store::path(dir);
        let missing = || StoreError::Missing {
            path: dir.to_owned(),
        };
        if !path.exists() {
            return Err(missing());
        }
        refuse_newer_head(dir)?;
        let (mut connection, mut frozen) = connect_to_read(&path)?;
        match refuse_newer(&connection, dir)? {
            // A writer that has just begun, or was killed then, leaves a file without a schema.
            SchemaVersion::NoneSet => return Err(missing()),
            SchemaVersion::Inside(version) if version < LATEST => {
                drop(connection);
                drop(Store::open(dir)?);
                (connection, frozen) = connect_to_read(&path)?;
            }
            SchemaVersion::Inside(_) | SchemaVersion::Outside(_) => {}
        }
        Ok(Store {
            connection,
            dir: resolve(dir)?,
            lock: None,
            frozen,
        })
    }

    /// Opens the library anew if this connection cannot see what another process wrote to it: one in
    /// a place that this process may not write, when the file changed.
    ///
    /// # Errors
    /// As [`Store::open_read_only`].
    pub fn thaw(&mut self) -> Result<(), StoreError> {
        if let Some(frozen) = &self.frozen
            && (*frozen != FileState::of(&Store::path(&self.dir)) || has_log(&self.dir))
        {
            *self = self.reader()?;
        }
        Ok(())
    }

    /// Returns a second connection to the same library that only reads, for another thread.
    ///
    /// # Errors
    /// As [`Store::open_read_only`].
    pub fn reader(&self) -> Result<Store, StoreError> {
        Store::open_read_only(&self.dir)
    }

    /// Tells whether there is no database in `dir`.
    pub fn is_gone(dir: &Path) -> bool {
        !Store::path(dir).exists()
    }

    /// Returns who writes to the library in `dir` now, for a person; none when nobody does.
    ///
    /// # Errors
    /// [`StoreError::Folder`] where that cannot be told.
    pub fn writer(dir: &Path) -> Result<Option<String>, StoreError> {
        crate::lock::holder(dir)
    }

    /// Returns the library's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Tells whether this connection may write.
    pub fn is_writer(&self) -> bool {
        self.lock.is_some()
    }

    /// Returns the number that every change of the documents raises; 0 for a new library.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn generation(&self) -> Result<u64, StoreError> {
        Ok(self
            .meta("generation")?
            .and_then(|text| text.parse().ok())
            .unwrap_or(0))
    }

    /// Returns a remembered text, such as the options that the chunks were cut with.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT value FROM meta WHERE key = ?1")
            .attempt("read the library's settings")?;
        let mut rows = statement
            .query([key])
            .attempt("read the library's settings")?;
        rows.next()
            .and_then(|row| row.map(|row| row.get(0)).transpose())
            .attempt("read the library's settings")
    }

    /// Remembers a text.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.connection
            .execute(
                "INSERT INTO meta VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
                [key, value],
            )
            .map(|_| ())
            .attempt("write the library's settings")
    }

    fn path(dir: &Path) -> PathBuf {
        dir.join(DATABASE)
    }
}

/// Returns where the library's folder really lies, so that it can be compared with watched folders.
fn resolve(dir: &Path) -> Result<PathBuf, StoreError> {
    dir.canonicalize().map_err(|source| StoreError::Folder {
        path: dir.to_owned(),
        source,
    })
}

/// Raises the generation within a transaction and returns the new one.
pub(crate) fn next_generation(transaction: &Transaction<'_>) -> Result<u64, StoreError> {
    transaction
        .query_row(
            "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'generation' RETURNING CAST(value AS INTEGER)",
            [],
            |row| row.get::<_, i64>(0),
        )
        .map(|generation| generation as u64)
        .attempt("raise the generation")
}

/// Returns the database and the files that SQLite keeps beside it, there or not.
pub(crate) fn files(dir: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| dir.join(format!("{DATABASE}{suffix}")))
}

/// Returns the bytes that the database of the library in `dir` takes on disk, with what SQLite keeps beside it; 0 where
/// there is none.
pub fn n_bytes(dir: &Path) -> u64 {
    files(dir)
        .iter()
        .map(|path| path.metadata().map_or(0, |metadata| metadata.len()))
        .sum()
}

/// Tells whether something may have been written that stands in the log alone.
fn has_log(dir: &Path) -> bool {
    let [_, log, _] = files(dir);
    log.metadata().is_ok_and(|metadata| metadata.len() > 0)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let opened = || {
        let connection =
            Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(connection)
    };
    opened().map_err(|source| StoreError::of_sql("open the library", path, source))
}

/// Opens the database to read; returns with it its present state where it must be taken for one that never changes.
///
/// SQLite needs to write beside a database with a log, even to read it. Where it may not, and there is no log, the file
/// alone is all there is.
fn connect_to_read(path: &Path) -> Result<(Connection, Option<FileState>), StoreError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let looked: rusqlite::Result<i64> =
        connection.query_row("PRAGMA schema_version", [], |row| row.get(0));
    match looked.map_err(|error| (error.sqlite_error_code(), error)) {
        Ok(_) => Ok((connection, None)),
        Err((Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly), _))
            if path.parent().is_some_and(|dir| !has_log(dir)) =>
        {
            let frozen = FileState::of(path);
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            let connection = connect(Path::new(&immutable_uri(path)), flags)?;
            Ok((connection, Some(frozen)))
        }
        Err((_, source)) => Err(StoreError::of_sql("open the library", path, source)),
    }
}

/// Returns the URI by which SQLite takes a file for one that never changes.
/// Source: SQLite, Uniform Resource Identifiers, 3.
fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// Returns the version of a library that this program understands.
fn refuse_newer(connection: &Connection, dir: &Path) -> Result<SchemaVersion, StoreError> {
    match MIGRATIONS.current_version(connection) {
        Ok(version) if version > SchemaVersion::Inside(LATEST) => Err(StoreError::Newer {
            path: dir.to_owned(),
        }),
        Ok(version) => Ok(version),
        Err(source) => Err(migration_error(dir, source)),
    }
}

fn migration_error(dir: &Path, source: rusqlite_migration::Error) -> StoreError {
    if let rusqlite_migration::Error::RusqliteError { err, .. } = source {
        return StoreError::of_sql("open the library", &Store::path(dir), err);
    }
    StoreError::Migration {
        path: dir.to_owned(),
        source,
    }
}

/// Refuses a library that is newer by the first bytes of its file: SQLite itself leaves files of its
/// own beside one that it only looks into. A version that still stands in the log is seen later.
fn refuse_newer_head(dir: &Path) -> Result<(), StoreError> {
    let mut head = [0; HEAD_BYTES];
    let read = File::open(Store::path(dir)).and_then(|mut file| file.read_exact(&mut head));
    let Some(version) = head.last_chunk().filter(|_| read.is_ok()) else {
        return Ok(()); // SQLite says what is wrong with it.
    };
    if head.starts_with(HEAD_MAGIC) && u32::from_be_bytes(*version) as usize > LATEST.get() {
        return Err(StoreError::Newer {
            path: dir.to_owned(),
        });
    }
    Ok(())
}

/// An SQLite file's beginning, up to and with its `user_version`. Source: SQLite, Database File Format, 1.3.
const HEAD_BYTES: usize = 64;
const HEAD_MAGIC: &[u8] = b"SQLite format 3\0";
