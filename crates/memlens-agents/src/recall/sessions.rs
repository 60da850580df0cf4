//! Assembles questions from the calls in a log, by session.
//!
//! An answer belongs to the call that it names. An opened note belongs to the newest question of its session that
//! returned it, or else to the newest one that is not long past; a cited note belongs to the newest one.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::among::{self, Among};
use super::happening::{Answer, Call, Shape};
use super::held::{Held, HeldSessions};
use super::results::{self, Outcome, Shown};
use super::{Keeper, PastKind, PastQuestion, Returned, Used, secrets, text_line};

/// Number of the newest calls that wait for answers: more than agents have at a time, few enough to search in each
/// line.
const PENDING: usize = 128;
/// Number of questions in a batch.
const BATCH: usize = 256;
/// What is opened later than this after a question that did not return it has nothing to do with it.
const OPENED_WITHIN_MS: u64 = 10 * 60_000;
/// A second event of one search comes this soon.
const DUPLICATE_WITHIN_MS: u64 = 1000;
/// So much is kept of one question.
const QUESTION_CHARS: usize = 8_000;
const USED: usize = 200;
const SETTING_BYTES: usize = 2000;
const PATH_BYTES: usize = 4096;

/// A call that waits for its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Pending {
    session: String,
    /// As the log names it.
    id: String,
    what: Awaited,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Awaited {
    /// The results of the question that is known by `call`.
    Results { call: String, answer: Shape },
    /// Whether these could be opened.
    Opening(Vec<Used>),
    /// Which of these were opened.
    OpeningAmong(Vec<Among>),
}

/// The sessions of a log while it is read.
pub(super) struct Sessions<'k> {
    held: HeldSessions<'k>,
    pending: Vec<Pending>,
    n_questions: u64,
}

