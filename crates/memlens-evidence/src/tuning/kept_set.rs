//! A query set in its stored form.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use memlens_eval::{Place, Query};
use memlens_store::Snapshot;
use memlens_wire::{Origin, OriginCount, QuerySetCounts};
use serde::{Deserialize, Serialize};

use crate::judged::NoteFinder;

/// A query set as the library stores it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptSet {
    /// The folder that its paths are relative to; empty if they are absolute.
    pub base: PathBuf,
    /// Whether its paths are document ids: each names the note whose path ends with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_document_ids: bool,
    /// Its queries, each id once.
    pub queries: Vec<KeptQuery>,
}

/// A query of a set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptQuery {
    /// Id of the query within its set.
    pub id: String,
    pub query: String,
    /// Category of the query; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Sub-folder that the search is limited to; `None` for all notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Places that answer the query; `None` if not judged yet, empty if nothing should be found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevant: Option<Vec<Gold>>,
    /// Whether the user changed it since it was copied: what was made of past questions is then theirs, and not forgotten with them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_edited: bool,
}

/// A relevant place, with the text that was judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gold {
    /// Path of the note; relative to the set's folder if it is inside it.
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// Where the judgment comes from.
    #[serde(with = "stored_origin")]
    pub origin: Origin,
    /// Text of the lines, so that the place follows it; `None` if the note did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The word for an origin in the library.
mod stored_origin {
    use memlens_wire::Origin;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(origin: &Origin, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match origin {
            Origin::Given => "given",
            Origin::Imported => "imported",
            Origin::Observed => "observed",
        })
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Origin, D::Error> {
        match &*String::deserialize(from)? {
            "given" => Ok(Origin::Given),
            "imported" => Ok(Origin::Imported),
            "observed" => Ok(Origin::Observed),
            other => Err(D::Error::custom(format!("no origin is called {other}"))),
        }
    }
}

/// What the library stores of [`QuerySetCounts`], so that listing sets reads no content.
#[derive(Default, Serialize, Deserialize)]
struct StoredCounts {
    n_queries: u32,
    n_judged: u32,
    n_nonsense: u32,
    n_unjudged: u32,
    n_gold: u32,
    categories: Vec<String>,
    origins: Vec<StoredOriginCount>,
}

#[derive(Serialize, Deserialize)]
struct StoredOriginCount {
    #[serde(with = "stored_origin")]
    origin: Origin,
    n: u32,
}

/// Counts in the stored form.
pub(crate) fn counts_text(counts: QuerySetCounts) -> String {
    let origins = counts.origins.into_iter();
    let stored = StoredCounts {
        n_queries: counts.n_queries,
        n_judged: counts.n_judged,
        n_nonsense: counts.n_nonsense,
        n_unjudged: counts.n_unjudged,
        n_gold: counts.n_gold,
        categories: counts.categories,
        origins: origins
            .map(|OriginCount { origin, n }| StoredOriginCount { origin, n })
            .collect(),
    };
    serde_json::to_string(&stored).expect("plain data can always be written as JSON")
}

/// Counts from the stored form; all 0 if it cannot be read.
pub(crate) fn counts_of(text: &str) -> QuerySetCounts {
    let stored: StoredCounts = serde_json::from_str(text).unwrap_or_default();
    let origins = stored.origins.into_iter();
    QuerySetCounts {
        n_queries: stored.n_queries,
        n_judged: stored.n_judged,
        n_nonsense: stored.n_nonsense,
        n_unjudged: stored.n_unjudged,
        n_gold: stored.n_gold,
        categories: stored.categories,
        origins: origins
            .map(|StoredOriginCount { origin, n }| OriginCount { origin, n })
            .collect(),
    }
}

impl KeptQuery {
    /// The query in the form of a file, with each path converted by `named`.
    pub fn plain(&self, named: impl Fn(&str) -> String) -> Query {
        let place = |it: &Gold| Place::new(named(&it.path), it.start_line, it.end_line);
        Query {
            id: self.id.clone(),
            query: self.query.clone(),
            category: self.category.clone(),
            scope: self.scope.as_deref().map(&named),
            relevant: self
                .relevant
                .as_ref()
                .map(|gold| gold.iter().map(place).collect()),
        }
    }
}

