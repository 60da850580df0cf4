//! The smallest changes of parameters that bring a lost row back, found by ranking again.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use memlens_params::{Parameter, ParameterKind, ParameterSet, Phase, Value, Values};
use memlens_rank::{AnyPipeline, CandidateSet, ChunkId, Entry, HookMove};
use memlens_wire::{Fix, FixPrice};

/// Number of slider steps tried one by one in each direction.
const STEPS_TRIED_EACH: u32 = 60;
/// Number of values tried between there and the end of the slider; between a failure and the first success the step is
/// found by bisection.
const VALUES_TRIED_BEYOND: u32 = 40;
/// Number of first halves of a pair that are pursued.
const PAIRS_TRIED: usize = 4;

/// The stage that a row reaches; a later stage is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// Lost at this 0-based stage of the pipeline.
    LostAt(usize),
    /// The row waits for the user's hook command at this 0-based stage: it was not asked about these rows and may drop
    /// it.
    Unanswered(usize),
    Kept,
}

impl Reach {
    /// Whether a row lost at this stage is proven to be back. A row that the hook dropped is not, just because the hook
    /// would have to be called again.
    fn is_back(self, lost_at: usize) -> bool {
        match self {
            Self::LostAt(_) => false,
            Self::Unanswered(command) => lost_at != command,
            Self::Kept => true,
        }
    }
}

/// Retrieves with other parameters: the new set and the row's slot in it.
type Again<'a> = dyn Fn(&Values) -> Option<(Arc<CandidateSet>, u32)> + Sync + 'a;

/// A row whose ranking is tried with other parameters.
pub struct Trial<'a> {
    /// Pipeline that ranks the row.
    pub pipeline: &'static dyn AnyPipeline,
    /// The facts, the row among them.
    pub set: &'a CandidateSet,
    /// Slot of the row in `set`.
    pub slot: u32,
    /// Retrieves again with other parameters.
    pub again: &'a Again<'a>,
}

