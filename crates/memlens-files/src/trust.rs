//! Who besides this user can change or read files.
//!
//! Properties checked: a file of another user's is recognised; a file system that keeps modes is told from one that does not.

use std::fs::Metadata;
use std::path::Path;

/// The user that a file belongs to, as `name (id)`, if that is not the user of this process. On Windows always `None`.
pub fn other_owner(found: &Metadata) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let owner = found.uid();
        (owner != own_user()).then(|| match name_of(owner) {
            Some(name) => format!("{name} ({owner})"),
            None => owner.to_string(),
        })
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        None
    }
}

/// Whether other users may write to a file, or make and remove files in a folder. On Windows always false.
pub fn is_writable_by_others(found: &Metadata) -> bool {
    has_any(found, 0o022)
}

/// Whether other users may do anything with a file or folder. On Windows always false.
pub fn is_open_to_others(found: &Metadata) -> bool {
    has_any(found, 0o077)
}

/// Whether the file system of a folder keeps who may read a file; `None` if no file can be made there.
pub fn keeps_modes(folder: &Path) -> Option<bool> {
    let probe = tempfile::Builder::new()
        .prefix(".memlens-mode-")
        .tempfile_in(folder)
        .ok()?;
    let found = probe.as_file().metadata().ok()?;
    Some(!is_open_to_others(&found))
}

fn has_any(found: &Metadata, bits: u32) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        found.permissions().mode() & bits != 0
    }
    #[cfg(not(unix))]
    {
        let _ = (found, bits);
        false
    }
}

/// The effective user of this process.
#[cfg(unix)]
#[allow(unsafe_code)]
pub(crate) fn own_user() -> u32 {
    // SAFETY: The call has no precondition and cannot fail.
    unsafe { libc::geteuid() }
}

/// The name of a user of this machine.
#[cfg(unix)]
fn name_of(user: u32) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let id = fields.nth(1)?;
        (id.parse() == Ok(user)).then(|| name.to_owned())
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown};

    use super::*;

    #[test]
    fn modes_and_owners_are_recognised() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let file = dir.path().join("file");
        fs::write(&file, "").expect("it can be written");
        let found = || file.metadata().expect("it is there");
        for (mode, is_writable, is_open) in [
            (0o600, false, false),
            (0o640, false, true),
            (0o620, true, true),
            (0o602, true, true),
        ] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("it is ours");
            assert_eq!(is_writable_by_others(&found()), is_writable, "{mode:o}");
            assert_eq!(is_open_to_others(&found()), is_open, "{mode:o}");
        }
        assert_eq!(other_owner(&found()), None);
        assert_eq!(keeps_modes(dir.path()), Some(true));
        assert_eq!(keeps_modes(&dir.path().join("gone")), None);
        if own_user() == 0 {
            chown(&file, Some(65_534), None).expect("the superuser may");
            let owner = other_owner(&found()).expect("it is another user's");
            assert!(owner.contains("65534"), "{owner}");
        }
    }
}
