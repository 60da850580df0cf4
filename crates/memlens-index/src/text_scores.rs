//! The scores of all chunks for a query, one number each, with details only for requested chunks.
//!
//! A query of several sentences can be scored in parts. A chunk's score is then that of its best part, and `ideal` is that
//! of the part with the highest score of a chunk: a chunk need not hold words of every sentence, and a short part that
//! one word fills does not make that word count as a whole answer.

use std::cmp::Reverse;
use std::ops::Range;

use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED, TantivyError};

use crate::question::{Need, PARTS_MAX};
use crate::text_index::{Answer, Scope};
use crate::text_segment::{Found, Segment};
use crate::{How, IndexError, Join, Match, NameShare, QueryWord, TextIndex};

/// The score of an entry that is not a hit. Adding a score to it gives exactly that score, without the negative sign
/// even if the score is 0.
const NO_HIT: f32 = -0.0;

/// The result of a query, as a score for every entry of the list.
pub struct TextScores<'a> {
    index: &'a TextIndex,
    /// The query's distinct words, as in [`crate::TextHits::words`].
    pub words: Vec<QueryWord>,
    /// See [`crate::TextHits::n_words_left_out`].
    pub n_words_left_out: usize,
    /// See [`crate::TextHits::ideal`]; never below a score. With parts, that of [`TextScores::best_part`].
    pub ideal: f32,
    /// The part with the highest score of a chunk, the first of several; `None` if the query is scored as a whole.
    pub best_part: Option<u8>,
    /// See [`crate::TextHits::names`]; computed after the scores.
    pub names: NameShare,
    /// The postings of each word in each segment: by word, then by segment.
    found: Vec<Vec<Found>>,
    /// By entry; [`NO_HIT`] for those that the query does not find.
    scores: Vec<f32>,
    /// By entry, the part that gives the score; empty if the query is scored as a whole.
    part_of: Vec<u8>,
}

impl TextIndex {
    /// Finds the same hits as [`TextIndex::search`], with the same scores to the last bit.
    ///
    /// # Errors
    /// [`IndexError::Text`] if the list cannot be read.
    pub fn score(&self, query: &str, join: Join) -> Result<TextScores<'_>, IndexError> {
        self.score_within(query, join, None)
    }

    /// Finds the hits among the entries for which `scope` is true; `None` for all. The numbers of chunks with a word are
    /// those of the whole list, but identifiers count as such only if an entry in scope holds them.
    ///
    /// # Errors
    /// [`IndexError::Text`] if the list cannot be read.
    pub fn score_within(
        &self,
        query: &str,
        join: Join,
        scope: Option<&dyn Fn(usize) -> bool>,
    ) -> Result<TextScores<'_>, IndexError> {
        self.score_parts(query, &[], join, scope)
    }

    /// Like [`TextIndex::score_within`], with the query scored in parts, which are ascending disjoint ranges of its bytes: a
    /// chunk's score is the highest that a part gives it, of equal parts the first. Words in no part do not count. Without
    /// parts the query is scored as a whole, and so it is by [`Join::And`], which asks for every word.
    ///
    /// # Errors
    /// [`IndexError::Text`] if the list cannot be read.
    ///
    /// # Panics
    /// If there are more than [`PARTS_MAX`] parts.
    pub fn score_parts(
        &self,
        query: &str,
        parts: &[Range<usize>],
        join: Join,
        scope: Option<&dyn Fn(usize) -> bool>,
    ) -> Result<TextScores<'_>, IndexError> {
        assert!(parts.len() <= PARTS_MAX, "{} parts", parts.len());
        let parts = if join == Join::And { &[] } else { parts };
        let Answer {
            words,
            n_words_left_out,
            ideal,
            needs,
            found,
        } = self.ask(query, parts, scope)?;
        let mut scores = TextScores {
            index: self,
            words,
            n_words_left_out,
            ideal,
            best_part: None,
            names: NameShare::default(),
            found,
            scores: vec![NO_HIT; self.n_entries()],
            part_of: Vec::new(),
        };
        let needs = match join {
            Join::Or => Vec::new(),
            Join::And => needs,
        };
        scores
            .fill(&needs, parts.len() as u8, scope)
            .map_err(|source| self.error(source))?;
        Ok(scores)
    }
}

