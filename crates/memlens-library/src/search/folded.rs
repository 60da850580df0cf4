//! Judged places that count as not returned though a copy of their text is returned: copies are folded under the best
//! of them.
//!
//! Metrics count places, so a folded copy is not returned, however similar its text is: a copy may differ by some
//! words, and metrics of different settings stay comparable. The effect is reported instead.

use memlens_eval::Place;
use memlens_params::Values;

use crate::EngineError;
use crate::notes::place::note_path;
use crate::search::Search;

/// Number of judged places, with absolute paths, that are in copies folded under a returned row, and in no returned
/// row itself.
pub fn n_folded(search: &Search, values: &Values, judged: &[Place]) -> Result<usize, EngineError> {
    let columns = search.columns(values);
    if columns.copies.is_empty() {
        return Ok(0);
    }
    let places = |slots: &[u32]| -> Result<Vec<Place>, EngineError> {
        let place = |slot: &u32| {
            let row = search.row_facts(*slot)?;
            let path = note_path(&row.note.folder_path, &row.note.path);
            let path = path.display().to_string();
            Ok(Place::new(path, row.start_line, row.end_line))
        };
        slots.iter().map(place).collect()
    };
    let kept = places(&columns.order[..columns.n_kept as usize])?;
    let folded: Vec<u32> = columns
        .copies
        .iter()
        .flat_map(|row| row.copies.iter().copied())
        .collect();
    let folded = places(&folded)?;
    let shows = |rows: &[Place], judged: &Place| rows.iter().any(|row| row.overlaps(judged));
    let judged = judged.iter();
    Ok(judged
        .filter(|it| !shows(&kept, it) && shows(&folded, it))
        .count())
}

/// That judged places count as not returned since they are folded; `None` if there are none.
pub fn folded_sentence(n: usize) -> Option<String> {
    match n {
        0 => None,
        1 => Some(
            "1 judged place is in a copy that is folded under a returned row, and counts as not returned; with copies=keep it has its own row"
                .to_owned(),
        ),
        n => Some(format!(
            "{n} judged places are in copies that are folded under returned rows, and count as not returned; with copies=keep each has its own row"
        )),
    }
}
