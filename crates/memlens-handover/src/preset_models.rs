//! The embedding models with which the saved presets were made.

use std::collections::BTreeMap;

use memlens_library::EngineError;
use memlens_store::Store;

/// Key of the setting: the ids of the models by the presets' names, as JSON. Presets of former versions are not in it.
const KEY: &str = "preset_models";

/// Ids of the models by the names of the presets. A value that cannot be read counts as empty: a later version may have written it.
pub(crate) fn read(store: &Store) -> Result<BTreeMap<String, String>, EngineError> {
    let stored = store.setting(KEY)?;
    Ok(stored
        .and_then(|stored| serde_json::from_str(&stored).ok())
        .unwrap_or_default())
}

/// Stores the model of a preset; `None` removes it.
pub(crate) fn put(store: &mut Store, preset: &str, model: Option<&str>) -> Result<(), EngineError> {
    let mut models = read(store)?;
    let before = match model {
        Some(model) => models.insert(preset.to_owned(), model.to_owned()),
        None => models.remove(preset),
    };
    if before.as_deref() == model {
        return Ok(());
    }
    let json = serde_json::to_string(&models).expect("names are text");
    Ok(store.put_setting(KEY, (!models.is_empty()).then_some(json.as_str()))?)
}

/// A notice if a preset was made with another model than the one in use.
pub(crate) fn difference(made_with: Option<&str>, in_use: &str) -> Option<String> {
    let model = made_with.filter(|model| *model != in_use)?;
    Some(format!(
        "made with the embedding model {model}; this library uses {in_use}, so scores and thresholds differ"
    ))
}
