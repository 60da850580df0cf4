//! A local server that scores texts as a reranking provider does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

/// A request that a server received.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderRequest {
    /// Path of the URL, with the query.
    pub path: String,
    /// The header `Authorization`; `None` if it was not sent.
    pub authorization: Option<String>,
    /// Body of the request, parsed as JSON.
    pub body: Value,
}

impl ProviderRequest {
    /// The texts that were sent.
    pub fn texts(&self) -> Vec<&str> {
        let texts = [&self.body["documents"], &self.body["texts"]];
        let texts = texts.into_iter().find_map(Value::as_array);
        texts
            .into_iter()
            .flatten()
            .map(|text| text.as_str().expect("texts are sent"))
            .collect()
    }
}

/// A server that answers until the test ends.
pub struct Provider {
    address: String,
    requests: Receiver<ProviderRequest>,
}

impl Provider {
    /// Starts a server that scores each text by the share of the question's words it holds, 0 to 1.
    pub fn start() -> Provider {
        Provider::answering(|request| {
            let query = request.body["query"].as_str().unwrap_or_default();
            let scores = request.texts().into_iter().map(|text| share(query, text));
            let results: Vec<Value> = scores
                .enumerate()
                .map(|(index, score)| json!({"index": index, "relevance_score": score}))
                .collect();
            // The best result comes last, since nothing may depend on the order.
            (200, json!({"results": results}).to_string())
        })
    }

    /// Starts a server that answers each request with a status and a body.
    pub fn answering(
        answer: impl Fn(&ProviderRequest) -> (u16, String) + Send + 'static,
    ) -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it listens").to_string();
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // One connection at a time, until the program closes it.
                while let Some(request) = receive(&stream) {
                    let (status, body) = answer(&request);
                    if sender.send(request).is_err() || send(&stream, status, &body).is_err() {
                        break;
                    }
                }
            }
        });
        Provider { address, requests }
    }

    /// Returns its host and port.
    pub fn host(&self) -> &str {
        &self.address
    }

    /// Returns the URL of its root.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests received since the last call.
    pub fn requests(&self) -> Vec<ProviderRequest> {
        self.requests.try_iter().collect()
    }
}

/// Returns the share of the question's words that a text holds.
fn share(query: &str, text: &str) -> f64 {
    let text = text.to_lowercase();
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let n_held = words.iter().filter(|word| text.contains(*word)).count();
    n_held as f64 / words.len().max(1) as f64
}

/// Reads a request; `None` if the connection ends.
fn receive(stream: &TcpStream) -> Option<ProviderRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut authorization, mut n_bytes) = (None, 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => authorization = Some(value.trim().to_owned()),
            "content-length" => n_bytes = value.trim().parse().ok()?,
            _ => {}
        }
    }
    let mut body = vec![0; n_bytes];
    reader.read_exact(&mut body).ok()?;
    Some(ProviderRequest {
        path,
        authorization,
        body: serde_json::from_slice(&body).ok()?,
    })
}

fn send(mut stream: &TcpStream, status: u16, body: &str) -> std::io::Result<()> {
    let n_bytes = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\nContent-Length: {n_bytes}\r\n\r\n{body}"
    )
}
