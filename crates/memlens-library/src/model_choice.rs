//! The embedding model that the user chose for a library.

use std::path::{Path, PathBuf};

use memlens_embed::{EmbedError, EmbedderSource, Model, Purpose, source};
use memlens_store::{Store, kept_setting};

use crate::EngineError;

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

/// Returns the source of embedders for the library in `dir`; `resources` are further folders to search for models.
///
/// It follows the library each time that it loads a model: notes are indexed by the model that the user chose, and
/// questions are embedded by the model of the stored vectors.
pub fn source_of_library(dir: &Path, resources: Vec<PathBuf>) -> EmbedderSource {
    let dir = dir.to_owned();
    let sources = Model::ALL.map(|model| (model, source(model, resources.clone())));
    std::sync::Arc::new(move |purpose| {
        let model = model_for(&dir, purpose)?;
        let of_model = sources.iter().find(|(it, _)| *it == model);
        let (_, source) = of_model.expect("every model has a source");
        source(purpose)
    })
}

fn model_for(dir: &Path, purpose: Purpose) -> Result<Model, EmbedError> {
    let found = match Store::open_read_only(dir) {
        // The caller reports or repairs a library that cannot be read; its repair restores the kept setting.
        Err(_) => return kept_model(dir),
        Ok(store) => of_store(&store, purpose),
    };
    match found {
        Ok(model) => Ok(model),
        Err(EngineError::Embed(error)) => Err(error),
        // As above.
        Err(_) => kept_model(dir),
    }
}

fn kept_model(dir: &Path) -> Result<Model, EmbedError> {
    match kept_setting(dir, KEY) {
        None => Ok(Model::Bundled),
        Some(name) => Model::from_name(&name).ok_or(EmbedError::UnknownModel { name }),
    }
}

fn of_store(store: &Store, purpose: Purpose) -> Result<Model, EngineError> {
    if purpose == Purpose::Query {
        let made_by = store.embedding_model()?;
        if let Some(model) = made_by.and_then(|(id, _)| Model::from_id(&id)) {
            return Ok(model);
        }
    }
    chosen_model(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_followed_until_it_is_taken_back() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut store = Store::open(dir.path()).expect("a library can be created");
        let check = |expected: Model| {
            let for_indexing = model_for(dir.path(), Purpose::Indexing).expect("it is known");
            assert_eq!(for_indexing, expected);
            // The library has no vector yet.
            let for_query = model_for(dir.path(), Purpose::Query).expect("it is known");
            assert_eq!(for_query, expected);
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
        let model = model_for(dir.path(), Purpose::Indexing).expect("it is known");
        assert_eq!(model, Model::Multilingual);
    }

    #[test]
    fn questions_follow_the_lists_and_not_the_choice() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut store = Store::open(dir.path()).expect("a library can be created");
        store
            .put_setting(KEY, Some("of a later version"))
            .expect("it can be stored");
        let error = model_for(dir.path(), Purpose::Indexing).expect_err("it is unknown");
        let expected = "cannot use the embedding model `of a later version`: this version of Memlens does not know it; \
                        choose one with `memlens index --model`";
        assert_eq!(error.to_string(), expected);
    }
}
