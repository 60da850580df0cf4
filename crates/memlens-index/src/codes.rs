//! Vectors as 4 bits per dimension, with an upper bound of their dot products.
//!
//! A scan of vectors is bound by memory, and a code takes an eighth of its vector. From the codes alone each vector
//! gets a ceiling that its dot product with the question does not exceed. A search for the best vectors computes exact
//! products only for those whose ceilings are high enough.
//!
//! A vector `x` is rotated, and each number rounded to one of 16 evenly spaced levels: `y = scale * (code - 7.5)`. The
//! scale is the one that leaves a remainder `r = x - y` orthogonal to `x`, as in `RaBitQ` (Gao and Long, SIGMOD 2024).
//! The rotated question `q` is rounded to integers as well, with an error `e` orthogonal to `q`. Then `xq = y(q - e) +
//! rq + xe - re`, of which the codes give the first term. The others are bounded:
//!
//! - `|re| <= |r| |e|` (Cauchy and Schwarz), always.
//! - `rq` and `xe`: at most `|r| |q|` and `|x| |e|`, likewise. In many dimensions that bound is useless, and the random
//!   rotation gives a better one. It maps the part of `q` that is orthogonal to `x` to every direction with equal
//!   probability, so that `rq` is `|r| |q|` times at most one coordinate of a random point on a sphere of `dim - 1`
//!   dimensions, with standard deviation `1 / sqrt(dim - 1)`; `xe` likewise. The bound is [`DEVIATIONS`] of these if
//!   that is less.
//!
//! So from 38 dimensions on a ceiling may fail, with a probability of 1e-9 for each vector; a chunk is only missed if
//! it is also among the best. The best 1,000 chunks have about 5,000 vectors, so one search in 200,000 may miss the
//! last of them by a tiny margin. This assumes vectors that are not chosen against the rotation, which is fixed so that
//! codes can be stored.

use std::iter::zip;

mod kernels;

/// A rotation of `dim` dimensions, after which a vector's numbers are distributed like a normal distribution.
///
/// Each round flips signs by a fixed random choice, then mixes the first or the last 2^k numbers, alternately, by a
/// Walsh-Hadamard transform; 2^k is the greatest power of two within `dim`. Each step preserves lengths and angles.
#[derive(Debug)]
pub(crate) struct Rotation {
    /// For each round, the sign of each number, 1 or -1.
    signs: Vec<f32>,
    dim: usize,
}

/// Number of rounds of a rotation. With an odd dimension, two rounds hardly mix one of the numbers.
const ROUNDS: usize = 4;

/// Bound of an error in standard deviations: one in 1e-9 is greater on one side.
const DEVIATIONS: f64 = 6.0;

/// The distance of two levels, in standard deviations of a vector's numbers. It minimises the squared remainder for 16
/// levels of a normal distribution (Max 1960, table 2): 0.0115 of the vector.
const STEP: f64 = 0.3352;

/// The middle of the levels 0 to 15.
const MIDDLE: f32 = 7.5;

/// The greatest length of a row; see `VectorWriter::append`.
const LENGTH_MAX: f64 = 1.001;

/// Number of bytes compared in one step; a code is padded to whole blocks.
const BLOCK: usize = 32;

/// Number of bytes after the levels: scale and length of the remainder.
const TAIL: usize = 2 * size_of::<f32>();

impl Rotation {
    pub(crate) fn new(dim: usize) -> Self {
        // SplitMix64; any fixed choice would do.
        let sign = |at: usize| {
            let mut z = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            if z >> 63 == 0 { 1.0 } else { -1.0 }
        };
        let signs = (0..ROUNDS * dim).map(sign).collect();
        Self { signs, dim }
    }

    fn apply(&self, vector: &[f32]) -> Vec<f32> {
        let mut numbers = vector.to_vec();
        let mixed = 1 << self.dim.ilog2();
        for (round, signs) in self.signs.chunks_exact(self.dim).enumerate() {
            for (number, sign) in zip(&mut numbers, signs) {
                *number *= sign;
            }
            let first = if round % 2 == 0 { 0 } else { self.dim - mixed };
            mix(&mut numbers[first..first + mixed]);
        }
        numbers
    }

