//! `tune`, `queries`, and the gate of `eval`.
//!
//! Properties checked: too few queries and odd arguments are refused; a written preset ranks as the best one found; a
//! saved query set comes back unchanged; a regression ends with status 1, and a rounding error does not.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use memlens_tests::Notes;

use crate::memlens::{Memlens, text};

/// Thirty notes about one pond each, with a judged question for each.
fn notes() -> Notes {
    let notes = Notes::new(&[]);
    let mut lines = String::new();
    for at in 0..30 {
        let name = format!("pond{at}");
        notes.write(
            &format!("{name}.md"),
            format!("# {name}\n\nThe keeper of {name} is number {at}.\n"),
        );
        writeln!(
            lines,
            r#"{{"id":"q{at}","query":"who keeps {name}","relevant":[{{"path":"{name}.md","start_line":3,"end_line":3}}]}}"#
        )
        .unwrap();
    }
    notes.write(
        ".queries.jsonl",
        lines + "{\"id\":\"n\",\"query\":\"zebra\",\"relevant\":[]}\nno query\n",
    );
    notes
}

/// The JSON that a command prints, whatever it reports besides.
fn report(memlens: &Memlens, arguments: &[&str]) -> serde_json::Value {
    let run = memlens.run(arguments);
    assert_eq!(run.status, 0, "{arguments:?}: {run:?}");
    serde_json::from_str(&run.out).expect("it is JSON")
}

