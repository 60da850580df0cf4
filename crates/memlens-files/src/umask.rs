//! The process's umask: private for what the program makes on its own, the user's for what the user asks for.
//!
//! Properties checked: a file that the user names gets the mode that the user's umask gives, a program that is started gets that umask.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// No umask of this form exists.
const NOT_CHANGED: u32 = u32::MAX;

/// The umask that the process was started with.
static USERS: AtomicU32 = AtomicU32::new(NOT_CHANGED);

/// Makes new files and folders of this process readable and writable by its user alone, including those of libraries that
/// ask for no mode, such as a web view's storage. Call it first in `main`.
#[allow(unsafe_code)]
pub fn start_private() {
    #[cfg(unix)]
    {
        // SAFETY: The call has no precondition. Other threads that make files would see either umask; there are none yet.
        let users = unsafe { libc::umask(0o077) };
        // 16 bits on a Mac.
        #[allow(clippy::useless_conversion)]
        let users = u32::from(users);
        // Kept if this is called again.
        let _ = USERS.compare_exchange(NOT_CHANGED, users, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// The mode of a new file that the user asked for, such as an export; `None` if the process's own umask is the user's.
#[cfg(unix)]
pub(crate) fn mode_of_output() -> Option<u32> {
    users_umask().map(|users| 0o666 & !users)
}

fn users_umask() -> Option<u32> {
    let users = USERS.load(Ordering::Relaxed);
    (users != NOT_CHANGED).then_some(users)
}

/// Starts a program with the umask that the user has: what an editor or a hook makes is no file of Memlens.
#[allow(unsafe_code)]
pub fn with_users_umask(command: &mut Command) {
    #[cfg(unix)]
    if let Some(users) = users_umask() {
        use std::os::unix::process::CommandExt;
        // SAFETY: Between fork and exec only functions that are safe in a signal handler may be called; `umask` is one.
        unsafe {
            command.pre_exec(move || {
                libc::umask(users as libc::mode_t);
                Ok(())
            });
        }
    }
    #[cfg(not(unix))]
    let _ = (command, users_umask());
}
