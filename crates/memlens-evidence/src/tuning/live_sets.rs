//! Query sets that are not stored, but built from the library whenever they are read: one of all judgments, and one of
//! all past questions. What is forgotten is no longer in them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use memlens_library::judging::following::{JudgedText, follow};
use memlens_library::judging::thumbs::question;
use memlens_library::notes::place::note_path;
use memlens_library::{EngineError, Library};
use memlens_past as past;
use memlens_past::PastFilter;
use memlens_retrieve::Lists;
use memlens_store::{Origin as StoredOrigin, StoredSet, Thumb};
use memlens_wire::{Origin, QuerySetInfo};

use super::kept_set::{Gold, KeptQuery, KeptSet};
use super::sets::{LoadedSet, kept_query};

/// The id of the set that is made of judgments.
pub(crate) const JUDGMENTS: &str = "judgments";
const JUDGMENTS_NAME: &str = "Judgments";
/// The id of the set that is made of past questions.
pub(crate) const PAST: &str = "past";
const PAST_NAME: &str = "Past questions";
/// Names of the sets that are not stored.
pub(super) const LIVE_NAMES: [&str; 2] = [JUDGMENTS_NAME, PAST_NAME];

/// A set that is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Live {
    Judgments,
    Past,
}

impl Live {
    /// Why the set cannot be changed or deleted.
    pub fn why_not_stored(self) -> &'static str {
        match self {
            Live::Judgments => "it is made of your judgments as they are now; edit a copy of it",
            Live::Past => {
                "it is made of past questions as they are now; edit a copy of it, or forget past questions"
            }
        }
    }
}

/// The live set of an id or a name.
pub(super) fn live(named: &str) -> Option<Live> {
    let is = |name: &str| named.eq_ignore_ascii_case(name);
    if is(JUDGMENTS) || is(JUDGMENTS_NAME) {
        Some(Live::Judgments)
    } else if is(PAST) || is(PAST_NAME) {
        Some(Live::Past)
    } else {
        None
    }
}

/// The name under which a stored set, one of `sets`, is shown and found: a name that a live set has too, as earlier
/// versions stored it, is marked.
pub(super) fn shown_name<'a>(stored: &'a str, sets: &[StoredSet]) -> Cow<'a, str> {
    if live(stored).is_none() {
        return Cow::Borrowed(stored);
    }
    let is_taken = |name: &str| sets.iter().any(|it| it.name.eq_ignore_ascii_case(name));
    let mut name = format!("{stored} (copy)");
    let mut n = 2;
    while is_taken(&name) {
        name = format!("{stored} (copy {n})");
        n += 1;
    }
    Cow::Owned(name)
}

/// Notice that a stored set of this name has a new name; `None` if there is none.
pub(super) fn renamed(named: &str, sets: &[StoredSet]) -> Option<String> {
    let stored = sets
        .iter()
        .find(|it| it.name.eq_ignore_ascii_case(named) && live(&it.name).is_some())?;
    Some(format!(
        "your stored set of this name is now called “{}”; this is the one that is made of what the library holds",
        shown_name(&stored.name, sets)
    ))
}

/// The judgments as they are now, by question.
pub(super) fn judgments(library: &Library) -> Result<LoadedSet, EngineError> {
    let lists = library.lists();
    let store = library.store();
    let given = store.feedback()?.into_iter().map(|one| {
        let of = one.feedback;
        (Origin::Given, of.query, of.hash, of.text, of.path, of.thumb)
    });
    let observed = store.judgments(StoredOrigin::Observed)?.into_iter();
    let observed = observed.map(|of| {
        (
            Origin::Observed,
            of.question,
            of.hash,
            of.text,
            of.path,
            Thumb::Up,
        )
    });
    // The newest of each come first.
    let all: Vec<_> = given.chain(observed).collect();
    let texts: Vec<JudgedText<'_>> = all
        .iter()
        .map(|(_, _, hash, text, path, _)| JudgedText { hash, text, path })
        .collect();
    let stands = follow(&texts, &lists.snapshot, &store, lists.vectors.model())?;
    drop(store);
    let mut set = KeptSet::default();
    let mut at: HashMap<String, usize> = HashMap::new();
    let mut n_gone = 0;
    // Of several for one text, the user's judgment precedes observed use, and the newer precedes the older.
    let mut is_decided = HashSet::new();
    for ((origin, asked, .., thumb), stands) in all.iter().zip(stands) {
        let at = *at.entry(question(asked)).or_insert_with(|| {
            let hash = blake3::hash(question(asked).as_bytes()).to_hex();
            set.queries.push(KeptQuery {
                id: format!("j-{}", &hash[..8]),
                query: asked.clone(),
                ..KeptQuery::default()
            });
            set.queries.len() - 1
        });
        let Some(place) = stands.place() else {
            n_gone += 1;
            continue;
        };
        if is_decided.insert((at, place)) && *thumb == Thumb::Up {
            let relevant = &mut set.queries[at].relevant;
            relevant
                .get_or_insert_default()
                .push(gold_at(&lists, place, *origin));
        }
    }
    let notices = (n_gone > 0)
        .then(|| no_longer_fit(n_gone))
        .into_iter()
        .collect();
    Ok(LoadedSet {
        info: live_info(JUDGMENTS, JUDGMENTS_NAME, &set),
        set,
        notices,
    })
}

/// The past questions as they are now, each wording of an agent once.
pub(super) fn past_set(library: &Library) -> Result<LoadedSet, EngineError> {
    let past = past::past_set_of(library, &PastFilter::default(), Path::new(""))?;
    let queries = past.queries.iter();
    let set = KeptSet {
        queries: queries.map(|it| kept_query(it, Origin::Observed)).collect(),
        ..KeptSet::default()
    };
    Ok(LoadedSet {
        info: live_info(PAST, PAST_NAME, &set),
        set,
        notices: past.notices,
    })
}

fn live_info(id: &str, name: &str, set: &KeptSet) -> QuerySetInfo {
    QuerySetInfo {
        id: id.to_owned(),
        name: name.to_owned(),
        is_live: true,
        hash: set.version(),
        counts: set.counts(),
        changed_ms: None,
    }
}

/// Notice that judgments are left out.
pub(crate) fn no_longer_fit(n: u32) -> String {
    match n {
        1 => "1 judgment no longer fits: its note is gone or says something else; it is left out"
            .to_owned(),
        n => format!(
            "{n} judgments no longer fit: their notes are gone or say something else; they are left out"
        ),
    }
}

fn gold_at(lists: &Lists, place: u32, origin: Origin) -> Gold {
    let (document, chunk) = lists.snapshot.chunk(place);
    let folder = lists.snapshot.folder(document.folder);
    let folder = folder.map_or("", |folder| folder.path.as_str());
    Gold {
        path: note_path(folder, &document.path).display().to_string(),
        start_line: chunk.start_line,
        end_line: chunk.end_line,
        origin,
        text: None,
    }
}
