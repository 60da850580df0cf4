//! Questions to begin with: those that agents asked, else some that are made from the notes.
//!
//! Properties checked: those that found nothing come first, each wording once as it was asked last; patterns and failed searches
//! are left out; questions are made from the notes only if no agent asked any.

use std::collections::HashSet;

use memlens_library::notes::note_names::agent_name;
use memlens_library::{EngineError, Library, example_questions};
use memlens_store::PastWanted;
use memlens_wire::SuggestedQuestion;

use super::past;

const SUGGESTED: usize = 5;
/// Number of the newest searches that are considered, and of the newest that found nothing.
const CONSIDERED: usize = 200;
/// Longer questions do not fit on two lines.
const CHARS_MAX: usize = 200;

/// Questions to begin with, at most five. Those that agents asked: first what found nothing when it was asked last, then the
/// others, each newest first. Without any, questions made from the notes.
///
/// # Errors
/// [`EngineError::Store`].
pub fn suggested(library: &Library) -> Result<Vec<SuggestedQuestion>, EngineError> {
    let asked = asked(library)?;
    if !asked.is_empty() {
        return Ok(asked);
    }
    let made = example_questions(library).into_iter();
    let made = made.map(|question| SuggestedQuestion {
        question,
        agent_name: None,
        found_nothing: false,
    });
    Ok(made.collect())
}

fn asked(library: &Library) -> Result<Vec<SuggestedQuestion>, EngineError> {
    let store = library.store();
    let searches = PastWanted {
        is_opening: Some(false),
        ..PastWanted::default()
    };
    let nothing = PastWanted {
        found_nothing: true,
        ..searches
    };
    let mut ids = Vec::new();
    for wanted in [&searches, &nothing] {
        let keys = store.past_keys(wanted)?;
        ids.extend(keys.iter().take(CONSIDERED).map(|key| key.id));
    }
    let considered = PastWanted {
        among: Some(&ids),
        ..PastWanted::default()
    };
    let mut wordings = HashSet::new();
    let mut questions = Vec::new();
    for stored in store.past_wanted(&considered)? {
        let asked = past(stored).asked;
        let question = asked
            .question
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let fits = !question.is_empty() && question.chars().count() <= CHARS_MAX;
        if fits
            && !asked.is_pattern
            && !asked.has_failed
            && wordings.insert(question.to_lowercase())
        {
            questions.push(SuggestedQuestion {
                question,
                agent_name: Some(agent_name(&asked.agent).name),
                found_nothing: asked.returned.is_some_and(|results| results.is_empty()),
            });
        }
    }
    // Stable: each part stays newest first.
    questions.sort_by_key(|question| !question.found_nothing);
    questions.truncate(SUGGESTED);
    Ok(questions)
}
