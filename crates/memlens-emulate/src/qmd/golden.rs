//! Compares titles and chunks with those of the published package.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use sha2::Digest;

use super::cut::{for_reranking, for_vectors, units};
use super::document::title;

#[derive(Deserialize)]
struct ExpectedNote {
    path: String,
    title: String,
    utf16_length: usize,
    embed_chunks: Vec<Chunk>,
    rerank_chunks: Vec<Chunk>,
}

#[derive(Deserialize)]
struct Chunk {
    pos: usize,
    len: usize,
    sha256: Option<String>,
}

#[derive(Deserialize)]
struct Given {
    path: String,
    text: String,
}

fn lines<T: for<'a> Deserialize<'a>>(path: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of its own"))
        .collect()
}

fn sha256(text: &str) -> String {
    let digest = sha2::Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn titles_and_chunks_are_its_own() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut n_chunks = 0;
    for name in ["agent-memory-57", "craft-fts", "craft-chunk"] {
        let golden = tests.join("golden/qmd");
        let expected: Vec<ExpectedNote> = lines(&golden.join(format!("{name}.chunks.jsonl")));
        let files = golden.join(format!("{name}.files.jsonl"));
        let given: HashMap<String, String> = if files.exists() {
            let given: Vec<Given> = lines(&files);
            given.into_iter().map(|it| (it.path, it.text)).collect()
        } else {
            HashMap::new()
        };
        for expected in expected {
            let path = &expected.path;
            let text = given.get(path).cloned().unwrap_or_else(|| {
                let below = path
                    .strip_prefix("memory/")
                    .expect("a note of the collection");
                let file = tests.join("fixtures").join(name).join(below);
                std::fs::read_to_string(file).expect("a note")
            });
            let units = units(&text);
            assert_eq!(units.len(), expected.utf16_length, "{path}");
            assert_eq!(title(&text, path), expected.title, "{path}");
            let cuts = [
                (for_vectors(&units), &expected.embed_chunks),
                (for_reranking(&units), &expected.rerank_chunks),
            ];
            for (ours, theirs) in cuts {
                let places: Vec<(usize, usize)> =
                    ours.iter().map(|it| (it.start, it.len)).collect();
                let their: Vec<(usize, usize)> = theirs.iter().map(|it| (it.pos, it.len)).collect();
                assert_eq!(places, their, "{path}");
                for (ours, theirs) in ours.iter().zip(theirs) {
                    if let Some(hash) = &theirs.sha256 {
                        assert_eq!(&sha256(&ours.text), hash, "{path} at {}", theirs.pos);
                    }
                }
                n_chunks += their.len();
            }
        }
    }
    println!("qmd 2.8.3: {n_chunks} chunks identical");
}
