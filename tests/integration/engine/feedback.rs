//! Thumbs belong to a text, change kept searches and new ones, and are deleted with everything else.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_engine::{
    Engine, EngineError, IndexerError, Library, RowThumb, Search, Voted, WhyNot, acts, why_typed,
};
use memlens_params::{Params, StageId};
use memlens_rank::Status;
use memlens_tests::{Notes, fresh, hashing, index, open};

const QUERY: &str = "where is the router";

fn notes() -> Notes {
    Notes::new(&[
        ("hall.md", "The router stands in the hall."),
        ("attic.md", "A router stood in the attic once."),
        ("copy.md", "The router stands in the hall."),
    ])
}

fn engine(dir: &std::path::Path) -> Engine {
    Engine::open(dir, hashing(), Arc::new(|_| {})).expect("it can be opened")
}

fn search(library: &Library) -> Arc<Search> {
    library
        .search(QUERY, &Params::default(), None)
        .expect("it can be searched")
}

fn slot_of(search: &Search, path: &str) -> u32 {
    let rows = search.rows().expect("they can be explained");
    let at = rows.iter().position(|row| row.path == path);
    at.expect("it is a candidate") as u32
}

/// The default parameters with the feedback stage on.
fn with_feedback() -> Params {
    Params {
        feedback_on: true,
        ..Params::default()
    }
}

/// Returns the weight that the feedback stage gives to a note's row when it is on.
fn weight(search: &Search, path: &str) -> Option<f64> {
    let columns = search.columns(&with_feedback());
    let weights = &columns.cells_of("feedback")?.value;
    *weights.get(slot_of(search, path) as usize)?
}

#[test]
fn a_kept_search_takes_up_a_thumb_at_once() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let first = search(engine.library());
    let slot = slot_of(&first, "hall.md");
    let copy = slot_of(&first, "copy.md");
    let thumbs = acts::vote(&engine, first.id, slot, true).expect("it can be given");
    // Equal texts share their thumbs.
    let mut expected = [slot, copy].map(|slot| RowThumb { slot, up: true });
    expected.sort_by_key(|thumb| thumb.slot);
    assert_eq!(thumbs, expected);
    let kept = engine.library().kept(first.id).expect("it is kept");
    for path in ["hall.md", "copy.md"] {
        assert_eq!(weight(&kept, path), Some(1.0 + 0.5 / 3.0), "{path}");
        assert_eq!(weight(&first, path), None, "what was frozen stays");
    }
    assert_eq!(weight(&kept, "attic.md"), None);
    let answer = why_typed(engine.library(), &kept, &with_feedback(), "hall.md:1", None)
        .expect("it can be explained");
    let WhyNot::Searched { chunks, .. } = &answer.why else {
        panic!("{answer:?}")
    };
    let mut steps = chunks[0].journey.steps.iter();
    let step = steps.find(|step| step.stage == StageId::FEEDBACK);
    assert_eq!(step.expect("it has one").status, Status::Applied);
    // The opposite thumb replaces it, the same thumb takes it back.
    acts::vote(&engine, first.id, slot, false).expect("it can be given");
    let kept = engine.library().kept(first.id).expect("it is kept");
    assert_eq!(weight(&kept, "hall.md"), Some(1.0 - 0.5 / 3.0));
    let thumbs = acts::vote(&engine, first.id, slot, false).expect("it can be given");
    assert_eq!(thumbs, []);
    let kept = engine.library().kept(first.id).expect("it is kept");
    assert_eq!(weight(&kept, "hall.md"), None);
    let gone = acts::vote(&engine, first.id, 999, true);
    assert!(matches!(gone, Err(EngineError::NoRow { .. })));
}

#[test]
fn a_thumb_changes_no_ranking_while_feedback_is_off() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let first = search(engine.library());
    let before = first.columns(&Params::default());
    for (path, up) in [("hall.md", false), ("attic.md", true)] {
        let slot = slot_of(&first, path);
        acts::vote(&engine, first.id, slot, up).expect("it can be given");
    }
    let kept = engine.library().kept(first.id).expect("it is kept");
    for asked in [kept, search(engine.library())] {
        let after = asked.columns(&Params::default());
        assert_eq!((&after.order, &after.score), (&before.order, &before.score));
        let on = asked.columns(&with_feedback());
        assert_ne!(on.score, before.score, "it acts where it is on");
    }
}

