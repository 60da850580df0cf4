//! Principal components: the two directions in which the vectors vary most.
//!
//! The components are of at most [`SAMPLE_MAX`] points at equal distances in the order of folder, path and line; all points are
//! projected on them. They are found by orthogonal iteration of the matrix of covariances, which needs nothing but products: the
//! eigensolvers of larger libraries compute all components to return two.

use std::sync::Arc;

use memlens_library::{EngineError, Library};
use memlens_retrieve::Lists;
use ndarray::{Array1, Array2, Axis};

use crate::Maps;
use crate::points::{Points, blocks, evenly};

/// Number of points that the components are computed of at most.
const SAMPLE_MAX: usize = 8_192;
/// Number of vectors that are projected at once.
const BLOCK: usize = 4_096;
/// Maximum number of rounds; the directions are then those of the last round, and the same in each call.
const ROUNDS_MAX: usize = 1_000;
/// A direction that changes less in a round is found.
const SETTLED: f64 = 1e-10;
/// Variance of unit vectors below which they do not vary, but for rounding.
const NO_VARIANCE: f64 = 1e-9;

/// Points in two dimensions, both axes in one scale, the farthest coordinate at a distance of 1.
pub(crate) struct Places {
    pub generation: u64,
    pub points: Points,
    /// The place of each point.
    pub places: Vec<[f32; 2]>,
    /// Share of the variance along each axis; zeros if the vectors do not vary.
    pub variance: [f64; 2],
    /// Number of points that the components are computed of; `None` if of all.
    pub sampled: Option<u32>,
}

/// The places by principal components; those computed last if the library is still as it was.
///
/// # Errors
/// [`EngineError::Retrieve`] if the list of vectors is damaged.
pub(crate) fn places(library: &Library, lists: &Lists) -> Result<Arc<Places>, EngineError> {
    let state = library.feature::<Maps>();
    // Others that ask meanwhile wait for the same result.
    let mut known = state.components.lock();
    let generation = lists.snapshot.generation;
    if let Some(places) = known.as_ref().filter(|it| it.generation == generation) {
        return Ok(places.clone());
    }
    let places = Arc::new(Places::new(lists)?);
    library.note_vectors_read();
    *known = Some(places.clone());
    Ok(places)
}

impl Places {
    fn new(lists: &Lists) -> Result<Places, EngineError> {
        let points = Points::new(lists);
        let sample = evenly(points.len(), SAMPLE_MAX);
        let components = Components::new(points.vectors(lists, &sample)?);
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let mut places = Vec::with_capacity(all.len());
        for (_, block) in blocks(&all, BLOCK) {
            components.project(&points.vectors(lists, block)?, &mut places);
        }
        scale(&mut places);
        Ok(Places {
            generation: lists.snapshot.generation,
            sampled: (sample.len() < points.len()).then_some(sample.len() as u32),
            variance: components.shares,
            points,
            places,
        })
    }
}

struct Components {
    mean: Array1<f32>,
    /// One direction a column.
    axes: Array2<f32>,
    /// Share of the variance along each.
    shares: [f64; 2],
}

impl Components {
    /// The components of some vectors, one a row.
    fn new(mut vectors: Array2<f32>) -> Components {
        let dim = vectors.ncols();
        let mean = vectors
            .mean_axis(Axis(0))
            .unwrap_or_else(|| Array1::zeros(dim));
        vectors -= &mean;
        let n = vectors.nrows().max(1) as f32;
        let covariance = (vectors.t().dot(&vectors) / n).mapv(f64::from);
        let total = covariance.diag().sum();
        let mut components = Components {
            mean,
            axes: Array2::zeros((dim, 2)),
            shares: [0.0; 2],
        };
        if total <= NO_VARIANCE || !total.is_finite() {
            return components;
        }
        let axes = directions(&covariance);
        for (at, axis) in axes.into_iter().enumerate() {
            let variance = axis.dot(&covariance.dot(&axis));
            if variance > NO_VARIANCE {
                components.shares[at] = (variance / total).clamp(0.0, 1.0);
                components
                    .axes
                    .column_mut(at)
                    .assign(&axis.mapv(|x| x as f32));
            }
        }
        components
    }

    fn project(&self, vectors: &Array2<f32>, places: &mut Vec<[f32; 2]>) {
        let offset = self.mean.dot(&self.axes);
        let projected = vectors.dot(&self.axes) - offset;
        places.extend(projected.outer_iter().map(|row| [row[0], row[1]]));
    }
}

/// The two directions of most variance, with their signs fixed: the greatest entry is positive.
fn directions(covariance: &Array2<f64>) -> [Array1<f64>; 2] {
    let dim = covariance.nrows();
    let mut first = start(dim, 1.0);
    let mut second = start(dim, 2.0);
    for _ in 0..ROUNDS_MAX {
        let next_first = unit(covariance.dot(&first));
        let next = covariance.dot(&second);
        let next_second = unit(&next - &next_first * next_first.dot(&next));
        let change = distance(&next_first, &first).max(distance(&next_second, &second));
        (first, second) = (next_first, next_second);
        if change < SETTLED {
            break;
        }
    }
    // The last product may have turned the second towards the first.
    let along = first.dot(&second);
    let second = unit(&second - &first * along);
    [with_sign(first), with_sign(second)]
}

