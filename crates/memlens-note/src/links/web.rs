//! The links among all notes, followed from one generation to the next.
//!
//! A document never changes under its id, so a file is read once for each. Where a link leads depends on all notes, so it is not
//! stored: a link is found by the keys of the notes that it may mean. The links of a key are followed once in each generation,
//! when a note of that key is asked for: thousands of notes may have one name.
//!
//! Properties checked: after any changes, the links are those of a web made from nothing.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_ingest::{NoteLinks, WrittenLink};
use memlens_store::{DocumentId, DocumentRow, FolderId, Snapshot, StoredProblem};

use super::names::{From, Leads, Names, line_of_part};

/// The links of all notes of one generation that were read.
#[derive(Default)]
pub(super) struct Web {
    /// `None` before the first call of [`Web::follow`].
    generation: Option<u64>,
    names: Names,
    documents: HashMap<DocumentId, Known>,
    /// The notes that have a problem, with their numbers.
    problems: HashMap<(FolderId, String), u32>,
    /// The texts by the numbers of their notes.
    links: HashMap<u32, Arc<NoteLinks>>,
    /// The links that may lead to a note of this key, not sorted.
    by_key: HashMap<String, Vec<Written>>,
    /// The links of the keys that were asked for, by the notes that they lead to.
    followed: RefCell<HashMap<String, Followed>>,
    n_unread: u32,
    n_failed: u32,
    /// Number of lines of the notes of which a link names one, by folder and path; `None` if the file cannot be read.
    n_lines: RefCell<HashMap<(FolderId, String), Option<u32>>>,
}

/// A document of the library.
struct Known {
    /// Number of its note.
    note: u32,
    /// `None` if it was not read.
    links: Option<Arc<NoteLinks>>,
}

/// A link of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Written {
    /// Number of the note.
    from: u32,
    /// Its position among the links of that note.
    link: u32,
}

/// The links of a key, each with the number of other notes that it may mean, by the number of the note that it leads to.
type Followed = HashMap<u32, Vec<(Written, u32)>>;

/// A link to a note.
pub(super) struct To<'w> {
    /// Number of the note that contains it.
    pub(super) from: u32,
    pub(super) link: &'w WrittenLink,
    pub(super) n_alike: u32,
}

impl Web {
    /// Whether it shows this generation, and all of it was read.
    pub(super) fn is_of(&self, generation: u64) -> bool {
        self.generation == Some(generation) && self.n_unread == 0
    }

    /// Follows the library to a snapshot. `read` reads the documents that were not read before, for a time; `None` for all of them.
    /// One that it cannot read is tried again at the next call.
    pub(super) fn follow(
        &mut self,
        snapshot: &Snapshot,
        problems: &[StoredProblem],
        time: Option<Duration>,
        mut read: impl FnMut(&DocumentRow) -> Option<NoteLinks>,
    ) {
        // Where a path leads depends on the places of the folders.
        let before = match self.names.has_folders(&snapshot.folders) {
            true => HashMap::new(),
            false => self.restart(snapshot),
        };
        self.remove_gone(snapshot, problems);
        for problem in problems {
            let key = (problem.folder, problem.path.clone());
            let names = &mut self.names;
            let add = || names.add(problem.folder, &problem.path);
            self.problems.entry(key).or_insert_with(add);
        }
        let started = Instant::now();
        (self.n_unread, self.n_failed) = (0, 0);
        for document in snapshot.documents.iter() {
            let names = &mut self.names;
            let known = self.documents.entry(document.id);
            let known = known.or_insert_with(|| Known {
                note: names.add(document.folder, &document.path),
                links: None,
            });
            if known.links.is_some() {
                continue;
            }
            if let Some(links) = before.get(&document.id) {
                self.add_links(document.id, links.clone());
            } else if time.is_some_and(|time| started.elapsed() >= time) {
                self.n_unread += 1;
            } else if let Some(links) = read(document) {
                self.add_links(document.id, Arc::new(links));
            } else {
                self.n_failed += 1;
            }
        }
        self.n_lines.borrow_mut().clear();
        self.followed.borrow_mut().clear();
        self.generation = Some(snapshot.generation);
    }

    /// Forgets all but the watched folders, and returns what was read.
    fn restart(&mut self, snapshot: &Snapshot) -> HashMap<DocumentId, Arc<NoteLinks>> {
        let before = std::mem::replace(
            self,
            Web {
                names: Names::new(&snapshot.folders),
                ..Web::default()
            },
        );
        let read = before.documents.into_iter();
        read.filter_map(|(id, known)| Some((id, known.links?)))
            .collect()
    }

