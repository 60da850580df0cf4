//! The retriever of Memlens's own library.

use std::ops::Range;
use std::sync::Arc;

use memlens_embed::{is_english_model, is_foreign, is_multilingual_model};
use memlens_params::{Params, TypedSet};
use memlens_rank::{ChunkId, RetrieverId};
use memlens_store::{FolderId, NoText};

use crate::{NoteChunk, Part, Question, RetrieveError, Retrieved, Retriever, Scope, Within};

mod ask;
mod chunk_places;
mod dates;
mod embedder;
mod languages;
mod lists;
mod part_scores;
mod parts;
mod places;
mod reader;
mod rows;
mod vector_scores;

use ask::{Ask, InParts};
pub use ask::{DEPTH_MAX, folder_around};
pub use embedder::{LoadEmbedder, QueryEmbedder};
use languages::Languages;
pub use lists::{FolderCounts, Lists};
use part_scores::PartVector;
use parts::Parts;
pub use reader::StoreReader;
pub use rows::{BlockRows, Rows};
pub use vector_scores::{VectorScores, VectorValue};

use places::{ranges, without};

/// The remark that the model in use does not know the language of the question.
pub const FOREIGN_REMARK: &str = "The question is probably not in English, the only language of the embedding model. The vector list may \
     rank the wrong notes first, and the BM25 list finds only the words as typed. `memlens index --model multilingual` embeds \
     your notes by a model for other languages.";

/// Why there is no vector of a question that the model cannot read.
const UNREADABLE: &str = "the embedding model does not know its words";

/// Searches the lists of one generation.
pub struct NativeRetriever {
    /// The immutable data that a search reads.
    pub lists: Arc<Lists>,
    embedder: Arc<QueryEmbedder>,
    store: Arc<StoreReader>,
    languages: Arc<Languages>,
}

impl NativeRetriever {
    /// Returns a retriever of these lists. `store` is a connection to the library that they were opened from.
    pub fn new(
        lists: Arc<Lists>,
        embedder: Arc<QueryEmbedder>,
        store: Arc<StoreReader>,
    ) -> NativeRetriever {
        NativeRetriever {
            lists,
            embedder,
            store,
            languages: Arc::default(),
        }
    }

    /// Returns a retriever with other lists of the same library.
    pub fn with(&self, lists: Arc<Lists>) -> NativeRetriever {
        NativeRetriever {
            lists,
            embedder: self.embedder.clone(),
            store: self.store.clone(),
            languages: self.languages.clone(),
        }
    }

    /// Prefetches the vector list's bounds for at most eight questions that will be asked next, which is cheaper than
    /// computing them one by one. Does not change any result.
    pub fn look_ahead(&self, questions: &[&str]) {
        // Stops at the first error: without a model each question would try to load it.
        let embedded = questions
            .iter()
            .map_while(|it| self.embedder.embed(it).ok());
        let of_list = embedded.filter(|(model, _)| model == self.lists.vectors.model());
        let vectors: Vec<Vec<f32>> = of_list.filter_map(|(_, vector)| vector).collect();
        self.lists.vectors.look_ahead(vectors);
    }

    /// Returns what is searched of a question.
    fn parts(&self, question: &str) -> Parts {
        Parts::of(question, |part| self.embedder.fits(part))
    }

    /// Returns the vectors of a question: that of the whole, or those of its parts that the model can read.
    ///
    /// # Errors
    /// Why there are none.
    fn vectors(&self, question: &Question<'_>, parts: &Parts) -> Result<Vec<PartVector>, String> {
        let whole = question.vector?;
        if parts.is_whole {
            return Ok(vec![PartVector {
                part: None,
                vector: whole.to_vec(),
            }]);
        }
        let mut vectors = Vec::with_capacity(parts.ranges.len());
        for (at, part) in (0..).zip(&parts.ranges) {
            let vector = self.embedded(&question.text[part.clone()])?;
            let vector = vector.map(|vector| PartVector {
                part: Some(at),
                vector,
            });
            vectors.extend(vector);
        }
        if vectors.is_empty() {
            return Err(UNREADABLE.to_owned());
        }
        Ok(vectors)
    }

    /// Returns the vector of a text by the model of the lists; `None` if the model cannot read it.
    ///
    /// # Errors
    /// Why there is none, worded as the end of a sentence.
    fn embedded(&self, text: &str) -> Result<Option<Vec<f32>>, String> {
        let model = self.lists.vectors.model();
        let is_other =
            |it: &Result<(String, _), _>| it.as_ref().is_ok_and(|(found, _)| found != model);
        let mut embedded = self.embedder.embed(text);
        if is_other(&embedded) {
            // The notes may have been embedded again by another model since this one was loaded.
            self.embedder.unload();
            embedded = self.embedder.embed(text);
        }
        match embedded {
            Ok((found, vector)) if found == model => Ok(vector),
            Ok((found, _)) => Err(format!(
                "the notes were embedded by {model} and not by {found}; index them again"
            )),
            Err(error) => Err(format!("no embedding: {error}")),
        }
    }

