//! Folds copies of a better row's text under that row, and moves a chunk to the end if better rows already
//! show its lines.
//!
//! Copied files, archives and repeated lines fill a list with one text. Which chunks are copies is a fact of the
//! candidates ([`Candidate::copies`]). Chunks of one file overlap, and showing the same lines three times wastes
//! results; such rows are moved and never dropped.

use std::cmp::Ordering;
use std::ops::Range;

use memlens_params::{Copies, StageId};

use crate::look::{First, Hue, Look};
use crate::pipeline::{Context, Outcome, Row, Stage};
use crate::reason::{Effect, Placer, Reason, Record, record};
use crate::stages::SWITCHED_OFF;
use crate::words::{ranks_text, share};
use crate::{Age, Candidate};

/// How much of the row's text better rows already show, and which rows are its copies.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeats {
    /// The share of the row's bytes that is shown, in `[0, 1]`.
    pub share: f64,
    /// The row moves to the end if `share` is above this.
    pub limit: f64,
    /// The 1-based ranks, after this stage, of the rows that show it, ascending; may be empty.
    pub shown_by: Vec<u32>,
    /// The row's new 0-based place; 0 if it is folded.
    pub place: u32,
    /// The 1-based rank, after this stage, of the best row whose text is a copy of this one's; the row is dropped
    /// then. `None` for a row without copies, for the best of them, and if copies are not folded.
    pub folded_under: Option<u32>,
    /// Number of copies that are folded under the row.
    pub n_copies: u32,
    /// The slots of the copies, newest first, ties by their order; empty if reasons are not recorded.
    pub copies: Vec<u32>,
}

/// Moves overlapping text to the end.
pub const STAGE: Stage = Stage {
    id: StageId::REPEATS,
    explain: repeats,
    look: Look {
        first: First::Remarked,
        ..Look::of(Hue::Cut)
    },
};

/// Goes down the rows. Folds those whose text is a copy of a row above, and moves those to the end of which more than
/// `repeat_share` of the bytes are shown by rows above.
fn repeats(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let params = context.params;
    let limit = params.repeat_share;
    if !params.repeats_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    let moves = limit < 1.0;
    let folds = params.copies == Copies::Fold;
    if !moves && !folds {
        return Outcome::skipped("off: share 1, copies kept");
    }
    let groups = if folds {
        CopyGroups::of(context, rows)
    } else {
        CopyGroups::default()
    };
    if !moves && groups.is_empty() {
        return Outcome::skipped("share is 1, and no row has copies");
    }
    let found = if moves {
        shown_before(context, rows, &groups)
    } else {
        vec![(0.0, Vec::new()); rows.len()]
    };

    // The new places are computed first, because `shown_by` holds the ranks that are displayed.
    let is_taken = |at: usize| found[at].0 <= limit && !groups.is_folded(at);
    let n_taken = (0..rows.len()).filter(|at| is_taken(*at)).count() as u32;
    let (mut next_taken, mut next_aside) = (0, n_taken);
    let mut places: Vec<u32> = Vec::with_capacity(rows.len());
    for at in 0..rows.len() {
        if groups.is_folded(at) {
            places.push(0);
            continue;
        }
        let next = if is_taken(at) {
            &mut next_taken
        } else {
            &mut next_aside
        };
        places.push(*next);
        *next += 1;
    }
    let n_moved = next_aside - n_taken;
    let n_folded = rows.len() as u32 - next_aside;
    let reasons = found
        .into_iter()
        .enumerate()
        .map(|(at, (share, shown_by))| {
            let copies = groups.under(at);
            Repeats {
                share,
                limit,
                shown_by: shown_by
                    .iter()
                    .map(|position| places[*position as usize] + 1)
                    .collect(),
                place: places[at],
                folded_under: groups.first_of(at).map(|first| places[first as usize] + 1),
                n_copies: copies.len() as u32,
                copies: if context.is_recorded {
                    newest_first(context, rows, copies)
                } else {
                    Vec::new()
                },
            }
        });
    let reasons = context.decided(reasons);
    let copies = if n_folded == 1 { "copy" } else { "copies" };
    let folded = (n_folded > 0).then(|| format!("{n_folded} {copies} folded"));
    let moved = (n_moved > 0).then(|| format!("{n_moved} moved to the end"));
    let said: Vec<String> = folded.into_iter().chain(moved).collect();
    Outcome {
        note: (!said.is_empty()).then(|| said.join(", ")),
        ..Outcome::applied(reasons)
    }
}

