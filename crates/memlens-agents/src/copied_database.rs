//! Another program's SQLite file, read from a copy.
//!
//! The files are copied as files, with what stands beside them of a write that goes on, and the copy is opened: the program
//! finds no lock, and no file that it did not make.
//!
//! Properties checked: nothing beside the original changes; what is written but not yet in the main file is read.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

/// What SQLite keeps of one database: the file, its write-ahead log, its rollback journal.
const PARTS: [&str; 3] = ["", "-wal", "-journal"];
/// How often it is copied until nothing moved meanwhile.
const TRIES: u32 = 5;
const BETWEEN_TRIES: Duration = Duration::from_millis(40);
/// More is not copied: somebody waits for it.
const BYTES_MAX: u64 = 2 << 30;

/// A copy that is open; it goes with its value.
pub struct CopiedDatabase {
    connection: Connection,
    _dir: TempDir,
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
    /// Copies a database and opens the copy.
    ///
    /// # Errors
    /// Why it cannot be read, for a person.
    pub fn of(database: &Path) -> Result<CopiedDatabase, String> {
        let dir = tempfile::Builder::new()
            .prefix("memlens-")
            .tempdir()
            .map_err(|error| format!("no copy of it can be made: {error}"))?;
        let copy = dir.path().join("copy.sqlite");
        for attempt in 0..TRIES {
            if attempt > 0 {
                thread::sleep(BETWEEN_TRIES);
            }
            let before = stamp(database).map_err(|error| error.to_string())?;
            let bytes: u64 = before.iter().flatten().map(|(bytes, _)| bytes).sum();
            if bytes > BYTES_MAX {
                return Err(format!("it is larger than {} GiB", BYTES_MAX >> 30));
            }
            for part in PARTS {
                copy_part(&part_of(database, part), &part_of(&copy, part))?;
            }
            if stamp(database).is_ok_and(|after| after == before) {
                return CopiedDatabase::open(&copy, dir);
            }
        }
        Err("it changes all the time".to_owned())
    }

    fn open(copy: &Path, dir: TempDir) -> Result<CopiedDatabase, String> {
        // With the right to write: SQLite brings a log or a journal into the copy first.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(copy, flags)?;
            // Somebody else's file: its schema runs nothing.
            connection.pragma_update(None, "trusted_schema", false)?;
            Ok(connection)
        };
        Ok(CopiedDatabase {
            connection: open().map_err(|error| words(&error))?,
            _dir: dir,
        })
    }

    /// The copy.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}

/// Copies one part; where there is none, there is none beside the copy either.
fn copy_part(from: &Path, to: &Path) -> Result<(), String> {
    let mut from = match memlens_files::open_own(from, File::options().read(true)) {
        Ok(from) => from,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match fs::remove_file(to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.to_string()),
                _ => Ok(()),
            };
        }
        Err(error) if memlens_files::is_odd(&error) => {
            return Err("it is a link, a pipe or a device, and only a file is read".to_owned());
        }
        Err(error) => return Err(error.to_string()),
    };
    let copied = File::create(to).and_then(|mut to| io::copy(&mut from, &mut to));
    copied
        .map(drop)
        .map_err(|error| format!("no copy of it can be made: {error}"))
}

/// What SQLite says, as a person reads it.
pub fn words(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => "it is no SQLite file".to_owned(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt) => "it is damaged".to_owned(),
        _ => error.to_string(),
    }
}
