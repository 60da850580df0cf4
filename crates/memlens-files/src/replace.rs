//! Replaces a file that another program may save at the same time.
//!
//! Properties checked: whatever and whenever the other program saves, its last text is afterwards in the file or in the
//! backup; the file and its backup keep their permissions.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use crate::held_open::persist_if;
use crate::places::{has_other_names, is_own, keep_group, part_beside};

/// Greatest length of a file that is compared; a longer one counts as changed.
const N_BYTES_MAX: u64 = 64 << 20;
/// Maximum number of exchanges. Each further round needs another save within a few microseconds.
const ROUNDS_MAX: usize = 1000;

const CHANGED: &str = "it has changed since it was read; look at the changes again";

/// Replaces a file that another program reads and saves. Afterwards `backup`, in the same folder, is the old file
/// itself, with its owner, group and mode. A reader finds either the old text or the new one.
///
/// The new file is written first. Then both files exchange their names, and the old one is compared with `expected`. If
/// it differs, it is put back, unless the place holds a newer text by then. If the file system has no exchange, the
/// comparison precedes the rename directly, and a save between the two is lost.
///
/// # Errors
/// A message for the user: if the file no longer holds `expected`, is a link or has other names, is read-only or
/// another user's; if `backup` exists; or the system's error. The file then holds what the other program saved last.
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
    /// The file was compared and is not replaced yet.
    Compared,
    /// The new text is in place; the old one is not compared yet.
    Exchanged,
    /// The old text differed from the expected one.
    Differs,
    /// The new text is still in place and is about to be removed again.
    Checked,
    /// The old text was put back.
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
        // From here on the new file has the backup's name: temporary names are removed later, and a killed program must
        // not leave the old text under one.
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

    /// Fails if the file does not hold the expected text.
    fn compare(&mut self) -> io::Result<()> {
        if !Version::at(self.place)?.holds(self.expected) {
            return refused(CHANGED);
        }
        (self.step)(Step::Compared);
        Ok(())
    }

    /// Compares the old file, now under the backup's name, and puts it back if it differs.
    fn settle(&mut self, new: Version) -> io::Result<()> {
        (self.step)(Step::Exchanged);
        let is_expected =
            |taken: &io::Result<Version>| taken.as_ref().is_ok_and(|it| it.holds(self.expected));
        let mut taken = Version::at(self.backup);
        if is_expected(&taken) {
            sync_folder(self.place);
            // A program that had the file open may have written to it in the meantime.
            taken = Version::at(self.backup);
            if is_expected(&taken) {
                return Ok(());
            }
        }
        (self.step)(Step::Differs);
        let mut taken = taken.ok();
        let mut put = Some(new);
        for _ in 0..ROUNDS_MAX {
            // The other program saved again, and that text is newer.
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
            // A save came between the check and the exchange, so the text that was taken out is newer than the one put
            // back.
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

    /// Replaces the file if the file system cannot exchange names.
    fn rename(&mut self, found: &fs::Metadata) -> io::Result<()> {
        let new = part_beside(self.place, Some(found), self.bytes)?;
        keep_group(new.as_file(), found)?;
        let kept = part_beside(self.backup, Some(found), self.expected)?;
        keep_group(kept.as_file(), found)?;
        kept.persist_noclobber(self.backup)?;
        let place = self.place;
        let outcome = persist_if(new, place, || self.compare());
        if outcome.is_err() {
            fs::remove_file(self.backup)?;
        }
        outcome
    }
}

fn refused<T>(why: &str) -> io::Result<T> {
    Err(io::Error::other(why.to_owned()))
}

/// A file's content at one moment. While the handle is open, no other file gets its inode.
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

/// Returns whether a path still holds a version; `None` stands for a file that cannot be read as a regular file.
fn is_at(path: &Path, version: Option<&Version>) -> bool {
    match (Version::at(path), version) {
        (Ok(found), Some(version)) => found.is_same(version),
        (Err(error), None) => error.kind() != ErrorKind::NotFound,
        (Ok(_), None) | (Err(_), Some(_)) => false,
    }
}

/// Flushes the names in a file's folder to the disk. Errors are ignored.
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

/// Returns whether the error means that the file system or the kernel cannot exchange names.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Unsupported | ErrorKind::InvalidInput
    )
}

#[cfg(all(test, unix))]
mod tests;
