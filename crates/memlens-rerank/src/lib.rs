//! Scores texts for a question with models that read both together.
//!
//! [`Reranker`] is the interface. Scores are in the order of the texts, as reported, with the name of their [`Scale`].
//! A call returns within its [`Limits`], or fails as a whole.
//!
//! - [`Late`] compares each word of the question with each word of a text, using the embedding model. It stores what it
//!   read in a [`TokenCache`] and reports which words answered which ([`Answer`]).
//! - [`CrossEncoder`] runs a local model from a folder. [`MODELS`] can be downloaded by name when the user asks for it.
//! - [`NliModel`] is no reranker: it judges whether two sentences contradict each other. It is here because it is loaded from a
//!   folder as a cross-encoder is.
//! - [`http::Http`] calls a provider's service or a server, with a key from [`keys`].
//! - [`hook`] runs the user's own command on results.
//! - [`choice`] holds the user's choice of these, checked, and what is on offer; [`Downloads`] downloads a model in the
//!   background.
//! - [`Background`] loads and calls a reranker in its own thread, so that no call takes longer than its limits.
//!
//! This crate does not know what a text is part of, how scores are blended with other scores or where they are stored.
//! It is the only crate that uses the network.
//!
//! ```
//! use std::collections::HashMap;
//! use std::time::{Duration, Instant};
//!
//! use memlens_embed::Hashing;
//! use memlens_rerank::{CancellationToken, Late, Limits, Reranker, TokenCache, TokenTable};
//!
//! #[derive(Default)]
//! struct Memory(HashMap<String, TokenTable>);
//!
//! impl TokenCache for Memory {
//!     fn get(&mut self, _model: &str, text: &str) -> Option<TokenTable> {
//!         self.0.get(text).cloned()
//!     }
//!     fn put(&mut self, _model: &str, text: &str, table: &TokenTable) {
//!         self.0.insert(text.to_owned(), table.clone());
//!     }
//! }
//!
//! # fn main() -> Result<(), memlens_rerank::RerankError> {
//! // With the real model: Box::new(Bundled::load(&Locations::find(&[])?, 1)?)
//! let mut late = Late::new(vec![Box::new(Hashing::default())], Memory::default());
//! let limits = Limits {
//!     deadline: Instant::now() + Duration::from_secs(10),
//!     cancel: CancellationToken::new(),
//! };
//! let texts = ["quiet hours of the relay", "stock for the soup"];
//! let scores = late.score("the relay's hours", &texts, &limits)?.scores;
//! assert!(scores[0] > scores[1]);
//! # Ok(())
//! # }
//! ```

mod answers;
mod background;
pub mod choice;
mod cross;
mod download;
mod downloads;
mod error;
pub mod hook;
pub mod http;
pub mod keys;
mod late;
mod model_folder;
mod models;
mod nli;
mod reranker;
mod runtime;
mod sum;
mod token_table;
mod windows;

pub use answers::Answer;
pub use background::Background;
pub use cross::CrossEncoder;
pub use download::{download_embedding, downloads_are_off, hub_host};
pub use downloads::{DownloadListener, DownloadProgress, Downloads};
pub use error::RerankError;
pub use late::{Late, TokenCache};
pub use models::{MODELS, Model};
pub use nli::{Judged, NliModel};
pub use reranker::{Limits, Reranker, RerankerInfo, Scale, Scores};
pub use token_table::TokenTable;
/// Cancels a running call of a reranker.
pub use tokio_util::sync::CancellationToken;
