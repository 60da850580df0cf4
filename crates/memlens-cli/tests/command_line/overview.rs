//! `memlens overview`: figures, the list behind each, and its filters.

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{Memlens, list, text};

fn garden() -> Notes {
    Notes::new(&[
        (
            "router.md",
            "---\ndate: 2026-03-01\ntags: [house]\n---\nThe router listens on port 8093.\n",
        ),
        ("2025-01-02.md", "The hose is in the shed. #House\n"),
        ("undated.md", "The koi eat at noon.\n"),
        ("broken.jsonl", "{\"text\": \"fine\"}\n{broken\n"),
    ])
}

fn paths(memlens: &Memlens, filters: &[&str]) -> Vec<String> {
    let arguments = [&["overview", "--json", "--list"], filters].concat();
    let listed = memlens.json(&arguments);
    let path = |note: &Value| note["path"].as_str().expect("it has a path").to_owned();
    let mut paths: Vec<String> = list(&listed["notes"]).iter().map(path).collect();
    // Folders are in the order of their paths, which are made up.
    paths.sort();
    paths
}

#[test]
fn filters_choose_the_notes_of_a_list() {
    let (garden, other) = (
        garden(),
        Notes::new(&[("a.md", "Another folder. #house\n")]),
    );
    let memlens = Memlens::of(&[&garden, &other]);
    let check = |filters: &[&str], expected: &[&str]| {
        assert_eq!(paths(&memlens, filters), expected, "{filters:?}");
    };
    check(
        &[],
        &[
            "2025-01-02.md",
            "a.md",
            "broken.jsonl",
            "router.md",
            "undated.md",
        ],
    );
    check(&["oldest"], &["2025-01-02.md", "router.md"]);
    check(
        &["--tag", "#HOUSE"],
        &["2025-01-02.md", "a.md", "router.md"],
    );
    check(
        &["--tag", "house", "--folder", text(garden.path())],
        &["2025-01-02.md", "router.md"],
    );
    check(&["--since", "2025-01-03"], &["router.md"]);
    check(&["oldest", "--until", "2025-01-02"], &["2025-01-02.md"]);
    check(&["--problem"], &["broken.jsonl"]);
    check(&["--text", "KOI noon"], &["undated.md"]);
    check(&["--text", "koi shed"], &[]);
    let printed = memlens.print(&["overview", "--list", "--tag", "house"]);
    assert!(
        printed.ends_with("All notes: 3 notes of 5, with these filters\n"),
        "{printed}"
    );
    let printed = memlens.print(&["overview", "--list", "oldest", "--until", "2025-01-02"]);
    assert!(
        printed.contains("Oldest: 1 note of 2, with these filters\n"),
        "{printed}"
    );
}

#[test]
fn files_with_problems_are_listed_with_what_is_wrong() {
    let garden = garden();
    garden.write("worse.jsonl", "{broken\n{\"text\": \"fine\"}\n{broken\n");
    let memlens = Memlens::of(&[&garden]);
    for filter in ["problems", "--problem"] {
        let printed = memlens.print(&["overview", "--list", filter]);
        let problems: Vec<&str> = printed
            .lines()
            .filter(|line| line.starts_with("  "))
            .collect();
        assert!(
            problems.len() == 2
                && problems[0].starts_with("  line 2: ")
                && problems[1].starts_with("  line 1: ")
                && problems[1].ends_with("; and 1 more"),
            "{printed}"
        );
    }
    let listed = memlens.json(&["overview", "--list", "problems", "--json"]);
    let problem = list(&listed["notes"])[0]["problem"].as_str();
    assert!(
        problem.is_some_and(|it| it.starts_with("line 2: ")),
        "{listed}"
    );
    let page = memlens.print(&["overview"]);
    assert!(page.contains("broken.jsonl  line 2: "), "{page}");
    // Elsewhere a note is one line.
    let all = memlens.print(&["overview", "--list"]);
    assert!(!all.contains("line 2: "), "{all}");
}

