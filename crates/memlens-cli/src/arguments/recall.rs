//! The arguments of `memlens recall`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

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
    /// Record what agents ask of `memlens serve` as past questions, or stop it
    Calls {
        /// Whether it is recorded
        #[arg(value_name = "on|off")]
        recorded: OnOff,
    },
    /// Forget all past questions, and read no log and record no call until you allow it again
    Forget(RecallForgetArgs),
}

/// Whether something is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    /// On
    On,
    /// Off
    Off,
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
    /// Replace the file if it exists
    #[arg(long)]
    pub replace: bool,
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
