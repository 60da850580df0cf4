//! Notes of an emulated memory: those that the agent's own rules name, or else all watched notes.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use memlens_agents::SearchedFile;
use memlens_emulate::openclaw::Edition;
use memlens_emulate::{AgentNote, Program};
use memlens_ingest::{FoundFile, IngestOptions};
use memlens_retrieve::{Lists, NoteFacts, Part};
use memlens_store::{DocumentId, DocumentRow, Folder};
use memlens_wire::Emulated;

use super::own_index::grouped;
use crate::Library;
use crate::emulation::emulations::ReadNote;
use crate::emulation::searched::{Asker, Chosen, Listing};

/// The notes of an emulated memory.
pub(crate) struct AgentNotes {
    /// In the order of their paths.
    pub notes: Vec<AgentNote>,
    /// Whether they are the notes of one index, as the agent builds it.
    pub is_one_index: bool,
    /// Description of their owner, after "emulated over 3 notes".
    of: String,
    /// Whether they belong to the agent that asked, by the rules of its program.
    is_of_asker: bool,
    remarks: Vec<String>,
    /// Number of notes whose text differs from what was saved.
    n_left_out: usize,
}

/// Files that an agent's own rules name.
pub(crate) struct SearchedFiles {
    pub chosen: Chosen,
    listing: Listing,
}

impl SearchedFiles {
    /// Changes whenever the rules, or any file that they name, change.
    pub fn stamp(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let Chosen {
            index,
            n_members,
            is_known,
        } = &self.chosen;
        (
            self.listing.stamp,
            &index.member,
            &index.switched_off,
            n_members,
            is_known,
        )
            .hash(&mut hasher);
        hasher.finish()
    }
}

/// The version of a program whose rules an emulation follows.
fn version(program: Program) -> Option<&'static str> {
    match program {
        Program::OpenClaw(Edition::V2026_2) => Some("2026.2"),
        Program::OpenClaw(Edition::V2026_7) => Some("2026.7"),
        Program::OpenClaw(Edition::V2026_8) => Some("2026.9"),
        Program::Qmd | Program::OpenViking | Program::BasicMemory => None,
    }
}

impl Library {
    /// Files that the rules of a program name for a question; `None` if the rules are unknown, or none of its folders
    /// is watched.
    pub(crate) fn searched_by(
        &self,
        program: Program,
        asker: Asker<'_>,
        part: &Part,
        lists: &Lists,
    ) -> Option<SearchedFiles> {
        let snapshot = &lists.snapshot;
        let agent = program.agent();
        let chosen = self.index_asked(agent, version(program), asker, part, &snapshot.folders)?;
        let listing = self.listing(agent, &chosen.index, snapshot.generation);
        Some(SearchedFiles { chosen, listing })
    }

