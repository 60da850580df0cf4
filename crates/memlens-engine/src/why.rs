//! Why a note is not among the results: the stage and the number that lost it, or the rule that
//! keeps it out of the library, and the smallest changes that bring it back.

use std::ops::Range;
use std::path::Path;

use memlens_ingest::Verdict;
use memlens_params::{ParameterSet, Params, StageId, TypedSet, Values};
use memlens_rank::NATIVE;
use memlens_store::{DocumentRow, Severity};
use serde::Serialize;
use specta::Type;

use crate::changes::{Fix, Trial};
use crate::place::Place;
use crate::retrieve::retrieve;
use crate::search::Search;
use crate::view::Journey;
use crate::{EngineError, Library};

/// How many changes are offered.
const FIXES_SHOWN: usize = 3;
/// How many chunks of a note are told of, best first.
const CHUNKS_SHOWN: usize = 20;

/// Tells where a note was lost.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WhyNot {
    /// It is in no watched folder.
    NotWatched,
    /// It is not there.
    Gone,
    /// It is left out of the library by a rule.
    LeftOut {
        /// The file, or the folder around it that the rule names.
        path: String,
        /// The rule.
        reason: String,
    },
    /// It could not be read.
    Unreadable {
        /// Why.
        reason: String,
    },
    /// It waits to be indexed.
    Pending,
    /// It is in the library and holds nothing to find, or nothing at the line asked for.
    Empty,
    /// It lies outside of the part that was searched.
    OutOfScope,
    /// It was searched.
    Searched {
        /// Its chunks, best first, at most 20 and the one asked for; those at the line asked for alone
        /// where one was.
        chunks: Vec<ChunkWhy>,
        /// How many there are.
        n_chunks: u32,
    },
}

/// Tells how one chunk fared.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ChunkWhy {
    /// Whether it is among the results.
    pub kept: bool,
    /// Its rank, or the stage and the number that lost it.
    pub sentence: String,
    /// Its row in the search that was asked about; none where that does not reach so deep.
    pub slot: Option<u32>,
    /// Its way through all stages.
    pub journey: Journey,
    /// At most three changes of one parameter each that bring it back, smallest first; none where
    /// that was not worked out: it is for one chunk, the one asked for or else the best.
    pub fixes: Option<Vec<Fix>>,
    /// Where no single change does it: two that do together.
    pub pair: Option<(Fix, Fix)>,
}

/// Is the answer to "why not this one?".
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct WhyAnswer {
    /// The watched folder's id; empty when the note lies in none.
    pub folder: String,
    /// The note's path in it, or what was typed.
    pub path: String,
    /// The line asked for.
    pub line: Option<u32>,
    /// The answer in a sentence.
    pub sentence: String,
    /// The answer.
    pub why: WhyNot,
}

impl Library {
    /// Reads a place as a person types it, and tells why it is not among the results.
    ///
    /// `here` is the folder that a relative path may be relative to.
    ///
    /// # Errors
    /// As [`Place::parse`] and [`Library::why`].
    pub fn why_typed(
        &self,
        search: &Search,
        params: &Params,
        typed: &str,
        here: Option<&Path>,
    ) -> Result<WhyAnswer, EngineError> {
        match Place::parse(&search.lists.snapshot, typed, here)? {
            Some(place) => self.why(search, params, &place, None),
            None => Ok(WhyAnswer {
                folder: String::new(),
                path: typed.trim().to_owned(),
                line: None,
                sentence: "It lies in no watched folder.".to_owned(),
                why: WhyNot::NotWatched,
            }),
        }
    }

    /// Tells why a note, or what stands at a line of it, is not among the results of a search.
    ///
    /// Chunks beyond both lists are scored too: the lists are asked again with them, which changes
    /// nothing for the others. Changes that bring it back are worked out for `chunk`, a chunk's id,
    /// or for the best one where that is none or not a chunk of the place.
    ///
    /// # Errors
    /// [`EngineError::OtherLists`] when the parameters ask for other lists than the search has,
    /// [`EngineError::Place`] when the place is a folder, [`EngineError::Index`] and
    /// [`EngineError::Store`] when the library cannot be read.
    pub fn why(
        &self,
        search: &Search,
        params: &Params,
        place: &Place,
        chunk: Option<&str>,
    ) -> Result<WhyAnswer, EngineError> {
        search.for_params(params)?;
        let why = self.why_not(search, params, place, chunk)?;
        Ok(WhyAnswer {
            folder: place.folder.0.to_string(),
            path: place.path.clone(),
            line: place.line,
            sentence: sentence(&why, place),
            why,
        })
    }

