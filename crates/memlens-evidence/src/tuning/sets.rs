//! Stored query sets, and access to all sets by id or name.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use memlens_eval::Query;
use memlens_library::writes::Writes;
use memlens_library::{EngineError, Library};
use memlens_store::{NewSet, Snapshot, Store, StoredSet};
use memlens_wire::{
    GoldPlace, Origin, QueryEdit, QuerySetInfo, QuerySetView, SetFormat, SetQuery, TypedPlace,
};

use super::anchors::NoteLines;
use super::kept_set::{Gold, KeptQuery, KeptSet, counts_of, counts_text};
use super::live_sets::{LIVE_NAMES, Live, judgments, live, past_set, renamed, shown_name};
use super::making::anchor;
use memlens_library::notes::place::note_path;
use memlens_library::notes::spelling::respelled;

use crate::judged::note_at;
use crate::query_file::QueryFile;

/// A query set that was loaded from the library or a file.
#[derive(Clone)]
pub struct LoadedSet {
    pub(crate) info: QuerySetInfo,
    pub(crate) set: KeptSet,
    /// Notices to show to the user.
    pub(crate) notices: Vec<String>,
}

/// Every query set: the live ones of judgments and of past questions first, then by name.
///
/// # Errors
/// [`EngineError::Store`].
pub fn query_sets(library: &Library) -> Result<Vec<QuerySetInfo>, EngineError> {
    let stored = library.store().query_sets()?;
    let mut sets = vec![judgments(library)?.info];
    let past = past_set(library)?.info;
    if past.counts.n_queries > 0 {
        sets.push(past);
    }
    sets.extend(stored.iter().map(|it| info(it, &stored)));
    Ok(sets)
}

/// A query set with the state of each relevant place.
///
/// # Errors
/// [`EngineError::QuerySet`] if there is no set with this id; [`EngineError::Store`].
pub fn query_set(library: &Library, id: &str) -> Result<QuerySetView, EngineError> {
    let LoadedSet { info, set, notices } = load_set(library, id)?;
    let lists = library.lists();
    let mut lines = NoteLines::of(&lists.snapshot);
    let mut finder = set.finder(&lists.snapshot);
    let queries = set.queries.iter().map(|query| SetQuery {
        id: query.id.clone(),
        query: query.query.clone(),
        category: query.category.clone(),
        scope: query.scope.clone(),
        relevant: query.relevant.as_ref().map(|gold| {
            let each = gold
                .iter()
                .map(|place| place.to_view(finder.find(&place.path).path(), &mut lines));
            each.collect()
        }),
    });
    Ok(QuerySetView {
        queries: queries.collect(),
        base: set.base.display().to_string(),
        info,
        notices,
    })
}

/// A query set by its id or its name.
///
/// # Errors
/// As [`query_set`].
pub fn load_set(library: &Library, named: &str) -> Result<LoadedSet, EngineError> {
    if let Some(live) = live(named) {
        let mut loaded = match live {
            Live::Judgments => judgments(library)?,
            Live::Past => past_set(library)?,
        };
        let sets = library.store().query_sets()?;
        loaded.notices.extend(renamed(named, &sets));
        return Ok(loaded);
    }
    let store = library.store();
    let (stored, content) = read(&store, named)?;
    let set = parse(&stored.name, &content)?;
    Ok(LoadedSet {
        info: info(&stored, &store.query_sets()?),
        set,
        notices: Vec::new(),
    })
}

/// A query as the user typed it, in a set.
fn typed_query(
    library: &Library,
    edit: &QueryEdit,
    id: String,
    set: &KeptSet,
    was: Option<&KeptQuery>,
) -> Result<KeptQuery, EngineError> {
    let query = edit.query.trim();
    if query.is_empty() {
        return Err(EngineError::EmptyQuery);
    }
    let filled = |text: &Option<String>| {
        let text = text.as_deref().map(str::trim);
        text.filter(|it| !it.is_empty()).map(str::to_owned)
    };
    let relevant = edit.relevant.as_ref().map(|places| {
        let each = places
            .iter()
            .map(|place| typed_gold(library, place, set, was));
        each.collect::<Result<Vec<Gold>, EngineError>>()
    });
    Ok(KeptQuery {
        id,
        query: query.to_owned(),
        category: filled(&edit.category),
        scope: filled(&edit.scope),
        relevant: relevant.transpose()?,
        is_edited: was.is_some_and(|was| was.is_edited),
    })
}

