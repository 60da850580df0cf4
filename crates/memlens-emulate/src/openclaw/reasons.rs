//! The reasons of OpenClaw's stages for one row: numbers, effect, sentence and formulas.

use memlens_params::StageId;
use memlens_rank::{Effect, ListValue, Reason, number};

use super::facts::{Named, Raised};
use super::params::{PATHS, TEXT, VECTOR};

/// The place of a row in a list.
#[derive(Debug)]
pub struct Listed {
    /// Its rank and raw score.
    pub value: ListValue,
    /// Number of candidates that the list returns.
    pub depth: u32,
    /// The name of the score.
    pub what: &'static str,
}

impl Listed {
    fn within(&self) -> Option<u32> {
        self.value.rank.filter(|rank| *rank <= self.depth)
    }
}

impl Reason for Listed {
    fn effect(&self) -> Effect {
        Effect::Keep
    }
    fn sentence(&self) -> String {
        match (self.value.rank, self.value.score) {
            (Some(rank), Some(score)) if rank <= self.depth => {
                format!("rank {rank}: {} {}", self.what, precise(score))
            }
            (Some(rank), Some(score)) => format!(
                "rank {rank}, {} {}: beyond the {} candidates that the agent takes",
                self.what,
                precise(score),
                self.depth
            ),
            _ => "not in this list".to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let mut terms = vec![("depth", f64::from(self.depth))];
        terms.extend(self.value.rank.map(|rank| ("rank", f64::from(rank))));
        terms.extend(self.value.score.map(|score| ("score", score)));
        terms
    }
    fn listed(&self) -> Option<ListValue> {
        Some(ListValue {
            score: self.value.score,
            rank: self.within(),
        })
    }
}

/// Formats a score for comparison; scores near 0 get enough digits to differ from 0.
pub(super) fn precise(score: f64) -> String {
    if score != 0.0 && score.abs() < 0.0005 {
        format!("{score:.1e}")
    } else {
        number(score, 4)
    }
}

/// The text side of a sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Text {
    /// The text list does not hold the row.
    None,
    /// The raw score of the text list.
    Raw(f64),
    /// The raw score, raised.
    Raised(Raised),
    /// The score of the note's path, if its text was not hit.
    Path(f64),
}

impl Text {
    /// Returns the score, 0 if there is none.
    pub fn score(&self) -> f64 {
        match self {
            Text::None => 0.0,
            Text::Raw(score) | Text::Path(score) => *score,
            Text::Raised(raised) => raised.score(),
        }
    }
}

/// How the lists were combined to one score.
#[derive(Debug)]
pub struct Sum {
    /// The vector score; `None` if the row is not among the vector candidates.
    pub vector: Option<f64>,
    /// The score of the text side.
    pub text: Text,
    /// The weight of the vector score; 0 if there is no vector list.
    pub vector_weight: f64,
    /// The weight of the text side.
    pub text_weight: f64,
    /// How exactly the question names the note.
    pub named: Named,
    /// Whether the row is among any list's candidates; other rows are dropped.
    pub is_listed: bool,
}

impl Sum {
    fn content(&self) -> f64 {
        self.by_vector() + self.by_text()
    }
    fn by_vector(&self) -> f64 {
        self.vector_weight * self.vector.unwrap_or(0.0)
    }
    fn by_text(&self) -> f64 {
        self.text_weight * self.text.score()
    }
}

