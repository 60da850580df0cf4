use std::sync::Arc;

use memlens_emulate::openviking::{
    AskOptions, Kind, Level, Memory, Provider, Record, V0_5, answered, reranked,
};
use memlens_emulate::{Embed, Vectors};
use memlens_params::{ParameterSet, StageId, Value, Values};
use memlens_rank::{AnyPipeline, Trace};
use memlens_retrieve::{Question, Retrieved, Retriever, Within};
use serde::Deserialize;

use crate::given::{DIM, TOLERANCE, agreed, lines, note, sha256, share, vectors};

#[derive(Deserialize)]
struct Settings {
    endpoint: String,
    limit: Option<u32>,
    score_threshold: Option<f64>,
    #[serde(default)]
    score_gte: bool,
    level: Option<Vec<usize>>,
    target: Option<String>,
    context_type: Option<String>,
    protection: Option<String>,
    events_time_decay_protection: Option<String>,
    rerank: Option<Rerank>,
    rerank_answer: Option<String>,
}

#[derive(Deserialize)]
struct Rerank {
    provider: String,
    threshold: f64,
    #[serde(default)]
    max_input_tokens: u32,
}

#[derive(Deserialize)]
struct Asked {
    id: String,
    query: String,
    settings: Settings,
    request_now: Option<String>,
    rerank_documents: Option<usize>,
    error: Option<serde_json::Value>,
    results: Vec<Returned>,
}

#[derive(Deserialize, Debug)]
struct Returned {
    uri: String,
    score: f64,
}

const LEVELS: [Level; 3] = [Level::Abstract, Level::Overview, Level::File];

fn kind(name: &str) -> Kind {
    match name {
        "memory" => Kind::Memory,
        "skill" => Kind::Skill,
        _ => Kind::Resource,
    }
}

fn ms(time: &str) -> i64 {
    let time: jiff::Timestamp = time.parse().expect("a time");
    time.as_millisecond()
}

fn records(name: &str) -> (Vec<Record>, Vec<String>) {
    #[derive(Deserialize)]
    struct Given {
        uri: String,
        level: usize,
        context_type: String,
        r#abstract: String,
        text_sha256: String,
        text: Option<String>,
        updated_at: Option<String>,
        #[serde(default)]
        search_tags: Vec<String>,
    }
    let given: Vec<Given> = lines(&format!("openviking/{name}.records.jsonl"));
    let record = |(at, it): (usize, Given)| {
        let level = LEVELS[it.level];
        let path = format!("{}{}", it.uri, level.suffix());
        let updated_ms = it.updated_at.as_deref().map_or(0, ms);
        let record = Record {
            note: note(at, &path, &it.text.unwrap_or_default(), updated_ms),
            uri: it.uri,
            level,
            kind: kind(&it.context_type),
            summary: it.r#abstract,
            is_event: it.search_tags.iter().any(|tag| tag == "memory_type=events"),
        };
        (record, it.text_sha256)
    };
    given.into_iter().enumerate().map(record).unzip()
}

/// Parses how long events do not fade: `0`, or a number of minutes, hours or days.
fn hours(protection: &str) -> f64 {
    let last = protection.chars().last();
    let number: f64 = protection
        .trim_end_matches(['m', 'h', 'd'])
        .parse()
        .expect("a number");
    match last {
        Some('m') => number / 60.0,
        Some('d') => number * 24.0,
        _ => number,
    }
}

fn values(settings: &Settings) -> Values {
    let number = |id, it: f64| (id, Value::Number(it));
    let protection = settings.protection.as_deref();
    let protection = protection.or(settings.events_time_decay_protection.as_deref());
    let threshold = settings.rerank.as_ref().map_or(0.1, |it| it.threshold);
    let mut given = vec![
        (
            "openviking.endpoint",
            Value::Choice(settings.endpoint.clone()),
        ),
        (
            "openviking.event_decay",
            Value::Toggle(protection.is_some()),
        ),
        number(
            "openviking.event_protection_h",
            protection.map_or(0.0, hours),
        ),
        (
            "openviking.rerank",
            Value::Toggle(settings.rerank.is_some()),
        ),
        number("openviking.rerank_threshold", threshold),
        ("openviking.score_gte", Value::Toggle(settings.score_gte)),
        number("openviking.limit", f64::from(settings.limit.unwrap_or(10))),
    ];
    given.extend(
        settings
            .score_threshold
            .map(|it| number("openviking.score_threshold", it)),
    );
    Values::defaults(V0_5.table())
        .with(given)
        .expect("values in range")
}

