//! Searching the text list.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use memlens_files::open_own;
use tantivy::postings::TermInfo;
use tantivy::query::Bm25Weight;
use tantivy::{TantivyError, Term};

use crate::IndexError;
use crate::text_files::{META, VerifiedFiles};
use crate::text_list::{Mark, Verified, open_error, open_verified, reader, refused};
use crate::text_segment::Segment;
use crate::words::{STOP_WORD_WEIGHT, is_stop_word, words};

/// One state of the text list, as it was when it was opened; later commits do not change it.
///
/// It can be shared between threads, and stays valid while a writer commits or rebuilds the list.
pub struct TextIndex {
    path: PathBuf,
    mark: Mark,
    pub(crate) segments: Vec<Segment>,
    files: VerifiedFiles,
}

/// Which chunks a query finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Chunks that hold at least one word of the query.
    Or,
    /// Chunks that hold every word of the query.
    And,
}

/// One word of a query. Words with the same stem are one.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryWord {
    /// The term that is looked up, as returned by [`crate::words()`].
    pub term: String,
    /// The first spelling of the word in the query.
    pub typed: String,
    /// 1, or 0.25 for a stop word; of several words with one stem the larger.
    pub weight: f32,
    /// `ln(1 + (N - n + 0.5) / (n + 0.5))` for N chunks of which n hold the word; above 0, and highest for a word that
    /// no chunk holds.
    pub idf: f32,
    /// Number of chunks that hold the word.
    pub n_chunks: u32,
}

/// The result of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextHits {
    /// The query's distinct words in the order of the query; may be empty.
    pub words: Vec<QueryWord>,
    /// Number of further distinct words of the query, which are not looked up; 0 below 4,096 words.
    pub n_words_left_out: usize,
    /// The score of a hypothetical chunk that holds each word infinitely often: the sum of `weight * idf * (k1 + 1)`
    /// over `words`, including those that no chunk holds. Never below a hit's score; 0 only without words.
    pub ideal: f32,
    /// All chunks that the query finds, in ascending order of chunk.
    pub hits: Vec<TextHit>,
}

/// One chunk that a query finds.
#[derive(Clone, Debug, PartialEq)]
pub struct TextHit {
    /// The chunk's id.
    pub chunk: u64,
    /// The sum of `weight * BM25` over the words in the chunk; above 0, at most [`TextHits::ideal`].
    pub score: f32,
    /// The words in the chunk, as ascending positions in [`TextHits::words`].
    pub matched: Vec<u16>,
}

/// Maximum number of distinct words of a query that are looked up. More is a pasted document, not a question. The limit
/// bounds time and memory, and lets a position fit in 16 bits.
const QUERY_WORDS_MAX: usize = 4096;

/// BM25's saturation constant, which tantivy fixes.
const K1: f32 = 1.2;

/// How often opening is retried if the writer commits or merges at the same time.
const OPEN_TRIES: u32 = 20;

impl TextIndex {
    /// Opens the last committed state of the list in the folder `dir`, after verifying every file's checksum.
    ///
    /// # Errors
    /// [`IndexError::Missing`], [`IndexError::Torn`] and [`IndexError::WrongFormat`] need a rebuild;
    /// [`IndexError::Text`] is any other error of the system.
    pub fn open(dir: &Path) -> Result<Self, IndexError> {
        Self::open_knowing(dir, None)
    }

    /// Opens the list, reusing `before`, an earlier state of it. Files that were verified then, and whose length and
    /// modification time are unchanged, are not read again, and data about their entries is shared. This is safe
    /// because no file of the list is written twice.
    ///
    /// # Errors
    /// Like [`TextIndex::open`].
    pub fn open_after(dir: &Path, before: &Self) -> Result<Self, IndexError> {
        Self::open_knowing(dir, Some(before))
    }

    fn open_knowing(dir: &Path, known: Option<&Self>) -> Result<Self, IndexError> {
        let none = VerifiedFiles::default();
        let files = known.map_or(&none, |known| &known.files);
        for _ in 0..OPEN_TRIES {
            let head_before = head(dir);
            let verified = open_verified(dir, files);
            let opened = verified.and_then(|verified| Self::read(dir, verified, known));
            // A writer that commits or finishes a merge meanwhile may remove a file that we read about, or make us read
            // parts of two states. Each of them replaces this file in one step.
            if head(dir) == head_before {
                return opened;
            }
        }
        let why = "it changes faster than it can be opened".to_owned();
        Err(IndexError::Torn {
            path: dir.to_owned(),
            why,
        })
    }

    /// Returns the generation of the library that the list was built from.
    pub fn generation(&self) -> u64 {
        self.mark.generation
    }

    /// Returns the number of chunks in the list.
    pub fn n_chunks(&self) -> u64 {
        self.mark.n_chunks
    }

    /// Checks that the list was built from `generation`.
    ///
    /// # Errors
    /// [`IndexError::Stale`] if not.
    pub fn check(&self, generation: u64) -> Result<(), IndexError> {
        if self.mark.generation == generation {
            return Ok(());
        }
        Err(IndexError::Stale {
            path: self.path.clone(),
            found: self.mark.generation,
            expected: generation,
        })
    }

