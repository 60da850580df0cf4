//! The crate's one error type.

use std::io;
use std::path::PathBuf;

/// Says why there are no scores. No text holds the question, a note's text or a key.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    /// The caller asked to stop.
    #[error("cannot rerank: cancelled")]
    Cancelled,
    /// The time was over before every text had its score.
    #[error("cannot rerank: no answer within the timeout")]
    Timeout,
    /// The time was over before the reranker was made, which goes on.
    #[error("cannot rerank yet: {why}")]
    Unready {
        /// What is waited for.
        why: &'static str,
    },
    /// It panicked.
    #[error("cannot rerank: internal error; please report it")]
    Fault,
    /// The system gives no thread to work on.
    #[error("cannot start reranking: {cause}")]
    Thread {
        /// What it said.
        cause: String,
    },
    /// A choice cannot be used as it was given.
    #[error("cannot use {what}: {why}")]
    Setting {
        /// What was given, for a person; never a key.
        what: String,
        /// Why.
        why: String,
    },
    /// The embedding model failed.
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
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A file of the cross-encoder is not what it should be.
    #[error("cannot use cross-encoder file {}: {why}", path.display())]
    LoadModel {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A cross-encoder that was downloaded cannot be removed.
    #[error("cannot remove {}: {source}", path.display())]
    RemoveModel {
        /// Its folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The cross-encoder gave no score.
    #[error("cannot rerank with the cross-encoder: {why}")]
    CrossEncode {
        /// The reason.
        why: String,
    },
    /// The cross-encoder is not on this machine.
    #[error("cannot load cross-encoder {name}: it is not downloaded")]
    NotDownloaded {
        /// The model's name.
        name: &'static str,
    },
    /// The download failed; what came is kept, and the next one goes on from there.
    #[error("cannot download cross-encoder {name}: {cause}")]
    Download {
        /// The model's name.
        name: &'static str,
        /// What went wrong, with the file or the host.
        cause: String,
    },
    /// The download was stopped by whoever began it; what came is kept.
    #[error("cannot download cross-encoder {name}: cancelled")]
    DownloadCancelled {
        /// The model's name.
        name: &'static str,
    },
    /// The provider's address cannot be used. It is not repeated, since it may hold a key.
    #[error("cannot use the address: {cause}")]
    Url {
        /// What is wrong with it.
        cause: &'static str,
    },
    /// What was given as a key is none. It is not repeated.
    #[error("cannot use the key: {cause}")]
    Key {
        /// What is wrong with it.
        cause: &'static str,
    },
    /// Nobody is served without a key, and there is none.
    #[error("cannot rerank over HTTP: {provider} needs a key, and none is stored")]
    KeyMissing {
        /// The provider's name.
        provider: &'static str,
    },
    /// Nobody is served without a key, and where the person said that it would be, there is none.
    #[error(
        "cannot rerank over HTTP: the variable {variable} is not set, and no keyring holds a key"
    )]
    VariableUnset {
        /// The environment variable that should hold it.
        variable: String,
    },
    /// The system's keyring is not there, or does not open.
    #[error(
        "cannot use this system's keyring: {cause}; an environment variable can hold the key instead"
    )]
    Keyring {
        /// What it said.
        cause: String,
    },
    /// The system does not give what a connection needs.
    #[error("cannot prepare connections to {host}: {cause}")]
    Client {
        /// The host that would be asked.
        host: String,
        /// What is missing.
        cause: String,
    },
    /// There is no connection, or none that can be trusted.
    #[error("cannot connect to {host}: {cause}")]
    Connect {
        /// The host that was asked.
        host: String,
        /// What the system said.
        cause: String,
    },
    /// The connection ended before the answer did.
    #[error("cannot read the answer from {host}: {cause}")]
    Broken {
        /// The host that was asked.
        host: String,
        /// What the system said.
        cause: String,
    },
    /// The server gave a status other than success, also when it was asked again.
    #[error("cannot rerank over HTTP: {host} answered {status}: {cause}")]
    Refused {
        /// The host that was asked.
        host: String,
        /// The HTTP status.
        status: u16,
        /// What it means, and a word of the server's.
        cause: String,
    },
    /// The server's answer is not one finite score per text.
    #[error("cannot rerank over HTTP: the answer from {host} {cause}")]
    Answer {
        /// The host that was asked.
        host: String,
        /// What is wrong with it.
        cause: String,
    },
    /// The hook did not give an answer that can be used.
    #[error("cannot run the hook: {cause}")]
    Hook {
        /// What it did.
        cause: String,
    },
}

impl RerankError {
    /// Whether the call was given up, which says nothing of whoever was asked.
    pub fn is_given_up(&self) -> bool {
        matches!(
            self,
            RerankError::Cancelled | RerankError::Timeout | RerankError::Unready { .. }
        )
    }
}
