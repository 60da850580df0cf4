//! The arguments of `memlens eval`, `tune` and `queries`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{RankingArgs, SettingArgs};

#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Judged queries: the name of a query set that `memlens queries` lists (`judgments` and `past` are live), or a file: JSON
    /// lines, CSV or a bench of qmd, with paths relative to the file's folder; or judgments of Quepid, OpenSearch, RankLib or
    /// TREC, with document ids that end the path of one note. Where a file and a set have the name, write ./NAME for the file
    /// or set:NAME for the set
    #[arg(value_name = "QUERIES")]
    pub queries: PathBuf,
    /// The questions of TREC qrels (default: the file beside them with "topics" in its name)
    #[arg(long, value_name = "FILE")]
    pub topics: Option<PathBuf>,
    /// Search only the scope of each query (the default)
    #[arg(long, conflicts_with = "pooled")]
    pub in_scope: bool,
    /// Search the whole library for every query
    #[arg(long)]
    pub pooled: bool,
    #[command(flatten)]
    pub ranking: RankingArgs,
    /// Write the results of each query to a file
    #[arg(long, value_name = "RUN.jsonl")]
    pub run_out: Option<PathBuf>,
    /// Compare with a run that `eval --json` printed or the window exported; exit with status 1 if the metric dropped by more than --max-drop
    #[arg(long, value_name = "RUN.json")]
    pub baseline: Option<PathBuf>,
    /// How much the metric may drop below the baseline
    #[arg(long, value_name = "DROP", default_value_t = 0.0, requires = "baseline", value_parser = drop_allowed)]
    pub max_drop: f64,
    /// The metric that must not drop
    #[arg(
        long,
        value_name = "METRIC",
        default_value = "ndcg@10",
        requires = "baseline"
    )]
    pub metric: String,
    /// Print as JSON, with figures for each query
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// At least 20 judged queries: a query set or file, named as in `memlens eval`
    #[arg(value_name = "QUERIES")]
    pub queries: String,
    /// The questions of TREC qrels (default: the file beside them with "topics" in its name)
    #[arg(long, value_name = "FILE")]
    pub topics: Option<PathBuf>,
    /// The parameters to try, separated by commas (default: every one in use that re-ranks without a new search, except the cuts at the end)
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    pub params: Option<Vec<String>>,
    /// The metric to maximize
    #[arg(long, value_name = "METRIC", default_value = "ndcg@10")]
    pub metric: String,
    /// Number of folds; each is measured with the settings chosen on the others. 1 holds out one half
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub folds: u32,
    /// Random seed of the split
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u32,
    /// Maximum number of rankings to try for each fold
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub tries: u32,
    /// Send at most this many documents to the reranker
    #[arg(long, value_name = "N")]
    pub max_rerank_docs: Option<u32>,
    /// Refuse to tune if a question takes longer than this (median, in milliseconds)
    #[arg(long, value_name = "MS")]
    pub max_ms: Option<f64>,
    /// Tune another program's ranking: openclaw, openclaw@2026.7, qmd, …
    #[arg(long, value_name = "PROGRAM[@VERSION]")]
    pub agent: Option<String>,
    /// Start from the program's published defaults, and not from its own config on this machine
    #[arg(long, requires = "agent")]
    pub defaults: bool,
    #[command(flatten)]
    pub settings: SettingArgs,
    /// Write the best ranking found, with its figures, as memlens.json
    #[arg(long, value_name = "PRESET.json")]
    pub out: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct QueriesArgs {
    #[command(subcommand)]
    pub act: Option<QueriesAct>,
    /// Print as JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum QueriesAct {
    /// Store the queries of a file, in any format that `memlens eval` reads
    Import {
        /// The file; its paths are relative to its folder
        file: PathBuf,
        /// The questions of TREC qrels (default: the file beside them with "topics" in its name)
        #[arg(long, value_name = "FILE")]
        topics: Option<PathBuf>,
        /// Replace the set that has the file's name (default: keep both, with a number behind the new one's name)
        #[arg(long)]
        replace: bool,
    },
    /// Copy a query set under another name; a copy of a live set stays as it is now
    Copy {
        /// The set's name
        name: String,
        /// The name of the copy
        copy: String,
        #[command(flatten)]
        taken: IfTakenArgs,
    },
    /// Merge query sets into a new one: each question once, with the relevant places of all
    Merge {
        /// The name of the new set
        name: String,
        /// The names of at least two sets
        #[arg(required = true, num_args = 2.., value_name = "SET")]
        sets: Vec<String>,
        #[command(flatten)]
        taken: IfTakenArgs,
    },
    /// Make a set of 40 nonsense questions, none of which shares a content word with the notes
    Nonsense {
        /// The name of the new set
        #[arg(default_value = "Nonsense")]
        name: String,
        /// Begin with the queries of this set
        #[arg(long, value_name = "SET")]
        beside: Option<String>,
        #[command(flatten)]
        taken: IfTakenArgs,
    },
    /// Rename a query set
    Rename {
        /// Its name
        name: String,
        /// Its new name
        to: String,
    },
    /// Write a query set to a file: .csv for CSV, .json for qmd's bench, anything else for JSON lines
    Export {
        /// The set's name, in any case; `judgments` for all judgments as they are now, `past` for past questions
        name: String,
        /// The file
        file: PathBuf,
        /// Replace the file if it exists
        #[arg(long)]
        replace: bool,
    },
    /// Delete a query set
    Delete {
        /// Its name, exactly as it is listed
        name: String,
    },
}

/// What becomes of a new set whose name another set has; without either it is not made
#[derive(Debug, Clone, Copy, Args)]
pub struct IfTakenArgs {
    /// Replace a set of this name
    #[arg(long, conflicts_with = "keep_both")]
    pub replace: bool,
    /// Put a number behind the name if a set has it, also if that set is the same
    #[arg(long)]
    pub keep_both: bool,
}

/// Parses how far a metric may drop, 0 to 1.
fn drop_allowed(typed: &str) -> Result<f64, String> {
    let drop: f64 = typed.parse().map_err(|_| "it is not a number".to_owned())?;
    match (0.0..=1.0).contains(&drop) {
        true => Ok(drop),
        false => Err("it must lie between 0 and 1".to_owned()),
    }
}
