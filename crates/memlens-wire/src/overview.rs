//! The memory as a whole: cards, the list of notes, and the timeline, as the window and the command line show them.

use serde::{Deserialize, Serialize};
use specta::Type;

/// What a card counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum CardId {
    /// Notes that are new or changed since the last visit.
    New,
    /// Notes that no session loads when it begins.
    NotLoaded,
    /// Notes that the search of their agent never finds.
    NotSearched,
    /// Notes that no imported past question found.
    NeverFound,
    /// Notes by size.
    Largest,
    /// Notes by date.
    Oldest,
    /// Statements that occur more than once.
    SaidAgain,
    /// Statements that contradict each other.
    Contradictions,
    /// Files with problems.
    Problems,
    /// Languages of notes.
    Languages,
}

/// One of the first entries of the list behind a card.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct CardItem {
    /// Id of the watched folder; empty for a language.
    pub folder: String,
    /// Path of the note in it; empty for a language.
    pub path: String,
    /// First line, 1-based; `None` for the whole note.
    pub line: Option<u32>,
    /// What the entry is called.
    pub title: String,
    /// What the card counts of it, such as its size.
    pub detail: String,
}

/// A card of the overview.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct OverviewCard {
    /// What it counts.
    pub id: CardId,
    /// Its title for the user.
    pub title: String,
    /// Length of the list behind it; `None` if that is not known, and `basis` says why.
    pub n: Option<u32>,
    /// How many of these the window lists; less than `n` if there are too many. The command line lists all.
    pub n_listed: u32,
    /// What `n` counts, in words that follow the number.
    pub unit: String,
    /// What the figure was read from and what it leaves out, in sentences.
    pub basis: String,
    /// The first three entries of the list.
    pub first: Vec<CardItem>,
}

/// The memory as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Overview {
    /// Number of notes that were read.
    pub n_notes: u32,
    /// Number of files and links that were not read; they are listed with their problems.
    pub n_not_read: u32,
    /// Number of notes whose text was not read yet for words, tags and languages. Ask again to read on.
    pub n_unread: u32,
    /// When the last visit ended, milliseconds since 1970; `None` before the second visit.
    pub since_ms: Option<f64>,
    /// The cards in their order.
    pub cards: Vec<OverviewCard>,
    /// Languages with the number of their notes, most notes first.
    pub languages: Vec<LanguageCount>,
}

/// A language with its notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct LanguageCount {
    /// English name of the language.
    pub language: String,
    /// Number of its notes.
    pub n: u32,
}

/// Where the date of a note comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum DateFrom {
    /// The front matter, or the record that holds the note.
    Note,
    /// The name of the file or of a folder around it.
    Path,
    /// The newest of its records.
    Records,
}

/// What the library saw of a note since the last visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// It was read for the first time.
    New,
    /// Other bytes were read.
    Changed,
}

/// A note in the list of all notes.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NoteRow {
    /// Id of the watched folder.
    pub folder: String,
    /// Name of the watched folder.
    pub folder_name: String,
    /// Path of the note in it.
    pub path: String,
    /// Its first heading, otherwise the file's name.
    pub title: String,
    /// Id of the agent that the folder belongs to.
    pub agent: Option<String>,
    /// Name of that agent.
    pub agent_name: Option<String>,
    /// Its own date as `YYYY-MM-DD`; `None` without one.
    pub date: Option<String>,
    /// Where `date` comes from.
    pub date_from: Option<DateFrom>,
    /// Whether `date` is of 1970 or earlier, or of the future, and so counts as unknown.
    pub is_date_odd: bool,
    /// When the file was saved, milliseconds since 1970; `None` if it is not indexed.
    pub modified_ms: Option<f64>,
    /// When it was indexed first, milliseconds since 1970; `None` if that is not known.
    pub first_seen_ms: Option<f64>,
    /// When other bytes were last read, milliseconds since 1970; `None` if none were.
    pub changed_ms: Option<f64>,
    /// What happened to it since the last visit.
    pub news: Option<News>,
    /// Size of the file in bytes; `None` if it is not indexed.
    pub n_bytes: Option<f64>,
    /// Number of words in its chunks; `None` if they were not read yet.
    pub n_words: Option<u32>,
    /// Number of its chunks.
    pub n_chunks: u32,
    /// Whether a session of its agent loads it when it begins; `None` if that is not known.
    pub loaded: Option<bool>,
    /// Whether the search of its agent can find it; `None` if that is not known.
    pub searched: Option<bool>,
    /// Number of past questions that returned it; `None` if that is not known.
    pub n_found: Option<u32>,
    /// Number of past questions and openings in which it was opened; `None` if that is not known.
    pub n_opened: Option<u32>,
    /// Its tags, from the front matter and from `#tags` in the text.
    pub tags: Vec<String>,
    /// English name of its language; `None` if it was not recognised or not read yet.
    pub language: Option<String>,
    /// Number of problems with the file.
    pub n_problems: u32,
    /// The first of them with its line, and how many more there are; `None` without a problem.
    pub problem: Option<String>,
}

