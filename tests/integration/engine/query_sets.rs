//! Query sets.
//!
//! Properties checked: a question is never judged by a ranking that its own thumbs weighed; a judgment follows its text
//! and is reported when the text is gone; sets are made, changed and written, also at the same time.

use std::fmt::Write as _;

use memlens_engine::view::{
    GoldState, IfTaken, NewSetFrom, Origin, QueryEdit, SetFormat, TypedPlace,
};
use memlens_engine::{EngineError, Metric, QueryFile, Ranking, Voted, acts, judged, tuning};
use memlens_params::{ParameterSet, Params, Value};
use memlens_tests::{Notes, fresh, index, open};

use crate::tuning::{ANIMALS, Here, ours, queries, wish};

#[test]
fn no_question_is_judged_by_its_own_thumbs() {
    let here = Here::new();
    let library = here.engine.library();
    let set = here.import(&queries()).info.id;
    let ours = || {
        let values = [
            ("feedback_on", Value::Toggle(true)),
            ("text_weight", Value::Number(0.1)),
        ];
        Ranking {
            values: ours().values.with(values).expect("it is in the table"),
            ..ours()
        }
    };
    let measured = || {
        let figures = tuning::measure_set(library, &wish(&set, &ours()), &ours(), Metric::Mrr10);
        figures
            .unwrap()
            .unwrap()
            .rows
            .iter()
            .map(|row| row.now)
            .collect::<Vec<_>>()
    };
    let before = measured();
    // A thumb down on the right answer of each question, and up on a wrong one, for that very question.
    let asked: Vec<(String, &str, &str)> = (0..30)
        .map(|at| {
            (
                format!("Which pond  does the {} live by", ANIMALS[at]),
                ANIMALS[at],
                ANIMALS[(at + 9) % 30],
            )
        })
        .collect();
    let vote = |query: &str, animal: &str, up: bool| {
        let search = library
            .search(query, &Params::default(), None)
            .expect("it can be asked");
        let rows = search.rows().expect("they can be explained");
        let slot = rows
            .iter()
            .position(|row| row.path == format!("{animal}.md"));
        let slot = slot.expect("it is a candidate") as u32;
        acts::vote(&here.engine, search.id, slot, up).expect("it can be given");
    };
    let (query, right, wrong) = &asked[3];
    vote(query, right, false);
    vote(query, wrong, true);
    assert_eq!(measured(), before, "its own thumbs do not count");
    // Thumbs of other questions count.
    for (query, right, _) in asked.iter().skip(4) {
        vote(query, ANIMALS[3], true);
        vote(query, right, false);
    }
    assert_ne!(measured(), before, "thumbs for other questions weigh");
    // A question from a file is not ranked by its own thumbs either, so both figures are the same.
    let file = QueryFile::read(&here.notes.at(".queries.jsonl")).expect("it can be read");
    let judged = judged(library, &file).expect("the notes are there");
    let scores = memlens_engine::scores(library, &judged, &ours(), || ()).expect("it can be asked");
    let mean = scores.iter().map(|it| it.ndcg_10).sum::<f64>() / 30.0;
    assert!((measured()[0].expect("it is defined") - mean).abs() < 1e-9);
    // Thumbs are judgments: the live set holds them. A question with only a thumb down has no known answer.
    let sets = tuning::query_sets(library).expect("they can be read");
    let live = &sets[0];
    assert_eq!((live.id.as_str(), live.is_live), ("judgments", true));
    assert_eq!((live.counts.n_queries, live.counts.n_judged), (27, 27));
}

