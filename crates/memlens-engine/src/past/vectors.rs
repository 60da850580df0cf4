//! Cache of past questions' vectors, so that asking them again needs no model.

use std::collections::HashMap;

use super::{Era, Past};
use crate::Library;
use crate::emulation::numbers;
use crate::search::Search;

/// Maximum number of cached vectors, about 20 MB; further questions are embedded by the model.
const KEPT_MOST: usize = 10_000;

fn name(model: &str) -> String {
    format!("question of {model}")
}

impl Library {
    /// Loads the cached vectors of past questions.
    pub(crate) fn take_up_vectors<'p>(&self, past: impl Iterator<Item = &'p Past>) {
        let lists = self.lists();
        let (model, dim) = (lists.vectors.model(), lists.vectors.dim());
        let Ok(cache) = self.reranking.scores(self.dir()) else {
            return;
        };
        let mut questions: Vec<&str> = past.map(|it| it.asked.question.trim()).collect();
        questions.sort_unstable();
        questions.dedup();
        questions.truncate(KEPT_MOST);
        let found = cache
            .vectors_of(&name(model), &questions)
            .unwrap_or_default();
        let known: HashMap<String, Option<Vec<f32>>> = questions
            .into_iter()
            .zip(found)
            .filter_map(|(question, bytes)| {
                let vector = numbers(&bytes?, dim)?;
                Some((question.to_owned(), Some(vector.to_vec())))
            })
            .collect();
        self.embedder.keep(model.to_owned(), known);
    }

    /// Removes the cached vectors of questions by the current model. A failure does not prevent the questions from
    /// being forgotten.
    pub(crate) fn forget_vectors(&self, questions: &[String]) {
        self.embedder.forget();
        let model = name(self.lists().vectors.model());
        let texts = questions.iter().map(|question| question.trim());
        let forgotten = self
            .reranking
            .scores(self.dir())
            .map(|cache| cache.forget_vectors(&model, texts));
        if !matches!(forgotten, Ok(Ok(()))) {
            tracing::warn!("the vectors of past questions are not forgotten");
        }
    }

    /// Caches the vector of a question that was just asked, unless it is cached or past questions were forgotten since
    /// the work began.
    pub(super) fn keep_vector(&self, search: &Search, began: Era) {
        let lists = self.lists();
        let Ok(vector) = &search.vector else {
            return;
        };
        if self.embedder.knows(&search.query) {
            return;
        }
        self.worked_out.keep_beside(began, || {
            let kept = self.reranking.scores(self.dir()).map(|cache| {
                let bytes: Vec<u8> = vector.iter().flat_map(|it| it.to_le_bytes()).collect();
                cache.put_vectors(&name(lists.vectors.model()), &search.query, &bytes)
            });
            if !matches!(kept, Ok(Ok(()))) {
                tracing::debug!("the vector of a question is not kept");
            }
        });
    }
}
