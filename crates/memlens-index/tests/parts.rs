//! A query of several sentences that is scored in parts: each chunk by its best part, as if that were the query.

use std::collections::BTreeSet;
use std::ops::Range;

use memlens_index::{Join, TextEntry, TextIndex, TextScores, TextWriter};

const NOTES: [&str; 6] = [
    "the relay in the cellar hums at night",
    "backups of the photo library run at night on the cellar box",
    "Anna planted beans in the garden",
    "the garden pump is loud",
    "mergeUserCache is called by the backup box",
    "the cellar relay is the cellar box",
];

/// Writes the notes as chunks, numbered from 0, in two segments.
fn list() -> (tempfile::TempDir, TextIndex) {
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    let mut writer = TextWriter::create(folder.path()).expect("a list can be started");
    for (id, text) in (0..).zip(NOTES) {
        let entry = TextEntry {
            chunk: id,
            document: id,
            text,
            title: "",
        };
        writer.add(&entry).expect("chunks can be added");
        if id == 2 {
            writer.commit(1).expect("it can be committed");
        }
    }
    writer.commit(2).expect("it can be committed");
    let index = TextIndex::open(folder.path()).expect("it was just written");
    (folder, index)
}

/// Joins sentences to a query, and returns the range of each.
fn query(sentences: &[&str]) -> (String, Vec<Range<usize>>) {
    let mut text = String::new();
    let parts = sentences.iter().map(|sentence| {
        if !text.is_empty() {
            text.push(' ');
        }
        let start = text.len();
        text += sentence;
        start..text.len()
    });
    let parts = parts.collect();
    (text, parts)
}

/// Returns the words of the query that count for a chunk.
fn matched<'s>(scores: &'s TextScores<'_>, chunk: u64) -> BTreeSet<&'s str> {
    let matched = scores.matched(&[chunk]).expect("the list is sound");
    let words = matched[0]
        .iter()
        .map(|it| &scores.words[usize::from(it.word)]);
    words.map(|word| word.term.as_str()).collect()
}

#[test]
fn each_chunk_has_the_score_of_its_best_part() {
    let (_folder, index) = list();
    let sentences = [
        "My garden is dry.",
        "which box runs the backups at night?",
        "The relay hums, Anna.",
        "nothing of this xylophone.",
    ];
    let (text, parts) = query(&sentences);
    let scores = index.score_parts(&text, &parts, Join::Or, None);
    let scores = scores.expect("the list is sound");
    let each: Vec<TextScores<'_>> = sentences
        .iter()
        .map(|it| index.score(it, Join::Or).expect("the list is sound"))
        .collect();
    let mut best_of_all = (0.0, None);
    for chunk in 0..NOTES.len() as u64 {
        let mut best: (Option<f32>, Option<u8>) = (None, None);
        for (part, alone) in (0..).zip(&each) {
            let score = alone.of(chunk);
            if score > best.0 {
                best = (score, Some(part));
            }
        }
        assert_eq!((scores.of(chunk), scores.part_of(chunk)), best, "{chunk}");
        if let (Some(score), Some(part)) = best {
            let alone = &each[usize::from(part)];
            assert_eq!(matched(&scores, chunk), matched(alone, chunk), "{chunk}");
            if score > best_of_all.0 {
                best_of_all = (score, Some(part));
            }
        }
    }
    assert_eq!(scores.best_part, best_of_all.1);
    assert_eq!(scores.best_part, Some(1));
    assert_eq!(scores.ideal, each[1].ideal);
    assert!(
        scores
            .best(9, |chunk| chunk)
            .into_iter()
            .all(|(score, _)| score <= scores.ideal)
    );
    let whole = index.score(&text, Join::Or).expect("the list is sound");
    assert!(whole.ideal > scores.ideal, "the whole asks for more");
}

#[test]
fn a_short_part_that_one_word_fills_does_not_make_it_an_answer() {
    let (_folder, index) = list();
    let (text, parts) = query(&[
        "which box runs the backups of the photo library?",
        "Thanks, Anna.",
    ]);
    let scores = index.score_parts(&text, &parts, Join::Or, None);
    let scores = scores.expect("the list is sound");
    assert_eq!((scores.part_of(1), scores.part_of(2)), (Some(0), Some(1)));
    let share = |chunk: u64| scores.of(chunk).expect("a hit") / scores.ideal;
    assert!(share(2) < 0.5 * share(1), "{} and {}", share(2), share(1));
    let alone = index.score("Thanks, Anna.", Join::Or).expect("sound");
    assert!(
        alone.of(2).expect("a hit") / alone.ideal > 1.5 * share(2),
        "by itself it counts more"
    );
}

#[test]
fn an_identifier_counts_in_its_part() {
    let (_folder, index) = list();
    let (text, parts) = query(&["What a nice garden.", "who calls merge_user_cache?"]);
    let scores = index.score_parts(&text, &parts, Join::Or, None);
    let scores = scores.expect("the list is sound");
    let alone = index
        .score("who calls merge_user_cache?", Join::Or)
        .expect("sound");
    assert_eq!((scores.best_part, scores.part_of(4)), (Some(1), Some(1)));
    assert_eq!(scores.of(4), alone.of(4));
    assert_eq!(scores.names.share(), alone.names.share());
    assert!(scores.names.share() > 0.0);
}

#[test]
fn a_part_out_of_scope_is_no_measure() {
    let (_folder, index) = list();
    let (text, parts) = query(&[
        "which box runs the backups?",
        "Anna planted beans in the garden.",
    ]);
    let scores = |scope: Option<&dyn Fn(usize) -> bool>| {
        index
            .score_parts(&text, &parts, Join::Or, scope)
            .expect("the list is sound")
    };
    let all = scores(None);
    assert_eq!(all.best_part, Some(1));
    let entry_of = |chunk: u64| index.chunks().position(|it| it == chunk);
    let is_in = |entry: usize| entry_of(1) == Some(entry);
    let within = scores(Some(&is_in));
    assert_eq!((within.best_part, within.n_hits()), (Some(0), 1));
    assert!(within.of(1).expect("a hit") <= within.ideal);
    let nowhere = |_: usize| false;
    let none = scores(Some(&nowhere));
    assert_eq!(
        (none.best_part, none.n_hits(), none.part_of(1)),
        (None, 0, None)
    );
}

#[test]
fn without_parts_and_joined_by_and_the_query_is_scored_as_a_whole() {
    let (_folder, index) = list();
    let (text, parts) = query(&["the relay hums.", "the cellar at night."]);
    for (parts, join) in [(&parts[..0], Join::Or), (&parts[..], Join::And)] {
        let scores = index
            .score_parts(&text, parts, join, None)
            .expect("the list is sound");
        let whole = index.score(&text, join).expect("the list is sound");
        assert_eq!(scores.best_part, None);
        assert_eq!((scores.of(0), scores.ideal), (whole.of(0), whole.ideal));
        assert_eq!((scores.of(1), scores.part_of(0)), (whole.of(1), None));
    }
}
