//! Why an agent forgot a fact: one verdict, with the proof of every step on the fact's way from a note to the answer.
//!
//! The steps are checked in order, each in a file of its own; the first that lost the fact is the verdict. What the
//! agent was given according to its own log takes precedence over what a step assumes. A step that cannot be known says
//! so, and the next one is checked.

mod about;
mod asked;
mod disk;
mod fact;
mod first_sight;
mod given;
mod grepped;
mod indexed;
mod last;
mod line_load;
mod load_cap;
mod markdown;
mod owner;
mod ranked;
mod verdict;
mod words;
mod working;
mod written;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memlens_agents::{Home, PastQuestion, SessionPlace, session_of_file};
use memlens_document::Text;
use memlens_retrieve::Part;

pub use about::CLOSE_TO_FACT;
pub(crate) use last::LastAutopsy;
pub use markdown::autopsy_text;

use asked::{Asked, Wanted};
use fact::{Fact, Found};
use first_sight::first_sight;
use given::Given;
use memlens_library::emulation::searched::Asker;
use memlens_library::jobs::JobRun;
use memlens_library::notes::note_names::agent_name;
use memlens_library::search::Search;
use memlens_library::{EngineError, Library, Ranking};
use memlens_past::own::part_asked;
use memlens_past::places::places;
use memlens_past::{OwnPipelines, Past, session_named};
use memlens_wire::{
    Autopsy, AutopsyProgress, AutopsyQuestion, AutopsyStep, FactPlace, StepOutcome, StepProof,
    WorkingQuestion,
};
use ranked::Ranked;

use crate::cause::Cause;

/// Everything known of a case: the fact, its agent, and the questions asked around that time.
struct Case<'a> {
    library: &'a Library,
    /// Id and name of the agent; `None` if no agent is known to have asked.
    agent: Option<(String, String)>,
    /// The id of the agent among those of its program; `None` if the program has one agent only, or it is not known which.
    member: Option<String>,
    /// When the agent should have known it, milliseconds since 1970; `None` for now.
    at_ms: Option<i64>,
    asked: Asked,
    /// The session in question; `None` if none is.
    session: Option<String>,
    pipelines: OwnPipelines<'a>,
    /// The reading of files and of their history.
    run: JobRun<'a, AutopsyProgress>,
}

