//! A local model of natural language inference: it reads two sentences and says whether the second follows from the first,
//! contradicts it, or neither.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use memlens_embed::{Locations, load_runtime};
use ort::session::Session;
use ort::value::Tensor;
use serde_json::Value;
use tokenizers::{Tokenizer, TruncationParams};

use crate::RerankError;
use crate::model_folder::{CONFIG, TOKENIZER, TOKENIZER_CONFIG, graph, id_of};

/// A loaded model with three labels, run by ONNX Runtime, one pair at a time.
pub struct NliModel {
    id: String,
    session: Session,
    tokenizer: Tokenizer,
    has_types: bool,
    /// Name of the output that is read.
    output: String,
    /// Position of the label "contradiction" in the output.
    contradiction: usize,
}

/// What a model says of two sentences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// The probability that they contradict each other, in `[0, 1]`: the greater one of both directions.
    pub contradiction: f64,
    /// Whether the model read only the beginning of a sentence, because both are longer than it accepts.
    pub is_cut: bool,
}

/// Number of labels of such a model.
const N_LABELS: usize = 3;
/// The label that is read, compared without case.
const CONTRADICTION: &str = "contradiction";
/// The output that is read if there are several.
const OUTPUT: &str = "logits";
/// Maximum number of tokens of a pair if the folder does not say less.
const TOKENS_MAX: usize = 512;
/// Number of tokens that the marks of a pair and one word of each side need.
const TOKENS_MIN: usize = 8;
/// Maximum number of bytes of a sentence that are read. They hold more than [`TOKENS_MAX`] tokens of nearly every text.
const READ_BYTES: usize = 1 << 13;
/// Maximum size of a file beside the graph; the largest tokenizers have some 20 MB.
const FILE_BYTES_MAX: u64 = 256 << 20;
/// Pairs of different length show whether the graph accepts any.
const TRIALS: [[&str; 2]; 2] = [
    ["a trial", "a second trial"],
    ["a trial of some more words", "no trial"],
];

impl NliModel {
    /// Loads the model in `folder`, to run on `threads` threads (at least 1), and compares a trial with it.
    ///
    /// The folder must hold `model.onnx`, or another graph as a cross-encoder's folder does, `tokenizer.json`, and a `config.json` whose `id2label` names three
    /// labels, of which one is "contradiction".
    ///
    /// # Errors
    /// [`RerankError::Runtime`], [`RerankError::ReadModel`] or [`RerankError::LoadModel`].
    pub fn load(folder: &Path, at: &Locations, threads: usize) -> Result<NliModel, RerankError> {
        let environment = load_runtime(at).map_err(RerankError::Runtime)?;
        let graph = graph(folder)?;
        let tokenizer_file = read(&folder.join(TOKENIZER))?;
        let config_file = read(&folder.join(CONFIG))?;
        let options = read_if_there(&folder.join(TOKENIZER_CONFIG))?;
        let id = id_of(folder, &graph, &[&tokenizer_file, &config_file, &options])?;
        let config = json(folder.join(CONFIG), &config_file)?;
        let contradiction =
            position_of_contradiction(&config).map_err(|why| wrong(folder.join(CONFIG), why))?;
        let options = match options.is_empty() {
            true => Value::Null,
            false => json(folder.join(TOKENIZER_CONFIG), &options)?,
        };
        let lengths = [
            &options["model_max_length"],
            &config["max_position_embeddings"],
        ];
        let tokenizer = tokenizer(&tokenizer_file, &lengths)
            .map_err(|error| wrong(folder.join(TOKENIZER), error.to_string()))?;
        let session = session(&environment, &graph, threads)
            .map_err(|error| wrong(graph.clone(), error.to_string()))?;
        let has_types = has_types(&session).map_err(|why| wrong(graph.clone(), why))?;
        let output = output_of(&session).map_err(|why| wrong(graph.clone(), why))?;
        let mut model = NliModel {
            id,
            session,
            tokenizer,
            has_types,
            output,
            contradiction,
        };
        for [a, b] in TRIALS {
            match model.judge(a, b) {
                Err(RerankError::Judge { why }) => return Err(wrong(graph, why)),
                judged => judged?,
            };
        }
        Ok(model)
    }

