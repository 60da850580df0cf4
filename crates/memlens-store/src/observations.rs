//! What documents say, one list item, paragraph or line at a time.

use std::ops::Range;

use rusqlite::{Transaction, params};

use crate::error::Attempt;
use crate::{DocumentId, Store, StoreError};

/// Is an observation to be stored with its document.
#[derive(Debug, Clone, PartialEq)]
pub struct NewObservation {
    /// What it says.
    pub text: String,
    /// Its bytes in the document's text; observations of a document do not overlap.
    pub bytes: Range<u32>,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// Who says it, where somebody is named.
    pub agent: Option<String>,
    /// When, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Its weight; none when not given.
    pub weight: Option<f64>,
}

/// Is an observation as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredObservation {
    /// The document that says it.
    pub document: DocumentId,
    /// What it says and where.
    pub observation: NewObservation,
}

impl Store {
    /// Returns how many observations there are.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn n_observations(&self) -> Result<u32, StoreError> {
        self.connection
            .query_row("SELECT count(*) FROM observations", [], |row| row.get(0))
            .attempt("count the observations")
    }

    /// Returns every observation, by folder path, path and place in the document.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn observations(&self) -> Result<Vec<StoredObservation>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT o.document, o.text, o.start_byte, o.end_byte, o.start_line, o.end_line, o.agent, o.date, o.weight
                 FROM observations o JOIN documents d ON d.id = o.document JOIN folders f ON f.id = d.folder
                 ORDER BY f.path, d.path, o.start_byte",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        Ok(StoredObservation {
                            document: DocumentId(row.get(0)?),
                            observation: NewObservation {
                                text: row.get(1)?,
                                bytes: row.get(2)?..row.get(3)?,
                                start_line: row.get(4)?,
                                end_line: row.get(5)?,
                                agent: row.get(6)?,
                                date: row.get(7)?,
                                weight: row.get(8)?,
                            },
                        })
                    })?
                    .collect()
            })
            .attempt("read the observations")
    }
}

pub(crate) fn put_observations(
    transaction: &Transaction<'_>,
    document: i64,
    observations: &[NewObservation],
) -> rusqlite::Result<()> {
    let mut statement = transaction
        .prepare_cached("INSERT INTO observations VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?;
    for observation in observations {
        let NewObservation {
            text,
            bytes,
            start_line,
            end_line,
            agent,
            date,
            weight,
        } = observation;
        statement.execute(params![
            document,
            bytes.start,
            bytes.end,
            start_line,
            end_line,
            text,
            agent,
            date,
            weight
        ])?;
    }
    Ok(())
}
