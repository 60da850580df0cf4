//! What only the text of a note says: its title, words, `#tags` and language.
//!
//! A document never changes under its id, so a text is read once. Texts are read in the order of notes for a limited time.
//!
//! Properties checked: text that two chunks share is counted once.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_embed::language_name;
use memlens_ingest::inline_tags;
use memlens_library::notes::plain_heading::plain_heading;
use memlens_library::{EngineError, Library};
use memlens_store::{DocumentId, DocumentRow};

/// Characters by which a language is recognised; more text makes it slower and hardly surer.
const SAMPLE_CHARS: usize = 600;

/// What the text of a note says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextFacts {
    /// The first heading of a Markdown note, if nothing but a blank line is before it.
    pub title: Option<String>,
    /// Number of words; each Chinese or Japanese character counts as one.
    pub n_words: u32,
    /// Tags in the text, without `#`, in the order of the text.
    pub tags: Vec<String>,
    /// English name of its language; `None` if it is not certain.
    pub language: Option<&'static str>,
}

/// The texts that were read.
#[derive(Default)]
pub struct Texts {
    known: HashMap<DocumentId, Arc<TextFacts>>,
}

impl Texts {
    /// Reads texts that were not read yet, for a time; `None` for all of them.
    pub fn read(&mut self, library: &Library, time: Option<Duration>) -> Result<(), EngineError> {
        let started = Instant::now();
        let lists = library.lists();
        let documents = &lists.snapshot.documents;
        let before = std::mem::take(&mut self.known);
        let known = documents
            .iter()
            .filter_map(|document| Some((document.id, before.get(&document.id)?.clone())));
        self.known = known.collect();
        for document in documents.iter() {
            if self.known.contains_key(&document.id) {
                continue;
            }
            if time.is_some_and(|time| started.elapsed() >= time) {
                break;
            }
            let facts = facts_of(&text_of(library, document)?, is_markdown(&document.path));
            self.known.insert(document.id, Arc::new(facts));
        }
        Ok(())
    }

    /// What the text of a document says; `None` if it was not read yet.
    pub fn of(&self, document: DocumentId) -> Option<&TextFacts> {
        self.known.get(&document).map(Arc::as_ref)
    }
}

/// The text of a document by its chunks, without what a chunk repeats of the one before. Text that is damaged or gone is left out.
fn text_of(library: &Library, document: &DocumentRow) -> Result<String, EngineError> {
    let texts = library
        .store()
        .chunk_texts(document.chunks.iter().map(|chunk| chunk.id))?;
    let chunks = document.chunks.iter().zip(texts);
    let chunks = chunks.filter_map(|(chunk, text)| Some((chunk.bytes.range(), text.ok()?)));
    Ok(joined(chunks))
}

fn joined(chunks: impl Iterator<Item = (std::ops::Range<usize>, String)>) -> String {
    let (mut whole, mut end) = (String::new(), 0_usize);
    for (bytes, text) in chunks {
        // The text of JSON is shorter than its bytes, and its chunks share none.
        let n_shared = end.saturating_sub(bytes.start);
        let new = match text.len() == bytes.len() {
            true => text.get(n_shared..).unwrap_or_default(),
            false => &text,
        };
        if bytes.start > end {
            whole.push('\n');
        }
        whole.push_str(new);
        end = end.max(bytes.end);
    }
    whole
}

fn is_markdown(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|it| it.eq_ignore_ascii_case("md") || it.eq_ignore_ascii_case("markdown"))
}

fn facts_of(text: &str, is_markdown: bool) -> TextFacts {
    let text = if is_markdown {
        without_front_matter(text)
    } else {
        text
    };
    let sample = if is_markdown {
        prose(text)
    } else {
        text.chars().take(SAMPLE_CHARS).collect()
    };
    TextFacts {
        title: is_markdown.then(|| title_of(text)).flatten(),
        n_words: n_words(text),
        tags: if is_markdown {
            inline_tags(text)
        } else {
            Vec::new()
        },
        language: language_name(&sample),
    }
}

/// The first sentences of a Markdown text, at most [`SAMPLE_CHARS`]: without tables, code, tags and addresses, whose names are
/// of no language.
fn prose(text: &str) -> String {
    let mut sample = String::new();
    let mut n_chars = 0;
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(close)) if open == close => fence = None,
            (Some(_), _) | (None, None) => {}
        }
        if fence.is_some() || mark.is_some() || line.starts_with('|') {
            continue;
        }
        let words = without_marks(line);
        n_chars += words.chars().count() + 1;
        sample.push_str(&words);
        sample.push('\n');
        if n_chars >= SAMPLE_CHARS {
            break;
        }
    }
    sample.chars().take(SAMPLE_CHARS).collect()
}

/// A line without inline code, tags, targets of links, and words that are addresses, paths, or hold a digit, as hashes,
/// versions and dates do.
fn without_marks(line: &str) -> String {
    let mut words = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['`', '<', '(']) {
        let (before, marked) = rest.split_at(at);
        let close = match marked.as_bytes()[0] {
            b'`' => Some('`'),
            b'<' => Some('>'),
            // A parenthesis in a sentence stays.
            _ => before.ends_with(']').then_some(')'),
        };
        let end = close.and_then(|close| marked[1..].find(close));
        words.push_str(before);
        rest = match end {
            Some(end) => {
                words.push(' ');
                &marked[end + 2..]
            }
            None => {
                words.push_str(&marked[..1]);
                &marked[1..]
            }
        };
    }
    words.push_str(rest);
    let is_word = |word: &&str| {
        let has_digit = word.contains(|char: char| char.is_ascii_digit());
        // A sentence of a script without blanks is one word here.
        let is_code = word.contains(['/', '_', '@']) || (word.is_ascii() && has_digit);
        !is_code
    };
    let words: Vec<&str> = words.split_whitespace().filter(is_word).collect();
    words.join(" ")
}

