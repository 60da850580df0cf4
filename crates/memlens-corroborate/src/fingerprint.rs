//! What is kept of an observation's text to find those that say the same.

use crate::boilerplate::is_formula;
use crate::claims::Claims;
use crate::words::{fnv1a, simhash, words};

/// An observation of fewer words says too little to be agreed with: `done`, `see above`, nothing at all.
pub const WORDS_MIN: usize = 3;

/// What is kept of an observation's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The SimHash of its words.
    pub simhash: u64,
    /// The hashes of its distinct words, ascending.
    pub words: Box<[u64]>,
    /// How many words it has, every occurrence counted.
    pub n_words: u32,
    /// What it claims.
    pub claims: Claims,
    /// Whether it is a notice of a licence or the head of a release.
    pub is_formula: bool,
}

impl Fingerprint {
    /// Reads a text, of any length.
    pub fn of(text: &str) -> Fingerprint {
        let words = words(text);
        let mut hashes: Vec<u64> = words.iter().map(|word| fnv1a(word)).collect();
        let simhash = simhash(hashes.iter().copied());
        hashes.sort_unstable();
        hashes.dedup();
        Fingerprint {
            simhash,
            words: hashes.into(),
            n_words: words.len() as u32,
            claims: Claims::of(text, &words),
            is_formula: is_formula(text, &words),
        }
    }

    /// Whether it says enough to be agreed with.
    pub fn is_telling(&self) -> bool {
        self.n_words as usize >= WORDS_MIN && !self.is_formula
    }

    /// In how many of 64 bits the SimHashes differ.
    pub fn distance(&self, other: &Fingerprint) -> u32 {
        (self.simhash ^ other.simhash).count_ones()
    }

    /// The share of common words among all distinct words of both, in `[0, 1]`: Jaccard's index; 0 for two
    /// without words.
    pub fn overlap(&self, other: &Fingerprint) -> f64 {
        let n_common = n_common(&self.words, &other.words);
        let n_all = self.words.len() + other.words.len() - n_common;
        if n_all == 0 {
            0.0
        } else {
            n_common as f64 / n_all as f64
        }
    }
}

/// How many items two ascending lists share.
pub(crate) fn n_common<T: Ord>(mut a: &[T], mut b: &[T]) -> usize {
    let mut n = 0;
    while let ([first_a, rest_a @ ..], [first_b, rest_b @ ..]) = (a, b) {
        match first_a.cmp(first_b) {
            std::cmp::Ordering::Less => a = rest_a,
            std::cmp::Ordering::Greater => b = rest_b,
            std::cmp::Ordering::Equal => {
                n += 1;
                (a, b) = (rest_a, rest_b);
            }
        }
    }
    n
}