    /// Returns the number of bytes of one code.
    pub(crate) fn code_bytes(&self) -> usize {
        level_bytes(self.dim) + TAIL
    }

    /// Appends the code of a vector of about unit length: its levels, then scale and length of the remainder.
    ///
    /// Levels are stored in blocks of [`BLOCK`] bytes: number `64 b + i` in the low half of byte `i` of block `b`,
    /// number `64 b + 32 + i` in the high half. Levels beyond the last number are 0.
    pub(crate) fn push_code(&self, vector: &[f32], codes: &mut Vec<u8>) {
        let numbers = self.apply(vector);
        let squared = dot64(&numbers, &numbers);
        let per_step = (self.dim as f64 / squared).sqrt() / STEP;
        let first = codes.len();
        codes.resize(first + level_bytes(self.dim), 0);
        let levels: Vec<f64> = numbers
            .iter()
            .map(|number| {
                let level = f64::from(*number) * per_step + f64::from(MIDDLE);
                level.round().clamp(0.0, 15.0)
            })
            .collect();
        let mut along = 0.0;
        for (at, (number, level)) in zip(&numbers, &levels).enumerate() {
            let shift = if at % (2 * BLOCK) < BLOCK { 0 } else { 4 };
            codes[first + at / (2 * BLOCK) * BLOCK + at % BLOCK] |= (*level as u8) << shift;
            along += f64::from(*number) * (level - f64::from(MIDDLE));
        }
        // Each level has its number's sign, so `along` is positive.
        let scale = (squared / along) as f32;
        // Computed with the rounded scale, because rounding could exceed a remainder near 0.
        let remainder: f64 = zip(&numbers, &levels)
            .map(|(number, level)| {
                (f64::from(*number) - f64::from(scale) * (level - f64::from(MIDDLE))).powi(2)
            })
            .sum();
        codes.extend(scale.to_le_bytes());
        codes.extend((remainder.sqrt() as f32).to_le_bytes());
    }
}

