//! `eval`: its figures are those of the reference scorer, and its run is what was returned.
//!
//! Properties checked: figures and run equal the committed ones, which the reference scorer made (see
//! `fixtures/eval/README.md`); notes of other folders pass for none of the query set's; scopes; bad query sets.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{Memlens, list, text};

/// By words alone, so that the figures are the same on every machine.
const BY_WORDS: [&str; 4] = ["--set", "vector_on=false", "--set", "min_score=0"];

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/eval")
        .join(path)
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("it can be read");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect()
}

/// The query ids of a run with the places that were returned.
fn places(run: &[Value]) -> Vec<(&Value, Vec<[&Value; 3]>)> {
    run.iter()
        .map(|row| {
            let results = list(&row["results"]).iter();
            (
                &row["id"],
                results
                    .map(|result| ["path", "start_line", "end_line"].map(|key| &result[key]))
                    .collect(),
            )
        })
        .collect()
}

/// Evaluates a query set by words; returns the report and the lines of the run.
fn evaluated(memlens: &Memlens, queries: &Path) -> (Value, Vec<Value>) {
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let run_out = out.path().join("run.jsonl");
    let ours = ["eval", text(queries), "--json", "--run-out", text(&run_out)];
    let report = memlens.json(&[&ours, &BY_WORDS[..]].concat());
    (report, lines(&run_out))
}

#[test]
fn figures_are_those_of_the_reference_scorer() {
    let memlens = Memlens::new();
    let indexed = memlens.run(&["index", text(&fixture("notes"))]);
    assert_eq!(indexed.status, 0, "{indexed:?}");
    let queries = fixture("notes/queries.jsonl");
    let (report, run) = evaluated(&memlens, &queries);

    let expected = lines(&fixture("run.jsonl"));
    assert_eq!(
        places(&run),
        places(&expected),
        "see fixtures/eval/README.md"
    );
    for result in run.iter().flat_map(|row| list(&row["results"])) {
        assert!(result["score"].is_f64(), "{result}");
    }

    let figures = fs::read_to_string(fixture("figures.json")).expect("it is committed");
    let mut figures: Value = serde_json::from_str(&figures).expect("it is JSON");
    let mut groups = report["by_category"]
        .as_object()
        .expect("it is an object")
        .clone();
    groups.insert("all".to_owned(), report["all"].clone());
    let figures = figures.as_object_mut().expect("it is an object");
    assert_eq!(figures.remove("nothing").as_ref(), Some(&report["nothing"]));
    assert_eq!(
        groups.keys().collect::<Vec<_>>(),
        figures.keys().collect::<Vec<_>>()
    );
    for (name, expected) in &*figures {
        for (metric, expected) in expected.as_object().expect("it is an object") {
            // The scorer prints four decimals.
            let found = groups[name][metric]
                .as_f64()
                .unwrap_or_else(|| panic!("{name} has no {metric}"));
            let expected = expected.as_f64().expect("it is a number");
            assert!(
                (found - expected).abs() <= 0.5e-4 + 1e-9,
                "{metric} of {name}: {found} in place of {expected}"
            );
        }
    }

    assert_eq!(
        (
            &report["schema_version"],
            &report["n_queries"],
            &report["scope"]
        ),
        (&json!(1), &json!(8), &json!("in scope"))
    );
    // router.md and logs/relay.md answer three and more, the others fewer.
    assert_eq!(
        report["files_passing"],
        json!({"n_passing": 2, "n_files": 2})
    );
    assert_eq!(report["params"]["vector_on"], false);
    let per_query = list(&report["per_query"]);
    assert_eq!(per_query.len(), 8);
    let mean = per_query
        .iter()
        .map(|query| query["ndcg@10"].as_f64().expect("it is a number"))
        .sum::<f64>()
        / 8.0;
    assert!((mean - report["all"]["ndcg@10"].as_f64().expect("it is a number")).abs() < 1e-12);

    // The same for a person.
    let shown = memlens.print(&[&["eval", text(&queries)], &BY_WORDS[..]].concat());
    let all = &figures["all"]["ndcg@10"];
    assert!(
        shown
            .lines()
            .any(|line| line.starts_with("all ") && line.contains(&all.to_string())),
        "{shown}"
    );
}

