//! An embedding model of the user's own: a folder with an ONNX graph and its tokenizer.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use ort::session::Session;
use ort::value::{Shape, TensorRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokenizers::{Tokenizer, TruncationParams};

use crate::hub::ID_START;
use crate::token_vectors::mean_direction;
use crate::{EmbedError, Embedder, HubModel, Locations, ModelInfo, TokenVectors, load_runtime};

/// Possible paths of the graph in a model's folder; the first that exists is used.
const GRAPHS: [&str; 4] = [
    "model.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
];
const TOKENIZER: &str = "tokenizer.json";
/// How the vectors of tokens become one: sentence-transformers' file.
const POOLING: &str = "1_Pooling/config.json";
/// What is written before questions and texts: sentence-transformers' file.
const PROMPTS: &str = "config_sentence_transformers.json";
/// How many tokens are read: sentence-transformers' file.
const LENGTH: &str = "sentence_bert_config.json";
/// Files that change vectors and may be missing.
const OPTIONAL: [&str; 3] = [POOLING, PROMPTS, LENGTH];

/// Maximum number of tokens of one run if the folder does not say less; every such model accepts as many.
const RUN_TOKENS: usize = 256;
/// Number of characters of the checksum that are part of the id.
const SUM_CHARS: usize = 8;
/// Files are hashed in parts of this size.
const HASH_BYTES: usize = 1 << 16;
/// Holds more than [`RUN_TOKENS`] tokens of nearly every text.
const READ_BYTES: usize = 1 << 12;
/// Texts of different length show whether the graph gives each its vector.
const TRIALS: [&str; 2] = ["a trial", "a second trial of some more words"];

/// A folder with a model, as it was when the user chose it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFolder {
    /// The folder.
    pub path: PathBuf,
    /// Id of the model: the folder's name and the start of the checksum of its files.
    pub id: String,
    /// Number of values in a vector.
    pub dim: usize,
    /// Maximum number of tokens read of a text.
    pub max_tokens: usize,
    /// Name of the [`HubModel`] that was downloaded there; `None` for one of the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
}

impl ModelFolder {
    /// Loads the model in a folder and embeds a trial with it.
    ///
    /// # Errors
    /// [`EmbedError::ModelFolder`] if a file is missing, cannot be read or does not fit; the errors of loading ONNX Runtime.
    pub fn read(path: &Path, at: &Locations) -> Result<ModelFolder, EmbedError> {
        ModelFolder::read_as(Recipe::Own, path, at)
    }

    /// Loads a downloaded model from a folder of models and embeds a trial with it.
    ///
    /// # Errors
    /// Like [`ModelFolder::read`].
    pub fn read_downloaded(
        model: &'static HubModel,
        models: &Path,
        at: &Locations,
    ) -> Result<ModelFolder, EmbedError> {
        ModelFolder::read_as(Recipe::Hub(model), &model.folder(models), at)
    }

    fn read_as(recipe: Recipe, path: &Path, at: &Locations) -> Result<ModelFolder, EmbedError> {
        let model = FolderModel::load(recipe, path, at, 1)?;
        Ok(ModelFolder {
            path: path.to_owned(),
            id: model.info.id,
            dim: model.info.dim,
            max_tokens: model.info.max_tokens,
            hub: recipe.hub_name().map(str::to_owned),
        })
    }

