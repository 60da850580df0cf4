//! A question and texts to scores, by whatever reads both together.
//!
//! [`Reranker`] is what the program asks for. Scores come back in the order of the texts, as reported, with the name of
//! their [`Scale`]; a call gives a score for every text or fails as a whole, within its [`Limits`].
//!
//! - [`Late`] compares each word of the question with each word of a text by the embedding model that is there anyway;
//!   it keeps what it read in a [`TokenCache`] and tells which words answered which ([`Answer`]).
//! - [`CrossEncoder`] runs a model of a folder on this machine. [`MODELS`] can be had by name; a download begins when a
//!   person asks for it.
//! - [`http::Http`] asks a provider's service or a server, with a key from [`keys`].
//! - [`hook`] runs a command of the person's own over results.
//! - [`choice`] is what a person chose of these, checked, and what there is to choose from; [`Downloads`] fetches a model
//!   in the background.
//! - [`Background`] has a reranker loaded and asked on a thread of its own, so that no call takes longer than its limits.
//!
//! This crate does not know what a text is a part of, how scores are blended with other scores or where they are kept.
//! It is the only one that reaches the network.
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
mod models;
mod reranker;
mod runtime;
mod sum;
mod token_table;
mod windows;

pub use answers::Answer;
pub use background::Background;
pub use cross::CrossEncoder;
pub use downloads::{DownloadProgress, Downloads, Tell};
pub use error::RerankError;
pub use late::{Late, TokenCache};
pub use models::{MODELS, Model};
pub use reranker::{Limits, Reranker, RerankerInfo, Scale, Scores};
pub use token_table::TokenTable;
/// Stops a call that is under way.
pub use tokio_util::sync::CancellationToken;
