//! Was the fact among what the agent received (loaded, returned or opened), and did it use it?

use std::collections::BTreeSet;
use std::path::PathBuf;

use memlens_agents::{Returned, Used, line_hash};
use memlens_files::System;
use memlens_past::places::NoPlace;
use memlens_past::{Past, Places};
use memlens_wire::{AutopsyStep, StepOutcome, StepProof};

use super::fact::Found;
use super::words::{OWN_WORDS, content_words, moment};
use super::written::saved_ms;
use super::{Case, asked_then, owner, step as proof};

/// Number of questions that are listed.
const N_QUESTIONS_SHOWN: usize = 20;
/// Why a log without an opening or a citation does not show that a line was not used.
const OWN_ANSWERS: &str = "What it answers in its own words is not read.";

/// An answer that contained the fact's line.
struct By<'a> {
    past: &'a Past,
    /// The 1-based rank in the answer.
    rank: usize,
    /// The place of the line by which it was returned.
    name: Name<'a>,
}

/// An answer that contained the note, and is not known to have contained the line.
struct Beside<'a> {
    past: &'a Past,
    rank: usize,
    /// How the answer named the note, if that is not its name now.
    other_name: Option<&'a str>,
    /// First and last line that it contained; `None` if the log has no lines.
    lines: Option<(u32, u32)>,
    /// Why the line may have been in it; `None` if it was not.
    doubt: Option<Doubt>,
}

/// Why a log does not say whether a line was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// The note was changed since, or the time of either is not known.
    Changed,
    /// The log has neither lines nor text.
    NoText,
    /// The lines include it, and the text in the log does not contain it as one line.
    OtherText,
    /// The answer named a note that does not exist now and had the same file name.
    OtherNote(NoPlace),
}

/// Whether an answer contained a line.
enum Shown {
    Yes,
    No,
    Unknown(Doubt),
}

/// What the agent received of a fact's line.
pub(super) struct Given<'a> {
    /// Whether it loads the line at the start of every session.
    is_loaded: bool,
    /// Whether it may have loaded the line at the start of the session.
    may_be_loaded: bool,
    by: Vec<By<'a>>,
    beside: Option<Beside<'a>>,
    /// The questions after which it was opened or cited, each with how.
    used: Vec<(&'a Past, &'static str)>,
    /// The first question after which the note was opened or cited and may have contained the line, with how.
    may_be_used: Option<(&'a Past, &'static str)>,
    /// The calls that opened the note, each with whether the line was shown; `None` if the log does not say.
    opened: Vec<(&'a Past, Option<bool>)>,
    n_answers: usize,
}

