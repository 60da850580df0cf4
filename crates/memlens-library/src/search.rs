//! One search: its candidates with their facts, and the functions that inspect a ranking of them.

pub(crate) mod asking;
pub mod compare;
pub mod copies;
pub(crate) mod facts;
pub mod folded;
pub mod given;
pub(crate) mod in_turn;
pub(crate) mod kept;
pub(crate) mod notices;
pub(crate) mod passage;
pub mod report;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_index::QueryWord;
use memlens_params::{ParameterSet, Params, StageId, TypedSet, Values};
use memlens_rank::{
    AnyPipeline, CandidateSet, ChunkId, Columns, Corroboration, ListId, Status, Trace,
};
use memlens_retrieve::{NoText, Question, Retrieved, Retriever, RowFacts, Within};
use memlens_store::Store;
use memlens_wire::{Disagreement, Emulated, Fact, Journey, Row, Said, Snippet};

use crate::EngineError;
use crate::clustering::drift::between::{RowHeld, disagreements};
use crate::notes::plain_heading::plain_heading;
use crate::search::facts::LibraryFacts;

/// How many snippets of kept rows come with an answer: what a large window shows at once.
pub(crate) const SNIPPETS_AT_ONCE: usize = 60;
/// Number of supporters of a row returned with their texts; the others are counted.
const SUPPORTERS_SHOWN: usize = 50;

/// Durations of the parts of a search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timing {
    /// Time for embedding the question.
    pub embed: Duration,
    /// Time of each retrieval list.
    pub lists: Vec<(ListId, Duration)>,
    /// The last call of a reranker; 0 before the first.
    pub rerank: Duration,
    /// The last run of the user's hook command; 0 before the first.
    pub hook: Duration,
}

impl Timing {
    /// Total time of embedding and retrieval.
    pub fn total(&self) -> Duration {
        self.embed + self.lists.iter().map(|(_, took)| *took).sum::<Duration>()
    }

    /// How long a stage waited for something other than ranking: its list, or an external program.
    fn of(&self, stage: StageId) -> Duration {
        match stage {
            StageId::RERANK => self.rerank,
            StageId::HOOK => self.hook,
            _ => {
                let list = self.lists.iter().find(|(id, _)| id.0 == stage.as_str());
                let took = list.map_or(Duration::ZERO, |(_, took)| *took);
                if stage == StageId::VECTOR {
                    took + self.embed
                } else {
                    took
                }
            }
        }
    }
}

/// A question that was retrieved once and can be ranked any number of times.
///
/// Its results are its own. Only repeated retrieval, as with other parameters of the lists, and texts go to the
/// retriever, which answers as of the same generation.
#[derive(Clone)]
pub struct Search {
    /// Number of the search, for later calls.
    pub id: u32,
    /// The question as it was typed.
    pub query: String,
    /// How closely it matches another program's own search; `None` for Memlens's own pipeline.
    pub emulated: Option<Emulated>,
    /// Notices to show to the user.
    pub notices: Vec<String>,
    /// Durations of embedding, retrieval and reranking.
    pub timing: Timing,
    /// Whether the last call was given up because its reranker is still loading.
    pub is_reranker_loading: bool,
    /// Pipeline that ranks the candidates.
    pub pipeline: &'static dyn AnyPipeline,
    /// Parameters that formed the lists.
    pub params: Values,
    /// Retriever that found the candidates.
    pub retriever: Arc<dyn Retriever>,
    /// Embedding of the question, or the reason why there is none.
    pub vector: Result<Vec<f32>, String>,
    /// Id of the model that embedded the notes; `None` if there are no notes, or it is not known.
    pub model: Option<String>,
    /// Part of the memory that was searched.
    pub within: Within,
    /// Further facts of the library.
    pub(crate) facts: LibraryFacts,
    /// Candidates with their facts, and the words of the question.
    pub retrieved: Retrieved,
}

impl Search {
    /// The search, if these parameters rank its lists.
    ///
    /// # Errors
    /// [`EngineError::OtherLists`] when they ask for lists formed in another way, or are of another pipeline.
    pub fn for_params(&self, params: &impl ParameterSet) -> Result<&Search, EngineError> {
        let is_of_pipeline = std::ptr::eq(params.table(), self.params.table());
        if is_of_pipeline && self.params.retrieves_as(&params.values()) {
            Ok(self)
        } else {
            Err(EngineError::OtherLists { id: self.id })
        }
    }

