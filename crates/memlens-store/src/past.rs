//! What agents asked.
//!
//! What a question's settings, results and uses mean is not this crate's matter: they are JSON here.

pub(crate) mod logs;
pub(crate) mod page;

use std::collections::HashSet;
use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, Row, params};

use self::logs::{ReadLog, put_log};
use crate::error::Attempt;
use crate::{Judgment, PastWanted, Store, StoreError};

/// A past question to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPast {
    /// Id of the agent that asked.
    pub agent: String,
    /// The session, as the agent names it.
    pub session: String,
    /// What names the question within its session.
    pub call: String,
    /// Time of the question in milliseconds since 1970; `None` if the log has no time.
    pub at_ms: Option<i64>,
    /// Whether it is an opening of notes, which has no words, and not a search.
    pub is_opening: bool,
    /// Whether the search ended with an error.
    pub has_failed: bool,
    /// Its words; empty for an opening.
    pub question: String,
    /// Whether its words are patterns for a searcher of files.
    pub is_pattern: bool,
    /// What else the call asked for, as JSON.
    pub settings: String,
    /// What was returned, as JSON; `None` until an answer is found in the log.
    pub returned: Option<String>,
    /// What was opened afterwards, as JSON.
    pub opened: String,
    /// What the answer cited, as JSON.
    pub cited: String,
    /// How Memlens answered it, as JSON; `None` if another program did.
    pub served: Option<String>,
}

/// A past question as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPast {
    /// Names it; never used twice.
    pub id: i64,
    /// The question as it was read.
    pub past: NewPast,
    /// The path of the log that it was first read from.
    pub log: String,
}

/// Counts the outcomes of stored questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept {
    /// Number of searches that are new.
    pub n_new: u32,
    /// Number of openings that are new.
    pub n_openings: u32,
    /// Known questions for which the log holds more now.
    pub n_updated: u32,
    /// Number of judgments that are new.
    pub n_judgments: u32,
}

/// Two log entries of one search differ in time by no more than this.
const DUPLICATE_WITHIN_MS: i64 = 30_000;

const ATTEMPT: &str = "read the past questions";

const OLD_TIMED: &str = "at_ms < ?1";
const OLD_TIMELESS: &str = "at_ms IS NULL AND kept_ms < ?1";
const OLD_JUDGMENT: &str = "origin = 'observed' AND at_ms < ?1";

/// What the checksum of a past question covers.
const OF_PAST: &str = "iif(served IS NULL, \
     crc32(log, agent, session, call, at_ms, question, settings, returned, opened, cited, is_opening, has_failed, is_pattern, kept_ms), \
     crc32(log, agent, session, call, at_ms, question, settings, returned, opened, cited, is_opening, has_failed, is_pattern, kept_ms, served))";

static COLUMNS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT id, agent, session, call, at_ms, question, settings, returned, opened, cited, is_opening, has_failed, log, is_pattern, \
         checksum IS {OF_PAST}, served FROM past_questions"
    )
});

