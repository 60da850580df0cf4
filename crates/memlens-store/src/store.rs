//! Opening the library, and the generation that every change of its documents raises.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use memlens_faults::{Place, inject};
use memlens_files::Identity;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use rusqlite_migration::SchemaVersion;
use serde::{Deserialize, Serialize};

use crate::checksum;
use crate::copy_print;
use crate::error::{Attempt, DATABASE};
use crate::lock::WriteLock;
use crate::migrations::{LATEST, MIGRATIONS};
use crate::past::page;
#[cfg(target_os = "linux")]
use crate::shared_memory;
use crate::{StoreError, made, repair, saved, trust};

/// Names a document; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DocumentId(pub i64);

/// How long a reader waits for a writer's short exclusive moments.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a user's action waits for the other connection, which may be reclaiming space: that takes long in a large
/// library.
const BUSY_TIMEOUT_BESIDE: Duration = Duration::from_secs(120);

/// The library's database, open for reading or writing.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    dir: PathBuf,
    file: DatabaseFile,
    lock: Option<Arc<WriteLock>>,
    /// State of the file when it was opened, for a database in a place that this process cannot write. SQLite then
    /// assumes that the file never changes.
    frozen: Option<FileState>,
    /// The snapshot that was saved last, once it was inspected.
    pub(crate) saved_near: Option<saved::Near>,
    /// State of the counter in the file of what the user made, once it was inspected.
    pub(crate) made_kept: Option<i64>,
    notice: Option<String>,
}

/// The file of an open database. A connection goes on with it after it was replaced or deleted.
#[derive(Debug, Clone)]
pub struct DatabaseFile {
    /// Path of the library's folder, as it was given.
    dir: PathBuf,
    /// `None` if the file may be replaced, because the connection is opened again when it changes.
    identity: Option<Identity>,
}

impl DatabaseFile {
    fn of(dir: &Path) -> Result<DatabaseFile, StoreError> {
        Ok(DatabaseFile {
            dir: dir.to_owned(),
            identity: Some(identity(dir)?),
        })
    }

    /// Whether it is still the database of the library.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if it was deleted, [`StoreError::Replaced`] if another file is in its place, and
    /// [`StoreError::Folder`] if that cannot be found out.
    pub fn check(&self) -> Result<(), StoreError> {
        let found = identity(&self.dir)?;
        if self.identity.is_some_and(|opened| opened != found) {
            return Err(StoreError::Replaced {
                path: self.dir.clone(),
            });
        }
        Ok(())
    }
}

/// The identity of the database in `dir`.
fn identity(dir: &Path) -> Result<Identity, StoreError> {
    let path = Store::path(dir);
    let is_gone = |kind| matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory);
    Identity::of(&path).map_err(|source| {
        if is_gone(source.kind()) {
            StoreError::Missing {
                path: dir.to_owned(),
            }
        } else {
            StoreError::Folder { path, source }
        }
    })
}

/// Metadata that shows whether a file was written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileState {
    n_bytes: u64,
    modified: Option<SystemTime>,
}

impl FileState {
    /// The state of a file; that of an empty file if it cannot be read.
    fn of(path: &Path) -> FileState {
        let metadata = path.metadata();
        FileState {
            n_bytes: metadata.as_ref().map_or(0, |metadata| metadata.len()),
            modified: metadata.and_then(|metadata| metadata.modified()).ok(),
        }
    }
}

