//! Questions that the user saved, in the library's settings.

use memlens_store::Store;

use crate::writes::Writes;
use crate::{EngineError, Library};

const KEY: &str = "saved_questions";

/// Saved questions, newest first.
///
/// # Errors
/// [`EngineError::Store`].
pub fn saved_questions(library: &Library) -> Result<Vec<String>, EngineError> {
    read(&library.store())
}

/// Saves a question or removes it, and returns all saved ones, the newest first. Surrounding white space is ignored. A
/// question that is already saved keeps its place.
///
/// # Errors
/// As [`Writes::write`].
pub fn save_question(
    writes: &impl Writes,
    question: &str,
    is_saved: bool,
) -> Result<Vec<String>, EngineError> {
    writes.write(|store| save(store, question, is_saved))
}

fn save(store: &mut Store, question: &str, is_saved: bool) -> Result<Vec<String>, EngineError> {
    let question = question.trim();
    let mut questions = read(store)?;
    let at = questions.iter().position(|one| one == question);
    match at {
        Some(at) if !is_saved => drop(questions.remove(at)),
        None if is_saved && !question.is_empty() => questions.insert(0, question.to_owned()),
        _ => return Ok(questions),
    }
    let text = serde_json::to_string(&questions).expect("texts can always be written as JSON");
    store.put_setting(KEY, (!questions.is_empty()).then_some(text.as_str()))?;
    Ok(questions)
}

/// An unreadable value is reported and not replaced: a later version may have written it.
pub fn read(store: &Store) -> Result<Vec<String>, EngineError> {
    let text = store.setting(KEY)?;
    text.map_or(Ok(Vec::new()), |text| {
        serde_json::from_str(&text).map_err(|error| EngineError::System {
            attempt: "read the saved questions",
            why: error.to_string(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_later_version_wrote_is_reported_and_kept() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut store = Store::open(dir.path()).expect("it can be made");
        let later = r#"{"questions": ["who has the key?"]}"#;
        store
            .put_setting(KEY, Some(later))
            .expect("it can be saved");
        assert!(read(&store).is_err());
        assert!(save(&mut store, "where is the hall", true).is_err());
        assert_eq!(
            store.setting(KEY).expect("it can be read").as_deref(),
            Some(later)
        );
    }
}