impl Case<'_> {
    /// The agent as a sentence's subject.
    fn who(&self) -> &str {
        self.agent.as_ref().map_or("the agent", |(_, name)| name)
    }

    fn agent_id(&self) -> Option<&str> {
        self.agent.as_ref().map(|(id, _)| id.as_str())
    }

    /// Where the session in question took place, by each of its logs; empty if nothing says so.
    fn sessions(&self, home: &Home) -> Vec<SessionPlace> {
        let Some(agent) = self.agent_id() else {
            return Vec::new();
        };
        let mut places: Vec<SessionPlace> = Vec::new();
        if let Some(session) = &self.session {
            let all = self.asked.questions.iter().chain(&self.asked.openings);
            let mut logs: BTreeSet<PathBuf> = all
                .filter(|past| past.asked.agent == agent && past.asked.session == *session)
                .map(|past| past.log.clone())
                .collect();
            // A session that asked nothing has a log too.
            let read = self.library.store().read_logs().unwrap_or_default();
            let read = read.into_iter().filter(|(log, _)| log.agent == agent);
            logs.extend(
                read.map(|(log, _)| PathBuf::from(log.path)).filter(|path| {
                    session_of_file(agent, path).as_deref() == Some(session.as_str())
                }),
            );
            let logs = logs.into_iter();
            places.extend(logs.map(|log| SessionPlace::of(home, agent, &log, session)));
        }
        if places.is_empty() && self.member.is_some() {
            places.push(SessionPlace {
                member: self.member.clone(),
                ..SessionPlace::default()
            });
        }
        places
    }

    /// Ranking of the agent's questions, unless a question asked for something else.
    fn ranking(&self) -> Ranking {
        let agent = self.agent_id().unwrap_or_default().to_owned();
        self.pipelines.ranking(&PastQuestion {
            agent,
            ..PastQuestion::default()
        })
    }

    /// Sets the agent with its name in sentences.
    fn set_agent(&mut self, id: &str, member: Option<String>) {
        let name = agent_name(id).name;
        let name = match &member {
            Some(member) => format!("{name} agent “{}”", memlens_params::brief(member)),
            None => name,
        };
        self.agent = Some((id.to_owned(), name));
        self.member = member;
    }

    /// Whether Memlens emulates the agent's own ranking; without an agent it is Memlens's.
    fn is_emulated(&self) -> bool {
        self.agent_id()
            .is_none_or(|id| self.pipelines.pipeline(id).is_some())
    }

    /// Whether the agent's own ranking is known: emulated, without a known difference.
    fn is_ranking_known(&self) -> bool {
        self.is_emulated() && self.ranking_gap().is_none()
    }

    /// What the emulation of the agent's ranking does differently, as a clause; `None` if nothing is known to differ.
    fn ranking_gap(&self) -> Option<String> {
        let problems = self
            .pipelines
            .problems_for(self.agent_id()?, self.member.as_deref());
        let clauses: Vec<&str> = problems.iter().map(|it| it.trim_end_matches('.')).collect();
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }

    /// What the emulation of the agent does differently for one question, as a clause.
    fn gap_for(&self, asked: &PastQuestion) -> Option<String> {
        let unfollowed = || {
            let name = self.pipelines.unfollowed(asked)?;
            let name = memlens_params::brief(&name);
            Some(format!("the call set {name}, which is not emulated"))
        };
        self.ranking_gap().or_else(unfollowed)
    }

    /// A search by the agent's own ranking, over what this agent of its program searches.
    fn search(&self, query: &str, ranking: &Ranking) -> Result<Arc<Search>, EngineError> {
        let asker = Asker {
            member: self.member.as_deref(),
        };
        self.library
            .search_on_behalf(query, ranking, self.part(), asker)
    }

    /// Whether the agent has no index and greps its files, so that nothing ranks what it finds.
    fn searches_files(&self) -> bool {
        self.agent_id().is_some_and(memlens_agents::searches_files)
    }

    /// The part that the agent searches.
    fn part(&self) -> Part {
        self.agent_id()
            .map_or(Part::All, |agent| part_asked(self.library, agent))
    }

    /// Takes the agent whose memory the note is, unless the user named one, and its questions.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    fn assign(&mut self, wanted: &Wanted, found: &Found) -> Result<(), EngineError> {
        let id = match (&wanted.agent, owner::agent(self.library, found)) {
            (Some(named), _) => named.clone(),
            (None, Some(owner)) => owner,
            (None, None) => match self.agent_id() {
                Some(asked) => asked.to_owned(),
                None => return Ok(()),
            },
        };
        let known = self.member.take().filter(|_| wanted.session.is_some());
        let member = known
            .or_else(|| owner::member(self.library, &id, found))
            .or_else(|| self.asked.member())
            .filter(|_| owner::has_members(self.library, &id));
        let is_same = self.agent_id() == Some(id.as_str()) && member.is_none();
        if wanted.session.is_none() && !is_same {
            self.asked = Asked::of(
                self.library,
                &Wanted {
                    agent: Some(id.clone()),
                    member: member.clone(),
                    ..wanted.clone()
                },
            )?;
        }
        self.set_agent(&id, member);
        Ok(())
    }

    /// The part in which the fact is looked for first: what this agent of the program searches, if it is known which.
    fn own_part(&self) -> Part {
        let index = self.agent_id().zip(self.member.as_deref());
        let own = index.map(|(agent, member)| owner::folders(self.library, agent, member));
        match own {
            Some(folders) if !folders.is_empty() => Part::Folders(folders),
            Some(_) | None => self.part(),
        }
    }
}

fn step(step: AutopsyStep, outcome: StepOutcome, proof: impl Into<Text>) -> StepProof {
    StepProof {
        step,
        outcome,
        proof: proof.into(),
        questions: Vec::new(),
    }
}

