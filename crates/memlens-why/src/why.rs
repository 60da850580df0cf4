//! Why a note is not among the results: the stage and the number that dropped it, or the rule that keeps it out of the
//! library, and the smallest changes that bring it back.

use std::path::Path;
use std::sync::Arc;

use memlens_emulate::Program;
use memlens_evidence::changes::{Trial, n_disturbed};
use memlens_evidence::tuning;
use memlens_ingest::{Verdict, lines_of_problem};
use memlens_library::notes::place::{self, Place};
use memlens_library::search::{Search, copies};
use memlens_library::{EngineError, Library};
use memlens_params::{ParameterSet, StageId, Values};
use memlens_rank::{AnyPipeline, CandidateSet, ChunkId};
use memlens_retrieve::{NoteChunk, Retriever as _};
use memlens_store::{FolderId, Severity, StoredProblem};
use memlens_wire::{ChunkWhy, Fix, Journey, WhyAnswer, WhyNot};
use parking_lot::Mutex;

use crate::cause::Cause;

const FIXES_SHOWN: usize = 3;
/// Maximum number of chunks of a note reported, best first.
const CHUNKS_SHOWN: usize = 20;

/// Parses a place as the user typed it, and explains why it is not among the results.
///
/// `here` is the folder that a relative path may be relative to.
///
/// # Errors
/// As [`Place::parse`] and [`crate::why::why`].
pub fn why_typed(
    library: &Library,
    search: &Search,
    params: &impl ParameterSet,
    typed: &str,
    here: Option<&Path>,
) -> Result<WhyAnswer, EngineError> {
    match Place::parse(&library.lists().snapshot, typed, here)? {
        Some(place) => why(library, search, params, &place, None),
        None => why_unwatched(library, search, params, typed, here),
    }
}

/// Why what is in no watched folder is not among the results.
fn why_unwatched(
    library: &Library,
    search: &Search,
    params: &impl ParameterSet,
    typed: &str,
    here: Option<&Path>,
) -> Result<WhyAnswer, EngineError> {
    let found = place::file(typed, here)
        .and_then(|(path, line)| Some((library.searched_unwatched(&path)?, line)));
    let mut cause = match place::is_there(typed, here) {
        true => Cause::NotWatched,
        false => Cause::Gone,
    };
    if let Some((unwatched, line)) = found {
        let place = Place {
            line,
            ..unwatched.place
        };
        let is_held = |place: &Place| {
            let chunks = search.retriever.chunks_of(place.folder, &place.path);
            search.emulated.is_some() && chunks.is_some()
        };
        if is_held(&place) {
            return why(library, search, params, &place, None);
        }
        cause = Cause::OnlyAgentSearches {
            name: unwatched.agent,
            folder: unwatched.folder,
        };
    }
    let place = Place {
        folder: FolderId(0),
        path: typed.trim().to_owned(),
        line: None,
    };
    Ok(WhyAnswer {
        folder: String::new(),
        ..answer(Outcome::Lost(cause), &place)
    })
}

/// Why a note, or the text at one of its lines, is not among the results of a search.
///
/// Chunks that neither list returned are scored too: the lists are queried again with them, which changes nothing
/// for the others. Changes that bring it back are computed for `chunk`, a chunk's id, or for the best one if that
/// is `None` or not a chunk of the place.
///
/// # Errors
/// [`EngineError::OtherLists`] when the parameters ask for other lists than the search has,
/// [`EngineError::Place`] when the place is a folder, [`EngineError::Index`] and
/// [`EngineError::Store`] when the library cannot be read.
pub fn why(
    library: &Library,
    search: &Search,
    params: &impl ParameterSet,
    place: &Place,
    chunk: Option<&str>,
) -> Result<WhyAnswer, EngineError> {
    search.for_params(params)?;
    let why = why_not(library, search, &params.values(), place, chunk)?;
    Ok(WhyAnswer {
        on_disk: library.on_disk_of(search, place)?,
        ..answer(why, place)
    })
}

