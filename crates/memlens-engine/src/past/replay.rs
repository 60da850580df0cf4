//! All past questions over today's memory.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use memlens_store::FolderId;

use super::matching::{Matched, span, then};
use super::own::OwnPipelines;
use super::{Past, PastFilter, Places};
use crate::compare::Span;
use crate::search::Search;
use crate::view::{Fate, NoteAnswers, QuerySetProgress, ReplaySummary};
use crate::{EngineError, Library, Ranking};

/// How many notes that no question found are named.
const NEVER_FOUND_NAMED: usize = 200;
/// How many notes are named that answer most.
const ANSWERS_MOST_NAMED: usize = 20;

/// What a replay came to.
pub(crate) struct Replayed {
    pub summary: ReplaySummary,
    /// By the past question's id.
    pub questions: HashMap<i64, ReplayedQuestion>,
}

/// One question of a replay.
pub(crate) struct ReplayedQuestion {
    /// Its words.
    pub question: String,
    /// When it was asked.
    pub at_ms: Option<i64>,
    /// What became of its results; none where no answer was logged.
    pub fates: Option<Vec<Fate>>,
    /// Its results of then.
    pub then: Vec<ReplayedResult>,
}

/// A result of then in a replay.
pub(crate) struct ReplayedResult {
    /// The note, where it is there.
    pub note: Option<(FolderId, String)>,
    /// Its rank now, 1-based; none where it is gone.
    pub is: Option<u32>,
}

impl ReplayedQuestion {
    /// Whether its answer is another one now.
    pub fn is_changed(&self) -> bool {
        let fates = self.fates.as_deref().unwrap_or_default();
        fates.iter().any(|fate| *fate != Fate::Kept)
    }
}

impl Library {
    /// Asks all past questions of a filter again: by one ranking, or each by its agent's own. None where it was stopped.
    ///
    /// # Errors
    /// As [`Library::search_as`].
    pub fn replay_past(
        &self,
        filter: &PastFilter,
        by: Option<&Ranking>,
    ) -> Result<Option<ReplaySummary>, EngineError> {
        let past = self.past(filter)?;
        let going = self.replay_run.begin(past.len());
        let started = Instant::now();
        let own = OwnPipelines::of(self);
        let places = Places::of(self.lists());
        if let Some(params) = by.and_then(Ranking::params) {
            self.aggregate_for(&params)?;
        }
        self.take_up_vectors(&past);
        let mut tally = Tally::default();
        let mut questions = HashMap::with_capacity(past.len());
        for past in &past {
            let ranking = by.cloned().unwrap_or_else(|| own.ranking(&past.asked));
            if by.is_none() && own.pipeline(&past.asked.agent).is_none() {
                tally.not_emulated.insert(past.asked.agent.clone());
            }
            let search = self.search_past(past, &ranking)?;
            self.keep_vector(&search);
            let now = kept(&search, &ranking)?;
            if going.is_stopped() {
                return Ok(None);
            }
            let replayed = replayed(past, &places, &now);
            tally.add(&search, &replayed, &now);
            questions.insert(past.id, replayed);
            if !going.goes_on() {
                return Ok(None);
            }
        }
        let summary = self.summary(tally, by, started);
        *self.replayed.lock() = Some(Arc::new(Replayed {
            summary: summary.clone(),
            questions,
        }));
        Ok(Some(summary))
    }

    /// How far a replay is; none while none goes on.
    pub fn replay_progress(&self) -> Option<QuerySetProgress> {
        self.replay_run.progress()
    }

    /// Stops a replay, and what it waits for.
    pub fn stop_replay(&self) {
        self.replay_run.stop();
        self.stop_emulation();
    }

    /// The last replay; none before one.
    pub(crate) fn last_replay(&self) -> Option<Arc<Replayed>> {
        self.replayed.lock().clone()
    }

    /// Asks a past question again. Nothing outside of this machine is asked.
    pub(crate) fn search_past(
        &self,
        past: &Past,
        ranking: &Ranking,
    ) -> Result<Arc<Search>, EngineError> {
        self.search_as(
            &past.asked.question,
            ranking,
            self.part_asked(&past.asked.agent),
        )
    }

    fn summary(&self, tally: Tally, by: Option<&Ranking>, started: Instant) -> ReplaySummary {
        let lists = self.lists();
        let snapshot = &lists.snapshot;
        let is_found =
            |folder: FolderId, path: &str| tally.answers.contains_key(&(folder, path.to_owned()));
        let never_found: Vec<String> = snapshot
            .documents
            .iter()
            .filter(|document| !is_found(document.folder, &document.path))
            .map(|document| document.path.clone())
            .collect();
        let mut answers_most: Vec<NoteAnswers> = tally
            .answers
            .into_iter()
            .map(|((_, path), n_questions)| NoteAnswers { path, n_questions })
            .collect();
        answers_most.sort_by(|a, b| (b.n_questions, &a.path).cmp(&(a.n_questions, &b.path)));
        answers_most.truncate(ANSWERS_MOST_NAMED);
        let mut not_emulated: Vec<String> = tally.not_emulated.into_iter().collect();
        not_emulated.sort();
        let mut notices = Vec::new();
        if !not_emulated.is_empty() {
            notices.push(format!(
                "{}: not emulated, so Memlens's own ranking stands in.",
                not_emulated.join(", ")
            ));
        }
        let mut told: Vec<String> = tally.notices.into_iter().collect();
        told.sort();
        notices.extend(told);
        ReplaySummary {
            at_ms: Timestamp::now().as_millisecond() as f64,
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
}

/// What is counted over all questions.
#[derive(Default)]
struct Tally {
    n_questions: u32,
    n_compared: u32,
    n_changed: u32,
    n_found_nothing: u32,
    answers: HashMap<(FolderId, String), u32>,
    not_emulated: HashSet<String>,
    notices: HashSet<String>,
}

impl Tally {
    fn add(&mut self, search: &Search, replayed: &ReplayedQuestion, now: &[Span]) {
        self.n_questions += 1;
        self.n_compared += u32::from(replayed.fates.is_some());
        self.n_changed += u32::from(replayed.is_changed());
        self.n_found_nothing += u32::from(now.is_empty());
        let notes: HashSet<(FolderId, &str)> = now
            .iter()
            .map(|span| (FolderId(span.folder), span.path.as_str()))
            .collect();
        for (folder, path) in notes {
            *self.answers.entry((folder, path.to_owned())).or_default() += 1;
        }
        // Of a memory that is emulated: whose, and by which model. What is said of one question is not.
        if search.emulated.is_some() {
            self.notices.extend(search.notices.first().cloned());
        }
    }
}

/// The results of a search, best first.
pub(crate) fn kept(search: &Search, ranking: &Ranking) -> Result<Vec<Span>, EngineError> {
    let trace = search.rank(&ranking.values);
    let slots = trace.kept().iter();
    slots.map(|slot| span(search, *slot, true)).collect()
}

fn replayed(past: &Past, places: &Places, now: &[Span]) -> ReplayedQuestion {
    let then = then(&past.asked, places);
    let matched = Matched::of(&then, now);
    let results = then.iter().zip(&matched.now).map(|(then, is)| {
        let note = then.place.as_ref();
        ReplayedResult {
            note: note.map(|place| (place.folder, place.path.clone())),
            is: is.map(|is| is as u32 + 1),
        }
    });
    ReplayedQuestion {
        question: past.asked.question.clone(),
        at_ms: past.asked.at_ms,
        fates: past.asked.returned.is_some().then(|| matched.fates()),
        then: results.collect(),
    }
}
