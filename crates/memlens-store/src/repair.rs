//! Opening a library whose database may be damaged, empty or gone while what the user made is still there.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::Attempt;
use crate::lock::WriteLock;
use crate::made::{self, Kept, Made, counted};
use crate::store::files;
use crate::{Store, StoreError};

/// Ending of the names of a damaged database that was set aside.
const ASIDE: &str = ".damaged";
/// Its presence has the database set aside when the library is opened the next time.
const MARK: &str = "rebuild";
const ATTEMPT: &str = "put back what you made";

/// How the database was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Gone,
    Empty,
    There,
}

impl Found {
    fn of(dir: &Path) -> Found {
        match files(dir)[0].metadata() {
            // A pipe in its place is refused by name when it is opened.
            Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Found::Empty,
            Ok(_) => Found::There,
            Err(_) => Found::Gone,
        }
    }
}

/// What the user made, as [`Store::export_made`] reads it.
#[derive(Debug)]
pub struct ExportedMade {
    /// Lines of JSON, each after its checksum.
    pub bytes: Vec<u8>,
    /// Why the database could not be read, if this is the file beside it.
    pub damage: Option<StoreError>,
}

/// A library that was opened to write.
#[derive(Debug)]
pub struct Repaired {
    /// The library, open for writing.
    pub store: Store,
    /// What the user should know, in sentences without the full stop.
    pub notices: Vec<String>,
    /// Whether a new database was started in the place of one that was damaged, empty or gone.
    pub is_new: bool,
}

impl Store {
    /// Opens the library in `dir` for writing, as [`Store::open`] does, and repairs what the user made: damaged rows
    /// are restored from the file beside the database, and a database that is damaged, empty or missing is replaced by
    /// a new one filled from that file. A damaged database is set aside, not deleted.
    ///
    /// # Errors
    /// As [`Store::open`]; [`StoreError::Damaged`] for a damaged database if there is no such file.
    pub fn open_repaired(dir: &Path) -> Result<Repaired, StoreError> {
        let kept = made::read(dir);
        let found = Found::of(dir);
        let mut notices = Vec::new();
        if found == Found::Empty && (is_used(dir) || !kept.lines.is_empty()) {
            // SQLite would discard the log beside it.
            set_aside(dir)?;
            notices.push(format!(
                "the library's database was empty (0 bytes): a new one was started{}",
                if kept.lines.is_empty() {
                    "; what you made, such as thumbs, presets and watched folders, is lost"
                } else {
                    ""
                }
            ));
        }
        let is_marked = dir.join(MARK).symlink_metadata().is_ok();
        let mut is_new = found != Found::There;
        let opened = match Store::open(dir) {
            Ok(_) if is_marked && !is_new && kept.is_usable() => None,
            Ok(mut store) => match store.repair_made(&kept) {
                Ok(more) => {
                    notices.extend(more);
                    Some(store)
                }
                Err(error) if error.is_lasting_damage() && kept.is_usable() => None,
                Err(error) => return Err(error),
            },
            Err(error) if error.is_lasting_damage() && kept.is_usable() => None,
            Err(error) => return Err(error),
        };
        let mut store = match opened {
            Some(store) => store,
            None => {
                is_new = true;
                let aside = set_aside(dir)?;
                notices.push(format!(
                    "the library's database was damaged, perhaps by a disk fault: it was set aside as {}, and a new one was started",
                    aside.display()
                ));
                Store::open(dir)?
            }
        };
        if is_new && !kept.lines.is_empty() {
            notices.extend(store.fill(&kept)?);
        }
        let _ = fs::remove_file(dir.join(MARK));
        Ok(Repaired {
            store,
            notices,
            is_new,
        })
    }

    /// Has the database of the library in `dir` replaced when it is opened the next time by [`Store::open_repaired`]: something
    /// in it cannot be read. Returns whether it will be: not if nothing is kept to fill a new one with.
    pub fn mark_damaged(dir: &Path) -> bool {
        let path = dir.join(MARK);
        let mut options = File::options();
        made::read(dir).is_usable()
            && memlens_files::open_own(&path, options.write(true).create(true)).is_ok()
    }

