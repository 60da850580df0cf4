//! The sample notes: a copy outside the checkout that the user may edit.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::project::Project;

#[derive(Debug)]
pub struct Sample {
    pub notes: PathBuf,
    /// A library of its own, so that sample notes do not mix with the user's notes.
    pub library: PathBuf,
}

/// Where the checkout has them.
pub const FIXTURE: &str = "tests/fixtures/agent-memory-57";
/// The questions with known answers that are beside the notes are for the tests; they are no notes.
const LEFT_OUT: &str = "queries.jsonl";

/// Copies the sample notes into the user's data folder; an existing copy stays unchanged.
pub fn prepare(project: &Project) -> Result<Sample> {
    let data = dirs::data_local_dir().ok_or_else(|| {
        Error::Setup("this system has no data folder; name a folder of notes instead".to_owned())
    })?;
    let sample = Sample {
        notes: data.join("memlens-sample/notes"),
        library: data.join("memlens-sample/library"),
    };
    let fixture = project.root.join(FIXTURE);
    copy_once(&fixture, &sample.notes)?;
    eprintln!("Sample notes, free to edit: {}", sample.notes.display());
    Ok(sample)
}

/// Copies the sample notes to where nothing is yet.
pub fn copy_to(project: &Project, notes: &Path) -> Result<()> {
    copy(&project.root.join(FIXTURE), notes)
}

/// Copies a folder under a passing name first, so that an interrupted copy is not taken for a whole one.
fn copy_once(from: &Path, to: &Path) -> Result<()> {
    if to.is_dir() {
        return Ok(());
    }
    let partial = to.with_extension("partial");
    let write_error = |source| Error::Write {
        path: to.to_owned(),
        source,
    };
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(write_error)?;
    }
    copy(from, &partial)?;
    fs::rename(&partial, to).map_err(write_error)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let read_error = |source| Error::Read {
        path: from.to_owned(),
        source,
    };
    let write_error = |source| Error::Write {
        path: to.to_owned(),
        source,
    };
    fs::create_dir_all(to).map_err(write_error)?;
    for entry in fs::read_dir(from).map_err(read_error)? {
        let entry = entry.map_err(read_error)?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else if entry.file_name() != LEFT_OUT {
            fs::copy(entry.path(), target).map_err(write_error)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    //! Notes are copied whole and once.

    use super::*;

    #[test]
    fn notes_are_copied_and_edits_stay() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("from");
        let to = folder.path().join("data/notes");
        fs::create_dir_all(from.join("deep")).unwrap();
        fs::write(from.join("deep/a.md"), "first").unwrap();
        fs::write(from.join(LEFT_OUT), "{}").unwrap();

        copy_once(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("deep/a.md")).unwrap(), "first");
        assert!(!to.join(LEFT_OUT).exists());

        fs::write(to.join("deep/a.md"), "edited").unwrap();
        copy_once(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("deep/a.md")).unwrap(), "edited");
    }

    #[test]
    fn a_half_made_copy_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("from");
        let to = folder.path().join("notes");
        fs::create_dir_all(&from).unwrap();
        fs::write(from.join("a.md"), "whole").unwrap();
        fs::create_dir_all(to.with_extension("partial")).unwrap();
        fs::write(to.with_extension("partial").join("b.md"), "left over").unwrap();

        copy_once(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("a.md")).unwrap(), "whole");
        assert!(!to.join("b.md").exists());
    }
}
