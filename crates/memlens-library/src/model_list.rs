//! The embedding models to choose from, what a change takes, and the vectors that are stored.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use memlens_embed::{
    EmbedError, Embedder, HUB_MODELS, HubModel, Model, Purpose, is_foreign, locations_of,
};
use memlens_params::Params;
use memlens_rerank::choice::remove_embedding;
use memlens_rerank::{CancellationToken, download_embedding, downloads_are_off, hub_host};
use memlens_store::{ModelVectors, Store};
use memlens_wire::{
    EmbeddingModel, EmbeddingModels, ForeignNotes, ModelDownload, ModelPlan, OtherVectors,
};

use crate::model_choice::{
    Choice, chosen_model, forget_model_folder, model_folders, model_named, model_of,
};
use crate::reranking::providers::models_folder;
use crate::writes::Writes;
use crate::{EngineError, Library};

/// Number of chunks that are embedded to measure a model on this machine; the first lines of each stand for a window.
const MEASURED: usize = 4;

/// Number of notes, evenly spread, whose first chunk's language is detected.
const LANGUAGE_NOTES: usize = 1000;
/// More than one of this many notes in another language is reported.
const FOREIGN_SHARE: usize = 10;
/// Fewer notes in another language are not reported: one short note is easily misjudged.
const FOREIGN_MIN: usize = 2;

/// Counts the notes that are probably not in English; `None` if they are not more than a tenth.
///
/// # Errors
/// [`EngineError::Store`].
pub fn foreign_notes(store: &Store) -> Result<Option<ForeignNotes>, EngineError> {
    let snapshot = store.snapshot()?;
    let n_notes = snapshot.documents.len();
    let firsts = snapshot.documents.iter();
    let firsts = firsts.filter_map(|note| note.chunks.iter().next().map(|chunk| chunk.id));
    let firsts: Vec<i64> = firsts
        .step_by(n_notes.div_ceil(LANGUAGE_NOTES).max(1))
        .collect();
    let n_seen = firsts.len();
    let texts = store.chunk_texts(firsts)?;
    let n_foreign = texts
        .iter()
        .flatten()
        .filter(|text| is_foreign(text))
        .count();
    let is_many = n_foreign >= FOREIGN_MIN && n_foreign * FOREIGN_SHARE > n_seen;
    Ok(is_many.then_some(ForeignNotes {
        n_foreign: n_foreign as u32,
        n_seen: n_seen as u32,
    }))
}

/// Lists the models, and whose vectors the library holds.
///
/// # Errors
/// [`EngineError::Store`].
pub fn embedding_models(store: &Store) -> Result<EmbeddingModels, EngineError> {
    let vectors = store.vectors_by_model()?;
    let in_use = store.embedding_model()?.map(|(id, _)| id);
    let chosen = chosen_model(store).ok();
    let downloads = Downloads::new(store.dir());
    let mut folders = model_folders(store)?;
    // Those of the user's own first.
    folders.sort_by_key(|folder| folder.hub.is_some());
    let folders = folders.into_iter().map(Choice::Folder);
    let choices: Vec<Choice> = Model::ALL
        .map(Choice::Known)
        .into_iter()
        .chain(folders)
        .collect();
    let is_other = |it: &&ModelVectors| !choices.iter().any(|choice| choice.info().id == it.model);
    let others = vectors.iter().filter(is_other).map(|it| OtherVectors {
        id: it.model.clone(),
        n_vectors: it.n_vectors as u32,
        vector_bytes: it.n_bytes() as f64,
        is_in_use: in_use.as_ref() == Some(&it.model),
    });
    let models = choices.iter().map(|choice| {
        let of_model = vectors.iter().find(|it| it.model == choice.info().id);
        let is_chosen = chosen.as_ref() == Some(choice);
        // Without a note nothing is searched yet.
        let is_in_use = match &in_use {
            Some(id) => *id == choice.info().id,
            None => is_chosen,
        };
        EmbeddingModel {
            is_in_use,
            is_chosen,
            n_vectors: of_model.map_or(0, |it| it.n_vectors as u32),
            vector_bytes: of_model.map_or(0.0, |it| it.n_bytes() as f64),
            ..described(choice, &downloads)
        }
    });
    let is_unused = |model: &&HubModel| !choices.iter().any(|choice| choice.name() == model.name);
    let unused = HUB_MODELS.iter().filter(is_unused);
    let unused = unused.map(|model| offered(model, &downloads));
    Ok(EmbeddingModels {
        others: others.collect(),
        models: models.chain(unused).collect(),
        foreign: foreign_notes(store)?,
    })
}

