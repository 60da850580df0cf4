//! Scratch homes with border cases. Every planted line contains its own marker, so that the request shows which lines
//! an agent was given.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::programs::{Program, write};
use crate::command;
use crate::error::{Error, Result};

/// A home in which an agent is asked.
pub struct Scratch {
    pub name: String,
    pub program: Program,
    pub home: PathBuf,
    /// The folder of the session.
    pub cwd: PathBuf,
    /// The files with markers, by their number.
    pub planted: Vec<PathBuf>,
}

/// How a line of a planted file ends.
#[derive(Clone, Copy)]
enum Filler {
    Plain,
    Umlauts,
    /// Characters of four bytes and two UTF-16 units.
    Emoji,
}

impl Scratch {
    pub fn new(folder: &Path, name: &str, program: Program) -> Result<Scratch> {
        let home = folder.join(name);
        if home.exists() {
            fs::remove_dir_all(&home).map_err(|source| write(&home, source))?;
        }
        let cwd = home.join("project");
        fs::create_dir_all(&cwd).map_err(|source| write(&cwd, source))?;
        Ok(Scratch {
            name: name.to_owned(),
            program,
            home,
            cwd,
            planted: Vec::new(),
        })
    }

    pub fn put(&self, path: &str, text: &str) -> Result<()> {
        let path = self.home.join(path);
        let parent = path.parent().expect("it is below the home");
        fs::create_dir_all(parent).map_err(|source| write(parent, source))?;
        fs::write(&path, text).map_err(|source| write(&path, source))
    }

    /// Writes a file of `n_lines` lines, each with a marker, between two texts.
    fn plant(
        &mut self,
        path: &str,
        before: &str,
        n_lines: usize,
        filler: Filler,
        after: &str,
    ) -> Result<()> {
        let number = self.planted.len();
        let end = match filler {
            Filler::Plain => "a line of a note",
            Filler::Umlauts => "öäüß öäüß",
            Filler::Emoji => "😀🎉😀🎉",
        };
        let lines: String = (1..=n_lines)
            .map(|line| format!("- mk{number:03}x{line:05}e {end}\n"))
            .collect();
        self.planted.push(self.home.join(path));
        self.put(path, &format!("{before}{lines}{after}"))
    }

    pub fn git(&self, folder: &Path) -> Result<()> {
        command::run(Command::new("git").args(["init", "-q"]).arg(folder))
    }
}

/// The homes in which a program is asked.
pub fn of(program: Program, folder: &Path, url: &str) -> Result<Vec<Scratch>> {
    match program {
        Program::ClaudeCode => claude_code(folder),
        Program::Codex => codex(folder, url),
        Program::GeminiCli => gemini_cli(folder),
        Program::OpenClaw => openclaw(folder, url),
        Program::Hermes => hermes(folder),
    }
}

/// The name of a folder that Claude Code gives to the project in `cwd`.
pub fn claude_slug(scratch: &Scratch) -> Result<String> {
    let cwd = fs::canonicalize(&scratch.cwd).map_err(|source| write(&scratch.cwd, source))?;
    let is_kept = |sign: char| sign.is_ascii_alphanumeric();
    let name = cwd.to_string_lossy();
    Ok(name
        .chars()
        .map(|sign| if is_kept(sign) { sign } else { '-' })
        .collect())
}

/// Where Claude Code keeps the memory of a project.
fn claude_memory(scratch: &Scratch) -> Result<String> {
    Ok(format!(
        ".claude/projects/{}/memory/MEMORY.md",
        claude_slug(scratch)?
    ))
}

