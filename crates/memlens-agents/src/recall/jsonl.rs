//! A log whose lines are JSON, read line by line.
//!
//! Only lines that name a tool of memory, or a call that waits for its answer, are parsed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use serde_json::Value;

use super::cursor::{Context, Cursor};
use super::lenient;
use super::lines::{Line, Lines};
use super::packed::unpacked;
use super::sessions::Sessions;
use super::{Keeper, Log, LogRead};

/// Number of bytes after which the result is stored, so that they need not be read again.
const BATCH_BYTES: u64 = 8 << 20;

/// Interprets the log lines of one agent.
pub(super) trait Reader {
    /// Session of a log that does not name one: taken from its file name.
    fn session_of(&self, log: &Log) -> String {
        log.bare_name()
    }

    /// Whether a line may be about memory, or about the lines that follow.
    fn is_worth(&self, line: &[u8]) -> bool;

    /// Records the events of a line; `place` is its position in the log.
    fn record(
        &mut self,
        line: &Value,
        place: u64,
        context: &mut Context,
        sessions: &mut Sessions<'_>,
    );
}

/// Reads a log of lines.
pub(super) fn read(
    log: &Log,
    reader: &mut dyn Reader,
    from: Option<&str>,
    keeper: &mut dyn Keeper,
) -> Result<LogRead, String> {
    let mut file = opened(log)?;
    if log.is_packed() {
        match unpacked(file, &mut || keeper.go_on(0))? {
            Some(unpacked) => file = unpacked,
            None => {
                return Ok(LogRead {
                    is_stopped: true,
                    ..LogRead::default()
                });
            }
        }
    }
    let bytes = file.metadata().map_err(words)?.len();
    let cursor = match from {
        Some(text) => Cursor::taken_up(text, &mut file, bytes).map_err(words)?,
        None => None,
    };
    let is_gone_on = cursor.is_some();
    let (at, mut context, pending) = match cursor {
        Some(cursor) => (cursor.at, cursor.context, cursor.pending),
        None => (0, Context::default(), Vec::new()),
    };
    if !is_gone_on {
        context.session = reader.session_of(log);
    }
    let mut sessions = Sessions::new(log.agent, keeper, is_gone_on, pending);
    file.seek(SeekFrom::Start(at)).map_err(words)?;
    let mut lines = Lines::new(file.take(bytes - at), at);
    let mut log_read = LogRead::default();
    let mut kept_at = at;
    loop {
        let is_at_end = match lines.next().map_err(words)? {
            None => true,
            Some(Line::TooLong) => {
                log_read.n_skipped += 1;
                false
            }
            Some(Line::Whole(line, place)) => {
                if reader.is_worth(line) || sessions.waits_for(line) {
                    match lenient::parsed(line) {
                        Some(value) => reader.record(&value, place, &mut context, &mut sessions),
                        None => log_read.n_skipped += 1,
                    }
                }
                false
            }
        };
        let now = lines.at();
        let is_due = sessions.are_many() || now - kept_at >= BATCH_BYTES;
        // A known log that did not grow gives nothing to store.
        if is_due || (is_at_end && (now > kept_at || !is_gone_on)) {
            let file = lines.source().get_mut();
            let cursor = Cursor::of(file, now, context.clone(), sessions.pending().to_vec());
            let cursor = cursor.map_err(words)?.text();
            kept_at = now;
            log_read.is_stopped = sessions.keep(cursor, now.min(log.bytes)).is_break();
        }
        if is_at_end || log_read.is_stopped {
            log_read.n_questions = sessions.n_questions();
            return Ok(log_read);
        }
    }
}

/// The file of a log.
pub(super) fn opened(log: &Log) -> Result<File, String> {
    memlens_files::open_own(&log.path, File::options().read(true)).map_err(words)
}

/// Why a file cannot be read, and what to do.
pub(super) fn words(error: io::Error) -> String {
    let kind = error.kind();
    if kind == io::ErrorKind::NotFound {
        "it is not there any more".to_owned()
    } else if kind == io::ErrorKind::PermissionDenied {
        "you may not read it; change its permissions to have it read".to_owned()
    } else if kind == io::ErrorKind::IsADirectory {
        "it is a folder, and only files are read".to_owned()
    } else if memlens_files::is_odd(&error) {
        "it is a link, a pipe or a device, and only files are read".to_owned()
    } else {
        error.to_string()
    }
}
