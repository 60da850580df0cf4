//! Means over queries, all together and by category.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::metrics::Scores;

/// The mean of every metric over some queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Type)]
pub struct Summary {
    /// Number of queries, at least 1.
    pub n: u32,
    /// Number of queries that returned nothing, so that precision is undefined; its mean leaves them out.
    pub n_undefined: u32,
    /// The mean of each metric.
    #[serde(flatten)]
    pub mean: Scores,
}

impl Summary {
    /// Returns the means; `None` without queries.
    pub fn of<'a>(scores: impl IntoIterator<Item = &'a Scores>) -> Option<Summary> {
        let all: Vec<&Scores> = scores.into_iter().collect();
        let n = all.len();
        let mean = |metric: fn(&Scores) -> f64| {
            all.iter().map(|scores| metric(scores)).sum::<f64>() / n as f64
        };
        let precisions: Vec<f64> = all.iter().filter_map(|scores| scores.precision).collect();
        let n_defined = precisions.len();
        (n > 0).then(|| Summary {
            n: n as u32,
            n_undefined: (n - n_defined) as u32,
            mean: Scores {
                recall_1: mean(|scores| scores.recall_1),
                recall_5: mean(|scores| scores.recall_5),
                recall_10: mean(|scores| scores.recall_10),
                hit_1: mean(|scores| scores.hit_1),
                hit_5: mean(|scores| scores.hit_5),
                hit_10: mean(|scores| scores.hit_10),
                mrr_10: mean(|scores| scores.mrr_10),
                ndcg_10: mean(|scores| scores.ndcg_10),
                precision: (n_defined > 0)
                    .then(|| precisions.iter().sum::<f64>() / n_defined as f64),
                hit_file: mean(|scores| scores.hit_file),
                hit_file_1: mean(|scores| scores.hit_file_1),
                hit_file_5: mean(|scores| scores.hit_file_5),
                returned: mean(|scores| scores.returned),
            },
        })
    }
}

/// The name of the group of queries without a category.
pub const NO_CATEGORY: &str = "none";

/// Returns the means by category; queries without one are under [`NO_CATEGORY`].
pub fn by_category<'a>(
    scores: impl IntoIterator<Item = (Option<&'a str>, &'a Scores)>,
) -> BTreeMap<String, Summary> {
    let mut groups: BTreeMap<String, Vec<&Scores>> = BTreeMap::new();
    for (category, scores) in scores {
        groups
            .entry(category.unwrap_or(NO_CATEGORY).to_owned())
            .or_default()
            .push(scores);
    }
    groups
        .into_iter()
        .filter_map(|(name, scores)| Some((name, Summary::of(scores)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Summary;
    use crate::metrics::{Shown, score_shown};

    #[test]
    fn precision_is_a_mean_over_queries_that_found_something() {
        let shown = |ranges| Shown {
            ranges,
            is_of_gold_file: true,
        };
        let half = score_shown(1, [shown(&[0]), shown(&[])]);
        let nothing = score_shown(1, []);
        let both = Summary::of([&half, &nothing]).expect("there are two");
        assert_eq!((both.n, both.n_undefined), (2, 1));
        assert_eq!(both.mean.precision, Some(0.5));
        assert_eq!(both.mean.hit_10, 0.5);
        let none = Summary::of([&nothing]).expect("there is one");
        assert_eq!((none.n_undefined, none.mean.precision), (1, None));
    }
}
