//! The vector list: the value of a chunk, and the chunks with the highest values.
//!
//! Every value is computed from exact products. Upper bounds (ceilings), which cost an eighth of that, decide which
//! chunks get one: chunks are visited by descending ceiling until the next ceiling is below the last value needed. The
//! result and its order equal those of visiting every chunk. The same holds within a chunk: a window gets an exact
//! product unless its ceiling is below the product of another window.

use std::cmp::Ordering;
use std::ops::Range;

use memlens_index::{Bounds, IndexError, VectorFile, part_len, side_by_side};
use memlens_params::VectorUnit;

use super::rows::Rows;

/// The vector list's values of a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorValue {
    /// The score that orders the list.
    pub score: f64,
    /// The cosine of the whole chunk.
    pub whole: f64,
    /// The cosine of the best window, and the index of that window in the chunk; `None` if windows are not used.
    pub window: Option<(f64, u32)>,
}

/// The chunks in scope, scored against one question's vector.
pub struct VectorScores<'a> {
    rows: &'a Rows,
    unit: VectorUnit,
    /// Ascending disjoint ranges of places.
    scope: &'a [Range<u32>],
    /// The exact product of each row with the question, and its bounds.
    bounds: Bounds<'a>,
}

/// A chunk, and the rows of its vectors.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    place: u32,
    whole: u32,
    /// Empty if windows are not used.
    windows: &'a [u32],
}

/// Usual lower limit of the difference between a ceiling and its floor, for vectors of 384 numbers. The result does not
/// depend on it.
const SPREAD_USUAL: f64 = 0.03;
/// More than the rounding error of a ceiling that is stored in 4 bytes.
const ROUNDING: f64 = 1e-6;
/// Number of chunks that are visited before the last value needed is updated.
const STRIDE: usize = 512;

impl<'a> VectorScores<'a> {
    /// # Errors
    /// [`IndexError::BadVector`] if the question's vector does not fit the list.
    pub fn new(
        vectors: &'a VectorFile,
        rows: &'a Rows,
        unit: VectorUnit,
        scope: &'a [Range<u32>],
        question: &[f32],
    ) -> Result<Self, IndexError> {
        Ok(VectorScores {
            bounds: vectors.bounds(question)?,
            rows,
            unit,
            scope,
        })
    }

    /// Returns the value of the chunk at a place.
    pub fn value(&self, place: u32) -> VectorValue {
        let value = self.value_from(self.chunk(place), f64::NEG_INFINITY);
        value.expect("every score is above the lowest number")
    }

    /// Returns the values of the chunks at some places, in the same order.
    pub fn values(&self, places: &[u32]) -> Vec<VectorValue> {
        let found = side_by_side(places.chunks(part_of_values(places.len())), |part| {
            part.iter()
                .map(|place| self.value(*place))
                .collect::<Vec<_>>()
        });
        found.concat()
    }

    /// Returns the `n` highest values, best first, with their places; ties by place.
    pub fn best(&self, n: usize) -> Vec<(u32, VectorValue)> {
        if n == 0 {
            return Vec::new();
        }
        let n_chunks = self.scope.iter().map(ExactSizeIterator::len).sum();
        let parts = cut(self.scope, part_len(n_chunks));
        let looked = side_by_side(&parts, |part| {
            let n_chunks = part.iter().map(ExactSizeIterator::len).sum();
            let mut ceilings = Vec::with_capacity(n_chunks);
            let chunks = self.ceilings(part).map(|(ceiling, chunk)| {
                ceilings.push(ceiling as f32);
                (ceiling, chunk.place)
            });
            let nearest = nearest(n, chunks);
            (ceilings, nearest)
        });
        let (ceilings, nearest): (Vec<Vec<f32>>, Vec<_>) = looked.into_iter().unzip();
        let mut first = nearest.concat();
        keep_nearest(n, &mut first);
        let Some(farthest) = first.iter().copied().max_by(by_ceiling) else {
            return Vec::new();
        };
        let mut found = self.values_from(&first, f64::NEG_INFINITY);
        // With fewer than `n` chunks, there are no others.
        let mut last = lowest(&found);
        let is_next = |it: &(f64, u32)| it.0 >= last && by_ceiling(it, &farthest).is_gt();
        let mut rest = Vec::new();
        for (part, ceilings) in parts.iter().zip(&ceilings) {
            let mut ceilings = ceilings.iter();
            for places in part {
                let chunks = places.clone().zip(&mut ceilings);
                let chunks = chunks.map(|(place, ceiling)| (f64::from(*ceiling), place));
                rest.extend(chunks.filter(is_next));
            }
        }
        rest.sort_unstable_by(by_ceiling);
        for stride in rest.chunks(STRIDE) {
            if stride[0].0 < last {
                break;
            }
            found.extend(self.values_from(stride, last));
            if found.len() > n {
                found.select_nth_unstable_by(n - 1, by_value);
                found.truncate(n);
            }
            last = lowest(&found);
        }
        found.sort_unstable_by(by_value);
        found
    }

