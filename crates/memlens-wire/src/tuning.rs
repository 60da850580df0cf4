//! View types of tuning by evidence: query sets, metrics of a ranking over them, curves, thresholds, tries and runs.

use memlens_eval::{Difference, Metric};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::Ranking;

/// Where a judgment comes from.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type,
)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Given by the user: a thumb, or a typed place.
    Given,
    /// Read from an imported query set.
    Imported,
    /// An agent opened or cited the text after it had asked the question.
    Observed,
}

/// Number of relevant places of one origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct OriginCount {
    /// Where these judgments come from.
    pub origin: Origin,
    /// Number of relevant places of that origin.
    pub n: u32,
}

/// A query set, as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct QuerySetInfo {
    /// `judgments` and `past` for the live sets of judgments and of past questions, otherwise a number.
    pub id: String,
    /// Name that the user gave it.
    pub name: String,
    /// Whether the set is built of what the library holds now; such a set cannot be edited directly.
    pub is_live: bool,
    /// Version: BLAKE3 hash of the content, in hexadecimal.
    pub hash: String,
    /// Numbers of queries, places and origins.
    #[serde(flatten)]
    pub counts: QuerySetCounts,
    /// Time of the last change in milliseconds since 1970; `None` if the set is live.
    pub changed_ms: Option<f64>,
}

/// Contents of a query set in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Type)]
pub struct QuerySetCounts {
    /// Number of queries in the set.
    pub n_queries: u32,
    /// Queries with at least one relevant place.
    pub n_judged: u32,
    /// Queries that should return nothing.
    pub n_nonsense: u32,
    /// Queries without a judgment yet; every metric leaves them out.
    pub n_unjudged: u32,
    /// Relevant places of all queries.
    pub n_gold: u32,
    /// Distinct categories of the queries, sorted.
    pub categories: Vec<String>,
    /// Number of relevant places of each origin.
    pub origins: Vec<OriginCount>,
}

/// Whether the judged text still exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum GoldState {
    /// The text is still at the judged place.
    Fits,
    /// The note was edited: the text is at another place or slightly different.
    Moved,
    /// The note is gone or no longer contains the text.
    Gone,
}

/// A place in a note that answers a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct GoldPlace {
    /// Path of the note; relative to the set's folder if it is inside it.
    pub path: String,
    /// First line that was judged, 1-based.
    pub start_line: u32,
    /// Last line that was judged, 1-based.
    pub end_line: u32,
    /// Where the judgment comes from.
    pub origin: Origin,
    /// Whether the judged text still exists.
    pub state: GoldState,
    /// First and last line of the text in the current note; `None` if it is gone.
    pub now: Option<(u32, u32)>,
}

/// A query of a query set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct SetQuery {
    /// Identifies the query within its set.
    pub id: String,
    /// The question that is searched for.
    pub query: String,
    /// Category that the user gave the query; `None` without one.
    pub category: Option<String>,
    /// Sub-folder that the search is limited to; `None` for all notes.
    pub scope: Option<String>,
    /// Places that answer the query; `None` if not judged yet, empty if nothing should be found.
    pub relevant: Option<Vec<GoldPlace>>,
}

/// A query set with all its queries.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct QuerySetView {
    /// Name, version and counts of the set.
    pub info: QuerySetInfo,
    /// Folder that the paths are relative to; empty if they are absolute.
    pub base: String,
    /// All queries of the set.
    pub queries: Vec<SetQuery>,
    /// Notices to show to the user.
    pub notices: Vec<String>,
}

/// A relevant place as the user typed it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Type)]
pub struct TypedPlace {
    /// Path of the note: absolute, or relative to the set's folder or a watched folder.
    pub path: String,
    /// First line of the place, 1-based.
    pub start_line: u32,
    /// Last line of the place, 1-based.
    pub end_line: u32,
}

