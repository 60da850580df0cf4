//! Query sets of the library, named where a file can be given.
//!
//! Properties checked: figures by a set are those of Tune, also after its notes were edited; a set with a text that is gone says
//! so; sets whose names differ in case alone are not mistaken for each other.

use std::path::Path;

use memlens_engine::tuning::{self, NamedSet};
use memlens_engine::view::{IfTaken, NewSetFrom, Origin, SetQuery};
use memlens_engine::{EngineError, Library, Metric, QueryFile, acts, compare_over};
use memlens_params::Value;
use memlens_tests::{index, open};

use crate::tuning::{Here, ours, queries, wish, with};

fn file_of(library: &Library, named: &str) -> Result<QueryFile, EngineError> {
    NamedSet::find(library, Path::new(named), None)?.into_file(library)
}

/// Checks that a comparison by the set "notes" has the figures of Tune, over this many queries.
fn agrees(library: &Library, n_queries: u32) -> QueryFile {
    let (a, b) = (ours(), with("bm25_on", Value::Toggle(false)));
    let file = file_of(library, "notes").expect("it is there");
    let compared = compare_over(library, &file, ("a", &a), ("b", &b))
        .expect("it can be measured")
        .expect("nobody stopped it");
    let metrics = tuning::measure_set(library, &wish("notes", &b), &a, Metric::Ndcg10)
        .expect("it can be measured")
        .expect("nobody stopped it");
    assert_eq!(
        (compared.n_queries, metrics.n_judged),
        (n_queries, n_queries)
    );
    let mut rows = metrics.rows.iter();
    let row = rows
        .find(|row| row.metric == Metric::Ndcg10)
        .expect("it is there");
    for (of_tune, of_set) in [(row.pinned, compared.all.a), (row.now, compared.all.b)] {
        let of_tune = of_tune.expect("it is defined");
        assert!((of_tune - of_set).abs() < 1e-9, "{of_tune} {of_set}");
    }
    assert_eq!(metrics.verdict, compared.verdict);
    file
}

#[test]
fn a_set_measures_as_tune_does_also_after_an_edit() {
    let here = Here::new();
    here.import(&queries());
    let before = agrees(here.engine.library(), 30);
    assert!(before.is_in_library);
    let Here {
        notes, dir, engine, ..
    } = here;
    drop(engine);
    // The judged line of one note moves down, and that of another is rewritten.
    notes.write(
        "otter.md",
        "# The otter\n\nFirst a preface.\n\nThe otter lives by pond 0.\n",
    );
    notes.write("badger.md", "# The badger\n\nNothing is known.\n");
    index(dir.path(), &[notes.path()]);
    let after = agrees(&open(dir.path()), 29);
    assert_eq!(after.version, before.version);
    let place = |file: &QueryFile, id: &str| {
        let query = file.all.iter().find(|query| query.id == id);
        let places = query.expect("it is there").relevant.as_ref()?;
        Some((places[0].start_line, places[0].end_line))
    };
    assert_eq!(place(&before, "q0"), Some((3, 3)));
    assert_eq!(place(&after, "q0"), Some((5, 5)));
    assert_eq!(place(&after, "q1"), None);
    assert_eq!(
        after.left_out,
        [
            "1 judgment no longer fits: its note says something else now; it is left out",
            "2 queries are not judged yet; left out"
        ]
    );
}

#[test]
fn a_name_in_several_cases_an_empty_set_and_a_deleted_one_are_refused() {
    let here = Here::new();
    let make = |name: &str| {
        let made = acts::new_query_set(&here.engine, name, &NewSetFrom::Empty, IfTaken::Refuse);
        made.expect("it can be made")
    };
    for name in ["Ponds", "ponds"] {
        make(name);
    }
    let why = |named: &str| match file_of(here.engine.library(), named) {
        Err(error) => error.to_string(),
        Ok(file) => file.with_queries().expect_err("it is empty").to_string(),
    };
    assert_eq!(
        why("PONDS"),
        "cannot choose the query set PONDS: several have this name in another case: Ponds, ponds; write it as one of them"
    );
    assert_eq!(
        why("ponds"),
        "cannot evaluate ponds: it has no judged queries"
    );
    let refused = acts::delete_query_set(&here.engine, "PONDS").expect_err("two have it");
    assert!(refused.to_string().contains("Ponds, ponds"), "{refused}");
    acts::delete_query_set(&here.engine, "ponds").expect("it is there");
    // One is left, so its case does not matter, except for deleting it.
    let refused = acts::delete_query_set(&here.engine, "PONDS").expect_err("it is not the name");
    assert_eq!(
        refused.to_string(),
        "cannot delete PONDS: its name is Ponds; write it exactly so"
    );
    assert_eq!(
        why("PONDS"),
        "cannot evaluate Ponds: it has no judged queries"
    );
    acts::delete_query_set(&here.engine, "Ponds").expect("it is there");
    assert_eq!(
        why("Ponds"),
        "cannot find Ponds: there is no file Ponds here, and there is no query set of this name; there are Judgments, Past questions"
    );
}

/// Makes a set, and returns its name and its queries.
fn made(here: &Here, name: &str, from: &NewSetFrom, if_taken: IfTaken) -> (String, Vec<SetQuery>) {
    let made = acts::new_query_set(&here.engine, name, from, if_taken).expect("it can be made");
    let view = tuning::query_set(here.engine.library(), &made.info.id).expect("it is there");
    (made.info.name, view.queries)
}

