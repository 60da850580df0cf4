//! OpenClaw's index over given notes.

mod search;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use icu_collator::options::CollatorOptions;
use icu_collator::{CollatorBorrowed, CollatorPreferences};
use memlens_rank::ChunkId;
use memlens_retrieve::RetrieveError;
use parking_lot::Mutex;
use regex::Regex;

use super::Edition;
use super::cut::{Chunking, Piece, cut, units};
use super::own_index::{OwnChunk, OwnIndex};
use super::words::tokens;
use crate::fts::Fts;
use crate::memory::{AgentNote, Embed, Vectors, vectors_of_all};

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
        let vectors = vectors_of_all(vectors, chunks.len(), "chunks");
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
