//! One search: its frozen facts, and every way to look at its ranking.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_index::QueryWord;
use memlens_params::{ParameterSet, Params, StageId};
use memlens_rank::{
    CandidateSet, ChunkId, Columns, Detail, ListId, NATIVE, Status, Trace, rank, rank_observed,
};
use memlens_store::{ChunkRow, DocumentRow, NoText, Store};

use crate::EngineError;
use crate::agreement::{Agreement, Said};
use crate::evergreen::Marks;
use crate::feedback::ThumbCounts;
use crate::lists::Lists;
use crate::passage;
use crate::retrieve::Retrieved;
use crate::view::{self, Fact, Journey, Row, Snippet};

/// How many snippets of kept rows come with an answer: what a large window shows at once.
pub(crate) const SNIPPETS_AT_ONCE: usize = 60;
/// How many supporters of a row are told with their texts; the rest are counted.
const SUPPORTERS_SHOWN: usize = 50;

/// How long the parts of a retrieval took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    /// Embedding the query.
    pub embed: Duration,
    /// The vector list.
    pub vector: Duration,
    /// The BM25 list.
    pub text: Duration,
    /// The last call of a reranker; 0 before the first.
    pub rerank: Duration,
    /// The last run of the person's command; 0 before the first.
    pub hook: Duration,
}

impl Timing {
    /// Returns how long retrieval took.
    pub fn total(&self) -> Duration {
        self.embed + self.vector + self.text
    }
}

/// Is a search that was retrieved once and can be ranked any number of times.
#[derive(Clone)]
pub struct Search {
    /// Names it.
    pub id: u32,
    /// The query.
    pub query: String,
    /// What a person should be told.
    pub notices: Vec<String>,
    /// How long retrieval took.
    pub timing: Timing,
    /// Whether the last call was given up because its reranker was still being loaded, which goes on.
    pub is_reranker_loading: bool,
    /// The parameters that the lists were formed by.
    pub(crate) params: Params,
    pub(crate) lists: Arc<Lists>,
    /// The query's embedding, or why there is none.
    pub(crate) vector: Result<Vec<f32>, String>,
    /// Who agreed with whom when it was asked; none before the first pass.
    pub(crate) agreement: Option<Arc<Agreement>>,
    /// The thumbs that it ranks by.
    pub(crate) thumbs: Arc<ThumbCounts>,
    /// What the person keeps from decay.
    pub(crate) marks: Arc<Marks>,
    /// The chunks that were searched, as ascending disjoint ranges of places.
    pub(crate) scope: Vec<Range<u32>>,
    pub(crate) retrieved: Retrieved,
}

impl Search {
    /// Returns the search when these parameters rank its lists.
    ///
    /// # Errors
    /// [`EngineError::OtherLists`] when they ask for lists formed in another way.
    pub fn for_params(&self, params: &Params) -> Result<&Search, EngineError> {
        if self.params.retrieves_as(params) {
            Ok(self)
        } else {
            Err(EngineError::OtherLists { id: self.id })
        }
    }

    /// Puts thumbs and ages on what was retrieved.
    pub(crate) fn take_up_facts(&mut self) {
        self.retrieved.put_thumbs(&self.lists, &self.thumbs);
        self.retrieved.put_ages(&self.lists, &self.marks);
    }

