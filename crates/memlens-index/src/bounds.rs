//! Bounds of the dot products between a question and the vectors of a list.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::VectorFile;
use crate::looks::{Asked, NOT_ASKED};

/// A lower and an upper bound of the product of every row with a question. For rows without a code both are the product
/// itself.
pub struct Bounds<'a> {
    list: &'a VectorFile,
    asked: Arc<Asked>,
}

impl<'a> Bounds<'a> {
    pub(crate) fn new(list: &'a VectorFile, asked: Arc<Asked>) -> Self {
        Self { list, asked }
    }

    /// Returns upper bounds of the products by row, usually 0.02 to 0.035 above them for vectors of 384 numbers.
    ///
    /// Their reliability is described in the module `codes`. The same on every machine, bit for bit.
    #[inline]
    pub fn ceilings(&self) -> &[f32] {
        &self.asked.looked.ceilings
    }

    /// Returns the [`VectorFile::dot`] of the question with a row. The result is cached, so that a vector is read once.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn product(&self, row: u32) -> f32 {
        let kept = &self.asked.products[row as usize];
        let bits = kept.load(Ordering::Relaxed);
        if bits != NOT_ASKED {
            return f32::from_bits(bits);
        }
        let product = self.list.dot(&self.asked.looked.query, row);
        kept.store(product.to_bits(), Ordering::Relaxed);
        product
    }

    /// Returns a lower bound of a row's product, as reliable as its ceiling.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn floor(&self, row: u32) -> f32 {
        let ceiling = self.asked.looked.ceilings[row as usize];
        match &self.asked.looked.question {
            Some(question) if (row as usize) < self.list.n_coded() => {
                ceiling - question.spread(self.list.codes().code(row as usize))
            }
            Some(_) | None => ceiling,
        }
    }
}
