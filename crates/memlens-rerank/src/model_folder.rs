//! The files of a model that ONNX Runtime runs, in a folder.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::{RerankError, sum};

/// Possible paths of the graph in a model's folder; the first that exists is used, as for embedding models.
const GRAPHS: [&str; 4] = [
    "model.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
];
pub(crate) const TOKENIZER: &str = "tokenizer.json";
pub(crate) const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
pub(crate) const CONFIG: &str = "config.json";

/// Number of characters of the model's checksum that are part of its id.
const SUM_CHARS: usize = 8;

/// Returns the path of the graph in a folder.
pub(crate) fn graph(folder: &Path) -> Result<PathBuf, RerankError> {
    let mut graphs = GRAPHS.iter().map(|graph| folder.join(graph));
    graphs.find(|graph| graph.is_file()).ok_or_else(|| {
        let [_, others @ ..] = GRAPHS;
        let why = format!("neither it nor any of {} exists", others.join(", "));
        let source = io::Error::new(io::ErrorKind::NotFound, why);
        RerankError::ReadModel {
            path: folder.join(GRAPHS[0]),
            source,
        }
    })
}

/// Returns the id of a model: the folder's name, and the start of the checksum of everything that affects a score: the
/// contents of other files, the graph, and the weights beside it.
pub(crate) fn id_of(
    folder: &Path,
    graph: &Path,
    files: &[&Vec<u8>],
) -> Result<String, RerankError> {
    let mut sum = Sha256::new();
    for file in files {
        sum.update(Sha256::digest(file));
    }
    for path in weights(graph)? {
        File::open(&path)
            .and_then(|file| sum::add(&mut sum, file))
            .map_err(|source| RerankError::ReadModel { path, source })?;
    }
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    let sum = sum::hex(sum);
    Ok(format!("{}@{}", name.to_string_lossy(), &sum[..SUM_CHARS]))
}

/// Returns the graph and the files beside it whose names begin with the graph's name, sorted by name.
fn weights(graph: &Path) -> Result<Vec<PathBuf>, RerankError> {
    let folder = graph.parent().unwrap_or(graph);
    let own = graph.file_name().unwrap_or_default().to_string_lossy();
    let list = || -> io::Result<Vec<PathBuf>> {
        let mut weights = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            // Opening a pipe may block forever.
            if entry.file_name().to_string_lossy().starts_with(&*own) && path.is_file() {
                weights.push(path);
            }
        }
        weights.sort();
        Ok(weights)
    };
    list().map_err(|source| RerankError::ReadModel {
        path: folder.to_owned(),
        source,
    })
}
