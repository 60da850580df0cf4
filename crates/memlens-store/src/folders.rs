//! Watched folders and their settings.

use rusqlite::{Row, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::error::Attempt;
use crate::store::next_generation;
use crate::{Applied, DocumentId, Store, StoreError, versions};

/// Id of a watched folder in the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FolderId(pub i64);

/// A folder that the user added to the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Id of the folder in the library.
    pub id: FolderId,
    /// Absolute path of the folder.
    pub path: String,
    /// Its name on screen, unique among the folders.
    pub name: String,
    /// Whether changes in it are left alone for now.
    pub is_paused: bool,
    /// Mount point of the folder's disk at the last walk; `None` before the first walk, or if the system does not
    /// report it.
    pub mount: Option<String>,
    /// Id of the agent whose memory it is; `None` if it belongs to no known agent.
    pub agent: Option<String>,
}

impl Folder {
    fn read(row: &Row<'_>) -> rusqlite::Result<Folder> {
        Ok(Folder {
            id: FolderId(row.get(0)?),
            path: row.get(1)?,
            name: row.get(2)?,
            is_paused: row.get(3)?,
            mount: row.get(4)?,
            agent: row.get(5)?,
        })
    }
}

impl Store {
    /// The watched folders, sorted by path.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn folders(&self) -> Result<Vec<Folder>, StoreError> {
        self.inject_fault("read the folders")?;
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT id, path, name, is_paused, mount, agent FROM folders ORDER BY path",
            )
            .attempt("read the folders")?;
        statement
            .query_map([], Folder::read)
            .and_then(Iterator::collect)
            .attempt("read the folders")
    }

    /// Adds a watched folder. A name already taken gets a number.
    ///
    /// # Errors
    /// [`StoreError::AlreadyWatched`] for a folder that is watched, itself or within another.
    pub fn add_folder(&mut self, path: &str, name: &str) -> Result<Folder, StoreError> {
        self.add(path, name, None)
    }

    /// Adds a watched folder that is an agent's memory, as [`Store::add_folder`]; other readers see it only with its
    /// agent set.
    ///
    /// # Errors
    /// As [`Store::add_folder`].
    pub fn add_folder_of(
        &mut self,
        path: &str,
        name: &str,
        agent: &str,
    ) -> Result<Folder, StoreError> {
        self.add(path, name, Some(agent))
    }

    fn add(&mut self, path: &str, name: &str, agent: Option<&str>) -> Result<Folder, StoreError> {
        self.inject_fault("add a folder")?;
        let folders = self.folders()?;
        refuse_watched(path, &folders)?;
        let name = free_name(name, &folders);
        self.lastingly(|connection| {
            // A row is returned before its statement is committed; only a transaction reports whether that worked.
            let transaction = connection.transaction().attempt("add a folder")?;
            let folder = transaction
                .query_row(
                    "INSERT INTO folders (path, name, agent) VALUES (?1, ?2, ?3) RETURNING id, path, name, is_paused, mount, agent",
                    params![path, name, agent],
                    Folder::read,
                )
                .attempt("add a folder")?;
            transaction.commit().attempt("add a folder")?;
            Ok(folder)
        })
    }

    /// Removes a folder with its documents; its embeddings stay for the case that it is added again.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn remove_folder(&mut self, folder: FolderId) -> Result<Applied, StoreError> {
        self.inject_fault("remove a folder")?;
        let attempt = "remove a folder";
        // First, so that a process that is killed in between leaves no snapshot with names that the user wants
        // forgotten.
        self.remove_saved_snapshot();
        self.lastingly(|connection| {
            let transaction = connection.transaction().attempt(attempt)?;
            let removed = documents_of(&transaction, folder).attempt(attempt)?;
            versions::forget(&transaction).attempt(attempt)?;
            transaction
                .execute("DELETE FROM folders WHERE id = ?1", [folder.0])
                .attempt(attempt)?;
            let generation = next_generation(&transaction)?;
            transaction.commit().attempt(attempt)?;
            Ok(Applied {
                generation,
                removed,
                added: Vec::new(),
            })
        })
    }

    /// Changes the path of a folder: its notes are removed and read again at the new path, while its embeddings, its
    /// agent and everything else that belongs to its id stay. A folder that is no agent's memory gets the name of its
    /// new path.
    ///
    /// # Errors
    /// [`StoreError::AlreadyWatched`] for a place that is watched as another folder, or within one.
    pub fn move_folder(
        &mut self,
        folder: FolderId,
        path: &str,
        name: &str,
    ) -> Result<Applied, StoreError> {
        self.inject_fault("move a folder")?;
        let attempt = "move a folder";
        let mut others = self.folders()?;
        others.retain(|it| it.id != folder);
        refuse_watched(path, &others)?;
        let name = free_name(name, &others);
        self.lastingly(|connection| {
            let transaction = connection.transaction().attempt(attempt)?;
            let removed = documents_of(&transaction, folder).attempt(attempt)?;
            versions::forget(&transaction).attempt(attempt)?;
            transaction
                .execute("DELETE FROM documents WHERE folder = ?1", [folder.0])
                .attempt(attempt)?;
            transaction
                .execute(
                    "UPDATE folders SET path = ?2, mount = NULL, confirmed_ms = NULL, name = iif(agent IS NULL, ?3, name) WHERE id = ?1",
                    params![folder.0, path, name],
                )
                .attempt(attempt)?;
            let generation = next_generation(&transaction)?;
            transaction.commit().attempt(attempt)?;
            Ok(Applied {
                generation,
                removed,
                added: Vec::new(),
            })
        })
    }

    /// Pauses or resumes a folder.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn set_folder_paused(
        &mut self,
        folder: FolderId,
        is_paused: bool,
    ) -> Result<(), StoreError> {
        self.inject_fault("pause a folder")?;
        self.lastingly(|connection| {
            connection
                .execute(
                    "UPDATE folders SET is_paused = ?2 WHERE id = ?1",
                    params![folder.0, is_paused],
                )
                .map(drop)
                .attempt("pause a folder")
        })
    }
}

