//! `memlens.json`: a tuned configuration that leaves Memlens and can be read back.

use std::path::Path;

use memlens_params::{Params, Value};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use crate::view::Preset;
use crate::{EngineError, Library};

/// Raised when the file's form changes so that older programs misread it.
const SCHEMA_VERSION: u64 = 1;

/// Is the file's form; unknown keys outside `parameters` are left to later versions.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(rename = "$schema", default)]
    schema: String,
    schema_version: u64,
    #[serde(default)]
    app: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    created_at: String,
    /// Those that differ from the default.
    #[serde(default)]
    parameters: Map<String, serde_json::Value>,
    /// All of them; for readers that do not know the defaults.
    #[serde(default)]
    resolved: serde_json::Value,
    #[serde(default)]
    scales: serde_json::Value,
    #[serde(default)]
    embedding: Option<Embedding>,
    #[serde(default)]
    corpus: serde_json::Value,
}

#[derive(Debug, Serialize, Deserialize)]
struct Embedding {
    model: String,
    dimension: usize,
}

impl Library {
    /// Returns the text of `memlens.json` for these parameters.
    ///
    /// # Errors
    /// [`EngineError::Store`] when the library cannot be read.
    pub fn preset_text(&self, params: &Params) -> Result<String, EngineError> {
        let lists = self.lists();
        let snapshot = &lists.snapshot;
        let mut hasher = blake3::Hasher::new();
        for document in &snapshot.documents {
            hasher
                .update(document.path.as_bytes())
                .update(&document.hash);
        }
        let resolved = json!(params);
        let parameters = params
            .changed()
            .into_iter()
            .map(|(id, _)| (id.to_owned(), resolved[id].clone()))
            .collect();
        let file = File {
            schema: "https://memlens.app/schema/memlens-1.json".to_owned(),
            schema_version: SCHEMA_VERSION,
            app: "memlens".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: jiff::Timestamp::now()
                .strftime("%Y-%m-%dT%H:%M:%SZ")
                .to_string(),
            parameters,
            resolved,
            scales: json!({
                "vector": "cosine, -1 to 1",
                "bm25": "BM25 (k1 1.2, b 0.75), 0 and up",
                "fusion": "0 to 1",
                "min_score": "the fused score, 0 to 1",
                "fusion_k": "added to 1-based ranks",
            }),
            embedding: Some(Embedding {
                model: lists.vectors.model().to_owned(),
                dimension: lists.vectors.dim(),
            }),
            corpus: json!({
                "documents": snapshot.documents.len(),
                "chunks": snapshot.chunks.len(),
                "fingerprint": hasher.finalize().to_hex().to_string(),
            }),
        };
        Ok(
            serde_json::to_string_pretty(&file).expect("plain data can always be written as JSON")
                + "\n",
        )
    }

