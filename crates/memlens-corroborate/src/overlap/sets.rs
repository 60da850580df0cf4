//! Sets of words prepared for comparison: words as numbers, the rarest first, and small bit sketches.

use std::collections::HashMap;

use super::{LEVEL_MAX, common_min, overlapping_min};
use crate::claims::Claims;

/// The items that have words, prepared for comparison, those with the fewest words first.
pub(super) struct Sets {
    /// The index of each set's item.
    pub(super) items: Vec<u32>,
    pub(super) words: Vec<Box<[u32]>>,
    sizes: Vec<Size>,
    sketches: Sketches,
    pub(super) claims: Vec<Claims>,
}

/// Cheap values that can show that two sets differ.
#[derive(Clone, Copy)]
struct Size {
    n_words: u32,
    /// Wrapping sum of the words' numbers.
    sum: u32,
}

impl Sets {
    pub(super) fn of(items: &[(&[u64], Claims)]) -> Sets {
        let mut words = by_rarity(items);
        let mut order: Vec<u32> = (0..items.len() as u32)
            .filter(|at| !words[*at as usize].is_empty())
            .collect();
        order.sort_unstable_by_key(|at| (words[*at as usize].len(), *at));
        let words: Vec<Box<[u32]>> = order
            .iter()
            .map(|at| std::mem::take(&mut words[*at as usize]))
            .collect();
        Sets {
            sizes: words.iter().map(|words| Size::of(words)).collect(),
            sketches: Sketches::of(&words),
            claims: order.iter().map(|at| items[*at as usize].1).collect(),
            items: order,
            words,
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.items.len() as u32
    }

    pub(super) fn n_words(&self, at: u32) -> u32 {
        self.sizes[at as usize].n_words
    }

    /// Returns the first set that is large enough to overlap this one.
    pub(super) fn first_overlapping(&self, at: u32) -> u32 {
        let n_words_min = overlapping_min(self.n_words(at));
        self.sizes
            .partition_point(|size| size.n_words < n_words_min) as u32
    }

    /// Returns an upper bound of the number of words that two sets share.
    pub(super) fn common_max(&self, a: u32, b: u32) -> u32 {
        let (size_a, size_b) = (self.sizes[a as usize], self.sizes[b as usize]);
        let n_both = size_a.n_words + size_b.n_words;
        let differ = size_a.n_words == size_b.n_words && size_a.sum != size_b.sum;
        let shorter = size_a.n_words.min(size_b.n_words) - u32::from(differ);
        ((n_both - self.sketches.n_apart_min(a, b)) / 2).min(shorter)
    }

    /// Returns how many words two sets must share to overlap enough.
    pub(super) fn common_min(&self, a: u32, b: u32) -> u32 {
        common_min(self.n_words(a) + self.n_words(b), LEVEL_MAX)
    }
}

impl Size {
    fn of(words: &[u32]) -> Size {
        Size {
            n_words: words.len() as u32,
            sum: words.iter().fold(0, |sum, word| sum.wrapping_add(*word)),
        }
    }
}

/// A bit sketch of every set: each word sets one bit. Half of the bits belong to the most common words, one each, so
/// that the other half distinguishes sets that share most of their words.
struct Sketches {
    /// The number of blocks in a sketch.
    n_blocks: usize,
    blocks: Vec<Block>,
}

/// About as many bits as a machine compares at once.
type Block = [u64; 4];

impl Sketches {
    const BLOCK_BITS: u32 = 256;
    /// With more words per block, half of the sets that share few words would look as if they shared more.
    const WORDS_PER_BLOCK: usize = 64;
    /// At 64 words per block; longer texts are rare.
    const N_BLOCKS_MAX: usize = 16;

    fn of(words: &[Box<[u32]>]) -> Sketches {
        let n_distinct = words.iter().filter_map(|words| words.last()).max();
        let n_distinct = n_distinct.map_or(0, |most_common| most_common + 1);
        let n_words: usize = words.iter().map(|words| words.len()).sum();
        let n_blocks = n_words / (words.len() * Sketches::WORDS_PER_BLOCK).max(1);
        let n_blocks = n_blocks.clamp(1, Sketches::N_BLOCKS_MAX);
        let mut blocks = vec![[0; 4]; words.len() * n_blocks];
        let half = n_blocks as u32 * Sketches::BLOCK_BITS / 2;
        for (words, sketch) in words.iter().zip(blocks.chunks_mut(n_blocks)) {
            for word in words {
                let place = n_distinct - 1 - word;
                let bit = if place < half {
                    place
                } else {
                    half + place % half
                };
                let bits = sketch.as_flattened_mut();
                bits[bit as usize / 64] |= 1_u64 << (bit % 64);
            }
        }
        Sketches { n_blocks, blocks }
    }

    /// Returns a lower bound of the number of words in only one of the sets: a bit that is set in only one comes from
    /// such a word.
    fn n_apart_min(&self, a: u32, b: u32) -> u32 {
        let sketch = |at: u32| &self.blocks[at as usize * self.n_blocks..][..self.n_blocks];
        let bits = |at: u32| sketch(at).as_flattened().iter();
        bits(a)
            .zip(bits(b))
            .map(|(a, b)| (a ^ b).count_ones())
            .sum()
    }
}

/// Returns the words of each item as numbers, ascending from the rarest to the most common.
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
