//! How OpenViking interprets a reranker's answer.

use super::facts::Given;

/// The reranker interface that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Any with the interface of OpenAI.
    OpenAi,
    /// A service with the interface of Cohere.
    Cohere,
}

/// Returns the score of each of `n_texts` texts from rows of index and score; a text without a row counts 0.
///
/// # Errors
/// Why the answer is not used at all, so that every record keeps its vector score.
pub fn answered(
    provider: Provider,
    n_texts: usize,
    answer: Result<&[(usize, f64)], &str>,
) -> Result<Vec<Given>, String> {
    let rows = answer?;
    if rows.is_empty() && provider == Provider::OpenAi {
        return Err("the answer has no rows".to_owned());
    }
    let mut given = vec![Given::Score(0.0); n_texts];
    for (index, score) in rows {
        let Some(given) = given.get_mut(*index) else {
            return Err(format!(
                "the answer has a row for text {index} of {n_texts}"
            ));
        };
        *given = if score.is_finite() {
            Given::Score(*score)
        } else {
            Given::NoNumber
        };
    }
    Ok(given)
}
