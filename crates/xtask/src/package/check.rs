//! The package as a new user gets it: installed by apt into a bare Debian without the checkout, and used there.
//!
//! The Debian is a folder that is entered by chroot; its programs see this machine's in-memory screen and nothing else
//! of it. Checked: an ordinary user indexes and searches a folder by the command line and in the window.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::run::{Size, sample, screenshot};

/// The ordinary user of the bare Debian.
const PERSON: &str = "robin";
/// Question to the sample notes, and the place of its answer.
const QUESTION: &str = "the internet is down at home, what should I try first";
const ANSWER: &str = "reference/home-server.md";
const SIZE: Size = Size {
    width: 1440,
    height: 900,
};

/// Runs its arguments as that user in the Debian beside the script. Mounts end with the process.
const ENTER: &str = r#"#!/bin/sh
exec unshare --mount sh -c '
  root=$1; shift
  mount -t proc proc "$root/proc" &&
  mount --rbind /dev "$root/dev" &&
  mkdir -p "$root/tmp/.X11-unix" && mount --rbind /tmp/.X11-unix "$root/tmp/.X11-unix" &&
  exec chroot "$root" runuser --user PERSON -- env --unset=ORT_DYLIB_PATH --unset=XDG_RUNTIME_DIR --chdir=/home/PERSON \
    HOME=/home/PERSON PATH=/usr/bin:/bin "$@"
' enter "$(dirname "$0")/debian-root" PROGRAM"$@"
"#;

/// Installs and uses `package`; `scratch` keeps the Debian for the next time.
pub fn check(project: &Project, package: &Path, scratch: &Path) -> Result<()> {
    if command::find("debootstrap").is_none() {
        return Err(Error::Package(
            "`--check` needs debootstrap, and root to run it".to_owned(),
        ));
    }
    let root = scratch.join("debian-root");
    make_debian(&root)?;
    install(&root, package)?;
    let notes = root.join("home").join(PERSON).join("notes");
    remove(&notes)?;
    sample::copy_to(project, &notes)?;
    let enter = |name: &str, program: &str| script(&scratch.join(name), program);

    let terminal = enter("enter-terminal", "")?;
    let memlens = |arguments: &[&str]| {
        let mut memlens = Command::new(&terminal);
        memlens.arg("memlens").args(arguments);
        command::output(&mut memlens)
    };
    let library = format!("/home/{PERSON}/.local/share/memlens");
    remove(&root.join(library.trim_start_matches('/')))?;
    memlens(&["index", "notes"])?;
    let answer = memlens(&["search", QUESTION, "--json"])?;
    let first = first_path(&answer).map_err(|cause| Error::Answer {
        program: "the installed memlens".to_owned(),
        cause,
    })?;
    expect("the command line's first result", &first)?;

    // A library of its own, so that the window indexes too.
    let window = enter("enter-window", "memlens-app ")?;
    let arguments = [
        "--library",
        "/tmp/memlens-window",
        "--add",
        &format!("/home/{PERSON}/notes"),
        "--query",
        QUESTION,
    ]
    .map(str::to_owned);
    remove(&root.join("tmp/memlens-window"))?;
    let picture = scratch.join("installed.png");
    // The question is asked before all notes are indexed, and again as notes come in.
    let first_row = format!(
        "const row = document.querySelector(\"[role='grid'] [role='row'][data-chunk]\")?.innerText ?? '';
         return row.includes('{}') ? row : ''",
        name_of(ANSWER)
    );
    let first = screenshot::look(&window, &arguments, SIZE, &picture, &first_row)?;
    expect("the window's first row", &first.replace('\n', " "))?;
    println!("the window: {}", picture.display());
    println!(
        "installed from the package, indexed and searched by the command line and in the window"
    );
    Ok(())
}

/// Makes a bare Debian of this machine's own release and mirror, unless one is there.
fn make_debian(root: &Path) -> Result<()> {
    let done = root.join(".complete");
    if done.is_file() {
        return Ok(());
    }
    remove(root)?;
    let targets = command::output(
        Command::new("apt-get")
            .args(["indextargets", "--format", "$(CODENAME) $(REPO_URI)"])
            .args(["Created-By: Packages", "Origin: Debian", "Component: main"]),
    )?;
    let (release, mirror) = release_and_mirror(&targets)
        .ok_or_else(|| Error::Package("apt on this machine has no Debian mirror".to_owned()))?;
    command::run(
        Command::new("debootstrap")
            .args(["--variant=minbase", release])
            .arg(root)
            .arg(mirror),
    )?;
    command::run(
        Command::new("chroot")
            .arg(root)
            .args(["useradd", "--create-home", PERSON]),
    )?;
    fs::write(&done, "").map_err(|source| Error::Write { path: done, source })
}

/// Installs the package with exactly what it depends on.
fn install(root: &Path, package: &Path) -> Result<()> {
    let inside = root.join("memlens.deb");
    fs::copy(package, &inside).map_err(|source| Error::Write {
        path: inside,
        source,
    })?;
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("chroot");
        apt.arg(root)
            .args(["env", "DEBIAN_FRONTEND=noninteractive"]);
        apt.args(["apt-get", "--quiet", "--yes"]).args(arguments);
        command::run(&mut apt)
    };
    apt(&["update"])?;
    apt(&[
        "install",
        "--reinstall",
        "--no-install-recommends",
        "/memlens.deb",
    ])
}

/// Writes the script that enters the Debian and runs `program` (with a space behind it), or what it is given.
fn script(path: &Path, program: &str) -> Result<PathBuf> {
    let text = ENTER.replace("PERSON", PERSON).replace("PROGRAM", program);
    fs::write(path, text).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })?;
    command::run(Command::new("chmod").arg("755").arg(path))?;
    Ok(path.to_owned())
}

fn remove(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).map_err(|source| Error::Write {
        path: folder.to_owned(),
        source,
    })
}

fn expect(what: &str, found: &str) -> Result<()> {
    if found.contains(name_of(ANSWER)) {
        println!("{what}: {found}");
        return Ok(());
    }
    Err(Error::Package(format!("{what} is {found:?}, not {ANSWER}")))
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The path of the first result of `memlens search --json`.
fn first_path(answer: &str) -> Result<String, String> {
    let answer: Value = serde_json::from_str(answer).map_err(|error| error.to_string())?;
    let path = answer["results"][0]["path"].as_str();
    path.map(str::to_owned)
        .ok_or_else(|| "it found nothing".to_owned())
}

/// The first release that is no update of another one, and where it is fetched from.
fn release_and_mirror(targets: &str) -> Option<(&str, &str)> {
    targets
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(release, _)| !release.contains('-') && !release.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_not_one_of_its_updates() {
        let targets = "trixie-updates http://mirror/debian/\ntrixie http://mirror/debian/\n";
        assert_eq!(
            release_and_mirror(targets),
            Some(("trixie", "http://mirror/debian/"))
        );
        assert_eq!(release_and_mirror("\n"), None);
    }

    #[test]
    fn the_first_result_is_read() {
        let answer = r#"{ "results": [{ "path": "reference/home-server.md" }, { "path": "x" }] }"#;
        assert_eq!(first_path(answer), Ok(ANSWER.to_owned()));
        assert!(first_path(r#"{ "results": [] }"#).is_err());
        assert!(first_path("").is_err());
        assert!(expect("it", ANSWER).is_ok());
        assert!(expect("it", "reference/other.md").is_err());
    }
}
