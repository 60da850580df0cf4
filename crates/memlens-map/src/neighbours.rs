//! The layout by neighbours, by t-SNE of the crate bhtsne: repulsion by a Barnes-Hut tree, beginning with the principal components
//! instead of random places. It runs on one thread of low priority, so that sums have one order and the same library gives
//! the same layout.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use bhtsne::{Neighbor, tSNE};
use memlens_library::jobs::JobRun;
use memlens_library::{EngineError, Library};
use memlens_retrieve::Lists;
use memlens_wire::{LayoutProgress, LayoutStep};

use crate::components::{Places, scale};
use crate::nearest::{Near, nearest};
use crate::placing::{Placed, place};
use crate::points::evenly;

/// Fewer points have no neighbourhoods to show.
pub(crate) const POINTS_MIN: usize = 10;
/// Number of points that are laid out at most, at equal distances in the order of folder, path and line; the others are placed by
/// these. The nearest neighbours cost the square of it.
pub(crate) const LAID_OUT_MAX: usize = 10_000;
/// About how many neighbours each point is held to.
const PERPLEXITY_MAX: usize = 15;
/// Neighbours that are looked for, for one of the perplexity.
const FOR_ONE: usize = 3;
/// Number of rounds; in the first half, groups are pulled together first.
const ROUNDS: usize = 500;
const ROUNDS_TOGETHER: usize = 250;
/// How coarse groups of far points are: the usual value.
const THETA: f32 = 0.5;
/// How far the places are spread at first, as a standard deviation: so little that neighbours decide where each point goes.
const SPREAD_AT_FIRST: f64 = 1e-4;

/// A layout of all points.
pub(crate) struct Layout {
    /// The place of each point.
    pub places: Vec<[f32; 2]>,
    /// Number of points that were laid out, with the others placed by these; `None` if all were.
    pub sampled: Option<u32>,
}

/// What a stopped run unwinds with.
struct Stopped;

/// Computes the layout. `None` if the run is stopped.
///
/// # Errors
/// [`EngineError::Retrieve`] if the list of vectors is damaged; [`EngineError::System`] if no thread can be started.
pub(crate) fn compute(
    library: &Library,
    lists: &Lists,
    first: &Places,
    run: &JobRun<'_, LayoutProgress>,
) -> Result<Option<Layout>, EngineError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .thread_name(|_| "memlens-layout".to_owned())
        .start_handler(|_| memlens_embed::lower_priority())
        .build()
        .map_err(|error| EngineError::System {
            attempt: "start the thread that lays out the map",
            why: error.to_string(),
        })?;
    pool.install(|| compute_here(library, lists, first, run))
}

fn compute_here(
    library: &Library,
    lists: &Lists,
    first: &Places,
    run: &JobRun<'_, LayoutProgress>,
) -> Result<Option<Layout>, EngineError> {
    let points = &first.points;
    let goes_on = |step: LayoutStep, n_done: usize, n_all: usize| {
        library.note_vectors_read();
        run.report(LayoutProgress {
            step,
            n_done: n_done as u32,
            n_all: n_all as u32,
        });
        !run.is_stopped()
    };
    let laid_out = evenly(points.len(), LAID_OUT_MAX);
    let perplexity = PERPLEXITY_MAX.min((laid_out.len() - 1) / FOR_ONE);
    let near = nearest(
        lists,
        points,
        &laid_out,
        &laid_out,
        FOR_ONE * perplexity,
        |n_done| goes_on(LayoutStep::Neighbours, n_done, laid_out.len()),
    )?;
    let Some(near) = near else {
        return Ok(None);
    };
    let starts: Vec<[f32; 2]> = laid_out
        .iter()
        .map(|at| first.places[*at as usize])
        .collect();
    let places = rounds(&near, perplexity, &starts, |n_done| {
        goes_on(LayoutStep::Rounds, n_done, ROUNDS)
    });
    let Some(mut places) = places else {
        return Ok(None);
    };
    // Vectors that are all equal give none, and the picture of components shows all that is known of them.
    if places.iter().flatten().any(|at| !at.is_finite()) {
        places = starts;
    }
    scale(&mut places);
    let others = others(points.len(), &laid_out);
    let placed = Placed {
        points: &laid_out,
        places: &places,
    };
    let of_others = place(lists, points, &others, &placed, |n_done| {
        goes_on(LayoutStep::Placing, n_done, others.len())
    })?;
    let Some(of_others) = of_others else {
        return Ok(None);
    };
    let mut all = vec![[0.0; 2]; points.len()];
    let known = laid_out
        .iter()
        .zip(&places)
        .chain(others.iter().zip(&of_others));
    for (point, place) in known {
        all[*point as usize] = *place;
    }
    Ok(Some(Layout {
        places: all,
        sampled: (!others.is_empty()).then_some(laid_out.len() as u32),
    }))
}

/// The numbers below `n` that are not among others, which are ascending.
pub(crate) fn others(n: usize, among: &[u32]) -> Vec<u32> {
    (0..n as u32)
        .filter(|at| among.binary_search(at).is_err())
        .collect()
}

