//! Files of the program's own, as memory.

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapOptions};

/// Maps the first `n_bytes` of a file that is only ever appended to, or replaced by another one under its name.
///
/// # Errors
/// What the system answers; for no bytes at all too.
#[allow(unsafe_code)]
pub fn map_own(file: &File, n_bytes: u64) -> io::Result<Mmap> {
    let n_bytes =
        usize::try_from(n_bytes).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    // SAFETY: The bytes of a mapping must not change or go away while it lives. Those who write the files that are mapped
    // append beyond what is, cut off nothing before it, and put a new file in the place of an old one. A foreign program
    // that shortens the file in place would break this, as for every mapping.
    unsafe { MmapOptions::new().len(n_bytes).map(file) }
}
