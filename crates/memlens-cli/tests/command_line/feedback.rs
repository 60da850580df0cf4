//! `memlens feedback`: thumbs change the ranking, and are listed, taken back, exported and imported.

use std::fs;

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{Memlens, list, paths, text};

const QUERY: &str = "where does the router stand";

fn notes() -> Notes {
    Notes::new(&[
        ("hall.md", "The router stands in the hall."),
        ("attic.md", "The router stood in the attic."),
    ])
}

/// Returns the best score of each row by path, with thumbs counted.
fn scores(memlens: &Memlens) -> Value {
    scores_with(memlens, "feedback_on=true")
}

fn scores_with(memlens: &Memlens, setting: &str) -> Value {
    let report = memlens.json(&["search", "--json", "--set", setting, QUERY]);
    let rows = list(&report["results"]).iter();
    rows.map(|row| {
        (
            row["path"].as_str().expect("text").to_owned(),
            row["score"].clone(),
        )
    })
    .collect::<serde_json::Map<_, _>>()
    .into()
}

#[test]
fn a_thumb_moves_the_ranking_until_it_is_taken_back() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let plain = scores(&memlens);
    let vote = |direction: &str| {
        let run = memlens.run(&["feedback", "--add", direction, QUERY, "attic.md:1"]);
        assert_eq!((run.status, run.out.as_str()), (0, ""), "{run:?}");
        run.err
    };
    assert_eq!(vote("up"), "memlens: thumb up for attic.md:1\n");
    let up = scores(&memlens);
    assert!(up["attic.md"].as_f64() > plain["attic.md"].as_f64());
    assert_eq!(up["hall.md"], plain["hall.md"]);
    assert_eq!(scores_with(&memlens, "feedback_on=false"), plain);
    // The opposite thumb replaces it.
    assert!(vote("down").contains("which had the other"));
    let down = memlens.json(&[
        "search",
        "--json",
        "--set",
        "min_score=0",
        "--set",
        "feedback_on=true",
        QUERY,
    ]);
    assert_eq!(paths(&down["results"]), ["hall.md", "attic.md"]);
    let listed = memlens.json(&["feedback", "--json"]);
    let [entry] = list(&listed["feedback"]).as_slice() else {
        panic!("{listed}");
    };
    assert_eq!(
        (&entry["up"], &entry["query"]),
        (&json!(false), &json!(QUERY))
    );
    assert_eq!(entry["found"]["path"], "attic.md");
    // The same thumb again takes it back.
    assert!(vote("down").contains("undone"));
    assert_eq!(scores(&memlens), plain);
    assert_eq!(memlens.print(&["feedback"]), "");
}

#[test]
fn an_undo_names_its_thumb() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    memlens.run(&["feedback", "--add", "up", QUERY, "hall.md"]);
    let listed = memlens.json(&["feedback", "--json"]);
    let id = listed["feedback"][0]["id"].as_str().expect("an id is text");
    assert_eq!(memlens.run(&["feedback", "--undo", id]).status, 0);
    for id in [id, "0", "-1", "x"] {
        memlens.refused(
            &["feedback", "--undo", id],
            2,
            &format!("cannot take back thumb {id}: no such thumb"),
        );
    }
}

#[test]
fn what_is_exported_comes_back_and_a_bad_line_is_named() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    memlens.run(&["feedback", "--add", "up", QUERY, "hall.md:1"]);
    memlens.run(&["feedback", "--add", "down", QUERY, "attic.md:1"]);
    let weighed = scores(&memlens);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let file = dir.path().join("thumbs.jsonl");
    let run = memlens.run(&["feedback", "--export", text(&file)]);
    assert_eq!(run.err, format!("memlens: wrote {}\n", file.display()));
    let mut lines = fs::read_to_string(&file).expect("it was written");
    assert_eq!(lines.lines().count(), 2);
    lines.insert_str(
        0,
        "{\"text\":\"t\",\"query\":\"q\",\"thumb\":2,\"at\":\"2026-01-31T12:00:00Z\"}\n",
    );
    fs::write(&file, lines).expect("it can be written");
    let other = Memlens::of(&[&notes]);
    let run = other.run(&["feedback", "--import", text(&file)]);
    assert_eq!(
        (run.status, run.out.as_str(), run.err.as_str()),
        (
            0,
            "2 added, 0 changed, 0 already there, 1 rejected\n",
            "memlens: line 1: thumb must be 1 or -1, not 2\n"
        )
    );
    assert_eq!(scores(&other), weighed);
    let again = other.json(&["feedback", "--json", "--import", text(&file)]);
    assert_eq!(
        (&again["n_added"], &again["n_known"]),
        (&json!(0), &json!(2))
    );
}

#[test]
fn a_file_without_a_thumb_is_refused_with_the_reason() {
    let memlens = Memlens::of(&[&notes()]);
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let file = dir.path().join("thumbs.jsonl");
    let no_line = "expected value";
    for (content, why) in [
        ("", "it contains no thumbs".to_owned()),
        (" \n\n", "it contains no thumbs".to_owned()),
        (
            "# a note\n",
            format!("it contains no thumbs; line 1: {no_line}"),
        ),
        (
            "a\nb\n\nc\nd\ne\n",
            format!(
                "it contains no thumbs; line 1: {no_line}; line 2: {no_line}; line 4: {no_line}; and 2 more"
            ),
        ),
    ] {
        fs::write(&file, content).expect("it can be written");
        let message = format!("cannot import {}: {why}", file.display());
        memlens.refused(&["feedback", "--import", text(&file)], 1, &message);
        memlens.refused(
            &["feedback", "--json", "--import", text(&file)],
            1,
            &message,
        );
    }
}

#[test]
fn what_is_no_thumb_is_refused() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    memlens.refused(
        &["feedback", "--add", "sideways", QUERY, "hall.md:1"],
        2,
        "cannot give a thumb sideways: say up or down",
    );
    memlens.refused(
        &["feedback", "--add", "up", " ", "hall.md:1"],
        2,
        "cannot search: type a question",
    );
    memlens.refused(
        &["feedback", "--add", "up", QUERY, "hall.md:99"],
        2,
        "cannot give hall.md:99 a thumb: no chunk contains this line",
    );
    memlens.refused(
        &["feedback", "--add", "up", QUERY, "cellar.md:1"],
        2,
        "cannot give cellar.md:1 a thumb: it is not in the library",
    );
    let inside = notes.path().join("thumbs.jsonl");
    let run = memlens.run(&["feedback", "--export", text(&inside)]);
    assert_eq!(run.status, 1);
    assert!(run.err.contains("where Memlens never writes"), "{run:?}");
    assert!(!inside.exists());
}