    fn why_not(
        &self,
        search: &Search,
        params: &Params,
        place: &Place,
        chunk: Option<&str>,
    ) -> Result<WhyNot, EngineError> {
        let snapshot = &search.lists.snapshot;
        let document = snapshot
            .documents
            .iter()
            .find(|document| document.folder == place.folder && document.path == place.path);
        let Some(document) = document else {
            return self.not_indexed(search, place);
        };
        let is_asked = |at: &u32| {
            let chunk = &snapshot.chunks[*at as usize];
            place
                .line
                .is_none_or(|line| (chunk.start_line..=chunk.end_line).contains(&line))
        };
        let chunks: Vec<u32> = document.chunks.clone().filter(is_asked).collect();
        if chunks.is_empty() {
            let reason = self.problem(place)?;
            return Ok(reason.map_or(WhyNot::Empty, |reason| WhyNot::Unreadable { reason }));
        }
        if !is_in_scope(document, &search.scope) {
            return Ok(WhyNot::OutOfScope);
        }
        let wanted = chunks
            .iter()
            .copied()
            .find(|at| chunk.is_some_and(|id| snapshot.chunks[*at as usize].id.to_string() == id));
        searched(self, search, params, &chunks, wanted)
    }

    /// Tells why a note is not in the library.
    fn not_indexed(&self, search: &Search, place: &Place) -> Result<WhyNot, EngineError> {
        let folders = &search.lists.snapshot.folders;
        let Some(folder) = folders.iter().find(|folder| folder.id == place.folder) else {
            return Ok(WhyNot::NotWatched);
        };
        let verdict = memlens_ingest::judge(Path::new(&folder.path), &place.path)?;
        let problem = self.problem(&Place {
            line: None,
            ..place.clone()
        })?;
        Ok(match (verdict, problem) {
            (Verdict::Gone, _) => WhyNot::Gone,
            (Verdict::LeftOut { path, reason }, _) => WhyNot::LeftOut { path, reason },
            (Verdict::Read(_), Some(reason)) => WhyNot::Unreadable { reason },
            (Verdict::Read(_), None) => WhyNot::Pending,
            (Verdict::Folder, _) => {
                return Err(EngineError::Place {
                    typed: place.path.clone(),
                    why: "it is a folder; name a note in it".to_owned(),
                });
            }
        })
    }

    /// Returns what went wrong with a note, or at a line of it.
    fn problem(&self, place: &Place) -> Result<Option<String>, EngineError> {
        let problems = self.store().problems()?;
        Ok(problems
            .into_iter()
            .filter(|problem| problem.folder == place.folder && problem.path == place.path)
            .find(|problem| match place.line {
                Some(_) => problem.line == place.line || problem.severity == Severity::Error,
                None => problem.severity == Severity::Error,
            })
            .map(|problem| problem.message))
    }
}

/// Tells how the chunks at these places fared, and what brings back the wanted one, else the best.
fn searched(
    library: &Library,
    search: &Search,
    params: &Params,
    places: &[u32],
    wanted: Option<u32>,
) -> Result<WhyNot, EngineError> {
    let ask = |params: &Params, also: &[u32]| {
        let vector = search.vector.as_deref().map_err(String::clone);
        let mut retrieved = retrieve(
            &search.lists,
            &search.query,
            vector,
            params,
            &search.scope,
            also,
            search.agreement.as_deref(),
        )?;
        library.note_vectors_read();
        retrieved.put_thumbs(&search.lists, &search.thumbs);
        retrieved.put_ages(&search.lists, &search.marks);
        // What was answered outside holds for the same chunks, however the lists are formed.
        retrieved.set.rerank.clone_from(&search.set().rerank);
        retrieved.set.hook.clone_from(&search.set().hook);
        Ok::<_, EngineError>(retrieved)
    };
    let deep = Search {
        id: search.id,
        query: search.query.clone(),
        notices: Vec::new(),
        timing: search.timing,
        is_reranker_loading: search.is_reranker_loading,
        params: params.clone(),
        lists: search.lists.clone(),
        vector: search.vector.clone(),
        agreement: search.agreement.clone(),
        thumbs: search.thumbs.clone(),
        marks: search.marks.clone(),
        scope: search.scope.clone(),
        retrieved: ask(params, places)?,
    };
    let slot_in = |search: &Search, place: u32| {
        let at = search.retrieved.places.binary_search(&place);
        at.ok().map(|slot| slot as u32)
    };
    let trace = deep.rank(params);
    let order: Vec<u32> = trace
        .kept()
        .iter()
        .copied()
        .chain(trace.dropped().into_iter().map(|(slot, _)| slot))
        .collect();
    let mut best_first: Vec<u32> = order
        .into_iter()
        .filter(|slot| places.contains(&deep.retrieved.places[*slot as usize]))
        .collect();
    let n_chunks = best_first.len() as u32;
    let wanted = wanted.map_or_else(
        || best_first.first().copied(),
        |place| slot_in(&deep, place),
    );
    let mut n_before = 0;
    best_first.retain(|slot| {
        n_before += 1;
        n_before <= CHUNKS_SHOWN || Some(*slot) == wanted
    });

    let mut chunks = Vec::with_capacity(best_first.len());
    for slot in best_first {
        let place = deep.retrieved.places[slot as usize];
        let journey = deep.journey(&library.store(), params, slot)?;
        let mut chunk = ChunkWhy {
            kept: journey.rank.is_some(),
            sentence: fate(&journey),
            slot: slot_in(search, place),
            journey,
            fixes: None,
            pair: None,
        };
        if Some(slot) == wanted {
            // Without the other chunks of the note, which would only cost time.
            let ask_alone = |values: &Values| {
                let alone = ask(&Params::of(values), &[place]).ok()?;
                let slot = alone.places.binary_search(&place).ok()?;
                Some((alone.set, slot as u32))
            };
            let values = params.values();
            if let Some((set, slot)) = ask_alone(&values) {
                let trial = Trial {
                    pipeline: &NATIVE,
                    set: &set,
                    slot,
                    again: &ask_alone,
                };
                let mut fixes = trial.fixes(&values);
                fixes.truncate(FIXES_SHOWN);
                if fixes.is_empty() && !chunk.kept {
                    chunk.pair = trial.pair(&values);
                }
                chunk.fixes = Some(fixes);
            }
        }
        chunks.push(chunk);
    }
    Ok(WhyNot::Searched { chunks, n_chunks })
}

