//! The reasons of basic-memory's stages for one note: numbers, effect, sentence and formulas.

use memlens_params::StageId;
use memlens_rank::{Effect, ListValue, Reason, number};

use super::facts::{Column, Match, Near};
use super::params::{TEXT, VECTOR};
use crate::staging::{Place, precise, settled};

/// Weight of the lower of both scores.
const LOWER_WEIGHT: f64 = 0.3;
/// Offset of the position of a note that was not reranked; the lowest score is divided by the sum.
const BEHIND_OFFSET: f64 = 2.0;

/// The place of a note in the text list.
#[derive(Debug)]
pub struct Matched {
    /// The match; `None` if the note does not match.
    pub found: Option<Match>,
    /// Number of matches that are used.
    pub depth: u32,
    /// Whether any word is sufficient.
    pub is_relaxed: bool,
}

impl Matched {
    fn within(&self) -> Option<&Match> {
        self.found.as_ref().filter(|it| it.rank <= self.depth)
    }
}

impl Reason for Matched {
    fn effect(&self) -> Effect {
        Effect::Keep
    }
    fn sentence(&self) -> String {
        let Some(found) = self.found else {
            return if self.is_relaxed {
                "holds none of the words that count".to_owned()
            } else {
                "neither title, text nor path holds every word of the question".to_owned()
            };
        };
        let (rank, bm25) = (found.rank, precise(found.bm25));
        if rank > self.depth {
            return format!(
                "match {rank}, bm25 {bm25}: beyond the {} that basic-memory looks at",
                self.depth
            );
        }
        let what = if self.is_relaxed {
            "a word"
        } else {
            "every word"
        };
        let place = match found.found_in {
            Column::Title => "its title",
            Column::Stems => "its title, text and path together",
            Column::Text => "its text",
            Column::Any => "any of its columns",
        };
        format!("rank {rank}: bm25 {bm25}, {what} in {place}")
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let mut terms = vec![("depth", f64::from(self.depth))];
        if let Some(found) = self.found {
            terms.extend([("rank", f64::from(found.rank)), ("bm25", found.bm25)]);
        }
        terms
    }
    fn listed(&self) -> Option<ListValue> {
        let found = self.within();
        Some(ListValue {
            score: found.map(|it| it.bm25),
            rank: found.map(|it| it.rank),
        })
    }
}

/// The similarity of a note's best chunk.
#[derive(Debug)]
pub struct Neared {
    /// The best chunk; `None` without a vector.
    pub near: Option<Near>,
    /// The note's 1-based rank among those that count; `None` if it does not count.
    pub rank: Option<u32>,
    /// Number of chunks that are used.
    pub depth: u32,
    /// The least similarity that counts.
    pub least: f64,
}

