//! The pairs of opposite words by which notes are compared: the standard ones, less those that the user switched off, and the
//! user's own.

use std::collections::BTreeSet;

use memlens_contradict::{Opposition, Oppositions, PAIRS_MAX};
use memlens_store::Store;
use memlens_wire::OppositionPair;
use serde::{Deserialize, Serialize};

use crate::writes::Writes;
use crate::{EngineError, Library};

/// The setting that holds what the user changed; absent if nothing.
const KEY: &str = "oppositions";

/// What the user changed of the standard list.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edited {
    /// The user's own pairs, in the order in which they were added.
    own: Vec<Own>,
    /// The ids of the standard pairs that are switched off.
    off: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    words: Vec<String>,
    opposite: Vec<String>,
}

impl Own {
    fn pair(&self) -> Opposition {
        Opposition {
            words: self.words.clone(),
            opposite: self.opposite.clone(),
        }
    }
}

impl Edited {
    fn parse(stored: Option<&str>) -> Result<Edited, EngineError> {
        stored.map_or(Ok(Edited::default()), |text| {
            serde_json::from_str(text).map_err(|error| EngineError::System {
                attempt: "read your pairs of opposite words",
                why: error.to_string(),
            })
        })
    }

    fn own(&self) -> Vec<Opposition> {
        self.own.iter().map(Own::pair).collect()
    }

    /// Returns the list by which notes are compared.
    fn list(&self) -> Oppositions {
        Oppositions::edited(self.own(), |pair| self.off.contains(&id_of(pair)))
    }

    /// Returns all pairs, own ones first, those that were added last before others.
    fn shown(&self) -> Vec<OppositionPair> {
        let own = self.own().into_iter().rev();
        let own = own.map(|pair| shown(pair, true, true));
        let standard = Oppositions::standard();
        let standard = standard.pairs().iter().map(|pair| {
            let is_on = !self.off.contains(&id_of(pair));
            shown(pair.clone(), false, is_on)
        });
        own.chain(standard).collect()
    }

    fn add(&mut self, words: &str, opposite: &str) -> Result<(), EngineError> {
        let refused = |why: String| EngineError::Opposition {
            attempt: "add the pair",
            why,
        };
        let pair =
            Opposition::from_typed(words, opposite).map_err(|error| refused(error.to_string()))?;
        pair.check_beside(&self.list())
            .map_err(|error| refused(error.to_string()))?;
        if self.own.len() >= PAIRS_MAX {
            return Err(refused(format!(
                "there are {PAIRS_MAX} pairs of your own already; remove some first"
            )));
        }
        let Opposition { words, opposite } = pair;
        self.own.push(Own { words, opposite });
        Ok(())
    }

    fn remove(&mut self, id: &str) -> Result<(), EngineError> {
        let at = self.own.iter().position(|own| id_of(&own.pair()) == id);
        let Some(at) = at else {
            return Err(EngineError::Opposition {
                attempt: "remove the pair",
                why: format!("no pair of your own is \"{id}\""),
            });
        };
        self.own.remove(at);
        Ok(())
    }

    fn switch(&mut self, id: &str, is_on: bool) -> Result<(), EngineError> {
        let refused = |why: String| EngineError::Opposition {
            attempt: if is_on {
                "switch the pair on"
            } else {
                "switch the pair off"
            },
            why,
        };
        let standard = Oppositions::standard();
        let mut pairs = standard.pairs().iter();
        let pair = pairs.find(|pair| id_of(pair) == id);
        let pair = pair.ok_or_else(|| refused(format!("no standard pair is \"{id}\"")))?;
        if !is_on {
            self.off.insert(id.to_owned());
            return Ok(());
        }
        let own = Oppositions::edited(self.own(), |_| true);
        pair.check_beside(&own)
            .map_err(|error| refused(error.to_string()))?;
        self.off.remove(id);
        Ok(())
    }
}

/// Returns the name of a pair: its first word, `|` and the first opposite word. No word is in two pairs that are in use.
fn id_of(pair: &Opposition) -> String {
    let first = |side: &[String]| side.first().cloned().unwrap_or_default();
    format!("{} | {}", first(&pair.words), first(&pair.opposite))
}

fn shown(pair: Opposition, is_own: bool, is_on: bool) -> OppositionPair {
    OppositionPair {
        id: id_of(&pair),
        words: pair.words,
        opposite: pair.opposite,
        is_own,
        is_on,
    }
}

/// Returns the stored changes of the list. A pass by the same text compares by the same pairs.
pub(crate) fn stored(store: &Store) -> Result<Option<String>, EngineError> {
    Ok(store.setting(KEY)?)
}

/// Returns the list by which notes are compared, from its [stored](stored) changes.
///
/// # Errors
/// [`EngineError::System`] if they are in an unknown form, which another version of Memlens may know.
pub(crate) fn list(stored: Option<&str>) -> Result<Oppositions, EngineError> {
    Ok(Edited::parse(stored)?.list())
}

