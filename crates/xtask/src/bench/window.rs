//! The real window with a library of 10,000 chunks on a screen in memory: it starts, a slider moves, the table is
//! repainted, nothing happens. Then it starts with a library of 50,000 files, and nothing happens.
//!
//! `tests/e2e/bench/window.mjs` drives it and prints series. Nothing is aimed at for what is painted, since a screen in
//! memory has no graphics card.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::speed::{self, MEDIAN};
use super::{Figure, Target};
use crate::command;
use crate::display::Display;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::run;
use crate::setup::{self, Install, Purpose};
use crate::ui;

/// Width and height of the screen in pixels; the window fills it.
const SCREEN: (u32, u32) = (1440, 900);

/// Percentile reported as the slowest; computed only with enough samples.
const SLOWEST: usize = 99;
const N_SAMPLES_FOR_SLOWEST: usize = 100;

/// The longest of all.
const LONGEST: usize = 100;

/// What a percentile of a series should be. A processor that is busy for 0.2 % of the time counts as idle: the engine looks after folders
/// now and then that may have come back, WebKit after its memory.
const AIMS: &[(&str, usize, Target)] = &[
    (
        "window: start until it can be used",
        MEDIAN,
        Target::AtMost(1000.0),
    ),
    (
        "window: memory of its process at the start",
        MEDIAN,
        Target::AtMost(350.0),
    ),
    (
        "window: memory of its process after 10 searches",
        MEDIAN,
        Target::AtMost(350.0),
    ),
    (
        "window: memory of its process at rest",
        MEDIAN,
        Target::AtMost(350.0),
    ),
    (
        "window: processor time in 20 idle seconds",
        MEDIAN,
        Target::AtMost(40.0),
    ),
    (
        "memlens watch: processor time in 20 idle seconds",
        MEDIAN,
        Target::AtMost(40.0),
    ),
    (
        "window among 50,000 files: start until it can be used",
        MEDIAN,
        Target::AtMost(1000.0),
    ),
    (
        "window among 50,000 files: processor time in 20 idle seconds",
        MEDIAN,
        Target::AtMost(40.0),
    ),
    (
        "window among 50,000 files: a frame while the list is scrolled",
        LONGEST,
        Target::AtMost(50.0),
    ),
    (
        "window among 50,000 files: a frame while the list jumps",
        LONGEST,
        Target::AtMost(50.0),
    ),
];

/// Builds the window and measures it.
pub fn measure(project: &Project) -> Result<Vec<Figure>> {
    setup::setup(project, Purpose::Headless, Install::Missing)?;
    ui::build(project)?;
    run::build(project, &["memlens", "memlens-app"])?;
    let library = make(project, "ten-thousand", "--make")?;
    let many = make(project, "many-files", "--make-many")?;
    let (width, height) = SCREEN;
    let display = Display::start(width, height)?;
    let mut node = Command::new("node");
    node.arg("bench/window.mjs")
        .args([&library, &many])
        .current_dir(project.e2e())
        .env("MEMLENS_APP", project.program("memlens-app"))
        .env("MEMLENS_CLI", project.program("memlens"));
    display.show(&mut node);
    let printed = command::output(&mut node)?;
    figures(&printed).map_err(|cause| Error::Answer {
        program: command::line(&node),
        cause,
    })
}

/// Makes a library of that name by the benchmark program, and returns its folder.
fn make(project: &Project, name: &str, argument: &str) -> Result<PathBuf> {
    let library = project.root.join("target/bench").join(name);
    if library.exists() {
        // Made by a version of yore, it may hold something else.
        fs::remove_dir_all(&library).map_err(|source| Error::Write {
            path: library.clone(),
            source,
        })?;
    }
    eprintln!("Building a library in {}", library.display());
    speed::make_library(project, argument, &library)?;
    Ok(library)
}

/// The median of every series, in order, and what 99 of 100 do not exceed if there are that many.
fn figures(printed: &str) -> Result<Vec<Figure>, String> {
    let all = speed::series(printed)?;
    if let Some(series) = all.iter().find(|series| series.samples.is_empty()) {
        return Err(format!("{:?} has no samples", series.name));
    }
    if all.is_empty() {
        return Err("it measured nothing".to_owned());
    }
    if let Some((name, ..)) = AIMS
        .iter()
        .find(|(name, ..)| all.iter().all(|series| series.name != *name))
    {
        return Err(format!("{name:?} was not measured"));
    }
    Ok(all
        .into_iter()
        .flat_map(|mut series| {
            series.samples.sort_by(f64::total_cmp);
            let aimed = |percent| {
                let mut aims = AIMS.iter();
                let aim = aims.find(|(name, at, _)| *name == series.name && *at == percent);
                aim.map(|(.., target)| *target)
            };
            let median = speed::figure(&series, MEDIAN, aimed(MEDIAN));
            let slowest = (series.samples.len() >= N_SAMPLES_FOR_SLOWEST)
                .then(|| speed::figure(&series, SLOWEST, None));
            let longest = aimed(LONGEST);
            let longest = longest.map(|target| speed::figure(&series, LONGEST, Some(target)));
            std::iter::once(median)
                .chain(slowest)
                .chain(longest)
                .collect::<Vec<_>>()
        })
        .collect())
}

#[cfg(test)]
mod tests {
    //! Long series give two figures, short ones their median, none an error; what is aimed at is measured.

    use super::*;

    fn line(name: &str, n_samples: u32) -> String {
        let samples: Vec<u32> = (1..=n_samples).rev().collect();
        serde_json::json!({ "name": name, "unit": "ms", "note": "", "samples": samples })
            .to_string()
    }

    #[test]
    fn series_become_figures() {
        let printed = lines(&[line("repaint", 200), line("start", 5)]);
        let figures: Vec<(String, f64)> = figures(&printed)
            .unwrap()
            .into_iter()
            .map(|figure| (figure.name, figure.value))
            .collect();
        assert_eq!(
            figures[figures.len() - 3..],
            [
                ("repaint: median of 200".to_owned(), 100.0),
                ("repaint: 99 % below".to_owned(), 198.0),
                ("start: median of 5".to_owned(), 3.0),
            ]
        );
    }

    #[test]
    fn a_median_is_held_against_its_aim() {
        let (name, ..) = AIMS[1];
        let mut printed = lines(&[]).replace(&line(name, 1), &line(name, 801));
        assert!(figures(&printed).unwrap().iter().any(|it| !it.is_met()));
        printed = lines(&[]);
        assert!(figures(&printed).unwrap().iter().all(Figure::is_met));
    }

    /// A line for all that is aimed at, then others.
    fn lines(others: &[String]) -> String {
        let aims = AIMS.iter().map(|(name, ..)| line(name, 1));
        aims.chain(others.iter().cloned())
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn what_is_missing_is_an_error() {
        let check = |printed: &str, part: &str| {
            let error = figures(printed).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        check("", "measured nothing");
        check(&line("start", 0), "no samples");
        check(&line("start", 1), "was not measured");
        check("no JSON", "no JSON");
    }
}
