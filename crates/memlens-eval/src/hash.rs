//! The name of what a query set holds.

use crate::queries::{Place, Query};

/// BLAKE3 over the queries' canonical JSON lines, in hexadecimal: what a set is called by in runs.
///
/// The order of the queries does not matter, nor that of a query's ranges, nor a range that stands twice: they change no
/// figure. Nor does the format of the file.
pub fn query_set_hash(queries: &[Query]) -> String {
    let mut lines: Vec<String> = queries.iter().map(canonical).collect();
    lines.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for line in lines {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

fn canonical(query: &Query) -> String {
    let ordered = |places: &Vec<Place>| {
        let mut places = places.clone();
        places.sort();
        places.dedup();
        places
    };
    let query = Query {
        relevant: query.relevant.as_ref().map(ordered),
        ..query.clone()
    };
    serde_json::to_string(&query).expect("plain data can always be written as JSON")
}
