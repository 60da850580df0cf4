//! Whether an answer of then can be compared with one of now.
//!
//! Fates of results are only claimed if the ranking is that of the agent, over the agent's own index, with the agent's
//! own embedding model, and every logged result names exactly one known note. Otherwise a difference may be caused by
//! the emulation.

use memlens_library::Ranking;
use memlens_library::notes::note_names::agent_name;
use memlens_library::search::Search;
use memlens_rank::{Status, Trace};

use super::Past;
use super::matching::Then;
use super::own::OwnPipelines;
use super::places::NoPlace;

/// Why the answer of a past question cannot be compared with a search of now, in a clause; `None` if it can.
pub(crate) fn why_not(
    past: &Past,
    then: &[Then<'_>],
    ranking: &Ranking,
    own: &OwnPipelines<'_>,
    search: &Search,
    trace: &Trace,
) -> Option<String> {
    let asked = &past.asked;
    if asked.returned.is_none() {
        return Some(if asked.has_failed {
            "the search failed".to_owned()
        } else {
            "no answer was logged".to_owned()
        });
    }
    let why_other = match &asked.served {
        Some(_) => why_not_as_served(past, ranking),
        None => why_not_emulated(past, ranking, own).or_else(|| match &search.emulated {
            Some(emulated) => emulated.why_inexact.clone(),
            None => Some("it is ranked over Memlens's own index now".to_owned()),
        }),
    };
    why_other
        .or_else(|| {
            let mut stages = trace.stages.iter();
            stages.find_map(|stage| match &stage.status {
                Status::Fallback { why } => Some(format!("{} fell back: {why}", stage.label)),
                Status::Applied | Status::Skipped { .. } => None,
            })
        })
        .or_else(|| then.iter().find_map(unknown))
}

/// Why the ranking is not the one that answered a call of Memlens's server.
fn why_not_as_served(past: &Past, ranking: &Ranking) -> Option<String> {
    let Some(served) = past.asked.served.as_ref().and_then(crate::served::ranking) else {
        return Some("this version does not know the ranking that answered it".to_owned());
    };
    let is_same = ranking.pipeline.id() == served.pipeline.id() && ranking.values == served.values;
    (!is_same).then(|| "it is ranked by another ranking than the one that answered it".to_owned())
}

/// Why the ranking is not the agent's own.
fn why_not_emulated(past: &Past, ranking: &Ranking, own: &OwnPipelines<'_>) -> Option<String> {
    let asked = &past.asked;
    let name = agent_name(&asked.agent).name;
    let Some(of_agent) = own.own(&asked.agent) else {
        return Some(format!("{name}'s own search is not emulated"));
    };
    let wanted = own.ranking(asked);
    if ranking.pipeline.id() != wanted.pipeline.id() {
        return Some(format!(
            "it is ranked by {} now, and was ranked by {name} then",
            ranking.pipeline.label()
        ));
    }
    if ranking.values != wanted.values {
        return Some(format!(
            "it is ranked by other settings than those of {name}"
        ));
    }
    if let Some(problem) = of_agent.problems.first() {
        return Some(problem.trim_end_matches('.').to_owned());
    }
    if !of_agent.is_yours {
        return Some(format!(
            "the settings of {name} on this machine are not known"
        ));
    }
    let name_of = own.unfollowed(asked)?;
    Some(format!(
        "the call set {}, which is not emulated",
        memlens_params::brief(&name_of)
    ))
}

/// Reason if the note of a result cannot be identified.
fn unknown(then: &Then<'_>) -> Option<String> {
    let path = memlens_params::brief(&then.result.path);
    match then.place {
        Ok(_) | Err(NoPlace::Deleted) => None,
        Err(NoPlace::None) => Some(format!(
            "no watched folder holds {path}, which may be gone or elsewhere"
        )),
        Err(NoPlace::Several) => Some(format!("several notes have the name {path}")),
        Err(NoPlace::NoWorkspace) => Some(format!("the workspace of {path} is not known")),
    }
}
