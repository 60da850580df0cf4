//! `memlens.json`: a tuned configuration in a file, which can be read back.

pub use memlens_library::ranking::values_in_file::in_file;
use std::path::Path;

use memlens_library::ranking::{NATIVE_NAME, Ranking, pipeline, pipeline_of, pipelines};
use memlens_library::writes::Writes;
use memlens_library::{EngineError, Library};
use memlens_params::print::json_schema_of;
use memlens_params::{ParameterSet, Params, TypedSet, Value, Values, VectorUnit, brief};
use memlens_rank::{AnyPipeline, NATIVE};
use memlens_store::{Store, StoredPreset};
use memlens_wire::Preset;
use serde::Serialize;
use serde_json::{Map, json};

use crate::evidence::Evidence;
use crate::preset_models;

/// Raised when the file format changes so that older programs misread it.
const SCHEMA_VERSION: u64 = 1;

/// Identifies the format in each file; it is never fetched.
const SCHEMA: &str = "https://memlens.app/schema/memlens-1.json";

/// Maximum size of a file; a larger one is not a memlens.json.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The format of a written file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(rename = "$schema")]
    schema: String,
    schema_version: u64,
    app: String,
    version: String,
    created_at: String,
    /// Name of the pipeline; left out for Memlens's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline: Option<&'static str>,
    /// Parameters that differ from the default, and those of [`FORMER_DEFAULTS`].
    parameters: Map<String, serde_json::Value>,
    /// All parameters, for readers that do not know the defaults.
    resolved: serde_json::Value,
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    scales: serde_json::Value,
    embedding: Embedding,
    corpus: serde_json::Value,
    /// Metrics of the parameters; left out if nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
}

#[derive(Debug, Serialize)]
struct Embedding {
    model: String,
    dimension: usize,
}

/// Parsed content of a file; unknown keys outside `parameters` are left to later versions.
struct Content {
    schema_version: u64,
    /// Name of the pipeline, as the user writes it.
    pipeline: String,
    parameters: Map<String, serde_json::Value>,
    /// Version of the Memlens that wrote it; empty if the file does not say.
    version: String,
    /// Embedding model that it was tuned with; `None` if the file does not say.
    model: Option<String>,
    /// Fingerprint of the notes that it was made with; `None` if the file does not say.
    fingerprint: Option<String>,
    /// Metrics of the parameters; `None` if there are none in a known format.
    evidence: Option<Evidence>,
}

/// The text of `memlens.json` for these parameters, of any pipeline, with their metrics.
///
/// # Errors
/// [`EngineError::Store`] when the library cannot be read.
pub fn preset_text(
    library: &Library,
    params: &impl ParameterSet,
    evidence: Option<&Evidence>,
) -> Result<String, EngineError> {
    let lists = library.lists();
    let snapshot = &lists.snapshot;
    let resolved = in_file(&params.values());
    let of = pipeline_of(params.table()).filter(|of| of.id().0 != NATIVE_NAME);
    let parameters = named_in_presets(params)
        .into_iter()
        .map(|(id, _)| (id.to_owned(), resolved[id].clone()))
        .collect();
    let file = File {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        app: "memlens".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: memlens_library::clock::now()
            .strftime("%Y-%m-%dT%H:%M:%SZ")
            .to_string(),
        pipeline: of.map(|of| of.id().0),
        parameters,
        resolved,
        scales: if of.is_some() {
            serde_json::Value::Null
        } else {
            native_scales()
        },
        embedding: Embedding {
            model: lists.vectors.model().to_owned(),
            dimension: lists.vectors.dim(),
        },
        corpus: json!({
            "documents": snapshot.documents.len(),
            "chunks": snapshot.n_chunks(),
            "fingerprint": fingerprint(library),
        }),
        evidence: evidence.cloned(),
    };
    Ok(
        serde_json::to_string_pretty(&file).expect("plain data can always be written as JSON")
            + "\n",
    )
}

