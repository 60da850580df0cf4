//! Cutting a text into sentences, and which sentences state nothing that can be compared.

use std::ops::Range;

use crate::lexicon::{Lexicon, Traits};
use crate::token::{Shape, Token};
use crate::verdict::Apart;

/// Longer sentences are not compared, in bytes.
pub const SENTENCE_BYTES_MAX: usize = 1_000;

/// Words of speech that notes do not have.
const FILLERS: [&str; 16] = [
    "uh", "um", "uhm", "hmm", "mm-hmm", "yeah", "yep", "wow", "haha", "hey", "woah", "gosh",
    "okay", "lol", "thanks", "congrats",
];

/// Pronouns by which somebody addresses somebody.
const ADDRESS: [&str; 12] = [
    "i", "you", "we", "my", "your", "i'm", "i've", "you're", "we're", "let's", "i'll", "me",
];

/// Returns the sentences of a text, without white space, list markers and emphasis around them.
///
/// Sentences end at line ends and behind `.`, `!` and `?` before white space, except behind one letter ("e.g.") or a
/// number that begins a line ("1.").
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut ended = false;
    std::iter::from_fn(move || {
        while !ended {
            let mut end = start;
            loop {
                match bytes.get(end) {
                    None => {
                        ended = true;
                        break;
                    }
                    Some(b'\n') => break,
                    Some(b'.' | b'!' | b'?') if is_end(bytes, start, end) => {
                        end += 1;
                        break;
                    }
                    Some(_) => end += 1,
                }
            }
            let sentence = trimmed(text, start..end);
            start = end + usize::from(bytes.get(end) == Some(&b'\n'));
            if !sentence.is_empty() {
                return Some(sentence);
            }
        }
        None
    })
}

/// Returns the parts of a text between two `~~` of one paragraph, ascending.
pub(crate) fn strikethrough(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find("~~")?;
            let rest = &text[start + 2..];
            let length = rest.find("~~")?;
            let words = start + 2..start + 2 + length;
            // A fence of code has more signs.
            let is_mark = !rest.starts_with(['~', ' ', '\n']) && !rest[..length].contains("\n\n");
            at = if is_mark { words.end + 2 } else { start + 2 };
            if is_mark {
                return Some(words);
            }
        }
    })
}

fn is_end(bytes: &[u8], start: usize, at: usize) -> bool {
    let is_before_space = bytes.get(at + 1).is_none_or(|next| {
        next.is_ascii_whitespace() || matches!(next, b'"' | b')' | b'*' | b'_' | b'~')
    });
    if !is_before_space {
        return false;
    }
    if bytes[at] != b'.' {
        return true;
    }
    // The word before: one letter, or the number of a list item.
    let word_start = bytes[start..at]
        .iter()
        .rposition(|byte| byte.is_ascii_whitespace() || *byte == b'.')
        .map_or(start, |before| start + before + 1);
    let word = &bytes[word_start..at];
    let is_letter = word.len() == 1 && word[0].is_ascii_alphabetic();
    let is_item = word_start == start && !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let is_abbreviation = matches!(
        word,
        b"Dr" | b"Mr" | b"Mrs" | b"Ms" | b"vs" | b"approx" | b"ca"
    );
    !is_letter && !is_item && !is_abbreviation
}

fn trimmed(text: &str, part: Range<usize>) -> Range<usize> {
    let is_mark = |char: char| {
        char.is_whitespace() || matches!(char, '*' | '-' | '#' | '_' | '\u{2022}' | '+')
    };
    let slice = &text[part.clone()];
    let from_start = slice.trim_start_matches(is_mark);
    let start = part.end - from_start.len();
    start..start + from_start.trim_end_matches(is_mark).len()
}

/// Returns the bytes of a sentence without a speaker or label before it, and whether a speaker says it.
pub(crate) fn without_label(
    text: &str,
    sentence: Range<usize>,
) -> (Range<usize>, Option<Range<usize>>) {
    let slice = &text[sentence.clone()];
    let label = slice
        .split_once(": ")
        .map(|(label, _)| label)
        .filter(|label| label.len() <= 40 && !label.is_empty());
    let Some(label) = label else {
        return (sentence, None);
    };
    let is_name = label.split(' ').count() <= 2
        && label.split(' ').all(|word| {
            word.starts_with(char::is_uppercase)
                && word
                    .chars()
                    .all(|char| char.is_alphanumeric() || ".-_".contains(char))
        });
    if !is_name {
        return (sentence, None);
    }
    let start = sentence.start + label.len() + 2;
    let length = text[start..sentence.end].len() - text[start..sentence.end].trim_start().len();
    (
        start + length..sentence.end,
        Some(sentence.start..sentence.start + label.len()),
    )
}

