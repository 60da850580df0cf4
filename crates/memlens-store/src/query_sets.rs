//! Query sets that the user saved, by number and name.

use rusqlite::{OptionalExtension, Row, params};

use crate::error::Attempt;
use crate::{Store, StoreError};

/// A query set as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSet {
    /// Names it; never used twice.
    pub id: i64,
    /// Unique name that the user gave the set.
    pub name: String,
    /// The version of its content.
    pub hash: String,
    /// When it was last changed, milliseconds since 1970.
    pub changed_ms: i64,
    /// Summary for lists, so that they need not read the content. This crate does not interpret it.
    pub summary: String,
}

/// What a query set is to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSet {
    /// The version of its content.
    pub hash: String,
    /// When it was changed, milliseconds since 1970.
    pub changed_ms: i64,
    /// Summary for lists, as in [`StoredSet`].
    pub summary: String,
    /// The queries. What they mean is not this crate's matter.
    pub content: String,
}

impl Store {
    /// The query sets, sorted by name.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn query_sets(&self) -> Result<Vec<StoredSet>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT id, name, hash, changed_ms, summary FROM query_sets ORDER BY name, id",
            )
            .and_then(|mut statement| statement.query_map([], read)?.collect())
            .attempt("read the query sets")
    }

    /// A query set and its content; `None` if no set has this number.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn query_set(&self, id: i64) -> Result<Option<(StoredSet, String)>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT id, name, hash, changed_ms, summary, content FROM query_sets WHERE id = ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([id], |row| Ok((read(row)?, row.get(5)?)))
                    .optional()
            })
            .attempt("read a query set")
    }

    /// Adds a query set; `None` if the name is taken.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn add_query_set(&mut self, name: &str, set: &NewSet) -> Result<Option<i64>, StoreError> {
        self.lastingly(|connection| {
            let n_new = connection
                .execute(
                    "INSERT INTO query_sets (name, hash, changed_ms, summary, content) VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT DO NOTHING",
                    params![name, set.hash, set.changed_ms, set.summary, set.content],
                )
                .attempt("save a query set")?;
            Ok((n_new == 1).then(|| connection.last_insert_rowid()))
        })
    }

    /// Replaces the content of a set of this version; false if the set is gone or has changed since.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn change_query_set(
        &mut self,
        id: i64,
        was: &str,
        set: &NewSet,
    ) -> Result<bool, StoreError> {
        self.lastingly(|connection| {
            connection
                .execute(
                    "UPDATE query_sets SET hash = ?3, changed_ms = ?4, summary = ?5, content = ?6 WHERE id = ?1 AND hash = ?2",
                    params![id, was, set.hash, set.changed_ms, set.summary, set.content],
                )
                .map(|n| n == 1)
                .attempt("save a query set")
        })
    }

    /// Calls a query set by another name; false if the name is taken or the set gone.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn rename_query_set(&mut self, id: i64, name: &str) -> Result<bool, StoreError> {
        self.lastingly(|connection| {
            connection
                .execute(
                    "UPDATE OR IGNORE query_sets SET name = ?2 WHERE id = ?1",
                    params![id, name],
                )
                .map(|n| n == 1)
                .attempt("rename a query set")
        })
    }

    /// Deletes a query set; a missing one is no error.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn delete_query_set(&mut self, id: i64) -> Result<(), StoreError> {
        self.lastingly(|connection| {
            connection
                .execute("DELETE FROM query_sets WHERE id = ?1", [id])
                .map(drop)
                .attempt("delete a query set")
        })
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredSet> {
    Ok(StoredSet {
        id: row.get(0)?,
        name: row.get(1)?,
        hash: row.get(2)?,
        changed_ms: row.get(3)?,
        summary: row.get(4)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(content: &str) -> NewSet {
        NewSet {
            hash: format!("hash of {content}"),
            changed_ms: 1,
            summary: "{}".to_owned(),
            content: content.to_owned(),
        }
    }

    #[test]
    fn a_name_is_one_set_and_a_change_knows_what_it_replaces() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let a = store.add_query_set("a", &set("1")).unwrap().unwrap();
        assert_eq!(store.add_query_set("a", &set("2")).unwrap(), None);
        let b = store.add_query_set("b", &set("2")).unwrap().unwrap();
        assert!(!store.rename_query_set(b, "a").unwrap());
        assert!(store.rename_query_set(b, "'; --").unwrap());

        assert!(!store.change_query_set(a, "hash of 9", &set("3")).unwrap());
        assert!(store.change_query_set(a, "hash of 1", &set("3")).unwrap());
        let (held, content) = store.query_set(a).unwrap().unwrap();
        assert_eq!((&*held.hash, &*content), ("hash of 3", "3"));

        store.delete_query_set(a).unwrap();
        assert_eq!(store.query_set(a).unwrap(), None);
        let names: Vec<String> = store
            .query_sets()
            .unwrap()
            .into_iter()
            .map(|it| it.name)
            .collect();
        assert_eq!(names, ["'; --"]);
    }
}
