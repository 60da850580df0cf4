//! What can be typed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use serving::{InstallArgs, ServeAct, ServeArgs};

mod serving;

/// See why an agent's memory search finds what it finds.
#[derive(Debug, Parser)]
#[command(name = "memlens", version, max_term_width = 100)]
pub struct Cli {
    /// Library folder (default: in the platform's data folder)
    #[arg(long, value_name = "DIR", global = true)]
    pub library: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add folders of notes, and index what is new or changed
    Index(IndexArgs),
    /// List the agents on this machine, watch the memory of one, or see what they load of it
    Agents(AgentsArgs),
    /// Keep the library up to date until stopped
    Watch(WatchArgs),
    /// Show what the library contains
    Status(JsonArgs),
    /// Search, and show why each result ranks where it does
    Search(SearchArgs),
    /// Explain why a note is missing from the results, and what would bring it back
    Why(WhyArgs),
    /// Find out why an agent forgot a fact: one verdict, and the proof of every step
    Autopsy(AutopsyArgs),
    /// List observations that say the same
    Clusters(ClustersArgs),
    /// Show what is new, unused, said twice or contradicted in the whole memory, or list the notes behind a figure
    Overview(OverviewArgs),
    /// List notes that contradict each other, and facts that newer notes replace
    Drift(DriftArgs),
    /// List, add, undo, export or import your thumbs on chunks
    Feedback(FeedbackArgs),
    /// Choose which notes and folders do not decay with age
    Evergreen(EvergreenArgs),
    /// List the questions that you saved, save one, or remove one
    Questions(QuestionsArgs),
    /// Search as another program does, over the same notes
    Emulate(EmulateArgs),
    /// Compare two rankings: presets or programs
    Compare(CompareArgs),
    /// Read an agent's config or a memlens.json: what each key of its search does in the version that wrote it
    Import(ImportArgs),
    /// List every parameter
    Params(ParamsArgs),
    /// Measure a ranking with judged queries
    Eval(EvalArgs),
    /// Find the parameters that score best on judged queries, and measure them on queries not used for finding them
    Tune(TuneArgs),
    /// List, import, export or delete the stored query sets, which the view Tune and `memlens tune` use
    Queries(QueriesArgs),
    /// Save the parameters as memlens.json, or as the settings of another program
    Export(ExportArgs),
    /// Set, show, test or turn off the provider that reranks over HTTP
    RerankProvider(RerankProviderArgs),
    /// Choose, list or download the models that rerank on this machine
    RerankModel(RerankModelArgs),
    /// Set, show or remove your own command that rearranges search results
    RerankHook(RerankHookArgs),
    /// Rank an agent's search results: read its event from standard input, answer on standard output
    ///
    /// The event is {"query", "agentId", "results": [{"path", "startLine", "endLine", "score", "snippet", "source"}]}, the
    /// answer {"results": [...]} with the rows to keep, best first. Each row ranks like the chunks that contain its lines,
    /// and is dropped if your parameters drop those. Rows that the library does not know keep their scores and order, and
    /// come last. If anything fails, there is no answer and the exit status is not 0.
    Hook(HookArgs),
    /// Let an agent search your notes with the ranking that you tuned, until it closes the connection
    ///
    /// The agent starts this command itself and calls the tools memory_search, memory_get, memory_why, memory_drift and
    /// memory_status by the Model Context Protocol (MCP). It changes no note and no setting, and opens no port.
    /// `memlens serve install` shows what to add to the agent's config, or adds it.
    Serve(ServeArgs),
    /// Read what your agents asked their memory, ask it again, and see what changed
    Recall(RecallArgs),
    /// Delete everything in the library, and its keys in the keyring; your notes are not touched
    Erase(EraseArgs),
    /// Write what you made (folders, settings, presets, thumbs, query sets, runs, saved questions) to a file, also from a damaged library
    ExportMade(ExportMadeArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages into a folder
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub struct IndexArgs {
    /// Folders of notes (default: all watched folders)
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The folder is the watched folder OLD, which moved; no text is embedded again
    #[arg(
        long,
        value_name = "OLD",
        requires = "paths",
        allow_hyphen_values = true
    )]
    pub moved_from: Option<PathBuf>,
    /// Embed every note by this model from now on; the library remembers it
    #[arg(long, value_enum, conflicts_with = "moved_from")]
    pub model: Option<ModelName>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// An embedding model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModelName {
    /// The small English model that comes with Memlens
    Bundled,
    /// About a hundred languages, English included; slower, and weaker than the bundled model on English notes. Must be fetched first (75 MB)
    Multilingual,
}

