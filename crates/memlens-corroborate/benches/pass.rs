//! Measures a whole pass over 10,000 and 100,000 observations of 5 to 80 words, and over difficult input.
//!
//! `cargo bench -p memlens-corroborate --profile dev`; that profile optimises this crate too. Prints the peak memory
//! above that of the texts once, counted by its own allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use criterion::{Criterion, criterion_group, criterion_main};
use memlens_corroborate::{Fingerprint, Measure, Observation, aggregate};

/// Counts allocated bytes and their peak.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[allow(
    unsafe_code,
    reason = "an allocator cannot be written without; it only counts"
)]
// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A small generator (SplitMix64), so that every run has the same texts.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Returns a word. The frequencies follow Zipf's law over `n_words` words, as in English.
    fn word(&mut self, n_words: f64) -> String {
        let share = self.below(1 << 30) as f64 / f64::from(1 << 30);
        format!("w{}", n_words.powf(share) as usize)
    }
}

/// The vocabulary size of a user's notes, and that of generated ones.
const MANY_WORDS: f64 = 20_000.0;
const FEW_WORDS: f64 = 2_000.0;

/// Returns texts of 5 to 80 words. Every fifth repeats an earlier one with one word changed.
fn texts(n: usize, n_words: f64) -> Vec<String> {
    let mut random = Random(1);
    let mut texts: Vec<Vec<String>> = Vec::with_capacity(n);
    for at in 0..n {
        let mut words: Vec<String> = if at % 5 == 4 {
            texts[random.below(at)].clone()
        } else {
            (0..5 + random.below(76))
                .map(|_| random.word(n_words))
                .collect()
        };
        if at % 10 == 9 {
            let place = random.below(words.len());
            words[place] = random.word(n_words);
        }
        texts.push(words);
    }
    texts.into_iter().map(|words| words.join(" ")).collect()
}

/// Returns variants of one pattern of 20 words with one distinct word each, a number or letters, so that all are near
/// each other.
fn pattern(n: usize, own: impl Fn(usize) -> String) -> Vec<String> {
    let words = "the nightly run of the copy job ended well on the second host after some minutes and left nothing behind";
    (0..n).map(|at| format!("{words} {}", own(at))).collect()
}

/// Writes a number as letters.
fn letters(at: usize) -> String {
    at.to_string()
        .bytes()
        .map(|digit| char::from(digit - b'0' + b'a'))
        .collect()
}

/// Returns variants of one pattern of 79 words, each with another word replaced; most differ by two.
fn replaced(n: usize) -> Vec<String> {
    const N_WORDS: usize = 79;
    let mut random = Random(2);
    let text = |at: usize| {
        let mut words: Vec<String> = (0..N_WORDS).map(letters).collect();
        words[random.below(N_WORDS)] = format!("own{}", letters(at));
        words.join(" ")
    };
    (0..n).map(text).collect()
}

/// Returns texts with a length from the given range, drawn from `n_words` words.
fn drawn(n: usize, length: Range<usize>, n_words: usize) -> Vec<String> {
    let mut random = Random(3);
    let mut text = || {
        let length = length.start + random.below(length.len());
        let words: Vec<String> = (0..length)
            .map(|_| letters(random.below(n_words)))
            .collect();
        words.join(" ")
    };
    (0..n).map(|_| text()).collect()
}

fn pass(texts: &[String]) -> usize {
    let fingerprints: Vec<Fingerprint> = texts.iter().map(|text| Fingerprint::of(text)).collect();
    let observations: Vec<Observation<'_>> = (0..)
        .zip(&fingerprints)
        .map(|(at, fingerprint)| Observation {
            fingerprint,
            source: at % 5,
            document: at / 10,
        })
        .collect();
    let found = aggregate(&observations, &[]);
    Measure::ALL
        .iter()
        .map(|measure| found.of(*measure).members(7).len())
        .sum()
}

#[allow(clippy::disallowed_macros, reason = "a bench prints its figures")]
fn passes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a full pass");
    group.sample_size(10);
    for (name, texts) in [
        ("10,000", texts(10_000, MANY_WORDS)),
        ("100,000", texts(100_000, MANY_WORDS)),
        ("80,000 of few words", texts(80_000, FEW_WORDS)),
        (
            "10,000 alike",
            vec!["the boat is lifted out in october".to_owned(); 10_000],
        ),
        (
            "10,000 of one pattern by number",
            pattern(10_000, |at| at.to_string()),
        ),
        ("10,000 of one pattern by word", pattern(10_000, letters)),
        ("100,000 of one pattern by word", pattern(100_000, letters)),
        ("10,000 that share 78 of 79 words", replaced(10_000)),
        ("10,000 of 50 words", drawn(10_000, 5..81, 50)),
        (
            "10,000 long ones of 600 words",
            drawn(10_000, 200..500, 600),
        ),
    ] {
        let before = IN_USE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let n_clusters = pass(&texts);
        let peak = (PEAK.load(Ordering::Relaxed) - before) as f64 / 1e6;
        println!("{name}: {n_clusters} clusters, peak {peak:.0} MB");
        group.bench_function(name, |bencher| bencher.iter(|| pass(black_box(&texts))));
    }
    group.finish();
}

criterion_group!(benches, passes);
criterion_main!(benches);
