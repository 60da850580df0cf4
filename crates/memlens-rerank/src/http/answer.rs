//! Parses responses: the known forms, and which texts have a finite score.

use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::hook::without_mark;

/// More tokens than any request has. A larger number from a server is ignored, because sums of them could overflow.
const N_TOKENS_MAX: u64 = 1 << 40;

/// Maximum number and length of the keys of an unknown response that are named in the message.
const KEYS_NAMED: usize = 8;
const KEY_BYTES_MAX: usize = 40;

/// The keys under which rows are found.
const ROWS: [&str; 2] = ["results", "data"];

/// The result of one request.
#[derive(Debug, PartialEq)]
pub struct Answer {
    /// One score per text, in the order of the texts, finite and as reported; `None` if the response has none for it.
    pub scores: Vec<Option<f64>>,
    /// Number of tokens that were read, at most 2^40; `None` if it is not reported.
    pub n_tokens: Option<u64>,
}

impl Answer {
    /// Parses the response about `n_texts` texts: a list of rows in any order, bare or under `results` or `data`,
    /// optionally within one other key. Rows may be missing, but not all.
    ///
    /// # Errors
    /// A message, worded as the end of a sentence. Of the body it only repeats numbers and names of keys, and none of
    /// these for which `is_secret` is true.
    pub fn read(
        body: &[u8],
        n_texts: usize,
        is_secret: impl Fn(&str) -> bool,
    ) -> Result<Answer, String> {
        let body = without_mark(body);
        let value: Value = parse(body)?;
        let unknown = |keys: Vec<&str>, known: &str| unknown(keys, known, &is_secret);
        let rows = match rows_of(&value) {
            Some(rows) => rows,
            None => {
                let object = value.as_object();
                let keys =
                    object.map_or_else(Vec::new, |it| it.keys().map(String::as_str).collect());
                let known = "results, data or a bare list";
                return Err(unknown(keys, known));
            }
        };
        let read: Option<Vec<Row>> = rows.iter().map(Row::of).collect();
        let Some(read) = read else {
            let odd = rows.iter().find(|row| Row::of(row).is_none());
            let odd = odd.and_then(Value::as_object);
            let keys = odd.map_or_else(Vec::new, |it| it.keys().map(String::as_str).collect());
            return Err(unknown(keys, "index with relevance_score or score"));
        };
        let usage = |at: &str| {
            let inner = value.as_object().into_iter().flat_map(Map::values);
            let mut places = [&value].into_iter().chain(inner);
            places.find_map(|it| it.pointer(at).and_then(Value::as_u64))
        };
        let n_tokens = usage("/usage/total_tokens").or_else(|| usage("/meta/tokens/input_tokens"));
        Ok(Answer {
            scores: by_index(&read, n_texts)?,
            n_tokens: n_tokens.filter(|&n_tokens| n_tokens <= N_TOKENS_MAX),
        })
    }
}

/// The data of one row.
struct Row {
    index: usize,
    score: Given,
}

/// The score of a row.
enum Given {
    None,
    Number(f64),
    NoNumber,
}

impl Row {
    /// Returns `None` if the value is not a row.
    fn of(row: &Value) -> Option<Row> {
        let row = row.as_object()?;
        let index = row.get("index")?;
        let index = index
            .as_u64()
            .or_else(|| index.as_str()?.trim().parse().ok())?;
        let mut given = ["relevance_score", "score"].into_iter();
        let given = given.find_map(|key| row.get(key).filter(|value| !value.is_null()));
        let number = |value: &Value| {
            let number = value.as_f64();
            let number = number.or_else(|| value.as_str()?.trim().parse().ok());
            number.filter(|number: &f64| number.is_finite())
        };
        Some(Row {
            index: usize::try_from(index).ok()?,
            score: match given {
                None => Given::None,
                Some(value) => number(value).map_or(Given::NoNumber, Given::Number),
            },
        })
    }
}

