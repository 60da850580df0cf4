//! The bench of qmd: an object with `queries`, each with the files that should be found.
//!
//! Its answers are whole notes. Its other fields (`description`, `expected_in_top_k`) have no equivalent in a query
//! set.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::fields::{Field, Holds};
use super::{Reading, text, typed, without_place};
use crate::queries::{Judgment, Place, Query, QuerySet};

/// The depth of our own metrics.
const TOP_K: u32 = 10;

#[derive(Deserialize)]
struct Bench<'a> {
    #[serde(borrow)]
    queries: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Asked {
    id: String,
    query: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    expected_files: Option<Vec<String>>,
}

const ASKED: &[Field] = &[
    Field::required("id", Holds::Text),
    Field::required("query", Holds::Text),
    Field::optional("type", Holds::Text),
    Field::optional("expected_files", Holds::Texts),
];

/// A valid query, for the message about one that is not.
const EXAMPLE: &str = r#"{"id":"q1","query":"where is the key","expected_files":["home.md"]}"#;

/// Returns whether it is an object with `queries`.
pub fn is_bench(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Bench<'_>>(bytes).is_ok()
}

pub fn read(bytes: &[u8]) -> QuerySet {
    let mut reading = Reading::written_like(EXAMPLE);
    let text = match text(bytes) {
        Ok(text) => text,
        Err(why) => {
            reading.refuse(1, why);
            return reading.set;
        }
    };
    match serde_json::from_str::<Bench<'_>>(text) {
        Err(error) => reading.refuse(error.line().max(1) as u32, without_place(&error)),
        Ok(Bench { queries }) => {
            // Lines are counted from one query to the next.
            let (mut line, mut counted) = (1, 0);
            for query in queries {
                let at = query.get().as_ptr() as usize - text.as_ptr() as usize;
                let newlines = text.as_bytes()[counted..at].iter();
                line += newlines.filter(|byte| **byte == b'\n').count() as u32;
                counted = at;
                reading.take_typed(line, typed::<Asked>(query.get(), ASKED).map(asked));
            }
        }
    }
    reading.set
}

fn asked(asked: Asked) -> Query {
    let relevant = asked.expected_files.map(|files| {
        let paths: BTreeSet<&str> = files.iter().map(|file| path(file)).collect();
        paths.into_iter().map(Place::whole).collect()
    });
    Query {
        id: asked.id,
        query: asked.query,
        relevant,
        category: asked.kind,
        scope: None,
    }
}

/// Returns the path in the collection.
fn path(file: &str) -> &str {
    let in_collection = file
        .strip_prefix("qmd://")
        .and_then(|rest| rest.split_once('/'));
    in_collection
        .map_or(file, |(_, path)| path)
        .trim_matches('/')
}

#[derive(Serialize)]
struct BenchOut<'a> {
    description: &'static str,
    version: u32,
    queries: Vec<AskedOut<'a>>,
}

#[derive(Serialize)]
struct AskedOut<'a> {
    id: &'a str,
    query: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    description: &'static str,
    expected_files: BTreeSet<&'a str>,
    expected_in_top_k: u32,
}

/// Returns judged queries as a bench of qmd, which has whole files and no scopes. Unjudged ones are left out.
pub fn to_qmd(queries: &[Query]) -> Vec<u8> {
    let is_judged = |query: &&Query| query.judgment() != Judgment::Unjudged;
    let out = queries.iter().filter(is_judged).map(|query| AskedOut {
        id: &query.id,
        query: &query.query,
        kind: query.category.as_deref().unwrap_or("semantic"),
        description: "",
        expected_files: query
            .gold()
            .unwrap_or_default()
            .iter()
            .map(|place| place.path.as_str())
            .collect(),
        expected_in_top_k: TOP_K,
    });
    let bench = BenchOut {
        description: "A query set of Memlens",
        version: 1,
        queries: out.collect(),
    };
    let mut out =
        serde_json::to_vec_pretty(&bench).expect("plain data can always be written as JSON");
    out.push(b'\n');
    out
}
