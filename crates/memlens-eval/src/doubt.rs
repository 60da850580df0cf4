//! Checks whether a comparison over few or noisy queries allows a conclusion.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

use crate::bootstrap::Difference;
use crate::metric::Metric;

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
    MayBeChance(Difference),
}

impl Doubt {
    /// Returns why a difference of a metric over `n` queries allows no conclusion; `None` if it does.
    pub fn of(n: usize, metric: Metric, difference: &Difference) -> Option<Doubt> {
        let Difference { mean, low, high } = *difference;
        if n < QUERIES_MIN {
            Some(Doubt::TooFew { n })
        } else if [mean, low, high].iter().all(|it| it.abs() <= TIE) {
            Some(Doubt::Same { metric })
        } else if low <= 0.0 && high >= 0.0 {
            Some(Doubt::MayBeChance(*difference))
        } else {
            None
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::TooFew { n } => write!(
                f,
                "Too few queries to tell: {n}; the interval is reliable from {QUERIES_MIN} on."
            ),
            Doubt::Same { metric } => {
                write!(f, "{} does not differ for any query.", metric.label())
            }
            Doubt::MayBeChance(difference) => {
                write!(f, "The difference may be chance: {difference}.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Doubt, WinLoss};
    use crate::bootstrap::Difference;
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

    #[test]
    fn doubts_are_told() {
        let verdict_for = |n, mean, low, high| {
            Doubt::of(n, Metric::Hit1, &Difference { mean, low, high })
                .map(|doubt| doubt.to_string())
        };
        let few = "Too few queries to tell: 12; the interval is reliable from 20 on.";
        assert_eq!(verdict_for(12, 0.3, 0.2, 0.4).as_deref(), Some(few));
        assert_eq!(verdict_for(20, 0.3, 0.2, 0.4), None);
        assert_eq!(verdict_for(20, -0.3, -0.4, -0.2), None);
        let chance = "The difference may be chance: +0.012, 95\u{202f}% \u{2212}0.004 to +0.031.";
        assert_eq!(
            verdict_for(57, 0.0121, -0.0039, 0.031).as_deref(),
            Some(chance)
        );
        let touching =
            "The difference may be chance: \u{2212}0.012, 95\u{202f}% \u{2212}0.020 to 0.000.";
        assert_eq!(
            verdict_for(57, -0.012, -0.02, 0.0).as_deref(),
            Some(touching)
        );
        let same = "Hit@1 does not differ for any query.";
        assert_eq!(verdict_for(57, 0.0, 0.0, 0.0).as_deref(), Some(same));
    }
}
