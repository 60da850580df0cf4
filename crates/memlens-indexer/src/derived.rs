//! The two lists that are derived from the store: kept up to date with it, or rebuilt.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_faults::Place;
use memlens_index::{
    IndexError, TextEntry, TextIndex, TextWriter, VectorFile, VectorWriter, text_path,
    vector_folder, vector_path,
};
use memlens_ingest::{Kind, headings_behind};
use memlens_store::{Applied, EmbeddingId, Forgotten, Store, StoredChunk};

use crate::IndexerError;

/// The opened or rebuilt lists.
pub struct Opened {
    /// The writers of both lists.
    pub derived: Derived,
    /// Notices to show to the user.
    pub notices: Vec<String>,
    /// The notes that were removed because they differed from what was saved; `None` if there were none or no check was
    /// needed.
    pub forgotten: Option<Forgotten>,
}

/// Writes both lists of a library.
pub struct Derived {
    text: TextWriter,
    vectors: VectorWriter,
}

impl Derived {
    /// Returns whether the library in `dir` has any file of a list.
    pub fn is_any(dir: &Path) -> bool {
        text_path(dir).exists() || vector_folder(dir).exists()
    }

    /// Removes both lists of the library in `dir`, and no other files beside them.
    ///
    /// # Errors
    /// [`IndexerError::Index`].
    pub fn remove(dir: &Path) -> Result<(), IndexerError> {
        TextWriter::remove(&text_path(dir))?;
        VectorWriter::remove(&vector_path(dir))?;
        Ok(())
    }

    /// Opens both lists at the store's generation. If they are merely behind, because a process was killed between the
    /// store's commit and theirs, the missing changes are added. A list that is torn, too far behind or of another
    /// model is rebuilt from the store, whose vectors are of `model` and `dim`. Notes that differ from what was saved
    /// are removed first, so that they are read again.
    ///
    /// # Errors
    /// What a rebuild cannot repair: a full disk, another writer.
    pub fn open(store: &mut Store, model: &str, dim: usize) -> Result<Opened, IndexerError> {
        let before = store.generation()?;
        let (text_path, vector_path) = (text_path(store.dir()), vector_path(store.dir()));
        let text = to_rebuild(TextWriter::open(&text_path))?;
        let vectors = to_rebuild(open_vectors(&vector_path, (model, dim)))?;
        let (text, vectors) = match (text, vectors) {
            (Ok(text), Ok(vectors)) => {
                let mut derived = Derived { text, vectors };
                match derived.catch_up(store, before) {
                    Ok(true) => {
                        return Ok(Opened {
                            derived,
                            notices: Vec::new(),
                            forgotten: None,
                        });
                    }
                    Ok(false) => (Ok(derived.text), Ok(derived.vectors)),
                    // Neither can be used: one may hold uncommitted changes.
                    Err(IndexerError::Index(error)) if error.needs_rebuild() => {
                        let found = derived.text.generation();
                        (Err(stale(&text_path, found, before)), Err(error))
                    }
                    Err(error) => return Err(error),
                }
            }
            other => other,
        };
        let text = text.and_then(|text| match text.generation() {
            found if found == before => Ok(text),
            found => Err(stale(&text_path, found, before)),
        });
        let vectors = vectors.and_then(|vectors| match vectors.generation() {
            found if found == before => Ok(vectors),
            found => Err(stale(&vector_path, found, before)),
        });
        let forgotten = store.forget_damaged(dim, &AtomicBool::new(false))?;
        let generation = store.generation()?;
        let mut notices = Vec::new();
        let mut rebuilding = |list: &str, error: &IndexError| {
            // A new library has no lists yet, so there is nothing to report.
            if before > 0 {
                notices.push(format!("the {list} was rebuilt: {error}"));
            }
        };
        // An intact list deletes what was removed.
        let text = match text {
            Ok(mut text) => {
                if let Some(forgotten) = &forgotten {
                    for document in &forgotten.applied.removed {
                        text.delete_document(document.0 as u64);
                    }
                    text.commit(generation)?;
                }
                text
            }
            Err(error) => {
                rebuilding("BM25 list", &error);
                rebuild_text(store, &text_path, generation)?
            }
        };
        let vectors = match vectors {
            Ok(mut vectors) => {
                if forgotten.is_some() {
                    vectors.commit(generation)?;
                }
                vectors
            }
            Err(error) => {
                rebuilding("vector list", &error);
                rebuild_vectors(store, &vector_path, (model, dim), generation)?
            }
        };
        Ok(Opened {
            derived: Derived { text, vectors },
            notices,
            forgotten,
        })
    }

