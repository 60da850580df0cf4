//! What reader and writer of the text list agree on: its fields, its format and how it is marked with a generation.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{
    DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError,
};
use tantivy::directory::{
    DirectoryLock, FileHandle, FileSlice, Lock, META_LOCK, MmapDirectory, WatchCallback,
    WatchHandle, WritePtr,
};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{Directory, Index, IndexMeta, IndexReader, ReloadPolicy, TantivyError};

use memlens_files::open_own;

use crate::IndexError;
use crate::private::{NO_FILE, keep_private};
use crate::text_writer::{LOCKS, is_own};

/// Name of the field of words.
const WORDS: &str = "words";
/// Name of the field of characters that may be words by themselves.
const LETTERS: &str = "letters";
/// Name of the field of chunk ids.
pub(crate) const CHUNK: &str = "chunk";
/// Name of the field of document ids.
pub(crate) const DOCUMENT: &str = "document";
/// Name of the field of word counts.
pub(crate) const N_WORDS: &str = "n_words";

/// Rises with every change of the fields or of [`crate::words()`]: a list of another format is built anew.
const FORMAT: u32 = 3;

/// The fields of an entry.
pub(crate) struct Fields {
    /// Terms with their counts; neither positions nor text, which the store has.
    pub(crate) words: Field,
    /// What [`crate::words::letters`] gives, with counts: no part of an entry's length.
    pub(crate) letters: Field,
    /// The chunk's id.
    pub(crate) chunk: Field,
    /// The id of the document that the chunk is of, to delete by.
    pub(crate) document: Field,
    /// How many words the entry has: the library beneath only estimates sums of them after merges.
    pub(crate) n_words: Field,
}

/// Returns the schema and its fields, always the same.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let counted = |has_lengths| {
        let counted = TextFieldIndexing::default()
            // Every entry brings its words ready cut, so this analysis is never asked.
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(has_lengths);
        TextOptions::default().set_indexing_options(counted)
    };
    let fields = Fields {
        words: schema.add_text_field(WORDS, counted(true)),
        letters: schema.add_text_field(LETTERS, counted(false)),
        chunk: schema.add_u64_field(CHUNK, FAST),
        document: schema.add_u64_field(DOCUMENT, INDEXED | FAST),
        n_words: schema.add_u64_field(N_WORDS, FAST),
    };
    (schema.build(), fields)
}

/// What a commit says of the list: it stands in the library's own file of files, which has no checksum.
///
/// Merges keep it, and it holds after them: they change neither what is counted nor what is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The generation of the store that the list was built from.
    pub(crate) generation: u64,
    /// Chunks that are not deleted.
    pub(crate) n_chunks: u64,
    /// Words of those chunks.
    pub(crate) n_words: u64,
}

impl Mark {
    pub(crate) fn print(&self) -> String {
        let Self {
            generation,
            n_chunks,
            n_words,
        } = self;
        format!("memlens-text {FORMAT} generation {generation} chunks {n_chunks} words {n_words}")
    }

    /// Reads what [`Mark::print`] writes, and nothing else.
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<u64> = text
            .split(' ')
            .skip(2)
            .filter_map(|part| part.parse().ok())
            .collect();
        let [generation, n_chunks, n_words] = numbers[..] else {
            return None;
        };
        let mark = Self {
            generation,
            n_chunks,
            n_words,
        };
        (mark.print() == text).then_some(mark)
    }

    /// Reads the mark of the last commit.
    ///
    /// # Errors
    /// [`IndexError::Missing`] where nothing was ever committed, [`IndexError::WrongFormat`] for any other mark or
    /// schema.
    fn read(meta: &IndexMeta, dir: &Path) -> Result<Self, IndexError> {
        let Some(payload) = &meta.payload else {
            return Err(IndexError::Missing {
                path: dir.to_owned(),
            });
        };
        match Self::parse(payload) {
            Some(mark) if meta.schema == schema().0 => Ok(mark),
            Some(_) | None => Err(IndexError::WrongFormat {
                path: dir.to_owned(),
                found: format!("{payload:?}"),
            }),
        }
    }

    /// Checks that `found` was counted, as this mark says.
    ///
    /// # Errors
    /// [`IndexError::Torn`] if not.
    pub(crate) fn check(&self, found: &Self, dir: &Path) -> Result<(), IndexError> {
        if self == found {
            return Ok(());
        }
        let why = format!("it is {:?} in place of {:?}", found.print(), self.print());
        Err(IndexError::Torn {
            path: dir.to_owned(),
            why,
        })
    }
}

