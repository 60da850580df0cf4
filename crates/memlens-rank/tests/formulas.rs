//! The formulas of the pipeline, checked against figures worked out by hand.

use std::sync::Arc;

use memlens_corroborate::{Fingerprint, Observation, aggregate};
use memlens_params::{ParameterSet, Params, StageId, stages};
use memlens_rank::{
    Age, CandidateSet, Columns, DateSource, Directions, List, ListId, NATIVE, Status, Thumbs,
    number, rank,
};

#[path = "formulas/fusion.rs"]
mod fusion;

/// Three chunks: both lists, vector only, text only.
fn three() -> CandidateSet {
    let mut set = CandidateSet::of_cosines(&[0.5, 0.6, 0.1]);
    set.lists[1] = List::of_scores(ListId::BM25, &[Some(4.0), None, Some(2.0)]);
    set.candidates[0].n_matched = 2;
    set.candidates[2].n_matched = 1;
    CandidateSet {
        bm25_ideal: 10.0,
        n_words: 3,
        ..set
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
    let columns = trace.columns(&set, |_| None);
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
    // The result is divided by the weights, except under `weighted`.
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
    // A weight of 0 on the only list in use cannot silence it.
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
    // The text-only chunk is beyond depth 1 of both lists. The first one still keeps its cosine.
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
    let columns = trace.columns(&set, |_| None);
    assert_eq!(columns.n_kept, 0);
    assert_eq!(columns.order, [0, 1, 2]);
    assert_eq!(
        columns
            .reason
            .iter()
            .map(|reason| reason.as_deref().unwrap())
            .collect::<Vec<_>>(),
        [
            "does not fit: 100 tokens, 50 left",
            "rank 2 > max results 1",
            "below min score: 0.140 < 0.20",
        ]
    );
    let later = Status::Skipped {
        why: "off: no provider is chosen".to_owned(),
    };
    assert_eq!(trace.stage(StageId::RERANK).unwrap().status, later);
}

#[test]
fn a_journey_tells_every_stage_by_the_same_numbers() {
    let set = three();
    let trace = rank(&set, &Params::default(), &NATIVE);
    let journey = trace.journey(0);
    assert_eq!(
        (journey.rank, journey.steps.len()),
        (Some(1), stages().len())
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
fn cosines_of_another_scale_are_mapped_in_the_formula() {
    let mut set = three();
    set.candidates[0].cosines.window = Some(0.9);
    set.candidates[0].cosines.whole = Some(0.825);
    set.candidates[1].cosines.whole = Some(0.9);
    let said = |set: &CandidateSet, slot: u32| {
        let journey = rank(set, &Params::default(), &NATIVE).journey(slot);
        let of_list = journey.formula.into_iter();
        let of_list = of_list.filter(|line| line.stage == StageId::VECTOR);
        let formulas: Vec<String> = of_list
            .map(|line| format!("{} = {:.4}", line.expression, line.value))
            .collect();
        (sentence(set, &[], StageId::VECTOR, slot), formulas)
    };
    let (plain, formulas) = said(&set, 0);
    assert_eq!(plain, "rank 2, cosine 0.500");
    assert_eq!(formulas, ["(2 · 0.9000 + 0.8250) / 3 = 0.5000"]);
    assert_eq!(said(&set, 1).1, [""; 0]);
    // (0.875 - 0.75) / 0.25, and (0.9 - 0.75) / 0.25.
    set.cosine_zero = 0.75;
    let (scaled, formulas) = said(&set, 0);
    assert_eq!(scaled, "rank 2, scaled cosine 0.500");
    let mapped = "((2 · 0.9000 + 0.8250) / 3 − 0.75) / (1 − 0.75) = 0.5000";
    assert_eq!(formulas, [mapped]);
    assert_eq!(said(&set, 1).1, ["(0.9000 − 0.75) / (1 − 0.75) = 0.6000"]);
}

#[test]
fn what_reads_as_zero_has_no_sign() {
    assert_eq!(number(-0.0, 3), "0.000");
    assert_eq!(number(-0.000_4, 3), "0.000");
    assert_eq!(number(-0.000_6, 3), "\u{2212}0.001");
}

#[test]
fn a_stage_that_was_skipped_parts_no_neighbours() {
    let params = Params {
        bm25_on: false,
        ..Params::default()
    };
    let journey = rank(&three(), &params, &NATIVE).journey(1);
    assert_eq!(
        journey.neighbour.as_deref(),
        Some("0.100 above rank 2: Vector +0.100")
    );
}

#[test]
fn an_overlapping_chunk_goes_to_the_back_and_says_who_showed_it() {
    let mut set = three();
    set.candidates[1].bytes = 100..1100; // 900 of its 1000 bytes are in the best row
    let trace = rank(&set, &Params::default(), &NATIVE);
    assert_eq!(trace.kept(), [0, 2, 1]);
    let columns = trace.columns(&set, |_| None);
    assert_eq!(
        columns.remark[1].as_deref(),
        Some("moved to the end: 90 % of its text is already shown by rank 1")
    );
}

#[test]
fn copies_are_folded_under_the_best_and_listed_newest_first() {
    let mut set = CandidateSet::of_cosines(&[0.5, 0.6, 0.55, 0.4, 0.3]);
    for (slot, days) in [(0, 30.0), (2, 400.0), (3, 2.0)] {
        set.candidates[slot].copies = Some(0);
        set.candidates[slot].age = Age::Days {
            days,
            from: DateSource::FileName,
        };
    }
    let trace = rank(&set, &Params::default(), &NATIVE);
    assert_eq!(trace.kept(), [1, 2, 4]);
    let columns = trace.columns(&set, |_| None);
    let folded: Vec<(u32, &[u32])> = columns
        .copies
        .iter()
        .map(|row| (row.slot, &row.copies[..]))
        .collect();
    assert_eq!(folded, [(2, &[3, 0][..])]);
    assert_eq!(columns.remark[2].as_deref(), Some("and 2 copies"));
    assert_eq!(columns.dropped_by[0], Some(StageId::REPEATS));
    assert_eq!(
        columns.reason[0].as_deref(),
        Some("folded: its text is a copy of that of rank 2")
    );
    assert_eq!(columns.order, [1, 2, 4, 0, 3]);
    let stage = trace.stage(StageId::REPEATS).unwrap();
    assert_eq!(stage.note.as_deref(), Some("2 copies folded"));
    let kept = |settings: &[&str]| rank(&set, &params_of(settings), &NATIVE).kept().to_vec();
    for settings in [["copies=keep"], ["repeats_on=false"]] {
        assert_eq!(kept(&settings), [1, 2, 0, 3, 4], "{settings:?}");
    }
    // Copies differ from lines that are shown twice: either setting works without the other.
    assert_eq!(kept(&["repeat_share=1"]), [1, 2, 4]);
    let off = rank(
        &set,
        &params_of(&["repeat_share=1", "copies=keep"]),
        &NATIVE,
    );
    let why = "off: share 1, copies kept".to_owned();
    assert_eq!(
        off.stage(StageId::REPEATS).unwrap().status,
        Status::Skipped { why }
    );
}

/// Returns one observation per candidate, with the given texts. Each is its own source, except that the last shares the
/// source of the first.
fn saying(texts: &[&str]) -> CandidateSet {
    let fingerprints: Vec<Fingerprint> = texts.iter().map(|text| Fingerprint::of(text)).collect();
    let last = texts.len() as u32 - 1;
    let observations: Vec<Observation<'_>> = (0..)
        .zip(&fingerprints)
        .map(|(at, fingerprint)| Observation {
            fingerprint,
            source: if at == last { 0 } else { at },
            document: at,
        })
        .collect();
    let cosines: Vec<f64> = (0..texts.len()).map(|at| 0.9 - at as f64 * 0.05).collect();
    let mut set = CandidateSet::of_cosines(&cosines);
    for (at, candidate) in (0..).zip(&mut set.candidates) {
        candidate.observations = at..at + 1;
    }
    CandidateSet {
        clustering: Some(Arc::new(aggregate(&observations, &[]))),
        ..set
    }
}

fn params_of(settings: &[&str]) -> Params {
    // Off by default; these tests cover the stages' behaviour.
    let mut params = Params {
        corroboration_on: true,
        feedback_on: true,
        ..Params::default()
    };
    params.assign_all(settings.iter().copied()).unwrap();
    params
}

/// Returns the sentence of a stage for one row.
fn sentence(set: &CandidateSet, settings: &[&str], stage: StageId, slot: u32) -> String {
    let journey = rank(set, &params_of(settings), &NATIVE).journey(slot);
    let step = journey.steps.into_iter().find(|step| step.stage == stage);
    step.unwrap().sentence
}

const SAME: &str = "the relay listens on its usual port";

#[test]
fn corroboration_adds_by_the_logarithm() {
    for (n, expected) in [
        (1, 0.0),
        (2, 0.1),
        (3, 0.1585),
        (5, 0.2322),
        (9, 0.3170),
        (54, 0.3170),
    ] {
        let set = saying(&vec![SAME; n]);
        let trace = rank(&set, &params_of(&["max_results=100"]), &NATIVE);
        let entry = trace.stage(StageId::CORROBORATION).unwrap().entries.first();
        let added = entry.and_then(|entry| entry.change()).unwrap_or(0.0);
        assert!((added - expected).abs() < 5e-5, "{n}: {added}");
    }
    let stage = StageId::CORROBORATION;
    assert_eq!(
        sentence(&saying(&[SAME; 54]), &["max_results=100"], stage, 0),
        "+0.317: 53 other observations say the same, 8 of them count (word fingerprints at least 95 % alike)"
    );
    let set = saying(&[SAME, "a word of another kind", SAME, SAME]);
    assert_eq!(
        sentence(&set, &[], stage, 0),
        "+0.158: 2 other observations say the same (word fingerprints at least 95 % alike)"
    );
    assert_eq!(
        sentence(&set, &["corroboration_by=sources"], stage, 3),
        "+0.100: 1 other source says the same (word fingerprints at least 95 % alike)"
    );
    assert_eq!(
        sentence(&set, &["agreement_measure=words"], stage, 1),
        "no other observation says the same (word overlap of at least 60 %)"
    );
    // Two of the three are of one source; a row that adds nothing is not counted.
    let note = |set: &CandidateSet, settings: &[&str]| {
        let trace = rank(set, &params_of(settings), &NATIVE);
        trace.stage(stage).unwrap().note.clone().unwrap()
    };
    assert_eq!(note(&set, &[]), "3 corroborated");
    let copies = saying(&[SAME, SAME]);
    let by_sources = ["corroboration_by=sources"];
    assert_eq!(note(&copies, &by_sources), "0 corroborated");
    assert_eq!(
        sentence(&set, &["near_duplicates=collapse"], stage, 3),
        "already said by rank 1 (word fingerprints at least 95 % alike)"
    );
    let trace = rank(&set, &params_of(&["near_duplicates=collapse"]), &NATIVE);
    assert_eq!(trace.kept(), [0, 1]);
}

#[test]
fn the_share_of_words_decides_where_simhash_is_blind() {
    let set = saying(&[
        "the push relay listens on port 8093",
        "the push service listens on port 8093",
    ]);
    let stage = StageId::CORROBORATION;
    // The texts are 7 bits apart.
    assert_eq!(
        sentence(&set, &["simhash_distance=6"], stage, 0),
        "no chunk is corroborated"
    );
    // Six of eight words.
    for (overlap, expected) in [("0.75", true), ("0.76", false)] {
        let overlap = format!("word_overlap={overlap}");
        let said = sentence(&set, &["agreement_measure=words", &overlap], stage, 0);
        assert_eq!(said.starts_with("+0.100"), expected, "{overlap}: {said}");
    }
}

#[test]
fn thumbs_and_age_weigh_and_the_journey_tells_how() {
    let mut set = saying(&[SAME, SAME]);
    set.candidates[0].thumbs = Thumbs::for_this_question(2, 1);
    set.candidates[1].age = Age::Days {
        days: 30.0,
        from: DateSource::FileName,
    };
    let trace = rank(&set, &params_of(&["half_life_days=30"]), &NATIVE);
    let journey = |slot| trace.journey(slot);
    assert!((journey(0).score.unwrap() - 1.0 * 1.1).abs() < 1e-12);
    assert!((journey(1).score.unwrap() - 0.95 * 0.5).abs() < 1e-12);
    let lines = |slot| -> Vec<String> {
        let formula = journey(slot).formula.into_iter();
        formula
            .skip_while(|line| line.stage != StageId::FUSION)
            .filter(|line| line.stage != StageId::FUSION)
            .map(|line| format!("{} = {:.4}", line.expression, line.value))
            .collect()
    };
    assert_eq!(
        lines(0),
        [
            "0.9000 + 0.10 · log2(1 + 1) = 1.0000",
            "weight = 1 + 1.00 · 0.5 · (2 \u{2212} 1) / (2 + 1 + 2) = 1.1000",
            "1.0000 · 1.1000 = 1.1000",
        ]
    );
    assert_eq!(
        lines(1),
        [
            "0.8500 + 0.10 · log2(1 + 1) = 0.9500",
            "age = e^(\u{2212}ln 2 · 30.000 / 30) = 0.5000",
            "0.9500 · 0.5000 = 0.4750",
        ]
    );
    let bars: Vec<(String, bool)> = journey(1)
        .bars
        .into_iter()
        .map(|bar| (bar.label, bar.total))
        .collect();
    let expected = [
        ("Vector", false),
        ("BM25", false),
        ("Fused", true),
        ("Corroboration", false),
        ("Decay", false),
        ("Score", true),
    ];
    assert_eq!(
        bars,
        expected.map(|(label, total)| (label.to_owned(), total))
    );
    assert_eq!(
        journey(0).neighbour.as_deref(),
        Some(
            "0.625 above rank 2: Vector +0.050, Corroboration +0.000, Feedback +0.100, Decay +0.475"
        )
    );
    let columns = trace.columns(&set, |_| None);
    assert_eq!(values(&columns, "corroboration"), [Some(1.0), Some(1.0)]);
    assert_eq!(values(&columns, "feedback"), [Some(1.1), None]);
}

#[test]
fn columns_of_a_stage_that_says_nothing_do_not_travel() {
    let mut set = saying(&[SAME, SAME]);
    let lengths = |set: &CandidateSet, settings: &[&str]| {
        let params = &params_of(settings);
        let columns = rank(set, params, &NATIVE).columns(set, |_| None);
        assert_eq!(columns.cells_of("decay"), None);
        assert_eq!(columns.cells_of("diversity"), None);
        let length = |key| values(&columns, key).len();
        (length("corroboration"), length("feedback"))
    };
    assert_eq!(lengths(&set, &[]), (2, 0));
    assert_eq!(lengths(&set, &["corroboration_on=off"]), (0, 0));
    set.candidates[0].thumbs = Thumbs::for_this_question(1, 0);
    assert_eq!(lengths(&set, &["corroboration_gain=0"]), (0, 2));
    assert_eq!(lengths(&set, &["feedback_strength=0"]), (2, 0));
}

#[test]
fn thumbs_count_by_how_close_their_questions_are() {
    let mut set = saying(&[SAME, SAME]);
    let mut give = |n_up, n_down, up, down| {
        set.candidates[0].thumbs = Thumbs {
            n_up,
            n_down,
            up,
            down,
        };
        let trace = rank(&set, &params_of(&["corroboration_on=off"]), &NATIVE);
        let journey = trace.journey(0);
        let columns = trace.columns(&set, |_| None);
        let weight = values(&columns, "feedback").first().copied().flatten();
        let step = journey
            .steps
            .into_iter()
            .find(|step| step.stage == StageId::FEEDBACK);
        let line = journey
            .formula
            .into_iter()
            .find(|line| line.stage == StageId::FEEDBACK);
        (
            weight,
            step.unwrap().sentence,
            line.map(|line| line.expression),
        )
    };
    assert_eq!(
        give(1, 2, 0.5, 1.25),
        (
            Some(0.9),
            "1 up, 2 down, counted as 0.500 and 1.250 by how close their questions are to this one: weight 0.900".to_owned(),
            Some("weight = 1 + 1.00 · 0.5 · (0.500 \u{2212} 1.250) / (0.500 + 1.250 + 2)".to_owned()),
        )
    );
    let far = "no thumb was given for a question close to this one";
    assert_eq!(give(3, 1, 0.0, 0.0), (None, far.to_owned(), None));
    assert_eq!(
        give(0, 0, 0.0, 0.0),
        (None, "no chunk has a thumb".to_owned(), None)
    );
    let off = rank(&set, &Params::default(), &NATIVE);
    let why = "switched off".to_owned();
    assert_eq!(
        off.stage(StageId::FEEDBACK).unwrap().status,
        Status::Skipped { why }
    );
}

#[test]
fn min_score_compares_the_score_before_decay() {
    let mut set = CandidateSet::of_cosines(&[0.5, 0.4]);
    for candidate in &mut set.candidates {
        candidate.age = Age::Days {
            days: 400.0,
            from: DateSource::Written,
        };
    }
    let ranked = |settings: &[&str]| {
        let params = params_of(&[&["half_life_days=30"], settings].concat());
        rank(&set, &params, &NATIVE)
    };
    let trace = ranked(&[]);
    assert_eq!(trace.kept(), [0, 1]);
    let said = |trace: &memlens_rank::Trace, slot| {
        let journey = trace.journey(slot);
        let step = journey
            .steps
            .iter()
            .find(|step| step.stage == StageId::THRESHOLD);
        (step.unwrap().sentence.clone(), journey.short_by)
    };
    assert_eq!(
        said(&trace, 1),
        ("0.300 above 0.100 before decay".to_owned(), None)
    );
    let columns = trace.columns(&set, |_| None);
    assert_eq!(columns.min_score_mark, Some(0.4));
    assert!(columns.score[1].unwrap() < 0.0001);
    let trace = ranked(&["min_score=0.45"]);
    assert_eq!(trace.kept(), [0]);
    let (sentence, short_by) = said(&trace, 1);
    assert_eq!(sentence, "below min score: 0.400 before decay < 0.45");
    assert!((short_by.unwrap() - 0.05).abs() < 1e-12);
    // The share of the best compares scores after decay, which are on one scale.
    let trace = ranked(&["min_score_of_best=0.9"]);
    assert_eq!(trace.kept(), [0]);
    assert_eq!(said(&trace, 1).1, None);
}

#[test]
fn a_date_in_the_future_counts_as_today_and_an_evergreen_file_does_not_decay() {
    let mut set = saying(&[SAME, SAME, SAME]);
    set.candidates[0].age = Age::Days {
        days: -400.0,
        from: DateSource::Written,
    };
    set.candidates[1].age = Age::Evergreen;
    let said = |slot| sentence(&set, &["half_life_days=7"], StageId::DECAY, slot);
    assert_eq!(said(0), "0 days old by its own date: weight 1.000");
    assert_eq!(said(1), "evergreen, so it does not decay");
    assert_eq!(said(2), "no date, so it does not decay");
    let columns = rank(&set, &params_of(&["half_life_days=7"]), &NATIVE).columns(&set, |_| None);
    assert_eq!(values(&columns, "decay"), [Some(1.0), None, None]);
    // Saved a minute ago, and a day ago.
    for (days, expected) in [
        (
            1.0 / 1440.0,
            "0 days old by the file's last change: weight 1.000",
        ),
        (1.2, "1 day old by the file's last change: weight 0.888"),
    ] {
        let from = DateSource::Modified;
        set.candidates[0].age = Age::Days { days, from };
        assert_eq!(
            sentence(&set, &["half_life_days=7"], StageId::DECAY, 0),
            expected
        );
    }
}

#[test]
fn diversity_brings_up_what_is_unlike() {
    let mut set = saying(&["one red sun", "two red moons", "three red stars"]);
    set.directions = Some(Arc::new(Directions::of(
        2,
        [&[1.0, 0.0][..], &[1.0, 0.0], &[0.0, 1.0]],
    )));
    for (slot, candidate) in (0..).zip(&mut set.candidates) {
        candidate.direction = Some(slot);
    }
    let trace = rank(&set, &params_of(&["mmr_lambda=0.5"]), &NATIVE);
    assert_eq!(trace.kept(), [0, 2, 1]);
    let columns = trace.columns(&set, |_| None);
    let moves = columns.cells_of("diversity").unwrap();
    assert_eq!(moves.before, [Some(1), Some(2), Some(3)]);
    assert_eq!(moves.rank, [Some(1), Some(3), Some(2)]);
    let said = |slot| sentence(&set, &["mmr_lambda=0.5"], StageId::DIVERSITY, slot);
    assert_eq!(said(0), "first: the best score");
    assert_eq!(said(1), "most similar to rank 1 above, cosine 1.000");
    assert_eq!(
        trace.journey(2).neighbour.as_deref(),
        Some("rank 3 scores 0.050 more; diversity placed it")
    );
}

#[test]
fn a_stage_with_nothing_to_do_says_why() {
    let set = saying(&["one red sun", "two green moons"]);
    let check = |settings: &[&str], stage, expected: &str| {
        assert_eq!(sentence(&set, settings, stage, 0), expected)
    };
    let none = saying(&["one red sun"]);
    check(&[], StageId::CORROBORATION, "no chunk is corroborated");
    check(
        &["corroboration_gain=0"],
        StageId::CORROBORATION,
        "off: gain 0, near-duplicates kept",
    );
    check(
        &["corroboration_on=off"],
        StageId::CORROBORATION,
        "switched off",
    );
    check(&[], StageId::FEEDBACK, "no chunk has a thumb");
    check(
        &["feedback_strength=0"],
        StageId::FEEDBACK,
        "off: strength 0",
    );
    check(&[], StageId::DECAY, "off: half-life 0");
    check(
        &["half_life_days=30"],
        StageId::DECAY,
        "no chunk has a date that counts",
    );
    check(&[], StageId::DIVERSITY, "off: λ 1");
    check(
        &["mmr_lambda=0.5"],
        StageId::DIVERSITY,
        "no vectors to compare",
    );
    let bare = CandidateSet {
        clustering: None,
        ..none
    };
    assert_eq!(
        sentence(&bare, &[], StageId::CORROBORATION, 0),
        "observations are not aggregated yet"
    );
}

#[test]
fn no_candidates_make_an_empty_trace() {
    let trace = rank(&CandidateSet::of_cosines(&[]), &Params::default(), &NATIVE);
    assert!(trace.kept().is_empty() && trace.stages.iter().all(|stage| stage.n_out == 0));
}

/// Returns the numbers of a column; empty if the ranking has no such column.
fn values<'a>(columns: &'a Columns, key: &str) -> &'a [Option<f64>] {
    columns.cells_of(key).map_or(&[], |cells| &cells.value)
}