    /// The downloaded model that it holds; `None` for one of the user's own.
    pub fn hub_model(&self) -> Option<&'static HubModel> {
        self.hub.as_deref().and_then(HubModel::named)
    }

    fn recipe(&self) -> Result<Recipe, EmbedError> {
        match &self.hub {
            None => Ok(Recipe::Own),
            Some(name) => HubModel::named(name)
                .map(Recipe::Hub)
                .ok_or_else(|| EmbedError::UnknownModel { name: name.clone() }),
        }
    }

    /// Describes the model without loading it.
    pub fn info(&self) -> ModelInfo {
        ModelInfo {
            id: self.id.clone(),
            name: name_of(&self.path),
            dim: self.dim,
            max_tokens: self.max_tokens,
        }
    }

    /// Checks that the folder still holds the model, without loading it.
    ///
    /// # Errors
    /// [`EmbedError::ModelFolder`].
    pub fn check(&self) -> Result<(), EmbedError> {
        self.refuse_other(&self.recipe()?.id_of(&self.path)?)
    }

    /// Checks that the graph and the tokenizer are there, without reading them.
    ///
    /// # Errors
    /// [`EmbedError::ModelFolder`].
    pub fn is_there(&self) -> Result<(), EmbedError> {
        self.recipe()?.files_of(&self.path).map(drop)
    }

    /// Loads the model, to run on `threads` threads (at least 1).
    ///
    /// # Errors
    /// Like [`ModelFolder::read`], and if the folder holds another model now.
    pub fn load(&self, at: &Locations, threads: usize) -> Result<FolderModel, EmbedError> {
        self.check()?;
        let recipe = self.recipe()?;
        let model = FolderModel::load(recipe, &self.path, at, threads)?;
        if model.info.dim != self.dim {
            let graph = recipe.graph(&self.path)?;
            let why = format!(
                "its vectors have {} values, and not {} as before",
                model.info.dim, self.dim
            );
            return Err(wrong(graph, why));
        }
        Ok(model)
    }

    fn refuse_other(&self, found: &str) -> Result<(), EmbedError> {
        if found == self.id {
            return Ok(());
        }
        let instead = match &self.hub {
            None => "`memlens index --model-folder` with this folder embeds the notes by it",
            Some(_) => {
                "its files changed after the download; delete the folder and download the model again"
            }
        };
        let why = format!(
            "it holds another model now, {found} in place of {}; {instead}, `memlens index --model bundled` embeds the notes by the \
             bundled model",
            self.id
        );
        Err(wrong(self.path.clone(), why))
    }

    /// Size of its files in bytes.
    pub fn n_bytes(&self) -> u64 {
        let files = self.recipe().and_then(|recipe| recipe.files_of(&self.path));
        files
            .unwrap_or_default()
            .iter()
            .map(|file| file.metadata().map_or(0, |it| it.len()))
            .sum()
    }
}

/// The loaded model of a folder, run by ONNX Runtime, one text at a time.
pub struct FolderModel {
    info: ModelInfo,
    graph: PathBuf,
    session: Session,
    /// Name of the output that is read.
    output: String,
    tokenizer: Tokenizer,
    /// Without truncation, for counting.
    whole: Tokenizer,
    has_types: bool,
    pooling: Pooling,
    question: String,
    passage: String,
}

/// How the vectors of tokens become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pooling {
    Mean,
    First,
}

/// Which output of the graph is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// The first one.
    First,
    /// The only one, or else the first of [`FASTEMBED_OUTPUTS`] that it has.
    ByFastembed,
    /// The one of this name.
    Named(&'static str),
}

/// Names of outputs in the order in which fastembed looks for them.
const FASTEMBED_OUTPUTS: [&str; 3] = ["text_embeds", "last_hidden_state", "sentence_embedding"];

impl Output {
    /// Returns the name of the output among those of a graph.
    fn among(self, names: &[&str]) -> Result<String, String> {
        let found = match (self, names) {
            (_, []) => return Err("it has no output".to_owned()),
            (Output::First, [first, ..]) | (Output::ByFastembed, [first]) => Some(*first),
            (Output::ByFastembed, _) => FASTEMBED_OUTPUTS.into_iter().find(|it| names.contains(it)),
            (Output::Named(name), _) => names.contains(&name).then_some(name),
        };
        found.map(str::to_owned).ok_or_else(|| {
            let expected = match self {
                Output::Named(name) => name.to_owned(),
                Output::First | Output::ByFastembed => FASTEMBED_OUTPUTS.join(", "),
            };
            format!("its outputs are {}, and not {expected}", names.join(", "))
        })
    }
}

