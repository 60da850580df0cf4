//! Evidence for a ranking: its metrics on a query set beside those of the defaults.

use memlens_eval::{Difference, Metric, Scores, Summary, paired_bootstrap, signed};
use memlens_wire::TuneAnswer;
use serde::{Deserialize, Serialize};

/// Measured metrics that are exported with the parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The query set's file name.
    pub queries: String,
    /// The version of its content: a BLAKE3 hash, in hexadecimal.
    pub queries_hash: String,
    /// How many queries were asked.
    pub n: usize,
    /// What the metrics are compared with.
    pub before: String,
    /// Mean nDCG@10 of both rankings.
    #[serde(rename = "ndcg@10")]
    pub ndcg_10: Measured,
    /// Mean MRR@10 of both rankings.
    #[serde(rename = "mrr@10")]
    pub mrr_10: Measured,
    /// The share of queries for which a note with an answer was returned.
    pub hit_file: Measured,
    /// Value of the parameters on queries not used for choosing them; `None` if they were not tuned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
}

/// Metric of tuned parameters on queries not used for choosing them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldOut {
    /// The metric that they were tuned by.
    pub metric: Metric,
    /// Value of the ranking that tuning started from.
    pub before: f64,
    /// Value that tuning in this way yields.
    pub after: f64,
    /// The 95 % interval of the difference, paired by query.
    pub interval: [f64; 2],
    /// Number of parts the queries were split into, each held out once; 1 if one half was held out.
    pub folds: u32,
    /// Seed of the random split.
    pub seed: u32,
}

/// One metric before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Mean under the defaults of the same pipeline.
    pub before: f64,
    /// Mean under the given parameters.
    pub after: f64,
    /// The 95 % interval of the difference, paired by query.
    pub interval: [f64; 2],
}

impl Evidence {
    /// Metrics of a ranking and of its defaults on the same queries; `None` without queries.
    pub fn of(
        queries: String,
        queries_hash: &str,
        before: &[Scores],
        after: &[Scores],
    ) -> Option<Evidence> {
        let (was, is) = (Summary::of(before)?, Summary::of(after)?);
        let measured = |figure: fn(&Scores) -> f64| {
            let all = |scores: &[Scores]| scores.iter().map(figure).collect::<Vec<f64>>();
            let Difference { low, high, .. } = paired_bootstrap(&all(before), &all(after))?;
            Some(Measured {
                before: figure(&was.mean),
                after: figure(&is.mean),
                interval: [low, high],
            })
        };
        Some(Evidence {
            queries,
            queries_hash: queries_hash.to_owned(),
            n: before.len(),
            before: "default".to_owned(),
            ndcg_10: measured(|it| it.ndcg_10)?,
            mrr_10: measured(|it| it.mrr_10)?,
            hit_file: measured(|it| it.hit_file)?,
            held_out: None,
        })
    }

    /// The same with the result of tuning on held-out queries.
    pub fn held_out_by(self, answer: &TuneAnswer) -> Evidence {
        let best = &answer.rows[0];
        let held_out = best.difference.map(|Difference { low, high, .. }| HeldOut {
            metric: answer.metric,
            before: best.held_out - best.to_present,
            after: best.held_out,
            interval: [low, high],
            folds: answer.folds,
            seed: answer.seed,
        });
        Evidence { held_out, ..self }
    }

    /// The metrics in one line, for the user.
    pub fn sentence(&self) -> String {
        if let Some(HeldOut {
            metric,
            before,
            after,
            interval: [low, high],
            folds,
            ..
        }) = self.held_out
        {
            let part = if folds > 1 { "" } else { "half of " };
            return format!(
                "tuned on {part}{} of {}; on queries not used for it {} {after:.3}, {before:.3} before (difference {} to {}, 95 %)",
                counted(self.n),
                memlens_params::brief(&self.queries),
                metric.label(),
                signed(low),
                signed(high),
            );
        }
        let Measured {
            before,
            after,
            interval: [low, high],
        } = self.ndcg_10;
        format!(
            "measured on {} of {}: nDCG@10 {after:.3}, {before:.3} by default (difference {} to {}, 95 %)",
            counted(self.n),
            memlens_params::brief(&self.queries),
            signed(low),
            signed(high),
        )
    }
}

fn counted(n: usize) -> String {
    match n {
        1 => "1 query".to_owned(),
        n => format!("{n} queries"),
    }
}
