//! The stages rerank and hook, checked by hand: formulas of every scale, which rows are sent, the order below them, and
//! the sentences.

use std::collections::{BTreeMap, BTreeSet};

use memlens_params::{HookMode, Params, RerankMode, StageId};
use memlens_rank::{
    CandidateSet, ChunkId, Columns, HookAnswer, NATIVE, RerankScale, RerankScores, Status, Trace,
    rank,
};

/// Returns four rows with the fused scores .8, .6, .4 and .2, of which the first have the given reranker scores.
fn set(mode: RerankMode, scale: RerankScale, scores: &[f64]) -> CandidateSet {
    let cosines = [0, 1, 2, 3].map(|at| 0.8 - 0.2 * f64::from(at));
    let known = RerankScores {
        mode,
        max_chars: if mode == RerankMode::Late { 0 } else { 500 },
        provider: String::new(),
        model: "made up".to_owned(),
        scale,
        scores: (0..).map(ChunkId).zip(scores.iter().copied()).collect(),
        unscored: BTreeSet::new(),
        failure: None,
    };
    CandidateSet {
        rerank: vec![known],
        ..CandidateSet::of_cosines(&cosines)
    }
}

fn params(rerank: RerankMode) -> Params {
    Params {
        rerank,
        threshold_on: false,
        ..Params::default()
    }
}

fn scores(trace: &Trace) -> Vec<(u32, f64)> {
    let stage = trace.stage(StageId::RERANK).unwrap();
    let mut rows: Vec<_> = stage.entries.iter().collect();
    rows.sort_by_key(|entry| entry.rank_after);
    rows.iter()
        .map(|entry| {
            let thousandths = entry.score_after.unwrap() * 1000.0;
            (entry.slot, thousandths.round() / 1000.0)
        })
        .collect()
}

/// Returns the sentence and the formulas of a stage for one row.
fn explained(trace: &Trace, stage: StageId, slot: u32) -> (String, Vec<String>) {
    let journey = trace.journey(slot);
    let step = journey.steps.into_iter().find(|step| step.stage == stage);
    let formulas = journey
        .formula
        .into_iter()
        .filter(|line| line.stage == stage);
    (
        step.unwrap().sentence,
        formulas.map(|line| line.expression).collect(),
    )
}

#[test]
fn a_text_without_a_score_counts_as_not_sent() {
    let mut set = set(RerankMode::Http, RerankScale::Unit, &[0.2, 0.9]);
    set.rerank[0].unscored.insert(ChunkId(2));
    let three = Params {
        rerank_max_docs: 3,
        ..params(RerankMode::Http)
    };
    let trace = rank(&set, &three, &NATIVE);
    let stage = trace.stage(StageId::RERANK).unwrap();
    assert_eq!(
        (stage.status.clone(), stage.note.as_deref()),
        (Status::Applied, Some("2 of 3 texts were scored by made up"))
    );
    let order: Vec<u32> = scores(&trace).iter().map(|(slot, _)| *slot).collect();
    assert_eq!(order, [1, 0, 2, 3]);
    let (sentence, _) = explained(&trace, StageId::RERANK, 2);
    assert_eq!(
        sentence,
        "sent, but the answer has no score for it; counts as not sent; fused 0.400"
    );
    assert_eq!(trace.columns(&set, |_| None).n_pending, 0);
    // A failure of an earlier call does not matter once every text that was sent has been settled.
    set.rerank[0].failure = Some("it broke".to_owned());
    assert_eq!(
        rank(&set, &three, &NATIVE)
            .stage(StageId::RERANK)
            .unwrap()
            .status,
        Status::Applied
    );
    set.rerank[0].scores.clear();
    set.rerank[0].unscored.extend([ChunkId(0), ChunkId(1)]);
    let trace = rank(&set, &three, &NATIVE);
    let skipped = Status::Skipped {
        why: "0 of 3 texts were scored".to_owned(),
    };
    assert_eq!(trace.stage(StageId::RERANK).unwrap().status, skipped);
}

