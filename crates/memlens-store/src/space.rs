//! Making room: forgetting what nothing uses any more, or everything.

use std::path::Path;

use rusqlite::{Connection, params};

use crate::damage::embeddings;
use crate::error::Attempt;
use crate::lock::WriteLock;
use crate::store::{files, next_generation};
use crate::{Store, StoreError, made, repair, saved};

impl Store {
    /// Forgets everything but which generation it is, which rises: folders, documents, embeddings,
    /// problems, presets, feedback and settings. The file shrinks to next to nothing.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn erase_all(&mut self) -> Result<u64, StoreError> {
        let attempt = "erase the library";
        // First, as where a folder is removed.
        self.remove_saved_snapshot();
        // Whatever tables there are: none may be forgotten when one is added.
        let tables: Vec<String> = self
            .connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'meta'")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .attempt(attempt)?;
        let generation = self.unlinked(|connection| {
            let transaction = connection.transaction().attempt(attempt)?;
            for table in tables {
                transaction
                    .execute(&format!("DELETE FROM \"{table}\""), [])
                    .attempt(attempt)?;
            }
            transaction
                .execute(
                    "DELETE FROM meta WHERE key NOT IN ('generation', 'database', 'made', 'forgotten', 'schema', 'rewritten_ms', 'note_changes_bytes')",
                    [],
                )
                .attempt(attempt)?;
            // Each deletion was logged; a reader of an earlier state reads everything.
            transaction
                .execute("DELETE FROM changed", [])
                .attempt(attempt)?;
            let generation = next_generation(&transaction)?;
            transaction.commit().attempt(attempt)?;
            Ok(generation)
        })?;
        made::remove(self.dir())?;
        repair::remove_set_aside(self.dir())?;
        self.made_kept = None;
        self.shrink()?;
        Ok(generation)
    }

    /// Removes the database of a library that cannot be opened any more because it is
    /// [damaged](StoreError::Damaged).
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process writes, [`StoreError::Folder`] if a file cannot
    /// be removed.
    pub fn remove_damaged(dir: &Path) -> Result<(), StoreError> {
        let _lock = WriteLock::take(dir)?;
        made::remove(dir)?;
        repair::remove_set_aside(dir)?;
        for path in files(dir).into_iter().chain(saved::files(dir)) {
            match std::fs::remove_file(&path) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StoreError::Folder { path, source });
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// How many embeddings the chunks and windows of sound documents use, and how many of `model`, theirs, nothing else uses.
    ///
    /// # Errors
    /// As [`Store::resumed_snapshot`].
    pub fn n_used_and_unused(&self, model: &str) -> Result<(u64, u64), StoreError> {
        // SQLite would sort all of them beside its other pages: 11 s of a million chunks, while nothing else is written.
        let snapshot = self.resumed_snapshot()?;
        let mut used: Vec<i64> = snapshot
            .documents
            .iter()
            .flat_map(|document| embeddings(document))
            .collect();
        used.sort_unstable();
        used.dedup();
        let n_used = used.len() as u64;
        let n_all = self
            .connection
            .query_row(
                "SELECT count(*) FROM embeddings WHERE model = ?1",
                [model],
                |row| row.get::<_, i64>(0),
            )
            .attempt("count embeddings")?;
        Ok((n_used, (n_all as u64).saturating_sub(n_used)))
    }

    /// Forgets the oldest embeddings of `model`, the one in use, that nothing uses, until `n_kept` of them are left; and those
    /// of other models whose texts are in no note any more. Gives their room back to the system. Returns how many went.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn forget_unused(&mut self, model: &str, n_kept: u64) -> Result<u64, StoreError> {
        let n_kept = i64::try_from(n_kept).unwrap_or(i64::MAX);
        let n_gone = self.unlinked(|connection| {
            let n_own = connection.execute(
                "WITH unused AS (
                     SELECT id FROM embeddings WHERE model = ?1
                         AND id NOT IN (SELECT embedding FROM chunks UNION SELECT embedding FROM windows)
                 )
                 DELETE FROM embeddings WHERE id IN (SELECT id FROM unused ORDER BY id DESC LIMIT -1 OFFSET ?2)",
                params![model, n_kept],
            );
            let n_others = connection.execute(
                "DELETE FROM embeddings WHERE model <> ?1 AND hash NOT IN (
                     SELECT e.hash FROM embeddings e
                     WHERE e.id IN (SELECT embedding FROM chunks UNION SELECT embedding FROM windows)
                 )",
                [model],
            );
            n_own.and_then(|n_own| Ok(n_own + n_others?)).attempt("forget unused embeddings")
        })?;
        self.shrink()?;
        Ok(n_gone as u64)
    }

    /// Raises the generation, for lists that were rebuilt from the same documents.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn raise_generation(&mut self) -> Result<u64, StoreError> {
        self.synced(|connection| {
            let transaction = connection.transaction().attempt("raise the generation")?;
            let generation = next_generation(&transaction)?;
            transaction.commit().attempt("raise the generation")?;
            Ok(generation)
        })
    }

    /// Does what leaves nothing that refers to what it deletes; looking for that would read a whole
    /// table for every row.
    pub(crate) fn unlinked<T>(
        &mut self,
        act: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let check = |connection: &Connection, is_on: bool| {
            connection
                .pragma_update(None, "foreign_keys", is_on)
                .attempt("change the library")
        };
        check(&self.connection, false)?;
        let done = self.synced(act);
        check(&self.connection, true)?;
        done
    }

    /// Gives free pages and the log back to the system.
    fn shrink(&mut self) -> Result<(), StoreError> {
        self.connection
            .execute_batch("VACUUM")
            .attempt("shrink the library")?;
        // An active reader delays this; that is no error.
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .attempt("shrink the library")
    }
}
