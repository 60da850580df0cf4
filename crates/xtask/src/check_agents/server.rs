//! A stand-in for model servers, on loopback: it records every request and answers "Done.".

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

const BODY_BYTES_MAX: usize = 64 << 20;

/// A server that runs until the process ends.
pub struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    /// Starts it on a free port.
    pub fn start() -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let kept = asked.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = kept.clone();
                // An agent that hangs up is its own business.
                thread::spawn(move || _ = serve(&stream, &kept));
            }
        });
        Ok(Server { address, asked })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The bodies of the requests since the last call.
    pub fn take(&self) -> Vec<Value> {
        std::mem::take(&mut *self.asked.lock().expect("no thread panics with it"))
    }
}

fn serve(stream: &TcpStream, asked: &Mutex<Vec<Value>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let Some((path, body)) = request(&mut reader)? else {
            return Ok(());
        };
        let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let (kind, text) = answer(&path, &body);
        if !body.is_null() {
            asked.lock().expect("no thread panics with it").push(body);
        }
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{text}",
            text.len()
        )?;
        stream.flush()?;
    }
}

/// The path and body of the next request; `None` if there is none.
fn request(reader: &mut impl BufRead) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let target = line.split_whitespace().nth(1).unwrap_or("/");
    let path = target.split('?').next().unwrap_or_default().to_owned();
    let (mut length, mut is_chunked) = (0, false);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        is_chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
    }
    let body = if is_chunked {
        chunks(reader)?
    } else {
        exactly(reader, length)?
    };
    Ok(Some((path, body)))
}

fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = line.trim().split(';').next().unwrap_or_default();
        let size = usize::from_str_radix(size, 16).map_err(io::Error::other)?;
        body.extend(exactly(reader, size)?);
        let mut end = String::new();
        reader.read_line(&mut end)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > BODY_BYTES_MAX {
        return Err(io::Error::other("the request is too large"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

/// The kind and text of the answer to a request, in the protocol that its path names.
fn answer(path: &str, body: &Value) -> (&'static str, String) {
    let is_stream = body["stream"].as_bool().unwrap_or(false);
    if path.ends_with("/count_tokens") {
        whole(&json!({"input_tokens": 10}))
    } else if path.ends_with("/messages") {
        anthropic(body, is_stream)
    } else if path.ends_with("/responses") {
        openai_responses(is_stream)
    } else if path.ends_with("/chat/completions") {
        openai_chat(body, is_stream)
    } else if path.contains("enerateContent") {
        gemini(path.contains("stream"))
    } else if path.ends_with("/models") {
        whole(&json!({"object": "list", "data": [{"id": "fake", "object": "model"}], "models": []}))
    } else {
        whole(&json!({}))
    }
}

fn usage() -> Value {
    json!({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15})
}

fn anthropic(body: &Value, is_stream: bool) -> (&'static str, String) {
    let text = json!({"type": "text", "text": "Done."});
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
        "content": [text], "stop_reason": "end_turn", "stop_sequence": null, "usage": usage(),
    });
    if !is_stream {
        return whole(&message);
    }
    let mut begun = message;
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    let empty = json!({"type": "text", "text": ""});
    let delta = json!({"type": "text_delta", "text": "Done."});
    let end = json!({"stop_reason": "end_turn", "stop_sequence": null});
    events(&[
        json!({"type": "message_start", "message": begun}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ])
}

fn openai_responses(is_stream: bool) -> (&'static str, String) {
    let usage = usage();
    let text = json!({"type": "output_text", "text": "Done.", "annotations": []});
    let item = json!({
        "type": "message", "id": "m_1", "role": "assistant", "status": "completed",
        "content": [text],
    });
    let response = |status: &str, output: Value| json!({"id": "resp_1", "object": "response", "status": status, "output": output, "usage": usage});
    let completed = response("completed", json!([item]));
    if !is_stream {
        return whole(&completed);
    }
    events(&[
        json!({"type": "response.created", "response": response("in_progress", json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": completed}),
    ])
}

fn openai_chat(body: &Value, is_stream: bool) -> (&'static str, String) {
    let chat_usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    let message = json!({"role": "assistant", "content": "Done."});
    if !is_stream {
        let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
        return whole(&json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1,
            "model": body["model"], "choices": [choice], "usage": chat_usage,
        }));
    }
    let chunk = |choices: Value| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
            "model": body["model"], "choices": choices, "usage": chat_usage,
        })
    };
    let (kind, mut text) = events(&[
        chunk(json!([{"index": 0, "delta": message, "finish_reason": null}])),
        chunk(json!([{"index": 0, "delta": {}, "finish_reason": "stop"}])),
    ]);
    text.push_str("data: [DONE]\n\n");
    (kind, text)
}

fn gemini(is_stream: bool) -> (&'static str, String) {
    let content = json!({"role": "model", "parts": [{"text": "Done."}]});
    let response = json!({
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15,
        },
    });
    if is_stream {
        events(&[response])
    } else {
        whole(&response)
    }
}

fn whole(value: &Value) -> (&'static str, String) {
    ("application/json", value.to_string())
}

fn events(events: &[Value]) -> (&'static str, String) {
    let text = events.iter().map(|event| match event["type"].as_str() {
        Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    });
    ("text/event-stream", text.collect())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::Server;

    fn ask(server: &Server, request: &str) -> String {
        let mut stream = TcpStream::connect(server.address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        let end = std::net::Shutdown::Write;
        stream.shutdown(end).expect("it can be shut");
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    #[test]
    fn every_protocol_is_answered_and_the_request_is_kept() {
        let server = Server::start().expect("a free port");
        for (path, expected) in [
            ("/v1/messages", "message_stop"),
            ("/v1/responses", "response.completed"),
            ("/v1/chat/completions", "[DONE]"),
            (
                "/v1beta/models/x:streamGenerateContent?alt=sse",
                "finishReason",
            ),
        ] {
            let body = format!("{{\"stream\":true,\"model\":\"{path}\"}}");
            let request = format!(
                "POST {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let answer = ask(&server, &request);
            assert!(answer.contains(expected), "{path}: {answer}");
            assert_eq!(server.take()[0]["model"], path);
        }
        let chunked = "POST /v1/responses HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n";
        assert!(ask(&server, chunked).contains("Done."));
        assert_eq!(server.take()[0]["a"], 1);
        assert!(ask(&server, "GET /v1/models HTTP/1.1\r\n\r\n").contains("fake"));
        assert!(server.take().is_empty());
    }
}
