//! JSON lines: one object per line.

use super::fields::{Field, Holds};
use super::{Reading, text, typed};
use crate::queries::{Query, QuerySet};

const PLACE: &[Field] = &[
    Field::required("path", Holds::Text),
    Field::required("start_line", Holds::Line),
    Field::required("end_line", Holds::Line),
];

const QUERY: &[Field] = &[
    Field::required("id", Holds::Text),
    Field::required("query", Holds::Text),
    Field::optional("relevant", Holds::Objects(PLACE)),
    Field::optional("category", Holds::Text),
    Field::optional("scope", Holds::Text),
];

/// A valid line, for the message about one that is not.
const EXAMPLE: &str = r#"{"id":"q1","query":"where is the key","relevant":[{"path":"home.md","start_line":3,"end_line":5}]}"#;

pub fn read(bytes: &[u8]) -> QuerySet {
    let mut reading = Reading::written_like(EXAMPLE);
    for (line, bytes) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if !bytes.trim_ascii().is_empty() {
            match text(bytes) {
                Ok(text) => reading.take_typed(line, typed::<Query>(text, QUERY)),
                Err(why) => reading.refuse(line, why),
            }
        }
    }
    reading.set
}

/// Returns whether some line is an object with an id or a question.
pub fn has_query(bytes: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Named {
        id: Option<serde::de::IgnoredAny>,
        query: Option<serde::de::IgnoredAny>,
    }
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines.any(|line| {
        let line = line.trim_ascii();
        let named = serde_json::from_slice::<Named>(line);
        line.starts_with(b"{") && named.is_ok_and(|it| it.id.is_some() || it.query.is_some())
    })
}

/// Returns queries as JSON lines.
pub fn to_jsonl(queries: &[Query]) -> Vec<u8> {
    let mut out = Vec::new();
    for query in queries {
        serde_json::to_writer(&mut out, query).expect("plain data can always be written as JSON");
        out.push(b'\n');
    }
    out
}
