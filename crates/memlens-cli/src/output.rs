//! What leaves the program: results on standard output, everything else on standard error.
//!
//! Notes and file names may hold control characters, which a terminal obeys. Text printed for people goes through
//! [`shown`]; JSON is printed unchanged.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use anstyle::Style;
pub use memlens_document::shown;
use serde::Serialize;

use crate::error::CliError;

/// The style of less important text.
pub const DIM: Style = Style::new().dimmed();
/// The style of the important part of a line.
pub const BOLD: Style = Style::new().bold();

/// Prints a value as indented JSON.
///
/// # Errors
/// As [`print_text`].
pub fn print_json(value: &(impl Serialize + ?Sized)) -> Result<(), CliError> {
    let text =
        serde_json::to_string_pretty(value).expect("plain data can always be written as JSON");
    print_line(&text)
}

/// Prints a line unchanged, for other programs. [`print_text`] would remove control characters when standard output is
/// a pipe.
///
/// # Errors
/// As [`print_text`].
pub fn print_line(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    finish(writeln!(out, "{text}").and_then(|()| out.flush()))
}

/// Prints what `write` writes, for people, in colour if standard output supports it.
///
/// # Errors
/// [`CliError::ReaderGone`] if the reader has closed the pipe; [`CliError::Output`] for any other failure, such as a
/// full disk.
pub fn print_text(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    finish(write(&mut out).and_then(|()| out.flush()))
}

/// Returns `one` if `n` is 1, else `many`: `plural(1, "log", "logs")` is "log".
pub fn plural<'w>(n: impl TryInto<u64>, one: &'w str, many: &'w str) -> &'w str {
    match n.try_into() {
        Ok(1) => one,
        _ => many,
    }
}

/// Prints a message that is not a result, on one line of standard error.
pub fn tell(message: impl Display) {
    // A failure here cannot be reported anywhere else.
    let _ = writeln!(
        anstream::stderr(),
        "memlens: {}",
        shown(&message.to_string())
    );
}

fn finish(written: io::Result<()>) -> Result<(), CliError> {
    written.map_err(|error| {
        if error.kind() == ErrorKind::BrokenPipe {
            CliError::ReaderGone
        } else {
            CliError::Output(error)
        }
    })
}

/// A text of several lines, each printed as [`shown`] prints it.
pub struct Lines<'a>(pub &'a str);

impl std::fmt::Display for Lines<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0
            .lines()
            .try_for_each(|line| writeln!(formatter, "{}", shown(line)))
    }
}