/// A new or changed query of a set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Type)]
pub struct QueryEdit {
    /// Id of the query to replace; `None` for a new query.
    pub id: Option<String>,
    /// The question that is searched for.
    pub query: String,
    /// Category of the query; `None` without one.
    pub category: Option<String>,
    /// Sub-folder that the search is limited to; `None` for all notes.
    pub scope: Option<String>,
    /// Relevant places; absence as in [`SetQuery`].
    pub relevant: Option<Vec<TypedPlace>>,
}

/// Initial contents of a new query set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NewSetFrom {
    /// A set without any query.
    Empty,
    /// A copy of a set, also of a live one.
    Set {
        /// Id or name of the set.
        set: String,
    },
    /// The queries of several sets, each question once.
    Merged {
        /// Ids or names of the sets, at least two.
        sets: Vec<String>,
    },
    /// 40 questions that share no content word with the notes.
    Nonsense {
        /// Id or name of a set whose queries come first; `None` for nonsense questions alone.
        beside: Option<String>,
    },
    /// Given questions, not judged yet.
    Questions {
        /// One question for each query.
        questions: Vec<String>,
    },
}

/// What becomes of a new query set whose name another set has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum IfTaken {
    /// It is not made.
    Refuse,
    /// It takes the other's place, and its id.
    Replace,
    /// It gets a number behind its name.
    KeepBoth,
}

/// File format of a query set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SetFormat {
    /// JSON Lines: one JSON object per query.
    Jsonl,
    /// CSV: one row per relevant place.
    Csv,
    /// Benchmark format of qmd, which judges whole notes only.
    Qmd,
}

impl SetFormat {
    /// Default file name of this format.
    pub fn file_name(self) -> &'static str {
        match self {
            SetFormat::Jsonl => "queries.jsonl",
            SetFormat::Csv => "queries.csv",
            SetFormat::Qmd => "bench.json",
        }
    }
}

/// Result of making a query set, also from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct MadeSet {
    /// The set that was made.
    pub info: QuerySetInfo,
    /// Each line of a file that was left out, with the reason.
    pub left_out: Vec<String>,
    /// Notices to show to the user; if gold places are missing, the share that exists comes first.
    pub notices: Vec<String>,
}

/// Request to measure a ranking on a query set, without judgments of some origins.
#[derive(Debug, Clone, PartialEq, Deserialize, Type)]
pub struct SetWish {
    /// Id of the query set.
    pub set: String,
    /// Origins whose judgments are left out.
    pub without: Vec<Origin>,
    /// The ranking to be measured.
    pub ranking: Ranking,
}

/// A metric of the current and the pinned ranking over a query set.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct MetricRow {
    /// The metric of this row.
    pub metric: Metric,
    /// Name of the metric on screen.
    pub label: String,
    /// Mean of the current ranking; `None` if the metric is defined for no query.
    pub now: Option<f64>,
    /// Mean of the pinned ranking; `None` if the metric is defined for no query.
    pub pinned: Option<f64>,
    /// Number of queries for which the metric is defined under both rankings.
    pub n: u32,
    /// Judged queries for which the metric is undefined under either ranking; both means leave them out.
    pub n_undefined: u32,
    /// Change from the pinned ranking, with its 95 % interval; `None` without queries.
    pub difference: Option<Difference>,
    /// Queries with a higher value under the current ranking.
    pub wins: u32,
    /// Queries with an equal value under both.
    pub ties: u32,
    /// Queries with a lower value under the current ranking.
    pub losses: u32,
}

/// Value of the chosen metric for one query.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct QueryFigure {
    /// Id of the query in its set.
    pub id: String,
    /// The question that was searched for.
    pub query: String,
    /// Category of the query; `None` without one.
    pub category: Option<String>,
    /// Value under the current ranking.
    pub now: f64,
    /// Value under the pinned ranking.
    pub pinned: f64,
}

/// Mean of the chosen metric over a category.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct CategoryFigure {
    /// Name of the category; `no category` for queries without one.
    pub category: String,
    /// Queries of the category for which the metric is defined.
    pub n: u32,
    /// Mean under the current ranking.
    pub now: f64,
    /// Mean under the pinned ranking.
    pub pinned: f64,
}

