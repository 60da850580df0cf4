//! Ways to damage the files of a library, and which program repairs them.
//!
//! Properties checked: a reader and a writer find and repair each kind of damage to a list, without embedding a text;
//! damage to files that only make a library faster changes no answer, and a writer repairs it.

use std::fs;
use std::path::Path;

use memlens_embed::Hashing;
use memlens_engine::Indexer;
use memlens_index::VectorWriter;
use memlens_params::Params;
use memlens_store::{Store, StoreError};
use memlens_tests::{answers, index, open};

use crate::sound::{QUERIES, Sound, copy, flip, garble, largest, sound, truncate};

/// Writes a list with the right generation, dimension and embeddings but vectors of another model.
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
            let vector = vector.expect("it is as it was saved");
            let reversed: Vec<f32> = vector.iter().rev().copied().collect();
            list.append(embedding.0, &reversed)
                .expect("it can be appended");
            Ok(())
        })
        .expect("they can be read");
    list.commit(store.generation().expect("it can be read"))
        .expect("it can be committed");
}

/// A way to damage a library, and the lists that must be rebuilt after it.
type Damage = (&'static str, fn(&Sound), &'static [&'static str]);
/// A way to damage a library after which no list must be rebuilt.
type Delay = (&'static str, fn(&Sound));

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
        "the text list's head is garbage",
        |it| garble(&it.dir.path().join("text/meta.json")),
        &["BM25"],
    ),
    (
        "a file of the text list is garbage",
        |it| garble(&largest(&it.dir.path().join("text"), ".")),
        &["BM25"],
    ),
    (
        "every file of the text list is empty",
        |it| {
            for entry in fs::read_dir(it.dir.path().join("text")).expect("it can be listed") {
                let path = entry.expect("it can be listed").path();
                fs::remove_file(&path).expect("it can be removed");
                fs::write(path, "").expect("it can be written");
            }
        },
        &["BM25"],
    ),
    (
        "files of the text list that only readers need are gone",
        |it| {
            for part in [".pos", ".fieldnorm", ".term"] {
                fs::remove_file(largest(&it.dir.path().join("text"), part)).expect("it is there");
            }
        },
        &["BM25"],
    ),
    (
        "a file of the text list is of another list",
        |it| {
            let [old, new] =
                [&it.old, &it.dir].map(|dir| largest(&dir.path().join("text"), ".term"));
            assert_ne!(old.file_name(), new.file_name(), "it was rebuilt before");
            fs::copy(old, new).expect("it can be copied");
        },
        &["BM25"],
    ),
    (
        "the checksums of the text list are gone",
        |it| fs::remove_file(it.dir.path().join("text/checksums")).expect("it is there"),
        &["BM25"],
    ),
    (
        "the vector list's head is garbage",
        |it| garble(&it.dir.path().join("vectors/flat")),
        &["vector"],
    ),
    (
        "the rows are garbage",
        |it| garble(&largest(&it.dir.path().join("vectors"), "flat.")),
        &["vector"],
    ),
    (
        "the vector list is of a newer format",
        |it| {
            let path = it.dir.path().join("vectors/flat");
            let text = fs::read_to_string(&path).expect("it can be read");
            fs::write(
                path,
                text.replacen("memlens-vectors 1", "memlens-vectors 2", 1),
            )
            .expect("it can be written");
        },
        &["vector"],
    ),
    (
        "the text list is of an older generation",
        |it| copy(&it.old.path().join("text"), &it.dir.path().join("text")),
        &[],
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
        &[],
    ),
];

/// Ways to damage files that only make a library faster: the codes of vectors with their checks, and the saved
/// snapshot.
const SLOWER: &[Delay] = &[
    ("the codes of vectors are gone", |it| {
        fs::remove_file(largest(&it.dir.path().join("vectors"), ".codes")).expect("it is there")
    }),
    ("the codes are cut off", |it| {
        truncate(&largest(&it.dir.path().join("vectors"), ".codes"))
    }),
    ("the codes are garbage", |it| {
        garble(&largest(&it.dir.path().join("vectors"), ".codes"))
    }),
    ("the checks of vectors are gone", |it| {
        fs::remove_file(largest(&it.dir.path().join("vectors"), ".checks")).expect("it is there")
    }),
    ("the checks are cut off", |it| {
        truncate(&largest(&it.dir.path().join("vectors"), ".checks"))
    }),
    ("a bit of the checks is flipped", |it| {
        flip(&largest(&it.dir.path().join("vectors"), ".checks"))
    }),
    ("codes and checks are of an older generation", |it| {
        for part in [".codes", ".checks"] {
            let [old, new] =
                [&it.old, &it.dir].map(|dir| largest(&dir.path().join("vectors"), part));
            fs::remove_file(&new).expect("it can be removed");
            fs::copy(old, new).expect("it can be copied");
        }
    }),
    ("the snapshot is gone", |it| {
        fs::remove_file(it.dir.path().join("snapshot")).expect("it is there")
    }),
    ("the snapshot is cut off", |it| {
        truncate(&it.dir.path().join("snapshot"))
    }),
    ("the snapshot is garbage", |it| {
        garble(&it.dir.path().join("snapshot"))
    }),
    ("a bit of the snapshot is flipped", |it| {
        flip(&it.dir.path().join("snapshot"))
    }),
    ("the snapshot is of an older generation", |it| {
        let [old, new] = [&it.old, &it.dir].map(|dir| dir.path().join("snapshot"));
        fs::remove_file(&new).expect("it can be removed");
        fs::copy(old, new).expect("it can be copied");
    }),
];

/// Checks that notices name exactly these lists as rebuilt.
pub fn check_notices(notices: &[String], lists: &[&str], name: &str) {
    assert_eq!(notices.len(), lists.len(), "{name}: {notices:?}");
    for (notice, list) in notices.iter().zip(lists) {
        assert!(
            notice.starts_with(&format!("the {list} list was rebuilt: cannot ")),
            "{name}: {notice}"
        );
    }
}

#[test]
fn a_reader_repairs_damaged_lists() {
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
            "{name}: it was repaired"
        );
    }
}

