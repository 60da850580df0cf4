//! View types of what is known beside one note.

use serde::Serialize;
use specta::Type;

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
