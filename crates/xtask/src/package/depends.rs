//! Which Debian packages hold the libraries that programs are linked with, and from which version on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;
use crate::error::{Error, Result};

/// dpkg-shlibdeps works in a source package; this is the minimal control file for one.
const CONTROL: &str = "Source: memlens\n\nPackage: memlens\nArchitecture: any\n";

/// The dependencies of programs and libraries as a control file has them, in the order of their names.
///
/// They follow from the machine that builds: versions are the least that have every symbol that is used.
pub fn of<'a>(scratch: &Path, files: impl Iterator<Item = &'a PathBuf>) -> Result<Vec<String>> {
    let folder = scratch.join("debian");
    let control = folder.join("control");
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&control, CONTROL))
        .map_err(|source| Error::Write {
            path: control,
            source,
        })?;
    let mut shlibdeps = Command::new("dpkg-shlibdeps");
    shlibdeps.current_dir(scratch).arg("-O");
    for file in files {
        // The library is asked about too, and is a part of the package itself.
        shlibdeps.arg(format!("-e{}", file.display()));
    }
    read(&command::output(&mut shlibdeps)?).map_err(|cause| Error::Answer {
        program: "dpkg-shlibdeps".to_owned(),
        cause,
    })
}

/// Reads `shlibs:Depends=a (>= 1), b`.
fn read(answer: &str) -> Result<Vec<String>, String> {
    let depends = answer
        .lines()
        .find_map(|line| line.strip_prefix("shlibs:Depends="))
        .ok_or_else(|| format!("no dependencies in {answer:?}"))?;
    let mut depends: Vec<String> = depends.split(',').map(|it| it.trim().to_owned()).collect();
    depends.sort();
    Ok(depends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_read_with_their_versions() {
        let read = |answer| read(answer).map(|depends| depends.join("|"));
        assert_eq!(
            read("shlibs:Depends=libgtk-3-0 (>= 3.9.10), libc6 (>= 2.36)\n"),
            Ok("libc6 (>= 2.36)|libgtk-3-0 (>= 3.9.10)".to_owned())
        );
        assert!(read("nothing").is_err());
    }
}