#[derive(Debug, Args)]
pub struct AgentsArgs {
    #[command(subcommand)]
    pub act: Option<AgentsAct>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum AgentsAct {
    /// Watch and index the folders where an agent keeps its memory
    Add {
        /// The agent's id, as `memlens agents` lists it
        id: String,
    },
    /// Show how much of each file an agent loads when a session begins, and where it is cut
    Loaded(JsonArgs),
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Check the folders every few seconds, where the system does not report changes: in some containers and on some
    /// network drives
    #[arg(long)]
    pub poll: bool,
    /// Print each event as a line of JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct JsonArgs {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SettingArgs {
    /// Set a parameter; `memlens params` lists them
    #[arg(long = "set", value_name = "id=value")]
    pub settings: Vec<String>,
    /// Start from the parameters in a memlens.json
    #[arg(long, value_name = "FILE")]
    pub preset: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RankingArgs {
    /// Rank as another program does: openclaw, openclaw@2026.7, openclaw@2026.2, qmd, openviking, basic-memory, hindsight, octopus; `--set` sets its parameters then
    #[arg(long = "as", value_name = "PROGRAM[@VERSION]")]
    pub pipeline: Option<String>,
    /// Rank by the program's published defaults, and not by its own config on this machine; a version, as in openclaw@2026.9, does the same
    #[arg(long, requires = "pipeline")]
    pub defaults: bool,
    #[command(flatten)]
    pub settings: SettingArgs,
}

#[derive(Debug, Args)]
pub struct EmulateArgs {
    /// The question; leave it out with --queries
    #[arg(
        allow_hyphen_values = true,
        required_unless_present = "queries",
        conflicts_with = "queries"
    )]
    pub query: Option<String>,
    /// The program to emulate, and its version: openclaw@2026.9, qmd, openviking, basic-memory, hindsight, octopus
    #[arg(long, value_name = "PROGRAM[@VERSION]", default_value = "openclaw")]
    pub agent: String,
    /// Take version and parameters from this config (default: the program's own config on this machine); `--set` overrides them
    #[arg(long, value_name = "FILE", conflicts_with = "agent")]
    pub config: Option<PathBuf>,
    /// Use the program's published defaults, and not its config; a version, as in openclaw@2026.9, does the same
    #[arg(long, conflicts_with = "config")]
    pub defaults: bool,
    /// Set a parameter of the program; `memlens params --as PROGRAM` lists them
    #[arg(long = "set", value_name = "id=value")]
    pub settings: Vec<String>,
    /// Search only this folder, as in `memlens search --in`
    #[arg(long = "in", value_name = "SUBFOLDER", allow_hyphen_values = true, value_parser = path_typed)]
    pub scope: Option<String>,
    /// Ask every query of a query set or file instead, named as in `memlens eval`, and measure the ranking
    #[arg(long, value_name = "QUERIES", conflicts_with_all = ["scope", "explain", "form"])]
    pub queries: Option<PathBuf>,
    /// The questions of TREC qrels (default: the file beside them with "topics" in its name)
    #[arg(long, value_name = "FILE", requires = "queries")]
    pub topics: Option<PathBuf>,
    /// Write the results of each query to a file
    #[arg(long, value_name = "RUN.jsonl", requires = "queries")]
    pub run_out: Option<PathBuf>,
    /// Print every stage and row as JSON
    #[arg(long, conflicts_with = "explain")]
    pub json: bool,
    /// Print the trace: every stage, and why each row ranks where it does
    #[arg(long)]
    pub explain: bool,
    /// Print the trace as Markdown, to paste into a report
    #[arg(long, group = "form", conflicts_with_all = ["json", "explain"])]
    pub markdown: bool,
    /// Print the trace as CSV, for a spreadsheet: a line per row, two columns per stage
    #[arg(long, group = "form", conflicts_with_all = ["json", "explain"])]
    pub csv: bool,
    /// Leave out the notes' text in Markdown or CSV
    #[arg(long, requires = "form")]
    pub no_text: bool,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// An openclaw.json, ov.conf, basic-memory's config.json or a memlens.json; it is only read
    #[arg(value_name = "FILE")]
    pub config: PathBuf,
    /// Use the settings of this agent in it where it has its own, otherwise those of all agents
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The first ranking: default, a preset's name, a memlens.json, a program by its own config on this machine (openclaw), or by
    /// its published defaults (openclaw@2026.9)
    pub a: String,
    /// The second ranking
    pub b: String,
    /// The question
    #[arg(
        allow_hyphen_values = true,
        required_unless_present = "queries",
        conflicts_with = "queries"
    )]
    pub query: Option<String>,
    /// Compare over all judged queries of a query set or file instead, named as in `memlens eval`
    #[arg(long, value_name = "QUERIES")]
    pub queries: Option<PathBuf>,
    /// The questions of TREC qrels (default: the file beside them with "topics" in its name)
    #[arg(long, value_name = "FILE", requires = "queries")]
    pub topics: Option<PathBuf>,
    /// Search only this folder, as in `memlens search --in`
    #[arg(
        long = "in",
        value_name = "SUBFOLDER",
        conflicts_with = "queries",
        allow_hyphen_values = true,
        value_parser = path_typed
    )]
    pub scope: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The question
    #[arg(allow_hyphen_values = true)]
    pub query: String,
    /// Search only this folder: a path, or a watched folder's name and a path inside it
    #[arg(long = "in", value_name = "SUBFOLDER", allow_hyphen_values = true, value_parser = path_typed)]
    pub scope: Option<String>,
    /// Search only the memory of this agent, by its id in `memlens agents`
    #[arg(long, value_name = "ID", conflicts_with = "scope")]
    pub agent: Option<String>,
    #[command(flatten)]
    pub ranking: RankingArgs,
    /// Print every stage and row as JSON
    #[arg(long, conflicts_with = "explain")]
    pub json: bool,
    /// Print the trace: every stage, and why each row ranks where it does
    #[arg(long)]
    pub explain: bool,
    /// Print the trace as Markdown, to paste into a report
    #[arg(long, group = "form", conflicts_with_all = ["json", "explain"])]
    pub markdown: bool,
    /// Print the trace as CSV, for a spreadsheet: a line per row, two columns per stage
    #[arg(long, group = "form", conflicts_with_all = ["json", "explain"])]
    pub csv: bool,
    /// Leave out the notes' text in Markdown or CSV
    #[arg(long, requires = "form")]
    pub no_text: bool,
}

