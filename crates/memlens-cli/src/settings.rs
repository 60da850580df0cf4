//! What the commands share: where the library is, the parameters, the flag that stops.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_engine::{EmbedderSource, Library, bundled, read_params};
use memlens_params::Params;

use crate::arguments::SettingArgs;
use crate::error::CliError;
use crate::output::tell;

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
        tell(notice);
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
    on_stop(move || set.store(true, Ordering::Relaxed))?;
    Ok(stop)
}

/// Does something when Ctrl+C is pressed.
pub fn on_stop(act: impl FnMut() + Send + 'static) -> Result<(), CliError> {
    Ok(ctrlc::set_handler(act)?)
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
