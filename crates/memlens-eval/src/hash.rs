//! Identifies the content of a query set.

use crate::queries::{Place, Query};

/// Returns the BLAKE3 hash over the queries' canonical JSON lines, in hexadecimal, which identifies a set in runs.
///
/// It does not depend on the order of queries, the order of a query's ranges, repeated ranges or the file format,
/// because they change no figure.
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
