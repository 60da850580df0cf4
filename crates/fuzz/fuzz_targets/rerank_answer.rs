//! Whatever a reranking server answers: finite scores of the texts, and those that a plain reader finds, or none.

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
    let answer = match Answer::read(body, n_texts, |_| false) {
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
    assert!(answer.scores.iter().flatten().all(|score| score.is_finite()));
    assert!(n_texts == 0 || answer.scores.iter().any(Option::is_some));
    assert!(answer.n_tokens.is_none_or(|n_tokens| n_tokens <= 1 << 40));

    // Every score that a list of rows in the plainest form gives is found.
    let Ok(Value::Array(rows)) = serde_json::from_slice::<Value>(body) else {
        return;
    };
    for row in &rows {
        let index = row["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let said = [row.get("relevance_score"), row.get("score")];
        let said = said.into_iter().flatten().find(|value| !value.is_null());
        if let (Some(index), Some(said)) = (index, said.and_then(Value::as_f64)) {
            assert_eq!(answer.scores[index].map(f64::to_bits), Some(said.to_bits()));
        }
    }
});
