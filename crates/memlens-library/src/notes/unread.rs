//! Files in watched folders that are not read, one folder at a time: a folder may contain thousands of them.

use std::collections::HashSet;
use std::path::Path;

use memlens_ingest::left_out_in;
use memlens_store::FolderId;
use memlens_wire::{UnreadEntry, UnreadFolder};

use crate::{EngineError, Library};

/// Maximum number of entries listed per folder.
const ENTRIES_MAX: usize = 200;

/// Maximum number of folders per call.
const FOLDERS_MAX: usize = 500;

/// Unread files and sub-folders of each of these folders of a watched folder; `""` is the watched folder itself. A
/// folder that is gone or is not scanned has none. At most 500 folders are listed.
///
/// # Errors
/// [`EngineError::Store`].
pub fn unread(
    library: &Library,
    folder: FolderId,
    paths: &[String],
) -> Result<Vec<UnreadFolder>, EngineError> {
    let lists = library.lists();
    let snapshot = &lists.snapshot;
    let Some(watched) = snapshot.folder(folder) else {
        return Ok(Vec::new());
    };
    let documents = snapshot.documents.iter();
    let notes = documents.filter(|document| document.folder == folder);
    let mut with_notes: HashSet<&str> = HashSet::new();
    for note in notes {
        let around = note
            .path
            .rmatch_indices('/')
            .map(|(at, _)| &note.path[..at]);
        for path in around {
            if !with_notes.insert(path) {
                break;
            }
        }
    }
    let store = library.store();
    let mut listed = Vec::new();
    for path in paths.iter().take(FOLDERS_MAX) {
        let left_out = left_out_in(Path::new(&watched.path), path).unwrap_or_default();
        let mut entries = Vec::new();
        for entry in left_out {
            let can_open = entry.is_folder && entry.reason.is_none();
            let why = match &entry.reason {
                Some(reason) => Some(reason.to_string()),
                None if entry.is_folder => {
                    (!with_notes.contains(entry.path.as_str())).then(|| "no notes in it".to_owned())
                }
                None => store.why_unread(folder, &entry.path)?,
            };
            entries.extend(why.map(|reason| UnreadEntry {
                can_open,
                is_folder: entry.is_folder,
                path: entry.path,
                name: entry.name,
                reason,
            }));
        }
        let n_more = entries.len().saturating_sub(ENTRIES_MAX) as u32;
        entries.truncate(ENTRIES_MAX);
        listed.push(UnreadFolder {
            path: path.clone(),
            entries,
            n_more,
        });
    }
    Ok(listed)
}