/// What downloads depend on.
struct Downloads {
    /// The folder of downloaded models.
    models: PathBuf,
    host: String,
    /// Why nothing may be downloaded; `None` if the user may start a download.
    blocked: Option<String>,
}

impl Downloads {
    fn new(dir: &Path) -> Downloads {
        Downloads {
            models: models_folder(dir),
            host: hub_host(),
            blocked: downloads_are_off(),
        }
    }

    fn of(&self, model: &HubModel) -> ModelDownload {
        let is_known = |file: &str| model.sums.iter().any(|(known, _)| *known == file);
        ModelDownload {
            source: format!("{}/{}", self.host, model.repository),
            is_there: model.is_there(&self.models),
            is_pinned: model.files().all(is_known),
            blocked: self.blocked.clone(),
        }
    }
}

/// Approximate size of a download in bytes.
fn download_bytes(model: &HubModel) -> f64 {
    f64::from(model.megabytes) * 1e6
}

/// Describes a model that can be downloaded, or was and is not used yet.
fn offered(model: &'static HubModel, downloads: &Downloads) -> EmbeddingModel {
    let download = downloads.of(model);
    let missing = EmbedError::NotDownloaded { name: model.name };
    EmbeddingModel {
        name: model.name.to_owned(),
        label: model.name.to_owned(),
        folder: None,
        dim: model.dim as u32,
        languages: model.languages.to_owned(),
        licence: model.licence.to_owned(),
        about: Some(model.about().to_owned()),
        file_bytes: Some(download_bytes(model)),
        missing: (!download.is_there).then(|| missing.to_string()),
        download: Some(download),
        is_in_use: false,
        is_chosen: false,
        n_vectors: 0,
        vector_bytes: 0.0,
    }
}

/// Downloads an embedding model into the library's folder, and returns its folder. `progress` gets the bytes that are there and
/// those of the whole model. What came before continues from there. `cancel` stops it.
///
/// # Errors
/// [`EmbedError::UnknownModel`], or [`EngineError::Rerank`] with the cause or where it was stopped.
pub fn download_embedding_model(
    library: &Library,
    name: &str,
    progress: &mut dyn FnMut(u64, u64),
    cancel: &CancellationToken,
) -> Result<PathBuf, EngineError> {
    let models = models_folder(library.dir());
    Ok(download_embedding(
        hub_model(name)?,
        &models,
        progress,
        cancel,
    )?)
}

/// Returns the model with this name that can be downloaded.
///
/// # Errors
/// [`EmbedError::UnknownModel`].
pub fn hub_model(name: &str) -> Result<&'static HubModel, EngineError> {
    let model = HubModel::named(name);
    Ok(model.ok_or_else(|| EmbedError::UnknownModel {
        name: name.to_owned(),
    })?)
}

/// Describes a model and its files, without what a library holds of it.
fn described(choice: &Choice, downloads: &Downloads) -> EmbeddingModel {
    let info = choice.info();
    let missing = choice.is_there().err().map(|error| error.to_string());
    let unknown = || "not known".to_owned();
    let (languages, licence, n_bytes, folder) = match choice {
        Choice::Known(model) => {
            let n_bytes = locations_of(*model).map(|at| model.n_bytes(&at.model));
            let (languages, licence) = (model.languages(), model.licence());
            // The files of a model that is not there have a known size, too.
            let n_bytes = n_bytes.ok().or(model.n_bytes_known());
            (languages.to_owned(), licence.to_owned(), n_bytes, None)
        }
        Choice::Folder(folder) => match folder.hub_model() {
            Some(model) => {
                return EmbeddingModel {
                    missing,
                    dim: folder.dim as u32,
                    ..offered(model, downloads)
                };
            }
            None => {
                let path = folder.path.display().to_string();
                let n_bytes = missing.is_none().then(|| folder.n_bytes());
                (unknown(), unknown(), n_bytes, Some(path))
            }
        },
    };
    EmbeddingModel {
        name: choice.name().to_owned(),
        label: info.name,
        folder,
        dim: info.dim as u32,
        languages,
        licence,
        about: match choice {
            Choice::Known(model) => Some(model.about().to_owned()),
            Choice::Folder(_) => None,
        },
        file_bytes: n_bytes.map(|n_bytes| n_bytes as f64),
        missing,
        download: None,
        is_in_use: false,
        is_chosen: false,
        n_vectors: 0,
        vector_bytes: 0.0,
    }
}