impl Store {
    /// The newest searches, at most `n_most`, with each asker's distinct questions once. `member` returns which of an agent's
    /// members asked, by the agent's id and the log's path: two members are two askers.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn newest_past(
        &self,
        n_most: u32,
        member: impl Fn(&str, &str) -> Option<String>,
    ) -> Result<Vec<StoredPast>, StoreError> {
        let ids = self.newest_ids(n_most, member).attempt(ATTEMPT)?;
        self.past_wanted(&PastWanted {
            among: Some(&ids),
            ..PastWanted::default()
        })
    }

    /// Reads no more rows than it needs, in the order of their index.
    fn newest_ids(
        &self,
        n_most: u32,
        member: impl Fn(&str, &str) -> Option<String>,
    ) -> rusqlite::Result<Vec<i64>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, agent, question, log FROM past_questions INDEXED BY past_questions_by_time \
             WHERE is_opening = 0 ORDER BY at_ms DESC, id DESC",
        )?;
        let mut rows = statement.query([])?;
        let mut known = HashSet::new();
        let mut ids = Vec::new();
        while ids.len() < n_most as usize
            && let Some(row) = rows.next()?
        {
            let (agent, question, log): (String, String, String) =
                (row.get(1)?, row.get(2)?, row.get(3)?);
            let member = member(&agent, &log);
            if known.insert((agent, member, question)) {
                ids.push(row.get(0)?);
            }
        }
        Ok(ids)
    }

    /// The past question with this id; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn past_question(&self, id: i64) -> Result<Option<StoredPast>, StoreError> {
        self.connection
            .prepare_cached(&format!("{} WHERE id = ?1", *COLUMNS))
            .and_then(|mut statement| statement.query_row([id], read).optional())
            .map(Option::flatten)
            .attempt(ATTEMPT)
    }

    /// The newest searches of a session, at most `n_most`, newest last.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn past_of_session(
        &self,
        agent: &str,
        session: &str,
        n_most: u32,
    ) -> Result<Vec<StoredPast>, StoreError> {
        let found: Result<Vec<StoredPast>, _> = self
            .connection
            .prepare_cached(&format!(
                "{} WHERE agent = ?1 AND session = ?2 AND is_opening = 0 ORDER BY id DESC LIMIT ?3",
                *COLUMNS
            ))
            .and_then(|mut statement| {
                sound(statement.query_map(params![agent, session, n_most], read)?)
            })
            .attempt(ATTEMPT);
        found.map(|mut newest_first| {
            newest_first.reverse();
            newest_first
        })
    }

    /// How many searches there are.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn n_past(&self) -> Result<u32, StoreError> {
        self.connection
            .query_row(
                "SELECT count(*) FROM past_questions WHERE is_opening = 0",
                [],
                |row| row.get(0),
            )
            .attempt(ATTEMPT)
    }

    /// Keeps what was read of a log, with how far it is read, in one step. A question takes the place of what was known by
    /// its agent, session and call; a judgment that is there stays.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn keep_past(
        &mut self,
        log: &ReadLog,
        questions: &[NewPast],
        judgments: &[Judgment],
    ) -> Result<Kept, StoreError> {
        let mut keep = || {
            let transaction = self.connection.transaction()?;
            put_log(&transaction, log)?;
            let mut kept = Kept::default();
            for question in questions {
                match put(&transaction, &log.path, question)? {
                    Put::New if question.is_opening => kept.n_openings += 1,
                    Put::New => kept.n_new += 1,
                    Put::Changed if question.is_opening => {}
                    Put::Changed => kept.n_updated += 1,
                    Put::Known => {}
                }
            }
            for judgment in judgments {
                kept.n_judgments += u32::from(judgment.insert(&transaction)?);
            }
            transaction.commit()?;
            Ok(kept)
        };
        keep().attempt("keep past questions")
    }

    /// Removes questions without a session that the same agent also asked in a session within 30 s: two logs reported
    /// one search. Returns their number. The one that stays takes over how Memlens answered it. Questions that a fork repeats
    /// from its session stay, because they belong to both.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn forget_duplicates(&mut self) -> Result<u32, StoreError> {
        let mut forget = || {
            let transaction = self.connection.transaction()?;
            let taken_over: Vec<i64> = transaction
                .prepare_cached(
                    "UPDATE past_questions SET served = (SELECT other.served FROM past_questions other \
                     WHERE other.agent = past_questions.agent AND other.question = past_questions.question \
                     AND other.at_ms BETWEEN past_questions.at_ms - ?1 AND past_questions.at_ms + ?1 \
                     AND other.session = '' AND other.served IS NOT NULL \
                     ORDER BY abs(other.at_ms - past_questions.at_ms), other.id LIMIT 1) \
                     WHERE session <> '' AND is_opening = 0 AND served IS NULL AND EXISTS (SELECT 1 FROM past_questions other \
                     WHERE other.agent = past_questions.agent AND other.question = past_questions.question \
                     AND other.at_ms BETWEEN past_questions.at_ms - ?1 AND past_questions.at_ms + ?1 \
                     AND other.session = '' AND other.served IS NOT NULL AND other.is_opening = 0) RETURNING id",
                )?
                .query_map([DUPLICATE_WITHIN_MS], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            for id in taken_over {
                seal(&transaction, id)?;
            }
            let n_gone = transaction.execute(
                "DELETE FROM past_questions WHERE session = '' AND is_opening = 0 AND EXISTS (SELECT 1 FROM past_questions other \
                 WHERE other.agent = past_questions.agent AND other.question = past_questions.question \
                 AND other.at_ms BETWEEN past_questions.at_ms - ?1 AND past_questions.at_ms + ?1 \
                 AND other.session <> '' AND other.is_opening = 0)",
                [DUPLICATE_WITHIN_MS],
            )?;
            transaction.commit()?;
            Ok(n_gone as u32)
        };
        forget().attempt("forget what two logs contain")
    }

    /// Whether anything is kept that was asked or observed before a moment, milliseconds since 1970. A question without a
    /// time counts from when it was first kept.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn holds_past_before(&self, at_ms: i64) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached(&format!(
                "SELECT EXISTS (SELECT 1 FROM past_questions WHERE {OLD_TIMED}) \
                 OR EXISTS (SELECT 1 FROM past_questions WHERE {OLD_TIMELESS}) \
                 OR EXISTS (SELECT 1 FROM judgments WHERE {OLD_JUDGMENT})"
            ))
            .and_then(|mut statement| statement.query_row([at_ms], |row| row.get(0)))
            .attempt(ATTEMPT)
    }

    /// Removes the questions that [`Store::holds_past_before`] reports. Returns their texts. The read positions of the
    /// logs are retained, so that the questions are not imported again.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn forget_past_before(&mut self, at_ms: i64) -> Result<Vec<String>, StoreError> {
        if !self.holds_past_before(at_ms)? {
            return Ok(Vec::new());
        }
        self.lastingly(|connection| {
            let mut forget = || {
                let transaction = connection.transaction()?;
                let mut gone: Vec<String> = Vec::new();
                for old in [OLD_TIMED, OLD_TIMELESS] {
                    let delete =
                        format!("DELETE FROM past_questions WHERE {old} RETURNING question");
                    let mut delete = transaction.prepare(&delete)?;
                    for question in delete.query_map([at_ms], |row| row.get::<_, String>(0))? {
                        let question = question?;
                        // An opening has no words.
                        if !question.is_empty() {
                            gone.push(question);
                        }
                    }
                }
                let delete = format!("DELETE FROM judgments WHERE {OLD_JUDGMENT}");
                transaction.execute(&delete, [at_ms])?;
                note_forgotten(&transaction)?;
                transaction.commit()?;
                Ok(gone)
            };
            forget().attempt("forget old past questions")
        })
    }

    /// Forgets past questions that are not as they were saved, and how far their logs are read, so that they are read again.
    /// Returns how many.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn forget_damaged_past(&mut self) -> Result<u32, StoreError> {
        if self.is_past_as_saved()? {
            return Ok(0);
        }
        let attempt = "forget damaged past questions";
        // As where damaged documents are forgotten: an index may not know such a row.
        let lenient = |store: &Store, is_on: bool| {
            store
                .connection
                .pragma_update(None, "writable_schema", is_on)
                .attempt(attempt)
        };
        lenient(self, true)?;
        let forgotten = self.unlinked(|connection| {
            let mut forget = || {
                let transaction = connection.transaction()?;
                let n_gone = transaction.execute(
                    &format!("DELETE FROM past_questions WHERE id IN (SELECT id FROM past_questions NOT INDEXED WHERE checksum IS NOT {OF_PAST})"),
                    [],
                )?;
                // The log of a damaged question is unknown.
                transaction.execute("UPDATE recall_logs SET cursor = NULL, stamp = ''", [])?;
                transaction.execute_batch("REINDEX past_questions; REINDEX judgments;")?;
                transaction.commit()?;
                Ok(n_gone as u32)
            };
            forget().attempt(attempt)
        });
        lenient(self, false)?;
        forgotten
    }

    /// Whether every past question is as it was saved.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn is_past_as_saved(&self) -> Result<bool, StoreError> {
        self.connection
            .query_row(
                &format!("SELECT NOT EXISTS (SELECT 1 FROM past_questions NOT INDEXED WHERE checksum IS NOT {OF_PAST})"),
                [],
                |row| row.get(0),
            )
            .attempt("check the past questions")
    }

    /// Forgets every past question, what was observed of them, and how far the logs are read. Returns the words of the
    /// questions that are gone.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn forget_past(&mut self) -> Result<Vec<String>, StoreError> {
        let attempt = "forget the past questions";
        self.lastingly(|connection| {
            let mut forget = || {
                let transaction = connection.transaction()?;
                let gone = transaction
                    .prepare("SELECT question FROM past_questions WHERE is_opening = 0")?
                    .query_map([], |row| row.get(0))?
                    .collect::<Result<Vec<String>, _>>()?;
                transaction.execute("DELETE FROM past_questions", [])?;
                transaction.execute("DELETE FROM recall_logs", [])?;
                transaction.execute("DELETE FROM judgments WHERE origin = 'observed'", [])?;
                note_forgotten(&transaction)?;
                transaction.commit()?;
                Ok(gone)
            };
            forget().attempt(attempt)
        })
    }
}

