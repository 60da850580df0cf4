//! The model that embeds questions: an instance of its own, so that a question never waits for the one that indexes.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use memlens_embed::{EmbedError, Embedder};
use parking_lot::{Mutex, RwLock};

/// Loads the model.
pub type LoadEmbedder = Box<dyn Fn() -> Result<Box<dyn Embedder>, EmbedError> + Send + Sync>;

/// How many vectors of questions are kept: 20,000 take 40 MB.
const KNOWN_MOST: usize = 20_000;

/// The model for questions, loaded with the first one.
pub struct QueryEmbedder {
    load: LoadEmbedder,
    /// None before the first question, and while it cannot be loaded.
    embedder: Mutex<Option<Box<dyn Embedder>>>,
    known: RwLock<KnownVectors>,
}

/// Vectors of questions that need no model.
#[derive(Default)]
struct KnownVectors {
    model: String,
    of_question: HashMap<String, Option<Vec<f32>>>,
}

impl QueryEmbedder {
    /// An embedder that `load` loads; after a failure it is tried again with the next question.
    pub fn new(load: LoadEmbedder) -> QueryEmbedder {
        QueryEmbedder {
            load,
            embedder: Mutex::new(None),
            known: RwLock::default(),
        }
    }

    /// Keeps vectors of questions by a model, none where it cannot read one, beside those of the same model; in their place where
    /// they would become too many.
    pub fn keep(&self, model: String, of_question: HashMap<String, Option<Vec<f32>>>) {
        let mut known = self.known.write();
        if known.model == model && known.of_question.len() + of_question.len() <= KNOWN_MOST {
            known.of_question.extend(of_question);
        } else {
            *known = KnownVectors { model, of_question };
        }
    }

    /// Lets go of every vector of a question.
    pub fn forget(&self) {
        *self.known.write() = KnownVectors::default();
    }

    /// Whether a question needs no model.
    pub fn knows(&self, question: &str) -> bool {
        self.known.read().of_question.contains_key(question)
    }

    /// The model's id and the question's vector; none where the model cannot read it.
    ///
    /// # Errors
    /// [`EmbedError`] where there is no model.
    pub fn embed(&self, question: &str) -> Result<(String, Option<Vec<f32>>), EmbedError> {
        {
            let known = self.known.read();
            if let Some(vector) = known.of_question.get(question) {
                return Ok((known.model.clone(), vector.clone()));
            }
        }
        let mut embedder = self.embedder.lock();
        if embedder.is_none() {
            *embedder = Some((self.load)()?);
        }
        let embedder = embedder.as_mut().expect("it was just put there");
        // Without a word for the other list, noise is better than nothing: it finds the same signs.
        let vector = if embedder.reads(question) || memlens_index::words(question).is_empty() {
            embedder.embed(&[question], &AtomicBool::new(false))?.pop()
        } else {
            None
        };
        Ok((embedder.info().id.clone(), vector))
    }
}