/// All pairs of opposite words: the user's own, the newest first, then the standard ones.
///
/// # Errors
/// [`EngineError::Store`]; [`EngineError::System`] if they are in an unknown form.
pub fn oppositions(library: &Library) -> Result<Vec<OppositionPair>, EngineError> {
    let stored = stored(&library.store())?;
    Ok(Edited::parse(stored.as_deref())?.shown())
}

/// Adds a pair of opposite words and returns all pairs. Each side is one or more words of one meaning, with commas between
/// them. Notes are compared again by it.
///
/// # Errors
/// [`EngineError::Opposition`] if the rules could not use it, or a word is in another pair; as [`Writes::write`].
pub fn add_opposition(
    writes: &impl Writes,
    words: &str,
    opposite: &str,
) -> Result<Vec<OppositionPair>, EngineError> {
    change(writes, |edited| edited.add(words, opposite))
}

/// Removes a pair of the user's own and returns all pairs.
///
/// # Errors
/// [`EngineError::Opposition`] if there is no such pair; as [`Writes::write`].
pub fn remove_opposition(
    writes: &impl Writes,
    id: &str,
) -> Result<Vec<OppositionPair>, EngineError> {
    change(writes, |edited| edited.remove(id))
}

/// Switches a standard pair off or on and returns all pairs.
///
/// # Errors
/// [`EngineError::Opposition`] if there is no such pair, or an own pair has a word of it; as [`Writes::write`].
pub fn switch_opposition(
    writes: &impl Writes,
    id: &str,
    is_on: bool,
) -> Result<Vec<OppositionPair>, EngineError> {
    change(writes, |edited| edited.switch(id, is_on))
}

fn change(
    writes: &impl Writes,
    change: impl FnOnce(&mut Edited) -> Result<(), EngineError>,
) -> Result<Vec<OppositionPair>, EngineError> {
    let (shown, is_changed) = writes.write(|store| {
        let before = stored(store)?;
        let mut edited = Edited::parse(before.as_deref())?;
        change(&mut edited)?;
        let text = (edited != Edited::default()).then(|| {
            serde_json::to_string(&edited).expect("plain data can always be written as JSON")
        });
        if text != before {
            store.put_setting(KEY, text.as_deref())?;
        }
        Ok((edited.shown(), text != before))
    })?;
    if is_changed {
        writes.oppositions_changed();
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_pairs_have_different_ids() {
        let standard = Oppositions::standard();
        let ids: BTreeSet<String> = standard.pairs().iter().map(id_of).collect();
        assert_eq!(ids.len(), standard.pairs().len());
    }

    #[test]
    fn the_list_is_edited() {
        let mut edited = Edited::default();
        let n_standard = edited.list().pairs().len();
        edited.add("primed", "drained").unwrap();
        edited.add("moored, tied up", "adrift").unwrap();
        edited.switch("open | closed", false).unwrap();
        edited.add("open", "sealed").unwrap();
        let shown = edited.shown();
        let firsts: Vec<&str> = shown.iter().map(|pair| pair.id.as_str()).collect();
        assert_eq!(
            firsts[..4],
            [
                "open | sealed",
                "moored | adrift",
                "primed | drained",
                "allow | forbid"
            ]
        );
        assert_eq!(shown.len(), n_standard + 3);
        assert_eq!(shown.iter().filter(|pair| !pair.is_on).count(), 1);
        assert_eq!(edited.list().pairs().len(), n_standard + 2);
        let taken = edited.switch("open | closed", true).unwrap_err();
        assert!(
            taken
                .to_string()
                .contains("cannot switch the pair on: \"open\" is in the pair \"open | sealed\""),
            "{taken}"
        );
        edited.remove("open | sealed").unwrap();
        edited.switch("open | closed", true).unwrap();
        assert!(edited.remove("open | sealed").is_err());
        assert!(edited.remove("open | closed").is_err());
        assert!(edited.switch("primed | drained", false).is_err());
        edited.remove("primed | drained").unwrap();
        edited.remove("moored | adrift").unwrap();
        assert_eq!(edited, Edited::default());
    }

    #[test]
    fn there_are_not_more_than_some() {
        // Words that differ, also by their stems.
        let word = |at: usize, side: char| {
            let letter = |n: usize| char::from(b'b' + (n % 10) as u8);
            format!(
                "{side}{}o{}a{}o",
                letter(at / 100),
                letter(at / 10),
                letter(at)
            )
        };
        let own = (0..PAIRS_MAX).map(|at| Own {
            words: vec![word(at, 'x')],
            opposite: vec![word(at, 'z')],
        });
        let mut edited = Edited {
            own: own.collect(),
            off: BTreeSet::new(),
        };
        let error = edited.add("primed", "drained").unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot add the pair: there are 1000 pairs of your own already; remove some first"
        );
        // A pair that is there is named first.
        let error = edited.add(&word(7, 'x'), "drained").unwrap_err();
        assert!(error.to_string().contains("already, and a word"), "{error}");
        edited.own.pop();
        edited.add("primed", "drained").unwrap();
    }

    #[test]
    fn what_a_later_version_wrote_is_reported() {
        assert!(Edited::parse(Some(r#"{"own": [], "off": [], "weights": 1}"#)).is_err());
        assert!(list(Some("[]")).is_err());
    }
}
