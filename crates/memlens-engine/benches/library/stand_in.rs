//! An embedder whose vectors cost nothing and mean nothing.

use std::sync::atomic::AtomicBool;

use memlens_embed::{EmbedError, Embedder, ModelInfo, TokenVectors};

/// Characters of a token, about.
const TOKEN_CHARS: u32 = 4;

/// Gives every text the unit vector that its hash spells, as if it were of the model whose name it bears.
pub struct StandIn {
    info: ModelInfo,
}

impl StandIn {
    pub fn boxed(model: &ModelInfo) -> Box<dyn Embedder> {
        Box::new(StandIn {
            info: model.clone(),
        })
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut bytes = vec![0; self.info.dim * size_of::<u32>()];
        let mut hasher = blake3::Hasher::new();
        hasher.update(text.as_bytes());
        hasher.finalize_xof().fill(&mut bytes);
        let numbers: Vec<f32> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|bytes| u32::from_le_bytes(*bytes) as f32 / u32::MAX as f32 - 0.5)
            .collect();
        let length = numbers.iter().map(|it| it * it).sum::<f32>().sqrt();
        numbers.iter().map(|number| number / length).collect()
    }
}

impl Embedder for StandIn {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, texts: &[&str], _: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }

    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        let ends = text
            .match_indices(' ')
            .map(|(at, _)| at)
            .chain([text.len()]);
        let mut tokens = TokenVectors::default();
        let mut start = 0;
        for end in ends {
            tokens.vectors.extend(self.vector(&text[start..end]));
            tokens.ranges.push(start..end);
            start = end;
        }
        Ok(tokens)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        text.len() as u32 / TOKEN_CHARS
    }

    fn reads(&self, _text: &str) -> bool {
        true
    }
}
