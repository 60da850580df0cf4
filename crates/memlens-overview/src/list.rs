//! The list of notes: which notes a card or the user's filters choose, and their order. Cards count by it.

use std::cmp::Ordering;
use std::collections::HashMap;

use memlens_library::{EngineError, Library};
use memlens_store::{DocumentId, StoredChunk};
use memlens_wire::{CardId, NotePage, NoteQuery, NoteRow, NoteSort};

use crate::table::Table;

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
    let holding = holding_of(library, query)?;
    let rows = table.rows(query, holding.as_ref());
    Ok(NoteList {
        rows: rows.into_iter().cloned().collect(),
        n_all: table.rows.len() as u32,
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
    let table = crate::table(library)?;
    let holding = holding_of(library, query)?;
    let rows = table.rows(query, holding.as_ref());
    let page = rows.iter().skip(first as usize).take(PAGE);
    Ok(NotePage {
        first,
        rows: page.map(|row| (*row).clone()).collect(),
        n: rows.len() as u32,
        n_all: table.rows.len() as u32,
        n_unread: table.n_unread,
    })
}

/// Number of rows of a page.
const PAGE: usize = 200;

/// What the text of a query is compared with; `None` if it has none.
pub(crate) fn holding_of(
    library: &Library,
    query: &NoteQuery,
) -> Result<Option<Holding>, EngineError> {
    match query.text.trim() {
        "" => Ok(None),
        text => Ok(Some(holding(library, text)?)),
    }
}

/// Which of some words the text of each document holds, as bits.
pub(crate) struct Holding {
    words: Vec<String>,
    texts: HashMap<DocumentId, u64>,
}

/// More words than this are not looked for.
const WORDS_MAX: usize = 64;

fn holding(library: &Library, text: &str) -> Result<Holding, EngineError> {
    let words: Vec<String> = text
        .split_whitespace()
        .take(WORDS_MAX)
        .map(str::to_lowercase)
        .collect();
    let mut texts: HashMap<DocumentId, u64> = HashMap::new();
    let each = |chunk: StoredChunk| -> Result<(), EngineError> {
        let held = bits(&words, &chunk.text.to_lowercase());
        if held != 0 {
            *texts.entry(chunk.document).or_default() |= held;
        }
        Ok(())
    };
    // Of its own, so that nothing else waits for the pass.
    let store = library.store().reader()?;
    store.for_each_chunk(each)?;
    Ok(Holding { words, texts })
}

fn bits(words: &[String], text: &str) -> u64 {
    let held = words.iter().enumerate();
    held.filter(|(_, word)| text.contains(word.as_str()))
        .fold(0, |bits, (at, _)| bits | 1 << at)
}

impl Holding {
    fn is_in(&self, row: &NoteRow, document: Option<DocumentId>) -> bool {
        let name = format!("{}\n{}", row.title, row.path).to_lowercase();
        let of_text = document.and_then(|id| self.texts.get(&id)).copied();
        let held = bits(&self.words, &name) | of_text.unwrap_or(0);
        held.count_ones() as usize == self.words.len()
    }
}

impl Table {
    /// The rows that a query chooses, in its order. Cards and the list call only this.
    pub(crate) fn rows(&self, query: &NoteQuery, holding: Option<&Holding>) -> Vec<&NoteRow> {
        let chosen = self.chosen(query, holding).into_iter();
        let mut chosen: Vec<&NoteRow> = chosen.map(|(row, _)| row).collect();
        let (sort, is_descending) = order_of(query);
        // Stable: equal ones stay by folder and path.
        chosen.sort_by(|a, b| compare(sort, a, b, is_descending));
        chosen
    }

    /// The rows that a query chooses, by folder and path, with their documents.
    pub(crate) fn chosen(
        &self,
        query: &NoteQuery,
        holding: Option<&Holding>,
    ) -> Vec<(&NoteRow, Option<DocumentId>)> {
        let rows = self.rows.iter().zip(self.documents.iter().copied());
        rows.filter(|(row, _)| is_chosen(row, query))
            .filter(|(row, document)| holding.is_none_or(|it| it.is_in(row, *document)))
            .collect()
    }

    /// The rows of a card.
    pub(crate) fn rows_of(&self, card: CardId) -> Vec<&NoteRow> {
        let query = NoteQuery {
            card: Some(card),
            ..NoteQuery::default()
        };
        self.rows(&query, None)
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

fn is_chosen(row: &NoteRow, query: &NoteQuery) -> bool {
    let NoteQuery {
        card,
        agent,
        folder,
        tag,
        language,
        from,
        to,
        has_problem,
        text: _,
        sort: _,
        is_reversed: _,
    } = query;
    let is = |wanted: &Option<String>, value: Option<&str>| {
        wanted.is_none() || wanted.as_deref() == value
    };
    let is_tagged = |wanted: &String| {
        let wanted = wanted.trim_start_matches('#').to_lowercase();
        let tags = row.tags.iter();
        tags.map(|tag| tag.trim_start_matches('#').to_lowercase())
            .any(|tag| tag == wanted)
    };
    // Days in this form are in the order of their letters.
    let date = row.date.as_deref().filter(|_| !row.is_date_odd);
    let is_within = |is_fine: &dyn Fn(&str) -> bool| date.is_some_and(is_fine);
    card.is_none_or(|card| is_on_card(row, card))
        && is(agent, row.agent.as_deref())
        && is(folder, Some(&row.folder))
        && is(language, row.language.as_deref())
        && tag.as_ref().is_none_or(is_tagged)
        && from
            .as_ref()
            .is_none_or(|from| is_within(&|date| date >= from.as_str()))
        && to
            .as_ref()
            .is_none_or(|to| is_within(&|date| date <= to.as_str()))
        && (!has_problem || row.n_problems > 0)
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

/// Compares two rows; those without a value come last in either direction.
fn compare(sort: NoteSort, a: &NoteRow, b: &NoteRow, is_descending: bool) -> Ordering {
    let texts = |get: fn(&NoteRow) -> Option<&str>| {
        let folded = |row| get(row).map(str::to_lowercase);
        directed(folded(a), folded(b), is_descending, Ord::cmp)
    };
    let numbers =
        |get: fn(&NoteRow) -> Option<f64>| directed(get(a), get(b), is_descending, f64::total_cmp);
    match sort {
        NoteSort::Title => texts(|row| Some(&row.title)),
        // Rows are in this order.
        NoteSort::Path if is_descending => {
            (&b.folder_name, &b.path).cmp(&(&a.folder_name, &a.path))
        }
        NoteSort::Path => Ordering::Equal,
        NoteSort::Agent => texts(|row| row.agent_name.as_deref()),
        NoteSort::Language => texts(|row| row.language.as_deref()),
        NoteSort::Date => texts(|row| row.date.as_deref().filter(|_| !row.is_date_odd)),
        NoteSort::Seen => numbers(seen_ms),
        NoteSort::Size => numbers(|row| row.n_bytes),
        NoteSort::Words => numbers(|row| row.n_words.map(f64::from)),
        NoteSort::Chunks => numbers(|row| Some(f64::from(row.n_chunks))),
        NoteSort::Found => numbers(|row| row.n_found.map(f64::from)),
        NoteSort::Opened => numbers(|row| row.n_opened.map(f64::from)),
    }
}

/// When a note was last seen to be new or other.
pub(crate) fn seen_ms(row: &NoteRow) -> Option<f64> {
    row.changed_ms.or(row.first_seen_ms)
}

fn directed<T>(
    a: Option<T>,
    b: Option<T>,
    is_descending: bool,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if is_descending => compare(&b, &a),
        (Some(a), Some(b)) => compare(&a, &b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}