    /// Returns the places of the chunks among those that are shown or sent first whose text is not as it was saved.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub(crate) fn altered(&self, store: &Store, params: &Params) -> Result<Vec<u32>, EngineError> {
        let trace = self.rank(params);
        let first = trace.kept().iter().take(SNIPPETS_AT_ONCE);
        let slots: BTreeSet<u32> = first.copied().chain(self.sent(params)).collect();
        let slots: Vec<u32> = slots.into_iter().collect();
        let texts = self.texts(store, &slots)?;
        let altered = slots.iter().zip(texts);
        let altered = altered.filter(|(_, text)| *text == Err(NoText::Altered));
        Ok(altered
            .map(|(slot, _)| self.retrieved.places[*slot as usize])
            .collect())
    }

    /// Returns the frozen facts.
    pub fn set(&self) -> &CandidateSet {
        &self.retrieved.set
    }

    /// Returns the distinct words of the query.
    pub fn words(&self) -> Vec<view::QueryWord> {
        self.retrieved
            .words
            .iter()
            .map(|word| view::QueryWord {
                typed: word.typed.clone(),
                term: word.term.clone(),
                weight: f64::from(word.weight),
                n_chunks: word.n_chunks,
            })
            .collect()
    }

    /// Returns the generation that was searched.
    pub fn generation(&self) -> u64 {
        self.lists.snapshot.generation
    }

    /// Ranks.
    pub fn rank(&self, params: &Params) -> Trace {
        rank(self.set(), params, &NATIVE)
    }

    /// Ranks and times the stages; the lists count with what their retrieval took.
    pub fn columns(&self, params: &Params) -> Columns {
        self.traced(params).1
    }

    /// Ranks once and returns the trace with its columns.
    pub fn traced(&self, params: &Params) -> (Trace, Columns) {
        let mut micros: Vec<(StageId, f64)> = Vec::with_capacity(NATIVE.stages.len());
        let mut last = Instant::now();
        let trace = rank_observed(self.set(), params, &NATIVE, |stage| {
            let now = Instant::now();
            micros.push((stage, (now - last).as_secs_f64() * 1e6));
            last = now;
        });
        let retrieval = |stage| {
            let took = if stage == StageId::VECTOR {
                self.timing.embed + self.timing.vector
            } else if stage == StageId::BM25 {
                self.timing.text
            } else if stage == StageId::RERANK {
                self.timing.rerank
            } else if stage == StageId::HOOK {
                self.timing.hook
            } else {
                Duration::ZERO
            };
            took.as_secs_f64() * 1e6
        };
        let columns = trace.columns(self.set(), |stage| {
            let traced = trace.stage(stage)?;
            let is_outside = matches!(stage, StageId::RERANK | StageId::HOOK);
            if is_outside && matches!(traced.status, Status::Fallback { .. }) {
                // It did no work that counts, but the person waited for it.
                return Some(retrieval(stage)).filter(|micros| *micros > 0.0);
            }
            let is_applied = !traced.entries.is_empty();
            let pure = micros
                .iter()
                .find(|(id, _)| *id == stage)
                .map(|(_, micros)| micros);
            pure.filter(|_| is_applied)
                .map(|pure| pure + retrieval(stage))
        });
        (trace, columns)
    }

    /// Returns a candidate's chunk and document.
    ///
    /// # Errors
    /// [`EngineError::NoRow`] for a slot beyond the candidates.
    pub fn chunk(&self, slot: u32) -> Result<(&ChunkRow, &DocumentRow), EngineError> {
        let place = self
            .retrieved
            .places
            .get(slot as usize)
            .ok_or(EngineError::NoRow {
                slot,
                n_rows: self.retrieved.places.len(),
            })?;
        let chunk = &self.lists.snapshot.chunks[*place as usize];
        Ok((
            chunk,
            &self.lists.snapshot.documents[chunk.document as usize],
        ))
    }

    pub(crate) fn chunk_id(&self, slot: u32) -> ChunkId {
        self.set().candidates[slot as usize].chunk
    }

    /// Returns every candidate's static facts, by slot.
    ///
    /// # Errors
    /// None in practice; slots are its own.
    pub fn rows(&self) -> Result<Vec<Row>, EngineError> {
        (0..self.retrieved.places.len() as u32)
            .map(|slot| self.row(slot))
            .collect()
    }

    /// Returns a candidate's static facts.
    ///
    /// # Errors
    /// [`EngineError::NoRow`].
    pub fn row(&self, slot: u32) -> Result<Row, EngineError> {
        let (chunk, document) = self.chunk(slot)?;
        let folder = self
            .lists
            .snapshot
            .folders
            .iter()
            .find(|folder| folder.id == document.folder);
        Ok(Row {
            chunk: chunk.id.to_string(),
            folder: document.folder.0.to_string(),
            folder_name: folder.map(|folder| folder.name.clone()).unwrap_or_default(),
            path: document.path.clone(),
            start_line: chunk.start_line,
            end_line: chunk.end_line,
            source: source(chunk, document, folder.map_or("", |folder| &folder.name)),
            heading: chunk.heading.clone(),
            tokens: chunk.tokens,
            cosine: self.set().value(ListId::VECTOR, slot).score,
            bm25: self.set().value(ListId::BM25, slot).score,
            matched: self
                .matched(slot)
                .into_iter()
                .map(|word| word.typed.clone())
                .collect(),
        })
    }

    fn matched(&self, slot: u32) -> Vec<&QueryWord> {
        let retrieved = &self.retrieved;
        retrieved.matched[slot as usize]
            .iter()
            .map(|at| &retrieved.words[usize::from(*at)])
            .collect()
    }

    /// Returns the texts of candidates, in the order asked; a note that was indexed anew since has left none.
    ///
    /// # Errors
    /// [`EngineError::NoRow`], [`EngineError::Store`].
    pub fn texts(
        &self,
        store: &Store,
        slots: &[u32],
    ) -> Result<Vec<Result<String, NoText>>, EngineError> {
        let ids = slots
            .iter()
            .map(|slot| self.chunk(*slot).map(|(chunk, _)| chunk.id))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(store.chunk_texts(ids)?)
    }

    /// Returns the text of a candidate, where there is one, to do something with it.
    ///
    /// # Errors
    /// [`EngineError::NoteChanged`], [`EngineError::NoteAltered`], [`EngineError::NoRow`].
    pub(crate) fn found(
        &self,
        attempt: &'static str,
        slot: u32,
        text: Result<String, NoText>,
    ) -> Result<String, EngineError> {
        let path = &self.chunk(slot)?.1.path;
        found(attempt, path, text)
    }

    /// Returns the best passage of each candidate asked for.
    ///
    /// # Errors
    /// As [`Search::texts`].
    pub fn snippets(&self, store: &Store, slots: &[u32]) -> Result<Vec<Snippet>, EngineError> {
        let texts = self.texts(store, slots)?;
        Ok(slots
            .iter()
            .zip(texts)
            .map(|(slot, text)| {
                let passage = text.map(|text| passage::snippet(&text, &self.retrieved.words));
                let (passage, missing) = told(passage);
                let (text, marks) = passage.unzip();
                Snippet {
                    slot: *slot,
                    text,
                    missing,
                    marks: marks.unwrap_or_default(),
                }
            })
            .collect())
    }

    /// Returns one row through all stages, with its text.
    ///
    /// # Errors
    /// As [`Search::texts`].
    pub fn journey(
        &self,
        store: &Store,
        params: &Params,
        slot: u32,
    ) -> Result<Journey, EngineError> {
        let row = self.row(slot)?;
        let read = self.texts(store, &[slot])?.pop();
        let (text, missing) = told(read.unwrap_or(Err(NoText::Gone)));
        let trace = self.rank(params);
        let core = trace.journey(slot);
        let marks = text.as_deref().map_or_else(Vec::new, |text| {
            passage::utf16(text, &passage::matches(text, &self.retrieved.words))
        });
        let (dropped_by, reason) = core.dropped.unzip();
        let supporters = self.supporters(&trace, slot, params);
        Ok(Journey {
            n_supporters: supporters.len() as u32,
            supporters: supporters.into_iter().take(SUPPORTERS_SHOWN).collect(),
            slot,
            rank: core.rank,
            score: core.score,
            dropped_by,
            reason,
            steps: core.steps,
            bars: core.bars,
            formula: core.formula,
            min_score: params.threshold_on.then_some(params.min_score),
            neighbour: core.neighbour,
            facts: self.facts(slot)?,
            window: self.set().candidates[slot as usize].cosines.window_lines,
            row,
            text,
            missing,
            marks,
        })
    }

    /// Returns who else says what the row's best supported observation says.
    fn supporters(&self, trace: &Trace, slot: u32, params: &Params) -> Vec<Said> {
        let entry = trace
            .stage(StageId::CORROBORATION)
            .and_then(|stage| stage.entries.iter().find(|entry| entry.slot == slot));
        match (entry.map(|entry| &entry.detail), &self.agreement) {
            (
                Some(Detail::Corroboration {
                    observation: Some(observation),
                    ..
                }),
                Some(agreement),
            ) => agreement.supporters(*observation, params),
            (Some(_) | None, _) => Vec::new(),
        }
    }

    fn facts(&self, slot: u32) -> Result<Vec<Fact>, EngineError> {
        let (chunk, document) = self.chunk(slot)?;
        let cosines = self.set().candidates[slot as usize].cosines;
        let mut facts = Vec::new();
        let mut fact = |label: &str, value: String| {
            facts.push(Fact {
                label: label.to_owned(),
                value,
            });
        };
        if let (Some(window), Some((first, last))) = (cosines.window, cosines.window_lines) {
            let lines = if first == last {
                format!("line {first}")
            } else {
                format!("lines {first}–{last}")
            };
            fact(
                "Best window",
                format!("cosine {}, {lines}", memlens_rank::number(window, 3)),
            );
        }
        if let Some(whole) = cosines.whole {
            fact(
                "Whole chunk",
                format!("cosine {}", memlens_rank::number(whole, 3)),
            );
        }
        if !self.retrieved.words.is_empty() {
            let matched: Vec<&str> = self
                .matched(slot)
                .into_iter()
                .map(|word| word.typed.as_str())
                .collect();
            let count = format!("{} of {}", matched.len(), self.retrieved.words.len());
            fact(
                "Words",
                if matched.is_empty() {
                    count
                } else {
                    format!("{count}: {}", matched.join(", "))
                },
            );
        }
        if !chunk.heading.is_empty() {
            fact("Heading", chunk.heading.clone());
        }
        if let Some(date) = &document.date {
            fact("Date", date.clone());
        }
        if !document.tags.is_empty() {
            fact("Tags", document.tags.join(", "));
        }
        Ok(facts)
    }
}

