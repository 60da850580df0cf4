//! The part of an observation's text that is needed to find those that say the same.

use crate::boilerplate::is_formula;
use crate::claims::Claims;
use crate::words::{fnv1a, simhash, words};

/// Observations with fewer words, such as `done` or `see above`, say too little to be agreed with.
pub const WORDS_MIN: usize = 3;

/// Compact form of an observation's text, for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The SimHash of its words.
    pub simhash: u64,
    /// The hashes of its distinct words, ascending.
    pub words: Box<[u64]>,
    /// Number of its words, counting every occurrence.
    pub n_words: u32,
    /// Negations and numbers in the text.
    pub claims: Claims,
    /// Whether it is a notice of a licence or the heading of a release.
    pub is_formula: bool,
}

impl Fingerprint {
    /// Returns the fingerprint of a text of any length.
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

    /// Returns whether it says enough to be agreed with.
    pub fn is_telling(&self) -> bool {
        self.n_words as usize >= WORDS_MIN && !self.is_formula
    }

    /// Returns the number of bits in which the SimHashes differ, 0 to 64.
    pub fn distance(&self, other: &Fingerprint) -> u32 {
        (self.simhash ^ other.simhash).count_ones()
    }

    /// Returns the share of common words among all distinct words of both, in `[0, 1]` (Jaccard's index); 0 if neither
    /// has words.
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

/// Returns the number of items that two ascending lists share.
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
