//! What can go wrong in a task.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// A task that did not reach its end; `Display` says what was tried and why it failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program could not be started at all.
    #[error("cannot start `{command}`: {source}")]
    Start {
        command: String,
        /// Why it did not start.
        source: io::Error,
    },
    /// A program ran and said that it failed.
    #[error("`{command}` failed: {status}")]
    Failed { command: String, status: ExitStatus },
    /// A file or folder could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file or folder could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// This machine lacks something; the text says what, and how to get it.
    #[error("cannot set up this machine: {0}")]
    Setup(String),
    /// A downloaded file is not the one that is pinned.
    #[error("cannot use {}: its sha256 is {found}, but should be {pinned}", path.display())]
    Checksum {
        path: PathBuf,
        /// The sum it has, in hexadecimal.
        found: String,
        /// The sum it should have, in hexadecimal.
        pinned: String,
    },
    /// The folder or library folder to open is not there.
    #[error("cannot open {}: {cause}", path.display())]
    Open {
        /// Path that the user named.
        path: PathBuf,
        cause: String,
    },
    /// The window could not be photographed.
    #[error("cannot save a screenshot: {0}")]
    Screenshot(String),
    /// An answer of another program could not be understood.
    #[error("cannot read the answer of {program}: {cause}")]
    Answer {
        program: String,
        /// What was wrong with it.
        cause: String,
    },
    /// Generated files differ from what their source gives now.
    #[error("generated files are out of date: {0}; run `cargo xtask codegen`")]
    Stale(String),
    /// The project breaks rules of its own; they were printed one by one.
    #[error("the project breaks its rules: {0} findings above")]
    Untidy(usize),
    /// A program of tests ended well and ran no test.
    #[error("`{command}` ran no test")]
    NoTest { command: String },
    /// Files of end-to-end tests failed or ran no test; the text names them.
    #[error("failed: {0}")]
    EndToEnd(String),
    /// A step of the tests failed; the later ones were not run.
    #[error("tests failed: {0}")]
    Test(String),
    /// The package could not be made, or does not work where it is installed.
    #[error("cannot package Memlens: {0}")]
    Package(String),
    /// A measured figure misses its target.
    #[error("benchmark failed: {0} figures miss their target")]
    Bench(usize),
    /// Published agents load something else than predicted; each difference was printed.
    #[error("the agents differ from what Memlens predicts: {0} differences above")]
    Agents(usize),
    /// The command line prints something else under wine than on Linux; each difference was printed.
    #[error("memlens under wine differs from memlens on this machine: {0} differences above")]
    Smoke(usize),
}

/// The result of a task or of a part of one.
pub type Result<T, E = Error> = std::result::Result<T, E>;
