//! A server of each kind: what it accepts and refuses, and its format of scores. Each can be read in any order.

use memlens_rerank::http::{Http, Kind, Provider};
use memlens_rerank::keys::Key;
use memlens_rerank::{Reranker, RerankerInfo, Scale};
use serde_json::{Value, json};

use crate::server::{Reply, Request, Server};
use crate::{KEY, PATIENT, QUERY, TEXTS, http, limits, log, score};

/// Starts a server of that kind. The score of a text is its [`score_of`].
fn serve(kind: Kind) -> Server {
    Server::start(move |request, _| match answer(kind, request) {
        Ok(body) => Reply::Json(200, body.to_string()),
        Err((status, why)) => Reply::Json(status, json!({ "message": why }).to_string()),
    })
}

/// Returns a score that depends on the length of a text, on that kind's scale: a share, or from -11 to 6.
fn score_of(kind: Kind, text: &str) -> f64 {
    let share = (text.len() % 100) as f64 / 100.0;
    if kind == Kind::LlamaCpp {
        share * 17.0 - 11.0
    } else {
        share
    }
}

/// Answers as that kind does, best first, if the request is valid.
fn answer(kind: Kind, request: &Request) -> Result<Value, (u16, &'static str)> {
    let (path, texts, required) = match kind {
        Kind::Cohere => ("/v2/rerank", "documents", ["model", "query"].as_slice()),
        Kind::Voyage | Kind::Jina => ("/v1/rerank", "documents", ["model", "query"].as_slice()),
        Kind::LlamaCpp | Kind::Vllm => ("/v1/rerank", "documents", ["query"].as_slice()),
        Kind::Tei => ("/rerank", "texts", ["query"].as_slice()),
        Kind::Infinity => ("/rerank", "documents", ["query"].as_slice()),
        Kind::Custom => ("/score/me", "documents", ["query"].as_slice()),
    };
    if request.method != "POST" || request.path != path {
        return Err((404, "not found"));
    }
    let is_known = request.header("authorization") == Some(&format!("Bearer {KEY}"));
    if kind.needs_key() && !is_known {
        return Err((401, "no key"));
    }
    let body = request.json();
    if required.iter().any(|field| !body[field].is_string()) {
        return Err((422, "a field is missing"));
    }
    let Some(texts) = body[texts].as_array() else {
        return Err((422, "the texts are missing"));
    };
    if kind.max_texts().is_some_and(|max| texts.len() > max) {
        return Err((413, "too many"));
    }
    let name = if kind == Kind::Tei {
        "score"
    } else {
        "relevance_score"
    };
    let mut rows: Vec<Value> = texts
        .iter()
        .map(|text| text.as_str().expect("texts are strings"))
        .enumerate()
        .map(|(index, text)| json!({ "index": index, name: score_of(kind, text) }))
        .collect();
    let number = |row: &Value| row[name].as_f64().expect("it is a number");
    rows.sort_by(|a, b| f64::total_cmp(&number(b), &number(a)));
    Ok(match kind {
        Kind::Cohere => json!({
            "id": "1", "results": rows, "meta": { "billed_units": { "search_units": 1 } },
        }),
        Kind::Voyage => json!({
            "object": "list", "data": rows, "model": "m", "usage": { "total_tokens": 26 },
        }),
        Kind::Jina => json!({ "model": "m", "results": rows, "usage": { "total_tokens": 26 } }),
        Kind::Tei => Value::Array(rows),
        Kind::LlamaCpp => json!({
            "model": "m", "object": "list", "results": rows,
            "usage": { "prompt_tokens": 26, "total_tokens": 26 },
        }),
        Kind::Vllm => {
            for row in &mut rows {
                row["document"] = json!({ "text": "repeated here" });
            }
            json!({ "id": "1", "model": "m", "results": rows, "usage": { "total_tokens": 26 } })
        }
        Kind::Infinity | Kind::Custom => json!({ "object": "rerank", "results": rows }),
    })
}

#[test]
fn every_kind_is_understood() {
    for kind in Kind::ALL {
        let server = serve(kind);
        let path = if kind == Kind::Custom {
            "/score/me"
        } else {
            ""
        };
        let url = server.url() + path;
        let scores = score(kind, &url, &limits(PATIENT)).expect("it takes the request");
        assert_eq!(
            scores.complete().expect("one each"),
            TEXTS.map(|text| score_of(kind, text)),
            "{kind:?}"
        );
        let (scale, n_tokens) = match kind {
            Kind::LlamaCpp => (Scale::Logit, Some(26)),
            Kind::Voyage | Kind::Jina | Kind::Vllm => (Scale::Unit, Some(26)),
            Kind::Cohere | Kind::Tei | Kind::Infinity | Kind::Custom => (Scale::Unit, None),
        };
        assert_eq!(
            (scores.scale, scores.n_tokens),
            (scale, n_tokens),
            "{kind:?}"
        );
    }
}

