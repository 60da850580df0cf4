//! A local cross-encoder: a model that reads the question and a text together and returns one number.

use std::fs;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use fastembed::{
    RerankInitOptionsUserDefined, TextRerank, TokenizerFiles, UserDefinedRerankingModel,
};
use memlens_embed::{Locations, load_runtime};
use serde_json::Value;
use tokenizers::Tokenizer;

use crate::model_folder::{CONFIG, TOKENIZER, TOKENIZER_CONFIG, graph, id_of};
use crate::windows::read_parts;
use crate::{Limits, RerankError, Reranker, RerankerInfo, Scale, Scores};

/// A loaded cross-encoder, run by ONNX Runtime through fastembed.
///
/// It reads one pair at a time, so that a score depends only on its pair, and a call can be cancelled after each pair.
pub struct CrossEncoder {
    info: RerankerInfo,
    model: TextRerank,
    /// The model's own tokenizer, without truncation at `tokens_max`.
    counter: Tokenizer,
    /// Maximum number of tokens of a pair, including the marks.
    tokens_max: usize,
    /// Number of marks at the ends of a pair and between its sides.
    n_marks: usize,
}

const SPECIAL_TOKENS: &str = "special_tokens_map.json";
/// The content that replaces an optional file that is missing.
const NOTHING: &[u8] = b"{}";

/// Maximum number of tokens of a pair, for which such models were made.
const TOKENS_MAX: usize = 512;
/// Two texts of different length in one call show whether the model gives each its score.
const TRIAL: (&str, [&str; 2]) = ("a trial?", ["a trial", "a second trial of some words"]);

impl CrossEncoder {
    /// Loads the model in `folder`, to run on `threads` threads (at least 1), and scores a trial with it.
    ///
    /// The folder must hold `model.onnx` or `onnx/model.onnx` (or `model_quantized.onnx`), `tokenizer.json` and
    /// `tokenizer_config.json`; `config.json` and `special_tokens_map.json` are optional. The graph's output is `logits`, one number per pair.
    ///
    /// # Errors
    /// [`RerankError::Runtime`], [`RerankError::ReadModel`] or [`RerankError::LoadModel`].
    pub fn load(
        folder: &Path,
        at: &Locations,
        threads: usize,
    ) -> Result<CrossEncoder, RerankError> {
        let environment = load_runtime(at).map_err(RerankError::Runtime)?;
        let graph = graph(folder)?;
        let files = read_files(folder)?;
        let read = [
            &files.tokenizer_file,
            &files.config_file,
            &files.special_tokens_map_file,
            &files.tokenizer_config_file,
        ];
        let id = id_of(folder, &graph, &read)?;
        let model = UserDefinedRerankingModel::new(graph.clone(), files);
        let options = RerankInitOptionsUserDefined::new()
            .with_environment(environment)
            .with_max_length(TOKENS_MAX)
            .with_intra_threads(threads.max(1))
            // Threads that spin while they wait would take the cores that are left to other programs.
            .with_session_config("session.intra_op.allow_spinning", "0");
        let load_error = |path: PathBuf, why: String| RerankError::LoadModel { path, why };
        let mut model = TextRerank::try_new_from_user_defined(model, options).map_err(|error| {
            let is_of_tokenizer = matches!(error, fastembed::Error::TokenizerConfig(_));
            let path = if is_of_tokenizer {
                folder.join(TOKENIZER_CONFIG)
            } else {
                graph.clone()
            };
            load_error(path, error.to_string())
        })?;
        try_out(&mut model).map_err(|why| load_error(graph, why))?;

        let in_config =
            |error: tokenizers::Error| load_error(folder.join(TOKENIZER_CONFIG), error.to_string());
        let tokens_max = model
            .tokenizer
            .get_truncation()
            .map_or(TOKENS_MAX, |truncation| truncation.max_length);
        let mut counter = model.tokenizer.clone();
        counter.with_padding(None);
        counter.with_truncation(None).map_err(in_config)?;
        let n_marks = counter
            .encode_fast(("", ""), true)
            .map_err(in_config)?
            .len();
        let info = RerankerInfo {
            provider: "model".to_owned(),
            model: id,
        };
        Ok(CrossEncoder {
            info,
            model,
            counter,
            tokens_max,
            n_marks,
        })
    }
}

impl Reranker for CrossEncoder {
    fn info(&self) -> &RerankerInfo {
        &self.info
    }

