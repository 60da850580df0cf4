//! Replays all past questions over the current memory.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use memlens_agents::PastQuestion;
use memlens_emulate::{Filling, Program};
use memlens_library::notes::note_names::{NoteNames, agent_name};
use memlens_library::search::Search;
use memlens_library::search::compare::Span;
use memlens_library::{EngineError, Library, Ranking, notes_outside};
use memlens_store::FolderId;
use memlens_wire::{Fate, NoteAnswers, ReplaySummary};
use parking_lot::Mutex;

use super::comparable::why_not;
use super::matching::{Matched, Then, span, then};
use super::own::OwnPipelines;
use super::{Era, Past, PastFilter, Places};
use crate::places::places;
use crate::served;
use crate::vectors::{keep_vector, take_up_vectors};
use crate::worked_out::worked_out;

/// Maximum number of unfound notes that are listed.
const NEVER_FOUND_NAMED: usize = 200;
/// Maximum number of reasons listed why answers cannot be compared.
const REASONS_NAMED: usize = 5;
/// Maximum number of listed notes with most answers.
const ANSWERS_MOST_NAMED: usize = 20;

/// Result of asking past questions again.
pub(crate) struct Replayed {
    pub summary: ReplaySummary,
    /// By the past question's id.
    pub questions: HashMap<i64, ReplayedQuestion>,
}

/// One question of a replay.
pub(crate) struct ReplayedQuestion {
    pub question: String,
    pub at_ms: Option<i64>,
    /// Fates of its results; `None` if the answers cannot be compared.
    pub fates: Option<Vec<Fate>>,
    /// Results of then; empty if the answers cannot be compared.
    pub then: Vec<ReplayedResult>,
}

/// A result of then in a replay.
pub(crate) struct ReplayedResult {
    /// Folder and path of the note; `None` if it is gone.
    pub note: Option<(FolderId, String)>,
    /// Rank then, 1-based, counting results that are one chunk now only once.
    pub was: u32,
    /// Rank of the note now, 1-based; `None` if it is gone.
    pub is: Option<u32>,
}

impl ReplayedQuestion {
    /// Whether its answer is different now.
    pub fn is_changed(&self) -> bool {
        let fates = self.fates.as_deref().unwrap_or_default();
        fates.iter().any(|fate| *fate != Fate::Kept)
    }
}

/// Asks all past questions of a filter again: by one ranking, or each by its agent's own. None where it was stopped.
///
/// A question that cannot be asked is counted and passed over.
///
/// # Errors
/// As [`Library::search_as`], where no question can be asked.
pub fn replay(
    library: &Library,
    filter: &PastFilter,
    by: Option<&Ranking>,
) -> Result<Option<ReplaySummary>, EngineError> {
    let era = worked_out(library).era();
    // Before the questions are read, which takes a moment too.
    let going = library.jobs().replay.begin();
    let past = crate::list(library, filter)?;
    going.expect(past.len());
    let started = Instant::now();
    let asking = Asking {
        library,
        by,
        era,
        own: OwnPipelines::of(library),
        places: places(library)?,
    };
    if let Some(params) = by.and_then(Ranking::params) {
        library.aggregate_for(&params)?;
    }
    take_up_vectors(library, past.iter());
    let tally = Mutex::new(Tally::default());
    let in_turn = Mutex::new(library.in_turn(&past, |past| match by {
        Some(by) => by.is_of_library().then_some(&*past.asked.question),
        None => asking.own.of_library(&past.asked),
    }));
    let next = || in_turn.lock().next().filter(|_| !going.is_stopped());
    let ask = || {
        while let Some(past) = next() {
            let asked = asking.ask(past);
            if going.is_stopped() {
                break;
            }
            tally.lock().add(past.id, asked);
            going.goes_on();
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..n_threads() {
            // Where the system has no thread left, this one does all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, ask);
        }
        ask();
    });
    if going.is_stopped() {
        return Ok(None);
    }
    let mut tally = tally.into_inner();
    if let Some((_, error)) = tally.failed.take_if(|(n, _)| *n as usize == past.len()) {
        return Err(error);
    }
    let questions = std::mem::take(&mut tally.questions);
    let mut summary = summary(library, tally, by, started);
    if by.is_none() {
        summary.notices.extend(asking.own.notices());
    }
    let replayed = Replayed {
        summary: summary.clone(),
        questions,
    };
    worked_out(library).keep_replay(era, replayed);
    Ok(Some(summary))
}

