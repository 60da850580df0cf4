//! Keys and tokens in what agents asked, blanked before it leaves a reader.
//!
//! All patterns are searched in the text without its markup ([`Plain`]); the parts that they find are blanked in the text itself.
//!
//! Properties checked: what looks like a key is blanked, whatever is around it; questions in any language, paths and the hashes of
//! commits stay.

mod known;
mod plain;
mod tables;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

use plain::Plain;

const BLANK: &str = "[secret]";

/// Names of secrets that begin with an ASCII letter; a prefix may precede them, as in `DB_PASSWORD`. In English,
/// German, French, Spanish, Portuguese, Dutch, Polish, Swedish, Danish, Norwegian, Turkish, Czech, Finnish and
/// Hungarian.
const NAMES: &str = r"password|passwd|passphrase|passcode|passwort|kennwort|pwd|(?:api|access|private|secret|auth|signing|encryption|recovery|license)[ _-]?key|mot de passe|mdp|contrase[ñn]a|clave secreta|senha|palavra[ -]passe|wachtwoord|has[łl]o|l[öo]senord|adgangskode|kodeord|passord|sifre|heslo|salasana|jelsz[óo]";
/// The same in other scripts, in which a word need not follow a space: Russian, Ukrainian, Turkish, Japanese, Chinese,
/// Korean, Arabic, Persian, Hindi, Hebrew and Greek.
const NAMES_ELSEWHERE: &str = r"парол[ья]|şifre|パスワード|暗証番号|密码|密碼|口令|비밀번호|암호|كلمة المرور|كلمة السر|رمز عبور|पासवर्ड|סיסמה|סיסמא|κωδικός πρόσβασης";
/// Words of ordinary sentences that also name secrets.
const WORDS: &str = "secret|token|parola";
/// Short names, which occur alone or after a mark, and name a secret only before a value with a digit.
const SHORT_WORDS: &str = "pass|pw|pin|otp";

/// A name, with what may precede and follow it.
static NAME: LazyLock<String> = LazyLock::new(|| {
    format!(
        r"(?:(?-u:\b)[a-z0-9_.-]*(?:{NAMES}|(?<word>{WORDS}))|(?-u:\b)(?:[a-z0-9_.-]*[_.-])?(?<short>{SHORT_WORDS})|{NAMES_ELSEWHERE})[0-9]{{0,2}}"
    )
});

/// What a secret is for, between its name and its value: "(router)", "for the router".
const WHAT_FOR: &str = r"(?<what_for>\s*\([^()\n]{1,40}\)|\s+(?:for|of|on|at|to|für|von|vom|zum|zur|im|am|de|du|del|della|do|da|pour|para|per|voor|van|för|til|do|dla|для|от)\s[^\n:=?!.|]{1,40}?)?";
const IS: &str = "is|was|ist|war|lautet|est|es|è|é|är|er|jest|to";

/// A secret that is named: the name, a sign, the value.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    let name = &*NAME;
    pattern(&format!(
        r#"(?i){name}\\?["']?{WHAT_FOR}(?:\s+(?:{IS}))?\s*(?<sign>=>|:=|=|:|-{{1,2}}>|→|⇒|⟶|➜|➔)\s*(?<value>\\?"[^"\\]*(?:\\?"|\z)|'[^']*(?:'|\z)|[^\s"'\\&][^\s&]*)"#
    ))
});

/// A secret that a sentence states: "the password is hunter2".
static STATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r#"(?i)(?:(?-u:\b){NAMES}|{NAMES_ELSEWHERE}){WHAT_FOR}\s+(?:{IS})\s+(?<quote>["']?)(?<value>[^\s"'&|/]{{6,}})"#
    ))
});

/// A secret after the option of a command.
static OPTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r#"(?i)(?:^|\s)--[a-z0-9-]*(?:{NAMES}|{WORDS}|pass)\s+["']?(?<value>[^\s"'-][^\s"']*)"#
    ))
});

