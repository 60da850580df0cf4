mod identifiers;
mod scores;

use std::collections::BTreeMap;

use self::scores::check_scores;
use super::*;
use crate::question::QUERY_WORDS_MAX;
use crate::{TextEntry, TextWriter};

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

/// The chunks that a query finds, best first, each with the words that it holds and how.
fn held(index: &TextIndex, query: &str) -> Vec<(u64, Vec<(String, How)>)> {
    let scores = index.score(query, Join::Or).expect("the list is sound");
    let best: Vec<u64> = scores
        .best(100, |chunk| chunk)
        .into_iter()
        .map(|it| it.1)
        .collect();
    let matched = scores.matched(&best).expect("the list is sound");
    let named = |it: Match| (scores.words[usize::from(it.word)].typed.clone(), it.how);
    best.into_iter()
        .zip(matched)
        .map(|(chunk, matched)| (chunk, matched.into_iter().map(named).collect()))
        .collect()
}

fn first(index: &TextIndex, query: &str) -> Option<u64> {
    held(index, query).first().map(|it| it.0)
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
    // A word that no chunk holds counts fully in the ideal score.
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
fn words_of_another_program_are_marked_as_words() {
    let word = |term: &str| QueryWord {
        term: term.to_owned(),
        typed: term.to_owned(),
        ..QueryWord::default()
    };
    let text = "mergeUserQueue, a queue";
    assert_eq!(marks(text, &[word("queue")]), [18..23; 1]);
    let (_folder, index) = list(&[text]);
    let own = search(&index, "queue", Join::Or).words;
    assert_eq!(marks(text, &own), [9..14, 18..23]);
}

#[test]
fn accents_are_folded_beside_the_exact_form() {
    let (_folder, index) = list(&[
        "ein Café am Markt",
        "a cafe at the market",
        "Straße",
        "strasse",
        "Ёлка",
    ]);
    let how = |query: &str| {
        held(&index, query)
            .into_iter()
            .map(|it| (it.0, it.1[0].1))
            .collect::<BTreeMap<_, _>>()
    };
    assert_eq!(how("CAFÉ"), [(0, How::Word), (1, How::Folded)].into());
    assert_eq!(how("cafe"), [(0, How::Folded), (1, How::Word)].into());
    assert_eq!(how("strasse"), [(2, How::Folded), (3, How::Word)].into());
    assert_eq!(how("елка"), [(4, How::Folded)].into());
}

#[test]
fn joined_by_and_any_form_of_a_word_is_enough() {
    let (_folder, index) = list(&[
        "mergeUserQueue in a Café",
        "merge user",
        "4283fefc0a9b in a cafe",
    ]);
    for (query, expected) in [
        ("cafe merge_user_queue", vec![0]),
        ("4283fefc cafe", vec![2]),
        ("merge user", vec![0, 1]),
    ] {
        assert_eq!(
            chunks(&search(&index, query, Join::And)),
            expected,
            "{query}"
        );
    }
}

#[test]
fn joined_by_and_an_identifier_is_held_by_its_parts_or_as_a_whole() {
    let check = |texts: &[&str], query: &str, expected: &[u64]| {
        let (_folder, index) = list(texts);
        assert_eq!(
            chunks(&search(&index, query, Join::And)),
            expected,
            "{query}"
        );
        check_scores(&index, query);
    };
    check(&["on github", "on GitHub", "git"], "GitHub", &[0, 1]);
    check(&["git hub", "git"], "GitHub", &[0]);
    let texts = [
        "merge the user queue",
        "mergeuserqueue",
        "mergeUserQueue",
        "merge user",
    ];
    check(&texts, "merge_user_queue", &[0, 1, 2]);
    check(&texts, "merge_user_queue user", &[0, 2]);
    let texts = ["call +49 30 1234567", "call 49301234567", "call 30 1234567"];
    check(&texts, "call +49 30 1234567", &[0, 1]);
    check(
        &["long term", "long-term", "longterm"],
        "long-term",
        &[0, 1],
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
    // A pair is only found as a pair.
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
    // The same word 100,000 times is one word.
    let found = search(&index, &"w17 ".repeat(100_000), Join::And);
    assert_eq!(
        (found.words.len(), found.n_words_left_out, chunks(&found)),
        (1, 0, vec![0])
    );
}
