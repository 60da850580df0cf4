//! Late interaction: each token of the question looks for its best token in a text.
//!
//! Source: Khattab and Zaharia, ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction over
//! BERT, SIGIR 2020; here over the tokens of an embedding model that was not trained for it.

use std::ops::Range;
use std::sync::Mutex;
use std::thread;

use memlens_embed::{EmbedError, Embedder};

use crate::answers::{Answer, answers};
use crate::token_table::TokenTable;
use crate::windows::windows;
use crate::{Limits, RerankError, Reranker, RerankerInfo, Scale, Scores};

/// Keeps the token vectors of texts, so that a text is read once. It may forget any of them at any time.
pub trait TokenCache: Send {
    /// Returns what was put for `text` under `model`; none if there is nothing (any more).
    fn get(&mut self, model: &str, text: &str) -> Option<TokenTable>;

    /// Keeps the token vectors of `text`. What cannot be kept is read again the next time.
    fn put(&mut self, model: &str, text: &str, table: &TokenTable);
}

/// Scores a text by the mean over the question's tokens of each one's best cosine with any token of the text.
pub struct Late<C> {
    info: RerankerInfo,
    /// At least one; each works on a text of its own.
    embedders: Vec<Box<dyn Embedder>>,
    cache: C,
}

/// The characters that are read at once. A token says what it does among these neighbours.
const WINDOW_CHARS: usize = 400;
/// Stands behind the model's id, and changes with whatever else decides what is kept of a text.
const READING: &str = "words of 400";
/// What reading takes beside a text's own tokens: the two that mark its ends.
const MARKS: usize = 2;

impl<C: TokenCache> Late<C> {
    /// Makes a reranker of embedders of one model, which read as many texts at a time as there are of them.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(embedders: Vec<Box<dyn Embedder>>, cache: C) -> Late<C> {
        let embedder = embedders.first().expect("there is an embedder");
        let info = RerankerInfo {
            provider: "late".to_owned(),
            model: format!("{}, {READING}", embedder.info().id),
        };
        Late {
            info,
            embedders,
            cache,
        }
    }

    /// Tells which words of `text` answer which words of `query`, as [`answers`] does.
    ///
    /// # Errors
    /// As [`Reranker::score`].
    pub fn answers(
        &mut self,
        query: &str,
        text: &str,
        limits: &Limits,
    ) -> Result<Vec<Answer>, RerankError> {
        let asked = self.read_query(query, limits)?;
        let tables = self.tables(&[text], limits)?.0;
        let table = tables.first().expect("one text has one table");
        Ok(answers((query, &asked), (text, table)))
    }

    fn read_query(&mut self, query: &str, limits: &Limits) -> Result<TokenTable, RerankError> {
        limits.check()?;
        let embedder = self.embedders.first_mut().expect("there is an embedder");
        if !embedder.reads(query) {
            return Err(RerankError::UnreadQuery);
        }
        let table = read(embedder.as_mut(), query, limits)?;
        match table.n_tokens() {
            0 => Err(RerankError::UnreadQuery),
            _ => Ok(table),
        }
    }

    /// Returns the tokens of every text, and how many of them were read now. What is read is kept, even if another text
    /// fails.
    fn tables(
        &mut self,
        texts: &[&str],
        limits: &Limits,
    ) -> Result<(Vec<TokenTable>, usize), RerankError> {
        let mut tables: Vec<Option<TokenTable>> = Vec::with_capacity(texts.len());
        for text in texts {
            limits.check()?;
            tables.push(self.cache.get(&self.info.model, text));
        }
        let unread: Vec<usize> = (0..texts.len())
            .filter(|&at| tables[at].is_none())
            .collect();
        let (found, outcome) = self.read_all(texts, &unread, limits);
        let mut n_read = 0;
        for (at, table) in found {
            n_read += table.n_tokens();
            self.cache.put(&self.info.model, texts[at], &table);
            tables[at] = Some(table);
        }
        outcome?;
        let tables = tables
            .into_iter()
            .map(|table| table.expect("what was not kept was read"))
            .collect();
        Ok((tables, n_read))
    }

    /// Reads the texts at `unread`, each embedder one at a time, until all are read or one fails.
    fn read_all(
        &mut self,
        texts: &[&str],
        unread: &[usize],
        limits: &Limits,
    ) -> (Vec<(usize, TokenTable)>, Result<(), RerankError>) {
        let left = Mutex::new(unread.iter().copied());
        let next = || left.lock().ok()?.next();
        let found = Mutex::new((Vec::new(), Ok(())));
        let work = |embedder: &mut Box<dyn Embedder>| {
            while let Some(at) = next() {
                let table = read(embedder.as_mut(), texts[at], limits);
                let mut found = found.lock().expect("nobody panics with it");
                match table {
                    Ok(table) => found.0.push((at, table)),
                    Err(error) => found.1 = Err(error),
                }
                if found.1.is_err() {
                    break;
                }
            }
        };
        let (first, others) = self
            .embedders
            .split_first_mut()
            .expect("there is an embedder");
        thread::scope(|scope| {
            // No thread without a text of its own, and none for the texts that this one reads.
            for embedder in others.iter_mut().take(unread.len().saturating_sub(1)) {
                scope.spawn(|| work(embedder));
            }
            work(first);
        });
        found.into_inner().expect("nobody panics with it")
    }
}

