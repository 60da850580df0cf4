//! A cross-encoder on this machine, as a person chose it for this library.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use memlens_rerank::{CrossEncoder, MODELS, Model};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::refused;
use crate::EngineError;
use memlens_embed::locations;

/// Where downloaded models lie in the library's folder.
const MODELS_FOLDER: &str = "models";

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
pub(crate) enum Found {
    /// One of those with a name.
    Named(&'static Model),
    /// One in a folder.
    In(PathBuf),
}

impl ModelChoice {
    /// What was chosen.
    ///
    /// # Errors
    /// [`EngineError::Setting`] for neither or both of name and folder, an unknown name, a path that is not full or no
    /// folder.
    pub(crate) fn find(&self) -> Result<Found, EngineError> {
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
    /// Loads it and has it score a trial; `dir` is the library's folder.
    ///
    /// # Errors
    /// [`EngineError::Setting`] where it was not downloaded; [`EngineError::Rerank`] for one that cannot be used.
    pub(crate) fn load(&self, dir: &Path) -> Result<CrossEncoder, EngineError> {
        let threads = available_parallelism().map_or(1, usize::from);
        let models = models_folder(dir);
        match self {
            Found::Named(model) if !model.is_there(&models) => Err(refused(
                format!("the model {}", model.name),
                format!(
                    "it was not downloaded: do so in the settings, or with `memlens rerank-model download {}`",
                    model.name
                ),
            )),
            Found::Named(model) => Ok(model.load(&models, &locations()?, threads)?),
            Found::In(folder) => Ok(CrossEncoder::load(folder, &locations()?, threads)?),
        }
    }
}

/// The folder of downloaded models in the library's folder.
pub(crate) fn models_folder(dir: &Path) -> PathBuf {
    dir.join(MODELS_FOLDER)
}

/// The model of a name.
///
/// # Errors
/// [`EngineError::Setting`], which lists all names.
pub(crate) fn named(name: &str) -> Result<&'static Model, EngineError> {
    Model::named(name).ok_or_else(|| {
        let names: Vec<&str> = MODELS.iter().map(|model| model.name).collect();
        refused(
            format!("the model {name}"),
            format!("it is one of {}", names.join(", ")),
        )
    })
}

/// Every model that can be downloaded; `dir` is the library's folder.
pub(crate) fn offers(dir: &Path) -> Vec<ModelOffer> {
    let models = models_folder(dir);
    MODELS
        .iter()
        .map(|model| ModelOffer {
            name: model.name,
            label: model.label,
            megabytes: model.megabytes,
            licence: model.licence,
            is_there: model.is_there(&models),
        })
        .collect()
}

/// Removes every model that was downloaded, and what came of others; nothing else that may lie beside them.
///
/// # Errors
/// [`EngineError::File`].
pub(crate) fn erase_models(dir: &Path) -> Result<(), EngineError> {
    let models = models_folder(dir);
    for model in MODELS {
        let path = model.folder(&models);
        match fs::remove_dir_all(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(EngineError::File {
                    attempt: "remove",
                    path,
                    source,
                });
            }
            Ok(()) | Err(_) => {}
        }
    }
    // It stays where something else lies in it.
    let _ = fs::remove_dir(&models);
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
            "cannot use the model BGE: it is one of ms-marco-MiniLM-L-6-v2, ",
        );
        check(Some(""), None, "cannot use the model : it is one of ");
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
            refused.to_string().contains("it was not downloaded"),
            "{refused}"
        );
        assert!(offers(dir.path()).iter().all(|offer| !offer.is_there));
    }

    #[test]
    fn models_are_erased_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        erase_models(dir.path()).unwrap();
        let models = models_folder(dir.path());
        let (ours, other) = (MODELS[0].folder(&models), models.join("of-somebody-else"));
        for folder in [&ours, &other] {
            fs::create_dir_all(folder.join("onnx")).unwrap();
        }
        erase_models(dir.path()).unwrap();
        assert!(!ours.exists() && other.exists());
        fs::remove_dir_all(&other).unwrap();
        erase_models(dir.path()).unwrap();
        assert!(!models.exists());
    }
}
