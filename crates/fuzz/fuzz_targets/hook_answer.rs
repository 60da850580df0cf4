//! Whatever a hook prints: the rows that stay are rows that were given, each once, with finite scores.

#![no_main]

use std::collections::HashSet;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use memlens_rerank::hook::{Answer, AnswerRow, Event, EventRow};

/// Two of five rows share their place.
static EVENT: LazyLock<Event> = LazyLock::new(|| Event {
    query: "where is the router".to_owned(),
    agent_id: String::new(),
    results: [("a.md", 1), ("b.md", 2), ("a.md", 1), ("a.md", 3), ("", 0)]
        .map(|(path, line)| EventRow {
            path: path.to_owned(),
            start_line: line,
            end_line: line + 1,
            score: 0.5,
            snippet: String::new(),
            source: String::new(),
        })
        .to_vec(),
});

fuzz_target!(|printed: &[u8]| {
    let kept = match EVENT.kept(printed) {
        Ok(kept) => kept,
        Err(error) => {
            let said = error.to_string();
            assert!(said.len() <= fuzz::MESSAGE_BYTES_MAX, "{said}");
            return;
        }
    };
    let given = &EVENT.results;
    let places: HashSet<usize> = kept.iter().map(|row| row.index).collect();
    assert_eq!(places.len(), kept.len());
    assert!(
        kept.iter()
            .all(|row| row.index < given.len() && row.score.is_finite())
    );
    // Said again in the same order, it is the same.
    let rows = kept.iter().map(|row| AnswerRow {
        score: Some(row.score),
        ..AnswerRow::from(given[row.index].clone())
    });
    let answer = Answer {
        results: Some(rows.collect()),
    };
    let printed = serde_json::to_vec(&answer).expect("it is JSON");
    let again = EVENT.kept(&printed).expect("all were given");
    let scores = |kept: &[memlens_rerank::hook::Kept]| -> Vec<(&str, u64, u64)> {
        let row = |row: &memlens_rerank::hook::Kept| {
            let place = &given[row.index];
            (place.path.as_str(), place.start_line, row.score.to_bits())
        };
        kept.iter().map(row).collect()
    };
    assert_eq!(scores(&again), scores(&kept));
});
