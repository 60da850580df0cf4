//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// See why an agent's memory search finds what it finds.
#[derive(Debug, Parser)]
#[command(name = "memlens", version, max_term_width = 100)]
pub struct Cli {
    /// The library's folder; the platform's data folder where it is not given
    #[arg(long, value_name = "DIR", global = true)]
    pub library: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Watch folders of notes and bring the library into step with them
    Index(IndexArgs),
    /// Keep the library in step until it is stopped
    Watch(WatchArgs),
    /// Tell what the library holds
    Status(JsonArgs),
    /// Search, and tell why
    Search(SearchArgs),
    /// Tell why a note is not among the results, and what would bring it back
    Why(WhyArgs),
    /// Tell what is said more than once
    Clusters(ClustersArgs),
    /// List your thumbs on chunks, give one, take one back, export and import them
    Feedback(FeedbackArgs),
    /// Say which notes and folders do not decay with age
    Evergreen(EvergreenArgs),
    /// List every parameter
    Params(ParamsArgs),
    /// Measure a ranking by judged queries
    Eval(EvalArgs),
    /// Write the parameters as memlens.json
    Export(ExportArgs),
    /// Set the provider that reranks over HTTP, show it, try it, or switch it off
    RerankProvider(RerankProviderArgs),
    /// Choose the model on this machine that reranks, list what there is, download one
    RerankModel(RerankModelArgs),
    /// Set the command of your own that looks at the results of searches, show it, or take it away
    RerankHook(RerankHookArgs),
    /// Rank the results that an agent found: reads its event on standard input and answers on standard output
    ///
    /// The event is {"query", "agentId", "results": [{"path", "startLine", "endLine", "score", "snippet", "source"}]}, the
    /// answer {"results": [...]} with the rows that stay, best first. A row is ranked as the chunks are that hold its lines,
    /// and left out where your parameters leave them out; rows that the library does not know keep their score and their
    /// order, and come last. Where anything fails there is no answer, and the exit status is not 0.
    Hook(HookArgs),
    /// Forget everything that the library holds; the notes themselves are not touched
    Erase(EraseArgs),
}

#[derive(Debug, Args)]
pub struct IndexArgs {
    /// Folders of notes; none for every folder that is watched already
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Look through the folders now and then, where the system does not tell of changes: in some containers and on some
    /// network disks
    #[arg(long)]
    pub poll: bool,
    /// Print each thing that happens as a line of JSON
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
    /// Begin with the parameters of a memlens.json
    #[arg(long, value_name = "FILE")]
    pub preset: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The question
    #[arg(allow_hyphen_values = true)]
    pub query: String,
    /// Search a folder alone: a path, or the name of a watched folder with a path in it
    #[arg(long = "in", value_name = "SUBFOLDER")]
    pub scope: Option<String>,
    #[command(flatten)]
    pub settings: SettingArgs,
    /// Print every stage and row as JSON
    #[arg(long, conflicts_with = "explain")]
    pub json: bool,
    /// Print the trace: every stage, and why each row stands where it does
    #[arg(long)]
    pub explain: bool,
}

