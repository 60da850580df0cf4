//! Places of chunks as ascending disjoint ranges.

use std::ops::Range;

/// Returns the ranges of some places, given in any order.
pub fn ranges(places: impl Iterator<Item = u32>) -> Vec<Range<u32>> {
    let mut places: Vec<u32> = places.collect();
    places.sort_unstable();
    places.dedup();
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for place in places {
        match ranges.last_mut() {
            Some(last) if last.end == place => last.end += 1,
            Some(_) | None => ranges.push(place..place + 1),
        }
    }
    ranges
}

/// Returns the ranges with one place removed.
pub fn without(ranges: Vec<Range<u32>>, place: u32) -> Vec<Range<u32>> {
    ranges
        .into_iter()
        .flat_map(|range| {
            if range.contains(&place) {
                [range.start..place, place + 1..range.end]
            } else {
                [range, 0..0]
            }
        })
        .filter(|range| !range.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_joined_and_one_is_taken_out() {
        let joined = ranges([7, 3, 4, 3, 9].into_iter());
        assert_eq!(joined, [3..5, 7..8, 9..10]);
        assert_eq!(without(joined.clone(), 3), [4..5, 7..8, 9..10]);
        assert_eq!(without(joined.clone(), 7), [3..5, 9..10]);
        assert_eq!(without(joined.clone(), 5), joined);
    }
}
