//! Calls that Memlens answered itself as a server of tools: they are asked again by the ranking that answered them.

use memlens_agents::{PastQuestion, ServedCall};
use memlens_library::{Library, Ranking};
use memlens_rank::Columns;
use memlens_retrieve::{Part, Scope};
use memlens_store::FolderId;
use memlens_wire::{AskedAgain, PastServed};

use crate::own::part_asked;

/// The ranking that answered a call; `None` if this version does not know it.
pub(crate) fn ranking(served: &ServedCall) -> Option<Ranking> {
    let given: memlens_wire::Ranking = serde_json::from_value(served.ranking.clone()).ok()?;
    Ranking::given(&given).ok()
}

/// The part of the library that a question searched.
pub(crate) fn part(library: &Library, asked: &PastQuestion) -> Part {
    let Some(served) = &asked.served else {
        return part_asked(library, &asked.agent);
    };
    match (&served.scope, &served.folders, &served.agent) {
        (Some((folder, path)), ..) => Part::Folder(Scope {
            folder: FolderId(*folder),
            path: path.clone(),
        }),
        (None, Some(folders), _) => {
            Part::Folders(folders.iter().map(|folder| FolderId(*folder)).collect())
        }
        (None, None, Some(agent)) => part_asked(library, agent),
        (None, None, None) => Part::All,
    }
}

/// The rows of a ranking that a question's answer holds, best first: a call names a number and a score.
pub(crate) fn answered(asked: &PastQuestion, kept: &[u32], columns: &Columns) -> Vec<u32> {
    let Some(served) = &asked.served else {
        return kept.to_vec();
    };
    let is_enough = |slot: &&u32| {
        let score = columns.score[**slot as usize];
        served
            .min_score
            .is_none_or(|min| score.is_some_and(|score| score >= min))
    };
    let kept = kept.iter().filter(is_enough);
    kept.take(served.max_results as usize).copied().collect()
}

/// What the window shows of it.
pub(crate) fn view(served: &ServedCall) -> PastServed {
    PastServed {
        client: served.client.clone(),
        agent: served.agent.clone(),
        folder: served.scope.as_ref().map(|(folder, _)| folder.to_string()),
        path: served.scope.as_ref().map(|(_, path)| path.clone()),
    }
}

/// What a search of now by the same ranking shows of the answer of then. `is_same` is whether its results are the same.
pub(crate) fn asked_again(served: &ServedCall, generation: u64, is_same: bool) -> AskedAgain {
    let results = if is_same { "the same" } else { "other" };
    let since = if served.generation == generation {
        "neither the notes nor their vectors have changed since"
    } else {
        "the notes or their vectors have changed since, so this is the trace of now"
    };
    AskedAgain {
        is_same,
        sentence: format!(
            "Asked again by the ranking that answered it, it gives {results} results; {since}"
        ),
    }
}
