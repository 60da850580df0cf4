//! Scratch homes in which a project has settings of its own, from the configs that were recorded for the tests of `memlens-agents`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::homes::{Scratch, claude_slug, unreadable};
use super::programs::{Program, read, write};
use crate::error::Result;
use crate::project::Project;

/// What is recorded of one home.
#[derive(Deserialize)]
struct Recorded {
    case: String,
    /// Texts by path below the home. A line `MK_…` identifies the file in an agent's request.
    files: BTreeMap<String, String>,
    /// The folder of the session, below the home.
    cwd: String,
    git: Vec<String>,
    env: BTreeMap<String, String>,
    /// Whether the program does not start with these settings.
    #[serde(default)]
    refused: bool,
}

impl Recorded {
    /// Whether a project has settings, and the program starts with nothing else set.
    fn is_asked(&self) -> bool {
        let is_setting = |path: &String| {
            let names = ["/.claude/settings", "/.codex/config", "/.gemini/settings"];
            path.starts_with("project/") && names.iter().any(|name| path.contains(name))
        };
        !self.refused && self.env.is_empty() && self.files.keys().any(is_setting)
    }
}

/// The homes in which a program is asked.
pub fn of(program: Program, project: &Project, folder: &Path, url: &str) -> Result<Vec<Scratch>> {
    let file = match program {
        Program::ClaudeCode => "claude-code-2.1.332/settings.jsonl",
        Program::Codex => "codex-0.169.0/config.jsonl",
        Program::GeminiCli => "gemini-cli-0.61.0/context.jsonl",
        Program::OpenClaw | Program::Hermes => return Ok(Vec::new()),
    };
    let path = project
        .root
        .join("crates/memlens-agents/tests/fixtures/loads")
        .join(file);
    let rows = fs::read_to_string(&path).map_err(|source| read(&path, source))?;
    let mut all = Vec::new();
    for row in rows.lines() {
        let recorded: Recorded =
            serde_json::from_str(row).map_err(|error| unreadable(file, error))?;
        if recorded.is_asked() {
            all.push(home(program, &recorded, folder, url)?);
        }
    }
    Ok(all)
}

fn home(program: Program, recorded: &Recorded, folder: &Path, url: &str) -> Result<Scratch> {
    let name = format!(
        "{}-{}",
        program.id(),
        recorded.case.replace([' ', ','], "-")
    );
    let mut one = Scratch::new(folder, &name, program)?;
    let slug = claude_slug(&one)?;
    let place = fs::canonicalize(&one.home).map_err(|source| write(&one.home, source))?;
    let place = place.to_string_lossy().into_owned();
    let filled = |text: &str| {
        text.replace("{HOME}", &place)
            .replace("{SLUG}", &slug)
            .replace("{URL}", url)
    };
    for repository in &recorded.git {
        one.git(&one.home.join(repository))?;
    }
    for (path, text) in &recorded.files {
        let (path, text) = (filled(path), filled(text));
        let number = one.planted.len();
        let marked = marked(&text, number);
        if marked.is_some() {
            one.planted.push(one.home.join(&path));
        }
        one.put(&path, marked.as_deref().unwrap_or(&text))?;
    }
    one.cwd = one.home.join(&recorded.cwd);
    fs::create_dir_all(&one.cwd).map_err(|source| write(&one.cwd, source))?;
    Ok(one)
}

/// The text with a marker for each line `MK_…`; `None` if it has no such line.
fn marked(text: &str, number: usize) -> Option<String> {
    text.contains("MK_").then(|| {
        let lines = text.lines().enumerate();
        lines
            .map(|(line, text)| match text.starts_with("MK_") {
                true => format!("mk{number:03}x{:05}e\n", line + 1),
                false => format!("{text}\n"),
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_agents::homes::markers;

    #[test]
    fn every_line_that_was_recorded_has_a_marker() {
        let text = marked("MK_one\nother\nMK_two\n", 7).expect("it has lines");
        assert_eq!(text, "mk007x00001e\nother\nmk007x00003e\n");
        assert_eq!(
            markers(&text).into_iter().collect::<Vec<_>>(),
            [(7, 1), (7, 3)]
        );
        assert_eq!(marked("{}", 1), None);
    }
}
