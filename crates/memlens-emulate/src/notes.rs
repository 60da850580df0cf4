//! Notes as rows of a search, for programs whose results are whole notes.

use std::collections::{BTreeSet, HashMap, HashSet};

use memlens_index::{QueryWord, words};
use memlens_rank::{Candidate, ChunkId};
use memlens_retrieve::{NoText, NoteChunk, Part, RowFacts, Within};
use memlens_store::FolderId;

use crate::AgentNote;

/// Notes in the order in which a program indexed them.
pub struct Notes {
    notes: Vec<Indexed>,
    /// Each note's position by the id of its candidate.
    places: HashMap<ChunkId, usize>,
}

/// One note of a program's index.
struct Indexed {
    id: ChunkId,
    note: AgentNote,
    n_lines: u32,
    /// Its words, as Memlens highlights them.
    terms: HashSet<String>,
}

impl Notes {
    /// Takes the notes of a program's index, in its order.
    pub fn new(program: &str, notes: Vec<AgentNote>) -> Notes {
        let notes: Vec<Indexed> = notes
            .into_iter()
            .map(|note| Indexed {
                id: name_of(program, &note),
                n_lines: note.text.lines().count().max(1) as u32,
                terms: words(&note.text).into_iter().map(|it| it.term).collect(),
                note,
            })
            .collect();
        Notes {
            places: (0..).zip(&notes).map(|(at, it)| (it.id, at)).collect(),
            notes,
        }
    }

    /// Returns the number of notes.
    pub fn len(&self) -> usize {
        self.notes.len()
    }

    /// Returns the note at a position.
    pub fn at(&self, at: usize) -> &AgentNote {
        &self.notes[at].note
    }

    /// Returns the position of a candidate's note.
    pub fn place(&self, chunk: ChunkId) -> Option<usize> {
        self.places.get(&chunk).copied()
    }

    /// Returns whether a note is left out of the search.
    pub fn is_without(&self, within: &Within, at: usize) -> bool {
        within.without.contains(&self.notes[at].id)
    }

    /// Returns whether a note is searched.
    pub fn is_within(&self, within: &Within, at: usize) -> bool {
        let note = &self.notes[at];
        let facts = &note.note.facts;
        let is_in_part = match &within.part {
            Part::All => true,
            Part::Folder(scope) => scope.folder == facts.folder && scope.holds(&facts.path),
            Part::Folders(folders) => folders.contains(&facts.folder),
            Part::Chunks(chunks) => chunks.contains(&note.id),
        };
        is_in_part && !self.is_without(within, at)
    }

    /// Returns the number of notes that are searched.
    pub fn n_within(&self, within: &Within) -> u32 {
        let places = 0..self.notes.len();
        places.filter(|at| self.is_within(within, *at)).count() as u32
    }

    /// Returns the positions of all candidates, ascending: those found, and those requested with `also`.
    pub fn union(
        &self,
        found: impl IntoIterator<Item = usize>,
        within: &Within,
        also: &[ChunkId],
    ) -> Vec<usize> {
        let also = also.iter().filter_map(|id| self.place(*id));
        let also = also.filter(|at| self.is_within(within, *at));
        let union: BTreeSet<usize> = found.into_iter().chain(also).collect();
        union.into_iter().collect()
    }

    /// Returns a note as a candidate of `tokens` tokens.
    pub fn candidate(&self, at: usize, tokens: u32) -> Candidate {
        Candidate {
            chunk: self.notes[at].id,
            order: at as u32,
            document: at as u32,
            tokens,
            ..Candidate::default()
        }
    }

    /// Returns a note's facts for display, with the words of the question that it holds.
    pub fn row(&self, at: usize, heading: &str, asked: &[QueryWord]) -> RowFacts {
        let own = &self.notes[at];
        let facts = &own.note.facts;
        let around = memlens_retrieve::folder_around(&facts.path, &facts.folder_name).to_owned();
        RowFacts {
            note: facts.clone(),
            start_line: 1,
            end_line: own.n_lines,
            heading: heading.to_owned(),
            source: around,
            said: None,
            text: None,
            matched: (0..)
                .zip(asked)
                .filter(|(_, asked)| own.terms.contains(&asked.term))
                .map(|(at, _)| at)
                .collect(),
        }
    }

    /// Returns the words of a question, as Memlens highlights them.
    pub fn asked(&self, question: &str) -> Vec<QueryWord> {
        let mut seen = HashSet::new();
        let n = self.notes.len() as f64;
        words(question)
            .into_iter()
            .filter(|word| seen.insert(word.term.clone()))
            .map(|word| {
                let holds = |note: &&Indexed| note.terms.contains(&word.term);
                let n_notes = self.notes.iter().filter(holds).count();
                let held = n_notes as f64;
                QueryWord {
                    typed: question[word.bytes].to_owned(),
                    term: word.term,
                    weight: 1.0,
                    idf: (1.0 + (n - held + 0.5) / (held + 0.5)).ln() as f32,
                    n_chunks: n_notes as u32,
                    ..QueryWord::default()
                }
            })
            .collect()
    }

    /// Returns a note as its only chunk.
    pub fn chunks_of(&self, folder: FolderId, path: &str) -> Option<Vec<NoteChunk>> {
        let is_it = |it: &&Indexed| it.note.facts.folder == folder && it.note.facts.path == path;
        let note = self.notes.iter().find(is_it)?;
        Some(vec![NoteChunk {
            chunk: note.id,
            start_line: 1,
            end_line: note.n_lines,
        }])
    }

    /// Returns the whole texts of candidates.
    pub fn texts(&self, chunks: &[ChunkId]) -> Vec<Result<String, NoText>> {
        let text = |chunk: &ChunkId| {
            let at = self.place(*chunk).ok_or(NoText::Gone)?;
            Ok(self.at(at).text.to_string())
        };
        chunks.iter().map(text).collect()
    }
}

/// Returns an id that depends only on the program, the note and its text.
fn name_of(program: &str, note: &AgentNote) -> ChunkId {
    let mut hasher = blake3::Hasher::new();
    let head = format!("{program}\0{}\0{}\0", note.facts.folder.0, note.facts.path);
    hasher.update(head.as_bytes()).update(note.text.as_bytes());
    let bytes = hasher.finalize();
    let first: [u8; 8] = bytes.as_bytes()[..8].try_into().expect("eight bytes");
    ChunkId(u64::from_le_bytes(first))
}