impl Reason for Sum {
    fn effect(&self) -> Effect {
        if !self.is_listed {
            Effect::Drop
        } else if self.named == Named::No {
            Effect::Score(self.content())
        } else {
            Effect::Score((1.0 + self.content()) / 2.0)
        }
    }
    fn sentence(&self) -> String {
        if !self.is_listed {
            return "in neither list's candidates".to_owned();
        }
        let text = match self.text {
            Text::None => "no keyword hit".to_owned(),
            Text::Raw(score) => format!("keywords {}", precise(score)),
            Text::Raised(raised) if raised.score() >= 1.0 => {
                format!("keywords {}, raised to the most, 1.0", precise(raised.raw))
            }
            Text::Raised(raised) => format!(
                "keywords {}, raised to {}",
                precise(raised.raw),
                number(raised.score(), 4)
            ),
            Text::Path(score) => format!("path {}", number(score, 4)),
        };
        let vector = match self.vector {
            Some(vector) => format!("vector {}", number(vector, 4)),
            None if self.vector_weight == 0.0 => "no vector list".to_owned(),
            None => "not among the vector candidates".to_owned(),
        };
        format!("{vector}; {text}")
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let mut terms = vec![
            ("vector_weight", self.vector_weight),
            ("text_weight", self.text_weight),
            ("text", self.text.score()),
        ];
        terms.extend(self.vector.map(|vector| ("vector", vector)));
        if let Text::Raised(raised) = self.text {
            terms.push(("raw", raised.raw));
            terms.push(("words_held", f64::from(raised.n_held)));
            terms.push(("words_in_path", f64::from(raised.n_in_path)));
        }
        terms
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        if !self.is_listed {
            return Vec::new();
        }
        let mut lines = Vec::new();
        if let Text::Raised(raised) = self.text {
            lines.push((raised.expression(), raised.score()));
        }
        lines.push((
            format!(
                "{} × {} + {} × {}",
                number(self.vector_weight, 2),
                number(self.vector.unwrap_or(0.0), 4),
                number(self.text_weight, 2),
                precise(self.text.score())
            ),
            self.content(),
        ));
        if self.named != Named::No {
            lines.push((
                format!("(1 + {}) / 2", number(self.content(), 4)),
                (1.0 + self.content()) / 2.0,
            ));
        }
        lines
    }
    fn shares(&self) -> Vec<(StageId, f64)> {
        let text_stage = match self.text {
            Text::Path(_) => PATHS,
            Text::None | Text::Raw(_) | Text::Raised(_) => TEXT,
        };
        let mut shares = vec![(VECTOR, self.by_vector()), (text_stage, self.by_text())];
        if self.named != Named::No {
            shares.push((PATHS, (1.0 - self.content()) / 2.0));
        }
        shares
    }
}

/// How the question names a note, and how its path matches.
#[derive(Debug)]
pub struct PathMatch {
    /// The path's score; `None` if it does not match.
    pub score: Option<f64>,
    /// How exactly the question names the note.
    pub named: Named,
}