/// Returns for each row the share of its bytes that rows taken before it show, and the positions of those rows.
fn shown_before(context: &Context<'_>, rows: &[Row], groups: &CopyGroups) -> Vec<(f64, Vec<u32>)> {
    let limit = context.params.repeat_share;
    // Documents do not overlap, so each is handled on its own, in the order of its rows.
    let document = |position: u32| {
        let slot = rows[position as usize].slot;
        context.set.candidates[slot as usize].document
    };
    let mut positions: Vec<(u32, u32)> = (0..rows.len() as u32)
        .map(|position| (document(position), position))
        .collect();
    positions.sort_unstable();
    let mut found: Vec<(f64, Vec<u32>)> = vec![(0.0, Vec::new()); rows.len()];
    let mut shown = Shown::default();
    for of_document in positions.chunk_by(|a, b| a.0 == b.0) {
        shown.clear();
        for (_, position) in of_document {
            if groups.is_folded(*position as usize) {
                continue;
            }
            let row = &rows[*position as usize];
            let bytes = &context.set.candidates[row.slot as usize].bytes;
            let (share, shown_by) = shown.share_of(bytes);
            if share <= limit {
                shown.take(bytes.clone(), *position);
            }
            found[*position as usize] = (share, shown_by);
        }
    }
    found
}

/// The rows that are copies of a better one, by position.
#[derive(Default)]
struct CopyGroups {
    /// For each folded row, the position of the best row of its group. The vector is empty if no row is folded.
    first_of: Vec<Option<u32>>,
    /// Pairs of the position of a group's best row and the position of a row folded under it, ascending.
    under: Vec<(u32, u32)>,
}

impl CopyGroups {
    fn of(context: &Context<'_>, rows: &[Row]) -> CopyGroups {
        let group = |row: &Row| context.set.candidates[row.slot as usize].copies;
        let grouped = (0..)
            .zip(rows)
            .filter_map(|(at, row)| Some((group(row)?, at)));
        let mut grouped: Vec<(u32, u32)> = grouped.collect();
        grouped.sort_unstable();
        let mut under: Vec<(u32, u32)> = Vec::new();
        for group in grouped.chunk_by(|a, b| a.0 == b.0) {
            let (_, first) = group[0];
            under.extend(group[1..].iter().map(|(_, at)| (first, *at)));
        }
        let mut groups = CopyGroups::default();
        if !under.is_empty() {
            groups.first_of = vec![None; rows.len()];
            for (first, at) in &under {
                groups.first_of[*at as usize] = Some(*first);
            }
            under.sort_unstable();
            groups.under = under;
        }
        groups
    }

    fn is_empty(&self) -> bool {
        self.under.is_empty()
    }

    fn first_of(&self, at: usize) -> Option<u32> {
        self.first_of.get(at).copied().flatten()
    }

    fn is_folded(&self, at: usize) -> bool {
        self.first_of(at).is_some()
    }

    /// Returns the pairs of `under` whose best row is at this position.
    fn under(&self, at: usize) -> &[(u32, u32)] {
        let at = at as u32;
        let from = self.under.partition_point(|(first, _)| *first < at);
        let to = self.under.partition_point(|(first, _)| *first <= at);
        &self.under[from..to]
    }
}