fn claude_code(folder: &Path) -> Result<Vec<Scratch>> {
    use Filler::{Emoji, Plain};
    let program = Program::ClaudeCode;
    let mut all = Vec::new();

    let mut one = Scratch::new(folder, "claude-code-instructions", program)?;
    one.git(&one.cwd)?;
    one.plant(".claude/CLAUDE.md", "@more.md\n", 3, Plain, "")?;
    one.plant(".claude/more.md", "", 3, Plain, "`@code.md`\n")?;
    one.plant(".claude/code.md", "", 2, Plain, "")?;
    one.plant(".claude/rules/one.md", "", 2, Plain, "")?;
    let paths = "---\npaths: [\"src/**\"]\n---\n";
    one.plant("project/CLAUDE.md", "", 400, Plain, "")?;
    one.plant("project/CLAUDE.local.md", "", 2, Plain, "")?;
    one.plant("project/.claude/CLAUDE.md", "", 2, Plain, "")?;
    one.plant("project/.claude/rules/any.md", "", 2, Plain, "")?;
    one.plant("project/.claude/rules/src.md", paths, 2, Plain, "")?;
    one.plant("project/AGENTS.md", "", 2, Plain, "")?;
    one.plant("project/sub/CLAUDE.md", "", 2, Plain, "")?;
    let memory = claude_memory(&one)?;
    let head = "---\nname: x\n---\n<!-- a block\ncomment -->\n\n";
    one.plant(&memory, head, 230, Plain, "")?;
    let topic = memory.replace("MEMORY.md", "topic.md");
    one.plant(&topic, "", 2, Plain, "")?;
    all.push(one);

    let mut one = Scratch::new(folder, "claude-code-long-lines", program)?;
    one.git(&one.cwd)?;
    let long = format!("mk-long {}\n", "😀".repeat(1000));
    one.plant(&claude_memory(&one)?, &long.repeat(12), 150, Emoji, "")?;
    all.push(one);

    let mut one = Scratch::new(folder, "claude-code-memory-off", program)?;
    one.git(&one.cwd)?;
    one.put(".claude/settings.json", "{\"autoMemoryEnabled\": false}")?;
    one.plant(&claude_memory(&one)?, "", 5, Plain, "")?;
    one.plant("project/CLAUDE.md", "", 2, Plain, "")?;
    all.push(one);
    Ok(all)
}

fn codex(folder: &Path, url: &str) -> Result<Vec<Scratch>> {
    use Filler::{Plain, Umlauts};
    let config = format!(
        "model = \"fake\"\nmodel_provider = \"fake\"\n\n[model_providers.fake]\nname = \"fake\"\n\
         base_url = \"{url}/v1\"\nwire_api = \"responses\"\n\n[features]\nmemories = true\n\
         enable_request_compression = false\n"
    );
    let mut all = Vec::new();

    let mut one = Scratch::new(folder, "codex-chain", Program::Codex)?;
    one.put(".codex/config.toml", &config)?;
    one.git(&one.cwd)?;
    one.plant(".codex/AGENTS.md", "", 1200, Plain, "")?;
    one.plant("project/AGENTS.md", "", 500, Plain, "")?;
    one.plant("project/sub/AGENTS.md", "", 5, Plain, "")?;
    one.plant("project/sub/AGENTS.override.md", "", 500, Plain, "")?;
    one.plant("project/sub/deep/AGENTS.md", "", 500, Plain, "")?;
    one.plant(".codex/memories/memory_summary.md", "", 400, Umlauts, "")?;
    one.plant(".codex/memories/MEMORY.md", "", 3, Plain, "")?;
    one.cwd = one.cwd.join("sub/deep");
    all.push(one);

    let mut one = Scratch::new(folder, "codex-no-summary", Program::Codex)?;
    one.put(".codex/config.toml", &config)?;
    one.plant(".codex/memories/MEMORY.md", "", 3, Plain, "")?;
    all.push(one);
    Ok(all)
}

fn gemini_cli(folder: &Path) -> Result<Vec<Scratch>> {
    use Filler::Plain;
    let mut one = Scratch::new(folder, "gemini-cli", Program::GeminiCli)?;
    one.git(&one.cwd)?;
    let auth = "{\"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}}}";
    one.put(".gemini/settings.json", auth)?;
    one.plant(".gemini/GEMINI.md", "", 3, Plain, "@./own.md\n")?;
    one.plant(".gemini/own.md", "", 2, Plain, "")?;
    one.plant("project/GEMINI.md", "", 600, Plain, "@./more.md\n")?;
    one.plant("project/more.md", "", 2, Plain, "")?;
    one.plant("project/AGENTS.md", "", 2, Plain, "")?;
    one.plant("GEMINI.md", "", 2, Plain, "")?;
    one.plant(".gemini/tmp/project/memory/MEMORY.md", "", 300, Plain, "")?;
    one.plant(".gemini/tmp/project/memory/topic.md", "", 2, Plain, "")?;
    one.plant(".gemini/memory/MEMORY.md", "", 2, Plain, "")?;
    Ok(vec![one])
}

