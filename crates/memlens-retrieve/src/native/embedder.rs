//! The model that embeds questions. It is a separate instance, so that a question never waits for indexing.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicBool;

use memlens_embed::{EmbedError, Embedder};
use parking_lot::{Mutex, RwLock};

/// A function that loads the model.
pub type LoadEmbedder = Box<dyn Fn() -> Result<Box<dyn Embedder>, EmbedError> + Send + Sync>;

/// Maximum number of cached question vectors: 20,000 take 40 MB.
const KNOWN_MOST: usize = 20_000;

/// The model for questions, loaded on first use.
pub struct QueryEmbedder {
    load: LoadEmbedder,
    /// `None` before the first question, and while the model cannot be loaded.
    embedder: Mutex<Option<Box<dyn Embedder>>>,
    known: RwLock<KnownVectors>,
    /// The last questions that the model embedded, the newest last.
    last: Mutex<VecDeque<LastAsked>>,
}

/// Number of recent questions that can be asked again without the model. Must be more than are prefetched, and more than
/// a question has parts.
const LAST_KEPT: usize = 64;

/// A question that the model embedded.
struct LastAsked {
    question: String,
    model: String,
    /// `None` if the model cannot read the question.
    vector: Option<Vec<f32>>,
}

/// A question of which the model reads only the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadInPart {
    /// Number of tokens that are read, without the two that mark the ends.
    pub n_read: usize,
    /// Number of tokens in the question.
    pub n_tokens: usize,
}

/// Number of tokens that mark the beginning and the end of a text.
const MARKS: usize = 2;

/// Vectors of questions that need no model.
#[derive(Default)]
struct KnownVectors {
    model: String,
    of_question: HashMap<String, Option<Vec<f32>>>,
}

impl QueryEmbedder {
    /// Returns an embedder that calls `load` on first use. If that fails, the next question tries again.
    pub fn new(load: LoadEmbedder) -> QueryEmbedder {
        QueryEmbedder {
            load,
            embedder: Mutex::new(None),
            known: RwLock::default(),
            last: Mutex::default(),
        }
    }

    /// Caches vectors of questions by a model; `None` for a question that it cannot read. They are added to those of
    /// the same model. They replace all others if the model differs or there would be too many.
    pub fn keep(&self, model: String, of_question: HashMap<String, Option<Vec<f32>>>) {
        let mut known = self.known.write();
        if known.model == model && known.of_question.len() + of_question.len() <= KNOWN_MOST {
            known.of_question.extend(of_question);
        } else {
            *known = KnownVectors { model, of_question };
        }
    }

    /// Drops every cached vector, including one that is being computed.
    pub fn forget(&self) {
        let _embedder = self.embedder.lock();
        *self.known.write() = KnownVectors::default();
        self.last.lock().clear();
    }

    /// Drops the model and every vector of it. The next question loads the model that the library has then.
    pub fn unload(&self) {
        *self.embedder.lock() = None;
        self.forget();
    }

    /// Returns whether a question needs no model.
    pub fn knows(&self, question: &str) -> bool {
        self.known.read().of_question.contains_key(question)
    }

    /// Loads the model, so that the first question does not wait for it.
    ///
    /// # Errors
    /// [`EmbedError`] if the model cannot be loaded.
    pub fn load(&self) -> Result<(), EmbedError> {
        let mut embedder = self.embedder.lock();
        if embedder.is_none() {
            *embedder = Some((self.load)()?);
        }
        Ok(())
    }

    /// Returns the model's id and the question's vector; `None` if the model cannot read the question.
    ///
    /// # Errors
    /// [`EmbedError`] if the model cannot be loaded or run.
    pub fn embed(&self, question: &str) -> Result<(String, Option<Vec<f32>>), EmbedError> {
        if let Some(known) = self.known(question) {
            return Ok(known);
        }
        let mut embedder = self.embedder.lock();
        if embedder.is_none() {
            *embedder = Some((self.load)()?);
        }
        let embedder = embedder.as_mut().expect("it was just put there");
        // If the other list has no word either, a noisy vector is better than nothing: it finds the same signs.
        let vector = if embedder.reads(question) || memlens_index::words(question).is_empty() {
            let never = AtomicBool::new(false);
            embedder.embed_questions(&[question], &never)?.pop()
        } else {
            None
        };
        let model = embedder.info().id.clone();
        let mut last = self.last.lock();
        if last.len() == LAST_KEPT {
            last.pop_front();
        }
        last.push_back(LastAsked {
            question: question.to_owned(),
            model: model.clone(),
            vector: vector.clone(),
        });
        Ok((model, vector))
    }

