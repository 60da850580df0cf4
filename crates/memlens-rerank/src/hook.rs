//! The hook `after_memory_search`: a command of the person's own that looks at a search's results before they are given
//! out. Also its event and answer, as an agent's hook reads and writes them.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, copy, sink};

use crate::{Limits, RerankError, runtime};

/// The most that a hook may print: a hundred rows with their texts are less than one.
const MAX_ANSWER_BYTES: u64 = 8 << 20;
/// How much of its standard error is logged; the rest is read and thrown away.
const MAX_LOGGED_BYTES: u64 = 64 << 10;
/// How long a hook that was killed may take to go.
const MAX_REAP_TIME: Duration = Duration::from_secs(1);

/// What a hook reads: a question and its results, best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// What was asked.
    pub query: String,
    /// Who asked; empty where nobody is named.
    #[serde(default)]
    pub agent_id: String,
    /// What was found, best first.
    pub results: Vec<EventRow>,
}

impl Event {
    /// Finds each row that a hook printed among the results; of several with the same path and lines, the first that is
    /// left.
    ///
    /// # Errors
    /// [`RerankError::Hook`] where nothing or no [`Answer`] is printed, or a row more often than it was given.
    pub fn kept(&self, printed: &[u8]) -> Result<Vec<Kept>, RerankError> {
        let given = &self.results;
        let printed = without_mark(printed);
        if printed.trim_ascii().is_empty() {
            return Err(failed("it printed nothing"));
        }
        // A bare list would be read as the fields in their order, and an empty one as an answer without results.
        if printed.trim_ascii_start().starts_with(b"[") {
            return Err(failed("its output is not an answer"));
        }
        let answer: Answer = serde_json::from_slice(printed).map_err(|error| {
            failed(match error.classify() {
                Category::Eof => "its output is cut off",
                Category::Syntax | Category::Io => "its output is not JSON",
                Category::Data => "its output is not an answer",
            })
        })?;
        let Some(rows) = answer.results else {
            let unchanged = given.iter().enumerate();
            return Ok(unchanged
                .map(|(index, row)| Kept {
                    index,
                    score: row.score,
                })
                .collect());
        };
        let mut left: HashMap<(&str, u64, u64), VecDeque<usize>> = HashMap::new();
        for (index, row) in given.iter().enumerate() {
            left.entry((&row.path, row.start_line, row.end_line))
                .or_default()
                .push_back(index);
        }
        rows.iter()
            .map(|row| {
                let index = left
                    .get_mut(&(row.path.as_str(), row.start_line, row.end_line))
                    .and_then(VecDeque::pop_front)
                    .ok_or_else(|| failed("it returned a row that it was not given"))?;
                let score = row.score.unwrap_or(given[index].score);
                Ok(Kept { index, score })
            })
            .collect()
    }
}

/// Returns JSON without the byte order mark that shells of Windows write before it.
pub fn without_mark(json: &[u8]) -> &[u8] {
    json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json)
}

/// One result of an [`Event`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventRow {
    /// The note's path.
    pub path: String,
    /// The first line, counted from 1.
    pub start_line: u64,
    /// The last line, counted from 1.
    pub end_line: u64,
    /// Grows with quality.
    pub score: f64,
    /// The text.
    #[serde(default)]
    pub snippet: String,
    /// Where it is from, such as `memory`.
    #[serde(default)]
    pub source: String,
}

/// What a hook writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The rows that stay, best first; none leaves them as they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<AnswerRow>>,
}

/// One row of an [`Answer`]: one of the event's, known by its path and lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRow {
    /// The note's path.
    pub path: String,
    /// The first line, counted from 1.
    pub start_line: u64,
    /// The last line, counted from 1.
    pub end_line: u64,
    /// The new score; none leaves it as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The text as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Where it is from, as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl From<EventRow> for AnswerRow {
    fn from(row: EventRow) -> AnswerRow {
        let EventRow {
            path,
            start_line,
            end_line,
            score,
            snippet,
            source,
        } = row;
        AnswerRow {
            path,
            start_line,
            end_line,
            score: Some(score),
            snippet: Some(snippet),
            source: Some(source),
        }
    }
}

/// One row that a hook let stay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kept {
    /// Its place among the event's results, counted from 0.
    pub index: usize,
    /// Its score: the hook's, or else the event's.
    pub score: f64,
}

