//! `cargo xtask check-platforms`: checks on Debian that Memlens compiles for macOS and Windows, and that the command line
//! for Windows does the same under wine as on this machine. By hand: it downloads 750 MB and needs bubblewrap, Python 3 with pip,
//! 10 GB of disk, and an hour of processor time at first.
//!
//! rustup gives only the compiler's own system here, so a newer compiler of Debian's unstable suite is unpacked in a folder of its
//! own, with the source of the standard library, which it compiles for each target. Nothing is installed.

mod smoke;
mod toolchain;
mod wine;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::{Args, ValueEnum};

use self::toolchain::Toolchain;
use self::wine::Wine;
use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::{setup, ui};

#[derive(Args)]
pub struct CheckPlatformsArgs {
    /// Keep compiler, wine and built files in this folder; default: target/check-platforms
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Do this step alone
    #[arg(long, value_enum)]
    step: Option<Step>,
    /// Compile for this platform alone
    #[arg(long, value_enum)]
    platform: Option<Platform>,
    /// Compile this package alone; can be repeated. Default: memlens-cli and memlens-app, with --tests all
    #[arg(long, value_name = "PACKAGE")]
    package: Vec<String>,
    /// Compile tests and benchmarks too
    #[arg(long)]
    tests: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Check that it compiles for both platforms
    Compile,
    /// Link the Windows command line and compare what it prints under wine with this machine
    Wine,
}

/// A system that is not this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Platform {
    Macos,
    Windows,
}

impl Platform {
    const ALL: [Platform; 2] = [Platform::Macos, Platform::Windows];

    fn target(self) -> &'static str {
        match self {
            Platform::Macos => "aarch64-apple-darwin",
            Platform::Windows => "x86_64-pc-windows-gnu",
        }
    }

    /// Variables that name the C compiler of the target, which lies in `tools`.
    fn variables(self, tools: &Path) -> Vec<(&'static str, String)> {
        let tool = |name: &str| tools.join(name).display().to_string();
        match self {
            Platform::Macos => vec![
                ("CC_aarch64_apple_darwin", tool("macos-cc")),
                ("CXX_aarch64_apple_darwin", tool("macos-c++")),
                ("AR_aarch64_apple_darwin", tool("macos-ar")),
                // Otherwise a build script asks Xcode for it.
                ("SDKROOT", "/nowhere".to_owned()),
            ],
            Platform::Windows => Vec::new(),
        }
    }
}

/// The folder of the model in the checkout.
const MODEL: &str = "crates/memlens-embed/model";

/// What no run here can show.
const NOT_CHECKED: &str = "Not checked: macOS beyond compiling; test code, unless --tests was given; the window on Windows; NTFS, ACLs and events of a real Windows; Windows on ARM; packages and installers";

/// Does the steps and prints what was checked and what was not.
pub fn check_platforms(project: &Project, args: &CheckPlatformsArgs) -> Result<()> {
    let dir = args.dir.clone();
    let dir = dir.unwrap_or_else(|| project.root.join("target/check-platforms"));
    make_folder(&dir)?;
    let dir = dir.canonicalize().map_err(|source| Error::Read {
        path: dir.clone(),
        source,
    })?;
    let toolchain = Toolchain::ensure(&dir)?;
    if args.step != Some(Step::Wine) {
        compile(project, args, &toolchain, &dir)?;
    }
    if args.step != Some(Step::Compile) {
        run_under_wine(project, &toolchain, &dir)?;
    }
    println!("{NOT_CHECKED}");
    Ok(())
}

fn compile(
    project: &Project,
    args: &CheckPlatformsArgs,
    toolchain: &Toolchain,
    dir: &Path,
) -> Result<()> {
    // The window's program holds the built interface.
    if !project.ui().join("dist").is_dir() {
        setup::install_npm(&project.ui())?;
        ui::build(project)?;
    }
    for platform in Platform::ALL {
        if args.platform.is_some_and(|only| only != platform) {
            continue;
        }
        let start = Instant::now();
        let mut cargo = toolchain.cargo(project, &platform.variables(&toolchain.tools));
        command::run(cargo.args(check_arguments(platform, dir, &args.package, args.tests)))?;
        let seconds = start.elapsed().as_secs();
        let tests = if args.tests { " with tests" } else { "" };
        println!(
            "{}: {}{tests} compiled without warnings in {seconds} s",
            platform.target(),
            packages(&args.package, args.tests).join(" "),
        );
    }
    Ok(())
}

fn run_under_wine(project: &Project, toolchain: &Toolchain, dir: &Path) -> Result<()> {
    setup::redistributable_runtime(project)?;
    command::run(command::cargo(project).args(["build", "--locked", "--package", "memlens-cli"]))?;
    let windows = Platform::Windows;
    let mut cargo = toolchain.cargo(project, &windows.variables(&toolchain.tools));
    command::run(cargo.args(build_arguments(dir)))?;
    let executable = dir.join(format!("target/{}/{PROFILE}/memlens.exe", windows.target()));
    let wine = Wine::prepare(toolchain, dir)?;
    wine.install(project, &executable)?;
    smoke::test(project, &dir.join("smoke"), &wine)
}

