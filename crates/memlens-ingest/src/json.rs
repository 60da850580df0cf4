//! JSON: JSONL with one or more observations per line, and documents of a known form.
//!
//! Properties checked: a line that cannot be read costs only that line and is reported; places refer to the document,
//! with escapes; a long text gives several chunks at distinct places; half of a surrogate pair costs one character;
//! each known form gives its texts and no others.

use std::ops::Range;

use jiff::civil::Date;

use crate::chunks::{Allowance, pack};
use crate::dates::{date_of_number, date_of_unix, date_of_value};
use crate::document::{Chunk, IngestOptions, OVERLAP_GIVEN_UP, Problem, Window};
use crate::error::IngestError;
use crate::front_matter::{DATE_ADVICE, DATE_KEYS, NAME_CHARS_MAX, is_short, is_weight};
use crate::lines::{Lines, lines_from, offset};
use crate::windows;

mod problems;
mod said;
mod shapes;

use problems::Problems;
pub use problems::lines_of_problem;
use said::Said;
use shapes::{Raw, Record, texts_in};

/// Keys that date a text if those of a note do not; a time without a date is no problem there.
const TIME_KEYS: &[&str] = &["timestamp", "create_time"];

/// The chunks and windows of a document.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) windows: Vec<Window>,
    pub(crate) problems: Vec<Problem>,
}

/// The text of one record of the document, with its place and metadata.
#[derive(Debug)]
pub(crate) struct Text {
    said: Said,
    pub(crate) agent: Option<String>,
    pub(crate) date: Option<Date>,
    pub(crate) weight: Option<f64>,
    external_id: Option<String>,
    heading: Option<String>,
}

impl Text {
    /// Returns the text of the record.
    pub(crate) fn text(&self) -> &str {
        &self.said.text
    }

    /// Returns its place in the document, without surrounding blanks. The text is never blank.
    pub(crate) fn place(&self) -> Range<u32> {
        let text = self.text();
        let start = text.len() - text.trim_start().len();
        self.said.place(&(start..text.trim_end().len()))
    }
}

/// Parses the lines of JSONL; blank ones are ignored.
pub(crate) fn observations(text: &str, options: &IngestOptions) -> Observations {
    let mut problems = Problems::default();
    let texts = texts_of_lines(text, &mut problems);
    cut(text, texts, problems, options)
}

/// Parses a JSON document, or JSONL with that extension.
///
/// # Errors
/// [`IngestError::NoTexts`] if it is neither, or of no known form.
pub(crate) fn document(text: &str, options: &IngestOptions) -> Result<Observations, IngestError> {
    let mut problems = Problems::default();
    let texts = texts_of_document(text, &mut problems)?;
    Ok(cut(text, texts, problems, options))
}

/// Returns the texts of JSONL that [`observations`] reads.
pub(crate) fn texts_of_jsonl(text: &str) -> Vec<Text> {
    texts_of_lines(text, &mut Problems::default())
}

/// Returns the texts of a document that [`document`] reads.
pub(crate) fn texts_of_json(text: &str) -> Vec<Text> {
    texts_of_document(text, &mut Problems::default()).unwrap_or_default()
}

fn texts_of_document(text: &str, problems: &mut Problems) -> Result<Vec<Text>, IngestError> {
    let whole = text.trim();
    let no_texts = |why: String| IngestError::NoTexts { why };
    let error = match serde_json::from_str::<&serde_json::value::RawValue>(whole) {
        Ok(whole) => {
            let lines = Lines::of(text);
            let mut texts = Vec::new();
            for record in texts_in(whole.get(), false).records {
                let place = record.strings.first().map_or(whole.get(), |(it, _)| it);
                let line = lines.line_of(offset(place.as_ptr() as usize - text.as_ptr() as usize));
                // An empty text of a known form is skipped without a problem.
                texts.extend(read(text, &record, line, problems).unwrap_or(None));
            }
            if texts.is_empty() {
                return Err(no_texts(
                    "JSON without memories or messages of a form that is read".to_owned(),
                ));
            }
            return Ok(texts);
        }
        Err(error) => error,
    };
    // Memories are often stored as JSONL in a file named .json.
    let mut lines = whole.lines().filter(|line| !line.trim().is_empty());
    let first = lines
        .next()
        .and_then(|line| shapes::Fields::of(without_mark(line).trim()));
    if first.is_some() {
        let texts = texts_of_lines(text, problems);
        if !texts.is_empty() {
            return Ok(texts);
        }
    }
    Err(no_texts(format!("not valid JSON: {error}")))
}

