//! Metrics of two rankings over a query set.

use std::collections::BTreeMap;
use std::time::Instant;

use memlens_eval::{Doubt, Metric, Scores, WinLoss, paired_bootstrap};
use memlens_library::search::folded::folded_sentence;
use memlens_library::search::native;
use memlens_params::{Copies, Values};
use memlens_wire::{CategoryFigure, MetricRow, NothingFound, QueryFigure, SetMetrics};

use super::prepared::{Prepared, PreparedQuery};

/// Maximum number of queries listed with a gain, and with a loss.
const CHANGES_NAMED: usize = 500;

/// One query under two rankings, which may be of different prepared sets.
pub(crate) struct Pair<'a> {
    pub id: &'a str,
    pub query: &'a str,
    pub category: Option<&'a str>,
    pub now: Scores,
    pub pinned: Scores,
}

/// A ranking and the prepared set that it ranks.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub prepared: &'a Prepared,
    pub values: &'a Values,
}

impl Side<'_> {
    fn scores(&self, query: &PreparedQuery) -> Scores {
        query.scores(&self.prepared.rank(query, self.values))
    }

    /// Number of judged places in copies that are folded under a returned row.
    fn n_folded(&self) -> usize {
        let is_folding = native(self.values)
            .is_some_and(|params| params.repeats_on && params.copies == Copies::Fold);
        if !is_folding {
            return 0;
        }
        let queries = self.prepared.judged();
        queries
            .map(|query| query.n_folded(self.prepared, self.values))
            .sum()
    }

    /// Number of nonsense questions that found nothing.
    fn n_nothing(&self) -> usize {
        let nonsense = self.prepared.nonsense();
        let empty = nonsense.filter(|it| self.prepared.rank(it, self.values).is_empty());
        empty.count()
    }
}

/// All metrics of both; the pinned side ranks the same queries.
pub(crate) fn measure(now: Side<'_>, pinned: Side<'_>, metric: Metric) -> SetMetrics {
    let started = Instant::now();
    let of_pinned: BTreeMap<&str, &PreparedQuery> = pinned
        .prepared
        .judged()
        .map(|it| (it.id.as_str(), it))
        .collect();
    let pairs: Vec<Pair<'_>> = now
        .prepared
        .judged()
        .filter_map(|query| {
            let same = of_pinned.get(query.id.as_str())?;
            Some(Pair {
                id: &query.id,
                query: &query.query,
                category: query.category.as_deref(),
                now: now.scores(query),
                pinned: pinned.scores(same),
            })
        })
        .collect();
    let n_nonsense = now.prepared.nonsense().count();
    let nothing = (n_nonsense > 0).then(|| {
        let share = |side: Side<'_>| side.n_nothing() as f64 / n_nonsense as f64;
        NothingFound {
            n: n_nonsense as u32,
            now: share(now),
            pinned: share(pinned),
        }
    });
    let micros = started.elapsed().as_secs_f64() * 1e6;
    let rows: Vec<MetricRow> = Metric::ALL
        .iter()
        .map(|it| metric_row(&pairs, *it))
        .collect();
    let undefined = pairs.iter().filter(|it| values_of(it, metric).is_none());
    SetMetrics {
        hash: now.prepared.hash.clone(),
        model: now.prepared.model.clone(),
        metric,
        n_judged: pairs.len() as u32,
        n_unjudged: now.prepared.n_unjudged,
        origins: now.prepared.origins.clone(),
        nothing,
        by_category: by_category(&pairs, metric),
        per_query: changed(&pairs, metric),
        undefined: undefined.map(|it| it.id.to_owned()).collect(),
        // The pinned settings are not compared with themselves.
        verdict: verdict(&pairs, metric)
            .filter(|_| pairs.is_empty() || now.values != pinned.values),
        notices: {
            let mut notices = now.prepared.notices.clone();
            notices.extend(folded_sentence(now.n_folded()));
            notices
        },
        rows,
        micros,
    }
}

/// What cannot be concluded from the difference of a metric; `None` if the difference is certain.
pub(crate) fn verdict(pairs: &[Pair<'_>], metric: Metric) -> Option<String> {
    let (now, pinned) = defined(pairs, metric);
    match paired_bootstrap(&pinned, &now) {
        None if pairs.is_empty() => Some("No query is judged yet.".to_owned()),
        None => Some(format!(
            "{} is defined for none of the queries under both rankings.",
            metric.label()
        )),
        Some(difference) => {
            Doubt::of(metric, &pinned, &now, &difference).map(|doubt| doubt.to_string())
        }
    }
}

/// A metric over the queries for which both sides define it.
pub(crate) fn metric_row(pairs: &[Pair<'_>], metric: Metric) -> MetricRow {
    let (now, pinned) = defined(pairs, metric);
    let mean = |all: &[f64]| (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64);
    let WinLoss { wins, ties, losses } = WinLoss::of(&pinned, &now);
    MetricRow {
        metric,
        label: metric.label().to_owned(),
        now: mean(&now),
        pinned: mean(&pinned),
        n: now.len() as u32,
        n_undefined: (pairs.len() - now.len()) as u32,
        difference: paired_bootstrap(&pinned, &now),
        wins,
        ties,
        losses,
    }
}

/// Queries with different values of a metric, greatest gain first.
pub(crate) fn changed(pairs: &[Pair<'_>], metric: Metric) -> Vec<QueryFigure> {
    let figure = |pair: &Pair<'_>| {
        let (now, pinned) = values_of(pair, metric)?;
        (now != pinned).then(|| QueryFigure {
            id: pair.id.to_owned(),
            query: pair.query.to_owned(),
            category: pair.category.map(str::to_owned),
            now,
            pinned,
        })
    };
    let mut changed: Vec<QueryFigure> = pairs.iter().filter_map(figure).collect();
    let gain = |it: &QueryFigure| it.now - it.pinned;
    // Stable: equal gains stay in the order of the set.
    changed.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    let n_gains = changed.iter().filter(|it| gain(it) > 0.0).count();
    let n_losses = changed.len() - n_gains;
    changed.drain(n_gains.min(CHANGES_NAMED)..n_gains + n_losses.saturating_sub(CHANGES_NAMED));
    changed
}

fn by_category(pairs: &[Pair<'_>], metric: Metric) -> Vec<CategoryFigure> {
    let mut groups: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for pair in pairs {
        if let Some(values) = values_of(pair, metric) {
            groups
                .entry(pair.category.unwrap_or("no category"))
                .or_default()
                .push(values);
        }
    }
    let figure = |(category, values): (&str, Vec<(f64, f64)>)| {
        let n = values.len() as f64;
        CategoryFigure {
            category: category.to_owned(),
            n: values.len() as u32,
            now: values.iter().map(|(now, _)| now).sum::<f64>() / n,
            pinned: values.iter().map(|(_, pinned)| pinned).sum::<f64>() / n,
        }
    };
    groups.into_iter().map(figure).collect()
}

/// A metric now and by the pinned ranking, of each query for which both define it.
fn defined(pairs: &[Pair<'_>], metric: Metric) -> (Vec<f64>, Vec<f64>) {
    pairs.iter().filter_map(|it| values_of(it, metric)).unzip()
}

/// A metric now and by the pinned ranking, if it is defined by both.
fn values_of(pair: &Pair<'_>, metric: Metric) -> Option<(f64, f64)> {
    metric.of(&pair.now).zip(metric.of(&pair.pinned))
}
