//! Metrics of one ranking for one query.

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::queries::Place;

/// The depth of the metrics named `_10`.
const DEPTH: usize = 10;

/// The depths at which recall is computed.
const DEPTHS: [usize; 3] = [1, 5, 10];

/// Every metric of one query, or their means; each in `[0, 1]` except `returned`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Type)]
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
    /// 1 if the first result overlaps a relevant range.
    #[serde(rename = "hit@1")]
    pub hit_1: f64,
    /// 1 if one of the first 5 results does.
    #[serde(rename = "hit@5")]
    pub hit_5: f64,
    /// 1 if one of the first 10 results does.
    #[serde(rename = "hit@10")]
    pub hit_10: f64,
    /// The reciprocal of the rank of the first hit; 0 beyond rank 10.
    #[serde(rename = "mrr@10")]
    pub mrr_10: f64,
    /// Normalised discounted cumulative gain over the first 10; each range counts at the first result that shows it.
    #[serde(rename = "ndcg@10")]
    pub ndcg_10: f64,
    /// The share of results that overlap a relevant range; `None` if nothing was returned.
    pub precision: Option<f64>,
    /// 1 if any result is from a note that holds a relevant range.
    pub hit_file: f64,
    /// 1 if the first result is from such a note.
    #[serde(rename = "hit_file@1")]
    pub hit_file_1: f64,
    /// 1 if one of the first 5 results is from such a note.
    #[serde(rename = "hit_file@5")]
    pub hit_file_5: f64,
    /// Number of results that were returned.
    pub returned: f64,
}

/// One result, described by the relevant ranges of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown<'a> {
    /// The 0-based numbers of the relevant ranges that it overlaps, each once.
    pub ranges: &'a [u16],
    /// Whether it is from a note that holds a relevant range.
    pub is_of_gold_file: bool,
}

/// Scores a ranking, best first, by the relevant ranges of a query, of which only the first 65,536 count.
pub fn score(relevant: &[Place], returned: &[Place]) -> Scores {
    let shown: Vec<(Vec<u16>, bool)> = returned
        .iter()
        .map(|result| shown_by(relevant, result))
        .collect();
    let n_relevant = relevant.len().min(usize::from(u16::MAX) + 1);
    score_shown(
        n_relevant,
        shown.iter().map(|(ranges, is_of_gold_file)| Shown {
            ranges,
            is_of_gold_file: *is_of_gold_file,
        }),
    )
}

/// Returns the numbers of the relevant ranges that a result overlaps, and whether it is from a note that holds one.
pub fn shown_by(relevant: &[Place], result: &Place) -> (Vec<u16>, bool) {
    let overlapping = (0..=u16::MAX).zip(relevant);
    let overlapping = overlapping.filter(|(_, gold)| result.overlaps(gold));
    let is_of_gold_file = relevant.iter().any(|gold| gold.path == result.path);
    (overlapping.map(|(at, _)| at).collect(), is_of_gold_file)
}