/// Runs the program in a folder, and returns its status and what it reports.
fn run_in(memlens: &Memlens, folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = memlens.command(arguments);
    let output = command
        .current_dir(folder)
        .output()
        .expect("it can be started");
    let status = output.status.code().expect("it ends by itself");
    (status, String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_tuned_preset_is_written_with_what_speaks_for_it() {
    let (memlens, notes) = (Memlens::new(), notes());
    assert_eq!(memlens.run(&["index", text(notes.path())]).status, 0);
    let queries = notes.at(".queries.jsonl");
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let preset = out.path().join("tuned.json");
    let ours = [
        "tune",
        text(&queries),
        "--set",
        "bm25_on=false",
        "--set",
        "vector_on=true",
    ];
    let more = [
        "--folds",
        "3",
        "--metric",
        "mrr@10",
        "--params",
        "vector_depth,repeat_share",
        "--out",
        text(&preset),
        "--json",
    ];
    let run = memlens.run(&[&ours[..], &more].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains(":32: skipped"), "{run:?}");
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(report["n_queries"], 30);
    assert_eq!(report["rows"][0]["kind"], "try");
    assert_eq!(report["rows"][1]["kind"], "present");
    let written: serde_json::Value =
        serde_json::from_slice(&fs::read(&preset).expect("it was written")).expect("it is JSON");
    assert_eq!(written["evidence"]["heldOut"]["folds"], 3);
    assert_eq!(written["evidence"]["n"], 30);
    let used = memlens.run(&[
        "search",
        "who keeps pond3",
        "--preset",
        text(&preset),
        "--json",
    ]);
    assert_eq!(used.status, 0, "{used:?}");
    for refused in [
        &["--metric", "ndcg"][..],
        &["--params", "no_such"],
        &["--folds", "0"],
        &["--out", text(&notes.at("tuned.json"))],
        &["--max-ms", "0"],
    ] {
        let run = memlens.run(&[&["tune", text(&queries)][..], refused].concat());
        assert_ne!(run.status, 0, "{refused:?}: {run:?}");
        assert!(!run.err.is_empty(), "{refused:?}");
    }
    let few = notes.at(".few.jsonl");
    let queries = fs::read_to_string(&queries).expect("it can be read");
    fs::write(
        notes.at(".few.jsonl"),
        queries.lines().next().expect("it has a line"),
    )
    .expect("it can be");
    let run = memlens.run(&["tune", text(&few)]);
    assert!(
        run.err.contains("1 judged query chooses by chance"),
        "{run:?}"
    );
}

#[test]
fn a_query_set_is_kept_under_its_folders_name() {
    let (memlens, notes) = (Memlens::new(), notes());
    assert_eq!(memlens.run(&["index", text(notes.path())]).status, 0);
    let import = memlens.run(&["queries", "import", text(&notes.at(".queries.jsonl"))]);
    assert_eq!(import.status, 0, "{import:?}");
    assert!(import.err.contains(":32: skipped"), "{import:?}");
    let listed = memlens.json(&["queries", "--json"]);
    assert_eq!(listed[0]["id"], "judgments");
    assert_eq!(
        (&listed[1]["n_judged"], &listed[1]["n_nonsense"]),
        (&30.into(), &1.into())
    );
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let csv = out.path().join("set.csv");
    let run = memlens.run(&["queries", "export", "notes", text(&csv)]);
    assert_eq!(run.status, 0, "{run:?}");
    let back = memlens.run(&["queries", "import", text(&csv), "--json"]);
    assert_eq!(back.status, 0, "{back:?}");
    let listed = memlens.json(&["queries", "--json"]);
    assert_eq!(listed[2]["n_gold"], listed[1]["n_gold"]);
    for name in ["notes", "set"] {
        assert_eq!(memlens.run(&["queries", "delete", name]).status, 0);
    }
    let gone = memlens.run(&["queries", "delete", "set"]);
    assert!(
        gone.status != 0 && gone.err.contains("there is no query set of this name"),
        "{gone:?}"
    );
}

#[test]
fn a_set_is_named_wherever_a_file_is() {
    let (memlens, notes) = (Memlens::new(), notes());
    assert_eq!(memlens.run(&["index", text(notes.path())]).status, 0);
    let file = notes.at(".queries.jsonl");
    let file = text(&file);
    assert_eq!(memlens.run(&["queries", "import", file]).status, 0);
    let of_file = report(&memlens, &["eval", file, "--json"]);
    for name in ["notes", "Notes", "set:notes", "1"] {
        let of_set = report(&memlens, &["eval", name, "--json"]);
        assert_eq!(of_set["queries"], "notes", "{name}");
        for figure in ["all", "nonsense", "queries_hash", "per_query"] {
            assert_eq!(of_set[figure], of_file[figure], "{name}: {figure}");
        }
    }
    let both = ["compare", "default", "openclaw@2026.9", "--queries"];
    let by_set = report(&memlens, &[&both[..], &["notes", "--json"]].concat());
    assert_eq!(by_set["n_queries"], 30);
    assert_eq!(by_set["queries"], "notes");
    let tuned = ["tune", "notes", "--params", "vector_depth", "--json"];
    assert_eq!(report(&memlens, &tuned)["n_queries"], 30);
    let exported = report(&memlens, &["export", "--queries", "notes"]);
    assert_eq!(exported["evidence"]["queries"], "notes");
    assert_eq!(exported["evidence"]["queriesHash"], of_file["queries_hash"]);
    let emulated = report(
        &memlens,
        &["emulate", "--agent", "qmd", "--queries", "notes", "--json"],
    );
    assert_eq!(emulated["n_queries"], 30);

    // The set of judgments is live: a thumb is in it at once.
    let query = "who keeps pond3";
    let place = format!("{}:3", text(&notes.at("pond3.md")));
    let empty = memlens.run(&["eval", "judgments"]);
    assert!(
        empty.status == 1
            && empty
                .err
                .contains("cannot evaluate Judgments: it has no judged queries"),
        "{empty:?}"
    );
    let vote = memlens.run(&["feedback", "--add", "up", query, &place]);
    assert_eq!(vote.status, 0, "{vote:?}");
    assert_eq!(
        report(&memlens, &["eval", "judgments", "--json"])["n_queries"],
        1
    );
}

#[test]
fn a_name_that_is_unknown_or_ambiguous_is_refused() {
    let (memlens, notes) = (Memlens::new(), notes());
    assert_eq!(memlens.run(&["index", text(notes.path())]).status, 0);
    let file = notes.at(".queries.jsonl");
    assert_eq!(memlens.run(&["queries", "import", text(&file)]).status, 0);
    let commands = [
        &["eval"][..],
        &["tune"],
        &["compare", "default", "qmd", "--queries"],
        &["export", "--queries"],
    ];
    for command in commands {
        let run = memlens.run(&[command, &["ponds"]].concat());
        assert!(
            run.status == 1
                && run.err.contains(
                    "cannot find ponds: there is no file ponds here, and there is no query set of this name; there are Judgments, Past questions, notes"
                ),
            "{command:?}: {run:?}"
        );
    }
    let topics = memlens.run(&["eval", "notes", "--topics", text(&file)]);
    assert!(
        topics.status == 1 && topics.err.contains("holds its questions itself"),
        "{topics:?}"
    );
    // A folder of the name is no file; a file of the name is refused until it is clear which is meant.
    let here = tempfile::tempdir().expect("a scratch folder can be made");
    fs::create_dir(here.path().join("judgments")).expect("it can be");
    fs::copy(&file, here.path().join("notes")).expect("it can be");
    let at = |name: &str| run_in(&memlens, here.path(), &["eval", name]);
    let (_, live) = at("judgments");
    assert!(live.contains("cannot evaluate Judgments"), "{live}");
    let both = at("notes");
    assert!(
        both.0 == 1
            && both
                .1
                .contains("write ./notes for the file, or set:notes for the set"),
        "{both:?}"
    );
    assert_eq!(at("set:notes").0, 0);
    // The places of the copy are beside no note.
    let (status, elsewhere) = at("./notes");
    assert_eq!(status, 1);
    assert!(
        elsewhere.contains("none of the 30 judged notes"),
        "{elsewhere}"
    );
}

#[test]
fn sets_are_copied_merged_renamed_and_made_of_nonsense() {
    let (memlens, notes) = (Memlens::new(), notes());
    assert_eq!(memlens.run(&["index", text(notes.path())]).status, 0);
    let file = notes.at(".queries.jsonl");
    let queries = |arguments: &[&str]| memlens.run(&[&["queries"], arguments].concat());
    let done = |arguments: &[&str]| {
        let run = queries(arguments);
        assert_eq!(run.status, 0, "{arguments:?}: {run:?}");
        run.out
    };
    done(&["import", text(&file)]);
    assert!(
        done(&["copy", "notes", "Mine"]).starts_with("Mine: 31 queries, 30 judged, 1 nonsense")
    );
    done(&["rename", "mine", "Ours"]);
    assert!(done(&["nonsense"]).starts_with("Nonsense: 40 queries, 40 nonsense "));
    let merged = done(&["merge", "All", "ours", "Nonsense"]);
    assert!(
        merged.starts_with("All: 71 queries, 30 judged, 41 nonsense"),
        "{merged}"
    );
    let taken = queries(&["copy", "notes", "All"]);
    assert!(
        taken.status == 1
            && taken
                .err
                .contains("cannot use the name All: another query set has it"),
        "{taken:?}"
    );
    assert!(done(&["copy", "notes", "All", "--keep-both"]).starts_with("All (2): 31 "));
    assert!(done(&["copy", "notes", "All", "--replace"]).starts_with("All: 31 "));
    assert!(done(&["nonsense", "Both", "--beside", "notes"]).starts_with("Both: 71 "));
    // A copy is made also under the name of the very same set.
    assert!(done(&["copy", "notes", "notes", "--keep-both"]).starts_with("notes (2): 31 "));
    assert!(done(&["copy", "notes", "notes"]).starts_with("notes: 31 "));
    let renamed = queries(&["rename", "notes", "Ours"]).err;
    let why = "cannot use the name Ours: another query set has it; choose another name\n";
    assert!(renamed.ends_with(why), "{renamed}");
    let deleted = queries(&["delete", "NOTES (2)"]).err;
    let why = "cannot delete NOTES (2): its name is notes (2); write it exactly so\n";
    assert!(deleted.ends_with(why), "{deleted}");
    done(&["delete", "notes (2)"]);
    for bad in [
        &["copy", "none", "x"][..],
        &["merge", "x", "notes", "none"],
        &["merge", "x", "notes", "notes"],
        &["copy", "notes", "past"],
        &["rename", "judgments", "x"],
        &["rename", "notes", "Ours"],
        &["delete", "past"],
    ] {
        let run = queries(bad);
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{bad:?}: {run:?}");
        assert!(run.err.starts_with("memlens: cannot "), "{bad:?}: {run:?}");
    }
    let both = ["copy", "notes", "x", "--replace", "--keep-both"];
    assert_eq!(queries(&both).status, 2);
    let nothing = report(&memlens, &["eval", "Nonsense", "--json"]);
    assert_eq!(nothing["nonsense"]["n"], 40);
}

#[test]
fn a_regression_ends_with_status_1() {
    let (memlens, notes) = (Memlens::new(), notes());
    assert_eq!(memlens.run(&["index", text(notes.path())]).status, 0);
    let queries = notes.at(".queries.jsonl");
    let eval = ["eval", text(&queries)];
    let good = memlens.run(&[&eval[..], &["--json"]].concat());
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let baseline = out.path().join("run.json");
    fs::write(&baseline, &good.out).expect("it can be");
    let gate = ["--baseline", text(&baseline)];
    let same = memlens.run(&[&eval[..], &gate].concat());
    assert_eq!(same.status, 0, "{same:?}");
    let worse = ["--set", "min_score=1"];
    let dropped = memlens.run(&[&eval[..], &gate, &worse].concat());
    assert_eq!(dropped.status, 1, "{dropped:?}");
    assert!(
        dropped.err.contains("regression: nDCG@10 0.0000 now"),
        "{dropped:?}"
    );
    let allowed = memlens.run(&[&eval[..], &gate, &worse, &["--max-drop", "1"]].concat());
    assert_eq!(allowed.status, 0, "{allowed:?}");
    for odd in ["NaN", "-0.1", "2", "much"] {
        let refused = memlens.run(&[&eval[..], &gate, &worse, &["--max-drop", odd]].concat());
        assert_eq!(refused.status, 2, "{odd}: {refused:?}");
    }
    // Precision is undefined if nothing is returned, which must not pass.
    let precision = memlens.run(
        &[
            &eval[..],
            &gate,
            &worse,
            &["--metric", "precision", "--max-drop", "1"],
        ]
        .concat(),
    );
    assert_ne!(precision.status, 0, "{precision:?}");
    fs::write(&baseline, "{}").expect("it can be");
    let no_run = memlens.run(&[&eval[..], &gate].concat());
    assert!(
        no_run.status != 0
            && no_run
                .err
                .contains("is not what memlens eval --json prints"),
        "{no_run:?}"
    );
}
