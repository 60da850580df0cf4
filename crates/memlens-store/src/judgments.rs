//! Judgments: a text answers a question.
//!
//! A judgment belongs to a text, as a thumb does, so that it survives re-indexing.

use rusqlite::{Connection, params};

use crate::error::Attempt;
use crate::{Store, StoreError};

/// Where a judgment comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An agent opened or cited the text after it had asked. Only what was returned could be opened.
    Observed,
}

impl Origin {
    /// The word that the library stores.
    pub fn word(self) -> &'static str {
        match self {
            Origin::Observed => "observed",
        }
    }
}

/// That a text answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgment {
    /// Where the judgment comes from.
    pub origin: Origin,
    /// The question that the text answers.
    pub question: String,
    /// The content hash of the text.
    pub hash: [u8; 32],
    /// The text that was judged.
    pub text: String,
    /// Where the text was at that time, to show to the user.
    pub path: String,
    /// When it was made, milliseconds since 1970.
    pub at_ms: i64,
}

impl Judgment {
    /// Inserts it unless the same one is there; says whether it was new.
    pub(crate) fn insert(&self, connection: &Connection) -> rusqlite::Result<bool> {
        connection
            .prepare_cached(
                "INSERT INTO judgments (origin, question, hash, text, path, at_ms) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                self.origin.word(),
                self.question,
                self.hash,
                self.text,
                self.path,
                self.at_ms
            ])
            .map(|n_new| n_new == 1)
    }
}

impl Store {
    /// The judgments of an origin, the newest first.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn judgments(&self, origin: Origin) -> Result<Vec<Judgment>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT question, hash, text, path, at_ms FROM judgments WHERE origin = ?1 ORDER BY at_ms DESC, id DESC",
            )
            .and_then(|mut statement| {
                let read = |row: &rusqlite::Row<'_>| {
                    Ok(Judgment {
                        origin,
                        question: row.get(0)?,
                        hash: row.get(1)?,
                        text: row.get(2)?,
                        path: row.get(3)?,
                        at_ms: row.get(4)?,
                    })
                };
                statement.query_map([origin.word()], read)?.collect()
            })
            .attempt("read the judgments")
    }
}