    /// Brings lists that are behind to `generation`, the store's, by adding what changed since the older one of them.
    /// Returns `false`, without changing anything, if the store no longer knows those changes.
    ///
    /// # Errors
    /// [`IndexError::Torn`] if something that they miss is damaged in the library, or an error if files cannot be
    /// written. The lists must be dropped then.
    fn catch_up(&mut self, store: &Store, generation: u64) -> Result<bool, IndexerError> {
        let since = [self.text.generation(), self.vectors.generation()];
        if since == [generation; 2] {
            return Ok(true);
        }
        // A list that is ahead belongs to another history.
        if since.iter().any(|since| *since > generation) {
            return Ok(false);
        }
        let Some(documents) = store.changed_since(since[0].min(since[1]))? else {
            return Ok(false);
        };
        tracing::info!(documents = documents.len(), "the lists are behind");
        for document in documents {
            // Chunks that a list has already are replaced.
            self.text.delete_document(document.0 as u64);
            let listed = store.listed(document)?.ok_or_else(|| IndexError::Torn {
                path: text_path(store.dir()),
                why: format!("document {} is damaged in the library", document.0),
            })?;
            add(&mut self.text, &listed.chunks)?;
            self.append(store, listed.embeddings)?;
        }
        self.commit(store, generation)?;
        Ok(true)
    }

    /// Appends the vectors of embeddings that have no row.
    fn append(
        &mut self,
        store: &Store,
        embeddings: impl IntoIterator<Item = EmbeddingId>,
    ) -> Result<(), IndexerError> {
        for embedding in embeddings {
            if !self.vectors.contains(embedding.0) {
                let vector = store.vector(embedding)?;
                append(&mut self.vectors, store, embedding, vector.as_deref())?;
            }
        }
        Ok(())
    }

    fn commit(&mut self, store: &Store, generation: u64) -> Result<(), IndexerError> {
        self.text.commit(generation)?;
        inject_fault(store, "vector list")?;
        self.vectors.commit(generation)?;
        Ok(())
    }

    /// Rebuilds both lists from the store and removes the existing ones.
    ///
    /// # Errors
    /// If files cannot be removed or written.
    pub fn from_scratch(store: &Store, made_by: (&str, usize)) -> Result<Derived, IndexerError> {
        Derived::remove(store.dir())?;
        let generation = store.generation()?;
        Ok(Derived {
            text: rebuild_text(store, &text_path(store.dir()), generation)?,
            vectors: rebuild_vectors(store, &vector_path(store.dir()), made_by, generation)?,
        })
    }

    /// Brings both lists to `generation`, with the same documents but without rows that no chunk or window uses.
    ///
    /// # Errors
    /// If files cannot be written; the next [`Derived::open`] then rebuilds.
    pub fn compacted(
        self,
        store: &Store,
        made_by: (&str, usize),
        generation: u64,
    ) -> Result<Derived, IndexerError> {
        let Derived { mut text, vectors } = self;
        text.commit(generation)?;
        // There can only be one writer.
        drop(vectors);
        let vectors = rebuild_vectors(store, &vector_path(store.dir()), made_by, generation)?;
        Ok(Derived { text, vectors })
    }

