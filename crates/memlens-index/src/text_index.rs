//! Searching the text list.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use memlens_files::open_own;
use tantivy::TantivyError;
use tantivy::query::Bm25Weight;

use crate::IndexError;
use crate::question::{Asked, Form, Need, Question, WordKind};
use crate::terms::{self, NameKind};
use crate::text_files::{META, VerifiedFiles};
use crate::text_list::{Mark, Verified, open_error, open_verified, reader, refused};
use crate::text_segment::{Found, Posting, Prefixed, Segment};
use crate::words::{STOP_WORD_WEIGHT, is_stop_word};

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
    /// Chunks that hold every word of the query; an identifier is held by its parts or as a whole.
    And,
}

/// One word of a query, or an identifier in it. Words with the same stem are one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryWord {
    /// The term that is looked up: a stem as returned by [`crate::words()`], or an identifier as a whole.
    pub term: String,
    /// The first spelling of the word in the query.
    pub typed: String,
    /// 1, or 0.25 for a stop word and for a part of an identifier that a chunk in scope holds; of several words with one
    /// stem the larger.
    pub weight: f32,
    /// `ln(1 + (N - n + 0.5) / (n + 0.5))` for N chunks of which n hold the word; above 0, and highest for a word that
    /// no chunk holds.
    pub idf: f32,
    /// Number of chunks that hold the word.
    pub n_chunks: u32,
    /// How it is related to the words around it.
    pub kind: WordKind,
    /// Whether it is an identifier, or a part of one, that a chunk in scope holds.
    pub is_name: bool,
    /// Whether it does not occur in the query itself: an identifier made by joining words or digits of the query, which is
    /// looked up in addition to them.
    pub is_joined: bool,
    /// Upper bound of the word's contribution to a score: for an identifier and its parts the contribution to the best chunk
    /// in scope, for another word the limit for ever more occurrences, `weight * idf * (k1 + 1)`.
    pub reach: f32,
    /// Where it is looked up; empty if another program looked it up.
    pub forms: Forms,
    /// Whether more words begin with it than are looked up.
    pub is_cut: bool,
    /// The parts of the query that hold the word: bit `n` is set for part `n` of [`TextIndex::score_parts`]; 0 if the
    /// query is not cut into parts.
    pub parts: u64,
}

/// The terms under which the list holds a word of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forms(Vec<Form>);

/// How a chunk holds a word of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// As a plain word.
    Word,
    /// Joined with its neighbours: an identifier as a whole, in any style.
    Whole,
    /// As the beginning of a longer word.
    Prefix,
    /// With different accents, or none.
    Folded,
    /// As a number with different signs between its digits.
    Digits,
}

impl How {
    pub(crate) fn of(kind: NameKind) -> Self {
        match kind {
            NameKind::Whole | NameKind::Compound => Self::Whole,
            NameKind::Folded => Self::Folded,
            NameKind::Digits => Self::Digits,
        }
    }
}

/// A word of a query that a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Position of the word in [`TextHits::words`].
    pub word: u16,
    /// How the chunk holds it.
    pub how: How,
}

/// Returns where a text holds one of a query's words, in reading order; stop words have no place. Ranges may overlap.
pub fn marks(text: &str, query: &[QueryWord]) -> Vec<Range<usize>> {
    let content_words = query.iter().filter(|word| !is_stop_word(&word.typed));
    let plain = content_words.clone().map(|word| word.term.as_str());
    let plain = plain.collect();
    let forms: Vec<&Form> = content_words.flat_map(|word| &word.forms.0).collect();
    terms::places_of(text, &plain, &forms)
}

/// The result of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextHits {
    /// The query's distinct words in the order of the query; may be empty.
    pub words: Vec<QueryWord>,
    /// Number of further distinct words of the query, which are not looked up; 0 up to 4,096 distinct words and
    /// identifiers.
    pub n_words_left_out: usize,
    /// The sum of [`QueryWord::reach`] over `words`, including those that no chunk holds. Never below a hit's score; 0
    /// only without words.
    pub ideal: f32,
    /// The share of the identifiers in the query.
    pub names: NameShare,
    /// All chunks that the query finds, in ascending order of chunk.
    pub hits: Vec<TextHit>,
}

