//! The cache of scores and token vectors, as any process uses it.
//!
//! Properties checked: a stored value is returned bit for bit; no limit is ever exceeded; the latest used entries stay;
//! the file contains no question and no text; a damaged file is replaced, a newer one left unchanged; many processes
//! may write.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use memlens_store::{CacheLimits, CachedScore, RerankCall, ScoreCache};
use proptest::prelude::*;
use rusqlite::Connection;

const FILE: &str = "rerank.sqlite";

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch folder can be made")
}

fn open(dir: &Path) -> ScoreCache {
    ScoreCache::open(dir).expect("it can be opened")
}

fn open_within(dir: &Path, n_scores_max: u32, vector_bytes_max: u64) -> ScoreCache {
    let limits = CacheLimits {
        n_scores_max,
        vector_bytes_max,
        n_calls_max: 3,
    };
    ScoreCache::open_within(dir, limits).expect("it can be opened")
}

fn put(cache: &ScoreCache, query: &str, text: &str, score: f64) {
    cache
        .put_scores(query, "jina", "m", "unit", &[(text, score)])
        .expect("it can be kept");
}

fn get(cache: &ScoreCache, query: &str, text: &str) -> Option<f64> {
    let mut found = cache
        .scores(query, "jina", "m", &[text])
        .expect("it can be read");
    found
        .pop()
        .expect("one was asked for")
        .map(|found| found.score)
}

fn call(at_ms: i64) -> RerankCall {
    RerankCall {
        at_ms,
        provider: "jina".to_owned(),
        model: "m".to_owned(),
        n_docs: 20,
        max_chars: 500,
        n_chars: 9000,
        micros: 120_000,
        n_tokens: (at_ms % 2 == 0).then_some(4000),
        is_ok: at_ms != 3,
    }
}

/// All bytes below a folder.
fn bytes(dir: &Path) -> Vec<u8> {
    let entries = fs::read_dir(dir).expect("it can be listed");
    entries
        .flat_map(|entry| {
            fs::read(entry.expect("it can be listed").path()).expect("it can be read")
        })
        .collect()
}

/// A figure of the file, as another program reads it.
fn figure(dir: &Path, sql: &str) -> i64 {
    let connection = Connection::open(dir.join(FILE)).expect("it is a database");
    connection
        .query_row(sql, [], |row| row.get(0))
        .expect("it is known")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn what_was_put_comes_back_bit_for_bit(
        put in prop::collection::vec((0..3_usize, 0..3_usize, 0..2_usize, "[a-c]{0,2}", any::<u64>()), 1..40)
    ) {
        let dir = scratch();
        let mut cache = open(dir.path());
        // Parts that would run into each other if they were only joined.
        let names = ["", "a", "ab"];
        let mut expected = HashMap::new();
        for (query, provider, model, text, bits) in &put {
            let (query, provider, model) = (names[*query], names[*provider], names[*model]);
            cache.put_scores(query, provider, model, "logit", &[(text, f64::from_bits(*bits))]).unwrap();
            expected.insert((query, provider, model, text.as_str()), *bits);
        }
        for round in 0..2 {
            for ((query, provider, model, text), bits) in &expected {
                let found = cache.scores(query, provider, model, &[text, "never put"]).unwrap();
                prop_assert_eq!(found.len(), 2);
                prop_assert_eq!(&found[1], &None);
                let CachedScore { score, scale } = found[0].as_ref().expect("it was put");
                prop_assert_eq!((score.to_bits(), scale.as_str()), (*bits, "logit"), "round {}", round);
            }
            cache = open(dir.path());
        }
    }

    #[test]
    fn no_limit_is_ever_exceeded(
        put in prop::collection::vec((0..12_usize, prop::collection::vec(any::<u8>(), 0..900)), 1..60)
    ) {
        let dir = scratch();
        let cache = open_within(dir.path(), 5, 3000);
        let mut last = HashMap::new();
        for (number, bytes) in &put {
            let text = number.to_string();
            cache.put_vectors("m", &text, bytes).unwrap();
            last.insert(text.clone(), bytes);
            // The newest entry is present, each present entry has its last value, and all of them together fit.
            let found = cache.vectors("m", &text).unwrap();
            prop_assert_eq!(found.as_ref(), Some(bytes));
            prop_assert!(figure(dir.path(), "SELECT sum(length(bytes)) FROM vectors") <= 3000);
            cache.put_scores("q", "p", "m", "unit", &[(&text, *number as f64), ("x", 0.5)]).unwrap();
            prop_assert!(figure(dir.path(), "SELECT count(*) FROM scores") <= 5);
        }
        for (text, bytes) in last {
            if let Some(found) = cache.vectors("m", &text).unwrap() {
                prop_assert_eq!(&found, bytes);
            }
        }
        prop_assert_eq!(
            figure(dir.path(), "SELECT count(*) FROM vectors"),
            figure(dir.path(), "SELECT count(*) FROM vectors v JOIN vector_uses u ON u.key = v.key")
        );
    }
}

