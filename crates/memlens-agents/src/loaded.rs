//! What an agent loads of its memory when a session begins, and where it is cut.
//!
//! Properties checked: each unit counts as the agent counts; the line of the cut is the first that is not loaded whole;
//! where a middle is cut no line is named.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_ingest::MAX_FILE_BYTES;

use crate::agent::{Agent, Cap, Keeps, Limit, Unit};
use crate::config;
use crate::looking::Found;

/// One file against one limit, or all files of a folder against theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The agent's id.
    pub agent: &'static str,
    /// The file; the folder for the limit of all its files.
    pub path: PathBuf,
    /// What is counted.
    pub unit: Unit,
    /// How many there are.
    pub used: u64,
    /// How many are loaded at most.
    pub cap: u64,
    /// What is left out by this limit.
    pub cut: Cut,
    /// Of a file with entries: how many begin past the cut, and how many there are.
    pub entries: Option<(u64, u64)>,
    /// The lines of the file; 0 for a folder.
    pub n_lines: u64,
    /// The cap; none for the limit of all files.
    pub of: Option<&'static Cap>,
}

/// What a limit leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Nothing.
    None,
    /// From this line on, counted from 1; the line itself may be loaded in part.
    FromLine(u64),
    /// The middle; which lines is not known.
    Middle,
    /// Some of the files, in part or whole; which is not known.
    Files,
}

/// A file with a cap that could not be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The agent's id.
    pub agent: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Why, for a person.
    pub why: String,
}

/// Measures every file that an agent loads up to a cap, in the catalogue's order, by the agent's own measure.
pub fn loaded(found: &Found) -> (Vec<Loaded>, Vec<Unreadable>) {
    let mut measured = Vec::new();
    let mut unreadable = Vec::new();
    for loads in &found.loads {
        let mut in_all = 0;
        for &(name, cap) in &loads.files {
            let path = loads.folder.join(name);
            let text = match read(&path) {
                Ok(Some(text)) => text,
                Ok(None) => continue,
                Err(why) => {
                    unreadable.push(Unreadable {
                        agent: found.agent.id,
                        path,
                        why,
                    });
                    continue;
                }
            };
            let file = measure(found.agent, &path, &text, cap);
            in_all += file
                .iter()
                .filter(|row| loads.in_all.is_some_and(|limit| limit.unit == row.unit))
                .map(|row| row.used.min(row.cap))
                .sum::<u64>();
            measured.extend(file);
        }
        if let Some(Limit { unit, most }) = loads.in_all
            && in_all > 0
        {
            measured.push(Loaded {
                agent: found.agent.id,
                path: loads.folder.clone(),
                unit,
                used: in_all,
                cap: most,
                cut: if in_all > most { Cut::Files } else { Cut::None },
                entries: None,
                n_lines: 0,
                of: None,
            });
        }
    }
    (measured, unreadable)
}

/// One row for each limit of the cap.
fn measure(agent: &Agent, path: &Path, text: &str, cap: &'static Cap) -> Vec<Loaded> {
    cap.limits
        .iter()
        .map(|&Limit { unit, most }| {
            let used = size(text, unit);
            let at = fits(text, unit, most);
            let cut = match cap.keeps {
                _ if at == text.len() => Cut::None,
                Keeps::Beginning => Cut::FromLine(line_of(text, at)),
                Keeps::Ends => Cut::Middle,
            };
            let entries = cap.entries_split_by.map(|mark| {
                let starts = entry_starts(text, mark);
                let past = starts.iter().filter(|&&start| start >= at).count();
                (past as u64, starts.len() as u64)
            });
            Loaded {
                agent: agent.id,
                path: path.to_owned(),
                unit,
                used,
                cap: most,
                cut,
                entries,
                n_lines: text.lines().count() as u64,
                of: Some(cap),
            }
        })
        .collect()
}

/// Characters to a token, of English text.
const CHARACTERS_PER_TOKEN: u64 = 4;

fn size(text: &str, unit: Unit) -> u64 {
    let n = match unit {
        Unit::Characters => text.chars().count(),
        Unit::Utf16 => text.encode_utf16().count(),
        Unit::Bytes => text.len(),
        Unit::Lines => text.lines().count(),
        Unit::TokensEstimated => {
            return (text.chars().count() as u64).div_ceil(CHARACTERS_PER_TOKEN);
        }
    };
    n as u64
}

