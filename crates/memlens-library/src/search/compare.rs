//! Two rankings of one question, compared row by row.

use std::collections::HashMap;

use memlens_eval::rank_biased_overlap;
use memlens_rank::{Columns, Trace};
use memlens_wire::{ComparedRow, ComparedSide, Comparison};

use crate::EngineError;
use crate::ranking::Ranking;
use crate::search::Search;

/// Weight of each place relative to the previous one, in the overlap of both rankings.
pub const OVERLAP_P: f64 = 0.9;
/// Number of dropped rows reported per side, nearest to the results first.
const DROPPED_SHOWN: usize = 10;

/// Compares two searches for the same question.
///
/// Two programs cut notes differently, so rows are the same if they overlap in lines of the same note; each row of one side
/// is at most one of the other, and the better ranked are joined first.
///
/// # Errors
/// As [`Search::snippets`].
pub fn compare(a: (&Search, &Ranking), b: (&Search, &Ranking)) -> Result<Comparison, EngineError> {
    let (mut a, of_a) = side(a.0, a.1)?;
    let (mut b, of_b) = side(b.0, b.1)?;
    join((&mut a.rows, &of_a), (&mut b.rows, &of_b));
    let kept = |side: &ComparedSide| side.rows.iter().filter(|row| row.rank.is_some()).count();
    let is_in = |row: &ComparedRow, other: &ComparedSide| {
        row.other
            .is_some_and(|at| other.rows[at as usize].rank.is_some())
    };
    let of = |side: &ComparedSide, other: &ComparedSide| {
        let kept = side.rows.iter().filter(|row| row.rank.is_some());
        kept.filter(|row| is_in(row, other)).count()
    };
    let n_both = of(&a, &b);
    // Rows of A by index; rows that only B has follow with higher indices.
    let a_items: Vec<usize> = (0..kept(&a)).collect();
    let b_items: Vec<usize> = (0..kept(&b))
        .map(|at| {
            b.rows[at]
                .other
                .map_or(a.rows.len() + at, |other| other as usize)
        })
        .collect();
    Ok(Comparison {
        n_both: n_both as u32,
        n_entered: (kept(&b) - of(&b, &a)) as u32,
        n_left: (kept(&a) - n_both) as u32,
        overlap: rank_biased_overlap(&a_items, &b_items, OVERLAP_P),
        a,
        b,
    })
}

fn side(search: &Search, ranking: &Ranking) -> Result<(ComparedSide, Vec<Span>), EngineError> {
    let (trace, columns) = search.traced(&ranking.values);
    let n_kept = columns.n_kept as usize;
    let shown = (n_kept + DROPPED_SHOWN).min(columns.order.len());
    let slots = &columns.order[..shown];
    let snippets = search.snippets(slots)?;
    let rows = (0..)
        .zip(slots.iter().zip(snippets))
        .map(|(at, (slot, snippet))| {
            let row = search.row(*slot)?;
            let journey = trace.journey(*slot);
            Ok(ComparedRow {
                folder: row.folder,
                path: row.path,
                start_line: row.start_line,
                end_line: row.end_line,
                source: row.source,
                text: snippet.text.or(snippet.missing).unwrap_or_default(),
                rank: (at < n_kept).then_some(at as u32 + 1),
                score: columns.score[*slot as usize],
                reason: journey.dropped.map(|(_, why)| why),
                put_below_by: put_below_by(&trace, &columns, &slots[..at], *slot),
                other: None,
            })
        })
        .collect::<Result<Vec<ComparedRow>, EngineError>>()?;
    let spans = (0..)
        .zip(slots)
        .map(|(at, slot)| {
            let row = search.row_facts(*slot)?;
            Ok(Span {
                folder: row.note.folder.0,
                path: row.note.path.clone(),
                start_line: row.start_line,
                end_line: row.end_line,
                is_kept: at < n_kept,
            })
        })
        .collect::<Result<Vec<Span>, EngineError>>()?;
    let side = ComparedSide {
        label: ranking.pipeline.label().to_owned(),
        model: search.model.clone(),
        n_ranked: columns.score.iter().flatten().count() as u32,
        notices: search
            .notices
            .iter()
            .cloned()
            .chain(columns.fallbacks())
            .collect(),
        rows,
    };
    Ok((side, spans))
}

/// The stage that put a row below the nearest of the rows `above` it whose score is lower as it is displayed; `None` if
/// there is none.
fn put_below_by(trace: &Trace, columns: &Columns, above: &[u32], slot: u32) -> Option<String> {
    let shown = |slot: u32| columns.score[slot as usize].map(|score| (score * 1e3).round());
    let score = shown(slot)?;
    let is_lower = |other: &u32| shown(*other).is_some_and(|other| other < score);
    let other = above.iter().copied().rfind(is_lower)?;
    trace.put_below(slot, other).map(str::to_owned)
}

