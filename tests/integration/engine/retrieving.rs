//! Retrieval freezes what a naive computation finds, in the part of the memory that was searched.
//!
//! Properties checked: for random notes, queries and scopes, every value equals the naive one, and ranks are the places
//! of sorted values, ties by the order of chunks; scopes as typed; queries for which one of the lists has no answer.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use memlens_embed::{Embedder, Hashing};
use memlens_engine::report;
use memlens_index::{is_stop_word, words};
use memlens_params::{Bm25Join, ParameterSet, Params, VectorUnit};
use memlens_rank::{Candidate, CandidateSet, ChunkId, List, ListId, ListState, ListValue};
use memlens_retrieve::{Part, Question, Retrieved, Retriever, Scope, Within};
use memlens_tests::{Notes, answers, cases, fresh, index, open};
use proptest::prelude::*;

/// Words that are their own stems, a stop word, and a word that no note holds.
const WORDS: [&str; 9] = [
    "relay", "hall", "quiet", "night", "oolong", "the", "attic", "zebra", "ten",
];
const PATHS: [&str; 6] = [
    "a.md",
    "b.md",
    "x/hall.md",
    "x/y/c.md",
    "x.md",
    "z/relay.md",
];

/// Returns the vector of a text as the embedder gives it.
fn vector(text: &str) -> Vec<f32> {
    let never = std::sync::atomic::AtomicBool::new(false);
    Hashing::default()
        .embed(&[text], &never)
        .expect("every text has one")
        .remove(0)
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum()
}

/// A chunk as a naive computation sees it.
struct Naive {
    place: u32,
    path: String,
    text: String,
    vector: f64,
}

/// Returns the score of every chunk for a query's vector, computed from the store alone.
fn naive_chunks(library: &memlens_engine::Library, query: &str, unit: VectorUnit) -> Vec<Naive> {
    let lists = library.lists();
    let (store, snapshot) = (library.store(), &lists.snapshot);
    let query = vector(query);
    let stored = |embedding| {
        store
            .vector(embedding)
            .expect("it can be read")
            .expect("it is there")
    };
    (0..)
        .zip(snapshot.chunks())
        .map(|(place, (document, chunk))| {
            let windows = document.windows_of(chunk).iter();
            let windows = windows.map(|window| dot(&query, &stored(window.embedding)));
            let whole = dot(&query, &stored(chunk.embedding));
            let best = windows.fold(f64::NEG_INFINITY, f64::max);
            Naive {
                place,
                path: document.path.clone(),
                text: store
                    .chunk_texts([chunk.id])
                    .expect("it can be read")
                    .remove(0)
                    .expect("it is as saved"),
                vector: match unit {
                    VectorUnit::Windows if best.is_finite() => (2.0 * best + whole) / 3.0,
                    VectorUnit::Windows | VectorUnit::Chunk => whole,
                },
            }
        })
        .collect()
}

/// Returns the terms of a chunk: those of its text and of its file's name.
fn terms(chunk: &Naive) -> Vec<String> {
    let stem = Path::new(&chunk.path)
        .file_stem()
        .expect("it has one")
        .to_string_lossy();
    words(&chunk.text)
        .into_iter()
        .chain(words(&stem))
        .map(|word| word.term)
        .collect()
}

/// Returns the BM25 score of each chunk that the query finds, by place, and the ideal score.
///
/// k1 1.2, b 0.75; stop words of the query weigh a quarter. Source: Robertson and Zaragoza, The Probabilistic Relevance
/// Framework, 2009, with the idf that is never negative.
fn naive_bm25(chunks: &[Naive], query: &str, join: Bm25Join) -> (BTreeMap<u32, f64>, f64) {
    let documents: Vec<Vec<String>> = chunks.iter().map(terms).collect();
    let n = documents.len() as f64;
    let mean_length = documents.iter().map(Vec::len).sum::<usize>() as f64 / n;
    let mut weights = BTreeMap::new();
    for word in words(query) {
        let weight = if is_stop_word(&query[word.bytes.clone()]) {
            0.25
        } else {
            1.0
        };
        weights.entry(word.term).or_insert(weight);
    }
    let mut scores = BTreeMap::new();
    let mut matched: BTreeMap<u32, usize> = BTreeMap::new();
    let mut ideal = 0.0;
    for (term, weight) in &weights {
        let frequency =
            |document: &[String]| document.iter().filter(|other| *other == term).count() as f64;
        let n_holding = documents
            .iter()
            .filter(|document| frequency(document) > 0.0)
            .count() as f64;
        let idf = (1.0 + (n - n_holding + 0.5) / (n_holding + 0.5)).ln();
        ideal += weight * idf * 2.2;
        for (chunk, document) in chunks.iter().zip(&documents) {
            let tf = frequency(document);
            if tf > 0.0 {
                let length = document.len() as f64 / mean_length;
                let score = weight * idf * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * length));
                *scores.entry(chunk.place).or_insert(0.0) += score;
                *matched.entry(chunk.place).or_insert(0) += 1;
            }
        }
    }
    if join == Bm25Join::And {
        scores.retain(|place, _| matched[place] == weights.len());
    }
    (scores, ideal)
}

