//! Why a note is not among the results: every way to be lost, and changes that really bring it back.
//!
//! Properties checked: asking about a place changes nothing for other rows; ranks beyond the lists are true.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use memlens_engine::{
    EngineError, Library, Place, Scope, Search, WhyAnswer, WhyNot, report, why_typed,
};
use memlens_params::{ParameterSet, Params, StageId};
use memlens_store::Store;
use memlens_tests::{Notes, fresh, open};
use tempfile::TempDir;

/// A library, and a search of it with the default parameters.
struct Asked {
    library: Library,
    params: Params,
    search: Arc<Search>,
    _dir: TempDir,
}

impl Asked {
    fn of(notes: &[&Notes], query: &str) -> Asked {
        let paths: Vec<&Path> = notes.iter().map(|notes| notes.path()).collect();
        let dir = fresh(&paths);
        let (library, params) = (open(dir.path()), Params::default());
        let search = library
            .search(query, &params, None)
            .expect("it can be searched");
        Asked {
            library,
            params,
            search,
            _dir: dir,
        }
    }

    fn why(&self, typed: &str) -> Result<WhyAnswer, EngineError> {
        why_typed(&self.library, &self.search, &self.params, typed, None)
    }
}

/// Returns why the typed place is not among the results.
fn why(library: &Library, query: &str, params: &Params, typed: &str) -> WhyAnswer {
    let search = library
        .search(query, params, None)
        .expect("it can be searched");
    why_typed(library, &search, params, typed, None).expect("it can be explained")
}

/// Returns the chunks in an answer about a note that was searched.
fn chunks(answer: &WhyAnswer) -> &[memlens_engine::ChunkWhy] {
    let WhyNot::Searched { chunks, .. } = &answer.why else {
        panic!("it was not searched: {}", answer.sentence)
    };
    chunks
}

/// Returns notes of which many are about relays and one about oolong.
fn many() -> Notes {
    let notes = Notes::new(&[]);
    let lines: String = (0..1300)
        .map(|at| format!("{{\"text\": \"relay {at} stands in hall {}\"}}\n", at % 7))
        .collect();
    notes.write("many.jsonl", lines);
    notes.write("tea.md", "Oolong is drunk at night.");
    notes
}

#[test]
fn a_kept_note_is_reported_with_its_rank() {
    let notes = many();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let answer = why(&library, "oolong at night", &Params::default(), "tea.md");
    let [chunk] = chunks(&answer) else {
        panic!("it has one chunk")
    };
    assert!(chunk.kept);
    assert_eq!(chunk.journey.rank, Some(1));
    assert_eq!(chunk.fixes.as_deref(), Some(&[][..]));
    assert!(
        answer.sentence.contains("found at rank 1"),
        "{}",
        answer.sentence
    );
}

#[test]
fn every_offered_change_brings_it_back() {
    let asked = Asked::of(&[&many()], "relay hall");
    let mut n_pairs = 0;
    for line in [20, 60, 80, 1200] {
        let place = format!("many.jsonl:{line}");
        let answer = asked.why(&place).expect("it can be explained");
        let chunk = &chunks(&answer)[0];
        let fixes = chunk.fixes.as_ref().expect("it is the best chunk");
        let is_kept_with = |changes: &[&memlens_engine::Fix]| {
            let mut changed = asked.params.clone();
            for change in changes {
                changed
                    .set(&change.parameter, change.to.clone())
                    .expect("it is a value of its slider");
            }
            let again = why(&asked.library, "relay hall", &changed, &place);
            chunks(&again)[0].kept
        };
        for fix in fixes {
            assert!(is_kept_with(&[fix]), "line {line}: {fix:?}");
        }
        if let Some((first, second)) = &chunk.pair {
            n_pairs += 1;
            assert!(is_kept_with(&[first, second]), "line {line}");
            assert!(
                !is_kept_with(&[first]) && !is_kept_with(&[second]),
                "line {line}"
            );
        }
    }
    assert!(n_pairs > 0, "some stand beyond depth and limit");
}

#[test]
fn beyond_both_lists_the_ranks_are_true_and_nobody_else_moves() {
    let asked = Asked::of(&[&many()], "relay");
    let report = || {
        let report = report(&asked.library, &asked.search, &asked.params);
        report.expect("it can be explained")
    };
    // All of these chunks have the same BM25 score, so the last ones are beyond depth 1,000.
    let before = report();
    let answer = asked.why("many.jsonl:1290").expect("it can be explained");
    let chunk = &chunks(&answer)[0];
    assert_eq!(chunk.journey.dropped_by, Some(StageId::FUSION));
    let said = "BM25: rank 1290, beyond depth 50";
    assert!(chunk.sentence.contains(said), "{}", chunk.sentence);
    assert_eq!(chunk.slot, None);
    let after = report();
    let rows = |report: &memlens_engine::SearchReport| -> Vec<String> {
        let rows = report.results.iter();
        rows.map(|row| format!("{}:{} {:?}", row.path, row.start_line, row.score))
            .collect()
    };
    assert_eq!(rows(&before), rows(&after));
}

