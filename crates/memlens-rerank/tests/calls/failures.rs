//! Every kind of server failure: there are no scores, the message says why, and neither it nor the log contains a
//! secret.

use std::net::TcpListener;
use std::thread;
use std::time::{Duration, SystemTime};

use memlens_rerank::http::{Http, Kind};
use memlens_rerank::{RerankError, Reranker};
use serde_json::json;

use crate::server::{Reply, Request, Server, resetting};
use crate::{
    GUARD, KEY, PATIENT, QUERY, TEXTS, assert_tells_nothing, child, http, limits, log, provider,
    score,
};

/// Ends a call that would not end by itself.
const SHORT: Duration = Duration::from_millis(400);

/// Returns an error body that repeats everything that was sent, including as the word that is searched.
fn echo(request: &Request) -> String {
    json!({ "message": format!("{request:?}"), "type": "quokka" }).to_string()
}

/// Makes one call; `expected` is the error message, with `HOST` for the server's host.
fn check(server: &Server, kind: Kind, time: Duration, expected: &str) {
    let failed = score(kind, &server.url(), &limits(time));
    let text = failed.expect_err(expected).to_string();
    assert_eq!(text, expected.replace("HOST", &server.host()));
    assert_tells_nothing(&text);
}

/// Makes one call; `expected` may have `ECHO` for the rest of a message that repeats the request.
fn check_status(kind: Kind, status: u16, expected: &str) {
    let server = Server::start(move |request, _| Reply::Json(status, echo(request)));
    let text = score(kind, &server.url(), &limits(PATIENT))
        .expect_err(expected)
        .to_string();
    let begins = format!(
        "cannot rerank over HTTP: {} answered {status}: ",
        server.host()
    );
    let (before, after) = expected.split_once("ECHO").unwrap_or((expected, ""));
    assert!(
        text.starts_with(&format!("{begins}{before}")) && text.ends_with(after),
        "{text}"
    );
    if after.is_empty() {
        assert_eq!(text, begins + expected);
    }
    assert_tells_nothing(&text);
    // A request that may be too large is retried once in halves.
    let n_requests = if [400, 413, 422].contains(&status) {
        2
    } else {
        1
    };
    assert_eq!(server.requests().len(), n_requests, "{status}");
}