impl Store {
    /// Opens the library in `dir` for writing, and creates it if it does not exist.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process writes, [`StoreError::Newer`] for a library of
    /// a newer version (left untouched), [`StoreError::Damaged`] for a file that is no sound database
    /// (likewise), [`StoreError::Folder`] if the folder cannot be used or written, [`StoreError::OfAnotherUser`] and
    /// [`StoreError::OpenToOthers`] for a library that another user could have prepared.
    pub fn open(dir: &Path) -> Result<Store, StoreError> {
        refuse_file(dir)?;
        memlens_files::make_folder(dir).map_err(|source| StoreError::Folder {
            path: dir.to_owned(),
            source,
        })?;
        let dir = &resolve(dir)?;
        let path = Store::path(dir);
        let of_owner = trust::refuse_of_others(dir, &own_files(dir))?;
        refuse_odd(dir)?;
        // Inspected without writing first, so that a newer library stays unchanged.
        if path.exists() {
            refuse_newer_head(dir)?;
        }
        let lock = WriteLock::take(dir)?;
        let is_new = path.metadata().map_or(true, |found| found.len() == 0);
        if path.exists() {
            let reader = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            refuse_newer(&reader, dir)?;
            // One that is damaged too, as far as that shows: SQLite would tidy up around it.
            reader
                .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
                .map(|_: i64| ())
                .map_err(|source| StoreError::of_sql("open the library", &path, source))?;
        } else {
            make(&path)?;
        }
        let notice = close_to_others(dir)?.or(of_owner);
        memlens_files::remove_leftovers(&copies(dir));
        let file = DatabaseFile::of(dir)?;
        let mut connection = connect_to_write(&path)?;
        let before = MIGRATIONS.current_version(&connection);
        MIGRATIONS
            .to_latest(&mut connection)
            .map_err(|source| migration_error(dir, source))?;
        if !matches!(before, Ok(SchemaVersion::Inside(version)) if version == LATEST) {
            // A step that rewrites tables leaves a log of their size. A reader may keep it for now.
            let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
        let mut store = Store {
            connection,
            dir: dir.to_owned(),
            file,
            lock: Some(Arc::new(lock)),
            frozen: None,
            saved_near: None,
            made_kept: None,
            notice,
        };
        if is_new {
            store.note_new()?;
        }
        Ok(store)
    }

    /// Opens the library in `dir` for reading, also while another process writes, and also if this process may not
    /// write: a read-only library, or one on a disk that is mounted read-only.
    ///
    /// A library of an older version is migrated first.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is none; [`StoreError::Newer`] and [`StoreError::Damaged`]
    /// as in [`Store::open`], and its errors if it must be brought up to date.
    pub fn open_read_only(dir: &Path) -> Result<Store, StoreError> {
        refuse_file(dir)?;
        let path = Store::path(dir);
        let missing = || StoreError::Missing {
            path: dir.to_owned(),
        };
        if !path.exists() {
            return Err(missing());
        }
        let of_owner = trust::refuse_of_others(dir, &own_files(dir))?;
        refuse_odd(dir)?;
        refuse_newer_head(dir)?;
        let notice = close_to_others(dir)?.or(of_owner);
        // Before the file is opened: one that is replaced in between counts as replaced.
        let mut file = DatabaseFile::of(dir)?;
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
        if frozen.is_some() {
            file.identity = None;
        }
        Ok(Store {
            connection,
            dir: resolve(dir)?,
            file,
            lock: None,
            frozen,
            saved_near: None,
            made_kept: None,
            notice,
        })
    }

    /// Opens the library again if this connection cannot see what another process wrote to it: a library in a place
    /// that this process may not write, after the file changed.
    ///
    /// # Errors
    /// As [`Store::open_read_only`].
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        if let Some(frozen) = &self.frozen
            && (*frozen != FileState::of(&Store::path(&self.dir)) || has_log(&self.dir))
        {
            *self = self.reader()?;
        }
        Ok(())
    }

    /// The file of the database.
    pub fn file(&self) -> &DatabaseFile {
        &self.file
    }

    /// Refuses a library that a newer version has brought up to date since it was opened.
    ///
    /// # Errors
    /// [`StoreError::Newer`]; [`StoreError::Sql`] and [`StoreError::Damaged`] if the version cannot be read.
    pub fn check_version(&self) -> Result<(), StoreError> {
        refuse_newer(&self.connection, &self.dir).map(drop)
    }

    /// A second connection to the same library that only reads, for another thread.
    ///
    /// # Errors
    /// As [`Store::open_read_only`].
    pub fn reader(&self) -> Result<Store, StoreError> {
        Store::open_read_only(&self.dir)
    }

    /// A second connection to the same library that may write, for another thread: it waits for the transactions
    /// of this one and for nothing else. The library stays locked for others until both are dropped.
    ///
    /// # Errors
    /// [`StoreError::Sql`] and [`StoreError::Disk`].
    pub fn beside(&self) -> Result<Store, StoreError> {
        let connection = connect_to_write(&Store::path(&self.dir))?;
        connection
            .busy_timeout(BUSY_TIMEOUT_BESIDE)
            .attempt("prepare the library")?;
        Ok(Store {
            connection,
            dir: self.dir.clone(),
            file: self.file.clone(),
            lock: self.lock.clone(),
            frozen: None,
            saved_near: None,
            made_kept: None,
            notice: None,
        })
    }

    /// Notice about the library's folder: it cannot be closed to other users, or its owner is unknown.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Whether there is no database in `dir`.
    pub fn is_gone(dir: &Path) -> bool {
        !Store::path(dir).exists()
    }

    /// Process that is writing to the library in `dir`, as text for the user; `None` if no process is.
    ///
    /// # Errors
    /// [`StoreError::Folder`] if that cannot be found out.
    pub fn writer(dir: &Path) -> Result<Option<String>, StoreError> {
        crate::lock::holder(dir)
    }

    /// Absolute path of the library's folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether this connection may write.
    pub fn is_writer(&self) -> bool {
        self.lock.is_some()
    }

