//! The embedding model that the user chose for a library.

use std::path::{Path, PathBuf};

use memlens_embed::{
    EmbedError, Embedder, EmbedderSource, HubModel, Model, ModelFolder, ModelInfo, Purpose,
    is_english_model, load_runtime, locations, locations_of, source, source_of_folder,
};
use memlens_indexer::IndexerError;
use memlens_store::{Store, kept_setting};

use crate::EngineError;
use crate::reranking::providers::models_folder;
use crate::writes::Writes;

/// Key of the stored setting; absent for the bundled model. A model of the user's own is named by its id.
const KEY: &str = "embedding_model";
/// Key of the folders with models of the user's own, and with downloaded ones.
const FOLDERS: &str = "embedding_folders";

/// A model that a library can be embedded by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// One that this program knows.
    Known(Model),
    /// One of the user's own, or a downloaded one.
    Folder(ModelFolder),
}

impl Choice {
    /// The name by which it is chosen.
    pub fn name(&self) -> &str {
        match self {
            Choice::Known(model) => model.name(),
            Choice::Folder(folder) => folder.hub.as_deref().unwrap_or(&folder.id),
        }
    }

    /// Returns whether it reads English only; false for one whose languages are not known.
    pub fn is_english(&self) -> bool {
        is_english_model(&self.info().id)
    }

    /// Describes the model without loading it.
    pub fn info(&self) -> ModelInfo {
        match self {
            Choice::Known(model) => model.info(),
            Choice::Folder(folder) => folder.info(),
        }
    }

    /// Checks that its files are there, without reading them.
    ///
    /// # Errors
    /// [`EmbedError`] if a file is missing.
    pub fn is_there(&self) -> Result<(), EmbedError> {
        match self {
            Choice::Known(model) => locations_of(*model).map(drop),
            Choice::Folder(folder) => folder.is_there(),
        }
    }

    /// Returns why ONNX Runtime cannot run it; `None` if it can, or it needs none.
    fn runtime_error(&self) -> Option<EmbedError> {
        let found = match self {
            Choice::Known(model) if !model.needs_runtime() => return None,
            Choice::Known(model) => locations_of(*model),
            Choice::Folder(_) => locations(),
        };
        let loaded = found.and_then(|at| load_runtime(&at).map(drop));
        loaded.err().filter(EmbedError::is_of_runtime)
    }

    /// Returns the source of its embedders; `resources` are further folders to search for models.
    pub fn source(&self, resources: Vec<PathBuf>) -> EmbedderSource {
        match self {
            Choice::Known(model) => source(*model, resources),
            Choice::Folder(folder) => source_of_folder(folder.clone()),
        }
    }

    /// Finds a model by its name, also among `folders`.
    fn named(name: &str, folders: &[ModelFolder]) -> Result<Choice, EmbedError> {
        if let Some(model) = Model::from_name(name) {
            return Ok(Choice::Known(model));
        }
        let is_named = |it: &&ModelFolder| it.id == name || it.hub.as_deref() == Some(name);
        let folder = folders.iter().find(is_named);
        let folder = folder.ok_or_else(|| EmbedError::UnknownModel {
            name: name.to_owned(),
        })?;
        Ok(Choice::Folder(folder.clone()))
    }

    /// Finds a model by the id of its vectors, also among `folders`.
    fn of_id(id: &str, folders: &[ModelFolder]) -> Option<Choice> {
        let known = Model::from_id(id).map(Choice::Known);
        known.or_else(|| Choice::named(id, folders).ok())
    }
}

/// The model to index with. A library without the setting uses the bundled one.
///
/// # Errors
/// [`EmbedError::UnknownModel`] if a later version of this program chose it; [`EngineError::Store`].
pub fn chosen_model(store: &Store) -> Result<Choice, EngineError> {
    match store.setting(KEY)? {
        None => Ok(Choice::Known(Model::Bundled)),
        Some(name) => Ok(Choice::named(&name, &model_folders(store)?)?),
    }
}

/// The folders with models of the user's own.
///
/// # Errors
/// [`EngineError::Store`].
pub fn model_folders(store: &Store) -> Result<Vec<ModelFolder>, EngineError> {
    Ok(parse(store.setting(FOLDERS)?))
}

