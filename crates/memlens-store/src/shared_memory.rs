//! SQLite's shared memory (`-shm`) on a disk that is full.
//!
//! SQLite maps that file and writes to it as to memory. It writes one byte to each page before, so that the disk has room for it; if the disk's
//! blocks are smaller than a page, that is not enough, and on a full disk the process ends by SIGBUS. So each part is made whole when it is mapped, and a
//! full disk is the error that it is.
//!
//! Reviewed rules of this module:
//! - The system's own functions do all the work. One of them, `xShmMap`, is followed by advice to the kernel (`MADV_POPULATE_WRITE`), which
//!   changes no content and reports what a write would run into. A kernel without that advice (before Linux 5.14) changes nothing.
//! - The table of functions of a file is replaced by a copy that is never freed. The files are SQLite's own, whose first field is that table.
//!
//! Properties checked: on a full disk with small blocks a reader gets an error, and no signal.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use parking_lot::Mutex;
use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

const NAME: &CStr = c"memlens";

/// What this module was given by the system, and what it made; never freed.
struct Layer {
    system: *mut sqlite3_vfs,
    tables: Mutex<Vec<&'static Table>>,
}

// SAFETY: SQLite's own functions may be called by any thread, and never change once they are registered.
unsafe impl Send for Layer {}
// SAFETY: The same.
unsafe impl Sync for Layer {}

/// SQLite's method table of a file. Its first field is the table that SQLite sees.
#[repr(C)]
struct Table {
    ours: sqlite3_io_methods,
    system: *const sqlite3_io_methods,
}

// SAFETY: It never changes.
unsafe impl Sync for Table {}

static LAYER: OnceLock<Option<Layer>> = OnceLock::new();

/// The name to open databases by; `None` if SQLite's own is to be used.
pub(crate) fn vfs() -> Option<&'static CStr> {
    LAYER.get_or_init(register).is_some().then_some(NAME)
}

fn register() -> Option<Layer> {
    // SAFETY: SQLite returns its default functions, which live as long as the process, or nothing. Registered is a copy that is never freed.
    unsafe {
        let system = ffi::sqlite3_vfs_find(ptr::null());
        let mut ours = *system.as_ref()?;
        ours.pNext = ptr::null_mut();
        ours.zName = NAME.as_ptr();
        ours.xOpen = Some(open);
        let registered = ffi::sqlite3_vfs_register(Box::into_raw(Box::new(ours)), 0);
        (registered == ffi::SQLITE_OK).then(|| Layer {
            system,
            tables: Mutex::default(),
        })
    }
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let Some(Some(layer)) = LAYER.get() else {
        return ffi::SQLITE_ERROR;
    };
    // SAFETY: The arguments are SQLite's own, meant for the system's function.
    unsafe {
        let Some(open) = (*layer.system).xOpen else {
            return ffi::SQLITE_ERROR;
        };
        let opened = open(layer.system, name, file, flags, out_flags);
        if opened == ffi::SQLITE_OK && flags & ffi::SQLITE_OPEN_MAIN_DB != 0 {
            (*file).pMethods = table_for(layer, (*file).pMethods);
        }
        opened
    }
}

/// The functions of a file with ours among them; the same ones if the file has no shared memory.
///
/// # Safety
/// `system` must be the functions of an open file.
unsafe fn table_for(layer: &Layer, system: *const sqlite3_io_methods) -> *const sqlite3_io_methods {
    // SAFETY: As the caller says.
    let methods = unsafe { *system };
    if methods.xShmMap.is_none() {
        return system;
    }
    let mut tables = layer.tables.lock();
    let known = tables.iter().find(|table| ptr::eq(table.system, system));
    let table = known.copied().unwrap_or_else(|| {
        let ours = sqlite3_io_methods {
            xShmMap: Some(shm_map),
            ..methods
        };
        let table: &'static Table = Box::leak(Box::new(Table { ours, system }));
        tables.push(table);
        table
    });
    ptr::from_ref(table).cast()
}

unsafe extern "C" fn shm_map(
    file: *mut sqlite3_file,
    part: c_int,
    n_bytes: c_int,
    is_extended: c_int,
    mapped: *mut *mut c_void,
) -> c_int {
    // SAFETY: Only files with our own table reach this function. The other arguments are passed through to the system's
    // function. A mapped region has this many bytes from a page's start on.
    unsafe {
        let table = (*file).pMethods.cast::<Table>();
        let Some(map) = (*(*table).system).xShmMap else {
            return ffi::SQLITE_ERROR;
        };
        let done = map(file, part, n_bytes, is_extended, mapped);
        if done == ffi::SQLITE_OK && !(*mapped).is_null() && !is_whole(*mapped, n_bytes) {
            // SQLite would take it for usable.
            *mapped = ptr::null_mut();
            return ffi::SQLITE_FULL;
        }
        done
    }
}

/// Whether all of a mapping can be written; the disk allocates room for it.
///
/// # Safety
/// `start` must be the start of a page in a mapping of at least `n_bytes` bytes.
unsafe fn is_whole(start: *mut c_void, n_bytes: c_int) -> bool {
    let n_bytes = usize::try_from(n_bytes).unwrap_or(0);
    // SAFETY: As the caller says; nothing in the mapping changes.
    let advised = unsafe { libc::madvise(start, n_bytes, libc::MADV_POPULATE_WRITE) };
    // Every other error is about the advice: the kernel does not know it, or the mapping may only be read.
    advised == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}
