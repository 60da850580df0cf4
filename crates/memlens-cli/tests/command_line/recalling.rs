//! `memlens recall` in a made-up home: OpenClaw's searches are read once that is allowed, listed, updated and
//! forgotten.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{AtHome, Memlens, days_ago, list, text};

const LOG: &str = ".openclaw/agents/main/sessions/7f3a.jsonl";

fn line(value: &Value) -> String {
    format!("{value}\n")
}

/// Returns a moment on the day `days` days ago.
fn at(days: u8, time: &str) -> String {
    format!("{}T{time}Z", days_ago(days))
}

/// Returns the log lines of an OpenClaw search and its answer.
fn search(id: &str, at: &str, query: &str, results: &Value) -> String {
    let call = json!({"type": "toolCall", "id": id, "name": "memory_search", "arguments": {"query": query, "maxResults": 6}});
    line(
        &json!({"type": "message", "timestamp": at, "message": {"role": "assistant", "content": [call]}}),
    ) + &line(&json!({"type": "message", "timestamp": at, "message": {
        "role": "toolResult", "toolCallId": id, "toolName": "memory_search", "content": [], "details": {"results": results},
    }}))
}

fn opening(id: &str, at: &str, path: &str) -> String {
    let call = json!({"type": "toolCall", "id": id, "name": "memory_get", "arguments": {"path": path, "from": 1, "lines": 1}});
    line(
        &json!({"type": "message", "timestamp": at, "message": {"role": "assistant", "content": [call]}}),
    ) + &line(&json!({"type": "message", "timestamp": at, "message": {
        "role": "toolResult", "toolCallId": id, "toolName": "memory_get", "content": [], "details": {"path": path},
    }}))
}

fn log() -> String {
    line(&json!({"type": "session", "id": "7f3a", "timestamp": at(2, "21:00:00")}))
        + &search(
            "a",
            &at(2, "21:00:05"),
            "which port does the router use",
            &json!([{"path": "memory/router.md", "startLine": 1, "endLine": 1, "score": 0.61}]),
        )
        + &opening("b", &at(2, "21:00:09"), "memory/router.md")
        + &search(
            "c",
            &at(1, "08:00:00"),
            "wifi dead in the studio",
            &json!([]),
        )
}

fn home() -> Notes {
    Notes::new(&[
        (
            ".openclaw/workspace/memory/router.md",
            "The router listens on port 8093.\n",
        ),
        (LOG, &log()),
    ])
}

fn library(home: &Notes) -> Memlens {
    let memlens = Memlens::new();
    let workspace = home.path().join(".openclaw/workspace");
    let run = memlens.run(&["index", text(&workspace)]);
    assert_eq!(run.status, 0, "{run:?}");
    memlens
}

#[test]
fn nothing_is_read_before_the_person_agreed() {
    let home = home();
    let memlens = library(&home);
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let (status, out, err) = at_home.run(&["recall", "import"]);
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert_eq!(
        err,
        "memlens: cannot read the agents' logs: 1 was found, and you have not agreed to it yet; agree with --yes\n"
    );
    assert_eq!(at_home.json(&["recall", "list", "--json"]), json!([]));
}

