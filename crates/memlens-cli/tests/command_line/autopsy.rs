//! `memlens autopsy` in a made-up home: OpenClaw's own log is read, and every step of the answer is printed.

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{AtHome, Memlens, days_ago, list, text};

const FACT: &str = "wait four minutes after restarting the router";
const STEPS: [&str; 7] = [
    "written", "load_cap", "indexed", "asked", "ranked", "given", "used",
];

fn line(value: &Value) -> String {
    format!("{value}\n")
}

/// Returns the log lines of an OpenClaw search in a session, and its answer.
fn search(id: &str, at: &str, query: &str, results: &Value) -> String {
    let call = json!({"type": "toolCall", "id": id, "name": "memory_search", "arguments": {"query": query, "maxResults": 6}});
    line(
        &json!({"type": "message", "timestamp": at, "message": {"role": "assistant", "content": [call]}}),
    ) + &line(&json!({"type": "message", "timestamp": at, "message": {
        "role": "toolResult", "toolCallId": id, "toolName": "memory_search", "content": [], "details": {"results": results},
    }}))
}

fn session(id: &str, searches: &[String]) -> String {
    line(&json!({"type": "session", "id": id, "timestamp": format!("{}T21:00:00Z", days_ago(9))}))
        + &searches.concat()
}

fn home() -> Notes {
    let held =
        json!([{"path": "memory/home-server.md", "startLine": 1, "endLine": 5, "score": 0.61}]);
    let at = &format!("{}T22:31:00Z", days_ago(9));
    let lost = search("a", at, "the router is not well", &json!([]));
    let given = search("b", at, "restarting the router", &held);
    let sessions = ".openclaw/agents/main/sessions";
    Notes::new(&[
        (
            ".openclaw/workspace/memory/home-server.md",
            "# Network\n\nThe line is old.\n\n- After restarting the router wait four minutes.\n",
        ),
        (
            ".openclaw/workspace/memory/soup.md",
            "# Soup\n\nStock, salt and a long walk.\n",
        ),
        (&format!("{sessions}/quiet.jsonl"), &session("quiet", &[])),
        (&format!("{sessions}/lost.jsonl"), &session("lost", &[lost])),
        (
            &format!("{sessions}/given.jsonl"),
            &session("given", &[given]),
        ),
    ])
}

fn library(home: &Notes) -> Memlens {
    let memlens = Memlens::new();
    let at_home = AtHome {
        memlens: &memlens,
        home,
    };
    let workspace = home.path().join(".openclaw/workspace");
    for arguments in [
        vec!["index", text(&workspace)],
        vec!["recall", "import", "--yes"],
    ] {
        let (status, _, err) = at_home.run(&arguments);
        assert_eq!(status, Some(0), "{err}");
    }
    memlens
}

#[test]
fn a_fact_is_followed_to_where_it_was_lost() {
    let home = home();
    let memlens = library(&home);
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let check = |more: &[&str], verdict: &str| {
        let autopsy = at_home.json(&[&["autopsy", "--json"], more].concat());
        assert_eq!(autopsy["verdict"], verdict, "{autopsy:#}");
        let steps: Vec<&str> = list(&autopsy["steps"])
            .iter()
            .filter_map(|it| it["step"].as_str())
            .collect();
        assert_eq!(steps, STEPS);
        for step in list(&autopsy["steps"]) {
            let is_known = ["passed", "failed", "unknown"]
                .contains(&step["outcome"].as_str().unwrap_or_default());
            assert!(is_known && step["proof"].is_string(), "{step}");
        }
        assert!(autopsy["advice"].is_array(), "{autopsy:#}");
        autopsy
    };
    check(&["the gate code is 4711"], "never_written");
    // A later modification time of the file does not prove that the line was written later, and no log reaches that day.
    check(&[FACT, "--at", "2019-05-04"], "unknown");
    check(
        &[FACT, "--agent", "openclaw", "--session", "quiet"],
        "never_asked",
    );
    check(&[FACT, "--session", "given"], "given");
    check(&[FACT, "--session", "giv"], "given");
    let lost = check(
        &[FACT, "--agent", "openclaw", "--session", "lost"],
        "ranked_out",
    );
    assert_eq!(lost["place"]["path"], "memory/home-server.md");
    assert_eq!(lost["place"]["line"], 5);
    assert_eq!(lost["label"], "OpenClaw 2026.9");
    assert_eq!(lost["works"]["rank"], 1, "{lost:#}");
    // A moment covers the 24 hours before it; a date covers the whole day.
    check(
        &[
            "memory/home-server.md:5",
            "--at",
            &format!("{}T10:00:00Z", days_ago(8)),
        ],
        "given",
    );
    check(&[FACT, "--at", &days_ago(4)], "unknown");
}

#[test]
fn it_is_printed_for_people_and_for_reports() {
    let home = home();
    let memlens = library(&home);
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let print = |more: &[&str]| {
        let arguments = [&["autopsy", FACT, "--session", "given"], more].concat();
        let (status, out, err) = at_home.run(&arguments);
        assert_eq!((status, err.as_str()), (Some(0), ""));
        out
    };
    let output = print(&[]);
    for said in [
        "OpenClaw was given it; whether it used it is not known.",
        "memory/home-server.md:5  - After restarting the router wait four minutes.",
        "✓ Given            Yes, at rank 1 of the answer to “restarting the router”",
        "? Used             Not known: OpenClaw neither opened nor cited it afterwards. What it answers in its own words is not read.",
    ] {
        assert!(output.contains(said), "{said} is not in {output}");
    }
    let report = print(&["--markdown"]);
    assert!(
        report.starts_with(&format!("# Why was “{FACT}” forgotten?\n"))
            && report.contains("| Used | unknown |"),
        "{report}"
    );
    let blank = print(&["--markdown", "--no-text"]);
    assert!(
        !blank.contains("minutes") && blank.contains("home-server.md:5"),
        "{blank}"
    );
    let day = &days_ago(9);
    for (arguments, status, said) in [
        (vec!["autopsy", " "], 2, "say the fact in words"),
        (
            vec!["autopsy", FACT, "--agent", "hal"],
            2,
            "no agent has the id hal",
        ),
        (vec!["autopsy", FACT, "--at", "soon"], 2, "soon"),
        (
            vec!["autopsy", FACT, "--session", "bogus"],
            2,
            "no search that was read, and no log file, is of such a session",
        ),
        (vec!["autopsy", "nosuch.md:5"], 2, "there is no such file"),
        (
            vec!["autopsy", FACT, "--at", day, "--session", "x"],
            2,
            "cannot be used with",
        ),
    ] {
        let (found, out, err) = at_home.run(&arguments);
        assert!(
            found == Some(status) && out.is_empty() && err.contains(said),
            "{arguments:?}: {found:?} {err}"
        );
    }
}
