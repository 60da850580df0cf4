//! Memory-maps files that this program wrote.
//!
//! If another program shortens a mapped file, pages are missing. So small files are read instead, the length of a mapped
//! one is checked before much of it is read, and on Unix a page that is missing nevertheless reads as zeros
//! ([`n_faults`](crate::n_faults) counts them).

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Deref;

use memmap2::{Mmap, MmapOptions};

#[cfg(unix)]
use crate::faults::Protected;

/// Size of the write buffer in bytes.
const AT_ONCE: usize = 1 << 20;

/// Returns a buffered writer for a file that is mapped later. The system keeps data that is written at once in one
/// piece, and maps it in one step: mapping the pages of a gigabyte takes 44 ms if it was written by 8 kB and 11 ms if
/// by a megabyte (ext4 of Linux 6.18).
pub fn buffer_to_map<W: Write>(file: W) -> BufWriter<W> {
    BufWriter::with_capacity(AT_ONCE, file)
}

/// The first bytes of a file, mapped or, for small files, in memory. They are aligned to 8 bytes.
pub struct OwnBytes(Held);

enum Held {
    /// Padded with zeros to whole words.
    Read { words: Box<[u64]>, n_bytes: usize },
    Mapped {
        /// Before the mapping, so that it is dropped first.
        #[cfg(unix)]
        protected: Protected,
        map: Mmap,
        file: File,
    },
}

/// How many missing pages were read by this process so far. Here files that are mapped cannot be shortened.
#[cfg(not(unix))]
pub fn n_faults() -> u64 {
    0
}

impl OwnBytes {
    /// Returns whether all bytes can be read, and could be whenever they were. Another program may have shortened a mapped
    /// file; bytes in memory are always whole.
    pub fn is_whole(&self) -> bool {
        match &self.0 {
            Held::Read { .. } => true,
            Held::Mapped {
                #[cfg(unix)]
                protected,
                map,
                file,
            } => {
                #[cfg(unix)]
                if protected.is_torn() {
                    return false;
                }
                file.metadata()
                    .is_ok_and(|found| found.len() >= map.len() as u64)
            }
        }
    }

    /// Returns the mapping, or `None` if the bytes are in memory.
    pub fn mapping(&self) -> Option<&Mmap> {
        match &self.0 {
            Held::Read { .. } => None,
            Held::Mapped { map, .. } => Some(map),
        }
    }
}

impl Deref for OwnBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Held::Read { words, n_bytes } => &bytemuck::cast_slice(words)[..*n_bytes],
            Held::Mapped { map, .. } => map,
        }
    }
}

impl fmt::Debug for OwnBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnBytes")
            .field("n_bytes", &self.len())
            .field("is_mapped", &self.mapping().is_some())
            .finish()
    }
}

/// Returns the first `n_bytes` of a file, read into memory if they are at most `n_read_most`, otherwise mapped. The
/// file must only ever be appended to, or be replaced by another file under its name.
///
/// # Errors
/// The system's error; also if `n_bytes` is 0.
#[allow(unsafe_code)]
pub fn map_own(mut file: File, n_bytes: u64, n_read_most: u64) -> io::Result<OwnBytes> {
    let n_bytes =
        usize::try_from(n_bytes).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    if n_bytes == 0 {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    if n_bytes as u64 <= n_read_most {
        let mut words = vec![0_u64; n_bytes.div_ceil(size_of::<u64>())].into_boxed_slice();
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(&mut bytemuck::cast_slice_mut(&mut words)[..n_bytes])?;
        return Ok(OwnBytes(Held::Read { words, n_bytes }));
    }
    // SAFETY: The bytes of a mapping must not change or disappear while it lives. The writers of the mapped files only
    // append, and replace a file by a new one. Another program that shortens the file in place would break this, as for
    // every mapping; `OwnBytes::is_whole` detects that before much is read, and a missing page reads as zeros.
    let map = unsafe { MmapOptions::new().len(n_bytes).map(&file)? };
    Ok(OwnBytes(Held::Mapped {
        #[cfg(unix)]
        protected: Protected::new(&map),
        map,
        file,
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn few_bytes_outlive_their_file_and_a_mapping_that_was_shortened_is_noticed() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let path = dir.path().join("own");
        fs::write(&path, [7; 100_001]).expect("it can be written");
        let take = |n_read_most: u64| {
            let file = File::open(&path).expect("it is there");
            map_own(file, 100_001, n_read_most).expect("it has so many bytes")
        };
        let (read, mapped) = (take(200_000), take(0));
        assert!(read.mapping().is_none() && mapped.mapping().is_some());
        assert_eq!(*read, *mapped);
        assert_eq!(read.as_ptr() as usize % 8, 0);
        assert!(read.is_whole() && mapped.is_whole());
        let file = File::options().write(true).open(&path).expect("it is ours");
        file.set_len(10).expect("it can be shortened");
        assert!(read.is_whole() && !mapped.is_whole());
        assert_eq!(*read, [7; 100_001]);
        // The file is shorter than requested.
        let file = File::open(&path).expect("it is there");
        assert!(map_own(file, 11, 100).is_err());
    }
}