fn why_not(
    library: &Library,
    search: &Search,
    params: &Values,
    place: &Place,
    chunk: Option<&str>,
) -> Result<Outcome, EngineError> {
    let Some(all) = search.retriever.chunks_of(place.folder, &place.path) else {
        return not_held(library, search, place).map(Outcome::Lost);
    };
    let is_asked = |it: &&NoteChunk| {
        place
            .line
            .is_none_or(|line| (it.start_line..=it.end_line).contains(&line))
    };
    let chunks: Vec<ChunkId> = all.iter().filter(is_asked).map(|it| it.chunk).collect();
    if chunks.is_empty() {
        let reason = problem(library, place)?;
        return Ok(reason.map_or(Outcome::Other(WhyNot::Empty), |reason| {
            Outcome::Lost(Cause::Unreadable { reason })
        }));
    }
    if !search.within.holds(place.folder, &place.path, &all) {
        return Ok(Outcome::Other(WhyNot::OutOfScope));
    }
    let is_left_out = |chunk: &ChunkId| search.within.without.contains(chunk);
    if chunks.iter().all(is_left_out) {
        return Ok(Outcome::Lost(Cause::Damaged));
    }
    let is_named = |it: &ChunkId| chunk.is_some_and(|id| it.0.to_string() == id);
    let wanted = chunks.iter().copied().find(is_named);
    searched(library, search, params, &chunks, wanted).map(Outcome::Other)
}

/// Why a note is not in the memory that was searched: by the rules of the program that is emulated, if these leave it out;
/// else because it is not in the library.
fn not_held(library: &Library, search: &Search, place: &Place) -> Result<Cause, EngineError> {
    let Some(emulated) = &search.emulated else {
        return not_indexed(library, place);
    };
    let unsearched = library.unsearched_by(search.pipeline, emulated.member.as_deref(), place);
    // What another program skips may well be in the library.
    let is_ours = || {
        let retriever = library.retriever();
        retriever.chunks_of(place.folder, &place.path).is_some()
    };
    if unsearched.is_some() || is_ours() {
        return Ok(Cause::NotSearched {
            agent: agent_of(search.pipeline).map(str::to_owned),
            name: search.pipeline.label().to_owned(),
            unsearched,
        });
    }
    not_indexed(library, place)
}

/// Why a note is not in the library.
pub(crate) fn not_indexed(library: &Library, place: &Place) -> Result<Cause, EngineError> {
    let lists = library.lists();
    let mut folders = lists.snapshot.folders.iter();
    let Some(folder) = folders.find(|folder| folder.id == place.folder) else {
        return Ok(Cause::NotWatched);
    };
    let verdict = memlens_ingest::judge(Path::new(&folder.path), &place.path)?;
    let problem = problem(
        library,
        &Place {
            line: None,
            ..place.clone()
        },
    )?;
    Ok(match (verdict, problem) {
        (Verdict::Gone, _) => Cause::Gone,
        (Verdict::LeftOut { path, reason }, _) => Cause::LeftOut { path, reason },
        (Verdict::Read(_), Some(reason)) => {
            let unread = library.store().why_unread(place.folder, &place.path)?;
            if unread.is_some_and(|unread| unread == reason) {
                Cause::HoldsNothing {
                    path: place.path.clone(),
                    reason,
                }
            } else {
                Cause::Unreadable { reason }
            }
        }
        (Verdict::Read(_), None) => Cause::Waiting {
            // The snapshot is of the note's last change, which may be older than the pause.
            is_paused: library
                .store()
                .folders()?
                .iter()
                .any(|it| it.id == folder.id && it.is_paused),
        },
        (Verdict::Folder, _) => {
            return Err(EngineError::Place {
                typed: place.path.clone(),
                why: "it is a folder; name a note in it".to_owned(),
            });
        }
    })
}