#[test]
fn scores_between_0_and_1_are_blended_as_they_are() {
    let set = set(RerankMode::Http, RerankScale::Unit, &[0.1, 0.9, 0.5, 0.7]);
    let trace = rank(&set, &params(RerankMode::Http), &NATIVE);
    assert_eq!(scores(&trace), [(1, 0.9), (3, 0.7), (2, 0.5), (0, 0.1)]);
    let half = Params {
        rerank_share: 0.5,
        ..params(RerankMode::Http)
    };
    let trace = rank(&set, &half, &NATIVE);
    // Ties follow the total order: rows 0, 2 and 3 have .45.
    assert_eq!(scores(&trace), [(1, 0.75), (0, 0.45), (2, 0.45), (3, 0.45)]);
    let (sentence, formulas) = explained(&trace, StageId::RERANK, 1);
    assert_eq!(sentence, "score 0.900; fused 0.600");
    assert_eq!(formulas, ["0.50 · 0.6000 + 0.50 · 0.9000"]);
}

#[test]
fn logits_go_through_the_logistic_function_and_stay_as_reported() {
    let set = set(
        RerankMode::Model,
        RerankScale::Logit,
        &[-11.0, 0.0, 6.0, 2.0],
    );
    let trace = rank(&set, &params(RerankMode::Model), &NATIVE);
    assert_eq!(scores(&trace), [(2, 0.998), (3, 0.881), (1, 0.5), (0, 0.0)]);
    let (sentence, formulas) = explained(&trace, StageId::RERANK, 0);
    assert_eq!(sentence, "logit \u{2212}11.00; fused 0.800");
    assert_eq!(formulas[0], "logistic = 1 / (1 + e^(11.000))");
    // The threshold is on the model's own scale.
    let above = Params {
        rerank_threshold: Some(1.0),
        ..params(RerankMode::Model)
    };
    let trace = rank(&set, &above, &NATIVE);
    assert_eq!(trace.kept(), [2, 3]);
    assert_eq!(
        explained(&trace, StageId::RERANK, 1).0,
        "below the rerank threshold: logit 0.00 < 1.00"
    );
}

#[test]
fn late_interaction_mixes_what_stands_out_and_keeps_the_span() {
    let set = set(RerankMode::Late, RerankScale::MaxSim, &[0.2, 0.2, 0.2, 0.6]);
    let trace = rank(&set, &params(RerankMode::Late), &NATIVE);
    // z of .8 .6 .4 .2: 1.342 .447 -.447 -1.342; of MaxSim: -.577 three times, 1.732.
    // Mixes: .766 .140 -.486 -.420, mapped to .2 .. .8.
    assert_eq!(scores(&trace), [(0, 0.8), (1, 0.5), (3, 0.232), (2, 0.2)]);
    let (sentence, formulas) = explained(&trace, StageId::RERANK, 3);
    assert_eq!(sentence, "MaxSim 0.600; fused 0.200");
    assert_eq!(
        formulas[..2],
        [
            "mix = 0.7 · \u{2212}1.342 + 0.3 · 1.732",
            "late = 0.2000 + 0.6000 · (\u{2212}0.420 \u{2212} (\u{2212}0.486)) / 1.252"
        ]
    );
    // If all scores are equal, nothing moves.
    let mut flat = set;
    flat.rerank[0].scores = (0..4).map(|at| (ChunkId(at), 0.3)).collect();
    let trace = rank(&flat, &params(RerankMode::Late), &NATIVE);
    assert_eq!(scores(&trace), [(0, 0.8), (1, 0.6), (2, 0.4), (3, 0.2)]);
}

#[test]
fn only_the_best_are_sent_and_the_others_stand_below_them() {
    let set = set(RerankMode::Http, RerankScale::Unit, &[0.3, 0.05]);
    let two = Params {
        rerank_max_docs: 2,
        ..params(RerankMode::Http)
    };
    let trace = rank(&set, &two, &NATIVE);
    assert_eq!(scores(&trace), [(0, 0.3), (1, 0.05), (2, 0.05), (3, -0.15)]);
    let (sentence, formulas) = explained(&trace, StageId::RERANK, 2);
    assert_eq!(sentence, "not sent: rank 3 > 2 sent; fused 0.400");
    assert_eq!(
        formulas,
        ["0.4000 \u{2212} 0.3500, below all reranked rows"]
    );
    // 0 sends the pool, three times the results.
    let pool = Params {
        rerank_max_docs: 0,
        max_results: 1,
        ..params(RerankMode::Http)
    };
    let trace = rank(&set, &pool, &NATIVE);
    assert_eq!(
        trace.stage(StageId::RERANK).unwrap().note.as_deref(),
        Some("1 of 3 scores pending")
    );
    let (sentence, _) = explained(&trace, StageId::RERANK, 2);
    assert_eq!(sentence, "pending: sent, no score yet; fused 0.400");
}