#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The question
    #[arg(allow_hyphen_values = true)]
    pub query: String,
    /// The note: a path, or a watched folder's name and a path inside it; optionally a line
    #[arg(value_name = "PATH[:LINE]", allow_hyphen_values = true, value_parser = path_typed)]
    pub place: String,
    /// Search only this folder, as in `memlens search --in`
    #[arg(long = "in", value_name = "SUBFOLDER", allow_hyphen_values = true, value_parser = path_typed)]
    pub scope: Option<String>,
    /// Search only the memory of this agent, by its id in `memlens agents`
    #[arg(long, value_name = "ID", conflicts_with = "scope")]
    pub agent: Option<String>,
    #[command(flatten)]
    pub ranking: RankingArgs,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct AutopsyArgs {
    /// The fact: its words, or a line of a note as PATH:LINE
    #[arg(allow_hyphen_values = true)]
    pub fact: String,
    /// Only for this agent, by its id in `memlens agents`
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// The session in which it was forgotten, as `memlens recall list` names it, or the beginning of its id
    #[arg(long, value_name = "ID", conflicts_with = "at")]
    pub session: Option<String>,
    /// When the agent should have known it: a day (2026-11-01) or a moment (2026-11-01T09:30:00Z); questions of the 24 hours before it count
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Print as Markdown, to paste into a report
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Leave out the notes' text in Markdown
    #[arg(long, requires = "markdown")]
    pub no_text: bool,
}

