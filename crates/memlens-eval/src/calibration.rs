//! Thresholds on scores: what one excludes, and what it costs.

/// Maximum number of bins in a histogram.
const BINS_MAX: usize = 40;

/// A threshold that keeps a smaller share of the relevant rows is not suggested.
const RECALL_MIN: f64 = 0.8;

/// The final scores of rows, by which thresholds are judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Scores of rows that hold an answer; ascending, like the others.
    relevant: Vec<f64>,
    /// Scores of all other rows.
    not_relevant: Vec<f64>,
    /// Score of the best row of each question that should return nothing.
    nonsense: Vec<f64>,
    /// The reciprocal of the step of thresholds; `None` if they can have any value.
    per_unit: Option<f64>,
}

/// Rows that a threshold keeps, and their shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtLine {
    /// The threshold: scores below it are dropped.
    pub line: f64,
    /// Number of relevant rows that are kept.
    pub n_relevant: usize,
    /// Number of other rows that are kept.
    pub n_not_relevant: usize,
    /// Number of nonsense questions whose best row is kept.
    pub n_nonsense: usize,
    /// The share of kept rows that is relevant; `None` if no row is kept.
    pub precision: Option<f64>,
    /// The share of relevant rows that is kept; `None` if there are no relevant rows.
    pub recall: Option<f64>,
}

/// Numbers of scores per bin.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// The borders of the bins, ascending, one more than bins; a score on a border is in the bin above it.
    pub edges: Vec<f64>,
    /// Number of relevant rows in each bin.
    pub relevant: Vec<u32>,
    /// Number of other rows in each bin.
    pub not_relevant: Vec<u32>,
    /// Number of nonsense questions whose best row is in each bin.
    pub nonsense: Vec<u32>,
}

impl Calibration {
    /// Takes the scores of relevant rows, of other rows, and of the best row of each nonsense question. `None` if there
    /// are no scores.
    pub fn of(relevant: &[f64], not_relevant: &[f64], nonsense: &[f64]) -> Option<Calibration> {
        let sorted = |scores: &[f64]| {
            let mut scores: Vec<f64> = scores.iter().copied().filter(|it| it.is_finite()).collect();
            scores.sort_unstable_by(f64::total_cmp);
            scores
        };
        let it = Calibration {
            relevant: sorted(relevant),
            not_relevant: sorted(not_relevant),
            nonsense: sorted(nonsense),
            per_unit: None,
        };
        (!it.all().is_empty()).then_some(it)
    }

    /// Restricts thresholds to multiples of `step`, which must be above 0.
    pub fn in_steps_of(self, step: f64) -> Calibration {
        // A quotient is closer to the decimal number than a product: 7 / 100 is 0.07.
        let per_unit = Some(1.0 / step);
        Calibration { per_unit, ..self }
    }

    fn all(&self) -> Vec<f64> {
        let mut all = [&*self.relevant, &self.not_relevant, &self.nonsense].concat();
        all.sort_unstable_by(f64::total_cmp);
        all
    }

    /// Returns what a threshold keeps.
    pub fn at(&self, line: f64) -> AtLine {
        let (n_relevant, n_not_relevant) =
            (kept(&self.relevant, line), kept(&self.not_relevant, line));
        AtLine {
            line,
            n_relevant,
            n_not_relevant,
            n_nonsense: kept(&self.nonsense, line),
            precision: share(n_relevant, n_relevant + n_not_relevant),
            recall: share(n_relevant, self.relevant.len()),
        }
    }

    /// Returns the scores in at most 40 bins of one scale, which also covers the current threshold `present`.
    ///
    /// The width of bins follows Freedman and Diaconis (On the histogram as a density estimator, 1981), or is what 40
    /// bins need, rounded up to 1, 2 or 5 times a power of ten, so that the borders are readable.
    pub fn histogram(&self, present: f64) -> Histogram {
        let mut all = self.all();
        let at_share = |share: f64| all[((all.len() - 1) as f64 * share).round() as usize];
        let advised = 2.0 * (at_share(0.75) - at_share(0.25)) / (all.len() as f64).cbrt();
        if present.is_finite() {
            all.push(present);
        }
        let lowest = all.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let edges = edges(lowest, highest, advised);
        let counts = |scores: &[f64]| {
            let mut counts = vec![0; edges.len() - 1];
            for score in scores {
                let above = edges.partition_point(|edge| edge <= score);
                counts[above - 1] += 1;
            }
            counts
        };
        Histogram {
            relevant: counts(&self.relevant),
            not_relevant: counts(&self.not_relevant),
            nonsense: counts(&self.nonsense),
            edges,
        }
    }

    /// Returns the best threshold; `None` if none is better than keeping everything.
    ///
    /// With nonsense questions it maximises the share of relevant rows kept minus the share of nonsense kept (Youden,
    /// Index for rating diagnostic tests, Cancer 1950), so that it excludes nonsense while that costs fewer answers.
    /// Without them it maximises F1 of the relevant rows. Ties take the lowest, which loses the fewest rows. A
    /// threshold that loses more than a fifth of the relevant rows is never suggested.
    pub fn suggested(&self) -> Option<AtLine> {
        if self.relevant.is_empty() {
            return None;
        }
        let mut best = self.at(self.lines().next()?);
        let all = self.worth(&best);
        let mut greatest = all;
        for line in self.lines() {
            let at = self.at(line);
            if at.recall.unwrap_or(0.0) < RECALL_MIN {
                break;
            }
            // Rounding errors are no gain.
            if self.worth(&at) > greatest + 1e-9 {
                (greatest, best) = (self.worth(&at), at);
            }
        }
        (greatest > all).then_some(best)
    }

