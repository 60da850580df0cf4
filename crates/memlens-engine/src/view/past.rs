//! Past questions, as the window is told.

use std::collections::BTreeMap;

use serde::Serialize;
use specta::Type;

use super::Ranking;

/// A page of the past questions that a filter leaves, and what is true of all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PastQuestions {
    /// The 0-based place of the page's first row among those that the filter leaves.
    pub first: u32,
    /// The page's rows, the newest first.
    pub rows: Vec<PastRow>,
    /// How many the filter leaves.
    pub n_shown: u32,
    /// The place of the question that was asked about; none where the filter leaves it out.
    pub open_at: Option<u32>,
    /// The days of those that the filter leaves, in their order.
    pub days: Vec<PastDay>,
    /// Number of searches and openings without a filter.
    pub n_all: u32,
    /// Number of openings among them.
    pub n_openings: u32,
    /// How many of all found nothing then.
    pub n_found_nothing: u32,
    /// How many of all have another answer now, by the last replay; `None` before one, and if it could compare none.
    pub n_changed: Option<u32>,
    /// The agents that asked, each with how many questions.
    pub agents: Vec<PastAgent>,
    /// The last replay; none before one.
    pub replay: Option<ReplaySummary>,
    /// What the last edit took out of answers, since the window was opened; none where nothing.
    pub lost: Option<LostAnswers>,
}

/// A day on which agents asked.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PastDay {
    /// When its first question in the list was asked, milliseconds since 1970; none for those without a time.
    pub at_ms: Option<f64>,
    /// How many questions it has.
    pub n_questions: u32,
    /// How many openings it has.
    pub n_openings: u32,
    /// How many answers the last replay could compare.
    pub n_compared: u32,
    /// How many of these are another one now; `None` if none could be compared.
    pub n_changed: Option<u32>,
}

/// What an autopsy can be asked about.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AutopsyChoices {
    /// The agents that asked, each with how many questions.
    pub agents: Vec<PastAgent>,
    /// The sessions that asked last.
    pub sessions: Vec<AskingSession>,
}

/// A session in which an agent asked something.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AskingSession {
    /// The agent's name.
    pub agent_name: String,
    /// The session, as the agent names it.
    pub session: String,
    /// When it was last asked something in it; none where the log does not say.
    pub at_ms: Option<f64>,
}

/// An agent that asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct PastAgent {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How many questions it asked.
    pub n_questions: u32,
    /// How often it opened notes.
    pub n_openings: u32,
}

/// A past question in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PastRow {
    /// Names it; never used twice.
    pub id: String,
    /// The agent's id.
    pub agent: String,
    /// The agent's name.
    pub agent_name: String,
    /// The session, as the agent names it; empty where its log names none.
    pub session: String,
    /// When it was asked, milliseconds since 1970; none where the log does not say.
    pub at_ms: Option<f64>,
    /// Whether it is an opening of notes, which has no question and no results, and not a search.
    pub is_opening: bool,
    /// The question; empty for an opening.
    pub question: String,
    /// Whether the search ended with an error.
    pub has_failed: bool,
    /// How many results it got then; none where no answer was logged.
    pub n_returned: Option<u32>,
    /// Searches: what was opened afterwards. Openings: what was opened.
    pub opened: Vec<PastPlace>,
    /// What the answer cited.
    pub cited: Vec<PastPlace>,
    /// What became of each result, those of then in their order, then the new ones; `None` before a replay, and if the answers
    /// cannot be compared.
    pub fates: Option<Vec<Fate>>,
}

/// A place in a note, as the agent named it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct PastPlace {
    /// The note's path.
    pub path: String,
    /// First line, 1-based; none for the whole note.
    pub start_line: Option<u32>,
    /// Last line, 1-based.
    pub end_line: Option<u32>,
    /// Whether only a part was opened, and the log does not say which.
    pub is_part: bool,
    /// Milliseconds from the question until it was opened; none where the log does not say.
    pub after_ms: Option<f64>,
}

/// What became of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It has the rank it had.
    Kept,
    /// It stands higher now.
    Rose,
    /// It stands lower now.
    Fell,
    /// It is no result any more.
    Gone,
    /// It was no result then.
    New,
}

