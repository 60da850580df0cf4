//! Parses JSON of programs that cut texts anywhere: half characters are replaced by a symbol, and the rest is read.
//!
//! Properties checked: what is sound is read as it is; half a pair of UTF-16 or bytes that are no UTF-8 spoil one sign only.

use serde_json::Value;

/// Maximum number of values in a line; more would take too much memory for a transcript.
const VALUES_MAX: usize = 2_000_000;

/// A line parsed as JSON, with half characters replaced; `None` if it is not JSON.
pub(super) fn parsed(line: &[u8]) -> Option<Value> {
    if memchr::memchr3_iter(b',', b'[', b'{', line).count() > VALUES_MAX {
        return None;
    }
    if let Ok(value) = serde_json::from_slice(line) {
        return Some(value);
    }
    let text = String::from_utf8_lossy(line);
    serde_json::from_str(&without_halves(&text)).ok()
}

/// The text with `\ufffd` for each escape of half a pair.
fn without_halves(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let is_half = |text: &str, from, to| {
            let unit = text.strip_prefix("\\u").and_then(|it| it.get(..4));
            let unit = unit.and_then(|unit| u16::from_str_radix(unit, 16).ok());
            unit.is_some_and(|unit| (from..to).contains(&unit))
        };
        let is_high = is_half(escape, 0xd800, 0xdc00);
        let is_low = |text| is_half(text, 0xdc00, 0xe000);
        let n = if is_high && is_low(&escape[6..]) {
            12
        } else if is_high || is_low(escape) {
            whole.push_str("\\ufffd");
            rest = &escape[6..];
            continue;
        } else {
            // The sign behind it belongs to it, also another backslash.
            1 + escape[1..].chars().next().map_or(0, char::len_utf8)
        };
        whole.push_str(&escape[..n]);
        rest = &escape[n..];
    }
    whole.push_str(rest);
    whole
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn halves_of_characters_spoil_no_line() {
        for (line, value) in [
            (
                &br#"{"a":"\ud83d\ude00 \\ud83d"}"#[..],
                Some(json!({"a": "😀 \\ud83d"})),
            ),
            (br#"{"a":"cut \ud83d"}"#, Some(json!({"a": "cut \u{fffd}"}))),
            (
                br#"{"a":"\ude00\ud83d\ud83d\ude00\n"}"#,
                Some(json!({"a": "\u{fffd}\u{fffd}😀\n"})),
            ),
            (b"{\"a\":\"\xf0\x9f\x98\"}", Some(json!({"a": "\u{fffd}"}))),
            (br#"{"a":"\ud83d"#, None),
            (br#"{"a":"\ud8"}"#, None),
            (format!("[{}0]", "0,".repeat(VALUES_MAX)).as_bytes(), None),
            (b"\\", None),
            (b"", None),
        ] {
            let start = &line[..line.len().min(40)];
            assert_eq!(parsed(line), value, "{}", String::from_utf8_lossy(start));
        }
    }
}
