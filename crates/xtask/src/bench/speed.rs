//! How fast it is: what the crates' own benchmark programs measure, condensed to figures.
//!
//! Such a program prints one series a line as JSON: a name, a unit, a note and samples, each of a single call. Percentiles
//! are taken here, so that all are taken alike.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::{Figure, Target};
use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::setup::{self, Install, Purpose};

/// The benchmark programs by their cargo names, and the one profile that everything is built in.
const PROGRAMS: &[&str] = &[
    "library",
    "emulation",
    "throughput",
    "late",
    "http",
    "recall",
];
const PROFILE: &str = "dev";

/// A percentile of a series.
struct Reading {
    series: &'static str,
    percent: usize,
    target: Option<Target>,
}

pub(super) const MEDIAN: usize = 50;

/// Both are measured on Linux only.
const PEAK_MEMORY: &str = "peak memory while indexing";
const PEAK_MEMORY_OF_IMPORT: &str = "peak memory of an import";

/// What is read besides the medians of all series, and the targets.
const READINGS: &[Reading] = &[
    aimed("rank 200 candidates", MEDIAN, Target::AtMost(50.0)),
    reported("rank 200 candidates", 99),
    reported("rank 1000 candidates", 99),
    // Tuning asks for 40,000 a second and core.
    aimed("order 200 candidates", MEDIAN, Target::AtMost(25.0)),
    aimed(
        "rank 200 candidates, with evidence",
        MEDIAN,
        Target::AtMost(2000.0),
    ),
    aimed("search", MEDIAN, Target::AtMost(15.0)),
    aimed("overview, 10,000 notes", MEDIAN, Target::AtMost(150.0)),
    aimed(
        "first picture of the map, 10,000 chunks",
        MEDIAN,
        Target::AtMost(1000.0),
    ),
    reported("search", 99),
    reported("vector scan alone", 99),
    reported("BM25 alone", 99),
    aimed("ask OpenClaw 2026.9", MEDIAN, Target::AtMost(30.0)),
    aimed("ask OpenClaw 2026.7", MEDIAN, Target::AtMost(30.0)),
    aimed("ask OpenClaw 2026.2", MEDIAN, Target::AtMost(30.0)),
    aimed("ask qmd 2.8", MEDIAN, Target::AtMost(30.0)),
    aimed("ask OpenViking 0.5", MEDIAN, Target::AtMost(30.0)),
    aimed("ask basic-memory 0.24", MEDIAN, Target::AtMost(30.0)),
    aimed(
        "move a slider of OpenClaw 2026.9",
        MEDIAN,
        Target::AtMost(8.0),
    ),
    reported("move a slider of OpenClaw 2026.9", 99),
    aimed("a saved note can be found", 95, Target::AtMost(1000.0)),
    aimed(
        "a saved note can be found among 100,000 chunks",
        95,
        Target::AtMost(500.0),
    ),
    aimed(
        "a saved note can be found, no history saved",
        95,
        Target::AtMost(1000.0),
    ),
    reported("a saved note can be found among 10,000 observations", 95),
    aimed(
        "a saved note can be found while 10,000 observations are compared",
        95,
        Target::AtMost(1000.0),
    ),
    reported("links of a note, after a saved note", 95),
    aimed(
        "save a preset while notes are indexed",
        95,
        Target::AtMost(100.0),
    ),
    aimed(
        "give a thumb while notes are indexed",
        95,
        Target::AtMost(100.0),
    ),
    aimed("pause while notes are indexed", 95, Target::AtMost(100.0)),
    aimed("compare 10,000 observations", MEDIAN, Target::AtMost(3.0)),
    aimed(
        "compare again after one saved note",
        MEDIAN,
        Target::AtMost(100.0),
    ),
    aimed(PEAK_MEMORY, MEDIAN, Target::AtMost(500.0)),
    aimed(
        "embed chunks, ratio to ONNX Runtime",
        MEDIAN,
        Target::AtLeast(0.95),
    ),
    aimed(
        "late interaction, first time",
        MEDIAN,
        Target::AtMost(1200.0),
    ),
    aimed("late interaction, kept", MEDIAN, Target::AtMost(20.0)),
    aimed("import of 10,000 sessions", MEDIAN, Target::AtLeast(100.0)),
    aimed(PEAK_MEMORY_OF_IMPORT, MEDIAN, Target::AtMost(200.0)),
    aimed(
        "HTTP rerank beside the server's own time",
        MEDIAN,
        Target::AtMost(5.0),
    ),
];

const fn aimed(series: &'static str, percent: usize, target: Target) -> Reading {
    Reading {
        series,
        percent,
        target: Some(target),
    }
}

const fn reported(series: &'static str, percent: usize) -> Reading {
    Reading {
        series,
        percent,
        target: None,
    }
}

/// What a benchmark program prints.
#[derive(Debug, Deserialize)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) note: String,
    pub(super) samples: Vec<f64>,
}

/// Builds and runs the benchmark programs, one after the other.
pub fn measure(project: &Project) -> Result<Vec<Figure>> {
    setup::setup(project, Purpose::Terminal, Install::Missing)?;
    let mut all = Vec::new();
    for program in PROGRAMS {
        let printed = command::output(&mut bench_program(project, program))?;
        all.extend(series(&printed).map_err(|cause| Error::Answer {
            program: (*program).to_owned(),
            cause,
        })?);
    }
    figures(all).map_err(|cause| Error::Answer {
        program: "the benchmark programs".to_owned(),
        cause,
    })
}

