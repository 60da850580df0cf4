//! `memlens map`.

use std::path::PathBuf;

use memlens_document::{Document, dim, strong};
use memlens_engine::view::{MapLayout, MapPicture, NeighbourState, NoteQuery};
use memlens_engine::{lay_out, map, whole_overview};
use memlens_params::Params;
use memlens_rank::share;

use crate::arguments::MapArgs;
use crate::error::CliError;
use crate::note_filter::{NoteFilter, language_of};
use crate::output::{plural, print, print_json};
use crate::settings::{open, while_laying_out};

/// Number of folders that are listed with their chunks.
const FOLDERS_SHOWN: usize = 20;

/// Places all chunks in two dimensions, and prints the places or what they are.
pub fn run(library: Option<PathBuf>, arguments: &MapArgs) -> Result<(), CliError> {
    let library = open(library)?;
    let filter = NoteFilter {
        agent: arguments.agent.as_deref(),
        folder: arguments.folder.as_deref(),
        tag: arguments.tag.as_deref(),
        since: arguments.since.as_deref(),
        until: arguments.until.as_deref(),
        has_problem: false,
        text: arguments.text.as_deref(),
    };
    let mut query = filter.query(&library, None)?;
    if arguments.tag.is_some() || arguments.language.is_some() {
        // Reads the text of every note.
        let overview = whole_overview(&library, &Params::default())?;
        let language = arguments.language.as_deref();
        let language = language.map(|typed| language_of(&overview, typed));
        query.language = language.transpose()?;
    }
    if arguments.layout {
        while_laying_out(&library, || lay_out(&library))?;
    }
    library.aggregate()?;
    let picture = map(&library, &Params::default(), &query, None)?;
    match arguments.json {
        true => print_json(&picture),
        false => print(&page(&picture, query == NoteQuery::default())),
    }
}

fn page(picture: &MapPicture, is_whole: bool) -> Document {
    let mut page = Document::new();
    for notice in &picture.notices {
        page.line(notice.as_str());
    }
    if picture.total == 0 {
        page.line("there are no chunks: add notes with `memlens index PATH`");
        return page;
    }
    let (n, total) = (picture.x.len() as u32, picture.total);
    let n_notes = picture.notes.len() as u32;
    let notes = plural(n_notes, "note", "notes");
    page.line(match is_whole {
        true => strong(format!(
            "{n} {} in {n_notes} {notes}",
            plural(n, "chunk", "chunks")
        )),
        false => {
            let chosen = format!("{n} of {total} {}", plural(total, "chunk", "chunks"));
            strong(chosen) + format!(" in {n_notes} {notes}, with these filters")
        }
    });
    for (folder, n) in folders(picture).into_iter().take(FOLDERS_SHOWN) {
        page.item(2, format!("{n} in {folder}"));
    }
    let n_repeated = picture.cluster.iter().flatten().count() as u32;
    if n_repeated > 0 {
        let (chunks, n) = (
            plural(n_repeated, "chunk says", "chunks say"),
            picture.clusters.len(),
        );
        let statements = plural(n as u64, "statement", "statements");
        page.line(format!(
            "{n_repeated} {chunks} what others say too, in {n} {statements}"
        ));
    }
    for line in of_layout(picture) {
        page.line(dim(line));
    }
    page
}

/// The folders of the notes with the number of their chunks, most first; equal ones by name.
fn folders(picture: &MapPicture) -> Vec<(&str, u32)> {
    let mut counts: Vec<(&str, &str, u32)> = Vec::new();
    for note in &picture.note {
        // Notes are by folder.
        let note = &picture.notes[*note as usize];
        match counts.last_mut().filter(|(id, _, _)| *id == note.folder) {
            Some((_, _, n)) => *n += 1,
            None => counts.push((&note.folder, &note.folder_name, 1)),
        }
    }
    let mut counts: Vec<(&str, u32)> = counts.into_iter().map(|(_, name, n)| (name, n)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    counts
}

/// What the places mean, in lines.
fn of_layout(picture: &MapPicture) -> Vec<String> {
    let mut lines = Vec::new();
    let sampled = |n: u32| format!(", computed of {n} different texts at equal distances");
    let sampled = picture.sampled.map(sampled).unwrap_or_default();
    match (picture.layout, picture.variance) {
        (MapLayout::Components, Some([0.0, _])) => {
            lines.push("all vectors are equal, so all chunks are in one place".to_owned());
        }
        (MapLayout::Components, Some([first, second])) => lines.push(format!(
            "layout: principal components{sampled}; they hold {} and {} of the variance",
            share(first),
            share(second)
        )),
        (MapLayout::Components, None) => {
            lines.push(format!("layout: principal components{sampled}"))
        }
        (MapLayout::Neighbours, _) => lines.push(format!("layout: by neighbours{sampled}")),
    }
    let n_added = picture.neighbours.n_added;
    let texts = plural(n_added, "text was", "texts were");
    let added = format!("{n_added} {texts} placed by their neighbours since");
    match picture.neighbours.state {
        NeighbourState::Stored if n_added > 0 => lines.push(added),
        NeighbourState::Stored => {}
        NeighbourState::Old => {
            lines.push(format!("{added}; `memlens map --layout` computes it again"))
        }
        NeighbourState::Missing => {
            lines.push("`memlens map --layout` computes the layout by neighbours".to_owned());
        }
        NeighbourState::TooFew => {
            lines.push("too few chunks of different texts for a layout by neighbours".to_owned());
        }
    }
    lines
}
