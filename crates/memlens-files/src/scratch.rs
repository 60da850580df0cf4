//! Folders for temporary files, such as copies of other programs' databases.
//!
//! Properties checked: other users cannot access one, whatever the process's umask; folders that a killed process left
//! are removed by the next one, and none that is in use.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::own::{keep_private, make_folder, open_own};

/// Prefix of the names of scratch folders.
const PREFIX: &str = "copy-";
/// The lock file: users of scratch folders share its lock; removing leftovers takes it exclusively.
const LOCK: &str = "lock";

/// A folder that only its user can access, removed when this value is dropped.
#[derive(Debug)]
pub struct Scratch {
    dir: Option<TempDir>,
    /// Keeps other processes from removing the folder.
    lock: File,
}

impl Scratch {
    /// Creates a folder in `within`, after removing what killed processes left there. `within` is created if missing.
    ///
    /// # Errors
    /// The system's error; also if `within` is a link.
    pub fn new(within: &Path) -> io::Result<Scratch> {
        make_folder(within)?;
        if !within.symlink_metadata()?.is_dir() {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                format!("{} is a link, not a folder", within.display()),
            ));
        }
        keep_private(within)?;
        let lock = lock_file(within)?;
        if lock.try_lock().is_ok() {
            remove_all(within);
            lock.unlock()?;
        }
        lock.lock_shared()?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o700));
        }
        Ok(Scratch {
            dir: Some(builder.tempdir_in(within)?),
            lock,
        })
    }

    /// Returns the path of the folder.
    ///
    /// # Panics
    /// After [`Scratch::unlink`] succeeded.
    pub fn path(&self) -> &Path {
        let dir = self.dir.as_ref();
        dir.expect("it is not unlinked while its path is needed")
            .path()
    }

    /// Removes the names of the folder and its files, if the system allows that while they are open. The files then
    /// disappear as soon as they are closed, even if the process is killed.
    pub fn unlink(&mut self) {
        if !cfg!(unix) {
            return;
        }
        if let Some(dir) = self.dir.take() {
            match fs::remove_dir_all(dir.path()) {
                // If this fails, the folder is removed later.
                Err(_) => self.dir = Some(dir),
                Ok(()) => {
                    // Dropping it finds nothing to remove.
                    drop(dir);
                    // Nothing is left that needs the lock.
                    let _ = self.lock.unlock();
                }
            }
        }
    }
}

/// Removes the scratch folders in `within` that killed processes left. Folders in use stay.
pub fn remove_leftovers(within: &Path) {
    if !within.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return;
    }
    if let Ok(lock) = lock_file(within)
        && lock.try_lock().is_ok()
    {
        remove_all(within);
    }
}

fn lock_file(within: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    open_own(&within.join(LOCK), &mut options)
}

fn remove_all(within: &Path) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            let path: PathBuf = entry.path();
            // Links are not followed. What cannot be removed now is tried again next time.
            let _ = fs::remove_dir_all(path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).expect("it is there");
        let names = entries.map(|it| it.expect("it can be listed").file_name());
        let mut names: Vec<String> = names.map(|it| it.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_is_its_users_alone_and_goes_with_its_value() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let within = dir.path().join("copies");
        let scratch = Scratch::new(&within).expect("it can be made");
        for path in [&within, scratch.path()] {
            let mode = path.metadata().expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", path.display());
        }
        drop(scratch);
        assert_eq!(names(&within), [LOCK]);
    }

    #[test]
    fn leftovers_go_and_what_is_in_use_stays() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let within = dir.path().join("copies");
        let used = Scratch::new(&within).expect("it can be made");
        fs::write(used.path().join("copy"), "in use").expect("it can be written");
        // As a killed process leaves it.
        let left = within.join("copy-left");
        fs::create_dir(&left).expect("it can be made");
        fs::write(left.join("copy"), "left").expect("it can be written");
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).expect("it can be made");
        fs::write(outside.join("theirs"), "theirs").expect("it can be written");
        std::os::unix::fs::symlink(&outside, within.join("copy-link")).expect("links can be made");

        remove_leftovers(&within);
        assert!(used.path().join("copy").exists() && left.exists(), "in use");
        drop(used);
        remove_leftovers(&within);
        assert!(!left.exists());
        assert!(outside.join("theirs").exists(), "links are not followed");
    }

    #[test]
    fn what_is_unlinked_leaves_no_name_and_does_not_keep_others_from_removing_leftovers() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let within = dir.path().join("copies");
        let mut scratch = Scratch::new(&within).expect("it can be made");
        let path = scratch.path().join("copy");
        fs::write(&path, "text").expect("it can be written");
        let open = File::open(&path).expect("it is there");
        scratch.unlink();
        assert_eq!(names(&within), [LOCK]);
        assert_eq!(io::read_to_string(open).expect("it is still open"), "text");
        fs::create_dir(within.join("copy-left")).expect("it can be made");
        remove_leftovers(&within);
        assert_eq!(names(&within), [LOCK]);
    }
}