/// Opens the index in `dir` and verifies the checksum of every file that its last commit names; also returns the
/// mark of that commit.
///
/// # Errors
/// As [`crate::TextIndex::open`].
pub(crate) fn open_verified(dir: &Path) -> Result<(Index, Mark), IndexError> {
    let directory = OwnDirectory::open(dir)?;
    refuse_odd(dir)?;
    let index = Index::open(directory).map_err(|source| open_error(dir, source))?;
    let meta = index
        .load_metas()
        .map_err(|source| open_error(dir, source))?;
    let mark = Mark::read(&meta, dir)?;
    for path in BTreeSet::from_iter(meta.list_segment_files()) {
        match index.directory().validate_checksum(&path) {
            Ok(true) => {}
            Ok(false) => {
                return Err(IndexError::Torn {
                    path: dir.join(path),
                    why: "its checksum does not fit".to_owned(),
                });
            }
            // The list names all files that a segment could have; opening it says whether one that it needs is missing.
            Err(OpenReadError::FileDoesNotExist(_)) => {}
            Err(source) => return Err(open_error(dir, source.into())),
        }
    }
    Ok((index, mark))
}

/// Refuses a list of which something else than a file is to be a part: the library beneath would follow a link, and wait
/// for whoever serves a pipe.
fn refuse_odd(dir: &Path) -> Result<(), IndexError> {
    for entry in fs::read_dir(dir).map_err(IndexError::io("list", dir))? {
        let entry = entry.map_err(IndexError::io("list", dir))?;
        let name = entry.file_name();
        let is_part = name
            .to_str()
            .is_some_and(|name| is_own(name) && !LOCKS.contains(&name));
        // What is gone meanwhile a writer took away.
        let is_odd = entry.file_type().is_ok_and(|found| !found.is_file());
        if is_part && is_odd {
            return Err(IndexError::Torn {
                path: entry.path(),
                why: NO_FILE.to_owned(),
            });
        }
    }
    Ok(())
}

/// A directory whose files are its user's alone, and that may be one that this process can only read.
///
/// The library beneath locks a file to read, so that no writer removes what a reader is about to open. Where that file
/// cannot be opened to be locked, [`crate::TextIndex::open`] sees by itself that a writer came between, and tries again.
#[derive(Clone, Debug)]
pub(crate) struct OwnDirectory {
    inner: MmapDirectory,
    dir: PathBuf,
}

impl OwnDirectory {
    /// Opens the folder `dir`.
    pub(crate) fn open(dir: &Path) -> Result<Self, IndexError> {
        let inner = MmapDirectory::open(dir).map_err(|source| open_error(dir, source.into()))?;
        let dir = dir.to_owned();
        Ok(Self { inner, dir })
    }

    /// Takes a lock whose file is made here, and is nothing else that stands in its place.
    fn lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let mut options = File::options();
        open_own(
            &self.dir.join(&lock.filepath),
            options.write(true).create(true).truncate(false),
        )
        .map_err(|error| {
            let name = lock.filepath.display();
            LockError::wrap_io_error(io::Error::new(error.kind(), format!("{name}: {error}")))
        })?;
        self.inner.acquire_lock(lock)
    }
}

