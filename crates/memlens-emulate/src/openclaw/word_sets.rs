//! Sets of words as bits, because MMR compares every row with every other.

/// The sets of words of all rows.
pub struct WordSets {
    /// Number of integers that hold one set.
    width: usize,
    bits: Vec<u64>,
    sizes: Vec<u32>,
}

impl WordSets {
    /// Returns the sets of words, which are given by number, each once per row.
    pub fn of<'a>(rows: impl Iterator<Item = &'a [u32]> + Clone) -> WordSets {
        let n_numbers = rows
            .clone()
            .flatten()
            .max()
            .map_or(0, |most| *most as usize + 1);
        // Only words of these rows get a bit.
        let mut bit_of = vec![None; n_numbers];
        let mut n_bits = 0_usize;
        for word in rows.clone().flatten() {
            bit_of[*word as usize].get_or_insert_with(|| {
                n_bits += 1;
                n_bits - 1
            });
        }
        let width = n_bits.div_ceil(u64::BITS as usize);
        let mut sets = WordSets {
            width,
            bits: Vec::new(),
            sizes: Vec::new(),
        };
        for words in rows {
            let start = sets.bits.len();
            sets.bits.resize(start + width, 0);
            for bit in words.iter().filter_map(|word| bit_of[*word as usize]) {
                let bit: usize = bit;
                sets.bits[start + bit / u64::BITS as usize] |= 1 << (bit % u64::BITS as usize);
            }
            sets.sizes.push(words.len() as u32);
        }
        sets
    }

    /// Returns the share of words that two rows have in common; `None` if neither has any.
    pub fn jaccard(&self, a: usize, b: usize) -> Option<f64> {
        if self.sizes[a] == 0 && self.sizes[b] == 0 {
            return None;
        }
        let set = |at: usize| self.bits[at * self.width..(at + 1) * self.width].iter();
        let n_common: u32 = set(a).zip(set(b)).map(|(a, b)| (a & b).count_ones()).sum();
        Some(f64::from(n_common) / f64::from(self.sizes[a] + self.sizes[b] - n_common))
    }
}

#[cfg(test)]
mod tests {
    use super::WordSets;

    #[test]
    fn shares_are_of_the_words_of_both() {
        let rows: [&[u32]; 4] = [&[], &[3, 900], &[3, 70, 5000], &[]];
        let sets = WordSets::of(rows.into_iter());
        for (a, b, share) in [
            (0, 3, None),
            (0, 1, Some(0.0)),
            (1, 2, Some(0.25)),
            (2, 1, Some(0.25)),
            (2, 2, Some(1.0)),
        ] {
            assert_eq!(sets.jaccard(a, b), share, "{a} {b}");
        }
        // More words than one integer holds.
        let many: Vec<u32> = (0..200).collect();
        let rows: [&[u32]; 2] = [&many, &many[100..]];
        assert_eq!(WordSets::of(rows.into_iter()).jaccard(0, 1), Some(0.5));
    }
}
