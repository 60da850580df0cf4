use std::sync::Arc;

use memlens_emulate::basic_memory::{Memory, RERANKED_CHARS, V0_24, reranked};
use memlens_emulate::{Embed, Filling, Vectors};
use memlens_params::{ParameterSet, Value, Values};
use memlens_rank::{AnyPipeline, ChunkId, RerankScale, RerankScores, Trace};
use memlens_retrieve::{Question, Retrieved, Retriever, Within};
use serde::Deserialize;

use crate::given::{DIM, TOLERANCE, agent_memory, agreed, lines, note, sha256, share, vectors};

/// Number of characters of a document's hash in the rows.
const HASH_SIGNS: usize = 16;
/// Questions for a path, whose raw scores vary between runs of the real program: it writes the parts of a path in the
/// order of a Python set, so their neighbours are arbitrary.
const BY_CHANCE: [&str; 2] = ["x06", "x09"];

#[derive(Deserialize)]
struct Settings {
    mode: String,
    limit: u32,
    #[serde(default)]
    offset: u32,
    min_similarity: Option<f64>,
    #[serde(default)]
    allow_relaxed: bool,
    reranker: Option<Reranker>,
}

#[derive(Deserialize)]
struct Reranker {
    candidates: u32,
    max_document_chars: usize,
}

#[derive(Deserialize)]
struct Asked {
    id: String,
    query: String,
    settings: Settings,
    #[serde(default)]
    rerank_documents: Vec<String>,
    results: Vec<Returned>,
}

#[derive(Deserialize, Debug)]
struct Returned {
    path: String,
    score: f64,
}

fn values(settings: &Settings) -> Values {
    let search = match settings.mode.as_str() {
        "fts" => "text",
        other => other,
    };
    let number = |id, it: f64| (id, Value::Number(it));
    let reranker = settings.reranker.as_ref();
    Values::defaults(V0_24.table())
        .with([
            ("basic_memory.search", Value::Choice(search.to_owned())),
            (
                "basic_memory.allow_relaxed",
                Value::Toggle(settings.allow_relaxed),
            ),
            number(
                "basic_memory.semantic_min_similarity",
                settings.min_similarity.unwrap_or(0.55),
            ),
            ("basic_memory.reranker", Value::Toggle(reranker.is_some())),
            number(
                "basic_memory.reranker_candidates",
                f64::from(reranker.map_or(20, |it| it.candidates)),
            ),
            number("basic_memory.limit", f64::from(settings.limit)),
            number("basic_memory.offset", f64::from(settings.offset)),
        ])
        .expect("values in range")
}

fn compare(memory: &Memory, asked: &Asked) -> Result<(), String> {
    let values = values(&asked.settings);
    let vector = memory.embed(&asked.query);
    let vector = vector.as_deref().map_err(String::as_str);
    let question = Question {
        text: &asked.query,
        vector,
        params: &values,
        within: &Within::default(),
        also: &[],
        true_ranks: false,
    };
    let mut found = memory.retrieve(&question).expect("it can be asked");
    if let Some(reranker) = &asked.settings.reranker {
        let documents = memory.documents(vector, &found, reranker.max_document_chars);
        let scores = documents.iter().map(|it| share(&asked.query, it));
        let scores = scores.collect();
        let before_found = memory.retrieve(&question).expect("it can be asked");
        let before = V0_24.rank(&before_found.set, &all_of(&values));
        for (slot, theirs) in before.kept().iter().zip(&asked.rerank_documents) {
            let hash = sha256(&documents[*slot as usize]);
            if hash[..HASH_SIGNS] != **theirs {
                let path = &found.rows[*slot as usize].note.path;
                return Err(format!("another document of {path}"));
            }
        }
        if reranker.max_document_chars == RERANKED_CHARS {
            let filled = filled_in(memory, &asked.query, &values, before_found);
            agrees(
                &V0_24.rank(&filled.set, &filled_values(&values)),
                &filled,
                asked,
            )?;
        }
        found = reranked(found, scores);
    }
    agrees(&V0_24.rank(&found.set, &values), &found, asked)
}

