//! Identifiers, numbers and joined words.

use std::collections::{BTreeMap, BTreeSet};

use super::super::*;
use super::scores::add;
use super::{chunks, first, held, list, search};
use crate::TextWriter;

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
