//! Finds pairs of texts that share many words, with an inverted index of their rarest words.
//!
//! Short texts are too short for SimHash: one word of seven changes a dozen bits. Two sets of words with a Jaccard
//! index of at least `t` share a word among the rarest few of each, so only texts that do are compared. Of those, only
//! the ones are compared for which the words after it, and the sketches of both, leave room for enough common words.
//!
//! With a small vocabulary the rarest words select too many texts. A text that would meet more candidates by them than
//! there are sets of suitable size is compared with all of those instead, which the sketches make cheap. Of texts that
//! differ in only one word, it is compared with one.
//!
//! Source: Bayardo, Ma and Srikant, Scaling up all pairs similarity search, WWW 2007; Xiao et al., Efficient similarity
//! joins for near duplicate detection, WWW 2008; Sandes, Teodoro and Melo, Bitmap filter, Information Systems 2020.
//!
//! Property checked: equal to comparing every pair, for arbitrary sets of words and claims.

mod index;
mod sets;
mod ties;

use crate::claims::Claims;
use index::{Index, Posting};
use sets::Sets;
use ties::Ties;

/// The lowest overlap (Jaccard index) that is searched, in percent.
pub const OVERLAP_MIN: u32 = 50;

/// The [level](overlap_level) of [`OVERLAP_MIN`].
const LEVEL_MAX: u8 = 100 - OVERLAP_MIN as u8;

/// Returns the distance of two sets: 100 minus their overlap in percent, rounded up. So an overlap of at least `p`
/// percent is a level of at most `100 - p`.
///
/// `n_all` is the number of distinct words in both, above 0.
pub fn overlap_level(n_common: usize, n_all: usize) -> u8 {
    ((n_all - n_common) * 100).div_ceil(n_all) as u8
}

/// Calls `found` with every pair of items that share at least [`OVERLAP_MIN`] percent of their distinct words and whose
/// claims [agree](Claims::agree), and with their [level](overlap_level).
///
/// Every pair is reported once, the larger index first, in an order that depends only on the items. Items are distinct
/// words as ascending hashes; an item without words has no partner. No two items have both the same words and the same
/// claims.
///
/// Once more than `n_many` pairs are found, pairs that change nothing are skipped: nearer or equally near pairs already
/// connect both. Returns how many were skipped. `goes_on` is asked before each item; `None` if it returns false.
pub(crate) fn overlapping_pairs(
    items: &[(&[u64], Claims)],
    n_many: usize,
    goes_on: impl Fn() -> bool,
    found: impl FnMut(u32, u32, u8),
) -> Option<u64> {
    let sets = Sets::of(items);
    let mut index = Index::of(&sets);
    let mut comparison = Comparison {
        sets: &sets,
        n_many,
        n_found: 0,
        n_passed_over: 0,
        ties: None,
        found,
    };
    let mut families = Families::default();
    // For each set, the last set that met it in a list.
    let mut met_by: Vec<u32> = vec![u32::MAX; sets.len() as usize];
    for at in 0..sets.len() {
        if !goes_on() {
            return None;
        }
        if sets.n_words(at) != families.n_words {
            families = Families::of(sets.n_words(at), at);
        }
        let first = sets.first_overlapping(at);
        let n_listed: usize = index
            .lists(&sets, at, first)
            .map(|(_, list)| list.len())
            .sum();
        if n_listed < (families.start - first) as usize + families.members.len() {
            for (left, list) in index.lists(&sets, at, first) {
                for Posting {
                    at: other,
                    left: left_there,
                } in list
                {
                    let is_new = met_by[*other as usize] != at;
                    if is_new && left.min(*left_there) >= sets.common_min(at, *other) {
                        met_by[*other as usize] = at;
                        comparison.compare(at, *other);
                    }
                }
            }
            families.members.push(vec![at]);
        } else {
            // Following the lists would take longer.
            for other in first..families.start {
                comparison.compare(at, other);
            }
            families.take_up(at, |family| comparison.compare_family(at, family));
        }
        index.insert(&sets, at);
    }
    Some(comparison.n_passed_over)
}

