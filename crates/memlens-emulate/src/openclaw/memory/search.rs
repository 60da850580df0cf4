//! A search of OpenClaw's index: what a question finds by words, by path and by meaning.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use memlens_index::{QueryWord, words};
use memlens_params::{StageId, Values};
use memlens_rank::{
    Candidate, CandidateSet, ChunkId, List, ListId, ListState, ListValue, OwnFacts, RetrieverId,
};
use memlens_retrieve::{
    NoText, NoteChunk, Part, Question, RetrieveError, Retrieved, Retriever, RowFacts, Within,
};
use memlens_store::FolderId;

use super::super::cut::Chunking;
use super::super::facts::{Facts, Named, Raised, RowFact};
use super::super::params::{CANDIDATES_MAX, TEXT, VECTOR};
use super::super::words::{all_of, keywords, tokens};
use super::super::{Edition, age};
use super::{Chunk, Memory, refused};
use crate::fts::{Fts, FtsHit};
use crate::memory::{AgentNote, embed_question};

/// Maximum number of words that are searched one by one.
const PROBES_MAX: usize = 6;

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

/// What a question finds by its vector.
struct ByMeaning {
    state: ListState,
    /// Positions of chunks with their cosines, best first.
    found: Vec<(usize, f64)>,
}

/// What a question finds by its words.
struct ByWords {
    state: ListState,
    /// The hits in texts, best first.
    hits: Vec<Hit>,
    /// What raises the score of each hit, by position of the chunk.
    raised: BTreeMap<usize, Raised>,
    /// How well the note's path matches, by position of the note's first chunk.
    by_path: BTreeMap<usize, f64>,
}

