//! Fuses both lists into one score.
//!
//! Every method has the form `(vector_weight * vector + text_weight * text) / divisor`; the methods differ in the scale
//! of the two sides. Under the calibrated method, the share of the question that is identifiers which the memory holds
//! ([`CandidateSet::names`](crate::CandidateSet::names)) moves that share of the vector's weight to the text. There too, a
//! chunk in another language than the question ([`Candidate::is_other_language`](crate::Candidate::is_other_language))
//! gets the text value that its vector value corresponds to among the chunks in the question's language, if its own is
//! lower: it cannot hold the question's words, and a list that cannot find it must not lower it. The RRF score is recorded
//! under every method.

use std::sync::Arc;

use memlens_params::{FusionMethod, Params, StageId};

use crate::look::{Cell, Column, Full, Hue, Look, Score, Sort};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Reason, Record, Term, record};
use crate::trace::{Entry, Status};
use crate::words::{number, setting, times};
use crate::{CellValue, List, ListValue, Names};

/// The value of the worst row of a list under `relative`, so that a listed row always scores above an unlisted one. At
/// 0.2 a vector-only row scores at least 0.12 with the default weights, which is above the default `min_score`.
pub const RELATIVE_FLOOR: f64 = 0.2;

/// How both lists were fused: `((vector_weight - moved) * vector + (text_weight + moved) * text) / divisor`.
#[derive(Debug, Clone, PartialEq)]
pub struct Fusion {
    /// The method that computed `vector` and `text`.
    pub method: FusionMethod,
    /// Whether a list holds the row within its depth; other rows are dropped.
    pub is_listed: bool,
    /// The vector side on the method's scale.
    pub vector: f64,
    /// The text side on the method's scale.
    pub text: f64,
    /// Where `text` comes from if the chunk is in another language than the question and its own text value is lower; `None`
    /// otherwise.
    pub languages: Option<Languages>,
    /// The weight used for the vector side; 0 if that list is not in use.
    pub vector_weight: f64,
    /// The weight used for the text side; 0 if that list is not in use.
    pub text_weight: f64,
    /// The part of `vector_weight` that counts for the text side instead, because the question names identifiers that
    /// the memory holds: `vector_weight * names`.
    pub moved: f64,
    /// The share of such identifiers in the question, in `[0, 1]`; 0 under other methods than the calibrated one.
    pub names: f64,
    /// These identifiers; `None` if no weight moves.
    pub identifiers: Option<Arc<Names>>,
    /// The divisor of the sum, above 0.
    pub divisor: f64,
    /// The normalised RRF score under every method, in `[0, 1]`.
    pub rrf: f64,
    /// The 1-based rank by RRF among the listed rows; `None` for a row in neither list.
    pub rrf_rank: Option<u32>,
    /// The rank in the vector list; `None` beyond its depth.
    pub vector_rank: Option<u32>,
    /// The rank in the BM25 list; `None` beyond its depth.
    pub text_rank: Option<u32>,
    /// The constant `k` that RRF used.
    pub k: u32,
    /// The BM25 score, for the formula of the calibrated method.
    pub bm25: f64,
    /// `BM25_ideal` of the question, for the same formula.
    pub bm25_ideal: f64,
}

/// Fuses the two lists into one score.
pub const STAGE: Stage = Stage {
    id: StageId::FUSION,
    explain: fusion,
    look: Look {
        columns: &[
            Column {
                key: RRF,
                label: "RRF",
                name: "RRF",
                below: "rank · score",
                cell: Cell::Ranked(Score {
                    unit: "reciprocal rank fusion, scaled to 0–1",
                    decimals: 3,
                    full: Full::One,
                    of_row: None,
                }),
                sort: Sort::Rank,
                is_lasting: true,
                weight: 10,
            },
            Column {
                key: "fusion",
                label: "Fused",
                name: "Fused",
                below: "score",
                cell: Cell::Scored(Score {
                    unit: "fused score",
                    decimals: 3,
                    full: Full::BestAboveOne,
                    of_row: None,
                }),
                sort: Sort::Rank,
                is_lasting: true,
                weight: 50,
            },
        ],
        ..Look::of(Hue::Fusion)
    },
};

/// How many identifiers a formula names.
const NAMES_SHOWN_MAX: usize = 3;

/// The column of RRF, which is shown under every method.
const RRF: &str = "rrf";