/// Writes `memlens.json` atomically; `inputs` are the files that the parameters were read from.
///
/// # Errors
/// As [`Library::write_output`].
pub fn write_preset(
    library: &Library,
    params: &impl ParameterSet,
    path: &Path,
    inputs: &[&Path],
) -> Result<(), EngineError> {
    library.write_output(preset_text(library, params, None)?.as_bytes(), path, inputs)
}

/// Notices to the user before using a preset here.
fn preset_notes(library: &Library, content: &Content) -> Vec<String> {
    let mut notes = Vec::new();
    let ours = library.lists().vectors.model().to_owned();
    notes.extend(preset_models::difference(content.model.as_deref(), &ours));
    let version = env!("CARGO_PKG_VERSION");
    if !content.version.is_empty() && content.version != version {
        notes.push(format!(
            "made by Memlens {}; this is {version}",
            content.version
        ));
    }
    notes.extend(content.evidence.as_ref().map(Evidence::sentence));
    notes
}

/// Reads a `memlens.json` back.
///
/// # Errors
/// [`EngineError::File`] when it cannot be read, [`EngineError::Preset`] naming the key, value
/// and range that are wrong.
pub fn read_preset(library: &Library, path: &Path) -> Result<Preset, EngineError> {
    let (content, ranking) = read(path)?;
    let params = own(path, &ranking)?;
    let name = path
        .file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    Ok(Preset {
        name,
        params,
        notes: preset_notes(library, &content),
        is_built_in: false,
    })
}

/// Metrics in a `memlens.json` for its parameters, if they were measured on these notes and with this model.
///
/// # Errors
/// As [`read_preset`].
pub fn evidence_of(library: &Library, path: &Path) -> Result<Option<Evidence>, EngineError> {
    let (content, _) = read(path)?;
    let is_here = content.fingerprint.as_deref() == Some(&*fingerprint(library))
        && content.model.as_deref() == Some(library.lists().vectors.model());
    Ok(content.evidence.filter(|_| is_here))
}

/// Fingerprint of the current notes: a hash of every path and text.
pub fn fingerprint(library: &Library) -> String {
    let mut hasher = blake3::Hasher::new();
    for document in library.lists().snapshot.documents.iter() {
        hasher
            .update(document.path.as_bytes())
            .update(&document.hash);
    }
    hasher.finalize().to_hex().to_string()
}

/// The presets saved in the library; one that is no longer valid says so and has the defaults.
///
/// # Errors
/// [`EngineError::Store`].
pub fn presets(library: &Library) -> Result<Vec<Preset>, EngineError> {
    let (stored, models) = {
        let store = library.store();
        (store.presets()?, preset_models::read(&store)?)
    };
    let lists = library.lists();
    let ours = lists.vectors.model();
    let note = |name: &str| preset_models::difference(models.get(name).map(String::as_str), ours);
    let stored = stored.into_iter();
    let stored = stored.map(|stored| match parameters(&stored.name, &stored.params) {
        Ok(params) => Preset {
            notes: note(&stored.name).into_iter().collect(),
            name: stored.name,
            params,
            is_built_in: false,
        },
        Err(error) => Preset {
            name: stored.name,
            params: Params::default(),
            notes: vec![error.to_string()],
            is_built_in: false,
        },
    });
    let mut presets: Vec<Preset> = stored.collect();
    let is_saved = |it: &Preset| presets.iter().any(|saved| saved.name == it.name);
    let built_in: Vec<Preset> = built_in().filter(|it| !is_saved(it)).collect();
    presets.extend(built_in);
    Ok(presets)
}

/// The ranking of a preset in the library, by its name.
///
/// # Errors
/// [`EngineError::Preset`] if there is none of this name, or it is no longer valid; [`EngineError::Store`].
pub fn saved_ranking(library: &Library, name: &str) -> Result<Ranking, EngineError> {
    ranking_among(&library.store().presets()?, name)
}

