//! What comes back: the known shapes, and that every text has one finite score.

use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;

use crate::hook::without_mark;

/// More tokens than any request has. A server's word for more is not believed: sums of them could run over.
const N_TOKENS_MAX: u64 = 1 << 40;

/// What one request found.
#[derive(Debug, PartialEq)]
pub struct Answer {
    /// One score per text, in the order of the texts, finite, as reported.
    pub scores: Vec<f64>,
    /// The tokens that were read, at most 2^40; none where they are not told.
    pub n_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Object {
    #[serde(alias = "data")]
    results: Vec<Row>,
    /// Of no known shape for certain, and no reason to refuse the scores.
    #[serde(default)]
    usage: Value,
    #[serde(default)]
    meta: Value,
}

#[derive(Deserialize)]
struct Row {
    index: usize,
    relevance_score: Option<f64>,
    score: Option<f64>,
}

impl Answer {
    /// Reads the answer about `n_texts` texts: a bare array of rows, or one under `results` or `data`, in any order.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence; it repeats nothing of the body but numbers.
    pub fn read(body: &[u8], n_texts: usize) -> Result<Answer, String> {
        let body = without_mark(body);
        let is_bare = body.trim_ascii_start().starts_with(b"[");
        let (rows, n_tokens) = if is_bare {
            (parse::<Vec<Row>>(body)?, None)
        } else {
            let object: Object = parse(body)?;
            let n_tokens = object.usage.get("total_tokens").and_then(Value::as_u64);
            let billed = object.meta.pointer("/tokens/input_tokens");
            (object.results, n_tokens.or(billed.and_then(Value::as_u64)))
        };
        Ok(Answer {
            scores: by_index(&rows, n_texts)?,
            n_tokens: n_tokens.filter(|&n_tokens| n_tokens <= N_TOKENS_MAX),
        })
    }
}

fn by_index(rows: &[Row], n_texts: usize) -> Result<Vec<f64>, String> {
    if rows.len() != n_texts {
        return Err(format!("holds {} scores for {n_texts} texts", rows.len()));
    }
    let mut scores = vec![None; n_texts];
    for row in rows {
        let index = row.index;
        let place = scores
            .get_mut(index)
            .ok_or_else(|| format!("names text {index} (counted from 0) of {n_texts}"))?;
        let score = row
            .relevance_score
            .or(row.score)
            .ok_or_else(|| format!("has no score for text {index}"))?;
        if place.replace(score).is_some() {
            return Err(format!("names text {index} twice"));
        }
    }
    Ok(scores
        .into_iter()
        .map(|score| score.expect("as many different places as rows are filled"))
        .collect())
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| {
        let cause = match error.classify() {
            _ if is_no_finite_number(body, &error) => "has a score that is not a finite number",
            Category::Eof => "is cut off",
            Category::Syntax | Category::Io => "is not JSON",
            Category::Data => "has an unknown format",
        };
        cause.to_owned()
    })
}

/// Whether reading stopped at a `NaN` or an `Infinity`, which some servers write although JSON has none, or at a
/// number that is too large to be one.
fn is_no_finite_number(body: &[u8], error: &serde_json::Error) -> bool {
    let line = body
        .split(|&byte| byte == b'\n')
        .nth(error.line().saturating_sub(1));
    let rest = line.and_then(|line| line.get(error.column().saturating_sub(1)..));
    let stopped_at = |word: &str| rest.is_some_and(|rest| rest.starts_with(word.as_bytes()));
    error.to_string().starts_with("number out of range")
        || ["NaN", "nan", "Infinity", "inf"]
            .into_iter()
            .any(stopped_at)
}

#[cfg(test)]
mod tests {
    //! Every known shape is read in any order; whatever is not one finite score per text is refused as a whole.

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn scores_come_back_bit_for_bit_in_whatever_order_they_are_sent(
            rows in prop::collection::vec(any::<f64>().prop_filter("JSON has no other", |score| score.is_finite()), 0..20)
                .prop_map(|scores| scores.into_iter().enumerate().collect::<Vec<_>>())
                .prop_shuffle(),
            shape in 0..3,
        ) {
            let sent: Vec<Value> = rows
                .iter()
                .map(|(index, score)| serde_json::json!({ "index": index, "relevance_score": score }))
                .collect();
            let sent = match shape {
                0 => Value::Array(sent),
                1 => serde_json::json!({ "data": sent }),
                _ => serde_json::json!({ "results": sent }),
            };
            let read = Answer::read(sent.to_string().as_bytes(), rows.len());
            let scores = read.expect("there is one for each").scores;
            for (index, score) in rows {
                prop_assert_eq!(scores[index].to_bits(), score.to_bits());
            }
        }

