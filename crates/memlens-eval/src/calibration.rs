//! Where a line through scores keeps nonsense out, and what it costs.

/// At most so many bins stand side by side.
const BINS_MAX: usize = 40;

/// A line that keeps a smaller share of the relevant rows is no good advice.
const RECALL_MIN: f64 = 0.8;

/// The scores that rows ended with, in no order: what a line can be judged by.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Of rows that hold an answer; ascending, like the others.
    relevant: Vec<f64>,
    /// Of other rows.
    not_relevant: Vec<f64>,
    /// Of the best row of each question to which nothing should be found.
    nonsense: Vec<f64>,
    /// The reciprocal of the step that a line moves by; none where it can stand anywhere.
    per_unit: Option<f64>,
}

/// What stands at and above a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtLine {
    /// The line: scores below it are dropped.
    pub line: f64,
    /// Relevant rows kept.
    pub n_relevant: usize,
    /// Other rows kept.
    pub n_not_relevant: usize,
    /// Nonsense questions whose best row is kept.
    pub n_nonsense: usize,
    /// The share of what is kept that is relevant; none where nothing is.
    pub precision: Option<f64>,
    /// The share of relevant rows that is kept; none where there is none.
    pub recall: Option<f64>,
}

/// How many scores lie where.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// The borders of the bins, ascending, one more than bins; a score on a border is in the bin above it.
    pub edges: Vec<f64>,
    /// Relevant rows in each bin.
    pub relevant: Vec<u32>,
    /// Other rows.
    pub not_relevant: Vec<u32>,
    /// The best rows of nonsense questions.
    pub nonsense: Vec<u32>,
}

impl Calibration {
    /// Takes the scores of relevant rows, of other rows, and of the best row of each nonsense question; none of no score.
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

    /// The same for a line that can only be set to multiples of `step`, above 0.
    pub fn in_steps_of(self, step: f64) -> Calibration {
        // A quotient is nearer to what a person reads than a product: 7 / 100 is 0.07.
        let per_unit = Some(1.0 / step);
        Calibration { per_unit, ..self }
    }

    /// All scores, ascending.
    fn all(&self) -> Vec<f64> {
        let mut all = [&*self.relevant, &self.not_relevant, &self.nonsense].concat();
        all.sort_unstable_by(f64::total_cmp);
        all
    }

    /// What a line keeps.
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

    /// The scores in at most 40 bins of one scale, which reaches to the present line too.
    ///
    /// Bins are as wide as Freedman and Diaconis advise (On the histogram as a density estimator, 1981) or as it takes to
    /// keep to 40, rounded up to 1, 2 or 5 times a power of ten, so that people can read the borders.
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

    /// The line that serves best; none where none is better than keeping all.
    ///
    /// With nonsense it has the greatest share of relevant rows kept less the share of nonsense kept (Youden, Index for rating
    /// diagnostic tests, Cancer 1950): it keeps nonsense out while that costs fewer answers. Without, it has the greatest F1
    /// of relevant rows among all. Of equals it is the lowest, which loses the fewest rows. A line that loses more than a
    /// fifth of the relevant rows is never suggested, whatever it keeps out.
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
            // What rounding makes is no gain.
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

    /// A line for every set of rows that one can keep, all first; in steps the next one below.
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

    /// Whether a line keeps all relevant rows and nothing of nonsense; true where one of them is missing.
    pub fn separates(&self) -> bool {
        match (self.relevant.first(), self.nonsense.last()) {
            (Some(lowest), Some(highest)) => lowest > highest,
            (Some(_) | None, _) => true,
        }
    }

    /// What the suggested line costs, or why there is none, for a person.
    pub fn sentence(&self) -> String {
        let (n_relevant, n_others) = (self.relevant.len(), self.not_relevant.len());
        let n_nonsense = self.nonsense.len();
        if n_relevant == 0 {
            return "No answer is among the rows, so nothing speaks for a line.".to_owned();
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
                told(at.line),
                at.n_relevant,
                at.n_not_relevant
            ),
            Some(at) if at.n_relevant == n_relevant && at.n_nonsense == 0 => format!(
                "{} keeps every row with an answer and leaves all {n_nonsense} nonsense questions without a result.",
                told(at.line)
            ),
            Some(at) => format!(
                "No line keeps nonsense out without losing answers: {} keeps {} of {n_relevant} rows with an answer, and {} of {n_nonsense} nonsense questions still find something.",
                told(at.line),
                at.n_relevant,
                at.n_nonsense
            ),
        }
    }
}

/// How many of ascending scores a line keeps.
fn kept(scores: &[f64], line: f64) -> usize {
    scores.len() - scores.partition_point(|score| *score < line)
}

fn share(n: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| n as f64 / of as f64)
}

/// A line as a person would type it.
fn told(line: f64) -> String {
    line.to_string().replace('-', "\u{2212}")
}

/// The shortest number above `low` and at most `high` near their middle: two decimals, or as many more as it takes.
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

/// Borders of equal bins that hold everything from the lowest to the highest score.
fn edges(lowest: f64, highest: f64, advised: f64) -> Vec<f64> {
    let least = ((highest - lowest) / BINS_MAX as f64).max(advised);
    // Scores that are all equal stand in one bin of a hundredth.
    let least = if least > 0.0 { least } else { 0.01 };
    // No finer than numbers of this size can tell.
    let least = least.max(lowest.abs().max(highest.abs()) * 1e-9);
    let mut exponent = least.log10().floor() as i32;
    loop {
        for factor in [1, 2, 5] {
            // Whole numbers of units, so that borders are 0.3 and not 0.30000000000000004.
            let unit = |n: f64| match exponent {
                0.. => n * 10_f64.powi(exponent),
                _ => n / 10_f64.powi(-exponent),
            };
            let border = |at: f64| unit(at * f64::from(factor));
            // A quotient is off by rounding: borders themselves tell.
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
