//! The points of a map: one for each embedding of a whole chunk. Chunks of one text share theirs.

use std::collections::HashMap;

use memlens_index::IndexError;
use memlens_library::EngineError;
use memlens_retrieve::{Lists, RetrieveError};
use ndarray::Array2;

/// The points of one generation, in the order of their first chunks.
pub(crate) struct Points {
    /// The id of each point's embedding. It belongs to one text and one model, and is never used again.
    pub keys: Vec<i64>,
    /// The row of each point in the list of vectors.
    rows: Vec<u32>,
    /// The point of each chunk, by place.
    pub of_place: Vec<u32>,
}

impl Points {
    pub fn new(lists: &Lists) -> Points {
        let n_chunks = lists.snapshot.n_chunks();
        let mut known: HashMap<i64, u32> = HashMap::new();
        let mut points = Points {
            keys: Vec::new(),
            rows: Vec::new(),
            of_place: Vec::with_capacity(n_chunks as usize),
        };
        for ((_, chunk), place) in lists.snapshot.chunks().zip(0..) {
            let point = *known.entry(chunk.embedding.0).or_insert_with(|| {
                points.keys.push(chunk.embedding.0);
                points.rows.push(lists.rows.whole(place));
                points.keys.len() as u32 - 1
            });
            points.of_place.push(point);
        }
        points
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The vectors of some points, one a row.
    ///
    /// # Errors
    /// [`EngineError::Retrieve`] if the list of vectors is damaged.
    pub fn vectors(&self, lists: &Lists, points: &[u32]) -> Result<Array2<f32>, EngineError> {
        let dim = lists.vectors.dim();
        let mut vectors = Array2::zeros((points.len(), dim));
        for (mut row, point) in vectors.outer_iter_mut().zip(points) {
            let vector = lists.vectors.vector(self.rows[*point as usize]);
            for (to, from) in row.iter_mut().zip(vector) {
                *to = *from;
            }
        }
        let checked: Result<(), IndexError> = lists.vectors.check_read();
        checked.map_err(RetrieveError::from)?;
        Ok(vectors)
    }
}

/// At most `n_max` of the numbers below `n`, ascending, at equal distances.
pub(crate) fn evenly(n: usize, n_max: usize) -> Vec<u32> {
    let n_taken = n.min(n_max);
    (0..n_taken).map(|at| (at * n / n_taken) as u32).collect()
}

/// The numbers from `first` on below `end`, in blocks.
pub(crate) fn blocks(of: &[u32], len: usize) -> impl Iterator<Item = (usize, &[u32])> {
    of.chunks(len)
        .enumerate()
        .map(move |(at, block)| (at * len, block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_all() {
        assert_eq!(evenly(5, 10), [0, 1, 2, 3, 4]);
        assert_eq!(evenly(10, 5), [0, 2, 4, 6, 8]);
        assert_eq!(evenly(0, 5), [0_u32; 0]);
        let many = evenly(100_000, 3_000);
        assert_eq!(many.len(), 3_000);
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
