//! Pairs of near SimHashes, found exactly and without comparing every pair.
//!
//! A hash is cut into chunks of interleaved bits, because some words leave the high bits nearly alike. If two hashes
//! differ in fewer bits than there are chunks, some chunk is equal. If they differ in fewer than twice as many, some
//! chunk is equal up to one bit (pigeonhole). So looking up every chunk, and every chunk with one bit flipped, finds
//! every partner. Source: Norouzi, Punjani and Fleet, Fast search in Hamming space with multi-index hashing, CVPR 2012.
//!
//! The nearest pairs are searched first, because what they join need not be compared again.
//!
//! Properties checked: equal to comparing every pair, for arbitrary hashes, claims and distances; for each pair of
//! crowds the nearest pair is found.

use crate::claims::Claims;
use crate::crowds::Crowds;
use crate::groups::Groups;

/// The greatest distance that is searched.
pub const DISTANCE_MAX: u32 = 7;

/// One search over all hashes: the number of chunks, and how many bits of a chunk may differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    n_chunks: u32,
    n_flipped: u32,
}

/// Up to distance 1, then 3, then [`DISTANCE_MAX`].
pub(crate) const ROUNDS: [Round; 3] = [
    Round {
        n_chunks: 1,
        n_flipped: 1,
    },
    Round {
        n_chunks: 4,
        n_flipped: 0,
    },
    Round {
        n_chunks: 4,
        n_flipped: 1,
    },
];

impl Round {
    /// Returns the greatest distance that this round finds.
    pub(crate) fn distance_max(self) -> u32 {
        self.n_chunks * (self.n_flipped + 1) - 1
    }

    fn chunk_bits(self) -> u32 {
        u64::BITS / self.n_chunks
    }

    /// Returns a chunk of bits that are [spread](spread).
    fn chunk_of(self, spread: u64, chunk: u32) -> u64 {
        spread << (u64::BITS - self.chunk_bits() * (chunk + 1)) >> (u64::BITS - self.chunk_bits())
    }

    /// Returns the patterns with at most `n_flipped` bits set; `n_flipped` is 0 or 1.
    fn flips(self) -> impl Iterator<Item = u64> {
        std::iter::once(0).chain((0..self.chunk_bits() * self.n_flipped).map(|bit| 1 << bit))
    }
}

/// Calls `found` with pairs of items of different crowds, and their distance, if the SimHashes differ in at most as
/// many bits as the round finds and the crowds agree. For every item and each crowd before its own, this is the nearest
/// item there, ties by the order of the items.
///
/// The larger index comes first. No pair is reported twice, and the order depends only on the items. `goes_on` is asked
/// before each item; `None` if it returns false.
pub(crate) fn near_pairs(
    items: &[(u64, Claims)],
    crowds: &Crowds,
    round: Round,
    goes_on: impl Fn() -> bool,
    mut found: impl FnMut(u32, u32, u32),
) -> Option<()> {
    let groups = Groups::of(items.iter().map(|(_, claims)| *claims));
    let hashes: Vec<u64> = items.iter().map(|(hash, _)| spread(*hash)).collect();
    let entries: Vec<Entry> = crowds
        .in_order()
        .into_iter()
        .map(|item| Entry {
            hash: hashes[item as usize],
            item,
            crowd: crowds.at(item),
        })
        .collect();
    let tables: Vec<Table> = (0..round.n_chunks)
        .map(|chunk| Table::of(&entries, &groups, round, chunk))
        .collect();
    // For each crowd the least distance, and the pair that has it.
    let mut nearest: Vec<(u32, u32, (u32, u32))> = Vec::new();
    for (at, hash) in (0..).zip(&hashes) {
        if !goes_on() {
            return None;
        }
        let own = crowds.at(at);
        nearest.clear();
        for group in groups.looks_in(at) {
            for table in &tables {
                for flipped in round.flips() {
                    let value = round.chunk_of(*hash, table.chunk) ^ flipped;
                    let mut others = table.bucket(group, value);
                    while let Some((crowd, of_crowd)) = next_before(own, &mut others) {
                        let is_one = of_crowd.len() == 1;
                        if !is_one && !crowds.agree(crowd, own) {
                            continue;
                        }
                        let pairs = of_crowd.iter().map(|other| {
                            let distance = (hash ^ other.hash).count_ones();
                            (crowd, distance, (at.max(other.item), at.min(other.item)))
                        });
                        nearest.extend(pairs.min().filter(|(_, distance, _)| {
                            *distance <= round.distance_max()
                                && (!is_one || crowds.agree(crowd, own))
                        }));
                    }
                }
            }
        }
        nearest.sort_unstable();
        nearest.dedup_by_key(|(crowd, ..)| *crowd);
        for (_, distance, (a, b)) in &nearest {
            found(*a, *b, *distance);
        }
    }
    Some(())
}

