//! What only one list holds is returned at the defaults.

use memlens_params::{FusionMethod, Params};

use super::{Facts, kept_chunks, set_of, traced};

/// Under every fusion method a chunk of cosine 0.45 without a text hit is returned at the defaults, whatever its rank
/// in the vector list.
#[test]
fn a_chunk_without_a_text_hit_is_returned_at_the_defaults() {
    for fusion in [
        FusionMethod::Calibrated,
        FusionMethod::Rrf,
        FusionMethod::Relative,
        FusionMethod::Weighted,
    ] {
        for better in [0u32, 8] {
            let mut facts: Vec<Facts> = (0..better)
                .map(|at| (0.9, Some(6.0), 1, at * 2000, 1000, 50))
                .collect();
            facts.push((0.45, None, 0, 0, 1000, 50));
            facts.extend((0..40).map(|at| (0.1, None, 2, at * 2000, 1000, 50)));
            let set = set_of(facts, true, true);
            let params = Params {
                fusion,
                ..Params::default()
            };
            let trace = traced(&set, &params);
            assert!(
                kept_chunks(&set, &trace).contains(&u64::from(better)),
                "{fusion:?} after {better}"
            );
        }
    }
}

#[test]
fn the_first_keyword_only_hit_of_normalised_rrf_passes_the_default_threshold() {
    let mut facts: Vec<Facts> = (0..30)
        .map(|at| (0.5, None, 1, at * 2000, 1000, 50))
        .collect();
    facts.push((-0.2, Some(4.0), 0, 0, 1000, 50));
    let set = set_of(facts, true, true);
    let params = Params {
        fusion: FusionMethod::Rrf,
        vector_weight: 0.7,
        text_weight: 0.3,
        vector_depth: 10,
        max_results: 100,
        ..Params::default()
    };
    let trace = traced(&set, &params);
    let columns = trace.columns(&set, |_| None);
    assert!((columns.score[30].unwrap() - 0.3).abs() < 1e-12);
    assert!(kept_chunks(&set, &trace).contains(&30));
}
