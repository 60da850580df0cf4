//! The documents of a snapshot in their order, in blocks that snapshots share: what a change costs does not grow with the
//! library, but for a pointer a block.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::mem;
use std::ops::Index;
use std::sync::Arc;

use crate::{DocumentId, DocumentRow};

/// Approximate number of documents and chunks per block: few blocks, none of them expensive to rebuild.
const BLOCK_SIZE: usize = 2048;
/// A smaller block is merged with its neighbour when it is rebuilt.
const BLOCK_SIZE_MIN: usize = BLOCK_SIZE / 4;

/// Documents in the total order of a snapshot, by index, and their chunks, by place.
#[derive(Clone)]
pub struct Documents {
    blocks: Vec<Arc<DocumentBlock>>,
    /// Start of each block, and at the end the end of the last one.
    starts: Vec<Start>,
}

/// Documents that follow each other, at least one; never changes.
pub struct DocumentBlock {
    documents: Vec<Arc<DocumentRow>>,
    /// The number of chunks before each document, and at the end that of all.
    firsts: Vec<u32>,
    /// The ids of its documents, sorted.
    ids: Vec<DocumentId>,
}

/// Number of documents and chunks before a block.
#[derive(Clone, Copy, Default)]
struct Start {
    document: usize,
    place: u32,
}

impl Documents {
    /// Builds blocks of documents that are already sorted.
    pub fn new(documents: Vec<Arc<DocumentRow>>) -> Self {
        Self::of(cut(documents).collect())
    }

    /// Copy without the documents in `changed`, and with those in `new`; all are sorted by `order`.
    pub fn with(
        &self,
        changed: &HashSet<DocumentId>,
        new: Vec<Arc<DocumentRow>>,
        order: impl Fn(&DocumentRow, &DocumentRow) -> Ordering,
    ) -> Self {
        let stays = |document: &&Arc<DocumentRow>| !changed.contains(&document.id);
        let mut gone: Vec<DocumentId> = changed.iter().copied().collect();
        gone.sort_unstable();
        let mut new = new.into_iter().peekable();
        let mut blocks = Vec::with_capacity(self.blocks.len() + 1);
        // Documents that are in no block yet.
        let mut open = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            let mut behind = self.blocks[at + 1..].iter().flat_map(|it| &it.documents);
            let next = behind.find(stays);
            let n_open = open.len();
            while let Some(document) =
                new.next_if(|it| next.is_none_or(|next| order(it, next).is_lt()))
            {
                open.push(document);
            }
            let is_as_before = open.len() == n_open && !block.holds_one_of(&gone);
            if is_as_before && (open.is_empty() || size(&open) >= BLOCK_SIZE_MIN) {
                blocks.extend(cut(mem::take(&mut open)));
                blocks.push(block.clone());
            } else {
                open.extend(block.documents.iter().filter(stays).cloned());
                open[n_open..].sort_by(|a, b| order(a, b));
            }
        }
        open.extend(new);
        blocks.extend(cut(open));
        Self::of(blocks)
    }

    fn of(blocks: Vec<Arc<DocumentBlock>>) -> Self {
        let mut starts = Vec::with_capacity(blocks.len() + 1);
        let mut start = Start::default();
        starts.push(start);
        for block in &blocks {
            start.document += block.documents.len();
            start.place += block.n_chunks();
            starts.push(start);
        }
        Self { blocks, starts }
    }

    /// The blocks in their order.
    pub fn blocks(&self) -> &[Arc<DocumentBlock>] {
        &self.blocks
    }

    /// For each block the index of the same block in an earlier state; `None` if it was built since.
    pub fn shared_with(&self, before: &Documents) -> Vec<Option<usize>> {
        let at: HashMap<_, _> = before.blocks.iter().map(Arc::as_ptr).zip(0..).collect();
        let blocks = self.blocks.iter();
        blocks.map(|it| at.get(&Arc::as_ptr(it)).copied()).collect()
    }

    /// Number of documents in all blocks.
    pub fn len(&self) -> usize {
        self.end().document
    }

    /// Whether it contains no documents.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Documents of all blocks, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<DocumentRow>> + Clone {
        self.blocks.iter().flat_map(|block| &block.documents)
    }

    /// The document at an index; `None` if the index is out of range.
    pub fn get(&self, index: usize) -> Option<&Arc<DocumentRow>> {
        let (block, start) = self.block_of(|start| start.document <= index);
        block?.documents.get(index - start.document)
    }

    /// Index of the first document for which this is false; it must be true for all before it and false for all after it.
    pub fn partition_point(&self, holds: impl Fn(&DocumentRow) -> bool) -> usize {
        let is_before = |block: &Arc<DocumentBlock>| holds(&block.documents[0]);
        let Some(at) = self.blocks.partition_point(is_before).checked_sub(1) else {
            return 0;
        };
        let within = self.blocks[at].documents.partition_point(|it| holds(it));
        self.starts[at].document + within
    }

    pub(crate) fn n_chunks(&self) -> u32 {
        self.end().place
    }

    /// The place of a document's first chunk, or of the chunk that would follow; behind the last document the number of all.
    pub(crate) fn first_place(&self, index: usize) -> u32 {
        let (block, start) = self.block_of(|start| start.document <= index);
        let within = index - start.document;
        start.place + block.map_or(0, |block| block.firsts[within])
    }

    /// The index of the document that holds the chunk at a place, and the place of its first chunk.
    ///
    /// # Panics
    /// If there is no such place.
    pub(crate) fn document_at(&self, place: u32) -> (usize, u32) {
        // A block may hold no chunk, so this takes the last one that begins at or before the place.
        let (block, start) = self.block_of(|start| start.place <= place);
        let firsts = &block.expect("there is such a place").firsts;
        let within = place - start.place;
        let at = firsts.partition_point(|first| *first <= within) - 1;
        (start.document + at, start.place + firsts[at])
    }

    /// The last block whose start is `not_after` the wanted position; `None` past the end.
    fn block_of(&self, not_after: impl Fn(&Start) -> bool) -> (Option<&Arc<DocumentBlock>>, Start) {
        let at = self.starts.partition_point(not_after) - 1;
        (self.blocks.get(at), self.starts[at])
    }

    fn end(&self) -> Start {
        self.starts.last().copied().unwrap_or_default()
    }
}