/// Calls `found` with every pair of sets that share at least [`OVERLAP_MIN`] percent of their items, the smaller index
/// first, in an order that depends only on the sets.
///
/// Sets are distinct and ascending; an empty set has no partner. Once more than `n_many` pairs are found, pairs that
/// nearer or equally near pairs already connect are skipped. Returns how many were skipped.
///
/// `goes_on` is asked before each set; if it returns false, the search ends with `None`.
pub fn near_sets(
    sets: &[&[u64]],
    n_many: usize,
    goes_on: impl Fn() -> bool,
    mut found: impl FnMut(u32, u32),
) -> Option<u64> {
    let items: Vec<(&[u64], Claims)> = sets.iter().map(|set| (*set, Claims::default())).collect();
    overlapping_pairs(&items, n_many, goes_on, |a, b, _| found(b, a))
}

/// Returns how many words two sets of `n_words` together must share to be of this level or a lower one.
fn common_min(n_words: u32, level: u8) -> u32 {
    let overlap = 100 - u32::from(level);
    (n_words * overlap).div_ceil(100 + overlap)
}

/// Returns the least number of words of a set that can overlap one of `n_words`.
fn overlapping_min(n_words: u32) -> u32 {
    (n_words * OVERLAP_MIN).div_ceil(100)
}

/// Returns the number of items that two ascending lists share, or `None` if it is less than `at_least`.
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

/// Compares sets, and records which are connected.
struct Comparison<'a, Found> {
    sets: &'a Sets,
    n_many: usize,
    n_found: usize,
    n_passed_over: u64,
    /// `None` until there are many pairs.
    ties: Option<Ties>,
    found: Found,
}

impl<Found: FnMut(u32, u32, u8)> Comparison<'_, Found> {
    /// Compares two sets as far as it matters. Returns the lowest level at which they are known to be connected.
    fn compare(&mut self, a: u32, b: u32) -> Option<u8> {
        let Sets {
            items,
            words,
            claims,
            ..
        } = self.sets;
        let (at_a, at_b) = (a as usize, b as usize);
        if !claims[at_a].agree(claims[at_b]) {
            return None;
        }
        let n_both = self.sets.n_words(a) + self.sets.n_words(b);
        let common_max = self.sets.common_max(a, b);
        let mut needed = common_min(n_both, LEVEL_MAX);
        if common_max < needed {
            return None;
        }
        let mut tied_at = None;
        if let Some(ties) = &mut self.ties {
            let level_min = overlap_level(common_max as usize, (n_both - common_max) as usize);
            tied_at = ties.lowest(a, b, level_min);
            match tied_at {
                Some(level) if level == level_min => {
                    self.n_passed_over += 1;
                    return tied_at;
                }
                // Only nearer pairs matter.
                Some(level) => needed = common_min(n_both, level - 1),
                None => {}
            }
        }
        let Some(n_common) = n_common_of(&words[at_a], &words[at_b], needed as usize) else {
            self.n_passed_over += u64::from(tied_at.is_some());
            return tied_at;
        };
        let level = overlap_level(n_common, n_both as usize - n_common);
        let (one, other) = (items[at_a], items[at_b]);
        (self.found)(one.max(other), one.min(other), level);
        self.n_found += 1;
        if self.n_found > self.n_many {
            let n_sets = self.sets.len();
            let ties = self.ties.get_or_insert_with(|| Ties::of(n_sets));
            ties.tie(a, b, level);
            tied_at = Some(level);
        }
        tied_at
    }

    /// Compares a set with the members of a family until it is known to belong to it. Returns whether it does.
    fn compare_family(&mut self, at: u32, family: &[u32]) -> bool {
        let claims_of = |at: u32| self.sets.claims[at as usize];
        let is_of_it = |level| level <= family_level(self.sets.n_words(at));
        let may_be = claims_of(at) == claims_of(family[0]);
        for (n_seen, other) in (1..).zip(family) {
            let tied_at = self.compare(at, *other);
            if may_be && tied_at.is_some_and(is_of_it) {
                self.n_passed_over += family.len() as u64 - n_seen;
                return true;
            }
        }
        false
    }
}

/// Returns the lowest level of two different sets with this many words.
fn family_level(n_words: u32) -> u8 {
    overlap_level(n_words as usize - 1, n_words as usize + 1)
}

/// The sets of one size by family. A family has equal claims and is connected at the lowest level that different sets
/// of that size can have. A set connected to one member is connected to all, and no other set is nearer.
#[derive(Default)]
struct Families {
    n_words: u32,
    /// The first set of that size.
    start: u32,
    members: Vec<Vec<u32>>,
}

