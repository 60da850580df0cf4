//! Calibration of the threshold that drops results, by the scores of judged rows.

use std::collections::HashMap;

use memlens_eval::{AtLine, Calibration, Metric, QUERIES_MIN};
use memlens_library::search::native;
use memlens_params::{Parameter, ParameterKind, ParameterSet, Params, Value, Values};
use memlens_rank::number;
use memlens_wire::{self, CalibrationAnswer, LineFigures};

use super::prepared::{Prepared, PreparedQuery};
use super::sensitivity::{Meter, mean_and_error};

/// Number of best rows inspected per judged query: as many as a user or an agent reads.
const DEPTH: usize = 10;

/// Maximum number of thresholds computed for dragging.
const LINES_MAX: usize = 201;

/// Distribution of the scores with the threshold at its minimum, and the rows that each threshold keeps.
pub(crate) fn calibrate(prepared: &Prepared, values: &Values) -> CalibrationAnswer {
    let none = |why: &str| CalibrationAnswer::None {
        why: why.to_owned(),
    };
    let Some((parameter, min, max, step)) = line_of(values) else {
        return none("This ranking has no min score.");
    };
    let present = match values.get(parameter.id) {
        Some(Value::Number(present)) => present,
        _ => min,
    };
    let Ok(open) = values.clone().with([(parameter.id, Value::Number(min))]) else {
        return none("The min score cannot be moved with these settings.");
    };
    let before_decay = before_decay(&open);
    // Rows of a query with the scores that the threshold is compared with.
    let rows = |query: &PreparedQuery| -> Vec<(u32, f64)> {
        let rows = prepared.rank(query, &open);
        let Some(before_decay) = &before_decay else {
            return rows;
        };
        let scores: HashMap<u32, f64> = prepared.rank(query, before_decay).into_iter().collect();
        let scored = rows.into_iter();
        scored
            .filter_map(|(slot, _)| Some((slot, *scores.get(&slot)?)))
            .collect()
    };
    let (mut relevant, mut not_relevant) = (Vec::new(), Vec::new());
    for query in prepared.judged() {
        for (slot, score) in rows(query).into_iter().take(DEPTH) {
            if query.is_relevant(slot) {
                relevant.push(score);
            } else {
                not_relevant.push(score);
            }
        }
    }
    let best = |query| {
        let scores = rows(query).into_iter().map(|(_, score)| score);
        scores.max_by(f64::total_cmp)
    };
    let nonsense: Vec<f64> = prepared.nonsense().filter_map(best).collect();
    let Some(scores) = Calibration::of(&relevant, &not_relevant, &nonsense) else {
        return none("No judged query finds anything, so there is no score to look at.");
    };
    let scores = scores.in_steps_of(step);
    let histogram = scores.histogram(present);
    let reach = histogram.edges.first().zip(histogram.edges.last());
    let (low, high) = reach.map_or((min, max), |(low, high)| (low.max(min), high.min(max)));
    let n_queries = prepared.judged().count();
    // As in auto-tune, the best of many lines on a few queries is best by chance.
    let is_enough = n_queries >= QUERIES_MIN;
    let suggested = scores
        .suggested()
        .filter(|at| is_enough && (min..=max).contains(&at.line));
    let about = if is_enough || n_queries == 0 {
        scores.sentence()
    } else {
        format!(
            "No line is suggested: that needs {QUERIES_MIN} judged queries; this set has {n_queries}."
        )
    };
    let lower = suggested
        .as_ref()
        .and_then(|at| lower_with(prepared, values, parameter, at.line));
    let below = kept_below(prepared, values, parameter, present);
    CalibrationAnswer::Line(Box::new(memlens_wire::Calibration {
        parameter: parameter.id.to_owned(),
        label: parameter.label.to_owned(),
        n_queries: n_queries as u32,
        depth: DEPTH as u32,
        edges: histogram.edges,
        relevant: histogram.relevant,
        not_relevant: histogram.not_relevant,
        nonsense: histogram.nonsense,
        n_relevant: relevant.len() as u32,
        n_not_relevant: not_relevant.len() as u32,
        n_nonsense: nonsense.len() as u32,
        present: line_figures(scores.at(present)),
        suggested: suggested.map(line_figures),
        lines: lines(low, high, step)
            .into_iter()
            .map(|line| line_figures(scores.at(line)))
            .collect(),
        separates: scores.separates(),
        sentence: [Some(about), lower, below]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
    }))
}

