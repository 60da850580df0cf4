//! The embedding model that the user chose for a library.

use std::path::{Path, PathBuf};

use memlens_embed::{EmbedError, Embedder, EmbedderSource, Model, Purpose, locations_of, source};
use memlens_indexer::IndexerError;
use memlens_store::{Store, kept_setting};

use crate::EngineError;
use crate::writes::Writes;

/// Key of the stored setting; absent for the bundled model.
const KEY: &str = "embedding_model";

/// The model to index with. A library without the setting uses the bundled one.
///
/// # Errors
/// [`EmbedError::UnknownModel`] if a later version of this program chose it; [`EngineError::Store`].
pub fn chosen_model(store: &Store) -> Result<Model, EngineError> {
    match store.setting(KEY)? {
        None => Ok(Model::Bundled),
        Some(name) => Ok(Model::from_name(&name).ok_or(EmbedError::UnknownModel { name })?),
    }
}

/// Stores the model to index with. The next [`Indexer`](memlens_indexer::Indexer) embeds every note by it.
///
/// # Errors
/// [`EngineError::Store`].
pub fn choose_model(store: &mut Store, model: Model) -> Result<(), EngineError> {
    let name = (model != Model::Bundled).then_some(model.name());
    Ok(store.put_setting(KEY, name)?)
}

/// Returns the model with this name.
///
/// # Errors
/// [`EmbedError::UnknownModel`].
pub(crate) fn model_named(name: &str) -> Result<Model, EngineError> {
    let unknown = || EmbedError::UnknownModel {
        name: name.to_owned(),
    };
    Ok(Model::from_name(name).ok_or_else(unknown)?)
}

/// Chooses the model with this name. The notes are embedded by it in the background and searched by the model in use until all
/// are; choosing the model in use ends that.
///
/// # Errors
/// [`EmbedError::UnknownModel`]; [`EmbedError::NotFound`] or the like if its files are not there, and nothing is chosen then;
/// [`EngineError::Store`] or [`EngineError::Indexer`] if the choice cannot be saved.
pub fn choose_embedding_model(writes: &impl Writes, name: &str) -> Result<(), EngineError> {
    let model = model_named(name)?;
    let in_use = writes.library().store().embedding_model()?;
    if in_use.is_none_or(|(id, _)| id != model.info().id) {
        locations_of(model)?;
    }
    writes.write(|store| choose_model(store, model))?;
    writes.model_chosen();
    Ok(())
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
        None => Some(Model::Bundled),
        Some(name) => Model::from_name(&name),
    };
    // Files need not be read to see that nothing changes.
    if chosen.is_some_and(|chosen| chosen.info().id == current) {
        return Ok(None);
    }
    let embedder = source(Purpose::Changing)?;
    Ok((embedder.info().id != current).then_some(embedder))
}

/// Returns the source of embedders for the library in `dir`; `resources` are further folders to search for models.
///
/// It follows the library each time that it loads a model: notes are indexed and questions are embedded by the model of the
/// stored vectors, until those of the model that the user chose are whole. If the model of the stored vectors is not there any
/// more, notes are indexed by the chosen one.
pub fn source_of_library(dir: &Path, resources: Vec<PathBuf>) -> EmbedderSource {
    let dir = dir.to_owned();
    let sources = Model::ALL.map(|model| (model, source(model, resources.clone())));
    std::sync::Arc::new(move |purpose| {
        let load = |model: Model| {
            let of_model = sources.iter().find(|(it, _)| *it == model);
            let (_, source) = of_model.expect("every model has a source");
            source(purpose)
        };
        let Models { in_use, chosen } = models_of(&dir);
        match (purpose, in_use) {
            (Purpose::Changing, _) | (_, None) => load(chosen?),
            (Purpose::Query, Some(in_use)) => load(in_use),
            (Purpose::Indexing, Some(in_use)) => match (load(in_use), chosen) {
                // Its vectors are of no use without it.
                (Err(_), Ok(chosen)) if chosen != in_use => load(chosen),
                (loaded, _) => loaded,
            },
        }
    })
}

/// The models of a library.
struct Models {
    /// The model of its vectors; `None` if there are none, or this version does not know it.
    in_use: Option<Model>,
    /// The model that the user chose.
    chosen: Result<Model, EmbedError>,
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
    let (Ok(made_by), chosen) = (store.embedding_model(), chosen_model(&store)) else {
        return kept();
    };
    let chosen = match chosen {
        Ok(model) => Ok(model),
        Err(EngineError::Embed(error)) => Err(error),
        Err(_) => return kept(),
    };
    Models {
        in_use: made_by.and_then(|(id, _)| Model::from_id(&id)),
        chosen,
    }
}

fn kept_model(dir: &Path) -> Result<Model, EmbedError> {
    match kept_setting(dir, KEY) {
        None => Ok(Model::Bundled),
        Some(name) => Model::from_name(&name).ok_or(EmbedError::UnknownModel { name }),
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
            assert_eq!(models.chosen.expect("it is known"), expected);
            // The library has no vector yet.
            assert_eq!(models.in_use, None);
        };
        check(Model::Bundled);
        choose_model(&mut store, Model::Multilingual).expect("it can be stored");
        check(Model::Multilingual);
        choose_model(&mut store, Model::Bundled).expect("it can be stored");
        check(Model::Bundled);
    }

    #[test]
    fn a_library_without_its_database_keeps_the_choice() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut store = Store::open(dir.path()).expect("a library can be created");
        choose_model(&mut store, Model::Multilingual).expect("it can be stored");
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
        assert_eq!(models.chosen.expect("it is known"), Model::Multilingual);
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
