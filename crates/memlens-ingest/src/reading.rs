//! Reads a file that was found, and nothing that has replaced it since.
//!
//! Properties checked: a file that vanished or was replaced is reported; links are not followed, not even one that
//! replaced a folder around the file; size limits hold while files grow.

use std::fs::File;
use std::io::{self, Read};

use crate::error::IngestError;
use crate::walk::{FoundFile, MAX_FILE_BYTES};

/// Reads a file that was found, at most [`MAX_FILE_BYTES`] of it.
///
/// Only a regular file is opened, even if it or a folder between it and the watched one has been replaced since.
///
/// # Errors
/// [`IngestError::FileUnreadable`] with a `NotFound` source if it is gone, [`IngestError::NotAFile`] if something else
/// has replaced it, [`IngestError::TooLarge`] if it has grown beyond the limit, including while being read.
pub fn read(file: &FoundFile) -> Result<Vec<u8>, IngestError> {
    let unreadable = |source| IngestError::FileUnreadable {
        path: file.absolute.clone(),
        source,
    };
    let opened = open(file)
        .map_err(unreadable)?
        .ok_or_else(|| IngestError::NotAFile {
            path: file.absolute.clone(),
        })?;
    let n_bytes = opened.metadata().map_err(unreadable)?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(n_bytes.min(MAX_FILE_BYTES)).unwrap_or(0));
    opened
        .take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(IngestError::TooLarge);
    }
    Ok(bytes)
}

/// Opens a regular file for reading; `None` if something else has replaced it.
///
/// Every folder is opened relative to its parent and without following links, so that nothing can be swapped between
/// check and open. Linux has a single call for this, `openat2`, but old kernels and other systems do not.
#[cfg(unix)]
fn open(file: &FoundFile) -> io::Result<Option<File>> {
    use rustix::fs::{AtFlags, FileType, Mode, OFlags, open, openat, statat};

    let folder_flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // The watched folder itself may be a link.
    let mut folder = open(file.root(), folder_flags, Mode::empty())?;
    let mut names = file.path.split('/').peekable();
    while let Some(name) = names.next() {
        if names.peek().is_some() {
            let flags = folder_flags | OFlags::NOFOLLOW;
            folder = openat(&folder, name, flags, Mode::empty())?;
            continue;
        }
        // Merely opening some devices has side effects.
        let found = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Ok(None);
        }
        // A link or pipe that has just replaced it is not followed and does not block.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let opened = File::from(openat(&folder, name, flags, Mode::empty())?);
        return Ok(opened.metadata()?.is_file().then_some(opened));
    }
    Ok(None)
}

#[cfg(not(unix))]
fn open(file: &FoundFile) -> io::Result<Option<File>> {
    if !std::fs::symlink_metadata(&file.absolute)?.is_file() {
        return Ok(None);
    }
    let opened = File::open(&file.absolute)?;
    Ok(opened.metadata()?.is_file().then_some(opened))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk;
    use std::fs;
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};
    use tempfile::TempDir;

    /// Creates a folder with the given files.
    fn tree(files: &[(&str, &str)]) -> TempDir {
        let root = tempfile::Builder::new()
            .prefix("notes")
            .tempdir()
            .expect("a scratch folder");
        for (path, content) in files {
            let absolute = root.path().join(path);
            fs::create_dir_all(absolute.parent().expect("a parent")).expect("a folder");
            fs::write(absolute, content).expect("a file");
        }
        root
    }

    fn found(root: &Path) -> Vec<FoundFile> {
        walk(root, &AtomicBool::new(false)).expect("a folder").files
    }

    #[test]
    fn files_that_vanish() {
        let root = tree(&[("a.md", "x")]);
        let files = found(root.path());
        fs::remove_file(root.path().join("a.md")).expect("removed");
        match read(&files[0]) {
            Err(IngestError::FileUnreadable { source, .. }) => {
                assert_eq!(source.kind(), io::ErrorKind::NotFound)
            }
            other => panic!("{other:?}"),
        }
        fs::create_dir(root.path().join("a.md")).expect("a folder");
        assert!(matches!(read(&files[0]), Err(IngestError::NotAFile { .. })));
    }

    #[test]
    fn files_that_change_while_they_are_read() {
        let root = tree(&[("a.md", "x")]);
        let path = root.path().join("a.md");
        let file = found(root.path()).remove(0);
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let sizes = [0, 1, 100_000, MAX_FILE_BYTES, MAX_FILE_BYTES + 1, 5];
                for size in sizes.into_iter().cycle() {
                    if is_done.load(Ordering::Relaxed) {
                        return;
                    }
                    File::options()
                        .create(true)
                        .truncate(false)
                        .write(true)
                        .open(&path)
                        .and_then(|file| file.set_len(size))
                        .expect("it grows or shrinks");
                    if size == 5 {
                        fs::remove_file(&path).expect("it vanishes");
                    }
                }
            });
            for _ in 0..200 {
                match read(&file) {
                    Ok(bytes) => assert!(bytes.len() as u64 <= MAX_FILE_BYTES),
                    Err(IngestError::TooLarge) => {}
                    Err(IngestError::FileUnreadable { source, .. })
                        if source.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => panic!("{error}"),
                }
            }
            is_done.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn files_are_read_wherever_they_lie() {
        let root = tree(&[("a.md", "top"), ("x/y/b.md", "deep")]);
        let texts: Vec<Vec<u8>> = found(root.path())
            .iter()
            .map(|file| read(file).expect("it is there"))
            .collect();
        assert_eq!(texts, [b"top".as_slice(), b"deep"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_the_place_of_files_and_folders_are_not_followed() {
        use std::os::unix::fs::symlink;

        let elsewhere = tree(&[("secret.md", "secret"), ("y/b.md", "secret")]);
        let root = tree(&[("a.md", ""), ("x/y/b.md", "")]);
        let files = found(root.path());
        let link = |target: &str, name: &str| {
            let at = root.path().join(name);
            fs::rename(&at, at.with_extension("old")).expect("it is put aside");
            symlink(elsewhere.path().join(target), at).expect("a link");
        };
        link("secret.md", "a.md");
        assert!(matches!(read(&files[0]), Err(IngestError::NotAFile { .. })));
        link("", "x");
        assert_eq!(fs::read(&files[1].absolute).expect("a way out"), b"secret");
        assert!(matches!(
            read(&files[1]),
            Err(IngestError::FileUnreadable { .. })
        ));
        // The watched folder itself may be a link.
        let way = elsewhere.path().join("way");
        symlink(elsewhere.path().join("y"), &way).expect("a link");
        assert_eq!(read(&found(&way)[0]).expect("it is there"), b"secret");
    }
}
