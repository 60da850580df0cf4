//! The package of this system: window, command line, model and ONNX Runtime in one file. On Linux it is a Debian package.
//!
//! Tauri's own bundler lays it out (desktop entry, icons, control file) from programs that cargo has built; it comes from
//! npm, pinned, and fetches nothing while it works. What it cannot know is worked out here: which libraries the programs
//! need, and whose code they hold.

mod check;
mod depends;
mod installers;
mod notices;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde_json::{Map, Value, json};

use crate::command;
use crate::error::{Error, Result};
use crate::package::installers::Target;
use crate::project::Project;
use crate::setup::{self, Install, Purpose};
use crate::{openclaw_plugin, ui};

/// What `cargo xtask package` was asked to do.
#[derive(Args)]
pub struct PackageArgs {
    /// Install and try the package in a bare Debian; needs root and debootstrap, and downloads Debian packages
    #[arg(long)]
    check: bool,
    /// Check this package instead of building one
    #[arg(long, value_name = "FILE", requires = "check")]
    made: Option<PathBuf>,
}

/// The programs by their cargo packages, and the names they are installed by.
const PROGRAMS: &[(&str, &str)] = &[("memlens-app", "memlens-app"), ("memlens-cli", "memlens")];

/// The model's files that are installed; the script that made it stays in the checkout.
pub const MODEL_FILES: &[&str] = &[
    "LICENSE",
    "LICENSE-potion",
    "SOURCE.md",
    "config.json",
    "model.onnx",
    "special_tokens_map.json",
    "static.bin",
    "tokenizer.json",
    "tokenizer_config.json",
];

/// Builds the package, prints its path and, if asked, installs and uses it in a bare Debian.
pub fn package(project: &Project, args: &PackageArgs) -> Result<()> {
    let scratch = project.root.join("target/package");
    if let (Some(target), false) = (Target::of_machine(), args.check) {
        let folder = installers::make(project, &scratch, target)?;
        println!("{}", folder.display());
        return Ok(());
    }
    let package = match &args.made {
        Some(made) => made.clone(),
        None => make(project, &scratch)?,
    };
    println!("{}", package.display());
    if args.check {
        setup::setup(project, Purpose::Headless, Install::Missing)?;
        check::check(project, &package, &scratch)?;
    }
    Ok(())
}

/// Builds the package and returns its path.
fn make(project: &Project, scratch: &Path) -> Result<PathBuf> {
    if command::find("dpkg-shlibdeps").is_none() {
        return Err(Error::Package(
            "it is built on Debian or a derivative, with dpkg-dev installed".to_owned(),
        ));
    }
    setup::setup(project, Purpose::Window, Install::Missing)?;
    let bundler = project.root.join("src-tauri/packaging");
    setup::install_npm(&bundler)?;
    let runtime = setup::redistributable_runtime(project)?;
    ui::build(project)?;
    openclaw_plugin::build(project)?;
    build(project)?;

    let programs: Vec<PathBuf> = PROGRAMS
        .iter()
        .map(|(_, program)| release(project).join(program))
        .collect();
    let depends = depends::of(scratch, programs.iter().chain([&runtime.library]))?;
    let command_line = release(project).join("memlens");
    let shell_files = ShellFiles::make(&command_line, &scratch.join("shell"))?;
    let third_party = scratch.join("third-party.txt");
    notices::write(project, PROGRAMS, &third_party)?;
    let installed = Installed {
        command_line,
        shell_files,
        model: project.root.join("crates/memlens-embed/model"),
        runtime: runtime.library,
        runtime_notices: runtime.notices,
        third_party,
        openclaw_plugin: openclaw_plugin::folder(project),
        root: project.root.clone(),
    };
    bundle(project, &bundler, &installed.config(&depends))?;
    built(&release(project).join("bundle/deb"))
}

/// Builds the programs as they are given away: optimised as a whole, which takes several times longer than what the other
/// tasks build.
fn build(project: &Project) -> Result<()> {
    let mut cargo = command::cargo(project);
    cargo.args(["build", "--release", "--locked"]);
    for (package, _) in PROGRAMS {
        cargo.args(["--package", package]);
    }
    command::run(&mut cargo)
}

fn release(project: &Project) -> PathBuf {
    project.root.join("target/release")
}

fn bundle(project: &Project, bundler: &Path, config: &Value) -> Result<()> {
    let folder = release(project).join("bundle/deb");
    if folder.exists() {
        // So that the one package there is the new one.
        fs::remove_dir_all(&folder).map_err(|source| Error::Write {
            path: folder.clone(),
            source,
        })?;
    }
    run_bundler(project, bundler, "deb", config)
}

/// Has Tauri lay out bundles of programs that are built. The program does not learn which kind it is in.
fn run_bundler(project: &Project, bundler: &Path, bundles: &str, config: &Value) -> Result<()> {
    let mut tauri = Command::new("node");
    tauri
        .arg(bundler.join("node_modules/@tauri-apps/cli/tauri.js"))
        .args([
            "bundle",
            "--ci",
            "--no-binary-patching",
            "--bundles",
            bundles,
        ])
        .arg("--config")
        .arg(config.to_string())
        .current_dir(project.root.join("src-tauri"));
    command::run(&mut tauri)
}

/// The one package in the bundler's folder.
fn built(folder: &Path) -> Result<PathBuf> {
    let read_error = |source| Error::Read {
        path: folder.to_owned(),
        source,
    };
    fs::read_dir(folder)
        .map_err(read_error)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "deb"))
        .ok_or_else(|| Error::Package("the bundler made no package".to_owned()))
}

/// Completion scripts and manual pages: where each is installed, and where it is now.
struct ShellFiles(Vec<(String, PathBuf)>);

