//! Dependence of a metric on each live parameter, with all others unchanged.

use std::time::Instant;

use memlens_eval::Metric;
use memlens_library::jobs::SetRun;
use memlens_params::{Parameter, ParameterKind, ParameterSet, Phase, StageId, Value, Values};
use memlens_wire::{Curve, Sensitivity};

use super::prepared::{Prepared, PreparedQuery};

/// Number of values tried in each range, in addition to the current one.
const N_PLACES: usize = 21;

/// A metric over the judged queries of a set, query by query.
pub(crate) struct Meter<'a> {
    pub prepared: &'a Prepared,
    pub metric: Metric,
}

impl Meter<'_> {
    /// The metric of each judged query under these values; `None` if it is undefined.
    pub fn of_each(&self, values: &Values) -> Vec<Option<f64>> {
        let judged = self.prepared.judged();
        judged.map(|query| self.of(query, values)).collect()
    }

    /// The metric of one query.
    pub fn of(&self, query: &PreparedQuery, values: &Values) -> Option<f64> {
        self.metric
            .of(&query.scores(&self.prepared.rank(query, values)))
    }
}

/// Mean of the defined values, and its standard error; 0 without values.
pub(crate) fn mean_and_error(values: &[Option<f64>]) -> (f64, f64) {
    let defined: Vec<f64> = values.iter().copied().flatten().collect();
    let n = defined.len() as f64;
    if defined.is_empty() {
        return (0.0, 0.0);
    }
    let mean = defined.iter().sum::<f64>() / n;
    let squares = defined.iter().map(|it| (it - mean).powi(2)).sum::<f64>();
    // The spread of a single value is unknown.
    let variance = if n > 1.0 { squares / (n - 1.0) } else { 0.0 };
    (mean, (variance / n).sqrt())
}

/// Live numeric parameters that these values use, in the order of the pipeline.
pub(crate) fn live_numbers(values: &Values) -> Vec<&'static Parameter> {
    let numbers = live(values).into_iter();
    numbers
        .filter(|it| matches!(values.get(it.id), Some(Value::Number(_))))
        .collect()
}

/// Live parameters that these values use, in the order of the pipeline.
pub(crate) fn live(values: &Values) -> Vec<&'static Parameter> {
    let parameters = values.table().parameters.iter();
    parameters
        .filter(|it| it.phase == Phase::Rank && it.is_read(values) && is_on(it, values))
        .collect()
}

/// Whether a parameter's stage does anything: it is not switched off, and a reranker is chosen if it is of that.
fn is_on(parameter: &Parameter, values: &Values) -> bool {
    let Some(stage) = parameter.stage else {
        return false;
    };
    let switch = values.table().stage(stage).and_then(|it| it.switch);
    let is_off = |id: &str| {
        matches!(values.get(id), Some(Value::Toggle(false)))
            || matches!(values.get(id), Some(Value::Choice(choice)) if choice == "off")
    };
    let is_unchosen = stage == StageId::RERANK && is_off("rerank");
    !(is_unchosen || switch.is_some_and(is_off))
}

/// Values of a number that are tried: along its range, evenly or by equal ratios, including values that switch it off,
/// and the current one.
pub(crate) fn places(parameter: &Parameter, present: f64, greatest: f64) -> Vec<f64> {
    let ParameterKind::Number {
        min,
        max,
        integer,
        log,
        step,
        ..
    } = parameter.kind
    else {
        return Vec::new();
    };
    let max = max.min(greatest.max(present));
    let at = |place: usize| {
        let share = place as f64 / (N_PLACES - 1) as f64;
        let number = if log && min > 0.0 {
            min * (max / min).powf(share)
        } else {
            min + (max - min) * share
        };
        let step = if integer { step.max(1.0) } else { step };
        // Computed with the whole number of steps, since 0.95 is not 19 times 0.05.
        let per_unit = (1.0 / step).round().max(1.0);
        let stepped = if step < 1.0 {
            (number * per_unit).round() / per_unit
        } else {
            ((number - min) / step).round() * step + min
        };
        stepped.clamp(min, max)
    };
    let mut places: Vec<f64> = (0..N_PLACES).map(at).chain([present]).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// A curve for each live number. `None` if it was stopped.
pub(crate) fn sensitivity(
    prepared: &Prepared,
    values: &Values,
    metric: Metric,
    greatest_depth: f64,
    going: &SetRun<'_>,
) -> Option<Sensitivity> {
    let started = Instant::now();
    let meter = Meter { prepared, metric };
    let parameters = live_numbers(values);
    going.expect(parameters.len());
    let present = mean_and_error(&meter.of_each(values)).0;
    let mut curves = Vec::with_capacity(parameters.len());
    let mut n_rankings = prepared.judged().count();
    for parameter in parameters {
        let greatest = if parameter.id.ends_with("_depth") {
            greatest_depth
        } else {
            f64::INFINITY
        };
        let curve = curve(&meter, values, parameter, greatest);
        n_rankings += curve.values.len() * prepared.judged().count();
        curves.push(curve);
        if !going.goes_on() {
            return None;
        }
    }
    Some(Sensitivity {
        metric,
        n_queries: prepared.judged().count() as u32,
        present,
        pinned: None,
        curves,
        n_rankings: n_rankings as u32,
        micros: started.elapsed().as_secs_f64() * 1e6,
    })
}

fn curve(meter: &Meter<'_>, values: &Values, parameter: &Parameter, greatest: f64) -> Curve {
    let number = |value: Option<Value>| match value {
        Some(Value::Number(number)) => number,
        _ => 0.0,
    };
    let present = number(values.get(parameter.id));
    let mut curve = Curve {
        parameter: parameter.id.to_owned(),
        label: parameter.label.to_owned(),
        values: Vec::new(),
        means: Vec::new(),
        errors: Vec::new(),
        present,
        default: number(Some(parameter.default.clone())),
        best: 0,
        gain: 0.0,
    };
    for value in places(parameter, present, greatest) {
        // Invalid values, such as two weights of 0, are not on the curve.
        let Ok(tried) = values.clone().with([(parameter.id, Value::Number(value))]) else {
            continue;
        };
        let (mean, error) = mean_and_error(&meter.of_each(&tried));
        curve.values.push(value);
        curve.means.push(mean);
        curve.errors.push(error);
    }
    let at_present = curve
        .values
        .iter()
        .position(|it| *it == present)
        .unwrap_or_default();
    let best = (0..curve.values.len()).max_by(|a, b| {
        let far = |at: usize| (curve.values[at] - present).abs();
        let by_mean = curve.means[*a].total_cmp(&curve.means[*b]);
        by_mean.then_with(|| far(*b).total_cmp(&far(*a)))
    });
    let best = best.unwrap_or_default();
    curve.best = best as u32;
    curve.gain = curve
        .means
        .get(best)
        .zip(curve.means.get(at_present))
        .map_or(0.0, |(a, b)| a - b);
    curve
}