impl TextScores<'_> {
    fn fill(&mut self, needs: &[Need], n_parts: u8, scope: Scope<'_>) -> Result<(), TantivyError> {
        if n_parts > 0 {
            self.add_up_parts(n_parts, scope)?;
        } else {
            let mut scores = std::mem::take(&mut self.scores);
            self.add_up(&mut scores, |_| true)?;
            self.scores = scores;
            self.keep_needed(needs)?;
            self.keep_in(scope);
        }
        self.names = self.share_of_names()?;
        Ok(())
    }

    /// Takes each entry's best part, and the best entry's part as the measure.
    fn add_up_parts(&mut self, n_parts: u8, scope: Scope<'_>) -> Result<(), TantivyError> {
        let mut best = vec![NO_HIT; self.scores.len()];
        let mut part_of = vec![0; self.scores.len()];
        let mut highest = NO_HIT;
        for part in 0..n_parts {
            let mut scores = std::mem::take(&mut self.scores);
            scores.fill(NO_HIT);
            self.add_up(&mut scores, |word| is_in_part(word, part))?;
            self.scores = scores;
            self.keep_in(scope);
            for ((best, part_of), score) in best.iter_mut().zip(&mut part_of).zip(&self.scores) {
                if key(*score) > key(*best) {
                    (*best, *part_of) = (*score, part);
                }
            }
            let highest_here = self.scores.iter().copied().max_by_key(|score| key(*score));
            if let Some(here) = highest_here.filter(|here| key(*here) > key(highest)) {
                highest = here;
                self.best_part = Some(part);
            }
        }
        (self.scores, self.part_of) = (best, part_of);
        if let Some(part) = self.best_part {
            let words = self.words.iter().filter(|word| is_in_part(word, part));
            // Summed in the same order as scores, so that rounding cannot lift a score above it.
            self.ideal = words.map(|word| word.reach).sum();
        }
        Ok(())
    }

    /// Adds the scores of the words that count, in the order of the query.
    fn add_up(
        &self,
        scores: &mut [f32],
        counts: impl Fn(&QueryWord) -> bool,
    ) -> Result<(), TantivyError> {
        for (word, in_segments) in self.words.iter().zip(&self.found) {
            if !counts(word) {
                continue;
            }
            let scorer = self.index.scorer(word);
            for (segment, found) in self.index.segments.iter().zip(in_segments) {
                let scores = &mut scores[segment.entries()];
                let lengths = segment.lengths();
                let info = match found {
                    Found::None => continue,
                    Found::Merged(merged) => {
                        for posting in merged {
                            let length = lengths[posting.doc as usize];
                            scores[posting.doc as usize] += scorer.of(length, posting);
                        }
                        continue;
                    }
                    Found::One(info) => info,
                };
                let terms = segment.terms_of(&word.term).1;
                let mut block =
                    terms.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
                while !block.docs().is_empty() {
                    for (at, &doc) in block.docs().iter().enumerate() {
                        let length = lengths[doc as usize];
                        scores[doc as usize] += scorer.score(length, block.freq(at));
                    }
                    block.advance();
                }
            }
        }
        Ok(())
    }

    /// Calls `visit` for each entry that holds a word and was not deleted.
    fn for_each_holding(
        &self,
        word: u16,
        mut visit: impl FnMut(usize),
    ) -> Result<(), TantivyError> {
        let (word, found) = (
            &self.words[usize::from(word)],
            &self.found[usize::from(word)],
        );
        for (segment, found) in self.index.segments.iter().zip(found) {
            segment.for_each_alive(&word.term, found, |posting| {
                visit((segment.first + posting.doc) as usize);
            })?;
        }
        Ok(())
    }

    /// Drops every hit that lacks a word.
    fn keep_needed(&mut self, needs: &[Need]) -> Result<(), TantivyError> {
        if needs.is_empty() {
            return Ok(());
        }
        let mut is_kept = vec![true; self.scores.len()];
        for need in needs {
            if !is_kept.contains(&true) {
                break;
            }
            let mut is_held = vec![false; self.scores.len()];
            for words in need {
                if let [word] = words[..] {
                    self.for_each_holding(word, |entry| is_held[entry] = true)?;
                    continue;
                }
                let mut n_held = vec![0_u16; self.scores.len()];
                for word in words {
                    self.for_each_holding(*word, |entry| n_held[entry] += 1)?;
                }
                for (is_held, n_held) in is_held.iter_mut().zip(n_held) {
                    *is_held |= usize::from(n_held) == words.len();
                }
            }
            for (is_kept, is_held) in is_kept.iter_mut().zip(is_held) {
                *is_kept &= is_held;
            }
        }
        for (score, is_kept) in self.scores.iter_mut().zip(is_kept) {
            if !is_kept {
                *score = NO_HIT;
            }
        }
        Ok(())
    }

    /// Drops every hit that was deleted or is out of scope.
    fn keep_in(&mut self, scope: Scope<'_>) {
        for segment in &self.index.segments {
            for doc in segment.deleted() {
                self.scores[(segment.first + doc) as usize] = NO_HIT;
            }
        }
        if let Some(is_in) = scope {
            for (entry, score) in self.scores.iter_mut().enumerate() {
                if is_hit(*score) && !is_in(entry) {
                    *score = NO_HIT;
                }
            }
        }
    }

    /// Computes [`crate::TextHits::names`] from the hits.
    fn share_of_names(&self) -> Result<NameShare, TantivyError> {
        let mut is_held = vec![false; self.words.len()];
        for (at, word) in (0..).zip(&self.words) {
            if word.is_name {
                self.for_each_holding(at, |entry| {
                    is_held[usize::from(at)] |= is_hit(self.scores[entry]);
                })?;
            }
        }
        let counts = |word: &QueryWord| self.best_part.is_none_or(|part| is_in_part(word, part));
        Ok(NameShare::of(&self.words, &is_held, counts))
    }

    /// Returns the part of the query that gives a chunk its score; `None` if the chunk is not a hit, and if the query is
    /// scored as a whole.
    pub fn part_of(&self, chunk: u64) -> Option<u8> {
        let entry = self.index.entry_of(chunk)? as usize;
        let part = self.part_of.get(entry)?;
        is_hit(self.scores[entry]).then_some(*part)
    }

    /// Returns the number of hits.
    pub fn n_hits(&self) -> usize {
        self.scores.iter().filter(|score| is_hit(**score)).count()
    }

    /// Returns the score of a chunk, or `None` if it is not a hit.
    pub fn of(&self, chunk: u64) -> Option<f32> {
        let score = self.scores[self.index.entry_of(chunk)? as usize];
        is_hit(score).then_some(score)
    }

    /// Returns the `n` hits with the highest scores, best first, each with the value of `tie` for its chunk. Among
    /// equal scores the least value comes first. `tie` is called for few other chunks.
    pub fn best<T: Ord>(&self, n: usize, tie: impl Fn(u64) -> T) -> Vec<(f32, T)> {
        if n == 0 {
            return Vec::new();
        }
        let mut found: Vec<(i32, u32)> = Vec::new();
        // No entry with a lower key is among the best.
        let mut line = 0;
        let mut n_found_max = 4 * n;
        for (entry, score) in (0..).zip(&self.scores) {
            let key = key(*score);
            if key >= line {
                found.push((key, entry));
                if found.len() >= n_found_max {
                    line = cut(&mut found, n);
                    // If many are equal, all of them are kept until `tie` decides.
                    n_found_max = n_found_max.max(2 * found.len());
                }
            }
        }
        if found.len() > n {
            cut(&mut found, n);
        }
        let mut best: Vec<(Reverse<i32>, T)> = found
            .into_iter()
            .map(|(key, entry)| (Reverse(key), tie(self.index.chunk_of(entry))))
            .collect();
        best.sort_unstable();
        best.truncate(n);
        let scored = best.into_iter();
        scored
            .map(|(Reverse(key), tie)| (f32::from_bits(key as u32), tie))
            .collect()
    }

    /// Returns the 1-based ranks of hits, given by score and value of `tie`, in the order of [`TextScores::best`]. The
    /// ranks are in the given order.
    pub fn ranks<T: Ord>(&self, wanted: &[(f32, T)], tie: impl Fn(u64) -> T) -> Vec<u32> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let mut in_order: Vec<usize> = (0..wanted.len()).collect();
        in_order.sort_unstable_by_key(|at| (Reverse(key(wanted[*at].0)), &wanted[*at].1));
        let keys: Vec<i32> = in_order.iter().map(|at| key(wanted[*at].0)).collect();
        // Number of hits between each requested one and the one before it; those after the last do not count.
        let mut n_between = vec![0; wanted.len() + 1];
        for (chunk, score) in self.index.chunks().zip(&self.scores) {
            let own_key = key(*score);
            let mut next = keys.partition_point(|key| *key > own_key);
            if keys.get(next) == Some(&own_key) {
                let own = tie(chunk);
                let n_equal = keys[next..].partition_point(|key| *key == own_key);
                let equal = &in_order[next..next + n_equal];
                next += equal.partition_point(|at| wanted[*at].1 <= own);
            }
            n_between[next] += 1;
        }
        let mut ranks = vec![0; wanted.len()];
        let mut n_before = 0;
        for (at, n) in in_order.into_iter().zip(n_between) {
            n_before += n;
            ranks[at] = n_before + 1;
        }
        ranks
    }

    /// Returns the words in each of these chunks that its score counts, in the order of [`TextScores::words`]; empty if it
    /// is not a hit.
    ///
    /// # Errors
    /// [`IndexError::Text`] if the list cannot be read.
    pub fn matched(&self, chunks: &[u64]) -> Result<Vec<Vec<Match>>, IndexError> {
        let hit = |chunk: u64| {
            let entry = self.index.entry_of(chunk)?;
            is_hit(self.scores[entry as usize]).then_some(entry)
        };
        let mut entries: Vec<(u32, usize)> = chunks
            .iter()
            .enumerate()
            .filter_map(|(at, chunk)| Some((hit(*chunk)?, at)))
            .collect();
        entries.sort_unstable();
        let counts = |entry: u32, word: &QueryWord| {
            let part = self.part_of.get(entry as usize);
            part.is_none_or(|part| is_in_part(word, *part))
        };
        let mut matched = vec![Vec::new(); chunks.len()];
        let mut entries = entries.as_slice();
        for (segment_idx, segment) in self.index.segments.iter().enumerate() {
            let end = segment.entries().end;
            let n_here = entries.partition_point(|(entry, _)| (*entry as usize) < end);
            let (here, after) = entries.split_at(n_here);
            entries = after;
            let found = self.found.iter().map(|found| &found[segment_idx]);
            for (word_idx, (word, found)) in (0..).zip(self.words.iter().zip(found)) {
                let held = |(entry, at): (u32, usize), how| {
                    if counts(entry, word) {
                        matched[at].push(Match {
                            word: word_idx,
                            how,
                        });
                    }
                };
                for_each_with(segment, word, found, here, held)
                    .map_err(|source| self.index.error(source))?;
            }
        }
        Ok(matched)
    }
}

