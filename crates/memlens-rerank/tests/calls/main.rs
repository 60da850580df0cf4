//! Calls to real servers and commands on this machine: each wire format, each failure, and that no error and no log
//! line contains a secret.
//!
//! Nothing here measures time; the guards only keep a hanging call from blocking the tests.

mod child;
mod failures;
mod hook;
mod keys;
mod log;
mod providers;
mod requests;
mod server;
mod tls;

use std::time::{Duration, Instant};

use memlens_rerank::http::{Http, Kind, Provider};
use memlens_rerank::keys::Key;
use memlens_rerank::{CancellationToken, Limits, RerankError, Reranker, Scores};

/// Data that is sent and must not occur in any error or log line.
const KEY: &str = "sk-zorblax-4711";
const QUERY: &str = "what does the quokka eat";
const TEXTS: [&str; 3] = [
    "Bram feeds the quokka leaves.",
    "The quokka's fence was mended in wintry weather.",
    "Grass, says the quokka book.",
];

/// Long enough for any call that ends by itself.
const PATIENT: Duration = Duration::from_secs(30);
/// Upper limit for every call, whatever its own limit.
const GUARD: Duration = Duration::from_secs(50);

fn limits(time: Duration) -> Limits {
    Limits {
        deadline: Instant::now() + time,
        cancel: CancellationToken::new(),
    }
}

fn provider(kind: Kind, url: &str) -> Provider {
    Provider {
        model: Some("some-model".to_owned()),
        ..Provider::new(kind, url)
    }
}

fn http(kind: Kind, url: &str) -> Http {
    let key = Key::new(KEY).expect("it is a key");
    Http::new(provider(kind, url), Some(key)).expect("the address can be used")
}

/// Makes one call about [`TEXTS`].
fn score(kind: Kind, url: &str, limits: &Limits) -> Result<Scores, RerankError> {
    log::listen();
    let started = Instant::now();
    let scores = http(kind, url).score(QUERY, &TEXTS, limits);
    assert!(started.elapsed() < GUARD, "it must not hang");
    scores
}

/// Checks that neither the text nor any log line so far contains a part of what was sent.
fn assert_tells_nothing(text: &str) {
    for (name, text_seen) in [("the error", text), ("the log", &log::lines())] {
        for secret in [KEY, "zorblax", "quokka", "Bram", "wintry", "Grass"] {
            assert!(
                !text_seen.contains(secret),
                "{name} tells {secret:?}: {text_seen}"
            );
        }
    }
}