impl Index<usize> for Documents {
    type Output = Arc<DocumentRow>;

    /// # Panics
    /// If `index` is out of range.
    fn index(&self, index: usize) -> &Arc<DocumentRow> {
        self.get(index).expect("there is such a document")
    }
}

/// Documents are equal however they are cut.
impl PartialEq for Documents {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Documents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl DocumentBlock {
    fn new(documents: Vec<Arc<DocumentRow>>) -> Arc<Self> {
        let mut firsts = Vec::with_capacity(documents.len() + 1);
        let mut first = 0;
        firsts.push(first);
        for document in &documents {
            first += document.chunks.len() as u32;
            firsts.push(first);
        }
        let mut ids: Vec<DocumentId> = documents.iter().map(|it| it.id).collect();
        ids.sort_unstable();
        Arc::new(Self {
            documents,
            firsts,
            ids,
        })
    }

    /// Its documents in their order.
    pub fn documents(&self) -> &[Arc<DocumentRow>] {
        &self.documents
    }

    /// The number of their chunks.
    pub fn n_chunks(&self) -> u32 {
        self.firsts.last().copied().unwrap_or_default()
    }

    /// The number of chunks before each document, and at the end that of all.
    pub fn firsts(&self) -> &[u32] {
        &self.firsts
    }

