//! Pairs of texts that share many words, from an inverted index of their rarest words.
//!
//! Short texts are too short for SimHash: one word of seven turns a dozen bits. Two sets of words with a Jaccard index of
//! at least `t` share a word among the rarest few of each, so only texts that do are compared; and of those only where the
//! words after it, and sketches of both, leave room for enough in common. Few different words in all make the rarest few
//! poor at telling texts apart: then the sketches do most of it.
//! Source: Bayardo, Ma and Srikant, Scaling up all pairs similarity search, WWW 2007; Xiao et al., Efficient similarity
//! joins for near duplicate detection, WWW 2008; Sandes, Teodoro and Melo, Bitmap filter, Information Systems 2020.
//!
//! Property checked: equal to comparing every pair, for arbitrary sets of words and claims.

use std::collections::HashMap;

use crate::claims::Claims;
use crate::groups::Groups;

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
///
/// Once more than `n_many` pairs are found, those are passed over that change nothing: both are tied by pairs that are at
/// least as near. Returns how many those were.
pub(crate) fn overlapping_pairs(
    items: &[(&[u64], Claims)],
    n_many: usize,
    mut found: impl FnMut(u32, u32, u8),
) -> u64 {
    let mut n_found = 0;
    let mut n_passed_over = 0;
    let mut ties: Option<Ties> = None;
    let by_rarity = by_rarity(items);
    let sketches: Vec<Sketch> = by_rarity.iter().map(|words| Sketch::of(words)).collect();
    let groups = Groups::of(items.iter().map(|(_, claims)| *claims));
    let mut order: Vec<u32> = (0..items.len() as u32)
        .filter(|at| !items[*at as usize].0.is_empty())
        .collect();
    order.sort_unstable_by_key(|at| (items[*at as usize].0.len(), *at));

    let mut index = Index::default();
    // For each item the last, by its place in the order, that met it.
    let mut met_by: Vec<u32> = vec![0; items.len()];
    for (turn, at) in (1..).zip(order) {
        let words = &by_rarity[at as usize];
        let sketch = &sketches[at as usize];
        // Only shorter or equal ones stand in the index.
        let shortest = (words.len() * OVERLAP_MIN as usize).div_ceil(100);
        for (place, word) in words[..words.len() - shortest + 1].iter().enumerate() {
            for group in groups.looks_in(at) {
                for posting in index.postings(*word, group, shortest) {
                    let other = posting.item;
                    if met_by[other as usize] == turn {
                        continue;
                    }
                    let n_other = posting.n_words as usize;
                    let n_both = words.len() + n_other;
                    let needed = common_min(n_both);
                    // This word, and at most all after it.
                    let left = (words.len() - place).min(n_other - posting.place as usize);
                    let common_max = sketch.common_max(&sketches[other as usize]);
                    if left < needed || common_max < needed {
                        continue;
                    }
                    met_by[other as usize] = turn;
                    let level_min = overlap_level(common_max, n_both - common_max);
                    let tied = |ties: &mut Ties| ties.are_tied(at, other, level_min);
                    if ties.as_mut().is_some_and(tied) {
                        n_passed_over += 1;
                        continue;
                    }
                    let others = &by_rarity[other as usize];
                    let Some(n_common) = n_common_of(words, others, needed) else {
                        continue;
                    };
                    let level = overlap_level(n_common, n_both - n_common);
                    found(at.max(other), at.min(other), level);
                    n_found += 1;
                    if n_found > n_many {
                        let ties = ties.get_or_insert_with(|| Ties::of(items.len()));
                        ties.tie(at, other, level);
                    }
                }
            }
        }
        // A longer one that overlaps enough shares one of so few.
        let needed = common_min(words.len() * 2);
        for (place, word) in words[..words.len() - needed + 1].iter().enumerate() {
            for group in groups.found_under(at) {
                let posting = Posting {
                    item: at,
                    n_words: words.len() as u32,
                    place: place as u32,
                };
                index.insert(*word, group, posting);
            }
        }
    }
    n_passed_over
}

/// Returns how many words two sets of `n_words` together must share to overlap enough.
fn common_min(n_words: usize) -> usize {
    (n_words * OVERLAP_MIN as usize).div_ceil(100 + OVERLAP_MIN as usize)
}

/// Returns how many items two ascending lists share; none as soon as that is less than `at_least`.
fn n_common_of(a: &[u32], b: &[u32], at_least: usize) -> Option<usize> {
    let (mut at_a, mut at_b, mut n_common) = (0, 0, 0);
    while at_a < a.len() && at_b < b.len() {
        if n_common + (a.len() - at_a).min(b.len() - at_b) < at_least {
            return None;
        }
        let (word_a, word_b) = (a[at_a], b[at_b]);
        at_a += usize::from(word_a <= word_b);
        at_b += usize::from(word_b <= word_a);
        n_common += usize::from(word_a == word_b);
    }
    (n_common >= at_least).then_some(n_common)
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

/// Says what is tied together by the pairs of each level and below.
struct Ties {
    /// By level, for each item another of its tie or, for one of each, itself.
    parents: Vec<Vec<u32>>,
}

impl Ties {
    fn of(n_items: usize) -> Ties {
        let alone: Vec<u32> = (0..n_items as u32).collect();
        Ties {
            parents: vec![alone; 100 - OVERLAP_MIN as usize + 1],
        }
    }

    fn tie(&mut self, a: u32, b: u32, level: u8) {
        for parents in &mut self.parents[usize::from(level)..] {
            let (root_a, root_b) = (root(parents, a), root(parents, b));
            // What is tied at a level is tied at all above.
            if root_a == root_b {
                return;
            }
            parents[root_a.max(root_b) as usize] = root_a.min(root_b);
        }
    }

    fn are_tied(&mut self, a: u32, b: u32, level: u8) -> bool {
        let parents = &mut self.parents[usize::from(level)];
        root(parents, a) == root(parents, b)
    }
}

fn root(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        let above = parents[parents[at as usize] as usize];
        parents[at as usize] = above;
        at = above;
    }
    at
}

