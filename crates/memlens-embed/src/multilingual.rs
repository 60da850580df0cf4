//! The multilingual model: multilingual-e5-small in 4 bits, run by ONNX Runtime.

use std::sync::atomic::{AtomicBool, Ordering};

use ort::session::Session;
use ort::value::TensorRef;

use crate::model_files::{self, ModelFile};
use crate::slices::slices_by;
use crate::token_vectors::mean_direction;
use crate::unigram::{Token, Unigram};
use crate::{CosineScale, EmbedError, Embedder, Locations, ModelInfo, TokenVectors, load_runtime};

/// The loaded multilingual model.
///
/// It embeds one text at a time, which is fastest on a CPU and needs the least memory (about 120 MB).
pub struct Multilingual {
    info: ModelInfo,
    session: Session,
    tokenizer: Unigram,
}

/// The graph with its weights, and the tokenizer; their origin is in `multilingual/SOURCE.md`.
pub(crate) const FILES: [ModelFile; 2] = [
    ModelFile {
        name: "model.onnx",
        sha256: "2f105bbb98a8c0aad3d904878291cf4bee1f12f39d1a42123e6267d5cdd70553",
    },
    ModelFile {
        name: "tokenizer.json",
        sha256: "28f22b7b6096a1793677767df29d420302ab9a70d12cb74aba7fb80e81b12ac4",
    },
];

/// Size of [`FILES`] in bytes.
pub(crate) const N_BYTES: u64 = 68_323_929 + 6_565_083;

/// The model's id: its name, the start of the checksum of the first of [`FILES`], and its two prefixes, of which every
/// vector depends.
pub(crate) const ID: &str = "multilingual-e5-small-q4@2f105bbb/query/passage";
/// Unrelated texts have cosines of 0.73 to 0.80. On four sets of questions nDCG@10 is the same for any value from 0.74
/// to 0.80; 0.75 keeps the meaning of `min_score`.
pub(crate) const SCALE: CosineScale = CosineScale { zero: 0.75 };

/// Written before a question, in any language: the model was trained with these.
const QUESTION: &str = "query: ";
/// Written before a text of a note.
const PASSAGE: &str = "passage: ";
/// Number of tokens of either prefix.
const PREFIX_TOKENS: usize = 2;

/// Number of values in a vector.
const DIM: usize = 384;
/// Maximum number of tokens of one run, with the prefix and both marks. The model accepts 512; with 256 nDCG@10 is the
/// same and it is 1.7 times as fast.
const RUN_TOKENS: usize = 256;
const MARKS: usize = 2;

/// Holds more than [`RUN_TOKENS`] tokens of nearly every text.
const READ_BYTES: usize = 1 << 12;
/// Texts are counted in slices of this size, to bound the memory.
const COUNT_BYTES: usize = 1 << 14;

impl Multilingual {
    /// Loads library and model, to run on `threads` threads (at least 1). See [`crate::Bundled::load`].
    ///
    /// # Errors
    /// [`EmbedError::Telemetry`], [`EmbedError::LoadRuntime`], [`EmbedError::ReadModel`], [`EmbedError::OtherModel`] or
    /// [`EmbedError::LoadModel`].
    pub fn load(at: &Locations, threads: usize) -> Result<Self, EmbedError> {
        let environment = load_runtime(at)?;
        let [graph, tokenizer] = model_files::read(&at.model, &FILES)?;
        let load_error = |why: String| EmbedError::LoadModel { why };
        let tokenizer = Unigram::parse(&tokenizer)
            .map_err(|why| load_error(format!("tokenizer.json: {why}")))?;
        let session = Session::builder(&environment)
            .map_err(|error| load_error(error.to_string()))?
            .with_intra_threads(threads.max(1))
            .map_err(|error| load_error(error.to_string()))?
            // Threads that spin while they wait would take the cores that are left to other programs.
            .with_config_entry("session.intra_op.allow_spinning", "0")
            .map_err(|error| load_error(error.to_string()))?
            .commit_from_memory(&graph)
            .map_err(|error| load_error(error.to_string()))?;
        Ok(Self {
            info: info(),
            session,
            tokenizer,
        })
    }

    /// Checks what [`Multilingual::load`] would load, without the time and memory of loading the model.
    ///
    /// # Errors
    /// Like [`Multilingual::load`], except [`EmbedError::LoadModel`].
    pub fn check(at: &Locations) -> Result<ModelInfo, EmbedError> {
        load_runtime(at)?;
        model_files::read(&at.model, &FILES)?;
        Ok(info())
    }

    /// Returns the tokens of prefix and text that are read.
    fn read(&self, prefix: &str, text: &str) -> Vec<Token> {
        let mut slices = slices(text, READ_BYTES);
        let first = format!("{prefix}{}", slices.next().unwrap_or_default());
        let mut tokens = self.tokenizer.tokens(&first, true);
        let mut start = first.len();
        for slice in slices {
            if tokens.len() >= RUN_TOKENS - MARKS {
                break;
            }
            let own = self.tokenizer.tokens(slice, false).into_iter();
            tokens.extend(own.map(|Token { id, bytes }| Token {
                id,
                bytes: start + bytes.start..start + bytes.end,
            }));
            start += slice.len();
        }
        tokens.truncate(RUN_TOKENS - MARKS);
        tokens
    }

