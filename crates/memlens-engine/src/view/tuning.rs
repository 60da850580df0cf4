//! Tuning by evidence, as the window is told: query sets, what a ranking is worth on them, curves, lines, tries and runs.

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
    /// The person gave it: a thumb, or a place that they typed.
    Given,
    /// It came with a file.
    Imported,
    /// An agent opened or cited the text after it had asked.
    Observed,
}

/// How many relevant places are of an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct OriginCount {
    /// The origin.
    pub origin: Origin,
    /// How many.
    pub n: u32,
}

/// A query set in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct QuerySetInfo {
    /// Names it: `judgments` for the one that is made of all judgments as they are now, else a number.
    pub id: String,
    /// What the person calls it.
    pub name: String,
    /// Whether it is made of judgments as they are now, so that it cannot be edited by itself.
    pub is_live: bool,
    /// Its version: the BLAKE3 hash of its content, in hexadecimal.
    pub hash: String,
    /// What it holds.
    #[serde(flatten)]
    pub counts: QuerySetCounts,
    /// When it was last changed, milliseconds since 1970; none where it is live.
    pub changed_ms: Option<f64>,
}

/// What a query set holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct QuerySetCounts {
    /// Its queries.
    pub n_queries: u32,
    /// Those with a relevant place.
    pub n_judged: u32,
    /// Those that nothing should be found for.
    pub n_nonsense: u32,
    /// Those that are not judged yet, and left out of every metric.
    pub n_unjudged: u32,
    /// Relevant places.
    pub n_gold: u32,
    /// The categories, sorted.
    pub categories: Vec<String>,
    /// How many relevant places are of each origin.
    pub origins: Vec<OriginCount>,
}

/// Whether the text that was judged is there still.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum GoldState {
    /// It stands where it stood.
    Fits,
    /// The note was edited, and it stands elsewhere, or reads a little differently.
    Moved,
    /// The note is gone, or says something else.
    Gone,
}

/// A relevant place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct GoldPlace {
    /// The note's path, relative to the set's folder where it lies in it.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
    /// Where the judgment comes from.
    pub origin: Origin,
    /// Whether its text is there still.
    pub state: GoldState,
    /// First and last line of the text now; none where it is gone.
    pub now: Option<(u32, u32)>,
}

/// A query of a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct SetQuery {
    /// Names it in the set.
    pub id: String,
    /// The question.
    pub query: String,
    /// What kind of question it is.
    pub category: Option<String>,
    /// The sub-folder that it is asked of alone; none for all.
    pub scope: Option<String>,
    /// Where the answer stands: none while that is not judged, empty where nothing should be found.
    pub relevant: Option<Vec<GoldPlace>>,
}

/// A query set that is looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct QuerySetView {
    /// The set.
    pub info: QuerySetInfo,
    /// The folder that its paths are relative to; empty where they are absolute.
    pub base: String,
    /// Its queries.
    pub queries: Vec<SetQuery>,
    /// What a person should be told.
    pub notices: Vec<String>,
}

/// A relevant place as a person types it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Type)]
pub struct TypedPlace {
    /// The note's path, absolute or relative to the set's folder or to a watched one.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
}

/// A query as a person typed it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Type)]
pub struct QueryEdit {
    /// The query that it replaces; none for a new one.
    pub id: Option<String>,
    /// The question.
    pub query: String,
    /// What kind of question it is.
    pub category: Option<String>,
    /// The sub-folder that it is asked of alone; none for all.
    pub scope: Option<String>,
    /// As in [`SetQuery`].
    pub relevant: Option<Vec<TypedPlace>>,
}

/// What a new query set begins with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NewSetFrom {
    /// Nothing.
    Empty,
    /// The judgments as they are now.
    Judgments,
    /// What agents asked; what they opened or cited is relevant.
    Past,
    /// Questions that are not judged yet.
    Questions {
        /// The questions.
        questions: Vec<String>,
    },
}

/// A form in which a query set is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum SetFormat {
    /// A JSON object a line.
    Jsonl,
    /// A row for each relevant place.
    Csv,
    /// The bench of qmd, which knows whole notes alone.
    Qmd,
}