impl Store {
    /// Stores the mount point of the disk that contains a folder.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn set_folder_mount(
        &mut self,
        folder: FolderId,
        mount: Option<&str>,
    ) -> Result<(), StoreError> {
        self.connection
            .execute(
                "UPDATE folders SET mount = ?2 WHERE id = ?1",
                params![folder.0, mount],
            )
            .map(|_| ())
            .attempt("record where a folder is mounted")
    }
}

impl Store {
    /// Sets the agent whose memory a folder is; `None` removes it.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn set_folder_agent(
        &mut self,
        folder: FolderId,
        agent: Option<&str>,
    ) -> Result<(), StoreError> {
        self.connection
            .execute(
                "UPDATE folders SET agent = ?2 WHERE id = ?1",
                params![folder.0, agent],
            )
            .map(drop)
            .attempt("record whose memory a folder is")
    }
}

/// A name that none of these folders has: itself, or with a number.
fn free_name(name: &str, folders: &[Folder]) -> String {
    let is_free = |name: &String| folders.iter().all(|folder| folder.name != *name);
    std::iter::once(name.to_owned())
        .chain((2..).map(|number| format!("{name} {number}")))
        .find(is_free)
        .expect("finitely many folders cannot take infinitely many names")
}

/// The documents of a folder.
fn documents_of(
    transaction: &Transaction<'_>,
    folder: FolderId,
) -> rusqlite::Result<Vec<DocumentId>> {
    transaction
        .prepare("SELECT id FROM documents WHERE folder = ?1")?
        .query_map([folder.0], |row| row.get(0).map(DocumentId))?
        .collect()
}

/// Refuses what is watched already, itself or within another folder.
fn refuse_watched(path: &str, folders: &[Folder]) -> Result<(), StoreError> {
    let outer = folders.iter().find(|folder| is_within(path, &folder.path));
    outer.map_or(Ok(()), |outer| {
        Err(StoreError::AlreadyWatched {
            path: path.to_owned(),
            within: (outer.path != path).then(|| outer.path.clone()),
        })
    })
}

fn is_within(path: &str, folder: &str) -> bool {
    std::path::Path::new(path).starts_with(folder)
}