impl<'a> Given<'a> {
    pub fn of(
        case: &'a Case<'_>,
        found: &Found,
        places: &Places,
        former: &[PathBuf],
        is_loaded: bool,
        is_written: bool,
    ) -> Given<'a> {
        let named = Named::of(case, found, places, former, is_written);
        let mut given = Given {
            is_loaded,
            may_be_loaded: false,
            by: Vec::new(),
            beside: None,
            used: Vec::new(),
            may_be_used: None,
            opened: Vec::new(),
            n_answers: 0,
        };
        for past in &case.asked.questions {
            given.take_answer(&named, past);
            given.take_use(&named, past);
        }
        for past in &case.asked.openings {
            given.take_opening(&named, past);
        }
        given
    }

    /// Adds what the answer to a question contained.
    fn take_answer(&mut self, named: &Named<'_>, past: &'a Past) {
        self.n_answers += usize::from(past.asked.returned.is_some());
        let returned = past.asked.returned.iter().flatten();
        for (rank, result) in (1..).zip(returned) {
            // As from `rg -l`: the agent did not see the text.
            if result.is_name_only {
                continue;
            }
            let name = match named.is_it(past, &result.path) {
                Some(name) => name,
                None if named.is_held_by(result) => named.other_name(past, &result.path),
                None => continue,
            };
            let doubt = match named.shown(past, result, &name) {
                Shown::Yes => {
                    if self.by.last().is_none_or(|by| by.past.id != past.id) {
                        self.by.push(By { past, rank, name });
                    }
                    continue;
                }
                Shown::No => None,
                Shown::Unknown(doubt) => Some(doubt),
            };
            let is_first = |beside: &Beside<'_>| doubt.is_some() && beside.doubt.is_none();
            if self.beside.as_ref().is_none_or(is_first) {
                self.beside = Some(Beside {
                    past,
                    rank,
                    other_name: name.other(),
                    lines: result.lines,
                    doubt,
                });
            }
        }
    }

    /// Adds how the note was used after a question: cited, else opened.
    fn take_use(&mut self, named: &Named<'_>, past: &'a Past) {
        let holds = |all: &'a [Used], expected: Option<bool>| {
            let mut shown = all.iter().filter_map(|used| named.shown_by(past, used));
            shown.any(|shown| shown == expected)
        };
        let how = |expected: Option<bool>| {
            let cited = holds(&past.asked.cited, expected).then_some("cited");
            cited.or_else(|| holds(&past.asked.opened, expected).then_some("opened"))
        };
        if let Some(how) = how(Some(true)) {
            self.used.push((past, how));
        } else if self.may_be_used.is_none() {
            self.may_be_used = how(None).map(|how| (past, how));
        }
    }

    /// Adds a call that opened notes, if it opened this one.
    fn take_opening(&mut self, named: &Named<'_>, past: &'a Past) {
        let opened = past.asked.opened.iter();
        let shown: Vec<Option<bool>> = opened
            .filter_map(|used| named.shown_by(past, used))
            .collect();
        if shown.contains(&Some(true)) {
            self.opened.push((past, Some(true)));
        } else if let Some(first) = shown.first() {
            let is_open = shown.contains(&None);
            self.opened
                .push((past, if is_open { None } else { *first }));
        }
    }

    /// With whether the agent may have loaded the line at the start of the session.
    pub fn or_perhaps_loaded(self, may_be_loaded: bool) -> Given<'a> {
        Given {
            may_be_loaded,
            ..self
        }
    }

    /// Whether the agent had it: loaded, by a search, or by opening its note.
    pub fn is_given(&self) -> bool {
        self.is_loaded || self.is_logged()
    }

    /// Whether a log shows that it opened or cited it after a question: `opened` or `cited`.
    pub fn used_how(&self) -> Option<&'static str> {
        self.used.first().map(|(_, how)| *how)
    }

    /// Whether a log shows that it had it.
    pub fn is_logged(&self) -> bool {
        !self.by.is_empty() || !self.used.is_empty() || self.opening().is_some()
    }

    /// The newest call that opened the line.
    fn opening(&self) -> Option<&'a Past> {
        let mut shown = self.opened.iter().filter(|(_, shown)| *shown == Some(true));
        shown.next().map(|(past, _)| *past)
    }

    fn best_by(&self) -> Option<&By<'a>> {
        self.by.iter().min_by_key(|by| by.rank)
    }

    /// The answer with the best rank of the line, and that rank.
    pub fn best(&self) -> Option<(&Past, usize)> {
        self.best_by().map(|by| (by.past, by.rank))
    }

    /// Whether the agent loads the line at the start of every session.
    pub fn is_loaded(&self) -> bool {
        self.is_loaded
    }

    /// An answer with the note that may have contained the line, and the note's rank in it.
    pub fn in_doubt(&self) -> Option<(&Past, usize)> {
        let beside = self.beside.as_ref().filter(|it| it.doubt.is_some());
        beside.map(|it| (it.past, it.rank))
    }

    /// The step about whether the agent received it.
    pub fn step(&self, case: &Case<'_>) -> StepProof {
        let say = |outcome, said: String| proof(AutopsyStep::Given, outcome, said);
        if let Some(by) = self.best_by() {
            return self.returned_step(by);
        }
        if self.is_loaded {
            let said = format!(
                "Yes: {} loads this line at the start of a session.",
                case.who()
            );
            return say(StepOutcome::Passed, said);
        }
        if let Some(past) = self.opening() {
            return say(
                StepOutcome::Passed,
                format!("Yes: the agent opened the note{}.", when(past)),
            );
        }
        if let Some((past, _)) = self.used.first() {
            return say(
                StepOutcome::Passed,
                format!(
                    "Yes: no search returned it, but the agent opened the note{}.",
                    when(past)
                ),
            );
        }
        if self.may_be_loaded {
            return say(
                StepOutcome::Unknown,
                format!(
                    "Not known: {} may have loaded this line at the start of the session.",
                    case.who()
                ),
            );
        }
        if let Some(beside) = &self.beside {
            return beside.step();
        }
        let (outcome, said) = self
            .opened_elsewhere()
            .unwrap_or_else(|| self.in_no_answer(case));
        say(outcome, said)
    }

    /// The step for a line that an answer contained; `best` is the answer with its best rank.
    fn returned_step(&self, best: &By<'_>) -> StepProof {
        let By { past, rank, name } = best;
        let under = match name {
            Name::Now => String::new(),
            Name::Former(former) => format!("under its former name {former}, "),
            Name::Copy(other) | Name::Alike(other, _) => {
                format!("as the same line of {other}, ")
            }
        };
        let said = format!(
            "Yes, {under}at rank {rank} of the answer to “{}”{}.",
            past.asked.question,
            when(past)
        );
        let listed = self.by.iter().map(|by| {
            let came = match by.name.other() {
                None => format!("rank {}", by.rank),
                Some(name) => format!("rank {}, as {name}", by.rank),
            };
            asked_then(by.past, came, None)
        });
        StepProof {
            questions: listed.take(N_QUESTIONS_SHOWN).collect(),
            ..proof(AutopsyStep::Given, StepOutcome::Passed, said)
        }
    }

    /// What follows if the agent opened the note, and no call is known to have shown the line; `None` if it did not
    /// open the note.
    fn opened_elsewhere(&self) -> Option<(StepOutcome, String)> {
        let (past, shown) = self.opened.first()?;
        Some(
            match self.opened.iter().find(|(_, shown)| shown.is_none()) {
                Some((past, _)) => (
                    StepOutcome::Unknown,
                    format!(
                        "The agent opened the note{}; whether it was shown this line is not known.",
                        when(past)
                    ),
                ),
                None => {
                    debug_assert_eq!(*shown, Some(false));
                    let said = format!(
                        "No. The agent opened the note{}, but not this line.",
                        when(past)
                    );
                    (StepOutcome::Failed, said)
                }
            },
        )
    }

    /// What follows if no answer contained the note.
    fn in_no_answer(&self, case: &Case<'_>) -> (StepOutcome, String) {
        let questions = || case.asked.questions.iter();
        // A failed search returned nothing.
        let is_unlogged = |past: &Past| past.asked.returned.is_none() && !past.asked.has_failed;
        let n_unlogged = questions().filter(|past| is_unlogged(past)).count();
        match (case.asked.questions.len(), self.n_answers) {
            (1.., 0) if n_unlogged == 0 => (
                StepOutcome::Failed,
                "No. Each search failed, so nothing was returned.".to_owned(),
            ),
            (0, _) => (
                StepOutcome::Unknown,
                "No question is known, and so no answer.".to_owned(),
            ),
            (_, 0) => (
                StepOutcome::Unknown,
                "No answer is logged, so this cannot be known.".to_owned(),
            ),
            (_, n) if n_unlogged > 0 => (
                StepOutcome::Unknown,
                format!(
                    "Not known: it is in no logged answer ({n}), and of {} no answer is logged.",
                    counted_searches(n_unlogged)
                ),
            ),
            (_, 1) => (
                StepOutcome::Failed,
                "No. It is not in the answer.".to_owned(),
            ),
            (_, n) => (
                StepOutcome::Failed,
                format!("No. It is in none of the {n} answers."),
            ),
        }
    }

    /// The step about whether the agent used it.
    pub fn used_step(&self, case: &Case<'_>) -> StepProof {
        let say = |outcome, said: String| proof(AutopsyStep::Used, outcome, said);
        if let Some((past, how)) = self.used.first() {
            return say(
                StepOutcome::Passed,
                format!("Yes, it was {how} after “{}”.", past.asked.question),
            );
        }
        if let Some((past, how)) = self.may_be_used.filter(|_| self.is_given()) {
            return say(
                StepOutcome::Unknown,
                format!(
                    "The note was {how} after “{}”; whether that showed this line is not known.",
                    past.asked.question
                ),
            );
        }
        // Logs hold what was opened and cited; what the agent answered in its own words is not read.
        let who = case.who();
        let said = if !self.by.is_empty() {
            format!("Not known: {who} neither opened nor cited it afterwards. {OWN_ANSWERS}")
        } else if self.opening().is_some() {
            format!("Not known: {who} opened it. {OWN_ANSWERS}")
        } else if self.is_loaded && case.asked.is_logged {
            format!("Not known: no log shows that {who} opened or cited it. {OWN_ANSWERS}")
        } else if self.is_loaded {
            format!("Not known: no log of {who} is read.")
        } else {
            format!("Nothing shows that {who} was given it.")
        };
        say(StepOutcome::Unknown, said)
    }
}

