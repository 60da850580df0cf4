//! The packages of macOS and Windows: an app in a disk image, and two installers.
//!
//! Written and not yet run: no machine of either system was at hand.

use std::env;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{MODEL_FILES, PROGRAMS, build, notices, release, run_bundler};
use crate::error::{Error, Result};
use crate::openclaw_plugin;
use crate::project::Project;
use crate::setup::{self, Install, Purpose};
use crate::ui;

/// A system whose packages are made on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    MacOs,
    Windows,
}

/// Libraries of the Visual C++ runtime that ONNX Runtime imports. Visual Studio has them for passing on.
const VISUAL_C: [&str; 4] = [
    "msvcp140.dll",
    "msvcp140_1.dll",
    "vcruntime140.dll",
    "vcruntime140_1.dll",
];

impl Target {
    /// The target of this machine; `None` on Linux, which has the Debian package.
    pub fn of_machine() -> Option<Target> {
        match env::consts::OS {
            "macos" => Some(Target::MacOs),
            "windows" => Some(Target::Windows),
            _ => None,
        }
    }

    /// Bundles by their names in Tauri.
    fn bundles(self) -> &'static str {
        match self {
            Target::MacOs => "app,dmg",
            Target::Windows => "nsis,msi",
        }
    }
}

/// Builds the packages and returns the folder that holds them.
pub fn make(project: &Project, scratch: &Path, target: Target) -> Result<PathBuf> {
    setup::setup(project, Purpose::Window, Install::Missing)?;
    let bundler = project.root.join("src-tauri/packaging");
    setup::install_npm(&bundler)?;
    let runtime = setup::redistributable_runtime(project)?;
    let visual_c = match target {
        Target::MacOs => Vec::new(),
        Target::Windows => visual_c(env::var_os("VCToolsRedistDir").map(PathBuf::from))?,
    };
    ui::build(project)?;
    openclaw_plugin::build(project)?;
    build(project)?;
    let third_party = scratch.join("third-party.txt");
    std::fs::create_dir_all(scratch).map_err(|source| Error::Write {
        path: scratch.to_owned(),
        source,
    })?;
    notices::write(project, PROGRAMS, &third_party)?;
    let files = Files {
        command_line: release(project).join(format!("memlens{}", env::consts::EXE_SUFFIX)),
        model: project.root.join("crates/memlens-embed/model"),
        libraries: [runtime.library].into_iter().chain(visual_c).collect(),
        openclaw_plugin: openclaw_plugin::folder(project),
        texts: vec![
            ("LICENSE.txt", project.root.join("LICENSE")),
            ("third-party.txt", third_party),
            ("onnxruntime-third-party.txt", runtime.notices),
        ],
    };
    run_bundler(project, &bundler, target.bundles(), &files.config(target))?;
    Ok(release(project).join("bundle"))
}

/// The libraries of the Visual C++ runtime below the folder of Visual Studio's redistributables.
fn visual_c(redistributables: Option<PathBuf>) -> Result<Vec<PathBuf>> {
    let missing = || {
        Error::Package(
            "the Visual C++ runtime is missing: run this in a developer command prompt of Visual Studio, which sets VCToolsRedistDir"
                .to_owned(),
        )
    };
    let folder = redistributables.ok_or_else(missing)?;
    let architecture = if cfg!(target_arch = "aarch64") {
        "arm64"
    } else {
        "x64"
    };
    let entries = folder
        .join(architecture)
        .read_dir()
        .map_err(|_| missing())?;
    let mut folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_runtime = |folder: &PathBuf| folder.extension().is_some_and(|end| end == "CRT");
    let runtime = folders.find(is_runtime).ok_or_else(missing)?;
    let files: Vec<PathBuf> = VISUAL_C.iter().map(|name| runtime.join(name)).collect();
    match files.iter().all(|file| file.is_file()) {
        true => Ok(files),
        false => Err(missing()),
    }
}

/// Paths of what is packed beside the window's program.
struct Files {
    command_line: PathBuf,
    model: PathBuf,
    /// ONNX Runtime and what it needs.
    libraries: Vec<PathBuf>,
    openclaw_plugin: PathBuf,
    texts: Vec<(&'static str, PathBuf)>,
}

impl Files {
    /// Overlay of the window's configuration. Resources are in `Contents/Resources` of an app, and beside the program on Windows.
    fn config(&self, target: Target) -> Value {
        let mut resources = Map::new();
        let mut resource = |from: &Path, to: String| {
            resources.insert(from.display().to_string(), json!(to));
        };
        for file in MODEL_FILES {
            resource(&self.model.join(file), format!("model/{file}"));
        }
        for library in &self.libraries {
            let name = library.file_name().unwrap_or_default().to_string_lossy();
            resource(library, name.into_owned());
        }
        for file in openclaw_plugin::FILES {
            let from = self.openclaw_plugin.join(file);
            resource(&from, format!("openclaw-plugin/{file}"));
        }
        for (name, text) in &self.texts {
            resource(text, (*name).to_owned());
        }
        match target {
            Target::MacOs => json!({ "bundle": {
                "resources": resources,
                "macOS": { "files": { "MacOS/memlens": self.command_line } },
            } }),
            Target::Windows => {
                resource(&self.command_line, "memlens.exe".to_owned());
                json!({ "bundle": { "resources": resources } })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Everything that a program looks for is packed where it looks.

    use std::fs;

    use super::*;

    fn files() -> Files {
        Files {
            command_line: "/p/memlens".into(),
            model: "/p/model".into(),
            libraries: vec![
                "/p/libonnxruntime.1.2.3.dylib".into(),
                "/p/msvcp140.dll".into(),
            ],
            openclaw_plugin: "/p/plugin".into(),
            texts: vec![("LICENSE.txt", "/p/LICENSE".into())],
        }
    }

    #[test]
    fn model_and_libraries_are_resources_of_both_systems() {
        for target in [Target::MacOs, Target::Windows] {
            let config = files().config(target);
            let resources = &config["bundle"]["resources"];
            assert_eq!(resources["/p/model/model.onnx"], "model/model.onnx");
            let library = &resources["/p/libonnxruntime.1.2.3.dylib"];
            assert_eq!(library, "libonnxruntime.1.2.3.dylib");
            assert_eq!(resources["/p/msvcp140.dll"], "msvcp140.dll");
            assert_eq!(
                resources["/p/plugin/dist/index.js"],
                "openclaw-plugin/dist/index.js"
            );
            assert_eq!(resources["/p/LICENSE"], "LICENSE.txt");
        }
    }

    #[test]
    fn the_command_line_is_beside_the_window() {
        let mac = files().config(Target::MacOs);
        assert_eq!(
            mac["bundle"]["macOS"]["files"]["MacOS/memlens"],
            "/p/memlens"
        );
        let windows = files().config(Target::Windows);
        assert_eq!(windows["bundle"]["resources"]["/p/memlens"], "memlens.exe");
    }

    #[test]
    fn the_runtime_of_visual_c_is_found_or_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = |folder: Option<PathBuf>| visual_c(folder).unwrap_err().to_string();
        assert!(error(None).contains("VCToolsRedistDir"));
        let runtime = folder.path().join("x64/Microsoft.VC143.CRT");
        fs::create_dir_all(&runtime).unwrap();
        let root = || Some(folder.path().to_owned());
        assert!(error(root()).contains("Visual C++"));
        for name in VISUAL_C {
            fs::write(runtime.join(name), "").unwrap();
        }
        assert_eq!(visual_c(root()).unwrap().len(), VISUAL_C.len());
    }
}