/// Folders that cannot be read count as none: a later version may have written them.
fn parse(folders: Option<String>) -> Vec<ModelFolder> {
    folders
        .and_then(|folders| serde_json::from_str(&folders).ok())
        .unwrap_or_default()
}

fn put_folders(store: &mut Store, folders: &[ModelFolder]) -> Result<(), EngineError> {
    let json = serde_json::to_string(folders).expect("paths were read from JSON or are text");
    let value = (!folders.is_empty()).then_some(json.as_str());
    Ok(store.put_setting(FOLDERS, value)?)
}

/// Returns the model in a folder, which must be usable.
///
/// # Errors
/// [`EmbedError::ModelFolder`].
pub fn read_model_folder(path: &Path) -> Result<ModelFolder, EngineError> {
    let path = memlens_files::canonical(path).unwrap_or_else(|_| path.to_owned());
    Ok(ModelFolder::read(&path, &locations()?)?)
}

/// Returns a downloaded model of the library in `dir`, which must be usable.
///
/// # Errors
/// [`EmbedError::NotDownloaded`], [`EmbedError::ModelFolder`].
pub fn read_downloaded_model(
    dir: &Path,
    model: &'static HubModel,
) -> Result<ModelFolder, EngineError> {
    let models = models_folder(dir);
    if !model.is_there(&models) {
        return Err(EmbedError::NotDownloaded { name: model.name }.into());
    }
    Ok(ModelFolder::read_downloaded(model, &models, &locations()?)?)
}

/// Remembers a folder with a model, so that it can be chosen.
///
/// # Errors
/// [`EngineError::Store`].
pub fn put_model_folder(store: &mut Store, folder: ModelFolder) -> Result<(), EngineError> {
    let mut folders = model_folders(store)?;
    let is_same = |known: &ModelFolder| {
        known.id == folder.id || (known.hub.is_some() && known.hub == folder.hub)
    };
    folders.retain(|known| !is_same(known));
    folders.push(folder);
    put_folders(store, &folders)
}

/// Forgets a folder with a model.
///
/// # Errors
/// [`EngineError::Store`].
pub(crate) fn forget_model_folder(store: &mut Store, id: &str) -> Result<(), EngineError> {
    let mut folders = model_folders(store)?;
    folders.retain(|known| known.id != id);
    put_folders(store, &folders)
}

/// Reads a folder with a model, and remembers it, so that it can be chosen.
///
/// # Errors
/// [`EmbedError::ModelFolder`] if it holds no usable model; the errors of writing.
pub fn add_model_folder(writes: &impl Writes, path: &Path) -> Result<(), EngineError> {
    let folder = read_model_folder(path)?;
    writes.write(|store| put_model_folder(store, folder))
}

/// Stores the model to index with. Whoever writes the library embeds every note by it.
///
/// # Errors
/// [`EngineError::Store`].
pub fn choose_model(store: &mut Store, choice: &Choice) -> Result<(), EngineError> {
    let name = (*choice != Choice::Known(Model::Bundled)).then_some(choice.name());
    Ok(store.put_setting(KEY, name)?)
}

/// Returns the model with this name; one that was downloaded and not used yet is loaded.
///
/// # Errors
/// [`EmbedError::UnknownModel`], [`EmbedError::NotDownloaded`]; [`EmbedError::ModelFolder`] if it cannot be loaded.
pub(crate) fn model_named(store: &Store, name: &str) -> Result<Choice, EngineError> {
    match (
        Choice::named(name, &model_folders(store)?),
        HubModel::named(name),
    ) {
        (Err(_), Some(model)) => Ok(Choice::Folder(read_downloaded_model(store.dir(), model)?)),
        (named, _) => Ok(named?),
    }
}

/// Returns the model with this name, or whose vectors have this id; `None` if this version knows none.
///
/// # Errors
/// [`EngineError::Store`].
pub(crate) fn model_of(store: &Store, name_or_id: &str) -> Result<Option<Choice>, EngineError> {
    let folders = model_folders(store)?;
    let named = Choice::named(name_or_id, &folders).ok();
    Ok(named.or_else(|| Choice::of_id(name_or_id, &folders)))
}

