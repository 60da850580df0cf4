//! Which number each id has: the row of an embedding, the place of a chunk.

use std::sync::Arc;

/// Numbers by id, in parts of which the largest comes first, shared with earlier states of it.
#[derive(Clone, Default)]
pub struct IdTable(Vec<Part>);

/// The numbers of some ids.
#[derive(Clone)]
enum Part {
    /// Sorted by id: few, as ids and numbers are given together.
    Runs { n: usize, runs: Arc<[Run]> },
    /// Nearly all of a span, as ids are given one after the other: the number of each from the first, [`NONE`] where it has
    /// none.
    Dense {
        first: i64,
        n: usize,
        numbers: Arc<[u32]>,
    },
    /// Sorted by id.
    Sorted(Arc<[(i64, u32)]>),
}

/// Ids that follow each other, as their numbers do: `first + i` has `number + i`.
#[derive(Clone, Copy)]
struct Run {
    first: i64,
    number: u32,
    n: u32,
}

/// No number: there are fewer.
const NONE: u32 = u32::MAX;
/// A span is kept whole where it is at most so many times as long as what it holds: it takes no more memory then.
const SPAN_MAX: usize = 4;
/// Runs are kept where they hold so many ids at the mean: they take a quarter of the memory then, and are found as fast.
const RUN_MEAN: usize = 16;
/// So many more are looked at before they are given up: some documents of a library are short.
const RUNS_LOOSE: usize = 4096;

impl IdTable {
    /// The numbers of these ids, each of which comes once; they are passed twice at most.
    pub fn of(numbers: impl Iterator<Item = (i64, u32)> + Clone) -> Self {
        Self(Part::of(one_by_one(numbers)).into_iter().collect())
    }

    /// With more ids, of which none is there yet.
    pub fn with(&self, new: impl Iterator<Item = (i64, u32)> + Clone) -> Self {
        self.with_parts_of(one_by_one(new), |_| true)
    }

    /// With runs, each an id and its number, and how many follow each other from there, as their numbers do. Ids may have
    /// numbers already that are not in use any more.
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

    /// A part that is not twice as large as what follows is joined with it, so that there are few.
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

    /// The number of an id; none if it has none.
    pub fn get(&self, id: i64) -> Option<u32> {
        self.get_all(id).next()
    }

    /// The numbers of an id: several where some are not in use any more.
    pub fn get_all(&self, id: i64) -> impl Iterator<Item = u32> {
        self.0.iter().filter_map(move |part| part.get(id))
    }
}

impl Part {
    /// None of no ids.
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

/// Each as a run of its own.
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
    /// Whether another follows it.
    fn goes_on(&self, next: &Run) -> bool {
        // Ids may be as far from each other as they like.
        next.first.checked_sub(self.first) == Some(i64::from(self.n))
            && next.number.checked_sub(self.number) == Some(self.n)
    }

    fn last(&self) -> i64 {
        self.first + (i64::from(self.n) - 1)
    }

    /// The number of an id that is not below the first.
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

    /// Ids with gaps and of every size, or one after the other.
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
            // As documents stand by their paths, and not as they were put.
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

        /// Ids get other numbers, as chunks of a block that is made anew.
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
