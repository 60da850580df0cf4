//! What leaves the program: results on standard output, everything else on standard error.
//!
//! Notes and file names may hold control characters, which a terminal obeys. Text for people is a [`Document`], which
//! escapes them; JSON is printed unchanged.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use memlens_document::{Document, Text, shown};
use serde::Serialize;

use crate::error::CliError;

/// Prints a value as indented JSON.
///
/// # Errors
/// As [`print_bytes`].
pub fn print_json(value: &(impl Serialize + ?Sized)) -> Result<(), CliError> {
    let text =
        serde_json::to_string_pretty(value).expect("plain data can always be written as JSON");
    print_line(&text)
}

/// Prints a line unchanged, for other programs.
///
/// # Errors
/// As [`print_bytes`].
pub fn print_line(text: &str) -> Result<(), CliError> {
    print_bytes(format!("{text}\n").as_bytes())
}

/// Prints bytes unchanged, for other programs. [`print`] would remove control characters when standard output is a
/// pipe.
///
/// # Errors
/// [`CliError::ReaderGone`] if the reader has closed the pipe; [`CliError::Output`] for any other failure, such as a
/// full disk.
pub fn print_bytes(bytes: &[u8]) -> Result<(), CliError> {
    write(io::stdout().lock(), bytes)
}

/// Prints a document for people, in colour if standard output supports it.
///
/// # Errors
/// As [`print_bytes`].
pub fn print(document: &Document) -> Result<(), CliError> {
    write(
        anstream::stdout().lock(),
        document.terminal(true).as_bytes(),
    )
}

/// Prints one line for people.
///
/// # Errors
/// As [`print_bytes`].
pub fn print_text(text: impl Into<Text>) -> Result<(), CliError> {
    let mut page = Document::new();
    page.line(text);
    print(&page)
}

/// Prints a text of several lines for people, such as Markdown.
///
/// # Errors
/// As [`print_bytes`].
pub fn print_verbatim(text: impl Into<String>) -> Result<(), CliError> {
    let mut page = Document::new();
    page.verbatim(text);
    print(&page)
}

/// Returns `one` if `n` is 1, else `many`: `plural(1, "log", "logs")` is "log".
pub fn plural<'w>(n: impl TryInto<u64>, one: &'w str, many: &'w str) -> &'w str {
    match n.try_into() {
        Ok(1) => one,
        _ => many,
    }
}

/// Prints a message that is not a result, on one line of standard error.
pub fn notify(message: impl Display) {
    // A failure here cannot be reported anywhere else.
    let _ = writeln!(
        anstream::stderr(),
        "memlens: {}",
        shown(&message.to_string())
    );
}

fn write(mut out: impl Write, bytes: &[u8]) -> Result<(), CliError> {
    let written = out.write_all(bytes).and_then(|()| out.flush());
    written.map_err(|error| {
        if error.kind() == ErrorKind::BrokenPipe {
            CliError::ReaderGone
        } else {
            CliError::Output(error)
        }
    })
}
