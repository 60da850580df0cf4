//! The layout by neighbours of a library: computed by a job, stored, and continued with what was added and removed since.

use std::collections::HashSet;
use std::sync::Arc;

use memlens_library::{EngineError, Library};
use memlens_retrieve::Lists;
use memlens_wire::{NeighbourLayout, NeighbourState};

use crate::Maps;
use crate::components::{self, Places};
use crate::neighbours::{POINTS_MIN, compute};
use crate::placing::{Placed, place};
use crate::points::evenly;
use crate::stored::{Reading, Stored};

/// A layout is old once more than one in this many points was added since.
const OLD_FROM: u32 = 4;
/// A layout with fewer points left, or with more new ones than these, is not used.
const LEFT_MIN: usize = 5;

/// Number of pairs of a new and a placed point that are compared at most while a picture is awaited: about two seconds.
const PAIRS_MAX: usize = 100_000_000;

/// The layout of a library as it is now.
pub(crate) struct Continued {
    /// The place of each point; `None` if there is no layout.
    pub places: Option<Vec<[f32; 2]>>,
    pub state: NeighbourLayout,
    /// Number of points that were laid out, if not all of the first were.
    pub sampled: Option<u32>,
    /// What the user must know about the stored layout.
    pub notice: Option<String>,
}

impl Continued {
    fn without(state: NeighbourState) -> Continued {
        Continued {
            places: None,
            state: NeighbourLayout { state, n_added: 0 },
            sampled: None,
            notice: None,
        }
    }
}

/// Computes the layout by neighbours from the beginning and stores it; for a thread that can wait. Returns false if the job was
/// stopped, which leaves the one before, or if there are too few points.
///
/// # Errors
/// [`EngineError::Retrieve`] if the list of vectors is damaged; [`EngineError::File`] if the layout cannot be stored;
/// [`EngineError::System`] if no thread can be started.
pub fn lay_out(library: &Library) -> Result<bool, EngineError> {
    let run = library.jobs().layout.replace();
    let lists = library.lists();
    let first = components::places(library, &lists)?;
    if !has_neighbours(&first) {
        return Ok(false);
    }
    let Some(layout) = compute(library, &lists, &first, &run)? else {
        return Ok(false);
    };
    let model = lists.vectors.model();
    let stored = Stored::new(model, &first.points.keys, layout.places, layout.sampled);
    let state = library.feature::<Maps>();
    let _turn = state.storing.lock();
    // Who forgets the map stops the job first, and then waits for this turn.
    if run.is_stopped() {
        return Ok(false);
    }
    stored.write(library.dir())?;
    Ok(true)
}

/// Whether a layout by neighbours can show more than the components do.
fn has_neighbours(first: &Places) -> bool {
    first.points.len() >= POINTS_MIN && first.variance[0] > 0.0
}

/// The stored layout, with the points that came since placed by their neighbours, and stored with them.
///
/// # Errors
/// [`EngineError::Retrieve`] if the list of vectors is damaged.
pub(crate) fn continued(
    library: &Library,
    lists: &Lists,
    first: &Arc<Places>,
) -> Result<Continued, EngineError> {
    let state = library.feature::<Maps>();
    let _turn = state.storing.lock();
    let none = match has_neighbours(first) {
        true => NeighbourState::Missing,
        false => NeighbourState::TooFew,
    };
    let mut stored = match Stored::read(library.dir()) {
        Reading::Stored(stored) => stored,
        Reading::Missing => return Ok(Continued::without(none)),
        Reading::Damaged(why) => {
            let notice = format!(
                "The stored layout by neighbours cannot be used ({why}). It has to be computed again."
            );
            return Ok(Continued {
                notice: Some(notice),
                ..Continued::without(none)
            });
        }
    };
    let points = &first.points;
    let present: HashSet<i64> = points.keys.iter().copied().collect();
    let n_before = stored.len();
    stored.retain(|key| present.contains(&key));
    let is_of_model = stored.model == lists.vectors.model();
    let n_new = points.len().saturating_sub(stored.len());
    // Most points would be where few others are.
    let is_left = stored.len() >= LEFT_MIN.min(points.len()) && n_new <= stored.len();
    if !is_of_model || !is_left || none == NeighbourState::TooFew {
        return Ok(Continued::without(none));
    }
    let all = with_new(lists, first, &stored)?;
    if n_new > 0 || stored.len() < n_before {
        let new = all.iter().filter(|it| it.is_new);
        let (keys, places): (Vec<i64>, Vec<[f32; 2]>) = new.map(|it| (it.key, it.place)).unzip();
        stored.add(keys, &places);
        // A library that may only be read has the same places in each call, unless notes change.
        if let Err(error) = stored.write(library.dir()) {
            tracing::info!(%error, "cannot store the places of new chunks");
        }
    }
    let n_added = stored.n_added();
    let is_old = n_added * OLD_FROM > stored.len() as u32;
    Ok(Continued {
        places: Some(all.into_iter().map(|it| it.place).collect()),
        state: NeighbourLayout {
            state: match is_old {
                true => NeighbourState::Old,
                false => NeighbourState::Stored,
            },
            n_added,
        },
        sampled: stored.sampled,
        notice: None,
    })
}

/// A point in the layout.
struct InLayout {
    key: i64,
    place: [f32; 2],
    /// Whether the stored layout does not know it.
    is_new: bool,
}

/// All points in the layout.
fn with_new(lists: &Lists, first: &Places, stored: &Stored) -> Result<Vec<InLayout>, EngineError> {
    let points = &first.points;
    let by_key = stored.by_key();
    let (known, new): (Vec<u32>, Vec<u32>) = (0..points.len() as u32)
        .partition(|point| by_key.contains_key(&points.keys[*point as usize]));
    let known: Vec<u32> = evenly(known.len(), PAIRS_MAX / new.len().max(1))
        .into_iter()
        .map(|at| known[at as usize])
        .collect();
    let known_places: Vec<[f32; 2]> = known
        .iter()
        .map(|point| by_key[&points.keys[*point as usize]])
        .collect();
    let placed = Placed {
        points: &known,
        places: &known_places,
    };
    let new_places = match new.is_empty() {
        true => Vec::new(),
        false => place(lists, points, &new, &placed, |_| true)?.unwrap_or_default(),
    };
    let mut all: Vec<InLayout> = points
        .keys
        .iter()
        .map(|key| InLayout {
            key: *key,
            place: by_key.get(key).copied().unwrap_or_default(),
            is_new: false,
        })
        .collect();
    for (point, place) in new.iter().zip(new_places) {
        let point = &mut all[*point as usize];
        point.place = place;
        point.is_new = true;
    }
    Ok(all)
}