/// Scores every listed row, and drops the rows that no list holds within its depth.
fn fusion(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let plan = Plan::of(context);
    if plan.vector.is_none() && plan.text.is_none() {
        return Outcome {
            reasons: context.decided(rows.iter().map(|_| unlisted(context.params))),
            ..Outcome::skipped("neither list is in use")
        };
    }

    let params = context.params;
    let sides: Vec<(Side, Side)> = rows
        .iter()
        .map(|row| {
            (
                Side::of(plan.vector, row.slot, params.vector_depth),
                Side::of(plan.text, row.slot, params.bm25_depth),
            )
        })
        .collect();
    let scales = Scales::of(context.params, &sides);

    let rrf: Vec<Option<f64>> = sides.iter().map(|sides| plan.rrf(sides)).collect();
    // The RRF ranks are only displayed; they decide nothing.
    let rrf_ranks = if context.is_recorded {
        rrf_ranks(rows, &rrf)
    } else {
        vec![None; rows.len()]
    };
    let languages = Languages::of(context, &plan, rows, &sides);
    let reasons = rows.iter().zip(&sides).zip(rrf.iter().zip(rrf_ranks)).map(
        |((row, sides), (rrf, rrf_rank))| {
            let fused = plan.reason(context, &scales, sides, rrf.unwrap_or(0.0), rrf_rank);
            match languages {
                Some(languages) if is_other_language(context, row) => {
                    fused.of_other_language(languages)
                }
                Some(_) | None => fused,
            }
        },
    );
    let reasons = context.decided(reasons);

    let alone = match (plan.vector, plan.text) {
        (Some(_), None) => Some("vector alone"),
        (None, Some(_)) => Some("BM25 alone"),
        (Some(_), Some(_)) | (None, None) => None,
    };
    let n_both = sides
        .iter()
        .filter(|(vector, text)| vector.rank.is_some() && text.rank.is_some())
        .count();
    let n_listed = sides
        .iter()
        .filter(|(vector, text)| vector.rank.is_some() || text.rank.is_some())
        .count() as u32;
    Outcome {
        status: plan.status,
        // Rows of neither list are only there to be explained: they did not reach the stage, so it does not count them.
        counts: Some((n_listed, n_listed)),
        note: Some(alone.map_or_else(|| format!("{n_both} in both"), str::to_owned)),
        ..Outcome::applied(reasons)
    }
}

/// A row's value in one list: its rank, `None` beyond the depth, and its raw score, 0 if it has none. The score is set
/// beyond the depth too.
struct Side {
    rank: Option<u32>,
    score: f64,
}

impl Side {
    fn of(list: Option<&List>, slot: u32, depth: u32) -> Side {
        let value = list.map_or_else(ListValue::default, |list| list.value(slot));
        Side {
            rank: value.rank.filter(|rank| *rank <= depth),
            score: value.score.unwrap_or(0.0),
        }
    }
}

/// The best values of the listed chunks in the question's language: what BM25 can give there, and what the vectors can.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Languages {
    /// The highest text value, in `[0, vector]`.
    pub text: f64,
    /// The highest vector value, above 0.
    pub vector: f64,
}

impl Languages {
    /// Without a chunk in the question's language that has a vector value above 0, the vector's value counts for both sides.
    const VECTOR_ALONE: Languages = Languages {
        text: 1.0,
        vector: 1.0,
    };

    /// `None` if nothing is in another language, under other methods than the calibrated one, and for one list alone.
    fn of(
        context: &Context<'_>,
        plan: &Plan<'_>,
        rows: &[Row],
        sides: &[(Side, Side)],
    ) -> Option<Languages> {
        let is_both = plan.vector.is_some() && plan.text.is_some();
        let is_other = |row: &Row| is_other_language(context, row);
        if plan.method != FusionMethod::Calibrated || !is_both || !rows.iter().any(is_other) {
            return None;
        }
        let same = rows.iter().zip(sides).filter(|(row, _)| !is_other(row));
        // Within the depths only: a row that was added to explain it must not change the others.
        let best = same.fold((0.0_f64, 0.0_f64), |best, (_, (vector, text))| {
            let words = calibrated(text.score, context.set.bm25_ideal);
            (
                vector.rank.map_or(best.0, |_| best.0.max(vector.score)),
                text.rank.map_or(best.1, |_| best.1.max(words)),
            )
        });
        Some(match best {
            (vector, text) if vector > 0.0 => Languages {
                text: text.min(vector),
                vector,
            },
            _ => Languages::VECTOR_ALONE,
        })
    }

