//! The memory as a whole: what is new, unused, said twice or contradicted, and the list of all notes.
//!
//! A [`Table`] holds one row for each note with all that is known of it. Cards and the list use the same function to choose their
//! rows (`Table::order`), so that the figure of a card is the length of the list behind it. What is not known of a note is `None` in its row, and such a
//! note is on no card that would need it.

mod cards;
mod found;
mod holding;
mod list;
mod table;
mod tags;
mod texts;
mod timeline;
mod visit;

use std::sync::Arc;
use std::time::Duration;

use memlens_library::{EngineError, FeatureState, Library};
use memlens_params::Params;
use memlens_wire::Overview;
use parking_lot::Mutex;

pub use holding::{WORDS_MAX, different_words};
pub use list::{NoteList, chosen_notes, note_list, note_page};
pub use table::Table;
pub use tags::note_tags;
pub use timeline::timeline;
pub use visit::{mark_seen, visit};

use holding::{Holding, holding_of};
use list::Ordered;
use texts::Texts;

/// How long one call reads texts of notes that were not read before; the next call goes on.
const READING_TIME: Duration = Duration::from_millis(100);

/// What is kept beside a library.
#[derive(Default)]
struct Overviews {
    texts: Mutex<Texts>,
    table: Mutex<Option<Arc<Table>>>,
    /// The list that was last shown, so that its pages are not sorted again.
    ordered: Mutex<Option<Ordered>>,
    holding: Mutex<Option<Arc<Holding>>>,
}

impl FeatureState for Overviews {
    fn forget_measured(&self) {
        *self.table.lock() = None;
        *self.ordered.lock() = None;
        *self.holding.lock() = None;
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

/// The rows that were last read, if the library is still as it was and every text was read; otherwise the rows as they are
/// now.
fn table(library: &Library) -> Result<Arc<Table>, EngineError> {
    match last_table(library).filter(|table| table.n_unread == 0) {
        Some(table) => Ok(table),
        None => fresh_table(library, Some(READING_TIME)),
    }
}

/// The same, where texts that were not read yet do not matter.
fn known_table(library: &Library) -> Result<Arc<Table>, EngineError> {
    match last_table(library) {
        Some(table) => Ok(table),
        None => fresh_table(library, Some(READING_TIME)),
    }
}

/// The rows that were last read, if the library is still as it was.
fn last_table(library: &Library) -> Option<Arc<Table>> {
    let generation = library.lists().snapshot.generation;
    let known = library.feature::<Overviews>().table.lock().clone();
    known.filter(|table| table.generation == generation)
}
