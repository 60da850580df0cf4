//! The crate's one error type.

use std::io;
use std::path::PathBuf;

/// Why there are no scores. No message contains the question, a note's text or a key.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    /// The caller cancelled the call.
    #[error("cannot rerank: cancelled")]
    Cancelled,
    /// The time was over before every text had its score.
    #[error("cannot rerank: no answer within the timeout")]
    Timeout,
    /// The time was over before the reranker was ready; its construction continues.
    #[error("cannot rerank yet: {why}")]
    Unready {
        /// What the call waited for.
        why: &'static str,
    },
    /// The code of the reranker panicked.
    #[error("cannot rerank: internal error; please report it")]
    Fault,
    /// The system cannot start a thread.
    #[error("cannot start reranking: {cause}")]
    Thread {
        /// Error message of the operating system.
        cause: String,
    },
    /// A setting cannot be used as given.
    #[error("cannot use {what}: {why}")]
    Setting {
        /// The setting, as shown to the user; never a key.
        what: String,
        /// Why it cannot be used.
        why: String,
    },
    /// The embedding model returned an error.
    #[error("cannot rerank with late interaction: {0}")]
    Embed(memlens_embed::EmbedError),
    /// The embedding model knows less than half of the question's tokens, or the question has none.
    #[error("cannot rerank with late interaction: the model cannot read the question")]
    UnreadQuery,
    /// ONNX Runtime cannot be loaded.
    #[error("cannot load the cross-encoder: {0}")]
    Runtime(memlens_embed::EmbedError),
    /// A file of the cross-encoder cannot be read.
    #[error("cannot read cross-encoder file {}: {source}", path.display())]
    ReadModel {
        /// Path of the model's file.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// A file of the cross-encoder is invalid.
    #[error("cannot use cross-encoder file {}: {why}", path.display())]
    LoadModel {
        /// Path of the model's file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A downloaded cross-encoder cannot be removed.
    #[error("cannot remove {}: {source}", path.display())]
    RemoveModel {
        /// Path of the model's folder.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The cross-encoder returned no score.
    #[error("cannot rerank with the cross-encoder: {why}")]
    CrossEncode {
        /// Error message of the model's runtime.
        why: String,
    },
    /// The model of a second opinion returned none.
    #[error("cannot compare two sentences with the model: {why}")]
    Judge {
        /// Error message of the model's runtime.
        why: String,
    },
    /// The cross-encoder has not been downloaded.
    #[error("cannot load cross-encoder {name}: it is not downloaded")]
    NotDownloaded {
        /// Name of the model, as offered.
        name: &'static str,
    },
    /// The download failed; the downloaded part is kept, and the next attempt continues from there.
    #[error("cannot download {name}: {cause}")]
    Download {
        /// Name of the model, as offered.
        name: &'static str,
        /// The reason, with the file or the host.
        cause: String,
    },
    /// The caller stopped the download; the downloaded part is kept.
    #[error("cannot download {name}: cancelled")]
    DownloadCancelled {
        /// Name of the model, as offered.
        name: &'static str,
    },
    /// The provider's address cannot be used. It is not repeated, because it may contain a key.
    #[error("cannot use the address: {cause}")]
    Url {
        /// What is wrong with it.
        cause: &'static str,
    },
    /// The given key is invalid. It is not repeated.
    #[error("cannot use the key: {cause}")]
    Key {
        /// What is wrong with it.
        cause: &'static str,
    },
    /// The provider needs a key, and there is none.
    #[error("cannot rerank over HTTP: {provider} needs a key, and none is stored")]
    KeyMissing {
        /// Name of the provider, as displayed.
        provider: &'static str,
    },
    /// The provider needs a key, and the environment variable that the user named is not set.
    #[error(
        "cannot rerank over HTTP: the variable {variable} is not set, and no keyring holds a key"
    )]
    VariableUnset {
        /// Name of the environment variable.
        variable: String,
    },
    /// The system's keyring is missing or cannot be opened.
    #[error(
        "cannot use this system's keyring: {cause}; an environment variable can hold the key instead"
    )]
    Keyring {
        /// Error message of the keyring.
        cause: String,
    },
    /// The system lacks something that a connection needs.
    #[error("cannot prepare connections to {host}: {cause}")]
    Client {
        /// The host of the provider.
        host: String,
        /// What the system lacks, as text.
        cause: String,
    },
    /// There is no connection, or none that can be trusted.
    #[error("cannot connect to {host}: {cause}")]
    Connect {
        /// The host of the provider.
        host: String,
        /// Error message of the operating system.
        cause: String,
    },
    /// The connection ended before the response did.
    #[error("cannot read the answer from {host}: {cause}")]
    Broken {
        /// The host of the provider.
        host: String,
        /// Error message of the operating system.
        cause: String,
    },
    /// The server responded with an error status, even after retries.
    #[error("cannot rerank over HTTP: {host} answered {status}: {cause}")]
    Refused {
        /// The host of the provider.
        host: String,
        /// The HTTP status of the response.
        status: u16,
        /// Its meaning, and the server's word for it.
        cause: String,
    },
    /// The server's response is not one finite score per text.
    #[error("cannot rerank over HTTP: the answer from {host} {cause}")]
    Answer {
        /// The host of the provider.
        host: String,
        /// What is wrong with it.
        cause: String,
    },
    /// The hook gave no usable answer.
    #[error("cannot run the hook: {cause}")]
    Hook {
        /// What the hook did, as text.
        cause: String,
    },
}

impl RerankError {
    /// Returns whether the caller gave up, which says nothing about the reranker.
    pub fn is_given_up(&self) -> bool {
        matches!(
            self,
            RerankError::Cancelled | RerankError::Timeout | RerankError::Unready { .. }
        )
    }
}