#[test]
fn past_questions_are_read_listed_gone_on_with_and_forgotten() {
    let home = home();
    let memlens = library(&home);
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let done = at_home.json(&["recall", "import", "--yes", "--json"]);
    assert_eq!(
        done,
        json!({
            "n_logs": 1, "n_new": 2, "n_updated": 0, "n_openings": 1, "n_judgments": 1, "is_stopped": false, "problems": [], "notices": [],
        })
    );
    let listed = at_home.json(&["recall", "list", "--json"]);
    assert_eq!(
        listed,
        json!([
            {
                "id": "2", "kind": "search", "agent": "openclaw", "session": "7f3a", "served_to": null, "at": at(1, "08:00:00"),
                "question": "wifi dead in the studio", "settings": {"maxResults": 6}, "answered": true, "failed": false,
                "returned": [], "opened": [], "cited": [],
            },
            {
                "id": "3", "kind": "opening", "agent": "openclaw", "session": "7f3a", "served_to": null, "at": at(2, "21:00:09"),
                "question": "", "settings": {}, "answered": false, "failed": false, "returned": [],
                "opened": [{
                    "path": "memory/router.md", "start_line": 1, "end_line": 1, "part": false, "at": at(2, "21:00:09")
                }],
                "cited": [],
            },
            {
                "id": "1", "kind": "search", "agent": "openclaw", "session": "7f3a", "served_to": null, "at": at(2, "21:00:05"),
                "question": "which port does the router use", "settings": {"maxResults": 6}, "answered": true, "failed": false,
                "returned": [{
                    "path": "memory/router.md", "start_line": 1, "end_line": 1, "score": 0.61, "name_only": false
                }],
                "opened": [{
                    "path": "memory/router.md", "start_line": 1, "end_line": 1, "part": false, "at": at(2, "21:00:09")
                }],
                "cited": [],
            },
        ])
    );
    let n_listed = |arguments: &[&str]| {
        let all = [&["recall", "list", "--json"], arguments].concat();
        list(&at_home.json(&all)).len()
    };
    assert_eq!(n_listed(&["PORT router"]), 1);
    assert_eq!(n_listed(&["--agent", "codex"]), 0);
    assert_eq!(n_listed(&["--session", "7f3a"]), 3);
    assert_eq!(n_listed(&["--session", "7f"]), 3);
    assert_eq!(n_listed(&["--session", "-garden-notes"]), 0);
    assert_eq!(n_listed(&["--since", &at(2, "21:00:06")]), 2);
    assert_eq!(n_listed(&["--only", "searches"]), 2);
    assert_eq!(n_listed(&["--only", "openings"]), 1);
    assert_eq!(n_listed(&["ROUTER.md"]), 1);
    let (_, printed, _) = at_home.run(&["recall", "list", "--only", "openings"]);
    let mut words = printed.split_whitespace();
    assert_eq!(words.next(), Some("3"), "{printed}");
    assert!(words.any(|word| word == "7f3a"), "{printed}");
    let shown = at_home.run(&["recall", "show", "3"]);
    assert!(
        shown
            .1
            .ends_with("openclaw  7f3a  opened memory/router.md:1–1\n"),
        "{shown:?}"
    );
    // A longer log updates its session; searches that are known already are not imported twice.
    let longer = log() + &search("d", &at(1, "08:00:30"), "reset the mesh", &json!([]));
    fs::write(home.path().join(LOG), longer).expect("it can be written");
    let more = at_home.json(&["recall", "import", "--json"]);
    assert_eq!((&more["n_new"], &more["n_updated"]), (&json!(1), &json!(0)));
    let none = at_home.json(&["recall", "import", "--json"]);
    assert_eq!((&none["n_logs"], &none["n_new"]), (&json!(0), &json!(0)));

    let counted = at_home.run(&["recall", "import"]);
    assert_eq!(
        counted.1,
        "0 new questions, 0 updated, 0 new openings, 0 observed judgments, from 0 logs\n"
    );
    let longer = fs::read_to_string(home.path().join(LOG)).expect("it is there")
        + &search("e", &at(1, "08:01:30"), "mesh gone", &json!([]));
    fs::write(home.path().join(LOG), longer).expect("it can be written");
    let counted = at_home.run(&["recall", "import"]);
    assert_eq!(
        counted.1,
        "1 new question, 0 updated, 0 new openings, 0 observed judgments, from 1 log\n"
    );

    let refused = at_home.run(&["recall", "forget"]);
    assert_eq!(
        (refused.0, refused.2.as_str()),
        (
            Some(2),
            "memlens: cannot forget 4 past questions and 1 opening of notes without --yes\n"
        )
    );
    let gone = at_home.run(&["recall", "forget", "--yes"]);
    assert_eq!(
        gone.1,
        "4 past questions and 1 opening of notes forgotten\n"
    );
    assert_eq!(n_listed(&[]), 0);
    // Nothing is read again until the user agrees again.
    assert_eq!(at_home.run(&["recall", "import"]).0, Some(2));
}