    /// Returns the chunks to search, as ascending disjoint ranges of places.
    fn places(&self, within: &Within) -> Vec<Range<u32>> {
        let snapshot = &self.lists.snapshot;
        let place = |chunk: &ChunkId| self.lists.place_of(chunk.0 as i64);
        let part = match &within.part {
            Part::All => std::iter::once(0..snapshot.n_chunks()).collect(),
            Part::Folder(scope) => scope.chunks(snapshot),
            Part::Folders(folders) => {
                let scopes = folders.iter().map(|&folder| Scope {
                    folder,
                    path: String::new(),
                });
                ranges(scopes.flat_map(|scope| scope.chunks(snapshot)).flatten())
            }
            Part::Chunks(chunks) => ranges(chunks.iter().filter_map(place)),
        };
        within.without.iter().filter_map(place).fold(part, without)
    }
}

/// Returns what is searched of a question, in one text.
fn searched(question: &str, parts: &Parts) -> String {
    let parts = parts.ranges.iter().map(|part| &question[part.clone()]);
    parts.collect::<Vec<_>>().join(" ")
}

/// Returns a remark if the lists were made by a model that knows English only, and the question is probably in another
/// language.
fn foreign_remark(model: &str, question: &str) -> Option<String> {
    (is_english_model(model) && is_foreign(question)).then(|| FOREIGN_REMARK.to_owned())
}

impl Retriever for NativeRetriever {
    fn id(&self) -> RetrieverId {
        RetrieverId::NATIVE
    }

    fn generation(&self) -> u64 {
        self.lists.snapshot.generation
    }

    fn model(&self) -> Option<&str> {
        (self.lists.snapshot.n_chunks() > 0).then(|| self.lists.vectors.model())
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        self.embedded(text)?.ok_or_else(|| UNREADABLE.to_owned())
    }

    fn retrieve(&self, question: &Question<'_>) -> Result<Retrieved, RetrieveError> {
        let scope = self.places(question.within);
        let also: Vec<u32> = question
            .also
            .iter()
            .filter_map(|chunk| self.lists.place_of(chunk.0 as i64))
            .filter(|place| scope.iter().any(|range| range.contains(place)))
            .collect();
        let ask = Ask {
            lists: &self.lists,
            params: &Params::of(question.params),
            scope: &scope,
            also: &also,
            true_ranks: question.true_ranks,
        };
        let parts = self.parts(question.text);
        let vectors = self.vectors(question, &parts);
        let mut retrieved = ask::retrieve(
            &ask,
            InParts {
                text: question.text,
                parts: &parts,
                vectors: vectors.as_deref().map_err(String::as_str),
            },
        )?;
        // A model for English only: its cosines to other languages mean nothing that could replace words.
        if is_multilingual_model(self.lists.vectors.model()) {
            self.languages.mark(
                &searched(question.text, &parts),
                &mut retrieved.set,
                |chunks| {
                    let texts = self.texts(chunks)?;
                    Ok(texts.into_iter().map(Result::ok).collect())
                },
            )?;
        }
        Ok(retrieved)
    }

    fn chunks_of(&self, folder: FolderId, path: &str) -> Option<Vec<NoteChunk>> {
        let snapshot = &self.lists.snapshot;
        let document = &snapshot.documents[snapshot.find(folder, path)?];
        let chunks = document.chunks.iter();
        Some(
            chunks
                .map(|chunk| NoteChunk {
                    chunk: ChunkId(chunk.id as u64),
                    start_line: chunk.start_line,
                    end_line: chunk.end_line,
                })
                .collect(),
        )
    }

    fn texts(&self, chunks: &[ChunkId]) -> Result<Vec<Result<String, NoText>>, RetrieveError> {
        let ids = chunks.iter().map(|chunk| chunk.0 as i64);
        Ok(self.store.lock().chunk_texts(ids)?)
    }

    fn left_out(&self) -> Vec<String> {
        let altered = self.lists.snapshot.altered.iter();
        altered.map(|one| one.path.clone()).collect()
    }

    fn remarks_on(&self, question: &str) -> Vec<String> {
        let parts = self.parts(question);
        let is_long = |part: &&Range<usize>| !self.embedder.fits(&question[(*part).clone()]);
        let n_long = parts.ranges.iter().filter(is_long).count();
        let in_part = (n_long > 0).then(|| {
            let n = parts.ranges.len();
            format!(
                "{n_long} of the {n} parts of the question are longer than the embedding model reads, so the vector list does not know \
                 how they end."
            )
        });
        let foreign = foreign_remark(self.lists.vectors.model(), &searched(question, &parts));
        in_part.into_iter().chain(foreign).collect()
    }

    fn rest(&self) {
        self.lists.vectors.rest();
    }
}

#[cfg(test)]
mod tests {
    use memlens_embed::Model;

    use super::*;

    #[test]
    fn a_question_that_the_english_model_does_not_know_is_remarked_on() {
        let check = |model: Model, question: &str, expected: bool| {
            let remark = foreign_remark(&model.info().id, question);
            assert_eq!(remark.is_some(), expected, "{model:?} {question}");
        };
        let chinese = "母亲什么时候服用降压药?";
        check(Model::Bundled, chinese, true);
        check(
            Model::Bundled,
            "Wie oft prüfen wir, ob sich das Backup zurückspielen lässt?",
            true,
        );
        check(Model::Bundled, "how often do we check the backup?", false);
        check(Model::Static, chinese, true);
        check(Model::Multilingual, chinese, false);
        assert_eq!(foreign_remark("hashing-64", chinese), None);
    }
}