/// A cell of a table that names a secret.
static NAME_CELL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)^(?:[\w-]+\s+){{0,3}}(?:[a-z0-9_.-]*(?:{NAMES}|secret)|{NAMES_ELSEWHERE})(?:\s*\([^()]*\))?:?$"
    ))
});

/// Keys recognised by their prefixes, also of other lengths than those of `known`; the whole match is the secret, or
/// the group. A word begins where no ASCII letter precedes: some scripts have no spaces.
static KEYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)
        -----BEGIN\ [A-Z0-9\ ]*KEY(?:\ BLOCK)?-----[\s\S]*?(?:-----END\ [A-Z0-9\ ]*KEY(?:\ BLOCK)?-----|\z)
        | (?-u:\b)(?:sk|pk|rk)[-_](?:ant-|proj-|live_|test_|or-)?[A-Za-z0-9_-]{16,}
        | (?-u:\b)gh[pousr]_[A-Za-z0-9]{16,}
        | (?-u:\b)github_pat_[A-Za-z0-9_]{16,}
        | (?-u:\b)glpat-[A-Za-z0-9_-]{16,}
        | (?-u:\b)(?:AKIA|ASIA)[A-Z0-9]{12,}
        | (?-u:\b)xox[a-z]-[A-Za-z0-9-]{10,}
        | (?-u:\b)AIza[A-Za-z0-9_-]{30,}
        | (?-u:\b)(?:hf|npm|pypi)[_-][A-Za-z0-9_-]{24,}
        | (?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?
        | (?i:(?-u:\b)(?:bearer|basic)\s+)(?<bearer>[A-Za-z0-9+/=._~-]{16,})
        | (?-u:\b)[a-z][a-z0-9+.-]*://[^\s/:@]*:(?<url>[^\s/@]+)@
        ",
    )
});

/// Words that may be a key by their length alone.
static LONG: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z0-9+_=-]{28,}"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is one")
}

/// What follows `password:` in a question, and is none.
#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "also", "comment", "como", "cosa", "cual", "cuando", "cuál", "cuándo", "cómo", "does", "donde", "dove",
    "dónde", "each", "eller", "está", "every", "forgotten", "from", "gdzie", "glemt", "glömt", "hangi",
    "have", "hoe", "hvilken", "hvor", "hvordan", "jaki", "jakie", "jaké", "kde", "kein", "keine", "kommer",
    "liegt", "lost", "mein", "meine", "missä", "must", "need", "nerede", "never", "nicht", "none", "null",
    "olvidada", "onde", "only", "optional", "oublié", "perchè", "perché", "policy", "pourquoi", "qual",
    "quale", "quand", "quando", "quel", "quelle", "required", "rules", "sempre", "should", "siempre", "sind",
    "steht", "that", "there", "they", "this", "toujours", "unbekannt", "unknown", "unser", "unsere",
    "vergessen", "vilken", "vilket", "waar", "waarom", "wann", "warum", "welche", "welcher", "welches",
    "welk", "welke", "were", "what", "when", "where", "which", "whose", "will", "with", "woher", "wurde",
    "your", "zapomniałem",
];

/// A text without the secrets in it.
pub(super) fn blanked(text: &str) -> Cow<'_, str> {
    let plain = Plain::of(text);
    let mut spans = known::spans(&plain.text);
    spans.extend(KEYS.captures_iter(&plain.text).filter_map(|found| {
        let part = found.name("bearer").or_else(|| found.name("url"));
        part.or_else(|| found.get(0)).map(|it| it.range())
    }));
    spans.extend(
        NAMED
            .captures_iter(&plain.text)
            .filter_map(|found| named(&found, &plain.text)),
    );
    spans.extend(
        STATED
            .captures_iter(&plain.text)
            .filter_map(|found| stated(&found)),
    );
    spans.extend(OPTION.captures_iter(&plain.text).filter_map(|found| {
        let value = found.name("value")?;
        (!is_letters(value.as_str())).then(|| value.range())
    }));
    let is_name = |cell: &str| NAME_CELL.is_match(cell);
    let cells = tables::spans(&plain.text, is_name).into_iter();
    spans.extend(cells.filter(|cell| !is_ordinary(&plain.text[cell.clone()])));
    let long = LONG
        .find_iter(&plain.text)
        .filter(|word| is_random(word.as_str()));
    spans.extend(long.map(|word| word.range()));
    without(
        text,
        spans.into_iter().map(|span| plain.original(span)).collect(),
    )
}

