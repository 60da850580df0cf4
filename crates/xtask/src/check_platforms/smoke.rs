//! The smoke test: the same commands of `memlens` on this machine and under wine must print the same.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::make_folder;
use super::wine::{Wine, captured};
use crate::error::{Error, Result};
use crate::project::Project;
use crate::run::sample;

/// Notes of subfolders with judged questions; every figure of the evaluation must be that of this machine.
const QUERIES: &str = "queries.jsonl";
const QUESTION: &str = "five rungs of the evidence ladder";
/// The note that answers it, and its name after a rename of case.
const NOTE: &str = "protocols/evidence-ladder.md";
const RENAMED: &str = "protocols/Evidence-Ladder.md";
/// Commands that read the library and print the same on both systems.
const READING: [&[&str]; 5] = [
    &["search", QUESTION, "--as", "openclaw@2026.7"],
    &[
        "compare",
        "openclaw@2026.7",
        "default",
        "--queries",
        "notes/queries.jsonl",
    ],
    &["note", "notes/protocols/evidence-ladder.md"],
    &["evergreen"],
    &["params"],
];
/// What an agent writes to `memlens serve`.
const CALLS: [&str; 4] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"check","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"five rungs of the evidence ladder"}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_get","arguments":{"path":"protocols/evidence-ladder.md"}}}"#,
];
/// Time for the watcher to start, and to report a rename.
const PATIENCE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(200);

/// A system on which the program runs, in a folder of its own with notes and library.
struct Side<'a> {
    folder: PathBuf,
    memlens: Start<'a>,
}

/// Starts the program in a folder with arguments.
type Start<'a> = Box<dyn Fn(&Path, &[&str]) -> Command + 'a>;

/// What is compared.
struct Smoke<'a> {
    linux: Side<'a>,
    windows: Side<'a>,
    n_different: usize,
}

/// Runs every command on both systems in new folders of `dir`, prints each result, and fails if one differs.
pub fn test(project: &Project, dir: &Path, wine: &Wine) -> Result<()> {
    let program = project.program("memlens");
    let native = move |current: &Path, arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.current_dir(current).args(arguments);
        command
    };
    let mut smoke = Smoke {
        linux: Side::new(project, &dir.join("linux"), Box::new(native))?,
        windows: Side::new(
            project,
            &dir.join("windows"),
            Box::new(|current, arguments| wine.memlens(current, arguments)),
        )?,
        n_different: 0,
    };
    smoke.index_and_search()?;
    smoke.read()?;
    smoke.serve()?;
    smoke.measure()?;
    smoke.export()?;
    smoke.rename()?;
    smoke.erase()?;
    match smoke.n_different {
        0 => Ok(()),
        n => Err(Error::Smoke(n)),
    }
}

