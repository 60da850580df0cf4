//! One segment of the text list, as tantivy wrote it, and what was deleted in it since.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tantivy::fastfield::AliveBitSet;
use tantivy::index::SegmentId;
use tantivy::postings::{Postings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, InvertedIndexReader, SegmentReader, TERMINATED, TantivyError};

use crate::text_list::{CHUNK, N_WORDS, open_error, schema};
use crate::words::is_letter;
use crate::{IdTable, IndexError};

/// A segment in one state of the list, with everything that a search needs.
pub(crate) struct Segment {
    id: SegmentId,
    words: Arc<InvertedIndexReader>,
    letters: Arc<InvertedIndexReader>,
    /// `None` if nothing was deleted.
    alive: Option<AliveBitSet>,
    n_alive: u32,
    /// Number of words in its entries, without deleted ones.
    n_words_alive: u64,
    /// The position of its first entry among those of all segments.
    pub first: u32,
    written: Arc<Written>,
}

/// The immutable data of a segment's entries, shared by all states of the list that have the segment.
struct Written {
    /// The chunk of each entry.
    chunks: Vec<u64>,
    /// The approximate number of words of each entry, in the one byte that scoring uses.
    lengths: Vec<u8>,
    /// The entry of each chunk that was not deleted when it was read.
    entries: IdTable,
}

impl Segment {
    /// Opens a segment whose entries begin at `first` among those of all. If `known`, the segments of an earlier state
    /// of the list, has it, its data is not read again.
    ///
    /// # Errors
    /// Like [`crate::TextIndex::open`].
    pub(crate) fn open(
        dir: &Path,
        reader: &SegmentReader,
        first: u32,
        known: &[Segment],
    ) -> Result<Self, IndexError> {
        let n_alive = reader.num_docs();
        // Deleted entries stay deleted, unless the list was replaced by an older one.
        let is_same =
            |known: &&Segment| known.id == reader.segment_id() && known.n_alive >= n_alive;
        let known = known.iter().find(is_same);
        let opened = || -> Result<_, TantivyError> {
            let fields = schema().1;
            let written = match known {
                Some(known) => Some(known.written.clone()),
                None => Written::read(reader)?.map(Arc::new),
            };
            let (words, letters) = (fields.words, fields.letters);
            Ok((
                reader.inverted_index(words)?,
                reader.inverted_index(letters)?,
                reader.fast_fields().u64(N_WORDS)?,
                written,
            ))
        };
        let (words, letters, n_words, written) =
            opened().map_err(|source| open_error(dir, source))?;
        let Some(written) = written.filter(|_| n_words.num_docs() == reader.max_doc()) else {
            let why = "its parts differ in length".to_owned();
            return Err(IndexError::Torn {
                path: dir.to_owned(),
                why,
            });
        };
        let alive = reader.alive_bitset().cloned();
        let n_words_of = |doc| n_words.first(doc).unwrap_or(0);
        let n_words_alive = match known {
            Some(known) if known.n_alive == n_alive => known.n_words_alive,
            Some(known) => {
                let gone = deleted(alive.as_ref(), reader.max_doc());
                let gone = gone.filter(|doc| known.is_alive(*doc));
                known
                    .n_words_alive
                    .saturating_sub(gone.map(n_words_of).sum())
            }
            None => reader.doc_ids_alive().map(n_words_of).sum(),
        };
        Ok(Self {
            id: reader.segment_id(),
            words,
            letters,
            alive,
            n_alive,
            n_words_alive,
            first,
            written,
        })
    }

    /// Returns the number of words in its entries, without deleted ones.
    pub(crate) fn n_words_alive(&self) -> u64 {
        self.n_words_alive
    }

    /// Returns the chunk of each of its entries, including deleted ones.
    pub(crate) fn chunks(&self) -> &[u64] {
        &self.written.chunks
    }

