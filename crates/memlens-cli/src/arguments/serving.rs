//! The arguments of `memlens serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args, Subcommand};
use memlens_engine::tool_server::tool_server_agents;

use super::RankingArgs;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(group = ArgGroup::new("way").required(true).args(["mcp", "http"]))]
pub struct ServeArgs {
    #[command(subcommand)]
    pub act: Option<ServeAct>,
    /// Serve one agent by MCP on standard input and output
    #[arg(long)]
    pub mcp: bool,
    /// Serve agents by MCP over HTTP at this address of this machine, as in 127.0.0.1:8745, until Ctrl+C; clients need the token
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub http: Option<SocketAddr>,
    /// Let --http take an address that other machines can reach; the token and all texts then cross the network in the clear
    #[arg(long, requires = "http", conflicts_with = "mcp")]
    pub allow_network: bool,
    /// Also index notes that change, as `memlens watch` does; while this runs, the window only reads
    #[arg(long, requires = "http", conflicts_with = "mcp")]
    pub watch: bool,
    /// Print a unit by which systemd starts this server for you at login, and serve nothing
    #[arg(long, requires = "http", conflicts_with = "mcp")]
    pub systemd: bool,
    /// Serve only the memory of this agent, by its id in `memlens agents` (default: all watched folders)
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// Serve only what this one of OpenClaw's own agents may search, by its id in OpenClaw's config: its workspace and the
    /// folders of its extraPaths
    #[arg(long, value_name = "ID", requires = "agent")]
    pub member: Option<String>,
    /// Rank by a preset that is saved in the library, by its name in the window
    #[arg(long, value_name = "NAME", conflicts_with_all = ["preset", "pipeline"])]
    pub saved_preset: Option<String>,
    /// Rank what clients with this agent's token ask by this preset, which is saved in the library; can be repeated, and `--set`
    /// applies to all
    #[arg(long, value_name = "AGENT=NAME", requires = "http", conflicts_with = "mcp", value_parser = preset_of)]
    pub preset_of: Vec<(String, String)>,
    #[command(flatten)]
    pub ranking: RankingArgs,
}

#[derive(Debug, Subcommand)]
pub enum ServeAct {
    /// Show the entry that lets an agent start Memlens, and the file that it belongs in; with --write, add it there
    Install(InstallArgs),
    /// Remove that entry from the agent's config; a backup is saved next to it
    Uninstall {
        /// The agent
        #[arg(long, value_parser = PossibleValuesParser::new(tool_server_agents()))]
        agent: String,
    },
    /// Print the token that clients of --http send, as "Authorization: Bearer TOKEN"; it is made on first use, after a folder is indexed
    Token {
        /// Make a new one; clients with the old one, or with an agent's token, are refused once the server is started again
        #[arg(long)]
        new: bool,
        /// Print a token that gives the notes of this agent alone, by its id in `memlens agents`
        #[arg(long, value_name = "ID")]
        agent: Option<String>,
    },
}

/// An address with a port.
fn address(typed: &str) -> Result<SocketAddr, String> {
    let port = typed.strip_prefix("localhost:");
    let typed = port.map_or_else(|| typed.to_owned(), |port| format!("127.0.0.1:{port}"));
    let wrong = "write an address and a port, as in 127.0.0.1:8745";
    typed.parse().map_err(|_| wrong.to_owned())
}

/// An agent and the name of its preset.
fn preset_of(typed: &str) -> Result<(String, String), String> {
    let split = typed.split_once('=');
    let split = split.filter(|(agent, name)| !agent.is_empty() && !name.is_empty());
    let (agent, name) = split.ok_or("write an agent and its preset, as in codex=work")?;
    Ok((agent.to_owned(), name.to_owned()))
}

#[derive(Debug, Args)]
pub struct InstallArgs {
    /// The agent; it sees the notes of its own watched folders
    #[arg(long, value_parser = PossibleValuesParser::new(tool_server_agents()))]
    pub agent: String,
    /// Let it see the notes of all watched folders
    #[arg(long)]
    pub all_folders: bool,
    /// Rank by the parameters in this memlens.json (default: Memlens's own defaults)
    #[arg(long, value_name = "FILE")]
    pub preset: Option<PathBuf>,
    /// Rank by a preset that is saved in the library, by its name in the window
    #[arg(long, value_name = "NAME", conflicts_with = "preset")]
    pub saved_preset: Option<String>,
    /// Add the entry to the agent's config; a backup is saved next to it, and everything else of the file stays
    #[arg(long)]
    pub write: bool,
}
