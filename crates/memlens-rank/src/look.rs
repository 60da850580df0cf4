//! How a stage is shown: its hue, its columns in the table, and what its switch sets.

use memlens_params::StageId;
use serde::Serialize;
use specta::Type;

/// How a stage is shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct Look {
    /// The hue of the stage in every part of the window.
    pub hue: Hue,
    /// The stage's columns, from left to right.
    pub columns: &'static [Column],
    /// Whether the stage has a plain column if it reads a list, and while it changes a score or the order.
    pub is_plain: bool,
    /// The parameter without which the stage does nothing although its switch is on; `None` if there is none.
    pub start: Option<Start>,
    /// The rows that come first if the table is sorted by the stage and it has no column.
    pub first: First,
    /// Whether the stage only keeps fewer rows. No quality measure rewards that, so its parameters are tuned only on
    /// request.
    pub only_cuts: bool,
    /// Whether the least score is compared with the score before this stage.
    pub fades: bool,
}

/// A hue of the window's palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Hue {
    /// Lists ordered by vectors.
    Vector,
    /// Lists ordered by matching words.
    Bm25,
    /// The fusion of several lists.
    Fusion,
    /// Scores of an external model.
    Rerank,
    /// Agreement with other observations.
    Corroboration,
    /// Thumbs up and down.
    Feedback,
    /// The age of a note.
    Decay,
    /// Differences from the rows above.
    Diversity,
    /// Neutral: stages that drop or move rows, and all others.
    Cut,
}

/// The rows that come first under a stage without a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum First {
    /// The rows that the stage dropped.
    Dropped,
    /// The rows with a remark.
    Remarked,
}

/// A parameter that a stage needs in order to act.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct Start {
    /// The identifier of the parameter.
    pub parameter: &'static str,
    /// The value that it gets when the stage is switched on while the parameter is off.
    pub value: StartValue,
}

/// The value of a parameter that starts a stage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
#[serde(untagged)]
pub enum StartValue {
    /// A value of a numeric parameter.
    Number(f64),
    /// One of the parameter's choices.
    Choice(&'static str),
}

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct Column {
    /// Identifies the column; that of a stage's main column is the stage's identifier.
    pub key: &'static str,
    /// The name in the head of the column.
    pub label: &'static str,
    /// The name in full, where there is room for it.
    pub name: &'static str,
    /// What the cells show, below the name.
    pub below: &'static str,
    /// How a cell is drawn.
    pub cell: Cell,
    /// How rows are sorted by the column.
    pub sort: Sort,
    /// Whether the column is shown even if the stage did nothing.
    pub is_lasting: bool,
    /// Columns with lower numbers are left out first in a narrow table.
    pub weight: u32,
}

/// How rows are sorted by a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// By rank, the first rank first.
    Rank,
    /// By value, the greatest first.
    Value,
}

/// How a cell is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cell {
    /// A rank, a score and its bar.
    Ranked(Score),
    /// A score and its bar.
    Scored(Score),
    /// Rank before and after, and the score as a reranker reported it, or why there is none.
    Reranked,
    /// A count, and what it added to the score.
    Counted {
        /// What is counted, after "1".
        one: &'static str,
        /// What is counted, after any other number.
        many: &'static str,
        /// What an empty cell says.
        without: &'static str,
    },
    /// A factor of the score.
    Weight {
        /// What weighs the row, after the number.
        by: &'static str,
        /// What an empty cell says.
        without: &'static str,
    },
    /// Rank before and after the stage.
    Place,
}

/// A score in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct Score {
    /// What the number is: its name, then its range behind a comma.
    pub unit: &'static str,
    /// Number of decimals shown.
    pub decimals: u32,
    /// The score of a full bar.
    pub full: Full,
    /// The score of a row that does not depend on parameters, and is sent with the row instead of the ranking.
    pub of_row: Option<RowScore>,
}

/// The score of a full bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Full {
    /// The score 1, for scores with that maximum.
    One,
    /// The best of the column.
    Best,
    /// The best of the column, at least 1.
    BestAboveOne,
}

/// A score that is part of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum RowScore {
    /// The score in the vector list.
    Cosine,
    /// The score in the BM25 list.
    Bm25,
}

impl Look {
    /// Returns the look of a stage without columns.
    pub const fn of(hue: Hue) -> Look {
        Look {
            hue,
            columns: &[],
            is_plain: false,
            start: None,
            first: First::Dropped,
            only_cuts: false,
            fades: false,
        }
    }

    /// Returns the look of a stage with a plain column, as stages of other programs have it.
    pub const fn plain(hue: Hue) -> Look {
        Look {
            is_plain: true,
            ..Look::of(hue)
        }
    }
}

impl Start {
    /// Returns a start with a number.
    pub const fn number(parameter: &'static str, value: f64) -> Start {
        Start {
            parameter,
            value: StartValue::Number(value),
        }
    }

    /// Returns a start with one of the parameter's choices.
    pub const fn choice(parameter: &'static str, value: &'static str) -> Start {
        Start {
            parameter,
            value: StartValue::Choice(value),
        }
    }
}

/// How a stage of a pipeline is shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct StageLook {
    /// The stage's identifier in the pipeline.
    pub stage: StageId,
    /// How the stage is shown.
    pub look: Look,
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use memlens_params::{ParameterKind, ParameterSet, Value, Values};

    use super::*;
    use crate::{AnyPipeline, NATIVE};

    #[test]
    fn every_column_has_its_own_key_and_weight() {
        let looks = NATIVE.looks();
        let columns: Vec<&Column> = looks.iter().flat_map(|it| it.look.columns).collect();
        let keys: HashSet<&str> = columns.iter().map(|column| column.key).collect();
        let weights: HashSet<u32> = columns.iter().map(|column| column.weight).collect();
        assert_eq!((keys.len(), weights.len()), (columns.len(), columns.len()));
        for it in &looks {
            let stages = looks.iter().map(|other| other.stage.as_str());
            let others: Vec<&str> = stages.filter(|id| *id != it.stage.as_str()).collect();
            let of_stage = it.look.columns.iter().map(|column| column.key);
            assert!(
                it.look.columns.is_empty() || of_stage.clone().any(|key| key == it.stage.as_str()),
                "{} has no main column",
                it.stage.as_str()
            );
            assert!(of_stage.clone().all(|key| !others.contains(&key)));
        }
    }

    #[test]
    fn a_start_is_a_value_of_a_parameter_of_its_stage() {
        for StageLook { stage, look } in NATIVE.looks() {
            let Some(Start { parameter, value }) = look.start else {
                continue;
            };
            let value = match value {
                StartValue::Number(number) => Value::Number(number),
                StartValue::Choice(choice) => Value::Choice(choice.to_owned()),
            };
            let found = NATIVE.table().parameter(parameter).unwrap();
            assert_eq!(found.stage, Some(stage), "{parameter}");
            let off = match found.kind {
                ParameterKind::Number { off, .. } => off.map(Value::Number),
                ParameterKind::Choice { .. } => Some(Value::Choice("off".to_owned())),
                ParameterKind::Toggle => None,
            };
            assert_ne!(off.as_ref(), Some(&value), "{parameter}");
            let values = Values::defaults(NATIVE.table());
            // The value that stands for off and the one that starts the stage are both accepted.
            for value in [off.expect("it can be off"), value] {
                assert!(values.clone().with([(parameter, value)]).is_ok());
            }
        }
    }
}