    /// Makes the store take the vectors of another model, and both lists follow. The new vector list is written before that, so
    /// that readers wait only for a moment. Returns the lists, and whether the store took them: it does not if a text has no
    /// vector of that model.
    ///
    /// # Errors
    /// If something cannot be written. The next [`Derived::open`] then rebuilds what is out of date.
    pub fn of_model(
        self,
        store: &mut Store,
        (model, dim): (&str, usize),
        recipe: &str,
    ) -> Result<(Option<Derived>, bool), IndexerError> {
        let Derived { mut text, vectors } = self;
        // There can only be one writer.
        drop(vectors);
        let path = vector_path(store.dir());
        inject_fault(store, "vector list")?;
        let mut vectors = VectorWriter::create(&path, model, dim)?;
        store.for_each_embedding_of(model, |embedding, vector| -> Result<(), IndexerError> {
            Ok(append(&mut vectors, store, embedding, vector)?)
        })?;
        let Some(generation) = store.take_model(model, recipe)? else {
            return Ok((None, false));
        };
        inject_fault(store, "text list")?;
        text.commit(generation)?;
        inject_fault(store, "lists of the new model")?;
        vectors.commit(generation)?;
        Ok((Some(Derived { text, vectors }), true))
    }

    /// Reads both lists completely and rebuilds what is damaged; only the codes if nothing else is. Opening reads no
    /// vector, and a writer that stays open reads nothing. Ends early once `cancel` is set. Returns the lists and the
    /// notices to show to the user.
    ///
    /// # Errors
    /// What a rebuild cannot repair.
    pub fn checked(
        self,
        store: &mut Store,
        made_by: (&str, usize),
        cancel: &AtomicBool,
    ) -> Result<(Derived, Vec<String>), IndexerError> {
        let (dir, mut notices) = (store.dir().to_owned(), Vec::new());
        let Derived {
            mut text,
            mut vectors,
        } = self;
        if let Err(error) = to_rebuild(TextIndex::open(&text_path(&dir)))? {
            notices.push(format!("the BM25 list was rebuilt: {error}"));
            // Uses a new generation, so that readers release the old files.
            let generation = store.raise_generation()?;
            // There can only be one writer.
            drop(text);
            text = rebuild_text(store, &text_path(&dir), generation)?;
            vectors.commit(generation)?;
        }
        match check_vectors(&dir, cancel)? {
            Ok(true) => {}
            Ok(false) => {
                notices.push(
                    "the codes of the vector list were rebuilt: they were damaged".to_owned(),
                );
                drop(vectors);
                vectors = VectorWriter::append_to_checked(&vector_path(&dir))?;
                let generation = store.raise_generation()?;
                text.commit(generation)?;
                vectors.commit(generation)?;
            }
            Err(error) => {
                notices.push(format!("the vector list was rebuilt: {error}"));
                let generation = store.raise_generation()?;
                let derived = Derived { text, vectors };
                return Ok((derived.compacted(store, made_by, generation)?, notices));
            }
        }
        Ok((Derived { text, vectors }, notices))
    }

    /// Removes the words of deleted chunks from the files of the BM25 list. The vector list holds no text.
    ///
    /// # Errors
    /// If files cannot be written; the list is then unchanged.
    pub fn forget_deleted(&mut self) -> Result<(), IndexerError> {
        Ok(self.text.forget_deleted()?)
    }

    /// Returns the number of rows in the vector list, used or not.
    pub fn n_rows(&self) -> u64 {
        self.vectors.n_rows() as u64
    }

    /// Brings both lists to the generation of a batch that the store has applied.
    ///
    /// `embeddings` are those that the batch uses; one that has a row already keeps it.
    ///
    /// # Errors
    /// If files cannot be written. The lists must be dropped then: the next [`Derived::open`] rebuilds them.
    pub fn follow(
        &mut self,
        store: &Store,
        applied: &Applied,
        embeddings: impl IntoIterator<Item = EmbeddingId>,
    ) -> Result<(), IndexerError> {
        inject_fault(store, "text list")?;
        for document in &applied.removed {
            self.text.delete_document(document.0 as u64);
        }
        add(&mut self.text, &applied.added)?;
        self.append(store, embeddings)?;
        self.commit(store, applied.generation)
    }
}

