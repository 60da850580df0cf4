//! Reading the session transcripts of OpenClaw.

use std::fs;

use memlens_agents::{LogRead, line_hash, logs, read_log};
use rusqlite::Connection;

use crate::support::{Notebook, Scratch, fixture};

const SESSIONS: &str = ".openclaw/agents/main/sessions";

#[test]
fn searches_of_a_transcript_are_reported_with_what_came_of_them() {
    let scratch = Scratch::new();
    scratch.write(
        &format!("{SESSIONS}/garden.jsonl"),
        fixture("openclaw/garden.jsonl"),
    );
    scratch.write(&format!("{SESSIONS}/sessions.json"), "{}");
    let notebook = scratch.notebook();
    assert_eq!(
        notebook.searches_in_short(),
        "pond pump replaced maxResults=4 -> memory/2026-04-11.md:9-14=0.7124 MEMORY.md:31-31=0.4402 | opened memory/2026-04-11.md:9-14 | cited \n\
         fish that Jonas ordered ->  | opened  | cited \n\
         koi -> failed | opened  | cited \n"
    );
    let first = &notebook.questions[0];
    assert_eq!(first.agent, "openclaw");
    assert_eq!(first.session, "7c1f0f5e-3f0a-4c6e-9d2b-5a1e8f6b2c11");
    assert_eq!(first.call, "toolu_01PondA");
    assert_eq!(first.at_ms, Some(1_780_474_447_310));
    assert_eq!(notebook.n_bytes, scratch.log().bytes);
}

#[test]
fn searches_by_tool_call_are_reported_once_in_whatever_form_they_are_answered() {
    for name in ["wrapped", "wrapped-nested", "wrapped-truncated"] {
        let scratch = Scratch::new();
        let text = fixture(&format!("openclaw/{name}.jsonl"));
        scratch.write(&format!("{SESSIONS}/t7.jsonl"), &text);
        let notebook = scratch.notebook();
        assert_eq!(
            notebook.searches_in_short(),
            "mast broken year -> memory/boat.md:1-2=0.65 | opened memory/boat.md | cited \n\
             harbour fee maxResults=3 ->  | opened  | cited \n\
             keel -> failed | opened memory/log.md:1-120 | cited \n",
            "{name}"
        );
        let first = &notebook.questions[0];
        assert!(!first.is_pattern);
        let returned = first.returned.as_ref().expect("it was answered");
        let hash = line_hash("- The mast was broken in 1974.");
        assert!(
            hash.is_some_and(|hash| returned[0].line_hashes.contains(&hash)),
            "{name}"
        );
        // A note that is not there was not opened, and by default 120 lines are shown.
        let openings = ["memory/boat.md", "memory/log.md:1-120"];
        assert_eq!(notebook.openings(), openings, "{name}");
        // The same transcript is a file before 2026.9 and rows after.
        let lines: Vec<&str> = text.lines().collect();
        let database = scratch.database(DATABASE, TABLE);
        add_rows(&database, "t7", &lines, 0);
        let mut twice = Notebook::default();
        for log in logs(&scratch.home()) {
            twice.cursor = None;
            twice.read(&log, &scratch.home());
        }
        assert_eq!(twice.questions, notebook.questions, "{name}");
    }
}

#[test]
fn a_search_that_code_made_is_reported_by_its_own_row() {
    let scratch = Scratch::new();
    let text = fixture("openclaw/wrapped-code.jsonl");
    scratch.write(&format!("{SESSIONS}/t7.jsonl"), text);
    assert_eq!(
        scratch.notebook().searches_in_short(),
        "mast broken year -> memory/boat.md:1-2=0.65 | opened  | cited \n"
    );
}