/// Mixes a power of two of numbers by a Walsh-Hadamard transform that preserves lengths.
fn mix(numbers: &mut [f32]) {
    let mut half = 1;
    while half < numbers.len() {
        for pair in numbers.chunks_exact_mut(2 * half) {
            let (a, b) = pair.split_at_mut(half);
            for (a, b) in zip(a, b) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
    let factor = 1.0 / (numbers.len() as f32).sqrt();
    for number in numbers {
        *number *= factor;
    }
}

/// Returns the number of bytes of a code's levels.
fn level_bytes(dim: usize) -> usize {
    dim.div_ceil(2 * BLOCK) * BLOCK
}

fn dot64(a: &[f32], b: &[f32]) -> f64 {
    zip(a, b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// A question, rounded so that it can be compared with codes.
pub(crate) struct Question {
    /// Integers of at most 127, in the order of a code's halves: 32 for the low ones of a block, 32 for the high ones.
    numbers: Vec<i8>,
    /// The value of one unit of `numbers`.
    step: f32,
    /// The contribution of the middle of the levels to each sum of products.
    middle: f32,
    /// How much a ceiling rises with the length of a remainder.
    per_remainder: f32,
    /// A constant that is added to every ceiling.
    slack: f32,
}

impl Question {
    /// Prepares a question for codes of `rotation`; `None` if its length is far from 1, because its numbers could
    /// overflow.
    pub(crate) fn new(rotation: &Rotation, question: &[f32]) -> Option<Self> {
        let rotated = rotation.apply(question);
        let squared = dot64(&rotated, &rotated);
        if !(0.25..=4.0).contains(&squared) {
            return None;
        }
        let greatest = rotated
            .iter()
            .fold(0.0_f32, |most, number| most.max(number.abs()));
        let mut numbers = vec![0_i8; 2 * level_bytes(rotation.dim)];
        for (number, rounded) in zip(&rotated, &mut numbers) {
            *rounded = (number / greatest * 127.0).round() as i8;
        }
        let along: f64 = zip(&rotated, &numbers)
            .map(|(number, rounded)| f64::from(*number) * f64::from(*rounded))
            .sum();
        let step = (squared / along) as f32;
        let error = zip(&rotated, &numbers)
            .map(|(number, rounded)| {
                (f64::from(*number) - f64::from(step) * f64::from(*rounded)).powi(2)
            })
            .sum::<f64>()
            .sqrt();
        let length = squared.sqrt();
        let share = (DEVIATIONS / (rotation.dim as f64 - 1.0).sqrt()).min(1.0);
        // Covers sums of `dim` products in 16 lanes, the rotation's additions, and the few steps of a ceiling.
        let rounding = (rotation.dim as f64 / 16.0 + 64.0) * 2.0 * f64::from(f32::EPSILON);
        Some(Self {
            middle: MIDDLE * numbers.iter().map(|number| i32::from(*number)).sum::<i32>() as f32,
            numbers,
            step,
            per_remainder: (share * length + error) as f32,
            slack: (share * error * LENGTH_MAX + rounding * length) as f32,
        })
    }

    /// Writes the ceiling of each code: an upper bound of the dot product of its vector with the question.
    ///
    /// The same on every machine, bit for bit.
    pub(crate) fn write_ceilings(&self, codes: &[u8], ceilings: &mut [f32]) {
        kernels::write_ceilings(self, codes, ceilings);
    }

    /// Returns the levels of each code, and the bytes after them.
    #[inline]
    fn split<'a>(&self, codes: &'a [u8]) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let level_bytes = self.numbers.len() / 2;
        let codes = codes.chunks_exact(level_bytes + TAIL);
        codes.map(move |code| code.split_at(level_bytes))
    }

    /// Returns the ceiling from a sum and the bytes after a code's levels.
    #[inline]
    fn ceiling(&self, sum: i32, tail: &[u8]) -> f32 {
        let (scale, remainder) = tail.split_at(size_of::<f32>());
        let [scale, remainder] = [scale, remainder].map(bytemuck::pod_read_unaligned::<f32>);
        scale * self.step * (sum as f32 - self.middle) + remainder * self.per_remainder + self.slack
    }

    /// Returns the distance of a code's ceiling from an equally certain floor: twice the bound.
    pub(crate) fn spread(&self, code: &[u8]) -> f32 {
        let remainder = &code[self.numbers.len() / 2 + size_of::<f32>()..][..size_of::<f32>()];
        let remainder: f32 = bytemuck::pod_read_unaligned(remainder);
        2.0 * (remainder * self.per_remainder + self.slack)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vector_file::dot;

    fn unit(numbers: &[f32]) -> Vec<f32> {
        let length = dot64(numbers, numbers).sqrt();
        numbers
            .iter()
            .map(|number| (f64::from(*number) / length) as f32)
            .collect()
    }

    /// Vectors of every kind: dense, with one number, of one sign, near each other.
    fn vectors() -> impl Strategy<Value = Vec<Vec<f32>>> {
        let dims = prop_oneof![1_usize..100, Just(384), Just(1000)];
        dims.prop_flat_map(|dim| {
            let dense = prop::collection::vec(-1.0_f32..1.0, dim);
            let positive = prop::collection::vec(0.01_f32..1.0, dim);
            let lone = (0..dim).prop_map(move |at| {
                let mut numbers = vec![0.0; dim];
                numbers[at] = 1.0;
                numbers
            });
            let near = (0..dim).prop_map(move |at| {
                let mut numbers = vec![1.0; dim];
                numbers[at] = 3.0;
                numbers
            });
            let vector = prop_oneof![dense, positive, lone, near, Just(vec![1.0; dim])]
                .prop_filter("a direction", |numbers| dot64(numbers, numbers) > 1e-3)
                .prop_map(|numbers| unit(&numbers));
            prop::collection::vec(vector, 2..12)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn every_product_lies_within_its_bounds(vectors in vectors()) {
            let rotation = Rotation::new(vectors[0].len());
            let mut codes = Vec::new();
            for vector in &vectors {
                rotation.push_code(vector, &mut codes);
            }
            prop_assert_eq!(codes.len(), vectors.len() * rotation.code_bytes());
            for question in &vectors {
                let rounded = Question::new(&rotation, question).expect("it has unit length");
                let mut ceilings = vec![0.0; vectors.len()];
                rounded.write_ceilings(&codes, &mut ceilings);
                let codes = codes.chunks_exact(rotation.code_bytes());
                for ((vector, ceiling), code) in zip(zip(&vectors, &ceilings), codes) {
                    let product = dot(question, vector);
                    prop_assert!(product <= *ceiling, "{} above {}", product, ceiling);
                    let floor = ceiling - rounded.spread(code);
                    prop_assert!(floor <= product, "{} below {}", product, floor);
                }
            }
        }

        #[test]
        fn rotations_keep_products(vectors in vectors()) {
            let rotation = Rotation::new(vectors[0].len());
            let (a, b) = (&vectors[0], &vectors[1]);
            let turned = dot64(&rotation.apply(a), &rotation.apply(b));
            prop_assert!((turned - dot64(a, b)).abs() < 1e-5);
        }
    }

    /// The length of a remainder near 0 must not be computed from the other lengths, which would lose it.
    #[test]
    fn a_vector_that_its_levels_nearly_are_has_a_ceiling_too() {
        let rotation = Rotation::new(2);
        let (a, b) = (vec![0.7069814, 0.7072321], vec![0.0, 1.0]);
        for (vector, question) in [(&a, &b), (&b, &a)] {
            let mut code = Vec::new();
            rotation.push_code(vector, &mut code);
            let question_of = Question::new(&rotation, question).expect("it has unit length");
            let mut ceilings = [0.0];
            question_of.write_ceilings(&code, &mut ceilings);
            let product = dot(question, vector);
            assert!(product <= ceilings[0], "{product} above {}", ceilings[0]);
        }
    }

    /// Ceilings are six deviations above products; if the rotation did not mix, they would be elsewhere.
    #[test]
    fn errors_have_the_deviation_that_ceilings_are_made_of() {
        const DIM: usize = 384;
        let rotation = Rotation::new(DIM);
        let lone = |at: usize, other: usize| {
            let mut numbers = vec![0.0; DIM];
            numbers[at] = 1.0;
            numbers[other] += 0.7;
            unit(&numbers)
        };
        let mut errors = Vec::new();
        for at in 0..DIM {
            let question = Question::new(&rotation, &lone(at, (at + 7) % DIM)).expect("a unit");
            for other in 0..DIM {
                let vector = lone(other, (other * 5 + 1) % DIM);
                let (mut code, mut ceiling) = (Vec::new(), [0.0]);
                rotation.push_code(&vector, &mut code);
                question.write_ceilings(&code, &mut ceiling);
                let remainder: f32 = bytemuck::pod_read_unaligned(&code[DIM / 2 + 4..]);
                let margin = remainder * question.per_remainder + question.slack;
                let product = dot(&lone(at, (at + 7) % DIM), &vector);
                errors.push(f64::from((ceiling[0] - margin - product) / margin) * DEVIATIONS);
            }
        }
        let n = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / n;
        let deviation = (errors.iter().map(|error| error * error).sum::<f64>() / n).sqrt();
        let most = errors
            .iter()
            .fold(0.0_f64, |most, error| most.max(error.abs()));
        println!("mean {mean:.3}, deviation {deviation:.3}, most {most:.2}");
        assert!(mean.abs() < 0.05, "{mean}");
        assert!((0.7..1.05).contains(&deviation), "{deviation}");
        assert!(most < 5.5, "{most}");
    }
}
