//! A call by the entry of an agent's config: its command is started as the agent starts it, and asked one question.
//!
//! Properties checked: a program that does not start, ends, is silent or answers something else is reported in time, and is ended.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use memlens_agents::{Home, Launch, ToolServerConfig};
use memlens_library::EngineError;
use memlens_wire::{ToolServerResult, ToolServerTest};
use serde_json::{Value, json};

use super::entered::{Entered, entered};

/// Time for all answers. A server loads its model first.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// Time in which a server ends after its input is closed.
const END_TIME: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(5);
/// Longest line that is read from the server, in bytes.
const LINE_BYTES_MAX: u64 = 4 << 20;
/// How much of its standard error is shown, in bytes.
const SAID_BYTES_MAX: u64 = 2 << 10;
/// Number of results that are asked for.
const RESULTS: u32 = 5;
const PROTOCOL: &str = "2025-06-18";

/// Starts the command that an agent's config enters, lists its tools, and asks one question. The outcome says what failed.
///
/// # Errors
/// [`EngineError::AgentConfig`] if the config cannot be read or enters no command of Memlens.
pub fn try_tool_server(
    home: &Home,
    config: &ToolServerConfig,
    query: &str,
) -> Result<ToolServerTest, EngineError> {
    Ok(tried(&entered(home, config)?, query, ANSWER_TIME))
}

fn tried(entered: &Entered, query: &str, time: Duration) -> ToolServerTest {
    let mut test = ToolServerTest {
        starts: entered.launch.line(),
        query: query.to_owned(),
        ..ToolServerTest::default()
    };
    let asked = Server::start(entered, time).and_then(|mut server| {
        let outcome = ask(&mut server, &mut test);
        outcome.map_err(|why| server.end(why))
    });
    test.error = asked.err();
    test
}

/// Does what an agent does, and fills in what is answered.
fn ask(server: &mut Server, test: &mut ToolServerTest) -> Result<(), String> {
    let started = Instant::now();
    server.call(
        "initialize",
        json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "memlens-test", "version": env!("CARGO_PKG_VERSION")},
        }),
    )?;
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    let listed = server.call("tools/list", json!({}))?;
    let tools = listed["tools"].as_array().into_iter().flatten();
    test.tools = tools
        .filter_map(|tool| tool["name"].as_str())
        .map(str::to_owned)
        .collect();
    test.start_ms = Some(ms(started));
    let started = Instant::now();
    let arguments = json!({"query": test.query, "maxResults": RESULTS});
    let answer = server.call(
        "tools/call",
        json!({"name": "memory_search", "arguments": arguments}),
    )?;
    let text = answer["content"][0]["text"].as_str().unwrap_or_default();
    if answer["isError"] == true {
        return Err(text.to_owned());
    }
    let found: Value = serde_json::from_str(text)
        .map_err(|error| format!("it answered something that is not JSON: {error}"))?;
    test.search_ms = Some(ms(started));
    test.pipeline = found["pipeline"].as_str().unwrap_or_default().to_owned();
    let line = |value: &Value| value.as_u64().and_then(|line| line.try_into().ok());
    let results = found["results"].as_array().into_iter().flatten();
    test.results = results
        .map(|row| ToolServerResult {
            path: row["path"].as_str().unwrap_or_default().to_owned(),
            start_line: line(&row["startLine"]).unwrap_or_default(),
            end_line: line(&row["endLine"]).unwrap_or_default(),
            score: row["score"].as_f64(),
        })
        .collect();
    let notices = found["notices"].as_array().into_iter().flatten();
    test.notices = notices
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    Ok(())
}

fn ms(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1_000.0
}

/// A server that was started; it is ended when this is dropped.
struct Server {
    child: Child,
    to: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    said: Receiver<String>,
    until: Instant,
    time: Duration,
    n_calls: u64,
    /// Whether it ended by itself before it answered.
    has_ended: bool,
}

impl Server {
    fn start(entered: &Entered, time: Duration) -> Result<Server, String> {
        let Launch { command, args } = &entered.launch;
        let mut started = Command::new(memlens_files::program(command));
        started
            .args(args)
            .envs(entered.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &entered.folder {
            started.current_dir(Path::new(folder));
        }
        memlens_files::with_users_umask(&mut started);
        let failed = |error: std::io::Error| format!("cannot start {command}: {error}");
        let mut child = started.spawn().map_err(failed)?;
        let piped = "the pipes were asked for";
        let stdout = BufReader::new(child.stdout.take().expect(piped));
        let stderr = child.stderr.take().expect(piped);
        let (line, lines) = mpsc::sync_channel(1);
        let (word, said) = mpsc::channel();
        // Both end with the server.
        std::thread::spawn(move || read_lines(stdout, |read| line.send(read).is_ok()));
        std::thread::spawn(move || read_said(stderr, |said| drop(word.send(said))));
        Ok(Server {
            to: child.stdin.take(),
            child,
            lines,
            said,
            until: Instant::now() + time,
            time,
            n_calls: 0,
            has_ended: false,
        })
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let to = self.to.as_mut().ok_or("its input is closed")?;
        let sent = writeln!(to, "{message}").and_then(|()| to.flush());
        // A server that has ended says why when it is asked for an answer.
        match sent {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            sent => sent.map_err(|error| format!("it cannot be asked: {error}")),
        }
    }

    /// The result of a request.
    fn call(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.n_calls += 1;
        let id = self.n_calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    format!(
                        "it did not answer {method} within {} s",
                        self.time.as_secs()
                    )
                }
                RecvTimeoutError::Disconnected => {
                    self.has_ended = true;
                    format!("it ended before it answered {method}")
                }
            })?;
            let answer: Value = serde_json::from_slice(&line)
                .map_err(|_| "it printed something that is no message of MCP".to_owned())?;
            // Notifications and requests of the server.
            if answer["id"] != id {
                continue;
            }
            if let Some(error) = answer.get("error") {
                let message = error["message"].as_str().unwrap_or("no reason given");
                return Err(format!("it refused {method}: {message}"));
            }
            return Ok(answer["result"].clone());
        }
    }

    /// Ends a server that failed. Returns the reason with what it printed as errors.
    fn end(mut self, why: String) -> String {
        self.to = None;
        let status = self.wait();
        let said = self.said.recv_timeout(END_TIME).unwrap_or_default();
        let status = status
            .filter(|status| self.has_ended && !status.success())
            .map_or_else(String::new, |status| format!(" ({status})"));
        match said.trim() {
            "" => format!("{why}{status}"),
            said => format!("{why}{status}; it printed: {said}"),
        }
    }

    /// Waits for the end of the server; `None` if it had to be killed.
    fn wait(&mut self) -> Option<std::process::ExitStatus> {
        let until = Instant::now() + END_TIME;
        while Instant::now() < until {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(POLL);
        }
        // It may have ended just now.
        let _ = self.child.kill();
        let _ = self.child.wait();
        None
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.to = None;
        self.wait();
    }
}