/// The ranking of a preset in the library in `dir`, which need not be open.
///
/// # Errors
/// As [`saved_ranking`]; [`EngineError::Store`] if there is no library.
pub fn saved_ranking_at(dir: &Path, name: &str) -> Result<Ranking, EngineError> {
    ranking_among(&Store::open_read_only(dir)?.presets()?, name)
}

fn ranking_among(stored: &[StoredPreset], name: &str) -> Result<Ranking, EngineError> {
    if let Some(stored) = stored.iter().find(|stored| stored.name == name) {
        return Ok(Ranking::native(&parameters(&stored.name, &stored.params)?));
    }
    let built_in = built_in().find(|preset| preset.name == name);
    let preset = built_in.ok_or_else(|| {
        let built_in = built_in_names();
        let names = stored
            .iter()
            .map(|stored| stored.name.clone())
            .chain(built_in);
        let names: Vec<String> = names.collect();
        EngineError::Preset {
            origin: brief(name).into_owned(),
            why: format!(
                "the library has no such preset; it has {}",
                names.join(", ")
            ),
        }
    })?;
    Ok(Ranking::native(&preset.params))
}

fn built_in_names() -> impl Iterator<Item = String> {
    built_in().map(|preset| preset.name)
}

/// The presets that come with Memlens; a saved preset with the same name takes precedence.
fn built_in() -> impl Iterator<Item = Preset> {
    let rensei = Params {
        vector_unit: VectorUnit::Chunk,
        bm25_on: false,
        fusion_on: false,
        repeats_on: false,
        threshold_on: false,
        corroboration_on: true,
        feedback_on: true,
        max_results: 100,
        budget_tokens: 2000,
        ..Params::default()
    };
    std::iter::once(Preset {
        name: "Rensei".to_owned(),
        params: rensei,
        notes: vec![
            "how Rensei ranks: cosine and corroboration, weighed by feedback, then a token budget, which is yours to set".to_owned(),
        ],
        is_built_in: true,
    })
}

/// Reads the parameters of a `memlens.json`, for callers without a library.
///
/// # Errors
/// As [`read_preset`].
pub fn read_params(path: &Path) -> Result<Params, EngineError> {
    own(path, &read_ranking(path)?)
}

/// Reads a `memlens.json` of any pipeline.
///
/// # Errors
/// As [`read_preset`], and [`EngineError::NoPipeline`] where it names one that is not known.
pub fn read_ranking(path: &Path) -> Result<Ranking, EngineError> {
    read(path).map(|(_, ranking)| ranking)
}

/// Metrics in a `memlens.json` for its parameters; `None` if there are none in a known format.
///
/// # Errors
/// As [`read_preset`].
pub fn read_evidence(path: &Path) -> Result<Option<Evidence>, EngineError> {
    read(path).map(|(content, _)| content.evidence)
}