impl Reason for PathMatch {
    fn effect(&self) -> Effect {
        Effect::Keep
    }
    fn sentence(&self) -> String {
        let named = match self.named {
            Named::No => "",
            Named::Stem => "; the question is its name without extension",
            Named::Name => "; the question is its name",
            Named::Path => "; the question is its path",
        };
        match self.score {
            Some(score) => format!("the path matches: {}{named}", number(score, 4)),
            None => "the path holds no word of the question, or this is not the note's first chunk"
                .to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let score = self.score.map(|score| ("score", score));
        score
            .into_iter()
            .chain([("tier", self.named as u8 as f64)])
            .collect()
    }
}

/// What a stage that multiplies scores does to a row.
#[derive(Debug)]
pub enum Weighed {
    /// It multiplies its score.
    By(Factor),
    /// It does not change the row, with the reason.
    Untouched(&'static str),
}

/// A score times a factor.
#[derive(Debug)]
pub struct Factor {
    /// The score before the stage.
    pub base: f64,
    /// The factor, above 0.
    pub factor: f64,
    /// The reason for the factor.
    pub why: Why,
}

/// The reason for a factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Why {
    /// `exp(-ln 2 / half-life * age)`.
    Age {
        /// The age in days.
        days: f64,
        /// The half-life in days.
        half_life: f64,
    },
    /// `0.75 + 0.05 * importance`.
    Importance(u8),
}

impl Factor {
    fn score(&self) -> f64 {
        self.base * self.factor
    }
    fn sentence(&self) -> String {
        let factor = precise(self.factor);
        match self.why {
            Why::Age { days, half_life } => format!(
                "{} days old with a half-life of {}: × {factor}",
                number(days, 1),
                number(half_life, 0)
            ),
            Why::Importance(importance) => format!("importance {importance} of 10: × {factor}"),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        let mut terms = vec![("base", self.base), ("factor", self.factor)];
        match self.why {
            Why::Age { days, half_life } => {
                terms.extend([("age_days", days), ("half_life_days", half_life)]);
            }
            Why::Importance(importance) => terms.push(("importance", f64::from(importance))),
        }
        terms
    }
    fn formula(&self) -> (String, f64) {
        let product = format!("{} × {}", number(self.base, 4), precise(self.factor));
        (product, self.score())
    }
}

impl Reason for Weighed {
    fn effect(&self) -> Effect {
        match self {
            Weighed::By(factor) => Effect::Score(factor.score()),
            Weighed::Untouched(_) => Effect::Keep,
        }
    }
    fn sentence(&self) -> String {
        match self {
            Weighed::By(factor) => factor.sentence(),
            Weighed::Untouched(why) => (*why).to_owned(),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        match self {
            Weighed::By(factor) => factor.terms(),
            Weighed::Untouched(_) => Vec::new(),
        }
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        match self {
            Weighed::By(factor) => vec![factor.formula()],
            Weighed::Untouched(_) => Vec::new(),
        }
    }
}

/// The place that MMR gives a row.
#[derive(Debug)]
pub struct Placed {
    /// The row's new 0-based place.
    pub place: u32,
    /// The score as a share of the range of all scores.
    pub relevance: f64,
    /// The largest share of words in common with a row above.
    pub similarity: f64,
    /// The weight of the relevance.
    pub lambda: f64,
}

impl Placed {
    fn value(&self) -> f64 {
        self.lambda * self.relevance - (1.0 - self.lambda) * self.similarity
    }
}

impl Reason for Placed {
    fn effect(&self) -> Effect {
        Effect::Place(self.place)
    }
    fn sentence(&self) -> String {
        format!(
            "place {}: shares {:.0} % of its words with the nearest row above",
            self.place + 1,
            self.similarity * 100.0
        )
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("relevance", self.relevance),
            ("similarity", self.similarity),
            ("lambda", self.lambda),
        ]
    }
    fn formulas(&self) -> Vec<(String, f64)> {
        vec![(
            format!(
                "{} × {} − {} × {}",
                number(self.lambda, 2),
                number(self.relevance, 4),
                number(1.0 - self.lambda, 2),
                number(self.similarity, 4)
            ),
            self.value(),
        )]
    }
}

/// A row that the question names: it goes first and scores 1.
#[derive(Debug)]
pub struct First {
    /// The row's new 0-based place.
    pub place: u32,
    /// The score before the stage.
    pub base: f64,
    /// How exactly the question names it.
    pub named: Named,
}

impl Reason for First {
    fn effect(&self) -> Effect {
        Effect::Settle {
            place: self.place,
            score: if self.named == Named::No {
                self.base
            } else {
                1.0
            },
        }
    }
    fn sentence(&self) -> String {
        match self.named {
            Named::No => format!("place {}", self.place + 1),
            Named::Stem | Named::Name | Named::Path => {
                "the question names this note: it goes first and counts 1.0".to_owned()
            }
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![("base", self.base), ("tier", self.named as u8 as f64)]
    }
}

/// How `minScore` decided: rows below it are dropped.
#[derive(Debug)]
pub struct Cut {
    /// The score of the row.
    pub score: f64,
    /// Value of `minScore` in the config.
    pub min_score: f64,
    /// The outcome for the row.
    pub verdict: Verdict,
}

/// The outcome for a row at `minScore`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The row reaches it; with its 0-based place.
    Kept(u32),
    /// No row reached it, and this is a keyword hit.
    BroughtBack(u32),
    /// Too few rows reached it, and this is a keyword hit that is not among the vector candidates.
    FilledIn(u32),
    /// The row does not reach it.
    Dropped,
}

impl Reason for Cut {
    fn effect(&self) -> Effect {
        match self.verdict {
            Verdict::Kept(place) | Verdict::BroughtBack(place) | Verdict::FilledIn(place) => {
                Effect::Place(place)
            }
            Verdict::Dropped => Effect::Drop,
        }
    }
    fn sentence(&self) -> String {
        let (score, min) = (precise(self.score), number(self.min_score, 2));
        match self.verdict {
            Verdict::Kept(_) => format!("{score} reaches minScore {min}"),
            Verdict::BroughtBack(_) => format!(
                "{score} is below minScore {min}; brought back, since nothing reached it and this is a keyword hit"
            ),
            Verdict::FilledIn(_) => format!(
                "{score} is below minScore {min}; brought back, since too few reached it and only keywords found this"
            ),
            Verdict::Dropped => format!("{score} is below minScore {min}"),
        }
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![("score", self.score), ("min_score", self.min_score)]
    }
    fn least(&self) -> Option<f64> {
        Some(self.min_score)
    }
    fn remark(&self) -> Option<String> {
        match self.verdict {
            Verdict::BroughtBack(_) | Verdict::FilledIn(_) => {
                Some("below minScore, brought back as a keyword hit".to_owned())
            }
            Verdict::Kept(_) | Verdict::Dropped => None,
        }
    }
}

/// How `maxResults` decided: rows beyond it are dropped.
#[derive(Debug)]
pub struct Counted {
    /// The 1-based rank of the row.
    pub rank: u32,
    /// Value of `maxResults` in the config.
    pub max_results: u32,
}

impl Reason for Counted {
    fn effect(&self) -> Effect {
        if self.rank <= self.max_results {
            Effect::Keep
        } else {
            Effect::Drop
        }
    }
    fn sentence(&self) -> String {
        format!(
            "place {}: the agent is given {}",
            self.rank, self.max_results
        )
    }
    fn terms(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("rank", f64::from(self.rank)),
            ("max_results", f64::from(self.max_results)),
        ]
    }
}
