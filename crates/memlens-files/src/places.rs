//! Resolves the real path of a file, and replaces a file in one step.
//!
//! Properties checked: a file is found in a folder by every name; a replaced file keeps its permissions.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use tempfile::NamedTempFile;

use crate::held_open::persist;
use crate::paths::canonical;

/// Returns the path at which a file would be written, with links resolved. The file's folder must exist.
///
/// # Errors
/// If the folder does not exist.
pub fn place_of(path: &Path) -> io::Result<PathBuf> {
    if let Ok(resolved) = canonical(path) {
        return Ok(resolved);
    }
    let folder = canonical(parent_of(path))?;
    Ok(folder.join(path.file_name().unwrap_or_default()))
}

/// Returns the folder of a file that may not exist yet, where relative paths in the file begin. Links are resolved if the
/// folder exists.
pub fn folder_of(path: &Path) -> PathBuf {
    let parent = parent_of(path);
    canonical(parent).unwrap_or_else(|_| parent.to_owned())
}

/// The folder that a path names; the current one for a bare name.
fn parent_of(path: &Path) -> &Path {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Resolves a path whose last folders may not exist yet.
pub fn place_to_be(path: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            place.pop();
            continue;
        }
        place.push(component);
        if let Ok(resolved) = canonical(&place) {
            place = resolved;
        }
    }
    place
}

/// Returns whether a [place](place_of) is `folder` or inside it, under any name by which the folder is mounted.
pub fn is_within(place: &Path, folder: &Path) -> bool {
    place.starts_with(folder) || place.ancestors().any(|above| is_same(above, folder))
}

/// Distinguishes a file or folder from another one in its place, as long as it is open or exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    /// Elsewhere than on Unix, the time of creation in nanoseconds since 1970; 0 if the file system keeps none.
    number: u64,
}

impl Identity {
    /// The identity of what a path names. Links are followed.
    ///
    /// # Errors
    /// The system's error.
    pub fn of(path: &Path) -> io::Result<Identity> {
        let found = path.metadata()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Ok(Identity {
                device: found.dev(),
                number: found.ino(),
            })
        }
        // Windows replaces no file that a program has open in the way that SQLite does.
        #[cfg(not(unix))]
        {
            let created = found.created().ok();
            let since = created.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
            let number = since.and_then(|since| u64::try_from(since.as_nanos()).ok());
            Ok(Identity {
                device: 0,
                number: number.unwrap_or(0),
            })
        }
    }
}

/// Returns whether two paths name the same file or folder, including by symbolic or hard links; false if either is
/// missing.
pub fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        matches!((Identity::of(one), Identity::of(other)), (Ok(one), Ok(other)) if one == other)
    }
    #[cfg(not(unix))]
    {
        matches!((canonical(one), canonical(other)), (Ok(one), Ok(other)) if one == other)
    }
}

/// Returns whether a file has another name (a hard link) in or below a folder. Symbolic links in the folder are not
/// followed.
pub fn is_linked_into(place: &Path, folder: &Path) -> bool {
    let is_linked = place
        .metadata()
        .is_ok_and(|found| found.is_file() && (has_other_names(&found) || cfg!(not(unix))));
    if !is_linked {
        return false;
    }
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(found) if found.is_dir() => folders.push(entry.path()),
                Ok(found) if found.is_file() && is_same(&entry.path(), place) => return true,
                Ok(_) | Err(_) => {}
            }
        }
    }
    false
}

/// Writes a file that the user named, in one step: readers never see part of it, and no other file changes, not even
/// one with a second name. If the path is a device or a pipe, it receives the bytes. A replaced file keeps its
/// permissions; a new one gets those of the umask, or stays private where permissions cannot be set.
///
/// # Errors
/// The system's error; [`io::ErrorKind::TimedOut`] for a pipe that no process reads.
pub fn write(place: &Path, bytes: &[u8]) -> io::Result<()> {
    match place.metadata() {
        Ok(found) if !found.is_file() => crate::pipes::write(place, bytes),
        // If the path is a link, its target is replaced and the link stays.
        Ok(found) => replace(&place_of(place)?, Some(&found), bytes),
        Err(_) => replace(&place_of(place)?, None, bytes),
    }
}

/// Writes a new file that only its user can read, in one step: readers never see part of it.
///
/// # Errors
/// The system's error; [`io::ErrorKind::AlreadyExists`] if the path exists.
pub fn create_private(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PART_PREFIX).suffix(PART_SUFFIX);
    let mut part = builder.tempfile_in(place.parent().unwrap_or(Path::new(".")))?;
    part.as_file().lock()?;
    part.write_all(bytes)?;
    part.as_file().sync_all()?;
    drop(part.persist_noclobber(place)?);
    Ok(())
}

/// Gives a file the same group as another.
pub(crate) fn keep_group(made: &File, other: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        if made.metadata()?.gid() != other.gid() {
            fchown(made, None, Some(other.gid()))?;
        }
    }
    #[cfg(not(unix))]
    let _ = (made, other);
    Ok(())
}

/// Fails if a file that this program created belongs to another user than `other`.
pub(crate) fn is_own(made: &File, other: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if made.metadata()?.uid() != other.uid() {
            return Err(io::Error::other("it belongs to another user"));
        }
    }
    #[cfg(not(unix))]
    let _ = (made, other);
    Ok(())
}

pub(crate) fn has_other_names(found: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        found.nlink() > 1
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        false
    }
}

/// Writes a temporary file in the same folder, then renames it.
fn replace(place: &Path, found: Option<&fs::Metadata>, bytes: &[u8]) -> io::Result<()> {
    let part = part_beside(place, found, bytes)?;
    persist(part, place)
}

