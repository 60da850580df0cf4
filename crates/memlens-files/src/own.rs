//! The program's own files: files of others are not opened in their place, and other users cannot read them.
//!
//! Properties checked: a link is not followed and a pipe does not block; permissions of other users are removed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Opens a file of the program's own with the given options. A new file is accessible to its user only.
///
/// The options must not truncate: if the path were a hard link, that would empty the other file.
///
/// # Errors
/// An error that [`is_odd`] recognises for a link or anything else that is not a regular file, which stays unchanged;
/// otherwise the system's error.
pub fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits() as i32).mode(0o600);
    }
    let opened = options.open(path);
    if let Ok(file) = &opened
        && file.metadata()?.is_dir()
    {
        return Err(io::Error::from(ErrorKind::IsADirectory));
    }
    // Checked after the attempt: not every system's error says what the path is.
    let odd = match &opened {
        Ok(file) => !file.metadata()?.is_file(),
        Err(_) => path
            .symlink_metadata()
            .is_ok_and(|found| !found.is_file() && !found.is_dir()),
    };
    if odd {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is a link, a pipe or a device, not a file of the library; remove it and try again",
        ));
    }
    opened
}

/// Returns whether [`open_own`] refused something that is not a regular file.
pub fn is_odd(error: &io::Error) -> bool {
    error.kind() == ErrorKind::InvalidInput
}

/// Creates a folder that only its user can access, if it is missing. Missing parent folders get default permissions.
///
/// # Errors
/// The system's error.
pub fn make_folder(path: &Path) -> io::Result<()> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::DirBuilderExt;
        let mut builder = fs::DirBuilder::new();
        builder.mode(0o700);
        builder
    };
    #[cfg(not(unix))]
    let builder = fs::DirBuilder::new();
    match builder.create(path) {
        Err(_) if path.is_dir() => Ok(()),
        made => made,
    }
}

/// Removes the permissions of other users from a file or folder. Does nothing for a link or a missing path.
///
/// Works by path, not by handle: closing a handle would release every lock that this process has on the file.
///
/// # Errors
/// The system's error, for example if the file belongs to another user.
pub fn keep_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let found = match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            found => found?,
        };
        let mode = found.permissions().mode();
        if (found.is_file() || found.is_dir()) && mode & 0o077 != 0 {
            return fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(all(test, unix))]
pub(crate) mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use std::process::Command;

    use super::*;

    /// Makes a pipe by a program, because macOS has no call that rustix offers.
    pub(crate) fn make_pipe(path: &Path) {
        let mut program = Command::new("mkfifo");
        let made = program.args(["-m", "600"]).arg(path).status();
        assert!(
            made.is_ok_and(|status| status.success()),
            "pipes can be made"
        );
    }

    fn mode(path: &Path) -> u32 {
        let found = path.metadata().expect("it is there");
        found.permissions().mode() & 0o777
    }

    #[test]
    fn nothing_is_opened_in_the_place_of_an_own_file() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let at = |name: &str| dir.path().join(name);
        fs::write(at("theirs"), "theirs").expect("it can be written");
        symlink(at("theirs"), at("link")).expect("links can be made");
        symlink(at("nowhere"), at("dangling")).expect("links can be made");
        make_pipe(&at("pipe"));
        fs::create_dir(at("folder")).expect("it can be made");
        for name in ["link", "dangling", "pipe"] {
            for options in [
                File::options().read(true),
                File::options().write(true).create(true),
                File::options().read(true).write(true).create(true),
            ] {
                let error = open_own(&at(name), options).expect_err(name);
                assert!(is_odd(&error), "{name}: {error}");
            }
        }
        assert!(open_own(&at("folder"), File::options().read(true)).is_err());
        assert_eq!(fs::read(at("theirs")).expect("it is there"), b"theirs");
        assert!(!at("nowhere").exists());
        open_own(&at("own"), File::options().write(true).create(true)).expect("it can be made");
        assert_eq!(mode(&at("own")), 0o600);
    }

    #[test]
    fn other_users_are_kept_out() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let at = |name: &str| dir.path().join(name);
        make_folder(&at("above/own")).expect("it can be made");
        make_folder(&at("above/own")).expect("it is there");
        assert_eq!(mode(&at("above/own")), 0o700);
        for (name, before, after) in [
            ("a", 0o644, 0o600),
            ("b", 0o666, 0o600),
            ("c", 0o400, 0o400),
        ] {
            fs::write(at(name), "").expect("it can be written");
            fs::set_permissions(at(name), fs::Permissions::from_mode(before)).expect("it is ours");
            keep_private(&at(name)).expect("it is ours");
            assert_eq!(mode(&at(name)), after, "{name}");
        }
        fs::write(at("theirs"), "").expect("it can be written");
        fs::set_permissions(at("theirs"), fs::Permissions::from_mode(0o644)).expect("it is ours");
        symlink(at("theirs"), at("link")).expect("links can be made");
        keep_private(&at("link")).expect("it is left alone");
        assert_eq!(mode(&at("theirs")), 0o644);
        keep_private(&at("gone")).expect("there is nothing to do");
    }
}
