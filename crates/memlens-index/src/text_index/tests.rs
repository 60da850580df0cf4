use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tantivy::fieldnorm::FieldNormReader;

use super::*;
use crate::question::QUERY_WORDS_MAX;
use crate::words::words;
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
fn identifiers_meet_in_every_style() {
    let texts = [
        "`mergeUserQueue` holds the lease",
        "`merge_user_view` holds the lease",
        "user-queue: merge it by hand, the queue of the user",
        "get_depot_by_id returns null",
        "getDepotByName returns null",
        "HTTPServerPort is 80",
    ];
    let (_folder, index) = list(&texts);
    for query in [
        "mergeUserQueue",
        "merge_user_queue",
        "merge-user-queue",
        "MERGE USER QUEUE",
        "mergeuserqueue",
    ] {
        assert_eq!(first(&index, query), Some(0), "{query}");
    }
    assert_eq!(first(&index, "getDepotById"), Some(3));
    assert_eq!(first(&index, "http server port"), Some(5));
    // Its parts are words of the text.
    assert_eq!(
        held(&index, "view"),
        [(1, vec![("view".to_owned(), How::Word)])]
    );
    let whole = ("merge_user_queue".to_owned(), How::Whole);
    assert!(held(&index, "merge_user_queue")[0].1.contains(&whole));
}

#[test]
fn numbers_are_found_with_other_signs_between_their_digits() {
    let texts = [
        "call +49 30 1234 567",
        "call 49301234568",
        "on 2026-11-26 we met",
        "v1.23.4 is out",
        "1.2.34 is out",
        "PR #1701",
        "PR #1702",
    ];
    let (_folder, index) = list(&texts);
    for (query, expected) in [
        ("+49301234567", 0),
        ("+49 (30) 1234-567", 0),
        ("+49 30 1234 568", 1),
        ("20261126", 2),
        ("2026/11/26", 2),
        ("1.23.4", 3),
        ("V1.2.34", 4),
        ("what did PR 1701 change", 5),
    ] {
        assert_eq!(first(&index, query), Some(expected), "{query}");
    }
    let (_folder, times) = list(&["2026-11-26 10:30", "2026-11-26T10:30:00Z", "20261126"]);
    for query in [
        "20261126",
        "2026-11-26",
        "2026-11-26 10:30",
        "2026/11/26T08:15",
    ] {
        assert_eq!(
            chunks(&search(&times, query, Join::Or)),
            [0, 1, 2],
            "{query}"
        );
    }
    assert_eq!(
        held(&index, "20261126"),
        [(2, vec![("20261126".to_owned(), How::Digits)])]
    );
}

#[test]
fn a_long_word_with_digits_is_found_by_its_beginning() {
    let texts = [
        "commit 4283fefc0a9b11 fixed it",
        "commit 4283fef was short",
        "commit 99aa0011bb",
        "4283fe is too short",
    ];
    let (_folder, index) = list(&texts);
    let found = |query: &str| {
        held(&index, query)
            .into_iter()
            .map(|it| (it.0, it.1[0].1))
            .collect::<Vec<_>>()
    };
    assert_eq!(found("4283fefc"), [(0, How::Prefix)]);
    assert_eq!(found("4283fe"), [(3, How::Word)]);
    // A hash that is held as it was typed is first; longer ones may be the same commit.
    assert_eq!(found("4283FEF"), [(1, How::Word), (0, How::Prefix)]);
    let (_folder, index) = list(&["session10 went on and on for hours", "session1"]);
    assert_eq!(
        held(&index, "session1"),
        [(1, vec![("session1".to_owned(), How::Word)])]
    );
}