impl<'k> Sessions<'k> {
    /// Sessions of an agent's log; `is_gone_on` says whether the keeper has what the log contained before.
    pub fn new(
        agent: &'static str,
        keeper: &'k mut dyn Keeper,
        is_gone_on: bool,
        pending: Vec<Pending>,
    ) -> Sessions<'k> {
        Sessions {
            held: HeldSessions::new(agent, keeper, is_gone_on),
            pending,
            n_questions: 0,
        }
    }

    /// Calls that wait for their answers.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    pub fn n_questions(&self) -> u64 {
        self.n_questions
    }

    /// Whether so much changed that it should be kept.
    pub fn are_many(&self) -> bool {
        self.held.n_changed() >= BATCH
    }

    /// Whether a line names a call that waits for its answer.
    pub fn waits_for(&self, line: &[u8]) -> bool {
        let mut ids = self.pending.iter().map(|pending| pending.id.as_bytes());
        ids.any(|id| memchr::memmem::find(line, id).is_some())
    }

    /// Memory was asked for something by one call, or for a few things. `id` is the call's name in the log, `place` the line's.
    pub fn called(
        &mut self,
        session: &str,
        id: &str,
        place: u64,
        at_ms: Option<i64>,
        calls: Vec<Call>,
    ) {
        if calls.is_empty() {
            return;
        }
        self.pending
            .retain(|known| known.id != id || known.session != session);
        for call in calls {
            self.one_called(session, id, place, at_ms, call);
        }
    }

    fn one_called(&mut self, session: &str, id: &str, place: u64, at_ms: Option<i64>, call: Call) {
        let what = match call {
            Call::Open(opened) => {
                Awaited::Opening(opened.into_iter().map(without_secrets).collect())
            }
            Call::OpenAmong(among) => Awaited::OpeningAmong(among),
            Call::Search {
                question,
                mut settings,
                answer,
                is_pattern,
            } => {
                let question = words_of(&question);
                if question.is_empty() {
                    return;
                }
                settings.retain(|_, value| value.to_string().len() <= SETTING_BYTES);
                for (name, value) in &mut settings {
                    secrets::blanked_field(name, value);
                }
                let asked = PastQuestion {
                    agent: self.held.agent().to_owned(),
                    session: session.to_owned(),
                    call: id.to_owned(),
                    at_ms,
                    question,
                    is_pattern,
                    settings,
                    ..PastQuestion::default()
                };
                let call = self.asked(session, place, asked);
                Awaited::Results { call, answer }
            }
        };
        if id.is_empty() {
            return;
        }
        if self.pending.len() == PENDING {
            self.pending.remove(0);
        }
        self.pending.push(Pending {
            session: session.to_owned(),
            id: id.to_owned(),
            what,
        });
    }

    /// A call was answered; one that is not known is not memory's.
    pub fn answered(&mut self, session: &str, id: &str, answer: &Answer<'_>) {
        let is_it = |pending: &mut Pending| pending.id == id && pending.session == session;
        let answered: Vec<Pending> = self.pending.extract_if(.., is_it).collect();
        for pending in answered {
            self.one_answered(session, pending, answer);
        }
    }

    /// A call that another call made was answered: what the model called is named `parent`, the call itself `own`.
    ///
    /// If the parent's arguments named the inner call, it is known by the parent's name already, and this is its answer.
    pub fn nested(
        &mut self,
        session: &str,
        (parent, own): (&str, &str),
        place: u64,
        at_ms: Option<i64>,
        calls: Vec<Call>,
        answer: &Answer<'_>,
    ) {
        let waits = |it: &&Pending| it.id == parent && it.session == session;
        if let Some(pending) = self.pending.iter().find(waits) {
            // A long answer is left out here, and is in the parent's.
            let is_answer = match &pending.what {
                Awaited::Results { answer: shape, .. } => {
                    results::outcome(shape, answer) != Outcome::Unknown
                }
                Awaited::Opening(_) | Awaited::OpeningAmong(_) => true,
            };
            if is_answer {
                self.answered(session, parent, answer);
            }
            return;
        }
        let held = self.held.of(session);
        let is_answered = held.iter().any(|held| held.question.call == parent);
        if !is_answered {
            self.called(session, own, place, at_ms, calls);
            self.answered(session, own, answer);
        }
    }

    fn one_answered(&mut self, session: &str, pending: Pending, answer: &Answer<'_>) {
        match pending.what {
            Awaited::Opening(opened) => {
                let opened = shown(opened, &results::shown(answer));
                self.record_opening(session, &pending.id, &opened);
                for used in opened {
                    self.opened(session, used);
                }
            }
            Awaited::OpeningAmong(among) => {
                if results::shown(answer) == Shown::Nothing {
                    return;
                }
                let output = results::printed(answer);
                let opened = among.iter().flat_map(|one| among::opened(one, &output));
                let opened: Vec<Used> = opened.map(without_secrets).collect();
                self.record_opening(session, &pending.id, &opened);
                for used in opened {
                    self.opened(session, used);
                }
            }
            Awaited::Results {
                call,
                answer: shape,
            } => {
                let outcome = results::outcome(&shape, answer);
                if matches!(outcome, Outcome::Unknown) {
                    return;
                }
                let is_it = |held: &Held| held.question.call == call;
                let Some(place) = self.held.of(session).iter().rposition(is_it) else {
                    return;
                };
                self.held.change(session, place, |question| match outcome {
                    Outcome::Returned(returned) => {
                        question.returned = Some(without_secrets_in(returned));
                        question.has_failed = false;
                    }
                    Outcome::Failed => question.has_failed = question.returned.is_none(),
                    Outcome::Unknown => {}
                });
            }
        }
    }

    /// Adds results to a session's newest question if the log immediately repeats that question. Returns whether it
    /// does.
    pub fn returned_more(
        &mut self,
        session: &str,
        question: &str,
        at_ms: Option<i64>,
        answer: &Answer<'_>,
    ) -> bool {
        let words = words_of(question);
        let held = self.held.of(session);
        let Some(newest) = held.last().map(|held| &held.question) else {
            return false;
        };
        let is_at_once = match (newest.at_ms, at_ms) {
            (Some(asked), Some(at)) => asked.abs_diff(at) <= DUPLICATE_WITHIN_MS,
            _ => false,
        };
        if !is_at_once || newest.question != words {
            return false;
        }
        let place = held.len() - 1;
        let more = match results::outcome(&Shape::Results, answer) {
            Outcome::Returned(more) => without_secrets_in(more),
            Outcome::Failed | Outcome::Unknown => Vec::new(),
        };
        self.held.change(session, place, |question| {
            let returned = question.returned.get_or_insert_default();
            for result in more {
                if !returned.contains(&result) {
                    returned.push(result);
                }
            }
            let score = |result: &Returned| result.score.unwrap_or_default();
            returned.sort_by(|one, other| score(other).total_cmp(&score(one)));
        });
        true
    }

    /// Records notes that the agent's answer to the user cited.
    pub fn cited(&mut self, session: &str, cited: Vec<Used>) {
        if cited.is_empty() {
            return;
        }
        let Some(newest) = self.held.of(session).len().checked_sub(1) else {
            return;
        };
        self.held.change(session, newest, |question| {
            for used in cited.into_iter().map(without_secrets) {
                // Some logs report an answer twice, at two times.
                let is_it = |known: &Used| (&known.path, known.lines) == (&used.path, used.lines);
                if !question.cited.iter().any(is_it) {
                    add(&mut question.cited, used);
                }
            }
        });
    }

    /// Hands what changed to the keeper.
    pub fn keep(&mut self, cursor: String, n_bytes: u64) -> ControlFlow<()> {
        self.held.keep(cursor, n_bytes)
    }

    /// Takes up a question and returns what it is known by: its id; if it has none, or another question has that, also by
    /// what it asked and when.
    fn asked(&mut self, session: &str, place: u64, mut asked: PastQuestion) -> String {
        let is_same =
            |known: &PastQuestion| known.question == asked.question && known.at_ms == asked.at_ms;
        let held = self.held.of(session);
        if asked.call.is_empty() {
            asked.call = mark_of(&asked, place);
        } else if let Some(known) = held.iter().find(|it| it.question.call == asked.call) {
            // Some logs repeat a call when it is answered.
            if is_same(&known.question) {
                return asked.call;
            }
            asked.call += &mark_of(&asked, place);
        }
        let call = asked.call.clone();
        if !held.iter().any(|it| it.question.call == call) {
            self.held.add(session, asked);
            self.n_questions += 1;
        }
        call
    }

    /// Records what a call opened as an entry of its own.
    fn record_opening(&mut self, session: &str, id: &str, opened: &[Used]) {
        let mut opening = PastQuestion {
            kind: PastKind::Opening,
            agent: self.held.agent().to_owned(),
            session: session.to_owned(),
            call: opening_name(id, opened),
            at_ms: opened.first().and_then(|used| used.at_ms),
            ..PastQuestion::default()
        };
        for used in opened {
            add(&mut opening.opened, used.clone());
        }
        if !opening.opened.is_empty() {
            self.held.add_opening(opening);
        }
    }

    fn opened(&mut self, session: &str, used: Used) {
        let held = self.held.of(session);
        let has_returned = |held: &Held| held.question.has_returned(&used.path);
        let newest = held.len().checked_sub(1);
        let near = newest.filter(|newest| held[*newest].question.is_near(used.at_ms));
        if let Some(place) = held.iter().rposition(has_returned).or(near) {
            let change = |question: &mut PastQuestion| add(&mut question.opened, used);
            self.held.change(session, place, change);
        }
    }
}

