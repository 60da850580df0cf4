//! The judgment list of OpenSearch's Search Relevance Workbench, in the form of its import and of its API:
//! `judgmentRatings`, a list of `{"query", "ratings": [{"docId", "rating"}]}`; in 3.0 an object with the ratings of
//! each query.
//!
//! Source: docs.opensearch.org, Search Relevance Workbench, Judgments (3.0 to 3.9).

use serde_json::Value;

use super::graded::{Graded, grade};
use super::{text, without_place};
use crate::queries::QuerySet;

const RATINGS: &str = "judgmentRatings";

/// Returns whether it is an object that holds such ratings.
pub fn is_list(bytes: &[u8]) -> bool {
    let words = text(bytes).unwrap_or_default().trim_start();
    // Parsed only if it may be one.
    words.starts_with('{')
        && words.contains(RATINGS)
        && serde_json::from_slice::<Value>(bytes).is_ok_and(|value| ratings_of(&value).is_some())
}

/// Returns the ratings, on their own or in the response of a search.
fn ratings_of(value: &Value) -> Option<&Value> {
    let in_answer = || {
        let hits = value["hits"]["hits"].as_array()?;
        hits.iter().find_map(ratings_of)
    };
    value
        .get(RATINGS)
        .or_else(|| value.get("_source")?.get(RATINGS))
        .or_else(in_answer)
}

pub fn read(bytes: &[u8]) -> QuerySet {
    let mut graded = Graded::default();
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => {
            graded.refuse(error.line().max(1) as u32, without_place(&error));
            return graded.into_set();
        }
    };
    match ratings_of(&value) {
        Some(Value::Array(queries)) => {
            for query in queries {
                take(&mut graded, query["query"].as_str(), &query["ratings"]);
            }
        }
        Some(Value::Object(queries)) => {
            for (query, ratings) in queries {
                take(&mut graded, Some(query), ratings);
            }
        }
        _ => graded.refuse(1, format!("{RATINGS} is no list of queries")),
    }
    graded.into_set()
}

/// Adds the ratings of one question. JSON that is parsed as a whole has no line numbers.
fn take(graded: &mut Graded, query: Option<&str>, ratings: &Value) {
    let (Some(query), Some(ratings)) = (query, ratings.as_array()) else {
        return graded.refuse(1, "a query has no text, or no list of ratings");
    };
    for rating in ratings {
        let document = rating["docId"].as_str().unwrap_or_default();
        let rating = &rating["rating"];
        // The API writes numbers as strings.
        let number = match rating.as_str() {
            Some(written) => grade(written),
            None => grade(&rating.to_string()),
        };
        match number {
            Ok(number) => graded.judge(1, query.trim(), None, query, document, number),
            Err(why) => graded.refuse(1, format!("query {query}, document {document}: {why}")),
        }
    }
}