#[test]
fn a_taken_name_is_refused_replaced_or_kept_beside() {
    let here = Here::new();
    let from = |questions: &[&str]| NewSetFrom::Questions {
        questions: questions.iter().map(|&it| it.to_owned()).collect(),
    };
    let (one, two) = (from(&["who eats"]), from(&["who eats", "who swims"]));
    let make = |from: &NewSetFrom, if_taken| {
        acts::new_query_set(&here.engine, "mine", from, if_taken).map(|made| made.info)
    };
    let first = make(&one, IfTaken::Refuse).expect("it can be made");
    // The very same set is that set.
    assert_eq!(make(&one, IfTaken::Refuse).expect("it is the same"), first);
    let refused = make(&two, IfTaken::Refuse).expect_err("another set has it");
    assert_eq!(refused.code(), "set_taken");
    let replaced = make(&two, IfTaken::Replace).expect("it can be replaced");
    assert_eq!((&replaced.id, &*replaced.name), (&first.id, "mine"));
    assert_eq!(replaced.counts.n_queries, 2);
    let beside = make(&one, IfTaken::KeepBoth).expect("both can be kept");
    assert_eq!((&*beside.name, beside.counts.n_queries), ("mine (2)", 1));
    let sets = tuning::query_sets(here.engine.library()).expect("they can be listed");
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    assert_eq!(names, ["Judgments", "mine", "mine (2)"]);
    // Both are kept also if they are the same.
    let twin = make(&two, IfTaken::KeepBoth).expect("both can be kept");
    assert_eq!((&*twin.name, twin.counts.n_queries), ("mine (3)", 2));
    acts::delete_query_set(&here.engine, "mine (3)").expect("it is there");
    // A live set is never replaced.
    let live = acts::new_query_set(&here.engine, "Judgments", &one, IfTaken::Replace);
    assert!(
        matches!(live, Err(EngineError::QuerySet { .. })),
        "{live:?}"
    );
    // A file asks for the same decision.
    here.notes.write("mine.jsonl", queries());
    let import = |if_taken| {
        acts::import_query_set(&here.engine, &here.notes.at("mine.jsonl"), None, if_taken)
            .map(|made| made.info.name)
    };
    assert!(matches!(
        import(IfTaken::Refuse),
        Err(EngineError::QuerySetTaken { .. })
    ));
    assert_eq!(import(IfTaken::KeepBoth).expect("both"), "mine (3)");
    assert_eq!(import(IfTaken::Replace).expect("it is replaced"), "mine");
    for again in [IfTaken::Refuse, IfTaken::KeepBoth] {
        assert_eq!(import(again).expect("the same file"), "mine");
    }
}

#[test]
fn sets_are_copied_and_merged_with_their_places() {
    let here = Here::new();
    here.import(&queries());
    // A thumb for a question of the set, and for another one.
    for query in ["which pond does the otter live by", "who saw the toad"] {
        let place = format!("{}:3", here.notes.at("otter.md").display());
        acts::judge_place(&here.engine, query, &place, true, None).expect("it is there");
    }
    let copy = NewSetFrom::Set {
        set: "Judgments".to_owned(),
    };
    let (_, copied) = made(&here, "Kept", &copy, IfTaken::Refuse);
    assert_eq!(copied.len(), 2);
    let merged = NewSetFrom::Merged {
        sets: ["notes", "judgments", "Notes"].map(str::to_owned).to_vec(),
    };
    let all = acts::new_query_set(&here.engine, "All", &merged, IfTaken::Refuse);
    let all = all.expect("they can be merged");
    assert_eq!(
        all.notices,
        [
            "1 question has an answer in one set and is to find nothing in another: the answer counts"
        ]
    );
    // "who saw the toad" was nonsense in the file, and the other question is in both.
    let counts = &all.info.counts;
    assert_eq!((counts.n_queries, counts.n_nonsense), (33, 1));
    let view = tuning::query_set(here.engine.library(), "All").expect("it is there");
    let otter = view
        .queries
        .iter()
        .find(|it| it.query.contains("otter live"));
    let places = otter
        .and_then(|it| it.relevant.as_ref())
        .expect("it is judged");
    let origins: Vec<Origin> = places.iter().map(|it| it.origin).collect();
    assert_eq!(origins[0], Origin::Imported);
    assert!(
        places.iter().all(|it| it.path.ends_with("otter.md")),
        "{places:?}"
    );
    let ids: std::collections::BTreeSet<&str> =
        view.queries.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids.len(), view.queries.len());
    for sets in [&["notes"][..], &["notes", "Notes"], &[]] {
        let sets = sets.iter().map(|&it| it.to_owned()).collect();
        let refused = acts::new_query_set(
            &here.engine,
            "None",
            &NewSetFrom::Merged { sets },
            IfTaken::Refuse,
        );
        assert!(
            matches!(refused, Err(EngineError::QuerySet { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn nonsense_is_made_alone_or_beside_the_queries_of_a_set() {
    let here = Here::new();
    here.import(&queries());
    let alone = NewSetFrom::Nonsense { beside: None };
    let (_, nonsense) = made(&here, "Nonsense", &alone, IfTaken::Refuse);
    assert_eq!(nonsense.len(), 40);
    let beside = NewSetFrom::Nonsense {
        beside: Some("notes".to_owned()),
    };
    let (name, both) = made(&here, "notes", &beside, IfTaken::KeepBoth);
    assert_eq!((&*name, both.len()), ("notes (2)", 73));
    let file = file_of(here.engine.library(), "notes (2)").expect("it is there");
    let nothing = file.queries.iter().filter(|it| it.gold().is_none());
    assert_eq!(nothing.count(), 42);
    // The notes hold none of these animals, whatever the stem.
    for query in &nonsense {
        for word in ["otter", "falcon", "heron", "gannet", "raven"] {
            assert!(
                !query.query.to_lowercase().contains(word),
                "{}",
                query.query
            );
        }
    }
}
