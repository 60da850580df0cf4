//! A file's text, block by block.

use std::io::{self, Read as _};
use std::path::Path;

use crate::open::open;
use crate::passage::{FILE_LINES, Finder, NOTE_LINES, Passage};
use crate::walk::File;

/// Bytes read at once, and so the length of line that is searched in one piece.
const BLOCK_BYTES: usize = 1024 * 1024;

pub(crate) enum Read {
    Binary,
    TooLarge,
    Text {
        passage: Option<Passage>,
        bytes: u64,
    },
}

/// Finds the best passage of a file. `is_over` ends it early, with what was found so far.
pub(crate) fn passage_of(
    file: &File,
    words: &[String],
    most_bytes: u64,
    is_over: &dyn Fn() -> bool,
) -> io::Result<Read> {
    let name = file.absolute.strip_prefix(&file.within);
    let name = name.unwrap_or(&file.absolute);
    let Some(mut opened) = open(&file.within, name)? else {
        return Ok(Read::Binary);
    };
    if opened.metadata()?.len() > most_bytes {
        return Ok(Read::TooLarge);
    }
    let is_json = is_json(&file.absolute);
    let n_lines = match memlens_ingest::Kind::of(&file.absolute) {
        Some(_) if !is_json => NOTE_LINES,
        _ => FILE_LINES,
    };
    let mut finder = Finder::new(words, n_lines);
    let mut bytes = Vec::new();
    let (mut n_bytes, mut line, mut is_first) = (0, 1, true);
    loop {
        let n_carried = bytes.len();
        let n_read = (&mut opened)
            .take(BLOCK_BYTES as u64)
            .read_to_end(&mut bytes)?;
        n_bytes += n_read as u64;
        let is_last = n_read == 0;
        let end = if is_last {
            bytes.len()
        } else {
            let newline = bytes.iter().rposition(|byte| *byte == b'\n');
            match newline {
                Some(at) => at + 1,
                // The end of a line, or of a word of a very long line.
                None if n_carried == 0 && n_read < BLOCK_BYTES => continue,
                None => {
                    let last = |is_it: fn(&u8) -> bool| bytes.iter().rposition(is_it);
                    let cut = last(u8::is_ascii_whitespace).or_else(|| last(u8::is_ascii));
                    cut.map_or(bytes.len(), |at| at + 1)
                }
            }
        };
        // UTF-16 has no line ends of one byte, so it is decoded whole.
        let is_utf_16 = is_first && matches!(bytes.get(..2), Some([0xff, 0xfe] | [0xfe, 0xff]));
        if is_utf_16 {
            opened.read_to_end(&mut bytes)?;
        }
        let block: Vec<u8> = if is_utf_16 {
            std::mem::take(&mut bytes)
        } else {
            bytes.drain(..end).collect()
        };
        if !block.is_empty() {
            // Binary data may begin with a text.
            let Some(text) = memlens_ingest::text_of(&block) else {
                if is_first {
                    return Ok(Read::Binary);
                }
                break;
            };
            is_first = false;
            let text = if is_json { unescaped(&text) } else { text };
            finder.block(&text, line);
            line += text.matches('\n').count() as u32;
        }
        if is_last || finder.is_done() || is_over() {
            break;
        }
    }
    Ok(Read::Text {
        passage: finder.best(),
        bytes: n_bytes,
    })
}

/// Whether a file's text is JSON, whose strings write line ends and other characters as escapes.
fn is_json(path: &Path) -> bool {
    path.extension()
        .and_then(|end| end.to_str())
        .is_some_and(|end| {
            let end = end.to_ascii_lowercase();
            end.starts_with("json") || end == "ndjson" || end == "ipynb"
        })
}

/// The text with escapes of JSON strings replaced, and lines as they were.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let mut chars = rest.chars();
        match chars.next() {
            Some('n' | 'r' | 't' | 'b' | 'f') => {
                out.push(' ');
                rest = chars.as_str();
            }
            Some('u') => {
                let (unit, after) = unit(chars.as_str());
                let low = after.strip_prefix("\\u").map(self::unit);
                let pair = match (unit, low) {
                    (Some(high), Some((Some(low), after))) => {
                        let both = char::decode_utf16([high, low]).next();
                        both.and_then(Result::ok)
                            .filter(|char| *char as u32 > 0xffff)
                            .map(|char| (char, after))
                    }
                    _ => None,
                };
                let (char, after) = pair.unwrap_or_else(|| {
                    let char = unit.and_then(|unit| char::from_u32(u32::from(unit)));
                    (char.unwrap_or(' '), after)
                });
                out.push(if char == '\n' { ' ' } else { char });
                rest = after;
            }
            Some(char) => {
                out.push(char);
                rest = chars.as_str();
            }
            None => {}
        }
    }
    out.push_str(rest);
    out
}

/// The UTF-16 unit of four hexadecimal digits, and what follows them.
fn unit(text: &str) -> (Option<u16>, &str) {
    match text.get(..4) {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            (u16::from_str_radix(digits, 16).ok(), &text[4..])
        }
        _ => (None, text),
    }
}

/// The text of one file at `path` below `within`; `None` for a binary file and for anything but a regular file.
///
/// # Errors
/// Those of the system; `FileTooLarge` above `most_bytes`.
pub fn text(within: &Path, path: &str, most_bytes: u64) -> io::Result<Option<String>> {
    let Some(opened) = open(within, Path::new(path))? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    opened.take(most_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(memlens_ingest::text_of(&bytes))
}

/// The system's answer without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let words = error.to_string();
    let number = error
        .raw_os_error()
        .map_or(String::new(), |code| format!(" (os error {code})"));
    words.strip_suffix(&number).unwrap_or(&words).to_owned()
}