/// Returns the name on screen of the model with this id; `None` for one that this version does not know.
///
/// # Errors
/// [`EngineError::Store`].
pub fn model_label(store: &Store, id: &str) -> Result<Option<String>, EngineError> {
    let known = Choice::of_id(id, &model_folders(store)?);
    Ok(known.map(|choice| choice.info().name))
}

/// Chooses the model with this name. The notes are embedded by it in the background and searched by the model in use until all
/// are; choosing the model in use ends that.
///
/// # Errors
/// [`EmbedError::UnknownModel`]; [`EmbedError::NotFound`] or the like if its files are not there, and nothing is chosen then;
/// [`EngineError::Store`] or [`EngineError::Indexer`] if the choice cannot be saved.
pub fn choose_embedding_model(writes: &impl Writes, name: &str) -> Result<(), EngineError> {
    let choice = model_named(&writes.library().store(), name)?;
    let in_use = writes.library().store().embedding_model()?;
    if in_use.is_none_or(|(id, _)| id != choice.info().id) {
        choice.is_there()?;
    }
    writes.write(|store| {
        if let Choice::Folder(folder) = &choice {
            put_model_folder(store, folder.clone())?;
        }
        choose_model(store, &choice)
    })?;
    writes.model_chosen();
    Ok(())
}

/// Says that the small model is in use because ONNX Runtime cannot be loaded; `why` is the error.
pub fn small_model_sentence(why: &str) -> String {
    let name = Model::Static.info().name;
    format!(
        "your notes are embedded by the small model {name}, because the chosen model cannot be loaded: {why}. {}. Once the chosen \
         model can be loaded, the window or `memlens index` embeds the notes by it",
        Model::Static.about()
    )
}

/// Returns whether this is the id of the small model.
pub fn is_small_model(id: &str) -> bool {
    Model::from_id(id) == Some(Model::Static)
}

/// Says that the notes are searched by the small model although another was chosen, if that cannot be loaded now.
///
/// # Errors
/// [`EngineError::Store`].
pub fn small_model_notice(store: &Store) -> Result<Option<String>, EngineError> {
    let in_use = store.embedding_model()?;
    if !in_use.is_some_and(|(id, _)| is_small_model(&id)) {
        return Ok(None);
    }
    // A model of a later version has an error of its own.
    let error = chosen_model(store).ok().and_then(|it| it.runtime_error());
    Ok(error.map(|error| small_model_sentence(&error.to_string())))
}

/// Returns the embedder of the model that the user chose; `None` if that is `current`, the model in use.
///
/// # Errors
/// [`IndexerError::Store`] if the choice cannot be read; [`IndexerError::Embed`] if the model cannot be loaded.
pub fn changed_model(
    store: &Store,
    source: &EmbedderSource,
    current: &str,
) -> Result<Option<Box<dyn Embedder>>, IndexerError> {
    let chosen = match store.setting(KEY)? {
        None => Ok(Choice::Known(Model::Bundled)),
        Some(name) => Choice::named(&name, &parse(store.setting(FOLDERS)?)),
    };
    // Files need not be read to see that nothing changes.
    if chosen.is_ok_and(|chosen| chosen.info().id == current) {
        return Ok(None);
    }
    let embedder = source(Purpose::Changing)?;
    Ok((embedder.info().id != current).then_some(embedder))
}

