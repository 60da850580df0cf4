//! The rerank endpoint of `memlens serve --http`: the ranking's reranker for other programs, in the forms of three services.

use std::io::Write;
use std::net::Shutdown;

use serde_json::json;

use crate::http_server::{Answer, JSON, Server};
use crate::memlens::{Memlens, list};
use crate::serving::notes;

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
