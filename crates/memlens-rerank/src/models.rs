//! The cross-encoders that can be downloaded by name, and their folders.

use std::path::{Path, PathBuf};

use memlens_embed::Locations;

use crate::{CrossEncoder, RerankError};

/// A published cross-encoder, as offered before it is downloaded.
#[derive(Debug, PartialEq, Eq)]
pub struct Model {
    /// The name in settings and on the command line.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub label: &'static str,
    /// Approximate size of the download in megabytes.
    pub megabytes: u32,
    /// The licence that its authors give it.
    pub licence: &'static str,
    /// The repository on the hub: owner and name.
    pub(crate) repository: &'static str,
    /// The commit to download; `None` for the newest one.
    pub(crate) revision: Option<&'static str>,
    /// Paths of the graph and its weights in the repository. Of several graphs the one with quantised weights is used.
    pub(crate) weights: &'static [&'static str],
    /// Known checksums: paths in the repository with their sha256.
    pub(crate) sums: &'static [(&'static str, &'static str)],
}

/// The other files to download, which are small and have the same names everywhere.
const TOKENIZER_FILES: [&str; 4] = [
    "config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
];

/// All models, the smallest first: those that fastembed supports, and the small one that most programs use.
///
/// Where no version is pinned, the newest version at the start of the first download is used, with all files of that one commit.
/// Each file is verified by the hub's checksum, if it announces one, and by the known one or that of the first download.
/// Scores are stored by the checksum of the downloaded files, so
/// those of two versions never mix.
pub const MODELS: &[Model] = &[
    Model {
        name: "ms-marco-MiniLM-L-6-v2",
        label: "English, small and fast",
        megabytes: 92,
        licence: "Apache-2.0",
        repository: "Xenova/ms-marco-MiniLM-L-6-v2",
        revision: None,
        weights: &["onnx/model.onnx"],
        sums: &[],
    },
    Model {
        name: "jina-reranker-v1-turbo-en",
        label: "English",
        megabytes: 152,
        licence: "Apache-2.0",
        repository: "jinaai/jina-reranker-v1-turbo-en",
        revision: None,
        weights: &["onnx/model.onnx"],
        sums: &[],
    },
    Model {
        name: "jina-reranker-v2-base-multilingual",
        label: "many languages, slow; not for commercial use",
        megabytes: 1130,
        licence: "CC-BY-NC-4.0",
        repository: "jinaai/jina-reranker-v2-base-multilingual",
        revision: None,
        weights: &["onnx/model.onnx"],
        sums: &[],
    },
    Model {
        name: "bge-reranker-base",
        label: "English and Chinese, slow",
        megabytes: 1130,
        licence: "MIT",
        repository: "BAAI/bge-reranker-base",
        revision: None,
        weights: &["onnx/model.onnx"],
        sums: &[],
    },
    Model {
        name: "bge-reranker-v2-m3",
        label: "many languages, very slow",
        megabytes: 2290,
        licence: "Apache-2.0",
        repository: "rozgo/bge-reranker-v2-m3",
        revision: None,
        weights: &["model.onnx", "model.onnx.data"],
        sums: &[],
    },
];

impl Model {
    /// Returns the model of this name; case-sensitive.
    pub fn named(name: &str) -> Option<&'static Model> {
        MODELS.iter().find(|model| model.name == name)
    }

    /// Returns the model's own folder in a folder of models; it may not exist.
    pub fn folder(&self, models: &Path) -> PathBuf {
        models.join(self.name)
    }

    /// Returns whether every file was downloaded completely.
    pub fn is_there(&self, models: &Path) -> bool {
        let folder = self.folder(models);
        self.files().all(|file| folder.join(file).is_file())
    }

    /// Loads the model from a folder of models, like [`CrossEncoder::load`].
    ///
    /// # Errors
    /// [`RerankError::NotDownloaded`], or like [`CrossEncoder::load`].
    pub fn load(
        &self,
        models: &Path,
        at: &Locations,
        threads: usize,
    ) -> Result<CrossEncoder, RerankError> {
        if !self.is_there(models) {
            return Err(RerankError::NotDownloaded { name: self.name });
        }
        CrossEncoder::load(&self.folder(models), at, threads)
    }

    /// Returns the path of every file in the repository and in the model's folder, the weights last.
    pub(crate) fn files(&self) -> impl Iterator<Item = &'static str> {
        TOKENIZER_FILES
            .into_iter()
            .chain(self.weights.iter().copied())
    }
}

/// Checks that fastembed's models are included, each as fastembed loads it, and that each name has its own folder.
#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use fastembed::TextRerank;

    use super::*;

    #[test]
    fn those_of_fastembed_are_among_them() {
        for theirs in TextRerank::list_supported_models() {
            let ours = MODELS
                .iter()
                .find(|ours| ours.repository == theirs.model_code)
                .unwrap_or_else(|| panic!("{} is not listed", theirs.model_code));
            let mut weights = vec![theirs.model_file];
            weights.extend(theirs.additional_files);
            assert_eq!(ours.weights, weights);
        }
    }

    #[test]
    fn names_are_folders() {
        let names: BTreeSet<&str> = MODELS.iter().map(|model| model.name).collect();
        assert_eq!(names.len(), MODELS.len());
        for model in MODELS {
            assert_eq!(Model::named(model.name), Some(model));
            assert_eq!(
                model.folder(Path::new("a")),
                Path::new("a").join(model.name)
            );
            assert!(model.repository.ends_with(model.name));
        }
        assert!(MODELS.is_sorted_by_key(|model| model.megabytes));
        assert_eq!(Model::named("../secrets"), None);
    }

    #[test]
    fn a_part_of_a_model_is_none() {
        let models = tempfile::tempdir().expect("a scratch folder can be made");
        let model = &MODELS[0];
        fs::create_dir_all(model.folder(models.path()).join("onnx")).expect("it can be made");
        for file in model.files() {
            assert!(!model.is_there(models.path()), "{file} is missing");
            fs::write(model.folder(models.path()).join(file), "").expect("it can be written");
        }
        assert!(model.is_there(models.path()));
    }

    #[test]
    fn one_that_was_not_downloaded_is_not_looked_for_elsewhere() {
        let models = tempfile::tempdir().expect("a scratch folder can be made");
        let at = Locations {
            runtime: PathBuf::new(),
            model: PathBuf::new(),
        };
        let error = MODELS[0]
            .load(models.path(), &at, 1)
            .err()
            .expect("it is not there");
        insta::assert_snapshot!(
            error.to_string(),
            @"cannot load cross-encoder ms-marco-MiniLM-L-6-v2: it is not downloaded"
        );
    }
}
