//! numpy, faiss and SQLite's FTS5 on the same vectors, texts and questions, by turns with ours, so that a busy machine slows both
//! down. A process of Python runs them, where there is one; what it lacks is left out.

use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use memlens_engine::Library;
use memlens_index::{Join, TextHits};
use serde_json::{Value, json};

/// The program that Python runs.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/library/rivals.py");

/// The process; it ends when this is dropped.
pub struct Rivals {
    process: Child,
    asked: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Version of numpy; `None` if it is not installed.
    pub numpy: Option<String>,
    /// Version of faiss; `None` if it is not installed.
    pub faiss: Option<String>,
    /// Version of SQLite; `None` if it has no FTS5.
    pub sqlite: Option<String>,
}

/// Of the machine's memory, how large a part the vectors may be: each is there once for us and once for the others.
const MEMORY_PART: u64 = 3;
/// Texts that are read at once.
const N_TEXTS: usize = 10_000;

impl Rivals {
    /// Passes every vector, text and question of a library to a new process; `None` without Python 3, or if memory
    /// would be short.
    ///
    /// `folder` is for temporary files. A question asks FTS5 for any of its words, as our search does.
    pub fn start(
        library: &Library,
        questions: &[String],
        vectors: &[Vec<f32>],
        folder: &Path,
    ) -> Option<Rivals> {
        let lists = library.lists();
        let n_bytes = (lists.vectors.n_rows() * lists.vectors.dim() * size_of::<f32>()) as u64;
        if memory_of_all().is_some_and(|memory| n_bytes > memory / MEMORY_PART) {
            return None;
        }
        let rows = (0..lists.vectors.n_rows() as u32).map(|row| lists.vectors.vector(row));
        write_floats(&folder.join("rows.f32"), rows);
        write_floats(
            &folder.join("queries.f32"),
            vectors.iter().map(Vec::as_slice),
        );
        write_texts(&folder.join("texts.jsonl"), library);
        let matches: Vec<String> = questions
            .iter()
            .map(|question| {
                let hits = lists.text.search(question, Join::Or);
                any_word(&hits.expect("the list is sound"))
            })
            .collect();
        write_json(&folder.join("matches.json"), &json!(matches));

        let mut python = Command::new("python3");
        for threads in [
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "MKL_NUM_THREADS",
            "VECLIB_MAXIMUM_THREADS",
        ] {
            python.env(threads, "1");
        }
        let mut process = python
            .arg(PROGRAM)
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut rivals = Rivals {
            asked: process.stdin.take().expect("it was piped"),
            output: BufReader::new(process.stdout.take().expect("it was piped")),
            process,
            numpy: None,
            faiss: None,
            sqlite: None,
        };
        let installed = rivals.read();
        let version = |name: &str| installed[name].as_str().map(str::to_owned);
        rivals.numpy = version("numpy");
        rivals.faiss = version("faiss");
        rivals.sqlite = version("sqlite");
        Some(rivals)
    }

    /// Time that numpy takes for the dot products of a question with all rows.
    pub fn scan(&mut self, question: usize) -> Duration {
        self.ask("scan", question)
    }

    /// Time that faiss takes for the 1,000 rows nearest to a question, by brute force.
    pub fn nearest(&mut self, question: usize) -> Duration {
        self.ask("nearest", question)
    }

    /// Time that FTS5 takes for the best 1,000 texts of a question.
    pub fn text(&mut self, question: usize) -> Duration {
        self.ask("text", question)
    }

    fn ask(&mut self, what: &str, question: usize) -> Duration {
        writeln!(self.asked, "{what} {question}").expect("Python listens");
        let nanos = self.read().as_u64().expect("it answers with a number");
        Duration::from_nanos(nanos)
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("Python answers");
        serde_json::from_str(&line).expect("it answers in JSON")
    }
}

impl Drop for Rivals {
    fn drop(&mut self) {
        // It may have ended already; there is nothing left to do then.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A question in FTS5's language: any of its words, each in quotes.
fn any_word(hits: &TextHits) -> String {
    let words: Vec<String> = hits
        .words
        .iter()
        .map(|word| format!("\"{}\"", word.typed.replace('"', "\"\"")))
        .collect();
    words.join(" OR ")
}

/// A line of JSON for each chunk.
fn write_texts(path: &Path, library: &Library) {
    let lists = library.lists();
    let ids: Vec<i64> = lists.snapshot.chunks().map(|(_, chunk)| chunk.id).collect();
    let mut file = BufWriter::new(fs::File::create(path).expect("a file can be made"));
    for ids in ids.chunks(N_TEXTS) {
        let texts = library.store().chunk_texts(ids.iter().copied());
        for text in texts.expect("they are there").into_iter().flatten() {
            writeln!(file, "{}", json!(text)).expect("a file can be written");
        }
    }
    file.flush().expect("a file can be written");
}

/// Memory of this machine in bytes; `None` if the system does not report it as Linux does.
fn memory_of_all() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let total = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = total.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

fn write_floats<'a>(path: &Path, vectors: impl Iterator<Item = &'a [f32]>) {
    let mut file = BufWriter::new(fs::File::create(path).expect("a file can be made"));
    for number in vectors.flatten() {
        let written = file.write_all(&number.to_le_bytes());
        written.expect("a file can be written");
    }
    file.flush().expect("a file can be written");
}

fn write_json(path: &Path, value: &Value) {
    fs::write(path, value.to_string()).expect("a file can be written");
}
