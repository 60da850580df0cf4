//! Raises what several observations say, and can drop near-duplicates of a better row.
//!
//! A chunk holds several observations. The one that agrees with the most others decides, so that a copied file gains no
//! more than its best-supported line. If near-duplicates collapse, a row is dropped when better rows say every one of
//! its observations, within the same distance.

use memlens_corroborate::{Aggregation, Cluster, Measure};
use memlens_params::{AgreementMeasure, CorroborationBy, NearDuplicates, Params, StageId};

use crate::look::{Cell, Column, Hue, Look, Sort};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Reason, Record, Term, record};
use crate::stages::SWITCHED_OFF;
use crate::trace::Entry;
use crate::words::{alike, number, ranks_text, scored, setting, share, times};
use crate::{Candidate, CellValue};

/// The greatest number of others that count. At the default gain they add at most 0.317.
const OTHERS_MAX: u32 = 8;

/// How many others say the same: `base + gain * log2(1 + min(n_others, 8))`.
#[derive(Debug, Clone, PartialEq)]
pub struct Corroboration {
    /// The score before the stage.
    pub base: f64,
    /// What each doubling of `1 + n_others` adds.
    pub gain: f64,
    /// Whether members or sources are counted.
    pub by: CorroborationBy,
    /// Number of other members or sources that say the same as the row's best-supported observation.
    pub n_others: u32,
    /// The best-supported observation, an id of the aggregation; `None` if none of the row's observations is in a
    /// cluster.
    pub observation: Option<u32>,
    /// Number of observations that the row holds.
    pub n_observations: u32,
    /// Number of the row's observations that another one agrees with.
    pub n_agreed: u32,
    /// The measure by which observations agree.
    pub measure: AgreementMeasure,
    /// The greatest number of differing bits, or the least share of common words, at which two observations agree.
    pub limit: f64,
    /// The 1-based ranks, after this stage, of better rows that together say all of it, ascending; the row is dropped
    /// then. Empty if they do not, or if near-duplicates are kept.
    pub said_by: Vec<u32>,
}

/// Raises what several observations say.
pub const STAGE: Stage = Stage {
    id: StageId::CORROBORATION,
    explain: corroboration,
    look: Look {
        columns: &[Column {
            key: "corroboration",
            label: "Corrob.",
            name: "Corroboration",
            below: "others · add",
            cell: Cell::Counted {
                one: "other says the same",
                many: "others say the same",
                without: "Nothing else says the same",
            },
            sort: Sort::Value,
            is_lasting: false,
            weight: 60,
        }],
        ..Look::of(Hue::Corroboration)
    },
};

/// Adds `gain * log2(1 + n)` to every row that `n` others agree with. Drops near-duplicates of better rows if
/// `near_duplicates` is `collapse`.
fn corroboration(context: &Context<'_>, rows: &[Row]) -> Outcome {
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
    let mut reasons: Vec<Corroboration> = rows
        .iter()
        .map(|row| {
            let candidate = &context.set.candidates[row.slot as usize];
            reason(candidate, row, clustering, &limit, params)
        })
        .collect();
    if reasons.iter().all(|reason| reason.observation.is_none()) {
        return Outcome::skipped("no chunk is corroborated");
    }
    let n_corroborated = reasons.iter().filter(|reason| reason.n_others > 0).count();
    let mut note = format!("{n_corroborated} corroborated");
    if collapses {
        let n_dropped = collapse(context, rows, clustering, &limit, &mut reasons);
        note = format!("{note}, {n_dropped} near-duplicates dropped");
    }
    Outcome {
        note: Some(note),
        ..Outcome::applied(context.decided(reasons))
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

fn reason(
    candidate: &Candidate,
    row: &Row,
    clustering: &Aggregation,
    limit: &Limit,
    params: &Params,
) -> Corroboration {
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
    Corroboration {
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
    reasons: &mut [Corroboration],
) -> u32 {
    let boosted = |reason: &Corroboration| reason.effect().score().unwrap_or(0.0);
    let mut order: Vec<(f64, u32, usize)> = rows
        .iter()
        .zip(&*reasons)
        .enumerate()
        .map(|(at, (row, reason))| (boosted(reason), row.order, at))
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
        if let Some(ranks) = said.ranks(observations.start, &clusters) {
            reasons[at].said_by = ranks;
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

impl From<CorroborationBy> for Term {
    fn from(value: CorroborationBy) -> Term {
        Term::Word(value.as_str())
    }
}

impl From<AgreementMeasure> for Term {
    fn from(value: AgreementMeasure) -> Term {
        Term::Word(value.as_str())
    }
}

impl Corroboration {
    /// `gain * log2(1 + min(n_others, OTHERS_MAX))`.
    fn boost(&self) -> f64 {
        self.gain * (1.0 + f64::from(self.n_others.min(OTHERS_MAX))).log2()
    }

    /// Returns when two observations agree.
    fn clustering_text(&self) -> String {
        let limit = self.limit;
        match self.measure {
            AgreementMeasure::Simhash if limit == 0.0 => "equal word fingerprints".to_owned(),
            AgreementMeasure::Simhash => {
                format!("word fingerprints at least {} alike", alike(limit as u32))
            }
            AgreementMeasure::Words => format!("word overlap of at least {}", share(limit)),
        }
    }
}

impl Reason for Corroboration {
    fn effect(&self) -> Effect {
        if self.said_by.is_empty() {
            Effect::Score(self.base + self.boost())
        } else {
            Effect::Drop
        }
    }

    fn sentence(&self) -> String {
        let how = self.clustering_text();
        if !self.said_by.is_empty() {
            return format!("already said by {} ({how})", ranks_text(&self.said_by));
        }
        if self.n_observations == 0 {
            return "contains no observation".to_owned();
        }
        if self.n_agreed == 0 {
            return format!("no other observation says the same ({how})");
        }
        let who = match (self.by, self.n_others) {
            (CorroborationBy::Members, 1) => "1 other observation says".to_owned(),
            (CorroborationBy::Members, n) => format!("{n} other observations say"),
            (CorroborationBy::Sources, 0) => "no other source says".to_owned(),
            (CorroborationBy::Sources, 1) => "1 other source says".to_owned(),
            (CorroborationBy::Sources, n) => format!("{n} other sources say"),
        };
        let counts = match (self.n_agreed, self.n_observations) {
            (_, 1) => String::new(),
            (agreed, all) => {
                format!(
                    "; scored by its best-supported observation ({agreed} of {all} corroborated)"
                )
            }
        };
        let boost = number(self.boost(), 3);
        let capped = if self.n_others > OTHERS_MAX {
            format!(", {OTHERS_MAX} of them count")
        } else {
            String::new()
        };
        format!("+{boost}: {who} the same{capped} ({how}){counts}")
    }

    fn record(&self) -> Record {
        record!("corroboration", self: base, gain, by, n_others, observation, n_observations, n_agreed, measure, limit,
            said_by)
    }

    fn cell(&self, _: &Column, _: &Entry) -> CellValue {
        CellValue::of(f64::from(self.n_others))
    }

    fn formulas(&self) -> Vec<(String, f64)> {
        if self.observation.is_none() || !self.said_by.is_empty() {
            return Vec::new();
        }
        let expression = format!(
            "{} + {} · log2(1 + {})",
            times(self.base),
            setting(self.gain),
            self.n_others.min(OTHERS_MAX)
        );
        scored(expression, self.effect())
    }
}
