//! Finds a question that returns the fact: the shortest that ranks it first, made of its own rarest words, its headings
//! and its line.

use std::collections::BTreeMap;

use memlens_index::is_stop_word;
use memlens_library::EngineError;
use memlens_params::Params;
use memlens_retrieve::Part;
use memlens_wire::WorkingQuestion;

use super::Case;
use super::fact::{Fact, Found};
use super::ranked::row;
use super::words::content_words;

/// Numbers of rarest words that questions are made of.
const RAREST: [usize; 3] = [2, 3, 5];
/// Maximum length of a question in characters.
const QUESTION_CHARS: usize = 120;

/// The best question that finds the fact; `None` if none does.
///
/// # Errors
/// As [`Library::search_as`](memlens_library::Library::search_as).
pub(super) fn question(
    case: &Case<'_>,
    fact: &Fact,
    found: &Found,
) -> Result<Option<WorkingQuestion>, EngineError> {
    let ranking = case.ranking();
    let mut best: Option<WorkingQuestion> = None;
    for question in candidates(case, fact, found)? {
        let search = case.search(&question, &ranking)?;
        let Some(journey) = row(&search, &ranking.values, found)? else {
            continue;
        };
        let Some(rank) = journey.rank else { continue };
        if best.as_ref().is_none_or(|best| rank < best.rank) {
            best = Some(WorkingQuestion {
                question,
                rank,
                score: journey.score.unwrap_or_default(),
            });
        }
        if rank == 1 {
            break;
        }
    }
    Ok(best)
}

/// Questions to be tried, the shortest first.
fn candidates(case: &Case<'_>, fact: &Fact, found: &Found) -> Result<Vec<String>, EngineError> {
    let search = case
        .library
        .search_in(&found.text, &Params::default(), Part::All)?;
    let n_chunks: BTreeMap<String, u32> = search
        .words()
        .into_iter()
        .map(|word| (word.term, word.n_chunks))
        .collect();
    let words: Vec<(String, String)> = content_words(&found.text)
        .into_iter()
        .filter(|(_, typed)| !is_stop_word(typed) && !is_number(typed))
        .collect();
    let mut by_rarity: Vec<usize> = (0..words.len()).collect();
    by_rarity.sort_by_key(|at| {
        let n = n_chunks.get(&words[*at].0).copied();
        (n.unwrap_or(u32::MAX), *at)
    });
    let rarest = |n: usize| {
        let mut first: Vec<usize> = by_rarity.iter().copied().take(n).collect();
        // As the line has them.
        first.sort_unstable();
        let first = first.into_iter().map(|at| words[at].1.as_str());
        first.collect::<Vec<_>>().join(" ")
    };
    let heading = heading(case, found);
    let mut questions: Vec<String> = RAREST.map(rarest).into();
    questions.push(format!("{heading} {}", rarest(RAREST[0])));
    let typed: Vec<&str> = fact.words.iter().map(|(_, typed)| typed.as_str()).collect();
    questions.push(typed.join(" "));
    questions.push(
        found
            .text
            .trim_start_matches(['-', '*', '#', '>', ' '])
            .to_owned(),
    );
    let short =
        |question: String| -> String { question.trim().chars().take(QUESTION_CHARS).collect() };
    let mut questions: Vec<String> = questions.into_iter().map(short).collect();
    questions.retain(|question| !question.is_empty());
    questions.sort_by_key(|question| (question.chars().count(), question.clone()));
    questions.dedup();
    Ok(questions)
}

/// Whether a word is a number, which nobody would search for.
fn is_number(word: &str) -> bool {
    word.chars().all(|sign| sign.is_ascii_digit())
}

/// The last heading above the line.
fn heading(case: &Case<'_>, found: &Found) -> String {
    let lists = case.library.lists();
    let at = lists.snapshot.find(found.place.folder, &found.place.path);
    let heading = at.and_then(|at| {
        let document = &lists.snapshot.documents[at];
        let mut chunks = document.chunks.iter();
        let chunk = chunks.find(|it| (it.start_line..=it.end_line).contains(&found.line))?;
        Some(document.heading(chunk).rsplit(" > ").next()?.to_owned())
    });
    heading.unwrap_or_default()
}
