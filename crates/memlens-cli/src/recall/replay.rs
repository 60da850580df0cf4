//! Past questions asked again: one, or all.

use std::io::{self, Write};
use std::sync::Arc;

use memlens_engine::past;
use memlens_engine::view::{Fate, JobKind, NowResult, ReplaySummary, ThenNow, ThenResult};
use memlens_engine::{Library, PastFilter, PastKind, Ranking, pipeline};
use memlens_rank::number;

use crate::arguments::{RecallReplayArgs, RecallShowArgs, ReplayedBy};
use crate::compare::ranking;
use crate::error::CliError;
use crate::output::{BOLD, DIM, Lines, plural, print_json, print_text, shown, tell};
use crate::settings::{of_program, on_stop, while_replaying};

/// Characters of a text that are printed.
const TEXT_CHARS: usize = 160;
/// The number of notes found by no question that are named.
const NEVER_FOUND_NAMED: usize = 20;

/// Returns the ranking to replay with; `None` if each agent's own is used.
fn by(library: &Library, typed: &ReplayedBy) -> Result<Option<Ranking>, CliError> {
    match (&typed.preset, &typed.agent) {
        (Some(preset), _) => ranking(library, preset).map(Some),
        (None, Some(agent)) if typed.defaults => Ok(Some(Ranking::of(pipeline(agent)?))),
        (None, Some(agent)) => of_program(agent).map(Some),
        (None, None) => Ok(None),
    }
}

/// Asks all past questions again and prints the outcome.
pub fn run(library: Library, arguments: &RecallReplayArgs) -> Result<(), CliError> {
    let by = by(&library, &arguments.by)?;
    let library = Arc::new(library);
    let stopping = library.clone();
    on_stop(move || stopping.stop(JobKind::Replay))?;
    let done = while_replaying(&library, || {
        past::replay(&library, &PastFilter::default(), by.as_ref())
    })?;
    let Some(summary) = done else {
        return Err(CliError::Stopped);
    };
    if arguments.json {
        return print_json(&summary);
    }
    for notice in &summary.notices {
        tell(notice);
    }
    print_text(|out| write_summary(out, &summary))
}

fn write_summary(out: &mut dyn Write, summary: &ReplaySummary) -> io::Result<()> {
    let ReplaySummary {
        n_questions,
        n_compared,
        n_changed,
        n_found_nothing,
        n_notes,
        n_never_found,
        ..
    } = summary;
    writeln!(
        out,
        "{BOLD}{n_questions}{BOLD:#} {} in {:.1} s, by {}",
        plural(*n_questions, "question", "questions"),
        summary.took_ms / 1000.0,
        summary.by.as_deref().unwrap_or("each agent's own ranking")
    )?;
    match n_compared {
        0 => writeln!(out, "no answer can be compared with the one of then")?,
        _ => writeln!(
            out,
            "{n_changed} of {n_compared} answers that can be compared changed"
        )?,
    }
    let find = plural(*n_found_nothing, "question finds", "questions find");
    writeln!(out, "{n_found_nothing} {find} nothing")?;
    let are = plural(*n_never_found, "is", "are");
    writeln!(
        out,
        "{n_never_found} of {n_notes} notes {are} found by none of them"
    )?;
    if !summary.answers_most.is_empty() {
        writeln!(out, "\nAnswer most:")?;
    }
    for note in &summary.answers_most {
        writeln!(out, "{:>6}  {}", note.n_questions, shown(&note.name))?;
    }
    if !summary.never_found.is_empty() {
        writeln!(out, "\nFound by none:")?;
    }
    for path in summary.never_found.iter().take(NEVER_FOUND_NAMED) {
        writeln!(out, "        {}", shown(path))?;
    }
    Ok(())
}

/// Asks one past question again and prints then and now.
pub fn show(library: &Library, arguments: &RecallShowArgs) -> Result<(), CliError> {
    let past = past::find(library, &arguments.id)?;
    if past.asked.kind == PastKind::Opening {
        return super::show_opening(&past, arguments.json);
    }
    let by = by(library, &arguments.by)?;
    if arguments.markdown {
        let text = past::markdown(library, &arguments.id, by.as_ref(), !arguments.no_text)?;
        return print_text(|out| write!(out, "{}", Lines(&text)));
    }
    let mut answer = past::then_now(library, &arguments.id, by.as_ref())?;
    if arguments.no_text {
        answer.then.iter_mut().for_each(|it| it.text = None);
        answer.now.iter_mut().for_each(|it| it.text = None);
    }
    if arguments.json {
        return print_json(&answer);
    }
    for notice in &answer.notices {
        tell(notice);
    }
    print_text(|out| write_then_now(out, &answer, !arguments.no_text))
}

fn write_then_now(out: &mut dyn Write, answer: &ThenNow, with_text: bool) -> io::Result<()> {
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}\n{DIM}{}, session {}; now ranked by {}{DIM:#}\n",
        shown(&answer.row.question),
        shown(&answer.row.agent_name),
        shown(&answer.row.session),
        answer.label
    )?;
    if let Some(why) = &answer.not_compared {
        writeln!(out, "These answers {}.\n", shown(why))?;
    }
    writeln!(out, "Then")?;
    if answer.row.has_failed {
        writeln!(out, "  the search failed")?;
    } else if answer.row.n_returned.is_none() {
        writeln!(out, "  no answer was logged")?;
    } else if answer.then.is_empty() {
        writeln!(out, "  found nothing")?;
    }
    for it in &answer.then {
        let ThenResult {
            rank, path, used, ..
        } = it;
        writeln!(
            out,
            "{rank:>4} {:>7}  {BOLD}{}{BOLD:#}{}  {} {DIM}{used}{DIM:#}",
            score(it.score),
            shown(path),
            lines(it.start_line, it.end_line),
            word(it.fate)
        )?;
        if with_text {
            write_text(out, it.text.as_deref())?;
        }
    }
    writeln!(out, "\nNow")?;
    if answer.now.is_empty() {
        writeln!(out, "  finds nothing")?;
    }
    for it in &answer.now {
        let NowResult { name, why, .. } = it;
        writeln!(
            out,
            "{:>4} {:>7}  {BOLD}{}{BOLD:#}{}  {} {DIM}{}{DIM:#}",
            it.rank
                .map_or_else(|| "–".to_owned(), |rank| rank.to_string()),
            score(it.score),
            shown(name),
            lines(it.start_line, it.end_line),
            word(it.fate),
            shown(why)
        )?;
        if with_text {
            write_text(out, it.text.as_deref())?;
        }
    }
    if let Some(observed) = &answer.observed {
        writeln!(out, "\n{}", shown(observed))?;
    }
    Ok(())
}

fn score(score: Option<f64>) -> String {
    score.map_or_else(String::new, |score| number(score, 3))
}

fn lines(start: Option<u32>, end: Option<u32>) -> String {
    start
        .zip(end)
        .map_or_else(String::new, |(start, end)| format!(":{start}–{end}"))
}

/// The beginning of a result's text, below its place.
fn write_text(out: &mut dyn Write, text: Option<&str>) -> io::Result<()> {
    let Some(text) = text else {
        return Ok(());
    };
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(TEXT_CHARS) {
        Some((end, _)) => writeln!(out, "               {DIM}{}…{DIM:#}", shown(&words[..end])),
        None => writeln!(out, "               {DIM}{}{DIM:#}", shown(&words)),
    }
}

fn word(fate: Option<Fate>) -> &'static str {
    fate.map_or("", Fate::word)
}
