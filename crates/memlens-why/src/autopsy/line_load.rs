//! How much of one line of a file an agent loads.

use std::ops::Range;

use memlens_agents::{FileLoad, Measured, Part, Removed, Unit};
use memlens_handover::agents::past_cap;
use memlens_wire::LoadedFile;

/// Longest line of OpenClaw's digest, in UTF-16 units; a longer one ends in an ellipsis.
const DIGEST_LINE_MAX: u64 = 240;

/// How much of a text is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    Part,
    Nothing,
}

/// What is loaded of a line, with the sentence for the user.
pub(super) enum LineLoad {
    /// The line is loaded, or what matters of it.
    Loaded,
    /// A part of it is loaded, and nothing says whether that is what matters.
    InPart(String),
    /// A limit leaves it out.
    Cut(String),
    /// The agent blocks the entry that it is in.
    Blocked(String),
    /// The agent removes it from the text before it loads it.
    Removed(String),
}

/// A line of a file with what is loaded of it.
pub(super) struct Line<'a> {
    text: &'a str,
    /// Where it begins in the file.
    at: usize,
    measured: &'a Measured,
}

impl<'a> Line<'a> {
    /// The line of a number, counted from 1; `None` if the file has fewer.
    pub fn of(measured: &'a Measured, text: &'a str, number: u32) -> Option<Line<'a>> {
        let mut at = 0;
        for (line, source) in (1..).zip(text.split_inclusive('\n')) {
            if line == number {
                let text = source.trim_end_matches(['\n', '\r']);
                return Some(Line { text, at, measured });
            }
            at += source.len();
        }
        None
    }

    /// How much of a range of the line is loaded. White space does not count, and an entry counts as loaded if an equal one is.
    fn extent(&self, range: Range<usize>) -> Extent {
        let n_in_digest = shown_in_digest(self.text);
        let is_loaded = |inner: usize| {
            let at = self.at + inner;
            let mut kept = self.measured.kept.iter();
            let mut left_out = self.measured.left_out.iter();
            kept.any(|kept| {
                kept.range.contains(&at) && (kept.part != Part::Digest || inner < n_in_digest)
            }) || left_out.any(|one| one.threats.is_empty() && one.range.contains(&at))
        };
        let signs = self.text[range.clone()].char_indices();
        let signs = signs.filter(|(_, sign)| !sign.is_whitespace());
        let (loaded, lost): (Vec<usize>, Vec<usize>) = signs
            .map(|(at, _)| range.start + at)
            .partition(|at| is_loaded(*at));
        match (loaded.is_empty(), lost.is_empty()) {
            (_, true) => Extent::Whole,
            (true, false) => Extent::Nothing,
            (false, false) => Extent::Part,
        }
    }

    /// How much of the whole line is loaded.
    pub fn whole(&self) -> Extent {
        self.extent(0..self.text.len())
    }

    /// How much is loaded of what matters: of the ranges that are found in the line, if the line is loaded in part. Also whether a limit
    /// leaves that out.
    pub fn wanted(&self, find: impl Fn(&str) -> Vec<Range<usize>>) -> (Extent, bool) {
        let start = self.text.len() - self.text.trim_start().len();
        let whole = self.whole();
        let wanted = if whole == Extent::Part {
            find(self.text)
        } else {
            Vec::new()
        };
        let mut extents = wanted.iter().map(|range| self.extent(range.clone()));
        let first = extents.next().unwrap_or(whole);
        let extent = if extents.all(|extent| extent == first) {
            first
        } else {
            Extent::Part
        };
        let at = self.at + wanted.first().map_or(start, |range| range.start);
        let is_cut = self.measured.cut().is_some_and(|cut| cut.contains(&at));
        (extent, is_cut)
    }
}

/// How many bytes of a line the digest shows.
fn shown_in_digest(line: &str) -> usize {
    let is_space = |sign: char| sign == '\u{feff}' || (sign.is_whitespace() && sign != '\u{85}');
    let words: Vec<&str> = line
        .split(is_space)
        .filter(|word| !word.is_empty())
        .collect();
    if Unit::Utf16.size(&words.join(" ")) <= DIGEST_LINE_MAX {
        return line.len();
    }
    let mut n_units = 0;
    let mut is_between = false;
    for (at, sign) in line.trim_start_matches(is_space).char_indices() {
        let at = at + line.len() - line.trim_start_matches(is_space).len();
        if is_space(sign) {
            n_units += u64::from(!is_between);
            is_between = true;
            continue;
        }
        is_between = false;
        n_units += sign.len_utf16() as u64;
        if n_units > DIGEST_LINE_MAX - 1 {
            return at;
        }
    }
    line.len()
}

/// What is loaded of a line of a note. `row` is the tightest limit of the note, or any; `find` finds the ranges of a line that matter.
pub(super) fn line_load(
    row: &LoadedFile,
    load: &FileLoad,
    number: u32,
    find: impl Fn(&str) -> Vec<Range<usize>>,
) -> LineLoad {
    let Some(line) = Line::of(&load.measured, &load.text, number) else {
        return LineLoad::Loaded;
    };
    let LoadedFile {
        agent_name,
        name,
        version,
        ..
    } = row;
    let (extent, is_cut) = line.wanted(find);
    match extent {
        Extent::Whole => LineLoad::Loaded,
        Extent::Part => LineLoad::InPart(format!(
            "{agent_name} loads only a part of this line of {name} (checked with {version})."
        )),
        Extent::Nothing => {
            let is_blocked =
                |(first, last, _): &(u32, u32, String)| (*first..=*last).contains(&number);
            if row.blocked.iter().any(is_blocked)
                && let Some(said) = past_cap(row, Some(number))
            {
                return LineLoad::Blocked(said);
            }
            if is_cut && let Some(said) = cut_said(row, load, &line) {
                return LineLoad::Cut(said);
            }
            let mut removed = load.cap.removed.iter();
            if removed.any(|it| matches!(it, Removed::FrontMatter | Removed::BlockComments)) {
                LineLoad::Removed(removed_said(agent_name, name, version))
            } else {
                LineLoad::Loaded
            }
        }
    }
}

/// The sentence about a line that a limit leaves out, whole or in part.
fn cut_said(row: &LoadedFile, load: &FileLoad, line: &Line<'_>) -> Option<String> {
    let cut = row.cut_at_line?;
    let first = Line::of(&load.measured, &load.text, cut);
    let is_first_in_part = first.is_some_and(|first| first.whole() == Extent::Part);
    let said = match row.again_at_line {
        None if is_first_in_part => {
            let LoadedFile {
                agent_name,
                name,
                unit,
                version,
                ..
            } = row;
            let cap = row.cap.unwrap_or_default();
            format!(
                "Past the load cap: {agent_name} loads {name} up to {cap} {unit}, which end within line {cut}, so of what follows it sees nothing unless it opens the file (checked with {version})."
            )
        }
        None | Some(_) => past_cap(row, None)?,
    };
    let but = if line.whole() == Extent::Part {
        " It loads a part of this line, but not this part."
    } else {
        ""
    };
    Some(said + but)
}

/// The sentence about a line that an agent removes before it loads a file.
pub(super) fn removed_said(agent_name: &str, name: &str, version: &str) -> String {
    format!(
        "{agent_name} removes front matter and comments from {name} before it loads it, and this line is in one of these (checked with {version})."
    )
}
