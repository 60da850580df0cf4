//! `eval`: its figures are those of the reference scorer, and its run holds what was returned.
//!
//! Properties checked: figures and run equal the committed ones, which the reference scorer made (see
//! `fixtures/eval/README.md`); notes of other folders do not count as notes of the query set; scopes; bad query sets.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{Memlens, list, text};

/// Settings for a search by words alone, which gives the same figures on every machine.
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

/// Returns the query ids of a run with the places that were returned.
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

/// Evaluates a query set by words. Returns the report and the lines of the run.
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
    // router.md and logs/relay.md answer at least three queries, the other notes fewer.
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

    // The text output has the same figures.
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
    // A note with the same path and a better answer.
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
    let reported = "questions without an answer for which nothing was found: 1 of 2";
    assert!(shown.contains(reported), "{shown}");
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

    // A set of nonsense queries alone is evaluated and has no figures.
    notes.write("queries.jsonl", lines[1..3].join("\n"));
    let report = memlens.json(&[&["eval", text(&set), "--json"], &BY_WORDS[..]].concat());
    assert_eq!(
        (&report["all"], &report["nothing"]),
        (&Value::Null, &json!(0.5))
    );
    let shown = memlens.print(&[&["eval", text(&set)], &BY_WORDS[..]].concat());
    let embedded = shown.lines().next().unwrap_or_default();
    assert!(embedded.starts_with("notes embedded by "), "{shown}");
    let rest: Vec<&str> = shown.lines().skip(1).collect();
    let expected = [
        "no query of this set has an answer, so nDCG@10 and the other figures of rank do not apply",
        "questions without an answer for which something was found: 1 of 2",
        "questions without an answer for which nothing was found: 1 of 2",
    ];
    assert_eq!(rest, expected, "{shown}");
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
    // A note of another folder is named by its full path.
    let expected = csv.replace("a.md", text(&notes.at("a.md")));
    let found = fs::read_to_string(&written).expect("it was written");
    assert_eq!(found, expected);
}