/// A relevant place as the user typed it; an existing place keeps its origin and text.
fn typed_gold(
    library: &Library,
    typed: &TypedPlace,
    set: &KeptSet,
    was: Option<&KeptQuery>,
) -> Result<Gold, EngineError> {
    let refused = |why: &str| EngineError::Place {
        typed: format!("{}:{}-{}", typed.path, typed.start_line, typed.end_line),
        why: why.to_owned(),
    };
    if typed.start_line == 0 || typed.end_line < typed.start_line {
        return Err(refused(
            "lines count from 1, and the last is not before the first",
        ));
    }
    let lists = library.lists();
    let absolute = [set
        .finder(&lists.snapshot)
        .find(&typed.path)
        .path()
        .to_owned()]
    .into_iter()
    .chain(in_watched(&lists.snapshot, &typed.path))
    .find(|path| note_at(&lists.snapshot, path).is_some());
    let path = absolute
        .as_deref()
        .map_or(typed.path.clone(), |it| set.named(it));
    let before = was
        .and_then(|was| was.relevant.as_ref())
        .into_iter()
        .flatten();
    let mut before = before.filter(|it| {
        (it.path == path || it.path == typed.path)
            && (it.start_line, it.end_line) == (typed.start_line, typed.end_line)
    });
    if let Some(same) = before.next() {
        return Ok(same.clone());
    }
    if absolute.is_none() {
        return Err(refused("no watched folder holds this note"));
    }
    Ok(Gold {
        path,
        start_line: typed.start_line,
        end_line: typed.end_line,
        origin: Origin::Given,
        text: None,
    })
}

/// Notes that a path names within watched folders, with or without the folder's name.
fn in_watched(snapshot: &Snapshot, typed: &str) -> Vec<PathBuf> {
    let mut named = Vec::new();
    for folder in &snapshot.folders {
        let below = typed.strip_prefix(&folder.name);
        let below = below.and_then(|rest| rest.strip_prefix('/'));
        named.extend(
            [Some(typed), below]
                .into_iter()
                .flatten()
                .map(|path| (folder, path)),
        );
    }
    let note = |folder: &memlens_store::Folder, path: &str| {
        snapshot.find(folder.id, path)?;
        Some(note_path(&folder.path, path))
    };
    let exact = named.iter().filter_map(|(folder, path)| note(folder, path));
    let exact: Vec<PathBuf> = exact.collect();
    if !exact.is_empty() {
        return exact;
    }
    let other = named.iter().filter_map(|(folder, path)| {
        let path = respelled(snapshot, folder, path)?;
        note(folder, &path)
    });
    other.collect()
}

/// The queries of a file as a set that is not stored.
pub fn set_of(file: &QueryFile) -> LoadedSet {
    // Including unjudged ones, which may be judged later.
    let queries = file.all.iter();
    let set = KeptSet {
        // Document ids are relative to no folder.
        base: match file.has_document_ids {
            true => PathBuf::new(),
            false => file.base.clone(),
        },
        has_document_ids: file.has_document_ids,
        queries: queries
            .map(|query| kept_query(query, Origin::Imported))
            .collect(),
    };
    LoadedSet {
        info: QuerySetInfo {
            id: String::new(),
            name: file
                .path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            is_live: false,
            hash: file.version.clone(),
            counts: set.counts(),
            changed_ms: None,
        },
        set,
        notices: Vec::new(),
    }
}

/// Writes a query set to a file, its paths relative to the file's folder where they lie in it.
///
/// # Errors
/// [`EngineError::QuerySet`] for a set without queries; as [`query_set`] and [`Library::write_output`].
pub fn write_query_set(
    library: &Library,
    named: &str,
    format: SetFormat,
    path: &Path,
) -> Result<(), EngineError> {
    let set = load_set(library, named)?.set;
    if set.queries.is_empty() {
        let why = "it has no queries; no file was written";
        return Err(refused("export the query set", named, why));
    }
    let from = KeptSet {
        base: memlens_files::folder_of(path),
        ..KeptSet::default()
    };
    let lists = library.lists();
    let finder = RefCell::new(set.finder(&lists.snapshot));
    let queries: Vec<Query> = set
        .queries
        .iter()
        .map(|it| it.plain(|path| from.named(finder.borrow_mut().find(path).path())))
        .collect();
    let bytes = match format {
        SetFormat::Jsonl => memlens_eval::to_jsonl(&queries),
        SetFormat::Csv => memlens_eval::to_csv(&queries),
        SetFormat::Qmd => memlens_eval::to_qmd(&queries),
    };
    library.write_output(&bytes, path, &[])
}

