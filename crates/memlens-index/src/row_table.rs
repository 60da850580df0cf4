//! Which row each embedding has.

use std::sync::Arc;

/// Rows by embedding, in parts of which the largest comes first, shared with earlier states of the list.
#[derive(Clone, Default)]
pub(crate) struct RowTable(Vec<Part>);

/// The rows of some embeddings.
#[derive(Clone)]
enum Part {
    /// Nearly all of a span, as ids are given one after the other: the row of each from the first, [`NONE`] where it has none.
    Dense {
        first: i64,
        n: usize,
        rows: Arc<[u32]>,
    },
    /// Sorted by embedding.
    Sorted(Arc<[(i64, u32)]>),
}

/// No row: a list has fewer.
const NONE: u32 = u32::MAX;
/// A span is kept whole where it is at most so many times as long as what it holds: it takes no more memory then.
const SPAN_MAX: usize = 4;

impl RowTable {
    /// With more rows. A part that is not twice as large as what follows is joined with it, so that there are few.
    pub(crate) fn with(&self, mut new: Vec<(i64, u32)>) -> Self {
        let mut parts = self.0.clone();
        while let Some(last) = parts.pop_if(|last| last.len() < 2 * new.len()) {
            new.extend(last.iter());
        }
        if !new.is_empty() {
            parts.push(Part::of(new));
        }
        Self(parts)
    }

    /// The row of an embedding; none if it has none.
    pub(crate) fn get(&self, embedding: i64) -> Option<u32> {
        self.0.iter().find_map(|part| part.get(embedding))
    }

    /// The embeddings that have a row, in no order.
    pub(crate) fn embeddings(&self) -> impl Iterator<Item = i64> {
        self.0.iter().flat_map(|part| part.iter()).map(|(id, _)| id)
    }
}

impl Part {
    fn of(mut rows: Vec<(i64, u32)>) -> Self {
        let ids = || rows.iter().map(|(id, _)| *id);
        let first = ids().min().unwrap_or_default();
        let last = ids().max().unwrap_or_default();
        let span = usize::try_from(last.abs_diff(first)).unwrap_or(usize::MAX);
        if span / SPAN_MAX < rows.len() {
            let mut dense = vec![NONE; span + 1];
            for (id, row) in &rows {
                dense[id.abs_diff(first) as usize] = *row;
            }
            return Self::Dense {
                first,
                n: rows.len(),
                rows: dense.into(),
            };
        }
        rows.sort_unstable();
        Self::Sorted(rows.into())
    }

    fn len(&self) -> usize {
        match self {
            Self::Dense { n, .. } => *n,
            Self::Sorted(rows) => rows.len(),
        }
    }

    fn get(&self, embedding: i64) -> Option<u32> {
        match self {
            Self::Dense { first, rows, .. } => {
                let at = usize::try_from(embedding.checked_sub(*first)?).ok()?;
                rows.get(at).copied().filter(|row| *row != NONE)
            }
            Self::Sorted(rows) => {
                let at = rows.binary_search_by_key(&embedding, |(id, _)| *id).ok()?;
                Some(rows[at].1)
            }
        }
    }

    fn iter(&self) -> Box<dyn Iterator<Item = (i64, u32)> + '_> {
        match self {
            Self::Dense { first, rows, .. } => {
                let of_span = (0..).zip(rows.iter());
                let of_span = of_span.map(move |(at, row)| (first + at, *row));
                Box::new(of_span.filter(|(_, row)| *row != NONE))
            }
            Self::Sorted(rows) => Box::new(rows.iter().copied()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Ids one after the other, with gaps, and of every size.
        #[test]
        fn every_row_is_found_and_no_other(
            batches in prop::collection::vec(
                prop::collection::vec(prop_oneof![8 => 0_i64..400, 1 => any::<i64>(), 1 => Just(i64::MIN), 1 => Just(i64::MAX)], 0..80),
                0..6,
            ),
        ) {
            let mut expected = BTreeMap::new();
            let mut table = RowTable::default();
            for batch in batches {
                let mut new = Vec::new();
                for id in batch {
                    let row = expected.len() as u32;
                    expected.entry(id).or_insert_with(|| {
                        new.push((id, row));
                        row
                    });
                }
                let before = table.clone();
                table = before.with(new.clone());
                for (id, _) in new {
                    prop_assert_eq!(before.get(id), None);
                }
            }
            for (id, row) in &expected {
                prop_assert_eq!(table.get(*id), Some(*row));
                for near in [id.saturating_sub(1), id.saturating_add(1)] {
                    prop_assert_eq!(table.get(near), expected.get(&near).copied());
                }
            }
            let mut embeddings: Vec<i64> = table.embeddings().collect();
            embeddings.sort_unstable();
            prop_assert!(embeddings.iter().eq(expected.keys()));
        }
    }
}
