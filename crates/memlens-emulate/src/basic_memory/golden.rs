//! Compares chunks with those of the published package.

use std::path::Path;

use serde::Deserialize;
use sha2::Digest;

use super::cut::chunks;

#[derive(Deserialize)]
struct ExpectedChunk {
    path: String,
    index: usize,
    sha256: String,
}

#[test]
fn chunks_are_its_own() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let file = tests.join("golden/basic-memory/agent-memory-57.chunks.jsonl");
    let expected = std::fs::read_to_string(file).expect("the chunks");
    let expected: Vec<ExpectedChunk> = expected
        .lines()
        .map(|line| serde_json::from_str(line).expect("a chunk"))
        .collect();
    let mut open: Vec<String> = Vec::new();
    for (at, it) in expected.iter().enumerate() {
        if it.index == 0 {
            let file = tests.join("fixtures/agent-memory-57").join(&it.path);
            let text = std::fs::read_to_string(file).expect("a note");
            let below = it.path.strip_suffix(".md").expect("a note");
            let stem = below.rsplit('/').next().unwrap_or(below);
            open = chunks(stem, &format!("memory/{below}"), &text);
            let n = expected[at..]
                .iter()
                .take_while(|next| next.path == it.path)
                .count();
            assert_eq!(open.len(), n, "{}", it.path);
        }
        let digest = sha2::Sha256::digest(open[it.index].as_bytes());
        let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, it.sha256, "{} {}", it.path, it.index);
    }
    println!("basic-memory 0.24.1: {} chunks identical", expected.len());
}
