//! Runs that the user saved: metrics of a ranking on a query set at some time.

use rusqlite::{OptionalExtension, params};

use crate::error::Attempt;
use crate::{Store, StoreError};

/// A run with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRun {
    /// Names it; never used twice.
    pub id: i64,
    /// Name that the user gave it.
    pub name: String,
    /// When it was made, milliseconds since 1970.
    pub at_ms: i64,
    /// What came out. What it means is not this crate's matter.
    pub content: String,
}

impl Store {
    /// The runs, the newest first.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn runs(&self) -> Result<Vec<StoredRun>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT id, name, at_ms, content FROM runs ORDER BY at_ms DESC, id DESC",
            )
            .and_then(|mut statement| statement.query_map([], read)?.collect())
            .attempt("read the runs")
    }

    /// A run; `None` if no run has this number.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn run(&self, id: i64) -> Result<Option<StoredRun>, StoreError> {
        self.connection
            .prepare_cached("SELECT id, name, at_ms, content FROM runs WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([id], read).optional())
            .attempt("read a run")
    }

    /// Keeps a run, and returns its number.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn add_run(&mut self, name: &str, at_ms: i64, content: &str) -> Result<i64, StoreError> {
        self.lastingly(|connection| {
            connection
                .execute(
                    "INSERT INTO runs (name, at_ms, content) VALUES (?1, ?2, ?3)",
                    params![name, at_ms, content],
                )
                .attempt("save a run")?;
            Ok(connection.last_insert_rowid())
        })
    }

    /// Replaces the content of a run; a missing run is not an error.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn change_run(&mut self, id: i64, content: &str) -> Result<(), StoreError> {
        self.lastingly(|connection| {
            connection
                .execute(
                    "UPDATE runs SET content = ?2 WHERE id = ?1",
                    params![id, content],
                )
                .map(drop)
                .attempt("save a run")
        })
    }

    /// Renames a run; a missing one is no error.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn rename_run(&mut self, id: i64, name: &str) -> Result<(), StoreError> {
        self.lastingly(|connection| {
            connection
                .execute("UPDATE runs SET name = ?2 WHERE id = ?1", params![id, name])
                .map(drop)
                .attempt("rename a run")
        })
    }

    /// Deletes a run; a missing one is no error.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn delete_run(&mut self, id: i64) -> Result<(), StoreError> {
        self.lastingly(|connection| {
            connection
                .execute("DELETE FROM runs WHERE id = ?1", [id])
                .map(drop)
                .attempt("delete a run")
        })
    }
}

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredRun> {
    Ok(StoredRun {
        id: row.get(0)?,
        name: row.get(1)?,
        at_ms: row.get(2)?,
        content: row.get(3)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_kept_renamed_and_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let first = store.add_run("first", 1, "{}").unwrap();
        let second = store.add_run("first", 2, "[]").unwrap();
        store.rename_run(second, "second").unwrap();
        let named = |store: &Store| -> Vec<String> {
            store
                .runs()
                .unwrap()
                .into_iter()
                .map(|run| run.name)
                .collect()
        };
        assert_eq!(named(&store), ["second", "first"]);
        assert_eq!(store.run(second).unwrap().unwrap().content, "[]");
        store.delete_run(first).unwrap();
        assert_eq!(store.run(first).unwrap(), None);
        assert_eq!(named(&store), ["second"]);
    }
}
