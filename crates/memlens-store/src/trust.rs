//! Whether a library may be opened: not if another user owns it or can change it, since a library names commands that are run.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use memlens_files::{
    is_open_to_others, is_writable_by_others, keeps_modes, other_owner, owner_of_new,
};

use crate::StoreError;

/// Environment variable that lists library folders to open regardless of their owner and permissions, separated as in
/// `PATH`; `*` allows all.
pub const SAFE_LIBRARIES: &str = "MEMLENS_SAFE_LIBRARIES";

/// Refuses a library whose folder or files belong to another user. Nothing in it was opened before. If its file system gives new files of
/// this user to that user too, the owner proves nothing, and a notice is returned instead.
///
/// # Errors
/// [`StoreError::OfAnotherUser`].
pub(crate) fn refuse_of_others(
    dir: &Path,
    files: &[PathBuf],
) -> Result<Option<String>, StoreError> {
    refuse_of_others_where(dir, files, owner_of_new)
}

/// [`refuse_of_others`], with the owner that a new file in a folder gets.
fn refuse_of_others_where(
    dir: &Path,
    files: &[PathBuf],
    owner_of_new: impl Fn(&Path) -> Option<String>,
) -> Result<Option<String>, StoreError> {
    let owners: Vec<String> = parts(dir, files)
        .filter_map(|(_, found)| other_owner(&found))
        .collect();
    if owners.is_empty() || is_safe(dir) {
        return Ok(None);
    }
    let of_new = owner_of_new(dir);
    match owners
        .into_iter()
        .find(|owner| Some(owner) != of_new.as_ref())
    {
        Some(owner) => Err(StoreError::OfAnotherUser {
            path: dir.to_owned(),
            owner,
        }),
        None => Ok(Some(format!(
            "The file system of {} does not keep who owns a file: other users of this machine may be able to read and change this library.",
            dir.display()
        ))),
    }
}

/// Refuses a library that other users can change, or read, although it was to be closed to them. A notice is returned instead if the file
/// system keeps no modes, if it is read only, or if others can only read and nothing can be written, as on a full disk.
///
/// A folder that may only be read (`is_closed`) is open to readers on purpose.
///
/// # Errors
/// [`StoreError::OpenToOthers`].
pub(crate) fn refuse_open(
    dir: &Path,
    files: &[PathBuf],
    is_closed: bool,
) -> Result<Option<String>, StoreError> {
    refuse_open_where(dir, files, is_closed, keeps_modes)
}

/// [`refuse_open`], with whether the file system of a folder keeps modes.
fn refuse_open_where(
    dir: &Path,
    files: &[PathBuf],
    is_closed: bool,
    keeps_modes: impl Fn(&Path) -> io::Result<bool>,
) -> Result<Option<String>, StoreError> {
    let is_folder_entered = dir.metadata().is_ok_and(|found| is_open_to_others(&found));
    if !is_folder_entered {
        return Ok(None);
    }
    let changed = parts(dir, files).find(|(_, found)| is_writable_by_others(found));
    let read = parts(dir, files)
        .find(|(path, found)| !is_closed && *path != dir && is_open_to_others(found));
    let is_changed = changed.is_some();
    let Some((open, _)) = changed.or(read) else {
        return Ok(None);
    };
    match keeps_modes(dir) {
        Ok(false) => {
            return Ok(Some(format!(
                "The file system of {} does not keep who may read a file: other users of this machine may be able to read and change this library.",
                dir.display()
            )));
        }
        // On a read-only file system nobody can change it.
        Err(error) if error.kind() == ErrorKind::ReadOnlyFilesystem || !is_changed => {
            return Ok(Some(format!(
                "The library in {} could not be closed to other users of this machine, who may be able to read it: {error}.",
                dir.display()
            )));
        }
        Ok(true) | Err(_) => {}
    }
    if is_safe(dir) {
        return Ok(None);
    }
    Err(StoreError::OpenToOthers {
        path: dir.to_owned(),
        open: open.to_owned(),
        access: if is_changed { "change" } else { "read" },
    })
}

