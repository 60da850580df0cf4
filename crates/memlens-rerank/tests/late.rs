//! Late interaction with the real model: texts that answer the question score higher, one or two embedders give the
//! same result, and the matched words are the expected ones.

use std::time::{Duration, Instant};

use memlens_embed::{Bundled, Embedder, Locations};
use memlens_rerank::{CancellationToken, Late, Limits, Reranker, TokenCache, TokenTable};

struct Forgetful;

impl TokenCache for Forgetful {
    fn get(&mut self, _model: &str, _text: &str) -> Option<TokenTable> {
        None
    }

    fn put(&mut self, _model: &str, _text: &str, _table: &TokenTable) {}
}

fn late(n_embedders: usize) -> Late<Forgetful> {
    let at = Locations::find(&[]).expect("`cargo xtask setup` was run");
    let embedders = (0..n_embedders).map(|_| -> Box<dyn Embedder> {
        Box::new(Bundled::load(&at, 1).expect("library and model fit"))
    });
    Late::new(embedders.collect(), Forgetful)
}

fn limits() -> Limits {
    Limits {
        deadline: Instant::now() + Duration::from_secs(3600),
        cancel: CancellationToken::new(),
    }
}

const QUERY: &str = "When is the relay silent?";
const TEXTS: [&str; 3] = [
    "The soup needs an hour, and salt.\nBuy onions on the way.",
    "# Relay\n\nQuiet hours of the relay: from 22:00 until seven.\nThen it may ring again.",
    "The relay race was in June; our team came second.",
];

#[test]
fn what_answers_the_question_scores_higher() {
    let score = |n_embedders: usize| {
        let scores = late(n_embedders).score(QUERY, &TEXTS, &limits());
        let scores = scores.expect("nothing stops it").complete();
        scores.expect("each text has a score")
    };
    let scores = score(1);
    assert!(scores[1] > scores[2] && scores[2] > scores[0], "{scores:?}");
    assert!(scores.iter().all(|score| (-1.0..=1.0).contains(score)));
    assert_eq!(score(2), scores);
}

#[test]
fn the_words_that_answer_are_known() {
    let text = TEXTS[1];
    let answers = late(1)
        .answers(QUERY, text, &limits())
        .expect("nothing stops it");
    let words: Vec<&str> = answers
        .iter()
        .map(|answer| &text[answer.bytes.clone()])
        .collect();
    let said: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    assert_eq!(words, said, "every word is there, in order");
    let mut near: Vec<(&str, &str)> = answers
        .iter()
        .filter(|answer| answer.counts && answer.weight > 0.5)
        .map(|answer| (&text[answer.bytes.clone()], &QUERY[answer.asked.clone()]))
        .collect();
    near.sort_unstable();
    assert!(
        near.contains(&("relay", "relay")) || near.contains(&("Relay", "relay")),
        "{near:?}"
    );
    assert!(near.contains(&("Quiet", "silent")), "{near:?}");
}
