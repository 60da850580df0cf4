use std::path::PathBuf;

use memlens_document::{Document, dim, note, strong};
use memlens_engine::acts;
use memlens_engine::{FeedbackEntry, Library, Voted};
use serde::Serialize;

use crate::arguments::FeedbackArgs;
use crate::error::CliError;
use crate::output::{notify, print, print_json, print_text};
use crate::settings::open;

/// The number of characters of a text that are shown; `--json` has the whole text.
const TEXT_CHARS_SHOWN: usize = 100;

#[derive(Serialize)]
struct FeedbackReport {
    schema_version: u32,
    feedback: Vec<FeedbackEntry>,
}

/// Adds, undoes, exports, imports or lists thumbs.
pub fn run(library: Option<PathBuf>, arguments: &FeedbackArgs) -> Result<(), CliError> {
    let library = open(library)?;
    if let [direction, query, place] = arguments.add.as_slice() {
        return add(&library, direction, query, place);
    }
    if let Some(id) = &arguments.undo {
        acts::undo_feedback(&library.to_write(), id)?;
        notify(format_args!("thumb {id} undone"));
        return Ok(());
    }
    if let Some(path) = &arguments.export {
        library.write_feedback(path)?;
        notify(format_args!("wrote {}", path.display()));
        return Ok(());
    }
    if let Some(path) = &arguments.import {
        let done = acts::import_feedback(&library.to_write(), path)?;
        if arguments.json {
            return print_json(&done);
        }
        for problem in &done.problems {
            notify(problem);
        }
        return print_text(format!(
            "{} added, {} changed, {} already there, {} rejected",
            done.n_added,
            done.n_turned,
            done.n_known,
            done.problems.len()
        ));
    }
    let feedback = library.feedback()?;
    if arguments.json {
        return print_json(&FeedbackReport {
            schema_version: 1,
            feedback,
        });
    }
    let mut page = Document::new();
    feedback
        .iter()
        .for_each(|entry| add_entry(&mut page, entry));
    print(&page)
}

fn add(library: &Library, direction: &str, query: &str, place: &str) -> Result<(), CliError> {
    let up = match direction {
        "up" => true,
        "down" => false,
        other => {
            return Err(CliError::NoThumb {
                given: other.to_owned(),
            });
        }
    };
    let here = std::env::current_dir().ok();
    notify(
        match acts::judge_place(&library.to_write(), query, place, up, here.as_deref())? {
            Voted::Given => format!("thumb {direction} for {place}"),
            Voted::Turned => format!("thumb {direction} for {place}, which had the other"),
            Voted::TakenBack => format!("thumb {direction} for {place} undone"),
        },
    );
    Ok(())
}

fn add_entry(page: &mut Document, entry: &FeedbackEntry) {
    let direction = if entry.up { "up" } else { "down" };
    let line = match &entry.found {
        Some(place) => format!(":{}", place.start_line),
        None => " (no chunk has this text any more)".to_owned(),
    };
    page.line(
        strong(format!("{:>4}  {direction:<4}", entry.id))
            + format!("  {}  ", entry.query)
            + dim(format!("{}{line}", entry.path)),
    );
    let words: Vec<&str> = entry.text.split_whitespace().collect();
    let text: String = words.join(" ").chars().take(TEXT_CHARS_SHOWN).collect();
    page.item(12, note(text));
}
