//! Several query sets as one.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use memlens_library::{EngineError, Library};
use memlens_past::is_past_id;
use memlens_store::Snapshot;

use super::forgetting::is_observed;
use super::kept_set::{Gold, KeptQuery, KeptSet};
use super::sets::{LoadedSet, refused};

/// The queries of several sets, each question of a part of the notes once, with the relevant places of all; and notices.
///
/// # Errors
/// [`EngineError::QuerySet`] for fewer than two sets; [`EngineError::ManyNotes`] if a document id fits several notes.
pub(super) fn merged(
    library: &Library,
    mut sets: Vec<LoadedSet>,
) -> Result<(KeptSet, Vec<String>), EngineError> {
    let mut known = HashSet::new();
    sets.retain(|set| known.insert(set.info.id.clone()));
    let [first, _, ..] = &sets[..] else {
        return Err(refused(
            "merge",
            "the query sets",
            "name at least two that differ",
        ));
    };
    let paths = |set: &KeptSet| (set.base.clone(), set.has_document_ids);
    let of_first = paths(&first.set);
    let is_alike = sets.iter().all(|it| paths(&it.set) == of_first);
    let lists = library.lists();
    let mut all = Merged::default();
    let mut notices = Vec::new();
    for loaded in sets {
        notices.extend(loaded.notices.iter().cloned());
        let set = match is_alike {
            true => loaded.set,
            false => absolute(loaded, &lists.snapshot)?,
        };
        set.queries.into_iter().for_each(|query| all.add(query));
    }
    notices.extend(all.notice());
    let (base, has_document_ids) = match is_alike {
        true => of_first,
        false => paths(&KeptSet::default()),
    };
    let set = KeptSet {
        base,
        has_document_ids,
        queries: all.queries,
    };
    Ok((set, notices))
}

/// A set whose paths are absolute.
fn absolute(loaded: LoadedSet, snapshot: &Snapshot) -> Result<KeptSet, EngineError> {
    let LoadedSet { info, mut set, .. } = loaded;
    let mut finder = set.finder(snapshot);
    if set.has_document_ids {
        // An id that fits several notes has no path. That none is in the library is reported where the set is measured.
        let judged = finder.check(&info.name, set.judged_paths(&[]));
        if let Err(error @ EngineError::ManyNotes { .. }) = judged {
            return Err(error);
        }
    }
    let base = set.base.clone();
    for query in &mut set.queries {
        let scope = query.scope.take();
        query.scope = scope.map(|scope| base.join(scope).display().to_string());
        for gold in query.relevant.iter_mut().flatten() {
            gold.path = finder.find(&gold.path).path().display().to_string();
        }
    }
    Ok(KeptSet {
        queries: set.queries,
        ..KeptSet::default()
    })
}

#[derive(Default)]
struct Merged {
    queries: Vec<KeptQuery>,
    /// Position of each question in a part of the notes.
    at: HashMap<(String, Option<String>), usize>,
    ids: HashSet<String>,
    n_ids: usize,
    /// Number of questions that have an answer in one set and none in another.
    n_contradicting: u32,
}

impl Merged {
    fn add(&mut self, mut query: KeptQuery) {
        let question = (query.query.clone(), query.scope.clone());
        match self.at.entry(question) {
            Entry::Occupied(at) => {
                let known = &mut self.queries[*at.get()];
                // What is the user's in one set is not forgotten with past questions.
                known.is_edited |= query.is_edited || is_observed(known) != is_observed(&query);
                known.category = known.category.take().or(query.category);
                self.n_contradicting += u32::from(unite(&mut known.relevant, query.relevant));
            }
            Entry::Vacant(new) => {
                new.insert(self.queries.len());
                query.id = self.free_id(query.id);
                self.ids.insert(query.id.clone());
                self.queries.push(query);
            }
        }
    }

    /// This id, or one like it if a query has it: by its id a copied past question is known as one.
    fn free_id(&mut self, id: String) -> String {
        if !self.ids.contains(&id) {
            return id;
        }
        let prefix = if is_past_id(&id) { "past-" } else { "q" };
        loop {
            self.n_ids += 1;
            let other = format!("{prefix}{}", self.n_ids);
            if !self.ids.contains(&other) {
                return other;
            }
        }
    }