/// Is a set of words in few bits: each word sets one.
struct Sketch {
    n_words: u32,
    bits: [u64; Sketch::PARTS],
}

impl Sketch {
    /// 256 bits: texts of up to some 150 words are told apart by them.
    const PARTS: usize = 4;

    fn of(words: &[u32]) -> Sketch {
        let mut bits = [0; Sketch::PARTS];
        for word in words {
            bits[*word as usize / 64 % Sketch::PARTS] |= 1_u64 << (word % 64);
        }
        Sketch {
            n_words: words.len() as u32,
            bits,
        }
    }

    /// Returns how many words both have at most: every bit that only one has is of a word that only one has.
    fn common_max(&self, other: &Sketch) -> usize {
        let apart: u32 = std::iter::zip(self.bits, other.bits)
            .map(|(a, b)| (a ^ b).count_ones())
            .sum();
        let shorter = self.n_words.min(other.n_words);
        ((self.n_words + other.n_words - apart) / 2).min(shorter) as usize
    }
}

/// Is one item that has a word among its rarest.
struct Posting {
    item: u32,
    n_words: u32,
    /// Where the word stands among the item's words, the rarest at 0.
    place: u32,
}

/// Holds for every word and group the items that have it among their rarest, by ascending number of words.
#[derive(Default)]
struct Index {
    lists: HashMap<(u32, u32), Vec<Posting>>,
}

impl Index {
    /// Returns the items with at least `shortest` words.
    fn postings(&self, word: u32, group: u32, shortest: usize) -> &[Posting] {
        let list = self
            .lists
            .get(&(word, group))
            .map_or(&[][..], Vec::as_slice);
        &list[list.partition_point(|posting| (posting.n_words as usize) < shortest)..]
    }

    fn insert(&mut self, word: u32, group: u32, posting: Posting) {
        self.lists.entry((word, group)).or_default().push(posting);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::n_common;

    fn check(words: &[Vec<u64>], claims: &[Claims]) {
        let items: Vec<(&[u64], Claims)> = words
            .iter()
            .zip(claims)
            .map(|(words, claims)| (&words[..], *claims))
            .collect();
        let mut pairs = Vec::new();
        let n_passed_over =
            overlapping_pairs(&items, usize::MAX, |a, b, level| pairs.push((a, b, level)));
        assert_eq!(n_passed_over, 0);
        pairs.sort_unstable();
        let mut naive = Vec::new();
        for a in 0..items.len() {
            for b in 0..a {
                let common = n_common(items[a].0, items[b].0);
                let all = items[a].0.len() + items[b].0.len() - common;
                if all > 0
                    && common * 100 >= all * OVERLAP_MIN as usize
                    && items[a].1.agree(items[b].1)
                {
                    naive.push((a as u32, b as u32, overlap_level(common, all)));
                }
            }
        }
        assert_eq!(pairs, naive);

        // What is passed over changes nothing: the ties of every level are those of all pairs.
        let (mut all, mut few) = (Ties::of(items.len()), Ties::of(items.len()));
        for (a, b, level) in naive {
            all.tie(a, b, level);
        }
        overlapping_pairs(&items, 0, |a, b, level| few.tie(a, b, level));
        for level in 0..=100 - OVERLAP_MIN as usize {
            for at in 0..items.len() as u32 {
                let (all, few) = (&mut all.parents[level], &mut few.parents[level]);
                assert_eq!(root(all, at), root(few, at), "level {level}");
            }
        }
    }

    proptest! {
        #[test]
        fn finds_what_comparing_every_pair_finds(
            sets in prop::collection::vec((prop::collection::btree_set(0..24u64, 0..14), 0..2u32, 0..3u64), 0..60),
        ) {
            let words: Vec<Vec<u64>> = sets.iter().map(|(words, ..)| words.iter().copied().collect()).collect();
            let claims: Vec<Claims> = sets.iter().map(|(_, n_negations, numbers)| Claims { n_negations: *n_negations, numbers: *numbers }).collect();
            check(&words, &claims);
        }

        /// More words than a sketch has bits, some of every second text missing.
        #[test]
        fn finds_long_ones_that_overlap_too(ranges in prop::collection::vec((0..600u64, 1..300u64, 2..40u64), 0..40)) {
            let words: Vec<Vec<u64>> = ranges.iter().map(|(start, n_words, gap)| (*start..start + n_words).filter(|word| word % gap > 0).collect()).collect();
            check(&words, &vec![Claims::default(); words.len()]);
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
