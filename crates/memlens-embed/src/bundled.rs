//! The bundled model: all-MiniLM-L6-v2 in 8 bits, run by ONNX Runtime through fastembed.

use std::sync::atomic::{AtomicBool, Ordering};

use fastembed::{
    InitOptionsUserDefined, OutputKey, Pooling, QuantizationMode, TextEmbedding, TokenizerFiles,
    UserDefinedEmbeddingModel,
};
use tokenizers::{
    Model, OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer, Tokenizer,
};

use crate::model_files::{self, ModelFile};
use crate::slices::slices_by;
use crate::{EmbedError, Embedder, Locations, ModelInfo, TokenVectors, load_runtime};

/// The loaded bundled model.
///
/// It embeds one text at a time, which is fastest on a CPU and needs the least memory (about 80 MB).
pub struct Bundled {
    info: ModelInfo,
    model: TextEmbedding,
}

/// Returns whether this processor sums the products of the model's 8-bit weights exactly. Others saturate sums at 16
/// bits: their vectors have a cosine of about 0.9997 with the exact ones, and rows with close scores may swap. Rows may
/// swap between two processors that sum exactly, too, because other steps of the model round differently.
pub fn sums_exactly() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx512vnni");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The graph with its weights, then the tokenizer's files; their origin is in `model/SOURCE.md`.
pub(crate) const MODEL_FILES: [ModelFile; 5] = [
    ModelFile {
        name: "model.onnx",
        sha256: "57d50a19b0eea04c802dab158fefd9b8e3f69c21f6b69328f22dbc468386f0bb",
    },
    ModelFile {
        name: "tokenizer.json",
        sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    },
    ModelFile {
        name: "config.json",
        sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    },
    ModelFile {
        name: "special_tokens_map.json",
        sha256: "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    },
    ModelFile {
        name: "tokenizer_config.json",
        sha256: "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    },
];

/// The model's id: its name and the start of the checksum of the first of [`MODEL_FILES`].
const ID: &str = "all-MiniLM-L6-v2-q8@57d50a19";
/// Number of values in a vector.
const DIM: usize = 384;
/// Maximum number of tokens read of a text. The model was trained on 128 and accepts 512, but works best with 256.
const MAX_TOKENS: usize = 256;
/// The model's output for each token, before pooling: `f32[n_texts, n_tokens, dim]`.
const TOKENS_OUTPUT: OutputKey = OutputKey::ByName("last_hidden_state");

impl Bundled {
    /// Loads library and model, to run on `threads` threads (at least 1).
    ///
    /// The library is loaded once per process; later calls use the one that was loaded first. On Linux, threads that the
    /// library starts have the priority of the calling thread, so call [`crate::lower_priority`] before.
    ///
    /// # Errors
    /// [`EmbedError::Telemetry`], [`EmbedError::LoadRuntime`], [`EmbedError::ReadModel`], [`EmbedError::OtherModel`] or
    /// [`EmbedError::LoadModel`].
    pub fn load(at: &Locations, threads: usize) -> Result<Self, EmbedError> {
        let environment = load_runtime(at)?;
        let [
            onnx_file,
            tokenizer_file,
            config_file,
            special_tokens_map_file,
            tokenizer_config_file,
        ] = model_files::read(&at.model, &MODEL_FILES)?;
        let files = TokenizerFiles {
            tokenizer_file,
            config_file,
            special_tokens_map_file,
            tokenizer_config_file,
        };
        let model = UserDefinedEmbeddingModel::new(onnx_file, files)
            .with_pooling(Pooling::Mean)
            .with_quantization(QuantizationMode::None);
        let options = InitOptionsUserDefined::new()
            .with_environment(environment)
            .with_max_length(MAX_TOKENS)
            .with_intra_threads(threads.max(1))
            // Threads that spin while they wait would take the cores that are left to other programs.
            .with_session_config("session.intra_op.allow_spinning", "0");
        let load_error = |why: String| EmbedError::LoadModel { why };
        let model = TextEmbedding::try_new_from_user_defined(model, options)
            .map_err(|error| load_error(error.to_string()))?;
        Ok(Self {
            info: info(),
            model,
        })
    }

    /// Checks what [`Bundled::load`] would load, without the time and memory of loading the model.
    ///
    /// # Errors
    /// Like [`Bundled::load`], except [`EmbedError::LoadModel`].
    pub fn check(at: &Locations) -> Result<ModelInfo, EmbedError> {
        load_runtime(at)?;
        model_files::read(&at.model, &MODEL_FILES)?;
        Ok(info())
    }

    /// Returns the start of `text` that holds every token that is read. The tokenizer would process the whole text,
    /// however long.
    fn part_read<'a>(&self, text: &'a str) -> &'a str {
        let mut n_tokens = 0;
        let mut end = 0;
        for slice in slices(text, READ_BYTES) {
            end += slice.len();
            if end == text.len() {
                break;
            }
            n_tokens += self.count_slice(slice);
            if n_tokens as usize >= MAX_TOKENS {
                break;
            }
        }
        &text[..end]
    }

    fn embed_one(&mut self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let embed_error = |why: String| EmbedError::Embed { why };
        let text = self.part_read(text);
        let vectors = self
            .model
            .embed([text], Some(1))
            .map_err(|error| embed_error(error.to_string()))?;
        match <[Vec<f32>; 1]>::try_from(vectors) {
            Ok([vector])
                if vector.len() == DIM && vector.iter().all(|number| number.is_finite()) =>
            {
                Ok(vector)
            }
            Ok(_) => Err(embed_error(
                "the model's answer is not a vector of its dimension".to_owned(),
            )),
            Err(vectors) => Err(embed_error(format!(
                "the model gave {} vectors for one text",
                vectors.len()
            ))),
        }
    }

    fn count_slice(&self, slice: &str) -> u32 {
        let slice = tokenized(&self.model.tokenizer, slice);
        tokens(&slice).count() as u32
    }
}