    /// The folder's name and the start of the checksum of its files: other files have another id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the probability that two sentences contradict each other; the same one in either order.
    ///
    /// # Errors
    /// [`RerankError::Judge`].
    pub fn judge(&mut self, a: &str, b: &str) -> Result<Judged, RerankError> {
        let failed = |why: String| RerankError::Judge { why };
        let there = self.directed(a, b).map_err(failed)?;
        let back = self.directed(b, a).map_err(failed)?;
        Ok(Judged {
            contradiction: there.contradiction.max(back.contradiction),
            is_cut: there.is_cut || back.is_cut,
        })
    }

    /// Returns the probability that `second` contradicts `first`.
    fn directed(&mut self, first: &str, second: &str) -> Result<Judged, String> {
        let [read_first, read_second] =
            [first, second].map(|text| &text[..text.floor_char_boundary(READ_BYTES)]);
        let encoding = self
            .tokenizer
            .encode((read_first, read_second), true)
            .map_err(|error| error.to_string())?;
        let to_i64 =
            |values: &[u32]| -> Vec<i64> { values.iter().copied().map(i64::from).collect() };
        let ids = to_i64(encoding.get_ids());
        let mask = to_i64(encoding.get_attention_mask());
        let types = to_i64(encoding.get_type_ids());
        let shape = [1, ids.len()];
        let tensor = |values: &[i64]| -> Result<_, String> {
            Tensor::from_array((shape, values.to_vec())).map_err(|error| error.to_string())
        };
        let (ids, mask) = (tensor(&ids)?, tensor(&mask)?);
        let outputs = if self.has_types {
            let types = tensor(&types)?;
            self.session.run(ort::inputs! {
                "input_ids" => ids, "attention_mask" => mask, "token_type_ids" => types,
            })
        } else {
            self.session
                .run(ort::inputs! { "input_ids" => ids, "attention_mask" => mask })
        }
        .map_err(|error| error.to_string())?;
        let output = outputs
            .get(&self.output)
            .ok_or_else(|| format!("it has no output `{}`", self.output))?;
        let (shape, logits) = output
            .try_extract_tensor::<f32>()
            .map_err(|error| error.to_string())?;
        if logits.len() != N_LABELS {
            return Err(format!(
                "its output `{}` has the shape {shape:?} for one pair, and {CONFIG} names {N_LABELS} labels",
                self.output
            ));
        }
        let n_read = read_first.len() + read_second.len();
        Ok(Judged {
            contradiction: probability(logits, self.contradiction)
                .ok_or("a number of its output is not finite")?,
            is_cut: !encoding.get_overflowing().is_empty() || n_read < first.len() + second.len(),
        })
    }
}