/// Lines of a note that form a row of an answer.
pub struct Span {
    /// Id of the watched folder.
    pub folder: i64,
    /// The note's path in it.
    pub path: String,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
    /// Whether it was returned, not dropped.
    pub is_kept: bool,
}

impl Span {
    fn n_lines(&self) -> u32 {
        self.end_line
            .saturating_add(1)
            .saturating_sub(self.start_line)
    }
}

/// Joins the rows that are the same, by their spans.
fn join((a, of_a): (&mut [ComparedRow], &[Span]), (b, of_b): (&mut [ComparedRow], &[Span])) {
    for (at, other) in pairs(of_a, of_b) {
        a[at].other = Some(other as u32);
        b[other].other = Some(at as u32);
    }
}

/// Pairs of rows of two answers that are the same, as indices in both: they overlap in lines of the same note, each row
/// is in at most one pair, and better ranked rows are joined first.
pub fn pairs(a: &[Span], b: &[Span]) -> Vec<(usize, usize)> {
    let mut of_note: HashMap<(i64, &str), Vec<usize>> = HashMap::new();
    for (at, span) in b.iter().enumerate() {
        of_note
            .entry((span.folder, &span.path))
            .or_default()
            .push(at);
    }
    let mut joined: Vec<(usize, usize)> = Vec::new();
    let mut is_taken = vec![false; b.len()];
    for (at, span) in a.iter().enumerate() {
        let overlap = |other: usize| {
            let (start, end) = (
                span.start_line.max(b[other].start_line),
                span.end_line.min(b[other].end_line),
            );
            end.saturating_add(1).saturating_sub(start)
        };
        let there = of_note
            .get(&(span.folder, span.path.as_str()))
            .into_iter()
            .flatten()
            .copied();
        // Of neighbouring chunks that overlap it, one with the same state (returned or dropped) is preferred.
        let is_much = |other: usize| {
            overlap(other).saturating_mul(2) >= span.n_lines().min(b[other].n_lines())
        };
        let is_alike = |other: usize| b[other].is_kept == span.is_kept;
        let best = there
            .filter(|other| !is_taken[*other] && overlap(*other) > 0)
            .max_by_key(|other| {
                let is_first = is_alike(*other) && is_much(*other);
                (is_first, overlap(*other), std::cmp::Reverse(*other))
            });
        if let Some(other) = best {
            is_taken[other] = true;
            joined.push((at, other));
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::{Span, join};
    use memlens_wire::ComparedRow;

    fn row(path: &str, start_line: u32, end_line: u32) -> ComparedRow {
        ComparedRow {
            folder: "1".to_owned(),
            path: path.to_owned(),
            start_line,
            end_line,
            source: String::new(),
            text: String::new(),
            rank: None,
            score: None,
            reason: None,
            put_below_by: None,
            other: None,
        }
    }

    fn joined(a: &mut [ComparedRow], b: &mut [ComparedRow]) {
        let spans = |rows: &[ComparedRow]| -> Vec<Span> {
            let span = |row: &ComparedRow| Span {
                folder: 1,
                path: row.path.clone(),
                start_line: row.start_line,
                end_line: row.end_line,
                is_kept: row.rank.is_some(),
            };
            rows.iter().map(span).collect()
        };
        let (of_a, of_b) = (spans(a), spans(b));
        join((a, &of_a), (b, &of_b));
    }

    #[test]
    fn rows_are_joined_by_the_lines_that_they_share() {
        let mut a = [
            row("a.md", 1, 10),
            row("a.md", 11, 20),
            row("b.md", 1, 5),
            row("c.md", 1, 1),
        ];
        let mut b = [
            row("a.md", 9, 20),
            row("b.md", 5, 9),
            row("a.md", 1, 4),
            row("c.md", 2, 3),
        ];
        joined(&mut a, &mut b);
        let other = |rows: &[ComparedRow]| rows.iter().map(|row| row.other).collect::<Vec<_>>();
        assert_eq!(other(&a), [Some(2), Some(0), Some(1), None]);
        assert_eq!(other(&b), [Some(1), Some(2), Some(0), None]);
    }

    #[test]
    fn a_kept_row_is_joined_with_a_kept_one_that_shares_half_of_it() {
        let kept = |row: ComparedRow| ComparedRow {
            rank: Some(1),
            ..row
        };
        let mut a = [kept(row("a.md", 14, 28))];
        let mut b = [kept(row("a.md", 19, 30)), row("a.md", 13, 24)];
        joined(&mut a, &mut b);
        assert_eq!(a[0].other, Some(0));
        let mut b = [kept(row("a.md", 27, 50)), row("a.md", 13, 24)];
        a[0].other = None;
        joined(&mut a, &mut b);
        assert_eq!(a[0].other, Some(1));
    }
}
