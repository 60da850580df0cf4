//! The retriever of Memlens's own library.

use std::sync::Arc;

use memlens_embed::{Model, is_foreign};
use memlens_params::{Params, TypedSet};
use memlens_rank::{ChunkId, RetrieverId};
use memlens_store::{FolderId, NoText};

use crate::{NoteChunk, Part, Question, RetrieveError, Retrieved, Retriever, Scope, Within};

mod ask;
mod chunk_places;
mod dates;
mod embedder;
mod lists;
mod places;
mod reader;
mod rows;
mod vector_scores;

use ask::Ask;
pub use ask::{DEPTH_MAX, folder_around};
use embedder::ReadInPart;
pub use embedder::{LoadEmbedder, QueryEmbedder};
pub use lists::{FolderCounts, Lists};
pub use reader::StoreReader;
pub use rows::{BlockRows, Rows};
pub use vector_scores::{VectorScores, VectorValue};

use places::{ranges, without};

/// Searches the lists of one generation.
pub struct NativeRetriever {
    /// The immutable data that a search reads.
    pub lists: Arc<Lists>,
    embedder: Arc<QueryEmbedder>,
    store: Arc<StoreReader>,
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
        }
    }

    /// Returns a retriever with other lists of the same library.
    pub fn with(&self, lists: Arc<Lists>) -> NativeRetriever {
        NativeRetriever::new(lists, self.embedder.clone(), self.store.clone())
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

    /// Returns the chunks to search, as ascending disjoint ranges of places.
    fn places(&self, within: &Within) -> Vec<std::ops::Range<u32>> {
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

/// Returns a remark if the lists were made by the bundled model, which knows English, and the question is probably in another
/// language.
fn foreign_remark(model: &str, question: &str) -> Option<String> {
    let is_english_model = Model::from_id(model) == Some(Model::Bundled);
    (is_english_model && is_foreign(question)).then(|| {
        "The question is probably not in English, the language of the bundled embedding model. The vector list may rank the \
         wrong notes first, and the BM25 list finds only the words as typed. `memlens index --model multilingual` embeds your notes by \
         a model for other languages."
            .to_owned()
    })
}

impl Retriever for NativeRetriever {
    fn id(&self) -> RetrieverId {
        RetrieverId::NATIVE
    }

    fn generation(&self) -> u64 {
        self.lists.snapshot.generation
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
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
            Ok((found, vector)) if found == model => {
                vector.ok_or_else(|| "the embedding model does not know its words".to_owned())
            }
            Ok((found, _)) => Err(format!(
                "the notes were embedded by {model} and not by {found}; index them again"
            )),
            Err(error) => Err(format!("no embedding: {error}")),
        }
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
        ask::retrieve(&ask, question.text, question.vector)
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
        let in_part = self.embedder.reads_in_part(question).map(|ReadInPart { n_read, n_tokens }| {
            format!(
                "The question has {n_tokens} tokens; the embedding model read the first {n_read}, so the vector list knows nothing of the rest."
            )
        });
        let foreign = foreign_remark(self.lists.vectors.model(), question);
        in_part.into_iter().chain(foreign).collect()
    }

    fn rest(&self) {
        self.lists.vectors.rest();
    }
}

#[cfg(test)]
mod tests {
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
        check(Model::Multilingual, chinese, false);
        assert_eq!(foreign_remark("hashing-64", chinese), None);
    }
}
