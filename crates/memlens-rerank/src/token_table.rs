//! The vectors of a text's tokens with 8 bits per number, as they are stored and compared.

use std::ops::Range;

use memlens_embed::TokenVectors;

/// One row per token of a text: numbers of 8 bits, and a scale that gives the row unit length.
///
/// Takes a quarter of the vectors' space, and its cosines are within 0.01 of theirs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TokenTable {
    dim: usize,
    /// Row-major matrix `i8[n_tokens, dim]` of quantised vectors.
    numbers: Vec<i8>,
    /// One per token, finite, above 0.
    scales: Vec<f32>,
    /// Byte range of each token in its text.
    ranges: Vec<Range<u32>>,
}

impl TokenTable {
    /// Returns an empty table for vectors of `dim` numbers, at least 1.
    pub fn new(dim: usize) -> TokenTable {
        TokenTable {
            dim,
            ..TokenTable::default()
        }
    }

    /// Adds the tokens of a part of the text that starts at byte `start`. Tokens for whose range in the text `is_kept`
    /// is false are left out.
    pub(crate) fn extend(
        &mut self,
        start: usize,
        tokens: &TokenVectors,
        is_kept: impl Fn(&Range<usize>) -> bool,
    ) {
        for (range, row) in tokens
            .ranges
            .iter()
            .zip(tokens.vectors.chunks_exact(self.dim))
        {
            let range = start + range.start..start + range.end;
            let (Ok(first), Ok(end)) = (u32::try_from(range.start), u32::try_from(range.end))
            else {
                continue;
            };
            if is_kept(&range) {
                self.push(first..end, row);
            }
        }
    }

    fn push(&mut self, range: Range<u32>, row: &[f32]) {
        let largest = row
            .iter()
            .fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let start = self.numbers.len();
        self.numbers.extend(
            row.iter()
                .map(|number| (number / largest * f32::from(i8::MAX)).round() as i8),
        );
        let squared: i32 = self.numbers[start..]
            .iter()
            .map(|&number| i32::from(number) * i32::from(number))
            .sum();
        self.scales.push(1.0 / (squared as f32).sqrt());
        self.ranges.push(range);
    }

    /// Returns the number of tokens in the table.
    pub fn n_tokens(&self) -> usize {
        self.scales.len()
    }

    /// Returns the number of values in a row.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the byte range of each token in its text.
    pub(crate) fn ranges(&self) -> &[Range<u32>] {
        &self.ranges
    }

    /// Returns the cosines of every token of `self` with every token of `text`: row-major `f32[n_tokens, n_tokens of
    /// text]`, in `[-1, 1]`. Both must be of one model.
    pub(crate) fn cosines(&self, text: &TokenTable) -> Vec<f32> {
        // Widened once: processors sum products of 16 bits fastest.
        let theirs = widened(&text.numbers);
        let mut cosines = Vec::with_capacity(self.n_tokens() * text.n_tokens());
        for (ours, scale) in self.numbers.chunks_exact(self.dim).zip(&self.scales) {
            let ours = widened(ours);
            cosines.extend(
                theirs
                    .chunks_exact(text.dim)
                    .zip(&text.scales)
                    .map(|(row, other)| (dot(&ours, row) as f32 * scale * other).clamp(-1.0, 1.0)),
            );
        }
        cosines
    }

    /// Returns the table as bytes to store: about `dim + 12` per token.
    pub fn to_bytes(&self) -> Vec<u8> {
        let n_numbers = [self.n_tokens() as u32, self.dim as u32];
        let heads = n_numbers.iter().flat_map(|number| number.to_le_bytes());
        let scales = self.scales.iter().flat_map(|scale| scale.to_le_bytes());
        let ranges = self
            .ranges
            .iter()
            .flat_map(|range| [range.start, range.end])
            .flat_map(u32::to_le_bytes);
        let numbers = self.numbers.iter().map(|number| number.to_le_bytes()[0]);
        heads.chain(scales).chain(ranges).chain(numbers).collect()
    }