/// Returns the slots of folded rows, newest first.
fn newest_first(context: &Context<'_>, rows: &[Row], copies: &[(u32, u32)]) -> Vec<u32> {
    let mut slots: Vec<u32> = copies
        .iter()
        .map(|(_, at)| rows[*at as usize].slot)
        .collect();
    let candidate = |slot: u32| &context.set.candidates[slot as usize];
    slots.sort_by(|a, b| by_age(candidate(*a), candidate(*b)));
    slots
}

/// Orders younger before older, and those without an age last; ties follow the total order.
fn by_age(a: &Candidate, b: &Candidate) -> Ordering {
    let days = |candidate: &Candidate| match candidate.age {
        Age::Days { days, .. } => days,
        Age::Unknown | Age::Evergreen => f64::INFINITY,
    };
    days(a).total_cmp(&days(b)).then(a.order.cmp(&b.order))
}

/// The byte ranges of one document that the rows taken so far show, sorted by start.
#[derive(Default)]
struct Shown {
    ranges: Vec<(Range<u32>, u32)>,
    longest: u32,
}

impl Shown {
    fn clear(&mut self) {
        self.ranges.clear();
        self.longest = 0;
    }

    fn take(&mut self, bytes: Range<u32>, position: u32) {
        self.longest = self.longest.max(bytes.len() as u32);
        let at = self
            .ranges
            .partition_point(|(range, _)| range.start <= bytes.start);
        self.ranges.insert(at, (bytes, position));
    }

    /// Returns the share of `bytes` that is shown, and the positions of the rows that show it, ascending.
    fn share_of(&self, bytes: &Range<u32>) -> (f64, Vec<u32>) {
        if bytes.is_empty() {
            return (0.0, Vec::new());
        }
        let first = self
            .ranges
            .partition_point(|(range, _)| range.start.saturating_add(self.longest) <= bytes.start);
        let mut positions = Vec::new();
        let (mut covered, mut reached) = (0, bytes.start);
        for (range, position) in &self.ranges[first..] {
            if range.start >= bytes.end {
                break;
            }
            if range.end > bytes.start {
                positions.push(*position);
                let end = range.end.min(bytes.end);
                covered += end.saturating_sub(range.start.max(reached));
                reached = reached.max(end);
            }
        }
        positions.sort_unstable();
        (
            f64::from(covered) / f64::from(bytes.end - bytes.start),
            positions,
        )
    }
}

impl Repeats {
    fn is_moved(&self) -> bool {
        self.share > self.limit
    }
}

impl Reason for Repeats {
    fn effect(&self) -> Effect {
        match self.folded_under {
            Some(_) => Effect::Drop,
            None => Effect::Place(self.place),
        }
    }

    fn sentence(&self) -> String {
        if let Some(rank) = self.folded_under {
            return format!("folded: its text is a copy of that of rank {rank}");
        }
        let said = if self.shown_by.is_empty() {
            "no better row shows its text".to_owned()
        } else {
            let moved = if self.is_moved() {
                "moved to the end: "
            } else {
                ""
            };
            format!(
                "{moved}{} of its text is already shown by {}",
                share(self.share),
                ranks_text(&self.shown_by)
            )
        };
        match self.n_copies {
            0 => said,
            1 => format!("{said}; 1 copy is folded under it"),
            n => format!("{said}; {n} copies are folded under it"),
        }
    }

    fn record(&self) -> Record {
        record!("repeats", self: share, limit, shown_by, place, folded_under, n_copies)
    }

    fn remark(&self) -> Option<String> {
        match self.n_copies {
            _ if self.is_moved() => Some(self.sentence()),
            0 => None,
            1 => Some("and 1 copy".to_owned()),
            n => Some(format!("and {n} copies")),
        }
    }

    fn placer(&self) -> Placer {
        if self.is_moved() {
            Placer::Named("repeats")
        } else {
            Placer::Nothing
        }
    }
}
