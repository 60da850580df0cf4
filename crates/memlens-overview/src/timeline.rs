//! Notes and observations by their own dates.

use std::collections::BTreeMap;

use jiff::civil::Date;
use memlens_library::{EngineError, Library};
use memlens_store::DocumentId;
use memlens_wire::{NoteQuery, NoteRow, Timeline, TimelineDay};

use crate::list::holding_of;
use crate::table::{is_plausible, today};

/// Counts the notes of a query, and their observations, by day and folder. The query's span of days is not applied, so that
/// the days around it stay visible.
///
/// # Errors
/// [`EngineError::Store`].
pub fn timeline(library: &Library, query: &NoteQuery) -> Result<Timeline, EngineError> {
    let table = crate::table(library)?;
    let query = NoteQuery {
        from: None,
        to: None,
        ..query.clone()
    };
    let holding = holding_of(library, &query)?;
    let chosen = table.chosen(&query, holding.as_ref());
    let mut days: BTreeMap<(String, String), (u32, u32)> = BTreeMap::new();
    let by_document: std::collections::HashMap<DocumentId, &NoteRow> = chosen
        .iter()
        .filter_map(|(row, document)| Some(((*document)?, *row)))
        .collect();
    for (row, _) in &chosen {
        if let Some(date) = row.date.as_ref().filter(|_| !row.is_date_odd) {
            days.entry((date.clone(), row.folder.clone()))
                .or_default()
                .0 += 1;
        }
    }
    let today = today();
    let dates = library.store().observation_dates()?;
    for (document, date, n) in dates {
        let Some(row) = by_document.get(&document) else {
            continue;
        };
        let Some(date) = date.or_else(|| row.date.clone()) else {
            continue;
        };
        if date
            .parse::<Date>()
            .is_ok_and(|date| is_plausible(date, today))
        {
            days.entry((date, row.folder.clone())).or_default().1 += n;
        }
    }
    Ok(Timeline {
        n_notes: chosen.len() as u32,
        n_undated: chosen.iter().filter(|(row, _)| row.date.is_none()).count() as u32,
        n_odd: chosen.iter().filter(|(row, _)| row.is_date_odd).count() as u32,
        days: days
            .into_iter()
            .map(|((date, folder), (n_notes, n_observations))| TimelineDay {
                date,
                folder,
                n_notes,
                n_observations,
            })
            .collect(),
    })
}