/// The hashing embedder knows only words: questions without a common word are orthogonal.
#[test]
fn a_thumb_acts_by_how_close_the_question_is() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let first = search(engine.library());
    let slot = slot_of(&first, "attic.md");
    acts::vote(&engine, first.id, slot, true).expect("it can be given");
    let ask = |query: &str| {
        let asked = engine.library().search(query, &Params::default(), None);
        asked.expect("it can be searched")
    };
    let thumbs = |asked: &Search| {
        let slot = slot_of(asked, "attic.md") as usize;
        asked.set().candidates[slot].thumbs
    };
    // Case and white space do not make another question.
    let same = ask("Where  is the ROUTER");
    assert_eq!(weight(&same, "attic.md"), Some(1.0 + 0.5 / 3.0));
    let close = ask("where is the old router");
    let of_close = thumbs(&close);
    assert_eq!((of_close.n_up, of_close.n_down), (1, 0));
    assert!(of_close.up > 0.5 && of_close.up < 1.0, "{of_close:?}");
    let expected = 1.0 + 0.5 * of_close.up / (of_close.up + 2.0);
    assert_eq!(weight(&close, "attic.md"), Some(expected));
    let slot = slot_of(&close, "attic.md");
    let journey = close
        .journey(&with_feedback(), slot)
        .expect("it can be explained");
    let shown = memlens_rank::number(of_close.up, 3);
    let formula = format!("({shown} \u{2212} 0) / ({shown} + 0 + 2)");
    assert!(
        journey
            .formula
            .iter()
            .any(|line| line.expression.ends_with(&formula)),
        "{:?}",
        journey.formula
    );
    let fact = journey.facts.iter().find(|fact| fact.label == "Thumbs");
    assert_eq!(
        fact.map(|fact| fact.value.as_str()),
        Some(format!("up for \u{201c}{QUERY}\u{201d} (closeness {shown})").as_str())
    );
    let far = ask("boiler serviced otto");
    assert!(thumbs(&far).up < 0.3, "{:?}", thumbs(&far));
    assert!(weight(&far, "attic.md").unwrap_or(1.0) < expected);
}

#[test]
fn a_thumb_on_a_text_that_is_gone_is_refused() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let found = search(engine.library());
    let slot = slot_of(&found, "attic.md");
    notes.write("attic.md", "A router stood in the loft once.");
    let patience = Instant::now();
    while engine.library().lists().snapshot.generation == found.generation() {
        assert!(
            patience.elapsed() < Duration::from_secs(60),
            "it is indexed"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    let error = acts::vote(&engine, found.id, slot, true).expect_err("there is no text");
    assert_eq!(
        error.to_string(),
        format!(
            "cannot give a thumb to {}/attic.md: it has changed since the search; search again",
            notes.path().file_name().expect("it has one").display()
        )
    );
    assert_eq!(engine.library().feedback().expect("it can be read"), []);
}

#[test]
fn a_thumb_stays_with_its_text() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let vote = || {
        let library = open(dir.path());
        acts::judge_place(&library.to_write(), QUERY, "attic.md", true, None)
            .expect("it can be given")
    };
    assert_eq!(vote(), Voted::Given);
    let found = || {
        let entries = open(dir.path()).feedback().expect("it can be read");
        let [entry] = entries.as_slice() else {
            panic!("{entries:?}")
        };
        entry.found.as_ref().map(|place| place.path.clone())
    };
    // Moved.
    fs::rename(notes.path().join("attic.md"), notes.path().join("loft.md")).expect("it can be");
    index(dir.path(), &[notes.path()]);
    assert_eq!(found(), Some("loft.md".to_owned()));
    let library = open(dir.path());
    assert!(weight(&search(&library), "loft.md") > Some(1.0));
    // Edited: another text.
    fs::write(
        notes.path().join("loft.md"),
        "A router stood in the loft once.",
    )
    .expect("it can be");
    index(dir.path(), &[notes.path()]);
    assert_eq!(found(), None);
    assert_eq!(weight(&search(&open(dir.path())), "loft.md"), None);
    // Restored.
    fs::write(
        notes.path().join("loft.md"),
        "A router stood in the attic once.",
    )
    .expect("it can be");
    index(dir.path(), &[notes.path()]);
    assert_eq!(found(), Some("loft.md".to_owned()));
}