fn check_arguments(
    platform: Platform,
    dir: &Path,
    asked: &[String],
    with_tests: bool,
) -> Vec<String> {
    let mut arguments = cargo_arguments("check", platform, dir);
    if with_tests {
        arguments.push("--all-targets".to_owned());
    }
    arguments.extend(packages(asked, with_tests));
    arguments
}

/// Cargo's options for the packages that are compiled.
fn packages(asked: &[String], with_tests: bool) -> Vec<String> {
    if asked.is_empty() && with_tests {
        return vec!["--workspace".to_owned()];
    }
    let programs = PROGRAMS.map(str::to_owned);
    let packages = if asked.is_empty() { &programs } else { asked };
    let option = |package: &String| format!("--package={package}");
    packages.iter().map(option).collect()
}

const PROGRAMS: [&str; 2] = ["memlens-cli", "memlens-app"];

/// A profile that compiles fast, for both steps, so that they share build scripts and macros. It has no package settings, in
/// which the usual one optimizes most packages.
const PROFILE: &str = "platforms";
const PROFILE_SETTINGS: [&str; 5] = [
    "inherits=\"release\"",
    "opt-level=0",
    "lto=\"off\"",
    "strip=\"none\"",
    "codegen-units=16",
];

fn build_arguments(dir: &Path) -> Vec<String> {
    let mut arguments = cargo_arguments("build", Platform::Windows, dir);
    arguments.extend(["--package", "memlens-cli"].map(str::to_owned));
    arguments
}

fn cargo_arguments(verb: &str, platform: Platform, dir: &Path) -> Vec<String> {
    let fixed = [verb, "--locked", "-Zbuild-std=std,panic_abort", "--target"];
    let mut arguments: Vec<String> = fixed.map(str::to_owned).to_vec();
    arguments.extend([platform.target().to_owned(), "--target-dir".to_owned()]);
    arguments.push(dir.join("target").display().to_string());
    for setting in PROFILE_SETTINGS {
        arguments.extend([
            "--config".to_owned(),
            format!("profile.{PROFILE}.{setting}"),
        ]);
    }
    arguments.extend(["--profile", PROFILE].map(str::to_owned));
    arguments
}

/// Runs a command whose work would be taken for done if it were interrupted: `done` is written only after it, with what was
/// done, so that other work is not taken for it.
fn once(done: &Path, what: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    if fs::read_to_string(done).is_ok_and(|found| found == what) {
        return Ok(());
    }
    work()?;
    write(done, what)
}

fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

/// Fails if a program is not on this machine.
fn require(program: &str, package: &str) -> Result<()> {
    match command::find(program) {
        Some(_) => Ok(()),
        None => Err(Error::Setup(format!(
            "{program} is missing; this works on Debian and derivatives: install the package {package}"
        ))),
    }
}

fn in_folder(folder: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_platform_is_checked_in_a_folder_of_its_own_target() {
        let line = |asked: &[String], with_tests| {
            check_arguments(Platform::Windows, Path::new("/d"), asked, with_tests).join(" ")
        };
        let programs = line(&[], false);
        assert!(
            programs.starts_with(
                "check --locked -Zbuild-std=std,panic_abort --target x86_64-pc-windows-gnu --target-dir /d/target --config"
            ),
            "{programs}"
        );
        assert!(
            programs.ends_with("--profile platforms --package=memlens-cli --package=memlens-app")
        );
        assert!(line(&[], true).ends_with("--profile platforms --all-targets --workspace"));
        let one = ["memlens-files".to_owned()];
        assert!(line(&one, true).ends_with("--all-targets --package=memlens-files"));
        let arguments = check_arguments(Platform::Macos, Path::new("/d"), &one, false).join(" ");
        assert!(arguments.contains("--target aarch64-apple-darwin --target-dir /d/target"));
        assert!(arguments.ends_with("--profile platforms --package=memlens-files"));
    }

    #[test]
    fn what_runs_under_wine_is_built_fast() {
        let arguments = build_arguments(Path::new("/d")).join(" ");
        assert!(arguments.starts_with("build --locked"), "{arguments}");
        assert!(arguments.contains("--config profile.platforms.opt-level=0"));
        assert!(arguments.ends_with("--profile platforms --package memlens-cli"));
    }

    #[test]
    fn interrupted_work_is_done_again() {
        let folder = tempfile::tempdir().unwrap();
        let done = folder.path().join("done");
        let failed = once(&done, "a b", || Err(Error::Setup("stopped".to_owned())));
        assert!(failed.is_err());
        let mut n_done = 0;
        for what in ["a b", "a b", "a b c", "a b c"] {
            once(&done, what, || {
                n_done += 1;
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(n_done, 2);
    }
}
