//! Time and size of reranker calls.

use rusqlite::params;

use super::ScoreCache;
use crate::StoreError;

/// One call of a reranker, without what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RerankCall {
    /// When it began, milliseconds since 1970.
    pub at_ms: i64,
    /// Name of the provider that was called.
    pub provider: String,
    /// Name of the provider's model.
    pub model: String,
    /// How many texts were sent.
    pub n_docs: u32,
    /// How many characters of each were sent at most; 0 for whole texts.
    pub max_chars: u32,
    /// How many characters were sent, of all texts together.
    pub n_chars: u64,
    /// How long it took, microseconds.
    pub micros: u64,
    /// Tokens that were read or billed; `None` if unknown.
    pub n_tokens: Option<u64>,
    /// Whether every text got its score.
    pub is_ok: bool,
}

impl ScoreCache {
    /// Records a call; the oldest one is dropped if there are too many.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn log_call(&self, call: &RerankCall) -> Result<(), StoreError> {
        let RerankCall {
            at_ms,
            provider,
            model,
            n_docs,
            max_chars,
            n_chars,
            micros,
            n_tokens,
            is_ok,
        } = call;
        let n_max = self.limits.n_calls_max;
        self.write("record a call", |transaction| {
            transaction
                .prepare_cached("INSERT INTO calls VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?
                .execute(params![
                    at_ms,
                    provider,
                    model,
                    n_docs,
                    max_chars,
                    *n_chars as i64,
                    *micros as i64,
                    n_tokens.map(|n_tokens| n_tokens as i64),
                    is_ok
                ])?;
            transaction
                .prepare_cached("DELETE FROM calls WHERE id NOT IN (SELECT id FROM calls ORDER BY id DESC LIMIT ?1)")?
                .execute([n_max])?;
            Ok(())
        })
    }

    /// The calls that are remembered, the newest first.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn calls(&self) -> Result<Vec<RerankCall>, StoreError> {
        self.act("read the calls", |connection| {
            connection
                .prepare_cached(
                    "SELECT at_ms, provider, model, n_docs, max_chars, n_chars, micros, n_tokens, is_ok
                     FROM calls ORDER BY id DESC",
                )?
                .query_map([], |row| {
                    Ok(RerankCall {
                        at_ms: row.get(0)?,
                        provider: row.get(1)?,
                        model: row.get(2)?,
                        n_docs: row.get(3)?,
                        max_chars: row.get(4)?,
                        n_chars: row.get::<_, i64>(5)? as u64,
                        micros: row.get::<_, i64>(6)? as u64,
                        n_tokens: row.get::<_, Option<i64>>(7)?.map(|n_tokens| n_tokens as u64),
                        is_ok: row.get(8)?,
                    })
                })?
                .collect()
        })
    }
}
