//! The newest questions of the sessions that are being read in a log, which can still be added to.
//!
//! A session without events for long is dropped, and loaded again from the keeper when needed.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use super::{Batch, Keeper, PastKind, PastQuestion, cursor};

/// Number of a session's questions that can still be added to.
const WINDOW: usize = 100;
/// Maximum number of sessions held at a time.
const SESSIONS: usize = 64;

/// A question that can be added to.
pub(super) struct Held {
    pub question: PastQuestion,
    /// Whether it must be passed to the keeper.
    is_changed: bool,
}

/// The sessions of a log while it is read.
pub(super) struct HeldSessions<'k> {
    agent: &'static str,
    keeper: &'k mut dyn Keeper,
    /// Whether the keeper has what the log contained before.
    is_gone_on: bool,
    held: BTreeMap<String, Session>,
    /// Sessions that were held in this reading and were dropped since.
    let_go: HashSet<String>,
    /// Changed questions of dropped sessions.
    leaving: Vec<PastQuestion>,
    /// Openings, which nothing is added to later.
    openings: Vec<PastQuestion>,
    n_changed: usize,
    /// Raised with each access of a session, to find the least recently used one.
    now: u64,
}

struct Session {
    questions: Vec<Held>,
    looked_at: u64,
}

impl<'k> HeldSessions<'k> {
    pub fn new(
        agent: &'static str,
        keeper: &'k mut dyn Keeper,
        is_gone_on: bool,
    ) -> HeldSessions<'k> {
        HeldSessions {
            agent,
            keeper,
            is_gone_on,
            held: BTreeMap::new(),
            let_go: HashSet::new(),
            leaving: Vec::new(),
            openings: Vec::new(),
            n_changed: 0,
            now: 0,
        }
    }

    /// The agent whose sessions they are.
    pub fn agent(&self) -> &'static str {
        self.agent
    }

    /// Approximate number of questions to pass to the keeper; never too low.
    pub fn n_changed(&self) -> usize {
        self.n_changed
    }

    /// A session's questions, the newest last.
    pub fn of(&mut self, session: &str) -> &[Held] {
        &self.session(session).questions
    }

    /// Adds a question as a session's newest.
    pub fn add(&mut self, session: &str, question: PastQuestion) {
        let questions = &mut self.session(session).questions;
        questions.push(Held {
            question,
            is_changed: true,
        });
        let oldest = (questions.len() > WINDOW).then(|| questions.remove(0));
        self.leave(oldest);
        self.n_changed += 1;
    }

    pub fn add_opening(&mut self, opening: PastQuestion) {
        self.openings.push(opening);
        self.n_changed += 1;
    }

    /// Changes the question at a place among those of a session.
    pub fn change(&mut self, session: &str, place: usize, change: impl FnOnce(&mut PastQuestion)) {
        let held = &mut self.session(session).questions[place];
        change(&mut held.question);
        if !std::mem::replace(&mut held.is_changed, true) {
            self.n_changed += 1;
        }
    }

    /// Passes changed questions to the keeper.
    pub fn keep(&mut self, cursor: String, n_bytes: u64) -> ControlFlow<()> {
        let mut questions = std::mem::take(&mut self.leaving);
        let held = self.held.values_mut().flat_map(|it| &mut it.questions);
        for held in held {
            if std::mem::take(&mut held.is_changed) {
                questions.push(held.question.clone());
            }
        }
        questions.append(&mut self.openings);
        self.n_changed = 0;
        self.keeper.keep(Batch {
            questions,
            cursor: cursor::versioned(&cursor),
            n_bytes,
        })
    }

    fn session(&mut self, name: &str) -> &mut Session {
        self.now += 1;
        if !self.held.contains_key(name) {
            self.make_room();
            let questions = self.taken_up(name);
            let session = Session {
                questions,
                looked_at: 0,
            };
            self.held.insert(name.to_owned(), session);
        }
        let session = self.held.get_mut(name).expect("it was taken up");
        session.looked_at = self.now;
        session
    }

    /// Questions known of a session that is not held.
    fn taken_up(&mut self, session: &str) -> Vec<Held> {
        // If a log is read from scratch, earlier questions are not part of it.
        let is_known = self.is_gone_on || self.let_go.contains(session);
        let known = match is_known {
            true => self.keeper.known(self.agent, session),
            false => Vec::new(),
        };
        let held = |question, is_changed| Held {
            question,
            is_changed,
        };
        let searches = known
            .into_iter()
            .filter(|known| known.kind == PastKind::Search);
        let mut questions: Vec<Held> = searches.map(|known| held(known, false)).collect();
        // What is not passed to the keeper yet is newer than what it has.
        let newer = self.leaving.extract_if(.., |it| it.session == session);
        for question in newer {
            let is_it = |known: &&mut Held| known.question.call == question.call;
            match questions.iter_mut().find(is_it) {
                Some(known) => *known = held(question, true),
                None => questions.push(held(question, true)),
            }
        }
        let n_older = questions.len().saturating_sub(WINDOW);
        let older: Vec<Held> = questions.drain(..n_older).collect();
        self.leave(older);
        questions
    }

    /// Drops the least recently used session if there are too many.
    fn make_room(&mut self) {
        if self.held.len() < SESSIONS {
            return;
        }
        let oldest = self.held.iter().min_by_key(|(_, it)| it.looked_at);
        let Some(name) = oldest.map(|(name, _)| name.clone()) else {
            return;
        };
        let session = self.held.remove(&name).expect("it is held");
        self.leave(session.questions);
        self.let_go.insert(name);
    }

    fn leave(&mut self, questions: impl IntoIterator<Item = Held>) {
        let changed = questions.into_iter().filter(|it| it.is_changed);
        self.leaving.extend(changed.map(|it| it.question));
    }
}
