//! Properties that hold for arbitrary facts and parameters: the same input gives the same trace; the order of the
//! candidates does not matter; replay gives every score; raising min_score only removes rows; the budget is never
//! exceeded; stages at their identity change nothing; more agreement and more thumbs never lower a row; reranked rows
//! are above all others; an external failure changes nothing; the optimised code equals the naive one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memlens_corroborate::{Fingerprint, Observation, aggregate};
use memlens_params::{
    AgreementMeasure, Copies, CorroborationBy, FusionMethod, HookMode, NearDuplicates, Params,
    RerankMode, StageId,
};
use memlens_rank::{
    Age, Candidate, CandidateSet, ChunkId, Corroboration, Cosines, DateSource, Directions, Effect,
    Entry, Feedback, HookAnswer, HookMove, List, ListId, Listed, NATIVE, Names, Rerank,
    RerankScale, RerankScores, RerankState, StageTrace, Status, Thumbs, Trace, chars_read,
    dropped_at, order, rank,
};
use proptest::prelude::*;

#[path = "properties/defaults.rs"]
mod defaults;

/// Facts of one chunk before the lists are formed: cosine, BM25, document, start, length, tokens.
type Facts = (f64, Option<f64>, u32, u32, u32, u32);

fn set_of(facts: Vec<Facts>, has_vector: bool, has_text: bool) -> CandidateSet {
    let list = |id, is_there, why: &str, scores: Vec<Option<f64>>| {
        if is_there {
            List::of_scores(id, &scores)
        } else {
            List::missing(id, why)
        }
    };
    let cosines = facts.iter().map(|facts| Some(facts.0)).collect();
    let bm25 = facts.iter().map(|facts| facts.1).collect();
    let candidates =
        facts
            .iter()
            .enumerate()
            .map(
                |(at, (cosine, _, document, start, length, tokens))| Candidate {
                    chunk: ChunkId(at as u64),
                    order: at as u32,
                    document: *document,
                    bytes: *start..start + length,
                    tokens: *tokens,
                    cosines: Cosines {
                        whole: has_vector.then_some(*cosine),
                        ..Cosines::default()
                    },
                    n_matched: 1,
                    is_other_language: document % 3 == 2,
                    ..Candidate::default()
                },
            );
    CandidateSet {
        n_chunks: facts.len() as u32,
        candidates: candidates.collect(),
        n_words: 3,
        bm25_ideal: 12.0,
        names: Arc::new(Names {
            held: 3.0,
            all: 10.0,
            share: 0.3,
            ..Names::default()
        }),
        lists: vec![
            list(ListId::VECTOR, has_vector, "no model", cosines),
            list(ListId::BM25, has_text, "no word", bm25),
        ],
        ..CandidateSet::default()
    }
}

prop_compose! {
    fn sets()(
        facts in prop::collection::vec((-1.0..1.0f64, prop::option::of(0.01..11.0f64), 0..4u32, 0..3000u32, 0..1600u32, 0..400u32), 0..60),
        has_vector in prop::bool::weighted(0.9),
        has_text in prop::bool::weighted(0.9),
    ) -> CandidateSet { set_of(facts, has_vector, has_text) }
}

prop_compose! {
    fn parameters()(
        (vector_on, bm25_on, fusion_on) in (prop::bool::weighted(0.9), prop::bool::weighted(0.9), prop::bool::weighted(0.9)),
        fusion in prop::sample::select(vec![FusionMethod::Calibrated, FusionMethod::Rrf, FusionMethod::Relative, FusionMethod::Weighted]),
        (vector_depth, bm25_depth, fusion_k) in (1..80u32, 1..80u32, 1..200u32),
        (vector_weight, text_weight) in (0.0..1.0f64, 0.001..1.0f64),
        (repeat_share, min_score, min_score_of_best) in (0.0..=1.0f64, 0.0..0.6f64, prop_oneof![Just(0.0), 0.0..1.0f64]),
        (max_results, budget_tokens) in (1..100u32, prop_oneof![Just(0u32), 1..4000u32]),
    ) -> Params {
        Params {
            vector_on, bm25_on, fusion_on, fusion, vector_depth, bm25_depth, fusion_k, vector_weight, text_weight,
            repeat_share, min_score, min_score_of_best, max_results, budget_tokens, ..Params::default()
        }
    }
}

/// The facts of one chunk for the stages after fusion: its observations, thumbs, age and direction.
type Evidence = (
    Vec<Vec<&'static str>>,
    (u32, u32, f64),
    Age,
    Option<Vec<f32>>,
);

