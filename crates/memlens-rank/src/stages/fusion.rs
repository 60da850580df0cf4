//! Stage 3: both lists become one score.
//!
//! Every method has the form `(vector_weight * vector + text_weight * text) / divisor`; the methods
//! differ in the scale of the two sides. The RRF score stands beside it whatever the method.

use memlens_params::{FusionMethod, Params};

use crate::detail::Detail;
use crate::pipeline::{Context, Outcome, Row};
use crate::trace::Status;

/// The value of the worst row of a list under `relative`, so that a listed row never scores as an
/// unlisted one. At 0.2 a vector-only row scores at least 0.12 with the default weights, above the
/// default `min_score`.
pub const RELATIVE_FLOOR: f64 = 0.2;

/// Gives every listed row its score, and drops the rows that no list holds within its depth.
pub fn fusion(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let plan = Plan::of(context);
    if !plan.uses_vector && !plan.uses_text {
        return Outcome {
            details: rows.iter().map(|_| unlisted(context.params)).collect(),
            ..Outcome::skipped("neither list is in use")
        };
    }

    let places: Vec<(Option<u32>, Option<u32>)> = rows
        .iter()
        .map(|row| {
            let vector = plan
                .uses_vector
                .then(|| context.vector_rank(row.slot))
                .flatten();
            let text = plan
                .uses_text
                .then(|| context.text_rank(row.slot))
                .flatten();
            (vector, text)
        })
        .collect();
    let scales = Scales::of(context, rows, &places);

    let rrf: Vec<Option<f64>> = places.iter().map(|place| plan.rrf(*place)).collect();
    let rrf_ranks = rrf_ranks(rows, &rrf);
    let details = rows
        .iter()
        .zip(&places)
        .zip(rrf.iter().zip(rrf_ranks))
        .map(|((row, place), (rrf, rrf_rank))| {
            plan.detail(
                context,
                &scales,
                row.slot,
                *place,
                rrf.unwrap_or(0.0),
                rrf_rank,
            )
        })
        .collect();

    let alone = match (plan.uses_vector, plan.uses_text) {
        (true, false) => Some("vector alone"),
        (false, true) => Some("BM25 alone"),
        (true, true) | (false, false) => None,
    };
    let n_both = places
        .iter()
        .filter(|(vector, text)| vector.is_some() && text.is_some())
        .count();
    Outcome {
        status: plan.status,
        note: Some(alone.map_or_else(|| format!("{n_both} in both"), str::to_owned)),
        ..Outcome::applied(details)
    }
}

/// Says which sides count, and how much.
struct Plan {
    method: FusionMethod,
    uses_vector: bool,
    uses_text: bool,
    vector_weight: f64,
    text_weight: f64,
    k: u32,
    status: Status,
}

impl Plan {
    fn of(context: &Context<'_>) -> Plan {
        let params = context.params;
        let uses_vector = context.uses_vector();
        let mut uses_text = context.uses_text();
        let mut status = Status::Applied;
        if !params.fusion_on {
            let alone = if uses_vector { "vector" } else { "BM25" };
            status = Status::Skipped {
                why: format!("switched off: the {alone} list alone ranks"),
            };
            uses_text = uses_text && !uses_vector;
        }
        let (vector_weight, text_weight) = match (uses_vector, uses_text) {
            (true, true) => (params.vector_weight, params.text_weight),
            // The other side alone, at its own scale; its weight may be 0 only beside the other.
            (true, false) => (positive(params.vector_weight), 0.0),
            (false, true) => (0.0, positive(params.text_weight)),
            (false, false) => (0.0, 0.0),
        };
        Plan {
            method: params.fusion,
            uses_vector,
            uses_text,
            vector_weight,
            text_weight,
            k: params.fusion_k,
            status,
        }
    }

    fn weights(&self) -> f64 {
        positive(self.vector_weight + self.text_weight)
    }

    /// Reciprocal rank fusion, divided by what first place in every list gives, so in `[0, 1]`.
    ///
    /// Source: Cormack, Clarke and Buettcher, SIGIR 2009. None for a row in neither list.
    fn rrf(&self, (vector, text): (Option<u32>, Option<u32>)) -> Option<f64> {
        (vector.is_some() || text.is_some()).then(|| {
            (self.vector_weight * self.reciprocal(vector)
                + self.text_weight * self.reciprocal(text))
                / self.weights()
        })
    }

    /// `(k + 1) / (k + rank)`: 1 for first place, 0 for a row that the list does not hold.
    fn reciprocal(&self, rank: Option<u32>) -> f64 {
        let k = f64::from(self.k);
        rank.map_or(0.0, |rank| (k + 1.0) / (k + f64::from(rank)))
    }