/// The shells that Debian packages, and where each looks for a script.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "/usr/share/bash-completion/completions/memlens"),
    ("zsh", "/usr/share/zsh/vendor-completions/_memlens"),
    ("fish", "/usr/share/fish/vendor_completions.d/memlens.fish"),
];

impl ShellFiles {
    /// Has the program write them.
    fn make(command_line: &Path, scratch: &Path) -> Result<ShellFiles> {
        let manual = scratch.join("man");
        if scratch.exists() {
            fs::remove_dir_all(scratch).map_err(|source| Error::Write {
                path: scratch.to_owned(),
                source,
            })?;
        }
        fs::create_dir_all(&manual).map_err(|source| Error::Write {
            path: manual.clone(),
            source,
        })?;
        let mut files = Vec::new();
        for (shell, to) in COMPLETIONS {
            let script = command::output(Command::new(command_line).args(["completions", shell]))?;
            let path = scratch.join(shell);
            fs::write(&path, script).map_err(|source| Error::Write {
                path: path.clone(),
                source,
            })?;
            files.push(((*to).to_owned(), path));
        }
        command::run(Command::new(command_line).arg("man").arg(&manual))?;
        let read_error = |source| Error::Read {
            path: manual.clone(),
            source,
        };
        for entry in fs::read_dir(&manual).map_err(read_error)? {
            let entry = entry.map_err(read_error)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            files.push((format!("/usr/share/man/man1/{name}"), entry.path()));
        }
        files.sort();
        Ok(ShellFiles(files))
    }
}

/// Paths of files that are installed although the bundler does not know them.
struct Installed {
    command_line: PathBuf,
    shell_files: ShellFiles,
    model: PathBuf,
    runtime: PathBuf,
    runtime_notices: PathBuf,
    third_party: PathBuf,
    openclaw_plugin: PathBuf,
    root: PathBuf,
}

impl Installed {
    /// Overlay of the window's configuration: files by their installed paths, and dependencies.
    ///
    /// It is here and not in `tauri.conf.json`, where a file that is not built yet would fail every build.
    fn config(&self, depends: &[String]) -> Value {
        let mut resources = Map::new();
        let mut resource = |from: PathBuf, to: String| {
            resources.insert(from.display().to_string(), json!(to));
        };
        for file in MODEL_FILES {
            resource(self.model.join(file), format!("model/{file}"));
        }
        let runtime = self.runtime.file_name().unwrap_or_default();
        resource(self.runtime.clone(), runtime.to_string_lossy().into_owned());
        let mut files = Map::new();
        let mut file = |to: &str, from: PathBuf| {
            files.insert(to.to_owned(), json!(from));
        };
        let docs = "/usr/share/doc/memlens";
        file("/usr/bin/memlens", self.command_line.clone());
        for (to, from) in &self.shell_files.0 {
            file(to, from.clone());
        }
        file(
            &format!("{docs}/copyright"),
            self.root.join("src-tauri/packaging/copyright"),
        );
        file(&format!("{docs}/third-party.txt"), self.third_party.clone());
        file(
            &format!("{docs}/onnxruntime-third-party.txt"),
            self.runtime_notices.clone(),
        );
        for plugin_file in openclaw_plugin::FILES {
            file(
                &format!("/usr/share/memlens/openclaw-plugin/{plugin_file}"),
                self.openclaw_plugin.join(plugin_file),
            );
        }
        file(
            "/usr/share/icons/hicolor/scalable/apps/memlens-app.svg",
            self.root.join("icons/icon.svg"),
        );
        json!({ "bundle": {
            "resources": resources,
            "linux": { "deb": { "depends": depends, "files": files } },
        } })
    }
}

#[cfg(test)]
mod tests {
    //! Everything that a program looks for is installed where it looks.

    use super::*;

    #[test]
    fn model_and_library_are_resources_and_the_command_line_is_a_program() {
        let at = |path: &str| PathBuf::from(path);
        let installed = Installed {
            command_line: at("/p/memlens"),
            shell_files: ShellFiles(vec![(
                "/usr/share/man/man1/memlens.1".to_owned(),
                at("/p/memlens.1"),
            )]),
            model: at("/p/model"),
            runtime: at("/p/libonnxruntime.so.1.2.3"),
            runtime_notices: at("/p/ThirdPartyNotices.txt"),
            third_party: at("/p/third-party.txt"),
            openclaw_plugin: at("/p/plugin"),
            root: at("/p"),
        };
        let config = installed.config(&["libc6 (>= 2.36)".to_owned()]);
        let resources = &config["bundle"]["resources"];
        assert_eq!(resources["/p/model/model.onnx"], "model/model.onnx");
        assert_eq!(
            resources["/p/libonnxruntime.so.1.2.3"],
            "libonnxruntime.so.1.2.3"
        );
        let deb = &config["bundle"]["linux"]["deb"];
        assert_eq!(deb["files"]["/usr/bin/memlens"], "/p/memlens");
        assert_eq!(
            deb["files"]["/usr/share/memlens/openclaw-plugin/dist/index.js"],
            "/p/plugin/dist/index.js"
        );
        assert_eq!(deb["depends"], json!(["libc6 (>= 2.36)"]));
    }

    #[test]
    fn every_file_of_the_model_is_there() {
        let model = Project::find().root.join("crates/memlens-embed/model");
        for file in MODEL_FILES {
            assert!(model.join(file).is_file(), "{file}");
        }
    }

    #[test]
    fn a_folder_without_a_package_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(built(folder.path()), Err(Error::Package(_))));
        let package = folder.path().join("memlens_0.1.0_amd64.deb");
        fs::write(&package, "").unwrap();
        assert_eq!(built(folder.path()).unwrap(), package);
    }
}