/// Returns the share of one of the logits by softmax; `None` if one is not finite.
fn probability(logits: &[f32], at: usize) -> Option<f64> {
    if !logits.iter().all(|logit| logit.is_finite()) {
        return None;
    }
    let logits = logits.iter().copied().map(f64::from);
    let highest = logits.clone().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = logits.map(|logit| (logit - highest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.get(at).map(|power| power / sum)
}

/// Returns the position of the label "contradiction" among the three that a config names.
fn position_of_contradiction(config: &Value) -> Result<usize, String> {
    let labels = config["id2label"].as_object();
    let named = |at: usize| labels?.get(&at.to_string())?.as_str();
    let names: Vec<&str> = (0..N_LABELS).filter_map(named).collect();
    let n_labels = labels.map_or(0, serde_json::Map::len);
    if n_labels != N_LABELS || names.len() != N_LABELS {
        return Err(format!(
            "`id2label` names {n_labels} labels; a model for a second opinion has {N_LABELS}, numbered from 0: entailment, neutral and \
             contradiction, in any order"
        ));
    }
    let is_contradiction = |name: &&str| name.trim().eq_ignore_ascii_case(CONTRADICTION);
    match names.iter().filter(|name| is_contradiction(name)).count() {
        1 => Ok(names.iter().position(is_contradiction).unwrap_or_default()),
        _ => Err(format!(
            "`id2label` names the labels {}; exactly one must be contradiction",
            names.join(", ")
        )),
    }
}

/// Returns the tokenizer, which cuts pairs that are longer than the least of the lengths that the model names.
fn tokenizer(file: &[u8], lengths: &[&Value]) -> Result<Tokenizer, tokenizers::Error> {
    let mut tokenizer = Tokenizer::from_bytes(file)?;
    tokenizer.with_padding(None);
    // Some files name 1e30 where there is no limit.
    let named = lengths.iter().filter_map(|length| length.as_f64());
    let max_length = named
        .fold(TOKENS_MAX as f64, f64::min)
        .max(TOKENS_MIN as f64) as usize;
    tokenizer.with_truncation(Some(TruncationParams {
        max_length,
        ..TruncationParams::default()
    }))?;
    Ok(tokenizer)
}

fn session(
    environment: &ort::environment::Environment,
    graph: &Path,
    threads: usize,
) -> ort::Result<Session> {
    let session = Session::builder(environment)?
        .with_intra_threads(threads.max(1))?
        // Threads that spin while they wait would take the cores that are left to other programs.
        .with_config_entry("session.intra_op.allow_spinning", "0")?
        // From the file, because weights may be in a file beside it.
        .commit_from_file(graph)?;
    Ok(session)
}

/// Returns whether the graph reads the side of each token.
fn has_types(session: &Session) -> Result<bool, String> {
    let names: Vec<&str> = session.inputs().iter().map(|input| input.name()).collect();
    let known = ["input_ids", "attention_mask", "token_type_ids"];
    if let Some(other) = names.iter().find(|name| !known.contains(name)) {
        return Err(format!(
            "its input `{other}` is none of input_ids, attention_mask and token_type_ids"
        ));
    }
    Ok(names.contains(&known[2]))
}

/// Returns the name of the only output, or of the logits if there are several.
fn output_of(session: &Session) -> Result<String, String> {
    let names: Vec<&str> = session
        .outputs()
        .iter()
        .map(|output| output.name())
        .collect();
    match names[..] {
        [only] => Ok(only.to_owned()),
        _ if names.contains(&OUTPUT) => Ok(OUTPUT.to_owned()),
        _ => Err(format!(
            "its outputs are {}, and not {OUTPUT}",
            names.join(", ")
        )),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, RerankError> {
    let unread = |source| RerankError::ReadModel {
        path: path.to_owned(),
        source,
    };
    let n_bytes = fs::metadata(path).map_err(unread)?.len();
    if n_bytes > FILE_BYTES_MAX {
        let why = format!("it has {n_bytes} bytes, and at most {FILE_BYTES_MAX} are read");
        return Err(wrong(path.to_owned(), why));
    }
    fs::read(path).map_err(unread)
}

/// Reads an optional file; empty if it is missing.
fn read_if_there(path: &Path) -> Result<Vec<u8>, RerankError> {
    match read(path) {
        Err(RerankError::ReadModel { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Ok(Vec::new())
        }
        read => read,
    }
}

fn json(path: PathBuf, bytes: &[u8]) -> Result<Value, RerankError> {
    serde_json::from_slice(bytes).map_err(|error| wrong(path, error.to_string()))
}

fn wrong(path: PathBuf, why: String) -> RerankError {
    RerankError::LoadModel { path, why }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn three_labels_are_needed_of_which_one_is_contradiction() {
        let of = |labels: Value| position_of_contradiction(&json!({ "id2label": labels }));
        assert_eq!(
            of(json!({"0": "Contradiction", "1": "entailment", "2": "neutral"})),
            Ok(0)
        );
        assert_eq!(
            of(json!({"2": "CONTRADICTION", "1": "NEUTRAL", "0": "ENTAILMENT"})),
            Ok(2)
        );
        let refused = [
            (
                json!({"0": "contradiction", "1": "other"}),
                "names 2 labels",
            ),
            (json!({}), "names 0 labels"),
            (json!("contradiction"), "names 0 labels"),
            (
                json!({"1": "contradiction", "2": "neutral", "3": "entailment"}),
                "numbered from 0",
            ),
            (
                json!({"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}),
                "LABEL_0, LABEL_1, LABEL_2; exactly one",
            ),
            (
                json!({"0": "contradiction", "1": "contradiction", "2": "neutral"}),
                "exactly one",
            ),
        ];
        for (labels, why) in refused {
            let error = of(labels).expect_err(why);
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_probability_is_a_share() {
        let half = probability(&[2.0, 2.0, -200.0], 1).unwrap();
        assert!((half - 0.5).abs() < 1e-9);
        let sure = probability(&[1000.0, 0.0, -1000.0], 0);
        assert_eq!(sure, Some(1.0));
        assert_eq!(probability(&[f32::NAN, 0.0, 0.0], 1), None);
        assert_eq!(probability(&[f32::INFINITY, 0.0, 0.0], 0), None);
    }
}
