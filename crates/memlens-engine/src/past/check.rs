//! Which past questions lose a note when notes change.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use memlens_store::{FolderId, Snapshot};

use super::own::OwnPipelines;
use super::replay::kept;
use super::{Past, PastFilter};
use crate::view::{LostAnswer, LostAnswers, LostNote};
use crate::{EngineError, Library};

/// How many questions are checked, the newest first.
const QUESTIONS_CHECKED: usize = 200;
/// How many questions of a note are named.
const QUESTIONS_NAMED: usize = 20;

/// A note by its folder and path.
type Note = (FolderId, String);

/// What past questions found at one generation.
pub(crate) struct Checked {
    generation: u64,
    /// The best rank of each note, 1-based, by the past question's id.
    found: HashMap<i64, BTreeMap<Note, u32>>,
    /// When each note was last changed.
    modified_ms: HashMap<Note, i64>,
}

impl Library {
    /// Ranks the newest past questions, each by its agent's own pipeline. None where `goes_on`, which is asked before each
    /// question, says so, or where nothing changed since `before`.
    ///
    /// # Errors
    /// As [`Library::search_as`].
    pub(crate) fn check_past(
        &self,
        before: Option<&Checked>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Checked>, EngineError> {
        let lists = self.lists();
        let generation = lists.snapshot.generation;
        if before.is_some_and(|before| before.generation == generation) {
            return Ok(None);
        }
        let own = OwnPipelines::of(self);
        let asked = self.newest_past()?;
        self.take_up_vectors(&asked);
        let mut found = HashMap::with_capacity(asked.len());
        for past in &asked {
            if !goes_on() {
                return Ok(None);
            }
            let ranking = own.ranking(&past.asked);
            let search = self.search_past(past, &ranking)?;
            self.keep_vector(&search);
            let mut notes: BTreeMap<Note, u32> = BTreeMap::new();
            for (rank, span) in (1..).zip(kept(&search, &ranking)?) {
                notes
                    .entry((FolderId(span.folder), span.path))
                    .or_insert(rank);
            }
            found.insert(past.id, notes);
        }
        Ok(Some(Checked {
            generation,
            found,
            modified_ms: modified(&lists.snapshot),
        }))
    }

    /// The newest past questions, each once per agent.
    fn newest_past(&self) -> Result<Vec<Past>, EngineError> {
        let mut seen = HashSet::new();
        let mut past = self.past(&PastFilter::default())?;
        past.retain(|it| seen.insert((it.asked.agent.clone(), it.asked.question.clone())));
        past.truncate(QUESTIONS_CHECKED);
        Ok(past)
    }

    /// What past questions lost from one check to the next; none where nothing.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub(crate) fn lost(
        &self,
        before: &Checked,
        now: &Checked,
    ) -> Result<Option<LostAnswers>, EngineError> {
        let questions: HashMap<i64, String> = self
            .newest_past()?
            .into_iter()
            .map(|past| (past.id, past.asked.question))
            .collect();
        let mut lost: BTreeMap<Note, Vec<LostAnswer>> = BTreeMap::new();
        let mut ids: Vec<&i64> = now.found.keys().collect();
        ids.sort_by(|a, b| b.cmp(a));
        for id in ids {
            let (Some(was), Some(question)) = (before.found.get(id), questions.get(id)) else {
                continue;
            };
            for (note, rank) in was {
                if !now.found[id].contains_key(note) {
                    lost.entry(note.clone()).or_default().push(LostAnswer {
                        id: id.to_string(),
                        question: question.clone(),
                        was: *rank,
                        is: None,
                    });
                }
            }
        }
        if lost.is_empty() {
            return Ok(None);
        }
        let is_same = |note: &Note| before.modified_ms.get(note) == now.modified_ms.get(note);
        let all: HashSet<&Note> = before
            .modified_ms
            .keys()
            .chain(now.modified_ms.keys())
            .collect();
        let mut edited: Vec<String> = all
            .into_iter()
            .filter(|note| !is_same(note))
            .map(|(_, path)| path.clone())
            .collect();
        edited.sort();
        let mut notes: Vec<LostNote> = lost
            .into_iter()
            .map(|((folder, path), mut questions)| {
                let n_answers = questions.len() as u32;
                questions.truncate(QUESTIONS_NAMED);
                LostNote {
                    folder: folder.0.to_string(),
                    path,
                    n_answers,
                    questions,
                }
            })
            .collect();
        // Those of most answers first.
        notes.sort_by(|a, b| (b.n_answers, &a.path).cmp(&(a.n_answers, &b.path)));
        Ok(Some(LostAnswers {
            at_ms: Timestamp::now().as_millisecond() as f64,
            sentence: sentence(&edited, &notes),
            edited,
            notes,
        }))
    }
}

fn modified(snapshot: &Snapshot) -> HashMap<Note, i64> {
    let documents = snapshot.documents.iter();
    documents
        .map(|it| ((it.folder, it.path.clone()), it.modified_ms))
        .collect()
}

/// "This edit took home-server.md out of 3 answers", and what else.
fn sentence(edited: &[String], notes: &[LostNote]) -> String {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let subject = match edited {
        [] | [_] => "This edit",
        _ => "These edits",
    };
    let counted = |n: u32, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let Some((first, others)) = notes.split_first() else {
        return String::new();
    };
    let answers = counted(first.n_answers, "answer", "answers");
    let more = match others.len() as u32 {
        0 => String::new(),
        n => format!(
            ", and {} out of others",
            counted(n, "other note", "other notes")
        ),
    };
    format!(
        "{subject} took {} out of {answers}{more}.",
        name(&first.path)
    )
}

#[cfg(test)]
mod tests {
    use super::sentence;
    use crate::view::LostNote;

    #[test]
    fn the_sentence_counts_what_was_lost() {
        let note = |path: &str, n_answers| LostNote {
            folder: "1".to_owned(),
            path: path.to_owned(),
            n_answers,
            questions: Vec::new(),
        };
        let one = ["a/home-server.md".to_owned()];
        let two = ["a.md".to_owned(), "b.md".to_owned()];
        let check = |edited: &[String], notes: &[LostNote], expected: &str| {
            assert_eq!(sentence(edited, notes), expected);
        };
        check(
            &one,
            &[note("a/home-server.md", 3)],
            "This edit took home-server.md out of 3 answers.",
        );
        check(
            &two,
            &[note("a.md", 1), note("b.md", 1)],
            "These edits took a.md out of 1 answer, and 1 other note out of others.",
        );
    }
}
