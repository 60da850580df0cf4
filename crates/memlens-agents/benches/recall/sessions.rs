//! Made-up transcripts of every kind, the same in every run: long talk about gardens with now and then a search of memory.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use fastrand::Rng;
use rusqlite::Connection;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    OpenClawFiles,
    OpenClawRows,
    ClaudeCode,
    Codex,
    GeminiCli,
    Hermes,
}

pub const KINDS: [Kind; 6] = [
    Kind::OpenClawFiles,
    Kind::OpenClawRows,
    Kind::ClaudeCode,
    Kind::Codex,
    Kind::GeminiCli,
    Kind::Hermes,
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    pub n_bytes: u64,
    /// Searches of memory in them.
    pub n_questions: u64,
}

/// One thing that happens in a session.
enum Step {
    /// A message of the user or the agent.
    Says { is_person: bool, words: String },
    /// A tool that is none of memory's answers at length.
    Works { output: String },
    /// Memory is searched; the first result is opened where `opens`.
    Searches {
        question: String,
        results: Vec<String>,
        opens: bool,
    },
}

/// Writes sessions of one kind below a home folder. Each has about `turns` things that happen.
pub fn write(home: &Path, kind: Kind, n_sessions: usize, turns: usize) -> Written {
    let mut random = Rng::with_seed(kind as u64 + 1);
    let mut written = Written::default();
    let mut place = Place::of(home, kind);
    for number in 0..n_sessions {
        let id = format!("{number:08x}-7d1e-4c55-8a35-9f0c1b7c2d10");
        let steps: Vec<Step> = (0..turns).map(|turn| step(&mut random, turn)).collect();
        let searches = steps
            .iter()
            .filter(|step| matches!(step, Step::Searches { .. }));
        written.n_questions += searches.count() as u64;
        let lines = lines(kind, home, &id, &steps);
        written.n_bytes += place.write(number, &id, &lines);
    }
    place.end();
    written
}

fn step(random: &mut Rng, turn: usize) -> Step {
    match (turn % 12, random.u8(..)) {
        (3, _) => Step::Searches {
            question: words(random, 5),
            results: (0..random.usize(0..6))
                .map(|_| {
                    format!(
                        "memory/2026-{:02}-{:02}.md",
                        random.u8(1..13),
                        random.u8(1..29)
                    )
                })
                .collect(),
            opens: random.bool(),
        },
        (_, 0..90) => Step::Works {
            output: words(random, 800),
        },
        (_, byte) => Step::Says {
            is_person: byte < 130,
            words: words(random, 60),
        },
    }
}

fn words(random: &mut Rng, n: usize) -> String {
    const WORDS: [&str; 24] = [
        "the",
        "pond",
        "pump",
        "of",
        "and",
        "garden",
        "in",
        "heron",
        "koi",
        "water",
        "memory",
        "soil",
        "east",
        "bed",
        "Teich",
        "\"quoted\"",
        "line\n",
        "für",
        "filter",
        "we",
        "bought",
        "spring",
        "{",
        "2026",
    ];
    let words: Vec<&str> = (0..n).map(|_| WORDS[random.usize(..WORDS.len())]).collect();
    words.join(" ")
}

/// A session's lines, or a row's worth each.
fn lines(kind: Kind, home: &Path, session: &str, steps: &[Step]) -> Vec<Value> {
    let home = home.to_string_lossy();
    let mut lines = Vec::new();
    match kind {
        Kind::OpenClawFiles | Kind::OpenClawRows => lines.push(json!({
            "type": "session", "version": 3, "id": session, "timestamp": at(0), "cwd": format!("{home}/.openclaw/workspace")
        })),
        Kind::Codex => lines.push(json!({
            "timestamp": at(0), "type": "session_meta",
            "payload": {"id": session, "cwd": format!("{home}/garden"), "cli_version": "0.142.0"}
        })),
        Kind::GeminiCli => lines.push(json!({"sessionId": session, "projectHash": "9d1f", "startTime": at(0), "kind": "main"})),
        Kind::ClaudeCode | Kind::Hermes => {}
    }
    for (number, step) in steps.iter().enumerate() {
        match kind {
            Kind::OpenClawFiles | Kind::OpenClawRows => openclaw(number, step, &mut lines),
            Kind::ClaudeCode => claude_code(number, step, &home, session, &mut lines),
            Kind::Codex => codex(number, step, &home, &mut lines),
            Kind::GeminiCli => gemini_cli(number, step, &home, &mut lines),
            Kind::Hermes => hermes(number, step, &mut lines),
        }
    }
    lines
}

