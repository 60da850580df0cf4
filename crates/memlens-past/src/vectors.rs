//! Cache of past questions' vectors, so that asking them again needs no model.

use std::collections::HashMap;

use memlens_library::Library;
use memlens_library::emulation::numbers;
use memlens_library::search::Search;

use super::{Era, Past};
use crate::worked_out::worked_out;

/// Maximum number of cached vectors, about 20 MB; further questions are embedded by the model.
const KEPT_MOST: usize = 10_000;

fn name(model: &str) -> String {
    format!("question of {model}")
}

/// Loads the cached vectors of past questions.
pub fn take_up_vectors<'p>(library: &Library, past: impl Iterator<Item = &'p Past>) {
    let lists = library.lists();
    let (model, dim) = (lists.vectors.model(), lists.vectors.dim());
    let Ok(cache) = library.score_cache() else {
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
    library.embedder().keep(model.to_owned(), known);
}

/// Removes the cached vectors of questions by the current model. A failure does not prevent the questions from
/// being forgotten.
pub fn forget_vectors(library: &Library, questions: &[String]) {
    library.embedder().forget();
    let model = name(library.lists().vectors.model());
    let texts = questions.iter().map(|question| question.trim());
    let forgotten = library
        .score_cache()
        .map(|cache| cache.forget_vectors(&model, texts));
    if !matches!(forgotten, Ok(Ok(()))) {
        tracing::warn!("the vectors of past questions are not forgotten");
    }
}

/// Caches the vector of a question that was just asked, unless it is cached or past questions were forgotten since
/// the work began.
pub(crate) fn keep_vector(library: &Library, search: &Search, began: Era) {
    let lists = library.lists();
    let Ok(vector) = &search.vector else {
        return;
    };
    if library.embedder().knows(&search.query) {
        return;
    }
    worked_out(library).keep_beside(began, || {
        let kept = library.score_cache().map(|cache| {
            let bytes: Vec<u8> = vector.iter().flat_map(|it| it.to_le_bytes()).collect();
            cache.put_vectors(&name(lists.vectors.model()), &search.query, &bytes)
        });
        if !matches!(kept, Ok(Ok(()))) {
            tracing::debug!("the vector of a question is not kept");
        }
    });
}