impl SetFormat {
    /// What a file of this form is called where the person names none.
    pub fn file_name(self) -> &'static str {
        match self {
            SetFormat::Jsonl => "queries.jsonl",
            SetFormat::Csv => "queries.csv",
            SetFormat::Qmd => "bench.json",
        }
    }
}

/// What an import came to.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ImportedSet {
    /// The new set.
    pub info: QuerySetInfo,
    /// Each line that was left out, and why.
    pub left_out: Vec<String>,
    /// What a person should be told; first, where not all are there, the share of gold places that exist.
    pub notices: Vec<String>,
}

/// What is asked of: a query set without judgments of some origins, by a ranking.
#[derive(Debug, Clone, PartialEq, Deserialize, Type)]
pub struct SetWish {
    /// The set's id.
    pub set: String,
    /// The origins whose judgments are left out.
    pub without: Vec<Origin>,
    /// The ranking.
    pub ranking: Ranking,
}

/// A metric of two rankings over a query set: the present one, and the one it is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct MetricRow {
    /// The metric.
    pub metric: Metric,
    /// Its name on screen.
    pub label: String,
    /// Its mean now; none where it is defined for no query.
    pub now: Option<f64>,
    /// Its mean by the pinned ranking.
    pub pinned: Option<f64>,
    /// How many queries it is defined for by both.
    pub n: u32,
    /// How many judged queries it is not defined for by one of them, left out of both means.
    pub n_undefined: u32,
    /// From pinned to now, with its 95 % interval; none of no queries.
    pub difference: Option<Difference>,
    /// Queries that are answered better now.
    pub wins: u32,
    /// Those answered as well.
    pub ties: u32,
    /// Those answered worse.
    pub losses: u32,
}

/// The chosen metric of one query.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct QueryFigure {
    /// Its name in the set.
    pub id: String,
    /// The question.
    pub query: String,
    /// What kind of question it is.
    pub category: Option<String>,
    /// Now.
    pub now: f64,
    /// By the pinned ranking.
    pub pinned: f64,
}

/// The chosen metric of a category.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct CategoryFigure {
    /// The category; `none` for queries without one.
    pub category: String,
    /// How many queries.
    pub n: u32,
    /// The mean now.
    pub now: f64,
    /// By the pinned ranking.
    pub pinned: f64,
}

/// How many nonsense questions found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct NothingFound {
    /// How many were asked; at least 1.
    pub n: u32,
    /// The share that found nothing, now.
    pub now: f64,
    /// By the pinned ranking.
    pub pinned: f64,
}

/// What two rankings are worth over a query set.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct SetMetrics {
    /// The set's version.
    pub hash: String,
    /// The metric of the single queries and categories.
    pub metric: Metric,
    /// How many queries were judged.
    pub n_judged: u32,
    /// How many are not judged yet.
    pub n_unjudged: u32,
    /// How many relevant places are of each origin.
    pub origins: Vec<OriginCount>,
    /// Every metric.
    pub rows: Vec<MetricRow>,
    /// Nonsense questions, apart; none where the set has none.
    pub nothing: Option<NothingFound>,
    /// By category.
    pub by_category: Vec<CategoryFigure>,
    /// The queries that differ, the greatest gain first; at most 500 gains and 500 losses.
    pub per_query: Vec<QueryFigure>,
    /// The queries that the metric is not defined for.
    pub undefined: Vec<String>,
    /// What cannot be concluded; none where the difference is sure.
    pub verdict: Option<String>,
    /// What a person should be told.
    pub notices: Vec<String>,
    /// How long all rankings took, in microseconds.
    pub micros: f64,
}

/// A metric along one parameter's range, all others as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Curve {
    /// The parameter's id.
    pub parameter: String,
    /// Its name on screen.
    pub label: String,
    /// The values that were tried, ascending.
    pub values: Vec<f64>,
    /// The metric's mean at each.
    pub means: Vec<f64>,
    /// The standard error of each mean.
    pub errors: Vec<f64>,
    /// The parameter's value now.
    pub present: f64,
    /// Its default.
    pub default: f64,
    /// The best value, an index; of equals the nearest to the present one.
    pub best: u32,
    /// By how much the best is above the present mean; 0 where that is the best.
    pub gain: f64,
}

