//! Auto-tune: the values of some parameters that a metric is greatest by, and what they are worth on queries that had no part
//! in choosing them.
//!
//! Each parameter in turn is tried along its range, all others as they are, until no turn gains (coordinate ascent): with
//! some ten parameters of one bend each this finds what random tries of the same number do not, and the same seed gives the
//! same answer. What it finds on all queries is the proposal; what finding in this way is worth is measured on the queries of
//! each fold by what was found on the others.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use memlens_eval::{Difference, QUERIES_MIN, about, folds, paired_bootstrap, queries_needed};
use memlens_library::EngineError;
use memlens_library::jobs::SetRun;
use memlens_library::ranking::{Ranking, stage_looks};
use memlens_params::{Parameter, ParameterKind, ParameterSet, StageId, Value, Values};
use memlens_wire::{BestTry, ChangedValue, TuneAnswer, TuneKind, TuneRequest, TuneRow};

use super::prepared::{Prepared, PreparedQuery};
use super::sensitivity::{Meter, live, mean_and_error, places};

/// Each parameter has its turn at most so often.
const N_ROUNDS: usize = 4;

/// A gain below this is none: it would only follow rounding.
const GAIN_MIN: f64 = 1e-6;

/// A change counts by its gain less so many of its standard errors, paired by query: on few queries the best of hundreds of
/// tries is best by chance. Tuned on one half, seeds 0 to 5, nDCG@10 of the other half moves by at most -0.035 with 0 (5 folds), -0.011
/// with 2 and never downwards with 2.5, on the sample questions, LoCoMo and QMSum; 3 finds next to nothing.
/// Source: after the one-standard-error rule of Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984).
const GAIN_ERRORS: f64 = 2.5;

/// So many tries are shown.
const TRIES_SHOWN: usize = 5;

/// The input of one tuning.
pub(crate) struct Task<'a> {
    pub prepared: &'a Prepared,
    pub present: &'a Ranking,
    pub request: &'a TuneRequest,
    /// The depth that the lists were kept to.
    pub greatest_depth: f64,
}

/// The figures of one ranking, query by query; NaN where it was not ranked yet, infinite where the metric is not defined.
type Figures = Vec<f64>;

struct Tries<'a> {
    meter: Meter<'a>,
    queries: Vec<&'a PreparedQuery>,
    known: HashMap<String, (Values, Figures)>,
    n_rankings: usize,
}

impl Tries<'_> {
    /// The mean over some queries by these values; each query is ranked once by each values.
    fn mean(&mut self, values: &Values, of: &[usize]) -> f64 {
        let each = self.each(values, of);
        mean_and_error(&each).0
    }

    fn each(&mut self, values: &Values, of: &[usize]) -> Vec<Option<f64>> {
        let key = format!("{values:?}");
        let n = self.queries.len();
        let (_, figures) = self
            .known
            .entry(key)
            .or_insert_with(|| (values.clone(), vec![f64::NAN; n]));
        let mut each = Vec::with_capacity(of.len());
        for at in of {
            if figures[*at].is_nan() {
                self.n_rankings += 1;
                let figure = self.meter.of(self.queries[*at], values);
                figures[*at] = figure.unwrap_or(f64::INFINITY);
            }
            each.push(Some(figures[*at]).filter(|it| it.is_finite()));
        }
        each
    }
}

/// The parameters that are tried: those that are named, or each live one that does more than cut.
///
/// # Errors
/// [`EngineError::Param`] for a name that there is not; [`EngineError::Tune`] for one that is not live, or not read now.
pub(crate) fn parameters(
    values: &Values,
    named: Option<&[String]>,
    is_reranked: bool,
) -> Result<Vec<&'static Parameter>, EngineError> {
    let live = live(values);
    let Some(named) = named else {
        let looks = stage_looks();
        let only_cuts = |stage| {
            looks
                .iter()
                .any(|it| it.stage == stage && it.look.only_cuts)
        };
        let tried = live.into_iter().filter(|it| {
            let is_cut = it.stage.is_some_and(only_cuts);
            let is_tried = match it.kind {
                ParameterKind::Number { .. } => matches!(values.get(it.id), Some(Value::Number(_))),
                ParameterKind::Choice { .. } => true,
                ParameterKind::Toggle => false,
            };
            // What decides which rows are sent to a model cannot be judged by the scores of the rows that were sent.
            let decides =
                |stage| values.table().place_of(stage) < values.table().place_of(StageId::RERANK);
            is_tried && !is_cut && !(is_reranked && it.stage.is_some_and(decides))
        });
        return Ok(tried.collect());
    };
    named
        .iter()
        .map(|id| {
            let parameter = values.table().parameter(id)?;
            let found = live.iter().find(|it| it.id == parameter.id).copied();
            found.ok_or_else(|| EngineError::Tune {
                why: format!(
                    "{id} changes no ranking of what was found: it is switched off, not read by these settings, or asks again"
                ),
            })
        })
        .collect()
}