/// A direction that is not at a right angle to those of any usual matrix.
fn start(dim: usize, step: f64) -> Array1<f64> {
    unit(Array1::from_shape_fn(dim, |at| {
        1.0 + (step * (at as f64 + 1.0)).sin()
    }))
}

/// The same direction in unit length; zeros stay.
fn unit(vector: Array1<f64>) -> Array1<f64> {
    let length = vector.dot(&vector).sqrt();
    match length > 0.0 {
        true => vector / length,
        false => vector,
    }
}

fn distance(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let between = a - b;
    between.dot(&between).sqrt()
}

fn with_sign(axis: Array1<f64>) -> Array1<f64> {
    let greatest = axis.iter().copied().fold(0.0, |greatest: f64, entry| {
        match entry.abs() > greatest.abs() {
            true => entry,
            false => greatest,
        }
    });
    if greatest < 0.0 { -axis } else { axis }
}

/// Moves the centre of all places to 0, and scales both axes alike so that the farthest coordinate is 1. Places that are all equal
/// come to 0.
pub(crate) fn scale(places: &mut [[f32; 2]]) {
    for axis in 0..2 {
        let each = || places.iter().map(|place| place[axis]);
        let least = each().fold(f32::INFINITY, f32::min);
        let most = each().fold(f32::NEG_INFINITY, f32::max);
        let middle = least / 2.0 + most / 2.0;
        for place in places.iter_mut() {
            place[axis] -= middle;
        }
    }
    let farthest = places
        .iter()
        .flatten()
        .fold(0.0, |far: f32, at| far.max(at.abs()));
    for at in places.iter_mut().flatten() {
        *at = match farthest > 0.0 {
            true => (*at / farthest).clamp(-1.0, 1.0),
            false => 0.0,
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn places_of(vectors: &Array2<f32>) -> (Components, Vec<[f32; 2]>) {
        let components = Components::new(vectors.clone());
        let mut places = Vec::new();
        components.project(vectors, &mut places);
        (components, places)
    }

    /// Vectors along three directions of falling variance, with different numbers of each.
    fn along_axes() -> Array2<f32> {
        Array2::from_shape_fn((60, 8), |(row, column)| {
            let along = (row as f32 / 60.0 * std::f32::consts::TAU * (column + 1) as f32).sin();
            match column {
                2 => -3.0 * along,
                5 => 2.0 * along,
                7 => along,
                _ => 0.0,
            }
        })
    }

    #[test]
    fn the_components_are_the_directions_of_most_variance() {
        let (components, places) = places_of(&along_axes());
        for (axis, column, share) in [(0, 2, 9.0 / 14.0), (1, 5, 4.0 / 14.0)] {
            assert!(
                (components.shares[axis] - share).abs() < 1e-4,
                "{:?}",
                components.shares
            );
            // The sign is that of the greatest entry.
            assert!((components.axes[(column, axis)] - 1.0).abs() < 1e-4);
            for (row, place) in along_axes().outer_iter().zip(&places) {
                assert!((place[axis] - row[column]).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn a_direction_without_variance_is_not_shown() {
        let line =
            Array2::from_shape_fn((7, 4), |(row, column)| [0.0, row as f32, 0.0, 1.0][column]);
        let (components, places) = places_of(&line);
        assert!((components.shares[0] - 1.0).abs() < 1e-6);
        assert_eq!(components.shares[1], 0.0);
        assert!(places.iter().all(|place| place[1] == 0.0));
        let equal = Array2::from_elem((5, 4), 0.3);
        assert_eq!(places_of(&equal).0.shares, [0.0; 2]);
        assert_eq!(places_of(&Array2::zeros((0, 4))).0.shares, [0.0; 2]);
    }

    proptest! {
        #[test]
        fn places_are_finite_and_within_the_picture(
            vectors in prop::collection::vec(prop::collection::vec(-1.0_f32..1.0, 6), 0..40),
            n_equal in 0_usize..5,
        ) {
            let mut vectors = vectors;
            let first = vectors.first().cloned();
            vectors.extend(first.into_iter().cycle().take(n_equal));
            let flat: Vec<f32> = vectors.concat();
            let matrix = Array2::from_shape_vec((vectors.len(), 6), flat).expect("it fits");
            let (components, mut places) = places_of(&matrix);
            prop_assert!(components.shares[0] >= components.shares[1]);
            scale(&mut places);
            let all: Vec<f32> = places.concat();
            prop_assert!(all.iter().all(|at| at.is_finite() && at.abs() <= 1.0));
            if components.shares[0] > 0.0 {
                prop_assert!(all.iter().any(|at| at.abs() == 1.0));
            }
        }
    }
}
