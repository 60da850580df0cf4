//! Runs: metrics of a ranking on a query set at some time, stored for comparison.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use memlens_eval::{Metric, Scores, Summary};
use memlens_handover::preset;
use memlens_library::ranking::Ranking;
use memlens_library::writes::Writes;
use memlens_library::{EngineError, Library};
use memlens_store::StoredRun;
use memlens_wire::{
    self, MetricRow, RunComparison, RunInfo, RunMetric, RunQuery, RunView, SetWish,
};
use serde::{Deserialize, Serialize};

use super::figures::{Pair, changed, metric_row, verdict};
use super::sets::{now_ms, query_sets};
use super::{Wish, tune};
use crate::made_by;
use crate::tuning::prepared::prepare_set;

/// Maximum size of a file, larger than any run of 50,000 queries.
const BYTES_MAX: u64 = 256 << 20;

/// Metrics of a ranking on a query set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Version of this file format.
    pub schema_version: u32,
    /// Path or name of the query set.
    pub queries: String,
    /// Version (hash) of the query set's content.
    pub queries_hash: String,
    /// Notes that were searched, as the fingerprint of a `memlens.json`.
    pub corpus: String,
    /// Id of the model that embedded the notes, or ids joined by "and" if it changed during the run; `None` if it was not recorded.
    #[serde(default)]
    pub model: Option<String>,
    /// Id of the pipeline that ranked.
    pub pipeline: String,
    /// Parameter values by id; a missing one has its default.
    pub params: BTreeMap<String, memlens_params::Value>,
    /// Means over the queries; `None` if no query is judged.
    pub all: Option<Summary>,
    /// Share of nonsense questions that found nothing; `None` if there was none.
    pub nothing: Option<f64>,
    /// One entry for each judged query.
    pub per_query: Vec<RunQueryRecord>,
}

/// Metrics of a ranking for one query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunQueryRecord {
    /// Id of the query in its set.
    pub id: String,
    /// The question that was searched for.
    pub query: String,
    /// Category of the query; `None` without one.
    pub category: Option<String>,
    /// Metrics of the query's results.
    #[serde(flatten)]
    pub scores: Scores,
}

/// Change of a metric since a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDrop {
    /// The metric over the queries that both runs contain.
    pub row: MetricRow,
    /// Decrease of the mean; negative if it rose.
    pub fell_by: f64,
    /// Number of additional queries without a value of the metric now, because nothing is returned.
    pub n_lost: u32,
    /// What cannot be concluded from the change; `None` if it is certain.
    pub verdict: Option<String>,
    /// Notices to show to the user about the comparison.
    pub notices: Vec<String>,
}

impl RunRecord {
    /// Reads a file that `memlens eval --json` printed or the window exported.
    ///
    /// # Errors
    /// [`EngineError::File`]; [`EngineError::Run`] if it is not a run.
    pub fn read(path: &Path) -> Result<RunRecord, EngineError> {
        let bytes = memlens_files::read(path, BYTES_MAX).map_err(|source| EngineError::File {
            attempt: "read",
            path: path.to_owned(),
            source,
        })?;
        let run: RunRecord = serde_json::from_slice(&bytes).map_err(|error| EngineError::Run {
            named: path.display().to_string(),
            why: format!("it is not what memlens eval --json prints: {error}"),
        })?;
        Ok(run)
    }

    /// Change of a metric from this run to another.
    ///
    /// # Errors
    /// [`EngineError::Run`] where they have no query in common.
    pub fn drop_to(&self, now: &RunRecord, metric: Metric) -> Result<RunDrop, EngineError> {
        let pairs = pairs(self, now);
        let row = metric_row(&pairs, metric);
        let (Some(is), Some(was)) = (row.now, row.pinned) else {
            return Err(EngineError::Run {
                named: self.queries.clone(),
                why: "it has no judged query of this query set".to_owned(),
            });
        };
        let defined = |scores: fn(&Pair<'_>) -> Scores| {
            let all = pairs.iter().filter(|it| metric.of(&scores(it)).is_some());
            all.count() as u32
        };
        let (n_before, n_now) = (defined(|it| it.pinned), defined(|it| it.now));
        Ok(RunDrop {
            // If nothing is returned any more, precision is undefined, which must not count as a success.
            n_lost: n_before.saturating_sub(n_now),
            fell_by: was - is,
            verdict: verdict(&pairs, metric),
            notices: differences(self, now, pairs.len()),
            row,
        })
    }

