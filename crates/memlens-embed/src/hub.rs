//! Embedding models that can be downloaded: those of fastembed's list.

use std::path::{Path, PathBuf};

use crate::folder::{Output, Pooling};

/// A published embedding model, as offered before it is downloaded.
#[derive(Debug, PartialEq)]
pub struct HubModel {
    /// The name by which the user chooses it, which is also that of its folder.
    pub name: &'static str,
    /// The repository on the hub: owner and name.
    pub repository: &'static str,
    /// The commit to download; `None` for the newest one.
    pub revision: Option<&'static str>,
    /// Path of the graph in the repository. Of several graphs the one with quantised weights is used.
    pub(crate) graph: &'static str,
    /// Paths of the files with its weights, if they are not in the graph.
    pub(crate) weights: &'static [&'static str],
    /// Known checksums: paths in the repository with their sha256.
    pub sums: &'static [(&'static str, &'static str)],
    /// Approximate size of the download in megabytes.
    pub megabytes: u32,
    /// Number of values in a vector.
    pub dim: usize,
    /// The languages that it knows, for the user.
    pub languages: &'static str,
    /// The licence that its authors give it, and who they are.
    pub licence: &'static str,
    pub(crate) pooling: Pooling,
    pub(crate) output: Output,
    /// What is written before a question.
    pub(crate) question: &'static str,
    /// What is written before a text of a note.
    pub(crate) passage: &'static str,
    /// The cosine of unrelated texts. See [`CosineScale`](crate::CosineScale).
    pub(crate) zero: f64,
}

const TOKENIZER: &str = "tokenizer.json";
const ENGLISH: &str = "English";
/// End of the languages of a model for many.
const MANY: &str = "English included";
const BGE_QUESTION: &str = "Represent this sentence for searching relevant passages: ";
const BGE_QUESTION_CHINESE: &str = "为这个句子生成表示以用于检索相关文章：";
const BGE: &str = "MIT, by BAAI";
const E5: &str = "MIT, by Microsoft (intfloat)";
const SENTENCE_TRANSFORMERS: &str = "Apache-2.0, by the sentence-transformers team";
const NOMIC: &str = "Apache-2.0, by Nomic AI";
const SNOWFLAKE: &str = "Apache-2.0, by Snowflake";
const ALIBABA: &str = "Apache-2.0, by Alibaba";
const JINA: &str = "Apache-2.0, by Jina AI";
/// That of E5: its authors state cosines of 0.7 to 1 for all sizes, and 0.75 was measured with the small one.
const E5_ZERO: f64 = crate::multilingual::SCALE.zero;

/// What most models have in common.
const PLAIN: HubModel = HubModel {
    name: "",
    repository: "",
    revision: None,
    graph: "onnx/model.onnx",
    weights: &[],
    sums: &[],
    megabytes: 0,
    dim: 384,
    languages: ENGLISH,
    licence: "",
    pooling: Pooling::Mean,
    output: Output::ByFastembed,
    question: "",
    passage: "",
    zero: 0.0,
};

