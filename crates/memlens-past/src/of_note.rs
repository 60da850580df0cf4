//! The past questions that found, opened or missed one note.
//!
//! A path that may be one of several notes is no proof for any of them: such entries are counted apart.

use memlens_agents::PastKind;
use memlens_library::notes::note_names::agent_name;
use memlens_library::{EngineError, Library};
use memlens_store::FolderId;
use memlens_wire::{NoteQuestion, NoteQuestions};

use crate::places::{NoPlace, Places, places};
use crate::replay::Replayed;
use crate::worked_out::worked_out;
use crate::{Past, PastFilter, PastKinds, list};

/// The entries of past questions about a note, the newest first, at most this many.
///
/// # Errors
/// [`EngineError::Store`].
pub fn questions_of(
    library: &Library,
    folder: FolderId,
    path: &str,
    n_most: usize,
) -> Result<NoteQuestions, EngineError> {
    let filter = PastFilter {
        kinds: PastKinds::All,
        ..PastFilter::default()
    };
    let past = list(library, &filter)?;
    let places = places(library)?;
    let replay = worked_out(library).replayed();
    let note = Note {
        folder,
        path,
        stem: stem(path),
    };
    let mut found = NoteQuestions {
        questions: Vec::new(),
        n: 0,
        n_unclear: 0,
        n_past: past.len() as u32,
        is_replayed: replay.is_some(),
        is_allowed: library.recall_choice().is_allowed,
    };
    for one in &past {
        let (question, is_unclear) = note.asked(one, &places, replay.as_deref());
        found.n_unclear += u32::from(question.is_none() && is_unclear);
        let Some(question) = question else { continue };
        found.n += 1;
        if found.questions.len() < n_most {
            found.questions.push(question);
        }
    }
    Ok(found)
}

struct Note<'a> {
    folder: FolderId,
    path: &'a str,
    stem: String,
}

impl Note<'_> {
    /// What an entry has to do with the note, `None` if nothing; and whether it names a note that may be this one.
    fn asked(
        &self,
        past: &Past,
        places: &Places,
        replay: Option<&Replayed>,
    ) -> (Option<NoteQuestion>, bool) {
        let asked = &past.asked;
        let mut is_unclear = false;
        let mut is_it = |named: &str| match places.find_of(past, named) {
            Ok(place) => place.folder == self.folder && place.path == self.path,
            Err(NoPlace::Several | NoPlace::NoWorkspace) => {
                is_unclear |= stem(named) == self.stem;
                false
            }
            Err(NoPlace::None | NoPlace::Deleted) => false,
        };
        let returned = asked.returned.as_ref();
        let rank = returned.and_then(|all| all.iter().position(|one| is_it(&one.path)));
        let is_opened = asked.opened.iter().any(|used| is_it(&used.path));
        let is_cited = asked.cited.iter().any(|used| is_it(&used.path));
        // What the note was named by in the results may be another name for it.
        let is_missed = asked.kind == PastKind::Search
            && rank.is_none()
            && returned.is_some()
            && !is_unclear
            && (is_opened || is_cited);
        if rank.is_none() && !is_opened && !is_cited {
            return (None, is_unclear);
        }
        let question = NoteQuestion {
            id: past.id.to_string(),
            agent_name: agent_name(&asked.agent).name,
            at_ms: asked.at_ms.map(|at| at as f64),
            is_opening: asked.kind == PastKind::Opening,
            question: asked.question.clone(),
            rank: rank.map(|at| at as u32 + 1),
            is_opened,
            is_cited,
            is_missed,
            is_lost: rank.is_some() && replay.is_some_and(|replay| self.is_lost(past.id, replay)),
        };
        (Some(question), is_unclear)
    }

    /// Whether the last replay found the note no more.
    fn is_lost(&self, id: i64, replay: &Replayed) -> bool {
        let results = replay
            .questions
            .get(&id)
            .map_or(&[][..], |asked| &asked.then);
        let mut of_note = results
            .iter()
            .filter(|result| {
                let note = result.note.as_ref();
                note.is_some_and(|(folder, path)| *folder == self.folder && path == self.path)
            })
            .peekable();
        of_note.peek().is_some() && of_note.all(|result| result.is.is_none())
    }
}

/// Name of a file in lower case and without `.md`.
fn stem(path: &str) -> String {
    let name = path
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(path)
        .to_lowercase();
    name.strip_suffix(".md").map(str::to_owned).unwrap_or(name)
}
