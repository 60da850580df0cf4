//! The user's choice of a provider over HTTP.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use specta::Type;

use super::refused;
use crate::http::{Http, Kind, Provider};
use crate::keys::{self, Key, KeyPlace};
use crate::{CancellationToken, Limits, RerankError, Reranker, Scale};

/// Maximum length of a model's or a variable's name.
const NAME_CHARS_MAX: usize = 200;
/// The range of the parameter `rerank_timeout_ms`, which applies here too.
const TIMEOUT_MS: std::ops::RangeInclusive<u32> = 100..=60_000;

/// The request of a test, without any note's text. The first text answers the question, the others are unrelated.
const TEST_QUERY: &str = "Where does the ferry leave from?";
const TEST_ANSWER: &str = "The ferry leaves from the northern pier every hour.";
const TEST_NONSENSE: [&str; 8] = [
    "Bread rises best in a warm kitchen.",
    "The violin was tuned before the concert.",
    "Oak leaves turn brown in October.",
    "A lost umbrella was handed in at the museum.",
    "The printer is out of blue ink.",
    "Chess clubs meet on the second floor.",
    "Tomatoes need six hours of sun.",
    "The invoice was paid in March.",
];

/// The user's choice of a provider, without its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct HttpChoice {
    /// The name of the kind.
    pub kind: String,
    /// The server's address; empty for the kind's default address.
    pub url: String,
    /// The model's id; `None` for the kind's default model.
    #[serde(default)]
    pub model: Option<String>,
    /// For a custom address, the kind whose interface it has; `None` for vLLM's.
    #[serde(default)]
    pub shape: Option<String>,
    /// The environment variable that holds the key if no keyring does.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Timeout while the parameter `rerank_timeout_ms` has its default value; `None` for that default.
    #[serde(default)]
    pub timeout_ms: Option<u32>,
    /// Whether it may be called, so that note text is sent to it.
    pub is_on: bool,
}

/// Where a provider's key is, as far as this library knows. The keyring is only read if this library stored a key
/// there, because the system may ask the user to unlock it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// The key is in the system's keyring.
    Keyring,
    /// The key is in the environment variable that the user named.
    Environment,
    /// No key is stored or found.
    None,
    /// No keyring answers, and no variable holds it.
    Unavailable,
    /// The stored value is not a valid key.
    Unusable,
    /// The provider is off, so the key was not looked up.
    NotAsked,
}

/// The chosen provider, with what follows from the choice.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct HttpState {
    /// The name of the kind.
    pub kind: String,
    /// The server's address, filled in.
    pub url: String,
    /// The model's id; `None` for the kind's default model.
    pub model: Option<String>,
    /// For a custom address, the kind whose interface it has.
    pub shape: Option<String>,
    /// The environment variable that holds the key if no keyring does.
    pub key_env: Option<String>,
    /// Timeout while the parameter `rerank_timeout_ms` has its default value.
    pub timeout_ms: Option<u32>,
    /// Whether it may be called.
    pub is_on: bool,
    /// The host that note text is sent to, with the port if it is not the default one.
    pub host: String,
    /// Whether note text leaves this machine.
    pub is_remote: bool,
    /// Where the provider's key comes from.
    pub key: KeyState,
}

/// The result of a test with made-up texts.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RerankTest {
    /// Duration of the call in milliseconds.
    pub ms: f64,
    /// The score of the text that answers the question, and the best score of the others. Without the second if only
    /// one text was sent or scored.
    pub scores: Vec<f64>,
    /// Number of texts that were sent.
    pub n_texts: u32,
    /// Notices about the result for the user, one sentence each.
    pub notices: Vec<String>,
    /// The name of the scores' scale.
    pub scale: &'static str,
    /// The model's id, under which scores are stored.
    pub model: String,
    /// The host that was called.
    pub host: String,
}

/// A provider that passed every check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The choice as it is stored.
    pub choice: HttpChoice,
    /// The provider as it is called.
    pub provider: Provider,
}

