//! Copying single tables out of another program's database, which is neither locked nor changed.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::{PIECE, Stamp, check, new_file, open, read_only, words};

/// The name of the other program's database beside the copy.
const ORIGIN: &str = "origin";
/// How `table_xinfo` marks a hidden column of a virtual table. Source: SQLite, PRAGMA table_xinfo.
const HIDDEN: i64 = 1;

/// Copies tables into a new database and opens it; `None` in the result if that was stopped. `None` if it cannot be done this way.
pub(super) fn copy(
    database: &Path,
    stamp: &Stamp,
    tables: &[&str],
    to: &Path,
    is_checked: bool,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Option<Result<Option<Connection>, String>> {
    let n_bytes = stamp.map(|part| part.map_or(0, |(n_bytes, _)| n_bytes));
    let [_, log, journal] = n_bytes;
    if journal > 0 {
        return None;
    }
    // Without a log the file alone is complete, and SQLite needs nothing beside it.
    let how = match log {
        0 => "immutable=1".to_owned(),
        _ => format!("mode=ro&vfs={}", read_only::vfs()?),
    };
    match copy_by(database, &how, tables, to, is_checked, go_on) {
        Ok(done) => Some(Ok(done)),
        Err(why) => why.map(Err),
    }
}

/// Copies tables. The error is `None` if they may still be read from a copy of the whole file.
fn copy_by(
    database: &Path,
    how: &str,
    tables: &[&str],
    to: &Path,
    is_checked: bool,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<Connection>, Option<String>> {
    // Links are refused, and pipes do not block.
    match memlens_files::open_own(database, File::options().read(true)) {
        Err(error) if memlens_files::is_odd(&error) => {
            let why = "it is a link, a pipe or a device, and only a file is read";
            return Err(Some(why.to_owned()));
        }
        opened => drop(opened.map_err(|error| Some(error.to_string()))?),
    }
    new_file(to).map_err(|error| Some(format!("no copy of it can be made: {error}")))?;
    let explained = |error: rusqlite::Error| Some(words(&error));
    let connection = open(to).map_err(explained)?;
    attach(&connection, database, how).map_err(|_| None::<String>)?;
    for table in tables {
        if is_checked {
            check(&connection, ORIGIN, table).map_err(Some)?;
        }
        // A generated column may need a function that only the other program has; reading the other columns does not.
        if copy_table(&connection, table, go_on)
            .map_err(|error| is_damage(&error).then(|| words(&error)))?
            .is_break()
        {
            return Ok(None);
        }
    }
    let detach = format!("COMMIT; DETACH {ORIGIN}");
    connection.execute_batch(&detach).map_err(explained)?;
    Ok(Some(connection))
}

/// Opens the other program's database beside the copy, and begins to read it as it is at one moment.
fn attach(connection: &Connection, database: &Path, how: &str) -> rusqlite::Result<()> {
    connection.execute_batch("PRAGMA main.journal_mode = OFF; PRAGMA main.synchronous = OFF")?;
    let uri = format!("{}?{how}", uri(database));
    connection.execute(&format!("ATTACH ?1 AS {ORIGIN}"), [uri])?;
    // Before the first read, so that nothing is shared with other connections.
    connection.execute_batch(&format!("PRAGMA {ORIGIN}.locking_mode = EXCLUSIVE; BEGIN"))?;
    connection.query_row(&format!("PRAGMA {ORIGIN}.schema_version"), [], |_| Ok(()))
}

/// Source: SQLite, Uniform Resource Identifiers, 3.
fn uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// Copies a table with the numbers of its rows; its constraints and indexes are left behind.
fn copy_table(
    connection: &Connection,
    table: &str,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> rusqlite::Result<ControlFlow<()>> {
    let columns = columns(connection, table)?;
    if columns.is_empty() {
        return Ok(ControlFlow::Continue(()));
    }
    let table = quoted(table);
    // The types decide how values compare.
    let typed: Vec<String> = columns
        .iter()
        .map(|(name, of_type)| match of_type.is_empty() {
            true => quoted(name),
            false => format!("{} {}", quoted(name), quoted(of_type)),
        })
        .collect();
    connection.execute_batch(&format!("CREATE TABLE main.{table} ({})", typed.join(", ")))?;
    let names: Vec<String> = columns.iter().map(|(name, _)| quoted(name)).collect();
    let names = names.join(", ");
    let read =
        |row: &str| connection.prepare(&format!("SELECT {row}, {names} FROM {ORIGIN}.{table}"));
    // Some tables have no row ids.
    let mut read = read("rowid").or_else(|_| read("NULL"))?;
    let places = vec!["?"; columns.len() + 1].join(", ");
    let mut write = connection.prepare(&format!(
        "INSERT INTO main.{table} (rowid, {names}) VALUES ({places})"
    ))?;
    let mut n_bytes = 0;
    if go_on().is_break() {
        return Ok(ControlFlow::Break(()));
    }
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let values = (0..=columns.len()).map(|at| row.get_ref(at));
        let values: Vec<ValueRef<'_>> = values.collect::<rusqlite::Result<_>>()?;
        n_bytes += values.iter().map(size).sum::<u64>();
        write.execute(params_from_iter(values.into_iter().map(Copied)))?;
        if n_bytes >= PIECE {
            n_bytes = 0;
            if go_on().is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
    )
}

/// Columns of a table with their types, including generated ones; empty if the table is missing or is a view.
fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<(String, String)>> {
    let is_table = connection
        .prepare(&format!(
            "SELECT 1 FROM {ORIGIN}.sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE"
        ))?
        .exists([table])?;
    if !is_table {
        return Ok(Vec::new());
    }
    let mut statement =
        connection.prepare(&format!("PRAGMA {ORIGIN}.table_xinfo({})", quoted(table)))?;
    let columns = statement.query_map([], |row| {
        let is_hidden = row.get::<_, i64>("hidden")? == HIDDEN;
        let column: (String, String) = (row.get("name")?, row.get("type")?);
        Ok((is_hidden, column))
    })?;
    let shown = columns.filter_map(|column| match column {
        Ok((true, _)) => None,
        Ok((false, column)) => Some(Ok(column)),
        Err(error) => Some(Err(error)),
    });
    shown.collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn size(value: &ValueRef<'_>) -> u64 {
    match value {
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => size_of::<u64>() as u64,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() as u64,
    }
}

/// A value on its way from one row to another, bytes of texts as they are.
struct Copied<'a>(ValueRef<'a>);

impl ToSql for Copied<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.0))
    }
}