#[test]
fn the_least_recently_used_goes_first() {
    let dir = scratch();
    let cache = open_within(dir.path(), 3, 3000);
    for text in ["a", "b", "c"] {
        put(&cache, "q", text, 0.5);
        cache.put_vectors("m", text, &[7; 700]).unwrap();
    }
    assert_eq!(get(&cache, "q", "a"), Some(0.5));
    assert_eq!(cache.vectors("m", "a").unwrap(), Some(vec![7; 700]));
    put(&cache, "q", "d", 0.5);
    cache.put_vectors("m", "d", &[7; 700]).unwrap();
    let there = |text| (get(&cache, "q", text), cache.vectors("m", text).unwrap());
    assert_eq!(there("b"), (None, None));
    for text in ["a", "c", "d"] {
        assert_eq!(there(text), (Some(0.5), Some(vec![7; 700])), "{text}");
    }
    // What would push out everything else is not kept.
    cache.put_vectors("m", "large", &[7; 3001]).unwrap();
    assert_eq!(there("large").1, None);
    assert!(there("a").1.is_some());
}

#[test]
fn of_calls_the_latest_are_remembered() {
    let dir = scratch();
    let cache = open_within(dir.path(), 3, 3000);
    assert_eq!(cache.calls().unwrap(), []);
    for at_ms in 1..=5 {
        cache.log_call(&call(at_ms)).unwrap();
    }
    assert_eq!(cache.calls().unwrap(), [call(5), call(4), call(3)]);
}

#[test]
fn no_question_and_no_text_stands_in_the_file() {
    let dir = scratch();
    let cache = open(dir.path());
    put(&cache, "where is the relay", "It stands in the hall.", 0.25);
    cache
        .put_vectors("minilm", "It stands in the hall.", b"vectors of it")
        .unwrap();
    cache.log_call(&call(1)).unwrap();
    drop(cache);
    let all = bytes(dir.path());
    let holds = |text: &str| all.windows(text.len()).any(|at| at == text.as_bytes());
    assert!(holds("vectors of it"));
    for text in ["relay", "where", "hall", "stands"] {
        assert!(!holds(text), "{text}");
    }
}

#[test]
fn a_closed_cache_does_not_recreate_its_file() {
    let dir = scratch();
    let cache = open(dir.path());
    put(&cache, "q", "text", 0.5);
    cache.close();
    ScoreCache::erase(dir.path()).unwrap();
    put(&cache, "q", "other", 0.25);
    cache.log_call(&call(1)).unwrap();
    assert_eq!(
        (get(&cache, "q", "text"), get(&cache, "q", "other")),
        (None, Some(0.25))
    );
    assert!(!dir.path().join(FILE).exists());
}

#[test]
fn a_cleared_cache_is_empty_and_small_and_an_erased_one_is_gone() {
    let dir = scratch();
    let cache = open(dir.path());
    put(&cache, "q", "a", 0.5);
    cache.put_vectors("m", "a", &[7; 1_000_000]).unwrap();
    cache.log_call(&call(1)).unwrap();
    assert!(bytes(dir.path()).len() > 1_000_000);
    cache.clear().unwrap();
    let is_empty = |cache: &ScoreCache| {
        (get(cache, "q", "a"), cache.vectors("m", "a").unwrap()) == (None, None)
            && cache.calls().unwrap().is_empty()
    };
    assert!(is_empty(&cache));
    assert!(bytes(dir.path()).len() < 200_000);
    put(&cache, "q", "a", 0.75);
    ScoreCache::erase(dir.path()).unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    // A process that has it open continues with a new one.
    assert!(is_empty(&cache));
    put(&cache, "q", "a", 0.875);
    assert_eq!(get(&open(dir.path()), "q", "a"), Some(0.875));
    // Without a file there is nothing to do.
    drop(cache);
    ScoreCache::erase(dir.path()).unwrap();
    ScoreCache::erase(dir.path()).unwrap();
}

