//! Lists that are damaged, stale or of another model are rebuilt, said so, and never served.
//!
//! Properties checked: each kind of damage is found and mended by a reader and by a writer, without a text being
//! embedded; a query is only ever compared with vectors of its own model; a reader waits for a writer that builds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memlens_embed::{Embedder, Hashing};
use memlens_engine::{EmbedderSource, Indexer, Library};
use memlens_index::VectorWriter;
use memlens_params::Params;
use memlens_store::{Store, StoreError};
use memlens_tests::{
    Asked, Notes, Other, Recording, answers, content, failing, hashing, index, index_with, open,
};
use serde_json::Value;

const QUERIES: [&str; 3] = ["quiet relay", "hall 7", "?!"];

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("it can be listed") {
        let entry = entry.expect("it can be listed");
        if entry.file_type().expect("it has one").is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).expect("it can be copied");
        }
    }
}

/// Returns the largest file in a folder whose name holds `part`.
fn largest(dir: &Path, part: &str) -> PathBuf {
    let files = fs::read_dir(dir)
        .expect("it can be listed")
        .map(|entry| entry.expect("it can be listed").path());
    let named = files.filter(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().contains(part))
    });
    named
        .max_by_key(|path| path.metadata().map_or(0, |metadata| metadata.len()))
        .expect("there is one")
}

fn truncate(path: &Path) {
    let bytes = fs::read(path).expect("it can be read");
    // A new file: a mapping of the old one stays sound.
    fs::remove_file(path).expect("it can be removed");
    fs::write(path, &bytes[..bytes.len() / 2]).expect("it can be written");
}

fn flip(path: &Path) {
    let mut bytes = fs::read(path).expect("it can be read");
    let at = bytes.len() / 2;
    bytes[at] ^= 0x10;
    fs::remove_file(path).expect("it can be removed");
    fs::write(path, bytes).expect("it can be written");
}

/// Puts a list of the right generation, dimension and embeddings in place, whose numbers mean something else.
fn write_vectors_of_another_model(dir: &Path) {
    let store = Store::open_read_only(dir).expect("it can be read");
    let (model, dim) = store
        .embedding_model()
        .expect("it can be read")
        .expect("it has chunks");
    let mut list = VectorWriter::create(&dir.join("vectors/flat"), &format!("not {model}"), dim)
        .expect("it can be started");
    store
        .for_each_embedding(|embedding, vector| -> Result<(), StoreError> {
            let reversed: Vec<f32> = vector.iter().rev().copied().collect();
            list.append(embedding.0, &reversed)
                .expect("it can be appended");
            Ok(())
        })
        .expect("they can be read");
    list.commit(store.generation().expect("it can be read"))
        .expect("it can be committed");
}

/// Is a library with what is needed to damage it.
struct Sound {
    notes: Notes,
    dir: tempfile::TempDir,
    /// The library as it was a change ago.
    old: tempfile::TempDir,
    answers: Vec<Value>,
}

fn sound() -> Sound {
    let notes = Notes::new(&[]);
    for number in 0..12 {
        notes.write(
            &format!("{number}.md"),
            format!("# Note {number}\n\nThe quiet relay stands in hall {number}."),
        );
    }
    let [dir, old] =
        std::array::from_fn(|_| tempfile::tempdir().expect("a scratch folder can be made"));
    index(dir.path(), &[notes.path()]);
    copy(dir.path(), old.path());
    notes.write("7.md", "The loud relay left hall 7.");
    index(dir.path(), &[notes.path()]);
    let answers = answers(&open(dir.path()), &QUERIES, &Params::default());
    Sound {
        notes,
        dir,
        old,
        answers,
    }
}