    /// Finds the chunks that hold words of `query`, and returns a record with the BM25 score (k1 1.2, b 0.75) of each.
    ///
    /// The query is only split into words; it has no operators. Numbers of chunks, words and average length are those
    /// of the chunks currently in the list, so a list after many changes ranks like a new one, bit for bit.
    /// [`TextIndex::score`] returns the same for selected chunks, and is tested against this.
    ///
    /// # Errors
    /// [`IndexError::Text`] if the list cannot be read.
    pub fn search(&self, query: &str, join: Join) -> Result<TextHits, IndexError> {
        let Asked {
            words,
            n_words_left_out,
            ideal,
            found,
        } = self.ask(query)?;
        let mut hits = Vec::new();
        for (segment_idx, segment) in self.segments.iter().enumerate() {
            let chunks = segment.chunks();
            let mut gathered = Gathered::new(chunks.len());
            for (word_idx, (word, in_segments)) in words.iter().zip(&found).enumerate() {
                let Some(info) = &in_segments[segment_idx] else {
                    continue;
                };
                let scorer = self.scorer(word);
                segment
                    .for_each_alive(&word.term, info, |doc, term_freq| {
                        gathered.add(
                            doc,
                            scorer.score(segment.lengths()[doc as usize], term_freq),
                            word_idx as u16,
                        );
                    })
                    .map_err(|source| self.error(source))?;
            }
            let n_matched_min = match join {
                Join::Or => 1,
                Join::And => words.len(),
            };
            gathered.finish(chunks, n_matched_min, &mut hits);
        }
        hits.sort_unstable_by_key(|hit| hit.chunk);
        Ok(TextHits {
            words,
            n_words_left_out,
            ideal,
            hits,
        })
    }

    /// Looks up the words of a query.
    ///
    /// # Errors
    /// [`IndexError::Torn`] if another program shortened a file since it was opened; otherwise [`IndexError::Text`].
    pub(crate) fn ask(&self, query: &str) -> Result<Asked, IndexError> {
        if let Some(path) = self.files.shortened(&self.path) {
            let why = "it became shorter while it was open".to_owned();
            return Err(IndexError::Torn { path, why });
        }
        let (typed, n_words_left_out) = query_words(query);
        let mut words = Vec::with_capacity(typed.len());
        let mut found = Vec::with_capacity(typed.len());
        for (term, typed, weight) in typed {
            let (in_segments, n_chunks) =
                self.look_up(&term).map_err(|source| self.error(source))?;
            let idf = idf(n_chunks, self.mark.n_chunks);
            words.push(QueryWord {
                term,
                typed,
                weight,
                idf,
                n_chunks: n_chunks as u32,
            });
            found.push(in_segments);
        }
        // Summed in the same order as scores, so that rounding cannot lift a score above it.
        let ideal = words
            .iter()
            .map(|word| word.idf * (1.0 + K1) * word.weight)
            .sum();
        Ok(Asked {
            words,
            n_words_left_out,
            ideal,
            found,
        })
    }

    /// Returns the number of entries in the list, including deleted ones.
    pub(crate) fn n_entries(&self) -> usize {
        self.segments.last().map_or(0, |last| last.entries().end)
    }

    /// Returns the chunk of each entry of the list, including deleted ones.
    pub fn chunks(&self) -> impl Iterator<Item = u64> + '_ {
        let segments = self.segments.iter();
        segments.flat_map(|segment| segment.chunks().iter().copied())
    }

    /// Returns the chunk of an entry.
    ///
    /// # Panics
    /// If there is no such entry.
    pub(crate) fn chunk_of(&self, entry: u32) -> u64 {
        let behind = self
            .segments
            .partition_point(|segment| segment.first <= entry);
        let segment = &self.segments[behind - 1];
        segment.chunks()[(entry - segment.first) as usize]
    }

    /// Returns the entry of a chunk, or `None` if the list does not have it.
    pub(crate) fn entry_of(&self, chunk: u64) -> Option<u32> {
        let mut segments = self.segments.iter();
        segments.find_map(|segment| segment.entry_of(chunk))
    }

    /// Opens everything that a search needs of the list, provided that no writer changes it at the same time. Data
    /// about entries is taken from `before`, an earlier state, if possible.
    ///
    /// # Errors
    /// Like [`TextIndex::open`].
    pub(crate) fn read(
        dir: &Path,
        verified: Verified,
        before: Option<&Self>,
    ) -> Result<Self, IndexError> {
        let Verified { index, mark, files } = verified;
        let reader = reader(&index).map_err(|source| open_error(dir, source))?;
        let known = before.map_or(&[][..], |before| &before.segments);
        let mut segments: Vec<Segment> = Vec::new();
        let mut found = Mark {
            generation: mark.generation,
            n_chunks: 0,
            n_words: 0,
        };
        for reader in reader.searcher().segment_readers() {
            let first = segments.last().map_or(0, |last| last.entries().end as u32);
            let segment = Segment::open(dir, reader, first, known)?;
            found.n_chunks += u64::from(reader.num_docs());
            found.n_words += segment.n_words_alive();
            segments.push(segment);
        }
        mark.check(&found, dir)?;
        Ok(Self {
            path: dir.to_owned(),
            mark,
            segments,
            files,
        })
    }

    /// Returns the postings of `term` in each segment, and how many chunks hold it.
    fn look_up(&self, term: &str) -> Result<(Vec<Option<TermInfo>>, u64), TantivyError> {
        let mut n_chunks = 0;
        let mut in_segments = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let (field, terms) = segment.terms_of(term);
            let info = terms.get_term_info(&Term::from_field_text(field, term))?;
            if let Some(info) = &info {
                n_chunks += segment.n_alive_with(term, info)?;
            }
            in_segments.push(info);
        }
        Ok((in_segments, n_chunks))
    }

    pub(crate) fn scorer(&self, word: &QueryWord) -> Bm25Weight {
        let average = self.mark.n_words as f32 / self.mark.n_chunks as f32;
        Bm25Weight::for_one_term_without_explain(
            u64::from(word.n_chunks),
            self.mark.n_chunks,
            average,
        )
        .boost_by(word.weight)
    }

    pub(crate) fn error(&self, source: TantivyError) -> IndexError {
        refused("search", &self.path, source)
    }
}