impl Families {
    fn of(n_words: u32, start: u32) -> Families {
        Families {
            n_words,
            start,
            members: Vec::new(),
        }
    }

    /// Adds a set. All families to which `is_of` says it belongs are merged with it.
    fn take_up(&mut self, at: u32, mut is_of: impl FnMut(&[u32]) -> bool) {
        let mut own = vec![at];
        self.members.retain_mut(|family| {
            let is_own = is_of(family);
            if is_own {
                if family.len() > own.len() {
                    std::mem::swap(family, &mut own);
                }
                own.append(family);
            }
            !is_own
        });
        self.members.push(own);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::ties::root;
    use super::*;
    use crate::fingerprint::n_common;

    fn check(words: &[Vec<u64>], claims: &[Claims]) {
        let mut items: Vec<(&[u64], Claims)> = words
            .iter()
            .zip(claims)
            .map(|(words, claims)| (&words[..], *claims))
            .collect();
        let mut known = HashSet::new();
        items.retain(|item| known.insert(*item));
        let mut pairs = Vec::new();
        let n_passed_over = overlapping_pairs(
            &items,
            usize::MAX,
            || true,
            |a, b, level| pairs.push((a, b, level)),
        );
        assert_eq!(n_passed_over, Some(0));
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

        // Skipped pairs change nothing: the components of every level are those of all pairs.
        let n_items = items.len() as u32;
        let (mut all, mut few) = (Ties::of(n_items), Ties::of(n_items));
        for (a, b, level) in naive {
            all.tie(a, b, level);
        }
        overlapping_pairs(&items, 0, || true, |a, b, level| few.tie(a, b, level));
        for level in 0..=100 - OVERLAP_MIN as usize {
            for at in 0..n_items {
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

        /// Families: many sets that share all words but one or two.
        #[test]
        fn finds_those_of_one_pattern(
            patterns in prop::collection::vec((0..9u64, 3..12u64), 1..3),
            own in prop::collection::vec((any::<prop::sample::Index>(), 0..12u64, 20..30u64, 20..40u64, 0..2u64), 0..60),
        ) {
            let words: Vec<Vec<u64>> = own.iter().map(|(pattern, place, one, other, _)| {
                let (start, n_words) = *pattern.get(&patterns);
                let mut words: Vec<u64> = (start..start + n_words).collect();
                words[(place % n_words) as usize] = *one;
                words.push(*other);
                words.sort_unstable();
                words.dedup();
                words
            }).collect();
            let claims: Vec<Claims> = own.iter().map(|(.., numbers)| Claims { n_negations: 0, numbers: *numbers }).collect();
            check(&words, &claims);
        }

        /// More words than a sketch has bits; every second text lacks some.
        #[test]
        fn finds_long_ones_that_overlap_too(ranges in prop::collection::vec((0..600u64, 1..300u64, 2..40u64), 0..40)) {
            let words: Vec<Vec<u64>> = ranges.iter().map(|(start, n_words, gap)| (*start..start + n_words).filter(|word| word % gap > 0).collect()).collect();
            check(&words, &vec![Claims::default(); words.len()]);
        }
    }

    #[test]
    fn near_sets_share_at_least_half() {
        let sets: [&[u64]; 5] = [&[1, 2, 3, 4], &[1, 2, 3, 5], &[1, 2], &[], &[5, 6]];
        let mut pairs = Vec::new();
        let n_skipped = near_sets(&sets, usize::MAX, || true, |a, b| pairs.push((a, b)));
        assert_eq!(n_skipped, Some(0));
        pairs.sort_unstable();
        assert_eq!(pairs, [(0, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn a_search_that_is_stopped_ends() {
        let sets: [&[u64]; 3] = [&[1, 2, 3], &[1, 2, 4], &[1, 2, 5]];
        let n_asked = std::cell::Cell::new(0);
        let goes_on = || {
            n_asked.set(n_asked.get() + 1);
            n_asked.get() < 3
        };
        let mut pairs = Vec::new();
        let n_skipped = near_sets(&sets, usize::MAX, goes_on, |a, b| pairs.push((a, b)));
        assert_eq!((n_skipped, n_asked.get(), pairs.len()), (None, 3, 1));
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
