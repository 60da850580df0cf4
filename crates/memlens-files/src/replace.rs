//! Replacing a file that another program may save at the same time.
//!
//! Properties checked: whatever the other program saves, and at whatever step, its last text is in the file or in the backup
//! afterwards; the file and its backup keep who may read them.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use crate::places::{has_other_names, is_own, keep_group, part_beside};

/// Longest text that is compared; a longer one counts as changed.
const N_BYTES_MAX: u64 = 64 << 20;
/// Each further round needs another save within some microseconds.
const ROUNDS_MAX: usize = 1000;

const CHANGED: &str = "it has changed since it was read; look at the changes again";

/// Replaces a file that another program reads and saves. `backup`, in the same folder, then holds the old file itself, with its
/// owner, group and mode. A reader finds either the old text or the new one.
///
/// The new file is written first; both files then exchange their names, and what came out is compared with `expected`. If it
/// differs, it is put back, unless a newer text is there already. Without an exchange in the file system, the comparison comes
/// directly before the rename, and a save between the two is lost.
///
/// # Errors
/// In words for the user: if it no longer holds `expected`, is a link or has other names, is read-only or another user's; if
/// `backup` exists; whatever the system reports. The file then holds what the other program saved last.
pub fn replace_keeping(
    place: &Path,
    expected: &[u8],
    bytes: &[u8],
    backup: &Path,
) -> io::Result<()> {
    Replacement {
        place,
        expected,
        bytes,
        backup,
        exchange,
        step: &mut |_| (),
    }
    .run()
}

/// A moment at which another program may save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The file was compared and is not yet replaced.
    Compared,
    /// The new text is in place; what came out was not compared yet.
    Exchanged,
    /// What came out differed.
    Differs,
    /// The new text is still in place, and is to be taken out again.
    Checked,
    /// What came out was put back.
    PutBack,
}

struct Replacement<'a> {
    place: &'a Path,
    expected: &'a [u8],
    bytes: &'a [u8],
    backup: &'a Path,
    exchange: fn(&Path, &Path) -> io::Result<()>,
    step: &'a mut dyn FnMut(Step),
}

