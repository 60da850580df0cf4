//! The ratings of Quepid (`query,docid,rating`) and of OpenSearch (`query,docId,rating`).
//!
//! The header is required. Its columns may be in any order, among others. A row without a rating is unjudged and is
//! skipped.

use ::csv::{ByteRecord, ReaderBuilder};

use super::csv::{Counted, DELIMITERS};
use super::graded::{Graded, grade};
use super::text;
use crate::queries::QuerySet;

/// The names of each column, in lower case.
const COLUMNS: [&[&str]; 3] = [
    &["query", "querytext", "query_text"],
    &["docid", "doc_id", "document_id", "documentid"],
    &["rating", "grade", "judgment"],
];

/// Returns the delimiter of the header; `None` if the first line is no such header.
pub fn delimiter(bytes: &[u8]) -> Option<u8> {
    DELIMITERS
        .into_iter()
        .find(|delimiter| places(bytes, *delimiter).is_some())
}

/// Returns the position of each of [`COLUMNS`] in the header.
fn places(bytes: &[u8], delimiter: u8) -> Option<[usize; 3]> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes);
    let mut header = ByteRecord::new();
    reader.read_byte_record(&mut header).ok()?;
    let place = |names: &[&str]| {
        header.iter().position(|field| {
            let field = field.trim_ascii();
            let is_it = |name: &&str| field.eq_ignore_ascii_case(name.as_bytes());
            names.iter().any(is_it)
        })
    };
    let [query, document, rating] = COLUMNS.map(place);
    Some([query?, document?, rating?])
}

pub fn read(bytes: &[u8]) -> QuerySet {
    let mut graded = Graded::default();
    let found = delimiter(bytes).and_then(|it| Some((it, places(bytes, it)?)));
    let Some((delimiter, places)) = found else {
        return graded.into_set();
    };
    let mut reader = ReaderBuilder::new()
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes);
    let mut record = ByteRecord::new();
    let mut counted = Counted::default();
    // Bytes in memory can always be read, and rows may differ in length.
    while reader.read_byte_record(&mut record).unwrap_or(false) {
        let start = record.position().map_or(0, |position| position.byte());
        let line = counted.line_of(bytes, start as usize);
        if record.iter().all(|field| field.trim_ascii().is_empty()) {
            continue;
        }
        let fields = places.map(|at| text(record.get(at).unwrap_or_default()));
        match fields {
            [Ok(_), Ok(_), Ok(rating)] if rating.trim().is_empty() => {}
            [Ok(query), Ok(document), Ok(rating)] => match grade(rating) {
                Ok(grade) => graded.judge(line, query.trim(), None, query, document, grade),
                Err(why) => graded.refuse(line, why),
            },
            [query, document, rating] => {
                let why = query.and(document).and(rating).err();
                graded.refuse(line, why.unwrap_or_default());
            }
        }
    }
    graded.into_set()
}
