//! One line of the table, and the values it accepts.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{ParamError, ParameterSet, StageId};

/// What a change of a parameter costs, and so when it takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Notes are cut and embedded anew.
    Index,
    /// The lists are asked again.
    Retrieve,
    /// Pure arithmetic: live while a slider is dragged.
    Rank,
    /// A model, provider or command outside is asked.
    Outside,
}

impl Phase {
    /// The phase as a person reads it.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Index => "index",
            Phase::Retrieve => "retrieve",
            Phase::Rank => "rank",
            Phase::Outside => "outside",
        }
    }
}

/// Which values a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ParameterKind {
    /// A finite number in `[min, max]`.
    Number {
        /// The smallest value.
        min: f64,
        /// The largest value.
        max: f64,
        /// The step of the slider; values between steps are accepted.
        step: f64,
        /// Whether only whole numbers are accepted.
        integer: bool,
        /// The value that switches off what the parameter governs, if there is one.
        off: Option<f64>,
        /// Whether `none` is accepted and means that nothing is set.
        optional: bool,
        /// Whether equal slider distances are equal ratios.
        log: bool,
    },
    /// One of these words.
    Choice {
        /// The words, in the order in which they are offered.
        options: &'static [&'static str],
    },
    /// `true` or `false`.
    Toggle,
}

/// A parameter's value whatever its kind; in JSON it is the bare value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Type)]
#[serde(untagged)]
pub enum Value {
    /// A toggle.
    Toggle(bool),
    /// A number.
    Number(f64),
    /// A choice.
    Choice(String),
    /// An optional number that is not set.
    Unset,
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Parameter {
    /// Its name in files and on the command line.
    pub id: &'static str,
    /// The stage it belongs to; none for what governs the library.
    pub stage: Option<StageId>,
    /// When a change of it takes effect.
    pub phase: Phase,
    /// Its name on screen.
    pub label: &'static str,
    /// The unit of its number.
    pub unit: Option<&'static str>,
    /// Which values it accepts.
    pub kind: ParameterKind,
    /// The value where nobody set one.
    pub default: Value,
    /// What it does, for a person.
    pub sentence: &'static str,
    /// What must be chosen for it to be read; none when it is always read.
    pub needs: Option<Needs>,
}

/// What must be chosen for a parameter to be read: it is of one way among several to do a stage's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct Needs {
    /// The parameter by which the way is chosen.
    pub parameter: &'static str,
    /// The choices that read it; the first is what a person means who sets it while another stands.
    pub one_of: &'static [&'static str],
}

impl Parameter {
    /// Whether it is read where the others are set so.
    pub fn is_read(&self, params: &impl ParameterSet) -> bool {
        self.needs
            .is_none_or(|needs| match params.get(needs.parameter) {
                Some(Value::Choice(choice)) => needs.one_of.contains(&choice.as_str()),
                Some(Value::Toggle(_) | Value::Number(_) | Value::Unset) | None => false,
            })
    }

    /// Why setting it changes nothing where the others are set so; `None` where it acts.
    pub fn without_effect(&self, params: &impl ParameterSet) -> Option<String> {
        let stage = self.stage.and_then(|stage| params.table().stage(stage));
        if let Some(stage) = stage
            && let Some(switch) = stage.switch.filter(|switch| *switch != self.id)
            && params.get(switch) == Some(Value::Toggle(false))
        {
            return Some(format!(
                "{} has no effect while the stage {} is off; {switch}=true switches it on",
                self.id, stage.label
            ));
        }
        let needs = self.needs.filter(|_| !self.is_read(params))?;
        let now = params.get(needs.parameter)?;
        Some(format!(
            "{} has no effect with {}={now}; it acts with {}",
            self.id,
            needs.parameter,
            needs
                .one_of
                .iter()
                .map(|choice| format!("{}={choice}", needs.parameter))
                .collect::<Vec<_>>()
                .join(" or ")
        ))
    }

    /// `value` when this parameter accepts it.
    ///
    /// # Errors
    /// [`ParamError::WrongKind`] for a value of another kind and for an unknown choice, [`ParamError::OutOfRange`]
    /// for a number outside the range, and for one that is not finite or not whole.
    pub fn check(&self, value: Value) -> Result<Value, ParamError> {
        match (&self.kind, &value) {
            (
                ParameterKind::Number {
                    min, max, integer, ..
                },
                Value::Number(number),
            ) => {
                let whole = !integer || number.fract() == 0.0;
                // Written so that NaN is refused too.
                if number.is_finite() && number >= min && number <= max && whole {
                    Ok(value)
                } else {
                    Err(ParamError::OutOfRange {
                        id: self.id,
                        value: value.to_string(),
                        range: self.range(),
                    })
                }
            }
            (ParameterKind::Number { optional: true, .. }, Value::Unset)
            | (ParameterKind::Toggle, Value::Toggle(_)) => Ok(value),
            (ParameterKind::Choice { options }, Value::Choice(word))
                if options.contains(&word.as_str()) =>
            {
                Ok(value)
            }
            (
                ParameterKind::Number { .. } | ParameterKind::Choice { .. } | ParameterKind::Toggle,
                _,
            ) => Err(ParamError::WrongKind {
                id: self.id,
                value: value.to_string(),
                expected: self.range(),
            }),
        }
    }

    /// Reads a value as typed on a command line.
    ///
    /// Toggles take true, false, on, off, yes, no, 1 and 0; an optional number takes `none` and `off`.
    ///
    /// # Errors
    /// As [`Parameter::check`].
    pub fn parse(&self, text: &str) -> Result<Value, ParamError> {
        let word = text.trim();
        let value = match self.kind {
            ParameterKind::Number { optional: true, .. } if matches!(word, "none" | "off") => {
                Value::Unset
            }
            ParameterKind::Number { off: Some(off), .. } if word == "off" => Value::Number(off),
            ParameterKind::Number { .. } => word
                .parse()
                .map_or_else(|_| Value::Choice(word.to_owned()), Value::Number),
            ParameterKind::Choice { .. } => Value::Choice(word.to_owned()),
            ParameterKind::Toggle => match word {
                "true" | "on" | "yes" | "1" => Value::Toggle(true),
                "false" | "off" | "no" | "0" => Value::Toggle(false),
                other => Value::Choice(other.to_owned()),
            },
        };
        self.check(value)
    }

    /// What is accepted, for a person: `0 to 1`, `one of or, and`, `true or false`.
    pub fn range(&self) -> String {
        match self.kind {
            ParameterKind::Number {
                min,
                max,
                integer,
                optional,
                ..
            } => {
                let whole = if integer { "whole numbers from " } else { "" };
                let none = if optional { ", or none" } else { "" };
                format!("{whole}{min} to {max}{none}")
            }
            ParameterKind::Choice { options } => format!("one of {}", options.join(", ")),
            ParameterKind::Toggle => "true or false".to_owned(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Toggle(on) => write!(f, "{on}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Choice(word) => f.write_str(word),
            Value::Unset => f.write_str("none"),
        }
    }
}
