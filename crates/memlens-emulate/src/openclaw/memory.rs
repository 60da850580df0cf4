//! OpenClaw's index over given notes, and its search.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use icu_collator::options::CollatorOptions;
use icu_collator::{CollatorBorrowed, CollatorPreferences};
use memlens_index::{QueryWord, words};
use memlens_params::Values;
use memlens_rank::{
    Candidate, CandidateSet, ChunkId, List, ListId, ListState, ListValue, OwnFacts, RetrieverId,
};
use memlens_retrieve::{
    NoText, NoteChunk, Part, Question, RetrieveError, Retrieved, Retriever, RowFacts, Within,
};
use memlens_store::FolderId;
use parking_lot::Mutex;
use regex::Regex;

use super::cut::{Chunking, Piece, cut, units};
use super::facts::{Facts, Named, Raised, RowFact};
use super::own_index::{OwnChunk, OwnIndex};
use super::params::{CANDIDATES_MAX, TEXT, VECTOR};
use super::words::{all_of, keywords, tokens};
use super::{Edition, age};
use crate::fts::{Fts, FtsHit};
use crate::memory::{AgentNote, Embed, Vectors};

/// Maximum number of words that are searched one by one.
const PROBES_MAX: usize = 6;
/// Length of a chunk's beginning that MMR compares, in UTF-16 units.
const BEGINNING_UNITS: usize = 700;

static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new("[a-z0-9_]+").expect("a valid pattern"));

/// Notes as one edition of OpenClaw indexes them.
pub struct Memory {
    edition: Edition,
    chunking: Chunking,
    generation: u64,
    now_ms: i64,
    notes: Vec<AgentNote>,
    chunks: Vec<Chunk>,
    /// Each chunk's position by id.
    places: HashMap<ChunkId, usize>,
    numbers: Numbers,
    texts: Mutex<Fts>,
    paths: Mutex<Fts>,
    vectors: Result<Vectors, String>,
    embed: Embed,
    remarks: Vec<String>,
}

/// A text that words hit.
struct Hit {
    /// The position of the text.
    at: usize,
    /// The raw score of the hit.
    raw: f64,
    /// The single word that was searched; `None` if the whole question was.
    probe: Option<String>,
    /// Its best 1-based rank in the results of any one expression.
    rank: u32,
}

struct Chunk {
    id: ChunkId,
    note: usize,
    piece: Piece,
    /// Its place by path and line, which breaks ties.
    order: u32,
    units: u32,
    /// Its distinct words by number, ascending.
    words: Vec<u32>,
    beginning: Arc<[u32]>,
    wordless: Option<Arc<str>>,
}

impl Chunk {
    fn holds(&self, asked: &Asked) -> bool {
        let number = asked.number;
        number.is_some_and(|it| self.words.binary_search(&it).is_ok())
    }
}

/// A word of a question, in lower case.
struct Asked {
    word: String,
    /// Its number; `None` if no chunk holds it.
    number: Option<u32>,
}

/// Assigns a number to every word.
#[derive(Default)]
struct Numbers(HashMap<String, u32>);

impl Numbers {
    fn of(&mut self, word: &str) -> u32 {
        if let Some(number) = self.0.get(word) {
            return *number;
        }
        let number = self.0.len() as u32;
        self.0.insert(word.to_owned(), number);
        number
    }
}

impl Memory {
    /// Returns the texts to embed: those of the chunks into which an edition cuts the notes, in order.
    pub fn chunk_texts(edition: Edition, chunking: Chunking, notes: &[AgentNote]) -> Vec<String> {
        let notes = notes.iter().filter(|note| is_indexed(edition, note));
        let pieces = notes.flat_map(|note| cut(edition, chunking, &note.path, &note.text));
        pieces.map(|piece| piece.text).collect()
    }

    /// Creates an index of notes. `vectors` are those of [`Memory::chunk_texts`], or why there are none; `now_ms` is
    /// the moment for the age of notes; `generation` is the library's.
    ///
    /// # Errors
    /// [`RetrieveError::Outside`] if SQLite returns an error.
    pub fn new(
        edition: Edition,
        chunking: Chunking,
        notes: Vec<AgentNote>,
        vectors: Result<Vectors, String>,
        embed: Embed,
        now_ms: i64,
        generation: u64,
    ) -> Result<Memory, RetrieveError> {
        let mut notes = notes;
        notes.retain(|note| is_indexed(edition, note));
        let pieces = notes
            .iter()
            .map(|note| cut(edition, chunking, &note.path, &note.text))
            .collect();
        let memory = Memory::of_pieces(edition, notes, pieces, vectors, embed, now_ms, generation)?;
        Ok(Memory { chunking, ..memory })
    }