#[test]
fn a_short_hash_is_above_the_full_one_and_hides_none() {
    let full = "abc1234f00d5abc1234f00d5abc1234f00d5abcd";
    let often = format!("{full} {full} {full} and {full}");
    let long = format!("abc1234 {}", "and so on ".repeat(40));
    let (_folder, index) = list(&[&often, &long, full, "abc1234x", "1234567", "12345678"]);
    let how = |found: &(u64, Vec<(String, How)>)| (found.0, found.1[0].1);
    let found: Vec<(u64, How)> = held(&index, "abc1234").iter().map(how).collect();
    assert_eq!(
        found,
        [
            (1, How::Word),
            (0, How::Prefix),
            (2, How::Prefix),
            (3, How::Prefix)
        ]
    );
    let hits = search(&index, "abc1234", Join::Or);
    let score = |chunk: u64| {
        hits.hits
            .iter()
            .find(|hit| hit.chunk == chunk)
            .map(|hit| hit.score)
    };
    assert_eq!(score(0), score(1).map(|exact| exact / 2.0));
    assert_eq!(score(1), Some(hits.ideal));
    // Where the exact one is out of scope, the others are as good as they get.
    let is_in = |entry: usize| index.chunk_of(entry as u32) == 2;
    let found = index.score_within("abc1234", Join::Or, Some(&is_in));
    let found = found.expect("the list is sound");
    assert_eq!((found.n_hits(), found.of(2)), (1, Some(found.ideal)));
    // Digits alone may be any number.
    let found: Vec<(u64, How)> = held(&index, "1234567").iter().map(how).collect();
    assert_eq!(found, [(4, How::Word)]);
}

#[test]
fn a_phone_number_is_found_beside_another_number() {
    let texts = [
        "1. 030 1234567",
        "call 030 1234567 2 times",
        "030 1234567 030 7654321",
        "0301234567",
    ];
    let (_folder, index) = list(&texts);
    assert_eq!(
        chunks(&search(&index, "0301234567", Join::Or)),
        [0, 1, 2, 3]
    );
    let (_folder, index) = list(&texts[3..]);
    for query in texts {
        assert_eq!(first(&index, query), Some(0), "{query}");
        assert!(
            search(&index, query, Join::Or).names.share() > 0.0,
            "{query}"
        );
    }
    // Numbers that begin or end alike are others.
    for (text, query) in [
        ("+49 30 1234 999", "+49 30 1234 567"),
        ("+49 30 1234 567", "+49 40 1234 567"),
        ("12 34 56 78 91", "12 34 56 78 90"),
    ] {
        let (_folder, index) = list(&[text]);
        assert_eq!(
            search(&index, query, Join::Or).names.share(),
            0.0,
            "{query}"
        );
    }
}

#[test]
fn parts_of_an_identifier_are_calibrated_by_what_a_chunk_reaches() {
    let mut texts = vec![
        "see merge_user_queue".to_owned(),
        "see mergeuserqueue".to_owned(),
    ];
    for part in ["merge", "user", "queue"] {
        texts.extend((0..5).map(|at| format!("{part} {at} other")));
    }
    texts.extend((0..80).map(|at| format!("note {at} quiet")));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (_folder, index) = list(&texts);
    let found = search(&index, "merge_user_queue", Join::Or);
    let share = |chunk: u64| {
        let hit = found.hits.iter().find(|hit| hit.chunk == chunk);
        hit.expect("it holds the identifier").score / found.ideal
    };
    assert!(share(0) > 0.9, "{}", share(0));
    // Parts that no chunk holds lower nothing.
    let (_folder, index) = list(&["see mergeuserqueue", "quiet"]);
    let found = search(&index, "merge_user_queue", Join::Or);
    assert_eq!(found.hits[0].score, found.ideal);
    assert!(share(1) > 0.4, "{}", share(1));
}

#[test]
fn joined_words_are_no_words_of_the_question() {
    let (_folder, index) = list(&["merge_user_queue +49 30 1234567", "getDepotById", "quiet"]);
    let typed = |query: &str| {
        let words = search(&index, query, Join::Or).words.into_iter();
        let (joined, own): (Vec<_>, Vec<_>) = words.partition(|word| word.is_joined);
        let typed = |words: Vec<QueryWord>| words.into_iter().map(|it| it.typed).collect();
        (typed(own), typed(joined))
    };
    let check = |query: &str, own: &[&str], joined: &[&str]| {
        let found: (Vec<String>, Vec<String>) = typed(query);
        assert_eq!(found.0, own, "{query}");
        assert_eq!(found.1, joined, "{query}");
    };
    check(
        "merge_user_queue",
        &["merge", "user", "queue"],
        &["merge_user_queue"],
    );
    check(
        "merge user queue",
        &["merge", "user", "queue"],
        &["merge user queue"],
    );
    check("49301234567", &["49301234567"], &[]);
    check(
        "+49 30 1234567",
        &["49", "30", "1234567"],
        &["49 30 1234567"],
    );
    // One word in camelCase is one word of the question.
    check("getDepotById", &["getDepotById"], &[]);
    check("quietNight", &["quiet", "Night"], &[]);
}

