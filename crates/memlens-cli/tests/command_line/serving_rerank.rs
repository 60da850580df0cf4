//! The rerank endpoint of `memlens serve --http`: the ranking's reranker for other programs, in the forms of three services.

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::http_server::{Answer, JSON, Server};
use crate::memlens::{Memlens, list};
use crate::stdio_client::notes;

const QUESTION: &str = "where does the router stand";

#[test]
fn the_reranker_of_the_ranking_scores_texts_of_other_programs() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &["--set", "rerank=late"]);
    let documents = [
        "Oolong tea is drunk in the evening.",
        "The router stands in the hall.",
        "The lamp is broken.",
    ];
    for path in ["/v1/rerank", "/v2/rerank"] {
        let body = json!({"model": "any", "query": QUESTION, "documents": documents, "top_n": 2});
        let answer = server.post_at(path, &body.to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        let found = answer.json();
        assert_eq!(list(&found["results"]).len(), 2, "{found}");
        assert_eq!(found["results"][0]["index"], 1, "{found}");
        let scores: Vec<f64> = list(&found["results"])
            .iter()
            .filter_map(|row| row["relevance_score"].as_f64())
            .collect();
        assert!(
            scores.len() == 2
                && scores[0] > scores[1]
                && scores.iter().all(|score| (0.0..=1.0).contains(score)),
            "{scores:?}"
        );
    }
    let body = json!({"query": QUESTION, "texts": documents}).to_string();
    let found = server.post_at("/rerank", &body).json();
    assert_eq!(list(&found).len(), 3, "{found}");
    assert_eq!(found[0]["index"], 1, "{found}");
    assert!(found[0]["score"].is_f64(), "{found}");
}

#[test]
fn requests_to_the_reranker_are_refused_in_the_form_of_the_service() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &[]);
    let body = json!({"query": QUESTION, "documents": ["a"], "texts": ["a"]}).to_string();
    let bearer = format!("Bearer {}", server.token);
    let own = ("Host", server.address.as_str());
    // Cohere's error has `message` and Jina's `detail`.
    for (path, keys) in [
        ("/v1/rerank", ["message", "detail"]),
        ("/rerank", ["error", "error_type"]),
    ] {
        let refused = |answer: Answer, status: u16, why: &str| {
            assert_eq!(answer.status, status, "{path}: {answer:?}");
            let said = answer.json();
            let said = said.as_object().expect("an error is an object");
            assert_eq!(said.len(), keys.len(), "{path}: {answer:?}");
            for key in keys {
                let kind = if status == 501 {
                    "Backend"
                } else {
                    "Validation"
                };
                let expected = if key == "error_type" { kind } else { why };
                let said = said[key].as_str().unwrap_or_default();
                assert!(said.contains(expected), "{path} {key}: {answer:?}");
            }
        };
        let line = format!("POST {path}");
        refused(
            server.send(&line, &[own, JSON], &body),
            401,
            "memlens serve token",
        );
        let get = server.send(
            &format!("GET {path}"),
            &[own, ("Authorization", &bearer)],
            "",
        );
        refused(get, 405, "by POST");
        refused(
            server.post_at(path, &body),
            501,
            "the ranking has no reranker",
        );
        let wrong = if path == "/rerank" { 422 } else { 400 };
        refused(
            server.post_at(path, "{nonsense"),
            wrong,
            "cannot use the request",
        );
        let long = format!("{{\"query\": \"{}\"}}", "a".repeat(9 << 20));
        refused(server.post_at(path, &long), 413, "more than 8388608 bytes");
        let many = vec!["a"; 1_001];
        let many = json!({"query": QUESTION, "documents": many, "texts": many}).to_string();
        refused(server.post_at(path, &many), 413, "1001 documents");
    }
    let off = Server::start(&memlens, &["--set", "rerank=http"]);
    let unset = off.post_at("/v1/rerank", &body);
    assert_eq!(unset.status, 501, "{unset:?}");
    assert!(unset.body.contains("no provider is set"), "{unset:?}");
}

#[test]
fn a_reranker_that_does_not_answer_in_time_is_an_error_of_the_service() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    // It takes connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = silent.local_addr().expect("it has one");
    let url = format!("http://{address}");
    let set = [
        "rerank-provider",
        "set",
        "--kind",
        "tei",
        "--url",
        &url,
        "--timeout-ms",
        "200",
    ];
    let run = memlens.run(&set);
    assert_eq!(run.status, 0, "{run:?}");
    let server = Server::start(&memlens, &["--set", "rerank=http"]);
    let body = json!({"query": QUESTION, "documents": ["a"], "texts": ["a"]}).to_string();
    for (path, status, key) in [("/v1/rerank", 504, "message"), ("/rerank", 424, "error")] {
        let late = server.post_at(path, &body);
        assert_eq!(late.status, status, "{late:?}");
        let said = late.json()[key].as_str().unwrap_or_default().to_owned();
        assert!(said.contains("time"), "{late:?}");
    }
    // A client that gives up does not keep the reranker.
    let stream = server.connect();
    let head = format!(
        "POST /rerank HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{body}",
        server.address,
        server.token,
        body.len()
    );
    (&stream)
        .write_all(head.as_bytes())
        .expect("the server reads");
    stream.shutdown(Shutdown::Both).expect("it is open");
    assert_eq!(server.post_at("/rerank", &body).status, 424);
}