impl HttpChoice {
    /// Returns the choice, with its address filled in, if it can be used.
    ///
    /// # Errors
    /// [`RerankError::Setting`] for an unknown kind or shape, an address that is invalid, is not encrypted and not this
    /// machine's or contains a password, an invalid name, or a timeout out of range. No message repeats what may be a
    /// key.
    pub fn check(self) -> Result<Checked, RerankError> {
        let kind = kind_named("the provider", &self.kind)?;
        let shape = self.shape.filter(|_| kind == Kind::Custom);
        let shape = shape
            .map(|shape| {
                let shape = kind_named("the shape", &shape)?;
                if shape == Kind::Custom {
                    let why = "name one of the other kinds";
                    return Err(refused("the shape", why));
                }
                Ok(shape)
            })
            .transpose()?;
        let url = match (self.url.trim(), kind.default_url()) {
            ("", Some(url)) => url.to_owned(),
            ("", None) => return Err(refused("the provider", "give its address")),
            (url, _) => url.to_owned(),
        };
        let model = name("the model", self.model)?;
        let provider = Provider {
            kind,
            url: url.clone(),
            model: model.clone(),
            shape,
        };
        address(provider.endpoint())?;
        let key_env = name("the variable's name", self.key_env)?
            .map(variable)
            .transpose()?;
        if let Some(timeout_ms) = self.timeout_ms
            && !TIMEOUT_MS.contains(&timeout_ms)
        {
            let why = format!(
                "it must be from {} to {} ms",
                TIMEOUT_MS.start(),
                TIMEOUT_MS.end()
            );
            return Err(refused(format!("the timeout {timeout_ms}"), why));
        }
        let choice = HttpChoice {
            kind: kind.as_str().to_owned(),
            url,
            model,
            shape: shape.map(|shape| shape.as_str().to_owned()),
            key_env,
            timeout_ms: self.timeout_ms,
            is_on: self.is_on,
        };
        Ok(Checked { choice, provider })
    }
}

impl Checked {
    /// Returns the provider with what follows from the choice. Looks up its key if it is on; in the keyring only if
    /// `is_kept`.
    pub(super) fn state(&self, is_kept: bool) -> Result<HttpState, RerankError> {
        let HttpChoice {
            kind,
            url,
            model,
            shape,
            key_env,
            timeout_ms,
            is_on,
        } = self.choice.clone();
        let key = match (is_on, is_kept) {
            (true, true) => self.key_state(),
            (true, false) => key_in(key_env.as_deref()),
            (false, _) => KeyState::NotAsked,
        };
        Ok(HttpState {
            kind,
            url,
            model,
            shape,
            key_env,
            timeout_ms,
            is_on,
            host: address(self.provider.host())?,
            is_remote: address(self.provider.is_remote())?,
            key,
        })
    }

    /// Returns whether the host is another machine.
    ///
    /// # Errors
    /// [`RerankError::Setting`]; so does [`Checked::host`].
    pub fn is_remote(&self) -> Result<bool, RerankError> {
        address(self.provider.is_remote())
    }

    /// The host that note text goes to.
    pub fn host(&self) -> Result<String, RerankError> {
        address(self.provider.host())
    }

    /// Returns whether this choice sends nothing that the other one does not send, and to no other host.
    pub fn sends_no_more_than(&self, other: &Checked) -> bool {
        let is_same_host = match (self.provider.host(), other.provider.host()) {
            (Ok(host), Ok(before)) => host == before,
            (Ok(_) | Err(_), _) => false,
        };
        let (choice, before) = (&self.choice, &other.choice);
        let is_same_key = choice.key_env.is_none() || choice.key_env == before.key_env;
        is_same_host && is_same_key && (before.is_on || !choice.is_on)
    }

    fn key_state(&self) -> KeyState {
        match keys::read(&self.provider, self.choice.key_env.as_deref()) {
            Ok(Some((_, KeyPlace::Keyring))) => KeyState::Keyring,
            Ok(Some((_, KeyPlace::Environment))) => KeyState::Environment,
            Ok(None) => KeyState::None,
            Err(RerankError::Key { .. }) => KeyState::Unusable,
            Err(_) => KeyState::Unavailable,
        }
    }

    /// Returns a client for it, whether it is on or not.
    ///
    /// # Errors
    /// If the key is missing or invalid, or the keyring is needed and does not answer.
    pub fn client(&self) -> Result<Http, RerankError> {
        let variable = self.choice.key_env.as_deref();
        let needs_key = self.provider.kind.needs_key();
        let key = match (keys::read(&self.provider, variable), variable) {
            // If no key is needed, a system without a keyring will do.
            (Err(RerankError::Keyring { .. }), _) if !needs_key => None,
            // The keyring was read because the variable is not set.
            (Ok(None) | Err(RerankError::Keyring { .. }), Some(variable)) if needs_key => {
                let variable = variable.to_owned();
                return Err(RerankError::VariableUnset { variable });
            }
            (read, _) => read?.map(|(key, _)| key),
        };
        Http::new(self.provider.clone(), key)
    }