/// What a replay of all past questions came to.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ReplaySummary {
    /// When it ended, milliseconds since 1970.
    pub at_ms: f64,
    /// How long it took, in milliseconds.
    pub took_ms: f64,
    /// What it was replayed with: a pipeline's name on screen; none for each agent's own.
    pub by: Option<String>,
    /// How many questions were replayed.
    pub n_questions: u32,
    /// How many of them could be compared: an answer was logged, and its agent's own index was searched as the agent does. Why
    /// others could not is in `notices`.
    pub n_compared: u32,
    /// How many of these have another answer now.
    pub n_changed: u32,
    /// Questions that find nothing now.
    pub n_found_nothing: u32,
    /// Notes of the library.
    pub n_notes: u32,
    /// Names of the notes that no question found; at most 200.
    pub never_found: Vec<String>,
    /// How many these are in all.
    pub n_never_found: u32,
    /// The notes that answer most questions, most first; at most 20.
    pub answers_most: Vec<NoteAnswers>,
    /// What a person should be told.
    pub notices: Vec<String>,
}

/// How many questions a note answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct NoteAnswers {
    /// The note's path in its folder.
    pub path: String,
    /// Its name on screen: the path, after the folder's name if several folders are watched.
    pub name: String,
    /// Past questions that have it among their results now.
    pub n_questions: u32,
}

/// A past question's answer then, beside its answer now.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ThenNow {
    /// The question.
    pub row: PastRow,
    /// What else the call asked for, by the agent's own names, each value as text.
    pub settings: BTreeMap<String, String>,
    /// What it is ranked by now.
    pub ranking: Ranking,
    /// That pipeline's name on screen.
    pub label: String,
    /// How true the memory is to the agent's; none where it is Memlens's own.
    pub emulated: Option<super::Emulated>,
    /// The search of now, to open its trace.
    pub search: u32,
    /// What was returned then, best first.
    pub then: Vec<ThenResult>,
    /// What is returned now, best first, then what is no result any more, in the order of then.
    pub now: Vec<NowResult>,
    /// Why the answers cannot be compared, beginning with "cannot be compared"; `None` if they can. What became of a result is only
    /// claimed if they can.
    pub not_compared: Option<String>,
    /// What the agent opened or cited, and what of it counts as relevant; none where it did not.
    pub observed: Option<String>,
    /// Other questions of the last replay whose answer has the first changed note of this one lower than then, or no more; at
    /// most 20.
    pub same_edit: Vec<LostAnswer>,
    /// What a person should be told.
    pub notices: Vec<String>,
}

/// A result of then.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ThenResult {
    /// The 1-based rank.
    pub rank: u32,
    /// The note's path as the agent named it.
    pub path: String,
    /// First line, 1-based; none where the log names no lines.
    pub start_line: Option<u32>,
    /// Last line, 1-based.
    pub end_line: Option<u32>,
    /// The score, on the agent's own scale.
    pub score: Option<f64>,
    /// The beginning of its text as logged; `None` if the log does not hold it.
    pub text: Option<String>,
    /// What the agent did with it: "opened 4 s later", "cited"; empty where nothing.
    pub used: String,
    /// What became of it; `None` if the answers cannot be compared.
    pub fate: Option<Fate>,
    /// The 0-based place in `now` where it stands, as a result or as what is gone.
    pub now: u32,
}

/// A result of now, or one of then that is none now.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NowResult {
    /// The 1-based rank; none where it is no result.
    pub rank: Option<u32>,
    /// The watched folder's id; empty where the note is gone.
    pub folder: String,
    /// The note's path in its folder.
    pub path: String,
    /// Its name on screen: the path, after the folder's name if several folders are watched; as logged where the note is gone.
    pub name: String,
    /// First line, 1-based.
    pub start_line: Option<u32>,
    /// Last line, 1-based.
    pub end_line: Option<u32>,
    /// The best passage of its text; `None` where it is no result, or its note was indexed again since.
    pub text: Option<String>,
    /// The last score; none where it has none.
    pub score: Option<f64>,
    /// What became of it; `None` if the answers cannot be compared.
    pub fate: Option<Fate>,
    /// By how many ranks it rose; negative where it fell, 0 if the answers cannot be compared.
    pub moved: i32,
    /// Why, in a few words.
    pub why: String,
    /// The chunk's id; none where it is gone.
    pub chunk: Option<String>,
}