impl Replacement<'_> {
    fn run(mut self) -> io::Result<()> {
        let found = self.place.symlink_metadata()?;
        if found.is_symlink() {
            return refused("it is a link, and links are not followed");
        }
        if !found.is_file() {
            return refused("it is not a regular file");
        }
        if found.permissions().readonly() {
            return refused("it is read-only");
        }
        if has_other_names(&found) {
            return refused("it has other names (hard links), which would keep the old text");
        }
        let part = part_beside(self.backup, Some(&found), self.bytes)?;
        is_own(part.as_file(), &found)?;
        keep_group(part.as_file(), &found)?;
        // Under the backup's name from here on, so that no program that is killed leaves the old text under a name that is
        // removed later.
        drop(part.persist_noclobber(self.backup)?);
        let compared = Version::at(self.backup).and_then(|new| self.compare().map(|()| new));
        let (new, exchanged) = match compared {
            Ok(new) => (new, (self.exchange)(self.backup, self.place)),
            Err(error) => {
                fs::remove_file(self.backup)?;
                return Err(error);
            }
        };
        match exchanged {
            Ok(()) => self.settle(new),
            Err(error) => {
                fs::remove_file(self.backup)?;
                if is_unsupported(&error) {
                    self.rename(&found)
                } else {
                    Err(error)
                }
            }
        }
    }

    /// Refuses a file that does not hold the expected text.
    fn compare(&mut self) -> io::Result<()> {
        if !Version::at(self.place)?.holds(self.expected) {
            return refused(CHANGED);
        }
        (self.step)(Step::Compared);
        Ok(())
    }

    /// Compares what came out, now under the backup's name, and puts back what was not expected.
    fn settle(&mut self, new: Version) -> io::Result<()> {
        (self.step)(Step::Exchanged);
        let is_expected =
            |taken: &io::Result<Version>| taken.as_ref().is_ok_and(|it| it.holds(self.expected));
        let mut taken = Version::at(self.backup);
        if is_expected(&taken) {
            sync_folder(self.place);
            // A program that had the file open may have written to it meanwhile.
            taken = Version::at(self.backup);
            if is_expected(&taken) {
                return Ok(());
            }
        }
        (self.step)(Step::Differs);
        let mut taken = taken.ok();
        let mut put = Some(new);
        for _ in 0..ROUNDS_MAX {
            // The other program saved again, which is newer than what came out.
            if !is_at(self.place, put.as_ref()) {
                fs::remove_file(self.backup)?;
                return refused(CHANGED);
            }
            (self.step)(Step::Checked);
            (self.exchange)(self.backup, self.place).map_err(|error| self.is_kept(&error))?;
            (self.step)(Step::PutBack);
            if is_at(self.backup, put.as_ref()) {
                fs::remove_file(self.backup)?;
                return refused(CHANGED);
            }
            // A save fell between the check and the exchange, so what came out is newer than what was put back.
            put = taken;
            taken = Version::at(self.backup).ok();
        }
        Err(self.is_kept(&io::Error::other(CHANGED)))
    }

    fn is_kept(&self, error: &io::Error) -> io::Error {
        io::Error::new(
            error.kind(),
            format!(
                "{error}; a text that another program saved meanwhile is in {}",
                self.backup.display()
            ),
        )
    }

    /// The same without an exchange of names.
    fn rename(&mut self, found: &fs::Metadata) -> io::Result<()> {
        let new = part_beside(self.place, Some(found), self.bytes)?;
        keep_group(new.as_file(), found)?;
        let kept = part_beside(self.backup, Some(found), self.expected)?;
        keep_group(kept.as_file(), found)?;
        kept.persist_noclobber(self.backup)?;
        let outcome = self.compare().and_then(|()| Ok(new.persist(self.place)?));
        if outcome.is_err() {
            fs::remove_file(self.backup)?;
        }
        outcome.map(drop)
    }
}

fn refused<T>(why: &str) -> io::Result<T> {
    Err(io::Error::other(why.to_owned()))
}

/// A file as it was at one moment. While it is held, no other file gets its inode.
struct Version {
    file: File,
    bytes: Vec<u8>,
}

impl Version {
    fn at(path: &Path) -> io::Result<Version> {
        let file = crate::open_own(path, File::options().read(true))?;
        let mut bytes = Vec::new();
        (&file).take(N_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        Ok(Version { file, bytes })
    }

    fn holds(&self, expected: &[u8]) -> bool {
        self.bytes == expected && expected.len() as u64 <= N_BYTES_MAX
    }

    fn is_same(&self, other: &Version) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let inode = |file: &File| file.metadata().map(|found| (found.dev(), found.ino()));
            let is_same_file = matches!((inode(&self.file), inode(&other.file)), (Ok(one), Ok(other)) if one == other);
            is_same_file && self.bytes == other.bytes
        }
        #[cfg(not(unix))]
        {
            let _ = &self.file;
            self.bytes == other.bytes
        }
    }
}

/// Whether a path still holds a version; `None` means that it is not a regular file.
fn is_at(path: &Path, version: Option<&Version>) -> bool {
    match (Version::at(path), version) {
        (Ok(found), Some(version)) => found.is_same(version),
        (Err(error), None) => error.kind() != ErrorKind::NotFound,
        (Ok(_), None) | (Err(_), Some(_)) => false,
    }
}

/// Writes the names in a file's folder to the disk; without success, they follow later.
fn sync_folder(place: &Path) {
    let folder = place
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::from(ErrorKind::Unsupported))
}

/// Whether the file system or the kernel cannot exchange names.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Unsupported | ErrorKind::InvalidInput
    )
}

#[cfg(all(test, unix))]
mod tests;