    /// Returns the values of those chunks, given by ceiling and place, whose score may be at least `least`.
    fn values_from(&self, chunks: &[(f64, u32)], least: f64) -> Vec<(u32, VectorValue)> {
        let found = side_by_side(chunks.chunks(part_of_values(chunks.len())), |part| {
            let reaching = part.iter().filter(|(ceiling, _)| *ceiling >= least);
            let values = reaching.filter_map(|(_, place)| {
                let value = self.value_from(self.chunk(*place), least)?;
                Some((*place, value))
            });
            values.collect::<Vec<_>>()
        });
        found.concat()
    }

    /// Returns the 1-based ranks of chunks, given by place and score, among all in scope, in the given order. Visits
    /// every other chunk once, regardless of how many ranks are requested. A chunk gets an exact value only if its
    /// bounds do not decide which of them it precedes.
    pub fn ranks(&self, wanted: &[(u32, f64)]) -> Vec<u32> {
        let mut in_order: Vec<usize> = (0..wanted.len()).collect();
        let of = |at: usize| (wanted[at].1, wanted[at].0);
        in_order.sort_unstable_by(|a, b| best_first(of(*a), of(*b)));
        let Some(least) = in_order.last().map(|last| wanted[*last].1) else {
            return Vec::new();
        };
        let is_not_after = |at: &usize, chunk| best_first(of(*at), chunk) != Ordering::Greater;
        // If no requested score is between the bounds of a chunk, the bounds decide.
        let decide = |floor: f64, ceiling: f64| {
            let n_above = in_order.partition_point(|at| of(*at).0 > ceiling);
            let n_not_below = in_order.partition_point(|at| of(*at).0 >= floor);
            (n_above == n_not_below).then_some(n_above)
        };
        // Whether a floor this far below could decide. If not, it is not computed.
        let is_clear = |ceiling: f64, spread: f64| decide(ceiling - spread, ceiling).is_some();
        // Number of requested chunks that precede this chunk or are it, found with as few vectors as possible.
        let n_wanted_before = |ceiling: f64, chunk: Chunk<'_>| {
            let nearest = self.nearest(chunk);
            if is_clear(ceiling, SPREAD_USUAL)
                && let Some(n) = decide(self.floor(chunk, nearest), ceiling)
            {
                return Some(n);
            }
            if let Some(nearest) = nearest {
                let (product, ceiling) = self.ceiling_by(chunk, nearest);
                if is_clear(ceiling, SPREAD_USUAL / 3.0)
                    && let Some(n) = decide(self.floor_by(chunk, product), ceiling)
                {
                    return Some(n);
                }
            }
            let found = (self.value_from(chunk, least)?.score, chunk.place);
            Some(in_order.partition_point(|at| is_not_after(at, found)))
        };
        let reaches = |(ceiling, _): &(f64, Chunk<'_>)| *ceiling >= least;
        // Counts the chunks of a part between each requested chunk and the one before it.
        let count = |part: &[Range<u32>]| {
            let mut n_between = vec![0; wanted.len()];
            let reaching = self.ceilings(part).filter(reaches);
            reaching.for_each(|(ceiling, chunk)| {
                let next = n_wanted_before(ceiling, chunk);
                if let Some(n) = next.and_then(|next| n_between.get_mut(next)) {
                    *n += 1;
                }
            });
            n_between
        };
        // If a requested score is common, most vectors are read, and the threads wait for memory.
        let n_chunks = self.scope.iter().map(ExactSizeIterator::len).sum();
        let parts = side_by_side(cut(self.scope, part_len(n_chunks)), |part| count(&part));
        let n_between = (0..wanted.len()).map(|at| parts.iter().map(|part| part[at]).sum());
        let n_between: Vec<u32> = n_between.collect();
        let mut ranks = vec![0; wanted.len()];
        let mut n_before = 0;
        for (at, n) in in_order.into_iter().zip(n_between) {
            n_before += n;
            ranks[at] = n_before + 1;
        }
        ranks
    }

