//! Finds where a judged text is in the current library: a judgment follows its text when the note is edited.

use std::collections::{HashMap, HashSet};

use memlens_corroborate::words;
use memlens_store::{EmbeddingId, Snapshot, Store, StoreError};

/// Minimum share of a judged text's words that a chunk of its note must contain to be the same text: the overlap at
/// which two observations count as the same by default.
pub const SHARE_MIN: f64 = 0.6;

/// A text that was judged, as it was then.
#[derive(Debug, Clone, Copy)]
pub struct JudgedText<'a> {
    /// BLAKE3 hash of the text.
    pub hash: &'a [u8; 32],
    /// The text as judged.
    pub text: &'a str,
    /// The note: the watched folder's name and the path in it, or the path alone.
    pub path: &'a str,
}

/// Where a judged text is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// A chunk has exactly this text; of several the one in its own note, otherwise the first.
    There(u32),
    /// The note was edited, and this chunk contains most of its words.
    Edited(u32),
    /// The note is gone, or does not contain the text any more.
    Gone,
}

impl Stands {
    /// Position of the chunk in the snapshot; `None` if there is none.
    pub fn place(self) -> Option<u32> {
        match self {
            Stands::There(place) | Stands::Edited(place) => Some(place),
            Stands::Gone => None,
        }
    }
}

/// Where each of these judged texts is now.
///
/// # Errors
/// [`StoreError::Sql`] where texts cannot be read.
pub fn follow(
    judged: &[JudgedText<'_>],
    snapshot: &Snapshot,
    store: &Store,
    model: &str,
) -> Result<Vec<Stands>, StoreError> {
    if judged.is_empty() {
        return Ok(Vec::new());
    }
    let embeddings = store.embeddings(model, judged.iter().map(|it| *it.hash))?;
    let mut places: HashMap<EmbeddingId, Vec<u32>> =
        embeddings.values().map(|id| (*id, Vec::new())).collect();
    for ((_, chunk), place) in snapshot.chunks().zip(0..) {
        if let Some(places) = places.get_mut(&chunk.embedding) {
            places.push(place);
        }
    }
    let mut edited = EditedNotes {
        snapshot,
        store,
        words: HashMap::new(),
    };
    let each = judged.iter().map(|text| {
        let same = embeddings.get(text.hash).and_then(|id| places.get(id));
        let own = note(snapshot, text.path);
        if let Some(same) = same.filter(|it| !it.is_empty()) {
            let stays = |place: &&u32| own == Some(snapshot.document_at(**place));
            let place = same.iter().find(stays).unwrap_or(&same[0]);
            return Ok(Stands::There(*place));
        }
        match own {
            Some(document) => edited.nearest(document, text.text),
            None => Ok(Stands::Gone),
        }
    });
    each.collect()
}

/// The document that a judgment names; `None` if it is gone, or several have the name.
fn note(snapshot: &Snapshot, path: &str) -> Option<usize> {
    let in_named = path.split_once('/').and_then(|(folder, rest)| {
        let mut named = snapshot.folders.iter().filter(|it| it.name == folder);
        named.find_map(|folder| snapshot.find(folder.id, rest))
    });
    in_named.or_else(|| {
        let mut all = snapshot.folders.iter();
        let first = all.find_map(|folder| snapshot.find(folder.id, path))?;
        let is_only = all.all(|folder| snapshot.find(folder.id, path).is_none());
        is_only.then_some(first)
    })
}

/// Notes that no longer contain a judged text, with the words of their chunks.
struct EditedNotes<'a> {
    snapshot: &'a Snapshot,
    store: &'a Store,
    words: HashMap<usize, Vec<HashSet<String>>>,
}

impl EditedNotes<'_> {
    /// The chunk of a document that contains most of a text's words, the first of equals.
    fn nearest(&mut self, document: usize, text: &str) -> Result<Stands, StoreError> {
        let places = self.snapshot.places(document..document + 1);
        if !self.words.contains_key(&document) {
            let ids = places.clone().map(|place| self.snapshot.chunk(place).1.id);
            let texts = self.store.chunk_texts(ids)?.into_iter();
            let of_each = texts.map(|text| words(&text.unwrap_or_default()).into_iter().collect());
            self.words.insert(document, of_each.collect());
        }
        let wanted: HashSet<String> = words(text).into_iter().collect();
        let mut best = (SHARE_MIN, Stands::Gone);
        for (place, held) in places.zip(&self.words[&document]) {
            let share = wanted.intersection(held).count() as f64 / wanted.len().max(1) as f64;
            if share > best.0 || (share >= SHARE_MIN && best.1 == Stands::Gone) {
                best = (share, Stands::Edited(place));
            }
        }
        Ok(best.1)
    }
}