/// Checks that the ranks of one list are the places of its sorted scores: descending, ties by the order of chunks.
fn list(set: &CandidateSet, id: ListId) -> &List {
    set.list(id).expect("the retriever has it")
}

fn hits(set: &CandidateSet) -> u32 {
    list(set, ListId::BM25).n_hits
}

fn check_ranks(set: &CandidateSet, list: &List, score: impl Fn(&ListValue) -> Option<f64>) {
    let mut listed: Vec<(u32, f64, u32)> = set
        .candidates
        .iter()
        .zip(&list.values)
        .filter_map(|(candidate, value)| match (score(value), value.rank) {
            (Some(score), Some(rank)) => Some((rank, score, candidate.order)),
            (None, Some(rank)) => panic!("rank {rank} without a score"),
            (_, None) => None,
        })
        .collect();
    listed.sort_by_key(|(rank, _, _)| *rank);
    for (expected, (rank, _, _)) in (1..).zip(&listed) {
        assert_eq!(*rank, expected);
    }
    for pair in listed.windows(2) {
        let [(_, score, order), (_, next_score, next_order)] = pair else {
            continue;
        };
        assert!(
            score > next_score || (score == next_score && order < next_order),
            "{listed:?}"
        );
    }
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * (1.0 + b.abs())
}

/// Returns what the library's retriever finds.
fn retrieve(
    library: &memlens_engine::Library,
    query: &str,
    params: &Params,
    part: Part,
) -> Retrieved {
    let asked = vector(query);
    let question = Question {
        text: query,
        vector: Ok(&asked),
        params: &params.values(),
        within: &Within::of(part),
        also: &[],
        true_ranks: false,
    };
    let retrieved = library.retriever().retrieve(&question);
    retrieved.expect("it can be searched")
}

fn check_retrieved(library: &memlens_engine::Library, query: &str, params: &Params, part: Part) {
    let lists = library.lists();
    let scope = match &part {
        Part::Folder(scope) => scope.chunks(&lists.snapshot),
        Part::All | Part::Folders(_) | Part::Chunks(_) => {
            std::iter::once(0..lists.snapshot.n_chunks()).collect()
        }
    };
    let Retrieved {
        set,
        rows,
        words: query_words,
        ..
    } = retrieve(library, query, params, part);
    let place = |candidate: &Candidate| lists.place_of(candidate.chunk.0 as i64);
    let places: Vec<u32> = set.candidates.iter().filter_map(place).collect();
    let chunks = naive_chunks(library, query, params.vector_unit);
    let (scores, ideal) = naive_bm25(&chunks, query, params.bm25_join);
    // Word statistics are of the whole library; the hits are those in scope.
    assert!(
        is_close(set.bm25_ideal, ideal),
        "{} in place of {ideal}",
        set.bm25_ideal
    );
    let in_scope: BTreeSet<u32> = scope.iter().cloned().flatten().collect();
    assert_eq!(
        BTreeSet::from_iter(places.iter().copied()),
        in_scope,
        "few enough that all are candidates"
    );
    assert_eq!(set.n_chunks as usize, in_scope.len());
    let n_text_hits = scores
        .keys()
        .filter(|place| in_scope.contains(place))
        .count();
    assert_eq!(hits(&set) as usize, n_text_hits);
    let [vectors, texts] = [ListId::VECTOR, ListId::BM25].map(|id| list(&set, id));
    for (slot, ((candidate, place), row)) in
        (0..).zip(set.candidates.iter().zip(&places).zip(&rows))
    {
        let chunk = &chunks[*place as usize];
        let found = vectors.value(slot).score.expect("every chunk has a vector");
        let bm25 = texts.value(slot).score;
        assert!(
            is_close(found, chunk.vector),
            "{found} in place of {} for {}",
            chunk.vector,
            chunk.text
        );
        match (bm25, scores.get(place)) {
            (Some(found), Some(expected)) => {
                assert!(is_close(found, *expected), "{found} in place of {expected}")
            }
            (found, expected) => assert_eq!(found, expected.copied(), "{}", chunk.text),
        }
        let held = terms(chunk);
        let expected: Vec<u16> = (0..)
            .zip(&query_words)
            .filter(|(_, word)| bm25.is_some() && held.contains(&word.term))
            .map(|(at, _)| at)
            .collect();
        assert_eq!(row.matched, expected);
        assert_eq!(row.note.path, chunk.path);
        assert_eq!(candidate.order, *place);
        assert_eq!(candidate.chunk.0 as i64, lists.snapshot.chunk(*place).1.id);
    }
    check_ranks(&set, vectors, |value| value.score);
    check_ranks(&set, texts, |value| value.score);
    assert!(vectors.values.iter().all(|value| value.rank.is_some()));
    assert!(
        texts
            .values
            .iter()
            .all(|value| value.score.is_some() == value.rank.is_some())
    );
}

