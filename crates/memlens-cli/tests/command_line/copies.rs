//! Copies of one text share one place in the results and are listed there; settings without effect are named.

use memlens_tests::Notes;
use serde_json::Value;

use crate::memlens::{Memlens, list, paths, text};

const QUESTION: &str = "who rotated the shop deploy key";
const KEY: &str = "# Deploy key\n\nThe deploy key of the shop lives in the vault under shop/deploy, ask Nora to rotate it.";

/// Returns a note, twelve conflict copies of it from a sync tool, four of them with one word edited, and the note that
/// answers.
fn conflicted() -> Notes {
    let notes = Notes::new(&[]);
    notes.write("deploy-key.md", format!("{KEY}\n"));
    let dates = [
        ("2026-01-10", 0, " ok"),
        ("2026-02-11", 1, ""),
        ("2026-03-12", 2, ""),
        ("2026-04-13", 3, " ok"),
        ("2026-05-14", 4, ""),
        ("2026-06-15", 5, ""),
        ("2026-07-16", 6, " ok"),
        ("2026-08-17", 7, ""),
        ("2026-09-18", 8, ""),
        ("2026-01-10", 9, " ok"),
        ("2026-02-11", 10, ""),
        ("2026-03-12", 11, ""),
    ];
    for (date, at, end) in dates {
        let name = format!("deploy-key (conflicted copy {date}) {at}.md");
        notes.write(&name, format!("{KEY}{end}\n"));
    }
    notes.write(
        "rotation.md",
        "# Rotation\n\nThe shop's deploy key was rotated on 3 November by Idris and now expires in May.\n",
    );
    notes
}

#[test]
fn copies_hold_one_place_and_are_listed_there() {
    let notes = conflicted();
    let memlens = Memlens::of(&[&notes]);
    let report = memlens.json(&["search", "--json", QUESTION]);
    let results = list(&report["results"]);
    let found = paths(&report["results"]);
    let rank = found.iter().position(|path| *path == "rotation.md");
    assert!(rank.is_some_and(|at| at < 2), "{found:?}");
    // One row lists every copy, newest first.
    let copies: Vec<&str> = results
        .iter()
        .flat_map(|row| paths(&row["copies"]))
        .collect();
    assert_eq!(copies.len() + found.len(), 14, "{found:?} {copies:?}");
    let dated: Vec<&str> = results
        .iter()
        .filter(|row| !list(&row["copies"]).is_empty())
        .flat_map(|row| paths(&row["copies"]))
        .filter_map(|path| path.split_once("copy ").map(|(_, rest)| &rest[..10]))
        .collect();
    let by_row = results.iter().map(|row| {
        let copies = paths(&row["copies"]).into_iter();
        let dates = copies.filter_map(|path| path.split_once("copy ").map(|(_, rest)| &rest[..10]));
        dates.collect::<Vec<_>>()
    });
    for dates in by_row {
        assert!(dates.is_sorted_by(|a, b| a >= b), "{dates:?}");
    }
    assert!(!dated.is_empty());
    let printed = memlens.print(&["search", QUESTION]);
    assert!(printed.contains("copies: "), "{printed}");
    // For a folded copy, `why` names the row it is folded into.
    let folded = memlens.print(&["why", QUESTION, copies[0]]);
    assert!(
        folded.contains("lost at Repeats: folded: its text is a copy of that of rank "),
        "{folded}"
    );
}

#[test]
fn a_note_that_copies_keep_out_says_so() {
    let notes = conflicted();
    let memlens = Memlens::of(&[&notes]);
    let why = |settings: &[&str]| {
        let settings: Vec<&str> = settings.iter().flat_map(|it| ["--set", it]).collect();
        memlens.print(&[&["why", QUESTION, "rotation.md"], &settings[..]].concat())
    };
    let said = why(&["copies=keep"]);
    assert!(
        said.contains(
            "lost at Limit: rank 14 > max results 10; 12 of the 13 rows above it are copies of others there; copies=fold would put it at rank 2"
        ),
        "{said}"
    );
    // The copies fill the lists before ranking begins.
    let said = why(&["vector_on=false", "bm25_depth=5"]);
    assert!(
        said.contains("12 of the 13 chunks before it in the list BM25 are copies of others there, and fill it to its depth 5"),
        "{said}"
    );
}