#[test]
fn a_thumb_follows_its_text_when_the_note_is_edited() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let vote = |up| {
        let library = open(dir.path());
        let voted = acts::judge_place(&library.to_write(), QUERY, "attic.md", up, None);
        voted.expect("it can be given")
    };
    assert_eq!(vote(true), Voted::Given);
    notes.write("attic.md", "A router stood in the attic long ago.");
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    let entries = library.feedback().expect("it can be read");
    let found = entries[0].found.as_ref().expect("it follows");
    assert_eq!(
        (found.path.as_str(), entries[0].is_edited),
        ("attic.md", true)
    );
    let asked = search(&library);
    assert!(weight(&asked, "attic.md") > Some(1.0));
    let slot = slot_of(&asked, "attic.md");
    let thumbs = library.row_thumbs(&asked).expect("they can be read");
    assert_eq!(thumbs, [RowThumb { slot, up: true }]);
    drop(library);
    // It replaces the thumb of the text: the opposite one changes it, the same one takes it back.
    assert_eq!(vote(false), Voted::Turned);
    assert_eq!(
        open(dir.path()).feedback().expect("it can be read").len(),
        1
    );
    assert_eq!(vote(false), Voted::TakenBack);
    assert_eq!(open(dir.path()).feedback().expect("it can be read"), []);
    // A text with another meaning is not followed.
    assert_eq!(vote(true), Voted::Given);
    notes.write("attic.md", "Buy milk on Tuesday and call the dentist.");
    index(dir.path(), &[notes.path()]);
    let entries = open(dir.path()).feedback().expect("it can be read");
    assert_eq!(entries[0].found, None);
}

#[test]
fn an_export_comes_back_and_never_lands_among_the_notes() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    for (query, path, up) in [
        (QUERY, "hall.md", true),
        ("a \"quoted\"\u{2028} 東京 query", "hall.md", false),
        (QUERY, "attic.md", false),
    ] {
        acts::judge_place(&library.to_write(), query, path, up, None).expect("it can be given");
    }
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let file = out.path().join("thumbs.jsonl");
    library.write_feedback(&file).expect("it can be written");
    let reported = |library: &Library| {
        let entries = library.feedback().expect("it can be read");
        entries
            .into_iter()
            .map(|entry| (entry.query, entry.text, entry.up, entry.at_ms as i64))
            .collect::<std::collections::BTreeSet<_>>()
    };
    let other = fresh(&[notes.path()]);
    let into = engine(other.path());
    let done = acts::import_feedback(&into, &file).expect("it can be read");
    assert_eq!((done.n_added, done.problems.len()), (3, 0));
    assert_eq!(reported(into.library()), reported(&library));
    let inside = notes.path().join("thumbs.jsonl");
    let refused = library.write_feedback(&inside);
    assert!(matches!(refused, Err(EngineError::WatchedPlace { .. })));
    // Thumbs are taken back one by one.
    for entry in into.library().feedback().expect("it can be read") {
        acts::undo_feedback(&into, &entry.id).expect("it is there");
        let again = acts::undo_feedback(&into, &entry.id);
        assert!(matches!(again, Err(EngineError::NoFeedback { .. })));
    }
    assert_eq!(into.library().feedback().expect("it can be read"), []);
}

#[test]
fn a_reader_is_refused_by_name_and_sees_what_the_writer_gave() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let writer = engine(dir.path());
    let reader = engine(dir.path());
    let asked = search(reader.library());
    let refused = acts::vote(&reader, asked.id, 0, true);
    assert!(matches!(
        refused,
        Err(EngineError::Indexer(IndexerError::ReadOnly { .. }))
    ));
    let refused = acts::undo_feedback(&reader, "1");
    assert!(matches!(
        refused,
        Err(EngineError::Indexer(IndexerError::ReadOnly { .. }))
    ));
    // What cannot be judged is refused, no matter which process writes.
    let refused = acts::judge_place(&open(dir.path()).to_write(), QUERY, "gone.md", true, None);
    assert!(
        matches!(refused, Err(EngineError::Thumb { .. })),
        "{refused:?}"
    );
    // The store refuses the change.
    let refused = acts::judge_place(&open(dir.path()).to_write(), QUERY, "hall.md", true, None);
    let Err(EngineError::Store(error)) = refused else {
        panic!("{refused:?}")
    };
    assert!(
        error.to_string().contains("is already writing to it"),
        "{error}"
    );
    let given = search(writer.library());
    let slot = slot_of(&given, "attic.md");
    acts::vote(&writer, given.id, slot, true).expect("it can be given");
    assert!(weight(&search(reader.library()), "attic.md") > Some(1.0));
}

#[test]
fn erasing_forgets_the_thumbs() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let given = search(engine.library());
    acts::vote(&engine, given.id, 0, true).expect("it can be given");
    engine.erase_all().expect("it can be erased");
    assert_eq!(engine.library().feedback().expect("it can be read"), []);
    engine.add_folder(notes.path()).expect("it can be added");
    drop(engine);
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    let asked = search(&library);
    assert_eq!(library.row_thumbs(&asked).expect("they can be read"), []);
    assert_eq!(weight(&asked, "hall.md"), None);
}
