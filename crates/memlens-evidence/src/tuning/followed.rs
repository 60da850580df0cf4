//! Relevant places of a query set where their texts are now.

use std::collections::BTreeMap;
use std::path::PathBuf;

use memlens_eval::{Place, Query};
use memlens_library::{EngineError, Library};
use memlens_store::Snapshot;
use memlens_wire::{GoldState, Origin, OriginCount};

use super::anchors::NoteLines;
use super::kept_set::KeptSet;
use super::sets::LoadedSet;
use crate::judged::Found;
use crate::query_file::QueryFile;

/// First and last line, 1-based.
pub(super) type Lines = (u32, u32);

/// A relevant place in the current notes.
pub(super) struct RelevantPlace {
    pub path: PathBuf,
    pub lines: Lines,
}

pub(super) struct FollowedGold {
    /// Current places of each query; `None` if it is not judged, or all its judgments are left out.
    pub of_query: Vec<Option<Vec<RelevantPlace>>>,
    pub origins: Vec<OriginCount>,
    /// Number of judgments whose notes say something else.
    n_gone: u32,
}

impl FollowedGold {
    /// Notice that judgments are left out; `None` if all count.
    pub fn notice(&self) -> Option<String> {
        match self.n_gone {
            0 => None,
            1 => Some(
                "1 judgment no longer fits: its note says something else now; it is left out"
                    .to_owned(),
            ),
            n => Some(format!(
                "{n} judgments no longer fit: their notes say something else now; they are left out"
            )),
        }
    }
}

/// Current relevant places of each query, except those of some origins.
pub(super) fn followed_gold(
    set: &KeptSet,
    without: &[Origin],
    snapshot: &Snapshot,
) -> FollowedGold {
    let mut lines = NoteLines::of(snapshot);
    let mut finder = set.finder(snapshot);
    let mut origins: BTreeMap<Origin, u32> = BTreeMap::new();
    let mut n_gone = 0;
    let of_query = set.queries.iter().map(|query| {
        let all = query.relevant.as_ref()?;
        if all.is_empty() {
            return Some(Vec::new());
        }
        let counted = all.iter().filter(|it| !without.contains(&it.origin));
        let mut followed = Vec::new();
        for gold in counted {
            let found = finder.find(&gold.path);
            let view = gold.to_view(found.path(), &mut lines);
            let place = match (view.state, view.now) {
                // The note exists, with another text: the judgment is of that former text.
                (GoldState::Gone, _) if matches!(found, Found::Note(_)) => {
                    n_gone += 1;
                    continue;
                }
                // A missing place cannot be found, which counts.
                (_, now) => RelevantPlace {
                    path: found.path().to_owned(),
                    lines: now.unwrap_or((gold.start_line, gold.end_line)),
                },
            };
            *origins.entry(gold.origin).or_default() += 1;
            followed.push(place);
        }
        // A query whose judgments are all left out does not become one that should return nothing.
        (!followed.is_empty()).then_some(followed)
    });
    FollowedGold {
        of_query: of_query.collect(),
        origins: origins
            .into_iter()
            .map(|(origin, n)| OriginCount { origin, n })
            .collect(),
        n_gone,
    }
}

impl LoadedSet {
    /// The set in the form of a file, so that every command that measures by a file measures by it. Each place is where its
    /// text is now; a place whose note says something else is left out, as Tune leaves it out.
    ///
    /// # Errors
    /// [`EngineError::NoneJudgedHere`] if none of the judged notes is in the library; [`EngineError::ManyNotes`] if a
    /// document id fits several notes.
    pub fn to_file(&self, library: &Library) -> Result<QueryFile, EngineError> {
        let LoadedSet { info, set, notices } = self;
        let lists = library.lists();
        // What is missing is reported by `judged`.
        set.finder(&lists.snapshot)
            .check(&info.name, set.judged_paths(&[]))?;
        let gold = followed_gold(set, &[], &lists.snapshot);
        let mut left_out = notices.clone();
        left_out.extend(gold.notice());
        let queries = set.queries.iter().zip(gold.of_query);
        let queries = queries.map(|(query, places)| Query {
            relevant: places.map(|places| {
                let each = places.into_iter().map(|place| {
                    let (start_line, end_line) = place.lines;
                    Place::new(place.path.display().to_string(), start_line, end_line)
                });
                each.collect()
            }),
            ..query.plain(str::to_owned)
        });
        let file = QueryFile {
            path: PathBuf::from(&info.name),
            is_in_library: true,
            version: info.hash.clone(),
            base: set.base.clone(),
            has_document_ids: false,
            all: queries.collect(),
            queries: Vec::new(),
            bad_lines: Vec::new(),
            left_out,
        };
        Ok(file.with_judged())
    }
}