/// Returns the source of embedders for the library in `dir`; `resources` are further folders to search for models.
///
/// A library without vectors is indexed by the small model where ONNX Runtime, which the chosen one needs, cannot be loaded; once it
/// can be, the chosen model replaces it.
///
/// It follows the library each time that it loads a model: notes are indexed and questions are embedded by the model of the
/// stored vectors, until those of the model that the user chose are whole. If the model of the stored vectors is not there any
/// more, notes are indexed by the chosen one. A library without vectors whose chosen model needs ONNX Runtime is indexed by the
/// small model where that cannot be loaded; once it can, the chosen model replaces it.
pub fn source_of_library(dir: &Path, resources: Vec<PathBuf>) -> EmbedderSource {
    let dir = dir.to_owned();
    std::sync::Arc::new(move |purpose| {
        let load = |choice: &Choice| choice.source(resources.clone())(purpose);
        let Models { in_use, chosen } = models_of(&dir);
        match (purpose, in_use) {
            (Purpose::Changing, _) => load(&chosen?),
            (Purpose::Query | Purpose::Indexing, None) => {
                let loaded = load(&chosen?);
                loaded.or_else(|error| match error.is_of_runtime() {
                    true => load(&Choice::Known(Model::Static)).map_err(|_| error),
                    false => Err(error),
                })
            }
            (Purpose::Query, Some(in_use)) => load(&in_use),
            (Purpose::Indexing, Some(in_use)) => match (load(&in_use), chosen) {
                // Its vectors are of no use without it.
                (Err(_), Ok(chosen)) if chosen != in_use => load(&chosen),
                (loaded, _) => loaded,
            },
        }
    })
}

/// The models of a library.
struct Models {
    /// The model of its vectors; `None` if there are none, or this version does not know it.
    in_use: Option<Choice>,
    /// The model that the user chose.
    chosen: Result<Choice, EmbedError>,
}

fn models_of(dir: &Path) -> Models {
    let kept = || Models {
        in_use: None,
        chosen: kept_model(dir),
    };
    // The caller reports or repairs a library that cannot be read; its repair restores the kept setting.
    let Ok(store) = Store::open_read_only(dir) else {
        return kept();
    };
    let (Ok(made_by), Ok(folders), chosen) = (
        store.embedding_model(),
        model_folders(&store),
        chosen_model(&store),
    ) else {
        return kept();
    };
    let chosen = match chosen {
        Ok(model) => Ok(model),
        Err(EngineError::Embed(error)) => Err(error),
        Err(_) => return kept(),
    };
    Models {
        in_use: made_by.and_then(|(id, _)| Choice::of_id(&id, &folders)),
        chosen,
    }
}

fn kept_model(dir: &Path) -> Result<Choice, EmbedError> {
    match kept_setting(dir, KEY) {
        None => Ok(Choice::Known(Model::Bundled)),
        Some(name) => Choice::named(&name, &parse(kept_setting(dir, FOLDERS))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_followed_until_it_is_taken_back() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut store = Store::open(dir.path()).expect("a library can be created");
        let check = |expected: Model| {
            let models = models_of(dir.path());
            assert_eq!(models.chosen.expect("it is known"), Choice::Known(expected));
            // The library has no vector yet.
            assert_eq!(models.in_use, None);
        };
        check(Model::Bundled);
        choose_model(&mut store, &Choice::Known(Model::Multilingual)).expect("it can be stored");
        check(Model::Multilingual);
        choose_model(&mut store, &Choice::Known(Model::Bundled)).expect("it can be stored");
        check(Model::Bundled);
    }

    #[test]
    fn a_library_without_its_database_keeps_the_choice() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut store = Store::open(dir.path()).expect("a library can be created");
        choose_model(&mut store, &Choice::Known(Model::Multilingual)).expect("it can be stored");
        store
            .come_to_rest(true)
            .expect("what the user made is written");
        drop(store);
        for entry in std::fs::read_dir(dir.path()).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            if path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("library.sqlite"))
            {
                std::fs::remove_file(path).expect("it can be removed");
            }
        }
        let models = models_of(dir.path());
        assert_eq!(
            models.chosen.expect("it is known"),
            Choice::Known(Model::Multilingual)
        );
    }

    #[test]
    fn a_choice_of_a_later_version_is_an_error() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut store = Store::open(dir.path()).expect("a library can be created");
        store
            .put_setting(KEY, Some("of a later version"))
            .expect("it can be stored");
        let error = models_of(dir.path()).chosen.expect_err("it is unknown");
        let expected = "cannot use the embedding model `of a later version`: this version of Memlens does not know it; \
                        choose one with `memlens index --model`";
        assert_eq!(error.to_string(), expected);
    }
}
