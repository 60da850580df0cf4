//! Sentences about what an agent does not load of a file. All are read from [`LoadedFile::unloaded`].

use std::ops::RangeInclusive;

use memlens_wire::{LoadCut, LoadedFile, Unloaded, UnloadedLines};

/// Number of ranges of lines that a sentence names.
const RANGES_NAMED: usize = 3;

/// The limit of a file that leaves out most; `None` if none leaves out anything.
pub fn tightest<'a>(rows: impl IntoIterator<Item = &'a LoadedFile>) -> Option<&'a LoadedFile> {
    rows.into_iter()
        .filter(|row| row.cut != LoadCut::None)
        .min_by_key(|row| row.cut_at_line.unwrap_or(u32::MAX))
}

/// What an agent does not load of some lines of a file, as a sentence; `None` if it loads all of them. `rows` are the limits of
/// one file of one agent.
pub fn unloaded_said(rows: &[&LoadedFile], lines: RangeInclusive<u32>) -> Option<String> {
    let row = tightest(rows.iter().copied()).or(rows.first().copied())?;
    let (first, last) = (*lines.start(), *lines.end());
    let runs: Vec<&UnloadedLines> = row
        .unloaded
        .iter()
        .filter(|run| run.first <= last && first <= run.last)
        .collect();
    match runs.as_slice() {
        [] => None,
        [run] if run.first <= first && last <= run.last => Some(if run.loaded.is_empty() {
            nothing_said(row, run, first == last)
        } else {
            part_said(row, run)
        }),
        runs => Some(some_said(row, runs, first, last)),
    }
}

/// Nothing of the lines is loaded.
fn nothing_said(row: &LoadedFile, run: &UnloadedLines, is_one: bool) -> String {
    match &run.why {
        Unloaded::PastCap => past_cap_said(row),
        Unloaded::Removed => removed_said(&row.agent_name, &row.name, &row.version, is_one),
        Unloaded::Blocked => blocked_said(row, run),
    }
}

/// The sentence about lines that an agent removes before it loads a file.
pub fn removed_said(agent_name: &str, name: &str, version: &str, is_one: bool) -> String {
    let these = if is_one {
        "this line is"
    } else {
        "these lines are"
    };
    format!(
        "{agent_name} removes front matter and comments from {name} before it loads it, and {these} in one of these (checked with {version})."
    )
}

fn blocked_said(row: &LoadedFile, run: &UnloadedLines) -> String {
    let LoadedFile {
        agent_name,
        name,
        version,
        ..
    } = row;
    let is_it = |(first, last, _): &&(u32, u32, String)| run.first <= *last && *first <= run.last;
    let (first, last, patterns) = row.blocked.iter().find(is_it).cloned().unwrap_or((
        run.first,
        run.last,
        "its patterns".to_owned(),
    ));
    format!(
        "Blocked: {agent_name} takes the entry in {} of {name} for a threat ({patterns}) and loads a remark in its place (checked with {version}).",
        lines_said(first, last)
    )
}

/// A single line of which a part is loaded.
fn part_said(row: &LoadedFile, run: &UnloadedLines) -> String {
    let LoadedFile {
        agent_name,
        name,
        version,
        ..
    } = row;
    let rest = match run.why {
        Unloaded::PastCap => "the rest is past the load cap",
        Unloaded::Removed => "it removes the rest as a comment or front matter",
        Unloaded::Blocked => "it takes the rest for a threat",
    };
    format!(
        "{agent_name} loads only {} of this line of {name}: {rest} (checked with {version}).",
        characters_said(&run.loaded)
    )
}

/// Some of several lines are not loaded.
fn some_said(row: &LoadedFile, runs: &[&UnloadedLines], first: u32, last: u32) -> String {
    let LoadedFile {
        agent_name,
        name,
        version,
        ..
    } = row;
    let why = |run: &UnloadedLines| match run.why {
        Unloaded::PastCap => "past the load cap",
        Unloaded::Removed => "removed before loading",
        Unloaded::Blocked => "blocked as a threat",
    };
    let named = runs.iter().take(RANGES_NAMED).map(|run| {
        let lines = lines_said(run.first.max(first), run.last.min(last));
        if run.loaded.is_empty() {
            format!("{lines} ({})", why(run))
        } else {
            let loaded = characters_said(&run.loaded);
            format!("all of {lines} but {loaded} ({})", why(run))
        }
    });
    let more = match runs.len().saturating_sub(RANGES_NAMED) {
        0 => String::new(),
        1 => ", and 1 more range".to_owned(),
        n => format!(", and {n} more ranges"),
    };
    format!(
        "{agent_name} loads {} of {name} only in part. It does not load {}{more} (checked with {version}).",
        lines_said(first, last),
        named.collect::<Vec<_>>().join(", ")
    )
}

