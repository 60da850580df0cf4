//! The cross-encoders that can be downloaded by name, and their folders.

use std::fs;
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
    /// The graph that former versions of this program downloaded, if it was another. A folder that holds it is used as it is.
    pub(crate) former: Option<&'static str>,
    /// Known checksums: paths in the repository with their sha256.
    pub(crate) sums: &'static [(&'static str, &'static str)],
}

/// The other files to download, which are small and have the same names everywhere.
const TOKENIZER_FILES: [&str; 4] = [
    "config.json",
    "special_tokens_map.json",
    TOKENIZER,
    "tokenizer_config.json",
];

const FULL: &str = "onnx/model.onnx";
const QUANTISED: &str = "onnx/model_quantized.onnx";
const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS_OF_M3: &str = "model.onnx.data";
/// Number of bytes in a megabyte.
const MEGABYTE: u64 = 1_000_000;

/// All models, the smallest first: those that fastembed supports, and the small one that most programs use.
///
/// The commits, the names and sizes of the graphs, and the checksums are those that at least two other public projects name. This
/// program's authors did not download the files, so they did not compare them. Each file is verified by the hub's checksum, if it
/// announces one, and by the known one or that of the first download. Scores are stored by the checksum of the downloaded files, so
/// those of two graphs never mix.
pub const MODELS: &[Model] = &[
    Model {
        name: "ms-marco-MiniLM-L-6-v2",
        label: "English, small and fast",
        megabytes: 24,
        licence: "Apache-2.0",
        repository: "Xenova/ms-marco-MiniLM-L-6-v2",
        revision: Some("a09144355adeed5f58c8ed011d209bf8ee5a1fec"),
        weights: &[QUANTISED],
        former: Some(FULL),
        sums: &[
            (
                QUANTISED,
                "e9d8ebf845c413e981c175bfe49a3bfa9b3dcce2a3ba54875ee5df5a58639fbe",
            ),
            (
                TOKENIZER,
                "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            ),
        ],
    },
    Model {
        name: "jina-reranker-v1-turbo-en",
        label: "English",
        megabytes: 40,
        licence: "Apache-2.0",
        repository: "jinaai/jina-reranker-v1-turbo-en",
        revision: Some("b8c14f4e723d9e0aab4732a7b7b93741eeeb77c2"),
        weights: &[QUANTISED],
        former: Some(FULL),
        sums: &[
            (
                QUANTISED,
                "3defdef1ae34e119bd704216087743e79665934c96aebabcb6077c239dc3ae66",
            ),
            (
                TOKENIZER,
                "0046da43cc8c424b317f56b092b0512aaaa65c4f925d2f16af9d9eeb4d0ef902",
            ),
        ],
    },
    Model {
        name: "jina-reranker-v2-base-multilingual",
        label: "many languages, slow; not for commercial use",
        megabytes: 297,
        licence: "CC-BY-NC-4.0",
        repository: "jinaai/jina-reranker-v2-base-multilingual",
        revision: Some("9cfeff2df7d40d1b78e75e5e9cebec92a99813c9"),
        weights: &[QUANTISED],
        former: Some(FULL),
        sums: &[
            (
                QUANTISED,
                "c5220cf8fe023f8aa0ed2a3eb787d4451a7f17cf53f6b787e35718dd4b8815c3",
            ),
            (
                TOKENIZER,
                "3a56def25aa40facc030ea8b0b87f3688e4b3c39eb8b45d5702b3a1300fe2a20",
            ),
        ],
    },
    Model {
        name: "bge-reranker-base",
        label: "English and Chinese, slow",
        megabytes: 1130,
        licence: "MIT",
        repository: "BAAI/bge-reranker-base",
        revision: Some("2cfc18c9415c912f9d8155881c133215df768a70"),
        weights: &[FULL],
        former: None,
        sums: &[
            (
                FULL,
                "15b9a8c3da82eddf263df571281166e00e9308fe19d077084b642ebfcaf06d2b",
            ),
            (
                TOKENIZER,
                "9eb652ac4e40cc093272bbbe0f55d521cf67570060227109b5cdc20945a4489e",
            ),
        ],
    },
    Model {
        name: "bge-reranker-v2-m3",
        label: "many languages, very slow",
        megabytes: 2290,
        licence: "Apache-2.0",
        repository: "rozgo/bge-reranker-v2-m3",
        revision: Some("fbd57b17b4db111a9d16813bb08b4c804fac18e9"),
        weights: &["model.onnx", WEIGHTS_OF_M3],
        former: None,
        sums: &[(
            WEIGHTS_OF_M3,
            "84b66c787b9b98977a16d5c993a3959210a214c98fc3466da263c949c2068945",
        )],
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

    /// Returns whether every file was downloaded completely, with the graph of today or of a former version.
    pub fn is_there(&self, models: &Path) -> bool {
        self.n_bytes(models).is_some()
    }

    /// Returns the megabytes of the downloaded files, or else approximately those of the download.
    pub fn megabytes_in(&self, models: &Path) -> u32 {
        let rounded = |n_bytes: u64| u32::try_from((n_bytes + MEGABYTE / 2) / MEGABYTE).ok();
        let found = self.n_bytes(models).and_then(rounded);
        found.unwrap_or(self.megabytes)
    }

    /// Returns the bytes of the downloaded files; `None` if one is missing.
    fn n_bytes(&self, models: &Path) -> Option<u64> {
        let folder = self.folder(models);
        let n_bytes = |files: &[&str]| {
            let lengths = TOKENIZER_FILES.iter().chain(files).map(|file| {
                let file = fs::metadata(folder.join(file)).ok()?;
                file.is_file().then_some(file.len())
            });
            lengths.sum::<Option<u64>>()
        };
        // The order in which a folder's graphs are used.
        let former = self.former.and_then(|former| n_bytes(&[former]));
        former.or_else(|| n_bytes(self.weights))
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
            match ours.former {
                // fastembed names the graph of full precision.
                Some(former) => assert_eq!(
                    (vec![former.to_owned()], ours.weights),
                    (weights, &[QUANTISED][..])
                ),
                None => assert_eq!(ours.weights, weights),
            }
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
    fn each_model_is_one_commit_with_known_checksums() {
        for model in MODELS {
            assert_eq!(model.revision.map(str::len), Some(40), "{}", model.name);
            for (file, sum) in model.sums {
                assert!(
                    model.files().any(|known| known == *file) && sum.len() == 64,
                    "{file}"
                );
            }
            let largest = model.weights.last().expect("it has a graph");
            assert!(
                model.sums.iter().any(|(file, _)| file == largest),
                "{largest}"
            );
        }
    }

    #[test]
    fn a_folder_with_the_graph_of_a_former_version_is_whole_and_has_its_own_size() {
        let models = tempfile::tempdir().expect("a scratch folder can be made");
        let model = &MODELS[0];
        let write = |file: &str, n_bytes: usize| {
            let bytes = vec![0_u8; n_bytes];
            fs::write(model.folder(models.path()).join(file), bytes).expect("it can be written");
        };
        fs::create_dir_all(model.folder(models.path()).join("onnx")).expect("it can be made");
        for file in TOKENIZER_FILES {
            write(file, 1);
        }
        assert!(!model.is_there(models.path()));
        assert_eq!(model.megabytes_in(models.path()), 24);
        write(FULL, 3_400_000);
        assert!(model.is_there(models.path()));
        assert_eq!(model.megabytes_in(models.path()), 3);
        // Nothing is requested for it.
        let progress = &mut |_, _| panic!("nothing is downloaded");
        let folder = model.download(models.path(), progress, &crate::CancellationToken::new());
        assert_eq!(folder.expect("it is there"), model.folder(models.path()));
        write(QUANTISED, 1_600_000);
        assert_eq!(model.megabytes_in(models.path()), 3);
        fs::remove_file(model.folder(models.path()).join(FULL)).expect("it is there");
        assert_eq!(model.megabytes_in(models.path()), 2);
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
