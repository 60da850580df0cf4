//! `memlens overview`.

use std::path::{Path, PathBuf};

use memlens_document::{Document, Text, dim, strong};
use memlens_engine::view::{CardId, CardItem, NoteQuery, NoteRow, Overview, OverviewCard};
use memlens_engine::{
    Folder, Library, NoteList, WORDS_MAX, different_words, note_list, part_of_agent, whole_overview,
};
use memlens_params::Params;
use serde::Serialize;

use crate::arguments::{ListedCard, OverviewArgs};
use crate::error::CliError;
use crate::output::{plural, print, print_json};
use crate::settings::{day, open};

/// What `--list --json` prints.
#[derive(Serialize)]
struct Listed<'a> {
    notes: &'a [NoteRow],
    n_all: u32,
}

/// Prints the figures of the whole memory, or the notes behind one of them.
pub fn run(library: Option<PathBuf>, arguments: &OverviewArgs) -> Result<(), CliError> {
    let library = open(library)?;
    let Some(listed) = arguments.list else {
        library.aggregate()?;
        let overview = whole_overview(&library, &Params::default())?;
        return match arguments.json {
            true => print_json(&overview),
            false => print(&page(&overview)),
        };
    };
    let mut query = query(&library, listed.map(card_of), arguments)?;
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

/// Reads the filters.
fn query(
    library: &Library,
    card: Option<CardId>,
    arguments: &OverviewArgs,
) -> Result<NoteQuery, CliError> {
    let typed_day = |typed: &Option<String>| typed.as_deref().map(day).transpose();
    let (from, to) = (typed_day(&arguments.since)?, typed_day(&arguments.until)?);
    if let (Some(since), Some(until)) = (from, to)
        && since > until
    {
        return Err(CliError::NoSpan {
            since: since.to_string(),
            until: until.to_string(),
        });
    }
    if let Some(agent) = &arguments.agent {
        part_of_agent(library, agent)?;
    }
    let is_empty = |tag: &String| tag.trim().trim_start_matches('#').is_empty();
    if arguments.tag.as_ref().is_some_and(is_empty) {
        return Err(CliError::NoTag);
    }
    let text = arguments.text.clone().unwrap_or_default();
    let n = different_words(&text).len();
    if n > WORDS_MAX {
        return Err(CliError::TooManyWords { n });
    }
    let folder = arguments.folder.as_deref();
    Ok(NoteQuery {
        card,
        agent: arguments.agent.clone(),
        folder: folder.map(|typed| folder_of(library, typed)).transpose()?,
        tag: arguments.tag.clone(),
        from: from.map(|day| day.to_string()),
        to: to.map(|day| day.to_string()),
        has_problem: arguments.problem,
        text,
        ..NoteQuery::default()
    })
}

/// The name of a language that notes are in.
fn language_of(overview: &Overview, typed: &str) -> Result<String, CliError> {
    let languages = || overview.languages.iter().map(|it| &it.language);
    let is_named = |language: &&String| language.eq_ignore_ascii_case(typed.trim());
    languages().find(is_named).cloned().ok_or_else(|| {
        let known: Vec<&str> = languages().map(String::as_str).collect();
        CliError::NoLanguage {
            given: typed.to_owned(),
            known: match known.is_empty() {
                true => "no note's language is known".to_owned(),
                false => format!("the notes are in {}", known.join(", ")),
            },
        }
    })
}

/// The id of the watched folder with this name or path.
fn folder_of(library: &Library, typed: &str) -> Result<String, CliError> {
    let lists = library.lists();
    let folders = &lists.snapshot.folders;
    let absolute = std::path::absolute(typed).unwrap_or_else(|_| PathBuf::from(typed));
    let is_at = |folder: &&Folder| Path::new(&folder.path) == absolute;
    let is_named = |folder: &&Folder| folder.name == typed;
    let refused = |why: String| CliError::NoFolder {
        given: typed.to_owned(),
        why,
    };
    if let Some(folder) = folders.iter().find(is_at) {
        return Ok(folder.id.0.to_string());
    }
    let named: Vec<&Folder> = folders.iter().filter(is_named).collect();
    match named.as_slice() {
        [folder] => Ok(folder.id.0.to_string()),
        [] => {
            let names: Vec<&str> = folders.iter().map(|folder| folder.name.as_str()).collect();
            Err(refused(match names.is_empty() {
                true => "no folder is watched; add one with `memlens index`".to_owned(),
                false => format!("the watched folders are {}", names.join(", ")),
            }))
        }
        several => {
            let paths: Vec<&str> = several.iter().map(|folder| folder.path.as_str()).collect();
            Err(refused(format!(
                "several have this name; give one of the paths {}",
                paths.join(", ")
            )))
        }
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
    for row in list.iter().flat_map(|list| &list.rows) {
        let date = row.date.as_deref().unwrap_or("no date");
        page.line(Text::from(format!("{}/{}  ", row.folder_name, row.path)) + dim(date));
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