/// The JSON schema (draft 2020-12) of a `memlens.json`. Additional keys are allowed, because later versions add some.
pub fn preset_schema() -> String {
    let known = pipelines();
    let of = |pipeline: &dyn AnyPipeline| -> serde_json::Value {
        let schema = json_schema_of(pipeline.table(), pipeline.label());
        serde_json::from_str(&schema).expect("a schema is JSON")
    };
    let ids: Vec<&str> = known.iter().map(|it| it.id().0).collect();
    let of_pipelines: Vec<serde_json::Value> = known
        .iter()
        .map(|it| {
            let named = json!({ "properties": { "pipeline": { "const": it.id().0 } } });
            // A file with Memlens's own parameters need not name their pipeline.
            let asked = if it.id().0 == NATIVE_NAME {
                named
            } else {
                json!({ "properties": named["properties"], "required": ["pipeline"] })
            };
            json!({ "if": asked, "then": { "properties": { "parameters": of(*it) } } })
        })
        .collect();
    let measured = json!({
        "type": "object",
        "required": ["before", "after", "interval"],
        "properties": {
            "before": { "type": "number" },
            "after": { "type": "number" },
            "interval": { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 },
        },
    });
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "memlens.json",
        "type": "object",
        "required": ["schemaVersion"],
        "properties": {
            "schemaVersion": { "const": SCHEMA_VERSION },
            "app": { "type": "string" },
            "version": { "type": "string" },
            "createdAt": { "type": "string", "format": "date-time" },
            "pipeline": { "enum": ids },
            "parameters": { "type": "object" },
            "resolved": { "type": "object" },
            "scales": { "type": "object" },
            "embedding": {
                "type": "object",
                "properties": { "model": { "type": "string" }, "dimension": { "type": "integer", "minimum": 1 } },
            },
            "corpus": {
                "type": "object",
                "properties": {
                    "documents": { "type": "integer", "minimum": 0 },
                    "chunks": { "type": "integer", "minimum": 0 },
                    "fingerprint": { "type": "string" },
                },
            },
            "evidence": {
                "type": "object",
                "required": ["queries", "queriesHash", "n", "before", "ndcg@10", "mrr@10", "hitFile"],
                "properties": {
                    "queries": { "type": "string" },
                    "queriesHash": { "type": "string", "pattern": "^[0-9a-f]{64}$" },
                    "n": { "type": "integer", "minimum": 1 },
                    "before": { "type": "string" },
                    "ndcg@10": measured,
                    "mrr@10": measured,
                    "hitFile": measured,
                },
            },
        },
        "allOf": of_pipelines,
    });
    schema.sort_all_objects();
    serde_json::to_string_pretty(&schema).expect("plain data can always be written as JSON") + "\n"
}

/// Memlens's own parameters; fails if the file contains those of another pipeline.
fn own(path: &Path, ranking: &Ranking) -> Result<Params, EngineError> {
    ranking.params().ok_or_else(|| EngineError::Preset {
        origin: path.display().to_string(),
        why: format!(
            "it holds parameters of {}, not of Memlens",
            ranking.pipeline.label()
        ),
    })
}

/// Scale of each score of Memlens's own pipeline.
fn native_scales() -> serde_json::Value {
    json!({
        "vector": "cosine, -1 to 1",
        "bm25": "BM25 (k1 1.2, b 0.75), 0 and up",
        "fusion": "0 to 1",
        "min_score": "the score before decay, 0 to 1",
        "fusion_k": "added to 1-based ranks",
    })
}

/// Parameters of Memlens's own pipeline whose default has changed, with the value of a preset that does not name them:
/// it was saved when that was the default, which was not written. Presets that are saved now always name them.
const FORMER_DEFAULTS: &[(&str, Value)] = &[("feedback_on", Value::Toggle(true))];

/// The parameters that a preset names: those that differ from the default, and those of [`FORMER_DEFAULTS`].
fn named_in_presets(params: &impl ParameterSet) -> Vec<(&'static str, Value)> {
    let table = params.table();
    let is_native = std::ptr::eq(table, Params::parameters());
    let is_named = |id: &str, value: &Value, default: &Value| {
        value != default || is_native && FORMER_DEFAULTS.iter().any(|(former, _)| *former == id)
    };
    let parameters = table.parameters.iter().enumerate();
    parameters
        .map(|(place, parameter)| (parameter, params.at(place)))
        .filter(|(parameter, value)| is_named(parameter.id, value, &parameter.default))
        .map(|(parameter, value)| (parameter.id, value))
        .collect()
}

/// Values of Memlens's own pipeline for parameters that a preset does not name.
fn unnamed_in_presets() -> Values {
    let former = FORMER_DEFAULTS.iter().cloned();
    let values = Params::default().values();
    values.with(former).expect("they are in the table")
}

