//! An embedder that works for its first texts, and then no more: its memory is that of the model at work, its time is not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use memlens_embed::{EmbedError, Embedder, ModelInfo, TokenVectors};

use crate::stand_in::StandIn;

/// How many texts are truly embedded. Of a chunk's length, a few batches of them bring the model's memory to its height.
pub const N_REAL_TEXTS: usize = 256;

/// The time that the model took, in nanoseconds.
#[derive(Clone, Default)]
pub struct ModelTime(Arc<AtomicU64>);

impl ModelTime {
    pub fn get(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

/// Embeds the first texts with the model, and all others with a stand-in for it.
pub struct Mixed {
    real: Box<dyn Embedder>,
    stand_in: Box<dyn Embedder>,
    n_real_left: usize,
    time: ModelTime,
}

impl Mixed {
    pub fn boxed(real: Box<dyn Embedder>, time: ModelTime) -> Box<dyn Embedder> {
        Box::new(Mixed {
            stand_in: StandIn::boxed(real.info()),
            real,
            n_real_left: N_REAL_TEXTS,
            time,
        })
    }
}

impl Embedder for Mixed {
    fn info(&self) -> &ModelInfo {
        self.real.info()
    }

    fn embed(&mut self, texts: &[&str], stop: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.n_real_left == 0 {
            return self.stand_in.embed(texts, stop);
        }
        self.n_real_left = self.n_real_left.saturating_sub(texts.len());
        let started = Instant::now();
        let vectors = self.real.embed(texts, stop);
        let nanos = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.time.0.fetch_add(nanos, Ordering::Relaxed);
        vectors
    }

    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        self.real.token_vectors(text)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.real.count_tokens(text)
    }

    fn wake(&mut self) -> Result<(), EmbedError> {
        self.real.wake()
    }

    fn reads(&self, text: &str) -> bool {
        self.real.reads(text)
    }
}