/// Tunes. None where it was stopped.
///
/// # Errors
/// As [`parameters`]; [`EngineError::Tune`] where there are too few judged queries, or folds that cannot be.
pub(crate) fn tune(task: &Task<'_>, going: &SetRun<'_>) -> Result<Option<TuneAnswer>, EngineError> {
    let started = Instant::now();
    let request = task.request;
    let values = &task.present.values;
    let parameters = parameters(
        values,
        request.parameters.as_deref(),
        task.prepared.is_reranked,
    )?;
    let (queries, n_repeated) = distinct(task.prepared.judged());
    let n = queries.len();
    check(task, n, &parameters)?;
    let categories: Vec<Option<&str>> = queries.iter().map(|it| it.category.as_deref()).collect();
    let splits = splits(&categories, request);
    let mut tries = Tries {
        meter: Meter {
            prepared: task.prepared,
            metric: request.metric,
        },
        queries,
        known: HashMap::new(),
        n_rankings: 0,
    };
    let n_climbs = splits.len() + usize::from(request.folds > 1);
    let n_tries = request.n_tries.max(1) as usize;
    going.expect(n_climbs * n_tries);
    let climb =
        |tries: &mut Tries<'_>, of: &[usize]| climb(tries, task, &parameters, of, n_tries, going);
    let Some(Climbed {
        best,
        chosen_by,
        held_out,
        found,
    }) = climb_splits(&mut tries, &splits, n, climb)
    else {
        return Ok(None);
    };
    let rankings_per_s = tries.n_rankings as f64 / started.elapsed().as_secs_f64().max(1e-9);
    let n_tried = tries.known.len() as u32;
    let mut table = Table {
        tries: &mut tries,
        task,
        chosen_by: &chosen_by,
        held_out: &held_out,
    };
    let winner = table.winner(&best, &found);
    let mut rows = vec![winner.clone()];
    rows.extend(table.other_tries(&best));
    rows.extend(table.baselines());
    let better_list = better_list(&rows, &winner);
    let is_surely_better =
        !winner.changed.is_empty() && winner.difference.is_some_and(|it| it.low > 0.0);
    let best_try = if is_surely_better {
        None
    } else {
        table.best_try(&best, &found)
    };
    let mut notices = task.prepared.notices.clone();
    notices.extend(repeats_notice(n_repeated));
    let sentence = concluded(
        &winner,
        best_try.as_ref(),
        better_list.as_deref(),
        request,
        held_out.len(),
    );
    Ok(Some(TuneAnswer {
        model: task.prepared.model.clone(),
        metric: request.metric,
        n_queries: n as u32,
        folds: request.folds,
        seed: request.seed,
        n_tried,
        rows,
        can_choose: is_surely_better,
        best_try,
        sentence,
        notices,
        rankings_per_s,
    }))
}

/// Result of tuning on every split.
struct Climbed {
    /// The proposal: found on all queries if there are several folds, else on the half that is not held out.
    best: Values,
    /// Indexes of the queries that `best` was found on.
    chosen_by: Vec<usize>,
    /// Indexes of the queries that were held out by some split.
    held_out: Vec<usize>,
    /// For each of `held_out`, its figure by the values found on the other queries.
    found: Vec<Option<f64>>,
}