    /// The text value that a vector value of 1 corresponds to, in `[0, 1]`.
    fn text_per_vector(self) -> f64 {
        self.text / self.vector
    }

    fn shown(self) -> String {
        format!("{} / {}", times(self.text), times(self.vector))
    }
}

fn is_other_language(context: &Context<'_>, row: &Row) -> bool {
    context.set.candidates[row.slot as usize].is_other_language
}

/// Which lists count, and with which weight.
struct Plan<'a> {
    method: FusionMethod,
    /// `None` if this list does not count.
    vector: Option<&'a List>,
    /// `None` if this list does not count.
    text: Option<&'a List>,
    vector_weight: f64,
    text_weight: f64,
    k: u32,
    status: Status,
}

impl<'a> Plan<'a> {
    fn of(context: &Context<'a>) -> Plan<'a> {
        let params = context.params;
        let vector = context.vector_list();
        let mut text = context.text_list();
        let mut status = Status::Applied;
        if !params.fusion_on {
            let alone = if vector.is_some() { "vector" } else { "BM25" };
            status = Status::Skipped {
                why: format!("switched off: the {alone} list alone ranks"),
            };
            text = text.filter(|_| vector.is_none());
        }
        let (vector_weight, text_weight) = match (vector, text) {
            (Some(_), Some(_)) => (params.vector_weight, params.text_weight),
            // The other list alone, at its own scale. Its weight may be 0, because 0 is valid while both lists count.
            (Some(_), None) => (positive(params.vector_weight), 0.0),
            (None, Some(_)) => (0.0, positive(params.text_weight)),
            (None, None) => (0.0, 0.0),
        };
        Plan {
            method: params.fusion,
            vector,
            text,
            vector_weight,
            text_weight,
            k: params.fusion_k,
            status,
        }
    }

    fn weights(&self) -> f64 {
        positive(self.vector_weight + self.text_weight)
    }

    /// Reciprocal rank fusion, divided by the score of a row that is first in every list, so in `[0, 1]`. `None` for a row in
    /// neither list.
    ///
    /// Source: Cormack, Clarke and Buettcher, SIGIR 2009.
    fn rrf(&self, (vector, text): &(Side, Side)) -> Option<f64> {
        (vector.rank.is_some() || text.rank.is_some()).then(|| {
            (self.vector_weight * self.reciprocal(vector.rank)
                + self.text_weight * self.reciprocal(text.rank))
                / self.weights()
        })
    }

    /// `(k + 1) / (k + rank)`: 1 for first place, 0 for a row that the list does not hold.
    fn reciprocal(&self, rank: Option<u32>) -> f64 {
        let k = f64::from(self.k);
        rank.map_or(0.0, |rank| (k + 1.0) / (k + f64::from(rank)))
    }

    fn reason(
        &self,
        context: &Context<'_>,
        scales: &Scales,
        (vector, text): &(Side, Side),
        rrf: f64,
        rrf_rank: Option<u32>,
    ) -> Fusion {
        let (cosine, bm25) = (vector.score, text.score);
        let bm25_ideal = context.set.bm25_ideal;
        // The user means an identifier that the memory holds; a sentence with a similar meaning is less relevant. Nothing moves
        // to a text side without weight.
        let moves = self.method == FusionMethod::Calibrated
            && self.vector.is_some()
            && self.text_weight > 0.0
            && context.set.names.share > 0.0;
        let identifiers = moves.then(|| Arc::clone(&context.set.names));
        let names = identifiers.as_ref().map_or(0.0, |it| it.share);
        let (vector_side, text_side, divisor) = match self.method {
            // Both values count for every row of the union, even if only one list holds it.
            FusionMethod::Calibrated => (cosine, calibrated(bm25, bm25_ideal), self.weights()),
            FusionMethod::Rrf => (
                self.reciprocal(vector.rank),
                self.reciprocal(text.rank),
                self.weights(),
            ),
            FusionMethod::Relative => (
                vector.rank.map_or(0.0, |_| scales.vector.place(cosine)),
                text.rank.map_or(0.0, |_| scales.text.place(bm25)),
                self.weights(),
            ),
            // As OpenClaw shipped it: not divided by the weights; a missing side counts 0.
            FusionMethod::Weighted => (
                vector.rank.map_or(0.0, |_| cosine),
                text.rank.map_or(0.0, |_| bm25 / (1.0 + bm25)),
                1.0,
            ),
        };
        Fusion {
            method: self.method,
            is_listed: vector.rank.is_some() || text.rank.is_some(),
            vector: vector_side,
            text: text_side,
            languages: None,
            vector_weight: self.vector_weight,
            text_weight: self.text_weight,
            moved: self.vector_weight * names,
            names,
            identifiers,
            divisor,
            rrf,
            rrf_rank,
            vector_rank: vector.rank,
            text_rank: text.rank,
            k: self.k,
            bm25,
            bm25_ideal,
        }
    }
}

impl From<FusionMethod> for Term {
    fn from(value: FusionMethod) -> Term {
        Term::Word(value.as_str())
    }
}

impl Fusion {
    /// Returns the reason for a chunk in another language than the question.
    fn of_other_language(self, languages: Languages) -> Fusion {
        // Identifiers are the same in every language: only the other words are replaced.
        let text = (1.0 - self.names) * self.vector * languages.text_per_vector();
        if text <= self.text {
            return self;
        }
        Fusion {
            text,
            languages: Some(languages),
            ..self
        }
    }