    /// Whether one of these ids, which are sorted, is one of its documents.
    fn holds_one_of(&self, ids: &[DocumentId]) -> bool {
        let from = ids.partition_point(|id| Some(id) < self.ids.first());
        let near = ids[from..].iter();
        let mut near = near.take_while(|id| Some(*id) <= self.ids.last());
        near.any(|id| self.ids.binary_search(id).is_ok())
    }
}

/// Blocks of documents, as even as these allow.
fn cut(documents: Vec<Arc<DocumentRow>>) -> impl Iterator<Item = Arc<DocumentBlock>> {
    let total = size(&documents);
    let wanted = total.div_ceil(total.div_ceil(BLOCK_SIZE).max(1));
    let mut documents = documents.into_iter();
    std::iter::from_fn(move || {
        let mut block = Vec::new();
        let mut n = 0;
        while n < wanted
            && let Some(document) = documents.next()
        {
            n += size(std::slice::from_ref(&document));
            block.push(document);
        }
        (!block.is_empty()).then(|| DocumentBlock::new(block))
    })
}

/// What documents count for: themselves and their chunks.
fn size(documents: &[Arc<DocumentRow>]) -> usize {
    documents.iter().map(|it| 1 + it.chunks.len()).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::{ChunkRow, FolderId};

    fn document(id: i64, path: u32, n_chunks: usize) -> Arc<DocumentRow> {
        Arc::new(DocumentRow {
            chunks: vec![ChunkRow::default(); n_chunks].into(),
            ..DocumentRow::new(DocumentId(id), FolderId(1), &format!("{path:04}"))
        })
    }

    fn by_path(a: &DocumentRow, b: &DocumentRow) -> Ordering {
        a.path.cmp(&b.path)
    }

    /// Paths that get another document with this number of chunks, or are removed.
    fn changes() -> impl Strategy<Value = Vec<(u32, Option<usize>)>> {
        let n_chunks = prop_oneof![8 => 0_usize..120, 1 => 1_000_usize..5_000];
        let one = (0_u32..400, prop::option::weighted(0.7, n_chunks));
        let run = (0_u32..400, 1_u32..200, prop::option::of(0_usize..60));
        let run =
            run.prop_map(|(first, n, to)| (first..first + n).map(|path| (path, to)).collect());
        prop_oneof![2 => prop::collection::vec(one, 0..6), 1 => run]
    }

    /// A folder that is not watched any more has no position, so its documents say nothing about the order.
    #[test]
    fn a_document_comes_before_a_folder_that_is_gone() {
        let of = |folder: i64, path: u32, n_chunks: usize| {
            let one = document(folder * 1000 + i64::from(path), path, n_chunks);
            let folder = FolderId(folder);
            Arc::new(DocumentRow {
                folder,
                ..(*one).clone()
            })
        };
        let key = |it: &DocumentRow| ((it.folder.0 != 2).then_some(it.folder.0), it.path.clone());
        let folders = [1, 2, 3].map(|folder| [10, 30].map(|path| of(folder, path, BLOCK_SIZE / 2)));
        let documents = Documents::new(folders.concat());
        assert_eq!(documents.blocks().len(), folders.len());
        let gone = folders[1].iter().map(|it| it.id).collect();
        let new = [(1, 20), (1, 40), (3, 5)].map(|(folder, path)| of(folder, path, 1));
        let later = documents.with(&gone, new.into(), |a, b| key(a).cmp(&key(b)));
        assert_eq!(later.len(), 7);
        assert!(later.iter().is_sorted_by_key(|it| key(it)));
    }

    /// Changes documents in rounds, and checks each state.
    fn check(rounds: Vec<Vec<(u32, Option<usize>)>>) -> Result<(), TestCaseError> {
        let mut expected: BTreeMap<String, Arc<DocumentRow>> = BTreeMap::new();
        let mut documents = Documents::new(Vec::new());
        let mut next_id = 0;
        for round in rounds {
            let (mut changed, mut new) = (HashSet::new(), BTreeMap::new());
            for (path, n_chunks) in round {
                next_id += 1;
                // As an id goes up and down with its path, or does not.
                let document = document(
                    next_id * (1 - i64::from(path % 2) * 2),
                    path,
                    n_chunks.unwrap_or(0),
                );
                new.remove(&document.path);
                if let Some(gone) = expected.remove(&document.path) {
                    changed.insert(gone.id);
                }
                if n_chunks.is_some() {
                    changed.insert(document.id);
                    new.insert(document.path.clone(), document);
                }
            }
            expected.extend(new.clone());
            let n_changed = changed.len();
            let next = documents.with(&changed, new.into_values().collect(), by_path);

            let all: Vec<&Arc<DocumentRow>> = expected.values().collect();
            prop_assert_eq!(next.len(), all.len());
            prop_assert!(next.iter().zip(&all).all(|(a, b)| Arc::ptr_eq(a, b)));
            prop_assert_eq!(next.is_empty(), all.is_empty());
            prop_assert!(next.get(all.len()).is_none());
            let mut place = 0;
            for (at, document) in all.iter().enumerate() {
                prop_assert!(Arc::ptr_eq(&next[at], document));
                prop_assert_eq!(next.partition_point(|it| it.path < document.path), at);
                prop_assert_eq!(next.first_place(at), place);
                for within in 0..document.chunks.len() as u32 {
                    prop_assert_eq!(next.document_at(place + within), (at, place));
                }
                place += document.chunks.len() as u32;
            }
            prop_assert_eq!(next.first_place(all.len()), place);
            prop_assert_eq!(next.n_chunks(), place);
            for block in next.blocks() {
                let last = &block.documents[block.documents.len() - 1..];
                prop_assert!(size(&block.documents) - size(last) < BLOCK_SIZE);
            }
            // Beside a block that changed those are taken up that follow, until they are no longer small: small ones that are together
            // smaller than one that is not, and one more.
            let same = next.shared_with(&documents);
            let shared: HashSet<usize> = same.iter().flatten().copied().collect();
            let lost = (0..documents.blocks().len()).filter(|at| !shared.contains(at));
            let lost = lost.map(|at| size(&documents.blocks()[at].documents));
            let (small, large): (Vec<usize>, Vec<usize>) = lost.partition(|n| *n < BLOCK_SIZE_MIN);
            prop_assert!(large.len() <= 2 * n_changed);
            prop_assert!(small.iter().sum::<usize>() <= 2 * n_changed * BLOCK_SIZE_MIN);
            for (block, at) in next.blocks().iter().zip(same) {
                prop_assert!(at.is_none_or(|at| Arc::ptr_eq(block, &documents.blocks()[at])));
            }
            documents = next;
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn documents_stand_in_order_and_share_what_did_not_change(
            rounds in prop::collection::vec(changes(), 1..12),
        ) {
            check(rounds)?;
        }
    }

    /// Where a large document was cut off unevenly, what follows it is a block of one small one.
    #[test]
    fn small_blocks_in_a_row_are_taken_up_together() {
        let rounds = [
            vec![(236, Some(1928)), (361, Some(1000))],
            vec![(0, Some(70)), (330, Some(48))],
            vec![(236, None)],
        ];
        check(rounds.into()).expect("they stand in order");
    }
}
