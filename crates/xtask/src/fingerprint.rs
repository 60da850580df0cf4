//! Sums of files and folders, and stamps that remember them.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// The sha256 of `bytes` in lowercase hexadecimal.
pub fn of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The sha256 of a file in lowercase hexadecimal.
pub fn of_file(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    Ok(of_bytes(&bytes))
}

/// One sum over the names and contents of all files below `folder`, except in folders named in `except`.
pub fn of_folder(folder: &Path, except: &[&str]) -> Result<String> {
    let mut files = Vec::new();
    list(folder, except, &mut files)?;
    files.sort();
    let mut sum = Sha256::new();
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(&file);
        sum.update(name.to_string_lossy().as_bytes());
        sum.update([0]);
        sum.update(of_file(&file)?.as_bytes());
    }
    Ok(hex(&sum.finalize()))
}

/// Whether `stamp` was last written with `sum`.
pub fn is_stamped(stamp: &Path, sum: &str) -> bool {
    fs::read_to_string(stamp).is_ok_and(|text| text == sum)
}

pub fn stamp(stamp: &Path, sum: &str) -> Result<()> {
    let write_error = |source| Error::Write {
        path: stamp.to_owned(),
        source,
    };
    if let Some(folder) = stamp.parent() {
        fs::create_dir_all(folder).map_err(write_error)?;
    }
    fs::write(stamp, sum).map_err(write_error)
}

fn list(folder: &Path, except: &[&str], files: &mut Vec<PathBuf>) -> Result<()> {
    let read_error = |source| Error::Read {
        path: folder.to_owned(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(read_error)? {
        let entry = entry.map_err(read_error)?;
        let path = entry.path();
        if path.is_dir() {
            if !except.iter().any(|name| entry.file_name() == *name) {
                list(&path, except, files)?;
            }
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    //! A folder's sum follows names and contents and nothing else; a stamp holds exactly one sum.

    use super::*;

    #[test]
    fn the_sum_of_bytes_is_sha256() {
        assert_eq!(
            of_bytes(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_folder_changes_with_its_files_but_not_with_what_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let sum = || of_folder(folder.path(), &["dist"]).unwrap();
        write("a", "1");
        let first = sum();
        write("dist/b", "2");
        assert_eq!(sum(), first);
        write("src/b", "2");
        let second = sum();
        assert_ne!(second, first);
        write("src/b", "3");
        assert_ne!(sum(), second);
        write("src/b", "2");
        fs::rename(folder.path().join("a"), folder.path().join("c")).unwrap();
        assert_ne!(sum(), second);
    }

    #[test]
    fn a_stamp_holds_for_its_own_sum() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/stamp");
        assert!(!is_stamped(&path, "1"));
        stamp(&path, "1").unwrap();
        assert!(is_stamped(&path, "1"));
        assert!(!is_stamped(&path, "2"));
    }
}