    /// The number that every change of the documents raises; 0 for a new library.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn generation(&self) -> Result<u64, StoreError> {
        Ok(self
            .meta("generation")?
            .and_then(|text| text.parse().ok())
            .unwrap_or(0))
    }

    /// A remembered text, such as the options that the chunks were cut with.
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

    /// Runs an action that the user asked for in one transaction of its own, so that it survives a power failure and a
    /// log that is torn later: what indexing writes can be read from the notes again, this cannot be recovered.
    pub(crate) fn lastingly<T>(
        &mut self,
        change: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.synced(|connection| {
            let changed = change(connection)?;
            // Moves the log into the file, as far as no reader still needs the previous contents; the rest is already
            // safe on the disk.
            let moved = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            if let Err(error) = moved {
                tracing::debug!(%error, "the log is kept for now");
            }
            Ok(changed)
        })
    }

    /// Does something in one transaction that outlasts a power failure before this returns: lists that follow it are never
    /// ahead of the library.
    pub(crate) fn synced<T>(
        &mut self,
        change: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let set = |connection: &Connection, synchronous: &str| {
            connection
                .pragma_update(None, "synchronous", synchronous)
                .attempt("flush the library to the disk")
        };
        set(&self.connection, "FULL")?;
        let changed = change(&mut self.connection);
        set(&self.connection, "NORMAL")?;
        changed
    }

    fn path(dir: &Path) -> PathBuf {
        dir.join(DATABASE)
    }

    /// Fails if a test has asked for it; see [`memlens_faults`].
    pub(crate) fn inject_fault(&self, attempt: &'static str) -> Result<(), StoreError> {
        inject_as_sqlite(Place::Store, &self.dir, attempt).attempt(attempt)
    }
}

impl Drop for Store {
    /// The last one that may write brings the library to rest, as far as that is quick.
    fn drop(&mut self) {
        let is_last = self
            .lock
            .as_ref()
            .is_some_and(|lock| Arc::strong_count(lock) == 1);
        if is_last
            && !std::thread::panicking()
            && self.connection.is_autocommit()
            && let Err(error) = self.rest_at_end()
        {
            tracing::debug!(%error, "the library did not come to rest");
        }
    }
}

/// Fails as SQLite does, if a test has asked for it; see [`memlens_faults`].
pub(crate) fn inject_as_sqlite(place: Place, dir: &Path, attempt: &str) -> rusqlite::Result<()> {
    inject(place, dir, attempt).map_err(|fault| {
        let code = if fault.kind() == std::io::ErrorKind::StorageFull {
            rusqlite::ffi::SQLITE_FULL
        } else {
            rusqlite::ffi::SQLITE_PROTOCOL
        };
        rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(fault.to_string()))
    })
}