    /// Requests scores of `n_texts` made-up texts, at least two, whether it is on or not.
    ///
    /// # Errors
    /// Like [`Checked::client`], and those of the provider.
    pub fn test(
        &self,
        n_texts: u32,
        timeout: Duration,
        cancel: CancellationToken,
    ) -> Result<RerankTest, RerankError> {
        let mut client = self.client()?;
        let started = Instant::now();
        let limits = Limits {
            deadline: started + timeout,
            cancel,
        };
        let texts = test_texts(n_texts);
        let sent: Vec<&str> = texts.iter().map(String::as_str).collect();
        let scored = client.score(TEST_QUERY, &sent, &limits)?;
        let (scores, notices) = judged(&scored.scores);
        Ok(RerankTest {
            ms: started.elapsed().as_secs_f64() * 1000.0,
            scores,
            n_texts: u32::try_from(sent.len()).unwrap_or(u32::MAX),
            notices,
            scale: Scale::as_str(scored.scale),
            model: client.info().model.clone(),
            host: client.host(),
        })
    }

    /// Returns the timeout of the choice, if it has one.
    pub fn timeout(&self) -> Option<Duration> {
        let timeout_ms = self.choice.timeout_ms?;
        Some(Duration::from_millis(u64::from(timeout_ms)))
    }
}

/// Returns the texts of a test: the answer among others that are no answer, all different.
fn test_texts(n_texts: u32) -> Vec<String> {
    let nonsense = (0..n_texts.max(2) as usize - 1).map(|at| {
        let text = TEST_NONSENSE[at % TEST_NONSENSE.len()];
        match at / TEST_NONSENSE.len() {
            0 => text.to_owned(),
            round => format!("{text} ({})", round + 1),
        }
    });
    [TEST_ANSWER.to_owned()]
        .into_iter()
        .chain(nonsense)
        .collect()
}

/// Returns the score of the answer and the best of the others, and notices about them.
fn judged(scores: &[Option<f64>]) -> (Vec<f64>, Vec<String>) {
    let answer = scores.first().copied().flatten();
    let rest = scores.iter().skip(1).flatten().copied().reduce(f64::max);
    let mut notices = Vec::new();
    let n_scored = scores.iter().flatten().count();
    if n_scored < scores.len() {
        notices.push(format!(
            "Only {n_scored} of {} texts were scored; rows without a score count as not sent.",
            scores.len()
        ));
    }
    match (answer, rest) {
        (Some(answer), Some(rest)) if rest > answer => notices.push(
            "A text that has nothing to do with the question scored above the one that answers it: this model may not be a reranker, or its scores may mean the opposite."
                .to_owned(),
        ),
        (Some(answer), Some(rest)) if rest == answer => notices.push(
            "A text that has nothing to do with the question scored as high as the one that answers it: this model may not be a reranker."
                .to_owned(),
        ),
        (None, _) => notices.push("The text that answers the question was not scored.".to_owned()),
        _ => {}
    }
    (answer.into_iter().chain(rest).collect(), notices)
}

/// Checks a key that the user entered.
///
/// # Errors
/// [`RerankError::Setting`], which does not repeat it.
pub(super) fn key(typed: &str) -> Result<Key, RerankError> {
    Key::new(typed.to_owned()).map_err(|error| {
        if let RerankError::Key { cause } = error {
            return refused("the key", cause);
        }
        error
    })
}

/// Returns whether a variable holds a key.
fn key_in(variable: Option<&str>) -> KeyState {
    match variable.and_then(std::env::var_os) {
        Some(key) => match key.into_string().map(Key::new) {
            Ok(Ok(_)) => KeyState::Environment,
            Ok(Err(_)) | Err(_) => KeyState::Unusable,
        },
        None => KeyState::None,
    }
}

fn kind_named(what: &str, typed: &str) -> Result<Kind, RerankError> {
    Kind::named(typed.trim()).ok_or_else(|| {
        let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
        refused(
            format!("{what} {typed}"),
            format!("choose one of {}", known.join(", ")),
        )
    })
}

