//! Finds the settings of another program that come nearest to a tuned ranking, by trying them on judged queries.

use std::path::Path;

use memlens_agents::{Fit, Target};
use memlens_eval::{Place, Query, Scores, Summary, score};
use memlens_library::ranking::{Ranking, pipeline};
use memlens_library::{EngineError, Library};
use memlens_params::{ParamError, Parameter, ParameterKind, ParameterSet, Phase, Value, Values};

use crate::evaluate::{run_of, search_for};
use crate::query_file::QueryFile;
use crate::{judged, run_query};

/// Number of values tried along each number's range.
const N_STEPS: usize = 21;

/// Number of passes over all numbers, because the best value of one depends on the others.
const N_ROUNDS: usize = 2;

/// The best settings that a program accepts, on the queries that chose them.
pub struct Nearest {
    /// Pipeline of that program with the values found.
    pub ranking: Ranking,
    /// nDCG@10 of the ranking to be handed over.
    pub full: f64,
    /// nDCG@10 of the settings as mapped directly.
    pub mapped: f64,
    /// nDCG@10 of the settings found.
    pub found: f64,
    /// Number of queries that chose the settings.
    pub n_queries: usize,
    /// Number of settings that were tried.
    pub n_tried: usize,
    /// Notices about the queries, to show to the user.
    pub notices: Vec<String>,
}

impl Nearest {
    /// The result as the window shows it.
    pub fn to_view(&self) -> memlens_wire::NearestSetting {
        memlens_wire::NearestSetting {
            ranking: self.ranking.to_view(),
            label: self.ranking.pipeline.label(),
            changed: self
                .ranking
                .values
                .changed()
                .iter()
                .map(|(id, value)| format!("{id} {value}"))
                .collect(),
            full: self.full,
            mapped: self.mapped,
            found: self.found,
            n_queries: self.n_queries as u32,
            n_tried: self.n_tried as u32,
            notices: self.notices.clone(),
        }
    }
}

/// Tries settings of a target on the queries that have an answer, starting from the mapped values: each number with
/// an approximate fit, along its range. Of equal figures the one tried first wins, which is the mapped one. `asked`
/// is called for each query that was asked, twice each; `None` if [`JobKind::Nearest`](memlens_wire::JobKind) was
/// stopped, which reports its progress.
///
/// # Errors
/// [`EngineError::NoPipeline`] for a target that Memlens cannot search as; as [`crate::judged::judged`] and [`crate::evaluate::run_query`].
pub fn nearest(
    library: &Library,
    ranking: &Ranking,
    target: &Target,
    file: &QueryFile,
    asked: impl Fn(),
) -> Result<Option<Nearest>, EngineError> {
    let run = library.jobs().nearest.begin();
    let judged = judged(library, file)?;
    let queries = judged.answered();
    run.expect(2 * queries.len());
    let found = try_each(library, ranking, target, &queries, &file.base, || {
        asked();
        run.goes_on()
    });
    match found {
        Err(Stopped::By(error)) => Err(error),
        Err(Stopped::User) => Ok(None),
        Ok(found) => Ok(Some(Nearest {
            notices: judged.notices,
            ..found
        })),
    }
}

fn try_each(
    library: &Library,
    ranking: &Ranking,
    target: &Target,
    queries: &[&Query],
    base: &Path,
    goes_on: impl Fn() -> bool,
) -> Result<Nearest, Stopped> {
    if let Some(params) = ranking.params() {
        library.aggregate_for(&params)?;
    }
    let mean = |scores: &[Scores]| Summary::of(scores).map_or(0.0, |it| it.mean.ndcg_10);
    let in_turn = |ranking: &Ranking| {
        let is_of_library = ranking.is_of_library();
        library.in_turn(queries, move |it| is_of_library.then_some(&*it.query))
    };
    let full = in_turn(ranking).map(|query| {
        let run = run_query(library, query, base, ranking, false)?;
        if goes_on() {
            Ok(score_of(query, &run.places))
        } else {
            Err(Stopped::User)
        }
    });
    let full = mean(&full.collect::<Result<Vec<_>, Stopped>>()?);
    let (mut best, free) = mapped(ranking, target)?;
    let searches = in_turn(&best)
        .map(|query| {
            let search = search_for(library, query, base, &best, false)?;
            if goes_on() {
                Ok(search)
            } else {
                Err(Stopped::User)
            }
        })
        .collect::<Result<Vec<_>, Stopped>>()?;
    let judged = |values: &Values| {
        let each = queries.iter().zip(&searches).map(|(query, search)| {
            let Ok(search) = search else {
                return Ok(score_of(query, &[]));
            };
            let run = run_of(search, values)?;
            Ok(score_of(query, &run.places))
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
        n_queries: queries.len(),
        n_tried,
        notices: Vec::new(),
    })
}

/// The ranking of a target with the mapped values, and the parameters that may be tried.
///
/// # Errors
/// [`EngineError::NoPipeline`] for a target that Memlens cannot search as.
fn mapped(ranking: &Ranking, target: &Target) -> Result<(Ranking, Vec<&'static str>), EngineError> {
    let mut best = Ranking::of(pipeline(target.id)?);
    let mut free: Vec<&'static str> = Vec::new();
    for mapped in target.map(ranking.pipeline.id().0, &ranking.values) {
        let key = mapped.key.map(|key| vec![key.to_owned()]);
        let parameter = key.and_then(|key| target.parameter_of(&key));
        let value = mapped
            .written
            .and_then(|written| serde_json::from_value(written).ok());
        let (Some(parameter), Some(value)) = (parameter, value) else {
            continue;
        };
        let line = best.values.table().parameter(parameter)?;
        best.values = best.values.with([(parameter, within(line, value))])?;
        // Parameters of chunking are not tried: all rankings use searches of one chunking.
        if matches!(mapped.fit, Fit::Approximate(_)) && line.phase == Phase::Rank {
            free.push(parameter);
        }
    }
    Ok((best, free))
}

fn score_of(query: &Query, returned: &[Place]) -> Scores {
    score(query.gold().unwrap_or_default(), returned)
}

/// The nearest value that a parameter accepts.
fn within(parameter: &Parameter, value: Value) -> Value {
    match (&parameter.kind, value) {
        (ParameterKind::Number { min, max, .. }, Value::Number(number)) => {
            Value::Number(number.clamp(*min, *max))
        }
        (_, value) => value,
    }
}

/// Why there is no result.
enum Stopped {
    By(EngineError),
    User,
}

impl From<EngineError> for Stopped {
    fn from(error: EngineError) -> Stopped {
        Stopped::By(error)
    }
}

impl From<ParamError> for Stopped {
    fn from(error: ParamError) -> Stopped {
        Stopped::By(error.into())
    }
}

/// Values along a number's range, evenly or by equal ratios.
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
        // Users type at most two decimals.
        let scale = if integer { 1.0 } else { 100.0 };
        ((number * scale).round() / scale).clamp(min, max)
    };
    let mut numbers: Vec<f64> = (0..N_STEPS).map(at).collect();
    numbers.dedup();
    numbers.into_iter().map(Value::Number).collect()
}