/// Returns the hash with its bits reordered: those whose position modulo 4 is 0, then 1, 2 and 3.
pub(crate) fn spread(hash: u64) -> u64 {
    (0..u64::BITS).fold(0, |spread, bit| {
        spread | (hash >> bit & 1) << (bit % 4 * 16 + bit / 4)
    })
}

/// An item of a table.
#[derive(Clone, Copy, Default)]
struct Entry {
    hash: u64,
    item: u32,
    crowd: u32,
}

/// Splits the first crowd off `entries`, which ascend by crowd. `None` if nothing is left or that crowd is not before
/// `own`.
fn next_before<'a>(own: u32, entries: &mut &'a [Entry]) -> Option<(u32, &'a [Entry])> {
    let crowd = entries.first().filter(|entry| entry.crowd < own)?.crowd;
    let is_of_it = |entry: &Entry| entry.crowd == crowd;
    // Most crowds have one entry; the largest are not scanned to their end.
    let end = match entries.get(1) {
        Some(second) if is_of_it(second) => entries.partition_point(is_of_it),
        Some(_) | None => 1,
    };
    let (of_crowd, rest) = entries.split_at(end);
    *entries = rest;
    Some((crowd, of_crowd))
}

/// The items by group and by the value of one chunk. Each bucket is sorted by crowd, and may hold other items too.
struct Table {
    chunk: u32,
    shift: u32,
    /// Index in `entries` at which each bucket starts, followed by the end of the last one.
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

impl Table {
    /// `all` must ascend by crowd.
    fn of(all: &[Entry], groups: &Groups, round: Round, chunk: u32) -> Table {
        // More buckets than items.
        let bits = usize::BITS - all.len().leading_zeros() + 1;
        let shift = u64::BITS - bits;
        let mut starts = vec![0; (1 << bits) + 1];
        let placed = || {
            all.iter().flat_map(|entry| {
                let value = round.chunk_of(entry.hash, chunk);
                let groups = groups.found_under(entry.item);
                groups.map(move |group| (bucket(group, value, shift), *entry))
            })
        };
        for (bucket, _) in placed() {
            starts[bucket + 1] += 1;
        }
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let mut next = starts.clone();
        let n_entries = starts.last().copied().unwrap_or(0);
        let mut entries = vec![Entry::default(); n_entries as usize];
        for (bucket, entry) in placed() {
            entries[next[bucket] as usize] = entry;
            next[bucket] += 1;
        }
        Table {
            chunk,
            shift,
            starts,
            entries,
        }
    }

