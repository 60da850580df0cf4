//! The list of notes: which notes a card or the user's filters choose, and their order. Cards count by it.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use memlens_library::{EngineError, Library};
use memlens_wire::{CardId, NoDay, NotePage, NoteQuery, NoteRow, NoteSort};

use crate::Overviews;
use crate::holding::Holding;
use crate::table::{Table, is_note};

/// The notes of a query in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteList {
    /// The rows.
    pub rows: Vec<NoteRow>,
    /// Number of notes without a filter.
    pub n_all: u32,
    /// Number of notes whose text was not read yet; tags and languages of these are not known.
    pub n_unread: u32,
}

/// Lists the notes of a query.
///
/// # Errors
/// [`EngineError::Store`].
pub fn note_list(library: &Library, query: &NoteQuery) -> Result<NoteList, EngineError> {
    let table = crate::table(library)?;
    let order = order(library, &table, query)?;
    let rows = order.iter().map(|at| table.rows[*at as usize].clone());
    Ok(NoteList {
        rows: rows.collect(),
        n_all: table.n_notes() as u32,
        n_unread: table.n_unread,
    })
}

/// Returns a page of the notes of a query that begins at a position; a position beyond the end gives no rows.
///
/// # Errors
/// [`EngineError::Store`].
pub fn note_page(
    library: &Library,
    query: &NoteQuery,
    first: u32,
) -> Result<NotePage, EngineError> {
    let table = match first {
        0 => crate::table(library)?,
        // The further pages are of the list that the first one began, also while texts are read.
        _ => crate::known_table(library)?,
    };
    let order = order(library, &table, query)?;
    let page = order.iter().skip(first as usize).take(PAGE);
    Ok(NotePage {
        first,
        rows: page.map(|at| table.rows[*at as usize].clone()).collect(),
        n: order.len() as u32,
        n_all: table.n_notes() as u32,
        n_unread: table.n_unread,
    })
}

/// The rows of all notes, and the positions of those that a query chooses, by folder and path.
///
/// # Errors
/// [`EngineError::Store`].
pub fn chosen_notes(
    library: &Library,
    query: &NoteQuery,
) -> Result<(Arc<Table>, Vec<u32>), EngineError> {
    // Only these need the texts of notes, which take a moment to read.
    let is_of_text = query.tag.is_some() || query.language.is_some();
    let table = match is_of_text {
        true => crate::table(library)?,
        false => crate::known_table(library)?,
    };
    let holding = crate::holding_of(library, query)?;
    let chosen = table.chosen(query, holding.as_deref());
    Ok((table, chosen))
}

/// The list that was last made.
pub(crate) struct Ordered {
    table: Arc<Table>,
    query: NoteQuery,
    /// Positions in the table.
    order: Arc<[u32]>,
}

/// The positions of the notes of a query in its order; of the list that was last made without work.
fn order(
    library: &Library,
    table: &Arc<Table>,
    query: &NoteQuery,
) -> Result<Arc<[u32]>, EngineError> {
    let state = library.feature::<Overviews>();
    let is_same = |it: &&Ordered| Arc::ptr_eq(&it.table, table) && it.query == *query;
    if let Some(known) = state.ordered.lock().as_ref().filter(is_same) {
        return Ok(known.order.clone());
    }
    let holding = crate::holding_of(library, query)?;
    let order: Arc<[u32]> = table.order(query, holding.as_deref()).into();
    *state.ordered.lock() = Some(Ordered {
        table: table.clone(),
        query: query.clone(),
        order: order.clone(),
    });
    Ok(order)
}

/// Number of rows of a page.
const PAGE: usize = 200;

impl Table {
    /// Positions of the rows that a query chooses, in its order. Cards and the list call only this.
    pub(crate) fn order(&self, query: &NoteQuery, holding: Option<&Holding>) -> Vec<u32> {
        let mut chosen = self.chosen(query, holding);
        self.sort(query, &mut chosen);
        chosen
    }