    fn ranking(&self) -> memlens_wire::Ranking {
        memlens_wire::Ranking {
            pipeline: self.pipeline.clone(),
            values: self.params.clone(),
        }
    }
}

/// Judged queries that both runs contain, from the first to the second.
fn pairs<'a>(before: &'a RunRecord, now: &'a RunRecord) -> Vec<Pair<'a>> {
    let known: HashMap<(&str, &str), &Scores> = before
        .per_query
        .iter()
        .map(|it| ((it.id.as_str(), it.query.as_str()), &it.scores))
        .collect();
    let both = now.per_query.iter().filter_map(|it| {
        let before = known.get(&(it.id.as_str(), it.query.as_str()))?;
        Some(Pair {
            id: &it.id,
            query: &it.query,
            category: it.category.as_deref(),
            now: it.scores,
            pinned: **before,
        })
    });
    both.collect()
}

/// Differences of two runs besides their rankings.
fn differences(before: &RunRecord, now: &RunRecord, n_both: usize) -> Vec<String> {
    let mut notices = Vec::new();
    if before.corpus != now.corpus {
        notices.push("the notes changed between the two runs".to_owned());
    }
    notices.extend(made_by::difference(
        before.model.as_deref(),
        now.model.as_deref(),
    ));
    if before.queries_hash != now.queries_hash {
        notices.push("the two runs are of two versions of a query set, or of two sets".to_owned());
    }
    let n = before.per_query.len().max(now.per_query.len());
    if n_both < n {
        notices.push(format!(
            "{n_both} of {n} judged queries are in both runs; the others are left out"
        ));
    }
    notices
}

/// Metrics of a ranking on a query set now. `None` if it was stopped.
pub(crate) fn run_record(
    library: &Library,
    wish: &SetWish,
) -> Result<Option<RunRecord>, EngineError> {
    let going = library.jobs().recording.begin();
    let wish = Wish::of(library, wish)?;
    let Some(prepared) = prepare_set(library, &wish, &going)? else {
        return Ok(None);
    };
    let values = &wish.ranking.values;
    let per_query: Vec<RunQueryRecord> = prepared
        .judged()
        .map(|query| RunQueryRecord {
            id: query.id.clone(),
            query: query.query.clone(),
            category: query.category.clone(),
            scores: query.scores(&prepared.rank(query, values)),
        })
        .collect();
    let nonsense: Vec<bool> = prepared
        .nonsense()
        .map(|query| prepared.rank(query, values).is_empty())
        .collect();
    let n_nothing = nonsense.iter().filter(|it| **it).count();
    Ok(Some(RunRecord {
        schema_version: 1,
        queries: wish.loaded.info.name.clone(),
        queries_hash: prepared.hash.clone(),
        corpus: preset::fingerprint(library),
        model: prepared.model.clone(),
        pipeline: wish.ranking.pipeline.id().0.to_owned(),
        params: wish.ranking.to_view().values,
        all: Summary::of(per_query.iter().map(|it| &it.scores)),
        nothing: (!nonsense.is_empty()).then(|| n_nothing as f64 / nonsense.len() as f64),
        per_query,
    }))
}

/// The stored runs, newest first.
///
/// # Errors
/// [`EngineError::Store`].
pub fn runs(library: &Library) -> Result<Vec<RunInfo>, EngineError> {
    let stored = library.store().runs()?;
    let present = Present::of(library)?;
    let each =
        stored.into_iter().map(
            |run| match serde_json::from_str::<RunRecord>(&run.content) {
                Ok(record) => info(run.id, run.name, run.at_ms, &record, &present),
                Err(_) => damaged(run),
            },
        );
    Ok(each.collect())
}

