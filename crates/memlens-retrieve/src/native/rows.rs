//! Maps chunks to rows of the vector list.

use std::ops::Range;
use std::sync::Arc;

/// The rows of the vectors of consecutive chunks.
pub struct BlockRows {
    /// The row of each chunk's own vector.
    wholes: Vec<u32>,
    /// The rows of all windows' vectors, by chunk.
    windows: Vec<u32>,
    /// Index in `windows` at which each chunk begins, followed by the total.
    firsts: Vec<u32>,
}

impl Default for BlockRows {
    fn default() -> Self {
        Self::for_chunks(0, 0)
    }
}

impl BlockRows {
    /// Returns an empty block with capacity for this many chunks and windows.
    pub fn for_chunks(n_chunks: usize, n_windows: usize) -> Self {
        let mut firsts = Vec::with_capacity(n_chunks + 1);
        firsts.push(0);
        Self {
            wholes: Vec::with_capacity(n_chunks),
            windows: Vec::with_capacity(n_windows),
            firsts,
        }
    }

    /// Appends a chunk, given by the row of its whole text and those of its windows.
    pub fn push(&mut self, whole: u32, windows: &[u32]) {
        self.wholes.push(whole);
        self.windows.extend(windows);
        self.firsts.push(self.windows.len() as u32);
    }

    fn windows(&self, at: usize) -> &[u32] {
        &self.windows[self.firsts[at] as usize..self.firsts[at + 1] as usize]
    }
}

/// The rows of every chunk's vectors, by place.
#[derive(Default)]
pub struct Rows {
    blocks: Vec<Arc<BlockRows>>,
    /// The place of each block's first chunk, and at the end the number of chunks.
    firsts: Vec<u32>,
}

impl Rows {
    /// Returns the rows of all chunks, in blocks.
    pub fn of(blocks: Vec<Arc<BlockRows>>) -> Self {
        let mut first = 0;
        let mut firsts = vec![first];
        firsts.extend(blocks.iter().map(|block| {
            first += block.wholes.len() as u32;
            first
        }));
        Self { blocks, firsts }
    }

    /// Returns the blocks in their order.
    pub(super) fn blocks(&self) -> &[Arc<BlockRows>] {
        &self.blocks
    }

    /// Returns the row of the whole chunk at a place.
    ///
    /// # Panics
    /// If there is no such place. The other methods do so too.
    pub fn whole(&self, place: u32) -> u32 {
        let (block, at) = self.find(place);
        self.blocks[block].wholes[at]
    }

    /// Returns the rows of the windows of the chunk at a place, in their order.
    pub fn windows(&self, place: u32) -> &[u32] {
        let (block, at) = self.find(place);
        self.blocks[block].windows(at)
    }

    /// Returns the chunks at some places: each place, the row of its whole text, and those of its windows.
    pub fn among(&self, places: Range<u32>) -> impl Iterator<Item = (u32, u32, &[u32])> {
        let first = if places.is_empty() {
            self.blocks.len()
        } else {
            self.find(places.start).0
        };
        let blocks = self.firsts.windows(2).zip(&self.blocks).skip(first);
        let blocks = blocks.take_while(move |(ends, _)| ends[0] < places.end);
        blocks.flat_map(move |(ends, block)| {
            let among = places.start.max(ends[0])..places.end.min(ends[1]);
            among.map(move |place| {
                let at = (place - ends[0]) as usize;
                (place, block.wholes[at], block.windows(at))
            })
        })
    }

    /// Returns the block that holds a place, and the position in it.
    fn find(&self, place: u32) -> (usize, usize) {
        // A block may be empty, so this takes the last one that begins at or before the place.
        let block = self.firsts.partition_point(|first| *first <= place) - 1;
        (block, (place - self.firsts[block]) as usize)
    }
}
