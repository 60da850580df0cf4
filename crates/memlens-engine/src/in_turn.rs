//! Many questions, asked one after another.

use memlens_rank::RetrieverId;
use memlens_retrieve::Retriever;

use crate::{Library, Ranking};

/// So many are prepared at once: a pass over the codes of vectors waits for memory about as long as it takes to compare them
/// with four questions.
const AT_ONCE: usize = 4;

impl Ranking {
    /// Whether it ranks what the library's own lists hold, and not another program's memory.
    pub fn is_of_library(&self) -> bool {
        self.pipeline.retriever() == RetrieverId::NATIVE
    }
}

impl Library {
    /// What is asked, in its order. With the first of every few the library's lists are prepared for those few, so that each
    /// costs less; answers are the same. `question` says in which words each asks; `is_of_library` whether it asks these lists
    /// and not another memory.
    pub fn in_turn<'a, Asked>(
        &'a self,
        all: &'a [Asked],
        question: impl Fn(&Asked) -> &str,
        is_of_library: impl Fn(&Asked) -> bool,
    ) -> impl Iterator<Item = &'a Asked> {
        all.chunks(AT_ONCE).flat_map(move |next| {
            let asked = next.iter().filter(|it| is_of_library(it));
            let questions = asked.map(|it| question(it).trim());
            let questions: Vec<&str> = questions.filter(|it| !it.is_empty()).collect();
            // One by itself is asked as it comes.
            if questions.len() > 1 {
                self.retriever().look_ahead(&questions);
            }
            next
        })
    }
}
