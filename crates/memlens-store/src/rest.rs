//! Coming to rest: what was forgotten goes from the disk, and what the user made is kept in a file of its own.
//!
//! Deleting a row leaves its bytes in SQLite's log until that is truncated, and copies of rows in pages that they were moved
//! from until the database is rewritten. Both would make a saved note wait, so they are done while nothing else is.
//!
//! Properties checked: at rest, no byte of what was forgotten is in any file of the library.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::ErrorCode;

use crate::error::Attempt;
use crate::store::n_bytes;
use crate::{Store, StoreError, made, repair};

const ATTEMPT: &str = "come to rest";

/// What the counters were when the library last came to rest.
const FORGOTTEN_AT: &str = "forgotten_rested";
const CHANGED_AT: &str = "changed_rested";
/// When the database was last rewritten, milliseconds since 1970.
const REWRITTEN: &str = "rewritten_ms";

/// How long a reader that holds the log is waited for; it is tried again later.
const LOG_WAIT: Duration = Duration::from_millis(300);
/// The wait of every other statement.
const BUSY_WAIT: Duration = Duration::from_secs(10);

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Size up to which a database is rewritten in about a second.
const SMALL: u64 = 64 << 20;
/// Size up to which a database is rewritten at once after the user asked to forget something.
const LARGE: u64 = 1 << 30;

/// Change counters; while they are unchanged, nothing is left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unrest {
    /// Raised by every change of what the user made.
    made: i64,
    /// Raised by everything that the user, or the time that past questions are kept, removed.
    forgotten: i64,
    /// Raised by every change of a document.
    changed: i64,
}

/// What is to be done about texts that were forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forgetting {
    /// No text was forgotten since then.
    None,
    /// It is not yet time to rewrite the database.
    Later,
    /// All files that hold such texts are to be rewritten now.
    Due,
}

/// What coming to rest came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rested {
    /// No forgotten text is left on the disk, and what the user made is kept.
    Fully,
    /// Another connection holds the log just now: it is to be tried again soon.
    Held,
    /// The database is rewritten later: that was done not long ago.
    Later,
}