/// Where a folder's files are, and how they are used.
#[derive(Debug, Clone, Copy)]
enum Recipe {
    /// As the folder of the user's own says.
    Own,
    /// As this model was published.
    Hub(&'static HubModel),
}

impl Recipe {
    fn hub_name(self) -> Option<&'static str> {
        match self {
            Recipe::Own => None,
            Recipe::Hub(model) => Some(model.name),
        }
    }

    fn name_of(self, folder: &Path) -> String {
        match self {
            Recipe::Own => name_of(folder),
            Recipe::Hub(model) => model.name.to_owned(),
        }
    }

    /// Returns the path of the graph in a folder.
    fn graph(self, folder: &Path) -> Result<PathBuf, EmbedError> {
        match self {
            Recipe::Own => graph(folder),
            Recipe::Hub(model) => Ok(folder.join(model.graph)),
        }
    }

    /// Returns the files without which the model cannot be loaded.
    fn files_of(self, folder: &Path) -> Result<Vec<PathBuf>, EmbedError> {
        match self {
            Recipe::Own => files_of(folder).map(|(graph, tokenizer)| vec![graph, tokenizer]),
            Recipe::Hub(model) => {
                let files: Vec<PathBuf> = model.files().map(|file| folder.join(file)).collect();
                match files.iter().find(|file| !file.is_file()) {
                    None => Ok(files),
                    Some(missing) => Err(wrong(missing.clone(), "it is missing; download the model again in Settings, or with `memlens models download`".to_owned())),
                }
            }
        }
    }

    /// Returns the id of the model in a folder.
    fn id_of(self, folder: &Path) -> Result<String, EmbedError> {
        match self {
            Recipe::Own => id_of(folder),
            Recipe::Hub(model) => {
                let sum = sum_of(self.files_of(folder)?)?;
                Ok(format!("{ID_START}{}@{sum}", model.name))
            }
        }
    }

    fn options(self, folder: &Path) -> Result<Options, EmbedError> {
        match self {
            Recipe::Own => Options::read(folder),
            Recipe::Hub(model) => Ok(Options {
                pooling: model.pooling,
                output: model.output,
                max_tokens: RUN_TOKENS,
                question: model.question.to_owned(),
                passage: model.passage.to_owned(),
            }),
        }
    }
}

impl FolderModel {
    fn load(
        recipe: Recipe,
        folder: &Path,
        at: &Locations,
        threads: usize,
    ) -> Result<FolderModel, EmbedError> {
        let environment = load_runtime(at)?;
        let id = recipe.id_of(folder)?;
        let graph = recipe.graph(folder)?;
        let options = recipe.options(folder)?;
        let of_tokenizer =
            |error: tokenizers::Error| wrong(folder.join(TOKENIZER), error.to_string());
        let mut tokenizer = Tokenizer::from_file(folder.join(TOKENIZER)).map_err(of_tokenizer)?;
        tokenizer.with_padding(None);
        let mut whole = tokenizer.clone();
        whole.with_truncation(None).map_err(of_tokenizer)?;
        let max_length = options.max_tokens;
        let truncation = TruncationParams {
            max_length,
            ..TruncationParams::default()
        };
        tokenizer
            .with_truncation(Some(truncation))
            .map_err(of_tokenizer)?;
        let of_graph = |error: ort::Error| wrong(graph.clone(), error.to_string());
        let session = Session::builder(&environment)
            .map_err(of_graph)?
            .with_intra_threads(threads.max(1))
            .map_err(|error| wrong(graph.clone(), error.to_string()))?
            // Threads that spin while they wait would take the cores that are left to other programs.
            .with_config_entry("session.intra_op.allow_spinning", "0")
            .map_err(|error| wrong(graph.clone(), error.to_string()))?
            // From the file, because weights may be in a file beside it.
            .commit_from_file(&graph)
            .map_err(of_graph)?;
        let mut has_types = false;
        for input in session.inputs() {
            match input.name() {
                "input_ids" | "attention_mask" => {}
                "token_type_ids" => has_types = true,
                other => {
                    let why = format!(
                        "its input `{other}` is none of input_ids, attention_mask and token_type_ids"
                    );
                    return Err(wrong(graph, why));
                }
            }
        }
        let names: Vec<&str> = session.outputs().iter().map(|it| it.name()).collect();
        let output = options
            .output
            .among(&names)
            .map_err(|why| wrong(graph.clone(), why))?;
        let mut model = FolderModel {
            info: ModelInfo {
                id,
                name: recipe.name_of(folder),
                dim: 0,
                max_tokens: max_length,
            },
            graph,
            session,
            output,
            tokenizer,
            whole,
            has_types,
            pooling: options.pooling,
            question: options.question,
            passage: options.passage,
        };
        model.try_out()?;
        Ok(model)
    }