#[test]
fn of_many_words_with_one_beginning_the_first_are_looked_up_however_the_list_was_written() {
    let in_order = |order: &[u64], n_at_once: usize, dead: &[u64]| {
        let folder = tempfile::tempdir().expect("a scratch folder can be made");
        let mut writer = TextWriter::create(folder.path()).expect("a list can be started");
        for (at, ids) in (1..).zip(order.chunks(n_at_once)) {
            for id in ids {
                add(&mut writer, *id, &[(*id, format!("abc1234{id:03}"))]);
            }
            writer.commit(at).expect("it can be committed");
        }
        dead.iter().for_each(|id| writer.delete_document(*id));
        writer.commit(1000).expect("it can be committed");
        drop(writer);
        let index = TextIndex::open(folder.path()).expect("it was just written");
        let found = search(&index, "abc1234", Join::Or);
        let scores: Vec<(u64, u32)> = found
            .hits
            .iter()
            .map(|hit| (hit.chunk, hit.score.to_bits()))
            .collect();
        (scores, found.words[0].is_cut, found.words[0].n_chunks)
    };
    let up: Vec<u64> = (0..80).collect();
    let down: Vec<u64> = (0..80).rev().collect();
    let all = in_order(&up, 80, &[]);
    assert_eq!((all.0.len(), all.1, all.2), (PREFIXED_WORDS_MAX, true, 64));
    assert!((0..64).eq(all.0.iter().map(|hit| hit.0)));
    assert_eq!(in_order(&down, 7, &[]), all);
    // Words of deleted chunks take no place.
    let dead: Vec<u64> = (0..20).collect();
    let rest = in_order(&up, 80, &dead);
    assert_eq!((rest.0.len(), rest.1), (60, false));
    assert_eq!(in_order(&down, 7, &dead), rest);
}

#[test]
fn an_identifier_that_no_chunk_holds_changes_nothing() {
    let (_folder, index) = list(&["long term memory", "long term", "memory of it", "10 4 17"]);
    let check = |typed: &str, words: &str| {
        let (typed, words) = (
            search(&index, typed, Join::Or),
            search(&index, words, Join::Or),
        );
        assert_eq!(
            (typed.ideal, typed.hits, typed.names.share()),
            (words.ideal, words.hits, 0.0)
        );
    };
    check("long-term memory", "long term memory");
    check("longTerm memory", "long term memory");
    check("10.4.17", "10 4 17");
}

#[test]
fn words_that_another_note_joins_are_words() {
    let texts = [
        "the API key for staging is in the vault",
        "set api_key in config",
        "long term memory",
        "a long-term plan",
        "is it slow? down it goes",
        "slow_down_it",
    ];
    let (_folder, index) = list(&texts);
    let query = "where is the API key for staging";
    assert_eq!(first(&index, query), Some(0));
    for (query, chunk, n_words) in [
        (query, 0, 7),
        ("long-term memory", 2, 3),
        ("slow? Down it", 4, 3),
    ] {
        let found = search(&index, query, Join::Or);
        assert_eq!(
            (found.words.len(), found.names.share()),
            (n_words, 0.0),
            "{query}"
        );
        let hit = found.hits.iter().find(|hit| hit.chunk == chunk);
        let hit = hit.expect("it holds words");
        assert!(hit.matched.len() + 1 >= n_words, "{query}");
    }
}