/// Returns the rows of a response, including those wrapped in another key; `None` if there are none, or several lists.
fn rows_of(value: &Value) -> Option<&Vec<Value>> {
    let in_object = |object: &Map<String, Value>| {
        let mut lists = ROWS.into_iter().filter(|key| object.contains_key(*key));
        match (lists.next(), lists.next()) {
            (Some(key), None) => Some(key),
            _ => None,
        }
    };
    match value {
        Value::Array(rows) => Some(rows),
        Value::Object(object) => {
            if let Some(key) = in_object(object) {
                return match &object[key] {
                    Value::Array(rows) => Some(rows),
                    // `data` may be the wrapper.
                    Value::Object(inner) => inner.get(in_object(inner)?)?.as_array(),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
                };
            }
            if ROWS.iter().any(|key| object.contains_key(*key)) {
                return None;
            }
            let mut wrapped = object.values().filter_map(|inner| {
                let inner = inner.as_object()?;
                inner.get(in_object(inner)?)?.as_array()
            });
            wrapped.next().filter(|_| wrapped.next().is_none())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Returns a message with the keys of a response and the known ones.
fn unknown(keys: Vec<&str>, known: &str, is_secret: &impl Fn(&str) -> bool) -> String {
    let is_plain = |key: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        (1..=KEY_BYTES_MAX).contains(&key.len()) && key.bytes().all(plain) && !is_secret(key)
    };
    let mut seen: Vec<&str> = keys.into_iter().filter(is_plain).collect();
    seen.sort_unstable();
    seen.truncate(KEYS_NAMED);
    let seen = match seen.is_empty() {
        true => String::new(),
        false => format!("it has {}; ", seen.join(", ")),
    };
    format!("has an unknown format ({seen}known: {known})")
}

fn by_index(rows: &[Row], n_texts: usize) -> Result<Vec<Option<f64>>, String> {
    if rows.len() > n_texts {
        return Err(format!("holds {} scores for {n_texts} texts", rows.len()));
    }
    let mut is_named = vec![false; n_texts];
    let mut scores = vec![None; n_texts];
    for row in rows {
        let index = row.index;
        let named = is_named
            .get_mut(index)
            .ok_or_else(|| format!("names text {index} (counted from 0) of {n_texts}"))?;
        if std::mem::replace(named, true) {
            return Err(format!("names text {index} twice"));
        }
        scores[index] = match row.score {
            Given::Number(score) => Some(score),
            Given::None => None,
            Given::NoNumber => return Err("has a score that is not a finite number".to_owned()),
        };
    }
    if n_texts > 0 && scores.iter().all(Option::is_none) {
        return Err(format!("has no score for any of {n_texts} texts"));
    }
    Ok(scores)
}

fn parse(body: &[u8]) -> Result<Value, String> {
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

/// Returns whether parsing stopped at a `NaN` or an `Infinity`, which some servers write although JSON has none, or at
/// a number that is too large.
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
    //! Every known form is read in any order; a response without a finite score per text is refused as a whole.

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn scores_come_back_bit_for_bit_in_whatever_order_they_are_sent(
            rows in prop::collection::vec(any::<f64>().prop_filter("JSON has no other", |score| score.is_finite()), 0..20)
                .prop_map(|scores| scores.into_iter().enumerate().collect::<Vec<_>>())
                .prop_shuffle(),
            shape in 0..4,
        ) {
            let sent: Vec<Value> = rows
                .iter()
                .map(|(index, score)| serde_json::json!({ "index": index, "relevance_score": score }))
                .collect();
            let sent = match shape {
                0 => Value::Array(sent),
                1 => serde_json::json!({ "data": sent }),
                2 => serde_json::json!({ "output": { "results": sent }, "usage": {} }),
                _ => serde_json::json!({ "results": sent }),
            };
            prop_assume!(!rows.is_empty());
            let read = Answer::read(sent.to_string().as_bytes(), rows.len(), |_| false);
            let scores = read.expect("there is one for each").scores;
            for (index, score) in rows {
                prop_assert_eq!(scores[index].map(f64::to_bits), Some(score.to_bits()));
            }
        }

        #[test]
        fn no_bytes_break_it(body in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert!(Answer::read(&body, 1, |_| false).is_err(), "chance makes no answer");
        }
    }

    fn check(body: &str, expected: Result<[Option<f64>; 3], &str>) {
        let is_secret = |word: &str| word.contains("secret");
        let read = Answer::read(body.as_bytes(), 3, is_secret).map(|answer| answer.scores);
        let expected = expected.map(|it| it.to_vec()).map_err(str::to_owned);
        assert_eq!(read, expected, "{body}");
    }

    #[test]
    fn every_known_shape_is_read_in_any_order() {
        let scores = Ok([Some(0.5), Some(-11.0), Some(6.0)]);
        for body in [
            r#"{"results":[{"index":2,"relevance_score":6},{"index":0,"relevance_score":0.5},{"index":1,"relevance_score":-11}]}"#,
            r#"{"data":[{"index":1,"relevance_score":-11.0},{"index":0,"relevance_score":0.5},{"index":2,"relevance_score":6.0}],"object":"list"}"#,
            r#" [{"index":0,"score":0.5,"text":null},{"index":2,"score":6.0},{"index":1,"score":-11.0}]"#,
            r#"{"results":[{"index":0,"score":0.5,"relevance_score":null},{"index":1,"score":-11},{"index":2,"score":6,"document":{"text":"x"}}],"usage":null,"meta":[]}"#,
            r#"{"results":[{"index":0,"score":9,"relevance_score":0.5},{"index":1,"score":-11},{"index":2,"score":6}]}"#,
            // Within one other key, and with numbers as texts.
            r#"{"output":{"results":[{"index":2,"relevance_score":"6"},{"index":"0","score":" 0.5 "},{"index":1,"score":-11}]},"usage":{"total_tokens":9}}"#,
            r#"{"code":0,"data":{"results":[{"index":2,"score":6},{"index":0,"score":0.5},{"index":1,"score":-11}]}}"#,
            "\u{feff}[{\"index\":0,\"score\":0.5},{\"index\":2,\"score\":6.0},{\"index\":1,\"score\":-11.0}]",
        ] {
            check(body, scores);
        }
    }

    #[test]
    fn a_text_without_a_score_costs_that_text_alone() {
        for body in [
            r#"{"results":[{"index":2,"score":1},{"index":0,"score":2}]}"#,
            r#"{"results":[{"index":2,"score":1},{"index":0,"score":2},{"index":1}]}"#,
            r#"[{"index":2,"score":1},{"index":0,"score":2},{"index":1,"score":null}]"#,
        ] {
            check(body, Ok([Some(2.0), None, Some(1.0)]));
        }
        for body in [
            "[]",
            r#"{"results":[]}"#,
            r#"[{"index":0},{"index":1,"score":null}]"#,
        ] {
            check(body, Err("has no score for any of 3 texts"));
        }
    }

    #[test]
    fn an_unknown_format_names_the_keys_that_it_has_and_those_that_are_known() {
        let known = "known: results, data or a bare list)";
        for (body, seen) in [
            (
                r#"{"output":{"scores":[]},"usage":{}}"#,
                "it has output, usage; ",
            ),
            (
                r#"{"my secret":1,"secret":1,"answer":"a","x y":1}"#,
                "it has answer; ",
            ),
            ("{}", ""),
            ("7", ""),
            (r#""results""#, ""),
            (r#"{"results":[],"data":[]}"#, "it has data, results; "),
            (r#"{"results":{"0":1}}"#, "it has results; "),
            (r#"{"a":{"data":[]},"b":{"data":[]}}"#, "it has a, b; "),
            (r#"{"a":{"b":{"results":[]}}}"#, "it has a; "),
        ] {
            check(body, Err(&format!("has an unknown format ({seen}{known}")));
        }
        let known = "known: index with relevance_score or score)";
        for (body, seen) in [
            (r#"[{"id":0,"similarity":1}]"#, "it has id, similarity; "),
            (
                r#"{"results":[{"index":0,"score":1},{"index":-1,"score":1}]}"#,
                "it has index, score; ",
            ),
            (
                r#"{"results":[{"index":1.5,"score":1}]}"#,
                "it has index, score; ",
            ),
            ("[0.5]", ""),
        ] {
            check(body, Err(&format!("has an unknown format ({seen}{known}")));
        }
        let many: Vec<String> = (0..20).map(|n| format!("\"k{n:02}\":1")).collect();
        let body = format!("{{{}}}", many.join(","));
        let cause = Answer::read(body.as_bytes(), 3, |_| false).expect_err("it is unknown");
        assert!(cause.contains("k07; ") && !cause.contains("k08"), "{cause}");
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
            (
                rows(r#"{"index":2,"score":"high"}"#),
                "has a score that is not a finite number",
            ),
            (
                rows(r#"{"index":2,"score":"NaN"}"#),
                "has a score that is not a finite number",
            ),
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
            (
                rows(r#"{"index":2,"score":1},{"index":3,"score":1}"#),
                "holds 4 scores for 3 texts",
            ),
            (r#"{"results":[{"index":0,"#.to_owned(), "is cut off"),
            (String::new(), "is cut off"),
            ("<html>".to_owned(), "is not JSON"),
            ("[] []".to_owned(), "is not JSON"),
        ] {
            check(&body, Err(cause));
        }
    }

    #[test]
    fn tokens_are_counted_where_they_are_reported() {
        for (more, n_tokens) in [
            (r#""usage":{"total_tokens":26}"#, Some(26)),
            (r#""meta":{"billed_units":{"search_units":1}}"#, None),
            (r#""meta":{"tokens":{"input_tokens":7}}"#, Some(7)),
            (r#""usage":{"total_tokens":"many"}"#, None),
            (r#""usage":{"total_tokens":18446744073709551615}"#, None),
        ] {
            let body = format!(r#"{{"results":[],{more}}}"#);
            let answer = Answer::read(body.as_bytes(), 0, |_| false).expect("it is an answer");
            assert_eq!(answer.n_tokens, n_tokens, "{more}");
        }
    }
}
