//! A sentence in parts, its opposing words marked.

use std::ops::Range;

use memlens_wire::MarkedText;

/// How much is shown of what comes before and after a sentence, in characters.
const AROUND_CHARS: usize = 240;

/// A sentence of an observation, with what is around it.
#[derive(Debug, PartialEq)]
pub(crate) struct Parts {
    pub(crate) before: String,
    pub(crate) text: String,
    pub(crate) parts: Vec<MarkedText>,
    pub(crate) after: String,
}

/// Returns a sentence of a text in parts; `words` are the opposing words, ascending.
pub(crate) fn parts(text: &str, sentence: &Range<usize>, words: &[Range<usize>]) -> Parts {
    let mut parts = Vec::new();
    let mut push = |text: &str, is_marked: bool| {
        if !text.is_empty() {
            parts.push(MarkedText {
                text: text.to_owned(),
                is_marked,
            });
        }
    };
    let mut at = sentence.start;
    for word in words {
        // Marks may touch: "not" and its word.
        let start = word.start.max(at);
        if start >= word.end {
            continue;
        }
        push(&text[at..start], false);
        push(&text[start..word.end], true);
        at = word.end;
    }
    push(&text[at..sentence.end], false);
    Parts {
        before: end_of(text[..sentence.start].trim()),
        text: text[sentence.clone()].to_owned(),
        parts,
        after: beginning_of(text[sentence.end..].trim()),
    }
}

fn end_of(text: &str) -> String {
    match text.char_indices().nth_back(AROUND_CHARS) {
        Some((at, _)) => format!("\u{2026}{}", text[at..].trim_start()),
        None => text.to_owned(),
    }
}

fn beginning_of(text: &str) -> String {
    match text.char_indices().nth(AROUND_CHARS) {
        Some((at, _)) => format!("{}\u{2026}", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposing_words_are_marked() {
        let found = parts("One. CI does not run. Two.", &(5..21), &[13..16, 17..20]);
        let shown: Vec<(&str, bool)> = found
            .parts
            .iter()
            .map(|part| (part.text.as_str(), part.is_marked))
            .collect();
        assert_eq!(
            shown,
            [
                ("CI does ", false),
                ("not", true),
                (" ", false),
                ("run", true),
                (".", false)
            ]
        );
        assert_eq!(
            (&*found.before, &*found.text, &*found.after),
            ("One.", "CI does not run.", "Two.")
        );
    }

    #[test]
    fn long_texts_around_are_cut() {
        let long = "\u{e9}".repeat(2_000);
        let text = format!("{long} It runs. {long}");
        let start = long.len() + 1;
        let found = parts(&text, &(start..start + 8), &[]);
        assert_eq!(found.text, "It runs.");
        assert_eq!(found.before.chars().count(), AROUND_CHARS + 2);
        assert_eq!(found.after.chars().count(), AROUND_CHARS + 1);
    }
}
