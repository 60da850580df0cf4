//! What an agent loads of its memory when a session begins, and where it is cut.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_ingest::MAX_FILE_BYTES;

use crate::agent::{Cap, Keeps, Limit, Unit};
use crate::config;
use crate::looking::{Found, IfMissing, LoadFile, Loads};
use crate::measure::{self, FILE_BUDGET_MIN, Measured, Part, line_of, measure};

/// A file that an agent loads, with its text and what is loaded of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLoad {
    /// Id of the agent that loads it.
    pub agent: &'static str,
    /// Absolute path of the file.
    pub path: PathBuf,
    /// Its text. Without a byte-order mark, unless the agent loads it.
    pub text: String,
    /// What is loaded of the text.
    pub measured: Measured,
    /// The rule that was applied.
    pub cap: Cap,
    /// Whether a total over several files left less room for it than its own limit.
    pub is_by_total: bool,
}

impl FileLoad {
    /// First and last lines of what is loaded as a digest.
    pub fn digest_lines(&self) -> Vec<(u64, u64)> {
        let kept = self.measured.kept.iter();
        kept.filter(|kept| kept.part == Part::Digest)
            .map(|kept| self.lines(&kept.range))
            .collect()
    }

    /// First and last lines of each entry that the agent blocks, with the patterns that it matches.
    pub fn blocked_lines(&self) -> Vec<(u64, u64, String)> {
        let left_out = self.measured.left_out.iter();
        left_out
            .filter(|one| !one.threats.is_empty())
            .map(|one| {
                let (first, last) = self.lines(&one.range);
                (first, last, one.threats.join(", "))
            })
            .collect()
    }

    fn lines(&self, range: &std::ops::Range<usize>) -> (u64, u64) {
        let last = range.end.saturating_sub(1).max(range.start);
        (line_of(&self.text, range.start), line_of(&self.text, last))
    }
}

/// One file against one limit, or all files of a folder against theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Id of the agent that loads it.
    pub agent: &'static str,
    /// Path of the file; of the folder for the limit of all its files.
    pub path: PathBuf,
    /// Unit in which the limit counts.
    pub unit: Unit,
    /// Size in that unit, without what is removed before counting.
    pub used: u64,
    /// The limit; `None` if the file has none and is loaded whole.
    pub cap: Option<u64>,
    /// Whether text over the limit is left out; otherwise the agent only refuses to add more.
    pub cuts: bool,
    /// What is left out by this limit.
    pub cut: Cut,
    /// How much of `used` is not loaded as it is, by this limit and those before it; 0 without a cut, and for several files.
    pub left_out: u64,
    /// Whether a total over several files lowered the limit.
    pub is_by_total: bool,
    /// Files with entries: how many begin in what is cut, and how many there are.
    pub entries: Option<(u64, u64)>,
    /// The lines of the file; 0 for a folder.
    pub n_lines: u64,
    /// The rule; `None` for the limit of all files.
    pub of: Option<Cap>,
}

/// What a limit leaves out. Lines are those of the file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The limit leaves nothing out.
    None,
    /// From this line on; the line itself may be loaded in part.
    FromLine(u64),
    /// The middle of the file.
    Middle {
        /// The first line that is not loaded whole.
        from: u64,
        /// The first line that is loaded whole again, after the middle.
        again: u64,
    },
    /// Some of the files, in part or whole.
    Files,
}

/// A file with a cap that could not be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Id of the agent that loads it.
    pub agent: &'static str,
    /// Absolute path of the file.
    pub path: PathBuf,
    /// The reason, to show to the user.
    pub why: String,
}

/// A file that an agent would load and that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Id of the agent that would load it.
    pub agent: &'static str,
    /// Where the file would be.
    pub path: PathBuf,
    /// Consequence, for the user: `so Codex loads nothing of its memories`.
    pub so: &'static str,
}

/// What an agent loads of its memory files, in its own order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryLoad {
    /// The files that were read.
    pub files: Vec<FileLoad>,
    /// One row for each limit of each file, and one for a total.
    pub rows: Vec<Loaded>,
    /// Files that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Files that the agent would load and that do not exist.
    pub missing: Vec<Missing>,
    /// The texts that the agent is given, each with its file; a line about a missing or unreadable file is one too.
    pub given: Vec<(PathBuf, String)>,
}

