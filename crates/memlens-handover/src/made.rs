//! Export of what the user made, also from a library that cannot be opened.

use std::path::Path;

use memlens_files::{is_linked_into, is_within, place_of};
use memlens_library::EngineError;
use memlens_library::output::{file_error, refuse_agent_file};
use memlens_store::{ExportedMade, Store, StoreError};
use serde_json::Value;

/// What the user made in the library in `dir`, as JSON lines, each after its checksum: from the database, or from the file beside it
/// the database is damaged or gone. The lists are not read.
///
/// # Errors
/// As [`Store::export_made`].
pub fn made(dir: &Path) -> Result<ExportedMade, EngineError> {
    Ok(Store::export_made(dir)?)
}

/// Writes [`made`] to a file. Returns the number of things in it, and why the database could not be read if they are of the file beside it.
///
/// # Errors
/// As [`made`]; [`EngineError::WatchedPlace`], [`EngineError::OwnPlace`], [`EngineError::AgentPlace`] for a file that must not be
/// overwritten; [`EngineError::File`].
pub fn export_made(dir: &Path, path: &Path) -> Result<(usize, Option<StoreError>), EngineError> {
    let ExportedMade { bytes, damage } = made(dir)?;
    let place = place_of(path).map_err(file_error(path))?;
    if is_within(&place, dir) || is_linked_into(&place, dir) {
        return Err(EngineError::OwnPlace {
            path: path.to_owned(),
            dir: dir.to_owned(),
        });
    }
    refuse_agent_file(path, &place)?;
    let lines = values(&bytes);
    let folders = lines.iter().filter_map(|it| it["folder"]["path"].as_str());
    if let Some(folder) = { folders }.find(|folder| is_within(&place, Path::new(folder))) {
        return Err(EngineError::WatchedPlace {
            path: path.to_owned(),
            folder: folder.to_owned(),
        });
    }
    memlens_files::write(path, &bytes).map_err(file_error(path))?;
    // The first line says what the file is.
    Ok((lines.len().saturating_sub(1), damage))
}

/// The JSON of each line that can be read.
fn values(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes);
    let json = text
        .lines()
        .filter_map(|line| Some(line.split_once(' ')?.1));
    json.filter_map(|json| serde_json::from_str(json).ok())
        .collect()
}
