//! The interface of all rerankers.

use std::time::Instant;

use tokio::time::timeout_at;
use tokio_util::sync::CancellationToken;

use crate::{RerankError, runtime};

/// The scale of a reranker's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// A number in `[0, 1]`.
    Unit,
    /// Any finite number; the logistic function maps it to `[0, 1]`.
    Logit,
    /// The mean over the question's tokens of each one's best cosine in the text, in `[-1, 1]`.
    MaxSim,
}

impl Scale {
    /// Returns the scale's name in files and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Scale::Unit => "unit",
            Scale::Logit => "logit",
            Scale::MaxSim => "max_sim",
        }
    }

    /// Returns the scale of this name, if there is one.
    pub fn from_word(word: &str) -> Option<Scale> {
        [Scale::Unit, Scale::Logit, Scale::MaxSim]
            .into_iter()
            .find(|scale| scale.as_str() == word)
    }
}

/// Describes a reranker to the rest of the program. Two that could differ in any score have different values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RerankerInfo {
    /// The kind: `late`, `model`, or the HTTP provider's kind.
    pub provider: String,
    /// The model's id, or the address if the provider has only one model.
    pub model: String,
}

/// The limits of one call.
#[derive(Debug, Clone)]
pub struct Limits {
    /// When the call is given up.
    pub deadline: Instant,
    /// Cancels the call at once.
    pub cancel: CancellationToken,
}

impl Limits {
    /// Returns an error if the call must end.
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

    /// Awaits `work`, and drops it as soon as the call is given up.
    ///
    /// # Errors
    /// Like [`Limits::check`].
    pub(crate) async fn bound<T>(&self, work: impl Future<Output = T>) -> Result<T, RerankError> {
        let in_time = timeout_at(self.deadline.into(), work);
        let ended = self.cancel.run_until_cancelled(in_time).await;
        ended
            .ok_or(RerankError::Cancelled)?
            .map_err(|_| RerankError::Timeout)
    }

    /// Blocks the thread until `work` is done or the call is given up. Uses the thread's own clock, so that it returns
    /// in time even if the runtime is stuck.
    ///
    /// # Errors
    /// Like [`Limits::check`], and [`RerankError::Thread`] if the runtime cannot be started.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, RerankError> {
        let ended = runtime::block_on_until(self.deadline, self.bound(work));
        let ended = ended.map_err(|error| RerankError::Thread {
            cause: error.to_string(),
        })?;
        ended.unwrap_or(Err(RerankError::Timeout))
    }
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// One score per text, in the order of the texts, finite and as reported; `None` if the answer has none for it.
    pub scores: Vec<Option<f64>>,
    /// The scale of the scores.
    pub scale: Scale,
    /// Number of tokens that were read or billed; `None` if unknown.
    pub n_tokens: Option<u64>,
}

impl Scores {
    /// Returns the scores if every text has one.
    pub fn complete(&self) -> Option<Vec<f64>> {
        self.scores.iter().copied().collect()
    }
}

/// Scores texts for a question, separately or all together.
pub trait Reranker: Send {
    /// Returns the description of the reranker.
    fn info(&self) -> &RerankerInfo;

    /// Returns a score for every text; a provider may leave out some, but not all.
    ///
    /// Without texts there is no call and no score. `limits` are checked between the parts of the work, at least every
    /// second.
    ///
    /// # Errors
    /// [`RerankError::Cancelled`], [`RerankError::Timeout`], and anything that keeps a text from being scored. No
    /// message contains the question, a note's text or a key.
    fn score(
        &mut self,
        query: &str,
        texts: &[&str],
        limits: &Limits,
    ) -> Result<Scores, RerankError>;
}