/// The problem of a note, or at a line of it.
pub(crate) fn problem(library: &Library, place: &Place) -> Result<Option<String>, EngineError> {
    let store = library.store();
    let is_at = |problem: &StoredProblem| {
        let lines = problem
            .line
            .map(|line| lines_of_problem(line, &problem.message));
        problem.severity == Severity::Error
            || place
                .line
                .is_some_and(|line| lines.is_some_and(|lines| lines.contains(&line)))
    };
    let of_place =
        |problem: &StoredProblem| problem.folder == place.folder && problem.path == place.path;
    let mut problems = store.problems()?.into_iter();
    let problem = problems.find(|problem| of_place(problem) && is_at(problem));
    match problem {
        Some(problem) => Ok(Some(problem.message)),
        None => Ok(store.why_unread(place.folder, &place.path)?),
    }
}

/// Results of these chunks of a note, and changes that bring back the wanted one, else the best.
fn searched(
    library: &Library,
    search: &Search,
    params: &Values,
    note: &[ChunkId],
    wanted: Option<ChunkId>,
) -> Result<WhyNot, EngineError> {
    let ask = |params: &Values, also: &[ChunkId], true_ranks: bool| {
        let retrieved = search.ask_again(params, also, true_ranks);
        library.note_vectors_read();
        retrieved
    };
    let deep = search.with_retrieved(params.clone(), ask(params, note, true)?);
    let trace = deep.rank(params);
    let order: Vec<u32> = trace
        .kept()
        .iter()
        .copied()
        .chain(trace.dropped().into_iter().map(|(slot, _)| slot))
        .collect();
    let mut best_first: Vec<u32> = order
        .into_iter()
        .filter(|slot| note.contains(&deep.chunk_id(*slot)))
        .collect();
    let n_chunks = best_first.len() as u32;
    let wanted = wanted.map_or_else(|| best_first.first().copied(), |chunk| deep.slot_of(chunk));
    let mut n_before = 0;
    best_first.retain(|slot| {
        n_before += 1;
        n_before <= CHUNKS_SHOWN || Some(*slot) == wanted
    });

    let mut chunks = Vec::with_capacity(best_first.len());
    for slot in best_first {
        let id = deep.chunk_id(slot);
        let journey = deep.journey(params, slot)?;
        let sentence = match copies::kept_out(&deep, &trace, slot) {
            Some(copies) => format!("{}; {copies}", fate(&journey)),
            None => fate(&journey),
        };
        let mut chunk = ChunkWhy {
            kept: journey.rank.is_some(),
            sentence,
            slot: search.slot_of(id),
            journey,
            fixes: None,
            pair: None,
            advice: None,
        };
        if Some(slot) == wanted {
            // Without the other chunks of the note: many would cost time, and they change nothing. Nor does a rank that is
            // deeper than any slider reaches.
            let ask_alone = |values: &Values| {
                let alone = ask(values, &[id], false).ok()?.set;
                let slot = alone.candidates.iter().position(|it| it.chunk == id)?;
                Some((Arc::new(alone), slot as u32))
            };
            let mut answers = Answers::default();
            if note.len() <= CHUNKS_SHOWN {
                let answer = (Arc::new(deep.retrieved.set.clone()), slot);
                answers.0.get_mut().push((params.clone(), Some(answer)));
            }
            let again = |values: &Values| answers.to(values, &ask_alone);
            add_changes(&mut chunk, library, deep.pipeline, params, &again);
        }
        chunks.push(chunk);
    }
    Ok(WhyNot::Searched { chunks, n_chunks })
}

/// Adds the changes that bring a chunk back: single ones, or a pair if no single change does, or advice. `again` answers
/// with the chunk under other parameters.
fn add_changes(
    chunk: &mut ChunkWhy,
    library: &Library,
    pipeline: &'static dyn AnyPipeline,
    params: &Values,
    again: &(dyn Fn(&Values) -> Option<Answer> + Sync),
) {
    let Some((set, slot)) = again(params) else {
        return;
    };
    let trial = Trial {
        pipeline,
        set: &set,
        slot,
        again,
    };
    let mut fixes = trial.fixes(params);
    for fix in &mut fixes {
        fix.price = tuning::price(library, &trial, params, &[fix]);
    }
    // Stable: of changes with equal effect the smallest comes first.
    fixes.sort_by_key(|fix| fix.price.as_ref().map_or(u32::MAX, n_disturbed));
    fixes.truncate(FIXES_SHOWN);
    if fixes.is_empty() && !chunk.kept {
        chunk.pair = trial.pair(params).map(|(first, second)| {
            let price = tuning::price(library, &trial, params, &[&first, &second]);
            (first, Fix { price, ..second })
        });
        chunk.advice = chunk.pair.is_none().then(|| advice(&chunk.journey));
    }
    chunk.fixes = Some(fixes);
}

