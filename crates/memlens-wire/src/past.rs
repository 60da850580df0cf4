//! View types of past questions.

use std::collections::BTreeMap;

use serde::Serialize;
use specta::Type;

use super::Ranking;

/// A page of the past questions that match a filter, and totals over all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PastQuestions {
    /// 0-based index of the page's first row among the matching questions.
    pub first: u32,
    /// Rows of the page, newest first.
    pub rows: Vec<PastRow>,
    /// Number of questions that match the filter.
    pub n_shown: u32,
    /// Index of the question that the caller asked for; `None` if the filter excludes it.
    pub open_at: Option<u32>,
    /// Days of the matching questions, in the order of the list.
    pub days: Vec<PastDay>,
    /// Number of searches and openings without a filter.
    pub n_all: u32,
    /// Number of openings among them.
    pub n_openings: u32,
    /// Questions of the whole list that found nothing then.
    pub n_found_nothing: u32,
    /// Questions of the whole list with a recent date.
    pub lately: PastLately,
    /// Questions of the whole list with a different answer now, by the last replay; `None` before a replay, and if it
    /// could compare none.
    pub n_changed: Option<u32>,
    /// Agents that asked, each with its number of questions.
    pub agents: Vec<PastAgent>,
    /// The last replay; `None` before the first one.
    pub replay: Option<ReplaySummary>,
    /// Answers lost by the last edit since the window was opened; `None` if no answer was lost.
    pub lost: Option<LostAnswers>,
}

/// Questions that an agent searched for lately, by the dates in its logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct PastLately {
    /// Number of days before now that are counted.
    pub n_days: u32,
    /// Number of searches of these days.
    pub n_questions: u32,
    /// Number of those that found nothing then.
    pub n_found_nothing: u32,
    /// Searches of the whole list that found nothing and have no date, so that they are not in the numbers above.
    pub n_undated_nothing: u32,
}

/// A question to begin with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct SuggestedQuestion {
    /// Text of the question, in one line.
    pub question: String,
    /// Name on screen of the agent that asked it; `None` if it was made from the notes.
    pub agent_name: Option<String>,
    /// Whether it found nothing when an agent asked it last.
    pub found_nothing: bool,
}

/// A day on which agents asked.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PastDay {
    /// Time of its first question in the list, in milliseconds since 1970; `None` for questions without a time.
    pub at_ms: Option<f64>,
    /// Number of questions on that day.
    pub n_questions: u32,
    /// Number of openings on that day.
    pub n_openings: u32,
    /// Number of answers that the last replay could compare.
    pub n_compared: u32,
    /// Number of these with a different answer now; `None` if none could be compared.
    pub n_changed: Option<u32>,
}

/// Agents and sessions that an autopsy can be limited to.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AutopsyChoices {
    /// Agents that asked, each with its number of questions.
    pub agents: Vec<PastAgent>,
    /// Sessions with the latest questions.
    pub sessions: Vec<AskingSession>,
}

/// A session in which an agent asked a question.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AskingSession {
    /// Name of the agent on screen.
    pub agent_name: String,
    /// Session id as the agent's log writes it.
    pub session: String,
    /// Time of the last question, in milliseconds since 1970; `None` if the log has no time.
    pub at_ms: Option<f64>,
}

/// An agent with logged questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct PastAgent {
    /// Id of the agent in the list of known agents.
    pub id: String,
    /// Name of the agent on screen.
    pub name: String,
    /// Number of questions it asked.
    pub n_questions: u32,
    /// Number of times it opened notes.
    pub n_openings: u32,
}

/// A past question, as the list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PastRow {
    /// Id of the question; never reused.
    pub id: String,
    /// Id of the agent that asked.
    pub agent: String,
    /// Name of the agent on screen.
    pub agent_name: String,
    /// Session id as the agent's log writes it; empty if the log has none.
    pub session: String,
    /// Time of the question in milliseconds since 1970; `None` if the log has no time.
    pub at_ms: Option<f64>,
    /// Whether the row is an opening of notes, which has no question and no results, instead of a search.
    pub is_opening: bool,
    /// Text of the question; empty for an opening.
    pub question: String,
    /// Whether the search ended with an error.
    pub has_failed: bool,
    /// Number of results the agent got then; `None` if the answer was not logged.
    pub n_returned: Option<u32>,
    /// Searches: places opened afterwards. Openings: places that were opened.
    pub opened: Vec<PastPlace>,
    /// Places that the agent's answer cited.
    pub cited: Vec<PastPlace>,
    /// Fate of each result: those of then in their order, followed by new ones; `None` before a replay, and if the
    /// answers cannot be compared.
    pub fates: Option<Vec<Fate>>,
    /// How Memlens served it; `None` if another program answered it.
    pub served: Option<PastServed>,
}

