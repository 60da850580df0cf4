//! Tables of another program's SQLite file, read from a copy.
//!
//! The tables that are needed are read without a lock and without writing anything beside the file (`tables.rs`). If that is not possible, because a
//! transaction was interrupted and its journal is there, the files are copied as files, and SQLite repairs the copy. The copy is in a folder
//! of the caller that only its user may look into, and on Unix its names are removed before the first row is read from it.
//!
//! Properties checked: nothing beside the original changes; what is written but not yet in the main file is read; no other table is copied;
//! copying can be stopped after each few megabytes; no other user can read the copy, and no name of it is left.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use memlens_files::Scratch;
use rusqlite::{Connection, OpenFlags};

#[cfg(not(windows))]
mod read_only;
#[cfg(not(windows))]
mod tables;

/// What SQLite keeps of one database: the file, its write-ahead log, its rollback journal.
const PARTS: [&str; 3] = ["", "-wal", "-journal"];
/// Maximum number of copies until nothing changed meanwhile.
const TRIES: u32 = 5;
const BETWEEN_TRIES: Duration = Duration::from_millis(40);
/// Maximum size of a copied database: a user waits for the copy.
const BYTES_MAX: u64 = 2 << 30;
/// Number of bytes copied between two checks whether to continue.
const PIECE: u64 = 4 << 20;

/// A copy of a database, open for reading; it is deleted when dropped.
pub struct CopiedDatabase {
    connection: Connection,
    _scratch: Scratch,
}

/// Cache key: size and mtime of each file of the database; `None` for a missing file.
pub type Stamp = [Option<(u64, SystemTime)>; 3];

