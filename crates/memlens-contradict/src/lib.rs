//! Contradictions: whether two short English texts oppose each other, by rules.
//!
//! [`Rules::read`] cuts a text into sentences and notes what each states: its content words, what it denies, its values
//! (numbers, amounts, times, dates) and names. [`Rules::compare`] compares two readings sentence by sentence. Two
//! sentences that share at least half of their content words contradict each other if words of an
//! [opposition pair](Oppositions) oppose each other, one denies what the other states, another value or name
//! fills the same place, or two things exchange their roles. They may contradict each other then. A contradiction is `sure`
//! only if both say the same but for what opposes, so that they cannot both be true of one thing at one time: in another
//! order or with other function words, but without words of their own, conditions, hedges, quantifiers, defaults and quotes,
//! and about something that is so until somebody changes it. Whatever is not reported has a [reason](Apart).
//!
//! [`other_scope`] returns whether the headings above two sentences name two things, and [`other_project`] whether their notes
//! are about two projects: then a caller must not take a contradiction for sure.
//!
//! Precision goes before recall: paraphrases that share few words are not found. The rules are for English;
//! sentences in other languages are not compared.
//!
//! Cost: reading takes time linear in the text. Of a text the first [`SENTENCES_MAX`] sentences that state something are
//! compared, each of at most [`SENTENCE_BYTES_MAX`] bytes, so a comparison is bounded.
//!
//! Properties checked: a comparison is symmetric, never fails, and never finds that a text contradicts itself.
//!
//! This crate is pure: it knows no files, clock, threads, database or ranking.
//!
//! ```
//! use memlens_contradict::{Kind, Oppositions, Rules};
//!
//! let rules = Rules::new(&Oppositions::standard());
//! let a = rules.read("The push relay listens on port 8093.");
//! let b = rules.read("The push relay listens on port 8443.");
//!
//! let verdict = rules.compare(&a, &b);
//! let found = verdict.contradiction().unwrap();
//! assert_eq!((found.kind, found.sure), (Kind::Number, true));
//! assert_eq!(&b.text()[found.b.words[0].clone()], "8443");
//! ```

mod editing;
mod lexicon;
mod opposed;
mod oppositions;
mod reading;
mod scope;
mod sentence;
mod token;
mod verdict;

use std::ops::Range;

use lexicon::Lexicon;
use reading::Sentence;

pub use editing::{PHRASE_WORDS_MAX, PairError};
pub use opposed::OVERLAP_MIN;
pub use oppositions::{Opposition, Oppositions, OppositionsError, PAIRS_MAX, WORD_BYTES_MAX};
pub use scope::{Above, Location, is_in_changelog, other_project, other_scope};
pub use sentence::SENTENCE_BYTES_MAX;
pub use verdict::{Apart, Contradiction, Kind, Place, Side, Verdict};

/// Maximum number of sentences of a text that are compared.
pub const SENTENCES_MAX: usize = 200;

/// Maximum number of sentences of a text that are read, whether they state something or not.
pub const SENTENCES_READ_MAX: usize = 2_000;

/// The rules with their word lists.
pub struct Rules {
    lexicon: Lexicon,
}

/// What a text states, for comparison with other texts.
#[derive(Debug, Clone)]
pub struct Reading {
    text: String,
    sentences: Vec<Sentence>,
    /// Why sentences are left out, and how many; one entry per reason.
    left_out: Vec<(Apart, usize)>,
    n_skipped: usize,
}

impl Reading {
    /// Returns the text as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of sentences that are compared.
    pub fn n_sentences(&self) -> usize {
        self.sentences.len()
    }

    /// Returns how many sentences behind the first [`SENTENCES_MAX`] are not compared.
    pub fn n_skipped(&self) -> usize {
        self.n_skipped
    }

    /// Returns why sentences are not compared, each reason once, with the number of those sentences.
    pub fn left_out(&self) -> &[(Apart, usize)] {
        &self.left_out
    }

    /// Returns the content words of a sentence, as ascending hashes. Two sentences whose words overlap (Jaccard's index)
    /// by less than [`OVERLAP_MIN`] never contradict each other.
    pub fn subject(&self, sentence: usize) -> &[u64] {
        &self.sentences[sentence].core
    }

    /// Returns a number that is equal for sentences that differ in numbers and dates alone.
    pub fn template(&self, sentence: usize) -> u64 {
        self.sentences[sentence].template
    }

    /// Returns a number that is equal for sentences of the same words, negations and values.
    pub fn statement(&self, sentence: usize) -> u64 {
        self.sentences[sentence].hash
    }

