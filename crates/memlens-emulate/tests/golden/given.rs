//! The input of the golden tests: rows, notes, vectors, and the stand-ins for models.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use memlens_emulate::AgentNote;
use memlens_retrieve::NoteFacts;
use memlens_store::{DocumentId, FolderId};
use serde::Deserialize;
use sha2::Digest;

pub const TOLERANCE: f64 = 1e-6;
/// The dimension of the given vectors.
pub const DIM: usize = 384;

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the rows of a file in `tests/golden`.
pub fn lines<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let path = checkout().join("tests/golden").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}: {error}")))
        .collect()
}

/// Returns a note of a made-up folder.
pub fn note(at: usize, path: &str, text: &str, modified_ms: i64) -> AgentNote {
    AgentNote {
        facts: Arc::new(NoteFacts {
            id: DocumentId(at as i64),
            folder: FolderId(1),
            folder_name: "notes".to_owned(),
            folder_path: "/notes".to_owned(),
            path: path.to_owned(),
            date: None,
            tags: Vec::new(),
        }),
        path: path.to_owned(),
        text: text.into(),
        modified_ms,
        is_extra: false,
    }
}

/// Returns the notes of agent-memory-57 in a folder `memory`: text by path.
pub fn agent_memory() -> BTreeMap<String, String> {
    let root = checkout().join("tests/fixtures/agent-memory-57");
    let folders = std::fs::read_dir(&root).expect("the fixture");
    let folders = folders.map(|it| it.expect("an entry").path());
    let files = folders.filter(|it| it.is_dir()).flat_map(|folder| {
        let files = std::fs::read_dir(&folder).expect("a folder");
        files.map(|it| it.expect("an entry").path())
    });
    files
        .map(|file| {
            let relative = file.strip_prefix(&root).expect("below");
            let text = std::fs::read_to_string(&file).expect("a note");
            (format!("memory/{}", relative.display()), text)
        })
        .collect()
}

/// Returns the id of a text in the golden files.
pub fn sha256(text: &str) -> String {
    let digest = sha2::Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the given vectors: of texts by their hash, of questions by their id if they have one.
pub fn vectors(name: &str) -> HashMap<String, Vec<f32>> {
    #[derive(Deserialize)]
    struct Given {
        id: Option<String>,
        sha256: Option<String>,
        f32: String,
    }
    let given: Vec<Given> = lines(name);
    given
        .into_iter()
        .map(|it| {
            let bytes = base64::engine::general_purpose::STANDARD
                .decode(it.f32)
                .expect("base64");
            let numbers = bytes.chunks_exact(4);
            let numbers = numbers.map(|it| f32::from_le_bytes(it.try_into().expect("four bytes")));
            let name = it.id.or(it.sha256).expect("a name");
            (name, numbers.collect())
        })
        .collect()
}

fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|sign: char| !sign.is_ascii_alphanumeric());
    words
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The stand-in for every reranker: the share of the question's words in a text.
pub fn share(question: &str, text: &str) -> f64 {
    let (asked, held) = (words(question), words(text));
    let n_held = asked.iter().filter(|it| held.contains(*it)).count();
    n_held as f64 / asked.len().max(1) as f64
}

/// Prints one row of the table of agreement.
pub fn print_agreement(set: &str, n: usize, n_failed: usize) {
    println!("{set:<40}{:>4} of {n:>4} lists identical", n - n_failed);
}

/// Prints how many lists of a set are identical, and fails if one is not.
pub fn agreed(set: &str, n: usize, failed: &[String]) {
    print_agreement(set, n, failed.len());
    assert!(
        failed.is_empty(),
        "{} of {n}:\n{}",
        failed.len(),
        failed.join("\n")
    );
}
