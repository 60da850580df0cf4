//! Named parameters that the user saved.

use crate::error::Attempt;
use crate::{Store, StoreError};

/// A preset with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPreset {
    /// Unique name of the preset.
    pub name: String,
    /// Its parameters as JSON; what they mean is not this crate's matter.
    pub params: String,
}

impl Store {
    /// The presets, sorted by name.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn presets(&self) -> Result<Vec<StoredPreset>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT name, params FROM presets ORDER BY name")
            .attempt("read the presets")?;
        statement
            .query_map([], |row| {
                Ok(StoredPreset {
                    name: row.get(0)?,
                    params: row.get(1)?,
                })
            })
            .and_then(Iterator::collect)
            .attempt("read the presets")
    }

    /// Saves a preset; replaces one of the same name.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn save_preset(&mut self, preset: &StoredPreset) -> Result<(), StoreError> {
        self.lastingly(|connection| {
            connection
                .execute(
                    "INSERT INTO presets VALUES (?1, ?2) ON CONFLICT DO UPDATE SET params = ?2",
                    [&preset.name, &preset.params],
                )
                .map(drop)
                .attempt("save a preset")
        })
    }

    /// Deletes a preset; a missing one is no error.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn delete_preset(&mut self, name: &str) -> Result<(), StoreError> {
        self.lastingly(|connection| {
            connection
                .execute("DELETE FROM presets WHERE name = ?1", [name])
                .map(drop)
                .attempt("delete a preset")
        })
    }
}
