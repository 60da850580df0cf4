//! Another program's SQLite file, read from a copy.
//!
//! The files are copied as files, with what stands beside them of a write that goes on, and the copy is opened: the program
//! finds no lock, and no file that it did not make. The copy lies in a folder of the caller that only its user may look into,
//! and on Unix its names are removed before the first row is read.
//!
//! Properties checked: nothing beside the original changes; what is written but not yet in the main file is read; copying can be
//! stopped after each few megabytes; no other user can read the copy, and no name of it is left.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use memlens_files::Scratch;
use rusqlite::{Connection, OpenFlags};

/// What SQLite keeps of one database: the file, its write-ahead log, its rollback journal.
const PARTS: [&str; 3] = ["", "-wal", "-journal"];
/// How often it is copied until nothing moved meanwhile.
const TRIES: u32 = 5;
const BETWEEN_TRIES: Duration = Duration::from_millis(40);
/// More is not copied: somebody waits for it.
const BYTES_MAX: u64 = 2 << 30;
/// So much is copied before it is asked whether to go on.
const PIECE: u64 = 4 << 20;

/// A copy that is open; it goes with its value.
pub struct CopiedDatabase {
    connection: Connection,
    _scratch: Scratch,
}

/// Size and time of each part; none where it is not there. While they stand, so does what was read.
pub type Stamp = [Option<(u64, SystemTime)>; 3];

/// How the parts of a database stand.
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
    /// Copies a database into a scratch folder in `copies`, which is made if absent, and opens the copy.
    ///
    /// # Errors
    /// Why it cannot be read, for a person.
    pub fn of(database: &Path, copies: &Path) -> Result<CopiedDatabase, String> {
        let mut go_on = |_| ControlFlow::Continue(());
        let copied = CopiedDatabase::unless_stopped(database, copies, &mut go_on)?;
        Ok(copied.expect("nobody stopped it"))
    }

    /// The same, asking before each few megabytes whether to go on, with how often it was begun anew because the database
    /// moved meanwhile. None where it was stopped.
    ///
    /// # Errors
    /// As [`CopiedDatabase::of`].
    pub fn unless_stopped(
        database: &Path,
        copies: &Path,
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
            for (part, known) in PARTS.iter().zip(before) {
                let (from, to) = (part_of(database, part), part_of(&copy, part));
                if copy_part(&from, &to, known, &mut || go_on(attempt))?.is_break() {
                    return Ok(None);
                }
            }
            if stamp(database).is_ok_and(|after| after == before) {
                return CopiedDatabase::open(&copy, scratch).map(Some);
            }
        }
        Err("it changes all the time".to_owned())
    }

    fn open(copy: &Path, mut scratch: Scratch) -> Result<CopiedDatabase, String> {
        // With the right to write: SQLite brings a log or a journal into the copy first.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(copy, flags)?;
            // Somebody else's file: its schema runs nothing.
            connection.pragma_update(None, "trusted_schema", false)?;
            // Nothing of it is written anywhere else.
            connection.pragma_update(None, "temp_store", "MEMORY")?;
            connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
            // One file from here on, whatever the original has beside it.
            connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
            connection.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
            Ok(connection)
        };
        let connection = open().map_err(|error| words(&error))?;
        scratch.unlink();
        Ok(CopiedDatabase {
            connection,
            _scratch: scratch,
        })
    }

    /// The copy.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}

/// Copies one part; where there is none, there is none beside the copy either.
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

/// Copies so many bytes and no more: a file may grow as fast as it is copied.
fn copy_pieces(
    from: &mut File,
    to: &Path,
    bytes: u64,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    match fs::remove_file(to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut to = memlens_files::open_own(to, File::options().write(true).create_new(true))?;
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

/// What SQLite says, as a person reads it.
pub fn words(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => "it is no SQLite file".to_owned(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt) => "it is damaged".to_owned(),
        _ => error.to_string(),
    }
}
