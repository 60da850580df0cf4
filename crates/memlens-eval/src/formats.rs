//! File formats of query sets: JSON lines, CSV, the bench of qmd, and the judgment lists of search engines.
//!
//! A bad line costs only itself and is reported by its number. Of two queries with the same id, the first is kept.

mod csv;
mod fields;
mod graded;
mod jsonl;
mod opensearch;
mod qmd;
mod ranklib;
mod ratings_csv;
mod trec;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

pub use csv::to_csv;
pub use jsonl::to_jsonl;
pub use qmd::to_qmd;
use serde::de::DeserializeOwned;

use self::fields::Field;
use crate::queries::{BadLine, Query, QuerySet};

/// The file format of a query set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line.
    Jsonl,
    /// One line per range of lines that holds an answer, below a header.
    Csv,
    /// The input of `qmd bench`, with whole notes as answers.
    Qmd,
    /// The ratings of Quepid and OpenSearch: `query,docid,rating`.
    RatingsCsv,
    /// The judgment list of OpenSearch's Search Relevance Workbench: an object with `judgmentRatings`.
    OpenSearch,
    /// RankLib, also called LETOR or LTR: `grade qid:1 # docid query`.
    RankLib,
    /// TREC qrels, whose questions are in a topics file.
    Qrels,
}

/// The supported formats, for the message about a file in none of them.
pub const FORMATS_READ: &str = "JSON lines (id, query, relevant), CSV with a header (id,query,path,start_line,end_line), \
    a bench of qmd (JSON with queries), ratings of Quepid or OpenSearch as CSV (query,docid,rating), judgments of OpenSearch \
    as JSON (judgmentRatings), RankLib (grade qid:1 # docid query), and TREC qrels with a topics file";

impl Format {
    /// Returns the format of a file, by its content, or by its name if the content does not decide.
    pub fn of(name: &str, bytes: &[u8]) -> Format {
        let bytes = without_mark(bytes);
        if let Some(known) = Format::by_content(bytes) {
            return known;
        }
        let is_object = bytes.trim_ascii_start().first() == Some(&b'{');
        match name.rsplit_once('.').map(|(_, end)| end) {
            Some(end) if end.eq_ignore_ascii_case("csv") && !is_object => Format::Csv,
            Some(end) if end.eq_ignore_ascii_case("json") => Format::Qmd,
            _ => Format::Jsonl,
        }
    }

    /// Returns whether a file is in one of the supported formats; `false` if [`Format::of`] can only guess by the name.
    pub fn is_known(bytes: &[u8]) -> bool {
        let bytes = without_mark(bytes);
        bytes.trim_ascii().is_empty()
            || Format::by_content(bytes).is_some()
            || jsonl::has_query(bytes)
    }

    fn by_content(bytes: &[u8]) -> Option<Format> {
        type IsIt = fn(&[u8]) -> bool;
        let known: [(IsIt, Format); 6] = [
            (qmd::is_bench, Format::Qmd),
            (opensearch::is_list, Format::OpenSearch),
            (|bytes| csv::delimiter(bytes).is_some(), Format::Csv),
            (
                |bytes| ratings_csv::delimiter(bytes).is_some(),
                Format::RatingsCsv,
            ),
            (ranklib::is_list, Format::RankLib),
            (trec::is_qrels, Format::Qrels),
        ];
        let mut known = known.into_iter();
        known.find_map(|(is_it, format)| is_it(bytes).then_some(format))
    }
}

impl QuerySet {
    /// Reads a query set in UTF-8, in any of the formats.
    ///
    /// Qrels without their topics give no query.
    pub fn read(name: &str, bytes: &[u8]) -> QuerySet {
        QuerySet::read_with_topics(name, bytes, None)
    }

    /// Reads a query set whose questions may be in a topics file, as with TREC qrels; other formats ignore it.
    pub fn read_with_topics(name: &str, bytes: &[u8], topics: Option<&[u8]>) -> QuerySet {
        let format = Format::of(name, bytes);
        let bytes = without_mark(bytes);
        match format {
            Format::Jsonl => jsonl::read(bytes),
            Format::Csv => csv::read(bytes),
            Format::Qmd => qmd::read(bytes),
            Format::RatingsCsv => ratings_csv::read(bytes),
            Format::OpenSearch => opensearch::read(bytes),
            Format::RankLib => ranklib::read(bytes),
            Format::Qrels => trec::read(bytes, topics.map(without_mark)),
        }
    }

    /// Reads JSON lines; empty ones are skipped.
    pub fn parse(bytes: &[u8]) -> QuerySet {
        jsonl::read(without_mark(bytes))
    }
}

/// Returns the bytes without a byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// A query set while it is being read.
#[derive(Default)]
struct Reading {
    set: QuerySet,
    /// The line of each id, and the query's index in the set.
    known: HashMap<String, (u32, usize)>,
    /// A valid query, which the first message about the fields of one ends with.
    example: Option<&'static str>,
}

impl Reading {
    fn written_like(example: &'static str) -> Reading {
        Reading {
            example: Some(example),
            ..Reading::default()
        }
    }

    /// The same for a query that was read by [`typed`].
    fn take_typed(&mut self, line: u32, found: Result<Query, String>) {
        let found = found.map_err(|why| match self.example.take() {
            Some(example) => format!("{why}; a query is written like {example}"),
            None => why,
        });
        self.take(line, found);
    }

    /// Adds the query of a line. Reports the line if it is not a query or repeats an id.
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

    /// Returns the query with an id, and its line.
    fn known(&mut self, id: &str) -> Option<(u32, &mut Query)> {
        let (line, at) = *self.known.get(id)?;
        Some((line, &mut self.set.queries[at]))
    }
}

fn same_id(id: &str, line: u32) -> String {
    format!("line {line} has the id {id} too")
}

/// Returns the query if it is valid.
fn checked(query: Query) -> Result<Query, String> {
    let mut faults = Vec::new();
    if query.id.trim().is_empty() {
        faults.push("it has no id".to_owned());
    }
    if query.query.trim().is_empty() {
        faults.push("its query is empty".to_owned());
    }
    for place in query.gold().unwrap_or_default() {
        let (start, end) = (place.start_line, place.end_line);
        if place.path.is_empty() {
            faults.push("a range has no path".to_owned());
        }
        if start == 0 || end < start {
            faults.push(format!("lines {start} to {end} are no range"));
        }
    }
    match faults.is_empty() {
        true => Ok(query),
        false => Err(faults.join("; ")),
    }
}

/// Reads one object of JSON. What is wrong with it is said in the words of the file, not in those of the type.
fn typed<T: DeserializeOwned>(json: &str, fields: &[Field]) -> Result<T, String> {
    serde_json::from_str(json)
        .map_err(|error| fields::faults(json, fields).unwrap_or_else(|| without_place(&error)))
}

/// Returns the bytes as text.
fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

/// Returns the message of a JSON error without its line and column, which count from the beginning of the parsed part.
fn without_place(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let end = said.rfind(" at line ").unwrap_or(said.len());
    said[..end].to_owned()
}