/// Climbs on each split, and on all `n` queries if there are several. `None` if it was stopped.
fn climb_splits<'a>(
    tries: &mut Tries<'a>,
    splits: &[(Vec<usize>, Vec<usize>)],
    n: usize,
    climb: impl Fn(&mut Tries<'a>, &[usize]) -> Option<Values>,
) -> Option<Climbed> {
    let mut figures: Vec<Option<f64>> = vec![None; n];
    let mut is_held_out = vec![false; n];
    let mut last = None;
    for (chosen_by, held_out) in splits {
        let by = climb(tries, chosen_by)?;
        for (at, figure) in held_out.iter().zip(tries.each(&by, held_out)) {
            figures[*at] = figure;
            is_held_out[*at] = true;
        }
        last = Some((by, chosen_by.clone()));
    }
    let (best, chosen_by) = match last {
        Some(only) if splits.len() == 1 => only,
        Some(_) | None => {
            let all: Vec<usize> = (0..n).collect();
            (climb(tries, &all)?, all)
        }
    };
    let held_out: Vec<usize> = (0..n).filter(|at| is_held_out[*at]).collect();
    let found = held_out.iter().map(|at| figures[*at]).collect();
    Some(Climbed {
        best,
        chosen_by,
        held_out,
        found,
    })
}

/// Name of the best single list that beats both the winner and the present ranking on the queries held out, if any.
fn better_list(rows: &[TuneRow], winner: &TuneRow) -> Option<String> {
    let present = winner.held_out - winner.to_present;
    rows.iter()
        .filter(|row| row.kind == TuneKind::List)
        .filter(|row| row.held_out > winner.held_out.max(present))
        .max_by(|a, b| a.held_out.total_cmp(&b.held_out))
        .map(|row| row.name.clone())
}

fn repeats_notice(n_repeated: usize) -> Option<String> {
    let repeat = match n_repeated {
        0 => return None,
        1 => "1 query repeats".to_owned(),
        n => format!("{n} queries repeat"),
    };
    Some(format!(
        "{repeat} the question of another one; each question counts once, by the first"
    ))
}

/// How many rows these values send to a reranker; 0 of Memlens's own means three times max results.
fn sent(values: &Values, docs: f64) -> f64 {
    match values.get("max_results") {
        Some(Value::Number(results)) if docs == 0.0 => 3.0 * results,
        _ => docs,
    }
}

/// The values with at most so many rows sent to a reranker.
pub(crate) fn capped(values: Values, max_docs: Option<u32>) -> Values {
    const ID: &str = "rerank_max_docs";
    let Some(max_docs) = max_docs.map(f64::from) else {
        return values;
    };
    match values.get(ID) {
        Some(Value::Number(docs)) if sent(&values, docs) > max_docs => {
            let capped = values
                .clone()
                .with([(ID, Value::Number(max_docs.max(1.0)))]);
            capped.unwrap_or(values)
        }
        _ => values,
    }
}

/// Returns the first query of each question, and how many others there are. A repeated question would be held out from itself, and
/// its figures are not independent.
fn distinct<'q>(
    queries: impl Iterator<Item = &'q PreparedQuery>,
) -> (Vec<&'q PreparedQuery>, usize) {
    let mut known = HashSet::new();
    let (first, repeated): (Vec<_>, Vec<_>) =
        queries.partition(|it| known.insert(it.query.trim().to_lowercase()));
    (first, repeated.len())
}

fn check(task: &Task<'_>, n: usize, parameters: &[&Parameter]) -> Result<(), EngineError> {
    let request = task.request;
    let refused = |why: String| Err(EngineError::Tune { why });
    if n < QUERIES_MIN {
        let chooses = match n {
            1 => "query chooses",
            _ => "queries choose",
        };
        return refused(format!(
            "{n} judged {chooses} by chance; judge at least {QUERIES_MIN}"
        ));
    }
    if request.folds == 0 || request.folds as usize > n {
        return refused(format!(
            "{} folds cannot be made of {n} queries; take 2 to {n}, or 1 to hold out one half",
            request.folds
        ));
    }
    if parameters.is_empty() {
        return refused("no parameter is named".to_owned());
    }
    let mut asked: Vec<f64> = task.prepared.judged().map(|it| it.asked_ms).collect();
    asked.sort_by(f64::total_cmp);
    let median = asked[n / 2];
    if let Some(max_ms) = request.max_ms.filter(|max| median > *max) {
        return refused(format!(
            "a question takes {median:.0} ms here (median of {n}), above the {max_ms:.0} ms allowed, whatever is tuned"
        ));
    }
    Ok(())
}