/// The time of a step.
fn at(number: usize) -> String {
    format!(
        "2026-06-03T{:02}:{:02}:{:02}.000Z",
        number / 3600 % 24,
        number / 60 % 60,
        number % 60
    )
}

fn openclaw(number: usize, step: &Step, lines: &mut Vec<Value>) {
    let mut message = |message: Value| {
        lines.push(json!({"type": "message", "id": format!("{number:x}"), "parentId": null, "timestamp": at(number), "message": message}));
    };
    let mut call = |id: &str, name: &str, arguments: Value, details: Value| {
        let blocks = json!([{"type": "toolCall", "id": id, "name": name, "arguments": arguments}]);
        message(json!({"role": "assistant", "content": blocks, "stopReason": "toolUse"}));
        let text = json!([{"type": "text", "text": details.to_string()}]);
        message(
            json!({"role": "toolResult", "toolCallId": id, "toolName": name, "content": text, "details": details, "isError": false}),
        );
    };
    match step {
        Step::Says { is_person, words } => {
            let role = if *is_person { "user" } else { "assistant" };
            message(json!({"role": role, "content": [{"type": "text", "text": words}]}));
        }
        Step::Works { output } => {
            call(
                &format!("toolu_w{number}"),
                "exec",
                json!({"command": "ls -la"}),
                json!({"output": output}),
            );
        }
        Step::Searches {
            question,
            results,
            opens,
        } => {
            let found: Vec<Value> = results
                .iter()
                .map(|path| json!({"path": path, "startLine": 3, "endLine": 9, "score": 0.5}))
                .collect();
            call(
                &format!("toolu_s{number}"),
                "memory_search",
                json!({"query": question}),
                json!({"results": found}),
            );
            if let Some(path) = results.first().filter(|_| *opens) {
                call(
                    &format!("toolu_o{number}"),
                    "memory_get",
                    json!({"path": path}),
                    json!({"path": path, "text": "…"}),
                );
            }
        }
    }
}

fn claude_code(number: usize, step: &Step, home: &str, session: &str, lines: &mut Vec<Value>) {
    let memory = format!("{home}/.claude/projects/-garden/memory");
    let mut message = |role: &str, content: Value| {
        lines.push(json!({
            "parentUuid": null, "isSidechain": false, "cwd": format!("{home}/garden"), "sessionId": session, "version": "2.1.30",
            "type": role, "message": {"role": role, "content": content}, "uuid": format!("{number:x}"), "timestamp": at(number)
        }));
    };
    let mut call = |id: &str, name: &str, input: Value, output: &str| {
        message(
            "assistant",
            json!([{"type": "tool_use", "id": id, "name": name, "input": input}]),
        );
        message(
            "user",
            json!([{"type": "tool_result", "tool_use_id": id, "content": output}]),
        );
    };
    match step {
        Step::Says { is_person, words } => {
            message(
                if *is_person { "user" } else { "assistant" },
                json!([{"type": "text", "text": words}]),
            );
        }
        Step::Works { output } => call(
            &format!("toolu_w{number}"),
            "Bash",
            json!({"command": "ls"}),
            output,
        ),
        Step::Searches {
            question,
            results,
            opens,
        } => {
            let found: Vec<String> = results
                .iter()
                .map(|path| format!("{memory}/{path}:3:…"))
                .collect();
            let input = json!({"pattern": question, "path": memory, "output_mode": "content"});
            call(
                &format!("toolu_s{number}"),
                "Grep",
                input,
                &found.join("\n"),
            );
            if let Some(path) = results.first().filter(|_| *opens) {
                call(
                    &format!("toolu_o{number}"),
                    "Read",
                    json!({"file_path": format!("{memory}/{path}")}),
                    "…",
                );
            }
        }
    }
}

