//! Past questions asked again: one, or all.

use std::sync::Arc;

use memlens_document::{Document, Text, dim, note, strong};
use memlens_engine::past;
use memlens_engine::view::{Fate, JobKind, ReplaySummary, ThenNow};
use memlens_engine::{Library, PastFilter, PastKind, Ranking, pipeline};
use memlens_rank::number;

use crate::arguments::{RecallReplayArgs, RecallShowArgs, ReplayedBy};
use crate::compare::ranking;
use crate::error::CliError;
use crate::output::{notify, plural, print, print_json, print_verbatim};
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
        notify(notice);
    }
    print(&summarised(&summary))
}

fn summarised(summary: &ReplaySummary) -> Document {
    let ReplaySummary {
        n_questions,
        n_compared,
        n_changed,
        n_found_nothing,
        n_notes,
        n_never_found,
        ..
    } = summary;
    let mut page = Document::new();
    page.line(
        strong(n_questions.to_string())
            + format!(
                " {} in {:.1} s, by {}",
                plural(*n_questions, "question", "questions"),
                summary.took_ms / 1000.0,
                summary.by.as_deref().unwrap_or("each agent's own ranking")
            ),
    );
    page.line(match n_compared {
        0 => "no answer can be compared with the one of then".to_owned(),
        _ => format!("{n_changed} of {n_compared} answers that can be compared changed"),
    });
    let find = plural(*n_found_nothing, "question finds", "questions find");
    page.line(format!("{n_found_nothing} {find} nothing"));
    let are = plural(*n_never_found, "is", "are");
    page.line(format!(
        "{n_never_found} of {n_notes} notes {are} found by none of them"
    ));
    if !summary.answers_most.is_empty() {
        page.gap();
        page.heading(2, "Answer most:");
    }
    for note in &summary.answers_most {
        page.line(format!("{:>6}  {}", note.n_questions, note.name));
    }
    if !summary.never_found.is_empty() {
        page.gap();
        page.heading(2, "Found by none:");
    }
    for path in summary.never_found.iter().take(NEVER_FOUND_NAMED) {
        page.item(8, path);
    }
    page
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
        return print_verbatim(text);
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
        notify(notice);
    }
    print(&then_now(&answer))
}

fn then_now(answer: &ThenNow) -> Document {
    let mut page = Document::new();
    let row = &answer.row;
    page.heading(1, &row.question);
    page.line(dim(format!(
        "{}; now ranked by {}",
        row.asker(),
        answer.label
    )));
    for (name, value) in &answer.settings {
        page.line(dim(format!("{name}: {value}")));
    }
    if let Some(again) = &answer.asked_again {
        page.line(format!("{}.", again.sentence));
    }
    page.gap();
    if let Some(why) = &answer.not_compared {
        page.line(format!("These answers {why}."));
        page.gap();
    }
    page.heading(2, "Then");
    if row.has_failed {
        page.item(2, "the search failed");
    } else if row.n_returned.is_none() {
        page.item(2, "no answer was logged");
    } else if answer.then.is_empty() {
        page.item(2, "found nothing");
    }
    for it in &answer.then {
        page.line(
            Text::from(format!("{:>4} {:>7}  ", it.rank, score(it.score)))
                + strong(&it.path)
                + lines(it.start_line, it.end_line)
                + format!("  {} ", word(it.fate))
                + dim(&it.used),
        );
        add_text(&mut page, it.text.as_deref());
    }
    page.gap();
    page.heading(2, "Now");
    if answer.now.is_empty() {
        page.item(2, "finds nothing");
    }
    for it in &answer.now {
        let rank = it
            .rank
            .map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        page.line(
            Text::from(format!("{rank:>4} {:>7}  ", score(it.score)))
                + strong(&it.name)
                + lines(it.start_line, it.end_line)
                + format!("  {} ", word(it.fate))
                + dim(&it.why),
        );
        add_text(&mut page, it.text.as_deref());
    }
    if let Some(observed) = &answer.observed {
        page.gap();
        page.line(observed);
    }
    page
}

fn score(score: Option<f64>) -> String {
    score.map_or_else(String::new, |score| number(score, 3))
}

fn lines(start: Option<u32>, end: Option<u32>) -> String {
    start
        .zip(end)
        .map_or_else(String::new, |(start, end)| format!(":{start}–{end}"))
}

/// Adds the beginning of a result's text, below its place.
fn add_text(page: &mut Document, text: Option<&str>) {
    let Some(text) = text else {
        return;
    };
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    page.item(
        15,
        dim(note(match words.char_indices().nth(TEXT_CHARS) {
            Some((end, _)) => format!("{}…", &words[..end]),
            None => words,
        })),
    );
}

fn word(fate: Option<Fate>) -> &'static str {
    fate.map_or("", Fate::word)
}
