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

/// One state of the text list, as it was when it was opened; what is committed later does not show in it.
///
/// It may be shared between threads, and stays valid while a writer goes on or builds the list anew.
pub struct TextIndex {
    path: PathBuf,
    mark: Mark,
    pub(crate) segments: Vec<Segment>,
    files: VerifiedFiles,
}

/// Which chunks a query finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Those that hold at least one word of the query.
    Or,
    /// Those that hold every word of the query.
    And,
}

/// One word of a query; words with the same stem are one.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryWord {
    /// The term that is looked up, as [`crate::words()`] gives it.
    pub term: String,
    /// How the query writes it, where it stands first.
    pub typed: String,
    /// 1, or 0.25 for a stop word; of several words with one stem the larger.
    pub weight: f32,
    /// `ln(1 + (N - n + 0.5) / (n + 0.5))` of N chunks of which n hold the word, above 0; a word that no chunk holds
    /// has the highest.
    pub idf: f32,
    /// How many chunks hold the word.
    pub n_chunks: u32,
}

/// What a query finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextHits {
    /// The query's distinct words in the order of the query; empty if it has none.
    pub words: Vec<QueryWord>,
    /// How many more distinct words the query has, which are not looked up: 0 below 4,096 words.
    pub n_words_left_out: usize,
    /// What a chunk would score that holds each word without end: the sum of `weight * idf * (k1 + 1)` over `words`,
    /// those that no chunk holds included. Never below a hit's score; 0 only without words.
    pub ideal: f32,
    /// Every chunk that the query finds, in ascending order of chunk.
    pub hits: Vec<TextHit>,
}

/// One chunk that a query finds.
#[derive(Clone, Debug, PartialEq)]
pub struct TextHit {
    /// The chunk's id.
    pub chunk: u64,
    /// The sum of `weight * BM25` over the words that it holds; above 0, at most [`TextHits::ideal`].
    pub score: f32,
    /// The positions in [`TextHits::words`] of the words that it holds, ascending.
    pub matched: Vec<u16>,
}

/// How many distinct words of a query are looked up. More is a pasted document, not a question; the limit bounds
/// time and memory, and lets a position stand in 16 bits.
const QUERY_WORDS_MAX: usize = 4096;

/// BM25's saturation constant, which the library beneath fixes.
const K1: f32 = 1.2;

/// How often opening starts over when the writer commits or merges meanwhile.
const OPEN_TRIES: u32 = 20;

impl TextIndex {
    /// Opens the last committed state of the list in the folder `dir`, after a check of every file's checksum.
    ///
    /// # Errors
    /// [`IndexError::Missing`], [`IndexError::Torn`], [`IndexError::WrongFormat`] ask for a rebuild;
    /// [`IndexError::Text`] stands for anything else that the system refuses.
    pub fn open(dir: &Path) -> Result<Self, IndexError> {
        Self::open_knowing(dir, None)
    }

    /// Opens it after `before`, an earlier state of the same list: a file that was checked then and has neither another
    /// length nor another time since is not read again, and what is known of its entries is shared. No file of the list is
    /// ever written twice.
    ///
    /// # Errors
    /// As [`TextIndex::open`].
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
            // A writer that commits or ends a merge meanwhile may take away a file that we were told of, or give us
            // parts of two states. Each of them changes this file, in one step.
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

    /// The generation of the library that the list was built from.
    pub fn generation(&self) -> u64 {
        self.mark.generation
    }

    /// The number of chunks in the list.
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

    /// Finds the chunks that hold words of `query`, with the BM25 score of each (k1 1.2, b 0.75), and makes a record of
    /// every one of them.
    ///
    /// The query is only ever cut into words: no sign and no word in it is an operator. Numbers of chunks, words and
    /// average length are those of the chunks in the list now, so a list after many changes ranks as a new one does,
    /// bit for bit. [`TextIndex::score`] tells the same of those that are asked for, and is held to this.
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
    pub(crate) fn ask(&self, query: &str) -> Result<Asked, IndexError> {
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
        // In the order in which scores are summed, so that rounding cannot lift a score above it.
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

    /// How many entries the list has, deleted ones included.
    pub(crate) fn n_entries(&self) -> usize {
        self.segments.last().map_or(0, |last| last.entries().end)
    }

    /// The chunk of each entry of the list, deleted ones included.
    pub fn chunks(&self) -> impl Iterator<Item = u64> + '_ {
        let segments = self.segments.iter();
        segments.flat_map(|segment| segment.chunks().iter().copied())
    }

