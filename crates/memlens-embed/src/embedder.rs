//! What every embedder offers, whatever makes its vectors.

use std::sync::atomic::AtomicBool;

use crate::{EmbedError, TokenVectors};

/// A model as the rest of the program knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// Stands beside stored vectors. Two models that could differ in any vector have different ids.
    pub id: String,
    /// The name that people see.
    pub name: String,
    /// How many numbers a vector has, at least 1.
    pub dim: usize,
    /// How many tokens of a text are read, the two that mark its ends included; what follows is not seen.
    pub max_tokens: usize,
}

/// Turns texts into vectors, each on its own: a vector depends on nothing but its text.
pub trait Embedder: Send {
    /// What makes the vectors.
    fn info(&self) -> &ModelInfo;

    /// One vector per text, in order: `f32[dim]`, finite, unit length.
    ///
    /// An empty text has a vector too. Give few texts a call: what is done is lost when one fails or when `cancel`
    /// becomes true, which is looked at before each text.
    ///
    /// # Errors
    /// [`EmbedError::Cancelled`], or [`EmbedError::Embed`] if a text gives no vector.
    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// A vector for each token of `text`, the first [`ModelInfo::max_tokens`] of them, those that mark its ends
    /// left out; a text without tokens has none.
    ///
    /// What each token says depends on its neighbours in `text`, and on nothing else.
    ///
    /// # Errors
    /// [`EmbedError::Embed`] if the model does not tell them.
    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError>;

    /// How many tokens `text` has, however long it is, without those that mark its ends; 0 for none.
    fn count_tokens(&self, text: &str) -> u32;

    /// Gets ready after a [rest](Embedder::rest); whoever rests an embedder wakes it before anything else, and a new one
    /// may be at rest.
    ///
    /// # Errors
    /// As the loading of the model.
    fn wake(&mut self) -> Result<(), EmbedError> {
        Ok(())
    }

    /// Gives its memory back until it is woken; one that holds little does nothing.
    fn rest(&mut self) {}

    /// Whether the model can read `text` at all: it knows at least half of its tokens, or there are none.
    ///
    /// A vector of unknown tokens says nothing: it is near every other such vector, whatever the texts.
    fn reads(&self, text: &str) -> bool;
}
