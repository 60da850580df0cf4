//! basic-memory's index over given notes, and its search.

use std::collections::HashMap;
use std::time::Instant;

use memlens_rank::{
    AnyPipeline, CandidateSet, ChunkId, List, ListId, ListState, ListValue, OwnFacts, RetrieverId,
};
use memlens_retrieve::{NoText, NoteChunk, Question, RetrieveError, Retrieved, Retriever, Within};
use memlens_store::FolderId;
use parking_lot::Mutex;
use sha2::Digest;

use super::cut::chunks;
use super::facts::{Column, Facts, Match, Near, RowFact};
use super::params::{DEPTH_MAX, TEXT, VECTOR};
use super::pipeline::V0_24;
use super::question::{Expression, relaxed, strict};
use crate::fts::Fts;
use crate::memory::{AgentNote, Embed, Vectors, embed_question, vectors_of_all};
use crate::notes::Notes;

/// The columns that are searched for words, in order, and the permalink, which only makes a note longer.
const N_COLUMNS: usize = 4;
const SEARCHED: [Column; 3] = [Column::Title, Column::Stems, Column::Text];
/// Number of characters of title, text, permalink, path and their parts that are searched together.
const STEMS_CHARS: usize = 6000;
/// Number of chunks of a long note that the reranker reads, and their separator.
const RERANKED_CHUNKS: usize = 5;
const BETWEEN_CHUNKS: &str = "\n---\n";
/// Number of characters of a note that the reranker reads by default.
pub const RERANKED_CHARS: usize = 2000;
/// Number of characters that count as a token.
const TOKEN_CHARS: u32 = 4;

/// Notes as basic-memory indexes them.
pub struct Memory {
    generation: u64,
    notes: Notes,
    /// All chunks, note by note.
    chunks: Vec<Chunk>,
    texts: Mutex<Fts>,
    vectors: Result<Vectors, String>,
    embed: Embed,
    remarks: Vec<String>,
}

struct Chunk {
    note: usize,
    /// The chunk's position in the note.
    at: u32,
    text: String,
    /// Orders equally similar chunks by the hash of their text.
    hash: [u8; 32],
}

/// What a question finds: the positions of notes, best first, or why a list is missing.
struct Found {
    /// By all words of the question.
    all: Result<Vec<(usize, Match)>, String>,
    /// By any of its words; `None` if the question is not relaxed.
    any: Option<Vec<(usize, Match)>>,
    /// By its vector.
    near: Result<Vec<(usize, Near)>, String>,
}

impl Found {
    /// Returns the positions of the notes that each list holds within its depth.
    fn candidates(&self) -> impl Iterator<Item = usize> {
        let depth = DEPTH_MAX as usize;
        let all = self.all.iter().flatten().take(depth);
        let any = self.any.iter().flatten().take(depth);
        let near = self.near.iter().flatten();
        let near = near.filter(|(_, near)| near.position <= DEPTH_MAX);
        let by_words = all.chain(any).map(|(at, _)| *at);
        by_words.chain(near.map(|(at, _)| *at))
    }

    fn into_facts(self, rows: Vec<RowFact>) -> Facts {
        Facts {
            n_strict: self.all.as_ref().map_or(0, |found| found.len() as u32),
            n_relaxed: self.any.as_ref().map(|found| found.len() as u32),
            n_near: self.near.as_ref().map_or(0, |found| found.len() as u32),
            vector: state(self.near),
            strict: state(self.all),
            rows,
            rerank: None,
        }
    }
}

/// A chunk and its similarity, in 0..1.
type Similar<'a> = (&'a Chunk, f64);

impl Memory {
    /// Returns the texts to embed, in order.
    pub fn chunk_texts(notes: &[AgentNote]) -> Vec<String> {
        let chunks = all_chunks(&indexed(notes.to_vec()));
        chunks.into_iter().map(|it| it.text).collect()
    }

