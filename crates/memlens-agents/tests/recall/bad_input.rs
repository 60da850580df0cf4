//! Logs that are torn, mixed up or no logs at all: each is an error for itself alone, and nothing is written beside them.

use std::fs;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use memlens_agents::find_logs;
use memlens_agents::{Batch, Keeper, PastQuestion, logs, read_log};
use rusqlite::Connection;

use crate::support::{Notebook, Scratch, copies, fixture};

const SESSIONS: &str = ".openclaw/agents/main/sessions";

fn call(id: &str, at: &str, question: &str) -> String {
    format!(
        r#"{{"type":"message","timestamp":"{at}","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"{id}","name":"memory_search","arguments":{{"query":"{question}"}}}}]}}}}"#
    )
}

fn get(id: &str, at: &str, path: &str) -> String {
    format!(
        r#"{{"type":"message","timestamp":"{at}","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"{id}","name":"memory_get","arguments":{{"path":"{path}"}}}}]}}}}"#
    )
}

fn answer(id: &str, paths: &[&str]) -> String {
    let results: Vec<String> = paths
        .iter()
        .map(|path| format!(r#"{{"path":"{path}"}}"#))
        .collect();
    format!(
        r#"{{"type":"message","message":{{"role":"toolResult","toolCallId":"{id}","toolName":"memory_search","details":{{"results":[{}]}}}}}}"#,
        results.join(",")
    )
}

fn session(id: &str) -> String {
    format!(r#"{{"type":"session","id":"{id}","cwd":"/home/iris/w"}}"#)
}

/// Questions in a transcript of these lines.
fn in_short(lines: &[String]) -> String {
    let scratch = Scratch::new();
    scratch.write(&format!("{SESSIONS}/a.jsonl"), lines.join("\n") + "\n");
    scratch.notebook().searches_in_short()
}

const NOON: &str = "2026-06-03T12:00:00.000Z";
const LATER: &str = "2026-06-03T12:09:00.000Z";
const TOO_LATE: &str = "2026-06-03T12:11:00.000Z";
const THE_DAY_BEFORE: &str = "2026-06-02T12:00:00.000Z";

#[test]
fn what_is_opened_belongs_to_the_question_that_returned_it_else_to_one_just_asked() {
    let two = [
        call("a", NOON, "pond"),
        answer("a", &["pond.md", "koi.md"]),
        call("b", NOON, "heron"),
        answer("b", &["heron.md"]),
    ];
    let with = |more: [String; 2]| in_short(&[&two[..], &more].concat());
    assert_eq!(
        with([get("c", TOO_LATE, "koi.md"), answer("c", &[])]),
        "pond -> pond.md koi.md | opened koi.md | cited \nheron -> heron.md | opened  | cited \n"
    );
    assert_eq!(
        with([get("c", LATER, "soil.md"), answer("c", &[])]),
        "pond -> pond.md koi.md | opened  | cited \nheron -> heron.md | opened soil.md | cited \n"
    );
    for nobody in [
        get("c", TOO_LATE, "soil.md"),
        get("c", THE_DAY_BEFORE, "soil.md"),
    ] {
        assert_eq!(
            with([nobody, answer("c", &[])]),
            "pond -> pond.md koi.md | opened  | cited \nheron -> heron.md | opened  | cited \n"
        );
    }
    assert_eq!(
        in_short(&[get("c", NOON, "pond.md"), answer("c", &[]), two[0].clone()]),
        "pond -> ? | opened  | cited \n"
    );
}

#[test]
fn of_two_questions_that_returned_a_note_the_newer_one_led_to_it() {
    let lines = [
        call("a", NOON, "koi"),
        answer("a", &["koi.md"]),
        call("b", NOON, "carp"),
        answer("b", &["koi.md"]),
        call("c", NOON, "heron"),
        get("d", NOON, "koi.md"),
        answer("d", &[]),
    ];
    assert_eq!(
        in_short(&lines),
        "koi -> koi.md | opened  | cited \ncarp -> koi.md | opened koi.md | cited \nheron -> ? | opened  | cited \n"
    );
}

#[test]
fn what_a_log_reported_before_it_became_another_is_left_alone() {
    let scratch = Scratch::new();
    let name = format!("{SESSIONS}/a.jsonl");
    let first = [
        session("s"),
        call("a", NOON, "koi"),
        answer("a", &["koi.md"]),
    ];
    scratch.write(&name, first.join("\n") + "\n");
    let mut notebook = scratch.notebook();
    let other = [
        session("s"),
        get("x", NOON, "koi.md"),
        answer("x", &[]),
        call("b", NOON, "pond"),
    ];
    scratch.write(&name, other.join("\n") + "\n");
    notebook.read(&scratch.log(), &scratch.home());
    assert_eq!(
        notebook.searches_in_short(),
        "koi -> koi.md | opened  | cited \npond -> ? | opened  | cited \n"
    );
}

#[test]
fn a_search_that_failed_found_not_nothing_and_great_settings_are_left_out() {
    let failed = r#"{"message":{"role":"toolResult","toolCallId":"a","toolName":"memory_search","content":[{"type":"text","text":"{\"results\":[],\"disabled\":true}"}]}}"#;
    let wide = format!(r#"koi","limit":3,"filter":"{}"#, "x".repeat(3000));
    assert_eq!(
        in_short(&[call("a", NOON, &wide), failed.to_owned()]),
        "koi limit=3 -> failed | opened  | cited \n"
    );
}

#[test]
fn sessions_in_one_file_are_kept_apart_whatever_their_calls_are_named() {
    let lines = [
        session("one"),
        call("same", NOON, "pond"),
        session("two"),
        call("same", NOON, "heron"),
        answer("same", &["heron.md"]),
        session("one"),
        answer("same", &["pond.md"]),
        answer("never called", &["x.md"]),
    ];
    assert_eq!(
        in_short(&lines),
        "pond -> pond.md | opened  | cited \nheron -> heron.md | opened  | cited \n"
    );
}

#[test]
fn a_name_that_is_used_again_in_a_session_is_another_question() {
    let lines = [
        call("call_0", NOON, "pond"),
        answer("call_0", &["pond.md"]),
        call("call_0", LATER, "heron"),
        answer("call_0", &["heron.md"]),
        call("", LATER, "koi"),
        call("", LATER, "  "),
    ];
    assert_eq!(
        in_short(&lines),
        "pond -> pond.md | opened  | cited \nheron -> heron.md | opened  | cited \nkoi -> ? | opened  | cited \n"
    );
}

#[test]
fn a_log_that_became_another_is_read_again() {
    let scratch = Scratch::new();
    let name = format!("{SESSIONS}/a.jsonl");
    let first = [session("s"), call("a", NOON, "pond")].join("\n") + "\n";
    scratch.write(&name, &first);
    let mut notebook = scratch.notebook();
    for other in [
        // Shorter.
        call("b", NOON, "heron") + "\n",
        // Of the same beginning, and longer.
        [
            session("s"),
            call("c", NOON, "soil"),
            call("d", NOON, "koi"),
        ]
        .join("\n")
            + "\n",
        // Of another beginning.
        [
            session("t"),
            call("e", NOON, "pond"),
            call("f", NOON, "bed"),
            call("g", NOON, "bee"),
        ]
        .join("\n")
            + "\n",
    ] {
        scratch.write(&name, other);
        let n_before = notebook.questions.len();
        notebook.read(&scratch.log(), &scratch.home());
        assert!(
            notebook.questions.len() > n_before,
            "{}",
            notebook.searches_in_short()
        );
    }
    let asked: Vec<&str> = notebook
        .questions
        .iter()
        .map(|it| it.question.as_str())
        .collect();
    assert_eq!(
        asked,
        ["pond", "heron", "soil", "koi", "pond", "bed", "bee"]
    );
}

#[test]
fn a_log_whose_beginning_alone_changed_is_read_again() {
    let scratch = Scratch::new();
    let name = format!("{SESSIONS}/a.jsonl");
    let of = |id: &str| {
        let talk = "a long talk about other things\n".repeat(200);
        [session(id), talk, call("a", NOON, "pond")].join("\n") + "\n"
    };
    scratch.write(&name, of("s"));
    let mut notebook = scratch.notebook();
    scratch.write(&name, of("t"));
    notebook.read(&scratch.log(), &scratch.home());
    let sessions: Vec<&str> = notebook.questions.iter().map(|it| &*it.session).collect();
    assert_eq!(sessions, ["s", "t"]);
}

#[test]
fn lines_that_are_no_json_are_counted_where_they_name_a_tool() {
    let mut bytes = b"\0\0\0 torn {\"memory_search\"\n\xff\xfe\nplain talk\n".to_vec();
    bytes.extend(call("a", NOON, "Teich \\ud83d").bytes());
    bytes.extend(b"\n[1,\"memory_get\"]\n{\"message\":{\"content\":[7,{\"type\":\"toolCall\",\"name\":\"memory_search\"}]}}\n");
    bytes.extend(call("b", NOON, "torn").bytes());
    let scratch = Scratch::new();
    scratch.write(&format!("{SESSIONS}/a.jsonl"), bytes);
    let mut notebook = Notebook::default();
    let read = notebook.read(&scratch.log(), &scratch.home());
    assert_eq!((read.n_questions, read.n_skipped), (1, 1));
    assert_eq!(
        read.notices,
        [
            "Of the log ~/.openclaw/agents/main/sessions/a.jsonl, 1 line or row could not be read and did not count."
        ]
    );
    assert_eq!(
        notebook.searches_in_short(),
        "Teich \u{fffd} -> ? | opened  | cited \n"
    );
}

#[test]
fn secrets_never_leave_a_reader() {
    const KEY: &str = "ghp_0123456789abcdefABCDEF0123456789abcd";
    let lines = [
        call(
            "a",
            NOON,
            &format!(r#"whose is {KEY}","api_key":"koi","tag":"{KEY}"#),
        ),
        answer("a", &[&format!("keys/{KEY}.md")]),
        get("b", NOON, &format!("keys/{KEY}.md")),
    ];
    let scratch = Scratch::new();
    scratch.write(&format!("{SESSIONS}/a.jsonl"), lines.join("\n") + "\n");
    let mut notebook = scratch.notebook();
    assert!(!notebook.cursor.clone().unwrap_or_default().contains(KEY));
    scratch.write(
        &format!("{SESSIONS}/a.jsonl"),
        lines.join("\n") + "\n" + &answer("b", &[]) + "\n",
    );
    notebook.read(&scratch.log(), &scratch.home());
    assert_eq!(
        notebook.searches_in_short(),
        "whose is [secret] api_key=\"[secret]\" tag=\"[secret]\" -> keys/[secret].md | opened keys/[secret].md | cited \n"
    );
}

/// All files below a folder with their bytes and times.
fn state(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)
        .expect("it can be looked into")
        .flatten()
    {
        let found = entry.metadata().expect("it is there");
        if found.is_dir() {
            files.extend(state(&entry.path()));
        } else if found.is_file() {
            let bytes = fs::read(entry.path()).expect("it can be read");
            files.push((
                entry.path(),
                bytes,
                found.modified().expect("it has a time"),
            ));
        }
    }
    files.sort();
    files
}

#[test]
fn nothing_is_written_beside_a_log() {
    let scratch = Scratch::new();
    scratch.write(
        &format!("{SESSIONS}/a.jsonl"),
        fixture("openclaw/garden.jsonl"),
    );
    let database = scratch.database(".hermes/state.db", "PRAGMA journal_mode = WAL;");
    database
        .execute_batch(&fixture("hermes/state.sql"))
        .expect("the statements can be run");
    let before = state(scratch.path());
    assert!(
        before
            .iter()
            .any(|(path, ..)| path.ends_with("state.db-wal"))
    );
    let mut n_questions = 0;
    for log in logs(&scratch.home()) {
        let read = read_log(&log, &scratch.home(), None, &mut Notebook::default());
        n_questions += read.expect("it can be read").n_questions;
    }
    assert_eq!(n_questions, 5);
    assert_eq!(state(scratch.path()), before);
}

#[test]
fn a_keeper_that_has_enough_stops_the_reading() {
    struct Enough(Vec<usize>);
    impl Keeper for Enough {
        fn copies(&self) -> PathBuf {
            copies()
        }
        fn known(&mut self, _agent: &str, _session: &str) -> Vec<PastQuestion> {
            Vec::new()
        }
        fn keep(&mut self, batch: Batch) -> ControlFlow<()> {
            self.0.push(batch.questions.len());
            ControlFlow::Break(())
        }
    }
    let lines: Vec<String> = (0..1000)
        .map(|n| call(&format!("c{n}"), NOON, &format!("pond {n}")))
        .collect();
    let scratch = Scratch::new();
    scratch.write(&format!("{SESSIONS}/a.jsonl"), lines.join("\n") + "\n");
    let mut enough = Enough(Vec::new());
    let read =
        read_log(&scratch.log(), &scratch.home(), None, &mut enough).expect("it can be read");
    assert!(read.is_stopped);
    assert_eq!(enough.0, [256]);
}

/// Asked whether to go on; each time the database is changed, if it is to be.
struct Asked {
    n_asked: u32,
    changes: Option<Connection>,
    stops_at: fn(n_asked: u32, n_again: u32) -> bool,
}

impl Keeper for Asked {
    fn copies(&self) -> PathBuf {
        copies()
    }
    fn known(&mut self, _agent: &str, _session: &str) -> Vec<PastQuestion> {
        Vec::new()
    }
    fn keep(&mut self, _batch: Batch) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn go_on(&mut self, n_again: u32) -> ControlFlow<()> {
        self.n_asked += 1;
        if let Some(database) = &self.changes {
            database
                .execute("INSERT INTO more VALUES (zeroblob(10000))", [])
                .expect("a row can be added");
        }
        match (self.stops_at)(self.n_asked, n_again) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_stopped_copy_of_a_database_is_not_restarted_unless_wanted() {
    let scratch = Scratch::new();
    let database = scratch.database(".hermes/state.db", &fixture("hermes/state.sql"));
    database
        .execute_batch(
            "CREATE TABLE more (it BLOB); INSERT INTO more VALUES (zeroblob(20000000));
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)
             INSERT INTO messages (session_id, role, content, timestamp)
             SELECT '20260603_081400_a1b2c3', 'user', hex(zeroblob(2200000)), 0 FROM n;",
        )
        .expect("rows can be added");
    let read = |changes: Option<Connection>, stops_at| {
        let mut asked = Asked {
            n_asked: 0,
            changes,
            stops_at,
        };
        let read = read_log(&scratch.log(), &scratch.home(), None, &mut asked);
        (read.map(|read| read.is_stopped), asked.n_asked)
    };
    // Before the first message, and after each of the five large ones; the other table is not read.
    assert_eq!(read(None, |_, _| false), (Ok(false), 6));
    assert_eq!(read(None, |n_asked, _| n_asked == 3), (Ok(true), 3));
    // The second try is not gone on with.
    let (stopped, n_asked) = read(Some(database), |_, n_again| n_again > 0);
    assert_eq!((stopped, n_asked), (Ok(true), 7));
}

#[test]
fn a_database_that_changes_all_the_time_is_named() {
    let scratch = Scratch::new();
    let database = scratch.database(".hermes/state.db", &fixture("hermes/state.sql"));
    database
        .execute_batch("CREATE TABLE more (it BLOB)")
        .expect("a table can be made");
    let mut asked = Asked {
        n_asked: 0,
        changes: Some(database),
        stops_at: |_, _| false,
    };
    let error = read_log(&scratch.log(), &scratch.home(), None, &mut asked);
    assert_eq!(
        error.expect_err("it never rests").to_string(),
        "The log ~/.hermes/state.db was passed over: it changes all the time."
    );
}

#[test]
fn a_log_that_went_is_an_error_for_itself() {
    let scratch = Scratch::new();
    let path = scratch.write(&format!("{SESSIONS}/a.jsonl"), "");
    let log = scratch.log();
    fs::remove_file(path).expect("it can be removed");
    let error = read_log(&log, &scratch.home(), None, &mut Notebook::default());
    assert_eq!(
        error.expect_err("it is gone").to_string(),
        "The log ~/.openclaw/agents/main/sessions/a.jsonl was passed over: it is not there any more."
    );
}

#[cfg(unix)]
#[test]
fn links_pipes_and_folders_are_no_logs_and_none_is_followed() {
    use std::os::unix::fs::symlink;

    let scratch = Scratch::new();
    let real = scratch.write(
        &format!("{SESSIONS}/real.jsonl"),
        fixture("openclaw/garden.jsonl"),
    );
    let outside = scratch.write("outside/a.jsonl", fixture("openclaw/garden.jsonl"));
    let at = |name: &str| scratch.path().join(name);
    symlink(&outside, at(&format!("{SESSIONS}/link.jsonl"))).expect("it can be made");
    fs::create_dir_all(at(&format!("{SESSIONS}/folder.jsonl"))).expect("it can be made");
    fs::create_dir_all(at(".openclaw/agents/linked")).expect("it can be made");
    symlink(at("outside"), at(".openclaw/agents/linked/sessions")).expect("it can be made");
    symlink(at("outside"), at(".codex")).expect("it can be made");
    let pipe = at(&format!("{SESSIONS}/pipe.jsonl"));
    // A program, because macOS has no call that rustix offers.
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "it can be made");

    let mut log = scratch.log();
    assert_eq!(log.path, real);
    for (path, why) in [
        (
            pipe,
            "it is a link, a pipe or a device, and only files are read.",
        ),
        (
            at(&format!("{SESSIONS}/link.jsonl")),
            "it is a link, a pipe or a device, and only files are read.",
        ),
        (
            at(&format!("{SESSIONS}/folder.jsonl")),
            "it is a folder, and only files are read.",
        ),
    ] {
        log.path = path;
        let error = read_log(&log, &scratch.home(), None, &mut Notebook::default());
        let message = error.expect_err("it is no log").to_string();
        assert!(message.ends_with(why), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn an_agents_home_may_be_a_link_and_nothing_below_it_may() {
    use std::os::unix::fs::symlink;

    let garden = fixture("openclaw/garden.jsonl");
    let events = fixture("openclaw/events.jsonl");
    let logs_of = [
        ".openclaw/agents/main/sessions/a.jsonl",
        ".openclaw/agents/main/agent/openclaw-agent.sqlite",
        ".openclaw/state/openclaw.sqlite",
        ".openclaw/workspace/memory/.dreams/events.jsonl",
        ".claude/projects/-garden/a.jsonl",
        ".codex/sessions/2026/06/03/rollout-a.jsonl",
        ".codex/archived_sessions/rollout-b.jsonl",
        ".gemini/tmp/9d1f/chats/session-a.jsonl",
        ".hermes/profiles/garden/state.db",
    ];
    let paths = |scratch: &Scratch| {
        let found = logs(&scratch.home());
        let inner = |path: &Path| {
            let path = path.strip_prefix(scratch.path().canonicalize().expect("it is there"));
            path.expect("it lies there").to_string_lossy().into_owned()
        };
        found
            .iter()
            .map(|log| inner(&log.path.canonicalize().expect("it is there")))
            .collect::<Vec<String>>()
    };
    let filled = || {
        let scratch = Scratch::new();
        for log in logs_of {
            scratch.write(
                log,
                if log.ends_with("events.jsonl") {
                    &events
                } else {
                    &garden
                },
            );
        }
        scratch
    };
    let move_to_link = |scratch: &Scratch, name: &str| {
        let (at, to) = (
            scratch.path().join(name),
            scratch.path().join("elsewhere").join(name),
        );
        fs::create_dir_all(to.parent().expect("it lies in a folder")).expect("it can be made");
        fs::rename(&at, &to).expect("it can be moved");
        symlink(&to, &at).expect("it can be made");
    };
    let scratch = filled();
    for home in [".openclaw", ".claude", ".codex", ".gemini", ".hermes"] {
        move_to_link(&scratch, home);
    }
    let mut expected: Vec<String> = logs_of.map(|log| format!("elsewhere/{log}")).into();
    expected.sort_unstable();
    let mut found = paths(&scratch);
    found.sort_unstable();
    assert_eq!(found, expected);

    for log in logs_of {
        let parts: Vec<&str> = log.split('/').collect();
        for n in 2..=parts.len() {
            let scratch = filled();
            let linked = parts[..n].join("/");
            move_to_link(&scratch, &linked);
            let elsewhere: Vec<String> = paths(&scratch)
                .into_iter()
                .filter(|path| path.starts_with("elsewhere"))
                .collect();
            assert_eq!(elsewhere, [""; 0], "{linked} is a link");
        }
    }
}

#[test]
fn a_row_with_a_blob_is_passed_over_and_reported() {
    let scratch = Scratch::new();
    let database = scratch.database(".hermes/state.db", &fixture("hermes/state.sql"));
    let expected = scratch.notebook().searches_in_short();
    database
        .execute_batch(
            "INSERT INTO messages (session_id, role, content, tool_call_id, timestamp) \
             VALUES ('20260603_081400_a1b2c3', 'tool', x'00ff', 'call_9', 1780474446.0)",
        )
        .expect("a row can be added");
    let mut notebook = Notebook::default();
    let read = notebook.read(&scratch.log(), &scratch.home());
    assert_eq!(notebook.searches_in_short(), expected);
    assert_eq!(
        read.notices,
        ["Of the log ~/.hermes/state.db, 1 line or row could not be read and did not count."]
    );
}

#[cfg(unix)]
#[test]
fn a_folder_of_sessions_that_cannot_be_read_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;

    let scratch = Scratch::new();
    scratch.write(&format!("{SESSIONS}/a.jsonl"), "");
    let folder = scratch.path().join(SESSIONS);
    let set = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&folder, mode).expect("it can be changed");
    };
    set(0);
    // A user who may read everything can read this one as well.
    let is_hidden = std::fs::read_dir(&folder).is_err();
    let found = find_logs(&scratch.home());
    set(0o755);
    if is_hidden {
        assert_eq!(found.logs, []);
        assert_eq!(
            found.problems,
            [
                "The folder ~/.openclaw/agents/main/sessions was not searched for logs: you may not read it; \
                 change its permissions to have its logs read."
            ]
        );
    }
    assert_eq!(find_logs(&scratch.home()).problems, [""; 0]);
    // Absent folders are no problem, and another thing in the place of one is.
    scratch.write(".codex/sessions", "");
    assert_eq!(
        find_logs(&scratch.home()).problems,
        ["The folder ~/.codex/sessions was not searched for logs: it is a file and not a folder."]
    );
}

#[test]
fn what_is_packed_far_smaller_than_a_text_can_be_is_refused_early() {
    let scratch = Scratch::new();
    // 1 GiB of zeros in less than 100 kB.
    let zeros = std::io::repeat(0).take(1 << 30);
    let bomb = zstd::encode_all(zeros, 3).expect("it can be packed");
    assert!(bomb.len() < 100_000);
    let n_asked = std::cell::Cell::new(0);
    struct Counting<'a>(&'a std::cell::Cell<u32>);
    impl Keeper for Counting<'_> {
        fn copies(&self) -> PathBuf {
            copies()
        }
        fn known(&mut self, _agent: &str, _session: &str) -> Vec<PastQuestion> {
            Vec::new()
        }
        fn keep(&mut self, _batch: Batch) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn go_on(&mut self, _n_again: u32) -> ControlFlow<()> {
            self.0.set(self.0.get() + 1);
            ControlFlow::Continue(())
        }
    }
    let name = format!("{SESSIONS}/a.jsonl.reset.2026-06-05T07-00-00.000Z.zst");
    scratch.write(&name, &bomb);
    let read = read_log(
        &scratch.log(),
        &scratch.home(),
        None,
        &mut Counting(&n_asked),
    );
    let error = read.expect_err("it is no log").to_string();
    assert!(error.contains("bytes unpack to more than"), "{error}");
    // Pieces of 4 MiB: a few dozen megabytes were unpacked and no more.
    assert!(n_asked.get() <= 8, "{} pieces", n_asked.get());
}
