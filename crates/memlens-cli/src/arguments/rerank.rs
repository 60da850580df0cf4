//! The arguments of `memlens rerank-provider`, `rerank-model` and `rerank-hook`.

use clap::{Args, Subcommand};

use super::JsonArgs;

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
    /// Download a model into the library's folder, with quantised weights where its repository has them; run again to resume
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
