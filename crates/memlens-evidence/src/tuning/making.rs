//! Making query sets: from nothing, from other sets, of nonsense questions, of a file.

use std::path::Path;

use memlens_library::writes::Writes;
use memlens_library::{EngineError, Library};
use memlens_store::{NewSet, Store};
use memlens_wire::{IfTaken, MadeSet, NewSetFrom};

use super::anchors::NoteLines;
use super::kept_set::{KeptQuery, KeptSet};
use super::merging::merged;
use super::nonsense::add_nonsense;
use super::sets::{LoadedSet, info, load_set, read, refused, set_of, stored, valid};
use crate::judged::NoteFinder;
use crate::query_file::QueryFile;

/// A query set to be stored.
struct Begun {
    set: KeptSet,
    left_out: Vec<String>,
    /// Notices to show to the user.
    notices: Vec<String>,
    /// Whether it was read from a file.
    is_file: bool,
}

impl Begun {
    fn plain(set: KeptSet) -> Begun {
        Begun {
            set,
            is_file: false,
            left_out: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// Stores it, with the text of each relevant place that has none yet.
    fn keep(
        mut self,
        writes: &impl Writes,
        name: &str,
        if_taken: IfTaken,
    ) -> Result<MadeSet, EngineError> {
        anchor(writes.library(), &mut self.set);
        let new = stored(&self.set);
        let info = writes.write(|store| {
            let id = keep(store, name, &new, if_taken, self.is_file)?;
            Ok(info(&read(store, &id.to_string())?.0, &store.query_sets()?))
        })?;
        Ok(MadeSet {
            info,
            left_out: self.left_out,
            notices: self.notices,
        })
    }
}

/// Adds the text of each relevant place that has none yet.
pub(super) fn anchor(library: &Library, set: &mut KeptSet) {
    let lists = library.lists();
    let mut lines = NoteLines::of(&lists.snapshot);
    let mut finder: NoteFinder<'_> = set.finder(&lists.snapshot);
    let queries = set.queries.iter_mut();
    for gold in queries.filter_map(|it| it.relevant.as_mut()).flatten() {
        if gold.text.is_none() {
            let range = (gold.start_line, gold.end_line);
            gold.text = lines.text(finder.find(&gold.path).path(), range);
        }
    }
}

/// Stores a set under a name, and returns its id. A set of this name with the very same content is that set, except where a copy
/// is to be kept beside it; a file that is read again is no copy.
fn keep(
    store: &mut Store,
    name: &str,
    new: &NewSet,
    if_taken: IfTaken,
    is_file: bool,
) -> Result<i64, EngineError> {
    if let Some(id) = store.add_query_set(name, new)? {
        return Ok(id);
    }
    let sets = store.query_sets()?;
    let same = sets.iter().find(|it| it.name == name);
    let same = same.map(|it| store.query_set(it.id)).transpose()?.flatten();
    let is_copy = if_taken == IfTaken::KeepBoth && !is_file;
    match (if_taken, same) {
        (_, Some((there, content))) if content == new.content && !is_copy => Ok(there.id),
        (IfTaken::Replace, Some((there, _))) => {
            store.change_query_set(there.id, &there.hash, new)?;
            Ok(there.id)
        }
        (IfTaken::KeepBoth, _) => {
            for n in 2.. {
                if let Some(id) = store.add_query_set(&format!("{name} ({n})"), new)? {
                    return Ok(id);
                }
            }
            unreachable!("there is always a name that is not taken")
        }
        (IfTaken::Refuse, _) | (IfTaken::Replace, None) => Err(EngineError::QuerySetTaken {
            named: memlens_params::brief(name).into_owned(),
        }),
    }
}

/// Initial contents of a new set.
fn begun(library: &Library, from: &NewSetFrom) -> Result<Begun, EngineError> {
    Ok(match from {
        NewSetFrom::Empty => Begun::plain(KeptSet::default()),
        NewSetFrom::Set { set } => {
            let LoadedSet { set, notices, .. } = load_set(library, set)?;
            Begun {
                notices,
                ..Begun::plain(set)
            }
        }
        NewSetFrom::Merged { sets } => {
            let sets = sets.iter().map(|named| load_set(library, named));
            let (set, notices) = merged(library, sets.collect::<Result<_, _>>()?)?;
            Begun {
                notices,
                ..Begun::plain(set)
            }
        }
        NewSetFrom::Nonsense { beside } => {
            let beside = beside.as_ref().map(|named| load_set(library, named));
            let (mut set, mut notices) = match beside.transpose()? {
                None => (KeptSet::default(), Vec::new()),
                Some(LoadedSet { set, notices, .. }) => (set, notices),
            };
            notices.extend(add_nonsense(&library.lists().text, &mut set)?);
            Begun {
                notices,
                ..Begun::plain(set)
            }
        }
        NewSetFrom::Questions { questions } => {
            let mut set = KeptSet::default();
            for query in questions.iter().map(|it| it.trim()) {
                if !query.is_empty() && set.queries.iter().all(|it| it.query != query) {
                    set.queries.push(KeptQuery {
                        id: set.new_id(),
                        query: query.to_owned(),
                        ..KeptQuery::default()
                    });
                }
            }
            Begun::plain(set)
        }
    })
}

/// Creates a query set.
///
/// # Errors
/// [`EngineError::QuerySetTaken`] for the name of another set, as `if_taken` says; [`EngineError::QuerySet`] for a name that is
/// empty or that of a live set, for an unknown set, for fewer than two sets to merge, and if no nonsense question can be made;
/// as [`Writes::write`].
pub fn new_query_set(
    writes: &impl Writes,
    name: &str,
    from: &NewSetFrom,
    if_taken: IfTaken,
) -> Result<MadeSet, EngineError> {
    let name = valid(name)?;
    begun(writes.library(), from)?.keep(writes, &name, if_taken)
}

/// Stores the queries of a file, under the name that the file suggests. The questions of TREC qrels may be in a topics file that is
/// named.
///
/// # Errors
/// As [`QueryFile::read_with_topics`] and [`new_query_set`]; [`EngineError::QuerySet`] for a file without queries.
pub fn import_query_set(
    writes: &impl Writes,
    path: &Path,
    topics: Option<&Path>,
    if_taken: IfTaken,
) -> Result<MadeSet, EngineError> {
    let library = writes.library();
    let file = QueryFile::read_with_topics(path, topics)?;
    let set = set_of(&file).set;
    if set.queries.is_empty() {
        let why = match file.bad_lines.as_slice() {
            [] => "it has no queries".to_owned(),
            [only] => format!("none of it is a query; {only}"),
            [first, rest @ ..] => {
                format!("none of it is a query; {first}; and {} more", rest.len())
            }
        };
        return Err(refused("import", &file.path.display().to_string(), &why));
    }
    let asked = suggested_name(path, &file);
    let name = valid(&asked).unwrap_or_else(|_| format!("set {asked}"));
    let begun = Begun {
        notices: import_notices(library, &set),
        left_out: file.bad_lines,
        is_file: true,
        set,
    };
    let mut made = begun.keep(writes, &name, if_taken)?;
    if made.info.name != asked {
        let notice = format!(
            "the new query set is named `{}`, because `{asked}` cannot be its name or is that of another set",
            made.info.name
        );
        made.notices.push(notice);
    }
    Ok(made)
}

/// The name of a file without its ending.
fn suggested_name(path: &Path, file: &QueryFile) -> String {
    let stem = path.file_stem().map(|it| it.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    let mut name = stem.trim_start_matches('.').to_owned();
    // The folder's name says more than a name that every set has.
    if name == "queries"
        && let Some(folder) = file.base.file_name()
    {
        name = folder.to_string_lossy().into_owned();
    }
    name.trim().to_owned()
}

/// Notices about a set that was just read; a set of other notes can be stored anyway.
fn import_notices(library: &Library, set: &KeptSet) -> Vec<String> {
    let lists = library.lists();
    let checked = set
        .finder(&lists.snapshot)
        .check("it", set.judged_paths(&[]));
    match checked {
        Ok(notice) => notice.into_iter().collect(),
        Err(error) => vec![error.to_string()],
    }
}