enum Put {
    New,
    Changed,
    Known,
}

fn put(connection: &Connection, log: &str, past: &NewPast) -> rusqlite::Result<Put> {
    let known = connection
        .prepare_cached(&format!(
            "{} WHERE agent = ?1 AND session = ?2 AND call = ?3",
            *COLUMNS
        ))?
        .query_row([&past.agent, &past.session, &past.call], |row| {
            // One that is damaged is known by its number, and is written again.
            Ok((row.get::<_, i64>(0)?, read(row)?))
        })
        .optional()?;
    // A log does not say how Memlens answered.
    let served_before = known
        .as_ref()
        .and_then(|(_, known)| known.as_ref()?.past.served.clone());
    let past = &NewPast {
        served: past.served.clone().or(served_before),
        ..past.clone()
    };
    let NewPast {
        agent,
        session,
        call,
        at_ms,
        is_opening,
        has_failed,
        question,
        is_pattern,
        settings,
        returned,
        opened,
        cited,
        served,
    } = past;
    match known {
        Some((_, Some(known))) if known.past == *past => Ok(Put::Known),
        Some((id, _)) => {
            connection
                .prepare_cached(
                    "UPDATE past_questions SET at_ms = ?2, question = ?3, settings = ?4, returned = ?5, \
                     opened = ?6, cited = ?7, is_opening = ?8, has_failed = ?9, is_pattern = ?10, served = ?11 WHERE id = ?1",
                )?
                .execute(params![
                    id, at_ms, question, settings, returned, opened, cited, is_opening, has_failed, is_pattern, served
                ])?;
            seal(connection, id)?;
            Ok(Put::Changed)
        }
        None => {
            connection
                .prepare_cached(
                    "INSERT INTO past_questions \
                     (log, agent, session, call, at_ms, question, settings, returned, opened, cited, is_opening, has_failed, is_pattern, served, kept_ms) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, CAST(unixepoch('subsec') * 1000 AS INTEGER))",
                )?
                .execute(params![
                    log, agent, session, call, at_ms, question, settings, returned, opened, cited, is_opening, has_failed, is_pattern, served
                ])?;
            seal(connection, connection.last_insert_rowid())?;
            Ok(Put::New)
        }
    }
}