impl Directory for OwnDirectory {
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.lock(lock) {
            Err(LockError::IoError(error))
                if lock.filepath == META_LOCK.filepath && is_only_readable(error.kind()) =>
            {
                Ok(DirectoryLock::from(Box::new(())))
            }
            taken => taken,
        }
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn open_read(&self, path: &Path) -> Result<FileSlice, OpenReadError> {
        self.inner.open_read(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let opened = self.inner.open_write(path)?;
        keep_private([&*self.dir.join(path)]);
        Ok(opened)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.inner.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}

fn is_only_readable(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

/// Opens the parts of the last commit, to stay as they are.
pub(crate) fn reader(index: &Index) -> Result<IndexReader, TantivyError> {
    index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .try_into()
}

/// Sorts the library's reasons for not opening a list into ours.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's reasons are not ours to list"
)]
pub(crate) fn open_error(dir: &Path, source: TantivyError) -> IndexError {
    let path = dir.to_owned();
    match source {
        TantivyError::OpenDirectoryError(OpenDirectoryError::DoesNotExist(_)) => {
            IndexError::Missing { path }
        }
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(file))
            if file == Path::new("meta.json") =>
        {
            IndexError::Missing { path }
        }
        TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(file)) => IndexError::Torn {
            path: dir.join(file),
            why: "it is missing".to_owned(),
        },
        TantivyError::IncompatibleIndex(found)
        | TantivyError::OpenReadError(OpenReadError::IncompatibleIndex(found)) => {
            IndexError::WrongFormat {
                path,
                found: format!("{found:?}"),
            }
        }
        TantivyError::DataCorruption(why) => IndexError::Torn {
            path,
            why: format!("{why:?}"),
        },
        TantivyError::LockFailure(LockError::LockBusy, _) => IndexError::Busy { path },
        // The library reports a file that it cannot parse as an I/O error of these kinds.
        TantivyError::IoError(why) if is_parse_failure(why.kind()) => IndexError::Torn {
            path,
            why: why.to_string(),
        },
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath })
            if is_parse_failure(io_error.kind()) =>
        {
            IndexError::Torn {
                path: dir.join(filepath),
                why: io_error.to_string(),
            }
        }
        source => refused("open", dir, source),
    }
}

/// Returns what the library refused; of what the system refused it, the system's words alone.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's reasons are not ours to list"
)]
pub(crate) fn refused(attempt: &'static str, dir: &Path, source: TantivyError) -> IndexError {
    let (path, source): (_, Box<dyn std::error::Error + Send + Sync>) = match source {
        TantivyError::IoError(source) => (dir.to_owned(), Box::new(source)),
        TantivyError::LockFailure(LockError::IoError(source), _) => {
            (dir.to_owned(), Box::new(source))
        }
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, filepath }) => {
            (dir.join(filepath), Box::new(io_error))
        }
        source => (dir.to_owned(), Box::new(source)),
    };
    IndexError::Text {
        attempt,
        path,
        source,
    }
}

fn is_parse_failure(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}

#[cfg(test)]
mod tests {
    //! What the system refuses is told in the system's words alone.

    use super::*;

    #[test]
    fn refusals_are_short() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let check = |source: TantivyError, expected: &str| {
            let message = refused("commit", Path::new("/x/text"), source).to_string();
            assert_eq!(message, expected);
        };
        check(
            full().into(),
            "cannot commit text list at /x/text: no storage space",
        );
        check(
            OpenWriteError::wrap_io_error(full(), "1.term".into()).into(),
            "cannot commit text list at /x/text/1.term: no storage space",
        );
        check(
            OpenReadError::wrap_io_error(full(), "1.term".into()).into(),
            "cannot commit text list at /x/text/1.term: no storage space",
        );
        check(
            TantivyError::InvalidArgument("why".to_owned()),
            "cannot commit text list at /x/text: An invalid argument was passed: 'why'",
        );
    }
}
