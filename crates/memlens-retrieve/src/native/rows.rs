//! Which rows of the vector list each chunk has.

use std::ops::Range;

/// The rows of every chunk's vectors, by place.
pub struct Rows {
    /// The row of each chunk's own vector, by place.
    wholes: Vec<u32>,
    /// The rows of all windows' vectors, by chunk.
    windows: Vec<u32>,
    /// Where the windows of each chunk begin in `windows`, by place, and at the end their number.
    firsts: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        Self::for_chunks(0, 0)
    }
}

impl Rows {
    /// No chunk yet, and room for so many with so many windows in all.
    pub fn for_chunks(n_chunks: usize, n_windows: usize) -> Rows {
        let mut firsts = Vec::with_capacity(n_chunks + 1);
        firsts.push(0);
        Rows {
            wholes: Vec::with_capacity(n_chunks),
            windows: Vec::with_capacity(n_windows),
            firsts,
        }
    }

    /// The number of chunks.
    pub fn n_chunks(&self) -> u32 {
        self.wholes.len() as u32
    }

    /// Adds the chunk of the next place, by the row of its whole text and those of its windows.
    pub fn push(&mut self, whole: u32, windows: &[u32]) {
        self.wholes.push(whole);
        self.windows.extend(windows);
        self.firsts.push(self.windows.len() as u32);
    }

    /// Adds the chunks at some places of others.
    ///
    /// # Panics
    /// If there are no such places.
    pub fn copy(&mut self, from: &Rows, places: Range<u32>) {
        let places = places.start as usize..places.end as usize;
        self.wholes.extend(&from.wholes[places.clone()]);
        let ends = &from.firsts[places.start..=places.end];
        let (first, last) = (ends[0], ends[ends.len() - 1]);
        let own_first = self.windows.len() as u32;
        self.windows
            .extend(&from.windows[first as usize..last as usize]);
        self.firsts
            .extend(ends[1..].iter().map(|end| end - first + own_first));
    }

    /// The row of the whole of the chunk at a place.
    ///
    /// # Panics
    /// If there is no such place; so do the others.
    pub fn whole(&self, place: u32) -> u32 {
        self.wholes[place as usize]
    }

    /// The rows of the windows of the chunk at a place, in their order.
    pub fn windows(&self, place: u32) -> &[u32] {
        let place = place as usize;
        &self.windows[self.firsts[place] as usize..self.firsts[place + 1] as usize]
    }
}
