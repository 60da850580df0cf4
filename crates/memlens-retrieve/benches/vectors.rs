//! Computes the vector list of many chunks with codes and by comparing every vector, in one run. Prints both times,
//! their ratio, and whether both results are equal.
//!
//! `cargo bench --profile dev -p memlens-retrieve --bench vectors -- 100000`. Vectors have 384 numbers and are in
//! neighbourhoods of topic, note and chunk, 4.6 per chunk. A question is one more text of some note.

use std::env;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_index::{VectorFile, VectorWriter};
use memlens_params::VectorUnit;
use memlens_retrieve::{BlockRows, DEPTH_MAX, Rows, VectorScores};

const DIM: usize = 384;
const N_QUESTIONS: u64 = 40;
const CHUNKS_PER_NOTE: u64 = 10;

/// Returns a pseudo-random number in `[-1, 1)`, the same in every run.
fn random(seed: u64) -> f32 {
    // SplitMix64.
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z >> 40) as f32 / (1 << 23) as f32 - 1.0
}

/// Returns a text's vector: the sum of a part common to all texts and parts for its topic, note, chunk and itself. Some
/// directions count more than others, as in the vectors of any model.
fn vector(chunk: u64, text: u64) -> Vec<f32> {
    let note = chunk / CHUNKS_PER_NOTE;
    // Few topics are large.
    let topic = (1000.0 * random(note).abs().powi(3)) as u64;
    let parts = [
        (0.4, 1),
        (0.6, 2 + topic),
        (0.45, 10_000 + note),
        (0.35, 1 << 32 | chunk),
        (0.4, 1 << 40 | text),
    ];
    let number = |at: u64| {
        let of = |(weight, seed): &(f32, u64)| weight * random(seed * DIM as u64 + at);
        parts.iter().map(of).sum::<f32>() / (1.0 + at as f32 / 8.0).powf(0.3)
    };
    let numbers: Vec<f32> = (0..DIM as u64).map(number).collect();
    let length = numbers
        .iter()
        .map(|number| number * number)
        .sum::<f32>()
        .sqrt();
    numbers.iter().map(|number| number / length).collect()
}

/// Computes the list without codes: the product with every vector, the score of every chunk, the best of them.
fn by_every_vector(
    vectors: &VectorFile,
    rows: &Rows,
    n_chunks: u32,
    question: &[f32],
) -> Vec<(u32, f64)> {
    let dots = vectors.dots(question).expect("the question fits");
    let dot = |row: u32| f64::from(dots[row as usize]);
    let score = |place: u32| {
        let whole = dot(rows.whole(place));
        let windows = rows.windows(place).iter().map(|row| dot(*row));
        let best = windows.reduce(f64::max);
        (place, best.map_or(whole, |best| (2.0 * best + whole) / 3.0))
    };
    let mut scores: Vec<(u32, f64)> = (0..n_chunks).map(score).collect();
    let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if scores.len() > DEPTH_MAX {
        scores.select_nth_unstable_by(DEPTH_MAX, order);
        scores.truncate(DEPTH_MAX);
    }
    scores.sort_unstable_by(order);
    scores
}

fn main() {
    let mut numbers = env::args().filter_map(|argument| argument.parse().ok());
    let n_chunks: u32 = numbers.next_back().unwrap_or(20_000);
    let folder = tempfile::tempdir().expect("a scratch folder can be made");
    let path = folder.path().join("flat");
    let mut writer = VectorWriter::create(&path, "model", DIM).expect("a list can be started");
    let mut rows = BlockRows::for_chunks(n_chunks as usize, 4 * n_chunks as usize);
    let (mut next, mut appending) = (0_u32, Duration::ZERO);
    for chunk in 0..n_chunks {
        let n_windows = [3, 4, 4, 4, 3][chunk as usize % 5];
        for row in next..=next + n_windows {
            let vector = vector(u64::from(chunk), u64::from(row));
            let started = Instant::now();
            writer
                .append(i64::from(row), &vector)
                .expect("a unit vector can be appended");
            appending += started.elapsed();
        }
        rows.push(next, &(next + 1..=next + n_windows).collect::<Vec<_>>());
        next += n_windows + 1;
    }
    let rows = Rows::of(vec![Arc::new(rows)]);
    writer.commit(1).expect("it can be committed");
    println!(
        "{n_chunks} chunks, {next} vectors; {:.1} µs to append one",
        appending.as_secs_f64() * 1e6 / f64::from(next)
    );
    let started = Instant::now();
    let vectors = VectorFile::open(&path).expect("the list is sound");
    println!(
        "open and check: {:.1} ms",
        started.elapsed().as_secs_f64() * 1e3
    );

    let scope: Vec<_> = std::iter::once(0..n_chunks).collect();
    let (mut times, mut n_same) = ([const { Vec::new() }; 3], 0);
    for number in 0..=N_QUESTIONS {
        let chunk = number * u64::from(n_chunks) / (N_QUESTIONS + 1);
        let question = vector(chunk, 1 << 35 | number);
        let started = Instant::now();
        let expected = by_every_vector(&vectors, &rows, n_chunks, &question);
        let whole = started.elapsed();
        let started = Instant::now();
        let scores = VectorScores::new(&vectors, &rows, VectorUnit::Windows, &scope, &question)
            .expect("the question fits");
        let scan = started.elapsed();
        let found = scores.best(DEPTH_MAX);
        let by_codes = started.elapsed();
        let found = found.iter().map(|(place, value)| (*place, value.score));
        // The first question warms up.
        if number > 0 {
            n_same += u64::from(found.eq(expected));
            for (times, time) in times.iter_mut().zip([whole, scan, by_codes]) {
                times.push(time.as_secs_f64() * 1e3);
            }
        }
    }
    let [whole, scan, by_codes] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    println!(
        "by every vector {whole:.2} ms, by codes {by_codes:.2} ms (ceilings {scan:.2}): ratio {:.3}",
        by_codes / whole
    );
    println!("the same chunks, values and order for {n_same} of {N_QUESTIONS} questions");
    assert_eq!(n_same, N_QUESTIONS);
}