/// Metrics that are lower with a threshold than with the current one, in a sentence; `None` if none is. The threshold is
/// chosen by rows, which a metric counts otherwise: query by query, and by their ranks.
fn lower_with(
    prepared: &Prepared,
    values: &Values,
    parameter: &Parameter,
    line: f64,
) -> Option<String> {
    let moved = values.clone().with([(parameter.id, Value::Number(line))]);
    let moved = moved.ok()?;
    let lower: Vec<String> = Metric::ALL
        .into_iter()
        .filter_map(|metric| {
            let meter = Meter { prepared, metric };
            let mean = |values| mean_and_error(&meter.of_each(values)).0;
            let (now, then) = (mean(values), mean(&moved));
            let is_lower = (now * 1e3).round() > (then * 1e3).round();
            is_lower.then(|| {
                let (now, then) = (number(now, 3), number(then, 3));
                format!("{} {now} \u{2192} {then}", metric.label())
            })
        })
        .collect();
    (!lower.is_empty()).then(|| format!("It lowers {}.", lower.join(", ")))
}

/// How many rows this ranking keeps below its threshold, in a sentence; `None` if it keeps none. OpenClaw brings rows back
/// that words found, so its results are more than the rows above the line.
fn kept_below(
    prepared: &Prepared,
    values: &Values,
    parameter: &Parameter,
    present: f64,
) -> Option<String> {
    // Memlens's own threshold compares scores before decay, and brings nothing back.
    if native(values).is_some() {
        return None;
    }
    let kept = prepared
        .judged()
        .flat_map(|query| prepared.rank(query, values));
    let n_below = kept.filter(|(_, score)| *score < present).count();
    let (rows, they) = match n_below {
        0 => return None,
        1 => ("row", "it is"),
        _ => ("rows", "they are"),
    };
    Some(format!(
        "With {} {present} this ranking keeps {n_below} {rows} of a lower score too; {they} not in these figures, but in the metrics.",
        parameter.label
    ))
}

/// Values with which every candidate keeps its score before decay; `None` if decay has no effect.
fn before_decay(values: &Values) -> Option<Values> {
    let params = native(values).filter(|it| it.decay_on && it.half_life_days > 0.0)?;
    let params = Params {
        decay_on: false,
        repeats_on: false,
        limit_on: false,
        hook_on: false,
        budget_on: false,
        min_score_of_best: 0.0,
        ..params
    };
    Some(params.values())
}

/// The parameter that drops rows by their score, with its range and step; `None` if the pipeline has none.
fn line_of(values: &Values) -> Option<(&'static Parameter, f64, f64, f64)> {
    let mut parameters = values.table().parameters.iter();
    let is_line = |it: &&Parameter| it.id == "min_score" || it.id.ends_with(".min_score");
    let parameter = parameters.find(is_line)?;
    match parameter.kind {
        ParameterKind::Number { min, max, step, .. } => Some((parameter, min, max, step)),
        ParameterKind::Choice { .. } | ParameterKind::Toggle => None,
    }
}

/// Slider steps between two scores, or at most `LINES_MAX` of them, evenly spaced.
fn lines(low: f64, high: f64, step: f64) -> Vec<f64> {
    let per_unit = 1.0 / step;
    let (first, last) = (
        (low * per_unit).floor() as i64,
        (high * per_unit).ceil() as i64,
    );
    let stride = ((last - first) as usize / LINES_MAX + 1).max(1);
    (first..=last)
        .step_by(stride)
        .map(|at| (at as f64 / per_unit).max(0.0))
        .collect()
}

fn line_figures(at: AtLine) -> LineFigures {
    LineFigures {
        line: at.line,
        precision: at.precision,
        recall: at.recall,
        relevant_kept: at.n_relevant as u32,
        not_relevant_kept: at.n_not_relevant as u32,
        nonsense_kept: at.n_nonsense as u32,
    }
}