    /// Formats the weighted sum of both sides over a divisor; `moved` is the weight that goes from the vector to the
    /// text.
    fn sum(&self, vector: &str, text: &str, moved: f64, divisor: f64) -> String {
        let (of_vector, of_text) = (setting(self.vector_weight), setting(self.text_weight));
        let both = if moved > 0.0 {
            let moved = times(moved);
            format!("({of_vector} \u{2212} {moved}) · {vector} + ({of_text} + {moved}) · {text}")
        } else {
            format!("{of_vector} · {vector} + {of_text} · {text}")
        };
        if divisor == 1.0 {
            both
        } else {
            format!("({both}) / {}", setting(divisor))
        }
    }

    /// The BM25 list's own value under the calibrated method: `bm25 / bm25_ideal`, 0 if no chunk can score.
    fn own_text(&self) -> f64 {
        calibrated(self.bm25, self.bm25_ideal)
    }

    /// The part of the fused score that is due to each list: the vector list and the BM25 list.
    fn sides(&self) -> (f64, f64) {
        let vector = (self.vector_weight - self.moved) * self.vector / self.divisor;
        let text = (self.text_weight + self.moved) * self.text / self.divisor;
        if self.languages.is_some() {
            (vector + text, 0.0)
        } else {
            (vector, text)
        }
    }

    /// Formats the sum of reciprocal ranks. RRF is divided by the weights under every method.
    fn by_rrf(&self) -> String {
        let k = self.k;
        let rank = |rank: Option<u32>| {
            rank.map_or("0".to_owned(), |rank| format!("{}/({k}+{rank})", k + 1))
        };
        let weights = positive(self.vector_weight + self.text_weight);
        let (vector, text) = (rank(self.vector_rank), rank(self.text_rank));
        self.sum(&vector, &text, 0.0, weights)
    }
}

/// Formats the first identifiers and the number of further ones, in brackets.
fn names_text(typed: &[String]) -> String {
    let mut shown: Vec<String> = typed.iter().take(NAMES_SHOWN_MAX).cloned().collect();
    if typed.len() > NAMES_SHOWN_MAX {
        shown.push(format!("{} more", typed.len() - NAMES_SHOWN_MAX));
    }
    if shown.is_empty() {
        String::new()
    } else {
        format!(" ({})", shown.join(", "))
    }
}

impl Reason for Fusion {
    fn effect(&self) -> Effect {
        if self.is_listed {
            let sum = (self.vector_weight - self.moved) * self.vector
                + (self.text_weight + self.moved) * self.text;
            Effect::Score(sum / self.divisor)
        } else {
            Effect::Drop
        }
    }

    fn sentence(&self) -> String {
        let Some(fused) = self.effect().score() else {
            return "in neither list, within their depths".to_owned();
        };
        let rank = self.rrf_rank;
        let rank = rank.map_or_else(String::new, |rank| format!(", rank {rank}"));
        let by_rrf = format!("by RRF {}{rank}", number(self.rrf, 3));
        match self.method {
            FusionMethod::Rrf => by_rrf,
            FusionMethod::Calibrated | FusionMethod::Relative | FusionMethod::Weighted => {
                let language = self.languages.map_or("", |_| {
                    "; in another language than the question, so its vector stands in for its words"
                });
                let method = self.method.as_str();
                format!("{method} {}; {by_rrf}{language}", number(fused, 3))
            }
        }
    }

