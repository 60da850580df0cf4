//! Scores, as BM25 defines them and for any history of a list.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tantivy::fieldnorm::FieldNormReader;

use super::super::*;
use super::{chunks, held, list, search};
use crate::words::words;
use crate::{TextEntry, TextScores, TextWriter};

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

pub(super) fn add(writer: &mut TextWriter, document: u64, chunks: &[(u64, String)]) {
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
pub(super) fn check_scores(index: &TextIndex, query: &str) {
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