impl Retriever for Memory {
    fn id(&self) -> RetrieverId {
        self.edition.pipeline().retriever()
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, String> {
        embed_question(&self.vectors, &self.embed, text)
    }

    fn retrieve(&self, question: &Question<'_>) -> Result<Retrieved, RetrieveError> {
        let started = Instant::now();
        let is_within: Vec<bool> = self
            .chunks
            .iter()
            .map(|chunk| self.is_within(question.within, chunk))
            .collect();
        let by_meaning = self.by_meaning(question.vector, &is_within);
        let vector_took = started.elapsed();

        let started = Instant::now();
        let asked = self.asked_words(question.text);
        let by_words = self.by_words(question.text, &asked, &is_within)?;
        let text_took = started.elapsed();

        let union = self.union(&by_meaning, &by_words, question.also, &is_within);
        let chunks = || union.iter().map(|at| &self.chunks[*at]);
        let facts = union.iter().map(|at| {
            let raised = by_words.raised.get(at).copied();
            let path = by_words.by_path.get(at).copied();
            self.facts(&self.chunks[*at], raised, path, question.text)
        });
        let facts = Facts {
            rows: facts.collect(),
        };
        Ok(Retrieved {
            set: CandidateSet {
                candidates: chunks().map(candidate).collect(),
                n_chunks: is_within.iter().filter(|it| **it).count() as u32,
                n_words: asked.len() as u32,
                lists: vec![
                    list(VECTOR, by_meaning.state, &by_meaning.found, &union),
                    self.text_list(&by_words, &union),
                ],
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
    /// Returns the chunks within the searched part by descending cosine, ties by position.
    fn by_meaning(&self, vector: Result<&[f32], &str>, is_within: &[bool]) -> ByMeaning {
        let cosines = match (vector, &self.vectors) {
            (Ok(vector), Ok(vectors)) => vectors.cosines(vector),
            (Err(why), _) => Err(why.to_owned()),
            (_, Err(why)) => Err(why.clone()),
        };
        match cosines {
            Ok(cosines) => {
                let mut found: Vec<(usize, f64)> = cosines
                    .into_iter()
                    .enumerate()
                    .filter(|(at, _)| is_within[*at])
                    .collect();
                found.sort_by(|a, b| b.1.total_cmp(&a.1));
                ByMeaning {
                    state: ListState::Ready,
                    found,
                }
            }
            Err(why) => ByMeaning {
                state: ListState::Missing(why),
                found: Vec::new(),
            },
        }
    }

    /// Returns the distinct words of a question in their order.
    fn asked_words(&self, question: &str) -> Vec<Asked> {
        let lower = question.to_lowercase();
        let mut seen = BTreeSet::new();
        tokens(&lower)
            .filter(|word| seen.insert(*word))
            .map(|word| Asked {
                word: word.to_owned(),
                number: self.numbers.0.get(word).copied(),
            })
            .collect()
    }

    /// Returns what a question's words find, within the searched part.
    fn by_words(
        &self,
        question: &str,
        asked: &[Asked],
        is_within: &[bool],
    ) -> Result<ByWords, RetrieveError> {
        let by_text = self.whole(&self.texts.lock(), question)?;
        let by_path = match self.edition {
            Edition::V2026_2 | Edition::V2026_7 => Vec::new(),
            Edition::V2026_8 => self.whole(&self.paths.lock(), question)?,
        };
        let mut n_found: BTreeSet<usize> = by_text.iter().map(|hit| hit.at as usize).collect();
        let notes = by_path.iter().take(CANDIDATES_MAX as usize);
        n_found.extend(notes.filter_map(|hit| self.first_chunk(hit.at as usize)));
        let probes = self.probes(question, n_found.len());
        let mut hits = self.hits(&self.texts.lock(), by_text, &probes)?;
        hits.retain(|hit| is_within[hit.at]);
        let raised: BTreeMap<usize, Raised> = hits
            .iter()
            .map(|hit| (hit.at, self.raised(hit, asked)))
            .collect();
        if self.edition == Edition::V2026_8 {
            self.sort_by_raised(&mut hits, &raised);
        }
        let state = if all_of(question).is_none() {
            ListState::Missing("the question has no letters or digits".to_owned())
        } else {
            ListState::Ready
        };
        let by_path = self.by_path(by_path, &probes, is_within)?;
        Ok(ByWords {
            state,
            hits,
            raised,
            by_path,
        })
    }

    /// Sorts hits by their raised score, as editions since 2026.8 do; before, SQLite's order decides which hits are
    /// candidates. Ties are ordered by path and line.
    fn sort_by_raised(&self, hits: &mut [Hit], raised: &BTreeMap<usize, Raised>) {
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

    /// Returns the positions of all candidates, ascending: those of each list, and those that the caller asks for.
    fn union(
        &self,
        by_meaning: &ByMeaning,
        by_words: &ByWords,
        also: &[ChunkId],
        is_within: &[bool],
    ) -> Vec<usize> {
        let depth = CANDIDATES_MAX as usize;
        let nearest = by_meaning.found.iter().take(depth);
        let mut union: BTreeSet<usize> = nearest.map(|found| found.0).collect();
        union.extend(by_words.hits.iter().map(|hit| hit.at));
        union.extend(by_words.by_path.keys().copied());
        let also = also.iter().filter_map(|chunk| self.places.get(chunk));
        union.extend(also.copied().filter(|at| is_within[*at]));
        union.into_iter().collect()
    }

    /// Returns the text list over the candidates.
    fn text_list(&self, by_words: &ByWords, union: &[usize]) -> List {
        let hits = by_words.hits.iter();
        let found: Vec<(usize, f64)> = hits.map(|hit| (hit.at, hit.raw)).collect();
        let mut list = list(TEXT, by_words.state.clone(), &found, union);
        if self.edition == Edition::V2026_7 {
            // The results of single words are merged without another cut: each word has as many candidates as the
            // question.
            for hit in by_words.hits.iter().filter(|hit| hit.probe.is_some()) {
                if let Ok(slot) = union.binary_search(&hit.at) {
                    list.values[slot].rank = Some(hit.rank);
                }
            }
        }
        list
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

/// Returns a list over the candidates; `found` holds positions with scores, best first, and `union` the positions of
/// the candidates, ascending.
fn list(id: StageId, state: ListState, found: &[(usize, f64)], union: &[usize]) -> List {
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
        id: ListId(id.0),
        state,
        n_hits: found.len() as u32,
        values,
    }
}

fn candidate(chunk: &Chunk) -> Candidate {
    Candidate {
        chunk: chunk.id,
        order: chunk.order,
        document: chunk.note as u32,
        // It counts four characters as a token.
        tokens: chunk.units.div_ceil(4),
        n_matched: 0,
        ..Candidate::default()
    }
}
