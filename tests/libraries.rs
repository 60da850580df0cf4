//! Libraries made from folders, and comparisons of libraries without their ids.

use memlens_engine::report;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use memlens_embed::{Embedder, Hashing};
use memlens_engine::{Counts, EngineError, FolderId, Indexer, Library, Search, Step};
use memlens_params::Params;
use memlens_store::{Severity, Store};
use serde_json::Value;
use tempfile::TempDir;

use crate::embedders::hashing;

/// Indexes these folders into the library in `dir`, adding those that are new.
///
/// # Panics
/// If that fails. The other functions panic too if they fail.
pub fn index(dir: &Path, folders: &[&Path]) -> Counts {
    index_with(dir, folders, Box::new(Hashing::default()))
}

/// Does the same as [`index`] with the given embedder.
pub fn index_with(dir: &Path, folders: &[&Path], embedder: Box<dyn Embedder>) -> Counts {
    let go_on = AtomicBool::new(false);
    let (mut indexer, _) = Indexer::open(dir, embedder).expect("the library can be opened");
    for path in folders {
        let known = indexer.store().folders().expect("they can be read");
        let folder = match known
            .into_iter()
            .find(|known| Path::new(&known.path) == *path)
        {
            Some(folder) => folder,
            None => indexer.add_folder(path).expect("it can be added"),
        };
        indexer.scan(&folder, &go_on).expect("it can be walked");
    }
    let step = indexer.run(&go_on, &mut ()).expect("it can be indexed");
    assert_eq!(step, Step::Idle);
    indexer.counts()
}

/// Makes a library of these folders, which is deleted when the value is dropped.
pub fn fresh(folders: &[&Path]) -> TempDir {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    index(dir.path(), folders);
    dir
}

/// Opens a library to search it with the hashing embedder.
pub fn open(dir: &Path) -> Library {
    Library::open(dir, hashing()).expect("the library can be opened")
}

/// All content of a library without ids and generation, as lines of text in the total order of chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Folders, documents, chunks with texts and windows with vectors.
    pub lines: Vec<String>,
    /// The problems of indexing, with their files.
    pub problems: Vec<String>,
}

/// Returns all content of a library.
pub fn content(store: &Store) -> Content {
    let snapshot = store.snapshot().expect("the library can be read");
    let folder_path = |id: FolderId| {
        let folder = snapshot.folders.iter().find(|folder| folder.id == id);
        folder.expect("it is watched").path.clone()
    };
    let vector = |embedding| {
        let vector = store.vector(embedding).expect("it can be read");
        let bits: Vec<u32> = vector
            .expect("it is there")
            .into_iter()
            .map(f32::to_bits)
            .collect();
        let mut hasher = DefaultHasher::new();
        bits.hash(&mut hasher);
        format!("vector {:x}", hasher.finish())
    };
    let mut lines = Vec::new();
    for folder in &snapshot.folders {
        lines.push(format!(
            "folder {} paused {}",
            folder.path, folder.is_paused
        ));
    }
    for document in snapshot.documents.iter() {
        lines.push(format!(
            "document {} {} {:x?} {} {} {:?} {:?} {:?}",
            folder_path(document.folder),
            document.path,
            &document.hash[..4],
            document.modified_ms,
            document.encoding,
            document.agent,
            document.date,
            document.tags,
        ));
        for chunk in &document.chunks {
            let texts = store.chunk_texts([chunk.id]).expect("it can be read");
            lines.push(format!(
                "  chunk {}-{} {:?} {} {:?} {} {} {}",
                chunk.start_line,
                chunk.end_line,
                chunk.bytes,
                document.heading(chunk),
                chunk.agent,
                chunk.tokens,
                texts[0].as_deref().expect("it is as saved"),
                vector(chunk.embedding),
            ));
            for window in
                &document.windows[chunk.windows.start as usize..chunk.windows.end as usize]
            {
                let (start, end) = (window.start_line, window.end_line);
                lines.push(format!(
                    "    window {start}-{end} {}",
                    vector(window.embedding)
                ));
            }
        }
    }
    let problems = store.problems().expect("they can be read");
    let problems = problems
        .iter()
        .map(|problem| {
            let severity = match problem.severity {
                Severity::Error => "error",
                Severity::Note => "note",
                Severity::Unread => "unread",
            };
            format!(
                "{severity} {} {} {:?} {}",
                folder_path(problem.folder),
                problem.path,
                problem.line,
                problem.message
            )
        })
        .collect();
    Content { lines, problems }
}

/// How often a search is reported again if there was no time to compare every note with the disk.
const REPORT_TRIES: usize = 20;

/// Returns the report of a search. A busy machine may leave no time to compare every note with the disk, which is then
/// tried again; a note that cannot be read stays as it is.
fn compared(library: &Library, search: &Search, params: &Params) -> Value {
    let report = || {
        let report = report(library, search, params).expect("it can be explained");
        serde_json::to_value(report).expect("a report is plain data")
    };
    let mut last = report();
    for _ in 0..REPORT_TRIES {
        if !last.to_string().contains("not_checked") {
            break;
        }
        last = report();
    }
    last
}

/// Returns the whole report of each query, without times. Two libraries with the same reports cannot be distinguished.
pub fn answers(library: &Library, queries: &[&str], params: &Params) -> Vec<Value> {
    queries
        .iter()
        .map(|query| {
            let search = match library.search(query, params, None) {
                Err(EngineError::EmptyQuery) => return Value::Null,
                other => other.expect("it can be searched"),
            };
            let mut report = compared(library, &search, params);
            for stage in report["stages"].as_array_mut().expect("stages are a list") {
                stage["ms"].take();
            }
            report
        })
        .collect()
}

/// Checks that the library in `dir` has the same content and answers as a new library of these folders.
///
/// # Panics
/// If they differ, with the first difference.
pub fn check_equals_fresh(dir: &Path, folders: &[&Path], queries: &[&str]) {
    let fresh_dir = fresh(folders);
    let [found, expected] = [dir, fresh_dir.path()].map(|dir| {
        let library = open(dir);
        assert_eq!(library.notices(), [""; 0]);
        let content = content(&library.store());
        (content, answers(&library, queries, &Params::default()))
    });
    let lines = |content: &Content| [content.lines.clone(), content.problems.clone()].concat();
    let pairs = lines(&found.0).into_iter().zip(lines(&expected.0));
    for (found, expected) in pairs {
        assert_eq!(found, expected);
    }
    assert_eq!(found.0, expected.0);
    for (query, (found, expected)) in queries.iter().zip(found.1.iter().zip(&expected.1)) {
        assert_eq!(difference(found, expected), None, "{query}");
    }
}

/// Returns the place and kind of the first difference of two values; `None` if they are equal.
fn difference(found: &Value, expected: &Value) -> Option<String> {
    let within = |key: String, found: &Value, expected: &Value| {
        difference(found, expected).map(|rest| format!("{key} {rest}"))
    };
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => a
            .iter()
            .find_map(|(key, value)| within(key.clone(), value, &b[key])),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(at, (a, b))| within(at.to_string(), a, b))
        }
        _ => (found != expected).then(|| format!("{found} in place of {expected}")),
    }
}
