//! Measured figures beside their targets.

mod growth;
mod quality;
mod scale;
mod serving;
mod speed;
mod window;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::growth::Growth;
use crate::error::{Error, Result};
use crate::project::Project;

/// What `cargo xtask bench` was asked to measure.
#[derive(Args)]
pub struct BenchArgs {
    /// What to measure (default: speed of ranking, searching, indexing and embedding)
    #[command(subcommand)]
    subject: Option<Subject>,
}

#[derive(Subcommand)]
enum Subject {
    /// How well the defaults rank sets of notes with known answers
    Quality {
        /// Folder with the sets agent-memory-57, locomo and qmsum
        #[arg(long, value_name = "DIR")]
        sets: PathBuf,
    },
    /// Libraries of any size: opened, searched and followed, and the command on them as whole processes
    Scale {
        /// About how many chunks one has; of several sizes, how each figure grows is printed too
        #[arg(long, value_name = "N", required = true, num_args = 1.., value_parser = clap::value_parser!(u32).range(1..))]
        chunks: Vec<u32>,
        /// Make the libraries, unless they are there, and measure nothing
        #[arg(long)]
        make_only: bool,
    },
    /// The search as a tool of agents (memlens serve), beside the same search in an open library
    Serving,
    /// The real window: how fast it starts and repaints, its memory use, and its work when idle
    Window,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    pub name: String,
    pub value: f64,
    /// The unit of `value` and of the target's number; empty for counts, shares and scores in `[0, 1]`.
    pub unit: String,
    /// What it should be; `None` when it is only reported.
    pub target: Option<Target>,
    /// Circumstances that a reader must know; may be empty.
    pub note: String,
}

/// A bound on a figure, itself allowed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    AtLeast(f64),
    AtMost(f64),
}

impl Figure {
    /// Whether the target is met; true without one, false for a value that is not a number.
    pub fn is_met(&self) -> bool {
        match self.target {
            None => true,
            Some(Target::AtLeast(bound)) => self.value >= bound,
            Some(Target::AtMost(bound)) => self.value <= bound,
        }
    }
}

/// Measures, prints a table, writes it to `target/bench.json` and fails if a target is missed.
pub fn bench(project: &Project, args: &BenchArgs) -> Result<()> {
    let n_missed = match &args.subject {
        None => report(project, "speed", &speed::measure(project)?)?,
        Some(Subject::Quality { sets }) => {
            report(project, "quality", &quality::measure(project, sets)?)?
        }
        Some(Subject::Scale { chunks, make_only }) => {
            let mut n_missed = 0;
            let mut sizes = Vec::new();
            for n_chunks in chunks {
                let figures = scale::measure(project, *n_chunks, *make_only)?;
                n_missed += report(project, &format!("scale-{n_chunks}"), &figures)?;
                if !figures.is_empty() {
                    sizes.push((*n_chunks, figures));
                }
            }
            if let Some(growth) = Growth::of(sizes) {
                print!("\n{growth}");
            }
            n_missed
        }
        Some(Subject::Serving) => report(project, "serving", &serving::measure(project)?)?,
        Some(Subject::Window) => report(project, "window", &window::measure(project)?)?,
    };
    match n_missed {
        0 => Ok(()),
        n_missed => Err(Error::Bench(n_missed)),
    }
}

/// Prints the figures of a subject and saves them; returns how many miss their target.
fn report(project: &Project, subject: &str, figures: &[Figure]) -> Result<usize> {
    print!("{}", Table(figures));
    if !figures.is_empty() {
        save(&project.root.join("target/bench.json"), subject, figures)?;
    }
    Ok(figures.iter().filter(|figure| !figure.is_met()).count())
}

/// Writes the figures of one subject; those of the others, measured before, stay.
fn save(path: &Path, subject: &str, figures: &[Figure]) -> Result<()> {
    let mut all: Map<String, Value> = fs::read(path)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    all.insert(subject.to_owned(), json!(figures));
    let text = format!("{:#}\n", Value::Object(all));
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|source| Error::Write {
            path: path.to_owned(),
            source,
        })
}

/// Figures as lines of a table.
struct Table<'a>(&'a [Figure]);

impl fmt::Display for Table<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self
            .0
            .iter()
            .map(|figure| figure.name.chars().count())
            .max()
            .unwrap_or(0);
        for figure in self.0 {
            let target = match figure.target {
                None => String::new(),
                Some(Target::AtLeast(bound)) => format!(">= {}", rounded(bound)),
                Some(Target::AtMost(bound)) => format!("<= {}", rounded(bound)),
            };
            let verdict = if figure.is_met() { "" } else { "MISSED" };
            let line = format!(
                "{:width$}  {:>10.3} {:5} {target:10} {verdict:6} {}",
                figure.name, figure.value, figure.unit, figure.note
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// The number with as many digits as the table shows of values.
fn rounded(bound: f64) -> f64 {
    (bound * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    //! Bounds are inclusive, a value that is not a number meets none, a missed target shows, and subjects are saved
    //! beside each other.

    use super::*;

    fn figure(value: f64, target: Option<Target>) -> Figure {
        Figure {
            name: "rank 200".to_owned(),
            value,
            unit: "us".to_owned(),
            target,
            note: "median".to_owned(),
        }
    }

    #[test]
    fn targets_are_bounds() {
        let check = |value: f64, target: Option<Target>, expected: bool| {
            assert_eq!(
                figure(value, target).is_met(),
                expected,
                "{value} {target:?}"
            );
        };
        check(50.0, Some(Target::AtMost(50.0)), true);
        check(50.1, Some(Target::AtMost(50.0)), false);
        check(0.83, Some(Target::AtLeast(0.83)), true);
        check(0.82, Some(Target::AtLeast(0.83)), false);
        check(f64::NAN, Some(Target::AtLeast(0.83)), false);
        check(f64::NAN, Some(Target::AtMost(0.83)), false);
        check(7.0, None, true);
    }

    #[test]
    fn a_missed_target_shows() {
        let figures = [
            figure(15.0, Some(Target::AtMost(50.0))),
            figure(51.0, Some(Target::AtMost(50.0))),
            figure(0.84, Some(Target::AtLeast(0.838_488))),
        ];
        assert_eq!(
            Table(&figures).to_string(),
            "rank 200      15.000 us    <= 50             median\n\
             rank 200      51.000 us    <= 50      MISSED median\n\
             rank 200       0.840 us    >= 0.838          median\n"
        );
    }
    #[test]
    fn subjects_stand_beside_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("target/bench.json");
        save(&path, "speed", &[figure(1.0, None)]).unwrap();
        save(&path, "quality", &[figure(2.0, None)]).unwrap();
        save(&path, "speed", &[figure(3.0, Some(Target::AtMost(4.0)))]).unwrap();
        let saved: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!(saved["quality"][0]["value"], 2.0);
        assert_eq!(saved["speed"][0]["value"], 3.0);
        assert_eq!(saved["speed"][0]["target"], json!({ "at_most": 4.0 }));
    }
}
