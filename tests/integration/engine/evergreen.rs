//! Notes that do not decay: marks change kept searches and new ones, and survive indexing.

use std::sync::Arc;

use memlens_engine::acts;
use memlens_engine::{Engine, EngineError, Evergreen, Library, Search};
use memlens_params::{Params, StageId};
use memlens_rank::Decay;
use memlens_tests::{Notes, fresh, hashing, index, open};

const QUERY: &str = "where is the router";

fn notes() -> Notes {
    Notes::new(&[
        (
            "old/hall-2020-01-01.md",
            "The router stood in the hall then.",
        ),
        ("old/attic-2020-01-01.md", "The router stood in the attic."),
        (
            "MEMORY.md",
            "---\ndate: 2020-01-01\n---\nThe router is grey.\n",
        ),
        (
            "said.jsonl",
            "{\"text\": \"The router hums.\", \"date\": \"not a day\"}\n{\"text\": \"The router will be sold.\", \"date\": \"2999-12-31\"}\n",
        ),
    ])
}

fn params() -> Params {
    Params {
        half_life_days: 30.0,
        min_score: 0.0,
        ..Params::default()
    }
}

fn search(library: &Library) -> Arc<Search> {
    library
        .search(QUERY, &params(), None)
        .expect("it can be searched")
}

/// Returns the decay of the best row of a note: whether it is evergreen, and its factor.
fn decay(search: &Search, path: &str) -> (bool, f64) {
    let rows = search.rows().expect("they can be explained");
    let trace = search.rank(&params());
    let stage = trace.stage(StageId::DECAY).expect("it is a stage");
    let entry = stage
        .entries
        .iter()
        .find(|entry| rows[entry.slot as usize].path == path);
    let reason: Option<&Decay> = entry.expect("it has a row").detail.get();
    let reason = reason.expect("decay gives its own reasons");
    (reason.is_evergreen, reason.factor)
}

#[test]
fn a_mark_keeps_from_decay_at_once_and_stays() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let hall = "old/hall-2020-01-01.md";
    {
        let engine =
            Engine::open(dir.path(), hashing(), Arc::new(|_| {})).expect("it can be opened");
        let library = engine.library();
        let first = search(library);
        let (is_evergreen, factor) = decay(&first, hall);
        assert!(!is_evergreen && factor < 1e-6, "{factor}");
        assert_eq!(decay(&first, "MEMORY.md"), (true, 1.0));

        let folder = library.lists().snapshot.folders[0].id;
        let mark = |path: &str, is_evergreen| {
            let marked = acts::set_evergreen(&engine, folder, path, is_evergreen);
            marked.expect("it can be marked");
        };
        mark("old", true);
        let trees = engine.trees().expect("they can be read");
        let old = trees[0].entries.iter().find(|entry| entry.path == "old");
        let old = old.expect("it is in the tree");
        assert!(old.is_evergreen && old.children.iter().all(|note| note.is_evergreen));
        assert!(!trees[0].is_evergreen);
        // The kept search has the mark; the facts frozen before do not.
        let kept = library.kept(first.id).expect("it is kept");
        assert_eq!(decay(&kept, hall), (true, 1.0));
        assert!(!decay(&first, hall).0);

        mark(hall, false);
        mark("MEMORY.md", false);
        let kept = library.kept(first.id).expect("it is kept");
        assert!(!decay(&kept, hall).0);
        assert!(!decay(&kept, "MEMORY.md").0);
        assert!(decay(&kept, "old/attic-2020-01-01.md").0);
        let refused = acts::set_evergreen(&engine, memlens_engine::FolderId(99), "old", true);
        assert!(matches!(refused, Err(EngineError::NotWatched { .. })));
    }
    notes.write("old/new-2020-01-01.md", "The router came.");
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    assert_eq!(
        decay(&search(&library), "old/new-2020-01-01.md"),
        (true, 1.0)
    );
    let reported: Vec<(String, bool, u32)> = library
        .evergreen()
        .expect("it can be explained")
        .into_iter()
        .map(
            |Evergreen {
                 path,
                 is_evergreen,
                 n_files,
                 ..
             }| (path, is_evergreen, n_files),
        )
        .collect();
    let expected = [("MEMORY.md", false, 1), ("old", true, 2), (hall, false, 1)];
    assert_eq!(
        reported,
        expected.map(|(path, is, n)| (path.to_owned(), is, n))
    );
}

#[test]
fn dates_in_the_future_and_none_that_can_be_read_do_no_harm() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let found = search(&library);
    let candidates = &found.set().candidates;
    let trace = found.rank(&params());
    let stage = trace.stage(StageId::DECAY).expect("it is a stage");
    assert_eq!(stage.entries.len(), candidates.len());
    for entry in &stage.entries {
        let Some(Decay { days, factor, .. }) = entry.detail.get() else {
            panic!("decay gives its own reasons")
        };
        assert!((0.0..=1.0).contains(factor), "{factor}");
        assert!(days.is_none_or(|days| days.is_finite() && days >= 0.0));
    }
}

#[test]
fn what_is_typed_names_a_note_a_folder_or_all_of_a_watched_one() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let name = library.lists().snapshot.folders[0].name.clone();
    let check = |typed: &str, expected: &str| {
        acts::set_evergreen_at(&library.to_write(), typed, true, None)
            .unwrap_or_else(|error| panic!("{typed}: {error}"));
        let marked = library.evergreen().expect("it can be explained");
        let marked: Vec<&str> = marked
            .iter()
            .filter(|one| one.is_marked)
            .map(|one| one.path.as_str())
            .collect();
        assert_eq!(marked, [expected], "{typed}");
        acts::set_evergreen_at(&library.to_write(), typed, false, None)
            .expect("it can be taken back");
    };
    check("said.jsonl", "said.jsonl");
    check("old", "old");
    check(&format!("{name}/old"), "old");
    check(&name, "");
    check(&notes.path().join("old").display().to_string(), "old");
    check(&notes.path().display().to_string(), "");
    for (typed, why) in [
        ("nowhere/at/all", "there is no such note or folder"),
        ("", "name a note"),
        ("/", "it is not in a watched folder"),
    ] {
        let refused = acts::set_evergreen_at(&library.to_write(), typed, true, None);
        let refused = refused.map_err(|error| error.to_string());
        assert_eq!(refused, Err(format!("cannot mark {typed}: {why}")));
    }
}
