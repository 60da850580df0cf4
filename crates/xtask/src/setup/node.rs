//! Node: its version and the installed packages of a folder.

use std::path::Path;
use std::process::Command;

use crate::command;
use crate::error::{Error, Result};
use crate::fingerprint;

/// Refuses a machine without a Node that the window's tools accept.
pub fn ensure_version() -> Result<()> {
    let wanted =
        "Memlens needs Node.js 20.19 or later in the 20 series, or 22.13 or later, with npm";
    let how = "install it from nodejs.org or with a version manager such as nvm, then try again";
    let (Some(_), Some(_)) = (command::find("node"), find_npm()) else {
        return Err(Error::Setup(format!(
            "Node.js or npm is missing. {wanted}: {how}"
        )));
    };
    let answer = command::output(Command::new("node").arg("--version"))?;
    let answer = answer.trim();
    if parse(answer).is_some_and(is_accepted) {
        return Ok(());
    }
    Err(Error::Setup(format!(
        "Node.js is {answer}. {wanted}: {how}"
    )))
}

/// Installs the packages that the folder's lock file names, unless they were installed from the same lock file.
pub fn install(folder: &Path) -> Result<()> {
    let sum = fingerprint::of_file(&folder.join("package-lock.json"))?;
    let stamp = folder.join("node_modules/.installed-from-lock");
    if fingerprint::is_stamped(&stamp, &sum) {
        return Ok(());
    }
    eprintln!("Installing the npm packages of {}", folder.display());
    command::run(command::npm(folder).args(["ci", "--no-audit", "--no-fund"]))?;
    fingerprint::stamp(&stamp, &sum)
}

fn find_npm() -> Option<std::path::PathBuf> {
    // On Windows npm is a script, which has no `.exe` to look for; it comes with node.
    command::find(if cfg!(windows) { "node" } else { "npm" })
}

/// Parses `v20.19.4` to `(20, 19)`; `None` for anything else.
fn parse(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.strip_prefix('v')?.split('.');
    let mut next = || parts.next()?.parse().ok();
    Some((next()?, next()?))
}

/// Vite 8 and eslint 10 ask for these versions.
fn is_accepted(version: (u32, u32)) -> bool {
    ((20, 19)..(21, 0)).contains(&version) || version >= (22, 13)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_accepted_as_the_tools_say() {
        let check = |version: &str, expected: bool| {
            assert_eq!(
                parse(version).is_some_and(is_accepted),
                expected,
                "{version}"
            );
        };
        check("v18.20.4", false);
        check("v20.18.9", false);
        check("v20.19.0", true);
        check("v20.20.2", true);
        check("v21.7.0", false);
        check("v22.12.0", false);
        check("v22.13.0", true);
        check("v24.0.0", true);
        check("20.19.0", false);
        check("", false);
        check("vX.Y", false);
    }

    #[test]
    fn packages_of_the_same_lock_file_are_not_installed_again() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("package-lock.json"), "{}").unwrap();
        let sum = fingerprint::of_bytes(b"{}");
        fingerprint::stamp(
            &folder.path().join("node_modules/.installed-from-lock"),
            &sum,
        )
        .unwrap();
        // There is no package.json: npm would fail here.
        install(folder.path()).unwrap();
    }

    #[test]
    fn a_folder_without_a_lock_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = install(folder.path()).unwrap_err().to_string();
        assert!(error.contains("package-lock.json"), "{error}");
    }
}