/// Marks texts of past questions for removal from the disk at rest. Not every deleted row is a forgotten question: two
/// log entries of one question are merged.
fn note_forgotten(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .execute(
            "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'forgotten'",
            [],
        )
        .map(drop)
}

/// Writes the checksum of a past question.
fn seal(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(&format!(
            "UPDATE past_questions SET checksum = {OF_PAST} WHERE id = ?1"
        ))?
        .execute([id])
        .map(drop)
}

/// Those that are as they were saved. The others are passed over until the writer forgets them and reads their logs again.
fn sound(
    rows: impl Iterator<Item = rusqlite::Result<Option<StoredPast>>>,
) -> rusqlite::Result<Vec<StoredPast>> {
    rows.filter_map(Result::transpose).collect()
}

/// Reads a row; `None` if it is not as it was saved.
fn read(row: &Row<'_>) -> rusqlite::Result<Option<StoredPast>> {
    if !row.get::<_, bool>(14)? {
        return Ok(None);
    }
    Ok(Some(StoredPast {
        id: row.get(0)?,
        past: NewPast {
            agent: row.get(1)?,
            session: row.get(2)?,
            call: row.get(3)?,
            at_ms: row.get(4)?,
            question: row.get(5)?,
            settings: row.get(6)?,
            returned: row.get(7)?,
            opened: row.get(8)?,
            cited: row.get(9)?,
            is_opening: row.get(10)?,
            has_failed: row.get(11)?,
            is_pattern: row.get(13)?,
            served: row.get(15)?,
        },
        log: row.get(12)?,
    }))
}