/// A command and its arguments, which no shell reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    program: String,
    arguments: Vec<String>,
    /// A variable of the environment that it does not get.
    withheld: Option<String>,
}

impl HookCommand {
    /// Takes the program, then its arguments.
    ///
    /// # Errors
    /// [`RerankError::Hook`] where no program is named.
    pub fn new(command: &[String]) -> Result<HookCommand, RerankError> {
        match command {
            [program, arguments @ ..] if !program.is_empty() => Ok(HookCommand {
                program: program.clone(),
                arguments: arguments.to_vec(),
                withheld: None,
            }),
            _ => Err(failed("no command is set")),
        }
    }

    /// Withholds a variable of the environment from the command: one that holds a key, which is none of its business.
    pub fn without(self, variable: Option<String>) -> HookCommand {
        HookCommand {
            withheld: variable,
            ..self
        }
    }

    /// Gives the event to the command and returns the rows that it let stay, best first, each of them once.
    ///
    /// Blocks the thread; it must not be one that runs asynchronous tasks. The command and all that it started in its
    /// process group are killed where the call is given up.
    ///
    /// # Errors
    /// [`RerankError::Cancelled`], and [`RerankError::Hook`] where it does not start or end in time, ends with another
    /// status than 0, prints nothing, too much or no [`Answer`], or names a row more often than it was given.
    pub fn run(&self, event: &Event, limits: &Limits) -> Result<Vec<Kept>, RerankError> {
        let is_late = |error: &RerankError| matches!(error, RerankError::Timeout);
        match self.answer(event, limits) {
            Err(error) if is_late(&error) => Err(failed("it did not answer within the timeout")),
            answered => answered,
        }
    }

    fn answer(&self, event: &Event, limits: &Limits) -> Result<Vec<Kept>, RerankError> {
        limits.check()?;
        event.kept(&self.printed(event, limits)?)
    }

    fn printed(&self, event: &Event, limits: &Limits) -> Result<Vec<u8>, RerankError> {
        let mut child = runtime::inside(|| self.start())
            .map_err(|error| failed(format!("cannot start {}: {error}", self.program)))?;
        let talked = limits.wait(talk(child.as_mut(), event)).and_then(|it| it);
        if talked.is_ok() {
            return talked;
        }
        // It has not been waited for, so its group's number is its own still.
        let _ = child.start_kill();
        let _ = runtime::block_on_until(Instant::now() + MAX_REAP_TIME, child.wait());
        talked
    }

    fn start(&self) -> io::Result<Box<dyn ChildWrapper>> {
        let mut command = CommandWrap::with_new(&self.program, |command| {
            command
                .args(&self.arguments)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            if let Some(variable) = &self.withheld {
                command.env_remove(variable);
            }
        });
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        command.spawn()
    }
}

/// Writes the event, reads all that is printed, and waits for the end.
async fn talk(child: &mut dyn ChildWrapper, event: &Event) -> Result<Vec<u8>, RerankError> {
    let event = serde_json::to_vec(event).expect("strings and finite numbers are always JSON");
    let piped = "the pipes were asked for";
    let mut stdin = child.stdin().take().expect(piped);
    let stdout = child.stdout().take().expect(piped);
    let stderr = child.stderr().take().expect(piped);
    let tell = async move {
        match stdin.write_all(&event).await {
            // It does not want to know.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            told => told.map_err(failed),
        }
        // Dropped here, it is closed, and the hook has read all.
    };
    let (_, printed, _) = tokio::try_join!(tell, read(stdout), log(stderr))?;
    let status = child.wait().await.map_err(failed)?;
    if !status.success() {
        return Err(failed(how_it_ended(status)));
    }
    Ok(printed)
}

async fn read(stdout: impl AsyncRead + Unpin) -> Result<Vec<u8>, RerankError> {
    let mut printed = Vec::new();
    stdout
        .take(MAX_ANSWER_BYTES + 1)
        .read_to_end(&mut printed)
        .await
        .map_err(failed)?;
    if printed.len() as u64 > MAX_ANSWER_BYTES {
        return Err(failed(format!(
            "it printed more than {} MiB",
            MAX_ANSWER_BYTES >> 20
        )));
    }
    Ok(printed)
}

