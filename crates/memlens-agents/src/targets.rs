//! Programs that a tuned ranking can be handed over to: what each can express, and how exactly.
//!
//! One file per program. A target is data and a pure function from parameters to settings, each with its [`Fit`]. The
//! caller writes the settings.

pub(crate) mod basic_memory;
pub(crate) mod octopus;
mod openclaw;
pub(crate) mod openviking;
mod qmd;

use std::path::PathBuf;

use memlens_params::{Parameter, ParameterKind, ParameterSet, Phase, Value, Values};
use serde_json::json;

use crate::Home;
use crate::openclaw_search::{Effect, Known};

/// All targets, in the order of every list; the newest version of each program first.
pub static TARGETS: [&Target; 7] = [
    &openclaw::SINCE_2026_8,
    &openclaw::UP_TO_2026_7,
    &openclaw::FEB_2026,
    &qmd::TARGET,
    &openviking::TARGET,
    &basic_memory::TARGET,
    &octopus::TARGET,
];

/// A program with configurable ranking.
pub struct Target {
    /// Its id with its version, as the pipeline of that version is named if there is one.
    pub id: &'static str,
    /// Its name on screen, with its versions.
    pub label: &'static str,
    /// How it takes its settings.
    pub takes: Takes,
    /// Its keys below [`Takes::root`], by the parameters of its own pipeline.
    keys: &'static [Known],
    /// Mapping of Memlens's own parameters.
    from_memlens: fn(&Own<'_>) -> Vec<Mapped>,
    /// Why it cannot express a parameter without a key.
    otherwise: fn(&Parameter) -> &'static str,
}

/// How a program takes its settings.
#[derive(Clone, Copy)]
pub enum Takes {
    /// A config file of its own, as JSON or JSON5.
    Config {
        /// Usual name of the config file.
        file: &'static str,
        /// Parent keys of all of its settings, from the top.
        root: &'static [&'static str],
        /// The same for a single agent with that name; `None` if agents cannot be configured separately.
        root_of_agent: Option<fn(&str) -> Vec<String>>,
        /// Usual path of the file; `None` if there is none.
        place: fn(&Home) -> Option<PathBuf>,
    },
    /// Arguments of each call: formats the call from its settings and the placeholder of the question.
    Arguments(fn(&[(&str, serde_json::Value)], &str) -> String),
}

/// One parameter on its way into a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapped {
    /// Id of the parameter in its table.
    pub parameter: &'static str,
    /// Value of the parameter in the ranking.
    pub value: Value,
    /// Key or argument that holds it, below the target's root; `None` if the program has none.
    pub key: Option<&'static str>,
    /// Value under that key, as JSON; `None` if it is not written.
    pub written: Option<serde_json::Value>,
    /// How exactly the program can express it.
    pub fit: Fit,
}

/// How exactly a setting expresses a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// The setting has the same effect.
    Exact,
    /// The setting has a similar effect, as described.
    Approximate(&'static str),
    /// The program cannot express it, for this reason.
    NotExpressible(&'static str),
    /// The key is proposed and without effect in this version; what acts instead.
    Proposed(&'static str),
}

impl Fit {
    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Fit::Exact => "exact",
            Fit::Approximate(_) => "approximate",
            Fit::NotExpressible(_) => "not_expressible",
            Fit::Proposed(_) => "proposed",
        }
    }

    /// Notice to show to the user; `None` if the fit is exact.
    pub fn why(self) -> Option<&'static str> {
        match self {
            Fit::Exact => None,
            Fit::Approximate(why) | Fit::NotExpressible(why) | Fit::Proposed(why) => Some(why),
        }
    }
}

impl Target {
    /// The program's name, without its version.
    pub fn program(&self) -> &'static str {
        self.id.split('@').next().unwrap_or(self.id)
    }

    /// What becomes of the parameters of a pipeline: each of `pipeline` that acts, in the order of its table.
    pub fn map(&self, pipeline: &str, values: &Values) -> Vec<Mapped> {
        let mut mapped = if pipeline == "memlens" {
            (self.from_memlens)(&Own(values))
        } else {
            self.by_keys(pipeline == self.id, values)
        };
        for parameter in &values.table().parameters {
            if mapped.iter().all(|it| it.parameter != parameter.id) && acts(parameter, values) {
                mapped.push(Mapped {
                    parameter: parameter.id,
                    value: values.get(parameter.id).unwrap_or(Value::Unset),
                    key: None,
                    written: None,
                    fit: Fit::NotExpressible((self.otherwise)(parameter)),
                });
            }
        }
        let place = |it: &Mapped| {
            let mut parameters = values.table().parameters.iter();
            parameters.position(|parameter| parameter.id == it.parameter)
        };
        mapped.sort_by_key(place);
        mapped
    }

    /// Each parameter of its own pipeline that a key sets.
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> {
        let effects = self.keys.iter().map(|(.., effect)| effect);
        effects.filter_map(|effect| effect.parameter())
    }

    /// Parameter of the target's own pipeline that a key sets, given with all parent keys; `None` if it sets none.
    pub fn parameter_of(&self, path: &[String]) -> Option<&'static str> {
        let path = path.join(".");
        let is_it = |key: &str| path == key || path.ends_with(&format!(".{key}"));
        let mut keys = self.keys.iter();
        keys.find_map(|(key, _, effect)| effect.parameter().filter(|_| is_it(key)))
    }

    /// Default of a switch that is no parameter, for a config that does not set it; `None` if unknown.
    pub fn switch_of(&self, path: &[String]) -> Option<bool> {
        let is_hybrid = path.ends_with(&["query", "hybrid", "enabled"].map(str::to_owned));
        (is_hybrid && self.program() == "openclaw").then_some(true)
    }

    /// The parameters of an emulated program, by the keys that set them.
    fn by_keys(&self, is_its_own: bool, values: &Values) -> Vec<Mapped> {
        let of_key = |(key, _, effect): &Known| {
            let Effect::Sets(id) = *effect else {
                return None;
            };
            let value = values.get(id)?;
            let written = json!(value);
            let parameter = values.table().parameter(id).ok()?;
            if !parameter.is_read(values) {
                return None;
            }
            Some(Mapped {
                parameter: parameter.id,
                written: Some(whole(written)),
                value,
                key: Some(key),
                fit: if is_its_own {
                    Fit::Exact
                } else {
                    Fit::Approximate("the same setting, of another version that ranks otherwise")
                },
            })
        };
        self.keys.iter().filter_map(of_key).collect()
    }
}