#[test]
fn a_word_that_a_chunk_holds_by_itself_is_no_identifier() {
    let (_folder, index) = list(&[
        "user_name or userName",
        "the username is joe",
        "macOS 2nd 10:30",
    ]);
    for query in ["username", "userName", "macOS", "macos", "the 2nd", "10:30"] {
        assert_eq!(
            search(&index, query, Join::Or).names.share(),
            0.0,
            "{query}"
        );
    }
    assert!(search(&index, "user_name", Join::Or).names.share() > 0.0);
}

#[test]
fn different_addresses_and_dates_are_not_one_number() {
    for (text, query) in [
        ("192.168.11.2", "192.168.1.12"),
        ("10.4.17.23", "10.41.72.3"),
        ("2024.1.12", "2024.11.2"),
        ("2026-1-12", "2026-11-2"),
        ("10.1.11.0/24", "10.11.1.0/24"),
        ("192.168.1.12/24", "192.168.11.2/24"),
        ("192.168.1.12 443", "192.168.11.2 443"),
        ("192.168.1.12:443", "192.168.11.2:443"),
        ("1.12.2026 10:30", "11.2.2026 10:30"),
        ("2026-1-12 10:30", "2026-11-2 10:30"),
        ("2-3 days", "2.3"),
        ("24/7", "24.7"),
        ("v1.2", "1/2 cup"),
    ] {
        let (_folder, index) = list(&[text]);
        assert_eq!(
            search(&index, query, Join::Or).names.share(),
            0.0,
            "{query}"
        );
    }
}

#[test]
fn a_long_token_is_found_by_its_paste() {
    let token = "aB3dE5fG7".repeat(20);
    let (_folder, index) = list(&[&token, "id"]);
    assert_eq!(first(&index, &token), Some(0));
    assert!(search(&index, "d", Join::Or).hits.is_empty());
}

#[test]
fn common_english_is_no_identifier() {
    let texts = [
        "it is up to date, and/or e.g. read/write",
        "an up-to-date list of the top-3 and/or so, e.g. this",
        "GitHub and github are the same",
        "mergeUserQueue and #1701 in v1.2.3",
        "up_to_date at 10:30am for 30min",
        "top 3 of 1701",
        "quiet",
    ];
    let (_folder, index) = list(&texts);
    let names = |query: &str| search(&index, query, Join::Or).names.share();
    for query in [
        "up to date",
        "up-to-date",
        "and/or",
        "e.g. this",
        "what are the top 3",
        "GitHub",
        "github",
        "read/write",
        "at 10:30am",
        "for 30min",
        "quiet and 1701",
    ] {
        assert_eq!(names(query), 0.0, "{query}");
    }
    for query in [
        "merge_user_queue",
        "mergeUserQueue",
        "mergeuserqueue",
        "merge user queue",
        "#1701",
        "1.2.3",
    ] {
        assert!(names(query) > 0.0, "{query}");
    }
    for [one, other] in [["GitHub", "github"], ["mergeUserQueue", "mergeuserqueue"]] {
        let (one, other) = (
            search(&index, one, Join::Or),
            search(&index, other, Join::Or),
        );
        assert_eq!(
            (one.hits, one.ideal, one.names),
            (other.hits, other.ideal, other.names)
        );
    }
}

#[test]
fn joined_words_are_what_most_chunks_write() {
    let share = |texts: &[&str], query: &str| {
        let (_folder, index) = list(texts);
        search(&index, query, Join::Or).names.share()
    };
    let ordinary = [
        "a client-side check",
        "it is client-side",
        "the flag client_side",
    ];
    for query in ["client-side", "is it client-side"] {
        assert_eq!(share(&ordinary, query), 0.0, "{query}");
    }
    // Typed as an identifier, it is one.
    for query in ["client_side", "the flag client_side"] {
        assert!(share(&ordinary, query) > 0.0, "{query}");
    }
    let equal = ["a client-side check", "the flag client_side"];
    assert_eq!(share(&equal, "client-side"), 0.0);
    let identifier = [
        "a client-side check",
        "the flag client_side",
        "clientSide: true",
    ];
    assert!(share(&identifier, "client-side") > 0.0);
    // Chunks outside of the scope do not count.
    let (_folder, index) = list(&identifier);
    let is_in = |entry: usize| index.chunk_of(entry as u32) < 2;
    let within = index.score_within("client-side", Join::Or, Some(&is_in));
    assert_eq!(within.expect("the list is sound").names.share(), 0.0);
}

