//! An embedder without a model: texts with common words have similar vectors.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{EmbedError, Embedder, ModelInfo, TokenVectors};

/// Hashes each word of a text to a position and a sign in its vector, for tests that need vectors but no meaning.
///
/// Deterministic on every machine and needs no files. Case, punctuation and the order of words do not matter.
#[derive(Clone, Debug)]
pub struct Hashing {
    info: ModelInfo,
}

impl Hashing {
    /// Returns an embedder with vectors of `dim` numbers; its id includes the dimension.
    ///
    /// # Panics
    /// If `dim` is 0.
    pub fn new(dim: usize) -> Self {
        assert!(dim > 0, "a vector has at least one number");
        let id = format!("hashing-{dim}");
        Self {
            info: ModelInfo {
                name: id.clone(),
                id,
                dim,
                max_tokens: usize::MAX,
            },
        }
    }

    /// Returns the position of a word's number in a vector, and the number, 1 or -1.
    fn place(&self, word: &str) -> (usize, f32) {
        let hash = fnv1a(word.to_lowercase().as_bytes());
        let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
        ((hash % self.info.dim as u64) as usize, sign)
    }

    fn embed_one(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0.0_f32; self.info.dim];
        for (_, word) in words(text) {
            let (at, sign) = self.place(word);
            vector[at] += sign;
        }
        let length = vector
            .iter()
            .map(|number| number * number)
            .sum::<f32>()
            .sqrt();
        if length == 0.0 {
            // No word, or words that cancel out: any vector of unit length.
            vector[0] = 1.0;
            return vector;
        }
        vector.iter().map(|number| number / length).collect()
    }
}

/// 64 numbers per vector: few enough to be fast, enough that two words rarely collide.
impl Default for Hashing {
    fn default() -> Self {
        Self::new(64)
    }
}

impl Embedder for Hashing {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        let embed = |text: &&str| match cancel.load(Ordering::Relaxed) {
            true => Err(EmbedError::Cancelled),
            false => Ok(self.embed_one(text)),
        };
        texts.iter().map(embed).collect()
    }

    /// A token is a word, and its neighbours have no effect.
    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        let mut tokens = TokenVectors::default();
        for (start, word) in words(text) {
            let (at, sign) = self.place(word);
            let row = (0..self.info.dim).map(|number| if number == at { sign } else { 0.0 });
            tokens.push(start..start + word.len(), row);
        }
        Ok(tokens)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        words(text).count() as u32
    }

    fn reads(&self, _text: &str) -> bool {
        true
    }
}

/// Returns every run of letters and digits with the byte at which it starts.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_between = |c: char| !c.is_alphanumeric();
    let mut end = 0;
    text.split_inclusive(is_between)
        .map(move |piece| {
            let start = end;
            end += piece.len();
            (start, piece.trim_end_matches(is_between))
        })
        .filter(|(_, word)| !word.is_empty())
}

/// FNV-1a, 64 bits. Unlike the standard library's hashes it is the same everywhere.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Checks unit length and dimension for every text, that only words count, and that cancelling stops.
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector(text: &str) -> Vec<f32> {
        let embedded = Hashing::default().embed(&[text], &AtomicBool::new(false));
        embedded.expect("nothing cancels it").remove(0)
    }

    proptest! {
        #[test]
        fn every_text_has_a_unit_vector(text in "\\PC{0,80}", dim in 1_usize..70) {
            let vectors = Hashing::new(dim).embed(&[&text, ""], &AtomicBool::new(false)).expect("nothing cancels it");
            for vector in vectors {
                prop_assert_eq!(vector.len(), dim);
                let squared: f32 = vector.iter().map(|number| number * number).sum();
                prop_assert!((squared - 1.0).abs() < 1e-5, "squared length {}", squared);
            }
        }
    }

    #[test]
    fn order_case_and_signs_do_not_count() {
        assert_eq!(vector("The relay, at NIGHT!"), vector("night at the relay"));
        assert_ne!(vector("relay"), vector("night"));
    }

    #[test]
    fn a_token_is_a_word_at_its_place() {
        let mut embedder = Hashing::default();
        let text = "The relay, at NIGHT!";
        let tokens = embedder.token_vectors(text).expect("it returns them");
        let words: Vec<&str> = tokens
            .ranges
            .iter()
            .map(|range| &text[range.clone()])
            .collect();
        assert_eq!(words, ["The", "relay", "at", "NIGHT"]);
        assert_eq!(tokens.vectors.chunks(64).nth(3), Some(&vector("night")[..]));
        assert_eq!(
            embedder.token_vectors(", !").expect("it returns them"),
            TokenVectors::default()
        );
    }

    #[test]
    fn the_same_on_every_machine() {
        let places: Vec<usize> = (0..64).filter(|&at| vector("relay")[at] != 0.0).collect();
        assert_eq!(places, [34]);
        // From the authors' published test values.
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn cancelling_stops() {
        let answer = Hashing::default().embed(&["relay"], &AtomicBool::new(true));
        assert!(matches!(answer, Err(EmbedError::Cancelled)), "{answer:?}");
    }
}
