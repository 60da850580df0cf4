//! Relevant notes that an agent's own search never finds: judged answers, and all notes of its folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use memlens_emulate::Program;
use memlens_retrieve::{Lists, Part};
use memlens_store::FolderId;
use memlens_wire::NotSearchedBy;

use crate::emulation::agent_notes::text_as_indexed;
use crate::emulation::searched::Asker;
use crate::notes::note_names::agent_name;
use crate::notes::place::Place;
use crate::ranking::Ranking;
use crate::{EngineError, Library};

/// Number of notes that an agent's own search never finds, and the reason for most of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Outside {
    n: usize,
    by_cause: BTreeMap<NotSearchedBy, usize>,
}

impl Outside {
    fn add(&mut self, unsearched: Option<NotSearchedBy>, n: usize) {
        self.n += n;
        if let Some(unsearched) = unsearched {
            *self.by_cause.entry(unsearched).or_default() += n;
        }
    }

    /// The reason for most of them and what to do, with a leading blank; empty if no reason is known.
    fn why(&self) -> String {
        let most = self.by_cause.iter().max_by_key(|(_, n)| **n);
        most.map_or_else(String::new, |(it, _)| {
            format!(" {} {}", it.reason, it.advice)
        })
    }
}

/// Notice about judged answers, given by the absolute paths of their notes, that the program of a ranking does not index;
/// `None` if it indexes all of them.
///
/// # Errors
/// [`EngineError::NoneSearched`] if it indexes none: every figure would be 0 and mean nothing. As [`Library::search_as`] if its
/// memory cannot be made.
pub fn answers_outside<'p>(
    library: &Library,
    ranking: &Ranking,
    answers: impl IntoIterator<Item = &'p Path>,
) -> Result<Option<String>, EngineError> {
    let Some(program) = Program::ranked_by(ranking.pipeline) else {
        return Ok(None);
    };
    let mut by_note: BTreeMap<&Path, usize> = BTreeMap::new();
    for path in answers {
        *by_note.entry(path).or_default() += 1;
    }
    let n_all: usize = by_note.values().sum();
    if n_all == 0 {
        return Ok(None);
    }
    let lists = library.lists();
    let (memory, emulated) =
        library.emulated(program, &ranking.values, Asker::default(), &Part::All)?;
    let mut outside = Outside::default();
    for (path, n) in by_note {
        let Some(place) = place_of(&lists, path) else {
            continue;
        };
        let member = emulated.member.as_deref();
        if let Some(unsearched) = library.unsearched_by(ranking.pipeline, member, &place) {
            outside.add(Some(unsearched), n);
        } else if member.is_none()
            && memory.chunks_of(place.folder, &place.path).is_none()
            && is_as_indexed(&lists, &place)
        {
            outside.add(None, n);
        }
    }
    let by = agent_name(program.agent()).name;
    let (n, why) = (outside.n, outside.why());
    if n == n_all {
        return Err(EngineError::NoneSearched { by, n, why });
    }
    Ok((n > 0).then(|| {
        format!(
            "{n} of {n_all} answers {} in notes that {by} does not index, and {} as not found.{why}",
            if n == 1 { "is" } else { "are" },
            if n == 1 { "counts" } else { "count" },
        )
    }))
}

/// Notices about notes in the watched folders of these agents that the agents' own searches never find.
pub fn notes_outside(library: &Library, agents: &BTreeSet<String>) -> Vec<String> {
    let lists = library.lists();
    let snapshot = &lists.snapshot;
    let mut notices = Vec::new();
    for agent in agents {
        let Some(rules) = library.searched(agent) else {
            continue;
        };
        let own: BTreeMap<FolderId, &str> = snapshot
            .folders
            .iter()
            .filter(|folder| folder.agent.as_deref() == Some(agent))
            .map(|folder| (folder.id, folder.path.as_str()))
            .collect();
        let mut n_all = 0;
        let mut outside = Outside::default();
        for document in snapshot.documents.iter() {
            let Some(folder) = own.get(&document.folder) else {
                continue;
            };
            n_all += 1;
            let path = crate::notes::place::note_path(folder, &document.path);
            if let Some(unsearched) = crate::emulation::searched::unsearched(&rules, None, &path) {
                outside.add(Some(unsearched), 1);
            }
        }
        if outside.n > 0 {
            let (n, name) = (outside.n, rules.agent.name);
            let are = if n == 1 { "is" } else { "are" };
            notices.push(format!(
                "{n} of {n_all} notes {are} never searched by {name}.{}",
                outside.why()
            ));
        }
    }
    notices
}

fn place_of(lists: &Lists, path: &Path) -> Option<Place> {
    lists.snapshot.folders.iter().find_map(|folder| {
        Some(Place {
            folder: folder.id,
            path: memlens_files::name_in(Path::new(&folder.path), path)?,
            line: None,
        })
    })
}

/// Whether the library has the current text of a note: other notes are left out of every emulated memory.
fn is_as_indexed(lists: &Lists, place: &Place) -> bool {
    let snapshot = &lists.snapshot;
    let document = snapshot.find(place.folder, &place.path);
    let document = document.map(|at| &snapshot.documents[at]);
    let folder = snapshot.folder(place.folder);
    folder
        .zip(document)
        .is_some_and(|(folder, document)| text_as_indexed(folder, document).is_some())
}