#[test]
fn a_setting_that_changes_nothing_is_named() {
    let notes = conflicted();
    let memlens = Memlens::of(&[&notes]);
    let said = |settings: &[&str]| {
        let settings: Vec<&str> = settings.iter().flat_map(|it| ["--set", it]).collect();
        let run = memlens.run(&[&["search", "--json", QUESTION], &settings[..]].concat());
        assert_eq!(run.status, 0, "{run:?}");
        let report: Value = serde_json::from_str(&run.out).expect("it prints JSON");
        assert!(!list(&report["results"]).is_empty());
        run.err
    };
    assert_eq!(
        said(&["near_duplicates=collapse"]),
        "memlens: near_duplicates has no effect while the stage Corroboration is off; corroboration_on=true switches it on\n"
    );
    assert_eq!(
        said(&["near_duplicates=collapse", "corroboration_on=true"]),
        ""
    );
    assert_eq!(
        said(&["fusion_k=20"]),
        "memlens: fusion_k has no effect with fusion=calibrated; it acts with fusion=rrf\n"
    );
    assert_eq!(
        said(&["limit_on=false", "max_results=3"]),
        "memlens: max_results has no effect while the stage Limit is off; limit_on=true switches it on\n"
    );
    assert_eq!(said(&["max_results=3"]), "");
}

#[test]
fn a_judged_copy_that_is_folded_is_counted_and_said() {
    let notes = conflicted();
    let memlens = Memlens::of(&[&notes]);
    let report = memlens.json(&["search", "--json", QUESTION]);
    let folded: Vec<&str> = list(&report["results"])
        .iter()
        .flat_map(|row| paths(&row["copies"]))
        .collect();
    let gold = |path: &str| serde_json::json!({"path": path, "start_line": 3, "end_line": 3});
    let query = |relevant: Vec<Value>| {
        serde_json::json!({"id": "q1", "query": QUESTION, "relevant": relevant}).to_string() + "\n"
    };
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let set = notes.path().join(".queries.jsonl");
    let eval = |queries: &str, settings: &[&str]| {
        std::fs::write(&set, queries).expect("it can be written");
        let all = [&["eval", text(&set), "--json"], settings].concat();
        let run = memlens.run(&all);
        assert_eq!(run.status, 0, "{run:?}");
        let report: Value = serde_json::from_str(&run.out).expect("it prints JSON");
        (report["all"]["recall@10"].as_f64(), run.err)
    };
    let one = "memlens: 1 judged place is in a copy that is folded under a returned row, and counts as not returned; with copies=keep it has its own row\n";
    let of_one = query(vec![gold(folded[0])]);
    assert_eq!(eval(&of_one, &[]), (Some(0.0), one.to_owned()));
    let many = eval(&query(folded.iter().map(|path| gold(path)).collect()), &[]).1;
    let n = folded.len();
    assert!(
        many.starts_with(&format!("memlens: {n} judged places are in copies")),
        "{many}"
    );
    // Nothing is folded, or the folded copy is not judged.
    assert_eq!(eval(&of_one, &["--set", "copies=keep"]).1, "");
    assert_eq!(eval(&query(vec![gold("rotation.md")]), &[]).1, "");

    let keeping = scratch.path().join("keeping.json");
    let run = memlens.run(&["export", "--set", "copies=keep", "--out", text(&keeping)]);
    assert_eq!(run.status, 0, "{run:?}");
    std::fs::write(&set, &of_one).expect("it can be written");
    let run = memlens.run(&[
        "compare",
        "default",
        text(&keeping),
        "--queries",
        text(&set),
    ]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.err.contains("default: 1 judged place is in a copy")
            && run.err.matches("judged place").count() == 1,
        "{run:?}"
    );
}
