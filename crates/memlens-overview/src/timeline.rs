//! Notes and observations by their own dates.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use memlens_library::{EngineError, Library};
use memlens_store::DocumentId;
use memlens_wire::{NoteQuery, NoteRow, Timeline, TimelineDay};

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
        no_day: None,
        ..query.clone()
    };
    let holding = crate::holding_of(library, &query)?;
    let chosen = table.chosen(&query, holding.as_deref());
    let mut days = Days::default();
    let mut by_document: HashMap<DocumentId, &NoteRow> = HashMap::new();
    for at in &chosen {
        let row = &table.rows[*at as usize];
        if let Some(id) = table.documents[*at as usize] {
            by_document.insert(id, row);
        }
        if let Some(date) = row.date.as_ref().filter(|_| !row.is_date_odd) {
            days.on(date, &row.folder).n_notes += 1;
        }
    }
    let rows = chosen.iter().map(|at| &table.rows[*at as usize]);
    let mut timeline = Timeline {
        n_notes: chosen.len() as u32,
        n_undated: rows.clone().filter(|row| row.date.is_none()).count() as u32,
        n_odd: rows.filter(|row| row.is_date_odd).count() as u32,
        n_observations: 0,
        n_observations_undated: 0,
        n_observations_odd: 0,
        days: Vec::new(),
    };
    let today = today();
    let dates = library.store().observation_dates()?;
    for (document, date, n) in dates {
        let Some(row) = by_document.get(&document) else {
            continue;
        };
        timeline.n_observations += n;
        let Some(date) = date.or_else(|| row.date.clone()) else {
            timeline.n_observations_undated += n;
            continue;
        };
        let is_of_day = |date: Date| is_plausible(date, today);
        if date.parse().is_ok_and(is_of_day) {
            days.on(&date, &row.folder).n_observations += n;
        } else {
            timeline.n_observations_odd += n;
        }
    }
    timeline.days = days.0.into_values().collect();
    Ok(timeline)
}

/// What is dated, by day and folder.
#[derive(Default)]
struct Days(BTreeMap<(String, String), TimelineDay>);

impl Days {
    fn on(&mut self, date: &str, folder: &str) -> &mut TimelineDay {
        let key = (date.to_owned(), folder.to_owned());
        self.0.entry(key).or_insert_with(|| TimelineDay {
            date: date.to_owned(),
            folder: folder.to_owned(),
            n_notes: 0,
            n_observations: 0,
        })
    }
}
