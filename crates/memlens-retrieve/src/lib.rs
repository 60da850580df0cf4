//! Retrieval: what a question finds, frozen as facts that ranking uses and a person reads.
//!
//! A [`Retriever`] answers a [`Question`] with what it [`Retrieved`]: a candidate set, and for each candidate the facts of
//! its row, owned, so that whoever keeps them reads no library any more. [`NativeRetriever`] is that of Memlens's own
//! library. Another program's memory is another implementation: `tests/tiny.rs` is a small one.

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
    BlockRows, DEPTH_MAX, FolderCounts, Lists, LoadEmbedder, NativeRetriever, QueryEmbedder, Rows,
    StoreReader, VectorScores, VectorValue, folder_around,
};
pub use retrieved::{Dated, NoteFacts, Retrieved, RowFacts, TextId};
pub use retriever::{NoteChunk, Part, Question, Retriever, Within};
pub use scope::Scope;
