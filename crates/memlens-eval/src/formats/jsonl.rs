//! JSON lines: one object per line.

use super::{Reading, text, without_place};
use crate::queries::{Query, QuerySet};

pub fn read(bytes: &[u8]) -> QuerySet {
    let mut reading = Reading::default();
    for (line, bytes) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if !bytes.trim_ascii().is_empty() {
            reading.take(line, query(bytes));
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

fn query(line: &[u8]) -> Result<Query, String> {
    serde_json::from_str(text(line)?).map_err(|error| without_place(&error))
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