#[test]
fn a_writer_repairs_damaged_lists() {
    let it = sound();
    for (name, damage, lists) in DAMAGES {
        damage(&it);
        let (indexer, notices) =
            Indexer::open(it.dir.path(), Box::new(Hashing::default())).expect("it can be opened");
        check_notices(&notices, lists, name);
        assert_eq!(indexer.counts().n_embedded, 0);
        drop(indexer);
        let library = open(it.dir.path());
        assert_eq!(library.notices(), [""; 0], "{name}: it was repaired");
        assert_eq!(
            answers(&library, &QUERIES, &Params::default()),
            it.answers,
            "{name}"
        );
    }
    // The next change continues from there.
    it.notes.write("7.md", "A new thing in hall 7.");
    let counts = index(it.dir.path(), &[it.notes.path()]);
    assert_eq!((counts.n_changed, counts.n_unchanged), (1, 11));
}

#[test]
fn what_only_costs_time_changes_no_answer_and_is_rebuilt() {
    let it = sound();
    let whole = tempfile::tempdir().expect("a scratch folder can be made");
    copy(it.dir.path(), whole.path());
    for (name, damage) in SLOWER {
        copy(whole.path(), it.dir.path());
        damage(&it);
        let library = open(it.dir.path());
        assert_eq!(library.notices(), [""; 0], "{name}");
        let found = answers(&library, &QUERIES, &Params::default());
        assert_eq!(found, it.answers, "{name}");
        drop(library);
        let counts = index(it.dir.path(), &[it.notes.path()]);
        assert_eq!((counts.n_unchanged, counts.n_embedded), (12, 0), "{name}");
        let library = open(it.dir.path());
        assert_eq!(library.notices(), [""; 0], "{name}: it was repaired");
        let vectors = &library.lists().vectors;
        assert_eq!(vectors.n_coded(), vectors.n_rows(), "{name}");
        let found = answers(&library, &QUERIES, &Params::default());
        assert_eq!(found, it.answers, "{name}");
        assert!(it.dir.path().join("snapshot").exists(), "{name}");
    }
}

/// Returns every file below a folder that is not empty.
fn files(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.metadata().expect("it is there").len() > 0 {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn a_file_that_is_shortened_or_zeroed_under_an_open_library_ends_no_search_badly() {
    let it = sound();
    let whole = tempfile::tempdir().expect("a scratch folder can be made");
    copy(it.dir.path(), whole.path());
    let mut n_files = 0;
    for file in files(whole.path()) {
        let name = file.strip_prefix(whole.path()).expect("it lies in it");
        // SQLite protects its own files.
        if name.to_string_lossy().starts_with("library.sqlite") {
            continue;
        }
        n_files += 1;
        let n_bytes = file.metadata().expect("it is there").len();
        type Harm = fn(&fs::File, u64);
        let harms: [Harm; 3] = [
            |file, _| file.set_len(0).expect("it can be shortened"),
            |file, n_bytes| file.set_len(n_bytes / 2).expect("it can be shortened"),
            |mut file, n_bytes| {
                let zeros = vec![0; n_bytes as usize];
                std::io::Write::write_all(&mut file, &zeros).expect("it can be written");
            },
        ];
        for harm in harms {
            copy(whole.path(), it.dir.path());
            let library = open(it.dir.path());
            let path = it.dir.path().join(name);
            let opened = fs::File::options().write(true).open(&path);
            harm(&opened.expect("it is ours"), n_bytes);
            for query in QUERIES {
                let searched = library.search(query, &Params::default(), None);
                if let Err(error) = searched.and_then(|it| library.answer(&it, &Params::default()))
                {
                    assert!(error.to_string().starts_with("cannot "), "{error}");
                }
            }
            drop(library);
            // The next reader repairs it.
            let library = open(it.dir.path());
            assert_eq!(
                answers(&library, &QUERIES, &Params::default()),
                it.answers,
                "{}",
                name.display()
            );
        }
    }
    assert!(n_files > 8, "{n_files}");
}