/// Current size and mtime of each file of a database.
///
/// # Errors
/// What the system answers.
pub fn stamp(database: &Path) -> io::Result<Stamp> {
    let mut stamp = [None; 3];
    for (part, known) in PARTS.iter().zip(&mut stamp) {
        *known = match part_of(database, part).symlink_metadata() {
            Ok(found) => Some((found.len(), found.modified()?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
    }
    Ok(stamp)
}

fn part_of(database: &Path, part: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(part);
    name.into()
}

impl CopiedDatabase {
    /// Copies tables of a database into a scratch folder in `copies`, which is made if absent, and opens the copy. A table that the database
    /// does not have is not in the copy either. Each one is checked.
    ///
    /// # Errors
    /// Why it cannot be read, for the user.
    pub fn of(database: &Path, tables: &[&str], copies: &Path) -> Result<CopiedDatabase, String> {
        let mut go_on = |_| ControlFlow::Continue(());
        let copied = CopiedDatabase::copy(database, tables, copies, true, &mut go_on)?;
        Ok(copied.expect("nobody stopped it"))
    }

    /// The same without the check, asking before each few megabytes whether to go on, with how often it was begun again because the database
    /// changed meanwhile. `None` if it was stopped.
    ///
    /// # Errors
    /// As [`CopiedDatabase::of`].
    pub fn unless_stopped(
        database: &Path,
        tables: &[&str],
        copies: &Path,
        go_on: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<Option<CopiedDatabase>, String> {
        CopiedDatabase::copy(database, tables, copies, false, go_on)
    }

    fn copy(
        database: &Path,
        tables: &[&str],
        copies: &Path,
        is_checked: bool,
        go_on: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> Result<Option<CopiedDatabase>, String> {
        let scratch = Scratch::new(copies).map_err(|error| {
            format!("no copy of it can be made in {}: {error}", copies.display())
        })?;
        let copy = scratch.path().join("copy.sqlite");
        for attempt in 0..TRIES {
            if attempt > 0 {
                thread::sleep(BETWEEN_TRIES);
            }
            let before = stamp(database).map_err(|error| error.to_string())?;
            let bytes: u64 = before.iter().flatten().map(|(bytes, _)| bytes).sum();
            if bytes > BYTES_MAX {
                return Err(format!("it is larger than {} GiB", BYTES_MAX >> 30));
            }
            let go_on = &mut || go_on(attempt);
            #[cfg(not(windows))]
            let by_tables = tables::copy(database, &before, tables, &copy, is_checked, go_on);
            #[cfg(windows)]
            let by_tables = None;
            let done = match by_tables {
                Some(done) => done,
                None => copy_files(database, &before, &copy, go_on).and_then(|done| match done {
                    Some(()) => open_files(&copy, tables, is_checked).map(Some),
                    None => Ok(None),
                }),
            };
            let is_same = stamp(database).is_ok_and(|after| after == before);
            match done {
                Ok(None) => return Ok(None),
                Ok(Some(connection)) if is_same => {
                    return Ok(Some(CopiedDatabase::of_copy(connection, scratch)));
                }
                Err(why) if is_same => return Err(why),
                // A copy of files that changed meanwhile is useless.
                Ok(Some(_)) | Err(_) => {}
            }
        }
        Err("it changes all the time".to_owned())
    }

    fn of_copy(connection: Connection, mut scratch: Scratch) -> CopiedDatabase {
        scratch.unlink();
        CopiedDatabase {
            connection,
            _scratch: scratch,
        }
    }

    /// Connection to the copy of the database.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}

/// A new file of its own, whatever was there before.
fn new_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    memlens_files::open_own(path, File::options().write(true).create_new(true))
}

/// Opens a copy, or an empty file that is to become one.
fn open(copy: &Path) -> rusqlite::Result<Connection> {
    // With the right to write: SQLite brings a log or a journal into the copy first.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(copy, flags)?;
    // It is another program's file: nothing in its schema may run.
    connection.pragma_update(None, "trusted_schema", false)?;
    // Nothing of it is written to other places.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    Ok(connection)
}

/// Copies a database as files; `None` if that was stopped.
fn copy_files(
    database: &Path,
    stamp: &Stamp,
    copy: &Path,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<()>, String> {
    for (part, known) in PARTS.iter().zip(stamp) {
        let (from, to) = (part_of(database, part), part_of(copy, part));
        if copy_part(&from, &to, *known, go_on)?.is_break() {
            return Ok(None);
        }
    }
    Ok(Some(()))
}

/// Opens a database that was copied as files.
fn open_files(copy: &Path, tables: &[&str], is_checked: bool) -> Result<Connection, String> {
    let opened = || -> rusqlite::Result<Connection> {
        let connection = open(copy)?;
        // A single file from here on, whatever the original has beside it.
        connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        connection.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
        Ok(connection)
    };
    let connection = opened().map_err(|error| words(&error))?;
    if is_checked {
        for table in tables {
            check(&connection, "main", table)?;
        }
    }
    Ok(connection)
}

/// Checks the pages of a table and of its indexes; a table that is not there is sound.
fn check(connection: &Connection, schema: &str, table: &str) -> Result<(), String> {
    let is_there = connection
        .table_exists(Some(schema), table)
        .map_err(|error| words(&error))?;
    if !is_there {
        return Ok(());
    }
    let question = format!("PRAGMA {schema}.integrity_check({table})");
    let found: String = connection
        .query_row(&question, [], |row| row.get(0))
        .map_err(|error| words(&error))?;
    match &*found {
        "ok" => Ok(()),
        _ => Err("it is damaged".to_owned()),
    }
}

/// Copies one file of the database; if it is missing, it is also missing in the copy.
fn copy_part(
    from: &Path,
    to: &Path,
    known: Option<(u64, SystemTime)>,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<ControlFlow<()>, String> {
    let mut from = match memlens_files::open_own(from, File::options().read(true)) {
        Ok(from) => from,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match fs::remove_file(to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.to_string()),
                _ => Ok(ControlFlow::Continue(())),
            };
        }
        Err(error) if memlens_files::is_odd(&error) => {
            return Err("it is a link, a pipe or a device, and only a file is read".to_owned());
        }
        Err(error) => return Err(error.to_string()),
    };
    let bytes = known.map_or(0, |(bytes, _)| bytes);
    copy_pieces(&mut from, to, bytes, go_on)
        .map_err(|error| format!("no copy of it can be made: {error}"))
}

/// Copies at most this many bytes: a file may grow as fast as it is copied.
fn copy_pieces(
    from: &mut File,
    to: &Path,
    bytes: u64,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    let mut to = new_file(to)?;
    let mut left = bytes;
    while left > 0 {
        if go_on().is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let piece = left.min(PIECE);
        io::copy(&mut from.take(piece), &mut to)?;
        left -= piece;
    }
    Ok(ControlFlow::Continue(()))
}

/// SQLite's error message for the user.
pub fn words(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => "it is no SQLite file".to_owned(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt) => "it is damaged".to_owned(),
        _ => error.to_string(),
    }
}
