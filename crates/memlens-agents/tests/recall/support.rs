//! A made-up home with logs, and a keeper that keeps in memory.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use memlens_agents::{
    Batch, Home, Keeper, Log, LogRead, PastKind, PastQuestion, Used, logs, read_log,
};

use rusqlite::Connection;

/// A temporary home folder with files.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Scratch {
        Scratch(tempfile::tempdir().expect("a scratch folder can be made"))
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it can be made");
        fs::write(&path, bytes).expect("it can be written");
        path
    }

    /// A database that is made by these statements.
    pub fn database(&self, name: &str, statements: &str) -> Connection {
        let path = self.write(name, "");
        let database = Connection::open(path).expect("it can be opened");
        database
            .execute_batch(statements)
            .expect("the statements can be run");
        database
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn home(&self) -> Home {
        Home::new(self.path())
    }

    /// The only log that is there.
    pub fn log(&self) -> Log {
        let [log] = <[Log; 1]>::try_from(logs(&self.home())).expect("there is one log");
        log
    }

    /// The only log, read whole.
    pub fn notebook(&self) -> Notebook {
        let mut notebook = Notebook::default();
        notebook.read(&self.log(), &self.home());
        notebook
    }
}

pub fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recall");
    fs::read_to_string(folder.join(name)).expect("the fixture is there")
}

/// Folder in which databases are copied.
pub fn copies() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("copies")
}

/// Keeps questions in the order in which they came, as a library does.
#[derive(Default)]
pub struct Notebook {
    pub questions: Vec<PastQuestion>,
    pub cursor: Option<String>,
    pub n_bytes: u64,
    pub n_batches: usize,
}

impl Notebook {
    /// Reads what a log gained since the last reading.
    pub fn read(&mut self, log: &Log, home: &Home) -> LogRead {
        let from = self.cursor.clone();
        read_log(log, home, from.as_deref(), self).expect("the log can be read")
    }

    /// All searches in short: a line for each.
    pub fn searches_in_short(&self) -> String {
        self.searches().iter().map(line).collect()
    }

    pub fn searches(&self) -> Vec<PastQuestion> {
        let is_search = |it: &&PastQuestion| it.kind == PastKind::Search;
        self.questions.iter().filter(is_search).cloned().collect()
    }

    /// All openings in short: the places of each, one a line.
    pub fn openings(&self) -> Vec<String> {
        let openings = self.questions.iter();
        let openings = openings.filter(|it| it.kind == PastKind::Opening);
        openings.map(|it| used(&it.opened)).collect()
    }
}

fn lines(lines: Option<(u32, u32)>) -> String {
    lines.map_or(String::new(), |(first, last)| format!(":{first}-{last}"))
}

fn used(used: &[Used]) -> String {
    let used = used.iter().map(|it| {
        let part = if it.is_part { ":part" } else { "" };
        format!("{}{}{part}", it.path, lines(it.lines))
    });
    used.collect::<Vec<_>>().join(" ")
}

/// A question in short: words, settings, what was returned, opened and cited.
pub fn line(question: &PastQuestion) -> String {
    let returned = question.returned.as_ref().map(|returned| {
        let returned = returned.iter().map(|it| {
            let score = it.score.map_or(String::new(), |score| format!("={score}"));
            let name = if it.is_name_only { ":name" } else { "" };
            format!("{}{}{score}{name}", it.path, lines(it.lines))
        });
        returned.collect::<Vec<_>>().join(" ")
    });
    let settings: String = question
        .settings
        .iter()
        .map(|(name, value)| format!(" {name}={value}"))
        .collect();
    format!(
        "{}{settings} -> {} | opened {} | cited {}\n",
        question.question,
        match returned.as_deref() {
            None if question.has_failed => "failed",
            returned => returned.unwrap_or("?"),
        },
        used(&question.opened),
        used(&question.cited)
    )
}

impl Keeper for Notebook {
    fn known(&mut self, agent: &str, session: &str) -> Vec<PastQuestion> {
        let of_it = |it: &&PastQuestion| it.agent == agent && it.session == session;
        self.questions.iter().filter(of_it).cloned().collect()
    }

    fn keep(&mut self, batch: Batch) -> ControlFlow<()> {
        for question in batch.questions {
            let name = |it: &PastQuestion| (it.session.clone(), it.call.clone());
            let known = self
                .questions
                .iter_mut()
                .find(|it| name(it) == name(&question));
            match known {
                Some(known) => *known = question,
                None => self.questions.push(question),
            }
        }
        self.cursor = Some(batch.cursor);
        self.n_bytes = batch.n_bytes;
        self.n_batches += 1;
        ControlFlow::Continue(())
    }

    fn copies(&self) -> PathBuf {
        copies()
    }
}
