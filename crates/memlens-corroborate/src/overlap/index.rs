//! The inverted index: for every word, the sets that have it among their rarest.

use std::collections::HashMap;

use super::sets::Sets;
use super::{LEVEL_MAX, common_min, overlapping_min};
use crate::groups::Groups;

/// A set that has a word among its rarest.
pub(super) struct Posting {
    pub(super) at: u32,
    /// The number of its words that are no rarer than this one, including this one.
    pub(super) left: u32,
}

/// For every word and group, the sets that have it among their rarest, those with the fewest words first.
pub(super) struct Index {
    groups: Groups,
    lists: HashMap<(u32, u32), Vec<Posting>>,
}

impl Index {
    pub(super) fn of(sets: &Sets) -> Index {
        Index {
            groups: Groups::of(sets.claims.iter().copied()),
            lists: HashMap::new(),
        }
    }

    /// Returns for each of a set's rarest words how many of its words are no rarer, and the sets from `first` on that
    /// have it among their rarest.
    pub(super) fn lists<'a>(
        &'a self,
        sets: &'a Sets,
        at: u32,
        first: u32,
    ) -> impl Iterator<Item = (u32, &'a [Posting])> {
        let words = &sets.words[at as usize];
        // The index holds only sets with as many or fewer words.
        let n_common_min = overlapping_min(words.len() as u32);
        (n_common_min..=words.len() as u32)
            .rev()
            .zip(words)
            .flat_map(move |(left, word)| {
                let lists = self
                    .groups
                    .looks_in(at)
                    .filter_map(move |group| self.lists.get(&(*word, group)));
                lists.map(move |list| {
                    (
                        left,
                        &list[list.partition_point(|posting| posting.at < first)..],
                    )
                })
            })
    }

    pub(super) fn insert(&mut self, sets: &Sets, at: u32) {
        let words = &sets.words[at as usize];
        // A set with at least as many words that overlaps enough shares one of these few.
        let n_common_min = common_min(words.len() as u32 * 2, LEVEL_MAX);
        for (left, word) in (n_common_min..=words.len() as u32).rev().zip(words) {
            for group in self.groups.found_under(at) {
                let list = self.lists.entry((*word, group)).or_default();
                list.push(Posting { at, left });
            }
        }
    }
}
