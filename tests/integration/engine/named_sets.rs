//! Query sets of the library, named where a file can be given.
//!
//! Properties checked: figures by a set are those of Tune, also after its notes were edited; a set with a text that is gone says
//! so; sets whose names differ in case alone are not mistaken for each other.

use std::path::Path;

use memlens_engine::tuning::{self, NamedSet};
use memlens_engine::view::NewSetFrom;
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
        acts::new_query_set(&here.engine, name, &NewSetFrom::Empty).expect("it can be made")
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
    acts::delete_query_set(&here.engine, "ponds").expect("it is there");
    // One is left, so its case does not matter.
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