    /// The notes that an agent's own rules name, also those that Memlens does not index.
    pub(crate) fn notes_searched(&self, searched: &SearchedFiles, lists: &Lists) -> AgentNotes {
        let snapshot = &lists.snapshot;
        let listed = &searched.listing.listed;
        let mut kept = self.emulations.kept.lock();
        let mut texts = HashMap::new();
        let mut read = HashMap::new();
        let mut notes = Vec::new();
        let mut n_left_out = listed.n_too_large;
        let mut n_only_read = 0;
        for SearchedFile {
            file,
            name,
            is_extra,
        } in &listed.files
        {
            let Some(within) = Within::of(self, &snapshot.folders, file) else {
                n_left_out += 1;
                continue;
            };
            let document = snapshot.find(within.folder.id, &within.path);
            if let Some(document) = document.map(|at| &snapshot.documents[at]) {
                let known = kept.texts.get(&document.id).cloned();
                match known.or_else(|| text_as_indexed(&within.folder, document)) {
                    Some(text) => {
                        texts.insert(document.id, text.clone());
                        let note = indexed(&within.folder, document, name.clone(), text);
                        notes.push(AgentNote {
                            is_extra: *is_extra,
                            ..note
                        });
                    }
                    None => n_left_out += 1,
                }
                continue;
            }
            let known = kept.read.get(&file.absolute);
            let note = known
                .filter(|known| known.file == *file)
                .cloned()
                .or_else(|| read_note(file));
            let Some(note) = note else {
                n_left_out += 1;
                continue;
            };
            n_only_read += 1;
            // No document of the library has such an id.
            let id = DocumentId(-1 - notes.len() as i64);
            notes.push(AgentNote {
                facts: Arc::new(note.facts(id, within)),
                path: name.clone(),
                text: note.text.clone(),
                modified_ms: file.modified_ms,
                is_extra: *is_extra,
            });
            read.insert(file.absolute.clone(), note);
        }
        forget_gone(&mut kept.texts, lists);
        kept.texts.extend(texts);
        kept.read.extend(read);
        kept.read.retain(|path, _| path.symlink_metadata().is_ok());
        drop(kept);
        notes.sort_by(|a, b| a.path.cmp(&b.path));
        let mut remarks = Vec::new();
        let chosen = &searched.chosen;
        remarks.extend(chosen.index.off_sentence());
        remarks.extend(only_read_sentence(n_only_read));
        if listed.is_partial {
            remarks.push("There were too many files to list all of them.".to_owned());
        }
        AgentNotes {
            of: of_index(chosen),
            is_of_asker: (chosen.is_known || chosen.n_members == 1)
                && chosen.index.off_sentence().is_none()
                && !listed.is_partial,
            is_one_index: true,
            notes,
            remarks,
            n_left_out,
        }
    }

    /// Notes that a program would index if its rules are unknown or its folders are not watched: those that Memlens
    /// indexes.
    pub(crate) fn notes_as_if(&self, program: Program, lists: &Lists) -> AgentNotes {
        let snapshot = &lists.snapshot;
        let is_own = |folder: &&Folder| folder.agent.as_deref() == Some(program.agent());
        let own: Vec<&Folder> = snapshot.folders.iter().filter(is_own).collect();
        let is_own = !own.is_empty();
        let folders = if is_own {
            own
        } else {
            snapshot.folders.iter().collect()
        };
        let mut kept = self.emulations.kept.lock();
        let mut texts = HashMap::new();
        let mut notes = Vec::new();
        let mut n_left_out = 0;
        for folder in &folders {
            let documents: Vec<&DocumentRow> = snapshot
                .documents
                .iter()
                .filter(|document| document.folder == folder.id)
                .map(AsRef::as_ref)
                .collect();
            let places = match program {
                Program::OpenClaw(_) => Places::of(folder, folders.len() > 1, &documents),
                Program::Qmd | Program::OpenViking | Program::BasicMemory => {
                    Places::collection(folder, &folders)
                }
            };
            for document in documents {
                let Some(path) = places.path(&document.path) else {
                    continue;
                };
                let known = kept.texts.get(&document.id).cloned();
                let Some(text) = known.or_else(|| text_as_indexed(folder, document)) else {
                    n_left_out += 1;
                    continue;
                };
                texts.insert(document.id, text.clone());
                notes.push(indexed(folder, document, path, text));
            }
        }
        forget_gone(&mut kept.texts, lists);
        kept.texts.extend(texts);
        drop(kept);
        notes.sort_by(|a, b| a.path.cmp(&b.path));
        let folder = |note: &AgentNote| note.facts.folder;
        AgentNotes {
            is_one_index: notes
                .windows(2)
                .all(|two| folder(&two[0]) == folder(&two[1])),
            of: of_watched(program, is_own).to_owned(),
            is_of_asker: false,
            notes,
            remarks: Vec::new(),
            n_left_out,
        }
    }
}

impl AgentNotes {
    /// Why these may not be the notes that the agent searches, in a clause; `None` if they are.
    pub fn why_inexact(&self) -> Option<String> {
        match self.n_left_out {
            0 if self.is_of_asker => None,
            0 => Some("which notes its agent searches is not known".to_owned()),
            1 => Some("1 note of the agent could not be read".to_owned()),
            n => Some(format!("{n} notes of the agent could not be read")),
        }
    }

