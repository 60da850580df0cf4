//! The exact requests of each kind.

use std::fmt::Write;

use memlens_rerank::Reranker;
use memlens_rerank::http::Kind;

use crate::server::{Reply, Request, Server};
use crate::{KEY, PATIENT, http, limits};

/// Returns the only request of a call, without the parts that vary between runs.
fn sent(kind: Kind) -> String {
    let rows = r#"[{"index":0,"score":0.5},{"index":1,"score":0.25}]"#;
    let server = Server::always(Reply::Json(200, rows.to_owned()));
    http(kind, &server.url())
        .score("who?", &["first", "sec\"ond ü"], &limits(PATIENT))
        .expect("it answers");
    let [request] = <[Request; 1]>::try_from(server.requests()).expect("there is one");
    let mut text = format!("{} {}\n", request.method, request.path);
    for (name, value) in request.headers {
        let value = value
            .replace(KEY, "(the key)")
            .replace(&server.host(), "(the host)")
            .replace(env!("CARGO_PKG_VERSION"), "(the version)");
        writeln!(text, "{name}: {value}").expect("it is memory");
    }
    text + "\n" + &request.body
}

#[test]
fn cohere() {
    insta::assert_snapshot!(sent(Kind::Cohere), @r#"
    POST /v2/rerank
    content-type: application/json
    authorization: Bearer (the key)
    accept: */*
    user-agent: memlens/(the version)
    host: (the host)
    content-length: 109

    {"model":"some-model","query":"who?","documents":["first","sec\"ond ü"],"top_n":2,"max_tokens_per_doc":4096}
    "#);
}

#[test]
fn voyage() {
    insta::assert_snapshot!(sent(Kind::Voyage), @r#"
    POST /v1/rerank
    content-type: application/json
    authorization: Bearer (the key)
    accept: */*
    user-agent: memlens/(the version)
    host: (the host)
    content-length: 101

    {"model":"some-model","query":"who?","documents":["first","sec\"ond ü"],"top_k":2,"truncation":true}
    "#);
}

#[test]
fn jina() {
    insta::assert_snapshot!(sent(Kind::Jina), @r#"
    POST /v1/rerank
    content-type: application/json
    authorization: Bearer (the key)
    accept: */*
    user-agent: memlens/(the version)
    host: (the host)
    content-length: 108

    {"model":"some-model","query":"who?","documents":["first","sec\"ond ü"],"top_n":2,"return_documents":false}
    "#);
}

#[test]
fn tei() {
    insta::assert_snapshot!(sent(Kind::Tei), @r#"
    POST /rerank
    content-type: application/json
    authorization: Bearer (the key)
    accept: */*
    user-agent: memlens/(the version)
    host: (the host)
    content-length: 83

    {"query":"who?","texts":["first","sec\"ond ü"],"truncate":true,"raw_scores":false}
    "#);
}

#[test]
fn llamacpp() {
    insta::assert_snapshot!(sent(Kind::LlamaCpp), @r#"
    POST /v1/rerank
    content-type: application/json
    authorization: Bearer (the key)
    accept: */*
    user-agent: memlens/(the version)
    host: (the host)
    content-length: 83

    {"model":"some-model","query":"who?","documents":["first","sec\"ond ü"],"top_n":2}
    "#);
}

#[test]
fn vllm() {
    insta::assert_snapshot!(sent(Kind::Vllm), @r#"
    POST /v1/rerank
    content-type: application/json
    authorization: Bearer (the key)
    accept: */*
    user-agent: memlens/(the version)
    host: (the host)
    content-length: 83

    {"model":"some-model","query":"who?","documents":["first","sec\"ond ü"],"top_n":2}
    "#);
}

#[test]
fn infinity() {
    insta::assert_snapshot!(sent(Kind::Infinity), @r#"
    POST /rerank
    content-type: application/json
    authorization: Bearer (the key)
    accept: */*
    user-agent: memlens/(the version)
    host: (the host)
    content-length: 102

    {"model":"some-model","query":"who?","documents":["first","sec\"ond ü"],"top_n":2,"raw_scores":false}
    "#);
}

#[test]
fn custom() {
    insta::assert_snapshot!(sent(Kind::Custom), @r#"
    POST /
    content-type: application/json
    authorization: Bearer (the key)
    accept: */*
    user-agent: memlens/(the version)
    host: (the host)
    content-length: 83

    {"model":"some-model","query":"who?","documents":["first","sec\"ond ü"],"top_n":2}
    "#);
}
