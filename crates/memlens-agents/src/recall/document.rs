//! A log that is one JSON document, which the agent rewrites with each change.

use std::io::Read;

use serde::{Deserialize, Serialize};

use super::cursor::Context;
use super::jsonl::{self, Reader};
use super::lenient;
use super::lines::LINE_MAX;
use super::sessions::Sessions;
use super::{Keeper, Log, LogRead};

/// Stamp of what was read: while the document is the same, there is nothing to read.
#[derive(Serialize, Deserialize)]
struct Cursor {
    hash: String,
}

/// Reads a log that is a document.
pub(super) fn read(
    log: &Log,
    reader: &mut dyn Reader,
    from: Option<&str>,
    keeper: &mut dyn Keeper,
) -> Result<LogRead, String> {
    let mut bytes = Vec::new();
    jsonl::opened(log)?
        .take(LINE_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(jsonl::words)?;
    if bytes.len() > LINE_MAX {
        return Err(format!("it is larger than {} MiB", LINE_MAX >> 20));
    }
    let mut log_read = LogRead::default();
    let hash = blake3::hash(&bytes).to_hex()[..16].to_owned();
    let known = from.and_then(|text| serde_json::from_str::<Cursor>(text).ok());
    if known.is_some_and(|known| known.hash == hash) {
        return Ok(log_read);
    }
    let mut sessions = Sessions::new(log.agent, keeper, false, Vec::new());
    if reader.is_worth(&bytes) {
        let document = lenient::parsed(&bytes).ok_or("it is no whole JSON document")?;
        let mut context = Context {
            session: reader.session_of(log),
            folder: None,
        };
        reader.record(&document, 0, &mut context, &mut sessions);
    }
    let cursor = serde_json::to_string(&Cursor { hash }).expect("a text can be written as JSON");
    log_read.is_stopped = sessions.keep(cursor, bytes.len() as u64).is_break();
    log_read.n_questions = sessions.n_questions();
    Ok(log_read)
}
