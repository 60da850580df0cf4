//! The crate's one error type.

use std::io;
use std::path::PathBuf;

/// Says why there is no embedder or no vector.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The library or the model is in none of the places where it may lie.
    #[error(
        "cannot find {what} (`cargo xtask setup` fetches what is missing): looked at {}",
        list(looked)
    )]
    NotFound {
        /// What was looked for.
        what: &'static str,
        /// Every place, in the order in which they were tried.
        looked: Vec<PathBuf>,
    },
    /// A file is there, but it is no ONNX Runtime library that fits.
    #[error("cannot load ONNX Runtime from {}: {why}", path.display())]
    LoadRuntime {
        /// The file.
        path: PathBuf,
        /// The loader's reason.
        why: String,
    },
    /// ONNX Runtime would report its use to its maker: `forbid_telemetry` was not called.
    #[error("cannot load ONNX Runtime: ORT_DISABLE_TELEMETRY is not 1, so it would report its use")]
    Telemetry,
    /// A file of the model cannot be read.
    #[error("cannot read model file {}: {source}", path.display())]
    ReadModel {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A file of the model is not the one that this version was made with.
    #[error("cannot use model file {}: its sha256 is {found}, not {expected}", path.display())]
    OtherModel {
        /// The file.
        path: PathBuf,
        /// What its content sums to.
        found: String,
        /// What it should sum to.
        expected: &'static str,
    },
    /// ONNX Runtime does not take the model.
    #[error("cannot load model: {why}")]
    LoadModel {
        /// Its reason.
        why: String,
    },
    /// A text gave no vector.
    #[error("cannot embed text: {why}")]
    Embed {
        /// The reason.
        why: String,
    },
    /// The caller asked to stop.
    #[error("cannot embed text: cancelled")]
    Cancelled,
}

fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    paths.join(", ")
}