/// Returns the rows that leave a stage, in order.
fn left(trace: &Trace, stage: &'static str) -> Vec<u32> {
    let stage = trace.stage(StageId(stage)).expect("a stage");
    let mut rows: Vec<(Option<u32>, u32)> = stage
        .entries
        .iter()
        .filter(|it| !it.is_dropped)
        .map(|it| (it.rank_after, it.slot))
        .collect();
    rows.sort_unstable();
    rows.into_iter().map(|(_, slot)| slot).collect()
}

/// Returns the stand-in's answer, including its invalid variants.
fn answer(how: &str, scores: &[f64]) -> Result<Vec<(usize, f64)>, &'static str> {
    let mut rows: Vec<(usize, f64)> = scores.iter().copied().enumerate().collect();
    match how {
        "http500" | "http429" => return Err("the reranker answered with an error"),
        "badjson" => return Err("the reranker's answer is no JSON"),
        "empty" => rows.clear(),
        "short" => rows.truncate(rows.len().saturating_sub(1)),
        "shuffle" => rows.reverse(),
        "nan" => rows.iter_mut().take(1).for_each(|it| it.1 = f64::NAN),
        "negative" => rows.iter_mut().for_each(|it| it.1 -= 0.5),
        "big" => rows.iter_mut().for_each(|it| it.1 *= 5.0),
        "dup" => rows.iter_mut().skip(1).take(1).for_each(|it| it.0 = 0),
        "range" => rows.iter_mut().skip(1).take(1).for_each(|it| it.0 = 99),
        _ => {}
    }
    Ok(rows)
}

/// Returns the candidates with the stand-in's scores of their summaries.
fn with_scores(
    memory: &Memory,
    asked: &Asked,
    reranker: &Rerank,
    found: Retrieved,
    values: &Values,
) -> Result<Retrieved, String> {
    let slots = left(&V0_5.rank(&found.set, values), "openviking.address");
    let (question, documents) =
        memory.documents(&asked.query, &found, &slots, reranker.max_input_tokens);
    if let Some(n) = asked.rerank_documents
        && n != documents.len()
    {
        return Err(format!("{} documents, theirs {n}", documents.len()));
    }
    let scores: Vec<f64> = documents
        .iter()
        .map(|(_, it)| share(&question, it))
        .collect();
    let how = asked.settings.rerank_answer.as_deref().unwrap_or_default();
    let provider = match reranker.provider.as_str() {
        "cohere" => Provider::Cohere,
        _ => Provider::OpenAi,
    };
    let answer = answer(how, &scores);
    let rows = answer.as_deref().map_err(|why| *why);
    let given = answered(provider, documents.len(), rows);
    let slots = documents.iter().map(|(slot, _)| *slot);
    Ok(reranked(found, given.map(|it| slots.zip(it).collect())))
}

