//! Each row's rank in the vector list and in the BM25 list.

use memlens_params::StageId;

use crate::look::{Cell, Column, Full, Hue, Look, RowScore, Score, Sort};
use crate::pipeline::{Context, Outcome, Reasons, Row, Stage};
use crate::reason::{Effect, Reason, Record, Term, record};
use crate::stages::SWITCHED_OFF;
use crate::words::{number, setting, times};
use crate::{Cosines, ListId, ListState, ListValue};

/// The row's place in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The list that the stage reads.
    pub list: ListId,
    /// The 1-based rank in the list; `None` beyond the depth that was fetched.
    pub rank: Option<u32>,
    /// The raw score in the list; `None` if the list has none for this row.
    pub score: Option<f64>,
    /// The depth to which the list is read.
    pub depth: u32,
    /// The cosine of the best window.
    pub window: Option<f64>,
    /// The cosine of the whole chunk.
    pub whole: Option<f64>,
    /// The cosine that scores 0; see [`crate::CandidateSet::cosine_zero`].
    pub cosine_zero: f64,
    /// First and last line of the best window, 1-based.
    pub window_lines: Option<(u32, u32)>,
    /// Number of distinct words of the question that the chunk holds.
    pub n_matched: u32,
    /// Number of distinct words in the question, or in `part`.
    pub n_words: u32,
    /// Number of identifiers of the question that the chunk holds joined.
    pub n_joined_matched: u32,
    /// Number of identifiers that are looked up joined.
    pub n_joined: u32,
    /// The part of the question that the score is of; `None` for the question as a whole.
    pub part: Option<ListedPart>,
    /// Whether some sentences of the question are not searched.
    pub is_partly: bool,
}

/// A part of a question of several sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPart {
    /// Its 1-based position in the question.
    pub number: u32,
    /// Its beginning in quotation marks.
    pub quoted: String,
}

/// Ranks by the vector list.
pub const VECTOR: Stage = Stage {
    id: StageId::VECTOR,
    explain: vector,
    look: Look {
        columns: &[Column {
            key: "vector",
            label: "Vector",
            name: "Vector",
            below: "rank · cos",
            cell: Cell::Ranked(Score {
                unit: "cosine, at most 1",
                decimals: 3,
                full: Full::One,
                of_row: Some(RowScore::Cosine),
            }),
            sort: Sort::Rank,
            is_lasting: true,
            weight: 80,
        }],
        ..Look::of(Hue::Vector)
    },
};

/// Ranks by the BM25 list.
pub const BM25: Stage = Stage {
    id: StageId::BM25,
    explain: bm25,
    look: Look {
        columns: &[Column {
            key: "bm25",
            label: "BM25",
            name: "BM25",
            below: "rank · score",
            cell: Cell::Ranked(Score {
                unit: "BM25, 0 or more",
                decimals: 2,
                full: Full::Best,
                of_row: Some(RowScore::Bm25),
            }),
            sort: Sort::Rank,
            is_lasting: true,
            weight: 70,
        }],
        ..Look::of(Hue::Bm25)
    },
};

/// Records each row's rank and cosine in the vector list.
fn vector(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let params = context.params;
    list(
        context,
        ListId::VECTOR,
        params.vector_on,
        params.vector_depth,
        rows,
    )
}

/// Records each row's rank and score in the BM25 list.
fn bm25(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let params = context.params;
    list(
        context,
        ListId::BM25,
        params.bm25_on,
        params.bm25_depth,
        rows,
    )
}

