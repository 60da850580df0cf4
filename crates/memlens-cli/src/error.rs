//! The errors of the commands, and their exit statuses.

use std::net::SocketAddr;
use std::path::PathBuf;

use memlens_engine::{EngineError, IndexerError, RerankError};
use memlens_eval::UnknownMetric;
use memlens_files::System;
use memlens_params::ParamError;
use thiserror::Error;

use crate::output::plural;
use crate::settings::library_dir;

/// The reason that a command failed.
#[derive(Debug, Error)]
pub enum CliError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Serve(#[from] memlens_serve::ServeError),
    /// No metric has this name.
    #[error(transparent)]
    Metric(#[from] UnknownMetric),
    /// A metric fell by more than is allowed.
    #[error("regression: {change}; allowed to drop by {max_drop}")]
    Dropped {
        /// The change of the metric, as a sentence.
        change: String,
        /// The most by which it may fall.
        max_drop: f64,
    },
    /// A file could not be read or written.
    #[error("cannot {attempt} {}: {source}", path.display())]
    File {
        /// What was tried, as a verb.
        attempt: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    /// An export would replace a file.
    #[error("cannot write {}: it exists; name another file, or add --replace", path.display())]
    Present { path: PathBuf },
    /// The result could not be printed.
    #[error("cannot write the result: {0}")]
    Output(std::io::Error),
    /// The program that reads the output has closed the pipe.
    #[error("cannot write the result: the output was closed")]
    ReaderGone,
    /// `--moved-from` was given with no folder, or with more than one.
    #[error("--moved-from takes one folder: the present path of the watched folder")]
    ManyMoved,
    /// A thumb points neither up nor down.
    #[error("cannot give a thumb {given}: say up or down")]
    NoThumb { given: String },
    /// A preset holds the parameters of another pipeline than the one named.
    #[error("cannot use the preset: it holds parameters of {holds}, and --as names {named}")]
    PresetOfOthers {
        /// The display name of the pipeline whose parameters the preset holds.
        holds: &'static str,
        /// The display name of the pipeline that was named.
        named: &'static str,
    },
    /// A flag for other programs' configs was given without naming a program.
    #[error("cannot use {flag} for memlens.json; name a program with --target")]
    ForOthers { flag: &'static str },
    /// There is no config to change.
    #[error("cannot change the config of {target}: {why}")]
    NoConfig {
        /// The display name of the program.
        target: &'static str,
        /// The reason, and what to do instead.
        why: &'static str,
    },
    /// An agent has no watched folder, so a server for it alone would not start.
    #[error(
        "cannot connect {agent}: none of its folders is watched; run `memlens agents add {id}` first, or serve all watched folders with --all-folders"
    )]
    NothingServed {
        /// The agent's name on screen.
        agent: &'static str,
        id: &'static str,
    },
    /// Other machines could reach the server.
    #[error(
        "cannot serve at {address}: other machines could reach it; use 127.0.0.1, or add --allow-network"
    )]
    NotThisMachine { address: SocketAddr },
    /// A unit would listen at another port each time.
    #[error("cannot print a unit for port 0: clients need a port that stays; name one with --http")]
    NoPort,
    /// A unit cannot name the folder.
    #[error("cannot print a unit that runs in {}: systemd cannot read this path; go to another folder", memlens_params::brief(&folder.to_string_lossy()))]
    NoUnit { folder: PathBuf },
    /// An agent has one ranking.
    #[error("--preset-of names two presets for {agent}; name one")]
    TwoPresets { agent: &'static str },
    /// A config cannot hold the path.
    #[error("cannot write the path {} into a config: it is not UTF-8 text", path.display())]
    NoTextPath { path: PathBuf },
    /// Standard input does not hold a hook event.
    #[error("cannot read the event from standard input: {why}")]
    NoEvent {
        /// What is wrong with it; nothing of its content.
        why: String,
    },
    /// Standard input held no key.
    #[error("cannot store the key: standard input is empty")]
    NoKey,
    /// Standard input could not be read.
    #[error("cannot read standard input: {0}")]
    Input(std::io::Error),
    /// Something that cannot be undone was asked for without confirming it.
    #[error("cannot erase {} without --yes: this deletes {n_bytes} bytes (folders: {n_folders}, files: {n_files}, presets: {n_presets}, thumbs: {n_thumbs}, query sets: {n_query_sets}, runs: {n_runs}), \
        settings, downloaded models and keys in the keyring; your notes are not touched", path.display())]
    Unconfirmed {
        path: PathBuf,
        /// The number of watched folders.
        n_folders: usize,
        n_files: usize,
        n_presets: usize,
        n_thumbs: usize,
        /// The number of query sets.
        n_query_sets: usize,
        /// The number of saved runs.
        n_runs: usize,
        /// The size of all of it on disk in bytes.
        n_bytes: u64,
    },
    /// A damaged library is to be erased, and that was not confirmed.
    #[error("{0}; use --yes to erase it (your notes are not touched)")]
    UnconfirmedDamaged(String),
    /// The user has not agreed to reading the agents' logs.
    #[error(
        "cannot read the agents' logs: {n_logs} {} found, and you have not agreed to it yet; agree with --yes",
        plural(*n_logs, "was", "were")
    )]
    NotAgreed {
        /// The number of logs found.
        n_logs: usize,
    },
    /// Past questions were to be forgotten, and that was not confirmed.
    #[error("cannot forget {what} without --yes")]
    UnconfirmedForget {
        /// What would be forgotten: "4 past questions".
        what: String,
    },
    /// The text is neither a day nor a moment.
    #[error(
        "cannot read the moment {given}: write a day (2026-11-01) or a moment (2026-11-01T09:30:00Z)"
    )]
    NoMoment { given: String },
    /// A span of days ends before it begins.
    #[error("cannot list notes from {since} until {until}: the last day is before the first")]
    NoSpan { since: String, until: String },
    /// A tag without a letter or digit.
    #[error("cannot list notes by an empty tag")]
    NoTag,
    /// More words than are looked for.
    #[error(
        "cannot look for {n} different words in the notes: at most {}",
        memlens_engine::WORDS_MAX
    )]
    TooManyWords { n: usize },
    /// No file has the name of a note.
    #[error(
        "cannot tell why {typed} is not found: nothing is there by that name; `memlens overview --list` prints the notes by their names"
    )]
    NoNote {
        /// The place as the user typed it.
        typed: String,
    },
    /// No watched folder has this name or path, or several have it.
    #[error("cannot list notes of the folder {given}: {why}")]
    NoFolder { given: String, why: String },
    /// No note is in this language.
    #[error("cannot list notes in {given}: {known}")]
    NoLanguage { given: String, known: String },
    /// The user stopped the command.
    #[error("stopped; finished work is kept, run it again to continue")]
    Stopped,
    /// The system names no data folder.
    #[error("this system has no data folder: use --library DIR")]
    NoDataFolder,
    /// The system names no home folder.
    #[error("cannot look for agents: this system names no home folder; set {}", System::CURRENT.home_variable())]
    NoHome,
    #[error("cannot listen for Ctrl+C: {0}")]
    Signal(std::io::Error),
}

