//! Past questions as a query set, for other programs and for tuning.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use memlens_eval::{Place, Query, to_jsonl};
use memlens_library::notes::place::note_path;
use memlens_library::{EngineError, Library};

use super::{Judged, LeftOut, Past, PastFilter, Places};
use crate::places::places;

/// Prefix of the ids of queries that were made of past questions.
const ID_PREFIX: &str = "past-";

/// Whether an id belongs to a query that was made of a past question.
pub fn is_past_id(id: &str) -> bool {
    let number = id.strip_prefix(ID_PREFIX);
    number.is_some_and(|number| number.parse::<i64>().is_ok())
}

pub struct PastQueries {
    /// Oldest first, each wording of an agent once. The category is the agent; of several agents of one program each has its own.
    pub queries: Vec<Query>,
    /// What is left out, a sentence each.
    pub notices: Vec<String>,
}

/// Past questions as queries. What an agent opened or cited after a question is relevant, where the note was not changed since;
/// paths are relative to `base` if the notes are in it, else absolute.
pub fn past_set_of(
    library: &Library,
    filter: &PastFilter,
    base: &Path,
) -> Result<PastQueries, EngineError> {
    let mut past = crate::list(library, filter)?;
    past.reverse();
    let places = places(library)?;
    let mut left_out = LeftOut::default();
    let mut queries: Vec<Query> = Vec::new();
    let mut known: HashMap<(&str, &str, Option<&str>), usize> = HashMap::new();
    let several = with_several_agents(&past);
    for one in &past {
        let Past {
            id, asked, member, ..
        } = one;
        let member = member.as_deref();
        let relevant = relevant(library, one, &places, base, &mut left_out);
        // Without judgments it is not judged: no place would mean that nothing should be found.
        let relevant = (!relevant.is_empty()).then_some(relevant);
        match known.entry((&asked.question, &asked.agent, member)) {
            Entry::Occupied(at) => {
                let known = &mut queries[*at.get()].relevant;
                for place in relevant.into_iter().flatten() {
                    let known = known.get_or_insert_default();
                    if !known.contains(&place) {
                        known.push(place);
                    }
                }
            }
            Entry::Vacant(new) => {
                new.insert(queries.len());
                queries.push(Query {
                    id: format!("{ID_PREFIX}{id}"),
                    query: asked.question.clone(),
                    relevant,
                    category: Some(match member {
                        Some(member) if several.contains(asked.agent.as_str()) => {
                            format!("{} ({member})", asked.agent)
                        }
                        Some(_) | None => asked.agent.clone(),
                    }),
                    scope: None,
                });
            }
        }
    }
    Ok(PastQueries {
        queries,
        notices: left_out.sentences(),
    })
}

/// The programs of which more than one agent asked.
fn with_several_agents(past: &[Past]) -> HashSet<&str> {
    let mut first: HashMap<&str, Option<&str>> = HashMap::new();
    let others = past.iter().filter(|past| {
        let member = past.member.as_deref();
        *first.entry(&past.asked.agent).or_insert(member) != member
    });
    others.map(|past| past.asked.agent.as_str()).collect()
}

/// Past questions as `queries.jsonl`, the oldest first, each once. What an agent opened or cited after a question is
/// relevant, where the note has not changed since; paths are relative to `base` where the notes are in it, else absolute.
///
/// # Errors
/// [`EngineError::Store`].
pub fn queries_text(
    library: &Library,
    filter: &PastFilter,
    base: &Path,
) -> Result<String, EngineError> {
    Ok(as_jsonl(
        &crate::past_set_of(library, filter, base)?.queries,
    ))
}

/// Writes past questions as a query set. Returns what is left out of it, a sentence each.
///
/// # Errors
/// [`EngineError::QuerySet`] if there are none; as [`crate::queries_text`] and [`Library::write_output`].
pub fn write_queries(
    library: &Library,
    filter: &PastFilter,
    path: &Path,
) -> Result<Vec<String>, EngineError> {
    let base = memlens_files::folder_of(path);
    let past = crate::past_set_of(library, filter, &base)?;
    if past.queries.is_empty() {
        return Err(EngineError::QuerySet {
            attempt: "export",
            named: "past questions".to_owned(),
            why: "there are none; no file was written".to_owned(),
        });
    }
    library.write_output(as_jsonl(&past.queries).as_bytes(), path, &[])?;
    Ok(past.notices)
}

fn relevant(
    library: &Library,
    past: &Past,
    places: &Places,
    base: &Path,
    left_out: &mut LeftOut,
) -> Vec<Place> {
    let Past { asked, member, .. } = past;
    let mut relevant: Vec<Place> = Vec::new();
    let lists = library.lists();
    for used in asked.opened.iter().chain(&asked.cited) {
        let Judged { place, lines, .. } = match Judged::of(asked, member.as_deref(), used, places) {
            Ok(judged) => judged,
            Err(why) => {
                left_out.add(asked, used, why);
                continue;
            }
        };
        if lines.is_empty() {
            left_out.add_without_lines(asked, used);
        }
        let Some(folder) = lists.snapshot.folder(place.folder) else {
            continue;
        };
        let absolute = note_path(&folder.path, &place.path);
        let path = memlens_files::name_from(base, &absolute);
        for (start_line, end_line) in lines {
            let place = Place::new(path.clone(), start_line, end_line);
            if !relevant.contains(&place) {
                relevant.push(place);
            }
        }
    }
    relevant
}

fn as_jsonl(queries: &[Query]) -> String {
    String::from_utf8(to_jsonl(queries)).expect("JSON is UTF-8")
}