/// A stored run with all its figures.
///
/// # Errors
/// [`EngineError::Run`] if there is no run with this id; [`EngineError::Store`].
pub fn run(library: &Library, id: &str) -> Result<RunView, EngineError> {
    let (info, record) = run_of_id(library, id)?;
    let ranking = record.ranking();
    // For a pipeline or parameter that no longer exists, only the values are reported.
    let changed = Ranking::given(&ranking).map(|ranking| {
        let default = memlens_params::Values::defaults(ranking.pipeline.table());
        tune::changed(&ranking.values, &default)
    });
    let mean = |metric: Metric| record.all.as_ref().and_then(|all| metric.of(&all.mean));
    let mut per_query: Vec<RunQuery> = record
        .per_query
        .iter()
        .map(|it| RunQuery {
            id: it.id.clone(),
            query: it.query.clone(),
            category: it.category.clone(),
            value: it.scores.ndcg_10,
        })
        .collect();
    per_query.sort_by(|a, b| a.value.total_cmp(&b.value));
    Ok(RunView {
        info,
        ranking,
        changed: changed.unwrap_or_default(),
        rows: Metric::ALL
            .iter()
            .map(|metric| RunMetric {
                metric: *metric,
                label: metric.label().to_owned(),
                value: mean(*metric),
            })
            .collect(),
        nothing: record.nothing,
        per_query,
    })
}

/// Changes from one run to another.
///
/// # Errors
/// As [`run`].
pub fn compare_runs(library: &Library, a: &str, b: &str) -> Result<RunComparison, EngineError> {
    let ((a, before), (b, now)) = (run_of_id(library, a)?, run_of_id(library, b)?);
    let pairs = pairs(&before, &now);
    Ok(RunComparison {
        a,
        b,
        rows: Metric::ALL
            .iter()
            .map(|it| metric_row(&pairs, *it))
            .collect(),
        per_query: changed(&pairs, Metric::Ndcg10),
        verdict: match pairs.len() {
            0 => Some("The two runs have no judged query in common.".to_owned()),
            _ => verdict(&pairs, Metric::Ndcg10),
        },
        notices: differences(&before, &now, pairs.len()),
    })
}

/// The text of a run's file, as `memlens eval --json` prints it.
///
/// # Errors
/// As [`run`].
pub fn run_text(library: &Library, id: &str) -> Result<String, EngineError> {
    let (_, record) = run_of_id(library, id)?;
    Ok(
        serde_json::to_string_pretty(&record).expect("plain data can always be written as JSON")
            + "\n",
    )
}

fn run_of_id(library: &Library, id: &str) -> Result<(RunInfo, RunRecord), EngineError> {
    let refused = |why: String| EngineError::Run {
        named: id.to_owned(),
        why,
    };
    let number = id.parse::<i64>().ok();
    let run = number
        .map(|id| library.store().run(id))
        .transpose()?
        .flatten();
    let run = run.ok_or_else(|| refused("it is not there any more".to_owned()))?;
    let record: RunRecord = serde_json::from_str(&run.content)
        .map_err(|error| refused(format!("the library holds it damaged: {error}")))?;
    let present = Present::of(library)?;
    let info = info(run.id, run.name, run.at_ms, &record, &present);
    Ok((info, record))
}

/// Measures a ranking on a query set and stores the result. `None` if it was stopped.
///
/// # Errors
/// As [`crate::tuning::measure_set`], and [`Writes::write`].
pub fn save_run(
    writes: &impl Writes,
    wish: &SetWish,
    name: &str,
) -> Result<Option<RunInfo>, EngineError> {
    let library = writes.library();
    let Some(record) = run_record(library, wish)? else {
        return Ok(None);
    };
    let name = Some(name.trim())
        .filter(|it| !it.is_empty())
        .unwrap_or(&record.queries);
    let content = serde_json::to_string(&record).expect("plain data can always be written as JSON");
    let id = writes.write(|store| Ok(store.add_run(name, now_ms(), &content)?))?;
    Ok(Some(run_of_id(library, &id.to_string())?.0))
}

/// Renames a run.
///
/// # Errors
/// [`EngineError::Run`] if it is not there, or the name is empty; as [`Writes::write`].
pub fn rename_run(writes: &impl Writes, id: &str, name: &str) -> Result<RunInfo, EngineError> {
    let library = writes.library();
    run_of_id(library, id)?;
    let name = name.trim();
    if name.is_empty() {
        return Err(EngineError::Run {
            named: id.to_owned(),
            why: "the name is empty".to_owned(),
        });
    }
    if let Ok(number) = id.parse() {
        writes.write(|store| Ok(store.rename_run(number, name)?))?;
    }
    Ok(run_of_id(library, id)?.0)
}