/// Logs what the hook has to say, at the level at which note text may be logged, since it may say that.
async fn log(mut stderr: impl AsyncRead + Unpin) -> Result<(), RerankError> {
    let mut said = Vec::new();
    (&mut stderr)
        .take(MAX_LOGGED_BYTES)
        .read_to_end(&mut said)
        .await
        .map_err(failed)?;
    for line in String::from_utf8_lossy(&said).lines() {
        tracing::debug!(line, "hook");
    }
    copy(&mut stderr, &mut sink()).await.map_err(failed)?;
    Ok(())
}

fn how_it_ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("it exited with status {code}"),
        None => "it was killed by a signal".to_owned(),
    }
}

fn failed(cause: impl ToString) -> RerankError {
    RerankError::Hook {
        cause: cause.to_string(),
    }
}

#[cfg(test)]
mod tests {
    //! Whatever rows a hook lets stay, in whatever order, are found again, and each once.

    use proptest::prelude::*;

    use super::*;

    /// Rows of few places, so that several share one.
    fn rows() -> impl Strategy<Value = Vec<EventRow>> {
        prop::collection::vec((0..3_u64, -1.0..1.0), 0..12).prop_map(|rows| {
            let row = |(place, score): (u64, f64)| EventRow {
                path: format!("{}.md", place % 2),
                start_line: place,
                end_line: place + 1,
                score,
                snippet: String::new(),
                source: String::new(),
            };
            rows.into_iter().map(row).collect()
        })
    }

    fn event(results: &[EventRow]) -> Event {
        Event {
            query: String::new(),
            agent_id: String::new(),
            results: results.to_vec(),
        }
    }

    fn place(row: &EventRow) -> (&str, u64) {
        (&row.path, row.start_line)
    }

    #[test]
    fn a_bare_list_is_no_answer() {
        for printed in ["[]", " [[]]", "[null]"] {
            let kept = event(&[]).kept(printed.as_bytes());
            assert_eq!(
                kept.map_err(|error| error.to_string()),
                Err("cannot run the hook: its output is not an answer".to_owned())
            );
        }
    }

    #[test]
    fn a_byte_order_mark_does_not_count() {
        let kept = |printed: &[u8]| event(&[]).kept(printed).map_err(|error| error.to_string());
        assert_eq!(kept(b"\xef\xbb\xbf{\"results\":[]}"), Ok(Vec::new()));
        let nothing = "cannot run the hook: it printed nothing".to_owned();
        assert_eq!(kept(b"\xef\xbb\xbf\r\n"), Err(nothing));
    }

    proptest! {
        #[test]
        fn rows_that_stay_are_found_once_each(
            (given, stay) in rows().prop_flat_map(|given| {
                let stay = Just(given.clone()).prop_shuffle();
                let stay = (stay, 0..=given.len()).prop_map(|(mut stay, n)| {
                    stay.truncate(n);
                    stay
                });
                (Just(given), stay)
            })
        ) {
            let answer = Answer {
                results: Some(stay.iter().cloned().map(AnswerRow::from).collect()),
            };
            let printed = serde_json::to_vec(&answer).expect("it is JSON");
            let kept = event(&given).kept(&printed).expect("all were given");
            prop_assert_eq!(kept.len(), stay.len());
            for (kept, stay) in kept.iter().zip(&stay) {
                prop_assert_eq!(place(&given[kept.index]), place(stay));
                prop_assert_eq!(kept.score.to_bits(), stay.score.to_bits());
            }
            let mut indices: Vec<usize> = kept.iter().map(|kept| kept.index).collect();
            indices.sort_unstable();
            indices.dedup();
            prop_assert_eq!(indices.len(), kept.len());
        }

        #[test]
        fn one_row_more_than_was_given_is_invented(given in rows()) {
            prop_assume!(!given.is_empty());
            let more = given.iter().chain(&given[..1]);
            let answer = Answer {
                results: Some(more.cloned().map(AnswerRow::from).collect()),
            };
            let printed = serde_json::to_vec(&answer).expect("it is JSON");
            let refused = event(&given).kept(&printed).map_err(|error| error.to_string());
            prop_assert_eq!(refused, Err("cannot run the hook: it returned a row that it was not given".to_owned()));
        }
    }
}
