//! Retrieval: finds the candidates of a question, and freezes the facts that ranking uses and users read.
//!
//! A [`Retriever`] answers a [`Question`] with a [`Retrieved`]: a candidate set, and the facts of each candidate's row.
//! The result owns its data, so that a cached one needs no access to the library. [`NativeRetriever`] searches
//! Memlens's own library. Another program's memory is another implementation; `tests/tiny.rs` is a small one.

mod error;
mod native;
mod retrieved;
mod retriever;
mod scope;

pub use error::RetrieveError;
/// A word of a question as it was looked up.
pub use memlens_index::QueryWord;
pub use memlens_store::NoText;
pub use native::{
    BlockRows, DEPTH_MAX, FOREIGN_REMARK, FolderCounts, Lists, LoadEmbedder, NativeRetriever,
    QueryEmbedder, Rows, StoreReader, VectorScores, VectorValue, folder_around,
};
pub use retrieved::{Dated, NoteFacts, Retrieved, RowFacts, TextId};
pub use retriever::{NoteChunk, Part, Question, Retriever, Within};
pub use scope::Scope;