/// Resolved path of the library's folder, so that it can be compared with watched folders.
fn resolve(dir: &Path) -> Result<PathBuf, StoreError> {
    memlens_files::canonical(dir).map_err(|source| StoreError::Folder {
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

/// The database and the files that SQLite keeps beside it, there or not.
pub(crate) fn files(dir: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| dir.join(format!("{DATABASE}{suffix}")))
}

/// Disk space of the database of the library in `dir`, in bytes, with the files that SQLite keeps beside it; 0 if there
/// is no database.
pub fn n_bytes(dir: &Path) -> u64 {
    files(dir)
        .iter()
        .map(|path| path.metadata().map_or(0, |metadata| metadata.len()))
        .sum()
}

/// Refuses a file where the library's folder should be.
fn refuse_file(dir: &Path) -> Result<(), StoreError> {
    match dir.is_file() {
        true => Err(StoreError::NotAFolder {
            path: dir.to_owned(),
        }),
        false => Ok(()),
    }
}

/// Refuses a library that contains a pipe or a device: opening one may block forever.
fn refuse_odd(dir: &Path) -> Result<(), StoreError> {
    let journal = dir.join(format!("{DATABASE}-journal"));
    for path in files(dir).into_iter().chain([journal]) {
        if is_odd(&path) {
            return Err(StoreError::NoFile { path });
        }
    }
    Ok(())
}

/// Whether a path is something other than a file or folder; links are followed.
pub(crate) fn is_odd(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Makes the empty file of a database, its user's alone; SQLite gives the files beside it the same rights.
fn make(path: &Path) -> Result<(), StoreError> {
    let made = memlens_files::open_own(path, File::options().write(true).create_new(true));
    made.map(drop).map_err(|source| StoreError::Folder {
        path: path.to_owned(),
        source,
    })
}

/// Closes the library in `dir` to other users, but for a folder that is closed to writing: the user meant it so. Returns a notice if that
/// cannot be done.
fn close_to_others(dir: &Path) -> Result<Option<String>, StoreError> {
    let is_closed = dir
        .metadata()
        .is_ok_and(|found| found.permissions().readonly());
    if !is_closed {
        keep_private(dir);
        keep_files_private(dir);
    }
    trust::refuse_open(dir, &own_files(dir), is_closed)
}

/// Keeps other users out of the folder of the library in `dir`, and so out of all in it.
///
/// One that also holds what is not the library's is left as it is.
fn keep_private(dir: &Path) {
    let own = own_files(dir);
    let is_own = |name: &std::ffi::OsStr| {
        let is_file = own.iter().any(|path| path.file_name() == Some(name));
        is_file || FOLDERS.iter().any(|folder| name == *folder)
    };
    let is_ours_alone = std::fs::read_dir(dir).is_ok_and(|mut entries| {
        entries.all(|entry| entry.is_ok_and(|entry| is_own(&entry.file_name())))
    });
    if is_ours_alone {
        try_keep_private(dir);
    }
}

/// Keeps other users out of the files of the library in `dir`; the lists see to theirs.
fn keep_files_private(dir: &Path) {
    for path in own_files(dir) {
        try_keep_private(&path);
    }
}

fn try_keep_private(path: &Path) {
    if let Err(error) = memlens_files::keep_private(path) {
        // One on a disk that is mounted to read, say.
        tracing::debug!(path = %path.display(), %error, "cannot keep other users out");
    }
}

/// The files that this crate keeps in the library in `dir`, there or not.
fn own_files(dir: &Path) -> Vec<PathBuf> {
    let mut own = vec![crate::lock::path(dir)];
    own.extend(files(dir));
    own.extend(saved::files(dir));
    own.extend(made::files(dir));
    own.extend(repair::set_aside_files(dir));
    own.push(repair::mark(dir));
    own.extend(crate::score_cache::files(dir));
    own
}

/// The folders in the library's: the lists', that of downloaded models, and that of [`copies`].
const FOLDERS: [&str; 4] = ["text", "vectors", "models", COPIES];
const COPIES: &str = "copies";

/// The folder in the library in `dir` where other programs' databases are copied to be read. What a killed process left there
/// is removed when the library is opened to write, and before the next copy.
pub fn copies(dir: &Path) -> PathBuf {
    dir.join(COPIES)
}

/// Whether changes may exist that only the log contains.
fn has_log(dir: &Path) -> bool {
    let [_, log, _] = files(dir);
    log.metadata().is_ok_and(|metadata| metadata.len() > 0)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let opened = || {
        let connection = open_database(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        checksum::register(&connection)?;
        copy_print::register(&connection)?;
        page::register(&connection)?;
        Ok(connection)
    };
    opened().map_err(|source| StoreError::of_sql("open the library", path, source))
}

/// Opens a database of the library's own, which other processes may use too.
pub(crate) fn open_database(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    #[cfg(target_os = "linux")]
    if let Some(vfs) = shared_memory::vfs() {
        return Connection::open_with_flags_and_vfs(path, flags, vfs);
    }
    Connection::open_with_flags(path, flags)
}

/// Opens the database for writing, and creates it if it does not exist.
fn connect_to_write(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = connect(path, flags)?;
    // One that begins by reading could not go on to write once another connection has written.
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .and_then(|()| connection.pragma_update(None, "synchronous", "NORMAL"))
        // Deleted data is overwritten; what that misses is removed later, see `rest.rs`.
        .and_then(|()| connection.pragma_update(None, "secure_delete", "ON"))
        .map_err(|source| StoreError::of_sql("prepare the library", path, source))?;
    Ok(connection)
}

/// Opens the database to read; returns with it its present state if it must be taken for one that never changes.
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

/// The URI by which SQLite takes a file for one that never changes.
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

/// The version of a library that this program understands.
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

/// Refuses a library of a newer version, judging by the database file alone: SQLite leaves files of its own beside one
/// that it opens, unless the file never changes. A version that is only in the log is detected later.
///
/// The file is read through SQLite: opening and closing it by other means would release this process's locks on it, and
/// a process that finishes would remove the log while its readers use it.
fn refuse_newer_head(dir: &Path) -> Result<(), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let version = Connection::open_with_flags(immutable_uri(&Store::path(dir)), flags).and_then(
        |connection| {
            connection.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0))
        },
    );
    match version {
        // It has no sign in the file.
        Ok(version) if version as u32 as usize > LATEST.get() => Err(StoreError::Newer {
            path: dir.to_owned(),
        }),
        // What is wrong with it SQLite says when it is opened.
        Ok(_) | Err(_) => Ok(()),
    }
}
