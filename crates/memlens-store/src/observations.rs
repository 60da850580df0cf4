//! What documents say, one list item, paragraph or line at a time.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use rusqlite::{Row, Transaction, TransactionBehavior, params};

use crate::checksum::OF_OBSERVATION;
use crate::damage::lossy;
use crate::error::Attempt;
use crate::{DocumentId, Store, StoreError};

/// An observation to be stored with its document.
#[derive(Debug, Clone, PartialEq)]
pub struct NewObservation {
    /// What the observation says, as text.
    pub text: String,
    /// Its bytes in the document's text; observations of a document do not overlap.
    pub bytes: Range<u32>,
    /// First line of the observation, 1-based.
    pub start_line: u32,
    /// Last line of the observation, 1-based.
    pub end_line: u32,
    /// Agent that it is attributed to, if one is named.
    pub agent: Option<String>,
    /// Date of the observation as `YYYY-MM-DD`, if known.
    pub date: Option<String>,
    /// Weight of the observation; `None` if not given.
    pub weight: Option<f64>,
}

/// An observation with its document.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredObservation {
    /// The document that says it.
    pub document: DocumentId,
    /// Its content and its place.
    pub observation: NewObservation,
}

/// Observations of all documents in the library.
#[derive(Debug, Clone, PartialEq)]
pub struct Observations {
    /// Every observation that is as it was saved.
    pub stored: Vec<StoredObservation>,
    /// The paths of the documents whose observations are not as they were saved.
    pub left_out: Vec<String>,
}

impl Store {
    /// How many observations there are.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn n_observations(&self) -> Result<u32, StoreError> {
        self.connection
            .query_row("SELECT count(*) FROM observations", [], |row| row.get(0))
            .attempt("count the observations")
    }

    /// Every observation, by folder path, path and place in the document; those of a document that are not as
    /// they were saved are left out.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn observations(&self) -> Result<Observations, StoreError> {
        let attempt = "read the observations";
        // Both reads see one moment, whatever the writer does meanwhile.
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)
                .attempt(attempt)?;
        let observations = self.read_observations();
        transaction.finish().attempt(attempt)?;
        observations
    }

    /// How many observations of each document have each date of their own, as `YYYY-MM-DD`; `None` for those without one.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn observation_dates(&self) -> Result<Vec<(DocumentId, Option<String>, u32)>, StoreError> {
        let attempt = "count the observations by date";
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT document, date, count(*) FROM observations GROUP BY document, date ORDER BY document, date",
            )
            .attempt(attempt)?;
        statement
            .query_map([], |row| {
                Ok((DocumentId(row.get(0)?), row.get(1)?, row.get(2)?))
            })
            .and_then(Iterator::collect)
            .attempt(attempt)
    }

    fn read_observations(&self) -> Result<Observations, StoreError> {
        let attempt = "read the observations";
        let mut statement = self
            .connection
            .prepare_cached(&format!(
                "SELECT o.document, o.text, o.start_byte, o.end_byte, o.start_line, o.end_line, o.agent, o.date, o.weight, {OF_OBSERVATION}
                 FROM observations o JOIN documents d ON d.id = o.document JOIN folders f ON f.id = d.folder
                 ORDER BY f.path, d.path, o.start_byte"
            ))
            .attempt(attempt)?;
        let mut stored = Vec::new();
        let mut sums: HashMap<i64, i64> = HashMap::new();
        let mut rows = statement.query([]).attempt(attempt)?;
        while let Some(row) = rows.next().attempt(attempt)? {
            // What is of another kind than was written is missed in the sum.
            if let Ok(observation) = observation(row) {
                let sum: i64 = row.get(9).attempt(attempt)?;
                *sums.entry(observation.document.0).or_default() += sum;
                stored.push(observation);
            }
        }
        let mut left_out = Vec::new();
        let mut altered = HashSet::new();
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, path, observations_checksum FROM documents ORDER BY path")
            .attempt(attempt)?;
        let mut rows = statement.query([]).attempt(attempt)?;
        while let Some(row) = rows.next().attempt(attempt)? {
            let id: i64 = row.get(0).attempt(attempt)?;
            if row.get(2).ok() != Some(sums.get(&id).copied().unwrap_or(0)) {
                left_out.push(lossy(row, 1).attempt(attempt)?);
                altered.insert(id);
            }
        }
        stored.retain(|observation| !altered.contains(&observation.document.0));
        Ok(Observations { stored, left_out })
    }
}

fn observation(row: &Row<'_>) -> rusqlite::Result<StoredObservation> {
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
}

/// What sums up the observations of a document `d`.
pub(crate) fn checksum_of_observations() -> String {
    format!(
        "(SELECT coalesce(sum({OF_OBSERVATION}), 0) FROM observations o WHERE o.document = d.id)"
    )
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
