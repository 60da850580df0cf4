//! Notes and vectors from which an emulated agent's memory is built.

use std::sync::Arc;

use memlens_retrieve::NoteFacts;

/// One note that an agent would have indexed.
#[derive(Debug, Clone)]
pub struct AgentNote {
    /// The note as Memlens indexes it.
    pub facts: Arc<NoteFacts>,
    /// Its path as the agent names it, with `/`: `memory/2026-11-02.md`.
    pub path: String,
    /// The text of the note.
    pub text: Arc<str>,
    /// Modification time of its file, in milliseconds since 1970-01-01 UTC.
    pub modified_ms: i64,
    /// Whether it is included because of the agent's list of extra paths.
    pub is_extra: bool,
}

/// Returns a text's embedding, or a message for the user if there is none.
pub type Embed = Arc<dyn Fn(&str) -> Result<Vec<f32>, String> + Send + Sync>;

/// Embeds a question, or returns why the memory has no vectors to compare it with.
pub(crate) fn embed_question<T>(
    vectors: &Result<T, String>,
    embed: &Embed,
    question: &str,
) -> Result<Vec<f32>, String> {
    match vectors {
        Ok(_) => embed(question),
        Err(why) => Err(why.clone()),
    }
}

/// Returns vectors that are one for each of `n` texts, or why they cannot be used; `what` names the texts.
pub(crate) fn vectors_of_all(
    vectors: Result<Vectors, String>,
    n: usize,
    what: &str,
) -> Result<Vectors, String> {
    let vectors = vectors?;
    if vectors.len() == n {
        Ok(vectors)
    } else {
        Err(format!("the {what} have not all been embedded"))
    }
}

/// Vectors of chunks, all of one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    /// Number of values in each, above 0.
    dim: usize,
    /// One vector after the other, in the order of the chunks.
    values: Vec<f32>,
    /// The length of each; 0 for a zero vector.
    lengths: Vec<f64>,
}

impl Vectors {
    /// Takes vectors of `dim` numbers each, one after the other.
    ///
    /// # Panics
    /// If the length of `values` is not a multiple of `dim`.
    pub fn new(dim: usize, values: Vec<f32>) -> Vectors {
        assert!(dim > 0 && values.len().is_multiple_of(dim), "whole vectors");
        let lengths = values.chunks_exact(dim).map(|it| dot(it, it).sqrt());
        Vectors {
            dim,
            lengths: lengths.collect(),
            values,
        }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Returns whether there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Returns the number of values in each vector.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the vectors, in the order of the chunks.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.dim)
    }

    /// Returns the cosine of each to another vector, in `[-1, 1]`; 0 if either is a zero vector.
    ///
    /// # Errors
    /// A message if the other vector has another dimension.
    pub fn cosines(&self, to: &[f32]) -> Result<Vec<f64>, String> {
        if to.len() != self.dim {
            return Err(format!(
                "the question's embedding has {} numbers, those of the chunks {}",
                to.len(),
                self.dim
            ));
        }
        let length = dot(to, to).sqrt();
        let vectors = self.values.chunks_exact(self.dim).zip(&self.lengths);
        Ok(vectors
            .map(|(vector, own)| {
                let lengths = length * own;
                if lengths > 0.0 {
                    (dot(vector, to) / lengths).clamp(-1.0, 1.0)
                } else {
                    0.0
                }
            })
            .collect())
    }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum()
}