#[test]
fn each_stage_that_loses_is_named() {
    let notes = many();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let lost_at = |params: Params, typed: &str| {
        let answer = why(&library, "oolong at night", &params, typed);
        chunks(&answer)[0].journey.dropped_by
    };
    // In the order of the library the first of these equal chunks comes after the one about oolong.
    let params = Params {
        max_results: 1,
        min_score: 0.0,
        ..Params::default()
    };
    assert_eq!(lost_at(params, "many.jsonl:1"), Some(StageId::LIMIT));
    let params = Params {
        min_score: 1.0,
        ..Params::default()
    };
    assert_eq!(lost_at(params, "tea.md"), Some(StageId::THRESHOLD));
    let params = Params {
        budget_tokens: 1,
        ..Params::default()
    };
    assert_eq!(lost_at(params, "tea.md"), Some(StageId::BUDGET));
}

#[test]
fn what_is_not_in_the_library_is_reported_by_its_rule() {
    let notes = many();
    notes.write(".gitignore", "drafts/\n");
    notes.write("drafts/plan.md", "A plan.");
    notes.write(".hidden/secret.md", "A secret.");
    notes.write("picture.png", "not text");
    notes.write("nul.md", b"a\0b");
    notes.write("empty.md", "");
    let dir = fresh(&[notes.path()]);
    notes.write("later.md", "Written after the library was made.");
    let library = open(dir.path());
    let kind = |typed: &str| why(&library, "relay", &Params::default(), typed).why;

    let WhyNot::LeftOut { path, reason } = kind("drafts/plan.md") else {
        panic!("it is ignored")
    };
    assert_eq!(path, "drafts");
    assert!(reason.contains(".gitignore"), "{reason}");
    assert!(matches!(kind(".hidden/secret.md"), WhyNot::LeftOut { path, .. } if path == ".hidden"));
    assert!(matches!(kind("picture.png"), WhyNot::LeftOut { .. }));
    assert!(matches!(
        kind("nul.md"),
        WhyNot::Unreadable { .. } | WhyNot::LeftOut { .. }
    ));
    assert_eq!(kind("later.md"), WhyNot::Pending { is_paused: false });
    let folder = library.lists().snapshot.folders[0].id;
    Store::open(dir.path())
        .expect("nobody else writes")
        .set_folder_paused(folder, true)
        .expect("it can be paused");
    assert_eq!(kind("later.md"), WhyNot::Pending { is_paused: true });
    assert_eq!(kind("never.md"), WhyNot::Gone);
    assert_eq!(kind("empty.md"), WhyNot::Empty);
    assert_eq!(kind("tea.md:400"), WhyNot::Empty);
    let elsewhere = tempfile::tempdir().expect("a scratch folder can be made");
    let outside = elsewhere.path().join("x.md");
    fs::write(&outside, "x").expect("it can be written");
    assert_eq!(kind(&outside.display().to_string()), WhyNot::NotWatched);
    // Nothing is there, in a watched folder or not.
    let above = notes.path().join("../x.md");
    assert_eq!(kind(&above.display().to_string()), WhyNot::Gone);
}

#[test]
fn outside_of_the_scope_is_reported() {
    let notes = many();
    notes.write("inner/a.md", "A relay.");
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let lists = library.lists();
    let scope = Scope {
        folder: lists.snapshot.folders[0].id,
        path: "inner".to_owned(),
    };
    let params = Params::default();
    let search = library
        .search("relay", &params, Some(&scope))
        .expect("it can be searched");
    let kind = |typed: &str| {
        let answer = why_typed(&library, &search, &params, typed, None);
        answer.expect("it can be explained").why
    };
    assert_eq!(kind("tea.md"), WhyNot::OutOfScope);
    assert!(matches!(kind("inner/a.md"), WhyNot::Searched { .. }));
}

