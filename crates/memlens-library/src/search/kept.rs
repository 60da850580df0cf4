//! Cache of searches that can still be ranked: the most recently used, and always the one that is shown.

use std::sync::Arc;

use lru::LruCache;

use crate::EngineError;
use crate::search::Search;

/// Number of searches that are cached; the window shows one and compares with few.
const SEARCHES_KEPT: usize = 8;

/// Cache of searches by id.
pub(crate) struct KeptSearches {
    /// The searches, most recently used first.
    searches: LruCache<u32, Arc<Search>>,
    /// The search that the user is viewing; `None` before the first.
    shown: Option<u32>,
}

impl Default for KeptSearches {
    fn default() -> KeptSearches {
        KeptSearches {
            searches: LruCache::unbounded(),
            shown: None,
        }
    }
}

impl KeptSearches {
    /// Caches a search; the least recently used one is dropped if there are too many, unless it is shown.
    pub(crate) fn put(&mut self, search: Arc<Search>) {
        self.searches.put(search.id, search);
        while self.searches.len() > SEARCHES_KEPT
            && let Some((id, oldest)) = self.searches.pop_lru()
        {
            if self.shown == Some(id) {
                self.searches.put(id, oldest);
            }
        }
    }

    /// A search, which counts as a use.
    ///
    /// # Errors
    /// [`EngineError::SearchGone`].
    pub(crate) fn get(&mut self, id: u32) -> Result<&mut Arc<Search>, EngineError> {
        self.searches
            .get_mut(&id)
            .ok_or(EngineError::SearchGone { id })
    }

    /// Marks the search that the user is viewing.
    pub(crate) fn show(&mut self, id: u32) {
        self.shown = Some(id);
    }

    /// All of them, in arbitrary order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Search>> {
        self.searches.iter().map(|(_, search)| search)
    }

    /// All of them for replacing, which does not count as a use.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Arc<Search>> {
        self.searches.iter_mut().map(|(_, search)| search)
    }

    pub(crate) fn clear(&mut self) {
        self.searches.clear();
        self.shown = None;
    }
}
