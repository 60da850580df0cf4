//! `memlens overview`.

use std::path::PathBuf;

use memlens_document::{Document, Text, dim, strong};
use memlens_engine::view::{
    CardId, CardItem, HiddenNotes, NoteQuery, NoteRow, Overview, OverviewCard,
};
use memlens_engine::{NoteList, hidden_notes, note_list, whole_overview};
use memlens_params::Params;
use serde::Serialize;

use crate::arguments::{ListedCard, OverviewArgs};
use crate::error::CliError;
use crate::note_filter::{NoteFilter, language_of};
use crate::output::{plural, print, print_json};
use crate::settings::open;

/// What `--list --json` prints.
#[derive(Serialize)]
struct Listed<'a> {
    notes: &'a [NoteRow],
    n_all: u32,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    overview: &'a Overview,
    hidden: &'a HiddenNotes,
}

/// Prints the figures of the whole memory, or the notes behind one of them.
pub fn run(library: Option<PathBuf>, arguments: &OverviewArgs) -> Result<(), CliError> {
    let library = open(library)?;
    let Some(listed) = arguments.list else {
        library.aggregate()?;
        let overview = whole_overview(&library, &Params::default())?;
        let hidden = hidden_notes(&library);
        return match arguments.json {
            true => print_json(&Printed {
                overview: &overview,
                hidden: &hidden,
            }),
            false => print(&page(&overview, &hidden)),
        };
    };
    let filter = NoteFilter {
        agent: arguments.agent.as_deref(),
        folder: arguments.folder.as_deref(),
        tag: arguments.tag.as_deref(),
        since: arguments.since.as_deref(),
        until: arguments.until.as_deref(),
        has_problem: arguments.problem,
        text: arguments.text.as_deref(),
    };
    let mut query = filter.query(&library, listed.map(card_of))?;
    // Reads the text of every note, for tags and languages.
    let overview = whole_overview(&library, &Params::default())?;
    if let Some(typed) = &arguments.language {
        query.language = Some(language_of(&overview, typed)?);
    }
    let card = overview
        .cards
        .iter()
        .find(|card| Some(card.id) == query.card);
    let list = match card.is_some_and(|card| card.n.is_none()) {
        true => None,
        false => Some(note_list(&library, &query)?),
    };
    match arguments.json {
        // A list that is not known has no notes and is no empty list.
        true => print_json(&list.as_ref().map(|list| Listed {
            notes: &list.rows,
            n_all: list.n_all,
        })),
        false => print(&list_page(card, &query, list.as_ref())),
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

fn page(overview: &Overview, hidden: &HiddenNotes) -> Document {
    let mut page = Document::new();
    let n = overview.n_notes;
    let n_not_read = overview.n_not_read;
    let not_read = match n_not_read {
        0 => String::new(),
        n => format!(", {n} {} not read", plural(n, "file", "files")),
    };
    page.line(format!("{n} {}{not_read}", plural(n, "note", "notes")));
    for card in &overview.cards {
        page.line(head(card));
        page.item(2, dim(&card.basis));
        for item in &card.first {
            page.item(2, line(item));
        }
    }
    if !hidden.entries.is_empty() {
        page.line(&hidden.sentence);
    }
    for entry in &hidden.entries {
        let place = format!("{}/{}  ", entry.folder_name, entry.path);
        page.item(2, Text::from(place) + dim(&entry.reason));
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

fn list_page(card: Option<&OverviewCard>, query: &NoteQuery, list: Option<&NoteList>) -> Document {
    let mut page = Document::new();
    let lists_problems = query.has_problem || query.card == Some(CardId::Problems);
    for row in list.iter().flat_map(|list| &list.rows) {
        let date = row.date.as_deref().unwrap_or("no date");
        page.line(Text::from(format!("{}/{}  ", row.folder_name, row.path)) + dim(date));
        if let Some(problem) = row.problem.as_ref().filter(|_| lists_problems) {
            page.item(2, problem);
        }
    }
    let unfiltered = NoteQuery {
        card: query.card,
        ..NoteQuery::default()
    };
    match (card, list) {
        (Some(card), None) => page.line(head(card)),
        (Some(card), Some(_)) if *query == unfiltered => page.line(head(card)),
        (card, Some(list)) => {
            let title = card.map_or("All notes", |card| card.title.as_str());
            let n_all = card.and_then(|card| card.n).unwrap_or(list.n_all);
            let n = list.rows.len() as u32;
            let of_all = match *query == unfiltered {
                true => String::new(),
                false => format!(" of {n_all}, with these filters"),
            };
            page.line(strong(title) + format!(": {n} {}{of_all}", plural(n, "note", "notes")));
        }
        (None, None) => {}
    }
    if let Some(card) = card {
        page.line(dim(&card.basis));
    }
    page
}
