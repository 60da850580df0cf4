//! A question and texts to scores, by whatever reads both together.
//!
//! [`Reranker`] is what the program asks for. Scores come back in the order of the texts, as reported, with the name of
//! their [`Scale`]; a call gives a score for every text or fails as a whole.
//!
//! This crate does not know what a text is a part of, how scores are blended with other scores or where they are kept.

mod answers;
mod cross;
mod download;
mod error;
pub mod hook;
pub mod http;
pub mod keys;
mod late;
mod models;
mod reranker;
mod token_table;
mod windows;

pub use answers::Answer;
pub use cross::CrossEncoder;
pub use error::RerankError;
pub use late::{Late, TokenCache};
pub use models::{MODELS, Model};
pub use reranker::{Limits, Reranker, RerankerInfo, Scale, Scores};
pub use token_table::TokenTable;
/// Stops a call that is under way.
pub use tokio_util::sync::CancellationToken;
