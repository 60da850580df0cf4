//! Questions that the notes cannot answer: none shares a content word with them.
//!
//! A content word is one that is no stop word of the BM25 list ([`memlens_index::STOP_WORDS`]). A question is taken if the list
//! finds no chunk by any of its content words, in any form that the list looks up.

use memlens_index::{Join, TextIndex, is_stop_word, words};
use memlens_library::EngineError;

use super::kept_set::{KeptQuery, KeptSet};
use super::sets::refused;

/// Questions about what is rarely in an agent's memory, one a line.
const QUESTIONS: &str = include_str!("nonsense_questions.txt");
/// The number of questions that a set gets.
const N_QUESTIONS: usize = 40;
const CATEGORY: &str = "nonsense";

/// Adds 40 nonsense questions to a set, or as many as share no content word with the notes. Returns a notice if they are fewer.
///
/// # Errors
/// [`EngineError::QuerySet`] if there is none that the set does not hold already; [`EngineError::Index`].
pub(super) fn add_nonsense(
    notes: &TextIndex,
    set: &mut KeptSet,
) -> Result<Option<String>, EngineError> {
    let mut n_added = 0;
    for question in QUESTIONS.lines() {
        if n_added == N_QUESTIONS {
            return Ok(None);
        }
        let is_there = set.queries.iter().any(|it| it.query == question);
        if is_there || shares_a_word(notes, question)? {
            continue;
        }
        set.queries.push(KeptQuery {
            id: set.new_id(),
            query: question.to_owned(),
            category: Some(CATEGORY.to_owned()),
            relevant: Some(Vec::new()),
            ..KeptQuery::default()
        });
        n_added += 1;
    }
    match n_added {
        N_QUESTIONS => Ok(None),
        0 => Err(refused(
            "make",
            "nonsense questions",
            "the set holds them already, or the notes share a word with every other one; type your own in Tune",
        )),
        n => Ok(Some(format!(
            "{n} nonsense questions instead of {N_QUESTIONS}: the others share a word with the notes, or are in the set already"
        ))),
    }
}

/// Whether the notes hold a content word of a question.
fn shares_a_word(notes: &TextIndex, question: &str) -> Result<bool, EngineError> {
    let content: Vec<&str> = words(question)
        .into_iter()
        .map(|word| &question[word.bytes])
        .filter(|word| !is_stop_word(word))
        .collect();
    Ok(!notes.search(&content.join(" "), Join::Or)?.hits.is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use memlens_index::{TextEntry, TextWriter};

    use super::*;

    fn list(dir: &tempfile::TempDir, texts: &[&str]) -> TextIndex {
        let path = dir.path().join("text");
        let mut writer = TextWriter::create(&path).expect("it can be made");
        for (chunk, text) in (0..).zip(texts) {
            let entry = TextEntry {
                chunk,
                document: chunk,
                text,
                title: "a note",
            };
            writer.add(&entry).expect("it can be added");
        }
        writer.commit(1).expect("it can be written");
        TextIndex::open(&path).expect("it was just written")
    }

    #[test]
    fn forty_are_made_of_which_none_shares_a_telling_word() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        // By its stem, and in another case; stop words are shared by all.
        let notes = [
            "The venetian blind is broken.",
            "How do we chalk the wall? What did it cost, and who did the work when?",
        ];
        let index = list(&dir, &notes);
        let mut set = KeptSet::default();
        assert_eq!(
            add_nonsense(&index, &mut set).expect("they are there"),
            None
        );
        assert_eq!(set.queries.len(), 40);
        let asked: HashSet<&str> = set.queries.iter().map(|it| it.query.as_str()).collect();
        assert_eq!(asked.len(), 40);
        for query in &set.queries {
            let lower = query.query.to_lowercase();
            for shared in ["venetian", "chalk"] {
                assert!(!lower.contains(shared), "{lower}");
            }
            assert_eq!(query.relevant.as_deref(), Some(&[][..]));
        }
        // Again: other questions, never the same twice.
        assert_eq!(
            add_nonsense(&index, &mut set).expect("they are there"),
            None
        );
        let asked: HashSet<&str> = set.queries.iter().map(|it| it.query.as_str()).collect();
        assert_eq!(asked.len(), 80);
    }

    #[test]
    fn where_the_notes_hold_the_words_there_are_fewer_or_none() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let all: Vec<&str> = QUESTIONS.lines().collect();
        let index = list(&dir, &all[..all.len() - 3]);
        let mut set = KeptSet::default();
        let notice = add_nonsense(&index, &mut set).expect("some are there");
        let n = set.queries.len();
        assert!((1..=3).contains(&n), "{n}");
        assert!(
            notice
                .is_some_and(|it| it.starts_with(&format!("{n} nonsense questions instead of 40")))
        );
        let index = list(&dir, &all);
        let refused = add_nonsense(&index, &mut KeptSet::default());
        assert!(
            matches!(refused, Err(EngineError::QuerySet { .. })),
            "{refused:?}"
        );
    }

    #[test]
    fn the_questions_are_distinct_and_each_has_two_telling_words() {
        let all: Vec<&str> = QUESTIONS.lines().collect();
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        assert!(all.len() >= 3 * N_QUESTIONS, "{}", all.len());
        for question in all {
            let words = words(question).into_iter();
            let content = words.filter(|word| !is_stop_word(&question[word.bytes.clone()]));
            assert!(content.count() >= 2, "{question}");
        }
    }
}