    /// A text that is too long is read in parts, and its best part counts. The question is truncated if it leaves less
    /// than half of the tokens to the text.
    fn score(
        &mut self,
        query: &str,
        texts: &[&str],
        limits: &Limits,
    ) -> Result<Scores, RerankError> {
        let room = self.tokens_max.saturating_sub(self.n_marks);
        let n_query = count_tokens(&self.counter, query)?.min(room - room / 2);
        let part_max = (room - n_query).max(1);
        let mut n_tokens = 0;
        let mut scores = Vec::with_capacity(texts.len());
        for text in texts {
            let mut best = f32::NEG_INFINITY;
            let whole = iter::once(0..text.len()).collect();
            read_parts(text, whole, limits, |part| {
                let said = &text[part];
                let n_part = count_tokens(&self.counter, said)?;
                let n_chars = said.chars().count();
                if n_part > part_max && n_chars > 1 {
                    // Parts of similar length, rather than a long one and a short rest.
                    let n_parts = n_part.div_ceil(part_max);
                    return Ok(Some(n_chars.div_ceil(n_parts).min(n_chars - 1)));
                }
                let logits = logits(&mut self.model, query, &[said])
                    .map_err(|why| RerankError::CrossEncode { why })?;
                best = logits.into_iter().fold(best, f32::max);
                n_tokens += self.n_marks + n_query + n_part;
                Ok(None)
            })?;
            scores.push(Some(f64::from(best)));
        }
        Ok(Scores {
            scores,
            scale: Scale::Logit,
            n_tokens: Some(n_tokens as u64),
        })
    }
}

fn count_tokens(counter: &Tokenizer, text: &str) -> Result<usize, RerankError> {
    let tokens = counter.encode_fast(text, false);
    tokens
        .map(|tokens| tokens.len())
        .map_err(|error| RerankError::CrossEncode {
            why: error.to_string(),
        })
}

/// Returns the model's finite number for each text, in the order of the texts, or an error message.
fn logits(model: &mut TextRerank, query: &str, texts: &[&str]) -> Result<Vec<f32>, String> {
    let ranked = model
        .rerank(query, texts, false, Some(texts.len().max(1)))
        .map_err(|error| error.to_string())?;
    let mut logits = vec![f32::NAN; texts.len()];
    for result in &ranked {
        if let Some(logit) = logits.get_mut(result.index) {
            *logit = result.score;
        }
    }
    if ranked.len() != texts.len() {
        return Err(format!("{} scores for {} texts", ranked.len(), texts.len()));
    }
    match logits.iter().all(|logit| logit.is_finite()) {
        true => Ok(logits),
        false => Err("a score is not a finite number".to_owned()),
    }
}

/// Scores a trial, which detects an output of the wrong shape.
fn try_out(model: &mut TextRerank) -> Result<(), String> {
    let (query, texts) = TRIAL;
    // fastembed panics if the output does not have two dimensions, and gives no way to check that.
    let trial = catch_unwind(AssertUnwindSafe(|| logits(model, query, &texts)));
    match trial {
        Ok(logits) => logits.map(|_| ()),
        Err(_panic) => Err("its output `logits` does not hold one number per pair".to_owned()),
    }
}

/// Reads and checks the files beside the graph.
fn read_files(folder: &Path) -> Result<TokenizerFiles, RerankError> {
    let read = |name: &str| {
        let path = folder.join(name);
        // A pipe without a writer blocks only this thread; the call ends at its timeout.
        fs::read(&path).map_err(|source| RerankError::ReadModel { path, source })
    };
    let read_if_there = |name: &str| match folder.join(name).is_file() {
        true => read(name),
        false => Ok(NOTHING.to_vec()),
    };
    let files = TokenizerFiles {
        tokenizer_file: read(TOKENIZER)?,
        tokenizer_config_file: read(TOKENIZER_CONFIG)?,
        config_file: read_if_there(CONFIG)?,
        special_tokens_map_file: read_if_there(SPECIAL_TOKENS)?,
    };
    let wrong = |name: &str, why: String| RerankError::LoadModel {
        path: folder.join(name),
        why,
    };
    let json = |name: &str, bytes: &[u8]| -> Result<Value, RerankError> {
        serde_json::from_slice(bytes).map_err(|error| wrong(name, error.to_string()))
    };
    json(TOKENIZER_CONFIG, &files.tokenizer_config_file)?;
    json(SPECIAL_TOKENS, &files.special_tokens_map_file)?;
    Tokenizer::from_bytes(&files.tokenizer_file)
        .map_err(|error| wrong(TOKENIZER, error.to_string()))?;
    // fastembed uses the first of several numbers. For a classifier that would be the score of one class, not
    // relevance.
    let labels = &json(CONFIG, &files.config_file)?["id2label"];
    match labels.as_object().map_or(1, serde_json::Map::len) {
        1 => Ok(files),
        n_labels => {
            let why = format!("the model has {n_labels} classes; a reranker has one");
            Err(wrong(CONFIG, why))
        }
    }
}