    /// What the user made, as lines of JSON, each after its checksum: from the database, or from the file beside it if
    /// the database is damaged or missing. Retrieval lists are not read.
    ///
    /// # Errors
    /// As [`Store::open_read_only`], if the database is not damaged or there is no such file.
    pub fn export_made(dir: &Path) -> Result<ExportedMade, StoreError> {
        let exported = Store::open_read_only(dir)
            .and_then(|store| made::exported(&store.connection))
            .map_err(|error| error.at(dir));
        let damage = match exported {
            Ok(bytes) => {
                return Ok(ExportedMade {
                    bytes,
                    damage: None,
                });
            }
            Err(error) if is_damaged_or_gone(&error) => error,
            Err(error) => return Err(error),
        };
        match fs::read(&made::files(dir)[0]) {
            Ok(bytes) => Ok(ExportedMade {
                bytes,
                damage: Some(damage),
            }),
            Err(_) => Err(damage),
        }
    }

    /// Compares what the user made with the file beside the database, if that file shows the same state, and restores
    /// rows that differ from what was saved.
    fn repair_made(&mut self, kept: &Kept) -> Result<Vec<String>, StoreError> {
        self.count_made()?;
        self.check_schema()?;
        let (at, database) = made::state(&self.connection)?;
        if kept.is_of(&database, at) && !kept.is_whole() {
            return Ok(vec![
                "the file beside the database that keeps what you made was damaged, perhaps by a disk fault; it is written again, and nothing is lost"
                    .to_owned(),
            ]);
        }
        if kept.at(&database) != Some(at) {
            // Changed since: the database is what counts. Whether it can be read shows here.
            made::rows(&self.connection)?;
            return Ok(Vec::new());
        }
        let rows = match made::rows(&self.connection) {
            Ok(rows) if rows == kept.lines => return Ok(Vec::new()),
            Ok(rows) => rows,
            Err(error) if error.is_lasting_damage() => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut differing = made::differing(&kept.lines, &rows);
        if differing.is_empty() {
            // The database contains a row that the user did not make, or one with another number.
            differing = kept.lines.iter().take(0).collect();
        }
        let notice = match differing.len() {
            0 => "something in the library that you did not make was removed: it was damaged, perhaps by a disk fault".to_owned(),
            _ => format!(
                "of what you made, {} {} damaged in the library, perhaps by a disk fault, and {} put back",
                counted(differing.iter().copied()),
                if differing.len() == 1 { "was" } else { "were" },
                if differing.len() == 1 { "was" } else { "were" },
            ),
        };
        self.put_back(&kept.lines)?;
        Ok(vec![notice])
    }

    /// Fills a new database with what is kept, and with what is newer in the one that was set aside.
    fn fill(&mut self, kept: &Kept) -> Result<Vec<String>, StoreError> {
        let all = salvaged(self.dir(), kept).unwrap_or_else(|| kept.lines.clone());
        self.put_back(&all)?;
        let mut notices = vec![format!(
            "what you made was put back: {}; your notes are indexed again, and agents' logs read again",
            counted(&all)
        )];
        if let Some(losses) = kept.losses() {
            notices.push(format!(
                "of what you made, some was damaged in {} too and is lost: {losses}",
                made::files(self.dir())[0].display()
            ));
        }
        Ok(notices)
    }

    fn put_back(&mut self, all: &[Made]) -> Result<(), StoreError> {
        let lenient = |store: &Store, is_on: bool| {
            // As where damaged documents are forgotten: SQLite refuses to delete a row that its index does not know.
            store
                .connection
                .pragma_update(None, "writable_schema", is_on)
                .attempt(ATTEMPT)
        };
        lenient(self, true)?;
        let done = self.unlinked(|connection| {
            let transaction = connection.transaction().attempt(ATTEMPT)?;
            made::put_back(&transaction, all).attempt(ATTEMPT)?;
            transaction.commit().attempt(ATTEMPT)
        });
        lenient(self, false)?;
        done
    }

    /// Makes the counters that triggers raise, where a damaged row took them away.
    fn count_made(&mut self) -> Result<(), StoreError> {
        self.connection
            .execute_batch(
                "INSERT INTO meta VALUES ('made', '0') ON CONFLICT DO NOTHING;
                 INSERT INTO meta VALUES ('forgotten', '0') ON CONFLICT DO NOTHING;",
            )
            .attempt(ATTEMPT)
    }

    /// Compares the names of tables, columns and triggers with what they were when the library was made: SQLite notices none
    /// that is damaged and still a name.
    fn check_schema(&mut self) -> Result<(), StoreError> {
        let attempt = "check the library's tables";
        let sum: i64 = self
            .connection
            .query_row(
                "SELECT coalesce(sum(crc32(type, name, tbl_name, sql)), 0) FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
                [],
                |row| row.get(0),
            )
            .attempt(attempt)?;
        // With the version: a newer Memlens has more tables.
        let known = format!("{} {sum}", crate::migrations::LATEST);
        let key = "schema";
        match self.meta(key)? {
            Some(found) if found == known => Ok(()),
            Some(found) if found.starts_with(&format!("{} ", crate::migrations::LATEST)) => {
                Err(StoreError::Damaged {
                    attempt,
                    path: files(self.dir())[0].clone(),
                    source: rusqlite::Error::SqliteFailure(
                        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
                        Some("its tables are not those that were made".to_owned()),
                    ),
                })
            }
            _ => self.set_meta(key, &known),
        }
    }
}

/// What a new database is to be filled with if the file is older than the database that was set aside; `None` if the file is all
/// there is.
fn salvaged(dir: &Path, kept: &Kept) -> Option<Vec<Made>> {
    let [aside, ..] = set_aside_files(dir);
    let connection = Connection::open_with_flags(
        &aside,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    );
    let connection = connection.ok()?;
    let (at, database) = made::state(&connection).ok()?;
    if at < 0 || kept.at(&database) == Some(at) {
        return None;
    }
    Some(made::merged(kept, made::salvage(&connection)))
}

/// Whether an error says that the database is damaged or gone, and not that it may not be opened.
fn is_damaged_or_gone(error: &StoreError) -> bool {
    // A table or a row that should be there is not.
    let is_incomplete = matches!(
        error,
        StoreError::Sql { source, .. } if matches!(source.sqlite_error_code(), None | Some(ErrorCode::Unknown))
    );
    is_incomplete
        || matches!(
            error,
            StoreError::Damaged { .. } | StoreError::Missing { .. } | StoreError::Migration { .. }
        )
}

/// Whether a library was ever used: lists are beside the database, or a log.
fn is_used(dir: &Path) -> bool {
    let [_, log, _] = files(dir);
    let is_log = log.metadata().is_ok_and(|found| found.len() > 0);
    is_log
        || ["text", "vectors"]
            .iter()
            .any(|list| dir.join(list).exists())
}

/// The files of a database that was set aside, there or not.
pub(crate) fn set_aside_files(dir: &Path) -> [PathBuf; 3] {
    let [database, ..] = files(dir);
    let mut aside = database.into_os_string();
    aside.push(ASIDE);
    ["", "-wal", "-shm"].map(|part| {
        let mut name = aside.clone();
        name.push(part);
        PathBuf::from(name)
    })
}

/// The file whose presence has the database set aside.
pub(crate) fn mark(dir: &Path) -> PathBuf {
    dir.join(MARK)
}

/// Gives a database other names, and returns that of its file. One that was set aside before is replaced.
fn set_aside(dir: &Path) -> Result<PathBuf, StoreError> {
    let _lock = WriteLock::take(dir)?;
    let aside = set_aside_files(dir);
    for (from, to) in files(dir).iter().zip(&aside) {
        // Of this one, not of an older one.
        let renamed = match fs::remove_file(to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => memlens_files::rename(from, to),
        };
        match renamed {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::Folder {
                    path: from.clone(),
                    source,
                });
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(aside[0].clone())
}

/// Removes a database that was set aside: it holds what is forgotten.
pub(crate) fn remove_set_aside(dir: &Path) -> Result<(), StoreError> {
    for path in set_aside_files(dir).into_iter().chain([mark(dir)]) {
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::Folder { path, source });
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}
