//! The person's thumbs on the texts that stand in the library now.

use std::collections::HashMap;
use std::sync::Arc;

use memlens_rank::Thumbs;
use memlens_retrieve::TextId;
use memlens_store::{Snapshot, Store, StoreError, StoredFeedback, Thumb};

use crate::following::{JudgedText, Stands, follow};

/// Every thumb, each on the text that stands now where the judged one stood.
#[derive(Default)]
pub(crate) struct GivenThumbs {
    /// How many point up and down, over all questions.
    counts: HashMap<TextId, (u32, u32)>,
    /// Those of each question. Of two that came to stand on one text the newer counts.
    of_question: HashMap<String, HashMap<TextId, Thumb>>,
    /// Where each stands, by its id.
    stands: HashMap<i64, Stands>,
    /// The ids of all that stand on a text for a question, the newest first: of other wordings, and of what the text was.
    standing: HashMap<(String, TextId), Vec<i64>>,
}

impl GivenThumbs {
    fn of(
        stored: &[StoredFeedback],
        snapshot: &Snapshot,
        store: &Store,
        model: &str,
    ) -> Result<GivenThumbs, StoreError> {
        let judged: Vec<JudgedText<'_>> = stored
            .iter()
            .map(|one| JudgedText {
                hash: &one.feedback.hash,
                text: &one.feedback.text,
                path: &one.feedback.path,
            })
            .collect();
        let mut given = GivenThumbs::default();
        // The newest come first.
        for (one, stands) in stored.iter().zip(follow(&judged, snapshot, store, model)?) {
            given.stands.insert(one.id, stands);
            if let Some(place) = stands.place() {
                let text = TextId(snapshot.chunk(place).1.embedding.0);
                let key = (question(&one.feedback.query), text);
                given.standing.entry(key).or_default().push(one.id);
                let of_question = given.of_question.entry(question(&one.feedback.query));
                of_question
                    .or_default()
                    .entry(text)
                    .or_insert(one.feedback.thumb);
            }
        }
        for (text, thumb) in given.of_question.values().flatten() {
            let (n_up, n_down) = given.counts.entry(*text).or_default();
            match thumb {
                Thumb::Up => *n_up += 1,
                Thumb::Down => *n_down += 1,
            }
        }
        Ok(given)
    }

    /// The thumbs on a text as ranking counts them; `without` leaves out those that were given for a question.
    pub fn on(&self, text: TextId, without: Option<&str>) -> Thumbs {
        let (mut n_up, mut n_down) = self.counts.get(&text).copied().unwrap_or_default();
        match without.and_then(|without| self.for_question(without)?.get(&text)) {
            Some(Thumb::Up) => n_up -= 1,
            Some(Thumb::Down) => n_down -= 1,
            None => {}
        }
        Thumbs { n_up, n_down }
    }

    /// The thumbs that were given for a question.
    pub fn for_question(&self, asked: &str) -> Option<&HashMap<TextId, Thumb>> {
        self.of_question.get(&question(asked))
    }

    /// The ids of the thumbs for a question that stand on a text, the newest first.
    pub fn standing_on(&self, asked: &str, text: TextId) -> &[i64] {
        let standing = self.standing.get(&(question(asked), text));
        standing.map_or(&[], Vec::as_slice)
    }

    /// Where the text of a thumb stands now.
    pub fn stands(&self, id: i64) -> Stands {
        self.stands.get(&id).copied().unwrap_or(Stands::Gone)
    }
}

/// A question as it is compared: case and white space do not make it another one.
pub(crate) fn question(asked: &str) -> String {
    let words: Vec<&str> = asked.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// What the thumbs were read for, and the thumbs.
#[derive(Default)]
pub(crate) struct ReadThumbs {
    /// The generations of the feedback and of the lists; none before the first time.
    of: Option<(u64, u64)>,
    given: Arc<GivenThumbs>,
}

impl ReadThumbs {
    /// The thumbs as they are now, on texts whose vectors are of `model`; read anew where anything changed.
    ///
    /// # Errors
    /// Where the thumbs cannot be read.
    pub fn now(
        &mut self,
        store: &Store,
        model: &str,
        snapshot: &Snapshot,
    ) -> Result<Arc<GivenThumbs>, StoreError> {
        let of = Some((store.feedback_generation()?, snapshot.generation));
        if self.of != of {
            let given = GivenThumbs::of(&store.feedback()?, snapshot, store, model)?;
            self.given = Arc::new(given);
            self.of = of;
        }
        Ok(self.given.clone())
    }
}
