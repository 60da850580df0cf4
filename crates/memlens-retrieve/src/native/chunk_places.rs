//! Maps chunk ids to places.

use memlens_index::IdTable;
use memlens_store::{ChunkRow, DocumentBlock, Documents};

/// The place of each chunk of some documents.
///
/// Places shift when documents are added or removed. So chunks have slots, which are consecutive within a block. A
/// block keeps its slots until it changes; a new block gets slots that no block had before.
pub struct ChunkPlaces {
    /// The slots of each chunk id; some may belong to blocks that no longer exist.
    slots: IdTable,
    /// The first slot of each block.
    of_blocks: Vec<u32>,
    /// The slots in use, ascending.
    held: Vec<Held>,
    /// The first slot that was never used.
    next: u32,
}

/// A run of consecutive slots, whose chunks have consecutive places.
struct Held {
    slot: u32,
    place: u32,
    n: u32,
}

impl ChunkPlaces {
    /// Returns the places in these documents.
    pub fn new(documents: &Documents) -> Self {
        let none = ChunkPlaces {
            slots: IdTable::default(),
            of_blocks: Vec::new(),
            held: Vec::new(),
            next: 0,
        };
        none.following(documents, &vec![None; documents.blocks().len()])
    }

    /// Returns the places in a later state of the documents. `same` holds for each of its blocks the index of the same
    /// block in the earlier state, if any.
    pub fn following(&self, documents: &Documents, same: &[Option<usize>]) -> Self {
        let blocks = || documents.blocks().iter();
        let n_new = blocks().zip(same).filter(|(_, same)| same.is_none());
        let n_new: u64 = n_new.map(|(block, _)| u64::from(block.n_chunks())).sum();
        if self.next > 0 && u64::from(self.next) + n_new > u64::from(u32::MAX) {
            return Self::new(documents);
        }
        let mut next = self.next;
        let of_blocks = blocks().zip(same).map(|(block, same)| match same {
            Some(at) => self.of_blocks[*at],
            None => {
                next += block.n_chunks();
                next - block.n_chunks()
            }
        });
        let of_blocks: Vec<u32> = of_blocks.collect();
        let mut place = 0;
        let held = blocks().zip(&of_blocks).map(|(block, slot)| {
            place += block.n_chunks();
            Held {
                slot: *slot,
                place: place - block.n_chunks(),
                n: block.n_chunks(),
            }
        });
        let mut held: Vec<Held> = held.filter(|held| held.n > 0).collect();
        held.sort_unstable_by_key(|held| held.slot);
        let new = blocks().zip(same).zip(&of_blocks);
        let new = new.filter(|((_, same), _)| same.is_none());
        let runs = new.flat_map(|((block, _), slot)| runs(block, *slot));
        let slots = self
            .slots
            .with_runs(runs, |slot| place_of(&held, slot).is_some());
        Self {
            slots,
            of_blocks,
            held,
            next,
        }
    }

    /// Returns the place of a chunk, or `None` if there is no such chunk.
    pub fn get(&self, chunk: i64) -> Option<u32> {
        let mut slots = self.slots.get_all(chunk);
        slots.find_map(|slot| place_of(&self.held, slot))
    }
}

fn place_of(held: &[Held], slot: u32) -> Option<u32> {
    let behind = held.partition_point(|held| held.slot <= slot);
    let held = held[..behind].last()?;
    let within = slot - held.slot;
    (within < held.n).then(|| held.place + within)
}

/// Returns the chunks of a block as runs of ids with their slots. The ids of a document are usually consecutive.
fn runs(block: &DocumentBlock, slot: u32) -> impl Iterator<Item = (i64, u32, u32)> + Clone {
    let documents = block.documents().iter().zip(block.firsts());
    documents.flat_map(move |(document, first)| {
        let chunks: &[ChunkRow] = &document.chunks;
        let is_run = chunks
            .first()
            .zip(chunks.last())
            .is_some_and(|(first, last)| {
                last.id.checked_sub(first.id) == Some(chunks.len() as i64 - 1)
            });
        let len = if is_run { chunks.len() } else { 1 };
        let slots = (slot + first..).step_by(len);
        let runs = chunks.chunks(len).zip(slots);
        runs.map(|(run, slot)| (run[0].id, slot, run.len() as u32))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};
    use std::sync::Arc;

    use memlens_store::{DocumentId, DocumentRow, FolderId};
    use proptest::prelude::*;

    use super::*;

    /// A document whose chunk ids start at `first_chunk` and increase by `step`.
    fn document(path: u32, first_chunk: i64, n_chunks: usize, step: i64) -> Arc<DocumentRow> {
        let chunks = (0..n_chunks as i64).map(|at| ChunkRow {
            id: first_chunk + at * step,
            ..ChunkRow::default()
        });
        Arc::new(DocumentRow {
            chunks: chunks.collect::<Vec<_>>().into(),
            ..DocumentRow::new(DocumentId(first_chunk), FolderId(1), &format!("{path:04}"))
        })
    }

    fn check(places: &ChunkPlaces, documents: &Documents, n_ids: i64) -> Result<(), TestCaseError> {
        let chunks = documents.iter().flat_map(|it| it.chunks.iter());
        let expected: BTreeMap<i64, u32> = chunks.map(|chunk| chunk.id).zip(0..).collect();
        for id in -1..=n_ids {
            prop_assert_eq!(places.get(id), expected.get(&id).copied());
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn every_chunk_has_its_place_and_no_other_has_one(
            rounds in prop::collection::vec(
                prop::collection::vec((0_u32..60, 0_usize..900, 1_i64..3), 0..20), 1..8,
            ),
            is_near_the_last_slot: bool,
        ) {
            let mut known: BTreeMap<u32, Arc<DocumentRow>> = BTreeMap::new();
            let mut documents = Documents::new(Vec::new());
            let mut places = ChunkPlaces::new(&documents);
            if is_near_the_last_slot {
                places.next = u32::MAX - 3_000;
            }
            let mut next_id = 0;
            for round in rounds {
                let (mut changed, mut new) = (HashSet::new(), BTreeMap::new());
                for (path, n_chunks, step) in round {
                    changed.extend(known.remove(&path).map(|it| it.id));
                    new.remove(&path);
                    // Some are only deleted.
                    if n_chunks > 100 {
                        new.insert(path, document(path, next_id, n_chunks - 100, step));
                        next_id += n_chunks as i64 * step;
                    }
                }
                known.extend(new.clone());
                let of_new = new.into_values().collect();
                let later = documents.with(&changed, of_new, |a, b| a.path.cmp(&b.path));
                places = places.following(&later, &later.shared_with(&documents));
                documents = later;
                check(&places, &documents, next_id)?;
                check(&ChunkPlaces::new(&documents), &documents, next_id)?;
            }
        }
    }
}
