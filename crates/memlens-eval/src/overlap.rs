//! Similarity of two rankings, weighted towards the top.

use std::collections::HashSet;
use std::hash::Hash;

/// Rank-biased overlap of two complete rankings, in `[0, 1]`: 1 only for equal rankings, 0 for rankings with nothing in common. Each
/// place has `p` times the weight of the one before. At each depth the agreement is the number of common items, divided by that of the
/// longer of both beginnings: nothing is assumed beyond the end of a ranking, which is all that was returned. Two empty rankings
/// are equal. No item may occur twice in one ranking.
///
/// Source: Webber, Moffat, Zobel, A similarity measure for indefinite rankings, TOIS 2010; for rankings of equal length it is their
/// equation 32. That equation extrapolates the shorter of two rankings, and is 1 for a ranking and its own beginning.
pub fn rank_biased_overlap<T: Eq + Hash>(a: &[T], b: &[T], p: f64) -> f64 {
    let longest = a.len().max(b.len());
    let (mut in_a, mut in_b) = (HashSet::new(), HashSet::new());
    let mut n_common = 0;
    let (mut sum, mut agreement) = (0.0, 1.0);
    for depth in 1..=longest {
        if let Some(item) = a.get(depth - 1) {
            in_a.insert(item);
            n_common += usize::from(in_b.contains(item));
        }
        if let Some(item) = b.get(depth - 1) {
            in_b.insert(item);
            n_common += usize::from(in_a.contains(item));
        }
        agreement = n_common as f64 / depth as f64;
        sum += agreement * p.powi(depth as i32 - 1);
    }
    ((1.0 - p) * sum + agreement * p.powi(longest as i32)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::rank_biased_overlap;
    use proptest::prelude::*;

    #[test]
    fn the_first_places_count_most() {
        let base = [1, 2, 3, 4, 5, 6];
        let swapped_first = [2, 1, 3, 4, 5, 6];
        let swapped_last = [1, 2, 3, 4, 6, 5];
        let at_first = rank_biased_overlap(&base, &swapped_first, 0.9);
        let at_last = rank_biased_overlap(&base, &swapped_last, 0.9);
        assert!(at_first < at_last && at_last < 1.0, "{at_first} {at_last}");
        // By hand for p 0.5: depth 1 has nothing in common, and from depth 2 on everything is: half of the weight is
        // lost.
        let half = rank_biased_overlap(&[1, 2], &[2, 1], 0.5);
        assert!((half - 0.5).abs() < 1e-12, "{half}");
        assert_eq!(rank_biased_overlap::<u8>(&[], &[], 0.9), 1.0);
        assert_eq!(rank_biased_overlap(&[1], &[], 0.9), 0.0);
        assert_eq!(rank_biased_overlap(&[1], &[2], 0.9), 0.0);
        // Also by hand: agreements 1, 1 and 2/3, the last of all places from the third on.
        let beginning = rank_biased_overlap(&[1, 2], &[1, 2, 3], 0.5);
        assert!(
            (beginning - (0.75 + 0.25 * 2.0 / 3.0)).abs() < 1e-12,
            "{beginning}"
        );
    }

    proptest! {
        #[test]
        fn it_is_a_share_and_symmetric(
            a in prop::collection::hash_set(0..20u8, 0..12),
            b in prop::collection::hash_set(0..20u8, 0..12),
            p in 0.1..0.99f64,
        ) {
            let (a, b): (Vec<u8>, Vec<u8>) = (a.into_iter().collect(), b.into_iter().collect());
            let overlap = rank_biased_overlap(&a, &b, p);
            prop_assert!((0.0..=1.0).contains(&overlap));
            prop_assert!((overlap - rank_biased_overlap(&b, &a, p)).abs() < 1e-12);
            prop_assert!((rank_biased_overlap(&a, &a, p) - 1.0).abs() < 1e-9);
            prop_assert!(a == b || overlap < 1.0, "{a:?} {b:?}");
        }
    }
}