#[test]
fn a_filter_that_can_choose_nothing_is_refused() {
    let garden = garden();
    let memlens = Memlens::of(&[&garden]);
    let name = garden.path().file_name().expect("it has a name");
    let name = name.to_string_lossy();
    for (filters, message) in [
        (
            ["--folder", "shed"],
            format!("cannot list notes of the folder shed: the watched folders are {name}"),
        ),
        (
            ["--since", "March"],
            "cannot read the moment March: write a day (2026-11-01) or a moment (2026-11-01T09:30:00Z)"
                .to_owned(),
        ),
        (
            ["--agent", "openclaw"],
            "cannot search in openclaw: no watched folder belongs to this agent".to_owned(),
        ),
    ] {
        let arguments = [&["overview", "--list"][..], &filters].concat();
        memlens.refused(&arguments, 2, &message);
    }
    memlens.refused(
        &[
            "overview",
            "--list",
            "--since",
            "2026-03-02",
            "--until",
            "2026-03-01",
        ],
        2,
        "cannot list notes from 2026-03-02 until 2026-03-01: the last day is before the first",
    );
    for tag in ["", " # "] {
        let arguments = ["overview", "--list", "--tag", tag];
        memlens.refused(&arguments, 2, "cannot list notes by an empty tag");
    }
    let words: Vec<String> = (0..65).map(|n| format!("word{n}")).collect();
    memlens.refused(
        &["overview", "--list", "--text", &words.join(" ")],
        2,
        "cannot look for 65 different words in the notes: at most 64",
    );
    let run = memlens.run(&["overview", "--tag", "house"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("--list"), "{}", run.err);
}

#[test]
fn a_list_that_is_not_known_is_no_empty_list() {
    let memlens = Memlens::of(&[&garden()]);
    assert_eq!(
        memlens.json(&["overview", "--list", "never-found", "--json"]),
        json!(null)
    );
    let printed = memlens.print(&["overview", "--list", "never-found"]);
    assert!(
        printed.starts_with("Found by no imported past question then: not known\n"),
        "{printed}"
    );
}

#[test]
fn notes_are_listed_by_language() {
    let notes = Notes::new(&[
        (
            "en.md",
            "The router is in the hall, and the key to the shed hangs beside it. The relay is quiet at night.",
        ),
        (
            "de.md",
            "Der Router steht im Flur, und der Schl\u{fc}ssel zum Schuppen h\u{e4}ngt daneben. Nachts ist das Relais still.",
        ),
        ("short.md", "ok"),
    ]);
    let memlens = Memlens::of(&[&notes]);
    for typed in ["German", " german"] {
        let listed = memlens.json(&["overview", "--list", "--language", typed, "--json"]);
        let notes = list(&listed["notes"]);
        assert_eq!(
            (notes.len(), &notes[0]["path"]),
            (1, &"de.md".into()),
            "{listed}"
        );
        assert_eq!(
            (&notes[0]["language"], &listed["n_all"]),
            (&"German".into(), &3.into())
        );
    }
    memlens.refused(
        &["overview", "--list", "--language", "Klingon"],
        2,
        "cannot list notes in Klingon: the notes are in English, German",
    );
}

#[test]
fn hidden_notes_are_named() {
    let notes = Notes::new(&[
        ("a.md", "The hose is in the shed."),
        (".notes/b.md", "The koi eat at noon."),
        ("deep/.draft.md", "The relay is quiet at night."),
        (".settings/app.json", "{}"),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let sentence =
        "1 hidden folder with notes and 1 hidden note are not read: .notes, deep/.draft.md";
    let printed = memlens.print(&["overview"]);
    assert!(printed.contains(sentence), "{printed}");
    assert!(
        printed.contains("the line !.notes in a file named .ignore beside it includes it"),
        "{printed}"
    );
    let hidden = &memlens.json(&["overview", "--json"])["hidden"];
    assert_eq!(
        (
            &hidden["n_folders"],
            &hidden["n_files"],
            &hidden["sentence"]
        ),
        (&1.into(), &1.into(), &sentence.into())
    );
    assert_eq!(hidden["entries"][1]["path"], "deep/.draft.md");

    std::fs::write(notes.path().join(".ignore"), "!.notes\n").expect("it can be written");
    let hidden = &memlens.json(&["overview", "--json"])["hidden"];
    assert_eq!(hidden["n_folders"], 0, "{hidden}");
}