    fn bucket(&self, group: u32, value: u64) -> &[Entry] {
        let bucket = bucket(group, value, self.shift);
        &self.entries[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

/// Maps group and value to a bucket by Fibonacci hashing.
fn bucket(group: u32, value: u64, shift: u32) -> usize {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let key = value.wrapping_mul(GOLDEN).rotate_left(32) ^ u64::from(group);
    (key.wrapping_mul(GOLDEN) >> shift) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every item is a crowd of its own.
    fn alone(items: &[(u64, Claims)]) -> Crowds {
        let named: Vec<(u32, Claims)> = (0..)
            .zip(items)
            .map(|(at, (_, claims))| (at, *claims))
            .collect();
        Crowds::of(&named)
    }

    fn naive(items: &[(u64, Claims)], distance_max: u32) -> Vec<(u32, u32, u32)> {
        let mut pairs = Vec::new();
        for a in 0..items.len() {
            for b in 0..a {
                let distance = (items[a].0 ^ items[b].0).count_ones();
                if distance <= distance_max && items[a].1.agree(items[b].1) {
                    pairs.push((a as u32, b as u32, distance));
                }
            }
        }
        pairs
    }

    fn found(items: &[(u64, Claims)], crowds: &Crowds, round: Round) -> Vec<(u32, u32, u32)> {
        let mut pairs = Vec::new();
        let all = near_pairs(
            items,
            crowds,
            round,
            || true,
            |a, b, distance| pairs.push((a, b, distance)),
        );
        assert_eq!(all, Some(()));
        pairs.sort_unstable();
        pairs
    }

    fn check(items: &[(u64, Claims)]) {
        for round in ROUNDS {
            assert_eq!(
                found(items, &alone(items), round),
                naive(items, round.distance_max()),
                "{round:?}"
            );
        }
    }

    prop_compose! {
        /// Hashes around a few centres, so that every distance occurs.
        fn items()(
            centres in prop::collection::vec(any::<u64>(), 1..4),
            spread in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(0..64u32, 0..8), 0..2u32, 0..3u64), 0..80),
        ) -> Vec<(u64, Claims)> {
            spread
                .into_iter()
                .map(|(centre, bits, n_negations, numbers)| {
                    let hash = bits.into_iter().fold(*centre.get(&centres), |hash, bit| hash ^ (1 << bit));
                    (hash, Claims { n_negations, numbers })
                })
                .collect()
        }
    }

    proptest! {
        #[test]
        fn finds_what_comparing_every_pair_finds(items in items()) {
            check(&items);
        }

        #[test]
        fn of_crowds_the_nearest_pair_is_found(items in items(), crowds in prop::collection::vec(0..5u32, 80)) {
            // Items of a crowd have equal claims, so that the crowds are known.
            let items: Vec<(u64, Claims)> = items.iter().map(|(hash, _)| (*hash, Claims::default())).collect();
            let named: Vec<(u32, Claims)> = items.iter().zip(&crowds).map(|((_, claims), crowd)| (*crowd, *claims)).collect();
            for round in ROUNDS {
                let found = found(&items, &Crowds::of(&named), round);
                let all = naive(&items, round.distance_max());
                for (one, other) in (0..5).flat_map(|one| (0..one).map(move |other| (one, other))) {
                    let nearest = |pairs: &[(u32, u32, u32)]| {
                        let between = |(a, b, _): &&(u32, u32, u32)| {
                            let (a, b) = (crowds[*a as usize], crowds[*b as usize]);
                            (a.max(b), a.min(b)) == (one, other)
                        };
                        pairs.iter().filter(between).map(|(a, b, distance)| (*distance, *a, *b)).min()
                    };
                    prop_assert_eq!(nearest(&found), nearest(&all), "{:?}", round);
                }
                prop_assert!(found.iter().all(|(a, b, _)| crowds[*a as usize] != crowds[*b as usize]));
            }
        }
    }

    #[test]
    fn every_distance_is_found_and_no_greater() {
        let plain = Claims::default();
        for distance in 0..=DISTANCE_MAX + 1 {
            // Differing bits spread evenly over the chunks, and all in one chunk.
            for bit_of in [|at: u32| at % 4 * 16 + at / 4, |at: u32| at] {
                let difference = (0..distance).fold(0, |bits, at| bits | 1_u64 << bit_of(at));
                check(&[(0, plain), (difference, plain)]);
            }
        }
        assert_eq!(ROUNDS.map(Round::distance_max), [1, 3, DISTANCE_MAX]);
    }
}
