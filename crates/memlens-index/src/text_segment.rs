//! One part of the text list, as the library beneath wrote it, and what was deleted of it since.

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

/// A part of one state of the list, all that a search needs of it at hand.
pub(crate) struct Segment {
    id: SegmentId,
    words: Arc<InvertedIndexReader>,
    letters: Arc<InvertedIndexReader>,
    /// `None` if nothing in it was deleted.
    alive: Option<AliveBitSet>,
    n_alive: u32,
    /// How many words its entries have, without the deleted ones.
    n_words_alive: u64,
    /// The first of its entries among those of all segments.
    pub first: u32,
    written: Arc<Written>,
}

/// What was written of a segment's entries: the same in every state of the list that has the segment.
struct Written {
    /// The chunk of each.
    chunks: Vec<u64>,
    /// How many words each has, roughly: in the one byte that scores go by.
    lengths: Vec<u8>,
    /// The entry of each chunk that was not deleted when it was read.
    entries: IdTable,
}

impl Segment {
    /// Opens a segment whose entries begin at `first` among those of all. What is known of it, among the segments of an
    /// earlier state of the list, is not read again.
    ///
    /// # Errors
    /// As [`crate::TextIndex::open`].
    pub(crate) fn open(
        dir: &Path,
        reader: &SegmentReader,
        first: u32,
        known: &[Segment],
    ) -> Result<Self, IndexError> {
        let n_alive = reader.num_docs();
        // What is deleted stays so, unless somebody put an older list in its place.
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

    /// How many words its entries have, without the deleted ones.
    pub(crate) fn n_words_alive(&self) -> u64 {
        self.n_words_alive
    }

    /// The chunk of each of its entries, deleted ones included.
    pub(crate) fn chunks(&self) -> &[u64] {
        &self.written.chunks
    }

    /// How many words each of its entries has, roughly: in the one byte that scores go by.
    pub(crate) fn lengths(&self) -> &[u8] {
        &self.written.lengths
    }

    /// The entry of a chunk among those of all segments; none where this one does not have it, or not any more.
    pub(crate) fn entry_of(&self, chunk: u64) -> Option<u32> {
        let doc = self.written.entries.get(chunk as i64)?;
        self.is_alive(doc).then_some(self.first + doc)
    }

    /// The field that a word of a query is looked up in, and its terms: pairs of characters do not find one alone.
    pub(crate) fn terms_of(&self, term: &str) -> (Field, &InvertedIndexReader) {
        let fields = schema().1;
        if is_letter(term) {
            (fields.letters, &self.letters)
        } else {
            (fields.words, &self.words)
        }
    }

    /// Its entries among those of all segments.
    pub(crate) fn entries(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.written.chunks.len()
    }

    /// Those of its entries that were deleted.
    pub(crate) fn deleted(&self) -> impl Iterator<Item = u32> + '_ {
        deleted(self.alive.as_ref(), self.written.chunks.len() as u32)
    }

    /// How many entries hold a term and were not deleted.
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
    /// Reads what was written of every entry; none where the parts of the segment differ in length.
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

/// Those of the first `n_entries` entries that were deleted.
fn deleted(alive: Option<&AliveBitSet>, n_entries: u32) -> impl Iterator<Item = u32> + '_ {
    let alive = alive.into_iter();
    alive.flat_map(move |alive| (0..n_entries).filter(|doc| alive.is_deleted(*doc)))
}
