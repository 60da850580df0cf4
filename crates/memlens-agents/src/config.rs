//! Reads an agent's config; never writes it.
//!
//! Properties checked: anything else at its path gives an error in words, and reading never blocks; nesting does not
//! exhaust the stack.

use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde_json::Value;

use crate::include;

/// Maximum size of a config: they are written by hand.
const CONFIG_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Maximum nesting depth, because the parser recurses.
const DEPTH_MAX: usize = 128;

/// How a config is written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Format {
    /// JSON5, and so JSON as well.
    Json,
    /// Strict JSON without comments or trailing commas.
    PlainJson,
    Toml,
    Yaml,
}

/// Reads a config and its `$include`s; if one of these cannot be read, the config alone, with the reason. `None` if absent.
pub(crate) fn read_as_far_as_possible(
    path: &Path,
    home: &Path,
) -> Result<Option<(Value, Option<String>)>, String> {
    let Some(value) = read(path, Format::Json, home)? else {
        return Ok(None);
    };
    let all = include::resolve(value.clone(), path, &mut |_| ());
    Ok(Some(match all {
        Ok(all) => (all, None),
        Err(why) => (value, Some(why)),
    }))
}

/// Reads a config below a home folder; `None` if absent. The error is a reason to show to the user.
pub(crate) fn read(path: &Path, format: Format, home: &Path) -> Result<Option<Value>, String> {
    let text = read_text(path, home)?;
    text.map(|text| parse(&text, format)).transpose()
}

/// Text of a config below a home folder, with its byte-order mark; `None` if absent. The error is a reason to show to
/// the user.
pub(crate) fn read_text(path: &Path, home: &Path) -> Result<Option<String>, String> {
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(words(&error)),
    };
    if found.is_symlink() {
        return Err("it is a link, and links are not followed".to_owned());
    }
    if found.is_dir() {
        return Err("it is a folder".to_owned());
    }
    if !found.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if !is_of_same_user(&found, home) {
        return Err("it belongs to another user".to_owned());
    }
    let bytes = memlens_files::read(path, CONFIG_BYTES_MAX).map_err(|error| words(&error))?;
    if bytes.len() as u64 > CONFIG_BYTES_MAX {
        return Err(format!("it is larger than {} MiB", CONFIG_BYTES_MAX >> 20));
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| "it is not UTF-8 text".to_owned())
}

/// The value in a JSON or JSON5 config.
pub(crate) fn parse_text(text: &str) -> Result<Value, String> {
    parse(text, Format::Json)
}

/// The value in a JSON or JSON5 file that may hold any, not only settings by name.
pub(crate) fn parse_any(text: &str) -> Result<Value, String> {
    parse_value(text, Format::Json)
}

fn parse_value(text: &str, format: Format) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // An empty TOML file sets nothing.
    if text.trim().is_empty() && !matches!(format, Format::Toml) {
        return Err("it is empty".to_owned());
    }
    match format {
        Format::Json => parse_json(text),
        Format::PlainJson => serde_json::from_str(text).map_err(|error| {
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            format!("line {}, column {}: {what}", error.line(), error.column())
        }),
        Format::Toml => parse_toml(text),
        Format::Yaml => serde_yaml_ng::from_str(text).map_err(|error| error.to_string()),
    }
}

pub(crate) fn parse(text: &str, format: Format) -> Result<Value, String> {
    let value = parse_value(text, format)?;
    match value {
        Value::Object(_) => Ok(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err("it holds no settings by name".to_owned())
        }
    }
}

/// The system's error message for the user, without its number.
pub(crate) fn words(error: &io::Error) -> String {
    if error.kind() == ErrorKind::PermissionDenied {
        return "permission denied".to_owned();
    }
    error.to_string()
}

fn parse_toml(text: &str) -> Result<Value, String> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let what = error.message().to_owned();
        match error.span() {
            Some(span) => {
                let before = text.get(..span.start).unwrap_or(text);
                let line = before.rsplit('\n').next().unwrap_or_default();
                let (row, column) = (before.matches('\n').count(), line.chars().count());
                format!("line {}, column {}: {what}", row + 1, column + 1)
            }
            None => what,
        }
    })
}

fn parse_json(text: &str) -> Result<Value, String> {
    if depth(text) > DEPTH_MAX {
        return Err(format!("it is nested deeper than {DEPTH_MAX} levels"));
    }
    json5::from_str(text).map_err(|error| {
        let what = error
            .code()
            .map_or_else(|| error.to_string(), |code| code.to_string());
        match (what.strip_prefix("EOF parsing "), error.position()) {
            // The position is that of the unclosed bracket.
            (Some(within), _) => {
                format!(
                    "line {}: it ends too early ({within})",
                    text.lines().count()
                )
            }
            (None, Some(at)) => format!("line {}, column {}: {what}", at.line + 1, at.column + 1),
            (None, None) => what,
        }
    })
}

