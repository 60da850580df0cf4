//! What went wrong, and the exit status that says so.

use std::path::PathBuf;

use memlens_engine::{EngineError, IndexerError, RerankError};
use memlens_eval::UnknownMetric;
use memlens_params::ParamError;
use thiserror::Error;

use crate::output::plural;
use crate::settings::library_dir;

/// Why a command did not do its work.
#[derive(Debug, Error)]
pub enum CliError {
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A setting was refused.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// No metric has this name.
    #[error(transparent)]
    Metric(#[from] UnknownMetric),
    /// A metric fell by more than is allowed.
    #[error("regression: {told}; allowed to drop by {max_drop}")]
    Dropped {
        /// What became of it.
        told: String,
        /// By how much it may fall.
        max_drop: f64,
    },
    /// A file could not be read or written.
    #[error("cannot {attempt} {}: {source}", path.display())]
    File {
        /// What was tried, as a verb.
        attempt: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The result could not be printed.
    #[error("cannot write the result: {0}")]
    Output(std::io::Error),
    /// Who read the result has enough of it.
    #[error("cannot write the result: nobody reads it")]
    ReaderGone,
    /// One folder moved, and several are named.
    #[error("--moved-from takes one folder: the place where the watched folder lies now")]
    ManyMoved,
    /// A thumb points neither up nor down.
    #[error("cannot give a thumb {given}: say up or down")]
    NoThumb {
        /// What was typed.
        given: String,
    },
    /// A preset holds the parameters of another pipeline than the one that is named.
    #[error("cannot use the preset: it holds parameters of {holds}, and --as names {named}")]
    PresetOfOthers {
        /// The name on screen of the pipeline whose parameters it holds.
        holds: &'static str,
        /// That of the one that is named.
        named: &'static str,
    },
    /// A flag for other programs' configs, without one named.
    #[error("cannot use {flag} for memlens.json; name a program with --target")]
    ForOthers {
        /// The flag.
        flag: &'static str,
    },
    /// There is no config to change.
    #[error("cannot change the config of {target}: {why}")]
    NoConfig {
        /// The program's name on screen.
        target: &'static str,
        /// Why there is none, and what else to do.
        why: &'static str,
    },
    /// Standard input holds no event of a hook.
    #[error("cannot read the event from standard input: {why}")]
    NoEvent {
        /// What is wrong with it; nothing that stands in it.
        why: String,
    },
    /// No key came.
    #[error("cannot store the key: standard input is empty")]
    NoKey,
    /// Standard input could not be read.
    #[error("cannot read standard input: {0}")]
    Input(std::io::Error),
    /// Something that cannot be undone was not asked for plainly.
    #[error("cannot erase {} without --yes: this deletes {n_bytes} bytes (folders: {n_folders}, files: {n_files}, presets: {n_presets}, thumbs: {n_thumbs}, query sets: {n_query_sets}, runs: {n_runs}), \
        settings, downloaded models and keys in the keyring; your notes are not touched", path.display())]
    Unconfirmed {
        /// The library's folder.
        path: PathBuf,
        /// Watched folders.
        n_folders: usize,
        /// Documents.
        n_files: usize,
        /// Presets.
        n_presets: usize,
        /// Thumbs.
        n_thumbs: usize,
        /// Query sets.
        n_query_sets: usize,
        /// Runs that were saved.
        n_runs: usize,
        /// What all of it takes on disk.
        n_bytes: u64,
    },
    /// A library that is damaged is to be erased, and that was not asked for plainly.
    #[error("{0}; use --yes to erase it (your notes are not touched)")]
    UnconfirmedDamaged(String),
    /// Nobody agreed that the agents' logs are read.
    #[error(
        "cannot read the agents' logs: {n_logs} {} found, and you have not agreed to it yet; agree with --yes",
        plural(*n_logs, "was", "were")
    )]
    NotAgreed {
        /// How many logs there are.
        n_logs: usize,
    },
    /// Past questions were to be forgotten, and that was not confirmed.
    #[error("cannot forget {what} without --yes")]
    UnconfirmedForget {
        /// What there is: "4 past questions".
        what: String,
    },
    /// What was typed is no moment.
    #[error(
        "cannot read the moment {given}: write a day (2026-11-01) or a moment (2026-11-01T09:30:00Z)"
    )]
    NoMoment {
        /// What was typed.
        given: String,
    },
    /// The person stopped it.
    #[error("stopped; finished work is kept, run it again to continue")]
    Stopped,
    /// The system names no data folder.
    #[error("this system has no data folder: use --library DIR")]
    NoDataFolder,
    /// The system names no home folder.
    #[error("cannot look for agents: this system names no home folder; set HOME")]
    NoHome,
    /// The signal to stop cannot be received.
    #[error("cannot listen for Ctrl+C: {0}")]
    Signal(#[from] ctrlc::Error),
}

impl From<IndexerError> for CliError {
    fn from(error: IndexerError) -> CliError {
        CliError::Engine(error.into())
    }
}

impl CliError {
    /// Names the library's folder in an error of its database that does not know it; `library` is what was given.
    pub fn at(self, library: Option<PathBuf>) -> CliError {
        match (self, library_dir(library)) {
            (CliError::Engine(error), Ok(dir)) => CliError::Engine(error.at(&dir)),
            (error, _) => error,
        }
    }

    /// Returns 2 for misuse, 1 for a failure, 0 where nothing went wrong for the person.
    pub fn exit_status(&self) -> u8 {
        match self {
            CliError::Param(_)
            | CliError::Metric(_)
            | CliError::NoDataFolder
            | CliError::NoHome
            | CliError::NoThumb { .. }
            | CliError::ManyMoved
            | CliError::NoEvent { .. }
            | CliError::NoKey
            | CliError::PresetOfOthers { .. }
            | CliError::ForOthers { .. }
            | CliError::NoConfig { .. }
            | CliError::Unconfirmed { .. }
            | CliError::UnconfirmedDamaged(_)
            | CliError::NotAgreed { .. }
            | CliError::UnconfirmedForget { .. }
            | CliError::NoMoment { .. }
            | CliError::Engine(
                EngineError::EmptyQuery
                | EngineError::NoFact
                | EngineError::NoPipeline { .. }
                | EngineError::NoTarget { .. }
                | EngineError::AgentConfig { .. }
                | EngineError::Param(_)
                | EngineError::Preset { .. }
                | EngineError::Scope { .. }
                | EngineError::Place { .. }
                | EngineError::Thumb { .. }
                | EngineError::NoFeedback { .. }
                | EngineError::Evergreen { .. }
                | EngineError::Rerank(RerankError::Setting { .. })
                | EngineError::NoAgent { .. }
                | EngineError::Agent { .. },
            ) => 2,
            CliError::ReaderGone => 0,
            CliError::Engine(_)
            | CliError::File { .. }
            | CliError::Output(_)
            | CliError::Input(_)
            | CliError::Stopped
            | CliError::Dropped { .. }
            | CliError::Signal(_) => 1,
        }
    }
}
