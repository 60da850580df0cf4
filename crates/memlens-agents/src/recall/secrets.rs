//! Keys and tokens in what agents asked, blanked before it leaves a reader.
//!
//! Properties checked: what looks like a key goes, whatever stands around it; questions in any language, paths and the hashes of
//! commits stay.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

/// What stands where a secret was.
const BLANK: &str = "[secret]";

/// Keys of known makes, and what is named as a secret; what stands in a group stays. Words begin where no ASCII
/// letter stands before: some scripts know no spaces.
static KNOWN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        -----BEGIN\ [A-Z0-9\ ]*KEY-----[\s\S]*?(?:-----END\ [A-Z0-9\ ]*KEY-----|\z)
        | (?-u:\b)(?:sk|pk|rk)[-_](?:ant-|proj-|live_|test_|or-)?[A-Za-z0-9_-]{16,}
        | (?-u:\b)gh[pousr]_[A-Za-z0-9]{16,}
        | (?-u:\b)github_pat_[A-Za-z0-9_]{16,}
        | (?-u:\b)glpat-[A-Za-z0-9_-]{16,}
        | (?-u:\b)(?:AKIA|ASIA)[A-Z0-9]{12,}
        | (?-u:\b)xox[a-z]-[A-Za-z0-9-]{10,}
        | (?-u:\b)AIza[A-Za-z0-9_-]{30,}
        | (?-u:\b)(?:hf|npm|pypi)[_-][A-Za-z0-9_-]{24,}
        | (?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?
        | (?i:(?<bearer>(?-u:\b)(?:bearer|basic)\s+))[A-Za-z0-9+/=._~-]{16,}
        | (?i:(?<named>(?-u:\b)[a-z0-9_-]*(?:password|passwd|passphrase|passwort|kennwort|pwd|(?:api|access|private)[\ _-]?key|(?<word>secret|token))\\?["']?\s*(?:=|:=|:|：)\s*))(?:\\?"[^"\\]*(?:\\?"|\z)|'[^']*(?:'|\z)|[^\s"'\\&][^\s&]*)
        | (?<url>(?-u:\b)[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+@
        "#,
    )
    .expect("the pattern is one")
});

/// Words that may be a key by their length alone.
static LONG: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z0-9+_=-]{28,}").expect("the pattern is one"));

/// What follows `password:` in a question, and is none.
const ORDINARY: &[&str] = &[
    "also",
    "does",
    "each",
    "every",
    "forgotten",
    "from",
    "have",
    "kein",
    "keine",
    "liegt",
    "lost",
    "mein",
    "meine",
    "must",
    "need",
    "never",
    "nicht",
    "none",
    "null",
    "only",
    "optional",
    "policy",
    "required",
    "rules",
    "should",
    "sind",
    "steht",
    "that",
    "there",
    "they",
    "this",
    "unbekannt",
    "unknown",
    "unser",
    "unsere",
    "vergessen",
    "wann",
    "warum",
    "welche",
    "welcher",
    "welches",
    "were",
    "what",
    "when",
    "where",
    "which",
    "whose",
    "will",
    "with",
    "woher",
    "wurde",
    "your",
];

/// A text without the secrets in it.
pub(super) fn blanked(text: &str) -> Cow<'_, str> {
    let text = match KNOWN.replace_all(text, |found: &Captures<'_>| {
        let kept = ["bearer", "named", "url"].map(|name| found.name(name).map(|it| it.as_str()));
        let kept = kept.into_iter().flatten().next().unwrap_or_default();
        let value = &found[0][kept.len()..];
        if found.name("url").is_some() {
            return format!("{kept}{BLANK}@");
        }
        if found.name("named").is_none() {
            return format!("{kept}{BLANK}");
        }
        let end = found.get(0).map_or(0, |it| it.end());
        let is_after_word = found.name("word").is_some();
        // What stands around it stays: its quotes, and the signs of the sentence behind it.
        let begins = value.len() - value.trim_start_matches(['\\', '"', '\'']).len();
        let core = value[begins..].trim_end_matches(AROUND);
        let behind = &value[begins + core.len()..];
        let is_sentence = begins == 0 && kept.trim_end().ends_with([':', '：']);
        if core.is_empty() || is_sentence && is_prose(core, is_after_word, &text[end..]) {
            return found[0].to_owned();
        }
        format!("{kept}{}{BLANK}{behind}", &value[..begins])
    }) {
        Cow::Borrowed(text) => return longs_blanked(text),
        Cow::Owned(text) => text,
    };
    Cow::Owned(longs_blanked(&text).into_owned())
}

/// What ends a quotation, a word or a sentence, and is no part of a password.
const AROUND: [char; 9] = ['\\', '"', '\'', '?', '!', '.', ',', ';', ')'];
/// A word of letters that is shorter is no password.
const SHORT: usize = 4;

