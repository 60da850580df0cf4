//! Embedders without a model, and what they were asked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use memlens_embed::{EmbedError, Embedder, Hashing, ModelInfo};
use memlens_engine::EmbedderSource;

/// Returns a source of the hashing embedder.
pub fn hashing() -> EmbedderSource {
    Arc::new(|_| Ok(Box::new(Hashing::default())))
}

/// Returns a source that has no embedder to give.
pub fn failing() -> EmbedderSource {
    Arc::new(|_| {
        Err(EmbedError::NotFound {
            what: "the embedding model",
            looked: vec!["nowhere".into()],
        })
    })
}

/// Returns a source whose embedders all write down what they are asked.
pub fn recording(asked: &Arc<Asked>) -> EmbedderSource {
    let asked = asked.clone();
    Arc::new(move |_| Ok(Box::new(Recording::new(&asked))))
}

/// Is what embedders were asked, and when they are to be interrupted.
#[derive(Default)]
pub struct Asked {
    texts: Mutex<Vec<String>>,
    /// After so many texts the flag is set, once; none for never.
    interrupt: Mutex<Option<(usize, Arc<AtomicBool>)>>,
}

impl Asked {
    /// Returns every text that has got a vector so far, in order.
    pub fn texts(&self) -> Vec<String> {
        self.texts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Sets `flag` as soon as `n_texts` more texts have got a vector.
    pub fn interrupt_after(&self, n_texts: usize, flag: &Arc<AtomicBool>) {
        let at = self.texts().len() + n_texts;
        let mut interrupt = self
            .interrupt
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *interrupt = Some((at, flag.clone()));
    }

    fn note(&self, texts: &[&str]) {
        let n_texts = {
            let mut noted = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
            noted.extend(texts.iter().map(|text| (*text).to_owned()));
            noted.len()
        };
        let mut interrupt = self
            .interrupt
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((_, flag)) = interrupt.take_if(|(at, _)| *at <= n_texts) {
            flag.store(true, Ordering::Relaxed);
        }
    }
}

/// Embeds as [`Hashing`] does and writes down every text that got a vector.
pub struct Recording {
    inner: Hashing,
    asked: Arc<Asked>,
}

impl Recording {
    /// Makes an embedder that writes to `asked`.
    pub fn new(asked: &Arc<Asked>) -> Recording {
        Recording {
            inner: Hashing::default(),
            asked: asked.clone(),
        }
    }
}

impl Embedder for Recording {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vectors = self.inner.embed(texts, cancel)?;
        self.asked.note(texts);
        Ok(vectors)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.inner.count_tokens(text)
    }
}