fn text(n_words: Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&WORDS[..]), n_words)
        .prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn retrieval_equals_a_naive_computation(
        // The notes are short, so the list stores their lengths exactly; some are equal, so there are ties.
        notes in prop::collection::vec((0..PATHS.len(), text(1..12)), 1..12),
        query in text(1..5),
        (is_and, is_chunk, scope) in (any::<bool>(), any::<bool>(), prop::option::of(prop::sample::select(&["x", "x/y", "z", "x.md"][..]))),
    ) {
        let folder = Notes::new(&[]);
        for (path, text) in &notes {
            folder.write(PATHS[*path], text);
        }
        let dir = fresh(&[folder.path()]);
        let library = open(dir.path());
        let params = Params {
            bm25_join: if is_and { Bm25Join::And } else { Bm25Join::Or },
            vector_unit: if is_chunk { VectorUnit::Chunk } else { VectorUnit::Windows },
            ..Params::default()
        };
        let snapshot = &library.lists().snapshot;
        let part = match scope {
            Some(path) => Part::Folder(Scope { folder: snapshot.folders[0].id, path: path.to_owned() }),
            None => Part::All,
        };
        check_retrieved(&library, &query, &params, part);
    }
}

#[test]
fn lists_are_cut_at_the_greatest_depth() {
    let folder = Notes::new(&[]);
    let lines: String = (0..1300)
        .map(|number| format!("{{\"text\":\"relay {number} hall {}\"}}\n", number % 7))
        .collect();
    folder.write("many.jsonl", lines);
    let dir = fresh(&[folder.path()]);
    let library = open(dir.path());
    assert_eq!(library.lists().snapshot.n_chunks(), 1300);
    // One list prefers low numbers; in the other all chunks tie, so their order decides.
    let Retrieved { set, .. } = retrieve(&library, "relay hall", &Params::default(), Part::All);
    let [vectors, texts] = [ListId::VECTOR, ListId::BM25].map(|id| list(&set, id));
    let ranks = |list: &List| -> Vec<u32> {
        let mut ranks: Vec<u32> = list.values.iter().filter_map(|value| value.rank).collect();
        ranks.sort_unstable();
        ranks
    };
    let expected: Vec<u32> = (1..=1000).collect();
    assert_eq!(ranks(vectors), expected);
    assert_eq!(ranks(texts), expected);
    assert_eq!((set.n_chunks, hits(&set)), (1300, 1300));
    // Both values are facts of every candidate, whether or not it is listed there.
    assert!(
        vectors
            .values
            .iter()
            .chain(&texts.values)
            .all(|value| value.score.is_some())
    );
    assert!(set.candidates.len() >= 1000);
    for list in [vectors, texts] {
        check_ranks(&set, list, |value| {
            value.score.filter(|_| value.rank.is_some())
        });
    }

    // Chunks beyond that depth have their true ranks if these are asked for, and no rank otherwise.
    let ids = library
        .lists()
        .snapshot
        .chunks()
        .map(|(_, chunk)| ChunkId(chunk.id as u64))
        .collect::<Vec<_>>();
    for true_ranks in [true, false] {
        let asked = vector("relay hall");
        let question = Question {
            text: "relay hall",
            vector: Ok(&asked),
            params: &Params::default().values(),
            within: &Within::of(Part::All),
            also: &ids,
            true_ranks,
        };
        let set = library
            .retriever()
            .retrieve(&question)
            .expect("it can be searched")
            .set;
        let n_ranked = if true_ranks { 1300 } else { 1000 };
        for id in [ListId::VECTOR, ListId::BM25] {
            let list = list(&set, id);
            assert_eq!(ranks(list), Vec::from_iter(1..=n_ranked));
            assert!(list.values.iter().all(|value| value.score.is_some()));
            check_ranks(&set, list, |value| {
                value.score.filter(|_| value.rank.is_some())
            });
        }
    }
}

