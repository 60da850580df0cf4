//! What rerankers are sent and how long they take, as the window is told.

use serde::Serialize;
use specta::Type;

/// The text of one row as the reranker reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SentText {
    /// The row.
    pub slot: u32,
    /// The text, cut at `rerank_max_chars` characters.
    pub text: String,
    /// Whether anything was cut off.
    pub cut: bool,
    /// Whether the row is among those that are sent.
    pub sent: bool,
}

/// One call of a reranker, for a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RerankTime {
    /// When it began, milliseconds since 1970.
    pub at_ms: f64,
    /// Who was asked.
    pub provider: String,
    /// Its model.
    pub model: String,
    /// How many texts were sent.
    pub n_docs: u32,
    /// How many characters of each were sent at most; 0 for whole texts.
    pub max_chars: u32,
    /// How long it took.
    pub ms: f64,
    /// The tokens that were read or billed; none where it is not known.
    pub n_tokens: Option<f64>,
    /// Whether every text got its score.
    pub ok: bool,
}

/// How much a part of a note answers the question, under late interaction.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Heat {
    /// Words of the note that answer a word of the question, in the order of the text.
    pub words: Vec<HeatWord>,
}

/// One word of a [`Heat`].
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct HeatWord {
    /// Where it starts in the chunk's text, in UTF-16 units.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// How well it answers, in `[0, 1]`.
    pub weight: f64,
    /// The word of the question that it answers.
    pub word: String,
    /// Whether no word of the note answers that one better, so that it counts in the score.
    pub counts: bool,
}