/// How a metric depends on each live parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Sensitivity {
    /// The metric.
    pub metric: Metric,
    /// Over how many queries.
    pub n_queries: u32,
    /// The mean now.
    pub present: f64,
    /// By the pinned ranking; none where none was given.
    pub pinned: Option<f64>,
    /// One for each live number that is read.
    pub curves: Vec<Curve>,
    /// How many rankings that took.
    pub n_rankings: u32,
    /// How long, in microseconds.
    pub micros: f64,
}

/// What stands at and above a line of scores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Type)]
pub struct LineFigures {
    /// The line: scores below it are dropped.
    pub line: f64,
    /// The share of what is kept that is relevant; none where nothing is.
    pub precision: Option<f64>,
    /// The share of the relevant rows shown that is kept; none where there is none.
    pub recall: Option<f64>,
    /// Relevant rows kept.
    pub relevant_kept: u32,
    /// Other rows kept.
    pub not_relevant_kept: u32,
    /// Nonsense questions whose best row is kept.
    pub nonsense_kept: u32,
}

/// Where the scores of relevant, other and nonsense rows lie, and where a line would part them.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Calibration {
    /// The parameter that the line is.
    pub parameter: String,
    /// Its name on screen.
    pub label: String,
    /// Over how many judged queries.
    pub n_queries: u32,
    /// How many of the best rows of each were looked at.
    pub depth: u32,
    /// The borders of the bins, ascending; one more than bins.
    pub edges: Vec<f64>,
    /// Relevant rows in each bin.
    pub relevant: Vec<u32>,
    /// Other rows.
    pub not_relevant: Vec<u32>,
    /// The best rows of nonsense questions.
    pub nonsense: Vec<u32>,
    /// How many relevant rows there are.
    pub n_relevant: u32,
    /// How many others.
    pub n_not_relevant: u32,
    /// How many nonsense questions found a row.
    pub n_nonsense: u32,
    /// At the line as it is.
    pub present: LineFigures,
    /// At the best line; none where nothing speaks for any.
    pub suggested: Option<LineFigures>,
    /// At each step of the slider across the scale, ascending.
    pub lines: Vec<LineFigures>,
    /// Whether a line keeps all relevant rows and nothing of nonsense.
    pub separates: bool,
    /// What the best line costs, or that none parts them.
    pub sentence: String,
}

/// What the calibrator says.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CalibrationAnswer {
    /// The line.
    Line(Box<Calibration>),
    /// There is none to be set.
    None {
        /// Why.
        why: String,
    },
}

/// What auto-tune is to do.
#[derive(Debug, Clone, PartialEq, Deserialize, Type)]
pub struct TuneRequest {
    /// The ids of the parameters to try; none for every live one that bears on the metric.
    pub parameters: Option<Vec<String>>,
    /// What is to be as great as possible.
    pub metric: Metric,
    /// Into how many parts the queries are split, each left out once; 1 holds out one half.
    pub folds: u32,
    /// What the split and the tries are drawn by.
    pub seed: u32,
    /// At most so many tries in each part.
    pub n_tries: u32,
    /// The most documents that may be reranked a question; none for as many as now.
    pub max_rerank_docs: Option<u32>,
    /// The most milliseconds that a question may take; none for any.
    pub max_ms: Option<f64>,
}

/// A parameter that is not at its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ChangedValue {
    /// Its id.
    pub parameter: String,
    /// Its name on screen.
    pub label: String,
    /// Its value.
    pub value: String,
}

/// What a row of the table of tries is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TuneKind {
    /// Found by trying.
    Try,
    /// The ranking as it is.
    Present,
    /// The pipeline's defaults.
    Default,
    /// One list alone.
    List,
}

/// A ranking that auto-tune tried, or compares with.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct TuneRow {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub kind: TuneKind,
    /// How it differs from the present ranking.
    pub changed: Vec<ChangedValue>,
    /// The ranking.
    pub ranking: Ranking,
    /// The metric's mean on the queries that it was chosen by: all of them.
    pub chosen_on: f64,
    /// The mean on queries that had no part in choosing: of a try, what choosing in this way yields; of another, the plain
    /// mean of the same queries.
    pub held_out: f64,
    /// How `held_out` differs from that of the present ranking.
    pub to_present: f64,
    /// The same with its 95 % interval.
    pub difference: Option<Difference>,
}

