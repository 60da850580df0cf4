//! The hook with real commands: valid answers, every kind of failure, and that no process is left.

#![cfg(unix)]

use std::fs;
#[cfg(target_os = "linux")]
use std::path::Path;
#[cfg(target_os = "linux")]
use std::thread;
use std::time::{Duration, Instant};

use memlens_rerank::RerankError;
use memlens_rerank::hook::{Answer, AnswerRow, Event, EventRow, HookCommand, Kept};
use tempfile::TempDir;

use crate::{GUARD, PATIENT, QUERY, TEXTS, assert_tells_nothing, limits, log};

fn event() -> Event {
    let row = |path: &str, line: u64, score: f64, text: &str| EventRow {
        path: path.to_owned(),
        start_line: line,
        end_line: line + 8,
        score,
        snippet: text.to_owned(),
        source: "memory".to_owned(),
    };
    Event {
        query: QUERY.to_owned(),
        agent_id: "main".to_owned(),
        results: vec![
            row("a.md", 1, 0.9, TEXTS[0]),
            row("b.md", 1, 0.8, TEXTS[1]),
            row("a.md", 1, 0.7, TEXTS[2]),
        ],
    }
}

/// Runs a shell script, which the hook itself never does.
fn run(script: &str, time: Duration) -> Result<Vec<Kept>, RerankError> {
    log::listen();
    let command = ["sh", "-c", script].map(str::to_owned);
    let started = Instant::now();
    let kept = HookCommand::new(&command)
        .expect("a program is named")
        .run(&event(), &limits(time));
    assert!(started.elapsed() < GUARD, "it must not hang");
    kept
}

fn check(answer: &str, expected: &[(usize, f64)]) {
    let kept = run(&format!("cat >/dev/null; printf '%s' '{answer}'"), PATIENT).expect(answer);
    let kept: Vec<(usize, f64)> = kept.iter().map(|kept| (kept.index, kept.score)).collect();
    assert_eq!(kept, expected, "{answer}");
}

fn check_failure(script: &str, expected: &str) {
    let text = run(script, PATIENT).expect_err(script).to_string();
    assert_eq!(text, format!("cannot run the hook: {expected}"), "{script}");
    assert_tells_nothing(&text);
}

