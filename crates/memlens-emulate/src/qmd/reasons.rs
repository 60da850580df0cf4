//! The reasons of qmd's stages for one note: numbers, effect, sentence and formulas.

use memlens_params::StageId;
use memlens_rank::{Effect, ListValue, Reason, number};

use super::document::Shown;
use super::facts::{Chunk, Hit};
use super::params::{FUSION, LINES, TEXT, VECTOR};
use crate::staging::{Place, precise, settled};

/// Added to every rank, which reduces the weight of the first ranks.
const RANK_OFFSET: f64 = 60.0;
/// Bonus for a first place in any list, and for a second or third.
const FIRST_BONUS: f64 = 0.05;
const NEXT_BONUS: f64 = 0.02;
/// The last rank with a bonus.
const NEXT_RANK: u32 = 3;
/// Weight of the place relative to the reranker's score: up to rank 3, up to rank 10, and after.
const POSITION_WEIGHTS: [(u32, f64); 3] = [(3, 0.75), (10, 0.60), (u32::MAX, 0.40)];

/// Returns the weight of a place relative to the reranker's score.
pub fn position_weight(rank: u32) -> f64 {
    let band = POSITION_WEIGHTS.iter().find(|(last, _)| rank <= *last);
    band.map_or(1.0, |(_, weight)| *weight)
}

/// The place of a note in a list of the question.
#[derive(Debug)]
pub struct Listed {
    /// Its place among all notes; `None` if the list does not hold it at all.
    pub hit: Option<Hit>,
    /// Its rank among the notes that the list returns.
    pub rank: Option<u32>,
    /// Whether the list is deep enough to reach this note.
    pub is_reached: bool,
    /// Number of notes that the list returns.
    pub depth: u32,
    /// Number of matches or chunks that it inspects for that.
    pub reach: u32,
    /// Whether it is the text list.
    pub is_words: bool,
}

impl Reason for Listed {
    fn effect(&self) -> Effect {
        Effect::Keep
    }
    fn sentence(&self) -> String {
        let Some(hit) = self.hit else {
            let why = if self.is_words {
                "does not hold every word of the question"
            } else {
                "has no vector, or lies too deep"
            };
            return why.to_owned();
        };
        let what = if self.is_words { "score" } else { "cosine" };
        let score = precise(hit.score);
        if let Some(rank) = self.rank {
            return format!("rank {rank}: {what} {score}");
        }
        if self.is_reached {
            return format!(
                "rank {}, {what} {score}: beyond the {} notes that qmd takes",
                hit.rank, self.depth
            );
        }
        let (reach, deep) = (hit.reach, self.reach);
        if self.is_words {
            format!(
                "{what} {score}: match {reach} of all collections, and qmd looks at the best {deep}"
            )
        } else {
            format!(
                "{what} {score}: its best chunk is number {reach}, and qmd looks at the best {deep}"
            )
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let mut terms = vec![
            ("depth", f64::from(self.depth)),
            ("looked_at", f64::from(self.reach)),
        ];
        terms.extend(self.rank.map(|rank| ("rank", f64::from(rank))));
        if let Some(hit) = self.hit {
            terms.extend([("score", hit.score), ("number", f64::from(hit.reach))]);
        }
        terms
    }
    fn listed(&self) -> Option<ListValue> {
        Some(ListValue {
            score: self.hit.map(|hit| hit.score),
            rank: self.rank,
        })
    }
}

/// The further searches that hold a note, with name, rank and score.
#[derive(Debug)]
pub struct Held {
    /// One element per search that holds the note.
    pub places: Vec<(String, u32, f64)>,
}

impl Reason for Held {
    fn effect(&self) -> Effect {
        Effect::Keep
    }
    fn sentence(&self) -> String {
        if self.places.is_empty() {
            return "in none of them".to_owned();
        }
        let named = |(name, rank, score): &(String, u32, f64)| {
            format!("rank {rank} of \u{201c}{name}\u{201d}, {}", precise(*score))
        };
        let named: Vec<String> = self.places.iter().map(named).collect();
        named.join("; ")
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let ranks = self.places.iter().map(|(_, rank, _)| f64::from(*rank));
        ranks.map(|rank| ("rank", rank)).collect()
    }
}

/// A note's place in one list.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The list's 0-based position among those that hold anything.
    pub list: u32,
    /// The name of the list.
    pub name: String,
    /// Whether it belongs to a further search.
    pub is_added: bool,
    /// Whether it is a search by words.
    pub is_words: bool,
    /// The weight of the list.
    pub weight: f64,
    /// The 1-based rank in the list.
    pub rank: u32,
    /// The score in the list.
    pub score: f64,
}

