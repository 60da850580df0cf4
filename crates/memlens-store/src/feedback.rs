//! Thumbs: judgments that the user gave, one per text and question.
//!
//! A thumb belongs to a text, not to a chunk's id, so that it survives re-indexing, and equal texts share it. It stays
//! when no chunk has its text any more.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use crate::error::Attempt;
use crate::{Store, StoreError};

/// Which way a thumb points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thumb {
    /// The text answers the question.
    Up,
    /// The text does not answer it.
    Down,
}

impl Thumb {
    /// The thumb of a number: 1 or -1; `None` for any other number.
    pub fn of_number(number: i64) -> Option<Thumb> {
        match number {
            1 => Some(Thumb::Up),
            -1 => Some(Thumb::Down),
            _ => None,
        }
    }

    /// Returns 1 for up, -1 for down.
    pub fn number(self) -> i64 {
        match self {
            Thumb::Up => 1,
            Thumb::Down => -1,
        }
    }
}

/// A thumb to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFeedback {
    /// The content hash of the text.
    pub hash: [u8; 32],
    /// The text that was judged.
    pub text: String,
    /// The question it was judged for.
    pub query: String,
    /// Whether the text answers the question.
    pub thumb: Thumb,
    /// When it was given, milliseconds since 1970.
    pub at_ms: i64,
    /// Where the text was at that time, to show to the user.
    pub path: String,
}

/// A thumb with its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFeedback {
    /// Names it; never used twice.
    pub id: i64,
    /// Text, question and direction of the thumb.
    pub feedback: NewFeedback,
}

/// How a vote changed the thumb of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voted {
    /// The thumb was added; there was none before.
    Given,
    /// The thumb that was there points the other way now.
    Turned,
    /// The same thumb was there, and is gone.
    TakenBack,
}

/// Result of an import, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Number of thumbs that are new.
    pub n_added: u32,
    /// Thumbs that point the other way now, since those imported are newer.
    pub n_turned: u32,
    /// Thumbs that were already stored, or are older than the stored one.
    pub n_known: u32,
}

/// Raised by every change, so that a reader sees that there was one.
const GENERATION: &str = "feedback";

impl Store {
    /// Every thumb, the newest first.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn feedback(&self) -> Result<Vec<StoredFeedback>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT id, hash, text, question, thumb, at_ms, path FROM judgments WHERE origin = 'given' ORDER BY at_ms DESC, id DESC",
            )
            .and_then(|mut statement| statement.query_map([], read)?.collect())
            .attempt("read the feedback")
    }

    /// How many thumbs there are.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn n_feedback(&self) -> Result<u32, StoreError> {
        self.connection
            .query_row(
                "SELECT count(*) FROM judgments WHERE origin = 'given'",
                [],
                |row| row.get(0),
            )
            .attempt("count the feedback")
    }

    /// The number that every change of the feedback raises; 0 before the first and after all is erased.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn feedback_generation(&self) -> Result<u64, StoreError> {
        Ok(self
            .meta(GENERATION)?
            .and_then(|text| text.parse().ok())
            .unwrap_or(0))
    }

    /// Gives a text a thumb for a question: turns the other one, and takes back the same one.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn vote(&mut self, feedback: &NewFeedback) -> Result<Voted, StoreError> {
        self.vote_again(feedback, &[])
    }

    /// The same on a text that was edited since: thumbs on what it was, named by their ids, count as the one that it has, and are
    /// replaced.
    ///
    /// # Errors
    /// As [`Store::vote`].
    pub fn vote_again(
        &mut self,
        feedback: &NewFeedback,
        edited: &[i64],
    ) -> Result<Voted, StoreError> {
        self.change_feedback("save the feedback", |transaction| {
            let mut before = known(transaction, feedback)?.map(|(thumb, _)| thumb);
            for id in edited {
                let thumb = transaction
                    .prepare_cached(
                        "DELETE FROM judgments WHERE origin = 'given' AND id = ?1 RETURNING thumb",
                    )?
                    .query_row([id], |row| read_thumb(row, 0))
                    .optional()?;
                before = before.or(thumb);
            }
            if before == Some(feedback.thumb) {
                transaction.execute(
                    "DELETE FROM judgments WHERE origin = 'given' AND question = ?1 AND hash = ?2",
                    params![feedback.query, feedback.hash],
                )?;
                return Ok(Voted::TakenBack);
            }
            put(transaction, feedback)?;
            Ok(match before {
                None => Voted::Given,
                Some(_) => Voted::Turned,
            })
        })
    }

    /// Takes a thumb back. Returns whether there was one of this id.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn undo_feedback(&mut self, id: i64) -> Result<bool, StoreError> {
        self.change_feedback("take back the feedback", |transaction| {
            Ok(transaction.execute(
                "DELETE FROM judgments WHERE origin = 'given' AND id = ?1",
                [id],
            )? > 0)
        })
    }

    /// Adds exported thumbs, all or nothing. If the library has a thumb on the same text for the same question, the
    /// newer one wins.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn import_feedback(&mut self, feedback: &[NewFeedback]) -> Result<Imported, StoreError> {
        self.change_feedback("import the feedback", |transaction| {
            let mut imported = Imported::default();
            for one in feedback {
                let n = match known(transaction, one)? {
                    None => &mut imported.n_added,
                    Some((thumb, at_ms)) if thumb != one.thumb && at_ms < one.at_ms => {
                        &mut imported.n_turned
                    }
                    Some(_) => {
                        imported.n_known += 1;
                        continue;
                    }
                };
                *n += 1;
                put(transaction, one)?;
            }
            Ok(imported)
        })
    }

    /// Changes the feedback in one transaction, and has readers see it.
    fn change_feedback<T>(
        &mut self,
        attempt: &'static str,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let act = |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            let changed = change(&transaction)?;
            transaction.execute(
                "INSERT INTO meta VALUES (?1, '1') ON CONFLICT DO UPDATE SET value = CAST(value AS INTEGER) + 1",
                [GENERATION],
            )?;
            transaction.commit()?;
            Ok(changed)
        };
        self.lastingly(|connection| act(connection).attempt(attempt))
    }
}