    fn detail(
        &self,
        context: &Context<'_>,
        scales: &Scales,
        slot: u32,
        (vector_rank, text_rank): (Option<u32>, Option<u32>),
        rrf: f64,
        rrf_rank: Option<u32>,
    ) -> Detail {
        let candidate = &context.set.candidates[slot as usize];
        let cosine = candidate.vector.score.unwrap_or(0.0);
        let bm25 = candidate.text.score.unwrap_or(0.0);
        let ideal = context.set.bm25_ideal;
        let (vector, text, divisor) = match self.method {
            // Both values count for every row of the union, listed there or not.
            FusionMethod::Calibrated => (
                cosine,
                if ideal > 0.0 { bm25 / ideal } else { 0.0 },
                self.weights(),
            ),
            FusionMethod::Rrf => (
                self.reciprocal(vector_rank),
                self.reciprocal(text_rank),
                self.weights(),
            ),
            FusionMethod::Relative => (
                vector_rank.map_or(0.0, |_| scales.vector.place(cosine)),
                text_rank.map_or(0.0, |_| scales.text.place(bm25)),
                self.weights(),
            ),
            // As OpenClaw shipped it: not divided by the weights, an absent side counts 0.
            FusionMethod::Weighted => (
                vector_rank.map_or(0.0, |_| cosine),
                text_rank.map_or(0.0, |_| bm25 / (1.0 + bm25)),
                1.0,
            ),
        };
        Detail::Fusion {
            method: self.method,
            is_listed: vector_rank.is_some() || text_rank.is_some(),
            vector: if self.uses_vector { vector } else { 0.0 },
            text: if self.uses_text { text } else { 0.0 },
            vector_weight: self.vector_weight,
            text_weight: self.text_weight,
            divisor,
            rrf,
            rrf_rank,
            vector_rank,
            text_rank,
            k: self.k,
            bm25,
            bm25_ideal: ideal,
        }
    }
}

/// Returns the weight, or 1 where it is 0 and nothing else could weigh.
pub(crate) fn positive(weight: f64) -> f64 {
    if weight > 0.0 { weight } else { 1.0 }
}

fn unlisted(params: &Params) -> Detail {
    Detail::Fusion {
        method: params.fusion,
        is_listed: false,
        vector: 0.0,
        text: 0.0,
        vector_weight: 0.0,
        text_weight: 0.0,
        divisor: 1.0,
        rrf: 0.0,
        rrf_rank: None,
        vector_rank: None,
        text_rank: None,
        k: params.fusion_k,
        bm25: 0.0,
        bm25_ideal: 0.0,
    }
}

/// Returns the 1-based place by RRF among the listed rows, ties by the total order.
fn rrf_ranks(rows: &[Row], rrf: &[Option<f64>]) -> Vec<Option<u32>> {
    let mut listed: Vec<(f64, u32, usize)> = rows
        .iter()
        .zip(rrf)
        .enumerate()
        .filter_map(|(at, (row, score))| score.map(|score| (score, row.order, at)))
        .collect();
    listed.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut ranks = vec![None; rows.len()];
    for (rank, (_, _, at)) in listed.into_iter().enumerate() {
        ranks[at] = Some(rank as u32 + 1);
    }
    ranks
}

/// Holds the lowest and the highest score of each list within its depth.
struct Scales {
    vector: Scale,
    text: Scale,
}

impl Scales {
    fn of(context: &Context<'_>, rows: &[Row], places: &[(Option<u32>, Option<u32>)]) -> Scales {
        let mut scales = Scales {
            vector: Scale::EMPTY,
            text: Scale::EMPTY,
        };
        if context.params.fusion != FusionMethod::Relative {
            return scales;
        }
        for (row, (vector, text)) in rows.iter().zip(places) {
            let candidate = &context.set.candidates[row.slot as usize];
            if vector.is_some() {
                scales.vector.stretch(candidate.vector.score.unwrap_or(0.0));
            }
            if text.is_some() {
                scales.text.stretch(candidate.text.score.unwrap_or(0.0));
            }
        }
        scales
    }
}

struct Scale {
    min: f64,
    max: f64,
}

impl Scale {
    const EMPTY: Scale = Scale {
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
    };

    fn stretch(&mut self, score: f64) {
        self.min = self.min.min(score);
        self.max = self.max.max(score);
    }

    /// Maps a listed score to `[RELATIVE_FLOOR, 1]`; a list of one hit, or of equals, scores 1.
    fn place(&self, score: f64) -> f64 {
        let width = self.max - self.min;
        let share = if width > 0.0 {
            (score - self.min) / width
        } else {
            1.0
        };
        RELATIVE_FLOOR + (1.0 - RELATIVE_FLOOR) * share
    }
}
