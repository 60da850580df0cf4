//! An agent's hook: an event on standard input, its rows ranked by the user's parameters on standard output.

use std::io::Write;
use std::process::Stdio;

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{Memlens, Run, list, paths, text};

fn notes() -> Notes {
    Notes::new(&[
        ("hall.md", "The router stands in the hall."),
        ("soup.md", "Soup is made of leeks."),
        ("attic.md", "The attic is dark."),
    ])
}

/// Runs the program with `input` on standard input.
fn fed(memlens: &Memlens, arguments: &[&str], input: &[u8]) -> Run {
    let mut child = memlens
        .command(arguments)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it can be started");
    // A program that refuses its arguments does not read its input.
    let _ = child.stdin.take().expect("it is a pipe").write_all(input);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    Run {
        status: output.status.code().expect("it ends by itself"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

fn row(path: &str, score: f64) -> Value {
    json!({"path": path, "startLine": 1, "endLine": 1, "score": score, "snippet": format!("of {path}"), "source": "memory"})
}

fn event(rows: &[Value]) -> Value {
    json!({"query": "where is the router", "agentId": "iris", "results": rows})
}

/// A library whose hook makes a file, and that file.
#[cfg(unix)]
fn with_hook_that_leaves_a_trace(dir: &std::path::Path) -> (Memlens, std::path::PathBuf) {
    let memlens = Memlens::of(&[&notes()]);
    let trace = dir.join("trace");
    let script = format!(
        "cat >/dev/null; umask >'{}'; printf '{{}}'",
        trace.display()
    );
    let run = memlens.run(&["rerank-hook", "set", "sh", "-c", &script]);
    assert_eq!(run.status, 0, "{run:?}");
    (memlens, trace)
}

#[cfg(unix)]
#[test]
fn a_preset_does_not_start_the_hook() {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let (memlens, trace) = with_hook_that_leaves_a_trace(dir.path());
    let preset = dir.path().join("memlens.json");
    memlens.run(&["export", "--set", "hook=on", "--out", text(&preset)]);
    let preset = text(&preset);
    for arguments in [
        &["search", "router", "--preset", preset][..],
        &[
            "search",
            "router",
            "--preset",
            preset,
            "--set",
            "hook_timeout_ms=9000",
        ],
        &["why", "router", "attic.md", "--preset", preset],
        &["compare", "default", preset, "router"],
    ] {
        let run = memlens.run(arguments);
        assert_eq!(run.status, 0, "{arguments:?}: {run:?}");
        assert!(
            run.err.contains("the preset turns on your own command (hook); a file does not start it: add --set hook=on"),
            "{arguments:?}: {run:?}"
        );
        assert!(!trace.exists(), "{arguments:?}");
    }
    let run = memlens.run(&["search", "router", "--preset", preset, "--set", "hook=on"]);
    assert_eq!((run.status, run.err.as_str()), (0, ""), "{run:?}");
    assert!(trace.exists());
}

#[cfg(unix)]
#[test]
fn the_hook_makes_files_as_its_user_does() {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let (memlens, trace) = with_hook_that_leaves_a_trace(dir.path());
    let search = memlens.command(&["search", "router", "--set", "hook=on"]);
    let run = std::process::Command::new("sh")
        .args(["-c", "umask 027 && exec \"$0\" \"$@\""])
        .arg(search.get_program())
        .args(search.get_args())
        .output()
        .expect("it can be started");
    assert!(run.status.success(), "{run:?}");
    let umask = std::fs::read_to_string(trace).expect("the hook ran");
    assert_eq!(umask.trim().trim_start_matches('0'), "27");
}

#[test]
fn the_rows_of_an_event_are_ranked_by_the_persons_parameters() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let absolute = notes.path().join("hall.md");
    let event = event(&[
        row("unknown.md", 0.9),
        row("soup.md", 0.8),
        row(text(&absolute), 0.1),
    ]);
    let answer = |arguments: &[&str]| {
        let run = fed(
            &memlens,
            &[&["hook"], arguments].concat(),
            event.to_string().as_bytes(),
        );
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{run:?}");
        assert_eq!(run.out.lines().count(), 1);
        let answer: Value = serde_json::from_str(&run.out).expect("it is JSON");
        answer["results"].clone()
    };
    let results = answer(&["--set", "min_score=0"]);
    assert_eq!(paths(&results), [text(&absolute), "soup.md", "unknown.md"]);
    let first = &list(&results)[0];
    assert_eq!(
        (&first["startLine"], &first["endLine"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(first["snippet"], format!("of {}", text(&absolute)));
    assert_eq!(first["source"], "memory");
    assert_ne!(first["score"], 0.1);
    assert_eq!(list(&results)[2]["score"], 0.9);

    // The preset of a memlens.json is used, and `--set` overrides it.
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let preset = out.path().join("preset.json");
    let export = [
        "export",
        "--set",
        "max_results=1",
        "--set",
        "min_score=0",
        "--out",
        text(&preset),
    ];
    assert_eq!(memlens.run(&export).status, 0);
    assert_eq!(
        paths(&answer(&["--preset", text(&preset)])),
        [text(&absolute), "unknown.md"]
    );
    let over = ["--preset", text(&preset), "--set", "max_results=2"];
    assert_eq!(paths(&answer(&over)).len(), 3);
}

#[test]
fn what_is_no_event_is_refused_with_nothing_on_standard_output() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let no_event = |place: &str| {
        format!(
            "it is not an event at {place}: it needs a query, and results with path, startLine, endLine and score"
        )
    };
    let without_score =
        r#"{"query":"q","results":[{"path":"secret.md","startLine":1,"endLine":1}]}"#;
    let of_text = r#"{"query":"q","results":"secret"}"#;
    for (input, why) in [
        (&b""[..], "it is empty".to_owned()),
        (b" \n", "it is empty".to_owned()),
        (b"\xef\xbb\xbf\r\n", "it is empty".to_owned()),
        (b"{\"query\":\"q\"", "it is incomplete".to_owned()),
        (b"secret", "it is not JSON at line 1, column 1".to_owned()),
        (b"\xff\xfe", "it is not JSON at line 1, column 1".to_owned()),
        (b"{}", no_event("line 1, column 2")),
        (b"[]", no_event("line 1, column 2")),
        (without_score.as_bytes(), no_event("line 1, column 70")),
        (of_text.as_bytes(), no_event("line 1, column 31")),
    ] {
        let run = fed(&memlens, &["hook"], input);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{run:?}");
        let expected = format!("memlens: cannot read the event from standard input: {why}\n");
        assert_eq!(run.err, expected, "{}", String::from_utf8_lossy(input));
    }
    let blank = json!({"query": " ", "results": []}).to_string();
    let run = fed(&memlens, &["hook"], blank.as_bytes());
    assert_eq!((run.status, run.out.as_str()), (2, ""), "{run:?}");
    assert_eq!(run.err, "memlens: cannot search: type a question\n");
    for arguments in [
        &["hook", "--set", "nothing=1"][..],
        &["hook", "--preset", "none.json"],
        &["hook", "event.json"],
    ] {
        let run = fed(&memlens, arguments, event(&[]).to_string().as_bytes());
        assert_ne!(run.status, 0, "{run:?}");
        assert_eq!(run.out, "", "{run:?}");
    }
}

#[test]
fn without_a_library_nothing_is_answered() {
    let memlens = Memlens::new();
    let run = fed(
        &memlens,
        &["hook"],
        event(&[row("a.md", 0.5)]).to_string().as_bytes(),
    );
    assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
    let none = format!(
        "memlens: there is no library in {}: index a folder first\n",
        memlens.library().display()
    );
    assert_eq!(run.err, none);
}

#[test]
fn many_rows_are_ranked_and_no_rows_are_none() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let ask = |rows: &[Value]| {
        let run = fed(&memlens, &["hook"], event(rows).to_string().as_bytes());
        assert_eq!((run.status, run.err.as_str()), (0, ""), "{run:?}");
        serde_json::from_str::<Value>(&run.out).expect("it is JSON")["results"].clone()
    };
    assert_eq!(ask(&[]), json!([]));
    let mut rows: Vec<Value> = (0..3000)
        .map(|number| row(&format!("{number}.md"), 0.5))
        .collect();
    rows.push(row("hall.md", 0.1));
    let results = ask(&rows);
    assert_eq!(paths(&results).len(), 3001);
    assert_eq!(paths(&results)[..2], ["hall.md", "0.md"]);
}

#[test]
fn a_command_is_set_shown_and_taken_away() {
    let memlens = Memlens::of(&[&notes()]);
    assert_eq!(memlens.print(&["rerank-hook", "show"]), "no hook is set\n");
    let run = memlens.run(&["rerank-hook", "set", "sort", "--flag", "-x", "a b"]);
    assert_eq!(
        (run.status, run.err.as_str()),
        (0, "memlens: the hook is set; use it with --set hook=on\n")
    );
    assert_eq!(
        memlens.print(&["rerank-hook", "show"]),
        "\"sort\" \"--flag\" \"-x\" \"a b\"\n"
    );
    let run = memlens.run(&["rerank-hook", "set", "--", "-odd", "a"]);
    assert_eq!(run.status, 0, "{run:?}");
    let shown = memlens.json(&["rerank-hook", "show", "--json"]);
    assert_eq!(
        shown,
        json!({"schema_version": 1, "command": ["-odd", "a"]})
    );
    let here = std::path::absolute("./here.sh").expect("there is a folder");
    let from_here = format!(
        "cannot use the hook {}: there is no such file",
        here.display()
    );
    for (command, message) in [
        (&[""][..], "cannot use the hook: give a program"),
        (&["  ", "a"], "cannot use the hook: give a program"),
        (&["./here.sh"], &from_here),
        (
            &["/nowhere/here.sh"],
            "cannot use the hook /nowhere/here.sh: there is no such file",
        ),
    ] {
        memlens.refused(&[&["rerank-hook", "set"], command].concat(), 2, message);
    }
    assert_eq!(memlens.run(&["rerank-hook", "set"]).status, 2);
    assert_eq!(
        memlens.json(&["rerank-hook", "show", "--json"])["command"],
        json!(["-odd", "a"])
    );
    assert_eq!(memlens.run(&["rerank-hook", "off"]).status, 0);
    assert_eq!(
        memlens.json(&["rerank-hook", "show", "--json"])["command"],
        Value::Null
    );
}
