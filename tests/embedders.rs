//! Embedders without a model, and records of what they embedded.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memlens_embed::{EmbedError, Embedder, Hashing, ModelInfo, TokenVectors};
use memlens_engine::EmbedderSource;
use memlens_faults::{Place, inject};
use parking_lot::Mutex;

/// Returns a source of the hashing embedder.
pub fn hashing() -> EmbedderSource {
    Arc::new(|_| Ok(Box::new(Hashing::default())))
}

/// Returns a source of the hashing embedder whose embedders meet the faults armed for this folder at
/// [`Place::Embedder`].
pub fn faulty(dir: &Path) -> EmbedderSource {
    let dir = dir.to_owned();
    Arc::new(move |_| {
        Ok(Box::new(Faulty {
            inner: Hashing::default(),
            dir: dir.clone(),
        }))
    })
}

/// Embeds as [`Hashing`] does unless a fault is armed.
struct Faulty {
    inner: Hashing,
    dir: PathBuf,
}

impl Embedder for Faulty {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        for text in texts {
            inject(Place::Embedder, &self.dir, text).map_err(|fault| EmbedError::Embed {
                why: fault.to_string(),
            })?;
        }
        self.inner.embed(texts, cancel)
    }

    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        self.inner.token_vectors(text)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.inner.count_tokens(text)
    }

    fn reads(&self, text: &str) -> bool {
        self.inner.reads(text)
    }
}

/// Returns a source that fails to give an embedder.
pub fn failing() -> EmbedderSource {
    Arc::new(|_| {
        Err(EmbedError::NotFound {
            what: "the embedding model",
            looked: vec!["nowhere".into()],
        })
    })
}

/// Returns a source whose embedders all record in `asked`.
pub fn recording(asked: &Arc<Asked>) -> EmbedderSource {
    let asked = asked.clone();
    Arc::new(move |_| Ok(Box::new(Recording::new(&asked))))
}

/// What embedders were asked, and when they are interrupted.
#[derive(Default)]
pub struct Asked {
    texts: Mutex<Vec<String>>,
    /// The number of texts after which the flag is set, once; `None` if never.
    interrupt: Mutex<Option<(usize, Arc<AtomicBool>)>>,
    /// The number of texts after which one call fails, once; 0 if never.
    refuse: AtomicUsize,
    n_counted: AtomicUsize,
    /// The number of texts with counted tokens after which the flag is set.
    interrupt_counting: Mutex<Option<(usize, Arc<AtomicBool>)>>,
}

impl Asked {
    /// Returns every text that got a vector so far, in order.
    pub fn texts(&self) -> Vec<String> {
        self.texts.lock().clone()
    }

    /// Sets `flag` as soon as `n_texts` more texts have got a vector.
    pub fn interrupt_after(&self, n_texts: usize, flag: &Arc<AtomicBool>) {
        let at = self.texts().len() + n_texts;
        let mut interrupt = self.interrupt.lock();
        *interrupt = Some((at, flag.clone()));
    }

    /// Returns the number of texts whose tokens were counted.
    pub fn n_counted(&self) -> usize {
        self.n_counted.load(Ordering::Relaxed)
    }

    /// Sets `flag` as soon as the tokens of `n_texts` texts have been counted.
    pub fn interrupt_after_counting(&self, n_texts: usize, flag: &Arc<AtomicBool>) {
        let mut interrupt = self.interrupt_counting.lock();
        *interrupt = Some((n_texts, flag.clone()));
    }

    fn note_count(&self) {
        let n_counted = self.n_counted.fetch_add(1, Ordering::Relaxed) + 1;
        let mut interrupt = self.interrupt_counting.lock();
        if let Some((_, flag)) = interrupt.take_if(|(at, _)| *at <= n_counted) {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Makes one call fail as soon as `n_texts` texts have got a vector.
    pub fn refuse(&self, n_texts: usize) {
        self.refuse.store(n_texts, Ordering::Relaxed);
    }

    fn is_refused(&self) -> bool {
        let at = self.refuse.load(Ordering::Relaxed);
        at > 0 && self.texts().len() >= at && self.refuse.swap(0, Ordering::Relaxed) > 0
    }

    fn note(&self, texts: &[&str]) {
        let n_texts = {
            let mut noted = self.texts.lock();
            noted.extend(texts.iter().map(|text| (*text).to_owned()));
            noted.len()
        };
        let mut interrupt = self.interrupt.lock();
        if let Some((_, flag)) = interrupt.take_if(|(at, _)| *at <= n_texts) {
            flag.store(true, Ordering::Relaxed);
        }
    }
}

/// Embeds as [`Hashing`] does and records every text that got a vector.
pub struct Recording {
    inner: Hashing,
    asked: Arc<Asked>,
    /// Number of tokens that each text has beside its words.
    n_more: u32,
}

impl Recording {
    /// Makes an embedder that records in `asked`.
    pub fn new(asked: &Arc<Asked>) -> Recording {
        Recording {
            inner: Hashing::default(),
            asked: asked.clone(),
            n_more: 0,
        }
    }

    /// Makes one with vectors of `dim` values, which counts other tokens than one of another dimension.
    pub fn of_dim(dim: usize, asked: &Arc<Asked>) -> Recording {
        Recording {
            inner: Hashing::new(dim),
            asked: asked.clone(),
            n_more: u32::try_from(dim).expect("it is small"),
        }
    }
}

impl Embedder for Recording {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.asked.is_refused() {
            return Err(EmbedError::Embed {
                why: "refused for a test".to_owned(),
            });
        }
        let vectors = self.inner.embed(texts, cancel)?;
        self.asked.note(texts);
        Ok(vectors)
    }

    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        self.inner.token_vectors(text)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.asked.note_count();
        self.inner.count_tokens(text) + self.n_more
    }

    fn reads(&self, text: &str) -> bool {
        self.inner.reads(text)
    }
}

/// Another model of the same dimension, whose vectors are unrelated to those of [`Hashing`].
pub struct Other {
    inner: Hashing,
    info: ModelInfo,
}

impl Default for Other {
    fn default() -> Other {
        let inner = Hashing::default();
        let id = format!("other-{}", inner.info().dim);
        let info = ModelInfo {
            name: id.clone(),
            id,
            ..inner.info().clone()
        };
        Other { inner, info }
    }
}

impl Embedder for Other {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = self.inner.embed(texts, cancel)?;
        vectors.iter_mut().for_each(|vector| vector.reverse());
        Ok(vectors)
    }

    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        self.inner.token_vectors(text)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.inner.count_tokens(text)
    }

    fn reads(&self, text: &str) -> bool {
        self.inner.reads(text)
    }
}