#[test]
fn a_long_answer_that_the_inner_row_leaves_out_is_in_the_outer_one() {
    let scratch = Scratch::new();
    let text = fixture("openclaw/wrapped-nested.jsonl");
    let lines = text.lines().map(|line| {
        let mut row: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        if row["message"]["role"] == "custom" {
            row["message"]["details"]["result"] = serde_json::json!({"content": [{
                "type": "text", "text": "[Nested tool output omitted: exceeds display limit]"
            }]});
        }
        format!("{row}\n")
    });
    scratch.write(&format!("{SESSIONS}/t7.jsonl"), lines.collect::<String>());
    let notebook = scratch.notebook();
    assert!(
        notebook
            .searches_in_short()
            .starts_with("mast broken year -> memory/boat.md:1-2=0.65 |"),
        "{}",
        notebook.searches_in_short()
    );
}

#[test]
fn archives_of_restarted_sessions_are_read_packed_or_not() {
    let text = fixture("openclaw/garden.jsonl");
    let of_file = Scratch::new();
    of_file.write(&format!("{SESSIONS}/garden.jsonl"), &text);
    let expected = of_file.notebook();
    let nameless: String = text.split_inclusive('\n').skip(1).collect();
    let when = "2026-06-05T07-00-00.000Z";
    for name in [
        format!("garden.jsonl.reset.{when}"),
        format!("garden.jsonl.reset.{when}.{}", "a".repeat(32)),
        format!("garden.jsonl.reset.{when}.zst"),
    ] {
        let kept = |text: &str| {
            let scratch = Scratch::new();
            let bytes = match name.ends_with(".zst") {
                // The end of its last line will not be written any more.
                true => zstd::encode_all(text.trim_end().as_bytes(), 3).expect("it can be packed"),
                false => text.as_bytes().to_vec(),
            };
            scratch.write(&format!("{SESSIONS}/{name}"), bytes);
            scratch
        };
        assert_eq!(
            kept(&text).notebook().questions,
            expected.questions,
            "{name}"
        );
        let session = kept(&nameless).notebook().questions.remove(0).session;
        assert_eq!(session, "garden", "{name}");
    }
    for name in [
        // The archive of a session that the user deleted.
        format!("garden.jsonl.deleted.{when}"),
        format!("garden.trajectory.jsonl.reset.{when}"),
        format!("garden.jsonl.reset.{when}.zst.0f9c1a2b.tmp"),
        format!("garden.jsonl.bak.{when}"),
    ] {
        let scratch = Scratch::new();
        scratch.write(&format!("{SESSIONS}/{name}"), &text);
        assert_eq!(logs(&scratch.home()), [], "{name}");
    }
}

const DATABASE: &str = ".openclaw/agents/main/agent/openclaw-agent.sqlite";
const TABLE: &str = "CREATE TABLE transcript_events(session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, \
    created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY(session_id,seq)) STRICT;";

/// Adds a transcript's lines as rows, every other one compressed.
fn add_rows(database: &Connection, session: &str, lines: &[&str], first: usize) {
    for (index, line) in lines.iter().enumerate() {
        let is_compressed = index % 2 == 1;
        let compressed = is_compressed
            .then(|| zstd::encode_all(line.as_bytes(), 3).expect("it can be compressed"));
        let plain = (!is_compressed).then_some(line);
        database
            .execute(
                "INSERT INTO transcript_events VALUES (?1, ?2, ?3, 0, ?4, ?5, NULL)",
                (
                    session,
                    (first + index) as i64,
                    plain,
                    compressed,
                    line.len() as i64,
                ),
            )
            .expect("a row can be added");
    }
}

