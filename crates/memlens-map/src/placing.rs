//! Places of points that a layout does not know: among their nearest neighbours.

use memlens_library::EngineError;
use memlens_retrieve::Lists;

use crate::nearest::{Near, nearest};
use crate::points::Points;

/// Number of neighbours that a point is placed by.
const NEIGHBOURS: usize = 5;

/// Points whose places are known.
pub(crate) struct Placed<'a> {
    pub points: &'a [u32],
    /// The place of each, in the same order.
    pub places: &'a [[f32; 2]],
}

/// Places points by those that are placed. `None` if `goes_on` returned false.
///
/// # Errors
/// [`EngineError::Retrieve`] if the list of vectors is damaged.
pub(crate) fn place(
    lists: &Lists,
    points: &Points,
    new: &[u32],
    placed: &Placed<'_>,
    goes_on: impl FnMut(usize) -> bool,
) -> Result<Option<Vec<[f32; 2]>>, EngineError> {
    let near = nearest(lists, points, new, placed.points, NEIGHBOURS, goes_on)?;
    Ok(near.map(|near| near.iter().map(|near| among(near, placed.places)).collect()))
}

/// The median of the neighbours' places along each axis: with most of them in one place, a point is there, and not on the way to the
/// others.
fn among(near: &[Near], places: &[[f32; 2]]) -> [f32; 2] {
    [0, 1].map(|axis| {
        let mut along: Vec<f32> = near
            .iter()
            .map(|near| places[near.at as usize][axis])
            .collect();
        along.sort_unstable_by(f32::total_cmp);
        along.get(along.len() / 2).copied().unwrap_or(0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_where_most_of_its_neighbours_are() {
        let places = [
            [0.1, 0.5],
            [0.2, 0.6],
            [0.15, 0.55],
            [-0.9, -0.9],
            [0.9, -0.8],
        ];
        let near: Vec<Near> = (0..5).map(|at| Near { cosine: 0.9, at }).collect();
        assert_eq!(among(&near, &places), [0.15, 0.5]);
        assert_eq!(among(&near[..1], &places), places[0]);
        assert_eq!(among(&[], &places), [0.0, 0.0]);
    }
}
