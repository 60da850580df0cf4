//! A client of `memlens serve --mcp`, as an agent is one.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::Memlens;

pub const QUESTION: &str = "where does the router stand";

/// A client that starts the server as an agent does.
pub struct Client {
    pub child: Child,
    pub to: Option<ChildStdin>,
    pub from: BufReader<ChildStdout>,
}

impl Client {
    pub fn start(memlens: &Memlens, arguments: &[&str]) -> Client {
        Client::of(memlens.command(&[&["serve", "--mcp"], arguments].concat()))
    }

    pub fn of(mut command: Command) -> Client {
        command.stderr(Stdio::inherit());
        Client::of_logged(command)
    }

    /// A client of a server whose standard error is where the command says.
    pub fn of_logged(command: Command) -> Client {
        let mut client = Client::silent(command);
        let answer = client.ask(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}));
        assert_eq!(
            answer["result"]["serverInfo"]["name"], "memlens",
            "{answer}"
        );
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        client
    }

    /// A client that has not said anything yet.
    pub fn silent(mut command: Command) -> Client {
        let mut child = command
            .stdin(Stdio::piped())
            .spawn()
            .expect("it can be started");
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("it is piped"));
        Client { child, to, from }
    }

    pub fn send(&mut self, line: &str) {
        let to = self.to.as_mut().expect("it is open");
        writeln!(to, "{line}").expect("the server reads");
    }

    pub fn read(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("the server answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    pub fn ask(&mut self, message: &Value) -> Value {
        self.send(&message.to_string());
        self.read()
    }

    /// Calls a tool. Returns its answer, or the text of its failure.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let answer = self.ask(&request(7, tool, arguments));
        assert_eq!(answer["id"], 7, "{answer}");
        tool_answer(&answer)
    }

    /// Closes the connection and waits for the end of the server.
    pub fn close(mut self) {
        drop(self.to.take());
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}

/// The answer of a tool in that of its call, or the text of its failure.
pub fn tool_answer(answer: &Value) -> Result<Value, String> {
    let result = &answer["result"];
    let said = result["content"][0]["text"].as_str();
    let said = said.unwrap_or_else(|| panic!("no text: {answer}"));
    if result["isError"] == true {
        return Err(said.to_owned());
    }
    Ok(serde_json::from_str(said).expect("an answer is JSON"))
}

pub fn request(id: u32, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

pub fn notes() -> Notes {
    Notes::new(&[
        (
            "home/router.md",
            "The router stands in the hall.\nIt is grey.\n",
        ),
        ("home/tea.md", "Oolong tea is drunk in the evening.\n"),
    ])
}
