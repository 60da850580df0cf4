//! A cross-encoder on this machine, as a person chose it.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use memlens_embed::{Locations, locations};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::refused;
use crate::{CrossEncoder, MODELS, Model, RerankError};

/// A cross-encoder as a person sets it: one of those with a name, or one in a folder of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ModelChoice {
    /// The name of one that can be downloaded.
    #[serde(default)]
    pub name: Option<String>,
    /// The full path of a folder that holds one.
    #[serde(default)]
    pub folder: Option<String>,
}

/// A cross-encoder to choose.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ModelOffer {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub label: &'static str,
    /// What is downloaded, in millions of bytes.
    pub megabytes: u32,
    /// The licence that its authors give it.
    pub licence: &'static str,
    /// Whether it was downloaded.
    pub is_there: bool,
}

/// A model that can be found.
pub enum Found {
    /// One of those with a name.
    Named(&'static Model),
    /// One in a folder.
    In(PathBuf),
}

impl ModelChoice {
    /// What was chosen.
    ///
    /// # Errors
    /// [`RerankError::Setting`] for neither or both of name and folder, an unknown name, a path that is not full or no
    /// folder.
    pub fn find(&self) -> Result<Found, RerankError> {
        match (&self.name, &self.folder) {
            (Some(name), None) => Ok(Found::Named(named(name)?)),
            (None, Some(folder)) => {
                let path = Path::new(folder);
                let why = if !path.is_absolute() {
                    "give its full path"
                } else if !path.is_dir() {
                    "there is no such folder"
                } else {
                    return Ok(Found::In(path.to_owned()));
                };
                Err(refused(format!("the model in {folder}"), why))
            }
            (None, None) | (Some(_), Some(_)) => {
                Err(refused("the model", "give either its name or its folder"))
            }
        }
    }
}

impl Found {
    /// Loads it and has it score a trial; `models` is the folder of those that were downloaded.
    ///
    /// # Errors
    /// [`RerankError::Setting`] where it is not downloaded; others for one that cannot be used.
    pub fn load(&self, models: &Path) -> Result<CrossEncoder, RerankError> {
        let threads = available_parallelism().map_or(1, usize::from);
        match self {
            Found::Named(model) if !model.is_there(models) => Err(refused(
                format!("the model {}", model.name),
                format!(
                    "it is not downloaded: download it in the settings, or with `memlens rerank-model download {}`",
                    model.name
                ),
            )),
            Found::Named(model) => model.load(models, &runtime()?, threads),
            Found::In(folder) => CrossEncoder::load(folder, &runtime()?, threads),
        }
    }
}

/// Where ONNX Runtime lies.
fn runtime() -> Result<Locations, RerankError> {
    locations().map_err(RerankError::Runtime)
}

/// The model of a name.
///
/// # Errors
/// [`RerankError::Setting`], which lists all names.
pub fn named(name: &str) -> Result<&'static Model, RerankError> {
    Model::named(name).ok_or_else(|| {
        let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
        refused(
            format!("the model {name}"),
            format!("choose one of {}", names.join(", ")),
        )
    })
}

/// Every model that can be downloaded; `models` is the folder of those that were.
pub(super) fn offers(models: &Path) -> Vec<ModelOffer> {
    MODELS
        .iter()
        .map(|model| ModelOffer {
            name: model.name,
            label: model.label,
            megabytes: model.megabytes,
            licence: model.licence,
            is_there: model.is_there(models),
        })
        .collect()
}

/// Removes every model that was downloaded into a folder, and what came of others; nothing else that may lie beside
/// them.
///
/// # Errors
/// [`RerankError::RemoveModel`].
pub fn erase_models(models: &Path) -> Result<(), RerankError> {
    for model in MODELS {
        let path = model.folder(models);
        match fs::remove_dir_all(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(RerankError::RemoveModel { path, source });
            }
            Ok(()) | Err(_) => {}
        }
    }
    // It stays where something else lies in it.
    let _ = fs::remove_dir(models);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: Option<&str>, folder: Option<&str>, expected: &str) {
        let choice = ModelChoice {
            name: name.map(str::to_owned),
            folder: folder.map(str::to_owned),
        };
        let refused = choice.find().map(|_| ()).expect_err(expected);
        assert!(refused.to_string().starts_with(expected), "{refused}");
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let either = "cannot use the model: give either its name or its folder";
        check(None, None, either);
        check(Some("bge-reranker-base"), Some("/"), either);
        check(
            Some("BGE"),
            None,
            "cannot use the model BGE: choose one of ms-marco-MiniLM-L-6-v2, ",
        );
        check(Some(""), None, "cannot use the model : choose one of ");
        check(
            None,
            Some(""),
            "cannot use the model in : give its full path",
        );
        check(
            None,
            Some("model"),
            "cannot use the model in model: give its full path",
        );
        let dir = tempfile::tempdir().unwrap();
        let none = dir.path().join("none");
        let none = none.to_str().unwrap();
        check(
            None,
            Some(none),
            &format!("cannot use the model in {none}: there is no such folder"),
        );
    }

    #[test]
    fn a_named_model_must_be_downloaded_first() {
        let dir = tempfile::tempdir().unwrap();
        let found = Found::Named(&MODELS[0]);
        let refused = found
            .load(dir.path())
            .map(|_| ())
            .expect_err("it is not there");
        assert!(
            refused.to_string().contains("it is not downloaded"),
            "{refused}"
        );
        assert!(offers(dir.path()).iter().all(|offer| !offer.is_there));
    }

    #[test]
    fn models_are_erased_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let models = dir.path().join("models");
        erase_models(&models).unwrap();
        let (ours, other) = (MODELS[0].folder(&models), models.join("of-somebody-else"));
        for folder in [&ours, &other] {
            fs::create_dir_all(folder.join("onnx")).unwrap();
        }
        erase_models(&models).unwrap();
        assert!(!ours.exists() && other.exists());
        fs::remove_dir_all(&other).unwrap();
        erase_models(&models).unwrap();
        assert!(!models.exists());
    }
}