fn texts_of_lines(text: &str, problems: &mut Problems) -> Vec<Text> {
    let mut texts = Vec::new();
    for (line, range) in (1..).zip(lines_from(text, 0)) {
        let raw = without_mark(&text[range]).trim();
        if raw.is_empty() {
            continue;
        }
        match texts_of_line(text, raw, line, problems) {
            Ok(found) => texts.extend(found),
            Err(message) => problems.push(line, message),
        }
    }
    texts
}

/// Parses a line, which must be a slice of `text`.
fn texts_of_line(
    text: &str,
    raw: &str,
    line: u32,
    problems: &mut Problems,
) -> Result<Vec<Text>, String> {
    if !raw.starts_with('{') {
        return Err("not a JSON object; skipped".to_owned());
    }
    let value: &serde_json::value::RawValue = serde_json::from_str(raw)
        .map_err(|error| format!("not JSON ({}); skipped", cause(&error)))?;
    let found = texts_in(value.get(), true);
    if found.records.is_empty() {
        return Err(match found.is_silent {
            true => "a message without text, such as the call of a tool; skipped".to_owned(),
            false => "no text or content; skipped".to_owned(),
        });
    }
    let n_records = found.records.len();
    let mut texts = Vec::with_capacity(n_records);
    for record in found.records {
        match read(text, &record, line, problems) {
            Ok(said) => texts.extend(said),
            Err(message) if n_records == 1 => return Err(message),
            Err(message) => problems.push(line, message),
        }
    }
    if texts.is_empty() {
        return Err("text is blank; skipped".to_owned());
    }
    Ok(texts)
}

/// Removes leading byte order marks from a line; concatenated files have them.
fn without_mark(line: &str) -> &str {
    line.trim_start_matches('\u{feff}')
}

/// Reads a record of `text`; `None` if it has no text. An invalid field is left out and reported.
fn read(
    text: &str,
    record: &Record<'_>,
    line: u32,
    problems: &mut Problems,
) -> Result<Option<Text>, String> {
    let mut said = Said::default();
    for (string, between) in &record.strings {
        said.add(text, string, between)
            .map_err(|error| format!("text cannot be read ({}); skipped", cause(&error)))?;
    }
    if said.text.trim().is_empty() {
        return Ok(None);
    }
    if said.is_damaged {
        problems.push(
            line,
            "text has half of a surrogate pair; read as \u{FFFD}".to_owned(),
        );
    }
    let mut named = |key: &str| {
        let value = record.get(key)?;
        let name = serde_json::from_str::<String>(value).ok();
        if name.is_none() {
            problems.push(
                line,
                format!("{key}, which is not a name, cannot be read; left out"),
            );
        }
        name.map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty())
    };
    let agent = named("agent").or_else(|| named("agent_id"));
    let date = date_of(record, line, problems);
    let weight = record.get("weight").and_then(|value| {
        let number = serde_json::from_str::<f64>(value).ok();
        let number = number.filter(|&number| is_weight(number));
        if number.is_none() {
            problems.push(
                line,
                "weight, which is not a number from 0, cannot be read; left out".to_owned(),
            );
        }
        number
    });
    let external_id = record.get("id").and_then(|value| {
        let id = id_of(value);
        if id.is_none() {
            problems.push(
                line,
                "id, which is neither text nor a number, cannot be read; left out".to_owned(),
            );
        }
        id
    });
    let mut short = |key: &str, name: Option<String>| {
        let is_long = name.as_ref().is_some_and(|name| !is_short(name));
        if is_long {
            problems.push(
                line,
                format!("{key} is longer than {NAME_CHARS_MAX} characters; left out"),
            );
        }
        name.filter(|_| !is_long)
    };
    Ok(Some(Text {
        said,
        agent: short("agent", agent),
        date,
        weight,
        external_id: short("id", external_id),
        heading: record.heading.and_then(heading),
    }))
}

