//! What can be typed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use memlens_engine::{HUB_MODELS, Model};

pub use evidence::{EvalArgs, IfTakenArgs, QueriesAct, QueriesArgs, TuneArgs};
pub use recall::{
    OnOff, RecallAct, RecallArgs, RecallExportArgs, RecallForgetArgs, RecallImportArgs,
    RecallListArgs, RecallOnly, RecallReplayArgs, RecallShowArgs, ReplayedBy,
};
pub use rerank::{
    RerankHookAct, RerankHookArgs, RerankModelAct, RerankModelArgs, RerankProviderAct,
    RerankProviderArgs, SetProviderArgs,
};
pub use serving::{InstallArgs, ServeAct, ServeArgs};

mod evidence;
mod recall;
mod rerank;
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
    /// Place all chunks in two dimensions, by their vectors
    Map(MapArgs),
    /// Show what is known beside a note: links, notes like it, what says the same or contradicts it, and past questions about it
    Note(NoteArgs),
    /// List notes that contradict each other, and facts that newer notes replace
    Drift(DriftArgs),
    /// Show what a note said before: the changes that the library saw, and the commits of its repository
    History(HistoryArgs),
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
    /// List the embedding models and the vectors that are stored of each, or delete vectors
    Models(ModelsArgs),
    /// Set, show or remove your own command that rearranges search results
    RerankHook(RerankHookArgs),
    /// Rank an agent's search results: read its event from standard input, answer on standard output
    ///
    /// The event is {"query", "agentId", "results": [{"path", "startLine", "endLine", "score", "snippet", "source"}]}, the
    /// answer {"results": [...]} with the rows to keep, best first. Each row ranks like the chunks that contain its lines,
    /// and is dropped if your parameters drop those. Rows that the library does not know keep their scores and order, and
    /// come last. If anything fails, there is no answer and the exit status is not 0.
    Hook(HookArgs),
    /// Let agents search your notes with the ranking that you tuned
    ///
    /// Agents call the tools memory_search, memory_get, memory_why, memory_drift and memory_status by the Model Context
    /// Protocol (MCP). An agent starts `memlens serve --mcp` itself, which ends when the agent closes the connection and
    /// opens no port; `memlens serve install` shows what to add to the agent's config, or adds it. `memlens serve --http`
    /// listens at an address of this machine, and also reranks texts for other programs (POST /v1/rerank and /rerank). No
    /// note and no setting is changed.
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
    /// Embed every note by this model; the library remembers it
    ///
    /// Your notes are searched by the model in use until all are embedded by this one. If that is stopped, the next
    /// `memlens index`, or the window, continues. Its vectors are kept when you change to another model, so that a change
    /// back embeds only what is new; `memlens models` lists them.
    ///
    /// bundled is the small English model that comes with Memlens. multilingual knows about a hundred languages, English included; it is
    /// slower, weaker than the bundled model on English notes, and must be fetched first (75 MB). static is a small English model of 2 MB
    /// that needs no ONNX Runtime and is far faster than the bundled one; it finds less. Any other name is that of a downloaded model:
    /// `memlens models` lists them, and `memlens models download` downloads one.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = PossibleValuesParser::new(model_names()),
        hide_possible_values = true,
        conflicts_with = "moved_from"
    )]
    pub model: Option<String>,
    /// Embed every note by the model in this folder: an ONNX graph of any dimension with its tokenizer.json
    ///
    /// The folder holds model.onnx or onnx/model.onnx (or model_quantized.onnx) with the inputs input_ids and
    /// attention_mask, and its tokenizer.json. Pooling, prompts and length are read from the files that
    /// sentence-transformers writes, if they are there. Nothing is written to the folder.
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["model", "moved_from"],
        allow_hyphen_values = true
    )]
    pub model_folder: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ModelsArgs {
    #[command(subcommand)]
    pub act: Option<ModelsAct>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum ModelsAct {
    /// Download a model into the library's folder; run again to resume
    ///
    /// `memlens index --model NAME` then embeds the notes by it. Files whose checksum Memlens knows are checked against it; of the others
    /// the checksum of the first download is kept, and a later download must have the same.
    Download {
        /// The model's name
        name: String,
    },
    /// Delete the stored vectors of a model that is not in use, and the files of a downloaded one
    ///
    /// A change back to that model then embeds every note again.
    Forget {
        /// The model's name or id, as `memlens models` lists it
        model: String,
    },
}

/// The names of the embedding models.
fn model_names() -> impl Iterator<Item = &'static str> {
    let known = Model::ALL.into_iter().map(Model::name);
    known.chain(HUB_MODELS.iter().map(|model| model.name))
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
pub struct NoteArgs {
    /// The note: a path, or a watched folder's name and a path inside it
    #[arg(value_name = "PATH", allow_hyphen_values = true, value_parser = path_typed)]
    pub place: String,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct OverviewArgs {
    /// List all notes behind one figure instead; without a figure, all notes
    #[arg(long, value_name = "FIGURE", value_enum)]
    pub list: Option<Option<ListedCard>>,
    /// List only notes in the folders of this agent, by its id in `memlens agents`
    #[arg(long, value_name = "ID", requires = "list")]
    pub agent: Option<String>,
    /// List only notes in this watched folder: its name or its path
    #[arg(long, value_name = "FOLDER", requires = "list", allow_hyphen_values = true, value_parser = path_typed)]
    pub folder: Option<String>,
    /// List only notes with this tag, in any case, with or without `#`
    #[arg(
        long,
        value_name = "TAG",
        requires = "list",
        allow_hyphen_values = true
    )]
    pub tag: Option<String>,
    /// List only notes in this language, by its English name (German), in any case
    #[arg(
        long,
        value_name = "LANGUAGE",
        requires = "list",
        allow_hyphen_values = true
    )]
    pub language: Option<String>,
    /// List only notes whose own date is this day (2026-11-01) or later
    #[arg(
        long,
        value_name = "DATE",
        requires = "list",
        allow_hyphen_values = true
    )]
    pub since: Option<String>,
    /// List only notes whose own date is this day (2026-11-01) or earlier
    #[arg(
        long,
        value_name = "DATE",
        requires = "list",
        allow_hyphen_values = true
    )]
    pub until: Option<String>,
    /// List only files with a problem
    #[arg(long, requires = "list")]
    pub problem: bool,
    /// List only notes with all these words in their title, path or text, in any case
    #[arg(
        long,
        value_name = "WORDS",
        requires = "list",
        allow_hyphen_values = true
    )]
    pub text: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MapArgs {
    /// Compute the layout by neighbours from the beginning and store it; Ctrl+C stops it, and the one before stays
    #[arg(long)]
    pub layout: bool,
    /// Show only chunks of notes in the folders of this agent, by its id in `memlens agents`
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Show only chunks of notes in this watched folder: its name or its path
    #[arg(long, value_name = "FOLDER", allow_hyphen_values = true, value_parser = path_typed)]
    pub folder: Option<String>,
    /// Show only chunks of notes with this tag, in any case, with or without `#`
    #[arg(long, value_name = "TAG", allow_hyphen_values = true)]
    pub tag: Option<String>,
    /// Show only chunks of notes in this language, by its English name (German), in any case
    #[arg(long, value_name = "LANGUAGE", allow_hyphen_values = true)]
    pub language: Option<String>,
    /// Show only chunks of notes whose own date is this day (2026-11-01) or later
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub since: Option<String>,
    /// Show only chunks of notes whose own date is this day (2026-11-01) or earlier
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub until: Option<String>,
    /// Show only chunks of notes with all these words in their title, path or text, in any case
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub text: Option<String>,
    /// Print the places as JSON
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
    /// Found by no imported past question
    NeverFound,
    /// Largest first
    Largest,
    /// Oldest first, by their own dates
    Oldest,
    /// Files with problems
    Problems,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct DriftArgs {
    #[command(subcommand)]
    pub act: Option<DriftAct>,
    /// List only those of which a side is dated on this day (2026-11-01) or later; counts are of all notes
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub since: Option<String>,
    /// Also list those that may contradict each other, by the second opinion if you chose a model for it
    #[arg(long)]
    pub all: bool,
    /// Print as JSON; it holds both kinds, with `sure` and `second_opinion`
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum DriftAct {
    /// List the pairs of opposite words by which notes are compared, add and remove your own, or switch others off
    Oppositions(OppositionsArgs),
    /// Choose a model of your own for a second opinion on what may contradict; it orders these pairs and decides nothing
    SecondOpinion(SecondOpinionArgs),
}

#[derive(Debug, Args)]
pub struct SecondOpinionArgs {
    #[command(subcommand)]
    pub act: SecondOpinionAct,
}

#[derive(Debug, Subcommand)]
pub enum SecondOpinionAct {
    /// Choose a model, after a trial run; nothing is downloaded, and notes stay on this machine
    Set {
        /// A folder with an ONNX cross-encoder for natural language inference (model.onnx), its tokenizer.json, and a
        /// config.json that names three labels, of which one is contradiction
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Show the folder that is chosen
    Show(JsonArgs),
    /// Choose no model; what it said so far is not shown any more
    Off,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct OppositionsArgs {
    #[command(subcommand)]
    pub act: Option<OppositionsAct>,
    /// Print the list as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum OppositionsAct {
    /// Add a pair: each side is one or more English words of one meaning, with commas between them
    Add {
        #[arg(value_name = "WORDS", allow_hyphen_values = true)]
        words: String,
        #[arg(value_name = "OPPOSITE", allow_hyphen_values = true)]
        opposite: String,
    },
    /// Remove a pair of your own, by one of its words
    Remove {
        #[arg(value_name = "WORD", allow_hyphen_values = true)]
        word: String,
    },
    /// Switch a pair of the standard list off, by one of its words
    Off {
        #[arg(value_name = "WORD", allow_hyphen_values = true)]
        word: String,
    },
    /// Switch a pair of the standard list on again
    On {
        #[arg(value_name = "WORD", allow_hyphen_values = true)]
        word: String,
    },
    /// List all pairs (the default)
    List,
}

#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// The note: a path, also with a watched folder's name before it; without one, what is saved of all notes is printed
    #[arg(value_name = "NOTE", allow_hyphen_values = true, value_parser = path_typed)]
    pub note: Option<String>,
    /// Save what notes said before, or do not; `off` deletes what is saved
    #[arg(long, value_name = "on|off", conflicts_with = "note")]
    pub keep: Option<OnOff>,
    /// Print as JSON
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