/// Share of nonsense questions that returned nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct NothingFound {
    /// Number of nonsense questions asked, at least 1.
    pub n: u32,
    /// Share without results under the current ranking.
    pub now: f64,
    /// Share without results under the pinned ranking.
    pub pinned: f64,
}

/// Metrics of two rankings over a query set.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SetMetrics {
    /// Version (hash) of the query set.
    pub hash: String,
    /// Id of the model that embedded the notes, or ids joined by "and" if it changed meanwhile; `None` if it is not known.
    pub model: Option<String>,
    /// Metric of `by_category` and `per_query`.
    pub metric: Metric,
    /// Number of judged queries that were measured.
    pub n_judged: u32,
    /// Number of queries without a judgment yet.
    pub n_unjudged: u32,
    /// Number of relevant places of each origin.
    pub origins: Vec<OriginCount>,
    /// One row for each metric.
    pub rows: Vec<MetricRow>,
    /// Nonsense questions, counted separately; `None` if the set has none.
    pub nothing: Option<NothingFound>,
    /// Mean of `metric` in each category.
    pub by_category: Vec<CategoryFigure>,
    /// Queries with different values, greatest gain first; at most 500 gains and 500 losses.
    pub per_query: Vec<QueryFigure>,
    /// Ids of the queries for which the metric is undefined.
    pub undefined: Vec<String>,
    /// What cannot be concluded; `None` if the difference is certain.
    pub verdict: Option<String>,
    /// Notices to show to the user.
    pub notices: Vec<String>,
    /// Time of all rankings in microseconds.
    pub micros: f64,
}

/// A metric along the range of one parameter, with all other parameters unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Curve {
    /// Id of the parameter that varies.
    pub parameter: String,
    /// Name of the parameter on screen.
    pub label: String,
    /// Values that were tried, ascending.
    pub values: Vec<f64>,
    /// Mean of the metric at each value.
    pub means: Vec<f64>,
    /// Standard error of each mean.
    pub errors: Vec<f64>,
    /// Current value of the parameter.
    pub present: f64,
    /// Default value of the parameter.
    pub default: f64,
    /// Index of the best value; of equal means the one nearest to the current value.
    pub best: u32,
    /// Best mean minus the current mean; 0 if the current value is best.
    pub gain: f64,
}

/// Dependence of a metric on each live parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Sensitivity {
    /// The metric of all curves.
    pub metric: Metric,
    /// Number of judged queries in the set.
    pub n_queries: u32,
    /// Mean under the current ranking.
    pub present: f64,
    /// Mean under the pinned ranking; `None` if no ranking was given.
    pub pinned: Option<f64>,
    /// One curve for each live numeric parameter that has an effect.
    pub curves: Vec<Curve>,
    /// Number of rankings that were computed.
    pub n_rankings: u32,
    /// Time of all rankings in microseconds.
    pub micros: f64,
}

/// Rows at and above a score threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct LineFigures {
    /// The threshold: rows with a lower score are dropped.
    pub line: f64,
    /// Share of the retained rows that are relevant; `None` if no row is retained.
    pub precision: Option<f64>,
    /// Share of the relevant rows that is retained; `None` if there is no relevant row.
    pub recall: Option<f64>,
    /// Number of relevant rows at or above the threshold.
    pub relevant_kept: u32,
    /// Number of other rows at or above the threshold.
    pub not_relevant_kept: u32,
    /// Nonsense questions whose best row is at or above the threshold.
    pub nonsense_kept: u32,
}

