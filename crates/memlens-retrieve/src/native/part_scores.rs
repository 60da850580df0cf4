//! The vector list of a question in several parts: a chunk's value is that of the part that is nearest to it.

use std::ops::Range;

use memlens_index::{IndexError, VectorFile};
use memlens_params::VectorUnit;

use super::rows::Rows;
use super::vector_scores::{VectorScores, VectorValue};

/// A vector of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PartVector {
    /// The part that was embedded; `None` for the question as a whole.
    pub part: Option<u8>,
    /// `f32[dim]`.
    pub vector: Vec<f32>,
}

/// A chunk's value, and the part of the question that gives it; `None` for the question as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PartValue {
    pub value: VectorValue,
    pub part: Option<u8>,
}

/// The chunks in scope, scored against every vector of a question.
pub(super) struct PartScores<'a> {
    /// Not empty.
    of_parts: Vec<(Option<u8>, VectorScores<'a>)>,
    scope: &'a [Range<u32>],
}

/// Number of chunks whose values are computed at once.
const STRIDE: usize = 4096;

impl<'a> PartScores<'a> {
    /// `vectors` are those of the question, not empty.
    ///
    /// # Errors
    /// [`IndexError::BadVector`] if one does not fit the list.
    pub(super) fn new(
        list: &'a VectorFile,
        rows: &'a Rows,
        unit: VectorUnit,
        scope: &'a [Range<u32>],
        vectors: &[PartVector],
    ) -> Result<Self, IndexError> {
        let of_parts = vectors.iter().map(|it| {
            let scores = VectorScores::new(list, rows, unit, scope, &it.vector)?;
            Ok((it.part, scores))
        });
        Ok(PartScores {
            of_parts: of_parts.collect::<Result<_, IndexError>>()?,
            scope,
        })
    }

    /// Returns the values of the chunks at some places, in the same order. Of equal parts the first counts.
    pub(super) fn values(&self, places: &[u32]) -> Vec<PartValue> {
        let mut best: Vec<PartValue> = Vec::new();
        for (part, scores) in &self.of_parts {
            let values = scores.values(places).into_iter();
            let values = values.map(|value| PartValue { value, part: *part });
            if best.is_empty() {
                best = values.collect();
                continue;
            }
            for (best, next) in best.iter_mut().zip(values) {
                if next.value.score > best.value.score {
                    *best = next;
                }
            }
        }
        best
    }

    /// Returns the `n` highest values, best first, with their places; ties by place.
    pub(super) fn best(&self, n: usize) -> Vec<(u32, PartValue)> {
        if let [(part, scores)] = &self.of_parts[..] {
            let best = scores.best(n).into_iter();
            return best
                .map(|(place, value)| (place, PartValue { value, part: *part }))
                .collect();
        }
        // The best by all parts are among the best by one.
        let of_parts = self.of_parts.iter().map(|(_, scores)| scores.best(n));
        let mut places: Vec<u32> = of_parts.flatten().map(|(place, _)| place).collect();
        places.sort_unstable();
        places.dedup();
        let values = self.values(&places);
        let mut best: Vec<(u32, PartValue)> = places.into_iter().zip(values).collect();
        // Stable, so that equal scores keep the order of places.
        best.sort_by(|a, b| b.1.value.score.total_cmp(&a.1.value.score));
        best.truncate(n);
        best
    }

