use std::path::PathBuf;

use memlens_document::{Document, Text, dim, strong};
use memlens_engine::{ChunkWhy, Fix, Home, OnDisk, WhyAnswer, WhyNot, why_typed};
use memlens_rank::Status;

use crate::arguments::WhyArgs;
use crate::error::CliError;
use crate::output::{notify, print, print_json};
use crate::settings::ask;

/// Prints why a note is not among the results of a search.
pub fn run(library: Option<PathBuf>, arguments: &WhyArgs) -> Result<(), CliError> {
    let (library, ranking, search) = ask(
        library,
        &arguments.ranking,
        &arguments.query,
        arguments.scope.as_deref(),
        arguments.agent.as_deref(),
    )?;
    let here = std::env::current_dir().ok();
    let answer = why_typed(
        library,
        &search,
        &ranking.values,
        &arguments.place,
        here.as_deref(),
    )?;
    let answer = match Home::of_process() {
        Some(home) => memlens_engine::with_load_cap(library, answer, &home),
        None => answer,
    };
    if answer.why == WhyNot::Gone {
        return Err(CliError::NoNote {
            typed: arguments.place.clone(),
        });
    }
    if arguments.json {
        return print_json(&answer);
    }
    for notice in &search.notices {
        notify(notice);
    }
    for fallback in search.columns(&ranking.values).fallbacks() {
        notify(fallback);
    }
    print(&page(&answer))
}

fn page(answer: &WhyAnswer) -> Document {
    let mut page = Document::new();
    let line = answer.line.map_or(String::new(), |line| format!(":{line}"));
    page.line(strong(format!("{}{line}", answer.path)) + "  " + &answer.sentence);
    if let Some(stale) = answer.on_disk.and_then(OnDisk::sentence) {
        page.line(format!(
            "The index may hold another text than the note: {stale}; `memlens index` reads it again"
        ));
    }
    for remark in [&answer.load_cap, &answer.advice].into_iter().flatten() {
        page.line(remark);
    }
    let WhyNot::Searched { chunks, n_chunks } = &answer.why else {
        return page;
    };
    if let Some(best) = chunks.first() {
        add_best(&mut page, best);
    }
    for chunk in chunks.iter().skip(1) {
        let row = &chunk.journey.row;
        let place = format!("{}–{}", row.start_line, row.end_line);
        page.line(dim(format!("{place:>12}  {}", chunk.sentence)));
    }
    let n_more = *n_chunks as usize - chunks.len();
    if n_more > 0 {
        page.item(14, dim(format!("and {n_more} more chunks")));
    }
    page
}

fn add_best(page: &mut Document, chunk: &ChunkWhy) {
    let steps = chunk.journey.steps.iter();
    for step in steps.filter(|step| step.status == Status::Applied) {
        page.item(5, dim(format!("{:<14}", step.label)) + &step.sentence);
    }
    let Some(fixes) = chunk.fixes.as_ref().filter(|_| !chunk.kept) else {
        return;
    };
    match (fixes.as_slice(), &chunk.pair) {
        ([], Some((first, second))) => {
            page.line("No single change brings it back; these two together do:");
            page.item(5, setting(first));
            page.item(5, setting(second));
        }
        ([], None) => match &chunk.advice {
            Some(advice) => page.line(advice),
            None => page.line("No change to one or two settings would bring it back."),
        },
        (fixes, _) => {
            page.line("Any one of these brings it back:");
            fixes.iter().for_each(|fix| page.item(5, setting(fix)));
        }
    }
}

fn setting(fix: &Fix) -> Text {
    let price = fix.price.as_ref();
    let price = price.map_or_else(String::new, |price| format!("; {}", price.sentence));
    let set = Text::from(format!("--set {}={}  ", fix.parameter, fix.to));
    set + dim(format!("now {}{price}", fix.from))
}
