//! Text to vectors, on the user's own machine.
//!
//! [`Embedder`] returns a vector for a text or, as [`TokenVectors`], for each of its tokens. [`Bundled`] is the model
//! that comes with the program, all-MiniLM-L6-v2 in 8 bits, and [`Multilingual`] the one for other languages than English
//! that can be fetched, both run by ONNX Runtime. [`Static`] is a small model without it. A [`CosineScale`] makes their cosines comparable. [`Locations`] finds that library;
//! [`load_runtime`] loads the library alone, for models that other code runs. [`Hashing`] needs neither model nor
//! library and is meant for tests. [`forbid_telemetry`] keeps the library from reporting its use; without it no library
//! is loaded. An [`EmbedderSource`], such as [`bundled()`], creates an embedder for a query or for indexing.
//! [`lower_priority`] and [`indexing_threads`] keep indexing from slowing down other work.
//!
//! This crate does not know what a text is part of, where vectors are stored or what they are compared with. Only this
//! crate and the reranking crate use fastembed. It never uses the network.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use memlens_embed::{Embedder, Hashing};
//!
//! # fn main() -> Result<(), memlens_embed::EmbedError> {
//! // With the real model: Bundled::load(&Locations::find(&[])?, indexing_threads())?
//! let mut embedder: Box<dyn Embedder> = Box::new(Hashing::default());
//! let texts = ["quiet hours of the relay", "When are the relay's quiet hours?", "stock for the soup"];
//! let vectors = embedder.embed(&texts, &AtomicBool::new(false))?;
//! let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
//! assert!(cosine(&vectors[0], &vectors[1]) > cosine(&vectors[0], &vectors[2]));
//! assert_eq!(embedder.count_tokens(texts[0]), 5);
//! # Ok(())
//! # }
//! ```

mod bundled;
mod embedder;
mod error;
mod folder;
mod hashing;
mod hub;
mod language;
mod locations;
mod model;
mod model_files;
mod multilingual;
mod politeness;
mod runtime;
mod scale;
mod slices;
mod source;
mod static_model;
mod telemetry;
mod token_vectors;
mod unigram;

pub use bundled::{Bundled, sums_exactly};
pub use embedder::{Embedder, ModelInfo};
pub use error::EmbedError;
pub use folder::{FolderModel, ModelFolder};
pub use hashing::Hashing;
pub use hub::{HUB_MODELS, HubModel};
pub use language::{Language, is_foreign, language_name};
pub use locations::Locations;
pub use model::{Model, is_english_model, is_multilingual_model};
pub use multilingual::Multilingual;
pub use politeness::{indexing_threads, lower_priority};
pub use runtime::load_runtime;
pub use scale::CosineScale;
pub use source::{
    EmbedderSource, Purpose, bundled, locations, locations_of, source, source_of_folder,
};
pub use static_model::Static;
pub use telemetry::forbid_telemetry;
pub use token_vectors::TokenVectors;