/// Moves points towards their neighbours, from their first places on. `None` if `goes_on` returned false.
fn rounds(
    near: &[Vec<Near>],
    perplexity: usize,
    starts: &[[f32; 2]],
    mut goes_on: impl FnMut(usize) -> bool,
) -> Option<Vec<[f32; 2]>> {
    let neighbours: Vec<Vec<Neighbor<f32>>> = near
        .iter()
        .map(|near| near.iter().map(neighbour).collect())
        .collect();
    let samples = vec![(); near.len()];
    let laid_out = catch_unwind(AssertUnwindSafe(|| {
        let mut layout: tSNE<'_, f32, (), 2> = tSNE::new(&samples);
        layout
            .perplexity(perplexity as f32)
            .epochs(ROUNDS)
            .stop_lying_epoch(ROUNDS_TOGETHER)
            .momentum_switch_epoch(ROUNDS_TOGETHER)
            .initial_embedding(spread(starts))
            .epoch_callback(|round, _| {
                if !goes_on(round + 1) {
                    // The crate has no other way to end early. It is not reported as a panic.
                    resume_unwind(Box::new(Stopped));
                }
            })
            .barnes_hut_with_neighbors(THETA, &neighbours);
        layout.embedding()
    }));
    match laid_out {
        Ok(flat) => Some(flat.chunks_exact(2).map(|at| [at[0], at[1]]).collect()),
        Err(why) if why.is::<Stopped>() => None,
        Err(panic) => resume_unwind(panic),
    }
}

/// The distance of two unit vectors.
fn neighbour(near: &Near) -> Neighbor<f32> {
    Neighbor {
        index: near.at as usize,
        distance: (2.0 - 2.0 * near.cosine).max(0.0).sqrt(),
    }
}

/// The first places as t-SNE takes them: one number after the other, close together.
fn spread(starts: &[[f32; 2]]) -> Vec<f32> {
    let mean = [0, 1].map(|axis| {
        let along = starts.iter().map(|start| f64::from(start[axis]));
        along.sum::<f64>() / starts.len().max(1) as f64
    });
    let from_mean = || {
        let each = starts.iter();
        each.map(|start| [0, 1].map(|axis| f64::from(start[axis]) - mean[axis]))
    };
    let squares: f64 = from_mean().map(|at| at[0] * at[0]).sum();
    let deviation = (squares / starts.len().max(1) as f64).sqrt();
    let factor = match deviation > 0.0 {
        true => SPREAD_AT_FIRST / deviation,
        false => 0.0,
    };
    let places = from_mean().flat_map(|at| at.map(|along| (along * factor) as f32));
    places.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The nearest of some points on a circle, by their angles.
    fn neighbours_of(angles: &[f32], n: usize) -> Vec<Vec<Near>> {
        let near = |at: usize| {
            let others = (0..angles.len()).filter(|other| *other != at);
            let others = others.map(|other| Near {
                cosine: (angles[at] - angles[other]).cos(),
                at: other as u32,
            });
            let mut others: Vec<Near> = others.collect();
            others.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.at.cmp(&b.at)));
            others.truncate(n);
            others
        };
        (0..angles.len()).map(near).collect()
    }

    fn lay_out(angles: &[f32]) -> Vec<[f32; 2]> {
        let perplexity = PERPLEXITY_MAX.min((angles.len() - 1) / FOR_ONE);
        let near = neighbours_of(angles, FOR_ONE * perplexity);
        let starts: Vec<[f32; 2]> = angles.iter().map(|at| [at.cos(), at.sin()]).collect();
        rounds(&near, perplexity, &starts, |_| true).expect("it is not stopped")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4))]

        /// Also if several or all points are equal.
        #[test]
        fn places_are_finite_and_the_same_each_time(
            angles in prop::collection::vec((0_u8..8).prop_map(|at| f32::from(at) / 2.0), POINTS_MIN..30),
        ) {
            let places = lay_out(&angles);
            prop_assert_eq!(places.len(), angles.len());
            prop_assert!(places.iter().flatten().all(|at| at.is_finite()));
            prop_assert_eq!(places, lay_out(&angles));
        }
    }

    #[test]
    fn a_stopped_layout_has_no_places() {
        let angles: Vec<f32> = (0..20).map(|at| at as f32 / 5.0).collect();
        let near = neighbours_of(&angles, 18);
        let starts: Vec<[f32; 2]> = angles.iter().map(|at| [at.cos(), at.sin()]).collect();
        let mut asked = Vec::new();
        let stopped = rounds(&near, 6, &starts, |n_done| {
            asked.push(n_done);
            n_done < 3
        });
        assert_eq!(stopped, None);
        assert_eq!(asked, [1, 2, 3]);
    }

    #[test]
    fn others_are_those_that_were_not_laid_out() {
        assert_eq!(others(5, &[0, 3]), [1, 2, 4]);
        assert_eq!(others(2, &[0, 1]), [0_u32; 0]);
    }
}
