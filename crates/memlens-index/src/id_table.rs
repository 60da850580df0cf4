//! Maps ids to numbers: an embedding to its row, a chunk to its place.

use std::sync::Arc;

/// Numbers by id, in parts of which the largest comes first. Parts are shared with earlier states of the table.
#[derive(Clone, Default)]
pub struct IdTable(Vec<Part>);

/// The numbers of some ids.
#[derive(Clone)]
enum Part {
    /// Sorted by id. Compact, because ids and numbers are assigned together.
    Runs { n: usize, runs: Arc<[Run]> },
    /// Nearly all ids of a span, because ids are assigned consecutively: the number of each from the first on, [`NONE`]
    /// if it has none.
    Dense {
        first: i64,
        n: usize,
        numbers: Arc<[u32]>,
    },
    /// Pairs of id and number, sorted by id.
    Sorted(Arc<[(i64, u32)]>),
}

/// Consecutive ids with consecutive numbers: `first + i` has `number + i`.
#[derive(Clone, Copy)]
struct Run {
    first: i64,
    number: u32,
    n: u32,
}

/// Marks an id without a number; there are never so many numbers.
const NONE: u32 = u32::MAX;
/// A span is stored densely if it is at most this many times as long as its number of ids; it takes no more memory
/// then.
const SPAN_MAX: usize = 4;
/// Runs are used if they hold at least this many ids on average; they then take a quarter of the memory and are equally
/// fast.
const RUN_MEAN: usize = 16;
/// This many more runs are allowed before they are given up, because some documents of a library are short.
const RUNS_LOOSE: usize = 4096;

impl IdTable {
    /// Returns the table of these ids, each of which must occur once. Iterates at most twice.
    pub fn of(numbers: impl Iterator<Item = (i64, u32)> + Clone) -> Self {
        Self(Part::of(one_by_one(numbers)).into_iter().collect())
    }

    /// Returns the table with more ids, none of which may be in it yet.
    pub fn with(&self, new: impl Iterator<Item = (i64, u32)> + Clone) -> Self {
        self.with_parts_of(one_by_one(new), |_| true)
    }

    /// Returns the table with more runs: an id, its number, and how many consecutive ids follow with consecutive
    /// numbers. Ids may already have numbers that are no longer in use.
    pub fn with_runs(
        &self,
        new: impl Iterator<Item = (i64, u32, u32)> + Clone,
        is_in_use: impl Fn(u32) -> bool,
    ) -> Self {
        self.with_parts_of(
            new.map(|(first, number, n)| Run { first, number, n }),
            is_in_use,
        )
    }

    /// Merges parts that are less than twice as large as what follows, so that there are few parts.
    fn with_parts_of(
        &self,
        new: impl Iterator<Item = Run> + Clone,
        is_in_use: impl Fn(u32) -> bool,
    ) -> Self {
        let mut parts = self.0.clone();
        let mut n: usize = new.clone().map(|run| run.n as usize).sum();
        let mut joined = Vec::new();
        while let Some(last) = parts.pop_if(|last| last.len() < 2 * n) {
            joined.extend(last.iter().filter(|(_, number)| is_in_use(*number)));
            n += last.len();
        }
        parts.extend(Part::of(new.chain(one_by_one(joined.iter().copied()))));
        Self(parts)
    }

    /// Returns the number of an id, or `None` if it has none.
    pub fn get(&self, id: i64) -> Option<u32> {
        self.get_all(id).next()
    }

    /// Returns the numbers of an id; there may be several if some are no longer in use.
    pub fn get_all(&self, id: i64) -> impl Iterator<Item = u32> {
        self.0.iter().filter_map(move |part| part.get(id))
    }
}

impl Part {
    /// Returns `None` if there are no ids.
    fn of(given: impl Iterator<Item = Run> + Clone) -> Option<Self> {
        let (mut n, mut first, mut last) = (0, i64::MAX, i64::MIN);
        let mut runs: Option<Vec<Run>> = Some(Vec::new());
        given.clone().for_each(|next| {
            n += next.n as usize;
            (first, last) = (first.min(next.first), last.max(next.last()));
            if let Some(so_far) = &mut runs {
                match so_far.last_mut().filter(|run| run.goes_on(&next)) {
                    Some(run) => run.n += next.n,
                    None => so_far.push(next),
                }
                if so_far.len() > n / RUN_MEAN + RUNS_LOOSE {
                    runs = None;
                }
            }
        });
        if n == 0 {
            return None;
        }
        if let Some(mut runs) = runs.filter(|runs| runs.len() * RUN_MEAN <= n) {
            runs.sort_unstable_by_key(|run| run.first);
            let runs = runs.into();
            return Some(Self::Runs { n, runs });
        }
        let numbers = given.flat_map(|run| run.iter());
        let span = usize::try_from(last.abs_diff(first)).unwrap_or(usize::MAX);
        if span / SPAN_MAX < n {
            let mut dense: Arc<[u32]> = std::iter::repeat_n(NONE, span + 1).collect();
            let own = Arc::make_mut(&mut dense);
            numbers.for_each(|(id, number)| own[id.abs_diff(first) as usize] = number);
            return Some(Self::Dense {
                first,
                n,
                numbers: dense,
            });
        }
        let mut sorted: Vec<(i64, u32)> = numbers.collect();
        sorted.sort_unstable();
        Some(Self::Sorted(sorted.into()))
    }

