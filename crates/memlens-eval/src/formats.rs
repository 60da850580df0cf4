//! Query sets in files: JSON lines, CSV, and the bench of qmd.
//!
//! A bad line costs itself alone and is named by its number. Of two queries with one id the first stays.

mod csv;
mod jsonl;
mod qmd;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

pub use csv::to_csv;
pub use jsonl::to_jsonl;
pub use qmd::to_qmd;

use crate::queries::{BadLine, Query, QuerySet};

/// How a query set is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object a line.
    Jsonl,
    /// A line per range of lines that holds an answer, below a header.
    Csv,
    /// What `qmd bench` reads: whole notes hold the answers.
    Qmd,
}

impl Format {
    /// The format of a file, by what stands in it; by its name where that does not tell.
    pub fn of(name: &str, bytes: &[u8]) -> Format {
        let bytes = without_mark(bytes);
        if qmd::is_bench(bytes) {
            return Format::Qmd;
        }
        if csv::delimiter(bytes).is_some() {
            return Format::Csv;
        }
        let is_object = bytes.trim_ascii_start().first() == Some(&b'{');
        match name.rsplit_once('.').map(|(_, end)| end) {
            Some(end) if end.eq_ignore_ascii_case("csv") && !is_object => Format::Csv,
            Some(end) if end.eq_ignore_ascii_case("json") => Format::Qmd,
            _ => Format::Jsonl,
        }
    }
}

impl QuerySet {
    /// Reads a query set in UTF-8, in whatever of the formats it is.
    pub fn read(name: &str, bytes: &[u8]) -> QuerySet {
        let format = Format::of(name, bytes);
        let bytes = without_mark(bytes);
        match format {
            Format::Jsonl => jsonl::read(bytes),
            Format::Csv => csv::read(bytes),
            Format::Qmd => qmd::read(bytes),
        }
    }

    /// Reads JSON lines; empty ones are skipped.
    pub fn parse(bytes: &[u8]) -> QuerySet {
        jsonl::read(without_mark(bytes))
    }
}

/// The bytes without a byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// A query set while it is read.
#[derive(Default)]
struct Reading {
    set: QuerySet,
    /// The line of each id, and the query's place in the set.
    known: HashMap<String, (u32, usize)>,
}

impl Reading {
    /// Takes what a line gives; names the line where that is no query, or has the id of another one.
    fn take(&mut self, line: u32, found: Result<Query, String>) {
        match found.and_then(checked) {
            Err(why) => self.refuse(line, why),
            Ok(query) => match self.known.entry(query.id.clone()) {
                Entry::Occupied(known) => {
                    let why = same_id(&query.id, known.get().0);
                    self.refuse(line, why);
                }
                Entry::Vacant(new) => {
                    new.insert((line, self.set.queries.len()));
                    self.set.queries.push(query);
                }
            },
        }
    }

    fn refuse(&mut self, line: u32, why: String) {
        self.set.bad_lines.push(BadLine { line, why });
    }

    /// The query with an id, and the line that it came with.
    fn known(&mut self, id: &str) -> Option<(u32, &mut Query)> {
        let (line, at) = *self.known.get(id)?;
        Some((line, &mut self.set.queries[at]))
    }
}

fn same_id(id: &str, line: u32) -> String {
    format!("line {line} has the id {id} too")
}

/// The query, where it can be asked and its answers can be found.
fn checked(query: Query) -> Result<Query, String> {
    if query.id.trim().is_empty() {
        return Err("it has no id".to_owned());
    }
    if query.query.trim().is_empty() {
        return Err("its query is empty".to_owned());
    }
    for place in query.gold().unwrap_or_default() {
        let (start, end) = (place.start_line, place.end_line);
        if place.path.is_empty() {
            return Err("a range has no path".to_owned());
        }
        if start == 0 || end < start {
            return Err(format!("lines {start} to {end} are no range"));
        }
    }
    Ok(query)
}

/// Bytes as text.
fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

/// What an error of JSON says without its line and column, which it counts from the beginning of the part that it was given.
fn without_place(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let end = said.rfind(" at line ").unwrap_or(said.len());
    said[..end].to_owned()
}