    fn notice(&self) -> Option<String> {
        match self.n_contradicting {
            0 => None,
            1 => Some(
                "1 question has an answer in one set and is to find nothing in another: the answer counts"
                    .to_owned(),
            ),
            n => Some(format!(
                "{n} questions have an answer in one set and are to find nothing in another: the answers count"
            )),
        }
    }
}

/// Adds the judgments of another set. Returns whether one says that nothing is to be found, and the other what.
fn unite(known: &mut Option<Vec<Gold>>, other: Option<Vec<Gold>>) -> bool {
    let Some(other) = other else {
        return false;
    };
    let Some(known) = known else {
        *known = Some(other);
        return false;
    };
    let contradicts = known.is_empty() != other.is_empty();
    for gold in other {
        let place = |it: &Gold| (it.path.clone(), it.start_line, it.end_line);
        if known.iter().all(|it| place(it) != place(&gold)) {
            known.push(gold);
        }
    }
    contradicts
}

#[cfg(test)]
mod tests {
    use memlens_wire::Origin;

    use super::*;

    fn gold(path: &str, origin: Origin) -> Gold {
        Gold {
            path: path.to_owned(),
            start_line: 1,
            end_line: 2,
            origin,
            text: None,
        }
    }

    fn query(id: &str, text: &str, relevant: Option<Vec<Gold>>) -> KeptQuery {
        KeptQuery {
            id: id.to_owned(),
            query: text.to_owned(),
            relevant,
            ..KeptQuery::default()
        }
    }

    #[test]
    fn a_question_is_one_query_with_the_places_of_all() {
        let mut all = Merged::default();
        let (a, b) = (
            || gold("a.md", Origin::Given),
            || gold("b.md", Origin::Given),
        );
        all.add(query("q1", "router", Some(vec![a()])));
        all.add(query("q1", "lamp", None));
        all.add(query("q7", "router", Some(vec![a(), b()])));
        all.add(query("n", "lamp", Some(Vec::new())));
        all.add(KeptQuery {
            scope: Some("hall".to_owned()),
            ..query("q7", "router", None)
        });
        let ids: Vec<&str> = all.queries.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(ids.len(), 3);
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 3, "{ids:?}");
        assert_eq!(all.queries[0].relevant, Some(vec![a(), b()]));
        assert_eq!(all.queries[1].relevant, Some(Vec::new()));
        assert_eq!(all.notice(), None);
        // A known answer is worth more than the word that there is none.
        all.add(query("q9", "lamp", Some(vec![a()])));
        all.add(query("q9", "router", Some(Vec::new())));
        assert_eq!(all.queries[1].relevant, Some(vec![a()]));
        assert_eq!(all.queries[0].relevant, Some(vec![a(), b()]));
        assert!(
            all.notice()
                .is_some_and(|it| it.starts_with("2 questions have an answer"))
        );
    }

    #[test]
    fn a_copied_past_question_is_forgotten_unless_it_is_also_the_users() {
        let observed =
            |id: &str, text: &str| query(id, text, Some(vec![gold("a.md", Origin::Observed)]));
        let mut all = Merged::default();
        all.add(observed("past-1", "alone"));
        all.add(query("past-2", "not judged", None));
        all.add(query("past-2", "of the same id", None));
        all.add(observed("past-3", "also typed"));
        all.add(query("q1", "also typed", None));
        all.add(observed("past-4", "also imported"));
        all.add(KeptQuery {
            is_edited: true,
            ..query(
                "q2",
                "also imported",
                Some(vec![gold("b.md", Origin::Imported)]),
            )
        });
        let forgotten: Vec<&str> = all
            .queries
            .iter()
            .filter(|it| is_observed(it))
            .map(|it| it.query.as_str())
            .collect();
        assert_eq!(forgotten, ["alone", "not judged", "of the same id"]);
    }
}
