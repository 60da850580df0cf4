//! The plugin for OpenClaw: compiled from TypeScript into `dist` in its folder.

use std::path::PathBuf;
use std::process::Command;

use crate::command;
use crate::error::Result;
use crate::project::Project;
use crate::setup;

/// Files of the plugin that are installed, by their paths in its folder.
pub const FILES: [&str; 7] = [
    "README.md",
    "dist/config.js",
    "dist/index.js",
    "dist/server.js",
    "dist/tools.js",
    "openclaw.plugin.json",
    "package.json",
];

/// The plugin's folder.
pub fn folder(project: &Project) -> PathBuf {
    project.root.join("crates/memlens-serve/openclaw-plugin")
}

/// Checks the types and compiles the plugin.
pub fn build(project: &Project) -> Result<()> {
    let folder = folder(project);
    setup::install_npm(&folder)?;
    let mut compiler = Command::new("node");
    command::run(
        compiler
            .arg("node_modules/typescript/bin/tsc")
            .current_dir(&folder),
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A source file that is not in [`FILES`] would be missing from the package.
    #[test]
    fn every_source_file_is_installed() {
        let folder = folder(&Project::find());
        let sources = fs::read_dir(folder.join("src")).expect("the plugin has sources");
        let compiled: Vec<String> = sources
            .map(|entry| {
                let name = entry.expect("it can be listed").file_name();
                format!("dist/{}", name.to_string_lossy().replace(".ts", ".js"))
            })
            .collect();
        for file in &compiled {
            assert!(FILES.contains(&file.as_str()), "{file}");
        }
        for file in FILES {
            assert!(
                compiled.iter().any(|it| it == file) || folder.join(file).is_file(),
                "{file}"
            );
        }
    }
}
