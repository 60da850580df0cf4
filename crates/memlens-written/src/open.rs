//! Opening a file that was found, and nothing that has taken its place since.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens the regular file at `path` below the folder `within`; `None` if something else is there.
///
/// Every folder is opened from the one around it and none through a link, so that nothing can be swapped after the walk.
#[cfg(unix)]
pub(crate) fn open(within: &Path, path: &Path) -> io::Result<Option<File>> {
    use rustix::fs::{AtFlags, FileType, Mode, OFlags, open, openat, statat};

    let folder_flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // The watched folder itself may be a link.
    let mut folder = open(within, folder_flags, Mode::empty())?;
    let mut names = path.components().peekable();
    while let Some(name) = names.next() {
        let name = name.as_os_str();
        if names.peek().is_some() {
            folder = openat(
                &folder,
                name,
                folder_flags | OFlags::NOFOLLOW,
                Mode::empty(),
            )?;
            continue;
        }
        // Opening alone does something to some devices.
        let found = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Ok(None);
        }
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let opened = File::from(openat(&folder, name, flags, Mode::empty())?);
        return Ok(opened.metadata()?.is_file().then_some(opened));
    }
    Ok(None)
}

#[cfg(not(unix))]
pub(crate) fn open(within: &Path, path: &Path) -> io::Result<Option<File>> {
    let absolute = within.join(path);
    if !std::fs::symlink_metadata(&absolute)?.is_file() {
        return Ok(None);
    }
    let opened = File::open(&absolute)?;
    Ok(opened.metadata()?.is_file().then_some(opened))
}
