//! The user's choice of a local cross-encoder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use memlens_embed::{HUB_MODELS, HubModel, Locations, locations};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::refused;
use crate::download::sums;
use crate::{CrossEncoder, MODELS, Model, RerankError};

/// The user's choice of a cross-encoder: one with a name, or one in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct ModelChoice {
    /// Name of one that can be downloaded.
    #[serde(default)]
    pub name: Option<String>,
    /// Absolute path of a folder that holds one.
    #[serde(default)]
    pub folder: Option<String>,
}

/// A cross-encoder to choose from.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ModelOffer {
    /// Name of the model, for choosing it.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub label: &'static str,
    /// Size of the downloaded files in megabytes, or else approximately that of the download.
    pub megabytes: u32,
    /// The licence that its authors give it.
    pub licence: &'static str,
    /// Whether its files have been downloaded.
    pub is_there: bool,
}

/// A model that was located.
pub enum Found {
    /// One of those with a name.
    Named(&'static Model),
    /// A model in a folder.
    In(PathBuf),
}

impl ModelChoice {
    /// Locates the chosen model.
    ///
    /// # Errors
    /// [`RerankError::Setting`] if neither or both of name and folder are set, the name is unknown, the path is not
    /// absolute or there is no such folder.
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
    /// Loads the model and scores a trial with it; `models` is the folder of downloaded models.
    ///
    /// # Errors
    /// [`RerankError::Setting`] if it is not downloaded; others if it cannot be used.
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

/// Returns the location of ONNX Runtime.
fn runtime() -> Result<Locations, RerankError> {
    locations().map_err(RerankError::Runtime)
}

/// Returns the model of a name.
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

/// Returns every model that can be downloaded; `models` is the folder of downloaded models.
pub(super) fn offers(models: &Path) -> Vec<ModelOffer> {
    MODELS
        .iter()
        .map(|model| ModelOffer {
            name: model.name,
            label: model.label,
            megabytes: model.megabytes_in(models),
            licence: model.licence,
            is_there: model.is_there(models),
        })
        .collect()
}

/// Removes every downloaded model from a folder, including incomplete ones. Other files there are not touched.
///
/// # Errors
/// [`RerankError::RemoveModel`].
pub fn erase_models(models: &Path) -> Result<(), RerankError> {
    for model in MODELS {
        removed(model.folder(models), |path| fs::remove_dir_all(path))?;
    }
    for model in HUB_MODELS {
        remove_embedding(model, models)?;
    }
    removed(models.join(sums::FILE), |path| fs::remove_file(path))?;
    // The folder stays if it holds other files.
    let _ = fs::remove_dir(models);
    Ok(())
}

/// Removes a downloaded embedding model from a folder of models, whole or incomplete. Its checksums stay known.
///
/// # Errors
/// [`RerankError::RemoveModel`].
pub fn remove_embedding(model: &HubModel, models: &Path) -> Result<(), RerankError> {
    removed(model.folder(models), |path| fs::remove_dir_all(path))
}

/// Removes what may not be there.
fn removed(path: PathBuf, remove: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), RerankError> {
    match remove(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(RerankError::RemoveModel { path, source })
        }
        Ok(()) | Err(_) => Ok(()),
    }
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
        let embedding = HUB_MODELS[0].folder(&models);
        for folder in [&ours, &embedding, &other] {
            fs::create_dir_all(folder.join("onnx")).unwrap();
        }
        fs::write(models.join(sums::FILE), "{}").unwrap();
        erase_models(&models).unwrap();
        assert!(!ours.exists() && !embedding.exists() && other.exists());
        assert!(!models.join(sums::FILE).exists());
        fs::remove_dir_all(&other).unwrap();
        erase_models(&models).unwrap();
        assert!(!models.exists());
    }
}
