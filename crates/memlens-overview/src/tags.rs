//! The tags of the notes of a query.

use std::collections::{HashMap, HashSet};

use memlens_library::{EngineError, Library};
use memlens_wire::{NoteQuery, NoteTags, TagCount};

use crate::list::tag_key;

/// Number of tags that are returned.
const TAGS: usize = 60;

/// The tags that hold some words, each with the number of notes that the query lists with this tag in place of its own.
///
/// # Errors
/// [`EngineError::Store`].
pub fn note_tags(
    library: &Library,
    query: &NoteQuery,
    find: &str,
) -> Result<NoteTags, EngineError> {
    let table = crate::table(library)?;
    let query = NoteQuery {
        tag: None,
        ..query.clone()
    };
    let holding = crate::holding_of(library, &query)?;
    let find = tag_key(find.trim());
    let mut counts: HashMap<String, TagCount> = HashMap::new();
    for at in table.chosen(&query, holding.as_deref()) {
        let mut of_note = HashSet::new();
        for tag in &table.rows[at as usize].tags {
            let key = tag_key(tag);
            if !key.contains(&find) || !of_note.insert(key.clone()) {
                continue;
            }
            let count = counts.entry(key).or_insert_with(|| TagCount {
                tag: tag.trim_start_matches('#').to_owned(),
                n: 0,
            });
            count.n += 1;
        }
    }
    let n = counts.len() as u32;
    let mut counts: Vec<(String, TagCount)> = counts.into_iter().collect();
    counts.sort_by(|(a, x), (b, y)| y.n.cmp(&x.n).then_with(|| a.cmp(b)));
    counts.truncate(TAGS);
    Ok(NoteTags {
        tags: counts.into_iter().map(|(_, count)| count).collect(),
        n,
        n_unread: table.n_unread,
    })
}