    fn len(&self) -> usize {
        match self {
            Self::Runs { n, .. } | Self::Dense { n, .. } => *n,
            Self::Sorted(numbers) => numbers.len(),
        }
    }

    fn get(&self, id: i64) -> Option<u32> {
        match self {
            Self::Runs { runs, .. } => {
                let behind = runs.partition_point(|run| run.first <= id);
                runs[..behind].last()?.get(id)
            }
            Self::Dense { first, numbers, .. } => {
                let at = usize::try_from(id.checked_sub(*first)?).ok()?;
                numbers.get(at).copied().filter(|number| *number != NONE)
            }
            Self::Sorted(numbers) => {
                let at = numbers.binary_search_by_key(&id, |(id, _)| *id).ok()?;
                Some(numbers[at].1)
            }
        }
    }

    fn iter(&self) -> Box<dyn Iterator<Item = (i64, u32)> + '_> {
        match self {
            Self::Runs { runs, .. } => Box::new(runs.iter().flat_map(Run::iter)),
            Self::Dense { first, numbers, .. } => {
                let of_span = (0..).zip(numbers.iter());
                let of_span = of_span.map(move |(at, number)| (first + at, *number));
                Box::new(of_span.filter(|(_, number)| *number != NONE))
            }
            Self::Sorted(numbers) => Box::new(numbers.iter().copied()),
        }
    }
}

/// Returns each as a run of its own.
fn one_by_one(
    numbers: impl Iterator<Item = (i64, u32)> + Clone,
) -> impl Iterator<Item = Run> + Clone {
    numbers.map(|(first, number)| Run {
        first,
        number,
        n: 1,
    })
}

impl Run {
    /// Returns whether `next` continues this run.
    fn goes_on(&self, next: &Run) -> bool {
        // The distance of two ids may overflow.
        next.first.checked_sub(self.first) == Some(i64::from(self.n))
            && next.number.checked_sub(self.number) == Some(self.n)
    }

    fn last(&self) -> i64 {
        self.first + (i64::from(self.n) - 1)
    }

    /// Returns the number of an id that is not below the first.
    fn get(&self, id: i64) -> Option<u32> {
        let at = u32::try_from(id.checked_sub(self.first)?).ok()?;
        (at < self.n).then(|| self.number + at)
    }

    fn iter(&self) -> impl Iterator<Item = (i64, u32)> + use<> {
        let Run { first, number, n } = *self;
        (0..n).map(move |at| (first + i64::from(at), number + at))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use proptest::prelude::*;

    use super::*;

    /// Ids with gaps and of every size, or consecutive ones.
    fn batch() -> impl Strategy<Value = Vec<i64>> {
        let id = prop_oneof![8 => 0_i64..400, 1 => any::<i64>(), 1 => Just(i64::MIN), 1 => Just(i64::MAX)];
        let run = (0_i64..400, 1_i64..90).prop_map(|(first, n)| (first..first + n).collect());
        let runs = prop::collection::vec(run, 1..4).prop_map(|runs: Vec<Vec<i64>>| runs.concat());
        prop_oneof![prop::collection::vec(id, 0..80), runs]
    }

    proptest! {
        #[test]
        fn runs_hold_what_their_ids_hold_one_by_one(lengths in prop::collection::vec((0_i64..9, 1_u32..40), 0..30)) {
            let (mut id, mut number) = (i64::MIN, 0);
            let mut runs = Vec::new();
            for (gap, n) in lengths {
                id += gap;
                runs.push((id, number, n));
                id += i64::from(n);
                number += n;
            }
            let end = id;
            // As documents are ordered by their paths, not by insertion.
            runs.reverse();
            let table = IdTable::default().with_runs(runs.iter().copied(), |_| true);
            let mut numbers = BTreeMap::new();
            for (first, number, n) in runs {
                numbers.extend((0..n).map(|at| (first + i64::from(at), number + at)));
            }
            for id in i64::MIN..=end {
                prop_assert_eq!(table.get(id), numbers.get(&id).copied());
            }
        }

        #[test]
        fn every_number_is_found_and_no_other(batches in prop::collection::vec(batch(), 0..6)) {
            let mut expected = BTreeMap::new();
            let mut table = IdTable::default();
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
                table = before.with(new.iter().copied());
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
        }

        /// Ids get other numbers, like the chunks of a changed block.
        #[test]
        fn a_number_that_is_in_use_is_found(batches in prop::collection::vec(batch(), 0..8)) {
            let mut expected = BTreeMap::new();
            let mut table = IdTable::default();
            let mut next = 0;
            for mut batch in batches {
                batch.sort_unstable();
                batch.dedup();
                let numbers: BTreeMap<i64, u32> = batch.iter().copied().zip(next..).collect();
                next += batch.len() as u32;
                let runs = numbers.iter().map(|(id, number)| (*id, *number, 1));
                expected.extend(numbers.clone());
                let in_use: HashSet<u32> = expected.values().copied().collect();
                table = table.with_runs(runs, |number| in_use.contains(&number));
                for (id, number) in &expected {
                    let mut numbers = table.get_all(*id).filter(|number| in_use.contains(number));
                    prop_assert_eq!(numbers.next(), Some(*number));
                    prop_assert_eq!(numbers.next(), None);
                }
            }
        }
    }
}
