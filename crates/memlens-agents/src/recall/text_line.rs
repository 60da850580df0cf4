//! Which lines of text an answer held, as hashes: a note that was renamed or changed since is recognised by them.

use serde_json::Value;

/// Lines hashed of one result.
const LINES: usize = 200;
/// Characters of a line that count.
const CHARS: usize = 400;
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

/// Adds the hash of a line to those of a result.
pub(super) fn add(hashes: &mut Vec<u64>, line: &str) {
    if hashes.len() < LINES {
        hashes.extend(line_hash(line));
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
}