/// Values of Memlens's own parameters.
pub(crate) struct Own<'a>(&'a Values);

impl Own<'_> {
    fn number(&self, id: &str) -> f64 {
        self.optional(id).unwrap_or_default()
    }

    fn optional(&self, id: &str) -> Option<f64> {
        match self.0.get(id) {
            Some(Value::Number(number)) => Some(number),
            Some(Value::Toggle(_) | Value::Choice(_) | Value::Unset) | None => None,
        }
    }

    fn is_on(&self, id: &str) -> bool {
        self.0.get(id) == Some(Value::Toggle(true))
    }

    fn is(&self, id: &str, choice: &str) -> bool {
        matches!(self.0.get(id), Some(Value::Choice(chosen)) if chosen == choice)
    }

    fn is_changed(&self, id: &str) -> bool {
        let parameter = self.0.table().parameter(id);
        parameter.is_ok_and(|it| self.0.get(id).as_ref() != Some(&it.default))
    }

    /// Whether a reranker is asked.
    fn reranks(&self) -> bool {
        self.is_on("rerank_on") && !self.is("rerank", "off")
    }

    /// How many rows go to the reranker.
    fn reranked(&self) -> f64 {
        match self.number("rerank_max_docs") {
            0.0 => 3.0 * self.number("max_results"),
            most => most,
        }
    }

    /// How many results there are; without a limit the program still has one.
    fn results(&self, key: &'static str, fit: Fit) -> Mapped {
        let fit = if self.is_on("limit_on") {
            fit
        } else {
            Fit::Approximate("Memlens limits nothing here; this program always does")
        };
        self.set("max_results", key, self.number("max_results"), fit)
    }

    /// The least score, on a scale that is not Memlens's.
    fn least_score(&self, key: &'static str) -> Mapped {
        if self.is_on("threshold_on") {
            let fit = Fit::Approximate(
                "its scores are on another scale, so the same number cuts elsewhere",
            );
            self.set("min_score", key, self.number("min_score"), fit)
        } else {
            let fit = Fit::Approximate("rows with a score below 0 are still dropped");
            self.set("threshold_on", key, 0.0, fit)
        }
    }

    /// A parameter that a key holds.
    fn set(
        &self,
        parameter: &'static str,
        key: &'static str,
        written: impl Into<serde_json::Value>,
        fit: Fit,
    ) -> Mapped {
        Mapped {
            parameter,
            value: self.0.get(parameter).unwrap_or(Value::Unset),
            key: Some(key),
            written: Some(whole(written.into())),
            fit,
        }
    }
}

/// A number without a fraction is written without one.
fn whole(value: serde_json::Value) -> serde_json::Value {
    let number = value
        .as_f64()
        .filter(|it| it.fract() == 0.0 && it.abs() < 1e15);
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
    number.map_or(value, |number| json!(number as i64))
}

/// Whether a parameter currently has an effect: its stage runs, its method is selected, and it is not off.
fn acts(parameter: &Parameter, values: &Values) -> bool {
    let table = values.table();
    let is_on = |id: &str| values.get(id) != Some(Value::Toggle(false));
    let is_off =
        |id: &str| matches!(values.get(id), Some(Value::Choice(chosen)) if chosen == "off");
    let stage = parameter.stage.and_then(|stage| table.stage(stage));
    let switched = stage.and_then(|stage| stage.switch).is_none_or(is_on);
    // A stage of Memlens's own that asks somebody outside has a choice of the same name, which may be off.
    let asked = parameter.stage.is_none_or(|stage| !is_off(stage.as_str()));
    let value = values.get(parameter.id);
    let is_set = match (&parameter.kind, &value) {
        (ParameterKind::Toggle, _) => value != Some(parameter.default.clone()),
        (ParameterKind::Number { off: Some(off), .. }, Some(Value::Number(number))) => {
            number != off
        }
        (_, Some(Value::Unset) | None) => false,
        (ParameterKind::Choice { .. }, Some(Value::Choice(chosen))) if chosen == "off" => false,
        (ParameterKind::Number { .. } | ParameterKind::Choice { .. }, _) => true,
    };
    let is_switch = stage.and_then(|stage| stage.switch) == Some(parameter.id);
    // Parameters of chunking and reading do not rank by themselves: they count if the user changed them.
    let is_chosen = parameter.phase != Phase::Index || value != Some(parameter.default.clone());
    is_chosen && is_set && asked && (switched || is_switch) && parameter.is_read(values)
}
