//! Which rows of a search disagree with each other, by the contradictions that the last pass found.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use memlens_contradict::Side;
use memlens_store::Store;
use memlens_wire::{Disagreement, NewerSide};

use super::dismissed::{Marked, pair_id, resolved_id};
use super::pass::{Opposed, SentencePlace};
use super::{is_change, newer_by_date, newer_of, tomorrow};
use crate::clustering::Clustering;

/// Maximum number of pairs of rows that one contradiction marks; what more notes repeat is not marked everywhere.
const PAIRS_MAX: usize = 256;
/// How much of a sentence is quoted that opposes another as a whole, in characters.
const QUOTED_CHARS: usize = 60;

/// What a row of a search holds.
pub(crate) struct RowHeld {
    /// The ids of its observations.
    pub(crate) observations: Range<u32>,
    /// Its bytes in its note.
    pub(crate) bytes: Range<u32>,
}

/// Returns which rows make the two statements of a sure contradiction, or of a change, that the user has not marked; slots are
/// positions in `rows`.
/// If the marks cannot be read, none disagree.
pub(crate) fn disagreements(
    clustering: &Clustering,
    store: &Store,
    rows: &[RowHeld],
) -> Vec<Disagreement> {
    let mut holders: HashMap<u32, Vec<u32>> = HashMap::new();
    for (slot, row) in (0..).zip(rows) {
        for id in row.observations.clone() {
            holders.entry(id).or_default().push(slot);
        }
    }
    let marked = match Marked::read(store) {
        Ok(marked) => marked,
        Err(error) => {
            tracing::warn!(%error, "rows that disagree are not marked");
            return Vec::new();
        }
    };
    let tomorrow = tomorrow();
    let mut found = Vec::new();
    for opposed in &clustering.contradictions().opposed {
        let sides = [Side::A, Side::B].map(|side| slots(clustering, opposed, side, rows, &holders));
        let [a, b] = &sides;
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let newer = newer_of(clustering, opposed, tomorrow);
        if !opposed.sure && !is_change(opposed, newer) {
            continue;
        }
        let text = |id: u32, place: &SentencePlace| {
            let text = &clustering.observations[id as usize].said.text;
            text[place.sentence.clone()].to_owned()
        };
        let [place_a, place_b] = &opposed.places;
        let (text_a, text_b) = (text(opposed.a, place_a), text(opposed.b, place_b));
        let resolved_id = newer.map(|newer| match newer {
            Side::A => resolved_id(&text_b, &text_a),
            Side::B => resolved_id(&text_a, &text_b),
        });
        if marked.has(&pair_id(&text_a, &text_b), resolved_id.as_deref()) {
            continue;
        }
        let pairs = a.keys().flat_map(|a| b.keys().map(move |b| (*a, *b)));
        // A row that makes both statements disagrees with no other row by them.
        let pairs = pairs.filter(|(one, other)| {
            let both = |slot: &u32| a.contains_key(slot) && b.contains_key(slot);
            !both(one) && !both(other)
        });
        for (slot_a, slot_b) in pairs.take(PAIRS_MAX) {
            // A row may repeat the newer statement and be the older note.
            let days = [a[&slot_a], b[&slot_b]].map(|id| clustering.day_of(id, tomorrow));
            let newer = newer.filter(|newer| newer_by_date(days) == Some(*newer));
            found.push(Disagreement {
                a: slot_a,
                b: slot_b,
                said_a: said(clustering, opposed.a, place_a),
                said_b: said(clustering, opposed.b, place_b),
                newer: newer.map(|side| match side {
                    Side::A => NewerSide::A,
                    Side::B => NewerSide::B,
                }),
            });
        }
    }
    found
}

/// Returns the rows that hold the whole observation of one side, or another one that repeats its sentence, each with the
/// observation.
fn slots(
    clustering: &Clustering,
    opposed: &Opposed,
    side: Side,
    rows: &[RowHeld],
    holders: &HashMap<u32, Vec<u32>>,
) -> BTreeMap<u32, u32> {
    let (id, same) = match side {
        Side::A => (opposed.a, &opposed.same[0]),
        Side::B => (opposed.b, &opposed.same[1]),
    };
    let mut slots = BTreeMap::new();
    for id in std::iter::once(id).chain(same.others.iter().copied()) {
        let said = &clustering.places[id as usize];
        // A row can hold a part of a long observation, and not the sentence.
        let holds = |slot: &&u32| {
            let row = &rows[**slot as usize].bytes;
            row.start <= said.start && said.end <= row.end
        };
        for slot in holders.get(&id).into_iter().flatten().filter(holds) {
            slots.entry(*slot).or_insert(id);
        }
    }
    slots
}

/// Returns the words of a side that oppose the other; the sentence if it opposes as a whole.
fn said(clustering: &Clustering, id: u32, place: &SentencePlace) -> String {
    let text = &clustering.observations[id as usize].said.text;
    let words: Vec<&str> = place.words.iter().map(|word| &text[word.clone()]).collect();
    let sentence = &text[place.sentence.clone()];
    match (words.is_empty(), sentence.char_indices().nth(QUOTED_CHARS)) {
        (false, _) => words.join(" "),
        (true, Some((at, _))) => format!("{}\u{2026}", sentence[..at].trim_end()),
        (true, None) => sentence.to_owned(),
    }
}