#[test]
fn a_scope_is_asked_alone_unless_all_is() {
    let memlens = Memlens::new();
    assert_eq!(memlens.run(&["index", text(&fixture("notes"))]).status, 0);
    let queries = fixture("notes/queries.jsonl");
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let run_out = out.path().join("run.jsonl");
    let returned = |form: &[&str]| -> Vec<String> {
        let arguments = [
            &[
                "eval",
                text(&queries),
                "--json",
                "--run-out",
                text(&run_out),
            ],
            form,
            &BY_WORDS[..],
        ]
        .concat();
        memlens.json(&arguments);
        let run = lines(&run_out);
        let scoped = run
            .iter()
            .find(|row| row["id"] == "q5")
            .expect("it was asked");
        list(&scoped["results"])
            .iter()
            .map(|result| result["path"].as_str().expect("it is text").to_owned())
            .collect()
    };
    let in_scope = returned(&["--in-scope"]);
    assert!(
        in_scope.iter().all(|path| path.starts_with("logs/")) && !in_scope.is_empty(),
        "{in_scope:?}"
    );
    assert_eq!(returned(&[]), in_scope);
    let pooled = returned(&["--pooled"]);
    assert!(
        pooled.len() > in_scope.len() && in_scope.iter().all(|path| pooled.contains(path)),
        "{pooled:?}"
    );
}

#[test]
fn notes_of_other_folders_pass_for_none_of_the_set() {
    let set = Notes::new(&[("a.md", "The relay clicks."), ("b.md", "The hall.")]);
    set.write(
        "queries.jsonl",
        "{\"id\":\"q\",\"query\":\"relay hums\",\"relevant\":[{\"path\":\"a.md\",\"start_line\":1,\"end_line\":1}]}\n",
    );
    // The same path with a better answer.
    let other = Notes::new(&[("a.md", "The relay hums.")]);
    let memlens = Memlens::of(&[&set, &other]);
    let (report, run) = evaluated(&memlens, &set.at("queries.jsonl"));
    let paths: Vec<&Value> = list(&run[0]["results"])
        .iter()
        .map(|result| &result["path"])
        .collect();
    assert_eq!(paths, [&json!(text(&other.at("a.md"))), &json!("a.md")]);
    assert_eq!(
        (
            &report["all"]["mrr@10"],
            &report["all"]["hit_file@1"],
            &report["all"]["hit_file"]
        ),
        (&json!(0.5), &json!(0.0), &json!(1.0))
    );
}

