//! Databases of agents that the window postpones while it reads the logs: each must be copied completely, and a running
//! agent writes to its database all the time.
//!
//! Properties checked: an idle and small database is read at once; no other one waits forever.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use memlens_agents::Log;
use memlens_agents::copied_database::stamp;
use parking_lot::Mutex;

/// A database that changed more recently than this is being written.
const RESTS_AFTER: Duration = Duration::from_secs(60);
/// A larger database takes long to copy.
const LARGE: u64 = 64 << 20;
/// Maximum time that a database is postponed, and that a large one waits after each reading.
const LATER: Duration = Duration::from_secs(15 * 60);

/// Waiting start of each database: when it was first postponed, or last read.
#[derive(Default)]
pub(crate) struct Later(Mutex<HashMap<PathBuf, Instant>>);

impl Later {
    /// Whether a log is postponed; its waiting time starts with the first call.
    pub fn has(&self, log: &Log) -> bool {
        if !log.is_database() {
            return false;
        }
        let mut since = self.0.lock();
        let waits = since.get(&log.path).map(Instant::elapsed);
        let is_later = is_later(log.bytes, rests(log), waits);
        if waits.is_none() && is_later {
            since.insert(log.path.clone(), Instant::now());
        }
        is_later
    }

    /// Whether a log has waited so long that it is read although its agent is active.
    pub fn is_overdue(&self, log: &Log) -> bool {
        let since = self.0.lock();
        since
            .get(&log.path)
            .is_some_and(|since| since.elapsed() >= LATER)
    }

    /// Records that a log was read to its end.
    pub fn note_read(&self, log: &Log) {
        if log.is_database() {
            self.0.lock().insert(log.path.clone(), Instant::now());
        }
    }
}

fn is_later(bytes: u64, rests: Duration, waits: Option<Duration>) -> bool {
    let is_busy = rests < RESTS_AFTER;
    match waits {
        None => is_busy,
        Some(waits) => (is_busy || bytes > LARGE) && waits < LATER,
    }
}

/// Time since the last change of a database; zero if the clock was set back meanwhile.
fn rests(log: &Log) -> Duration {
    let stamp = stamp(&log.path).unwrap_or_default();
    let moved = stamp.iter().flatten().map(|(_, at)| *at).max();
    let moved = moved.unwrap_or(SystemTime::UNIX_EPOCH);
    SystemTime::now().duration_since(moved).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_is_written_now_waits_and_nothing_waits_for_ever() {
        let small = 1 << 20;
        let large = LARGE + 1;
        for (bytes, rests, waits, expected) in [
            (small, 59, None, true),
            (small, 60, None, false),
            (large, 60, None, false),
            // Once it is idle, a small one is read at the next scan.
            (small, 60, Some(30), false),
            (small, 59, Some(14 * 60), true),
            (small, 0, Some(15 * 60), false),
            (large, 3600, Some(14 * 60), true),
            (large, 0, Some(15 * 60), false),
        ] {
            let waits = waits.map(|seconds| seconds * SECOND);
            let outcome = is_later(bytes, rests * SECOND, waits);
            assert_eq!(outcome, expected, "{bytes} {rests} {waits:?}");
        }
    }

    #[test]
    fn a_database_is_judged_by_when_any_of_its_files_moved_and_a_log_of_lines_never_waits() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.db");
        let log = |path: &std::path::Path, bytes| Log {
            agent: "hermes",
            path: path.to_owned(),
            bytes,
        };
        let an_hour_ago = SystemTime::now() - 3600 * SECOND;
        File::create(&path)
            .unwrap()
            .set_modified(an_hour_ago)
            .unwrap();
        let later = Later::default();
        assert!(!later.has(&log(&path, 10)), "it rests");
        assert!(!later.has(&log(&path, LARGE + 1)), "it was not read yet");
        later.note_read(&log(&path, LARGE + 1));
        assert!(later.has(&log(&path, LARGE + 1)), "it was read just now");
        assert!(!later.is_overdue(&log(&path, LARGE + 1)));
        assert!(!later.has(&log(&path, 10)));
        fs::write(dir.path().join("state.db-wal"), "a row").unwrap();
        assert!(later.has(&log(&path, 10)), "its log of writes moved");
        let lines = dir.path().join("a.jsonl");
        fs::write(&lines, "").unwrap();
        assert!(!later.has(&log(&lines, LARGE + 1)));
    }
}