fn openclaw(folder: &Path, url: &str) -> Result<Vec<Scratch>> {
    use Filler::{Emoji, Plain};
    let config = |limits: serde_json::Value| {
        let mut defaults = json!({"model": {"primary": "fake/fake"}});
        if let (Some(defaults), serde_json::Value::Object(limits)) =
            (defaults.as_object_mut(), limits)
        {
            defaults.extend(limits);
        }
        let model = json!({
            "id": "fake", "name": "fake", "contextWindow": 200_000, "maxTokens": 4000,
            "reasoning": false, "input": ["text"],
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        });
        let provider = json!({
            "baseUrl": format!("{url}/v1"), "apiKey": "none", "api": "openai-completions",
            "models": [model],
        });
        json!({
            "models": {"providers": {"fake": provider}},
            "agents": {"defaults": defaults},
            "memory": {"search": {"provider": "none"}},
        })
        .to_string()
    };
    let mut all = Vec::new();
    for (name, limits, n_lines, filler) in [
        ("openclaw-defaults", json!({}), 900, Plain),
        (
            "openclaw-limits",
            json!({"bootstrapMaxChars": 1501, "bootstrapTotalMaxChars": 6000}),
            80,
            Emoji,
        ),
        (
            "openclaw-missing",
            json!({"skipBootstrap": true, "bootstrapTotalMaxChars": 700}),
            0,
            Plain,
        ),
    ] {
        let mut one = Scratch::new(folder, name, Program::OpenClaw)?;
        one.put(".openclaw/openclaw.json", &config(limits))?;
        let names: &[&str] = match n_lines {
            0 => &["MEMORY.md"],
            _ => &[
                "AGENTS.md",
                "SOUL.md",
                "IDENTITY.md",
                "USER.md",
                "MEMORY.md",
                "TOOLS.md",
                "HEARTBEAT.md",
                "memory/2026-01-01.md",
            ],
        };
        for file in names {
            let path = format!(".openclaw/workspace/{file}");
            one.plant(&path, "# Rules\n\n", n_lines.max(30), filler, "\n\n")?;
        }
        all.push(one);
    }
    Ok(all)
}

fn hermes(folder: &Path) -> Result<Vec<Scratch>> {
    let mut one = Scratch::new(folder, "hermes", Program::Hermes)?;
    for name in ["MEMORY.md", "USER.md"] {
        let path = format!(".hermes/memories/{name}");
        let number = one.planted.len();
        let entries: Vec<String> = (1..=120)
            .map(|entry| format!("mk{number:03}x{entry:05}e an entry of a memory"))
            .collect();
        one.put(&path, &entries.join("\n§\n"))?;
        one.planted.push(one.home.join(&path));
    }
    Ok(vec![one])
}

/// The markers in a text: the number of a planted file and a line of it.
pub fn markers(text: &str) -> std::collections::BTreeSet<(usize, usize)> {
    let marker = |from: usize| {
        let part = text.get(from..from + 12)?;
        let (file, line) = part
            .strip_prefix("mk")?
            .strip_suffix('e')?
            .split_once('x')?;
        Some((file.parse().ok()?, line.parse().ok()?))
    };
    text.match_indices("mk")
        .filter_map(|(at, _)| marker(at))
        .collect()
}

/// What went wrong with a scratch home.
pub fn unreadable(program: &str, cause: impl ToString) -> Error {
    Error::Answer {
        program: program.to_owned(),
        cause: cause.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::markers;

    #[test]
    fn markers_are_whole() {
        let found = markers("- mk001x00002e a\nmk001x00003 mk12e mk002x00010e😀mk00");
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [(1, 2), (2, 10)]);
    }
}
