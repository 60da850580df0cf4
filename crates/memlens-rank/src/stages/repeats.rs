//! Stage 9: a chunk whose text better rows already show goes to the back.
//!
//! Chunks overlap, and a list that shows the same lines three times wastes places. Rows are moved,
//! never dropped. Source: the study behind the default ranking, section 1.3.

use std::collections::HashMap;
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
    let mut shown: HashMap<u32, Shown> = HashMap::new();
    let mut found: Vec<(f64, Vec<u32>)> = Vec::with_capacity(rows.len());
    for (position, row) in rows.iter().enumerate() {
        let candidate = &context.set.candidates[row.slot as usize];
        let document = shown.entry(candidate.document).or_default();
        let (share, shown_by) = document.share_of(&candidate.bytes);
        if share <= limit {
            document.take(candidate.bytes.clone(), position as u32 + 1);
        }
        found.push((share, shown_by));
    }

    let n_taken = found.iter().filter(|(share, _)| *share <= limit).count() as u32;
    let (mut next_taken, mut next_aside) = (0, n_taken);
    let details = found
        .into_iter()
        .map(|(share, shown_by)| {
            let next = if share <= limit {
                &mut next_taken
            } else {
                &mut next_aside
            };
            let place = *next;
            *next += 1;
            Detail::Repeats {
                share,
                limit,
                shown_by,
                place,
            }
        })
        .collect();
    let n_moved = rows.len() as u32 - n_taken;
    Outcome {
        note: (n_moved > 0).then(|| format!("{n_moved} to the back")),
        ..Outcome::applied(details)
    }
}

/// Holds the byte ranges of one document that rows taken so far show, sorted by start.
#[derive(Default)]
struct Shown {
    ranges: Vec<(Range<u32>, u32)>,
    longest: u32,
}

impl Shown {
    fn take(&mut self, bytes: Range<u32>, rank: u32) {
        self.longest = self.longest.max(bytes.end - bytes.start);
        let at = self
            .ranges
            .partition_point(|(range, _)| range.start <= bytes.start);
        self.ranges.insert(at, (bytes, rank));
    }

    /// Returns the share of `bytes` that is shown, and the ranks that show it, ascending.
    fn share_of(&self, bytes: &Range<u32>) -> (f64, Vec<u32>) {
        if bytes.is_empty() {
            return (0.0, Vec::new());
        }
        let first = self
            .ranges
            .partition_point(|(range, _)| range.start.saturating_add(self.longest) <= bytes.start);
        let mut ranks = Vec::new();
        let (mut covered, mut reached) = (0, bytes.start);
        for (range, rank) in &self.ranges[first..] {
            if range.start >= bytes.end {
                break;
            }
            if range.end > bytes.start {
                ranks.push(*rank);
                let end = range.end.min(bytes.end);
                covered += end.saturating_sub(range.start.max(reached));
                reached = reached.max(end);
            }
        }
        ranks.sort_unstable();
        (
            f64::from(covered) / f64::from(bytes.end - bytes.start),
            ranks,
        )
    }
}
