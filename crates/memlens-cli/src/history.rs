//! `memlens history`.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use memlens_document::{Document, dim, strong};
use memlens_engine::view::{ChangeOrigin, HistoryKept, NoteHistory, size_in_words};
use memlens_engine::{Library, acts, history_kept, note_history_at};
use serde::Serialize;

use crate::arguments::{HistoryArgs, OnOff};
use crate::error::CliError;
use crate::output::{print, print_json, print_text};
use crate::settings::open;

#[derive(Serialize)]
struct Report<T> {
    schema_version: u32,
    #[serde(flatten)]
    content: T,
}

fn report<T>(content: T) -> Report<T> {
    Report {
        schema_version: 1,
        content,
    }
}

/// Prints what a note said before, or changes what is saved of notes.
pub fn run(library: Option<PathBuf>, arguments: &HistoryArgs) -> Result<(), CliError> {
    let library = open(library)?;
    if let Some(keep) = arguments.keep {
        acts::keep_history(&library.to_write(), keep == OnOff::On)?;
    }
    match &arguments.note {
        Some(note) => of_note(&library, note, arguments.json),
        None => of_all(&history_kept(&library)?, arguments.json),
    }
}

fn of_note(library: &Library, typed: &str, as_json: bool) -> Result<(), CliError> {
    let here = std::env::current_dir().ok();
    let history = note_history_at(library, typed, here.as_deref(), &AtomicBool::new(false))?;
    if as_json {
        return print_json(&report(&history));
    }
    print(&page(&history))
}

fn page(history: &NoteHistory) -> Document {
    let mut page = Document::new();
    for change in &history.changes {
        let what = match &change.origin {
            ChangeOrigin::Seen => dim("seen by Memlens"),
            ChangeOrigin::Commit {
                id,
                subject,
                is_merge,
            } => {
                dim(format!(
                    "{} {id}  ",
                    if *is_merge { "merge" } else { "commit" }
                )) + subject
            }
        };
        // Without a diff it is not known how many lines changed.
        let size = match change.diff.as_str() {
            "" => "  ".to_owned(),
            _ => format!("  +{} -{}  ", change.n_added, change.n_removed),
        };
        page.line(strong(moment(change.at_ms)) + dim(size) + what);
        page.note_text(&change.diff);
        if let Some(why) = &change.lacks {
            page.notice(why);
        }
        page.gap();
    }
    if history.changes.is_empty() {
        page.line(if history.is_kept {
            "No change of this note is known. Memlens saves the changes that it reads while that is switched on."
        } else {
            "No change of this note is known, and none is saved: turn it on with `memlens history --keep on`."
        });
    }
    if let Some(why) = &history.commits_end {
        page.notice(format!("Older commits are not listed: {why}."));
    }
    page
}

fn of_all(kept: &HistoryKept, as_json: bool) -> Result<(), CliError> {
    if as_json {
        return print_json(&report(kept));
    }
    if !kept.is_kept {
        return print_text("What notes said before is not saved.");
    }
    print_text(format!(
        "What notes said before is saved: {} of at most {}.",
        size_in_words(kept.n_bytes),
        size_in_words(kept.n_bytes_most)
    ))
}

fn moment(at_ms: f64) -> String {
    let at = Timestamp::from_millisecond(at_ms as i64);
    at.map_or_else(
        |_| "at an unknown time".to_owned(),
        |at| {
            let here = at.to_zoned(TimeZone::system());
            here.strftime("%Y-%m-%d %H:%M").to_string()
        },
    )
}