    fn remove_gone(&mut self, snapshot: &Snapshot, problems: &[StoredProblem]) {
        let present: HashSet<DocumentId> = snapshot.documents.iter().map(|it| it.id).collect();
        let known = self.documents.keys().copied();
        let gone: Vec<DocumentId> = known.filter(|id| !present.contains(id)).collect();
        for id in gone {
            let Some(Known { note, links }) = self.documents.remove(&id) else {
                continue;
            };
            if let Some(links) = links {
                self.remove_links(note, &links);
            }
            self.names.remove(note);
        }
        let present: HashSet<(FolderId, &str)> = problems
            .iter()
            .map(|problem| (problem.folder, problem.path.as_str()))
            .collect();
        let names = &mut self.names;
        self.problems.retain(|(folder, path), note| {
            let is_present = present.contains(&(*folder, path.as_str()));
            if !is_present {
                names.remove(*note);
            }
            is_present
        });
    }

    fn add_links(&mut self, id: DocumentId, links: Arc<NoteLinks>) {
        let Some(known) = self.documents.get_mut(&id) else {
            return;
        };
        let note = known.note;
        known.links = Some(links.clone());
        self.names.add_names(note, &links);
        for (link, written) in (0..).zip(&links.links) {
            for key in self.names.link_keys(self.names.from(note), written) {
                let written = Written { from: note, link };
                self.by_key.entry(key).or_default().push(written);
            }
        }
        self.links.insert(note, links);
    }

    fn remove_links(&mut self, note: u32, links: &NoteLinks) {
        self.names.remove_names(note, links);
        let from = self.names.from(note);
        let keys = links.links.iter();
        let keys = keys.flat_map(|link| self.names.link_keys(from, link));
        for key in keys.collect::<BTreeSet<_>>() {
            if let Some(written) = self.by_key.get_mut(&key) {
                written.retain(|it| it.from != note);
                if written.is_empty() {
                    self.by_key.remove(&key);
                }
            }
        }
        self.links.remove(&note);
    }

    /// Number of notes that are not read yet.
    pub(super) fn n_unread(&self) -> u32 {
        self.n_unread
    }

    /// Number of notes that could not be read at the last call of [`Web::follow`].
    pub(super) fn n_failed(&self) -> u32 {
        self.n_failed
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// What a note contains, by its number; `None` if it was not read.
    pub(super) fn links(&self, note: u32) -> Option<&Arc<NoteLinks>> {
        self.links.get(&note)
    }

    /// The links to a note, by folder, path and line of the note that contains them; empty until all notes are read.
    pub(super) fn links_to(&self, note: u32) -> Vec<To<'_>> {
        if self.n_unread > 0 {
            return Vec::new();
        }
        let keys = self.names.note_keys(note, self.links(note).map(|it| &**it));
        let mut followed = self.followed.borrow_mut();
        let mut written: Vec<(Written, u32)> = Vec::new();
        for key in keys {
            let of_key = followed.entry(key);
            let of_key = of_key.or_insert_with_key(|key| self.followed_of(key));
            written.extend(of_key.get(&note).into_iter().flatten());
        }
        written.sort_by(|(a, _), (b, _)| {
            let place = |it: &Written| (self.names.order(it.from), it.from, it.link);
            place(a).cmp(&place(b))
        });
        // A link may name the note by several keys.
        written.dedup();
        let to = written
            .into_iter()
            .filter_map(|(Written { from, link }, n_alike)| {
                let link = self.links(from)?.links.get(link as usize)?;
                Some(To {
                    from,
                    link,
                    n_alike,
                })
            });
        to.collect()
    }

    /// Follows all links that may lead to a note of a key.
    fn followed_of(&self, key: &str) -> Followed {
        let mut followed = Followed::new();
        for written in self.by_key.get(key).into_iter().flatten() {
            let links = self.links(written.from).map(|links| &links.links);
            let Some(link) = links.and_then(|links| links.get(written.link as usize)) else {
                continue;
            };
            match self.names.leads(self.names.from(written.from), link) {
                Leads::To { note, n_alike, .. } => {
                    let to = followed.entry(note).or_default();
                    to.push((*written, n_alike));
                }
                Leads::Within(_) | Leads::Outside | Leads::Nowhere(_) => {}
            }
        }
        followed
    }

    /// As [`line_of_part`]; the lines of a note are counted once in each generation.
    pub(super) fn line_of_part(
        &self,
        note: From<'_>,
        links: &NoteLinks,
        part: &str,
        n_lines: impl FnOnce() -> Option<u32>,
    ) -> Result<Option<u32>, String> {
        let From { folder, path } = note;
        line_of_part(links, part, || {
            let mut counted = self.n_lines.borrow_mut();
            let counted = counted.entry((folder, path.to_owned()));
            *counted.or_insert_with(n_lines)
        })
    }
}

#[cfg(test)]
mod tests;