    /// Pipeline that ranks the candidates.
    pub fn pipeline(&self) -> &'static dyn AnyPipeline {
        self.pipeline
    }

    /// Asks the retriever the same question again, with all facts on what it finds; see [`Question`].
    ///
    /// # Errors
    /// [`EngineError::Index`], [`EngineError::Retrieve`]; [`EngineError::OtherLists`] if they make another memory.
    pub fn ask_again(
        &self,
        params: &Values,
        also: &[ChunkId],
        true_ranks: bool,
    ) -> Result<Retrieved, EngineError> {
        if !self.retriever.answers(params) {
            return Err(EngineError::OtherLists { id: self.id });
        }
        let vector = self.vector.as_deref().map_err(String::as_str);
        let mut retrieved = self.retriever.retrieve(&Question {
            text: &self.query,
            vector,
            params,
            within: &self.within,
            also,
            true_ranks,
        })?;
        self.facts.put_on(&mut retrieved);
        // Answers from external programs apply to the same chunks, however the lists are formed.
        retrieved.set.rerank.clone_from(&self.set().rerank);
        retrieved.set.hook.clone_from(&self.set().hook);
        Ok(retrieved)
    }

    /// Chunks among those that are shown or sent first whose text differs from what was saved.
    ///
    /// # Errors
    /// As [`Search::texts`].
    pub(crate) fn altered(&self, params: &Values) -> Result<Vec<u32>, EngineError> {
        let trace = self.rank(params);
        let first = trace.kept().iter().take(SNIPPETS_AT_ONCE);
        let sent = native(params).map_or_else(Vec::new, |params| self.sent(&params));
        let slots: BTreeSet<u32> = first.copied().chain(sent).collect();
        let slots: Vec<u32> = slots.into_iter().collect();
        let texts = self.texts(&slots)?;
        let altered = slots.into_iter().zip(texts);
        Ok(altered
            .filter(|(_, text)| *text == Err(NoText::Altered))
            .map(|(slot, _)| slot)
            .collect())
    }

    /// The same question with other candidates, retrieved with these values, and without notices.
    #[must_use]
    pub fn with_retrieved(&self, params: Values, retrieved: Retrieved) -> Search {
        Search {
            notices: Vec::new(),
            params,
            retrieved,
            ..self.clone()
        }
    }

    /// Candidates with all facts about them.
    pub fn set(&self) -> &CandidateSet {
        &self.retrieved.set
    }

    /// The distinct words of the question.
    pub fn words(&self) -> Vec<memlens_wire::QueryWord> {
        self.retrieved
            .words
            .iter()
            .map(|word| memlens_wire::QueryWord {
                typed: word.typed.clone(),
                term: word.term.clone(),
                weight: f64::from(word.weight),
                n_chunks: word.n_chunks,
            })
            .collect()
    }

    /// The generation that was searched.
    pub fn generation(&self) -> u64 {
        self.retriever.generation()
    }

    /// Ranks the candidates with these parameters; parameters of another pipeline count as the defaults of its own.
    pub fn rank(&self, params: &impl ParameterSet) -> Trace {
        self.pipeline.rank(self.set(), &params.values())
    }

    /// A ranking as columns, with times; the lists count with the duration of their retrieval.
    pub fn columns(&self, params: &impl ParameterSet) -> Columns {
        self.traced(params).1
    }

    /// One ranking and its columns.
    pub fn traced(&self, params: &impl ParameterSet) -> (Trace, Columns) {
        let mut micros: Vec<(StageId, f64)> = Vec::new();
        let mut last = Instant::now();
        let values = params.values();
        let trace = self
            .pipeline
            .rank_observed(self.set(), &values, &mut |stage| {
                let now = Instant::now();
                micros.push((stage, (now - last).as_secs_f64() * 1e6));
                last = now;
            });
        let retrieval = |stage| self.timing.of(stage).as_secs_f64() * 1e6;
        let columns = trace.columns(self.set(), |stage| {
            let traced = trace.stage(stage)?;
            let is_outside = matches!(stage, StageId::RERANK | StageId::HOOK);
            if is_outside && matches!(traced.status, Status::Fallback { .. }) {
                // The stage did no work itself, but the user waited for it.
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

    /// The facts of a row.
    ///
    /// # Errors
    /// [`EngineError::NoRow`] for a slot beyond the candidates.
    pub fn row_facts(&self, slot: u32) -> Result<&RowFacts, EngineError> {
        let rows = &self.retrieved.rows;
        rows.get(slot as usize).ok_or(EngineError::NoRow {
            slot,
            n_rows: rows.len(),
        })
    }

    /// Id of a row's chunk.
    ///
    /// # Errors
    /// [`EngineError::NoRow`].
    fn chunk(&self, slot: u32) -> Result<ChunkId, EngineError> {
        self.row_facts(slot).map(|_| self.chunk_id(slot))
    }

    /// Id of the chunk in a slot, which must exist.
    pub fn chunk_id(&self, slot: u32) -> ChunkId {
        self.set().candidates[slot as usize].chunk
    }

    /// Slot of a chunk; `None` if it is not a candidate.
    pub fn slot_of(&self, chunk: ChunkId) -> Option<u32> {
        let mut candidates = self.set().candidates.iter();
        let at = candidates.position(|candidate| candidate.chunk == chunk)?;
        Some(at as u32)
    }

    /// Every row as the window shows it, by slot.
    ///
    /// # Errors
    /// None in practice; slots are its own.
    pub fn rows(&self) -> Result<Vec<Row>, EngineError> {
        (0..self.retrieved.rows.len() as u32)
            .map(|slot| self.row(slot))
            .collect()
    }

    /// A row as the window shows it.
    ///
    /// # Errors
    /// [`EngineError::NoRow`].
    pub fn row(&self, slot: u32) -> Result<Row, EngineError> {
        let facts = self.row_facts(slot)?;
        let candidate = &self.set().candidates[slot as usize];
        Ok(Row {
            chunk: candidate.chunk.0.to_string(),
            folder: facts.note.folder.0.to_string(),
            folder_name: facts.note.folder_name.clone(),
            path: facts.note.path.clone(),
            start_line: facts.start_line,
            end_line: facts.end_line,
            source: facts.source.clone(),
            heading: facts.heading.clone(),
            tokens: candidate.tokens,
            cosine: self.set().value(ListId::VECTOR, slot).score,
            bm25: self.set().value(ListId::BM25, slot).score,
            matched: self
                .matched(slot)
                .into_iter()
                .map(|word| word.typed.clone())
                .collect(),
        })
    }

    /// Rows that disagree with each other, as far as the last pass before the question compared notes.
    pub fn disagreements(&self, store: &Store) -> Vec<Disagreement> {
        // Other programs' rows are of their own memory.
        let (Some(clustering), None) = (&self.facts.clustering, &self.emulated) else {
            return Vec::new();
        };
        let candidates = self.set().candidates.iter();
        let rows: Vec<RowHeld> = candidates
            .map(|candidate| RowHeld {
                observations: candidate.observations.clone(),
                bytes: candidate.bytes.clone(),
            })
            .collect();
        disagreements(clustering, store, &rows)
    }

    fn matched(&self, slot: u32) -> Vec<&QueryWord> {
        let retrieved = &self.retrieved;
        retrieved.rows[slot as usize]
            .matched
            .iter()
            .map(|at| &retrieved.words[usize::from(*at)])
            .collect()
    }

    /// Texts of rows, in the order given; a note that was indexed again since has none.
    ///
    /// # Errors
    /// [`EngineError::NoRow`], [`EngineError::Store`], [`EngineError::Retrieve`].
    pub fn texts(&self, slots: &[u32]) -> Result<Vec<Result<String, NoText>>, EngineError> {
        let chunks = slots
            .iter()
            .map(|slot| self.chunk(*slot))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(self.retriever.texts(&chunks)?)
    }

    /// The text of one row.
    ///
    /// # Errors
    /// As [`Search::texts`].
    pub(crate) fn text(&self, slot: u32) -> Result<Result<String, NoText>, EngineError> {
        Ok(self.texts(&[slot])?.pop().unwrap_or(Err(NoText::Gone)))
    }

    /// The text of a row, if there is one, to do something with it.
    ///
    /// # Errors
    /// [`EngineError::NoteChanged`], [`EngineError::NoteAltered`], [`EngineError::NoRow`].
    pub(crate) fn found(
        &self,
        attempt: &'static str,
        slot: u32,
        text: Result<String, NoText>,
    ) -> Result<String, EngineError> {
        found(attempt, &self.row_facts(slot)?.note.path, text)
    }

    /// Best passages of these rows; their notes are not compared with the disk.
    ///
    /// # Errors
    /// As [`Search::texts`].
    pub fn snippets(&self, slots: &[u32]) -> Result<Vec<Snippet>, EngineError> {
        let texts = self.texts(slots)?;
        let starts = slots
            .iter()
            .map(|slot| Ok(self.row_facts(*slot)?.start_line))
            .collect::<Result<Vec<_>, EngineError>>()?;
        Ok(slots
            .iter()
            .zip(starts)
            .zip(texts)
            .map(|((slot, start), text)| {
                let cosines = &self.set().candidates[*slot as usize].cosines;
                let passage = text.map(|text| {
                    let window = cosines.window_lines.map(|(first, last)| {
                        let line = |at: u32| at.saturating_sub(start) as usize;
                        passage::bytes_of_lines(&text, line(first), line(last))
                    });
                    passage::snippet(&text, &self.retrieved.words, window)
                });
                let (passage, missing) = text_or_reason(passage);
                let (text, marks) = passage.unzip();
                Snippet {
                    slot: *slot,
                    text,
                    missing,
                    marks: marks.unwrap_or_default(),
                    on_disk: None,
                }
            })
            .collect())
    }

    /// One row through all stages, with its text.
    ///
    /// # Errors
    /// As [`Search::texts`].
    pub fn journey(&self, params: &impl ParameterSet, slot: u32) -> Result<Journey, EngineError> {
        let row = self.row(slot)?;
        let (text, missing) = text_or_reason(self.text(slot)?);
        let values = params.values();
        let trace = self.rank(&values);
        let native = native(&values);
        let core = trace.journey(slot);
        let marks = text.as_deref().map_or_else(Vec::new, |text| {
            passage::utf16(text, &passage::matches(text, &self.retrieved.words))
        });
        let (dropped_by, reason) = core.dropped.unzip();
        let supporters = native
            .as_ref()
            .map_or_else(Vec::new, |params| self.supporters(&trace, slot, params));
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
            min_score: core.min_score,
            short_by: core.short_by,
            neighbour: core.neighbour,
            facts: self.fact_views(slot)?,
            window: self.set().candidates[slot as usize].cosines.window_lines,
            row,
            text,
            missing,
            marks,
        })
    }

    /// Other observations that say the same as the row's best supported observation.
    fn supporters(&self, trace: &Trace, slot: u32, params: &Params) -> Vec<Said> {
        let entry = trace
            .stage(StageId::CORROBORATION)
            .and_then(|stage| stage.entries.iter().find(|entry| entry.slot == slot));
        let observation = entry
            .and_then(|entry| entry.detail.get())
            .and_then(|reason: &Corroboration| reason.observation);
        match (observation, &self.facts.clustering) {
            (Some(observation), Some(clustering)) => clustering.supporters(observation, params),
            (Some(_) | None, _) => Vec::new(),
        }
    }

    /// How many words of the question a row holds, and which; behind them the identifiers that it holds joined.
    fn words_text(&self, slot: u32) -> String {
        let held = &self.set().candidates[slot as usize].held;
        let (mut words, mut joined) = (Vec::new(), Vec::new());
        for (at, word) in self.matched(slot).into_iter().enumerate() {
            let text = match held.get(at).and_then(|held| held.text()) {
                Some(held) => format!("{} ({held})", word.typed),
                None => word.typed.clone(),
            };
            if word.is_joined {
                joined.push(text);
            } else {
                words.push(text);
            }
        }
        let asked = self.retrieved.words.iter();
        let n_asked = asked.filter(|word| !word.is_joined).count();
        let mut text = format!("{} of {n_asked}", words.len());
        if !words.is_empty() {
            text.push_str(&format!(": {}", words.join(", ")));
        }
        if !joined.is_empty() {
            text.push_str(&format!("; joined: {}", joined.join(", ")));
        }
        text
    }

    fn fact_views(&self, slot: u32) -> Result<Vec<Fact>, EngineError> {
        let row = self.row_facts(slot)?;
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
            fact("Words", self.words_text(slot));
        }
        if !row.heading.is_empty() {
            fact("Heading", plain_heading(&row.heading));
        }
        let thumbs = row
            .text
            .map_or_else(Vec::new, |text| self.facts.thumbs_on(text));
        if !thumbs.is_empty() {
            fact("Thumbs", thumbs.join("; "));
        }
        if let Some(date) = &row.note.date {
            fact("Date", date.clone());
        }
        if !row.note.tags.is_empty() {
            fact("Tags", row.note.tags.join(", "));
        }
        Ok(facts)
    }
}

/// The text of a chunk of the note at `path`.
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

/// The text, or the reason why there is none, for the user.
fn text_or_reason<T>(read: Result<T, NoText>) -> (Option<T>, Option<String>) {
    let why = match read {
        Ok(read) => return (Some(read), None),
        Err(NoText::Gone) => "The note has changed since this search.",
        Err(NoText::Altered) => {
            "The library does not hold this text as it was saved; it is read again at the next start."
        }
    };
    (None, Some(why.to_owned()))
}

/// Parameters of Memlens's own pipeline; `None` for those of another one.
pub fn native(values: &Values) -> Option<Params> {
    std::ptr::eq(values.table(), Params::default().table()).then(|| Params::of(values))
}
