//! A past question as Markdown, to paste into a report.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::markdown::{code, fenced, place, plain, texts};
use crate::past;
use crate::view::{Fate, NowResult, ThenNow, ThenResult};
use crate::{EngineError, Library, Ranking};

/// A past question then and now; with the texts of the results then and now, or without any text of a note.
///
/// # Errors
/// As [`crate::past::then_now`].
pub fn markdown(
    library: &Library,
    id: &str,
    by: Option<&Ranking>,
    with_text: bool,
) -> Result<String, EngineError> {
    let answer = past::then_now(library, id, by)?;
    let mut out = String::new();
    // Writing to a text cannot fail.
    let _ = write(&mut out, &answer);
    if with_text {
        out.push_str(&texts_of_then(&answer.then));
        out.push_str("\n## Texts now\n");
        let search = library.kept(answer.search)?;
        let trace = search.rank(&Ranking::given(&answer.ranking)?.values);
        out.push_str(&texts(&search, trace.kept())?);
    }
    Ok(out)
}

fn write(out: &mut String, answer: &ThenNow) -> std::fmt::Result {
    let row = &answer.row;
    writeln!(out, "# {}\n", plain(&row.question))?;
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
    writeln!(
        out,
        "Asked by {}, session {}, {at}. Now ranked by {}.\n",
        plain(&row.agent_name),
        code(&row.session),
        plain(&answer.label)
    )?;
    for (name, value) in &answer.settings {
        writeln!(out, "- {}: {}", code(name), code(value))?;
    }
    if !answer.settings.is_empty() {
        out.push('\n');
    }
    for notice in &answer.notices {
        writeln!(out, "> {}\n", plain(notice))?;
    }
    if let Some(why) = &answer.not_compared {
        writeln!(out, "> These answers {}.\n", plain(why))?;
    }
    writeln!(out, "## Then\n")?;
    if row.n_returned.is_none() {
        writeln!(out, "No answer was logged.")?;
    } else if answer.then.is_empty() {
        writeln!(out, "It found nothing.")?;
    } else {
        writeln!(
            out,
            "| rank | note | score | used | now |\n|--:|---|--:|---|---|"
        )?;
        answer.then.iter().try_for_each(|it| write_then(out, it))?;
    }
    writeln!(out, "\n## Now\n")?;
    if answer.now.is_empty() {
        writeln!(out, "It finds nothing.")?;
    } else {
        writeln!(
            out,
            "| rank | note | score | change | why |\n|--:|---|--:|---|---|"
        )?;
        answer.now.iter().try_for_each(|it| write_now(out, it))?;
    }
    if let Some(observed) = &answer.observed {
        writeln!(out, "\n{}", plain(observed))?;
    }
    Ok(())
}

fn write_then(out: &mut String, it: &ThenResult) -> std::fmt::Result {
    writeln!(
        out,
        "| {} | {} | {} | {} | {} |",
        it.rank,
        place(&it.path, it.start_line, it.end_line),
        score(it.score),
        it.used,
        word(it.fate)
    )
}

fn write_now(out: &mut String, it: &NowResult) -> std::fmt::Result {
    writeln!(
        out,
        "| {} | {} | {} | {} | {} |",
        it.rank
            .map_or_else(|| "–".to_owned(), |rank| rank.to_string()),
        place(&it.name, it.start_line, it.end_line),
        score(it.score),
        word(it.fate),
        plain(&it.why)
    )
}

/// Texts of the results of then, each below its rank and place.
fn texts_of_then(then: &[ThenResult]) -> String {
    let mut out = "\n## Texts then\n".to_owned();
    let with_text = || then.iter().filter_map(|it| Some((it, it.text.as_deref()?)));
    if with_text().next().is_none() {
        out.push_str("\nThe log holds none, or was read before texts were kept.\n");
    }
    for (it, text) in with_text() {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "\n{}. {}:\n\n{}\n",
            it.rank,
            place(&it.path, it.start_line, it.end_line),
            fenced(text)
        );
    }
    out
}

fn word(fate: Option<Fate>) -> &'static str {
    match fate {
        None => "",
        Some(Fate::Kept) => "kept",
        Some(Fate::Rose) => "rose",
        Some(Fate::Fell) => "fell",
        Some(Fate::Gone) => "gone",
        Some(Fate::New) => "new",
    }
}

fn score(score: Option<f64>) -> String {
    score.map_or_else(String::new, |score| format!("{score:.3}"))
}
