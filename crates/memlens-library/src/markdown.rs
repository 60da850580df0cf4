//! Texts of notes in a document.

use memlens_document::{Document, place};

use crate::EngineError;
use crate::search::Search;

/// Number of rows that are written with their text.
const TEXTS: usize = 10;

/// Appends the texts of a search's best rows, each below its rank and place; a row whose note changed since is left out.
pub fn add_texts(
    document: &mut Document,
    search: &Search,
    kept: &[u32],
) -> Result<(), EngineError> {
    let slots = &kept[..kept.len().min(TEXTS)];
    for (rank, (text, slot)) in (1..).zip(search.texts(slots)?.into_iter().zip(slots)) {
        let row = search.row_facts(*slot)?;
        if let Ok(text) = text {
            let lines = Some((row.start_line, row.end_line));
            document.numbered(rank, place(&row.note.path, lines) + ":");
            document.note_text(text);
        }
    }
    Ok(())
}