/// Returns the day of a record: from the keys of a front matter, otherwise from a point in time.
fn date_of(record: &Record<'_>, line: u32, problems: &mut Problems) -> Option<Date> {
    let day = |value: Raw<'_>| match serde_json::from_str::<f64>(value) {
        Ok(number) => date_of_number(number).or_else(|| date_of_unix(number)),
        Err(_) => serde_json::from_str::<String>(value)
            .ok()
            .and_then(|it| date_of_value(&it)),
    };
    let mut date = None;
    for (key, value) in record.folded(DATE_KEYS) {
        let found = day(value);
        if found.is_none() && value != "\"\"" {
            problems.push(
                line,
                format!(
                    "{key}, which is no day, week or month, cannot be read; left out, {DATE_ADVICE}"
                ),
            );
        }
        date = date.or(found);
    }
    let mut times = record.folded(TIME_KEYS).into_iter();
    date.or_else(|| times.find_map(|(_, value)| day(value)))
}

/// Returns an id: a text, or a number as written, which may have more digits than any number type.
fn id_of(value: &str) -> Option<String> {
    if value.starts_with(|char: char| char == '-' || char.is_ascii_digit()) {
        return Some(value.to_owned());
    }
    serde_json::from_str(value).ok()
}

/// Returns a title on one line, truncated to the length of a name.
fn heading(value: Raw<'_>) -> Option<String> {
    let title: String = serde_json::from_str(value).ok()?;
    let words: Vec<&str> = title.split_whitespace().collect();
    let title: String = words.join(" ").chars().take(NAME_CHARS_MAX).collect();
    (!title.is_empty()).then_some(title)
}

/// Cuts texts into chunks and windows.
fn cut(
    document: &str,
    texts: Vec<Text>,
    mut problems: Problems,
    options: &IngestOptions,
) -> Observations {
    let lines = Lines::of(document);
    let mut found = Observations::default();
    let mut allowance = Allowance::of(document.len());
    let mut overlaps = true;
    for text in texts {
        let line = lines.line_of(text.place().start);
        let still_overlaps = text.split(&lines, options, &mut allowance, &mut found);
        if overlaps && !still_overlaps {
            overlaps = false;
            problems.push(line, OVERLAP_GIVEN_UP.to_owned());
        }
    }
    found.problems = problems.finish();
    found
}

impl Text {
    /// Adds the text's chunks and windows. Returns whether its chunks overlap as they should.
    fn split(
        self,
        lines: &Lines,
        options: &IngestOptions,
        allowance: &mut Allowance,
        found: &mut Observations,
    ) -> bool {
        let Self {
            said,
            agent,
            date,
            weight,
            external_id,
            heading,
        } = self;
        let text = said.text.as_str();
        let first_chunk = offset(found.chunks.len());
        let packed = pack(text, &[], options, allowance);
        let chunks = packed.chunks;
        let drafts = windows::build(text, 0, &[], options.window_chars as usize);
        let window_bytes: Vec<Range<usize>> =
            drafts.iter().map(|draft| draft.bytes.clone()).collect();
        let assigned = windows::assign(&window_bytes, &chunks);
        found.chunks.extend(chunks.into_iter().map(|chunk| {
            let bytes = said.place(&chunk);
            Chunk {
                text: text[chunk].to_owned(),
                start_line: lines.line_of(bytes.start),
                end_line: lines.line_of(bytes.end),
                bytes,
                heading_path: heading.iter().cloned().collect(),
                agent: agent.clone(),
                date,
                weight,
                external_id: external_id.clone(),
            }
        }));
        found
            .windows
            .extend(drafts.into_iter().zip(assigned).map(|(draft, chunks)| {
                let bytes = said.place(&draft.bytes);
                Window {
                    text: match &heading {
                        Some(heading) => format!("{heading}\n{}", draft.text),
                        None => draft.text,
                    },
                    start_line: lines.line_of(bytes.start),
                    end_line: lines.line_of(bytes.end),
                    bytes,
                    chunks: chunks
                        .into_iter()
                        .map(|chunk| first_chunk + chunk)
                        .collect(),
                }
            }));
        packed.overlap_given_up_at.is_none()
    }
}

/// Returns a parser's message with only the column, because its line is always 1.
fn cause(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match words.strip_suffix(&place) {
        Some(words) => format!("{words} at column {}", error.column()),
        None => words,
    }
}

#[cfg(test)]
mod tests;