fn evidence() -> impl Strategy<Value = Evidence> {
    let word = prop::sample::select(vec!["red", "green", "blue", "sun", "moon", "star"]);
    let text = prop::collection::vec(word, 0..6);
    let from = prop::sample::select(vec![
        DateSource::Written,
        DateSource::FileName,
        DateSource::Modified,
    ]);
    let days = prop_oneof![-9.0..2000.0f64, Just(f64::NAN), Just(f64::INFINITY)];
    let age = prop_oneof![
        Just(Age::Unknown),
        Just(Age::Evergreen),
        (days, from).prop_map(|(days, from)| Age::Days { days, from }),
    ];
    (
        prop::collection::vec(text, 0..4),
        (0..9u32, 0..9u32, 0.0..=1.0f64),
        age,
        prop::option::weighted(0.9, prop::collection::vec(-1.0..1.0f32, 4)),
    )
}

/// Gives the first candidates their evidence, in the order of the list; the others have none.
fn with_evidence(mut set: CandidateSet, evidence: Vec<Evidence>) -> CandidateSet {
    let mut fingerprints = Vec::new();
    let mut directions = Vec::new();
    for (candidate, (texts, (n_up, n_down, closeness), age, direction)) in
        set.candidates.iter_mut().zip(evidence)
    {
        let first = fingerprints.len() as u32;
        fingerprints.extend(texts.iter().map(|words| Fingerprint::of(&words.join(" "))));
        candidate.observations = first..fingerprints.len() as u32;
        candidate.thumbs = Thumbs {
            n_up,
            n_down,
            up: closeness * f64::from(n_up),
            down: closeness * f64::from(n_down),
        };
        candidate.age = age;
        candidate.direction = direction.map(|direction| {
            directions.push(direction);
            directions.len() as u32 - 1
        });
    }
    let observations: Vec<Observation<'_>> = (0..)
        .zip(&fingerprints)
        .map(|(at, fingerprint)| Observation {
            fingerprint,
            source: at % 3,
            document: at,
        })
        .collect();
    set.clustering = Some(Arc::new(aggregate(&observations, &[])));
    set.directions = Some(Arc::new(Directions::of(
        4,
        directions.iter().map(Vec::as_slice),
    )));
    set
}

/// Gives the first candidates reranker scores; the others have none.
fn with_scores(
    mut set: CandidateSet,
    scores: &[Option<f64>],
    mode: RerankMode,
    scale: RerankScale,
) -> CandidateSet {
    let chunks = set.candidates.iter().map(|candidate| candidate.chunk);
    set.rerank.push(RerankScores {
        mode,
        max_chars: chars_read(&Params {
            rerank: mode,
            ..Params::default()
        }),
        provider: String::new(),
        model: "made up".to_owned(),
        scale,
        scores: chunks
            .zip(scores)
            .filter_map(|(chunk, score)| score.map(|score| (chunk, score)))
            .collect(),
        unscored: Default::default(),
        failure: None,
    });
    set
}

/// Adds the command's answer for the rows that reach it: every `nth` row is left out, the others are returned in
/// reverse order with new scores.
fn with_hook(mut set: CandidateSet, params: &Params, nth: usize) -> CandidateSet {
    let given = given_to_hook(&set, params);
    let left = given
        .iter()
        .enumerate()
        .filter(|(at, _)| at % nth != nth - 1);
    let returned: Vec<(ChunkId, f64)> = left
        .map(|(_, (chunk, score))| (*chunk, score * 0.5 + 0.3))
        .rev()
        .collect();
    set.hook.push(HookAnswer {
        given,
        returned: Ok(returned),
    });
    set
}

/// Returns the rows that reach the command.
fn given_to_hook(set: &CandidateSet, params: &Params) -> Vec<(ChunkId, f64)> {
    let hook_off = Params {
        hook: HookMode::Off,
        budget_on: false,
        ..params.clone()
    };
    let trace = traced(set, &hook_off);
    let kept = trace.kept().iter();
    kept.map(|slot| {
        (
            set.candidates[*slot as usize].chunk,
            last_score(&trace, *slot),
        )
    })
    .collect()
}

prop_compose! {
    /// Sets in which every stage but the hook has something to do.
    fn rich_sets()(
        set in sets(),
        evidence in prop::collection::vec(evidence(), 0..60),
        unit in prop::collection::vec(prop::option::weighted(0.8, 0.0..=1.0f64), 0..60),
        logits in prop::collection::vec(prop::option::weighted(0.8, -11.0..6.0f64), 0..60),
        max_sim in prop::collection::vec(prop::option::weighted(0.9, prop_oneof![Just(0.5), -1.0..1.0f64]), 0..60),
    ) -> CandidateSet {
        let set = with_scores(with_evidence(set, evidence), &unit, RerankMode::Http, RerankScale::Unit);
        let set = with_scores(set, &logits, RerankMode::Model, RerankScale::Logit);
        with_scores(set, &max_sim, RerankMode::Late, RerankScale::MaxSim)
    }
}

