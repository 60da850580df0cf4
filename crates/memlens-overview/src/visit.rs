//! When the user last looked at the overview, so that it lists what is new since. Kept in the library, and so over restarts.
//!
//! A visit lasts as long as the overview is shown again within [`GAP_MS`]; the next one begins with what is new since then.

use memlens_library::clock;
use memlens_library::{EngineError, Writes};
use memlens_store::{Store, StoreError};
use serde::{Deserialize, Serialize};

const KEY: &str = "overview";
/// An absence that ends a visit.
const GAP_MS: i64 = 30 * 60 * 1000;
/// How exactly the end of a visit is kept; each change of it is a change of the library's database.
const KEPT_MS: i64 = 60 * 1000;

/// The present visit, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Visit {
    /// What is later is new; `None` in the first visit.
    since_ms: Option<i64>,
    /// When the overview was last shown.
    last_ms: Option<i64>,
}

impl Visit {
    fn read(store: &Store) -> Result<Visit, StoreError> {
        let text = store.setting(KEY)?;
        Ok(text
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default())
    }

    /// The visit after the overview is shown at a moment.
    fn shown(self, now_ms: i64) -> Visit {
        // The clock may have been set back since.
        let last_ms = self.last_ms.map(|last| last.min(now_ms));
        let since_ms = self.since_ms.map(|since| since.min(now_ms));
        match last_ms {
            Some(last) if now_ms - last < GAP_MS => Visit {
                since_ms,
                last_ms: Some(if now_ms - last < KEPT_MS {
                    last
                } else {
                    now_ms
                }),
            },
            last => Visit {
                since_ms: last,
                last_ms: Some(now_ms),
            },
        }
    }
}

/// When the last visit ended, milliseconds since 1970; `None` before the second visit.
///
/// # Errors
/// [`EngineError::Store`].
pub(crate) fn since_ms(store: &Store) -> Result<Option<i64>, EngineError> {
    let now_ms = clock::now().as_millisecond();
    Ok(Visit::read(store)?.since_ms.map(|since| since.min(now_ms)))
}

/// Notes that the overview is shown.
///
/// # Errors
/// As [`Writes::write`].
pub fn visit(writes: &impl Writes) -> Result<(), EngineError> {
    let before = {
        let store = writes.library().store();
        Visit::read(&store)?
    };
    let visit = before.shown(clock::now().as_millisecond());
    if visit == before {
        return Ok(());
    }
    save(writes, visit)
}

/// Notes that the user has seen everything that is new.
///
/// # Errors
/// As [`Writes::write`].
pub fn mark_seen(writes: &impl Writes) -> Result<(), EngineError> {
    let now_ms = clock::now().as_millisecond();
    save(
        writes,
        Visit {
            since_ms: Some(now_ms),
            last_ms: Some(now_ms),
        },
    )
}

fn save(writes: &impl Writes, visit: Visit) -> Result<(), EngineError> {
    let text = serde_json::to_string(&visit).expect("plain data can always be written as JSON");
    writes.write(|store| Ok(store.put_setting(KEY, Some(&text))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60 * 1000;

    #[test]
    fn what_is_new_counts_from_the_end_of_the_visit_before() {
        let at = |minutes: i64| 1_000_000_000_000 + minutes * MINUTE;
        let first = Visit::default().shown(at(0));
        assert_eq!(first.since_ms, None);
        let later = first.shown(at(20)).shown(at(40));
        assert_eq!((later.since_ms, later.last_ms), (None, Some(at(40))));
        let second = later.shown(at(71));
        assert_eq!(second.since_ms, Some(at(40)));
        assert_eq!(second.shown(at(80)).since_ms, Some(at(40)));
        // Nothing is written while the overview is shown again and again.
        assert_eq!(second.shown(at(71) + 1), second);
    }

    #[test]
    fn a_clock_that_is_set_back_hides_nothing() {
        let day = 24 * 60 * MINUTE;
        let visit = Visit {
            since_ms: Some(9 * day),
            last_ms: Some(10 * day),
        };
        let back = visit.shown(5 * day);
        assert_eq!(back.since_ms, Some(5 * day));
        assert_eq!(back.last_ms, Some(5 * day));
    }
}