    /// Refuses a place for a file that lies in a watched folder, where Memlens never writes.
    ///
    /// # Errors
    /// [`EngineError::WatchedPlace`]; [`EngineError::File`] where its folder is not there.
    pub fn refuse_watched(&self, path: &Path) -> Result<(), EngineError> {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let folder = parent
            .unwrap_or(Path::new("."))
            .canonicalize()
            .map_err(|source| EngineError::File {
                attempt: "write",
                path: path.to_owned(),
                source,
            })?;
        match self
            .lists()
            .snapshot
            .folders
            .iter()
            .find(|watched| folder.starts_with(&watched.path))
        {
            Some(watched) => Err(EngineError::WatchedPlace {
                path: path.to_owned(),
                folder: watched.path.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Writes `memlens.json`, in one step.
    ///
    /// # Errors
    /// As [`Library::refuse_watched`], and [`EngineError::File`].
    pub fn write_preset(&self, params: &Params, path: &Path) -> Result<(), EngineError> {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let file_error = |attempt| {
            let path = path.to_owned();
            move |source| EngineError::File {
                attempt,
                path,
                source,
            }
        };
        let folder = parent.canonicalize().map_err(file_error("write"))?;
        self.refuse_watched(path)?;
        let text = self.preset_text(params)?;
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = folder.join(name);
        std::fs::write(&part, text).map_err(file_error("write"))?;
        std::fs::rename(&part, path).map_err(|error| {
            // The half-way file is ours; the error that matters is the first one.
            let _ = std::fs::remove_file(&part);
            file_error("write")(error)
        })
    }

    /// Returns what a person should know before using a preset here.
    fn preset_notes(&self, file: &File) -> Vec<String> {
        let mut notes = Vec::new();
        let model = self.lists().vectors.model().to_owned();
        if let Some(embedding) = file
            .embedding
            .as_ref()
            .filter(|embedding| embedding.model != model)
        {
            notes.push(format!(
                "made with the embedding model {}; this library uses {model}, so scores and thresholds differ",
                embedding.model
            ));
        }
        let version = env!("CARGO_PKG_VERSION");
        if !file.version.is_empty() && file.version != version {
            notes.push(format!(
                "made by Memlens {}; this is {version}",
                file.version
            ));
        }
        notes
    }

    /// Reads a `memlens.json` back.
    ///
    /// # Errors
    /// [`EngineError::File`] when it cannot be read, [`EngineError::Preset`] naming the key, value
    /// and range that are wrong.
    pub fn read_preset(&self, path: &Path) -> Result<Preset, EngineError> {
        let (file, params) = read(path)?;
        let name = path
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Ok(Preset {
            name,
            params,
            notes: self.preset_notes(&file),
        })
    }

    /// Returns the presets saved in the library; one that no longer fits says so and has defaults.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn presets(&self) -> Result<Vec<Preset>, EngineError> {
        Ok(self
            .store()
            .presets()?
            .into_iter()
            .map(|stored| match parameters(&stored.name, &stored.params) {
                Ok(params) => Preset {
                    name: stored.name,
                    params,
                    notes: Vec::new(),
                },
                Err(error) => Preset {
                    name: stored.name,
                    params: Params::default(),
                    notes: vec![error.to_string()],
                },
            })
            .collect())
    }
}

/// Reads the parameters of a `memlens.json`, for callers without a library.
///
/// # Errors
/// As [`Library::read_preset`].
pub fn read_params(path: &Path) -> Result<Params, EngineError> {
    read(path).map(|(_, params)| params)
}

/// Returns parameters as they are stored: those that differ from the default, as JSON.
pub fn stored_text(params: &Params) -> String {
    let changed: Map<String, serde_json::Value> = params
        .changed()
        .into_iter()
        .map(|(id, value)| (id.to_owned(), json!(value)))
        .collect();
    serde_json::Value::Object(changed).to_string()
}

fn parameters(origin: &str, text: &str) -> Result<Params, EngineError> {
    let values: Map<String, serde_json::Value> =
        serde_json::from_str(text).map_err(|error| EngineError::Preset {
            origin: origin.to_owned(),
            why: error.to_string(),
        })?;
    from_values(origin, &values)
}

fn read(path: &Path) -> Result<(File, Params), EngineError> {
    let origin = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| EngineError::File {
        attempt: "read preset",
        path: path.to_owned(),
        source,
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let file: File =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
            EngineError::Preset {
                origin: origin.clone(),
                why: error.to_string(),
            }
        })?;
    if file.schema_version > SCHEMA_VERSION {
        let why = format!(
            "its schemaVersion is {}, this version reads up to {SCHEMA_VERSION}",
            file.schema_version
        );
        return Err(EngineError::Preset { origin, why });
    }
    let params = from_values(&origin, &file.parameters)?;
    Ok((file, params))
}

fn from_values(
    origin: &str,
    values: &Map<String, serde_json::Value>,
) -> Result<Params, EngineError> {
    let refused = |why: String| EngineError::Preset {
        origin: origin.to_owned(),
        why,
    };
    let mut given = Vec::with_capacity(values.len());
    for (id, value) in values {
        let value: Value = serde_json::from_value(value.clone()).map_err(|_| {
            refused(format!(
                "{id} is {value}, which is no number, word or true/false"
            ))
        })?;
        given.push((id.as_str(), value));
    }
    Params::from_map(given).map_err(|error| refused(error.to_string()))
}
