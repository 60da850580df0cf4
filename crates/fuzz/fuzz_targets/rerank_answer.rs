//! Whatever a reranking server answers: one finite score for every text, and those that a plain reader finds, or none.

#![no_main]

use libfuzzer_sys::fuzz_target;
use memlens_rerank::http::Answer;
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let Some((&n_texts, body)) = input.split_first() else {
        return;
    };
    // `0` for none, `1` for one text and so on.
    let n_texts = usize::from(n_texts & 0x0f);
    let answer = match Answer::read(body, n_texts) {
        Ok(answer) => answer,
        Err(cause) => {
            assert!(
                !cause.is_empty() && cause.len() <= fuzz::MESSAGE_BYTES_MAX,
                "{cause}"
            );
            return;
        }
    };
    assert_eq!(answer.scores.len(), n_texts);
    assert!(answer.scores.iter().all(|score| score.is_finite()));
    assert!(answer.n_tokens.is_none_or(|n_tokens| n_tokens <= 1 << 40));

    let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
    // What nobody reads of an answer need not be UTF-8.
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return;
    };
    let rows = ["results", "data"]
        .into_iter()
        .find_map(|key| value.get(key));
    let rows = rows.unwrap_or(&value).as_array().expect("rows were read");
    for (index, score) in answer.scores.iter().enumerate() {
        let row = |row: &&Value| match row {
            Value::Array(fields) => fields[0].as_u64() == Some(index as u64),
            row => row["index"].as_u64() == Some(index as u64),
        };
        let row = rows.iter().find(row).expect("the text is named");
        if let Value::Object(row) = row {
            let said = [row.get("relevance_score"), row.get("score")];
            let said = said.into_iter().flatten().find_map(Value::as_f64);
            assert_eq!(said.map(f64::to_bits), Some(score.to_bits()));
        }
    }
});
