//! Pairs of near SimHashes, found exactly and without comparing every pair.
//!
//! A hash is cut into four chunks of 16 bits. Two hashes of distance 7 or less agree in some chunk up to one bit
//! (pigeonhole: four chunks with two differing bits each would make 8), so looking up every chunk, and every chunk with
//! one bit flipped, meets every partner. Up to distance 3 some chunk is equal and no bit needs to be flipped.
//! Source: Norouzi, Punjani and Fleet, Fast search in Hamming space with multi-index hashing, CVPR 2012.
//!
//! Property checked: equal to comparing every pair, for arbitrary hashes, claims and distances.

use std::collections::{BTreeMap, BTreeSet};

use crate::claims::Claims;

/// The greatest distance that is searched.
pub const DISTANCE_MAX: u32 = 7;

const N_CHUNKS: u32 = 4;
const CHUNK_BITS: u32 = 16;

/// Calls `found` with every pair of items whose SimHashes differ in at most `distance_max` bits and whose claims
/// [agree](Claims::agree), and their distance.
///
/// Every pair comes once, the larger index first, in an order that depends on nothing but the items. A `distance_max`
/// above [`DISTANCE_MAX`] counts as that.
pub fn near_pairs(
    items: &[(u64, Claims)],
    distance_max: u32,
    mut found: impl FnMut(u32, u32, u32),
) {
    let distance_max = distance_max.min(DISTANCE_MAX);
    // Two hashes within `distance_max` agree in some chunk up to so many bits.
    let reach = distance_max / N_CHUNKS;
    let groups = Groups::of(items);
    let tables: Vec<Table> = (0..N_CHUNKS)
        .map(|chunk| Table::of(items, &groups, chunk))
        .collect();
    let mut partners = Vec::new();
    for (at, (hash, _)) in (0..).zip(items) {
        partners.clear();
        for group in groups.searched_by(at).into_iter().flatten() {
            for table in &tables {
                for flipped in flips(reach) {
                    let value = table.chunk_of(*hash) ^ flipped;
                    for other in table.bucket(group, value) {
                        // A pair of one group is met from both sides, one of two groups from one.
                        if groups.of_item[*other as usize] != group
                            || (groups.of_item[at as usize] == group && *other >= at)
                        {
                            continue;
                        }
                        let difference = hash ^ items[*other as usize].0;
                        if difference.count_ones() <= distance_max
                            && table.chunk_of(difference) == flipped
                            && is_first(difference, table.chunk, reach)
                        {
                            partners.push((*other, difference.count_ones()));
                        }
                    }
                }
            }
        }
        partners.sort_unstable();
        for (other, distance) in &partners {
            found(at.max(*other), at.min(*other), *distance);
        }
    }
}

/// Tells whether no chunk before this one lies within reach, so that a pair is taken from one table only.
fn is_first(difference: u64, chunk: u32, reach: u32) -> bool {
    (0..chunk).all(|earlier| chunk_of(difference, earlier).count_ones() > reach)
}

fn chunk_of(hash: u64, chunk: u32) -> u32 {
    (hash >> (chunk * CHUNK_BITS)) as u32 & ((1 << CHUNK_BITS) - 1)
}

/// Returns the patterns with at most `reach` bits set; `reach` is 0 or 1.
fn flips(reach: u32) -> impl Iterator<Item = u32> {
    std::iter::once(0).chain((0..CHUNK_BITS * reach).map(|bit| 1 << bit))
}

/// Says which items have the same claims, so that a thousand lines of one pattern with different numbers are not compared
/// with each other.
struct Groups {
    of_item: Vec<u32>,
    /// The group itself where it has several items, and the group of as many negations without numbers.
    searched: Vec<[Option<u32>; 2]>,
}

impl Groups {
    fn of(items: &[(u64, Claims)]) -> Groups {
        let claims: BTreeSet<Claims> = items.iter().map(|(_, claims)| *claims).collect();
        let id_of: BTreeMap<Claims, u32> = claims.into_iter().zip(0..).collect();
        let of_item: Vec<u32> = items.iter().map(|(_, claims)| id_of[claims]).collect();
        let mut n_items = vec![0; id_of.len()];
        for group in &of_item {
            n_items[*group as usize] += 1;
        }
        let searched = id_of
            .iter()
            .map(|(claims, id)| {
                let own = (n_items[*id as usize] > 1).then_some(*id);
                let plain = Claims {
                    numbers: 0,
                    ..*claims
                };
                let without = (plain != *claims)
                    .then(|| id_of.get(&plain).copied())
                    .flatten();
                [own, without]
            })
            .collect();
        Groups { of_item, searched }
    }

    fn searched_by(&self, item: u32) -> [Option<u32>; 2] {
        self.searched[self.of_item[item as usize] as usize]
    }
}

/// Holds the items by group and by the value of one chunk; a bucket may hold others too.
struct Table {
    chunk: u32,
    shift: u32,
    /// Where each bucket starts in `items`, and where the last one ends.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Table {
    fn of(items: &[(u64, Claims)], groups: &Groups, chunk: u32) -> Table {
        // More buckets than items.
        let bits = usize::BITS - items.len().leading_zeros() + 1;
        let mut table = Table {
            chunk,
            shift: u64::BITS - bits,
            starts: vec![0; (1 << bits) + 1],
            items: vec![0; items.len()],
        };
        let bucket_of = |at: usize| {
            table_bucket(
                groups.of_item[at],
                chunk_of(items[at].0, chunk),
                table.shift,
            )
        };
        let buckets: Vec<usize> = (0..items.len()).map(bucket_of).collect();
        for bucket in &buckets {
            table.starts[bucket + 1] += 1;
        }
        for bucket in 1..table.starts.len() {
            table.starts[bucket] += table.starts[bucket - 1];
        }
        let mut next = table.starts.clone();
        for (at, bucket) in (0..).zip(buckets) {
            table.items[next[bucket] as usize] = at;
            next[bucket] += 1;
        }
        table
    }

    fn chunk_of(&self, hash: u64) -> u32 {
        chunk_of(hash, self.chunk)
    }

    fn bucket(&self, group: u32, value: u32) -> &[u32] {
        let bucket = table_bucket(group, value, self.shift);
        &self.items[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

/// Spreads group and value over all buckets, by Fibonacci hashing.
fn table_bucket(group: u32, value: u32, shift: u32) -> usize {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let key = u64::from(group) << CHUNK_BITS | u64::from(value);
    (key.wrapping_mul(GOLDEN) >> shift) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    fn check(items: &[(u64, Claims)], distance_max: u32) {
        let mut pairs = Vec::new();
        near_pairs(items, distance_max, |a, b, distance| {
            pairs.push((a, b, distance))
        });
        pairs.sort_unstable();
        assert_eq!(pairs, naive(items, distance_max));
    }

    prop_compose! {
        /// Hashes around few centres, so that every distance occurs.
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
        fn finds_what_comparing_every_pair_finds(items in items(), distance_max in 0..=DISTANCE_MAX) {
            check(&items, distance_max);
        }
    }

    #[test]
    fn two_bits_in_three_chunks_and_one_in_the_last_are_found() {
        let plain = Claims::default();
        for last in 0..4 {
            let difference = (0..4)
                .filter(|chunk| *chunk != last)
                .fold(1 << (last * 16), |bits, chunk| bits | 3_u64 << (chunk * 16));
            check(&[(0, plain), (difference, plain)], 7);
        }
    }
}
