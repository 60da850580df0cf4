//! How far agents' logs are read.

use rusqlite::{Connection, Row, params};

use crate::error::Attempt;
use crate::{Store, StoreError};

/// A log and how far it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadLog {
    /// Absolute path of the log file.
    pub path: String,
    /// Id of the agent that writes it.
    pub agent: String,
    /// Position to continue from; `None` if nothing was read yet.
    pub cursor: Option<String>,
    /// How much of it is read, in bytes.
    pub n_bytes: u64,
    /// Stamp of the file when it was read to its end; empty before.
    pub stamp: String,
    /// Why it could not be read.
    pub problem: Option<String>,
}

impl Store {
    /// Number of stored searches of each known log, by its path.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn read_logs(&self) -> Result<Vec<(ReadLog, u32)>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT path, agent, cursor, n_bytes, stamp, problem, \
                 (SELECT count(*) FROM past_questions WHERE log = path AND is_opening = 0) FROM recall_logs ORDER BY path",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| Ok((read_log(row)?, row.get(6)?)))?
                    .collect()
            })
            .attempt("read the logs' places")
    }

    /// Notes how far a log is read.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn note_log(&mut self, log: &ReadLog) -> Result<(), StoreError> {
        put_log(&self.connection, log).attempt("note how far a log is read")
    }
}

/// Stores how far a log is read.
pub(super) fn put_log(connection: &Connection, log: &ReadLog) -> rusqlite::Result<()> {
    let ReadLog {
        path,
        agent,
        cursor,
        n_bytes,
        stamp,
        problem,
    } = log;
    connection
        .prepare_cached(
            "INSERT INTO recall_logs VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET \
             agent = ?2, cursor = ?3, n_bytes = ?4, stamp = ?5, problem = ?6",
        )?
        .execute(params![
            path,
            agent,
            cursor,
            *n_bytes as i64,
            stamp,
            problem
        ])
        .map(drop)
}

fn read_log(row: &Row<'_>) -> rusqlite::Result<ReadLog> {
    Ok(ReadLog {
        path: row.get(0)?,
        agent: row.get(1)?,
        cursor: row.get(2)?,
        n_bytes: row.get::<_, i64>(3)?.max(0) as u64,
        stamp: row.get(4)?,
        problem: row.get(5)?,
    })
}
