//! Checks whether a comparison over few or noisy queries allows a conclusion.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::bootstrap::Difference;
use crate::metric::Metric;
use crate::needed::{Missing, queries_missing};

/// Minimum number of judged queries for a conclusion. With fewer, a bootstrap interval is too narrow, and the best of
/// many attempts is best by chance.
pub const QUERIES_MIN: usize = 20;

/// Differences up to this are ties.
const TIE: f64 = 1e-9;

/// Over paired values: how often the second is higher, equal and lower.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct WinLoss {
    /// Number of pairs in which the second is higher.
    pub wins: u32,
    /// Number of pairs in which both are equal within 1e-9.
    pub ties: u32,
    /// Number of pairs in which the second is lower.
    pub losses: u32,
}

impl WinLoss {
    /// Counts wins, ties and losses of paired values.
    pub fn of(first: &[f64], second: &[f64]) -> WinLoss {
        let mut counts = WinLoss::default();
        for (first, second) in first.iter().zip(second) {
            counts.add(*first, *second);
        }
        counts
    }

    /// Counts one more pair of values.
    pub fn add(&mut self, first: f64, second: f64) {
        let change = second - first;
        if change > TIE {
            self.wins += 1;
        } else if change < -TIE {
            self.losses += 1;
        } else {
            self.ties += 1;
        }
    }
}

/// Why nothing can be concluded from a difference; formatted as a sentence for the user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Doubt {
    /// There are fewer queries than a reliable interval needs.
    TooFew {
        /// Number of queries there are.
        n: usize,
    },
    /// This metric scores every query equally with both rankings.
    Same {
        /// The metric that was compared.
        metric: Metric,
    },
    /// The confidence interval contains 0.
    MayBeChance {
        /// The difference with its interval.
        difference: Difference,
        /// How many more judged queries would tell; `None` if that cannot be estimated.
        missing: Option<Missing>,
    },
}

impl Doubt {
    /// Returns why the difference of a metric, over paired values of it, allows no conclusion; `None` if it does. The
    /// difference is that of [`crate::paired_bootstrap`] over the same values.
    pub fn of(
        metric: Metric,
        first: &[f64],
        second: &[f64],
        difference: &Difference,
    ) -> Option<Doubt> {
        let Difference { mean, low, high } = *difference;
        let n = first.len().min(second.len());
        if n < QUERIES_MIN {
            Some(Doubt::TooFew { n })
        } else if [mean, low, high].iter().all(|it| it.abs() <= TIE) {
            Some(Doubt::Same { metric })
        } else if low <= 0.0 && high >= 0.0 {
            Some(Doubt::MayBeChance {
                difference: *difference,
                missing: queries_missing(first, second),
            })
        } else {
            None
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::TooFew { n } => {
                let more = QUERIES_MIN.saturating_sub(*n);
                write!(
                    f,
                    "Too few queries to tell: {n}; the interval is reliable from {QUERIES_MIN} on. At least {more} more judged {} needed.",
                    if more == 1 { "query is" } else { "queries are" }
                )
            }
            Doubt::Same { metric } => {
                write!(f, "{} does not differ for any query.", metric.label())
            }
            Doubt::MayBeChance {
                difference,
                missing,
            } => {
                write!(f, "The difference may be chance: {difference}.")?;
                match missing {
                    Some(Missing::About(n)) => write!(
                        f,
                        " If it is real and as large as measured, about {n} more judged {} would tell.",
                        if *n == 1.0 { "query" } else { "queries" }
                    ),
                    Some(Missing::TooMany) => write!(
                        f,
                        " It is so small that more than 10,000 further judged queries would be needed to tell."
                    ),
                    None => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Doubt, WinLoss};
    use crate::bootstrap::paired_bootstrap;
    use crate::metric::Metric;

    #[test]
    fn ties_are_what_rounding_makes() {
        let counts = WinLoss::of(&[0.5, 0.5, 0.5, 0.1 + 0.2], &[0.6, 0.4, 0.5, 0.3]);
        assert_eq!(
            counts,
            WinLoss {
                wins: 1,
                ties: 2,
                losses: 1
            }
        );
    }

    /// Values of `n` queries before and after that differ by `mean`, plus or minus `spread`.
    fn values(n: usize, mean: f64, spread: f64) -> (Vec<f64>, Vec<f64>) {
        let each = (0..n).map(|at| {
            let change = mean + if at % 2 == 0 { spread } else { -spread };
            (0.5, 0.5 + change)
        });
        each.unzip()
    }

    fn verdict_for(n: usize, mean: f64, spread: f64) -> Option<String> {
        let (first, second) = values(n, mean, spread);
        let difference = paired_bootstrap(&first, &second).expect("there are values");
        let doubt = Doubt::of(Metric::Hit1, &first, &second, &difference);
        doubt.map(|doubt| doubt.to_string())
    }

    #[test]
    fn a_doubt_says_why_and_how_many_more_would_tell() {
        let few = "Too few queries to tell: 12; the interval is reliable from 20 on. At least 8 more judged queries are needed.";
        assert_eq!(verdict_for(12, 0.3, 0.1).as_deref(), Some(few));
        let one = "At least 1 more judged query is needed.";
        assert!(verdict_for(19, 0.3, 0.1).is_some_and(|it| it.ends_with(one)));
        assert_eq!(verdict_for(20, 0.3, 0.1), None);
        assert_eq!(verdict_for(20, -0.3, 0.1), None);
        let same = "Hit@1 does not differ for any query.";
        assert_eq!(verdict_for(57, 0.0, 0.0).as_deref(), Some(same));
        for mean in [0.02, -0.02] {
            let chance = verdict_for(58, mean, 0.2).expect("it is not sure");
            assert!(
                chance.starts_with("The difference may be chance: "),
                "{chance}"
            );
            // ((1.96 + 0.84) * 0.2018 / 0.02)^2 = 798.6, less the 58 that there are.
            assert!(
                chance.ends_with(
                    ". If it is real and as large as measured, about 750 more judged queries would tell."
                ),
                "{chance}"
            );
        }
        let tiny = verdict_for(58, 0.0001, 0.2).expect("it is not sure");
        assert!(
            tiny.ends_with("more than 10,000 further judged queries would be needed to tell."),
            "{tiny}"
        );
        // Without a mean difference no number of queries is known.
        let nothing = verdict_for(58, 0.0, 0.2).expect("it is not sure");
        assert!(nothing.ends_with("."), "{nothing}");
        assert!(!nothing.contains("more"), "{nothing}");
    }
}
