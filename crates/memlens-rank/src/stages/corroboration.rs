//! Stage 5: raises what several observations say, and can drop near-duplicates of a better row.
//!
//! A chunk holds several observations. The one that agrees with the most others decides, so that a copied file gains no
//! more than its best-supported line. If near-duplicates collapse, a row is dropped when better rows say every one of
//! its observations, within the same distance.

use memlens_corroborate::{Aggregation, Cluster, Measure};
use memlens_params::{AgreementMeasure, CorroborationBy, NearDuplicates, Params};

use crate::Candidate;
use crate::detail::{Detail, Effect};
use crate::pipeline::{Context, Outcome, Row};
use crate::stages::SWITCHED_OFF;

/// Adds `gain * log2(1 + n)` to every row that `n` others agree with. Drops near-duplicates of better rows if
/// `near_duplicates` is `collapse`.
pub fn corroboration(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let params = context.params;
    let collapses = params.near_duplicates == NearDuplicates::Collapse;
    if !params.corroboration_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if params.corroboration_gain == 0.0 && !collapses {
        return Outcome::skipped("off: gain 0, near-duplicates kept");
    }
    let Some(clustering) = &context.set.clustering else {
        return Outcome::skipped("observations are not aggregated yet");
    };
    let limit = Limit::of(params);
    let mut details: Vec<Detail> = rows
        .iter()
        .map(|row| {
            detail(
                &context.set.candidates[row.slot as usize],
                row,
                clustering,
                &limit,
                params,
            )
        })
        .collect();
    let is_in_cluster = |detail: &Detail| {
        matches!(
            detail,
            Detail::Corroboration {
                observation: Some(_),
                ..
            }
        )
    };
    if !details.iter().any(is_in_cluster) {
        return Outcome::skipped("no chunk is corroborated");
    }
    let n_corroborated = details
        .iter()
        .filter(|detail| matches!(detail, Detail::Corroboration { n_others, .. } if *n_others > 0))
        .count();
    let mut note = format!("{n_corroborated} corroborated");
    if collapses {
        let n_dropped = collapse(context, rows, clustering, &limit, &mut details);
        note = format!("{note}, {n_dropped} near-duplicates dropped");
    }
    Outcome {
        note: Some(note),
        ..Outcome::applied(details)
    }
}

/// Returns the measure by which observations agree, and the greatest level (distance) at which they do.
pub fn cluster_level(params: &Params) -> (Measure, u8) {
    let limit = Limit::of(params);
    (limit.measure, limit.level)
}

/// The greatest distance at which two observations agree.
struct Limit {
    measure: Measure,
    level: u8,
    /// The value of the parameter, in its own unit.
    value: f64,
}

impl Limit {
    fn of(params: &Params) -> Limit {
        match params.agreement_measure {
            AgreementMeasure::Simhash => Limit {
                measure: Measure::Simhash,
                level: params.simhash_distance as u8,
                value: f64::from(params.simhash_distance),
            },
            AgreementMeasure::Words => Limit {
                measure: Measure::Words,
                level: words_level(params.word_overlap),
                value: params.word_overlap,
            },
        }
    }

    fn cluster(&self, clustering: &Aggregation, observation: u32) -> Option<Cluster> {
        clustering.of(self.measure).at(observation, self.level)
    }
}

/// Returns the greatest level at which the share of common words is at least `overlap`.
fn words_level(overlap: f64) -> u8 {
    // 1 - 0.6 is slightly less than 0.4.
    const ROUNDING: f64 = 1e-9;
    ((1.0 - overlap) * 100.0 + ROUNDING) as u8
}

fn detail(
    candidate: &Candidate,
    row: &Row,
    clustering: &Aggregation,
    limit: &Limit,
    params: &Params,
) -> Detail {
    let (mut observation, mut n_others, mut n_agreed) = (None, 0, 0);
    for id in candidate.observations.clone() {
        let Some(cluster) = limit.cluster(clustering, id) else {
            continue;
        };
        n_agreed += 1;
        let n = match params.corroboration_by {
            CorroborationBy::Members => cluster.n_members - 1,
            CorroborationBy::Sources => cluster.n_sources - 1,
        };
        // Ties keep the first.
        if observation.is_none() || n > n_others {
            (observation, n_others) = (Some(id), n);
        }
    }
    Detail::Corroboration {
        base: row.score.unwrap_or(0.0),
        gain: params.corroboration_gain,
        by: params.corroboration_by,
        n_others,
        observation,
        n_observations: candidate.observations.len() as u32,
        n_agreed,
        measure: params.agreement_measure,
        limit: limit.value,
        said_by: Vec::new(),
    }
}

/// Goes down the rows by boosted score and marks those that better rows say. Returns how many it marked.
fn collapse(
    context: &Context<'_>,
    rows: &[Row],
    clustering: &Aggregation,
    limit: &Limit,
    details: &mut [Detail],
) -> u32 {
    let boosted = |detail: &Detail| match detail.effect() {
        Effect::Score(score) => score,
        Effect::Keep | Effect::Place(_) | Effect::Settle { .. } | Effect::Drop => 0.0,
    };
    let mut order: Vec<(f64, u32, usize)> = rows
        .iter()
        .zip(&*details)
        .enumerate()
        .map(|(at, (row, detail))| (boosted(detail), row.order, at))
        .collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));

    // For each cluster, the first kept row that says it, and the observation in question.
    let mut said = Said::default();
    let (mut n_kept, mut n_dropped) = (0, 0);
    for (_, _, at) in order {
        let observations = context.set.candidates[rows[at].slot as usize]
            .observations
            .clone();
        let clusters: Vec<Option<u32>> = observations
            .clone()
            .map(|id| limit.cluster(clustering, id).map(|cluster| cluster.id))
            .collect();
        if let (Detail::Corroboration { said_by, .. }, Some(ranks)) =
            (&mut details[at], said.ranks(observations.start, &clusters))
        {
            *said_by = ranks;
            n_dropped += 1;
            continue;
        }
        n_kept += 1;
        said.take(observations.start, &clusters, n_kept);
    }
    n_dropped
}

/// The clusters that the rows taken so far say.
#[derive(Default)]
struct Said {
    /// Cluster, observation and rank, sorted by cluster.
    by: Vec<(u32, u32, u32)>,
}

impl Said {
    fn take(&mut self, first: u32, clusters: &[Option<u32>], rank: u32) {
        for (observation, cluster) in (first..).zip(clusters) {
            let Some(cluster) = cluster else { continue };
            let at = self.by.partition_point(|(other, ..)| other < cluster);
            // Only the best row that says it is recorded.
            if self.by.get(at).is_none_or(|(other, ..)| other != cluster) {
                self.by.insert(at, (*cluster, observation, rank));
            }
        }
    }

    /// Returns the ranks of the rows that say every observation, ascending. `None` if an observation is not said, or if
    /// each is said only by itself: overlapping text belongs to the repeats stage.
    fn ranks(&self, first: u32, clusters: &[Option<u32>]) -> Option<Vec<u32>> {
        let mut ranks = Vec::new();
        let mut is_by_another = false;
        for (observation, cluster) in (first..).zip(clusters) {
            let cluster = (*cluster)?;
            let at = self.by.partition_point(|(other, ..)| *other < cluster);
            let (_, by, rank) = self.by.get(at).filter(|(other, ..)| *other == cluster)?;
            is_by_another |= *by != observation;
            ranks.push(*rank);
        }
        ranks.sort_unstable();
        ranks.dedup();
        is_by_another.then_some(ranks)
    }
}
