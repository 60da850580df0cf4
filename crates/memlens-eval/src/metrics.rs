//! What one ranking is worth for one query.

use std::collections::BTreeSet;

use serde::Serialize;
use specta::Type;

use crate::queries::Place;

/// The depth of the metrics named `_10`.
const DEPTH: usize = 10;

/// Every metric of one query, or their means; each in `[0, 1]` but `returned`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct Scores {
    /// The share of relevant ranges found in the first result.
    #[serde(rename = "recall@1")]
    pub recall_1: f64,
    /// The share of relevant ranges found in the first 5.
    #[serde(rename = "recall@5")]
    pub recall_5: f64,
    /// The share of relevant ranges found in the first 10.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
    /// One over the rank of the first hit; 0 past 10.
    #[serde(rename = "mrr@10")]
    pub mrr_10: f64,
    /// Normalised discounted cumulative gain over the first 10; binary gains.
    #[serde(rename = "ndcg@10")]
    pub ndcg_10: f64,
    /// 1 when any result is of a note that holds a relevant range.
    pub hit_file: f64,
    /// The same for the first result.
    #[serde(rename = "hit_file@1")]
    pub hit_file_1: f64,
    /// The same for the first 5.
    #[serde(rename = "hit_file@5")]
    pub hit_file_5: f64,
    /// How many results there were.
    pub returned: f64,
}

/// Judges a ranking, best first, by the relevant ranges of a query.
///
/// A relevant range counts once, at the first result that overlaps it. The ideal ranking finds one
/// range a rank, `min(n, 10)` of them. Without a relevant range every share is 0.
/// Source: Järvelin and Kekäläinen, TOIS 2002 (nDCG); the reference scorer that the fixture
/// `eval` of the command line's tests names gives the same.
pub fn score(relevant: &[Place], returned: &[Place]) -> Scores {
    let mut found = BTreeSet::new();
    // 1-based rank and how many ranges were first found there.
    let mut gains: Vec<(usize, usize)> = Vec::new();
    for (rank, result) in (1..).zip(returned) {
        let new = relevant
            .iter()
            .enumerate()
            .filter(|(at, gold)| result.overlaps(gold) && found.insert(*at))
            .count();
        if new > 0 {
            gains.push((rank, new));
        }
    }
    // The sums begin at 0.0: an empty sum of floats is -0.0.
    let n_relevant = relevant.len().max(1) as f64;
    let recall = |depth: usize| {
        gains
            .iter()
            .filter(|(rank, _)| *rank <= depth)
            .map(|(_, new)| *new as f64)
            .fold(0.0, |sum, new| sum + new)
            / n_relevant
    };
    let discount = |rank: usize| 1.0 / (rank as f64 + 1.0).log2();
    let ideal: f64 = (1..=relevant.len().clamp(1, DEPTH)).map(discount).sum();
    let gained: f64 = gains
        .iter()
        .filter(|(rank, _)| *rank <= DEPTH)
        .map(|(rank, _)| discount(*rank))
        .fold(0.0, |sum, gain| sum + gain);
    let hit_file = |depth: usize| {
        let is_hit = returned
            .iter()
            .take(depth)
            .any(|result| relevant.iter().any(|gold| gold.path == result.path));
        f64::from(u8::from(is_hit))
    };
    Scores {
        recall_1: recall(1),
        recall_5: recall(5),
        recall_10: recall(10),
        mrr_10: gains
            .first()
            .filter(|(rank, _)| *rank <= DEPTH)
            .map_or(0.0, |(rank, _)| 1.0 / *rank as f64),
        ndcg_10: gained / ideal,
        hit_file: hit_file(returned.len()),
        hit_file_1: hit_file(1),
        hit_file_5: hit_file(5),
        returned: returned.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::{Scores, score};
    use crate::queries::Place;

    fn check(relevant: &[(&str, u32, u32)], returned: &[(&str, u32, u32)], expected: &str) {
        let places = |all: &[(&str, u32, u32)]| -> Vec<Place> {
            all.iter()
                .map(|(path, start, end)| Place::new(*path, *start, *end))
                .collect()
        };
        let Scores {
            recall_1,
            recall_5,
            recall_10,
            mrr_10,
            ndcg_10,
            hit_file,
            hit_file_1,
            hit_file_5,
            returned,
        } = score(&places(relevant), &places(returned));
        let found = format!(
            "r {recall_1:.3} {recall_5:.3} {recall_10:.3} mrr {mrr_10:.3} ndcg {ndcg_10:.3} file {hit_file} {hit_file_1} {hit_file_5} of {returned}"
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn figures_are_those_of_the_reference_scorer() {
        check(
            &[("a", 3, 5)],
            &[("a", 5, 9)],
            "r 1.000 1.000 1.000 mrr 1.000 ndcg 1.000 file 1 1 1 of 1",
        );
        check(
            &[("a", 3, 5)],
            &[("a", 6, 9), ("b", 3, 5)],
            "r 0.000 0.000 0.000 mrr 0.000 ndcg 0.000 file 1 1 1 of 2",
        );
        // Two ranges found by one result gain once, as the reference scorer has it.
        check(
            &[("a", 1, 2), ("a", 3, 4)],
            &[("a", 1, 9), ("a", 1, 9)],
            "r 1.000 1.000 1.000 mrr 1.000 ndcg 0.613 file 1 1 1 of 2",
        );
        let far: Vec<(&str, u32, u32)> =
            (0..10).map(|_| ("b", 1, 1)).chain([("a", 1, 1)]).collect();
        check(
            &[("a", 1, 1)],
            &far,
            "r 0.000 0.000 0.000 mrr 0.000 ndcg 0.000 file 1 0 0 of 11",
        );
        check(
            &[("a", 1, 1)],
            &[],
            "r 0.000 0.000 0.000 mrr 0.000 ndcg 0.000 file 0 0 0 of 0",
        );
    }
}
