//! Golden tests of Hindsight's fusion.

use std::collections::HashMap;

use jiff::Timestamp;
use memlens_emulate::hindsight::{Arm, ArmKind, Boost, Dated, FUSION_1_1, Facts, RowFact};
use memlens_params::{ParameterSet, StageId, Value, Values};
use memlens_rank::{AnyPipeline, Candidate, CandidateSet, ChunkId, OwnFacts, Trace};
use serde::Deserialize;

use crate::given::{TOLERANCE, agreed, lines, share};

#[derive(Deserialize)]
struct Settings {
    reranking: String,
    provider: Option<String>,
    scores: Option<String>,
    max_candidates_per_source: Option<u32>,
    reranker_max_candidates: Option<u32>,
    #[serde(default)]
    strategy_boosts: HashMap<String, String>,
    recency_decay_function: Option<String>,
    min_reranker: Option<f64>,
    min_final: Option<f64>,
}

#[derive(Deserialize)]
struct Arms {
    semantic: Vec<String>,
    bm25: Vec<String>,
    graph: Vec<String>,
    temporal: Vec<String>,
}

#[derive(Deserialize)]
struct Asked {
    id: String,
    query: String,
    settings: Settings,
    now: String,
    arms: Arms,
    results: Vec<Returned>,
}

#[derive(Deserialize)]
struct Returned {
    id: String,
    score: f64,
    rrf: f64,
    rrf_rank: u32,
    rerank: f64,
    rerank_normalized: f64,
    recency: f64,
    temporal: f64,
    proof: f64,
}

#[derive(Deserialize)]
struct Unit {
    id: String,
    text: String,
    context: Option<String>,
    occurred_start: Option<String>,
    occurred_end: Option<String>,
    mentioned_at: Option<String>,
    proof_count: Option<u32>,
}

fn time(time: &str) -> Timestamp {
    time.parse().expect("a time")
}

fn values(settings: &Settings) -> Values {
    let number = |id, it: f64| (id, Value::Number(it));
    let choice = |id, it: &str| (id, Value::Choice(it.to_owned()));
    let boost = |arm: &str| settings.strategy_boosts.get(arm).map_or("none", |it| it);
    let mut given = vec![
        choice("hindsight.reranking", &settings.reranking),
        choice("hindsight.boost_bm25", boost("bm25")),
        choice("hindsight.boost_semantic", boost("semantic")),
        choice(
            "hindsight.recency_decay_function",
            settings
                .recency_decay_function
                .as_deref()
                .unwrap_or("linear"),
        ),
        number(
            "hindsight.max_candidates_per_source",
            f64::from(settings.max_candidates_per_source.unwrap_or(0)),
        ),
        number(
            "hindsight.reranker_max_candidates",
            f64::from(settings.reranker_max_candidates.unwrap_or(300)),
        ),
        number("hindsight.limit", 1000.0),
    ];
    let least = [
        ("hindsight.min_reranker", settings.min_reranker),
        ("hindsight.min_final", settings.min_final),
    ];
    given.extend(
        least
            .into_iter()
            .filter_map(|(id, it)| Some(number(id, it?))),
    );
    Values::defaults(FUSION_1_1.table())
        .with(given)
        .expect("values in range")
}

fn facts(asked: &Asked, units: &[Unit]) -> Facts {
    let arms = [
        (ArmKind::Semantic, &asked.arms.semantic),
        (ArmKind::Bm25, &asked.arms.bm25),
        (ArmKind::Graph, &asked.arms.graph),
        (ArmKind::Temporal, &asked.arms.temporal),
    ];
    let slot = |id: &String| {
        let at = units.iter().position(|it| it.id == *id);
        at.expect("a unit") as u32
    };
    let arm = |(kind, ids): (ArmKind, &Vec<String>)| Arm {
        kind,
        slots: ids.iter().map(slot).collect(),
        boost: match kind {
            // These are set as parameters.
            ArmKind::Semantic | ArmKind::Bm25 => None,
            ArmKind::Graph | ArmKind::Temporal => {
                let boost = asked.settings.strategy_boosts.get(kind.as_str());
                boost.map(|it| match it.as_str() {
                    "low" => Boost::Low,
                    "medium" => Boost::Medium,
                    _ => Boost::High,
                })
            }
        },
    };
    let row = |unit: &Unit| {
        let temporal = asked.arms.temporal.iter().position(|it| *it == unit.id);
        RowFact {
            dated: Dated::of(
                unit.occurred_start.as_deref().map(time),
                unit.occurred_end.as_deref().map(time),
                unit.mentioned_at.as_deref().map(time),
                time(&asked.now),
            ),
            n_proofs: unit.proof_count,
            // As the rows were generated: each next one is less close.
            proximity: temporal.map(|at| 1.0 - at as f64 / 50.0),
        }
    };
    Facts {
        arms: arms
            .into_iter()
            .filter(|(_, ids)| !ids.is_empty())
            .map(arm)
            .collect(),
        is_of_memlens: false,
        rows: units.iter().map(row).collect(),
        scores: None,
    }
}

