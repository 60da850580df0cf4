//! A log that is a database table: each row is read like a line of a log of lines.
//!
//! The database is read from a copy. The position is given by the last row's number and its contents, since SQLite may
//! renumber rows.

use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::{Deserialize, Serialize};

use super::cursor::Context;
use super::jsonl::Reader;
use super::lenient;
use super::lines::LINE_MAX;
use super::packed::unpack_row;
use super::sessions::{Pending, Sessions};
use super::{Keeper, Log, LogRead};
use crate::copied_database::{self, CopiedDatabase, Stamp, words};

/// Number of bytes after which the result is stored, so that they need not be read again.
const BATCH_BYTES: u64 = 8 << 20;

/// Description of a table with log entries.
pub(super) struct Table {
    pub name: &'static str,
    /// The columns without which it is another table.
    pub columns: &'static [&'static str],
    /// A column that holds compressed texts, if it is there.
    pub compressed: Option<&'static str>,
    /// A row's name within the table.
    pub key: &'static str,
    pub session: &'static str,
    /// A row's text, as JSON.
    pub text: &'static str,
    /// Which rows are of interest.
    pub filter: &'static str,
    /// Notice to the user if the table is missing; `None` if older versions of the agent do not have it.
    pub absent: Option<&'static str>,
}

/// Position to continue from in a table.
#[derive(Debug, Serialize, Deserialize)]
struct Cursor {
    row: i64,
    key: String,
    /// Stamp of the database's files; while it is the same there is nothing to read.
    stood: String,
    pending: Vec<Pending>,
}

/// Reads a log that is a table; `shown` is its name for the user.
pub(super) fn read(
    log: &Log,
    shown: &str,
    table: &Table,
    reader: &mut dyn Reader,
    from: Option<&str>,
    keeper: &mut dyn Keeper,
) -> Result<LogRead, String> {
    let mut log_read = LogRead::default();
    let cursor = from.and_then(|text| serde_json::from_str::<Cursor>(text).ok());
    let stood = copied_database::stamp(&log.path).map(stood);
    let stood = stood.map_err(|error| error.to_string())?;
    if cursor.as_ref().is_some_and(|cursor| cursor.stood == stood) {
        return Ok(log_read);
    }
    let copies = keeper.copies();
    let mut go_on = |n_again| keeper.go_on(n_again);
    let copied = CopiedDatabase::unless_stopped(&log.path, &[table.name], &copies, &mut go_on)?;
    let Some(copied) = copied else {
        log_read.is_stopped = true;
        return Ok(log_read);
    };
    let connection = copied.connection();
    let columns = columns(connection, table.name).map_err(|error| words(&error))?;
    if columns.is_empty() {
        let absent = table.absent;
        log_read
            .notices
            .extend(absent.map(|absent| format!("{shown} holds no {absent}.")));
    } else if let Some(missing) = table
        .columns
        .iter()
        .find(|name| !columns.contains(&(**name).to_owned()))
    {
        return Err(format!(
            "its table {} has no column {missing}, so it is of a version that Memlens does not know; a newer Memlens may know it",
            table.name
        ));
    }
    let cursor = match cursor {
        Some(cursor) if !columns.is_empty() => {
            let key = key_of(connection, table, cursor.row).map_err(|error| words(&error))?;
            (key.as_ref() == Some(&cursor.key)).then_some(cursor)
        }
        _ => None,
    };
    let is_gone_on = cursor.is_some();
    let mut cursor = cursor.unwrap_or(Cursor {
        row: i64::MIN,
        key: String::new(),
        stood: String::new(),
        pending: Vec::new(),
    });
    let pending = std::mem::take(&mut cursor.pending);
    let mut sessions = Sessions::new(log.agent, keeper, is_gone_on, pending);
    if !columns.is_empty() {
        let mut reading = Reading {
            connection,
            table,
            has_compressed: table
                .compressed
                .is_some_and(|name| columns.contains(&name.to_owned())),
            log,
        };
        reading.read(reader, &mut cursor, &mut sessions, &mut log_read)?;
    }
    if !log_read.is_stopped {
        cursor.stood = stood;
        cursor.pending = sessions.pending().to_vec();
        log_read.is_stopped = sessions.keep(text(&cursor), log.bytes).is_break();
    }
    log_read.n_questions = sessions.n_questions();
    Ok(log_read)
}

