//! The user's thumbs on texts of the current library, and the similarity of their questions to another one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use memlens_embed::CosineScale;
use memlens_rank::Thumbs;
use memlens_retrieve::{QueryEmbedder, Retrieved, TextId};
use memlens_store::{Snapshot, Store, StoreError, StoredFeedback, Thumb};

use crate::judging::following::{JudgedText, Stands, follow};

/// Every thumb, assigned to the text that is now where the judged one was.
#[derive(Default)]
pub(crate) struct GivenThumbs {
    /// The questions that have a thumb on a text, in the order of [`question`], each as it was asked.
    questions: Vec<String>,
    /// Thumbs on each text with the indices of their questions, ascending.
    on_text: HashMap<TextId, Vec<(u32, Thumb)>>,
    /// Thumbs by question. If two of them are assigned to one text, the newer one counts.
    of_question: HashMap<String, HashMap<TextId, Thumb>>,
    /// Where the text of each thumb is now, by id.
    stands: HashMap<i64, Stands>,
    /// Ids of all thumbs that are assigned to a text for a question, newest first: of other wordings, and of former
    /// texts.
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
        let mut asked: BTreeMap<String, &str> = BTreeMap::new();
        // The newest come first.
        for (one, stands) in stored.iter().zip(follow(&judged, snapshot, store, model)?) {
            given.stands.insert(one.id, stands);
            if let Some(place) = stands.place() {
                let text = TextId(snapshot.chunk(place).1.embedding.0);
                let query = question(&one.feedback.query);
                asked.entry(query.clone()).or_insert(&one.feedback.query);
                let key = (query.clone(), text);
                given.standing.entry(key).or_default().push(one.id);
                let of_question = given.of_question.entry(query);
                of_question
                    .or_default()
                    .entry(text)
                    .or_insert(one.feedback.thumb);
            }
        }
        for (at, query) in (0..).zip(asked.keys()) {
            for (text, thumb) in given.of_question.get(query).into_iter().flatten() {
                given.on_text.entry(*text).or_default().push((at, *thumb));
            }
        }
        given.questions = asked.into_values().map(str::to_owned).collect();
        Ok(given)
    }

    /// Thumbs on a text as ranking counts them, each with the closeness of its question; `without` leaves out those
    /// given for a question.
    pub fn on(&self, text: TextId, without: Option<&str>, closeness: &mut Closeness<'_>) -> Thumbs {
        let mut thumbs = Thumbs::default();
        for (query, thumb) in self.on_text.get(&text).into_iter().flatten() {
            let query = &self.questions[*query as usize];
            if without.is_some_and(|without| question(without) == question(query)) {
                continue;
            }
            let closeness = closeness.of(query);
            match thumb {
                Thumb::Up => {
                    thumbs.n_up += 1;
                    thumbs.up += closeness;
                }
                Thumb::Down => {
                    thumbs.n_down += 1;
                    thumbs.down += closeness;
                }
            }
        }
        thumbs
    }

    /// The questions of the thumbs on a text, as they were asked, with each thumb.
    pub fn questions_on(&self, text: TextId) -> impl Iterator<Item = (&str, Thumb)> {
        let on_text = self.on_text.get(&text).into_iter().flatten();
        on_text.map(|(query, thumb)| (self.questions[*query as usize].as_str(), *thumb))
    }

    /// The thumbs that were given for a question.
    pub fn for_question(&self, asked: &str) -> Option<&HashMap<TextId, Thumb>> {
        self.of_question.get(&question(asked))
    }

    /// Ids of the thumbs for a question that are assigned to a text, newest first.
    pub fn standing_on(&self, asked: &str, text: TextId) -> &[i64] {
        let standing = self.standing.get(&(question(asked), text));
        standing.map_or(&[], Vec::as_slice)
    }

    /// Where the text of a thumb is now.
    pub fn stands(&self, id: i64) -> Stands {
        self.stands.get(&id).copied().unwrap_or(Stands::Gone)
    }
}

/// A search's question in the form that is compared with thumbs, and the model that embeds their questions.
#[derive(Clone)]
pub(crate) struct Asked {
    /// The question, normalised by [`question`].
    question: String,
    /// Its embedding; `None` without one.
    vector: Option<Arc<[f32]>>,
    /// The model that made it.
    model: String,
    embedder: Arc<QueryEmbedder>,
}

impl Asked {
    /// A question with its embedding by `model`.
    pub fn new(
        asked: &str,
        vector: Option<&[f32]>,
        model: &str,
        embedder: Arc<QueryEmbedder>,
    ) -> Asked {
        Asked {
            question: question(asked),
            vector: vector.map(Arc::from),
            model: model.to_owned(),
            embedder,
        }
    }

    /// Embeds the questions of the thumbs on what was retrieved, so that [`Asked::closeness`] does not wait for the model.
    pub fn prepare(&self, thumbs: &GivenThumbs, retrieved: &Retrieved) {
        let mut closeness = self.closeness();
        for text in retrieved.rows.iter().filter_map(|row| row.text) {
            for (query, _) in thumbs.questions_on(text) {
                closeness.of(query);
            }
        }
    }

    fn scale(&self) -> CosineScale {
        CosineScale::for_model(&self.model)
    }

    /// How close other questions are to this one.
    pub fn closeness(&self) -> Closeness<'_> {
        Closeness {
            asked: self,
            known: HashMap::new(),
        }
    }

    /// Embedding of another question; `None` without a model, and if the model differs from this question's. Computed
    /// once, because the model is slow.
    fn embedded(&self, other: &str) -> Option<Vec<f32>> {
        let is_known = self.embedder.knows(other);
        let (model, vector) = self.embedder.embed(other).ok()?;
        if !is_known {
            let of_question = [(other.to_owned(), vector.clone())];
            self.embedder.keep(model.clone(), of_question.into());
        }
        vector.filter(|_| model == self.model)
    }
}

/// Similarity of other questions to one, each computed once.
pub(crate) struct Closeness<'a> {
    asked: &'a Asked,
    known: HashMap<String, f64>,
}

impl Closeness<'_> {
    /// Cosine of the embeddings on the model's [`CosineScale`], in `[0, 1]`: 1 for the same question, 0 for a different one without an embedding.
    pub fn of(&mut self, other: &str) -> f64 {
        if let Some(known) = self.known.get(other) {
            return *known;
        }
        let closeness = if question(other) == self.asked.question {
            1.0
        } else {
            let vector = self.asked.vector.as_deref();
            vector
                .and_then(|vector| Some(cosine(vector, &self.asked.embedded(other)?)))
                .map_or(0.0, |cosine| {
                    self.asked.scale().score(cosine).clamp(0.0, 1.0)
                })
        };
        self.known.insert(other.to_owned(), closeness);
        closeness
    }
}

/// Cosine of two vectors, at least 0; 0 if either has no direction.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
        products.sum()
    };
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    let cosine = dot(a, b) / lengths;
    if cosine.is_finite() {
        cosine.clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// Normalised form of a question: case and white space do not matter.
pub fn question(asked: &str) -> String {
    let words: Vec<&str> = asked.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// The thumbs, with what they were read for.
#[derive(Default)]
pub(crate) struct ReadThumbs {
    /// Generations of the feedback and of the lists; `None` before the first time.
    of: Option<(u64, u64)>,
    given: Arc<GivenThumbs>,
}

impl ReadThumbs {
    /// The current thumbs, on texts whose vectors are of `model`; read again after any change.
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