#[derive(Debug, Args)]
pub struct ClustersArgs {
    #[command(flatten)]
    pub settings: SettingArgs,
    /// Show only clusters with a member in this folder, as in `memlens search --in`
    #[arg(long = "in", value_name = "SUBFOLDER", allow_hyphen_values = true, value_parser = path_typed)]
    pub scope: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct OverviewArgs {
    /// List all notes behind one figure instead
    #[arg(long, value_name = "FIGURE", value_enum)]
    pub list: Option<ListedCard>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// A figure of the overview with notes behind it. Statements are listed by `clusters` and `drift`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ListedCard {
    /// New and changed since the window last showed its overview
    New,
    /// Not loaded when a session begins
    NotLoaded,
    /// Never searched by their agent
    NotSearched,
    /// Never found by a past question
    NeverFound,
    /// Largest first
    Largest,
    /// Oldest first, by their own dates
    Oldest,
    /// Files with problems
    Problems,
}

#[derive(Debug, Args)]
pub struct DriftArgs {
    /// List only those of which a side is dated on this day (2026-11-01) or later; counts are of all notes
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub since: Option<String>,
    /// Also list those that may contradict each other
    #[arg(long)]
    pub all: bool,
    /// Print as JSON; it holds both kinds, with `sure`
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct FeedbackArgs {
    /// Give the chunk at this line a thumb up or down for a question; repeat to undo. It is a judgment, and changes the ranking only with feedback_on=true
    #[arg(long, num_args = 3, value_names = ["up|down", "QUERY", "PATH:LINE"], allow_hyphen_values = true, group = "act")]
    pub add: Vec<String>,
    /// Undo a thumb
    #[arg(long, value_name = "ID", allow_hyphen_values = true, group = "act")]
    pub undo: Option<String>,
    /// Export all thumbs, one JSON object per line
    #[arg(long, value_name = "FILE", group = "act")]
    pub export: Option<PathBuf>,
    /// Import thumbs from an exported file
    #[arg(long, value_name = "FILE", group = "act")]
    pub import: Option<PathBuf>,
    /// Print the list, or the result of an import, as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct EvergreenArgs {
    #[command(subcommand)]
    pub act: Option<EvergreenAct>,
}

#[derive(Debug, Subcommand)]
pub enum EvergreenAct {
    /// Exempt a note or folder from decay
    Add(EvergreenPath),
    /// Let it decay, even if its name or a folder around it is evergreen
    Remove(EvergreenPath),
    /// List what does not decay (the default)
    List(JsonArgs),
}

#[derive(Debug, Args)]
pub struct EvergreenPath {
    /// A path, or a watched folder's name, alone or with a path inside it
    #[arg(value_name = "PATH", allow_hyphen_values = true, value_parser = path_typed)]
    pub path: String,
}

#[derive(Debug, Args)]
pub struct QuestionsArgs {
    #[command(subcommand)]
    pub act: Option<QuestionsAct>,
    /// Print as JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum QuestionsAct {
    /// Save a question
    Add {
        /// The question
        question: String,
    },
    /// Remove a saved question
    Remove {
        /// The question, as it is listed
        question: String,
    },
}

#[derive(Debug, Args)]
pub struct ParamsArgs {
    /// List those of another program: openclaw, openclaw@2026.7, openclaw@2026.2, qmd, openviking, basic-memory, hindsight, octopus
    #[arg(long = "as", value_name = "PROGRAM[@VERSION]")]
    pub pipeline: Option<String>,
    /// Print the table as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print the reference as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Print the JSON schema of the parameters in a memlens.json
    #[arg(long, conflicts_with_all = ["json", "markdown"])]
    pub schema: bool,
}

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
    /// Make a set of 40 nonsense questions, none of which shares a telling word with the notes
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
    },
    /// Delete a query set
    Delete {
        /// Its name
        name: String,
    },
}