/// The queries to choose by and those held out: each fold once, or two halves.
fn splits(categories: &[Option<&str>], request: &TuneRequest) -> Vec<(Vec<usize>, Vec<usize>)> {
    let n_parts = request.folds.max(2) as usize;
    let fold_of = folds(categories, n_parts, u64::from(request.seed));
    let split = |fold: usize| {
        let all = 0..categories.len();
        all.partition(|at| fold_of[*at] != fold)
    };
    let n_splits = if request.folds == 1 { 1 } else { n_parts };
    (0..n_splits).map(split).collect()
}

/// The best values found from the present ones on, by the mean over some queries. None where it was stopped.
///
/// A turn takes the value of a parameter that gains most for certain, where one does: [`GAIN_ERRORS`].
fn climb(
    tries: &mut Tries<'_>,
    task: &Task<'_>,
    parameters: &[&'static Parameter],
    of: &[usize],
    n_tries: usize,
    going: &SetRun<'_>,
) -> Option<Values> {
    let mut best = task.present.values.clone();
    let mut figures = tries.each(&best, of);
    let mut n_left = n_tries;
    for _ in 0..N_ROUNDS {
        let mut is_better = false;
        for parameter in parameters {
            let mut found: Option<(f64, Values, Vec<Option<f64>>)> = None;
            for value in tried(parameter, &best, task.greatest_depth) {
                if n_left == 0 {
                    return Some(best);
                }
                let Ok(values) = best.clone().with([(parameter.id, value)]) else {
                    continue;
                };
                n_left -= 1;
                let each = tries.each(&values, of);
                let gain = sure_gain(&figures, &each);
                if found.as_ref().is_none_or(|(most, ..)| gain > *most) {
                    found = Some((gain, values, each));
                }
                if !going.goes_on() {
                    return None;
                }
            }
            if let Some((gain, values, each)) = found
                && gain > GAIN_MIN
            {
                (best, figures, is_better) = (values, each, true);
            }
        }
        if !is_better {
            break;
        }
    }
    Some(best)
}

/// By how much the second figures are better than the first, less what their difference wavers by.
fn sure_gain(before: &[Option<f64>], after: &[Option<f64>]) -> f64 {
    let both = before.iter().zip(after);
    let differences: Vec<Option<f64>> = both.map(|(a, b)| Some((*b)? - (*a)?)).collect();
    let (mean, error) = mean_and_error(&differences);
    mean - GAIN_ERRORS * error
}

/// The values of a parameter that are tried.
fn tried(parameter: &Parameter, values: &Values, greatest_depth: f64) -> Vec<Value> {
    match (&parameter.kind, values.get(parameter.id)) {
        (ParameterKind::Number { .. }, Some(Value::Number(present))) => {
            let is_depth = parameter.id.ends_with("_depth");
            let greatest = if is_depth {
                greatest_depth
            } else {
                f64::INFINITY
            };
            let places = places(parameter, present, greatest).into_iter();
            places
                .filter(|it| *it != present)
                .map(Value::Number)
                .collect()
        }
        (ParameterKind::Choice { options }, Some(Value::Choice(present))) => {
            let others = options.iter().filter(|it| **it != present);
            others.map(|it| Value::Choice((*it).to_owned())).collect()
        }
        _ => Vec::new(),
    }
}

/// Makes the rows of the table.
struct Table<'a, 'b> {
    tries: &'a mut Tries<'b>,
    task: &'a Task<'a>,
    chosen_by: &'a [usize],
    held_out: &'a [usize],
}

impl Table<'_, '_> {
    /// What was found, with what finding in this way is worth on the queries held out.
    fn winner(&mut self, best: &Values, found: &[Option<f64>]) -> TuneRow {
        let present = self.tries.each(&self.task.present.values, self.held_out);
        self.row(
            "Best found".to_owned(),
            TuneKind::Try,
            best,
            found,
            &present,
        )
    }

    /// The next best tries, by the queries that were chosen by; what they are worth on the others is known only where these
    /// had no part in choosing.
    fn other_tries(&mut self, best: &Values) -> Vec<TuneRow> {
        if self.task.request.folds > 1 {
            return Vec::new();
        }
        let known: Vec<Values> = self
            .tries
            .known
            .values()
            .map(|(values, _)| values.clone())
            .collect();
        let mut ranked: Vec<(f64, String, Values)> = known
            .into_iter()
            .filter(|values| values != best && *values != self.task.present.values)
            .map(|values| {
                (
                    self.tries.mean(&values, self.chosen_by),
                    format!("{values:?}"),
                    values,
                )
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let next = ranked.into_iter().take(TRIES_SHOWN - 1).zip(2..);
        next.map(|((_, _, values), n)| self.plain(format!("Next best {n}"), TuneKind::Try, &values))
            .collect()
    }

    /// Where nothing is surely better: the try with the greatest gain all the same; `None` where none gains.
    ///
    /// That is what was found, by the queries held out; where nothing was, the best of the values tried, by the queries that
    /// it was chosen by (with one half held out, by that half).
    fn best_try(&mut self, best: &Values, found: &[Option<f64>]) -> Option<BestTry> {
        let present = self.task.present.values.clone();
        let is_found = *best != present;
        let (values, of, is_held_out) = if is_found {
            (best.clone(), self.held_out, true)
        } else {
            let is_held_out = self.task.request.folds == 1;
            let of = if is_held_out {
                self.held_out
            } else {
                self.chosen_by
            };
            (self.greatest_gain(&present)?, of, is_held_out)
        };
        let was = self.tries.each(&present, of);
        let is = if is_found {
            found.to_vec()
        } else {
            self.tries.each(&values, of)
        };
        let both = was.iter().zip(&is).filter_map(|(a, b)| (*a).zip(*b));
        let (was, is): (Vec<f64>, Vec<f64>) = both.unzip();
        let difference = paired_bootstrap(&was, &is).filter(|it| it.mean > GAIN_MIN)?;
        let differences: Vec<f64> = was.iter().zip(&is).map(|(a, b)| b - a).collect();
        let needed = queries_needed(&differences, GAIN_ERRORS);
        let more = needed.map(|it| about((it - differences.len() as f64).max(1.0)));
        Some(BestTry {
            changed: changed(&values, &present),
            ranking: Ranking {
                values,
                ..self.task.present.clone()
            }
            .to_view(),
            difference,
            n_more: more,
            is_held_out,
        })
    }

    /// The values with the greatest mean on the queries that are chosen by, of those that were tried on all of them; the
    /// fewest changes of equal ones.
    fn greatest_gain(&self, present: &Values) -> Option<Values> {
        let is_known = |figures: &Figures| self.chosen_by.iter().all(|at| !figures[*at].is_nan());
        let tried = self.tries.known.values();
        let whole = tried.filter(|(values, figures)| values != present && is_known(figures));
        let mean = |figures: &Figures| {
            let each = self.chosen_by.iter().map(|at| Some(figures[*at]));
            let each: Vec<Option<f64>> = each.map(|it| it.filter(|it| it.is_finite())).collect();
            mean_and_error(&each).0
        };
        let best = whole.max_by(|a, b| {
            let n_changed = |values: &Values| changed(values, present).len();
            mean(&a.1)
                .total_cmp(&mean(&b.1))
                .then_with(|| n_changed(&b.0).cmp(&n_changed(&a.0)))
                .then_with(|| format!("{:?}", b.0).cmp(&format!("{:?}", a.0)))
        });
        best.map(|(values, _)| values.clone())
    }

    /// What every try is compared with.
    fn baselines(&mut self) -> Vec<TuneRow> {
        let present = &self.task.present.values;
        let mut rows = vec![self.plain("Present".to_owned(), TuneKind::Present, present)];
        let default = Values::defaults(present.table());
        rows.push(self.plain("Default".to_owned(), TuneKind::Default, &default));
        for (name, weights) in [("Vector alone", (1.0, 0.0)), ("BM25 alone", (0.0, 1.0))] {
            let alone = single_list(present, weights);
            rows.extend(alone.map(|values| self.plain(name.to_owned(), TuneKind::List, &values)));
        }
        rows
    }

    fn plain(&mut self, name: String, kind: TuneKind, values: &Values) -> TuneRow {
        let figures = self.tries.each(values, self.held_out);
        let present = self.tries.each(&self.task.present.values, self.held_out);
        self.row(name, kind, values, &figures, &present)
    }

    fn row(
        &mut self,
        name: String,
        kind: TuneKind,
        values: &Values,
        figures: &[Option<f64>],
        present: &[Option<f64>],
    ) -> TuneRow {
        let both = present
            .iter()
            .zip(figures)
            .filter_map(|(a, b)| (*a).zip(*b));
        let (was, is): (Vec<f64>, Vec<f64>) = both.unzip();
        let held_out = mean_and_error(figures).0;
        let difference = paired_bootstrap(&was, &is);
        TuneRow {
            name,
            kind,
            changed: changed(values, &self.task.present.values),
            ranking: Ranking {
                values: values.clone(),
                ..self.task.present.clone()
            }
            .to_view(),
            chosen_on: self.tries.mean(values, self.chosen_by),
            held_out,
            to_present: difference.map_or(0.0, |it| it.mean),
            difference,
        }
    }
}

/// The ranking by one of the two lists alone; `None` if the pipeline has no weights of these lists.
fn single_list(present: &Values, (vector, text): (f64, f64)) -> Option<Values> {
    let weights = [("vector_weight", vector), ("text_weight", text)];
    let weights = weights.map(|(id, weight)| (id, Value::Number(weight)));
    let lists = [("vector_on", vector > 0.0), ("bm25_on", text > 0.0)];
    let lists = lists.map(|(id, is_on)| (id, Value::Toggle(is_on)));
    present.clone().with(weights.into_iter().chain(lists)).ok()
}

/// The parameters that two values differ in.
pub(crate) fn changed(values: &Values, from: &Values) -> Vec<ChangedValue> {
    let parameters = values.table().parameters.iter();
    let differ = parameters.filter(|it| values.get(it.id) != from.get(it.id));
    differ
        .map(|it| ChangedValue {
            parameter: it.id.to_owned(),
            label: it.label.to_owned(),
            value: match values.get(it.id) {
                Some(Value::Toggle(is_on)) => if is_on { "on" } else { "off" }.to_owned(),
                value => value.map(|it| it.to_string()).unwrap_or_default(),
            },
        })
        .collect()
}

/// What follows, for the user.
fn concluded(
    winner: &TuneRow,
    best_try: Option<&BestTry>,
    better_list: Option<&str>,
    request: &TuneRequest,
    n_held_out: usize,
) -> String {
    let Some(gained) = winner.difference else {
        return "The metric is defined for none of the queries held out.".to_owned();
    };
    let held_out = if request.folds > 1 {
        format!(
            "on queries that it was not chosen by ({n_held_out}, in {} folds)",
            request.folds
        )
    } else {
        format!("on the {n_held_out} queries held out")
    };
    let is_surely_better = gained.low > 0.0 && !winner.changed.is_empty();
    let mut sentence = match best_try {
        _ if is_surely_better => format!("The best found gains {gained} {held_out}."),
        None => format!("Nothing is surely better: no gain was measured {held_out}."),
        Some(best) => {
            let Difference { mean, low, high } = best.difference;
            let [mean, low, high] = [mean, low, high].map(memlens_eval::signed);
            let more = best.n_more.map_or_else(String::new, |n| {
                let queries = if n == 1.0 { "query" } else { "queries" };
                format!("; about {n} more judged {queries} would decide")
            });
            let measured = if best.is_held_out {
                format!(" Measured {held_out}.")
            } else {
                " It was chosen by these same queries, so its true gain is likely to be smaller."
                    .to_owned()
            };
            format!(
                "Nothing is surely better. Best try: {}, {mean} (95\u{202f}% {low} to {high}){more}.{measured}",
                changes(&best.changed)
            )
        }
    };
    if let Some(list) = better_list {
        sentence.push_str(&format!(" {list} does better still."));
    }
    sentence
}

/// Changed parameters as a user types them: `mmr_lambda 0.75, text_weight 0.3`.
fn changes(changed: &[ChangedValue]) -> String {
    let each = changed
        .iter()
        .map(|it| format!("{} {}", it.parameter, it.value));
    each.collect::<Vec<String>>().join(", ")
}
