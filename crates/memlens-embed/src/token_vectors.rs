//! The vectors of a text's tokens, each with its position in the text.

use std::ops::Range;

/// The vectors of the tokens that a model read of a text, without the two that mark the text's ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenVectors {
    /// Row-major `f32[n_tokens, dim]`, finite, unit length.
    pub vectors: Vec<f32>,
    /// Byte range of each token in the text, ascending; a token may be part of a word.
    pub ranges: Vec<Range<usize>>,
}

impl TokenVectors {
    /// Adds a token's vector of any length. A vector whose length is 0 or not finite is left out.
    pub(crate) fn push(&mut self, range: Range<usize>, vector: impl Iterator<Item = f32>) {
        let start = self.vectors.len();
        self.vectors.extend(vector);
        let row = &mut self.vectors[start..];
        let squared: f32 = row.iter().map(|number| number * number).sum();
        if !squared.is_normal() {
            self.vectors.truncate(start);
            return;
        }
        let length = squared.sqrt();
        row.iter_mut().for_each(|number| *number /= length);
        self.ranges.push(range);
    }
}

/// Returns the direction of the sum of rows of `dim` values, which is that of their mean, with length 1; `None` if the sum is 0 or not
/// finite.
pub(crate) fn mean_direction(rows: &[f32], dim: usize) -> Option<Vec<f32>> {
    let mut sum = vec![0.0_f32; dim];
    for row in rows.chunks_exact(dim) {
        sum.iter_mut()
            .zip(row)
            .for_each(|(sum, value)| *sum += value);
    }
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    if !length.is_normal() {
        return None;
    }
    sum.iter_mut().for_each(|value| *value /= length);
    Some(sum)
}

/// Checks that rows get unit length, and that vectors without a direction are left out.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_cancel_each_other_have_no_direction() {
        let direction = |rows: &[f32]| mean_direction(rows, 2);
        assert_eq!(direction(&[3.0, 0.0, 0.0, 4.0]), Some(vec![0.6, 0.8]));
        for rows in [&[1.0, 2.0, -1.0, -2.0][..], &[f32::NAN, 1.0], &[]] {
            assert_eq!(direction(rows), None, "{rows:?}");
        }
    }

    #[test]
    fn rows_have_unit_length_or_are_left_out() {
        let mut tokens = TokenVectors::default();
        tokens.push(0..3, [3.0, 4.0].into_iter());
        tokens.push(4..5, [0.0, 0.0].into_iter());
        tokens.push(5..6, [f32::NAN, 1.0].into_iter());
        tokens.push(7..9, [0.0, -2.0].into_iter());
        let expected = TokenVectors {
            vectors: vec![0.6, 0.8, 0.0, -1.0],
            ranges: vec![0..3, 7..9],
        };
        assert_eq!(tokens, expected);
    }
}
