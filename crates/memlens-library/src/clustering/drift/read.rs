//! What the pass needs to know of a text.

use std::sync::OnceLock;

use memlens_contradict::{Apart, Reading, Rules};

/// A text as the rules read it; cached between passes, so that a text is read once.
pub(crate) struct Read {
    sentences: Box<[SentenceKey]>,
    left_out: Box<[(Apart, usize)]>,
    n_skipped: usize,
    /// All that the rules know of it; cached at the first comparison, because few texts are near another.
    whole: OnceLock<Reading>,
}

/// What decides with which sentences one is compared.
pub(super) struct SentenceKey {
    /// Its content words, as ascending hashes.
    pub(super) subject: Box<[u64]>,
    /// Equal for sentences that differ in numbers and dates alone.
    pub(super) template: u64,
    /// Equal for sentences of the same words, negations and values.
    pub(super) statement: u64,
}

impl Read {
    pub(crate) fn new(rules: &Rules, text: &str) -> Read {
        let reading = rules.read(text);
        let sentences = (0..reading.n_sentences()).map(|at| SentenceKey {
            subject: reading.subject(at).into(),
            template: reading.template(at),
            statement: reading.statement(at),
        });
        Read {
            sentences: sentences.collect(),
            left_out: reading.left_out().into(),
            n_skipped: reading.n_skipped(),
            whole: OnceLock::new(),
        }
    }

    pub(super) fn sentences(&self) -> &[SentenceKey] {
        &self.sentences
    }

    /// Returns why sentences are not compared, each reason once, with the number of those sentences.
    pub(super) fn left_out(&self) -> &[(Apart, usize)] {
        &self.left_out
    }

    /// Returns how many sentences after the first ones are not compared.
    pub(super) fn n_skipped(&self) -> usize {
        self.n_skipped
    }

    /// Returns the whole reading; `text` is the text that was read, and `rules` are those that read it.
    pub(super) fn whole(&self, rules: &Rules, text: &str) -> &Reading {
        self.whole.get_or_init(|| rules.read(text))
    }
}
