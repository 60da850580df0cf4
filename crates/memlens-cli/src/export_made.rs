use std::fmt::Display;
use std::path::PathBuf;

use memlens_engine::{export_made, made};

use crate::arguments::ExportMadeArgs;
use crate::error::CliError;
use crate::output::{notify, plural, print_bytes};
use crate::settings::library_dir;

/// Writes what the user made.
pub fn run(library: Option<PathBuf>, arguments: &ExportMadeArgs) -> Result<(), CliError> {
    let dir = library_dir(library)?;
    let Some(file) = &arguments.file else {
        let made = made(&dir)?;
        notify_of_damage(made.damage);
        return print_bytes(&made.bytes);
    };
    let (n, damage) = export_made(&dir, file)?;
    notify(format_args!(
        "wrote {}: {n} {} that you made",
        file.display(),
        plural(n, "thing", "things")
    ));
    notify_of_damage(damage);
    Ok(())
}

/// Says that the database was not read, and why.
fn notify_of_damage(damage: Option<impl Display>) {
    if let Some(damage) = damage {
        notify(format_args!(
            "this is from made.jsonl, the file beside the database, and the last changes may be missing: {damage}"
        ));
    }
}
