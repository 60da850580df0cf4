//! An agent's own database as OpenClaw writes it.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

/// A chunk of a made-up index: the path of its note, the lines, the text and the vector.
pub type IndexedChunk<'a> = (&'a str, (u32, u32), &'a str, Vec<f64>);

/// Writes an index of these chunks, embedded by `model`, all at one time.
///
/// # Panics
/// If it cannot be written.
pub fn write_openclaw_index(
    database: &Path,
    model: &str,
    written_ms: i64,
    chunks: &[IndexedChunk<'_>],
) {
    fs::create_dir_all(database.parent().expect("it lies in a folder"))
        .expect("folders can be made");
    let connection = Connection::open(database).expect("it can be made");
    connection
        .execute_batch(
            "CREATE TABLE memory_index_chunks (chunk_rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, path TEXT NOT NULL,
            source TEXT NOT NULL DEFAULT 'memory', start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, hash TEXT NOT NULL,
            model TEXT NOT NULL, text TEXT NOT NULL, embedding BLOB NOT NULL, updated_at INTEGER NOT NULL)",
        )
        .expect("a valid schema");
    for (at, (path, (start_line, end_line), text, vector)) in chunks.iter().enumerate() {
        let bytes: Vec<u8> = vector.iter().flat_map(|it| it.to_le_bytes()).collect();
        connection
            .execute(
                "INSERT INTO memory_index_chunks (id, path, start_line, end_line, hash, model, text, embedding, updated_at)
                VALUES (?1, ?2, ?3, ?4, '', ?5, ?6, ?7, ?8)",
                (at.to_string(), path, start_line, end_line, model, text, bytes, written_ms),
            )
            .expect("it can be added");
    }
}
