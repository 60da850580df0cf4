//! `memlens note`.

use std::path::PathBuf;

use memlens_document::{Document, Text, dim, note, strong};
use memlens_engine::beside_note;
use memlens_engine::view::{
    AlikeNotes, BesideNote, ChunkLines, DriftSide, Drifted, LinkRow, LinksOfNote, NoteQuestion,
    NoteQuestions, SaidElsewhere,
};
use memlens_params::Params;

use crate::arguments::NoteArgs;
use crate::error::CliError;
use crate::output::{plural, print, print_json};
use crate::settings::open;

/// Prints what is known beside a note.
pub fn run(library: Option<PathBuf>, arguments: &NoteArgs) -> Result<(), CliError> {
    let library = open(library)?;
    let here = std::env::current_dir().ok();
    let beside = beside_note(
        &library,
        &arguments.place,
        here.as_deref(),
        &Params::default(),
    )?;
    match arguments.json {
        true => print_json(&beside),
        false => print(&page(&beside)),
    }
}

fn page(beside: &BesideNote) -> Document {
    let mut page = Document::new();
    page.line(strong(&beside.name));
    add_links(&mut page, &beside.links);
    add_alike(&mut page, &beside.alike);
    add_said(&mut page, beside.said.as_ref());
    add_drifted(&mut page, "Contradictions", &beside.contradictions);
    add_drifted(&mut page, "Changed", &beside.changed);
    add_questions(&mut page, &beside.questions);
    page
}

fn add_alike(page: &mut Document, alike: &AlikeNotes) {
    let notes = counted(alike.notes.len() as u32, "note", "notes");
    page.line(
        strong("Most like it") + format!(": {notes}, by the cosine of the two chunks most alike"),
    );
    for note in &alike.notes {
        let lines = format!("  {}, like {} of it", lines(&note.other), lines(&note.own));
        page.item(
            2,
            Text::from(format!("{:.3}  {}", note.cosine, note.name)) + dim(lines),
        );
    }
    if alike.n_compared < alike.n_chunks {
        let (n, all) = (alike.n_compared, alike.n_chunks);
        page.item(2, dim(format!("{n} of its {all} chunks were compared")));
    }
}

fn lines(chunk: &ChunkLines) -> String {
    match (chunk.start_line, chunk.end_line) {
        (start, end) if start == end => format!("line {start}"),
        (start, end) => format!("lines {start}–{end}"),
    }
}

fn add_said(page: &mut Document, said: Option<&SaidElsewhere>) {
    let Some(said) = said else { return };
    let statements = counted(said.n, "statement", "statements");
    page.line(strong("Said more than once") + format!(": {statements}"));
    for statement in &said.statements {
        let at = format!("line {}  ", statement.own.line);
        let also = match &statement.other {
            Some(other) => format!("  also {}:{}", other.path, other.line),
            None => "  also in the note itself".to_owned(),
        };
        let n = format!(" (×{})", statement.n_others + 1);
        page.item(
            2,
            Text::from(at) + note(&statement.own.text) + also + dim(n),
        );
    }
}

fn add_drifted(page: &mut Document, title: &str, all: &[Drifted]) {
    page.line(strong(title) + format!(": {}", all.len()));
    for drifted in all {
        let side = |side: &DriftSide| {
            Text::from(format!("{}:{}  ", side.path, side.line)) + note(&side.text)
        };
        page.item(2, side(&drifted.a));
        page.item(4, side(&drifted.b));
    }
}

fn add_questions(page: &mut Document, questions: &NoteQuestions) {
    page.line(strong("Past questions") + format!(": {}", questions.n));
    for asked in &questions.questions {
        let words = match asked.is_opening {
            true => Text::from("(opened without a question)"),
            false => Text::from(&asked.question),
        };
        page.item(
            2,
            words + dim(format!("  {}, {}", asked.agent_name, fate(asked))),
        );
    }
    if questions.n_unclear > 0 {
        let entries = counted(
            questions.n_unclear,
            "other entry names",
            "other entries name",
        );
        page.item(2, dim(format!("{entries} a note that may be this one")));
    }
    if questions.n_past == 0 {
        page.item(
            2,
            dim("no past question was imported; see `memlens recall import`"),
        );
    }
}

/// What became of the note in a past question.
fn fate(asked: &NoteQuestion) -> String {
    let rank = asked.rank.map(|rank| format!("found at rank {rank}"));
    let parts = [
        rank,
        asked.is_missed.then(|| "not in the results".to_owned()),
        asked.is_opened.then(|| "opened".to_owned()),
        asked.is_cited.then(|| "cited".to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
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
    page.line(strong("Links from it") + format!(": {from}{broken}"));
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
