//! Measures late interaction for 20 notes, read for the first time and from the cache.
//!
//! Run by `cargo xtask bench`, or alone by `cargo bench --profile dev -p memlens-rerank --bench late`. Prints one
//! series per line as JSON. The cache is in memory here, as bytes; a database adds its own time.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use memlens_embed::{Bundled, Embedder, Locations, forbid_telemetry};
use memlens_rerank::{CancellationToken, Late, Limits, Reranker, TokenCache, TokenTable};
use serde_json::json;

const N_TEXTS: usize = 20;
const TEXT_CHARS: usize = 1500;
/// Number of runs with new texts each time.
const N_FIRST: usize = 7;
const N_KEPT: usize = 50;
const QUERY: &str = "When are the relay's quiet hours, and who may wake the house?";

#[derive(Default)]
struct Memory(HashMap<String, Vec<u8>>);

impl TokenCache for Memory {
    fn get(&mut self, _model: &str, text: &str) -> Option<TokenTable> {
        TokenTable::from_bytes(self.0.get(text)?)
    }

    fn put(&mut self, _model: &str, text: &str, table: &TokenTable) {
        self.0.insert(text.to_owned(), table.to_bytes());
    }
}

#[allow(unsafe_code)]
fn main() {
    // SAFETY: This is the first statement; no other thread is running yet.
    unsafe { forbid_telemetry() };
    let at = Locations::find(&[]).expect("`cargo xtask setup` was run");
    let embedder =
        || -> Box<dyn Embedder> { Box::new(Bundled::load(&at, 1).expect("library and model fit")) };
    // As many as in the program: one for each of two cores.
    let mut late = Late::new(vec![embedder(), embedder()], Memory::default());
    let mut millis = |texts: &[String]| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let limits = Limits {
            deadline: Instant::now() + Duration::from_secs(3600),
            cancel: CancellationToken::new(),
        };
        let started = Instant::now();
        let scores = late.score(QUERY, &texts, &limits);
        let millis = started.elapsed().as_secs_f64() * 1000.0;
        assert_eq!(scores.expect("nothing stops it").scores.len(), N_TEXTS);
        millis
    };
    let texts = texts();
    let (warm_up, texts) = texts.split_at(N_TEXTS);
    millis(warm_up);
    let first: Vec<f64> = texts.chunks(N_TEXTS).map(&mut millis).collect();
    let kept: Vec<f64> = (0..N_KEPT).map(|_| millis(warm_up)).collect();
    let note = format!("{N_TEXTS} notes of {TEXT_CHARS} characters, 2 threads");
    print("late interaction, first time", &note, &first);
    print("late interaction, kept", &note, &kept);
}

fn print(name: &str, note: &str, samples: &[f64]) {
    println!(
        "{}",
        json!({ "name": name, "unit": "ms", "note": note, "samples": samples })
    );
}

/// Returns distinct texts made of the lines of the fixture's notes.
fn texts() -> Vec<String> {
    let lines = lines();
    let text = |number: usize| {
        // Each begins at another line, and its lines end with its number.
        let mut text = String::new();
        for at in 0.. {
            if text.chars().count() >= TEXT_CHARS {
                break;
            }
            text += &lines[(number * 7 + at) % lines.len()];
            text += &format!(" {number}\n");
        }
        text.chars().take(TEXT_CHARS).collect()
    };
    (0..N_TEXTS * (N_FIRST + 1)).map(text).collect()
}

fn lines() -> Vec<String> {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/agent-memory-57");
    let mut lines = BTreeSet::new();
    for folder in ["people", "protocols", "reference"] {
        for note in fs::read_dir(fixture.join(folder)).expect("the fixture is there") {
            let note = note.expect("the fixture can be read").path();
            let text = fs::read_to_string(note).expect("a note is text");
            let said = text.lines().filter(|line| !line.trim().is_empty());
            lines.extend(said.map(str::to_owned));
        }
    }
    lines.into_iter().collect()
}
