//! The embedding models that a library can be searched by.

use serde::Serialize;
use specta::Type;

/// An embedding model to choose from.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct EmbeddingModel {
    /// The name by which it is chosen.
    pub name: String,
    /// The name shown to the user.
    pub label: String,
    /// The folder of a model of the user's own; `None` for one that this program knows.
    pub folder: Option<String>,
    /// Number of values in a vector.
    pub dim: u32,
    /// The languages that it knows.
    pub languages: String,
    /// The licence of its files.
    pub licence: String,
    /// How it differs from the others; `None` for one of the user's own.
    pub about: Option<String>,
    /// Size of its files in bytes, also if they are not there yet; `None` if it is not known.
    pub file_bytes: Option<f64>,
    /// Why it cannot be used, and what to do; `None` if its files are there. They are checked when the model is loaded.
    pub missing: Option<String>,
    /// How its files are downloaded; `None` for a model that is not downloaded.
    pub download: Option<ModelDownload>,
    /// Whether the notes are searched by it.
    pub is_in_use: bool,
    /// Whether the user chose it: the notes are searched by it, or will be once all are embedded by it.
    pub is_chosen: bool,
    /// Number of its vectors that are stored.
    pub n_vectors: u32,
    /// Bytes of these vectors in the database.
    pub vector_bytes: f64,
}

/// How the files of a model are downloaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct ModelDownload {
    /// The host and the repository on it.
    pub source: String,
    /// Whether all of its files were downloaded.
    pub is_there: bool,
    /// Whether this program knows the checksum of each file. Otherwise those of the first download are kept.
    pub is_pinned: bool,
    /// Why nothing may be downloaded; `None` if the user may start it.
    pub blocked: Option<String>,
}

/// Stored vectors of a model that this version does not know, such as one of an earlier version.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct OtherVectors {
    /// Id of the model.
    pub id: String,
    /// Number of its vectors that are stored.
    pub n_vectors: u32,
    /// Bytes of these vectors in the database.
    pub vector_bytes: f64,
    /// Whether the notes are searched by them.
    pub is_in_use: bool,
}

/// All embedding models, the default first, and the vectors that are stored.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct EmbeddingModels {
    /// The models to choose from.
    pub models: Vec<EmbeddingModel>,
    /// Vectors of other models.
    pub others: Vec<OtherVectors>,
    /// The notes that are probably not in English; `None` if they are few.
    pub foreign: Option<ForeignNotes>,
}

/// Notes that are probably not in English.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct ForeignNotes {
    /// Number of these.
    pub n_foreign: u32,
    /// Number of notes whose language was looked at.
    pub n_seen: u32,
}

/// What it takes to change to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ModelPlan {
    /// The name by which the model is chosen.
    pub name: String,
    /// Number of different texts of the notes: chunks and windows.
    pub n_texts: u32,
    /// Number of these that the model has to embed; the others have a vector of it.
    pub n_missing: u32,
    /// Estimated seconds for that, from a measurement on this machine; `None` if it could not be measured.
    pub seconds: Option<f64>,
    /// Number of texts that were embedded to measure it.
    pub n_measured: u32,
}
