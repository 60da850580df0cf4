//! View types of what rerankers receive and how long they take.

use serde::Serialize;
use specta::Type;

/// The text of one row as the reranker reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SentText {
    /// Slot of the row in the search.
    pub slot: u32,
    /// The text, cut at `rerank_max_chars` characters.
    pub text: String,
    /// Whether the text was longer than that limit.
    pub cut: bool,
    /// Whether the row is one of those that are sent.
    pub sent: bool,
}

/// A call of a reranker, for a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RerankTime {
    /// Start of the call in milliseconds since 1970.
    pub at_ms: f64,
    /// Name of the provider that was called.
    pub provider: String,
    /// Name of the provider's model.
    pub model: String,
    /// Number of texts that were sent.
    pub n_docs: u32,
    /// Maximum number of characters per text; 0 for whole texts.
    pub max_chars: u32,
    /// Duration of the call in milliseconds.
    pub ms: f64,
    /// Tokens that were read or billed; `None` if unknown.
    pub n_tokens: Option<f64>,
    /// Whether every text received a score.
    pub ok: bool,
}

/// Words of a note that answer the question, under late interaction.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Heat {
    /// Words of the note that answer a word of the question, in the order of the text.
    pub words: Vec<HeatWord>,
}

/// One word of a [`Heat`].
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct HeatWord {
    /// Start in the chunk's text, in UTF-16 units.
    pub start: u32,
    /// End in the chunk's text, in UTF-16 units, exclusive.
    pub end: u32,
    /// Strength of the match, in `[0, 1]`.
    pub weight: f64,
    /// Word of the question that it answers.
    pub word: String,
    /// Whether no word of the note answers that one better, so that it contributes to the score.
    pub counts: bool,
}