    /// Embeds trials, which shows the dimension.
    fn try_out(&mut self) -> Result<(), EmbedError> {
        for trial in TRIALS {
            let vector = match self.embed_one(trial) {
                Err(EmbedError::Embed { why }) => return Err(wrong(self.graph.clone(), why)),
                embedded => embedded?,
            };
            if self.info.dim != 0 && vector.len() != self.info.dim {
                let why = format!(
                    "a vector has {} values, another {}",
                    self.info.dim,
                    vector.len()
                );
                return Err(wrong(self.graph.clone(), why));
            }
            self.info.dim = vector.len();
        }
        Ok(())
    }

    /// Returns the vectors of the tokens of a text, with their bytes, or one vector with no bytes if the graph pools itself.
    fn run(&mut self, text: &str) -> Result<Run, EmbedError> {
        let failed = |why: String| EmbedError::Embed { why };
        let end = text.floor_char_boundary(READ_BYTES);
        let encoding = self
            .tokenizer
            .encode(&text[..end], true)
            .map_err(|error| failed(error.to_string()))?;
        let to_i64 = |values: &[u32]| {
            values
                .iter()
                .map(|value| i64::from(*value))
                .collect::<Vec<_>>()
        };
        let ids = to_i64(encoding.get_ids());
        if ids.is_empty() {
            return Err(failed(
                "the tokenizer marks no text's ends, so an empty text has no vector".to_owned(),
            ));
        }
        let mask = to_i64(encoding.get_attention_mask());
        let types = to_i64(encoding.get_type_ids());
        let n_tokens = ids.len();
        let shape = [1, n_tokens];
        let embed_error = |error: ort::Error| failed(error.to_string());
        let ids = TensorRef::from_array_view((shape, &ids[..])).map_err(embed_error)?;
        let mask = TensorRef::from_array_view((shape, &mask[..])).map_err(embed_error)?;
        let outputs = if self.has_types {
            let types = TensorRef::from_array_view((shape, &types[..])).map_err(embed_error)?;
            self.session.run(ort::inputs! {
                "input_ids" => ids, "attention_mask" => mask, "token_type_ids" => types,
            })
        } else {
            self.session
                .run(ort::inputs! { "input_ids" => ids, "attention_mask" => mask })
        }
        .map_err(embed_error)?;
        let name = &self.output;
        let output = outputs
            .get(name)
            .ok_or_else(|| failed(format!("it has no output `{name}`")))?;
        let (shape, values) = output
            .try_extract_tensor::<f32>()
            .map_err(|error| failed(error.to_string()))?;
        let (is_pooled, dim) = shape_of(shape, n_tokens)
            .ok_or_else(|| failed(format!("its output `{name}` has the shape {shape:?} for {} tokens, and not one vector for each token or for the text",
                n_tokens)))?;
        if !values.iter().all(|value| value.is_finite()) {
            return Err(failed("a vector has values that are no numbers".to_owned()));
        }
        Ok(Run {
            values: values.to_vec(),
            dim,
            is_pooled,
            tokens: encoding
                .get_offsets()
                .iter()
                .copied()
                .zip(
                    encoding
                        .get_special_tokens_mask()
                        .iter()
                        .map(|mark| *mark == 1),
                )
                .collect(),
        })
    }

