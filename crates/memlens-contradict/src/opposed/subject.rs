//! Whether two sentences speak of the same thing, by the words that only one of them has.

use super::Pair;
use crate::lexicon;
use crate::reading::{Sentence, Word};
use crate::verdict::Apart;

/// From so many common content words on, one word in another's place may be a synonym.
const LONG: usize = 5;

/// Prepositions before a place, an occasion or a purpose that limits a statement.
const SCOPES: [&str; 10] = [
    "of", "in", "on", "for", "at", "during", "under", "within", "via", "from",
];

/// Returns whether both surely speak of the same thing.
///
/// # Errors
/// The reason if they surely do not.
pub(super) fn is_same(pair: &Pair<'_>) -> Result<bool, Apart> {
    let own_a = pair.own(pair.a, pair.b);
    let own_b = pair.own(pair.b, pair.a);
    if own_a.is_empty() && own_b.is_empty() {
        return Ok(true);
    }
    if own_a.is_empty() || own_b.is_empty() {
        let (own, other) = if own_a.is_empty() {
            (&own_b, pair.a)
        } else {
            (&own_a, pair.b)
        };
        return Ok(own.len() <= 3 && !own.iter().any(|word| restricts(word, own, other)));
    }
    let is_long = pair.n_both >= LONG;
    if own_a.iter().any(|word| word.is_name) && own_b.iter().any(|word| word.is_name) {
        return Err(Apart::Subject);
    }
    for word_a in &own_a {
        for word_b in &own_b {
            // "Build server" and "mail server".
            let is_other_kind = word_a.describes.is_some() && word_a.describes == word_b.describes;
            if is_other_kind && !is_long {
                return Err(Apart::Subject);
            }
            let is_other_place = word_a.preposition == word_b.preposition
                && word_a.preposition.is_some_and(is_scope);
            if is_other_place && !is_long {
                return Err(Apart::Scope);
            }
        }
    }
    // "Logs are kept" and "traces are kept".
    let are_first =
        own_a.iter().any(|word| word.token == 0) && own_b.iter().any(|word| word.token == 0);
    if are_first && pair.n_both < LONG {
        return Err(Apart::Subject);
    }
    if pair.n_both < 3 || own_a.len() + own_b.len() > pair.n_both {
        return Err(Apart::Subject);
    }
    Ok(false)
}

fn is_scope(preposition: u64) -> bool {
    SCOPES
        .iter()
        .any(|scope| lexicon::hash(scope) == preposition)
}

/// Returns whether a word limits what is spoken of: "database backups" and "backups", "in production".
fn restricts(word: &Word, own: &[&Word], other: &Sentence) -> bool {
    if word.preposition.is_some_and(is_scope) {
        return true;
    }
    let describes_name = word.describes.is_some_and(|described| {
        other
            .words
            .iter()
            .any(|there| there.symbol == described && there.is_name)
    });
    // "The database backups" and "the database": a phrase with another head.
    let is_behind = |before: u64| {
        other.core.binary_search(&before).is_ok() || own.iter().any(|word| word.symbol == before)
    };
    if !describes_name && word.behind.is_some_and(is_behind) {
        return true;
    }
    let Some(described) = word.describes else {
        return false;
    };
    // A name needs no description: "the flag new_search".
    other
        .words
        .iter()
        .any(|there| there.symbol == described && !there.is_name)
}