    /// The chunk of an entry.
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

    /// The entry of a chunk; none where the list does not have it.
    pub(crate) fn entry_of(&self, chunk: u64) -> Option<u32> {
        let mut segments = self.segments.iter();
        segments.find_map(|segment| segment.entry_of(chunk))
    }

    /// Opens all that a search needs of the list, provided that no writer changes it meanwhile. What an earlier state of it
    /// knows of entries is taken from that.
    ///
    /// # Errors
    /// As [`TextIndex::open`].
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

    /// Where each segment has `term`, and how many chunks hold it.
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

/// The words of a query, looked up.
pub(crate) struct Asked {
    pub words: Vec<QueryWord>,
    pub n_words_left_out: usize,
    pub ideal: f32,
    /// Where each segment has each word: by word, then by segment.
    pub found: Vec<Vec<Option<TermInfo>>>,
}

/// Scores and matched words of a segment's entries while they are summed up, word by word.
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
        /// Marks an entry that is no hit.
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

/// Term, spelling and weight of the query's distinct words in its order, and how many more there are.
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

/// The inverse document frequency as the library beneath computes it.
fn idf(n_chunks_with: u64, n_chunks: u64) -> f32 {
    let x = ((n_chunks - n_chunks_with) as f32 + 0.5) / (n_chunks_with as f32 + 0.5);
    (1.0 + x).ln()
}

/// Reads the file that names all others; none where it cannot be read, for opening the list says why.
fn head(dir: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = open_own(&dir.join(META), File::options().read(true)).ok()?;
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What is checked: after any changes and merges, every score equals BM25 computed plainly over what is left, and the
/// list equals one built anew, bit for bit; what queries find, in all scripts; giant queries. Damage and several
/// writers and readers are checked in `tests/`.
#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;
    use tantivy::fieldnorm::FieldNormReader;

    use super::*;
    use crate::{TextEntry, TextScores, TextWriter};

    /// Builds a list with one text per chunk and document, numbered from 0.
    fn list(texts: &[&str]) -> (tempfile::TempDir, TextIndex) {
        let folder = tempfile::tempdir().expect("a scratch folder can be made");
        let mut writer = TextWriter::create(folder.path()).expect("a list can be started");
        for (id, text) in (0..).zip(texts) {
            writer
                .add(&TextEntry {
                    chunk: id,
                    document: id,
                    text,
                    title: "",
                })
                .expect("chunks can be added");
        }
        writer.commit(1).expect("it can be committed");
        let index = TextIndex::open(folder.path()).expect("it was just written");
        (folder, index)
    }

    fn search(index: &TextIndex, query: &str, join: Join) -> TextHits {
        index.search(query, join).expect("the list is sound")
    }

    fn chunks(hits: &TextHits) -> Vec<u64> {
        hits.hits.iter().map(|hit| hit.chunk).collect()
    }

    #[test]
    fn words_of_any_script_are_found() {
        let texts = [
            "我喜欢喝茶，不喝咖啡",
            "水曜日にメモを見る",
            "القط على الأريكة",
            "Напоминание про заметки",
            "नमस्ते दुनिया",
            "학교에서 만나요",
            "party 🎉 at ten",
        ];
        let (_folder, index) = list(&texts);
        let check = |query: &str, expected: &[u64]| {
            assert_eq!(
                chunks(&search(&index, query, Join::Or)),
                expected,
                "{query}"
            );
        };
        check("喝茶", &[0]);
        check("咖啡", &[0]);
        check("メモ", &[1]);
        check("水曜日", &[1]);
        check("الأريكة", &[2]);
        check("ЗАМЕТКИ", &[3]);
        check("दुनिया", &[4]);
        check("학교", &[5]);
        check("🎉", &[]);
        check("parties", &[6]);
    }

    #[test]
    fn no_word_of_a_query_is_an_operator() {
        let (_folder, index) = list(&["cats not dogs", "cats and dogs", "dogs only"]);
        let check = |query: &str, expected: &[u64]| {
            assert_eq!(
                chunks(&search(&index, query, Join::Or)),
                expected,
                "{query}"
            );
        };
        check("NOT", &[0]);
        check("cats AND", &[0, 1]);
        check("-cats", &[0, 1]);
        check("\"only dogs\"", &[0, 1, 2]);
        check("do*", &[]);
        check("title:only ^2 (", &[2]);
    }

    #[test]
    fn a_query_without_words_finds_nothing() {
        let (_folder, index) = list(&["cats"]);
        for query in ["", " \n", "\"*?\"", "🎉"] {
            assert_eq!(search(&index, query, Join::Or), TextHits::default());
            assert_eq!(search(&index, query, Join::And), TextHits::default());
        }
    }

    #[test]
    fn an_empty_list_finds_nothing() {
        let (_folder, index) = list(&[]);
        assert_eq!(index.n_chunks(), 0);
        let found = search(&index, "cats", Join::Or);
        assert!(found.hits.is_empty());
        assert!(found.ideal.is_finite() && found.ideal > 0.0);
    }

    #[test]
    fn words_are_those_of_the_query_once_each() {
        let (_folder, index) = list(&["the relay hums", "the relay", "quiet"]);
        let found = search(&index, "The relays and the RELAY, unheard-of", Join::Or);
        let words: Vec<_> = found
            .words
            .iter()
            .map(|word| (&*word.term, &*word.typed, word.weight, word.n_chunks))
            .collect();
        let expected = [
            ("the", "The", 0.25, 2),
            ("relay", "relays", 1.0, 2),
            ("and", "and", 0.25, 0),
            ("unheard", "unheard", 1.0, 0),
            ("of", "of", 0.25, 0),
        ];
        assert_eq!(words, expected);
        assert_eq!(
            found
                .hits
                .iter()
                .map(|hit| hit.matched.as_slice())
                .collect::<Vec<_>>(),
            [[0, 1], [0, 1]]
        );
        // The word that no chunk holds counts fully in what could be reached.
        let ideal: f32 = found
            .words
            .iter()
            .map(|word| word.weight * word.idf * 2.2)
            .sum();
        assert!((found.ideal - ideal).abs() < 1e-5);
    }

    #[test]
    fn of_words_with_one_stem_the_heavier_counts() {
        let (_folder, index) = list(&["doing it"]);
        let weight = |query: &str| search(&index, query, Join::Or).words[0].weight;
        assert_eq!(
            (
                weight("do"),
                weight("doing"),
                weight("do doing"),
                weight("doing do")
            ),
            (0.25, 1.0, 1.0, 1.0)
        );
    }

    #[test]
    fn joined_by_and_a_chunk_holds_every_word() {
        let (_folder, index) = list(&["cats and dogs", "cats", "dogs, cats", "and"]);
        let check = |query: &str, expected: &[u64]| {
            assert_eq!(
                chunks(&search(&index, query, Join::And)),
                expected,
                "{query}"
            );
        };
        check("dog cat", &[0, 2]);
        check("dogs and cats", &[0]);
        check("cat cats CAT", &[0, 1, 2]);
        check("cats unheard", &[]);
    }

    #[test]
    fn a_lone_character_is_found_within_a_word() {
        let (_folder, index) = list(&["我喜欢喝茶", "乌龙茶很好喝", "책은 서재에", "水"]);
        let check = |query: &str, expected: &[u64]| {
            assert_eq!(
                chunks(&search(&index, query, Join::Or)),
                expected,
                "{query}"
            );
        };
        check("茶", &[0, 1]);
        check("乌", &[1]);
        check("책", &[2]);
        check("水", &[3]);
        check("乌龙", &[1]);
        // A pair is found as a pair alone.
        check("茶喝", &[]);
        check("猫", &[]);
    }

    #[test]
    fn the_title_counts_as_text() {
        let folder = tempfile::tempdir().expect("a scratch folder can be made");
        let mut writer = TextWriter::create(folder.path()).expect("a list can be started");
        for (chunk, text, title) in [
            (0, "relay", "home-server_2024.notes"),
            (1, "relay home", "server 2024 notes"),
        ] {
            writer
                .add(&TextEntry {
                    chunk,
                    document: 0,
                    text,
                    title,
                })
                .expect("chunks can be added");
        }
        writer.commit(1).expect("it can be committed");
        let index = TextIndex::open(folder.path()).expect("it was just written");
        for query in ["home", "server", "2024", "notes"] {
            let hits = search(&index, query, Join::Or).hits;
            assert_eq!(hits.len(), 2, "{query}");
            assert_eq!(hits[0].score, hits[1].score, "{query}");
        }
    }

    #[test]
    fn a_giant_query_is_cut_to_its_first_words() {
        let (_folder, index) = list(&["w0 w17 w4095", "w4096 w9999"]);
        let query: String = (0..10_000).map(|at| format!("w{at} w0 ")).collect();
        let found = search(&index, &query, Join::Or);
        assert_eq!(
            (found.words.len(), found.n_words_left_out),
            (QUERY_WORDS_MAX, 10_000 - QUERY_WORDS_MAX)
        );
        assert_eq!(chunks(&found), [0]);
        assert_eq!(found.hits[0].matched, [0, 17, 4095]);
        // One word 100,000 times is one word.
        let found = search(&index, &"w17 ".repeat(100_000), Join::And);
        assert_eq!(
            (found.words.len(), found.n_words_left_out, chunks(&found)),
            (1, 0, vec![0])
        );
    }

    /// One change to a list.
    #[derive(Clone, Debug)]
    enum Change {
        /// The document is deleted, and its chunks of now are added.
        Put(u64, Vec<String>),
        Delete(u64),
        Commit,
        Merge,
        /// The writer is dropped and opened again.
        Reopen,
    }

    fn change() -> impl Strategy<Value = Change> {
        let word = prop::sample::select(vec![
            "the",
            "relay",
            "relays",
            "hums",
            "quiet",
            "night",
            "is",
            "水曜日",
            "x1",
        ]);
        // Beyond 40 words the list knows a chunk's length only roughly.
        let text = prop::collection::vec(word, 0..70).prop_map(|words| words.join(" "));
        prop_oneof![
            6 => (0_u64..6, prop::collection::vec(text, 0..4)).prop_map(|(id, chunks)| Change::Put(id, chunks)),
            2 => (0_u64..6).prop_map(Change::Delete),
            3 => Just(Change::Commit),
            1 => Just(Change::Merge),
            1 => Just(Change::Reopen),
        ]
    }

    /// Chunk ids and texts by document.
    type Library = BTreeMap<u64, Vec<(u64, String)>>;

    fn add(writer: &mut TextWriter, document: u64, chunks: &[(u64, String)]) {
        for (chunk, text) in chunks {
            let entry = TextEntry {
                chunk: *chunk,
                document,
                text,
                title: "night-notes",
            };
            writer.add(&entry).expect("chunks can be added");
        }
    }

    /// Makes all changes in `folder` and returns what the list should hold, and its state as a reader has it that took up
    /// every commit.
    fn build(folder: &Path, changes: &[Change]) -> (Library, TextIndex) {
        let mut library = Library::new();
        let mut reader: Option<TextIndex> = None;
        let take_up = |reader: &mut Option<TextIndex>| {
            let next = match &*reader {
                Some(before) => TextIndex::open_after(folder, before),
                None => TextIndex::open(folder),
            };
            *reader = Some(next.expect("it was just written"));
        };
        let mut generation = 0;
        let mut next_chunk = 0;
        let mut writer = TextWriter::create(folder).expect("a list can be started");
        for change in changes {
            match change {
                Change::Put(document, texts) => {
                    let chunks: Vec<(u64, String)> =
                        (next_chunk..).zip(texts.iter().cloned()).collect();
                    next_chunk += chunks.len() as u64;
                    writer.delete_document(*document);
                    add(&mut writer, *document, &chunks);
                    library.insert(*document, chunks);
                }
                Change::Delete(document) => {
                    writer.delete_document(*document);
                    library.remove(document);
                }
                Change::Commit => {
                    generation += 1;
                    writer.commit(generation).expect("it can be committed");
                    take_up(&mut reader);
                }
                Change::Merge => writer.merge(),
                Change::Reopen => {
                    generation += 1;
                    writer.commit(generation).expect("it can be committed");
                    drop(writer);
                    writer = TextWriter::open(folder).expect("it was just committed");
                }
            }
        }
        writer.commit(generation + 1).expect("it can be committed");
        take_up(&mut reader);
        (library, reader.expect("it was taken up"))
    }

    /// Computes BM25 as it is written down, over all chunks, for each chunk that holds a word.
    fn naive(library: &Library, query: &str) -> Vec<(u64, f64)> {
        let documents: Vec<(u64, Vec<String>)> = library
            .values()
            .flatten()
            .map(|(chunk, text)| {
                (
                    *chunk,
                    words(&format!("{text} night notes"))
                        .into_iter()
                        .map(|word| word.term)
                        .collect(),
                )
            })
            .collect();
        let n = documents.len() as f64;
        let average = documents
            .iter()
            .map(|(_, terms)| terms.len())
            .sum::<usize>() as f64
            / n;
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        for word in words(query) {
            let weight = if STOP_WORD_LIST.contains(&&*query[word.bytes].to_lowercase()) {
                0.25
            } else {
                1.0
            };
            let known = weights.entry(word.term).or_insert(weight);
            *known = known.max(weight);
        }
        let mut scores = BTreeMap::new();
        for (term, weight) in weights {
            let holding = documents.iter().filter(|(_, terms)| terms.contains(&term));
            let df = holding.clone().count() as f64;
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            for (chunk, terms) in holding {
                let tf = terms.iter().filter(|&other| *other == term).count() as f64;
                // The list keeps lengths in one byte.
                let id = FieldNormReader::fieldnorm_to_id(terms.len() as u32);
                let length = f64::from(FieldNormReader::id_to_fieldnorm(id));
                let score =
                    weight * idf * tf * 2.2 / (tf + 1.2 * (1.0 - 0.75 + 0.75 * length / average));
                *scores.entry(*chunk).or_insert(0.0) += score;
            }
        }
        scores.into_iter().collect()
    }

    /// The stop words among those of [`change`] and the queries.
    const STOP_WORD_LIST: [&str; 3] = ["the", "is", "at"];

    /// Holds what [`TextIndex::score`] tells to the record of every hit: the same hits and scores to the last bit, the
    /// same best ones whatever decides among equals, the same words and ranks.
    fn check_scores(index: &TextIndex, query: &str) {
        for join in [Join::Or, Join::And] {
            let TextHits {
                words,
                n_words_left_out,
                ideal,
                mut hits,
            } = search(index, query, join);
            let mut scores = index.score(query, join).expect("the list is sound");
            assert_eq!(
                (&scores.words, scores.n_words_left_out, scores.ideal),
                (&words, n_words_left_out, ideal)
            );
            check_hits(&scores, &hits, index);
            let kept = |chunk: u64| !chunk.is_multiple_of(3);
            scores.keep(|entry| kept(index.chunk_of(entry as u32)));
            hits.retain(|hit| kept(hit.chunk));
            check_hits(&scores, &hits, index);
        }
    }

    fn check_hits(scores: &TextScores<'_>, hits: &[TextHit], index: &TextIndex) {
        assert_eq!(scores.n_hits(), hits.len());
        let bits = |found: Vec<(f32, u64)>| -> Vec<(u32, u64)> {
            let found = found.into_iter();
            found.map(|(score, tie)| (score.to_bits(), tie)).collect()
        };
        for tie in [|chunk| chunk, |chunk| u64::MAX - chunk] {
            let mut sorted: Vec<(f32, u64)> =
                hits.iter().map(|hit| (hit.score, tie(hit.chunk))).collect();
            sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for n in [0, 1, 2, 3, 50, 1000] {
                let expected = sorted[..n.min(sorted.len())].to_vec();
                assert_eq!(bits(scores.best(n, tie)), bits(expected), "the best {n}");
            }
            // In another order than theirs, and one of them twice.
            let mut wanted: Vec<(u32, (f32, u64))> = (1..).zip(sorted.iter().copied()).collect();
            wanted.sort_unstable_by_key(|(_, (_, own))| *own);
            wanted.extend(wanted.first().copied());
            let (ranks, wanted): (Vec<u32>, Vec<(f32, u64)>) = wanted.into_iter().unzip();
            assert_eq!(scores.ranks(&wanted, tie), ranks);
        }
        // Those that were deleted, are no hits or were never there too, in any order.
        let mut chunks = index.chunks().collect::<Vec<u64>>();
        chunks.push(u64::MAX);
        chunks.reverse();
        let matched = scores.matched(&chunks).expect("the list is sound");
        for (chunk, matched) in chunks.into_iter().zip(matched) {
            let hit = hits.iter().find(|hit| hit.chunk == chunk);
            assert_eq!(
                scores.of(chunk).map(f32::to_bits),
                hit.map(|hit| hit.score.to_bits())
            );
            assert_eq!(matched, hit.map_or(Vec::new(), |hit| hit.matched.clone()));
        }
    }

    #[test]
    fn scores_of_many_chunks_are_those_of_the_record() {
        let folder = tempfile::tempdir().expect("a scratch folder can be made");
        let mut writer = TextWriter::create(folder.path()).expect("a list can be started");
        // More than one block of entries for a word, and more equal scores than are asked for.
        let text = |chunk: u64| match chunk % 5 {
            0 => "the relay hums, the quiet relay".to_owned(),
            1 => format!("the night {}", "is quiet ".repeat((chunk % 61) as usize)),
            _ => format!(
                "the {}",
                if chunk.is_multiple_of(2) {
                    "relay"
                } else {
                    "night"
                }
            ),
        };
        for chunk in 0..1400 {
            add(&mut writer, chunk / 4, &[(chunk, text(chunk))]);
        }
        writer.commit(1).expect("it can be committed");
        for document in (0..350).step_by(3) {
            writer.delete_document(document);
        }
        for chunk in 1400..1700 {
            add(&mut writer, chunk / 4, &[(chunk, text(chunk))]);
        }
        writer.commit(2).expect("it can be committed");
        drop(writer);
        let index = TextIndex::open(folder.path()).expect("it was just written");
        for query in [
            "the relay",
            "is the quiet relay humming",
            "night",
            "unheard",
            "",
        ] {
            check_scores(&index, query);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn any_history_ranks_like_a_new_list_and_like_the_formula(changes in prop::collection::vec(change(), 1..14)) {
            let folder = tempfile::tempdir().expect("a scratch folder can be made");
            let (library, reader) = build(folder.path(), &changes);
            let index = TextIndex::open(folder.path()).expect("it was just written");
            let mut entries: Vec<u64> = index.chunks().collect();
            entries.push(u64::MAX);
            for chunk in entries {
                let is_there = |index: &TextIndex| index.entry_of(chunk).map(|entry| index.chunk_of(entry));
                prop_assert_eq!(is_there(&reader), is_there(&index));
            }

            let anew = tempfile::tempdir().expect("a scratch folder can be made");
            let mut writer = TextWriter::create(anew.path()).expect("a list can be started");
            for (document, chunks) in &library {
                add(&mut writer, *document, chunks);
            }
            writer.commit(1).expect("it can be committed");
            let new_index = TextIndex::open(anew.path()).expect("it was just written");
            prop_assert_eq!(index.n_chunks(), library.values().map(Vec::len).sum::<usize>() as u64);

            for query in ["quiet relays at night", "is the the relay 水曜", "x1", "unheard"] {
                let found = search(&index, query, Join::Or);
                prop_assert_eq!(&search(&reader, query, Join::Or), &found);
                check_scores(&reader, query);
                prop_assert_eq!(&found, &search(&new_index, query, Join::Or));
                let expected = naive(&library, query);
                prop_assert_eq!(chunks(&found), expected.iter().map(|&(chunk, _)| chunk).collect::<Vec<_>>());
                for (hit, (_, score)) in found.hits.iter().zip(expected) {
                    prop_assert!((f64::from(hit.score) - score).abs() < 1e-5 * (1.0 + score), "{:?} {}", hit, score);
                    prop_assert!(hit.score <= found.ideal);
                    let text = library.values().flatten().find(|(chunk, _)| *chunk == hit.chunk).expect("it is there");
                    let terms: BTreeSet<String> =
                        words(&format!("{} night notes", text.1)).into_iter().map(|word| word.term).collect();
                    let held = (0..).zip(&found.words).filter(|(_, word)| terms.contains(&word.term));
                    prop_assert_eq!(&hit.matched, &held.map(|(at, _)| at).collect::<Vec<u16>>());
                }
                let all = search(&index, query, Join::And);
                let mut holding_all = found.clone();
                holding_all.hits.retain(|hit| hit.matched.len() == found.words.len());
                prop_assert_eq!(all, holding_all);
                check_scores(&index, query);
            }
        }
    }
}