impl PastRow {
    /// The agent with the client that Memlens served, or with the session if the log has one.
    pub fn asker(&self) -> String {
        let name = &self.agent_name;
        match &self.served {
            Some(served) => format!("{name}, served by Memlens to {}", served.client),
            None if self.session.is_empty() => name.clone(),
            None => format!("{name}, session {}", self.session),
        }
    }
}

/// A call that Memlens answered as a server of tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct PastServed {
    /// What the client called itself.
    pub client: String,
    /// Id of the agent whose folders were served; `None` for all watched folders.
    pub agent: Option<String>,
    /// Watched folder that the search was limited to; `None` if it was not.
    pub folder: Option<String>,
    /// Path in that folder; `None` if the search was not limited.
    pub path: Option<String>,
}

/// A place in a note, as the agent named it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PastPlace {
    /// Path of the note as the agent named it.
    pub path: String,
    /// First line, 1-based; `None` for the whole note.
    pub start_line: Option<u32>,
    /// Last line, 1-based; `None` for the whole note.
    pub end_line: Option<u32>,
    /// Whether only a part was opened and the log does not say which.
    pub is_part: bool,
    /// Milliseconds from the question to the opening; `None` if the log has no times.
    pub after_ms: Option<f64>,
}

/// Change of a result between then and now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// The result has the same rank as then.
    Kept,
    /// The result has a better rank now.
    Rose,
    /// The result has a worse rank now.
    Fell,
    /// The result is not returned any more.
    Gone,
    /// The result was not returned then.
    New,
}

impl Fate {
    /// The change in one word.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Kept => "kept",
            Fate::Rose => "rose",
            Fate::Fell => "fell",
            Fate::Gone => "gone",
            Fate::New => "new",
        }
    }
}

/// Result of replaying all past questions.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ReplaySummary {
    /// End of the replay in milliseconds since 1970.
    pub at_ms: f64,
    /// Duration of the replay in milliseconds.
    pub took_ms: f64,
    /// Name on screen of the pipeline used for all questions; `None` if each agent's own pipeline was used.
    pub by: Option<String>,
    /// Number of questions that were replayed.
    pub n_questions: u32,
    /// How many of them could be compared: an answer was logged, and its agent's own index was searched as the agent does. Why
    /// others could not is in `notices`.
    pub n_compared: u32,
    /// Number of compared questions with a different answer now.
    pub n_changed: u32,
    /// Number of questions that find nothing now.
    pub n_found_nothing: u32,
    /// Number of notes in the library.
    pub n_notes: u32,
    /// Names of notes that no question found, at most 200.
    pub never_found: Vec<String>,
    /// Number of notes that no question found, without that limit.
    pub n_never_found: u32,
    /// Notes that answer most questions, most first; at most 20.
    pub answers_most: Vec<NoteAnswers>,
    /// Notices to show to the user.
    pub notices: Vec<String>,
}

/// Number of questions that a note answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct NoteAnswers {
    /// Path of the note, relative to its watched folder.
    pub path: String,
    /// Name of the note on screen: the path, prefixed by the folder's name if several folders are watched.
    pub name: String,
    /// Number of past questions that have the note among their results now.
    pub n_questions: u32,
}