impl KeptSet {
    /// Counts of queries, places, categories and origins.
    pub fn counts(&self) -> QuerySetCounts {
        let mut counts = QuerySetCounts {
            n_queries: self.queries.len() as u32,
            ..QuerySetCounts::default()
        };
        let mut categories = BTreeSet::new();
        let mut origins: BTreeMap<Origin, u32> = BTreeMap::new();
        for query in &self.queries {
            categories.extend(query.category.clone());
            match query.relevant.as_deref() {
                None => counts.n_unjudged += 1,
                Some([]) => counts.n_nonsense += 1,
                Some(gold) => {
                    counts.n_judged += 1;
                    counts.n_gold += gold.len() as u32;
                    for place in gold {
                        *origins.entry(place.origin).or_default() += 1;
                    }
                }
            }
        }
        counts.categories = categories.into_iter().collect();
        counts.origins = origins
            .into_iter()
            .map(|(origin, n)| OriginCount { origin, n })
            .collect();
        counts
    }

    /// Finds the notes that its paths name.
    pub fn finder<'a>(&self, snapshot: &'a Snapshot) -> NoteFinder<'a> {
        NoteFinder::new(snapshot, &self.base, self.has_document_ids)
    }

    /// Paths of the relevant places, except those of some origins.
    pub fn judged_paths(&self, without: &[Origin]) -> impl Iterator<Item = &str> {
        let gold = self.queries.iter().filter_map(|it| it.relevant.as_ref());
        gold.flatten()
            .filter(|it| !without.contains(&it.origin))
            .map(|it| it.path.as_str())
    }

    /// Absolute path of a path in the set.
    pub fn absolute(&self, path: &str) -> PathBuf {
        self.base.join(path)
    }

    /// A path in the form that the set uses.
    pub fn named(&self, absolute: &Path) -> String {
        if self.base.as_os_str().is_empty() {
            return absolute.display().to_string();
        }
        memlens_files::name_from(&self.base, absolute)
    }

    /// Version of the set: a hash of its queries and judgments, independent of its folder, of who judged, and of the
    /// current notes.
    pub fn version(&self) -> String {
        let queries: Vec<Query> = self
            .queries
            .iter()
            .map(|it| it.plain(str::to_owned))
            .collect();
        memlens_eval::query_set_hash(&queries)
    }

    /// An id that no query has.
    pub fn new_id(&self) -> String {
        let taken: BTreeSet<&str> = self.queries.iter().map(|it| it.id.as_str()).collect();
        let mut ids = (self.queries.len() + 1..).map(|n| format!("q{n}"));
        ids.find(|id| !taken.contains(id.as_str()))
            .expect("there are more numbers than queries")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_origins_are_stored_in_words_that_stay() {
        let gold = |origin| Gold {
            path: "a.md".to_owned(),
            start_line: 1,
            end_line: 2,
            origin,
            text: None,
        };
        let origins = [Origin::Given, Origin::Imported, Origin::Observed];
        let set = KeptSet {
            queries: vec![KeptQuery {
                id: "q1".to_owned(),
                query: "router".to_owned(),
                category: Some("home".to_owned()),
                relevant: Some(origins.map(gold).to_vec()),
                ..KeptQuery::default()
            }],
            ..KeptSet::default()
        };
        let counts = counts_text(set.counts());
        assert_eq!(
            counts,
            r#"{"n_queries":1,"n_judged":1,"n_nonsense":0,"n_unjudged":0,"n_gold":3,"categories":["home"],"origins":[{"origin":"given","n":1},{"origin":"imported","n":1},{"origin":"observed","n":1}]}"#
        );
        assert_eq!(counts_of(&counts), set.counts());
        assert_eq!(counts_of("{}"), QuerySetCounts::default());
        let stored = serde_json::to_string(&set).expect("it is plain data");
        assert!(stored.contains(r#""origin":"observed""#), "{stored}");
        let read: KeptSet = serde_json::from_str(&stored).expect("it was written here");
        assert_eq!(read, set);
    }

    #[test]
    fn ids_are_never_given_twice_and_paths_come_back() {
        let query = |id: &str| KeptQuery {
            id: id.to_owned(),
            ..KeptQuery::default()
        };
        let mut set = KeptSet {
            base: PathBuf::from("/notes"),
            has_document_ids: false,
            queries: vec![query("q1"), query("q3")],
        };
        assert_eq!(set.new_id(), "q4");
        set.queries.push(query("q4"));
        set.queries.remove(0);
        assert_eq!(set.new_id(), "q5");
        for path in ["/notes/a/b.md", "/elsewhere/b.md"] {
            assert_eq!(set.absolute(&set.named(Path::new(path))), Path::new(path));
        }
        assert_eq!(set.named(Path::new("/notes/a/b.md")), "a/b.md");
        set.base = PathBuf::new();
        assert_eq!(set.named(Path::new("/notes/a/b.md")), "/notes/a/b.md");
    }
}