    /// Remarks that apply to every answer of the memory.
    pub fn remarks(&self, program: Program, emulated: &Emulated) -> Vec<String> {
        let label = program.pipeline().label();
        let n_notes = match self.notes.len() {
            1 => "1 note".to_owned(),
            n => format!("{} notes", grouped(n)),
        };
        let missing = match program {
            Program::OpenClaw(_) | Program::Qmd => "",
            Program::OpenViking => {
                " Each note is one record: abstracts, overviews and summaries are written by its model and are missing here, and it cuts notes of more than 6000 characters."
            }
            Program::BasicMemory => {
                " All projects are searched at once, and a note is its text: front matter, observations and relations are not read."
            }
        };
        let of = &self.of;
        let mut remarks = vec![format!(
            "{label}, emulated over {n_notes}{of}.{missing} {}",
            emulated.why
        )];
        remarks.extend(self.remarks.iter().cloned());
        match self.n_left_out {
            0 => {}
            1 => remarks.push(
                "1 note was left out, since it has changed or cannot be read now.".to_owned(),
            ),
            n => remarks.push(format!(
                "{n} notes were left out, since they have changed or cannot be read now."
            )),
        }
        remarks
    }
}

/// Description of the owner of an index.
fn of_index(chosen: &Chosen) -> String {
    let Chosen {
        index,
        n_members,
        is_known,
    } = chosen;
    if index.member.is_empty() {
        return " of its collections".to_owned();
    }
    if *n_members == 1 {
        return " of its workspace".to_owned();
    }
    let member = &index.member;
    let which = if *is_known {
        format!("its agent {member}")
    } else if index.is_default {
        format!("its default agent {member}")
    } else {
        format!("its agent {member}, as the default agent's workspace is not watched")
    };
    format!(" of {which}: each of its {n_members} agents searches its own workspace only")
}

fn of_watched(program: Program, is_own: bool) -> &'static str {
    match (program, is_own) {
        (Program::OpenClaw(_), true) => " of its workspace",
        (Program::OpenClaw(_), false) => ", as if in its memory folder",
        (Program::Qmd, true) => " of its collections",
        (Program::Qmd, false) => ", each folder as a collection",
        (Program::OpenViking, true) => " of its folders",
        (Program::OpenViking, false) => ", each folder as an imported resource",
        (Program::BasicMemory, true) => " of its projects",
        (Program::BasicMemory, false) => ", each folder as a project",
    }
}

/// Where a file is among the watched folders.
struct Within {
    folder: Folder,
    path: String,
}

impl Within {
    /// The innermost watched folder around a file; a file outside of all of them has an id of its own.
    fn of(library: &Library, folders: &[Folder], file: &FoundFile) -> Option<Within> {
        let around = folders
            .iter()
            .filter_map(|folder| Some((folder, file.absolute.strip_prefix(&folder.path).ok()?)))
            .max_by_key(|(folder, _)| folder.path.len());
        if let Some((folder, path)) = around {
            let path = memlens_files::with_slashes(path)?;
            let folder = folder.clone();
            return Some(Within { folder, path });
        }
        let n_names = file.path.split('/').count();
        let root = file.absolute.ancestors().nth(n_names)?;
        Some(Within {
            folder: library.unwatched_folder(root)?,
            path: file.path.clone(),
        })
    }
}

fn indexed(folder: &Folder, document: &DocumentRow, path: String, text: Arc<str>) -> AgentNote {
    AgentNote {
        facts: Arc::new(NoteFacts {
            id: document.id,
            folder: folder.id,
            folder_name: folder.name.clone(),
            folder_path: folder.path.clone(),
            path: document.path.clone(),
            date: document.date.clone(),
            tags: document.tags.clone(),
        }),
        path,
        text,
        modified_ms: document.modified_ms,
        is_extra: false,
    }
}