/// Scores a ranking, best first, by which of a query's `n_relevant` ranges each result shows.
///
/// A range counts at the first result that shows it, and gains 1/log2(rank + 1) there. The ideal ranking shows one
/// range per rank, `min(n, 10)` of them, and a query is worth at most 1: a result that shows two ranges is worth no
/// less than two results that show one each. Without a relevant range every share is 0. Source: Järvelin and
/// Kekäläinen, TOIS 2002 (nDCG); the reference scorer in `tests/reference` gives the same values.
pub fn score_shown<'a>(n_relevant: usize, results: impl IntoIterator<Item = Shown<'a>>) -> Scores {
    let mut is_found = vec![false; n_relevant];
    let (mut n_found, mut n_overlapping, mut n_returned) = (0_usize, 0_usize, 0_usize);
    let mut recall = [0.0; DEPTHS.len()];
    let (mut first, mut first_of_file) = (None, None);
    let mut gained = 0.0;
    for (
        rank,
        Shown {
            ranges,
            is_of_gold_file,
        },
    ) in (1..).zip(results)
    {
        n_returned = rank;
        first_of_file = first_of_file.or(is_of_gold_file.then_some(rank));
        if ranges.is_empty() {
            continue;
        }
        n_overlapping += 1;
        first = first.or(Some(rank));
        let mut n_new = 0;
        for range in ranges {
            let is_found = &mut is_found[usize::from(*range)];
            n_new += usize::from(!*is_found);
            *is_found = true;
        }
        n_found += n_new;
        if rank <= DEPTH {
            gained += n_new as f64 * discount(rank);
        }
        for (share, depth) in recall.iter_mut().zip(DEPTHS) {
            if rank <= depth {
                *share = n_found as f64 / n_relevant as f64;
            }
        }
    }
    let ideal: f64 = (1..=n_relevant.clamp(1, DEPTH)).map(discount).sum();
    let within = |rank: Option<usize>, depth: usize| {
        f64::from(u8::from(rank.is_some_and(|rank| rank <= depth)))
    };
    let [recall_1, recall_5, recall_10] = recall;
    Scores {
        recall_1,
        recall_5,
        recall_10,
        hit_1: within(first, 1),
        hit_5: within(first, 5),
        hit_10: within(first, 10),
        mrr_10: first
            .filter(|rank| *rank <= DEPTH)
            .map_or(0.0, |rank| 1.0 / rank as f64),
        ndcg_10: (gained / ideal).min(1.0),
        precision: (n_returned > 0).then(|| n_overlapping as f64 / n_returned as f64),
        hit_file: within(first_of_file, n_returned),
        hit_file_1: within(first_of_file, 1),
        hit_file_5: within(first_of_file, 5),
        returned: n_returned as f64,
    }
}

fn discount(rank: usize) -> f64 {
    1.0 / (rank as f64 + 1.0).log2()
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
            hit_1,
            hit_5,
            hit_10,
            mrr_10,
            ndcg_10,
            precision,
            hit_file,
            hit_file_1,
            hit_file_5,
            returned,
        } = score(&places(relevant), &places(returned));
        let precision = precision.map_or("none".to_owned(), |it| format!("{it:.3}"));
        let found = format!(
            "r {recall_1:.3} {recall_5:.3} {recall_10:.3} hit {hit_1} {hit_5} {hit_10} mrr {mrr_10:.3} ndcg {ndcg_10:.3} p {precision} file {hit_file} {hit_file_1} {hit_file_5} of {returned}"
        );
        assert_eq!(found, expected);
    }

    #[test]
    fn figures_are_as_by_hand() {
        check(
            &[("a", 3, 5)],
            &[("a", 5, 9)],
            "r 1.000 1.000 1.000 hit 1 1 1 mrr 1.000 ndcg 1.000 p 1.000 file 1 1 1 of 1",
        );
        check(
            &[("a", 3, 5)],
            &[("a", 6, 9), ("b", 3, 5)],
            "r 0.000 0.000 0.000 hit 0 0 0 mrr 0.000 ndcg 0.000 p 0.000 file 1 1 1 of 2",
        );
        // Two ranges in one result count both, but never more than an ideal ranking.
        check(
            &[("a", 1, 2), ("a", 3, 4)],
            &[("a", 1, 9), ("a", 1, 9)],
            "r 1.000 1.000 1.000 hit 1 1 1 mrr 1.000 ndcg 1.000 p 1.000 file 1 1 1 of 2",
        );
        // (2 / log2 3) / (1 + 1 / log2 3) = 0.774.
        check(
            &[("a", 1, 2), ("a", 3, 4)],
            &[("b", 1, 9), ("a", 1, 9)],
            "r 0.000 1.000 1.000 hit 0 1 1 mrr 0.500 ndcg 0.774 p 0.500 file 1 0 1 of 2",
        );
        let far: Vec<(&str, u32, u32)> =
            (0..10).map(|_| ("b", 1, 1)).chain([("a", 1, 1)]).collect();
        check(
            &[("a", 1, 1)],
            &far,
            "r 0.000 0.000 0.000 hit 0 0 0 mrr 0.000 ndcg 0.000 p 0.091 file 1 0 0 of 11",
        );
        check(
            &[("a", 1, 1)],
            &[],
            "r 0.000 0.000 0.000 hit 0 0 0 mrr 0.000 ndcg 0.000 p none file 0 0 0 of 0",
        );
    }
}
