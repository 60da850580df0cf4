//! Scores of question and text pairs.

use rusqlite::{OptionalExtension, params};

use super::{ScoreCache, key_of, next_use};
use crate::StoreError;

/// A score as a model reported it.
#[derive(Debug, Clone, PartialEq)]
pub struct CachedScore {
    /// The score, to the last bit.
    pub score: f64,
    /// Name of the scale, as it was stored.
    pub scale: String,
}

impl ScoreCache {
    /// Scores that `model` of `provider` gave each text for a question, in the order of the texts; `None` if it was
    /// never asked, or the entry was evicted.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn scores(
        &self,
        query: &str,
        provider: &str,
        model: &str,
        texts: &[&str],
    ) -> Result<Vec<Option<CachedScore>>, StoreError> {
        let keys = keys(query, provider, model, texts);
        let found = self.act("read scores", |connection| {
            let mut statement =
                connection.prepare_cached("SELECT bits, scale FROM scores WHERE key = ?1")?;
            keys.iter()
                .map(|key| {
                    let read = statement.query_row([key], |row| {
                        Ok(CachedScore {
                            score: f64::from_bits(row.get::<_, i64>(0)? as u64),
                            scale: row.get(1)?,
                        })
                    });
                    read.optional()
                })
                .collect::<rusqlite::Result<Vec<_>>>()
        })?;
        if found.iter().any(Option::is_some) {
            let used = self.write("record the use of scores", |transaction| {
                let number = next_use(transaction)?;
                let mut statement =
                    transaction.prepare_cached("UPDATE scores SET used = ?2 WHERE key = ?1")?;
                for (key, _) in keys.iter().zip(&found).filter(|(_, found)| found.is_some()) {
                    statement.execute(params![key, number])?;
                }
                Ok(())
            });
            // They were found all the same.
            if let Err(error) = used {
                tracing::debug!(%error, "a use is not counted");
            }
        }
        Ok(found)
    }

    /// Keeps what `model` of `provider` said of texts for a question, in place of what it said before.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn put_scores(
        &self,
        query: &str,
        provider: &str,
        model: &str,
        scale: &str,
        scores: &[(&str, f64)],
    ) -> Result<(), StoreError> {
        let texts: Vec<&str> = scores.iter().map(|(text, _)| *text).collect();
        let keys = keys(query, provider, model, &texts);
        let n_max = i64::from(self.limits.n_scores_max);
        self.write("keep scores", |transaction| {
            let number = next_use(transaction)?;
            let mut statement = transaction.prepare_cached(
                "INSERT INTO scores VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET bits = ?2, scale = ?3, used = ?4",
            )?;
            for (key, (_, score)) in keys.iter().zip(scores) {
                // As its bits: a REAL would lose the sign of a zero and come back from a NaN as nothing.
                statement.execute(params![key, score.to_bits() as i64, scale, number])?;
            }
            let n_scores: i64 =
                transaction.query_row("SELECT count(*) FROM scores", [], |row| row.get(0))?;
            if n_scores > n_max {
                transaction.execute(
                    "DELETE FROM scores WHERE key IN (SELECT key FROM scores ORDER BY used, key LIMIT ?1)",
                    [n_scores - n_max],
                )?;
            }
            Ok(())
        })
    }
}

fn keys(query: &str, provider: &str, model: &str, texts: &[&str]) -> Vec<[u8; 32]> {
    texts
        .iter()
        .map(|text| key_of(&[query, provider, model, text]))
        .collect()
}
