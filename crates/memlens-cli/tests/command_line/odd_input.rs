//! Input that a person did not mean so, or that nobody would think of: a clear answer, and nothing lost.

use std::fs;

use memlens_tests::Notes;
use serde_json::Value;

use crate::memlens::{Memlens, list, paths, text};

#[test]
fn odd_questions_are_answered() {
    let notes = Notes::new(&[
        ("not.md", "Do NOT water the cactus.\n"),
        ("tokyo.md", "東京都の天気は晴れです。\n"),
        ("cairo.md", "الطقس في القاهرة جميل اليوم\n"),
        ("moscow.md", "Погода в Москве ясная\n"),
        ("party.md", "🎉🎂\n"),
        ("and.md", "Salt AND pepper.\n"),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let long = "cactus ".repeat(100_000 / 7 + 1);
    let long = &long[..100_000];
    let many_words: String = (0..14_000).map(|number| format!("w{number} ")).collect();
    // What is asked, and the note whose words it finds, if any.
    let cases: [(&str, Option<&str>); 19] = [
        ("NOT", Some("not.md")),
        ("NOT cactus", Some("not.md")),
        ("AND", Some("and.md")),
        ("pepper AND", Some("and.md")),
        ("\"", None),
        ("\"cactus", Some("not.md")),
        ("*", None),
        ("cact* cactus", Some("not.md")),
        ("-cactus", Some("not.md")),
        ("?!...,;", None),
        ("🎉", None),
        ("🎉 cactus", Some("not.md")),
        ("天気", Some("tokyo.md")),
        ("東京の天気はどうですか", Some("tokyo.md")),
        ("القاهرة", Some("cairo.md")),
        ("погода", Some("moscow.md")),
        ("caf\u{301}e\tcactus\u{7f}\u{200b}\n", Some("not.md")),
        (long, Some("not.md")),
        (&many_words, None),
    ];
    for (query, expected) in cases {
        let shown: String = query.chars().take(30).collect();
        let report = memlens.json(&["search", "--json", "--set", "min_score=0", "--", query]);
        assert_eq!(report["query"].as_str(), Some(query.trim()), "{shown}");
        let of_bm25 = |row: &&Value| {
            list(&row["journey"])
                .iter()
                .any(|step| step["stage"] == "bm25" && !step["rank_after"].is_null())
        };
        let mut rows = list(&report["results"]).iter().filter(of_bm25);
        assert_eq!(
            rows.next()
                .map(|row| row["path"].as_str().expect("it is text")),
            expected,
            "{shown}"
        );
        let bm25 = &list(&report["stages"])[1];
        let has_words = query.chars().any(char::is_alphanumeric);
        assert_eq!(bm25["status"] == "skipped", !has_words, "{shown}: {bm25}");
        // What was skipped or cut short is said.
        let notices = list(&report["notices"]).len();
        assert_eq!(
            notices,
            usize::from(!has_words || query == many_words),
            "{shown}: {}",
            report["notices"]
        );
        // Vectors still have an order to give.
        assert!(!list(&report["results"]).is_empty(), "{shown}");
    }
}

#[test]
fn an_empty_question_is_refused() {
    let memlens = Memlens::of(&[&Notes::new(&[("a.md", "The hall.")])]);
    for query in ["", " ", "\t\n", "\u{3000}"] {
        for form in [
            &["search", query][..],
            &["search", query, "--json"],
            &["search", query, "--explain"],
        ] {
            memlens.refused(form, 2, "cannot search for nothing: type a question");
        }
    }
}

#[test]
fn odd_files_are_read_as_far_as_can_be_and_named() {
    let notes = Notes::new(&[("good.md", "The hall is quiet.")]);
    notes.write(
        "latin.txt",
        b"Die K\xfcche ist sch\xf6n, das Caf\xe9 auch. \xdcber den D\xe4chern.",
    );
    notes.write("nul.md", "The attic\0is dark.");
    notes.write(
        "bom.md",
        "\u{feff}# Balcony\r\n\r\nThe balcony faces south.\r\n",
    );
    notes.write("front.md", "---\nagent: [iris\n---\nThe cellar is cold.\n");
    notes.write(
        "field.md",
        "---\nagent: iris\ndate: 2026-02-30\n---\nThe garden is wet.\n",
    );
    notes.write("lines.jsonl", "{\"text\":\"The shed is locked\"}\nbroken\n{\"text\": 5}\n{\"content\":\"The gate is open\",\"agent\":\"iris\"}\n[1]\n{\"text\":\"cut\n");
    notes.write(
        "queries.jsonl",
        "{\"id\":\"q\",\"query\":\"where is the zebra\"}\n",
    );
    notes.write("empty.md", "");
    notes.write("blank.md", " \n\n");
    let memlens = Memlens::new();
    let run = memlens.run(&["index", text(notes.path()), "--json"]);
    assert_eq!((run.status, run.err.as_str()), (0, ""), "{run:?}");
    let report: Value = serde_json::from_str(&run.out).expect("it is JSON");
    let problems: Vec<String> = list(&report["problems"])
        .iter()
        .map(|problem| {
            let line = problem["line"]
                .as_u64()
                .map_or(String::new(), |line| format!(":{line}"));
            format!("{}{line}", problem["path"].as_str().expect("it is text"))
        })
        .collect();
    for named in [
        "nul.md",
        "latin.txt:1",
        "field.md:3",
        "lines.jsonl:2",
        "lines.jsonl:3",
        "lines.jsonl:5",
        "lines.jsonl:6",
        "queries.jsonl:1",
    ] {
        assert!(
            problems.iter().any(|problem| problem == named),
            "{named} is not among {problems:?}"
        );
    }
    assert!(
        problems
            .iter()
            .any(|problem| problem.starts_with("front.md")),
        "{problems:?}"
    );
    for good in ["good.md", "bom.md", "empty.md", "blank.md"] {
        assert!(
            !problems.iter().any(|problem| problem.starts_with(good)),
            "{good} is among {problems:?}"
        );
    }
    assert_eq!(
        (&report["n_unreadable"], &report["n_files"]),
        (&1.into(), &9.into())
    );

    // What is good of them is found.
    let first = |word: &str| {
        let report = memlens.json(&[
            "search",
            word,
            "--json",
            "--set",
            "vector_on=false",
            "--set",
            "min_score=0",
        ]);
        let results = paths(&report["results"]);
        let row = list(&report["results"])
            .first()
            .map(|row| (row["start_line"].clone(), row["end_line"].clone()));
        (results.first().map(|path| (*path).to_owned()), row)
    };
    for (word, path) in [
        ("quiet", Some("good.md")),
        ("Küche", Some("latin.txt")),
        ("Dächern", Some("latin.txt")),
        ("balcony", Some("bom.md")),
        ("cellar", Some("front.md")),
        ("garden", Some("field.md")),
        ("shed", Some("lines.jsonl")),
        ("gate", Some("lines.jsonl")),
        ("attic", None),
        ("zebra", None),
        ("broken", None),
    ] {
        assert_eq!(first(word).0.as_deref(), path, "{word}");
    }
    assert_eq!(
        first("gate").1,
        Some((4.into(), 4.into())),
        "lines are those of the file"
    );
    // The same is told to a person, with file and line.
    let run = memlens.run(&["index"]);
    assert_eq!(run.status, 0);
    assert!(
        run.err.contains(&format!(
            "memlens: {}/lines.jsonl:2: ",
            notes.path().display()
        )),
        "{run:?}"
    );
    let status = memlens.json(&["status", "--json"]);
    assert_eq!(list(&status["problems"]).len(), problems.len());
}

#[test]
fn folders_that_are_none_are_refused_and_the_others_indexed() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let empty = Notes::new(&[]);
    let memlens = Memlens::new();
    for (path, why) in [
        ("none", "No such file or directory"),
        ("a.md", "not a directory"),
        ("a.md/x", "Not a directory"),
    ] {
        let run = memlens.run(&["index", text(&notes.at(path)), "--json"]);
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
        assert!(
            run.err.starts_with(&format!(
                "memlens: cannot open folder {}: {why}",
                notes.at(path).display()
            )),
            "{run:?}"
        );
    }
    // An empty folder is one; that it holds nothing is said.
    let run = memlens.run(&["index", text(empty.path()), "--json"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.err.starts_with(&format!(
            "memlens: {} holds no notes",
            empty.path().display()
        )),
        "{run:?}"
    );
    let report = memlens.json(&["search", "anything", "--json"]);
    assert_eq!(
        (
            list(&report["results"]).len(),
            list(&report["dropped"]).len()
        ),
        (0, 0)
    );
    assert_eq!(memlens.print(&["search", "anything"]), "nothing found\n");

    // A bad path beside a good one.
    let run = memlens.run(&["index", text(&notes.at("none")), text(notes.path())]);
    assert_eq!(run.status, 1, "{run:?}");
    assert_eq!(
        paths(&memlens.json(&["search", "hall", "--json"])["results"]),
        ["a.md"]
    );
    // A watched folder that is away: said, and its notes are still found.
    fs::rename(notes.path(), notes.path().with_file_name("away")).expect("it can be renamed");
    let run = memlens.run(&["index"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(
        run.err.contains(&format!(
            "cannot open folder {}: it does not exist",
            notes.path().display()
        )),
        "{run:?}"
    );
    assert_eq!(
        paths(&memlens.json(&["search", "hall", "--json"])["results"]),
        ["a.md"]
    );
}
