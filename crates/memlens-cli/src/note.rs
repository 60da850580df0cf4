//! `memlens note`.

use std::path::PathBuf;

use memlens_document::{Document, Text, dim, note, strong};
use memlens_engine::beside_note;
use memlens_engine::view::{BesideNote, LinkRow, LinksOfNote};

use crate::arguments::NoteArgs;
use crate::error::CliError;
use crate::output::{plural, print, print_json};
use crate::settings::open;

/// Prints what is known beside a note.
pub fn run(library: Option<PathBuf>, arguments: &NoteArgs) -> Result<(), CliError> {
    let library = open(library)?;
    let here = std::env::current_dir().ok();
    let beside = beside_note(&library, &arguments.place, here.as_deref())?;
    match arguments.json {
        true => print_json(&beside),
        false => print(&page(&beside)),
    }
}

fn page(beside: &BesideNote) -> Document {
    let mut page = Document::new();
    page.line(strong(&beside.name));
    add_links(&mut page, &beside.links);
    page
}

fn counted(n: u32, one: &str, many: &str) -> String {
    format!("{n} {}", plural(n, one, many))
}

fn add_links(page: &mut Document, links: &LinksOfNote) {
    let broken = match links.n_broken {
        0 => String::new(),
        n => format!(", {n} of them to no note"),
    };
    let from = counted(links.n_from, "link", "links");
    page.line(strong("Links from it") + format!(": {from} to other notes{broken}"));
    for link in &links.from {
        page.item(2, link_from(link));
    }
    if links.n_within > 0 {
        page.item(
            2,
            dim(counted(
                links.n_within,
                "link within the note",
                "links within the note",
            )),
        );
    }
    if links.n_outside > 0 {
        let outside = counted(links.n_outside, "link", "links");
        page.item(2, dim(format!("{outside} to web pages and mail addresses")));
    }
    let to = counted(links.n_to, "link", "links");
    let notes = counted(links.n_notes_to, "note", "notes");
    page.line(strong("Links to it") + format!(": {to} in {notes}"));
    for link in &links.to {
        let place = link.place.as_ref();
        let at = place.map_or(String::new(), |place| {
            format!("{}:{}", place.name, link.line)
        });
        page.item(
            2,
            Text::from(at) + "  " + note(&link.words) + dim(alike(link)),
        );
    }
    if links.n_failed > 0 {
        let notes = counted(links.n_failed, "note", "notes");
        page.item(
            2,
            format!("{notes} cannot be read now, so links in them are missing here"),
        );
    }
}

fn link_from(link: &LinkRow) -> Text {
    let start = Text::from(format!("line {}  ", link.line)) + note(&link.words);
    let place = link.place.as_ref().map(|place| match place.line {
        Some(line) => format!("  {}:{line}", place.name),
        None => format!("  {}", place.name),
    });
    let problem = link.problem.as_ref().map(|problem| match place {
        Some(_) => format!(" ({problem})"),
        None => format!("  {}: {problem}", link.address),
    });
    start + place.unwrap_or_default() + dim(problem.unwrap_or_default()) + dim(alike(link))
}

fn alike(link: &LinkRow) -> String {
    match link.n_alike {
        0 => String::new(),
        n => format!(
            " ({})",
            counted(n, "other note has this name", "other notes have this name")
        ),
    }
}