    /// Returns the 1-based ranks of chunks, given by place and score, among all in scope, in the given order. With several
    /// vectors every chunk gets its exact values.
    pub(super) fn ranks(&self, wanted: &[(u32, f64)]) -> Vec<u32> {
        if let [(_, scores)] = &self.of_parts[..] {
            return scores.ranks(wanted);
        }
        let mut ranks = vec![1; wanted.len()];
        if wanted.is_empty() {
            return ranks;
        }
        let places: Vec<u32> = self.scope.iter().cloned().flatten().collect();
        for places in places.chunks(STRIDE) {
            for (place, found) in places.iter().zip(self.values(places)) {
                for (rank, (wanted, score)) in ranks.iter_mut().zip(wanted) {
                    let order = found.value.score.total_cmp(score).reverse();
                    *rank += u32::from(order.then(place.cmp(wanted)).is_lt());
                }
            }
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use memlens_index::VectorWriter;

    use super::super::rows::BlockRows;
    use super::*;

    const DIM: usize = 8;

    /// A unit vector by a seed. Some seeds share one, so that values tie.
    fn vector(seed: u32) -> Vec<f32> {
        let number = |at: usize| (((seed / 2) as f32 + 1.0) * (at as f32 + 1.7)).sin();
        let numbers: Vec<f32> = (0..DIM).map(number).collect();
        let length = numbers.iter().map(|it| it * it).sum::<f32>().sqrt();
        numbers.into_iter().map(|it| it / length).collect()
    }

    /// Calls `visit` with a list of 300 chunks of two windows each.
    fn with_list(visit: impl FnOnce(&VectorFile, &Rows)) {
        let scratch = tempfile::tempdir().expect("a scratch folder can be made");
        let path = scratch.path().join("flat");
        let writer = VectorWriter::create(&path, "model", DIM);
        let mut writer = writer.expect("a list can be started");
        let mut rows = BlockRows::for_chunks(300, 600);
        for row in 0..900 {
            let added = writer.append(i64::from(row), &vector(row % 300));
            added.expect("a unit vector can be appended");
            if row % 3 == 0 {
                rows.push(row, &[row + 1, row + 2]);
            }
        }
        writer.commit(1).expect("it can be committed");
        let list = VectorFile::open(&path).expect("the list is sound");
        visit(&list, &Rows::of(vec![Arc::new(rows)]));
    }

    #[test]
    fn a_chunk_has_the_value_of_its_best_part() {
        with_list(|list, rows| {
            let scope = [20..150, 170..290];
            let unit = VectorUnit::Windows;
            let question = [(Some(0), 5000), (Some(1), 7003), (None, 9001)];
            let vectors = question.map(|(part, seed)| PartVector {
                part,
                vector: vector(seed),
            });
            let scores = PartScores::new(list, rows, unit, &scope, &vectors).expect("they fit");
            let each: Vec<VectorScores<'_>> = vectors
                .iter()
                .map(|it| VectorScores::new(list, rows, unit, &scope, &it.vector).expect("it fits"))
                .collect();
            let best_of = |place: u32| {
                let values = each.iter().zip(&vectors).map(|(scores, it)| PartValue {
                    value: scores.value(place),
                    part: it.part,
                });
                let better =
                    |a: PartValue, b: PartValue| if b.value.score > a.value.score { b } else { a };
                values.reduce(better).expect("there are three")
            };
            let mut expected: Vec<(u32, PartValue)> = scope
                .iter()
                .cloned()
                .flatten()
                .map(|place| (place, best_of(place)))
                .collect();
            let parts: std::collections::BTreeSet<_> =
                expected.iter().map(|it| it.1.part).collect();
            assert_eq!(parts.len(), 3, "each part is the best of some chunk");
            let places: Vec<u32> = expected.iter().map(|(place, _)| *place).collect();
            let values: Vec<PartValue> = expected.iter().map(|(_, value)| *value).collect();
            assert_eq!(scores.values(&places), values);
            expected.sort_by(|a, b| {
                b.1.value
                    .score
                    .total_cmp(&a.1.value.score)
                    .then(a.0.cmp(&b.0))
            });
            let is_tied =
                |pair: &[(u32, PartValue)]| pair[0].1.value.score == pair[1].1.value.score;
            assert!(expected.windows(2).any(is_tied));
            for n in [0, 1, 7, 100, 1000] {
                assert_eq!(scores.best(n), expected[..n.min(expected.len())]);
            }
            let wanted: Vec<(u32, f64)> = expected
                .iter()
                .rev()
                .map(|(place, it)| (*place, it.value.score))
                .collect();
            let ranks: Vec<u32> = (1..=expected.len() as u32).rev().collect();
            assert_eq!(scores.ranks(&wanted), ranks);
            assert_eq!(scores.ranks(&[]), [0_u32; 0]);
        });
    }
}