/// How much of a query is identifiers that a hit holds. Each word counts `weight * idf`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NameShare {
    /// The sum over the identifiers that a hit holds and over their parts.
    pub held: f64,
    /// The sum over all words.
    pub all: f64,
    /// These identifiers, without their parts, as ascending positions in [`TextHits::words`].
    pub words: Vec<u16>,
}

impl NameShare {
    /// Returns `held / all`, in `[0, 1]`; 0 without words.
    pub fn share(&self) -> f64 {
        if self.all > 0.0 {
            (self.held / self.all).min(1.0)
        } else {
            0.0
        }
    }

    /// Returns the share for those words that count; `is_held`: for each word, whether a hit holds it.
    pub(crate) fn of(
        words: &[QueryWord],
        is_held: &[bool],
        counts: impl Fn(&QueryWord) -> bool,
    ) -> Self {
        let mut share = Self::default();
        for (at, (word, is_held)) in (0..).zip(words.iter().zip(is_held)) {
            if !counts(word) {
                continue;
            }
            let information = f64::from(word.idf * word.weight);
            share.all += information;
            if word.is_name && *is_held {
                share.held += information;
                if word.is_whole_name() {
                    share.words.push(at);
                }
            }
        }
        share
    }
}

/// One chunk that a query finds.
#[derive(Clone, Debug, PartialEq)]
pub struct TextHit {
    /// The id of the chunk.
    pub chunk: u64,
    /// The sum over the words in the chunk of `weight * BM25`, half of it for the beginning of a longer number beside an
    /// exact one; above 0, at most [`TextHits::ideal`].
    pub score: f32,
    /// The words in the chunk, as ascending positions in [`TextHits::words`].
    pub matched: Vec<u16>,
}

/// BM25's saturation constant, which tantivy fixes.
const K1: f32 = 1.2;

