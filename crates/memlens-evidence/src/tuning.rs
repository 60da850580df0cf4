//! Tuning by evidence: query sets, metrics of a ranking over them, their dependence on each parameter, and the best
//! values.
//!
//! A set is asked once (`prepared.rs`); from then on its queries are ranked by the same `rank` as a search that is shown.

mod anchors;
mod calibrate;
mod figures;
mod followed;
mod forgetting;
mod kept_set;
mod live_sets;
mod making;
mod merging;
mod named;
mod nonsense;
mod prepared;
mod runs;
mod sensitivity;
mod sets;
mod tune;

use std::collections::BTreeMap;
use std::sync::Arc;

use memlens_eval::{Metric, Scores};
use memlens_handover::evidence::Evidence;
use memlens_library::jobs::SetRun;
use memlens_library::ranking::Ranking;
use memlens_library::{EngineError, FeatureState, Library};
use memlens_params::{ParameterSet, Values};
use memlens_rank::AnyPipeline;
use memlens_wire::{
    CalibrationAnswer, Fix, FixPrice, MetricPrice, Origin, Sensitivity, SetMetrics, SetWish,
    TuneAnswer, TuneRequest,
};
use parking_lot::Mutex;

use self::figures::{Side, measure};
use self::prepared::{Prepared, PreparedKey, prepare_set};
use self::sensitivity::{Meter, mean_and_error};
use crate::changes::Trial;

pub use forgetting::{copies_of_past, forget_all_past_in_sets, forget_past_in_sets};
pub use making::{import_query_set, new_query_set};
pub use named::NamedSet;
pub use runs::{
    RunDrop, RunRecord, compare_runs, delete_run, rename_run, run, run_text, runs, save_run,
};
pub use sets::{
    LoadedSet, delete_query_set, load_set, query_set, query_sets, remove_queries, rename_query_set,
    save_query, set_of, write_query_set,
};

/// Tuning state of a library.
#[derive(Default)]
pub(crate) struct Tuning {
    /// Prepared sets that were used last, the latest at the end.
    prepared: Mutex<Vec<(PreparedKey, Arc<Prepared>)>>,
}

impl Tuning {
    /// The set that was prepared last with these lists; `None` if there is none, or it is in use.
    fn at_hand(
        &self,
        pipeline: &dyn AnyPipeline,
        values: &Values,
        generation: u64,
    ) -> Option<Arc<Prepared>> {
        let held = self.prepared.try_lock()?;
        let mut latest = held.iter().rev();
        let (_, prepared) = latest.find(|(key, _)| key.is_of(pipeline, values, generation))?;
        Some(prepared.clone())
    }
}

impl FeatureState for Tuning {
    fn forget_measured(&self) {
        self.prepared.lock().clear();
    }
}

/// A query set to be measured, with its ranking.
pub(crate) struct Wish {
    loaded: LoadedSet,
    without: Vec<Origin>,
    ranking: Ranking,
    /// Whether the time of each single question matters: then several questions share no work.
    is_timed: bool,
}

impl Wish {
    /// Parses the request of the window.
    fn of(library: &Library, wish: &SetWish) -> Result<Wish, EngineError> {
        Ok(Wish {
            loaded: load_set(library, &wish.set)?,
            without: wish.without.clone(),
            ranking: Ranking::given(&wish.ranking)?,
            is_timed: false,
        })
    }
}

/// Metrics of a ranking on a query set beside a pinned one. `None` if it was stopped.
///
/// # Errors
/// As [`query_set`] and [`Library::search_as`]; [`EngineError::Param`] for values that are refused.
pub fn measure_set(
    library: &Library,
    wish: &SetWish,
    pinned: &Ranking,
    metric: Metric,
) -> Result<Option<SetMetrics>, EngineError> {
    // The newest request wins: preparing another set for this stops.
    let going = library.jobs().measuring.replace();
    let wish = Wish::of(library, wish)?;
    let Some(now) = prepare_set(library, &wish, &going)? else {
        return Ok(None);
    };
    let values = wish.ranking.values.clone();
    let wish = Wish {
        ranking: pinned.clone(),
        ..wish
    };
    let Some(before) = prepare_set(library, &wish, &going)? else {
        return Ok(None);
    };
    let now = Side {
        prepared: &now,
        values: &values,
    };
    let pinned = Side {
        prepared: &before,
        values: &pinned.values,
    };
    Ok(Some(measure(now, pinned, metric)))
}

/// Dependence of a metric on each live parameter. `None` if it was stopped, as by the next request.
///
/// # Errors
/// As [`measure_set`].
pub fn sensitivity(
    library: &Library,
    wish: &SetWish,
    pinned: Option<&Ranking>,
    metric: Metric,
) -> Result<Option<Sensitivity>, EngineError> {
    let going = library.jobs().sensing.replace();
    let wish = Wish::of(library, wish)?;
    let Some(prepared) = prepare_set(library, &wish, &going)? else {
        return Ok(None);
    };
    let values = &wish.ranking.values;
    let depth = prepared::depth_kept(values) as f64;
    let Some(found) = sensitivity::sensitivity(&prepared, values, metric, depth, &going) else {
        return Ok(None);
    };
    let pinned = pinned.map(|pinned| {
        let wish = Wish {
            ranking: pinned.clone(),
            ..wish
        };
        let prepared = prepare_set(library, &wish, &going)?;
        let mean = prepared.map(|prepared| {
            let meter = Meter {
                prepared: &prepared,
                metric,
            };
            mean_and_error(&meter.of_each(&pinned.values)).0
        });
        Ok::<Option<f64>, EngineError>(mean)
    });
    Ok(Some(Sensitivity {
        pinned: pinned.transpose()?.flatten(),
        ..found
    }))
}

