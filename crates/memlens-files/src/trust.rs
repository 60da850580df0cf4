//! Who besides this user can change or read files.
//!
//! Properties checked: a file of another user is recognised; a file system that stores modes is distinguished from one
//! that does not.

use std::fs::Metadata;
use std::io;
use std::path::Path;

/// The user that a file belongs to, as `name (id)`, if that is neither the user of this process nor the superuser, who can change every
/// file anyway. On Windows always `None`.
pub fn other_owner(found: &Metadata) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let owner = found.uid();
        (owner != own_user() && owner != 0).then(|| match name_of(owner) {
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

/// The [other owner](other_owner) that a new file in a folder gets: some file systems give every file to one user. `None` if it belongs to
/// this user, or if no file can be made there.
pub fn owner_of_new(folder: &Path) -> Option<String> {
    let found = probe(folder).ok()?.as_file().metadata().ok()?;
    other_owner(&found)
}

/// Whether other users may write to a file, or make and remove files in a folder. A group that only this user is in does not count. On
/// Windows always false.
pub fn is_writable_by_others(found: &Metadata) -> bool {
    has_any(found, 0o002) || (has_any(found, 0o020) && !is_of_private_group(found))
}

/// Whether other users may do anything with a file or folder. On Windows always false.
pub fn is_open_to_others(found: &Metadata) -> bool {
    has_any(found, 0o077)
}

/// Whether the file system of a folder keeps who may read a file.
///
/// # Errors
/// The system's error if no file can be made there.
pub fn keeps_modes(folder: &Path) -> io::Result<bool> {
    let found = probe(folder)?.as_file().metadata()?;
    Ok(!is_open_to_others(&found))
}

/// A new private file in a folder, removed when it is dropped.
fn probe(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".memlens-mode-")
        .tempfile_in(folder)
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

/// Whether the group of a file is one that only this user is in.
fn is_of_private_group(found: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let (users, groups) = (read("/etc/passwd"), read("/etc/group"));
        is_private_group(found.gid(), own_user(), &users, &groups)
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        false
    }
}

/// Whether a group has the name of a user, is the main group of that user and of no other, and has no other members.
#[cfg(unix)]
fn is_private_group(group: u32, user: u32, users: &str, groups: &str) -> bool {
    let mut name = None;
    for line in users.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        let [of_line, _, id, main_group, ..] = fields[..] else {
            continue;
        };
        if main_group.parse() != Ok(group) {
            continue;
        }
        if id.parse() != Ok(user) {
            return false;
        }
        name = Some(of_line);
    }
    let Some(name) = name else {
        return false;
    };
    let mut is_named = false;
    for line in groups.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        let [of_line, _, id, members, ..] = fields[..] else {
            continue;
        };
        if id.parse() != Ok(group) {
            continue;
        }
        let is_alone = members
            .split(',')
            .all(|member| member.is_empty() || member == name);
        if of_line != name || !is_alone {
            return false;
        }
        is_named = true;
    }
    is_named
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
            (0o602, true, true),
            (0o606, true, true),
        ] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("it is ours");
            assert_eq!(is_writable_by_others(&found()), is_writable, "{mode:o}");
            assert_eq!(is_open_to_others(&found()), is_open, "{mode:o}");
        }
        assert_eq!(other_owner(&found()), None);
        assert_eq!(owner_of_new(dir.path()), None);
        assert!(keeps_modes(dir.path()).expect("a file can be made"));
        assert!(keeps_modes(&dir.path().join("gone")).is_err());
        if own_user() == 0 {
            chown(&file, Some(65_534), None).expect("the superuser may");
            let owner = other_owner(&found()).expect("it is another user's");
            assert!(owner.contains("65534"), "{owner}");
            // A group that this user is not alone in.
            chown(&file, Some(0), Some(65_534)).expect("the superuser may");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o620)).expect("it is ours");
            assert!(is_writable_by_others(&found()));
        }
    }

    #[test]
    fn a_group_is_private_if_it_is_the_users_own_and_has_no_other_members() {
        let users = "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nbob:x:1001:100::/home/bob:/bin/sh\n";
        let check = |groups: &str| is_private_group(1000, 1000, users, groups);
        for private in ["ada:x:1000:", "root:x:0:\nada:x:1000:ada\nteam:x:7:ada,bob"] {
            assert!(check(private), "{private}");
        }
        for shared in [
            "ada:x:1000:bob",
            "ada:x:1000:ada,bob",
            "team:x:1000:",
            "",
            "ada:x:1001:",
        ] {
            assert!(!check(shared), "{shared}");
        }
        // The main group of another user, of two users, and of nobody.
        assert!(!is_private_group(100, 1000, users, "users:x:100:"));
        let users = format!("{users}eve:x:1002:1000::/home/eve:/bin/sh\n");
        assert!(!is_private_group(1000, 1000, &users, "ada:x:1000:"));
        assert!(!is_private_group(7, 1000, &users, "ada:x:7:"));
    }
}
