//! The daily loop: tests of what differs from the last commit on main, and of what depends on it.
//!
//! Everything is compiled with the features of the whole workspace, so that nothing is compiled twice; cargo itself skips what
//! is up to date. Only the tests are chosen: those of the changed packages and of all that depend on these.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::test::tally::{Runner, Tally};
use crate::test::{
    CLIPPY, FORMAT, GENERATED, Progress, TIDY, UI_BUILD, UI_LINT, UI_TYPES, counted, end_to_end,
};

/// Files and folders that every package may be built from or tested with.
const SHARED: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    ".cargo/",
    "rust-toolchain.toml",
    "tests/fixtures/",
    "tests/golden/",
];
const UI: &str = "ui/";
const END_TO_END: &str = "tests/e2e/";
/// What every end-to-end test is driven by.
const DRIVER: &str = "tests/e2e/driver/";
/// A file of the pages that a test of this package compares with what the package generates.
const BINDINGS: (&str, &str) = ("ui/src/api/bindings.ts", "memlens-app");

/// Runs the checks and tests that the changes call for, up to the first that fails, and names what was not run.
pub fn test(project: &Project, progress: &mut Progress) {
    let mut chosen = None;
    progress.step("changes", |_| {
        let found = Chosen::find(project)?;
        found.print();
        chosen = Some(found);
        Ok(())
    });
    let Some(chosen) = chosen else { return };
    for step in [GENERATED, TIDY, FORMAT] {
        progress.known_step(project, &step);
    }
    if chosen.has_ui {
        for step in [UI_TYPES, UI_LINT] {
            progress.known_step(project, &step);
        }
        progress.step("ui tests", |tally| {
            let mut npm = command::npm(&project.ui());
            npm.args(["run", "--silent", "test", "--", "--passWithNoTests"]);
            npm.args(["--changed", &chosen.since]);
            counted_or_none(&mut npm, Runner::Vitest, tally)
        });
    }
    if chosen.packages.is_empty() && chosen.end_to_end.is_empty() {
        return;
    }
    for step in [UI_BUILD, CLIPPY] {
        progress.known_step(project, &step);
    }
    let mut programs = Vec::new();
    progress.step("build", |_| {
        programs = built(project)?;
        Ok(())
    });
    progress.step("cargo test", |tally| {
        run_programs(project, &programs, &chosen.packages, tally)
    });
    if !chosen.end_to_end.is_empty() {
        progress.step("end to end", |tally| {
            end_to_end::test(project, &chosen.end_to_end, tally)
        });
    }
}

/// What is to be tested.
#[derive(Debug, PartialEq, Eq)]
struct Chosen {
    /// The commit that the files were compared with.
    since: String,
    /// Names of the packages that changed, or that depend on such.
    packages: BTreeSet<String>,
    /// Whether a file of the window's pages changed.
    has_ui: bool,
    /// The end-to-end test files that changed.
    end_to_end: Vec<String>,
}

impl Chosen {
    fn find(project: &Project) -> Result<Self> {
        let since = git(project, &["merge-base", "HEAD", "main"])?
            .trim()
            .to_owned();
        let changed = git(
            project,
            &["diff", "--name-only", "--no-renames", "-z", &since],
        )?;
        let new = git(
            project,
            &["ls-files", "-z", "--others", "--exclude-standard"],
        )?;
        let files: Vec<&str> = changed
            .split('\0')
            .chain(new.split('\0'))
            .filter(|file| !file.is_empty())
            .collect();
        let mut chosen = Self::of(since, &files, &Package::all(project)?);
        if files.iter().any(|file| file.starts_with(DRIVER)) {
            chosen.end_to_end = end_to_end::files(project)?;
        }
        // A deleted file is a changed one too.
        let folder = project.e2e();
        chosen.end_to_end.retain(|name| folder.join(name).is_file());
        Ok(chosen)
    }