impl<C: TokenCache> Reranker for Late<C> {
    fn info(&self) -> &RerankerInfo {
        &self.info
    }

    /// A text without a letter or digit answers nothing: 0.
    fn score(
        &mut self,
        query: &str,
        texts: &[&str],
        limits: &Limits,
    ) -> Result<Scores, RerankError> {
        if texts.is_empty() {
            return Ok(Scores {
                scores: Vec::new(),
                scale: Scale::MaxSim,
                n_tokens: Some(0),
            });
        }
        let asked = self.read_query(query, limits)?;
        let (tables, n_read) = self.tables(texts, limits)?;
        let mut scores = Vec::with_capacity(texts.len());
        for table in &tables {
            limits.check()?;
            scores.push(max_sim(&asked, table));
        }
        Ok(Scores {
            scores,
            scale: Scale::MaxSim,
            n_tokens: Some((asked.n_tokens() + n_read) as u64),
        })
    }
}

/// Returns the mean over the question's tokens, of which there is one, of each one's best cosine in the text; 0 for a
/// text without tokens.
fn max_sim(query: &TokenTable, text: &TokenTable) -> f64 {
    if text.n_tokens() == 0 {
        return 0.0;
    }
    let cosines = query.cosines(text);
    let best = cosines
        .chunks_exact(text.n_tokens())
        .map(|row| row.iter().fold(-1.0_f32, |best, &cosine| best.max(cosine)));
    best.map(f64::from).sum::<f64>() / query.n_tokens() as f64
}

/// Returns the tokens of `text` that hold a letter or a digit: signs changed no ranking by 0.001 and take up space.
fn read(
    embedder: &mut dyn Embedder,
    text: &str,
    limits: &Limits,
) -> Result<TokenTable, RerankError> {
    let mut table = TokenTable::new(embedder.info().dim);
    let is_word = |range: &Range<usize>| {
        text.get(range.clone())
            .is_some_and(|token| token.contains(char::is_alphanumeric))
    };
    for window in windows(text, WINDOW_CHARS) {
        for part in readable_parts(embedder, text, window) {
            limits.check()?;
            let tokens = embedder.token_vectors(&text[part.clone()])?;
            table.extend(part.start, &tokens, is_word);
        }
    }
    Ok(table)
}

/// Halves a window until the model reads every part to its end.
fn readable_parts(embedder: &dyn Embedder, text: &str, window: Range<usize>) -> Vec<Range<usize>> {
    let tokens_max = embedder.info().max_tokens.saturating_sub(MARKS);
    let n_tokens = embedder.count_tokens(&text[window.clone()]) as usize;
    let middle = text.floor_char_boundary(window.start + window.len() / 2);
    if n_tokens <= tokens_max || middle == window.start {
        return vec![window];
    }
    let halves = [window.start..middle, middle..window.end];
    let parts = halves.map(|half| readable_parts(embedder, text, half));
    parts.concat()
}

impl From<EmbedError> for RerankError {
    fn from(error: EmbedError) -> RerankError {
        match error {
            EmbedError::Cancelled => RerankError::Cancelled,
            other => RerankError::Embed(other),
        }
    }
}