prop_compose! {
    /// Parameters under which every stage acts, unless its value happens to be its identity.
    fn rich_parameters()(
        params in parameters(),
        (corroboration_on, feedback_on, decay_on, diversity_on) in (prop::bool::weighted(0.9), prop::bool::weighted(0.9), prop::bool::weighted(0.9), prop::bool::weighted(0.9)),
        (corroboration_gain, simhash_distance, word_overlap) in (0.0..0.5f64, 0..=7u32, 0.5..=1.0f64),
        corroboration_by in prop::sample::select(vec![CorroborationBy::Members, CorroborationBy::Sources]),
        agreement_measure in prop::sample::select(vec![AgreementMeasure::Simhash, AgreementMeasure::Words]),
        near_duplicates in prop::sample::select(vec![NearDuplicates::Keep, NearDuplicates::Collapse]),
        (feedback_strength, half_life_days, mmr_lambda) in (0.0..=2.0f64, prop_oneof![Just(0.0), 1.0..365.0f64], prop_oneof![Just(1.0), 0.0..1.0f64]),
        rerank in prop::sample::select(vec![RerankMode::Off, RerankMode::Late, RerankMode::Model, RerankMode::Http]),
        (rerank_max_docs, rerank_share) in (0..70u32, prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0f64]),
        rerank_threshold in prop::option::weighted(0.2, -3.0..1.0f64),
    ) -> Params {
        Params {
            rerank, rerank_max_docs, rerank_share, rerank_threshold,
            corroboration_on, feedback_on, decay_on, diversity_on, corroboration_gain, simhash_distance, word_overlap,
            corroboration_by, agreement_measure, near_duplicates, feedback_strength, half_life_days, mmr_lambda, ..params
        }
    }
}

/// Switches off all stages but those from corroboration to diversity.
fn uncut(params: Params) -> Params {
    Params {
        vector_depth: 1000,
        bm25_depth: 1000,
        repeats_on: false,
        threshold_on: false,
        limit_on: false,
        budget_on: false,
        ..params
    }
}

fn last_score(trace: &Trace, slot: u32) -> f64 {
    let entries = trace.entries_of(slot);
    let scores = entries
        .iter()
        .rev()
        .filter_map(|(_, entry)| entry.score_after);
    scores.into_iter().next().unwrap()
}

fn traced(set: &CandidateSet, params: &Params) -> Trace {
    rank(set, params, &NATIVE)
}

/// Returns what a trace keeps, with the scores that the window shows.
fn kept_with_scores(set: &CandidateSet, params: &Params) -> Vec<(u32, f64)> {
    let columns = traced(set, params).columns(set, |_| None);
    let kept = &columns.order[..columns.n_kept as usize];
    let score = |slot: &u32| columns.score[*slot as usize].expect("what is kept has a score");
    kept.iter().map(|slot| (*slot, score(slot))).collect()
}

fn kept_chunks(set: &CandidateSet, trace: &Trace) -> Vec<u64> {
    trace
        .kept()
        .iter()
        .map(|slot| set.candidates[*slot as usize].chunk.0)
        .collect()
}