/// Score distributions of relevant, other and nonsense rows, and the threshold that would separate them.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Calibration {
    /// Id of the parameter that holds the threshold.
    pub parameter: String,
    /// Name of the parameter on screen.
    pub label: String,
    /// Number of judged queries that were used.
    pub n_queries: u32,
    /// Number of best rows inspected per query.
    pub depth: u32,
    /// Bin borders, ascending; one more than there are bins.
    pub edges: Vec<f64>,
    /// Number of relevant rows in each bin.
    pub relevant: Vec<u32>,
    /// Number of other rows in each bin.
    pub not_relevant: Vec<u32>,
    /// Number of nonsense questions whose best row is in each bin.
    pub nonsense: Vec<u32>,
    /// Relevant rows in all bins.
    pub n_relevant: u32,
    /// Other rows in all bins.
    pub n_not_relevant: u32,
    /// Nonsense questions that found a row.
    pub n_nonsense: u32,
    /// Counts at the current threshold.
    pub present: LineFigures,
    /// Counts at the best threshold; `None` if no threshold is better than another.
    pub suggested: Option<LineFigures>,
    /// Counts at each slider step across the scale, ascending.
    pub lines: Vec<LineFigures>,
    /// Whether a threshold keeps all relevant rows and drops all nonsense rows.
    pub separates: bool,
    /// Cost of the best threshold, or the statement that none separates the rows.
    pub sentence: String,
}

/// Result of the threshold calibration.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CalibrationAnswer {
    /// A calibration with its figures.
    Line(Box<Calibration>),
    /// No threshold can be set.
    None {
        /// The reason, as a sentence.
        why: String,
    },
}

/// Options of an auto-tune run.
#[derive(Debug, Clone, PartialEq, Deserialize, Type)]
pub struct TuneRequest {
    /// Ids of the parameters to vary; `None` for every live parameter that affects the metric.
    pub parameters: Option<Vec<String>>,
    /// The metric that is maximised.
    pub metric: Metric,
    /// Number of parts the queries are split into, each held out once; 1 holds out one half.
    pub folds: u32,
    /// Seed of the random split and tries.
    pub seed: u32,
    /// Maximum number of tries in each part.
    pub n_tries: u32,
    /// Maximum number of documents reranked per question; `None` keeps the current number.
    pub max_rerank_docs: Option<u32>,
    /// Maximum milliseconds per question; `None` for no limit.
    pub max_ms: Option<f64>,
}

/// A parameter with a non-default value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ChangedValue {
    /// Id of the parameter in its table.
    pub parameter: String,
    /// Name of the parameter on screen.
    pub label: String,
    /// Its value, formatted as text.
    pub value: String,
}

/// Source of a row in the table of tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TuneKind {
    /// Found by trying parameter values.
    Try,
    /// The current ranking as it is.
    Present,
    /// The defaults of the pipeline.
    Default,
    /// One retrieval list on its own.
    List,
}

/// A ranking that auto-tune tried or compares with.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct TuneRow {
    /// Name of the row on screen.
    pub name: String,
    /// Whether it is a try or a baseline.
    pub kind: TuneKind,
    /// Parameters that differ from the current ranking.
    pub changed: Vec<ChangedValue>,
    /// Pipeline and values of this row.
    pub ranking: Ranking,
    /// Mean of the metric on the queries used for choosing, which are all of them.
    pub chosen_on: f64,
    /// Mean on queries not used for choosing. For a try: the value that choosing in this way yields. For a baseline:
    /// the plain mean over the same queries.
    pub held_out: f64,
    /// `held_out` minus that of the current ranking.
    pub to_present: f64,
    /// The same difference with its 95 % interval; `None` without queries.
    pub difference: Option<Difference>,
}

/// The try with the greatest gain, if the gain may be due to chance.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct BestTry {
    /// Parameters that differ from the current ranking.
    pub changed: Vec<ChangedValue>,
    /// Pipeline and values of the try.
    pub ranking: Ranking,
    /// Gain over the current ranking, with its 95 % interval.
    pub difference: Difference,
    /// Estimated number of additional judged queries at which a gain of this size passes auto-tune's rule with a
    /// probability of 80 %; `None` if it cannot be estimated.
    pub n_more: Option<f64>,
    /// Whether the gain was measured on queries not used for choosing.
    pub is_held_out: bool,
}