/// Renames a query set.
///
/// # Errors
/// [`EngineError::QuerySet`] for a name that is empty, that of another set or that of a live set; as [`Writes::write`].
pub fn rename_query_set(
    writes: &impl Writes,
    id: &str,
    name: &str,
) -> Result<QuerySetInfo, EngineError> {
    let name = valid(name)?;
    writes.write(|store| {
        let (before, _) = read(store, id)?;
        if before.name != name && !store.rename_query_set(before.id, &name)? {
            // Unlike a new set, it cannot replace the other one.
            let why = "another query set has it; choose another name";
            return Err(refused("use the name", &name, why));
        }
        // By its id: its former name finds it no more.
        let id = before.id.to_string();
        Ok(info(&read(store, &id)?.0, &store.query_sets()?))
    })
}

/// Deletes a query set, named by its id or by exactly its name.
///
/// # Errors
/// [`EngineError::QuerySet`] if there is none, or only one whose name differs in case; as [`Writes::write`].
pub fn delete_query_set(writes: &impl Writes, named: &str) -> Result<(), EngineError> {
    writes.write(|store| delete(store, named))
}

/// Adds a query to a set, or replaces one.
///
/// # Errors
/// [`EngineError::EmptyQuery`]; [`EngineError::Place`] for a place in no watched folder; [`EngineError::QuerySet`] if the set is live or
/// there is none of this id; as [`Writes::write`].
pub fn save_query(
    writes: &impl Writes,
    id: &str,
    edit: &QueryEdit,
) -> Result<QuerySetView, EngineError> {
    change_set(writes, id, |set| {
        let library = writes.library();
        let at = edit.id.as_ref().map(|id| {
            let at = set.queries.iter().position(|it| it.id == *id);
            at.ok_or_else(|| no_query(id))
        });
        match at.transpose()? {
            Some(at) => {
                let was = set.queries[at].clone();
                let mut now = typed_query(library, edit, was.id.clone(), set, Some(&was))?;
                now.is_edited = was.is_edited || now != was;
                set.queries[at] = now;
            }
            None => {
                let new = typed_query(library, edit, set.new_id(), set, None)?;
                set.queries.push(new);
            }
        }
        anchor(library, set);
        Ok(())
    })
}

/// Removes queries from a set; missing ones are no error.
///
/// # Errors
/// As [`save_query`].
pub fn remove_queries(
    writes: &impl Writes,
    id: &str,
    ids: &[String],
) -> Result<QuerySetView, EngineError> {
    change_set(writes, id, |set| {
        set.queries.retain(|query| !ids.contains(&query.id));
        Ok(())
    })
}

fn change_set(
    writes: &impl Writes,
    id: &str,
    change: impl Fn(&mut KeptSet) -> Result<(), EngineError>,
) -> Result<QuerySetView, EngineError> {
    let library = writes.library();
    loop {
        let (before, content) = read(&library.store(), id)?;
        let mut set = parse(&before.name, &content)?;
        change(&mut set)?;
        let new = stored(&set);
        // Changed again if the set was changed meanwhile.
        if writes.write(|store| Ok(store.change_query_set(before.id, &before.hash, &new)?))? {
            return query_set(library, id);
        }
    }
}

impl Gold {
    /// Current place and state in the note at a path.
    pub(crate) fn to_view(&self, note: &Path, lines: &mut NoteLines<'_>) -> GoldPlace {
        let range = (self.start_line, self.end_line);
        let (state, now) = lines.follow(note, range, self.text.as_deref());
        GoldPlace {
            path: self.path.clone(),
            start_line: self.start_line,
            end_line: self.end_line,
            origin: self.origin,
            state,
            now,
        }
    }
}

pub(super) fn kept_query(query: &Query, origin: Origin) -> KeptQuery {
    KeptQuery {
        id: query.id.clone(),
        query: query.query.clone(),
        category: query.category.clone(),
        scope: query.scope.clone(),
        relevant: query.relevant.as_ref().map(|places| {
            let each = places.iter().map(|place| Gold {
                path: place.path.clone(),
                start_line: place.start_line,
                end_line: place.end_line,
                origin,
                text: None,
            });
            each.collect()
        }),
        // The user's own file, whatever it was made from.
        is_edited: origin == Origin::Imported,
    }
}

/// A set in its stored form.
pub(super) fn stored(set: &KeptSet) -> NewSet {
    const PLAIN: &str = "plain data can always be written as JSON";
    NewSet {
        hash: set.version(),
        changed_ms: now_ms(),
        summary: counts_text(set.counts()),
        content: serde_json::to_string(set).expect(PLAIN),
    }
}

/// Maximum number of names that an error lists.
const NAMES_LISTED: usize = 20;