impl Store {
    /// The counters of what changed since the library last came to rest; `None` if nothing did.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn unrest(&mut self) -> Result<Option<Unrest>, StoreError> {
        let now = self.counters()?;
        let is_kept = self.is_made_kept(now.made)?;
        let is_rested = is_kept
            && self.counter(FORGOTTEN_AT)? == Some(now.forgotten)
            && self.counter(CHANGED_AT)? == Some(now.changed)
            && self.counter(REWRITTEN)?.is_some();
        Ok((!is_rested).then_some(now))
    }

    /// Whether texts were forgotten that may still be on the disk, and whether it is time to remove them: soon after the user
    /// asked for it, later where notes changed, and later still in a large library.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn forgetting(&self) -> Result<Forgetting, StoreError> {
        let now = self.counters()?;
        let rewritten = self.counter(REWRITTEN)?;
        let is_asked = self.counter(FORGOTTEN_AT)? != Some(now.forgotten);
        let is_any = rewritten.is_none() || is_asked || self.has_removed(now.changed)?;
        if !is_any {
            return Ok(Forgetting::None);
        }
        let wait = wait(n_bytes(self.dir()), is_asked);
        let is_due = rewritten.is_none_or(|at| {
            let since = now_ms().saturating_sub(at);
            // Negative after the clock was set back.
            since < 0 || since >= wait.as_millis() as i64
        });
        Ok(if is_due {
            Forgetting::Due
        } else {
            Forgetting::Later
        })
    }

    /// Removes forgotten texts from the disk, and keeps what the user made in its file. `are_lists_clean` says that the lists
    /// and the saved snapshot, which are not this type's, hold none of the removed documents any more.
    ///
    /// # Errors
    /// [`StoreError::Sql`], [`StoreError::Disk`] on a full disk, [`StoreError::Made`]; nothing is lost then, and it is to be
    /// tried again.
    pub fn come_to_rest(&mut self, are_lists_clean: bool) -> Result<Rested, StoreError> {
        let now = self.counters()?;
        if !self.is_made_kept(now.made)? {
            let at = made::write(&self.connection, self.dir())?;
            self.made_kept = Some(at);
        }
        let forgetting = self.forgetting()?;
        if forgetting == Forgetting::Due {
            repair::remove_set_aside(self.dir())?;
            let written = self.connection.execute_batch("VACUUM");
            match written {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                    return Ok(Rested::Held);
                }
                written => written.attempt(ATTEMPT)?,
            }
        }
        if !self.truncate_log()? {
            return Ok(Rested::Held);
        }
        if forgetting == Forgetting::Later {
            return Ok(Rested::Later);
        }
        let mut rested = vec![(FORGOTTEN_AT, now.forgotten)];
        if are_lists_clean {
            rested.push((CHANGED_AT, now.changed));
        }
        if forgetting == Forgetting::Due {
            rested.push((REWRITTEN, now_ms()));
        }
        for (key, value) in rested {
            if self.counter(key)? != Some(value) {
                self.set_meta(key, &value.to_string())?;
            }
        }
        Ok(Rested::Fully)
    }

    /// Brings a library that has no other writer and is closed now to rest, as far as that takes no more than about a
    /// second.
    pub(crate) fn rest_at_end(&mut self) -> Result<(), StoreError> {
        if self.unrest()?.is_none() {
            return Ok(());
        }
        if n_bytes(self.dir()) <= SMALL {
            return self.come_to_rest(false).map(drop);
        }
        let now = self.counters()?;
        if !self.is_made_kept(now.made)? {
            self.made_kept = Some(made::write(&self.connection, self.dir())?);
        }
        Ok(())
    }

    /// Notes that nothing was ever forgotten: the database is new.
    pub(crate) fn note_new(&mut self) -> Result<(), StoreError> {
        self.set_meta(REWRITTEN, &now_ms().to_string())
    }

    fn counters(&self) -> Result<Unrest, StoreError> {
        let changed = self
            .connection
            .prepare_cached("SELECT coalesce(max(at), 0) FROM changed")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .attempt(ATTEMPT)?;
        Ok(Unrest {
            made: self.counter(made::COUNTER)?.unwrap_or(-1),
            forgotten: self.counter("forgotten")?.unwrap_or(-1),
            changed,
        })
    }

    fn counter(&self, key: &str) -> Result<Option<i64>, StoreError> {
        Ok(self.meta(key)?.and_then(|text| text.parse().ok()))
    }

    /// Whether the file of what the user made shows this state.
    fn is_made_kept(&mut self, at: i64) -> Result<bool, StoreError> {
        if self.made_kept.is_none() {
            let (_, database) = made::state(&self.connection)?;
            let kept = made::read(self.dir());
            // Where the user made nothing there is no file.
            let is_none = kept.lines.is_empty() && made::rows(&self.connection)?.is_empty();
            self.made_kept = kept.at(&database).or(is_none.then_some(at));
        }
        Ok(self.made_kept == Some(at))
    }

    /// Whether documents were removed or replaced since the lists were last clean.
    fn has_removed(&self, changed: i64) -> Result<bool, StoreError> {
        let rested = self.counter(CHANGED_AT)?.unwrap_or(0);
        if rested == changed {
            return Ok(false);
        }
        self.connection
            .prepare_cached(
                "SELECT coalesce(min(at), 0) > ?1 + 1 OR EXISTS (
                     SELECT 1 FROM changed WHERE at > ?1 AND document NOT IN (SELECT id FROM documents)
                 ) FROM changed",
            )
            .and_then(|mut statement| statement.query_row([rested], |row| row.get(0)))
            .attempt(ATTEMPT)
    }

    /// Empties SQLite's log; false while another connection still reads from it.
    fn truncate_log(&mut self) -> Result<bool, StoreError> {
        self.connection.busy_timeout(LOG_WAIT).attempt(ATTEMPT)?;
        let busy = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
                row.get::<_, i64>(0)
            });
        self.connection.busy_timeout(BUSY_WAIT).attempt(ATTEMPT)?;
        Ok(busy.attempt(ATTEMPT)? == 0)
    }
}

/// How long after the database was rewritten it is rewritten again.
fn wait(n_bytes: u64, is_asked: bool) -> Duration {
    match (n_bytes, is_asked) {
        (..=LARGE, true) => Duration::ZERO,
        (..=SMALL, false) => 10 * MINUTE,
        _ => DAY,
    }
}

pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_forgets_goes_sooner_than_what_a_changed_note_said() {
        assert_eq!(wait(SMALL, true), Duration::ZERO);
        assert_eq!(wait(LARGE, true), Duration::ZERO);
        assert_eq!(wait(LARGE + 1, true), DAY);
        assert_eq!(wait(SMALL, false), 10 * MINUTE);
        assert_eq!(wait(SMALL + 1, false), DAY);
    }
}
