use std::path::{Path, PathBuf};

use memlens_document::Document;
use memlens_engine::Evergreen;
use memlens_engine::acts;
use serde::Serialize;

use crate::arguments::{EvergreenAct, EvergreenArgs};
use crate::error::CliError;
use crate::output::{notify, plural, print, print_json};
use crate::settings::open;

#[derive(Serialize)]
struct EvergreenReport {
    schema_version: u32,
    evergreen: Vec<Evergreen>,
}

/// Marks notes that do not decay, removes marks, or lists them.
pub fn run(library: Option<PathBuf>, arguments: &EvergreenArgs) -> Result<(), CliError> {
    let library = open(library)?;
    let here = std::env::current_dir().ok();
    let as_json = match &arguments.act {
        Some(EvergreenAct::Add(named)) => {
            acts::set_evergreen_at(&library.to_write(), &named.path, true, here.as_deref())?;
            notify(format_args!("{} does not decay", named.path));
            return Ok(());
        }
        Some(EvergreenAct::Remove(named)) => {
            acts::set_evergreen_at(&library.to_write(), &named.path, false, here.as_deref())?;
            notify(format_args!("{} decays with age again", named.path));
            return Ok(());
        }
        Some(EvergreenAct::List(arguments)) => arguments.json,
        None => false,
    };
    let evergreen = library.evergreen()?;
    if as_json {
        return print_json(&EvergreenReport {
            schema_version: 1,
            evergreen,
        });
    }
    let mut page = Document::new();
    for one in &evergreen {
        let path = memlens_files::path_in(Path::new(&one.folder), &one.path);
        let notes = plural(one.n_files, "note", "notes");
        let why = match (one.is_marked, one.is_evergreen) {
            (true, true) => "marked",
            (true, false) => "marked to decay",
            (false, _) => "by name",
        };
        page.line(format!(
            "{}  {} {notes}, {why}",
            path.display(),
            one.n_files
        ));
    }
    print(&page)
}