proptest! {
    #[test]
    fn the_same_input_gives_the_same_trace(set in rich_sets(), params in rich_parameters()) {
        prop_assert_eq!(traced(&set, &params), traced(&set, &params));
    }

    #[test]
    fn the_order_is_that_of_the_trace(set in rich_sets(), params in rich_parameters(), nth in 2..4usize, has_hook in any::<bool>()) {
        let (set, params) = if has_hook {
            (with_hook(set, &params, nth), Params { hook: HookMode::On, ..params })
        } else {
            (set, params)
        };
        prop_assert_eq!(order(&set, &params, &NATIVE), kept_with_scores(&set, &params));
        let trace = traced(&set, &params);
        for slot in 0..set.candidates.len() as u32 {
            let drops = |stage: &StageTrace| stage.entries.iter().any(|entry| entry.slot == slot && entry.is_dropped);
            prop_assert_eq!(dropped_at(&set, &params, &NATIVE, slot), trace.stages.iter().position(drops));
        }
    }

    #[test]
    fn what_lies_deeper_than_lists_are_read_changes_nothing(set in rich_sets(), params in rich_parameters(), deeper in 0..20u32) {
        let depth = params.vector_depth.max(params.bm25_depth) + deeper;
        let (pruned, slots) = set.within_depth(depth);
        let of_pruned: Vec<(u32, f64)> = order(&pruned, &params, &NATIVE)
            .into_iter()
            .map(|(slot, score)| (slots[slot as usize], score))
            .collect();
        prop_assert_eq!(of_pruned, order(&set, &params, &NATIVE));
    }

    #[test]
    fn the_order_of_the_candidates_is_irrelevant(set in rich_sets(), params in rich_parameters(), seed in any::<u64>()) {
        let mut shuffled = set.clone();
        let n = shuffled.candidates.len().max(1);
        for at in 0..shuffled.candidates.len() {
            let other = (seed.wrapping_mul(6364136223846793005).wrapping_add((at as u64).wrapping_mul(1442695040888963407)) >> 33) as usize % n;
            shuffled.candidates.swap(at, other);
            for list in &mut shuffled.lists {
                if !list.values.is_empty() { list.values.swap(at, other); }
            }
        }
        prop_assert_eq!(kept_chunks(&set, &traced(&set, &params)), kept_chunks(&shuffled, &traced(&shuffled, &params)));
    }

    #[test]
    fn replaying_the_details_reproduces_every_score_and_every_score_is_finite(set in rich_sets(), params in rich_parameters()) {
        for stage in &traced(&set, &params).stages {
            for entry in &stage.entries {
                let replayed = match entry.detail.effect() {
                    Effect::Score(score) | Effect::Fade { score, .. } | Effect::Settle { score, .. } => Some(score),
                    Effect::Keep | Effect::Place(_) | Effect::Drop => entry.score_before,
                };
                prop_assert!(replayed.is_none_or(f64::is_finite));
                if entry.detail.get::<Listed>().is_none() {
                    prop_assert_eq!(entry.score_after, replayed);
                }
                prop_assert_eq!(entry.is_dropped, entry.detail.effect() == Effect::Drop);
                prop_assert_eq!(entry.is_dropped, entry.detail.drop_reason().is_some());
            }
        }
    }

    #[test]
    fn every_row_is_kept_or_dropped_once(set in rich_sets(), params in rich_parameters()) {
        let trace = traced(&set, &params);
        let mut seen: Vec<u32> = trace.kept().to_vec();
        seen.extend(trace.dropped().iter().map(|(slot, _)| slot));
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..set.candidates.len() as u32).collect::<Vec<_>>());
        let columns = trace.columns(&set, |_| None);
        prop_assert_eq!(columns.order.len(), set.candidates.len());
        for (at, parts) in columns.parts.iter().enumerate() {
            let sum: f64 = parts.iter().map(|part| part.amount).sum();
            prop_assert!((sum - columns.score[at].unwrap_or(0.0)).abs() < 1e-9, "parts sum to the score");
        }
        for pair in trace.stages.windows(2).skip(2) {
            prop_assert_eq!(pair[0].n_out, pair[1].n_in, "{:?}", pair[1].id);
        }
        // Fusion counts the rows of the lists, so that it adds up with them; the others are only there to be explained.
        let fusion = trace.stage(StageId::FUSION).unwrap();
        let n_listed = fusion.entries.iter().filter(|entry| !entry.is_dropped).count() as u32;
        prop_assert_eq!(fusion.n_out, n_listed);
        prop_assert!(n_listed == 0 || fusion.n_in == n_listed, "{}", fusion.n_in);
    }

    #[test]
    fn with_repeats_off_raising_min_score_only_removes(set in sets(), params in parameters(), more in 0.0..0.5f64) {
        let params = Params { repeat_share: 1.0, budget_tokens: 0, ..params };
        let higher = Params { min_score: params.min_score + more, ..params.clone() };
        let before = kept_chunks(&set, &traced(&set, &params));
        let after = kept_chunks(&set, &traced(&set, &higher));
        prop_assert_eq!(&before[..after.len()], &after[..]);
    }

    #[test]
    fn the_budget_is_never_exceeded_and_nothing_that_fits_is_left(
        set in rich_sets(),
        params in rich_parameters(),
        budget_tokens in 1..4000_u32,
    ) {
        let params = Params { budget_tokens, ..params };
        let trace = traced(&set, &params);
        let tokens = |slot: u32| set.candidates[slot as usize].tokens;
        let used: u32 = trace.kept().iter().map(|slot| tokens(*slot)).sum();
        prop_assert!(used <= params.budget_tokens);
        for entry in &trace.stage(StageId::BUDGET).unwrap().entries {
            if entry.is_dropped {
                prop_assert!(tokens(entry.slot) > params.budget_tokens - used);
            }
        }
    }

    #[test]
    fn a_repeat_share_of_one_is_the_identity(set in sets(), params in parameters()) {
        let off = Params { repeats_on: false, ..params.clone() };
        let one = Params { repeat_share: 1.0, ..params };
        let (off, one) = (traced(&set, &off), traced(&set, &one));
        prop_assert_eq!(off.kept(), one.kept());
    }

    #[test]
    fn stages_at_their_identity_change_nothing(set in rich_sets(), params in rich_parameters()) {
        let off = Params { corroboration_on: false, feedback_on: false, decay_on: false, diversity_on: false, ..params.clone() };
        let neutral = Params {
            corroboration_gain: 0.0, near_duplicates: NearDuplicates::Keep, feedback_strength: 0.0, half_life_days: 0.0, mmr_lambda: 1.0, ..params.clone()
        };
        let expected = traced(&set, &off).kept().to_vec();
        let found = traced(&set, &neutral);
        prop_assert_eq!(found.kept(), &expected[..]);
        // Without facts none of these stages does anything, whatever its parameters.
        let mut bare = set.clone();
        (bare.clustering, bare.directions) = (None, None);
        for candidate in &mut bare.candidates {
            (candidate.thumbs, candidate.age) = (Thumbs::default(), Age::Unknown);
        }
        let trace = traced(&bare, &params);
        for id in [StageId::CORROBORATION, StageId::FEEDBACK, StageId::DECAY, StageId::DIVERSITY] {
            let is_skipped = matches!(trace.stage(id).unwrap().status, Status::Skipped { .. });
            prop_assert!(is_skipped);
        }
        prop_assert_eq!(trace.kept(), &expected[..]);
    }

    #[test]
    fn a_rerank_share_of_zero_is_the_identity_and_so_is_a_failure(set in rich_sets(), params in rich_parameters()) {
        let off = Params { rerank: RerankMode::Off, ..params.clone() };
        let expected = traced(&set, &off).kept().to_vec();
        let zero = traced(&set, &Params { rerank_share: 0.0, ..params.clone() });
        prop_assert_eq!(zero.kept(), &expected[..]);
        let mut failed = set.clone();
        for known in &mut failed.rerank {
            (known.scores, known.failure) = (BTreeMap::new(), Some("no answer".to_owned()));
        }
        let trace = traced(&failed, &params);
        prop_assert_eq!(trace.kept(), &expected[..]);
        let is_asked = params.rerank != RerankMode::Off && params.rerank_share > 0.0 && trace.stage(StageId::RERANK).unwrap().n_in > 0;
        let is_fallback = matches!(trace.stage(StageId::RERANK).unwrap().status, Status::Fallback { .. });
        prop_assert_eq!(is_fallback, is_asked);
    }

    #[test]
    fn without_any_score_the_rerank_stage_moves_nothing_and_names_what_is_missing(set in rich_sets(), params in rich_parameters()) {
        let mut unasked = set.clone();
        unasked.rerank.clear();
        let params = Params { rerank: RerankMode::Late, rerank_share: 1.0, ..params };
        let before = traced(&set, &Params { rerank: RerankMode::Off, ..params.clone() });
        let trace = traced(&unasked, &params);
        prop_assert_eq!(trace.kept(), before.kept());
        let columns = trace.columns(&unasked, |_| None);
        let n_in = trace.stage(StageId::RERANK).unwrap().n_in;
        let n_sent = if params.rerank_max_docs == 0 { 3 * params.max_results } else { params.rerank_max_docs };
        prop_assert_eq!(columns.n_pending, n_sent.min(n_in));
    }

    #[test]
    fn reranked_rows_stand_above_all_others_which_keep_their_order(set in rich_sets(), params in rich_parameters()) {
        let trace = traced(&set, &params);
        let stage = trace.stage(StageId::RERANK).unwrap();
        let state = |entry: &Entry| entry.detail.get::<Rerank>().unwrap().state;
        let kept: Vec<&Entry> = stage.entries.iter().filter(|entry| !entry.is_dropped).collect();
        for scored in kept.iter().filter(|entry| state(entry) == RerankState::Scored) {
            for other in kept.iter().filter(|entry| state(entry) != RerankState::Scored) {
                prop_assert!(scored.rank_after < other.rank_after && scored.score_after > other.score_after);
            }
        }
        let others: Vec<Option<u32>> = kept.iter().filter(|entry| state(entry) != RerankState::Scored).map(|entry| entry.rank_after).collect();
        prop_assert!(others.windows(2).all(|pair| pair[0] < pair[1]));
        for entry in stage.entries.iter().filter(|entry| state(entry) == RerankState::Scored) {
            let Rerank { raw, threshold, rank, n_sent, .. } = entry.detail.get().unwrap();
            prop_assert!(rank <= n_sent);
            prop_assert_eq!(entry.is_dropped, threshold.is_some_and(|threshold| raw.unwrap() < threshold));
        }
    }

    #[test]
    fn a_full_share_follows_the_reranker_alone(set in rich_sets(), params in rich_parameters(), rerank in prop::sample::select(vec![RerankMode::Model, RerankMode::Http])) {
        let params = Params { rerank, rerank_share: 1.0, ..params };
        let trace = traced(&set, &params);
        let mut scored: Vec<(Option<u32>, f64)> = trace.stage(StageId::RERANK).unwrap().entries.iter().filter(|entry| !entry.is_dropped).filter_map(|entry| {
            let Rerank { raw, .. } = entry.detail.get().unwrap();
            raw.map(|raw| (entry.rank_after, raw))
        }).collect();
        scored.sort_by_key(|(rank, _)| *rank);
        for pair in scored.windows(2) {
            prop_assert!(pair[0].1 >= pair[1].1 - 1e-9);
        }
    }

    #[test]
    fn late_interaction_stays_in_the_span_of_the_fused_scores(set in rich_sets(), params in rich_parameters()) {
        let params = Params { rerank: RerankMode::Late, rerank_threshold: None, ..params };
        let entries = traced(&set, &params).stage(StageId::RERANK).unwrap().entries.clone();
        let scored: Vec<&Entry> = entries.iter().filter(|entry| entry.detail.get().is_some_and(|reason: &Rerank| reason.state == RerankState::Scored)).collect();
        let bases: Vec<f64> = scored.iter().filter_map(|entry| entry.score_before).collect();
        for entry in &scored {
            let score = entry.score_after.unwrap();
            prop_assert!(bases.iter().any(|base| *base <= score + 1e-9) && bases.iter().any(|base| *base >= score - 1e-9));
        }
    }

    #[test]
    fn the_command_decides_order_score_and_who_stays(set in rich_sets(), params in rich_parameters(), nth in 2..5usize) {
        let params = Params { hook: HookMode::On, budget_on: false, ..params };
        let given = given_to_hook(&set, &params);
        let asking = traced(&set, &params);
        prop_assert_eq!(kept_chunks(&set, &asking), given.iter().map(|(chunk, _)| chunk.0).collect::<Vec<_>>(), "until it answers the rows stay");
        let columns = asking.columns(&set, |_| None);
        prop_assert_eq!(columns.hook_pending, !given.is_empty());

        let answered = with_hook(set.clone(), &params, nth);
        let trace = traced(&answered, &params);
        let returned = answered.hook[0].returned.clone().unwrap();
        prop_assert_eq!(kept_chunks(&answered, &trace), returned.iter().map(|(chunk, _)| chunk.0).collect::<Vec<_>>());
        for (slot, (_, score)) in trace.kept().iter().zip(&returned) {
            prop_assert_eq!(last_score(&trace, *slot), *score);
        }
        for entry in &trace.stage(StageId::HOOK).unwrap().entries {
            prop_assert_eq!(entry.is_dropped, matches!(entry.detail.get(), Some(HookMove::Dropped { .. })));
        }
        // The command is asked again for rows other than those it was given, and only then.
        let fewer = Params { max_results: (given.len() as u32).saturating_sub(1).max(1), limit_on: true, ..params.clone() };
        let reach = given_to_hook(&answered, &fewer);
        let columns = traced(&answered, &fewer).columns(&answered, |_| None);
        prop_assert_eq!(columns.hook_pending, !reach.is_empty() && reach != given);
        let mut failed = set.clone();
        failed.hook.push(HookAnswer { given, returned: Err("exit code 1".to_owned()) });
        let failed = traced(&failed, &params);
        prop_assert_eq!(failed.kept(), asking.kept());
    }

    #[test]
    fn a_gain_of_zero_collapses_without_a_change_of_score(set in rich_sets(), params in rich_parameters()) {
        let params = Params { corroboration_gain: 0.0, near_duplicates: NearDuplicates::Collapse, ..params };
        for entry in &traced(&set, &params).stage(StageId::CORROBORATION).unwrap().entries {
            prop_assert_eq!(entry.score_after, entry.score_before);
        }
    }

    #[test]
    fn a_greater_gain_never_lowers_a_row_below_one_that_fewer_agree_with(set in rich_sets(), params in rich_parameters(), more in 0.0..0.5f64) {
        let params = Params { near_duplicates: NearDuplicates::Keep, ..uncut(params) };
        let higher = Params { corroboration_gain: params.corroboration_gain + more, ..params.clone() };
        let n_others = |entry: &Entry| entry.detail.get::<Corroboration>().unwrap().n_others;
        let stage = |params: &Params| traced(&set, params).stage(StageId::CORROBORATION).unwrap().entries.clone();
        let (before, after) = (stage(&params), stage(&higher));
        let rank_of = |entries: &[Entry], slot: u32| entries.iter().find(|entry| entry.slot == slot).unwrap().rank_after;
        for a in &before {
            for b in before.iter().filter(|b| n_others(b) < n_others(a) && a.rank_after < b.rank_after) {
                prop_assert!(after.is_empty() || rank_of(&after, a.slot) < rank_of(&after, b.slot));
            }
        }
    }

    #[test]
    fn a_greater_distance_never_lowers_what_others_agree_with(set in rich_sets(), params in rich_parameters()) {
        let params = Params { near_duplicates: NearDuplicates::Keep, corroboration_on: true, agreement_measure: AgreementMeasure::Simhash, ..uncut(params) };
        let counts = |simhash_distance: u32| {
            let params = Params { simhash_distance, ..params.clone() };
            let columns = traced(&set, &params).columns(&set, |_| None);
            columns.cells_of("corroboration").map_or_else(Vec::new, |cells| cells.value.clone())
        };
        for distance in 0..7 {
            let (near, far) = (counts(distance), counts(distance + 1));
            // The column is empty if no observation agrees with another.
            let of = |counts: &[Option<f64>], slot| counts.get(slot).copied().flatten().unwrap_or(0.0);
            for slot in 0..set.candidates.len() {
                prop_assert!(of(&near, slot) <= of(&far, slot));
            }
        }
    }

    #[test]
    fn a_thumb_up_never_lowers_a_score_and_a_year_never_raises_it(set in rich_sets(), params in rich_parameters(), slot in any::<prop::sample::Index>(), closeness in 0.0..=1.0f64) {
        prop_assume!(!set.candidates.is_empty());
        let params = Params { near_duplicates: NearDuplicates::Keep, ..uncut(params) };
        let slot = slot.index(set.candidates.len());
        let before = traced(&set, &params);
        prop_assume!(before.kept().contains(&(slot as u32)));
        let mut liked = set.clone();
        liked.candidates[slot].thumbs.n_up += 1;
        liked.candidates[slot].thumbs.up += closeness;
        prop_assert!(last_score(&traced(&liked, &params), slot as u32) >= last_score(&before, slot as u32) - 1e-12);
        if let Age::Days { days, from } = set.candidates[slot].age && days.is_finite() {
            let mut older = set.clone();
            older.candidates[slot].age = Age::Days { days: days + 365.0, from };
            prop_assert!(last_score(&traced(&older, &params), slot as u32) <= last_score(&before, slot as u32) + 1e-12);
        }
    }

    #[test]
    fn weights_of_thumbs_lie_in_their_range(set in rich_sets(), params in rich_parameters()) {
        for entry in &traced(&set, &params).stage(StageId::FEEDBACK).unwrap().entries {
            let Feedback { weight, strength, up, down, .. } = *entry.detail.get().unwrap();
            prop_assert!((weight - 1.0).abs() <= 0.5 * strength);
            prop_assert!(weight <= 1.0 || strength > 0.0 && up > down);
            prop_assert!(weight >= 1.0 || strength > 0.0 && up < down);
        }
    }

    #[test]
    fn diversity_reorders_as_the_naive_rule_does_and_never_rescores(set in rich_sets(), params in rich_parameters()) {
        let params = Params { diversity_on: true, max_results: 100, ..uncut(params) };
        let before = traced(&set, &Params { diversity_on: false, ..params.clone() });
        let trace = traced(&set, &params);
        let directions = set.directions.as_ref().unwrap();
        let cosine = |a: u32, b: u32| match (set.candidates[a as usize].direction, set.candidates[b as usize].direction) {
            (Some(a), Some(b)) => directions.cosine(a, b),
            _ => 0.0,
        };
        let (mut left, mut taken): (Vec<u32>, Vec<u32>) = (before.kept().to_vec(), Vec::new());
        while !left.is_empty() {
            let value = |slot: u32| {
                let nearest = taken.iter().map(|other| cosine(slot, *other)).reduce(f64::max).unwrap_or(0.0);
                params.mmr_lambda * last_score(&before, slot) - (1.0 - params.mmr_lambda) * nearest
            };
            let best = left.iter().map(|slot| value(*slot)).reduce(f64::max).unwrap();
            let at = left.iter().position(|slot| value(*slot) == best).unwrap();
            taken.push(left.remove(at));
        }
        let expected = if params.mmr_lambda < 1.0 { &taken[..] } else { before.kept() };
        prop_assert_eq!(trace.kept(), expected);
        for slot in trace.kept() {
            prop_assert_eq!(last_score(&trace, *slot), last_score(&before, *slot));
        }
    }

    #[test]
    fn what_collapses_is_said_by_better_rows_that_stay(set in rich_sets(), params in rich_parameters()) {
        let params = Params { near_duplicates: NearDuplicates::Collapse, corroboration_on: true, ..uncut(params) };
        let trace = traced(&set, &params);
        let stage = trace.stage(StageId::CORROBORATION).unwrap();
        let boosted = |entry: &Entry| {
            let Corroboration { base, gain, n_others, .. } = *entry.detail.get().unwrap();
            // At most 8 others count.
            base + gain * (1.0 + f64::from(n_others.min(8))).log2()
        };
        for entry in stage.entries.iter().filter(|entry| entry.is_dropped) {
            let Corroboration { said_by, n_observations, n_agreed, .. } = entry.detail.get().unwrap();
            prop_assert!(n_agreed == n_observations && *n_observations > 0);
            for rank in said_by {
                let by = stage.entries.iter().find(|entry| entry.rank_after == Some(*rank)).unwrap();
                prop_assert!(!by.is_dropped && boosted(by) >= boosted(entry));
            }
        }
    }

    #[test]
    fn scores_fall_or_tie_in_the_total_order_before_repeats(set in sets(), params in parameters()) {
        let trace = traced(&set, &Params { repeat_share: 1.0, ..params.clone() });
        let columns = trace.columns(&set, |_| None);
        for pair in trace.kept().windows(2) {
            let (a, b) = (columns.score[pair[0] as usize].unwrap(), columns.score[pair[1] as usize].unwrap());
            let orders = (set.candidates[pair[0] as usize].order, set.candidates[pair[1] as usize].order);
            prop_assert!(a > b || (a == b && orders.0 < orders.1));
        }
    }

    #[test]
    fn repeats_equal_a_naive_walk_over_bytes(set in sets(), params in parameters()) {
        let params = Params { threshold_on: false, limit_on: false, budget_on: false, ..params };
        let fused = traced(&set, &Params { repeats_on: false, ..params.clone() }).kept().to_vec();
        let mut shown: BTreeSet<(u32, u32)> = BTreeSet::new();
        let (mut taken, mut aside) = (Vec::new(), Vec::new());
        for slot in fused {
            let candidate = &set.candidates[slot as usize];
            let bytes: Vec<(u32, u32)> = candidate.bytes.clone().map(|byte| (candidate.document, byte)).collect();
            let n_shown = bytes.iter().filter(|byte| shown.contains(byte)).count();
            let share = if bytes.is_empty() { 0.0 } else { n_shown as f64 / bytes.len() as f64 };
            if share > params.repeat_share && params.repeat_share < 1.0 { aside.push(slot) } else { taken.push(slot); shown.extend(bytes) }
        }
        taken.extend(aside);
        let trace = traced(&set, &params);
        prop_assert_eq!(trace.kept(), &taken[..]);
    }

    #[test]
    fn of_each_group_of_copies_the_best_row_stays(set in sets(), params in parameters(), groups in prop::collection::vec(prop::option::of(0..5u32), 60)) {
        let params = Params { threshold_on: false, limit_on: false, budget_on: false, copies: Copies::Fold, ..params };
        let mut copied = set.clone();
        for (candidate, group) in copied.candidates.iter_mut().zip(groups) {
            candidate.copies = group;
        }
        let before = traced(&copied, &Params { repeats_on: false, ..params.clone() }).kept().to_vec();
        let group = |slot: &u32| copied.candidates[*slot as usize].copies;
        let mut seen = BTreeSet::new();
        let (first, folded): (Vec<u32>, Vec<u32>) = before.iter().copied().partition(|slot| group(slot).is_none_or(|group| seen.insert(group)));
        let trace = traced(&copied, &params);
        prop_assert_eq!(trace.kept().iter().copied().collect::<BTreeSet<_>>(), first.iter().copied().collect::<BTreeSet<_>>());
        let columns = trace.columns(&copied, |_| None);
        let listed: BTreeSet<u32> = columns.copies.iter().flat_map(|row| row.copies.clone()).collect();
        prop_assert_eq!(listed, folded.into_iter().collect::<BTreeSet<_>>());
        for row in &columns.copies {
            prop_assert!(row.copies.iter().all(|copy| group(copy) == group(&row.slot)));
        }
        // A group of one row is no copy.
        for (slot, candidate) in copied.candidates.iter_mut().enumerate() {
            candidate.copies = candidate.copies.map(|_| slot as u32);
        }
        let (alone, plain) = (traced(&copied, &params), traced(&set, &params));
        prop_assert_eq!(alone.kept(), plain.kept());
    }

    /// Its own score, not its rank: the others in another language are compared with one chunk less.
    #[test]
    fn a_row_in_another_language_never_scores_less(set in sets(), params in parameters(), slot in 0usize..40) {
        prop_assume!(slot < set.candidates.len());
        let params = Params { threshold_on: false, limit_on: false, budget_on: false, ..params };
        let fused = |is_other_language: bool| {
            let mut set = set.clone();
            set.candidates[slot].is_other_language = is_other_language;
            let journey = traced(&set, &params).journey(slot as u32);
            let step = journey.steps.iter().find(|step| step.stage == StageId::FUSION).cloned();
            step.and_then(|step| step.score_after)
        };
        prop_assert!(fused(true) >= fused(false));
    }

    /// Compares slots in the question's language that the same list misses, so that the miss costs every row the same.
    #[test]
    fn a_miss_in_one_list_never_lowers_a_row_against_rows_with_the_same_miss(set in sets(), params in parameters()) {
        let params = Params { repeat_share: 1.0, threshold_on: false, limit_on: false, budget_on: false, fusion_on: true, ..params };
        let trace = traced(&set, &params);
        let only_vector: Vec<u32> = trace.kept().iter().copied()
            .filter(|slot| params.vector_on && set.value(ListId::VECTOR, *slot).rank.is_some_and(|rank| rank <= params.vector_depth) && set.value(ListId::BM25, *slot).score.is_none()).collect();
        let only_vector: Vec<u32> = only_vector.into_iter()
            .filter(|slot| !set.candidates[*slot as usize].is_other_language).collect();
        prop_assume!(params.vector_weight > 0.0);
        for pair in only_vector.windows(2) {
            let score = |slot: u32| set.value(ListId::VECTOR, slot).score.unwrap();
            // Equal cosines get different ranks only by the total order, so the order never inverts.
            prop_assert!(score(pair[0]) >= score(pair[1]));
        }
    }
}