/// Reads all vectors of the library in `dir`, and their codes. Returns whether all codes are valid, or why the list
/// must be rebuilt. Returns `true` early once `cancel` is set.
///
/// # Errors
/// What a rebuild cannot repair.
pub(crate) fn check_vectors(
    dir: &Path,
    cancel: &AtomicBool,
) -> Result<Result<bool, IndexError>, IndexError> {
    let read = VectorFile::open(&vector_path(dir));
    to_rebuild(read.and_then(|list| {
        list.check_all(cancel)?;
        Ok(cancel.load(Ordering::Relaxed) || list.n_coded() == list.n_rows())
    }))
}

/// Returns the notice about notes that differed from what was saved; `None` if there were none.
pub fn forgotten_notice(forgotten: &Forgotten) -> Option<String> {
    let ((_, first), others) = forgotten.notes.split_first()?;
    let (notes, were, they) = match others.len() {
        0 => (first.clone(), "was", "it"),
        n_others => (format!("{first} and {n_others} more"), "were", "they"),
    };
    Some(format!(
        "{notes} {were} damaged in the library, perhaps by a disk fault; {they} will be re-indexed at the next scan"
    ))
}

/// Returns a list, or why it must be rebuilt. What a rebuild cannot repair is an error.
pub(crate) fn to_rebuild<T>(
    opened: Result<T, IndexError>,
) -> Result<Result<T, IndexError>, IndexError> {
    match opened {
        Err(error) if !error.needs_rebuild() => Err(error),
        opened => Ok(opened),
    }
}

fn open_vectors(path: &Path, (model, dim): (&str, usize)) -> Result<VectorWriter, IndexError> {
    let vectors = VectorWriter::append_to(path)?;
    if (vectors.model(), vectors.dim()) != (model, dim) {
        return Err(IndexError::WrongModel {
            path: path.to_owned(),
            found: vectors.model().to_owned(),
            expected: model.to_owned(),
        });
    }
    Ok(vectors)
}

fn stale(path: &Path, found: u64, expected: u64) -> IndexError {
    IndexError::Stale {
        path: path.to_owned(),
        found,
        expected,
    }
}

/// Appends the vector of an embedding, which must be intact in the store.
///
/// # Errors
/// [`IndexError::Torn`] if not, so that the library is checked before the list is rebuilt.
fn append(
    vectors: &mut VectorWriter,
    store: &Store,
    embedding: EmbeddingId,
    vector: Option<&[f32]>,
) -> Result<(), IndexError> {
    let vector = vector.ok_or_else(|| IndexError::Torn {
        path: vector_path(store.dir()),
        why: format!("embedding {} is damaged in the library", embedding.0),
    })?;
    vectors.append(embedding.0, vector)
}

/// Adds the chunks of documents, each of which must be complete.
fn add(text: &mut TextWriter, chunks: &[StoredChunk]) -> Result<(), IndexError> {
    for chunks in chunks.chunk_by(|a, b| a.document == b.document) {
        for (chunk, title) in chunks.iter().zip(titles(chunks)) {
            text.add(&TextEntry {
                chunk: chunk.id as u64,
                document: chunk.document.0 as u64,
                text: &chunk.text,
                title: &title,
            })?;
        }
    }
    Ok(())
}

/// Returns the title of each chunk of a document: the file's name, the headings above the chunk and those in it, each
/// once.
fn titles(chunks: &[StoredChunk]) -> Vec<String> {
    let is_markdown = |it: &StoredChunk| Kind::of(Path::new(&it.path)) == Some(Kind::Markdown);
    let mut behind = if chunks.first().is_some_and(is_markdown) {
        let texts = chunks.iter().map(|it| (it.start_byte, it.text.as_str()));
        headings_behind(&texts.collect::<Vec<_>>())
    } else {
        Vec::new()
    };
    behind.resize(chunks.len(), Vec::new());
    let title = |(chunk, behind): (&StoredChunk, Vec<String>)| {
        let mut title = format!("{}\n{}", stem(&chunk.path), chunk.heading);
        for heading in behind {
            title.push('\n');
            title.push_str(&heading);
        }
        title
    };
    chunks.iter().zip(behind).map(title).collect()
}

