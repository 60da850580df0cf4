//! A past question as a document, to paste into a report.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use memlens_document::{Document, Table, Text, code, left, place, right};
use memlens_library::markdown::add_texts;
use memlens_library::{EngineError, Library, Ranking};
use memlens_wire::{Fate, ThenNow, ThenResult};

/// A past question then and now; with the texts of the results then and now, or without any text of a note.
///
/// # Errors
/// As [`crate::then_now`].
pub fn markdown(
    library: &Library,
    id: &str,
    by: Option<&Ranking>,
    with_text: bool,
) -> Result<String, EngineError> {
    let answer = crate::then_now(library, id, by)?;
    let mut document = document(&answer);
    if with_text {
        add_texts_of_then(&mut document, &answer.then);
        document.heading(2, "Texts now");
        let search = library.kept(answer.search)?;
        let trace = search.rank(&Ranking::given(&answer.ranking)?.values);
        add_texts(&mut document, &search, trace.kept())?;
    }
    Ok(document.markdown(with_text))
}

fn document(answer: &ThenNow) -> Document {
    let mut document = Document::new();
    let row = &answer.row;
    document.heading(1, &row.question);
    let at = row
        .at_ms
        .and_then(|at| Timestamp::from_millisecond(at as i64).ok())
        .map_or_else(
            || "at an unknown time".to_owned(),
            |at| {
                let here = at.to_zoned(TimeZone::system());
                here.strftime("%Y-%m-%d %H:%M %:z").to_string()
            },
        );
    document.line(
        Text::from("Asked by ") + row.asker() + format!(", {at}. Now ranked by {}.", answer.label),
    );
    for (name, value) in &answer.settings {
        document.item(0, code(name) + ": " + code(value));
    }
    if let Some(again) = &answer.asked_again {
        document.line(format!("{}.", again.sentence));
    }
    for notice in &answer.notices {
        document.notice(notice);
    }
    if let Some(why) = &answer.not_compared {
        document.notice(format!("These answers {why}."));
    }
    document.heading(2, "Then");
    if row.n_returned.is_none() {
        document.line("No answer was logged.");
    } else if answer.then.is_empty() {
        document.line("It found nothing.");
    } else {
        document.table(then(answer));
    }
    document.heading(2, "Now");
    if answer.now.is_empty() {
        document.line("It finds nothing.");
    } else {
        document.table(now(answer));
    }
    if let Some(observed) = &answer.observed {
        document.line(observed);
    }
    document
}

fn then(answer: &ThenNow) -> Table {
    let mut table = Table::new([
        right("rank"),
        left("note"),
        right("score"),
        left("used"),
        left("now"),
    ]);
    for it in &answer.then {
        table.row(vec![
            it.rank.to_string().into(),
            place(&it.path, it.start_line.zip(it.end_line)),
            score(it.score).into(),
            (&it.used).into(),
            word(it.fate).into(),
        ]);
    }
    table
}

fn now(answer: &ThenNow) -> Table {
    let mut table = Table::new([
        right("rank"),
        left("note"),
        right("score"),
        left("change"),
        left("why"),
    ]);
    for it in &answer.now {
        let rank = it
            .rank
            .map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        table.row(vec![
            rank.into(),
            place(&it.name, it.start_line.zip(it.end_line)),
            score(it.score).into(),
            word(it.fate).into(),
            (&it.why).into(),
        ]);
    }
    table
}

/// Appends the texts of the results of then, each below its rank and place.
fn add_texts_of_then(document: &mut Document, then: &[ThenResult]) {
    document.heading(2, "Texts then");
    if then.iter().all(|it| it.text.is_none()) {
        document.line("The log holds none, or was read before texts were kept.");
    }
    for it in then {
        if let Some(text) = &it.text {
            let lines = it.start_line.zip(it.end_line);
            document.numbered(it.rank, place(&it.path, lines) + ":");
            document.note_text(text);
        }
    }
}

fn word(fate: Option<Fate>) -> &'static str {
    fate.map_or("", Fate::word)
}

fn score(score: Option<f64>) -> String {
    score.map_or_else(String::new, |score| format!("{score:.3}"))
}
