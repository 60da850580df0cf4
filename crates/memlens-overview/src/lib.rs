//! The memory as a whole: what is new, unused, said twice or contradicted, and the list of all notes.
//!
//! A [`Table`] holds one row for each note with all that is known of it. Cards and the list use the same function to choose their
//! rows ([`Table::rows`]), so that the figure of a card is the length of the list behind it. What is not known of a note is `None` in its row, and such a
//! note is on no card that would need it.

mod cards;
mod found;
mod list;
mod table;
mod texts;
mod timeline;
mod visit;

use std::sync::Arc;
use std::time::Duration;

use memlens_library::{EngineError, FeatureState, Library};
use memlens_params::Params;
use memlens_wire::Overview;
use parking_lot::Mutex;

pub use list::{NoteList, note_list, note_page};
pub use table::Table;
pub use timeline::timeline;
pub use visit::{mark_seen, visit};

use texts::Texts;

/// How long one call reads texts of notes that were not read before; the next call goes on.
const READING_TIME: Duration = Duration::from_millis(100);

/// What is kept beside a library.
#[derive(Default)]
struct Overviews {
    texts: Mutex<Texts>,
    table: Mutex<Option<Arc<Table>>>,
}

impl FeatureState for Overviews {
    fn forget_measured(&self) {
        *self.table.lock() = None;
        *self.texts.lock() = Texts::default();
    }
}

/// The cards of the memory as it is now. Texts that were not read before are read for a moment only; until all are,
/// [`Overview::n_unread`] is above 0.
///
/// # Errors
/// [`EngineError::Store`].
pub fn overview(library: &Library, params: &Params) -> Result<Overview, EngineError> {
    let table = fresh_table(library, Some(READING_TIME))?;
    cards::overview(library, &table, params)
}

/// The same with the text of every note; for a program that can wait.
///
/// # Errors
/// [`EngineError::Store`].
pub fn whole_overview(library: &Library, params: &Params) -> Result<Overview, EngineError> {
    let table = fresh_table(library, None)?;
    cards::overview(library, &table, params)
}

/// The rows of all notes as they are now. Reads texts for this long; `None` for as long as it takes.
fn fresh_table(library: &Library, time: Option<Duration>) -> Result<Arc<Table>, EngineError> {
    let state = library.feature::<Overviews>();
    let table = {
        let mut texts = state.texts.lock();
        texts.read(library, time)?;
        Arc::new(Table::read(library, &texts)?)
    };
    *state.table.lock() = Some(table.clone());
    Ok(table)
}

/// The rows that the last overview read, if the library is still as it was.
fn table(library: &Library) -> Result<Arc<Table>, EngineError> {
    let generation = library.lists().snapshot.generation;
    let state = library.feature::<Overviews>();
    let known = state.table.lock().clone();
    match known.filter(|table| table.generation == generation && table.n_unread == 0) {
        Some(table) => Ok(table),
        None => fresh_table(library, Some(READING_TIME)),
    }
}
