//! Copies of a chunk's text among the rows of a search: the places of the folded ones, and the lost rows that they
//! displaced.

use std::collections::HashSet;

use memlens_params::StageId;
use memlens_rank::{CandidateSet, Columns, Entry, Fusion, Limit, Listed, Repeats, Trace};

use crate::search::Search;

/// The slots of the copies that are folded under a kept row, the newest first; empty for any other row.
pub(crate) fn folded_under(columns: &Columns, slot: u32) -> &[u32] {
    let row = columns.copies.iter().find(|row| row.slot == slot);
    row.map_or(&[], |row| &row.copies)
}

/// How copies displaced a row that was lost, as the end of a sentence; `None` if they are not the cause.
pub fn kept_out(search: &Search, trace: &Trace, slot: u32) -> Option<String> {
    let entries = trace.entries_of(slot);
    let (stage, entry) = entries.iter().find(|(_, entry)| entry.is_dropped)?;
    if let Some(Repeats { folded_under, .. }) = entry.detail.get() {
        let first = row_at(&stage.entries, (*folded_under)?)?;
        return Some(format!("that is {}", place(search, first)));
    }
    if let Some(Limit { rank, max_results }) = entry.detail.get() {
        let above = stage.entries.iter().take_while(|entry| entry.slot != slot);
        let n = n_copies(search.set(), above.map(|entry| entry.slot));
        return (n > 0 && *rank <= max_results + n).then(|| {
            format!(
                "{n} of the {} rows above it {} of others there; copies=fold would put it at rank {}",
                rank - 1,
                are_copies(n),
                rank - n
            )
        });
    }
    if entry.detail.get::<Fusion>().is_some() {
        let lists = [StageId::VECTOR, StageId::BM25].into_iter();
        let lists = lists.filter_map(|list| trace.stage(list));
        let said: Vec<String> = lists
            .filter_map(|list| kept_out_of_list(search.set(), list.label, &list.entries, slot))
            .collect();
        return (!said.is_empty()).then(|| said.join("; "));
    }
    None
}

/// Statement that copies filled a list to its depth before a row.
fn kept_out_of_list(
    set: &CandidateSet,
    label: &str,
    entries: &[Entry],
    slot: u32,
) -> Option<String> {
    let rank_of = |entry: &Entry| {
        let Listed { rank, depth, .. } = entry.detail.get()?;
        Some(((*rank)?, *depth))
    };
    let (rank, depth) = rank_of(entries.iter().find(|entry| entry.slot == slot)?)?;
    let mut before: Vec<(u32, u32)> = entries
        .iter()
        .filter_map(|entry| Some((rank_of(entry)?.0, entry.slot)))
        .filter(|(other, _)| *other < rank)
        .collect();
    before.sort_unstable();
    let n = n_copies(set, before.into_iter().map(|(_, slot)| slot));
    (n > 0 && rank > depth && rank <= depth + n).then(|| {
        format!(
            "{n} of the {} chunks before it in the list {label} {} of others there, and fill it to its depth {depth}",
            rank - 1,
            are_copies(n)
        )
    })
}

/// Number of rows that are copies of an earlier row.
fn n_copies(set: &CandidateSet, slots: impl Iterator<Item = u32>) -> u32 {
    let mut groups: HashSet<u32> = HashSet::new();
    let groups_of_rows = slots.filter_map(|slot| set.candidates[slot as usize].copies);
    groups_of_rows
        .filter(|group| !groups.insert(*group))
        .count() as u32
}

fn are_copies(n: u32) -> &'static str {
    if n == 1 { "is a copy" } else { "are copies" }
}

fn row_at(entries: &[Entry], rank: u32) -> Option<u32> {
    let first = entries.iter().find(|entry| entry.rank_after == Some(rank));
    first.map(|entry| entry.slot)
}

/// A row's note and first line.
fn place(search: &Search, slot: u32) -> String {
    search.row_facts(slot).map_or_else(
        |_| String::new(),
        |row| format!("{}:{}", row.note.path, row.start_line),
    )
}
