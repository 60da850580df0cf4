//! What leaves the program: results on standard output, everything else on standard error.
//!
//! Notes and file names may hold control characters, which a terminal obeys. Text printed for people goes through
//! [`shown`]; JSON is printed unchanged.
//!
//! The tests check that [`shown`] leaves nothing that a terminal obeys and changes nothing else.

use std::fmt::{self, Display, Formatter, Write as _};
use std::io::{self, ErrorKind, Write};

use anstyle::Style;
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

/// Returns a text in a form of which a terminal obeys nothing.
///
/// Control characters including line ends, characters that change the text direction, and invisible characters are
/// escaped as in Rust: `\n`, `\u{1b}`. Right-to-left text is kept, and so are joiners between non-ASCII characters. The
/// window has the same function in `ui/src/shared/visible.ts`.
pub fn shown(text: &str) -> Shown<'_> {
    Shown(text)
}

/// The value that [`shown`] returns.
pub struct Shown<'a>(&'a str);

impl Display for Shown<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut before = None;
        let mut signs = self.0.chars().peekable();
        while let Some(sign) = signs.next() {
            let is_beyond = |sign: Option<char>| sign.is_some_and(|sign| !sign.is_ascii());
            let is_joiner = matches!(sign, '\u{200c}' | '\u{200d}')
                && is_beyond(before)
                && is_beyond(signs.peek().copied());
            if is_obeyed(sign) || (is_unseen(sign) && !is_joiner) {
                write!(formatter, "{}", sign.escape_default())?;
            } else {
                formatter.write_char(sign)?;
            }
            before = Some(sign);
        }
        Ok(())
    }
}

/// Returns whether a terminal acts on `sign` instead of drawing it.
fn is_obeyed(sign: char) -> bool {
    // Line and paragraph separators; embeddings, overrides and isolates of direction.
    let turns = matches!(sign, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    sign.is_control() || turns
}

/// Returns whether a character has no width or shows nothing.
fn is_unseen(sign: char) -> bool {
    matches!(
        sign,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
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

#[cfg(test)]
mod tests {
    use super::shown;

    fn check(text: &str, expected: &str) {
        assert_eq!(shown(text).to_string(), expected);
    }

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        check(
            "\u{1b}[2J\u{1b}]0;owned\u{7}",
            "\\u{1b}[2J\\u{1b}]0;owned\\u{7}",
        );
        check("a\nb\rc\td\u{8}\u{7f}", "a\\nb\\rc\\td\\u{8}\\u{7f}");
        // The one-sign forms of the escape sequences.
        check("\u{9b}31m\u{85}", "\\u{9b}31m\\u{85}");
        check(
            "gpj.\u{202e}dm\u{2066}\u{2028}",
            "gpj.\\u{202e}dm\\u{2066}\\u{2028}",
        );
        check(
            "pass\u{200b}word \u{feff}a\u{200d}b\u{ad}\u{e0067}\u{61c}",
            "pass\\u{200b}word \\u{feff}a\\u{200d}b\\u{ad}\\u{e0067}\\u{61c}",
        );
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "",
            "a\\b 'c' \"d\"",
            "Grüße, 東京都, القاهرة, عب‌ری, नमस्ते",
            "👩‍👧 🇩🇰 e\u{301}",
        ] {
            check(text, text);
        }
    }
}