    fn worth(&self, at: &AtLine) -> f64 {
        let recall = at.recall.unwrap_or(0.0);
        match share(at.n_nonsense, self.nonsense.len()) {
            Some(nonsense_kept) => recall - nonsense_kept,
            None => {
                let precision = at.precision.unwrap_or(0.0);
                let sum = precision + recall;
                if sum > 0.0 {
                    2.0 * precision * recall / sum
                } else {
                    0.0
                }
            }
        }
    }

    /// Returns a threshold for every set of rows that one can keep, the one that keeps all first. With steps,
    /// thresholds are rounded down.
    fn lines(&self) -> impl Iterator<Item = f64> {
        let mut all = self.all();
        all.dedup();
        let below = std::iter::once(f64::NEG_INFINITY).chain(all.clone());
        let line = |(low, high): (f64, f64)| match self.per_unit {
            None => short(low, high),
            Some(per_unit) => (high * per_unit).floor() / per_unit,
        };
        let lines: Vec<f64> = below.zip(all).map(line).collect();
        lines.into_iter()
    }

    /// Returns whether a threshold can keep all relevant rows and no nonsense; `true` if either is missing.
    pub fn separates(&self) -> bool {
        match (self.relevant.first(), self.nonsense.last()) {
            (Some(lowest), Some(highest)) => lowest > highest,
            (Some(_) | None, _) => true,
        }
    }

    /// Returns the sentence about what the suggested threshold costs, or why there is none.
    pub fn sentence(&self) -> String {
        let (n_relevant, n_others) = (self.relevant.len(), self.not_relevant.len());
        let n_nonsense = self.nonsense.len();
        if n_relevant == 0 {
            return "No answer is among the rows, so no threshold can be suggested.".to_owned();
        }
        let suggested = self.suggested();
        match suggested {
            None if n_nonsense > 0 => {
                "Nonsense scores as high as answers do: no line keeps it out at a lower price than it gains."
                    .to_owned()
            }
            None if n_others == 0 => "All rows hold an answer: no line is needed.".to_owned(),
            None => "Other rows score as high as answers do: no line is better than none.".to_owned(),
            Some(at) if n_nonsense == 0 => format!(
                "{} keeps {} of {n_relevant} rows with an answer and {} of {n_others} others. No nonsense question tells what it keeps out.",
                format_line(at.line),
                at.n_relevant,
                at.n_not_relevant
            ),
            Some(at) if at.n_relevant == n_relevant && at.n_nonsense == 0 => format!(
                "{} keeps every row with an answer and leaves all {n_nonsense} nonsense questions without a result.",
                format_line(at.line)
            ),
            Some(at) => format!(
                "No line keeps nonsense out without losing answers: {} keeps {} of {n_relevant} rows with an answer, and {} of {n_nonsense} nonsense questions still find something.",
                format_line(at.line),
                at.n_relevant,
                at.n_nonsense
            ),
        }
    }
}

/// Returns how many of the ascending scores a threshold keeps.
fn kept(scores: &[f64], line: f64) -> usize {
    scores.len() - scores.partition_point(|score| *score < line)
}

fn share(n: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| n as f64 / of as f64)
}

/// Formats a threshold as the user would type it.
fn format_line(line: f64) -> String {
    line.to_string().replace('-', "\u{2212}")
}

/// Returns the shortest number above `low` and at most `high` near their middle, with two decimals or as many as it
/// needs.
fn short(low: f64, high: f64) -> f64 {
    let middle = if low.is_finite() {
        (low + high) / 2.0
    } else {
        high
    };
    (2..=12)
        .map(|places| 10_f64.powi(places))
        .flat_map(|scale| {
            [
                (middle * scale).round() / scale,
                (high * scale).floor() / scale,
            ]
        })
        .find(|line| low < *line && *line <= high)
        .unwrap_or(high)
}

/// Returns borders of equal bins that cover the lowest to the highest score.
fn edges(lowest: f64, highest: f64, advised: f64) -> Vec<f64> {
    let least = ((highest - lowest) / BINS_MAX as f64).max(advised);
    // If all scores are equal, they are in one bin of width 0.01.
    let least = if least > 0.0 { least } else { 0.01 };
    // No finer than the precision of numbers of this size.
    let least = least.max(lowest.abs().max(highest.abs()) * 1e-9);
    let mut exponent = least.log10().floor() as i32;
    loop {
        for factor in [1, 2, 5] {
            // Integers of units, so that borders are 0.3 and not 0.30000000000000004.
            let unit = |n: f64| match exponent {
                0.. => n * 10_f64.powi(exponent),
                _ => n / 10_f64.powi(-exponent),
            };
            let border = |at: f64| unit(at * f64::from(factor));
            // A quotient has rounding errors, so the borders themselves are compared.
            let mut first = (lowest / border(1.0)).floor();
            while border(first) > lowest {
                first -= 1.0;
            }
            let mut last = (highest / border(1.0)).floor();
            while border(last) <= highest {
                last += 1.0;
            }
            let n_bins = last - first;
            if border(1.0) >= least && n_bins <= BINS_MAX as f64 {
                let borders = 0..=n_bins as usize;
                return borders.map(|at| border(first + at as f64)).collect();
            }
        }
        exponent += 1;
    }
}