fn counted_searches(n: usize) -> String {
    match n {
        1 => "1 other search".to_owned(),
        n => format!("{n} other searches"),
    }
}

/// Returns ` on <date>`, or nothing if the log has no time.
fn when(past: &Past) -> String {
    let at = past.asked.at_ms;
    at.map_or_else(String::new, |at| format!(" on {}", moment(at)))
}

impl Beside<'_> {
    fn step(&self) -> StepProof {
        let (question, on, rank) = (&self.past.asked.question, when(self.past), self.rank);
        let note = self.other_name.map_or_else(
            || "this note".to_owned(),
            |former| format!("{former}, which may be this note"),
        );
        let held = match self.lines {
            Some((start, end)) => format!("lines {start}–{end} of {note}"),
            None => note,
        };
        let held = format!("The answer to “{question}”{on} held {held}, at rank {rank}");
        let (outcome, said) = match self.doubt {
            None => (
                StepOutcome::Failed,
                format!("No. {held}: another chunk, without this line."),
            ),
            Some(Doubt::Changed) => (
                StepOutcome::Unknown,
                format!(
                    "{held}; the note was changed since, or one of the two times is missing, so whether it held the fact is not known."
                ),
            ),
            Some(Doubt::NoText) => (
                StepOutcome::Unknown,
                format!(
                    "{held}; the log does not say which lines, so whether it held the fact is not known."
                ),
            ),
            Some(Doubt::OtherNote(why)) => {
                let why = match why {
                    NoPlace::NoWorkspace => "the log does not say in whose workspace that is",
                    NoPlace::Several => "several notes have that name now",
                    NoPlace::Deleted | NoPlace::None => {
                        "no watched note is there under that name now"
                    }
                };
                (
                    StepOutcome::Unknown,
                    format!("{held}; {why}, so whether it was this one is not known."),
                )
            }
            Some(Doubt::OtherText) => (
                StepOutcome::Unknown,
                format!(
                    "{held}; the text in the log does not hold this line in one piece, so whether it held the fact is not known."
                ),
            ),
        };
        proof(AutopsyStep::Given, outcome, said)
    }
}

