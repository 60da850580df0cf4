use std::path::PathBuf;

use memlens_engine::{contents, data_size, erase};

use crate::arguments::EraseArgs;
use crate::error::CliError;
use crate::output::print_text;
use crate::settings::library_dir;

/// Erases the whole library, or reports what would be erased.
pub fn run(library: Option<PathBuf>, arguments: &EraseArgs) -> Result<(), CliError> {
    let dir = library_dir(library)?;
    let before = data_size(&dir);
    if !arguments.yes {
        return Err(match contents(&dir) {
            Ok(contents) => CliError::Unconfirmed {
                path: dir,
                n_folders: contents.n_folders,
                n_files: contents.n_files,
                n_presets: contents.n_presets,
                n_thumbs: contents.n_thumbs,
                n_query_sets: contents.n_query_sets,
                n_runs: contents.n_runs,
                n_bytes: before.total as u64,
            },
            Err(error) if error.is_damage() => CliError::UnconfirmedDamaged(error.to_string()),
            Err(error) => error.into(),
        });
    }
    erase(&dir)?;
    let after = data_size(&dir);
    print_text(format!(
        "erased; {} bytes freed, {} left",
        (before.total - after.total).max(0.0),
        after.total
    ))
}
