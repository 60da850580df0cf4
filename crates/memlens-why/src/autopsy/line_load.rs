//! What is loaded of the line that a fact is in, and of what matters in it.

use std::ops::Range;

use memlens_agents::{Extent, FileLoad, Line, LineLoads, Lost};
use memlens_handover::load_said::unloaded_said;
use memlens_wire::LoadedFile;

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

/// How much is loaded of what matters: of the ranges that are found in the line, if the line is loaded in part.
pub(super) fn wanted(line: &Line<'_>, find: impl Fn(&str) -> Vec<Range<usize>>) -> Extent {
    let whole = line.whole();
    let Extent::Part(lost) = whole else {
        return whole;
    };
    let ranges = find(line.text()).into_iter();
    let mut extents = ranges.map(|range| line.extent(range));
    let first = extents.next().unwrap_or(whole);
    if extents.all(|extent| extent == first) {
        first
    } else {
        Extent::Part(lost)
    }
}

/// What is loaded of a line of a note. `rows` are the limits of the note of one agent; `find` finds the ranges of a line that matter.
pub(super) fn line_load(
    rows: &[&LoadedFile],
    load: &FileLoad,
    number: u32,
    find: impl Fn(&str) -> Vec<Range<usize>>,
) -> LineLoad {
    let loads = LineLoads::new(&load.measured, &load.text);
    let Some(line) = loads.line(u64::from(number)) else {
        return LineLoad::Loaded;
    };
    let (extent, whole) = (wanted(&line, find), line.whole());
    let Some(said) = unloaded_said(rows, number..=number) else {
        return LineLoad::Loaded;
    };
    match extent {
        Extent::Whole => LineLoad::Loaded,
        Extent::Part(_) => LineLoad::InPart(said),
        Extent::Nothing(lost) => {
            let but = match whole {
                Extent::Part(_) => " It does not load this part.",
                Extent::Whole | Extent::Nothing(_) => "",
            };
            let said = said + but;
            match lost {
                Lost::Cut => LineLoad::Cut(said),
                Lost::Removed => LineLoad::Removed(said),
                Lost::Blocked => LineLoad::Blocked(said),
            }
        }
    }
}
