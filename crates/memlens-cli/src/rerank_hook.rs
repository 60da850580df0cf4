use std::path::{Path, PathBuf};

use memlens_engine::RerankChange;
use memlens_engine::acts;
use memlens_engine::providers;
use serde::Serialize;

use crate::arguments::{RerankHookAct, RerankHookArgs};
use crate::error::CliError;
use crate::output::{notify, print_json, print_text};
use crate::settings::open;

#[derive(Serialize)]
struct HookReport {
    schema_version: u32,
    /// The program and its arguments; `None` if no hook is set.
    command: Option<Vec<String>>,
}

/// Sets, shows or removes the user's own rerank command.
pub fn run(library: Option<PathBuf>, arguments: &RerankHookArgs) -> Result<(), CliError> {
    let library = open(library)?;
    match &arguments.act {
        RerankHookAct::Set { command } => {
            let command = from_anywhere(command)?;
            acts::change_rerank(&library.to_write(), RerankChange::Hook(Some(command)))?;
            notify("the hook is set; use it with --set hook=on");
        }
        RerankHookAct::Off => {
            acts::change_rerank(&library.to_write(), RerankChange::Hook(None))?;
            notify("the hook is removed");
        }
        RerankHookAct::Show(arguments) => {
            let command = providers::rerank_settings(&library)?.hook;
            if arguments.json {
                return print_json(&HookReport {
                    schema_version: 1,
                    command,
                });
            }
            return print_text(match &command {
                Some(command) => {
                    let words: Vec<String> =
                        command.iter().map(|word| format!("{word:?}")).collect();
                    words.join(" ")
                }
                None => "no hook is set".to_owned(),
            });
        }
    }
    Ok(())
}

/// Returns the command with an absolute program path if the program was given as a path.
fn from_anywhere(command: &[String]) -> Result<Vec<String>, CliError> {
    let mut command = command.to_vec();
    if let Some(program) = command.first_mut()
        && Path::new(program.as_str()).components().count() > 1
    {
        let path = std::path::absolute(&*program).map_err(|source| CliError::File {
            attempt: "find",
            path: PathBuf::from(&*program),
            source,
        })?;
        *program = path.display().to_string();
    }
    Ok(command)
}
