//! The reasons of Hindsight's stages for one memory: numbers, effect, sentence and formulas.

use memlens_params::StageId;
use memlens_rank::{Effect, ListValue, Reason, number};

use super::facts::{ArmKind, Dated};
use super::params::{BM25, Boost, FUSION, Recency, SEMANTIC};
use crate::staging::{Place, precise, settled};

/// Added to every rank, which reduces the weight of the first ranks.
const RANK_OFFSET: f64 = 60.0;
/// Difference of the scores of the first and the last place, if nothing is reranked.
const PLACE_SPAN: f64 = 0.9;
/// The value that neither raises nor lowers a score.
const NEUTRAL: f64 = 0.5;
/// Weights of recency, time and proofs.
const RECENCY_WEIGHT: f64 = 0.2;
const TEMPORAL_WEIGHT: f64 = 0.2;
const PROOF_WEIGHT: f64 = 0.1;
/// Number of days in which linear recency falls to its minimum, that minimum, and the half-life of exponential recency.
const LINEAR_DAYS: f64 = 365.0;
const LINEAR_LEAST: f64 = 0.1;
const HALF_LIFE_DAYS: f64 = 90.0;
/// The divisor of the logarithm of the number of proofs.
const PROOF_SCALE: f64 = 10.0;

/// A memory's place in one arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The arm that holds it.
    pub arm: ArmKind,
    /// The boost of the arm.
    pub boost: Boost,
    /// The 1-based rank in the arm.
    pub rank: u32,
}

impl Ranked {
    fn share(&self) -> f64 {
        1.0 / (RANK_OFFSET + f64::from(self.rank))
    }
    fn boosted_share(&self) -> f64 {
        let divisor = self.boost.divisor().unwrap_or(1.0);
        1.0 / (RANK_OFFSET + f64::from(self.rank) / divisor)
    }
    /// Returns what a boosted arm adds to the score; the temporal arm adds the same for every rank.
    fn bonus(&self) -> f64 {
        let Some(divisor) = self.boost.divisor() else {
            return 0.0;
        };
        let share = match self.arm {
            ArmKind::Temporal => 1.0,
            ArmKind::Semantic | ArmKind::Bm25 | ArmKind::Graph => {
                divisor / (divisor + f64::from(self.rank) - 1.0)
            }
        };
        self.boost.most() * share
    }
    fn stage(&self) -> StageId {
        match self.arm {
            ArmKind::Semantic => SEMANTIC,
            ArmKind::Bm25 => BM25,
            ArmKind::Graph | ArmKind::Temporal => FUSION,
        }
    }
}

fn ranks_of(ranked: &[Ranked]) -> String {
    let named = |it: &Ranked| format!("{} {}", it.arm.as_str(), it.rank);
    let named: Vec<String> = ranked.iter().map(named).collect();
    named.join(", ")
}

/// The place of a memory in an arm.
#[derive(Debug)]
pub struct Listed {
    /// The rank and score; both `None` if the arm does not hold it.
    pub value: ListValue,
}

