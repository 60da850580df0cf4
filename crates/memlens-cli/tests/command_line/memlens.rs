//! Running the program on a scratch library.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use memlens_tests::Notes;
use serde_json::Value;
use tempfile::TempDir;

/// A scratch library and the program that works on it.
pub struct Memlens {
    library: TempDir,
}

/// The outcome of a run of the program.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Memlens {
    /// Makes an empty scratch folder for a library.
    pub fn new() -> Memlens {
        Memlens {
            library: tempfile::tempdir().expect("a scratch folder can be made"),
        }
    }

    /// Makes a library and indexes these notes.
    pub fn of(notes: &[&Notes]) -> Memlens {
        let memlens = Memlens::new();
        let paths: Vec<&str> = notes.iter().map(|notes| text(notes.path())).collect();
        let run = memlens.run(&[&["index"], &paths[..]].concat());
        assert_eq!(run.status, 0, "{run:?}");
        memlens
    }

    pub fn library(&self) -> &Path {
        self.library.path()
    }

    /// Returns the program with its arguments, on this library, with its output piped.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memlens"));
        command
            .arg("--library")
            .arg(self.library())
            .args(arguments)
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).output().expect("it can be started");
        let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
        Run {
            status: output.status.code().expect("it ends by itself"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Runs the program and returns what it prints. Panics unless it succeeds and prints nothing on standard error.
    pub fn print(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(
            (run.status, run.err.as_str()),
            (0, ""),
            "{arguments:?}: {run:?}"
        );
        run.out
    }

    /// Runs the program and returns the JSON that it prints.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let out = self.print(arguments);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {out}"))
    }

    /// Runs the program and checks that it fails with this exit status, with this message and nothing else on standard
    /// error.
    pub fn refused(&self, arguments: &[&str], status: i32, message: &str) {
        let run = self.run(arguments);
        assert_eq!(
            (run.status, run.out.as_str()),
            (status, ""),
            "{arguments:?}: {run:?}"
        );
        assert_eq!(run.err, format!("memlens: {message}\n"), "{arguments:?}");
    }
}

/// Returns a path as text; scratch paths are always UTF-8.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("scratch paths are text")
}

/// Returns the items of a JSON array.
pub fn list(value: &Value) -> &Vec<Value> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("{value} is no list"))
}

/// Returns the paths of the rows of a search.
pub fn paths(rows: &Value) -> Vec<&str> {
    list(rows)
        .iter()
        .map(|row| row["path"].as_str().expect("a path is text"))
        .collect()
}

/// Runs the program with a home folder and nothing else in its environment.
pub struct AtHome<'a> {
    /// The library and the program.
    pub memlens: &'a Memlens,
    pub home: &'a Notes,
}

impl AtHome<'_> {
    /// Returns the program with its arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.memlens.command(arguments);
        command.env("HOME", self.home.path());
        for name in [
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "HERMES_HOME",
            "BASIC_MEMORY_CONFIG_DIR",
            "OPENCLAW_CONFIG_PATH",
            "OPENCLAW_PROFILE",
            "OPENCLAW_STATE_DIR",
            "OPENVIKING_CONFIG_FILE",
            "XDG_CONFIG_HOME",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// Runs the program to its end. Returns its status, standard output and standard error.
    pub fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).output().expect("it can be started");
        let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// Runs the program and returns the JSON that it prints. Panics unless it succeeds and prints nothing on standard
    /// error.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let (status, out, err) = self.run(arguments);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{arguments:?}");
        serde_json::from_str(&out).expect("it prints JSON")
    }
}

/// Returns the date `n` days before the start of the tests, in UTC, as in "2026-11-20". Logs with fixed dates would one
/// day be too old to be read.
pub fn days_ago(n: u8) -> String {
    static NOW: LazyLock<Timestamp> = LazyLock::new(Timestamp::now);
    (*NOW - SignedDuration::from_hours(24 * i64::from(n)))
        .strftime("%Y-%m-%d")
        .to_string()
}