/// All models, the smallest first. Repositories, files, dimensions and pooling are those of fastembed 7.5, which has no prefixes:
/// these are from the models' cards.
///
/// Left out are the one that comes with this program (all-MiniLM-L6-v2), one that compares texts with images (clip-ViT-B-32), and
/// graphs of which the list has quantised ones.
///
/// The checksums and commits are those that other public projects name. This program's authors did not download the files, so they
/// did not compare them.
pub const HUB_MODELS: &[HubModel] = &[
    HubModel {
        name: "snowflake-arctic-embed-xs",
        repository: "snowflake/snowflake-arctic-embed-xs",
        graph: "onnx/model_quantized.onnx",
        megabytes: 24,
        licence: SNOWFLAKE,
        pooling: Pooling::First,
        question: BGE_QUESTION,
        ..PLAIN
    },
    HubModel {
        name: "all-MiniLM-L12-v2",
        repository: "Xenova/all-MiniLM-L12-v2",
        graph: "onnx/model_quantized.onnx",
        megabytes: 35,
        licence: SENTENCE_TRANSFORMERS,
        ..PLAIN
    },
    HubModel {
        name: "snowflake-arctic-embed-s",
        repository: "snowflake/snowflake-arctic-embed-s",
        graph: "onnx/model_quantized.onnx",
        megabytes: 35,
        licence: SNOWFLAKE,
        pooling: Pooling::First,
        question: BGE_QUESTION,
        ..PLAIN
    },
    HubModel {
        name: "bge-small-en-v1.5",
        repository: "Qdrant/bge-small-en-v1.5-onnx-Q",
        revision: Some("52398278842ec682c6f32300af41344b1c0b0bb2"),
        graph: "model_optimized.onnx",
        sums: &[
            (
                "model_optimized.onnx",
                "51f1bd0addd6e859e42c2c8021a5e5461385bb676a649f4b269aa445449f2431",
            ),
            (
                TOKENIZER,
                "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            ),
        ],
        megabytes: 67,
        licence: BGE,
        pooling: Pooling::First,
        question: BGE_QUESTION,
        ..PLAIN
    },
    HubModel {
        name: "bge-small-zh-v1.5",
        repository: "Xenova/bge-small-zh-v1.5",
        megabytes: 96,
        dim: 512,
        languages: "Chinese",
        licence: BGE,
        pooling: Pooling::First,
        question: BGE_QUESTION_CHINESE,
        ..PLAIN
    },
    HubModel {
        name: "snowflake-arctic-embed-m",
        repository: "Snowflake/snowflake-arctic-embed-m",
        graph: "onnx/model_quantized.onnx",
        megabytes: 111,
        dim: 768,
        licence: SNOWFLAKE,
        pooling: Pooling::First,
        question: BGE_QUESTION,
        ..PLAIN
    },
    HubModel {
        name: "nomic-embed-text-v1.5",
        repository: "nomic-ai/nomic-embed-text-v1.5",
        revision: Some("e9b6763023c676ca8431644204f50c2b100d9aab"),
        graph: "onnx/model_quantized.onnx",
        sums: &[
            (
                "onnx/model_quantized.onnx",
                "b4342336debaea79de872370664b0aaeb67dea4605513d00ee236ea871a81f27",
            ),
            (
                TOKENIZER,
                "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            ),
        ],
        megabytes: 138,
        dim: 768,
        licence: NOMIC,
        question: "search_query: ",
        passage: "search_document: ",
        ..PLAIN
    },
    HubModel {
        name: "snowflake-arctic-embed-m-long",
        repository: "snowflake/snowflake-arctic-embed-m-long",
        graph: "onnx/model_quantized.onnx",
        megabytes: 139,
        dim: 768,
        licence: SNOWFLAKE,
        pooling: Pooling::First,
        question: BGE_QUESTION,
        ..PLAIN
    },
    HubModel {
        name: "gte-base-en-v1.5",
        repository: "Alibaba-NLP/gte-base-en-v1.5",
        graph: "onnx/model_quantized.onnx",
        megabytes: 140,
        dim: 768,
        licence: ALIBABA,
        pooling: Pooling::First,
        ..PLAIN
    },
    HubModel {
        name: "bge-base-en-v1.5",
        repository: "Qdrant/bge-base-en-v1.5-onnx-Q",
        graph: "model_optimized.onnx",
        megabytes: 220,
        dim: 768,
        licence: BGE,
        pooling: Pooling::First,
        question: BGE_QUESTION,
        ..PLAIN
    },
    HubModel {
        name: "paraphrase-multilingual-MiniLM-L12-v2",
        repository: "Qdrant/paraphrase-multilingual-MiniLM-L12-v2-onnx-Q",
        graph: "model_optimized.onnx",
        megabytes: 240,
        languages: "about 50, English included",
        licence: SENTENCE_TRANSFORMERS,
        ..PLAIN
    },
    HubModel {
        name: "embeddinggemma-300m",
        repository: "onnx-community/embeddinggemma-300m-ONNX",
        graph: "onnx/model_quantized.onnx",
        weights: &["onnx/model_quantized.onnx_data"],
        megabytes: 330,
        dim: 768,
        languages: "more than 100, English included",
        licence: "Gemma Terms of Use, by Google",
        output: Output::Named("sentence_embedding"),
        question: "task: search result | query: ",
        passage: "title: none | text: ",
        ..PLAIN
    },
    HubModel {
        name: "mxbai-embed-large-v1",
        repository: "mixedbread-ai/mxbai-embed-large-v1",
        graph: "onnx/model_quantized.onnx",
        megabytes: 340,
        dim: 1024,
        licence: "Apache-2.0, by Mixedbread",
        pooling: Pooling::First,
        question: BGE_QUESTION,
        ..PLAIN
    },
    HubModel {
        name: "snowflake-arctic-embed-l",
        repository: "snowflake/snowflake-arctic-embed-l",
        graph: "onnx/model_quantized.onnx",
        megabytes: 340,
        dim: 1024,
        licence: SNOWFLAKE,
        pooling: Pooling::First,
        question: BGE_QUESTION,
        ..PLAIN
    },
    HubModel {
        name: "all-mpnet-base-v2",
        repository: "Xenova/all-mpnet-base-v2",
        megabytes: 440,
        dim: 768,
        licence: SENTENCE_TRANSFORMERS,
        ..PLAIN
    },
    HubModel {
        name: "gte-large-en-v1.5",
        repository: "Alibaba-NLP/gte-large-en-v1.5",
        graph: "onnx/model_quantized.onnx",
        megabytes: 440,
        dim: 1024,
        licence: ALIBABA,
        pooling: Pooling::First,
        ..PLAIN
    },
    HubModel {
        name: "multilingual-e5-small",
        repository: "intfloat/multilingual-e5-small",
        megabytes: 490,
        languages: "about a hundred, English included",
        licence: E5,
        question: "query: ",
        passage: "passage: ",
        zero: E5_ZERO,
        ..PLAIN
    },
    HubModel {
        name: "jina-embeddings-v2-base-en",
        repository: "jinaai/jina-embeddings-v2-base-en",
        graph: "model.onnx",
        megabytes: 550,
        dim: 768,
        licence: JINA,
        ..PLAIN
    },
    HubModel {
        name: "nomic-embed-text-v1",
        repository: "nomic-ai/nomic-embed-text-v1",
        megabytes: 550,
        dim: 768,
        licence: NOMIC,
        question: "search_query: ",
        passage: "search_document: ",
        ..PLAIN
    },
    HubModel {
        name: "jina-embeddings-v2-base-code",
        repository: "jinaai/jina-embeddings-v2-base-code",
        megabytes: 640,
        dim: 768,
        languages: "English and programming languages",
        licence: JINA,
        ..PLAIN
    },
    HubModel {
        name: "bge-large-en-v1.5",
        repository: "Qdrant/bge-large-en-v1.5-onnx-Q",
        graph: "model_optimized.onnx",
        megabytes: 670,
        dim: 1024,
        licence: BGE,
        pooling: Pooling::First,
        question: BGE_QUESTION,
        ..PLAIN
    },
    HubModel {
        name: "multilingual-e5-base",
        repository: "intfloat/multilingual-e5-base",
        megabytes: 1130,
        dim: 768,
        languages: "about a hundred, English included",
        licence: E5,
        question: "query: ",
        passage: "passage: ",
        zero: E5_ZERO,
        ..PLAIN
    },
    HubModel {
        name: "paraphrase-multilingual-mpnet-base-v2",
        repository: "Xenova/paraphrase-multilingual-mpnet-base-v2",
        megabytes: 1130,
        dim: 768,
        languages: "about 50, English included",
        licence: SENTENCE_TRANSFORMERS,
        ..PLAIN
    },
    HubModel {
        name: "bge-large-zh-v1.5",
        repository: "Xenova/bge-large-zh-v1.5",
        megabytes: 1300,
        dim: 1024,
        languages: "Chinese",
        licence: BGE,
        pooling: Pooling::First,
        question: BGE_QUESTION_CHINESE,
        ..PLAIN
    },
    HubModel {
        name: "modernbert-embed-large",
        repository: "lightonai/modernbert-embed-large",
        megabytes: 1580,
        dim: 1024,
        licence: "Apache-2.0, by LightOn",
        question: "search_query: ",
        passage: "search_document: ",
        ..PLAIN
    },
    HubModel {
        name: "multilingual-e5-large",
        repository: "Qdrant/multilingual-e5-large-onnx",
        graph: "model.onnx",
        weights: &["model.onnx_data"],
        megabytes: 2260,
        dim: 1024,
        languages: "about a hundred, English included",
        licence: E5,
        question: "query: ",
        passage: "passage: ",
        zero: E5_ZERO,
        ..PLAIN
    },
    HubModel {
        name: "bge-m3",
        repository: "BAAI/bge-m3",
        weights: &["onnx/model.onnx_data", "onnx/Constant_7_attr__value"],
        megabytes: 2290,
        dim: 1024,
        languages: "more than 100, English included",
        licence: BGE,
        pooling: Pooling::First,
        ..PLAIN
    },
];

impl HubModel {
    /// Returns the model of this name; case-sensitive.
    pub fn named(name: &str) -> Option<&'static HubModel> {
        HUB_MODELS.iter().find(|model| model.name == name)
    }

    /// Returns the model whose vectors have this [id](crate::ModelInfo::id); it names the version after the model.
    pub fn from_id(id: &str) -> Option<&'static HubModel> {
        HubModel::named(id.strip_prefix(ID_START)?.rsplit_once('@')?.0)
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

    /// Returns whether it reads English only.
    pub fn is_english(&self) -> bool {
        self.languages == ENGLISH
    }

    /// Returns whether it reads many languages, English among them.
    pub fn is_multilingual(&self) -> bool {
        self.languages.ends_with(MANY)
    }

    /// How it differs from the others, in a sentence for the user.
    pub fn about(&self) -> &'static str {
        match self.zero == 0.0 {
            true => "Not measured with Memlens: its scores are its plain cosines",
            false => {
                "Not measured with Memlens: its cosines are mapped like those of the smaller multilingual-e5-small, 4 bits"
            }
        }
    }

    /// Returns the path of every file in the repository and in the model's folder, the weights last.
    pub fn files(&self) -> impl Iterator<Item = &'static str> {
        [TOKENIZER, self.graph]
            .into_iter()
            .chain(self.weights.iter().copied())
    }
}