    /// Parses the bytes of [`TokenTable::to_bytes`]; `None` if they are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Option<TokenTable> {
        let (heads, rest) = bytes.split_at_checked(2 * WORD)?;
        let heads: Vec<usize> = words(heads)
            .map(|word| u32::from_le_bytes(word) as usize)
            .collect();
        let &[n_tokens, dim] = heads.as_slice() else {
            return None;
        };
        let (scales, rest) = rest.split_at_checked(n_tokens.checked_mul(WORD)?)?;
        let (ranges, numbers) = rest.split_at_checked(n_tokens.checked_mul(2 * WORD)?)?;
        if dim == 0 || numbers.len() != n_tokens.checked_mul(dim)? {
            return None;
        }
        let scales: Vec<f32> = words(scales).map(f32::from_le_bytes).collect();
        let ends: Vec<u32> = words(ranges).map(u32::from_le_bytes).collect();
        let ranges: Vec<Range<u32>> = ends
            .as_chunks()
            .0
            .iter()
            .map(|&[start, end]| start..end)
            .collect();
        let is_sound = scales.iter().all(|scale| scale.is_normal() && *scale > 0.0)
            && ranges.iter().all(|range| range.start <= range.end);
        is_sound.then(|| TokenTable {
            dim,
            numbers: numbers
                .iter()
                .map(|&byte| i8::from_le_bytes([byte]))
                .collect(),
            scales,
            ranges,
        })
    }
}

/// Number of bytes of a stored 32-bit number.
const WORD: usize = 4;

fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; WORD]> {
    bytes.as_chunks().0.iter().copied()
}

fn widened(numbers: &[i8]) -> Vec<i16> {
    numbers.iter().map(|&number| i16::from(number)).collect()
}

/// Returns the sum of the products. It is exact: rows of 8 bits would have to be 100,000 long to overflow 32 bits.
///
/// Wrapping, because overflow checks would keep the compiler from adding eight at a time.
fn dot(a: &[i16], b: &[i16]) -> i32 {
    a.iter().zip(b).fold(0, |sum: i32, (&a, &b)| {
        sum.wrapping_add(i32::from(a).wrapping_mul(i32::from(b)))
    })
}

/// Checks that cosines approximate those of the vectors, that a table survives a round trip through bytes, and that no
/// other bytes are accepted.
#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const DIM: usize = 24;

    fn table(vectors: &[Vec<f32>]) -> TokenTable {
        let tokens = TokenVectors {
            vectors: vectors.concat(),
            ranges: (0..vectors.len()).map(|at| 2 * at..2 * at + 1).collect(),
        };
        let mut table = TokenTable::new(DIM);
        table.extend(0, &tokens, |_| true);
        table
    }

    fn vectors() -> impl Strategy<Value = Vec<Vec<f32>>> {
        let unit = vec(-1.0_f32..1.0, DIM).prop_filter_map("it has a direction", |vector| {
            let length = vector
                .iter()
                .map(|number| number * number)
                .sum::<f32>()
                .sqrt();
            (length > 0.1).then(|| vector.iter().map(|number| number / length).collect())
        });
        vec(unit, 0..6)
    }

    proptest! {
        #[test]
        fn cosines_are_those_of_the_vectors(query in vectors(), text in vectors()) {
            let cosines = table(&query).cosines(&table(&text));
            let naive: Vec<f64> = query
                .iter()
                .flat_map(|a| text.iter().map(|b| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()))
                .collect();
            prop_assert_eq!(cosines.len(), naive.len());
            for (cosine, naive) in cosines.iter().zip(naive) {
                prop_assert!((f64::from(*cosine) - naive).abs() < 0.01, "{} for {}", cosine, naive);
            }
        }

        #[test]
        fn products_of_16_bits_add_up_as_any_others(rows in vec((-127_i16..=127, -127_i16..=127), 0..800)) {
            let (a, b): (Vec<i16>, Vec<i16>) = rows.into_iter().unzip();
            let mut naive = 0_i64;
            for at in 0..a.len() {
                naive += i64::from(a[at]) * i64::from(b[at]);
            }
            prop_assert_eq!(i64::from(dot(&a, &b)), naive);
        }

        #[test]
        fn a_table_comes_back_from_its_bytes(vectors in vectors()) {
            let table = table(&vectors);
            let bytes = table.to_bytes();
            prop_assert_eq!(TokenTable::from_bytes(&bytes), Some(table));
            prop_assert_eq!(TokenTable::from_bytes(&bytes[..bytes.len() - 1]), None);
            prop_assert_eq!(TokenTable::from_bytes(&[&bytes[..], &[0]].concat()), None);
        }

        #[test]
        fn other_bytes_are_no_table_that_breaks(bytes in vec(any::<u8>(), 0..80)) {
            if let Some(table) = TokenTable::from_bytes(&bytes) {
                prop_assert_eq!(table.to_bytes(), bytes);
            }
        }
    }

    #[test]
    fn a_token_is_as_near_itself_as_can_be() {
        let one = table(&[vec![1.0 / (DIM as f32).sqrt(); DIM]]);
        assert!((one.cosines(&one)[0] - 1.0).abs() < 1e-6);
        assert!(one.cosines(&table(&[])).is_empty());
    }
}
