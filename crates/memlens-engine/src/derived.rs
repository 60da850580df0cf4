//! The two lists that are derived from the store: kept in step with it, rebuilt when they are not.

use std::path::{Path, PathBuf};

use memlens_faults::Place;
use memlens_index::{IndexError, TextEntry, TextWriter, VectorWriter};
use memlens_store::{Applied, EmbeddingId, Store, StoredChunk};

use crate::EngineError;

/// Returns the folder of the text list.
pub fn text_path(dir: &Path) -> PathBuf {
    dir.join("text")
}

/// Returns the folder of the vector list.
pub fn vector_folder(dir: &Path) -> PathBuf {
    dir.join("vectors")
}

/// Returns the head of the vector list.
pub fn vector_path(dir: &Path) -> PathBuf {
    vector_folder(dir).join("flat")
}

/// Writes both lists.
pub struct Derived {
    text: TextWriter,
    vectors: VectorWriter,
}

impl Derived {
    /// Tells whether there is anything of a list in the library in `dir`.
    pub fn is_any(dir: &Path) -> bool {
        text_path(dir).exists() || vector_folder(dir).exists()
    }

    /// Opens both lists as [`Derived::open`]; where the store has vectors that are none any more, the notes that use them
    /// are forgotten first, so that they are read anew.
    ///
    /// # Errors
    /// As [`Derived::open`].
    pub fn open_mended(
        store: &mut Store,
        model: &str,
        dim: usize,
    ) -> Result<(Derived, Vec<String>), EngineError> {
        // Seen only when the list is built anew, since all that is in it has been looked at.
        let error = match Derived::open(store, model, dim) {
            Err(error @ EngineError::Index(IndexError::BadVector { .. })) => error,
            opened => return opened,
        };
        let forgotten = store.forget_damaged_vectors(dim)?.ok_or(error)?;
        let (derived, mut notices) = Derived::open(store, model, dim)?;
        notices.push(told_forgotten(&forgotten.paths));
        Ok((derived, notices))
    }

    /// Opens both lists at the store's generation; one that is torn, stale or of another model is
    /// rebuilt from the store, whose vectors are of `model` and `dim`. Returns with them what a
    /// person should be told.
    ///
    /// # Errors
    /// What a rebuild cannot mend: a full disk, another writer.
    pub fn open(
        store: &Store,
        model: &str,
        dim: usize,
    ) -> Result<(Derived, Vec<String>), EngineError> {
        let generation = store.generation()?;
        let mut notices = Vec::new();
        let mut rebuilding = |list: &str, error: &IndexError| {
            // A new library has no lists yet; that is nothing to tell.
            if generation > 0 {
                notices.push(format!("the {list} was rebuilt: {error}"));
            }
        };

        let text_path = text_path(store.dir());
        let text = match TextWriter::open(&text_path, generation) {
            Ok(text) => text,
            Err(error) if error.needs_rebuild() => {
                rebuilding("BM25 list", &error);
                rebuild_text(store, &text_path, generation)?
            }
            Err(error) => return Err(error.into()),
        };

        let vector_path = vector_path(store.dir());
        let opened = VectorWriter::append_to(&vector_path).and_then(|vectors| {
            let found = (
                vectors.model().to_owned(),
                vectors.dim(),
                vectors.generation(),
            );
            if (found.0.as_str(), found.1) != (model, dim) {
                let expected = model.to_owned();
                return Err(IndexError::WrongModel {
                    path: vector_path.clone(),
                    found: found.0,
                    expected,
                });
            }
            if found.2 != generation {
                let path = vector_path.clone();
                return Err(IndexError::Stale {
                    path,
                    found: found.2,
                    expected: generation,
                });
            }
            Ok(vectors)
        });
        let vectors = match opened {
            Ok(vectors) => vectors,
            Err(error) if error.needs_rebuild() => {
                rebuilding("vector list", &error);
                rebuild_vectors(store, &vector_path, (model, dim), generation)?
            }
            Err(error) => return Err(error.into()),
        };
        Ok((Derived { text, vectors }, notices))
    }

    /// Builds both lists anew from the store and leaves nothing of those that are there.
    ///
    /// # Errors
    /// Where files cannot be removed or written.
    pub fn anew(store: &Store, made_by: (&str, usize)) -> Result<Derived, EngineError> {
        remove(store.dir())?;
        let generation = store.generation()?;
        Ok(Derived {
            text: rebuild_text(store, &text_path(store.dir()), generation)?,
            vectors: rebuild_vectors(store, &vector_path(store.dir()), made_by, generation)?,
        })
    }