/// Whether what stands after `password:` is the next word of a sentence. Some names are words of their own, so that more of a
/// sentence tells: "the secret: never plant mint".
fn is_prose(value: &str, is_after_word: bool, rest: &str) -> bool {
    if !value.chars().all(char::is_alphabetic) {
        return false;
    }
    if value.chars().count() < SHORT {
        return true;
    }
    // Nobody types a password in kana or Chinese signs.
    let is_latin = value.chars().all(|sign| sign < '\u{250}');
    let goes_on = || rest.starts_with(' ') && !rest.trim_start().is_empty();
    !is_latin || ORDINARY.contains(&&*value.to_lowercase()) || (is_after_word && goes_on())
}

fn longs_blanked(text: &str) -> Cow<'_, str> {
    LONG.replace_all(text, |found: &Captures<'_>| {
        if is_random(&found[0]) {
            BLANK.to_owned()
        } else {
            found[0].to_owned()
        }
    })
}

/// A value without the secrets in its texts; a field whose name says that it holds one is blanked whole.
pub(super) fn blanked_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(blank) = blanked(text) {
                *text = blank;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(blanked_value),
        Value::Object(fields) => {
            for (name, value) in fields {
                blanked_field(name, value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The same for a field of that name.
pub(super) fn blanked_field(name: &str, value: &mut Value) {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        // "author" is none, nor is "max_tokens".
        let names = r"(?ix) password | passwd | passphrase | passwort | kennwort | pwd | secret | credential | token$
            | (?:api|access|private|auth)[_-]?key | auth(?:$|[_-]|entication|orization)";
        Regex::new(names).expect("the pattern is one")
    });
    // Whether one is used is no secret.
    if NAMES.is_match(name) && !value.is_null() && !value.is_boolean() {
        *value = Value::from(BLANK);
    } else {
        blanked_value(value);
    }
}

/// Whether a long word looks drawn by lot: letters of both kinds among many digits. Hashes are of one kind, names of places
/// have words between their hyphens.
fn is_random(word: &str) -> bool {
    let count = |is: fn(&char) -> bool| word.chars().filter(is).count();
    let (upper, lower, digits) = (
        count(char::is_ascii_uppercase),
        count(char::is_ascii_lowercase),
        count(char::is_ascii_digit),
    );
    let is_hex = word
        .chars()
        .all(|sign| sign.is_ascii_hexdigit() || sign == '-');
    // How often a letter or digit is followed by one of another kind; in names it seldom is.
    let kind = |sign: char| (sign.is_ascii_uppercase(), sign.is_ascii_digit());
    let signs: Vec<char> = word.chars().filter(char::is_ascii_alphanumeric).collect();
    let turns = signs
        .windows(2)
        .filter(|pair| kind(pair[0]) != kind(pair[1]))
        .count();
    !is_hex && upper >= 3 && lower >= 3 && digits >= 3 && turns * 4 >= signs.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_looks_like_a_key_goes() {
        for (text, left) in [
            (
                "is sk-proj-Ab12Cd34Ef56Gh78Ij90 still valid?",
                "is [secret] still valid?",
            ),
            ("sk-ant-api03-AAAAbbbbCCCCddddEEEE-_1", "[secret]"),
            ("(ghp_0123456789abcdefABCDEF0123456789abcd)", "([secret])"),
            ("github_pat_11ABCDEFG0123456789_abcdefghij", "[secret]"),
            ("AKIAIOSFODNN7EXAMPLE und mehr", "[secret] und mehr"),
            ("xoxb-123456789012-abcdefGHIJKL", "[secret]"),
            ("AIzaSyA-1234567890abcdefghijklmnopqrstu", "[secret]"),
            (
                "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g",
                "[secret]",
            ),
            (
                "Authorization: Bearer abcDEF123456.ghiJKL789-x",
                "Authorization: Bearer [secret]",
            ),
            (
                "password=hunter2 for the router",
                "password=[secret] for the router",
            ),
            ("DB_PASSWORD: 'tr0ub4dor'", "DB_PASSWORD: '[secret]'"),
            ("password: swordfish", "password: [secret]"),
            (
                "the password: swordfish, the user: iris",
                "the password: [secret], the user: iris",
            ),
            (
                "Passwort: Schwertfisch für das WLAN",
                "Passwort: [secret] für das WLAN",
            ),
            ("password: swordfish?", "password: [secret]?"),
            ("password: 'never'", "password: '[secret]'"),
            (
                "secret: swordfish\nuser: iris",
                "secret: [secret]\nuser: iris",
            ),
            ("pwd: swordfish", "pwd: [secret]"),
            ("password: a1b", "password: [secret]"),
            ("password: \"my cat Tom 99\"?", "password: \"[secret]\"?"),
            ("password=it's4me! now", "password=[secret]! now"),
            ("password: Ab1;xyz99", "password: [secret]"),
            ("PASSWORD=hunter2,tail99", "PASSWORD=[secret]"),
            ("token=\"a b c d\" there", "token=\"[secret]\" there"),
            (
                r#"{\"password\": \"hunter2\", \"user\": \"iris\"}"#,
                r#"{\"password\": \"[secret]\", \"user\": \"iris\"}"#,
            ),
            ("password：sw0rdfish", "password：[secret]"),
            ("redis://:s3cr3t@host/0", "redis://:[secret]@host/0"),
            ("private_key: swordfish", "private_key: [secret]"),
            ("botToken: swordfish", "botToken: [secret]"),
            ("api key: abcd1234", "api key: [secret]"),
            (
                "curl -d 'api_key=abcd1234&q=pond'",
                "curl -d 'api_key=[secret]&q=pond'",
            ),
            (
                "postgres://iris:s3cr3t@db/pond",
                "postgres://iris:[secret]@db/pond",
            ),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz\n-----END OPENSSH PRIVATE KEY-----\nwhose?",
                "[secret]\nwhose?",
            ),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE", "[secret]"),
            (
                "what is q8Zt3LmN0vYx7RkPw2Hs5JdUa9Bc4Ge1 for",
                "what is [secret] for",
            ),
            (
                "鍵はsk-proj-Ab12Cd34Ef56Gh78Ij90ですか",
                "鍵は[secret]ですか",
            ),
            ("Wi-Fiのpassword: swordfish", "Wi-Fiのpassword: [secret]"),
            (
                "Wo ist der Schlüssel ghp_0123456789abcdefABCDEF0123456789abcd?",
                "Wo ist der Schlüssel [secret]?",
            ),
        ] {
            assert_eq!(blanked(text), left, "{text}");
        }
    }

    #[test]
    fn ordinary_questions_stay() {
        for text in [
            "Which pump is in the pond?",
            "Wie lautet das Passwort für das WLAN?",
            "what password did we choose for the router",
            "the secret: never plant mint",
            "what is the password policy?",
            "where did I write the token budget",
            "the password: where did I write it?",
            "Passwort: welches hatten wir für das WLAN?",
            "das Passwort: wo steht es?",
            "Kennwort vergessen, was nun",
            "パスワードはどこに書きましたか",
            "Wi-Fiのpassword: どこに書きましたか",
            "which secret: mint or basil",
            "is a token: required for each call",
            "pwd and ls in one line",
            "token limit of the summary: how many?",
            "池のポンプはどこで買いましたか",
            "где лежит насос для пруда",
            "أين المضخة",
            "commit 3fe4031a9b0c4d5e6f708192a3b4c5d6e7f80912",
            "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "session 019e91aa-3b7e-7d02-9c11-5f0a2b6c8d77",
            "/home/iris/.claude/projects/-home-iris-garden-2026/memory/pond_and_pump_of_2026.md",
            "memory/2026-04-11-the-new-pump-of-the-pond-and-its-filter.md",
            "HttpClientConnectionPoolManagerFactoryBean",
            "MAX_CONNECTION_POOL_SIZE_PER_ROUTE_2026",
            "Donaudampfschifffahrtsgesellschaftskapitän",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "the task-based sk-learn pipeline",
            "https://docs.rs/memchr/2.8.3/memchr/memmem/index.html",
            "",
        ] {
            assert_eq!(blanked(text), text);
        }
    }

    #[test]
    fn settings_are_blanked_by_their_names_too() {
        let mut value = json!({
            "maxResults": 4, "api_key": "abc", "filter": {"authToken": "x y", "tags": ["pond", "password=koi4ever"]},
            "max_tokens": 100, "project": "garden", "pin_secret": 4711, "credentials": {"user": "iris", "key": "koi"},
            "accessToken": ["koi", "4ever"], "pwd": "koi", "privateKey": "koi", "author": "iris", "auth": true,
            "token": null, "authorization": "koi"
        });
        blanked_value(&mut value);
        assert_eq!(
            value,
            json!({
                "maxResults": 4, "api_key": "[secret]",
                "filter": {"authToken": "[secret]", "tags": ["pond", "password=[secret]"]},
                "max_tokens": 100, "project": "garden", "pin_secret": "[secret]", "credentials": "[secret]",
                "accessToken": "[secret]", "pwd": "[secret]", "privateKey": "[secret]", "author": "iris", "auth": true,
                "token": null, "authorization": "[secret]"
            })
        );
    }
}