#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The question
    #[arg(allow_hyphen_values = true)]
    pub query: String,
    /// The note, and a line of it: a path, or the name of a watched folder with a path in it
    #[arg(value_name = "PATH[:LINE]")]
    pub place: String,
    /// Search a folder alone, as `memlens search --in`
    #[arg(long = "in", value_name = "SUBFOLDER")]
    pub scope: Option<String>,
    #[command(flatten)]
    pub settings: SettingArgs,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ClustersArgs {
    #[command(flatten)]
    pub settings: SettingArgs,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct FeedbackArgs {
    /// Give the chunk at this line a thumb, up or down, for a question; the same once more takes it back
    #[arg(long, num_args = 3, value_names = ["up|down", "QUERY", "PATH:LINE"], allow_hyphen_values = true, group = "act")]
    pub add: Vec<String>,
    /// Take a thumb back
    #[arg(long, value_name = "ID", allow_hyphen_values = true, group = "act")]
    pub undo: Option<String>,
    /// Write all thumbs, a JSON object a line
    #[arg(long, value_name = "FILE", group = "act")]
    pub export: Option<PathBuf>,
    /// Add the thumbs of a file that was exported
    #[arg(long, value_name = "FILE", group = "act")]
    pub import: Option<PathBuf>,
    /// Print the list, or what an import came to, as JSON
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
    /// Keep a note, a folder or a watched folder from decay
    Add(EvergreenPath),
    /// Let it decay, also where its name or a folder around it says otherwise
    Remove(EvergreenPath),
    /// List what does not decay; this is what is done when nothing is named
    List(JsonArgs),
}

#[derive(Debug, Args)]
pub struct EvergreenPath {
    /// A path, or the name of a watched folder with or without a path in it
    #[arg(value_name = "PATH")]
    pub path: String,
}

#[derive(Debug, Args)]
pub struct ParamsArgs {
    /// Print the table as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print the reference as Markdown
    #[arg(long)]
    pub markdown: bool,
}

#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Judged queries, a JSON object a line; paths in it are relative to its folder
    #[arg(value_name = "QUERIES.jsonl")]
    pub queries: PathBuf,
    /// Ask each query of its own scope (this is how it is done unless --pooled is given)
    #[arg(long, conflicts_with = "pooled")]
    pub in_scope: bool,
    /// Ask every query of the whole library
    #[arg(long)]
    pub pooled: bool,
    #[command(flatten)]
    pub settings: SettingArgs,
    /// Write what was returned for each query
    #[arg(long, value_name = "RUN.jsonl")]
    pub run_out: Option<PathBuf>,
    /// Print as JSON, with the figures of each query
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    #[command(flatten)]
    pub settings: SettingArgs,
}

#[derive(Debug, Args)]
pub struct EraseArgs {
    /// Erase; without it only what would go is told
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
pub struct RerankProviderArgs {
    #[command(subcommand)]
    pub act: RerankProviderAct,
}

#[derive(Debug, Subcommand)]
pub enum RerankProviderAct {
    /// Set the provider and switch it on for this library: with --set rerank=http, notes are sent to it
    Set(SetProviderArgs),
    /// Tell what is set
    Show(JsonArgs),
    /// Have it score two made-up texts; no note is sent
    Test(JsonArgs),
    /// Switch it off; what was set stays
    Off {
        /// Take its key out of the system's keyring too
        #[arg(long)]
        forget_key: bool,
    },
}

#[derive(Debug, Args)]
pub struct SetProviderArgs {
    /// cohere, voyage, jina, tei, llamacpp, vllm, infinity, or custom for any other address
    #[arg(long)]
    pub kind: String,
    /// The server's address; https, or http on this machine itself
    #[arg(long, default_value = "", hide_default_value = true)]
    pub url: String,
    /// The model's id; the provider's own where it is not given
    #[arg(long)]
    pub model: Option<String>,
    /// For a custom address: the kind that it speaks like; vllm where it is not given
    #[arg(long, value_name = "KIND")]
    pub shape: Option<String>,
    /// The environment variable that holds the key
    #[arg(long, value_name = "VAR")]
    pub key_env: Option<String>,
    /// Read the key from standard input and keep it in the system's keyring
    #[arg(long, conflicts_with = "key_env")]
    pub key_stdin: bool,
    /// How long it may take while rerank_timeout_ms stands at its default; 100 to 60000
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
    /// Choose a model, once it scored a trial: with --set rerank=model it reranks
    Set {
        /// The name of one that was downloaded, or a folder that holds an ONNX cross-encoder with its tokenizer
        #[arg(value_name = "NAME|FOLDER")]
        model: String,
    },
    /// List the models that can be had by name, and what is chosen
    List(JsonArgs),
    /// Download a model into the library's folder; run it again to go on after a stop
    Download {
        /// Its name
        name: String,
    },
    /// Choose none; what was downloaded stays
    Off,
}

#[derive(Debug, Args)]
pub struct RerankHookArgs {
    #[command(subcommand)]
    pub act: RerankHookAct,
}

#[derive(Debug, Subcommand)]
pub enum RerankHookAct {
    /// Set the command: with --set hook=on it runs after every search, without a shell
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
    /// Tell what is set
    Show(JsonArgs),
    /// Take the command away
    Off,
}

#[derive(Debug, Args)]
pub struct HookArgs {
    #[command(flatten)]
    pub settings: SettingArgs,
}
