//! Which words of a query the texts of notes hold. A pass over all chunks, whose result the list, the timeline and the tags
//! share.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use memlens_library::{EngineError, Library};
use memlens_store::{DocumentId, StoredChunk};
use memlens_wire::{NoteQuery, NoteRow};

use crate::Overviews;

/// More different words than this are not looked for.
pub const WORDS_MAX: usize = 64;

/// Which of some words the text of each document holds, as bits.
pub(crate) struct Holding {
    generation: u64,
    words: Vec<String>,
    texts: HashMap<DocumentId, u64>,
}

/// The words of a text, each once, in lower case.
pub fn different_words(text: &str) -> Vec<String> {
    let mut known = HashSet::new();
    let words = text.split_whitespace().map(str::to_lowercase);
    words.filter(|word| known.insert(word.clone())).collect()
}

/// What the text of a query is compared with; `None` if it has none.
pub(crate) fn holding_of(
    library: &Library,
    query: &NoteQuery,
) -> Result<Option<Arc<Holding>>, EngineError> {
    let mut words = different_words(&query.text);
    words.truncate(WORDS_MAX);
    if words.is_empty() {
        return Ok(None);
    }
    let generation = library.lists().snapshot.generation;
    let state = library.feature::<Overviews>();
    // Who asks for the same meanwhile waits for the pass.
    let mut known = state.holding.lock();
    let is_same = |it: &&Arc<Holding>| it.generation == generation && it.words == words;
    if let Some(holding) = known.as_ref().filter(is_same) {
        return Ok(Some(holding.clone()));
    }
    let holding = Arc::new(Holding::read(library, generation, words)?);
    *known = Some(holding.clone());
    Ok(Some(holding))
}

impl Holding {
    fn read(
        library: &Library,
        generation: u64,
        words: Vec<String>,
    ) -> Result<Holding, EngineError> {
        let mut texts: HashMap<DocumentId, u64> = HashMap::new();
        let each = |chunk: StoredChunk| -> Result<(), EngineError> {
            let held = bits(&words, &chunk.text.to_lowercase());
            if held != 0 {
                *texts.entry(chunk.document).or_default() |= held;
            }
            Ok(())
        };
        // Of its own, so that nothing else waits for the pass.
        let store = library.store().reader()?;
        store.for_each_chunk(each)?;
        Ok(Holding {
            generation,
            words,
            texts,
        })
    }

    /// Whether each word is in the title, path or text of a note.
    pub(crate) fn is_in(&self, row: &NoteRow, document: Option<DocumentId>) -> bool {
        let name = format!("{}\n{}", row.title, row.path).to_lowercase();
        let of_text = document.and_then(|id| self.texts.get(&id)).copied();
        let held = bits(&self.words, &name) | of_text.unwrap_or(0);
        held.count_ones() as usize == self.words.len()
    }
}

fn bits(words: &[String], text: &str) -> u64 {
    let held = words.iter().enumerate();
    held.filter(|(_, word)| text.contains(word.as_str()))
        .fold(0, |bits, (at, _)| bits | 1 << at)
}
