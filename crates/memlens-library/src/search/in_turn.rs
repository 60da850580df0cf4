//! Answers many questions one after another.

use memlens_rank::RetrieverId;

use crate::{Library, Ranking};

/// The number of questions that are prepared at once: comparing codes with four takes about as long as waiting for them to come
/// from memory.
const AT_ONCE: usize = 4;

impl Ranking {
    /// Whether it ranks the library's own lists, not another program's memory.
    pub fn is_of_library(&self) -> bool {
        self.pipeline.retriever() == RetrieverId::NATIVE
    }
}

impl Library {
    /// All items, in order. Before every fourth one, the lists are prepared for the next four, so that each search costs less;
    /// the results are the same. `question` returns the text; `None` if the item is not for the library's own lists.
    pub fn in_turn<'a, Asked>(
        &'a self,
        all: &'a [Asked],
        question: impl Fn(&'a Asked) -> Option<&'a str>,
    ) -> impl Iterator<Item = &'a Asked> {
        all.chunks(AT_ONCE).flat_map(move |next| {
            let questions = next.iter().filter_map(&question).map(str::trim);
            let questions: Vec<&str> = questions.filter(|it| !it.is_empty()).collect();
            // A single question is asked without preparation.
            if questions.len() > 1 {
                self.retriever().look_ahead(&questions);
                self.note_vectors_read();
            }
            next
        })
    }
}
