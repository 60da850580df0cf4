//! Every printed figure names the embedding model that the notes were embedded by.

use std::fs;

use memlens_tests::Notes;

use crate::memlens::{Memlens, text};

const MODEL: &str = "all-MiniLM-L6-v2-q8@57d50a19";

fn notes() -> Notes {
    let notes = Notes::new(&[
        (
            "relay.md",
            "# Relay\n\nThe relay in the hall is quiet at night.\n",
        ),
        (
            "soup.md",
            "# Soup\n\nThe stock for the soup takes four hours.\n",
        ),
    ]);
    notes.write(
        ".queries.jsonl",
        r#"{"id":"q1","query":"when is the relay quiet","relevant":[{"path":"relay.md","start_line":3,"end_line":3}]}"#,
    );
    notes
}

#[test]
fn searches_evaluations_and_comparisons_name_it() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let queries = notes.at(".queries.jsonl");
    let queries = text(&queries);
    let search = ["search", "quiet relay"];
    let one = ["compare", "default", "openclaw@2026.9", "quiet relay"];
    let many = ["compare", "--queries", queries, "default", "default"];
    for arguments in [&search[..], &["eval", queries]] {
        let report = memlens.json(&[arguments, &["--json"]].concat());
        assert_eq!(report["model"], MODEL, "{arguments:?}");
    }
    for arguments in [&one[..], &many] {
        let report = memlens.json(&[arguments, &["--json"]].concat());
        assert_eq!(
            (&report["a"]["model"], &report["b"]["model"]),
            (&MODEL.into(), &MODEL.into()),
            "{arguments:?}"
        );
    }
    for arguments in [
        &[&search[..], &["--explain"]].concat()[..],
        &[&search[..], &["--markdown"]].concat(),
        &[&search[..], &["--csv"]].concat(),
        &["eval", queries],
        &one,
        &many,
        &["export", "--target", "openclaw@2026.9"],
        &["export"],
    ] {
        let run = memlens.run(arguments);
        assert!(
            run.status == 0 && run.out.contains(MODEL),
            "{arguments:?}: {run:?}"
        );
    }
}

#[test]
fn a_run_that_is_saved_names_it_and_a_later_one_by_another_says_so() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let (run_out, baseline) = (out.path().join("run.jsonl"), out.path().join("base.json"));
    let queries = notes.at(".queries.jsonl");
    let eval = ["eval", text(&queries)];
    let printed = memlens.run(&[&eval[..], &["--json", "--run-out", text(&run_out)]].concat());
    let line = fs::read_to_string(&run_out).expect("it was written");
    assert!(line.contains(&format!(r#""model":"{MODEL}""#)), "{line}");
    let check = |baseline_text: String, expected: Option<&str>| {
        fs::write(&baseline, baseline_text).expect("it can be written");
        let run = memlens.run(&[&eval[..], &["--baseline", text(&baseline)]].concat());
        assert_eq!(run.status, 0, "{run:?}");
        let said = run.err.lines().find(|line| line.contains("model"));
        match expected {
            None => assert_eq!(said, None),
            Some(expected) => assert!(said.is_some_and(|said| said.contains(expected)), "{run:?}"),
        }
    };
    check(printed.out.clone(), None);
    let of_other = printed.out.replace(MODEL, "hashing-64");
    check(of_other, Some("by hashing-64 in the first, by all-MiniLM"));
    // A run of a former version.
    let without = printed.out.replace("\"model\"", "\"unknown\"");
    check(
        without,
        Some("it is not known which model embedded the notes of the first run; all-MiniLM"),
    );
}
