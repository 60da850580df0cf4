//! The scores of all chunks for a query, one number each, with details only for requested chunks.

use std::cmp::Reverse;

use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED, TantivyError};

use crate::text_index::Asked;
use crate::text_segment::Segment;
use crate::{IndexError, Join, QueryWord, TextIndex};

/// The score of an entry that is not a hit. Adding a score to it gives exactly that score, without the negative sign
/// even if the score is 0.
const NO_HIT: f32 = -0.0;

/// The result of a query, as a score for every entry of the list.
pub struct TextScores<'a> {
    index: &'a TextIndex,
    /// The query's distinct words, as in [`crate::TextHits::words`].
    pub words: Vec<QueryWord>,
    /// As in [`crate::TextHits::n_words_left_out`].
    pub n_words_left_out: usize,
    /// As in [`crate::TextHits::ideal`].
    pub ideal: f32,
    /// The postings of each word in each segment: by word, then by segment.
    found: Vec<Vec<Option<TermInfo>>>,
    /// By entry; [`NO_HIT`] for those that the query does not find.
    scores: Vec<f32>,
}

impl TextIndex {
    /// Finds the same hits as [`TextIndex::search`], with the same scores to the last bit.
    ///
    /// # Errors
    /// [`IndexError::Text`] if the list cannot be read.
    pub fn score(&self, query: &str, join: Join) -> Result<TextScores<'_>, IndexError> {
        let Asked {
            words,
            n_words_left_out,
            ideal,
            found,
        } = self.ask(query)?;
        let mut scores = TextScores {
            index: self,
            words,
            n_words_left_out,
            ideal,
            found,
            scores: vec![NO_HIT; self.n_entries()],
        };
        let filled = match join {
            Join::Or => scores.fill(|_| {}),
            Join::And => scores.fill_and(),
        };
        filled.map_err(|source| self.error(source))?;
        for segment in &self.segments {
            for doc in segment.deleted() {
                scores.scores[(segment.first + doc) as usize] = NO_HIT;
            }
        }
        Ok(scores)
    }
}

impl TextScores<'_> {
    /// Adds up the scores of every word in the order of the query. Calls `visit` for each entry that holds a word.
    fn fill(&mut self, mut visit: impl FnMut(usize)) -> Result<(), TantivyError> {
        for (word, in_segments) in self.words.iter().zip(&self.found) {
            let scorer = self.index.scorer(word);
            for (segment, info) in self.index.segments.iter().zip(in_segments) {
                let Some(info) = info else { continue };
                let scores = &mut self.scores[segment.entries()];
                let lengths = segment.lengths();
                let terms = segment.terms_of(&word.term).1;
                let mut block =
                    terms.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?;
                while !block.docs().is_empty() {
                    for (at, &doc) in block.docs().iter().enumerate() {
                        let length = lengths[doc as usize];
                        scores[doc as usize] += scorer.score(length, block.freq(at));
                        visit((segment.first + doc) as usize);
                    }
                    block.advance();
                }
            }
        }
        Ok(())
    }

    /// Like [`fill`](Self::fill), but only for entries that hold every word.
    fn fill_and(&mut self) -> Result<(), TantivyError> {
        let mut n_matched = vec![0_u16; self.scores.len()];
        self.fill(|entry| n_matched[entry] += 1)?;
        for (score, n_matched) in self.scores.iter_mut().zip(n_matched) {
            if usize::from(n_matched) < self.words.len() {
                *score = NO_HIT;
            }
        }
        Ok(())
    }

    /// Drops every hit that `is_kept` rejects, by its entry in [`TextIndex::chunks`].
    pub fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        for (entry, score) in self.scores.iter_mut().enumerate() {
            if is_hit(*score) && !is_kept(entry) {
                *score = NO_HIT;
            }
        }
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

    /// Returns the words in each of these chunks, as ascending positions in [`TextScores::words`]; empty if it is not a
    /// hit.
    ///
    /// # Errors
    /// [`IndexError::Text`] if the list cannot be read.
    pub fn matched(&self, chunks: &[u64]) -> Result<Vec<Vec<u16>>, IndexError> {
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
        let mut matched = vec![Vec::new(); chunks.len()];
        let mut entries = entries.as_slice();
        for (segment_idx, segment) in self.index.segments.iter().enumerate() {
            let end = segment.entries().end;
            let n_here = entries.partition_point(|(entry, _)| (*entry as usize) < end);
            let (here, after) = entries.split_at(n_here);
            entries = after;
            let infos = self.found.iter().map(|infos| infos[segment_idx].as_ref());
            for (word_idx, (word, info)) in (0..).zip(self.words.iter().zip(infos)) {
                if let Some(info) = info {
                    for_each_with(segment, word, info, here, |at| matched[at].push(word_idx))
                        .map_err(|source| self.index.error(source))?;
                }
            }
        }
        Ok(matched)
    }
}

/// Calls `visit` with the number beside each of the ascending entries that holds a word.
fn for_each_with(
    segment: &Segment,
    word: &QueryWord,
    info: &TermInfo,
    entries: &[(u32, usize)],
    mut visit: impl FnMut(usize),
) -> Result<(), TantivyError> {
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
            visit(*at);
        }
    }
    Ok(())
}

/// Maps a score to an integer of the same order, which is faster to compare; below 0 for [`NO_HIT`].
fn key(score: f32) -> i32 {
    score.to_bits() as i32
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
