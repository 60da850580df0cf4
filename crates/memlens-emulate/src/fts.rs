//! SQLite's FTS5, as other programs use it: texts in memory, asked by an expression.

use rusqlite::{Connection, params};

/// Texts in an FTS5 table of one column, named by their place.
pub struct Fts {
    connection: Connection,
}

/// One text that an expression matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FtsHit {
    /// The text's 0-based place.
    pub at: u32,
    /// What `bm25()` says: the better, the further below 0.
    pub rank: f64,
}

impl Fts {
    /// Texts as an FTS5 tokenizer (`unicode61`, `porter unicode61`) cuts them.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn of<'a>(
        tokenizer: &str,
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Result<Fts, rusqlite::Error> {
        let mut connection = Connection::open_in_memory()?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(&format!(
            "CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = '{tokenizer}')"
        ))?;
        {
            let mut insert =
                transaction.prepare("INSERT INTO texts (rowid, text) VALUES (?1, ?2)")?;
            for (at, text) in (0i64..).zip(texts) {
                insert.execute(params![at, text])?;
            }
        }
        transaction.commit()?;
        Ok(Fts { connection })
    }

    /// Every text that matches, best first, ties by place. An expression that SQLite cannot read matches none.
    ///
    /// # Errors
    /// What SQLite says of its table.
    pub fn search(&self, expression: &str) -> Result<Vec<FtsHit>, rusqlite::Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT rowid, bm25(texts) AS rank FROM texts WHERE texts MATCH ?1 ORDER BY rank, rowid",
        )?;
        let found = select.query_map([expression], |row| {
            Ok(FtsHit {
                at: row.get(0)?,
                rank: row.get(1)?,
            })
        })?;
        found.collect()
    }
}
