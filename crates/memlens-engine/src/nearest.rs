//! The setting of another program that comes nearest to a tuned ranking, found by trying on judged queries.

use std::path::Path;

use memlens_agents::{Fit, Target};
use memlens_eval::{Query, Scores, Summary, score};
use memlens_params::{ParameterKind, ParameterSet, Value, Values};

use crate::ranking::{Ranking, pipeline};
use crate::{EngineError, Library};

/// Each number is tried at so many places of its range.
const N_STEPS: usize = 21;

/// Each number is tried so often, as the best value of one hangs on the others.
const N_ROUNDS: usize = 2;

/// The best of what a program can be told, on the queries that it was chosen by.
pub struct Nearest {
    /// That program's pipeline with the values found.
    pub ranking: Ranking,
    /// nDCG@10 of the ranking that was to be handed over.
    pub full: f64,
    /// nDCG@10 of the settings as they are mapped.
    pub mapped: f64,
    /// nDCG@10 of the settings found.
    pub found: f64,
    /// How many settings were tried.
    pub n_tried: usize,
}

impl Library {
    /// Tries what a target can be told on judged queries, whose paths are relative to `base`, from the mapped values on: each
    /// number that is only approximate, along its range. Of equal figures the one tried first stands, which is the mapped one.
    ///
    /// # Errors
    /// [`EngineError::NoPipeline`] for a target that Memlens cannot search as; as [`Library::run_query`].
    pub fn nearest(
        &self,
        ranking: &Ranking,
        target: &Target,
        queries: &[Query],
        base: &Path,
        mut tried: impl FnMut(),
    ) -> Result<Nearest, EngineError> {
        let mean = |scores: &[Scores]| Summary::of(scores).map_or(0.0, |it| it.mean.ndcg_10);
        let full = mean(&self.scores(queries, base, ranking, &mut tried)?);
        let mut best = Ranking::of(pipeline(target.id)?);
        let mut free: Vec<&'static str> = Vec::new();
        for mapped in target.map(ranking.pipeline.id().0, &ranking.values) {
            let key = mapped.key.map(|key| vec![key.to_owned()]);
            let parameter = key.and_then(|key| target.parameter_of(&key));
            let value = mapped
                .told
                .and_then(|told| serde_json::from_value(told).ok());
            let (Some(parameter), Some(value)) = (parameter, value) else {
                continue;
            };
            best.values = best.values.with([(parameter, value)])?;
            if matches!(mapped.fit, Fit::Approximate(_)) {
                free.push(parameter);
            }
        }
        let searches = queries
            .iter()
            .map(|query| {
                tried();
                self.search_for(query, base, &best, false)
            })
            .collect::<Result<Vec<_>, EngineError>>()?;
        let judged = |values: &Values| {
            let each = queries.iter().zip(&searches).map(|(query, search)| {
                let Ok(search) = search else {
                    return Ok(score(&query.relevant, &[]));
                };
                let run = self.run_of(search, values, base)?;
                Ok(score(&query.relevant, &run.places))
            });
            Ok::<f64, EngineError>(mean(&each.collect::<Result<Vec<_>, EngineError>>()?))
        };
        let mapped = judged(&best.values)?;
        let (mut found, mut n_tried) = (mapped, 1);
        for _ in 0..N_ROUNDS {
            for &parameter in &free {
                for value in steps(&best.values, parameter) {
                    let Ok(values) = best.values.clone().with([(parameter, value)]) else {
                        continue;
                    };
                    let figure = judged(&values)?;
                    n_tried += 1;
                    if figure > found {
                        (found, best.values) = (figure, values);
                    }
                }
            }
        }
        Ok(Nearest {
            ranking: best,
            full,
            mapped,
            found,
            n_tried,
        })
    }
}

/// Places along a number's range, evenly or by equal ratios.
fn steps(values: &Values, id: &str) -> Vec<Value> {
    let Ok(parameter) = values.table().parameter(id) else {
        return Vec::new();
    };
    let ParameterKind::Number {
        min,
        max,
        integer,
        log,
        ..
    } = parameter.kind
    else {
        return Vec::new();
    };
    let at = |step: usize| {
        let share = step as f64 / (N_STEPS - 1) as f64;
        let number = if log {
            min * (max / min).powf(share)
        } else {
            min + (max - min) * share
        };
        // Two decimals are what a person would type.
        let scale = if integer { 1.0 } else { 100.0 };
        ((number * scale).round() / scale).clamp(min, max)
    };
    let mut numbers: Vec<f64> = (0..N_STEPS).map(at).collect();
    numbers.dedup();
    numbers.into_iter().map(Value::Number).collect()
}