/// The maximum number of words with the same beginning that are looked up, in alphabetical order.
pub const PREFIXED_WORDS_MAX: usize = 64;

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
            // A writer that commits or finishes a merge meanwhile may remove a file, or leave us with parts of two states. Either
            // changes this file, which is replaced in one step.
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

    /// Finds the chunks that hold words of `query`, and returns a record with the BM25 score of each: k1 is 1.2, b is 0.75,
    /// or 0 for an identifier.
    ///
    /// The query is only split into words; it has no operators. Numbers of chunks, words and average length are those
    /// of the chunks currently in the list, so a list after many changes ranks like a new one, bit for bit.
    /// [`TextIndex::score`] returns the same for selected chunks, and is tested against this.
    ///
    /// # Errors
    /// [`IndexError::Text`] if the list cannot be read.
    pub fn search(&self, query: &str, join: Join) -> Result<TextHits, IndexError> {
        let Answer {
            words,
            n_words_left_out,
            ideal,
            needs,
            found,
        } = self.ask(query, &[], None)?;
        let mut hits = Vec::new();
        for (segment_idx, segment) in self.segments.iter().enumerate() {
            let chunks = segment.chunks();
            let mut gathered = Gathered::new(chunks.len());
            for (word_idx, (word, in_segments)) in words.iter().zip(&found).enumerate() {
                let scorer = self.scorer(word);
                segment
                    .for_each_alive(&word.term, &in_segments[segment_idx], |posting| {
                        let length = segment.lengths()[posting.doc as usize];
                        gathered.add(posting.doc, scorer.of(length, &posting), word_idx as u16);
                    })
                    .map_err(|source| self.error(source))?;
            }
            gathered.finish(chunks, &mut hits);
        }
        if join == Join::And {
            hits.retain(|hit| {
                let holds = |word: &u16| hit.matched.binary_search(word).is_ok();
                let mut needs = needs.iter();
                needs.all(|need| need.iter().any(|words| words.iter().all(holds)))
            });
        }
        hits.sort_unstable_by_key(|hit| hit.chunk);
        let mut is_held = vec![false; words.len()];
        for word in hits.iter().flat_map(|hit| &hit.matched) {
            is_held[usize::from(*word)] = true;
        }
        Ok(TextHits {
            names: NameShare::of(&words, &is_held, |_| true),
            words,
            n_words_left_out,
            ideal,
            hits,
        })
    }

    /// Looks up the words of a query. Identifiers count as such if an entry in `scope` holds them. `parts` are ascending
    /// disjoint ranges of the query, for [`QueryWord::parts`].
    ///
    /// # Errors
    /// [`IndexError::Torn`] if another program shortened a file since it was opened; otherwise [`IndexError::Text`].
    pub(crate) fn ask(
        &self,
        query: &str,
        parts: &[Range<usize>],
        scope: Scope<'_>,
    ) -> Result<Answer, IndexError> {
        if let Some(path) = self.files.shortened(&self.path) {
            let why = "it became shorter while it was open".to_owned();
            return Err(IndexError::Torn { path, why });
        }
        let Question {
            asked,
            needs,
            n_left_out,
        } = Question::of(query);
        let looked_up = asked
            .into_iter()
            .map(|asked| self.look_up(asked, scope))
            .collect::<Result<Vec<_>, _>>();
        let looked_up = looked_up.map_err(|source| self.error(source))?;
        let roles = roles(&looked_up);
        let mut words = Vec::with_capacity(looked_up.len());
        let mut found = Vec::with_capacity(looked_up.len());
        // The position of each remaining term.
        let mut left: Vec<Option<u16>> = Vec::with_capacity(looked_up.len());
        for (it, role) in looked_up.into_iter().zip(roles) {
            if role == Role::None {
                left.push(None);
                continue;
            }
            left.push(Some(words.len() as u16));
            let mut word = QueryWord {
                typed: query[it.asked.typed.clone()].to_owned(),
                weight: it.asked.weight,
                idf: idf(it.n_chunks, self.mark.n_chunks),
                n_chunks: it.n_chunks as u32,
                is_name: it.is_name,
                is_joined: !it.asked.is_typed && it.asked.camel.is_empty(),
                is_cut: it.is_cut,
                parts: it.asked.parts(parts),
                term: it.asked.term,
                kind: it.asked.kind,
                forms: Forms(it.asked.forms),
                reach: 0.0,
            };
            if role == Role::Part {
                word.kind = WordKind::Part;
                word.is_name = true;
                word.weight = STOP_WORD_WEIGHT;
            }
            word.reach = if word.is_name {
                let reach = self.reach(&word, &it.found, scope);
                reach.map_err(|source| self.error(source))?
            } else {
                word.idf * (1.0 + K1) * word.weight
            };
            words.push(word);
            found.push(it.found);
        }
        let renamed = |words: &Vec<u16>| -> Option<Vec<u16>> {
            words.iter().map(|word| left[usize::from(*word)]).collect()
        };
        let needs = needs
            .iter()
            .map(|need| need.iter().filter_map(renamed).collect())
            .filter(|need: &Need| !need.is_empty());
        Ok(Answer {
            needs: needs.collect(),
            // Summed in the same order as scores, so that rounding cannot lift a score above it.
            ideal: words.iter().map(|word| word.reach).sum(),
            words,
            n_words_left_out: n_left_out,
            found,
        })
    }

    /// Returns the largest contribution of an identifier, or of a part of one, to any chunk in scope.
    fn reach(
        &self,
        word: &QueryWord,
        found: &[Found],
        scope: Scope<'_>,
    ) -> Result<f32, TantivyError> {
        let scorer = self.scorer(word);
        let mut most = 0.0_f32;
        for (segment, found) in self.segments.iter().zip(found) {
            segment.for_each_alive(&word.term, found, |posting| {
                if segment.is_in(posting.doc, scope) {
                    let length = segment.lengths()[posting.doc as usize];
                    most = most.max(scorer.of(length, &posting));
                }
            })?;
        }
        Ok(most)
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

    /// Looks up a term of a question in every form, and by its beginning if no chunk in scope holds another form, or if it
    /// is a hexadecimal number.
    fn look_up(&self, mut asked: Asked, scope: Scope<'_>) -> Result<LookedUp, TantivyError> {
        let mut n_chunks = 0;
        let mut found = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let here = segment.look_up(&asked.term, &asked.forms)?;
            n_chunks += segment.n_alive_with(&asked.term, &here)?;
            found.push(here);
        }
        let mut is_in_scope = n_chunks > 0 && self.is_in_scope(&asked, &found, scope)?;
        let mut is_cut = false;
        let prefix = asked.forms.iter().find(|form| form.is_prefix());
        let is_looked_up = !is_in_scope || asked.is_hash;
        if let Some(Form::Prefix(prefix)) = prefix.filter(|_| is_looked_up) {
            let (prefixed, is_more) = self.look_up_prefix(prefix, scope)?;
            is_cut = is_more;
            let exact = std::mem::take(&mut found).into_iter();
            let is_held = n_chunks > 0;
            for ((segment, exact), prefixed) in self.segments.iter().zip(exact).zip(prefixed) {
                found.push(if is_held {
                    segment.beside(&asked.term, &exact, prefixed)?
                } else {
                    segment.of_prefixed(prefixed)?
                });
            }
            n_chunks = 0;
            for (segment, found) in self.segments.iter().zip(&found) {
                n_chunks += segment.n_alive_with(&asked.term, found)?;
            }
            is_in_scope = n_chunks > 0;
        } else {
            asked.forms.retain(|form| !form.is_prefix());
        }
        let mut is_name = asked.is_name;
        if is_in_scope && asked.may_be_name && !is_name {
            // It is an identifier if more chunks write it as one than as words joined by a hyphen or the like, and if no
            // chunk holds it as a word.
            let (mut n_names, mut n_compounds, mut is_word) = (0, 0, false);
            for segment in &self.segments {
                n_names += segment.n_writing(NameKind::Whole, &asked.forms, scope)?;
                n_compounds += segment.n_writing(NameKind::Compound, &asked.forms, scope)?;
                is_word |= segment.holds_word(&asked.term, scope)?;
            }
            is_name = n_names > n_compounds && !is_word;
        }
        Ok(LookedUp {
            is_name: is_name && is_in_scope,
            is_in_scope,
            asked,
            found,
            n_chunks,
            is_cut,
        })
    }

    /// Returns whether an entry in scope holds a term.
    fn is_in_scope(
        &self,
        asked: &Asked,
        found: &[Found],
        scope: Scope<'_>,
    ) -> Result<bool, TantivyError> {
        if scope.is_none() {
            return Ok(true);
        }
        let mut is_in_scope = false;
        for (segment, found) in self.segments.iter().zip(found) {
            segment.for_each_alive(&asked.term, found, |posting| {
                is_in_scope = is_in_scope || segment.is_in(posting.doc, scope);
            })?;
        }
        Ok(is_in_scope)
    }

    /// Returns the first words that begin with `prefix` in each segment, and whether there are more such words.
    fn look_up_prefix(
        &self,
        prefix: &str,
        scope: Scope<'_>,
    ) -> Result<(Vec<Vec<Prefixed>>, bool), TantivyError> {
        // The first of all segments are among the first of each, so that merges change nothing.
        let mut prefixed: BTreeSet<String> = BTreeSet::new();
        for segment in &self.segments {
            prefixed.extend(segment.with_prefix(prefix, PREFIXED_WORDS_MAX + 1, scope)?);
        }
        let is_cut = prefixed.len() > PREFIXED_WORDS_MAX;
        // Counts are those of the whole list, so a segment without an entry in scope counts too.
        let terms: Vec<String> = prefixed.into_iter().take(PREFIXED_WORDS_MAX).collect();
        let of_segment = |segment: &Segment| segment.prefixed(&terms);
        let of_segments: Result<Vec<_>, TantivyError> =
            self.segments.iter().map(of_segment).collect();
        Ok((of_segments?, is_cut))
    }

    pub(crate) fn scorer(&self, word: &QueryWord) -> Scorer {
        if word.is_whole_name() {
            return Scorer::Name(word.idf * word.weight);
        }
        let average = self.mark.n_words as f32 / self.mark.n_chunks as f32;
        let weight = Bm25Weight::for_one_term_without_explain(
            u64::from(word.n_chunks),
            self.mark.n_chunks,
            average,
        );
        Scorer::Word(weight.boost_by(word.weight))
    }

    pub(crate) fn error(&self, source: TantivyError) -> IndexError {
        refused("search", &self.path, source)
    }
}