/// Returns the candidates with the scores of the replacement, called like the engine does.
fn filled_in(memory: &Memory, query: &str, values: &Values, found: Retrieved) -> Retrieved {
    let values = filled_values(values);
    let filling = Filling::of(&values).expect("somebody stands in");
    let slots = filling.slots(&V0_24.rank(&found.set, &values));
    let chunks: Vec<ChunkId> = slots
        .iter()
        .map(|slot| found.set.candidates[*slot as usize].chunk)
        .collect();
    let texts = memory.texts(&chunks).expect("they can be read");
    let read = slots.iter().zip(texts).map(|(slot, text)| {
        let text = text.expect("the note is there");
        let document = filling.read(&found.set, *slot, &text);
        share(&filling.asked(query), &document.expect("it is read"))
    });
    let scores = RerankScores {
        mode: filling.mode,
        max_chars: 0,
        provider: String::new(),
        model: String::new(),
        scale: RerankScale::Unit,
        scores: chunks.iter().copied().zip(read).collect(),
        unscored: Default::default(),
        failure: None,
    };
    let mut found = found;
    found.set.rerank.push(scores);
    found
}

fn filled_values(values: &Values) -> Values {
    let by = Value::Choice("http".to_owned());
    let filled = values.clone().with([("basic_memory.reranker_by", by)]);
    filled.expect("values in range")
}

fn agrees(trace: &Trace, found: &Retrieved, asked: &Asked) -> Result<(), String> {
    let ours = trace.kept();
    if ours.len() != asked.results.len() {
        let theirs = asked.results.len();
        return Err(format!("{} rows, theirs {theirs}", ours.len()));
    }
    let is_reported = asked.settings.mode != "fts" || !BY_CHANCE.contains(&asked.id.as_str());
    for (at, (slot, theirs)) in ours.iter().zip(&asked.results).enumerate() {
        let path = &found.rows[*slot as usize].note.path;
        let score = trace.journey(*slot).score.expect("a kept row has a score");
        let is_off = is_reported && (score - theirs.score).abs() > TOLERANCE;
        if path.strip_prefix("memory/") != Some(&theirs.path) || is_off {
            return Err(format!("row {}: {path} {score}, theirs {theirs:?}", at + 1));
        }
    }
    Ok(())
}

/// Returns the same values without a reranker, on one page.
fn all_of(values: &Values) -> Values {
    values
        .clone()
        .with([
            ("basic_memory.reranker", Value::Toggle(false)),
            ("basic_memory.limit", Value::Number(100.0)),
        ])
        .expect("values in range")
}

#[test]
fn lists_of_the_sample_notes_are_met() {
    let notes: Vec<_> = (0..)
        .zip(agent_memory())
        .map(|(at, (path, text))| note(at, &path, &text, 0))
        .collect();
    let given = Arc::new(vectors("basic-memory/agent-memory-57.vectors.jsonl"));
    let flat: Vec<f32> = Memory::chunk_texts(&notes)
        .iter()
        .flat_map(|text| given[&sha256(text)].clone())
        .collect();
    let embed: Embed = Arc::new(move |text| Ok(given[&sha256(text)].clone()));
    let memory = Memory::new(notes, Ok(Vectors::new(DIM, flat)), embed, 1).expect("an index");
    let asked: Vec<Asked> = lines("basic-memory/agent-memory-57.jsonl");
    assert!(asked.iter().any(|it| {
        let reranker = it.settings.reranker.as_ref();
        reranker.is_some_and(|it| it.max_document_chars == RERANKED_CHARS)
    }));
    let failed: Vec<String> = asked
        .iter()
        .filter_map(|asked| {
            let why = compare(&memory, asked).err()?;
            Some(format!(
                "{} {:?} {}: {why}",
                asked.id, asked.query, asked.settings.mode
            ))
        })
        .collect();
    agreed("basic-memory 0.24.1, agent-memory-57", asked.len(), &failed);
}