impl ReadNote {
    /// The facts of the note; `id` is one that no document of the library has.
    fn facts(&self, id: DocumentId, within: Within) -> NoteFacts {
        NoteFacts {
            id,
            folder: within.folder.id,
            folder_name: within.folder.name,
            folder_path: within.folder.path,
            path: within.path,
            date: self.date.clone(),
            tags: self.tags.clone(),
        }
    }
}

/// The remark on notes that the agent reads and Memlens does not index; `None` if there are none.
fn only_read_sentence(n_notes: usize) -> Option<String> {
    let (are, them) = match n_notes {
        0 => return None,
        1 => ("1 of them is".to_owned(), "it"),
        n => (format!("{n} of them are"), "them"),
    };
    Some(format!(
        "{are} not indexed by Memlens, which leaves out hidden and ignored files and folders that nobody watches; the agent reads {them}."
    ))
}

/// A note that Memlens does not index.
fn read_note(file: &FoundFile) -> Option<ReadNote> {
    let bytes = memlens_ingest::read(file).ok()?;
    let parsed = memlens_ingest::parse(file.kind, &bytes, &IngestOptions::default()).ok();
    let front = parsed.map(|parsed| parsed.front).unwrap_or_default();
    Some(ReadNote {
        file: file.clone(),
        text: String::from_utf8_lossy(&bytes).into(),
        date: front.date.map(|date| date.to_string()),
        tags: front.tags,
    })
}

fn forget_gone(texts: &mut HashMap<DocumentId, Arc<str>>, lists: &Lists) {
    let documents = &lists.snapshot.documents;
    let there: HashSet<_> = documents.iter().map(|it| it.id).collect();
    texts.retain(|id, _| there.contains(id));
}

/// The text of a note, if it is still the one that was indexed.
pub(crate) fn text_as_indexed(folder: &Folder, document: &DocumentRow) -> Option<Arc<str>> {
    let file = memlens_ingest::find(Path::new(&folder.path), &document.path).ok()??;
    let bytes = memlens_ingest::read(&file).ok()?;
    (blake3::hash(&bytes).as_bytes() == &document.hash)
        .then(|| String::from_utf8_lossy(&bytes).into())
}

/// Paths of a folder's notes in a program's memory.
enum Places {
    /// The folder is OpenClaw's workspace: MEMORY.md, USER.md and what is in `memory/` are indexed, by their paths.
    Workspace,
    /// Its contents are below this path, which ends in `/`.
    Below(String),
}

impl Places {
    fn of(folder: &Folder, is_one_of_several: bool, documents: &[&DocumentRow]) -> Places {
        let is_workspace = documents.iter().any(|document| {
            let path = document.path.as_str();
            matches!(path, "MEMORY.md" | "USER.md") || path.starts_with("memory/")
        });
        if is_workspace {
            Places::Workspace
        } else if is_one_of_several && folder.name != "memory" {
            Places::Below(format!("memory/{}/", folder.name))
        } else {
            Places::Below("memory/".to_owned())
        }
    }

    /// The folder as a collection of qmd, a resource of OpenViking or a project of basic-memory, named by it; of several with one name, each later one by its number as well.
    fn collection(folder: &Folder, folders: &[&Folder]) -> Places {
        let same = folders.iter().take_while(|it| it.id != folder.id);
        let n_before = same.filter(|it| it.name == folder.name).count();
        Places::Below(match n_before {
            0 => format!("{}/", folder.name),
            n => format!("{}-{}/", folder.name, n + 1),
        })
    }

    /// The path there; `None` if it is not indexed.
    fn path(&self, path: &str) -> Option<String> {
        if !path.ends_with(".md") {
            return None;
        }
        match self {
            Places::Workspace => {
                let is_indexed =
                    matches!(path, "MEMORY.md" | "USER.md") || path.starts_with("memory/");
                is_indexed.then(|| path.to_owned())
            }
            Places::Below(root) => Some(format!("{root}{path}")),
        }
    }
}
