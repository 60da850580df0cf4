//! One segment of the text list, as tantivy wrote it, and what was deleted in it since.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tantivy::fastfield::AliveBitSet;
use tantivy::index::SegmentId;
use tantivy::postings::{Postings as _, TermInfo};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, InvertedIndexReader, SegmentReader, TERMINATED, TantivyError, Term};

use crate::question::Form;
use crate::terms::NameKind;
use crate::text_index::{How, Scope};
use crate::text_list::{CHUNK, N_WORDS, open_error, schema};
use crate::words::is_letter;
use crate::{IdTable, IndexError};

/// A segment in one state of the list, with everything that a search needs.
pub(crate) struct Segment {
    id: SegmentId,
    words: Arc<InvertedIndexReader>,
    letters: Arc<InvertedIndexReader>,
    names: Arc<InvertedIndexReader>,
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

/// The entries of a segment that hold a term.
pub(crate) enum Found {
    /// The term is in no entry.
    None,
    /// Those of one plain word, including deleted entries.
    One(TermInfo),
    /// Those of several forms of a word, in ascending order and without deleted entries.
    Merged(Vec<Posting>),
}

/// One entry that holds a term in one of its forms.
#[derive(Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) doc: u32,
    pub(crate) term_freq: u32,
    pub(crate) how: How,
    /// The share of the score that it gives: 1, or less for a form that says less than the others.
    pub(crate) share: f32,
}

/// The share of the score that the beginning of a longer number gives if a chunk in scope holds the number as typed.
/// Together with a count of 1 it is less than any exact occurrence gives.
const PREFIX_SHARE: f32 = 0.5;