/// The logged answer to a past question beside the current one.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ThenNow {
    /// The question as the list shows it.
    pub row: PastRow,
    /// Other arguments of the call, by the agent's own names, with values as text.
    pub settings: BTreeMap<String, String>,
    /// Pipeline and values that rank it now.
    pub ranking: Ranking,
    /// Name of that pipeline on screen.
    pub label: String,
    /// How closely the emulated memory matches the agent's; `None` for Memlens's own pipeline.
    pub emulated: Option<super::Emulated>,
    /// Number of the current search, for opening its trace.
    pub search: u32,
    /// Results returned then, best first.
    pub then: Vec<ThenResult>,
    /// Results returned now, best first, followed by lost results in their order then.
    pub now: Vec<NowResult>,
    /// Why the answers cannot be compared, beginning with "cannot be compared"; `None` if they can. Fates are only
    /// reported if they can.
    pub not_compared: Option<String>,
    /// What the agent opened or cited, and which of it counts as relevant; `None` if it did neither.
    pub observed: Option<String>,
    /// What asking a call that Memlens served again shows; `None` for other questions, and if the answers cannot be compared.
    pub asked_again: Option<AskedAgain>,
    /// Other questions of the last replay for which the first changed note of this one ranks lower than then, or is not
    /// returned any more; at most 20.
    pub same_edit: Vec<LostAnswer>,
    /// Notices to show to the user.
    pub notices: Vec<String>,
}

/// A call that Memlens served, asked again by the ranking that answered it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct AskedAgain {
    /// Whether the results are the same, in the same order.
    pub is_same: bool,
    /// That, and whether the notes or their vectors have changed since; without a full stop.
    pub sentence: String,
}

/// A result that was returned then.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ThenResult {
    /// Rank of the result then, 1-based.
    pub rank: u32,
    /// Path of the note as the agent named it; of a call that Memlens served, its name in this library.
    pub path: String,
    /// First line, 1-based; `None` if the log has no lines.
    pub start_line: Option<u32>,
    /// Last line, 1-based; `None` if the log has no lines.
    pub end_line: Option<u32>,
    /// Score on the agent's own scale; `None` if it was not logged.
    pub score: Option<f64>,
    /// Beginning of the text as logged; `None` if the log does not contain it.
    pub text: Option<String>,
    /// What the agent did with the result: "opened 4 s later", "cited"; empty if nothing.
    pub used: String,
    /// Fate of the result; `None` if the answers cannot be compared.
    pub fate: Option<Fate>,
    /// 0-based index of the result in `now`, also if it is lost.
    pub now: u32,
}

/// A result that is returned now, or one of then that is lost.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NowResult {
    /// Rank of the result now, 1-based; `None` if it is lost.
    pub rank: Option<u32>,
    /// Id of the watched folder; empty if the note is gone.
    pub folder: String,
    /// Path of the note, relative to its watched folder.
    pub path: String,
    /// Name of the note on screen: the path, prefixed by the folder's name if several folders are watched; as logged if
    /// the note is gone.
    pub name: String,
    /// First line, 1-based; for a lost result as logged, `None` if the log has no lines.
    pub start_line: Option<u32>,
    /// Last line, 1-based; as `start_line`.
    pub end_line: Option<u32>,
    /// Best passage of the text; `None` if the result is lost, or its note was indexed again since.
    pub text: Option<String>,
    /// Score after the last scoring stage; `None` if it has none.
    pub score: Option<f64>,
    /// Fate of the result; `None` if the answers cannot be compared.
    pub fate: Option<Fate>,
    /// Number of ranks gained; negative for a loss, 0 if the answers cannot be compared.
    pub moved: i32,
    /// Reason for the change, in a few words.
    pub why: String,
    /// Id of the chunk; `None` if it is gone.
    pub chunk: Option<String>,
}

/// A past question for which a note ranks lower than before, or is not returned any more.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LostAnswer {
    /// Id of the past question.
    pub id: String,
    /// Text of the past question.
    pub question: String,
    /// Rank of the note before the change.
    pub was: u32,
    /// Rank of the note now; `None` if it is not returned any more.
    pub is: Option<u32>,
}

/// Answers lost after notes changed, by asking past questions again.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LostAnswers {
    /// Time of the check in milliseconds since 1970.
    pub at_ms: f64,
    /// Summary of the loss in one sentence.
    pub sentence: String,
    /// Names of the notes that changed.
    pub edited: Vec<String>,
    /// Lost notes, those of most answers first.
    pub notes: Vec<LostNote>,
}

/// A note that past questions do not find any more.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LostNote {
    /// Id of the watched folder.
    pub folder: String,
    /// Path of the note, relative to its watched folder.
    pub path: String,
    /// Name of the note on screen: the path, prefixed by the folder's name if several folders are watched.
    pub name: String,
    /// Number of questions that lost the note.
    pub n_answers: u32,
    /// The questions that lost it, newest first; at most 20.
    pub questions: Vec<LostAnswer>,
}

