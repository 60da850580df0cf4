//! The arguments of `memlens serve`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use memlens_engine::tool_server::tool_server_agents;

use super::RankingArgs;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct ServeArgs {
    #[command(subcommand)]
    pub act: Option<ServeAct>,
    /// Serve one agent by MCP on standard input and output
    #[arg(long, required = true)]
    pub mcp: bool,
    /// Serve only the memory of this agent, by its id in `memlens agents` (default: all watched folders)
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
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
    /// Add the entry to the agent's config; a backup is saved next to it, and everything else of the file stays
    #[arg(long)]
    pub write: bool,
}