#[test]
fn scores_of_another_way_of_asking_do_not_count() {
    let set = set(RerankMode::Http, RerankScale::Unit, &[0.3, 0.9, 0.1, 0.2]);
    for other in [
        params(RerankMode::Model),
        Params {
            rerank_max_chars: 400,
            ..params(RerankMode::Http)
        },
    ] {
        let trace = rank(&set, &other, &NATIVE);
        assert_eq!(trace.kept(), [0, 1, 2, 3]);
        let waiting = Status::Skipped {
            why: "4 of 4 scores pending".to_owned(),
        };
        assert_eq!(trace.stage(StageId::RERANK).unwrap().status, waiting);
    }
}

#[test]
fn a_failure_counts_only_while_scores_are_missing() {
    let mut set = set(RerankMode::Http, RerankScale::Unit, &[0.3, 0.9]);
    set.rerank[0].failure = Some("no answer".to_owned());
    let two = Params {
        rerank_max_docs: 2,
        ..params(RerankMode::Http)
    };
    assert_eq!(rank(&set, &two, &NATIVE).kept(), [1, 0, 2, 3]);
    let trace = rank(&set, &params(RerankMode::Http), &NATIVE);
    assert_eq!(trace.kept(), [0, 1, 2, 3]);
    assert_eq!(explained(&trace, StageId::RERANK, 0).0, "no answer");
    set.candidates.clear();
    let trace = rank(&set, &two, &NATIVE);
    let none = Status::Skipped {
        why: "no candidates".to_owned(),
    };
    assert_eq!(trace.stage(StageId::RERANK).unwrap().status, none);
}

#[test]
fn columns_of_a_reranker_that_says_nothing_do_not_travel() {
    let mut set = set(RerankMode::Http, RerankScale::Unit, &[0.3]);
    let columns =
        |set: &CandidateSet, params: &Params| rank(set, params, &NATIVE).columns(set, |_| None);
    let lengths = |columns: &Columns| {
        let cells = columns.cells_of("rerank");
        cells.map_or([0; 4], |cells| {
            [
                cells.state.len(),
                cells.value.len(),
                cells.before.len(),
                cells.rank.len(),
            ]
        })
    };
    let on = columns(&set, &params(RerankMode::Http));
    assert_eq!(lengths(&on), [4; 4]);
    assert_eq!(on.fallbacks().count(), 0);
    let off = columns(&set, &params(RerankMode::Off));
    assert_eq!(lengths(&off), [0; 4]);
    set.rerank[0].failure = Some("no answer".to_owned());
    let failed = columns(&set, &params(RerankMode::Http));
    assert_eq!(lengths(&failed), [0; 4]);
    let fallbacks: Vec<String> = failed.fallbacks().collect();
    assert_eq!(fallbacks, ["Rerank fell back: no answer"]);
}

#[test]
fn the_command_is_reported_in_words() {
    let mut set = set(RerankMode::Off, RerankScale::Unit, &[]);
    set.rerank[0].scores = BTreeMap::new();
    let params = Params {
        hook: HookMode::On,
        ..params(RerankMode::Off)
    };
    let hook = |trace: &Trace, slot| explained(trace, StageId::HOOK, slot).0;
    let trace = rank(&set, &params, &NATIVE);
    assert_eq!(
        hook(&trace, 0),
        "the command has not been asked about these rows yet"
    );
    let given: Vec<(ChunkId, f64)> = trace
        .kept()
        .iter()
        .map(|slot| {
            (
                ChunkId(u64::from(*slot)),
                trace.journey(*slot).score.unwrap(),
            )
        })
        .collect();
    set.hook.push(HookAnswer {
        returned: Ok(vec![given[2], (ChunkId(1), 0.9), given[0]]),
        given,
    });
    let trace = rank(&set, &params, &NATIVE);
    assert_eq!(trace.kept(), [2, 1, 0]);
    assert_eq!(hook(&trace, 2), "moved from rank 3 to 1 by the command");
    assert_eq!(
        hook(&trace, 1),
        "kept in place by the command, scored 0.900"
    );
    assert_eq!(
        hook(&trace, 3),
        "dropped by the command, which got it as rank 4"
    );
    assert_eq!(
        trace.journey(2).neighbour.as_deref(),
        Some("rank 2 scores 0.500 more; the command placed it")
    );
}