impl Ranked {
    fn share(&self) -> f64 {
        self.weight / (RANK_OFFSET + f64::from(self.rank))
    }
    fn stage(&self) -> StageId {
        match (self.is_added, self.is_words) {
            (true, _) => LINES,
            (false, true) => TEXT,
            (false, false) => VECTOR,
        }
    }
}

/// Returns the terms of a note's places, list by list.
fn terms_of(ranked: &[Ranked]) -> Vec<(&'static str, f64)> {
    let terms = ranked.iter().map(|it| {
        [
            ("list", f64::from(it.list)),
            ("list_rank", f64::from(it.rank)),
            ("list_weight", it.weight),
            ("list_score", it.score),
        ]
    });
    terms.flatten().collect()
}

/// The reciprocal rank fusion of all lists.
#[derive(Debug)]
pub struct Fused {
    /// The note's place in every list that holds it.
    pub ranked: Vec<Ranked>,
    /// The note's place after this stage.
    pub place: Place,
}

impl Fused {
    /// Returns the score of a note by its places in the lists.
    pub fn score_of(ranked: &[Ranked]) -> f64 {
        Fused::base(ranked) + Fused::bonus(ranked)
    }
    fn base(ranked: &[Ranked]) -> f64 {
        ranked
            .iter()
            .map(Ranked::share)
            .fold(0.0, |sum, it| sum + it)
    }
    fn bonus(ranked: &[Ranked]) -> f64 {
        match ranked.iter().map(|it| it.rank).min() {
            Some(1) => FIRST_BONUS,
            Some(..=NEXT_RANK) => NEXT_BONUS,
            _ => 0.0,
        }
    }
}

impl Reason for Fused {
    fn effect(&self) -> Effect {
        settled(self.place, Fused::score_of(&self.ranked))
    }
    fn sentence(&self) -> String {
        if self.ranked.is_empty() {
            return "in none of the lists that qmd takes".to_owned();
        }
        let named = |it: &Ranked| format!("{} {}", it.name, it.rank);
        let named: Vec<String> = self.ranked.iter().map(named).collect();
        let bonus = match Fused::bonus(&self.ranked) {
            0.0 => String::new(),
            bonus => format!("; {bonus} more for its best rank"),
        };
        format!("ranks: {}{bonus}", named.join(", "))
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let mut terms = vec![
            ("base", Fused::base(&self.ranked)),
            ("bonus", Fused::bonus(&self.ranked)),
        ];
        terms.extend(terms_of(&self.ranked));
        terms
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        if self.ranked.is_empty() {
            return Vec::new();
        }
        let term = |it: &Ranked| format!("{} / ({RANK_OFFSET} + {})", it.weight, it.rank);
        let mut terms: Vec<String> = self.ranked.iter().map(term).collect();
        let bonus = Fused::bonus(&self.ranked);
        terms.extend((bonus > 0.0).then(|| bonus.to_string()));
        vec![(terms.join(" + "), Fused::score_of(&self.ranked))]
    }
    fn shares(&self) -> Vec<(StageId, f64)> {
        let mut shares: Vec<(StageId, f64)> = Vec::new();
        let bonus = (FUSION, Fused::bonus(&self.ranked));
        let each = self.ranked.iter().map(|it| (it.stage(), it.share()));
        for (stage, amount) in each.chain((bonus.1 > 0.0).then_some(bonus)) {
            match shares.iter_mut().find(|(known, _)| *known == stage) {
                Some((_, sum)) => *sum += amount,
                None => shares.push((stage, amount)),
            }
        }
        shares
    }
}

/// The best score of any list, if ranks are not fused.
#[derive(Debug)]
pub struct Alone {
    /// The note's place in every list that holds it.
    pub ranked: Vec<Ranked>,
    /// The note's place after this stage.
    pub place: Place,
}

impl Alone {
    fn best(&self) -> Option<&Ranked> {
        let better =
            |best: Option<&'_ Ranked>, it: &Ranked| best.is_none_or(|b| it.score > b.score);
        let mut best = None;
        for it in &self.ranked {
            if better(best, it) {
                best = Some(it);
            }
        }
        best
    }
    fn score(&self) -> f64 {
        self.best().map_or(0.0, |it| it.score)
    }
}

