//! The hook `after_memory_search`: the user's own command, which processes a search's results before they are returned.
//! Also its event and answer, in the format of an agent's hook.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, copy, sink};

use crate::{Limits, RerankError, runtime};

/// Maximum size of a hook's output: a hundred rows with their texts are less than one megabyte.
const MAX_ANSWER_BYTES: u64 = 8 << 20;
/// How much of its standard error is logged; the rest is discarded.
const MAX_LOGGED_BYTES: u64 = 64 << 10;
/// How long a killed hook may take to end.
const MAX_REAP_TIME: Duration = Duration::from_secs(1);

/// The input of a hook: a question and its results, best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The question that was searched.
    pub query: String,
    /// The agent that asked; empty if unknown.
    #[serde(default)]
    pub agent_id: String,
    /// The results of the search, best first.
    pub results: Vec<EventRow>,
}

impl Event {
    /// Matches each row that a hook printed with a result; of several with the same path and lines, the first that is
    /// left.
    ///
    /// # Errors
    /// [`RerankError::Hook`] if the output is empty or no [`Answer`], or has a row more often than the event.
    pub fn kept(&self, printed: &[u8]) -> Result<Vec<Kept>, RerankError> {
        let given = &self.results;
        let printed = without_mark(printed);
        if printed.trim_ascii().is_empty() {
            return Err(failed("it printed nothing"));
        }
        // serde would read a bare list as the fields in order, and an empty one as an answer without results.
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

/// Returns JSON without the byte order mark that Windows shells write before it.
pub fn without_mark(json: &[u8]) -> &[u8] {
    json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json)
}

/// One result of an [`Event`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventRow {
    /// Path of the result's note.
    pub path: String,
    /// First line of the result, 1-based.
    pub start_line: u64,
    /// Last line of the result, 1-based.
    pub end_line: u64,
    /// The score; higher is better.
    pub score: f64,
    /// The text of the result.
    #[serde(default)]
    pub snippet: String,
    /// The source of the text, such as `memory`.
    #[serde(default)]
    pub source: String,
}

/// The output of a hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The rows to keep, best first; `None` leaves the results unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<AnswerRow>>,
}

/// One row of an [`Answer`]: one of the event's, identified by its path and lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRow {
    /// Path, as in the event's row.
    pub path: String,
    /// First line, as in the event's row.
    pub start_line: u64,
    /// Last line, as in the event's row.
    pub end_line: u64,
    /// The new score; `None` leaves it unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The text as in the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The source as in the event.
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

/// A row that a hook kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kept {
    /// Its index in the event's results, 0-based.
    pub index: usize,
    /// The hook's score, or the event's if the hook gave none.
    pub score: f64,
}

/// A command and its arguments, which are not interpreted by a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    program: String,
    arguments: Vec<String>,
    /// An environment variable that is not passed on.
    withheld: Option<String>,
}

impl HookCommand {
    /// Takes the program, followed by its arguments.
    ///
    /// # Errors
    /// [`RerankError::Hook`] if the program is missing.
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

    /// Returns the program and its arguments.
    pub fn words(&self) -> Vec<String> {
        [&self.program]
            .into_iter()
            .chain(&self.arguments)
            .cloned()
            .collect()
    }

    /// Removes an environment variable from the command's environment, such as one that holds a key.
    pub fn without(self, variable: Option<String>) -> HookCommand {
        HookCommand {
            withheld: variable,
            ..self
        }
    }

    /// Passes the event to the command and returns the rows that it kept, best first, each at most once.
    ///
    /// Blocks the thread; must not be called from one that runs async tasks. If the call is given up, the command and
    /// everything that it started in its process group are killed.
    ///
    /// # Errors
    /// [`RerankError::Cancelled`], and [`RerankError::Hook`] if it does not start or end in time, ends with a status
    /// other than 0, prints nothing, too much or no [`Answer`], or prints a row more often than the event has it.
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
        // It has not been waited for, so its group id cannot have been reused.
        let _ = child.start_kill();
        let _ = runtime::block_on_until(Instant::now() + MAX_REAP_TIME, child.wait());
        talked
    }

    fn start(&self) -> io::Result<Box<dyn ChildWrapper>> {
        let mut command = CommandWrap::with_new(memlens_files::program(&self.program), |command| {
            command
                .args(&self.arguments)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            if let Some(variable) = &self.withheld {
                command.env_remove(variable);
            }
            memlens_files::with_users_umask(command.as_std_mut());
        });
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        command.spawn()
    }
}

/// Writes the event, reads the whole output, and waits for the end.
async fn talk(child: &mut dyn ChildWrapper, event: &Event) -> Result<Vec<u8>, RerankError> {
    let event = serde_json::to_vec(event).expect("strings and finite numbers are always JSON");
    let piped = "the pipes were asked for";
    let mut stdin = child.stdin().take().expect(piped);
    let stdout = child.stdout().take().expect(piped);
    let stderr = child.stderr().take().expect(piped);
    let send = async move {
        match stdin.write_all(&event).await {
            // The hook does not read its input.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            outcome => outcome.map_err(failed),
        }
        // Dropping it closes the pipe, which marks the end of the input.
    };
    let (_, printed, _) = tokio::try_join!(send, read(stdout), log(stderr))?;
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

/// Logs the hook's standard error at the level at which note text may be logged, because it may contain such text.
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
    //! Whatever rows a hook keeps, in whatever order, are matched, each at most once.

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