/// Predicts what an agent loads of the memory files that were found, by the agent's own measure.
pub fn loaded(found: &Found) -> MemoryLoad {
    let mut load = MemoryLoad::default();
    for loads in &found.loads {
        load_folder(found, loads, &mut load);
    }
    load
}

fn load_folder(found: &Found, loads: &Loads, load: &mut MemoryLoad) {
    let agent = found.agent.id;
    let mut total = Total {
        left: loads.in_all.map(|limit| limit.most),
        in_all: 0,
        is_cut: false,
    };
    for file in &loads.files {
        let path = loads.folder.join(file.name);
        match read_as_agent(&path, &file.cap) {
            Ok(Some(text)) => {
                let one = total.measure(agent, path, text, file);
                if !one.measured.given.is_empty() {
                    load.given
                        .push((one.path.clone(), one.measured.given.clone()));
                }
                load.rows.extend(rows(&one));
                load.files.push(one);
            }
            Ok(None) => {
                let line = format!("[MISSING] Expected at: {}", path.display());
                match file.if_missing {
                    IfMissing::Nothing => {}
                    IfMissing::Cost => _ = total.charge(&line),
                    IfMissing::Finding { so, costs } => {
                        if costs {
                            load.give_line(&path, total.charge(&line));
                        }
                        load.missing.push(Missing { agent, path, so });
                    }
                }
            }
            Err((why, line)) => {
                if let Some(line) = line {
                    load.give_line(&path, total.charge(line));
                }
                load.unreadable.push(Unreadable { agent, path, why });
            }
        }
    }
    load.rows.extend(total.row(agent, loads));
}

impl MemoryLoad {
    /// Adds a line that is in place of a file, unless no room is left for it.
    fn give_line(&mut self, path: &Path, line: String) {
        if !line.is_empty() {
            self.given.push((path.to_owned(), line));
        }
    }
}

/// The text of a file as an agent with this cap reads it; the error has the line that the agent is given instead, if
/// any.
fn read_as_agent(path: &Path, cap: &Cap) -> Result<Option<String>, (String, Option<&'static str>)> {
    match cap.keeps {
        Keeps::OpenClaw => openclaw_text(path),
        // Hermes treats the mark as part of the first entry.
        Keeps::Entries => read_with_mark(path).map_err(|why| (why, None)),
        Keeps::Beginning | Keeps::BeginningExactly | Keeps::Ends { .. } => {
            read(path).map_err(|why| (why, None))
        }
    }
}

/// The limit of all files of a folder together, spent in their order. Sizes are in UTF-16 units.
struct Total {
    /// `None` without such a limit.
    left: Option<u64>,
    /// The size that would be spent without the limit.
    in_all: u64,
    /// Whether it cut a file.
    is_cut: bool,
}

impl Total {
    /// Counts a line in place of a file; returns the part that fits.
    fn charge(&mut self, line: &str) -> String {
        self.in_all += Unit::Utf16.size(line);
        let line = measure::clamped(line, self.left.unwrap_or(u64::MAX));
        self.left = self.left.map(|left| left - Unit::Utf16.size(&line));
        line
    }

    /// Measures what is loaded of a file, and counts it.
    fn measure(
        &mut self,
        agent: &'static str,
        path: PathBuf,
        text: String,
        file: &LoadFile,
    ) -> FileLoad {
        let own = file.cap.limits.first().map(|limit| limit.most);
        let is_by_total = self
            .left
            .is_some_and(|left| own.is_none_or(|own| left < own));
        let measured = match self.left {
            Some(most) if most < FILE_BUDGET_MIN => {
                self.left = Some(0);
                Measured::nothing(&text, Unit::Utf16)
            }
            _ => measure(&text, file.name, &file.cap, self.left),
        };
        let given = Unit::Utf16.size(&measured.given);
        self.left = self.left.map(|left| left.saturating_sub(given));
        self.in_all += match own {
            Some(own) => measured.counts[0].used.min(own),
            None => given,
        };
        let is_by_total = is_by_total && measured.cut().is_some();
        self.is_cut |= is_by_total;
        FileLoad {
            agent,
            path,
            text,
            measured,
            cap: file.cap.clone(),
            is_by_total,
        }
    }

