//! `memlens completions` and `memlens man`: the command line's shell completions and man pages.

use clap::{Command, CommandFactory};
use memlens_engine::refuse_agent_place;

use crate::arguments::{Cli, CompletionsArgs, ManArgs};
use crate::error::CliError;
use crate::output::{notify, print_line};

pub fn completions(arguments: &CompletionsArgs) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "memlens", &mut script);
    print_line(String::from_utf8_lossy(&script).trim_end())
}

/// Writes a man page for each command.
pub fn pages(arguments: &ManArgs) -> Result<(), CliError> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    render(&command, &mut pages)?;
    for (name, page) in &pages {
        let path = arguments.dir.join(name);
        refuse_agent_place(&path)?;
        memlens_files::write(&path, page).map_err(|source| CliError::File {
            attempt: "write",
            path,
            source,
        })?;
    }
    notify(format_args!(
        "wrote {} manual pages to {}",
        pages.len(),
        arguments.dir.display()
    ));
    Ok(())
}

/// Adds the pages of a command and its subcommands to `pages`, with their file names.
fn render(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), CliError> {
    let man = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page).map_err(CliError::Output)?;
    pages.push((man.get_filename(), page));
    command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
        .try_for_each(|below| render(below, pages))
}
