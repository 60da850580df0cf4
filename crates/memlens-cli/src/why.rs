use std::io::{self, Write};
use std::path::PathBuf;

use memlens_engine::{ChunkWhy, Fix, Home, OnDisk, WhyAnswer, WhyNot, why_typed};
use memlens_rank::Status;

use crate::arguments::WhyArgs;
use crate::error::CliError;
use crate::output::{BOLD, DIM, print_json, print_text, shown, tell};
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
    if arguments.json {
        return print_json(&answer);
    }
    for notice in &search.notices {
        tell(notice);
    }
    for fallback in search.columns(&ranking.values).fallbacks() {
        tell(fallback);
    }
    print_text(|out| print(out, &answer))
}

fn print(out: &mut dyn Write, answer: &WhyAnswer) -> io::Result<()> {
    let line = answer.line.map_or(String::new(), |line| format!(":{line}"));
    writeln!(
        out,
        "{BOLD}{}{line}{BOLD:#}  {}",
        shown(&answer.path),
        shown(&answer.sentence)
    )?;
    if let Some(stale) = answer.on_disk.and_then(OnDisk::sentence) {
        writeln!(
            out,
            "The index may hold another text than the note: {stale}; `memlens index` reads it again"
        )?;
    }
    if let Some(load_cap) = &answer.load_cap {
        writeln!(out, "{}", shown(load_cap))?;
    }
    if let Some(advice) = &answer.advice {
        writeln!(out, "{}", shown(advice))?;
    }
    let WhyNot::Searched { chunks, n_chunks } = &answer.why else {
        return Ok(());
    };
    if let Some(best) = chunks.first() {
        print_best(out, best)?;
    }
    for chunk in chunks.iter().skip(1) {
        let row = &chunk.journey.row;
        let place = format!("{}–{}", row.start_line, row.end_line);
        writeln!(out, "{DIM}{place:>12}  {}{DIM:#}", chunk.sentence)?;
    }
    let n_more = *n_chunks as usize - chunks.len();
    if n_more > 0 {
        writeln!(out, "{DIM}{:>12}  and {n_more} more chunks{DIM:#}", "")?;
    }
    Ok(())
}

fn print_best(out: &mut dyn Write, chunk: &ChunkWhy) -> io::Result<()> {
    let applied = chunk
        .journey
        .steps
        .iter()
        .filter(|step| step.status == Status::Applied);
    for step in applied {
        writeln!(
            out,
            "     {DIM}{:<14}{DIM:#}{}",
            step.label,
            shown(&step.sentence)
        )?;
    }
    let Some(fixes) = chunk.fixes.as_ref().filter(|_| !chunk.kept) else {
        return Ok(());
    };
    match (fixes.as_slice(), &chunk.pair) {
        ([], Some((first, second))) => {
            writeln!(
                out,
                "No single change brings it back; these two together do:"
            )?;
            print_fix(out, first)?;
            print_fix(out, second)
        }
        ([], None) => match &chunk.advice {
            Some(advice) => writeln!(out, "{}", shown(advice)),
            None => writeln!(out, "No change to one or two settings would bring it back."),
        },
        (fixes, _) => {
            writeln!(out, "Any one of these brings it back:")?;
            fixes.iter().try_for_each(|fix| print_fix(out, fix))
        }
    }
}

fn print_fix(out: &mut dyn Write, fix: &Fix) -> io::Result<()> {
    writeln!(
        out,
        "     --set {}={}  {DIM}now {}{}{DIM:#}",
        fix.parameter,
        fix.to,
        fix.from,
        fix.price
            .as_ref()
            .map_or_else(String::new, |price| format!("; {}", price.sentence))
    )
}
