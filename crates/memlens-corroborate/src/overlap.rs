//! Pairs of texts that share many words, from an inverted index of their rarest words.
//!
//! Short texts are too short for SimHash: one word of seven turns a dozen bits. Two sets of words with a Jaccard index of
//! at least `t` share a word among the rarest few of each, so only texts that do are compared.
//! Source: Bayardo, Ma and Srikant, Scaling up all pairs similarity search, WWW 2007; Xiao et al., Efficient similarity
//! joins for near duplicate detection, WWW 2008.
//!
//! Property checked: equal to comparing every pair, for arbitrary sets of words and claims.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::claims::Claims;
use crate::fingerprint::n_common;

/// The lowest overlap (Jaccard index) that is searched, in percent.
pub const OVERLAP_MIN: u32 = 50;

/// Returns how far two sets are apart: 100 less their overlap in percent, rounded up; so an overlap of at least `p`
/// percent is a level of at most `100 - p`.
///
/// `n_all` is the number of distinct words of both, above 0.
pub fn overlap_level(n_common: usize, n_all: usize) -> u8 {
    ((n_all - n_common) * 100).div_ceil(n_all) as u8
}

/// Calls `found` with every pair of items that share at least [`OVERLAP_MIN`] percent of their distinct words and whose
/// claims [agree](Claims::agree), and their [level](overlap_level).
///
/// Every pair comes once, the larger index first, in an order that depends on nothing but the items. Items are distinct
/// words as ascending hashes; one without words has no partner.
pub fn overlapping_pairs(items: &[(&[u64], Claims)], mut found: impl FnMut(u32, u32, u8)) {
    let by_rarity = by_rarity(items);
    let mut order: Vec<u32> = (0..items.len() as u32)
        .filter(|at| !items[*at as usize].0.is_empty())
        .collect();
    order.sort_unstable_by_key(|at| (items[*at as usize].0.len(), *at));

    let mut index = Index::of(items);
    let mut met: Vec<u32> = Vec::new();
    for at in order {
        let words = &by_rarity[at as usize];
        let claims = items[at as usize].1;
        met.clear();
        // Only shorter or equal ones stand in the index.
        let shortest = (words.len() * OVERLAP_MIN as usize).div_ceil(100);
        for word in &words[..words.len() - shortest + 1] {
            for list in index.lists(*word, claims).into_iter().flatten() {
                met.extend(
                    list.iter()
                        .filter(|other| by_rarity[**other as usize].len() >= shortest),
                );
            }
        }
        met.sort_unstable();
        met.dedup();
        for other in &met {
            let others = &by_rarity[*other as usize];
            let n_common = n_common(words, others);
            let level = overlap_level(n_common, words.len() + others.len() - n_common);
            if u32::from(level) <= 100 - OVERLAP_MIN {
                found(at.max(*other), at.min(*other), level);
            }
        }
        // A longer one that overlaps enough shares one of so few: at least 2t / (1 + t) of the words are common.
        let common = (words.len() * 2 * OVERLAP_MIN as usize).div_ceil(100 + OVERLAP_MIN as usize);
        for word in &words[..words.len() - common + 1] {
            index.insert(*word, claims, at);
        }
    }
}

/// Returns the words of each item as numbers, ascending from the rarest of all to the most common.
fn by_rarity(items: &[(&[u64], Claims)]) -> Vec<Box<[u32]>> {
    let mut n_of: HashMap<u64, u32> = HashMap::new();
    for (words, _) in items {
        for word in *words {
            *n_of.entry(*word).or_default() += 1;
        }
    }
    let mut by_number: Vec<(u32, u64)> = n_of.iter().map(|(word, n)| (*n, *word)).collect();
    by_number.sort_unstable();
    for (place, (_, word)) in (0..).zip(&by_number) {
        n_of.insert(*word, place);
    }
    items
        .iter()
        .map(|(words, _)| {
            let mut numbers: Box<[u32]> = words.iter().map(|word| n_of[word]).collect();
            numbers.sort_unstable();
            numbers
        })
        .collect()
}

/// Holds for every word the items that have it among their rarest, apart by what they claim, so that a thousand lines of
/// one pattern with different numbers are not compared with each other.
struct Index {
    lists: HashMap<(u32, u32), Vec<u32>>,
    /// For each claims the group's own name.
    group_of: BTreeMap<Claims, u32>,
}

impl Index {
    fn of(items: &[(&[u64], Claims)]) -> Index {
        let claims: BTreeSet<Claims> = items
            .iter()
            .flat_map(|(_, claims)| {
                [
                    *claims,
                    Claims {
                        numbers: 0,
                        ..*claims
                    },
                ]
            })
            .collect();
        Index {
            lists: HashMap::new(),
            group_of: claims.into_iter().zip((0..).step_by(2)).collect(),
        }
    }

    /// Returns the name of the group of these claims.
    fn own(&self, claims: Claims) -> u32 {
        self.group_of[&claims]
    }

    /// Returns the name of those without numbers that deny as often.
    fn without_numbers(&self, claims: Claims) -> u32 {
        self.group_of[&Claims {
            numbers: 0,
            ..claims
        }]
    }

    /// Returns the name of those with any numbers that deny as often.
    fn with_numbers(&self, claims: Claims) -> u32 {
        self.without_numbers(claims) + 1
    }

    fn lists(&self, word: u32, claims: Claims) -> [Option<&Vec<u32>>; 2] {
        let other = if claims.numbers == 0 {
            self.with_numbers(claims)
        } else {
            self.without_numbers(claims)
        };
        [self.own(claims), other].map(|group| self.lists.get(&(word, group)))
    }

    fn insert(&mut self, word: u32, claims: Claims, item: u32) {
        self.lists
            .entry((word, self.own(claims)))
            .or_default()
            .push(item);
        if claims.numbers != 0 {
            self.lists
                .entry((word, self.with_numbers(claims)))
                .or_default()
                .push(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_comparing_every_pair_finds(
            sets in prop::collection::vec((prop::collection::btree_set(0..24u64, 0..14), 0..2u32, 0..3u64), 0..60),
        ) {
            let words: Vec<Vec<u64>> = sets.iter().map(|(words, ..)| words.iter().copied().collect()).collect();
            let items: Vec<(&[u64], Claims)> =
                words.iter().zip(&sets).map(|(words, (_, n_negations, numbers))| (&words[..], Claims { n_negations: *n_negations, numbers: *numbers })).collect();
            let mut pairs = Vec::new();
            overlapping_pairs(&items, |a, b, level| pairs.push((a, b, level)));
            pairs.sort_unstable();
            let mut naive = Vec::new();
            for a in 0..items.len() {
                for b in 0..a {
                    let common = n_common(items[a].0, items[b].0);
                    let all = items[a].0.len() + items[b].0.len() - common;
                    if all > 0 && common * 100 >= all * OVERLAP_MIN as usize && items[a].1.agree(items[b].1) {
                        naive.push((a as u32, b as u32, overlap_level(common, all)));
                    }
                }
            }
            prop_assert_eq!(pairs, naive);
        }
    }

    #[test]
    fn an_overlap_is_never_rounded_up() {
        for (n_common, n_all, level) in [
            (3, 3, 0),
            (3, 5, 40),
            (2, 3, 34),
            (199, 200, 1),
            (0, 7, 100),
        ] {
            assert_eq!(
                overlap_level(n_common, n_all),
                level,
                "{n_common} of {n_all}"
            );
        }
    }
}
