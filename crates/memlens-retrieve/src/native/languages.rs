//! Which chunks are in another language than the question.

use std::collections::HashMap;

use memlens_embed::Language;
use memlens_rank::{CandidateSet, ChunkId};
use parking_lot::Mutex;

use crate::RetrieveError;

/// Maximum number of chunks whose language is cached: 200,000 take about 6 MB.
const KNOWN_MOST: usize = 200_000;

/// The languages of chunks. A chunk never changes under its id, so its language is found once.
#[derive(Default)]
pub struct Languages(Mutex<HashMap<ChunkId, Option<Language>>>);

impl Languages {
    /// Marks the candidates that are in another language than the question. `text_of` returns the texts of chunks, in their
    /// order; `None` for one without a text. A question or a chunk without letters marks nothing.
    ///
    /// # Errors
    /// As `text_of`.
    pub(super) fn mark(
        &self,
        question: &str,
        set: &mut CandidateSet,
        text_of: impl FnOnce(&[ChunkId]) -> Result<Vec<Option<String>>, RetrieveError>,
    ) -> Result<(), RetrieveError> {
        let Some(asked) = Language::of(question) else {
            return Ok(());
        };
        let candidates = &mut set.candidates;
        let new: Vec<ChunkId> = {
            let mut known = self.0.lock();
            if known.len() + candidates.len() > KNOWN_MOST {
                known.clear();
            }
            let chunks = candidates.iter().map(|it| it.chunk);
            chunks.filter(|it| !known.contains_key(it)).collect()
        };
        // Other searches do not wait for the texts.
        let texts = match &new[..] {
            [] => Vec::new(),
            new => text_of(new)?,
        };
        let languages = texts.iter().map(|text| Language::of(text.as_deref()?));
        let languages: Vec<(ChunkId, Option<Language>)> = new.into_iter().zip(languages).collect();
        let mut known = self.0.lock();
        known.extend(languages);
        for candidate in candidates {
            let language = known.get(&candidate.chunk).copied().flatten();
            candidate.is_other_language =
                language.is_some_and(|language| language.differs_from(asked));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use memlens_rank::Candidate;

    use super::*;

    fn set_of(chunks: &[u64]) -> CandidateSet {
        let candidates = chunks.iter().map(|id| Candidate {
            chunk: ChunkId(*id),
            ..Candidate::default()
        });
        CandidateSet {
            candidates: candidates.collect(),
            ..CandidateSet::default()
        }
    }

    fn marked(set: &CandidateSet) -> Vec<bool> {
        set.candidates
            .iter()
            .map(|it| it.is_other_language)
            .collect()
    }

    fn text_of(chunk: ChunkId) -> Option<String> {
        let text = match chunk.0 {
            1 => "The router is in the hall, and the key to the shed hangs beside it.",
            2 => "Der Router steht im Flur, und der Schlüssel zum Schuppen hängt daneben.",
            3 => "10.0.0.1",
            _ => return None,
        };
        Some(text.to_owned())
    }

    #[test]
    fn chunks_of_another_language_are_marked() {
        let languages = Languages::default();
        let mark = |question: &str, chunks: &[u64]| {
            let mut found = set_of(chunks);
            let texts = |new: &[ChunkId]| Ok(new.iter().map(|it| text_of(*it)).collect());
            languages
                .mark(question, &mut found, texts)
                .expect("texts are read");
            marked(&found)
        };
        let english = "Where is the router, and where is the key to the shed?";
        assert_eq!(mark(english, &[1, 2, 3, 4]), [false, true, false, false]);
        let german = "Wo steht der Router, und wo hängt der Schlüssel zum Schuppen?";
        assert_eq!(mark(german, &[4, 3, 2, 1]), [false, false, false, true]);
        assert_eq!(mark("10.0.0.1?", &[1, 2]), [false, false]);
    }

    #[test]
    fn a_text_is_read_once() {
        let languages = Languages::default();
        let question = "Where is the router, and where is the key to the shed?";
        let mut found = set_of(&[1, 2]);
        let texts = |new: &[ChunkId]| Ok(new.iter().map(|it| text_of(*it)).collect());
        languages
            .mark(question, &mut found, texts)
            .expect("texts are read");
        let mut found = set_of(&[2, 1]);
        let never = |new: &[ChunkId]| panic!("{new:?} are read again");
        languages
            .mark(question, &mut found, never)
            .expect("nothing is read");
        assert_eq!(marked(&found), [true, false]);
    }
}
