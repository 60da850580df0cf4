//! OpenClaw's own index: the chunks that it cut, with their vectors.
//!
//! Source: the schema of the published packages since 2026.8, table `memory_index_chunks`. A vector is binary64,
//! little-endian, in a BLOB; before, it was a list in JSON. Columns are found by name, and others are ignored.
//!
//! Properties checked: changes that are not in the main file yet are read; another schema, a torn file and an invalid
//! vector give error messages; nothing beside the original changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use memlens_agents::copied_database::{CopiedDatabase, words};
use regex::Regex;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::{AgentNote, Vectors};

const TABLE: &str = "memory_index_chunks";
const NEEDED: [&str; 6] = [
    "path",
    "start_line",
    "end_line",
    "text",
    "model",
    "embedding",
];
/// When a chunk was written, in milliseconds. Without it, later changes cannot be detected.
const WRITTEN: &str = "updated_at";

/// An index that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnIndex {
    /// The models that embedded its chunks.
    pub models: BTreeSet<String>,
    /// Its chunks by their note's path in the workspace, in the order of their lines.
    pub chunks: BTreeMap<String, Vec<OwnChunk>>,
}

/// A chunk of the index.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnChunk {
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
    /// The text of the chunk.
    pub text: String,
    /// The vector of the chunk; empty if OpenClaw had no model.
    pub vector: Vec<f32>,
    /// When it was written, in milliseconds since 1970-01-01 UTC; `None` if the index does not say.
    pub written_ms: Option<i64>,
}

impl OwnIndex {
    /// Reads an index from a copy of its file, which is made in a scratch folder in `copies`.
    ///
    /// # Errors
    /// Why it cannot be used, as a message for the user.
    pub fn read(database: &Path, copies: &Path) -> Result<OwnIndex, String> {
        let copied = CopiedDatabase::of(database, &[TABLE], copies)?;
        let connection = copied.connection();
        let columns = columns(connection).map_err(|error| words(&error))?;
        if columns.is_empty() {
            return Err(format!("it has no table {TABLE}"));
        }
        let missing: Vec<&str> = NEEDED
            .into_iter()
            .filter(|needed| !columns.contains(*needed))
            .collect();
        if !missing.is_empty() {
            return Err(format!(
                "its table {TABLE} has no column {}",
                missing.join(", ")
            ));
        }
        read_chunks(connection, columns.contains(WRITTEN))
    }

    /// Returns how many of its chunks occur word for word in these notes.
    pub fn n_held(&self, notes: &[AgentNote]) -> usize {
        let chunks = notes
            .iter()
            .filter_map(|note| Some((note, self.chunks.get(&note.path)?)));
        chunks
            .flat_map(|(note, chunks)| chunks.iter().map(move |chunk| (note, chunk)))
            .filter(|(note, chunk)| note.text.contains(&*chunk.text))
            .count()
    }

    /// Returns the vectors of these notes' chunks, in the order of the notes and of their lines.
    ///
    /// # Errors
    /// A message if a vector has another dimension than `dim`, which must be above 0.
    pub fn vectors(&self, notes: &[AgentNote], dim: usize) -> Result<Vectors, String> {
        let chunks = notes.iter().filter_map(|note| self.chunks.get(&note.path));
        let mut numbers = Vec::new();
        for chunk in chunks.flatten() {
            match chunk.vector.len() {
                n if n == dim => numbers.extend(&chunk.vector),
                0 => return Err("not all of its chunks have a vector".to_owned()),
                n => {
                    return Err(format!(
                        "its vectors have {n} numbers, and those here {dim}"
                    ));
                }
            }
        }
        Ok(Vectors::new(dim, numbers))
    }
}

/// The part of a model's name that gives its precision, its file format or its Ollama tag.
static PRECISION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("(?:[-_.:](?:q[0-9](?:_[a-z0-9]+)*|f16|f32|fp16|fp32|bf16|int8|gguf|onnx|latest))+$")
        .expect("a valid pattern")
});

/// Returns whether two names are of one model: equal except for the owner, the precision, and the checksum at the end
/// of ours.
///
/// Vectors of one model in two precisions differ only by rounding, and can be compared.
pub fn is_same_model(one: &str, other: &str) -> bool {
    let bare = |name: &str| {
        let name = name.split('@').next().unwrap_or(name);
        let name = name.rsplit('/').next().unwrap_or(name).to_lowercase();
        PRECISION.replace(&name, "").into_owned()
    };
    bare(one) == bare(other)
}

fn columns(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = connection.prepare(&format!("PRAGMA table_info({TABLE})"))?;
    let names = statement.query_map([], |row| row.get("name"))?;
    names.collect()
}

