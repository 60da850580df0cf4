//! A server of `memlens serve --http`, and a client of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus};

use serde_json::{Value, json};

use crate::memlens::Memlens;
use crate::stdio_client::tool_answer;

pub const JSON: (&str, &str) = ("Content-Type", "application/json");
pub const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");

/// A running server; it is killed on drop.
pub struct Server {
    pub child: Child,
    /// Address with port.
    pub address: String,
    pub token: String,
}

/// What the server answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Server {
    pub fn start(memlens: &Memlens, arguments: &[&str]) -> Server {
        let arguments = [&["serve", "--http", "127.0.0.1:0"], arguments].concat();
        let mut child = memlens
            .command(&arguments)
            .stderr(std::process::Stdio::inherit())
            .spawn()
            .expect("it can be started");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("it is piped"))
            .read_line(&mut line)
            .expect("it prints its address");
        let address = line
            .trim()
            .strip_prefix("serving MCP at http://")
            .and_then(|rest| rest.strip_suffix("/mcp"))
            .unwrap_or_else(|| panic!("no address: {line:?}"));
        Server {
            child,
            address: address.to_owned(),
            token: memlens.print(&["serve", "token"]).trim().to_owned(),
        }
    }

    pub fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).expect("the server listens")
    }

    /// Sends a request with these headers alone.
    pub fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = self.connect();
        let mut head = format!("{line} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream
            .write_all(format!("{head}\r\n").as_bytes())
            .expect("the server reads");
        // A refused request is answered before it is read to its end.
        let _ = stream.write_all(body.as_bytes());
        answer(stream)
    }

    pub fn post(&self, body: &str) -> Answer {
        self.post_at("/mcp", body)
    }

    pub fn post_at(&self, path: &str, body: &str) -> Answer {
        self.post_as(&self.token, &[], path, body)
    }

    /// Sends a request with this token, and further headers.
    pub fn post_as(&self, token: &str, more: &[(&str, &str)], path: &str, body: &str) -> Answer {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Host", self.address.as_str()),
            ("Authorization", &bearer),
            JSON,
            ACCEPT,
        ];
        self.send(&format!("POST {path}"), &[&headers, more].concat(), body)
    }

    /// Calls a tool. Returns its answer, or the text of its failure.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        self.call_as(&self.token, &[], tool, arguments)
    }

    /// Calls a tool with this token, and further headers.
    pub fn call_as(
        &self,
        token: &str,
        more: &[(&str, &str)],
        tool: &str,
        arguments: Value,
    ) -> Result<Value, String> {
        let answer = self.post_as(token, more, "/mcp", &request(tool, arguments));
        tool_answer(&answer.json())
    }

    pub fn finds(&self, query: &str) -> Value {
        let found = self.call("memory_search", json!({"query": query}));
        found.expect("it is searched")["results"].clone()
    }

    /// Sends a signal and waits for the end.
    pub fn end(mut self, signal: &str) -> ExitStatus {
        send_signal(&self.child, signal);
        self.child.wait().expect("it ends")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn send_signal(child: &Child, signal: &str) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .expect("it can be sent");
    assert!(sent.success(), "it runs");
}

/// Reads an answer to the end of the connection.
pub fn answer(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A connection may be reset after an answer to a request that was not read to its end.
    let _ = stream.read_to_end(&mut bytes);
    let said = String::from_utf8(bytes).expect("answers are text");
    let (head, body) = said.split_once("\r\n\r\n").unwrap_or((&said, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    Answer {
        status: status.unwrap_or_else(|| panic!("no answer: {said:?}")),
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    }
}

/// The message by which a client introduces itself.
pub fn introduction(name: &str) -> String {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}})
    .to_string()
}

pub fn request(tool: &str, arguments: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        .to_string()
}
