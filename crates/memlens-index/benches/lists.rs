//! Measures the lists at 43,000 rows, which is about 10,000 chunks with their windows, and at 100,000 chunks.
//!
//! `cargo bench -p memlens-index --profile dev`; that profile optimises this crate too.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use memlens_index::{Join, TextEntry, TextIndex, TextWriter, VectorFile, VectorWriter, words};

const N_ROWS: u64 = 43_000;
const N_CHUNKS: u64 = 100_000;
/// Number of results that a search takes from each list.
const DEPTH: usize = 1000;
const DIM: usize = 384;
const WORDS_PER_CHUNK: u64 = 220;

/// Returns a pseudo-random number in `[0, 1)`, the same in every run.
fn random(seed: u64) -> f64 {
    // SplitMix64.
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn unit_vector(seed: u64) -> Vec<f32> {
    let numbers: Vec<f32> = (0..DIM as u64)
        .map(|at| random(seed * 1000 + at) as f32 - 0.5)
        .collect();
    let length = numbers
        .iter()
        .map(|number| number * number)
        .sum::<f32>()
        .sqrt();
    numbers.iter().map(|number| number / length).collect()
}

/// Returns a text in which a few words are common and most are rare, as in any language.
fn text(seed: u64, n_words: u64) -> String {
    const COMMON: [&str; 8] = ["the", "of", "relay", "to", "and", "hours", "is", "quiet"];
    let word = |at: u64| {
        let rank = 30_000_f64.powf(random(seed * 1000 + at)) as usize;
        COMMON
            .get(rank - 1)
            .map_or_else(|| format!("word{rank}"), |word| (*word).to_owned())
    };
    (0..n_words).map(word).collect::<Vec<_>>().join(" ")
}

fn write_vectors(path: &Path) {
    let mut writer = VectorWriter::create(path, "model", DIM).expect("a list can be started");
    for id in 0..N_ROWS {
        writer
            .append(id as i64, &unit_vector(id))
            .expect("a unit vector can be appended");
    }
    writer.commit(1).expect("it can be committed");
}

fn write_text(dir: &Path) {
    let mut writer = TextWriter::create(dir).expect("a list can be started");
    for chunk in 0..N_CHUNKS {
        let text = text(chunk, WORDS_PER_CHUNK);
        writer
            .add(&TextEntry {
                chunk,
                document: chunk / 10,
                text: &text,
                title: "notes",
            })
            .expect("chunks can be added");
    }
    writer.commit(1).expect("it can be committed");
}

fn vectors(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    let path = folder.path().join("vectors");
    write_vectors(&path);
    criterion.bench_function("open vector list (length, checksum, rows by id)", |bench| {
        bench.iter(|| VectorFile::open(&path).expect("the list is sound"));
    });
    let list = VectorFile::open(&path).expect("the list is sound");
    let query = unit_vector(N_ROWS);
    criterion.bench_function("scan vector list", |bench| {
        bench.iter(|| list.dots(black_box(&query)).expect("the query fits"));
    });
}

fn texts(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    write_text(folder.path());
    criterion.bench_function("open text list (checksums, lengths, ids)", |bench| {
        bench.iter(|| TextIndex::open(folder.path()).expect("the list is sound"));
    });
    let index = TextIndex::open(folder.path()).expect("the list is sound");
    // The vector list's candidates, whose words and scores are needed too.
    let others: Vec<u64> = (0..DEPTH as u64)
        .map(|at| at * (N_CHUNKS / DEPTH as u64))
        .collect();
    let mut search = |name: &str, query: &str| {
        criterion.bench_function(&format!("record every hit of {name}"), |bench| {
            bench.iter(|| {
                index
                    .search(black_box(query), Join::Or)
                    .expect("the list is sound")
            });
        });
        criterion.bench_function(&format!("best 1,000 of {name}, words of 2,000"), |bench| {
            bench.iter(|| {
                let scores = index.score(black_box(query), Join::Or);
                let scores = scores.expect("the list is sound");
                let best = scores.best(DEPTH, |chunk| chunk);
                let mut asked: Vec<u64> = best.iter().map(|(_, chunk)| *chunk).collect();
                asked.extend(&others);
                let matched = scores.matched(&asked).expect("the list is sound");
                (scores.n_hits(), best, matched)
            });
        });
    };
    search("4 rare words", "word812 word4711 word20000 word29999");
    search(
        "9 words of a question",
        "when is the relay quiet, and word40 to word812?",
    );
    search("100,000 characters", &text(N_CHUNKS, 14_000));
    let chunk = text(N_ROWS, WORDS_PER_CHUNK);
    criterion.bench_function("words of one chunk", |bench| {
        bench.iter(|| words(black_box(&chunk)))
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = vectors, texts
}
criterion_main!(benches);
