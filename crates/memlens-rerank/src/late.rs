//! Late interaction: each token of the question is compared with its best token in a text.
//!
//! Source: Khattab and Zaharia, ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction
//! over BERT, SIGIR 2020; here with the tokens of an embedding model that was not trained for it.

use std::ops::Range;
use std::sync::Mutex;
use std::thread;

use memlens_embed::Embedder;

use crate::answers::{Answer, answers};
use crate::token_table::TokenTable;
use crate::windows::{read_parts, windows};
use crate::{Limits, RerankError, Reranker, RerankerInfo, Scale, Scores};

/// Stores the token vectors of texts, so that each is read once. Entries may disappear at any time.
pub trait TokenCache: Send {
    /// Returns the entry of `text` under `model`, if there is one.
    fn get(&mut self, model: &str, text: &str) -> Option<TokenTable>;

    /// Stores the token vectors of `text`. If that fails, the text is read again the next time.
    fn put(&mut self, model: &str, text: &str, table: &TokenTable);
}

/// Scores a text by the mean over the question's tokens of each one's best cosine with any token of the text.
pub struct Late<C> {
    info: RerankerInfo,
    /// At least one; each works on its own text.
    embedders: Vec<Box<dyn Embedder>>,
    cache: C,
}

/// Number of characters that are read at once. A token's vector depends on its neighbours among these.
const WINDOW_CHARS: usize = 400;
/// Part of the model's id. Must change with everything else that affects the stored vectors.
const READING: &str = "words of 400";
/// Number of tokens besides those of the text: the two that mark its ends.
const MARKS: usize = 2;

impl<C: TokenCache> Late<C> {
    /// Returns a reranker of embedders of one model. Reads as many texts in parallel as there are embedders.
    ///
    /// # Panics
    /// If there are none.
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

    /// Returns every word of `text`, in order, with the nearest word of `query`; ties keep the first. Words that the
    /// model did not read are left out.
    ///
    /// # Errors
    /// Like [`Reranker::score`].
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

    /// Returns the tokens of every text, and how many were read now. They are stored even if another text fails.
    fn tables(
        &mut self,
        texts: &[&str],
        limits: &Limits,
    ) -> Result<(Vec<TokenTable>, usize), RerankError> {
        let dim = self.embedders[0].info().dim;
        let mut tables: Vec<Option<TokenTable>> = Vec::with_capacity(texts.len());
        for text in texts {
            limits.check()?;
            let kept = self.cache.get(&self.info.model, text);
            tables.push(kept.filter(|table| table.dim() == dim));
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

    /// Reads the texts at `unread`, one at a time per embedder, until all are read or one fails.
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
            // Every thread has at least one text, including this one.
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

    /// The score of a text without letters and digits is 0.
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
            scores.push(Some(max_sim(&asked, table)));
        }
        Ok(Scores {
            scores,
            scale: Scale::MaxSim,
            n_tokens: Some((asked.n_tokens() + n_read) as u64),
        })
    }
}

/// Returns the mean over the question's tokens, of which there is at least one, of each one's best cosine in the text;
/// 0 for a text without tokens.
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

/// Returns the tokens of `text` that contain a letter or a digit. The others take up space without an effect: on four
/// sets of questions nDCG@10 is the same within 0.003.
fn read(
    embedder: &mut dyn Embedder,
    text: &str,
    limits: &Limits,
) -> Result<TokenTable, RerankError> {
    let mut table = TokenTable::new(embedder.info().dim);
    let tokens_max = embedder.info().max_tokens.saturating_sub(MARKS);
    let is_word = |range: &Range<usize>| {
        text.get(range.clone())
            .is_some_and(|token| token.contains(char::is_alphanumeric))
    };
    read_parts(text, windows(text, WINDOW_CHARS), limits, |part| {
        let said = &text[part.clone()];
        let tokens = embedder.token_vectors(said).map_err(RerankError::Embed)?;
        let n_chars = said.chars().count();
        if tokens.ranges.len() >= tokens_max && n_chars > 1 {
            // It may not have been read completely.
            return Ok(Some(n_chars / 2));
        }
        table.extend(part.start, &tokens, is_word);
        Ok(None)
    })?;
    Ok(table)
}