impl Reason for Listed {
    fn effect(&self) -> Effect {
        Effect::Keep
    }
    fn sentence(&self) -> String {
        match (self.value.rank, self.value.score) {
            (Some(rank), Some(score)) => format!("rank {rank}: {}", precise(score)),
            (Some(rank), None) => format!("rank {rank}"),
            (None, _) => "not in this arm".to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let rank = self.value.rank.map(|it| ("rank", f64::from(it)));
        let score = self.value.score.map(|it| ("score", it));
        rank.into_iter().chain(score).collect()
    }
    fn listed(&self) -> Option<ListValue> {
        Some(self.value)
    }
}

/// The fused order of all arms.
#[derive(Debug)]
pub struct Fused {
    /// The memory's place in every arm that holds it.
    pub ranked: Vec<Ranked>,
    /// If the arms take turns, the score: the number of memories from here on. `None` if ranks are summed.
    pub turns: Option<u32>,
    /// The memory's place after this stage.
    pub place: Place,
}

impl Fused {
    /// Returns the sum over the ranks.
    pub fn score_of(ranked: &[Ranked]) -> f64 {
        ranked.iter().map(Ranked::share).sum()
    }
    fn score(&self) -> f64 {
        match self.turns {
            Some(turns) => f64::from(turns),
            None => Fused::score_of(&self.ranked),
        }
    }
}

impl Reason for Fused {
    fn effect(&self) -> Effect {
        settled(self.place, self.score())
    }
    fn sentence(&self) -> String {
        if self.place.is_none() {
            return "in none of the arms, as far as they count".to_owned();
        }
        let ranks = ranks_of(&self.ranked);
        match self.turns {
            Some(turns) => {
                format!("ranks: {ranks}; the arms take turns, and {turns} come from here on")
            }
            None => format!("ranks: {ranks}"),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let mut terms = vec![("score", self.score())];
        terms.extend(
            self.ranked
                .iter()
                .map(|it| ("arm_rank", f64::from(it.rank))),
        );
        terms
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        if self.place.is_none() || self.turns.is_some() {
            return Vec::new();
        }
        let term = |it: &Ranked| format!("1 / ({RANK_OFFSET} + {})", it.rank);
        let terms: Vec<String> = self.ranked.iter().map(term).collect();
        vec![(terms.join(" + "), self.score())]
    }
    fn shares(&self) -> Vec<(StageId, f64)> {
        if self.turns.is_some() {
            return vec![(FUSION, self.score())];
        }
        let shares = self.ranked.iter().map(|it| (it.stage(), it.share()));
        let mut sums: Vec<(StageId, f64)> = Vec::new();
        for (stage, amount) in shares {
            match sums.iter_mut().find(|(known, _)| *known == stage) {
                Some((_, sum)) => *sum += amount,
                None => sums.push((stage, amount)),
            }
        }
        sums
    }
}

/// Whether a memory is among those that are reranked.
#[derive(Debug)]
pub struct Trimmed {
    /// The 1-based rank, with the boosts of arms.
    pub rank: u32,
    /// Number of memories that are reranked.
    pub limit: u32,
}

impl Trimmed {
    /// Returns the value by which memories are ordered before some are cut: the sum over the ranks, which boosted arms
    /// divide.
    pub fn worth(ranked: &[Ranked]) -> f64 {
        ranked.iter().map(Ranked::boosted_share).sum()
    }
}

impl Reason for Trimmed {
    fn effect(&self) -> Effect {
        if self.rank <= self.limit {
            Effect::Keep
        } else {
            Effect::Drop
        }
    }
    fn sentence(&self) -> String {
        format!(
            "place {}: the first {} memories are reranked",
            self.rank, self.limit
        )
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("rank", f64::from(self.rank)),
            ("limit", f64::from(self.limit)),
        ]
    }
}

/// The reranked score, in 0..1.
#[derive(Debug)]
pub struct Reranked {
    /// The source of the score.
    pub by: By,
    /// The memory's place after this stage.
    pub place: u32,
}

/// The source of a reranked score.
#[derive(Debug, Clone, Copy)]
pub enum By {
    /// The score of the cross-encoder, unchanged.
    Score(f64),
    /// The cross-encoder's score, mapped into 0..1 because not all were in that range.
    Squeezed(f64),
    /// The cross-encoder's score was NaN.
    NoNumber,
    /// The cross-encoder did not score it.
    NotScored,
    /// The 0-based place, and the number of places.
    Place(u32, u32),
}

impl By {
    /// Returns the score in 0..1.
    pub fn score(self) -> f64 {
        match self {
            By::Score(score) => score,
            By::Squeezed(score) => 1.0 / (1.0 + (-score).exp()),
            By::NoNumber | By::NotScored => 0.0,
            By::Place(_, 0..=1) => 1.0,
            By::Place(at, n) => 1.0 - PLACE_SPAN * f64::from(at) / (f64::from(n) - 1.0),
        }
    }
}

impl Reason for Reranked {
    fn effect(&self) -> Effect {
        Effect::Settle {
            place: self.place,
            score: self.by.score(),
        }
    }
    fn sentence(&self) -> String {
        match self.by {
            By::Score(score) => format!("its cross-encoder gave {}", precise(score)),
            By::Squeezed(score) => format!(
                "its cross-encoder gave {}, squeezed into 0..1 as not all scores were there",
                precise(score)
            ),
            By::NoNumber => "its cross-encoder gave no number, which counts 0".to_owned(),
            By::NotScored => "its cross-encoder did not come so far, which counts 0".to_owned(),
            By::Place(at, n) => format!("place {} of {n}, as nothing reranks", at + 1),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let score = ("rerank_normalized", self.by.score());
        match self.by {
            By::Score(raw) | By::Squeezed(raw) => vec![("rerank", raw), score],
            By::NoNumber | By::NotScored => vec![score],
            By::Place(at, n) => vec![("place", f64::from(at)), ("n", f64::from(n)), score],
        }
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        let formula = match self.by {
            By::Squeezed(raw) => format!("1 / (1 + exp(-({})))", number(raw, 4)),
            By::Place(at, n) if n > 1 => format!("1 - {PLACE_SPAN} × {at} / ({n} - 1)"),
            By::Place(..) | By::Score(_) | By::NoNumber | By::NotScored => return Vec::new(),
        };
        vec![(formula, self.by.score())]
    }
}

/// The reranked score after time, proofs and boosts.
#[derive(Debug)]
pub struct Scored {
    /// The reranked score before this stage.
    pub base: f64,
    /// How recent the memory is, in 0..1.
    pub recency: f64,
    /// How close it is to the time that the question names, in 0..1.
    pub temporal: f64,
    /// How well it is proved, in 0..1.
    pub proof: f64,
    /// The memory's place in every arm.
    pub ranked: Vec<Ranked>,
}

impl Scored {
    /// Returns how recent a memory is.
    pub fn recency(dated: Option<Dated>, function: Recency) -> f64 {
        let Some(dated) = dated else {
            return NEUTRAL;
        };
        let recency = match function {
            Recency::None => return NEUTRAL,
            Recency::Linear => (1.0 - dated.days / LINEAR_DAYS).clamp(LINEAR_LEAST, 1.0),
            Recency::Exponential => 0.5_f64.powf(dated.days / HALF_LIFE_DAYS).min(1.0),
        };
        if dated.is_period {
            recency.min(NEUTRAL)
        } else {
            recency
        }
    }