/// Turns an address error into a setting error.
fn address<T>(given: Result<T, RerankError>) -> Result<T, RerankError> {
    given.map_err(|error| {
        if let RerankError::Url { cause } = error {
            return refused("the address", cause);
        }
        error
    })
}

/// Returns a name without surrounding spaces; `None` if it is empty.
fn name(what: &str, typed: Option<String>) -> Result<Option<String>, RerankError> {
    let Some(typed) = typed.map(|typed| typed.trim().to_owned()) else {
        return Ok(None);
    };
    if typed.chars().any(char::is_control) || typed.chars().count() > NAME_CHARS_MAX {
        return Err(refused(
            what,
            "it must be one line of at most 200 characters",
        ));
    }
    Ok((!typed.is_empty()).then_some(typed))
}

/// Checks the name of a variable. A key that was entered there by mistake would be stored as plain text.
fn variable(typed: String) -> Result<String, RerankError> {
    let is_name = |is_letter: fn(&u8) -> bool| {
        let mut bytes = typed.bytes();
        bytes
            .next()
            .is_some_and(|first| first == b'_' || is_letter(&first))
            && bytes.all(|byte| byte == b'_' || byte.is_ascii_digit() || is_letter(&byte))
    };
    let is_set = std::env::var_os(&typed).is_some();
    if is_name(u8::is_ascii_uppercase) || (is_set && is_name(u8::is_ascii_alphabetic)) {
        return Ok(typed);
    }
    Err(refused(
        "the variable's name",
        "use capitals, digits and _, or the name of a variable that is set; the key itself does not go here",
    ))
}

#[cfg(test)]
mod tests {
    //! What is refused, with which message, and what is filled in.

    use super::*;

    #[test]
    fn a_test_notices_when_nonsense_wins() {
        let check = |scores: &[Option<f64>], expected: &[f64], notice: Option<&str>| {
            let (scores, notices) = judged(scores);
            assert_eq!(scores, expected);
            match notice {
                Some(words) => assert!(notices.iter().any(|it| it.contains(words)), "{notices:?}"),
                None => assert!(notices.is_empty(), "{notices:?}"),
            }
        };
        check(&[Some(0.9), Some(0.1), Some(0.2)], &[0.9, 0.2], None);
        check(&[Some(0.1), Some(0.9)], &[0.1, 0.9], Some("scored above"));
        check(&[Some(-5.0), Some(-5.0)], &[-5.0, -5.0], Some("as high as"));
        check(
            &[Some(0.9), None, Some(0.2)],
            &[0.9, 0.2],
            Some("2 of 3 texts"),
        );
        check(&[None, Some(0.2)], &[0.2], Some("was not scored"));
    }

    #[test]
    fn a_test_sends_as_many_different_texts_as_a_search_would() {
        for (asked, n_texts) in [(0, 2), (1, 2), (20, 20), (200, 200)] {
            let texts = test_texts(asked);
            let different: std::collections::BTreeSet<&String> = texts.iter().collect();
            assert_eq!((texts.len(), different.len()), (n_texts, n_texts));
            assert_eq!(texts[0], TEST_ANSWER);
        }
    }

    fn choice(kind: &str, url: &str) -> HttpChoice {
        HttpChoice {
            kind: kind.to_owned(),
            url: url.to_owned(),
            model: None,
            shape: None,
            key_env: None,
            timeout_ms: None,
            is_on: true,
        }
    }

    fn check(choice: HttpChoice, expected: Result<HttpChoice, &str>) {
        let checked = choice.check().map(|checked| checked.choice);
        assert_eq!(
            checked.map_err(|error| error.to_string()),
            expected.map_err(str::to_owned)
        );
    }