fn read_chunks(connection: &Connection, is_dated: bool) -> Result<OwnIndex, String> {
    let written = if is_dated { WRITTEN } else { "NULL" };
    let question = format!(
        "SELECT path, model, start_line, end_line, text, {written}, embedding FROM {TABLE} ORDER BY path, start_line, end_line"
    );
    let mut index = OwnIndex {
        models: BTreeSet::new(),
        chunks: BTreeMap::new(),
    };
    let mut statement = connection
        .prepare(&question)
        .map_err(|error| words(&error))?;
    let mut rows = statement.query([]).map_err(|error| words(&error))?;
    while let Some(row) = rows.next().map_err(|error| words(&error))? {
        let named = || -> rusqlite::Result<(String, String)> { Ok((row.get(0)?, row.get(1)?)) };
        let (path, model) = named().map_err(|error| words(&error))?;
        let chunk = chunk(row).map_err(|why| format!("a chunk of {path} cannot be read: {why}"))?;
        index.models.insert(model);
        index.chunks.entry(path).or_default().push(chunk);
    }
    Ok(index)
}

fn chunk(row: &Row<'_>) -> Result<OwnChunk, String> {
    let read_chunk = || -> rusqlite::Result<OwnChunk> {
        Ok(OwnChunk {
            start_line: row.get(2)?,
            end_line: row.get(3)?,
            text: row.get(4)?,
            written_ms: row.get(5)?,
            vector: Vec::new(),
        })
    };
    let vector = row.get_ref(6).map_err(|error| words(&error))?;
    Ok(OwnChunk {
        vector: numbers(vector).ok_or("its vector is no list of numbers")?,
        ..read_chunk().map_err(|error| words(&error))?
    })
}