fn without_front_matter(text: &str) -> &str {
    let inner = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"));
    let Some(inner) = inner else { return text };
    let mut end = 0;
    for line in inner.split_inclusive('\n') {
        end += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return &inner[end..];
        }
    }
    text
}

fn title_of(text: &str) -> Option<String> {
    let first = text.lines().find(|line| !line.trim().is_empty())?;
    let title = first.trim().trim_start_matches('#');
    let is_heading = first.trim().starts_with('#') && title.starts_with([' ', '\t']);
    let title = plain_heading(title.trim().trim_end_matches('#'));
    (is_heading && !title.is_empty()).then_some(title)
}

fn n_words(text: &str) -> u32 {
    let (mut n, mut is_within) = (0, false);
    for char in text.chars() {
        if is_word_of_its_own(char) {
            n += 1;
            is_within = false;
        } else if char.is_alphanumeric() {
            n += u32::from(!is_within);
            is_within = true;
        } else if !matches!(char, '\'' | '’' | '-' | '_') {
            is_within = false;
        }
    }
    n
}

/// Whether a character is of a script without blanks between words.
fn is_word_of_its_own(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
        && char.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_any_script() {
        for (text, n) in [
            ("", 0),
            ("The router's in the hall.", 5),
            ("e-mail: ana@example.org", 4),
            ("备份在哪里", 5),
            ("5 of 64 — or so", 5),
        ] {
            assert_eq!(n_words(text), n, "{text}");
        }
    }

    #[test]
    fn a_title_is_the_heading_that_a_note_begins_with() {
        for (text, title) in [
            ("\n# The router #\n\nIt is grey.", Some("The router")),
            ("It is grey.\n# The router", None),
            ("#router is grey", None),
            (
                "# aHash ![Build Status](https://img.shields.io/a.svg) [![Docs](https://b.svg)](https://docs.rs)",
                Some("aHash"),
            ),
            (
                "# Borsh in Rust &emsp; [![Latest Version]][crates.io] [docs](https://docs.rs)",
                Some("Borsh in Rust docs"),
            ),
            (
                "# R&D of `cargo` <img src=x> **now** & [x] a*b 5 < 6!",
                Some("R&D of cargo now & [x] a*b 5 < 6!"),
            ),
            ("# ![Logo](a.svg)", None),
            ("#", None),
        ] {
            assert_eq!(title_of(text).as_deref(), title, "{text}");
        }
    }

    #[test]
    fn front_matter_is_no_text_of_the_note() {
        let facts = facts_of(
            "---\ndate: 2026-03-01\n---\n# The router\n\nIt is grey.\n",
            true,
        );
        assert_eq!(facts.title.as_deref(), Some("The router"));
        assert_eq!(facts.n_words, 5);
        assert_eq!(n_words(without_front_matter("---\nnever ended")), 2);
    }

    #[test]
    fn a_language_is_known_by_sentences_not_by_names() {
        let table = (0..9)
            .map(|at| format!("| `MiniMax-M{at}` | Chat (reasoning) | Vision | Standard |\n"));
        let text = format!(
            "The bundled `minimax` plugin registers two chat providers.\n\n{}\n<Tip>\n[MiniMax Coding Plan](https://platform.minimax.io/abonnement/der-plan?quelle=link&und=nicht)\n</Tip>\n\n             ```\nder die das und nicht ist\n```\n\nModel refs follow the path of the key that is used for the setup.\n",
            table.collect::<String>()
        );
        assert_eq!(
            prose(&text)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
            "The bundled plugin registers two chat providers. [MiniMax Coding Plan] Model refs follow the path of the key that is used for the setup."
        );
        assert_eq!(facts_of(&text, true).language, Some("English"));
        assert_eq!(without_marks("a < b (c), `d"), "a < b (c), `d");
    }

    #[test]
    fn hashes_and_dates_are_of_no_language() {
        let changes = "# Changelog\n\n## [1.0.1](https://a.example/compare/v1.0.0...v1.0.1) (2022-08-18)\n\n### Bug Fixes\n\n\
                       * Ensure CommonJS mode works correctly. ([cf54a0b](https://a.example/commit/cf54a0b)), closes \
                       [#6](https://a.example/issues/6)\n\n## 1.0.0 (2022-08-17)\n\n### Features\n\n* Implement ModuleImporter \
                       ([3ce4e82](https://a.example/commit/3ce4e82))\n";
        assert!(!prose(changes).contains(|char: char| char.is_ascii_digit()));
        assert_ne!(facts_of(changes, true).language, Some("French"));
        assert_eq!(
            without_marks("\u{6211}\u{5728}2024\u{5e74}"),
            "\u{6211}\u{5728}2024\u{5e74}"
        );
    }

    #[test]
    fn what_chunks_share_is_read_once() {
        let chunk = |start: usize, text: &str| (start..start + text.len(), text.to_owned());
        let chunks = [
            chunk(0, "one two "),
            chunk(4, "two three"),
            chunk(20, "four"),
        ];
        assert_eq!(n_words(&joined(chunks.into_iter())), 4);
        // Of JSON the texts are shorter than their places.
        let json = [(0..40, "one two".to_owned()), (41..80, "three".to_owned())];
        assert_eq!(n_words(&joined(json.into_iter())), 3);
    }
}
