//! Metrics of a ranking, query by query.

use memlens_eval::{Scores, score};
use memlens_library::{EngineError, Library, Ranking};

use crate::evaluate::run_query;
use crate::judged::JudgedFile;

/// Metrics of a ranking for each query of a file that has an answer.
///
/// # Errors
/// As [`crate::evaluate::run_query`].
pub fn scores(
    library: &Library,
    judged: &JudgedFile<'_>,
    ranking: &Ranking,
    mut asked: impl FnMut(),
) -> Result<Vec<Scores>, EngineError> {
    let is_of_library = ranking.is_of_library();
    let queries = library.in_turn(&judged.queries, |query| {
        let is_asked = is_of_library && query.gold().is_some();
        is_asked.then_some(&*query.query)
    });
    let answered = queries.filter_map(|query| Some((query, query.gold()?)));
    let each = answered.map(|(query, gold)| {
        let run = run_query(library, query, &judged.file.base, ranking, false)?;
        asked();
        Ok(score(gold, &run.places))
    });
    each.collect()
}
