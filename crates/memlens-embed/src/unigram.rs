//! A tokenizer of pieces with scores (Unigram), which reads the `tokenizer.json` of the multilingual model.
//!
//! The tokenizers crate holds a hash map per node of its trie: 280 MB for 250,000 pieces. This one holds all pieces in
//! one string and an open hash table: 7 MB. Both give the same ids, except for splits of equal score and for a marker
//! such as `<s>` in a text, which here is text.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Marks the start of a word, in pieces and in normalised texts.
const BLANK: char = '\u{2581}';
/// The wide tilde of Japanese and Chinese texts is a piece of its own, so it is kept as it is.
const WIDE_TILDE: char = '\u{ff5e}';
/// The model's tokenizer replaces [`WIDE_TILDE`] by this private character meanwhile, so both become the tilde.
const WIDE_TILDE_STAND_IN: char = '\u{f8ff}';
/// How far the score of an unknown character is below the lowest score of a piece.
const UNKNOWN_PENALTY: f64 = 10.0;
/// An empty slot of the hash table.
const EMPTY: u32 = u32::MAX;

/// The parts of `tokenizer.json` that differ between models of this kind.
#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    model: Model<'a>,
    #[serde(borrow)]
    added_tokens: Vec<Added<'a>>,
}

#[derive(Deserialize)]
struct Model<'a> {
    unk_id: u32,
    #[serde(borrow)]
    vocab: Vec<(Cow<'a, str>, f64)>,
}

#[derive(Deserialize)]
struct Added<'a> {
    id: u32,
    #[serde(borrow)]
    content: Cow<'a, str>,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) id: u32,
    /// Its bytes in the text; empty at the text's start for the mark that the tokenizer puts there.
    pub(crate) bytes: Range<usize>,
}

/// A unigram tokenizer: pieces of words, with their scores.
pub(crate) struct Unigram {
    /// All pieces, one after the other.
    text: String,
    /// Where each piece begins in `text`, and the end of the last.
    starts: Vec<u32>,
    scores: Vec<f64>,
    /// Ids by hash of the piece; a power of two of slots, at most half of them used.
    slots: Vec<u32>,
    /// Number of bytes of the longest piece.
    n_bytes_max: usize,
    unknown: u32,
    unknown_score: f64,
    /// The ids of the marks around a text.
    start: u32,
    end: u32,
}

