//! The number of queries needed to show that a difference is not chance.

/// The normal quantile for a power of 80 %.
const POWER_80: f64 = 0.841_621_233_572_914_4;

/// Returns the number of queries, including the existing ones, with which a mean gain of this size would be `errors`
/// standard errors above 0 with a probability of 80 %, if it is real. `None` if there is no gain, or if no query
/// differs from another.
///
/// `n = ((errors + 0.84) * s / d)^2`, with the mean `d` and the standard deviation `s` of the paired differences: the
/// sample size of a one-sample test of equality. Source: Chow, Shao and Wang, Sample Size Calculations in Clinical
/// Research, 2nd edition (2008), section 3.1.1.
pub fn queries_needed(differences: &[f64], errors: f64) -> Option<f64> {
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    if differences.len() < 2 || mean <= 0.0 {
        return None;
    }
    let squares = differences
        .iter()
        .map(|it| (it - mean).powi(2))
        .sum::<f64>();
    let deviation = (squares / (n - 1.0)).sqrt();
    let needed = ((errors + POWER_80) * deviation / mean).powi(2).ceil();
    (needed > 0.0).then_some(needed)
}

/// The normal quantile of a two-sided 95 % interval.
const ERRORS_95: f64 = 1.959_963_984_540_054;

/// Numbers of further queries above this are not named: so small a difference can be called none.
const MORE_MAX: f64 = 10_000.0;

/// A mean difference up to this is 0, summed with rounding.
const ROUNDING: f64 = 1e-9;

/// How many judged queries are missing until a difference could be distinguished from chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Missing {
    /// About this many more, rounded up to two digits; at least 1.
    About(f64),
    /// More than 10,000, which is not estimated further.
    TooMany,
}

/// Returns how many more judged queries would tell a mean difference of paired values from chance, in either direction: that
/// of [`queries_needed`] at a two-sided 95 % interval, less the existing ones. `None` if the existing ones suffice by this
/// formula, or if it gives no number.
///
/// It is an estimate: it takes the measured difference and its spread for the true ones, and of a difference that is only
/// chance no number of queries tells anything else.
pub fn queries_missing(first: &[f64], second: &[f64]) -> Option<Missing> {
    let sum: f64 = first.iter().zip(second).map(|(a, b)| b - a).sum();
    if sum.abs() <= ROUNDING * first.len() as f64 {
        return None;
    }
    let differences = first
        .iter()
        .zip(second)
        .map(|(a, b)| (b - a) * sum.signum());
    let differences: Vec<f64> = differences.collect();
    let more = queries_needed(&differences, ERRORS_95)? - differences.len() as f64;
    match more {
        more if more < 1.0 => None,
        more if more > MORE_MAX => Some(Missing::TooMany),
        more => Some(Missing::About(about(more))),
    }
}

/// Rounds a number of queries up to two digits, which is as precise as it is known.
pub fn about(n: f64) -> f64 {
    let unit = 10_f64.powf((n.max(1.0).log10().floor() - 1.0).max(0.0));
    (n / unit).ceil() * unit
}

#[cfg(test)]
mod tests {
    use super::{Missing, about, queries_missing, queries_needed};

    #[test]
    fn more_noise_and_smaller_gains_need_more_queries() {
        // A mean of 0.5 and a standard deviation of 1: ((1.96 + 0.84) / 0.5)^2 = 31.4, the table's 32.
        let unit = [1.5, -0.5];
        let deviation = 2.0_f64.sqrt();
        let scaled = unit.map(|it| 0.5 + (it - 0.5) / deviation);
        assert_eq!(queries_needed(&scaled, 1.959_964), Some(32.0));
        let smaller = scaled.map(|it| it - 0.25);
        assert_eq!(queries_needed(&smaller, 1.959_964), Some(126.0));
        assert!(queries_needed(&scaled, 2.5) > queries_needed(&scaled, 1.959_964));
        for nothing in [&[][..], &[0.5], &[0.5, 0.5], &[0.1, -0.1], &[-0.5, 0.1]] {
            assert_eq!(queries_needed(nothing, 2.5), None, "{nothing:?}");
        }
    }

    #[test]
    fn so_many_queries_gain_as_much_in_four_of_five_draws() {
        let differences: Vec<f64> = (0..40)
            .map(|at| if at % 4 == 0 { 0.4 } else { -0.08 })
            .collect();
        let needed = queries_needed(&differences, 2.5).expect("there is a gain") as usize;
        let mut random = fastrand::Rng::with_seed(5);
        let passes = |random: &mut fastrand::Rng| {
            let drawn: Vec<f64> = (0..needed)
                .map(|_| differences[random.usize(..differences.len())])
                .collect();
            let n = needed as f64;
            let mean = drawn.iter().sum::<f64>() / n;
            let variance = drawn.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / (n - 1.0);
            mean > 2.5 * (variance / n).sqrt()
        };
        let n_passed = (0..2_000).filter(|_| passes(&mut random)).count();
        assert!(
            (1_480..=1_720).contains(&n_passed),
            "{n_passed} of 2000 with {needed}"
        );
    }

    #[test]
    fn as_many_are_missing_as_are_needed_in_either_direction() {
        // A mean of 0.1 and a deviation of 0.5 over 40 queries: ((1.96 + 0.84) / 0.2)^2 = 196.2, so 157 more.
        let half = 0.5 * (39.0_f64 / 40.0).sqrt();
        let second: Vec<f64> = (0..40)
            .map(|at| 0.1 + if at % 2 == 0 { half } else { -half })
            .collect();
        let none = vec![0.0; 40];
        assert_eq!(queries_missing(&none, &second), Some(Missing::About(160.0)));
        assert_eq!(queries_missing(&second, &none), Some(Missing::About(160.0)));
        // Twenty times the difference is seen by the existing ones.
        let clear: Vec<f64> = second.iter().map(|it| it + 1.9).collect();
        assert_eq!(queries_missing(&none, &clear), None);
        let tiny: Vec<f64> = second.iter().map(|it| it - 0.0999).collect();
        assert_eq!(queries_missing(&none, &tiny), Some(Missing::TooMany));
        for nothing in [&[][..], &[0.5], &[0.5, 0.5]] {
            assert_eq!(queries_missing(nothing, nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn two_digits_are_enough() {
        for (n, expected) in [
            (1.0, 1.0),
            (37.0, 37.0),
            (121.0, 130.0),
            (1_200.0, 1_200.0),
            (98_765.0, 99_000.0),
        ] {
            assert_eq!(about(n), expected, "{n}");
        }
    }
}
