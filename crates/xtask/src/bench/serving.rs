//! The search as a tool of agents: what the server adds to the same search in an open library.
//!
//! Both are built as released, because the server is measured beside the library in one run.

use super::speed::{self, MEDIAN};
use super::{Figure, Target, scale};
use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::setup::{self, Install, Purpose};

/// Size of the library.
const CHUNKS: u32 = 10_000;

/// What is aimed at. Memory is measured on Linux only.
const AIMS: &[(&str, Target)] = &[
    (
        "start of the server, until it offers its tools",
        Target::AtMost(300.0),
    ),
    (
        "memory_search, median over the server above that without",
        Target::AtMost(5.0),
    ),
    (
        "searches of the server in a time, share of those of two threads",
        Target::AtLeast(0.8),
    ),
    (
        "memory of the server over 100,000 calls, most to first",
        Target::AtMost(1.05),
    ),
];

/// Measures `memlens serve --mcp` on a library of 10,000 chunks, which is made unless it is there.
pub fn measure(project: &Project) -> Result<Vec<Figure>> {
    setup::setup(project, Purpose::Terminal, Install::Missing)?;
    let dir = project.root.join(format!("target/bench/scale-{CHUNKS}"));
    scale::make(project, &dir, CHUNKS)?;
    let memlens = scale::build(project)?;
    let mut program = command::cargo(project);
    program.args([
        "bench",
        "--profile",
        "release",
        "--package",
        "memlens-engine",
    ]);
    program.args(["--bench", "library", "--", "--measure-serving"]);
    let printed = command::output(program.arg(&dir).arg(&memlens))?;
    figures(&printed).map_err(|cause| Error::Answer {
        program: "the benchmark program".to_owned(),
        cause,
    })
}

/// The median of every series that the program printed, in order.
fn figures(printed: &str) -> Result<Vec<Figure>, String> {
    let mut all = speed::series(printed)?;
    for (name, _) in AIMS {
        let is_measured = all.iter().any(|series| series.name == *name);
        let is_expected = cfg!(target_os = "linux") || !name.starts_with("memory of");
        if is_expected && !is_measured {
            return Err(format!("{name:?} was not measured"));
        }
    }
    let figures = all.iter_mut().map(|series| {
        series.samples.sort_by(f64::total_cmp);
        if series.samples.is_empty() {
            return Err(format!("{:?} has no samples", series.name));
        }
        let aim = AIMS.iter().find(|(name, _)| *name == series.name);
        Ok(speed::figure(
            series,
            MEDIAN,
            aim.map(|(_, target)| *target),
        ))
    });
    figures.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(name: &str, samples: &[f64]) -> String {
        json!({"name": name, "unit": "ms", "note": "", "samples": samples}).to_string() + "\n"
    }

    #[test]
    fn each_aim_is_measured_and_compared() {
        let mut printed = line("anything else", &[9.0]);
        for (name, _) in AIMS {
            printed += &line(name, &[0.9, 0.7, 0.2]);
        }
        let found = figures(&printed).unwrap();
        assert_eq!(found.len(), AIMS.len() + 1);
        assert_eq!(found[0].target, None);
        let missed: Vec<&str> = found
            .iter()
            .filter(|figure| !figure.is_met())
            .map(|figure| figure.name.as_str())
            .collect();
        assert_eq!(missed, [format!("{}: median of 3", AIMS[2].0)]);
        let without = figures(&line(AIMS[0].0, &[1.0])).unwrap_err();
        assert!(without.contains(AIMS[1].0), "{without}");
        let empty = figures(&(printed + &line("none", &[]))).unwrap_err();
        assert!(empty.contains("no samples"), "{empty}");
    }
}