fn set(facts: Facts) -> CandidateSet {
    let n = facts.rows.len() as u32;
    let candidate = |order| Candidate {
        chunk: ChunkId(u64::from(order)),
        order,
        ..Candidate::default()
    };
    CandidateSet {
        candidates: (0..n).map(candidate).collect(),
        n_chunks: n,
        own: Some(OwnFacts::new(facts)),
        ..CandidateSet::default()
    }
}

/// Returns the stand-in's scores of the memories that reach it, by slot.
fn scores(asked: &Asked, units: &[Unit], trace: &Trace) -> Vec<Option<f64>> {
    let stage = trace
        .stage(StageId("hindsight.candidates"))
        .expect("a stage");
    let mut left: Vec<(Option<u32>, u32)> = stage
        .entries
        .iter()
        .filter(|it| !it.is_dropped)
        .map(|it| (it.rank_after, it.slot))
        .collect();
    left.sort_unstable();
    let mut scores = vec![None; units.len()];
    for (at, (_, slot)) in left.into_iter().enumerate() {
        let unit = &units[slot as usize];
        // The date before it holds no word of a question.
        let context = unit
            .context
            .as_ref()
            .map_or(String::new(), |it| format!("{it}: "));
        let share = share(&asked.query, &format!("{context}{}", unit.text));
        scores[slot as usize] = match asked.settings.scores.as_deref() {
            Some("logits") => Some(share * 10.0 - 5.0),
            Some("nan") if at == 0 => Some(f64::NAN),
            Some("constant") => Some(0.5),
            Some("timeout") if at % 2 == 1 => None,
            _ => Some(share),
        };
    }
    scores
}

/// Returns a term of a stage's reason for a row, by name.
fn term(trace: &Trace, stage: &'static str, slot: u32, name: &str) -> Option<f64> {
    let stage = trace.stage(StageId(stage))?;
    let entry = stage.entries.iter().find(|entry| entry.slot == slot)?;
    let terms = entry.detail.terms();
    terms.iter().find(|it| it.0 == name).map(|it| it.1)
}

fn compare(asked: &Asked, units: &[Unit]) -> Result<(), String> {
    let values = values(&asked.settings);
    let mut facts = facts(asked, units);
    let is_scored =
        asked.settings.reranking == "cross_encoder" && asked.settings.provider.is_none();
    if is_scored {
        let before = FUSION_1_1.rank(&set(facts.clone()), &values);
        facts.scores = Some(scores(asked, units, &before));
    }
    let trace = FUSION_1_1.rank(&set(facts), &values);
    let ours = trace.kept();
    if ours.len() != asked.results.len() {
        let theirs = asked.results.len();
        return Err(format!("{} rows, theirs {theirs}", ours.len()));
    }
    let takes_turns = asked.settings.reranking == "interleave";
    for (at, (slot, theirs)) in ours.iter().zip(&asked.results).enumerate() {
        let head = format!("row {} {}", at + 1, theirs.id);
        let unit = &units[*slot as usize].id;
        if *unit != theirs.id {
            return Err(format!("{head}: ours {unit}"));
        }
        let score = trace.journey(*slot).score;
        let fusion = trace.stage(StageId("hindsight.fusion")).expect("a stage");
        let fused = fusion.entries.iter().find(|it| it.slot == *slot);
        let pairs = [
            ("score", score, theirs.score),
            ("rrf", fused.and_then(|it| it.score_after), theirs.rrf),
            (
                "rrf_rank",
                fused.and_then(|it| it.rank_after).map(f64::from),
                f64::from(theirs.rrf_rank),
            ),
        ];
        let of = |stage, name| (name, term(&trace, stage, *slot, name));
        // If the arms take turns, it computes no score and reports neutral values.
        let scored = [
            (
                of("hindsight.rerank", "rerank_normalized"),
                theirs.rerank_normalized,
            ),
            (of("hindsight.score", "recency"), theirs.recency),
            (of("hindsight.score", "temporal"), theirs.temporal),
            (of("hindsight.score", "proof"), theirs.proof),
        ];
        let scored = scored.into_iter().filter(|_| !takes_turns);
        let scored = scored.map(|((name, ours), theirs)| (name, ours, theirs));
        let raw = of("hindsight.rerank", "rerank");
        let raw = raw.1.map(|it| (raw.0, Some(it), theirs.rerank));
        for (name, ours, theirs) in pairs.into_iter().chain(scored).chain(raw) {
            if ours.is_none_or(|ours| (ours - theirs).abs() > TOLERANCE) {
                return Err(format!("{head}: {name} {ours:?}, theirs {theirs}"));
            }
        }
    }
    Ok(())
}

#[test]
fn lists_of_invented_memories_are_met() {
    let units: Vec<Unit> = lines("hindsight/units.jsonl");
    let asked: Vec<Asked> = lines("hindsight/fusion.jsonl");
    let failed: Vec<String> = asked
        .iter()
        .filter_map(|asked| {
            let why = compare(asked, &units).err()?;
            Some(format!("{} {}: {why}", asked.id, asked.settings.reranking))
        })
        .collect();
    agreed("Hindsight 1.1.0, fusion", asked.len(), &failed);
}