/// Saves parameters under a name.
///
/// # Errors
/// [`EngineError::NoPresetName`], and as [`Writes::write`].
pub fn save_preset(writes: &impl Writes, name: &str, params: &Params) -> Result<(), EngineError> {
    let name = name.trim().to_owned();
    if name.is_empty() {
        return Err(EngineError::NoPresetName);
    }
    let preset = StoredPreset {
        name,
        params: stored_text(params),
    };
    let lists = writes.library().lists();
    // Without notes it was made with no model.
    let model = (lists.snapshot.n_chunks() > 0).then(|| lists.vectors.model());
    writes.write(|store| {
        store.save_preset(&preset)?;
        preset_models::put(store, &preset.name, model)
    })
}

/// Deletes a preset.
///
/// # Errors
/// As [`Writes::write`].
pub fn delete_preset(writes: &impl Writes, name: &str) -> Result<(), EngineError> {
    writes.write(|store| {
        store.delete_preset(name)?;
        preset_models::put(store, name, None)
    })
}

/// Parameters as they are stored, as JSON: those that a preset names.
pub fn stored_text(params: &Params) -> String {
    let changed: Map<String, serde_json::Value> = named_in_presets(params)
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
    from_values(origin, unnamed_in_presets(), &values).map(|values| Params::of(&values))
}

fn read(path: &Path) -> Result<(Content, Ranking), EngineError> {
    let origin = path.display().to_string();
    let file_error = |source| EngineError::File {
        attempt: "read preset",
        path: path.to_owned(),
        source,
    };
    let refused = |why: String| EngineError::Preset {
        origin: origin.clone(),
        why: format!("{why}; choose a file that Memlens exported"),
    };
    if std::fs::metadata(path).map_err(file_error)?.is_dir() {
        return Err(refused("it is a folder".to_owned()));
    }
    let bytes = memlens_files::read(path, FILE_BYTES_MAX).map_err(file_error)?;
    let content = content(&bytes).map_err(refused)?;
    if content.schema_version > SCHEMA_VERSION {
        let why = format!(
            "its schemaVersion is {}, this Memlens reads up to {SCHEMA_VERSION}; a newer one wrote it",
            content.schema_version
        );
        return Err(EngineError::Preset { origin, why });
    }
    let mut ranking = Ranking::of(pipeline(&content.pipeline)?);
    if ranking.pipeline.id() == NATIVE.id {
        ranking.values = unnamed_in_presets();
    }
    ranking.values = from_values(&origin, ranking.values, &content.parameters)?;
    Ok((content, ranking))
}