/// Candidates, and the slot of a chunk among them.
type Answer = (Arc<CandidateSet>, u32);

/// Answers of the lists so far: many changes of parameters form them in the same way.
#[derive(Default)]
struct Answers(Mutex<Vec<(Values, Option<Answer>)>>);

impl Answers {
    /// The answer under some parameters, requested only once; `None` if there is none.
    fn to(&self, values: &Values, ask: &impl Fn(&Values) -> Option<Answer>) -> Option<Answer> {
        let known = |answers: &[(Values, Option<Answer>)]| {
            let mut answers = answers.iter();
            let known = answers.find(|(asked, _)| asked.retrieves_as(values));
            known.map(|(_, answer)| answer.clone())
        };
        if let Some(answer) = known(&self.0.lock()) {
            return answer;
        }
        // Not under the lock: two threads ask for different answers.
        let answer = ask(values);
        self.0.lock().push((values.clone(), answer.clone()));
        answer
    }
}

/// What would help if no parameter does.
fn advice(journey: &Journey) -> String {
    let row = &journey.row;
    if row.matched.is_empty() {
        return "No single change of a parameter brings it back, and it shares no word with what is searched of the question: reword the question with the note’s own words, or write those of the question into the note.".to_owned();
    }
    let is_in_both = row.cosine.is_some() && row.bm25.is_some();
    if is_in_both && journey.dropped_by == Some(StageId::FUSION) {
        return "No single change of a parameter brings it back: it is far from the question by meaning and by words. Reword the question with more of the note’s own words.".to_owned();
    }
    "No single change of a parameter brings it back: reword the question with more of the note’s own words.".to_owned()
}

/// A chunk's rank, or the stage and the number that lost it.
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

/// Id in the catalogue of the program that a pipeline emulates.
fn agent_of(pipeline: &dyn AnyPipeline) -> Option<&'static str> {
    Program::ranked_by(pipeline).map(Program::agent)
}

/// Result for a place in a search.
enum Outcome {
    /// No search can find it.
    Lost(Cause),
    /// It was searched, or has nothing to find.
    Other(WhyNot),
}

fn answer(outcome: Outcome, place: &Place) -> WhyAnswer {
    let (sentence, advice, why) = match outcome {
        Outcome::Lost(cause) => (
            cause.sentence(place),
            Some(cause.advice()),
            WhyNot::from(cause),
        ),
        Outcome::Other(why) => (sentence(&why, place), None, why),
    };
    WhyAnswer {
        folder: place.folder.0.to_string(),
        path: place.path.clone(),
        line: place.line,
        sentence,
        advice,
        why,
        on_disk: None,
        load_cap: None,
    }
}

/// The answer about a place that was searched; empty for causes, which have a sentence of their own.
fn sentence(why: &WhyNot, place: &Place) -> String {
    match why {
        WhyNot::NotWatched
        | WhyNot::Gone
        | WhyNot::LeftOut { .. }
        | WhyNot::Unreadable { .. }
        | WhyNot::Pending { .. }
        | WhyNot::NotHeld { .. } => String::new(),
        WhyNot::Empty => place.line.map_or_else(
            || "It is in the library, but holds nothing to find.".to_owned(),
            |line| format!("It is in the library, but no chunk holds line {line}."),
        ),
        WhyNot::OutOfScope => "It is outside of the part that was searched.".to_owned(),
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