/// Checks that scores equal those of a naive computation, for any number of embedders; that nothing is read twice; that
/// long texts are read completely; what stops a call, and what is stored then.
#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use memlens_embed::{EmbedError, Hashing, ModelInfo, TokenVectors};
    use proptest::prelude::*;
    use tokio_util::sync::CancellationToken;

    use super::*;

    #[derive(Default)]
    struct Memory(HashMap<(String, String), Vec<u8>>);

    impl TokenCache for Memory {
        fn get(&mut self, model: &str, text: &str) -> Option<TokenTable> {
            TokenTable::from_bytes(self.0.get(&(model.to_owned(), text.to_owned()))?)
        }

        fn put(&mut self, model: &str, text: &str, table: &TokenTable) {
            let key = (model.to_owned(), text.to_owned());
            self.0.insert(key, table.to_bytes());
        }
    }

    /// Hashes words, reads few of them at once, counts what it reads, and fails or cancels at a certain text.
    struct Counting {
        inner: Hashing,
        info: ModelInfo,
        n_read: Arc<AtomicUsize>,
        cancels: Option<(&'static str, CancellationToken)>,
    }

    impl Embedder for Counting {
        fn info(&self) -> &ModelInfo {
            &self.info
        }

        fn embed(
            &mut self,
            texts: &[&str],
            cancel: &AtomicBool,
        ) -> Result<Vec<Vec<f32>>, EmbedError> {
            self.inner.embed(texts, cancel)
        }

        fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
            self.n_read.fetch_add(1, Ordering::Relaxed);
            if text == BROKEN {
                let why = "it is broken".to_owned();
                return Err(EmbedError::Embed { why });
            }
            if let Some((last, cancel)) = &self.cancels
                && text == *last
            {
                cancel.cancel();
            }
            let mut tokens = self.inner.token_vectors(text)?;
            tokens.ranges.truncate(self.info.max_tokens - MARKS);
            Ok(tokens)
        }

        fn count_tokens(&self, text: &str) -> u32 {
            self.inner.count_tokens(text)
        }

        fn reads(&self, text: &str) -> bool {
            text != "\u{5907}\u{4efd}"
        }
    }

    const BROKEN: &str = "broken";

    struct Fixture {
        late: Late<Memory>,
        n_read: Arc<AtomicUsize>,
        limits: Limits,
    }

    impl Fixture {
        fn new(n_embedders: usize, cancels_at: Option<&'static str>) -> Fixture {
            let limits = Limits {
                deadline: Instant::now() + Duration::from_secs(3600),
                cancel: CancellationToken::new(),
            };
            let n_read = Arc::new(AtomicUsize::new(0));
            let embedders = (0..n_embedders).map(|_| -> Box<dyn Embedder> {
                let inner = Hashing::default();
                let max_tokens = 10 + MARKS;
                Box::new(Counting {
                    info: ModelInfo {
                        max_tokens,
                        ..inner.info().clone()
                    },
                    inner,
                    n_read: n_read.clone(),
                    cancels: cancels_at.map(|last| (last, limits.cancel.clone())),
                })
            });
            Fixture {
                late: Late::new(embedders.collect(), Memory::default()),
                n_read,
                limits,
            }
        }

        fn score(&mut self, query: &str, texts: &[&str]) -> Result<Vec<f64>, RerankError> {
            let scores = self.late.score(query, texts, &self.limits)?;
            assert_eq!(scores.scale, Scale::MaxSim);
            Ok(scores.complete().expect("each text has a score"))
        }

        /// Returns how many windows were read since the last call.
        fn n_read(&self) -> usize {
            self.n_read.swap(0, Ordering::Relaxed)
        }
    }

    /// Computes the mean over the question's words of the best cosine of any word of the text.
    fn naive(query: &str, text: &str) -> f64 {
        let mut hashing = Hashing::default();
        let mut rows = |text: &str| -> Vec<Vec<f32>> {
            let tokens = hashing.token_vectors(text).expect("it reads every text");
            tokens.vectors.chunks(64).map(<[f32]>::to_vec).collect()
        };
        let (asked, said) = (rows(query), rows(text));
        let best = asked.iter().map(|a| {
            let cosine = |b: &Vec<f32>| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum();
            said.iter().map(cosine).reduce(f64::max).unwrap_or(0.0)
        });
        best.sum::<f64>() / asked.len() as f64
    }

    proptest! {
        #[test]
        fn scores_are_those_of_a_naive_count(
            query in "[a-d]{1,2}( [a-d]{1,2}){0,4}",
            texts in proptest::collection::vec("([a-d]{1,3}[ ,.\\n]{1,3}){0,200}", 0..6),
            n_embedders in 1_usize..4,
        ) {
            let mut fixture = Fixture::new(n_embedders, None);
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let scores = fixture.score(&query, &texts).expect("nothing stops it");
            prop_assert_eq!(scores.len(), texts.len());
            for (score, text) in scores.iter().zip(&texts) {
                prop_assert!((score - naive(&query, text)).abs() < 1e-6, "{} for {:?}", score, text);
            }
            prop_assert_eq!(fixture.score(&query, &texts).expect("nothing stops it"), scores);
        }
    }

    #[test]
    fn nothing_is_read_twice() {
        let mut fixture = Fixture::new(1, None);
        let first = fixture.score("relay", &["the relay", "the soup", "the relay"]);
        assert_eq!(first.expect("nothing stops it"), [1.0, 0.0, 1.0]);
        assert_eq!(
            fixture.n_read(),
            4,
            "the question and each text of the call"
        );
        fixture
            .score("soup", &["the relay", "a cat", "the soup"])
            .expect("nothing stops it");
        assert_eq!(fixture.n_read(), 2, "the question and the new text");
    }

    #[test]
    fn what_was_kept_of_another_model_is_read_again() {
        let mut fixture = Fixture::new(1, None);
        let model = fixture.late.info.model.clone();
        fixture
            .late
            .cache
            .put(&model, "the relay", &TokenTable::new(3));
        let scores = fixture.score("relay", &["the relay"]);
        assert_eq!(scores.expect("nothing stops it"), [1.0]);
    }

    #[test]
    fn long_texts_are_read_to_their_end() {
        let mut fixture = Fixture::new(1, None);
        let long = format!("{}relay", "the soup is hot.\n".repeat(200));
        let scores = fixture.score("relay", &[&long]).expect("nothing stops it");
        assert_eq!(scores, [1.0]);
        let no_blank = format!("{}relay", "soup,".repeat(1000));
        let scores = fixture
            .score("relay", &[&no_blank])
            .expect("nothing stops it");
        assert_eq!(scores, [1.0]);
    }

    #[test]
    fn a_text_without_words_answers_nothing() {
        let mut fixture = Fixture::new(1, None);
        let scores = fixture
            .score("relay", &["", " -\n", "relay"])
            .expect("nothing stops it");
        assert_eq!(scores, [0.0, 0.0, 1.0]);
        assert!(
            fixture
                .score("relay", &[])
                .expect("nothing stops it")
                .is_empty()
        );
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let mut fixture = Fixture::new(2, None);
        for query in ["", "?!", "\u{5907}\u{4efd}"] {
            let answer = fixture.score(query, &["the relay"]);
            assert!(
                matches!(answer, Err(RerankError::UnreadQuery)),
                "{answer:?}"
            );
        }
        let answer = fixture.score("relay", &["the relay", BROKEN, "the soup"]);
        let error = answer.expect_err("one text has no vectors").to_string();
        assert_eq!(
            error,
            "cannot rerank with late interaction: cannot embed text: it is broken"
        );
    }

    #[test]
    fn a_call_that_is_stopped_keeps_what_it_read() {
        let mut fixture = Fixture::new(1, Some("two"));
        let texts = ["one", "two", "three"];
        let answer = fixture.score("relay", &texts);
        assert!(matches!(answer, Err(RerankError::Cancelled)), "{answer:?}");
        assert_eq!(fixture.n_read(), 3, "the question and what came before");

        fixture.limits.cancel = CancellationToken::new();
        fixture.score("relay", &texts).expect("nothing stops it");
        assert_eq!(fixture.n_read(), 2, "the question and what is left");

        fixture.limits.deadline = Instant::now();
        let answer = fixture.score("relay", &["four"]);
        assert!(matches!(answer, Err(RerankError::Timeout)), "{answer:?}");
        assert_eq!(fixture.n_read(), 0);
    }

    #[test]
    fn answers_name_the_words() {
        let Fixture {
            mut late, limits, ..
        } = Fixture::new(1, None);
        let (query, text) = ("quiet relay", "a relay in the hall");
        let answers = late
            .answers(query, text, &limits)
            .expect("nothing stops it");
        let counting: Vec<(&str, &str)> = answers
            .iter()
            .filter(|answer| answer.weight > 0.5)
            .map(|answer| (&text[answer.bytes.clone()], &query[answer.asked.clone()]))
            .collect();
        assert_eq!(counting, [("relay", "relay")]);
    }
}