/// Why an agent forgot a fact. `here` is the folder that the path of a note may be relative to.
///
/// # Errors
/// [`EngineError::NoFact`]; [`EngineError::NoAgent`] for an id that no agent has; [`EngineError::NoSession`];
/// [`EngineError::Place`] for a line of a note that cannot be identified; as [`Library::search_as`].
pub fn autopsy(
    library: &Library,
    question: &AutopsyQuestion,
    here: Option<&Path>,
) -> Result<Autopsy, EngineError> {
    if question.fact.trim().is_empty() {
        return Err(EngineError::NoFact);
    }
    if let Some(agent) = &question.agent {
        memlens_handover::known_agent(agent)?;
    }
    let session = match &question.session {
        Some(typed) => session_named(library, question.agent.as_deref(), typed)?,
        None => None,
    };
    let wanted = Wanted {
        agent: question
            .agent
            .clone()
            .or_else(|| session.as_ref().map(|it| it.agent.clone())),
        member: None,
        session: session
            .as_ref()
            .map(|it| it.id.clone())
            .or_else(|| question.session.clone()),
        is_session_read: session.is_some(),
        at_ms: question.at_ms.map(|at_ms| at_ms as i64),
    };
    let asked = Asked::of(library, &wanted)?;
    let mut case = Case {
        library,
        agent: None,
        member: None,
        at_ms: wanted.at_ms.or_else(|| asked.last_ms(&wanted)),
        asked,
        session: wanted.session.clone(),
        pipelines: OwnPipelines::of(library),
        run: library.jobs().autopsy.begin(),
    };
    if let Some(id) = wanted.agent.clone().or_else(|| case.asked.agent()) {
        let member = session.as_ref().and_then(|it| it.member.clone());
        let member = member.or_else(|| case.asked.member());
        let member = member.filter(|_| wanted.session.is_some());
        let member = member.filter(|_| owner::has_members(library, &id));
        case.set_agent(&id, member);
    }
    let mut fact = Fact::find(&case, &question.fact, here)?;
    if fact.found.is_none() && wanted.agent.is_none() && case.agent.is_some() {
        // It may be in the files of another agent than the one whose log was read.
        let asked = case.agent.take();
        fact = Fact::find(&case, &question.fact, here)?;
        case.agent = asked;
    }
    if let Some(found) = &fact.found {
        case.assign(&wanted, found)?;
    }
    let autopsy = match &fact.found {
        None => nowhere(&case, &fact),
        Some(found) => followed(&case, &fact, found)?,
    };
    library.feature::<LastAutopsy>().keep(question, &autopsy);
    Ok(autopsy)
}

/// An autopsy as Markdown: the last one if it is of this question, so that no file is read twice.
///
/// # Errors
/// As [`crate::autopsy::autopsy`].
pub fn autopsy_markdown(
    library: &Library,
    question: &AutopsyQuestion,
    with_text: bool,
) -> Result<String, EngineError> {
    let autopsy = match library.feature::<LastAutopsy>().of(question) {
        Some(last) => last,
        None => autopsy(library, question, None)?,
    };
    Ok(autopsy_text(&autopsy, with_text))
}

/// Result for a fact that no note contains.
fn nowhere(case: &Case<'_>, fact: &Fact) -> Autopsy {
    let later = [
        AutopsyStep::LoadCap,
        AutopsyStep::Indexed,
        AutopsyStep::Asked,
        AutopsyStep::Ranked,
        AutopsyStep::Given,
        AutopsyStep::Used,
    ];
    let mut steps = vec![written::nowhere(case, fact)];
    steps.extend(later.map(|it| {
        step(
            it,
            StepOutcome::Unknown,
            "There is no line to follow, so this does not matter.",
        )
    }));
    verdict::autopsy(case, fact, steps, Findings::default())
}