#[test]
fn the_path_of_all_forms_answers_in_the_form_of_the_request() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &["--set", "rerank=late"]);
    let post = |body: &serde_json::Value| server.post_at("/rerank", &body.to_string());
    let documents = ["Oolong tea is drunk.", "The router stands in the hall."];
    let found = post(&json!({"query": QUESTION, "documents": documents, "top_n": 1})).json();
    assert_eq!(list(&found["results"]).len(), 1, "{found}");
    assert_eq!(found["results"][0]["index"], 1, "{found}");
    assert!(found["results"][0]["relevance_score"].is_f64(), "{found}");
    let found = post(&json!({"query": QUESTION, "texts": documents})).json();
    assert!(found[0]["score"].is_f64(), "{found}");
    for (body, status, key) in [
        (
            json!({"query": " ", "documents": documents}),
            400,
            "message",
        ),
        (json!({"query": QUESTION, "documents": []}), 400, "message"),
        (
            json!({"query": QUESTION, "documents": vec!["a"; 1_001]}),
            413,
            "message",
        ),
        (json!({"query": " ", "texts": documents}), 422, "error"),
        (json!({"query": QUESTION}), 422, "error"),
    ] {
        let refused = post(&body);
        assert_eq!(refused.status, status, "{refused:?}");
        assert!(refused.json()[key].is_string(), "{refused:?}");
    }
}

#[test]
fn the_reranker_is_described_to_clients_with_the_token_in_either_form() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &["--set", "rerank=late"]);
    let own = ("Host", server.address.as_str());
    let bearer = format!("Bearer {}", server.token);
    let basic = |plain: &str| format!("Basic {}", STANDARD.encode(plain));
    let named = basic(&format!("x:{}", server.token));
    for header in [&bearer, &named] {
        let answer = server.send("GET /info", &[own, ("Authorization", header)], "");
        assert_eq!(answer.status, 200, "{answer:?}");
        let info = answer.json();
        let scored = json!({"query": QUESTION, "documents": ["a"]}).to_string();
        let scored = server.post_at("/v1/rerank", &scored).json();
        assert_eq!(info["model_id"], scored["model"], "{info}");
        assert!(info["model_type"]["reranker"].is_object(), "{info}");
        assert_eq!(info["max_client_batch_size"], 1_000, "{info}");
    }
    let body = json!({"query": QUESTION, "texts": ["a"]}).to_string();
    let texts = server.send(
        "POST /rerank",
        &[own, ("Authorization", &named), JSON],
        &body,
    );
    assert_eq!(texts.status, 200, "{texts:?}");
    let wrong = basic("x:y");
    for (line, headers, status) in [
        ("GET /info", &[own][..], 401),
        ("GET /info", &[own, ("Authorization", &wrong)], 401),
        ("POST /info", &[own, ("Authorization", &bearer), JSON], 405),
    ] {
        let refused = server.send(line, headers, "");
        assert_eq!(refused.status, status, "{refused:?}");
        assert_eq!(refused.json()["error_type"], "Validation", "{refused:?}");
    }
    drop(server);
    let server = Server::start(&memlens, &[]);
    let bearer = format!("Bearer {}", server.token);
    let headers = [
        ("Host", server.address.as_str()),
        ("Authorization", &bearer),
    ];
    let refused = server.send("GET /info", &headers, "");
    assert_eq!(refused.status, 501, "{refused:?}");
    assert!(
        refused.body.contains("the ranking has no reranker"),
        "{refused:?}"
    );
}

#[test]
fn of_a_long_text_only_the_beginning_is_scored() {
    const CHARS_MAX: usize = 16_384;
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &["--set", "rerank=late"]);
    let start: String = "ä lamp ".chars().cycle().take(CHARS_MAX).collect();
    let found = "The router stands in the hall. ".repeat(4_000);
    let documents = [start.clone(), start.clone() + &found, found + &start];
    let body = json!({"query": QUESTION, "documents": documents, "return_documents": true});
    let found = server.post_at("/v1/rerank", &body.to_string());
    assert_eq!(found.status, 200, "{}", found.head);
    let found = found.json();
    let score = |idx: usize| {
        let mut rows = list(&found["results"]).iter();
        rows.find(|row| row["index"] == idx).expect("it is scored")["relevance_score"].clone()
    };
    assert_eq!(score(0), score(1));
    assert_eq!(found["results"][0]["index"], 2);
    // The texts come back as they were sent.
    assert_eq!(found["results"][0]["document"]["text"], documents[2]);
}

#[test]
fn the_address_of_the_reranker_is_printed_if_there_is_one() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    for (set, is_printed) in [("rerank=late", true), ("rerank=off", false)] {
        let mut child = memlens
            .command(&["serve", "--http", "127.0.0.1:0", "--set", set])
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("it can be started");
        let lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let mut lines = lines.map(|line| line.expect("it is text"));
        // The last notice is that of the token.
        let mut printed = Vec::new();
        while printed
            .last()
            .is_none_or(|line: &String| !line.contains("serve token"))
        {
            printed.push(lines.next().expect("it prints what clients need"));
        }
        let is_address = |line: &String| {
            line.starts_with("memlens: other programs can rerank by POST http://127.0.0.1:")
                && line.ends_with("/v1/rerank")
        };
        assert_eq!(printed.iter().any(is_address), is_printed, "{printed:?}");
        child.kill().expect("it runs");
        child.wait().expect("it ends");
    }
}