#[test]
fn odd_arguments_are_refused() {
    let home = home();
    let memlens = library(&home);
    memlens.refused(
        &["recall", "list", "--since", "yesterday"],
        2,
        "cannot read the moment yesterday: write a day (2026-11-01) or a moment (2026-11-01T09:30:00Z)",
    );
    memlens.refused(
        &["recall", "list", "--agent", "clawd"],
        2,
        "no agent has the id clawd; choose one of openclaw, claude-code, codex, gemini-cli, hermes, letta-code, memsearch, basic-memory, qmd, openviking, obsidian",
    );
}

#[test]
fn answers_of_then_and_now_lie_side_by_side() {
    let results = json!([
        {"path": "memory/gone.md", "startLine": 1, "endLine": 1, "score": 0.7},
        {
            "path": "memory/router.md", "startLine": 1, "endLine": 1, "score": 0.61,
            "snippet": "The router listened on port 8093.",
        },
    ]);
    let log = line(&json!({"type": "session", "id": "7f3a", "timestamp": at(2, "21:00:00")}))
        + &search(
            "a",
            &at(2, "21:00:05"),
            "which port does the router use",
            &results,
        )
        + &opening("b", &at(2, "21:00:09"), "memory/router.md");
    let home = Notes::new(&[
        (
            ".openclaw/workspace/memory/router.md",
            "The router listens on port 8093.\n",
        ),
        (
            ".openclaw/workspace/memory/ports.md",
            "Which port a router may use is a question of its maker.\n",
        ),
        (
            ".openclaw/workspace/memory/bees.md",
            "The bees are treated against varroa in December.\n",
        ),
        (LOG, &log),
    ]);
    let memlens = library(&home);
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    at_home.json(&["recall", "import", "--yes", "--json"]);
    let (status, shown, _) = at_home.run(&["recall", "show", "1", "--json"]);
    assert_eq!(status, Some(0));
    let output: Value = serde_json::from_str(&shown).expect("it is JSON");
    assert_eq!(output["label"], "OpenClaw 2026.9");
    // OpenClaw's own index and model are not known here, so nothing is claimed of its results.
    assert_eq!(
        output["not_compared"],
        "cannot be compared: the settings of OpenClaw on this machine are not known"
    );
    let rows = |side: &str| -> Vec<(String, Value, Value)> {
        let row = |row: &Value| {
            let path = row["path"].as_str().expect("it is text").to_owned();
            (path, row["fate"].clone(), row["rank"].clone())
        };
        list(&output[side]).iter().map(row).collect()
    };
    let of = |path: &str, rank: Value| (path.to_owned(), Value::Null, rank);
    let now = rows("now");
    let router = now
        .iter()
        .position(|row| row.0 == "memory/router.md")
        .expect("it is found");
    assert_eq!(
        rows("then"),
        [
            of("memory/gone.md", json!(1)),
            of("memory/router.md", json!(2))
        ]
    );
    assert!(
        now.contains(&of("memory/ports.md", json!(2 - router))),
        "{now:?}"
    );
    let gone = list(&output["now"]).last().expect("there are rows");
    assert_eq!(
        (&gone["path"], &gone["rank"], &gone["why"]),
        (
            &json!("memory/gone.md"),
            &Value::Null,
            &json!("the note is gone, or not watched")
        )
    );
    assert_eq!(output["then"][0]["now"], json!(now.len() - 1));
    assert_eq!(output["then"][1]["used"], "opened 4 s later");
    let plain = at_home.run(&["recall", "show", "1"]).1;
    assert!(
        plain.contains(
            "These answers cannot be compared: the settings of OpenClaw on this machine are not known.\n"
        ),
        "{plain}"
    );
    // Texts of then and now are below the paths.
    assert!(
        plain.contains("The router listened on port 8093.")
            && plain.contains("The router listens on port 8093."),
        "{plain}"
    );
    for claim in [" new ", " gone ", " rose ", " kept ", "unchanged"] {
        assert!(!plain.contains(claim), "{claim} in {plain}");
    }
    let blank = at_home.run(&["recall", "show", "1", "--no-text"]).1;
    assert!(!blank.contains("The router listen"), "{blank}");

    let replayed = at_home.run(&["recall", "replay", "--preset", "default", "--json"]);
    let summary: Value = serde_json::from_str(&replayed.1).expect("it is JSON");
    assert_eq!(
        (
            &summary["n_questions"],
            &summary["n_compared"],
            &summary["by"],
            &summary["n_notes"]
        ),
        (&json!(1), &json!(0), &json!("Memlens"), &json!(3)),
        "{summary:#}"
    );
    let (_, plain, err) = at_home.run(&["recall", "replay", "--preset", "default"]);
    assert!(
        plain.contains("no answer can be compared with the one of then\n"),
        "{plain}"
    );
    assert!(
        err.contains("1 answer cannot be compared: it is ranked by Memlens now, and was ranked by OpenClaw then."),
        "{err}"
    );
    let markdown = at_home.run(&["recall", "show", "1", "--markdown"]).1;
    assert!(
        markdown.contains("| 1 | `memory/gone.md:1` | 0.700 |  |  |"),
        "{markdown}"
    );
    assert!(markdown.contains("The router listens on port 8093."));
    let blank = at_home
        .run(&["recall", "show", "1", "--markdown", "--no-text"])
        .1;
    assert!(!blank.contains("listens"), "{blank}");

    let out = home.path().join("queries.jsonl");
    let (status, _, err) = at_home.run(&["recall", "export", text(&out)]);
    assert_eq!(status, Some(0), "{err}");
    let set: Value = serde_json::from_str(&fs::read_to_string(&out).expect("it was written"))
        .expect("it is JSON");
    assert_eq!(
        set["relevant"],
        json!([{"path": ".openclaw/workspace/memory/router.md", "start_line": 1, "end_line": 1}])
    );
    let unknown = at_home.run(&["recall", "show", "9"]);
    assert_eq!(
        (unknown.0, unknown.2.as_str()),
        (
            Some(1),
            "memlens: there is no past question 9; run \"memlens recall list\"\n"
        )
    );
}