/// Whether a set of the library has this id or name, be it live or stored.
///
/// # Errors
/// As [`find_stored`].
pub(super) fn is_set(library: &Library, named: &str) -> Result<bool, EngineError> {
    Ok(live(named).is_some() || find_stored(&library.store(), named)?.is_some())
}

/// The stored set of an id or a name. A name in another case is found if only one set has it.
///
/// # Errors
/// [`EngineError::QuerySet`] if several sets have the name in other cases; [`EngineError::Store`].
fn find_stored(store: &Store, named: &str) -> Result<Option<StoredSet>, EngineError> {
    let sets = store.query_sets()?;
    let id = named.parse::<i64>().ok();
    if let Some(found) = sets.iter().find(|it| Some(it.id) == id) {
        return Ok(Some(found.clone()));
    }
    let shown = |it: &StoredSet| shown_name(&it.name, &sets).into_owned();
    if let Some(exact) = sets.iter().find(|it| shown(it) == named) {
        return Ok(Some(exact.clone()));
    }
    let alike = sets.iter();
    let alike: Vec<&StoredSet> = alike
        .filter(|it| shown(it).eq_ignore_ascii_case(named))
        .collect();
    match alike[..] {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        [..] => {
            let names: Vec<String> = alike.into_iter().map(shown).collect();
            let why = format!(
                "several have this name in another case: {}; write it as one of them",
                names.join(", ")
            );
            Err(refused("choose the query set", named, &why))
        }
    }
}

pub(super) fn read(store: &Store, named: &str) -> Result<(StoredSet, String), EngineError> {
    if let Some(live) = live(named) {
        return Err(refused("change or delete", named, live.why_not_stored()));
    }
    let found = find_stored(store, named)?;
    let found = found.map(|it| store.query_set(it.id)).transpose()?;
    match found.flatten() {
        Some(found) => Ok(found),
        None => Err(no_set(named, "", &store.query_sets()?)),
    }
}

/// The error for a name that no set has, with what else was looked for and the names that there are.
pub(super) fn no_set(named: &str, before: &str, sets: &[StoredSet]) -> EngineError {
    let stored = sets.iter().map(|it| shown_name(&it.name, sets));
    let mut names: Vec<String> = LIVE_NAMES.map(str::to_owned).to_vec();
    names.extend(stored.map(|name| memlens_params::brief(&name).into_owned()));
    let n_more = names.len().saturating_sub(NAMES_LISTED);
    names.truncate(NAMES_LISTED);
    let more = match n_more {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    let why = format!(
        "{before}there is no query set of this name; there are {}{more}",
        names.join(", ")
    );
    refused("find", named, &why)
}

fn delete(store: &mut Store, named: &str) -> Result<(), EngineError> {
    let (found, _) = read(store, named)?;
    let name = shown_name(&found.name, &store.query_sets()?).into_owned();
    // What is deleted does not come back, so another case may be another set that was meant.
    if name != named && found.id.to_string() != named {
        let why = format!("its name is {name}; write it exactly so");
        return Err(refused("delete", named, &why));
    }
    Ok(store.delete_query_set(found.id)?)
}

fn parse(name: &str, content: &str) -> Result<KeptSet, EngineError> {
    serde_json::from_str(content).map_err(|error| {
        refused(
            "read",
            name,
            &format!("the library holds it damaged: {error}"),
        )
    })
}

pub(super) fn info(stored: &StoredSet, sets: &[StoredSet]) -> QuerySetInfo {
    QuerySetInfo {
        id: stored.id.to_string(),
        name: shown_name(&stored.name, sets).into_owned(),
        is_live: false,
        hash: stored.hash.clone(),
        counts: counts_of(&stored.summary),
        changed_ms: Some(stored.changed_ms as f64),
    }
}

pub(super) fn valid(name: &str) -> Result<String, EngineError> {
    let name = name.trim();
    if name.is_empty() {
        return Err(refused("name", "the query set", "the name is empty"));
    }
    if live(name).is_some() {
        let why = "it is that of a set made of what the library holds";
        return Err(refused("use the name", name, why));
    }
    if name.parse::<i64>().is_ok() {
        return Err(refused("use the name", name, "a number alone names no set"));
    }
    Ok(name.to_owned())
}

fn no_query(id: &str) -> EngineError {
    refused("change the query", id, "the set does not hold it any more")
}

pub(super) fn refused(attempt: &'static str, named: &str, why: &str) -> EngineError {
    EngineError::QuerySet {
        attempt,
        named: memlens_params::brief(named).into_owned(),
        why: why.to_owned(),
    }
}

pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_millis() as i64
}