#[test]
fn rows_of_a_database_tell_what_lines_of_a_file_tell() {
    let text = fixture("openclaw/garden.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    let of_file = Scratch::new();
    of_file.write(&format!("{SESSIONS}/garden.jsonl"), &text);
    let expected = of_file.notebook().searches_in_short();

    for cut in 0..lines.len() {
        let scratch = Scratch::new();
        let database = scratch.database(DATABASE, TABLE);
        let session = "7c1f0f5e-3f0a-4c6e-9d2b-5a1e8f6b2c11";
        add_rows(&database, session, &lines[..cut], 0);
        let mut notebook = scratch.notebook();
        add_rows(&database, session, &lines[cut..], cut);
        notebook.read(&scratch.log(), &scratch.home());
        assert_eq!(notebook.searches_in_short(), expected, "cut at row {cut}");
        let n_batches = notebook.n_batches;
        notebook.read(&scratch.log(), &scratch.home());
        assert_eq!(
            notebook.n_batches, n_batches,
            "nothing changed, so nothing is read"
        );
    }
}

#[test]
fn a_transcript_that_was_rewritten_is_read_again() {
    let text = fixture("openclaw/garden.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    let scratch = Scratch::new();
    let database = scratch.database(DATABASE, TABLE);
    let session = "7c1f0f5e-3f0a-4c6e-9d2b-5a1e8f6b2c11";
    add_rows(&database, "other", &lines[..1], 0);
    add_rows(&database, session, &lines[..6], 0);
    let mut notebook = scratch.notebook();
    // The rows are numbered from 1 again, and the cursor's number is another row's.
    database
        .execute_batch("DELETE FROM transcript_events")
        .expect("it can be done");
    add_rows(&database, session, &lines, 0);
    notebook.read(&scratch.log(), &scratch.home());
    let whole = Scratch::new();
    whole.write(&format!("{SESSIONS}/garden.jsonl"), &text);
    assert_eq!(
        notebook.searches_in_short(),
        whole.notebook().searches_in_short()
    );
}

#[test]
fn a_row_that_cannot_be_read_is_counted_and_the_others_are_read() {
    let text = fixture("openclaw/garden.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    let scratch = Scratch::new();
    let database = scratch.database(DATABASE, TABLE);
    database
        .execute_batch(
            "INSERT INTO transcript_events VALUES ('s', 1, '{\"memory_search', 0, NULL, NULL, NULL);
             INSERT INTO transcript_events VALUES ('s', 2, NULL, 0, x'28b52ffd00', 9, NULL);
             INSERT INTO transcript_events VALUES ('s', 3, NULL, 0, NULL, NULL, NULL);",
        )
        .expect("rows can be added");
    // 64 MiB of zeros in a few kilobytes.
    let bomb = zstd::encode_all(&vec![0; 64 << 20][..], 3).expect("it can be compressed");
    database
        .execute(
            "INSERT INTO transcript_events VALUES ('s', 4, NULL, 0, ?1, 9, NULL)",
            [bomb],
        )
        .expect("a row can be added");
    add_rows(&database, "pond", &lines, 0);
    let mut notebook = Notebook::default();
    let read = notebook.read(&scratch.log(), &scratch.home());
    assert_eq!((read.n_questions, read.n_skipped), (3, 4));
}

#[test]
fn a_database_that_is_another_is_named() {
    let scratch = Scratch::new();
    scratch.database(
        DATABASE,
        "CREATE TABLE transcript_events (session_id TEXT, at INTEGER, body TEXT);",
    );
    let error = read_log(
        &scratch.log(),
        &scratch.home(),
        None,
        &mut Notebook::default(),
    );
    assert_eq!(
        error.expect_err("it is another").to_string(),
        "The log ~/.openclaw/agents/main/agent/openclaw-agent.sqlite was passed over: its table transcript_events has no \
         column seq, so it is of a version that Memlens does not know; a newer Memlens may know it."
    );

    // Before 2026.9 it held no transcripts: nothing is wrong.
    let scratch = Scratch::new();
    scratch.database(DATABASE, "CREATE TABLE memory_index_chunks (id TEXT);");
    let read = Notebook::default().read(&scratch.log(), &scratch.home());
    assert_eq!(read, LogRead::default());

    let scratch = Scratch::new();
    scratch.write(
        DATABASE,
        "no database at all, but long enough to look at as if it were one",
    );
    let error = read_log(
        &scratch.log(),
        &scratch.home(),
        None,
        &mut Notebook::default(),
    );
    assert!(
        error
            .expect_err("it is none")
            .to_string()
            .ends_with("it is no SQLite file.")
    );
}

#[test]
fn a_database_that_is_too_large_is_named() {
    let scratch = Scratch::new();
    let path = scratch.write(DATABASE, "");
    // Sparse, so that it takes no room.
    let file = fs::File::options().write(true).open(path);
    let grown = file.and_then(|file| file.set_len((2 << 30) + 1));
    grown.expect("it can grow");
    let error = read_log(
        &scratch.log(),
        &scratch.home(),
        None,
        &mut Notebook::default(),
    );
    let message = error.expect_err("it is too large").to_string();
    assert!(
        message.ends_with("was passed over: it is larger than 2 GiB."),
        "{message}"
    );
}

#[test]
fn notes_of_recalls_are_reported_without_a_session() {
    let scratch = Scratch::new();
    scratch.database(
        ".openclaw/state/openclaw.sqlite",
        &fixture("openclaw/state.sql"),
    );
    let notebook = scratch.notebook();
    assert_eq!(
        notebook.searches_in_short(),
        "pond pump replaced -> memory/2026-04-11.md:9-14=0.7124 MEMORY.md:31-31=0.4402 | opened  | cited \n"
    );
    assert_eq!(notebook.questions[0].session, "");

    let scratch = Scratch::new();
    scratch.write(
        ".openclaw/workspace/memory/.dreams/events.jsonl",
        fixture("openclaw/events.jsonl"),
    );
    assert_eq!(
        scratch.notebook().searches_in_short(),
        "seeds for the east bed -> memory/2026-03-02.md:4-9=0.61 memory/2026-03-01.md:1-3=0.5 | opened  | cited \n"
    );
}

/// An event of a workspace's file.
fn event(at: &str, question: &str, path: &str) -> String {
    format!(
        r#"{{"type":"memory.recall.recorded","timestamp":"{at}","query":"{question}","resultCount":1,"results":[{{"path":"{path}","startLine":1,"endLine":3,"score":0.5}}]}}"#
    ) + "\n"
}

const EVENTS: &str = "memory/.dreams/events.jsonl";

#[test]
fn events_of_two_workspaces_are_distinguished() {
    let scratch = Scratch::new();
    scratch.write(
        ".openclaw/openclaw.json",
        r#"{"agents":{"entries":{"garden":{},"kitchen":{}}}}"#,
    );
    let at = "2026-05-02T07:00:01.000Z";
    for (agent, question) in [("garden", "seeds of beans"), ("kitchen", "salt for a soup")] {
        scratch.write(
            &format!(".openclaw/workspace-{agent}/{EVENTS}"),
            event(at, question, "memory/2026-03-02.md")
                + &event(at, "today", &format!("{agent}.md")),
        );
    }
    let mut notebook = Notebook::default();
    for log in logs(&scratch.home()) {
        notebook.cursor = None;
        notebook.read(&log, &scratch.home());
    }
    assert_eq!(
        notebook.searches_in_short(),
        "seeds of beans -> memory/2026-03-02.md:1-3=0.5 | opened  | cited \n\
         today -> garden.md:1-3=0.5 | opened  | cited \n\
         salt for a soup -> memory/2026-03-02.md:1-3=0.5 | opened  | cited \n\
         today -> kitchen.md:1-3=0.5 | opened  | cited \n"
    );
}

#[test]
fn a_file_of_events_that_was_cut_overwrites_no_question() {
    let scratch = Scratch::new();
    let file = format!(".openclaw/workspace/{EVENTS}");
    let [one, two, three] = [("07", "seeds"), ("08", "beans"), ("09", "peas")]
        .map(|(hour, question)| event(&format!("2026-05-02T{hour}:00:01.000Z"), question, "a.md"));
    scratch.write(&file, one + &two);
    let mut notebook = scratch.notebook();
    scratch.write(&file, two + &three);
    notebook.read(&scratch.log(), &scratch.home());
    let asked: Vec<&str> = notebook.questions.iter().map(|it| &*it.question).collect();
    assert_eq!(asked, ["seeds", "beans", "peas"]);
}

#[test]
fn events_that_were_taken_over_into_the_database_are_the_same() {
    let event = event("2026-05-02T07:00:01.000Z", "seeds", "a.md");
    let of_file = Scratch::new();
    of_file.write(&format!(".openclaw/workspace/{EVENTS}"), &event);
    let of_database = Scratch::new();
    let table = fixture("openclaw/state.sql");
    let table = table.split_inclusive(';').next().expect("it makes a table");
    let database = of_database.database(".openclaw/state/openclaw.sqlite", table);
    database
        .execute(
            "INSERT INTO plugin_state_entries VALUES ('memory-core', 'memory-host.events', '0f3a:event:1:1', ?1, 0, NULL)",
            [format!(r#"{{"kind":"event","event":{event},"sequence":1}}"#)],
        )
        .expect("a row can be added");
    assert_eq!(
        of_database.notebook().questions,
        of_file.notebook().questions
    );
}

#[test]
fn a_call_without_a_name_is_known_by_what_it_asked_and_when() {
    let call = |second: u32, question: &str| {
        format!(
            r#"{{"type":"message","timestamp":"2026-06-03T08:15:0{second}.000Z","message":{{"role":"assistant","content":[{{"type":"toolCall","name":"memory_search","arguments":{{"query":"{question}"}}}}]}}}}"#
        ) + "\n"
    };
    let scratch = Scratch::new();
    let file = format!("{SESSIONS}/garden.jsonl");
    scratch.write(&file, call(1, "seeds") + &call(2, "beans"));
    let mut notebook = scratch.notebook();
    // What a session began with may be cut off.
    scratch.write(&file, call(2, "beans") + &call(3, "peas"));
    notebook.read(&scratch.log(), &scratch.home());
    let asked: Vec<&str> = notebook.questions.iter().map(|it| &*it.question).collect();
    assert_eq!(asked, ["seeds", "beans", "peas"]);
}

#[test]
fn reading_a_note_of_the_workspace_opens_it() {
    let scratch = Scratch::new();
    let text = fixture("openclaw/garden.jsonl");
    let lines: Vec<&str> = text.lines().take(5).collect();
    let call = |name: &str, arguments: &str| {
        format!(
            r#"{{"type":"message","timestamp":"2026-06-03T08:15:00.000Z","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"r","name":"{name}","arguments":{arguments}}}]}}}}"#
        )
    };
    let answer = r#"{"type":"message","message":{"role":"toolResult","toolCallId":"r","toolName":"read","content":[{"type":"text","text":"…"}],"isError":false}}"#;
    let opens = [
        call(
            "read",
            r#"{"path":"memory/2026-04-11.md","offset":9,"limit":2}"#,
        ),
        call("exec", r#"{"command":"cat MEMORY.md"}"#),
        call("read", r#"{"path":"notes/other.md"}"#),
    ];
    let opens: Vec<String> = opens
        .into_iter()
        .flat_map(|call| [call, answer.to_owned()])
        .collect();
    scratch.write(
        &format!("{SESSIONS}/a.jsonl"),
        format!("{}\n{}\n", lines.join("\n"), opens.join("\n")),
    );
    assert_eq!(
        scratch.notebook().searches_in_short(),
        "pond pump replaced maxResults=4 -> memory/2026-04-11.md:9-14=0.7124 MEMORY.md:31-31=0.4402 \
         | opened memory/2026-04-11.md:9-10 /home/iris/.openclaw/workspace/MEMORY.md | cited \n"
    );
}
