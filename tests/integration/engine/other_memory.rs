//! Another program's memory passes through a session as Memlens's own does: rows, columns, journey, texts, why-not,
//! smallest changes and the report.

use std::sync::Arc;

use memlens_engine::{Library, Place, Search, WhyNot, report, why};
use memlens_params::{ParameterSet, Value};
use memlens_rank::NATIVE;
use memlens_retrieve::{Part, Scope};
use memlens_store::FolderId;
use memlens_tests::tiny::{CUT, LOOK, Shelf, TINY, defaults};
use memlens_tests::{Notes, fresh, open};

const NOTES: [(&str, Option<&str>, bool); 5] = [
    ("hall.md", Some("the router stands in the hall"), false),
    ("attic.md", Some("a router in the attic"), true),
    ("gone.md", None, false),
    ("lamp.md", Some("the lamp of the hall"), false),
    ("tea.md", Some("oolong"), false),
];

/// A library that watches one folder, and a shelf with notes of that folder.
struct Asked {
    _notes: Notes,
    _dir: tempfile::TempDir,
    library: Library,
    folder: FolderId,
}

fn asked() -> Asked {
    let notes = Notes::new(&[("hall.md", "the router stands in the hall")]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    Asked {
        folder: library.lists().snapshot.folders[0].id,
        library,
        _notes: notes,
        _dir: dir,
    }
}

impl Asked {
    fn search(&self, part: Part) -> Arc<Search> {
        let shelf = Arc::new(Shelf {
            folder: self.folder,
            notes: NOTES.to_vec(),
        });
        self.library
            .search_by("router hall", &TINY, &defaults(), shelf, part)
            .expect("a shelf can be asked")
    }
}

#[test]
fn its_rows_columns_and_texts_use_its_own_names() {
    let asked = asked();
    let search = asked.search(Part::All);
    assert_eq!(search.generation(), 7);
    assert_eq!(search.notices, [] as [&str; 0], "no list of it is missing");
    let answer = asked.library.answer(&search, &defaults()).unwrap();
    let paths: Vec<&str> = answer
        .columns
        .order
        .iter()
        .map(|slot| answer.rows[*slot as usize].path.as_str())
        .collect();
    // Scores 2, 1.5 (pinned), 1 and 0; of equal scores the later note comes first.
    assert_eq!(
        paths,
        ["hall.md", "attic.md", "lamp.md", "tea.md", "gone.md"]
    );
    assert_eq!(answer.columns.n_kept, 2);
    assert_eq!(answer.rows[0].matched, ["router", "hall"]);
    assert_eq!(
        answer.snippets[1].text.as_deref(),
        Some("a router in the attic")
    );
    let gone = search.snippets(&[2]).unwrap().remove(0);
    assert_eq!(
        (gone.text, gone.missing.as_deref()),
        (None, Some("The note has changed since this search."))
    );
    let times: Vec<bool> = answer
        .columns
        .stages
        .iter()
        .map(|stage| stage.micros.is_some())
        .collect();
    assert_eq!(times, [true, true]);

    let within = asked.search(Part::Folder(Scope {
        folder: asked.folder,
        path: "lamp.md".to_owned(),
    }));
    assert_eq!(within.rows().unwrap().len(), 1);
}

#[test]
fn its_journey_has_its_own_steps_and_no_threshold() {
    let asked = asked();
    let journey = asked.search(Part::All).journey(&defaults(), 3).unwrap();
    assert_eq!((journey.rank, journey.dropped_by), (None, Some(CUT)));
    let steps: Vec<&str> = journey
        .steps
        .iter()
        .map(|step| step.label.as_str())
        .collect();
    assert_eq!(steps, ["Look", "Cut"]);
    assert_eq!((journey.min_score, journey.n_supporters), (None, 0));
    assert_eq!(journey.text.as_deref(), Some("the lamp of the hall"));
}

#[test]
fn why_not_finds_the_smallest_change_of_its_own_parameters() {
    let asked = asked();
    let search = asked.search(Part::All);
    let why = |path: &str, params: &memlens_params::Values| {
        let place = Place {
            folder: asked.folder,
            path: path.to_owned(),
            line: None,
        };
        why(&asked.library, &search, params, &place, None).unwrap()
    };
    let answer = why("lamp.md", &defaults());
    assert_eq!(
        answer.sentence,
        "Its chunk, line 1, was lost at Cut: place 3 of 2."
    );
    let WhyNot::Searched { chunks, n_chunks } = answer.why else {
        panic!("{answer:?}")
    };
    assert_eq!(n_chunks, 1);
    let fixes = chunks[0].fixes.as_ref().expect("it was worked out");
    let reported: Vec<(&str, f64, bool)> = fixes
        .iter()
        .map(|fix| match fix.to {
            Value::Number(to) => (fix.parameter.as_str(), to, fix.queries_again),
            Value::Choice(_) | Value::Toggle(_) | Value::Unset => panic!("{fix:?}"),
        })
        .collect();
    // Keeping three displaces no other note; without its bonus the attic only ties; with only one place and the lamp, both
    // are kept.
    assert_eq!(
        reported,
        [
            ("tiny.keep", 3.0, false),
            ("tiny.bonus", 0.0, false),
            ("tiny.places", 1.0, true)
        ]
    );
    let mut kept = defaults();
    kept.set("tiny.keep", Value::Number(3.0)).unwrap();
    let WhyNot::Searched { chunks, .. } = why("lamp.md", &kept).why else {
        panic!("it was searched")
    };
    assert!(chunks[0].kept);
    // A pinned note: its bonus brings it up too.
    let mut poor = defaults();
    poor.assign_all(["tiny.bonus=0", "tiny.keep=1"]).unwrap();
    let WhyNot::Searched { chunks, .. } = why("attic.md", &poor).why else {
        panic!("it was searched")
    };
    let fixes = chunks[0].fixes.as_ref().expect("it was worked out");
    let stages: Vec<_> = fixes.iter().map(|fix| fix.stage).collect();
    assert_eq!(stages, [Some(LOOK), Some(CUT)]);
}

#[test]
fn parameters_of_its_lists_ask_it_again() {
    let asked = asked();
    let search = asked.search(Part::All);
    let mut fewer = defaults();
    fewer.set("tiny.places", Value::Number(1.0)).unwrap();
    let refused = search.for_params(&fewer).err().expect("other lists");
    assert_eq!(
        refused.to_string(),
        format!(
            "cannot rank search {}: it was retrieved with other parameters; search again",
            search.id
        )
    );
    let ours = memlens_params::Params::default();
    assert!(search.for_params(&ours).is_err(), "another table");
}

#[test]
fn a_pipeline_is_refused_for_what_another_retriever_finds() {
    let asked = asked();
    let refused = |error: memlens_engine::EngineError| error.to_string();
    let shelf = Arc::new(Shelf {
        folder: asked.folder,
        notes: NOTES.to_vec(),
    });
    let params = memlens_params::Params::default().values();
    let found = asked
        .library
        .search_by("router", &NATIVE, &params, shelf, Part::All);
    assert_eq!(
        found.err().map(refused).as_deref(),
        Some("cannot rank with Memlens: it ranks results of memlens, not of tiny")
    );
}

#[test]
fn its_report_holds_every_row_and_its_own_parameters() {
    let asked = asked();
    let search = asked.search(Part::All);
    let report = report(&asked.library, &search, &defaults()).unwrap();
    let stages: Vec<&str> = report.stages.iter().map(|stage| stage.id).collect();
    assert_eq!(stages, ["tiny.look", "tiny.cut"]);
    assert_eq!((report.results.len(), report.dropped.len()), (2, 3));
    assert_eq!(report.results[0].folder, "/shelf");
    assert_eq!(
        serde_json::to_value(&report.params).unwrap(),
        serde_json::json!({ "tiny.places": 100.0, "tiny.bonus": 0.5, "tiny.keep": 2.0 })
    );
}