/// Asks a past question again, in parallel to the user's own searches: it is not cached, and calls no reranker.
pub(crate) fn search_past(
    library: &Library,
    past: &Past,
    ranking: &Ranking,
) -> Result<Arc<Search>, EngineError> {
    let part = served::part(library, &past.asked);
    library.search_unfilled(&past.asked.question, ranking, part, past.asker(), false)
}

fn summary(
    library: &Library,
    tally: Tally,
    by: Option<&Ranking>,
    started: Instant,
) -> ReplaySummary {
    let lists = library.lists();
    let snapshot = &lists.snapshot;
    let is_found =
        |folder: FolderId, path: &str| tally.answers.contains_key(&(folder, path.to_owned()));
    let names = NoteNames::of(&snapshot.folders);
    let never_found: Vec<String> = snapshot
        .documents
        .iter()
        .filter(|document| !is_found(document.folder, &document.path))
        .map(|document| names.name(document.folder, &document.path))
        .collect();
    let mut answers_most: Vec<NoteAnswers> = tally
        .answers
        .into_iter()
        .map(|((folder, path), n_questions)| NoteAnswers {
            name: names.name(folder, &path),
            path,
            n_questions,
        })
        .collect();
    answers_most.sort_by(|a, b| (b.n_questions, &a.name).cmp(&(a.n_questions, &b.name)));
    answers_most.truncate(ANSWERS_MOST_NAMED);
    let mut notices = Vec::new();
    if !tally.not_emulated.is_empty() {
        let names: Vec<String> = tally
            .not_emulated
            .iter()
            .map(|id| agent_name(id).name)
            .collect();
        notices.push(format!(
            "{}: not emulated, so Memlens's own ranking was used.",
            names.join(", ")
        ));
    }
    notices.extend(not_compared(&tally.not_compared));
    if let Some((n, error)) = &tally.failed {
        let questions = if *n == 1 { "question" } else { "questions" };
        notices.push(format!("{n} {questions} could not be asked again: {error}"));
    }
    if by.is_some_and(|by| Filling::of(&by.values).is_some()) {
        notices.push("Rerankers are not asked in a replay: this is the order before.".to_owned());
    }
    notices.extend(tally.notices);
    let searched_by: BTreeSet<String> = match by {
        None => tally.agents,
        Some(by) => Program::ranked_by(by.pipeline)
            .map(|program| program.agent().to_owned())
            .into_iter()
            .collect(),
    };
    notices.extend(notes_outside(library, &searched_by));
    ReplaySummary {
        at_ms: memlens_library::clock::now().as_millisecond() as f64,
        took_ms: started.elapsed().as_secs_f64() * 1000.0,
        by: by.map(|ranking| ranking.pipeline.label().to_owned()),
        n_questions: tally.n_questions,
        n_compared: tally.n_compared,
        n_changed: tally.n_changed,
        n_found_nothing: tally.n_found_nothing,
        n_notes: snapshot.documents.len() as u32,
        n_never_found: never_found.len() as u32,
        never_found: never_found.into_iter().take(NEVER_FOUND_NAMED).collect(),
        answers_most,
        notices,
    }
}

/// Number of answers that cannot be compared, one sentence for each of the most frequent reasons.
fn not_compared(reasons: &BTreeMap<String, u32>) -> Vec<String> {
    let mut reasons: Vec<(&String, u32)> = reasons.iter().map(|(why, n)| (why, *n)).collect();
    reasons.sort_by_key(|(why, n)| (Reverse(*n), *why));
    let answers = |n: u32| match n {
        1 => "1 answer".to_owned(),
        n => format!("{n} answers"),
    };
    let n_others = reasons.iter().skip(REASONS_NAMED).map(|(_, n)| n).sum();
    let named = reasons.iter().take(REASONS_NAMED);
    let named = named.map(|(why, n)| format!("{} cannot be compared: {why}.", answers(*n)));
    let others = (n_others > 0).then(|| {
        format!(
            "{} cannot be compared for other reasons.",
            answers(n_others)
        )
    });
    named.chain(others).collect()
}

/// Number of questions asked at once: two, so that the machine stays responsive.
fn n_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(2))
}

/// Common input of all questions.
struct Asking<'a> {
    library: &'a Library,
    by: Option<&'a Ranking>,
    /// Era in which the replay began.
    era: Era,
    own: OwnPipelines<'a>,
    places: Places,
}