    /// Creates an index of notes, whose paths begin with the name of their project. `vectors` are those of
    /// [`Memory::chunk_texts`], or why there are none; `generation` is the library's.
    ///
    /// # Errors
    /// [`RetrieveError::Outside`] if SQLite returns an error.
    pub fn new(
        notes: Vec<AgentNote>,
        vectors: Result<Vectors, String>,
        embed: Embed,
        generation: u64,
    ) -> Result<Memory, RetrieveError> {
        let notes = indexed(notes);
        let chunks = all_chunks(&notes);
        let vectors = vectors_of_all(vectors, chunks.len(), "chunks");
        let texts = Fts::of("unicode61", [1.0; N_COLUMNS], notes.iter().map(columns));
        Ok(Memory {
            generation,
            texts: Mutex::new(texts.map_err(|error| outside(error.to_string()))?),
            notes: Notes::new("basic-memory", notes),
            chunks,
            vectors,
            embed,
            remarks: Vec::new(),
        })
    }

    /// Returns the same memory with remarks to show with every answer.
    pub fn with_remarks(self, remarks: Vec<String>) -> Memory {
        Memory { remarks, ..self }
    }

    /// Returns what the reranker reads of each candidate, by slot: the note with its title, or the best chunks of a
    /// note that is too long.
    pub fn documents(
        &self,
        vector: Result<&[f32], &str>,
        found: &Retrieved,
        max_chars: usize,
    ) -> Vec<String> {
        let similar = self.similar(vector, &Within::default()).unwrap_or_default();
        let best = self.best(&similar);
        let candidates = found.set.candidates.iter();
        let document = |at: usize| {
            let note = self.notes.at(at);
            document(&note.path, &note.text, &best[at], max_chars)
        };
        candidates
            .filter_map(|it| Some(document(self.notes.place(it.chunk)?)))
            .collect()
    }

    /// Returns the positions of each note's chunks, the most similar first, as many as the reranker reads.
    fn best(&self, similar: &[Similar<'_>]) -> Vec<Vec<u32>> {
        let mut best = vec![Vec::new(); self.notes.len()];
        for (chunk, _) in similar {
            let own: &mut Vec<u32> = &mut best[chunk.note];
            if own.len() < RERANKED_CHUNKS {
                own.push(chunk.at);
            }
        }
        best
    }

    /// Returns all searched chunks, the most similar first.
    fn similar(
        &self,
        vector: Result<&[f32], &str>,
        within: &Within,
    ) -> Result<Vec<Similar<'_>>, String> {
        let vectors = self.vectors.as_ref().map_err(Clone::clone)?;
        let to = vector?;
        if to.len() != vectors.dim() {
            return Err(format!(
                "the question's embedding has {} numbers, those of the chunks {}",
                to.len(),
                vectors.dim()
            ));
        }
        let similarity = |vector: &[f32]| {
            let parts = vector.iter().zip(to);
            let squares = parts.map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
            (1.0 - squares.sum::<f64>() / 2.0).clamp(0.0, 1.0)
        };
        let chunks = self.chunks.iter().zip(vectors.iter());
        let mut similar: Vec<Similar<'_>> = chunks
            .filter(|(chunk, _)| self.notes.is_within(within, chunk.note))
            .map(|(chunk, vector)| (chunk, similarity(vector)))
            .collect();
        similar.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.hash.cmp(&b.0.hash)));
        Ok(similar)
    }

    /// Returns the best chunk of each note, the most similar first.
    fn near(&self, similar: &[Similar<'_>]) -> Vec<(usize, Near)> {
        let mut seen = vec![false; self.notes.len()];
        let first = |(position, (chunk, similarity)): (u32, &Similar<'_>)| {
            let is_first = !std::mem::replace(&mut seen[chunk.note], true);
            let near = Near {
                position,
                similarity: *similarity,
            };
            is_first.then_some((chunk.note, near))
        };
        (1..).zip(similar).filter_map(first).collect()
    }

    /// Returns the notes that an expression matches, best first, by the first column that matches all of it.
    fn matches(
        &self,
        expression: &Expression,
        within: &Within,
    ) -> Result<Vec<(usize, Match)>, String> {
        let asked: Vec<(Column, String)> = if expression.is_of_one_column {
            let columns = SEARCHED.iter().enumerate();
            let of = |(at, column): (usize, &Column)| {
                (*column, format!("c{at} : ({})", expression.text))
            };
            columns.map(of).collect()
        } else {
            vec![(Column::Any, expression.text.clone())]
        };
        let texts = self.texts.lock();
        let mut best: HashMap<usize, (f64, Column)> = HashMap::new();
        for (column, asked) in asked {
            let hits = texts.search(&asked).map_err(|error| {
                format!("SQLite cannot read the question as an expression: {error}")
            })?;
            for hit in hits {
                best.entry(hit.at as usize).or_insert((hit.rank, column));
            }
        }
        let mut found: Vec<(usize, (f64, Column))> = best
            .into_iter()
            .filter(|(at, _)| self.notes.is_within(within, *at))
            .collect();
        found.sort_by(|a, b| a.1.0.total_cmp(&b.1.0).then_with(|| a.0.cmp(&b.0)));
        let ranked = (1..).zip(found).map(|(rank, (at, (bm25, found_in)))| {
            let found = Match {
                rank,
                bm25,
                found_in,
            };
            (at, found)
        });
        Ok(ranked.collect())
    }

    /// Returns the facts of each candidate; `union` holds the positions of the candidates, ascending, and `best` the
    /// positions of each note's best chunks.
    fn row_facts(&self, union: &[usize], best: &[Vec<u32>], found: &Found) -> Vec<RowFact> {
        let fact = |at: &usize| RowFact {
            path: self.notes.at(*at).path.clone(),
            best: best[*at].clone(),
            ..RowFact::default()
        };
        let mut rows: Vec<RowFact> = union.iter().map(fact).collect();
        let slot = |at: &usize| union.binary_search(at).ok();
        for (at, hit) in found.all.iter().flatten() {
            if let Some(slot) = slot(at) {
                rows[slot].strict = Some(*hit);
            }
        }
        for (at, hit) in found.any.iter().flatten() {
            if let Some(slot) = slot(at) {
                rows[slot].relaxed = Some(*hit);
            }
        }
        for (at, hit) in found.near.iter().flatten() {
            if let Some(slot) = slot(at) {
                rows[slot].near = Some(*hit);
            }
        }
        rows
    }
}

