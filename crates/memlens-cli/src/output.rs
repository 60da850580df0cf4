//! What leaves the program: results on standard output, everything else on standard error.
//!
//! Notes and the names of files may hold control signs, which a terminal obeys: whatever is printed for people goes
//! through [`shown`]. JSON is printed as it is.
//!
//! Properties checked: nothing that a terminal obeys is left, and everything else is as it was.

use std::fmt::{self, Display, Formatter, Write as _};
use std::io::{self, ErrorKind, Write};

use anstyle::Style;
use serde::Serialize;

use crate::error::CliError;

/// Stands around what is beside the point.
pub const DIM: Style = Style::new().dimmed();
/// Stands around what is looked for.
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

/// Prints a line as it is, for other programs: [`print_text`] takes control signs out of it in a pipe.
///
/// # Errors
/// As [`print_text`].
pub fn print_line(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    finish(writeln!(out, "{text}").and_then(|()| out.flush()))
}

/// Prints for people what `write` writes, in colours where standard output shows them.
///
/// # Errors
/// [`CliError::ReaderGone`] when the reader has enough; [`CliError::Output`] for the rest, a full disk for instance.
pub fn print_text(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    finish(write(&mut out).and_then(|()| out.flush()))
}

/// The word for so many: `plural(1, "log", "logs")` is "log".
pub fn plural<'w>(n: impl TryInto<u64>, one: &'w str, many: &'w str) -> &'w str {
    match n.try_into() {
        Ok(1) => one,
        _ => many,
    }
}

/// Tells a person something that is no result, on one line of standard error.
pub fn tell(message: impl Display) {
    // Where even this cannot be written, nothing is left to say it with.
    let _ = writeln!(
        anstream::stderr(),
        "memlens: {}",
        shown(&message.to_string())
    );
}

/// Shows a text so that a terminal obeys nothing in it.
///
/// Control signs, line ends among them, signs that turn the direction of what follows and signs that are not seen are written as in
/// Rust: `\n`, `\u{1b}`. Text from right to left stays, and so do joiners between signs outside of ASCII. The window has the same
/// function in `ui/src/shared/visible.ts`.
pub fn shown(text: &str) -> Shown<'_> {
    Shown(text)
}

/// What [`shown`] returns.
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

/// Says whether a terminal does something else with `sign` than to draw it.
fn is_obeyed(sign: char) -> bool {
    // Line and paragraph separators; embeddings, overrides and isolates of direction.
    let turns = matches!(sign, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    sign.is_control() || turns
}

/// Whether a sign has no width, or shows nothing.
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

/// A text of several lines, each without what a terminal obeys.
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
