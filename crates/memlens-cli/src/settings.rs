//! What the commands share: where the library is, the parameters, the flag that stops.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_engine::{EmbedderSource, EngineError, Library, Search, bundled, read_params};
use memlens_params::{ParameterSet, Params};

use crate::arguments::SettingArgs;
use crate::error::CliError;
use crate::output::tell;

/// The library's folder.
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

/// The source of the bundled model.
pub fn source() -> EmbedderSource {
    bundled(Vec::new())
}

/// The parameters of the preset, with the settings over it.
pub fn params(arguments: &SettingArgs) -> Result<Params, CliError> {
    let mut params = match &arguments.preset {
        Some(path) => read_params(path)?,
        None => Params::default(),
    };
    params.assign_all(arguments.settings.iter().map(String::as_str))?;
    Ok(params)
}

/// Opens the library and asks a question of it, and whoever is outside where the settings say so.
///
/// # Errors
/// Misuse (settings, no question, a scope that names nothing) and what keeps the library from being searched.
pub fn ask(
    library: Option<PathBuf>,
    settings: &SettingArgs,
    query: &str,
    scope: Option<&str>,
    agent: Option<&str>,
) -> Result<(Library, Params, Arc<Search>), CliError> {
    let params = params(settings)?;
    if query.trim().is_empty() {
        return Err(EngineError::EmptyQuery.into());
    }
    let library = open(library)?;
    library.aggregate_for(&params)?;
    let search = match (scope, agent) {
        (_, Some(agent)) => library.search_agent(query, &params, agent)?,
        (Some(typed), None) => library.search(query, &params, Some(&library.scope(typed)?))?,
        (None, None) => library.search(query, &params, None)?,
    };
    let search = library.ask(search.id, &params)?;
    Ok((library, params, search))
}

/// A flag that Ctrl+C sets.
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