#[test]
fn a_note_that_changed_since_is_no_judgment() {
    let home = home();
    let memlens = library(&home);
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let note = home.at(".openclaw/workspace/memory/router.md");
    let mut changed = fs::read_to_string(&note).expect("it is there");
    changed.push_str("It is blue.\n");
    fs::write(&note, changed).expect("it can be written");
    touch(&note);
    let workspace = home.path().join(".openclaw/workspace");
    assert_eq!(memlens.run(&["index", text(&workspace)]).status, 0);
    let (status, out, said) = at_home.run(&["recall", "import", "--yes", "--json"]);
    assert_eq!(status, Some(0), "{said}");
    let done: Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(
        (&done["n_new"], &done["n_judgments"]),
        (&json!(2), &json!(0))
    );
    let out = home.path().join("queries.jsonl");
    let (status, _, err) = at_home.run(&["recall", "export", text(&out)]);
    assert_eq!(status, Some(0), "{err}");
    let left_out = "1 opened or cited note was changed since and is not counted";
    assert!(
        err.contains(left_out) && said.contains(left_out),
        "{err} {said}"
    );
    assert_eq!(done["notices"], json!([left_out]));
    let set = fs::read_to_string(&out).expect("it was written");
    assert!(!set.contains("relevant"), "{set}");
    let shown = at_home.run(&["recall", "show", "1"]).1;
    assert!(!shown.contains("counts as relevant"), "{shown}");
    assert!(
        shown.contains(&format!(
            "After the search it opened memory/router.md:1–1. It was at rank 1 of the logged results. {left_out}."
        )),
        "{shown}"
    );
}

/// Sets the modification time of a file to now, with the same bytes.
fn touch(file: &Path) {
    let file = fs::File::options().write(true).open(file);
    let file = file.expect("it is there");
    file.set_modified(SystemTime::now())
        .expect("it can be dated");
}