/// One question that was asked again.
struct Again {
    replayed: ReplayedQuestion,
    now: Vec<Span>,
    /// Why its answers cannot be compared; `None` if they can.
    not_compared: Option<String>,
    /// The agent, if another ranking had to be used instead of its own.
    not_emulated: Option<String>,
    agent: String,
    /// Notice about an emulated memory: its agent and embedding model. Notices about single questions are left out.
    notice: Option<String>,
}

impl Asking<'_> {
    fn ask(&self, past: &Past) -> Result<Again, EngineError> {
        let ranking = self
            .by
            .cloned()
            .unwrap_or_else(|| self.own.ranking(&past.asked));
        let search = crate::search_past(self.library, past, &ranking)?;
        keep_vector(self.library, &search, self.era);
        let (trace, columns) = search.traced(&ranking.values);
        let now = served::answered(&past.asked, trace.kept(), &columns);
        let now = spans(&search, &now)?;
        let is_stand_in = self.by.is_none()
            && past.asked.served.is_none()
            && self.own.pipeline(&past.asked.agent).is_none();
        let then = then(past, &self.places);
        let not_compared = why_not(past, &then, &ranking, &self.own, &search, &trace);
        let replayed = replayed(past, &then, &now, not_compared.is_none());
        Ok(Again {
            replayed,
            now,
            not_compared,
            not_emulated: is_stand_in.then(|| past.asked.agent.clone()),
            agent: past.asked.agent.clone(),
            notice: search
                .emulated
                .as_ref()
                .and_then(|_| search.notices.first().cloned()),
        })
    }
}

#[derive(Default)]
struct Tally {
    questions: HashMap<i64, ReplayedQuestion>,
    n_questions: u32,
    n_compared: u32,
    n_changed: u32,
    n_found_nothing: u32,
    answers: HashMap<(FolderId, String), u32>,
    not_compared: BTreeMap<String, u32>,
    not_emulated: BTreeSet<String>,
    agents: BTreeSet<String>,
    notices: BTreeSet<String>,
    /// Number of questions that could not be asked, and one of the errors.
    failed: Option<(u32, EngineError)>,
}

impl Tally {
    fn add(&mut self, id: i64, asked: Result<Again, EngineError>) {
        let again = match asked {
            Ok(again) => again,
            Err(error) => {
                let n_before = self.failed.as_ref().map_or(0, |(n, _)| *n);
                self.failed = Some((n_before + 1, error));
                return;
            }
        };
        self.n_questions += 1;
        self.n_compared += u32::from(again.replayed.fates.is_some());
        self.n_changed += u32::from(again.replayed.is_changed());
        self.n_found_nothing += u32::from(again.now.is_empty());
        let notes: HashSet<(FolderId, String)> = again
            .now
            .into_iter()
            .map(|span| (FolderId(span.folder), span.path))
            .collect();
        for note in notes {
            *self.answers.entry(note).or_default() += 1;
        }
        if let Some(why) = again.not_compared {
            *self.not_compared.entry(why).or_default() += 1;
        }
        self.not_emulated.extend(again.not_emulated);
        self.agents.insert(again.agent);
        self.notices.extend(again.notice);
        self.questions.insert(id, again.replayed);
    }
}

/// The results of a question, best first.
pub(crate) fn answered(
    search: &Search,
    asked: &PastQuestion,
    ranking: &Ranking,
) -> Result<Vec<Span>, EngineError> {
    let (trace, columns) = search.traced(&ranking.values);
    spans(search, &served::answered(asked, trace.kept(), &columns))
}

fn spans(search: &Search, slots: &[u32]) -> Result<Vec<Span>, EngineError> {
    let slots = slots.iter();
    slots.map(|slot| span(search, *slot, true)).collect()
}

fn replayed(past: &Past, then: &[Then<'_>], now: &[Span], is_compared: bool) -> ReplayedQuestion {
    let matched = Matched::of(then, now);
    let results = then.iter().enumerate().map(|(at, then)| {
        let note = then.place.as_ref().ok();
        ReplayedResult {
            note: note.map(|place| (place.folder, place.path.clone())),
            was: matched.rank(at),
            is: matched.now[at].map(|is| is as u32 + 1),
        }
    });
    ReplayedQuestion {
        question: past.asked.question.clone(),
        at_ms: past.asked.at_ms,
        fates: is_compared.then(|| matched.fates()),
        then: if is_compared {
            results.collect()
        } else {
            Vec::new()
        },
    }
}
