use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Error, Result};
use crate::project::Project;

/// The cargo that runs this task, at work in `project`.
pub fn cargo(project: &Project) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Build scripts watch the variables that cargo sets for this program's own crate, and would take them for a change.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    command.current_dir(&project.root).stdin(Stdio::null());
    command
}

/// npm, at work in `folder`.
pub fn npm(folder: &Path) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs `command` to its end with this program's output.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|source| Error::Start {
        command: line(command),
        source,
    })?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed {
        command: line(command),
        status,
    })
}

/// Runs `command` to its end and returns what it printed on standard output.
///
/// Bytes that are not UTF-8 are replaced. Standard error goes through.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| Error::Start {
            command: line(command),
            source,
        })?;
    if !output.status.success() {
        return Err(Error::Failed {
            command: line(command),
            status: output.status,
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first program of that name on the search path; `None` when there is none.
pub fn find(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
}

/// The command as the user would type it, without its environment.
pub fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| {
            let word = word.to_string_lossy();
            if word.is_empty() || word.contains(char::is_whitespace) {
                format!("'{word}'")
            } else {
                word.into_owned()
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_quotes_words_with_spaces() {
        let mut command = Command::new("memlens");
        command.args(["search", "where is it", "", "--explain"]);
        assert_eq!(line(&command), "memlens search 'where is it' '' --explain");
    }

    #[test]
    fn a_program_that_is_not_there_is_none() {
        assert_eq!(find("no-such-program-anywhere"), None);
    }
}
