//! Every check and test of the project, in order, with one count at the end.

mod tally;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Args;

use crate::command;
use crate::display::Display;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::setup::{self, Install, Purpose};
use crate::test::tally::{Runner, Tally};
use crate::{codegen, tidy, ui};

/// Width and height of the screen of the end-to-end tests in pixels.
const SCREEN: (u32, u32) = (2560, 1440);

/// What `cargo xtask test` was asked to do.
#[derive(Args)]
pub struct TestArgs {
    /// Skip the tests that drive the real window
    #[arg(long)]
    fast: bool,
    /// Install no system packages: if any are missing, print the command to install them, and fail
    #[arg(long)]
    no_install: bool,
}

/// One step: its name, and what it does to the count.
struct Step {
    name: &'static str,
    run: fn(&Project, &mut Tally) -> Result<()>,
}

const STEPS: &[Step] = &[
    Step {
        name: "generated files",
        run: |project, _| codegen::check(project),
    },
    Step {
        name: "tidy",
        run: |project, _| tidy::tidy(project),
    },
    Step {
        name: "cargo fmt",
        run: |project, _| command::run(command::cargo(project).args(["fmt", "--all", "--check"])),
    },
    Step {
        name: "ui types",
        run: |project, _| npm_run(project, "check"),
    },
    Step {
        name: "ui lint",
        run: |project, _| npm_run(project, "lint"),
    },
    Step {
        name: "ui tests",
        run: |project, tally| {
            let mut npm = command::npm(&project.ui());
            npm.args(["run", "--silent", "test"]);
            counted(&mut npm, Runner::Vitest, tally)
        },
    },
    // The app embeds the built pages, so they come before anything that compiles it.
    Step {
        name: "ui build",
        run: |project, _| ui::build(project),
    },
    Step {
        name: "clippy",
        run: |project, _| {
            let mut cargo = command::cargo(project);
            cargo.args([
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ]);
            command::run(&mut cargo)
        },
    },
    // The programs with the very features that the tests are built with: the end-to-end tests need no second build.
    Step {
        name: "build",
        run: |project, _| {
            let mut cargo = command::cargo(project);
            cargo.args(["build", "--workspace", "--bins", "--tests"]);
            command::run(&mut cargo)
        },
    },
    Step {
        name: "cargo test",
        run: |project, tally| {
            let mut cargo = command::cargo(project);
            cargo.args(["test", "--workspace", "--no-fail-fast"]);
            counted(&mut cargo, Runner::Cargo, tally)
        },
    },
];

const END_TO_END: Step = Step {
    name: "end to end",
    run: end_to_end,
};

/// Sets the machine up and runs the steps up to the first that fails.
///
/// Prints the time of each step and, alone on the last line of standard output, `N passed, N failed`: the sum over the test
/// runners. A step without tests that fails counts as one failed.
pub fn test(project: &Project, args: &TestArgs) -> Result<()> {
    let (purpose, last) = if args.fast {
        (Purpose::Window, None)
    } else {
        (Purpose::Headless, Some(&END_TO_END))
    };
    let install = if args.no_install {
        Install::Nothing
    } else {
        Install::Missing
    };
    let mut tally = Tally::default();
    let mut times = Vec::new();
    let start = Instant::now();
    let mut result = setup::setup(project, purpose, install);
    times.push(("set-up", start.elapsed()));
    for step in STEPS.iter().chain(last) {
        if result.is_err() {
            break;
        }
        eprintln!("\n== {}", step.name);
        let start = Instant::now();
        result = (step.run)(project, &mut tally)
            .map_err(|error| Error::Test(format!("{}: {error}", step.name)));
        times.push((step.name, start.elapsed()));
    }
    eprintln!();
    for (name, time) in times {
        eprintln!("{:8.1} s  {name}", time.as_secs_f64());
    }
    if result.is_err() {
        tally.failed = tally.failed.max(1);
    }
    let Tally { passed, failed } = tally;
    println!("{passed} passed, {failed} failed");
    result
}

fn npm_run(project: &Project, script: &str) -> Result<()> {
    command::run(command::npm(&project.ui()).args(["run", "--silent", script]))
}

/// Drives the real window on a screen in memory.
fn end_to_end(project: &Project, tally: &mut Tally) -> Result<()> {
    let (width, height) = SCREEN;
    let display = Display::start(width, height)?;
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec", "--test-concurrency=1"])
        .current_dir(project.e2e())
        .env("MEMLENS_APP", project.program("memlens-app"))
        .env("MEMLENS_CLI", project.program("memlens"));
    display.show(&mut node);
    counted(&mut node, Runner::Node, tally)
}

/// Runs `command`, shows what it prints and adds up its tests; an error if it fails or ran no test.
fn counted(command: &mut Command, runner: Runner, tally: &mut Tally) -> Result<()> {
    let start_error = |source, command: &Command| Error::Start {
        command: command::line(command),
        source,
    };
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| start_error(source, command))?;
    let mut counted = Tally::default();
    let mut out = BufReader::new(child.stdout.take().expect("its output is a pipe"));
    let mut line = Vec::new();
    // By bytes: a test may print what is not UTF-8.
    while out
        .read_until(b'\n', &mut line)
        .is_ok_and(|length| length > 0)
    {
        let text = String::from_utf8_lossy(&line);
        print!("{text}");
        counted += runner.count(&text);
        line.clear();
    }
    let status = child
        .wait()
        .map_err(|source| start_error(source, command))?;
    *tally += counted;
    if !status.success() {
        return Err(Error::Failed {
            command: command::line(command),
            status,
        });
    }
    if counted == Tally::default() {
        return Err(Error::Answer {
            program: command::line(command),
            cause: "it ran no test".to_owned(),
        });
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    //! A run counts, fails with its program, and is not taken for a success when it tested nothing.

    use super::*;

    fn check(script: &str, expected: Result<(), &str>, passed: u32, failed: u32) {
        let mut tally = Tally::default();
        let mut shell = Command::new("sh");
        let result = counted(shell.args(["-c", script]), Runner::Cargo, &mut tally);
        match (result, expected) {
            (Ok(()), Ok(())) => {}
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (result, _) => panic!("{script}: {result:?}"),
        }
        assert_eq!(tally, Tally { passed, failed });
    }

    #[test]
    fn a_run_is_counted() {
        check("echo 'test result: ok. 2 passed; 0 failed'", Ok(()), 2, 0);
        check(
            "echo 'test result: FAILED. 2 passed; 1 failed'; exit 101",
            Err("101"),
            2,
            1,
        );
    }

    #[test]
    fn a_run_without_tests_is_an_error() {
        check("echo 'nothing here'", Err("it ran no test"), 0, 0);
        check(
            "echo 'test result: ok. 0 passed; 0 failed'",
            Err("it ran no test"),
            0,
            0,
        );
    }
}