/// A text with some parts blanked.
fn without(text: &str, mut spans: Vec<Range<usize>>) -> Cow<'_, str> {
    spans.retain(|span| !span.is_empty());
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    spans.sort_by_key(|span| (span.start, span.end));
    let mut blank = String::with_capacity(text.len());
    let mut end = 0;
    for span in spans {
        if span.start >= end {
            blank.push_str(&text[end..span.start]);
            blank.push_str(BLANK);
        }
        end = end.max(span.end);
    }
    blank.push_str(&text[end..]);
    Cow::Owned(blank)
}

/// The value of a secret that is named; `None` if it is the next word of a sentence. Its quotes stay, and the signs of the sentence
/// behind it.
fn named(found: &Captures<'_>, text: &str) -> Option<Range<usize>> {
    let whole = found.name("value")?;
    let value = whole.as_str();
    let quotes = ['\\', '"', '\''];
    let begins = value.len() - value.trim_start_matches(quotes).len();
    let core = value[begins..].trim_end_matches(AROUND);
    let span = whole.start() + begins..whole.start() + begins + core.len();
    if core.is_empty() {
        return None;
    }
    let is_short = found.name("short").is_some();
    if is_letters(core) && (is_short || found.name("what_for").is_some()) {
        return None;
    }
    let is_assigned = matches!(&found["sign"], "=" | ":=");
    let is_sentence = begins == 0 && !is_assigned;
    let is_after_word = found.name("word").is_some();
    (!is_sentence || !is_prose(core, is_after_word, &text[whole.end()..])).then_some(span)
}

/// The value that a sentence states; `None` unless letters and digits are mixed in it.
fn stated(found: &Captures<'_>) -> Option<Range<usize>> {
    let value = found.name("value")?;
    let core = value.as_str().trim_end_matches(AROUND);
    let has = |is: fn(char) -> bool| core.chars().any(is);
    let is_file = core
        .rsplit_once('.')
        .is_some_and(|(_, end)| end.starts_with(char::is_alphabetic));
    let is_secret = has(char::is_alphabetic) && has(|sign| sign.is_ascii_digit()) && !is_file;
    is_secret.then(|| value.start()..value.start() + core.len())
}

/// What ends a quotation, a word or a sentence, and is no part of a password.
const AROUND: [char; 10] = ['\\', '"', '\'', '?', '!', '.', ',', ';', ')', '|'];
/// A word of letters that is shorter is no password.
const SHORT: usize = 4;

/// Whether the text after `password:` is the next word of a sentence. Some names are ordinary words, so that more of
/// the sentence decides: "the secret: never plant mint".
fn is_prose(value: &str, is_after_word: bool, rest: &str) -> bool {
    let goes_on = || rest.starts_with(' ') && !rest.trim_start().is_empty();
    is_ordinary(value) || (is_letters(value) && is_after_word && goes_on())
}

fn is_letters(value: &str) -> bool {
    value.chars().all(char::is_alphabetic)
}

