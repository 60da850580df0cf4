//! Files of other programs' databases that SQLite opens to read and never writes, locks or removes.
//!
//! SQLite reads a database with a write-ahead log only if it may write beside it. With an exclusive locking mode it keeps in its own memory what it would
//! write there; and with this layer it can neither take a lock nor open a file to write.
//!
//! Reviewed rules of this module:
//! - SQLite's own functions without locks ("unix-none", "win32-none") do all the work. Here only the flags of opening are changed.
//! - What is registered is a copy that is never freed.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_vfs};

const NAME: &CStr = c"memlens-read-only";
const WITHOUT_LOCKS: &CStr = if cfg!(windows) {
    c"win32-none"
} else {
    c"unix-none"
};
/// Flags of files that belong to a database, in contrast to those that SQLite makes for itself.
const OF_DATABASE: c_int =
    ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_MAIN_JOURNAL;
const WRITING: c_int = ffi::SQLITE_OPEN_READWRITE
    | ffi::SQLITE_OPEN_CREATE
    | ffi::SQLITE_OPEN_EXCLUSIVE
    | ffi::SQLITE_OPEN_DELETEONCLOSE;

/// A virtual file system of SQLite without locks.
struct Layer(*mut sqlite3_vfs);

// SAFETY: They may be called by any thread, and never change once they are registered.
unsafe impl Send for Layer {}
// SAFETY: The same.
unsafe impl Sync for Layer {}

static LAYER: OnceLock<Option<Layer>> = OnceLock::new();

/// The name of the layer; `None` if this SQLite does not have what it needs.
pub(super) fn vfs() -> Option<&'static str> {
    LAYER.get_or_init(register).as_ref()?;
    NAME.to_str().ok()
}

fn register() -> Option<Layer> {
    // SAFETY: SQLite returns functions that live as long as the process, or nothing. Registered is a copy that is never freed.
    unsafe {
        let system = ffi::sqlite3_vfs_find(WITHOUT_LOCKS.as_ptr());
        let mut ours = *system.as_ref()?;
        ours.pNext = ptr::null_mut();
        ours.zName = NAME.as_ptr();
        ours.xOpen = Some(open);
        ours.xDelete = Some(remove);
        let registered = ffi::sqlite3_vfs_register(Box::into_raw(Box::new(ours)), 0);
        (registered == ffi::SQLITE_OK).then_some(Layer(system))
    }
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let Some(Some(Layer(system))) = LAYER.get() else {
        return ffi::SQLITE_ERROR;
    };
    let flags = if flags & OF_DATABASE == 0 {
        flags
    } else {
        flags & !WRITING | ffi::SQLITE_OPEN_READONLY
    };
    // SAFETY: The arguments are SQLite's own, meant for this function.
    unsafe {
        match (**system).xOpen {
            Some(open) => open(*system, name, file, flags, out_flags),
            None => ffi::SQLITE_ERROR,
        }
    }
}

/// Reports success, but removes nothing.
unsafe extern "C" fn remove(_: *mut sqlite3_vfs, _: *const c_char, _: c_int) -> c_int {
    ffi::SQLITE_OK
}
