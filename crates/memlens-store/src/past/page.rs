//! A part of the past questions: which there are of a kind, and some of them whole.

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, named_params};

use super::{ATTEMPT, COLUMNS, StoredPast, read};
use crate::error::Attempt;
use crate::{Store, StoreError};

/// Which past questions are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct PastWanted<'a> {
    /// Searches or openings only; `None` for both.
    pub is_opening: Option<bool>,
    /// Words that are all in the question, or in the paths of what was opened, whatever their case; empty for any.
    pub text: &'a str,
    /// Id of the agent; `None` for any.
    pub agent: Option<&'a str>,
    /// Session id; `None` for any session.
    pub session: Option<&'a str>,
    /// Only questions at or after this time, milliseconds since 1970; `None` for any, including those without a time.
    pub since_ms: Option<i64>,
    /// Only those that were answered with nothing.
    pub found_nothing: bool,
    /// Only questions with these ids; `None` for any.
    pub among: Option<&'a [i64]>,
}

/// What places a past question in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastKey {
    /// Id of the past question.
    pub id: i64,
    /// Time of the question in milliseconds since 1970; `None` if the log has no time.
    pub at_ms: Option<i64>,
    /// Whether it is an opening.
    pub is_opening: bool,
}

/// How often an agent searched its memory, and how often it opened notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCounts {
    /// Id of the agent that asked.
    pub agent: String,
    /// Number of searches by the agent.
    pub n_questions: u32,
    /// Number of openings by the agent.
    pub n_openings: u32,
}

/// A session in which an agent searched or opened something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastSession {
    /// Id of the agent that asked.
    pub agent: String,
    /// The session, as the agent names it.
    pub session: String,
    /// Time of the last question in the session; `None` if no log has a time.
    pub at_ms: Option<i64>,
}

/// The filter as SQL. A column without a condition is not read.
const WANTED: &str = "(:agent IS NULL OR agent = :agent) AND (:session IS NULL OR session = :session) \
     AND (:since IS NULL OR at_ms >= :since) AND (NOT :nothing OR returned = '[]') \
     AND (:opening IS NULL OR is_opening = :opening) \
     AND (:among IS NULL OR id IN (SELECT value FROM json_each(:among))) \
     AND (:words = '' OR holds_words(CASE is_opening WHEN 0 THEN question ELSE \
     coalesce((SELECT group_concat(json_extract(value, '$.path'), ' ') FROM json_each(opened)), '') END, :words))";

const NEWEST_FIRST: &str = "ORDER BY at_ms DESC, id DESC";

/// Adds the function `holds_words` to a connection: whether a text holds all words of another, which is in lower case.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_scalar_function(
        "holds_words",
        2,
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
        |values| {
            let as_text = |at: usize| values.get_raw(at).as_str().map_err(rusqlite::Error::from);
            let text = as_text(0)?.to_lowercase();
            Ok(as_text(1)?
                .split_whitespace()
                .all(|word| text.contains(word)))
        },
    )
}

