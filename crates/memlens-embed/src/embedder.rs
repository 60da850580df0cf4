//! The interface of all embedders.

use std::sync::atomic::AtomicBool;

use crate::{EmbedError, TokenVectors};

/// Describes a model to the rest of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// Stored with the vectors. Models that could differ in any vector have different ids.
    pub id: String,
    /// The name shown to the user.
    pub name: String,
    /// Number of values in a vector, at least 1.
    pub dim: usize,
    /// Maximum number of tokens read of a text, including the two that mark its ends; the rest is ignored.
    pub max_tokens: usize,
}

/// Turns texts into vectors. A vector depends only on its text, and on whether that is a question.
pub trait Embedder: Send {
    /// Returns the description of the model.
    fn info(&self) -> &ModelInfo;

    /// Returns one vector per text, in order: `f32[dim]`, finite, unit length.
    ///
    /// An empty text has a vector too. Pass few texts per call: the vectors computed so far are lost if one fails or if
    /// `cancel` becomes true, which is checked before each text.
    ///
    /// # Errors
    /// [`EmbedError::Cancelled`], or [`EmbedError::Embed`] if a text cannot be embedded.
    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Returns one vector per question, like [`embed`](Embedder::embed) of the texts that may answer it: some models
    /// read both differently. By default the same as `embed`.
    ///
    /// # Errors
    /// Like [`embed`](Embedder::embed).
    fn embed_questions(
        &mut self,
        questions: &[&str],
        cancel: &AtomicBool,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed(questions, cancel)
    }

    /// Returns a vector for each token of `text` up to [`ModelInfo::max_tokens`], without those that mark its ends;
    /// empty if the text has no tokens.
    ///
    /// A token's vector depends on its neighbours in `text`, and on nothing else.
    ///
    /// # Errors
    /// [`EmbedError::Embed`] if the model does not return them.
    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError>;

    /// Returns the number of tokens in `text`, however long it is, without those that mark its ends.
    fn count_tokens(&self, text: &str) -> u32;

    /// Loads the model again after [`rest`](Embedder::rest). Must be called after `rest`, and once after creation,
    /// before anything else is called.
    ///
    /// # Errors
    /// The errors of loading the model.
    fn wake(&mut self) -> Result<(), EmbedError> {
        Ok(())
    }

    /// Frees the model's memory until [`wake`](Embedder::wake). By default does nothing.
    fn rest(&mut self) {}

    /// Returns whether the model can read `text`: it knows at least half of it, or it is empty.
    ///
    /// A vector of unknown tokens is meaningless: it is near every other such vector, whatever the texts.
    fn reads(&self, text: &str) -> bool;
}