impl PastQuestion {
    fn has_returned(&self, path: &str) -> bool {
        let mut returned = self.returned.iter().flatten();
        returned.any(|it| is_same_note(&it.path, path))
    }

    /// Whether something happened soon after it; a clock may have jumped back meanwhile.
    fn is_near(&self, at_ms: Option<i64>) -> bool {
        match (self.at_ms, at_ms) {
            (Some(asked), Some(at)) => asked.abs_diff(at) <= OPENED_WITHIN_MS,
            _ => true,
        }
    }
}

/// Identity of a question in its session if its call has no id. The position in the log is used only without a time:
/// two files may report one session, and the text before it may be cut off.
fn mark_of(asked: &PastQuestion, place: u64) -> String {
    let Some(at_ms) = asked.at_ms else {
        return format!("@{place}");
    };
    let hash = blake3::hash(format!("{at_ms} {}", asked.question).as_bytes());
    format!("@{}", &hash.to_hex()[..16])
}

/// The name of an opening within its session. A call may search and open, and some agents use an id again.
fn opening_name(id: &str, opened: &[Used]) -> String {
    let mut hasher = blake3::Hasher::new();
    for used in opened {
        hasher.update(format!("{} {:?} {:?}\n", used.path, used.lines, used.at_ms).as_bytes());
    }
    format!("open:{id}:{}", &hasher.finalize().to_hex()[..16])
}

/// Whether two names are of one note: tools name it from different folders.
fn is_same_note(one: &str, other: &str) -> bool {
    // basic-memory names a note as `memory://garden/pond`, and with and without the end of its file's name.
    let (one, other) = (bare_name(one), bare_name(other));
    let ends_with = |whole: &str, end: &str| {
        let rest = whole.strip_suffix(end);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.ends_with(['/', '\\']) || end.starts_with('/')
        })
    };
    !one.is_empty() && !other.is_empty() && (ends_with(one, other) || ends_with(other, one))
}

fn bare_name(name: &str) -> &str {
    let name = name.split_once("://").map_or(name, |(_, path)| path);
    name.strip_suffix(".md").unwrap_or(name)
}

/// The words of a question that are kept.
pub(super) fn words_of(question: &str) -> String {
    // Cut last: a secret that is cut through looks like none.
    let question = secrets::blanked(question.trim());
    question.chars().take(QUESTION_CHARS).collect()
}

/// What of the notes of a call was shown.
fn shown(opened: Vec<Used>, shown: &Shown) -> Vec<Used> {
    let is_one = opened.len() == 1;
    let of_note = |used: Used| match shown {
        Shown::Lines(first, last) if is_one => Used {
            lines: Some((*first, *last)),
            is_part: false,
            ..used
        },
        Shown::Whole if is_one => Used {
            lines: None,
            is_part: false,
            ..used
        },
        Shown::Part => Used {
            lines: None,
            is_part: true,
            ..used
        },
        Shown::Nothing | Shown::AsAsked | Shown::Whole | Shown::Lines(..) => used,
    };
    if *shown == Shown::Nothing {
        return Vec::new();
    }
    opened.into_iter().map(of_note).collect()
}

fn without_secrets_in(mut returned: Vec<Returned>) -> Vec<Returned> {
    returned.retain(|result| result.path.len() <= PATH_BYTES);
    for result in &mut returned {
        result.path = secrets::blanked(&result.path).into_owned();
    }
    text_line::shorten(&mut returned);
    returned
}

fn without_secrets(used: Used) -> Used {
    Used {
        path: secrets::blanked(&used.path).into_owned(),
        ..used
    }
}

/// Adds a note once, because some logs repeat a call when it is answered.
fn add(to: &mut Vec<Used>, used: Used) {
    if to.len() < USED && used.path.len() <= PATH_BYTES && !to.contains(&used) {
        to.push(used);
    }
}
