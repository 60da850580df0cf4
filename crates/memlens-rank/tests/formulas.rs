//! The formulas of the pipeline, checked against figures worked out by hand.

use memlens_params::{Params, StageId};
use memlens_rank::{Candidate, CandidateSet, Context, ListState, NATIVE, Status, TextValue, rank};

/// Three chunks: both lists, vector only, text only.
fn three() -> CandidateSet {
    let mut both = Candidate::of_cosine(0, 0.5, 2);
    both.text = TextValue {
        score: Some(4.0),
        rank: Some(1),
        n_matched: 2,
    };
    let vector = Candidate::of_cosine(1, 0.6, 1);
    let mut text = Candidate::of_cosine(2, 0.1, 3);
    text.text = TextValue {
        score: Some(2.0),
        rank: Some(2),
        n_matched: 1,
    };
    CandidateSet {
        bm25_ideal: 10.0,
        n_words: 3,
        text: ListState::Ready,
        n_text_hits: 2,
        ..CandidateSet::of_vectors(vec![both, vector, text])
    }
}

fn check(settings: &[&str], expected: &[(u32, f64)]) {
    let mut params = Params {
        repeats_on: false,
        threshold_on: false,
        ..Params::default()
    };
    params.assign_all(settings.iter().copied()).unwrap();
    let set = three();
    let trace = rank(&set, &params, &NATIVE);
    let columns = trace.columns(
        &Context {
            set: &set,
            params: &params,
        },
        |_| None,
    );
    let found: Vec<(u32, f64)> = trace
        .kept()
        .iter()
        .map(|slot| (*slot, columns.score[*slot as usize].unwrap()))
        .collect();
    assert_eq!(found.len(), expected.len(), "{settings:?}: {found:?}");
    for ((slot, score), (expected_slot, expected_score)) in found.iter().zip(expected) {
        assert_eq!(slot, expected_slot, "{settings:?}: {found:?}");
        assert!(
            (score - expected_score).abs() < 1e-12,
            "{settings:?}: {found:?}"
        );
    }
}

#[test]
fn every_method_gives_its_formula() {
    // (0.6 * cosine + 0.4 * bm25 / 10) / 1.0
    check(
        &[],
        &[
            (0, 0.6 * 0.5 + 0.4 * 0.4),
            (1, 0.6 * 0.6),
            (2, 0.6 * 0.1 + 0.4 * 0.2),
        ],
    );
    check(
        &["fusion=rrf"],
        &[
            (0, 0.6 * 61.0 / 62.0 + 0.4 * 1.0),
            (2, 0.6 * 61.0 / 63.0 + 0.4 * 61.0 / 62.0),
            (1, 0.6),
        ],
    );
    check(
        &["fusion=relative"],
        &[
            (0, 0.6 * (0.2 + 0.8 * 0.8) + 0.4),
            (1, 0.6),
            (2, 0.6 * 0.2 + 0.4 * 0.2),
        ],
    );
    check(
        &["fusion=weighted"],
        &[
            (0, 0.6 * 0.5 + 0.4 * 0.8),
            (1, 0.6 * 0.6),
            (2, 0.6 * 0.1 + 0.4 * 2.0 / 3.0),
        ],
    );
    // The weights are divided out, except by `weighted`.
    check(
        &["vector_weight=0.3", "text_weight=0.2"],
        &[(0, 0.46), (1, 0.36), (2, 0.14)],
    );
    check(
        &["fusion=weighted", "vector_weight=0.3", "text_weight=0"],
        &[(1, 0.18), (0, 0.15), (2, 0.03)],
    );
}

#[test]
fn one_list_alone_ranks_at_its_own_scale() {
    check(&["bm25_on=off"], &[(1, 0.6), (0, 0.5), (2, 0.1)]);
    check(&["vector_on=off"], &[(0, 0.4), (2, 0.2)]);
    check(&["fusion_on=off"], &[(1, 0.6), (0, 0.5), (2, 0.1)]);
    check(&["vector_on=off", "bm25_on=off"], &[]);
    // A weight of 0 on the only list cannot silence it.
    check(
        &["bm25_on=off", "vector_weight=0"],
        &[(1, 0.6), (0, 0.5), (2, 0.1)],
    );
    check(
        &["fusion=rrf", "bm25_on=off"],
        &[(1, 1.0), (0, 61.0 / 62.0), (2, 61.0 / 63.0)],
    );
}

#[test]
fn depth_cuts_the_lists_but_not_the_values() {
    // The text-only chunk is beyond depth 1 of both lists; the first keeps its cosine all the same.
    check(&["vector_depth=1", "bm25_depth=1"], &[(0, 0.46), (1, 0.36)]);
}

#[test]
fn cuts_drop_with_their_reason() {
    let set = three();
    let mut params = Params::default();
    params
        .assign_all(["min_score=0.2", "max_results=1", "budget_tokens=50"])
        .unwrap();
    let trace = rank(&set, &params, &NATIVE);
    let columns = trace.columns(
        &Context {
            set: &set,
            params: &params,
        },
        |_| None,
    );
    assert_eq!(columns.n_kept, 0);
    assert_eq!(columns.order, [0, 1, 2]);
    assert_eq!(
        columns
            .reason
            .iter()
            .map(|reason| reason.as_deref().unwrap())
            .collect::<Vec<_>>(),
        [
            "did not fit: 100 tokens, 50 left",
            "rank 2 > max results 1",
            "kept out by min score: 0.060 below 0.20",
        ]
    );
    let later = Status::Skipped {
        why: "not built yet in this version".to_owned(),
    };
    assert_eq!(trace.stage(StageId::Rerank).unwrap().status, later);
}

#[test]
fn a_journey_tells_every_stage_by_the_same_numbers() {
    let set = three();
    let trace = rank(&set, &Params::default(), &NATIVE);
    let journey = trace.journey(0);
    assert_eq!(
        (journey.rank, journey.steps.len()),
        (Some(1), StageId::ALL.len())
    );
    assert_eq!(journey.bars.last().unwrap().to, journey.score.unwrap());
    assert_eq!(
        journey.neighbour.as_deref(),
        Some("0.100 above rank 2: Vector \u{2212}0.060, BM25 +0.160")
    );
    let formulas: Vec<&str> = journey
        .formula
        .iter()
        .map(|line| line.expression.as_str())
        .collect();
    assert_eq!(
        formulas,
        [
            "2 of 3 words",
            "text = 4.00 / 10.00",
            "0.60 · 0.5000 + 0.40 · 0.4000",
            "RRF: 0.60 · 61/(60+2) + 0.40 · 61/(60+1)",
        ]
    );
}

#[test]
fn an_overlapping_chunk_goes_to_the_back_and_says_who_showed_it() {
    let mut set = three();
    set.candidates[1].bytes = 100..1100; // 900 of its 1000 bytes stand in the best row
    let trace = rank(&set, &Params::default(), &NATIVE);
    assert_eq!(trace.kept(), [0, 2, 1]);
    let columns = trace.columns(
        &Context {
            set: &set,
            params: &Params::default(),
        },
        |_| None,
    );
    assert_eq!(
        columns.remark[1].as_deref(),
        Some("moved back: 90 % of its text is shown by rank 1")
    );
}

#[test]
fn no_candidates_make_an_empty_trace() {
    let trace = rank(
        &CandidateSet::of_vectors(Vec::new()),
        &Params::default(),
        &NATIVE,
    );
    assert!(trace.kept().is_empty() && trace.stages.iter().all(|stage| stage.n_out == 0));
}