/// A past question whose answer has a note lower than before, or no more.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LostAnswer {
    /// The past question's id.
    pub id: String,
    /// The question.
    pub question: String,
    /// The rank that the note had.
    pub was: u32,
    /// The rank that it has now; none where it is no result any more.
    pub is: Option<u32>,
}

/// What past questions do not find any more, asked again after notes changed.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LostAnswers {
    /// When that was found, milliseconds since 1970.
    pub at_ms: f64,
    /// It in one sentence.
    pub sentence: String,
    /// The names of the notes that changed.
    pub edited: Vec<String>,
    /// The notes that are found no more, those of most answers first.
    pub notes: Vec<LostNote>,
}

/// A note that past questions do not find any more.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct LostNote {
    /// The watched folder's id.
    pub folder: String,
    /// The note's path in its folder.
    pub path: String,
    /// Its name on screen: the path, after the folder's name if several folders are watched.
    pub name: String,
    /// How many questions do not find it any more.
    pub n_answers: u32,
    /// Their questions, the newest first; at most 20.
    pub questions: Vec<LostAnswer>,
}

/// A file in which an agent logs its questions.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RecallLog {
    /// The agent's id.
    pub agent: String,
    /// The agent's name.
    pub agent_name: String,
    /// Its path.
    pub path: String,
    /// How large it is.
    pub n_bytes: f64,
    /// How many past questions are kept of it.
    pub n_questions: u32,
    /// Whether all of it is read.
    pub is_read: bool,
    /// Why it could not be read.
    pub problem: Option<String>,
}

/// A query set with copies of past questions, which are forgotten with them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct CopiedPast {
    /// The set's name.
    pub set: String,
    /// How many of its queries are copies that the user did not change.
    pub n_queries: u32,
    /// How many others it has, which stay.
    pub n_kept: u32,
}

/// The logs that are there, and whether they may be read.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RecallLogs {
    /// Whether the person agreed that they are read.
    pub is_allowed: bool,
    /// The logs.
    pub logs: Vec<RecallLog>,
    /// Folders of agents that cannot be searched for logs, a sentence each.
    pub problems: Vec<String>,
    /// Their size in all.
    pub n_bytes: f64,
    /// Days after which a past question is forgotten.
    pub keep_days: u32,
    /// Whether a saved note is checked against past questions.
    pub is_alarm_on: bool,
    /// The query sets with copies of past questions.
    pub copies: Vec<CopiedPast>,
}

impl RecallLogs {
    /// The size of all logs in words, in units of 1000 as the window rounds it: "51 MB". Every question whether they may be read
    /// names this figure.
    pub fn size(&self) -> String {
        let mut size = self.n_bytes;
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
}

/// How far an import of past questions is.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RecallProgress {
    /// The log that is read.
    pub path: String,
    /// Bytes that are read, of all logs.
    pub n_bytes: f64,
    /// Of how many.
    pub n_bytes_all: f64,
    /// Questions found so far.
    pub n_questions: u32,
}

/// Past questions that were written as a query set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct SavedQueries {
    /// The file.
    pub path: String,
    /// What was left out of it, a sentence each.
    pub notices: Vec<String>,
}

/// What an import of past questions came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Type)]
pub struct RecallImport {
    /// Logs that were read.
    pub n_logs: u32,
    /// Questions that are new.
    pub n_new: u32,
    /// Questions of which more is known now.
    pub n_updated: u32,
    /// Openings of notes that are new.
    pub n_openings: u32,
    /// Judgments that are new: notes that were opened or cited after a question.
    pub n_judgments: u32,
    /// Opened notes that count for no judgment, and why, a sentence each.
    pub notices: Vec<String>,
    /// Whether the person stopped it.
    pub is_stopped: bool,
    /// What could not be read, each a sentence.
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
