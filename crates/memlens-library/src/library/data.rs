//! The library's own files: their size, and erasing them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memlens_files::Appended;
use memlens_index::{text_path, vector_folder};
use memlens_indexer::Derived;
use memlens_rerank::choice::{erase_models, forget_keys};
use memlens_store::{ScoreCache, Store, StoreError};
use memlens_wire::DataSize;

use crate::reranking::providers::{kept_keys, models_folder};
use crate::{EngineError, Library};

/// Name of the file with the token of the server.
const SERVER_TOKEN: &str = "serve-token";
/// Name of the file with calls that were served and are not stored yet.
const SERVED_CALLS: &str = "served-calls";
/// Maximum size of that file in bytes: a day of calls of a busy agent, while nothing takes them in.
const SERVED_CALLS_BYTES_MAX: u64 = 8 << 20;
/// Name of the file with the places of chunks on the map.
const MAP: &str = "map";
/// How long a measured size is cached.
const SIZE_KEPT: Duration = Duration::from_secs(2);

/// The file with the token that clients of the server over HTTP send, in the library's folder.
pub fn server_token_path(dir: &Path) -> PathBuf {
    dir.join(SERVER_TOKEN)
}

/// The file with the places of chunks on the map, in the library's folder.
pub fn map_path(dir: &Path) -> PathBuf {
    dir.join(MAP)
}

/// Removes the places of chunks on the map, if they are stored.
///
/// # Errors
/// [`EngineError::File`] if they cannot be removed.
pub fn erase_map(dir: &Path) -> Result<(), EngineError> {
    remove_file(&map_path(dir))
}

/// The calls that servers answered and the writer has not stored yet.
pub fn served_calls(dir: &Path) -> Appended {
    Appended::new(dir.join(SERVED_CALLS), SERVED_CALLS_BYTES_MAX)
}

/// Removes the calls that are not stored yet. The consent must be withdrawn before, so that none is recorded afterwards.
///
/// # Errors
/// [`EngineError::File`] if they cannot be removed.
pub fn forget_served_calls(dir: &Path) -> Result<(), EngineError> {
    let removed = served_calls(dir).remove();
    removed.map_err(|(path, error)| EngineError::file("remove", &path, error))
}

/// Removes the token of the server, if there is one.
///
/// # Errors
/// [`EngineError::File`] if it cannot be removed.
pub fn erase_server_token(dir: &Path) -> Result<(), EngineError> {
    remove_file(&server_token_path(dir))
}

fn remove_file(path: &Path) -> Result<(), EngineError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(EngineError::file("remove", path, error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Measures the library in `dir`; unreadable parts count as 0.
pub fn data_size(dir: &Path) -> DataSize {
    let [text_list, vectors, total] =
        [text_path(dir), vector_folder(dir), dir.to_owned()].map(|path| n_bytes(&path) as f64);
    DataSize {
        database: memlens_store::n_bytes(dir) as f64,
        text_list,
        vectors,
        total,
    }
}

impl Library {
    /// Disk space of the library.
    pub fn data_size(&self) -> DataSize {
        data_size(self.dir())
    }

    /// Size of the library in bytes, from the cache: for status updates while notes are indexed.
    pub fn data_bytes(&self) -> f64 {
        let mut kept = self.size.lock();
        match *kept {
            Some((at, bytes)) if at.elapsed() < SIZE_KEPT => bytes,
            Some(_) | None => {
                let bytes = self.data_size().total;
                *kept = Some((Instant::now(), bytes));
                bytes
            }
        }
    }
}

/// Contents of a library in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// Number of folders that are watched.
    pub n_folders: usize,
    /// Number of documents in the index.
    pub n_files: usize,
    /// Number of presets that were saved.
    pub n_presets: usize,
    /// Number of thumbs that were given.
    pub n_thumbs: usize,
    /// Number of saved query sets.
    pub n_query_sets: usize,
    /// Number of runs that were recorded.
    pub n_runs: usize,
}

/// Counts the contents of the library in `dir`; its lists are not read.
///
/// # Errors
/// As [`Store::open_read_only`].
pub fn contents(dir: &Path) -> Result<Contents, EngineError> {
    let store = Store::open_read_only(dir)?;
    let count = || {
        let folders = store.folders()?;
        let mut n_files = 0;
        for folder in &folders {
            n_files += store.documents(folder.id)?.len();
        }
        Ok(Contents {
            n_folders: folders.len(),
            n_files,
            n_presets: store.presets()?.len(),
            n_thumbs: store.n_feedback()? as usize,
            n_query_sets: store.query_sets()?.len(),
            n_runs: store.runs()?.len(),
        })
    };
    count().map_err(|error: StoreError| EngineError::from(error).at(dir))
}

/// Deletes everything in the library in `dir`: folders, notes, embeddings, presets, thumbs, settings, both lists,
/// reranker scores, places on the map, the token of the server, calls that were served, downloaded models, and its keys in the system's keyring. The note files themselves are not touched.
/// Needs no model, and removes a damaged database. What cannot be removed keeps nothing else.
///
/// # Errors
/// [`StoreError::Missing`] if there is none, [`StoreError::Locked`] while another process writes,
/// [`StoreError::Newer`] for one of a newer version, which is left untouched; [`EngineError::Rerank`] if a model cannot be removed,
/// [`EngineError::File`] if another file cannot.
pub fn erase(dir: &Path) -> Result<(), EngineError> {
    // Opened for reading first, since opening for writing would create one.
    let mut keys = Vec::new();
    let erased = Store::open_read_only(dir)
        .and_then(|reader| {
            keys = kept_keys(&reader);
            drop(reader);
            Store::open(dir)
        })
        .and_then(|mut store| {
            let made_by = store.embedding_model()?;
            store.erase_all()?;
            Ok((store, made_by))
        });
    let lists = match erased {
        // Readers that are open switch to the empty lists.
        Ok((store, Some((model, dim)))) => Derived::from_scratch(&store, (&model, dim)).map(drop),
        Ok((_, None)) => Derived::remove(dir),
        Err(StoreError::Damaged { .. }) => {
            Store::remove_damaged(dir)?;
            Derived::remove(dir)
        }
        Err(error) => return Err(error.at(dir).into()),
    };
    let removed: [Result<(), EngineError>; 6] = [
        lists.map_err(EngineError::from),
        ScoreCache::erase(dir).map_err(EngineError::from),
        erase_map(dir),
        erase_server_token(dir),
        forget_served_calls(dir),
        erase_models(&models_folder(dir)).map_err(EngineError::from),
    ];
    forget_keys(&keys);
    removed.into_iter().collect()
}

/// The bytes of all files below a folder.
fn n_bytes(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => n_bytes(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