impl Reason for Alone {
    fn effect(&self) -> Effect {
        settled(self.place, self.score())
    }
    fn sentence(&self) -> String {
        match self.best() {
            Some(best) => format!("{}: {}", best.name, precise(best.score)),
            None => "in none of the lists that qmd takes".to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        terms_of(&self.ranked)
    }
    fn shares(&self) -> Vec<(StageId, f64)> {
        let best = self.best().map(|it| (it.stage(), it.score));
        best.into_iter().collect()
    }
}

/// 1 / rank, blended with the reranker's score.
#[derive(Debug)]
pub struct Blended {
    /// The 1-based rank in the fused list.
    pub rank: u32,
    /// The weight of the rank; `None` if there is no score to blend it with.
    pub weight: Option<f64>,
    /// The reranker's score, if there is one.
    pub rerank: Option<f64>,
    /// The chunk that the reranker reads.
    pub chunk: Option<Chunk>,
    /// The note's place after this stage.
    pub place: Place,
}

impl Blended {
    /// Returns the weighted sum of position and reranker score, or the position's part alone without a reranker score.
    pub fn score(&self) -> f64 {
        let position = 1.0 / f64::from(self.rank);
        match self.weight.zip(self.rerank) {
            Some((weight, rerank)) => weight * position + (1.0 - weight) * rerank,
            None => position,
        }
    }
}

impl Reason for Blended {
    fn effect(&self) -> Effect {
        settled(self.place, self.score())
    }
    fn sentence(&self) -> String {
        let rank = self.rank;
        let lines = self.chunk.map_or_else(String::new, |it| {
            format!(" (lines {} to {})", it.first_line, it.last_line)
        });
        match self.rerank {
            Some(rerank) => format!(
                "rank {rank}, and its best chunk{lines} was given {}",
                number(rerank, 4)
            ),
            None => format!("rank {rank} counts 1 / {rank}; no score of its best chunk{lines}"),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let mut terms = vec![("rank", f64::from(self.rank))];
        terms.extend(self.weight.map(|weight| ("weight", weight)));
        terms.extend(self.rerank.map(|rerank| ("rerank", rerank)));
        if let Some(chunk) = self.chunk {
            terms.extend([
                ("chunk_start", f64::from(chunk.start)),
                ("chunk_units", f64::from(chunk.units)),
            ]);
        }
        terms
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        let formula = match self.weight.zip(self.rerank) {
            Some((weight, rerank)) => format!(
                "{} × 1/{} + {} × {}",
                number(weight, 2),
                self.rank,
                number(1.0 - weight, 2),
                number(rerank, 4)
            ),
            None => format!("1/{}", self.rank),
        };
        vec![(formula, self.score())]
    }
}

/// Whether a note passes `--min-score`.
#[derive(Debug)]
pub struct Cut {
    /// The score of the note.
    pub score: f64,
    /// The least score that is kept.
    pub min_score: f64,
}

impl Cut {
    fn is_kept(&self) -> bool {
        self.score >= self.min_score
    }
}

impl Reason for Cut {
    fn effect(&self) -> Effect {
        if self.is_kept() {
            Effect::Keep
        } else {
            Effect::Drop
        }
    }
    fn sentence(&self) -> String {
        let (score, least) = (precise(self.score), number(self.min_score, 2));
        if self.is_kept() {
            format!("{score} reaches --min-score {least}")
        } else {
            format!("{score} is below --min-score {least}")
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![("score", self.score), ("min_score", self.min_score)]
    }
    fn least(&self) -> Option<f64> {
        Some(self.min_score)
    }
}

/// The lines that are printed of a note.
#[derive(Debug)]
pub struct Printed {
    /// The printed lines; `None` if they are unknown.
    pub shown: Option<Shown>,
}

impl Reason for Printed {
    fn effect(&self) -> Effect {
        Effect::Keep
    }
    fn sentence(&self) -> String {
        match self.shown {
            Some(shown) => format!(
                "qmd prints lines {} to {}, around line {}",
                shown.first, shown.last, shown.best
            ),
            None => "its lines are not known".to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let shown = self.shown.into_iter();
        let terms = shown.flat_map(|it| {
            [
                ("first_line", f64::from(it.first)),
                ("last_line", f64::from(it.last)),
                ("line", f64::from(it.best)),
            ]
        });
        terms.collect()
    }
}