/// Is one way to damage a library, and the lists that must be rebuilt then.
type Damage = (&'static str, fn(&Sound), &'static [&'static str]);

const DAMAGES: &[Damage] = &[
    (
        "the text list is gone",
        |it| fs::remove_dir_all(it.dir.path().join("text")).expect("it is there"),
        &["BM25"],
    ),
    (
        "the vector list is gone",
        |it| fs::remove_dir_all(it.dir.path().join("vectors")).expect("it is there"),
        &["vector"],
    ),
    (
        "both are gone",
        |it| {
            fs::remove_dir_all(it.dir.path().join("text")).expect("it is there");
            fs::remove_dir_all(it.dir.path().join("vectors")).expect("it is there");
        },
        &["BM25", "vector"],
    ),
    (
        "the vector list has no head",
        |it| fs::remove_file(it.dir.path().join("vectors/flat")).expect("it is there"),
        &["vector"],
    ),
    (
        "the vector list's head is cut off",
        |it| truncate(&it.dir.path().join("vectors/flat")),
        &["vector"],
    ),
    (
        "the rows are cut off",
        |it| truncate(&largest(&it.dir.path().join("vectors"), "flat.")),
        &["vector"],
    ),
    (
        "a bit of the rows is flipped",
        |it| flip(&largest(&it.dir.path().join("vectors"), "flat.")),
        &["vector"],
    ),
    (
        "the rows are gone",
        |it| {
            fs::remove_file(largest(&it.dir.path().join("vectors"), "flat.")).expect("it is there")
        },
        &["vector"],
    ),
    (
        "the text list's head is cut off",
        |it| truncate(&it.dir.path().join("text/meta.json")),
        &["BM25"],
    ),
    (
        "a file of the text list is cut off",
        |it| truncate(&largest(&it.dir.path().join("text"), ".")),
        &["BM25"],
    ),
    (
        "a bit of the text list is flipped",
        |it| flip(&largest(&it.dir.path().join("text"), ".idx")),
        &["BM25"],
    ),
    (
        "the text list is of an older generation",
        |it| copy(&it.old.path().join("text"), &it.dir.path().join("text")),
        &["BM25"],
    ),
    (
        "the vector list is of another model",
        |it| write_vectors_of_another_model(it.dir.path()),
        &["vector"],
    ),
    (
        "the vector list is of an older generation",
        |it| {
            copy(
                &it.old.path().join("vectors"),
                &it.dir.path().join("vectors"),
            )
        },
        &["vector"],
    ),
];

fn check_notices(notices: &[String], lists: &[&str], name: &str) {
    assert_eq!(notices.len(), lists.len(), "{name}: {notices:?}");
    for (notice, list) in notices.iter().zip(lists) {
        assert!(
            notice.starts_with(&format!("the {list} list was rebuilt: cannot ")),
            "{name}: {notice}"
        );
    }
}

#[test]
fn a_reader_mends_damaged_lists() {
    let it = sound();
    for (name, damage, lists) in DAMAGES {
        damage(&it);
        let library = open(it.dir.path());
        check_notices(library.notices(), lists, name);
        assert_eq!(
            answers(&library, &QUERIES, &Params::default()),
            it.answers,
            "{name}"
        );
        drop(library);
        assert_eq!(
            open(it.dir.path()).notices(),
            [""; 0],
            "{name}: it was mended"
        );
    }
}

#[test]
fn a_writer_mends_damaged_lists() {
    let it = sound();
    for (name, damage, lists) in DAMAGES {
        damage(&it);
        let (indexer, notices) =
            Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it can be opened");
        check_notices(&notices, lists, name);
        assert_eq!(indexer.counts().n_embedded, 0);
        drop(indexer);
        let library = open(it.dir.path());
        assert_eq!(library.notices(), [""; 0], "{name}: it was mended");
        assert_eq!(
            answers(&library, &QUERIES, &Params::default()),
            it.answers,
            "{name}"
        );
    }
    // The next change goes on from there.
    it.notes.write("7.md", "A new thing in hall 7.");
    let counts = index(it.dir.path(), &[it.notes.path()]);
    assert_eq!((counts.n_changed, counts.n_unchanged), (1, 11));
}

/// Checks that a search by `source` leaves the vectors alone and says why, and that words still find.
fn check_words_alone(dir: &Path, source: EmbedderSource, notice: &str) {
    let library = Library::open(dir, source).expect("it can be opened");
    let search = library
        .search("quiet relay", &Params::default(), None)
        .expect("it can be searched");
    assert_eq!(
        search.notices,
        [format!("The order comes from words alone: {notice}.")]
    );
    assert!(
        search
            .set()
            .candidates
            .iter()
            .all(|candidate| candidate.vector.score.is_none())
    );
    assert!(!search.rank(&Params::default()).kept().is_empty());
    // Without a word there is nothing to go by.
    let search = library
        .search("?!", &Params::default(), None)
        .expect("it can be searched");
    assert_eq!(
        search.notices,
        [format!(
            "Nothing can be compared: “?!” has no letters or digits, and there are no vectors: {notice}."
        )]
    );
    assert_eq!(
        (
            search.set().candidates.len(),
            search.rank(&Params::default()).kept().len()
        ),
        (0, 0)
    );
}

#[test]
fn a_query_is_compared_with_vectors_of_its_own_model_alone() {
    let it = sound();
    let of_another = |id: &str| {
        format!("the notes were embedded by hashing-64 and not by {id}; index them again")
    };
    let others: [(EmbedderSource, String); 3] = [
        (Arc::new(|_| Ok(Box::new(Other::default()))), of_another("other-64")),
        (Arc::new(|_| Ok(Box::new(Hashing::new(32)))), of_another("hashing-32")),
        (
            failing(),
            "no embedding: cannot find the embedding model (`cargo xtask setup` fetches what is missing): looked at nowhere".to_owned(),
        ),
    ];
    for (source, notice) in others {
        check_words_alone(it.dir.path(), source.clone(), &notice);
        // Also when this reader is the one that has to build the list anew.
        fs::remove_dir_all(it.dir.path().join("vectors")).expect("it is there");
        check_words_alone(it.dir.path(), source, &notice);
        let library = open(it.dir.path());
        assert_eq!(library.notices(), [""; 0]);
        assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
    }
}

#[test]
fn another_model_embeds_anew_and_the_first_one_comes_back_for_nothing() {
    let it = sound();
    let before = content(&open(it.dir.path()).store());
    let anew = ["the notes are cut and embedded anew: the model or the chunk lengths changed"];
    let others: [fn() -> Box<dyn Embedder>; 2] =
        [|| Box::new(Hashing::new(32)), || Box::new(Other::default())];
    for other in others {
        let (indexer, notices) = Indexer::open(it.dir.path(), other()).expect("it can be opened");
        assert_eq!(notices.first().map(String::as_str), Some(anew[0]));
        drop(indexer);
        let counts = index_with(it.dir.path(), &[it.notes.path()], other());
        assert_eq!(counts.n_added, 12);
        assert!(counts.n_embedded > 12);

        let asked = Arc::new(Asked::default());
        let counts = index_with(
            it.dir.path(),
            &[it.notes.path()],
            Box::new(Recording::new(&asked)),
        );
        assert_eq!(
            (counts.n_added, counts.n_embedded, asked.texts().len()),
            (12, 0, 0)
        );
        let library = open(it.dir.path());
        assert_eq!(content(&library.store()), before);
        assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
    }
}

#[test]
fn a_reader_waits_for_a_writer_that_builds() {
    let it = sound();
    fs::remove_dir_all(it.dir.path().join("text")).expect("it is there");
    let lock = Store::open(it.dir.path()).expect("it can be opened");
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| answers(&open(it.dir.path()), &QUERIES, &Params::default()));
        // Whatever the reader has seen by now, it answers from sound lists or not at all.
        drop(lock);
        index(it.dir.path(), &[]);
        assert_eq!(reader.join().expect("it can be searched"), it.answers);
    });
}

#[test]
fn an_open_library_keeps_its_lists_until_it_takes_up_others() {
    let it = sound();
    let library = Library::open(it.dir.path(), hashing()).expect("it can be opened");
    it.notes.write("new.md", "The attic.");
    index(it.dir.path(), &[it.notes.path()]);
    let n_chunks = library.lists().snapshot.chunks.len();
    assert_eq!(answers(&library, &QUERIES, &Params::default()), it.answers);
    assert!(library.refresh().expect("it can be taken up"));
    assert_eq!(library.lists().snapshot.chunks.len(), n_chunks + 1);
    assert!(!library.refresh().expect("nothing changed"));
    // A search that was made before is still ranked by what it found.
    let search = library
        .search("attic", &Params::default(), None)
        .expect("it can be searched");
    let trace = search.rank(&Params::default());
    it.notes.remove("new.md");
    index(it.dir.path(), &[it.notes.path()]);
    assert!(library.refresh().expect("it can be taken up"));
    assert_eq!(
        library
            .kept(search.id)
            .expect("it is kept")
            .rank(&Params::default()),
        trace
    );
}
