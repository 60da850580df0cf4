//! Pairs that the user marked as no contradiction.
//!
//! A pair is known by the words of its two sentences, as hashes: a mark applies until one of the sentences changes, and holds no
//! text of a note.

use std::collections::BTreeSet;

use memlens_corroborate::fnv1a;
use memlens_store::Store;
use serde::{Deserialize, Serialize};

use crate::EngineError;
use crate::writes::Writes;

/// The setting that holds the marks.
const KEY: &str = "not_contradictions";

const MARKS_MAX: usize = 10_000;

/// Hexadecimal digits of an id: two hashes.
const DIGITS: usize = 32;

/// The pairs that the user marked, by their ids.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Dismissed(BTreeSet<String>);

/// Returns the id of a pair of sentences; the same one whichever comes first, and for other notes that repeat a sentence with
/// other capitals or without its full stop.
pub(crate) fn pair_id(a: &str, b: &str) -> String {
    let [a, b] = [a, b].map(|sentence| {
        let sentence = sentence.trim_end_matches(['.', '!']).to_lowercase();
        let words: Vec<&str> = sentence.split_whitespace().collect();
        fnv1a(&words.join(" "))
    });
    format!("{:016x}{:016x}", a.min(b), a.max(b))
}

impl Dismissed {
    /// Reads the marks.
    ///
    /// # Errors
    /// [`EngineError::Store`]; [`EngineError::System`] if they are in an unknown form, which another version of Memlens may
    /// know.
    pub(crate) fn read(store: &Store) -> Result<Dismissed, EngineError> {
        let Some(text) = store.setting(KEY)? else {
            return Ok(Dismissed::default());
        };
        serde_json::from_str(&text).map_err(|error| EngineError::System {
            attempt: "read which pairs you marked as no contradiction",
            why: error.to_string(),
        })
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.contains(id)
    }
}

/// Marks a pair of sentences as no contradiction, or removes the mark. `id` is that of a reported pair.
///
/// # Errors
/// [`EngineError::System`] if `id` names no pair, there are too many marks, or they cannot be read; as [`Writes::write`].
pub fn dismiss_contradiction(
    writes: &impl Writes,
    id: &str,
    is_dismissed: bool,
) -> Result<(), EngineError> {
    let refused = |why: String| EngineError::System {
        attempt: "mark a pair as no contradiction",
        why,
    };
    if id.len() != DIGITS || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(refused("the pair has no such id".to_owned()));
    }
    writes.write(|store| {
        let mut dismissed = Dismissed::read(store)?;
        if is_dismissed {
            if dismissed.0.len() >= MARKS_MAX {
                return Err(refused(format!(
                    "{MARKS_MAX} pairs are marked already; undo some of them"
                )));
            }
            dismissed.0.insert(id.to_owned());
        } else {
            dismissed.0.remove(id);
        }
        let text = (!dismissed.0.is_empty()).then(|| {
            serde_json::to_string(&dismissed).expect("plain data can always be written as JSON")
        });
        Ok(store.put_setting(KEY, text.as_deref())?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_pair_depends_on_its_words_alone() {
        let id = pair_id("The relay is on.", "The relay is off.");
        assert_eq!(id.len(), DIGITS);
        assert_eq!(id, pair_id("The relay is off.", "The relay is on."));
        assert_eq!(id, pair_id("the relay  is off", "The relay is on!"));
        assert_ne!(id, pair_id("The relay is on.", "The relay is offline."));
    }
}