/// What a limit leaves out of a file, as a sentence.
fn past_cap_said(row: &LoadedFile) -> String {
    let LoadedFile {
        agent_name,
        name,
        unit,
        used,
        version,
        ..
    } = row;
    let cap = row.cap.unwrap_or_default();
    let total = if row.is_by_total {
        ", which is what the files before it leave of the total"
    } else {
        ""
    };
    let (first, last) = ends_of_cut(row);
    match row.again_at_line {
        None => {
            let from = if is_in_part(first) {
                let line = row.cut_at_line.unwrap_or_default();
                format!("which end within line {line}, so of what follows it sees nothing")
            } else {
                let line = first.map_or(row.cut_at_line.unwrap_or_default(), |run| run.first);
                format!("so from line {line} on it sees nothing")
            };
            format!(
                "Past the load cap: {agent_name} loads {name} up to {cap} {unit}{total}, {from} unless it opens the file (checked with {version})."
            )
        }
        Some(_) => {
            let digest = if row.digest.is_empty() {
                ""
            } else {
                ", except for the lines that it shows in a digest"
            };
            format!(
                "Past the load cap: {agent_name} loads at most {cap} of the {used} {unit} of {name}{total}. It leaves out the middle, {}{digest}, and sees that only if it opens the file (checked with {version}).",
                middle_said(first, last)
            )
        }
    }
}

/// `lines 3 to 5`, `from within line 3 to line 5`.
fn middle_said(first: Option<&UnloadedLines>, last: Option<&UnloadedLines>) -> String {
    let (Some(first), Some(last)) = (first, last) else {
        return "of blank lines".to_owned();
    };
    match (is_in_part(Some(first)), is_in_part(Some(last))) {
        (false, false) => lines_said(first.first, last.last),
        (true, true) if first.first == last.last => format!("within line {}", first.first),
        (true, true) => format!(
            "from within line {} to within line {}",
            first.first, last.last
        ),
        (true, false) => format!("from within line {} to line {}", first.first, last.last),
        (false, true) => format!("from line {} to within line {}", first.first, last.last),
    }
}

fn is_in_part(run: Option<&UnloadedLines>) -> bool {
    run.is_some_and(|run| !run.loaded.is_empty())
}

/// First and last lines that the limits of a file leave out.
fn ends_of_cut(row: &LoadedFile) -> (Option<&UnloadedLines>, Option<&UnloadedLines>) {
    let mut cut = past_cap(row);
    let first = cut.next();
    (first, cut.last().or(first))
}

/// The lines that one limit of a file leaves out, whole or in part.
fn past_cap(row: &LoadedFile) -> impl Iterator<Item = &UnloadedLines> {
    let first = row.cut_at_line.unwrap_or(u32::MAX);
    let is_it = move |run: &&UnloadedLines| run.why == Unloaded::PastCap && first <= run.last;
    row.unloaded.iter().filter(is_it)
}

