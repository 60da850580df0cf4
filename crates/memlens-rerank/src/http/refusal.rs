//! What a status other than success means, in words that hold nothing of the body but one harmless word.

use reqwest::StatusCode;
use serde_json::Value;

use super::Kind;

/// The longest word of a server that is repeated.
const MAX_WORD: usize = 40;

/// Where servers name the kind of their failure.
const WORDS: [&str; 5] = [
    "/error/type",
    "/error_type",
    "/type",
    "/error/code",
    "/code",
];

/// What the person can do about it.
pub(super) fn meaning(status: StatusCode, shape: Kind) -> &'static str {
    match (status.as_u16(), shape) {
        (300..=399, _) => "it redirects elsewhere, which Memlens does not follow",
        (401 | 403, _) => "the key is not accepted",
        (402, _) => "the account has no credit left",
        (404 | 405, _) => "there is no reranker at this address",
        (413, _) => "too many texts, or texts that are too long",
        (400 | 422, _) => "it does not understand the request; the model's name may be wrong",
        (429, _) => "too many requests",
        (503, _) => "busy or starting",
        (500, Kind::LlamaCpp) => "server error; a text may be longer than its batch",
        (501, Kind::LlamaCpp) => "it was started without reranking",
        (500..=599, _) => "server error",
        _ => "unexpected answer",
    }
}

/// The server's own word for its failure, if it is one.
///
/// A body may echo whatever was sent. So the word has letters, `_` and `-` alone, at most 40 of them, and stands in none
/// of `sent`, in whatever case.
pub(super) fn word(body: &[u8], sent: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let word = WORDS
        .into_iter()
        .find_map(|at| body.pointer(at).and_then(Value::as_str))?;
    let is_harmless = (1..=MAX_WORD).contains(&word.len())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let lower = word.to_lowercase();
    let is_echo = || {
        sent.into_iter()
            .any(|text| text.as_ref().to_lowercase().contains(&lower))
    };
    (is_harmless && !is_echo()).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    //! A word comes out of the shapes that servers write, and nothing that could be an echo.

    use super::*;

    fn check(body: &str, expected: Option<&str>) {
        let sent = ["sk-Secret", "who feeds the axolotl", "Bram feeds it"];
        assert_eq!(word(body.as_bytes(), sent).as_deref(), expected, "{body}");
    }

    #[test]
    fn the_shapes_of_real_servers() {
        check(
            r#"{"error":"batch size 33 > 32","error_type":"Validation"}"#,
            Some("Validation"),
        );
        check(
            r#"{"object":"error","message":"m","type":"BadRequestError","code":400}"#,
            Some("BadRequestError"),
        );
        check(
            r#"{"error":{"code":500,"message":"m","type":"server_error"}}"#,
            Some("server_error"),
        );
        check(
            r#"{"error":{"code":"rate-limited","message":"m"}}"#,
            Some("rate-limited"),
        );
        check(r#"{"message":"invalid api token"}"#, None);
        check(r#"{"detail":[{"type":"missing"}]}"#, None);
    }

    #[test]
    fn nothing_that_was_sent_and_nothing_long() {
        check(r#"{"type":"axolotl"}"#, None);
        check(r#"{"type":"AXOLOTL"}"#, None);
        check(r#"{"type":"sk-secret"}"#, None);
        check(r#"{"type":"who feeds"}"#, None);
        check(r#"{"type":"a1"}"#, None);
        check(r#"{"type":""}"#, None);
        check(&format!(r#"{{"type":"{}"}}"#, "x".repeat(41)), None);
        check(
            &format!(r#"{{"type":"{}"}}"#, "x".repeat(40)),
            Some(&"x".repeat(40)),
        );
        check("<html>", None);
    }
}