impl Trial<'_> {
    /// For every parameter that brings the row back by itself the smallest change that does,
    /// smallest first: numbers by the share of their slider, then choices, then switches.
    ///
    /// Empty when the row is kept, or no single one does it.
    pub fn fixes(&self, params: &Values) -> Vec<Fix> {
        match self.reach(params) {
            Reach::Kept | Reach::Unanswered(_) => Vec::new(),
            Reach::LostAt(stage) => self.changes(params, stage, None, |reach| reach.is_back(stage)),
        }
    }

    /// Two changes that together bring the row back, the first of which alone brings it to a later stage; `None` if no
    /// such pair is found.
    pub fn pair(&self, params: &Values) -> Option<(Fix, Fix)> {
        let now = self.reach(params);
        let Reach::LostAt(lost_at) = now else {
            return None;
        };
        let share = |fix: &Fix| fix.size;
        let mut pairs: Vec<(Fix, Fix)> = self
            .changes(params, lost_at, None, |reach| reach > now)
            .into_iter()
            .take(PAIRS_TRIED)
            .filter_map(|first| {
                let mut changed = params.clone();
                changed.set(&first.parameter, first.to.clone()).ok()?;
                let Reach::LostAt(stage) = self.reach(&changed) else {
                    return None;
                };
                let second = self
                    .changes(&changed, stage, Some(&first), |reach| {
                        reach.is_back(lost_at)
                    })
                    .into_iter()
                    .next()?;
                Some((first, second))
            })
            .collect();
        pairs.sort_by(|a, b| {
            let size = |(first, second): &(Fix, Fix)| {
                let (a, b) = (share(first), share(second));
                (a.0.max(b.0), a.1 + b.1)
            };
            by_size(&size(a), &size(b))
        });
        pairs.into_iter().next()
    }

    /// The smallest change of each parameter that gets the row far enough, smallest first.
    ///
    /// Only parameters of the stage that loses the row and of those before it are tried: what comes
    /// later has no say in it.
    fn changes(
        &self,
        params: &Values,
        lost_at: usize,
        without: Option<&Fix>,
        is_enough: impl Fn(Reach) -> bool + Sync,
    ) -> Vec<Fix> {
        let table = self.pipeline.table();
        let parameters: Vec<&Parameter> = table
            .parameters
            .iter()
            .filter(|parameter| {
                let place = parameter.stage.and_then(|stage| table.place_of(stage));
                matches!(parameter.phase, Phase::Rank | Phase::Retrieve)
                    && place.is_some_and(|place| place <= lost_at)
                    && parameter.is_read(params)
                    && without.is_none_or(|fix| fix.parameter != parameter.id)
            })
            .collect();
        let half = parameters.len().div_ceil(2).max(1);
        let is_enough = &is_enough;
        let mut fixes: Vec<Fix> = std::thread::scope(|scope| {
            let threads: Vec<_> = parameters
                .chunks(half)
                .map(|parameters| {
                    scope.spawn(move || {
                        parameters
                            .iter()
                            .filter_map(|parameter| self.smallest(params, parameter, is_enough))
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().expect("ranking cannot fail"))
                .collect()
        });
        // Stable: equal sizes stay in the order of the pipeline.
        fixes.sort_by(|a, b| by_size(&a.size, &b.size));
        fixes
    }

    fn smallest(
        &self,
        params: &Values,
        parameter: &Parameter,
        is_enough: &impl Fn(Reach) -> bool,
    ) -> Option<Fix> {
        let from = params.get(parameter.id)?;
        let does = |to: &Value| {
            let mut changed = params.clone();
            changed.set(parameter.id, to.clone()).is_ok()
                && is_enough(if parameter.phase == Phase::Rank {
                    self.reach(&changed)
                } else {
                    (self.again)(&changed).map_or(Reach::LostAt(0), |(set, slot)| {
                        reach(self.pipeline, &set, slot, &changed)
                    })
                })
        };
        let (to, n_steps, size) = match (&parameter.kind, &from) {
            (
                ParameterKind::Number {
                    min,
                    max,
                    step,
                    off,
                    ..
                },
                Value::Number(from),
            ) => {
                let slider = Slider {
                    from: *from,
                    min: *min,
                    max: *max,
                    step: *step,
                };
                let is_number = |value: f64| off.is_none_or(|off| off != value);
                let nearest =
                    slider.nearest(&|value| is_number(value) && does(&Value::Number(value)));
                if let Some((value, n_steps)) = nearest {
                    let share = (value - from).abs() / (max - min);
                    (Value::Number(value), n_steps, (0, share))
                } else {
                    let off = Value::Number(off.filter(|off| off != from)?);
                    does(&off).then_some((off, 1, (2, 1.0)))?
                }
            }
            (ParameterKind::Choice { options }, Value::Choice(from)) => {
                let other = options
                    .iter()
                    .filter(|option| *option != from)
                    .map(|option| Value::Choice((*option).to_owned()))
                    .find(|option| does(option))?;
                (other, 1, (1, 1.0))
            }
            (ParameterKind::Toggle, Value::Toggle(from)) => {
                let other = Value::Toggle(!from);
                does(&other).then_some((other, 1, (2, 1.0)))?
            }
            (
                ParameterKind::Number { .. } | ParameterKind::Choice { .. } | ParameterKind::Toggle,
                _,
            ) => return None,
        };
        Some(Fix {
            parameter: parameter.id.to_owned(),
            label: parameter.label.to_owned(),
            stage: parameter.stage,
            from,
            to,
            n_steps,
            queries_again: parameter.phase == Phase::Retrieve,
            price: None,
            size,
        })
    }

    /// Effect of the changes together on the other rows; `None` if they cannot be made.
    pub fn price(&self, params: &Values, fixes: &[&Fix]) -> Option<FixPrice> {
        let changes = fixes
            .iter()
            .map(|fix| (fix.parameter.as_str(), fix.to.clone()));
        let changed = params.clone().with(changes).ok()?;
        let asked = self.set.candidates.get(self.slot as usize)?.chunk;
        let before = kept(self.pipeline, self.set, params);
        let after = if fixes.iter().any(|fix| fix.queries_again) {
            kept(self.pipeline, &(self.again)(&changed)?.0, &changed)
        } else {
            kept(self.pipeline, self.set, &changed)
        };
        Some(price_of(asked, &before, &after))
    }

    fn reach(&self, params: &Values) -> Reach {
        reach(self.pipeline, self.set, self.slot, params)
    }
}

fn kept(pipeline: &dyn AnyPipeline, set: &CandidateSet, params: &Values) -> Vec<ChunkId> {
    let kept = pipeline.order(set, params).into_iter();
    kept.map(|(slot, _)| set.candidates[slot as usize].chunk)
        .collect()
}

/// Effect on the returned rows, except the one asked about.
fn price_of(asked: ChunkId, before: &[ChunkId], after: &[ChunkId]) -> FixPrice {
    let (was, is): (HashSet<_>, HashSet<_>) = (before.iter().collect(), after.iter().collect());
    let n_dropped = before.iter().filter(|it| !is.contains(it)).count() as u32;
    let brought = after.iter().filter(|it| !was.contains(it) && **it != asked);
    let n_brought = brought.count() as u32;
    // Rows that only make room do not count: the order of the remaining rows is compared.
    let stay = |all: &[ChunkId], others: &HashSet<&ChunkId>| {
        let staying = all.iter().filter(|it| others.contains(it) && **it != asked);
        staying.copied().collect::<Vec<ChunkId>>()
    };
    let (then, now) = (stay(before, &is), stay(after, &was));
    let n_moved = then.iter().zip(&now).filter(|(a, b)| a != b).count() as u32;
    let n_kept = before.len() as u32;
    FixPrice {
        n_kept,
        n_dropped,
        n_brought,
        n_moved,
        sentence: price_sentence(n_kept, n_dropped, n_brought, n_moved),
        metric: None,
    }
}

/// Number of other rows that changed their place.
pub fn n_disturbed(price: &FixPrice) -> u32 {
    price.n_dropped + price.n_brought + price.n_moved
}

fn price_sentence(n_kept: u32, n_dropped: u32, n_brought: u32, n_moved: u32) -> String {
    let rows = |n: u32| if n == 1 { "row" } else { "rows" };
    let mut effects = Vec::new();
    if n_dropped > 0 {
        effects.push(format!("drops {n_dropped} of your {n_kept}"));
    }
    if n_brought > 0 {
        effects.push(format!("brings {n_brought} other {}", rows(n_brought)));
    }
    if n_moved > 0 {
        effects.push(format!("reorders {n_moved} {}", rows(n_moved)));
    }
    match effects.as_slice() {
        [] => "changes nothing else".to_owned(),
        effects => format!("also {}", effects.join(", ")),
    }
}

fn reach(pipeline: &dyn AnyPipeline, set: &CandidateSet, slot: u32, params: &Values) -> Reach {
    if let Some(lost_at) = pipeline.dropped_at(set, params, slot) {
        return Reach::LostAt(lost_at);
    }
    let is_unanswered =
        |entry: &Entry| entry.slot == slot && matches!(entry.detail.get(), Some(HookMove::Pending));
    let trace = pipeline.rank(set, params);
    let command = trace
        .stages
        .iter()
        .position(|stage| stage.entries.iter().any(is_unanswered));
    command.map_or(Reach::Kept, Reach::Unanswered)
}

fn by_size(a: &(u8, f64), b: &(u8, f64)) -> Ordering {
    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
}

/// A number's slider with its current value.
struct Slider {
    from: f64,
    min: f64,
    max: f64,
    step: f64,
}

impl Slider {
    /// The nearest value that does it, and how many steps away it is; the lower one of two
    /// equally near.
    ///
    /// Exact within [`STEPS_TRIED_EACH`] steps, and beyond where the values that do it are one
    /// stretch to either side.
    fn nearest(&self, does: &dyn Fn(f64) -> bool) -> Option<(f64, u32)> {
        let below = self.towards(-1.0, u32::MAX, does);
        let limit = below.map_or(u32::MAX, |(_, n_steps)| n_steps - 1);
        self.towards(1.0, limit, does).or(below)
    }

    fn towards(&self, sign: f64, limit: u32, does: &dyn Fn(f64) -> bool) -> Option<(f64, u32)> {
        let room = if sign < 0.0 {
            self.from - self.min
        } else {
            self.max - self.from
        };
        let n_steps = ((room / self.step + 1e-9).floor() as u32).min(limit);
        // Rounded, so that 0.1 + 2 * 0.01 is 0.12 and not 0.12000000000000001.
        let value =
            |steps: u32| ((self.from + sign * f64::from(steps) * self.step) * 1e6).round() / 1e6;
        let each = n_steps.min(STEPS_TRIED_EACH);
        for steps in 1..=each {
            if does(value(steps)) {
                return Some((value(steps), steps));
            }
        }
        let stride = ((n_steps - each) / VALUES_TRIED_BEYOND).max(1);
        let mut failed = each;
        while failed < n_steps {
            let mut done = (failed + stride).min(n_steps);
            if does(value(done)) {
                while done - failed > 1 {
                    let middle = failed.midpoint(done);
                    if does(value(middle)) {
                        done = middle;
                    } else {
                        failed = middle;
                    }
                }
                return Some((value(done), done));
            }
            failed = done;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use memlens_params::Params;
    use memlens_rank::NATIVE;
    use proptest::prelude::*;

    use super::*;

    fn set(n: u32) -> CandidateSet {
        let cosine = |at: u32| 0.9 - 0.8 * f64::from(at) / f64::from(n);
        CandidateSet::of_cosines(&(0..n).map(cosine).collect::<Vec<_>>())
    }

    fn trial(set: &CandidateSet, slot: u32) -> Trial<'_> {
        Trial {
            pipeline: &NATIVE,
            set,
            slot,
            again: &|_| None,
        }
    }

    #[test]
    fn a_row_beyond_the_limit_comes_back_by_more_results() {
        let set = set(40);
        let fixes = trial(&set, 12).fixes(&Params::default().values());
        assert_eq!(fixes[0].parameter, "max_results");
        assert_eq!(fixes[0].to, Value::Number(13.0));
        assert_eq!(fixes[0].n_steps, 3);
        assert_eq!(
            fixes.last().map(|fix| fix.parameter.as_str()),
            Some("limit_on")
        );
    }

    #[test]
    fn a_kept_row_needs_no_change() {
        let set = set(40);
        assert_eq!(trial(&set, 0).fixes(&Params::default().values()), []);
    }

    #[test]
    fn where_no_single_change_does_it_two_are_named() {
        let set = set(120);
        let trial = trial(&set, 70);
        let params = Params::default().values();
        assert_eq!(trial.fixes(&params), []);
        let (first, second) = trial.pair(&params).expect("two do it");
        let mut changed = params;
        changed.set(&first.parameter, first.to).unwrap();
        assert!(trial.reach(&changed) != Reach::Kept);
        changed.set(&second.parameter, second.to).unwrap();
        assert_eq!(trial.reach(&changed), Reach::Kept);
    }

    #[test]
    fn a_value_far_away_is_found_to_the_step() {
        let slider = Slider {
            from: 50.0,
            min: 1.0,
            max: 1000.0,
            step: 1.0,
        };
        assert_eq!(slider.nearest(&|value| value >= 777.0), Some((777.0, 727)));
        assert_eq!(slider.nearest(&|value| value <= 49.0), Some((49.0, 1)));
        assert_eq!(
            slider.nearest(&|value| (value - 50.0).abs() == 7.0),
            Some((43.0, 7))
        );
        assert_eq!(slider.nearest(&|_| false), None);
    }

    proptest! {
        #[test]
        fn every_fix_brings_the_row_back_and_a_step_less_does_not(
            slot in 0_u32..60,
            max_results in 1_u32..30,
            min_score in 0_u32..90,
            depth in 1_u32..60,
        ) {
            let set = set(60);
            let trial = trial(&set, slot);
            let params = Params {
                max_results,
                min_score: f64::from(min_score) / 100.0,
                vector_depth: depth,
                ..Params::default()
            }
            .values();
            for fix in trial.fixes(&params) {
                let kept_at = |value: Value| {
                    let mut changed = params.clone();
                    changed.set(&fix.parameter, value).is_ok()
                        && trial.reach(&changed) == Reach::Kept
                };
                prop_assert!(kept_at(fix.to.clone()));
                let (Value::Number(from), Value::Number(to)) = (&fix.from, &fix.to) else { continue };
                let step = (to - from) / f64::from(fix.n_steps);
                for steps in 1..fix.n_steps {
                    let value = ((from + step * f64::from(steps)) * 1e6).round() / 1e6;
                    prop_assert!(!kept_at(Value::Number(value)), "{}: {value}", fix.parameter);
                }
            }
        }
    }
}
