//! The tests that drive the real window, on screens in memory.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::command;
use crate::display::Display;
use crate::error::{Error, Result};
use crate::openclaw_plugin;
use crate::project::Project;
use crate::test::tally::{Runner, Tally};

/// Width and height of each screen in pixels.
const SCREEN: (u32, u32) = (2560, 1440);

/// How many files run at once, each on its own screen. A scenario waits more than it computes.
const SCREENS: usize = 2;

/// Files that run with nothing beside them. The first stops a program at one of its writes, within milliseconds; both trace the
/// calls of programs, which makes these several times slower.
const ALONE: &[&str] = &["killing.test.mjs", "network.test.mjs"];

/// The names of all test files, largest first: a large one that starts last would keep one screen idle.
pub fn files(project: &Project) -> Result<Vec<String>> {
    let folder = project.e2e();
    let read_error = |source| Error::Read {
        path: folder.clone(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(read_error)? {
        let entry = entry.map_err(read_error)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".test.mjs") {
            files.push((entry.metadata().map_err(read_error)?.len(), name));
        }
    }
    files.sort_by(|a, b| b.cmp(a));
    Ok(files.into_iter().map(|(_, name)| name).collect())
}

/// Runs the test files of these names and counts their tests; an error names every file that failed or ran no test.
///
/// A file that failed is run once more with nothing beside it, and this decides: a machine that stands still for longer than a
/// scenario waits fails any of them. Both failures are printed.
pub fn test(project: &Project, files: &[String], tally: &mut Tally) -> Result<()> {
    let (alone, beside): (Vec<_>, Vec<_>) = files
        .iter()
        .partition(|file| ALONE.contains(&file.as_str()));
    openclaw_plugin::build(project)?;
    make_sample(project)?;
    run_all(project, beside, alone, tally)
}

/// Runs files side by side, then those that must have nothing beside them, and then what failed once more.
fn run_all(
    project: &Project,
    beside: Vec<&String>,
    alone: Vec<&String>,
    tally: &mut Tally,
) -> Result<()> {
    let mut failed = Vec::new();
    for (files, screens) in [(beside, SCREENS), (alone, 1)] {
        let screens = screens.min(files.len());
        failed.extend(on_screens(project, files, screens, tally)?);
    }
    if failed.is_empty() {
        return Ok(());
    }
    println!("\n-- once more, alone: {}", names(&failed));
    let again = failed.iter().map(|failure| &failure.file).collect();
    let still_failed = on_screens(project, again, 1, tally)?;
    // At the end, where a log that is cut short still has them.
    for (when, failures) in [("at first", &failed), ("again", &still_failed)] {
        for Failure { file, report, .. } in failures {
            println!("\n-- {file} failed {when}:\n{report}");
        }
    }
    if still_failed.is_empty() {
        return Ok(());
    }
    for failure in &still_failed {
        *tally += failure.counted;
    }
    Err(Error::EndToEnd(names(&still_failed)))
}

/// A file with a test that failed, or without one that passed.
struct Failure {
    file: String,
    counted: Tally,
    /// What was printed about the failed tests.
    report: String,
}

/// The names of the files, by name.
fn names(failures: &[Failure]) -> String {
    let mut names: Vec<_> = failures
        .iter()
        .map(|failure| failure.file.as_str())
        .collect();
    names.sort_unstable();
    names.join(", ")
}

/// What the reporter of Node repeats of failed tests at the end of `printed`; all of it if no test failed.
fn failures(printed: &str) -> &str {
    let start = printed.rfind("\n✖ failing tests:").unwrap_or(0);
    printed[start..].trim()
}

/// The folder with the sample notes and a library where they are indexed, from which most files start: embedding them is the
/// slowest part of opening a window.
fn sample(project: &Project) -> PathBuf {
    project.root.join("target/end-to-end-sample")
}

fn make_sample(project: &Project) -> Result<()> {
    let folder = sample(project);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|source| Error::Write {
            path: folder.clone(),
            source,
        })?;
    }
    let mut node = node(project);
    command::run(node.arg("driver/make-sample.mjs").arg(&folder))
}

