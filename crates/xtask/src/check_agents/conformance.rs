//! MCP's own conformance scenarios against `memlens serve --http`.
//!
//! Most scenarios call tools, resources and prompts of MCP's test server, or need features that Memlens does not offer.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::programs::{read, write};
use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;

const PACKAGE: &str = "@modelcontextprotocol/conformance";
const VERSION: &str = "0.1.16";
/// The scenarios that need nothing of MCP's test server.
const SCENARIOS: [&str; 4] = [
    "server-initialize",
    "ping",
    "tools-list",
    "dns-rebinding-protection",
];
/// Last lines of a failed scenario that are shown, and the characters of each.
const SHOWN_LINES: usize = 12;
const SHOWN_CHARS: usize = 300;
/// Adds the token to each request.
const WITH_TOKEN: &str = include_str!("with_token.mjs");

/// A process that prints its address and then serves; it is killed on drop.
struct Serving {
    child: Child,
    url: String,
}

impl Serving {
    fn start(command: &mut Command) -> Result<Serving> {
        let failed = |source, command: &Command| Error::Start {
            command: command::line(command),
            source,
        };
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| failed(source, command))?;
        let mut line = String::new();
        if let Some(printed) = child.stdout.take() {
            let read = BufReader::new(printed).read_line(&mut line);
            read.map_err(|source| failed(source, command))?;
        }
        let url = line.find("http://").map(|at| line[at..].trim().to_owned());
        let serving = Serving {
            child,
            url: url.clone().unwrap_or_default(),
        };
        match url {
            Some(_) => Ok(serving),
            None => Err(Error::Answer {
                program: command::line(command),
                cause: "it printed no address".to_owned(),
            }),
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It has ended, or ends by this.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// The scenarios that fail, each with the end of what it prints.
pub fn differences(project: &Project, folder: &Path) -> Result<Vec<String>> {
    let scenarios = install(&folder.join("programs"))?;
    let mut cargo = command::cargo(project);
    command::run(cargo.args(["build", "--package", "memlens-cli"]))?;
    let memlens = project
        .programs
        .join(format!("memlens{}", std::env::consts::EXE_SUFFIX));
    let scratch = folder.join("homes/conformance");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(|source| write(&scratch, source))?;
    }
    let notes = scratch.join("notes");
    fs::create_dir_all(&notes).map_err(|source| write(&notes, source))?;
    let note = notes.join("router.md");
    fs::write(&note, "The router is in the hall.\n").map_err(|source| write(&note, source))?;
    let on_library = |arguments: &[&str]| {
        let mut command = Command::new(&memlens);
        command.args(arguments).arg("--library");
        command.arg(scratch.join("library"));
        command
    };
    command::output(on_library(&["index"]).arg(&notes))?;
    let server = Serving::start(&mut on_library(&["serve", "--http", "127.0.0.1:0"]))?;
    let token = command::output(&mut on_library(&["serve", "token"]))?;
    let script = scratch.join("with_token.mjs");
    fs::write(&script, WITH_TOKEN).map_err(|source| write(&script, source))?;
    let mut node = Command::new("node");
    let with_token = Serving::start(node.arg(&script).args([&server.url, token.trim()]))?;
    let mut found = Vec::new();
    for scenario in SCENARIOS {
        let output = Command::new("node")
            .arg(&scenarios)
            .args(["server", "--url", &with_token.url, "--scenario", scenario])
            .current_dir(&scratch)
            .output()
            .map_err(|source| read(&scenarios, source))?;
        if !output.status.success() {
            found.push(format!("{scenario} fails:\n{}", end_of(&output.stdout)));
        }
    }
    Ok(found)
}

/// Installs the package below `folder` if it is not there yet, and returns its program.
fn install(folder: &Path) -> Result<std::path::PathBuf> {
    let own = folder.join(format!("conformance-{VERSION}"));
    let program = own.join("node_modules").join(PACKAGE).join("dist/index.js");
    if !program.exists() {
        fs::create_dir_all(&own).map_err(|source| write(&own, source))?;
        println!("installing {PACKAGE} {VERSION}");
        let mut npm = command::npm(&own);
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"]);
        npm.arg("--prefix").arg(&own);
        command::run(npm.arg(format!("{PACKAGE}@{VERSION}")))?;
    }
    Ok(program)
}

/// The last lines of what a program printed, each cut: it prints whole requests.
fn end_of(printed: &[u8]) -> String {
    let text = String::from_utf8_lossy(printed);
    let lines: Vec<&str> = text.lines().collect();
    let shown = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    let cut = |line: &&str| line.chars().take(SHOWN_CHARS).collect::<String>();
    shown.iter().map(cut).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_what_a_scenario_prints_is_shown() {
        let printed = format!(
            "first\n{}",
            format!("{}\n", "x".repeat(1000)).repeat(SHOWN_LINES)
        );
        let shown = end_of(printed.as_bytes());
        assert_eq!(shown.lines().count(), SHOWN_LINES);
        assert!(shown.lines().all(|line| line.len() == SHOWN_CHARS));
    }
}