#[test]
fn a_query_without_letters_goes_by_vectors_and_says_so() {
    let folder = Notes::new(&[("a.md", "The relay is quiet."), ("b.md", "?!")]);
    let dir = fresh(&[folder.path()]);
    let library = open(dir.path());
    for query in ["?!", "   ...   ", "\"*\"", "🎉🎉", "-", "()", "_"] {
        let search = library
            .search(query, &Params::default(), None)
            .expect("it can be searched");
        let notice = format!(
            "“{}” has no letters or digits, so BM25 was skipped. The order comes from vectors alone.",
            query.trim()
        );
        assert_eq!(search.notices, [notice]);
        assert!(
            matches!(
                list(search.set(), ListId::BM25).state,
                ListState::Missing(_)
            ) && list(search.set(), ListId::VECTOR).state == ListState::Ready
        );
        assert_eq!(search.set().candidates.len(), 2);
        let report = report(&library, &search, &Params::default()).expect("it can be explained");
        let bm25 = report
            .stages
            .iter()
            .find(|stage| stage.id == "bm25")
            .expect("it is a stage");
        assert_eq!(
            (bm25.status, bm25.why.as_deref()),
            ("skipped", Some("the question has no letters or digits"))
        );
    }
    for query in ["", "  ", "\n\t"] {
        let error = library
            .search(query, &Params::default(), None)
            .err()
            .expect("there is nothing to search for");
        assert_eq!(error.to_string(), "cannot search: type a question");
    }
}

#[test]
fn a_question_of_which_no_word_is_in_any_note_says_so() {
    let folder = Notes::new(&[("a.md", "The relay is quiet."), ("b.md", "It rains.")]);
    let dir = fresh(&[folder.path()]);
    let library = open(dir.path());
    let notices = |query: &str, join| {
        let params = Params {
            bm25_join: join,
            ..Params::default()
        };
        let search = library.search(query, &params, None).expect("it can be");
        search.notices.clone()
    };
    let said = "No word of the question is in your notes; results are by meaning alone.";
    assert_eq!(notices("zzqx blorf", Bm25Join::Or), [said]);
    // One word is enough, also if a row must hold all.
    for join in [Bm25Join::Or, Bm25Join::And] {
        assert_eq!(notices("zzqx relays", join), Vec::<String>::new());
    }
}

#[test]
fn signs_of_query_languages_are_words_or_nothing() {
    let folder = Notes::new(&[
        ("a.md", "Not this and that."),
        ("b.md", "The relay is near."),
        ("c.md", "relay"),
    ]);
    let dir = fresh(&[folder.path()]);
    let library = open(dir.path());
    let found = |query: &str| -> Vec<String> {
        let search = library
            .search(query, &Params::default(), None)
            .expect("it can be searched");
        (0..search.set().candidates.len() as u32)
            .map(|slot| search.row(slot).expect("it has a row"))
            .filter(|row| row.bm25.is_some())
            .map(|row| row.path)
            .collect()
    };
    for (query, expected) in [
        ("NOT relay", &["a.md", "b.md", "c.md"][..]),
        ("-relay", &["b.md", "c.md"]),
        ("\"relay is near\"", &["b.md", "c.md"]),
        ("rel*", &[]),
        ("relay AND this", &["a.md", "b.md", "c.md"]),
        ("relay NEAR/3 hall", &["b.md", "c.md"]),
        ("path:a.md relay^9", &["a.md", "b.md", "c.md"]),
        ("relay OR \"", &["b.md", "c.md"]),
    ] {
        assert_eq!(found(query), expected, "{query}");
    }
}