/// A log file of an agent's questions.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RecallLog {
    /// Id of the agent that writes it.
    pub agent: String,
    /// Name of the agent on screen.
    pub agent_name: String,
    /// Absolute path of the log file.
    pub path: String,
    /// Size of the file in bytes.
    pub n_bytes: f64,
    /// Number of stored past questions that come from this file.
    pub n_questions: u32,
    /// Whether the file was imported in its current state.
    pub is_read: bool,
    /// Why the last import could not read it; `None` if it could, or did not try.
    pub problem: Option<String>,
}

/// A query set with copies of past questions, which are forgotten with them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct CopiedPast {
    /// Name of the query set.
    pub set: String,
    /// Number of its queries that are unchanged copies.
    pub n_queries: u32,
    /// Number of its other queries, which stay.
    pub n_kept: u32,
}

/// The log files that exist, and whether Memlens may read them.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RecallLogs {
    /// Whether the user agreed that logs are read.
    pub is_allowed: bool,
    /// All log files that were found.
    pub logs: Vec<RecallLog>,
    /// Agent folders that cannot be searched for logs, one sentence each.
    pub problems: Vec<String>,
    /// Total size of the log files in bytes.
    pub n_bytes: f64,
    /// Days after which a past question is forgotten.
    pub keep_days: u32,
    /// Whether a saved note is checked against past questions.
    pub is_alarm_on: bool,
    /// Whether calls that Memlens serves are recorded.
    pub records_calls: bool,
    /// Query sets with copies of past questions.
    pub copies: Vec<CopiedPast>,
}

impl RecallLogs {
    /// The size of all logs in words, in units of 1000 as the window rounds it: "51 MB". Every question whether they may be read
    /// names this figure.
    pub fn size(&self) -> String {
        size_in_words(self.n_bytes)
    }
}

/// A number of bytes in words, in units of 1000 as the window rounds it: "51 MB".
pub fn size_in_words(n_bytes: f64) -> String {
    let mut size = n_bytes;
    let mut units = ["B", "kB", "MB", "GB", "TB"].into_iter().peekable();
    while size >= 999.5 && units.len() > 1 {
        size /= 1000.0;
        units.next();
    }
    let unit = units.next().unwrap_or_default();
    if unit == "B" || size >= 10.0 {
        format!("{size:.0} {unit}")
    } else {
        format!("{size:.1} {unit}")
    }
}

/// Progress of an import of past questions.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RecallProgress {
    /// Path of the log being read.
    pub path: String,
    /// Bytes read so far, over all logs.
    pub n_bytes: f64,
    /// Bytes of all logs to read.
    pub n_bytes_all: f64,
    /// Number of questions found so far.
    pub n_questions: u32,
}

/// A query set file written from past questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct SavedQueries {
    /// Path of the written file.
    pub path: String,
    /// What the file leaves out, one sentence each.
    pub notices: Vec<String>,
}

/// Result of importing past questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Type)]
pub struct RecallImport {
    /// Number of log files read.
    pub n_logs: u32,
    /// Number of questions that are new.
    pub n_new: u32,
    /// Number of known questions for which the logs hold more now.
    pub n_updated: u32,
    /// Number of new openings of notes.
    pub n_openings: u32,
    /// New judgments: notes that were opened or cited after a question.
    pub n_judgments: u32,
    /// Opened notes that give no judgment, with the reason, one sentence each.
    pub notices: Vec<String>,
    /// Whether the user stopped the import.
    pub is_stopped: bool,
    /// What could not be read, one sentence each.
    pub problems: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::RecallLogs;

    #[test]
    fn a_size_is_rounded_as_the_window_rounds_it() {
        let size = |n_bytes| {
            let logs = RecallLogs {
                is_allowed: false,
                logs: Vec::new(),
                problems: Vec::new(),
                n_bytes,
                keep_days: 365,
                is_alarm_on: true,
                records_calls: false,
                copies: Vec::new(),
            };
            logs.size()
        };
        assert_eq!(size(0.0), "0 B");
        assert_eq!(size(900_000.0), "900 kB");
        assert_eq!(size(999_600.0), "1.0 MB");
        assert_eq!(size(3_100_000.0), "3.1 MB");
        assert_eq!(size(51_300_000.0), "51 MB");
        assert_eq!(size(2e15), "2000 TB");
    }
}
