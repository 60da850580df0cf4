//! An embedder whose vectors cost nothing and lie as those of real texts do: in neighbourhoods.

use std::sync::atomic::AtomicBool;

use memlens_embed::{EmbedError, Embedder, ModelInfo, TokenVectors};

use crate::random::Random;

/// Texts that come one after the other from one note, and from one chunk with its windows.
const TEXTS_OF_NOTE: u64 = 46;
const TEXTS_OF_CHUNK: u64 = 5;
/// How far texts are moved from one another by their note, by their chunk and by themselves: shares of a difference of two samples.
const MOVES: [f32; 3] = [0.6, 0.4, 0.3];
/// Characters of a token, about.
const TOKEN_CHARS: u32 = 4;

/// Gives each text the vector of some sample, moved by differences of samples: texts that come one after the other, and
/// so are of one note, are moved alike.
pub struct Neighbours {
    info: ModelInfo,
    samples: Vec<Vec<f32>>,
    n_done: u64,
}

impl Neighbours {
    /// An embedder under the name of `model`, whose vectors of real texts `samples` are.
    pub fn boxed(model: &ModelInfo, samples: Vec<Vec<f32>>) -> Box<dyn Embedder> {
        assert!(!samples.is_empty(), "there are real texts");
        Box::new(Neighbours {
            info: model.clone(),
            samples,
            n_done: 0,
        })
    }

    fn next(&mut self) -> Vec<f32> {
        let text = self.n_done;
        self.n_done += 1;
        let note = text / TEXTS_OF_NOTE;
        let mut of_note = Random::new(note);
        let samples = &self.samples;
        let sample = |random: &mut Random| &samples[random.below(samples.len())];
        let mut numbers = sample(&mut of_note).clone();
        let movers = [
            of_note,
            Random::new((1 << 40) | (text / TEXTS_OF_CHUNK)),
            Random::new(1 << 41 | text),
        ];
        for (share, mut random) in MOVES.into_iter().zip(movers) {
            let (to, from) = (sample(&mut random), sample(&mut random));
            for ((number, to), from) in numbers.iter_mut().zip(to).zip(from) {
                *number += share * (to - from);
            }
        }
        let length = numbers.iter().map(|it| it * it).sum::<f32>().sqrt();
        numbers.iter().map(|number| number / length).collect()
    }
}

impl Embedder for Neighbours {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, texts: &[&str], _: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|_| self.next()).collect())
    }

    fn token_vectors(&mut self, _: &str) -> Result<TokenVectors, EmbedError> {
        unreachable!("nothing is compared by tokens here")
    }

    fn count_tokens(&self, text: &str) -> u32 {
        text.len() as u32 / TOKEN_CHARS
    }

    fn reads(&self, _text: &str) -> bool {
        true
    }
}