#[test]
fn nonsense_counts_apart_and_what_nobody_judged_not_at_all() {
    let notes = Notes::new(&[("a.md", "The relay clicks.")]);
    let lines = [
        r#"{"id":"q","query":"relay","relevant":[{"path":"a.md","start_line":1,"end_line":1}]}"#,
        r#"{"id":"n1","query":"zebra","relevant":[]}"#,
        r#"{"id":"n2","query":"relay of zebras","relevant":[]}"#,
        r#"{"id":"u","query":"relay"}"#,
    ];
    let set = notes.at("queries.jsonl");
    notes.write("queries.jsonl", lines.join("\n"));
    let memlens = Memlens::of(&[&notes]);
    let run = memlens.run(&[&["eval", text(&set), "--json"], &BY_WORDS[..]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.err.contains("1 query is not judged yet; left out"),
        "{run:?}"
    );
    let report: Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(
        (&report["n_queries"], &report["all"]["n"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(report["nonsense"], json!({"n": 2, "n_nothing": 1}));
    assert_eq!(report["nothing"], json!(0.5));
    assert_eq!(report["all"]["ndcg@10"], json!(1.0));
    notes.write("queries.jsonl", lines[..3].join("\n"));
    let shown = memlens.print(&[&["eval", text(&set)], &BY_WORDS[..]].concat());
    let told = "questions without an answer for which nothing was found: 1 of 2";
    assert!(shown.contains(told), "{shown}");
    let compared = memlens.json(&[
        "compare",
        "default",
        "default",
        "--queries",
        text(&set),
        "--json",
    ]);
    assert_eq!(
        (&compared["n_queries"], &compared["a"]["nonsense"]["n"]),
        (&json!(1), &json!(2))
    );

    // Nonsense alone is evaluated, and nothing can be measured by it.
    notes.write("queries.jsonl", lines[1..3].join("\n"));
    let report = memlens.json(&[&["eval", text(&set), "--json"], &BY_WORDS[..]].concat());
    assert_eq!(
        (&report["all"], &report["nothing"]),
        (&Value::Null, &json!(0.5))
    );
    let refused = memlens.run(&["compare", "default", "default", "--queries", text(&set)]);
    assert!(
        refused.status == 1 && refused.err.contains("none of its queries has an answer"),
        "{refused:?}"
    );
    notes.write("queries.jsonl", lines[3]);
    let refused = memlens.run(&["eval", text(&set)]);
    assert!(
        refused.status == 1 && refused.err.contains("it has no judged queries"),
        "{refused:?}"
    );
}

#[test]
fn a_csv_is_evaluated_kept_and_written_as_one() {
    let notes = Notes::new(&[("a.md", "The relay clicks.")]);
    let memlens = Memlens::of(&[&notes]);
    let csv = "id,query,category,scope,path,start_line,end_line,nonsense\n\
        q,relay,,,a.md,1,1,\nn,zebra,,,,,,true\nu,not judged,,,,,,\n";
    let file = notes.at("set.csv");
    notes.write("set.csv", csv);
    let run = memlens.run(&["eval", text(&file), "--json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let report: Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(
        (&report["n_queries"], &report["nonsense"]["n"]),
        (&json!(1), &json!(1))
    );
    let imported = memlens.run(&["queries", "import", text(&file)]);
    assert_eq!(imported.status, 0, "{imported:?}");
    let counts = "3 queries, 1 judged, 1 nonsense, 1 not judged yet";
    assert!(imported.out.contains(counts), "{imported:?}");
    let (name, _) = imported.out.split_once(": ").expect("it is named");
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let written = out.path().join("again.csv");
    let run = memlens.run(&["queries", "export", name, text(&written)]);
    assert_eq!(run.status, 0, "{run:?}");
    // From another folder a note is named by its whole path.
    let expected = csv.replace("a.md", text(&notes.at("a.md")));
    let found = fs::read_to_string(&written).expect("it was written");
    assert_eq!(found, expected);
}

#[test]
fn bad_query_sets_are_told() {
    let notes = Notes::new(&[("a.md", "The relay clicks.")]);
    let memlens = Memlens::of(&[&notes]);
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    let queries = folder.path().join("queries.jsonl");
    let missing = memlens.run(&["eval", text(&queries)]);
    assert_eq!(
        (missing.status, missing.out.as_str()),
        (1, ""),
        "{missing:?}"
    );
    assert!(
        missing
            .err
            .starts_with(&format!("memlens: cannot read {}: ", queries.display())),
        "{missing:?}"
    );

    for (bytes, n_bad) in [
        (&b""[..], 0),
        (b"\n\n", 0),
        (b"not JSON\n{\"id\":\"q\"}\n", 2),
        (b"\xff\xfe\x00", 1),
    ] {
        fs::write(&queries, bytes).expect("it can be written");
        let run = memlens.run(&["eval", text(&queries), "--json"]);
        assert_eq!(
            (run.status, run.out.as_str(), run.err.lines().count()),
            (1, "", n_bad + 1),
            "{run:?}"
        );
        let last = run.err.lines().last().expect("it says why");
        assert_eq!(
            last,
            format!(
                "memlens: cannot evaluate {}: it has no judged queries",
                queries.display()
            )
        );
    }

    // Good lines count, bad ones are named.
    let good = format!(
        "{{\"id\":\"q\",\"query\":\"relay\",\"relevant\":[{{\"path\":\"{}\",\"start_line\":1,\"end_line\":1}}]}}",
        "a.md"
    );
    let set = notes.at("queries.jsonl");
    let mut lines =
        format!("{good}\nbroken\n{{\"id\":\"r\",\"query\":\" \",\"relevant\":[]}}\n").into_bytes();
    // No query is asked with other characters than it was written with.
    lines.extend(
        good.replace("relay", "caf*")
            .bytes()
            .map(|byte| if byte == b'*' { 0xe9 } else { byte }),
    );
    fs::write(&set, lines).expect("it can be written");
    let run = memlens.run(&["eval", text(&set), "--json"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains(":4: skipped: it is not UTF-8"), "{run:?}");
    let report: Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(
        (&report["n_queries"], &report["all"]["ndcg@10"]),
        (&json!(1), &json!(1.0))
    );
    for line in [2, 3] {
        assert!(
            run.err
                .contains(&format!("memlens: {}:{line}: skipped: ", set.display())),
            "{run:?}"
        );
    }
    // The line of the file, and not of the one line that was read.
    assert!(!run.err.contains("at line 1"), "{run:?}");
    // A run is never written into a watched folder.
    let before = memlens_tests::image(notes.path());
    let run = memlens.run(&[
        "eval",
        text(&set),
        "--run-out",
        text(&notes.at("run.jsonl")),
    ]);
    assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
    assert!(
        memlens_tests::image(notes.path()) == before,
        "the notes' folder changed"
    );
}
