//! SQLite's FTS5, as other programs use it: texts in memory, asked by an expression.

use rusqlite::Connection;

/// Rows of texts in an FTS5 table, named by their place.
pub struct Fts {
    connection: Connection,
    /// How every match is asked for, with the weights of the columns.
    select: String,
}

/// One row that an expression matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FtsHit {
    /// The row's 0-based place.
    pub at: u32,
    /// What `bm25()` says: the better, the further below 0.
    pub rank: f64,
}

impl Fts {
    /// Rows as an FTS5 tokenizer (`unicode61`, `porter unicode61`) cuts them; a match in a column counts by its weight.
    ///
    /// # Errors
    /// What SQLite says.
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

    /// Every row that matches, best first, ties by place.
    ///
    /// # Errors
    /// What SQLite says of its table, or of an expression that it cannot read.
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