    /// What changes of these files, relative to the root, call for.
    fn of(since: String, files: &[&str], packages: &[Package]) -> Self {
        let is_shared = files
            .iter()
            .any(|file| SHARED.iter().any(|shared| file.starts_with(shared)));
        let mut chosen: BTreeSet<&str> = packages
            .iter()
            .filter(|package| {
                is_shared
                    || files.iter().any(|file| {
                        package.holds(file, packages) || (*file, &*package.name) == BINDINGS
                    })
            })
            .map(|package| package.name.as_str())
            .collect();
        // Until nothing is added: a package that depends on a chosen one is chosen.
        loop {
            let before = chosen.len();
            for package in packages {
                if package
                    .needs
                    .iter()
                    .any(|name| chosen.contains(name.as_str()))
                {
                    chosen.insert(&package.name);
                }
            }
            if chosen.len() == before {
                break;
            }
        }
        let end_to_end = files
            .iter()
            .filter_map(|file| file.strip_prefix(END_TO_END))
            .filter(|name| name.ends_with(".test.mjs") && !name.contains('/'))
            .map(str::to_owned)
            .collect();
        Self {
            since,
            packages: chosen.into_iter().map(str::to_owned).collect(),
            has_ui: files.iter().any(|file| file.starts_with(UI)),
            end_to_end,
        }
    }

    fn print(&self) {
        let list = |names: Vec<&str>| match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(", "),
        };
        let commit: String = self.since.chars().take(12).collect();
        eprintln!("Changed since {commit}");
        let packages = self.packages.iter().map(String::as_str).collect();
        eprintln!("  packages to test: {}", list(packages));
        let pages = if self.has_ui {
            "those that import a changed file"
        } else {
            "none"
        };
        eprintln!("  UI tests: {pages}");
        let files = self.end_to_end.iter().map(String::as_str).collect();
        eprintln!("  end-to-end tests: {}", list(files));
        eprintln!(
            "Not run: documentation tests, and every other end-to-end test. `cargo xtask test` runs all."
        );
    }
}

/// A package of the workspace.
#[derive(Debug)]
struct Package {
    name: String,
    /// Its folder relative to the root, with `/` at the end.
    folder: String,
    /// Names of what it depends on, for its tests and build scripts too.
    needs: Vec<String>,
}

impl Package {
    fn all(project: &Project) -> Result<Vec<Self>> {
        #[derive(Deserialize)]
        struct Metadata {
            packages: Vec<Described>,
        }
        #[derive(Deserialize)]
        struct Described {
            name: String,
            manifest_path: PathBuf,
            dependencies: Vec<Dependency>,
        }
        #[derive(Deserialize)]
        struct Dependency {
            name: String,
        }
        let mut cargo = command::cargo(project);
        let text = command::output(cargo.args(["metadata", "--format-version=1", "--no-deps"]))?;
        let metadata: Metadata = serde_json::from_str(&text).map_err(|error| Error::Answer {
            program: "cargo metadata".to_owned(),
            cause: error.to_string(),
        })?;
        let packages = metadata.packages.into_iter().map(|package| Self {
            name: package.name,
            folder: relative(project, &package.manifest_path),
            needs: package
                .dependencies
                .into_iter()
                .map(|needed| needed.name)
                .collect(),
        });
        Ok(packages.collect())
    }

    /// Whether `file` is in this package, and in no package below it.
    fn holds(&self, file: &str, packages: &[Self]) -> bool {
        file.starts_with(&self.folder)
            && !file.starts_with(END_TO_END)
            && !packages.iter().any(|other| {
                other.folder.len() > self.folder.len() && file.starts_with(&other.folder)
            })
    }
}

/// The folder of a manifest relative to the root, with `/` at the end.
fn relative(project: &Project, manifest: &Path) -> String {
    let folder = manifest.parent().unwrap_or(manifest);
    let folder = folder.strip_prefix(&project.root).unwrap_or(folder);
    let parts: Vec<_> = folder
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    format!("{}/", parts.join("/"))
}

/// A built program of tests.
#[derive(Debug)]
struct TestProgram {
    /// The folder of its package, where cargo would start it.
    folder: PathBuf,
    program: PathBuf,
}

/// Compiles the whole workspace and returns the programs of tests.
fn built(project: &Project) -> Result<Vec<TestProgram>> {
    #[derive(Deserialize)]
    struct Message {
        manifest_path: Option<PathBuf>,
        executable: Option<PathBuf>,
        profile: Option<Profile>,
    }
    #[derive(Deserialize)]
    struct Profile {
        test: bool,
    }
    let mut cargo = command::cargo(project);
    cargo.args([
        "build",
        "--workspace",
        "--bins",
        "--tests",
        "--message-format=json-render-diagnostics",
    ]);
    let mut programs = Vec::new();
    for line in command::output(&mut cargo)?.lines() {
        let Ok(message) = serde_json::from_str::<Message>(line) else {
            continue;
        };
        if let (Some(manifest), Some(program), Some(Profile { test: true })) =
            (message.manifest_path, message.executable, message.profile)
        {
            let folder = manifest.parent().unwrap_or(&manifest).to_owned();
            programs.push(TestProgram { folder, program });
        }
    }
    Ok(programs)
}