#[test]
fn places_are_read_as_a_person_types_them() {
    let notes = Notes::new(&[("tea.md", "Oolong is drunk at night.")]);
    notes.write("deep/in/here.md", "A relay far down.");
    notes.write("odd:12", "no kind");
    notes.write("odd.md:7.md", "A relay by an odd name.");
    let asked = Asked::of(&[&notes], "relay");
    let name = asked.library.lists().snapshot.folders[0].name.clone();
    let place = |typed: &str| {
        let answer = asked.why(typed);
        answer.map(|answer| (answer.path, answer.line))
    };
    let tea = |line| ("tea.md".to_owned(), line);
    assert_eq!(place("tea.md").ok(), Some(tea(None)));
    assert_eq!(place(" tea.md:1 ").ok(), Some(tea(Some(1))));
    assert_eq!(place("./tea.md").ok(), Some(tea(None)));
    assert_eq!(place(&format!("{name}/tea.md:1")).ok(), Some(tea(Some(1))));
    let absolute = notes.path().join("tea.md");
    assert_eq!(place(&absolute.display().to_string()).ok(), Some(tea(None)));
    let by_its_end = ("deep/in/here.md".to_owned(), Some(1));
    assert_eq!(place("here.md:1").ok(), Some(by_its_end.clone()));
    assert_eq!(place("in/here.md:1").ok(), Some(by_its_end));
    assert_eq!(place("odd:12").ok(), Some(("odd:12".to_owned(), None)));
    assert_eq!(
        place("odd.md:7.md").ok(),
        Some(("odd.md:7.md".to_owned(), None))
    );
    let refused = |typed: &str| match place(typed) {
        Err(error @ EngineError::Place { .. }) => error.to_string(),
        other => panic!("{typed}: {other:?}"),
    };
    assert_eq!(
        refused("tea.md:0"),
        "cannot tell why tea.md:0 is not found: line numbers start at 1"
    );
    assert_eq!(
        refused("tea.md:99999999999"),
        "cannot tell why tea.md:99999999999 is not found: no note has 99999999999 lines"
    );
    assert_eq!(refused(""), "cannot tell why  is not found: name a note");
}

#[test]
fn a_folder_and_a_name_in_two_folders_are_refused() {
    let tea = [("tea.md", "Oolong is drunk at night.")];
    let (one, two) = (Notes::new(&tea), Notes::new(&tea));
    one.write("sub/a.md", "A relay.");
    let asked = Asked::of(&[&one, &two], "relay");
    let refused = |typed: &str| asked.why(typed).expect_err("it is refused").to_string();
    assert!(refused("tea.md").contains("it could be "));
    assert!(refused("sub").contains("it is a folder"));
}

#[test]
fn other_lists_are_not_explained_by_this_search() {
    let mut asked = Asked::of(&[&many()], "relay");
    asked
        .params
        .assign("bm25_join", "and")
        .expect("it is a choice");
    let answer = asked.why("tea.md");
    assert!(matches!(answer, Err(EngineError::OtherLists { .. })));
}

#[test]
fn changes_are_worked_out_for_the_chunk_asked_for() {
    let notes = Notes::new(&[]);
    let lines: String = (0..60)
        .map(|at| format!("relay {at} {}\n", "stands in the hall ".repeat(60)))
        .collect();
    notes.write("long.md", lines);
    let asked = Asked::of(&[&notes], "relay");
    let all = asked.why("long.md").expect("it can be explained");
    let worked_out: Vec<usize> = (0..chunks(&all).len())
        .filter(|at| chunks(&all)[*at].fixes.is_some())
        .collect();
    assert_eq!(worked_out, [0]);
    let WhyNot::Searched { n_chunks, .. } = all.why else {
        panic!("it was searched")
    };
    assert!(n_chunks > 20);
    // One chunk beyond the twenty that are listed.
    let lists = asked.library.lists();
    let reported: Vec<&str> = chunks(&all)
        .iter()
        .map(|chunk| chunk.journey.row.chunk.as_str())
        .collect();
    let beyond = lists
        .snapshot
        .chunks()
        .map(|(_, chunk)| chunk.id.to_string())
        .find(|id| !reported.contains(&id.as_str()))
        .expect("there are more than twenty");
    let place = Place {
        folder: lists.snapshot.folders[0].id,
        path: "long.md".to_owned(),
        line: None,
    };
    let answer = memlens_engine::why(
        &asked.library,
        &asked.search,
        &asked.params,
        &place,
        Some(&beyond),
    )
    .expect("it can be explained");
    let last = chunks(&answer).last().expect("there are some");
    assert_eq!(last.journey.row.chunk, beyond);
    assert!(last.fixes.is_some());
    assert!(chunks(&answer)[0].fixes.is_none());
    assert_eq!(chunks(&answer).len(), 21);
}