    /// Returns the value of a chunk, or `None` if its score is below `least` as far as that is known without further
    /// products.
    ///
    /// Each product reads a vector that is rarely in the cache, so windows whose ceilings are below the product of the
    /// nearest one are skipped.
    fn value_from(&self, chunk: Chunk<'_>, least: f64) -> Option<VectorValue> {
        let product = |row: u32| f64::from(self.bounds.product(row));
        let nearest = self.nearest(chunk);
        let whole = product(chunk.whole);
        if score(whole, nearest.map(|(row, _)| self.ceiling(row))) < least {
            return None;
        }
        let window = nearest.map(|(row, nearest)| {
            let of_nearest = (product(row), nearest);
            let others = chunk.windows.iter().copied().zip(0..);
            let others = others
                .filter(|(row, at)| *at != nearest && self.ceiling(*row) >= of_nearest.0)
                .map(|(row, at)| (product(row), at));
            // Of equal windows, the first wins, so that the trace is deterministic.
            others.fold(of_nearest, |best, next| {
                let is_better = next.0 > best.0 || (next.0 == best.0 && next.1 < best.1);
                if is_better { next } else { best }
            })
        });
        Some(VectorValue {
            score: score(whole, window.map(|(window, _)| window)),
            whole,
            window,
        })
    }

    /// Returns an upper bound of every chunk's score, with the chunk. Consume it with `for_each`, which compiles to two
    /// nested loops; `next` would have to find its position each time.
    fn ceilings(&self, part: &[Range<u32>]) -> impl Iterator<Item = (f64, Chunk<'_>)> {
        let chunks = part
            .iter()
            .flat_map(|places| self.rows.among(places.clone()));
        chunks.map(|(place, whole, windows)| {
            let windows = self.used(windows);
            let nearest = windows.iter().map(|row| self.ceiling(*row));
            // The same steps as for the score, all of them monotonic.
            let ceiling = score(self.ceiling(whole), nearest.reduce(f64::max));
            let chunk = Chunk {
                place,
                whole,
                windows,
            };
            (f64::from((ceiling + ROUNDING) as f32), chunk)
        })
    }

    /// Returns an upper bound of the product of a row with the question.
    fn ceiling(&self, row: u32) -> f64 {
        f64::from(self.bounds.ceilings()[row as usize])
    }

    /// Returns the row and the index of the chunk's window with the highest ceiling; `None` if windows are not used.
    fn nearest(&self, chunk: Chunk<'_>) -> Option<(u32, u32)> {
        let windows = chunk.windows.iter().copied().zip(0..);
        windows.max_by(|a, b| self.ceiling(a.0).total_cmp(&self.ceiling(b.0)))
    }

    /// Returns a lower bound of a chunk's score, from its window with the highest ceiling.
    fn floor(&self, chunk: Chunk<'_>, nearest: Option<(u32, u32)>) -> f64 {
        let floor = |row: u32| f64::from(self.bounds.floor(row));
        score(floor(chunk.whole), nearest.map(|(row, _)| floor(row)))
    }

    /// Returns the product of the chunk's window with the highest ceiling, and an upper bound of the chunk's score from
    /// that product.
    fn ceiling_by(&self, chunk: Chunk<'_>, (row, nearest): (u32, u32)) -> (f64, f64) {
        let product = f64::from(self.bounds.product(row));
        let windows = chunk.windows.iter().zip(0..);
        let others = windows.filter(|(_, at)| *at != nearest);
        let others = others.map(|(row, _)| self.ceiling(*row));
        let ceiling = score(
            self.ceiling(chunk.whole),
            Some(others.fold(product, f64::max)),
        );
        (product, ceiling)
    }

    /// Returns a lower bound of a chunk's score, from the product of one of its windows.
    fn floor_by(&self, chunk: Chunk<'_>, product: f64) -> f64 {
        let whole = self.bounds.floor(chunk.whole);
        score(f64::from(whole), Some(product))
    }

    /// Returns the chunk at a place.
    fn chunk(&self, place: u32) -> Chunk<'_> {
        Chunk {
            place,
            whole: self.rows.whole(place),
            windows: self.used(self.rows.windows(place)),
        }
    }

    /// Returns a chunk's windows, or none if the unit is the whole chunk.
    fn used<'r>(&self, windows: &'r [u32]) -> &'r [u32] {
        match self.unit {
            VectorUnit::Windows => windows,
            VectorUnit::Chunk => &[],
        }
    }
}

/// Returns how many of `n` values each thread computes.
fn part_of_values(n: usize) -> usize {
    // The products of a chunk take as long as the bounds of this many codes.
    const LOOKS: usize = 50;
    part_len(LOOKS * n).div_ceil(LOOKS)
}

