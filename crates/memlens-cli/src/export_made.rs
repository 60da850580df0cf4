//! `memlens export-made`.

use std::path::PathBuf;

use memlens_engine::{export_made, made};

use crate::arguments::ExportMadeArgs;
use crate::error::CliError;
use crate::output::{plural, print_text, tell};
use crate::settings::library_dir;

/// Writes what the user made.
pub fn run(library: Option<PathBuf>, arguments: &ExportMadeArgs) -> Result<(), CliError> {
    let dir = library_dir(library)?;
    let Some(file) = &arguments.file else {
        let bytes = made(&dir)?;
        return print_text(|out| out.write_all(&bytes));
    };
    let n = export_made(&dir, file)?;
    tell(format_args!(
        "wrote {}: {n} {} that you made",
        file.display(),
        plural(n, "thing", "things")
    ));
    Ok(())
}