struct Reading<'a> {
    connection: &'a Connection,
    table: &'a Table,
    has_compressed: bool,
    log: &'a Log,
}

impl Reading<'_> {
    fn read(
        &mut self,
        reader: &mut dyn Reader,
        cursor: &mut Cursor,
        sessions: &mut Sessions<'_>,
        log_read: &mut LogRead,
    ) -> Result<(), String> {
        let Table {
            name,
            key,
            session,
            text: json,
            filter,
            ..
        } = self.table;
        let compressed = self.table.compressed.filter(|_| self.has_compressed);
        let compressed = compressed.unwrap_or("NULL");
        let explained = |error: rusqlite::Error| words(&error);
        let last: Option<i64> = self
            .connection
            .query_row(&format!("SELECT max(rowid) FROM {name}"), [], |row| {
                row.get(0)
            })
            .map_err(explained)?;
        let first = cursor.row.max(0);
        let mut statement = self
            .connection
            .prepare(&format!(
                "SELECT rowid, {session}, {json}, {compressed}, {key} FROM {name} WHERE rowid > ?1 AND {filter} ORDER BY rowid"
            ))
            .map_err(explained)?;
        let mut rows = statement.query([cursor.row]).map_err(explained)?;
        let mut context = Context::default();
        let mut n_bytes = 0;
        let mut buffer = Vec::new();
        while let Some(row) = rows.next().map_err(explained)? {
            cursor.row = row.get(0).map_err(explained)?;
            cursor.key = lossy(row, 4).map_err(explained)?;
            context.session = lossy(row, 1).map_err(explained)?;
            buffer.clear();
            let is_read = match (row.get_ref(2), row.get_ref(3)) {
                (Ok(ValueRef::Text(text)), _) if text.len() <= LINE_MAX => {
                    buffer.extend_from_slice(text);
                    true
                }
                (Ok(ValueRef::Null), Ok(ValueRef::Blob(blob))) => {
                    unpack_row(blob, &mut buffer).is_ok()
                }
                _ => false,
            };
            n_bytes += buffer.len() as u64;
            if !is_read {
                log_read.n_skipped += 1;
            } else if reader.is_worth(&buffer) || sessions.waits_for(&buffer) {
                match lenient::parsed(&buffer) {
                    Some(value) => reader.record(&value, cursor.row as u64, &mut context, sessions),
                    None => log_read.n_skipped += 1,
                }
            }
            if sessions.are_many() || n_bytes >= BATCH_BYTES {
                n_bytes = 0;
                cursor.pending = sessions.pending().to_vec();
                let n_rows = last.unwrap_or(0).abs_diff(first).max(1);
                let share = cursor.row.abs_diff(first) as f64 / n_rows as f64;
                let n_read = (self.log.bytes as f64 * share.min(1.0)) as u64;
                if sessions.keep(text(cursor), n_read).is_break() {
                    log_read.is_stopped = true;
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

fn text(cursor: &Cursor) -> String {
    serde_json::to_string(cursor).expect("names are texts and numbers finite")
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let columns = statement.query_map([table], |row| row.get(0))?;
    columns.collect()
}

fn key_of(connection: &Connection, table: &Table, row: i64) -> rusqlite::Result<Option<String>> {
    let Table { name, key, .. } = table;
    let sql = format!("SELECT {key} FROM {name} WHERE rowid = ?1");
    connection
        .query_row(&sql, [row], |row| lossy(row, 0))
        .optional()
}

/// A column as a text, whatever it holds.
fn lossy(row: &Row<'_>, index: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(index)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Null => String::new(),
    })
}

fn stood(stamp: Stamp) -> String {
    let nanos = |time: SystemTime| {
        time.duration_since(UNIX_EPOCH)
            .map_or(0, |it| it.as_nanos())
    };
    let parts = stamp.iter().flatten();
    let parts = parts.map(|(bytes, time)| format!("{bytes}@{}", nanos(*time)));
    parts.collect::<Vec<_>>().join(" ")
}