    /// Returns how close it is to the time that the question names.
    pub fn temporal(proximity: Option<f64>) -> f64 {
        proximity.unwrap_or(NEUTRAL)
    }

    /// Returns how well it is proved.
    pub fn proof(n_proofs: Option<u32>) -> f64 {
        match n_proofs {
            Some(n) if n > 0 => (NEUTRAL + f64::from(n).ln() / PROOF_SCALE).clamp(0.0, 1.0),
            _ => NEUTRAL,
        }
    }

    fn factors(&self) -> [f64; 3] {
        [
            1.0 + RECENCY_WEIGHT * (self.recency - NEUTRAL),
            1.0 + TEMPORAL_WEIGHT * (self.temporal - NEUTRAL),
            1.0 + PROOF_WEIGHT * (self.proof - NEUTRAL),
        ]
    }
    fn bonus(&self) -> f64 {
        self.ranked
            .iter()
            .map(Ranked::bonus)
            .fold(0.0, |sum, it| sum + it)
    }
    fn score(&self) -> f64 {
        self.base * self.factors().iter().product::<f64>() + self.bonus()
    }
}

impl Reason for Scored {
    fn effect(&self) -> Effect {
        Effect::Score(self.score())
    }
    fn sentence(&self) -> String {
        let bonus = match self.bonus() {
            0.0 => String::new(),
            bonus => format!(", and {} more for boosted arms", precise(bonus)),
        };
        format!(
            "recency {}, time {}, proofs {}, where {NEUTRAL} changes nothing{bonus}",
            number(self.recency, 2),
            number(self.temporal, 2),
            number(self.proof, 2)
        )
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("rerank_normalized", self.base),
            ("recency", self.recency),
            ("temporal", self.temporal),
            ("proof", self.proof),
            ("bonus", self.bonus()),
        ]
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        let factors = self.factors().map(|it| number(it, 4)).join(" × ");
        let bonus = match self.bonus() {
            0.0 => String::new(),
            bonus => format!(" + {}", number(bonus, 4)),
        };
        let formula = format!("{} × {factors}{bonus}", number(self.base, 4));
        vec![(formula, self.score())]
    }
}

/// The decision of a minimum score.
#[derive(Debug)]
pub struct Cut {
    /// The score of the memory.
    pub score: f64,
    /// The least score that is kept.
    pub least: f64,
    /// Whether it is the final minimum.
    pub is_final: bool,
}

impl Reason for Cut {
    fn effect(&self) -> Effect {
        if self.score >= self.least {
            Effect::Keep
        } else {
            Effect::Drop
        }
    }
    fn sentence(&self) -> String {
        let (score, least) = (precise(self.score), number(self.least, 2));
        if self.score >= self.least {
            format!("{score} reaches {least}")
        } else {
            format!("{score} is below {least}")
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![("score", self.score), ("least", self.least)]
    }
    fn least(&self) -> Option<f64> {
        self.is_final.then_some(self.least)
    }
}
