//! The format that reader and writer of the text list share: its fields, its version and its generation mark.

use std::io;
use std::path::Path;

use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{Index, IndexMeta, IndexReader, ReloadPolicy, TantivyError};

use crate::IndexError;
use crate::text_files::{ListDirectory, VerifiedFiles};

/// Name of the field of words.
const WORDS: &str = "words";
/// Name of the field of characters that may be words by themselves.
const LETTERS: &str = "letters";
/// Name of the field of identifiers, of words without accents and of numbers without signs.
const NAMES: &str = "names";
/// Name of the field of chunk ids.
pub(crate) const CHUNK: &str = "chunk";
/// Name of the field of document ids.
pub(crate) const DOCUMENT: &str = "document";
/// Name of the field of word counts.
pub(crate) const N_WORDS: &str = "n_words";

/// Must be increased with every change of the fields or of the additional files: a list of another format is rebuilt.
const FORMAT: u32 = 5;

/// Must be increased with every change of [`crate::words()`], of the terms that are made of them, or of the titles of
/// entries: a list with the terms of another version is rebuilt from the texts, without embedding anything.
const TERMS: u32 = 2;

/// The fields of an entry.
pub(crate) struct Fields {
    /// Terms with their counts. Positions and text are not stored, because the store has the text.
    pub(crate) words: Field,
    /// The terms of [`crate::words::letters`] with counts. They do not count in an entry's length.
    pub(crate) letters: Field,
    /// The terms of [`crate::terms::names`] with counts, each behind its mark. They do not count in an entry's length.
    pub(crate) names: Field,
    pub(crate) chunk: Field,
    /// The id of the chunk's document, used to delete it.
    pub(crate) document: Field,
    /// Number of words in the entry, because tantivy only estimates their sums after merges.
    pub(crate) n_words: Field,
}

/// Returns the schema and its fields, which are always the same.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let counted = |has_lengths| {
        let counted = TextFieldIndexing::default()
            // Every entry is added with its words already split, so the tokenizer is never used.
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(has_lengths);
        TextOptions::default().set_indexing_options(counted)
    };
    let fields = Fields {
        words: schema.add_text_field(WORDS, counted(true)),
        letters: schema.add_text_field(LETTERS, counted(false)),
        names: schema.add_text_field(NAMES, counted(false)),
        chunk: schema.add_u64_field(CHUNK, FAST),
        document: schema.add_u64_field(DOCUMENT, INDEXED | FAST),
        n_words: schema.add_u64_field(N_WORDS, FAST),
    };
    (schema.build(), fields)
}

/// The values that a commit records in tantivy's `meta.json`, which has no checksum.
///
/// Merges keep the mark, and it stays valid: they change neither the counts nor what is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The generation of the store that the list was built from.
    pub(crate) generation: u64,
    /// Number of chunks that are not deleted.
    pub(crate) n_chunks: u64,
    /// Number of words of those chunks.
    pub(crate) n_words: u64,
}

impl Mark {
    pub(crate) fn print(&self) -> String {
        let Self {
            generation,
            n_chunks,
            n_words,
        } = self;
        format!(
            "memlens-text {FORMAT}.{TERMS} generation {generation} chunks {n_chunks} words {n_words}"
        )
    }

    /// Parses exactly what [`Mark::print`] writes.
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
    /// [`IndexError::Missing`] if nothing was ever committed, [`IndexError::WrongFormat`] for any other mark or schema.
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

    /// Checks that `found`, the actual counts, equals this mark.
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

/// The list of the last commit, with all its files verified.
pub(crate) struct Verified {
    pub(crate) index: Index,
    pub(crate) mark: Mark,
    /// The verified files, which need not be read again while they are unchanged.
    pub(crate) files: VerifiedFiles,
}

/// Opens the index in `dir` and verifies every file that its last commit needs, except those in `known` that are
/// unchanged.
///
/// # Errors
/// Like [`crate::TextIndex::open`].
pub(crate) fn open_verified(dir: &Path, known: &VerifiedFiles) -> Result<Verified, IndexError> {
    let directory = ListDirectory::open(dir)?;
    directory.refuse_odd()?;
    let index = Index::open(directory.clone()).map_err(|source| open_error(dir, source))?;
    let meta = index
        .load_metas()
        .map_err(|source| open_error(dir, source))?;
    let mark = Mark::read(&meta, dir)?;
    let files = directory.verify(&meta, known)?;
    Ok(Verified { index, mark, files })
}

/// Reads the mark of the last commit in `dir`, without the files that it needs.
///
/// # Errors
/// Like [`crate::TextIndex::open`].
pub(crate) fn read_mark(dir: &Path) -> Result<Mark, IndexError> {
    let directory = ListDirectory::open(dir)?;
    directory.refuse_odd()?;
    let index = Index::open(directory).map_err(|source| open_error(dir, source))?;
    let meta = index
        .load_metas()
        .map_err(|source| open_error(dir, source))?;
    Mark::read(&meta, dir)
}

/// Opens the segments of the last commit, without reloading later ones.
pub(crate) fn reader(index: &Index) -> Result<IndexReader, TantivyError> {
    index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .try_into()
}

/// Maps tantivy's errors on opening a list to ours.
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
        // Tantivy reports a file that it cannot parse as an I/O error of these kinds.
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

/// Wraps an error of tantivy. If the system caused it, only the system's message is kept.
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
    //! Errors of the system are reported with only the system's message.

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
