//! What every reranker offers, whatever makes its scores.

use std::time::Instant;

use tokio::time::timeout_at;
use tokio_util::sync::CancellationToken;

use crate::{RerankError, runtime};

/// Names what a reranker's scores mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// In `[0, 1]`.
    Unit,
    /// Any finite number; the logistic function makes it a share.
    Logit,
    /// The mean over the question's tokens of each one's best cosine in the text, in `[-1, 1]`.
    MaxSim,
}

impl Scale {
    /// The scale's name in files and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Scale::Unit => "unit",
            Scale::Logit => "logit",
            Scale::MaxSim => "max_sim",
        }
    }

    /// The scale of this name; none for any other word.
    pub fn from_word(word: &str) -> Option<Scale> {
        [Scale::Unit, Scale::Logit, Scale::MaxSim]
            .into_iter()
            .find(|scale| scale.as_str() == word)
    }
}

/// A reranker as the rest of the program knows it. Two that could differ in any score differ here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RerankerInfo {
    /// What kind it is: `late`, `model`, or the HTTP provider's kind.
    pub provider: String,
    /// The model's id; where a provider has one model alone, its address.
    pub model: String,
}

/// Bounds one call.
#[derive(Debug, Clone)]
pub struct Limits {
    /// When the call is given up.
    pub deadline: Instant,
    /// Gives it up at once.
    pub cancel: CancellationToken,
}

impl Limits {
    /// Says whether to go on.
    ///
    /// # Errors
    /// [`RerankError::Cancelled`] or [`RerankError::Timeout`], as soon as either is due.
    pub(crate) fn check(&self) -> Result<(), RerankError> {
        if self.cancel.is_cancelled() {
            Err(RerankError::Cancelled)
        } else if Instant::now() >= self.deadline {
            Err(RerankError::Timeout)
        } else {
            Ok(())
        }
    }

    /// Does `work`, and drops it as soon as the call is given up.
    ///
    /// # Errors
    /// As [`Limits::check`].
    pub(crate) async fn bound<T>(&self, work: impl Future<Output = T>) -> Result<T, RerankError> {
        let in_time = timeout_at(self.deadline.into(), work);
        let ended = self.cancel.run_until_cancelled(in_time).await;
        ended
            .ok_or(RerankError::Cancelled)?
            .map_err(|_| RerankError::Timeout)
    }

    /// Blocks the thread until `work` is done, or the call is given up. The thread has its own clock: it returns in time even
    /// if whatever serves `work` is stuck.
    ///
    /// # Errors
    /// As [`Limits::check`], and [`RerankError::Thread`] where the system gives nothing to wait with.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, RerankError> {
        let ended = runtime::block_on_until(self.deadline, self.bound(work));
        let ended = ended.map_err(|error| RerankError::Thread {
            cause: error.to_string(),
        })?;
        ended.unwrap_or(Err(RerankError::Timeout))
    }
}

/// What one call found.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// One per text, in the order of the texts: its score, finite, as reported; `None` where the answer has none for it.
    pub scores: Vec<Option<f64>>,
    /// What they mean.
    pub scale: Scale,
    /// The tokens that were read or billed; none where it is not known.
    pub n_tokens: Option<u64>,
}

impl Scores {
    /// The scores, if every text has one.
    pub fn complete(&self) -> Option<Vec<f64>> {
        self.scores.iter().copied().collect()
    }
}

/// Scores texts by a question, each on its own or all together.
pub trait Reranker: Send {
    /// What makes the scores.
    fn info(&self) -> &RerankerInfo;

    /// A score for every text; a provider may leave out some, but not all.
    ///
    /// No text is no call and gives no score. `limits` are looked at between the parts of the work, at least every
    /// second.
    ///
    /// # Errors
    /// [`RerankError::Cancelled`], [`RerankError::Timeout`], and whatever keeps any of the texts from a score. No error
    /// text holds the question, a note's text or a key.
    fn score(
        &mut self,
        query: &str,
        texts: &[&str],
        limits: &Limits,
    ) -> Result<Scores, RerankError>;
}
