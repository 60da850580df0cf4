//! Reading memory: files of a watched folder to documents, documents to chunks and windows.
//!
//! [`walk`] lists the files of a folder that are read, and [`find`] decides about a single one by the same rules.
//! [`read`] returns the bytes. [`parse`] turns them into a [`Parsed`] document: its text, its front matter, its
//! [`Chunk`]s (units of retrieval) and its [`Window`]s (units of embedding), all with 1-based lines and byte ranges of
//! the text. Input that is partly wrong is partly read: [`Parsed::problems`] and [`Walked::skipped`] say what was left
//! out or guessed, as messages for the user.
//!
//! This crate writes nothing, follows no links, and knows no database, model, index or window.
//!
//! ```
//! use memlens_ingest::{IngestOptions, Kind, parse};
//!
//! let note = b"---\nagent: iris\n---\n# Router\n\nQuiet hours are from ten to six.\n";
//! let parsed = parse(Kind::Markdown, note, &IngestOptions::default())?;
//!
//! let chunk = &parsed.chunks[0];
//! assert_eq!((chunk.start_line, chunk.agent.as_deref()), (1, Some("iris")));
//! let window = &parsed.windows[0];
//! assert_eq!(window.text, "Router\nRouter\nQuiet hours are from ten to six.");
//! assert_eq!((window.start_line, window.end_line, window.chunks.as_slice()), (4, 6, &[0][..]));
//! # Ok::<(), memlens_ingest::IngestError>(())
//! ```

mod chunks;
mod dates;
mod decode;
mod document;
mod error;
mod front_matter;
mod headings;
mod json;
mod lines;
mod links;

mod observations;
mod outline;
mod reading;
mod rules;
mod tags;
mod walk;
mod windows;

pub use dates::{date_of_path, unread_date};
pub use decode::text_of;
pub use document::{Chunk, IngestOptions, Kind, Parsed, Problem, Window, content_hash, parse};
pub use error::IngestError;
pub use front_matter::FrontMatter;
pub use headings::headings_behind;
pub use json::lines_of_problem;
pub use links::{NoteLinks, WrittenHeading, WrittenLink, links};
pub use observations::{Observation, Written, observations, written};
pub use reading::read;
pub use tags::inline_tags;
pub use walk::{
    FoundFile, LeftOut, MAX_FILE_BYTES, Reason, SkippedFile, Verdict, Walked, find, hidden_below,
    judge, left_out_in, walk, walk_with_progress,
};
