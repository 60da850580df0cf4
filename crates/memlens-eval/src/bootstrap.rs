//! Confidence intervals of the difference between two rankings.

use std::fmt;

use serde::{Deserialize, Serialize};
use specta::Type;

const N_DRAWS: usize = 10_000;

/// Fixed seed, so that the same figures give the same interval.
const SEED: u64 = 0x6d65_6d6c;

/// A mean difference with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, Type)]
pub struct Difference {
    /// The mean of the paired differences, second minus first.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// Formats the difference for the user: "+0.012, 95 % +0.003 to +0.021".
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [mean, low, high] = [self.mean, self.low, self.high].map(signed);
        write!(f, "{mean}, 95\u{202f}% {low} to {high}")
    }
}

/// Formats a difference with its sign and three places; a value that rounds to 0 has no sign.
pub fn signed(difference: f64) -> String {
    let text = format!("{difference:+.3}").replace('-', "\u{2212}");
    match text.trim_start_matches(['+', '\u{2212}']) {
        "0.000" => "0.000".to_owned(),
        _ => text,
    }
}

/// Returns the mean of paired differences with its 95 % percentile bootstrap interval over queries; `None` without
/// pairs.
///
/// With few pairs the interval is too narrow; [`crate::Doubt`] reports that. Source: Efron and Tibshirani, An
/// Introduction to the Bootstrap (1993), chapter 13.
pub fn paired_bootstrap(first: &[f64], second: &[f64]) -> Option<Difference> {
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| b - a).collect();
    let n = differences.len();
    if n == 0 {
        return None;
    }
    let mean = |sum: f64| sum / n as f64;
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut drawn: Vec<f64> = (0..N_DRAWS)
        .map(|_| mean((0..n).map(|_| differences[random.usize(..n)]).sum()))
        .collect();
    drawn.sort_by(f64::total_cmp);
    Some(Difference {
        mean: mean(differences.iter().sum()),
        low: drawn[N_DRAWS / 40],
        high: drawn[N_DRAWS - 1 - N_DRAWS / 40],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_the_mean_and_narrows_with_more_pairs() {
        let scores = |n: usize| -> (Vec<f64>, Vec<f64>) {
            (0..n)
                .map(|i| (0.5, if i % 4 == 0 { 0.5 } else { 0.7 }))
                .unzip()
        };
        let of = |n: usize| {
            let (first, second) = scores(n);
            paired_bootstrap(&first, &second).expect("there are pairs")
        };
        let (few, many) = (of(8), of(200));
        for it in [few, many] {
            assert!((it.mean - 0.15).abs() < 1e-9, "{it:?}");
            assert!(it.low <= it.mean && it.mean <= it.high, "{it:?}");
        }
        assert!(
            many.high - many.low < (few.high - few.low) / 2.0,
            "{few:?} {many:?}"
        );
        // The normal approximation: 1.96 * sd / sqrt(n), with differences 0 and 0.2.
        let expected = 1.96 * 0.2 * (0.75_f64 * 0.25).sqrt() / 200_f64.sqrt();
        assert!(
            ((many.high - many.low) / 2.0 - expected).abs() < 0.15 * expected,
            "{many:?}"
        );
        assert_eq!(of(200), many);
    }

    #[test]
    fn equal_rankings_differ_by_nothing() {
        let none = paired_bootstrap(&[0.3, 0.9], &[0.3, 0.9]);
        assert_eq!(
            none,
            Some(Difference {
                mean: 0.0,
                low: 0.0,
                high: 0.0
            })
        );
        assert_eq!(paired_bootstrap(&[], &[]), None);
    }
}