impl Store {
    /// The past questions that are wanted, by their keys, the newest first; those without a time come last.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn past_keys(&self, wanted: &PastWanted<'_>) -> Result<Vec<PastKey>, StoreError> {
        self.past_by(
            &format!(
                "SELECT id, at_ms, is_opening FROM past_questions WHERE {WANTED} {NEWEST_FIRST}"
            ),
            wanted,
            |row| {
                Ok(PastKey {
                    id: row.get(0)?,
                    at_ms: row.get(1)?,
                    is_opening: row.get(2)?,
                })
            },
        )
    }

    /// The past questions that are wanted, whole, in the order of their keys.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn past_wanted(&self, wanted: &PastWanted<'_>) -> Result<Vec<StoredPast>, StoreError> {
        let sql = format!("{} WHERE {WANTED} {NEWEST_FIRST}", *COLUMNS);
        let wanted = self.past_by(&sql, wanted, read)?;
        // The others are not as they were saved.
        Ok(wanted.into_iter().flatten().collect())
    }

    /// How many past questions are wanted.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn n_past_wanted(&self, wanted: &PastWanted<'_>) -> Result<u32, StoreError> {
        let sql = format!("SELECT count(*) FROM past_questions WHERE {WANTED}");
        let counted = self.past_by(&sql, wanted, |row| row.get(0))?;
        Ok(counted.first().copied().unwrap_or(0))
    }

    /// What agents asked with these words, the newest first; each wording once, whatever its case, and at most `n_most`.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn past_wordings(&self, text: &str, n_most: usize) -> Result<Vec<String>, StoreError> {
        let wordings = || {
            let mut statement = self.connection.prepare_cached(&format!(
                "SELECT question FROM past_questions WHERE is_opening = 0 AND holds_words(question, ?1) {NEWEST_FIRST}"
            ))?;
            let mut rows = statement.query([text.to_lowercase()])?;
            let mut wordings: Vec<(String, String)> = Vec::new();
            while wordings.len() < n_most
                && let Some(row) = rows.next()?
            {
                let question: String = row.get(0)?;
                let question = question.trim();
                let folded = question.to_lowercase();
                if wordings.iter().all(|(known, _)| *known != folded) {
                    wordings.push((folded, question.to_owned()));
                }
            }
            Ok(wordings.into_iter().map(|(_, wording)| wording).collect())
        };
        wordings().attempt(ATTEMPT)
    }

    /// The agents that searched or opened something, by id.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn past_agents(&self) -> Result<Vec<PastCounts>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT agent, sum(is_opening = 0), sum(is_opening) FROM past_questions GROUP BY agent ORDER BY agent",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([], |row| {
                        Ok(PastCounts {
                            agent: row.get(0)?,
                            n_questions: row.get(1)?,
                            n_openings: row.get(2)?,
                        })
                    })?
                    .collect()
            })
            .attempt(ATTEMPT)
    }

    /// The sessions of an agent, or of all, with the latest questions, at most `n_most`; sessions without a time come
    /// last.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn past_sessions(
        &self,
        agent: Option<&str>,
        n_most: u32,
    ) -> Result<Vec<PastSession>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT agent, session, max(at_ms) AS last_ms FROM past_questions \
                 WHERE session <> '' AND (?1 IS NULL OR agent = ?1) GROUP BY agent, session \
                 ORDER BY last_ms DESC, max(id) DESC LIMIT ?2",
            )
            .and_then(|mut statement| {
                statement
                    .query_map((agent, n_most), |row| {
                        Ok(PastSession {
                            agent: row.get(0)?,
                            session: row.get(1)?,
                            at_ms: row.get(2)?,
                        })
                    })?
                    .collect()
            })
            .attempt(ATTEMPT)
    }

    fn past_by<T>(
        &self,
        sql: &str,
        wanted: &PastWanted<'_>,
        row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let among = wanted.among.map(|ids| {
            format!(
                "[{}]",
                ids.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
            )
        });
        let named = named_params! {
            ":words": wanted.text.trim().to_lowercase(),
            ":agent": wanted.agent,
            ":session": wanted.session,
            ":since": wanted.since_ms,
            ":nothing": wanted.found_nothing,
            ":opening": wanted.is_opening,
            ":among": among,
        };
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(named, row)?.collect())
            .attempt(ATTEMPT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NewPast, ReadLog};

    fn asked(agent: &str, session: &str, at_ms: Option<i64>, question: &str) -> NewPast {
        NewPast {
            agent: agent.to_owned(),
            session: session.to_owned(),
            call: question.to_owned(),
            at_ms,
            is_opening: false,
            has_failed: false,
            is_pattern: false,
            served: None,
            question: question.to_owned(),
            settings: "{}".to_owned(),
            returned: None,
            opened: "[]".to_owned(),
            cited: "[]".to_owned(),
        }
    }

    fn kept(questions: &[NewPast]) -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let log = ReadLog {
            path: "/log".to_owned(),
            agent: "openclaw".to_owned(),
            cursor: None,
            n_bytes: 0,
            stamp: String::new(),
            problem: None,
        };
        store.keep_past(&log, questions, &[]).unwrap();
        (dir, store)
    }

    #[test]
    fn what_is_wanted_is_found_in_order_and_counted() {
        let nothing = NewPast {
            returned: Some("[]".to_owned()),
            ..asked("codex", "t", Some(30), "Über den Teich")
        };
        let some = NewPast {
            returned: Some("[{}]".to_owned()),
            ..asked("codex", "u", Some(30), "koi pond")
        };
        let (_dir, store) = kept(&[
            asked("openclaw", "s", None, "where is the pond"),
            asked("openclaw", "s", Some(10), "koi at the pond"),
            nothing,
            some,
        ]);
        let check = |wanted: PastWanted<'_>, expected: &[&str]| {
            let whole = store.past_wanted(&wanted).unwrap();
            let found: Vec<&str> = whole.iter().map(|it| it.past.question.as_str()).collect();
            assert_eq!(found, expected, "{wanted:?}");
            let keys = store.past_keys(&wanted).unwrap();
            let of_whole = whole.iter().map(|it| PastKey {
                id: it.id,
                at_ms: it.past.at_ms,
                is_opening: it.past.is_opening,
            });
            assert_eq!(keys, of_whole.collect::<Vec<_>>(), "{wanted:?}");
            let n = store.n_past_wanted(&wanted).unwrap();
            assert_eq!(n as usize, expected.len(), "{wanted:?}");
        };
        let any = PastWanted::default();
        let all = [
            "koi pond",
            "Über den Teich",
            "koi at the pond",
            "where is the pond",
        ];
        check(any, &all);
        check(
            PastWanted {
                text: " POND  koi ",
                ..any
            },
            &["koi pond", "koi at the pond"],
        );
        check(
            PastWanted {
                text: "über",
                ..any
            },
            &["Über den Teich"],
        );
        check(PastWanted { text: "%", ..any }, &[]);
        check(
            PastWanted {
                agent: Some("codex"),
                ..any
            },
            &all[..2],
        );
        check(
            PastWanted {
                session: Some("s"),
                ..any
            },
            &all[2..],
        );
        check(
            PastWanted {
                since_ms: Some(30),
                ..any
            },
            &all[..2],
        );
        check(
            PastWanted {
                found_nothing: true,
                ..any
            },
            &["Über den Teich"],
        );
        check(
            PastWanted {
                among: Some(&[1, 4]),
                ..any
            },
            &["koi pond", "where is the pond"],
        );
        check(
            PastWanted {
                among: Some(&[]),
                ..any
            },
            &[],
        );
    }

    #[test]
    fn an_opening_is_found_by_its_paths_and_is_no_question() {
        let opening = NewPast {
            is_opening: true,
            question: String::new(),
            call: "open:1".to_owned(),
            opened: r#"[{"path":"~/Koi.md","lines":null,"at_ms":20},{"path":"b.md","lines":[1,2],"at_ms":20}]"#
                .to_owned(),
            ..asked("codex", "only-opened", Some(20), "")
        };
        let (_dir, mut store) = kept(&[asked("openclaw", "s", Some(10), "koi pond"), opening]);
        let found = |is_opening, text| -> Vec<String> {
            let wanted = PastWanted {
                is_opening,
                text,
                ..PastWanted::default()
            };
            let found = store.past_wanted(&wanted).unwrap();
            found.into_iter().map(|it| it.past.call).collect()
        };
        assert_eq!(found(None, ""), ["open:1", "koi pond"]);
        assert_eq!(found(None, "koi"), ["open:1", "koi pond"]);
        assert_eq!(found(Some(true), ""), ["open:1"]);
        assert_eq!(found(Some(false), "koi"), ["koi pond"]);
        assert_eq!(found(None, "b.md KOI"), ["open:1"]);
        // Names of fields are no words of a path.
        assert_eq!(found(Some(true), "lines"), [""; 0]);
        let counts = store.past_agents().unwrap();
        let codex = counts.iter().find(|it| it.agent == "codex").unwrap();
        assert_eq!((codex.n_questions, codex.n_openings), (0, 1));
        assert_eq!(
            store.past_sessions(None, 9).unwrap()[0].session,
            "only-opened"
        );
        assert_eq!(store.n_past().unwrap(), 1);
        assert_eq!(store.newest_past(9, |_, _| None).unwrap().len(), 1);
        assert_eq!(
            store.past_of_session("codex", "only-opened", 9).unwrap(),
            []
        );
        assert_eq!(store.read_logs().unwrap()[0].1, 1);
        assert_eq!(store.past_wordings("", 9).unwrap(), ["koi pond"]);
        assert_eq!(store.forget_past().unwrap(), ["koi pond"]);
        assert_eq!(store.past_keys(&PastWanted::default()).unwrap(), []);
    }

    #[test]
    fn wordings_are_offered_once_the_newest_first() {
        let (_dir, store) = kept(&[
            asked("openclaw", "s", Some(1), "oldest pond"),
            asked("openclaw", "s", Some(2), "koi Pond "),
            asked("codex", "t", Some(3), "Koi pond"),
            asked("codex", "t", Some(4), "bees"),
        ]);
        assert_eq!(
            store.past_wordings("pond", 9).unwrap(),
            ["Koi pond", "oldest pond"]
        );
        assert_eq!(store.past_wordings("POND", 1).unwrap(), ["Koi pond"]);
    }

    #[test]
    fn agents_and_sessions_are_reported_with_what_they_asked() {
        let (_dir, store) = kept(&[
            asked("openclaw", "a", Some(9), "1"),
            asked("openclaw", "a", Some(5), "2"),
            asked("openclaw", "b", None, "3"),
            asked("openclaw", "", Some(99), "4"),
            asked("codex", "a", Some(10), "5"),
        ]);
        let counts = |agent: &str, n_questions, n_openings| PastCounts {
            agent: agent.to_owned(),
            n_questions,
            n_openings,
        };
        let agents = [counts("codex", 1, 0), counts("openclaw", 4, 0)];
        assert_eq!(store.past_agents().unwrap(), agents);
        let listed = |agent, n_most| -> Vec<(String, String, Option<i64>)> {
            let sessions = store.past_sessions(agent, n_most).unwrap();
            sessions
                .into_iter()
                .map(|it| (it.agent, it.session, it.at_ms))
                .collect()
        };
        let of = |agent: &str, session: &str, at_ms| (agent.to_owned(), session.to_owned(), at_ms);
        let (codex, a, b) = (
            of("codex", "a", Some(10)),
            of("openclaw", "a", Some(9)),
            of("openclaw", "b", None),
        );
        assert_eq!(listed(None, 9), [codex.clone(), a.clone(), b.clone()]);
        assert_eq!(listed(Some("openclaw"), 9), [a, b]);
        assert_eq!(listed(None, 1), [codex]);
    }
}
