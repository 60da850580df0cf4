//! The reasons of Octopus's stages for one chunk: numbers, effect and sentence.

use memlens_rank::{Effect, ListValue, Reason, number};

use crate::staging::precise;

/// The least cosine, fixed in its code.
const FLOOR: f64 = 0.6;

/// The place of a chunk in the vector list.
#[derive(Debug)]
pub struct Listed {
    /// The rank and the cosine; both `None` if the list does not hold it.
    pub value: ListValue,
}

impl Reason for Listed {
    fn effect(&self) -> Effect {
        self.value.score.map_or(Effect::Drop, Effect::Score)
    }
    fn sentence(&self) -> String {
        match (self.value.rank, self.value.score) {
            (Some(rank), Some(score)) => format!("rank {rank}: {}", precise(score)),
            (None, Some(score)) => precise(score),
            (_, None) => "not in the vector list".to_owned(),
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

/// Whether a cosine reaches the floor.
#[derive(Debug)]
pub struct Floored {
    /// The cosine of the chunk.
    pub score: f64,
}

impl Reason for Floored {
    fn effect(&self) -> Effect {
        if self.score >= FLOOR {
            Effect::Keep
        } else {
            Effect::Drop
        }
    }
    fn sentence(&self) -> String {
        let word = if self.score >= FLOOR {
            "reaches"
        } else {
            "is below"
        };
        format!("{} {word} {}", precise(self.score), number(FLOOR, 1))
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![("score", self.score), ("least", FLOOR)]
    }
    fn least(&self) -> Option<f64> {
        Some(FLOOR)
    }
}

/// A chunk's rank before and after its reranker, as in Octopus's results.
#[derive(Debug)]
pub struct Ranks {
    /// The 1-based rank before the reranker.
    pub original: u32,
    /// The 1-based rank after the reranker; the same if none was called.
    pub new: u32,
    /// The reranker's score; `None` if it was not called.
    pub given: Option<f64>,
}

impl Reason for Ranks {
    fn effect(&self) -> Effect {
        match self.given {
            Some(score) => Effect::Settle {
                place: self.new - 1,
                score,
            },
            None => Effect::Keep,
        }
    }
    fn sentence(&self) -> String {
        let given = self.given.map_or_else(String::new, |score| {
            format!("; it was given {}", precise(score))
        });
        format!(
            "OriginalRank {}, NewRank {}{given}",
            self.original, self.new
        )
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let given = self.given.map(|score| ("rerank", score));
        let ranks = [
            ("OriginalRank", f64::from(self.original)),
            ("NewRank", f64::from(self.new)),
        ];
        ranks.into_iter().chain(given).collect()
    }
}
