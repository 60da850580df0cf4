//! Pairs that the user marked as no contradiction, or as resolved by the newer sentence.
//!
//! A pair is known by the words of its two sentences, as hashes: a mark applies until one of the sentences changes, and holds no
//! text of a note. A pair is resolved only while the same sentence is the newer one.

use std::collections::BTreeSet;

use memlens_corroborate::fnv1a;
use memlens_store::Store;
use serde::{Deserialize, Serialize};

use crate::EngineError;
use crate::writes::Writes;

/// The setting that holds the pairs that are no contradiction.
const NOT_CONTRADICTIONS: &str = "not_contradictions";

/// The setting that holds the pairs that are resolved.
const RESOLVED: &str = "resolved_contradictions";

const MARKS_MAX: usize = 10_000;

/// Hexadecimal digits of an id: two hashes.
const DIGITS: usize = 32;

/// What the user marked.
pub(crate) struct Marked {
    /// Pairs that are no contradiction, by their ids.
    pub(crate) dismissed: Pairs,
    /// Pairs that are resolved, by their [ids](resolved_id) for that.
    pub(crate) resolved: Pairs,
}

/// Marked pairs, by their ids.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Pairs(BTreeSet<String>);

/// Returns the id of a pair of sentences; the same one whichever comes first, and for other notes that repeat a sentence with
/// other capitals or without its full stop.
pub(crate) fn pair_id(a: &str, b: &str) -> String {
    let (a, b) = (hash(a), hash(b));
    format!("{:016x}{:016x}", a.min(b), a.max(b))
}

/// Returns the id of a pair of which the second sentence is newer; another one if the first is.
pub(crate) fn resolved_id(older: &str, newer: &str) -> String {
    format!("{:016x}{:016x}", hash(older), hash(newer))
}

fn hash(sentence: &str) -> u64 {
    let sentence = sentence.trim_end_matches(['.', '!']).to_lowercase();
    let words: Vec<&str> = sentence.split_whitespace().collect();
    fnv1a(&words.join(" "))
}

impl Marked {
    /// Reads the marks.
    ///
    /// # Errors
    /// [`EngineError::Store`]; [`EngineError::System`] if they are in an unknown form, which another version of Memlens may
    /// know.
    pub(crate) fn read(store: &Store) -> Result<Marked, EngineError> {
        Ok(Marked {
            dismissed: Pairs::read(store, NOT_CONTRADICTIONS)?,
            resolved: Pairs::read(store, RESOLVED)?,
        })
    }

    /// Whether a pair has any mark.
    pub(crate) fn has(&self, id: &str, resolved_id: Option<&str>) -> bool {
        self.dismissed.has(id) || resolved_id.is_some_and(|id| self.resolved.has(id))
    }
}

impl Pairs {
    fn read(store: &Store, key: &str) -> Result<Pairs, EngineError> {
        let Some(text) = store.setting(key)? else {
            return Ok(Pairs::default());
        };
        serde_json::from_str(&text).map_err(|error| EngineError::System {
            attempt: "read which contradictions you marked",
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
    let attempt = "mark a pair as no contradiction";
    mark(writes, NOT_CONTRADICTIONS, id, is_dismissed, attempt)
}

/// Marks a pair of sentences as resolved by the newer one, or removes the mark. `id` is the `resolved_id` of a reported pair.
///
/// # Errors
/// As [`dismiss_contradiction`].
pub fn resolve_contradiction(
    writes: &impl Writes,
    id: &str,
    is_resolved: bool,
) -> Result<(), EngineError> {
    let attempt = "mark a pair as resolved by the newer note";
    mark(writes, RESOLVED, id, is_resolved, attempt)
}

fn mark(
    writes: &impl Writes,
    key: &str,
    id: &str,
    is_marked: bool,
    attempt: &'static str,
) -> Result<(), EngineError> {
    let refused = |why: String| EngineError::System { attempt, why };
    if id.len() != DIGITS || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(refused("the pair has no such id".to_owned()));
    }
    writes.write(|store| {
        let mut marked = Pairs::read(store, key)?;
        if is_marked {
            if marked.0.len() >= MARKS_MAX {
                return Err(refused(format!(
                    "{MARKS_MAX} pairs are marked already; undo some of them"
                )));
            }
            marked.0.insert(id.to_owned());
        } else {
            marked.0.remove(id);
        }
        let text = (!marked.0.is_empty()).then(|| {
            serde_json::to_string(&marked).expect("plain data can always be written as JSON")
        });
        Ok(store.put_setting(key, text.as_deref())?)
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