        #[test]
        fn no_bytes_break_it(body in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert!(Answer::read(&body, 1).is_err(), "chance makes no answer");
        }
    }

    fn check(body: &str, expected: Result<&[f64], &str>) {
        let read = Answer::read(body.as_bytes(), 3).map(|answer| answer.scores);
        assert_eq!(
            read,
            expected.map(<[f64]>::to_vec).map_err(str::to_owned),
            "{body}"
        );
    }

    #[test]
    fn every_known_shape_is_read_in_any_order() {
        let scores = Ok([0.5, -11.0, 6.0].as_slice());
        for body in [
            r#"{"results":[{"index":2,"relevance_score":6},{"index":0,"relevance_score":0.5},{"index":1,"relevance_score":-11}]}"#,
            r#"{"data":[{"index":1,"relevance_score":-11.0},{"index":0,"relevance_score":0.5},{"index":2,"relevance_score":6.0}],"object":"list"}"#,
            r#" [{"index":0,"score":0.5,"text":null},{"index":2,"score":6.0},{"index":1,"score":-11.0}]"#,
            r#"{"results":[{"index":0,"score":0.5,"relevance_score":null},{"index":1,"score":-11},{"index":2,"score":6,"document":{"text":"x"}}],"usage":null,"meta":[]}"#,
            r#"{"results":[{"index":0,"score":9,"relevance_score":0.5},{"index":1,"score":-11},{"index":2,"score":6}]}"#,
            "\u{feff}[{\"index\":0,\"score\":0.5},{\"index\":2,\"score\":6.0},{\"index\":1,\"score\":-11.0}]",
        ] {
            check(body, scores);
        }
    }

    #[test]
    fn what_is_not_one_finite_score_per_text_is_refused() {
        let rows = |third: &str| {
            format!(r#"{{"results":[{{"index":0,"score":1}},{{"index":1,"score":1}},{third}]}}"#)
        };
        for (body, cause) in [
            (
                rows(r#"{"index":3,"score":1}"#),
                "names text 3 (counted from 0) of 3",
            ),
            (rows(r#"{"index":1,"score":1}"#), "names text 1 twice"),
            (rows(r#"{"index":2}"#), "has no score for text 2"),
            (
                rows(r#"{"index":2,"score":null}"#),
                "has no score for text 2",
            ),
            (
                rows(r#"{"index":2,"score":"0.5"}"#),
                "has an unknown format",
            ),
            (rows(r#"{"index":-1,"score":1}"#), "has an unknown format"),
            (rows(r#"{"index":1.5,"score":1}"#), "has an unknown format"),
            (rows(r#"{"score":1}"#), "has an unknown format"),
            (
                rows(r#"{"index":2,"score":NaN}"#),
                "has a score that is not a finite number",
            ),
            (
                rows("{\n \"index\":2,\n \"score\": NaN}"),
                "has a score that is not a finite number",
            ),
            (
                rows(r#"{"index":2,"score":Infinity}"#),
                "has a score that is not a finite number",
            ),
            (
                rows(r#"{"index":2,"score":-Infinity}"#),
                "has a score that is not a finite number",
            ),
            (
                rows(r#"{"index":2,"score":1e999}"#),
                "has a score that is not a finite number",
            ),
            (rows(r#"{"index":2,"score":nothing}"#), "is not JSON"),
            (r#"{"results":[]}"#.to_owned(), "holds 0 scores for 3 texts"),
            ("[]".to_owned(), "holds 0 scores for 3 texts"),
            (
                rows(r#"{"index":2,"score":1},{"index":3,"score":1}"#),
                "holds 4 scores for 3 texts",
            ),
            ("{}".to_owned(), "has an unknown format"),
            (
                r#"{"results":[],"data":[]}"#.to_owned(),
                "has an unknown format",
            ),
            (r#""results""#.to_owned(), "has an unknown format"),
            (r#"{"results":[{"index":0,"#.to_owned(), "is cut off"),
            (String::new(), "is cut off"),
            ("<html>".to_owned(), "is not JSON"),
            ("[] []".to_owned(), "is not JSON"),
        ] {
            check(&body, Err(cause));
        }
    }

    #[test]
    fn tokens_are_counted_where_they_are_told() {
        for (more, n_tokens) in [
            (r#""usage":{"total_tokens":26}"#, Some(26)),
            (r#""meta":{"billed_units":{"search_units":1}}"#, None),
            (r#""meta":{"tokens":{"input_tokens":7}}"#, Some(7)),
            (r#""usage":{"total_tokens":"many"}"#, None),
            (r#""usage":{"total_tokens":18446744073709551615}"#, None),
        ] {
            let body = format!(r#"{{"results":[],{more}}}"#);
            let answer = Answer::read(body.as_bytes(), 0).expect("it is an answer");
            assert_eq!(answer.n_tokens, n_tokens, "{more}");
        }
    }
}