/// Reads lines until the end, or until `take` returns false. A line that is too long is cut, so that it is no message.
fn read_lines(mut from: impl BufRead, mut take: impl FnMut(Vec<u8>) -> bool) {
    loop {
        let mut line = Vec::new();
        let read = (&mut from)
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut line);
        if !read.is_ok_and(|n_bytes| n_bytes > 0) || !take(line) {
            return;
        }
    }
}

/// Reads everything, and passes on its beginning.
fn read_said(mut from: impl Read, take: impl FnOnce(String)) {
    let mut said = Vec::new();
    let _ = (&mut from).take(SAID_BYTES_MAX).read_to_end(&mut said);
    // The rest is read too: a server that cannot print stops.
    let _ = std::io::copy(&mut from, &mut std::io::sink());
    take(String::from_utf8_lossy(&said).into_owned());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A server that is a script of the shell.
    fn tried(script: &str) -> ToolServerTest {
        let entered = Entered {
            launch: Launch {
                command: "/bin/sh".to_owned(),
                args: vec!["-c".to_owned(), script.to_owned()],
            },
            environment: vec![("GREETING".to_owned(), "koi".to_owned())],
            folder: Some("/".to_owned()),
        };
        super::tried(&entered, "where is the koi", Duration::from_millis(1_500))
    }

    fn answer(id: u32, result: &str) -> String {
        format!("read line; echo '{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}'\n")
    }

    fn begun() -> String {
        let tools = answer(2, r#"{"tools":[{"name":"memory_search"}]}"#);
        answer(1, "{}") + "read line\n" + &tools
    }

    #[test]
    fn results_are_shown_as_the_agent_gets_them() {
        let found = r#"{"content":[{"type":"text","text":"{\"results\":[{\"path\":\"a.md\",\"startLine\":2,\"endLine\":3,\"score\":0.5}],\"pipeline\":\"Memlens\",\"notices\":[\"n\"]}"}]}"#;
        // What is no answer is passed over.
        let script = begun()
            + "echo '{\"jsonrpc\":\"2.0\",\"method\":\"x\"}'\n"
            + &answer(3, &found.replace('\\', "\\\\"));
        let test = tried(&format!("{script}read line"));
        assert_eq!(test.error, None, "{test:?}");
        assert_eq!(test.tools, ["memory_search"]);
        let row = ToolServerResult {
            path: "a.md".to_owned(),
            start_line: 2,
            end_line: 3,
            score: Some(0.5),
        };
        assert_eq!(
            (test.results, test.pipeline.as_str()),
            (vec![row], "Memlens")
        );
        assert_eq!(test.notices, ["n"]);
        assert!(test.start_ms.is_some() && test.search_ms.is_some());
    }

    #[test]
    fn each_failure_is_named() {
        let refused = answer(
            3,
            r#"{"isError":true,"content":[{"text":"no watched folder"}]}"#,
        );
        for (script, expected) in [
            (
                "echo \"$GREETING $PWD\" >&2; exit 3".to_owned(),
                "it ended before it answered initialize (exit status: 3); it printed: koi /",
            ),
            (
                "echo hello; read line".to_owned(),
                "it printed something that is no message of MCP",
            ),
            (
                "read line; echo '{\"id\":1,\"error\":{\"message\":\"too old\"}}'; read line"
                    .to_owned(),
                "it refused initialize: too old",
            ),
            (begun() + &refused, "no watched folder"),
            (begun() + "exit 0", "it ended before it answered tools/call"),
            // It neither answers nor ends by itself.
            (
                "trap '' TERM; while :; do sleep 0.1; done".to_owned(),
                "it did not answer initialize within 1 s",
            ),
        ] {
            let test = tried(&script);
            assert_eq!(test.error.as_deref(), Some(expected), "{script}");
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let entered = Entered {
            launch: Launch {
                command: "/no/memlens".to_owned(),
                args: Vec::new(),
            },
            environment: Vec::new(),
            folder: None,
        };
        let test = super::tried(&entered, "", ANSWER_TIME);
        let error = test.error.expect("it cannot be started");
        assert!(error.starts_with("cannot start /no/memlens: "), "{error}");
    }
}