/// What the list of notes is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NoteSort {
    /// By title.
    Title,
    /// By folder and path.
    Path,
    /// By agent.
    Agent,
    /// By its own date; those without one last.
    Date,
    /// By when the library first saw it, or saw it change.
    Seen,
    /// By size of the file.
    Size,
    /// By number of words.
    Words,
    /// By number of chunks.
    Chunks,
    /// By number of questions that found it.
    Found,
    /// By how often it was opened.
    Opened,
    /// By language.
    Language,
}

/// Why a note is on no day of the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NoDay {
    /// It has no date of its own.
    Undated,
    /// Its date is of 1970 or earlier, or of the future.
    Implausible,
}

/// Which notes are listed, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct NoteQuery {
    /// Only the notes that a card counts.
    pub card: Option<CardId>,
    /// Id of an agent.
    pub agent: Option<String>,
    /// Id of a watched folder.
    pub folder: Option<String>,
    /// A tag, in any case.
    pub tag: Option<String>,
    /// English name of a language.
    pub language: Option<String>,
    /// First day of the notes' own dates, `YYYY-MM-DD`.
    pub from: Option<String>,
    /// Last day of the notes' own dates, `YYYY-MM-DD`.
    pub to: Option<String>,
    /// Only notes that are on no day of the timeline, for this reason.
    pub no_day: Option<NoDay>,
    /// Only files with a problem.
    pub has_problem: bool,
    /// Words that are all in the note's title, path or text, in any case; empty for any.
    pub text: String,
    /// The order; `None` for that of the card, otherwise by path.
    pub sort: Option<NoteSort>,
    /// Whether the order is reversed. Notes without a value stay last.
    pub is_reversed: bool,
}

/// A page of the list of notes.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NotePage {
    /// 0-based position of the first row in the list.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<NoteRow>,
    /// Number of notes in the list.
    pub n: u32,
    /// Number of notes without a filter.
    pub n_all: u32,
    /// Number of notes whose text was not read yet; tags and languages of these are not known.
    pub n_unread: u32,
}

/// What is dated on one day in one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct TimelineDay {
    /// The day as `YYYY-MM-DD`.
    pub date: String,
    /// Id of the watched folder.
    pub folder: String,
    /// Number of notes with this date.
    pub n_notes: u32,
    /// Number of observations with this date; those without one have the date of their note.
    pub n_observations: u32,
}

/// A tag with its notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct TagCount {
    /// The tag without `#`, as the first of its notes spells it.
    pub tag: String,
    /// Number of its notes, in any case of letters.
    pub n: u32,
}

/// The tags of some notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct NoteTags {
    /// Tags with most notes first, then by name; not all of them if there are many.
    pub tags: Vec<TagCount>,
    /// Number of all these tags.
    pub n: u32,
    /// Number of notes whose text was not read yet; `#tags` in the text of these are not known.
    pub n_unread: u32,
}

/// Notes and observations by their own dates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct Timeline {
    /// Days on which anything is dated, the first one first, then by folder.
    pub days: Vec<TimelineDay>,
    /// Number of notes of the list, without regard to a span of days.
    pub n_notes: u32,
    /// Number of these without a date of their own.
    pub n_undated: u32,
    /// Number of these that are dated in the future or before 1971, which are on no day.
    pub n_odd: u32,
    /// Number of observations in these notes.
    pub n_observations: u32,
    /// Number of these observations without a date of their own or of their note.
    pub n_observations_undated: u32,
    /// Number of these observations that are dated in the future or before 1971, which are on no day.
    pub n_observations_odd: u32,
}