#[test]
fn the_order_of_words_does_not_change_their_weights() {
    let (_folder, index) = list(&[
        "merge_user_queue",
        "the queue",
        "GitHub",
        "github hub",
        "hub",
    ]);
    for queries in [
        ["merge_user_queue queue", "queue merge_user_queue"],
        ["GitHub hub", "hub GitHub"],
        [
            "mergeUserQueue merge_user_queue",
            "merge_user_queue mergeUserQueue",
        ],
    ] {
        let [one, other] = queries.map(|query| {
            let words = search(&index, query, Join::Or).words.into_iter();
            words
                .map(|word| {
                    let forms: BTreeSet<String> = word
                        .forms
                        .0
                        .iter()
                        .map(|form| format!("{form:?}"))
                        .collect();
                    let said = (word.weight.to_bits(), word.n_chunks, word.reach.to_bits());
                    (word.term, (said, word.is_name, forms))
                })
                .collect::<BTreeMap<_, _>>()
        });
        assert_eq!(one, other, "{queries:?}");
    }
    let weight = |query: &str| {
        let words = search(&index, query, Join::Or).words.into_iter();
        words
            .map(|word| (word.term, word.weight))
            .collect::<BTreeMap<_, _>>()["queue"]
    };
    assert_eq!(
        (weight("merge_user_queue"), weight("merge_user_queue queue")),
        (0.25, 1.0)
    );
}

#[test]
fn identifiers_outside_the_scope_count_for_nothing() {
    let (_folder, index) = list(&["merge_user_queue", "merge the user queue", "#1701"]);
    let within = |query: &str, chunks: &[u64]| {
        let is_in = |entry: usize| chunks.contains(&index.chunk_of(entry as u32));
        let found = index.score_within(query, Join::Or, Some(&is_in));
        let found = found.expect("the list is sound");
        let weights: Vec<f32> = found.words.iter().map(|word| word.weight).collect();
        (found.names.share(), found.n_hits(), weights)
    };
    assert_eq!(
        within("merge_user_queue", &[0, 1]),
        (1.0, 2, vec![0.25, 0.25, 0.25, 1.0])
    );
    assert_eq!(within("merge_user_queue", &[1]), (0.0, 1, vec![1.0; 3]));
    assert_eq!(within("quiet #1701", &[1]).0, 0.0);
    assert_eq!(within("mergeUserQueue", &[1]).1, 1);
    let ideal = |query: &str| {
        let is_in = |entry: usize| index.chunk_of(entry as u32) == 1;
        let found = index.score_within(query, Join::Or, Some(&is_in));
        found.expect("the list is sound").ideal
    };
    assert_eq!(ideal("merge_user_queue"), ideal("merge user queue"));
    // Nor do those in no hit.
    let found = |query| {
        index
            .score(query, Join::And)
            .expect("the list is sound")
            .names
            .share()
    };
    assert_eq!(found("#1701 queue"), 0.0);
    assert_eq!(search(&index, "#1701 queue", Join::And).names.share(), 0.0);
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
fn an_identifier_is_calibrated_by_what_a_chunk_reaches() {
    let (_folder, index) = list(&[
        "relay 10.4.17.23 in a long text about many other things that are said",
        "relay relay",
        "quiet",
    ]);
    let found = search(&index, "10.4.17.23", Join::Or);
    assert_eq!(found.names.share(), 1.0);
    let whole = found.words.last().expect("it has words");
    assert!(
        whole.is_name && (whole.reach - whole.idf).abs() < 1e-6,
        "{whole:?}"
    );
    // An identifier that no chunk holds moves nothing, nor does a word.
    assert_eq!(search(&index, "10.4.17.24", Join::Or).names.share(), 0.0);
    assert_eq!(search(&index, "relay", Join::Or).names.share(), 0.0);
    let mixed = search(&index, "relay 10.4.17.23", Join::Or);
    let share = mixed.names.share();
    assert!(share > 0.5 && share < 1.0);
    let named = mixed.names.words.iter();
    let named: Vec<&str> = named
        .map(|at| &*mixed.words[usize::from(*at)].typed)
        .collect();
    assert_eq!(named, ["10.4.17.23"]);
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

/// One change to a list.
#[derive(Clone, Debug)]
enum Change {
    /// Deletes the document and adds these chunks.
    Put(u64, Vec<String>),
    Delete(u64),
    Commit,
    Merge,
    /// Drops and reopens the writer.
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
    // Above 40 words the list stores a chunk's length only approximately.
    change_of(prop::collection::vec(word, 0..70).prop_map(|words| words.join(" ")))
}

fn change_of(text: impl Strategy<Value = String>) -> impl Strategy<Value = Change> {
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

/// Makes all changes in `folder`. Returns what the list should hold, and its state in a reader that followed every
/// commit.
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

/// Computes BM25 by its definition, over all chunks, for each chunk that holds a word.
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
            // The list stores lengths in one byte.
            let id = FieldNormReader::fieldnorm_to_id(terms.len() as u32);
            let length = f64::from(FieldNormReader::id_to_fieldnorm(id));
            // The length says nothing about an identifier.
            let b = if term.contains(|c: char| c.is_ascii_digit()) {
                0.0
            } else {
                0.75
            };
            let score = weight * idf * tf * 2.2 / (tf + 1.2 * (1.0 - b + b * length / average));
            *scores.entry(*chunk).or_insert(0.0) += score;
        }
    }
    scores.into_iter().collect()
}

