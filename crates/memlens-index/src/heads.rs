//! The heads of both lists of a library, without their content.

use std::path::Path;

use crate::text_list::read_mark;
use crate::vector_list::Head;
use crate::{IndexError, text_path, vector_path};

/// The heads of both lists. Reading them means reading a few small files, whatever the library's size.
pub struct Heads {
    /// The generation of the library that the text list was built from.
    text: u64,
    vectors: Head,
}

impl Heads {
    /// Reads the heads of the lists of the library in the folder `library`.
    ///
    /// # Errors
    /// Like [`crate::TextIndex::open`] and [`crate::VectorFile::open`], except for damage in the content.
    pub fn read(library: &Path) -> Result<Heads, IndexError> {
        Ok(Heads {
            text: read_mark(&text_path(library))?.generation,
            vectors: Head::read(&vector_path(library))?,
        })
    }

    /// Returns the id of the model that made the vectors.
    pub fn model(&self) -> &str {
        &self.vectors.model
    }

    /// Returns whether both lists were built from `generation`, and the vectors by `model` with dimension `dim`.
    pub fn fit(&self, model: &str, dim: usize, generation: u64) -> bool {
        let vectors = &self.vectors;
        (vectors.model.as_str(), vectors.dim) == (model, dim)
            && [self.text, vectors.generation] == [generation; 2]
    }

    /// Returns the number of values in a vector.
    pub fn dim(&self) -> usize {
        self.vectors.dim
    }
}
