//! Files that are written from Rust: what the parameter table prints, and the window's types.
//!
//! `cargo xtask test` checks the first here, before anything large is built, and the second by a test of the window's program.

use std::fs;
use std::path::Path;
use std::process::Command;

use memlens_params::print;

use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;

/// One file of the parameter table.
struct Generated {
    path: &'static str,
    text: fn() -> String,
}

const FILES: &[Generated] = &[
    Generated {
        path: "ui/src/api/parameters.ts",
        text: print::typescript,
    },
    Generated {
        path: "crates/memlens-params/parameters.schema.json",
        text: print::json_schema,
    },
    Generated {
        path: "crates/memlens-params/PARAMETERS.md",
        text: print::markdown,
    },
];

/// The window's commands, events and types; only the window's own program knows them.
const BINDINGS: &str = "ui/src/api/bindings.ts";

/// Writes every generated file, those of the window's program included, which is built for it.
pub fn write_all(project: &Project) -> Result<()> {
    write(project)?;
    let bindings = project.root.join(BINDINGS);
    bindings_command(project, &bindings)
}

/// Fails naming every generated file that is out of date.
pub fn check_all(project: &Project) -> Result<()> {
    check(project)?;
    let fresh = project.root.join("target/bindings.ts");
    bindings_command(project, &fresh)?;
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|source| Error::Read {
            path: path.to_owned(),
            source,
        })
    };
    if read(&fresh)? == read(&project.root.join(BINDINGS))? {
        Ok(())
    } else {
        Err(Error::Stale(BINDINGS.to_owned()))
    }
}

fn bindings_command(project: &Project, to: &Path) -> Result<()> {
    // Both programs together: alone, the window's program would build its libraries again with fewer features.
    let mut cargo = command::cargo(project);
    cargo.args([
        "build",
        "--package",
        "memlens-app",
        "--package",
        "memlens-cli",
    ]);
    command::run(&mut cargo)?;
    let mut app = Command::new(project.program("memlens-app"));
    command::run(app.arg("--bindings").arg(to))
}

/// Writes the files of the parameter table that differ from what it gives now, and names them.
pub fn write(project: &Project) -> Result<()> {
    for (path, text) in outdated(project) {
        write_file(&project.root.join(path), &text)?;
        eprintln!("Wrote {path}");
    }
    Ok(())
}

/// Fails naming the generated files that are out of date.
pub fn check(project: &Project) -> Result<()> {
    let paths: Vec<&str> = outdated(project).map(|(path, _)| path).collect();
    if paths.is_empty() {
        return Ok(());
    }
    Err(Error::Stale(paths.join(", ")))
}

/// Path and new text of each file that is missing or differs.
fn outdated(project: &Project) -> impl Iterator<Item = (&'static str, String)> {
    FILES
        .iter()
        .map(|Generated { path, text }| (*path, text()))
        .filter(|(path, text)| {
            let old = fs::read_to_string(project.root.join(path));
            !old.is_ok_and(|old| old == *text)
        })
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    let write_error = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(write_error)?;
    }
    fs::write(path, text).map_err(write_error)
}

#[cfg(test)]
mod tests {
    //! A check fails before a write and holds after it; an edit by hand is found.

    use super::*;

    #[test]
    fn what_was_written_is_current_until_it_is_edited() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project {
            root: folder.path().to_owned(),
            programs: folder.path().to_owned(),
        };
        let error = check(&project).unwrap_err().to_string();
        assert!(error.contains("parameters.ts"), "{error}");
        write(&project).unwrap();
        check(&project).unwrap();

        let edited = project.root.join("crates/memlens-params/PARAMETERS.md");
        fs::write(&edited, "by hand").unwrap();
        let error = check(&project).unwrap_err().to_string();
        assert!(error.contains("PARAMETERS.md"), "{error}");
        assert!(!error.contains("parameters.ts"), "{error}");
    }
}
