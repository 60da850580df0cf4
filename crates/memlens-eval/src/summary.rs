//! Means over queries, all together and by category.

use std::collections::BTreeMap;

use serde::Serialize;
use specta::Type;

use crate::metrics::Scores;

/// The mean of every metric over some queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct Summary {
    /// How many queries; at least 1.
    pub n: u32,
    /// The means.
    #[serde(flatten)]
    pub mean: Scores,
}

impl Summary {
    /// The means; none of no queries.
    pub fn of<'a>(scores: impl IntoIterator<Item = &'a Scores>) -> Option<Summary> {
        let all: Vec<&Scores> = scores.into_iter().collect();
        let n = all.len();
        let mean = |metric: fn(&Scores) -> f64| {
            all.iter().map(|scores| metric(scores)).sum::<f64>() / n as f64
        };
        (n > 0).then(|| Summary {
            n: n as u32,
            mean: Scores {
                recall_1: mean(|scores| scores.recall_1),
                recall_5: mean(|scores| scores.recall_5),
                recall_10: mean(|scores| scores.recall_10),
                mrr_10: mean(|scores| scores.mrr_10),
                ndcg_10: mean(|scores| scores.ndcg_10),
                hit_file: mean(|scores| scores.hit_file),
                hit_file_1: mean(|scores| scores.hit_file_1),
                hit_file_5: mean(|scores| scores.hit_file_5),
                returned: mean(|scores| scores.returned),
            },
        })
    }
}

/// The means by category; queries without one are under `none`.
pub fn by_category<'a>(
    scores: impl IntoIterator<Item = (Option<&'a str>, &'a Scores)>,
) -> BTreeMap<String, Summary> {
    let mut groups: BTreeMap<String, Vec<&Scores>> = BTreeMap::new();
    for (category, scores) in scores {
        groups
            .entry(category.unwrap_or("none").to_owned())
            .or_default()
            .push(scores);
    }
    groups
        .into_iter()
        .filter_map(|(name, scores)| Some((name, Summary::of(scores)?)))
        .collect()
}