    /// Positions of the rows that a query chooses, by folder and path.
    pub(crate) fn chosen(&self, query: &NoteQuery, holding: Option<&Holding>) -> Vec<u32> {
        let wanted = Wanted::new(query);
        let is_held = |row: &NoteRow, document| holding.is_none_or(|it| it.is_in(row, document));
        let rows = self.rows.iter().zip(&self.documents).zip(0..);
        rows.filter(|((row, document), _)| wanted.has(row) && is_held(row, **document))
            .map(|(_, at)| at)
            .collect()
    }

    /// The rows of a card.
    pub(crate) fn rows_of(&self, card: CardId) -> Vec<&NoteRow> {
        let query = NoteQuery {
            card: Some(card),
            ..NoteQuery::default()
        };
        let order = self.order(&query, None).into_iter();
        order.map(|at| &self.rows[at as usize]).collect()
    }

    /// Sorts positions that are by folder and path. Equal ones stay so.
    fn sort(&self, query: &NoteQuery, chosen: &mut Vec<u32>) {
        let (sort, is_descending) = order_of(query);
        let folded = |text: Option<&str>| text.map(str::to_lowercase);
        let whole = |number: Option<f64>| number.map(|number| number as i64);
        let n = |number: Option<u32>| number.map(i64::from);
        match sort {
            NoteSort::Path if is_descending => chosen.reverse(),
            NoteSort::Path => {}
            NoteSort::Title => self.sort_by(chosen, is_descending, |row| folded(Some(&row.title))),
            NoteSort::Agent => {
                self.sort_by(chosen, is_descending, |row| {
                    folded(row.agent_name.as_deref())
                });
            }
            NoteSort::Language => {
                self.sort_by(chosen, is_descending, |row| folded(row.language.as_deref()));
            }
            NoteSort::Date => {
                self.sort_by(chosen, is_descending, |row| day_of(row).map(str::to_owned))
            }
            NoteSort::Seen => self.sort_by(chosen, is_descending, |row| whole(seen_ms(row))),
            NoteSort::Size => self.sort_by(chosen, is_descending, |row| whole(row.n_bytes)),
            NoteSort::Words => self.sort_by(chosen, is_descending, |row| n(row.n_words)),
            NoteSort::Chunks => self.sort_by(chosen, is_descending, |row| n(Some(row.n_chunks))),
            NoteSort::Found => self.sort_by(chosen, is_descending, |row| n(row.n_found)),
            NoteSort::Opened => self.sort_by(chosen, is_descending, |row| n(row.n_opened)),
        }
    }

    /// Sorts by a value that is read once of each row. Rows without one come last in either direction.
    fn sort_by<K: Ord>(
        &self,
        chosen: &mut Vec<u32>,
        is_descending: bool,
        value: impl Fn(&NoteRow) -> Option<K>,
    ) {
        let with_value = |at: u32| (value(&self.rows[at as usize]), at);
        let mut rows: Vec<(Option<K>, u32)> = chosen.drain(..).map(with_value).collect();
        rows.sort_by(|(a, _), (b, _)| match (a, b) {
            (Some(a), Some(b)) if is_descending => b.cmp(a),
            (Some(a), Some(b)) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        });
        chosen.extend(rows.into_iter().map(|(_, at)| at));
    }

    /// The languages of the notes, most notes first; equal ones by name.
    pub(crate) fn languages(&self) -> Vec<(String, u32)> {
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for language in self.rows.iter().filter_map(|row| row.language.as_deref()) {
            *counts.entry(language).or_default() += 1;
        }
        let counts = counts.into_iter();
        let mut counts: Vec<(String, u32)> = counts.map(|(name, n)| (name.to_owned(), n)).collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }
}

/// Whether a note is in the list behind a card; of cards that list no notes none is.
fn is_on_card(row: &NoteRow, card: CardId) -> bool {
    match card {
        CardId::New => row.news.is_some(),
        CardId::NotLoaded => row.loaded == Some(false),
        CardId::NotSearched => row.searched == Some(false),
        CardId::NeverFound => row.n_found == Some(0),
        CardId::Largest => row.n_bytes.is_some(),
        CardId::Oldest => row.date.is_some() && !row.is_date_odd,
        CardId::Problems => row.n_problems > 0,
        CardId::Languages => row.language.is_some(),
        CardId::SaidAgain | CardId::Contradictions => false,
    }
}

