//! Measures the overhead of a call over HTTP, without the server's own time.
//!
//! Run by `cargo xtask bench`, or alone by `cargo bench --profile dev -p memlens-rerank --bench http`. Prints one
//! series per line as JSON. The server is a thread of this process. Its own time is between the request's last byte
//! and the answer's first, so the writing, sending and reading of both count as overhead.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use memlens_rerank::http::{Http, Kind, Provider};
use memlens_rerank::{CancellationToken, Limits, Reranker};
use serde_json::json;

/// The default number of texts, and their default maximum length.
const N_TEXTS: usize = 20;
const TEXT_CHARS: usize = 500;
/// A small model's computing time.
const OWN_TIME: Duration = Duration::from_millis(20);
const N_CALLS: usize = 200;
const QUERY: &str = "When are the relay's quiet hours, and who may wake the house?";

fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    let (sender, own_times) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            thread::spawn(move || serve(stream, &sender));
        }
    });
    let provider = Provider {
        model: Some("some-model".to_owned()),
        ..Provider::new(Kind::Vllm, format!("http://{address}"))
    };
    let mut first = Vec::new();
    let mut http = None;
    for _ in 0..10 {
        let started = Instant::now();
        let mut fresh = Http::new(provider.clone(), None).expect("the address can be used");
        score(&mut fresh);
        first.push(beside(started, &own_times));
        http = Some(fresh);
    }
    let mut http = http.expect("there were some");
    let kept: Vec<f64> = (0..N_CALLS)
        .map(|_| {
            let started = Instant::now();
            score(&mut http);
            beside(started, &own_times)
        })
        .collect();
    let note = format!("{N_TEXTS} texts of {TEXT_CHARS} characters, this machine, unencrypted");
    print("HTTP rerank beside the server's own time", &note, &kept);
    let note = format!("{note}; prepared and connected again");
    print(
        "HTTP rerank, first call, beside the server's own time",
        &note,
        &first,
    );
}

fn score(http: &mut Http) {
    let text = "x".repeat(TEXT_CHARS);
    let limits = Limits {
        deadline: Instant::now() + Duration::from_secs(10),
        cancel: CancellationToken::new(),
    };
    let scores = http.score(QUERY, &[text.as_str(); N_TEXTS], &limits);
    assert_eq!(scores.expect("the server answers").scores.len(), N_TEXTS);
}

/// Returns the milliseconds since `started` minus the server's own time.
fn beside(started: Instant, own_times: &mpsc::Receiver<Duration>) -> f64 {
    let whole = started.elapsed();
    let own = own_times.recv().expect("the server reported its time");
    (whole - own).as_secs_f64() * 1000.0
}

fn print(name: &str, note: &str, samples: &[f64]) {
    println!(
        "{}",
        json!({ "name": name, "unit": "ms", "note": note, "samples": samples })
    );
}

/// Answers every request of a connection, and reports its own time for each.
fn serve(mut stream: TcpStream, own_times: &mpsc::Sender<Duration>) {
    let rows: Vec<_> = (0..N_TEXTS)
        .map(|index| json!({ "index": index, "relevance_score": 0.5 }))
        .collect();
    let answer = json!({ "results": rows }).to_string();
    let mut reader = BufReader::new(stream.try_clone().expect("a socket can be shared"));
    while read(&mut reader).is_some() {
        let started = Instant::now();
        thread::sleep(OWN_TIME);
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
            answer.len()
        );
        let own = started.elapsed();
        stream
            .write_all((head + &answer).as_bytes())
            .expect("the client waits");
        own_times.send(own).expect("the client waits for it");
    }
}

/// Reads one request; `None` if the client has closed the connection.
fn read(reader: &mut impl BufRead) -> Option<()> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
        if line == "\r\n" {
            break;
        }
        let line = line.to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("it is a number");
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()
}
