//! The models that a library can be embedded by.

use std::path::{Path, PathBuf};

use crate::model_files::ModelFile;
use crate::{
    Bundled, EmbedError, Embedder, HubModel, Locations, ModelInfo, Multilingual, Static, bundled,
    multilingual, static_model,
};

/// A model that this program can load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// The small English model that comes with the program.
    #[default]
    Bundled,
    /// The model for about a hundred languages, fetched by `cargo xtask setup --model multilingual`.
    Multilingual,
    /// The small English model without ONNX Runtime, in use where that cannot be loaded.
    Static,
}

impl Model {
    /// All models, the default first.
    pub const ALL: [Model; 3] = [Model::Bundled, Model::Multilingual, Model::Static];

    /// The name by which the user chooses it.
    pub fn name(self) -> &'static str {
        match self {
            Model::Bundled => "bundled",
            Model::Multilingual => "multilingual",
            Model::Static => "static",
        }
    }

    /// Returns the model with this [name](Model::name).
    pub fn from_name(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.name() == name)
    }

    /// Returns the model with this [id](ModelInfo::id).
    pub fn from_id(id: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.info().id == id)
    }

    /// Describes the model without loading it.
    pub fn info(self) -> ModelInfo {
        match self {
            Model::Bundled => bundled::info(),
            Model::Multilingual => multilingual::info(),
            Model::Static => static_model::info(),
        }
    }

    /// The languages that it knows, for the user.
    pub fn languages(self) -> &'static str {
        match self {
            Model::Bundled => "English",
            Model::Multilingual => "about a hundred, English included",
            Model::Static => "English",
        }
    }

    /// Returns whether it reads English only.
    pub fn is_english(self) -> bool {
        match self {
            Model::Bundled | Model::Static => true,
            Model::Multilingual => false,
        }
    }

    /// Returns whether ONNX Runtime runs it.
    pub fn needs_runtime(self) -> bool {
        match self {
            Model::Bundled | Model::Multilingual => true,
            Model::Static => false,
        }
    }

    /// How it differs from the others, in a sentence for the user.
    pub fn about(self) -> &'static str {
        match self {
            Model::Bundled => "Finds most in English notes",
            Model::Multilingual => {
                "Also finds notes by questions in another language; slower, and weaker in English notes"
            }
            Model::Static => {
                "Needs no ONNX Runtime and is far faster; finds less (nDCG@10 on the sample questions 0.77, by the bundled model 0.87)"
            }
        }
    }

    /// The licence of its files, and who made them.
    pub fn licence(self) -> &'static str {
        match self {
            Model::Bundled => "Apache-2.0, by the sentence-transformers team",
            Model::Multilingual => "MIT, by Microsoft (intfloat)",
            Model::Static => "MIT, by Thomas van Dongen and others (MinishLab)",
        }
    }

    /// Size of its files in `folder` in bytes.
    pub fn n_bytes(self, folder: &Path) -> u64 {
        let files = self.files().iter();
        files
            .map(|file| folder.join(file.name).metadata().map_or(0, |it| it.len()))
            .sum()
    }

    /// Size of its files in bytes, of a model that is fetched by itself; `None` if it comes with the program.
    pub fn n_bytes_known(self) -> Option<u64> {
        match self {
            Model::Bundled | Model::Static => None,
            Model::Multilingual => Some(multilingual::N_BYTES),
        }
    }

    /// Loads the model, to run on `threads` threads (at least 1).
    ///
    /// # Errors
    /// Like [`Bundled::load`].
    pub fn load(self, at: &Locations, threads: usize) -> Result<Box<dyn Embedder>, EmbedError> {
        Ok(match self {
            Model::Bundled => Box::new(Bundled::load(at, threads)?),
            Model::Multilingual => Box::new(Multilingual::load(at, threads)?),
            Model::Static => Box::new(Static::load(at)?),
        })
    }

    /// Checks what [`Model::load`] would load, without the time and memory of loading the model.
    ///
    /// # Errors
    /// Like [`Bundled::check`].
    pub fn check(self, at: &Locations) -> Result<ModelInfo, EmbedError> {
        match self {
            Model::Bundled => Bundled::check(at),
            Model::Multilingual => Multilingual::check(at),
            Model::Static => Static::check(at),
        }
    }

    pub(crate) fn files(self) -> &'static [ModelFile] {
        match self {
            Model::Bundled => &bundled::MODEL_FILES,
            Model::Multilingual => &multilingual::FILES,
            Model::Static => &static_model::FILES,
        }
    }

    /// The name of the model's folder in an installed application.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Model::Bundled | Model::Static => "model",
            Model::Multilingual => "multilingual",
        }
    }

    /// Where a checkout has the model's files.
    pub(crate) fn in_checkout(self) -> &'static str {
        match self {
            Model::Bundled | Model::Static => "crates/memlens-embed/model",
            Model::Multilingual => ".fetched/multilingual",
        }
    }

    /// The error of a model that is in none of the searched folders.
    pub(crate) fn missing(self, looked: Vec<PathBuf>) -> EmbedError {
        match self {
            Model::Bundled => EmbedError::NotFound {
                what: "the embedding model",
                looked,
            },
            Model::Multilingual => EmbedError::NoMultilingual { looked },
            Model::Static => EmbedError::NotFound {
                what: "the small embedding model",
                looked,
            },
        }
    }
}

/// Returns whether the model with this [id](ModelInfo::id) reads English only; false for one whose languages are not known.
pub fn is_english_model(id: &str) -> bool {
    let known = Model::from_id(id).map(Model::is_english);
    known.unwrap_or_else(|| HubModel::from_id(id).is_some_and(HubModel::is_english))
}

/// Returns whether the model with this [id](ModelInfo::id) reads many languages, so that a question finds notes in another one; false
/// for one whose languages are not known.
pub fn is_multilingual_model(id: &str) -> bool {
    Model::from_id(id) == Some(Model::Multilingual)
        || HubModel::from_id(id).is_some_and(HubModel::is_multilingual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_is_found_by_its_name_and_its_id() {
        for model in Model::ALL {
            assert_eq!(Model::from_name(model.name()), Some(model));
            assert_eq!(Model::from_id(&model.info().id), Some(model));
        }
        let error = Model::Multilingual.missing(vec!["/a".into()]).to_string();
        assert!(
            error.contains("cargo xtask setup --model multilingual")
                && error.ends_with("looked at /a"),
            "{error}"
        );
        for (id, is_english, is_multilingual) in [
            (Model::Bundled.info().id.as_str(), true, false),
            (Model::Multilingual.info().id.as_str(), false, true),
            ("hub/bge-small-en-v1.5@1", true, false),
            ("hub/bge-small-zh-v1.5@1", false, false),
            ("hub/bge-m3@1", false, true),
            ("bge-m3@1", false, false),
        ] {
            let found = (is_english_model(id), is_multilingual_model(id));
            assert_eq!(found, (is_english, is_multilingual), "{id}");
        }
        assert_eq!(Model::from_name("minilm"), None);
        assert_eq!(Model::from_id("hashing-64"), None);
    }
}