const PART_PREFIX: &str = ".memlens-";
const PART_SUFFIX: &str = ".part";

/// Removes temporary files that killed processes of this user left in a folder: regular files with such a name that no
/// process has locked. Errors are ignored.
fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with(PART_PREFIX) || !name.ends_with(PART_SUFFIX) {
            continue;
        }
        // Opened for reading; links are not followed, and a pipe does not block.
        let Ok(found) = crate::open_own(&entry.path(), File::options().read(true)) else {
            continue;
        };
        let is_own = found
            .metadata()
            .is_ok_and(|held| held.is_file() && !has_other_names(&held) && is_of_this_user(&held));
        if is_own && found.try_lock().is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns whether a file belongs to the user of this process.
fn is_of_this_user(found: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        found.uid() == crate::trust::own_user()
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        true
    }
}

/// Writes a complete temporary file beside `place`, under a reserved name and with the permissions of `found`.
pub(crate) fn part_beside(
    place: &Path,
    found: Option<&fs::Metadata>,
    bytes: &[u8],
) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PART_PREFIX).suffix(PART_SUFFIX);
    #[cfg(unix)]
    if found.is_none() {
        use std::os::unix::fs::PermissionsExt;
        // The default mode of a new file, restricted by the umask, instead of the private one of temporary files.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let folder = place.parent().unwrap_or(Path::new("."));
    remove_leftovers(folder);
    let mut part = loop {
        let part = builder.tempfile_in(folder)?;
        // The lock shows other processes that the file is in use. They may have removed it before the lock was taken.
        part.as_file().lock()?;
        if part.path().exists() {
            break part;
        }
    };
    #[cfg(unix)]
    if let (None, Some(mode)) = (found, crate::umask::mode_of_output()) {
        use std::os::unix::fs::PermissionsExt;
        // Some network shares cannot do it. The file then stays private.
        let _ = part
            .as_file()
            .set_permissions(fs::Permissions::from_mode(mode));
    }
    part.write_all(bytes)?;
    if let Some(found) = found {
        // A group that this user is not in cannot be set; the mode is kept anyway.
        let _ = keep_group(part.as_file(), found);
        part.as_file().set_permissions(found.permissions())?;
    }
    part.as_file().sync_all()?;
    Ok(part)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn scratch() -> tempfile::TempDir {
        tempfile::tempdir().expect("a scratch folder can be made")
    }

    #[test]
    fn a_place_is_within_a_folder_by_every_name() {
        let dir = scratch();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("own/deep")).expect("it can be made");
        fs::create_dir(at("beside")).expect("it can be made");
        symlink(at("own"), at("link")).expect("links can be made");
        fs::write(at("own/file"), "").expect("it can be written");
        symlink(at("own/file"), at("beside/link")).expect("links can be made");
        let check = |name: &str, expected: bool| {
            let place = place_of(&at(name)).expect("its folder is there");
            assert_eq!(is_within(&place, &at("own")), expected, "{name}");
        };
        for inside in [
            "own",
            "own/new",
            "own/file",
            "own/deep/new",
            "link/new",
            "beside/../own/new",
            "beside/link",
        ] {
            check(inside, true);
        }
        for outside in ["beside/new", "own/../new", "own/../beside", "owner"] {
            check(outside, false);
        }
        assert!(place_of(&at("nowhere/new")).is_err());
    }

    #[test]
    fn a_new_private_file_replaces_nothing() {
        let dir = scratch();
        let place = dir.path().join("config");
        create_private(&place, b"a").expect("it can be made");
        let mode = place.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let again = create_private(&place, b"b").expect_err("it is there");
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&place).expect("it can be read"), b"a");
        let n_files = fs::read_dir(dir.path()).expect("it can be read").count();
        assert_eq!(n_files, 1);
    }

    #[test]
    fn what_is_still_to_be_made_has_a_place() {
        let dir = scratch();
        let root = dir.path().canonicalize().expect("it is there");
        fs::create_dir(root.join("own")).expect("it can be made");
        symlink(root.join("own"), root.join("link")).expect("links can be made");
        for (path, expected) in [
            ("link/a/b", "own/a/b"),
            ("link/a/../b", "own/b"),
            ("own/../new/./a", "new/a"),
            ("link", "own"),
        ] {
            assert_eq!(place_to_be(&root.join(path)), root.join(expected), "{path}");
        }
    }

    #[test]
    fn what_is_replaced_keeps_who_may_read_it() {
        let dir = scratch();
        let file = dir.path().join("file");
        for mode in [0o600, 0o640, 0o664] {
            fs::write(&file, "before").expect("it can be written");
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("it is ours");
            write(&file, b"after").expect("it can be written");
            let found = file.metadata().expect("it is there");
            assert_eq!(found.permissions().mode() & 0o777, mode);
            assert_eq!(fs::read(&file).expect("it is there"), b"after");
        }
        let others: Vec<_> = fs::read_dir(dir.path()).expect("it is there").collect();
        assert_eq!(others.len(), 1, "{others:?}");
    }

    #[test]
    fn another_name_of_what_is_replaced_stays_as_it_was() {
        let dir = scratch();
        let (file, other) = (dir.path().join("file"), dir.path().join("other"));
        fs::write(&other, "before").expect("it can be written");
        fs::hard_link(&other, &file).expect("it can have two names");
        assert!(is_same(&file, &other));
        write(&file, b"after").expect("it can be written");
        assert_eq!(fs::read(&other).expect("it is there"), b"before");
        assert!(!is_same(&file, &other));
    }
}