/// Runs the programs of these packages, all of them even if some fail.
fn run_programs(
    project: &Project,
    programs: &[TestProgram],
    packages: &BTreeSet<String>,
    tally: &mut Tally,
) -> Result<()> {
    let folders: BTreeMap<PathBuf, String> = Package::all(project)?
        .into_iter()
        .map(|package| {
            (
                project.root.join(package.folder.trim_end_matches('/')),
                package.name,
            )
        })
        .collect();
    let mut failed = Vec::new();
    let mut n_run = 0;
    for TestProgram { folder, program } in programs {
        if !folders
            .get(folder)
            .is_some_and(|name| packages.contains(name))
        {
            continue;
        }
        n_run += 1;
        eprintln!("     Running {}", program.display());
        let mut tests = Command::new(program);
        tests
            .current_dir(folder)
            .env("CARGO_MANIFEST_DIR", folder)
            .stdin(Stdio::null());
        if let Err(error) = counted_or_none(&mut tests, Runner::Cargo, tally) {
            failed.push(error.to_string());
        }
    }
    if n_run == 0 && !packages.is_empty() {
        return Err(Error::NoTest {
            command: "cargo build --tests".to_owned(),
        });
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Error::Test(failed.join("; ")))
}

/// Like [`counted`], but running no test is not an error.
fn counted_or_none(command: &mut Command, runner: Runner, tally: &mut Tally) -> Result<()> {
    match counted(command, runner, tally) {
        Err(Error::NoTest { .. }) => Ok(()),
        result => result,
    }
}

fn git(project: &Project, args: &[&str]) -> Result<String> {
    command::output(Command::new("git").args(args).current_dir(&project.root))
}

#[cfg(test)]
mod tests {
    //! Which tests a change calls for.

    use super::*;

    fn packages() -> Vec<Package> {
        let package = |name: &str, folder: &str, needs: &[&str]| Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
            needs: needs.iter().map(|&name| name.to_owned()).collect(),
        };
        vec![
            package("leaf", "crates/leaf/", &["serde"]),
            package("leaf-extra", "crates/leaf-extra/", &[]),
            package("middle", "crates/middle/", &["leaf"]),
            package("top", "tests/", &["middle"]),
        ]
    }

    #[track_caller]
    fn check(files: &[&str], expected: &[&str]) -> Chosen {
        let chosen = Chosen::of("abc".to_owned(), files, &packages());
        let names: Vec<&str> = chosen.packages.iter().map(String::as_str).collect();
        assert_eq!(names, expected);
        chosen
    }

    #[test]
    fn a_package_is_tested_with_all_that_depends_on_it() {
        check(&["crates/leaf/src/lib.rs"], &["leaf", "middle", "top"]);
        check(&["crates/leaf-extra/src/lib.rs"], &["leaf-extra"]);
        check(&["tests/integration/engine.rs"], &["top"]);
        check(&["README.md", "crates/README.md"], &[]);
    }

    #[test]
    fn what_all_packages_share_tests_all() {
        let all = ["leaf", "leaf-extra", "middle", "top"];
        check(&["Cargo.lock"], &all);
        check(&["tests/fixtures/notes/a.md"], &all);
    }

    #[test]
    fn pages_and_windows_are_not_packages() {
        let chosen = check(&["ui/src/app/App.svelte"], &[]);
        assert!(chosen.has_ui);
        let chosen = check(
            &["tests/e2e/tune.test.mjs", "tests/e2e/driver/window.mjs"],
            &[],
        );
        assert!(!chosen.has_ui);
        assert_eq!(chosen.end_to_end, ["tune.test.mjs"]);
    }

    #[test]
    fn the_packages_of_this_workspace_are_found() {
        let packages = Package::all(&Project::find()).unwrap();
        let own = packages
            .iter()
            .find(|package| package.name == "xtask")
            .unwrap();
        assert_eq!(own.folder, "crates/xtask/");
        assert!(own.needs.contains(&"memlens-params".to_owned()));
    }
}