/// Deletes a run; a missing one is no error.
///
/// # Errors
/// As [`Writes::write`].
pub fn delete_run(writes: &impl Writes, id: &str) -> Result<(), EngineError> {
    match id.parse() {
        Ok(number) => writes.write(|store| Ok(store.delete_run(number)?)),
        Err(_) => Ok(()),
    }
}

/// A run that cannot be read, with a name, so that the user can delete it.
fn damaged(run: StoredRun) -> RunInfo {
    RunInfo {
        id: run.id.to_string(),
        name: run.name,
        at_ms: run.at_ms as f64,
        set: String::new(),
        hash: String::new(),
        pipeline: String::new(),
        label: "damaged".to_owned(),
        model: None,
        n_judged: 0,
        ndcg_10: None,
        mrr_10: None,
        stale: Some("The library holds this run damaged; it can only be deleted.".to_owned()),
    }
}

/// What a run may have changed from.
struct Present {
    /// Fingerprint of the notes.
    corpus: String,
    /// Id of the model that embedded them; `None` without notes.
    model: Option<String>,
    /// Versions of the query sets, by name.
    hashes: HashMap<String, String>,
}

impl Present {
    fn of(library: &Library) -> Result<Present, EngineError> {
        let sets = query_sets(library)?.into_iter();
        let lists = library.lists();
        let has_notes = lists.snapshot.n_chunks() > 0;
        Ok(Present {
            corpus: preset::fingerprint(library),
            model: has_notes.then(|| lists.vectors.model().to_owned()),
            hashes: sets.map(|set| (set.name, set.hash)).collect(),
        })
    }

    /// What has changed since a run, as a sentence; `None` if nothing has.
    fn changes_since(&self, record: &RunRecord) -> Option<String> {
        let set = self.hashes.get(&record.queries);
        // A run of a former version does not name its model.
        let is_of_model = record.model.is_none() || record.model == self.model;
        let changed = [
            ("notes", record.corpus == self.corpus),
            (
                "query set",
                set.is_none_or(|hash| *hash == record.queries_hash),
            ),
            ("embedding model", is_of_model),
        ];
        let changed: Vec<&str> = { changed.into_iter() }
            .filter_map(|(what, is_same)| (!is_same).then_some(what))
            .collect();
        let has = if changed == ["notes"] || changed.len() > 1 {
            "have"
        } else {
            "has"
        };
        let changed = match changed.as_slice() {
            [] => None,
            [one] => Some(format!("The {one} {has} changed since")),
            [one, other] => Some(format!("The {one} and the {other} {has} changed since")),
            [first, rest @ ..] => Some(format!(
                "The {first}, the {} {has} changed since",
                rest.join(" and the ")
            )),
        };
        match (changed, set) {
            (None, Some(_)) => None,
            (None, None) => Some("The query set is gone or has another name.".to_owned()),
            (Some(changed), Some(_)) => Some(format!("{changed}.")),
            (Some(changed), None) => Some(format!(
                "{changed}, and the query set is gone or has another name."
            )),
        }
    }
}

fn info(id: i64, name: String, at_ms: i64, record: &RunRecord, present: &Present) -> RunInfo {
    let pipeline = memlens_library::pipeline(&record.pipeline);
    let label = pipeline.map_or(record.pipeline.clone(), |it| it.label().to_owned());
    RunInfo {
        stale: present.changes_since(record),
        id: id.to_string(),
        name,
        at_ms: at_ms as f64,
        set: record.queries.clone(),
        hash: record.queries_hash.clone(),
        pipeline: record.pipeline.clone(),
        label,
        model: record.model.clone(),
        n_judged: record.per_query.len() as u32,
        ndcg_10: record
            .all
            .as_ref()
            .and_then(|all| Metric::Ndcg10.of(&all.mean)),
        mrr_10: record
            .all
            .as_ref()
            .and_then(|all| Metric::Mrr10.of(&all.mean)),
    }
}
