//! Questions that are asked one after another are prepared together, and get the same answers as when asked alone.

use std::sync::Arc;

use memlens_engine::{Library, Ranking, pipeline};
use memlens_params::Params;
use memlens_tests::{Asked, Notes, answers, failing, fresh, open, recording};

const QUESTIONS: [&str; 9] = [
    "router",
    "  lamp in the hall ",
    "",
    "router",
    "what hums at night",
    "???",
    "cellar",
    "the hall",
    "pump",
];

fn notes() -> Notes {
    Notes::new(&[
        ("a.md", "The router stands in the hall.\n"),
        ("b.md", "The lamp stands in the hall, beside the router.\n"),
        ("c.md", "The pump hums in the cellar at night.\n"),
    ])
}

#[test]
fn questions_in_turn_have_the_answers_that_each_has_by_itself() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let alone = open(dir.path());
    let asked = Arc::new(Asked::default());
    let library = Library::open(dir.path(), recording(&asked)).expect("it is sound");
    let params = Params::default();
    for n in 0..=QUESTIONS.len() {
        let mut in_turn = Vec::new();
        for question in library.in_turn(&QUESTIONS[..n], |it| Some(it)) {
            let found = answers(&library, &[question], &params);
            assert_eq!(found, answers(&alone, &[question], &params), "{question:?}");
            in_turn.push(*question);
        }
        assert_eq!(in_turn, QUESTIONS[..n]);
    }
    let mut texts = asked.texts();
    assert_eq!(texts.len(), 7, "each is embedded once: {texts:?}");
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), 7);
}

#[test]
fn questions_in_turn_are_asked_where_nothing_embeds_them() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = Library::open(dir.path(), failing()).expect("it is sound");
    let in_turn = library.in_turn(&QUESTIONS, |it| Some(it));
    assert!(in_turn.eq(&QUESTIONS));
}

/// Another memory has its own lists, and a single question gains nothing.
#[test]
fn what_is_asked_of_another_memory_is_not_prepared() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let asked = Arc::new(Asked::default());
    let library = Library::open(dir.path(), recording(&asked)).expect("it is sound");
    let is_of_library = |question: &str| question.contains("hall") || question.contains("hums");
    let in_turn = library.in_turn(&QUESTIONS, |it| is_of_library(it).then_some(it));
    assert!(in_turn.eq(&QUESTIONS));
    assert_eq!(asked.texts(), ["what hums at night", "the hall"]);
    for (name, is_of_library) in [("memlens", true), ("octopus", true), ("openclaw", false)] {
        let ranking = Ranking::of(pipeline(name).expect("it is known"));
        assert_eq!(ranking.is_of_library(), is_of_library, "{name}");
    }
}
