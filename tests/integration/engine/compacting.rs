//! Embeddings without a use are deleted once there are many.

use std::path::Path;

use memlens_embed::Hashing;
use memlens_engine::Indexer;
use memlens_params::Params;
use memlens_store::Store;
use memlens_tests::{Notes, answers, fresh, index, open};

#[test]
fn embeddings_that_nothing_uses_are_forgotten_when_they_are_many() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let lines: String = (0..1200)
        .map(|line| format!("{{\"text\":\"The relay number {line}.\"}}\n"))
        .collect();
    notes.write("many.jsonl", &lines);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    index(dir.path(), &[notes.path()]);
    let sizes = |dir: &Path| {
        let store = Store::open_read_only(dir).expect("it can be read");
        let n_embeddings = store.n_embeddings().expect("they can be counted");
        (n_embeddings, open(dir).lists().vectors.n_rows())
    };
    let (n_all, n_rows) = sizes(dir.path());
    assert!(n_all > 1024 && n_rows as u64 == n_all);
    let compact = || {
        let (mut indexer, _) =
            Indexer::open(dir.path(), Box::new(Hashing::default())).expect("it can be opened");
        indexer.compact().expect("it can be compacted")
    };
    assert!(!compact(), "all of them are used");
    let library = open(dir.path());
    let n_bytes = library.data_size().total;

    notes.remove("many.jsonl");
    index(dir.path(), &[notes.path()]);
    assert_eq!(sizes(dir.path()), (n_all, n_rows));
    assert!(compact());
    let (n_left, n_rows_left) = sizes(dir.path());
    assert!(n_left < 10 && n_rows_left < 10, "{n_left} {n_rows_left}");
    assert!(library.data_size().total < n_bytes / 2.0);
    assert!(!compact(), "nothing is left to do");
    // A reader that was open takes up the smaller lists, and everything equals a fresh library.
    assert!(library.refresh().expect("it can be taken up"));
    assert_eq!(library.lists().vectors.n_rows(), n_rows_left);
    let fresh_dir = fresh(&[notes.path()]);
    assert_eq!(
        answers(&library, &["hall relay"], &Params::default()),
        answers(&open(fresh_dir.path()), &["hall relay"], &Params::default())
    );
    notes.write("many.jsonl", &lines);
    let counts = index(dir.path(), &[notes.path()]);
    assert_eq!(counts.n_embedded as u64 + n_left, n_all);
}