/// Cuts ranges into parts of `len` places each; the last part may have fewer.
fn cut(ranges: &[Range<u32>], len: usize) -> Vec<Vec<Range<u32>>> {
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    let mut room = 0;
    for range in ranges {
        let mut first = range.start;
        while first < range.end {
            if room == 0 {
                parts.push(Vec::new());
                room = len as u32;
            }
            let n = room.min(range.end - first);
            if let Some(part) = parts.last_mut() {
                part.push(first..first + n);
            }
            (first, room) = (first + n, room - n);
        }
    }
    parts
}

/// Computes a chunk's score: its best window counts two thirds, if windows are used.
fn score(whole: f64, window: Option<f64>) -> f64 {
    window.map_or(whole, |window| (2.0 * window + whole) / 3.0)
}

/// Returns the `n` chunks with the highest ceilings, in any order; `n` is at least 1.
fn nearest(n: usize, chunks: impl Iterator<Item = (f64, u32)>) -> Vec<(f64, u32)> {
    let mut nearest = Vec::new();
    let mut farthest = None;
    chunks.for_each(|chunk| {
        if farthest.is_some_and(|farthest| by_ceiling(&chunk, &farthest).is_gt()) {
            return;
        }
        nearest.push(chunk);
        // Collects twice as many as needed, so that most chunks are rejected by a single comparison.
        if nearest.len() == 2 * n {
            farthest = keep_nearest(n, &mut nearest);
        }
    });
    keep_nearest(n, &mut nearest);
    nearest
}

/// Drops all but the `n` chunks with the highest ceilings. Returns the last of them if any were dropped. `n` is at
/// least 1.
fn keep_nearest(n: usize, chunks: &mut Vec<(f64, u32)>) -> Option<(f64, u32)> {
    if chunks.len() <= n {
        return None;
    }
    let (_, farthest, _) = chunks.select_nth_unstable_by(n - 1, by_ceiling);
    let farthest = *farthest;
    chunks.truncate(n);
    Some(farthest)
}