/// What one limit leaves out of a file, for a list: `cut at line 201: 50 of 250 lines are not loaded`; empty if nothing.
pub fn cut_said(row: &LoadedFile) -> String {
    let (Some(cut), n_lines) = (row.cut_at_line, row.n_lines) else {
        return match row.cut {
            LoadCut::Files => "some of its files are cut".to_owned(),
            LoadCut::None | LoadCut::End | LoadCut::Middle => String::new(),
        };
    };
    let whole = past_cap(row).filter(|run| run.loaded.is_empty());
    let n_lost: u32 = whole.map(|run| run.last - run.first.max(cut) + 1).sum();
    let are = if n_lost == 1 { "is" } else { "are" };
    let n_said = format!("{n_lost} of {n_lines} lines {are} not loaded");
    let (first, last) = ends_of_cut(row);
    match row.again_at_line {
        None if is_in_part(first) && n_lost == 0 => format!("cut within line {cut}"),
        None if is_in_part(first) => format!("cut within line {cut}: {n_said}"),
        None => {
            let line = first.map_or(cut, |run| run.first.max(cut));
            format!("cut at line {line}: {n_said}")
        }
        Some(_) => {
            let digest = match row.digest.as_slice() {
                [] => String::new(),
                digest => format!(", except for a digest of {}", ranges_said(digest)),
            };
            let middle = middle_said(first, last);
            if is_in_part(first) || is_in_part(last) {
                format!("the text {middle} of {n_lines} is not loaded{digest}")
            } else {
                let is_one = first.is_some_and(|first| first.first == first.last) && first == last;
                let are = if is_one { "is" } else { "are" };
                format!("{middle} of {n_lines} {are} not loaded{digest}")
            }
        }
    }
}

/// The lines of a file that its agent removes before it loads it, for a list: `lines 1 to 4 are removed before loading`; empty
/// if there are none.
pub fn removed_lines_said(unloaded: &[UnloadedLines]) -> String {
    let removed = unloaded.iter().filter(|run| run.why == Unloaded::Removed);
    let ranges: Vec<(u32, u32)> = removed.map(|run| (run.first, run.last)).collect();
    match ranges.as_slice() {
        [] => String::new(),
        [(first, last)] if first == last => {
            format!("line {first} is removed before loading (front matter and comments)")
        }
        ranges => format!(
            "{} are removed before loading (front matter and comments)",
            ranges_said(ranges)
        ),
    }
}

/// What is not loaded of a file, for a list: `lines 5 to 9 of 20 are not loaded`; `None` if it is loaded whole.
pub fn unloaded_lines_said(unloaded: &[UnloadedLines], n_lines: u32) -> Option<String> {
    let past_cap = |run: &&UnloadedLines| run.why != Unloaded::Removed;
    let (whole, parts): (Vec<_>, Vec<_>) = unloaded
        .iter()
        .filter(past_cap)
        .partition(|run| run.loaded.is_empty());
    let ranges: Vec<(u32, u32)> = whole.iter().map(|run| (run.first, run.last)).collect();
    let mut said = Vec::new();
    match ranges.as_slice() {
        [] => {}
        [(first, last)] if first == last => {
            said.push(format!("line {first} of {n_lines} is not loaded"));
        }
        ranges => said.push(format!(
            "{} of {n_lines} are not loaded",
            ranges_said(ranges)
        )),
    }
    said.extend(
        parts
            .iter()
            .take(RANGES_NAMED)
            .map(|run| format!("line {} is loaded only in part", run.first)),
    );
    said.extend(Some(removed_lines_said(unloaded)).filter(|removed| !removed.is_empty()));
    (!said.is_empty()).then(|| said.join(", "))
}

/// `3`, `3 to 5`.
fn range_said(first: u32, last: u32) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first} to {last}")
    }
}

/// `lines 3 to 5, 7, 9 and 2 more ranges`.
fn ranges_said(ranges: &[(u32, u32)]) -> String {
    if let [(first, last)] = ranges {
        return lines_said(*first, *last);
    }
    let mut named: Vec<String> = ranges
        .iter()
        .take(RANGES_NAMED)
        .map(|(first, last)| range_said(*first, *last))
        .collect();
    let last = match ranges.len().saturating_sub(RANGES_NAMED) {
        0 => named.pop().unwrap_or_default(),
        1 => "1 more range".to_owned(),
        n => format!("{n} more ranges"),
    };
    format!("lines {} and {last}", named.join(", "))
}

/// `characters 1 to 37 and 50 to 60`.
fn characters_said(parts: &[(u32, u32)]) -> String {
    let named: Vec<String> = parts
        .iter()
        .map(|(first, last)| range_said(*first, *last))
        .collect();
    match named.as_slice() {
        [one] if !one.contains(' ') => format!("character {one}"),
        named => format!("characters {}", named.join(" and ")),
    }
}

/// `line 3`, `lines 3 to 5`.
pub(crate) fn lines_said(first: u32, last: u32) -> String {
    if first == last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    }
}