    /// Creates a memory from the index that OpenClaw itself made: its chunks with their vectors, of those notes that
    /// the index holds. It searches like the newest edition.
    ///
    /// # Errors
    /// [`RetrieveError::Outside`] if SQLite returns an error.
    pub fn of_index(
        notes: Vec<AgentNote>,
        index: &OwnIndex,
        vectors: Vectors,
        embed: Embed,
        now_ms: i64,
        generation: u64,
    ) -> Result<Memory, RetrieveError> {
        let edition = Edition::V2026_8;
        let mut notes = notes;
        notes.retain(|note| index.chunks.contains_key(&note.path));
        let pieces = notes
            .iter()
            .map(|note| {
                // There, the stated importance of an entry is not part of its text.
                let ours = cut(edition, Chunking::default(), &note.path, &note.text);
                let piece = |chunk: &OwnChunk| Piece {
                    start_line: chunk.start_line,
                    end_line: chunk.end_line,
                    text: chunk.text.clone(),
                    importance: ours
                        .iter()
                        .find(|piece| piece.text == chunk.text)
                        .and_then(|piece| piece.importance),
                };
                index.chunks[&note.path].iter().map(piece).collect()
            })
            .collect();
        Memory::of_pieces(
            edition,
            notes,
            pieces,
            Ok(vectors),
            embed,
            now_ms,
            generation,
        )
    }

    /// `pieces` holds the pieces of each note.
    fn of_pieces(
        edition: Edition,
        notes: Vec<AgentNote>,
        pieces: Vec<Vec<Piece>>,
        vectors: Result<Vectors, String>,
        embed: Embed,
        now_ms: i64,
        generation: u64,
    ) -> Result<Memory, RetrieveError> {
        let mut numbers = Numbers::default();
        let mut chunks = Vec::new();
        for (at, (note, pieces)) in notes.iter().zip(pieces).enumerate() {
            for piece in pieces {
                let lower = piece.text.to_lowercase();
                let words: BTreeSet<u32> = tokens(&lower).map(|word| numbers.of(word)).collect();
                let start = start_of(&piece.text).to_lowercase();
                let beginning: BTreeSet<u32> = compared_words(&start)
                    .iter()
                    .map(|word| numbers.of(word))
                    .collect();
                chunks.push(Chunk {
                    id: name(note, &piece),
                    note: at,
                    order: 0,
                    units: units(&piece.text) as u32,
                    words: words.into_iter().collect(),
                    wordless: beginning.is_empty().then(|| start.trim().into()),
                    beginning: beginning.into_iter().collect(),
                    piece,
                });
            }
        }
        put_in_order(&notes, &mut chunks)?;
        let texts = Fts::of(
            "unicode61",
            [1.0],
            chunks.iter().map(|it| [it.piece.text.as_str()]),
        );
        let paths = Fts::of(
            "unicode61",
            [1.0],
            notes.iter().map(|it| [it.path.as_str()]),
        );
        let vectors = vectors.and_then(|vectors| {
            if vectors.len() == chunks.len() {
                Ok(vectors)
            } else {
                Err("the chunks have not all been embedded".to_owned())
            }
        });
        Ok(Memory {
            edition,
            chunking: Chunking::default(),
            generation,
            now_ms,
            places: (0..).zip(&chunks).map(|(at, it)| (it.id, at)).collect(),
            notes,
            chunks,
            numbers,
            texts: Mutex::new(texts.map_err(refused)?),
            paths: Mutex::new(paths.map_err(refused)?),
            vectors,
            embed,
            remarks: Vec::new(),
        })
    }

    /// Returns the same memory with remarks to show with every answer.
    pub fn with_remarks(self, remarks: Vec<String>) -> Memory {
        Memory { remarks, ..self }
    }