/// What becomes of a new set whose name another set has; without either it is not made
#[derive(Debug, Clone, Copy, Args)]
pub struct IfTakenArgs {
    /// Replace a set of this name
    #[arg(long, conflicts_with = "keep_both")]
    pub replace: bool,
    /// Put a number behind the name if a set has it
    #[arg(long)]
    pub keep_both: bool,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The form of the settings: memlens (a memlens.json), openclaw, openclaw@2026.7, openclaw@2026.2, qmd, openviking, basic-memory, octopus
    #[arg(long, value_name = "ID[@VERSION]", default_value = "memlens")]
    pub target: String,
    /// Write the settings into this file (default: print them)
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    pub out: Option<PathBuf>,
    /// Change the program's own config; a backup is saved next to it
    #[arg(long)]
    pub write: bool,
    /// The program's config (default: where the program keeps it)
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Change the settings of this one of the program's agents only
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Judged queries, named as in `memlens eval`: memlens.json then holds the figures measured on them, and for another program the nearest setting is found
    #[arg(long, value_name = "QUERIES")]
    pub queries: Option<PathBuf>,
    /// The questions of TREC qrels (default: the file beside them with "topics" in its name)
    #[arg(long, value_name = "FILE", requires = "queries")]
    pub topics: Option<PathBuf>,
    /// Print how each parameter is expressed, as JSON
    #[arg(long)]
    pub json: bool,
    /// Print the JSON schema of memlens.json
    #[arg(long)]
    pub schema: bool,
    #[command(flatten)]
    pub ranking: RankingArgs,
}

#[derive(Debug, Args)]
pub struct RecallArgs {
    #[command(subcommand)]
    pub act: RecallAct,
}

#[derive(Debug, Subcommand)]
pub enum RecallAct {
    /// Read what is new in the agents' logs; the first time it names them and asks
    Import(RecallImportArgs),
    /// List past questions, the newest first
    List(RecallListArgs),
    /// Ask a past question again, and show its answer then beside its answer now
    Show(RecallShowArgs),
    /// Ask all past questions again: which answers change, which notes answer most, which no question finds
    Replay(RecallReplayArgs),
    /// Save past questions as a query set (queries.jsonl); what an agent opened or cited is relevant
    Export(RecallExportArgs),
    /// Forget all past questions, and read no log until you import again
    Forget(RecallForgetArgs),
}