/// Whether a value is a word that is no password.
fn is_ordinary(value: &str) -> bool {
    let value = value.trim_start_matches(['¿', '¡']);
    if !is_letters(value) {
        return false;
    }
    // No password is written in kana or Chinese characters.
    let is_latin = value.chars().all(|sign| sign < '\u{250}');
    value.chars().count() < SHORT || !is_latin || ORDINARY.contains(&&*value.to_lowercase())
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
    // "author" is none, nor is "max_tokens".
    static FIELDS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"(?i){NAMES}|{NAMES_ELSEWHERE}|secret|credential|token$|auth(?:$|[_-]|entication|orization)"
        ))
    });
    // Whether one is used is no secret.
    if FIELDS.is_match(name) && !value.is_null() && !value.is_boolean() {
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
            ("**Password:** hunter2", "**Password:** [secret]"),
            ("**Password**: `hunter2`", "**Password**: `[secret]`"),
            ("__Password:__ _hunter2_", "__Password:__ _[secret]_"),
            ("<b>Password:</b> hunter2", "<b>Password:</b> [secret]"),
            (
                "- `DB_PASSWORD` = **tr0ub4dor**",
                "- `DB_PASSWORD` = **[secret]**",
            ),
            ("password: “hunter2”?", "password: “[secret]”?"),
            (
                "pass\u{200b}word: hun\u{ad}ter2",
                "pass\u{200b}word: [secret]",
            ),
            ("password → hunter2", "password → [secret]"),
            ("password -> hunter2 works", "password -> [secret] works"),
            ("password => 'hunter2'", "password => '[secret]'"),
            ("| Password | hunter2 |", "| Password | [secret] |"),
            (
                "| user | Wi-Fi password |\n|---|---|\n| iris | swordfish |",
                "| user | Wi-Fi password |\n|---|---|\n| iris | [secret] |",
            ),
            ("password (router): hunter2", "password (router): [secret]"),
            (
                "the password for the router: hunter2",
                "the password for the router: [secret]",
            ),
            (
                "the password is hunter2, right?",
                "the password is [secret], right?",
            ),
            ("das Passwort ist hunter2", "das Passwort ist [secret]"),
            ("password is: swordfish", "password is: [secret]"),
            (
                "mysql -u root --password hunter2 pond",
                "mysql -u root --password [secret] pond",
            ),
            ("PIN: 4711", "PIN: [secret]"),
            ("DB_PASS=hunter2", "DB_PASS=[secret]"),
            (
                "spring.datasource.password=hunter2",
                "spring.datasource.password=[secret]",
            ),
            (
                "{\"user\": \"iris\", \"secret_key\": \"koi\"}",
                "{\"user\": \"iris\", \"secret_key\": \"[secret]\"}",
            ),
            (
                "is dop_v1_0f3a9c7be2d14856a0b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7 valid?",
                "is [secret] valid?",
            ),
            ("mot de passe : hunter2", "mot de passe : [secret]"),
            ("la contraseña: pezespada", "la contraseña: [secret]"),
            ("A senha é hunter2!", "A senha é [secret]!"),
            ("wachtwoord: zwaardvis", "wachtwoord: [secret]"),
            ("hasło = hunter2", "hasło = [secret]"),
            ("lösenord: svärdfisk", "lösenord: [secret]"),
            ("adgangskode: hunter2", "adgangskode: [secret]"),
            ("şifre: hunter2", "şifre: [secret]"),
            ("heslo: hunter2", "heslo: [secret]"),
            ("пароль: hunter2", "пароль: [secret]"),
            ("Wi-Fiのパスワード：hunter2", "Wi-Fiのパスワード：[secret]"),
            ("密码：hunter2", "密码：[secret]"),
            ("비밀번호: hunter2", "비밀번호: [secret]"),
            ("كلمة المرور: hunter2", "كلمة المرور: [secret]"),
            ("पासवर्ड: hunter2", "पासवर्ड: [secret]"),
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
            "compass: north",
            "pin: posters on the wall",
            "the password for guests: required?",
            "| password | required |",
            "| model | tokens |\n|---|---|\n| small | 400 |",
            "cat password | head",
            "the password is in people/ana.md:12",
            "what does the flag --password mean",
            "mot de passe : où est-il ?",
            "contraseña: ¿dónde está?",
            "senha: onde escrevi",
            "пароль: где он записан",
            "パスワード：どこ",
            "hasło: gdzie jest",
            "wachtwoord: waar staat het",
            "**Where** is the _pump_ of the `pond`?",
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
