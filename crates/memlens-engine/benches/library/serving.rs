//! A library served as tools to an agent, beside the same search in an open library. Run by `cargo xtask bench serving`.

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use memlens_engine::{Library, Part, Ranking, bundled};
use memlens_params::Params;
use serde_json::{Value, json};

use crate::notes::questions;
use crate::places;
use crate::series::{MILLISECONDS, Series};

/// How often every question is asked in both ways, one after the other.
const ROUNDS: usize = 6;
/// How often both ways answer all questions by two threads.
const RACES: usize = 9;
/// How often the server is started.
const STARTS: usize = 9;
/// Calls of one server while its memory is observed.
const CALLS: usize = 100_000;
/// Of so many calls one is a search, the others read lines of a note.
const SEARCH_EVERY: usize = 10;
/// Calls before memory is measured first; the caches of questions and notes are full then.
const CALLS_BEFORE: usize = 10_000;
/// Calls that are sent before their answers are read.
const AT_ONCE: usize = 50;
/// Results of a search that names no number, in the server.
const RESULTS: usize = 10;

/// The server as an agent starts it.
struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    /// Id of the last call: the server answers one call of several with the same id.
    last_id: u32,
}

impl Server {
    /// Starts the server and waits until it has answered the client's introduction.
    fn start(memlens: &Path, library: &Path) -> Server {
        let mut child = Command::new(memlens)
            .args(["serve", "--mcp", "--library"])
            .arg(library)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it can be started");
        let to = child.stdin.take().expect("it is piped");
        let from = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut server = Server {
            child,
            to,
            from,
            last_id: 0,
        };
        server.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}));
        server.read();
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").expect("it reads");
    }

    fn call(&mut self, tool: &str, arguments: &Value) {
        let call = json!({"name": tool, "arguments": arguments});
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}));
    }

    fn search(&mut self, question: &str) {
        self.call("memory_search", &json!({"query": question}));
    }

    /// Reads an answer. Panics if it is an error.
    fn read(&mut self) -> String {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("it answers");
        let is_answer = line.contains("\"result\"") && !line.contains("\"isError\":true");
        assert!(is_answer, "it answers without an error: {line}");
        line
    }

    fn resident(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix(" kB")?.parse().ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends by itself or by this.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The search of the tool, without a server.
fn search(library: &Library, ranking: &Ranking, question: &str) {
    let params = Params::default();
    library.aggregate_for(&params).expect("it can be compared");
    let found = library.search_as(question, ranking, Part::All);
    let found = found.expect("it can be searched");
    let columns = found.columns(&ranking.values);
    let shown = columns.order.iter().take(columns.n_kept as usize);
    let shown: Vec<u32> = shown.take(RESULTS).copied().collect();
    for slot in &shown {
        black_box(found.row_facts(*slot).expect("it is in the set"));
    }
    black_box(found.snippets(&shown).expect("texts can be read"));
}

/// Measures the server `memlens` on the library in `dir`.
pub fn measure(dir: &Path, memlens: &Path) {
    let (_, folder) = places(dir);
    let questions = questions();
    start(memlens, &folder, &questions[0]);
    let library = Library::open(&folder, bundled(Vec::new())).expect("the library is sound");
    let ranking = Ranking::native(&Params::default());
    let mut server = Server::start(memlens, &folder);
    for question in &questions {
        search(&library, &ranking, question);
        server.search(question);
        server.read();
    }
    one_by_one(&library, &ranking, &mut server, &questions);
    at_once(&library, &ranking, &mut server, &questions);
    drop((server, library));
    memory(memlens, &folder, &questions);
}

fn start(memlens: &Path, library: &Path, question: &str) {
    let mut until_tools = Series::of(
        "start of the server, until it offers its tools",
        MILLISECONDS,
        "",
    );
    let mut until_answer = Series::of(
        "start of the server, until a search is answered",
        MILLISECONDS,
        "",
    );
    for _ in 0..STARTS {
        let started = Instant::now();
        let mut server = Server::start(memlens, library);
        server.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "tools/list"}));
        server.read();
        until_tools.add_time(started.elapsed());
        server.search(question);
        server.read();
        until_answer.add_time(started.elapsed());
    }
    until_tools.print();
    until_answer.print();
}

/// Asks each question in turn without the server and with it.
fn one_by_one(library: &Library, ranking: &Ranking, server: &mut Server, questions: &[String]) {
    let mut open = Series::of("memory_search in an open library", MILLISECONDS, "");
    let mut served = Series::of(
        "memory_search over standard input and output",
        MILLISECONDS,
        "",
    );
    let (mut of_open, mut of_served) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for question in questions {
            let started = Instant::now();
            search(library, ranking, question);
            of_open.push(started.elapsed());
            let started = Instant::now();
            server.search(question);
            server.read();
            of_served.push(started.elapsed());
        }
    }
    of_open.iter().for_each(|took| open.add_time(*took));
    of_served.iter().for_each(|took| served.add_time(*took));
    open.print();
    served.print();
    let more = median(&mut of_served).as_secs_f64() - median(&mut of_open).as_secs_f64();
    Series::of(
        "memory_search, median over the server above that without",
        MILLISECONDS,
        "",
    )
    .with(more * 1e3)
    .print();
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Asks all questions by two threads without the server, and at once with it.
fn at_once(library: &Library, ranking: &Ranking, server: &mut Server, questions: &[String]) {
    let mut share = Series::of(
        "searches of the server in a time, share of those of two threads",
        "",
        "",
    );
    for _ in 0..RACES {
        let started = Instant::now();
        let halves = questions.split_at(questions.len() / 2);
        thread::scope(|scope| {
            for half in [halves.0, halves.1] {
                scope.spawn(|| half.iter().for_each(|it| search(library, ranking, it)));
            }
        });
        let open = started.elapsed();
        let started = Instant::now();
        questions
            .iter()
            .for_each(|question| server.search(question));
        questions.iter().for_each(|_| drop(server.read()));
        share.add(open.as_secs_f64() / started.elapsed().as_secs_f64());
    }
    share.print();
}

/// Observes the memory of a server over many calls.
fn memory(memlens: &Path, library: &Path, questions: &[String]) {
    let mut server = Server::start(memlens, library);
    server.search(&questions[0]);
    let answer: Value = serde_json::from_str(&server.read()).expect("it is JSON");
    let answer = answer["result"]["content"][0]["text"].as_str();
    let answer: Value = serde_json::from_str(answer.expect("it has a text")).expect("it is JSON");
    let note = json!({"path": answer["results"][0]["path"], "lines": 20});
    let (mut before, mut most) = (None, None);
    for first in (0..CALLS).step_by(AT_ONCE) {
        for call in first..first + AT_ONCE {
            if call % SEARCH_EVERY == 0 {
                server.search(&questions[call / SEARCH_EVERY % questions.len()]);
            } else {
                server.call("memory_get", &note);
            }
        }
        (0..AT_ONCE).for_each(|_| drop(server.read()));
        if first + AT_ONCE == CALLS_BEFORE {
            before = server.resident();
        }
        if first + AT_ONCE > CALLS_BEFORE {
            most = server.resident().into_iter().chain(most).reduce(f64::max);
        }
    }
    if let (Some(before), Some(most)) = (before, most) {
        let note = format!(
            "{:.0} MB after {CALLS_BEFORE} calls, at most {:.0} MB until {CALLS}; one of {SEARCH_EVERY} a search",
            before / 1e3,
            most / 1e3
        );
        Series::of(
            "memory of the server over 100,000 calls, most to first",
            "",
            &note,
        )
        .with(most / before)
        .print();
    }
}
