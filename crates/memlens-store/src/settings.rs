//! The user's settings of this library, by key.

use rusqlite::OptionalExtension;

use crate::error::Attempt;
use crate::{Store, StoreError};

impl Store {
    /// The value stored under a key; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.connection
            .prepare_cached("SELECT value FROM settings WHERE key = ?1")
            .and_then(|mut statement| statement.query_row([key], |row| row.get(0)).optional())
            .attempt("read the settings")
    }

    /// Stores a value under a key; `None` removes it. This crate does not interpret the value.
    ///
    /// # Errors
    /// [`StoreError::Sql`]; nothing has changed then.
    pub fn put_setting(&mut self, key: &str, value: Option<&str>) -> Result<(), StoreError> {
        self.lastingly(|connection| {
            let put = match value {
                Some(value) => connection.execute(
                    "INSERT INTO settings VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
                    [key, value],
                ),
                None => connection.execute("DELETE FROM settings WHERE key = ?1", [key]),
            };
            put.map(drop).attempt("save the settings")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_stands_until_it_is_taken_back_or_all_is_erased() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        let mut check = |value: Option<&str>| {
            store.put_setting("hook", value).unwrap();
            // What another process sees.
            let reader = store.reader().unwrap();
            assert_eq!(reader.setting("hook").unwrap().as_deref(), value);
            assert_eq!(reader.setting("other").unwrap(), None);
        };
        check(Some("{}"));
        check(Some(""));
        check(None);
        check(None);
        check(Some("'; DROP TABLE settings; -- \u{0}\u{1f980}"));
        store.erase_all().unwrap();
        assert_eq!(store.setting("hook").unwrap(), None);
    }
}