/// Tokenizes a text like the model's tokenizer, but without truncating at [`MAX_TOKENS`].
///
/// A second tokenizer without truncation would hold the vocabulary twice: 5 MB.
pub(crate) fn tokenized(tokenizer: &Tokenizer, text: &str) -> PreTokenizedString {
    let mut text = tokenizer
        .get_added_vocabulary()
        .extract_and_normalize(tokenizer.get_normalizer(), text);
    tokenizer
        .get_pre_tokenizer()
        .map_or(Ok(()), |words| words.pre_tokenize(&mut text))
        // Every text has tokens: an unknown word becomes one `[UNK]`.
        .and_then(|()| text.tokenize(|word| tokenizer.get_model().tokenize(word.get())))
        .expect("the model's tokenizer takes every text");
    text
}

/// Returns the ids of a text's tokens.
pub(crate) fn tokens(text: &PreTokenizedString) -> impl Iterator<Item = u32> {
    text.get_splits(OffsetReferential::Normalized, OffsetType::None)
        .into_iter()
        .filter_map(|(_, _, tokens)| tokens.as_deref())
        .flatten()
        .map(|token| token.id)
}

impl Embedder for Bundled {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        let embed = |text: &&str| match cancel.load(Ordering::Relaxed) {
            true => Err(EmbedError::Cancelled),
            false => self.embed_one(text),
        };
        texts.iter().map(embed).collect()
    }

    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        let text = self.part_read(text);
        let token_error = |error: fastembed::Error| EmbedError::Embed {
            why: error.to_string(),
        };
        let outputs = self
            .model
            .transform([text], Some(1))
            .map_err(token_error)?
            .into_raw();
        // The same tokenizer truncates at the same token, so the rows match these tokens.
        let tokens = self
            .model
            .tokenizer
            .encode(text, true)
            .expect("the model's tokenizer takes every text");
        let output = outputs.first().expect("one text is one batch");
        let hidden = output.select_output(&&TOKENS_OUTPUT).map_err(token_error)?;
        if hidden.shape() != [1, tokens.len(), DIM] {
            return Err(EmbedError::Embed {
                why: "the model's answer is not one vector of its dimension a token".to_owned(),
            });
        }
        let mut found = TokenVectors::default();
        let places = tokens
            .get_offsets()
            .iter()
            .zip(tokens.get_special_tokens_mask());
        for ((&(start, end), &is_mark), row) in places.zip(hidden.rows()) {
            if is_mark == 0 {
                found.push(start..end, row.iter().copied());
            }
        }
        Ok(found)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        slices(text, COUNT_BYTES)
            .map(|slice| self.count_slice(slice))
            .sum()
    }

    fn reads(&self, text: &str) -> bool {
        let tokenizer = &self.model.tokenizer;
        let text = tokenized(tokenizer, self.part_read(text));
        let unknown = tokenizer.token_to_id(UNKNOWN);
        let (n_unknown, n_tokens) = tokens(&text).fold((0, 0), |(n_unknown, n_tokens), id| {
            (n_unknown + u32::from(Some(id) == unknown), n_tokens + 1)
        });
        n_unknown * 2 <= n_tokens
    }
}

pub(crate) fn info() -> ModelInfo {
    ModelInfo {
        id: ID.to_owned(),
        name: "all-MiniLM-L6-v2, 8 bits".to_owned(),
        dim: DIM,
        max_tokens: MAX_TOKENS,
    }
}

/// The token for words that the tokenizer does not know.
const UNKNOWN: &str = "[UNK]";

/// Holds more than [`MAX_TOKENS`] tokens of nearly every text, and is little work for the tokenizer.
const READ_BYTES: usize = 1 << 12;

/// Texts are counted in slices of about this size, because counting takes about 60 times the text's memory.
const COUNT_BYTES: usize = 1 << 16;

/// Cuts `text` after blanks into slices of at least `n_bytes`, except the last. No token contains a blank, so the
/// slices have the same tokens as the whole text.
pub(crate) fn slices(text: &str, n_bytes: usize) -> impl Iterator<Item = &str> {
    slices_by(text, move |rest| {
        let from = rest.ceil_char_boundary(n_bytes);
        rest[from..]
            .find([' ', '\n'])
            .map_or(rest.len(), |blank| from + blank + 1)
    })
}

/// Checks that slices for counting keep every byte, stay near their size and end after blanks. The model itself is
/// tested in `tests/bundled.rs`.
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn slices_make_up_the_text(text in "[a-c \\n\u{e9}\u{4e2d}]{0,60}", n_bytes in 1_usize..20) {
            let cut: Vec<&str> = slices(&text, n_bytes).collect();
            prop_assert_eq!(cut.concat(), text.as_str());
            if let Some((last, others)) = cut.split_last() {
                prop_assert!(!last.is_empty());
                for slice in others {
                    prop_assert!(slice.len() >= n_bytes && slice.ends_with([' ', '\n']));
                }
            }
        }
    }
}