    fn embed_one(&mut self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let Run {
            values,
            dim,
            is_pooled,
            ..
        } = self.run(text)?;
        let rows = if is_pooled || self.pooling == Pooling::First {
            &values[..dim]
        } else {
            &values[..]
        };
        mean_direction(rows, dim).ok_or_else(|| EmbedError::Embed {
            why: "a vector has no direction".to_owned(),
        })
    }

    fn embed_all(
        &mut self,
        prefix: &str,
        texts: &[&str],
        cancel: &AtomicBool,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let dim = self.info.dim;
        let embed = |text: &&str| {
            if cancel.load(Ordering::Relaxed) {
                return Err(EmbedError::Cancelled);
            }
            let vector = if prefix.is_empty() {
                self.embed_one(text)?
            } else {
                self.embed_one(&format!("{prefix}{text}"))?
            };
            if vector.len() == dim {
                return Ok(vector);
            }
            let why = format!("a vector has {} values in place of {dim}", vector.len());
            Err(EmbedError::Embed { why })
        };
        texts.iter().map(embed).collect()
    }
}

/// The outcome of a run.
struct Run {
    values: Vec<f32>,
    dim: usize,
    /// Whether there is one vector for the text.
    is_pooled: bool,
    /// The bytes of each token, and whether it is a mark.
    tokens: Vec<((usize, usize), bool)>,
}

/// Returns whether an output is one vector for the text, and its dimension; `None` if it is no vectors.
fn shape_of(shape: &Shape, n_tokens: usize) -> Option<(bool, usize)> {
    let sizes: Vec<usize> = shape
        .iter()
        .filter_map(|size| usize::try_from(*size).ok())
        .collect();
    match sizes[..] {
        [1, n, dim] if n == n_tokens && dim > 0 => Some((false, dim)),
        [1, dim] if dim > 0 => Some((true, dim)),
        _ => None,
    }
}

impl Embedder for FolderModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        let prefix = self.passage.clone();
        self.embed_all(&prefix, texts, cancel)
    }

    fn embed_questions(
        &mut self,
        questions: &[&str],
        cancel: &AtomicBool,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let prefix = self.question.clone();
        self.embed_all(&prefix, questions, cancel)
    }

    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        let Run {
            values,
            dim,
            is_pooled,
            tokens,
        } = self.run(text)?;
        if is_pooled {
            return Err(EmbedError::Embed {
                why: format!(
                    "{} gives one vector for the text and none for its tokens",
                    self.info.name
                ),
            });
        }
        let mut found = TokenVectors::default();
        for (((start, end), is_mark), row) in tokens.into_iter().zip(values.chunks_exact(dim)) {
            if !is_mark {
                found.push(start..end, row.iter().copied());
            }
        }
        Ok(found)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        let slices = crate::slices::slices_by(text, |rest| rest.ceil_char_boundary(COUNT_BYTES));
        let counts = slices.map(|slice| {
            self.whole
                .encode_fast(slice, false)
                .map_or(0, |it| it.len() as u32)
        });
        counts.sum()
    }

    fn reads(&self, text: &str) -> bool {
        let end = text.floor_char_boundary(READ_BYTES);
        let unknown = ["[UNK]", "<unk>"]
            .into_iter()
            .find_map(|it| self.tokenizer.token_to_id(it));
        let Ok(encoding) = self.tokenizer.encode(&text[..end], false) else {
            return false;
        };
        let n_unknown = encoding
            .get_ids()
            .iter()
            .filter(|id| Some(**id) == unknown)
            .count();
        n_unknown * 2 <= encoding.len()
    }
}

/// Texts are counted in slices of this size, to bound the memory.
const COUNT_BYTES: usize = 1 << 16;

/// What the optional files say.
struct Options {
    pooling: Pooling,
    output: Output,
    max_tokens: usize,
    question: String,
    passage: String,
}

