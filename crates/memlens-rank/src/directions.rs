//! Directions of vectors with one byte per number: enough to compare two chunks, for a quarter of the memory.
//!
//! Properties checked: the cosine equals that of the vectors within 0.01, and is 1 for a vector with itself; rows
//! prepared for comparison have the same cosines.

/// The directions of vectors.
///
/// Stored as integers, so that a cosine is the same on every machine, bit for bit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Directions {
    dim: usize,
    /// Row-major `i8[n_rows, dim]`; the greatest magnitude of a row is 127.
    values: Vec<i8>,
    /// The reciprocal of each row's length; 0 for a zero row.
    inverse_lengths: Vec<f64>,
}

impl Directions {
    /// The greatest magnitude in a row.
    const GREATEST: f32 = 127.0;

    /// Returns the directions of vectors of `dim` numbers each, of any length. Numbers that are missing or not finite
    /// count as 0; numbers beyond `dim` are ignored.
    pub fn of<'a>(dim: usize, vectors: impl IntoIterator<Item = &'a [f32]>) -> Directions {
        let mut directions = Directions {
            dim,
            ..Directions::default()
        };
        let mut numbers = vec![0.0; dim];
        for vector in vectors {
            let (given, missing) = numbers.split_at_mut(dim.min(vector.len()));
            for (number, given) in given.iter_mut().zip(vector) {
                *number = if given.is_finite() { *given } else { 0.0 };
            }
            missing.fill(0.0);
            // Compared as integers, which vectorises: the bits of non-negative floats are in numeric order.
            let magnitudes = numbers.iter().map(|number| number.abs().to_bits());
            let greatest = f32::from_bits(magnitudes.fold(0, u32::max));
            let start = directions.values.len();
            directions.values.extend(numbers.iter().map(|number| {
                if greatest > 0.0 {
                    // Rounds half away from zero, by steps that vectorise.
                    let scaled = number / greatest * Self::GREATEST;
                    (scaled + 0.5_f32.copysign(scaled)) as i32 as i8
                } else {
                    0
                }
            }));
            let row = &directions.values[start..];
            let length = f64::from(dot(row, row)).sqrt();
            directions
                .inverse_lengths
                .push(if length > 0.0 { 1.0 / length } else { 0.0 });
        }
        directions
    }

    /// Returns the cosine of two rows, in `[-1, 1]` up to rounding; 0 if either is a zero row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn cosine(&self, a: u32, b: u32) -> f64 {
        let product = f64::from(dot(self.row(a), self.row(b)));
        product * (self.inverse_lengths[a as usize] * self.inverse_lengths[b as usize])
    }

    /// Returns the given rows, in that order.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn of_rows(&self, rows: &[u32]) -> Directions {
        Directions {
            dim: self.dim,
            values: rows
                .iter()
                .flat_map(|row| self.row(*row))
                .copied()
                .collect(),
            inverse_lengths: rows
                .iter()
                .map(|row| self.inverse_lengths[*row as usize])
                .collect(),
        }
    }

    /// Returns the given rows, prepared for comparison with each other. `None` becomes a zero row, whose cosine is
    /// always 0.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn compared(&self, rows: impl IntoIterator<Item = Option<u32>>) -> Compared {
        let mut compared = Compared {
            dim: self.dim,
            ..Compared::default()
        };
        for row in rows {
            match row {
                Some(row) => {
                    let values = self.row(row).iter().copied().map(i16::from);
                    compared.values.extend(values);
                }
                None => compared.values.extend((0..self.dim).map(|_| 0)),
            }
            let inverse_length = row.map_or(0.0, |row| self.inverse_lengths[row as usize]);
            compared.inverse_lengths.push(inverse_length);
        }
        compared
    }

    fn row(&self, row: u32) -> &[i8] {
        &self.values[row as usize * self.dim..(row as usize + 1) * self.dim]
    }
}

/// Rows of [`Directions`] that are compared many times. Two bytes per number, because machines multiply and add pairs
/// of those at once.
#[derive(Default)]
pub(crate) struct Compared {
    dim: usize,
    values: Vec<i16>,
    inverse_lengths: Vec<f64>,
}

impl Compared {
    /// Returns the cosine of two rows by their positions, bit for bit that of [`Directions::cosine`].
    pub(crate) fn cosine(&self, a: usize, b: usize) -> f64 {
        let row = |at: usize| &self.values[at * self.dim..(at + 1) * self.dim];
        f64::from(dot(row(a), row(b))) * (self.inverse_lengths[a] * self.inverse_lengths[b])
    }
}

/// Returns the sum of the products. It cannot overflow: 2³¹ exceeds the sum of the squares of 133,000 numbers of a row.
fn dot<Number: Copy + Into<i32>>(a: &[Number], b: &[Number]) -> i32 {
    // A checked sum would handle one number at a time; a wrapping one vectorises.
    a.iter().zip(b).fold(0_i32, |sum, (a, b)| {
        sum.wrapping_add((*a).into().wrapping_mul((*b).into()))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keeps_the_cosine(a in prop::collection::vec(-1.0..1.0f32, 384), b in prop::collection::vec(-1.0..1.0f32, 384)) {
            let exact = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
            let cosine = exact(&a, &b) / (exact(&a, &a) * exact(&b, &b)).sqrt();
            let directions = Directions::of(384, [&a[..], &b[..]]);
            prop_assert!((directions.cosine(0, 1) - cosine).abs() < 0.01);
            prop_assert!((directions.cosine(0, 0) - 1.0).abs() < 1e-12);
            prop_assert_eq!(directions.cosine(0, 1), directions.cosine(1, 0));
            let compared = directions.compared([Some(1), None, Some(0)]);
            prop_assert_eq!(compared.cosine(2, 0), directions.cosine(0, 1));
            prop_assert_eq!(compared.cosine(1, 0), 0.0);
        }
    }

    #[test]
    fn what_points_nowhere_is_like_nothing() {
        let directions = Directions::of(
            3,
            [
                &[0.0, 0.0, 0.0][..],
                &[f32::NAN, 1.0],
                &[f32::INFINITY, 2.0, 0.0, 9.0],
            ],
        );
        assert_eq!(
            (directions.cosine(0, 1), directions.cosine(0, 0)),
            (0.0, 0.0)
        );
        assert!((directions.cosine(1, 2) - 1.0).abs() < 1e-12);
    }
}