/// The byte up to which at most so many fit; the text's length where all of it does.
fn fits(text: &str, unit: Unit, most: u64) -> usize {
    let weight = |next: char| match unit {
        Unit::Characters | Unit::TokensEstimated => 1,
        Unit::Utf16 => next.len_utf16() as u64,
        Unit::Bytes => next.len_utf8() as u64,
        Unit::Lines => u64::from(next == '\n'),
    };
    let most = match unit {
        Unit::TokensEstimated => most * CHARACTERS_PER_TOKEN,
        Unit::Characters | Unit::Utf16 | Unit::Bytes | Unit::Lines => most,
    };
    let mut sum = 0;
    for (at, next) in text.char_indices() {
        // The line after the last that is counted begins with whatever comes.
        if sum + weight(next) > most || (unit == Unit::Lines && sum == most) {
            return at;
        }
        sum += weight(next);
    }
    text.len()
}

/// The line, counted from 1, that a byte lies in.
fn line_of(text: &str, at: usize) -> u64 {
    1 + text.as_bytes()[..at]
        .iter()
        .filter(|&&byte| byte == b'\n')
        .count() as u64
}

/// Where the entries of a file begin, parted by lines that hold nothing but `mark`.
fn entry_starts(text: &str, mark: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut is_before = true;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match line.trim() {
            "" => {}
            trimmed if trimmed == mark => is_before = true,
            _ if is_before => {
                starts.push(at);
                is_before = false;
            }
            _ => {}
        }
        at += line.len();
    }
    starts
}

/// The text of a file; none where there is none.
fn read(path: &Path) -> Result<Option<String>, String> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(config::words(&error)),
        Ok(found) if found.is_symlink() => {
            return Err("it is a link, and links are not followed".to_owned());
        }
        Ok(found) if !found.is_file() => return Err("it is not a file".to_owned()),
        Ok(found) if found.len() > MAX_FILE_BYTES => {
            return Err(format!("it is larger than {} MiB", MAX_FILE_BYTES >> 20));
        }
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(|error| config::words(&error))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(
        text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, unit: Unit, most: u64, used: u64, from_line: Option<u64>) {
        assert_eq!(size(text, unit), used, "{text:?} in {unit:?}");
        let at = fits(text, unit, most);
        let line = (at < text.len()).then(|| line_of(text, at));
        assert_eq!(line, from_line, "{text:?}, {most} {unit:?}");
    }

    #[test]
    fn the_cut_is_where_the_unit_says() {
        use Unit::{Bytes, Characters, Lines, TokensEstimated, Utf16};
        check("a\nb\nc\n", Lines, 3, 3, None);
        check("a\nb\nc", Lines, 3, 3, None);
        check("a\nb\nc\n", Lines, 2, 3, Some(3));
        check("a\nb\nc", Lines, 2, 3, Some(3));
        check("a\nb\n\n", Lines, 2, 3, Some(3));
        check("", Lines, 0, 0, None);
        check("a\nbc\n", Characters, 5, 5, None);
        check("a\nbc\n", Characters, 3, 5, Some(2));
        check("a\nbc\n", Characters, 2, 5, Some(2));
        check("ä\nb", Bytes, 3, 4, Some(2));
        check("ä\nb", Bytes, 1, 4, Some(1));
        check("🦞b", Characters, 2, 2, None);
        check("🦞b", Utf16, 2, 3, Some(1));
        check("🦞b", Utf16, 3, 3, None);
        check("12345", TokensEstimated, 1, 2, Some(1));
        check("1234\n567", TokensEstimated, 2, 2, None);
    }

    #[test]
    fn entries_are_parted_by_lines_of_their_mark() {
        for (text, expected) in [
            ("", vec![]),
            ("§\n§\n", vec![]),
            ("one\n§\ntwo § 2\n", vec![0, 7]),
            ("\none\nmore\n §\r\n\ntwo", vec![1, 16]),
        ] {
            assert_eq!(entry_starts(text, "§"), expected, "{text:?}");
        }
    }
}
