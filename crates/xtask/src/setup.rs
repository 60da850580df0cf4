//! Everything that a fresh machine lacks before Memlens can be built, run and tested.

mod multilingual;
mod node;
mod packages;
mod python;
mod runtime;

use std::env;
use std::path::{Path, PathBuf};

pub use runtime::Runtime;

use crate::error::Result;
use crate::project::Project;

/// What the machine must be able to do afterwards; each includes the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Start programs on the command line.
    Terminal,
    /// Build and open the window.
    Window,
    /// Drive the window without a screen.
    Headless,
}

/// Whether system packages may be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Install {
    /// Install the packages that are missing.
    Missing,
    /// Print the command that would.
    Nothing,
}

/// Makes the machine fit for `purpose`; a second call finds all in place and takes milliseconds.
pub fn setup(project: &Project, purpose: Purpose, install: Install) -> Result<()> {
    let is_runtime_missing = !runtime::is_in_place(project);
    packages::ensure(purpose, is_runtime_missing, install)?;
    if purpose >= Purpose::Window {
        node::ensure_version()?;
        node::install(&project.ui())?;
    }
    if purpose >= Purpose::Headless && project.e2e().join("package.json").is_file() {
        node::install(&project.e2e())?;
    }
    if is_runtime_missing {
        runtime::fetch(project)?;
    }
    Ok(())
}

/// Makes the multilingual embedding model, unless it is there.
pub fn multilingual(project: &Project) -> Result<()> {
    multilingual::ensure(project)
}

/// Installs the npm packages that a folder's lock file names, unless they are there already.
pub fn install_npm(folder: &Path) -> Result<()> {
    node::ensure_version()?;
    node::install(folder)
}

/// A command that runs pip.
pub fn pip() -> Result<std::process::Command> {
    python::pip()
}

/// The pinned ONNX Runtime in the form that may be redistributed, whatever library the user has set.
pub fn redistributable_runtime(project: &Project) -> Result<Runtime> {
    runtime::redistributable(project)
}

/// ONNX Runtime's library for Windows, fetched into `folder` unless it is there.
pub fn windows_runtime(folder: &Path) -> Result<PathBuf> {
    runtime::for_windows(folder)
}

/// Whether this session can show a window.
pub fn has_display() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}