/// What is there of a library. A link is judged itself and not what it leads to; it is refused elsewhere.
fn parts<'a>(
    dir: &'a Path,
    files: &'a [PathBuf],
) -> impl Iterator<Item = (&'a Path, Metadata)> + 'a {
    let folder = dir.metadata().ok().map(|found| (dir, found));
    let files = files.iter().filter_map(|path| {
        let found = path.symlink_metadata().ok()?;
        found.is_file().then_some((path.as_path(), found))
    });
    folder.into_iter().chain(files)
}

/// Whether the user allowed a library in the environment.
fn is_safe(dir: &Path) -> bool {
    std::env::var_os(SAFE_LIBRARIES).is_some_and(|listed| is_listed(dir, &listed))
}

fn is_listed(dir: &Path, listed: &OsStr) -> bool {
    let resolved = |path: &Path| memlens_files::canonical(path).ok();
    std::env::split_paths(listed).any(|one| {
        let is_same = resolved(dir).is_some_and(|dir| resolved(&one) == Some(dir));
        one == Path::new("*") || is_same
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown};

    use super::*;
    use crate::Store;

    fn library() -> (tempfile::TempDir, PathBuf) {
        let scratch = tempfile::tempdir().expect("a scratch folder can be made");
        let dir = scratch.path().join("library");
        drop(Store::open(&dir).expect("it can be made"));
        (scratch, dir)
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
    }

    #[test]
    fn a_folder_is_listed_by_every_name_and_by_the_star() {
        let (scratch, dir) = library();
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink(&dir, &link).expect("links can be made");
        let listed = |paths: &[&Path]| {
            let joined = std::env::join_paths(paths).expect("no colon in them");
            is_listed(&dir, &joined)
        };
        assert!(listed(&[&dir]) && listed(&[Path::new("/nowhere"), &link]));
        assert!(listed(&[Path::new("*")]));
        assert!(!listed(&[scratch.path()]) && !listed(&[Path::new("")]) && !listed(&[]));
    }

    #[test]
    fn a_library_that_others_can_change_is_refused_and_one_that_can_be_closed_is_closed() {
        let (_scratch, dir) = library();
        // Nothing but the library in it: it is closed.
        set_mode(&dir, 0o777);
        set_mode(&dir.join("library.sqlite"), 0o666);
        drop(Store::open_read_only(&dir).expect("it was closed"));
        let mode = |path: &Path| {
            let found = path.metadata().expect("it is there");
            found.permissions().mode() & 0o777
        };
        assert_eq!(mode(&dir), 0o700);

        // A folder with other files stays as open as it is. Only its own files are closed.
        fs::write(dir.join("theirs.txt"), "theirs").expect("it can be written");
        for (folder, is_refused) in [(0o755, false), (0o777, true), (0o757, true)] {
            set_mode(&dir, folder);
            set_mode(&dir.join("library.sqlite"), 0o644);
            for opened in [Store::open_read_only(&dir), Store::open(&dir)] {
                let Err(error) = opened else {
                    assert!(!is_refused, "{folder:o}");
                    continue;
                };
                let error = error.to_string();
                assert!(
                    is_refused
                        && error.contains(&dir.display().to_string())
                        && error.contains("can change")
                        && error.contains(SAFE_LIBRARIES),
                    "{folder:o}: {error}"
                );
            }
            assert_eq!(mode(&dir.join("library.sqlite")), 0o600, "{folder:o}");
        }
    }

    #[test]
    fn what_cannot_be_closed_is_refused_only_if_others_can_change_it() {
        let (_scratch, dir) = library();
        let database = dir.join("library.sqlite");
        let files = [database.clone()];
        set_mode(&dir, 0o755);
        let check = |mode: u32, error: Option<ErrorKind>| {
            set_mode(&database, mode);
            refuse_open_where(&dir, &files, false, |_| match error {
                Some(error) => Err(error.into()),
                None => Ok(true),
            })
        };
        let (full, read_only) = (ErrorKind::StorageFull, ErrorKind::ReadOnlyFilesystem);
        for (mode, error) in [(0o644, full), (0o644, read_only), (0o646, read_only)] {
            let notice = check(mode, Some(error)).expect("it is opened");
            assert!(
                notice.is_some_and(|notice| notice.contains("may be able to read it")),
                "{mode:o} {error}"
            );
        }
        for (mode, error, access) in [
            (0o646, Some(full), "can change"),
            (0o646, None, "can change"),
            (0o644, None, "can read"),
        ] {
            let refused = check(mode, error).expect_err("it is open").to_string();
            assert!(refused.contains(access), "{mode:o}: {refused}");
        }
        assert_eq!(check(0o600, None).expect("it is closed"), None);
    }

    #[test]
    fn a_library_of_another_user_is_refused() {
        let (_scratch, dir) = library();
        if chown(&dir, Some(65_534), None).is_err() {
            // Only the superuser can give a folder away.
            return;
        }
        for part in [&dir, &dir.join("library.sqlite")] {
            chown(&dir, Some(0), None).expect("the superuser may");
            chown(part, Some(65_534), None).expect("the superuser may");
            for opened in [Store::open_read_only(&dir), Store::open(&dir)] {
                let error = opened.expect_err("it is another user's").to_string();
                for named in [&dir.display().to_string(), "65534", SAFE_LIBRARIES] {
                    assert!(error.contains(named), "{error}");
                }
            }
        }
        // On a file system that gives every file to that user, it proves nothing.
        let given = other_owner(&dir.join("library.sqlite").metadata().expect("it is there"));
        let files = [dir.join("library.sqlite")];
        let notice = refuse_of_others_where(&dir, &files, |_| given.clone()).expect("it is opened");
        assert!(notice.is_some_and(|notice| notice.contains("does not keep who owns a file")));
        refuse_of_others_where(&dir, &files, |_| None).expect_err("it is another user's");
    }
}
