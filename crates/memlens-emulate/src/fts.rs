//! SQLite's FTS5, as other programs use it: texts in memory, searched by an expression.

use rusqlite::Connection;

/// Rows of texts in an FTS5 table, identified by their position.
pub struct Fts {
    connection: Connection,
    /// The statement of a search, with the weights of the columns.
    select: String,
}

/// One row that an expression matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FtsHit {
    /// Index of the row, counted from 0.
    pub at: u32,
    /// The result of `bm25()`: lower is better, and below 0.
    pub rank: f64,
}

impl Fts {
    /// Creates a table of rows with an FTS5 tokenizer (`unicode61`, `porter unicode61`) and the weights of the columns.
    ///
    /// # Errors
    /// The error of SQLite.
    pub fn of<const N: usize, S: AsRef<str>>(
        tokenizer: &str,
        weights: [f64; N],
        rows: impl IntoIterator<Item = [S; N]>,
    ) -> Result<Fts, rusqlite::Error> {
        let mut connection = Connection::open_in_memory()?;
        let transaction = connection.transaction()?;
        let listed = |text: &dyn Fn(usize) -> String| -> String {
            let texts: Vec<String> = (0..N).map(text).collect();
            texts.join(", ")
        };
        let columns = listed(&|at| format!("c{at}"));
        transaction.execute_batch(&format!(
            "CREATE VIRTUAL TABLE texts USING fts5({columns}, tokenize = '{tokenizer}')"
        ))?;
        {
            let places = listed(&|_| "?".to_owned());
            let mut insert = transaction.prepare(&format!(
                "INSERT INTO texts (rowid, {columns}) VALUES (?, {places})"
            ))?;
            for (at, row) in (0i64..).zip(rows) {
                insert.raw_bind_parameter(1, at)?;
                for (column, text) in (2..).zip(&row) {
                    insert.raw_bind_parameter(column, text.as_ref())?;
                }
                insert.raw_execute()?;
            }
        }
        transaction.commit()?;
        let weights = listed(&|at| format!("{:?}", weights[at]));
        Ok(Fts {
            connection,
            select: format!(
                "SELECT rowid, bm25(texts, {weights}) AS rank FROM texts WHERE texts MATCH ?1 ORDER BY rank, rowid"
            ),
        })
    }

    /// Returns every row that matches, best first, ties by position.
    ///
    /// # Errors
    /// The error of SQLite about its table, or about an expression that it cannot parse.
    pub fn search(&self, expression: &str) -> Result<Vec<FtsHit>, rusqlite::Error> {
        let mut select = self.connection.prepare_cached(&self.select)?;
        let found = select.query_map([expression], |row| {
            Ok(FtsHit {
                at: row.get(0)?,
                rank: row.get(1)?,
            })
        })?;
        found.collect()
    }
}