    fn record(&self) -> Record {
        let mut record = record!("fusion", self: method, is_listed, vector, text, vector_weight, text_weight, moved, names,
            divisor, rrf, rrf_rank, vector_rank, text_rank, k, bm25, bm25_ideal);
        if let Some(Languages { text, vector }) = self.languages {
            record.add("best_text", text.into());
            record.add("best_vector", vector.into());
        }
        record
    }

    fn formulas(&self) -> Vec<(String, f64)> {
        let Some(fused) = self.effect().score() else {
            return Vec::new();
        };
        let by_rrf = self.by_rrf();
        let mut lines = Vec::new();
        if self.method == FusionMethod::Calibrated && self.bm25 > 0.0 {
            let (bm25, ideal) = (number(self.bm25, 2), number(self.bm25_ideal, 2));
            lines.push((format!("text = {bm25} / {ideal}"), self.own_text()));
        }
        if let Some(languages) = self.languages {
            let vector = times(self.vector);
            let share = languages.shown();
            let words = if self.names > 0.0 {
                format!("(1 \u{2212} {}) · ", times(self.names))
            } else {
                String::new()
            };
            lines.push((
                format!("text, in another language = {words}{vector} · {share}"),
                self.text,
            ));
        }
        if let Some(names) = self.identifiers.as_ref().filter(|_| self.moved > 0.0) {
            let weight = setting(self.vector_weight);
            let (held, all) = (number(names.held, 2), number(names.all, 2));
            let shown = names_text(&names.typed);
            lines.push((
                format!("identifiers{shown} = {weight} · {held} / {all}"),
                self.moved,
            ));
        }
        match self.method {
            FusionMethod::Rrf => lines.push((by_rrf, fused)),
            FusionMethod::Calibrated | FusionMethod::Relative | FusionMethod::Weighted => {
                let (vector, text) = (times(self.vector), times(self.text));
                let sum = self.sum(&vector, &text, self.moved, self.divisor);
                lines.push((sum, fused));
                lines.push((format!("RRF: {by_rrf}"), self.rrf));
            }
        }
        lines
    }

    fn shares(&self) -> Vec<(StageId, f64)> {
        if !self.is_listed {
            return Vec::new();
        }
        let (vector, text) = self.sides();
        vec![(StageId::VECTOR, vector), (StageId::BM25, text)]
    }

    fn cell(&self, column: &Column, entry: &Entry) -> CellValue {
        if !self.is_listed {
            CellValue::default()
        } else if column.key == RRF {
            CellValue {
                rank: self.rrf_rank,
                ..CellValue::of(self.rrf)
            }
        } else {
            CellValue {
                rank: entry.rank_after,
                ..CellValue::of(entry.score_after)
            }
        }
    }

    fn total(&self) -> Option<&'static str> {
        Some("Fused")
    }
}

/// Returns a BM25 score as a share of the ideal, 0 if that is 0.
fn calibrated(bm25: f64, ideal: f64) -> f64 {
    if ideal > 0.0 { bm25 / ideal } else { 0.0 }
}

/// Returns the weight, or 1 if it is 0. Used where no other weight could count.
fn positive(weight: f64) -> f64 {
    if weight > 0.0 { weight } else { 1.0 }
}

fn unlisted(params: &Params) -> Fusion {
    Fusion {
        method: params.fusion,
        is_listed: false,
        vector: 0.0,
        text: 0.0,
        languages: None,
        vector_weight: 0.0,
        text_weight: 0.0,
        moved: 0.0,
        names: 0.0,
        identifiers: None,
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

/// Returns the 1-based rank by RRF among the listed rows; ties follow the total order.
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

/// The lowest and the highest score of each list within its depth. Only computed for the method `relative`.
struct Scales {
    vector: Scale,
    text: Scale,
}

impl Scales {
    fn of(params: &Params, sides: &[(Side, Side)]) -> Scales {
        let mut scales = Scales {
            vector: Scale::EMPTY,
            text: Scale::EMPTY,
        };
        if params.fusion != FusionMethod::Relative {
            return scales;
        }
        for (vector, text) in sides {
            if vector.rank.is_some() {
                scales.vector.stretch(vector.score);
            }
            if text.rank.is_some() {
                scales.text.stretch(text.score);
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

    /// Maps a listed score to `[RELATIVE_FLOOR, 1]`. If all hits have the same score, the result is 1.
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
