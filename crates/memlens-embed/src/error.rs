//! The crate's one error type.

use std::io;
use std::path::PathBuf;

use crate::locations::{NAMED_RUNTIME, RUNTIME};

/// Why there is no embedder or no vector.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The library or the model is not in any of the places where it may be.
    #[error(
        "cannot find {what} (`cargo xtask setup` fetches what is missing): looked at {}",
        list(looked)
    )]
    NotFound {
        /// The name of the missing file.
        what: &'static str,
        /// Every searched path, in the order in which they were tried.
        looked: Vec<PathBuf>,
    },
    /// The multilingual model, which is optional, is not in any of the places where it may be.
    #[error(
        "cannot find the multilingual embedding model; run `cargo xtask setup --model multilingual` in a checkout to make it, or \
         `memlens index --model bundled` to go back: looked at {}",
        list(looked)
    )]
    NoMultilingual {
        /// Every searched path, in the order in which they were tried.
        looked: Vec<PathBuf>,
    },
    /// The file exists, but it is not a suitable ONNX Runtime library.
    #[error("cannot load ONNX Runtime from {}: {why}{}", path.display(), missing_said(missing))]
    LoadRuntime {
        /// Path of the library's file.
        path: PathBuf,
        /// Error message of the library loader.
        why: String,
        /// Libraries of the Visual C++ runtime that it needs and that were not found; empty on other systems than Windows.
        missing: Vec<&'static str>,
    },
    /// ONNX Runtime would report its use to its maker: `forbid_telemetry` was not called.
    #[error("cannot load ONNX Runtime: ORT_DISABLE_TELEMETRY is not 1, so it would report its use")]
    Telemetry,
    /// A file of the model cannot be read.
    #[error("cannot read model file {}: {source}", path.display())]
    ReadModel {
        /// Path of the model's file.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// A file of the model is not the one that this version was built for.
    #[error("cannot use model file {}: its sha256 is {found}, not {expected}", path.display())]
    OtherModel {
        /// Path of the model's file.
        path: PathBuf,
        /// The checksum of its content.
        found: String,
        /// The checksum that is expected.
        expected: &'static str,
    },
    /// A folder of the user's own does not hold a usable model.
    #[error("cannot use the embedding model in {}: {why}", path.display())]
    ModelFolder {
        /// Path of the folder, or of the file in it.
        path: PathBuf,
        /// What is wrong, and what to do if that is known.
        why: String,
    },
    /// A model that must be downloaded first.
    #[error(
        "cannot use the embedding model {name}: it is not downloaded; download it in Settings, or with `memlens models download {name}`"
    )]
    NotDownloaded {
        /// Name of the model, as offered.
        name: &'static str,
    },
    /// The library is set to a model that this version does not know.
    #[error(
        "cannot use the embedding model `{name}`: this version of Memlens does not know it; choose one with `memlens index --model`"
    )]
    UnknownModel {
        /// The name in the library's settings.
        name: String,
    },
    /// ONNX Runtime does not accept the model.
    #[error("cannot load model: {why}")]
    LoadModel {
        /// Error message of the ONNX Runtime.
        why: String,
    },
    /// A text could not be embedded.
    #[error("cannot embed text: {why}")]
    Embed {
        /// Error message of the model's run.
        why: String,
    },
    /// The caller cancelled the call.
    #[error("cannot embed text: cancelled")]
    Cancelled,
}

impl EmbedError {
    /// Returns whether ONNX Runtime is missing or cannot be loaded, so that only a model without it can be used.
    pub fn is_of_runtime(&self) -> bool {
        match self {
            EmbedError::NotFound { what, .. } => [RUNTIME, NAMED_RUNTIME].contains(what),
            EmbedError::LoadRuntime { .. } => true,
            EmbedError::NoMultilingual { .. }
            | EmbedError::Telemetry
            | EmbedError::ReadModel { .. }
            | EmbedError::OtherModel { .. }
            | EmbedError::ModelFolder { .. }
            | EmbedError::NotDownloaded { .. }
            | EmbedError::UnknownModel { .. }
            | EmbedError::LoadModel { .. }
            | EmbedError::Embed { .. }
            | EmbedError::Cancelled => false,
        }
    }
}

fn missing_said(missing: &[&str]) -> String {
    if missing.is_empty() {
        return String::new();
    }
    format!(
        " ({} not found; install the Microsoft Visual C++ Redistributable, which ONNX Runtime needs)",
        missing.join(", ")
    )
}

fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    paths.join(", ")
}
