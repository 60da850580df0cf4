//! Rows of fixed size, held in memory of their own or in a mapped file that holds those of others too.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use memlens_files::OwnBytes;

/// Rows that are read in place, wherever they are.
pub struct Records<T>(Held<T>);

enum Held<T> {
    Own(Box<[T]>),
    /// Some bytes of a file.
    Mapped(Arc<OwnBytes>, Range<usize>),
}

impl<T: Pod> Records<T> {
    /// Rows in a byte range of a file; `None` if the range is outside the file, or does not hold whole rows that can be
    /// read in place.
    pub(crate) fn mapped(file: &Arc<OwnBytes>, bytes: Range<usize>) -> Option<Self> {
        bytemuck::try_cast_slice::<u8, T>(file.get(bytes.clone())?).ok()?;
        Some(Self(Held::Mapped(file.clone(), bytes)))
    }
}

impl<T> Records<T> {
    /// Whether all rows can still be read as they were written, see [`OwnBytes::is_whole`].
    pub(crate) fn is_whole(&self) -> bool {
        match &self.0 {
            Held::Own(_) => true,
            Held::Mapped(file, _) => file.is_whole(),
        }
    }
}

impl<T: Pod> Deref for Records<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Held::Own(rows) => rows,
            Held::Mapped(file, bytes) => bytemuck::cast_slice(&file[bytes.clone()]),
        }
    }
}

impl<T> From<Vec<T>> for Records<T> {
    fn from(rows: Vec<T>) -> Self {
        Self(Held::Own(rows.into_boxed_slice()))
    }
}

impl<T> Default for Records<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: Pod> Clone for Records<T> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Held::Own(rows) => Held::Own(rows.clone()),
            Held::Mapped(file, bytes) => Held::Mapped(file.clone(), bytes.clone()),
        })
    }
}

/// Rows are equal wherever they are held.
impl<T: Pod + PartialEq> PartialEq for Records<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for Records<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, T: Pod> IntoIterator for &'a Records<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// From one place up to another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Span {
    /// Index of the first element.
    pub start: u32,
    /// The place behind the last.
    pub end: u32,
}

impl Span {
    /// The same to take a part of a slice or a text by.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl From<Range<u32>> for Span {
    fn from(Range { start, end }: Range<u32>) -> Self {
        Self { start, end }
    }
}

impl From<Span> for Range<u32> {
    fn from(Span { start, end }: Span) -> Self {
        start..end
    }
}