/// Returns a vector in the form of either schema; `None` if it is something else.
fn numbers(kept: ValueRef<'_>) -> Option<Vec<f32>> {
    let numbers: Vec<f64> = match kept {
        ValueRef::Blob(bytes) => {
            let (numbers, rest) = bytes.as_chunks::<8>();
            rest.is_empty().then_some(())?;
            numbers.iter().map(|it| f64::from_le_bytes(*it)).collect()
        }
        ValueRef::Text(text) => serde_json::from_slice(text).ok()?,
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => return None,
    };
    let numbers: Vec<f32> = numbers.into_iter().map(|number| number as f32).collect();
    numbers
        .iter()
        .all(|number| number.is_finite())
        .then_some(numbers)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::SystemTime;

    use rusqlite::Connection;

    use super::{OwnIndex, is_same_model};

    const SCHEMA: &str = "CREATE TABLE memory_index_chunks (chunk_rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
        path TEXT NOT NULL, source TEXT NOT NULL DEFAULT 'memory', start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
        hash TEXT NOT NULL, model TEXT NOT NULL, text TEXT NOT NULL, embedding BLOB NOT NULL, updated_at INTEGER NOT NULL)";

    /// A folder with an agent's database, and one for copies of it.
    struct Agent(tempfile::TempDir, tempfile::TempDir);

    impl Agent {
        fn new(schema: &str) -> Agent {
            let scratch = || tempfile::tempdir().expect("a scratch folder can be made");
            let agent = Agent(scratch(), scratch());
            agent
                .connection()
                .execute_batch(schema)
                .expect("a valid schema");
            agent
        }

        fn path(&self) -> PathBuf {
            self.0.path().join("openclaw-agent.sqlite")
        }

        fn connection(&self) -> Connection {
            Connection::open(self.path()).expect("it can be opened")
        }

        fn add(&self, connection: &Connection, n: u32) {
            let vector: Vec<u8> = [0.25_f64, -1.0]
                .iter()
                .flat_map(|it| it.to_le_bytes())
                .collect();
            let text = format!("chunk {n}");
            connection
                .execute(
                    "INSERT INTO memory_index_chunks (id, path, start_line, end_line, hash, model, text, embedding, updated_at)
                    VALUES (?1, 'memory/a.md', ?2, ?2, '', 'm', ?1, ?3, 7)",
                    (text, n, vector),
                )
                .expect("it can be added");
        }

        /// Returns every file beside the database, with bytes and time.
        fn files(&self) -> Vec<(String, Vec<u8>, SystemTime)> {
            let mut files: Vec<_> = fs::read_dir(self.0.path())
                .expect("it is there")
                .map(|entry| {
                    let entry = entry.expect("it can be listed");
                    let name = entry.file_name().to_string_lossy().into_owned();
                    let modified = entry.metadata().and_then(|it| it.modified());
                    (
                        name,
                        fs::read(entry.path()).expect("it can be read"),
                        modified.expect("it has a time"),
                    )
                })
                .collect();
            files.sort();
            files
        }

        /// Reads the index, and checks that nothing beside it changed.
        #[track_caller]
        fn read(&self) -> Result<OwnIndex, String> {
            let before = self.files();
            let read = OwnIndex::read(&self.path(), self.1.path());
            assert!(self.files() == before, "the agent's folder is as it was");
            read
        }
    }

    fn texts(index: &OwnIndex) -> Vec<&str> {
        let chunks = index.chunks.values().flatten();
        chunks.map(|chunk| chunk.text.as_str()).collect()
    }

    #[test]
    fn a_sound_index_is_read_with_its_vectors() {
        let agent = Agent::new(SCHEMA);
        agent.add(&agent.connection(), 2);
        agent.add(&agent.connection(), 1);
        let index = agent.read().expect("it is sound");
        assert_eq!(texts(&index), ["chunk 1", "chunk 2"]);
        assert_eq!(index.models.iter().collect::<Vec<_>>(), ["m"]);
        let chunk = &index.chunks["memory/a.md"][0];
        assert_eq!(
            (&chunk.vector[..], chunk.written_ms),
            (&[0.25, -1.0][..], Some(7))
        );
    }

    #[test]
    fn what_stands_in_the_log_is_read() {
        let agent = Agent::new(SCHEMA);
        let connection = agent.connection();
        connection
            .pragma_update(None, "journal_mode", "wal")
            .expect("it can have a log");
        connection
            .pragma_update(None, "wal_autocheckpoint", 0)
            .expect("it can be kept");
        agent.add(&connection, 1);
        assert!(
            agent
                .files()
                .iter()
                .any(|(name, ..)| name.ends_with("-wal"))
        );
        assert_eq!(texts(&agent.read().expect("it is sound")), ["chunk 1"]);
    }

    #[test]
    fn a_lock_of_the_agent_keeps_nobody_out_and_stays() {
        let agent = Agent::new(SCHEMA);
        let connection = agent.connection();
        agent.add(&connection, 1);
        connection
            .execute_batch("BEGIN EXCLUSIVE")
            .expect("nobody else writes");
        agent.add(&connection, 2);
        // Uncommitted changes are not read.
        assert_eq!(texts(&agent.read().expect("it is sound")), ["chunk 1"]);
        connection
            .execute_batch("COMMIT")
            .expect("its lock still holds");
        assert_eq!(texts(&agent.read().expect("it is sound")).len(), 2);
    }

    #[test]
    fn vectors_as_text_are_read_too() {
        let agent = Agent::new(&SCHEMA.replace("embedding BLOB", "embedding TEXT"));
        let connection = agent.connection();
        agent.add(&connection, 1);
        let update = |value: &str| {
            connection
                .execute("UPDATE memory_index_chunks SET embedding = ?1", [value])
                .expect("it can be changed");
            agent
                .read()
                .map(|index| index.chunks["memory/a.md"][0].vector.clone())
        };
        assert_eq!(update("[0.5, -2]"), Ok(vec![0.5, -2.0]));
        assert_eq!(update("[]"), Ok(Vec::new()));
        for broken in ["", "0.5", "[1e999]", "[\"a\"]"] {
            let why = update(broken).expect_err(broken);
            assert_eq!(
                why,
                "a chunk of memory/a.md cannot be read: its vector is no list of numbers"
            );
        }
    }

    #[test]
    fn what_is_no_such_index_is_reported_in_words() {
        let check = |agent: &Agent, expected: &str| {
            assert_eq!(agent.read().expect_err(expected), expected);
        };
        check(
            &Agent::new("CREATE TABLE other (a)"),
            "it has no table memory_index_chunks",
        );
        check(
            &Agent::new(
                "CREATE TABLE memory_index_chunks (id, path, start_line, end_line, body, model)",
            ),
            "its table memory_index_chunks has no column text, embedding",
        );
        let agent = Agent::new(SCHEMA);
        for n in 0..400 {
            agent.add(&agent.connection(), n);
        }
        let whole = fs::read(agent.path()).expect("it is there");
        let torn = &whole[..whole.len() / 2];
        fs::write(agent.path(), torn).expect("it can be torn");
        check(&agent, "it is damaged");
        fs::write(
            agent.path(),
            "no database at all, but a text of some length".repeat(40),
        )
        .expect("it can be written");
        check(&agent, "it is no SQLite file");
        fs::remove_file(agent.path()).expect("it is there");
        assert!(agent.read().is_err(), "there is none");
        fs::create_dir(agent.path()).expect("it can be made");
        assert!(
            OwnIndex::read(&agent.path(), agent.1.path()).is_err(),
            "it is a folder"
        );
    }

    #[test]
    fn a_model_is_known_by_its_name() {
        let ours = "all-MiniLM-L6-v2-q8@57d50a19";
        for same in [
            "sentence-transformers/all-MiniLM-L6-v2",
            "hf:second-state/All-MiniLM-L6-v2-Embedding-GGUF/all-MiniLM-L6-v2-Q8_0.gguf",
            "all-minilm-l6-v2:latest",
            "all-MiniLM-L6-v2-Q4_K_M.gguf",
        ] {
            assert!(is_same_model(ours, same), "{same}");
        }
        for other in [
            "text-embedding-3-small",
            "all-MiniLM-L12-v2",
            "paraphrase-all-MiniLM-L6-v2",
            "all-MiniLM-L6-v2-finetuned",
            "none",
            "",
        ] {
            assert!(!is_same_model(ours, other), "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let agent = Agent::new(SCHEMA);
        let other = agent.0.path().join("other.sqlite");
        fs::rename(agent.path(), &other).expect("it can be moved");
        std::os::unix::fs::symlink(&other, agent.path()).expect("links can be made");
        assert_eq!(
            agent.read(),
            Err("it is a link, a pipe or a device, and only a file is read".to_owned())
        );
    }
}