/// The thumb that a text has for a question, and when it was given.
fn known(
    transaction: &Transaction<'_>,
    feedback: &NewFeedback,
) -> rusqlite::Result<Option<(Thumb, i64)>> {
    transaction
        .prepare_cached("SELECT thumb, at_ms FROM judgments WHERE origin = 'given' AND question = ?1 AND hash = ?2")?
        .query_row(params![feedback.query, feedback.hash], |row| {
            Ok((read_thumb(row, 0)?, row.get(1)?))
        })
        .optional()
}

fn put(transaction: &Transaction<'_>, feedback: &NewFeedback) -> rusqlite::Result<()> {
    let NewFeedback {
        hash,
        text,
        query,
        thumb,
        at_ms,
        path,
    } = feedback;
    transaction
        .prepare_cached(
            "INSERT INTO judgments (origin, hash, text, question, thumb, at_ms, path) VALUES ('given', ?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET thumb = ?4, at_ms = ?5, path = ?6",
        )?
        .execute(params![hash, text, query, thumb.number(), at_ms, path])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredFeedback> {
    Ok(StoredFeedback {
        id: row.get(0)?,
        feedback: NewFeedback {
            hash: row.get(1)?,
            text: row.get(2)?,
            query: row.get(3)?,
            thumb: read_thumb(row, 4)?,
            at_ms: row.get(5)?,
            path: row.get(6)?,
        },
    })
}

fn read_thumb(row: &Row<'_>, at: usize) -> rusqlite::Result<Thumb> {
    let number = row.get(at)?;
    Thumb::of_number(number).ok_or(rusqlite::Error::IntegralValueOutOfRange(at, number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Judgment, Origin};

    fn feedback(text: &str, query: &str, thumb: Thumb, at_ms: i64) -> NewFeedback {
        let mut hash = [0; 32];
        hash[..text.len()].copy_from_slice(text.as_bytes());
        NewFeedback {
            hash,
            text: text.to_owned(),
            query: query.to_owned(),
            thumb,
            at_ms,
            path: "notes/a.md".to_owned(),
        }
    }

    fn held(store: &Store) -> Vec<(String, String, Thumb)> {
        let stored = store.feedback().unwrap();
        stored
            .into_iter()
            .map(|one| (one.feedback.text, one.feedback.query, one.feedback.thumb))
            .collect()
    }

    #[test]
    fn one_vote_per_question_and_text() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let mut vote = |thumb, at_ms| {
            let voted = store.vote(&feedback("a", "q", thumb, at_ms)).unwrap();
            (
                voted,
                held(&store).len(),
                store.feedback_generation().unwrap(),
            )
        };
        assert_eq!(vote(Thumb::Up, 1), (Voted::Given, 1, 1));
        assert_eq!(vote(Thumb::Down, 2), (Voted::Turned, 1, 2));
        assert_eq!(vote(Thumb::Down, 3), (Voted::TakenBack, 0, 3));
        // Another question, another text: each has its own.
        for (text, query) in [("a", "q"), ("a", "r"), ("b", "q")] {
            let voted = store.vote(&feedback(text, query, Thumb::Up, 4)).unwrap();
            assert_eq!(voted, Voted::Given);
        }
        assert_eq!(store.n_feedback().unwrap(), 3);
    }

    #[test]
    fn a_thumb_and_what_was_observed_are_two_judgments_of_one_text() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        store.vote(&feedback("a", "q", Thumb::Up, 1)).unwrap();
        let observed = Judgment {
            origin: Origin::Observed,
            question: "q".to_owned(),
            hash: feedback("a", "q", Thumb::Up, 1).hash,
            text: "a".to_owned(),
            path: "notes/a.md".to_owned(),
            at_ms: 2,
        };
        observed.insert(&store.connection).unwrap();
        assert_eq!(store.n_feedback().unwrap(), 1);
        store.vote(&feedback("a", "q", Thumb::Up, 3)).unwrap();
        assert_eq!(held(&store), []);
        assert_eq!(store.judgments(Origin::Observed).unwrap(), [observed]);
    }

    #[test]
    fn undone_and_erased_feedback_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        store.vote(&feedback("a", "q", Thumb::Up, 1)).unwrap();
        store.vote(&feedback("b", "q", Thumb::Up, 2)).unwrap();
        let newest = store.feedback().unwrap()[0].id;
        assert!(store.undo_feedback(newest).unwrap());
        assert!(!store.undo_feedback(newest).unwrap());
        assert_eq!(held(&store), [("a".into(), "q".into(), Thumb::Up)]);
        store.erase_all().unwrap();
        assert_eq!(held(&store), []);
    }

    #[test]
    fn of_two_votes_the_newer_stays() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        store.vote(&feedback("a", "q", Thumb::Up, 5)).unwrap();
        let imported = store
            .import_feedback(&[
                feedback("a", "q", Thumb::Down, 4),
                feedback("a", "q", Thumb::Up, 9),
                feedback("b", "q", Thumb::Up, 1),
                feedback("b", "q", Thumb::Down, 2),
            ])
            .unwrap();
        let expected = Imported {
            n_added: 1,
            n_turned: 1,
            n_known: 2,
        };
        assert_eq!(imported, expected);
        assert_eq!(
            held(&store),
            [
                ("a".into(), "q".into(), Thumb::Up),
                ("b".into(), "q".into(), Thumb::Down)
            ]
        );
    }
}