#[test]
fn a_judgment_follows_its_text_and_says_when_it_is_gone() {
    let notes = Notes::new(&[
        (
            "a.md",
            "# House\n\nThe router stands in the hall.\n\nThe lamp is green.\n",
        ),
        ("b.md", "The boiler was serviced in May by Otto.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let line = |id: &str, path: &str, line: u32| {
        format!(
            r#"{{"id":"{id}","query":"{id}","relevant":[{{"path":"{path}","start_line":{line},"end_line":{line}}}]}}"#
        )
    };
    let lines = [
        line("router", "a.md", 3),
        line("boiler", "b.md", 1),
        line("nowhere", "gone.md", 1),
    ];
    notes.write(".queries.jsonl", lines.join("\n"));
    let set = {
        let library = open(dir.path());
        let imported = acts::import_query_set(
            &library.to_write(),
            &notes.at(".queries.jsonl"),
            None,
            IfTaken::KeepBoth,
        )
        .expect("it can be");
        assert_eq!(imported.notices.len(), 1, "{imported:?}");
        assert!(
            imported.notices[0].starts_with("1 of the 3 judged notes is not in this library"),
            "{imported:?}"
        );
        imported.info.id
    };
    notes.write(
        "a.md",
        "# Home\n\nNew first line.\n\nThe router stands in the attic now.\n\nThe lamp is green.\n",
    );
    notes.write("b.md", "Milk, eggs, bread.\n");
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    let view = tuning::query_set(&library, &set).expect("it is there");
    let gold = |at: usize| {
        let place = &view.queries[at].relevant.as_ref().expect("it is judged")[0];
        (place.state, place.now)
    };
    assert_eq!(gold(0), (GoldState::Moved, Some((5, 5))));
    assert_eq!(gold(1), (GoldState::Gone, None));
    assert_eq!(gold(2), (GoldState::Gone, None));
    let figures = tuning::measure_set(&library, &wish(&set, &ours()), &ours(), Metric::HitFile)
        .unwrap()
        .unwrap();
    // The boiler's note has another text now, so it is left out. The note that never existed counts as not found.
    assert_eq!((figures.n_judged, figures.n_unjudged), (2, 1));
    let row = figures
        .rows
        .iter()
        .find(|row| row.metric == Metric::HitFile)
        .unwrap();
    assert_eq!(row.now, Some(0.5));
    let reported = figures.notices.join("\n");
    assert!(reported.contains("1 judgment no longer fits"), "{reported}");
    assert!(
        reported.contains("1 of the 3 judged notes is"),
        "{reported}"
    );
}

#[test]
fn a_set_is_made_changed_and_written() {
    let here = Here::new();
    let (engine, library) = (&here.engine, here.engine.library());
    let questions = ["who eats", " who eats ", "", "who saw the newt"]
        .map(str::to_owned)
        .to_vec();
    let questions = NewSetFrom::Questions { questions };
    let set = acts::new_query_set(engine, "mine", &questions, IfTaken::Refuse);
    let set = set.expect("it can be made").info;
    assert_eq!((set.counts.n_queries, set.counts.n_unjudged), (2, 2));
    for name in ["mine", " mine ", "", "  ", "Judgments", "judgments"] {
        let refused = acts::new_query_set(engine, name, &NewSetFrom::Empty, IfTaken::Refuse);
        assert!(
            match name.trim() {
                "mine" => matches!(refused, Err(EngineError::QuerySetTaken { .. })),
                _ => matches!(refused, Err(EngineError::QuerySet { .. })),
            },
            "{name:?}"
        );
    }
    let edit = |id: Option<&str>, relevant: Option<Vec<TypedPlace>>| QueryEdit {
        id: id.map(str::to_owned),
        query: " who saw the newt ".to_owned(),
        category: Some("  ".to_owned()),
        scope: None,
        relevant,
    };
    let place = |path: &str, start_line, end_line| {
        Some(vec![TypedPlace {
            path: path.to_owned(),
            start_line,
            end_line,
        }])
    };
    let view = acts::save_query(engine, &set.id, &edit(Some("q2"), place("newt.md", 7, 7)))
        .expect("it can be");
    assert_ne!(view.info.hash, set.hash, "another version");
    let gold = &view.queries[1].relevant.as_ref().unwrap()[0];
    assert_eq!((gold.origin, gold.state), (Origin::Given, GoldState::Fits));
    assert_eq!(view.queries[1].category, None);
    let view = acts::save_query(engine, &set.id, &edit(None, Some(Vec::new()))).expect("it can be");
    assert_eq!((view.queries.len(), view.info.counts.n_nonsense), (3, 1));
    for refused in [
        place("nowhere.md", 1, 1),
        place("newt.md", 0, 1),
        place("newt.md", 2, 1),
    ] {
        let refused = acts::save_query(engine, &set.id, &edit(None, refused));
        assert!(
            matches!(refused, Err(EngineError::Place { .. })),
            "{refused:?}"
        );
    }
    assert!(matches!(
        acts::save_query(engine, &set.id, &edit(Some("q9"), None)),
        Err(EngineError::QuerySet { .. })
    ));
    assert!(matches!(
        acts::save_query(engine, "judgments", &edit(None, None)),
        Err(EngineError::QuerySet { .. })
    ));
    let empty = QueryEdit {
        query: " ".to_owned(),
        ..edit(None, None)
    };
    assert!(matches!(
        acts::save_query(engine, &set.id, &empty),
        Err(EngineError::EmptyQuery)
    ));
    // Written and read again, it is the same set.
    let file = here.out.path().join("mine.jsonl");
    tuning::write_query_set(library, "mine", SetFormat::Jsonl, &file).expect("it can be written");
    let back =
        acts::import_query_set(engine, &file, None, IfTaken::KeepBoth).expect("it can be read");
    assert_eq!(
        (back.info.name.as_str(), back.info.counts.n_gold),
        ("mine (2)", 1)
    );
    assert_eq!(back.left_out, Vec::<String>::new());
    let inside = here.notes.path().join("mine.jsonl");
    let refused = tuning::write_query_set(library, "mine", SetFormat::Jsonl, &inside);
    assert!(matches!(refused, Err(EngineError::WatchedPlace { .. })));
    let taken = acts::rename_query_set(engine, &back.info.id, "mine");
    let refused = taken.expect_err("another set has the name").to_string();
    assert!(refused.ends_with("choose another name"), "{refused}");
    let same =
        acts::rename_query_set(engine, &back.info.id, "mine (2)").expect("it is its own name");
    assert_eq!(same.name, "mine (2)");
    let view = acts::remove_queries(engine, &set.id, &["q1".to_owned(), "q77".to_owned()])
        .expect("it can be");
    assert_eq!(view.queries.len(), 2);
    acts::delete_query_set(engine, &set.id).expect("it can be deleted");
    assert!(matches!(
        tuning::query_set(library, &set.id),
        Err(EngineError::QuerySet { .. })
    ));
    engine.erase_all().expect("it can be erased");
    assert_eq!(
        tuning::query_sets(library).expect("they can be read").len(),
        1
    );
}

#[test]
fn queries_that_are_saved_at_the_same_time_are_all_kept() {
    let here = Here::new();
    let engine = &here.engine;
    let set = acts::new_query_set(engine, "mine", &NewSetFrom::Empty, IfTaken::Refuse);
    let set = set.expect("it can be made").info;
    std::thread::scope(|scope| {
        for number in 0..8 {
            let id = &set.id;
            scope.spawn(move || {
                let edit = QueryEdit {
                    id: None,
                    query: format!("question {number}"),
                    category: None,
                    scope: None,
                    relevant: None,
                };
                acts::save_query(engine, id, &edit).expect("it can be saved");
            });
        }
    });
    let view = tuning::query_set(engine.library(), &set.id).expect("it is there");
    assert_eq!(view.queries.len(), 8);
}

#[test]
fn the_persons_word_comes_before_what_was_observed() {
    let here = Here::new();
    let library = here.engine.library();
    let vote = |query: &str, up: bool| {
        acts::judge_place(&here.engine, query, "notes/otter.md:3", up, None)
            .expect("it can be given")
    };
    assert_eq!(vote("who is the otter", true), Voted::Given);
    let judged = || {
        let sets = tuning::query_sets(library).expect("they can be read");
        (sets[0].counts.n_queries, sets[0].counts.n_judged)
    };
    assert_eq!(judged(), (1, 1));
    // Case and white space make no other question: the same mark is taken back, the opposite one replaces it.
    assert_eq!(vote("Who is  the OTTER", false), Voted::Turned);
    assert_eq!(judged(), (1, 0));
    assert_eq!(vote("who is the otter", false), Voted::TakenBack);
    assert_eq!(judged(), (0, 0));
    assert!(matches!(
        acts::judge_place(&here.engine, " ", "notes/otter.md:3", true, None),
        Err(EngineError::EmptyQuery)
    ));
    assert!(matches!(
        acts::judge_place(&here.engine, "x", "notes/gone.md:3", true, None),
        Err(EngineError::Thumb { .. })
    ));
}

#[test]
fn a_file_takes_no_name_that_means_another_set() {
    let here = Here::new();
    let names = ["judgments", "7", ".queries"].map(|name| {
        let file = here.out.path().join(format!("{name}.jsonl"));
        std::fs::write(&file, "{\"id\":\"a\",\"query\":\"b\"}\n").expect("it can be");
        let imported = acts::import_query_set(&here.engine, &file, None, IfTaken::KeepBoth)
            .expect("it can be imported");
        imported.info.name
    });
    let folder = here.out.path().canonicalize().expect("it is there");
    let folder = folder.file_name().expect("it has one").to_string_lossy();
    let folder = folder.trim_start_matches('.');
    assert_eq!(names[..2], ["set judgments", "set 7"]);
    assert!(names[2].ends_with(folder), "{names:?}");
    let empty = here.out.path().join("empty.jsonl");
    std::fs::write(&empty, "\n\n").expect("it can be");
    let refused = acts::import_query_set(&here.engine, &empty, None, IfTaken::KeepBoth);
    assert!(matches!(refused, Err(EngineError::QuerySet { .. })));
}

#[test]
fn fifty_thousand_queries_are_kept_and_measured_in_part() {
    let here = Here::new();
    let library = here.engine.library();
    let mut lines = String::new();
    for at in 0..50_000 {
        let animal = ANIMALS[at % 30];
        writeln!(
            lines,
            r#"{{"id":"q{at}","query":"{animal} {at}","relevant":[{{"path":"{animal}.md","start_line":3,"end_line":3}}]}}"#
        )
        .unwrap();
    }
    let imported = here.import(&lines);
    assert_eq!(imported.info.counts.n_judged, 50_000);
    let figures = tuning::measure_set(
        library,
        &wish(&imported.info.id, &ours()),
        &ours(),
        Metric::Mrr10,
    )
    .unwrap()
    .unwrap();
    assert_eq!(figures.n_judged, 2_000);
    let reported = figures.notices.join("\n");
    assert!(
        reported.contains("2000 of the 50000 queries are measured"),
        "{reported}"
    );
}
