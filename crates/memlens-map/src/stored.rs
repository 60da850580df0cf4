//! The layout by neighbours as it is stored in a file of the library's folder: numbers of embeddings and their places. It is
//! derived, and so may be deleted at any time. Any process may write it; the last one counts.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use memlens_files::{create_private, open_own};
use memlens_library::{EngineError, erase_map, map_path};
use serde::{Deserialize, Serialize};

/// What the file begins with; another form begins with another line.
const HEAD: &[u8] = b"memlens map 1\n";
/// More bytes than the map of a million chunks has.
const BYTES_MAX: u64 = 64 << 20;
const CRC_BYTES: usize = 4;

/// A layout by neighbours.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stored {
    /// Id of the model that made the vectors.
    pub model: String,
    /// Numbers of the embeddings.
    keys: Vec<i64>,
    places: Vec<[f32; 2]>,
    /// How many of them, from the first, were there when the layout was computed.
    n_first: u32,
    /// How many were laid out when it was computed; the others were placed by these. `None` if all were.
    pub sampled: Option<u32>,
}

/// What is stored.
pub(crate) enum Reading {
    Stored(Stored),
    Missing,
    /// It cannot be read, and why.
    Damaged(String),
}

impl Stored {
    /// A layout that was just computed of these embeddings.
    pub fn new(model: &str, keys: &[i64], places: Vec<[f32; 2]>, sampled: Option<u32>) -> Stored {
        Stored {
            model: model.to_owned(),
            keys: keys.to_vec(),
            n_first: keys.len() as u32,
            places,
            sampled,
        }
    }

    /// Number of embeddings in it that were placed later.
    pub fn n_added(&self) -> u32 {
        self.keys.len() as u32 - self.n_first
    }

    /// Number of its embeddings.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The places by embedding.
    pub fn by_key(&self) -> HashMap<i64, [f32; 2]> {
        self.keys
            .iter()
            .copied()
            .zip(self.places.iter().copied())
            .collect()
    }

    /// Adds the places of embeddings that came later.
    pub fn add(&mut self, keys: impl IntoIterator<Item = i64>, places: &[[f32; 2]]) {
        self.keys.extend(keys);
        self.places.extend(places);
    }

    /// Removes embeddings that are not there any more.
    pub fn retain(&mut self, is_there: impl Fn(i64) -> bool) {
        let n_first = self.n_first as usize;
        let keys = std::mem::take(&mut self.keys).into_iter();
        let places = std::mem::take(&mut self.places).into_iter();
        self.n_first = 0;
        for (at, (key, place)) in keys.zip(places).enumerate() {
            if is_there(key) {
                self.keys.push(key);
                self.places.push(place);
                self.n_first += u32::from(at < n_first);
            }
        }
    }

    /// Stores it in the library in `dir`.
    ///
    /// # Errors
    /// [`EngineError::File`] if it cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), EngineError> {
        let mut bytes = HEAD.to_vec();
        let plain = postcard::to_stdvec(self).expect("plain data can always be written");
        bytes.extend(plain);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        erase_map(dir)?;
        let path = map_path(dir);
        match create_private(&path, &bytes) {
            // Another process stored one meanwhile.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            written => written.map_err(|error| EngineError::file("write", &path, error)),
        }
    }

    /// Reads what is stored in the library in `dir`.
    pub fn read(dir: &Path) -> Reading {
        let bytes = match bytes_of(&map_path(dir)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Reading::Missing,
            Err(error) => return Reading::Damaged(error.to_string()),
        };
        match Stored::from_bytes(&bytes) {
            Ok(stored) => Reading::Stored(stored),
            Err(why) => Reading::Damaged(why.to_owned()),
        }
    }

    fn from_bytes(bytes: &[u8]) -> Result<Stored, &'static str> {
        let Some(end) = bytes.len().checked_sub(CRC_BYTES) else {
            return Err("it is too short");
        };
        let (all, crc32) = bytes.split_at(end);
        let Some(plain) = all.strip_prefix(HEAD) else {
            return Err("it is of another version, or no map");
        };
        if crc32fast::hash(all).to_le_bytes() != crc32 {
            return Err("its checksum does not fit");
        }
        let read: Result<Stored, postcard::Error> = postcard::from_bytes(plain);
        let stored = read.map_err(|_| "it does not fit its form")?;
        match stored.is_sound() {
            true => Ok(stored),
            false => Err("it does not fit its form"),
        }
    }

    fn is_sound(&self) -> bool {
        let n = self.keys.len();
        let is_finite = |place: &[f32; 2]| place.iter().all(|at| at.is_finite());
        self.places.len() == n && self.n_first as usize <= n && self.places.iter().all(is_finite)
    }
}

fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let file = open_own(path, OpenOptions::new().read(true))?;
    let mut bytes = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored() -> Stored {
        let mut stored = Stored::new("hashing", &[4, 7, 9], vec![[0.5, -1.0]; 3], Some(2));
        stored.add([12, 15], &[[0.1, 0.2], [0.3, 0.4]]);
        stored
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        assert!(matches!(Stored::read(dir.path()), Reading::Missing));
        for _ in 0..2 {
            stored().write(dir.path()).expect("it can be written");
            let Reading::Stored(read) = Stored::read(dir.path()) else {
                panic!("it was stored");
            };
            assert_eq!(read, stored());
        }
    }

    #[test]
    fn any_changed_byte_is_found() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        stored().write(dir.path()).expect("it can be written");
        let sound = std::fs::read(map_path(dir.path())).expect("it is there");
        assert!(Stored::from_bytes(&sound).is_ok());
        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(Stored::from_bytes(&damaged).is_err(), "byte {at}");
            assert!(Stored::from_bytes(&sound[..at]).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn what_is_gone_is_removed() {
        let mut stored = stored();
        assert_eq!((stored.n_first, stored.n_added()), (3, 2));
        stored.retain(|key| key != 7 && key != 12);
        assert_eq!((stored.n_first, stored.n_added(), stored.len()), (2, 1, 3));
        assert_eq!(stored.by_key().get(&15), Some(&[0.3, 0.4]));
        assert_eq!(stored.by_key().get(&7), None);
    }
}