    /// Returns the model's id and the question's vector if no model is needed for it.
    fn known(&self, question: &str) -> Option<(String, Option<Vec<f32>>)> {
        let known = self.known.read();
        if let Some(vector) = known.of_question.get(question) {
            return Some((known.model.clone(), vector.clone()));
        }
        let last = self.last.lock();
        let last = last.iter().find(|last| last.question == question)?;
        Some((last.model.clone(), last.vector.clone()))
    }

    /// Returns whether the model reads a question to its end; `true` while no model is loaded.
    pub fn fits(&self, question: &str) -> bool {
        self.reads_in_part(question).is_none()
    }

    /// Returns how much of a question the model reads; `None` if it reads all of it, and while no model is loaded.
    pub fn reads_in_part(&self, question: &str) -> Option<ReadInPart> {
        let embedder = self.embedder.lock();
        let embedder = embedder.as_ref()?;
        let n_read = embedder.info().max_tokens.saturating_sub(MARKS);
        // A token has at least one byte, so most questions need no count.
        if question.len() <= n_read {
            return None;
        }
        let n_tokens = embedder.count_tokens(question) as usize;
        (n_tokens > n_read).then_some(ReadInPart { n_read, n_tokens })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use memlens_embed::{Hashing, ModelInfo, TokenVectors};

    use super::*;

    /// Reads the first 10 tokens of a text, two of which mark its ends.
    struct Short(Hashing, ModelInfo);

    impl Embedder for Short {
        fn info(&self) -> &ModelInfo {
            &self.1
        }

        fn embed(
            &mut self,
            texts: &[&str],
            cancel: &AtomicBool,
        ) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.0.embed(texts, cancel)
        }

        fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
            self.0.token_vectors(text)
        }

        fn count_tokens(&self, text: &str) -> u32 {
            self.0.count_tokens(text)
        }

        fn reads(&self, text: &str) -> bool {
            self.0.reads(text)
        }
    }

    #[test]
    fn a_question_longer_than_the_model_reads_is_reported_by_its_tokens() {
        let embedder = QueryEmbedder::new(Box::new(|| {
            let words = Hashing::new(8);
            let info = ModelInfo {
                max_tokens: 10,
                ..words.info().clone()
            };
            Ok(Box::new(Short(words, info)))
        }));
        let nine = "one two three four five six seven eight nine";
        assert_eq!(embedder.reads_in_part(nine), None, "no model is loaded yet");
        embedder.embed("one").expect("it can be embedded");
        let read = ReadInPart {
            n_read: 8,
            n_tokens: 9,
        };
        assert_eq!(embedder.reads_in_part(nine), Some(read));
        let eight = "one two three four five six seven eight";
        assert_eq!(embedder.reads_in_part(eight), None);
        assert_eq!(embedder.reads_in_part("a b c"), None);
    }

    #[test]
    fn an_unloaded_model_is_replaced_by_the_one_that_is_loaded_next() {
        let n_loaded = AtomicUsize::new(0);
        let embedder = QueryEmbedder::new(Box::new(move || {
            let dim = 8 + n_loaded.fetch_add(1, Ordering::Relaxed);
            Ok(Box::new(Hashing::new(dim)))
        }));
        let model = || embedder.embed("where").expect("it can be embedded").0;
        assert_eq!(model(), "hashing-8");
        assert_eq!(model(), "hashing-8");
        embedder.unload();
        assert_eq!(model(), "hashing-9");
    }

    #[test]
    fn a_question_that_was_just_asked_needs_no_model_until_it_is_forgotten() {
        let n_loaded = Arc::new(AtomicUsize::new(0));
        let loads = n_loaded.clone();
        let embedder = QueryEmbedder::new(Box::new(move || {
            // Fails for the second load, so that each question that reaches the model is visible.
            match loads.fetch_add(1, Ordering::Relaxed) {
                0 => Ok(Box::new(Hashing::new(8))),
                _ => Err(EmbedError::NotFound {
                    what: "the embedding model",
                    looked: Vec::new(),
                }),
            }
        }));
        let ask = |number: usize| embedder.embed(&format!("question {number}"));
        let first = ask(0).expect("it can be embedded");
        *embedder.embedder.lock() = None;
        assert_eq!(ask(0).expect("it is known"), first);
        assert!(
            !embedder.knows("question 0"),
            "it is none of those that were given"
        );
        ask(1).expect_err("there is no model any more");
        embedder.forget();
        ask(0).expect_err("it was forgotten");
        *embedder.embedder.lock() = Some(Box::new(Hashing::new(8)));
        for number in 0..=LAST_KEPT {
            ask(number).expect("it can be embedded");
        }
        *embedder.embedder.lock() = None;
        ask(0).expect_err("others were asked since");
        assert_ne!(ask(1).expect("it is known"), first);
    }
}
