//! View types of what is known beside one note.

use serde::Serialize;
use specta::Type;

use super::{Drifted, Said};

/// What is known beside a note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct BesideNote {
    /// Id of the watched folder.
    pub folder: String,
    /// Path of the note in it.
    pub path: String,
    /// Name of the note on screen: the path, prefixed by the folder's name if several folders are watched.
    pub name: String,
    /// The links from it and to it.
    pub links: LinksOfNote,
    /// The notes most like it.
    pub alike: AlikeNotes,
    /// What it says that other passages say too; `None` before the first comparison of all notes.
    pub said: Option<SaidElsewhere>,
    /// Sure contradictions with a side in it.
    pub contradictions: Vec<Drifted>,
    /// Facts with a side in it that changed.
    pub changed: Vec<Drifted>,
    /// The past questions that found, opened or missed it.
    pub questions: NoteQuestions,
}

/// The notes most like a note, by the cosine of the two of their chunks that are most alike.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AlikeNotes {
    /// The most similar first; at most 10.
    pub notes: Vec<AlikeNote>,
    /// Number of chunks of the note.
    pub n_chunks: u32,
    /// Number of these that were compared, at equal distances in the note.
    pub n_compared: u32,
}

/// A note like another.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct AlikeNote {
    /// Id of the watched folder.
    pub folder: String,
    /// Path of the note in it.
    pub path: String,
    /// Name of the note on screen: the path, prefixed by the folder's name if several folders are watched.
    pub name: String,
    /// Cosine of the two chunks, in `[-1, 1]`.
    pub cosine: f64,
    /// The chunk of the note itself.
    pub own: ChunkLines,
    /// The chunk of the other note.
    pub other: ChunkLines,
}

/// The place of a chunk in its note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ChunkLines {
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// Headings above it; empty if it has none.
    pub heading: String,
}

/// What a note says that other passages say too.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SaidElsewhere {
    /// In the order of the note; at most 100.
    pub statements: Vec<SaidOfNote>,
    /// Number of these without a limit.
    pub n: u32,
    /// Whether notes changed since they were compared.
    pub is_stale: bool,
}

/// A statement of a note that other passages make too.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SaidOfNote {
    /// The statement in the note.
    pub own: Said,
    /// Number of other passages that make it, also in the note itself.
    pub n_others: u32,
    /// Number of other notes that make it.
    pub n_notes: u32,
    /// Another note that makes it, the one nearest to the representative of all; `None` if only the note itself repeats it.
    pub other: Option<Said>,
}

/// The past questions about a note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NoteQuestions {
    /// The newest first; at most 100.
    pub questions: Vec<NoteQuestion>,
    /// Number of these without a limit.
    pub n: u32,
    /// Number of other entries with a name that may be this note's or another's.
    pub n_unclear: u32,
    /// Number of imported searches and openings of all notes.
    pub n_past: u32,
    /// Whether past questions were asked again in this session, so that it is known which lost the note.
    pub is_replayed: bool,
    /// Whether the user agreed that agents' logs are read.
    pub is_allowed: bool,
}

/// A past question, or an opening of notes, that concerns a note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct NoteQuestion {
    /// Id of the past question.
    pub id: String,
    /// Name of the agent on screen.
    pub agent_name: String,
    /// Time in milliseconds since 1970; `None` if the log has no time.
    pub at_ms: Option<f64>,
    /// Whether it is an opening of notes, which has no question, instead of a search.
    pub is_opening: bool,
    /// Text of the question; empty for an opening.
    pub question: String,
    /// Rank of the note among the logged results, 1-based; `None` if it was not among them, or they are not logged.
    pub rank: Option<u32>,
    /// Whether the agent opened the note.
    pub is_opened: bool,
    /// Whether the agent's answer cited the note.
    pub is_cited: bool,
    /// Whether the agent opened or cited it although the logged results do not contain it.
    pub is_missed: bool,
    /// Whether the last replay does not find it any more.
    pub is_lost: bool,
}

/// The links between a note and others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct LinksOfNote {
    /// Links of the note to other notes, and links that lead to none, in the order of its text. A part if it is limited.
    pub from: Vec<LinkRow>,
    /// Number of these without a limit.
    pub n_from: u32,
    /// Number of these that lead to no note.
    pub n_broken: u32,
    /// Links of other notes to the note, by folder, path and line. A part if it is limited.
    pub to: Vec<LinkRow>,
    /// Number of these without a limit.
    pub n_to: u32,
    /// Number of notes that these are in.
    pub n_notes_to: u32,
    /// Number of links of the note to a place within itself.
    pub n_within: u32,
    /// Number of links of the note to web pages and mail addresses.
    pub n_outside: u32,
    /// Number of notes whose links were not read yet; while it is above 0, links to the note may be missing.
    pub n_unread: u32,
    /// Number of notes whose files cannot be read now, so that their links are not known.
    pub n_failed: u32,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct LinkRow {
    /// The text that is shown for it; the address if it has none.
    pub words: String,
    /// Where it leads, as it is written.
    pub address: String,
    /// Line of the link in the note that contains it, 1-based.
    pub line: u32,
    /// Of a link from the note: where it leads; `None` if it leads to no note. Of a link to the note: the note that contains it.
    pub place: Option<LinkPlace>,
    /// Why it leads to no note, or not to the heading that it names; `None` if it does both.
    pub problem: Option<String>,
    /// Number of other notes that the name may mean as well.
    pub n_alike: u32,
}

/// A note, and a line of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct LinkPlace {
    /// Id of the watched folder.
    pub folder: String,
    /// Path of the note in it.
    pub path: String,
    /// Name of the note on screen: the path, prefixed by the folder's name if several folders are watched.
    pub name: String,
    /// Line in the note, 1-based; `None` for its top.
    pub line: Option<u32>,
}

/// Where a link leads that the user follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FollowedLink {
    /// The note; `None` if it leads to none.
    pub place: Option<LinkPlace>,
    /// Why it leads to no note, or not to the heading that it names; `None` if it does both.
    pub problem: Option<String>,
}
