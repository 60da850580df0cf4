//! `memlens overview`.

use std::path::PathBuf;

use memlens_document::{Document, Text, dim, strong};
use memlens_engine::view::{CardId, CardItem, NoteQuery, NoteRow, Overview, OverviewCard};
use memlens_engine::{NoteList, note_list, whole_overview};
use memlens_params::Params;
use serde::Serialize;

use crate::arguments::{ListedCard, OverviewArgs};
use crate::error::CliError;
use crate::output::{plural, print, print_json};
use crate::settings::open;

/// What `--list --json` prints.
#[derive(Serialize)]
struct Listed<'a> {
    notes: &'a [NoteRow],
    n_all: u32,
}

/// Prints the figures of the whole memory, or the notes behind one of them.
pub fn run(library: Option<PathBuf>, arguments: &OverviewArgs) -> Result<(), CliError> {
    let library = open(library)?;
    library.aggregate()?;
    let overview = whole_overview(&library, &Params::default())?;
    let Some(listed) = arguments.list else {
        return match arguments.json {
            true => print_json(&overview),
            false => print(&page(&overview)),
        };
    };
    let id = card_of(listed);
    let card = overview.cards.iter().find(|card| card.id == id);
    let list = match card.is_some_and(|card| card.n.is_some()) {
        true => Some(note_list(
            &library,
            &NoteQuery {
                card: Some(id),
                ..NoteQuery::default()
            },
        )?),
        false => None,
    };
    match arguments.json {
        // A list that is not known has no notes and is no empty list.
        true => print_json(&list.as_ref().map(|list| Listed {
            notes: &list.rows,
            n_all: list.n_all,
        })),
        false => print(&list_page(card, list.as_ref())),
    }
}

fn card_of(listed: ListedCard) -> CardId {
    match listed {
        ListedCard::New => CardId::New,
        ListedCard::NotLoaded => CardId::NotLoaded,
        ListedCard::NotSearched => CardId::NotSearched,
        ListedCard::NeverFound => CardId::NeverFound,
        ListedCard::Largest => CardId::Largest,
        ListedCard::Oldest => CardId::Oldest,
        ListedCard::Problems => CardId::Problems,
    }
}

fn page(overview: &Overview) -> Document {
    let mut page = Document::new();
    let n = overview.n_notes;
    page.line(format!("{n} {}", plural(n, "note", "notes")));
    for card in &overview.cards {
        page.line(head(card));
        page.item(2, dim(&card.basis));
        for item in &card.first {
            page.item(2, line(item));
        }
    }
    page
}

fn head(card: &OverviewCard) -> Text {
    let figure = match card.n {
        Some(n) => format!("{n} {}", card.unit),
        None => "not known".to_owned(),
    };
    strong(&card.title) + format!(": {figure}")
}

fn line(item: &CardItem) -> Text {
    let place = match item.line {
        Some(line) => format!("  {}:{line}", item.path),
        // A language is in no file.
        None if item.path.is_empty() => String::new(),
        None => format!("  {}", item.path),
    };
    Text::from(&item.title) + place + dim(format!("  {}", item.detail))
}

fn list_page(card: Option<&OverviewCard>, list: Option<&NoteList>) -> Document {
    let mut page = Document::new();
    for row in list.iter().flat_map(|list| &list.rows) {
        let date = row.date.as_deref().unwrap_or("no date");
        page.line(Text::from(format!("{}/{}  ", row.folder_name, row.path)) + dim(date));
    }
    if let Some(card) = card {
        page.line(head(card));
        page.line(dim(&card.basis));
    }
    page
}
