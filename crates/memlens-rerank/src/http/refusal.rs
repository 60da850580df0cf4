//! The meaning of an error status, with the server's message as far as it does not repeat what was sent.

use reqwest::StatusCode;
use serde_json::Value;

use super::Kind;

/// Maximum length of a server's word that is repeated.
const MAX_WORD: usize = 40;

/// JSON pointers to the kind of the error.
const WORDS: [&str; 5] = [
    "/error/type",
    "/error_type",
    "/type",
    "/error/code",
    "/code",
];

/// JSON pointers to the error message.
const MESSAGES: [&str; 6] = [
    "/error/message",
    "/message",
    "/detail/0/msg",
    "/detail",
    "/error",
    "/msg",
];

/// Maximum number of characters of a message that are repeated.
const MESSAGE_CHARS_MAX: usize = 120;

/// Common words of error messages, which are repeated even if they occur in what was sent. Sorted.
const PLAIN_WORDS: [&str; 58] = [
    "a",
    "allowed",
    "an",
    "and",
    "are",
    "at",
    "batch",
    "be",
    "body",
    "by",
    "cannot",
    "characters",
    "count",
    "document",
    "documents",
    "exceed",
    "exceeded",
    "exceeds",
    "field",
    "for",
    "found",
    "greater",
    "in",
    "input",
    "inputs",
    "invalid",
    "is",
    "large",
    "length",
    "less",
    "limit",
    "long",
    "many",
    "max",
    "maximum",
    "model",
    "most",
    "must",
    "not",
    "number",
    "of",
    "or",
    "parameter",
    "passages",
    "query",
    "request",
    "required",
    "size",
    "supported",
    "text",
    "texts",
    "than",
    "the",
    "to",
    "tokens",
    "too",
    "unknown",
    "value",
];

/// Returns what the user can do about the status.
pub(super) fn meaning(status: StatusCode, shape: Kind) -> &'static str {
    match (status.as_u16(), shape) {
        (300..=399, _) => "it redirects elsewhere, which Memlens does not follow",
        (401 | 403, _) => "the key is not accepted",
        (402, _) => "the account has no credit left",
        (404 | 405, _) => "there is no reranker at this address",
        (413, _) => "too many texts, or texts that are too long",
        (400 | 422, _) => "it does not accept the request",
        (429, _) => "too many requests",
        (503, _) => "busy or starting",
        (500, Kind::LlamaCpp) => "server error; a text may be longer than its batch",
        (501, Kind::LlamaCpp) => "it was started without reranking",
        (500..=599, _) => "server error",
        _ => "unexpected answer",
    }
}

/// Returns whether fewer texts may be accepted.
pub(super) fn may_be_too_much(status: u16) -> bool {
    matches!(status, 400 | 413 | 422)
}

/// Returns the server's message in quotes: its first 120 characters on one line, with `…` for each word of letters and
/// digits that was sent.
///
/// A body may echo whatever was sent. So a word that occurs in any of `sent`, in any case, is left out, unless it is a
/// common word of error messages or a number of at most three digits.
pub(super) fn message(body: &[u8], sent: &[&str]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let mut said = MESSAGES.into_iter();
    let said = said.find_map(|at| body.pointer(at).and_then(Value::as_str))?;
    // Truncated first, so that a long body is cheap.
    let said: String = said.chars().take(4 * MESSAGE_CHARS_MAX).collect();
    let sent: Vec<String> = sent.iter().map(|text| text.to_lowercase()).collect();
    let is_word = |sign: char| sign.is_alphanumeric();
    let mut shown = String::new();
    let mut rest = said.as_str();
    while let Some(sign) = rest.chars().next() {
        let length = match is_word(sign) {
            true => rest.find(|sign| !is_word(sign)).unwrap_or(rest.len()),
            false => sign.len_utf8(),
        };
        let (part, after) = rest.split_at(length);
        rest = after;
        if !is_word(sign) {
            let is_plain = sign.is_ascii_graphic() && sign != '"';
            match sign {
                _ if is_plain => shown.push(sign),
                _ if !shown.ends_with(' ') => shown.push(' '),
                _ => {}
            }
        } else if is_harmless(part, &sent) {
            shown.push_str(part);
        } else if !shown.ends_with('…') {
            shown.push('…');
        }
    }
    let shown: String = shown.trim().chars().take(MESSAGE_CHARS_MAX).collect();
    let says_something = shown.chars().any(is_word);
    says_something.then(|| format!("\"{}\"", shown.trim_end()))
}

fn is_harmless(word: &str, sent: &[String]) -> bool {
    let lower = word.to_lowercase();
    let is_count = word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    if is_count || PLAIN_WORDS.binary_search(&lower.as_str()).is_ok() {
        return true;
    }
    word.chars().count() <= MAX_WORD && !sent.iter().any(|text| text.contains(&lower))
}

/// Returns the server's own word for the error, if it has a safe one.
///
/// A body may echo whatever was sent. So the word may only have letters, `_` and `-`, at most 40 of them, and may not
/// occur in any of `sent`, in any case.
pub(super) fn word(body: &[u8], sent: &[&str]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let word = WORDS
        .into_iter()
        .find_map(|at| body.pointer(at).and_then(Value::as_str))?;
    let is_harmless = (1..=MAX_WORD).contains(&word.len())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let lower = word.to_lowercase();
    let is_echo = || sent.iter().any(|text| text.to_lowercase().contains(&lower));
    (is_harmless && !is_echo()).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    //! A word is found in the forms that servers use, and nothing that could be an echo is returned.

    use super::*;

    fn check(body: &str, expected: Option<&str>) {
        let sent = ["sk-Secret", "who feeds the axolotl", "Bram feeds it"];
        assert_eq!(word(body.as_bytes(), &sent).as_deref(), expected, "{body}");
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
    fn what_a_server_says_is_passed_on_without_what_was_sent() {
        let sent = [
            "sk-Secret",
            "who feeds the axolotl at 4711",
            "Bram feeds it 10 times",
        ];
        let check = |body: &str, expected: Option<&str>| {
            assert_eq!(
                message(body.as_bytes(), &sent).as_deref(),
                expected,
                "{body}"
            );
        };
        check(
            r#"{"error":{"code":"1214","message":"documents: at most 10"}}"#,
            Some("\"documents: at most 10\""),
        );
        check(
            r#"{"error":"batch size 33 > maximum allowed batch size 32","error_type":"Validation"}"#,
            Some("\"batch size 33 > maximum allowed batch size 32\""),
        );
        check(
            r#"{"detail":[{"type":"missing","msg":"Field required"}]}"#,
            Some("\"Field required\""),
        );
        check(
            r#"{"message":"cannot rank: who feeds the axolotl at 4711, sk-secret"}"#,
            Some("\"cannot rank: … … the … at …, …-…\""),
        );
        check(r#"{"message":"BRAM\n\u0007\"bram\""}"#, None);
        check(r#"{"message":""}"#, None);
        check(r#"{"message":7}"#, None);
        check("<html>", None);
        let long = format!(r#"{{"message":"{}"}}"#, "word ".repeat(100));
        let said = message(long.as_bytes(), &sent).expect("it says something");
        assert!(said.chars().count() <= MESSAGE_CHARS_MAX + 2, "{said}");
        assert!(PLAIN_WORDS.is_sorted());
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