#[cfg(test)]
mod tests {
    use super::page::PastWanted;
    use super::*;
    use crate::Origin;

    fn log(cursor: &str) -> ReadLog {
        ReadLog {
            path: "/home/iris/.agent/log.jsonl".to_owned(),
            agent: "openclaw".to_owned(),
            cursor: Some(cursor.to_owned()),
            n_bytes: 12,
            stamp: String::new(),
            problem: None,
        }
    }

    fn asked(session: &str, call: &str, at_ms: Option<i64>) -> NewPast {
        NewPast {
            agent: "openclaw".to_owned(),
            session: session.to_owned(),
            call: call.to_owned(),
            at_ms,
            is_opening: false,
            has_failed: false,
            is_pattern: false,
            served: None,
            question: format!("question {call}"),
            settings: "{}".to_owned(),
            returned: None,
            opened: "[]".to_owned(),
            cited: "[]".to_owned(),
        }
    }

    fn judgment(question: &str) -> Judgment {
        Judgment {
            origin: Origin::Observed,
            question: question.to_owned(),
            hash: [7; 32],
            text: "The router stands in the hall.".to_owned(),
            path: "router.md".to_owned(),
            at_ms: 5,
        }
    }

    #[test]
    fn more_that_is_learnt_of_a_question_takes_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let first = asked("s", "1", Some(10));
        // The same call of another session is another question.
        let other = asked("t", "1", Some(20));
        let timeless = asked("s", "2", None);
        let all = [first.clone(), other.clone(), timeless.clone()];
        let new = store
            .keep_past(&log("12"), &all, &[judgment("a"), judgment("a")])
            .unwrap();
        let expected = Kept {
            n_new: 3,
            n_openings: 0,
            n_updated: 0,
            n_judgments: 1,
        };
        assert_eq!(new, expected);
        let answered = NewPast {
            returned: Some("[]".to_owned()),
            ..first
        };
        let updated = store
            .keep_past(
                &log("30"),
                &[answered.clone(), other.clone()],
                &[judgment("a")],
            )
            .unwrap();
        let expected = Kept {
            n_new: 0,
            n_openings: 0,
            n_updated: 1,
            n_judgments: 0,
        };
        assert_eq!(updated, expected);
        // What another process sees.
        let reader = store.reader().unwrap();
        let past: Vec<NewPast> = reader
            .past_wanted(&PastWanted::default())
            .unwrap()
            .into_iter()
            .map(|it| it.past)
            .collect();
        assert_eq!(past, [other, answered.clone(), timeless.clone()]);
        let of_session = reader.past_of_session("openclaw", "s", 1).unwrap();
        assert_eq!(of_session[0].past, timeless);
        assert_eq!(reader.read_logs().unwrap(), [(log("30"), 3)]);
        let id = reader.past_wanted(&PastWanted::default()).unwrap()[1].id;
        assert_eq!(reader.past_question(id).unwrap().unwrap().past, answered);
        assert_eq!(reader.past_question(id + 100).unwrap(), None);
    }

    #[test]
    fn what_is_forgotten_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let all = [
            asked("s", "1", Some(10)),
            asked("s", "2", Some(20)),
            asked("s", "3", None),
        ];
        store.keep_past(&log("12"), &all, &[judgment("a")]).unwrap();
        let observed = |store: &Store| store.judgments(Origin::Observed).unwrap().len();
        assert!(!store.holds_past_before(5).unwrap());
        assert_eq!(store.forget_past_before(5).unwrap().len(), 0);
        assert_eq!((store.n_past().unwrap(), observed(&store)), (3, 1));
        // The judgment was made at 5.
        assert!(store.holds_past_before(6).unwrap());
        assert_eq!(store.forget_past_before(6).unwrap().len(), 0);
        assert_eq!((store.n_past().unwrap(), observed(&store)), (3, 0));
        assert_eq!(store.forget_past_before(20).unwrap().len(), 1);
        assert_eq!(store.n_past().unwrap(), 2);
        // How far the log is read stays, so that the old ones do not come back.
        assert_eq!(store.read_logs().unwrap(), [(log("12"), 2)]);
        // What has no time of its own ages from now on.
        let in_a_year =
            std::time::UNIX_EPOCH.elapsed().unwrap().as_millis() as i64 + 366 * 24 * 60 * 60 * 1000;
        store.keep_past(&log("12"), &all, &[judgment("a")]).unwrap();
        assert_eq!(store.forget_past_before(in_a_year).unwrap().len(), 3);
        store
            .keep_past(&log("12"), &all[1..], &[judgment("a")])
            .unwrap();
        assert_eq!(store.forget_past().unwrap().len(), 2);
        assert_eq!(store.past_wanted(&PastWanted::default()).unwrap(), []);
        assert_eq!(store.read_logs().unwrap(), []);
        assert_eq!(store.judgments(Origin::Observed).unwrap(), []);
    }

    #[test]
    fn what_two_logs_tell_of_is_one_question() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let said = |session: &str, call: &str, at_ms: i64, question: &str| NewPast {
            question: question.to_owned(),
            ..asked(session, call, Some(at_ms))
        };
        let all = [
            said("s", "1", 1_000_000, "koi"),
            said("", "e1", 1_030_000, "koi"),
            // Later, other words, and without a time: another question.
            said("", "e2", 1_030_001, "koi"),
            said("", "e3", 1_000_000, "pond"),
            NewPast {
                at_ms: None,
                ..said("", "e4", 0, "koi")
            },
            // Two sessions may well ask the same.
            said("t", "1", 1_000_000, "koi"),
        ];
        store.keep_past(&log("12"), &all, &[]).unwrap();
        assert_eq!(store.forget_duplicates().unwrap(), 1);
        let past = store.past_wanted(&PastWanted::default()).unwrap();
        let mut calls: Vec<&str> = past.iter().map(|it| it.past.call.as_str()).collect();
        calls.sort_unstable();
        assert_eq!(calls, ["1", "1", "e2", "e3", "e4"]);
    }

    #[test]
    fn the_same_question_in_another_log_is_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let one = [asked("s", "1", Some(10))];
        store.keep_past(&log("12"), &one, &[]).unwrap();
        let moved = ReadLog {
            path: "/elsewhere".to_owned(),
            ..log("1")
        };
        store.keep_past(&moved, &one, &[]).unwrap();
        assert_eq!(store.n_past().unwrap(), 1);
    }

    #[test]
    fn the_newest_are_each_agents_words_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let said = |agent: &str, call: &str, at_ms: Option<i64>, question: &str| NewPast {
            agent: agent.to_owned(),
            question: question.to_owned(),
            ..asked("s", call, at_ms)
        };
        let all = [
            said("openclaw", "1", Some(10), "koi"),
            said("openclaw", "2", Some(40), "koi"),
            said("codex", "3", Some(30), "koi"),
            said("openclaw", "4", Some(20), "pond"),
            said("openclaw", "5", None, "bees"),
        ];
        store.keep_past(&log("12"), &all, &[]).unwrap();
        let newest = |store: &Store, n_most: u32| -> Vec<String> {
            let newest = store.newest_past(n_most, |_, _| None).unwrap();
            newest.into_iter().map(|it| it.past.call).collect()
        };
        assert_eq!(newest(&store, 9), ["2", "3", "4", "5"]);
        assert_eq!(newest(&store, 2), ["2", "3"]);
        assert_eq!(newest(&store, 0), [""; 0]);
        let another = ReadLog {
            path: "/logs/lab".to_owned(),
            ..log("1")
        };
        store
            .keep_past(&another, &[said("openclaw", "6", Some(5), "koi")], &[])
            .unwrap();
        assert_eq!(newest(&store, 9), ["2", "3", "4", "5"]);
        let by_log = store.newest_past(9, |_, log| Some(log.to_owned())).unwrap();
        let by_log: Vec<&str> = by_log.iter().map(|it| it.past.call.as_str()).collect();
        assert_eq!(by_log, ["2", "3", "4", "6", "5"]);
    }
}