    /// Returns the bytes of a sentence in the text.
    pub fn place(&self, sentence: usize) -> Range<usize> {
        self.sentences[sentence].bytes.clone()
    }
}

impl Rules {
    /// Prepares the rules with a list of opposition pairs.
    pub fn new(oppositions: &Oppositions) -> Rules {
        Rules {
            lexicon: Lexicon::of(oppositions),
        }
    }

    /// Reads a text of any length.
    pub fn read(&self, text: &str) -> Reading {
        let mut reading = Reading {
            text: text.to_owned(),
            sentences: Vec::new(),
            left_out: Vec::new(),
            n_skipped: 0,
        };
        let (mut line_end, mut n_read) = (0, 0);
        let mut is_speech = false;
        let mut strikethrough = sentence::strikethrough(text).peekable();
        for bytes in sentence::sentences(text) {
            if bytes.start >= line_end {
                let line = bytes.start
                    ..text[bytes.start..]
                        .find('\n')
                        .map_or(text.len(), |end| bytes.start + end);
                line_end = line.end.max(bytes.start + 1);
                is_speech = sentence::is_spoken(text, line);
            }
            if reading.sentences.len() == SENTENCES_MAX || n_read == SENTENCES_READ_MAX {
                reading.n_skipped += 1;
                continue;
            }
            n_read += 1;
            while strikethrough
                .next_if(|part| part.end <= bytes.start)
                .is_some()
            {}
            let is_strikethrough = strikethrough
                .peek()
                .is_some_and(|part| part.start < bytes.end);
            let sentence = if is_strikethrough {
                Err(Apart::Struck)
            } else {
                Sentence::read(&self.lexicon, text, bytes, is_speech)
            };
            match sentence {
                Ok(sentence) => reading.sentences.push(sentence),
                Err(why) => {
                    let known = reading.left_out.iter_mut().find(|(known, _)| *known == why);
                    match known {
                        Some((_, n)) => *n += 1,
                        None => reading.left_out.push((why, 1)),
                    }
                }
            }
        }
        reading
    }

    /// Compares two texts. Of several contradictions the surest with the most common words is returned, ties by the
    /// place in the texts.
    pub fn compare(&self, a: &Reading, b: &Reading) -> Verdict {
        // One orientation, so that the verdict is symmetric.
        if b.text < a.text {
            return match self.compare(b, a) {
                Verdict::Contradiction(found) => Verdict::Contradiction(found.swapped()),
                apart @ Verdict::Apart(_) => apart,
            };
        }
        if a.text == b.text {
            return Verdict::Apart(Apart::Same);
        }
        let mut best: Option<Contradiction> = None;
        let mut reasons = [Apart::Unrelated; 1];
        let mut rank = 0;
        for at in 0..a.sentences.len() {
            for other in 0..b.sentences.len() {
                match self.compare_sentences(a, at, b, other) {
                    Verdict::Contradiction(found) => {
                        if best
                            .as_ref()
                            .is_none_or(|best| (found.sure, found.score) > (best.sure, best.score))
                        {
                            best = Some(found);
                        }
                    }
                    // The reason that came nearest to a contradiction.
                    Verdict::Apart(why) if why > Apart::Same && why as usize > rank => {
                        rank = why as usize;
                        reasons[0] = why;
                    }
                    Verdict::Apart(Apart::Same) if rank == 0 => reasons[0] = Apart::Agree,
                    Verdict::Apart(_) => {}
                }
            }
        }
        if let Some(best) = best {
            return Verdict::Contradiction(best);
        }
        let left_out = a
            .left_out
            .iter()
            .chain(&b.left_out)
            .map(|(why, _)| why)
            .max();
        match left_out {
            Some(why) if a.sentences.is_empty() || b.sentences.is_empty() => Verdict::Apart(*why),
            Some(_) | None => Verdict::Apart(reasons[0]),
        }
    }

    /// Compares one sentence of each text. A sentence that the other text states too contradicts nothing there.
    pub fn compare_sentences(&self, a: &Reading, at: usize, b: &Reading, other: usize) -> Verdict {
        let (x, y) = (&a.sentences[at], &b.sentences[other]);
        let is_said = |sentence: &Sentence, reading: &Reading| {
            reading
                .sentences
                .iter()
                .any(|there| there.hash == sentence.hash)
        };
        if is_said(x, b) || is_said(y, a) {
            return Verdict::Apart(Apart::Same);
        }
        opposed::compare(x, y, self.lexicon.special)
    }
}