/// Returns the text of a chunk of the note at `path`.
///
/// # Errors
/// [`EngineError::NoteChanged`], [`EngineError::NoteAltered`].
pub(crate) fn found(
    attempt: &'static str,
    path: &str,
    text: Result<String, NoText>,
) -> Result<String, EngineError> {
    let path = path.to_owned();
    text.map_err(|why| match why {
        NoText::Gone => EngineError::NoteChanged { attempt, path },
        NoText::Altered => EngineError::NoteAltered { attempt, path },
    })
}

/// Returns what is read, or why there is nothing, for a person.
fn told<T>(read: Result<T, NoText>) -> (Option<T>, Option<String>) {
    let why = match read {
        Ok(read) => return (Some(read), None),
        Err(NoText::Gone) => "The note has changed since this search.",
        Err(NoText::Altered) => {
            "The library does not hold this text as it was saved; it is read anew at the next start."
        }
    };
    (None, Some(why.to_owned()))
}

/// Returns who says it: the agent of the line or of the note, else the folder that holds the note.
fn source(chunk: &ChunkRow, document: &DocumentRow, folder_name: &str) -> String {
    chunk
        .agent
        .clone()
        .or_else(|| document.agent.clone())
        .unwrap_or_else(|| folder_around(&document.path, folder_name).to_owned())
}

/// Returns the name of the folder that holds a note; the watched folder's where it lies in that itself.
pub(crate) fn folder_around<'a>(path: &'a str, watched: &'a str) -> &'a str {
    path.rsplit('/').nth(1).unwrap_or(watched)
}