#[test]
fn it_may_reorder_rescore_and_drop() {
    check(
        r#"{"results":[{"path":"b.md","startLine":1,"endLine":9,"score":3.5,"snippet":"…","source":"memory"},{"path":"a.md","startLine":1,"endLine":9}]}"#,
        &[(1, 3.5), (0, 0.9)],
    );
    check(r#"{"results":[]}"#, &[]);
}

#[test]
fn rows_of_the_same_place_are_taken_in_order() {
    check(
        r#"{"results":[{"path":"a.md","startLine":1,"endLine":9,"score":1},{"path":"a.md","startLine":1,"endLine":9,"score":2}]}"#,
        &[(0, 1.0), (2, 2.0)],
    );
}

#[test]
fn results_left_out_leave_all_as_it_was() {
    let unchanged = [(0, 0.9), (1, 0.8), (2, 0.7)];
    check("{}", &unchanged);
    check(r#" {"note":"nothing to do"} "#, &unchanged);
    check(r#"{"results":null}"#, &unchanged);
}

#[test]
fn what_it_reads_can_be_what_it_writes() {
    let kept = run("cat", PATIENT).expect("an event has the shape of an answer");
    let indices: Vec<usize> = kept.iter().map(|kept| kept.index).collect();
    assert_eq!(indices, [0, 1, 2]);
    let rows: Vec<AnswerRow> = event().results.into_iter().map(AnswerRow::from).collect();
    let written = serde_json::to_value(Answer {
        results: Some(rows),
    })
    .expect("it is JSON");
    let read = serde_json::to_value(event()).expect("it is JSON");
    assert_eq!(written["results"], read["results"]);
}

#[test]
fn what_it_reads_is_the_event_to_the_letter() {
    let dir = TempDir::new().expect("there is room");
    let file = dir.path().join("event");
    run(&format!("cat >'{}'; echo '{{}}'", file.display()), PATIENT).expect("it answers");
    let mut short = event();
    short.results.truncate(1);
    assert_eq!(
        serde_json::from_str::<Event>(&fs::read_to_string(&file).expect("it was written"))
            .expect("it is whole"),
        event()
    );
    insta::assert_snapshot!(serde_json::to_string(&short).expect("it is JSON"), @r#"{"query":"what does the quokka eat","agentId":"main","results":[{"path":"a.md","startLine":1,"endLine":9,"score":0.9,"snippet":"Bram feeds the quokka leaves.","source":"memory"}]}"#);
}

#[test]
fn a_command_is_no_line_of_a_shell() {
    log::listen();
    let command = [
        "printf",
        r#"{"results":[],"x":"%s"}"#,
        "$(id) ; `id` > /dev/null",
    ]
    .map(str::to_owned);
    let kept = HookCommand::new(&command)
        .expect("a program is named")
        .run(&event(), &limits(PATIENT));
    assert_eq!(kept.expect("it is one argument"), []);
}

#[test]
fn every_failure_is_named() {
    check_failure("exit 1", "it exited with status 1");
    check_failure("cat; exit 3", "it exited with status 3");
    check_failure("kill -9 $$", "it was killed by a signal");
    check_failure("cat >/dev/null", "it printed nothing");
    check_failure("echo; echo ' '", "it printed nothing");
    check_failure("head -c 50", "its output is cut off");
    check_failure("echo \"reading $(cat)\"", "its output is not JSON");
    check_failure("echo '[1]'", "its output is not an answer");
    check_failure(
        r#"echo '{"results":[{"path":"a.md"}]}'"#,
        "its output is not an answer",
    );
    let invented = "it returned a row that it was not given";
    for row in [
        r#"{"path":"quokka.md","startLine":1,"endLine":9}"#,
        r#"{"path":"a.md","startLine":2,"endLine":9}"#,
        r#"{"path":"b.md","startLine":1,"endLine":9},{"path":"b.md","startLine":1,"endLine":9}"#,
    ] {
        check_failure(&format!(r#"echo '{{"results":[{row}]}}'"#), invented);
    }
}

#[test]
fn no_command_and_one_that_is_not_there() {
    for command in [vec![], vec![String::new()]] {
        let text = HookCommand::new(&command)
            .expect_err("there is none")
            .to_string();
        assert_eq!(text, "cannot run the hook: no command is set");
    }
    let command = ["/nowhere/at-all".to_owned()];
    let failed = HookCommand::new(&command)
        .expect("it is a name")
        .run(&event(), &limits(PATIENT));
    let text = failed.expect_err("it is not there").to_string();
    assert!(
        text.starts_with("cannot run the hook: cannot start /nowhere/at-all: No such file"),
        "{text}"
    );
}

#[test]
fn a_hundred_megabytes_are_not_read_to_the_end() {
    check_failure("head -c 100000000 /dev/zero", "it printed more than 8 MiB");
    check_failure(
        "while :; do cat /bin/sh; done",
        "it printed more than 8 MiB",
    );
}

#[test]
fn what_it_says_besides_is_thrown_away_at_last() {
    let said = "head -c 3000000 /dev/zero >&2; echo '{}'";
    run(said, PATIENT).expect("its standard error is read, and it can go on");
}

#[test]
fn its_output_is_logged_for_debugging() {
    run("echo 'wombats only' >&2; echo '{}'", PATIENT).expect("it answers");
    let lines = log::lines();
    let line = lines.lines().find(|line| line.contains("wombats only"));
    assert!(line.expect("it is logged").contains("DEBUG"), "{line:?}");
}

#[test]
fn it_need_not_read() {
    let mut event = event();
    event.results[0].snippet = "x".repeat(1 << 20);
    for script in ["echo '{}'", "exec <&-; echo '{}'"] {
        let command = ["sh", "-c", script].map(str::to_owned);
        let kept = HookCommand::new(&command)
            .expect("a program is named")
            .run(&event, &limits(PATIENT));
        assert_eq!(
            kept.expect("what it does not want to know is no failure")
                .len(),
            3
        );
    }
}

/// Waits until the process is gone.
#[cfg(target_os = "linux")]
fn wait_until_gone(pid_file: &Path) {
    let pid = fs::read_to_string(pid_file).expect("it was written");
    let started = Instant::now();
    // A killed process stays a zombie until its parent, which may be init, waits for it.
    let is_there = || {
        fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
            .is_ok_and(|stat| !stat.contains(") Z "))
    };
    while is_there() {
        assert!(started.elapsed() < GUARD, "{pid} is still there");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Runs a script that leaves a process behind and writes down its id, and waits until that is gone.
#[cfg(target_os = "linux")]
fn check_end(script: &str, time: Duration, expected: &str) {
    let dir = TempDir::new().expect("there is room");
    let file = dir.path().join("pid");
    let script = script.replace("FILE", &file.to_string_lossy());
    let failed = run(&script, time).expect_err(&script);
    assert_eq!(failed.to_string(), expected, "{script}");
    wait_until_gone(&file);
}

#[cfg(target_os = "linux")]
#[test]
fn whatever_it_started_ends_with_it() {
    thread::scope(|scope| {
        for script in [
            "sleep 1000 & echo $! >'FILE'; wait",
            "sleep 1000 & echo $! >'FILE'",
            "sleep 1000 & echo $! >'FILE'; echo '{}'; wait",
            "trap '' TERM INT; sleep 1000 & echo $! >'FILE'; wait",
        ] {
            let timeout = "cannot run the hook: it did not answer within the timeout";
            scope.spawn(move || check_end(script, Duration::from_secs(2), timeout));
        }
        let too_much = "sleep 1000 & echo $! >'FILE'; cat /dev/zero";
        let expected = "cannot run the hook: it printed more than 8 MiB";
        scope.spawn(move || check_end(too_much, PATIENT, expected));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn it_is_given_up_at_once() {
    let dir = TempDir::new().expect("there is room");
    let (file, ready) = (dir.path().join("pid"), dir.path().join("ready"));
    let script = format!(
        "sleep 1000 & echo $! >'{}'; touch '{}'; wait",
        file.display(),
        ready.display()
    );
    let limits = limits(PATIENT);
    let cancel = limits.cancel.clone();
    let running = thread::spawn(move || {
        let command = ["sh", "-c", &script].map(str::to_owned);
        HookCommand::new(&command)
            .expect("a program is named")
            .run(&event(), &limits)
    });
    let started = Instant::now();
    while !ready.exists() {
        assert!(started.elapsed() < GUARD, "it does not start");
        thread::sleep(Duration::from_millis(10));
    }
    cancel.cancel();
    let failed = running.join().expect("it does not panic");
    assert!(matches!(failed, Err(RerankError::Cancelled)), "{failed:?}");
    wait_until_gone(&file);
}