/// What an occurrence of a word adds to the score of a chunk.
pub(crate) enum Scorer {
    /// BM25 with the usual b.
    Word(Bm25Weight),
    /// BM25 with b = 0: the length of a chunk says nothing about an identifier in it. Holds `weight * idf`.
    Name(f32),
}

impl Scorer {
    /// Returns what an entry gets for a word.
    #[inline]
    pub(crate) fn of(&self, length: u8, posting: &Posting) -> f32 {
        posting.share * self.score(length, posting.term_freq)
    }

    #[inline]
    pub(crate) fn score(&self, length: u8, term_freq: u32) -> f32 {
        match self {
            Self::Word(weight) => weight.score(length, term_freq),
            Self::Name(information) => {
                let term_freq = term_freq as f32;
                information * (1.0 + K1) * (term_freq / (term_freq + K1))
            }
        }
    }
}

/// The entries that are searched, by position; `None` for all.
pub(crate) type Scope<'a> = Option<&'a dyn Fn(usize) -> bool>;

/// The words of a query, with their postings.
pub(crate) struct Answer {
    pub words: Vec<QueryWord>,
    pub n_words_left_out: usize,
    pub ideal: f32,
    /// What a chunk must hold if it must hold every word.
    pub needs: Vec<Need>,
    /// The postings of each word in each segment: by word, then by segment.
    pub found: Vec<Vec<Found>>,
}