    /// Returns the approximate number of words of each entry, in the one byte that scoring uses.
    pub(crate) fn lengths(&self) -> &[u8] {
        &self.written.lengths
    }

    /// Returns the entry of a chunk among those of all segments, or `None` if this segment does not have it or it was
    /// deleted.
    pub(crate) fn entry_of(&self, chunk: u64) -> Option<u32> {
        let doc = self.written.entries.get(chunk as i64)?;
        self.is_alive(doc).then_some(self.first + doc)
    }

    /// Returns the field in which a word of a query is looked up, and its terms. A lone character is not found among
    /// pairs.
    pub(crate) fn terms_of(&self, term: &str) -> (Field, &InvertedIndexReader) {
        let fields = schema().1;
        if is_letter(term) {
            (fields.letters, &self.letters)
        } else {
            (fields.words, &self.words)
        }
    }

    /// Returns the range of its entries among those of all segments.
    pub(crate) fn entries(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.written.chunks.len()
    }

    /// Returns its deleted entries.
    pub(crate) fn deleted(&self) -> impl Iterator<Item = u32> + '_ {
        deleted(self.alive.as_ref(), self.written.chunks.len() as u32)
    }

    /// Returns how many entries hold a term and were not deleted.
    pub(crate) fn n_alive_with(&self, term: &str, info: &TermInfo) -> Result<u64, TantivyError> {
        if self.alive.is_none() {
            return Ok(u64::from(info.doc_freq));
        }
        let mut n_alive = 0;
        let terms = self.terms_of(term).1;
        let mut block = terms.read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        while !block.docs().is_empty() {
            let docs = block.docs().iter();
            n_alive += docs.filter(|doc| self.is_alive(**doc)).count() as u64;
            block.advance();
        }
        Ok(n_alive)
    }

    /// Calls `visit` with entry and count for each entry that holds a term and was not deleted, in ascending order.
    pub(crate) fn for_each_alive(
        &self,
        term: &str,
        info: &TermInfo,
        mut visit: impl FnMut(u32, u32),
    ) -> Result<(), TantivyError> {
        let mut postings = self
            .terms_of(term)
            .1
            .read_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
        let mut doc = postings.doc();
        while doc != TERMINATED {
            if self.is_alive(doc) {
                visit(doc, postings.term_freq());
            }
            doc = postings.advance();
        }
        Ok(())
    }

    fn is_alive(&self, doc: u32) -> bool {
        self.alive.as_ref().is_none_or(|alive| alive.is_alive(doc))
    }
}

impl Written {
    /// Reads the immutable data of every entry; `None` if the parts of the segment differ in length.
    fn read(reader: &SegmentReader) -> Result<Option<Self>, TantivyError> {
        let n_entries = reader.max_doc();
        let ids = reader.fast_fields().u64(CHUNK)?;
        let lengths = reader.get_fieldnorms_reader(schema().1.words)?;
        if [lengths.num_docs(), ids.num_docs()] != [n_entries; 2] {
            return Ok(None);
        }
        let chunk_of = |doc| ids.first(doc).unwrap_or(u64::MAX);
        let chunks: Vec<u64> = (0..n_entries).map(chunk_of).collect();
        let alive = reader.doc_ids_alive();
        let alive: Vec<(i64, u32)> = alive
            .map(|doc| (chunks[doc as usize] as i64, doc))
            .collect();
        let entries = IdTable::of(alive.into_iter());
        let lengths = (0..n_entries)
            .map(|doc| lengths.fieldnorm_id(doc))
            .collect();
        Ok(Some(Self {
            chunks,
            lengths,
            entries,
        }))
    }
}

/// Returns which of the first `n_entries` entries were deleted.
fn deleted(alive: Option<&AliveBitSet>, n_entries: u32) -> impl Iterator<Item = u32> + '_ {
    let alive = alive.into_iter();
    alive.flat_map(move |alive| (0..n_entries).filter(|doc| alive.is_deleted(*doc)))
}
