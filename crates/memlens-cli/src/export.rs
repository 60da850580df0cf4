//! `memlens export`.

use std::path::{Path, PathBuf};

use crate::arguments::ExportArgs;
use crate::error::CliError;
use crate::output::tell;
use crate::settings::{open, ranking};

/// Writes the parameters as memlens.json.
pub fn run(library: Option<PathBuf>, arguments: &ExportArgs) -> Result<(), CliError> {
    let ranking = ranking(&arguments.ranking)?;
    let library = open(library)?;
    let inputs: Vec<&Path> = arguments
        .ranking
        .settings
        .preset
        .as_deref()
        .into_iter()
        .collect();
    library.write_preset(&ranking.values, &arguments.out, &inputs)?;
    tell(format_args!("wrote {}", arguments.out.display()));
    Ok(())
}