    /// Returns the rows of a table that hold all words of a question, best first.
    fn whole(&self, fts: &Fts, question: &str) -> Result<Vec<FtsHit>, RetrieveError> {
        match all_of(question) {
            Some(expression) => fts.search(&expression).map_err(refused),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the words of a question that are searched one by one; empty if the question found enough. `n_found` is
    /// the number of texts and paths that it found.
    fn probes(&self, question: &str, n_found: usize) -> Vec<String> {
        let lower = question.trim().to_lowercase();
        let mut probes = keywords(question);
        probes.retain(|word| *word != lower);
        probes.truncate(PROBES_MAX);
        let are_asked = match self.edition {
            Edition::V2026_2 => false,
            Edition::V2026_7 => n_found == 0,
            Edition::V2026_8 => {
                // Words that are equivalent to the question are not searched again if the question hit something.
                let asks_more = all_of(&probes.join(" ")) != all_of(&lower);
                n_found < CANDIDATES_MAX as usize && (asks_more || n_found == 0)
            }
        };
        if are_asked { probes } else { Vec::new() }
    }

    /// Returns the rows of a table that match a question or one of its probes, each once with its best score. Those of
    /// the whole question are first, ties by position.
    fn hits(
        &self,
        fts: &Fts,
        whole: Vec<FtsHit>,
        probes: &[String],
    ) -> Result<Vec<Hit>, RetrieveError> {
        let depth = CANDIDATES_MAX as usize;
        let mut found: Vec<(u32, FtsHit, Option<usize>)> = (1..)
            .zip(whole)
            .map(|(rank, hit)| (rank, hit, None))
            .collect();
        for (at, word) in probes.iter().enumerate() {
            let hits = (1..).zip(self.whole(fts, word)?).take(depth);
            found.extend(hits.map(|(rank, hit)| (rank, hit, Some(at))));
        }
        let mut best: BTreeMap<usize, Hit> = BTreeMap::new();
        for (rank, hit, probe) in found {
            let (at, raw) = (hit.at as usize, self.raw(hit.rank));
            let hit = |rank| Hit {
                at,
                raw,
                probe: probe.map(|at| probes[at].clone()),
                rank,
            };
            match best.entry(at) {
                Entry::Vacant(entry) => _ = entry.insert(hit(rank)),
                Entry::Occupied(mut entry) => {
                    let rank = rank.min(entry.get().rank);
                    if entry.get().raw < raw {
                        entry.insert(hit(rank));
                    } else {
                        entry.get_mut().rank = rank;
                    }
                }
            }
        }
        let mut best: Vec<Hit> = best.into_values().collect();
        best.sort_by(|a, b| b.raw.total_cmp(&a.raw));
        Ok(best)
    }

    /// Returns SQLite's bm25 as a score.
    fn raw(&self, rank: f64) -> f64 {
        if self.edition == Edition::V2026_2 {
            // A rank below 0 is a good one, but this edition treats it as 0: every match scores 1.
            return 1.0 / (1.0 + rank.max(0.0));
        }
        if !rank.is_finite() {
            0.001
        } else if rank < 0.0 {
            -rank / (1.0 - rank)
        } else {
            1.0 / (1.0 + rank)
        }
    }

    /// Returns whether the text list is ordered by the raised score. Before 2026.8, SQLite's order decides which hits
    /// are candidates.
    fn ranks_by_raised(&self) -> bool {
        self.edition == Edition::V2026_8
    }

    fn is_within(&self, within: &Within, chunk: &Chunk) -> bool {
        let facts = &self.notes[chunk.note].facts;
        let is_in_part = match &within.part {
            Part::All => true,
            Part::Folder(scope) => scope.folder == facts.folder && scope.holds(&facts.path),
            Part::Folders(folders) => folders.contains(&facts.folder),
            Part::Chunks(chunks) => chunks.contains(&chunk.id),
        };
        is_in_part && !within.without.contains(&chunk.id)
    }

    /// Returns what raises the score of a chunk that words hit.
    fn raised(&self, hit: &Hit, asked: &[Asked]) -> Raised {
        let chunk = &self.chunks[hit.at];
        let path = self.notes[chunk.note].path.to_lowercase();
        let probe = match (&hit.probe, self.edition) {
            // Before 2026.8, only the single word counts if it was searched alone.
            (Some(probe), Edition::V2026_2 | Edition::V2026_7) => Some(Asked {
                word: probe.clone(),
                number: self.numbers.0.get(probe).copied(),
            }),
            _ => None,
        };
        let asked = probe.as_ref().map_or(asked, std::slice::from_ref);
        Raised {
            raw: hit.raw,
            n_held: asked.iter().filter(|it| chunk.holds(it)).count() as u32,
            n_words: asked.len() as u32,
            n_distinct: chunk.words.len() as u32,
            n_in_path: asked.iter().filter(|it| path.contains(&it.word)).count() as u32,
            units: chunk.units,
        }
    }

    fn facts(
        &self,
        chunk: &Chunk,
        raised: Option<Raised>,
        path: Option<f64>,
        question: &str,
    ) -> RowFact {
        let note = &self.notes[chunk.note];
        let is_named = path.is_some();
        RowFact {
            raised,
            path,
            named: if is_named {
                named(&note.path.to_lowercase(), question)
            } else {
                Named::No
            },
            age_days: age::days(self.edition, &note.path, note.modified_ms, self.now_ms),
            importance: chunk.piece.importance,
            beginning: chunk.beginning.clone(),
            wordless: chunk.wordless.clone(),
        }
    }

    fn row(&self, chunk: &Chunk, asked: &[Asked]) -> RowFacts {
        let note = &self.notes[chunk.note].facts;
        let around = memlens_retrieve::folder_around(&note.path, &note.folder_name).to_owned();
        RowFacts {
            note: note.clone(),
            start_line: chunk.piece.start_line,
            end_line: chunk.piece.end_line,
            heading: String::new(),
            source: around,
            said: None,
            text: None,
            matched: (0..)
                .zip(asked)
                .filter(|(_, asked)| chunk.holds(asked))
                .map(|(at, _)| at)
                .collect(),
        }
    }

    fn query_words(&self, asked: &[Asked]) -> Vec<QueryWord> {
        let n = self.chunks.len() as f64;
        asked
            .iter()
            .map(|asked| {
                let n_chunks = self.chunks.iter().filter(|it| it.holds(asked)).count();
                let held = n_chunks as f64;
                let first = words(&asked.word).into_iter().next();
                QueryWord {
                    term: first.map_or_else(|| asked.word.clone(), |it| it.term),
                    typed: asked.word.clone(),
                    weight: 1.0,
                    idf: (1.0 + (n - held + 0.5) / (held + 0.5)).ln() as f32,
                    n_chunks: n_chunks as u32,
                    ..QueryWord::default()
                }
            })
            .collect()
    }
}

impl Retriever for Memory {
    fn id(&self) -> RetrieverId {
        self.edition.pipeline().retriever()
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        match &self.vectors {
            Ok(_) => (self.embed)(text),
            Err(why) => Err(why.clone()),
        }
    }

    fn retrieve(&self, question: &Question<'_>) -> Result<Retrieved, RetrieveError> {
        let started = Instant::now();
        let is_within: Vec<bool> = self
            .chunks
            .iter()
            .map(|chunk| self.is_within(question.within, chunk))
            .collect();
        let n_chunks = is_within.iter().filter(|it| **it).count() as u32;
        let cosines = match (question.vector, &self.vectors) {
            (Ok(vector), Ok(vectors)) => vectors.cosines(vector),
            (Err(why), _) => Err(why.to_owned()),
            (_, Err(why)) => Err(why.clone()),
        };
        let (vector_state, by_cosine) = match cosines {
            Ok(cosines) => {
                let mut found: Vec<(usize, f64)> = cosines
                    .into_iter()
                    .enumerate()
                    .filter(|(at, _)| is_within[*at])
                    .collect();
                found.sort_by(|a, b| b.1.total_cmp(&a.1));
                (ListState::Ready, found)
            }
            Err(why) => (ListState::Missing(why), Vec::new()),
        };
        let vector_took = started.elapsed();

        let started = Instant::now();
        let lower = question.text.to_lowercase();
        let mut seen = BTreeSet::new();
        let asked: Vec<Asked> = tokens(&lower)
            .filter(|word| seen.insert(*word))
            .map(|word| Asked {
                word: word.to_owned(),
                number: self.numbers.0.get(word).copied(),
            })
            .collect();
        let by_text = self.whole(&self.texts.lock(), question.text)?;
        let by_path = match self.edition {
            Edition::V2026_2 | Edition::V2026_7 => Vec::new(),
            Edition::V2026_8 => self.whole(&self.paths.lock(), question.text)?,
        };
        let mut n_found: BTreeSet<usize> = by_text.iter().map(|hit| hit.at as usize).collect();
        let notes = by_path.iter().take(CANDIDATES_MAX as usize);
        n_found.extend(notes.filter_map(|hit| self.first_chunk(hit.at as usize)));
        let probes = self.probes(question.text, n_found.len());
        let mut hits = self.hits(&self.texts.lock(), by_text, &probes)?;
        hits.retain(|hit| is_within[hit.at]);
        let raised: BTreeMap<usize, Raised> = hits
            .iter()
            .map(|hit| (hit.at, self.raised(hit, &asked)))
            .collect();
        if self.ranks_by_raised() {
            let score = |hit: &Hit| raised[&hit.at].score();
            let order = |hit: &Hit| self.chunks[hit.at].order;
            // Rows beyond SQLite's limit go last, however much they would be raised.
            let is_beyond = |hit: &Hit| hit.rank > CANDIDATES_MAX;
            hits.sort_by(|a, b| {
                let by_score = || score(b).total_cmp(&score(a));
                let beyond = is_beyond(a).cmp(&is_beyond(b));
                beyond
                    .then_with(by_score)
                    .then_with(|| order(a).cmp(&order(b)))
            });
        }
        let by_text: Vec<(usize, f64)> = hits.iter().map(|hit| (hit.at, hit.raw)).collect();
        let text_state = if all_of(question.text).is_none() {
            ListState::Missing("the question has no letters or digits".to_owned())
        } else {
            ListState::Ready
        };
        let by_path = self.by_path(by_path, &probes, &is_within)?;
        let text_took = started.elapsed();

        let depth = CANDIDATES_MAX as usize;
        let mut union: BTreeSet<usize> = by_cosine.iter().take(depth).map(|it| it.0).collect();
        union.extend(by_text.iter().map(|it| it.0));
        union.extend(by_path.keys().copied());
        let also = question
            .also
            .iter()
            .filter_map(|chunk| self.places.get(chunk));
        union.extend(also.copied().filter(|at| is_within[*at]));
        let union: Vec<usize> = union.into_iter().collect();

        let list = |id: ListId, state: ListState, found: &[(usize, f64)]| {
            let mut values = vec![ListValue::default(); union.len()];
            for (rank, (at, score)) in (1..).zip(found) {
                if let Ok(slot) = union.binary_search(at) {
                    values[slot] = ListValue {
                        score: Some(*score),
                        rank: Some(rank),
                    };
                }
            }
            List {
                id,
                state,
                n_hits: found.len() as u32,
                values,
            }
        };
        let chunks = || union.iter().map(|at| &self.chunks[*at]);
        let candidates = chunks().map(|chunk| Candidate {
            chunk: chunk.id,
            order: chunk.order,
            document: chunk.note as u32,
            // It counts four characters as a token.
            tokens: chunk.units.div_ceil(4),
            n_matched: 0,
            ..Candidate::default()
        });
        let facts = union.iter().map(|at| {
            let (raised, path) = (raised.get(at).copied(), by_path.get(at).copied());
            self.facts(&self.chunks[*at], raised, path, question.text)
        });
        let facts = Facts {
            rows: facts.collect(),
        };
        let vector_list = list(ListId(VECTOR.0), vector_state, &by_cosine);
        let mut text_list = list(ListId(TEXT.0), text_state, &by_text);
        if self.edition == Edition::V2026_7 {
            // The results of single words are merged without another cut: each word has as many candidates as the
            // question.
            for hit in hits.iter().filter(|hit| hit.probe.is_some()) {
                if let Ok(slot) = union.binary_search(&hit.at) {
                    text_list.values[slot].rank = Some(hit.rank);
                }
            }
        }
        Ok(Retrieved {
            set: CandidateSet {
                candidates: candidates.collect(),
                n_chunks,
                n_words: asked.len() as u32,
                lists: vec![vector_list, text_list],
                own: Some(OwnFacts::new(facts)),
                ..CandidateSet::default()
            },
            rows: chunks().map(|chunk| self.row(chunk, &asked)).collect(),
            words: self.query_words(&asked),
            n_words_left_out: 0,
            took: vec![(ListId(VECTOR.0), vector_took), (ListId(TEXT.0), text_took)],
        })
    }

    fn answers(&self, params: &Values) -> bool {
        Chunking::of(params) == self.chunking
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn chunks_of(&self, folder: FolderId, path: &str) -> Option<Vec<NoteChunk>> {
        let is_note = |note: &AgentNote| note.facts.folder == folder && note.facts.path == path;
        let at = self.notes.iter().position(is_note)?;
        let chunks = self.chunks.iter().filter(|chunk| chunk.note == at);
        Some(
            chunks
                .map(|chunk| NoteChunk {
                    chunk: chunk.id,
                    start_line: chunk.piece.start_line,
                    end_line: chunk.piece.end_line,
                })
                .collect(),
        )
    }

    fn texts(&self, chunks: &[ChunkId]) -> Result<Vec<Result<String, NoText>>, RetrieveError> {
        let text = |chunk: &ChunkId| {
            let at = self.places.get(chunk).ok_or(NoText::Gone)?;
            Ok(self.chunks[*at].piece.text.clone())
        };
        Ok(chunks.iter().map(text).collect())
    }
}

impl Memory {
    /// Returns the first chunk of a note.
    fn first_chunk(&self, note: usize) -> Option<usize> {
        self.chunks.iter().position(|chunk| chunk.note == note)
    }

    /// Returns how well the note's path matches, at the first chunk of each note that is found by its path; since
    /// 2026.8.
    fn by_path(
        &self,
        whole: Vec<FtsHit>,
        probes: &[String],
        is_within: &[bool],
    ) -> Result<BTreeMap<usize, f64>, RetrieveError> {
        if self.edition != Edition::V2026_8 {
            return Ok(BTreeMap::new());
        }
        let found = self.hits(&self.paths.lock(), whole, probes)?;
        Ok(found
            .into_iter()
            .take(CANDIDATES_MAX as usize)
            .filter_map(|hit| Some((self.first_chunk(hit.at)?, hit.raw)))
            .filter(|(at, _)| is_within[*at])
            .collect())
    }
}

fn refused(error: rusqlite::Error) -> RetrieveError {
    RetrieveError::Outside {
        what: "OpenClaw's keyword search".to_owned(),
        why: error.to_string(),
    }
}

/// Returns whether an edition indexes a note. Before 2026.8, the workspace's USER.md is only indexed if an extra path
/// names it.
fn is_indexed(edition: Edition, note: &AgentNote) -> bool {
    edition == Edition::V2026_8 || note.path != "USER.md" || note.is_extra
}

/// Returns how exactly a question names a path; both are compared in lower case.
fn named(path: &str, question: &str) -> Named {
    let question = question.trim().to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if question == path {
        Named::Path
    } else if question == name {
        Named::Name
    } else if question == stem {
        Named::Stem
    } else {
        Named::No
    }
}

/// Returns an id that depends only on the note, the line and the text of the piece.
fn name(note: &AgentNote, piece: &Piece) -> ChunkId {
    let mut hasher = blake3::Hasher::new();
    let head = format!(
        "{}\0{}\0{}\0",
        note.facts.folder.0, note.facts.path, piece.start_line
    );
    hasher.update(head.as_bytes()).update(piece.text.as_bytes());
    let bytes = hasher.finalize();
    let first: [u8; 8] = bytes.as_bytes()[..8].try_into().expect("eight bytes");
    ChunkId(u64::from_le_bytes(first))
}

/// Sets each chunk's place by path, compared like ICU, and line.
fn put_in_order(notes: &[AgentNote], chunks: &mut [Chunk]) -> Result<(), RetrieveError> {
    let collator =
        CollatorBorrowed::try_new(CollatorPreferences::default(), CollatorOptions::default())
            .map_err(|error| RetrieveError::Outside {
                what: "OpenClaw's order of paths".to_owned(),
                why: error.to_string(),
            })?;
    let mut by_path: Vec<usize> = (0..notes.len()).collect();
    by_path.sort_by(|a, b| collator.compare(&notes[*a].path, &notes[*b].path));
    let mut place_of = vec![0; notes.len()];
    for (place, note) in by_path.into_iter().enumerate() {
        place_of[note] = place;
    }
    let mut order: Vec<usize> = (0..chunks.len()).collect();
    order.sort_by_key(|at| {
        (
            place_of[chunks[*at].note],
            chunks[*at].piece.start_line,
            *at,
        )
    });
    for (place, at) in (0..).zip(order) {
        chunks[at].order = place;
    }
    Ok(())
}

/// Returns the part of a chunk that MMR compares.
fn start_of(text: &str) -> String {
    let mut n_units = 0;
    text.chars()
        .take_while(|sign| {
            n_units += sign.len_utf16();
            n_units <= BEGINNING_UNITS
        })
        .collect()
}

/// Returns the words of a lower-case text that MMR compares: Latin words, and characters of scripts without spaces,
/// single and in pairs.
fn compared_words(lower: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = WORD
        .find_iter(lower)
        .map(|it| it.as_str().to_owned())
        .collect();
    let mut before: Option<char> = None;
    for sign in lower.chars() {
        let is_dense = matches!(
            sign,
            '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
                | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}'
        );
        if is_dense {
            found.insert(sign.to_string());
            found.extend(before.map(|before| [before, sign].iter().collect::<String>()));
        }
        before = is_dense.then_some(sign);
    }
    found
}