    /// Returns the model's vectors of the tokens, with those of both marks: `f32[n_tokens + 2, dim]`.
    fn run(&mut self, tokens: &[Token]) -> Result<Vec<f32>, EmbedError> {
        let (start, end) = self.tokenizer.marks();
        let ids = tokens.iter().map(|token| i64::from(token.id));
        let marked = [i64::from(start)].into_iter().chain(ids);
        let ids: Vec<i64> = marked.chain([i64::from(end)]).collect();
        let mask = vec![1_i64; ids.len()];
        let shape = [1, ids.len()];
        let embed_error = |error: ort::Error| EmbedError::Embed {
            why: error.to_string(),
        };
        let inputs = ort::inputs! {
            "input_ids" => TensorRef::from_array_view((shape, &ids[..])).map_err(embed_error)?,
            "attention_mask" => TensorRef::from_array_view((shape, &mask[..])).map_err(embed_error)?,
        };
        let outputs = self.session.run(inputs).map_err(embed_error)?;
        let (found, values) = outputs["last_hidden_state"]
            .try_extract_tensor::<f32>()
            .map_err(embed_error)?;
        let is_expected = **found == [1, ids.len() as i64, DIM as i64];
        if !is_expected || !values.iter().all(|value| value.is_finite()) {
            return Err(EmbedError::Embed {
                why: "the model's answer is not one vector of its dimension a token".to_owned(),
            });
        }
        Ok(values.to_vec())
    }

    fn embed_one(&mut self, prefix: &str, text: &str) -> Result<Vec<f32>, EmbedError> {
        let tokens = self.read(prefix, text);
        let rows = self.run(&tokens)?;
        mean_direction(&rows, DIM).ok_or_else(|| EmbedError::Embed {
            why: "the model's answer has no direction".to_owned(),
        })
    }

    fn embed_all(
        &mut self,
        prefix: &str,
        texts: &[&str],
        cancel: &AtomicBool,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let embed = |text: &&str| match cancel.load(Ordering::Relaxed) {
            true => Err(EmbedError::Cancelled),
            false => self.embed_one(prefix, text),
        };
        texts.iter().map(embed).collect()
    }
}

impl Embedder for Multilingual {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed_all(PASSAGE, texts, cancel)
    }

    fn embed_questions(
        &mut self,
        questions: &[&str],
        cancel: &AtomicBool,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed_all(QUESTION, questions, cancel)
    }

    /// Every text is read as a question: the model's authors advise that for comparisons of equal sides.
    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        let tokens = self.read(QUESTION, text);
        let rows = self.run(&tokens)?;
        let mut found = TokenVectors::default();
        // The first row is that of the mark.
        for (token, row) in tokens.iter().zip(rows.chunks_exact(DIM).skip(1)) {
            if token.bytes.start >= QUESTION.len() {
                let bytes = token.bytes.start - QUESTION.len()..token.bytes.end - QUESTION.len();
                found.push(bytes, row.iter().copied());
            }
        }
        Ok(found)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        let mut is_start = true;
        let counts = slices(text, COUNT_BYTES).map(|slice| {
            let n = self.tokenizer.tokens(slice, is_start).len() as u32;
            is_start = false;
            n
        });
        counts.sum()
    }

    /// Counted by characters, because a run of unknown ones is one token.
    fn reads(&self, text: &str) -> bool {
        let slice = slices(text, READ_BYTES).next().unwrap_or_default();
        let n_chars = |bytes: std::ops::Range<usize>| {
            let chars = slice[bytes].chars();
            chars.filter(|c| !c.is_whitespace()).count()
        };
        let tokens = self.tokenizer.tokens(slice, true);
        let unknown = tokens.iter().filter(|it| it.id == self.tokenizer.unknown());
        let n_unknown: usize = unknown.map(|token| n_chars(token.bytes.clone())).sum();
        n_unknown * 2 <= n_chars(0..slice.len())
    }
}

pub(crate) fn info() -> ModelInfo {
    ModelInfo {
        id: ID.to_owned(),
        name: "multilingual-e5-small, 4 bits".to_owned(),
        dim: DIM,
        max_tokens: RUN_TOKENS - PREFIX_TOKENS,
    }
}

/// Cuts `text` into slices of at most `n_bytes` (at least 4), before a blank where there is one in the second half. A word
/// without blanks, such as a Chinese paragraph, is cut between two characters: a token there may be counted twice.
fn slices(text: &str, n_bytes: usize) -> impl Iterator<Item = &str> {
    slices_by(text, move |rest| {
        let longest = rest.floor_char_boundary(n_bytes);
        if longest == rest.len() {
            return longest;
        }
        let half = rest.floor_char_boundary(n_bytes / 2);
        let blank = rest[half..longest].rfind([' ', '\n']);
        blank
            .map(|blank| half + blank)
            .filter(|end| *end > 0)
            .unwrap_or(longest)
    })
}

/// Checks that slices keep every byte and their size. The model itself is tested in `tests/multilingual.rs`, which needs it.
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn slices_make_up_the_text(text in "[a-c \\n\u{e9}\u{4e2d}]{0,60}", n_bytes in 4_usize..20) {
            let cut: Vec<&str> = slices(&text, n_bytes).collect();
            prop_assert_eq!(cut.concat(), text.as_str());
            for slice in cut {
                prop_assert!(!slice.is_empty() && slice.len() <= n_bytes);
            }
        }
    }

    #[test]
    fn a_slice_ends_before_a_blank_if_there_is_one() {
        let cut: Vec<&str> = slices("one two three", 9).collect();
        assert_eq!(cut, ["one two", " three"]);
        let cut: Vec<&str> = slices("\u{4e2d}\u{4e2d}\u{4e2d}", 7).collect();
        assert_eq!(cut, ["\u{4e2d}\u{4e2d}", "\u{4e2d}"]);
    }
}