fn codex(number: usize, step: &Step, home: &str, lines: &mut Vec<Value>) {
    let memory = format!("{home}/.codex/memories");
    let mut item = |payload: Value| {
        lines.push(json!({"timestamp": at(number), "type": "response_item", "payload": payload}));
    };
    let mut call = |id: &str, command: &str, output: &str| {
        let arguments = json!({"cmd": command}).to_string();
        item(
            json!({"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": id}),
        );
        item(
            json!({"type": "function_call_output", "call_id": id, "output": format!("Exit code: 0\nOutput:\n{output}")}),
        );
    };
    match step {
        Step::Says { is_person, words } => {
            let role = if *is_person { "user" } else { "assistant" };
            item(
                json!({"type": "message", "role": role, "content": [{"type": "output_text", "text": words}]}),
            );
        }
        Step::Works { output } => call(&format!("call_w{number}"), "ls -la", output),
        Step::Searches {
            question,
            results,
            opens,
        } => {
            let words = question.replace(['\'', '\n'], " ");
            let found: Vec<String> = results
                .iter()
                .map(|path| format!("{memory}/{path}:3:…"))
                .collect();
            call(
                &format!("call_s{number}"),
                &format!("rg -n '{words}' {memory}"),
                &found.join("\n"),
            );
            if let Some(path) = results.first().filter(|_| *opens) {
                call(
                    &format!("call_o{number}"),
                    &format!("sed -n '1,20p' {memory}/{path}"),
                    "…",
                );
            }
        }
    }
}

fn gemini_cli(number: usize, step: &Step, home: &str, lines: &mut Vec<Value>) {
    let memory = format!("{home}/.gemini/tmp/9d1f/memory");
    let call = |id: String, name: &str, args: Value, output: &str| {
        let result =
            json!([{"functionResponse": {"id": id, "name": name, "response": {"output": output}}}]);
        json!({"id": id, "name": name, "args": args, "result": result, "status": "success", "timestamp": at(number)})
    };
    let (kind, content, calls) = match step {
        Step::Says { is_person, words } => (
            if *is_person { "user" } else { "gemini" },
            words.as_str(),
            Vec::new(),
        ),
        Step::Works { output } => (
            "gemini",
            "",
            vec![call(
                format!("w{number}"),
                "run_shell_command",
                json!({"command": "ls"}),
                output,
            )],
        ),
        Step::Searches {
            question,
            results,
            opens,
        } => {
            let found: Vec<String> = results
                .iter()
                .map(|path| format!("File: {path}\nL3: …"))
                .collect();
            let args = json!({"pattern": question, "dir_path": memory});
            let mut calls = vec![call(
                format!("s{number}"),
                "grep_search",
                args,
                &found.join("\n"),
            )];
            if let Some(path) = results.first().filter(|_| *opens) {
                calls.push(call(
                    format!("o{number}"),
                    "read_file",
                    json!({"file_path": format!("{memory}/{path}")}),
                    "…",
                ));
            }
            ("gemini", "", calls)
        }
    };
    lines.push(json!({"id": format!("{number:x}"), "timestamp": at(number), "type": kind, "content": content, "toolCalls": calls}));
}

