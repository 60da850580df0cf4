//! `cargo xtask check-platforms`: checks on Debian that Memlens compiles for macOS and Windows. By hand: it downloads 450 MB and
//! needs bubblewrap, Python 3 with pip, and half an hour of processor time at first.
//!
//! rustup gives only the compiler's own system here, so a newer compiler of Debian's unstable suite is unpacked in a folder of its
//! own, with the source of the standard library, which it compiles for each target. Nothing is installed.

mod toolchain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::{Args, ValueEnum};

use self::toolchain::Toolchain;
use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::{setup, ui};

#[derive(Args)]
pub struct CheckPlatformsArgs {
    /// Keep compiler and built files in this folder; default: target/check-platforms
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Check this platform alone
    #[arg(long, value_enum)]
    platform: Option<Platform>,
    /// Check this package alone; can be repeated. Default: memlens-cli and memlens-app
    #[arg(long, value_name = "PACKAGE")]
    package: Vec<String>,
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

const PACKAGES: [&str; 2] = ["memlens-cli", "memlens-app"];

/// What no run here can show.
const NOT_CHECKED: &str = "Not checked: linking, test code, running on macOS or Windows, Windows on ARM, packages and installers";

/// Checks each platform and prints what was checked and what was not.
pub fn check_platforms(project: &Project, args: &CheckPlatformsArgs) -> Result<()> {
    let dir = args.dir.clone();
    let dir = dir.unwrap_or_else(|| project.root.join("target/check-platforms"));
    fs::create_dir_all(&dir).map_err(|source| Error::Write {
        path: dir.clone(),
        source,
    })?;
    let toolchain = Toolchain::ensure(&dir)?;
    let packages = packages(&args.package);
    if packages.iter().any(|package| package == "memlens-app")
        && !project.ui().join("dist").is_dir()
    {
        setup::install_npm(&project.ui())?;
        ui::build(project)?;
    }
    for platform in Platform::ALL {
        if args.platform.is_some_and(|only| only != platform) {
            continue;
        }
        let start = Instant::now();
        let mut cargo = toolchain.cargo(project, &platform.variables(&toolchain.tools));
        command::run(cargo.args(check_arguments(platform, &dir, &packages)))?;
        let seconds = start.elapsed().as_secs();
        println!(
            "{}: {} compiled without warnings in {seconds} s",
            platform.target(),
            packages.join(", ")
        );
    }
    println!("{NOT_CHECKED}");
    Ok(())
}

fn packages(asked: &[String]) -> Vec<String> {
    match asked {
        [] => PACKAGES.map(str::to_owned).to_vec(),
        asked => asked.to_vec(),
    }
}

fn check_arguments(platform: Platform, dir: &Path, packages: &[String]) -> Vec<String> {
    let fixed = [
        "check",
        "--locked",
        "-Zbuild-std=std,panic_abort",
        "--target",
        platform.target(),
        "--target-dir",
    ];
    let mut arguments: Vec<String> = fixed.map(str::to_owned).to_vec();
    arguments.push(dir.join("target").display().to_string());
    for package in packages {
        arguments.extend(["--package".to_owned(), package.clone()]);
    }
    arguments
}

/// Runs a command whose work would be taken for done if it were interrupted: `done` is written only after it.
fn once(done: &Path, work: impl FnOnce() -> Result<()>) -> Result<()> {
    if done.is_file() {
        return Ok(());
    }
    work()?;
    write(done, "")
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
        let packages = packages(&[]);
        let arguments = check_arguments(Platform::Windows, Path::new("/d"), &packages).join(" ");
        assert_eq!(
            arguments,
            "check --locked -Zbuild-std=std,panic_abort --target x86_64-pc-windows-gnu --target-dir /d/target --package memlens-cli --package memlens-app"
        );
        let one = super::packages(&["memlens-files".to_owned()]);
        let arguments = check_arguments(Platform::Macos, Path::new("/d"), &one).join(" ");
        assert!(arguments.ends_with(
            "--target aarch64-apple-darwin --target-dir /d/target --package memlens-files"
        ));
    }

    #[test]
    fn interrupted_work_is_done_again() {
        let folder = tempfile::tempdir().unwrap();
        let done = folder.path().join("done");
        let failed = once(&done, || Err(Error::Setup("stopped".to_owned())));
        assert!(failed.is_err());
        let mut n_done = 0;
        for _ in 0..2 {
            once(&done, || {
                n_done += 1;
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(n_done, 1);
    }
}
