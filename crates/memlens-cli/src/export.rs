//! `memlens export`.

use std::path::PathBuf;

use crate::arguments::ExportArgs;
use crate::error::CliError;
use crate::output::tell;
use crate::settings::{open, params};

/// Writes the parameters as memlens.json.
pub fn run(library: Option<PathBuf>, arguments: &ExportArgs) -> Result<(), CliError> {
    let params = params(&arguments.settings)?;
    let library = open(library)?;
    library.write_preset(&params, &arguments.out)?;
    tell(format_args!("wrote {}", arguments.out.display()));
    Ok(())
}
