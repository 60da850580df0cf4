//! The nearest points of points, by the cosine of their vectors. Every pair is compared.

use memlens_library::EngineError;
use memlens_retrieve::Lists;
use ndarray::{Array2, ArrayView1};

use crate::points::{Points, blocks};

/// Number of points that are compared with others at once.
const ASKED_AT_ONCE: usize = 256;
/// Number of points that they are compared with at once.
const BASE_AT_ONCE: usize = 4_096;
/// As many more candidates than wanted are collected before the farthest are dropped.
const SLACK: usize = 4;

/// A point near another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub cosine: f32,
    /// Index in the base.
    pub at: u32,
}

/// For each of some points, the `n` nearest points of a base, nearest first; equally near ones by their position in the base.
/// A point is not near itself. `None` if `goes_on`, which is called with the number of points that are done, returns false.
///
/// # Errors
/// [`EngineError::Retrieve`] if the list of vectors is damaged.
pub(crate) fn nearest(
    lists: &Lists,
    points: &Points,
    asked: &[u32],
    base: &[u32],
    n: usize,
    mut goes_on: impl FnMut(usize) -> bool,
) -> Result<Option<Vec<Vec<Near>>>, EngineError> {
    let mut all = Vec::with_capacity(asked.len());
    for (first, block) in blocks(asked, ASKED_AT_ONCE) {
        let vectors = points.vectors(lists, block)?;
        let mut best: Vec<Best> = block.iter().map(|_| Best::new(n)).collect();
        for (first, base) in blocks(base, BASE_AT_ONCE) {
            if !goes_on(all.len()) {
                return Ok(None);
            }
            let cosines: Array2<f32> = vectors.dot(&points.vectors(lists, base)?.t());
            for ((cosines, best), asked) in cosines.outer_iter().zip(&mut best).zip(block) {
                best.add(cosines, first, |at| base[at] == *asked);
            }
        }
        debug_assert_eq!(first, all.len());
        all.extend(best.into_iter().map(Best::sorted));
    }
    Ok(Some(all))
}

/// The nearest points that were found yet.
struct Best {
    n: usize,
    found: Vec<Near>,
    /// Cosine that a point must exceed to be among the nearest.
    least: f32,
}

impl Best {
    fn new(n: usize) -> Best {
        Best {
            n,
            found: Vec::new(),
            least: f32::NEG_INFINITY,
        }
    }

    /// Adds points that follow those added before in the base.
    fn add(
        &mut self,
        cosines: ArrayView1<'_, f32>,
        first: usize,
        is_itself: impl Fn(usize) -> bool,
    ) {
        for (at, cosine) in cosines.iter().copied().enumerate() {
            if cosine > self.least && !is_itself(at) {
                let at = (first + at) as u32;
                self.found.push(Near { cosine, at });
                if self.found.len() >= SLACK * self.n {
                    self.drop_farthest();
                }
            }
        }
    }

    fn drop_farthest(&mut self) {
        if self.found.len() > self.n && self.n > 0 {
            self.found.select_nth_unstable_by(self.n - 1, by_nearness);
            self.found.truncate(self.n);
            // An equally near one that comes later is farther in the order.
            self.least = self.found[self.n - 1].cosine;
        }
    }

    fn sorted(mut self) -> Vec<Near> {
        self.drop_farthest();
        self.found.truncate(self.n);
        self.found.sort_unstable_by(by_nearness);
        self.found
    }
}

fn by_nearness(a: &Near, b: &Near) -> std::cmp::Ordering {
    b.cosine.total_cmp(&a.cosine).then(a.at.cmp(&b.at))
}

#[cfg(test)]
mod tests {
    use ndarray::Array1;

    use super::*;

    #[test]
    fn the_nearest_are_those_of_a_sort_of_all() {
        let mut random = fastrand::Rng::with_seed(3);
        for n in [1, 2, 7, 40] {
            // Few different cosines, so that many are equally near.
            let cosines: Vec<f32> = (0..500).map(|_| random.u8(0..20) as f32 / 20.0).collect();
            let mut best = Best::new(n);
            for (first, block) in cosines.chunks(64).enumerate() {
                let block = Array1::from(block.to_vec());
                best.add(block.view(), first * 64, |at| first * 64 + at == 5);
            }
            let mut expected: Vec<Near> = cosines
                .iter()
                .zip(0..)
                .filter(|(_, at)| *at != 5)
                .map(|(cosine, at)| Near {
                    cosine: *cosine,
                    at,
                })
                .collect();
            expected.sort_by(by_nearness);
            expected.truncate(n);
            assert_eq!(best.sorted(), expected, "{n}");
        }
    }
}