impl Unigram {
    /// Reads `tokenizer.json`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(json: &[u8]) -> Result<Unigram, String> {
        let file: File<'_> = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let mark = |content: &str| {
            let mark = file.added_tokens.iter().find(|it| it.content == content);
            mark.map(|it| it.id)
                .ok_or_else(|| format!("it has no token {content}"))
        };
        let (start, end) = (mark("<s>")?, mark("</s>")?);
        let Model { unk_id, vocab } = file.model;
        let mut text = String::new();
        let mut starts = vec![0];
        for (piece, _) in &vocab {
            text.push_str(piece);
            starts.push(text.len() as u32);
        }
        let lowest = vocab.iter().map(|(_, score)| *score).reduce(f64::min);
        let lowest = lowest.ok_or("it has no pieces")?;
        let mut unigram = Unigram {
            text,
            starts,
            scores: vocab.iter().map(|(_, score)| *score).collect(),
            slots: vec![EMPTY; (2 * vocab.len()).next_power_of_two()],
            n_bytes_max: 0,
            unknown: unk_id,
            unknown_score: lowest - UNKNOWN_PENALTY,
            start,
            end,
        };
        for (id, (piece, _)) in (0..).zip(&vocab) {
            // A text holds no marks.
            if !piece.is_empty() && !file.added_tokens.iter().any(|it| it.id == id) {
                unigram.insert(id, piece);
            }
        }
        Ok(unigram)
    }

    fn insert(&mut self, id: u32, piece: &str) {
        self.n_bytes_max = self.n_bytes_max.max(piece.len());
        let mut slot = hash(piece.as_bytes()) as usize & (self.slots.len() - 1);
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = id;
    }

    fn id_of(&self, piece: &[u8], hash: u64) -> Option<u32> {
        let mut slot = hash as usize & (self.slots.len() - 1);
        while self.slots[slot] != EMPTY {
            let id = self.slots[slot];
            let (from, to) = (self.starts[id as usize], self.starts[id as usize + 1]);
            if &self.text.as_bytes()[from as usize..to as usize] == piece {
                return Some(id);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        None
    }

    /// The ids of the marks before and after a text.
    pub(crate) fn marks(&self) -> (u32, u32) {
        (self.start, self.end)
    }

    /// The id that stands for a run of unknown characters.
    pub(crate) fn unknown(&self) -> u32 {
        self.unknown
    }

    /// Returns the tokens of a text, without marks around it. `is_start` is false for a part that continues a word of
    /// the part before it.
    pub(crate) fn tokens(&self, text: &str, is_start: bool) -> Vec<Token> {
        let normal = Normal::new(text, is_start);
        let mut tokens = Vec::new();
        let mut start = 0;
        // A word begins with its blank.
        let ends = normal
            .text
            .match_indices(BLANK)
            .map(|(at, _)| at)
            .skip(usize::from(normal.text.starts_with(BLANK)));
        for end in ends.chain([normal.text.len()]) {
            self.cut(&normal, start..end, &mut tokens);
            start = end;
        }
        tokens
    }

    /// Adds the pieces of a word: of all ways to cut it, that with the highest sum of scores.
    fn cut(&self, normal: &Normal, word: Range<usize>, tokens: &mut Vec<Token>) {
        /// The best way to cut the word up to a byte.
        #[derive(Clone, Copy)]
        struct Best {
            score: f64,
            /// Start and id of its last piece; `None` if no piece ends there.
            last: Option<(usize, u32)>,
        }
        let text = &normal.text.as_bytes()[word.clone()];
        let mut best = vec![
            Best {
                score: 0.0,
                last: None,
            };
            text.len() + 1
        ];
        for (at, c) in normal.text[word.clone()].char_indices() {
            let before = best[at].score;
            let mut reach = |end: usize, score: f64, id: u32| {
                let there = &mut best[end];
                if there.last.is_none() || before + score > there.score {
                    *there = Best {
                        score: before + score,
                        last: Some((at, id)),
                    };
                }
            };
            let mut is_known = false;
            let mut hash = HASH_START;
            let longest = text.len().min(at + self.n_bytes_max);
            for end in at + 1..=longest {
                hash = hashed(hash, text[end - 1]);
                let is_char_end = end == text.len() || text[end] & 0xc0 != 0x80;
                if let Some(id) = is_char_end
                    .then(|| self.id_of(&text[at..end], hash))
                    .flatten()
                {
                    is_known |= end == at + c.len_utf8();
                    reach(end, self.scores[id as usize], id);
                }
            }
            if !is_known {
                reach(at + c.len_utf8(), self.unknown_score, self.unknown);
            }
        }
        let from = tokens.len();
        let mut end = text.len();
        while let Some((start, id)) = best[end].last {
            let bytes = normal.bytes_of(word.start + start..word.start + end);
            match tokens[from..].last_mut() {
                // A run of unknown characters is one token.
                Some(next) if id == self.unknown && next.id == self.unknown => {
                    next.bytes.start = bytes.start;
                }
                Some(_) | None => tokens.push(Token { id, bytes }),
            }
            end = start;
        }
        tokens[from..].reverse();
    }
}

/// A text as the pieces are written: without control characters, in NFKC, one [`BLANK`] before each word.
struct Normal {
    text: String,
    /// For each byte of `text` the bytes of the original that it comes from.
    origins: Vec<(u32, u32)>,
}

impl Normal {
    fn new(text: &str, is_start: bool) -> Normal {
        let mut normal = Normal {
            text: String::with_capacity(text.len() + BLANK.len_utf8()),
            origins: Vec::with_capacity(text.len() + BLANK.len_utf8()),
        };
        if is_start && text.chars().any(|c| kept(c).is_some()) {
            normal.push(BLANK, (0, 0));
        }
        // Characters that NFKC may combine with each other, and their bytes.
        let mut cluster = String::new();
        let mut bytes = (0, 0);
        for (at, c) in text.char_indices() {
            let own = (at as u32, (at + c.len_utf8()) as u32);
            let Some(c) = kept(c) else { continue };
            if !cluster.is_empty() && !is_boundary(c) {
                cluster.push(c);
                bytes.1 = own.1;
                continue;
            }
            normal.push_cluster(&cluster, bytes);
            cluster.clear();
            cluster.push(c);
            bytes = own;
        }
        normal.push_cluster(&cluster, bytes);
        normal
    }

    fn push_cluster(&mut self, cluster: &str, bytes: (u32, u32)) {
        if cluster.is_ascii() {
            cluster.chars().for_each(|c| self.push(c, bytes));
            return;
        }
        for c in cluster.nfkc() {
            let c = if c == WIDE_TILDE_STAND_IN {
                WIDE_TILDE
            } else {
                c
            };
            self.push(c, bytes);
        }
    }

    fn push(&mut self, c: char, bytes: (u32, u32)) {
        let c = if c == ' ' { BLANK } else { c };
        if c == BLANK && self.text.ends_with(BLANK) {
            return;
        }
        self.text.push(c);
        self.origins.extend((0..c.len_utf8()).map(|_| bytes));
    }

    /// Returns which bytes of the original a part of the text comes from, without the blank at its start.
    fn bytes_of(&self, part: Range<usize>) -> Range<usize> {
        let blank = if self.text[part.clone()].starts_with(BLANK) {
            BLANK.len_utf8()
        } else {
            0
        };
        let first = (part.start + blank).min(part.end - 1);
        let (start, end) = (self.origins[first].0, self.origins[part.end - 1].1);
        start as usize..end as usize
    }
}

/// Returns the character that takes the place of `c`; `None` if it is left out.
fn kept(c: char) -> Option<char> {
    match c {
        '\u{1}'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{8f}' | '\u{9f}' => None,
        '\t'
        | '\n'
        | '\u{c}'
        | '\r'
        | '\u{1680}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'
        | '\u{2029}'
        | BLANK
        | '\u{feff}'
        | '\u{fffd}' => Some(' '),
        WIDE_TILDE => Some(WIDE_TILDE_STAND_IN),
        c => Some(c),
    }
}

/// Returns whether NFKC never combines `c` with what is before it.
fn is_boundary(c: char) -> bool {
    if c.is_ascii() {
        return true;
    }
    let mut first = None;
    decompose_compatible(c, |part| {
        first.get_or_insert(part);
    });
    let first = first.unwrap_or(c);
    canonical_combining_class(first) == 0
        && is_nfkc_quick(std::iter::once(first)) != IsNormalized::Maybe
}

const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

/// One step of FNV-1a with its upper bits mixed into the lower ones, which select the slot.
fn hashed(hash: u64, byte: u8) -> u64 {
    let hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    hash ^ (hash >> 29)
}

fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(HASH_START, |hash, byte| hashed(hash, *byte))
}

