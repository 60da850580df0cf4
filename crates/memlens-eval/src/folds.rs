//! Splits queries into folds, so that a choice made on some is measured on others.

use std::collections::BTreeMap;

/// Returns the fold of each query, below `n_folds`; the same `seed` gives the same folds.
///
/// Stratified: the queries of a category are dealt out in turn, so that each fold has its share of them, and the sizes
/// of folds differ by at most one. With fewer queries than folds some are empty; 0 folds count as 1. Source: Kohavi, A
/// study of cross-validation and bootstrap, IJCAI 1995.
pub fn folds(categories: &[Option<&str>], n_folds: usize, seed: u64) -> Vec<usize> {
    let n_folds = n_folds.max(1);
    let mut groups: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (at, category) in categories.iter().enumerate() {
        groups.entry(*category).or_default().push(at);
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut folds = vec![0; categories.len()];
    let mut next = 0;
    for mut group in groups.into_values() {
        random.shuffle(&mut group);
        for at in group {
            folds[at] = next % n_folds;
            next += 1;
        }
    }
    folds
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::folds;

    proptest! {
        #[test]
        fn every_fold_has_its_share_of_every_category(
            kinds in prop::collection::vec(prop::option::of(0..4_u8), 0..80),
            n_folds in 1..12_usize,
            seed in any::<u64>(),
        ) {
            let names = ["a", "b", "c", "d"];
            let categories: Vec<Option<&str>> =
                kinds.iter().map(|kind| kind.map(|kind| names[usize::from(kind)])).collect();
            let folds_of = folds(&categories, n_folds, seed);
            prop_assert_eq!(&folds_of, &folds(&categories, n_folds, seed));
            let spread = |is_counted: &dyn Fn(usize) -> bool| {
                let of_fold = |fold: usize| {
                    let all = folds_of.iter().enumerate();
                    all.filter(|(at, it)| **it == fold && is_counted(*at)).count()
                };
                let sizes: Vec<usize> = (0..n_folds).map(of_fold).collect();
                sizes.iter().max().unwrap() - sizes.iter().min().unwrap()
            };
            prop_assert!(spread(&|_| true) <= 1);
            for name in names {
                prop_assert!(spread(&|at| categories[at] == Some(name)) <= 1);
            }
        }
    }

    #[test]
    fn another_seed_is_another_split() {
        let categories = [None; 40];
        assert_ne!(folds(&categories, 2, 1), folds(&categories, 2, 2));
    }
}