fn hermes(number: usize, step: &Step, lines: &mut Vec<Value>) {
    let time = 1_780_000_000.0 + number as f64;
    let mut call = |id: &str, name: &str, arguments: Value, output: &str| {
        let calls = json!([{"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}}]);
        lines.push(json!({"role": "assistant", "content": "", "tool_calls": calls.to_string(), "timestamp": time}));
        lines.push(
            json!({"role": "tool", "content": output, "tool_call_id": id, "timestamp": time}),
        );
    };
    match step {
        Step::Says { is_person, words } => {
            let role = if *is_person { "user" } else { "assistant" };
            lines.push(json!({"role": role, "content": words, "timestamp": time}));
        }
        Step::Works { output } => call(
            &format!("call_w{number}"),
            "terminal",
            json!({"command": "ls"}),
            output,
        ),
        Step::Searches {
            question,
            results,
            opens,
        } => {
            let found: Vec<Value> = results
                .iter()
                .map(|id| json!({"session_id": id, "summary": "…"}))
                .collect();
            call(
                &format!("call_s{number}"),
                "session_search",
                json!({"query": question}),
                &json!({"results": found}).to_string(),
            );
            if *opens {
                call(
                    &format!("call_o{number}"),
                    "read_file",
                    json!({"path": "~/.hermes/memories/MEMORY.md"}),
                    "{}",
                );
            }
        }
    }
}

/// Where sessions of a kind are written.
enum Place<'h> {
    Files(&'h Path, Kind),
    Rows(Connection, Kind),
}

impl<'h> Place<'h> {
    fn of(home: &'h Path, kind: Kind) -> Place<'h> {
        let (name, statements) = match kind {
            Kind::OpenClawRows => (
                ".openclaw/agents/main/agent/openclaw-agent.sqlite",
                "CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
                 created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER, PRIMARY KEY (session_id, seq)) STRICT;",
            ),
            Kind::Hermes => (
                ".hermes/state.db",
                "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
                 content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL);",
            ),
            Kind::OpenClawFiles | Kind::ClaudeCode | Kind::Codex | Kind::GeminiCli => {
                return Place::Files(home, kind);
            }
        };
        let path = home.join(name);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it can be made");
        let database = Connection::open(path).expect("it can be opened");
        database
            .execute_batch(statements)
            .expect("the table can be made");
        database.execute_batch("BEGIN").expect("it can be begun");
        Place::Rows(database, kind)
    }

    /// Writes a session and returns how many bytes its transcript has.
    fn write(&mut self, number: usize, session: &str, lines: &[Value]) -> u64 {
        match self {
            Place::Files(home, kind) => {
                let name = match kind {
                    Kind::ClaudeCode => {
                        format!(".claude/projects/-garden-{}/{session}.jsonl", number % 50)
                    }
                    Kind::Codex => format!(
                        ".codex/sessions/2026/06/{:02}/rollout-2026-06-03T08-14-02-{session}.jsonl",
                        number % 28 + 1
                    ),
                    Kind::GeminiCli => {
                        format!(".gemini/tmp/9d1f/chats/session-2026-06-03T08-14-{session}.jsonl")
                    }
                    Kind::OpenClawFiles | Kind::OpenClawRows | Kind::Hermes => {
                        format!(".openclaw/agents/main/sessions/{session}.jsonl")
                    }
                };
                let path = home.join(name);
                fs::create_dir_all(path.parent().expect("it lies in a folder"))
                    .expect("it can be made");
                let mut file = BufWriter::new(File::create(path).expect("it can be made"));
                let mut n_bytes = 0;
                for line in lines {
                    let line = format!("{line}\n");
                    n_bytes += line.len() as u64;
                    file.write_all(line.as_bytes()).expect("it can be written");
                }
                file.flush().expect("it can be written");
                n_bytes
            }
            Place::Rows(database, kind) => {
                let mut n_bytes = 0;
                for (seq, line) in lines.iter().enumerate() {
                    let text = line.to_string();
                    n_bytes += text.len() as u64;
                    if *kind == Kind::Hermes {
                        let field = |name: &str| line[name].as_str();
                        let mut insert = database
                            .prepare_cached(
                                "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, timestamp)
                                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                            )
                            .expect("it is a statement");
                        let row = (
                            session,
                            field("role"),
                            field("content"),
                            field("tool_call_id"),
                            field("tool_calls"),
                            line["timestamp"].as_f64(),
                        );
                        insert.execute(row).expect("a row can be added");
                        continue;
                    }
                    // As OpenClaw does with rows that are large.
                    let compressed = (text.len() > 1024).then(|| {
                        zstd::encode_all(text.as_bytes(), 3).expect("it can be compressed")
                    });
                    let plain = compressed.is_none().then_some(&text);
                    let mut insert = database
                        .prepare_cached(
                            "INSERT INTO transcript_events VALUES (?1, ?2, ?3, 0, ?4, ?5)",
                        )
                        .expect("it is a statement");
                    insert
                        .execute((session, seq as i64, plain, compressed, text.len() as i64))
                        .expect("a row can be added");
                }
                n_bytes
            }
        }
    }

    fn end(self) {
        if let Place::Rows(database, _) = self {
            database.execute_batch("COMMIT").expect("it can be ended");
        }
    }
}