#[test]
fn a_note_that_was_merely_touched_is_a_judgment() {
    let home = home();
    let memlens = library(&home);
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    touch(&home.at(".openclaw/workspace/memory/router.md"));
    let workspace = home.path().join(".openclaw/workspace");
    assert_eq!(memlens.run(&["index", text(&workspace)]).status, 0);
    let done = at_home.json(&["recall", "import", "--yes", "--json"]);
    assert_ne!(done["n_judgments"], json!(0));
    let shown = at_home.run(&["recall", "show", "1"]).1;
    assert!(shown.contains("counts as relevant"), "{shown}");
    assert!(!shown.contains("note changed"), "{shown}");
}

#[test]
fn a_note_is_known_by_what_its_agent_calls_it() {
    let results = json!([
        // The name of a note in a memory that drops file extensions.
        {"path": "memory/router", "startLine": 1, "endLine": 1, "score": 0.7},
        {"path": "MEMORY.md", "startLine": 1, "endLine": 1, "score": 0.6},
        {"path": "memory/v1.2", "startLine": 1, "endLine": 1, "score": 0.5},
        // A note in a subfolder has the same file name.
        {"path": "USER.md", "startLine": 1, "endLine": 1, "score": 0.4},
    ]);
    let log = line(&json!({"type": "session", "id": "7f3a", "timestamp": at(2, "21:00:00")}))
        + &search(
            "a",
            &at(2, "21:00:05"),
            "which port does the router use",
            &results,
        );
    let home = Notes::new(&[
        (
            ".openclaw/workspace/memory/router.md",
            "The router listens on port 8093.\n",
        ),
        (".openclaw/workspace/memory/v1.2.md", "The first version.\n"),
        (
            ".openclaw/workspace/MEMORY.md",
            "The house has two floors.\n",
        ),
        (
            ".openclaw/workspace/USER.md",
            "Iris asks which port the router uses.\n",
        ),
        (
            ".openclaw/workspace/memory/old/USER.md",
            "Nobody of that name.\n",
        ),
        (
            ".openclaw/workspace-work/MEMORY.md",
            "The office has a lift.\n",
        ),
        (LOG, &log),
    ]);
    let memlens = library(&home);
    let other = home.path().join(".openclaw/workspace-work");
    assert_eq!(memlens.run(&["index", text(&other)]).status, 0);
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    at_home.json(&["recall", "import", "--yes", "--json"]);
    let (_, shown, _) = at_home.run(&["recall", "show", "1", "--json"]);
    let output: Value = serde_json::from_str(&shown).expect("it is JSON");
    // It is unknown which of two notes is meant, so nothing is claimed of the others either.
    let said = output["not_compared"].as_str().expect("it is reported");
    assert!(said.starts_with("cannot be compared: "), "{said}");
    let of = |path: &str| {
        let mut rows = list(&output["now"]).iter();
        rows.find(|row| row["path"] == path)
            .map(|row| (row["fate"].clone(), row["why"].clone()))
    };
    // Both are named with their folder.
    let named = |path: &str| {
        let mut rows = list(&output["now"]).iter();
        rows.find(|row| row["path"] == path)
            .map(|row| row["name"].clone())
    };
    let joined = |path: &str| {
        let then = list(&output["then"]).iter().find(|row| row["path"] == path);
        let at = then.expect("it was returned")["now"].as_u64();
        &output["now"][at.expect("it has a place") as usize]
    };
    assert_eq!(joined("memory/router")["path"], "memory/router.md");
    assert_eq!(
        named("memory/router.md"),
        Some(json!("workspace/memory/router.md"))
    );
    let (fate, why) = of("MEMORY.md").expect("it is reported");
    assert_eq!(
        (fate, why),
        (Value::Null, json!("several notes have this name"))
    );
    let (fate, why) = of("USER.md").expect("it is reported");
    assert_ne!((fate, why), (json!("new"), json!("not returned then")));
    let (_, why) = of("memory/v1.2.md").expect("it is reported");
    assert_ne!(why, "the note is gone, or not watched");
}
