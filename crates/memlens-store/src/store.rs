//! Opening the library, and the generation that every change of its documents raises.

use std::fs::File;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction};
use rusqlite_migration::SchemaVersion;

use crate::StoreError;
use crate::error::Attempt;
use crate::lock::WriteLock;
use crate::migrations::MIGRATIONS;

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
}

impl Store {
    /// Opens the library in `dir` to write, and makes it where there is none.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process writes, [`StoreError::Newer`] for a library of
    /// a newer version (left untouched), [`StoreError::Folder`] where the folder cannot be used.
    pub fn open(dir: &Path) -> Result<Store, StoreError> {
        std::fs::create_dir_all(dir).map_err(|source| StoreError::Folder {
            path: dir.to_owned(),
            source,
        })?;
        let dir = &resolve(dir)?;
        let lock = WriteLock::take(dir)?;
        let path = Store::path(dir);
        // Looked at without writing first, so that a newer library is left untouched.
        if path.exists() {
            refuse_newer_head(dir)?;
            let reader = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            refuse_newer(&reader, dir)?;
        }
        let mut connection = connect(
            &path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )?;
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .and_then(|()| connection.pragma_update(None, "synchronous", "NORMAL"))
            .attempt("prepare the library")?;
        MIGRATIONS
            .to_latest(&mut connection)
            .map_err(|source| StoreError::Migration {
                path: dir.to_owned(),
                source,
            })?;
        Ok(Store {
            connection,
            dir: dir.to_owned(),
            lock: Some(lock),
        })
    }

    /// Opens the library in `dir` to read, also while another process writes.
    ///
    /// # Errors
    /// [`StoreError::Missing`] where there is none, [`StoreError::Newer`] as in [`Store::open`].
    pub fn open_read_only(dir: &Path) -> Result<Store, StoreError> {
        let path = Store::path(dir);
        let missing = || StoreError::Missing {
            path: dir.to_owned(),
        };
        if !path.exists() {
            return Err(missing());
        }
        refuse_newer_head(dir)?;
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        // A writer that has just begun, or was killed then, leaves a file without a schema.
        if refuse_newer(&connection, dir)? == SchemaVersion::NoneSet {
            return Err(missing());
        }
        Ok(Store {
            connection,
            dir: resolve(dir)?,
            lock: None,
        })
    }

    /// Returns a second connection to the same library that only reads, for another thread.
    ///
    /// # Errors
    /// As [`Store::open_read_only`].
    pub fn reader(&self) -> Result<Store, StoreError> {
        Store::open_read_only(&self.dir)
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
        dir.join("library.sqlite")
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

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .attempt("open the library")?;
    connection
        .busy_timeout(BUSY_TIMEOUT)
        .and_then(|()| connection.pragma_update(None, "foreign_keys", true))
        .attempt("open the library")?;
    Ok(connection)
}

/// Returns the version of a library that this program understands.
fn refuse_newer(connection: &Connection, dir: &Path) -> Result<SchemaVersion, StoreError> {
    match MIGRATIONS.current_version(connection) {
        Ok(version) if version > SchemaVersion::Inside(LATEST) => Err(StoreError::Newer {
            path: dir.to_owned(),
        }),
        Ok(version) => Ok(version),
        Err(source) => Err(StoreError::Migration {
            path: dir.to_owned(),
            source,
        }),
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

/// The version that this program makes.
const LATEST: NonZeroUsize = NonZeroUsize::new(1).expect("one is not zero");