/// Calls `visit` with each of the ascending entries that holds a word, and the number beside it, and how it holds it.
fn for_each_with(
    segment: &Segment,
    word: &QueryWord,
    found: &Found,
    entries: &[(u32, usize)],
    mut visit: impl FnMut((u32, usize), How),
) -> Result<(), TantivyError> {
    let info = match found {
        Found::None => return Ok(()),
        Found::Merged(merged) => {
            for (entry, at) in entries {
                let wanted = entry - segment.first;
                if let Ok(place) = merged.binary_search_by_key(&wanted, |posting| posting.doc) {
                    visit((*entry, *at), merged[place].how);
                }
            }
            return Ok(());
        }
        Found::One(info) => info,
    };
    let terms = segment.terms_of(&word.term).1;
    let mut postings = terms.read_postings_from_terminfo(info, IndexRecordOption::Basic)?;
    let mut doc = postings.doc();
    for (entry, at) in entries {
        let wanted = entry - segment.first;
        if doc < wanted {
            doc = postings.seek(wanted);
        }
        if doc == TERMINATED {
            break;
        }
        if doc == wanted {
            visit((*entry, *at), How::Word);
        }
    }
    Ok(())
}

/// Maps a score to an integer of the same order, which is faster to compare; below 0 for [`NO_HIT`].
fn key(score: f32) -> i32 {
    score.to_bits() as i32
}

fn is_in_part(word: &QueryWord, part: u8) -> bool {
    word.parts >> part & 1 == 1
}

fn is_hit(score: f32) -> bool {
    key(score) >= 0
}

/// Keeps the `n` highest of more, and those equal to the least of them, whose key it returns.
fn cut(found: &mut Vec<(i32, u32)>, n: usize) -> i32 {
    let (_, least, _) = found.select_nth_unstable_by_key(n - 1, |(key, _)| Reverse(*key));
    let line = least.0;
    found.retain(|(key, _)| *key >= line);
    line
}