/// The try with the greatest gain, where that may be chance.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct BestTry {
    /// How it differs from the present ranking.
    pub changed: Vec<ChangedValue>,
    /// The ranking.
    pub ranking: Ranking,
    /// The gain on the present ranking, with its 95 % interval.
    pub difference: Difference,
    /// About how many more judged queries would decide: the number by which a gain as large as this one passes the rule of
    /// auto-tune with a probability of 80 %; `None` where that cannot be said.
    pub n_more: Option<f64>,
    /// Whether it was measured on queries that had no part in choosing it.
    pub is_held_out: bool,
}

/// What auto-tune came to.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct TuneAnswer {
    /// The metric.
    pub metric: Metric,
    /// How many judged queries there are.
    pub n_queries: u32,
    /// Into how many parts they were split.
    pub folds: u32,
    /// What the split was drawn by.
    pub seed: u32,
    /// How many rankings were tried.
    pub n_tried: u32,
    /// The tries, best first, at most five, then what they are compared with.
    pub rows: Vec<TuneRow>,
    /// Whether the best try is better than the present ranking beyond chance.
    pub can_choose: bool,
    /// Where nothing is surely better: the try with the greatest gain; `None` where none gains.
    pub best_try: Option<BestTry>,
    /// What follows.
    pub sentence: String,
    /// What a person should be told.
    pub notices: Vec<String>,
    /// Rankings of one query in a second, on one core.
    pub rankings_per_s: f64,
}

/// What goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TuneStep {
    /// The queries are asked.
    Preparing,
    /// Parameters are moved along their range.
    Sensitivity,
    /// Rankings are tried.
    Tuning,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct TuneProgress {
    /// What goes on.
    pub what: TuneStep,
    /// How much is done.
    pub n_done: u32,
    /// Of how much.
    pub n_all: u32,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunInfo {
    /// Names it.
    pub id: String,
    /// What the person calls it.
    pub name: String,
    /// When it was made, milliseconds since 1970.
    pub at_ms: f64,
    /// The set's name then.
    pub set: String,
    /// The set's version then.
    pub hash: String,
    /// The pipeline's id.
    pub pipeline: String,
    /// The pipeline's name on screen.
    pub label: String,
    /// How many queries were judged.
    pub n_judged: u32,
    /// nDCG@10.
    pub ndcg_10: Option<f64>,
    /// MRR@10.
    pub mrr_10: Option<f64>,
    /// That the notes or the set are others now; none where both are the same.
    pub stale: Option<String>,
}

/// A metric's mean in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunMetric {
    /// The metric.
    pub metric: Metric,
    /// Its name on screen.
    pub label: String,
    /// Its mean; none where it is defined for no query.
    pub value: Option<f64>,
}

/// One query of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunQuery {
    /// Its name in the set.
    pub id: String,
    /// The question.
    pub query: String,
    /// What kind of question it is.
    pub category: Option<String>,
    /// Its nDCG@10.
    pub value: f64,
}

/// A run that is looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunView {
    /// The run.
    pub info: RunInfo,
    /// What ranked.
    pub ranking: Ranking,
    /// What was not at its default.
    pub changed: Vec<ChangedValue>,
    /// The metrics.
    pub rows: Vec<RunMetric>,
    /// The share of nonsense questions that found nothing; none where there was none.
    pub nothing: Option<f64>,
    /// Each judged query, the worst first.
    pub per_query: Vec<RunQuery>,
}

/// Two runs beside each other: what changed from A to B.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RunComparison {
    /// The first, in the place of the pinned ranking.
    pub a: RunInfo,
    /// The second, in the place of the present one.
    pub b: RunInfo,
    /// Every metric, over the queries that both know.
    pub rows: Vec<MetricRow>,
    /// The queries that differ, by nDCG@10.
    pub per_query: Vec<QueryFigure>,
    /// What cannot be concluded; none where the difference is sure.
    pub verdict: Option<String>,
    /// What a person should be told.
    pub notices: Vec<String>,
}