impl<'a> Side<'a> {
    fn new(project: &Project, folder: &Path, memlens: Start<'a>) -> Result<Side<'a>> {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|source| write_error(folder, source))?;
        }
        let notes = folder.join("notes");
        make_folder(&notes)?;
        sample::copy_to(project, &notes)?;
        let (from, to) = (project.root.join(sample::FIXTURE), notes);
        fs::copy(from.join(QUERIES), to.join(QUERIES))
            .map_err(|source| write_error(&to, source))?;
        Ok(Side {
            folder: folder.to_owned(),
            memlens,
        })
    }

    /// Standard output of a command in this side's library.
    fn output(&self, arguments: &[&str]) -> Result<String> {
        captured(&mut self.command(arguments))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut line = vec!["--library", "library"];
        line.extend(arguments);
        (self.memlens)(&self.folder, &line)
    }

    /// What the server for agents answers. It drops what it has not answered once its input ends, so each answer is awaited.
    fn answers(&self) -> Result<String> {
        let mut command = self.command(&["serve", "--mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let line = crate::command::line(&command);
        let start_error = |source| Error::Start {
            command: line.clone(),
            source,
        };
        let mut server = command.stderr(Stdio::null()).spawn().map_err(start_error)?;
        let (Some(mut calls), Some(answers)) = (server.stdin.take(), server.stdout.take()) else {
            return Err(start_error(ErrorKind::BrokenPipe.into()));
        };
        let mut answers = BufReader::new(answers).lines();
        let mut found = Vec::new();
        for call in CALLS {
            writeln!(calls, "{call}").map_err(start_error)?;
            if call.contains("\"id\"") {
                found.extend(answers.next().transpose().map_err(start_error)?);
            }
        }
        drop(calls);
        server.wait().map_err(start_error)?;
        Ok(found.join("\n"))
    }

    fn read(&self, name: &str) -> Result<String> {
        let path = self.folder.join(name);
        fs::read_to_string(&path).map_err(|source| Error::Read { path, source })
    }

    fn rename_note(&self) -> Result<()> {
        let notes = self.folder.join("notes");
        fs::rename(notes.join(NOTE), notes.join(RENAMED))
            .map_err(|source| write_error(&notes, source))
    }
}

impl Smoke<'_> {
    fn index_and_search(&mut self) -> Result<()> {
        let index = self.outputs(&["index", "notes"], &["index", "notes"])?;
        self.compare("index", &index.map(|text| without_time(&text)));
        self.search("search")?;
        let status = self.windows.output(&["status"])?;
        self.check(
            "status names the folder plainly",
            !status.contains(r"\\?\"),
            &status,
        );
        let other_case = format!(r"notes\{}", RENAMED.replace('/', r"\"));
        let why = self.outputs(
            &["why", QUESTION, &format!("notes/{NOTE}")],
            &["why", QUESTION, &other_case],
        )?;
        self.compare("why, for a note in another case", &why);
        Ok(())
    }

    /// Compares every row with its scores in all stages, and returns those of Windows.
    fn search(&mut self, what: &str) -> Result<String> {
        let line = ["search", QUESTION, "--json"];
        let answers = self.outputs(&line, &line)?;
        let [linux, windows] = answers.map(|answer| rows(&answer));
        let rows = [linux?, windows?];
        self.compare(what, &rows);
        let [_, windows] = rows;
        Ok(windows.to_string())
    }

    fn read(&mut self) -> Result<()> {
        for arguments in READING {
            let answers = self.outputs(arguments, arguments)?;
            self.compare(&arguments.join(" "), &answers);
        }
        Ok(())
    }

    fn serve(&mut self) -> Result<()> {
        let answers = [self.linux.answers()?, self.windows.answers()?];
        self.compare("serve --mcp", &answers);
        Ok(())
    }

    fn measure(&mut self) -> Result<()> {
        let eval = self.outputs(
            &["eval", &format!("notes/{QUERIES}"), "--json"],
            &["eval", &format!(r"notes\{QUERIES}"), "--json"],
        )?;
        let eval = json(eval, &["queries"])?;
        let figure = eval[1].pointer("/all/ndcg@10").cloned();
        let figure = figure.unwrap_or_default();
        self.compare(&format!("eval, with nDCG@10 {figure}"), &eval);
        let import = format!("notes/{QUERIES}");
        let import = self.outputs(
            &["queries", "import", &import],
            &["queries", "import", &import],
        )?;
        self.compare("queries import", &import);
        let export = ["queries", "export", "notes", "./exported.jsonl"];
        self.outputs(&export, &export)?;
        let exported = [self.linux.read(export[3])?, self.windows.read(export[3])?];
        self.compare("queries export", &exported);
        Ok(())
    }

    fn export(&mut self) -> Result<()> {
        let set = ["export", "--set", "min_score=0.2"];
        let export = self.outputs(&set, &set)?;
        self.compare("export", &json(export, &["createdAt"])?);
        let openclaw = ["export", "--target", "openclaw"];
        let export = self.outputs(&openclaw, &openclaw)?;
        self.compare("export for OpenClaw", &export);
        Ok(())
    }

    /// A watched note is renamed by case only; then each system must find it once, by its new name.
    fn rename(&mut self) -> Result<()> {
        for side in [&self.linux, &self.windows] {
            let log = side.folder.join("watch.txt");
            let mut watcher = Watcher::start(side, &log)?;
            watcher.wait_for("notes")?;
            side.rename_note()?;
            watcher.wait_for(RENAMED)?;
        }
        let found = self.search("search after a rename of case")?;
        let has_old = found.contains(NOTE);
        self.check(
            "a rename of case leaves nothing of the old name",
            !has_old,
            &found,
        );
        Ok(())
    }

    fn erase(&mut self) -> Result<()> {
        for side in [&self.linux, &self.windows] {
            side.output(&["erase", "--yes"])?;
        }
        let left = self.outputs(&["status"], &["status"])?;
        let holds = left.map(|text| line_with(&text, "holds"));
        self.compare("status after erase", &holds);
        let is_kept = self.windows.folder.join("notes").join(RENAMED).is_file();
        self.check("erase leaves the notes", is_kept, "");
        Ok(())
    }

    /// Outputs on Linux and on Windows.
    fn outputs(&self, linux: &[&str], windows: &[&str]) -> Result<[String; 2]> {
        Ok([self.linux.output(linux)?, self.windows.output(windows)?])
    }

    fn compare<T: PartialEq + Display>(&mut self, what: &str, [linux, windows]: &[T; 2]) {
        let shown = format!("--- Linux\n{linux:#}\n--- Windows\n{windows:#}");
        self.check(what, linux == windows, &shown);
    }

    fn check(&mut self, what: &str, is_right: bool, shown: &str) {
        if is_right {
            println!("wine: {what}: right");
        } else {
            self.n_different += 1;
            println!("wine: {what}: WRONG\n{shown}");
        }
    }
}

/// `memlens watch` in the background; it ends with this value.
struct Watcher {
    child: Child,
    log: PathBuf,
}

impl Watcher {
    fn start(side: &Side, log: &Path) -> Result<Watcher> {
        let out = File::create(log).map_err(|source| write_error(log, source))?;
        let both = out.try_clone().map_err(|source| write_error(log, source))?;
        let mut command = side.command(&["watch"]);
        command.stdin(Stdio::null()).stdout(out).stderr(both);
        let line = crate::command::line(&command);
        let child = command.spawn().map_err(|source| Error::Start {
            command: line,
            source,
        })?;
        Ok(Watcher {
            child,
            log: log.to_owned(),
        })
    }

    /// Waits until the log contains a text.
    fn wait_for(&mut self, text: &str) -> Result<()> {
        let start = Instant::now();
        loop {
            let log = fs::read(&self.log).map_err(|source| Error::Read {
                path: self.log.clone(),
                source,
            })?;
            let log = String::from_utf8_lossy(&log);
            if log.contains(text) {
                return Ok(());
            }
            let has_ended = self.child.try_wait().is_ok_and(|status| status.is_some());
            if has_ended || start.elapsed() > PATIENCE {
                return Err(Error::Answer {
                    program: "memlens watch".to_owned(),
                    cause: format!("it did not report {text}:\n{log}"),
                });
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The line of `memlens index` without the seconds at its end.
fn without_time(text: &str) -> String {
    let text = text.trim_end();
    text.rsplit_once("; ")
        .map_or(text, |(rest, _)| rest)
        .to_owned()
}

/// The line that begins with a word; empty if there is none.
fn line_with(text: &str, word: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(word));
    line.unwrap_or_default().to_owned()
}

/// Both answers as JSON without the keys that name a path or a time.
fn json(answers: [String; 2], left_out: &[&str]) -> Result<[Value; 2]> {
    let [linux, windows] = answers.map(|answer| without(&answer, left_out));
    Ok([linux?, windows?])
}

fn without(answer: &str, left_out: &[&str]) -> Result<Value> {
    let mut value: Value = serde_json::from_str(answer).map_err(|error| Error::Answer {
        program: "memlens".to_owned(),
        cause: error.to_string(),
    })?;
    if let Some(object) = value.as_object_mut() {
        object.retain(|key, _| !left_out.contains(&key.as_str()));
    }
    Ok(value)
}

/// The rows of a search, without what depends on the folder and on the time that looking at the disk took.
fn rows(answer: &str) -> Result<Value> {
    let mut rows = without(answer, &[])?["results"].take();
    for row in rows.as_array_mut().into_iter().flatten() {
        if let Some(row) = row.as_object_mut() {
            row.retain(|key, _| !["folder", "on_disk"].contains(&key.as_str()));
        }
    }
    Ok(rows)
}

fn write_error(path: &Path, source: std::io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_is_left_out() {
        let line = "11 new; 204 texts embedded; 11 files and 47 chunks in total; 36.2 s\n";
        assert_eq!(
            without_time(line),
            "11 new; 204 texts embedded; 11 files and 47 chunks in total"
        );
        let status = "library  /l\nholds    0 files\n";
        assert_eq!(line_with(status, "holds"), "holds    0 files");
        assert_eq!(line_with(status, "folder"), "");
        let figures = |queries: &str, ndcg: f64| {
            format!(r#"{{"queries": "{queries}", "all": {{"ndcg@10": {ndcg}}}}}"#)
        };
        let [one, same] = json([figures("a/b", 0.5), figures("a-b", 0.5)], &["queries"]).unwrap();
        assert_eq!(one, same);
        let last_digit = figures("a/b", 0.5 + f64::EPSILON);
        let [one, other] = json([figures("a/b", 0.5), last_digit], &["queries"]).unwrap();
        assert_ne!(one, other);
        let found = |folder: &str, score: f64| {
            let row = format!(r#"{{"folder": "{folder}", "on_disk": null, "score": {score}}}"#);
            rows(&format!(r#"{{"results": [{row}]}}"#)).unwrap()
        };
        assert_eq!(found("/a", 0.5), found("Z:/a", 0.5));
        assert_ne!(found("/a", 0.5), found("/a", 0.25));
        assert!(json(["".to_owned(), "{}".to_owned()], &[]).is_err());
    }

    #[test]
    fn a_watcher_that_ends_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let side = Side {
            folder: folder.path().to_owned(),
            memlens: Box::new(|_, _| Command::new("true")),
        };
        let mut watcher = Watcher::start(&side, &folder.path().join("log")).unwrap();
        let error = watcher.wait_for("renamed").unwrap_err().to_string();
        assert!(error.contains("did not report renamed"), "{error}");
    }
}