/// Parses the bytes of a `memlens.json`; the error says what they are instead.
fn content(bytes: &[u8]) -> Result<Content, String> {
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(format!(
            "it is larger than {} MiB",
            FILE_BYTES_MAX / (1024 * 1024)
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    let value = serde_json::from_str(text).map_err(|error| format!("it is not JSON ({error})"))?;
    let serde_json::Value::Object(mut fields) = value else {
        return Err(format!("it holds {}, not an object", kind(&value)));
    };
    let version = fields
        .get("schemaVersion")
        .ok_or("it has no schemaVersion")?;
    let schema_version = version
        .as_u64()
        .ok_or_else(|| format!("its schemaVersion is {}, not a whole number", kind(version)))?;
    let parameters = match fields.remove("parameters") {
        None => Map::new(),
        Some(serde_json::Value::Object(parameters)) => parameters,
        Some(other) => {
            return Err(format!(
                "its parameters are {}, not an object",
                kind(&other)
            ));
        }
    };
    let text_of = |value: Option<&serde_json::Value>| Some(brief(value?.as_str()?).into_owned());
    let pipeline = text_of(fields.get("pipeline"));
    Ok(Content {
        schema_version,
        pipeline: pipeline.unwrap_or_else(|| NATIVE_NAME.to_owned()),
        parameters,
        version: text_of(fields.get("version")).unwrap_or_default(),
        fingerprint: text_of(
            fields
                .get("corpus")
                .and_then(|corpus| corpus.get("fingerprint")),
        ),
        evidence: fields
            .get("evidence")
            .and_then(|evidence| serde_json::from_value(evidence.clone()).ok()),
        model: text_of(
            fields
                .get("embedding")
                .and_then(|embedding| embedding.get("model")),
        ),
    })
}

/// Name of a value's type, for the user.
fn kind(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "true or false",
        serde_json::Value::Number(_) => "a number",
        serde_json::Value::String(_) => "text",
        serde_json::Value::Array(_) => "a list",
        serde_json::Value::Object(_) => "an object",
    }
}

fn from_values(
    origin: &str,
    defaults: Values,
    values: &Map<String, serde_json::Value>,
) -> Result<Values, EngineError> {
    let refused = |why: String| EngineError::Preset {
        origin: origin.to_owned(),
        why,
    };
    let mut given = Vec::with_capacity(values.len());
    for (id, value) in values {
        let value: Value = serde_json::from_value(value.clone()).map_err(|_| {
            refused(format!(
                "{} is {}, which is not a number, a word or true/false",
                brief(id),
                brief(&value.to_string())
            ))
        })?;
        given.push((id.as_str(), value));
    }
    defaults
        .with(given)
        .map_err(|error| refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{content, parameters as stored};
    use memlens_library::EngineError;
    use memlens_params::Params;

    fn parameters_of(text: &str) -> Result<Params, EngineError> {
        stored("a preset", text)
    }

    #[test]
    fn other_files_are_named() {
        let large = [b' '; 1024 * 1024 + 1];
        let cases: &[(&[u8], &str)] = &[
            (b"", "it is empty"),
            (b"\xEF\xBB\xBF \n", "it is empty"),
            (&large, "it is larger than 1 MiB"),
            (b"caf\xE9", "it is not UTF-8 text"),
            (
                b"# A note",
                "it is not JSON (expected value at line 1 column 1)",
            ),
            (
                b"{\"schemaVersion\": 1,",
                "it is not JSON (EOF while parsing a value at line 1 column 20)",
            ),
            (b"[1, 2]", "it holds a list, not an object"),
            (b"5", "it holds a number, not an object"),
            (b"\"x\"", "it holds text, not an object"),
            (b"null", "it holds null, not an object"),
            (b"true", "it holds true or false, not an object"),
            (b"{}", "it has no schemaVersion"),
            (
                b"{\"schemaVersion\": \"1\"}",
                "its schemaVersion is text, not a whole number",
            ),
            (
                b"{\"schemaVersion\": 1.5}",
                "its schemaVersion is a number, not a whole number",
            ),
            (
                b"{\"schemaVersion\": 1, \"parameters\": []}",
                "its parameters are a list, not an object",
            ),
        ];
        for (bytes, expected) in cases {
            assert_eq!(content(bytes).err().as_deref(), Some(*expected));
        }
        let long = "x".repeat(500_000);
        for parameters in [
            format!("{{\"{long}\": 1}}"),
            format!("{{\"{long}\": []}}"),
            format!("{{\"min_score\": \"{long}\"}}"),
            format!("{{\"min_score\": [\"{long}\"]}}"),
            "{\"min_score\": 1e300}".to_owned(),
        ] {
            let refused = parameters_of(&parameters).expect_err("it is no parameter");
            assert!(refused.to_string().len() < 400, "{refused}");
        }
        let named = format!(
            "{{\"schemaVersion\": 1, \"version\": \"{long}\", \"embedding\": {{\"model\": \"{long}\"}}}}"
        );
        let read = content(named.as_bytes()).expect("a memlens.json");
        assert!(read.version.len() < 100 && read.model.is_some_and(|model| model.len() < 100));
        let deep = "[".repeat(100_000);
        assert!(content(deep.as_bytes()).is_err());
    }

    #[test]
    fn what_does_not_count_may_be_anything() {
        let text =
            "\u{feff}{\"schemaVersion\": 1, \"version\": 5, \"embedding\": [], \"later\": {}}";
        let read = content(text.as_bytes()).expect("a memlens.json");
        assert_eq!((read.version.as_str(), read.model), ("", None));
        assert!(read.parameters.is_empty());
    }
}
