//! Questions that agents asked their memory, read from the agents' own logs.
//!
//! [`logs`] lists the log files, [`read`] reads one of them and passes its questions to a [`Keeper`]. A reader extracts
//! only calls of memory tools, their answers and citations, without secrets.

mod among;
mod claude_code;
mod codex;
mod cursor;
mod document;
mod files;
mod folders;
mod found;
mod gemini_cli;
mod happening;
mod held;
mod hermes;
mod jsonl;
mod lenient;
mod lines;
mod logs;
mod openclaw;
mod packed;
mod pattern;
mod results;
mod rows;
mod secrets;
mod sessions;
mod shell;
mod text_line;
mod time;
mod tools;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::home::Home;

pub use logs::{FoundLogs, find_logs, logs};
pub use pattern::Pattern;
pub use text_line::line_hash;

/// Version of what is read from logs. Increased whenever a log that was read before would yield more now: cursors of another
/// version are not continued, so such a log is read again from its beginning.
pub const LOG_READER_VERSION: u32 = 6;

/// Kind of request to the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PastKind {
    /// A search. What was opened soon after it is also listed in its `opened`.
    #[default]
    Search,
    /// One call that opened notes, with or without a search before it. It has no words and no results.
    ///
    /// It is evidence that the text was given to the agent, and is never asked again, judged or exported as a query.
    Opening,
}

/// One search of an agent in its memory, or one opening of notes, and what came of it.
///
/// An opening after a search is recorded twice: as an entry of its own of kind [`PastKind::Opening`], and in `opened` of the
/// search that it belongs to. To find out whether text was given to an agent, read `opened` of the entries of both kinds
/// (entries that were recorded before openings were kept on their own are in searches only) and `returned` of searches.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PastQuestion {
    /// Whether it is a search or an opening.
    pub kind: PastKind,
    /// The agent's id in the catalogue.
    pub agent: String,
    /// The session in which it was asked, as the agent names it; empty if its log names none.
    pub session: String,
    /// Id of the question within its session: the call's id, else its position in the log.
    pub call: String,
    /// Time of the question in milliseconds since 1970; `None` if the log has no time.
    pub at_ms: Option<i64>,
    /// Its words, without secrets; empty for an opening.
    pub question: String,
    /// Whether its text consists of patterns, one per line, for a file searcher such as `rg`. Nothing ranks the
    /// results.
    pub is_pattern: bool,
    /// Other arguments of the call, by the agent's own names, without secrets.
    pub settings: BTreeMap<String, Value>,
    /// What was returned, best first; `None` if no answer is logged, the search failed, or its answer names no notes; empty if
    /// nothing was found.
    pub returned: Option<Vec<Returned>>,
    /// Whether the search ended with an error, so that `returned` is `None` although it was answered.
    pub has_failed: bool,
    /// Searches: notes that were opened afterwards, first to last. Openings: notes that the call opened.
    pub opened: Vec<Used>,
    /// Notes that the agent's answer to the user cited.
    pub cited: Vec<Used>,
    /// How Memlens answered it as a server of tools; `None` if another program answered it.
    pub served: Option<ServedCall>,
}

/// How Memlens answered a call as a server of tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServedCall {
    /// What the client called itself.
    pub client: String,
    /// Id of the agent whose folders were served; `None` for all watched folders.
    pub agent: Option<String>,
    /// Ids of the watched folders that were served; `None` if all were, or in a call that older versions recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folders: Option<Vec<i64>>,
    /// The ranking of a search, with the value of every parameter, as JSON.
    pub ranking: Value,
    /// Generation of the library that answered.
    pub generation: u64,
    /// Watched folder and path in it that the search was limited to; `None` if it was not.
    pub scope: Option<(i64, String)>,
    /// Maximum number of results.
    pub max_results: u32,
    /// Score below which results were left out; `None` for none.
    pub min_score: Option<f64>,
}

/// A question without what looks like a secret, and without more text than a log's question may have.
pub fn question_to_store(question: &str) -> String {
    sessions::words_of(question)
}

/// A setting of a call without what looks like a secret.
pub fn setting_to_store(name: &str, mut value: Value) -> Value {
    secrets::blanked_field(name, &mut value);
    value
}

/// One result that was returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Returned {
    /// The note's path as the agent names it.
    pub path: String,
    /// First and last line, 1-based; `None` if the log has no lines.
    pub lines: Option<(u32, u32)>,
    /// The score, on the agent's own scale.
    pub score: Option<f64>,
    /// Whether the agent received the note's name only and none of its text, as from `rg -l`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_name_only: bool,
    /// Hashes of the lines of text that were returned, by [`line_hash`]; empty if the log does not hold the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line_hashes: Vec<u64>,
    /// The beginning of the text that was returned, with secrets blanked; `None` if the log does not hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A note that was opened or cited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// The note's path as the agent names it.
    pub path: String,
    /// First and last line, 1-based, as asked for: the note may be shorter. `None` for the whole note, and if `is_part`.
    pub lines: Option<(u32, u32)>,
    /// Time in milliseconds since 1970; `None` if the log has no time.
    pub at_ms: Option<i64>,
    /// Whether only a part was shown and the log does not say which, so that it is unknown whether a certain line was
    /// shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_part: bool,
}

impl Used {
    /// Whether a line was shown: `None` if the log does not say.
    #[must_use]
    pub fn holds(&self, line: u32) -> Option<bool> {
        match self.lines {
            Some((first, last)) => Some((first..=last).contains(&line)),
            None if self.is_part => None,
            None => Some(true),
        }
    }
}