/// Returns why a sentence states nothing that can be compared, by its form.
pub(crate) fn screened(text: &str, sentence: &Range<usize>) -> Option<Apart> {
    let slice = &text[sentence.clone()];
    if slice.len() > SENTENCE_BYTES_MAX {
        return Some(Apart::Long);
    }
    let count = |char: char| slice.chars().filter(|other| *other == char).count();
    if count('|') > 1 || count('\t') > 1 {
        return Some(Apart::Table);
    }
    if slice.ends_with('?') {
        return Some(Apart::Question);
    }
    if is_heading(text, sentence.start) {
        return Some(Apart::Heading);
    }
    if slice.starts_with('>') {
        return Some(Apart::Quoted);
    }
    let is_whole_quote = slice
        .trim_end_matches(['.', '!', ','])
        .ends_with(['"', '\u{201d}'])
        && slice.starts_with(['"', '\u{201c}']);
    if is_whole_quote {
        return Some(Apart::Quoted);
    }
    is_code(slice).then_some(Apart::Code)
}

/// Returns whether a sentence is in a Markdown heading, by the `#` before it.
fn is_heading(text: &str, start: usize) -> bool {
    let bytes = text.as_bytes();
    let skip = |mut at: usize, n: usize, is_skipped: fn(u8) -> bool| {
        let least = at.saturating_sub(n);
        while at > least && is_skipped(bytes[at - 1]) {
            at -= 1;
        }
        at
    };
    let end = skip(start, 16, |byte| matches!(byte, b' ' | b'\t' | b'*' | b'_'));
    let first = skip(end, 7, |byte| byte == b'#');
    (1..=6).contains(&(end - first)) && (first == 0 || bytes[first - 1] == b'\n')
}

fn is_code(slice: &str) -> bool {
    const BEGINNINGS: [&str; 6] = ["$ ", "#!", "```", "//", "<", "{"];
    if BEGINNINGS
        .iter()
        .any(|beginning| slice.starts_with(beginning))
        || slice.ends_with([';', '{', '}'])
    {
        return true;
    }
    let n_signs = slice
        .chars()
        .filter(|char| "{};=<>[]()\\|&$@^".contains(*char))
        .count();
    let has_operator = ["==", "!=", "::", "->", "=>", "&&", "||", "();", "://"]
        .iter()
        .any(|operator| slice.contains(operator));
    // `console.error('...')`
    let is_call = slice.split_once('(').is_some_and(|(name, rest)| {
        name.contains('.')
            && !name.contains(char::is_whitespace)
            && rest.starts_with(['\'', '"', '`'])
    });
    if is_call {
        return true;
    }
    let n_chars = slice.chars().count();
    n_signs * 8 > n_chars || (has_operator && n_signs >= 2)
}

/// Returns whether the words are those of a conversation.
pub(crate) fn is_speech(tokens: &[Token]) -> bool {
    let mut words = tokens.iter().filter_map(Token::word);
    words.any(|word| FILLERS.contains(&word))
}

/// Returns whether a line is what somebody says: a name, a colon, and words that address somebody.
pub(crate) fn is_spoken(text: &str, line: Range<usize>) -> bool {
    // The beginning of a long line suffices.
    let mut end = line.end.min(line.start + 4 * SENTENCE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let (said, speaker) = without_label(text, line.start..end);
    if speaker.is_none() {
        return false;
    }
    let said = &text[said];
    let is_address = |word: &str| {
        let word = word
            .trim_matches(|char: char| !char.is_alphanumeric())
            .to_lowercase();
        ADDRESS.contains(&word.replace('\u{2019}', "'").as_str())
    };
    said.contains(['!', '?']) || said.split_whitespace().any(is_address)
}

/// Returns whether a sentence is in another language, by its letters and its most frequent words.
pub(crate) fn is_foreign(lexicon: &Lexicon, tokens: &[Token]) -> bool {
    let (mut n_letters, mut n_other, mut n_foreign, mut n_english) = (0_usize, 0_usize, 0, 0);
    for token in tokens {
        let Shape::Word { lower, .. } = &token.shape else {
            continue;
        };
        n_letters += lower.chars().count();
        n_other += lower
            .chars()
            .filter(|char| char.is_alphabetic() && !char.is_ascii())
            .count();
        let traits = lexicon.of_word(lower);
        n_foreign += usize::from(traits.has(Traits::FOREIGN));
        n_english += usize::from(traits.has(Traits::ENGLISH));
    }
    n_other * 4 > n_letters || n_foreign > n_english
}