/// Findings of the steps besides their proofs.
#[derive(Default)]
struct Findings<'a> {
    /// Why the line is not loaded or not in the index; of the first such step.
    cause: Option<Cause>,
    ranked: Option<&'a Ranked>,
    works: Option<WorkingQuestion>,
    given: Option<&'a Given<'a>>,
    /// Number of questions about the fact.
    n_about: usize,
    /// Whether the agent may have loaded the line at the start of the session, so that no later step is known to have lost it.
    may_be_loaded: bool,
}

/// Result for a fact that a note contains.
fn followed(case: &Case<'_>, fact: &Fact, found: &Found) -> Result<Autopsy, EngineError> {
    let places = places(case.library)?;
    let history = written::history(case, fact, found);
    let sight = first_sight(case, fact, found)?;
    let written = written::step(case, found, &sight, history.as_ref(), &places)?;
    let is_later = written.outcome == StepOutcome::Failed;
    let indexed = indexed::step(case, found)?;
    let loading = load_cap::step(case, fact, found, indexed.step.outcome);
    let loading = loading.at_the_time(case, found, &places);
    // A line that may have been written later may not have been there to load.
    let is_loaded = loading.is_loaded && written.outcome == StepOutcome::Passed;
    let may_be_loaded = !is_later && (loading.may_be_loaded || (loading.is_loaded && !is_loaded));
    let former = history.as_ref().map_or(&[][..], |it| &it.former);
    let is_written = written.outcome == StepOutcome::Passed;
    let given = Given::of(case, found, &places, former, is_loaded, is_written)
        .or_perhaps_loaded(may_be_loaded);
    // A search that does not matter is not repeated.
    let is_searched = indexed.is_in_library && indexed.cause.is_none() && !is_loaded;
    let about = about::about(case, fact, &case.asked.questions);
    // Another ranking may not find what Memlens's own ranking finds.
    let works = if is_searched && !given.is_given() && case.is_ranking_known() {
        working::question(case, fact, found)?
    } else {
        None
    };
    // Last, so that its searches are still cached when the user opens one.
    let ranked = if is_loaded {
        None
    } else {
        Ranked::of(case, &about, found, is_searched)?
    };
    let is_left_out = indexed.cause.is_some();
    let mut steps = vec![
        written,
        loading.step,
        indexed.step,
        asked::step(case, &about, ranked.as_ref()),
        ranked::step(case, found, ranked.as_ref(), &given, is_left_out),
        given.step(case),
        given.used_step(case),
    ];
    if given.is_given() {
        // Steps that might have lost it did not. A line that a log shows earlier than its date existed then.
        let stays = |step: &StepProof| step.step == AutopsyStep::Written && !given.is_logged();
        let before = steps
            .iter_mut()
            .take_while(|it| it.step != AutopsyStep::Given);
        for step in before.filter(|it| it.outcome == StepOutcome::Failed && !stays(it)) {
            step.outcome = StepOutcome::Unknown;
            let proof = std::mem::take(&mut step.proof);
            step.proof = proof + " The agent received it anyway, so this step is not the cause.";
        }
    }
    let findings = Findings {
        cause: loading.cause.or(indexed.cause),
        ranked: ranked.as_ref(),
        works,
        given: Some(&given),
        n_about: about.iter().filter(|it| it.is_about()).count(),
        may_be_loaded,
    };
    Ok(verdict::autopsy(case, fact, steps, findings))
}

/// A place as the window shows it.
fn to_fact_place(found: &Found) -> FactPlace {
    FactPlace {
        folder: if found.is_watched() {
            found.place.folder.0.to_string()
        } else {
            String::new()
        },
        path: found.place.path.clone(),
        line: found.line,
        text: if found.is_private {
            String::new()
        } else {
            found.text.clone()
        },
    }
}

/// A question of a case that is listed at a step.
fn asked_then(past: &Past, came: String, closeness: Option<f64>) -> memlens_wire::AskedThen {
    memlens_wire::AskedThen {
        id: past.id.to_string(),
        at_ms: past.asked.at_ms.map(|at| at as f64),
        question: past.asked.question.clone(),
        came,
        closeness,
    }
}
