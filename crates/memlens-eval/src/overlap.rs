//! Similarity of two rankings, weighted towards the top.

use std::collections::HashSet;
use std::hash::Hash;

/// Returns the extrapolated rank-biased overlap in `[0, 1]`: 1 for equal rankings, 0 for rankings with nothing in
/// common. Each place has `p` times the weight of the one before. Two empty rankings are equal. No item may occur twice
/// in one ranking.
///
/// Source: Webber, Moffat, Zobel, A similarity measure for indefinite rankings, TOIS 2010, equation 32.
pub fn rank_biased_overlap<T: Eq + Hash>(a: &[T], b: &[T], p: f64) -> f64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let (s, l) = (short.len(), long.len());
    if l == 0 {
        return 1.0;
    }
    if s == 0 {
        return 0.0;
    }
    let (mut in_short, mut in_long) = (HashSet::new(), HashSet::new());
    let mut n_common = 0;
    let mut common_at_s = 0;
    let mut sum = 0.0;
    for depth in 1..=l {
        let item = &long[depth - 1];
        in_long.insert(item);
        n_common += usize::from(in_short.contains(item));
        if let Some(item) = short.get(depth - 1) {
            in_short.insert(item);
            n_common += usize::from(in_long.contains(item));
        }
        if depth == s {
            common_at_s = n_common;
        }
        let weight = p.powi(depth as i32);
        sum += n_common as f64 / depth as f64 * weight;
        if depth > s {
            let beyond = common_at_s as f64 * (depth - s) as f64;
            sum += beyond / (s * depth) as f64 * weight;
        }
    }
    let tail = (n_common - common_at_s) as f64 / l as f64 + common_at_s as f64 / s as f64;
    ((1.0 - p) / p * sum + tail * p.powi(l as i32)).clamp(0.0, 1.0)
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
        }
    }
}