#[test]
fn groups_are_shown_only_if_there_are_some() {
    let notes = Notes::new(&[("a.md", "The relay clicks.")]);
    let memlens = Memlens::of(&[&notes]);
    let set = notes.at("queries.jsonl");
    let line = |id: &str, more: &str| {
        let place = r#"{"path":"a.md","start_line":1,"end_line":1}"#;
        format!(r#"{{"id":"{id}","query":"relay","relevant":[{place}]{more}}}"#)
    };
    let shown = |lines: &[String]| {
        notes.write("queries.jsonl", lines.join("\n"));
        memlens.print(&[&["eval", text(&set)], &BY_WORDS[..]].concat())
    };
    let rows = |shown: &str| -> Vec<String> {
        let names = shown.lines().map(|line| line.get(..16).unwrap_or(line));
        names.map(|name| name.trim().to_owned()).collect()
    };
    let alone = shown(&[line("q", "")]);
    assert_eq!(
        rows(&alone).last().map(String::as_str),
        Some("all"),
        "{alone}"
    );
    let grouped = shown(&[
        line("q", ""),
        line("r", r#","category":"short""#),
        line("s", ""),
    ]);
    let names = rows(&grouped);
    assert!(
        names.ends_with(&["all", "no category", "short", "files passing wi"].map(str::to_owned)),
        "{grouped}"
    );
}

#[test]
fn bad_query_sets_are_reported() {
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

    // An unknown format is refused with the list of formats that can be read.
    for bytes in [
        &b"\xff\xfe\x00"[..],
        b"# Notes\n\nThe relay clicks.\n",
        b"a,b,c\n1,2,3\n",
        b"{\"name\": 1}",
        b"[1, 2]",
    ] {
        fs::write(&queries, bytes).expect("it can be written");
        let run = memlens.run(&["eval", text(&queries)]);
        let said = format!(
            "memlens: cannot read {}: it is in none of the formats that are read: JSON lines (id, query, relevant), CSV",
            queries.display()
        );
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
        assert!(
            run.err.starts_with(&said) && run.err.contains("RankLib"),
            "{run:?}"
        );
    }

    // Valid lines count and invalid ones are named.
    let good = format!(
        "{{\"id\":\"q\",\"query\":\"relay\",\"relevant\":[{{\"path\":\"{}\",\"start_line\":1,\"end_line\":1}}]}}",
        "a.md"
    );
    let set = notes.at("queries.jsonl");
    let mut lines =
        format!("{good}\nbroken\n{{\"id\":\"r\",\"query\":\" \",\"relevant\":[]}}\n").into_bytes();
    // A query with invalid UTF-8 is not asked with replacement characters.
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
    // The message names the line of the file, not line 1 of the text that was parsed.
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

/// Returns a query set with one line per question, each judged by a note's path.
fn set_of(judged: &[(&str, &str)]) -> String {
    let line = |(at, (query, path)): (usize, &(&str, &str))| {
        let place = json!({ "path": path, "start_line": 1, "end_line": 1 });
        json!({ "id": format!("q{at}"), "query": query, "relevant": [place] }).to_string() + "\n"
    };
    judged.iter().enumerate().map(line).collect()
}

#[test]
fn a_note_is_the_same_however_it_is_named_and_wherever_the_set_is() {
    let files = Notes::new(&[
        ("notes/a.md", "The relay clicks."),
        ("notes/b.md", "The lamp glows."),
        ("elsewhere/c.md", "x"),
    ]);
    let memlens = Memlens::new();
    let indexed = memlens.run(&["index", text(&files.at("notes"))]);
    assert_eq!(indexed.status, 0, "{indexed:?}");
    #[cfg(unix)]
    std::os::unix::fs::symlink(files.at("notes"), files.at("link")).expect("links can be made");
    let absolute = files.at("notes/a.md");
    for (set, path) in [
        ("queries.jsonl", text(&absolute)),
        ("queries.jsonl", "notes/a.md"),
        ("queries.jsonl", "./notes/../notes/a.md"),
        #[cfg(unix)]
        ("queries.jsonl", "link/a.md"),
        ("notes/.queries.jsonl", text(&absolute)),
        ("notes/.queries.jsonl", "a.md"),
        ("elsewhere/.queries.jsonl", text(&absolute)),
        ("elsewhere/.queries.jsonl", "../notes/a.md"),
    ] {
        files.write(set, set_of(&[("relay", path), ("relay clicks", path)]));
        let set = files.at(set);
        let report = memlens.json(&[&["eval", text(&set), "--json"], &BY_WORDS[..]].concat());
        let found = (&report["all"]["ndcg@10"], &report["all"]["hit_file"]);
        assert_eq!(found, (&json!(1.0), &json!(1.0)), "{set:?} {path}");
        let compared = memlens.json(&[
            "compare",
            "default",
            "default",
            "--queries",
            text(&set),
            "--json",
        ]);
        assert_eq!(
            compared["a"]["all"]["ndcg@10"],
            json!(1.0),
            "{set:?} {path}"
        );
        let exported = memlens.run(&["export", "--queries", text(&set)]);
        let preset: Value = serde_json::from_str(&exported.out).expect("it is JSON");
        assert_eq!(
            preset["evidence"]["ndcg@10"]["after"],
            json!(1.0),
            "{set:?} {path}"
        );
    }
}

#[test]
fn without_a_judged_note_in_the_library_there_is_no_figure() {
    let files = Notes::new(&[
        ("notes/a.md", "The relay clicks."),
        ("notes/b.md", "The lamp."),
    ]);
    let memlens = Memlens::new();
    let indexed = memlens.run(&["index", text(&files.at("notes"))]);
    assert_eq!(indexed.status, 0, "{indexed:?}");
    // The paths are relative to the folder above the notes, so no note matches.
    let judged = ["a.md", "b.md", "c.md", "d.md", "b.md"].map(|path| ("relay", path));
    let many: Vec<(&str, &str)> = judged.iter().copied().cycle().take(25).collect();
    files.write("queries.jsonl", set_of(&many));
    let set = files.at("queries.jsonl");
    let out = files.at("out.json");
    let said = format!(
        "memlens: cannot measure by {}: none of the 4 judged notes is in this library (a.md, b.md, c.md, and 1 more); \
         their paths begin in {}; index the folder that holds them, or correct the paths",
        set.display(),
        set.parent().expect("it is in a folder").display()
    );
    for arguments in [
        &["eval", text(&set)][..],
        &["eval", text(&set), "--json"],
        &["emulate", "--queries", text(&set)],
        &["compare", "default", "qmd", "--queries", text(&set)],
        &["export", "--queries", text(&set), "--out", text(&out)],
        &["export", "--target", "openclaw", "--queries", text(&set)],
    ] {
        let run = memlens.run(arguments);
        assert_eq!(
            (run.status, run.out.as_str()),
            (1, ""),
            "{arguments:?} {run:?}"
        );
        assert_eq!(run.err.trim_end(), said, "{arguments:?}");
    }
    let tuned = memlens.run(&["tune", text(&set), "--out", text(&out)]);
    assert_eq!((tuned.status, tuned.out.as_str()), (1, ""), "{tuned:?}");
    assert!(
        tuned
            .err
            .contains("none of the 4 judged notes is in this library (a.md"),
        "{tuned:?}"
    );
    assert!(!out.exists());

    files.write(
        "queries.jsonl",
        set_of(&[("relay", "notes/a.md"), ("lamp", "b.md")]),
    );
    let run = memlens.run(&[&["eval", text(&set), "--json"], &BY_WORDS[..]].concat());
    assert_eq!(
        run.err.trim_end(),
        "memlens: 1 of the 2 judged notes is not in this library and counts as not found: b.md"
    );
    let report: Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(report["all"]["ndcg@10"], json!(0.5));
}

/// Returns judgment files in the formats of search engines, all for the same two questions.
fn judgment_files() -> Vec<(&'static str, String)> {
    let ratings = |id: &str| {
        format!(
            "query,{id},rating\nwhere is the ladder,ladder.md,3\nwhere is the ladder,bees.md,0\nwhere are the hives,bees.md,2\n"
        )
    };
    let opensearch = json!({ "name": "n", "type": "IMPORT_JUDGMENT", "judgmentRatings": [
        { "query": "where is the ladder", "ratings": [
            { "docId": "ladder.md", "rating": "3.000" }, { "docId": "bees.md", "rating": "0.000" },
        ] },
        { "query": "where are the hives", "ratings": [{ "docId": "bees.md", "rating": 0.7 }] },
    ] });
    let older = json!({ "_source": { "judgmentRatings": {
        "where is the ladder": [{ "docId": "notes/ladder.md", "rating": "3.000" }],
        "where are the hives": [{ "docId": "notes/bees.md", "rating": "1" }],
    } } });
    vec![
        ("quepid.csv", ratings("docid")),
        (
            "opensearch.csv",
            "query,docId,rating\n\"where is the ladder\",ladder.md,1.0\n\"where are the hives\",bees.md,0.7\n".to_owned(),
        ),
        ("opensearch.json", opensearch.to_string()),
        ("older.json", older.to_string()),
        (
            "ltr.tsv",
            "2\tqid:1\t# ladder.md\twhere is the ladder\n0\tqid:1\t# bees.md\twhere is the ladder\n2\tqid:2\t# bees.md\twhere are the hives\n".to_owned(),
        ),
        (
            "ltr.txt",
            "# qid:1: where is the ladder\n# qid:2: where are the hives\n\n4 qid:1 1:0.5 2:7 # ladder.md The ladder\n3 qid:2 1:2 # notes/bees.md\n".to_owned(),
        ),
        ("qrels.txt", "1 0 ladder.md 2\n1 0 bees.md 0\n2 0 bees.md 1\n".to_owned()),
        ("beir.tsv", "query-id\tcorpus-id\tscore\n1\tladder.md\t1\n2\tbees.md\t1\n".to_owned()),
    ]
}

/// Topics files in every format that is read.
const TOPICS: [(&str, &str); 5] = [
    (
        "topics.tsv",
        "1\twhere is the ladder\n2\twhere are the hives\n",
    ),
    (
        "topics.txt",
        "1:where is the ladder\n2:where are the hives\n",
    ),
    (
        "topics.sgml",
        "<top>\n<num> Number: 1\n<title> Topic: where is\nthe ladder\n<desc> x\n</top>\n<top>\n<num> Number: 2\n<title> where are the hives\n</top>\n",
    ),
    (
        "topics.xml",
        "<topics><topic number=\"1\"><query>where is the ladder</query></topic><topic number=\"2\"><query>where are the hives</query></topic></topics>",
    ),
    (
        "queries.jsonl",
        "{\"_id\": \"1\", \"text\": \"where is the ladder\"}\n{\"_id\": \"2\", \"text\": \"where are the hives\"}\n",
    ),
];

#[test]
fn judgments_of_search_engines_are_read() {
    let files = Notes::new(&[
        (
            "notes/ladder.md",
            "# Ladder\n\nThe ladder leans behind the barn.\n",
        ),
        ("notes/bees.md", "# Bees\n\nThe hives are by the orchard.\n"),
    ]);
    let memlens = Memlens::new();
    let indexed = memlens.run(&["index", text(&files.at("notes"))]);
    assert_eq!(indexed.status, 0, "{indexed:?}");
    let check = |arguments: &[&str]| {
        let report = memlens.json(&[arguments, &["--json"], &BY_WORDS[..]].concat());
        assert_eq!(report["n_queries"], json!(2), "{arguments:?} {report}");
        assert_eq!(
            report["all"]["hit_file@1"],
            json!(1.0),
            "{arguments:?} {report}"
        );
    };
    files.write("topics.tsv", TOPICS[0].1);
    for (name, content) in judgment_files() {
        let file = files.at(name);
        files.write(name, &content);
        check(&["eval", text(&file)]);
        let imported = memlens.run(&["queries", "import", text(&file)]);
        assert!(imported.out.contains("2 queries, 2 judged"), "{imported:?}");
    }
    // A grade of 0 alone does not say which notes are relevant.
    files.write(
        "quepid.csv",
        "query,docid,rating\nladder,ladder.md,1\nbees,ladder.md,0\nhives,bees.md,\n",
    );
    let run = memlens.run(&["eval", text(&files.at("quepid.csv")), "--json"]);
    assert_eq!(
        run.err.trim_end(),
        "memlens: 1 query is not judged yet; left out"
    );

    let qrels = files.at("qrels.txt");
    for (name, content) in TOPICS {
        let topics = files.at(&format!("elsewhere/{name}"));
        files.write(&format!("elsewhere/{name}"), content);
        check(&["eval", text(&qrels), "--topics", text(&topics)]);
    }
    files.write("topics-2.tsv", TOPICS[0].1);
    let many = memlens.run(&["eval", text(&qrels)]);
    let said = "could be any of topics-2.tsv, topics.tsv; name it with --topics";
    assert!(many.status == 1 && many.err.contains(said), "{many:?}");
    files.remove("topics.tsv");
    files.remove("topics-2.tsv");
    let none = memlens.run(&["eval", text(&qrels)]);
    assert!(
        none.status == 1 && none.err.contains("name it with --topics"),
        "{none:?}"
    );
    let ladder = files.at("notes/ladder.md");
    let odd = memlens.run(&[
        "eval",
        text(&files.at("ltr.tsv")),
        "--topics",
        text(&ladder),
    ]);
    assert!(
        odd.status == 1 && odd.err.contains("it is not TREC qrels"),
        "{odd:?}"
    );
}

#[test]
fn a_document_id_that_fits_several_notes_is_refused_with_their_list() {
    let files = Notes::new(&[
        ("notes/a/ladder.md", "The ladder leans behind the barn."),
        ("notes/b/ladder.md", "The ladder is sold."),
    ]);
    let memlens = Memlens::new();
    let indexed = memlens.run(&["index", text(&files.at("notes"))]);
    assert_eq!(indexed.status, 0, "{indexed:?}");
    let set = files.at("quepid.csv");
    files.write("quepid.csv", "query,docid,rating\nladder,ladder.md,1\n");
    let [a, b] = ["notes/a/ladder.md", "notes/b/ladder.md"].map(|it| files.at(it));
    memlens.refused(
        &["eval", text(&set)],
        1,
        &format!(
            "cannot measure by {}: the document id ladder.md fits 2 notes ({}, {}); write more of the path in front of it",
            set.display(),
            a.display(),
            b.display()
        ),
    );
    files.write(
        "quepid.csv",
        "query,docid,rating\nladder,a/ladder.md,1\nbarn,c/ladder.md,1\n",
    );
    let run = memlens.run(&["eval", text(&set), "--json"]);
    assert_eq!(
        run.err.trim_end(),
        "memlens: 1 of the 2 judged notes is not in this library and counts as not found: c/ladder.md"
    );
}

#[test]
fn a_query_set_is_named_in_any_case() {
    let notes = Notes::new(&[("a.md", "The relay clicks.")]);
    let memlens = Memlens::of(&[&notes]);
    let file = notes.at("Relays.jsonl");
    notes.write("Relays.jsonl", set_of(&[("relay", "a.md")]));
    let imported = memlens.run(&["queries", "import", text(&file)]);
    assert_eq!(imported.status, 0, "{imported:?}");
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let out = out.path().join("out.jsonl");
    for name in ["Relays", "relays"] {
        let run = memlens.run(&["queries", "export", name, text(&out), "--replace"]);
        assert_eq!(run.status, 0, "{name} {run:?}");
    }
    for name in ["Judgments", "judgments", "JUDGMENTS"] {
        let run = memlens.run(&["queries", "export", name, text(&out), "--replace"]);
        assert_eq!(run.status, 1, "{name} {run:?}");
        let expected = format!(
            "memlens: cannot export the query set {name}: it has no queries; no file was written\n"
        );
        assert_eq!(run.err, expected);
    }
}

#[test]
fn an_export_of_a_set_replaces_no_file_unless_asked() {
    let notes = Notes::new(&[("a.md", "The relay clicks.")]);
    let memlens = Memlens::of(&[&notes]);
    let file = notes.at("relays.jsonl");
    notes.write("relays.jsonl", set_of(&[("relay", "a.md")]));
    let imported = memlens.run(&["queries", "import", text(&file)]);
    assert_eq!(imported.status, 0, "{imported:?}");
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let out = out.path().join("mine.jsonl");
    fs::write(&out, "Made by hand.").expect("it can be written");
    let run = memlens.run(&["queries", "export", "relays", text(&out)]);
    assert_eq!(run.status, 1, "{run:?}");
    let expected = format!(
        "memlens: cannot write {}: it exists; name another file, or add --replace\n",
        out.display()
    );
    assert_eq!(run.err, expected);
    let kept = fs::read_to_string(&out).expect("it is there");
    assert_eq!(kept, "Made by hand.");
    let run = memlens.run(&["queries", "export", "relays", text(&out), "--replace"]);
    assert_eq!(run.status, 0, "{run:?}");
    let replaced = fs::read_to_string(&out).expect("it is there");
    assert!(replaced.contains("relay"), "{replaced}");
}

#[test]
fn an_exported_set_names_notes_below_it_relatively() {
    let files = Notes::new(&[("notes/a.md", "The relay clicks.")]);
    let memlens = Memlens::new();
    memlens.run(&["index", text(&files.at("notes"))]);
    files.write("relays.jsonl", set_of(&[("relay", "notes/a.md")]));
    memlens.run(&["queries", "import", text(&files.at("relays.jsonl"))]);
    let beside = files.at("beside.jsonl");
    for name in ["here.jsonl", "./there.jsonl", text(&beside)] {
        let mut export = memlens.command(&["queries", "export", "relays", name]);
        let done = export.current_dir(files.path()).output();
        assert!(done.is_ok_and(|done| done.status.success()), "{name}");
        let written = fs::read_to_string(files.path().join(name)).expect("it is there");
        assert!(
            written.contains(r#""path":"notes/a.md""#),
            "{name}: {written}"
        );
    }
}

#[test]
fn a_bench_of_qmd_with_absolute_paths_is_read_back() {
    let notes = Notes::new(&[("a.md", "The relay clicks.")]);
    let memlens = Memlens::of(&[&notes]);
    let file = notes.at("relays.jsonl");
    notes.write("relays.jsonl", set_of(&[("relay", "a.md")]));
    memlens.run(&["queries", "import", text(&file)]);
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let out = out.path().join("bench.json");
    let run = memlens.run(&["queries", "export", "relays", text(&out)]);
    assert_eq!(run.status, 0, "{run:?}");
    let report = memlens.json(&["eval", text(&out), "--json"]);
    assert_eq!(report["n_queries"], 1, "{report}");
    let run = memlens.run(&["queries", "import", text(&out)]);
    assert_eq!((run.status, run.err.as_str()), (0, ""), "{run:?}");
}

#[test]
fn an_import_without_a_query_says_why_each_line_is_none() {
    let notes = Notes::new(&[("a.md", "The relay clicks.")]);
    let memlens = Memlens::of(&[&notes]);
    let line = r#"{"query": "relay", "relevant": [{"path": "a.md"}]}"#;
    notes.write("bad.jsonl", format!("{line}\n{line}\n"));
    let run = memlens.run(&["queries", "import", text(&notes.at("bad.jsonl"))]);
    assert_eq!(run.status, 1, "{run:?}");
    for part in ["cannot import", "bad.jsonl:1", "start_line", "and 1 more"] {
        assert!(run.err.contains(part), "{part}: {run:?}");
    }
    notes.write("empty.jsonl", "");
    let run = memlens.run(&["queries", "import", text(&notes.at("empty.jsonl"))]);
    assert!(run.err.contains("it has no queries"), "{run:?}");
}

#[test]
fn an_imported_set_says_when_it_has_another_name_than_its_file() {
    let notes = Notes::new(&[("a.md", "The relay clicks.")]);
    let memlens = Memlens::of(&[&notes]);
    for (file, query, name) in [
        ("Judgments.jsonl", "relay", "set Judgments"),
        ("7.jsonl", "relay", "set 7"),
        ("relays.jsonl", "relay", "relays"),
        ("relays.jsonl", "another", "relays (2)"),
    ] {
        notes.write(file, set_of(&[(query, "a.md")]));
        let run = memlens.run(&["queries", "import", text(&notes.at(file))]);
        assert_eq!(run.status, 0, "{run:?}");
        assert!(run.out.starts_with(&format!("{name}: ")), "{run:?}");
        let is_said = run.err.contains(&format!("is named `{name}`"));
        assert_eq!(is_said, name != "relays", "{run:?}");
    }
}