/// Orders by score, the highest first; ties by place.
fn best_first(a: (f64, u32), b: (f64, u32)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

fn by_ceiling(a: &(f64, u32), b: &(f64, u32)) -> Ordering {
    best_first(*a, *b)
}

fn by_value(a: &(u32, VectorValue), b: &(u32, VectorValue)) -> Ordering {
    best_first((a.1.score, a.0), (b.1.score, b.0))
}

/// Returns the lowest score found; infinity if empty.
fn lowest(found: &[(u32, VectorValue)]) -> f64 {
    let scores = found.iter().map(|(_, value)| value.score);
    scores.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use memlens_index::VectorWriter;
    use proptest::prelude::*;

    use super::super::rows::BlockRows;
    use super::*;

    const DIM: usize = 96;

    fn unit(numbers: &[f32]) -> Vec<f32> {
        let length = numbers
            .iter()
            .map(|number| number * number)
            .sum::<f32>()
            .sqrt();
        numbers.iter().map(|number| number / length).collect()
    }

    /// A pseudo-random number in `[-1, 1)`.
    fn noise(seed: u64) -> f32 {
        let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// A vector of a neighbourhood. Some share a position, so that values tie.
    fn vector(seed: u64, near: u64) -> Vec<f32> {
        let number =
            |at: u64| noise(near * 1000 + at) + 0.5 * noise(1_000_000 + seed / 2 * 1000 + at);
        unit(&(0..DIM as u64).map(number).collect::<Vec<_>>())
    }

    /// Compares the result with that of visiting every chunk.
    struct Case {
        /// The number of windows of each chunk.
        n_windows: Vec<u32>,
        near: u64,
        seed: u64,
        n: usize,
        part: Range<u32>,
        unit: VectorUnit,
        n_late: u64,
    }

    impl Case {
        fn check(self) {
            let Case {
                n_windows,
                near,
                seed,
                n,
                part,
                unit,
                n_late,
            } = self;
            let n_rows = n_windows.iter().map(|n| u64::from(*n) + 1).sum::<u64>();
            let scratch = tempfile::tempdir().expect("a scratch folder can be made");
            let path = scratch.path().join("flat");
            let mut writer =
                VectorWriter::create(&path, "model", DIM).expect("a list can be started");
            for row in 0..n_rows {
                let vector = vector(seed * 10_000 + row, (seed + row / 3) % near);
                writer
                    .append(row as i64, &vector)
                    .expect("a unit vector can be appended");
            }
            writer.commit(1).expect("it can be committed");
            // Rows without a code must give the same result.
            let codes = scratch.path().join("flat.1.codes");
            let bytes = std::fs::read(&codes).expect("codes are beside it");
            let n_kept = bytes.len() - bytes.len().min(n_late as usize * 60);
            std::fs::write(&codes, &bytes[..n_kept]).expect("they can be written");
            let vectors = VectorFile::open(&path).expect("the list is sound");
            assert_eq!(vectors.n_coded() == vectors.n_rows(), n_late == 0);

            // Blocks of every size, including empty ones.
            let mut next = 0;
            let mut rest = n_windows.as_slice();
            let mut blocks = Vec::new();
            while !rest.is_empty() {
                let n = (blocks.len() * blocks.len() * 7 % 190).min(rest.len());
                let (of_block, behind) = rest.split_at(n);
                rest = behind;
                let mut rows = BlockRows::for_chunks(n, 0);
                for n in of_block {
                    rows.push(next, &(next + 1..=next + n).collect::<Vec<_>>());
                    next += n + 1;
                }
                blocks.push(Arc::new(rows));
            }
            let rows = Rows::of(blocks);
            let n_chunks = n_windows.len() as u32;
            let (from, to) = (part.start.min(n_chunks), part.end.min(n_chunks));
            let scope: Vec<_> = std::iter::once(from.min(to)..from.max(to)).collect();
            let by_windows = unit == VectorUnit::Windows;
            let question = vector(seed, seed % near);
            let scores =
                VectorScores::new(&vectors, &rows, unit, &scope, &question).expect("it fits");

            let dots = vectors.dots(&question).expect("it fits");
            let dot = |row: u32| f64::from(dots[row as usize]);
            let value = |place: u32| {
                let whole = dot(rows.whole(place));
                let windows = if by_windows { rows.windows(place) } else { &[] };
                let window = windows
                    .iter()
                    .zip(0..)
                    .map(|(row, at)| (dot(*row), at))
                    .reduce(|best, next| if next.0 > best.0 { next } else { best });
                let score = window.map_or(whole, |(window, _)| (2.0 * window + whole) / 3.0);
                VectorValue {
                    score,
                    whole,
                    window,
                }
            };
            for place in scope[0].clone() {
                assert_eq!(scores.value(place), value(place));
            }
            let mut expected: Vec<(u32, VectorValue)> = scope[0]
                .clone()
                .map(|place| (place, value(place)))
                .collect();
            expected.sort_by(by_value);
            // Unsorted, and one of them twice.
            let mut wanted: Vec<(u32, (u32, f64))> = (1..)
                .zip(&expected)
                .step_by(3)
                .map(|(rank, (place, value))| (rank, (*place, value.score)))
                .collect();
            wanted.sort_unstable_by_key(|(_, (place, _))| *place);
            wanted.extend(wanted.first().copied());
            let (ranks, wanted): (Vec<u32>, Vec<(u32, f64)>) = wanted.into_iter().unzip();
            assert_eq!(scores.ranks(&wanted), ranks);
            expected.truncate(n);
            assert_eq!(scores.best(n), expected);
        }
    }

    /// Enough chunks for several threads.
    #[test]
    fn the_best_of_many_are_those_of_a_look_at_every_chunk() {
        Case {
            n_windows: (0..21_000).map(|at| [0, 2, 1, 0, 0][at % 5]).collect(),
            near: 900,
            seed: 7,
            n: 300,
            part: 100..20_800,
            unit: VectorUnit::Windows,
            n_late: 0,
        }
        .check();
    }

    #[test]
    fn parts_are_all_places_in_order() {
        let ranges = [3..10, 12..13, 20..44];
        let places: Vec<u32> = ranges.iter().cloned().flatten().collect();
        for len in 1..40 {
            let parts = cut(&ranges, len);
            assert_eq!(parts.len(), places.len().div_ceil(len));
            let n_places = parts
                .iter()
                .map(|part| part.iter().map(ExactSizeIterator::len).sum::<usize>());
            assert!(n_places.take(parts.len() - 1).all(|n| n == len));
            assert!(
                parts
                    .into_iter()
                    .flatten()
                    .flatten()
                    .eq(places.iter().copied())
            );
        }
        assert_eq!(cut(&[], 5), [[]; 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn the_best_are_those_of_a_look_at_every_chunk(
            n_windows in prop::collection::vec(0_u32..4, 1..600),
            near in 1_u64..40,
            seed in 0_u64..1000,
            n in 0_usize..80,
            (start, end) in (0_u32..600, 0_u32..600),
            by_windows: bool,
            n_late in 0_u64..200,
        ) {
            let unit = if by_windows { VectorUnit::Windows } else { VectorUnit::Chunk };
            Case { n_windows, near, seed, n, part: start..end, unit, n_late }.check();
        }
    }
}