/// The stop words among those of [`change`] and the queries.
const STOP_WORD_LIST: [&str; 3] = ["the", "is", "at"];

/// Checks [`TextIndex::score`] against [`TextIndex::search`]: the same hits and scores to the last bit, the same best
/// ones for any order of ties, the same words and ranks.
fn check_scores(index: &TextIndex, query: &str) {
    for join in [Join::Or, Join::And] {
        let TextHits {
            words,
            n_words_left_out,
            ideal,
            names,
            mut hits,
        } = search(index, query, join);
        let scores = index.score(query, join).expect("the list is sound");
        assert_eq!(
            (
                &scores.words,
                scores.n_words_left_out,
                scores.ideal,
                &scores.names
            ),
            (&words, n_words_left_out, ideal, &names)
        );
        check_hits(&scores, &hits, index);
        assert!((0.0..=1.0).contains(&names.share()) && hits.iter().all(|hit| hit.score <= ideal));
        let kept = |chunk: u64| !chunk.is_multiple_of(3);
        let is_in = |entry: usize| kept(index.chunk_of(entry as u32));
        let scores = index.score_within(query, join, Some(&is_in));
        let scores = scores.expect("the list is sound");
        hits.retain(|hit| kept(hit.chunk));
        // Which words are identifiers, parts or beginnings depends on the scope.
        if scores.words == words {
            check_hits(&scores, &hits, index);
        } else {
            let mut best = scores.best(1000, |chunk| chunk).into_iter();
            assert!(best.all(|(score, chunk)| kept(chunk) && score <= scores.ideal));
        }
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
        // In a different order than the results, and one of them twice.
        let mut wanted: Vec<(u32, (f32, u64))> = (1..).zip(sorted.iter().copied()).collect();
        wanted.sort_unstable_by_key(|(_, (_, own))| *own);
        wanted.extend(wanted.first().copied());
        let (ranks, wanted): (Vec<u32>, Vec<(f32, u64)>) = wanted.into_iter().unzip();
        assert_eq!(scores.ranks(&wanted, tie), ranks);
    }
    // Includes deleted and unknown chunks, in any order.
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
        let matched: Vec<u16> = matched.iter().map(|it| it.word).collect();
        assert_eq!(matched, hit.map_or(Vec::new(), |hit| hit.matched.clone()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_question_with_identifiers_is_answered_as_by_the_record(
        texts in prop::collection::vec(identifiers(), 1..8),
        query in identifiers(),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (_folder, index) = list(&texts);
        check_scores(&index, &query);
        let any = search(&index, &query, Join::Or);
        let every = search(&index, &query, Join::And);
        prop_assert!(every.hits.iter().all(|hit| any.hits.contains(hit)));
        let holds_all = |hit: &&TextHit| hit.matched.len() == any.words.len();
        prop_assert!(any.hits.iter().filter(holds_all).all(|hit| every.hits.contains(hit)));
        for (at, word) in (0..).zip(&every.words) {
            let is_needed = word.kind == WordKind::Plain;
            prop_assert!(!is_needed || every.hits.iter().all(|hit| hit.matched.contains(&at)), "{}", word.typed);
        }
    }
}

/// Texts of words, identifiers and numbers.
fn identifiers() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "the",
        "merge",
        "user",
        "queue",
        "mergeUserQueue",
        "merge_user",
        "user-queue",
        "GitHub",
        "github",
        "hub",
        "x1",
        "2026-11-26",
        "20261126",
        "2026-11-26 10",
        "+49 30 123-4567",
        "7",
        "a.b",
        "ab",
        "Café",
        "cafe",
        "deadbeef01",
        "deadbee",
        "deadbe1",
        "deadbe1f01",
        "030 1234567 2",
        "水曜日",
        "merge/user:queue",
    ]);
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