/// A term of a question, looked up.
struct LookedUp {
    asked: Asked,
    /// Its postings in each segment.
    found: Vec<Found>,
    n_chunks: u64,
    /// Whether an entry in scope holds it.
    is_in_scope: bool,
    /// Whether it is an identifier that an entry in scope holds.
    is_name: bool,
    is_cut: bool,
}

/// What a term of a question counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// As an independent term.
    Own,
    /// As a part of an identifier that is in scope: it says little besides the whole.
    Part,
    /// It is ignored: joined words that are no identifier in scope, or a part of a camelCase word that is in scope.
    None,
}

/// Returns the role of each term. A term counts as a part only if it is one wherever it was typed.
fn roles(looked_up: &[LookedUp]) -> Vec<Role> {
    let held = || looked_up.iter().filter(|it| it.is_in_scope);
    let camel = Places::of(held().flat_map(|it| &it.asked.camel));
    let names = held().filter(|it| it.is_name);
    let names = Places::of(names.flat_map(|it| it.asked.covers.iter().chain(&it.asked.camel)));
    let role = |it: &LookedUp| {
        let asked = &it.asked;
        // The parts of joined words are looked up anyway; if the words are no identifier, the whole adds nothing.
        let is_known = if asked.camel.is_empty() {
            it.is_name
        } else {
            it.is_in_scope
        };
        if !is_known && !asked.is_typed {
            return Role::None;
        }
        if asked.places.is_empty() || !asked.covers.is_empty() || !asked.camel.is_empty() {
            return Role::Own;
        }
        if asked.places.iter().all(|place| camel.hold(place)) {
            Role::None
        } else if asked
            .places
            .iter()
            .all(|place| names.hold(place) || camel.hold(place))
        {
            Role::Part
        } else {
            Role::Own
        }
    };
    looked_up.iter().map(role).collect()
}

/// Ranges of bytes, joined where they overlap, in ascending order.
struct Places(Vec<Range<usize>>);

impl Places {
    fn of<'a>(places: impl Iterator<Item = &'a Range<usize>>) -> Self {
        let mut sorted: Vec<Range<usize>> = places.cloned().collect();
        sorted.sort_unstable_by_key(|place| place.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for place in sorted {
            match joined.last_mut().filter(|last| place.start < last.end) {
                Some(last) => last.end = last.end.max(place.end),
                None => joined.push(place),
            }
        }
        Self(joined)
    }

    /// Returns whether a range is in one of these.
    fn hold(&self, place: &Range<usize>) -> bool {
        let behind = self.0.partition_point(|it| it.start <= place.start);
        behind > 0 && place.end <= self.0[behind - 1].end
    }
}

impl QueryWord {
    /// Returns whether it is an identifier and not a part of one.
    fn is_whole_name(&self) -> bool {
        self.is_name && self.kind != WordKind::Part
    }
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

    /// Appends the entries with a word to `hits`.
    fn finish(self, chunks: &[u64], hits: &mut Vec<TextHit>) {
        /// Marks an entry that is not a hit.
        const NO_HIT: u32 = u32::MAX;
        let first = hits.len();
        let mut hit_of = vec![NO_HIT; chunks.len()];
        for (doc, &n_matched) in self.n_matched.iter().enumerate() {
            if n_matched > 0 {
                hit_of[doc] = (hits.len() - first) as u32;
                hits.push(TextHit {
                    chunk: chunks[doc],
                    score: self.scores[doc],
                    matched: Vec::with_capacity(usize::from(n_matched)),
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