/// The words of a query, with their postings.
pub(crate) struct Asked {
    pub words: Vec<QueryWord>,
    pub n_words_left_out: usize,
    pub ideal: f32,
    /// The postings of each word in each segment: by word, then by segment.
    pub found: Vec<Vec<Option<TermInfo>>>,
}

/// Scores and matched words of a segment's entries while they are summed, word by word.
struct Gathered {
    scores: Vec<f32>,
    n_matched: Vec<u16>,
    /// Entry and word of each match, by word and then by entry.
    matches: Vec<(u32, u16)>,
}

impl Gathered {
    fn new(n_entries: usize) -> Self {
        Self {
            scores: vec![0.0; n_entries],
            n_matched: vec![0; n_entries],
            matches: Vec::new(),
        }
    }

    fn add(&mut self, doc: u32, score: f32, word_idx: u16) {
        self.scores[doc as usize] += score;
        self.n_matched[doc as usize] += 1;
        self.matches.push((doc, word_idx));
    }

    /// Appends the entries with at least `n_matched_min` words to `hits`.
    fn finish(self, chunks: &[u64], n_matched_min: usize, hits: &mut Vec<TextHit>) {
        /// Marks an entry that is not a hit.
        const NO_HIT: u32 = u32::MAX;
        let first = hits.len();
        let mut hit_of = vec![NO_HIT; chunks.len()];
        for (doc, &n_matched) in self.n_matched.iter().enumerate() {
            let n_matched = usize::from(n_matched);
            if n_matched >= n_matched_min.max(1) {
                hit_of[doc] = (hits.len() - first) as u32;
                let matched = Vec::with_capacity(n_matched);
                hits.push(TextHit {
                    chunk: chunks[doc],
                    score: self.scores[doc],
                    matched,
                });
            }
        }
        for (doc, word_idx) in self.matches {
            let hit = hit_of[doc as usize];
            if hit != NO_HIT {
                hits[first + hit as usize].matched.push(word_idx);
            }
        }
    }
}

/// Returns term, spelling and weight of the query's distinct words in its order, and the number of further ones.
fn query_words(query: &str) -> (Vec<(String, String, f32)>, usize) {
    let mut distinct: Vec<(String, String, f32)> = Vec::new();
    let mut idx_of: HashMap<String, Option<usize>> = HashMap::new();
    let mut n_left_out = 0;
    for word in words(query) {
        let typed = &query[word.bytes];
        let weight = if is_stop_word(typed) {
            STOP_WORD_WEIGHT
        } else {
            1.0
        };
        match idx_of.get(&word.term) {
            Some(&Some(idx)) => distinct[idx].2 = distinct[idx].2.max(weight),
            Some(None) => {}
            None if distinct.len() < QUERY_WORDS_MAX => {
                idx_of.insert(word.term.clone(), Some(distinct.len()));
                distinct.push((word.term, typed.to_owned(), weight));
            }
            None => {
                idx_of.insert(word.term, None);
                n_left_out += 1;
            }
        }
    }
    (distinct, n_left_out)
}

/// Computes the inverse document frequency in the same way as tantivy.
fn idf(n_chunks_with: u64, n_chunks: u64) -> f32 {
    let x = ((n_chunks - n_chunks_with) as f32 + 0.5) / (n_chunks_with as f32 + 0.5);
    (1.0 + x).ln()
}

/// Reads the file that names all others; `None` if it cannot be read, because opening the list reports that.
fn head(dir: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = open_own(&dir.join(META), File::options().read(true)).ok()?;
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Checks that after any changes and merges every score equals BM25 computed directly from the remaining chunks, and
/// that the list equals a rebuilt one, bit for bit; the results of queries in all scripts; giant queries. Damage, and
/// several writers and readers, are tested in `tests/`.
#[cfg(test)]
mod tests;