impl Reason for Neared {
    fn effect(&self) -> Effect {
        Effect::Keep
    }
    fn sentence(&self) -> String {
        let Some(near) = self.near else {
            return "has no vector, or lies too deep".to_owned();
        };
        let similarity = precise(near.similarity);
        match self.rank {
            Some(rank) => format!("rank {rank}: similarity {similarity}"),
            None if near.position > self.depth => format!(
                "similarity {similarity}: its best chunk is number {}, and basic-memory looks at the best {}",
                near.position, self.depth
            ),
            None => format!(
                "similarity {similarity} is below semantic_min_similarity {}, so it does not count",
                number(self.least, 2)
            ),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let mut terms = vec![
            ("depth", f64::from(self.depth)),
            ("semantic_min_similarity", self.least),
        ];
        terms.extend(self.rank.map(|rank| ("rank", f64::from(rank))));
        if let Some(near) = self.near {
            terms.extend([
                ("similarity", near.similarity),
                ("number", f64::from(near.position)),
            ]);
        }
        terms
    }
    fn listed(&self) -> Option<ListValue> {
        Some(ListValue {
            score: self.near.map(|it| it.similarity),
            rank: self.rank,
        })
    }
}

/// One score from similarity and words.
#[derive(Debug)]
pub struct Fused {
    /// The similarity, if it counts.
    pub near: Option<f64>,
    /// bm25 as a share of the best one, if the note matches.
    pub words: Option<f64>,
    /// The note's place after this stage.
    pub place: Place,
}

impl Fused {
    /// Returns the fused score of the note.
    pub fn score(&self) -> f64 {
        let (near, words) = self.both();
        near.max(words) + LOWER_WEIGHT * near.min(words)
    }
    fn both(&self) -> (f64, f64) {
        (self.near.unwrap_or(0.0), self.words.unwrap_or(0.0))
    }
}

impl Reason for Fused {
    fn effect(&self) -> Effect {
        settled(self.place, self.score())
    }
    fn sentence(&self) -> String {
        match (self.near, self.words) {
            (Some(near), Some(words)) => format!(
                "similarity {} and words {}: the higher, and {LOWER_WEIGHT} of the lower",
                precise(near),
                precise(words)
            ),
            (Some(near), None) => format!("similarity {} alone", precise(near)),
            (None, Some(words)) => format!("words {} alone", precise(words)),
            (None, None) => "in neither list".to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let near = self.near.map(|it| ("similarity", it));
        let words = self.words.map(|it| ("words", it));
        near.into_iter().chain(words).collect()
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        if self.place.is_none() {
            return Vec::new();
        }
        let (near, words) = self.both();
        let formula = format!(
            "{} + {LOWER_WEIGHT} × {}",
            number(near.max(words), 4),
            number(near.min(words), 4)
        );
        vec![(formula, self.score())]
    }
    fn shares(&self) -> Vec<(StageId, f64)> {
        let (near, words) = self.both();
        let (near, words) = if near >= words {
            (near, LOWER_WEIGHT * words)
        } else {
            (LOWER_WEIGHT * near, words)
        };
        let shares = [(VECTOR, near), (TEXT, words)];
        shares.into_iter().filter(|it| it.1 > 0.0).collect()
    }
}

/// The score of the only list that is searched.
#[derive(Debug)]
pub struct Alone {
    /// Whether that is the text list.
    pub is_words: bool,
    /// The score; `None` if the list does not hold the note.
    pub score: Option<f64>,
    /// The note's place after this stage.
    pub place: Place,
}

impl Reason for Alone {
    fn effect(&self) -> Effect {
        settled(self.place, self.score.unwrap_or(0.0))
    }
    fn sentence(&self) -> String {
        match self.score {
            Some(score) if self.is_words => format!("bm25 {}: lower is better", precise(score)),
            Some(score) => format!("similarity {}", precise(score)),
            None => "not in the list".to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        self.score.map(|it| ("score", it)).into_iter().collect()
    }
    fn shares(&self) -> Vec<(StageId, f64)> {
        let stage = if self.is_words { TEXT } else { VECTOR };
        self.score.map(|it| (stage, it)).into_iter().collect()
    }
}

/// The result of its reranker for a note.
#[derive(Debug)]
pub struct Reranked {
    /// The score, or the note's position after those that were read.
    pub by: By,
    /// The 1-based rank before the stage.
    pub rank: u32,
    /// The note's place after this stage.
    pub place: u32,
}

/// How a note is placed by the reranker.
#[derive(Debug, Clone, Copy)]
pub enum By {
    /// The reranker read the note.
    Read {
        /// The score that the reranker gave.
        score: f64,
    },
    /// The note follows those that were read.
    Behind {
        /// The lowest score that the reranker gave.
        floor: f64,
        /// The note's 0-based position among those that follow.
        at: u32,
    },
}

impl Reranked {
    fn score(&self) -> f64 {
        match self.by {
            By::Read { score } => score,
            By::Behind { floor, at } => floor / (f64::from(at) + BEHIND_OFFSET),
        }
    }
}

impl Reason for Reranked {
    fn effect(&self) -> Effect {
        Effect::Settle {
            place: self.place,
            score: self.score(),
        }
    }
    fn sentence(&self) -> String {
        match self.by {
            By::Read { score } => {
                format!(
                    "rank {}, and its reranker gave {}",
                    self.rank,
                    precise(score)
                )
            }
            By::Behind { at, .. } => format!(
                "rank {}: not read by its reranker, number {} of those that follow by their best place in either list",
                self.rank,
                at + 1
            ),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let rank = ("rank", f64::from(self.rank));
        match self.by {
            By::Read { score } => vec![rank, ("rerank", score)],
            By::Behind { floor, at } => vec![rank, ("floor", floor), ("behind", f64::from(at))],
        }
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        match self.by {
            By::Read { .. } => Vec::new(),
            By::Behind { floor, at } => {
                let formula = format!("{} / ({at} + {BEHIND_OFFSET})", number(floor, 4));
                vec![(formula, self.score())]
            }
        }
    }
}

/// Whether a note is on the requested page.
#[derive(Debug)]
pub struct Paged {
    /// The 1-based rank of the note.
    pub rank: u32,
    /// Number of notes that are skipped.
    pub offset: u32,
    /// Number of notes that are returned.
    pub limit: u32,
}

impl Reason for Paged {
    fn effect(&self) -> Effect {
        let end = self.offset.saturating_add(self.limit);
        if self.rank > self.offset && self.rank <= end {
            Effect::Keep
        } else {
            Effect::Drop
        }
    }
    fn sentence(&self) -> String {
        let (rank, limit) = (self.rank, self.limit);
        match self.offset {
            0 => format!("place {rank}: the first {limit} notes are returned"),
            offset => {
                format!("place {rank}; {offset} are passed over, and {limit} returned")
            }
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("rank", f64::from(self.rank)),
            ("offset", f64::from(self.offset)),
            ("limit", f64::from(self.limit)),
        ]
    }
}