#[test]
fn scopes_are_read_as_typed() {
    let (first, second) = (
        Notes::new(&[
            ("a.md", "hall"),
            ("x/b.md", "hall"),
            ("x/y/c.md", "hall"),
            ("xx/d.md", "hall"),
        ]),
        Notes::new(&[
            ("e.md", "hall"),
            ("notes/f.md", "hall"),
            ("only/g.md", "hall"),
            ("xx/h.md", "hall"),
        ]),
    );
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    index(dir.path(), &[first.path(), second.path()]);
    let library = open(dir.path());
    let at = |notes: &Notes, path: &str| notes.at(path).display().to_string();
    let found = |typed: &str| -> Result<Vec<String>, String> {
        let scope = library.scope(typed).map_err(|error| error.to_string())?;
        let search = library
            .search("hall", &Params::default(), Some(&scope))
            .map_err(|error| error.to_string())?;
        let rows = search.rows().map_err(|error| error.to_string())?;
        Ok(rows.into_iter().map(|row| row.path).collect())
    };
    let holds = |paths: &[&str]| Ok(paths.iter().map(|path| (*path).to_owned()).collect());
    let nothing = |typed: &str| {
        Err(format!(
            "cannot search in {typed}: no watched folder has notes there"
        ))
    };
    let no_name = |typed: &str| Err(format!("cannot search in {typed}: name a folder or a note"));
    let several = |typed: &str, first: String, second: String| {
        Err(format!(
            "cannot search in {typed}: it could be {first} or {second}"
        ))
    };
    let cases: Vec<(String, Result<Vec<String>, String>)> = vec![
        // Absolute, with and without a path in the folder; the shortest path to the same place counts.
        (
            at(&first, ""),
            holds(&["a.md", "x/b.md", "x/y/c.md", "xx/d.md"]),
        ),
        (at(&first, "x"), holds(&["x/b.md", "x/y/c.md"])),
        (at(&first, "x/"), holds(&["x/b.md", "x/y/c.md"])),
        (at(&first, "x/./y"), holds(&["x/y/c.md"])),
        (at(&first, "x/b.md"), holds(&["x/b.md"])),
        (at(&first, "x/../xx"), holds(&["xx/d.md"])),
        (at(&first, "none"), nothing(&at(&first, "none"))),
        (at(&first, ".."), nothing(&at(&first, ".."))),
        ("/".to_owned(), nothing("/")),
        // By the folder's name.
        ("notes/x".to_owned(), holds(&["x/b.md", "x/y/c.md"])),
        (
            "notes 2".to_owned(),
            holds(&["e.md", "notes/f.md", "only/g.md", "xx/h.md"]),
        ),
        (
            "notes 2/".to_owned(),
            holds(&["e.md", "notes/f.md", "only/g.md", "xx/h.md"]),
        ),
        ("notes 2/notes".to_owned(), holds(&["notes/f.md"])),
        // By a path in any folder.
        ("only".to_owned(), holds(&["only/g.md"])),
        ("x/y".to_owned(), holds(&["x/y/c.md"])),
        ("./x".to_owned(), holds(&["x/b.md", "x/y/c.md"])),
        // A path that may be two places is refused.
        (
            "notes".to_owned(),
            several(
                "notes",
                first.path().display().to_string(),
                at(&second, "notes"),
            ),
        ),
        (
            "xx".to_owned(),
            Err("cannot search in xx: it could be ".to_owned()),
        ),
        ("none".to_owned(), nothing("none")),
        ("notes 3".to_owned(), nothing("notes 3")),
        ("../notes".to_owned(), no_name("../notes")),
        ("x/../x".to_owned(), no_name("x/../x")),
        ("".to_owned(), no_name("")),
        (".".to_owned(), no_name(".")),
    ];
    for (typed, expected) in cases {
        match (found(&typed), expected) {
            // The order of the two folders depends on where the system creates scratch folders.
            (Err(found), Err(expected)) if expected.ends_with(" it could be ") => {
                assert!(found.starts_with(&expected), "{typed}: {found}");
                assert!(
                    found.contains(&at(&first, "xx")) && found.contains(&at(&second, "xx")),
                    "{typed}: {found}"
                );
            }
            (found, expected) => assert_eq!(found, expected, "{typed}"),
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    /// Lists that were updated again and again answer as newly opened ones.
    #[test]
    fn lists_that_follow_answer_as_fresh_ones(
        rounds in prop::collection::vec(prop::collection::vec((0..24_usize, prop::option::of(text(1..40))), 1..4), 1..5),
    ) {
        let folder = Notes::new(&[]);
        for note in 0..24 {
            folder.write(&format!("{}/note{note}.md", note % 3), format!("The relay {note} is quiet in hall {}.", note % 5));
        }
        let dir = fresh(&[folder.path()]);
        let following = open(dir.path());
        let diverse = Params { mmr_lambda: 0.5, ..Params::default() };
        for round in rounds {
            for (note, written) in round {
                let path = format!("{}/note{note}.md", note % 3);
                match written {
                    Some(text) => folder.write(&path, text),
                    None if folder.at(&path).exists() => folder.remove(&path),
                    None => {}
                }
            }
            index(dir.path(), &[folder.path()]);
            following.refresh().expect("it can be taken up");
            for params in [&Params::default(), &diverse] {
                let queries = ["quiet relay", "hall ten night", "oolong"];
                prop_assert_eq!(
                    answers(&following, &queries, params),
                    answers(&open(dir.path()), &queries, params)
                );
            }
        }
    }
}