/// Result of an auto-tune run.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct TuneAnswer {
    /// The metric that was maximised.
    pub metric: Metric,
    /// Id of the model that embedded the notes, or ids joined by "and" if it changed meanwhile; `None` if it is not known.
    pub model: Option<String>,
    /// Number of judged queries in the set.
    pub n_queries: u32,
    /// Number of parts the queries were split into.
    pub folds: u32,
    /// Seed of the random split.
    pub seed: u32,
    /// Number of rankings that were tried.
    pub n_tried: u32,
    /// The best tries, at most five, best first, then the baselines.
    pub rows: Vec<TuneRow>,
    /// Whether the best try is better than the current ranking beyond chance.
    pub can_choose: bool,
    /// If no try is certainly better: the try with the greatest gain; `None` if none gains.
    pub best_try: Option<BestTry>,
    /// Conclusion to show to the user.
    pub sentence: String,
    /// Notices to show to the user.
    pub notices: Vec<String>,
    /// Rankings of one query per second on one core.
    pub rankings_per_s: f64,
}

/// Step of a running measurement or tuning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TuneStep {
    /// The queries are being retrieved.
    Preparing,
    /// Parameters are being varied along their ranges.
    Sensitivity,
    /// Candidate rankings are being tried.
    Tuning,
}

/// Progress of a running measurement or tuning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct TuneProgress {
    /// Step that is running now.
    pub what: TuneStep,
    /// Completed units of the step.
    pub n_done: u32,
    /// Units of the whole step.
    pub n_all: u32,
}

/// A recorded run, as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunInfo {
    /// Id of the run in the library.
    pub id: String,
    /// Name that the user gave it.
    pub name: String,
    /// Time of the run in milliseconds since 1970.
    pub at_ms: f64,
    /// Name of the query set at that time.
    pub set: String,
    /// Version of the query set at that time.
    pub hash: String,
    /// Id of the pipeline that ranked.
    pub pipeline: String,
    /// Name of the pipeline on screen.
    pub label: String,
    /// Id of the model that embedded the notes, or ids joined by "and" if it changed meanwhile; `None` if it was not recorded.
    pub model: Option<String>,
    /// Number of judged queries that were measured.
    pub n_judged: u32,
    /// Mean nDCG@10; `None` without judged queries, or if the record is damaged.
    pub ndcg_10: Option<f64>,
    /// Mean MRR@10; `None` without judged queries, or if the record is damaged.
    pub mrr_10: Option<f64>,
    /// Statement that the notes or the set have changed since, or that the record is damaged; otherwise `None`.
    pub stale: Option<String>,
}

/// Mean of a metric in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunMetric {
    /// The metric of this row.
    pub metric: Metric,
    /// Name of the metric on screen.
    pub label: String,
    /// Mean over the queries; `None` if the metric is defined for no query.
    pub value: Option<f64>,
}

/// Result of one query in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunQuery {
    /// Id of the query in its set.
    pub id: String,
    /// The question that was searched for.
    pub query: String,
    /// Category of the query; `None` without one.
    pub category: Option<String>,
    /// nDCG@10 of this query's results.
    pub value: f64,
}

/// A recorded run with all its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunView {
    /// Name, time, set and pipeline of the run.
    pub info: RunInfo,
    /// Pipeline and values that ranked.
    pub ranking: Ranking,
    /// Parameters with a non-default value.
    pub changed: Vec<ChangedValue>,
    /// One row for each metric.
    pub rows: Vec<RunMetric>,
    /// Share of nonsense questions without results; `None` if the set had none.
    pub nothing: Option<f64>,
    /// Each judged query, worst first.
    pub per_query: Vec<RunQuery>,
}

/// Changes from run A to run B.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunComparison {
    /// Run A, shown in place of the pinned ranking.
    pub a: RunInfo,
    /// Run B, shown in place of the current ranking.
    pub b: RunInfo,
    /// One row for each metric, over the queries that both runs contain.
    pub rows: Vec<MetricRow>,
    /// Queries whose nDCG@10 differs, greatest gain first.
    pub per_query: Vec<QueryFigure>,
    /// What cannot be concluded; `None` if the difference is certain.
    pub verdict: Option<String>,
    /// Notices to show to the user.
    pub notices: Vec<String>,
}