fn check_body(body: &str, expected: &str) {
    let server = Server::always(Reply::Json(200, body.to_owned()));
    check(
        &server,
        Kind::Cohere,
        PATIENT,
        &format!("cannot rerank over HTTP: the answer from HOST {expected}"),
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_status_says_what_can_be_done() {
    let fewer = "; also for 2 of the 3 texts. Send fewer (rerank_max_docs) or shorter ones (rerank_max_chars), or check the model's name";
    let request: &str = &format!("it does not accept the request, ECHO{fewer}");
    let too_much: &str = &format!("too many texts, or texts that are too long, ECHO{fewer}");
    for (kind, status, expected) in [
        (Kind::Cohere, 400, request),
        (Kind::Cohere, 401, "the key is not accepted"),
        (Kind::Cohere, 402, "the account has no credit left"),
        (Kind::Cohere, 403, "the key is not accepted"),
        (Kind::Jina, 404, "there is no reranker at this address"),
        (Kind::Tei, 413, too_much),
        (Kind::Infinity, 422, request),
        (Kind::Tei, 424, "unexpected answer"),
        (Kind::Voyage, 500, "server error"),
        (
            Kind::LlamaCpp,
            500,
            "server error; a text may be longer than its batch",
        ),
        (Kind::LlamaCpp, 501, "it was started without reranking"),
        (Kind::Vllm, 502, "server error"),
    ] {
        check_status(kind, status, expected);
    }
}

#[test]
fn a_key_is_no_word_of_a_server() {
    for word in [KEY, "zorblax", "Bearer sk-zorblax-4711"] {
        let body = json!({ "error": { "type": word } }).to_string();
        let server = Server::always(Reply::Json(401, body));
        check(
            &server,
            Kind::Cohere,
            PATIENT,
            "cannot rerank over HTTP: HOST answered 401: the key is not accepted",
        );
    }
}

#[test]
fn the_servers_own_word_is_repeated_and_nothing_else() {
    let body = r#"{"error":"batch size 33 > 32: quokka","error_type":"Validation"}"#;
    let server = Server::always(Reply::Json(422, body.to_owned()));
    check(
        &server,
        Kind::Tei,
        PATIENT,
        "cannot rerank over HTTP: HOST answered 422: it does not accept the request, Validation, \"batch size 33 > 32: …\"; also for 2 of the 3 texts. Send fewer (rerank_max_docs) or shorter ones (rerank_max_chars), or check the model's name",
    );
}

#[test]
fn what_is_too_much_is_asked_once_more_in_halves() {
    let server = Server::start(|request, _| {
        let n_texts = request.json()["documents"].as_array().map_or(0, Vec::len);
        if n_texts > 2 {
            let refusal = r#"{"error": {"code": "1214", "message": "documents: at most 2"}}"#;
            return Reply::Json(400, refusal.to_owned());
        }
        let row = |index| json!({ "index": index, "relevance_score": f64::from(index) / 2.0 });
        let rows: Vec<_> = (0..n_texts as u32).map(row).collect();
        Reply::Json(200, json!({ "results": rows }).to_string())
    });
    let scores = score(Kind::Jina, &server.url(), &limits(PATIENT));
    let scores = scores.expect("it takes two").scores;
    assert_eq!(scores, [0.0, 0.5, 0.0].map(Some));
    assert_eq!(server.requests().len(), 3);
    // A smaller request is not tried, and the server's own words say what is wrong.
    let server = Server::always(Reply::Json(
        400,
        r#"{"error": {"code": "1214", "message": "documents: at most 1"}}"#.to_owned(),
    ));
    check(
        &server,
        Kind::Jina,
        PATIENT,
        "cannot rerank over HTTP: HOST answered 400: it does not accept the request, \"documents: at most 1\"; also for 2 of the 3 texts. Send fewer (rerank_max_docs) or shorter ones (rerank_max_chars), or check the model's name",
    );
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_text_without_a_score_is_left_out() {
    let rows = r#"{"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]}"#;
    let server = Server::always(Reply::Json(200, rows.to_owned()));
    let scores = score(Kind::Cohere, &server.url(), &limits(PATIENT));
    assert_eq!(
        scores.expect("it answers").scores,
        [Some(0.2), Some(0.9), None]
    );
}

#[test]
fn interim_answers_without_end_stop_neither_the_call_nor_the_next() {
    let server = Server::always(Reply::Interim);
    check(
        &server,
        Kind::Cohere,
        SHORT,
        "cannot rerank: no answer within the timeout",
    );
    server.wait_for_departure();
    // A few are no error.
    let few = "HTTP/1.1 102 Processing\r\n\r\n".repeat(5);
    let body = r#"[{"index":0,"score":1}]"#;
    let answer = format!(
        "{few}HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let server = Server::always(Reply::Raw(answer.into_bytes()));
    let scores = http(Kind::Tei, &server.url()).score(QUERY, &TEXTS[..1], &limits(GUARD));
    assert_eq!(scores.expect("it answers").scores, [Some(1.0)]);
}

#[test]
fn a_busy_server_is_asked_twice_more() {
    for status in [429, 503] {
        let meaning = if status == 429 {
            "too many requests"
        } else {
            "busy or starting"
        };
        let server = Server::start(move |request, _| Reply::Json(status, echo(request)));
        check(
            &server,
            Kind::Voyage,
            PATIENT,
            &format!("cannot rerank over HTTP: HOST answered {status}: {meaning}"),
        );
        assert_eq!(server.requests().len(), 3);
    }
}

#[test]
fn a_server_that_is_busy_for_a_moment_is_waited_for() {
    let past = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH);
    for (status, after) in [
        (429, None),
        (429, Some("0".to_owned())),
        (503, Some(past)),
        (503, None),
    ] {
        let server = Server::start(move |_, number| {
            match (number, &after) {
            (0, None) => Reply::Json(status, String::new()),
            (0, Some(after)) => Reply::With(status, ("retry-after", after.clone()), String::new()),
            _ => Reply::Json(200, json!([
                { "index": 0, "score": 0.1 }, { "index": 1, "score": 0.2 }, { "index": 2, "score": 0.3 },
            ]).to_string()),
        }
        });
        let scores = score(Kind::Tei, &server.url(), &limits(PATIENT));
        assert_eq!(
            scores.expect("it answers").scores,
            [0.1, 0.2, 0.3].map(Some)
        );
        assert_eq!(server.requests().len(), 2);
    }
}

#[test]
fn the_wait_is_as_long_as_the_server_asks() {
    let in_two_seconds = || httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(2));
    for in_words in [false, true] {
        let server = Server::start(move |_, number| match number {
            0 if in_words => Reply::With(429, ("retry-after", in_two_seconds()), String::new()),
            0 => Reply::With(429, ("retry-after", "1".to_owned()), String::new()),
            _ => Reply::Json(401, String::new()),
        });
        score(Kind::Cohere, &server.url(), &limits(PATIENT)).expect_err("it never answers");
        let requests = server.requests();
        assert_eq!(requests.len(), 2);
        let waited = requests[1].at - requests[0].at;
        assert!(
            waited >= Duration::from_secs(1),
            "a date has whole seconds: {waited:?}"
        );
    }
}

#[test]
fn a_wait_beyond_the_deadline_is_not_begun() {
    let far = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3600));
    for (status, after) in [
        (429, "3600"),
        (503, far.as_str()),
        (429, "18446744073709551615"),
    ] {
        let after = after.to_owned();
        let server = Server::start(move |request, _| {
            Reply::With(status, ("retry-after", after.clone()), echo(request))
        });
        let failed = score(Kind::Jina, &server.url(), &limits(PATIENT)).expect_err("it is busy");
        let text = failed.to_string();
        assert!(matches!(failed, RerankError::Refused { .. }), "{text}");
        assert!(text.contains(", asks to wait "), "{text}");
        assert_eq!(server.requests().len(), 1);
        assert_tells_nothing(&text);
    }
}