fn is_in_scope(document: &DocumentRow, scope: &[Range<u32>]) -> bool {
    scope
        .iter()
        .any(|range| range.start <= document.chunks.start && document.chunks.end <= range.end)
}

/// Returns a chunk's rank, or the stage and the number that lost it.
fn fate(journey: &Journey) -> String {
    match (journey.rank, journey.dropped_by) {
        (Some(rank), _) => {
            let score = journey.score.map_or_else(String::new, |score| {
                format!(", score {}", memlens_rank::number(score, 3))
            });
            format!("found at rank {rank}{score}")
        }
        (None, Some(StageId::FUSION)) => {
            let lists: Vec<String> = journey
                .steps
                .iter()
                .filter(|step| matches!(step.stage, StageId::VECTOR | StageId::BM25))
                .map(|step| format!("{}: {}", step.label, step.sentence))
                .collect();
            format!("lost before Fusion: {}", lists.join("; "))
        }
        (None, Some(stage)) => {
            let step = journey.steps.iter().find(|step| step.stage == stage);
            format!(
                "lost at {}: {}",
                step.map_or(stage.as_str(), |step| &step.label),
                journey.reason.as_deref().unwrap_or_default()
            )
        }
        (None, None) => "lost before the first stage".to_owned(),
    }
}

fn sentence(why: &WhyNot, place: &Place) -> String {
    match why {
        WhyNot::NotWatched => "It lies in no watched folder.".to_owned(),
        WhyNot::Gone => "Nothing is there by that name.".to_owned(),
        WhyNot::LeftOut { path, reason } if *path == place.path => {
            format!("It is left out of the library: {reason}.")
        }
        WhyNot::LeftOut { path, reason } => {
            format!("It is left out of the library with {path} around it: {reason}.")
        }
        WhyNot::Unreadable { reason } => format!("It could not be read: {reason}."),
        WhyNot::Pending => "It waits to be indexed.".to_owned(),
        WhyNot::Empty => place.line.map_or_else(
            || "It is in the library, but holds nothing to find.".to_owned(),
            |line| format!("It is in the library, but no chunk holds line {line}."),
        ),
        WhyNot::OutOfScope => "It lies outside of the part that was searched.".to_owned(),
        WhyNot::Searched { chunks, n_chunks } => {
            let Some(best) = chunks.first() else {
                return "It holds nothing to find.".to_owned();
            };
            let row = &best.journey.row;
            let lines = if row.start_line == row.end_line {
                format!("line {}", row.start_line)
            } else {
                format!("lines {}–{}", row.start_line, row.end_line)
            };
            let which = if *n_chunks == 1 {
                format!("Its chunk, {lines}, was")
            } else {
                format!("The best of its {n_chunks} chunks, {lines}, was")
            };
            format!("{which} {}.", best.sentence)
        }
    }
}
