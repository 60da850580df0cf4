//! What went wrong with which file.

use rusqlite::{Row, params};

use crate::error::Attempt;
use crate::{FolderId, Store, StoreError};

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The file is not in the library.
    Error,
    /// The file is, but something in it was skipped or guessed.
    Note,
    /// The file is not in the library and no problem: it holds nothing that is read.
    Unread,
}

/// One thing that went wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProblem {
    /// Watched folder that contains the file.
    pub folder: FolderId,
    /// Path of the file in that folder.
    pub path: String,
    /// Line of the problem, 1-based; `None` for the whole file.
    pub line: Option<u32>,
    /// What went wrong, to show to the user.
    pub message: String,
    /// Whether the file is missing or only partly read.
    pub severity: Severity,
}

impl Store {
    /// Everything that went wrong, errors first, then by folder, path and line; without [`Severity::Unread`].
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn problems(&self) -> Result<Vec<StoredProblem>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT p.folder, p.path, p.line, p.message, p.severity FROM problems p JOIN folders f ON f.id = p.folder
                 WHERE p.severity <> 'unread' ORDER BY p.severity = 'note', f.path, p.path, p.line, p.message",
            )
            .attempt("read the problems")?;
        statement
            .query_map([], read)
            .and_then(Iterator::collect)
            .attempt("read the problems")
    }

    /// Why a file holds nothing that is read; `None` if that is not known of it.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn why_unread(&self, folder: FolderId, path: &str) -> Result<Option<String>, StoreError> {
        let noted = self.noted(folder, Some(path))?.into_iter();
        let mut unread = noted.filter(|problem| problem.severity == Severity::Unread);
        Ok(unread.next().map(|problem| problem.message))
    }

    /// How many files could not be read.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn n_unreadable(&self) -> Result<u32, StoreError> {
        self.connection
            .query_row("SELECT count(DISTINCT folder || ':' || path) FROM problems WHERE severity = 'error'", [], |row| row.get(0))
            .attempt("count the problems")
    }

    /// Whether a file has any recorded problem.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn has_problem(&self, folder: FolderId, path: &str) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM problems WHERE folder = ?1 AND path = ?2)",
            )
            .and_then(|mut statement| {
                statement.query_row(params![folder.0, path], |row| row.get(0))
            })
            .attempt("read the problems")
    }

    /// Whether a file has exactly this recorded problem.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn is_noted(&self, problem: &StoredProblem) -> Result<bool, StoreError> {
        Ok(self.noted(problem.folder, Some(&problem.path))? == std::slice::from_ref(problem))
    }

    /// Replaces the stored problems of a folder's files that are not in the library by these, sorted by path, as a walk
    /// found them. Problems of files that will be read soon (`is_read`) stay until then.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn set_walk_problems(
        &mut self,
        folder: FolderId,
        problems: &[StoredProblem],
        is_read: impl Fn(&str) -> bool,
    ) -> Result<(), StoreError> {
        self.inject_fault("record problems")?;
        let mut before = self.noted(folder, None)?;
        before.retain(|problem| !is_read(&problem.path));
        if before == problems {
            return Ok(());
        }
        let transaction = self.connection.transaction().attempt("record problems")?;
        for problem in &before {
            transaction
                .prepare_cached("DELETE FROM problems WHERE folder = ?1 AND path = ?2")
                .and_then(|mut statement| statement.execute(params![folder.0, problem.path]))
                .attempt("record problems")?;
        }
        for problem in problems {
            crate::documents::note(&transaction, problem)?;
        }
        transaction.commit().attempt("record problems")
    }

    /// What is noted of one file, or of all files of a folder that are not in the library; by path and message.
    fn noted(
        &self,
        folder: FolderId,
        path: Option<&str>,
    ) -> Result<Vec<StoredProblem>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT folder, path, line, message, severity FROM problems
                 WHERE folder = ?1 AND iif(?2 IS NULL, path NOT IN (SELECT path FROM documents WHERE folder = ?1), path = ?2)
                 ORDER BY path, message",
            )
            .and_then(|mut statement| {
                statement
                    .query_map(params![folder.0, path], read)?
                    .collect()
            })
            .attempt("read the problems")
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredProblem> {
    Ok(StoredProblem {
        folder: FolderId(row.get(0)?),
        path: row.get(1)?,
        line: row.get(2)?,
        message: row.get(3)?,
        severity: match row.get::<_, String>(4)?.as_str() {
            "error" => Severity::Error,
            "unread" => Severity::Unread,
            _ => Severity::Note,
        },
    })
}