/// The postings of a word that was looked up by its beginning.
#[derive(Clone)]
pub(crate) struct Prefixed {
    field: Field,
    info: TermInfo,
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
            Ok((
                reader.inverted_index(fields.words)?,
                reader.inverted_index(fields.letters)?,
                reader.inverted_index(fields.names)?,
                reader.fast_fields().u64(N_WORDS)?,
                written,
            ))
        };
        let (words, letters, names, n_words, written) =
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
            names,
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

    fn terms(&self, field: Field) -> &InvertedIndexReader {
        let fields = schema().1;
        if field == fields.words {
            &self.words
        } else if field == fields.letters {
            &self.letters
        } else {
            &self.names
        }
    }

    fn info(&self, field: Field, term: &str) -> Result<Option<TermInfo>, TantivyError> {
        let term = Term::from_field_text(field, term);
        Ok(self.terms(field).get_term_info(&term)?)
    }

    /// Returns the entries that hold a term of a question in one of its forms, except by its beginning.
    pub(crate) fn look_up(&self, term: &str, forms: &[Form]) -> Result<Found, TantivyError> {
        let fields = schema().1;
        let mut plain: Option<TermInfo> = None;
        let mut others: Vec<(Field, TermInfo, How)> = Vec::new();
        for form in forms {
            match form {
                Form::Word(word) if word == term => {
                    plain = self.info(self.terms_of(word).0, word)?;
                }
                Form::Word(word) => {
                    let info = self.info(fields.words, word)?;
                    others.extend(info.map(|info| (fields.words, info, How::Folded)));
                }
                Form::Name(kind, name) => {
                    let info = self.info(fields.names, &kind.key(name))?;
                    others.extend(info.map(|info| (fields.names, info, How::of(*kind))));
                }
                Form::Prefix(_) => {}
            }
        }
        match plain {
            Some(plain) if others.is_empty() => return Ok(Found::One(plain)),
            Some(plain) => others.insert(0, (self.terms_of(term).0, plain, How::Word)),
            None => {}
        }
        self.merged(others)
    }

    /// Returns the postings of terms as words and as wholes.
    pub(crate) fn prefixed(&self, terms: &[String]) -> Result<Vec<Prefixed>, TantivyError> {
        let fields = schema().1;
        let mut prefixed = Vec::new();
        for term in terms {
            for (field, key) in [
                (fields.words, term.clone()),
                (fields.names, NameKind::Whole.key(term)),
                (fields.names, NameKind::Compound.key(term)),
            ] {
                if let Some(info) = self.terms(field).terms().get(&key)? {
                    prefixed.push(Prefixed { field, info });
                }
            }
        }
        Ok(prefixed)
    }

    /// Returns the first `n` words and wholes that begin with `prefix` but are longer, and that an entry in scope holds.
    pub(crate) fn with_prefix(
        &self,
        prefix: &str,
        n: usize,
        scope: Scope<'_>,
    ) -> Result<Vec<String>, TantivyError> {
        let fields = schema().1;
        let wholes = [NameKind::Whole, NameKind::Compound].map(|kind| kind.key(prefix));
        let [whole, compound] = wholes.each_ref().map(String::as_str);
        let mut prefixed = Vec::new();
        for (field, prefix, n_marks) in [
            (fields.words, prefix, 0),
            (fields.names, whole, 1),
            (fields.names, compound, 1),
        ] {
            let terms = self.terms(field);
            let mut stream = terms.terms().range().gt(prefix).into_stream()?;
            let mut n_found = 0;
            while n_found < n && stream.advance() && stream.key().starts_with(prefix.as_bytes()) {
                let is_all = scope.is_none() && self.alive.is_none();
                if is_all || self.is_any(field, stream.value(), scope)? {
                    let term = String::from_utf8_lossy(&stream.key()[n_marks..]);
                    prefixed.push(term.into_owned());
                    n_found += 1;
                }
            }
        }
        Ok(prefixed)
    }

    /// Returns whether an entry in scope that was not deleted holds a term.
    fn is_any(
        &self,
        field: Field,
        info: &TermInfo,
        scope: Scope<'_>,
    ) -> Result<bool, TantivyError> {
        let terms = self.terms(field);
        let mut postings = terms.read_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        let mut doc = postings.doc();
        while doc != TERMINATED {
            if self.is_alive(doc) && self.is_in(doc, scope) {
                return Ok(true);
            }
            doc = postings.advance();
        }
        Ok(false)
    }

    /// Returns how many entries in scope hold one of the forms of this kind; an entry with several forms counts for each.
    pub(crate) fn n_writing(
        &self,
        kind: NameKind,
        forms: &[Form],
        scope: Scope<'_>,
    ) -> Result<usize, TantivyError> {
        let field = schema().1.names;
        let mut n_entries = 0;
        for form in forms {
            if let Form::Name(of_form, name) = form
                && *of_form == kind
                && let Some(info) = self.info(field, &kind.key(name))?
            {
                let terms = self.terms(field);
                let mut postings =
                    terms.read_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
                let mut doc = postings.doc();
                while doc != TERMINATED {
                    n_entries += usize::from(self.is_alive(doc) && self.is_in(doc, scope));
                    doc = postings.advance();
                }
            }
        }
        Ok(n_entries)
    }

    /// Returns whether an entry in scope holds a word by itself.
    pub(crate) fn holds_word(&self, term: &str, scope: Scope<'_>) -> Result<bool, TantivyError> {
        let field = schema().1.words;
        match self.info(field, term)? {
            Some(info) => self.is_any(field, &info, scope),
            None => Ok(false),
        }
    }

    /// Returns whether an entry is in scope.
    pub(crate) fn is_in(&self, doc: u32, scope: Scope<'_>) -> bool {
        scope.is_none_or(|is_in| is_in((self.first + doc) as usize))
    }

    /// Returns the entries of words that were looked up by their beginning.
    pub(crate) fn of_prefixed(&self, prefixed: Vec<Prefixed>) -> Result<Found, TantivyError> {
        let prefixed = prefixed.into_iter();
        self.merged(
            prefixed
                .map(|it| (it.field, it.info, How::Prefix))
                .collect(),
        )
    }

    /// Adds the entries of words that begin with a number to those of the number itself, which say more.
    pub(crate) fn beside(
        &self,
        term: &str,
        exact: &Found,
        prefixed: Vec<Prefixed>,
    ) -> Result<Found, TantivyError> {
        let mut all: Vec<Posting> = Vec::new();
        self.for_each_alive(term, exact, |posting| all.push(posting))?;
        if let Found::Merged(longer) = self.of_prefixed(prefixed)? {
            all.extend(longer.into_iter().map(|posting| Posting {
                term_freq: 1,
                share: PREFIX_SHARE,
                ..posting
            }));
        }
        // The sort is stable, so the exact one of an entry is the first.
        all.sort_by_key(|posting| posting.doc);
        all.dedup_by_key(|posting| posting.doc);
        Ok(if all.is_empty() {
            Found::None
        } else {
            Found::Merged(all)
        })
    }

    /// Merges the entries of several terms.
    fn merged(&self, terms: Vec<(Field, TermInfo, How)>) -> Result<Found, TantivyError> {
        let mut merged: Vec<Posting> = Vec::new();
        for (field, info, how) in terms {
            let terms = self.terms(field);
            let mut postings =
                terms.read_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)?;
            let mut doc = postings.doc();
            while doc != TERMINATED {
                if self.is_alive(doc) {
                    let term_freq = postings.term_freq();
                    merged.push(Posting {
                        doc,
                        term_freq,
                        how,
                        share: 1.0,
                    });
                }
                doc = postings.advance();
            }
        }
        // The first form of an entry says how it was found; the others count only where they occur more often.
        merged.sort_by_key(|posting| posting.doc);
        merged.dedup_by(|next, first| {
            let is_same = next.doc == first.doc;
            if is_same {
                first.term_freq = first.term_freq.max(next.term_freq);
            }
            is_same
        });
        Ok(if merged.is_empty() {
            Found::None
        } else {
            Found::Merged(merged)
        })
    }

    /// Returns the range of its entries among those of all segments.
    pub(crate) fn entries(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.written.chunks.len()
    }

    pub(crate) fn deleted(&self) -> impl Iterator<Item = u32> + '_ {
        deleted(self.alive.as_ref(), self.written.chunks.len() as u32)
    }

    /// Returns how many entries hold a term and were not deleted.
    pub(crate) fn n_alive_with(&self, term: &str, found: &Found) -> Result<u64, TantivyError> {
        let info = match found {
            Found::None => return Ok(0),
            Found::Merged(merged) => return Ok(merged.len() as u64),
            Found::One(info) => info,
        };
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

    /// Calls `visit` for each entry that holds a term and was not deleted, in ascending order.
    pub(crate) fn for_each_alive(
        &self,
        term: &str,
        found: &Found,
        mut visit: impl FnMut(Posting),
    ) -> Result<(), TantivyError> {
        let info = match found {
            Found::None => return Ok(()),
            Found::Merged(merged) => {
                merged.iter().copied().for_each(visit);
                return Ok(());
            }
            Found::One(info) => info,
        };
        let mut postings = self
            .terms_of(term)
            .1
            .read_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
        let mut doc = postings.doc();
        while doc != TERMINATED {
            if self.is_alive(doc) {
                visit(Posting {
                    doc,
                    term_freq: postings.term_freq(),
                    how: How::Word,
                    share: 1.0,
                });
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