/// The name under which an answer contained the line.
enum Name<'a> {
    Now,
    /// One that its note had before.
    Former(&'a str),
    /// That of another note, which holds the same line.
    Copy(&'a str),
    /// One that no note has now, with the file name that only its note has.
    Alike(&'a str, NoPlace),
}

impl<'a> Name<'a> {
    /// Returns the name if it is not that of now.
    fn other(&self) -> Option<&'a str> {
        match *self {
            Name::Now => None,
            Name::Former(name) | Name::Copy(name) | Name::Alike(name, _) => Some(name),
        }
    }
}

/// The names of the fact's note.
struct Named<'a> {
    found: &'a Found,
    places: &'a Places,
    /// Its file's name, if no other note has it.
    only_name: Option<String>,
    /// The hash of the line; `None` if other notes may hold such a line.
    hash: Option<u64>,
    /// Names under which answers contained the line and that no note has now.
    former: BTreeSet<String>,
    /// Former paths by the git history.
    former_paths: &'a [PathBuf],
    /// When the note was saved last, milliseconds since 1970; `None` if that is not known.
    saved_ms: Option<i64>,
    /// The earliest time at which the note is known to have held the line, milliseconds since 1970; `None` if none is.
    held_ms: Option<i64>,
}

impl<'a> Named<'a> {
    fn of(
        case: &Case<'_>,
        found: &'a Found,
        places: &'a Places,
        former_paths: &'a [PathBuf],
        is_written: bool,
    ) -> Named<'a> {
        let lists = case.library.lists();
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let own = name(&found.place.path);
        let mut documents = lists.snapshot.documents.iter();
        let is_other = |folder, path: &str| {
            (folder, path) != (found.place.folder, found.place.path.as_str()) && name(path) == own
        };
        let is_only = !documents.any(|it| is_other(it.folder, &it.path));
        // Every memory has files of these names.
        let is_common = matches!(&*own, "memory.md" | "user.md" | "readme.md" | "index.md");
        let hash = line_hash(&found.text).filter(|_| content_words(&found.text).len() >= OWN_WORDS);
        let is_elsewhere = case
            .agent_id()
            .zip(case.member.as_deref())
            .is_some_and(|(agent, member)| !owner::is_around(case.library, agent, member, found));
        let mut named = Named {
            found,
            places,
            only_name: (is_only && !is_common).then_some(own),
            hash,
            former: BTreeSet::new(),
            // A relative path of another workspace is not one of this note.
            former_paths: if is_elsewhere { &[] } else { former_paths },
            saved_ms: saved_ms(case, found, places),
            held_ms: case.at_ms.filter(|_| is_written),
        };
        for past in &case.asked.questions {
            for result in past.asked.returned.iter().flatten() {
                let is_gone = || places.find_of(past, &result.path).is_err();
                if named.is_held_by(result) && is_gone() {
                    named.former.insert(result.path.clone());
                }
            }
        }
        let questions = case.asked.questions.iter().filter(|past| {
            let mut returned = past.asked.returned.iter().flatten();
            returned.any(|it| named.is_held_by(it) && named.is_it(past, &it.path).is_some())
        });
        let returned_ms = questions.filter_map(|past| past.asked.at_ms).min();
        named.held_ms = [named.held_ms, returned_ms].into_iter().flatten().min();
        named
    }

    /// Whether the note is now as it was at the time of a question; `false` if that is not known.
    fn is_unchanged_since(&self, past: &Past) -> bool {
        let times = past.asked.at_ms.zip(self.saved_ms);
        times.is_some_and(|(at, saved)| saved <= at)
    }

    /// Whether the note held the line at the time of a question; `false` if that is not known.
    fn held_line_at(&self, past: &Past) -> bool {
        let times = past.asked.at_ms.zip(self.held_ms);
        self.is_unchanged_since(past) || times.is_some_and(|(at, held)| held <= at)
    }

    /// Whether a result that is this note, or holds its line, showed the line.
    fn shown(&self, past: &Past, result: &Returned, name: &Name<'_>) -> Shown {
        if self.is_held_by(result) {
            return Shown::Yes;
        }
        if let Name::Alike(_, why) = name {
            return Shown::Unknown(Doubt::OtherNote(*why));
        }
        let has_text = !result.line_hashes.is_empty();
        let covers = |(start, end)| (start..=end).contains(&self.found.line);
        match result.lines.map(covers) {
            None if !has_text || self.hash.is_none() => Shown::Unknown(Doubt::NoText),
            Some(_) if !self.is_unchanged_since(past) => Shown::Unknown(Doubt::Changed),
            Some(true) if !has_text || self.hash.is_none() => Shown::Yes,
            None | Some(true) => Shown::Unknown(Doubt::OtherText),
            Some(false) => Shown::No,
        }
    }

    /// Whether opening or citing a note showed the line, `Some(None)` if that is not known; `None` if it is another note.
    fn shown_by(&self, past: &Past, used: &Used) -> Option<Option<bool>> {
        let is_known = match (self.is_it(past, &used.path)?, used.lines) {
            (Name::Alike(..), _) => false,
            // The line may have been at another place.
            (_, Some(_)) => self.is_unchanged_since(past),
            (_, None) => self.held_line_at(past),
        };
        Some(used.holds(self.found.line).filter(|_| is_known))
    }

    /// Whether the text of a result contained the line.
    fn is_held_by(&self, result: &Returned) -> bool {
        self.hash
            .is_some_and(|hash| result.line_hashes.contains(&hash))
    }

    /// The name of a note that is not the fact's by its name, and held the line.
    fn other_name<'p>(&self, past: &Past, path: &'p str) -> Name<'p> {
        match self.places.find_of(past, path) {
            Ok(_) => Name::Copy(path),
            Err(_) => Name::Former(path),
        }
    }

    fn is_it<'p>(&self, past: &Past, path: &'p str) -> Option<Name<'p>> {
        let place = &self.found.place;
        match self.places.find_of(past, path) {
            Ok(it) if it.folder == place.folder && it.path == place.path => Some(Name::Now),
            Ok(_) => None,
            Err(why) => {
                let file = self.found.file.as_ref().and_then(|file| file.to_str());
                if file.is_some_and(|file| System::CURRENT.is_same_path(file, path)) {
                    return Some(Name::Now);
                }
                let name = path.rsplit(['/', '\\']).next().map(str::to_lowercase);
                let is_moved = self.only_name.is_some() && name == self.only_name;
                let is_known_place = why != NoPlace::NoWorkspace;
                let mut former_paths = self.former_paths.iter().filter(|_| is_known_place);
                let is_former =
                    self.former.contains(path) || former_paths.any(|former| former.ends_with(path));
                if is_former {
                    Some(Name::Former(path))
                } else {
                    is_moved.then_some(Name::Alike(path, why))
                }
            }
        }
    }
}