/// Start of the ids of these models: a folder of the user's own that has the same name has another id.
pub(crate) const ID_START: &str = "hub/";

/// Checks that all of fastembed's models are offered or left out on purpose, each with what fastembed uses of it.
#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fastembed::{EmbeddingModel, OutputKey, TextEmbedding};

    use super::*;

    /// Models that are offered with quantised weights, which have another graph in fastembed's list, too; the one that is bundled, and
    /// the one for images.
    const LEFT_OUT: [EmbeddingModel; 19] = [
        EmbeddingModel::AllMiniLML6V2,
        EmbeddingModel::AllMiniLML6V2Q,
        EmbeddingModel::AllMiniLML12V2,
        EmbeddingModel::BGEBaseENV15,
        EmbeddingModel::BGELargeENV15,
        EmbeddingModel::BGESmallENV15,
        EmbeddingModel::NomicEmbedTextV15,
        EmbeddingModel::ParaphraseMLMiniLML12V2,
        EmbeddingModel::MxbaiEmbedLargeV1,
        EmbeddingModel::GTEBaseENV15,
        EmbeddingModel::GTELargeENV15,
        EmbeddingModel::ClipVitB32,
        EmbeddingModel::EmbeddingGemma300M,
        EmbeddingModel::EmbeddingGemma300MQ4,
        EmbeddingModel::SnowflakeArcticEmbedXS,
        EmbeddingModel::SnowflakeArcticEmbedS,
        EmbeddingModel::SnowflakeArcticEmbedM,
        EmbeddingModel::SnowflakeArcticEmbedMLong,
        EmbeddingModel::SnowflakeArcticEmbedL,
    ];

    #[test]
    fn those_of_fastembed_are_among_them() {
        let mut n_found = 0;
        for theirs in TextEmbedding::list_supported_models() {
            if LEFT_OUT.contains(&theirs.model) {
                continue;
            }
            let ours = HUB_MODELS
                .iter()
                .find(|ours| ours.repository == theirs.model_code)
                .unwrap_or_else(|| panic!("{} is not listed", theirs.model_code));
            assert_eq!(
                (ours.graph, ours.dim),
                (theirs.model_file.as_str(), theirs.dim)
            );
            assert_eq!(ours.weights, theirs.additional_files, "{}", ours.name);
            let pooling = match TextEmbedding::get_default_pooling_method(&theirs.model) {
                Some(fastembed::Pooling::Mean) => Pooling::Mean,
                Some(fastembed::Pooling::Cls) => Pooling::First,
                other => panic!("{}: {other:?}", ours.name),
            };
            assert_eq!(ours.pooling, pooling, "{}", ours.name);
            let output = match theirs.output_key {
                Some(OutputKey::ByName(name)) => Output::Named(name),
                _ => Output::ByFastembed,
            };
            assert_eq!(ours.output, output, "{}", ours.name);
            n_found += 1;
        }
        assert_eq!(n_found, HUB_MODELS.len());
    }

    #[test]
    fn names_are_folders_and_ids() {
        let names: BTreeSet<&str> = HUB_MODELS.iter().map(|model| model.name).collect();
        assert_eq!(names.len(), HUB_MODELS.len());
        assert!(HUB_MODELS.is_sorted_by_key(|model| model.megabytes));
        for model in HUB_MODELS {
            assert_eq!(HubModel::named(model.name), Some(model));
            assert_eq!(
                HubModel::from_id(&format!("hub/{}@01234567", model.name)),
                Some(model)
            );
            assert_eq!(crate::Model::from_name(model.name), None);
            let is_name = |it: char| it.is_ascii_alphanumeric() || "-._".contains(it);
            assert!(model.name.chars().all(is_name), "{}", model.name);
            for (file, sum) in model.sums {
                assert!(
                    model.files().any(|it| it == *file) && sum.len() == 64,
                    "{file}"
                );
            }
        }
        assert_eq!(HubModel::named("../secrets"), None);
        // A folder of the user's own may have such a name.
        assert_eq!(HubModel::from_id("bge-m3@01234567"), None);
    }

    #[test]
    fn a_part_of_a_model_is_none() {
        let models = tempfile::tempdir().expect("a scratch folder can be made");
        let model = HubModel::named("bge-m3").expect("it is listed");
        std::fs::create_dir_all(model.folder(models.path()).join("onnx")).expect("it can be made");
        for file in model.files() {
            assert!(!model.is_there(models.path()), "{file} is missing");
            std::fs::write(model.folder(models.path()).join(file), "").expect("it can be written");
        }
        assert!(model.is_there(models.path()));
    }
}