#[test]
fn silence_is_ended_by_the_deadline() {
    for reply in [Reply::Hang, Reply::Drip] {
        let server = Server::always(reply);
        check(
            &server,
            Kind::Cohere,
            SHORT,
            "cannot rerank: no answer within the timeout",
        );
        server.wait_for_departure();
    }
}

#[test]
fn a_refusal_that_drips_is_known_by_its_status() {
    let head = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 1000\r\n\r\n{";
    let server = Server::always(Reply::Raw(head.into()));
    check(
        &server,
        Kind::Cohere,
        PATIENT,
        "cannot rerank over HTTP: HOST answered 401: the key is not accepted",
    );
}

#[test]
fn a_call_that_is_over_before_it_begins_is_none() {
    let server = Server::always(Reply::Hang);
    check(
        &server,
        Kind::Cohere,
        Duration::ZERO,
        "cannot rerank: no answer within the timeout",
    );
    let limits = limits(PATIENT);
    limits.cancel.cancel();
    let failed = score(Kind::Cohere, &server.url(), &limits);
    assert!(matches!(failed, Err(RerankError::Cancelled)), "{failed:?}");
    assert!(server.requests().is_empty());
}

#[test]
fn a_call_is_given_up_at_once() {
    let server = Server::always(Reply::Hang);
    let limits = limits(PATIENT);
    let cancel = limits.cancel.clone();
    let calling = thread::spawn({
        let url = server.url();
        move || score(Kind::Cohere, &url, &limits)
    });
    server.wait_for_request();
    cancel.cancel();
    server.wait_for_departure();
    let failed = calling.join().expect("it does not panic");
    assert!(matches!(failed, Err(RerankError::Cancelled)), "{failed:?}");
}

#[test]
fn a_call_after_one_that_was_given_up_is_answered() {
    log::listen();
    let server = Server::start(|_, number| match number {
        0 => Reply::Hang,
        _ => Reply::Json(200, r#"[{"index":0,"score":1}]"#.to_owned()),
    });
    let mut http = http(Kind::Tei, &server.url());
    let failed = http.score(QUERY, &["a text"], &limits(SHORT));
    assert!(matches!(failed, Err(RerankError::Timeout)), "{failed:?}");
    let scores = http.score(QUERY, &["a text"], &limits(PATIENT));
    assert_eq!(scores.expect("it answers").scores, [Some(1.0)]);
}

#[test]
fn a_connection_that_breaks_off() {
    let url = resetting();
    let text = score(Kind::Cohere, &url, &limits(PATIENT))
        .expect_err("it is reset")
        .to_string();
    let host = url.trim_start_matches("http://");
    assert!(
        text.starts_with(&format!("cannot read the answer from {host}: ")),
        "{text}"
    );
    assert_tells_nothing(&text);
    for half in [
        "",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"results\":[",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nc\r\n{\"results\":[\r\n",
        "what is HTTP?",
    ] {
        let server = Server::always(Reply::Raw(half.into()));
        let failed = score(Kind::Cohere, &server.url(), &limits(PATIENT));
        let text = failed.expect_err(half).to_string();
        let begins = format!("cannot read the answer from {}: ", server.host());
        assert!(text.starts_with(&begins), "{half:?}: {text}");
        assert_tells_nothing(&text);
    }
}

#[test]
fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    drop(listener);
    let failed = score(Kind::Cohere, &format!("http://{address}"), &limits(PATIENT));
    let text = failed.expect_err("nobody is there").to_string();
    assert!(
        text.starts_with(&format!("cannot connect to {address}: Connection refused")),
        "{text}"
    );
    assert_tells_nothing(&text);
}

#[test]
fn a_name_that_nobody_has() {
    let failed = score(Kind::Cohere, "https://memlens.invalid", &limits(SHORT));
    let failed = failed.expect_err("the name is reserved never to exist");
    let text = failed.to_string();
    let no_address = "cannot connect to memlens.invalid: failed to lookup address";
    // A name server may also not answer at all.
    let is_ended = matches!(failed, RerankError::Timeout);
    assert!(is_ended || text.starts_with(no_address), "{text}");
    assert_tells_nothing(&text);
}

#[test]
fn an_answer_that_is_none() {
    check_body(
        r#"{"results":[{"index":0,"relevance_score":0.5},{"ind"#,
        "is cut off",
    );
    check_body("", "is cut off");
    check_body(
        "<!doctype html><p>what does the quokka eat</p>",
        "is not JSON",
    );
    let known = "known: results, data or a bare list)";
    check_body(
        r#"{"message":"quokka","quokka":1}"#,
        &format!("has an unknown format (it has message; {known}"),
    );
    check_body(
        r#"{"results":"quokka"}"#,
        &format!("has an unknown format (it has results; {known}"),
    );
}

#[test]
fn an_answer_that_is_not_one_finite_score_per_text() {
    let rows = |rows: &[(i64, &str)]| {
        let rows: Vec<String> = rows
            .iter()
            .map(|(index, score)| format!(r#"{{"index":{index},"relevance_score":{score}}}"#))
            .collect();
        format!(r#"{{"results":[{}]}}"#, rows.join(","))
    };
    for (answer, expected) in [
        (rows(&[]), "has no score for any of 3 texts"),
        (
            rows(&[(0, "1"), (1, "1"), (2, "1"), (3, "1")]),
            "holds 4 scores for 3 texts",
        ),
        (rows(&[(0, "1"), (1, "1"), (1, "1")]), "names text 1 twice"),
        (
            rows(&[(1, "1"), (2, "1"), (3, "1")]),
            "names text 3 (counted from 0) of 3",
        ),
        (
            rows(&[(0, "1"), (1, "1"), (2, "NaN")]),
            "has a score that is not a finite number",
        ),
        (
            rows(&[(0, "1"), (1, "-Infinity"), (2, "1")]),
            "has a score that is not a finite number",
        ),
        (
            rows(&[(0, "null"), (1, "null")]),
            "has no score for any of 3 texts",
        ),
    ] {
        check_body(&answer, expected);
    }
}

#[test]
fn an_answer_without_end_is_not_read_to_its_end() {
    let server = Server::always(Reply::Flood);
    check(
        &server,
        Kind::Cohere,
        PATIENT,
        "cannot rerank over HTTP: the answer from HOST is longer than 16 MiB",
    );
    server.wait_for_departure();
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::always(Reply::Json(200, "[]".to_owned()));
    for status in [301, 302, 303, 307, 308] {
        let location = elsewhere.url() + "/rerank";
        let server = Server::start(move |request, _| {
            Reply::With(status, ("location", location.clone()), echo(request))
        });
        check(
            &server,
            Kind::Tei,
            PATIENT,
            &format!(
                "cannot rerank over HTTP: HOST answered {status}: it redirects elsewhere, which Memlens does not follow"
            ),
        );
    }
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn a_missing_key_is_named_before_anything_is_sent() {
    for kind in Kind::ALL {
        let server = Server::always(Reply::Json(200, "[]".to_owned()));
        let made = Http::new(provider(kind, &server.url()), None);
        assert_eq!(made.is_err(), kind.needs_key());
        if let Err(error) = made {
            let expected = format!(
                "cannot rerank over HTTP: {} needs a key, and none is stored",
                kind.label()
            );
            assert_eq!(error.to_string(), expected);
        }
    }
}

#[test]
fn a_proxy_of_the_environment_is_not_asked() {
    let Some(url) = child::handed_over() else {
        let server = Server::always(Reply::Json(
            200,
            r#"[{"index":0,"score":1},{"index":1,"score":1},{"index":2,"score":1}]"#.to_owned(),
        ));
        let proxy = Server::always(Reply::Json(500, String::new()));
        let proxies = [
            "http_proxy",
            "HTTP_PROXY",
            "https_proxy",
            "HTTPS_PROXY",
            "all_proxy",
            "ALL_PROXY",
        ];
        let url = proxy.url();
        let environment = proxies.map(|name| (name, url.as_str()));
        child::run(
            "failures::a_proxy_of_the_environment_is_not_asked",
            &server.url(),
            &environment,
        );
        assert_eq!(server.requests().len(), 1);
        assert!(proxy.requests().is_empty());
        return;
    };
    score(Kind::Tei, &url, &limits(PATIENT)).expect("the server itself answers");
}

#[test]
fn localhost_is_this_machine() {
    let server = Server::always(Reply::Json(200, r#"[{"index":0,"score":1}]"#.to_owned()));
    let url = server.url().replace("127.0.0.1", "localhost");
    let scores = http(Kind::Tei, &url).score(QUERY, &TEXTS[..1], &limits(GUARD));
    assert_eq!(scores.expect("it answers").scores, [Some(1.0)]);
}
