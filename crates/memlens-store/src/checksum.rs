//! Checksums of rows: SQLite detects a torn page but not a flipped bit inside one.
//!
//! A document's checksum covers its row, its chunks but for their texts, which their hashes cover, and its windows, so
//! that a row which is gone or belongs elsewhere now is noticed too. Its observations have a sum of their own, as they are
//! read apart; an embedding has its own.

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

/// What the checksum of a document covers of its row `d`.
pub(crate) const OF_DOCUMENT: &str = "crc32(d.id, d.folder, d.path, d.hash, d.size, d.modified_ms, d.changed_ns, d.kind, d.encoding, d.agent, d.date, d.tags, d.weight, d.observations_checksum)";

/// What it covers of each of its chunks `c`.
pub(crate) const OF_CHUNK: &str = "crc32(c.id, c.document, c.hash, c.start_line, c.end_line, c.start_byte, c.end_byte, c.heading, c.agent, c.date, c.weight, c.external_id, c.tokens, c.embedding)";

/// What it covers of each window `w` of those.
pub(crate) const OF_WINDOW: &str =
    "crc32(w.chunk, w.position, w.start_line, w.end_line, w.embedding)";

/// What its sum of observations covers of each of them, `o`.
pub(crate) const OF_OBSERVATION: &str = "crc32(o.document, o.start_byte, o.end_byte, o.start_line, o.end_line, o.text, o.agent, o.date, o.weight)";

/// What the checksum of an embedding `e` covers.
pub(crate) const OF_EMBEDDING: &str = "crc32(e.model, e.hash, e.vector)";

/// What the checksum of a count of tokens `t` covers.
pub(crate) const OF_TOKEN_COUNT: &str = "crc32(t.embedding, t.tokens)";

/// Adds the function `crc32` to a connection: the CRC-32 of all values that it is given, each with its type and length.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_scalar_function(
        "crc32",
        -1,
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
        |values| Ok(i64::from(crc32(values))),
    )
}

fn crc32(values: &Context<'_>) -> u32 {
    let mut crc32 = crc32fast::Hasher::new();
    for at in 0..values.len() {
        let number: [u8; 8];
        let (kind, bytes): (u8, &[u8]) = match values.get_raw(at) {
            ValueRef::Null => (0, &[]),
            ValueRef::Integer(value) => {
                number = value.to_le_bytes();
                (1, &number)
            }
            ValueRef::Real(value) => {
                number = value.to_bits().to_le_bytes();
                (2, &number)
            }
            ValueRef::Text(text) => (3, text),
            ValueRef::Blob(blob) => (4, blob),
        };
        crc32.update(&[kind]);
        crc32.update(&(bytes.len() as u64).to_le_bytes());
        crc32.update(bytes);
    }
    crc32.finalize()
}
