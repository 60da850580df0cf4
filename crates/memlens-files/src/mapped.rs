//! Files of the program's own, as memory.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use memmap2::{Mmap, MmapOptions};

/// Bytes that are written at once.
const AT_ONCE: usize = 1 << 20;

/// A buffer for a file that is mapped later. What is written at once the system keeps in one piece, and maps in one step: of
/// a gigabyte written by 8 kB the pages alone take 44 ms to map, by a megabyte 11 (ext4 of Linux 6.18).
pub fn buffer_to_map<W: Write>(file: W) -> BufWriter<W> {
    BufWriter::with_capacity(AT_ONCE, file)
}

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
