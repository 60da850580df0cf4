//! How fast the real window is on a screen in memory: it starts, a slider moves, the table is painted anew.
//!
//! `tests/e2e/bench/window.mjs` drives it and prints series; nothing is aimed at here, since a screen in memory has no
//! graphics card.

use std::process::Command;

use super::Figure;
use super::speed::{self, MEDIAN};
use crate::command;
use crate::display::Display;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::run;
use crate::setup::{self, Install, Purpose};
use crate::ui;

/// Width and height of the screen in pixels; the window fills it.
const SCREEN: (u32, u32) = (1440, 900);

/// The slowest that a person meets; read where there are samples enough to tell it.
const SLOWEST: usize = 99;
const N_SAMPLES_FOR_SLOWEST: usize = 100;

/// Builds the window and measures it.
pub fn measure(project: &Project) -> Result<Vec<Figure>> {
    setup::setup(project, Purpose::Headless, Install::Missing)?;
    ui::build(project)?;
    run::build(project, &["memlens-cli", "memlens-app"])?;
    let (width, height) = SCREEN;
    let display = Display::start(width, height)?;
    let mut node = Command::new("node");
    node.arg("bench/window.mjs")
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

/// Returns the median of every series, in order, and what 99 of 100 do not exceed where there are that many.
fn figures(printed: &str) -> Result<Vec<Figure>, String> {
    let all = speed::series(printed)?;
    if let Some(series) = all.iter().find(|series| series.samples.is_empty()) {
        return Err(format!("{:?} has no samples", series.name));
    }
    if all.is_empty() {
        return Err("it measured nothing".to_owned());
    }
    Ok(all
        .into_iter()
        .flat_map(|mut series| {
            series.samples.sort_by(f64::total_cmp);
            let median = speed::figure(&series, MEDIAN, None);
            let slowest = (series.samples.len() >= N_SAMPLES_FOR_SLOWEST)
                .then(|| speed::figure(&series, SLOWEST, None));
            std::iter::once(median).chain(slowest)
        })
        .collect())
}

#[cfg(test)]
mod tests {
    //! Long series give two figures, short ones their median, none an error.

    use super::*;

    fn line(name: &str, n_samples: u32) -> String {
        let samples: Vec<u32> = (1..=n_samples).rev().collect();
        serde_json::json!({ "name": name, "unit": "ms", "note": "", "samples": samples })
            .to_string()
    }

    #[test]
    fn series_become_figures() {
        let printed = [line("repaint", 200), line("start", 5)].join("\n");
        let figures: Vec<(String, f64)> = figures(&printed)
            .unwrap()
            .into_iter()
            .map(|figure| (figure.name, figure.value))
            .collect();
        assert_eq!(
            figures,
            [
                ("repaint: median of 200".to_owned(), 100.0),
                ("repaint: 99 % below".to_owned(), 198.0),
                ("start: median of 5".to_owned(), 3.0),
            ]
        );
    }

    #[test]
    fn what_is_missing_is_an_error() {
        let check = |printed: &str, part: &str| {
            let error = figures(printed).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        check("", "measured nothing");
        check(&line("start", 0), "no samples");
        check("no JSON", "no JSON");
    }
}
