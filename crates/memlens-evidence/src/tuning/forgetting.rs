//! Removes forgotten past questions from the query sets made of them, and from the runs of these sets.
//!
//! Everything that the user asked, judged or edited stays: a question with a thumb, one that they saved, one of a set
//! that is not made of past questions, and a copied question that they changed.

use std::collections::HashSet;

use memlens_library::EngineError;
use memlens_past::is_past_id;
use memlens_store::Store;
use memlens_wire::{CopiedPast, Origin};

use super::kept_set::{KeptQuery, KeptSet};
use super::live_sets::shown_name;
use super::runs::RunRecord;
use super::sets::stored;

/// Replaces a forgotten question in a run, whose metrics stay.
const FORGOTTEN: &str = "(forgotten)";

/// Removes past questions with these texts, which have just expired.
pub fn forget_past_in_sets(store: &mut Store, gone: &[String]) -> Result<(), EngineError> {
    if gone.is_empty() {
        return Ok(());
    }
    forget(store, gone, |query, gone| {
        is_observed(query) && gone.contains(&*query.query)
    })
}

/// Removes every past question, also those in sets that are older than the stored past questions; `gone` are the texts
/// of those that were stored.
pub fn forget_all_past_in_sets(store: &mut Store, gone: &[String]) -> Result<(), EngineError> {
    forget(store, gone, |query, _| is_observed(query))
}

/// How many queries of each set are copies of past questions that are forgotten with them.
pub fn copies_of_past(store: &Store) -> Result<Vec<CopiedPast>, EngineError> {
    let mut copies = Vec::new();
    let sets = store.query_sets()?;
    for listed in &sets {
        let Some((set, content)) = store.query_set(listed.id)? else {
            continue;
        };
        // A set that cannot be read is not changed either.
        let Ok(read) = serde_json::from_str::<KeptSet>(&content) else {
            continue;
        };
        let n_queries = read.queries.iter().filter(|it| is_observed(it)).count() as u32;
        if n_queries > 0 {
            copies.push(CopiedPast {
                set: shown_name(&set.name, &sets).into_owned(),
                n_queries,
                n_kept: read.queries.len() as u32 - n_queries,
            });
        }
    }
    Ok(copies)
}

/// Whether a query is only a past question: made from one, and never judged or edited by the user.
pub(super) fn is_observed(query: &KeptQuery) -> bool {
    if query.is_edited {
        return false;
    }
    let gold = query.relevant.as_deref().unwrap_or_default();
    let is_all_observed = gold.iter().all(|it| it.origin == Origin::Observed);
    is_all_observed && (!gold.is_empty() || is_past_id(&query.id))
}

fn forget(
    store: &mut Store,
    gone: &[String],
    is_gone: impl Fn(&KeptQuery, &HashSet<&str>) -> bool,
) -> Result<(), EngineError> {
    let mut gone: HashSet<&str> = gone.iter().map(String::as_str).collect();
    // Contents of the sets, for the runs.
    let mut removed: HashSet<String> = HashSet::new();
    let mut kept: HashSet<String> = HashSet::new();
    for listed in store.query_sets()? {
        let Some((set, content)) = store.query_set(listed.id)? else {
            continue;
        };
        let Ok(mut queries) = serde_json::from_str::<KeptSet>(&content) else {
            tracing::warn!(set = %set.name, "a query set cannot be read, and keeps what it holds");
            continue;
        };
        let n_before = queries.queries.len();
        queries.queries.retain(|query| {
            let goes = is_gone(query, &gone);
            let words = if goes { &mut removed } else { &mut kept };
            words.insert(query.query.clone());
            !goes
        });
        if queries.queries.len() == n_before {
            continue;
        }
        if queries.queries.is_empty() {
            store.delete_query_set(set.id)?;
        } else {
            store.change_query_set(set.id, &set.hash, &stored(&queries))?;
        }
    }
    for thumb in store.feedback()? {
        kept.insert(thumb.feedback.query);
    }
    kept.extend(memlens_library::judging::saved_questions::read(store).unwrap_or_default());
    gone.extend(removed.iter().map(String::as_str));
    gone.retain(|words| !kept.contains(*words));
    for run in store.runs()? {
        let Ok(mut record) = serde_json::from_str::<RunRecord>(&run.content) else {
            continue;
        };
        let mut is_changed = false;
        for query in &mut record.per_query {
            if gone.contains(&*query.query) {
                FORGOTTEN.clone_into(&mut query.query);
                is_changed = true;
            }
        }
        if is_changed {
            let content =
                serde_json::to_string(&record).expect("plain data can always be written as JSON");
            store.change_run(run.id, &content)?;
        }
    }
    Ok(())
}
