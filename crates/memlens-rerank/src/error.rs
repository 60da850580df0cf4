//! The crate's one error type.

/// Says why there are no scores. No text holds the question, a note's text or a key.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    /// The caller asked to stop.
    #[error("cannot rerank: cancelled")]
    Cancelled,
    /// The time was over before every text had its score.
    #[error("cannot rerank: no answer within the timeout")]
    Timeout,
    /// The embedding model failed.
    #[error("cannot rerank by late interaction: {0}")]
    Embed(memlens_embed::EmbedError),
    /// The embedding model knows less than half of the question's tokens, or the question has none.
    #[error("cannot rerank by late interaction: the model cannot read the question")]
    UnreadQuery,
}
