//! A library of any size: opened, asked and followed by the facade, and by the command as whole processes.
//!
//! The library is made once and kept below `target/bench`; to measure another one, delete it. Its vectors are in
//! neighbourhoods, its words are as frequent as in real notes, and only some hundred texts are really embedded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::speed::{self, MEDIAN, Series};
use super::{Figure, Target};
use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::setup::{self, Install, Purpose};

/// Number of chunks from which the targets for a million chunks apply.
const LARGE: u32 = 500_000;

/// How often each command is started; the first time is not counted.
const STARTS: usize = 6;

/// Polling interval of a running command: a measured time may be too long by this much.
const TICK: Duration = Duration::from_millis(1);

const QUESTION: &str = "who decided how the backups are kept";

/// An aim for 100,000 chunks and less, and for a million.
struct Aim {
    series: &'static str,
    percent: usize,
    most: [f64; 2],
}

/// What is aimed at on two cores under little load.
const AIMS: &[Aim] = &[
    aim("open the library", MEDIAN, [80.0, 300.0]),
    aim("search", MEDIAN, [20.0, 90.0]),
    aim("anonymous memory while searching", MEDIAN, [130.0, 350.0]),
    aim(
        "vectors, ratio to a look at every vector",
        MEDIAN,
        [0.35, 0.16],
    ),
    aim("evaluation", MEDIAN, [15.0; 2]),
    aim("a saved note can be found", 95, [400.0, 700.0]),
    aim(
        "a reader's updates, share of the writing",
        MEDIAN,
        [0.05; 2],
    ),
    aim("memlens status", MEDIAN, [150.0, 300.0]),
    aim("memlens why", MEDIAN, [400.0, 1000.0]),
];

const fn aim(series: &'static str, percent: usize, most: [f64; 2]) -> Aim {
    Aim {
        series,
        percent,
        most,
    }
}

/// Makes the library of about `n_chunks` chunks unless it is there, and measures it; nothing with `make_only`.
pub fn measure(project: &Project, n_chunks: u32, make_only: bool) -> Result<Vec<Figure>> {
    setup::setup(project, Purpose::Terminal, Install::Missing)?;
    let dir = project.root.join(format!("target/bench/scale-{n_chunks}"));
    make(project, &dir, n_chunks)?;
    if make_only {
        return Ok(Vec::new());
    }
    let memlens = build(project)?;
    let mut all = Vec::new();
    let note = first_note(&dir.join("notes"))?;
    for arguments in [
        vec!["search", QUESTION],
        vec!["status"],
        vec!["why", QUESTION, &note],
    ] {
        all.extend(processes(&memlens, &dir.join("library"), &arguments)?);
    }
    let mut program = speed::bench_program(project, "library");
    let printed = command::output(program.args(["--", "--measure-scale"]).arg(&dir))?;
    let answer = |cause| Error::Answer {
        program: "the benchmark program".to_owned(),
        cause,
    };
    all.extend(speed::series(&printed).map_err(answer)?);
    figures(all, n_chunks).map_err(answer)
}

/// Makes notes and library in `dir`, or takes those that were made to the end.
pub(super) fn make(project: &Project, dir: &Path, n_chunks: u32) -> Result<()> {
    let whole = dir.join("is-whole");
    if whole.exists() {
        return Ok(());
    }
    let write = |source| Error::Write {
        path: dir.to_owned(),
        source,
    };
    if dir.exists() {
        fs::remove_dir_all(dir).map_err(write)?;
    }
    eprintln!("Making a library of {n_chunks} chunks in {}", dir.display());
    let mut program = speed::bench_program(project, "library");
    program.args(["--", "--make-scale"]).arg(dir);
    command::run(program.arg(n_chunks.to_string()))?;
    fs::write(whole, "").map_err(write)
}

/// Builds the command as it is released, and returns its path.
pub(super) fn build(project: &Project) -> Result<PathBuf> {
    let mut cargo = command::cargo(project);
    command::run(cargo.args(["build", "--release", "--locked", "--package", "memlens-cli"]))?;
    let name = format!("memlens{}", std::env::consts::EXE_SUFFIX);
    // Beside the folder of the profile that this task was built in.
    let target = project.programs.parent().unwrap_or(&project.root);
    Ok(target.join("release").join(name))
}

/// A note of the library, to ask about.
fn first_note(notes: &Path) -> Result<String> {
    let read = |source| Error::Read {
        path: notes.to_owned(),
        source,
    };
    let mut path = notes.to_owned();
    while path.is_dir() {
        let entries = fs::read_dir(&path).map_err(read)?;
        let below = entries.flatten().map(|entry| entry.path()).min();
        path = below.ok_or_else(|| read(std::io::ErrorKind::NotFound.into()))?;
    }
    Ok(path.to_string_lossy().into_owned())
}

/// Starts a command several times: how long it takes, and the most memory that it was seen with.
fn processes(memlens: &Path, library: &Path, arguments: &[&str]) -> Result<Vec<Series>> {
    let name = format!("memlens {}", arguments[0]);
    let series = |name: String, unit: &str, note: &str| Series {
        name,
        unit: unit.to_owned(),
        note: note.to_owned(),
        samples: Vec::new(),
    };
    let mut time = series(name.clone(), "ms", "whole process");
    let mut resident = series(
        format!("{name}: resident memory"),
        "MB",
        "the files that it mapped included",
    );
    let mut anonymous = series(format!("{name}: anonymous memory"), "MB", "at its most");
    for start in 0..STARTS {
        let mut command = Command::new(memlens);
        command.args(arguments).arg("--library").arg(library);
        let seen = watch(&mut command)?;
        if start == 0 {
            continue;
        }
        time.samples.push(seen.took.as_secs_f64() * 1e3);
        for (series, most) in [
            (&mut resident, seen.resident),
            (&mut anonymous, seen.anonymous),
        ] {
            series.samples.extend(most.map(|bytes| bytes / 1e6));
        }
    }
    let mut all = vec![time, resident, anonymous];
    // Memory is measured on Linux only.
    all.retain(|series| !series.samples.is_empty());
    Ok(all)
}