fn list(context: &Context<'_>, id: ListId, is_on: bool, depth: u32, rows: &[Row]) -> Outcome {
    let set = context.set;
    let Some(list) = set.list(id) else {
        return Outcome::skipped("the retriever has no such list");
    };
    match &list.state {
        ListState::Missing(why) => return Outcome::skipped(why.clone()),
        ListState::Ready if !is_on => return Outcome::skipped(SWITCHED_OFF),
        ListState::Ready => {}
    }
    // A list stage keeps every row and only records their ranks, so there is nothing to do without a record.
    if !context.is_recorded {
        return Outcome::applied(Reasons::NONE);
    }
    let is_vector = id == ListId::VECTOR;
    let reasons = rows.iter().map(|row| {
        let candidate = &set.candidates[row.slot as usize];
        let ListValue { rank, score } = list.value(row.slot);
        let cosines = if is_vector {
            candidate.cosines
        } else {
            Cosines::default()
        };
        let part = if is_vector {
            candidate.vector_part
        } else {
            candidate.text_part
        };
        let of_part = part.and_then(|at| set.parts.parts.get(usize::from(at)));
        let (n_words, n_joined) = of_part.map_or((set.n_words, set.n_joined), |part| {
            (part.n_words, part.n_joined)
        });
        Listed {
            list: id,
            rank,
            score,
            depth,
            window: cosines.window,
            whole: cosines.whole,
            cosine_zero: if is_vector { set.cosine_zero } else { 0.0 },
            window_lines: cosines.window_lines,
            n_matched: if is_vector { 0 } else { candidate.n_matched },
            n_words: if is_vector { 0 } else { n_words },
            n_joined_matched: if is_vector { 0 } else { candidate.n_joined },
            n_joined: if is_vector { 0 } else { n_joined },
            part: of_part.zip(part).map(|(it, at)| ListedPart {
                number: u32::from(at) + 1,
                quoted: it.quoted(),
            }),
            is_partly: set.parts.n_left_out > 0,
        }
    });
    Outcome {
        counts: Some((set.n_chunks, list.n_hits.min(depth))),
        ..Outcome::applied(context.decided(reasons))
    }
}

impl Listed {
    /// Returns the formula that maps a cosine to the list's scale.
    fn scaled(&self, cosine: String) -> String {
        if self.cosine_zero == 0.0 {
            return cosine;
        }
        let zero = setting(self.cosine_zero);
        format!("({cosine} − {zero}) / (1 − {zero})")
    }
}

impl From<ListId> for Term {
    fn from(value: ListId) -> Term {
        Term::Word(value.0)
    }
}

impl Reason for Listed {
    fn effect(&self) -> Effect {
        Effect::Keep
    }

    fn sentence(&self) -> String {
        let (name, decimals) = match self.list {
            ListId::VECTOR if self.cosine_zero != 0.0 => ("scaled cosine", 3),
            ListId::VECTOR => ("cosine", 3),
            ListId::BM25 => ("BM25", 2),
            ListId(_) => ("score", 3),
        };
        let depth = self.depth;
        let said = match (self.rank, self.score) {
            (Some(rank), Some(score)) if rank <= depth => {
                format!("rank {rank}, {name} {}", number(score, decimals))
            }
            (Some(rank), Some(score)) => {
                format!(
                    "rank {rank}, beyond depth {depth}, {name} {}",
                    number(score, decimals)
                )
            }
            (None, Some(score)) => {
                format!("not in the list, {name} {}", number(score, decimals))
            }
            (_, None) => match self.list {
                ListId::VECTOR => "no vector to compare".to_owned(),
                ListId::BM25 if self.is_partly => {
                    "none of the words of the sentences that are searched".to_owned()
                }
                ListId::BM25 => "none of the question's words".to_owned(),
                ListId(_) => "not in the list".to_owned(),
            },
        };
        match &self.part {
            Some(part) => format!("{said}, from {}", part.quoted),
            None => said,
        }
    }

    fn record(&self) -> Record {
        let mut record = record!("listed", self: list, rank, score, depth, window, whole, window_lines, n_matched, n_words,
            n_joined_matched, n_joined);
        if self.cosine_zero != 0.0 {
            record.add("cosine_zero", Term::Number(self.cosine_zero));
        }
        if let Some(part) = &self.part {
            record.add("part", Term::Count(part.number));
        }
        record
    }

    fn formulas(&self) -> Vec<(String, f64)> {
        let Some(score) = self.score else {
            return Vec::new();
        };
        match (self.list, self.window, self.whole) {
            (ListId::VECTOR, Some(window), Some(whole)) => {
                let cosine = format!("(2 · {} + {}) / 3", times(window), times(whole));
                vec![(self.scaled(cosine), score)]
            }
            (ListId::VECTOR, None, Some(whole)) if self.cosine_zero != 0.0 => {
                vec![(self.scaled(times(whole)), score)]
            }
            (ListId::BM25, _, _) => {
                let mut held = format!("{} of {} words", self.n_matched, self.n_words);
                if let Some(part) = &self.part {
                    held.push_str(&format!(" of {}", part.quoted));
                }
                if self.n_joined > 0 {
                    let (matched, joined) = (self.n_joined_matched, self.n_joined);
                    held.push_str(&format!(", {matched} of {joined} joined identifiers"));
                }
                vec![(held, score)]
            }
            (ListId(_), _, _) => Vec::new(),
        }
    }

    fn listed(&self) -> Option<ListValue> {
        Some(ListValue {
            rank: self.rank.filter(|rank| *rank <= self.depth),
            score: self.score,
        })
    }
}
