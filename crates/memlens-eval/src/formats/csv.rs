//! CSV with one line per range of lines that holds an answer:
//! `id,query,category,scope,path,start_line,end_line,nonsense`.
//!
//! The header is required. Its columns may be in any order, and all but `id` and `query` are optional. A query without
//! a path is unjudged, unless `nonsense` is `true`; a path without lines means the whole note.

use ::csv::{ByteRecord, ReaderBuilder, WriterBuilder};

use super::{Reading, checked, same_id, text};
use crate::queries::{Judgment, Place, Query, QuerySet};

const COLUMNS: [&str; 8] = [
    "id",
    "query",
    "category",
    "scope",
    "path",
    "start_line",
    "end_line",
    "nonsense",
];

/// Possible delimiters; spreadsheets use semicolons in locales with decimal commas.
pub(super) const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// Returns the delimiter of the header; `None` if the first line is no header.
pub fn delimiter(bytes: &[u8]) -> Option<u8> {
    DELIMITERS.into_iter().find(|delimiter| {
        let header = header(bytes, *delimiter);
        ["id", "query"]
            .iter()
            .all(|name| header.contains(&Some(*name)))
    })
}

/// Returns the known name of each column of the first line.
fn header(bytes: &[u8], delimiter: u8) -> Vec<Option<&'static str>> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes);
    let mut first = ByteRecord::new();
    // A line that is no header has no known columns.
    let is_read = reader.read_byte_record(&mut first).unwrap_or(false);
    let known = |field: &[u8]| {
        let field = field.trim_ascii();
        let is_it = |name: &&str| field.eq_ignore_ascii_case(name.as_bytes());
        COLUMNS.into_iter().find(is_it)
    };
    first.iter().filter(|_| is_read).map(known).collect()
}

pub fn read(bytes: &[u8]) -> QuerySet {
    let mut reading = Reading::default();
    let Some(delimiter) = delimiter(bytes) else {
        if !bytes.trim_ascii().is_empty() {
            let why = format!("the first line must name the columns {}", COLUMNS.join(","));
            reading.refuse(1, why);
        }
        return reading.set;
    };
    let header = header(bytes, delimiter);
    let mut reader = ReaderBuilder::new()
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes);
    let mut record = ByteRecord::new();
    let mut counted = Counted::default();
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            // Bytes in memory can always be read, and rows may differ in length.
            Ok(false) | Err(_) => return reading.set,
        }
        let start = record.position().map_or(0, |position| position.byte());
        let line = counted.line_of(bytes, start as usize);
        if record.iter().all(|field| field.trim_ascii().is_empty()) {
            continue;
        }
        match row(&header, &record) {
            Err(why) => reading.refuse(line, why),
            Ok(query) => take(&mut reading, line, query),
        }
    }
}

/// Counts lines from one record to the next.
#[derive(Default)]
pub(super) struct Counted {
    n_bytes: usize,
    n_newlines: u32,
}

impl Counted {
    /// Returns the line on which a record begins. A reader that skips empty lines and accepts both kinds of line ends
    /// may report an earlier position, so line ends before the record are skipped here.
    pub fn line_of(&mut self, bytes: &[u8], start: usize) -> u32 {
        let blank = bytes[start..]
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let start = start + blank.count();
        let new = &bytes[self.n_bytes.min(start)..start];
        self.n_newlines += new.iter().filter(|byte| **byte == b'\n').count() as u32;
        self.n_bytes = start;
        self.n_newlines + 1
    }
}

/// Adds a new query, or one more range of a known one.
fn take(reading: &mut Reading, line: u32, query: Query) {
    let query = match checked(query) {
        Ok(query) => query,
        Err(why) => return reading.refuse(line, why),
    };
    let Some((first_line, known)) = reading.known(&query.id) else {
        return reading.take(line, Ok(query));
    };
    let is_same = (&known.query, &known.category, &known.scope)
        == (&query.query, &query.category, &query.scope);
    match (known.relevant.as_mut(), query.relevant) {
        (Some(ranges), Some(new)) if is_same && !ranges.is_empty() && !new.is_empty() => {
            let is_new = |place: &Place| !ranges.contains(place);
            let new: Vec<Place> = new.into_iter().filter(is_new).collect();
            ranges.extend(new);
        }
        _ => {
            let why = same_id(&query.id, first_line);
            reading.refuse(line, why);
        }
    }
}

fn row(header: &[Option<&'static str>], record: &ByteRecord) -> Result<Query, String> {
    let mut fields = [""; COLUMNS.len()];
    for (name, field) in header.iter().zip(record.iter()) {
        let Some(at) = COLUMNS.iter().position(|column| Some(*column) == *name) else {
            continue;
        };
        fields[at] = text(field)?.trim();
    }
    let [id, query, category, scope, path, start, end, nonsense] = fields;
    // Only a question may span several lines.
    if fields
        .iter()
        .any(|field| *field != query && field.contains('\n'))
    {
        return Err("a quoted field is not closed".to_owned());
    }
    let some = |field: &str| (!field.is_empty()).then(|| field.to_owned());
    Ok(Query {
        id: id.to_owned(),
        query: query.to_owned(),
        relevant: relevant(path, start, end, nonsense)?,
        category: some(category),
        scope: some(scope),
    })
}

fn relevant(
    path: &str,
    start: &str,
    end: &str,
    nonsense: &str,
) -> Result<Option<Vec<Place>>, String> {
    let is_nonsense = match nonsense.to_ascii_lowercase().as_str() {
        "" | "false" | "no" | "0" => false,
        "true" | "yes" | "1" => true,
        _ => return Err("nonsense is true or false".to_owned()),
    };
    let line = |field: &str| {
        let refused = |_| "a line is a whole number".to_owned();
        field.parse::<u32>().map_err(refused)
    };
    match (path, start, end) {
        ("", "", "") => Ok(is_nonsense.then(Vec::new)),
        _ if is_nonsense => Err("it is nonsense, and has a range with its answer".to_owned()),
        ("", ..) => Err("a range has no path".to_owned()),
        (path, "", "") => Ok(Some(vec![Place::whole(path)])),
        (path, start, "") => Ok(Some(vec![Place::new(path, line(start)?, line(start)?)])),
        (path, start, end) => Ok(Some(vec![Place::new(path, line(start)?, line(end)?)])),
    }
}

/// Returns the queries as CSV, with a header.
pub fn to_csv(queries: &[Query]) -> Vec<u8> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    let mut write = |fields: [&str; COLUMNS.len()]| {
        let written = writer.write_record(fields);
        written.expect("memory can be written, and every line has all columns");
    };
    write(COLUMNS);
    for query in queries {
        let category = query.category.as_deref().unwrap_or_default();
        let scope = query.scope.as_deref().unwrap_or_default();
        let mut line = |path: &str, start: &str, end: &str, nonsense: &str| {
            write([
                &query.id,
                &query.query,
                category,
                scope,
                path,
                start,
                end,
                nonsense,
            ]);
        };
        match query.judgment() {
            Judgment::Unjudged => line("", "", "", ""),
            Judgment::Nonsense => line("", "", "", "true"),
            Judgment::Gold(places) => {
                for place in places {
                    let (start, end) = match place.is_whole() {
                        true => (String::new(), String::new()),
                        false => (place.start_line.to_string(), place.end_line.to_string()),
                    };
                    line(&place.path, &start, &end, "");
                }
            }
        }
    }
    writer.into_inner().expect("memory can be written")
}