/// Score distributions of relevant, other and nonsense rows. `None` if it was stopped.
///
/// # Errors
/// As [`measure_set`].
pub fn calibrate(
    library: &Library,
    wish: &SetWish,
) -> Result<Option<CalibrationAnswer>, EngineError> {
    let going = library.jobs().calibrating.begin();
    let wish = Wish::of(library, wish)?;
    let prepared = prepare_set(library, &wish, &going)?;
    Ok(prepared.map(|prepared| calibrate::calibrate(&prepared, &wish.ranking.values)))
}

/// Values of some parameters that maximise a metric, and their effect. `None` if it was stopped.
///
/// # Errors
/// As [`measure_set`]; [`EngineError::Tune`] where nothing can be tuned so.
pub fn auto_tune(
    library: &Library,
    wish: &SetWish,
    request: &TuneRequest,
) -> Result<Option<TuneAnswer>, EngineError> {
    let going = library.jobs().tuning.replace();
    tune(library, Wish::of(library, wish)?, request, &going)
}

/// The same on a loaded set, for a ranking.
///
/// # Errors
/// As [`auto_tune`].
pub fn tune_set(
    library: &Library,
    set: &LoadedSet,
    ranking: &Ranking,
    request: &TuneRequest,
) -> Result<Option<TuneAnswer>, EngineError> {
    let wish = Wish {
        loaded: set.clone(),
        without: Vec::new(),
        ranking: ranking.clone(),
        is_timed: false,
    };
    tune(library, wish, request, &library.jobs().tuning.replace())
}

/// Metrics of the best ranking found: beside those of the defaults on all queries, and on held-out queries. `None` if
/// it was stopped.
///
/// # Errors
/// As [`auto_tune`].
pub fn tuned_evidence(
    library: &Library,
    set: &LoadedSet,
    answer: &TuneAnswer,
) -> Result<Option<Evidence>, EngineError> {
    let best = Ranking::given(&answer.rows[0].ranking)?;
    let default = Ranking::of(best.pipeline);
    let going = library.jobs().recording.begin();
    let mut scores = Vec::new();
    for ranking in [&default, &best] {
        let wish = Wish {
            loaded: set.clone(),
            without: Vec::new(),
            ranking: ranking.clone(),
            is_timed: false,
        };
        let Some(prepared) = prepare_set(library, &wish, &going)? else {
            return Ok(None);
        };
        let judged = prepared.judged();
        let each = judged.map(|it| {
            (
                it.id.clone(),
                it.scores(&prepared.rank(it, &ranking.values)),
            )
        });
        scores.push(each.collect::<BTreeMap<String, Scores>>());
    }
    // A query that failed under one of them is left out.
    let both = scores[0]
        .iter()
        .filter_map(|(id, was)| Some((*was, *scores[1].get(id)?)));
    let (before, after): (Vec<Scores>, Vec<Scores>) = both.unzip();
    let evidence = Evidence::of(set.info.name.clone(), &set.info.hash, &before, &after);
    Ok(evidence.map(|evidence| evidence.held_out_by(answer)))
}

fn tune(
    library: &Library,
    mut wish: Wish,
    request: &TuneRequest,
    going: &SetRun<'_>,
) -> Result<Option<TuneAnswer>, EngineError> {
    wish.ranking.values = tune::capped(wish.ranking.values, request.max_rerank_docs);
    wish.is_timed = request.max_ms.is_some();
    let Some(prepared) = prepare_set(library, &wish, going)? else {
        return Ok(None);
    };
    let task = tune::Task {
        prepared: &prepared,
        present: &wish.ranking,
        request,
        greatest_depth: prepared::depth_kept(&wish.ranking.values) as f64,
    };
    tune::tune(&task, going)
}

/// Effect of changes on the other rows, and on the query set that was measured last. `None` if the changes cannot be
/// made together.
pub fn price(
    library: &Library,
    trial: &Trial<'_>,
    params: &Values,
    fixes: &[&Fix],
) -> Option<FixPrice> {
    let mut price = trial.price(params, fixes)?;
    let is_live = fixes.iter().all(|fix| !fix.queries_again);
    if let Some(prepared) = library
        .feature::<Tuning>()
        .at_hand(trial.pipeline, params, library.lists().snapshot.generation)
        .filter(|_| is_live)
    {
        let changes = fixes
            .iter()
            .map(|fix| (fix.parameter.as_str(), fix.to.clone()));
        let changed = params.clone().with(changes).ok()?;
        let meter = Meter {
            prepared: &prepared,
            metric: Metric::Ndcg10,
        };
        let mean = |values: &Values| mean_and_error(&meter.of_each(values)).0;
        price.metric = (prepared.judged().next().is_some()).then(|| MetricPrice {
            set: prepared.name.clone(),
            before: mean(params),
            after: mean(&changed),
        });
    }
    Some(price)
}