#[test]
fn any_known_shape_is_read_from_any_kind() {
    let rows = r#"[{"index":2,"score":6.0},{"index":0,"score":-11.0},{"index":1,"score":0.5}]"#;
    for body in [
        rows.to_owned(),
        format!(r#"{{"data":{rows}}}"#),
        format!(r#"{{"results":{rows}}}"#),
    ] {
        for kind in Kind::ALL {
            let server = Server::always(Reply::Json(200, body.clone()));
            let scores = score(kind, &server.url(), &limits(PATIENT)).expect(&body);
            assert_eq!(
                scores.complete().expect("one each"),
                [-11.0, 0.5, 6.0],
                "neither clamped nor moved"
            );
            assert_eq!(scores.scale, Scale::Logit, "{kind:?} leaves the shares");
        }
    }
}

#[test]
fn a_custom_address_speaks_like_the_named_kind() {
    let server = Server::start(|request, _| {
        let n = request.json()["texts"]
            .as_array()
            .expect("tei's word")
            .len();
        let rows: Vec<Value> = (0..n)
            .map(|index| json!({ "index": index, "score": 0.5 }))
            .collect();
        Reply::Json(200, Value::Array(rows).to_string())
    });
    let provider = Provider {
        shape: Some(Kind::Tei),
        ..Provider::new(Kind::Custom, server.url() + "/anywhere/at-all")
    };
    let mut http = Http::new(provider, None).expect("no key is needed");
    let texts = ["a text"; 40];
    let scores = http
        .score(QUERY, &texts, &limits(PATIENT))
        .expect("it answers");
    assert_eq!(scores.scores, [Some(0.5); 40]);
    let sizes = server
        .requests()
        .into_iter()
        .map(|request| request.json()["texts"].as_array().map(Vec::len));
    assert_eq!(
        sizes.collect::<Vec<_>>(),
        [Some(32), Some(8)],
        "it has tei's limit too"
    );
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.path == "/anywhere/at-all")
    );
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.header("authorization").is_none())
    );
}

#[test]
fn more_texts_than_one_request_may_hold_are_asked_in_parts() {
    log::listen();
    for (n_texts, sizes) in [(32, vec![32]), (33, vec![32, 1]), (70, vec![32, 32, 6])] {
        let server = serve(Kind::Tei);
        let texts: Vec<String> = (0..n_texts).map(|n| "x".repeat(n)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let scores = http(Kind::Tei, &server.url()).score(QUERY, &texts, &limits(PATIENT));
        let expected: Vec<f64> = texts.iter().map(|text| score_of(Kind::Tei, text)).collect();
        assert_eq!(
            scores.expect("it answers").complete().expect("one each"),
            expected,
            "in the order of the texts"
        );
        let asked = server.requests().into_iter();
        let asked = asked.map(|request| {
            request.json()["texts"]
                .as_array()
                .expect("tei's word")
                .len()
        });
        assert_eq!(asked.collect::<Vec<_>>(), sizes);
    }
}

#[test]
fn a_part_that_fails_fails_the_whole() {
    let rows: Vec<Value> = (0..32)
        .map(|index| json!({ "index": index, "score": 0.5 }))
        .collect();
    let server = Server::start(move |_, number| match number {
        0 => Reply::Json(200, Value::Array(rows.clone()).to_string()),
        _ => Reply::Json(424, "{}".to_owned()),
    });
    let failed = http(Kind::Tei, &server.url()).score(QUERY, &["a text"; 64], &limits(PATIENT));
    assert!(failed.is_err());
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn no_texts_are_no_call() {
    let server = serve(Kind::Cohere);
    let scores = http(Kind::Cohere, &server.url()).score(QUERY, &[], &limits(PATIENT));
    assert_eq!(scores.expect("nothing can fail").scores, []);
    assert!(server.requests().is_empty());
}

#[test]
fn a_different_scorer_has_a_different_name() {
    let info = |kind: Kind, url: &str, model: Option<&str>| {
        let provider = Provider {
            model: model.map(str::to_owned),
            ..Provider::new(kind, url)
        };
        let key = Key::new(KEY).expect("it is a key");
        let http = Http::new(provider, Some(key)).expect("the address can be used");
        let RerankerInfo { provider, model } = http.info().clone();
        format!("{provider}: {model}")
    };
    let here = "http://127.0.0.1:8080";
    for (kind, url, model, expected) in [
        (
            Kind::Cohere,
            "https://api.cohere.com/",
            None,
            "cohere: rerank-v3.5",
        ),
        (
            Kind::Cohere,
            "https://api.cohere.com/v2/rerank",
            Some("m"),
            "cohere: m",
        ),
        (
            Kind::Cohere,
            "https://a.example",
            Some("m"),
            "cohere: m at https://a.example/v2/rerank",
        ),
        (Kind::Tei, here, None, "tei: http://127.0.0.1:8080/rerank"),
        (
            Kind::Vllm,
            here,
            Some("m"),
            "vllm: m at http://127.0.0.1:8080/v1/rerank",
        ),
        (
            Kind::Custom,
            here,
            None,
            "custom: http://127.0.0.1:8080/ as vllm",
        ),
    ] {
        assert_eq!(info(kind, url, model), expected);
    }
}
