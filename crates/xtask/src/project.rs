//! The checkout: where its parts lie and which files belong to it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::error::Result;

/// The folder of the workspace and the folder its programs are built into.
#[derive(Debug, Clone)]
pub struct Project {
    /// The workspace's top folder, absolute.
    pub root: PathBuf,
    /// Folder of the built programs, in the profile of this task.
    pub programs: PathBuf,
}

impl Project {
    /// Finds the checkout that this program was built from.
    pub fn find() -> Self {
        // Cargo sets the crate's current folder; the compiled-in folder is right when the program is started by hand.
        let crate_dir = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = crate_dir
            .parent()
            .and_then(Path::parent)
            .expect("the crate lies two folders below the workspace")
            .to_owned();
        let programs = env::current_exe()
            .ok()
            .and_then(|program| program.parent().map(Path::to_owned))
            .unwrap_or_else(|| root.join("target/debug"));
        Self { root, programs }
    }

    /// The path of a built program by its cargo name.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs
            .join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// The project's own folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of what is fetched and never committed.
    pub fn fetched(&self) -> PathBuf {
        self.root.join(".fetched")
    }

    pub fn ui(&self) -> PathBuf {
        self.root.join("ui")
    }

    /// The tests that drive the real window.
    pub fn e2e(&self) -> PathBuf {
        self.root.join("tests/e2e")
    }

    /// Lists the files that git knows or would add, relative to the root, with `/`, sorted.
    pub fn files(&self) -> Result<Vec<String>> {
        let listing = command::output(
            Command::new("git")
                .args([
                    "ls-files",
                    "-z",
                    "--cached",
                    "--others",
                    "--exclude-standard",
                ])
                .current_dir(&self.root),
        )?;
        let mut files: Vec<String> = listing
            .split('\0')
            .filter(|path| !path.is_empty() && self.root.join(path).is_file())
            .map(str::to_owned)
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }
}