    /// The row of the limit; `None` without one, and if no file counts toward it.
    fn row(&self, agent: &'static str, loads: &Loads) -> Option<Loaded> {
        let Limit { unit, most, .. } = loads.in_all?;
        (self.in_all > 0).then(|| Loaded {
            agent,
            path: loads.folder.clone(),
            unit,
            used: self.in_all,
            cap: Some(most),
            cuts: true,
            cut: if self.is_cut { Cut::Files } else { Cut::None },
            left_out: 0,
            is_by_total: false,
            entries: None,
            n_lines: 0,
            of: None,
        })
    }
}

/// One row for each limit of a file; one without a limit if it has none.
pub(crate) fn rows(file: &FileLoad) -> Vec<Loaded> {
    let FileLoad {
        agent,
        path,
        text,
        measured,
        cap,
        is_by_total,
    } = file;
    let n_lines = text.lines().count() as u64;
    let row = |unit, used, most, cuts, cut: Option<std::ops::Range<usize>>, left_out| Loaded {
        agent,
        path: path.clone(),
        unit,
        used,
        cap: most,
        cuts,
        left_out,
        entries: cap.entries_split_by.map(|mark| {
            let starts = entry_starts(text, mark);
            let is_past = |start: &&usize| cut.as_ref().is_some_and(|cut| cut.contains(start));
            (
                starts.iter().filter(is_past).count() as u64,
                starts.len() as u64,
            )
        }),
        cut: cut.map_or(Cut::None, |cut| cut_lines(text, cut)),
        is_by_total: *is_by_total,
        n_lines,
        of: Some(cap.clone()),
    };
    if measured.counts.is_empty() {
        let used = Unit::Characters.size(text);
        return vec![row(Unit::Characters, used, None, false, None, 0)];
    }
    let counts = measured.counts.iter().enumerate();
    counts
        .map(|(at, count)| {
            let cuts = cap.limits.get(at).is_none_or(|limit| limit.cuts);
            row(
                count.unit,
                count.used,
                Some(count.cap),
                cuts,
                count.cut.clone(),
                count.left_out,
            )
        })
        .collect()
}

/// The lines of a text that are not loaded.
pub(crate) fn cut_lines(text: &str, cut: std::ops::Range<usize>) -> Cut {
    let after = &text[cut.start..];
    // A cut at the end of a line does not cut that line.
    let start = if after.starts_with('\n') {
        cut.start + 1
    } else if after.starts_with("\r\n") {
        cut.start + 2
    } else {
        cut.start
    };
    let from = line_of(text, start.min(text.len()));
    if text[cut.end..].trim().is_empty() {
        return Cut::FromLine(from);
    }
    let is_line_start = cut.end == 0 || text[..cut.end].ends_with('\n');
    Cut::Middle {
        from,
        again: line_of(text, cut.end) + u64::from(!is_line_start),
    }
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

/// The largest file that OpenClaw reads.
const OPENCLAW_BYTES_MAX: u64 = 2_097_152;

/// The text of a file as OpenClaw reads it, with its byte-order mark; for a file that it does not read, why, and what it loads instead.
fn openclaw_text(path: &Path) -> Result<Option<String>, (String, Option<&'static str>)> {
    if let Ok(found) = path.symlink_metadata() {
        if found.is_symlink() {
            return Err((
                "it is a link, which OpenClaw does not follow".to_owned(),
                Some("[UNREADABLE: symlink path component not allowed]"),
            ));
        }
        if found.is_file() && found.len() > OPENCLAW_BYTES_MAX {
            return Err((
                format!(
                    "it is larger than {OPENCLAW_BYTES_MAX} bytes, so OpenClaw does not load it"
                ),
                Some("[UNREADABLE: File exceeds 2097152 bytes]"),
            ));
        }
    }
    read_with_mark(path).map_err(|why| (why, None))
}

/// The text of a file without its byte-order mark; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, String> {
    let text = read_with_mark(path)?;
    Ok(text.map(|text| text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned()))
}

/// The text of a file; `None` if it does not exist.
fn read_with_mark(path: &Path) -> Result<Option<String>, String> {
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
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_named_by_lines_of_the_file() {
        for (cut, expected) in [
            (3..11, Cut::FromLine(2)),
            (4..11, Cut::FromLine(2)),
            (5..11, Cut::FromLine(2)),
            (3..8, Cut::Middle { from: 2, again: 3 }),
            (5..9, Cut::Middle { from: 2, again: 4 }),
            (0..11, Cut::FromLine(1)),
        ] {
            assert_eq!(cut_lines("one\ntwo\nsix", cut.clone()), expected, "{cut:?}");
        }
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