/// How deep brackets are nested, those in texts and comments left out.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '{' | '[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            '}' | ']' => depth = depth.saturating_sub(1),
            '"' | '\'' => {
                while let Some(inner) = rest.next() {
                    if inner == '\\' {
                        rest.next();
                    } else if inner == next {
                        break;
                    }
                }
            }
            '/' if rest.peek() == Some(&'/') => {
                rest.by_ref()
                    .find(|inner| matches!(inner, '\n' | '\r' | '\u{2028}' | '\u{2029}'));
            }
            '/' if rest.peek() == Some(&'*') => {
                rest.next();
                while let Some(inner) = rest.next() {
                    if inner == '*' && rest.peek() == Some(&'/') {
                        rest.next();
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    deepest
}

/// Whether a file has the same owner as the home folder.
#[cfg(unix)]
fn is_of_same_user(found: &Metadata, home: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    home.metadata().is_ok_and(|home| home.uid() == found.uid())
}

#[cfg(not(unix))]
fn is_of_same_user(_: &Metadata, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: impl AsRef<[u8]>, format: Format, expected: &str) {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let path = dir.path().join("config");
        std::fs::write(&path, bytes).expect("it can be written");
        let outcome = match read(&path, format, dir.path()) {
            Ok(found) => found.expect("it is there").to_string(),
            Err(why) => why,
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn configs_of_every_kind() {
        use Format::{Json, PlainJson, Toml, Yaml};
        check("{a: 1, // said\n}", Json, r#"{"a":1}"#);
        check("\u{feff}{\"a\": 'b'}\r\n", Json, r#"{"a":"b"}"#);
        check("{a: 1, a: 2}", Json, r#"{"a":2}"#);
        check("a: 1\r\n", Yaml, r#"{"a":1}"#);
        check("\u{feff}a: 1\n", Yaml, r#"{"a":1}"#);
        check("{\"a\": 1}", PlainJson, r#"{"a":1}"#);
        check(
            "{\"a\": 1, // said\n}",
            PlainJson,
            "line 1, column 10: key must be a string",
        );
        check("a = 1\n[b]\nc = ['d']", Toml, r#"{"a":1,"b":{"c":["d"]}}"#);
        check("", Toml, "{}");
        check(
            "a = 1\nb = \n",
            Toml,
            "line 2, column 5: string values must be quoted, expected literal string",
        );
        check("\u{feff}\n", Json, "it is empty");
        check("", Json, "it is empty");
        check(" \n", Yaml, "it is empty");
        check("[1]", Json, "it holds no settings by name");
        check("text", Yaml, "it holds no settings by name");
        check(b"\xff\xfe{\0}\0", Json, "it is not UTF-8 text");
        check("{a: 1,\n  b 2}", Json, "line 2, column 5: expected colon");
        check("{a:\n[1", Json, "line 2: it ends too early (array)");
        check(" ".repeat((16 << 20) + 1), Json, "it is larger than 16 MiB");
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |n: usize| format!("{{a: {}{}}}", "[".repeat(n), "]".repeat(n));
        check(nested(2), Format::Json, r#"{"a":[[]]}"#);
        let refused = "it is nested deeper than 128 levels";
        check(nested(128), Format::Json, refused);
        // Closing brackets in strings and comments do not count.
        check("['\\']]',/*]*/[//]\n".repeat(20_000), Format::Json, refused);
        check("{a: ".repeat(10_000), Format::Json, refused);
        assert_eq!(depth("{a: '[[[', b: \"[\\\"[\", c: [] /* [ */ } // ["), 2);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_reported() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("folder")).expect("it can be made");
        std::fs::write(at("file"), "{}").expect("it can be written");
        symlink(at("file"), at("link")).expect("links can be made");
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("it can be made");
        for (name, expected) in [
            ("folder", "it is a folder"),
            ("link", "it is a link, and links are not followed"),
            ("socket", "it is not a regular file"),
        ] {
            assert_eq!(
                read(&at(name), Format::Json, dir.path()),
                Err(expected.to_owned())
            );
        }
        assert_eq!(read(&at("none"), Format::Json, dir.path()), Ok(None));
        assert_eq!(read(&at("file/none"), Format::Json, dir.path()), Ok(None));
        // Only root can give a file away.
        if std::os::unix::fs::chown(at("file"), Some(4711), None).is_ok() {
            let outcome = read(&at("file"), Format::Json, dir.path());
            assert_eq!(outcome, Err("it belongs to another user".to_owned()));
        }
    }
}
