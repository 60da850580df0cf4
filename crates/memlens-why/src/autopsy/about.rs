//! Selects an agent's questions about the fact: those that share a distinctive word with it, and those that are close
//! to it in meaning.

use memlens_past::Past;
use memlens_past::vectors::take_up_vectors;

use super::Case;
use super::fact::Fact;

/// The model that [`CLOSE_TO_FACT`] was measured with. With any other model only words decide what a question is about.
const MEASURED_MODEL: &str = "all-MiniLM-L6-v2-q8@57d50a19";
/// Minimum cosine at which a question is about a fact.
///
/// Measured by `tests/integration/quality.rs` on the 57 questions of `tests/fixtures/agent-memory-57` and the lines of notes that do not
/// answer them: 99 % of these 8,285 pairs are below 0.331, 99.5 % below 0.368.
pub const CLOSE_TO_FACT: f64 = 0.35;
/// Number of the newest questions without a word of the fact that are compared by meaning.
const COMPARED_MOST: usize = 300;

/// How a question relates to the fact.
#[derive(Debug, Clone, Default)]
pub(super) struct About {
    /// The distinctive words that it shares with the fact, as it writes them.
    pub shared: Vec<String>,
    /// The cosine of both; `None` if it was not compared by meaning.
    pub cosine: Option<f64>,
}

impl About {
    /// Whether the question is about the fact.
    pub fn is_about(&self) -> bool {
        !self.shared.is_empty() || self.cosine.is_some_and(|cosine| cosine >= CLOSE_TO_FACT)
    }

    /// How close it is, for the order: by meaning if that was compared, then by the number of shared words.
    pub fn closeness(&self) -> (f64, usize) {
        (self.cosine.unwrap_or(0.0), self.shared.len())
    }
}

/// Each question of the case in its order.
pub(super) fn about(case: &Case<'_>, fact: &Fact, questions: &[Past]) -> Vec<About> {
    let mut about: Vec<About> = questions
        .iter()
        .map(|past| About {
            shared: fact.shared(&past.asked.question),
            cosine: None,
        })
        .collect();
    let line = fact.found.as_ref().map(|found| found.text.as_str());
    let line = line.filter(|line| !line.is_empty()).unwrap_or(&fact.typed);
    let Some(of_line) = vector(case, line) else {
        return about;
    };
    let with_words = (0..questions.len()).filter(|at| !about[*at].shared.is_empty());
    let others = (0..questions.len()).filter(|at| about[*at].shared.is_empty());
    let compared: Vec<usize> = with_words
        .take(COMPARED_MOST)
        .chain(others.take(COMPARED_MOST))
        .collect();
    take_up_vectors(case.library, compared.iter().map(|at| &questions[*at]));
    for at in compared {
        let question = questions[at].asked.question.trim();
        let of_question = (!question.is_empty())
            .then(|| vector(case, question))
            .flatten();
        about[at].cosine = of_question.map(|of_question| {
            let products = of_line.iter().zip(&of_question).map(|(a, b)| a * b);
            f64::from(products.sum::<f32>())
        });
    }
    about
}

/// The vector of a text by the measured model.
fn vector(case: &Case<'_>, text: &str) -> Option<Vec<f32>> {
    let (model, vector) = case.library.embedder().embed(text).ok()?;
    vector.filter(|_| model == MEASURED_MODEL)
}
