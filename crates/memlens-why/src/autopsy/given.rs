//! Was the fact among what the agent received (loaded, returned or opened), and did it use it?

use std::collections::BTreeSet;
use std::path::PathBuf;

use memlens_agents::{Returned, Used, line_hash};
use memlens_past::{Past, Places};
use memlens_wire::{AutopsyStep, StepOutcome, StepProof};

use super::fact::{Found, is_changed};
use super::words::{OWN_WORDS, moment, telling};
use super::{Case, asked_then, step as proof};

/// Number of questions that are listed.
const QUESTIONS_TOLD: usize = 20;

/// An answer that contained the fact's line.
struct By<'a> {
    past: &'a Past,
    /// The 1-based rank in the answer.
    rank: usize,
    /// The place of the line by which it was returned.
    name: Name<'a>,
}

/// An answer that contained other lines of the note.
struct Beside<'a> {
    past: &'a Past,
    rank: usize,
    lines: (u32, u32),
    /// Whether the note was changed since, so that these lines may have been the fact's.
    is_open: bool,
}

/// What the agent received of a fact's line.
pub(super) struct Given<'a> {
    /// Whether it loads the line at the start of every session.
    is_loaded: bool,
    by: Vec<By<'a>>,
    beside: Option<Beside<'a>>,
    /// The questions after which it was opened or cited, each with how.
    used: Vec<(&'a Past, &'static str)>,
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
    ) -> Given<'a> {
        let named = Named::of(case, found, places, former);
        let covers = |lines: Option<(u32, u32)>| {
            lines.is_none_or(|(start, end)| (start..=end).contains(&found.line))
        };
        let mut given = Given {
            is_loaded,
            by: Vec::new(),
            beside: None,
            used: Vec::new(),
            opened: Vec::new(),
            n_answers: 0,
        };
        let mut saved_ms = None;
        for past in &case.asked.questions {
            given.n_answers += usize::from(past.asked.returned.is_some());
            let returned = past.asked.returned.iter().flatten();
            for (rank, result) in (1..).zip(returned) {
                // As from `rg -l`: the agent did not see the text.
                if result.is_name_only {
                    continue;
                }
                let holds = named.is_held_by(result);
                let name = match named.is_it(past, &result.path) {
                    Some(name) => name,
                    None if holds => named.other_name(past, &result.path),
                    None => continue,
                };
                if holds || covers(result.lines) {
                    if given.by.last().is_none_or(|it| it.past.id != past.id) {
                        given.by.push(By { past, rank, name });
                    }
                } else if let (None, Some(lines)) = (&given.beside, result.lines) {
                    let saved_ms = *saved_ms.get_or_insert_with(|| saved(case, found, places));
                    given.beside = Some(Beside {
                        past,
                        rank,
                        lines,
                        is_open: past
                            .asked
                            .at_ms
                            .zip(saved_ms)
                            .is_some_and(|(at, saved)| saved > at),
                    });
                }
            }
            let is_it = |used: &&Used| {
                used.holds(found.line) == Some(true) && named.is_it(past, &used.path).is_some()
            };
            let opened = past.asked.opened.iter().find(is_it).map(|_| "opened");
            let cited = past.asked.cited.iter().find(is_it).map(|_| "cited");
            if let Some(how) = cited.or(opened) {
                given.used.push((past, how));
            }
        }
        for past in &case.asked.openings {
            let of_note = past.asked.opened.iter();
            let of_note = of_note.filter(|used| named.is_it(past, &used.path).is_some());
            let shown: Vec<Option<bool>> = of_note.map(|used| used.holds(found.line)).collect();
            if shown.contains(&Some(true)) {
                given.opened.push((past, Some(true)));
            } else if let Some(first) = shown.first() {
                let is_open = shown.contains(&None);
                given
                    .opened
                    .push((past, if is_open { None } else { *first }));
            }
        }
        given
    }

    /// Whether the agent had it: loaded, by a search, or by opening its note.
    pub fn is_given(&self) -> bool {
        self.is_loaded || self.is_logged()
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

    /// The step about whether the agent received it.
    pub fn step(&self, case: &Case<'_>) -> StepProof {
        let say = |outcome, said: String| proof(AutopsyStep::Given, outcome, said);
        let when = |past: &Past| {
            let at = past.asked.at_ms;
            at.map_or_else(String::new, |at| format!(" on {}", moment(at)))
        };
        if let Some(By { past, rank, name }) = self.best_by() {
            let under = match name {
                Name::Now => String::new(),
                Name::Former(former) => format!("under its former name {former}, "),
                Name::Copy(other) => format!("as the same line of {other}, "),
            };
            let listed = self.by.iter().map(|by| {
                let came = match by.name {
                    Name::Now => format!("rank {}", by.rank),
                    Name::Former(name) | Name::Copy(name) => format!("rank {}, as {name}", by.rank),
                };
                asked_then(by.past, came, None)
            });
            return StepProof {
                questions: listed.take(QUESTIONS_TOLD).collect(),
                ..say(
                    StepOutcome::Passed,
                    format!(
                        "Yes, {under}at rank {rank} of the answer to “{}”{}.",
                        past.asked.question,
                        when(past)
                    ),
                )
            };
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
        if let Some(beside) = &self.beside {
            let Beside {
                past,
                rank,
                lines: (start, end),
                is_open,
            } = beside;
            let held = format!(
                "The answer to “{}”{} held lines {start}–{end} of this note, at rank {rank}",
                past.asked.question,
                when(past)
            );
            return if *is_open {
                say(
                    StepOutcome::Unknown,
                    format!(
                        "{held}; the note was changed since, so whether these held the fact is not known."
                    ),
                )
            } else {
                say(
                    StepOutcome::Failed,
                    format!("No. {held}: another chunk, without this line."),
                )
            };
        }
        if let Some((past, shown)) = self.opened.first() {
            return match self.opened.iter().find(|(_, shown)| shown.is_none()) {
                Some((past, _)) => say(
                    StepOutcome::Unknown,
                    format!(
                        "The agent opened a part of the note{}; the log does not say whether it held this line.",
                        when(past)
                    ),
                ),
                None => {
                    debug_assert_eq!(*shown, Some(false));
                    say(
                        StepOutcome::Failed,
                        format!(
                            "No. The agent opened the note{}, but not this line.",
                            when(past)
                        ),
                    )
                }
            };
        }
        match (case.asked.questions.len(), self.n_answers) {
            (0, _) => say(
                StepOutcome::Unknown,
                "No question is known, and so no answer.".to_owned(),
            ),
            (_, 0) => say(
                StepOutcome::Unknown,
                "No answer is logged, so this cannot be known.".to_owned(),
            ),
            (_, 1) => say(
                StepOutcome::Failed,
                "No. It is not in the answer.".to_owned(),
            ),
            (_, n) => say(
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
        if !self.by.is_empty() {
            return say(
                StepOutcome::Failed,
                format!("No. {} neither opened nor cited it afterwards.", case.who()),
            );
        }
        if self.is_loaded || self.opening().is_some() {
            return say(
                StepOutcome::Failed,
                "No log shows that it used the line.".to_owned(),
            );
        }
        say(
            StepOutcome::Unknown,
            "Unknown, and it does not matter here: nothing shows that it was given.".to_owned(),
        )
    }
}

/// When the note's bytes were saved; milliseconds since 1970.
fn saved(case: &Case<'_>, found: &Found, places: &Places) -> Option<i64> {
    if is_changed(case.library, &found.place) {
        return Some(i64::MAX);
    }
    places.saved_ms(found.place.folder, &found.place.path)
}

/// The name under which an answer contained the line.
enum Name<'a> {
    Now,
    /// One that its note had before.
    Former(&'a str),
    /// That of another note, which holds the same line.
    Copy(&'a str),
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
}

impl<'a> Named<'a> {
    fn of(
        case: &Case<'_>,
        found: &'a Found,
        places: &'a Places,
        former_paths: &'a [PathBuf],
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
        let hash = line_hash(&found.text).filter(|_| telling(&found.text).len() >= OWN_WORDS);
        let mut named = Named {
            found,
            places,
            only_name: (is_only && !is_common).then_some(own),
            hash,
            former: BTreeSet::new(),
            former_paths,
        };
        for past in &case.asked.questions {
            for result in past.asked.returned.iter().flatten() {
                let is_gone = || places.find(&past.asked.agent, &result.path).is_err();
                if named.is_held_by(result) && is_gone() {
                    named.former.insert(result.path.clone());
                }
            }
        }
        named
    }

    /// Whether the text of a result contained the line.
    fn is_held_by(&self, result: &Returned) -> bool {
        self.hash
            .is_some_and(|hash| result.line_hashes.contains(&hash))
    }

    /// The name of a note that is not the fact's by its name, and held the line.
    fn other_name<'p>(&self, past: &Past, path: &'p str) -> Name<'p> {
        match self.places.find(&past.asked.agent, path) {
            Ok(_) => Name::Copy(path),
            Err(_) => Name::Former(path),
        }
    }

    fn is_it<'p>(&self, past: &Past, path: &'p str) -> Option<Name<'p>> {
        let place = &self.found.place;
        match self.places.find(&past.asked.agent, path) {
            Ok(it) if it.folder == place.folder && it.path == place.path => Some(Name::Now),
            Ok(_) => None,
            Err(_) => {
                if self
                    .found
                    .file
                    .as_ref()
                    .is_some_and(|file| file.to_str() == Some(path))
                {
                    return Some(Name::Now);
                }
                let name = path.rsplit(['/', '\\']).next().map(str::to_lowercase);
                let is_moved = self.only_name.is_some() && name == self.only_name;
                let is_former = self.former.contains(path)
                    || self
                        .former_paths
                        .iter()
                        .any(|former| former.ends_with(path));
                (is_moved || is_former).then_some(Name::Former(path))
            }
        }
    }
}