#[derive(Debug, Args)]
pub struct RecallImportArgs {
    /// Read the logs of this agent alone, by its id
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Agree that the logs are read, without being asked
    #[arg(long)]
    pub yes: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct RecallListArgs {
    /// Only questions with all of these words, and openings of notes with them in their paths
    #[arg(value_name = "WORDS")]
    pub text: Option<String>,
    /// Only searches, or only openings of notes
    #[arg(long, value_name = "KIND")]
    pub only: Option<RecallOnly>,
    /// Only those of this agent, by its id
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Only those of this session, by its id or the beginning of it
    #[arg(long, value_name = "SESSION", allow_hyphen_values = true)]
    pub session: Option<String>,
    /// Only those since this day (2026-11-01) or moment (2026-11-01T09:30:00Z)
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RecallOnly {
    /// Searches
    Searches,
    /// Openings of notes
    Openings,
}

#[derive(Debug, Args)]
pub struct RecallShowArgs {
    /// The past question's id, as listed
    #[arg(value_name = "ID")]
    pub id: String,
    #[command(flatten)]
    pub by: ReplayedBy,
    /// Print it as Markdown, to paste into a report
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Leave out the text of notes
    #[arg(long)]
    pub no_text: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct RecallReplayArgs {
    #[command(flatten)]
    pub by: ReplayedBy,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// What past questions are ranked by; each agent's own pipeline where nothing is named
#[derive(Debug, Args)]
pub struct ReplayedBy {
    /// Rank by Memlens with a memlens.json, or a saved preset by its name; `default` for the defaults
    #[arg(long, value_name = "PRESET", conflicts_with = "agent")]
    pub preset: Option<String>,
    /// Rank by this program, whichever agent asked: openclaw (by its own config on this machine), openclaw@2026.7, qmd
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Rank by the program's published defaults, and not by its own config
    #[arg(long, requires = "agent")]
    pub defaults: bool,
}

#[derive(Debug, Args)]
pub struct RecallExportArgs {
    /// The file to write
    #[arg(value_name = "FILE")]
    pub out: PathBuf,
    /// Only questions of this agent, by its id
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub struct RecallForgetArgs {
    /// Confirm
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct ExportMadeArgs {
    /// Where to write it: JSON lines, each after its checksum; standard output if left out
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct EraseArgs {
    /// Confirm; without it, only show what would be deleted
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder, which must exist; pages in it are replaced
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

#[derive(Debug, Args)]
pub struct RerankProviderArgs {
    #[command(subcommand)]
    pub act: RerankProviderAct,
}

#[derive(Debug, Subcommand)]
pub enum RerankProviderAct {
    /// Set the provider and turn it on for this library: --set rerank=http then sends it text from your notes
    Set(SetProviderArgs),
    /// Show the provider and its settings
    Show(JsonArgs),
    /// Send sample texts to it, and show their scores; nothing from your notes is sent
    Test(TestProviderArgs),
    /// Turn it off, and keep its settings
    Off {
        /// Also delete its key from the system's keyring
        #[arg(long)]
        forget_key: bool,
    },
}

#[derive(Debug, Args)]
pub struct TestProviderArgs {
    /// Number of sample texts, 2 to 200, such as your rerank_max_docs
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=200))]
    pub max_docs: u32,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SetProviderArgs {
    /// cohere, voyage, jina, tei, llamacpp, vllm, infinity, or custom for any other address
    #[arg(long)]
    pub kind: String,
    /// Server address: https, or http on this machine
    #[arg(long, default_value = "", hide_default_value = true)]
    pub url: String,
    /// Model id (default: the provider's own)
    #[arg(long)]
    pub model: Option<String>,
    /// API format of a custom address: any other kind (default: vllm)
    #[arg(long, value_name = "KIND")]
    pub shape: Option<String>,
    /// Environment variable that holds the key
    #[arg(long, value_name = "VAR")]
    pub key_env: Option<String>,
    /// Read the key from standard input and store it in the system's keyring
    #[arg(long, conflicts_with = "key_env")]
    pub key_stdin: bool,
    /// Timeout in ms while rerank_timeout_ms is at its default; 100 to 60000
    #[arg(long, value_name = "N")]
    pub timeout_ms: Option<u32>,
}

#[derive(Debug, Args)]
pub struct RerankModelArgs {
    #[command(subcommand)]
    pub act: RerankModelAct,
}

#[derive(Debug, Subcommand)]
pub enum RerankModelAct {
    /// Choose a model, after a trial run; --set rerank=model uses it
    Set {
        /// A downloaded model's name, or a folder with an ONNX cross-encoder and its tokenizer
        #[arg(value_name = "NAME|FOLDER")]
        model: String,
    },
    /// List the models that can be downloaded, and the one chosen
    List(JsonArgs),
    /// Download a model into the library's folder; run again to resume
    Download {
        /// The model's name
        name: String,
    },
    /// Choose no model; downloads are kept
    Off,
}

#[derive(Debug, Args)]
pub struct RerankHookArgs {
    #[command(subcommand)]
    pub act: RerankHookAct,
}

#[derive(Debug, Subcommand)]
pub enum RerankHookAct {
    /// Set the command; --set hook=on runs it after every search, without a shell
    Set {
        /// The program, by name or full path, and its arguments
        #[arg(
            value_name = "COMMAND",
            required = true,
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        command: Vec<String>,
    },
    /// Show the command
    Show(JsonArgs),
    /// Remove the command
    Off,
}

#[derive(Debug, Args)]
pub struct HookArgs {
    #[command(flatten)]
    pub settings: SettingArgs,
}

/// Accepts a path, which may begin with `-`. An argument that begins with `--` is refused: it is a misspelt or
/// misplaced option.
fn path_typed(typed: &str) -> Result<String, String> {
    if typed.starts_with("--") {
        return Err(
            "it looks like an option; write ./ before a path that begins with --".to_owned(),
        );
    }
    Ok(typed.to_owned())
}

/// Returns the arguments of the process, with `./` before a folder name that begins with `-` after `index`. Where
/// several paths may follow, clap would take it for an option.
pub fn typed(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_index = false;
    let path = |argument: OsString| {
        let name = argument.to_string_lossy();
        let is_folder = name.starts_with('-')
            && !name.starts_with("--")
            && is_index
            && Path::new(&argument).is_dir();
        is_index |= name == "index";
        if is_folder {
            Path::new(".").join(argument).into_os_string()
        } else {
            argument
        }
    };
    arguments.map(path).collect()
}

/// Parses how far a metric may drop, 0 to 1.
fn drop_allowed(typed: &str) -> Result<f64, String> {
    let drop: f64 = typed.parse().map_err(|_| "it is not a number".to_owned())?;
    match (0.0..=1.0).contains(&drop) {
        true => Ok(drop),
        false => Err("it must lie between 0 and 1".to_owned()),
    }
}