#[test]
fn scores_of_many_chunks_are_those_of_the_record() {
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    let mut writer = TextWriter::create(folder.path()).expect("a list can be started");
    // More than one block of entries for a word, and more equal scores than are requested.
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

        let fresh_dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut writer = TextWriter::create(fresh_dir.path()).expect("a list can be started");
        for (document, chunks) in &library {
            add(&mut writer, *document, chunks);
        }
        writer.commit(1).expect("it can be committed");
        let new_index = TextIndex::open(fresh_dir.path()).expect("it was just written");
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Deleted chunks, segments and merges change nothing: not which words are identifiers in scope, not how many chunks
    /// hold them, not the words with one beginning, not the most that a chunk reaches.
    #[test]
    fn any_history_of_identifiers_answers_like_a_new_list(
        changes in prop::collection::vec(change_of(identifiers()), 1..14),
        query in identifiers(),
        n_scope in 1_u64..4,
    ) {
        let folder = tempfile::tempdir().expect("a scratch folder can be made");
        let (library, reader) = build(folder.path(), &changes);
        let index = TextIndex::open(folder.path()).expect("it was just written");
        let fresh_dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut writer = TextWriter::create(fresh_dir.path()).expect("a list can be started");
        for (document, chunks) in &library {
            add(&mut writer, *document, chunks);
        }
        writer.commit(1).expect("it can be committed");
        let new_index = TextIndex::open(fresh_dir.path()).expect("it was just written");
        for query in [query.as_str(), "deadbe1", "deadbee", "merge_user_queue", "20261126"] {
            for join in [Join::Or, Join::And] {
                let found = search(&index, query, join);
                prop_assert_eq!(&search(&reader, query, join), &found);
                prop_assert_eq!(&search(&new_index, query, join), &found);
                let within = [&index, &reader, &new_index].map(|index| {
                    let is_in = |entry: usize| index.chunk_of(entry as u32) % n_scope == 0;
                    let scores = index.score_within(query, join, Some(&is_in));
                    let scores = scores.expect("the list is sound");
                    let best = scores.best(1000, |chunk| chunk);
                    let ids: Vec<u64> = best.iter().map(|it| it.1).collect();
                    let matched = scores.matched(&ids).expect("the list is sound");
                    (scores.words, scores.ideal, scores.names, best, matched)
                });
                prop_assert_eq!(&within[0], &within[1]);
                prop_assert_eq!(&within[0], &within[2]);
            }
            check_scores(&index, query);
            prop_assert_eq!(held(&index, query), held(&new_index, query));
        }
    }
}
