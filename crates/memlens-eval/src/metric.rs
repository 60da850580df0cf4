//! The metrics of a ranking, with their names.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use specta::Type;
use thiserror::Error;

use crate::metrics::Scores;

/// A metric of [`Scores`] by which a ranking can be chosen.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Type,
)]
pub enum Metric {
    /// Normalised discounted cumulative gain over the first 10.
    #[serde(rename = "ndcg@10")]
    Ndcg10,
    /// The reciprocal of the rank of the first hit.
    #[serde(rename = "mrr@10")]
    Mrr10,
    /// The share of relevant ranges found in the first result.
    #[serde(rename = "recall@1")]
    Recall1,
    /// The share of relevant ranges found in the first 5.
    #[serde(rename = "recall@5")]
    Recall5,
    /// The share of relevant ranges found in the first 10.
    #[serde(rename = "recall@10")]
    Recall10,
    /// Whether the first result holds an answer.
    #[serde(rename = "hit@1")]
    Hit1,
    /// Whether one of the first 5 results holds an answer.
    #[serde(rename = "hit@5")]
    Hit5,
    /// Whether one of the first 10 results holds an answer.
    #[serde(rename = "hit@10")]
    Hit10,
    /// The share of results that hold an answer.
    #[serde(rename = "precision")]
    Precision,
    /// Whether any result is from a note that holds an answer.
    #[serde(rename = "hit_file")]
    HitFile,
    /// Whether the first result is from such a note.
    #[serde(rename = "hit_file@1")]
    HitFile1,
    /// Whether one of the first 5 results is from such a note.
    #[serde(rename = "hit_file@5")]
    HitFile5,
}

/// A name that is not a metric's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no metric {found}; there are {}", Metric::ALL.map(Metric::id).join(", "))]
pub struct UnknownMetric {
    /// The unknown name, as given.
    pub found: String,
}

impl Metric {
    /// All metrics, the most informative first.
    pub const ALL: [Metric; 12] = [
        Metric::Ndcg10,
        Metric::Mrr10,
        Metric::Recall1,
        Metric::Recall5,
        Metric::Recall10,
        Metric::Hit1,
        Metric::Hit5,
        Metric::Hit10,
        Metric::Precision,
        Metric::HitFile,
        Metric::HitFile1,
        Metric::HitFile5,
    ];

    /// Returns the metric's name in files and arguments.
    pub fn id(self) -> &'static str {
        match self {
            Metric::Ndcg10 => "ndcg@10",
            Metric::Mrr10 => "mrr@10",
            Metric::Recall1 => "recall@1",
            Metric::Recall5 => "recall@5",
            Metric::Recall10 => "recall@10",
            Metric::Hit1 => "hit@1",
            Metric::Hit5 => "hit@5",
            Metric::Hit10 => "hit@10",
            Metric::Precision => "precision",
            Metric::HitFile => "hit_file",
            Metric::HitFile1 => "hit_file@1",
            Metric::HitFile5 => "hit_file@5",
        }
    }

    /// Returns the metric's name as displayed to the user.
    pub fn label(self) -> &'static str {
        match self {
            Metric::Ndcg10 => "nDCG@10",
            Metric::Mrr10 => "MRR@10",
            Metric::Recall1 => "Recall@1",
            Metric::Recall5 => "Recall@5",
            Metric::Recall10 => "Recall@10",
            Metric::Hit1 => "Hit@1",
            Metric::Hit5 => "Hit@5",
            Metric::Hit10 => "Hit@10",
            Metric::Precision => "Precision",
            Metric::HitFile => "Note found",
            Metric::HitFile1 => "Note found@1",
            Metric::HitFile5 => "Note found@5",
        }
    }

    /// Returns the metric's value; `None` if it is undefined.
    pub fn of(self, scores: &Scores) -> Option<f64> {
        match self {
            Metric::Ndcg10 => Some(scores.ndcg_10),
            Metric::Mrr10 => Some(scores.mrr_10),
            Metric::Recall1 => Some(scores.recall_1),
            Metric::Recall5 => Some(scores.recall_5),
            Metric::Recall10 => Some(scores.recall_10),
            Metric::Hit1 => Some(scores.hit_1),
            Metric::Hit5 => Some(scores.hit_5),
            Metric::Hit10 => Some(scores.hit_10),
            Metric::Precision => scores.precision,
            Metric::HitFile => Some(scores.hit_file),
            Metric::HitFile1 => Some(scores.hit_file_1),
            Metric::HitFile5 => Some(scores.hit_file_5),
        }
    }
}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(found: &str) -> Result<Metric, UnknownMetric> {
        let known = Metric::ALL.into_iter().find(|metric| metric.id() == found);
        known.ok_or_else(|| UnknownMetric {
            found: found.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Metric;
    use crate::metrics::{Shown, score_shown};

    #[test]
    fn names_are_those_of_files_and_values_those_of_the_field() {
        let shown = |ranges, is_of_gold_file| Shown {
            ranges,
            is_of_gold_file,
        };
        // The value differs for most metrics.
        let few = [shown(&[], false), shown(&[], true), shown(&[2], true)];
        let scores = score_shown(3, few);
        let fields = serde_json::to_value(scores).expect("it is plain data");
        for metric in Metric::ALL {
            let name = serde_json::to_value(metric).expect("it is plain data");
            assert_eq!(name, metric.id());
            assert_eq!(metric.id().parse(), Ok(metric));
            assert_eq!(metric.of(&scores), fields[metric.id()].as_f64(), "{name}");
        }
        // All fields but the number of results.
        let n_fields = fields.as_object().map(|it| it.len());
        assert_eq!(n_fields, Some(Metric::ALL.len() + 1));
        let error = "ndcg".parse::<Metric>().expect_err("it is not complete");
        assert!(
            error
                .to_string()
                .starts_with("no metric ndcg; there are ndcg@10, mrr@10, "),
            "{error}"
        );
    }
}
