//! Measures how long it takes to order 200 candidates. Tuning does this thousands of times.
//!
//! Run it with `cargo bench --workspace --bench order --profile dev`; that profile optimises this crate too.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use memlens_params::{ParameterSet, Params};
use memlens_rank::{
    AnyPipeline, Candidate, CandidateSet, ChunkId, Cosines, List, ListId, NATIVE, order, rank,
};

const N_CANDIDATES: u32 = 200;

/// Returns 200 chunks of 20 notes. Neighbouring chunks overlap. The two lists hold 125 chunks each and share 50.
fn set() -> CandidateSet {
    let mut state = 1_u64;
    let mut share = move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let candidates = (0..N_CANDIDATES).map(|order| {
        let start = order % 10 * 1400;
        Candidate {
            chunk: ChunkId(u64::from(order)),
            order,
            document: order / 10,
            bytes: start..start + 1600,
            tokens: 300,
            cosines: Cosines {
                whole: Some(0.5),
                ..Cosines::default()
            },
            n_matched: 2,
            ..Candidate::default()
        }
    });
    let candidates: Vec<Candidate> = candidates.collect();
    // Out of eight consecutive slots, three are only in the vector list, three only in the text list and two in both.
    // Scores do not follow the order of the slots.
    let vector: Vec<Option<f64>> = (0..N_CANDIDATES)
        .map(|slot| (slot % 8 < 5).then(|| 0.1 + 0.6 * share()))
        .collect();
    let text: Vec<Option<f64>> = (0..N_CANDIDATES)
        .map(|slot| (slot % 8 > 2).then(|| 1.0 + 9.0 * share()))
        .collect();
    CandidateSet {
        candidates,
        n_chunks: 10_000,
        n_words: 5,
        bm25_ideal: 14.0,
        lists: vec![
            List::of_scores(ListId::VECTOR, &vector),
            List::of_scores(ListId::BM25, &text),
        ],
        ..CandidateSet::default()
    }
}

fn bench(criterion: &mut Criterion) {
    let set = set();
    let params = Params::default();
    let values = params.values();
    let deep = Params {
        vector_depth: 1000,
        bm25_depth: 1000,
        ..Params::default()
    };
    let mut group = criterion.benchmark_group("200 candidates");
    group.bench_function("order", |it| {
        it.iter(|| order(black_box(&set), &params, &NATIVE));
    });
    group.bench_function("order by values without a type", |it| {
        it.iter(|| AnyPipeline::order(&NATIVE, black_box(&set), &values));
    });
    group.bench_function("order, none dropped early", |it| {
        it.iter(|| order(black_box(&set), &deep, &NATIVE));
    });
    group.bench_function("rank with its record", |it| {
        it.iter(|| rank(black_box(&set), &params, &NATIVE));
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