/// What was seen of a process.
struct Seen {
    took: Duration,
    /// The peak in bytes; `None` if the system does not report memory as Linux does.
    resident: Option<f64>,
    anonymous: Option<f64>,
}

/// Runs a command to its end and looks at its memory meanwhile.
fn watch(command: &mut Command) -> Result<Seen> {
    let started = Instant::now();
    let start = |source, command: &Command| Error::Start {
        command: command::line(command),
        source,
    };
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|source| start(source, command))?;
    let status_file = format!("/proc/{}/status", child.id());
    let (mut resident, mut anonymous) = (None, None);
    loop {
        if let Some(status) = child.try_wait().map_err(|source| start(source, command))? {
            let took = started.elapsed();
            if !status.success() {
                let command = command::line(command);
                return Err(Error::Failed { command, status });
            }
            return Ok(Seen {
                took,
                resident,
                anonymous,
            });
        }
        let status = fs::read_to_string(&status_file).unwrap_or_default();
        // `None` is less than any number.
        resident = most(resident, bytes(&status, "VmHWM"));
        anonymous = most(anonymous, bytes(&status, "RssAnon"));
        thread::sleep(TICK);
    }
}

fn most(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

/// A figure of a process's status file, in bytes.
fn bytes(status: &str, figure: &str) -> Option<f64> {
    let mut lines = status.lines();
    let value = lines.find_map(|line| line.strip_prefix(figure)?.strip_prefix(':'))?;
    let kib: f64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024.0)
}

/// The median of every series, in order, and what else is aimed at.
fn figures(mut all: Vec<Series>, n_chunks: u32) -> Result<Vec<Figure>, String> {
    if let Some(series) = all.iter().find(|series| series.samples.is_empty()) {
        return Err(format!("{:?} has no samples", series.name));
    }
    let is_reported = |aim: &&Aim| cfg!(target_os = "linux") || !aim.series.contains("memory");
    if let Some(aim) = AIMS
        .iter()
        .filter(is_reported)
        .find(|aim| all.iter().all(|series| series.name != aim.series))
    {
        return Err(format!("{:?} was not measured", aim.series));
    }
    for series in &mut all {
        series.samples.sort_by(f64::total_cmp);
    }
    let figures = all.iter().flat_map(|series| {
        let aim = AIMS.iter().find(|aim| aim.series == series.name);
        let target = move |percent: usize| {
            let aim = aim.filter(|aim| aim.percent == percent)?;
            Some(Target::AtMost(aim.most[usize::from(n_chunks >= LARGE)]))
        };
        let other = aim.map(|aim| aim.percent).filter(|it| *it != MEDIAN);
        let percents = std::iter::once(MEDIAN).chain(other);
        percents.map(move |percent| speed::figure(series, percent, target(percent)))
    });
    Ok(figures.collect())
}

#[cfg(test)]
mod tests {
    //! Targets depend on the size; every target is measured; memory is parsed in Linux's format.

    use super::*;

    fn series() -> Vec<Series> {
        let of = |aim: &Aim| Series {
            name: aim.series.to_owned(),
            unit: "ms".to_owned(),
            note: String::new(),
            samples: vec![25.0, 0.1, 450.0],
        };
        AIMS.iter().map(of).collect()
    }

    fn find<'a>(figures: &'a [Figure], start: &str) -> &'a Figure {
        let found = figures.iter().find(|figure| figure.name.starts_with(start));
        found.expect("it is among the figures")
    }

    #[test]
    fn aims_depend_on_the_size() {
        let small = figures(series(), 100_000).unwrap();
        assert!(!find(&small, "search: median").is_met());
        assert!(!find(&small, "a saved note can be found: 95").is_met());
        assert!(
            find(&small, "a saved note can be found: median")
                .target
                .is_none()
        );
        let large = figures(series(), 1_000_000).unwrap();
        assert!(find(&large, "search: median").is_met());
        assert!(find(&large, "a saved note can be found: 95").is_met());
    }

    #[test]
    fn what_is_missing_is_an_error() {
        let mut all = series();
        all.pop();
        assert!(figures(all, 10_000).unwrap_err().contains("memlens why"));
        let mut all = series();
        all[0].samples.clear();
        assert!(figures(all, 10_000).unwrap_err().contains("no samples"));
    }

    #[test]
    fn memory_is_read_as_linux_tells_it() {
        let status = "Name:\tmemlens\nVmHWM:\t   12 kB\nRssAnon:\t    3 kB\n";
        assert_eq!(bytes(status, "VmHWM"), Some(12_288.0));
        assert_eq!(bytes(status, "RssAnon"), Some(3_072.0));
        assert_eq!(bytes(status, "Vm"), None);
        assert_eq!(most(None, bytes("", "VmHWM")), None);
        assert_eq!(most(Some(2.0), None), Some(2.0));
        assert_eq!(most(Some(2.0), Some(3.0)), Some(3.0));
    }
}