/// Checks a tiny vocabulary against the tokenizers crate, and the places of tokens. The model's own pieces are compared in
/// `tests/multilingual.rs`.
#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokenizers::Tokenizer;

    use super::*;

    const TINY: &str = include_str!("../tests/fixtures/tiny-unigram.json");

    fn ours() -> Unigram {
        Unigram::parse(TINY.as_bytes()).expect("the fixture is valid")
    }

    fn theirs() -> Tokenizer {
        TINY.parse().expect("the fixture is valid")
    }

    fn check(ours: &Unigram, theirs: &Tokenizer, text: &str) {
        let expected = theirs
            .encode_fast(text, false)
            .expect("it takes every text");
        let ids: Vec<u32> = ours.tokens(text, true).iter().map(|it| it.id).collect();
        assert_eq!(ids, expected.get_ids(), "{text:?}");
    }

    #[test]
    fn ids_equal_those_of_the_tokenizers_crate() {
        let (ours, theirs) = (ours(), theirs());
        for text in [
            "the relay",
            "  two\t\nblanks ",
            "the\u{200b}relay\u{feff}",
            "re\u{7}lay",
            "cafe\u{301}",
            "caf\u{e9}",
            "\u{ff54}\u{ff48}\u{ff45}",
            "\u{2460}\u{3000}a",
            "\u{ff5e}a~\u{f8ff}",
            "\u{1112}\u{1161}\u{11ab}",
            "\u{ff76}\u{ff9e}",
            "\u{5907}\u{4efd}\u{5907}",
            "\u{1f980}\u{1f980}the\u{1f980}",
            "\u{b4}",
            "\0a",
            "\u{2581}the",
            "a\u{315}\u{301}\u{300}",
        ] {
            check(&ours, &theirs, text);
        }
    }

    #[test]
    fn tokens_have_their_places_in_the_original() {
        let check = |text: &str, expected: &[&str]| {
            let tokens = ours().tokens(text, true);
            let places: Vec<&str> = tokens.iter().map(|it| &text[it.bytes.clone()]).collect();
            assert_eq!(places, expected, "{text:?}");
        };
        check("the  relay", &["the", "re", "lay"]);
        check("cafe\u{301} the", &["caf", "e\u{301}", "the"]);
        check(
            "\u{5907}\u{1f980}\u{1f980}",
            &["", "\u{5907}", "\u{1f980}\u{1f980}"],
        );
        check("the ", &["the", " "]);
    }

    #[test]
    fn a_marker_in_a_text_is_text() {
        let ours = ours();
        let (start, end) = ours.marks();
        let ids = ours.tokens("<s> </s>", true);
        assert!(
            ids.iter().all(|it| it.id != start && it.id != end),
            "{ids:?}"
        );
    }

    #[test]
    fn a_broken_file_is_refused() {
        let refused = |json: &str| match Unigram::parse(json.as_bytes()) {
            Ok(_) => panic!("{json} was accepted"),
            Err(why) => why,
        };
        assert!(refused("{}").contains("model"));
        let none = r#"{"added_tokens": [], "model": {"unk_id": 0, "vocab": []}}"#;
        assert!(refused(none).contains("no token <s>"));
    }

    proptest! {
        #[test]
        fn any_text_has_the_same_ids(text in "[ae\u{301}\u{300}threly \n\u{ff54}\u{ff9e}\u{ff76}\u{ac00}\u{11a8}\u{5907}\u{1f980}\u{7}\u{2460}]{0,24}") {
            check(&ours(), &theirs(), &text);
        }

        #[test]
        fn every_byte_of_a_token_is_of_the_text(text in ".{0,40}") {
            let mut end = 0;
            for token in ours().tokens(&text, true) {
                prop_assert!(text.get(token.bytes.clone()).is_some());
                prop_assert!(token.bytes.start <= token.bytes.end && token.bytes.end >= end);
                end = token.bytes.end;
            }
        }
    }
}
