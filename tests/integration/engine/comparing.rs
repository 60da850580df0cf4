//! Two rankings over a query set.
//!
//! Properties checked: figures and changes are of the same queries; lines that are not queries are reported, and so are
//! missing notes; a stop ends the comparison and leaves no progress.

use std::time::{Duration, Instant};

use memlens_engine::view::JobKind;
use memlens_engine::{EngineError, Part, QueryFile, Ranking, compare_over, pipeline};
use memlens_params::{ParameterSet, Value};
use memlens_tests::{Notes, fresh, open};

fn query(id: usize, query: &str, path: &str) -> String {
    format!(
        "{{\"id\":\"q{id}\",\"query\":\"{query}\",\"category\":\"c\",\"scope\":\"hall\",\"relevant\":[{{\"path\":\"{path}\",\"start_line\":1,\"end_line\":1}}]}}\n"
    )
}

fn notes() -> Notes {
    Notes::new(&[
        ("hall/a.md", "The router stands in the hall.\n"),
        ("hall/b.md", "The lamp stands in the hall.\n"),
    ])
}

#[test]
fn both_are_asked_every_query() {
    let notes = notes();
    let lines = [
        query(1, "router", "hall/a.md"),
        query(2, "lamp", "hall/gone.md"),
        "no query\n".to_owned(),
    ];
    notes.write(".queries.jsonl", lines.concat());
    let file = QueryFile::read(&notes.at(".queries.jsonl")).expect("it can be read");
    assert_eq!(file.left_out.len(), 1, "{file:?}");
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let ours = Ranking::of(pipeline("memlens").expect("it is known"));
    let mut none = ours.clone();
    let most = Value::Number(1.0);
    none.values.set("min_score", most).expect("it is in range");
    let compared = compare_over(&library, &file, ("none", &none), ("ours", &ours))
        .expect("it can be compared")
        .expect("nobody stopped it");
    assert_eq!((compared.n_queries, compared.a.named.as_str()), (2, "none"));
    let outcome = compared.all.outcome;
    assert_eq!((outcome.wins, outcome.ties, outcome.losses), (1, 1, 0));
    assert_eq!(compared.by_category["c"], compared.all);
    assert_eq!(compared.b.all.mean.hit_file, 0.5);
    let first = &compared.per_query[0];
    assert_eq!((first.a.ndcg_10, first.b.ndcg_10), (0.0, 1.0));
    assert_eq!(
        first.scope.as_ref().map(|it| it.path.as_str()),
        Some("hall")
    );
    assert!(
        compared
            .notices
            .iter()
            .any(|it| *it == "1 of the 2 judged notes is not in this library and counts as not found: hall/gone.md"),
        "{:?}",
        compared.notices
    );
    let empty = QueryFile {
        queries: Vec::new(),
        ..file
    };
    let refused = empty.with_queries();
    assert!(
        matches!(refused, Err(EngineError::NoQueries { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_stop_ends_it() {
    let notes = notes();
    let lines: String = (0..100_000)
        .map(|id| query(id, "router", "hall/a.md"))
        .collect();
    notes.write(".queries.jsonl", lines);
    let file = QueryFile::read(&notes.at(".queries.jsonl")).expect("it can be read");
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let ours = Ranking::of(pipeline("memlens").expect("it is known"));
    let theirs = Ranking::of(pipeline("openclaw").expect("it is known"));
    let stopped = std::thread::scope(|scope| {
        let compared = scope.spawn(|| compare_over(&library, &file, ("a", &ours), ("b", &theirs)));
        let started = Instant::now();
        while library
            .jobs()
            .compare
            .progress()
            .is_none_or(|it| it.n_done == 0)
        {
            assert!(
                started.elapsed() < Duration::from_secs(30),
                "it never began"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        library.stop(JobKind::Compare);
        compared.join().expect("it does not panic")
    });
    assert_eq!(stopped.expect("it can be compared"), None);
    assert_eq!(library.jobs().compare.progress(), None);
    // The library that was stopped answers again.
    let search = library.search_as("router", &theirs, Part::All);
    assert!(search.is_ok_and(|search| search.set().n_chunks > 0));
}