/// Makes a library in `dir` as the benchmark program's `argument` says, with its notes in `dir/notes` and itself in
/// `dir/library`.
pub(super) fn make_library(project: &Project, argument: &str, dir: &Path) -> Result<()> {
    let mut program = bench_program(project, "library");
    command::output(program.args(["--", argument]).arg(dir)).map(|_| ())
}

/// A benchmark program by its cargo name, ready for its arguments.
pub(super) fn bench_program(project: &Project, name: &str) -> Command {
    let mut cargo = command::cargo(project);
    // As a part of the workspace it shares every dependency with what `cargo xtask test` builds.
    cargo.args(["bench", "--workspace", "--profile", PROFILE]);
    cargo.args(["--bench", name]);
    cargo
}

/// Reads what a program printed.
pub(super) fn series(printed: &str) -> Result<Vec<Series>, String> {
    printed
        .lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{line:?}: {error}")))
        .collect()
}

/// The figures of every series, in order, each with its median first.
fn figures(mut all: Vec<Series>) -> Result<Vec<Figure>, String> {
    if let Some(series) = all.iter().find(|series| series.samples.is_empty()) {
        return Err(format!("{:?} has no samples", series.name));
    }
    if let Some(reading) = READINGS
        .iter()
        .filter(|reading| {
            let peaks = [PEAK_MEMORY, PEAK_MEMORY_OF_IMPORT];
            cfg!(target_os = "linux") || !peaks.contains(&reading.series)
        })
        .find(|reading| all.iter().all(|series| series.name != reading.series))
    {
        return Err(format!("{:?} was not measured", reading.series));
    }
    for series in &mut all {
        series.samples.sort_by(f64::total_cmp);
    }
    Ok(all.iter().flat_map(figures_of).collect())
}

fn figures_of(series: &Series) -> Vec<Figure> {
    let readings = READINGS
        .iter()
        .filter(|reading| reading.series == series.name);
    let median_target = readings
        .clone()
        .find(|reading| reading.percent == MEDIAN)
        .and_then(|reading| reading.target);
    let mut figures = vec![figure(series, MEDIAN, median_target)];
    figures.extend(
        readings
            .filter(|reading| reading.percent != MEDIAN)
            .map(|reading| figure(series, reading.percent, reading.target)),
    );
    figures
}

/// A percentile of a series whose samples ascend.
pub(super) fn figure(series: &Series, percent: usize, target: Option<Target>) -> Figure {
    let name = &series.name;
    let n_samples = series.samples.len();
    Figure {
        name: match (n_samples, percent) {
            (1, _) => name.clone(),
            (_, MEDIAN) => format!("{name}: median of {n_samples}"),
            _ => format!("{name}: {percent} % below"),
        },
        value: percentile(&series.samples, percent),
        unit: series.unit.clone(),
        target,
        note: series.note.clone(),
    }
}

/// The lowest of `ascending` that at least `percent` of 100 do not exceed; `ascending` is not empty.
fn percentile(ascending: &[f64], percent: usize) -> f64 {
    let rank = (ascending.len() * percent).div_ceil(100).max(1);
    ascending[rank - 1]
}

#[cfg(test)]
mod tests {
    //! Percentiles are values that were measured; each series gives its median and what is asked of it; a target that
    //! nothing was measured for is an error.

    use super::*;

    fn line(name: &str, samples: &[f64]) -> String {
        serde_json::json!({ "name": name, "unit": "ms", "note": "", "samples": samples })
            .to_string()
    }

    fn check(lines: &[String]) -> Result<Vec<(String, f64, bool)>, String> {
        let figures = figures(series(&lines.join("\n"))?)?;
        Ok(figures
            .into_iter()
            .map(|figure| {
                let is_met = figure.is_met();
                (figure.name, figure.value, is_met)
            })
            .collect())
    }

    /// A line for every series that is read, with one sample.
    fn lines() -> Vec<String> {
        let mut names: Vec<&str> = READINGS.iter().map(|reading| reading.series).collect();
        names.dedup();
        names.into_iter().map(|name| line(name, &[1.0])).collect()
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        let check = |samples: &[f64], percent, expected: f64| {
            assert_eq!(percentile(samples, percent), expected, "{percent}");
        };
        check(&hundred, 50, 50.0);
        check(&hundred, 99, 99.0);
        check(&hundred, 100, 100.0);
        check(&hundred[..60], 95, 57.0);
        check(&[7.0], 50, 7.0);
        check(&[7.0], 0, 7.0);
    }

    #[test]
    fn series_become_figures() {
        let mut lines = lines();
        lines.retain(|line| !line.contains("\"search\""));
        lines.push(line("search", &[40.0, 10.0, 16.0]));
        lines.push(line("anything else", &[3.0]));
        let figures = check(&lines).unwrap();
        let check = |name: &str, value: f64, is_met: bool| {
            assert!(
                figures.contains(&(name.to_owned(), value, is_met)),
                "{name} in {figures:?}"
            );
        };
        check("search: median of 3", 16.0, false);
        check("search: 99 % below", 40.0, true);
        check("anything else", 3.0, true);
        check("rank 200 candidates", 1.0, true);
    }

    #[test]
    fn what_is_missing_is_an_error() {
        let mut lines = lines();
        assert!(check(&lines).is_ok());
        let last = lines.pop().unwrap();
        assert!(check(&lines).unwrap_err().contains("was not measured"));
        lines.push(line("embed chunks, ratio to ONNX Runtime", &[]));
        assert!(check(&lines).unwrap_err().contains("no samples"));
        lines.pop();
        lines.extend([last, "running 0 tests".to_owned()]);
        assert!(check(&lines).unwrap_err().contains("running 0 tests"));
    }
}
