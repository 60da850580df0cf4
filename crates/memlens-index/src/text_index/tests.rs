use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tantivy::fieldnorm::FieldNormReader;

use super::*;
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
    let text = prop::collection::vec(word, 0..70).prop_map(|words| words.join(" "));
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
            let score =
                weight * idf * tf * 2.2 / (tf + 1.2 * (1.0 - 0.75 + 0.75 * length / average));
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
            mut hits,
        } = search(index, query, join);
        let mut scores = index.score(query, join).expect("the list is sound");
        assert_eq!(
            (&scores.words, scores.n_words_left_out, scores.ideal),
            (&words, n_words_left_out, ideal)
        );
        check_hits(&scores, &hits, index);
        let kept = |chunk: u64| !chunk.is_multiple_of(3);
        scores.keep(|entry| kept(index.chunk_of(entry as u32)));
        hits.retain(|hit| kept(hit.chunk));
        check_hits(&scores, &hits, index);
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
        assert_eq!(matched, hit.map_or(Vec::new(), |hit| hit.matched.clone()));
    }
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

        let anew = tempfile::tempdir().expect("a scratch folder can be made");
        let mut writer = TextWriter::create(anew.path()).expect("a list can be started");
        for (document, chunks) in &library {
            add(&mut writer, *document, chunks);
        }
        writer.commit(1).expect("it can be committed");
        let new_index = TextIndex::open(anew.path()).expect("it was just written");
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