/// A file in which an agent logs its questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// The agent's id in the catalogue.
    pub agent: &'static str,
    /// Absolute path of the file.
    pub path: PathBuf,
    /// Size in bytes, with the files that SQLite keeps beside it.
    pub bytes: u64,
}

impl Log {
    /// Whether it is a database, which is copied completely before it is read.
    pub fn is_database(&self) -> bool {
        let end = self.path.extension();
        end.is_some_and(|end| end == "sqlite" || end == "db")
    }

    /// Whether its lines are packed.
    fn is_packed(&self) -> bool {
        self.path.extension().is_some_and(|end| end == "zst")
    }

    /// Its name without storage suffixes: `garden.jsonl.reset.<when>.zst` and `garden.json` are logs of `garden`.
    fn bare_name(&self) -> String {
        bare_name(&self.path)
    }
}

fn bare_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let bare = name.split_once(".json").map_or(&*name, |(bare, _)| bare);
    bare.to_owned()
}

/// The session of a log that holds one session only, by the name of its file; `None` for a database.
pub fn session_of_file(agent: &str, path: &Path) -> Option<String> {
    let is_file = path.file_name()?.to_str()?.contains(".json");
    is_file.then(|| match agent {
        "codex" => codex::session_of_name(&bare_name(path)).to_owned(),
        _ => bare_name(path),
    })
}

/// Questions read from a log up to a position in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Questions, each replacing an earlier one with the same agent, session and call.
    pub questions: Vec<PastQuestion>,
    /// Position to continue from: opaque, and for this log only.
    pub cursor: String,
    /// Number of bytes of the log that are read.
    pub n_bytes: u64,
}

/// Stores questions while a log is read.
pub trait Keeper {
    /// The known searches of a session, newest last; at most the last hundred are needed. Openings are not needed.
    fn known(&mut self, agent: &str, session: &str) -> Vec<PastQuestion>;

    /// Stores a batch and its cursor in one step; `Break` stops the reading.
    fn keep(&mut self, batch: Batch) -> ControlFlow<()>;

    /// The folder in which a log that is a database is copied, made if absent; a process that is killed may leave a copy in it.
    fn copies(&self) -> PathBuf;

    /// Called before each few megabytes of a log that is copied before it is read, with the number of restarts because
    /// the log changed meanwhile; `Break` stops the reading.
    fn go_on(&mut self, _n_again: u32) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Result of reading a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogRead {
    /// Number of questions found; of a log that is read from scratch all of them.
    pub n_questions: u64,
    /// Lines or rows that could not be read.
    pub n_skipped: u64,
    /// Notices to show to the user, in sentences.
    pub notices: Vec<String>,
    /// Whether the keeper stopped it.
    pub is_stopped: bool,
}

/// Why a log cannot be read: what, where and what to do, for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LogError(String);

/// Reads a log from where its last batch ended, or from its beginning, and passes the questions to the keeper, batch by
/// batch. A log that does not match the cursor is read from scratch.
///
/// # Errors
/// Why this log cannot be read; another one may be.
pub fn read(
    log: &Log,
    home: &Home,
    from: Option<&str>,
    keeper: &mut dyn Keeper,
) -> Result<LogRead, LogError> {
    let shown = home.shown(&log.path);
    let from = from.and_then(cursor::of_this_version);
    let name = log.path.file_name().unwrap_or_default().to_string_lossy();
    let lines = |reader: &mut dyn jsonl::Reader, keeper: &mut dyn Keeper| {
        jsonl::read(log, reader, from, keeper)
    };
    let rows = |table, reader: &mut dyn jsonl::Reader, keeper: &mut dyn Keeper| {
        rows::read(log, &shown, table, reader, from, keeper)
    };
    let read = match (log.agent, &*name) {
        ("openclaw", "openclaw-agent.sqlite") => {
            let table = &openclaw::TRANSCRIPTS;
            rows(table, &mut openclaw::Transcript::new(home), keeper)
        }
        ("openclaw", "openclaw.sqlite") => rows(&openclaw::RECALLS, &mut openclaw::Recalls, keeper),
        ("hermes", _) => rows(&hermes::MESSAGES, &mut hermes::Messages::new(home), keeper),
        ("openclaw", "events.jsonl") => lines(&mut openclaw::Recalls, keeper),
        ("openclaw", _) => lines(&mut openclaw::Transcript::new(home), keeper),
        ("claude-code", _) => lines(&mut claude_code::Sessions::new(home), keeper),
        ("codex", _) => lines(&mut codex::Rollout::new(home), keeper),
        ("gemini-cli", name) if name.ends_with(".json") => {
            document::read(log, &mut gemini_cli::Chat::new(home), from, keeper)
        }
        ("gemini-cli", _) => lines(&mut gemini_cli::Chat::new(home), keeper),
        (agent, _) => Err(format!("logs of {agent} cannot be read")),
    };
    let mut read =
        read.map_err(|why| LogError(format!("The log {shown} was passed over: {why}.")))?;
    if read.n_skipped > 0 {
        let n = read.n_skipped;
        let of_what = if n == 1 {
            "line or row"
        } else {
            "lines or rows"
        };
        let notice =
            format!("Of the log {shown}, {n} {of_what} could not be read and did not count.");
        read.notices.push(notice);
    }
    Ok(read)
}