/// Returns whether a list equals theirs row for row; `false` if only up to the order of equal scores.
fn compare(memory: &Memory, asked: &Asked) -> Result<bool, String> {
    let settings = &asked.settings;
    let values = values(settings);
    let vector = memory.embed(&asked.query);
    let options = AskOptions {
        target: settings.target.clone(),
        levels: settings
            .level
            .as_ref()
            .map(|it| it.iter().map(|level| LEVELS[*level]).collect()),
        kind: settings.context_type.as_deref().map(kind),
    };
    let mut found = memory.ask(
        &Question {
            text: &asked.query,
            vector: vector.as_deref().map_err(String::as_str),
            params: &values,
            within: &Within::default(),
            also: &[],
            true_ranks: false,
        },
        &options,
    );
    if let Some(reranker) = settings
        .rerank
        .as_ref()
        .filter(|_| settings.endpoint == "search")
    {
        found = with_scores(memory, asked, reranker, found, &values)?;
    }
    let trace = V0_5.rank(&found.set, &values);
    let ours = trace.kept();
    if ours.len() != asked.results.len() {
        let theirs = asked.results.len();
        return Err(format!("{} rows, theirs {theirs}", ours.len()));
    }
    let path = |slot: u32| found.rows[slot as usize].note.path.as_str();
    let inner = |slot: u32| found.set.lists[0].value(slot).score.unwrap_or(f64::NAN);
    let last = |slot: u32| trace.journey(slot).score;
    let mut is_same = true;
    for (at, (slot, theirs)) in ours.iter().zip(&asked.results).enumerate() {
        let score = last(*slot).expect("a kept row has a score");
        if (score - theirs.score).abs() > TOLERANCE {
            return Err(format!(
                "row {}: {} {score}, theirs {theirs:?}",
                at + 1,
                path(*slot)
            ));
        }
        if path(*slot) != theirs.uri {
            is_same = false;
            // Another record may only take the place of theirs if it is equally similar, or ends with the same score.
            let slots = 0..found.rows.len() as u32;
            let other = slots.into_iter().find(|it| path(*it) == theirs.uri);
            let is_tied = other.is_some_and(|other| {
                (inner(other) - inner(*slot)).abs() <= TOLERANCE
                    || last(other).is_some_and(|it| (it - score).abs() <= TOLERANCE)
            });
            if !is_tied {
                return Err(format!(
                    "row {}: {} {score}, theirs {theirs:?}",
                    at + 1,
                    path(*slot)
                ));
            }
        }
    }
    Ok(is_same)
}

/// Checks that `n_tied` lists of a set equal theirs up to the order of equal scores, which is arbitrary there, and all
/// others row for row.
fn agreement(name: &str, n_tied: usize) {
    let asked: Vec<Asked> = lines(&format!("openviking/{name}.jsonl"));
    let now = asked.iter().find_map(|it| it.request_now.as_deref());
    assert!(
        asked
            .iter()
            .all(|it| it.request_now.as_deref().is_none_or(|it| Some(it) == now))
    );
    let (records, texts) = records(name);
    let given = Arc::new(vectors(&format!("openviking/{name}.vectors.jsonl")));
    let flat: Vec<f32> = texts.iter().flat_map(|it| given[it].clone()).collect();
    let embed: Embed = Arc::new(move |text| Ok(given[&sha256(text)].clone()));
    let vectors = Ok(Vectors::new(DIM, flat));
    let memory = Memory::of_records(records, vectors, embed, now.map_or(0, ms), 1);
    // The local store refuses a search for keywords before anything is ranked.
    let (refused, asked): (Vec<Asked>, Vec<Asked>) =
        asked.into_iter().partition(|it| it.error.is_some());
    let mut n_other = 0;
    let failed: Vec<String> = asked
        .iter()
        .filter_map(|asked| match compare(&memory, asked) {
            Ok(is_same) => {
                n_other += usize::from(!is_same);
                None
            }
            Err(why) => Some(format!("{} {:?}: {why}", asked.id, asked.query)),
        })
        .collect();
    agreed(&format!("OpenViking 0.5.2, {name}"), asked.len(), &failed);
    println!(
        "  of these {n_other} up to the order of equal scores; {} more are refused there",
        refused.len()
    );
    assert_eq!(n_other, n_tied, "{name}");
}

#[test]
fn lists_of_the_sample_notes_are_met() {
    agreement("agent-memory-57", 0);
}

#[test]
fn levels_thresholds_and_wrong_answers_are_taken_as_it_does() {
    agreement("craft-levels", 5);
}

#[test]
fn events_fade_as_there() {
    agreement("craft-decay", 4);
}

#[test]
fn equal_scores_are_the_same_sets() {
    agreement("craft-ties", 6);
}