    /// Brings both lists to `generation`, of the same documents, and leaves rows out that no chunk or window uses.
    ///
    /// # Errors
    /// Where files cannot be written; the next [`Derived::open`] rebuilds then.
    pub fn compacted(
        self,
        store: &Store,
        made_by: (&str, usize),
        generation: u64,
    ) -> Result<Derived, EngineError> {
        let Derived { mut text, vectors } = self;
        text.commit(generation)?;
        // Two cannot write at once.
        drop(vectors);
        let vectors = rebuild_vectors(store, &vector_path(store.dir()), made_by, generation)?;
        Ok(Derived { text, vectors })
    }

    /// Returns how many rows the vector list has, used or not.
    pub fn n_rows(&self) -> u64 {
        self.vectors.n_rows() as u64
    }

    /// Brings both lists to the generation of a batch that the store has applied.
    ///
    /// `embeddings` are those that the batch uses; one that has a row already keeps it.
    ///
    /// # Errors
    /// Where files cannot be written. It must be dropped then: the next [`Derived::open`] rebuilds.
    pub fn follow(
        &mut self,
        store: &Store,
        applied: &Applied,
        embeddings: impl IntoIterator<Item = EmbeddingId>,
    ) -> Result<(), EngineError> {
        strike(store, "text list")?;
        for document in &applied.removed {
            self.text.delete_document(document.0 as u64);
        }
        for chunk in &applied.added {
            add(&mut self.text, chunk)?;
        }
        for embedding in embeddings {
            if !self.vectors.contains(embedding.0)
                && let Some(vector) = store.vector(embedding)?
            {
                self.vectors.append(embedding.0, &vector)?;
            }
        }
        self.text.commit(applied.generation)?;
        strike(store, "vector list")?;
        self.vectors.commit(applied.generation)?;
        Ok(())
    }
}

/// Removes both lists of the library in `dir`, and nothing else that lies beside them.
///
/// # Errors
/// [`EngineError::Index`].
pub fn remove(dir: &Path) -> Result<(), EngineError> {
    TextWriter::remove(&text_path(dir))?;
    VectorWriter::remove(&vector_path(dir))?;
    Ok(())
}

/// Returns what a person is told of notes that were not as saved; there is at least one.
pub fn told_forgotten(paths: &[String]) -> String {
    let others = match paths.len() {
        0 | 1 => String::new(),
        n_paths => format!(" and {} more", n_paths - 1),
    };
    format!(
        "the library did not hold {}{others} as saved, as after a fault of the disk: what it held is forgotten, \
         and read anew when the folder is next looked through",
        paths.first().map_or("a note", String::as_str)
    )
}

fn add(text: &mut TextWriter, chunk: &StoredChunk) -> Result<(), IndexError> {
    text.add(&TextEntry {
        chunk: chunk.id as u64,
        document: chunk.document.0 as u64,
        text: &chunk.text,
        title: stem(&chunk.path),
    })
}

/// Returns the file's name without folders and ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Fails where a test has asked for it; see [`memlens_faults`].
fn strike(store: &Store, list: &'static str) -> Result<(), EngineError> {
    memlens_faults::strike(Place::Lists, store.dir(), list).map_err(|source| EngineError::File {
        attempt: "write a list of",
        path: store.dir().to_owned(),
        source,
    })
}

fn rebuild_text(store: &Store, path: &Path, generation: u64) -> Result<TextWriter, EngineError> {
    strike(store, "text list")?;
    let mut text = TextWriter::create(path)?;
    store.for_each_chunk(|chunk| -> Result<(), EngineError> { Ok(add(&mut text, &chunk)?) })?;
    text.commit(generation)?;
    Ok(text)
}

fn rebuild_vectors(
    store: &Store,
    path: &Path,
    (model, dim): (&str, usize),
    generation: u64,
) -> Result<VectorWriter, EngineError> {
    strike(store, "vector list")?;
    let mut vectors = VectorWriter::create(path, model, dim)?;
    store.for_each_embedding(|embedding, vector| -> Result<(), EngineError> {
        Ok(vectors.append(embedding.0, vector)?)
    })?;
    vectors.commit(generation)?;
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn the_stem_is_the_name_without_folders_and_ending() {
        for (path, expected) in [
            ("a/home-server.md", "home-server"),
            ("note", "note"),
            ("x/.md", ""),
            ("a.b.md", "a.b"),
        ] {
            assert_eq!(stem(path), expected);
        }
    }
}
