//! The text that an answer held: its beginning, to be shown, and its lines as hashes, by which a note that was renamed or changed
//! since is recognised.

use serde_json::Value;

use super::{Returned, secrets};

/// Lines hashed of one result.
const LINES: usize = 200;
/// Characters of a line that count.
const CHARS: usize = 400;
/// Results of one answer whose text is kept.
const TEXTS_KEPT: usize = 10;
/// Characters of a text that are kept.
const TEXT_CHARS: usize = 400;
/// Bytes of a text that are searched for secrets, so that none that reaches into the kept part is cut.
const TEXT_SEARCHED: usize = 8 * TEXT_CHARS;
/// The names under which tools return the text of a result.
const TEXTS: &[&str] = &["snippet", "text", "content", "matched_chunk", "chunk"];

/// The hash of a line, whatever blanks are around and between its words; `None` if it has no words.
#[must_use]
pub fn line_hash(line: &str) -> Option<u64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.is_empty() {
        return None;
    }
    let plain: String = words.join(" ").chars().take(CHARS).collect();
    let hash = blake3::hash(plain.as_bytes());
    // 48 bits, which every reader of JSON keeps exactly.
    let bytes = hash.as_bytes().iter().take(6);
    Some(bytes.fold(0, |hash, byte| hash << 8 | u64::from(*byte)))
}

/// The hashes of the lines of a result's text.
pub(super) fn hashes_of(result: &Value) -> Vec<u64> {
    let mut texts = TEXTS.iter().filter_map(|name| result[*name].as_str());
    let lines = texts.next().into_iter().flat_map(str::lines);
    lines.filter_map(line_hash).take(LINES).collect()
}

/// The beginning of a result's text.
pub(super) fn text_of(result: &Value) -> Option<String> {
    let mut texts = TEXTS.iter().filter_map(|name| result[*name].as_str());
    let text = cut(texts.next()?, TEXT_SEARCHED);
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// The beginning of a text, without a last word that is cut: the remainder of a secret would not be recognised. In
/// scripts without spaces each character is a word.
fn cut(text: &str, n_bytes: usize) -> &str {
    if text.len() <= n_bytes {
        return text;
    }
    let begun = &text[..text.floor_char_boundary(n_bytes)];
    begun.trim_end_matches(|sign: char| sign.is_ascii() && !sign.is_ascii_whitespace())
}

/// Adds a line to the text of a result.
pub(super) fn add(to: &mut Returned, line: &str) {
    if to.line_hashes.len() < LINES {
        to.line_hashes.extend(line_hash(line));
    }
    let text = to.text.get_or_insert_default();
    let left = TEXT_SEARCHED.saturating_sub(text.len() + 1);
    if left > 0 {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(cut(line, left));
    }
}

/// What is kept of the texts of an answer: the beginnings of the first ones, with secrets blanked.
pub(super) fn shorten(returned: &mut [Returned]) {
    for (at, result) in returned.iter_mut().enumerate() {
        let text = result.text.take().filter(|_| at < TEXTS_KEPT);
        result.text = text.map(|text| {
            // Cut last: a secret that is cut through looks like none.
            let blanked = secrets::blanked(text.trim());
            match blanked.char_indices().nth(TEXT_CHARS) {
                Some((end, _)) => format!("{}…", &blanked[..end]),
                None => blanked.into_owned(),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_is_its_words() {
        let hash = line_hash("- The lock opens with 7312.");
        assert!(hash.is_some_and(|hash| hash < 1 << 48), "{hash:?}");
        assert_eq!(line_hash("  - The lock\topens with  7312.\r"), hash);
        assert_ne!(line_hash("- The lock opens with 7313."), hash);
        assert_eq!(line_hash(" \t"), None);
        let of_result =
            hashes_of(&json!({"path": "a.md", "snippet": "# Lock\n\n- The lock opens with 7312."}));
        assert_eq!(
            of_result,
            [line_hash("# Lock"), hash].map(|it| it.expect("it has words"))
        );
        assert_eq!(hashes_of(&json!({"path": "a.md"})), [0; 0]);
    }

    #[test]
    fn a_text_is_kept_short_and_without_secrets() {
        let result = |text: &str| {
            let value = json!({"path": "a.md", "snippet": text});
            let text = text_of(&value);
            Returned {
                path: "a.md".to_owned(),
                lines: None,
                score: None,
                is_name_only: false,
                line_hashes: Vec::new(),
                text,
            }
        };
        let long = "word ".repeat(200);
        let mut all = vec![
            result("password: hunter2xyz\nThe lock is blue."),
            result(&long),
            result("  "),
        ];
        all.extend((0..10).map(|_| result("The lock is blue.")));
        shorten(&mut all);
        let first = all[0].text.as_deref().expect("it has a text");
        assert!(
            !first.contains("hunter2") && first.ends_with("The lock is blue."),
            "{first}"
        );
        let second = all[1].text.as_deref().expect("it has a text");
        assert_eq!(second.chars().count(), TEXT_CHARS + 1, "{second}");
        assert_eq!(all[2].text, None);
        let n_kept = all.iter().filter(|it| it.text.is_some()).count();
        assert_eq!(n_kept, TEXTS_KEPT - 1);
        // Much of the beginning is blanked, so that what was cut comes near.
        let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9".repeat(2));
        let begun = format!("password: {}\n", "x9".repeat((TEXT_SEARCHED - 20) / 2));
        let mut all = [result(&format!("{begun}{token}"))];
        shorten(&mut all);
        let text = all[0].text.as_deref().unwrap_or_default();
        assert!(
            text.contains("[secret]") && !text.contains("ghp_"),
            "{text}"
        );
        assert_eq!(cut("one two", 7), "one two");
        assert_eq!(cut("one two", 6), "one ");
        assert_eq!(cut("錠の番号", 7), "錠の");
        let mut of_lines = result("");
        add(&mut of_lines, "first");
        add(&mut of_lines, "second");
        assert_eq!(of_lines.text.as_deref(), Some("first\nsecond"));
        add(&mut of_lines, &"é".repeat(TEXT_SEARCHED));
        assert!(
            of_lines
                .text
                .is_some_and(|text| text.len() <= TEXT_SEARCHED)
        );
    }
}