/// A query, as each row is compared with it.
struct Wanted<'q> {
    query: &'q NoteQuery,
    /// The tag as [`tag_key`] gives it.
    tag: Option<String>,
}

impl<'q> Wanted<'q> {
    fn new(query: &'q NoteQuery) -> Wanted<'q> {
        let tag = query.tag.as_deref().map(tag_key);
        Wanted { query, tag }
    }

    fn has(&self, row: &NoteRow) -> bool {
        let NoteQuery {
            card,
            agent,
            folder,
            tag: _,
            language,
            from,
            to,
            no_day,
            has_problem,
            text: _,
            sort: _,
            is_reversed: _,
        } = self.query;
        let is = |wanted: &Option<String>, value: Option<&str>| {
            wanted.is_none() || wanted.as_deref() == value
        };
        let is_tagged = |wanted: &String| row.tags.iter().any(|tag| tag_key(tag) == *wanted);
        // Days in this form are in the order of their letters.
        let is_within = |is_fine: &dyn Fn(&str) -> bool| day_of(row).is_some_and(is_fine);
        let is_from = |from: &String| is_within(&|day| day >= from.as_str());
        let is_until = |to: &String| is_within(&|day| day <= to.as_str());
        let lists_problems = *has_problem || *card == Some(CardId::Problems);
        (lists_problems || is_note(row))
            && card.is_none_or(|card| is_on_card(row, card))
            && is(agent, row.agent.as_deref())
            && is(folder, Some(&row.folder))
            && is(language, row.language.as_deref())
            && self.tag.as_ref().is_none_or(is_tagged)
            && from.as_ref().is_none_or(is_from)
            && to.as_ref().is_none_or(is_until)
            && no_day.is_none_or(|why| why_no_day(row) == Some(why))
            && (!has_problem || row.n_problems > 0)
    }
}

/// The day of a note on the timeline.
fn day_of(row: &NoteRow) -> Option<&str> {
    row.date.as_deref().filter(|_| !row.is_date_odd)
}

fn why_no_day(row: &NoteRow) -> Option<NoDay> {
    match (&row.date, row.is_date_odd) {
        (None, _) => Some(NoDay::Undated),
        (Some(_), true) => Some(NoDay::Implausible),
        (Some(_), false) => None,
    }
}

/// A tag as it is compared: without `#`, in lower case.
pub(crate) fn tag_key(tag: &str) -> String {
    tag.trim().trim_start_matches('#').to_lowercase()
}

/// The order of a query, and whether the greatest comes first.
fn order_of(query: &NoteQuery) -> (NoteSort, bool) {
    let of_card = match query.card {
        Some(CardId::New) => NoteSort::Seen,
        Some(CardId::Largest) => NoteSort::Size,
        Some(CardId::Oldest) => NoteSort::Date,
        Some(
            CardId::NotLoaded
            | CardId::NotSearched
            | CardId::NeverFound
            | CardId::SaidAgain
            | CardId::Contradictions
            | CardId::Problems
            | CardId::Languages,
        )
        | None => NoteSort::Path,
    };
    let sort = query.sort.unwrap_or(of_card);
    let is_descending = match sort {
        NoteSort::Title | NoteSort::Path | NoteSort::Agent | NoteSort::Language => false,
        // The card of the oldest notes begins with the oldest.
        NoteSort::Date => query.card != Some(CardId::Oldest),
        NoteSort::Seen
        | NoteSort::Size
        | NoteSort::Words
        | NoteSort::Chunks
        | NoteSort::Found
        | NoteSort::Opened => true,
    };
    (sort, is_descending != query.is_reversed)
}

/// When a note was last seen to be new or other.
pub(crate) fn seen_ms(row: &NoteRow) -> Option<f64> {
    row.changed_ms.or(row.first_seen_ms)
}
