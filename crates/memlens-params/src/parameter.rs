//! One parameter of the table, and the values it accepts.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::{ParamError, ParameterSet, StageId};

/// The cost of changing a parameter, which decides when the change takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Notes are cut and embedded again.
    Index,
    /// The lists are searched again.
    Retrieve,
    /// Pure arithmetic, applied while a slider is dragged.
    Rank,
    /// An external model, provider or command is called.
    Outside,
}

impl Phase {
    /// Returns the name of the phase as displayed to the user.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Index => "index",
            Phase::Retrieve => "retrieve",
            Phase::Rank => "rank",
            Phase::Outside => "outside",
        }
    }
}

/// The values that a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ParameterKind {
    /// A finite number in `[min, max]`.
    Number {
        /// Smallest value that is accepted, itself included.
        min: f64,
        /// Largest value that is accepted, itself included.
        max: f64,
        /// The step of the slider; values between steps are accepted.
        step: f64,
        /// Whether only whole numbers are accepted.
        integer: bool,
        /// The value that switches off what the parameter controls, if there is one.
        off: Option<f64>,
        /// Whether `none` is accepted, which means that nothing is set.
        optional: bool,
        /// Whether equal slider distances are equal ratios.
        log: bool,
    },
    /// One of some fixed words.
    Choice {
        /// The words, in the order in which they are offered.
        options: &'static [&'static str],
    },
    /// `true` or `false`.
    Toggle,
}

/// A parameter's value of any kind; in JSON it is the bare value.
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

/// One parameter of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Parameter {
    /// The parameter's name in files and on the command line.
    pub id: &'static str,
    /// The stage that uses it; `None` for parameters of the library.
    pub stage: Option<StageId>,
    /// When a change of it takes effect.
    pub phase: Phase,
    /// The parameter's name as displayed to the user.
    pub label: &'static str,
    /// The unit of its number.
    pub unit: Option<&'static str>,
    /// The values that it accepts.
    pub kind: ParameterKind,
    /// The value if none is set.
    pub default: Value,
    /// What it does, as a sentence for the user.
    pub sentence: &'static str,
    /// The choice that must be made for it to be used; `None` if it is always used.
    pub needs: Option<Needs>,
}

/// The choice of another parameter with which a parameter is used: it belongs to one of several methods of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct Needs {
    /// The parameter that selects the method.
    pub parameter: &'static str,
    /// The choices that use it. The first is selected if the user sets the parameter while another choice is set.
    pub one_of: &'static [&'static str],
}

impl Parameter {
    /// Returns whether the parameter is used with these values.
    pub fn is_read(&self, params: &impl ParameterSet) -> bool {
        self.needs
            .is_none_or(|needs| match params.get(needs.parameter) {
                Some(Value::Choice(choice)) => needs.one_of.contains(&choice.as_str()),
                Some(Value::Toggle(_) | Value::Number(_) | Value::Unset) | None => false,
            })
    }

    /// Returns why setting it has no effect with these values; `None` if it has.
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

    /// Returns `value` if this parameter accepts it.
    ///
    /// # Errors
    /// [`ParamError::WrongKind`] for a value of another kind and for an unknown choice, [`ParamError::OutOfRange`] for
    /// a number outside the range, not finite or not whole.
    pub fn check(&self, value: Value) -> Result<Value, ParamError> {
        match (&self.kind, &value) {
            (
                ParameterKind::Number {
                    min, max, integer, ..
                },
                Value::Number(number),
            ) => {
                let whole = !integer || number.fract() == 0.0;
                // Written so that NaN is rejected too.
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

    /// Parses a value as typed on a command line.
    ///
    /// Toggles take true, false, on, off, yes, no, 1 and 0; an optional number takes `none` and `off`.
    ///
    /// # Errors
    /// Like [`Parameter::check`].
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

    /// Returns the accepted values as text for the user: `0 to 1`, `one of or, and`, `true or false`.
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