impl From<IndexerError> for CliError {
    fn from(error: IndexerError) -> CliError {
        CliError::Engine(error.into())
    }
}

impl CliError {
    /// Adds the library's folder to a database error that does not name it. `library` is the folder given on the
    /// command line.
    pub fn at(self, library: Option<PathBuf>) -> CliError {
        match (self, library_dir(library)) {
            (CliError::Engine(error), Ok(dir)) => CliError::Engine(error.at(&dir)),
            (error, _) => error,
        }
    }

    /// Returns 2 for misuse, 1 for a failure, and 0 if nothing went wrong for the user.
    pub fn exit_status(&self) -> u8 {
        match self {
            CliError::Param(_)
            | CliError::Metric(_)
            | CliError::NoDataFolder
            | CliError::NoHome
            | CliError::NoThumb { .. }
            | CliError::ManyMoved
            | CliError::NothingServed { .. }
            | CliError::NotThisMachine { .. }
            | CliError::NoPort
            | CliError::NoUnit { .. }
            | CliError::TwoPresets { .. }
            | CliError::NoTextPath { .. }
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
            | CliError::NoSpan { .. }
            | CliError::NoNote { .. }
            | CliError::NoFolder { .. }
            | CliError::NoLanguage { .. }
            | CliError::NoTag
            | CliError::TooManyWords { .. }
            | CliError::Engine(
                EngineError::EmptyQuery
                | EngineError::NoFact
                | EngineError::NoSession { .. }
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
                | EngineError::Opposition { .. }
                | EngineError::Rerank(RerankError::Setting { .. })
                | EngineError::NoAgent { .. }
                | EngineError::Agent { .. },
            ) => 2,
            CliError::ReaderGone => 0,
            CliError::Engine(_)
            | CliError::Serve(_)
            | CliError::File { .. }
            | CliError::Present { .. }
            | CliError::Output(_)
            | CliError::Input(_)
            | CliError::Stopped
            | CliError::Dropped { .. }
            | CliError::Signal(_) => 1,
        }
    }
}
