//! Stage 9: a chunk whose text better rows already show goes to the back.
//!
//! Chunks overlap, and a list that shows the same lines three times wastes places. Rows are moved,
//! never dropped. Source: the study behind the default ranking, section 1.3.

use std::ops::Range;

use crate::detail::Detail;
use crate::pipeline::{Context, Outcome, Row};
use crate::stages::SWITCHED_OFF;

/// Goes down the rows and sends to the back those of whose bytes more than `repeat_share` stand in
/// rows taken before.
pub fn repeats(context: &Context<'_>, rows: &[Row]) -> Outcome {
    let limit = context.params.repeat_share;
    if !context.params.repeats_on {
        return Outcome::skipped(SWITCHED_OFF);
    }
    if limit >= 1.0 {
        return Outcome::skipped("share is 1");
    }
    // Documents show nothing of each other, so one is done after the other, each in the order of its rows.
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
            let row = &rows[*position as usize];
            let bytes = &context.set.candidates[row.slot as usize].bytes;
            let (share, shown_by) = shown.share_of(bytes);
            if share <= limit {
                shown.take(bytes.clone(), *position);
            }
            found[*position as usize] = (share, shown_by);
        }
    }

    // The places first, so that what showed a row is named by the rank that it has on screen.
    let n_taken = found.iter().filter(|(share, _)| *share <= limit).count() as u32;
    let (mut next_taken, mut next_aside) = (0, n_taken);
    let places: Vec<u32> = found
        .iter()
        .map(|(share, _)| {
            let next = if *share <= limit {
                &mut next_taken
            } else {
                &mut next_aside
            };
            let place = *next;
            *next += 1;
            place
        })
        .collect();
    let details = found
        .into_iter()
        .zip(&places)
        .map(|((share, shown_by), place)| Detail::Repeats {
            share,
            limit,
            shown_by: shown_by
                .iter()
                .map(|position| places[*position as usize] + 1)
                .collect(),
            place: *place,
        })
        .collect();
    let n_moved = rows.len() as u32 - n_taken;
    Outcome {
        note: (n_moved > 0).then(|| format!("{n_moved} moved to the end")),
        ..Outcome::applied(details)
    }
}

/// The byte ranges of one document that rows taken so far show, sorted by start.
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

    /// The share of `bytes` that is shown, and the positions that show it, ascending.
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
