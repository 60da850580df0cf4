//! What the commands share: where the library is, the parameters, JSON on standard output.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_engine::{EmbedderSource, Library, bundled, read_params};
use memlens_params::Params;
use serde::Serialize;

use crate::arguments::SettingArgs;
use crate::error::CliError;

/// Returns the library's folder.
pub fn library_dir(given: Option<PathBuf>) -> Result<PathBuf, CliError> {
    let dir = given
        .or_else(|| dirs::data_dir().map(|dir| dir.join("memlens")))
        .ok_or(CliError::NoDataFolder)?;
    std::path::absolute(&dir).map_err(|source| CliError::File {
        attempt: "find",
        path: dir,
        source,
    })
}

/// Opens the library to read, and tells what a person should know.
pub fn open(given: Option<PathBuf>) -> Result<Library, CliError> {
    let library = Library::open(&library_dir(given)?, source())?;
    for notice in library.notices() {
        anstream::eprintln!("memlens: {notice}");
    }
    Ok(library)
}

/// Returns the source of the bundled model.
pub fn source() -> EmbedderSource {
    bundled(Vec::new())
}

/// Returns the parameters of the preset, with the settings over it.
pub fn params(arguments: &SettingArgs) -> Result<Params, CliError> {
    let mut params = match &arguments.preset {
        Some(path) => read_params(path)?,
        None => Params::default(),
    };
    params.assign_all(arguments.settings.iter().map(String::as_str))?;
    Ok(params)
}

/// Returns a flag that Ctrl+C sets.
pub fn stop_flag() -> Result<Arc<AtomicBool>, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = stop.clone();
    ctrlc::set_handler(move || set.store(true, Ordering::Relaxed))?;
    Ok(stop)
}

/// Prints a value as indented JSON.
///
/// # Errors
/// As [`print_line`].
pub fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    let text =
        serde_json::to_string_pretty(value).expect("plain data can always be written as JSON");
    print_line(&text)
}

/// Prints a line as it is, for other programs: what prints for people takes control signs out of it
/// in a pipe. A reader that has enough is no error.
///
/// # Errors
/// [`CliError::Output`], when a disk is full for instance.
pub fn print_line(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::Output(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Reads a file of the person's.
pub fn read(path: &Path) -> Result<String, CliError> {
    let bytes = std::fs::read(path).map_err(|source| CliError::File {
        attempt: "read",
        path: path.to_owned(),
        source,
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