impl Options {
    fn read(folder: &Path) -> Result<Options, EmbedError> {
        let pooling = json(folder, POOLING)?;
        let is = |key: &str| pooling[key].as_bool() == Some(true);
        let pooling = if is("pooling_mode_cls_token") {
            Pooling::First
        } else if pooling.is_null() || is("pooling_mode_mean_tokens") {
            Pooling::Mean
        } else {
            let why = "it asks for a pooling other than the mean of the tokens or the first token"
                .to_owned();
            return Err(wrong(folder.join(POOLING), why));
        };
        let length = json(folder, LENGTH)?["max_seq_length"].as_u64();
        let prompts = json(folder, PROMPTS)?;
        let prompt = |names: &[&str]| {
            let found = names
                .iter()
                .find_map(|name| prompts["prompts"][name].as_str());
            found.unwrap_or_default().to_owned()
        };
        Ok(Options {
            pooling,
            output: Output::First,
            max_tokens: length.map_or(RUN_TOKENS, |n| (n as usize).clamp(4, RUN_TOKENS)),
            question: prompt(&["query"]),
            passage: prompt(&["passage", "document"]),
        })
    }
}

/// Reads an optional file; null if it is missing.
fn json(folder: &Path, name: &str) -> Result<Value, EmbedError> {
    let path = folder.join(name);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Value::Null),
        read => read.map_err(|error| wrong(path.clone(), error.to_string()))?,
    };
    serde_json::from_slice(&bytes).map_err(|error| wrong(path, format!("it is not JSON: {error}")))
}

/// Returns the path of the graph in a folder.
fn graph(folder: &Path) -> Result<PathBuf, EmbedError> {
    if !folder.is_dir() {
        return Err(wrong(
            folder.to_owned(),
            "it is no folder that can be read".to_owned(),
        ));
    }
    let mut graphs = GRAPHS.iter().map(|name| folder.join(name));
    graphs.find(|path| path.is_file()).ok_or_else(|| {
        let why = format!(
            "it holds no ONNX graph: none of {} is there",
            GRAPHS.join(", ")
        );
        wrong(folder.to_owned(), why)
    })
}

/// Returns the paths of the graph and the tokenizer in a folder.
fn files_of(folder: &Path) -> Result<(PathBuf, PathBuf), EmbedError> {
    let graph = graph(folder)?;
    let tokenizer = folder.join(TOKENIZER);
    if !tokenizer.is_file() {
        let why = format!("{TOKENIZER} is missing; copy it from where the model comes from");
        return Err(wrong(folder.to_owned(), why));
    }
    Ok((graph, tokenizer))
}

/// Returns the id of the model in a folder.
fn id_of(folder: &Path) -> Result<String, EmbedError> {
    let (graph, tokenizer) = files_of(folder)?;
    // Beside the graph there may be a file of its weights.
    let weights = ["onnx_data", "onnx.data"].map(|ending| graph.with_extension(ending));
    let optional = OPTIONAL.map(|name| folder.join(name));
    let optional = weights.into_iter().chain(optional);
    let files = [graph, tokenizer]
        .into_iter()
        .chain(optional.filter(|path| path.is_file()));
    Ok(format!("{}@{}", name_of(folder), sum_of(files)?))
}

/// Returns the start of the checksum of the files, in their order.
fn sum_of(files: impl IntoIterator<Item = PathBuf>) -> Result<String, EmbedError> {
    let mut sum = Sha256::new();
    for path in files {
        let unreadable = |error: io::Error| wrong(path.clone(), error.to_string());
        let mut file = fs::File::open(&path).map_err(unreadable)?;
        let mut bytes = vec![0; HASH_BYTES];
        loop {
            match file.read(&mut bytes).map_err(unreadable)? {
                0 => break,
                n_read => sum.update(&bytes[..n_read]),
            }
        }
    }
    let sum: String = sum
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok(sum[..SUM_CHARS].to_owned())
}

/// The folder's name, in one line.
fn name_of(folder: &Path) -> String {
    let name = folder
        .file_name()
        .unwrap_or(folder.as_os_str())
        .to_string_lossy();
    name.replace(char::is_control, " ")
}

fn wrong(path: PathBuf, why: String) -> EmbedError {
    EmbedError::ModelFolder { path, why }
}
