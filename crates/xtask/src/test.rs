//! Every check and test of the project, in order, with one count at the end.

mod changed;
mod end_to_end;
mod tally;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;

use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::setup::{self, Install, Purpose};
use crate::test::tally::{Runner, Tally};
use crate::{codegen, tidy, ui};

/// What `cargo xtask test` was asked to do.
#[derive(Args)]
pub struct TestArgs {
    /// Skip the tests that drive the real window
    #[arg(long, conflicts_with = "changed")]
    fast: bool,
    /// Test only what differs from the last commit on main, and what depends on it
    #[arg(long)]
    changed: bool,
    /// Install no system packages: if any are missing, print the command to install them, and fail
    #[arg(long)]
    no_install: bool,
}

/// One check, or one run of tests: its name, and what it does to the count.
struct Step {
    name: &'static str,
    run: fn(&Project, &mut Tally) -> Result<()>,
}

const GENERATED: Step = Step {
    name: "generated files",
    run: |project, _| codegen::check(project),
};
const TIDY: Step = Step {
    name: "tidy",
    run: |project, _| tidy::tidy(project),
};
const FORMAT: Step = Step {
    name: "cargo fmt",
    run: |project, _| command::run(command::cargo(project).args(["fmt", "--all", "--check"])),
};
const UI_TYPES: Step = Step {
    name: "ui types",
    run: |project, _| npm_run(project, "check"),
};
const UI_LINT: Step = Step {
    name: "ui lint",
    run: |project, _| npm_run(project, "lint"),
};
const UI_TESTS: Step = Step {
    name: "ui tests",
    run: |project, tally| {
        let mut npm = command::npm(&project.ui());
        npm.args(["run", "--silent", "test"]);
        counted(&mut npm, Runner::Vitest, tally)
    },
};
// The app embeds the built pages, so they come before anything that compiles it.
const UI_BUILD: Step = Step {
    name: "ui build",
    run: |project, _| ui::build(project),
};
const CLIPPY: Step = Step {
    name: "clippy",
    run: |project, _| {
        let mut cargo = command::cargo(project);
        cargo.args(["clippy", "--workspace", "--all-targets"]);
        command::run(cargo.args(["--", "-D", "warnings"]))
    },
};
// The programs with the very features that the tests are built with: the end-to-end tests need no second build.
const BUILD: Step = Step {
    name: "build",
    run: |project, _| {
        let mut cargo = command::cargo(project);
        command::run(cargo.args(["build", "--workspace", "--bins", "--tests"]))
    },
};
const CARGO_TEST: Step = Step {
    name: "cargo test",
    run: |project, tally| {
        let mut cargo = command::cargo(project);
        cargo.args(["test", "--workspace", "--no-fail-fast"]);
        counted(&mut cargo, Runner::Cargo, tally)
    },
};
const END_TO_END: Step = Step {
    name: "end to end",
    run: |project, tally| end_to_end::test(project, &end_to_end::files(project)?, tally),
};

const STEPS: &[Step] = &[
    GENERATED, TIDY, FORMAT, UI_TYPES, UI_LINT, UI_TESTS, UI_BUILD, CLIPPY, BUILD, CARGO_TEST,
];

/// What ran so far: the count, the time of each step, and the first failure, after which no step runs.
struct Progress {
    tally: Tally,
    times: Vec<(&'static str, Duration)>,
    result: Result<()>,
}

impl Progress {
    fn step(&mut self, name: &'static str, run: impl FnOnce(&mut Tally) -> Result<()>) {
        if self.result.is_err() {
            return;
        }
        eprintln!("\n== {name}");
        let start = Instant::now();
        self.result = run(&mut self.tally).map_err(|error| Error::Test(format!("{name}: {error}")));
        self.times.push((name, start.elapsed()));
    }

    fn known_step(&mut self, project: &Project, step: &Step) {
        self.step(step.name, |tally| (step.run)(project, tally));
    }

    /// Prints the time of each step and, alone on the last line of standard output, `N passed, N failed`: the sum over the
    /// test runners. A step without tests that fails counts as one failed.
    fn finish(mut self) -> Result<()> {
        eprintln!();
        for (name, time) in self.times {
            eprintln!("{:8.1} s  {name}", time.as_secs_f64());
        }
        if self.result.is_err() {
            self.tally.failed = self.tally.failed.max(1);
        }
        let Tally { passed, failed } = self.tally;
        println!("{passed} passed, {failed} failed");
        self.result
    }
}

/// Sets the machine up and runs the steps up to the first that fails.
pub fn test(project: &Project, args: &TestArgs) -> Result<()> {
    let purpose = if args.fast {
        Purpose::Window
    } else {
        Purpose::Headless
    };
    let install = if args.no_install {
        Install::Nothing
    } else {
        Install::Missing
    };
    let start = Instant::now();
    let result = setup::setup(project, purpose, install);
    let mut progress = Progress {
        tally: Tally::default(),
        times: vec![("set-up", start.elapsed())],
        result,
    };
    if args.changed {
        changed::test(project, &mut progress);
    } else {
        for step in STEPS {
            progress.known_step(project, step);
        }
        if !args.fast {
            progress.known_step(project, &END_TO_END);
        }
    }
    progress.finish()
}

fn npm_run(project: &Project, script: &str) -> Result<()> {
    command::run(command::npm(&project.ui()).args(["run", "--silent", script]))
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
        return Err(Error::NoTest {
            command: command::line(command),
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
        check("echo 'nothing here'", Err("ran no test"), 0, 0);
        check(
            "echo 'test result: ok. 0 passed; 0 failed'",
            Err("ran no test"),
            0,
            0,
        );
    }
}
