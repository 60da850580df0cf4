//! The two lists that a search starts from: chunks by their words, and embeddings by their vectors.
//!
//! Both are derived from the library's store and can be rebuilt from it at any time. Each stores the generation of the
//! library that it was built from. A list that is torn, stale, of another format or of another model is reported
//! ([`IndexError::needs_rebuild`]) and never used. A list has one writer and any number of readers, in this process and
//! in others; a reader sees one committed state as long as it lives.
//!
//! - Text: [`TextWriter`] adds chunks, and [`TextIndex`] scores every chunk that holds a word of a query by BM25.
//!   [`TextScores`] are the scores of all chunks, of which the best are taken. [`words()`] is the only analysis: for
//!   chunks, for queries and, by [`places`], for highlighting matches.
//! - Vectors: [`VectorWriter`] appends embeddings. [`VectorFile`] compares a query with all of them, exactly, or
//!   computes bounds of the products from their codes.
//!
//! This crate knows ids, texts and vectors. It does not know documents, where vectors come from or how lists are
//! combined into a ranking. It is the only crate that uses tantivy.
//!
//! ```
//! use memlens_index::{Join, TextEntry, TextIndex, TextWriter, VectorFile, VectorWriter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//!
//! let text = folder.path().join("text");
//! let mut writer = TextWriter::create(&text)?;
//! let notes = ["Quiet hours of the relay start at ten.", "The relay hums."];
//! for (chunk, text) in (0..).zip(notes) {
//!     writer.add(&TextEntry { chunk, document: chunk, text, title: "home-server" })?;
//! }
//! writer.commit(1)?;
//!
//! let index = TextIndex::open(&text)?;
//! index.check(1)?;
//! let found = index.search("When are the relay's quiet hours?", Join::Or)?;
//! assert_eq!(found.words.len(), 7);
//! assert!(found.hits[0].score > found.hits[1].score);
//! assert!(found.hits[0].score < found.ideal);
//!
//! let vectors = folder.path().join("vectors");
//! let mut writer = VectorWriter::create(&vectors, "some-model", 2)?;
//! writer.append(40, &[1.0, 0.0])?;
//! writer.append(41, &[0.6, 0.8])?;
//! writer.commit(1)?;
//!
//! let file = VectorFile::open(&vectors)?;
//! file.check("some-model", 2, 1)?;
//! assert_eq!(file.dots(&[1.0, 0.0])?, [1.0, 0.6]);
//! assert_eq!(file.row_of(41), Some(1));
//! # Ok(())
//! # }
//! ```

mod bounds;
mod code_file;
mod codes;
mod error;
mod heads;
mod held;
mod id_table;
mod looks;
mod paths;
mod private;
mod question;
mod side_by_side;
mod terms;
mod text_files;
mod text_index;
mod text_list;
mod text_scores;
mod text_segment;
mod text_writer;
mod vector_file;
mod vector_list;
mod vector_writer;
mod words;

pub use bounds::Bounds;
pub use error::IndexError;
pub use heads::Heads;
pub use id_table::IdTable;
pub use memlens_files::n_faults;
pub use paths::{text_path, vector_folder, vector_path};
pub use question::{PARTS_MAX, WordKind};
pub use side_by_side::{part_len, side_by_side};
pub use text_index::{
    Forms, How, Join, Match, NameShare, PREFIXED_WORDS_MAX, QueryWord, TextHit, TextHits,
    TextIndex, marks,
};
pub use text_scores::TextScores;
pub use text_writer::{TextEntry, TextWriter};
pub use vector_file::VectorFile;
pub use vector_writer::VectorWriter;
pub use words::{STOP_WORD_WEIGHT, STOP_WORDS, Word, is_stop_word, places, words};
