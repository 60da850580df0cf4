//! Files of the program's own, as memory.
//!
//! A mapped file that another program shortens ends the process (SIGBUS) when the missing part is read. So files of a few bytes
//! are read instead, and the length of a mapped one is checked before much of it is read.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Deref;

use memmap2::{Mmap, MmapOptions};

/// Bytes that are written at once.
const AT_ONCE: usize = 1 << 20;

/// A buffer for a file that is mapped later. What is written at once the system keeps in one piece, and maps in one step: of
/// a gigabyte written by 8 kB the pages alone take 44 ms to map, by a megabyte 11 (ext4 of Linux 6.18).
pub fn buffer_to_map<W: Write>(file: W) -> BufWriter<W> {
    BufWriter::with_capacity(AT_ONCE, file)
}

/// The first bytes of a file: mapped, or in memory if they are few. They begin at a multiple of 8 bytes.
pub struct OwnBytes(Held);

enum Held {
    /// Filled up with zeros to whole numbers.
    Read {
        words: Box<[u64]>,
        n_bytes: usize,
    },
    Mapped {
        map: Mmap,
        file: File,
    },
}

impl OwnBytes {
    /// Whether all bytes can still be read: another program may have shortened the file. What is in memory always can.
    pub fn is_whole(&self) -> bool {
        match &self.0 {
            Held::Read { .. } => true,
            Held::Mapped { map, file } => file
                .metadata()
                .is_ok_and(|found| found.len() >= map.len() as u64),
        }
    }

    /// The mapping; `None` if the bytes are in memory.
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

/// Takes the first `n_bytes` of a file that is only ever appended to, or replaced by another one under its name: reads them if
/// they are at most `n_read_most`, else maps them.
///
/// # Errors
/// What the system answers; for no bytes at all too.
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
    // SAFETY: The bytes of a mapping must not change or go away while it lives. Those who write the files that are mapped
    // append beyond what is, cut off nothing before it, and put a new file in the place of an old one. A foreign program
    // that shortens the file in place would break this, as for every mapping; `OwnBytes::is_whole` notices that before much is
    // read.
    let map = unsafe { MmapOptions::new().len(n_bytes).map(&file)? };
    Ok(OwnBytes(Held::Mapped { map, file }))
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
        // Shorter than what is asked for.
        let file = File::open(&path).expect("it is there");
        assert!(map_own(file, 11, 100).is_err());
    }
}
