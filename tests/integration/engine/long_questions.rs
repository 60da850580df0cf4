//! A question of several sentences is searched in parts, and the trace says which part counts.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use memlens_embed::{EmbedError, Embedder, Hashing, ModelInfo, TokenVectors};
use memlens_engine::{EmbedderSource, Library, Search, report};
use memlens_params::{ParameterSet, Params};
use memlens_tests::{fresh, open};
use serde_json::Value;
use tempfile::TempDir;

const SMALL_TALK: &str = "Lunch was late because of the train. My bike has a flat tyre. It rained again. The bus was full.";
const QUESTION: &str = "which box runs the nightly photo backups?";
const OTHER: &str = "when was the coffee machine bought?";

fn library() -> (Library, TempDir, TempDir) {
    let notes = tempfile::tempdir().expect("a scratch folder can be made");
    for (name, text) in [
        (
            "hosts.md",
            "the photo backups run nightly on the cellar box",
        ),
        ("kitchen.md", "the coffee machine was bought in March"),
        ("garden.md", "tomatoes need water twice a day"),
    ] {
        fs::write(notes.path().join(name), text).expect("it can be written");
    }
    let dir = fresh(&[notes.path()]);
    (open(dir.path()), notes, dir)
}

fn search(library: &Library, question: &str) -> Arc<Search> {
    let search = library.search(question, &Params::default(), None);
    search.expect("it can be searched")
}

/// Returns the results of a search as the command line prints them in JSON.
fn results(library: &Library, question: &str, settings: &[&str]) -> Vec<Value> {
    let mut params = Params::default();
    let settings = settings.iter().copied();
    params.assign_all(settings).expect("they are in the table");
    let search = search(library, question);
    let report = report(library, &search, &params).expect("it can be reported");
    let report = serde_json::to_value(report).expect("a report is plain data");
    let results = report["results"].as_array().expect("a list");
    results.clone()
}

#[test]
fn the_only_sentence_that_asks_is_searched() {
    let (library, ..) = library();
    let prompt = format!("{SMALL_TALK} {QUESTION} {SMALL_TALK}");
    let behind = results(&library, &prompt, &["min_score=0"]);
    let alone = results(&library, QUESTION, &["min_score=0"]);
    let placed = |found: &[Value]| -> Vec<(Value, Value)> {
        found
            .iter()
            .map(|it| (it["path"].clone(), it["score"].clone()))
            .collect()
    };
    assert_eq!(placed(&behind), placed(&alone));
    assert_eq!(behind[0]["path"], "hosts.md");
    let named = "from “which box runs the nightly photo backups…”";
    assert!(behind[0].to_string().contains(named), "{}", behind[0]);
    assert!(!alone[0].to_string().contains("from “"), "{}", alone[0]);
    let notices = search(&library, &prompt).notices.join(" ");
    let named = "Only one of the 9 sentences is searched, because only it is a question, or search words without a full stop: “which box runs the nightly photo backups…”.";
    assert!(notices.contains(named), "{notices}");
}

#[test]
fn each_note_counts_by_the_question_that_fits_it_best() {
    let (library, ..) = library();
    let prompt = format!("{SMALL_TALK} {OTHER} {SMALL_TALK} {QUESTION}");
    let found = results(&library, &prompt, &["min_score=0"]);
    let of = |path: &str| {
        found
            .iter()
            .find(|it| it["path"] == path)
            .expect("a result")
            .to_string()
    };
    assert!(
        of("hosts.md").contains("from “which box runs the nightly photo backups…”"),
        "{}",
        of("hosts.md")
    );
    assert!(
        of("kitchen.md").contains("from “when was the coffee machine bought?”"),
        "{}",
        of("kitchen.md")
    );
    assert!(
        of("kitchen.md").contains("\"n_matched\":5,\"n_words\":6"),
        "{}",
        of("kitchen.md")
    );
    let notices = search(&library, &prompt).notices.join(" ");
    assert!(notices.contains("8 are left out"), "{notices}");
}

#[test]
fn one_sentence_or_its_context_is_searched_as_a_whole() {
    let (library, ..) = library();
    for question in [
        QUESTION.to_owned(),
        format!("The rack hums. {QUESTION}"),
        SMALL_TALK.to_owned(),
    ] {
        let search = search(&library, &question);
        assert!(search.set().parts.parts.is_empty(), "{question}");
        let notices = search.notices.join(" ");
        assert!(!notices.contains("searched"), "{notices}");
    }
}

#[test]
fn a_question_that_the_model_cannot_read_counts_by_its_words_alone() {
    let (_, notes, _) = library();
    let dir = fresh(&[notes.path()]);
    let library = Library::open(dir.path(), source(Arc::default())).expect("it can be opened");
    let unread = "zz zz zz zz zz zz photo?";
    let prompt = format!("{SMALL_TALK} {QUESTION} {SMALL_TALK} {unread}");
    let search = search(&library, &prompt);
    let set = search.set();
    assert_eq!(set.parts.parts.len(), 2);
    assert!(set.candidates.iter().all(|it| it.vector_part == Some(0)));

    let prompt = format!("{SMALL_TALK} {unread}");
    let notices = library
        .search(&prompt, &Params::default(), None)
        .expect("it can be searched")
        .notices
        .join(" ");
    assert!(
        notices.contains("words alone: the embedding model does not know its words"),
        "{notices}"
    );
}

#[test]
fn a_question_that_was_just_asked_is_not_embedded_again() {
    let (_, notes, _) = library();
    let dir = fresh(&[notes.path()]);
    let n_embedded: Arc<AtomicUsize> = Arc::default();
    let library = Library::open(dir.path(), source(n_embedded.clone())).expect("it can be opened");
    let prompt = format!("{SMALL_TALK} {OTHER} {SMALL_TALK} {QUESTION}");
    let first = search(&library, &prompt);
    // The whole, and each question in it.
    assert_eq!(n_embedded.load(Ordering::Relaxed), 3);
    let second = search(&library, &prompt);
    assert_eq!(n_embedded.load(Ordering::Relaxed), 3);
    assert_eq!(first.set().lists, second.set().lists);
}

/// Returns a source of [`Picky`] embedders that count together.
fn source(n_embedded: Arc<AtomicUsize>) -> EmbedderSource {
    Arc::new(move |_| {
        Ok(Box::new(Picky {
            inner: Hashing::default(),
            n_embedded: n_embedded.clone(),
        }))
    })
}

/// Reads texts in which "zz" is less than half of the words, and counts the questions that it embeds.
struct Picky {
    inner: Hashing,
    n_embedded: Arc<AtomicUsize>,
}

impl Embedder for Picky {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.inner.embed(texts, cancel)
    }

    fn embed_questions(
        &mut self,
        questions: &[&str],
        cancel: &AtomicBool,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.n_embedded
            .fetch_add(questions.len(), Ordering::Relaxed);
        self.inner.embed(questions, cancel)
    }

    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        self.inner.token_vectors(text)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.inner.count_tokens(text)
    }

    fn reads(&self, text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let n_unknown = words.iter().filter(|word| word.starts_with("zz")).count();
        2 * n_unknown < words.len().max(1)
    }
}
