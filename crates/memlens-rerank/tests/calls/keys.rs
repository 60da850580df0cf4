//! The system's keyring on a machine without one.

#![cfg(target_os = "linux")]

use memlens_rerank::http::{Http, Kind};
use memlens_rerank::keys::{Key, KeyPlace, forget, read, save};
use memlens_rerank::{RerankError, Reranker};

use crate::server::{Reply, Server};
use crate::{KEY, PATIENT, QUERY, assert_tells_nothing, child, limits, log, provider};

/// The variable that holds the key in the other process.
const VARIABLE: &str = "MEMLENS_TEST_KEY";

#[test]
fn without_a_keyring_the_text_says_what_to_do_and_the_variable_does() {
    let Some(url) = child::handed_over() else {
        let server = Server::always(Reply::Json(200, r#"[{"index":0,"score":1}]"#.to_owned()));
        let environment = [
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere"),
            (VARIABLE, KEY),
        ];
        let test = "keys::without_a_keyring_the_text_says_what_to_do_and_the_variable_does";
        child::run(test, &server.url(), &environment);
        let [request] = &server.requests()[..] else {
            panic!("there is one");
        };
        let bearer = format!("Bearer {KEY}");
        assert_eq!(request.header("authorization"), Some(bearer.as_str()));
        return;
    };
    log::listen();
    let provider = provider(Kind::Cohere, &url);
    let key = Key::new(KEY).expect("it is a key");
    for failed in [
        save(&provider, &key).expect_err("nothing keeps it"),
        forget(&provider).expect_err("nothing kept it"),
        read(&provider, None).expect_err("it cannot be known"),
    ] {
        let text = failed.to_string();
        assert!(matches!(failed, RerankError::Keyring { .. }), "{text}");
        let begins = "cannot use this system's keyring: there is none: ";
        let ends = "; an environment variable can hold the key instead";
        assert!(text.starts_with(begins) && text.ends_with(ends), "{text}");
        assert_tells_nothing(&text);
    }
    let found = read(&provider, Some(VARIABLE)).expect("it is set");
    let (key, place) = found.expect("it holds a key");
    assert_eq!(place, KeyPlace::Environment);
    let mut http = Http::new(provider, Some(key)).expect("it is complete");
    let scores = http.score(QUERY, &["a text"], &limits(PATIENT));
    assert_eq!(scores.expect("it answers").scores, [Some(1.0)]);
}
