//! Notes and vectors as an emulated agent's memory is made from them.

use std::sync::Arc;

use memlens_retrieve::NoteFacts;

/// One note that an agent would have indexed.
#[derive(Debug, Clone)]
pub struct AgentNote {
    /// The note as Memlens knows it.
    pub facts: Arc<NoteFacts>,
    /// Its path as the agent names it, with `/`: `memory/2026-11-02.md`.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// When its file was last changed, in milliseconds after 1970-01-01 UTC.
    pub modified_ms: i64,
    /// Whether an entry of the agent's list of extra paths brought it in.
    pub is_extra: bool,
}

/// A text's embedding, or why there is none, for a person.
pub type Embed = Arc<dyn Fn(&str) -> Result<Vec<f32>, String> + Send + Sync>;

/// The vectors of chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    /// How many numbers each has, above 0.
    dim: usize,
    /// One after the other, in the order of the chunks.
    values: Vec<f32>,
    /// The length of each; 0 for one of zeros.
    lengths: Vec<f64>,
}

impl Vectors {
    /// Vectors of `dim` numbers each, one after the other.
    ///
    /// # Panics
    /// Where `values` is no multiple of `dim`.
    pub fn new(dim: usize, values: Vec<f32>) -> Vectors {
        assert!(dim > 0 && values.len().is_multiple_of(dim), "whole vectors");
        let lengths = values.chunks_exact(dim).map(|it| dot(it, it).sqrt());
        Vectors {
            dim,
            lengths: lengths.collect(),
            values,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// How many numbers each has.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// Each, in the order of the chunks.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.dim)
    }

    /// The cosine of each to another vector, in `[-1, 1]`; 0 where either has no direction.
    ///
    /// # Errors
    /// In words where the other has another number of numbers.
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
