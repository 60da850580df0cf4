//! The token vectors of texts, whatever form their maker gives them.

use rusqlite::{OptionalExtension, params};

use super::{ScoreCache, key_of, next_use};
use crate::StoreError;

/// What a text's token vectors take beside themselves: their keys and places in three trees.
const ROW_BYTES: u64 = 200;

impl ScoreCache {
    /// The stored token vectors of a text by `model`; `None` if they are not cached.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn vectors(&self, model: &str, text: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let key = key_of(&[model, text]);
        let found: Option<Vec<u8>> = self.act("read token vectors", |connection| {
            connection
                .prepare_cached("SELECT bytes FROM vectors WHERE key = ?1")?
                .query_row([key], |row| row.get(0))
                .optional()
        })?;
        if found.is_some() {
            let used = self.write("record the use of token vectors", |transaction| {
                let number = next_use(transaction)?;
                transaction
                    .prepare_cached("UPDATE vector_uses SET used = ?2 WHERE key = ?1")?
                    .execute(params![key, number])
            });
            // They were found all the same.
            if let Err(error) = used {
                tracing::debug!(%error, "a use is not counted");
            }
        }
        Ok(found)
    }

    /// The same for many texts, in their order; does not count as a use.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn vectors_of(
        &self,
        model: &str,
        texts: &[&str],
    ) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.act("read vectors", |connection| {
            let mut select =
                connection.prepare_cached("SELECT bytes FROM vectors WHERE key = ?1")?;
            let texts = texts.iter().map(|text| key_of(&[model, text]));
            texts
                .map(|key| select.query_row([key], |row| row.get(0)).optional())
                .collect()
        })
    }

    /// Forgets the vectors of texts by `model`.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn forget_vectors<'t>(
        &self,
        model: &str,
        texts: impl Iterator<Item = &'t str> + Clone,
    ) -> Result<(), StoreError> {
        self.write("forget vectors", |transaction| {
            for table in ["vectors", "vector_uses"] {
                let mut delete =
                    transaction.prepare_cached(&format!("DELETE FROM {table} WHERE key = ?1"))?;
                for text in texts.clone() {
                    delete.execute([key_of(&[model, text])])?;
                }
            }
            Ok(())
        })
    }

    /// Stores the token vectors of a text by `model`, replacing earlier ones. Vectors larger than the whole limit are not stored.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn put_vectors(&self, model: &str, text: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let key = key_of(&[model, text]);
        let n_bytes = bytes.len() as u64 + ROW_BYTES;
        let bytes_max = self.limits.vector_bytes_max;
        if n_bytes > bytes_max {
            return Ok(());
        }
        self.write("keep token vectors", |transaction| {
            let number = next_use(transaction)?;
            transaction
                .prepare_cached("INSERT INTO vectors VALUES (?1, ?2) ON CONFLICT DO UPDATE SET bytes = ?2")?
                .execute(params![key, bytes])?;
            transaction
                .prepare_cached(
                    "INSERT INTO vector_uses VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET n_bytes = ?2, used = ?3",
                )?
                .execute(params![key, n_bytes as i64, number])?;
            let total: i64 = transaction
                .prepare_cached("SELECT sum(n_bytes) FROM vector_uses")?
                .query_row([], |row| row.get(0))?;
            let mut excess = total - bytes_max as i64;
            let mut oldest = transaction
                .prepare_cached("SELECT key, n_bytes FROM vector_uses ORDER BY used LIMIT 1")?;
            while excess > 0 {
                // The newest alone fits, so there is an older one.
                let (key, n_bytes): ([u8; 32], i64) =
                    oldest.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                for table in ["vectors", "vector_uses"] {
                    transaction
                        .prepare_cached(&format!("DELETE FROM {table} WHERE key = ?1"))?
                        .execute([key])?;
                }
                excess -= n_bytes;
            }
            Ok(())
        })
    }
}