impl Retriever for Memory {
    fn id(&self) -> RetrieverId {
        V0_24.retriever()
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        embed_question(&self.vectors, &self.embed, text)
    }

    fn retrieve(&self, question: &Question<'_>) -> Result<Retrieved, RetrieveError> {
        let within = question.within;
        let started = Instant::now();
        let all = match strict(question.text) {
            Some(expression) => self.matches(&expression, within),
            None => Err("the question has no word to search".to_owned()),
        };
        let any = match relaxed(question.text) {
            Some(expression) => Some(self.matches(&expression, within).map_err(outside)?),
            None => None,
        };
        let words_took = started.elapsed();
        let started = Instant::now();
        let similar = self.similar(question.vector, within);
        let near = similar.as_ref().map(|similar| self.near(similar));
        let found = Found {
            all,
            any,
            near: near.map_err(Clone::clone),
        };
        let best = self.best(similar.as_deref().unwrap_or_default());
        let vectors_took = started.elapsed();

        let candidates = found.candidates();
        let union = self.notes.union(candidates, within, question.also);
        let rows = self.row_facts(&union, &best, &found);
        let facts = found.into_facts(rows);
        let asked = self.notes.asked(question.text);
        let candidate = |at: &usize| {
            let chars = self.notes.at(*at).text.chars().count() as u32;
            self.notes.candidate(*at, chars.div_ceil(TOKEN_CHARS))
        };
        Ok(Retrieved {
            set: CandidateSet {
                candidates: union.iter().map(candidate).collect(),
                n_chunks: self.notes.n_within(within),
                n_words: asked.len() as u32,
                lists: lists(&facts),
                own: Some(OwnFacts::new(facts)),
                ..CandidateSet::default()
            },
            rows: union
                .iter()
                .map(|at| self.notes.row(*at, title(&self.notes.at(*at).path), &asked))
                .collect(),
            words: asked,
            n_words_left_out: 0,
            took: vec![
                (ListId(TEXT.0), words_took),
                (ListId(VECTOR.0), vectors_took),
            ],
        })
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn chunks_of(&self, folder: FolderId, path: &str) -> Option<Vec<NoteChunk>> {
        self.notes.chunks_of(folder, path)
    }

    fn texts(&self, chunks: &[ChunkId]) -> Result<Vec<Result<String, NoText>>, RetrieveError> {
        Ok(self.notes.texts(chunks))
    }
}

/// Returns what the reranker reads of a note: all of it with its title, or the best chunks of a longer one, by their
/// positions.
fn document(path: &str, text: &str, best: &[u32], max_chars: usize) -> String {
    let is_short = text.chars().count() <= max_chars;
    let body = if is_short || best.is_empty() {
        text.to_owned()
    } else {
        let chunks = chunks(title(path), permalink(path), text);
        let best = best.iter().filter_map(|at| chunks.get(*at as usize));
        best.map(String::as_str)
            .collect::<Vec<_>>()
            .join(BETWEEN_CHUNKS)
    };
    let document = format!("{body}\n{}", title(path));
    document.chars().take(max_chars).collect()
}

/// Like [`document`], for a row, from the text of its note.
pub fn document_read(set: &CandidateSet, slot: u32, note: &str) -> Option<String> {
    let row = Facts::of(set)?.rows.get(slot as usize)?;
    Some(document(&row.path, note, &row.best, RERANKED_CHARS))
}

/// Returns the same candidates with the reranker's scores, by slot.
pub fn reranked(found: Retrieved, scores: Vec<f64>) -> Retrieved {
    let own = Facts::of(&found.set).map(|facts| {
        OwnFacts::new(Facts {
            rerank: Some(scores),
            ..facts.clone()
        })
    });
    Retrieved {
        set: CandidateSet { own, ..found.set },
        ..found
    }
}

fn outside(why: String) -> RetrieveError {
    RetrieveError::Outside {
        what: "basic-memory".to_owned(),
        why,
    }
}

fn state<T>(found: Result<T, String>) -> ListState {
    match found {
        Ok(_) => ListState::Ready,
        Err(why) => ListState::Missing(why),
    }
}

/// Returns both lists in the common form.
fn lists(facts: &Facts) -> Vec<List> {
    let is_relaxed = facts.is_relaxed(true);
    let by_words = facts.rows.iter().map(|row| match row.matched(is_relaxed) {
        Some(it) => ListValue {
            score: Some(it.bm25),
            rank: Some(it.rank),
        },
        None => ListValue::default(),
    });
    let near: Vec<Option<f64>> = facts
        .rows
        .iter()
        .map(|row| row.near.map(|it| it.similarity))
        .collect();
    vec![
        List {
            id: ListId(TEXT.0),
            state: facts.strict.clone(),
            n_hits: if is_relaxed {
                facts.n_relaxed.unwrap_or(0)
            } else {
                facts.n_strict
            },
            values: by_words.collect(),
        },
        List {
            state: facts.vector.clone(),
            n_hits: facts.n_near,
            ..List::of_scores(ListId(VECTOR.0), &near)
        },
    ]
}

/// Returns the notes that basic-memory indexes, in the order of their ids.
fn indexed(mut notes: Vec<AgentNote>) -> Vec<AgentNote> {
    notes.retain(|note| note.path.ends_with(".md"));
    notes.sort_by(|a, b| a.path.cmp(&b.path));
    notes
}

fn all_chunks(notes: &[AgentNote]) -> Vec<Chunk> {
    let of = |(at, note): (usize, &AgentNote)| {
        let texts = chunks(title(&note.path), permalink(&note.path), &note.text);
        (0..).zip(texts).map(move |(place, text)| Chunk {
            note: at,
            at: place,
            hash: sha2::Sha256::digest(text.as_bytes()).into(),
            text,
        })
    };
    notes.iter().enumerate().flat_map(of).collect()
}

/// Returns the columns of a note: title, everything together, text, permalink.
fn columns(note: &AgentNote) -> [String; N_COLUMNS] {
    let (title, permalink) = (title(&note.path), permalink(&note.path));
    let path = note
        .path
        .split_once('/')
        .map_or(note.path.as_str(), |it| it.1);
    let mut stems = vec![title, &note.text, permalink, path];
    // The real program's order varies between runs; this order puts no folder before its file.
    stems.extend(permalink.rsplit('/').chain(path.rsplit('/')));
    let stems: String = stems.join("\n").chars().take(STEMS_CHARS).collect();
    [
        title.to_owned(),
        stems,
        note.text.to_string(),
        permalink.to_owned(),
    ]
}

/// Returns the title of a note: its file name without extension.
fn title(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

/// Returns the permalink of a note: project and path without extension.
fn permalink(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}