    #[test]
    fn what_is_left_out_is_filled_in() {
        check(
            choice(" jina ", " "),
            Ok(choice("jina", "https://api.jina.ai")),
        );
        let typed = HttpChoice {
            model: Some(" m ".to_owned()),
            shape: Some("tei".to_owned()),
            key_env: Some(String::new()),
            timeout_ms: Some(100),
            ..choice("custom", "http://localhost:1/x")
        };
        let kept = HttpChoice {
            model: Some("m".to_owned()),
            key_env: None,
            ..typed.clone()
        };
        check(typed, Ok(kept));
        // A shape only applies to a custom address.
        let typed = HttpChoice {
            shape: Some("tei".to_owned()),
            ..choice("vllm", "http://localhost:1")
        };
        check(typed, Ok(choice("vllm", "http://localhost:1")));
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let kinds = "choose one of cohere, voyage, jina, tei, llamacpp, vllm, infinity, custom";
        for kind in ["", "Cohere", "openai"] {
            check(
                choice(kind, ""),
                Err(&format!("cannot use the provider {kind}: {kinds}")),
            );
        }
        check(
            choice("custom", ""),
            Err("cannot use the provider: give its address"),
        );
        for (url, why) in [
            ("api.jina.ai", "it is not a web address"),
            ("ftp://a.example", "it must start with https:// and a host"),
            (
                "http://a.example",
                "without https:// only this machine itself can be used",
            ),
            (
                "https://ada:pw@a.example",
                "it must not contain a name or a password; a key goes into its own field",
            ),
        ] {
            check(
                choice("tei", url),
                Err(&format!("cannot use the address: {why}")),
            );
        }
        for (shape, why) in [
            ("openai", format!("cannot use the shape openai: {kinds}")),
            (
                "custom",
                "cannot use the shape: name one of the other kinds".to_owned(),
            ),
        ] {
            let shape = Some(shape.to_owned());
            check(
                HttpChoice {
                    shape,
                    ..choice("custom", "https://a.example")
                },
                Err(&why),
            );
        }
        for timeout_ms in [0, 99, 60_001] {
            let why =
                format!("cannot use the timeout {timeout_ms}: it must be from 100 to 60000 ms");
            let timeout_ms = Some(timeout_ms);
            check(
                HttpChoice {
                    timeout_ms,
                    ..choice("jina", "")
                },
                Err(&why),
            );
        }
        let long = "x".repeat(NAME_CHARS_MAX + 1);
        for model in ["a\nb", &long] {
            let model = Some(model.to_owned());
            check(
                HttpChoice {
                    model,
                    ..choice("jina", "")
                },
                Err("cannot use the model: it must be one line of at most 200 characters"),
            );
        }
    }

    #[test]
    fn what_sends_more_is_distinguished_from_what_does_not() {
        let of = |url: &str, key_env: Option<&str>, is_on| {
            let key_env = key_env.map(str::to_owned);
            let choice = HttpChoice {
                key_env,
                is_on,
                ..choice("tei", url)
            };
            choice.check().expect(url)
        };
        let (a, b) = ("https://a.example", "https://b.example");
        let before = of(a, Some("A"), true);
        for (after, expected) in [
            (of(a, Some("A"), true), true),
            (of("https://a.example/other", None, false), true),
            (of(b, Some("A"), false), false),
            (of("https://a.example:8443", None, true), false),
            (of(a, Some("B"), false), false),
        ] {
            assert_eq!(after.sends_no_more_than(&before), expected, "{after:?}");
        }
        assert!(!of(a, None, true).sends_no_more_than(&of(a, None, false)));
        assert!(before.is_remote().expect(a));
        assert_eq!(before.host().expect(a), "a.example");
        assert!(!of("http://[::1]:1", None, true).is_remote().expect("here"));
    }

    #[test]
    fn a_key_in_place_of_a_variable_is_refused_without_repeating_it() {
        for wrong in ["jina_0a1b2c", "sk-abc", "A B", "1A", "A=B", "ÄA"] {
            let key_env = Some(wrong.to_owned());
            let error = HttpChoice {
                key_env,
                ..choice("jina", "")
            }
            .check();
            let text = error.expect_err(wrong).to_string();
            assert!(
                text.starts_with("cannot use the variable's name: "),
                "{text}"
            );
            assert!(!text.contains(wrong), "{text}");
        }
        for right in ["JINA_API_KEY", "_K1", "PATH"] {
            let key_env = Some(right.to_owned());
            let checked = HttpChoice {
                key_env: key_env.clone(),
                ..choice("jina", "")
            }
            .check();
            assert_eq!(checked.expect(right).choice.key_env, key_env);
        }
        let text = key("sec ret").expect_err("it has a space").to_string();
        assert!(
            text.starts_with("cannot use the key: ") && !text.contains("sec"),
            "{text}"
        );
    }
}