/// Node, at work in the folder of the tests, with the programs that they drive.
fn node(project: &Project) -> Command {
    let mut node = Command::new("node");
    node.current_dir(project.e2e())
        .env("MEMLENS_APP", project.program("memlens-app"))
        .env("MEMLENS_CLI", project.program("memlens"))
        .stdin(Stdio::null());
    node
}

/// Runs `files` on as many screens at once, and counts the tests of those that passed; returns those that failed.
fn on_screens(
    project: &Project,
    files: Vec<&String>,
    screens: usize,
    tally: &mut Tally,
) -> Result<Vec<Failure>> {
    let queue = Mutex::new(VecDeque::from(files));
    let outcome = Mutex::new((Vec::new(), Tally::default()));
    thread::scope(|scope| {
        let workers: Vec<_> = (0..screens)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    let (width, height) = SCREEN;
                    let display = Display::start(width, height)?;
                    loop {
                        let next = queue
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .pop_front();
                        let Some(file) = next else { return Ok(()) };
                        let (printed, counted, is_green) = run(project, &display, file)?;
                        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
                        // With the lock held: the output of one file stays together.
                        print!("{printed}");
                        if is_green {
                            outcome.1 += counted;
                        } else {
                            outcome.0.push(Failure {
                                file: file.clone(),
                                counted,
                                report: failures(&printed).to_owned(),
                            });
                        }
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    let (failed, counted) = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    *tally += counted;
    Ok(failed)
}

/// Runs one file: what it printed, its tests, and whether it ran tests of which none failed.
fn run(project: &Project, display: &Display, file: &str) -> Result<(String, Tally, bool)> {
    let start = Instant::now();
    let mut node = node(project);
    node.args(["--test", "--test-reporter=spec", file])
        .env("MEMLENS_SAMPLE", sample(project));
    display.show(&mut node);
    let output = node.output().map_err(|source| Error::Start {
        command: command::line(&node),
        source,
    })?;
    let mut counted = Tally::default();
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines() {
        counted += Runner::Node.count(line);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let printed = format!(
        "\n-- {file}: {:.1} s\n{text}{errors}",
        start.elapsed().as_secs_f64()
    );
    let is_green = output.status.success() && counted.passed > 0;
    Ok((printed, counted, is_green))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_what_the_reporter_repeats_at_the_end() {
        let report = "✖ failing tests:\n\ntest at a.test.mjs:1:1\n✖ it opens";
        let printed = format!("\n-- a.test.mjs: 1.0 s\n✖ it opens\nℹ fail 1\n\n{report}\n");
        assert_eq!(failures(&printed), report);
        assert_eq!(failures("\nno test ran\n"), "no test ran");
    }

    /// Needs Node and Xvfb, as every test of the window does.
    #[test]
    fn a_file_that_failed_runs_once_more_and_then_it_counts() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project {
            root: folder.path().to_owned(),
            programs: folder.path().to_owned(),
        };
        fs::create_dir_all(project.e2e()).unwrap();
        let imports = "import test from 'node:test'; import fs from 'node:fs';\n";
        for (name, body) in [
            ("passes", ""),
            (
                "recovers",
                "if (!fs.existsSync('seen')) { fs.writeFileSync('seen', ''); throw new Error('slow'); }",
            ),
            ("fails", "throw new Error('always');"),
        ] {
            let text = format!("{imports}test('{name}', () => {{ {body} }});\n");
            fs::write(project.e2e().join(format!("{name}.test.mjs")), text).unwrap();
        }
        let files = |names: &[&str]| -> Vec<String> {
            names
                .iter()
                .map(|name| format!("{name}.test.mjs"))
                .collect()
        };
        let mut tally = Tally::default();
        let flaky = files(&["passes", "recovers"]);
        run_all(&project, flaky.iter().collect(), vec![], &mut tally).unwrap();
        assert_eq!((tally.passed, tally.failed), (2, 0));
        let broken = files(&["passes", "fails"]);
        let error = run_all(&project, broken.iter().collect(), vec![], &mut tally).unwrap_err();
        assert!(matches!(&error, Error::EndToEnd(names) if names == "fails.test.mjs"));
        assert_eq!((tally.passed, tally.failed), (3, 1));
    }
}