/// Returns how many texts the model with this name would have to embed, and how long that takes by a measurement on this
/// machine: it loads the model and embeds a few texts of the notes.
///
/// # Errors
/// [`EngineError::Embed`] for an unknown name, or if the model cannot be loaded; [`EngineError::Store`].
pub fn plan_model(library: &Library, name: &str) -> Result<ModelPlan, EngineError> {
    let model = model_named(&library.store(), name)?;
    let (n_texts, n_embedded) = library.store().n_texts_and_embedded(&model.info().id)?;
    let n_missing = n_texts.saturating_sub(n_embedded);
    let mut plan = ModelPlan {
        name: name.to_owned(),
        n_texts: n_texts as u32,
        n_missing: n_missing as u32,
        seconds: (n_missing == 0).then_some(0.0),
        n_measured: 0,
    };
    if n_missing == 0 {
        return Ok(plan);
    }
    let mut embedder = model.source(Vec::new())(Purpose::Changing)?;
    if let Some((seconds_each, n_measured)) = measure(library, &mut *embedder)? {
        plan.seconds = Some(seconds_each * n_missing as f64);
        plan.n_measured = n_measured;
    }
    Ok(plan)
}

/// Returns the seconds that a text takes, and how many were embedded to measure that; `None` if no text can be read.
fn measure(
    library: &Library,
    embedder: &mut dyn Embedder,
) -> Result<Option<(f64, u32)>, EngineError> {
    let lists = library.lists();
    let snapshot = &lists.snapshot;
    let chunks: Vec<i64> = snapshot
        .documents
        .iter()
        .flat_map(|document| document.chunks.iter().map(|chunk| chunk.id))
        .collect();
    let n_windows: usize = snapshot.documents.iter().map(|it| it.windows.len()).sum();
    let step = chunks.len().div_ceil(MEASURED).max(1);
    let sample = chunks.iter().copied().step_by(step);
    let texts = library.store().chunk_texts(sample)?;
    let texts: Vec<String> = texts.into_iter().flatten().collect();
    if texts.is_empty() {
        return Ok(None);
    }
    let window_chars = Params::default().window_chars as usize;
    let windows: Vec<String> = texts
        .iter()
        .map(|text| text.chars().take(window_chars).collect())
        .collect();
    embedder.wake()?;
    // The first run prepares the model's memory.
    let mut seconds_each = |texts: &[String]| -> Result<f64, EngineError> {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let started = Instant::now();
        embedder.embed(&texts, &AtomicBool::new(false))?;
        Ok(started.elapsed().as_secs_f64() / texts.len() as f64)
    };
    seconds_each(&windows[..1])?;
    let (of_chunk, of_window) = (seconds_each(&texts)?, seconds_each(&windows)?);
    let (n_chunks, n_windows) = (chunks.len() as f64, n_windows as f64);
    let mean = (n_chunks * of_chunk + n_windows * of_window) / (n_chunks + n_windows);
    Ok(Some((mean, (texts.len() + windows.len()) as u32)))
}

/// Deletes the stored vectors of a model, by its name or its id, that the notes are not searched by. Forgets its folder if it is the
/// user's own, and deletes its files if they were downloaded. Returns how many vectors there were.
///
/// # Errors
/// [`EngineError::VectorsInUse`] if the notes are searched by them, or are being embedded for them; [`EngineError::Rerank`] if files
/// cannot be deleted.
pub fn forget_vectors(writes: &impl Writes, name_or_id: &str) -> Result<u64, EngineError> {
    let library = writes.library();
    let known = model_of(&library.store(), name_or_id)?;
    let id = known
        .as_ref()
        .map_or_else(|| name_or_id.to_owned(), |choice| choice.info().id);
    let in_use = library.store().embedding_model()?;
    let chosen = chosen_model(&library.store()).ok();
    if in_use.is_some_and(|(in_use, _)| in_use == id) || (known.is_some() && known == chosen) {
        return Err(EngineError::VectorsInUse {
            model: name_or_id.to_owned(),
        });
    }
    let n_deleted = writes.write(|store| {
        forget_model_folder(store, &id)?;
        Ok(store.forget_vectors(&id)?)
    })?;
    let downloaded = match &known {
        Some(Choice::Folder(folder)) => folder.hub_model(),
        Some(Choice::Known(_)) => None,
        None => HubModel::named(name_or_id),
    };
    if let Some(model) = downloaded {
        remove_embedding(model, &models_folder(library.dir()))?;
    }
    Ok(n_deleted)
}