#[test]
fn a_damaged_file_is_replaced() {
    let check = |damage: &dyn Fn(&Path)| {
        let dir = scratch();
        put(&open(dir.path()), "q", "a", 0.5);
        damage(&dir.path().join(FILE));
        let cache = open(dir.path());
        assert_eq!(get(&cache, "q", "a"), None);
        put(&cache, "q", "a", 0.75);
        drop(cache);
        assert_eq!(get(&open(dir.path()), "q", "a"), Some(0.75));
    };
    check(&|path| fs::write(path, "no database").unwrap());
    check(&|path| fs::write(path, [0xff; 20_000]).unwrap());
    check(&|path| {
        let sound = fs::read(path).unwrap();
        fs::write(path, &sound[..sound.len() / 2]).unwrap();
    });
    // A database, and not this one.
    check(&|path| {
        let connection = Connection::open(path).unwrap();
        connection
            .execute_batch("DROP TABLE scores; CREATE TABLE scores (other TEXT)")
            .unwrap();
    });
}

#[test]
fn damage_that_shows_later_is_replaced_too() {
    let dir = scratch();
    let cache = open(dir.path());
    let texts: Vec<String> = (0..2000).map(|number| number.to_string()).collect();
    for text in &texts {
        put(&cache, "q", text, 0.5);
    }
    drop(cache);
    // The first page determines the format; all others are gone.
    let path = dir.path().join(FILE);
    let mut all = fs::read(&path).unwrap();
    let page = usize::from(u16::from_be_bytes([all[16], all[17]]));
    all[page * 8..].fill(0xff);
    fs::write(&path, all).unwrap();
    let cache = open(dir.path());
    for text in &texts {
        get(&cache, "q", text);
        put(&cache, "q", text, 0.75);
        assert_eq!(get(&cache, "q", text), Some(0.75), "{text}");
    }
}

#[test]
fn a_newer_file_is_left_as_it_is_and_not_used() {
    let dir = scratch();
    let path = dir.path().join(FILE);
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let before = bytes(dir.path());
    let cache = open(dir.path());
    put(&cache, "q", "a", 0.5);
    assert_eq!(get(&cache, "q", "a"), Some(0.5));
    drop(cache);
    assert_eq!(bytes(dir.path()), before);
    assert_eq!(get(&open(dir.path()), "q", "a"), None);
    // Everything is forgotten when the user asks for it.
    ScoreCache::erase(dir.path()).unwrap();
    assert!(!path.exists());
}

#[test]
fn a_place_that_cannot_be_written_keeps_scores_in_memory() {
    let dir = scratch();
    fs::create_dir(dir.path().join(FILE)).unwrap();
    let cache = open(dir.path());
    put(&cache, "q", "a", 0.5);
    assert_eq!(get(&cache, "q", "a"), Some(0.5));
}

#[test]
fn many_may_write_at_once() {
    let dir = scratch();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let dir = dir.path();
            scope.spawn(move || {
                let cache = open(dir);
                for number in 0..20 {
                    let text = format!("{writer} {number}");
                    put(&cache, "q", &text, f64::from(number));
                    cache.put_vectors("m", &text, text.as_bytes()).unwrap();
                    assert_eq!(get(&cache, "q", &text), Some(f64::from(number)));
                }
            });
        }
    });
    // None of them had to keep its own in memory.
    let cache = open(dir.path());
    for writer in 0..8 {
        for number in 0..20 {
            let text = format!("{writer} {number}");
            assert_eq!(get(&cache, "q", &text), Some(f64::from(number)), "{text}");
            assert_eq!(
                cache.vectors("m", &text).unwrap(),
                Some(text.clone().into_bytes())
            );
        }
    }
}