/// Returns the file's name without folders and extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Fails if a test has injected a fault here; see [`memlens_faults`].
fn inject_fault(store: &Store, list: &'static str) -> Result<(), IndexerError> {
    memlens_faults::inject(Place::Lists, store.dir(), list).map_err(|source| IndexerError::File {
        attempt: "write a list in",
        path: store.dir().to_owned(),
        source,
    })
}

fn rebuild_text(store: &Store, path: &Path, generation: u64) -> Result<TextWriter, IndexerError> {
    inject_fault(store, "text list")?;
    let mut text = TextWriter::create(path)?;
    // The chunks of a document follow each other.
    let mut document: Vec<StoredChunk> = Vec::new();
    store.for_each_chunk(|chunk| -> Result<(), IndexerError> {
        if document
            .first()
            .is_some_and(|first| first.document != chunk.document)
        {
            add(&mut text, &document)?;
            document.clear();
        }
        document.push(chunk);
        Ok(())
    })?;
    add(&mut text, &document)?;
    text.commit(generation)?;
    Ok(text)
}

fn rebuild_vectors(
    store: &Store,
    path: &Path,
    (model, dim): (&str, usize),
    generation: u64,
) -> Result<VectorWriter, IndexerError> {
    inject_fault(store, "vector list")?;
    let mut vectors = VectorWriter::create(path, model, dim)?;
    store.for_each_embedding(|embedding, vector| -> Result<(), IndexerError> {
        Ok(append(&mut vectors, store, embedding, vector)?)
    })?;
    vectors.commit(generation)?;
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use memlens_store::{DocumentId, FolderId};

    use super::*;

    #[test]
    fn one_note_or_several_were_damaged() {
        let check = |paths: &[&str], expected: Option<&str>| {
            let notes = paths.iter().map(|path| (FolderId(1), (*path).to_owned()));
            let forgotten = Forgotten {
                notes: notes.collect(),
                applied: Applied {
                    generation: 1,
                    removed: Vec::new(),
                    added: Vec::new(),
                },
            };
            assert_eq!(forgotten_notice(&forgotten).as_deref(), expected);
        };
        check(&[], None);
        check(
            &["a.md"],
            Some(
                "a.md was damaged in the library, perhaps by a disk fault; it will be re-indexed at the next scan",
            ),
        );
        check(
            &["a.md", "b.md", "c.md"],
            Some(
                "a.md and 2 more were damaged in the library, perhaps by a disk fault; they will be re-indexed at the next scan",
            ),
        );
    }

    #[test]
    fn a_title_holds_each_heading_once() {
        let check = |path: &str, chunks: &[(u32, &str, &str)], expected: &[&str]| {
            let chunks = chunks
                .iter()
                .map(|(start_byte, heading, text)| StoredChunk {
                    id: 1,
                    document: DocumentId(1),
                    path: path.to_owned(),
                    heading: (*heading).to_owned(),
                    start_byte: *start_byte,
                    text: (*text).to_owned(),
                });
            assert_eq!(titles(&chunks.collect::<Vec<_>>()), expected);
        };
        check(
            "a/log.md",
            &[
                (0, "Log", "# Log\n\n## 1.2.0\n\n- new"),
                (25, "Log > 1.1.0", "## 1.1.0\n- old"),
            ],
            &["log\nLog\n1.2.0", "log\nLog > 1.1.0"],
        );
        check(
            "a.md",
            &[(0, "", "```\n# all"), (10, "", "# more\n```")],
            &["a\n"; 2],
        );
        check("a.txt", &[(0, "", "text\n# no heading")], &["a\n"]);
    }

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
