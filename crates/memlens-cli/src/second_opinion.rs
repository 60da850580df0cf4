//! `memlens drift second-opinion`.

use std::path::PathBuf;

use memlens_document::Document;
use memlens_engine::{acts, second_opinion};
use serde::Serialize;

use crate::arguments::{SecondOpinionAct, SecondOpinionArgs};
use crate::error::CliError;
use crate::output::{notify, print, print_json};
use crate::settings::open;

#[derive(Serialize)]
struct SecondOpinionReport {
    schema_version: u32,
    /// `None` if no folder is chosen.
    folder: Option<String>,
}

/// Chooses the folder whose model gives a second opinion, shows it, or chooses none.
pub fn run(library: Option<PathBuf>, arguments: &SecondOpinionArgs) -> Result<(), CliError> {
    let library = open(library)?;
    match &arguments.act {
        SecondOpinionAct::Set { folder } => {
            let path = std::path::absolute(folder).map_err(|source| CliError::File {
                attempt: "find",
                path: folder.clone(),
                source,
            })?;
            let path = path.display().to_string();
            acts::choose_second_opinion(&library.to_write(), Some(&path))?;
            notify(format_args!(
                "{path} is chosen; memlens drift --all orders by it what may contradict"
            ));
            Ok(())
        }
        SecondOpinionAct::Off => {
            acts::choose_second_opinion(&library.to_write(), None)?;
            notify("no model is chosen now");
            Ok(())
        }
        SecondOpinionAct::Show(arguments) => {
            let folder = second_opinion(&library)?.folder;
            if arguments.json {
                return print_json(&SecondOpinionReport {
                    schema_version: 1,
                    folder,
                });
            }
            let mut page = Document::new();
            page.line(folder.unwrap_or_else(|| "no model is chosen".to_owned()));
            print(&page)
        }
    }
}
